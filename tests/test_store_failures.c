// Failed loads in the log: the first of a second one by one, the others as a number; and each of them in the store.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/store_kit.h"
#include "os/os.h"
#include "store/store.h"

#define SECOND UINT64_C(1000000000)
#define MISSING 3000u

/// What was logged.
typedef struct said
{
	uint32_t lines;
	uint64_t failures; ///< by name
	uint64_t summed;   ///< as numbers
} said;

static void listen(void *user, lrd_log_level level, const char *scope, const char *message)
{
	said *self = user;
	(void)scope;
	assert_int_equal(level, LRD_LOG_WARNING);
	unsigned long long count = 0;
	char word[8] = "";
	self->lines++;
	if (sscanf(message, "%llu more could not be %7s", &count, word) == 2)
	{
		assert_string_equal(word, "loaded;");
		self->summed += count;
		return;
	}
	assert_non_null(strstr(message, "blob \"missing/"));
	self->failures++;
}

static lrd_asset miss(store_kit *kit, uint32_t number)
{
	char stem[32];
	snprintf(stem, sizeof stem, "missing/%u.bin", number);
	lrd_asset asset = kit_find(kit, LRD_BLOB, stem);
	assert_true(lrd_retain(kit->store, asset));
	return asset;
}

static void open_listening(store_kit *kit, said *heard)
{
	*heard = (said){ 0 };
	kit_open(kit);
	kit->store->log = (lrd_log){ listen, heard };
}

static void a_second_has_a_hundred_and_then_their_number(void **state)
{
	(void)state;
	lrd_failure_log log = { 0 };
	uint64_t unsaid = 7;
	uint64_t now = 5 * SECOND;
	for (uint32_t i = 0; i < LRD_FAILURES_SAID; i++)
	{
		assert_true(lrd_failure_note(&log, now + i, &unsaid));
		assert_int_equal(unsaid, 0);
	}
	for (uint32_t i = 0; i < 1000; i++)
	{
		assert_false(lrd_failure_note(&log, now + SECOND - 1, &unsaid));
		assert_int_equal(unsaid, 0);
	}
	assert_true(lrd_failure_note(&log, now + SECOND, &unsaid));
	assert_int_equal(unsaid, 1000);
	assert_true(lrd_failure_note(&log, now + SECOND + 1, &unsaid));
	assert_int_equal(unsaid, 0);
}

static void failures_that_come_slowly_are_all_logged(void **state)
{
	(void)state;
	lrd_failure_log log = { 0 };
	for (uint64_t i = 1; i < 1000; i++)
	{
		uint64_t unsaid = 7;
		assert_true(lrd_failure_note(&log, i * SECOND / LRD_FAILURES_SAID, &unsaid));
		assert_int_equal(unsaid, 0);
	}
}

static void of_many_each_is_in_the_store_and_the_log_adds_up(void **state)
{
	(void)state;
	store_kit kit;
	said heard;
	static lrd_asset assets[MISSING];
	open_listening(&kit, &heard);
	uint64_t begun = lrd_clock_ns();
	for (uint32_t i = 0; i < MISSING; i++)
	{
		assets[i] = miss(&kit, i);
	}
	kit_run(&kit.jobs);
	uint64_t seconds = (lrd_clock_ns() - begun) / SECOND + 1;
	assert_int_equal(kit_stats(&kit).failures, MISSING);
	for (uint32_t i = 0; i < MISSING; i++)
	{
		char name[40];
		lrd_error error = { 0 };
		snprintf(name, sizeof name, "missing/%u.bin\"", i);
		assert_int_equal(lrd_asset_state(kit.store, assets[i]), LRD_FAILED);
		assert_true(lrd_asset_error(kit.store, assets[i], &error));
		assert_non_null(strstr(error.message, name));
		assert_true(lrd_release(kit.store, assets[i]));
	}
	assert_true(heard.failures >= LRD_FAILURES_SAID);
	assert_true(heard.lines <= (LRD_FAILURES_SAID + 1) * seconds);
	kit_close(&kit); // says what is left
	assert_int_equal(heard.failures + heard.summed, MISSING);
}

static void updates_say_how_many_more_there_were(void **state)
{
	(void)state;
	store_kit kit;
	said heard;
	open_listening(&kit, &heard);
	kit.store->failure_log.said = LRD_FAILURES_SAID;
	for (uint32_t i = 0; i < 5; i++)
	{
		lrd_asset asset = miss(&kit, i);
		kit.store->failure_log.since_ns = lrd_clock_ns(); // a second that has had its hundred
		kit_run(&kit.jobs);
		lrd_release(kit.store, asset);
	}
	while (heard.summed + heard.failures != 5)
	{
		lrd_store_update(kit.store);
	}
	assert_int_equal(kit.store->failure_log.unsaid, 0);
	uint32_t lines = heard.lines;
	for (uint32_t i = 0; i < 10; i++)
	{
		lrd_store_update(kit.store);
	}
	kit_close(&kit);
	assert_int_equal(heard.lines, lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_second_has_a_hundred_and_then_their_number),
		cmocka_unit_test(failures_that_come_slowly_are_all_logged),
		cmocka_unit_test(of_many_each_is_in_the_store_and_the_log_adds_up),
		cmocka_unit_test(updates_say_how_many_more_there_were),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
