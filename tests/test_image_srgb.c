// The transfer functions and half floats, against their definitions.

#include "fixtures/image_check.h"
#include "image/half.h"
#include "image/mip_rows.h"
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

static long double encode_exactly(float linear)
{
	long double value = linear;
	return 255.0L * (value <= 0.0031308L ? value * 12.92L : 1.055L * powl(value, 1.0L / 2.4L) - 0.055L);
}

// The function rises: where its roundings change is all there is to know.
static void thresholds_stand_where_the_exact_function_rounds_up(void **state)
{
	(void)state;
	lrd_srgb_tables tables;
	lrd_srgb_tables_fill(&tables);
	for (uint32_t code = 1; code < 256; code++)
	{
		float threshold = tables.threshold[code];
		assert_true(encode_exactly(threshold) >= code - 0.5L);
		assert_true(encode_exactly(nextafterf(threshold, 0.0f)) < code - 0.5L);
	}
}

static void every_float_is_encoded_by_the_thresholds(void **state)
{
	(void)state;
	lrd_srgb_tables tables;
	lrd_srgb_tables_fill(&tables);
	uint32_t code = 0, wrong = 0;
	for (uint32_t bits = 0x38800000u; bits <= 0x3f800000u; bits++) // 2^-14..1
	{
		float linear;
		memcpy(&linear, &bits, sizeof linear);
		code += linear >= tables.threshold[code + 1];
		wrong += lrd_srgb_encode(&tables, linear) != code;
	}
	assert_int_equal(code, 255);
	assert_int_equal(wrong, 0);
	assert_int_equal(lrd_srgb_encode(&tables, 0.0f), 0);
	assert_true(tables.threshold[1] > 0x1p-13f);
}

// Around every threshold, in every instruction set.
static void kernels_encode_as_the_function_does(void **state)
{
	(void)state;
	lrd_srgb_tables tables;
	lrd_srgb_tables_fill(&tables);
	lrd_mip_storing how = { .srgb = tables.encode, .alpha_scale = 255.0f, .alpha_high = 255.0f };
	static float planes[4][4096];
	for (uint32_t i = 0; i < 4096; i++)
	{
		uint32_t bits;
		memcpy(&bits, &tables.threshold[i / 16], sizeof bits);
		bits += i % 16 - 8u;
		bits = i < 16 ? i * 0x7654321u : bits; // and anything, NaN too
		memcpy(&planes[0][i], &bits, sizeof bits);
		memcpy(&planes[1][4095 - i], &bits, sizeof bits);
		planes[2][i] = (float)i / 4095.0f;
	}
	for (lrd_isa isa = LRD_ISA_PORTABLE; isa < LRD_ISA_COUNT; isa++)
	{
		static uint8_t found[4 * 4096];
		lrd_mip_kernels_of(isa).store(&how, planes[0], 4096, NULL, 4096, found);
		for (size_t i = 0; i < sizeof found; i++)
		{
			assert_int_equal(found[i], i % 4 == 3 ? 0 : lrd_srgb_encode(&tables, planes[i % 4][i / 4]));
		}
	}
}

static void kernels_make_halves_as_the_function_does(void **state)
{
	(void)state;
	lrd_mip_storing how = { .half_float = true, .scale = 1.0f, .low = -LRD_HALF_MAX, .high = LRD_HALF_MAX };
	how.alpha_scale = 1.0f;
	static float planes[4][4096];
	for (uint32_t block = 0; block < 64; block++)
	{
		for (uint32_t i = 0; i < 4096 * 3; i++)
		{
			uint32_t bits = (block * 12288 + i) * 5449u; // 0..2^32 nearly
			float value;
			memcpy(&value, &bits, sizeof value);
			planes[i % 3][i / 3] = fabsf(value) < 1e6f ? value : 0.25f;
		}
		for (lrd_isa isa = LRD_ISA_PORTABLE; isa < LRD_ISA_COUNT; isa++)
		{
			static uint16_t found[4 * 4096];
			lrd_mip_kernels_of(isa).store(&how, planes[0], 4096, NULL, 4096, (uint8_t *)found);
			for (size_t i = 0; i < 4096 * 3; i++)
			{
				float value = planes[i % 3][i / 3];
				value = value > LRD_HALF_MAX ? LRD_HALF_MAX : value < -LRD_HALF_MAX ? -LRD_HALF_MAX : value;
				assert_int_equal(found[i / 3 * 4 + i % 3], lrd_half_from_float(value));
			}
		}
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
		cmocka_unit_test(thresholds_stand_where_the_exact_function_rounds_up),
		cmocka_unit_test(every_float_is_encoded_by_the_thresholds),
		cmocka_unit_test(kernels_encode_as_the_function_does),
		cmocka_unit_test(kernels_make_halves_as_the_function_does),
		cmocka_unit_test(values_outside_the_range_are_clamped),
		cmocka_unit_test(known_values_of_the_standard),
		cmocka_unit_test(every_half_survives_the_round_trip),
		cmocka_unit_test(halves_round_to_nearest_and_ties_to_even),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
