// Cutting a geometry into clusters, and taking triangles out as geometries of their own.

#include "fixtures/geometry_test.h"

#include "geometry/clusters.h"

#include <stdlib.h>

static lrd_geometry_clusters cluster(const lrd_geometry *geometry, lrd_geometry_cluster_desc desc)
{
	lrd_geometry_clusters clusters;
	lrd_error error;
	if (!lrd_geometry_cluster(geometry, &desc, arena, &clusters, &error))
	{
		fail_msg("%s", error.message);
	}
	return clusters;
}

static uint32_t size_of(const lrd_geometry_clusters *clusters, uint32_t cluster)
{
	return clusters->offsets[cluster + 1] - clusters->offsets[cluster];
}

static void assert_each_triangle_once_and_ascending(const lrd_geometry *geometry, const lrd_geometry_clusters *clusters)
{
	uint32_t count = geometry->index_count / 3;
	bool *seen = lrd_arena_zeroed(arena, count, sizeof *seen);
	assert_int_equal(clusters->offsets[0], 0);
	assert_int_equal(clusters->offsets[clusters->count], count);
	for (uint32_t c = 0; c < clusters->count; c++)
	{
		for (uint32_t i = clusters->offsets[c]; i < clusters->offsets[c + 1]; i++)
		{
			uint32_t triangle = clusters->triangles[i];
			assert_true(triangle < count && !seen[triangle]);
			assert_true(i == clusters->offsets[c] || triangle > clusters->triangles[i - 1]);
			seen[triangle] = true;
		}
	}
}

// The same cuts made plainly: sort, and take the middle.

typedef struct reference
{
	double centroid[3];
	uint32_t triangle;
} reference;

static int sort_axis;

static int compare_references(const void *a, const void *b)
{
	const reference *one = a;
	const reference *other = b;
	double difference = one->centroid[sort_axis] - other->centroid[sort_axis];
	return difference < 0.0 ? -1 : difference > 0.0 ? 1 : one->triangle < other->triangle ? -1 : 1;
}

static int compare_numbers(const void *a, const void *b)
{
	const reference *one = a;
	const reference *other = b;
	return one->triangle < other->triangle ? -1 : 1;
}

static void assert_cuts(reference *all, uint32_t count, uint32_t target, uint32_t min,
	const lrd_geometry_clusters *clusters, uint32_t *next_cluster)
{
	if (count > target && count / 2 >= min)
	{
		double sides[3];
		sort_axis = 0;
		for (int axis = 0; axis < 3; axis++)
		{
			double low = INFINITY;
			double high = -INFINITY;
			for (uint32_t i = 0; i < count; i++)
			{
				low = fmin(low, all[i].centroid[axis]);
				high = fmax(high, all[i].centroid[axis]);
			}
			sides[axis] = high - low;
			sort_axis = sides[axis] > sides[sort_axis] ? axis : sort_axis;
		}
		qsort(all, count, sizeof *all, compare_references);
		assert_cuts(all, count / 2, target, min, clusters, next_cluster);
		assert_cuts(all + count / 2, count - count / 2, target, min, clusters, next_cluster);
		return;
	}
	uint32_t found = (*next_cluster)++;
	assert_true(found < clusters->count);
	assert_int_equal(size_of(clusters, found), count);
	qsort(all, count, sizeof *all, compare_numbers);
	for (uint32_t i = 0; i < count; i++)
	{
		assert_int_equal(clusters->triangles[clusters->offsets[found] + i], all[i].triangle);
	}
}

static void assert_clusters_are_the_plain_ones(const lrd_geometry *geometry, uint32_t target, uint32_t min)
{
	uint32_t count = geometry->index_count / 3;
	reference *all = lrd_arena_zeroed(arena, count, sizeof *all);
	for (uint32_t t = 0; t < count; t++)
	{
		all[t].triangle = t;
		for (size_t axis = 0; axis < 3; axis++)
		{
			double sum = 0.0;
			for (size_t corner = 0; corner < 3; corner++)
			{
				sum += (double)geometry->positions[3 * (size_t)geometry->indices[3 * t + corner] + axis];
			}
			all[t].centroid[axis] = (double)(float)(sum * (1.0 / 3.0));
		}
	}
	lrd_geometry_clusters clusters =
		cluster(geometry, (lrd_geometry_cluster_desc){ .target_triangles = target, .min_triangles = min });
	uint32_t next_cluster = 0;
	assert_cuts(all, count, target, min, &clusters, &next_cluster);
	assert_int_equal(next_cluster, clusters.count);
	assert_each_triangle_once_and_ascending(geometry, &clusters);
}

static void clusters_are_cut_at_the_median_of_the_longest_axis(void **state)
{
	(void)state;
	lrd_geometry sphere = shape_sphere(arena, 80, 50);
	assert_clusters_are_the_plain_ones(&sphere, 500, 100);
	lrd_geometry grid = shape_grid(arena, 61, 33); // rows of centroids that are alike
	assert_clusters_are_the_plain_ones(&grid, 100, 20);
	for (uint32_t seed = 1; seed <= 20; seed++)
	{
		lrd_geometry soup = shape_soup(arena, 200 * seed, 10 * seed, seed);
		assert_clusters_are_the_plain_ones(&soup, 37, seed);
		assert_clusters_are_the_plain_ones(&soup, 1, 1);
	}
}

// Centroids whose distances shrink by half each time: nearly all lie in the lowest bucket of any histogram.
static void centroids_that_crowd_together_are_parted_alike(void **state)
{
	(void)state;
	lrd_geometry soup = shape_soup(arena, 3000, 9000, 77);
	for (size_t i = 0; i < 3 * (size_t)soup.vertex_count; i++)
	{
		soup.positions[i] = ldexpf(soup.positions[i], -(int)(i % 120));
	}
	assert_clusters_are_the_plain_ones(&soup, 64, 8);
}

static void no_cluster_is_smaller_than_the_least_size(void **state)
{
	(void)state;
	lrd_geometry soup = shape_soup(arena, 5000, 900, 5);
	const lrd_geometry_cluster_desc descs[] = { { 10, 100, 0.0f }, { 1000, 900, 0.0f }, { 0, 33, 1e-6f },
		{ 1, 5000, 1e-6f }, { 1, 5001, 1e-6f } };
	for (size_t i = 0; i < sizeof descs / sizeof *descs; i++)
	{
		lrd_geometry_clusters clusters = cluster(&soup, descs[i]);
		assert_each_triangle_once_and_ascending(&soup, &clusters);
		for (uint32_t c = 0; c < clusters.count && clusters.count > 1; c++)
		{
			assert_true(size_of(&clusters, c) >= descs[i].min_triangles);
		}
		for (uint32_t c = 0; c < clusters.count; c++)
		{
			assert_true(size_of(&clusters, c) < 2 * descs[i].min_triangles || size_of(&clusters, c) <= 1000);
		}
	}
}

static float largest_side(const lrd_geometry *geometry, const lrd_geometry_clusters *clusters, uint32_t c)
{
	lrd_geometry part;
	assert_true(lrd_geometry_extract(
		geometry, clusters->triangles + clusters->offsets[c], size_of(clusters, c), arena, &part, NULL));
	lrd_bounds box = lrd_bounds_of(part.positions, part.vertex_count, 12);
	return fmaxf(box.max.x - box.min.x, fmaxf(box.max.y - box.min.y, box.max.z - box.min.z));
}

static void a_largest_extent_cuts_what_is_wider(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 100, 100); // the unit square
	lrd_geometry_clusters clusters = cluster(&grid, (lrd_geometry_cluster_desc){ .max_extent = 0.3f });
	assert_int_equal(clusters.count, 16);
	for (uint32_t c = 0; c < clusters.count; c++)
	{
		assert_true(largest_side(&grid, &clusters, c) <= 0.3f);
	}
	// Its centroids lie within the limit, its corners do not.
	lrd_geometry one = shape_grid(arena, 1, 1);
	assert_int_equal(cluster(&one, (lrd_geometry_cluster_desc){ .max_extent = 0.5f }).count, 2);
}

static void zeroed_limits_are_none(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 100, 100);
	lrd_geometry_clusters clusters = cluster(&grid, (lrd_geometry_cluster_desc){ 0 });
	assert_int_equal(clusters.count, 1);
	assert_each_triangle_once_and_ascending(&grid, &clusters);
	clusters = cluster(&grid, (lrd_geometry_cluster_desc){ .max_extent = NAN });
	assert_int_equal(clusters.count, 1);
}

static void triangles_at_one_place_are_cut_by_number(void **state)
{
	(void)state;
	lrd_geometry soup = shape_soup(arena, 64, 10, 3);
	for (uint32_t i = 0; i < soup.index_count; i++)
	{
		soup.indices[i] = i % 3;
	}
	lrd_geometry_clusters clusters = cluster(&soup, (lrd_geometry_cluster_desc){ .target_triangles = 16 });
	assert_int_equal(clusters.count, 4);
	for (uint32_t i = 0; i < 64; i++)
	{
		assert_int_equal(clusters.triangles[i], i);
	}
}

static void positions_that_are_no_numbers_are_in_some_cluster(void **state)
{
	(void)state;
	lrd_geometry soup = shape_soup(arena, 1000, 500, 8);
	for (size_t i = 0; i < 3 * (size_t)soup.vertex_count; i += 7)
	{
		soup.positions[i] = i % 2 == 0 ? NAN : i % 3 == 0 ? INFINITY : -INFINITY;
	}
	lrd_geometry_clusters clusters =
		cluster(&soup, (lrd_geometry_cluster_desc){ .target_triangles = 50, .min_triangles = 10, .max_extent = 0.1f });
	assert_each_triangle_once_and_ascending(&soup, &clusters);
	for (size_t i = 0; i < 3 * (size_t)soup.vertex_count; i++)
	{
		soup.positions[i] = i % 2 == 0 ? 3e38f : -3e38f;
	}
	clusters = cluster(&soup, (lrd_geometry_cluster_desc){ .target_triangles = 50, .max_extent = 1e38f });
	assert_each_triangle_once_and_ascending(&soup, &clusters);
}

static void nothing_makes_no_clusters(void **state)
{
	(void)state;
	lrd_geometry empty = shape_allocate(arena, 0, 0);
	lrd_geometry_clusters clusters = cluster(&empty, (lrd_geometry_cluster_desc){ .target_triangles = 5 });
	assert_int_equal(clusters.count, 0);
	assert_int_equal(clusters.offsets[0], 0);
}

static void assert_vertex_is(const lrd_geometry *part, uint32_t v, const lrd_geometry *whole, uint32_t w)
{
	assert_memory_equal(part->positions + 3 * (size_t)v, whole->positions + 3 * (size_t)w, 12);
	assert_memory_equal(part->normals + 3 * (size_t)v, whole->normals + 3 * (size_t)w, 12);
	assert_memory_equal(part->tangents + 4 * (size_t)v, whole->tangents + 4 * (size_t)w, 16);
	assert_memory_equal(part->uv[0] + 2 * (size_t)v, whole->uv[0] + 2 * (size_t)w, 8);
	assert_memory_equal(part->uv[1] + 2 * (size_t)v, whole->uv[1] + 2 * (size_t)w, 8);
	assert_memory_equal(part->colors + 4 * (size_t)v, whole->colors + 4 * (size_t)w, 16);
	assert_memory_equal(part->joints + 4 * (size_t)v, whole->joints + 4 * (size_t)w, 8);
	assert_memory_equal(part->weights + 4 * (size_t)v, whole->weights + 4 * (size_t)w, 16);
	for (uint32_t m = 0; m < whole->morph_count; m++)
	{
		const lrd_geometry_morph *a = &part->morphs[m];
		const lrd_geometry_morph *b = &whole->morphs[m];
		assert_memory_equal(a->positions + 3 * (size_t)v, b->positions + 3 * (size_t)w, 12);
		assert_memory_equal(a->normals + 3 * (size_t)v, b->normals + 3 * (size_t)w, 12);
		assert_memory_equal(a->tangents + 3 * (size_t)v, b->tangents + 3 * (size_t)w, 12);
	}
}

static void extracted_clusters_are_the_whole_bit_for_bit(void **state)
{
	(void)state;
	lrd_geometry sphere = shape_sphere(arena, 60, 40);
	shape_dress(arena, &sphere, 2);
	assert_true(lrd_geometry_any_tangents(&sphere, NULL));
	lrd_geometry_clusters clusters = cluster(&sphere, (lrd_geometry_cluster_desc){ .target_triangles = 300 });
	assert_true(clusters.count > 8);
	for (uint32_t c = 0; c < clusters.count; c++)
	{
		const uint32_t *triangles = clusters.triangles + clusters.offsets[c];
		lrd_geometry part;
		assert_true(lrd_geometry_extract(&sphere, triangles, size_of(&clusters, c), arena, &part, NULL));
		assert_int_equal(part.index_count, 3 * size_of(&clusters, c));
		assert_int_equal(part.morph_count, 2);
		assert_ptr_equal(part.arena, arena);
		uint32_t next = 0;
		for (uint32_t i = 0; i < part.index_count; i++)
		{
			assert_true(part.indices[i] <= next); // in order of first use
			next += part.indices[i] == next;
			assert_vertex_is(&part, part.indices[i], &sphere, sphere.indices[3 * triangles[i / 3] + i % 3]);
		}
		assert_int_equal(next, part.vertex_count);
	}
}

static void extracting_leaves_absent_attributes_absent(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 3, 3);
	lrd_geometry part;
	assert_true(lrd_geometry_extract(&grid, (uint32_t[]){ 4, 4, 1 }, 3, arena, &part, NULL));
	assert_int_equal(part.index_count, 9);
	assert_memory_equal(part.indices, part.indices + 3, 12);
	assert_true(part.tangents == NULL && part.uv[1] == NULL && part.colors == NULL && part.joints == NULL);
	assert_true(lrd_geometry_extract(&grid, NULL, 0, arena, &part, NULL));
	assert_true(part.index_count == 0 && part.vertex_count == 0);
}

static void a_triangle_that_is_not_there_is_refused(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 3, 3);
	lrd_geometry part = { .vertex_count = 7 };
	lrd_error error;
	assert_false(lrd_geometry_extract(&grid, (uint32_t[]){ 0, 18 }, 2, arena, &part, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_non_null(strstr(error.message, "18"));
	assert_int_equal(part.vertex_count, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GEOMETRY_TEST(clusters_are_cut_at_the_median_of_the_longest_axis),
		GEOMETRY_TEST(centroids_that_crowd_together_are_parted_alike),
		GEOMETRY_TEST(no_cluster_is_smaller_than_the_least_size),
		GEOMETRY_TEST(a_largest_extent_cuts_what_is_wider),
		GEOMETRY_TEST(zeroed_limits_are_none),
		GEOMETRY_TEST(triangles_at_one_place_are_cut_by_number),
		GEOMETRY_TEST(positions_that_are_no_numbers_are_in_some_cluster),
		GEOMETRY_TEST(nothing_makes_no_clusters),
		GEOMETRY_TEST(extracted_clusters_are_the_whole_bit_for_bit),
		GEOMETRY_TEST(extracting_leaves_absent_attributes_absent),
		GEOMETRY_TEST(a_triangle_that_is_not_there_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
