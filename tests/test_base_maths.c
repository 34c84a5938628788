// Vectors, quaternions, matrices: round trips, mirrors, shear, and values that have no direction.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/maths.h"

#include <float.h>

static uint64_t random_state = 12345;

// -1 to 1
static float random_float(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (float)(random_state >> 40) / 8388608.0f - 1.0f;
}

static lrd_vec3 random_vec3(float size)
{
	return (lrd_vec3){ random_float() * size, random_float() * size, random_float() * size };
}

static lrd_vec4 random_rotation(void)
{
	return lrd_quat_normalize((lrd_vec4){ random_float(), random_float(), random_float(), random_float() });
}

static void assert_near(float a, float b, float tolerance)
{
	if (!(fabsf(a - b) <= tolerance))
	{
		fail_msg("%.9g is not within %.3g of %.9g", (double)a, (double)tolerance, (double)b);
	}
}

static void assert_near_vec3(lrd_vec3 a, lrd_vec3 b, float tolerance)
{
	assert_near(a.x, b.x, tolerance);
	assert_near(a.y, b.y, tolerance);
	assert_near(a.z, b.z, tolerance);
}

static void assert_near_mat4(const lrd_mat4 *a, const lrd_mat4 *b, float tolerance)
{
	for (int i = 0; i < 16; i++)
	{
		assert_near(a->m[i], b->m[i], tolerance);
	}
}

// q and -q are one rotation.
static void assert_same_rotation(lrd_vec4 a, lrd_vec4 b, float tolerance)
{
	float dot = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
	assert_near(fabsf(dot), 1.0f, tolerance);
}

static void directions_are_normalised_at_any_scale(void **state)
{
	(void)state;
	lrd_vec3 up = { 0.0f, 1.0f, 0.0f };
	static const float scales[] = { 1e-17f, 1e-9f, 1.0f, 1e9f, 1e30f, 3e38f };
	for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
	{
		lrd_vec3 v = lrd_vec3_scale((lrd_vec3){ 0.6f, 0.0f, -0.8f }, scales[i]);
		assert_near_vec3(lrd_vec3_normalize_or(v, up), (lrd_vec3){ 0.6f, 0.0f, -0.8f }, 1e-6f);
	}
	static const lrd_vec3 none[] = { { 0.0f, 0.0f, 0.0f }, { 1e-30f, 0.0f, 0.0f }, { NAN, 1.0f, 0.0f },
		{ 0.0f, INFINITY, 0.0f }, { INFINITY, -INFINITY, 0.0f } };
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
	{
		assert_near_vec3(lrd_vec3_normalize_or(none[i], up), up, 0.0f);
	}
}

static void quaternions_without_direction_become_identity(void **state)
{
	(void)state;
	static const lrd_vec4 none[] = { { 0.0f, 0.0f, 0.0f, 0.0f }, { NAN, 0.0f, 0.0f, 1.0f },
		{ 0.0f, 0.0f, INFINITY, 1.0f }, { 1e-30f, 0.0f, 0.0f, 0.0f } };
	for (size_t i = 0; i < sizeof none / sizeof *none; i++)
	{
		lrd_vec4 q = lrd_quat_normalize(none[i]);
		assert_true(q.x == 0.0f && q.y == 0.0f && q.z == 0.0f && q.w == 1.0f);
	}
	lrd_vec4 large = lrd_quat_normalize((lrd_vec4){ 0.0f, 3e38f, 0.0f, 3e38f });
	assert_near(large.y, sqrtf(0.5f), 1e-6f);
}

static void rotating_agrees_with_the_matrix_and_with_multiplication(void **state)
{
	(void)state;
	for (int i = 0; i < 1000; i++)
	{
		lrd_vec4 a = random_rotation();
		lrd_vec4 b = random_rotation();
		lrd_vec3 v = random_vec3(10.0f);
		lrd_transform t = lrd_transform_identity();
		t.rotation = a;
		lrd_mat4 m = lrd_mat4_from_transform(&t);
		assert_near_vec3(lrd_quat_rotate(a, v), lrd_mat4_vector(&m, v), 1e-4f);
		assert_near_vec3(lrd_quat_rotate(lrd_quat_mul(a, b), v), lrd_quat_rotate(a, lrd_quat_rotate(b, v)), 1e-4f);
	}
	// A quarter turn about z takes x to y.
	lrd_vec4 quarter = { 0.0f, 0.0f, sqrtf(0.5f), sqrtf(0.5f) };
	assert_near_vec3(lrd_quat_rotate(quarter, (lrd_vec3){ 1.0f, 0.0f, 0.0f }), (lrd_vec3){ 0.0f, 1.0f, 0.0f }, 1e-6f);
}

static lrd_vec4 about_z(float angle)
{
	return (lrd_vec4){ 0.0f, 0.0f, sinf(angle / 2.0f), cosf(angle / 2.0f) };
}

static lrd_transform random_transform(float mirror)
{
	lrd_transform t = { .translation = random_vec3(100.0f), .rotation = random_rotation() };
	t.scale = (lrd_vec3){ mirror * (0.1f + 5.0f * fabsf(random_float())), 0.1f + 5.0f * fabsf(random_float()),
		0.1f + 5.0f * fabsf(random_float()) };
	return t;
}

static void composing_then_decomposing_gives_the_transform_back(void **state)
{
	(void)state;
	for (int i = 0; i < 2000; i++)
	{
		lrd_transform t = random_transform(i % 2 == 0 ? 1.0f : -1.0f); // every second one is mirrored
		lrd_mat4 m = lrd_mat4_from_transform(&t);
		lrd_transform back;
		assert_true(lrd_mat4_decompose(&m, &back));
		assert_near_vec3(back.translation, t.translation, 0.0f);
		assert_near_vec3(back.scale, t.scale, 1e-5f);
		assert_same_rotation(back.rotation, t.rotation, 1e-6f);
	}
}

static void every_mirrored_matrix_decomposes_to_itself(void **state)
{
	(void)state;
	for (int signs = 0; signs < 8; signs++)
	{
		for (int i = 0; i < 100; i++)
		{
			lrd_transform t = random_transform(1.0f);
			t.scale.x *= (signs & 1) != 0 ? -1.0f : 1.0f;
			t.scale.y *= (signs & 2) != 0 ? -1.0f : 1.0f;
			t.scale.z *= (signs & 4) != 0 ? -1.0f : 1.0f;
			lrd_mat4 m = lrd_mat4_from_transform(&t);
			lrd_transform split;
			assert_true(lrd_mat4_decompose(&m, &split));
			lrd_mat4 again = lrd_mat4_from_transform(&split);
			assert_near_mat4(&again, &m, 2e-5f);
			assert_true(split.scale.y > 0.0f && split.scale.z > 0.0f);
			assert_int_equal(split.scale.x < 0.0f, lrd_mat4_determinant3(&m) < 0.0f);
		}
	}
}

static void half_turns_decompose_whatever_their_axis(void **state)
{
	(void)state;
	for (int i = 0; i < 300; i++)
	{
		lrd_vec3 axis = lrd_vec3_normalize_or(random_vec3(1.0f), (lrd_vec3){ 1.0f, 0.0f, 0.0f });
		axis = i == 0 ? (lrd_vec3){ 1.0f, 0.0f, 0.0f } : i == 1 ? (lrd_vec3){ 0.0f, 1.0f, 0.0f } : axis;
		axis = i == 2 ? (lrd_vec3){ 0.0f, 0.0f, 1.0f } : axis;
		lrd_transform t = lrd_transform_identity();
		t.rotation = (lrd_vec4){ axis.x, axis.y, axis.z, 0.0f };
		lrd_mat4 m = lrd_mat4_from_transform(&t);
		lrd_transform back;
		assert_true(lrd_mat4_decompose(&m, &back));
		assert_same_rotation(back.rotation, t.rotation, 1e-6f);
	}
}

static void scales_of_zero_decompose_to_a_rotation_that_recomposes(void **state)
{
	(void)state;
	for (int zeros = 0; zeros < 8; zeros++)
	{
		lrd_transform t = random_transform(1.0f);
		t.scale.x *= (zeros & 1) != 0 ? 0.0f : 1.0f;
		t.scale.y *= (zeros & 2) != 0 ? 0.0f : 1.0f;
		t.scale.z *= (zeros & 4) != 0 ? 0.0f : 1.0f;
		lrd_mat4 m = lrd_mat4_from_transform(&t);
		lrd_transform split;
		assert_true(lrd_mat4_decompose(&m, &split));
		lrd_mat4 again = lrd_mat4_from_transform(&split);
		assert_near_mat4(&again, &m, 2e-5f);
	}
}

static void tiny_and_huge_scales_decompose(void **state)
{
	(void)state;
	static const float scales[] = { 1e-12f, 1e-6f, 1e6f, 1e12f };
	for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
	{
		lrd_transform t = random_transform(-1.0f);
		t.scale = lrd_vec3_scale(t.scale, scales[i]);
		lrd_mat4 m = lrd_mat4_from_transform(&t);
		lrd_transform back;
		assert_true(lrd_mat4_decompose(&m, &back));
		assert_near_vec3(back.scale, t.scale, 1e-5f * scales[i]);
		assert_same_rotation(back.rotation, t.rotation, 1e-6f);
	}
}

static float distance_between(const lrd_mat4 *a, const lrd_mat4 *b)
{
	float sum = 0.0f;
	for (int i = 0; i < 16; i++)
	{
		sum += (a->m[i] - b->m[i]) * (a->m[i] - b->m[i]);
	}
	return sqrtf(sum);
}

static void shear_is_told_and_the_nearest_transform_given(void **state)
{
	(void)state;
	for (int i = 0; i < 100; i++)
	{
		lrd_transform outer = random_transform(1.0f);
		outer.scale = (lrd_vec3){ 1.0f, 3.0f, 1.0f };
		lrd_transform inner = lrd_transform_identity();
		inner.rotation = about_z(0.4f);
		lrd_mat4 a = lrd_mat4_from_transform(&outer);
		lrd_mat4 b = lrd_mat4_from_transform(&inner);
		lrd_mat4 m = lrd_mat4_mul(&a, &b);
		lrd_transform nearest;
		assert_false(lrd_mat4_decompose(&m, &nearest));
		lrd_mat4 found = lrd_mat4_from_transform(&nearest);
		float best = distance_between(&found, &m);
		for (int nudge = 0; nudge < 50; nudge++)
		{
			lrd_transform other = nearest;
			other.rotation.x += 0.02f * random_float();
			other.rotation.y += 0.02f * random_float();
			other.rotation.z += 0.02f * random_float();
			other.rotation = lrd_quat_normalize(other.rotation);
			other.scale = lrd_vec3_add(other.scale, random_vec3(0.02f));
			lrd_mat4 tried = lrd_mat4_from_transform(&other);
			assert_true(distance_between(&tried, &m) > best - 2e-4f);
		}
	}
}

static void matrices_that_are_no_numbers_decompose_to_identity_and_say_so(void **state)
{
	(void)state;
	for (int i = 0; i < 16; i++)
	{
		lrd_mat4 m = lrd_mat4_identity();
		m.m[i] = i % 2 == 0 ? NAN : INFINITY;
		lrd_transform t;
		assert_false(lrd_mat4_decompose(&m, &t));
		assert_near_vec3(t.scale, (lrd_vec3){ 1.0f, 1.0f, 1.0f }, 0.0f);
	}
}

static void multiplying_applies_the_right_matrix_first(void **state)
{
	(void)state;
	for (int i = 0; i < 200; i++)
	{
		lrd_transform s = random_transform(1.0f);
		lrd_transform t = random_transform(-1.0f);
		lrd_mat4 a = lrd_mat4_from_transform(&s);
		lrd_mat4 b = lrd_mat4_from_transform(&t);
		lrd_mat4 product = lrd_mat4_mul(&a, &b);
		lrd_vec3 p = random_vec3(1.0f);
		assert_near_vec3(lrd_mat4_point(&product, p), lrd_mat4_point(&a, lrd_mat4_point(&b, p)), 2e-3f);
	}
}

static void an_inverse_undoes_its_matrix(void **state)
{
	(void)state;
	lrd_mat4 identity = lrd_mat4_identity();
	for (int i = 0; i < 500; i++)
	{
		lrd_transform t = random_transform(i % 2 == 0 ? 1.0f : -1.0f);
		t.translation = random_vec3(1.0f);
		lrd_mat4 m = lrd_mat4_from_transform(&t);
		lrd_mat4 inverse;
		assert_true(lrd_mat4_inverse_affine(&m, &inverse));
		lrd_mat4 product = lrd_mat4_mul(&m, &inverse);
		assert_near_mat4(&product, &identity, 2e-5f);
	}
}

static void small_scales_invert_and_flat_matrices_do_not(void **state)
{
	(void)state;
	lrd_mat4 small = lrd_mat4_identity();
	small.m[0] = small.m[5] = small.m[10] = 1e-10f; // a determinant of 1e-30
	lrd_mat4 inverse;
	assert_true(lrd_mat4_inverse_affine(&small, &inverse));
	assert_near(inverse.m[0] / 1e10f, 1.0f, 1e-6f);
	lrd_mat4 before = inverse;
	lrd_mat4 flat = { { 1.0f, 2.0f, 3.0f, 0.0f, 4.0f, 5.0f, 6.0f, 0.0f, 7.0f, 8.0f, 9.0f, 0.0f, 0.0f, 0.0f, 0.0f,
		1.0f } };
	assert_false(lrd_mat4_inverse_affine(&flat, &inverse));
	lrd_mat4 zero = { { 0.0f } };
	assert_false(lrd_mat4_inverse_affine(&zero, &inverse));
	lrd_mat4 infinite = lrd_mat4_identity();
	infinite.m[13] = INFINITY;
	assert_false(lrd_mat4_inverse_affine(&infinite, &inverse));
	infinite.m[5] = NAN;
	assert_false(lrd_mat4_inverse_affine(&infinite, &inverse));
	assert_near_mat4(&inverse, &before, 0.0f);
}

static void normals_stay_across_the_surface_and_outside_under_mirrors(void **state)
{
	(void)state;
	for (int i = 0; i < 500; i++)
	{
		lrd_transform t = random_transform(i % 2 == 0 ? 1.0f : -1.0f);
		lrd_mat4 m = lrd_mat4_from_transform(&t);
		lrd_vec3 n = lrd_vec3_normalize_or(random_vec3(1.0f), (lrd_vec3){ 0.0f, 0.0f, 1.0f });
		lrd_vec3 tangent = lrd_vec3_cross(n, random_vec3(1.0f));
		lrd_vec3 moved = lrd_mat4_normal(&m, n);
		float size = lrd_vec3_length(moved) * lrd_vec3_length(lrd_mat4_vector(&m, tangent));
		assert_near(lrd_vec3_dot(moved, lrd_mat4_vector(&m, tangent)), 0.0f, 1e-5f * size + 1e-12f);
		// A point off the surface, on the normal's side, stays on that side.
		assert_true(lrd_vec3_dot(moved, lrd_mat4_vector(&m, n)) > 0.0f);
	}
	lrd_mat4 mirror = lrd_mat4_identity();
	mirror.m[0] = -1.0f;
	assert_near_vec3(lrd_mat4_normal(&mirror, (lrd_vec3){ 1.0f, 0.0f, 0.0f }), (lrd_vec3){ -1.0f, 0.0f, 0.0f }, 0.0f);
	assert_near_vec3(lrd_mat4_normal(&mirror, (lrd_vec3){ 0.0f, 1.0f, 0.0f }), (lrd_vec3){ 0.0f, 1.0f, 0.0f }, 0.0f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(directions_are_normalised_at_any_scale),
		cmocka_unit_test(quaternions_without_direction_become_identity),
		cmocka_unit_test(rotating_agrees_with_the_matrix_and_with_multiplication),
		cmocka_unit_test(composing_then_decomposing_gives_the_transform_back),
		cmocka_unit_test(every_mirrored_matrix_decomposes_to_itself),
		cmocka_unit_test(half_turns_decompose_whatever_their_axis),
		cmocka_unit_test(scales_of_zero_decompose_to_a_rotation_that_recomposes),
		cmocka_unit_test(tiny_and_huge_scales_decompose),
		cmocka_unit_test(shear_is_told_and_the_nearest_transform_given),
		cmocka_unit_test(matrices_that_are_no_numbers_decompose_to_identity_and_say_so),
		cmocka_unit_test(multiplying_applies_the_right_matrix_first),
		cmocka_unit_test(an_inverse_undoes_its_matrix),
		cmocka_unit_test(small_scales_invert_and_flat_matrices_do_not),
		cmocka_unit_test(normals_stay_across_the_surface_and_outside_under_mirrors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
