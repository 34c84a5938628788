// Replaying: a recording runs again over a folder or a bundle, gives the same answers, and tells where it does not.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/store_trace.h"

#include "larder/pack_write.h"
#include "larder/replay.h"
#include "os/os.h"

// What a replay told.
typedef struct told
{
	uint32_t line;
	char text[4096];
	uint32_t timing;
} told_differences;

static void tell(void *user, const lrd_replay_difference *difference)
{
	told_differences *self = user;
	size_t used = strlen(self->text);
	self->line = difference->timing ? self->line : difference->line;
	self->timing += difference->timing;
	snprintf(self->text + used, sizeof self->text - used, "%s \"%.*s\" %s, not %s\n", difference->call,
		LRD_STR_ARG(difference->stem), difference->answered, difference->recorded);
}

static lrd_replay_report replay(const lrd_replay_desc *desc)
{
	lrd_replay_report report;
	lrd_error error = { 0 };
	told_differences told = { 0 };
	lrd_replay_desc all = *desc;
	all.log = (lrd_log){ kit_be_silent, NULL };
	all.on_difference = tell;
	all.user = &told;
	if (!lrd_replay_run(&all, &report, &error))
	{
		fail_msg("%s", error.message);
	}
	if (report.differences != 0)
	{
		fail_msg("%s", told.text);
	}
	return report;
}

// The kit's files as a folder "cooked", and a store over it that records from its first call on.
typedef struct recorded
{
	kit_files files;
	const char *trace;
	const char *root;
	lrd_store *store;
} recorded;

static void record_over(recorded *self, scratch *here, const lrd_jobs *jobs)
{
	memset(self, 0, sizeof *self);
	kit_add_usual(&self->files);
	trace_write_files(here, &self->files, "cooked");
	self->trace = scratch_path(here, "trace");
	self->root = scratch_path(here, "cooked");
	lrd_store_desc desc = { .root = self->root,
		.trace = self->trace,
		.worker_count = 2,
		.quiet = true,
		.jobs = jobs,
		.keep_parked = 1500,
		.log = { kit_be_silent, NULL } };
	lrd_error error = { 0 };
	self->store = lrd_store_open(&desc, &error);
	if (self->store == NULL)
	{
		fail_msg("%s", error.message);
	}
}

static lrd_asset find(const recorded *self, lrd_kind kind, const char *stem)
{
	lrd_asset asset = lrd_asset_find(self->store, kind, stem, NULL);
	assert_int_not_equal(asset.generation, 0);
	return asset;
}

// A session with a bit of everything.
static void play(recorded *self)
{
	lrd_store *store = self->store;
	lrd_asset model = find(self, LRD_MODEL, "m");
	lrd_asset lost = find(self, LRD_MATERIAL, "lost");
	lrd_asset blob = find(self, LRD_BLOB, "a.bin");
	lrd_ticket ticket = lrd_ticket_open(store, &(lrd_ticket_desc){ .owner = "level" }, NULL);
	assert_true(lrd_retain(store, model));
	assert_true(lrd_retain_with(store, lost, &(lrd_retain_desc){ .priority = 5, .owner = "level" }));
	assert_true(lrd_ticket_require(store, ticket, model, NULL));
	assert_true(lrd_ticket_require(store, ticket, lost, NULL));
	assert_true(lrd_ticket_seal(store, ticket));
	lrd_store_update(store);
	assert_true(lrd_ticket_wait(store, ticket));
	lrd_store_update(store);
	assert_true(lrd_ticket_close(store, ticket));
	assert_non_null(lrd_model_get(store, model));
	assert_true(lrd_asset_put(store, blob, (lrd_bytes){ "own", 3 }, NULL));
	assert_true(lrd_retain_now(store, blob, NULL));
	assert_int_equal(lrd_blob_get(store, blob)->bytes.size, 3);
	assert_true(lrd_pin(store, blob));
	assert_true(lrd_release(store, blob));
	assert_false(lrd_release(store, blob)); // refused, and refused again
	assert_true(lrd_unpin(store, blob));
	lrd_store_unload_all(store);
	assert_true(lrd_release(store, model));
	assert_true(lrd_release(store, lost));
	assert_true(lrd_asset_forget(store, blob));
	assert_false(lrd_retain(store, blob));
	blob = find(self, LRD_BLOB, "a.bin");
	assert_true(lrd_retain_now(store, blob, NULL));
	assert_true(lrd_release(store, blob));
	lrd_store_update(store);
}

static const char *write_bundle(scratch *here, const kit_files *set)
{
	lrd_pack_source sources[KIT_FILES];
	for (uint32_t i = 0; i < set->count; i++)
	{
		sources[i] = (lrd_pack_source){ .key = lrd_string_from(set->keys[i]),
			.bytes = { set->contents[i].data, set->contents[i].size } };
	}
	const char *path = scratch_path(here, "game.lpack");
	lrd_error error = { 0 };
	if (!lrd_pack_write(
			&(lrd_pack_write_desc){ .path = path, .sources = sources, .source_count = set->count }, NULL, &error))
	{
		fail_msg("%s", error.message);
	}
	return path;
}

static void a_recording_gives_the_same_answers_over_a_folder_and_over_a_bundle(void **state)
{
	scratch *here = *state;
	recorded session;
	record_over(&session, here, NULL);
	play(&session);
	assert_int_equal(lrd_store_close(session.store), 0);
	const char *places[2] = { session.root, write_bundle(here, &session.files) };
	for (size_t i = 0; i < 2; i++)
	{
		lrd_replay_report report = replay(&(lrd_replay_desc){ .trace = session.trace, .store = places[i] });
		assert_true(report.ended);
		assert_int_equal(report.left_out, 0);
		assert_int_equal(report.calls, 31);
		assert_int_equal(report.threads, 1);
		assert_int_equal(report.assets, 4); // the blob was two
		assert_int_equal(report.leaks, 0);
		assert_int_equal(report.stats.refused, 2);
		assert_true(report.stats.loads > 0);
		assert_int_equal(report.stats.keep_parked, 1500);
	}
	kit_files_free(&session.files);
}

static void a_replay_can_be_repeated(void **state)
{
	scratch *here = *state;
	recorded session;
	record_over(&session, here, NULL);
	play(&session);
	assert_int_equal(lrd_store_close(session.store), 0);
	lrd_replay_report report = replay(&(lrd_replay_desc){ .trace = session.trace, .store = session.root, .times = 3 });
	assert_int_equal(report.calls, 3 * 31);
	report = replay(&(lrd_replay_desc){ .trace = session.trace, .store = session.root, .times = 3, .free = true });
	assert_int_equal(report.leaks, 0);
	kit_files_free(&session.files);
}

static void write_text(const char *path, const char *text)
{
	assert_true(lrd_file_write(path, text, strlen(text), NULL));
}

static void an_answer_that_differs_is_told_with_its_line(void **state)
{
	scratch *here = *state;
	recorded session;
	record_over(&session, here, NULL);
	assert_int_equal(lrd_store_close(session.store), 0);
	write_text(session.trace, "larder trace 1\n"
							  "store 0 1\n"
							  "mount 0.1 \"cooked\"\n"
							  "1 0 asset_find blob \"a.bin\" = 4.1 +1\n"
							  "2 0 asset_find blob \"none.bin\" = 5.1 +1\n"
							  "3 0 retain_now 4.1 = yes +1\n"
							  "4 0 retain_now 5.1 = yes +1\n"
							  "5 0 asset_state 4.1 = loading +1\n"
							  "6 0 store_close = 0 +1\n"
							  "end 6\n");
	lrd_replay_report report;
	told_differences told = { 0 };
	lrd_replay_desc desc = { .trace = session.trace,
		.store = session.root,
		.on_difference = tell,
		.user = &told,
		.log = { kit_be_silent, NULL } };
	assert_true(lrd_replay_run(&desc, &report, NULL));
	assert_int_equal(report.differences, 2);
	assert_int_equal(report.timing, 1);
	assert_int_equal(told.timing, 1);
	assert_int_equal(told.line, 9);
	assert_string_equal(told.text, "retain_now \"none.bin\" no, not yes\n"
								   "asset_state \"a.bin\" ready, not loading\n"
								   "store_close \"\" 1, not 0\n");
	assert_int_equal(report.leaks, 1);
	kit_files_free(&session.files);
}

static void what_the_trace_does_not_explain_is_left_out(void **state)
{
	scratch *here = *state;
	recorded session;
	record_over(&session, here, NULL);
	assert_int_equal(lrd_store_close(session.store), 0);
	write_text(session.trace, "larder trace 1\n"
							  "store 0 1\n"
							  "1 0 store_mount \"root\" \"gone\" no no = - +1\n"
							  "2 0 store_unmount 3.4 = yes +1\n"
							  "3 0 store_unlisten 3.4 = yes +1\n"
							  "4 0 ticket_seal 3.4 = yes +1\n"
							  "5 0 ticket_seal 3.5 = no +1\n"
							  "6 0 retain 3.5 = no +1\n"
							  "7 0 asset_find blob \"a.bin\" = 4.1 +1\n"
							  "8 0 asset_forget 4.1 = no +1\n");
	lrd_replay_report report = replay(&(lrd_replay_desc){ .trace = session.trace, .store = session.root });
	assert_int_equal(report.left_out, 5);
	assert_int_equal(report.calls, 3);
	assert_false(report.ended);
	kit_files_free(&session.files);
}

static void a_trace_that_began_late_goes_on_from_there(void **state)
{
	scratch *here = *state;
	store_kit kit;
	kit_open_with(&kit, 5000);
	trace_write_files(here, &kit.files, "cooked");
	const char *path = scratch_path(here, "late");
	lrd_asset blob = kit_load(&kit, LRD_BLOB, "b.bin");
	assert_true(lrd_retain(kit.store, blob));
	assert_true(lrd_pin(kit.store, blob));
	lrd_asset model = kit_load(&kit, LRD_MODEL, "m");
	lrd_ticket ticket = lrd_ticket_open(kit.store, NULL, NULL);
	assert_true(lrd_ticket_require(kit.store, ticket, kit_find(&kit, LRD_BLOB, "c.bin"), NULL));
	lrd_asset third = kit_find(&kit, LRD_BLOB, "c.bin");
	assert_true(lrd_ticket_seal(kit.store, ticket));
	assert_true(lrd_trace_begin(kit.store, path, NULL));
	assert_true(lrd_retain_now(kit.store, third, NULL));
	lrd_store_update(kit.store);
	lrd_ticket_progress progress;
	assert_true(lrd_ticket_get(kit.store, ticket, &progress));
	assert_true(progress.complete);
	assert_true(lrd_ticket_close(kit.store, ticket));
	assert_true(lrd_unpin(kit.store, blob));
	assert_true(lrd_release(kit.store, blob));
	assert_true(lrd_release(kit.store, blob));
	assert_true(lrd_release(kit.store, model));
	assert_true(lrd_release(kit.store, third));
	lrd_store_keep_parked(kit.store, 0);
	kit_close(&kit);
	lrd_replay_report report = replay(&(lrd_replay_desc){ .trace = path, .store = scratch_path(here, "cooked") });
	assert_int_equal(report.left_out, 0);
	assert_int_equal(report.leaks, 0);
	assert_int_equal(report.timing, 0);
}

typedef struct chain
{
	lrd_store *store;
	lrd_asset next;
	unsigned calls;
} chain;

// What a game does: it asks, and looks in each frame whether it is there.
static void what_the_program_saw_loaded_is_loaded_in_the_replay(void **state)
{
	scratch *here = *state;
	recorded self;
	record_over(&self, here, NULL);
	lrd_asset assets[] = { find(&self, LRD_MODEL, "m"), find(&self, LRD_BLOB, "c.bin"),
		find(&self, LRD_TEXTURE, "bad") };
	uint32_t seen = 0;
	for (size_t i = 0; i < 3; i++)
	{
		assert_true(lrd_retain(self.store, assets[i]));
	}
	while (lrd_model_get(self.store, assets[0]) == NULL || !lrd_asset_renew(self.store, assets[1], &seen) ||
		   lrd_asset_state(self.store, assets[2]) != LRD_FAILED)
	{
		lrd_store_update(self.store);
		seen = 0;
	}
	assert_int_equal(lrd_store_changed(self.store, LRD_BLOB, LRD_STR("c.bin")), 1);
	while (!lrd_asset_renew(self.store, assets[1], &seen))
	{
		lrd_store_update(self.store);
	}
	lrd_store_stats stats;
	lrd_store_get_stats(self.store, &stats);
	for (size_t i = 0; i < 3; i++)
	{
		assert_true(lrd_release(self.store, assets[i]));
	}
	assert_int_equal(lrd_store_close(self.store), 0);
	for (int i = 0; i < 20; i++)
	{
		lrd_error error = { 0 };
		lrd_replay_report report;
		lrd_replay_desc desc = { .trace = self.trace, .store = self.root, .log = { kit_be_silent, NULL } };
		assert_true(lrd_replay_run(&desc, &report, &error));
		assert_int_equal(report.differences, 0);
		assert_int_equal(report.stats.loads, stats.loads);
		assert_int_equal(report.stats.failures, 1);
		assert_int_equal(report.stats.cancelled, 0);
	}
	kit_files_free(&self.files);
}

static void retain_next(void *user, const lrd_ticket_event *event)
{
	chain *self = user;
	self->calls++;
	assert_true(lrd_retain(self->store, self->next));
	assert_true(lrd_ticket_close(self->store, event->ticket));
}

static void calls_in_callbacks_are_replayed_before_the_update_that_made_them(void **state)
{
	scratch *here = *state;
	recorded session;
	record_over(&session, here, NULL);
	chain links = { .store = session.store, .next = find(&session, LRD_BLOB, "b.bin") };
	lrd_ticket_desc desc = { .on_event = retain_next, .user = &links };
	lrd_ticket ticket = lrd_ticket_open(session.store, &desc, NULL);
	assert_true(lrd_ticket_seal(session.store, ticket));
	lrd_store_update(session.store);
	assert_int_equal(links.calls, 1);
	assert_true(lrd_release(session.store, links.next));
	assert_int_equal(lrd_store_close(session.store), 0);
	lrd_replay_report report = replay(&(lrd_replay_desc){ .trace = session.trace, .store = session.root });
	assert_int_equal(report.left_out, 0);
	assert_int_equal(report.leaks, 0);
	kit_files_free(&session.files);
}

// Threads that pass references on to each other.
typedef struct relay
{
	recorded *session;
	lrd_asset assets[3];
	_Atomic int handed; // references that the next thread is to give back
	_Atomic int taken;
	int rounds;
} relay;

static void take_part(void *user)
{
	relay *self = user;
	lrd_store *store = self->session->store;
	for (int i = 0; i < self->rounds; i++)
	{
		lrd_asset asset = self->assets[i % 3];
		assert_true(lrd_retain_now(store, asset, NULL));
		assert_true(lrd_asset_has(store, asset));
		atomic_fetch_add(&self->handed, 1);
		lrd_asset found = lrd_asset_find(store, LRD_MATERIAL, "red", NULL);
		assert_true(lrd_retain(store, found));
		(void)lrd_material_get(store, found);
		assert_true(lrd_release(store, found));
	}
}

static void give_back(void *user)
{
	relay *self = user;
	for (int done = 0; done < 2 * self->rounds; done++)
	{
		while (atomic_load(&self->handed) <= done)
		{
			usleep(100);
		}
		atomic_fetch_add(&self->taken, 1);
	}
	for (int i = 0; i < self->rounds; i++)
	{
		assert_true(lrd_release(self->session->store, self->assets[i % 3]));
		assert_true(lrd_release(self->session->store, self->assets[i % 3]));
	}
}

static void many_threads_are_replayed_in_order_and_freely(void **state)
{
	scratch *here = *state;
	recorded session;
	record_over(&session, here, NULL);
	relay all = { .session = &session, .rounds = 200 };
	all.assets[0] = find(&session, LRD_BLOB, "a.bin");
	all.assets[1] = find(&session, LRD_BLOB, "b.bin");
	all.assets[2] = find(&session, LRD_TEXTURE, "albedo");
	lrd_thread *threads[3];
	for (size_t i = 0; i < 3; i++)
	{
		threads[i] = lrd_thread_start(i < 2 ? take_part : give_back, &all, 0, (lrd_allocator){ 0 }, NULL);
		assert_non_null(threads[i]);
	}
	for (int i = 0; i < 20; i++)
	{
		lrd_store_update(session.store);
		usleep(500);
	}
	for (size_t i = 0; i < 3; i++)
	{
		lrd_thread_join(threads[i]);
	}
	assert_int_equal(lrd_store_close(session.store), 0);
	lrd_replay_report report = replay(&(lrd_replay_desc){ .trace = session.trace, .store = session.root });
	assert_int_equal(report.threads, 4);
	assert_int_equal(report.left_out, 0);
	assert_int_equal(report.leaks, 0);
	for (int i = 0; i < 3; i++)
	{
		report = replay(&(lrd_replay_desc){ .trace = session.trace, .store = session.root, .free = true });
		assert_int_equal(report.leaks, 0);
	}
	kit_files_free(&session.files);
}

static void what_is_forgotten_too_early_in_a_free_run_can_be_given_back(void **state)
{
	scratch *here = *state;
	recorded session;
	record_over(&session, here, NULL);
	assert_int_equal(lrd_store_close(session.store), 0);
	FILE *file = fopen(session.trace, "wb");
	assert_non_null(file);
	fputs("larder trace 1\nstore 0 1\nmount 0.1 \"cooked\"\n1 0 asset_find blob \"a.bin\" = 4.1 +1\n", file);
	for (int i = 0; i < 5000; i++)
	{
		fputs("2 1 retain 4.1 = yes +1\n2 1 asset_has 4.1 = no +1\n2 1 release 4.1 = yes +1\n", file);
	}
	for (int i = 0; i < 5000; i++) // until the other has begun
	{
		fputs("3 0 asset_has 4.1 = no +1\n", file);
	}
	fputs("4 0 asset_forget 4.1 = yes +1\n", file);
	assert_int_equal(fclose(file), 0);
	for (int i = 0; i < 20; i++)
	{
		lrd_replay_report report = replay(&(lrd_replay_desc){ session.trace, session.root, .free = true });
		assert_int_equal(report.leaks, 0);
	}
	kit_files_free(&session.files);
}

static void what_can_not_be_replayed_is_an_error(void **state)
{
	scratch *here = *state;
	recorded session;
	record_over(&session, here, NULL);
	assert_int_equal(lrd_store_close(session.store), 0);
	lrd_error error = { 0 };
	lrd_replay_desc desc = { .trace = session.trace, .store = scratch_path(here, "nowhere") };
	assert_false(lrd_replay_run(&desc, NULL, &error));
	assert_int_equal(error.code, LRD_ERROR_NOT_FOUND);
	desc = (lrd_replay_desc){ .trace = scratch_path(here, "no trace"), .store = session.root };
	assert_false(lrd_replay_run(&desc, NULL, &error));
	assert_int_equal(error.code, LRD_ERROR_NOT_FOUND);
	desc = (lrd_replay_desc){ .trace = session.trace, .store = session.trace }; // no bundle
	assert_false(lrd_replay_run(&desc, NULL, &error));
	assert_int_equal(error.code, LRD_ERROR_FORMAT);
	write_text(session.trace, "larder trace 1\nstore 0 1\n1 0 jump +1\n");
	desc.store = session.root;
	assert_false(lrd_replay_run(&desc, NULL, &error));
	assert_int_equal(error.code, LRD_ERROR_FORMAT);
	assert_non_null(strstr(error.message, "trace: line 3: \"jump\" is no call"));
	kit_files_free(&session.files);
}

static void a_replay_survives_every_allocation_failing(void **state)
{
	scratch *here = *state;
	recorded session;
	record_over(&session, here, NULL);
	lrd_asset model = find(&session, LRD_MODEL, "m");
	assert_true(lrd_retain_now(session.store, model, NULL));
	assert_true(lrd_release(session.store, model));
	assert_int_equal(lrd_store_close(session.store), 0);
	bool whole = false;
	for (long long succeed = 0; !whole; succeed++)
	{
		failing_allocator failing;
		failing_allocator_init(&failing, succeed);
		lrd_replay_desc desc = { .trace = session.trace,
			.store = session.root,
			.allocator = failing_allocator_get(&failing),
			.log = { kit_be_silent, NULL } };
		lrd_replay_report report;
		lrd_error error = { 0 };
		bool ran = lrd_replay_run(&desc, &report, &error);
		whole = ran && report.differences == 0;
		assert_true(ran || error.code == LRD_ERROR_MEMORY || error.code == LRD_ERROR_IO);
		assert_int_equal(atomic_load(&failing.bytes_out), 0);
		assert_true(succeed < 2000);
	}
	kit_files_free(&session.files);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, scratch_open, scratch_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_A_FOLDER(a_recording_gives_the_same_answers_over_a_folder_and_over_a_bundle),
		IN_A_FOLDER(a_replay_can_be_repeated),
		IN_A_FOLDER(an_answer_that_differs_is_told_with_its_line),
		IN_A_FOLDER(what_the_trace_does_not_explain_is_left_out),
		IN_A_FOLDER(a_trace_that_began_late_goes_on_from_there),
		IN_A_FOLDER(what_the_program_saw_loaded_is_loaded_in_the_replay),
		IN_A_FOLDER(calls_in_callbacks_are_replayed_before_the_update_that_made_them),
		IN_A_FOLDER(many_threads_are_replayed_in_order_and_freely),
		IN_A_FOLDER(what_is_forgotten_too_early_in_a_free_run_can_be_given_back),
		IN_A_FOLDER(what_can_not_be_replayed_is_an_error),
		IN_A_FOLDER(a_replay_survives_every_allocation_failing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
