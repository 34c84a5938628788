// Tangents of meshes at the ends of what there is: all around one vertex, all at one edge, all between few points.
// They end in time that grows with the mesh, and not faster; in tangents of unit length; within bounds of memory.

#include "failing_allocator.h"
#include "fixtures/geometry_test.h"

// Outlives the arena, which the fixture closes.
static failing_allocator failing;

static void assert_all_unit(const lrd_geometry *geometry)
{
	for (size_t v = 0; v < geometry->vertex_count; v++)
	{
		const float *t = geometry->tangents + 4 * v;
		float squared = t[0] * t[0] + t[1] * t[1] + t[2] * t[2];
		if (!(squared > 0.999f && squared < 1.001f) || (t[3] != 1.0f && t[3] != -1.0f))
		{
			fail_msg("vertex %zu has tangent %g %g %g %g", v, (double)t[0], (double)t[1], (double)t[2], (double)t[3]);
		}
	}
}

// Its peak is at most `times` what the mesh takes.
static void make_tangents_within(lrd_geometry *geometry, double times)
{
	long long before = atomic_load(&failing.bytes_out);
	atomic_store(&failing.bytes_peak, before);
	assert_true(lrd_geometry_tangents(geometry, 0, NULL, NULL));
	double peak = (double)atomic_load(&failing.bytes_peak) / (double)before;
	print_message("%u triangles, %u vertices after: a peak of %.2f times the mesh\n", geometry->index_count / 3,
		geometry->vertex_count, peak);
	assert_true(peak < times);
	assert_all_unit(geometry);
}

// An arena instead of the test's own.
static void count_arena(void)
{
	lrd_arena_destroy(arena);
	failing_allocator_init(&failing, -1);
	arena = lrd_arena_create(failing_allocator_get(&failing), 0);
	assert_non_null(arena);
}

static void ten_million_triangles_around_one_vertex(void **state)
{
	(void)state;
	count_arena();
	lrd_geometry fan = shape_fan(arena, 10000000);
	make_tangents_within(&fan, 4.0);
}

static void a_million_triangles_around_one_vertex_that_is_stored_for_each(void **state)
{
	(void)state;
	count_arena();
	lrd_geometry fan = shape_fan(arena, 1000000);
	lrd_geometry apart = shape_allocate(arena, fan.index_count, fan.index_count);
	for (uint32_t corner = 0; corner < fan.index_count; corner++)
	{
		uint32_t vertex = fan.indices[corner];
		memcpy(apart.positions + 3 * (size_t)corner, fan.positions + 3 * (size_t)vertex, 12);
		memcpy(apart.normals + 3 * (size_t)corner, fan.normals + 3 * (size_t)vertex, 12);
		memcpy(apart.uv[0] + 2 * (size_t)corner, fan.uv[0] + 2 * (size_t)vertex, 8);
		apart.indices[corner] = corner;
	}
	make_tangents_within(&apart, 4.0);
}

static void a_million_triangles_at_one_edge(void **state)
{
	(void)state;
	count_arena();
	const uint32_t pages = 1000000;
	lrd_geometry book = shape_allocate(arena, pages + 2, 3 * pages);
	book.positions[3] = 1.0f;
	book.uv[0][2] = 1.0f;
	for (uint32_t v = 0; v < book.vertex_count; v++)
	{
		book.normals[3 * (size_t)v + 1] = 1.0f;
	}
	for (uint32_t p = 0; p < pages; p++)
	{
		book.positions[3 * (size_t)(p + 2) + 2] = 1.0f + (float)p;
		book.uv[0][2 * (size_t)(p + 2) + 1] = 1.0f + (float)p;
		memcpy(book.indices + 3 * (size_t)p, (uint32_t[]){ p % 2, 1 - p % 2, p + 2 }, 12);
	}
	make_tangents_within(&book, 4.0);
}

static void half_a_million_triangles_between_few_points(void **state)
{
	(void)state;
	const uint32_t points[] = { 3, 5, 50, 500, 20000 };
	for (size_t i = 0; i < sizeof points / sizeof *points; i++)
	{
		count_arena();
		lrd_geometry soup = shape_soup(arena, 500000, points[i], 97);
		make_tangents_within(&soup, 4.0);
	}
}

// The largest groups in which every two triangles are looked at for being opposite.
static void many_large_fans_with_tangents_all_around(void **state)
{
	(void)state;
	count_arena();
	lrd_geometry parts[20];
	for (uint32_t i = 0; i < 20; i++)
	{
		parts[i] = shape_fan(arena, 4090 + i);
		for (size_t v = 0; v < parts[i].vertex_count; v++)
		{
			parts[i].positions[3 * v] += 3.0f * (float)i;
		}
	}
	lrd_geometry fans;
	assert_true(lrd_geometry_merge(arena, parts, 20, &fans, NULL));
	make_tangents_within(&fans, 4.0);
}

static void a_million_triangles_whose_uv_are_one_point(void **state)
{
	(void)state;
	count_arena();
	lrd_geometry grid = shape_grid(arena, 1000, 500);
	memset(grid.uv[0], 0, 8 * (size_t)grid.vertex_count);
	make_tangents_within(&grid, 4.0);
	assert_int_equal(grid.vertex_count, 1001 * 501);
}

// Both orientations everywhere, and triangles without one between them: their order has to be found.
static void half_a_million_triangles_with_flipped_and_collapsed_uv(void **state)
{
	(void)state;
	count_arena();
	lrd_geometry grid = shape_flipped_grid(arena, 500, 500, 1234567);
	make_tangents_within(&grid, 4.0);
}

static void a_mesh_in_which_nothing_is_a_number(void **state)
{
	(void)state;
	count_arena();
	lrd_geometry grid = shape_grid(arena, 300, 300);
	for (size_t i = 0; i < 3 * (size_t)grid.vertex_count; i++)
	{
		grid.positions[i] = NAN;
		grid.normals[i] = i % 2 == 0 ? NAN : INFINITY;
		grid.uv[0][i % (2 * (size_t)grid.vertex_count)] = NAN;
	}
	make_tangents_within(&grid, 4.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GEOMETRY_TEST(ten_million_triangles_around_one_vertex),
		GEOMETRY_TEST(a_million_triangles_around_one_vertex_that_is_stored_for_each),
		GEOMETRY_TEST(a_million_triangles_at_one_edge),
		GEOMETRY_TEST(half_a_million_triangles_between_few_points),
		GEOMETRY_TEST(many_large_fans_with_tangents_all_around),
		GEOMETRY_TEST(a_million_triangles_whose_uv_are_one_point),
		GEOMETRY_TEST(half_a_million_triangles_with_flipped_and_collapsed_uv),
		GEOMETRY_TEST(a_mesh_in_which_nothing_is_a_number),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
