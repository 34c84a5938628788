// The checks of .lmesh over its large blocks. Each runs over a block without branches and only says whether anything is
// wrong; where it is found wrong, a second, plain walk finds the first place to name.

#include "format/mesh.h"

#include "base/maths.h"
#include "base/memory.h"

#include <inttypes.h>

#define CHUNK 4096u // vertices between two looks at the result

/// All ones in the exponent of an IEEE 754 binary32: infinite or no number.
static inline uint32_t f32_not_finite(uint32_t bits)
{
	return (bits & 0x7f800000u) == 0x7f800000u;
}

// Positions

/// A box and a sphere with the slack that rounding needs.
typedef struct position_limits
{
	float min[3], max[3], centre[3];
	float squared_radius;
} position_limits;

/// The box holds f32 positions exactly; quantised ones within one step. The sphere holds both within 1e-4 of its radius
/// and 1e-6 of the largest coordinate.
static position_limits limits_of(const lrd_mesh_view *view, bool quantised)
{
	const lrd_bounds *bounds = &view->bounds;
	position_limits limits = {
		{ bounds->min.x, bounds->min.y, bounds->min.z },
		{ bounds->max.x, bounds->max.y, bounds->max.z },
		{ bounds->centre.x, bounds->centre.y, bounds->centre.z },
		0.0f,
	};
	float largest = 0.0f;
	float step = 0.0f;
	for (uint32_t axis = 0; axis < 3; axis++)
	{
		largest = fmaxf(largest, fmaxf(fabsf(limits.min[axis]), fabsf(limits.max[axis])));
		if (quantised)
		{
			float slack = view->position_scale[axis] / 65535.0f;
			step += slack;
			slack += 1e-6f * fmaxf(fabsf(limits.min[axis]), fabsf(limits.max[axis]));
			limits.min[axis] -= slack;
			limits.max[axis] += slack;
		}
	}
	float radius = bounds->radius * 1.0001f + 1e-6f * largest + step;
	limits.squared_radius = radius * radius;
	return limits;
}

/// Anything that is not inside, NaN too.
LRD_WIDE static uint32_t any_outside(const float *positions, size_t count, position_limits limits)
{
	uint32_t bad = 0;
	for (size_t i = 0; i < count; i++)
	{
		float x = positions[i * 3], y = positions[i * 3 + 1], z = positions[i * 3 + 2];
		uint32_t inside = (x >= limits.min[0]) & (x <= limits.max[0]) & (y >= limits.min[1]) & (y <= limits.max[1]) &
						  (z >= limits.min[2]) & (z <= limits.max[2]);
		float dx = x - limits.centre[0], dy = y - limits.centre[1], dz = z - limits.centre[2];
		uint32_t far = dx * dx + dy * dy + dz * dz > limits.squared_radius;
		bad |= (inside ^ 1u) | far;
	}
	return bad;
}

/// Of the scale a 65535th is taken first: where that is a power of two, as the cook makes it, nothing is rounded, and
/// each position is the one that bounds and spheres were made for.
LRD_WIDE static void dequantise(
	const uint16_t *quantised, size_t count, const float step[3], const float offset[3], float *positions)
{
	for (size_t i = 0; i < count; i++)
	{
		positions[i * 3] = (float)quantised[i * 4] * step[0] + offset[0];
		positions[i * 3 + 1] = (float)quantised[i * 4 + 1] * step[1] + offset[1];
		positions[i * 3 + 2] = (float)quantised[i * 4 + 2] * step[2] + offset[2];
	}
}

LRD_WIDE static uint32_t any_fourth(const uint16_t *quantised, size_t count)
{
	uint32_t any = 0;
	for (size_t i = 0; i < count; i++)
	{
		any |= quantised[i * 4 + 3];
	}
	return any;
}

static bool fail_outside(const lrd_layout_cursor *cursor, const lrd_mesh_view *view, size_t first,
	const float *positions, position_limits limits)
{
	uint32_t i = 0;
	while (any_outside(positions + (size_t)i * 3, 1, limits) == 0)
	{
		i++;
	}
	const float *p = positions + (size_t)i * 3;
	const lrd_bounds *b = &view->bounds;
	return lrd_layout_fail(cursor,
		"position of vertex %zu: (%g, %g, %g) is outside the bounds: box (%g, %g, %g) to (%g, %g, %g), sphere of "
		"radius %g "
		"around (%g, %g, %g)",
		first + i, (double)p[0], (double)p[1], (double)p[2], (double)b->min.x, (double)b->min.y, (double)b->min.z,
		(double)b->max.x, (double)b->max.y, (double)b->max.z, (double)b->radius, (double)b->centre.x,
		(double)b->centre.y, (double)b->centre.z);
}

static bool check_positions(const lrd_layout_cursor *cursor, const lrd_mesh_view *view)
{
	bool quantised = lrd_mesh_attribute(view, LRD_VERTEX_POSITION)->format == LRD_FORMAT_UNORM16X4;
	position_limits limits = limits_of(view, quantised);
	const void *data = view->streams[LRD_STREAM_POSITION].data;
	if (quantised && any_fourth(data, view->vertex_count) != 0)
	{
		return lrd_layout_fail(cursor, "position: the fourth component of quantised positions must be zero");
	}
	const float steps[3] = { view->position_scale[0] / 65535.0f, view->position_scale[1] / 65535.0f,
		view->position_scale[2] / 65535.0f };
	float unpacked[256 * 3];
	uint32_t chunk = quantised ? 256 : CHUNK;
	for (size_t first = 0; first < view->vertex_count; first += chunk)
	{
		size_t count = view->vertex_count - first < chunk ? view->vertex_count - first : chunk;
		const float *positions = unpacked;
		if (quantised)
		{
			dequantise((const uint16_t *)data + first * 4, count, steps, view->position_offset, unpacked);
		}
		else
		{
			positions = (const float *)data + first * 3;
		}
		if (any_outside(positions, count, limits) != 0)
		{
			return fail_outside(cursor, view, first, positions, limits);
		}
	}
	return true;
}

// Texture coordinates

/// `words` 32-bit words a vertex apart; two f32.
static inline uint32_t f32x2_not_finite(const uint32_t *data, size_t count, size_t words)
{
	uint32_t bad = 0;
	for (size_t i = 0; i < count; i++)
	{
		bad |= f32_not_finite(data[i * words]) | f32_not_finite(data[i * words + 1]);
	}
	return bad;
}

LRD_WIDE static uint32_t any_f32x2(const uint32_t *data, size_t count, size_t words)
{
	// The strides that the writer uses, as constants for the vectoriser.
	return words == 5   ? f32x2_not_finite(data, count, 5)
		   : words == 2 ? f32x2_not_finite(data, count, 2)
						: f32x2_not_finite(data, count, words);
}

/// All ones in the exponent of either IEEE 754 binary16.
LRD_WIDE static uint32_t any_f16x2(const uint32_t *data, size_t count, size_t words)
{
	uint32_t bad = 0;
	for (size_t i = 0; i < count; i++)
	{
		uint32_t pair = data[i * words];
		bad |= ((pair & 0x7c00u) == 0x7c00u) | ((pair & 0x7c000000u) == 0x7c000000u);
	}
	return bad;
}

static bool check_uv(const lrd_layout_cursor *cursor, const lrd_mesh_view *view, lrd_vertex_semantic semantic)
{
	const lrd_vertex_attribute *attribute = lrd_mesh_attribute(view, semantic);
	if (attribute == NULL)
	{
		return true;
	}
	const lrd_mesh_stream *stream = &view->streams[attribute->stream];
	const uint32_t *data = (const uint32_t *)stream->data + attribute->offset / 4;
	size_t words = stream->stride / 4;
	bool half = attribute->format == LRD_FORMAT_F16X2;
	if ((half ? any_f16x2(data, view->vertex_count, words) : any_f32x2(data, view->vertex_count, words)) == 0)
	{
		return true;
	}
	size_t i = 0;
	while ((half ? any_f16x2(data + i * words, 1, words) : any_f32x2(data + i * words, 1, words)) == 0)
	{
		i++;
	}
	return lrd_layout_fail(cursor, "uv%d of vertex %zu: not finite", semantic == LRD_VERTEX_UV1 ? 1 : 0, i);
}

// Skin weights

static inline uint32_t sum_of_bytes(uint32_t four)
{
	uint32_t pairs = (four & 0x00ff00ffu) + (four >> 8 & 0x00ff00ffu);
	return (pairs & 0xffffu) + (pairs >> 16);
}

LRD_WIDE static uint32_t any_sum_not_255(const uint32_t *weights, size_t count)
{
	uint32_t bad = 0;
	for (size_t i = 0; i < count; i++)
	{
		bad |= sum_of_bytes(weights[i * 2]) ^ 255u;
	}
	return bad;
}

LRD_WIDE static uint32_t any_sum_not_65535(const uint32_t *weights, size_t count)
{
	uint32_t bad = 0;
	for (size_t i = 0; i < count; i++)
	{
		uint32_t low = weights[i * 4], high = weights[i * 4 + 1];
		bad |= ((low & 0xffffu) + (low >> 16) + (high & 0xffffu) + (high >> 16)) ^ 65535u;
	}
	return bad;
}

static bool check_weights(const lrd_layout_cursor *cursor, const lrd_mesh_view *view)
{
	const lrd_vertex_attribute *attribute = lrd_mesh_attribute(view, LRD_VERTEX_WEIGHTS);
	if (attribute == NULL)
	{
		return true;
	}
	// Joints and weights alone fill the stream: 8 bytes a vertex, or 16.
	const lrd_mesh_stream *stream = &view->streams[LRD_STREAM_SKIN];
	const uint32_t *data = (const uint32_t *)stream->data + attribute->offset / 4;
	bool narrow = attribute->format == LRD_FORMAT_UNORM8X4;
	size_t words = stream->stride / 4;
	if ((narrow ? any_sum_not_255(data, view->vertex_count) : any_sum_not_65535(data, view->vertex_count)) == 0)
	{
		return true;
	}
	size_t i = 0;
	while ((narrow ? any_sum_not_255(data + i * words, 1) : any_sum_not_65535(data + i * words, 1)) == 0)
	{
		i++;
	}
	const uint32_t *found = data + i * words;
	uint32_t sum = narrow ? sum_of_bytes(found[0])
						  : (found[0] & 0xffffu) + (found[0] >> 16) + (found[1] & 0xffffu) + (found[1] >> 16);
	return lrd_layout_fail(
		cursor, "weights of vertex %zu: sum up to %" PRIu32 ", not to %d", i, sum, narrow ? 255 : 65535);
}

bool lrd_mesh_check_streams(const lrd_layout_cursor *cursor, const lrd_mesh_view *view)
{
	return check_positions(cursor, view) && check_uv(cursor, view, LRD_VERTEX_UV0) &&
		   check_uv(cursor, view, LRD_VERTEX_UV1) && check_weights(cursor, view);
}

// Topology

LRD_WIDE static uint32_t largest_u32(const uint32_t *values, size_t count)
{
	uint32_t largest = 0;
	for (size_t i = 0; i < count; i++)
	{
		largest = values[i] > largest ? values[i] : largest;
	}
	return largest;
}

LRD_WIDE static uint8_t largest_u8(const uint8_t *values, size_t count)
{
	uint8_t largest = 0;
	for (size_t i = 0; i < count; i++)
	{
		largest = values[i] > largest ? values[i] : largest;
	}
	return largest;
}

static bool check_remap(const lrd_layout_cursor *cursor, const lrd_mesh_view *view)
{
	if (largest_u32(view->meshlet_vertices, view->meshlet_vertex_count) < view->vertex_count)
	{
		return true;
	}
	uint32_t i = 0;
	while (view->meshlet_vertices[i] < view->vertex_count)
	{
		i++;
	}
	return lrd_layout_fail(cursor, "meshlet_vertices[%" PRIu32 "]: vertex %" PRIu32 ", but vertex_count is %" PRIu32, i,
		view->meshlet_vertices[i], view->vertex_count);
}

/// A meshlet's run lies right behind the one before it, and inside its block.
static bool check_run(const lrd_layout_cursor *cursor, uint32_t meshlet, const char *name, const char *block,
	uint32_t offset, uint32_t count, uint32_t limit, uint32_t expected, uint32_t total)
{
	if (count < 1 || count > limit)
	{
		return lrd_layout_fail(cursor, "meshlet %" PRIu32 ": %s_count %" PRIu32 ", allowed are 1 to %" PRIu32, meshlet,
			name, count, limit);
	}
	if ((uint64_t)offset + count > total)
	{
		return lrd_layout_fail(cursor,
			"meshlet %" PRIu32 ": %s_offset %" PRIu32 " + %s_count %" PRIu32 " passes %s (%" PRIu32 ")", meshlet, name,
			offset, name, count, block, total);
	}
	if (offset != expected)
	{
		return lrd_layout_fail(cursor,
			"meshlet %" PRIu32 ": %s_offset %" PRIu32 ", expected %" PRIu32 ": meshlets lie back to back", meshlet,
			name, offset, expected);
	}
	return true;
}

static bool check_meshlet_numbers(const lrd_layout_cursor *cursor, uint32_t index, const lrd_meshlet *meshlet)
{
	static_assert(
		offsetof(lrd_meshlet, reserved) - offsetof(lrd_meshlet, centre) == 11 * sizeof(float), "eleven floats");
	if (!lrd_all_finite(meshlet->centre, 11))
	{
		return lrd_layout_fail(cursor, "meshlet %" PRIu32 ": sphere and cone must be finite", index);
	}
	if (meshlet->radius < 0.0f)
	{
		return lrd_layout_fail(cursor, "meshlet %" PRIu32 ": radius %g is negative", index, (double)meshlet->radius);
	}
	if (meshlet->cone_cutoff < -1.0f || meshlet->cone_cutoff > 1.0f)
	{
		return lrd_layout_fail(
			cursor, "meshlet %" PRIu32 ": cone_cutoff %g, allowed are -1 to 1", index, (double)meshlet->cone_cutoff);
	}
	if (meshlet->reserved != 0)
	{
		return lrd_layout_fail(
			cursor, "meshlet %" PRIu32 ": reserved is 0x%" PRIx32 ", must be zero", index, meshlet->reserved);
	}
	return true;
}

static bool check_local(const lrd_layout_cursor *cursor, const lrd_mesh_view *view, uint32_t index)
{
	const lrd_meshlet *meshlet = &view->meshlets[index];
	const uint8_t *triangles = view->meshlet_triangles + (size_t)meshlet->triangle_offset * 3;
	if (largest_u8(triangles, (size_t)meshlet->triangle_count * 3) < meshlet->vertex_count)
	{
		return true;
	}
	uint32_t i = 0;
	while (triangles[i] < meshlet->vertex_count)
	{
		i++;
	}
	return lrd_layout_fail(cursor,
		"meshlet %" PRIu32 ": triangle %" PRIu32 ": local vertex %u, but vertex_count is %" PRIu32, index, i / 3,
		triangles[i], meshlet->vertex_count);
}

static bool check_meshlets(const lrd_layout_cursor *cursor, const lrd_mesh_view *view)
{
	uint32_t vertices = 0;
	uint32_t triangles = 0;
	for (uint32_t i = 0; i < view->meshlet_count; i++)
	{
		const lrd_meshlet *meshlet = &view->meshlets[i];
		if (!check_run(cursor, i, "vertex", "meshlet_vertices", meshlet->vertex_offset, meshlet->vertex_count,
				LRD_MESHLET_MAX_VERTICES, vertices, view->meshlet_vertex_count) ||
			!check_run(cursor, i, "triangle", "meshlet_triangles", meshlet->triangle_offset, meshlet->triangle_count,
				LRD_MESHLET_MAX_TRIANGLES, triangles, view->meshlet_triangle_count) ||
			!check_meshlet_numbers(cursor, i, meshlet) || !check_local(cursor, view, i))
		{
			return false;
		}
		vertices += meshlet->vertex_count;
		triangles += meshlet->triangle_count;
	}
	if (vertices != view->meshlet_vertex_count || triangles != view->meshlet_triangle_count)
	{
		return lrd_layout_fail(cursor,
			"meshlets: have %" PRIu32 " vertices and %" PRIu32
			" triangles together, but meshlet_vertex_count is %" PRIu32 " and meshlet_triangle_count %" PRIu32,
			vertices, triangles, view->meshlet_vertex_count, view->meshlet_triangle_count);
	}
	return true;
}

/// One LOD: its meshlets follow those of the finer one, its triangles are theirs, its error grows.
static bool check_lod(const lrd_layout_cursor *cursor, const lrd_mesh_view *view, uint32_t index, uint32_t expected)
{
	const lrd_mesh_lod *lod = &view->lods[index];
	if (lod->meshlet_offset != expected || lod->meshlet_count < 1 ||
		lod->meshlet_count > view->meshlet_count - expected)
	{
		return lrd_layout_fail(cursor,
			"lod %" PRIu32 ": meshlet_offset %" PRIu32 ", meshlet_count %" PRIu32 "; expected are offset %" PRIu32
			" and 1 to %" PRIu32 " meshlets",
			index, lod->meshlet_offset, lod->meshlet_count, expected, view->meshlet_count - expected);
	}
	uint64_t triangles = 0;
	for (uint32_t i = 0; i < lod->meshlet_count; i++)
	{
		triangles += view->meshlets[expected + i].triangle_count;
	}
	if (lod->triangle_count != triangles)
	{
		return lrd_layout_fail(cursor, "lod %" PRIu32 ": triangle_count %" PRIu32 ", but its meshlets have %" PRIu64,
			index, lod->triangle_count, triangles);
	}
	float least = index == 0 ? 0.0f : view->lods[index - 1].error;
	if (!isfinite(lod->error) || lod->error < least || (index == 0 && lod->error != 0.0f))
	{
		return lrd_layout_fail(cursor,
			"lod %" PRIu32 ": error %g; the first is 0, none is below the one before it (%g)", index,
			(double)lod->error, (double)least);
	}
	return true;
}

bool lrd_mesh_check_topology(const lrd_layout_cursor *cursor, const lrd_mesh_view *view)
{
	if (!check_meshlets(cursor, view))
	{
		return false;
	}
	uint32_t covered = 0;
	for (uint32_t i = 0; i < view->lod_count; i++)
	{
		if (!check_lod(cursor, view, i, covered))
		{
			return false;
		}
		covered += view->lods[i].meshlet_count;
	}
	if (covered != view->meshlet_count)
	{
		return lrd_layout_fail(cursor, "lods: have %" PRIu32 " meshlets together, but meshlet_count is %" PRIu32,
			covered, view->meshlet_count);
	}
	return check_remap(cursor, view);
}

// Morph targets

/// Halves of deltas between unit vectors are at most 1 long: 32767, and what rounding adds on three axes. The lowest
/// int16, which is no snorm16, is too long alone.
static inline uint32_t half_delta_too_long(const int16_t half[4])
{
	uint32_t squared = (uint32_t)(half[0] * half[0]) + (uint32_t)(half[1] * half[1]) + (uint32_t)(half[2] * half[2]);
	return squared >= 1u << 30;
}

/// What is wrong with entry i of a target, or NULL.
static const char *entry_fault(const lrd_morph_entry *entries, uint32_t i, uint32_t vertex_count)
{
	if (entries[i].vertex >= vertex_count)
	{
		return "is past vertex_count";
	}
	if (i > 0 && entries[i].vertex <= entries[i - 1].vertex)
	{
		return "is not above the vertex before it";
	}
	if (!lrd_all_finite(entries[i].position, 3))
	{
		return "has a position delta that is not finite";
	}
	if ((entries[i].normal[3] | entries[i].tangent[3]) != 0)
	{
		return "has a fourth component that is not zero";
	}
	if ((half_delta_too_long(entries[i].normal) | half_delta_too_long(entries[i].tangent)) != 0)
	{
		return "has a normal or tangent delta that is longer than 2";
	}
	return NULL;
}

static uint32_t any_entry_wrong(const lrd_morph_entry *entries, uint32_t count)
{
	uint32_t bad = 0;
	int64_t before = -1;
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t words[8];
		memcpy(words, &entries[i], sizeof words);
		bad |= (int64_t)words[0] <= before;
		before = words[0];
		bad |= f32_not_finite(words[1]) | f32_not_finite(words[2]) | f32_not_finite(words[3]);
		bad |= (words[5] | words[7]) >> 16;
		bad |= half_delta_too_long(entries[i].normal) | half_delta_too_long(entries[i].tangent);
	}
	return bad;
}

static bool check_entries(const lrd_layout_cursor *cursor, const lrd_mesh_view *view, uint32_t index)
{
	const lrd_morph_target *morph = &view->morphs[index];
	uint32_t count = morph->entry_count;
	if (count == 0)
	{
		return true;
	}
	const lrd_morph_entry *entries = view->morph_entries + morph->entry_offset;
	if (any_entry_wrong(entries, count) == 0 && entries[count - 1].vertex < view->vertex_count)
	{
		return true;
	}
	uint32_t i = 0;
	while (entry_fault(entries, i, view->vertex_count) == NULL)
	{
		i++;
	}
	return lrd_layout_fail(cursor, "morph %" PRIu32 ": entry %" PRIu32 ": vertex %" PRIu32 " %s", index, i,
		entries[i].vertex, entry_fault(entries, i, view->vertex_count));
}

static bool check_morph(const lrd_layout_cursor *cursor, const lrd_mesh_view *view, uint32_t index, uint32_t expected)
{
	const lrd_morph_target *morph = &view->morphs[index];
	if (morph->entry_offset != expected || morph->entry_count > view->morph_entry_count - expected)
	{
		return lrd_layout_fail(cursor,
			"morph %" PRIu32 ": entry_offset %" PRIu32 ", entry_count %" PRIu32 "; expected are offset %" PRIu32
			" and at most %" PRIu32 " entries",
			index, morph->entry_offset, morph->entry_count, expected, view->morph_entry_count - expected);
	}
	if (!isfinite(morph->default_weight))
	{
		return lrd_layout_fail(cursor, "morph %" PRIu32 ": default_weight is not finite", index);
	}
	if (!lrd_layout_is_zero(morph->reserved, sizeof morph->reserved))
	{
		return lrd_layout_fail(cursor, "morph %" PRIu32 ": reserved must be zero", index);
	}
	return check_entries(cursor, view, index);
}

bool lrd_mesh_check_morphs(const lrd_layout_cursor *cursor, const lrd_mesh_view *view)
{
	uint32_t covered = 0;
	for (uint32_t i = 0; i < view->morph_count; i++)
	{
		if (!check_morph(cursor, view, i, covered))
		{
			return false;
		}
		covered += view->morphs[i].entry_count;
	}
	if (covered != view->morph_entry_count)
	{
		return lrd_layout_fail(cursor, "morphs: have %" PRIu32 " entries together, but morph_entry_count is %" PRIu32,
			covered, view->morph_entry_count);
	}
	return true;
}
