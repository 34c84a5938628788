// .lclip: writing, and each rule of the reader. Sampling is in test_format_clip_sample.c.

#include "fixtures/cooked_file.h"

#include "failing_allocator.h"
#include "fixtures/make_clip.h"
#include "fixtures/read_whole.h"
#include "format/clip.h"

#define NAN_BITS 0x7fc00000u
#define ONE_BITS 0x3f800000u
#define MINUS_ONE_BITS 0xbf800000u

static lrd_buffer written_view(const lrd_clip_view *view)
{
	lrd_buffer file = { 0 };
	lrd_error error = { 0 };
	if (!lrd_clip_write(view, &file, &error))
	{
		fail_msg("%s", error.message);
	}
	return file;
}

static lrd_buffer written(void)
{
	make_clip_memory memory;
	lrd_clip_view view = make_clip(&memory);
	return written_view(&view);
}

static lrd_clip_view opened(const lrd_buffer *file)
{
	lrd_clip_view view;
	lrd_error error = { 0 };
	if (!lrd_clip_open(file->data, file->size, &view, &error))
	{
		fail_msg("%s", error.message);
	}
	return view;
}

static void golden_clip_is_written_byte_for_byte(void **state)
{
	(void)state;
	lrd_buffer file = written();
	assert_golden("golden.lclip", &file);
	lrd_error error = { 0 };
	assert_true(read_whole_clip(file.data, file.size, &error));
	lrd_buffer_free(&file);
}

static void view_tells_what_was_written(void **state)
{
	(void)state;
	lrd_buffer file = written();
	lrd_clip_view view = opened(&file);
	assert_true(lrd_string_equal(view.name, LRD_STR("wave")));
	assert_true(view.duration == 2.0f);
	assert_int_equal(view.joint_count, 5);
	assert_int_equal(view.channel_count, 5);
	assert_int_equal(view.channels[1].joint, 2);
	assert_int_equal(view.channels[3].node, 7);
	assert_int_equal(view.channels[3].interpolation, LRD_INTERPOLATION_CUBIC);
	assert_true(lrd_string_equal(lrd_clip_target_name(&view, 4), LRD_STR("face")));
	assert_int_equal(lrd_clip_target_name(&view, 5).size, 0);
	lrd_buffer_free(&file);
}

static void channels_with_equal_times_share_them(void **state)
{
	(void)state;
	lrd_buffer file = written();
	lrd_clip_view view = opened(&file);
	assert_int_equal(view.time_count, 5);
	assert_int_equal(view.channels[0].times_offset, 0);
	assert_int_equal(view.channels[1].times_offset, 0);
	assert_int_equal(view.channels[2].times_offset, 3);
	assert_int_equal(view.channels[3].times_offset, 3);
	assert_int_equal(view.channels[4].times_offset, 0);
	lrd_buffer_free(&file);
}

static void values_no_channel_uses_are_left_out(void **state)
{
	(void)state;
	make_clip_memory memory;
	lrd_clip_view view = make_clip(&memory);
	lrd_buffer file = written_view(&view);
	memory.values[view.value_count] = 5.0f;
	memory.times[view.time_count] = 5.0f;
	view.value_count++;
	view.time_count++;
	lrd_buffer again = written_view(&view);
	assert_int_equal(again.size, file.size);
	assert_memory_equal(again.data, file.data, file.size);
	lrd_buffer_free(&file);
	lrd_buffer_free(&again);
}

static void clip_without_channels_is_a_clip(void **state)
{
	(void)state;
	lrd_clip_view view = { .name = LRD_STR("still"), .duration = 1.0f };
	lrd_buffer file = written_view(&view);
	lrd_error error = { 0 };
	assert_true(read_whole_clip(file.data, file.size, &error));
	lrd_buffer_free(&file);
}

#define HEADER(member) offsetof(lrd_clip_header, member)
#define AT(pointer) ((size_t)((const uint8_t *)(pointer)-file.data))

static void assert_all_refused(const lrd_buffer *file, const cooked_damage *damages, size_t count)
{
	for (size_t i = 0; i < count; i++)
	{
		assert_damage_refused(read_whole_clip, file->data, file->size, &damages[i]);
	}
}

static void header_rules_hold(void **state)
{
	(void)state;
	lrd_buffer file = written();
	const cooked_damage damages[] = {
		{ HEADER(magic), 1, 'X', "lclip: magic: found 58 43 4c 50, expected \"LCLP\"" },
		{ HEADER(version), 4, 0, "version: found 0, this reader wants 1; cook the source again" },
		{ HEADER(flags), 4, 2, "flags: found 0x2, known are 0x1" },
		{ HEADER(flags), 4, 1, "flags: uniform is set, but channel 2 has keys that are not at i * duration" },
		{ HEADER(duration), 4, NAN_BITS, "duration: found nan" },
		{ HEADER(duration), 4, MINUS_ONE_BITS, "duration: found -1, it must be finite and not negative" },
		{ HEADER(duration), 4, ONE_BITS, "channel 0: its last time is 2, but duration is 1" },
		{ HEADER(joint_count), 4, 32768, "joint_count: found 32768, allowed are up to 32767" },
		{ HEADER(joint_count), 4, 2, "channel 0: joint 2; allowed are -1 and those below joint_count (2)" },
		{ HEADER(channel_count), 4, 0xffffffff, "channels: 4294967295 x 48 bytes at byte 64 pass the file's end" },
		{ HEADER(value_count), 4, 0xffffffff, "values: 4294967295 x 4 bytes" },
		{ HEADER(time_count), 4, 4, "before strings, must be zero" },
		{ HEADER(name_offset), 4, 1, "name: offset 1, size 4 in strings (14): neither one that came before" },
		{ HEADER(reserved) + 8, 4, 1, "reserved" },
	};
	assert_all_refused(&file, damages, sizeof damages / sizeof *damages);
	lrd_buffer_free(&file);
}

static void channel_rules_hold(void **state)
{
	(void)state;
	lrd_buffer file = written();
	lrd_clip_view v = opened(&file);
	const lrd_clip_channel *c = v.channels;
	const cooked_damage damages[] = {
		{ AT(&c[0].path), 2, 4, "channel 0: path 4, interpolation 0; known are 0 to 3 and 0 to 2" },
		{ AT(&c[0].interpolation), 2, 3, "channel 0: path 0, interpolation 3" },
		{ AT(&c[0].components), 4, 4, "channel 0: components 4; path 0 has 3" },
		{ AT(&c[1].components), 4, 3, "channel 1: components 3; path 1 has 4" },
		{ AT(&c[4].components), 4, 0, "channel 4: components 0; path 3 has 1 and up" },
		{ AT(&c[4].components), 4, 3, "channel 4: 3 keys of 3 floats at 51 pass values (57)" },
		{ AT(&c[4].components), 4, 0xffffffff, "channel 4: 3 keys of 4294967295 floats" },
		{ AT(&c[4].components), 4, 1, "channels: have 54 values together, but value_count is 57" },
		{ AT(&c[4].key_count), 4, 2, "channels: have 55 values together, but value_count is 57" },
		{ AT(&c[4].times_offset), 4, 1, "channel 4: times: offset 1, size 3 in times (5): is a piece of earlier ones" },
		{ AT(&c[4].times_offset), 4, 3, "channel 4: times: offset 3, size 3 in times (5): passes the block's end" },
		{ AT(&c[4].key_count), 4, 0, "channel 4: key_count is 0; a channel has at least one key" },
		{ AT(&c[1].values_offset), 4, 8, "channel 1: values_offset 8, expected 9: channels lie back to back" },
		{ AT(&c[0].joint), 4, 5, "channel 0: joint 5; allowed are -1 and those below joint_count (5)" },
		{ AT(&c[0].joint), 4, 0xfffffffe, "channel 0: joint -2" },
		{ AT(&c[0].node), 4, 0xfffffffe, "channel 0: node -2; allowed are -1 and up" },
		{ AT(&c[3].skeleton), 4, 1, "channel 3: skeleton 1, but joint is -1: it must be 0" },
		{ AT(&c[0].target_hash), 4, 1, "channel 0: target_hash 0x00000001, but its target's FNV-1a is 0x" },
		{ AT(&c[2].target_size), 4, 2, "channel 2: target: offset 4, size 2 in strings (14): is a piece" },
		{ AT(&c[2].reserved), 4, 1, "channel 2: reserved is 0x1, must be zero" },
		{ AT(v.strings.data + 1), 1, 0xff, "strings: not UTF-8" },
	};
	assert_all_refused(&file, damages, sizeof damages / sizeof *damages);
	lrd_buffer_free(&file);
}

static void key_rules_hold(void **state)
{
	(void)state;
	lrd_buffer file = written();
	lrd_clip_view v = opened(&file);
	const float *turn = v.values + v.channels[1].values_offset;
	const float *curve = v.values + v.channels[3].values_offset;
	const cooked_damage damages[] = {
		{ AT(v.times), 4, MINUS_ONE_BITS, "channel 0: its first time is -1, which is before 0" },
		{ AT(v.times), 4, NAN_BITS, "channel 0: its first time is nan" },
		{ AT(v.times + 1), 4, NAN_BITS, "channel 0: time 1 is nan, which is not after 0, the one before it" },
		{ AT(v.times + 2), 4, ONE_BITS, "channel 0: time 2 is 1, which is not after 1" },
		{ AT(v.times + 4), 4, 0x40400000, "channel 2: its last time is 3, but duration is 2" },
		{ AT(v.values + 4), 4, NAN_BITS, "channel 0: its values must be finite" },
		{ AT(v.values + 56), 4, NAN_BITS, "channel 4: its values must be finite" },
		{ AT(curve), 4, NAN_BITS, "channel 3: its values must be finite" },
		{ AT(turn + 4), 4, ONE_BITS, "channel 1: key 1: rotation (1, 0.6, 0, 0.8) is not of unit length" },
		{ AT(turn + 3), 4, MINUS_ONE_BITS, "channel 1: key 1: the rotation takes the long way from the one before it" },
		{ AT(curve + 7), 4, 0, "channel 3: key 0: rotation (0, 0, 0, 0) is not of unit length" },
		{ AT(curve + 7), 4, MINUS_ONE_BITS, "channel 3: key 1: the rotation takes the long way" },
	};
	assert_all_refused(&file, damages, sizeof damages / sizeof *damages);
	lrd_buffer_free(&file);
}

static void equal_times_stored_twice_are_refused(void **state)
{
	(void)state;
	static const float one[] = { 0.0f, 1.0f };
	static const float other[] = { 0.0f, 0.5f };
	static const float values[] = { 0, 0, 0, 1, 1, 1 };
	make_clip_memory memory = { 0 };
	make_clip_channel(&memory, "a", LRD_PATH_SCALE, LRD_INTERPOLATION_LINEAR, 3, 2, one, values);
	make_clip_channel(&memory, "b", LRD_PATH_SCALE, LRD_INTERPOLATION_LINEAR, 3, 2, other, values);
	lrd_clip_view view = make_clip_view(&memory, "", 1.0f);
	lrd_buffer file = written_view(&view);
	lrd_clip_view v = opened(&file);
	const cooked_damage damage = { AT(v.times + 3), 4, ONE_BITS,
		"channel 1: times: offset 2, size 2 in times (4): equals" };
	assert_all_refused(&file, &damage, 1);
	lrd_buffer_free(&file);
}

/// A clip of one channel with these times, flagged uniform.
static bool uniform_is_taken(const float *times, uint32_t count, float duration)
{
	static const float values[3 * 16];
	make_clip_memory memory = { 0 };
	make_clip_channel(&memory, "a", LRD_PATH_SCALE, LRD_INTERPOLATION_STEP, 3, count, times, values);
	lrd_clip_view view = make_clip_view(&memory, "", duration);
	view.flags = LRD_CLIP_UNIFORM;
	lrd_buffer file = { 0 };
	bool taken = lrd_clip_write(&view, &file, NULL);
	lrd_buffer_free(&file);
	return taken;
}

static void uniform_flag_is_held_to_the_grid(void **state)
{
	(void)state;
	assert_true(uniform_is_taken((const float[]){ 0.0f, 0.5f, 1.0f, 1.5f }, 4, 1.5f));
	assert_true(uniform_is_taken((const float[]){ 0.0f, 0.5004f, 1.0f, 1.5f }, 4, 1.5f));
	assert_false(uniform_is_taken((const float[]){ 0.0f, 0.502f, 1.0f, 1.5f }, 4, 1.5f));
	assert_false(uniform_is_taken((const float[]){ 0.0f, 0.5f, 1.0f, 1.5f }, 4, 1.6f));
	assert_true(uniform_is_taken((const float[]){ 0.0f, 1.0f / 3.0f, 2.0f / 3.0f, 1.0f }, 4, 1.0f));
	assert_true(uniform_is_taken((const float[]){ 0.7f }, 1, 1.0f));
}

static void clip_cut_anywhere_is_refused(void **state)
{
	(void)state;
	lrd_buffer file = written();
	assert_every_truncation_refused(read_whole_clip, file.data, file.size);
	lrd_buffer_free(&file);
}

static void flipped_bits_do_no_harm(void **state)
{
	(void)state;
	lrd_buffer file = written();
	assert_flips_are_harmless(read_whole_clip, file.data, file.size, 20000);
	lrd_buffer_free(&file);
}

static void misaligned_bytes_are_the_callers_mistake(void **state)
{
	(void)state;
	lrd_buffer file = written();
	lrd_clip_view view;
	lrd_error error = { 0 };
	assert_false(lrd_clip_open(file.data + 8, file.size - 8, &view, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	lrd_buffer_free(&file);
}

static void assert_writer_refuses(const lrd_clip_view *view, const char *says)
{
	lrd_buffer file = { 0 };
	lrd_error error = { 0 };
	assert_false(lrd_clip_write(view, &file, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	if (strstr(error.message, says) == NULL)
	{
		fail_msg("expected \"%s\", got \"%s\"", says, error.message);
	}
	assert_null(file.data);
}

static void writer_refuses_what_breaks_a_rule(void **state)
{
	(void)state;
	make_clip_memory memory;
	lrd_clip_view view = make_clip(&memory);
	memory.channels[4].key_count = 0;
	assert_writer_refuses(&view, "lclip: channel 4: key_count is 0");
	view = make_clip(&memory);
	memory.channels[0].values_offset = 1000;
	assert_writer_refuses(
		&view, "lclip: channel 0: 3 keys of 3 floats at time 0, value 1000 pass times (13) or values (57)");
	view = make_clip(&memory);
	memory.channels[0].times_offset = 0xffffffff;
	assert_writer_refuses(&view, "lclip: channel 0: 3 keys of 3 floats at time 4294967295");
	view = make_clip(&memory);
	view.times = NULL;
	assert_writer_refuses(&view, "lclip: times or values");
	view = make_clip(&memory);
	view.joint_count = 0;
	assert_writer_refuses(&view, "lclip: channel 0: joint 2");
}

static void writer_survives_every_failing_allocation(void **state)
{
	(void)state;
	make_clip_memory source;
	lrd_clip_view view = make_clip(&source);
	bool done = false;
	for (long long succeed = 0; !done; succeed++)
	{
		failing_allocator memory;
		failing_allocator_init(&memory, succeed);
		lrd_buffer file = { .allocator = failing_allocator_get(&memory) };
		lrd_error error = { 0 };
		done = lrd_clip_write(&view, &file, &error);
		assert_int_equal(error.code, done ? LRD_OK : LRD_ERROR_MEMORY);
		assert_true(done == (file.data != NULL));
		assert_true(succeed < 100);
		lrd_buffer_free(&file);
		assert_int_equal(memory.bytes_out, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_clip_is_written_byte_for_byte),
		cmocka_unit_test(view_tells_what_was_written),
		cmocka_unit_test(channels_with_equal_times_share_them),
		cmocka_unit_test(values_no_channel_uses_are_left_out),
		cmocka_unit_test(clip_without_channels_is_a_clip),
		cmocka_unit_test(header_rules_hold),
		cmocka_unit_test(channel_rules_hold),
		cmocka_unit_test(key_rules_hold),
		cmocka_unit_test(equal_times_stored_twice_are_refused),
		cmocka_unit_test(uniform_flag_is_held_to_the_grid),
		cmocka_unit_test(clip_cut_anywhere_is_refused),
		cmocka_unit_test(flipped_bits_do_no_harm),
		cmocka_unit_test(misaligned_bytes_are_the_callers_mistake),
		cmocka_unit_test(writer_refuses_what_breaks_a_rule),
		cmocka_unit_test(writer_survives_every_failing_allocation),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
