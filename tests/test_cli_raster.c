// The program's rasteriser: which samples a triangle covers, depth, perspective, what is left out, lines, letters.

#include "cli/raster.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PIXELS 64u
#define SIDE (PIXELS * 2)

static const cli_color black = { 0, 0, 0 };

static uint32_t random_number(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/// How often each sample was visited.
typedef struct tally
{
	uint32_t visits[SIDE * SIDE];
	uint32_t backs;
} tally;

static void count_visit(void *context, uint32_t x, uint32_t y, bool is_back)
{
	tally *self = context;
	assert_true(x < SIDE && y < SIDE);
	self->visits[y * SIDE + x]++;
	self->backs += is_back;
}

static void triangles_that_share_edges_share_out_samples(void **state)
{
	(void)state;
	tally *seen = calloc(1, sizeof *seen);
	assert_non_null(seen);
	float grid[9][9][2];
	uint32_t seed = 7;
	for (int y = 0; y < 9; ++y)
	{
		for (int x = 0; x < 9; ++x) // on whole halves at times, where edges meet centres of samples
		{
			bool is_rim = x == 0 || y == 0 || x == 8 || y == 8;
			float shift_x = is_rim ? 0.0f : (float)(random_number(&seed) % 17) * 0.5f - 4.0f;
			float shift_y = is_rim ? 0.0f : (float)(random_number(&seed) % 1000) * 0.008f - 4.0f;
			grid[y][x][0] = (float)x * 16.0f + shift_x;
			grid[y][x][1] = (float)y * 16.0f + shift_y;
		}
	}
	for (int q = 0; q < 64; ++q)
	{
		const float *a = grid[q / 8][q % 8], *b = grid[q / 8][q % 8 + 1];
		const float *c = grid[q / 8 + 1][q % 8], *d = grid[q / 8 + 1][q % 8 + 1];
		float one[3][2] = { { a[0], a[1] }, { c[0], c[1] }, { b[0], b[1] } };
		float two[3][2] = { { b[0], b[1] }, { c[0], c[1] }, { d[0], d[1] } };
		cli_walk_triangle(SIDE, one, count_visit, seen);
		cli_walk_triangle(SIDE, two, count_visit, seen);
	}
	for (uint32_t i = 0; i < SIDE * SIDE; ++i)
	{
		assert_int_equal(seen->visits[i], 1);
	}
	assert_int_equal(seen->backs, 0);
	free(seen);
}

static void a_triangle_turned_round_covers_the_same_samples_as_a_back(void **state)
{
	(void)state;
	tally *front = calloc(1, sizeof *front);
	tally *back = calloc(1, sizeof *back);
	assert_true(front != NULL && back != NULL);
	float one[3][2] = { { 3.5f, 90.0f }, { 100.0f, 110.5f }, { 60.0f, 8.0f } };
	float other[3][2] = { { 3.5f, 90.0f }, { 60.0f, 8.0f }, { 100.0f, 110.5f } };
	cli_walk_triangle(SIDE, one, count_visit, front);
	cli_walk_triangle(SIDE, other, count_visit, back);
	uint32_t count = 0;
	for (uint32_t i = 0; i < SIDE * SIDE; ++i)
	{
		assert_int_equal(front->visits[i], back->visits[i]);
		count += front->visits[i];
	}
	assert_int_equal(front->backs, 0);
	assert_int_equal(back->backs, count);
	assert_true(count > 3000);
	free(front);
	free(back);
}

static void what_lies_outside_costs_and_draws_nothing(void **state)
{
	(void)state;
	tally *seen = calloc(1, sizeof *seen);
	assert_non_null(seen);
	float around[3][2] = { { -90000.0f, 200000.0f }, { 300000.0f, 200000.0f }, { 0.0f, -400000.0f } };
	cli_walk_triangle(SIDE, around, count_visit, seen);
	for (uint32_t i = 0; i < SIDE * SIDE; ++i)
	{
		assert_int_equal(seen->visits[i], 1);
	}
	float bad[][3][2] = {
		{ { NAN, 0 }, { 10, 0 }, { 0, 10 } },
		{ { 0, 0 }, { INFINITY, 0 }, { 0, 10 } },
		{ { 0, 0 }, { 3e38f, 0 }, { 0, 10 } },
		{ { 5, 5 }, { 5, 5 }, { 5, 5 } },
		{ { 0, 0 }, { 10, 10 }, { 20, 20 } },
		{ { 200, 200 }, { 200, 300 }, { 300, 200 } },
		{ { -10, -10 }, { -10, -5 }, { -5, -10 } },
	};
	memset(seen, 0, sizeof *seen);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
	{
		cli_walk_triangle(SIDE, bad[i], count_visit, seen);
	}
	for (uint32_t i = 0; i < SIDE * SIDE; ++i)
	{
		assert_int_equal(seen->visits[i], 0);
	}
	free(seen);
}

static cli_canvas made_canvas(void)
{
	cli_canvas canvas;
	assert_true(cli_canvas_make(&canvas, PIXELS));
	cli_canvas_clear(&canvas, black);
	return canvas;
}

static cli_color color_at(const cli_canvas *canvas, uint32_t x, uint32_t y)
{
	return canvas->colors[y * canvas->side + x];
}

static bool shade_value(void *context, const cli_fragment *at, cli_color *color)
{
	(void)context;
	*color = (cli_color){ (uint8_t)(at->values[0] + 0.5f), at->is_back ? 255 : 0, (uint8_t)fminf(at->edge, 255.0f) };
	return at->values[1] == 0.0f;
}

/// A triangle over the whole canvas, with one value and distance at each corner.
static void cover(cli_canvas *canvas, const float nearness[3], const float values[3], bool is_back, bool is_cut)
{
	cli_corner corners[3] = { { .x = 0, .y = 256 }, { .x = 256, .y = 0 }, { .x = 0, .y = 0 } };
	for (int i = 0; i < 3; ++i)
	{
		corners[i].nearness = nearness[i];
		corners[i].values[0] = values[i];
		corners[i].values[1] = is_cut ? 1.0f : 0.0f;
	}
	cli_corner swapped = corners[1];
	corners[1] = is_back ? corners[2] : corners[1];
	corners[2] = is_back ? swapped : corners[2];
	cli_draw_triangle(canvas, corners, shade_value, NULL);
}

static void what_is_nearer_hides_the_rest_in_any_order(void **state)
{
	(void)state;
	const float near[3] = { 1, 1, 1 }, far[3] = { 0.5f, 0.5f, 0.5f };
	const float one[3] = { 100, 100, 100 }, two[3] = { 200, 200, 200 };
	for (int order = 0; order < 2; ++order)
	{
		cli_canvas canvas = made_canvas();
		cover(&canvas, order == 0 ? near : far, order == 0 ? one : two, false, false);
		cover(&canvas, order == 0 ? far : near, order == 0 ? two : one, false, false);
		assert_int_equal(color_at(&canvas, 40, 40).r, 100);
		cli_canvas_free(&canvas);
	}
}

static void a_front_hides_a_back_at_its_own_place_in_any_order(void **state)
{
	(void)state;
	const float near[3] = { 1, 0.7f, 0.9f }, value[3] = { 50, 50, 50 };
	for (int order = 0; order < 2; ++order)
	{
		cli_canvas canvas = made_canvas();
		cover(&canvas, near, value, order == 0, false);
		cover(&canvas, near, value, order == 1, false);
		for (uint32_t i = 0; i < SIDE; ++i)
		{
			assert_int_equal(color_at(&canvas, i, SIDE - 1 - i).g, 0);
			assert_int_equal(color_at(&canvas, i, SIDE - 1 - i).r, 50);
		}
		cli_canvas_free(&canvas);
	}
}

static void a_fragment_that_is_refused_leaves_what_was_there(void **state)
{
	(void)state;
	const float near[3] = { 1, 1, 1 }, far[3] = { 0.5f, 0.5f, 0.5f }, value[3] = { 80, 80, 80 };
	cli_canvas canvas = made_canvas();
	cover(&canvas, near, value, false, true);
	assert_int_equal(color_at(&canvas, 9, 9).r, 0);
	cover(&canvas, far, value, false, false);
	assert_int_equal(color_at(&canvas, 9, 9).r, 80);
	cli_canvas_free(&canvas);
}

static void values_are_interpolated_in_perspective(void **state)
{
	(void)state;
	// along the upper edge from distance 1 to distance 3: half way on the canvas is a quarter of the way in space
	const float nearness[3] = { 1.0f, 1.0f / 3.0f, 1.0f }, values[3] = { 0, 200, 0 };
	cli_canvas canvas = made_canvas();
	cover(&canvas, nearness, values, false, false);
	assert_in_range(color_at(&canvas, 127, 0).r, 49, 51);
	assert_in_range(color_at(&canvas, 0, 0).r, 0, 1);
	cli_canvas_free(&canvas);
}

static void a_fragment_knows_how_far_the_nearest_edge_is(void **state)
{
	(void)state;
	const float near[3] = { 1, 1, 1 }, value[3] = { 0 };
	cli_canvas canvas = made_canvas();
	cover(&canvas, near, value, false, false);
	assert_int_equal(color_at(&canvas, 10, 60).b, 10); // 10.5 from the left edge
	assert_int_equal(color_at(&canvas, 60, 20).b, 20);
	assert_int_equal(color_at(&canvas, 125, 125).b, (uint8_t)((256.0 - 251.0) / sqrt(2.0)));
	cli_canvas_free(&canvas);
}

static void a_pixel_is_the_mean_of_its_samples(void **state)
{
	(void)state;
	cli_canvas canvas = made_canvas();
	uint8_t rgba[PIXELS * PIXELS * 4];
	canvas.colors[2 * SIDE + 4] = (cli_color){ 255, 100, 8 };
	canvas.colors[3 * SIDE + 5] = (cli_color){ 255, 100, 0 };
	cli_canvas_resolve(&canvas, rgba, (size_t)PIXELS * 4);
	const uint8_t *pixel = rgba + (1 * PIXELS + 2) * 4;
	assert_int_equal(pixel[0], 128);
	assert_int_equal(pixel[1], 50);
	assert_int_equal(pixel[2], 2);
	assert_int_equal(pixel[3], 255);
	assert_int_equal(rgba[0], 0);
	cli_canvas_free(&canvas);
}

static uint32_t stained(const cli_canvas *canvas)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < SIDE * SIDE; ++i)
	{
		count += canvas->colors[i].r != 0;
	}
	return count;
}

static void a_line_is_two_samples_wide_and_stains_each_once(void **state)
{
	(void)state;
	const float ends[][2] = { { 10, 20 }, { 109.9f, 20 }, { 20, 10 }, { 20, 109.9f }, { 10, 10 }, { 109.9f, 60 } };
	for (int i = 0; i < 3; ++i)
	{
		cli_canvas canvas = made_canvas();
		cli_draw_line(&canvas, ends[i * 2], ends[i * 2 + 1], (cli_color){ 200, 200, 200 }, 0.5f);
		assert_int_equal(stained(&canvas), 200);
		for (uint32_t s = 0; s < SIDE * SIDE; ++s)
		{
			assert_true(canvas.colors[s].r == 0 || canvas.colors[s].r == 100);
		}
		cli_canvas_free(&canvas);
	}
}

static void of_a_line_only_what_is_on_the_canvas_is_drawn(void **state)
{
	(void)state;
	const float far[2] = { -9e5f, 40 }, farther[2] = { 9e5f, 40 }, nowhere[2] = { NAN, 0 }, lost[2] = { 3e38f, 40 };
	const float above[2] = { 10, -50 }, aside[2] = { 100, -20 };
	cli_canvas canvas = made_canvas();
	cli_draw_line(&canvas, far, lost, (cli_color){ 200, 0, 0 }, 1.0f);
	cli_draw_line(&canvas, nowhere, far, (cli_color){ 200, 0, 0 }, 1.0f);
	cli_draw_line(&canvas, above, aside, (cli_color){ 200, 0, 0 }, 1.0f);
	assert_int_equal(stained(&canvas), 0);
	cli_draw_line(&canvas, far, farther, (cli_color){ 200, 0, 0 }, 1.0f);
	assert_int_equal(stained(&canvas), 2 * SIDE);
	cli_canvas_free(&canvas);
}

static void every_letter_differs_from_every_other_and_stays_in_its_place(void **state)
{
	(void)state;
	uint8_t rgba[95][8 * 11 * 4];
	memset(rgba, 0, sizeof rgba);
	for (int i = 0; i < 95; ++i)
	{
		const char text[2] = { (char)(' ' + i), 0 };
		cli_draw_text(&(cli_sheet){ 8, 11, rgba[i] }, 1, 1, 1, text, (cli_color){ 255, 255, 255 });
		for (int other = 0; other < i; ++other)
		{
			assert_memory_not_equal(rgba[i], rgba[other], sizeof rgba[i]);
		}
		for (int rim = 0; rim < 88; ++rim)
		{
			bool is_inside = rim % 8 >= 1 && rim % 8 <= 5 && rim / 8 >= 1 && rim / 8 <= 9;
			assert_true(is_inside || rgba[i][rim * 4] == 0);
		}
	}
}

static void text_is_cut_at_the_edges_and_foreign_bytes_are_question_marks(void **state)
{
	(void)state;
	uint8_t one[10 * 5 * 4] = { 0 }, other[10 * 5 * 4] = { 0 };
	cli_draw_text(&(cli_sheet){ 10, 5, one }, 2, 1, 2, "\xc3\xa4 a long text", (cli_color){ 9, 9, 9 });
	cli_draw_text(&(cli_sheet){ 10, 5, other }, 2, 1, 2, "??", (cli_color){ 9, 9, 9 });
	assert_memory_equal(one, other, sizeof one);
	cli_draw_text(&(cli_sheet){ 10, 5, one }, 20, 30, 2, "outside", (cli_color){ 9, 9, 9 });
	assert_memory_equal(one, other, sizeof one);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(triangles_that_share_edges_share_out_samples),
		cmocka_unit_test(a_triangle_turned_round_covers_the_same_samples_as_a_back),
		cmocka_unit_test(what_lies_outside_costs_and_draws_nothing),
		cmocka_unit_test(what_is_nearer_hides_the_rest_in_any_order),
		cmocka_unit_test(a_front_hides_a_back_at_its_own_place_in_any_order),
		cmocka_unit_test(a_fragment_that_is_refused_leaves_what_was_there),
		cmocka_unit_test(values_are_interpolated_in_perspective),
		cmocka_unit_test(a_fragment_knows_how_far_the_nearest_edge_is),
		cmocka_unit_test(a_pixel_is_the_mean_of_its_samples),
		cmocka_unit_test(a_line_is_two_samples_wide_and_stains_each_once),
		cmocka_unit_test(of_a_line_only_what_is_on_the_canvas_is_drawn),
		cmocka_unit_test(every_letter_differs_from_every_other_and_stays_in_its_place),
		cmocka_unit_test(text_is_cut_at_the_edges_and_foreign_bytes_are_question_marks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
