// The chain of LODs: how many, of what, and what never happens to them.

#include "failing_allocator.h"
#include "fixtures/geometry_test.h"
#include "fixtures/lod_shapes.h"

#include <stdlib.h>

static lrd_geometry_lods build(const lrd_geometry *geometry, const lrd_geometry_lod_desc *desc)
{
	lrd_geometry_lods lods;
	lrd_error error;
	if (!lrd_geometry_build_lods(geometry, desc, &lods, &error))
	{
		fail_msg("%s", error.message);
	}
	return lods;
}

static const lrd_geometry_lod_desc usual = { .count = 8, .ratio = 0.5f, .error = 0.05f };
static const lrd_geometry_lod_desc locked = { .count = 8, .ratio = 0.5f, .error = 0.05f, .lock_borders = true };

// What holds of any chain.
static void assert_sound(const lrd_geometry *geometry, const lrd_geometry_lod_desc *desc, const lrd_geometry_lods *lods)
{
	uint32_t before = geometry->index_count;
	float error = 0.0f;
	assert_true(lods->count < desc->count);
	for (uint32_t level = 0; level < lods->count; level++)
	{
		const lrd_geometry_lod *lod = &lods->lods[level];
		assert_true(lod->index_count % 3 == 0 && lod->index_count != 0);
		assert_true((double)lod->index_count <= 0.9001 * (double)before);
		assert_true(isfinite(lod->error) && lod->error >= error);
		for (uint32_t i = 0; i < lod->index_count; i++)
		{
			assert_true(lod->indices[i] < geometry->vertex_count);
		}
		before = lod->index_count;
		error = lod->error;
	}
}

static void a_geometry_of_few_triangles_has_no_lod(void **state)
{
	(void)state;
	lrd_geometry grid = lod_shape_flat(arena, 5);
	assert_true(grid.index_count / 3 <= LRD_LOD_LEAST_TRIANGLES);
	assert_int_equal(build(&grid, &usual).count, 0);
}

static void one_level_means_no_lod(void **state)
{
	(void)state;
	lrd_geometry grid = lod_shape_bumpy(arena, 30, 0.01f, 1);
	assert_int_equal(build(&grid, &(lrd_geometry_lod_desc){ .count = 1, .ratio = 0.5f, .error = 0.05f }).count, 0);
}

// Each of its triangles would be looked at for each other.
static void too_many_triangles_around_one_point_leave_no_lod(void **state)
{
	(void)state;
	lrd_geometry crowded = shape_fan(arena, 6000);
	lrd_geometry_lods lods = build(&crowded, &usual);
	assert_int_equal(lods.count, 0);
	assert_int_equal(lods.crowd, 6000);
	lrd_geometry full = shape_fan(arena, 400);
	lods = build(&full, &usual);
	assert_true(lods.count > 0);
	assert_int_equal(lods.crowd, 0);
}

static void each_lod_has_about_half_the_triangles(void **state)
{
	(void)state;
	lrd_geometry grid = lod_shape_bumpy(arena, 60, 0.002f, 2);
	lrd_geometry_lods lods = build(&grid, &usual);
	assert_sound(&grid, &usual, &lods);
	assert_int_equal(lods.count, 7);
	uint32_t before = grid.index_count;
	for (uint32_t level = 0; level < 5; level++)
	{
		assert_in_range(lods.lods[level].index_count, before * 4 / 10, before * 6 / 10);
		before = lods.lods[level].index_count;
	}
}

static void the_ratio_is_followed(void **state)
{
	(void)state;
	lrd_geometry grid = lod_shape_bumpy(arena, 60, 0.002f, 2);
	lrd_geometry_lods lods = build(&grid, &(lrd_geometry_lod_desc){ .count = 2, .ratio = 0.25f, .error = 0.05f });
	assert_int_equal(lods.count, 1);
	assert_in_range(lods.lods[0].index_count, grid.index_count / 5, grid.index_count * 3 / 10);
}

static void no_error_exceeds_the_limit(void **state)
{
	(void)state;
	const float limits[] = { 0.002f, 0.01f, 0.05f };
	lrd_geometry torus = lod_shape_torus(arena, 60, 120); // 2.8 wide
	uint32_t fewest = torus.index_count;
	for (uint32_t i = 0; i < 3; i++)
	{
		lrd_geometry_lod_desc desc = { .count = 16, .ratio = 0.5f, .error = limits[i] };
		lrd_geometry_lods lods = build(&torus, &desc);
		assert_sound(&torus, &desc, &lods);
		assert_true(lods.count != 0);
		assert_true(lods.lods[lods.count - 1].error <= limits[i] * 2.8f * 1.002f);
		assert_true(lods.lods[lods.count - 1].index_count < fewest);
		fewest = lods.lods[lods.count - 1].index_count;
	}
}

static void a_flat_sheet_loses_what_it_can_at_no_error(void **state)
{
	(void)state;
	lrd_geometry flat = lod_shape_flat(arena, 40);
	lrd_geometry_lods lods = build(&flat, &usual);
	assert_sound(&flat, &usual, &lods);
	assert_true(lods.count >= 4);
	for (uint32_t level = 0; level < lods.count; level++)
	{
		assert_true(lods.lods[level].error <= 1e-5f);
	}
}

// The edges that have a triangle on one side only, of the geometry and of its LODs.
static void assert_borders_stay(const lrd_geometry *geometry, const lrd_geometry_lods *lods, const char *what)
{
	float(*before)[6] = NULL;
	size_t count = lod_open_edges(geometry->positions, geometry->indices, geometry->index_count, &before);
	for (uint32_t level = 0; level < lods->count; level++)
	{
		const lrd_geometry_lod *lod = &lods->lods[level];
		float(*after)[6] = NULL;
		size_t after_count = lod_open_edges(geometry->positions, lod->indices, lod->index_count, &after);
		if (after_count != count || memcmp(before, after, count * sizeof *before) != 0)
		{
			fail_msg("%s: LOD %u has %zu open edges, or other ones than the %zu before", what, level + 1, after_count,
				count);
		}
		free(after);
	}
	free(before);
}

static void locked_borders_stay_edge_by_edge(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 4; seed++)
	{
		lrd_geometry bumpy = lod_shape_bumpy(arena, 40, 0.01f, seed);
		lrd_geometry_lods lods = build(&bumpy, &locked);
		assert_true(lods.count >= 2);
		assert_borders_stay(&bumpy, &lods, "bumpy");
		lrd_geometry tube = lod_shape_tube(arena, 16 + 4 * seed, 60, 0.1f);
		lods = build(&tube, &locked);
		assert_true(lods.count >= 2);
		assert_borders_stay(&tube, &lods, "tube");
	}
}

static void locked_borders_of_soups_and_torn_sheets_stay(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 8; seed++)
	{
		lrd_geometry torn = shape_flipped_grid(arena, 40, 40, seed * 7919);
		lod_shape_finish(&torn);
		lrd_geometry_lods lods = build(&torn, &locked);
		assert_sound(&torn, &locked, &lods);
		assert_borders_stay(&torn, &lods, "torn");
		lrd_geometry soup = shape_soup(arena, 1500, 60 * seed, seed * 104729);
		lod_shape_finish(&soup);
		lods = build(&soup, &locked);
		assert_sound(&soup, &locked, &lods);
		assert_borders_stay(&soup, &lods, "soup");
	}
}

static void seams_do_not_open(void **state)
{
	(void)state;
	lrd_geometry closed[] = { lod_shape_torus(arena, 30, 50), shape_sphere(arena, 50, 40) };
	lod_shape_finish(&closed[1]);
	for (size_t i = 0; i < 2; i++)
	{
		for (uint32_t lock = 0; lock < 2; lock++)
		{
			lrd_geometry_lods lods = build(&closed[i], lock == 0 ? &usual : &locked);
			assert_true(lods.count >= 3);
			assert_borders_stay(&closed[i], &lods, i == 0 ? "torus" : "sphere");
		}
	}
}

static lrd_vec3 triangle_normal(const lrd_geometry *geometry, const uint32_t *corners)
{
	lrd_vec3 a = vec3_at(geometry->positions, corners[0]);
	return lrd_vec3_cross(lrd_vec3_sub(vec3_at(geometry->positions, corners[1]), a),
		lrd_vec3_sub(vec3_at(geometry->positions, corners[2]), a));
}

static void no_triangle_turns_its_back(void **state)
{
	(void)state;
	lrd_geometry shapes[] = { lod_shape_torus(arena, 40, 80), shape_sphere(arena, 120, 60),
		lod_shape_bumpy(arena, 50, 0.001f, 3), lod_shape_tube(arena, 40, 60, 0.1f) };
	lod_shape_finish(&shapes[1]);
	for (size_t s = 0; s < 4; s++)
	{
		const lrd_geometry *shape = &shapes[s];
		lrd_geometry_lods lods = build(shape, &usual);
		assert_true(lods.count >= 2);
		for (uint32_t level = 0; level < lods.count; level++)
		{
			const lrd_geometry_lod *lod = &lods.lods[level];
			for (uint32_t i = 0; i < lod->index_count; i += 3)
			{
				lrd_vec3 normal = triangle_normal(shape, lod->indices + i);
				float length = lrd_vec3_length(normal);
				float facing = 0.0f;
				float longest = 0.0f;
				for (uint32_t c = 0; c < 3; c++)
				{
					const uint32_t ends[2] = { lod->indices[i + c], lod->indices[i + (c + 1) % 3] };
					facing += lrd_vec3_dot(normal, vec3_at(shape->normals, ends[0]));
					longest = fmaxf(longest, lrd_vec3_length(lrd_vec3_sub(vec3_at(shape->positions, ends[0]),
												 vec3_at(shape->positions, ends[1]))));
				}
				// What is narrower than two errors may, since it can't be seen.
				bool narrow = length <= 2.0f * lod->error * longest;
				assert_true(facing > -0.4f * length || narrow);
			}
		}
	}
}

static void faceted_sides_keep_their_normals(void **state)
{
	(void)state;
	lrd_geometry box = lod_shape_faceted_box(arena, 16);
	lrd_geometry_lods lods = build(&box, &usual);
	assert_sound(&box, &usual, &lods);
	assert_true(lods.count >= 4); // vertices of their own don't keep triangles apart
	for (uint32_t level = 0; level < lods.count; level++)
	{
		const lrd_geometry_lod *lod = &lods.lods[level];
		assert_true(lod->error < 1e-5f);
		for (uint32_t i = 0; i < lod->index_count; i++)
		{
			lrd_vec3 normal = triangle_normal(&box, lod->indices + (i - i % 3));
			float length = lrd_vec3_length(normal); // 0 of corners in a line
			float cosine = lrd_vec3_dot(normal, vec3_at(box.normals, lod->indices[i]));
			assert_true(cosine >= 0.999f * length);
		}
	}
}

static void mirrored_sides_are_not_mixed(void **state)
{
	(void)state;
	lrd_geometry sheet = lod_shape_flat(arena, 40);
	for (uint32_t v = 0; v < sheet.vertex_count; v++)
	{
		sheet.uv[0][2 * (size_t)v] = fabsf(sheet.positions[3 * (size_t)v] - 0.5f);
	}
	lod_shape_finish(&sheet);
	lrd_geometry_lods lods = build(&sheet, &usual);
	assert_true(lods.count >= 2);
	for (uint32_t level = 0; level < lods.count; level++)
	{
		for (uint32_t i = 0; i < lods.lods[level].index_count; i += 3)
		{
			const uint32_t *corners = lods.lods[level].indices + i;
			float sign = sheet.tangents[4 * (size_t)corners[0] + 3];
			assert_true(sheet.tangents[4 * (size_t)corners[1] + 3] == sign);
			assert_true(sheet.tangents[4 * (size_t)corners[2] + 3] == sign);
		}
	}
}

static void sizes_do_not_matter(void **state)
{
	(void)state;
	lrd_geometry unit = lod_shape_torus(arena, 24, 48);
	lrd_geometry_lods expected = build(&unit, &usual);
	assert_true(expected.count >= 3);
	for (int exponent = -100; exponent <= 100; exponent += 200)
	{
		lrd_geometry scaled = lod_shape_torus(arena, 24, 48);
		for (size_t i = 0; i < 3 * (size_t)scaled.vertex_count; i++)
		{
			scaled.positions[i] = ldexpf(scaled.positions[i], exponent);
		}
		lrd_geometry_lods lods = build(&scaled, &usual);
		assert_int_equal(lods.count, expected.count);
		for (uint32_t level = 0; level < lods.count; level++)
		{
			assert_int_equal(lods.lods[level].index_count, expected.lods[level].index_count);
			assert_memory_equal(lods.lods[level].indices, expected.lods[level].indices,
				lods.lods[level].index_count * sizeof(uint32_t));
			assert_true(lods.lods[level].error == ldexpf(expected.lods[level].error, exponent));
		}
	}
}

static void what_has_no_extent_or_no_numbers_has_no_lod(void **state)
{
	(void)state;
	lrd_geometry grid = lod_shape_bumpy(arena, 20, 0.01f, 4);
	const float bad[] = { NAN, INFINITY, -INFINITY };
	float kept = grid.positions[30];
	for (size_t i = 0; i < 3; i++)
	{
		grid.positions[30] = bad[i];
		assert_int_equal(build(&grid, &usual).count, 0);
	}
	grid.positions[30] = kept;
	assert_true(build(&grid, &usual).count != 0);
	memset(grid.positions, 0, 3 * (size_t)grid.vertex_count * sizeof(float));
	assert_int_equal(build(&grid, &usual).count, 0);
}

static void what_is_tiny_and_very_far_out_has_no_lod(void **state)
{
	(void)state;
	lrd_geometry grid = lod_shape_bumpy(arena, 20, 0.01f, 4);
	for (uint32_t v = 0; v < grid.vertex_count; v++)
	{
		grid.positions[3 * (size_t)v] *= 1e-12f;
		grid.positions[3 * (size_t)v + 1] = 1e30f;
		grid.positions[3 * (size_t)v + 2] *= 1e-12f;
	}
	assert_int_equal(build(&grid, &usual).count, 0);
}

static void the_largest_numbers_are_no_trouble(void **state)
{
	(void)state;
	lrd_geometry grid = lod_shape_bumpy(arena, 24, 0.01f, 5);
	for (size_t i = 0; i < 3 * (size_t)grid.vertex_count; i++)
	{
		grid.positions[i] *= 3e38f;
	}
	lrd_geometry_lods lods = build(&grid, &usual);
	assert_sound(&grid, &usual, &lods);
	assert_true(lods.count != 0);
}

static void attributes_that_are_no_numbers_are_no_trouble(void **state)
{
	(void)state;
	lrd_geometry grid = lod_shape_bumpy(arena, 24, 0.01f, 6);
	shape_dress(arena, &grid, 2);
	shape_random chance = { 11 };
	for (uint32_t i = 0; i < 200; i++)
	{
		float value = i % 3 == 0 ? NAN : i % 3 == 1 ? INFINITY : -3e38f;
		uint32_t vertex = shape_random_next(&chance) % grid.vertex_count;
		grid.uv[0][2 * (size_t)vertex] = value;
		grid.normals[3 * (size_t)(vertex / 2)] = value;
		grid.weights[4 * (size_t)(vertex / 3)] = value;
		grid.colors[4 * (size_t)(vertex / 4)] = value;
		grid.morphs[1].positions[3 * (size_t)(vertex / 5)] = value;
	}
	lrd_geometry_lods lods = build(&grid, &usual);
	assert_sound(&grid, &usual, &lods);
}

static void bare_positions_are_enough(void **state)
{
	(void)state;
	lrd_geometry torus = lod_shape_torus(arena, 20, 40);
	torus.normals = NULL;
	torus.tangents = NULL;
	torus.uv[0] = NULL;
	lrd_geometry_lods lods = build(&torus, &usual);
	assert_sound(&torus, &usual, &lods);
	assert_true(lods.count >= 3);
}

// A sheet with a seam, open edges, normals of several vertices at a place, cards that go altogether, and repairs.
static lrd_geometry make_subject(lrd_arena *in)
{
	lrd_geometry parts[3] = { lod_shape_bumpy(in, 12, 0.02f, 7), lod_shape_faceted_box(in, 4),
		lod_shape_cards(in, 30, 0.02f, 8) };
	lrd_geometry subject;
	assert_true(lrd_geometry_merge(in, parts, 3, &subject, NULL));
	return subject;
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	bool done = false;
	long long fail_at = 0;
	for (; !done; fail_at++)
	{
		assert_true(fail_at < 2000);
		failing_allocator failing;
		failing_allocator_init(&failing, -1);
		lrd_arena *own = lrd_arena_create(failing_allocator_get(&failing), 1024);
		assert_non_null(own);
		lrd_geometry subject = make_subject(own);
		long long before = atomic_load(&failing.bytes_out);
		atomic_store(&failing.countdown, fail_at);
		lrd_geometry_lods lods = { .count = 77 };
		lrd_error error = { LRD_OK, "" };
		done = lrd_geometry_build_lods(&subject, &usual, &lods, &error);
		if (!done)
		{
			assert_int_equal(error.code, LRD_ERROR_MEMORY);
			assert_int_equal(lods.count, 77);
		}
		assert_true(atomic_load(&failing.bytes_out) >= before);
		lrd_arena_destroy(own);
		assert_int_equal(atomic_load(&failing.bytes_out), 0);
	}
	assert_true(fail_at > 20);
}

static void temporaries_stay_within_a_few_times_the_mesh(void **state)
{
	(void)state;
	failing_allocator failing;
	failing_allocator_init(&failing, -1);
	lrd_arena *own = lrd_arena_create(failing_allocator_get(&failing), 0);
	assert_non_null(own);
	lrd_geometry grid = lod_shape_bumpy(own, 400, 0.0001f, 9);
	double mesh = 32.0 * (double)grid.vertex_count + 4.0 * (double)grid.index_count;
	long long before = atomic_load(&failing.bytes_out);
	atomic_store(&failing.bytes_peak, before);
	lrd_geometry_lods lods = build(&grid, &(lrd_geometry_lod_desc){ .count = 2, .ratio = 0.5f, .error = 0.05f });
	double peak = (double)(atomic_load(&failing.bytes_peak) - before);
	assert_int_equal(lods.count, 1);
	lrd_arena_destroy(own);
	if (peak > 5.0 * mesh)
	{
		fail_msg("temporaries take %.2f times the mesh", peak / mesh);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GEOMETRY_TEST(a_geometry_of_few_triangles_has_no_lod),
		GEOMETRY_TEST(one_level_means_no_lod),
		GEOMETRY_TEST(too_many_triangles_around_one_point_leave_no_lod),
		GEOMETRY_TEST(each_lod_has_about_half_the_triangles),
		GEOMETRY_TEST(the_ratio_is_followed),
		GEOMETRY_TEST(no_error_exceeds_the_limit),
		GEOMETRY_TEST(a_flat_sheet_loses_what_it_can_at_no_error),
		GEOMETRY_TEST(locked_borders_stay_edge_by_edge),
		GEOMETRY_TEST(locked_borders_of_soups_and_torn_sheets_stay),
		GEOMETRY_TEST(seams_do_not_open),
		GEOMETRY_TEST(no_triangle_turns_its_back),
		GEOMETRY_TEST(faceted_sides_keep_their_normals),
		GEOMETRY_TEST(mirrored_sides_are_not_mixed),
		GEOMETRY_TEST(sizes_do_not_matter),
		GEOMETRY_TEST(what_has_no_extent_or_no_numbers_has_no_lod),
		GEOMETRY_TEST(what_is_tiny_and_very_far_out_has_no_lod),
		GEOMETRY_TEST(the_largest_numbers_are_no_trouble),
		GEOMETRY_TEST(attributes_that_are_no_numbers_are_no_trouble),
		GEOMETRY_TEST(bare_positions_are_enough),
		GEOMETRY_TEST(every_allocation_may_fail),
		GEOMETRY_TEST(temporaries_stay_within_a_few_times_the_mesh),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
