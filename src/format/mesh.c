// Reading .lmesh: the header, where its blocks lie, the vertex layout, and small questions about an open mesh. The
// checks over the large blocks are in mesh_check.c, the triangle list in mesh_indices.c.

#include "format/mesh.h"

#include "base/maths.h"
#include "base/memory.h"

#include <inttypes.h>

static const char *const stream_names[LRD_STREAM_COUNT] = { "position", "surface", "uv1", "skin" };

typedef struct semantic_rule
{
	const char *name;
	lrd_vertex_stream stream;
	uint32_t formats; // one bit a format
} semantic_rule;

static const semantic_rule semantic_rules[LRD_VERTEX_SEMANTIC_COUNT] = {
	[LRD_VERTEX_POSITION] = { "position", LRD_STREAM_POSITION, 1u << LRD_FORMAT_F32X3 | 1u << LRD_FORMAT_UNORM16X4 },
	[LRD_VERTEX_NORMAL] = { "normal", LRD_STREAM_SURFACE, 1u << LRD_FORMAT_OCT_SNORM16X2 },
	[LRD_VERTEX_TANGENT] = { "tangent", LRD_STREAM_SURFACE, 1u << LRD_FORMAT_OCT_TANGENT16X2 },
	[LRD_VERTEX_UV0] = { "uv0", LRD_STREAM_SURFACE, 1u << LRD_FORMAT_F32X2 | 1u << LRD_FORMAT_F16X2 },
	[LRD_VERTEX_COLOR] = { "color", LRD_STREAM_SURFACE, 1u << LRD_FORMAT_UNORM8X4 },
	[LRD_VERTEX_UV1] = { "uv1", LRD_STREAM_UV1, 1u << LRD_FORMAT_F32X2 | 1u << LRD_FORMAT_F16X2 },
	[LRD_VERTEX_JOINTS] = { "joints", LRD_STREAM_SKIN, 1u << LRD_FORMAT_UINT8X4 | 1u << LRD_FORMAT_UINT16X4 },
	[LRD_VERTEX_WEIGHTS] = { "weights", LRD_STREAM_SKIN,
		1u << LRD_FORMAT_UNORM8X4 | 1u << LRD_FORMAT_UNORM16X4_WEIGHTS },
};

static bool check_counts(const lrd_layout_cursor *cursor, const lrd_mesh_header *header)
{
	if ((header->flags & ~(uint32_t)LRD_MESH_ALL_FLAGS) != 0)
	{
		return lrd_layout_fail(cursor, "flags: found 0x%" PRIx32 ", known are 0x%x", header->flags, LRD_MESH_ALL_FLAGS);
	}
	if (header->vertex_count == 0)
	{
		return lrd_layout_fail(cursor, "vertex_count: a mesh has at least one vertex");
	}
	if (header->lod_count < 1 || header->lod_count > LRD_MESH_MAX_LODS)
	{
		return lrd_layout_fail(
			cursor, "lod_count: found %" PRIu32 ", allowed are 1 to %d", header->lod_count, LRD_MESH_MAX_LODS);
	}
	if (header->meshlet_triangle_count > UINT32_MAX / 3)
	{
		return lrd_layout_fail(cursor, "meshlet_triangle_count: found %" PRIu32 ", allowed are up to %" PRIu32,
			header->meshlet_triangle_count, UINT32_MAX / 3);
	}
	if (header->raytracing_lod_bias >= LRD_MESH_MAX_LODS)
	{
		return lrd_layout_fail(cursor, "raytracing_lod_bias: found %" PRIu32 ", allowed are 0 to %d",
			header->raytracing_lod_bias, LRD_MESH_MAX_LODS - 1);
	}
	if (header->reserved != 0)
	{
		return lrd_layout_fail(cursor, "reserved: bytes of the header that must be zero are not");
	}
	return true;
}

static bool check_density(const lrd_layout_cursor *cursor, const lrd_mesh_header *header)
{
	for (uint32_t set = 0; set < 2; set++)
	{
		float density = header->uv_density[set];
		if (!isfinite(density) || density < 0.0f)
		{
			return lrd_layout_fail(
				cursor, "uv_density: found %g of uv%" PRIu32 "; it is finite and not negative", (double)density, set);
		}
	}
	if (header->uv_density[1] != 0.0f && (header->flags & (uint32_t)LRD_MESH_UV1) == 0)
	{
		return lrd_layout_fail(
			cursor, "uv_density: found %g of uv1, which the mesh has not", (double)header->uv_density[1]);
	}
	return true;
}

/// What a flag says, and whether the file has what it speaks of.
static bool check_flag(
	const lrd_layout_cursor *cursor, const lrd_mesh_header *header, lrd_mesh_flag flag, const char *name, bool present)
{
	bool said = (header->flags & (uint32_t)flag) != 0;
	if (said == present)
	{
		return true;
	}
	return lrd_layout_fail(cursor, "flags: %s is %s, but the file has %s", name, said ? "set" : "not set",
		present ? "what it stands for" : "none of it");
}

static bool check_attribute(
	const lrd_layout_cursor *cursor, const lrd_mesh_header *header, uint32_t index, uint32_t *seen)
{
	const lrd_vertex_attribute *attribute = &header->attributes[index];
	if (attribute->semantic >= LRD_VERTEX_SEMANTIC_COUNT)
	{
		return lrd_layout_fail(cursor, "attribute %" PRIu32 ": semantic %u, known are 0 to %d", index,
			attribute->semantic, LRD_VERTEX_SEMANTIC_COUNT - 1);
	}
	const semantic_rule *rule = &semantic_rules[attribute->semantic];
	if ((*seen & 1u << attribute->semantic) != 0)
	{
		return lrd_layout_fail(cursor, "attribute %" PRIu32 ": a second %s", index, rule->name);
	}
	*seen |= 1u << attribute->semantic;
	if (attribute->format >= 32 || (rule->formats & 1u << attribute->format) == 0)
	{
		return lrd_layout_fail(
			cursor, "attribute %" PRIu32 ": format %u is none that %s has", index, attribute->format, rule->name);
	}
	if (attribute->stream != rule->stream)
	{
		return lrd_layout_fail(cursor, "attribute %" PRIu32 ": %s in stream %u, it belongs to %d (%s)", index,
			rule->name, attribute->stream, (int)rule->stream, stream_names[rule->stream]);
	}
	uint32_t end = attribute->offset + lrd_vertex_format_size((lrd_vertex_format)attribute->format);
	if (attribute->offset % 4 != 0 || end > header->stream_strides[attribute->stream])
	{
		return lrd_layout_fail(cursor,
			"attribute %" PRIu32 ": %s from byte %u to %" PRIu32 " of a vertex, which has %" PRIu32
			" bytes in steps of 4",
			index, rule->name, attribute->offset, end, header->stream_strides[attribute->stream]);
	}
	return true;
}

/// Attributes of one stream neither overlap nor leave bytes that mean nothing.
static bool check_cover(const lrd_layout_cursor *cursor, const lrd_mesh_header *header, uint32_t stream)
{
	uint64_t covered =
		0; // one bit for each four bytes of a vertex: strides that pass check_attribute's end stay below 64
	uint32_t bytes = 0;
	for (uint32_t i = 0; i < header->attribute_count; i++)
	{
		const lrd_vertex_attribute *attribute = &header->attributes[i];
		if (attribute->stream != stream)
		{
			continue;
		}
		uint32_t size = lrd_vertex_format_size((lrd_vertex_format)attribute->format);
		uint64_t mask = ((1ull << size / 4) - 1) << (attribute->offset / 4 % 64);
		if ((covered & mask) != 0)
		{
			return lrd_layout_fail(
				cursor, "attribute %" PRIu32 ": overlaps an earlier one in stream %s", i, stream_names[stream]);
		}
		covered |= mask;
		bytes += size;
	}
	if (bytes != header->stream_strides[stream])
	{
		return lrd_layout_fail(cursor,
			"stream %s: %" PRIu32 " bytes a vertex, but its attributes have %" PRIu32 " together", stream_names[stream],
			header->stream_strides[stream], bytes);
	}
	return true;
}

static bool check_layout(const lrd_layout_cursor *cursor, const lrd_mesh_header *header)
{
	if (header->attribute_count > LRD_VERTEX_SEMANTIC_COUNT)
	{
		return lrd_layout_fail(cursor, "attribute_count: found %" PRIu32 ", allowed are up to %d",
			header->attribute_count, LRD_VERTEX_SEMANTIC_COUNT);
	}
	uint32_t seen = 0;
	for (uint32_t i = 0; i < header->attribute_count; i++)
	{
		if (!check_attribute(cursor, header, i, &seen))
		{
			return false;
		}
	}
	const lrd_vertex_attribute *unused = header->attributes + header->attribute_count;
	if (!lrd_layout_is_zero(unused, sizeof *unused * (LRD_VERTEX_SEMANTIC_COUNT - header->attribute_count)))
	{
		return lrd_layout_fail(cursor, "attributes: rows past attribute_count must be zero");
	}
	for (uint32_t s = 0; s < LRD_VERTEX_SEMANTIC_COUNT; s++)
	{
		if (s <= LRD_VERTEX_COLOR && (seen & 1u << s) == 0)
		{
			return lrd_layout_fail(cursor, "attributes: no %s, which every mesh has", semantic_rules[s].name);
		}
	}
	for (uint32_t stream = 0; stream < LRD_STREAM_COUNT; stream++)
	{
		if (!check_cover(cursor, header, stream))
		{
			return false;
		}
	}
	bool joints = (seen & 1u << LRD_VERTEX_JOINTS) != 0;
	bool weights = (seen & 1u << LRD_VERTEX_WEIGHTS) != 0;
	if (joints != weights)
	{
		return lrd_layout_fail(cursor, "attributes: joints and weights come together");
	}
	return check_flag(cursor, header, LRD_MESH_SKINNED, "skinned", joints) &&
		   check_flag(cursor, header, LRD_MESH_UV1, "uv1", (seen & 1u << LRD_VERTEX_UV1) != 0) &&
		   check_flag(cursor, header, LRD_MESH_MORPHED, "morphed", header->morph_count > 0);
}

/// Eight bits or sixteen for both halves of the skin stream.
static bool check_skin_formats(const lrd_layout_cursor *cursor, const lrd_mesh_view *view)
{
	const lrd_vertex_attribute *joints = lrd_mesh_attribute(view, LRD_VERTEX_JOINTS);
	const lrd_vertex_attribute *weights = lrd_mesh_attribute(view, LRD_VERTEX_WEIGHTS);
	if (joints == NULL || (joints->format == LRD_FORMAT_UINT8X4) == (weights->format == LRD_FORMAT_UNORM8X4))
	{
		return true;
	}
	return lrd_layout_fail(cursor, "attributes: joints of format %u with weights of format %u; both have 8 bits or 16",
		joints->format, weights->format);
}

static bool check_quantisation(const lrd_layout_cursor *cursor, const lrd_mesh_view *view)
{
	bool quantised = lrd_mesh_attribute(view, LRD_VERTEX_POSITION)->format == LRD_FORMAT_UNORM16X4;
	for (uint32_t axis = 0; axis < 3; axis++)
	{
		float scale = view->position_scale[axis];
		float offset = view->position_offset[axis];
		if (!quantised && (scale != 1.0f || offset != 0.0f))
		{
			return lrd_layout_fail(cursor,
				"position_scale, position_offset: found %g, %g on axis %" PRIu32 ", but f32 positions have 1 and 0",
				(double)scale, (double)offset, axis);
		}
		if (!isfinite(scale) || !isfinite(offset) || scale < 0.0f)
		{
			return lrd_layout_fail(cursor,
				"position_scale, position_offset: found %g, %g on axis %" PRIu32
				"; both are finite, the scale is not negative",
				(double)scale, (double)offset, axis);
		}
	}
	return true;
}

static bool find_blocks(lrd_layout_cursor *cursor, const lrd_mesh_header *header, lrd_mesh_view *view)
{
	const void *lods, *meshlets, *vertices, *triangles, *morphs, *entries, *strings;
	if (!lrd_layout_next(cursor, "lods", header->lod_count, sizeof *view->lods, &lods) ||
		!lrd_layout_next(cursor, "meshlets", header->meshlet_count, sizeof *view->meshlets, &meshlets) ||
		!lrd_layout_next(cursor, "meshlet_vertices", header->meshlet_vertex_count, sizeof(uint32_t), &vertices) ||
		!lrd_layout_next(cursor, "meshlet_triangles", header->meshlet_triangle_count, 3, &triangles))
	{
		return false;
	}
	for (uint32_t s = 0; s < LRD_STREAM_COUNT; s++)
	{
		uint32_t stride = header->stream_strides[s];
		uint32_t count = stride == 0 ? 0 : header->vertex_count;
		view->streams[s].stride = stride;
		if (!lrd_layout_next(cursor, stream_names[s], count, stride, &view->streams[s].data))
		{
			return false;
		}
	}
	if (!lrd_layout_next(cursor, "morphs", header->morph_count, sizeof *view->morphs, &morphs) ||
		!lrd_layout_next(cursor, "morph_entries", header->morph_entry_count, sizeof *view->morph_entries, &entries) ||
		!lrd_layout_next(cursor, "strings", header->string_size, 1, &strings))
	{
		return false;
	}
	view->lods = lods;
	view->meshlets = meshlets;
	view->meshlet_vertices = vertices;
	view->meshlet_triangles = triangles;
	view->morphs = morphs;
	view->morph_entries = entries;
	view->strings = (lrd_string){ strings, header->string_size };
	return lrd_layout_end(cursor);
}

static void copy_header(const lrd_mesh_header *header, lrd_mesh_view *view)
{
	view->flags = header->flags;
	view->vertex_count = header->vertex_count;
	view->bounds = header->bounds;
	view->raytracing_lod_bias = header->raytracing_lod_bias;
	memcpy(view->position_scale, header->position_scale, sizeof view->position_scale);
	memcpy(view->position_offset, header->position_offset, sizeof view->position_offset);
	memcpy(view->uv_density, header->uv_density, sizeof view->uv_density);
	view->attributes = header->attributes;
	view->attribute_count = header->attribute_count;
	view->lod_count = header->lod_count;
	view->meshlet_count = header->meshlet_count;
	view->meshlet_vertex_count = header->meshlet_vertex_count;
	view->meshlet_triangle_count = header->meshlet_triangle_count;
	view->morph_count = header->morph_count;
	view->morph_entry_count = header->morph_entry_count;
}

static bool check_strings(const lrd_layout_cursor *cursor, const lrd_mesh_header *header, lrd_mesh_view *view)
{
	const lrd_layout_references references[] = {
		LRD_LAYOUT_TEXTS(NULL, "material", header, 1, lrd_mesh_header, material),
		LRD_LAYOUT_TEXTS("morph", "name", view->morphs, view->morph_count, lrd_morph_target, name),
	};
	if (!lrd_layout_check_texts(cursor, view->strings, references, sizeof references / sizeof *references))
	{
		return false;
	}
	view->material = lrd_layout_text(view->strings, header->material_offset, header->material_size);
	return lrd_layout_check_stem(cursor, "material", view->material);
}

bool lrd_mesh_open(const void *bytes, size_t size, lrd_mesh_view *view, lrd_error *error)
{
	lrd_layout_cursor cursor;
	if (!lrd_layout_open(
			&cursor, "lmesh", LRD_MESH_MAGIC, LRD_MESH_VERSION, sizeof(lrd_mesh_header), bytes, size, error))
	{
		return false;
	}
	const lrd_mesh_header *header = bytes;
	lrd_mesh_view found = { 0 };
	copy_header(header, &found);
	if (!check_counts(&cursor, header) || !check_layout(&cursor, header) || !check_density(&cursor, header) ||
		!find_blocks(&cursor, header, &found) || !check_skin_formats(&cursor, &found) ||
		!check_quantisation(&cursor, &found) || !lrd_layout_check_bounds(&cursor, &found.bounds) ||
		!check_strings(&cursor, header, &found) || !lrd_mesh_check_topology(&cursor, &found) ||
		!lrd_mesh_check_streams(&cursor, &found) || !lrd_mesh_check_morphs(&cursor, &found))
	{
		return false;
	}
	*view = found;
	return true;
}

lrd_string lrd_mesh_morph_name(const lrd_mesh_view *view, uint32_t morph)
{
	if (morph >= view->morph_count)
	{
		return (lrd_string){ NULL, 0 };
	}
	return lrd_layout_text(view->strings, view->morphs[morph].name_offset, view->morphs[morph].name_size);
}

const lrd_vertex_attribute *lrd_mesh_attribute(const lrd_mesh_view *view, lrd_vertex_semantic semantic)
{
	for (uint32_t i = 0; i < view->attribute_count; i++)
	{
		if (view->attributes[i].semantic == semantic)
		{
			return &view->attributes[i];
		}
	}
	return NULL;
}

uint32_t lrd_vertex_format_size(lrd_vertex_format format)
{
	switch (format)
	{
	case LRD_FORMAT_F32X2: return 8;
	case LRD_FORMAT_F32X3: return 12;
	case LRD_FORMAT_F16X2: return 4;
	case LRD_FORMAT_UNORM16X4: return 8;
	case LRD_FORMAT_OCT_SNORM16X2: return 4;
	case LRD_FORMAT_OCT_TANGENT16X2: return 4;
	case LRD_FORMAT_UNORM8X4: return 4;
	case LRD_FORMAT_UINT8X4: return 4;
	case LRD_FORMAT_UINT16X4: return 8;
	case LRD_FORMAT_UNORM16X4_WEIGHTS: return 8;
	}
	return 0;
}
