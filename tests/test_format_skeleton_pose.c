// Palettes and dual quaternions against the same in doubles: mirrors, shear, flat scales, many joints, long chains.

#include "fixtures/cooked_file.h"

#include "format/skeleton.h"

#include <math.h>

/// Column-major, as lrd_mat4.
typedef struct matrix
{
	double m[16];
} matrix;

static uint64_t random_state = 7;

/// -1 to 1.
static float random_float(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (float)(random_state >> 40) / 8388608.0f - 1.0f;
}

static lrd_vec4 random_rotation(void)
{
	float q[4], length = 0.0f;
	for (int i = 0; i < 4; i++)
	{
		q[i] = random_float();
		length += q[i] * q[i];
	}
	length = sqrtf(length);
	return (lrd_vec4){ q[0] / length, q[1] / length, q[2] / length, q[3] / length };
}

static matrix widen(const float *m)
{
	matrix result;
	for (int i = 0; i < 16; i++)
	{
		result.m[i] = (double)m[i];
	}
	return result;
}

static matrix multiply(const matrix *a, const matrix *b)
{
	matrix product = { { 0 } };
	for (int i = 0; i < 64; i++)
	{
		product.m[i / 16 * 4 + i % 4] += a->m[i / 4 % 4 * 4 + i % 4] * b->m[i / 16 * 4 + i / 4 % 4];
	}
	return product;
}

/// T * R * S, R by what rotating an axis means: q * axis * conjugate of q.
static matrix from_transform(const lrd_transform *t)
{
	double x = (double)t->rotation.x, y = (double)t->rotation.y, z = (double)t->rotation.z, w = (double)t->rotation.w;
	double sx = (double)t->scale.x, sy = (double)t->scale.y, sz = (double)t->scale.z;
	return (matrix){ { sx * (w * w + x * x - y * y - z * z), sx * 2 * (x * y + w * z), sx * 2 * (x * z - w * y), 0, //
		sy * 2 * (x * y - w * z), sy * (w * w - x * x + y * y - z * z), sy * 2 * (y * z + w * x), 0,                //
		sz * 2 * (x * z + w * y), sz * 2 * (y * z - w * x), sz * (w * w - x * x - y * y + z * z), 0,                //
		(double)t->translation.x, (double)t->translation.y, (double)t->translation.z, 1 } };
}

/// A skeleton that needs no file: what poses do is no matter of names.
typedef struct rig
{
	lrd_skeleton_view view;
	lrd_joint *joints;
	lrd_transform *pose;
	lrd_mat4 *palette;
	matrix *expected;
} rig;

static void *zeroed(size_t count, size_t size)
{
	void *memory = calloc(count, size);
	assert_non_null(memory);
	return memory;
}

static rig make_rig(uint32_t count)
{
	rig it = { .joints = zeroed(count, sizeof(lrd_joint)),
		.pose = zeroed(count, sizeof(lrd_transform)),
		.palette = zeroed(count, sizeof(lrd_mat4)),
		.expected = zeroed(count, sizeof(matrix)) };
	it.view = (lrd_skeleton_view){ .joints = it.joints, .joint_count = count };
	for (int i = 0; i < 16; i++)
	{
		it.view.root.m[i] = i % 5 == 0 ? 1.0f : 0.0f;
	}
	for (uint32_t j = 0; j < count; j++)
	{
		it.joints[j].parent =
			(int16_t)(j == 0 || random_float() < -0.98f ? -1 : (int32_t)(j - 1 - j / 4 * (j % 5 == 0)));
		it.joints[j].inverse_bind[15] = 1.0f;
		for (int i = 0; i < 12; i++)
		{
			it.joints[j].inverse_bind[i / 3 * 4 + i % 3] = random_float();
		}
		it.pose[j] =
			(lrd_transform){ { random_float(), random_float(), random_float() }, random_rotation(), { 1, 1, 1 } };
	}
	return it;
}

static void free_rig(rig *it)
{
	free(it->joints);
	free(it->pose);
	free(it->palette);
	free(it->expected);
}

/// Every element of a joint's matrix within `tolerance` of the largest of them.
static void assert_palette(rig *it, double tolerance)
{
	matrix root = widen(it->view.root.m);
	lrd_skeleton_palette(&it->view, it->pose, it->palette);
	for (uint32_t j = 0; j < it->view.joint_count; j++)
	{
		matrix local = from_transform(&it->pose[j]);
		int16_t parent = it->joints[j].parent;
		it->expected[j] = multiply(parent < 0 ? &root : &it->expected[parent], &local);
	}
	for (uint32_t j = 0; j < it->view.joint_count; j++)
	{
		matrix bind = widen(it->joints[j].inverse_bind);
		matrix skin = multiply(&it->expected[j], &bind);
		double largest = 1e-30;
		for (int i = 0; i < 16; i++)
		{
			largest = fmax(largest, fmax(fabs(it->expected[j].m[i]), fabs(skin.m[i])));
		}
		for (int i = 0; i < 16; i++)
		{
			if (!(fabs((double)it->palette[j].m[i] - skin.m[i]) <= tolerance * largest))
			{
				fail_msg("joint %u, element %d: %.9g, expected %.9g", j, i, (double)it->palette[j].m[i], skin.m[i]);
			}
		}
	}
}

static void palette_equals_that_of_doubles(void **state)
{
	(void)state;
	for (uint32_t count = 1; count < 40; count++)
	{
		rig it = make_rig(count);
		assert_palette(&it, 4e-6);
		free_rig(&it);
	}
}

static void palette_keeps_mirrors_and_shear(void **state)
{
	(void)state;
	for (int round = 0; round < 100; round++)
	{
		rig it = make_rig(12);
		for (uint32_t j = 0; j < 12; j++)
		{
			it.pose[j].scale = (lrd_vec3){ random_float() * 2, random_float() * 2, random_float() * 2 }; // below 0, too
		}
		for (int i = 0; i < 12; i++)
		{
			it.view.root.m[i / 3 * 4 + i % 3] = random_float(); // no rotation at all
		}
		assert_palette(&it, 4e-5);
		free_rig(&it);
	}
}

static void palette_of_a_thousand_joints_equals_that_of_doubles(void **state)
{
	(void)state;
	rig it = make_rig(1000);
	assert_palette(&it, 1e-4);
	free_rig(&it);
}

static void palette_of_the_longest_chain_holds(void **state)
{
	(void)state;
	rig it = make_rig(LRD_SKELETON_MAX_JOINTS);
	for (uint32_t j = 0; j < LRD_SKELETON_MAX_JOINTS; j++)
	{
		it.joints[j].parent = (int16_t)((int32_t)j - 1);
	}
	assert_palette(&it, 5e-3); // thirty thousand roundings
	free_rig(&it);
}

/// The rotation that a dual quaternion gives an axis, less that of a double's matrix.
static double rotation_error(const lrd_dual_quat *quat, const matrix *rotation)
{
	lrd_transform t = { .rotation = quat->real, .scale = { 1, 1, 1 } };
	matrix found = from_transform(&t);
	double worst = 0.0;
	for (int i = 0; i < 12; i++)
	{
		worst = fmax(worst, fabs(found.m[i] - rotation->m[i]));
	}
	return worst;
}

/// What a dual quaternion moves the origin by: twice the vector part of dual * conjugate of real.
static lrd_vec3 translation_of(const lrd_dual_quat *quat)
{
	lrd_vec4 r = quat->real, d = quat->dual;
	return (lrd_vec3){
		2.0f * (-d.w * r.x + d.x * r.w - d.y * r.z + d.z * r.y),
		2.0f * (-d.w * r.y + d.x * r.z + d.y * r.w - d.z * r.x),
		2.0f * (-d.w * r.z - d.x * r.y + d.y * r.x + d.z * r.w),
	};
}

static void narrow(const matrix *from, lrd_mat4 *to)
{
	for (int i = 0; i < 16; i++)
	{
		to->m[i] = (float)from->m[i];
	}
}

static void assert_dual_quat(const lrd_dual_quat *quat, const matrix *rotation, const lrd_vec3 *t, double tolerance)
{
	lrd_vec3 found = translation_of(quat);
	lrd_vec4 r = quat->real, d = quat->dual;
	assert_float_equal(r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w, 1.0f, 1e-6f);
	assert_float_equal(r.x * d.x + r.y * d.y + r.z * d.z + r.w * d.w, 0.0f, 1e-5f); // or it is no motion
	assert_float_equal(found.x, t->x, 1e-5f);
	assert_float_equal(found.y, t->y, 1e-5f);
	assert_float_equal(found.z, t->z, 1e-5f);
	if (!(rotation_error(quat, rotation) <= tolerance))
	{
		fail_msg("rotation (%g, %g, %g, %g) is off by %g", (double)r.x, (double)r.y, (double)r.z, (double)r.w,
			rotation_error(quat, rotation));
	}
}

/// A rotation, and it with a stretch along axes of its own before it.
static void random_stretch(const lrd_vec3 *stretch, matrix *rotation, matrix *whole, lrd_vec3 *translation)
{
	lrd_transform turn = { { random_float() * 3, random_float() * 3, random_float() * 3 }, random_rotation(),
		{ 1, 1, 1 } };
	lrd_transform axes = { .rotation = random_rotation(), .scale = { 1, 1, 1 } }, back = axes;
	*translation = turn.translation;
	axes.scale = *stretch;
	back.rotation = (lrd_vec4){ -axes.rotation.x, -axes.rotation.y, -axes.rotation.z, axes.rotation.w };
	matrix to = from_transform(&axes), from = from_transform(&back);
	matrix symmetric = multiply(&to, &from);
	*rotation = from_transform(&turn);
	*whole = multiply(rotation, &symmetric);
}

static void assert_stretches(lrd_vec3 stretch, double tolerance)
{
	enum
	{
		COUNT = 37 // no multiple of what is converted at once
	};
	lrd_mat4 palette[COUNT];
	matrix rotations[COUNT];
	lrd_vec3 translations[COUNT];
	lrd_dual_quat quats[COUNT];
	for (uint32_t i = 0; i < COUNT; i++)
	{
		matrix whole;
		random_stretch(&stretch, &rotations[i], &whole, &translations[i]);
		narrow(&whole, &palette[i]);
	}
	lrd_dual_quats_from_palette(palette, COUNT, quats);
	for (uint32_t i = 0; i < COUNT; i++)
	{
		assert_dual_quat(&quats[i], &rotations[i], &translations[i], tolerance);
	}
}

static void dual_quats_of_rigid_motions_are_those_motions(void **state)
{
	(void)state;
	for (int round = 0; round < 50; round++)
	{
		assert_stretches((lrd_vec3){ 1, 1, 1 }, 3e-6);
	}
}

static void dual_quats_leave_out_scale_and_shear(void **state)
{
	(void)state;
	static const lrd_vec3 stretches[] = { { 2, 2, 2 }, { 1e-3f, 1e-3f, 1e-3f }, { 1e4f, 1e4f, 1e4f }, { 1, 2, 3 },
		{ 0.2f, 1, 1 }, { 5, 0.5f, 1 }, { 1, 1, 0.01f } };
	for (size_t i = 0; i < sizeof stretches / sizeof *stretches; i++)
	{
		assert_stretches(stretches[i], 2e-5);
	}
}

static void dual_quats_of_what_is_flat_still_turn_with_it(void **state)
{
	(void)state;
	assert_stretches((lrd_vec3){ 1, 1.5f, 0 }, 2e-5);
}

static void dual_quats_of_mirrors_turn_as_decomposing_says(void **state)
{
	(void)state;
	for (int i = 0; i < 100; i++)
	{
		lrd_transform t = { { 1, 2, 3 }, random_rotation(), { -1.5f, 1.5f, 1.5f } };
		matrix whole = from_transform(&t);
		lrd_mat4 palette;
		lrd_dual_quat quat;
		narrow(&whole, &palette);
		lrd_dual_quats_from_palette(&palette, 1, &quat);
		t.scale = (lrd_vec3){ 1, 1, 1 };
		matrix rotation = from_transform(&t);
		assert_dual_quat(&quat, &rotation, &t.translation, 3e-6);
	}
}

static void dual_quats_of_nothing_or_no_numbers_are_unit_length(void **state)
{
	(void)state;
	static const float elements[] = { 0.0f, 1.0f, 1e-30f, 1e30f, NAN, INFINITY, -INFINITY };
	for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
	{
		lrd_mat4 palette[2] = { { { 0 } } };
		lrd_dual_quat quats[2], alone;
		for (int k = 0; k < 12; k++)
		{
			palette[0].m[k] = elements[i]; // of 1: one line
		}
		palette[1].m[0] = palette[1].m[5] = palette[1].m[10] = 1.0f;
		lrd_dual_quats_from_palette(palette, 2, quats);
		lrd_vec4 r = quats[0].real;
		assert_float_equal(r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w, 1.0f, 1e-6f);
		lrd_dual_quats_from_palette(palette + 1, 1, &alone); // what its neighbours are does not show
		assert_memory_equal(&alone, &quats[1], sizeof alone);
		assert_true(alone.real.w == 1.0f && alone.dual.x == 0.0f);
	}
}

static void dual_quats_do_not_depend_on_their_neighbours(void **state)
{
	(void)state;
	rig it = make_rig(50);
	lrd_dual_quat quats[50];
	lrd_skeleton_palette(&it.view, it.pose, it.palette);
	lrd_dual_quats_from_palette(it.palette, 50, quats);
	for (uint32_t j = 0; j < 50; j++)
	{
		lrd_dual_quat alone;
		lrd_dual_quats_from_palette(it.palette + j, 1, &alone);
		assert_memory_equal(&alone, &quats[j], sizeof alone);
	}
	free_rig(&it);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(palette_equals_that_of_doubles),
		cmocka_unit_test(palette_keeps_mirrors_and_shear),
		cmocka_unit_test(palette_of_a_thousand_joints_equals_that_of_doubles),
		cmocka_unit_test(palette_of_the_longest_chain_holds),
		cmocka_unit_test(dual_quats_of_rigid_motions_are_those_motions),
		cmocka_unit_test(dual_quats_leave_out_scale_and_shear),
		cmocka_unit_test(dual_quats_of_what_is_flat_still_turn_with_it),
		cmocka_unit_test(dual_quats_of_mirrors_turn_as_decomposing_says),
		cmocka_unit_test(dual_quats_of_nothing_or_no_numbers_are_unit_length),
		cmocka_unit_test(dual_quats_do_not_depend_on_their_neighbours),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
