// What is made of cards and what is not.

#include "fixtures/geometry_test.h"

#include "geometry/clusters.h"

static bool is_cards(const lrd_geometry *geometry)
{
	bool cards = false;
	lrd_error error;
	if (!lrd_geometry_is_cards(geometry, &cards, &error))
	{
		fail_msg("%s", error.message);
	}
	return cards;
}

// Strips of quads, each turned at random and of its own place; `bend` turns each quad against the one before it,
// radians. Both sides: every triangle a second time, the other way round, over vertices of its own.
typedef struct strips_desc
{
	uint32_t count;
	uint32_t quads;
	float bend;
	float spread; // places lie within this distance of the origin
	bool both_sides;
} strips_desc;

static void add_strip(lrd_geometry *geometry, const strips_desc *desc, shape_random *random)
{
	lrd_vec3 at = { shape_random_float(random, -desc->spread, desc->spread),
		shape_random_float(random, -desc->spread, desc->spread),
		shape_random_float(random, -desc->spread, desc->spread) };
	lrd_vec3 along = lrd_vec3_normalize_or(
		(lrd_vec3){ shape_random_float(random, -1.0f, 1.0f), shape_random_float(random, -1.0f, 1.0f), 0.1f },
		(lrd_vec3){ 0 });
	lrd_vec3 across = lrd_vec3_normalize_or(lrd_vec3_cross(along, (lrd_vec3){ 0.3f, 0.2f, 0.9f }), (lrd_vec3){ 0 });
	for (uint32_t side = 0; side < (desc->both_sides ? 2u : 1u); side++)
	{
		lrd_vec3 p = at;
		lrd_vec3 step = along;
		uint32_t first = geometry->vertex_count;
		for (uint32_t row = 0; row <= desc->quads; row++)
		{
			lrd_vec3 right = lrd_vec3_add(p, lrd_vec3_scale(across, 0.4f));
			memcpy(geometry->positions + 3 * (size_t)geometry->vertex_count++, &p, 12);
			memcpy(geometry->positions + 3 * (size_t)geometry->vertex_count++, &right, 12);
			p = lrd_vec3_add(p, step);
			lrd_vec3 up = lrd_vec3_cross(across, step);
			step = lrd_vec3_add(lrd_vec3_scale(step, cosf(desc->bend)), lrd_vec3_scale(up, sinf(desc->bend)));
		}
		for (uint32_t quad = 0; quad < desc->quads; quad++)
		{
			uint32_t a = first + 2 * quad;
			const uint32_t front[6] = { a, a + 1, a + 2, a + 2, a + 1, a + 3 };
			const uint32_t back[6] = { a, a + 2, a + 1, a + 2, a + 3, a + 1 };
			memcpy(geometry->indices + geometry->index_count, side == 0 ? front : back, sizeof front);
			geometry->index_count += 6;
		}
	}
}

static lrd_geometry make_strips(strips_desc desc)
{
	uint32_t sides = desc.both_sides ? 2 : 1;
	lrd_geometry strips =
		shape_allocate(arena, sides * desc.count * (2 * desc.quads + 2), sides * desc.count * desc.quads * 6);
	strips.vertex_count = strips.index_count = 0;
	shape_random random = { 4711 };
	for (uint32_t i = 0; i < desc.count; i++)
	{
		add_strip(&strips, &desc, &random);
	}
	return strips;
}

// Copies of a geometry that overlap without touching.
static lrd_geometry scattered(const lrd_geometry *one, uint32_t count)
{
	lrd_geometry *copies = lrd_arena_zeroed(arena, count, sizeof *copies);
	for (uint32_t i = 0; i < count; i++)
	{
		copies[i] = shape_allocate(arena, one->vertex_count, one->index_count);
		memcpy(copies[i].indices, one->indices, 4 * one->index_count);
		for (size_t k = 0; k < 3 * (size_t)one->vertex_count; k++)
		{
			copies[i].positions[k] = one->positions[k] + (float)(i + 1) * 0.37f;
		}
	}
	lrd_geometry all;
	assert_true(lrd_geometry_merge(arena, copies, count, &all, NULL));
	return all;
}

// Six faces of two triangles over vertices of their own, flattened along y.
static lrd_geometry make_box(float height)
{
	lrd_geometry box = shape_allocate(arena, 24, 36);
	for (uint32_t face = 0; face < 6; face++)
	{
		size_t axis = face / 2;
		for (uint32_t corner = 0; corner < 4; corner++)
		{
			float *p = box.positions + 3 * ((size_t)face * 4 + corner);
			p[axis] = face % 2 == 0 ? -1.0f : 1.0f;
			p[(axis + 1) % 3] = corner % 2 == 0 ? -1.0f : 1.0f;
			p[(axis + 2) % 3] = corner < 2 ? -1.0f : 1.0f;
			p[1] *= height;
		}
		uint32_t a = face * 4;
		memcpy(box.indices + 6 * (size_t)face, (uint32_t[]){ a, a + 1, a + 2, a + 2, a + 1, a + 3 }, 24);
	}
	return box;
}

static void quads_that_stand_apart_are_cards(void **state)
{
	(void)state;
	lrd_geometry grass = make_strips((strips_desc){ .count = 200, .quads = 1, .spread = 50.0f });
	assert_true(is_cards(&grass));
}

static void leaves_that_cross_each_other_are_cards(void **state)
{
	(void)state;
	lrd_geometry leaves = make_strips((strips_desc){ .count = 60, .quads = 1, .spread = 0.1f });
	assert_true(is_cards(&leaves));
	leaves = make_strips((strips_desc){ .count = 60, .quads = 3, .spread = 0.1f, .both_sides = true });
	assert_true(is_cards(&leaves));
}

static void curling_strips_of_hair_are_cards(void **state)
{
	(void)state;
	lrd_geometry hair = make_strips((strips_desc){ .count = 500, .quads = 16, .bend = 0.15f, .spread = 3.0f });
	assert_true(is_cards(&hair));
	hair = make_strips((strips_desc){ .count = 500, .quads = 16, .bend = 0.15f, .spread = 3.0f, .both_sides = true });
	assert_true(is_cards(&hair));
}

static void vertices_need_not_be_shared_within_a_card(void **state)
{
	(void)state;
	lrd_geometry hair = make_strips((strips_desc){ .count = 40, .quads = 8, .bend = 0.2f, .spread = 9.0f });
	assert_true(lrd_geometry_unindex(&hair, NULL));
	assert_true(is_cards(&hair));
}

static void a_few_cards_are_not_many(void **state)
{
	(void)state;
	lrd_geometry few = make_strips((strips_desc){ .count = 7, .quads = 1, .spread = 5.0f });
	assert_false(is_cards(&few));
	few = make_strips((strips_desc){ .count = 8, .quads = 1, .spread = 5.0f });
	assert_true(is_cards(&few));
}

static void strips_that_are_long_are_ribbons(void **state)
{
	(void)state;
	lrd_geometry ribbons = make_strips((strips_desc){ .count = 20, .quads = 40, .bend = 0.05f, .spread = 5.0f });
	assert_false(is_cards(&ribbons));
}

static void solids_are_not_cards(void **state)
{
	(void)state;
	lrd_geometry cube = shape_mirrored_cube(arena);
	assert_false(is_cards(&cube));
	lrd_geometry box = make_box(1.0f);
	assert_false(is_cards(&box));
	lrd_geometry boxes = scattered(&box, 100);
	assert_false(is_cards(&boxes));
	lrd_geometry plank = make_box(0.01f); // thin, but of twelve triangles and closed
	lrd_geometry planks = scattered(&plank, 100);
	assert_false(is_cards(&planks));
	lrd_geometry sphere = shape_sphere(arena, 8, 4);
	lrd_geometry spheres = scattered(&sphere, 100);
	assert_false(is_cards(&spheres));
	lrd_geometry tetrahedron = shape_allocate(arena, 4, 12);
	memcpy(tetrahedron.positions + 3, ((float[]){ 1, 0, 0, 0, 1, 0, 0, 0, 1 }), 36);
	memcpy(tetrahedron.indices, (uint32_t[]){ 0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2 }, 48);
	lrd_geometry tetrahedra = scattered(&tetrahedron, 100);
	assert_false(is_cards(&tetrahedra));
}

static void a_terrain_is_not_cards_however_flat(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 40, 40);
	assert_false(is_cards(&grid));
	assert_true(lrd_geometry_unindex(&grid, NULL)); // of vertices that only lie on one another
	assert_false(is_cards(&grid));
	lrd_geometry tile = shape_grid(arena, 4, 4);
	lrd_geometry tiles = scattered(&tile, 50);
	assert_false(is_cards(&tiles));
}

static void open_tubes_are_not_cards(void **state)
{
	(void)state;
	// Every triangle of a tube has an open edge, as a strip's have, but they go round.
	lrd_geometry tube = shape_grid(arena, 12, 1);
	for (uint32_t v = 0; v < tube.vertex_count; v++)
	{
		float turn = (float)(v % 13 % 12) * 0.5235988f;
		memcpy(tube.positions + 3 * (size_t)v, ((float[]){ cosf(turn), (float)(v / 13), sinf(turn) }), 12);
	}
	lrd_geometry tubes = scattered(&tube, 50);
	assert_false(is_cards(&tubes));
}

static void some_cards_on_a_solid_do_not_make_it_cards(void **state)
{
	(void)state;
	lrd_geometry parts[2] = { make_strips((strips_desc){ .count = 100, .quads = 1, .spread = 5.0f }),
		shape_grid(arena, 10, 10) };
	lrd_geometry both;
	assert_true(lrd_geometry_merge(arena, parts, 2, &both, NULL));
	assert_false(is_cards(&both));
	parts[1] = shape_grid(arena, 3, 3); // a stem
	assert_true(lrd_geometry_merge(arena, parts, 2, &both, NULL));
	assert_true(is_cards(&both));
}

static void numbers_that_are_none_and_nothing_are_no_cards(void **state)
{
	(void)state;
	lrd_geometry empty = shape_allocate(arena, 0, 0);
	assert_false(is_cards(&empty));
	lrd_geometry grass = make_strips((strips_desc){ .count = 20, .quads = 1, .spread = 50.0f });
	for (size_t i = 0; i < 3 * (size_t)grass.vertex_count; i++)
	{
		grass.positions[i] = NAN;
	}
	assert_false(is_cards(&grass));
	grass = make_strips((strips_desc){ .count = 20, .quads = 1, .spread = 50.0f });
	grass.positions[5] = NAN;
	grass.positions[80] = INFINITY;
	assert_true(is_cards(&grass));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GEOMETRY_TEST(quads_that_stand_apart_are_cards),
		GEOMETRY_TEST(leaves_that_cross_each_other_are_cards),
		GEOMETRY_TEST(curling_strips_of_hair_are_cards),
		GEOMETRY_TEST(vertices_need_not_be_shared_within_a_card),
		GEOMETRY_TEST(a_few_cards_are_not_many),
		GEOMETRY_TEST(strips_that_are_long_are_ribbons),
		GEOMETRY_TEST(solids_are_not_cards),
		GEOMETRY_TEST(a_terrain_is_not_cards_however_flat),
		GEOMETRY_TEST(open_tubes_are_not_cards),
		GEOMETRY_TEST(some_cards_on_a_solid_do_not_make_it_cards),
		GEOMETRY_TEST(numbers_that_are_none_and_nothing_are_no_cards),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
