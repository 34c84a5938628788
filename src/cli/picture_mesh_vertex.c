// Reading vertices by the mesh's own table, with morph targets, skin and node applied, and walking a scene's meshlets.

#include "cli/picture_mesh.h"

#include <math.h>
#include <string.h>

/// IEEE 754 binary16, exactly.
static float from_half(uint16_t half)
{
	uint32_t exponent = half >> 10 & 31u;
	float fraction = (float)(half & 0x3ffu);
	float size = exponent == 0    ? ldexpf(fraction, -24)
				 : exponent == 31 ? INFINITY
								  : ldexpf(fraction + 1024.0f, (int)exponent - 25);
	return (half & 0x8000u) != 0 ? -size : size;
}

static const uint8_t *value_at(const cli_part *part, lrd_vertex_semantic semantic, uint32_t index)
{
	const cli_values *values = &part->values[semantic];
	return values->data != NULL ? values->data + values->stride * index : NULL;
}

static void read_position(const cli_part *part, uint32_t index, double position[3])
{
	const uint8_t *at = value_at(part, LRD_VERTEX_POSITION, index);
	float wide[3];
	uint16_t narrow[3];
	if (part->values[LRD_VERTEX_POSITION].format == LRD_FORMAT_F32X3)
	{
		memcpy(wide, at, sizeof wide);
		for (int i = 0; i < 3; ++i)
		{
			position[i] = wide[i];
		}
		return;
	}
	memcpy(narrow, at, sizeof narrow);
	for (int i = 0; i < 3; ++i)
	{
		position[i] =
			(double)narrow[i] / 65535.0 * part->mesh->position_scale[i] + (double)part->mesh->position_offset[i];
	}
}

static void read_uv(const cli_part *part, lrd_vertex_semantic semantic, uint32_t index, float uv[2])
{
	const uint8_t *at = value_at(part, semantic, index);
	uint16_t halves[2];
	uv[0] = uv[1] = 0.0f;
	if (at != NULL && part->values[semantic].format == LRD_FORMAT_F32X2)
	{
		memcpy(uv, at, 8);
	}
	else if (at != NULL)
	{
		memcpy(halves, at, sizeof halves);
		uv[0] = from_half(halves[0]);
		uv[1] = from_half(halves[1]);
	}
}

static void read_frame(const cli_part *part, uint32_t index, cli_vertex *vertex)
{
	int16_t oct[2];
	memcpy(oct, value_at(part, LRD_VERTEX_NORMAL, index), sizeof oct);
	lrd_vec3 normal = lrd_oct_decode(oct);
	memcpy(oct, value_at(part, LRD_VERTEX_TANGENT, index), sizeof oct);
	lrd_vec4 tangent = lrd_oct_tangent_decode(oct);
	memcpy(vertex->normal, &normal, sizeof vertex->normal);
	memcpy(vertex->tangent, &tangent, sizeof vertex->tangent);
}

static void read_skin(const cli_part *part, uint32_t index, cli_vertex *vertex)
{
	const uint8_t *joints = value_at(part, LRD_VERTEX_JOINTS, index);
	const uint8_t *weights = value_at(part, LRD_VERTEX_WEIGHTS, index);
	bool wide = part->values[LRD_VERTEX_JOINTS].format == LRD_FORMAT_UINT16X4;
	for (int i = 0; i < 4; ++i)
	{
		uint16_t joint = 0;
		uint16_t weight = 0;
		if (joints != NULL && wide)
		{
			memcpy(&joint, joints + i * 2, 2);
			memcpy(&weight, weights + i * 2, 2);
		}
		else if (joints != NULL)
		{
			joint = joints[i];
			weight = weights[i];
		}
		vertex->joints[i] = joint;
		vertex->joint_weights[i] = (float)weight / (wide ? 65535.0f : 255.0f);
	}
}

/// The entry of a target that moves a vertex, or NULL.
static const lrd_morph_entry *find_entry(const lrd_mesh_view *mesh, const lrd_morph_target *target, uint32_t vertex)
{
	if (target->entry_count == 0)
	{
		return NULL;
	}
	const lrd_morph_entry *entries = mesh->morph_entries + target->entry_offset;
	uint32_t first = 0;
	uint32_t end = target->entry_count;
	while (first < end)
	{
		uint32_t middle = first + (end - first) / 2;
		if (entries[middle].vertex < vertex)
		{
			first = middle + 1;
		}
		else
		{
			end = middle;
		}
	}
	return first < target->entry_count && entries[first].vertex == vertex ? &entries[first] : NULL;
}

static float weight_of(const cli_part *part, const cli_pose *pose, uint32_t morph)
{
	if (pose->has_morph)
	{
		return morph == pose->morph ? 1.0f : 0.0f;
	}
	return part->weights != NULL ? part->weights[morph] : part->mesh->morphs[morph].default_weight;
}

static void apply_morphs(const cli_part *part, const cli_pose *pose, uint32_t index, cli_vertex *vertex)
{
	const lrd_mesh_view *mesh = part->mesh;
	for (uint32_t m = 0; m < mesh->morph_count; ++m)
	{
		float weight = weight_of(part, pose, m);
		const lrd_morph_entry *entry = weight != 0.0f ? find_entry(mesh, &mesh->morphs[m], index) : NULL;
		for (int i = 0; entry != NULL && i < 3; ++i)
		{
			vertex->position[i] += (double)weight * entry->position[i];
			vertex->normal[i] += weight * 2.0f * (float)entry->normal[i] / 32767.0f;
			vertex->tangent[i] += weight * 2.0f * (float)entry->tangent[i] / 32767.0f;
		}
	}
}

/// The sum of a vertex's joints, by weight.
static cli_affine blend_joints(const cli_part *part, const cli_vertex *vertex)
{
	cli_affine sum = { { 0 } };
	for (int j = 0; j < 4; ++j)
	{
		if (vertex->joint_weights[j] == 0.0f || vertex->joints[j] >= part->palette_count)
		{
			continue;
		}
		const float *joint = part->palette[vertex->joints[j]].m;
		for (int i = 0; i < 12; ++i)
		{
			sum.m[i] += (double)vertex->joint_weights[j] * joint[i / 3 * 4 + i % 3];
		}
	}
	return sum;
}

static void set_unit(const double v[3], float unit[3])
{
	double most = fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
	double x = v[0] / most, y = v[1] / most, z = v[2] / most; // squares stay in range
	double length = sqrt(x * x + y * y + z * z);
	bool good = most > 0.0 && isfinite(most) && isfinite(length);
	unit[0] = good ? (float)(x / length) : 0.0f;
	unit[1] = good ? (float)(y / length) : 0.0f;
	unit[2] = good ? (float)(z / length) : 0.0f;
}

/// Move a vertex. Normals go by the transposed inverse, of which the length does not count: the matrix of cofactors,
/// turned round where the determinant is negative.
static void apply_affine(const cli_affine *affine, cli_vertex *vertex)
{
	const double *m = affine->m;
	const double *x = m, *y = m + 3, *z = m + 6;
	const double p[3] = { vertex->position[0], vertex->position[1], vertex->position[2] };
	const double n[3] = { vertex->normal[0], vertex->normal[1], vertex->normal[2] };
	const double t[3] = { vertex->tangent[0], vertex->tangent[1], vertex->tangent[2] };
	double normal[3];
	double tangent[3];
	double determinant = 0.0;
	for (int i = 0; i < 3; ++i)
	{
		int j = (i + 1) % 3, k = (i + 2) % 3;
		double yz = y[j] * z[k] - y[k] * z[j];
		double zx = z[j] * x[k] - z[k] * x[j];
		double xy = x[j] * y[k] - x[k] * y[j];
		determinant += x[i] * yz;
		normal[i] = yz * n[0] + zx * n[1] + xy * n[2];
		tangent[i] = x[i] * t[0] + y[i] * t[1] + z[i] * t[2];
		vertex->position[i] = x[i] * p[0] + y[i] * p[1] + z[i] * p[2] + m[9 + i];
	}
	for (int i = 0; i < 3 && determinant < 0.0; ++i)
	{
		normal[i] = -normal[i];
	}
	set_unit(normal, vertex->normal);
	set_unit(tangent, vertex->tangent);
}

void cli_read_vertex(const cli_part *part, const cli_pose *pose, uint32_t index, cli_vertex *vertex)
{
	const uint8_t *color = value_at(part, LRD_VERTEX_COLOR, index);
	read_position(part, index, vertex->position);
	read_frame(part, index, vertex);
	read_uv(part, LRD_VERTEX_UV0, index, vertex->uv[0]);
	read_uv(part, LRD_VERTEX_UV1, index, vertex->uv[1]);
	read_skin(part, index, vertex);
	for (int i = 0; i < 4; ++i)
	{
		vertex->color[i] = (float)color[i] / 255.0f;
	}
	apply_morphs(part, pose, index, vertex);
	cli_affine affine = part->palette != NULL ? blend_joints(part, vertex) : part->to_model;
	apply_affine(&affine, vertex);
}

static void walk_part(const cli_part *part, uint32_t lod, const cli_pose *pose, cli_meshlet_visit *visit, void *context)
{
	const lrd_mesh_view *mesh = part->mesh;
	const lrd_mesh_lod *level = &mesh->lods[lod < mesh->lod_count ? lod : mesh->lod_count - 1];
	cli_vertex vertices[LRD_MESHLET_MAX_VERTICES];
	for (uint32_t m = 0; m < level->meshlet_count; ++m)
	{
		const lrd_meshlet *meshlet = &mesh->meshlets[level->meshlet_offset + m];
		for (uint32_t v = 0; v < meshlet->vertex_count; ++v)
		{
			cli_read_vertex(part, pose, mesh->meshlet_vertices[meshlet->vertex_offset + v], &vertices[v]);
		}
		visit(context, part, meshlet, vertices, mesh->meshlet_triangles + (size_t)meshlet->triangle_offset * 3);
	}
}

void cli_scene_walk(const cli_scene *self, uint32_t lod, const cli_pose *pose, cli_meshlet_visit *visit, void *context)
{
	for (uint32_t i = 0; i < self->part_count; ++i)
	{
		walk_part(&self->parts[i], lod, pose, visit, context);
	}
}

cli_lod_sum cli_scene_sum(const cli_scene *self, uint32_t lod)
{
	cli_lod_sum sum = { 0 };
	for (uint32_t i = 0; i < self->part_count; ++i)
	{
		const lrd_mesh_view *mesh = self->parts[i].mesh;
		const lrd_mesh_lod *level = &mesh->lods[lod < mesh->lod_count ? lod : mesh->lod_count - 1];
		sum.triangles += level->triangle_count;
		sum.meshlets += level->meshlet_count;
		sum.error = fmaxf(sum.error, level->error);
	}
	return sum;
}
