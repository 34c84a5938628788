// The transfer functions and half floats, against their definitions.

#include "fixtures/image_check.h"
#include "image/half.h"
#include "image/srgb.h"

#include <math.h>

static void every_code_survives_the_round_trip(void **state)
{
	(void)state;
	lrd_srgb_tables tables;
	lrd_srgb_tables_fill(&tables);
	for (uint32_t code = 0; code < 256; code++)
	{
		assert_int_equal(lrd_srgb_encode(&tables, tables.linear[code]), code);
		assert_int_equal(lrd_srgb_encode(&tables, lrd_srgb_to_linear((float)code / 255.0f)), code);
		assert_true(fabs(lrd_linear_to_srgb(tables.linear[code]) * 255.0 - code) < 1e-4);
	}
}

// All thresholds and their neighbours, and every 16th float or so between.
static void encoding_rounds_as_the_exact_function_does(void **state)
{
	(void)state;
	lrd_srgb_tables tables;
	lrd_srgb_tables_fill(&tables);
	for (uint32_t bits = 0x37000000u; bits <= 0x3f800000u; bits += 1777)
	{
		float linear;
		memcpy(&linear, &bits, sizeof linear);
		double exact = lrd_linear_to_srgb_exact(linear) * 255.0;
		uint8_t found = lrd_srgb_encode(&tables, linear);
		if (fabs(found - exact) > 0.5 + 1e-5)
		{
			fail_msg("%.9g encodes to %u; exactly %.6f", (double)linear, found, exact);
		}
	}
	for (uint32_t code = 1; code < 256; code++)
	{
		assert_int_equal(lrd_srgb_encode(&tables, tables.threshold[code]), code);
		assert_int_equal(lrd_srgb_encode(&tables, nextafterf(tables.threshold[code], 0.0f)), code - 1);
	}
}

static void values_outside_the_range_are_clamped(void **state)
{
	(void)state;
	lrd_srgb_tables tables;
	lrd_srgb_tables_fill(&tables);
	assert_int_equal(lrd_srgb_encode(&tables, -1.0f), 0);
	assert_int_equal(lrd_srgb_encode(&tables, 2.0f), 255);
	assert_int_equal(lrd_srgb_encode(&tables, INFINITY), 255);
	assert_int_equal(lrd_srgb_encode(&tables, NAN), 0);
}

static void known_values_of_the_standard(void **state)
{
	(void)state;
	assert_true(lrd_srgb_to_linear(0.0f) == 0.0f);
	assert_true(lrd_srgb_to_linear(1.0f) == 1.0f);
	assert_true(fabs(lrd_srgb_to_linear(0.5f) - 0.21404114) < 1e-7);
	assert_true(fabs(lrd_linear_to_srgb(0.5f) - 0.73535698) < 1e-7);
	assert_true(fabs(lrd_linear_to_srgb(0.001f) - 0.01292) < 1e-8);
}

static void every_half_survives_the_round_trip(void **state)
{
	(void)state;
	for (uint32_t half = 0; half < 65536; half++)
	{
		bool is_nan = (half & 0x7fffu) > 0x7c00u;
		uint16_t back = lrd_half_from_float(lrd_float_from_half((uint16_t)half));
		assert_true(is_nan ? (back & 0x7fffu) > 0x7c00u : back == half);
	}
}

static void halves_round_to_nearest_and_ties_to_even(void **state)
{
	(void)state;
	for (uint32_t half = 0; half < 0x7bff; half++)
	{
		double low = lrd_float_from_half((uint16_t)half);
		double high = lrd_float_from_half((uint16_t)(half + 1));
		float middle = (float)((low + high) / 2); // exact
		assert_int_equal(lrd_half_from_float(middle), half % 2 == 0 ? half : half + 1);
		assert_int_equal(lrd_half_from_float(nextafterf(middle, 0.0f)), half);
		assert_int_equal(lrd_half_from_float(nextafterf(middle, INFINITY)), half + 1);
		assert_int_equal(lrd_half_from_float(-middle), 0x8000u | (half % 2 == 0 ? half : half + 1));
	}
	assert_int_equal(lrd_half_from_float(65519.0f), 0x7bff);
	assert_int_equal(lrd_half_from_float(65520.0f), 0x7c00);
	assert_int_equal(lrd_half_from_float(INFINITY), 0x7c00);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_code_survives_the_round_trip),
		cmocka_unit_test(encoding_rounds_as_the_exact_function_does),
		cmocka_unit_test(values_outside_the_range_are_clamped),
		cmocka_unit_test(known_values_of_the_standard),
		cmocka_unit_test(every_half_survives_the_round_trip),
		cmocka_unit_test(halves_round_to_nearest_and_ties_to_even),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
