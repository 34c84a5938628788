// Reading traces: what is taken, and that anything else is refused with the line, whatever it is.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/store_trace.h"

#define START "larder trace 1\nstore 4096 2\n"

static void assert_refused(const char *text, const char *part)
{
	lrd_recording recording;
	lrd_error error = { 0 };
	if (trace_parse(text, &recording, (lrd_allocator){ 0 }, &error))
	{
		fail_msg("taken:\n%s", text);
	}
	assert_int_equal(error.code, LRD_ERROR_FORMAT);
	if (strstr(error.message, part) == NULL)
	{
		fail_msg("\"%s\" is not in \"%s\"", part, error.message);
	}
}

static void a_whole_trace_is_read(void **state)
{
	(void)state;
	lrd_recording recording;
	lrd_error error = { 0 };
	if (!trace_parse(START "mount 0.1 \"game \\\"x\\\".lpack\"\n"
						   "asset 7.3 model \"models/fox\"\n"
						   "held 7.3 2 1\n"
						   "ticket 1.5 yes\n"
						   "needs 1.5 7.3\n"
						   "10 0 asset_find blob \"a\\\\b\\x0a\" = - +3\n"
						   "20 2 retain_with 7.3 -12 \"door\" = yes +0\n"
						   "30 2 retain_with 9.9 0 - = no +0\n"
						   "40 0 store_update +18446744073709551615\n"
						   "50 0 asset_put 7.3 5:aGVsbG8= = yes +1\n"
						   "60 0 ticket_get 1.5 = yes 3 2 1 +1\n"
						   "70 0 asset_state 7.3 = reload_pending +1\n"
						   "80 0 store_mount \"root\" \"cooked\" yes no = 1.2 +1\n"
						   "end 8\n",
			&recording, (lrd_allocator){ 0 }, &error))
	{
		fail_msg("%s", error.message);
	}
	assert_true(recording.ended);
	assert_int_equal(recording.keep_parked, 4096);
	assert_int_equal(recording.workers, 2);
	assert_int_equal(recording.thread_count, 3);
	assert_int_equal(recording.call_count, 8);
	assert_int_equal(recording.asset_count, 2);
	assert_int_equal(recording.mount_count, 2);
	assert_int_equal(recording.ticket_count, 1);
	assert_int_equal(recording.start_count, 4);
	assert_string_equal(recording.start[0].text.data, "game \"x\".lpack");
	assert_int_equal(recording.start[1].count, 2);
	assert_int_equal(recording.start[1].more, 1);
	assert_int_equal(recording.assets[0].kind, LRD_MODEL);
	assert_string_equal(recording.assets[0].stem.data, "models/fox");
	assert_int_equal(recording.assets[1].kind, LRD_KIND_NONE);
	const lrd_recorded_call *calls = recording.calls;
	assert_int_equal(calls[0].call, LRD_CALL_asset_find);
	assert_string_equal(calls[0].values[1].text.data, "a\\b\n");
	assert_int_equal(calls[0].values[2].slot, LRD_NO_SLOT);
	assert_int_equal(calls[0].line, 8);
	assert_int_equal(calls[0].took_ns, 3);
	assert_int_equal(calls[1].thread, 2);
	assert_int_equal(calls[1].values[1].integer, -12);
	assert_string_equal(calls[1].values[2].text.data, "door");
	assert_null(calls[2].values[2].text.data);
	assert_true(calls[3].took_ns == UINT64_MAX);
	assert_int_equal(calls[4].values[1].bytes.size, 5);
	assert_memory_equal(calls[4].values[1].bytes.data, "hello", 5);
	assert_int_equal(calls[5].values[4].number, 1);
	assert_int_equal(calls[6].values[1].number, LRD_RELOAD_PENDING);
	lrd_recording_free(&recording);
}

static void a_trace_whose_program_ended_early_is_read(void **state)
{
	(void)state;
	lrd_recording recording;
	assert_true(trace_parse(START "1 0 store_update +2\n", &recording, (lrd_allocator){ 0 }, NULL));
	assert_false(recording.ended);
	assert_int_equal(recording.call_count, 1);
	lrd_recording_free(&recording);
	assert_true(trace_parse(START, &recording, (lrd_allocator){ 0 }, NULL));
	assert_int_equal(recording.thread_count, 1);
	lrd_recording_free(&recording);
}

static void what_is_no_trace_or_of_another_version_is_refused(void **state)
{
	(void)state;
	assert_refused("", "empty");
	assert_refused("hello\n", "no trace");
	assert_refused("larder trace 1", "cut off");
	assert_refused("larder trace 1\n", "cut off");
	assert_refused("larder trace 2\nstore 0 1\n", "version 2, version 1 was expected");
	assert_refused("larder trace x\nstore 0 1\n", "no number");
	assert_refused("larder trace 1 \nstore 0 1\n", "after its end");
	assert_refused("larder trace 1\nshop 0 1\n", "store's line");
	assert_refused("larder trace 1\nstore 0\n", "ends before");
	assert_refused("larder trace 1\nstore 0 4294967296\n", "no number from 0 to 4294967295");
}

static void lines_that_break_a_rule_are_refused(void **state)
{
	(void)state;
	static const struct
	{
		const char *line;
		const char *says;
	} bad[] = {
		{ "\n", "a word is missing" },
		{ "what 1\n", "no line begins with \"what\"" },
		{ "1 0 dance +1\n", "\"dance\" is no call" },
		{ "1 1024 store_update +1\n", "no number from 0 to 1023" },
		{ "01 0 store_update +1\n", "no number" },
		{ "18446744073709551616 0 store_update +1\n", "no number" },
		{ "1  0 store_update +1\n", "two spaces" },
		{ "1 0 store_update + 1\n", "a word is missing" },
		{ "1 0 store_update\n", "how long it took" },
		{ "1 0 store_update 1\n", "how long it took" },
		{ "1 0 store_update +1 \n", "after its end" },
		{ "1 0 store_update = +1\n", "how long it took" },
		{ "1 0 pin 1.1 yes +1\n", "= is missing" },
		{ "1 0 pin 1.1 = maybe +1\n", "neither yes nor no" },
		{ "1 0 pin 1 = yes +1\n", "no id" },
		{ "1 0 pin 1.1.1 = yes +1\n", "no id" },
		{ "1 0 pin 1.4294967296 = yes +1\n", "no id" },
		{ "1 0 asset_kind 1.1 = toast +1\n", "\"toast\" is no kind" },
		{ "1 0 asset_state 1.1 = tired +1\n", "\"tired\" is no state" },
		{ "1 0 asset_find blob \"a = - +1\n", "does not end" },
		{ "1 0 asset_find blob a = - +1\n", "in quotes" },
		{ "1 0 asset_find blob \"a\\q\" = - +1\n", "a backslash" },
		{ "1 0 asset_find blob \"a\\x4\" = - +1\n", "a backslash" },
		{ "1 0 asset_find blob \"a\tb\" = - +1\n", "a control character" },
		{ "1 0 asset_find none \"a\" = 1.1 +1\n", "no asset has this kind and name" },
		{ "1 0 asset_find blob \"../a\" = 1.1 +1\n", "no asset has this kind and name" },
		{ "1 0 asset_find blob - = 1.1 +1\n", "no asset has this kind and name" },
		{ "1 0 retain_with 1.1 -0 - = yes +1\n", "no integer" },
		{ "1 0 retain_with 1.1 9223372036854775808 - = yes +1\n", "no integer" },
		{ "1 0 asset_put 1.1 1:aGVsbG8= = yes +1\n", "its base64 is wrong" },
		{ "1 0 asset_put 1.1 5:aGVsbG8 = yes +1\n", "its base64 is wrong" },
		{ "1 0 asset_put 1.1 5:aGVsbG9= = yes +1\n", "beyond its last byte" },
		{ "1 0 asset_put 1.1 3:aG!s = yes +1\n", "its base64 is wrong" },
		{ "1 0 asset_put 1.1 4000000000000000000:aG!s = yes +1\n", "in base64 are missing" },
		{ "1 0 asset_put 1.1 : = yes +1\n", "the size of bytes" },
		{ "1 0 asset_put 1.1 x = yes +1\n", "the size of bytes" },
		{ "asset - blob \"a\"\n", "an id is missing" },
		{ "asset 1.1 blob \"a\" \n", "after its end" },
		{ "asset 1.1 blob \"a\"\nasset 1.1 blob \"b\"\n", "is the blob \"a\" already" },
		{ "asset 1.1 blob \"a\"\n1 0 asset_find mesh \"a\" = 1.1 +1\n", "is the blob \"a\" already" },
		{ "held 1.1 1 0\n", "nothing says which asset" },
		{ "ticket 1.1 no\nneeds 1.1 2.1\n", "nothing says which asset" },
		{ "1 0 store_update +1\nticket 1.1 no\n", "before the first call" },
		{ "1 0 store_close = 0 +1\n1 0 store_update +1\n", "a call after store_close" },
		{ "end 1\n", "says that there are 1 calls, but there are 0" },
		{ "end 0\nend 0\n", "after the end" },
		{ "end 0 \n", "after its end" },
		{ "1 0 store_update +1\n1 0 store_upd", "cut off" },
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
	{
		char text[512];
		snprintf(text, sizeof text, START "%s", bad[i].line);
		assert_refused(text, bad[i].says);
		lrd_recording recording;
		lrd_error error = { 0 };
		assert_false(trace_parse(text, &recording, (lrd_allocator){ 0 }, &error));
		assert_true(memcmp(error.message, "line ", 5) == 0);
	}
}

static const char *const sample = START "mount 0.1 \"game.lpack\"\n"
										"asset 7.3 model \"models/fox\"\n"
										"held 7.3 2 1\n"
										"ticket 1.5 yes\n"
										"needs 1.5 7.3\n"
										"10 0 asset_find blob \"a\\\\b\\x0a\" = - +3\n"
										"20 2 retain_with 7.3 -12 \"door\" = yes +0\n"
										"50 0 asset_put 7.3 5:aGVsbG8= = yes +1\n"
										"60 0 ticket_get 1.5 = yes 3 2 1 +1\n"
										"80 0 store_mount \"root\" \"cooked\" yes no = 1.2 +1\n"
										"end 5\n";

static void a_trace_cut_anywhere_is_refused_unless_it_ends_with_a_line(void **state)
{
	(void)state;
	for (size_t size = 0; size < strlen(sample); size++)
	{
		char text[1024];
		snprintf(text, sizeof text, "%.*s", (int)size, sample);
		lrd_recording recording;
		lrd_error error = { 0 };
		bool read = trace_parse(text, &recording, (lrd_allocator){ 0 }, &error);
		bool whole = size > strlen("larder trace 1\n") && text[size - 1] == '\n';
		if (read != whole)
		{
			fail_msg("%zu bytes: %s", size, read ? "taken" : error.message);
		}
		if (read)
		{
			lrd_recording_free(&recording);
		}
	}
}

static void reading_survives_every_byte_changed(void **state)
{
	(void)state;
	unsigned taken = 0;
	for (size_t at = 0; at < strlen(sample); at++)
	{
		for (unsigned change = 1; change < 256; change <<= 1)
		{
			char text[1024];
			snprintf(text, sizeof text, "%s", sample);
			text[at] = (char)((unsigned char)text[at] ^ change);
			lrd_recording recording;
			lrd_error error = { 0 };
			if (text[at] != '\0' && trace_parse(text, &recording, (lrd_allocator){ 0 }, &error))
			{
				taken++;
				lrd_recording_free(&recording);
			}
		}
	}
	assert_true(taken > 0);
}

static void reading_survives_every_allocation_failing(void **state)
{
	(void)state;
	bool read = false;
	for (long long succeed = 0; !read; succeed++)
	{
		failing_allocator failing;
		failing_allocator_init(&failing, succeed);
		lrd_recording recording;
		lrd_error error = { 0 };
		read = trace_parse(sample, &recording, failing_allocator_get(&failing), &error);
		assert_true(read || error.code == LRD_ERROR_MEMORY);
		if (read)
		{
			lrd_recording_free(&recording);
		}
		assert_int_equal(atomic_load(&failing.bytes_out), 0);
		assert_true(succeed < 50);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_trace_is_read),
		cmocka_unit_test(a_trace_whose_program_ended_early_is_read),
		cmocka_unit_test(what_is_no_trace_or_of_another_version_is_refused),
		cmocka_unit_test(lines_that_break_a_rule_are_refused),
		cmocka_unit_test(a_trace_cut_anywhere_is_refused_unless_it_ends_with_a_line),
		cmocka_unit_test(reading_survives_every_byte_changed),
		cmocka_unit_test(reading_survives_every_allocation_failing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
