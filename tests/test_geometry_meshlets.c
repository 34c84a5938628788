// Meshlets: what they hold, how they are bounded, and the order of vertices.

#include "fixtures/geometry_test.h"

#include "geometry/morton.h"

#include <stdlib.h>

static lrd_geometry_meshlets build(lrd_geometry *geometry)
{
	lrd_geometry_meshlets meshlets;
	lrd_error error;
	if (!lrd_geometry_build_meshlets(geometry, &meshlets, &error))
	{
		fail_msg("%s", error.message);
	}
	return meshlets;
}

// One triangle as three positions, the smallest corner first: equal for equal triangles whatever their vertices are
// called.
typedef struct triangle_key
{
	float positions[9];
} triangle_key;

static int compare_keys(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(triangle_key));
}

static triangle_key key_of(const lrd_geometry *geometry, const uint32_t corners[3])
{
	triangle_key best = { { 0 } };
	for (uint32_t turn = 0; turn < 3; turn++)
	{
		triangle_key key;
		for (uint32_t corner = 0; corner < 3; corner++)
		{
			memcpy(
				key.positions + 3 * (size_t)corner, geometry->positions + 3 * (size_t)corners[(corner + turn) % 3], 12);
		}
		best = turn == 0 || compare_keys(&key, &best) < 0 ? key : best;
	}
	return best;
}

static triangle_key *sorted_keys(const lrd_geometry *geometry)
{
	size_t count = geometry->index_count / 3;
	triangle_key *keys = lrd_arena_zeroed(arena, count, sizeof *keys);
	for (size_t t = 0; t < count; t++)
	{
		keys[t] = key_of(geometry, geometry->indices + 3 * t);
	}
	qsort(keys, count, sizeof *keys, compare_keys);
	return keys;
}

static void assert_meshlets_are_the_indices(const lrd_geometry *geometry, const lrd_geometry_meshlets *meshlets)
{
	uint32_t triangle = 0;
	uint32_t vertex = 0;
	for (uint32_t m = 0; m < meshlets->meshlet_count; m++)
	{
		const lrd_meshlet *meshlet = &meshlets->meshlets[m];
		assert_int_equal(meshlet->vertex_offset, vertex);
		assert_int_equal(meshlet->triangle_offset, triangle);
		assert_in_range(meshlet->vertex_count, 3, 64);
		assert_in_range(meshlet->triangle_count, 1, 124);
		for (uint32_t i = 0; i < 3 * meshlet->triangle_count; i++)
		{
			uint8_t local = meshlets->triangles[3 * (size_t)triangle + i];
			assert_true(local < meshlet->vertex_count);
			assert_int_equal(meshlets->vertices[vertex + local], geometry->indices[3 * (size_t)triangle + i]);
		}
		vertex += meshlet->vertex_count;
		triangle += meshlet->triangle_count;
	}
	assert_int_equal(vertex, meshlets->vertex_count);
	assert_int_equal(triangle, meshlets->triangle_count);
	assert_int_equal(3 * triangle, geometry->index_count);
}

static void every_triangle_is_in_one_meshlet(void **state)
{
	(void)state;
	lrd_geometry sphere = shape_sphere(arena, 60, 40);
	triangle_key *before = sorted_keys(&sphere);
	lrd_geometry_meshlets meshlets = build(&sphere);
	assert_meshlets_are_the_indices(&sphere, &meshlets);
	assert_memory_equal(before, sorted_keys(&sphere), sphere.index_count / 3 * sizeof *before);
}

static void vertices_are_in_order_of_first_use(void **state)
{
	(void)state;
	lrd_geometry sphere = shape_sphere(arena, 60, 40);
	lrd_geometry_meshlets meshlets = build(&sphere);
	uint32_t next = 0;
	for (uint32_t v = 0; v < meshlets.vertex_count; v++)
	{
		assert_true(meshlets.vertices[v] <= next);
		next += meshlets.vertices[v] == next;
	}
}

static void all_attributes_move_with_their_vertices(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 30, 30);
	shape_dress(arena, &grid, 2);
	assert_true(lrd_geometry_any_tangents(&grid, NULL));
	// Mark every attribute of a vertex with a number of its own.
	for (uint32_t v = 0; v < grid.vertex_count; v++)
	{
		grid.tangents[4 * v + 3] = (float)v;
		grid.normals[3 * v] = (float)v;
		grid.uv[0][2 * v] = (float)v;
		grid.uv[1][2 * v] = (float)v;
		grid.colors[4 * v] = (float)v;
		grid.joints[4 * v] = (uint16_t)v;
		grid.weights[4 * v] = (float)v;
		grid.morphs[1].normals[3 * v] = (float)v;
	}
	build(&grid);
	for (uint32_t v = 0; v < grid.vertex_count; v++)
	{
		float mark = grid.tangents[4 * v + 3];
		assert_true(grid.normals[3 * v] == mark && grid.uv[0][2 * v] == mark && grid.uv[1][2 * v] == mark);
		assert_true(grid.colors[4 * v] == mark && grid.weights[4 * v] == mark && grid.joints[4 * v] == (uint16_t)mark);
		assert_true(grid.morphs[1].normals[3 * v] == mark);
	}
}

static void assert_bounds_hold(const lrd_geometry *geometry, const lrd_geometry_meshlets *meshlets)
{
	for (uint32_t m = 0; m < meshlets->meshlet_count; m++)
	{
		const lrd_meshlet *meshlet = &meshlets->meshlets[m];
		assert_true(lrd_all_finite(meshlet->centre, 8) && lrd_all_finite(meshlet->cone_apex, 3));
		assert_true(meshlet->radius >= 0.0f && meshlet->cone_cutoff >= -1.0f && meshlet->cone_cutoff <= 1.0f);
		assert_int_equal(meshlet->reserved, 0);
		for (uint32_t v = 0; v < meshlet->vertex_count; v++)
		{
			const float *p = geometry->positions + 3 * (size_t)meshlets->vertices[meshlet->vertex_offset + v];
			double squared = 0.0;
			for (int axis = 0; axis < 3; axis++)
			{
				double distance = (double)p[axis] - (double)meshlet->centre[axis];
				squared += distance * distance;
			}
			assert_true(sqrt(squared) <= (double)meshlet->radius);
		}
	}
}

static void bounding_spheres_hold_every_vertex(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 5; seed++)
	{
		lrd_geometry soup = shape_soup(arena, 3000, 500 * seed, seed);
		for (size_t i = 0; i < 3 * (size_t)soup.vertex_count; i++)
		{
			soup.positions[i] = soup.positions[i] * 1e-3f + 1000.0f;
		}
		assert_true(lrd_geometry_weld(&soup, NULL));
		lrd_geometry_meshlets meshlets = build(&soup);
		assert_bounds_hold(&soup, &meshlets);
	}
}

static void triangles_that_cover_nothing_have_a_sphere_and_no_cone(void **state)
{
	(void)state;
	lrd_geometry flat = shape_allocate(arena, 3, 3);
	flat.positions[0] = 2.0f;
	flat.positions[3] = 5.0f;
	flat.positions[6] = 3.0f;
	memcpy(flat.indices, (uint32_t[]){ 0, 1, 2 }, 12);
	lrd_geometry_meshlets meshlets = build(&flat);
	assert_int_equal(meshlets.meshlet_count, 1);
	assert_bounds_hold(&flat, &meshlets);
	assert_float_equal(meshlets.meshlets[0].centre[0], 3.5f, 1e-6f);
	assert_float_equal(meshlets.meshlets[0].radius, 1.5f, 1e-5f);
	assert_true(meshlets.meshlets[0].cone_cutoff == 1.0f);
	assert_true(meshlets.meshlets[0].cone_axis[0] == 0.0f);
}

static void huge_positions_keep_bounds_finite(void **state)
{
	(void)state;
	lrd_geometry soup = shape_soup(arena, 200, 50, 3);
	for (size_t i = 0; i < 3 * (size_t)soup.vertex_count; i++)
	{
		soup.positions[i] *= 1e30f;
	}
	lrd_geometry_meshlets meshlets = build(&soup);
	assert_bounds_hold(&soup, &meshlets);
}

// Scaled to its own size, its place is past all floats.
static void a_tiny_triangle_very_far_out_has_a_sphere(void **state)
{
	(void)state;
	lrd_geometry far = shape_allocate(arena, 3, 3);
	for (size_t v = 0; v < 3; v++)
	{
		far.positions[3 * v] = 1e30f;
	}
	far.positions[4] = 1e-20f;
	far.positions[8] = 1e-20f;
	memcpy(far.indices, (uint32_t[]){ 0, 1, 2 }, 12);
	lrd_geometry_meshlets meshlets = build(&far);
	assert_int_equal(meshlets.meshlet_count, 1);
	assert_bounds_hold(&far, &meshlets);
	assert_true(meshlets.meshlets[0].cone_cutoff == 1.0f);
}

static void an_eye_within_a_cone_sees_only_back_faces(void **state)
{
	(void)state;
	lrd_geometry sphere = shape_sphere(arena, 96, 48);
	lrd_geometry_drop_degenerate(&sphere);
	assert_true(lrd_geometry_weld(&sphere, NULL));
	lrd_geometry_meshlets meshlets = build(&sphere);
	uint32_t cones = 0;
	for (uint32_t m = 0; m < meshlets.meshlet_count; m++)
	{
		const lrd_meshlet *meshlet = &meshlets.meshlets[m];
		lrd_vec3 axis = vec3_at(meshlet->cone_axis, 0);
		lrd_vec3 eye = lrd_vec3_sub(vec3_at(meshlet->cone_apex, 0), lrd_vec3_scale(axis, 3.0f));
		if (meshlet->cone_cutoff >= 1.0f)
		{
			continue;
		}
		cones++;
		for (uint32_t t = 0; t < meshlet->triangle_count; t++)
		{
			size_t triangle = meshlet->triangle_offset + t;
			lrd_vec3 to_eye = lrd_vec3_sub(eye, vec3_at(sphere.positions, sphere.indices[3 * triangle]));
			assert_true(lrd_vec3_dot(to_eye, winding_normal(&sphere, triangle)) <= 1e-4f);
		}
	}
	assert_true(cones > meshlets.meshlet_count / 2);
}

// Slopes of a ten thousandth and less, whose normals floats take for one, far enough away that an apex is rounded.
static void a_nearly_flat_meshlets_cone_holds_every_normal(void **state)
{
	(void)state;
	shape_random random = { 29 };
	lrd_geometry grid = shape_grid(arena, 40, 40);
	for (uint32_t v = 0; v < grid.vertex_count; v++)
	{
		grid.positions[3 * v] += 20.0f;
		grid.positions[3 * v + 1] = 7.0f + shape_random_float(&random, 0.0f, 3e-6f);
	}
	lrd_geometry_meshlets meshlets = build(&grid);
	for (uint32_t m = 0; m < meshlets.meshlet_count; m++)
	{
		const lrd_meshlet *meshlet = &meshlets.meshlets[m];
		double widest = (double)meshlet->cone_cutoff;
		assert_true(meshlet->cone_cutoff < 0.1f);
		for (uint32_t t = 0; t < meshlet->triangle_count; t++)
		{
			const uint32_t *corners = grid.indices + 3 * (size_t)(meshlet->triangle_offset + t);
			lrd_vec3 a = lrd_load3(grid.positions, corners[0]);
			double normal[3];
			double along = 0.0;
			double ahead = 0.0;
			double normal_squared = 0.0;
			double axis_squared = 0.0;
			lrd_triangle_cross(a, lrd_load3(grid.positions, corners[1]), lrd_load3(grid.positions, corners[2]), normal);
			for (int i = 0; i < 3; i++)
			{
				double axis = (double)meshlet->cone_axis[i];
				along += normal[i] * axis;
				ahead += normal[i] * ((double)meshlet->cone_apex[i] - (i == 0      ? (double)a.x
																		  : i == 1 ? (double)a.y
																				   : (double)a.z));
				normal_squared += normal[i] * normal[i];
				axis_squared += axis * axis;
			}
			double turned_squared = 1.0 - along * along / (normal_squared * axis_squared); // the sine's
			assert_true(turned_squared <= widest * widest + 1e-14);
			assert_true(ahead <= 0.0);
		}
	}
}

// The place of a triangle on the curve, bit by bit.
typedef struct curve_place
{
	uint64_t key;
	uint32_t triangle;
} curve_place;

static int compare_places(const void *a, const void *b)
{
	const curve_place *one = a;
	const curve_place *other = b;
	return one->key < other->key ? -1 : one->key > other->key ? 1 : one->triangle < other->triangle ? -1 : 1;
}

static double centroid_sum(const lrd_geometry *geometry, uint32_t triangle, size_t axis)
{
	const uint32_t *corners = geometry->indices + 3 * (size_t)triangle;
	float sum = geometry->positions[3 * (size_t)corners[0] + axis] + geometry->positions[3 * (size_t)corners[1] + axis];
	return (double)(sum + geometry->positions[3 * (size_t)corners[2] + axis]);
}

static void assert_order_is_the_curve(const lrd_geometry *geometry)
{
	uint32_t count = geometry->index_count / 3;
	curve_place *places = lrd_arena_zeroed(arena, count, sizeof *places);
	double low[3];
	double side = 0.0;
	for (size_t axis = 0; axis < 3; axis++)
	{
		double high = -INFINITY;
		low[axis] = INFINITY;
		for (uint32_t t = 0; t < count; t++)
		{
			low[axis] = fmin(low[axis], centroid_sum(geometry, t, axis));
			high = fmax(high, centroid_sum(geometry, t, axis));
		}
		side = fmax(side, high - low[axis]);
	}
	for (uint32_t t = 0; t < count; t++)
	{
		places[t].triangle = t;
		for (size_t axis = 0; axis < 3; axis++)
		{
			double steps = side > 0.0 ? (centroid_sum(geometry, t, axis) - low[axis]) * (2097152.0 / side) : 0.0;
			uint64_t cell = (uint64_t)fmin(steps, 2097151.0);
			for (size_t bit = 0; bit < 21; bit++)
			{
				places[t].key |= (cell >> bit & 1) << (3 * bit + axis);
			}
		}
	}
	qsort(places, count, sizeof *places, compare_places);
	uint32_t *sorted = lrd_arena_alloc(arena, geometry->index_count * sizeof *sorted);
	assert_true(lrd_morton_sort_triangles(
		(lrd_allocator){ 0 }, geometry->positions, geometry->indices, geometry->index_count, sorted, NULL));
	for (uint32_t t = 0; t < count; t++)
	{
		assert_memory_equal(
			sorted + 3 * (size_t)t, geometry->indices + 3 * (size_t)places[t].triangle, 3 * sizeof *sorted);
	}
}

static void triangles_are_in_the_order_of_the_curve(void **state)
{
	(void)state;
	lrd_geometry sphere = shape_sphere(arena, 60, 40);
	assert_order_is_the_curve(&sphere);
	lrd_geometry few = shape_soup(arena, 20, 60, 3);
	assert_order_is_the_curve(&few);
	lrd_geometry soup = shape_soup(arena, 4000, 12000, 3);
	assert_order_is_the_curve(&soup);
	// All but one in a small corner: cells that the upper bits don't tell apart, short runs of them and long ones.
	for (size_t i = 9; i < 3 * (size_t)soup.vertex_count; i++)
	{
		soup.positions[i] *= i % 2 == 0 ? 1e-4f : 1e-5f;
	}
	assert_order_is_the_curve(&soup);
	for (size_t i = 9; i < 3 * (size_t)soup.vertex_count; i++)
	{
		soup.positions[i] = 0.0f;
	}
	assert_order_is_the_curve(&soup);
}

static void a_rigid_grid_fills_its_meshlets(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 200, 200);
	lrd_geometry_meshlets meshlets = build(&grid);
	float triangles = (float)meshlets.triangle_count / (float)meshlets.meshlet_count;
	assert_true(triangles > 70.0f);
}

static void meshlets_of_a_rigid_mesh_are_compact_even_from_shuffled_triangles(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 100, 100);
	shape_random chance = { 11 };
	for (uint32_t t = grid.index_count / 3; t-- > 1;)
	{
		uint32_t other = shape_random_next(&chance) % (t + 1);
		uint32_t kept[3];
		memcpy(kept, grid.indices + 3 * (size_t)t, 12);
		memmove(grid.indices + 3 * (size_t)t, grid.indices + 3 * (size_t)other, 12);
		memcpy(grid.indices + 3 * (size_t)other, kept, 12);
	}
	lrd_geometry_meshlets meshlets = build(&grid);
	double mean = 0.0;
	for (uint32_t m = 0; m < meshlets.meshlet_count; m++)
	{
		mean += (double)meshlets.meshlets[m].radius / meshlets.meshlet_count;
	}
	assert_true(mean < 0.12); // 80 triangles of a grid of 20,000 in a square of side 1 span about 0.065
}

static void a_skinned_mesh_follows_the_vertex_cache(void **state)
{
	(void)state;
	lrd_geometry skinned = shape_grid(arena, 40, 40);
	lrd_geometry rigid = shape_grid(arena, 40, 40);
	shape_dress(arena, &skinned, 0);
	triangle_key *before = sorted_keys(&skinned);
	lrd_geometry_meshlets meshlets = build(&skinned);
	build(&rigid);
	assert_meshlets_are_the_indices(&skinned, &meshlets);
	assert_memory_equal(before, sorted_keys(&skinned), skinned.index_count / 3 * sizeof *before);
	assert_memory_not_equal(skinned.positions, rigid.positions, 12 * rigid.vertex_count);
}

static void a_skinned_fan_of_many_triangles_keeps_them_all(void **state)
{
	(void)state;
	lrd_geometry fan = shape_fan(arena, 4000);
	shape_dress(arena, &fan, 0);
	triangle_key *before = sorted_keys(&fan);
	lrd_geometry_meshlets meshlets = build(&fan);
	assert_meshlets_are_the_indices(&fan, &meshlets);
	assert_memory_equal(before, sorted_keys(&fan), fan.index_count / 3 * sizeof *before);
	assert_true(meshlets.meshlet_count < 4000 / 32); // neighbours are together
}

static void a_coarser_lod_leaves_vertices_where_they_are(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 20, 20);
	build(&grid);
	lrd_geometry before = grid;
	before.positions = shape_floats(arena, 3 * (size_t)grid.vertex_count);
	memcpy(before.positions, grid.positions, 12 * grid.vertex_count);
	uint32_t count = grid.index_count / 2 / 3 * 3;
	lrd_geometry_meshlets lod;
	assert_true(lrd_geometry_build_lod_meshlets(&grid, grid.indices, count, &lod, NULL));
	assert_int_equal(lod.triangle_count, count / 3);
	assert_memory_equal(before.positions, grid.positions, 12 * grid.vertex_count);
	assert_bounds_hold(&grid, &lod);
}

static void unused_vertices_come_last(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 4, 4);
	memmove(grid.indices, grid.indices + 48, 48 * 4); // only the lower half
	grid.index_count = 48;
	lrd_geometry_meshlets meshlets = build(&grid);
	assert_int_equal(grid.vertex_count, 25);
	for (uint32_t v = 0; v < meshlets.vertex_count; v++)
	{
		assert_true(meshlets.vertices[v] < 15);
	}
}

static void no_triangles_make_no_meshlets(void **state)
{
	(void)state;
	lrd_geometry empty = shape_allocate(arena, 0, 0);
	lrd_geometry_meshlets meshlets = build(&empty);
	assert_int_equal(meshlets.meshlet_count, 0);
}

static void the_same_geometry_gives_the_same_bytes(void **state)
{
	(void)state;
	lrd_geometry first = shape_soup(arena, 5000, 900, 42);
	lrd_geometry second = shape_soup(arena, 5000, 900, 42);
	lrd_geometry_meshlets a = build(&first);
	lrd_geometry_meshlets b = build(&second);
	assert_int_equal(a.meshlet_count, b.meshlet_count);
	assert_memory_equal(a.meshlets, b.meshlets, a.meshlet_count * sizeof *a.meshlets);
	assert_memory_equal(a.vertices, b.vertices, a.vertex_count * sizeof *a.vertices);
	assert_memory_equal(a.triangles, b.triangles, 3 * (size_t)a.triangle_count);
	assert_memory_equal(first.positions, second.positions, 12 * first.vertex_count);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GEOMETRY_TEST(every_triangle_is_in_one_meshlet),
		GEOMETRY_TEST(vertices_are_in_order_of_first_use),
		GEOMETRY_TEST(all_attributes_move_with_their_vertices),
		GEOMETRY_TEST(bounding_spheres_hold_every_vertex),
		GEOMETRY_TEST(triangles_that_cover_nothing_have_a_sphere_and_no_cone),
		GEOMETRY_TEST(huge_positions_keep_bounds_finite),
		GEOMETRY_TEST(a_tiny_triangle_very_far_out_has_a_sphere),
		GEOMETRY_TEST(an_eye_within_a_cone_sees_only_back_faces),
		GEOMETRY_TEST(a_nearly_flat_meshlets_cone_holds_every_normal),
		GEOMETRY_TEST(triangles_are_in_the_order_of_the_curve),
		GEOMETRY_TEST(a_rigid_grid_fills_its_meshlets),
		GEOMETRY_TEST(meshlets_of_a_rigid_mesh_are_compact_even_from_shuffled_triangles),
		GEOMETRY_TEST(a_skinned_mesh_follows_the_vertex_cache),
		GEOMETRY_TEST(a_skinned_fan_of_many_triangles_keeps_them_all),
		GEOMETRY_TEST(a_coarser_lod_leaves_vertices_where_they_are),
		GEOMETRY_TEST(unused_vertices_come_last),
		GEOMETRY_TEST(no_triangles_make_no_meshlets),
		GEOMETRY_TEST(the_same_geometry_gives_the_same_bytes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
