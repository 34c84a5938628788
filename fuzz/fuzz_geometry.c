// Any bytes as a mesh, through every step of its cook: whatever its numbers are, each step ends, what it says holds, and
// the file that comes out is one that its reader takes.

#include "geometry/clusters.h"
#include "geometry/geometry.h"
#include "geometry/lods.h"
#include "larder/write.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// What one byte of the input says.
enum
{
	HAS_NORMALS = 1,
	HAS_UV = 2,
	HAS_SKIN = 4,
	HAS_MORPH = 8,
	GROUPED = 16,
	QUANTIZED = 32,
	CLUSTERED = 64,
	LOCKED = 128,
};

typedef struct source
{
	const uint8_t *data;
	size_t size, at;
} source;

static void check(bool holds)
{
	if (!holds)
	{
		abort();
	}
}

static uint8_t next_byte(source *self)
{
	return self->at < self->size ? self->data[self->at++] : 0;
}

// Mostly small steps, so that vertices meet and triangles lie in planes; some bytes are numbers that break things.
static float next_float(source *self)
{
	static const float odd[8] = { NAN, INFINITY, -INFINITY, 1e30f, -1e30f, 1e-30f, 3.4e38f, 1e-42f };
	uint8_t byte = next_byte(self);
	return byte >= 248 ? odd[byte - 248] : ((float)byte - 124.0f) / 16.0f;
}

static float *next_floats(source *self, lrd_arena *arena, size_t count)
{
	float *floats = LRD_ARENA_ARRAY(arena, float, count + 1);
	check(floats != NULL);
	for (size_t i = 0; i < count; i++)
	{
		floats[i] = next_float(self);
	}
	return floats;
}

static void read_skin(source *self, lrd_geometry *geometry)
{
	size_t count = (size_t)geometry->vertex_count * 4;
	geometry->joints = LRD_ARENA_ARRAY(geometry->arena, uint16_t, count);
	geometry->weights = LRD_ARENA_ARRAY(geometry->arena, float, count);
	check(geometry->joints != NULL && geometry->weights != NULL);
	for (size_t i = 0; i < count; i += 4)
	{
		uint8_t byte = next_byte(self);
		geometry->joints[i] = byte;
		geometry->joints[i + 1] = (uint16_t)(byte * 3);
		geometry->weights[i] = (float)byte / 255.0f;
		geometry->weights[i + 1] = 1.0f - geometry->weights[i];
	}
}

static void read_geometry(source *self, uint8_t flags, lrd_geometry *geometry)
{
	lrd_arena *arena = geometry->arena;
	uint32_t count = 3u + next_byte(self);
	geometry->vertex_count = count;
	geometry->positions = next_floats(self, arena, 3 * (size_t)count);
	geometry->normals = flags & HAS_NORMALS ? next_floats(self, arena, 3 * (size_t)count) : NULL;
	geometry->uv[0] = flags & HAS_UV ? next_floats(self, arena, 2 * (size_t)count) : NULL;
	if (flags & HAS_SKIN)
	{
		read_skin(self, geometry);
	}
	if (flags & HAS_MORPH)
	{
		geometry->morphs = LRD_ARENA_ARRAY(arena, lrd_geometry_morph, 1);
		check(geometry->morphs != NULL);
		geometry->morph_count = 1;
		geometry->morphs->positions = next_floats(self, arena, 3 * (size_t)count);
		geometry->morphs->normals = next_floats(self, arena, 3 * (size_t)count);
	}
	uint32_t triangles = (uint32_t)((self->size - self->at) / 3 + 1);
	geometry->index_count = 3 * triangles;
	geometry->indices = LRD_ARENA_ARRAY(arena, uint32_t, geometry->index_count);
	check(geometry->indices != NULL);
	for (uint32_t i = 0; i < geometry->index_count; i++)
	{
		geometry->indices[i] = next_byte(self) % count;
	}
}

static void check_indices(const lrd_geometry *geometry, const uint32_t *indices, uint32_t count)
{
	check(count % 3 == 0);
	for (uint32_t i = 0; i < count; i++)
	{
		check(indices[i] < geometry->vertex_count);
	}
}

static void complete_frame(lrd_geometry *geometry, uint8_t flags)
{
	if (geometry->normals == NULL)
	{
		uint32_t *groups = LRD_ARENA_ARRAY(geometry->arena, uint32_t, geometry->index_count / 3);
		check(groups != NULL);
		for (uint32_t t = 0; t < geometry->index_count / 3; t++)
		{
			groups[t] = t % 2 == 0 ? t % 5 : t * 2654435761u; // few sets of groups and many, at one position
		}
		check(lrd_geometry_smooth_normals(geometry, flags & GROUPED ? groups : NULL, NULL));
	}
	lrd_geometry_repair_normals(geometry);
	check(geometry->uv[0] != NULL ? lrd_geometry_tangents(geometry, 0, NULL, NULL)
								  : lrd_geometry_any_tangents(geometry, NULL));
	check(lrd_geometry_weld(geometry, NULL));
	check_indices(geometry, geometry->indices, geometry->index_count);
}

static void write_and_open(const lrd_geometry_streams *streams, const lrd_geometry *geometry,
	const lrd_geometry_meshlets *meshlets, uint8_t flags)
{
	lrd_mesh_lod lod = { .meshlet_count = meshlets->meshlet_count, .triangle_count = meshlets->triangle_count };
	lrd_mesh_view view = {
		.flags = (flags & HAS_SKIN ? LRD_MESH_SKINNED : 0u) | (flags & HAS_MORPH ? LRD_MESH_MORPHED : 0u),
		.vertex_count = geometry->vertex_count,
		.bounds = streams->bounds,
		.attributes = streams->attributes,
		.attribute_count = streams->attribute_count,
		.lods = &lod,
		.lod_count = 1,
		.meshlets = meshlets->meshlets,
		.meshlet_count = meshlets->meshlet_count,
		.meshlet_vertices = meshlets->vertices,
		.meshlet_vertex_count = meshlets->vertex_count,
		.meshlet_triangles = meshlets->triangles,
		.meshlet_triangle_count = meshlets->triangle_count,
		.morphs = streams->morphs,
		.morph_count = streams->morph_count,
		.morph_entries = streams->morph_entries,
		.morph_entry_count = streams->morph_entry_count,
	};
	memcpy(view.streams, streams->streams, sizeof view.streams);
	memcpy(view.position_scale, streams->position_scale, sizeof view.position_scale);
	memcpy(view.position_offset, streams->position_offset, sizeof view.position_offset);
	lrd_buffer out = { 0 };
	check(lrd_mesh_write(&view, &out, NULL)); // opens what it wrote
	lrd_buffer_free(&out);
}

static void finish(lrd_geometry *geometry, const lrd_geometry_grid *grid, uint8_t flags)
{
	lrd_geometry_meshlets meshlets;
	check(lrd_geometry_build_meshlets(geometry, &meshlets, NULL));
	check(meshlets.triangle_count * 3 == geometry->index_count);
	lrd_geometry_lod_desc desc = { .count = 6, .ratio = 0.5f, .error = 0.1f, .lock_borders = (flags & LOCKED) != 0 };
	lrd_geometry_lods lods;
	check(lrd_geometry_build_lods(geometry, &desc, &lods, NULL));
	float error = 0.0f;
	for (uint32_t i = 0; i < lods.count; i++)
	{
		const lrd_geometry_lod *lod = &lods.lods[i];
		check_indices(geometry, lod->indices, lod->index_count);
		check(lod->error >= error && isfinite(lod->error));
		error = lod->error;
		lrd_geometry_meshlets level;
		check(lrd_geometry_build_lod_meshlets(geometry, lod->indices, lod->index_count, &level, NULL));
	}
	bool cards = false;
	check(lrd_geometry_is_cards(geometry, &cards, NULL));
	lrd_geometry_streams streams;
	lrd_error failure = { 0 };
	if (lrd_geometry_pack(geometry, &(lrd_geometry_pack_desc){ .grid = grid }, &streams, &failure))
	{
		write_and_open(&streams, geometry, &meshlets, flags);
	}
	else
	{
		check(failure.code == LRD_ERROR_FORMAT || failure.code == LRD_ERROR_LIMIT);
	}
}

static void cut_and_finish(lrd_geometry *geometry, const lrd_geometry_grid *grid, uint8_t flags)
{
	lrd_geometry_cluster_desc desc = { .target_triangles = 40, .min_triangles = 8, .max_extent = 4.0f };
	lrd_geometry_clusters clusters;
	check(lrd_geometry_cluster(geometry, &desc, geometry->arena, &clusters, NULL));
	check(clusters.offsets[clusters.count] * 3 == geometry->index_count);
	for (uint32_t c = 0; c < clusters.count; c++)
	{
		uint32_t first = clusters.offsets[c];
		lrd_geometry part = { 0 };
		check(lrd_geometry_extract(
			geometry, clusters.triangles + first, clusters.offsets[c + 1] - first, geometry->arena, &part, NULL));
		finish(&part, grid, flags);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	source self = { data, size < 6000 ? size : 6000, 0 };
	uint8_t flags = next_byte(&self);
	lrd_geometry geometry = { .arena = lrd_arena_create((lrd_allocator){ 0 }, 0) };
	check(geometry.arena != NULL);
	lrd_geometry_grid grid = { 0 };
	read_geometry(&self, flags, &geometry);
	if (flags & QUANTIZED)
	{
		lrd_geometry_quantize(&geometry, lrd_geometry_grid_step(16.0f, 1e-3f), 1e-3f, &grid);
	}
	lrd_geometry_drop_degenerate(&geometry);
	if (geometry.index_count != 0)
	{
		complete_frame(&geometry, flags);
		(flags & CLUSTERED ? cut_and_finish : finish)(&geometry, &grid, flags);
	}
	lrd_arena_destroy(geometry.arena);
	return 0;
}
