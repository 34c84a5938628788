// Every allocation fails in turn: the call fails with a memory error, the geometry is still whole, nothing leaks. And
// how much memory the steps ask for.

#include "failing_allocator.h"
#include "fixtures/geometry_test.h"

#include "geometry/clusters.h"

typedef bool step(lrd_geometry *geometry, lrd_error *error);

static bool merge_step(lrd_geometry *geometry, lrd_error *error)
{
	lrd_geometry parts[2] = { *geometry, *geometry };
	return lrd_geometry_merge(geometry->arena, parts, 2, geometry, error);
}

static bool tangents_step(lrd_geometry *geometry, lrd_error *error)
{
	return lrd_geometry_tangents(geometry, 0, NULL, error);
}

static bool meshlets_step(lrd_geometry *geometry, lrd_error *error)
{
	lrd_geometry_meshlets meshlets;
	return lrd_geometry_build_meshlets(geometry, &meshlets, error);
}

static bool rigid_meshlets_step(lrd_geometry *geometry, lrd_error *error)
{
	geometry->joints = NULL;
	geometry->weights = NULL;
	return meshlets_step(geometry, error);
}

static bool pack_step(lrd_geometry *geometry, lrd_error *error)
{
	lrd_geometry_streams streams;
	return lrd_geometry_pack(geometry, NULL, &streams, error);
}

static bool quantised_pack_step(lrd_geometry *geometry, lrd_error *error)
{
	lrd_geometry moved = *geometry;
	lrd_geometry_streams streams;
	float positions[2000];
	float uv[2000];
	if (3 * geometry->vertex_count > 2000)
	{
		abort();
	}
	moved.positions = memcpy(positions, geometry->positions, 12 * geometry->vertex_count);
	moved.uv[0] = memcpy(uv, geometry->uv[0], 8 * geometry->vertex_count);
	lrd_geometry_grid grid;
	lrd_geometry_quantize(&moved, 1.0f / 4096.0f, 1.0f, &grid);
	return grid.positions && grid.uv &&
		   lrd_geometry_pack(&moved, &(lrd_geometry_pack_desc){ .grid = &grid }, &streams, error);
}

static bool cluster_step(lrd_geometry *geometry, lrd_error *error)
{
	lrd_geometry_clusters clusters = { .count = 77 };
	const lrd_geometry_cluster_desc desc = { .target_triangles = 10 };
	bool done = lrd_geometry_cluster(geometry, &desc, geometry->arena, &clusters, error);
	assert_true(done == (clusters.count != 77));
	return done;
}

static bool extract_step(lrd_geometry *geometry, lrd_error *error)
{
	lrd_geometry part = { .vertex_count = 77 };
	const uint32_t triangles[] = { 3, 8, 1, 300, 299 };
	bool done = lrd_geometry_extract(geometry, triangles, 5, geometry->arena, &part, error);
	assert_true(done == (part.vertex_count != 77));
	return done;
}

static bool cards_step(lrd_geometry *geometry, lrd_error *error)
{
	bool cards = true;
	bool done = lrd_geometry_is_cards(geometry, &cards, error);
	assert_true(done == !cards);
	return done;
}

static lrd_geometry make_subject(lrd_arena *in)
{
	lrd_geometry subject = shape_flipped_grid(in, 14, 14, 3);
	shape_dress(in, &subject, 2);
	if (!lrd_geometry_any_tangents(&subject, NULL))
	{
		abort();
	}
	return subject;
}

static void assert_whole(const lrd_geometry *geometry)
{
	for (uint32_t i = 0; i < geometry->index_count; i++)
	{
		assert_true(geometry->indices[i] < geometry->vertex_count);
	}
	lrd_geometry fresh = make_subject(arena);
	assert_int_equal(geometry->vertex_count, fresh.vertex_count);
	assert_memory_equal(geometry->positions, fresh.positions, 12 * fresh.vertex_count);
	assert_memory_equal(geometry->morphs[1].normals, fresh.morphs[1].normals, 12 * fresh.vertex_count);
	assert_memory_equal(geometry->tangents, fresh.tangents, 16 * fresh.vertex_count);
	assert_memory_equal(geometry->indices, fresh.indices, 4 * fresh.index_count);
}

static void fail_every_allocation_of(step *run)
{
	bool done = false;
	long long fail_at = 0;
	for (; !done; fail_at++)
	{
		assert_true(fail_at < 200);
		failing_allocator failing;
		failing_allocator_init(&failing, -1);
		lrd_arena *own = lrd_arena_create(failing_allocator_get(&failing), 1024);
		assert_non_null(own);
		lrd_geometry subject = make_subject(own);
		atomic_store(&failing.countdown, fail_at);
		lrd_error error = { LRD_OK, "" };
		done = run(&subject, &error);
		if (!done)
		{
			assert_int_equal(error.code, LRD_ERROR_MEMORY);
			assert_whole(&subject);
		}
		lrd_arena_destroy(own);
		assert_int_equal(atomic_load(&failing.bytes_out), 0);
	}
	assert_true(fail_at > 1);
}

static void a_merge_fails_cleanly(void **state)
{
	(void)state;
	fail_every_allocation_of(merge_step);
}

static void unindexing_fails_cleanly(void **state)
{
	(void)state;
	fail_every_allocation_of(lrd_geometry_unindex);
}

static bool smooth_normals(lrd_geometry *geometry, lrd_error *error)
{
	return lrd_geometry_smooth_normals(geometry, NULL, error);
}

static bool smooth_normals_by_groups(lrd_geometry *geometry, lrd_error *error)
{
	uint32_t groups[392];
	if (geometry->index_count != 3 * 392)
	{
		abort();
	}
	for (uint32_t t = 0; t < 392; t++)
	{
		groups[t] = t % 5;
	}
	return lrd_geometry_smooth_normals(geometry, groups, error);
}

static void smooth_normals_fail_cleanly(void **state)
{
	(void)state;
	fail_every_allocation_of(smooth_normals);
	fail_every_allocation_of(smooth_normals_by_groups);
}

// At one position all triangles meet, no two in the same groups.
static void smooth_normals_of_many_groups_fail_cleanly(void **state)
{
	(void)state;
	lrd_geometry fresh = shape_fan(arena, 5000);
	uint32_t groups[5000];
	for (uint32_t t = 0; t < 5000; t++)
	{
		groups[t] = t + 1;
	}
	bool done = false;
	long long fail_at = 0;
	for (; !done; fail_at++)
	{
		assert_true(fail_at < 100);
		failing_allocator failing;
		failing_allocator_init(&failing, -1);
		lrd_arena *own = lrd_arena_create(failing_allocator_get(&failing), 1024);
		lrd_geometry fan = shape_fan(own, 5000);
		atomic_store(&failing.countdown, fail_at);
		lrd_error error = { LRD_OK, "" };
		done = lrd_geometry_smooth_normals(&fan, groups, &error);
		if (!done)
		{
			assert_int_equal(error.code, LRD_ERROR_MEMORY);
			assert_int_equal(fan.vertex_count, fresh.vertex_count);
			assert_memory_equal(fan.normals, fresh.normals, 12 * fresh.vertex_count);
			assert_memory_equal(fan.indices, fresh.indices, 4 * fresh.index_count);
		}
		lrd_arena_destroy(own);
		assert_int_equal(atomic_load(&failing.bytes_out), 0);
	}
	assert_true(fail_at > 10); // each step had its turn
}

static void tangents_fail_cleanly(void **state)
{
	(void)state;
	fail_every_allocation_of(tangents_step);
}

// Rings of few corners and of many, split ones, and triangles whose orientation depends on the order of groups.
static lrd_geometry crowded_rings(lrd_arena *in)
{
	lrd_geometry parts[3] = { shape_flipped_grid(in, 14, 14, 3), shape_fan(in, 200), shape_soup(in, 300, 4, 9) };
	lrd_geometry rings;
	assert_true(lrd_geometry_merge(in, parts, 3, &rings, NULL));
	return rings;
}

static void tangents_of_crowded_rings_fail_cleanly(void **state)
{
	(void)state;
	lrd_geometry fresh = crowded_rings(arena);
	bool done = false;
	long long fail_at = 0;
	for (; !done; fail_at++)
	{
		assert_true(fail_at < 100);
		failing_allocator failing;
		failing_allocator_init(&failing, -1);
		lrd_arena *own = lrd_arena_create(failing_allocator_get(&failing), 1024);
		lrd_geometry rings = crowded_rings(own);
		atomic_store(&failing.countdown, fail_at);
		lrd_error error = { LRD_OK, "" };
		done = lrd_geometry_tangents(&rings, 0, NULL, &error);
		if (!done)
		{
			assert_int_equal(error.code, LRD_ERROR_MEMORY);
			assert_int_equal(rings.vertex_count, fresh.vertex_count);
			assert_null(rings.tangents);
			assert_memory_equal(rings.indices, fresh.indices, 4 * fresh.index_count);
			assert_memory_equal(rings.uv[0], fresh.uv[0], 8 * fresh.vertex_count);
		}
		lrd_arena_destroy(own);
		assert_int_equal(atomic_load(&failing.bytes_out), 0);
	}
	assert_true(fail_at > 30); // each step had its turn
}

static void welding_fails_cleanly(void **state)
{
	(void)state;
	fail_every_allocation_of(lrd_geometry_weld);
}

// Corners of which none equals another: the table of those found grows again and again.
static lrd_geometry distinct_corners(lrd_arena *in)
{
	lrd_geometry corners = shape_allocate(in, 3000, 3000);
	for (uint32_t i = 0; i < 3000; i++)
	{
		corners.positions[3 * i] = (float)i;
		corners.indices[i] = 2999 - i;
	}
	return corners;
}

static void welding_many_distinct_corners_fails_cleanly(void **state)
{
	(void)state;
	bool done = false;
	long long fail_at = 0;
	for (; !done; fail_at++)
	{
		assert_true(fail_at < 50);
		failing_allocator failing;
		failing_allocator_init(&failing, -1);
		lrd_arena *own = lrd_arena_create(failing_allocator_get(&failing), 0);
		lrd_geometry corners = distinct_corners(own);
		atomic_store(&failing.countdown, fail_at);
		lrd_error error = { LRD_OK, "" };
		done = lrd_geometry_weld(&corners, &error);
		assert_true(done || error.code == LRD_ERROR_MEMORY);
		assert_int_equal(corners.vertex_count, 3000);
		for (uint32_t i = 0; i < 3000; i++)
		{
			assert_true(corners.positions[3 * corners.indices[i]] == (float)(2999 - i));
		}
		lrd_arena_destroy(own);
		assert_int_equal(atomic_load(&failing.bytes_out), 0);
	}
	assert_true(fail_at > 4); // a first table, and two larger ones
}

static void meshlets_fail_cleanly(void **state)
{
	(void)state;
	fail_every_allocation_of(meshlets_step);
	fail_every_allocation_of(rigid_meshlets_step);
}

static void packing_fails_cleanly(void **state)
{
	(void)state;
	fail_every_allocation_of(pack_step);
	fail_every_allocation_of(quantised_pack_step);
}

static void clustering_fails_cleanly(void **state)
{
	(void)state;
	fail_every_allocation_of(cluster_step);
}

static void extracting_fails_cleanly(void **state)
{
	(void)state;
	fail_every_allocation_of(extract_step);
}

static void looking_for_cards_fails_cleanly(void **state)
{
	(void)state;
	fail_every_allocation_of(cards_step);
}

// The peak over what the geometry itself takes, as a multiple of that.
static double peak_of(step *run)
{
	failing_allocator failing;
	failing_allocator_init(&failing, -1);
	lrd_arena *own = lrd_arena_create(failing_allocator_get(&failing), 0);
	assert_non_null(own);
	lrd_geometry grid = shape_grid(own, 300, 300);
	assert_true(lrd_geometry_any_tangents(&grid, NULL));
	double before = (double)atomic_load(&failing.bytes_out);
	assert_true(run(&grid, NULL));
	double peak = (double)atomic_load(&failing.bytes_peak);
	lrd_arena_destroy(own);
	return peak / before;
}

static void temporaries_stay_within_a_few_times_the_mesh(void **state)
{
	(void)state;
	assert_true(peak_of(tangents_step) < 2.0);
	assert_true(peak_of(lrd_geometry_weld) < 3.0);
	assert_true(peak_of(smooth_normals) < 3.0);
	assert_true(peak_of(meshlets_step) < 5.0);
	assert_true(peak_of(pack_step) < 3.0);
}

static void welding_does_not_grow_the_arena(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 50, 50);
	size_t before = lrd_arena_size(arena);
	assert_true(lrd_geometry_weld(&grid, NULL));
	assert_int_equal(lrd_arena_size(arena), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GEOMETRY_TEST(a_merge_fails_cleanly),
		GEOMETRY_TEST(unindexing_fails_cleanly),
		GEOMETRY_TEST(smooth_normals_fail_cleanly),
		GEOMETRY_TEST(smooth_normals_of_many_groups_fail_cleanly),
		GEOMETRY_TEST(tangents_fail_cleanly),
		GEOMETRY_TEST(tangents_of_crowded_rings_fail_cleanly),
		GEOMETRY_TEST(welding_fails_cleanly),
		GEOMETRY_TEST(welding_many_distinct_corners_fails_cleanly),
		GEOMETRY_TEST(meshlets_fail_cleanly),
		GEOMETRY_TEST(packing_fails_cleanly),
		GEOMETRY_TEST(clustering_fails_cleanly),
		GEOMETRY_TEST(extracting_fails_cleanly),
		GEOMETRY_TEST(looking_for_cards_fails_cleanly),
		GEOMETRY_TEST(temporaries_stay_within_a_few_times_the_mesh),
		GEOMETRY_TEST(welding_does_not_grow_the_arena),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
