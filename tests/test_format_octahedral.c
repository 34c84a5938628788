// Octahedral unit vectors: how far decoding what was encoded lands from the vector, over the whole sphere.

#include "base/maths.h"
#include "larder/write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#define VECTORS 400000u

/// Spread evenly over the sphere: a Fibonacci lattice.
static lrd_vec3 direction(uint32_t i)
{
	double z = 1.0 - (2.0 * i + 1.0) / VECTORS;
	double turn = i * 2.399963229728653; // the golden angle
	double radius = sqrt(1.0 - z * z);
	return (lrd_vec3){ (float)(cos(turn) * radius), (float)(sin(turn) * radius), (float)z };
}

static double degrees_between(lrd_vec3 a, lrd_vec3 b)
{
	// From the chord, since the cosine says nothing about angles this small; a's own length, an f32's rounding, counts
	// out.
	double length = sqrt((double)a.x * a.x + (double)a.y * a.y + (double)a.z * a.z);
	double x = a.x / length - b.x, y = a.y / length - b.y, z = a.z / length - b.z;
	return 2.0 * asin(sqrt(x * x + y * y + z * z) / 2.0) * 180.0 / LRD_PI;
}

static void normals_are_within_0_004_degrees(void **state)
{
	(void)state;
	double worst = 0.0;
	for (uint32_t i = 0; i < VECTORS; i++)
	{
		int16_t oct[2];
		lrd_vec3 normal = direction(i);
		lrd_oct_encode(normal, oct);
		worst = fmax(worst, degrees_between(normal, lrd_oct_decode(oct)));
	}
	print_message("worst normal: %.5f degrees\n", worst);
	assert_true(worst < 0.004);
	assert_true(worst > 0.001);
}

static void tangents_are_within_0_005_degrees_and_keep_their_sign(void **state)
{
	(void)state;
	double worst = 0.0;
	for (uint32_t i = 0; i < VECTORS; i++)
	{
		int16_t oct[2];
		lrd_vec3 tangent = direction(i);
		float sign = (i * 2654435761u >> 16 & 1) != 0 ? -1.0f : 1.0f;
		lrd_oct_tangent_encode((lrd_vec4){ tangent.x, tangent.y, tangent.z, sign }, oct);
		lrd_vec4 decoded = lrd_oct_tangent_decode(oct);
		assert_true(decoded.w == sign);
		assert_int_equal(oct[1] & 1, sign < 0.0f);
		worst = fmax(worst, degrees_between(tangent, (lrd_vec3){ decoded.x, decoded.y, decoded.z }));
	}
	print_message("worst tangent: %.5f degrees\n", worst);
	assert_true(worst < 0.005);
}

static void axes_of_normals_are_exact(void **state)
{
	(void)state;
	for (uint32_t axis = 0; axis < 6; axis++)
	{
		float parts[3] = { 0 };
		parts[axis / 2] = axis % 2 == 0 ? 1.0f : -1.0f;
		int16_t oct[2];
		lrd_oct_encode((lrd_vec3){ parts[0], parts[1], parts[2] }, oct);
		lrd_vec3 decoded = lrd_oct_decode(oct);
		assert_true(decoded.x == parts[0] && decoded.y == parts[1] && decoded.z == parts[2]);
	}
}

static void every_pair_decodes_to_a_unit_vector(void **state)
{
	(void)state;
	for (int32_t u = -32768; u <= 32767; u += 331)
	{
		for (int32_t v = -32768; v <= 32767; v += 331)
		{
			const int16_t oct[2] = { (int16_t)u, (int16_t)v };
			assert_float_equal(lrd_vec3_length(lrd_oct_decode(oct)), 1.0f, 1e-6f);
		}
	}
}

static void length_does_not_matter_to_the_encoder(void **state)
{
	(void)state;
	int16_t oct[2], scaled[2];
	lrd_oct_encode((lrd_vec3){ 0.36f, -0.48f, 0.8f }, oct);
	lrd_oct_encode((lrd_vec3){ 0.36e-30f, -0.48e-30f, 0.8e-30f }, scaled);
	assert_memory_equal(oct, scaled, sizeof oct);
}

static void vectors_without_a_direction_become_z(void **state)
{
	(void)state;
	const lrd_vec3 none[] = { { 0, 0, 0 }, { NAN, 0, 1 }, { INFINITY, 0, 0 } };
	for (uint32_t i = 0; i < 3; i++)
	{
		int16_t oct[2] = { 1, 1 };
		lrd_oct_encode(none[i], oct);
		assert_int_equal(oct[0], 0);
		assert_int_equal(oct[1], 0);
		lrd_oct_tangent_encode((lrd_vec4){ none[i].x, none[i].y, none[i].z, -1.0f }, oct);
		assert_int_equal(oct[0], 0);
		assert_int_equal(oct[1], 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(normals_are_within_0_004_degrees),
		cmocka_unit_test(tangents_are_within_0_005_degrees_and_keep_their_sign),
		cmocka_unit_test(axes_of_normals_are_exact),
		cmocka_unit_test(every_pair_decodes_to_a_unit_vector),
		cmocka_unit_test(length_does_not_matter_to_the_encoder),
		cmocka_unit_test(vectors_without_a_direction_become_z),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
