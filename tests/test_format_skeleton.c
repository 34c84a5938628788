// .lskel: writing, each rule of the reader, and what a skeleton makes of a pose.

#include "fixtures/cooked_file.h"

#include "failing_allocator.h"
#include "fixtures/make_skeleton.h"
#include "fixtures/read_whole.h"
#include "format/skeleton.h"

#define NAN_BITS 0x7fc00000u
#define ONE_BITS 0x3f800000u

static lrd_buffer written(void)
{
	make_skeleton_memory memory;
	lrd_skeleton_view view = make_skeleton(&memory);
	lrd_buffer file = { 0 };
	lrd_error error = { 0 };
	if (!lrd_skeleton_write(&view, &file, &error))
	{
		fail_msg("%s", error.message);
	}
	return file;
}

static lrd_skeleton_view opened(const lrd_buffer *file)
{
	lrd_skeleton_view view;
	lrd_error error = { 0 };
	if (!lrd_skeleton_open(file->data, file->size, &view, &error))
	{
		fail_msg("%s", error.message);
	}
	return view;
}

static void golden_skeleton_is_written_byte_for_byte(void **state)
{
	(void)state;
	lrd_buffer file = written();
	assert_golden("golden.lskel", &file);
	lrd_error error = { 0 };
	assert_true(read_whole_skeleton(file.data, file.size, &error));
	lrd_buffer_free(&file);
}

static void view_tells_what_was_written(void **state)
{
	(void)state;
	lrd_buffer file = written();
	lrd_skeleton_view view = opened(&file);
	assert_true(lrd_string_equal(view.name, LRD_STR("fixture")));
	assert_int_equal(view.joint_count, 5);
	assert_true(view.root.m[13] == 2.0f);
	assert_true(lrd_string_equal(lrd_skeleton_joint_name(&view, 1), LRD_STR("spine")));
	assert_int_equal(view.joints[3].parent, 2);
	assert_int_equal(lrd_skeleton_joint_name(&view, 4).size, 0);
	assert_int_equal(lrd_skeleton_joint_name(&view, 5).size, 0);
	lrd_buffer_free(&file);
}

static void equal_names_are_stored_once(void **state)
{
	(void)state;
	lrd_buffer file = written();
	lrd_skeleton_view view = opened(&file);
	assert_true(lrd_string_equal(view.strings, LRD_STR("fixturehipsspinearm")));
	assert_int_equal(view.joints[2].name_offset, view.joints[3].name_offset);
	lrd_buffer_free(&file);
}

static void find_joint_gives_the_first_of_equal_names(void **state)
{
	(void)state;
	lrd_buffer file = written();
	lrd_skeleton_view view = opened(&file);
	assert_int_equal(lrd_skeleton_find_joint(&view, LRD_STR("arm")), 2);
	assert_int_equal(lrd_skeleton_find_joint(&view, LRD_STR("")), 4);
	assert_int_equal(lrd_skeleton_find_joint(&view, LRD_STR("Arm")), -1);
	lrd_buffer_free(&file);
}

static void rest_pose_is_the_joints_own(void **state)
{
	(void)state;
	lrd_buffer file = written();
	lrd_skeleton_view view = opened(&file);
	lrd_transform pose[MAKE_SKELETON_JOINTS];
	lrd_skeleton_rest_pose(&view, pose);
	assert_true(pose[3].translation.x == 3.0f && pose[3].translation.y == 1.0f);
	assert_true(pose[3].rotation.y == 0.6f && pose[3].rotation.w == 0.8f);
	assert_true(pose[3].scale.z == 2.5f);
	lrd_buffer_free(&file);
}

static void palette_is_root_times_parents_times_local_times_inverse_bind(void **state)
{
	(void)state;
	lrd_buffer file = written();
	lrd_skeleton_view view = opened(&file);
	lrd_transform pose[MAKE_SKELETON_JOINTS];
	lrd_mat4 palette[MAKE_SKELETON_JOINTS];
	lrd_skeleton_rest_pose(&view, pose);
	pose[1].translation.z = 5.0f;
	lrd_skeleton_palette(&view, pose, palette);
	for (uint32_t i = 0; i < view.joint_count; i++)
	{
		lrd_mat4 expected;
		memcpy(expected.m, view.joints[i].inverse_bind, sizeof expected.m);
		for (int32_t j = (int32_t)i; j >= 0; j = view.joints[j].parent)
		{
			lrd_mat4 local = lrd_mat4_from_transform(&pose[j]);
			expected = lrd_mat4_mul(&local, &expected);
		}
		expected = lrd_mat4_mul(&view.root, &expected);
		for (uint32_t k = 0; k < 16; k++)
		{
			assert_float_equal(palette[i].m[k], expected.m[k], 1e-4f);
		}
	}
	lrd_buffer_free(&file);
}

static void every_rule_holds(void **state)
{
	(void)state;
	lrd_buffer file = written();
	const size_t joints = sizeof(lrd_skeleton_header);
	const size_t last = joints + 4 * sizeof(lrd_joint);
	const size_t strings = joints + 5 * sizeof(lrd_joint);
#define JOINT(member) offsetof(lrd_joint, member)
	const cooked_damage damages[] = {
		{ 0, 1, 'X', "lskel: magic: found 58 53 4b 4c, expected \"LSKL\"" },
		{ 4, 4, 9, "version: found 9, this reader wants 1; cook the source again" },
		{ 16, 4, 0, "joint_count: found 0, allowed are 1 to 32767" },
		{ 16, 4, 32768, "joint_count: found 32768" },
		{ 16, 4, 6, "joints: 6 x 128 bytes at byte 96 pass the file's end" },
		{ 20, 4, 18, "the last block ends at byte" },
		{ 24, 4, 4, "name: offset 4, size 7 in strings (19): neither one that came before" },
		{ 32, 4, NAN_BITS, "root: every number must be finite" },
		{ joints + JOINT(parent), 2, 0, "joint 0: parent 0; allowed are -1 and the joints before it" },
		{ last + JOINT(parent), 2, 4, "joint 4: parent 4" },
		{ last + JOINT(parent), 2, 0xfffe, "joint 4: parent -2" },
		{ last + JOINT(name_hash), 4, 1, "joint 4: name_hash 0x00000001, but its name's FNV-1a is 0x811c9dc5" },
		{ last + JOINT(reserved), 2, 1, "joint 4: reserved must be zero" },
		{ last + JOINT(reserved_tail) + 4, 4, 1, "joint 4: reserved must be zero" },
		{ last + JOINT(inverse_bind) + 60, 4, NAN_BITS, "joint 4: inverse_bind, translation, rotation and scale" },
		{ last + JOINT(inverse_bind) + 12, 4, ONE_BITS,
			"joint 4: inverse_bind: its last row is (1, 0, 0, 1), must be" },
		{ last + JOINT(inverse_bind) + 60, 4, 0, "joint 4: inverse_bind: its last row is (0, 0, 0, 0), must be" },
		{ last + JOINT(translation), 4, NAN_BITS, "joint 4: inverse_bind, translation, rotation and scale" },
		{ last + JOINT(rotation) + 12, 4, ONE_BITS, "joint 4: rotation (0, 0.6, 0, 1) is not of unit length" },
		{ last + JOINT(scale) + 8, 4, NAN_BITS, "joint 4: inverse_bind, translation, rotation and scale" },
		{ last + JOINT(name_size), 4, 3,
			"joint 4: name: offset 0, size 3 in strings (19): is a piece of earlier ones" },
		{ last - sizeof(lrd_joint) + JOINT(name_size), 4, 2, "joint 3: name: offset 16, size 2" },
		{ strings + 12, 1, 'S', "joint 1: name_hash" },
		{ strings + 12, 1, 0, "strings: byte 12 is NUL" },
	};
	for (size_t i = 0; i < sizeof damages / sizeof *damages; i++)
	{
		assert_damage_refused(read_whole_skeleton, file.data, file.size, &damages[i]);
	}
	lrd_buffer_free(&file);
}

static void rotation_a_little_off_unit_length_is_taken(void **state)
{
	(void)state;
	make_skeleton_memory memory;
	lrd_skeleton_view view = make_skeleton(&memory);
	lrd_buffer file = { 0 };
	memory.joints[0].rotation[3] = 0.801f;
	assert_true(lrd_skeleton_write(&view, &file, NULL));
	memory.joints[0].rotation[3] = 0.802f;
	assert_false(lrd_skeleton_write(&view, &file, NULL));
}

static void skeleton_cut_anywhere_is_refused(void **state)
{
	(void)state;
	lrd_buffer file = written();
	assert_every_truncation_refused(read_whole_skeleton, file.data, file.size);
	lrd_buffer_free(&file);
}

static void flipped_bits_do_no_harm(void **state)
{
	(void)state;
	lrd_buffer file = written();
	assert_flips_are_harmless(read_whole_skeleton, file.data, file.size, 8000);
	lrd_buffer_free(&file);
}

static void misaligned_bytes_are_the_callers_mistake(void **state)
{
	(void)state;
	lrd_buffer file = written();
	lrd_skeleton_view view;
	lrd_error error = { 0 };
	assert_false(lrd_skeleton_open(file.data + 8, file.size - 8, &view, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	lrd_buffer_free(&file);
}

static void writer_refuses_what_breaks_a_rule(void **state)
{
	(void)state;
	make_skeleton_memory memory;
	lrd_skeleton_view view = make_skeleton(&memory);
	lrd_buffer file = { 0 };
	lrd_error error = { 0 };
	memory.joints[1].parent = 1;
	assert_false(lrd_skeleton_write(&view, &file, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_non_null(strstr(error.message, "lskel: joint 1: parent 1"));
	assert_null(file.data);
}

static void writer_survives_every_failing_allocation(void **state)
{
	(void)state;
	make_skeleton_memory source;
	lrd_skeleton_view view = make_skeleton(&source);
	bool done = false;
	for (long long succeed = 0; !done; succeed++)
	{
		failing_allocator memory;
		failing_allocator_init(&memory, succeed);
		lrd_buffer file = { .allocator = failing_allocator_get(&memory) };
		lrd_error error = { 0 };
		done = lrd_skeleton_write(&view, &file, &error);
		assert_int_equal(error.code, done ? LRD_OK : LRD_ERROR_MEMORY);
		assert_true(done == (file.data != NULL));
		assert_true(succeed < 100);
		lrd_buffer_free(&file);
		assert_int_equal(memory.bytes_out, 0);
	}
}

/// A skeleton of `count` joints named by number, in a chain. The joints are freed by the caller.
static lrd_skeleton_view make_chain(uint32_t count, lrd_text_table *names, lrd_joint **joints)
{
	*joints = calloc(count, sizeof **joints);
	assert_non_null(*joints);
	for (uint32_t i = 0; i < count; i++)
	{
		char name[16];
		snprintf(name, sizeof name, "joint%u", i);
		lrd_text text;
		assert_true(lrd_text_table_add(names, lrd_string_from(name), &text, NULL));
		(*joints)[i] = (lrd_joint){ .name_offset = text.offset,
			.name_size = text.size,
			.name_hash = lrd_fnv1a_32(lrd_string_from(name)),
			.parent = (int16_t)((int32_t)i - 1),
			.inverse_bind = { [15] = 1 },
			.rotation = { 0, 0, 0, 1 } };
	}
	return (lrd_skeleton_view){ .joints = *joints, .joint_count = count, .strings = lrd_text_table_block(names) };
}

static void largest_skeleton_is_written_and_read_back(void **state)
{
	(void)state;
	lrd_text_table *names = lrd_text_table_create((lrd_allocator){ 0 });
	lrd_joint *joints;
	lrd_skeleton_view view = make_chain(LRD_SKELETON_MAX_JOINTS, names, &joints);
	lrd_buffer file = { 0 };
	lrd_error error = { 0 };
	if (!lrd_skeleton_write(&view, &file, &error))
	{
		fail_msg("%s", error.message);
	}
	lrd_skeleton_view again = opened(&file);
	assert_int_equal(lrd_skeleton_find_joint(&again, LRD_STR("joint32766")), 32766);
	lrd_buffer_free(&file);
	lrd_text_table_destroy(names);
	free(joints);
}

static void equal_names_far_apart_are_found_stored_twice(void **state)
{
	(void)state;
	lrd_text_table *names = lrd_text_table_create((lrd_allocator){ 0 });
	lrd_joint *joints;
	lrd_skeleton_view view = make_chain(9000, names, &joints);
	lrd_buffer file = { 0 };
	assert_true(lrd_skeleton_write(&view, &file, NULL));
	// "joint8999" becomes a second "joint1500" where it stands, its hash right.
	lrd_joint *last = (lrd_joint *)(void *)(file.data + sizeof(lrd_skeleton_header)) + 8999;
	lrd_skeleton_view read = opened(&file);
	memcpy(file.data + ((const uint8_t *)read.strings.data - file.data) + last->name_offset, "joint1500", 9);
	last->name_hash = lrd_fnv1a_32(LRD_STR("joint1500"));
	lrd_error error = { 0 };
	assert_false(lrd_skeleton_open(file.data, file.size, &read, &error));
	assert_non_null(strstr(error.message, "joint 8999: name: "));
	assert_non_null(strstr(error.message, "equals an earlier one; each is stored once"));
	lrd_buffer_free(&file);
	lrd_text_table_destroy(names);
	free(joints);
}

static void name_that_is_a_piece_of_one_far_back_is_refused(void **state)
{
	(void)state;
	lrd_text_table *names = lrd_text_table_create((lrd_allocator){ 0 });
	lrd_joint *joints;
	lrd_skeleton_view view = make_chain(9000, names, &joints);
	joints[8999].name_offset = joints[5000].name_offset;
	joints[8999].name_size = joints[5000].name_size;
	joints[8999].name_hash = joints[5000].name_hash;
	lrd_buffer file = { 0 };
	assert_true(lrd_skeleton_write(&view, &file, NULL));
	lrd_joint *last = (lrd_joint *)(void *)(file.data + sizeof(lrd_skeleton_header)) + 8999;
	last->name_size -= 1;
	last->name_hash = lrd_fnv1a_32(LRD_STR("joint500"));
	lrd_error error = { 0 };
	lrd_skeleton_view read;
	assert_false(lrd_skeleton_open(file.data, file.size, &read, &error));
	assert_non_null(strstr(error.message, "joint 8999: name: "));
	assert_non_null(strstr(error.message, "is a piece of earlier ones"));
	lrd_buffer_free(&file);
	lrd_text_table_destroy(names);
	free(joints);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_skeleton_is_written_byte_for_byte),
		cmocka_unit_test(view_tells_what_was_written),
		cmocka_unit_test(equal_names_are_stored_once),
		cmocka_unit_test(find_joint_gives_the_first_of_equal_names),
		cmocka_unit_test(rest_pose_is_the_joints_own),
		cmocka_unit_test(palette_is_root_times_parents_times_local_times_inverse_bind),
		cmocka_unit_test(every_rule_holds),
		cmocka_unit_test(rotation_a_little_off_unit_length_is_taken),
		cmocka_unit_test(skeleton_cut_anywhere_is_refused),
		cmocka_unit_test(flipped_bits_do_no_harm),
		cmocka_unit_test(misaligned_bytes_are_the_callers_mistake),
		cmocka_unit_test(writer_refuses_what_breaks_a_rule),
		cmocka_unit_test(writer_survives_every_failing_allocation),
		cmocka_unit_test(largest_skeleton_is_written_and_read_back),
		cmocka_unit_test(equal_names_far_apart_are_found_stored_twice),
		cmocka_unit_test(name_that_is_a_piece_of_one_far_back_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
