// How fine a texture is worth having where it is seen.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "larder/stream.h"

#include <math.h>

static void texel_to_a_pixel_is_level_0_and_each_doubling_the_next(void **state)
{
	(void)state;
	// 1000 pixels to a unit at distance 1; a texture of 1024 texels along a unit.
	assert_int_equal(lrd_stream_level(1024, 0.5f, 1000), 0);
	assert_int_equal(lrd_stream_level(1000, 1, 1000), 0);
	assert_int_equal(lrd_stream_level(1000, 1.99f, 1000), 0);
	assert_int_equal(lrd_stream_level(1000, 2, 1000), 1);
	assert_int_equal(lrd_stream_level(1000, 3.99f, 1000), 1);
	assert_int_equal(lrd_stream_level(1000, 4, 1000), 2);
	assert_int_equal(lrd_stream_level(1000, 1024, 1000), 10);
	float step = 1;
	for (uint32_t level = 0; level < 30; level++, step *= 2)
	{
		assert_int_equal(lrd_stream_level(1, step, 1), level);
		assert_int_equal(lrd_stream_level(1, nextafterf(step * 2, 0), 1), level);
	}
}

static void what_makes_no_sense_is_the_finest_or_the_coarsest_level(void **state)
{
	(void)state;
	assert_int_equal(lrd_stream_level(1024, 0, 1000), 0);
	assert_int_equal(lrd_stream_level(1024, -5, 1000), 0);
	assert_int_equal(lrd_stream_level(0, 10, 1000), 0);
	assert_int_equal(lrd_stream_level(NAN, 10, 1000), 0);
	assert_int_equal(lrd_stream_level(1024, 10, 0), 31);
	assert_int_equal(lrd_stream_level(1024, INFINITY, 1000), 31);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texel_to_a_pixel_is_level_0_and_each_doubling_the_next),
		cmocka_unit_test(what_makes_no_sense_is_the_finest_or_the_coarsest_level),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
