// What a project says of residency goes through the cook into the store.

#include "cook_scratch.h"

#include "larder/snapshot.h"

static void be_silent(void *user, lrd_log_level level, const char *scope, const char *message)
{
	(void)user;
	(void)level;
	(void)scope;
	(void)message;
}

static uint64_t budget_of(const char *root)
{
	lrd_store *store =
		lrd_store_open(&(lrd_store_desc){ .root = root, .keep_parked = 5, .log = { be_silent, NULL } }, NULL);
	assert_non_null(store);
	lrd_store_stats stats;
	lrd_store_get_stats(store, &stats);
	lrd_store_close(store);
	return stats.keep_parked;
}

static void the_budget_of_a_project_is_the_stores(void **state)
{
	scratch_folder(*state, "src");
	put_image(*state, "src/wood.tga", 128);
	cook(*state, NULL);
	assert_int_equal(budget_of(scratch_path(*state, "out")), 5);
	scratch_put(*state, "src/larder.json", "{ \"residency\": { \"keep_parked_mb\": 3 } }");
	cook(*state, NULL);
	assert_int_equal(budget_of(scratch_path(*state, "out")), 3 << 20);
}

static void two_source_roots_that_differ_are_a_conflict(void **state)
{
	scratch_folder(*state, "a");
	scratch_folder(*state, "b");
	scratch_put(*state, "a/larder.json", "{ \"residency\": { \"watch\": true } }");
	scratch_put(*state, "b/larder.json", "{ \"residency\": { \"watch\": false } }");
	char a[1024], out[1024];
	snprintf(a, sizeof a, "%s", scratch_path(*state, "a"));
	snprintf(out, sizeof out, "%s", scratch_path(*state, "out"));
	const char *sources[] = { a, scratch_path(*state, "b") };
	lrd_cook_report report;
	lrd_error error = { 0 };
	const lrd_cook_desc desc = { .sources = sources, .source_count = 2, .output = out, .log = { be_silent, NULL } };
	assert_false(lrd_cook_run(&desc, &report, &error));
	assert_int_equal(error.code, LRD_ERROR_CONFLICT);
	assert_non_null(strstr(error.message, "residency"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_budget_of_a_project_is_the_stores, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(two_source_roots_that_differ_are_a_conflict, scratch_open, scratch_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
