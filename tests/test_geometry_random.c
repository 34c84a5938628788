// Random meshes through every step that moves triangles and vertices about: none is lost, none is made, none is turned
// round. A failure tells the seed of its mesh.

#include "fixtures/geometry_test.h"
#include "fixtures/geometry_view.h"

#include "geometry/clusters.h"
#include "geometry/vertices.h"

#include <stdlib.h>

#define SEEDS 60u

static uint32_t seed;

#define CHECK(condition)                                                                                               \
	do                                                                                                                 \
	{                                                                                                                  \
		if (!(condition))                                                                                              \
		{                                                                                                              \
			fail_msg("seed %u: %s", seed, #condition);                                                                 \
		}                                                                                                              \
	} while (0)

typedef void property(lrd_geometry *geometry, shape_random *random);

static void shuffle_triangles(lrd_geometry *geometry, shape_random *random)
{
	for (uint32_t t = geometry->index_count / 3; t > 1; t--)
	{
		uint32_t other = shape_random_next(random) % t;
		uint32_t kept[3];
		memcpy(kept, geometry->indices + 3 * (size_t)other, sizeof kept);
		memcpy(geometry->indices + 3 * (size_t)other, geometry->indices + 3 * (size_t)(t - 1), sizeof kept);
		memcpy(geometry->indices + 3 * (size_t)(t - 1), kept, sizeof kept);
	}
}

// A soup, a terrain or a bumpy ball; small or large, near or far, with all attributes or few.
static lrd_geometry random_geometry(shape_random *random)
{
	uint32_t kind = seed % 4;
	uint32_t size = 2 + shape_random_next(random) % 40;
	lrd_geometry geometry = kind == 0   ? shape_soup(arena, 30 * size, 3 + 5 * size, seed)
							: kind == 1 ? shape_grid(arena, size, 3 + size / 2)
							: kind == 2 ? shape_sphere(arena, 3 + size, 2 + size)
										: shape_flipped_grid(arena, size, size, seed);
	float scale = ldexpf(1.0f, (int)(shape_random_next(random) % 20) - 10);
	float far = shape_random_next(random) % 3 == 0 ? 100.0f * scale : 0.0f;
	for (size_t i = 0; i < 3 * (size_t)geometry.vertex_count; i++)
	{
		float bump = shape_random_float(random, -0.02f, 0.02f);
		geometry.positions[i] = (geometry.positions[i] + (kind == 2 ? bump / (float)size : 0.0f)) * scale + far;
	}
	if (shape_random_next(random) % 2 == 0)
	{
		shape_dress(arena, &geometry, shape_random_next(random) % 3);
	}
	if (shape_random_next(random) % 3 == 0)
	{
		shuffle_triangles(&geometry, random);
	}
	if (shape_random_next(random) % 3 == 0)
	{
		CHECK(lrd_geometry_unindex(&geometry, NULL));
	}
	CHECK(lrd_geometry_any_tangents(&geometry, NULL));
	return geometry;
}

static void for_random_geometries(property *holds)
{
	print_message("seeds 1 to %u\n", SEEDS);
	for (seed = 1; seed <= SEEDS; seed++)
	{
		shape_random random = { seed * 2654435761u };
		lrd_geometry geometry = random_geometry(&random);
		holds(&geometry, &random);
		lrd_arena_reset(arena);
	}
}

// Triangles by all that their corners hold, one after another, the smallest turn of the three first: equal for equal
// triangles, whatever their vertices are called.
typedef struct triangle_set
{
	uint8_t *keys;
	size_t corner_size; // bytes
	size_t count;
	size_t room;
} triangle_set;

static size_t compared_size;

static int compare_keys(const void *a, const void *b)
{
	return memcmp(a, b, compared_size);
}

static size_t write_corner(const lrd_geometry *geometry, uint32_t vertex, uint8_t *to)
{
	size_t size = 0;
	for (size_t array = 0; array < lrd_geometry_array_count(geometry); array++)
	{
		size_t stride = 0;
		const uint8_t *data = lrd_geometry_array_get(geometry, array, &stride);
		if (data != NULL)
		{
			memcpy(to + size, data + vertex * stride, stride);
			size += stride;
		}
	}
	return size;
}

static triangle_set open_set(const lrd_geometry *geometry, size_t room)
{
	uint8_t corner[512];
	triangle_set set = { .room = room };
	set.corner_size = geometry->vertex_count == 0 ? 0 : write_corner(geometry, 0, corner);
	CHECK(set.corner_size <= sizeof corner);
	set.keys = lrd_arena_zeroed(arena, room + 1, 3 * set.corner_size);
	CHECK(set.keys != NULL);
	return set;
}

static void add_triangles(
	triangle_set *set, const lrd_geometry *geometry, const uint32_t *indices, uint32_t index_count)
{
	size_t size = set->corner_size;
	uint8_t turned[3 * 512];
	for (uint32_t t = 0; t < index_count / 3; t++)
	{
		CHECK(set->count < set->room);
		uint8_t *key = set->keys + set->count++ * 3 * size;
		for (uint32_t turn = 0; turn < 3; turn++)
		{
			for (uint32_t corner = 0; corner < 3; corner++)
			{
				uint32_t vertex = indices[3 * (size_t)t + (corner + turn) % 3];
				CHECK(vertex < geometry->vertex_count);
				CHECK(write_corner(geometry, vertex, turned + corner * size) == size);
			}
			if (turn == 0 || memcmp(turned, key, 3 * size) < 0)
			{
				memcpy(key, turned, 3 * size);
			}
		}
	}
}

static void close_set(triangle_set *set)
{
	compared_size = 3 * set->corner_size;
	qsort(set->keys, set->count, compared_size, compare_keys);
}

static triangle_set set_of(const lrd_geometry *geometry)
{
	triangle_set set = open_set(geometry, geometry->index_count / 3);
	add_triangles(&set, geometry, geometry->indices, geometry->index_count);
	close_set(&set);
	return set;
}

static void check_equal(const triangle_set *a, const triangle_set *b)
{
	CHECK(a->count == b->count);
	CHECK(a->count == 0 || memcmp(a->keys, b->keys, a->count * 3 * a->corner_size) == 0);
}

static void check_first_use(const uint32_t *indices, uint32_t index_count, uint32_t vertex_count)
{
	uint32_t next = 0;
	for (uint32_t i = 0; i < index_count; i++)
	{
		CHECK(indices[i] <= next);
		next += indices[i] == next;
	}
	CHECK(next == vertex_count);
}

static void welding_keeps_triangles(lrd_geometry *geometry, shape_random *random)
{
	(void)random;
	triangle_set before = set_of(geometry);
	CHECK(lrd_geometry_weld(geometry, NULL));
	triangle_set after = set_of(geometry);
	check_equal(&before, &after);
	check_first_use(geometry->indices, geometry->index_count, geometry->vertex_count);
	// No two vertices are left that are equal.
	size_t size = before.corner_size;
	uint8_t *corners = lrd_arena_zeroed(arena, geometry->vertex_count + 1, size);
	for (uint32_t v = 0; v < geometry->vertex_count; v++)
	{
		write_corner(geometry, v, corners + v * size);
	}
	compared_size = size;
	qsort(corners, geometry->vertex_count, size, compare_keys);
	for (uint32_t v = 1; v < geometry->vertex_count; v++)
	{
		CHECK(memcmp(corners + (v - 1) * size, corners + v * size, size) != 0);
	}
}

static void a_random_mesh_is_welded_without_loss(void **state)
{
	(void)state;
	for_random_geometries(welding_keeps_triangles);
}

static void clusters_keep_triangles(lrd_geometry *geometry, shape_random *random)
{
	triangle_set before = set_of(geometry);
	triangle_set after = open_set(geometry, before.count);
	const lrd_geometry_cluster_desc desc = { .target_triangles = 1 + shape_random_next(random) % 500,
		.min_triangles = shape_random_next(random) % 100,
		.max_extent = shape_random_next(random) % 2 == 0 ? 0.0f : shape_random_float(random, 0.0f, 2.0f) };
	lrd_geometry_clusters clusters;
	CHECK(lrd_geometry_cluster(geometry, &desc, arena, &clusters, NULL));
	for (uint32_t c = 0; c < clusters.count; c++)
	{
		const uint32_t *triangles = clusters.triangles + clusters.offsets[c];
		uint32_t count = clusters.offsets[c + 1] - clusters.offsets[c];
		lrd_geometry part;
		CHECK(lrd_geometry_extract(geometry, triangles, count, arena, &part, NULL));
		check_first_use(part.indices, part.index_count, part.vertex_count);
		add_triangles(&after, &part, part.indices, part.index_count);
	}
	close_set(&after);
	check_equal(&before, &after);
}

static void a_random_mesh_is_the_sum_of_its_clusters(void **state)
{
	(void)state;
	for_random_geometries(clusters_keep_triangles);
}

static double distance_between(const float *a, const float *b)
{
	double squared = 0.0;
	for (int axis = 0; axis < 3; axis++)
	{
		squared += ((double)a[axis] - (double)b[axis]) * ((double)a[axis] - (double)b[axis]);
	}
	return sqrt(squared);
}

// Within limits, back to back, the triangles they say, inside their spheres.
static void check_meshlets(const lrd_geometry *geometry, const lrd_geometry_meshlets *meshlets, triangle_set *set)
{
	uint32_t vertices = 0;
	uint32_t triangles = 0;
	for (uint32_t m = 0; m < meshlets->meshlet_count; m++)
	{
		const lrd_meshlet *meshlet = &meshlets->meshlets[m];
		CHECK(meshlet->vertex_offset == vertices && meshlet->triangle_offset == triangles);
		CHECK(meshlet->vertex_count >= 1 && meshlet->vertex_count <= LRD_MESHLET_MAX_VERTICES);
		CHECK(meshlet->triangle_count >= 1 && meshlet->triangle_count <= LRD_MESHLET_MAX_TRIANGLES);
		for (uint32_t i = 0; i < meshlet->vertex_count; i++)
		{
			uint32_t vertex = meshlets->vertices[vertices + i];
			CHECK(vertex < geometry->vertex_count);
			CHECK(
				distance_between(geometry->positions + 3 * (size_t)vertex, meshlet->centre) <= (double)meshlet->radius);
		}
		for (uint32_t t = 0; t < meshlet->triangle_count; t++)
		{
			const uint8_t *local = meshlets->triangles + 3 * ((size_t)triangles + t);
			CHECK(local[0] < meshlet->vertex_count && local[1] < meshlet->vertex_count &&
				  local[2] < meshlet->vertex_count);
			const uint32_t corners[3] = { meshlets->vertices[vertices + local[0]],
				meshlets->vertices[vertices + local[1]], meshlets->vertices[vertices + local[2]] };
			add_triangles(set, geometry, corners, 3);
		}
		vertices += meshlet->vertex_count;
		triangles += meshlet->triangle_count;
	}
	CHECK(vertices == meshlets->vertex_count && triangles == meshlets->triangle_count);
	close_set(set);
}

static void meshlets_keep_triangles(lrd_geometry *geometry, shape_random *random)
{
	(void)random;
	triangle_set before = set_of(geometry);
	triangle_set within = open_set(geometry, before.count);
	lrd_geometry_meshlets meshlets;
	CHECK(lrd_geometry_weld(geometry, NULL)); // so that all vertices are in use
	CHECK(lrd_geometry_build_meshlets(geometry, &meshlets, NULL));
	triangle_set after = set_of(geometry);
	check_equal(&before, &after);
	check_meshlets(geometry, &meshlets, &within);
	check_equal(&before, &within);
	check_first_use(meshlets.vertices, meshlets.vertex_count, geometry->vertex_count);
}

static void a_random_mesh_is_the_sum_of_its_meshlets(void **state)
{
	(void)state;
	for_random_geometries(meshlets_keep_triangles);
}

static void lod_meshlets_keep_triangles(lrd_geometry *geometry, shape_random *random)
{
	lrd_geometry_meshlets meshlets;
	CHECK(lrd_geometry_build_meshlets(geometry, &meshlets, NULL));
	// Any triangles over the same vertices will do.
	uint32_t count = geometry->index_count / 3 / 2;
	uint32_t *indices = lrd_arena_alloc(arena, 3 * (size_t)count * sizeof *indices);
	for (uint32_t i = 0; i < 3 * count; i++)
	{
		uint32_t from = shape_random_next(random) % geometry->index_count;
		indices[i] = i % 9 < 6 ? geometry->indices[i] : geometry->indices[from];
	}
	triangle_set before = open_set(geometry, count);
	triangle_set within = open_set(geometry, count);
	add_triangles(&before, geometry, indices, 3 * count);
	close_set(&before);
	CHECK(lrd_geometry_build_lod_meshlets(geometry, indices, 3 * count, &meshlets, NULL));
	check_meshlets(geometry, &meshlets, &within);
	check_equal(&before, &within);
}

static void a_random_lod_is_the_sum_of_its_meshlets(void **state)
{
	(void)state;
	for_random_geometries(lod_meshlets_keep_triangles);
}

static void files_keep_triangles(lrd_geometry *geometry, shape_random *random)
{
	(void)random;
	lrd_geometry_meshlets meshlets;
	lrd_geometry_streams streams;
	lrd_mesh_lod lod;
	CHECK(lrd_geometry_weld(geometry, NULL));
	triangle_set before = set_of(geometry);
	CHECK(lrd_geometry_build_meshlets(geometry, &meshlets, NULL));
	CHECK(lrd_geometry_pack(geometry, NULL, &streams, NULL));
	lrd_mesh_view mesh = geometry_view(geometry, &meshlets, &streams, &lod);
	lrd_buffer file = { 0 };
	lrd_error error;
	mesh.morph_count = mesh.morph_entry_count = 0; // they have no names here
	mesh.flags &= ~(uint32_t)LRD_MESH_MORPHED;
	if (!lrd_mesh_write(&mesh, &file, &error))
	{
		fail_msg("seed %u: %s", seed, error.message);
	}
	lrd_mesh_view read;
	CHECK(lrd_mesh_open(file.data, file.size, &read, &error));
	CHECK(lrd_mesh_index_count(&read, 0) == geometry->index_count);
	uint32_t *indices = lrd_arena_alloc(arena, geometry->index_count * sizeof *indices);
	lrd_mesh_write_indices(&read, 0, indices);
	triangle_set after = open_set(geometry, before.count);
	add_triangles(&after, geometry, indices, geometry->index_count);
	close_set(&after);
	check_equal(&before, &after);
	check_first_use(indices, geometry->index_count, geometry->vertex_count);
	CHECK(memcmp(read.streams[LRD_STREAM_POSITION].data, geometry->positions, 12 * geometry->vertex_count) == 0);
	lrd_buffer_free(&file);
}

static void a_random_mesh_is_read_as_it_was_written(void **state)
{
	(void)state;
	for_random_geometries(files_keep_triangles);
}

// How much of a triangle an eye sees: the sine of the angle above its plane, negative from behind.
static double seen_by(const lrd_geometry *geometry, const uint32_t *corners, const double eye[3])
{
	double cross[3];
	lrd_vec3 a = vec3_at(geometry->positions, corners[0]);
	lrd_triangle_cross(a, vec3_at(geometry->positions, corners[1]), vec3_at(geometry->positions, corners[2]), cross);
	const double to[3] = { eye[0] - (double)a.x, eye[1] - (double)a.y, eye[2] - (double)a.z };
	double lengths = sqrt((cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]) *
						  (to[0] * to[0] + to[1] * to[1] + to[2] * to[2]));
	return lengths > 0.0 ? (cross[0] * to[0] + cross[1] * to[1] + cross[2] * to[2]) / lengths : 0.0;
}

// As the header says it, in floats as a shader would.
static bool cone_culls(const lrd_meshlet *meshlet, const double eye[3])
{
	lrd_vec3 to = { meshlet->cone_apex[0] - (float)eye[0], meshlet->cone_apex[1] - (float)eye[1],
		meshlet->cone_apex[2] - (float)eye[2] };
	lrd_vec3 axis = vec3_at(meshlet->cone_axis, 0);
	return lrd_vec3_dot(lrd_vec3_normalize_or(to, (lrd_vec3){ 0 }), axis) >= meshlet->cone_cutoff;
}

// Anywhere about the meshlet, or where its cone just begins to cull.
static void random_eye(const lrd_meshlet *meshlet, shape_random *random, uint32_t number, double eye[3])
{
	double away = ldexp((double)meshlet->radius, (int)(number % 6) - 1);
	double direction[3];
	for (int axis = 0; axis < 3; axis++)
	{
		direction[axis] = (double)shape_random_float(random, -1.0f, 1.0f);
	}
	if (number % 2 == 0)
	{
		for (int axis = 0; axis < 3; axis++)
		{
			eye[axis] = (double)meshlet->centre[axis] + away * direction[axis];
		}
		return;
	}
	const float *along = meshlet->cone_axis;
	double dot = direction[0] * (double)along[0] + direction[1] * (double)along[1] + direction[2] * (double)along[2];
	double squared = 0.0;
	for (int axis = 0; axis < 3; axis++)
	{
		direction[axis] -= dot * (double)along[axis];
		squared += direction[axis] * direction[axis];
	}
	double cosine = (double)meshlet->cone_cutoff + (double)shape_random_float(random, 0.0f, 1e-4f);
	double sine = sqrt(fmax(1.0 - cosine * cosine, 0.0) / squared);
	for (int axis = 0; axis < 3; axis++)
	{
		eye[axis] = (double)meshlet->cone_apex[axis] - away * (cosine * (double)along[axis] + sine * direction[axis]);
	}
}

static uint32_t culled_by_cones;

static void cones_cull_nothing_visible(lrd_geometry *geometry, shape_random *random)
{
	lrd_geometry_meshlets meshlets;
	lrd_geometry_drop_degenerate(geometry);
	CHECK(lrd_geometry_weld(geometry, NULL));
	CHECK(lrd_geometry_build_meshlets(geometry, &meshlets, NULL));
	for (uint32_t m = 0; m < meshlets.meshlet_count; m++)
	{
		const lrd_meshlet *meshlet = &meshlets.meshlets[m];
		for (uint32_t e = 0; e < 60 && meshlet->cone_cutoff < 1.0f; e++)
		{
			double eye[3];
			random_eye(meshlet, random, e, eye);
			if (!cone_culls(meshlet, eye))
			{
				continue;
			}
			culled_by_cones++;
			for (uint32_t t = 0; t < meshlet->triangle_count; t++)
			{
				const uint32_t *corners = geometry->indices + 3 * ((size_t)meshlet->triangle_offset + t);
				CHECK(seen_by(geometry, corners, eye) <= 0.0);
			}
		}
	}
}

static void a_random_meshs_cones_never_cull_what_is_seen(void **state)
{
	(void)state;
	for_random_geometries(cones_cull_nothing_visible);
	print_message("%u culled\n", culled_by_cones);
	assert_true(culled_by_cones > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GEOMETRY_TEST(a_random_mesh_is_welded_without_loss),
		GEOMETRY_TEST(a_random_mesh_is_the_sum_of_its_clusters),
		GEOMETRY_TEST(a_random_mesh_is_the_sum_of_its_meshlets),
		GEOMETRY_TEST(a_random_lod_is_the_sum_of_its_meshlets),
		GEOMETRY_TEST(a_random_mesh_is_read_as_it_was_written),
		GEOMETRY_TEST(a_random_meshs_cones_never_cull_what_is_seen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
