// base/lanes.h gives what its comments say, and the same bits on every instruction set.

#include "lanes_probe.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define ROUNDS 500

/// Rows of lanes_probe.out that the reference below speaks of.
enum
{
	ROW_SUM = 0,
	ROW_QUOTIENT = 2,
	ROW_MIN = 3,
	ROW_MAX = 4,
	ROW_SQRT = 5,
	ROW_ROUND = 6,
	ROW_MINUS_ZERO = 14,
	ROW_TO_I32S = 18,
	ROW_FLOOR = 19,
	ROW_LESS = 20,
	ROW_NOT_LESS_I = 27,
	ROW_SIGN = 28,
	ROW_DOT_PAIRS = 34,
	ROW_MUL_HIGH = 35,
	ROW_MUL_ROUND = 36,
	ROW_LANE_NUMBER = 43,
	ROW_EVEN = 44,
	ROW_ODD = 45,
	ROW_ZIPPED = 46,
	ROW_KEPT = 47
};

static uint32_t next_random(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static lanes_probe make_probe(uint32_t *random)
{
	static const float edges[] = { 0, -0.0f, 0.5f, 1.5f, -2.5f, 255, 1e-30f, -1e6f, 4194303.5f, 3 };
	lanes_probe probe;
	memset(&probe, 0, sizeof probe);
	for (int n = 0; n < LANES_PROBE_COUNT; ++n)
	{
		uint32_t r = next_random(random);
		probe.a[n] = r % 3 ? (float)(int32_t)next_random(random) * 1e-4f : edges[next_random(random) % 10];
		probe.b[n] = r % 5 ? (float)(int32_t)next_random(random) * 1e-4f : edges[next_random(random) % 10];
		probe.i[n] = (int32_t)next_random(random);
		probe.j[n] = r % 7 ? (int32_t)next_random(random) : probe.i[n];
	}
	return probe;
}

static void (*const kernels[])(lanes_probe *probe) = LRD_KERNEL_TABLE(lrd_lanes_probe);

static void every_instruction_set_gives_the_same_bits(void **state)
{
	(void)state;
	uint32_t random = 3;
	for (int round = 0; round < ROUNDS; ++round)
	{
		lanes_probe expected = make_probe(&random), probe = expected;
		kernels[LRD_ISA_PORTABLE](&expected);
		for (lrd_isa isa = LRD_ISA_PORTABLE + 1; isa < LRD_ISA_COUNT; ++isa)
		{
			if (!lrd_isa_is_here(isa))
			{
				continue;
			}
			kernels[isa](&probe);
			for (int row = 0; row < LANES_PROBE_RESULTS; ++row)
			{
				if (memcmp(probe.out[row], expected.out[row], sizeof probe.out[row]) != 0)
				{
					fail_msg("%s: row %d differs", lrd_isa_name(isa), row);
				}
			}
		}
	}
}

static void assert_float_bits(int32_t bits, float expected)
{
	int32_t expected_bits;
	memcpy(&expected_bits, &expected, sizeof expected);
	assert_int_equal(bits, expected_bits);
}

static void assert_pair(int32_t bits, int32_t first, int32_t second)
{
	assert_int_equal((int16_t)(bits & 0xffff), (int16_t)first);
	assert_int_equal((int16_t)(bits >> 16), (int16_t)second);
}

static void check_floats(const lanes_probe *p, int n)
{
	float a = p->a[n], b = p->b[n], small = a < -1e6f ? -1e6f : a > 1e6f ? 1e6f : a;
	assert_float_bits(p->out[ROW_SUM][n], a + b);
	if (b != 0)
	{
		assert_float_bits(p->out[ROW_QUOTIENT][n], a / b);
	}
	assert_float_bits(p->out[ROW_MIN][n], a < b ? a : b);
	assert_float_bits(p->out[ROW_MAX][n], a > b ? a : b);
	assert_float_bits(p->out[ROW_SQRT][n], sqrtf(fabsf(a)));
	assert_float_bits(p->out[ROW_MINUS_ZERO][n], -0.0f);
	assert_int_equal(p->out[ROW_TO_I32S][n], (int32_t)small);
	assert_int_equal(p->out[ROW_FLOOR][n], (int32_t)floorf(small));
	assert_int_equal(p->out[ROW_LESS][n], a < b);
	float rounded;
	memcpy(&rounded, &p->out[ROW_ROUND][n], sizeof rounded);
	assert_true(rounded == rintf(small));
}

static void check_integers(const lanes_probe *p, int n)
{
	int32_t i = p->i[n], j = p->j[n];
	int32_t i0 = (int16_t)(i & 0xffff), i1 = i >> 16, j0 = (int16_t)(j & 0xffff), j1 = j >> 16;
	assert_int_equal(p->out[ROW_NOT_LESS_I][n], !(i < j));
	assert_int_equal(p->out[ROW_SIGN][n], i < 0);
	assert_int_equal(p->out[ROW_DOT_PAIRS][n], (int32_t)((int64_t)i0 * j0 + (int64_t)i1 * j1));
	assert_pair(p->out[ROW_MUL_HIGH][n], i0 * j0 >> 16, i1 * j1 >> 16);
	assert_pair(p->out[ROW_MUL_ROUND][n], ((i0 * j0 >> 14) + 1) >> 1, ((i1 * j1 >> 14) + 1) >> 1);
	assert_int_equal(p->out[ROW_LANE_NUMBER][n], n);
	assert_int_equal(p->out[ROW_EVEN][n], i);
	assert_int_equal(p->out[ROW_ODD][n], j);
	assert_int_equal(p->out[ROW_ZIPPED][n], n % 2 ? p->j[n / 2] : p->i[n / 2]);
}

static void lanes_compute_what_scalars_do(void **state)
{
	(void)state;
	uint32_t random = 5;
	for (int round = 0; round < ROUNDS; ++round)
	{
		lanes_probe probe = make_probe(&random);
		kernels[lrd_isa_choose(LRD_ISA_BEST)](&probe);
		int kept = 0;
		for (int n = 0; n < LANES_PROBE_COUNT; ++n)
		{
			check_floats(&probe, n);
			check_integers(&probe, n);
			if (probe.i[n] < probe.j[n])
			{
				assert_int_equal(probe.out[ROW_KEPT][kept++], probe.i[n]);
			}
		}
	}
}

static void a_set_that_is_not_here_falls_back_to_one_that_is(void **state)
{
	(void)state;
	assert_true(lrd_isa_is_here(LRD_ISA_PORTABLE));
	for (lrd_isa isa = LRD_ISA_BEST; isa < LRD_ISA_COUNT; ++isa)
	{
		lrd_isa chosen = lrd_isa_choose(isa);
		assert_true(chosen != LRD_ISA_BEST && lrd_isa_is_here(chosen));
		assert_true(isa == LRD_ISA_BEST || chosen <= isa);
		assert_non_null(kernels[chosen]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_instruction_set_gives_the_same_bits),
		cmocka_unit_test(lanes_compute_what_scalars_do),
		cmocka_unit_test(a_set_that_is_not_here_falls_back_to_one_that_is),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
