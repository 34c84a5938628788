// .lmodel: what the writer makes and refuses, look-up by name, and each rule that a file may break.

#include "fixtures/cooked_file.h"

#include "failing_allocator.h"
#include "fixtures/format_model.h"

#include <math.h>

static void golden_model_is_written_byte_for_byte(void **state)
{
	(void)state;
	lrd_buffer made = { 0 };
	lrd_error error = { 0 };
	if (!make_golden_model(&made, &error))
	{
		fail_msg("%s", error.message);
	}
	assert_golden("golden.lmodel", &made);
	assert_true(read_whole_model(made.data, made.size, &error)); // which writes it again
	lrd_buffer_free(&made);
}

static void assert_text(const lrd_model_view *view, lrd_text text, const char *expected)
{
	assert_true(lrd_string_equal(lrd_model_text(view, text), lrd_string_from(expected)));
}

static void a_model_is_read_as_it_was_written(void **state)
{
	(void)state;
	sample_model sample;
	sample_model_init(&sample);
	lrd_buffer file = { 0 };
	assert_true(sample_model_write(&sample, &file, NULL));
	lrd_model_view view;
	assert_true(lrd_model_open(file.data, file.size, &view, NULL));
	assert_memory_equal(&view.bounds, &sample.view.bounds, sizeof view.bounds);
	assert_int_equal(view.node_count, 4);
	assert_memory_equal(view.nodes[2].rotation, sample.nodes[2].rotation, sizeof view.nodes[2].rotation);
	assert_text(&view, view.nodes[2].name, "tail");
	assert_int_equal(view.part_count, 3);
	assert_text(&view, view.parts[1].mesh, "models/fox/part.collar");
	assert_int_equal(view.parts[0].skeleton, 1);
	assert_text(&view, view.materials[1].stem, "models/fox/material.eyes");
	assert_text(&view, view.clips[0].stem, "models/fox/clip.run");
	assert_text(&view, view.variants[2].name, "old");
	assert_memory_equal(view.choices, sample.choices, sizeof sample.choices);
	assert_text(&view, view.lights[1].name, "sun");
	assert_true(view.cameras[0].vertical == 0.75f);
	assert_int_equal(view.actors[0].part, LRD_NO_INDEX);
	assert_memory_equal(view.joint_nodes, sample.joint_nodes, sizeof sample.joint_nodes);
	assert_text(&view, view.skeletons[1].stem, "models/fox/skeleton.tail");
	assert_memory_equal(view.weights, sample.weights, sizeof sample.weights);
	assert_true(lrd_string_equal(view.collision, LRD_STR("models/fox/collision")));
	sample_model_free(&sample);
	lrd_buffer_free(&file);
}

static void a_model_of_nothing_is_read_as_it_was_written(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	assert_true(lrd_model_write(&(lrd_model_view){ 0 }, &file, NULL));
	assert_int_equal(file.size, sizeof(lrd_model_header));
	assert_true(read_whole_model(file.data, file.size, NULL));
	lrd_buffer_free(&file);
}

static void names_are_found_byte_for_byte_the_first_row_first(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	assert_true(make_golden_model(&file, NULL));
	lrd_model_view view;
	assert_true(lrd_model_open(file.data, file.size, &view, NULL));
	assert_int_equal(lrd_model_find_node(&view, LRD_STR("hips")), 1);
	assert_int_equal(lrd_model_find_part(&view, LRD_STR("Eyes")), 2);
	assert_int_equal(lrd_model_find_part(&view, LRD_STR("eyes")), LRD_NO_INDEX);
	assert_int_equal(lrd_model_find_part(&view, LRD_STR("Eye")), LRD_NO_INDEX);
	assert_int_equal(lrd_model_find_part(&view, LRD_STR("")), LRD_NO_INDEX);
	assert_int_equal(lrd_model_find_material(&view, LRD_STR("eyes")), 1);
	assert_int_equal(lrd_model_find_clip(&view, LRD_STR("Sit")), 1);
	assert_int_equal(lrd_model_find_variant(&view, LRD_STR("plain")), 1);
	assert_int_equal(lrd_model_find_light(&view, LRD_STR("sun")), 1);
	assert_int_equal(lrd_model_find_camera(&view, LRD_STR("front")), 0);
	assert_int_equal(lrd_model_find_camera(&view, LRD_STR("rear")), LRD_NO_INDEX);
	assert_int_equal(lrd_model_text(&view, (lrd_text){ UINT32_MAX, 1 }).size, 0);
	lrd_buffer_free(&file);
}

// Refusals of the reader. Blocks of the golden model, each at a multiple of 16.

#define HEADER(member) offsetof(lrd_model_header, member), 4
#define NODES 128
#define PARTS (NODES + 4 * 64)
#define MATERIALS (PARTS + 3 * 48)
#define CLIPS (MATERIALS + 2 * 16)
#define VARIANTS (CLIPS + 2 * 16)
#define CHOICES (VARIANTS + 3 * 16)
#define LIGHTS (CHOICES + 32)
#define CAMERAS (LIGHTS + 2 * 48)
#define ACTORS (CAMERAS + 2 * 32)
#define JOINT_NODES (ACTORS + 3 * 64)
#define SKELETONS (JOINT_NODES + 16)
#define WEIGHTS (SKELETONS + 2 * 16)
#define STRINGS (WEIGHTS + 16)

#define ROW(block, type, index, member) (block) + (index) * sizeof(type) + offsetof(type, member), 4
#define NODE(index, member) ROW(NODES, lrd_model_node, index, member)
#define PART(index, member) ROW(PARTS, lrd_model_part, index, member)
#define MATERIAL(index, member) ROW(MATERIALS, lrd_model_material, index, member)
#define VARIANT(index, member) ROW(VARIANTS, lrd_model_variant, index, member)
#define CHOICE(index, member) ROW(CHOICES, lrd_model_choice, index, member)
#define LIGHT(index, member) ROW(LIGHTS, lrd_model_light, index, member)
#define CAMERA(index, member) ROW(CAMERAS, lrd_model_camera, index, member)
#define ACTOR(index, member) ROW(ACTORS, lrd_model_actor, index, member)
#define SKELETON(index, member) ROW(SKELETONS, lrd_model_skeleton, index, member)

#define NOT_A_NUMBER 0x7fc00000u
#define INFINITE 0x7f800000u
#define ONE 0x3f800000u
#define TWO 0x40000000u
#define FOUR 0x40800000u
#define MINUS_ONE 0xbf800000u

static const cooked_damage header_damage[] = {
	{ HEADER(magic), 0x58585858, "lmodel: magic: found 58 58 58 58, expected \"LMDL\"" },
	{ HEADER(version), 7, "version: found 7, this reader wants 1; cook the source again" },
	{ HEADER(file_size), 3, "file_size: found 3" },
	{ HEADER(bounds), NOT_A_NUMBER, "bounds: every number must be finite" },
	{ HEADER(bounds), TWO, "bounds: min (2, 0, -2) passes max" },
	{ HEADER(bounds) + 0, INFINITE, "bounds" },
	{ offsetof(lrd_model_header, bounds) + 36, 4, MINUS_ONE, "bounds: radius -1 is negative" },
	{ HEADER(collision_offset), 1, "collision: offset 1, size 20" },
	{ HEADER(node_count), UINT32_MAX, "nodes: 4294967295 x 64 bytes at byte 128 pass the file's end" },
	{ HEADER(node_count), 5, "must be zero" },
	{ HEADER(part_count), UINT32_MAX, "parts: 4294967295" },
	{ HEADER(material_count), UINT32_MAX, "materials: 4294967295" },
	{ HEADER(clip_count), UINT32_MAX, "clips: 4294967295" },
	{ HEADER(variant_count), UINT32_MAX, "variants: 4294967295" },
	{ HEADER(choice_count), UINT32_MAX, "choices: 4294967295" },
	{ HEADER(light_count), UINT32_MAX, "lights: 4294967295" },
	{ HEADER(camera_count), UINT32_MAX, "cameras: 4294967295" },
	{ HEADER(actor_count), UINT32_MAX, "actors: 4294967295" },
	{ HEADER(joint_node_count), UINT32_MAX, "joint_nodes: 4294967295" },
	{ HEADER(joint_node_count), 4, "joint_nodes: 3 of 4 are referred to" },
	{ HEADER(skeleton_count), UINT32_MAX, "skeletons: 4294967295" },
	{ HEADER(weight_count), UINT32_MAX, "weights: 4294967295" },
	{ HEADER(weight_count), 4, "weights: 3 of 4 are referred to" },
	{ HEADER(string_size), UINT32_MAX, "strings: 4294967295" },
	{ HEADER(string_size), 1, "the last block ends at byte" },
	{ HEADER(reserved), 1, "reserved must be zero" },
};

static const cooked_damage row_damage[] = {
	{ NODE(0, parent), 0, "node 0: parent: found 0, allowed are -1 and the nodes before it" },
	{ NODE(2, parent), 2, "node 2: parent: found 2" },
	{ NODE(2, parent), 0xfffffffe, "node 2: parent: found -2" },
	{ NODE(1, flags), 4, "node 1: flags: found 0x4, allowed are those of 0x3" },
	{ NODE(1, flags), 0, "joint_nodes 0: node 1 is not flagged as a joint" },
	{ NODE(1, translation), NOT_A_NUMBER, "node 1: translation, rotation and scale must be finite" },
	{ NODE(1, scale), INFINITE, "node 1: translation, rotation and scale must be finite" },
	{ NODE(3, rotation), ONE, "node 3: rotation (1, 0.6, 0, 0.8) is not of unit length" },
	{ NODE(3, reserved), 1, "node 3: reserved must be zero" },
	{ NODE(1, name), 500, "node 1: name: offset 500, size 4" },
	{ PART(0, slot), 2, "part 0: slot: found 2, there are 2, or none (4294967295)" },
	{ PART(0, node), 4, "part 0: node: found 4, there are 4" },
	{ PART(0, flags), 4, "part 0: flags: found 0x4" },
	{ PART(0, flags), 0, "part 0: flags: it is not skinned, but has a skeleton" },
	{ PART(1, flags), LRD_PART_SKINNED, "part 1: flags: it is skinned, but has no skeleton" },
	{ PART(0, skeleton), 2, "part 0: skeleton: found 2, there are 2" },
	{ PART(0, weights_offset), 1, "part 0: 2 weights from 1, allowed are those of 3 from 0 on" },
	{ PART(0, weight_count), 4, "part 0: 4 weights from 0" },
	{ PART(1, weights_offset), 2, "part 1: 0 weights from 2, allowed are those of 3 from 0 on" },
	{ PART(2, weights_offset), 1, "part 2: 1 weights from 1, allowed are those of 3 from 2 on" },
	{ PART(2, weight_count), 2, "part 2: 2 weights from 2" },
	{ PART(2, reserved), 1, "part 2: reserved must be zero" },
	{ MATERIAL(0, name), UINT32_MAX, "material 0: name: offset 4294967295" },
	{ VARIANT(0, choice_offset), 1, "variant 0: 2 choices from 1, allowed are those of 3 from 0 on" },
	{ VARIANT(2, choice_count), 0, "variant 2: 0 choices from 2" },
	{ VARIANT(2, choice_count), 2, "variant 2: 2 choices from 2" },
	{ CHOICE(0, part), 3, "choice 0: part: found 3, there are 3" },
	{ CHOICE(0, part), LRD_NO_INDEX, "choice 0: part: found 4294967295, there are 3" },
	{ CHOICE(2, slot), 2, "choice 2: slot: found 2, there are 2" },
	{ CHOICES + 28, 4, 1, "before lights, must be zero" },
	{ LIGHT(0, node), LRD_NO_INDEX, "light 0: node: found 4294967295, there are 4" },
	{ LIGHT(0, type), 3, "light 0: type: found 3" },
	{ LIGHT(0, color), MINUS_ONE, "light 0: color[0]: found -1, it must be finite and 0 or more" },
	{ LIGHT(0, intensity), NOT_A_NUMBER, "light 0: intensity: found nan" },
	{ LIGHT(0, range), INFINITE, "light 0: range: found inf" },
	{ LIGHT(0, inner_cone), ONE, "light 0: cones 1 and 0.5" },
	{ LIGHT(0, outer_cone), TWO, "light 0: cones 0.25 and 2" },
	{ LIGHT(0, reserved), 1, "light 0: reserved must be zero" },
	{ CAMERA(0, node), 4, "camera 0: node: found 4" },
	{ CAMERA(0, type), 2, "camera 0: type: found 2" },
	{ CAMERA(0, vertical), 0, "camera 0: vertical: found 0, it must be more than 0 and less than pi" },
	{ CAMERA(0, vertical), FOUR, "camera 0: vertical: found 4" },
	{ CAMERA(0, vertical), 0x40490fdb, "camera 0: vertical: found 3.14159" },
	{ CAMERA(1, vertical), INFINITE, "camera 1: vertical: found inf, it must be more than 0 and finite" },
	{ CAMERA(0, aspect), MINUS_ONE, "camera 0: aspect" },
	{ CAMERA(0, near_plane), 0,
		"camera 0: planes 0 and 0, the far one must be 0 or past the near one, and that past 0" },
	{ CAMERA(1, near_plane), MINUS_ONE, "camera 1: near_plane" },
	{ CAMERA(0, far_plane), 0x3e000000, "camera 0: planes 0.125 and 0.125" },
	{ ACTOR(0, parent), 1, "actor 0: parent: found 1, allowed are -1 and the actors before it" },
	{ ACTOR(1, part), 3, "actor 1: part: found 3, there are 3, or none" },
	{ ACTOR(1, rotation), ONE, "actor 1: rotation (1, 0, 0, 1) is not of unit length" },
	{ ACTOR(1, reserved), 1, "actor 1: reserved must be zero" },
	{ JOINT_NODES, 4, 4, "joint_nodes 0: node: found 4, there are 4" },
	{ JOINT_NODES, 4, 3, "joint_nodes 0: node 3 is not flagged as a joint" },
	{ JOINT_NODES + 12, 4, 1, "before skeletons, must be zero" },
	{ SKELETON(0, joint_node_offset), 1, "skeleton 0: 2 joint_nodes from 1" },
	{ SKELETON(1, joint_count), 2, "skeleton 1: 2 joint_nodes from 2, allowed are those of 3 from 2 on" },
	{ WEIGHTS, 4, NOT_A_NUMBER, "weights: every number must be finite" },
	{ STRINGS, 1, 0xff, "strings: not UTF-8" },
	{ STRINGS + 6, 1, '\\', "collision:" },
};

static void assert_damage_list_refused(const cooked_damage *list, size_t count)
{
	lrd_buffer file = { 0 };
	assert_true(make_golden_model(&file, NULL));
	for (size_t i = 0; i < count; i++)
	{
		assert_damage_refused(read_whole_model, file.data, file.size, &list[i]);
	}
	lrd_buffer_free(&file);
}

static void every_rule_of_the_header_is_checked(void **state)
{
	(void)state;
	assert_damage_list_refused(header_damage, sizeof header_damage / sizeof header_damage[0]);
}

static void every_rule_of_the_rows_is_checked(void **state)
{
	(void)state;
	assert_damage_list_refused(row_damage, sizeof row_damage / sizeof row_damage[0]);
}

// Refusals of the writer, which are the reader's where one field alone can't break the rule.

static void assert_write_refused(sample_model *sample, const char *says)
{
	lrd_buffer out = { 0 };
	lrd_error error = { 0 };
	assert_false(sample_model_write(sample, &out, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	if (strstr(error.message, says) == NULL)
	{
		fail_msg("expected \"%s\", got \"%s\"", says, error.message);
	}
	assert_int_equal(out.size, 0);
	assert_null(out.data);
	sample_model_free(sample);
	sample_model_init(sample);
}

static void stems_are_there_and_are_asset_paths(void **state)
{
	(void)state;
	static const char *const bad[] = { "", "/fox", "a//b", "../fox", "C:/fox", "fox\\tail" };
	sample_model sample;
	sample_model_init(&sample);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
	{
		sample.parts[1].mesh = sample_text(&sample, bad[i]);
		assert_write_refused(&sample, "part 1: mesh");
		sample.materials[1].stem = sample_text(&sample, bad[i]);
		assert_write_refused(&sample, "material 1: stem");
		sample.clips[0].stem = sample_text(&sample, bad[i]);
		assert_write_refused(&sample, "clip 0: stem");
		sample.skeletons[1].stem = sample_text(&sample, bad[i]);
		assert_write_refused(&sample, "skeleton 1: stem");
	}
	sample.view.collision = LRD_STR("./fox");
	assert_write_refused(&sample, "collision");
	sample_model_free(&sample);
}

static void views_that_break_a_rule_are_not_written(void **state)
{
	(void)state;
	sample_model sample;
	sample_model_init(&sample);
	sample.nodes[0].name = (lrd_text){ 100000, 1 };
	assert_write_refused(&sample, "nodes 0");
	sample.skeletons[1] = (lrd_model_skeleton){ sample.skeletons[1].stem, 0, 0 };
	assert_write_refused(&sample, "skeleton 1: joint_count: found 0");
	sample.view.joint_node_count = 2;
	assert_write_refused(&sample, "skeleton 1: 1 joint_nodes from 2");
	sample.view.choice_count = 2;
	assert_write_refused(&sample, "variant 2: 1 choices from 2");
	sample.variants[2].choice_count = sample.variants[2].choice_offset = 0;
	assert_write_refused(&sample, "choices: 2 of 3 are referred to");
	sample.nodes[1].rotation[1] = NAN;
	assert_write_refused(&sample, "node 1: translation, rotation and scale must be finite");
	sample_model_free(&sample);
}

static void blocks_without_rows_need_no_pointer_others_do(void **state)
{
	(void)state;
	lrd_buffer out = { 0 };
	lrd_error error = { 0 };
	assert_false(lrd_model_write(&(lrd_model_view){ .node_count = 1 }, &out, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_non_null(strstr(error.message, "nodes"));
	assert_null(out.data);
}

static void a_model_may_be_written_over_the_buffer_it_lies_in(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	assert_true(make_golden_model(&file, NULL));
	void *before = cooked_copy(file.data, file.size);
	lrd_model_view view;
	assert_true(lrd_model_open(file.data, file.size, &view, NULL));
	assert_true(lrd_model_write(&view, &file, NULL));
	assert_memory_equal(file.data, before, file.size);
	free(before);
	lrd_buffer_free(&file);
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	sample_model sample;
	sample_model_init(&sample);
	bool written = false;
	for (long long succeed = 0; !written; succeed++)
	{
		assert_true(succeed < 200);
		failing_allocator allocator;
		failing_allocator_init(&allocator, succeed);
		lrd_buffer out = { .allocator = failing_allocator_get(&allocator) };
		lrd_error error = { 0 };
		written = sample_model_write(&sample, &out, &error);
		assert_true(written || (error.code == LRD_ERROR_MEMORY && out.size == 0));
		lrd_buffer_free(&out);
		assert_int_equal(atomic_load(&allocator.bytes_out), 0);
	}
	sample_model_free(&sample);
}

static void models_are_refused_when_cut(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	assert_true(make_golden_model(&file, NULL));
	assert_every_truncation_refused(read_whole_model, file.data, file.size);
	assert_flips_are_harmless(read_whole_model, file.data, file.size, 50000);
	lrd_buffer_free(&file);
}

static void misaligned_bytes_are_an_argument_error(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	assert_true(make_golden_model(&file, NULL));
	lrd_error error = { 0 };
	lrd_model_view view;
	assert_false(lrd_model_open(file.data + 8, file.size - 8, &view, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	lrd_buffer_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_model_is_written_byte_for_byte),
		cmocka_unit_test(a_model_is_read_as_it_was_written),
		cmocka_unit_test(a_model_of_nothing_is_read_as_it_was_written),
		cmocka_unit_test(names_are_found_byte_for_byte_the_first_row_first),
		cmocka_unit_test(every_rule_of_the_header_is_checked),
		cmocka_unit_test(every_rule_of_the_rows_is_checked),
		cmocka_unit_test(stems_are_there_and_are_asset_paths),
		cmocka_unit_test(views_that_break_a_rule_are_not_written),
		cmocka_unit_test(blocks_without_rows_need_no_pointer_others_do),
		cmocka_unit_test(a_model_may_be_written_over_the_buffer_it_lies_in),
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(models_are_refused_when_cut),
		cmocka_unit_test(misaligned_bytes_are_an_argument_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
