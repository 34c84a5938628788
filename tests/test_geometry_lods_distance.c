// What a LOD's error says: no point of either surface is farther from the other, by a sampler that knows nothing of how
// it was measured.

#include "fixtures/geometry_test.h"
#include "fixtures/lod_shapes.h"

#include <stdlib.h>

// A dense sample finds a little less than there is, and errors are measured to within a fifth.
#define EXCESS 1.2
#define SAMPLES 20000

static double side_of(const lrd_geometry *geometry)
{
	lrd_bounds bounds = lrd_bounds_of(geometry->positions, geometry->vertex_count, 12);
	lrd_vec3 size = lrd_vec3_sub(bounds.max, bounds.min);
	return (double)fmaxf(size.x, fmaxf(size.y, size.z));
}

static double total_stored;
static double total_measured;

static void assert_errors_hold(const lrd_geometry *geometry, bool lock_borders, const char *what)
{
	lrd_geometry_lods lods;
	lrd_geometry_lod_desc desc = { .count = 8, .ratio = 0.5f, .error = 0.05f, .lock_borders = lock_borders };
	assert_true(lrd_geometry_build_lods(geometry, &desc, &lods, NULL));
	double rounding = 1e-6 * side_of(geometry);
	for (uint32_t level = 0; level < lods.count; level++)
	{
		const lrd_geometry_lod *lod = &lods.lods[level];
		double measured = hausdorff_two_sided(lod_surface(geometry), lod_surface_of(geometry, lod), SAMPLES);
		if (measured > EXCESS * (double)lod->error + rounding)
		{
			fail_msg("%s, LOD %u of %u triangles: %g measured, %g stored", what, level + 1, lod->index_count / 3,
				measured, (double)lod->error);
		}
		total_stored += log((double)lod->error + rounding);
		total_measured += log(measured + rounding);
	}
}

static void errors_hold_on_smooth_surfaces(void **state)
{
	(void)state;
	lrd_geometry torus = lod_shape_torus(arena, 40, 60);
	lrd_geometry sphere = shape_sphere(arena, 60, 40);
	lrd_geometry wave = shape_grid(arena, 50, 50);
	lod_shape_finish(&sphere);
	lod_shape_finish(&wave);
	assert_errors_hold(&torus, false, "torus");
	assert_errors_hold(&sphere, false, "sphere");
	assert_errors_hold(&wave, false, "wave");
	assert_errors_hold(&wave, true, "wave, locked");
}

static void errors_hold_on_bumpy_meshes(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 4; seed++)
	{
		lrd_geometry bumpy = lod_shape_bumpy(arena, 40, 0.002f * (float)(seed * seed), seed);
		assert_errors_hold(&bumpy, seed % 2 == 0, "bumpy");
	}
}

static void errors_hold_on_thin_shells(void **state)
{
	(void)state;
	const float thicknesses[] = { 0.1f, 0.01f, 0.0005f };
	for (size_t i = 0; i < 3; i++)
	{
		lrd_geometry shell = lod_shape_shell(arena, 36, thicknesses[i]);
		assert_errors_hold(&shell, i == 1, "shell");
	}
}

static void errors_hold_on_tubes(void **state)
{
	(void)state;
	const float radii[] = { 0.1f, 0.02f, 0.002f };
	for (size_t i = 0; i < 3; i++)
	{
		lrd_geometry tube = lod_shape_tube(arena, 12, 120, radii[i]);
		assert_errors_hold(&tube, i == 1, "tube");
	}
}

static void errors_hold_on_boxes(void **state)
{
	(void)state;
	lrd_geometry box = lod_shape_faceted_box(arena, 10);
	assert_errors_hold(&box, false, "box");
}

static void errors_hold_on_cards(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 3; seed++)
	{
		lrd_geometry cards = lod_shape_cards(arena, 600, 0.02f * (float)(seed * seed), seed);
		assert_errors_hold(&cards, false, "cards");
	}
}

static void errors_hold_on_soups(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 6; seed++)
	{
		lrd_geometry soup = shape_soup(arena, 1200, 40 * seed * seed, seed * 104729);
		lod_shape_finish(&soup);
		assert_errors_hold(&soup, seed % 2 == 0, "soup");
		lrd_geometry torn = shape_flipped_grid(arena, 36, 36, seed * 7919);
		lod_shape_finish(&torn);
		assert_errors_hold(&torn, seed % 2 == 1, "torn");
	}
}

static void errors_are_not_far_too_large(void **state)
{
	(void)state;
	total_stored = 0.0;
	total_measured = 0.0;
	lrd_geometry torus = lod_shape_torus(arena, 50, 70);
	lrd_geometry bumpy = lod_shape_bumpy(arena, 40, 0.004f, 5);
	assert_errors_hold(&torus, false, "torus");
	double levels_before = total_stored;
	assert_true(levels_before < 0.0);
	assert_errors_hold(&bumpy, false, "bumpy");
	// Twice is 0.69 a level; there are 8 at least.
	assert_true(total_stored - total_measured < 0.69 * 14.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GEOMETRY_TEST(errors_hold_on_smooth_surfaces),
		GEOMETRY_TEST(errors_hold_on_bumpy_meshes),
		GEOMETRY_TEST(errors_hold_on_thin_shells),
		GEOMETRY_TEST(errors_hold_on_tubes),
		GEOMETRY_TEST(errors_hold_on_boxes),
		GEOMETRY_TEST(errors_hold_on_cards),
		GEOMETRY_TEST(errors_hold_on_soups),
		GEOMETRY_TEST(errors_are_not_far_too_large),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
