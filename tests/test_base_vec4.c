// base/vec4.h: four floats side by side, and slerp against the sines of a double.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/maths.h"
#include "base/vec4.h"

static uint64_t random_state = 99;

/// 0 to 1.
static double random_double(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (double)(random_state >> 11) / 9007199254740992.0;
}

/// A random unit quaternion as floats, in a, and another `arc` from it, in b.
static void random_pair(double arc, float a[4], float b[4])
{
	double p[4], q[4], length = 0.0, along = 0.0, across = 0.0;
	for (int i = 0; i < 4; i++)
	{
		p[i] = random_double() - 0.5;
		q[i] = random_double() - 0.5;
		length += p[i] * p[i];
	}
	for (int i = 0; i < 4; i++)
	{
		p[i] /= sqrt(length);
		along += p[i] * q[i];
	}
	for (int i = 0; i < 4; i++)
	{
		q[i] -= along * p[i];
		across += q[i] * q[i];
	}
	for (int i = 0; i < 4; i++)
	{
		a[i] = (float)p[i];
		b[i] = (float)(cos(arc) * p[i] + sin(arc) * q[i] / sqrt(across));
	}
}

/// What slerp is, in doubles, between the unit quaternions nearest to a and b.
static void exact_slerp(const float a[4], const float b[4], double part, double result[4])
{
	double lengths[2] = { 0.0, 0.0 }, apart = 0.0;
	for (int i = 0; i < 4; i++)
	{
		lengths[0] += (double)a[i] * (double)a[i];
		lengths[1] += (double)b[i] * (double)b[i];
	}
	for (int i = 0; i < 4; i++)
	{
		double difference = (double)a[i] / sqrt(lengths[0]) - (double)b[i] / sqrt(lengths[1]);
		apart += difference * difference;
	}
	double arc = 2.0 * asin(sqrt(apart) / 2.0);
	double from = arc < 1e-9 ? 1.0 - part : sin((1.0 - part) * arc) / sin(arc);
	double to = arc < 1e-9 ? part : sin(part * arc) / sin(arc);
	for (int i = 0; i < 4; i++)
	{
		result[i] = from * (double)a[i] / sqrt(lengths[0]) + to * (double)b[i] / sqrt(lengths[1]);
	}
}

static void assert_slerp_is_exact(double arc, float part)
{
	float keys[2][4];
	double expected[4];
	lrd_f32x4 a[LRD_SLERPS][4], b[LRD_SLERPS][4], parts[LRD_SLERPS];
	random_pair(arc, keys[0], keys[1]);
	exact_slerp(keys[0], keys[1], (double)part, expected);
	for (int i = 0; i < LRD_SLERPS; i++)
	{
		parts[i] = lrd_f32x4_of(part);
		for (int k = 0; k < 4; k++)
		{
			a[i][k] = lrd_f32x4_of(keys[0][k]);
			b[i][k] = lrd_f32x4_of(keys[1][k]);
		}
	}
	lrd_f32x4_slerp(a, b, parts);
	for (int k = 0; k < 4; k++)
	{
		for (int lane = 0; lane < 4 * LRD_SLERPS; lane++)
		{
			double found = (double)a[lane / 4][k][lane % 4];
			if (!(fabs(found - expected[k]) < 2.5e-7))
			{
				fail_msg("arc %g, part %g: %.9g, expected %.9g", arc, (double)part, found, expected[k]);
			}
		}
	}
}

static void slerp_is_exact_at_every_angle(void **state)
{
	(void)state;
	for (int i = 0; i < 20000; i++)
	{
		assert_slerp_is_exact(random_double() * LRD_PI / 2.0, (float)random_double());
		assert_slerp_is_exact(pow(10.0, -7.0 * random_double()), (float)random_double());
	}
}

static void slerp_is_exact_at_its_ends_and_half_a_turn_apart(void **state)
{
	(void)state;
	static const double arcs[] = { 0.0, 1e-7, 0.5, LRD_PI / 2.0, LRD_PI / 2.0 + 9e-7 };
	static const float parts[] = { 0.0f, 0.5f, 1.0f };
	for (int i = 0; i < 15000; i++)
	{
		assert_slerp_is_exact(arcs[i % 5], parts[i % 3]);
	}
}

static void slerp_of_what_is_nearly_of_unit_length_is_of_unit_length(void **state)
{
	(void)state;
	for (int i = 0; i < 1000; i++)
	{
		float keys[2][4], from[4][4 * LRD_SLERPS], to[4][4 * LRD_SLERPS], part[4 * LRD_SLERPS];
		lrd_f32x4 a[LRD_SLERPS][4], b[LRD_SLERPS][4], parts[LRD_SLERPS];
		random_pair(random_double() * LRD_PI / 2.0, keys[0], keys[1]);
		for (int lane = 0; lane < 4 * LRD_SLERPS; lane++)
		{
			float off = 1.0f + 1e-3f * (float)(lane - 4);
			for (int k = 0; k < 4; k++)
			{
				from[k][lane] = keys[0][k] * off;
				to[k][lane] = keys[1][k] / off;
			}
			part[lane] = (float)lane / 7.0f;
		}
		for (int s = 0; s < LRD_SLERPS; s++)
		{
			for (int k = 0; k < 4; k++)
			{
				a[s][k] = lrd_f32x4_load(from[k] + 4 * s);
				b[s][k] = lrd_f32x4_load(to[k] + 4 * s);
			}
			parts[s] = lrd_f32x4_load(part + 4 * s);
		}
		lrd_f32x4_slerp(a, b, parts);
		for (int s = 0; s < LRD_SLERPS; s++)
		{
			lrd_f32x4 squared = lrd_f32x4_dots(a[s], a[s]);
			for (int lane = 0; lane < 4; lane++)
			{
				assert_float_equal(squared[lane], 1.0f, 5e-7f);
			}
		}
	}
}

static void transposing_swaps_rows_and_columns(void **state)
{
	(void)state;
	lrd_f32x4 rows[4];
	for (int i = 0; i < 16; i++)
	{
		rows[i / 4][i % 4] = (float)i;
	}
	lrd_f32x4_transpose(rows);
	for (int i = 0; i < 16; i++)
	{
		assert_true(rows[i % 4][i / 4] == (float)i);
	}
}

static void store3_writes_three(void **state)
{
	(void)state;
	float written[5] = { 9, 9, 9, 9, 9 };
	lrd_f32x4_store3(written + 1, (lrd_f32x4){ 1, 2, 3, 4 });
	for (int i = 0; i < 5; i++)
	{
		assert_true(written[i] == (i == 0 || i == 4 ? 9.0f : (float)i));
	}
}

static void square_roots_are_those_of_a_float(void **state)
{
	(void)state;
	for (int i = 0; i < 1000; i++)
	{
		float value = (float)exp(80.0 * (random_double() - 0.5));
		lrd_f32x4 roots = lrd_f32x4_sqrt((lrd_f32x4){ value, 2.0f * value, 0.0f, 4.0f });
		assert_true(roots[0] == sqrtf(value) && roots[1] == sqrtf(2.0f * value));
		assert_true(roots[2] == 0.0f && roots[3] == 2.0f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slerp_is_exact_at_every_angle),
		cmocka_unit_test(slerp_is_exact_at_its_ends_and_half_a_turn_apart),
		cmocka_unit_test(slerp_of_what_is_nearly_of_unit_length_is_of_unit_length),
		cmocka_unit_test(transposing_swaps_rows_and_columns),
		cmocka_unit_test(store3_writes_three),
		cmocka_unit_test(square_roots_are_those_of_a_float),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
