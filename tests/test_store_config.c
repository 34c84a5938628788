// The "residency" object of a cooked folder's larder.json.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/store_mount.h"
#include "store/config.h"

typedef struct configured
{
	mount_log log;
	lrd_store_desc desc;
} configured;

/// What a description becomes with this larder.json beside it.
static configured *configure(scratch *here, const char *text, uint64_t keep_parked, bool watch)
{
	configured *self = calloc(1, sizeof *self);
	lrd_error error = { 0 };
	assert_non_null(self);
	if (text != NULL)
	{
		scratch_put(here, "larder.json", text);
	}
	self->desc = (lrd_store_desc){
		.root = here->root,
		.keep_parked = keep_parked,
		.watch = watch,
		.log = { mount_log_write, &self->log },
	};
	if (!lrd_config_apply(&self->desc, &error))
	{
		fail_msg("%s", error.message);
	}
	return self;
}

static void assert_warned(scratch *here, const char *text, const char *part)
{
	configured *self = configure(here, text, 7, true);
	assert_int_equal(self->desc.keep_parked, 7);
	assert_true(self->desc.watch);
	assert_int_equal(self->log.counts[LRD_LOG_INFO], 0);
	assert_int_equal(self->log.counts[LRD_LOG_WARNING], 1);
	if (strstr(self->log.last, part) == NULL || strstr(self->log.last, "larder.json") == NULL)
	{
		fail_msg("expected \"%s\" in: %s", part, self->log.last);
	}
	free(self);
}

static void the_file_wins_over_the_description_and_says_so(void **state)
{
	configured *self =
		configure(*state, "{\"cook\": {}, \"residency\": {\"keep_parked_mb\": 512, \"watch\": true}}", 100, false);
	assert_int_equal(self->desc.keep_parked, 512ull << 20);
	assert_true(self->desc.watch);
	assert_int_equal(self->log.counts[LRD_LOG_INFO], 2);
	assert_int_equal(self->log.counts[LRD_LOG_WARNING], 0);
	assert_non_null(strstr(self->log.last, "/larder.json: \"watch\" is true; the program's \"false\" does not count"));
	free(self);
}

static void what_the_file_leaves_out_stays_as_described(void **state)
{
	configured *self = configure(*state, "{\"residency\": {\"watch\": false}}", 100, true);
	assert_int_equal(self->desc.keep_parked, 100);
	assert_false(self->desc.watch);
	assert_int_equal(self->log.counts[LRD_LOG_INFO], 1);
	free(self);
}

static void nothing_is_said_where_both_agree(void **state)
{
	configured *self = configure(*state, "{\"residency\": {\"keep_parked_mb\": 1, \"watch\": true}}", 1 << 20, true);
	assert_int_equal(self->log.counts[LRD_LOG_INFO], 0);
	free(self);
}

static void keys_may_be_escaped(void **state)
{
	configured *self = configure(*state, "{\"\\u0072esidency\": {\"w\\u0061tch\": true}}", 0, false);
	assert_true(self->desc.watch);
	free(self);
}

static void the_largest_budget_is_taken_whole(void **state)
{
	configured *self = configure(*state, "{\"residency\": {\"keep_parked_mb\": 17592186044415}}", 0, false);
	assert_int_equal(self->desc.keep_parked, UINT64_MAX - ((1u << 20) - 1));
	free(self);
}

static void a_file_without_residency_changes_nothing(void **state)
{
	configured *self = configure(*state, "{\"targets\": [{\"residency\": 1}]}", 100, true);
	assert_int_equal(self->desc.keep_parked, 100);
	assert_true(self->desc.watch);
	assert_int_equal(self->log.counts[LRD_LOG_INFO] + self->log.counts[LRD_LOG_WARNING], 0);
	free(self);
}

static void no_file_or_no_folder_changes_nothing(void **state)
{
	configured *self = configure(*state, NULL, 100, true);
	assert_int_equal(self->desc.keep_parked, 100);
	assert_int_equal(self->log.counts[LRD_LOG_INFO] + self->log.counts[LRD_LOG_WARNING], 0);
	free(self);
	lrd_store_desc desc = { .keep_parked = 5 };
	assert_true(lrd_config_apply(&desc, NULL));
	assert_int_equal(desc.keep_parked, 5);
}

static void unknown_keys_are_warned_of(void **state)
{
	assert_warned(*state, "{\n \"residency\": {\n  \"budget\": 3\n}}",
		"line 3, column 3: \"residency\" knows \"keep_parked_mb\" and \"watch\", not \"budget\"; it is passed over");
}

static void values_that_can_not_be_are_warned_of(void **state)
{
	const char *const values[] = { "-1", "1.5", "1e3", "\"512\"", "true", "null", "[]", "17592186044416",
		"99999999999999999999999999" };
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
	{
		char text[128];
		snprintf(text, sizeof text, "{\"residency\": {\"keep_parked_mb\": %s}}", values[i]);
		assert_warned(
			*state, text, "line 1, column 34: \"keep_parked_mb\" must be a whole number of MiB, 0 to 17592186044415");
	}
	assert_warned(*state, "{\"residency\": {\"watch\": 1}}", "\"watch\" must be true or false");
	assert_warned(*state, "{\"residency\": [1]}", "line 1, column 2: \"residency\" must be an object");
	assert_warned(*state, "[]", "line 1, column 1: an object was expected");
}

static void what_stands_twice_is_warned_of_and_the_first_counts(void **state)
{
	configured *self = configure(*state,
		"{\"residency\": {\"watch\": true, \"watch\": false}, \"residency\": {\"keep_parked_mb\": 1}}", 0, true);
	assert_true(self->desc.watch);
	assert_int_equal(self->desc.keep_parked, 0);
	assert_int_equal(self->log.counts[LRD_LOG_WARNING], 2);
	assert_non_null(strstr(self->log.last, "\"residency\" stands here a second time; the first counts"));
	free(self);
}

static void damaged_files_are_warned_of_with_line_and_column(void **state)
{
	assert_warned(
		*state, "{\n\"residency\": {\"watch\": true,}}", "JSON, line 2, column 29: found '}', expected a key");
	assert_warned(*state, "", "JSON, line 1, column 1: found the end, expected a value");
	assert_warned(*state, "{\"residency\": {\"watch\": true}", "JSON, line 1, column 30: found the end");
	assert_warned(
		*state, "{\"residency\": {\"watch\": true}} x", "JSON, line 1, column 32: found 'x', expected the end");
	assert_warned(*state, "\xEF\xBB\xBF{}", "JSON, line 1, column 1: found byte 0xef, expected a value");
}

static void a_file_that_can_not_be_read_is_warned_of(void **state)
{
	scratch *here = *state;
	scratch_folder(here, "larder.json");
	configured *self = configure(here, NULL, 7, true);
	assert_int_equal(self->desc.keep_parked, 7);
	assert_int_equal(self->log.counts[LRD_LOG_WARNING], 1);
	assert_non_null(strstr(self->log.last, "larder.json: it is a folder"));
	free(self);
}

static void a_file_that_is_too_large_is_warned_of(void **state)
{
	scratch *here = *state;
	scratch_put(here, "larder.json", "");
	assert_int_equal(truncate(scratch_path(here, "larder.json"), (1 << 20) + 1), 0);
	configured *self = configure(here, NULL, 7, true);
	assert_int_equal(self->log.counts[LRD_LOG_WARNING], 1);
	assert_non_null(strstr(self->log.last, "it has 1048577 bytes, at most 1048576 are read"));
	free(self);
}

static void the_depth_that_is_read_is_limited(void **state)
{
	char text[3000] = "{\"residency\": ";
	size_t size = strlen(text);
	memset(text + size, '[', 1000);
	memset(text + size + 1000, ']', 1000);
	memcpy(text + size + 2000, "}", 2);
	assert_warned(*state, text, "nest deeper than 256 levels");
}

static void every_allocation_may_fail(void **state)
{
	scratch *here = *state;
	bool done = false;
	scratch_put(here, "larder.json", "{\"residency\": {\"keep_parked_mb\": 1}}");
	for (long long succeed = 0; !done; succeed++)
	{
		failing_allocator memory;
		mount_log log = { 0 };
		lrd_error error = { 0 };
		failing_allocator_init(&memory, succeed);
		lrd_store_desc desc = { .root = here->root, .log = { mount_log_write, &log } };
		desc.allocator = failing_allocator_get(&memory);
		done = lrd_config_apply(&desc, &error);
		assert_int_equal(error.code, done ? LRD_OK : LRD_ERROR_MEMORY);
		assert_int_equal(desc.keep_parked, done ? 1 << 20 : 0);
		assert_int_equal(atomic_load(&memory.bytes_out), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_file_wins_over_the_description_and_says_so, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(what_the_file_leaves_out_stays_as_described, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(nothing_is_said_where_both_agree, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(keys_may_be_escaped, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(the_largest_budget_is_taken_whole, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(a_file_without_residency_changes_nothing, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(no_file_or_no_folder_changes_nothing, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(unknown_keys_are_warned_of, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(values_that_can_not_be_are_warned_of, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(
			what_stands_twice_is_warned_of_and_the_first_counts, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(damaged_files_are_warned_of_with_line_and_column, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(a_file_that_can_not_be_read_is_warned_of, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(a_file_that_is_too_large_is_warned_of, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(the_depth_that_is_read_is_limited, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(every_allocation_may_fail, scratch_open, scratch_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
