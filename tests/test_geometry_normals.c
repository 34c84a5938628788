// Smooth normals, with smoothing groups and without, beside the same sums made plainly.

#include "fixtures/geometry_test.h"

// The normal at one corner by definition: over all corners at its position whose triangles share a group with its own.
// False where what is summed nearly cancels out, so that the last bits decide.
static bool plain_normal(const lrd_geometry *geometry, const uint32_t *groups, uint32_t corner, double normal[3])
{
	const float *here = geometry->positions + 3 * (size_t)geometry->indices[corner];
	double lengths = 0.0;
	memset(normal, 0, 3 * sizeof *normal);
	for (uint32_t other = 0; other < geometry->index_count; other++)
	{
		const float *there = geometry->positions + 3 * (size_t)geometry->indices[other];
		bool meets = here[0] == there[0] && here[1] == there[1] && here[2] == there[2];
		bool shares = groups == NULL || (groups[corner / 3] & groups[other / 3]) != 0;
		bool flat = groups != NULL && groups[corner / 3] == 0;
		if (!meets || (flat ? other / 3 != corner / 3 : !shares))
		{
			continue;
		}
		const uint32_t *corners = geometry->indices + other / 3 * 3;
		double u[3], v[3], uv = 0.0;
		for (size_t axis = 0; axis < 3; axis++)
		{
			double from = (double)geometry->positions[3 * (size_t)corners[other % 3] + axis];
			u[axis] = (double)geometry->positions[3 * (size_t)corners[(other + 1) % 3] + axis] - from;
			v[axis] = (double)geometry->positions[3 * (size_t)corners[(other + 2) % 3] + axis] - from;
			uv += u[axis] * v[axis];
		}
		double cross[3] = { u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0] };
		double size = sqrt(cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2]);
		double angle = atan2(size, uv);
		for (int axis = 0; axis < 3; axis++)
		{
			normal[axis] += cross[axis] * angle;
		}
		lengths += size * angle;
	}
	double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
	for (int axis = 0; axis < 3; axis++)
	{
		normal[axis] /= length;
	}
	return length > 1e-5 * lengths && length > 0.0;
}

static void assert_normals_are_plain(const lrd_geometry *geometry, const lrd_geometry *before, const uint32_t *groups)
{
	for (uint32_t corner = 0; corner < geometry->index_count; corner++)
	{
		double normal[3];
		const float *found = geometry->normals + 3 * (size_t)geometry->indices[corner];
		assert_float_equal(lrd_vec3_length(vec3_at(found, 0)), 1.0f, 1e-6f);
		assert_memory_equal(geometry->positions + 3 * (size_t)geometry->indices[corner],
			before->positions + 3 * (size_t)before->indices[corner], 12);
		if (plain_normal(before, groups, corner, normal))
		{
			double dot = normal[0] * (double)found[0] + normal[1] * (double)found[1] + normal[2] * (double)found[2];
			assert_true(dot > 1.0 - 1e-6);
		}
	}
}

// Its own copy of what smoothing changes.
static lrd_geometry kept(const lrd_geometry *geometry)
{
	lrd_geometry copy = shape_allocate(arena, geometry->vertex_count, geometry->index_count);
	memcpy(copy.positions, geometry->positions, 12 * geometry->vertex_count);
	memcpy(copy.indices, geometry->indices, 4 * geometry->index_count);
	return copy;
}

static uint32_t *random_groups(uint32_t count, uint32_t kinds, uint32_t seed)
{
	shape_random random = { seed };
	uint32_t *groups = lrd_arena_zeroed(arena, count, sizeof *groups);
	for (uint32_t t = 0; t < count; t++)
	{
		uint32_t bits = shape_random_next(&random) & shape_random_next(&random);
		groups[t] = kinds == 0 ? bits : bits % kinds;
	}
	return groups;
}

static void random_soups_smooth_as_the_plain_sums_do(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 40; seed++)
	{
		lrd_geometry soup = shape_soup(arena, 120, 8 + seed, seed);
		lrd_geometry before = kept(&soup);
		const uint32_t kinds[] = { 1, 2, 5, 0 };
		uint32_t *groups = seed % 5 == 0 ? NULL : random_groups(120, kinds[seed % 4], seed);
		soup.normals = seed % 3 == 0 ? NULL : soup.normals;
		assert_true(lrd_geometry_smooth_normals(&soup, groups, NULL));
		assert_normals_are_plain(&soup, &before, groups);
		lrd_arena_reset(arena);
	}
}

static void vertices_split_only_where_their_normals_differ(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 20; seed++)
	{
		lrd_geometry soup = shape_soup(arena, 150, 20, seed);
		shape_dress(arena, &soup, 1);
		lrd_geometry before = kept(&soup);
		for (uint32_t v = 0; v < soup.vertex_count; v++)
		{
			soup.colors[4 * v] = (float)v; // a mark
		}
		uint32_t *groups = random_groups(150, 6, seed);
		assert_true(lrd_geometry_smooth_normals(&soup, groups, NULL));
		bool *used = lrd_arena_zeroed(arena, soup.vertex_count, sizeof *used);
		for (uint32_t corner = 0; corner < soup.index_count; corner++)
		{
			assert_true(soup.colors[4 * (size_t)soup.indices[corner]] == (float)before.indices[corner]);
			used[soup.indices[corner]] = true;
		}
		for (uint32_t a = 0; a < soup.vertex_count; a++)
		{
			assert_true(used[a]);
			for (uint32_t b = 0; b < a; b++)
			{
				assert_false(soup.colors[4 * (size_t)a] == soup.colors[4 * (size_t)b] &&
							 memcmp(soup.normals + 3 * (size_t)a, soup.normals + 3 * (size_t)b, 12) == 0);
			}
		}
		lrd_arena_reset(arena);
	}
}

// Two faces of a roof over the x axis.
static lrd_geometry make_roof(void)
{
	lrd_geometry roof = shape_allocate(arena, 4, 6);
	const float positions[] = { 0, 1, 0, 1, 1, 0, 0, 0, 1, 0, 0, -1 };
	memcpy(roof.positions, positions, sizeof positions);
	memcpy(roof.indices, (uint32_t[]){ 0, 2, 1, 0, 1, 3 }, 24);
	return roof;
}

static void an_edge_between_groups_is_hard(void **state)
{
	(void)state;
	lrd_geometry roof = make_roof();
	assert_true(lrd_geometry_smooth_normals(&roof, (uint32_t[]){ 1, 2 }, NULL));
	assert_int_equal(roof.vertex_count, 6);
	const float half = 0.70710678f;
	assert_vec3_near(vec3_at(roof.normals, roof.indices[0]), 0.0f, half, half);
	assert_vec3_near(vec3_at(roof.normals, roof.indices[3]), 0.0f, half, -half);
	roof = make_roof();
	assert_true(lrd_geometry_smooth_normals(&roof, (uint32_t[]){ 5, 6 }, NULL)); // they share the third
	assert_int_equal(roof.vertex_count, 4);
	assert_vec3_near(vec3_at(roof.normals, roof.indices[0]), 0.0f, 1.0f, 0.0f);
	roof = make_roof();
	assert_true(lrd_geometry_smooth_normals(&roof, (uint32_t[]){ 0, 0 }, NULL)); // flat, though alike
	assert_int_equal(roof.vertex_count, 6);
}

static void a_flat_triangle_has_one_normal_to_the_last_bit(void **state)
{
	(void)state;
	lrd_geometry sphere = shape_sphere(arena, 16, 8);
	lrd_geometry_drop_degenerate(&sphere);
	uint32_t *groups = lrd_arena_zeroed(arena, sphere.index_count / 3, sizeof *groups);
	assert_true(lrd_geometry_smooth_normals(&sphere, groups, NULL));
	lrd_geometry flat = shape_sphere(arena, 16, 8);
	lrd_geometry_drop_degenerate(&flat);
	assert_true(lrd_geometry_flat_normals(&flat, NULL));
	for (uint32_t corner = 0; corner < sphere.index_count; corner++)
	{
		assert_memory_equal(sphere.normals + 3 * (size_t)sphere.indices[corner], flat.normals + 3 * (size_t)corner, 12);
	}
}

static void one_group_for_all_is_no_groups(void **state)
{
	(void)state;
	lrd_geometry grouped = shape_sphere(arena, 30, 20);
	lrd_geometry_drop_degenerate(&grouped);
	assert_true(lrd_geometry_weld(&grouped, NULL));
	lrd_geometry plain = kept(&grouped);
	uint32_t *groups = random_groups(grouped.index_count / 3, 1, 1);
	for (uint32_t t = 0; t < grouped.index_count / 3; t++)
	{
		groups[t] = 0x80000000u | t;
	}
	assert_true(lrd_geometry_smooth_normals(&plain, NULL, NULL));
	assert_true(lrd_geometry_smooth_normals(&grouped, groups, NULL));
	assert_int_equal(grouped.vertex_count, plain.vertex_count);
	for (uint32_t corner = 0; corner < plain.index_count; corner++)
	{
		lrd_vec3 normal = vec3_at(plain.normals, plain.indices[corner]);
		assert_vec3_near(vec3_at(grouped.normals, grouped.indices[corner]), normal.x, normal.y, normal.z);
	}
}

static void positions_that_are_no_numbers_get_some_normal(void **state)
{
	(void)state;
	lrd_geometry soup = shape_soup(arena, 60, 30, 9);
	for (size_t i = 0; i < 3 * (size_t)soup.vertex_count; i += 5)
	{
		soup.positions[i] = i % 2 == 0 ? NAN : INFINITY;
	}
	uint32_t *groups = random_groups(60, 4, 3);
	assert_true(lrd_geometry_smooth_normals(&soup, groups, NULL));
	for (size_t v = 0; v < soup.vertex_count; v++)
	{
		assert_float_equal(lrd_vec3_length(vec3_at(soup.normals, v)), 1.0f, 1e-6f);
	}
	soup = shape_soup(arena, 60, 30, 9);
	soup.positions[0] = NAN;
	assert_true(lrd_geometry_smooth_normals(&soup, NULL, NULL));
	for (size_t v = 0; v < soup.vertex_count; v++)
	{
		assert_float_equal(lrd_vec3_length(vec3_at(soup.normals, v)), 1.0f, 1e-6f);
	}
}

static void tiny_and_huge_triangles_keep_their_direction(void **state)
{
	(void)state;
	for (int exponent = -120; exponent <= 120; exponent += 40)
	{
		lrd_geometry roof = make_roof();
		for (size_t i = 0; i < 12; i++)
		{
			roof.positions[i] = ldexpf(roof.positions[i], exponent);
		}
		assert_true(lrd_geometry_smooth_normals(&roof, (uint32_t[]){ 1, 1 }, NULL));
		assert_vec3_near(vec3_at(roof.normals, roof.indices[0]), 0.0f, 1.0f, 0.0f);
	}
}

static void a_fan_of_many_flat_triangles_is_quick_and_split(void **state)
{
	(void)state;
	lrd_geometry fan = shape_fan(arena, 20000);
	uint32_t count = fan.index_count / 3;
	uint32_t *groups = lrd_arena_zeroed(arena, count, sizeof *groups);
	for (uint32_t t = 0; t < count; t++)
	{
		fan.positions[3 * (size_t)fan.indices[3 * t + 1] + 1] = (float)(t % 100) * 0.01f;
	}
	assert_true(lrd_geometry_smooth_normals(&fan, groups, NULL));
	assert_true(fan.vertex_count > count);
}

// A fan whose rim goes up and down.
static lrd_geometry make_rough_fan(uint32_t segments, uint32_t seed)
{
	lrd_geometry fan = shape_fan(arena, segments);
	shape_random random = { seed };
	for (uint32_t s = 0; s < segments; s++)
	{
		fan.positions[3 * (size_t)(s + 1) + 1] = (float)(shape_random_next(&random) % 1000) * 0.001f;
	}
	return fan;
}

static void thousands_of_masks_at_one_position_smooth_as_the_plain_sums_do(void **state)
{
	(void)state;
	for (uint32_t density = 0; density < 4; density++)
	{
		lrd_geometry fan = make_rough_fan(2000, density + 1);
		lrd_geometry before = kept(&fan);
		shape_random random = { density + 1 };
		uint32_t *groups = lrd_arena_zeroed(arena, 2000, sizeof *groups);
		for (uint32_t t = 0; t < 2000; t++)
		{
			uint32_t bits = shape_random_next(&random);
			uint32_t others = shape_random_next(&random);
			uint32_t few = bits & others & shape_random_next(&random) & shape_random_next(&random);
			const uint32_t masks[] = { few, bits, bits | others, t % 2 == 0 ? few : ~few };
			groups[t] = masks[density];
		}
		assert_true(lrd_geometry_smooth_normals(&fan, groups, NULL));
		assert_normals_are_plain(&fan, &before, groups);
		lrd_arena_reset(arena);
	}
}

// Any two share one of three groups, though none is in all of them: so they all smooth, over thousands of masks.
static void masks_that_smooth_with_the_same_ones_get_the_same_bits(void **state)
{
	(void)state;
	lrd_geometry fan = make_rough_fan(3000, 5);
	uint32_t *groups = lrd_arena_zeroed(arena, 3000, sizeof *groups);
	for (uint32_t t = 0; t < 3000; t++)
	{
		const uint32_t two_of_three[] = { 1u << 31 | 1u << 15, 1u << 31 | 1u, 1u << 15 | 1u };
		groups[t] = two_of_three[t % 3] | t << 2;
	}
	assert_true(lrd_geometry_smooth_normals(&fan, groups, NULL));
	assert_int_equal(fan.vertex_count, 3001);
}

// 60000 masks, whose pairs would be 3.6e9.
static void a_fan_of_many_masks_is_quick(void **state)
{
	(void)state;
	lrd_geometry fan = make_rough_fan(60000, 9);
	uint32_t *groups = lrd_arena_zeroed(arena, 60000, sizeof *groups);
	for (uint32_t t = 0; t < 60000; t++)
	{
		groups[t] = t * 2654435761u; // odd: no two are equal
	}
	assert_true(lrd_geometry_smooth_normals(&fan, groups, NULL));
	assert_true(fan.vertex_count > 60000);
}

static void an_empty_geometry_has_no_normals(void **state)
{
	(void)state;
	lrd_geometry empty = shape_allocate(arena, 0, 0);
	uint32_t none = 0;
	assert_true(lrd_geometry_smooth_normals(&empty, &none, NULL));
	assert_int_equal(empty.vertex_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GEOMETRY_TEST(random_soups_smooth_as_the_plain_sums_do),
		GEOMETRY_TEST(vertices_split_only_where_their_normals_differ),
		GEOMETRY_TEST(an_edge_between_groups_is_hard),
		GEOMETRY_TEST(a_flat_triangle_has_one_normal_to_the_last_bit),
		GEOMETRY_TEST(one_group_for_all_is_no_groups),
		GEOMETRY_TEST(positions_that_are_no_numbers_get_some_normal),
		GEOMETRY_TEST(tiny_and_huge_triangles_keep_their_direction),
		GEOMETRY_TEST(a_fan_of_many_flat_triangles_is_quick_and_split),
		GEOMETRY_TEST(thousands_of_masks_at_one_position_smooth_as_the_plain_sums_do),
		GEOMETRY_TEST(masks_that_smooth_with_the_same_ones_get_the_same_bits),
		GEOMETRY_TEST(a_fan_of_many_masks_is_quick),
		GEOMETRY_TEST(an_empty_geometry_has_no_normals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
