// Recording: what stands in a trace, what does not, and that no call fails for it.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/store_trace.h"

#include "os/os.h"

#include <sys/stat.h>

static void assert_text(const char *path, const char *expected)
{
	char *lines = trace_lines(path);
	if (strcmp(lines, expected) != 0)
	{
		fail_msg("the trace says\n%s\nand not\n%s", lines, expected);
	}
	free(lines);
}

static void assert_lines(const char *path, const char *expected)
{
	char *lines = trace_lines(path);
	if (strstr(lines, expected) == NULL)
	{
		fail_msg("the trace does not say\n%s\nbut\n%s", expected, lines);
	}
	free(lines);
}

static void begin(store_kit *kit, const char *path)
{
	lrd_error error = { 0 };
	if (!lrd_trace_begin(kit->store, path, &error))
	{
		fail_msg("%s", error.message);
	}
}

static void a_call_is_a_line_with_thread_arguments_and_answer(void **state)
{
	scratch *here = *state;
	const char *path = scratch_path(here, "trace");
	store_kit kit;
	kit_open(&kit);
	begin(&kit, path);
	lrd_asset blob = lrd_asset_find(kit.store, LRD_BLOB, "a.bin", NULL);
	assert_true(lrd_retain(kit.store, blob));
	assert_null(lrd_blob_get(kit.store, blob));
	assert_true(lrd_retain_with(kit.store, blob, &(lrd_retain_desc){ .priority = -7, .owner = "a \"door\"" }));
	kit_run(&kit.jobs);
	lrd_store_update(kit.store);
	assert_int_equal(lrd_asset_state(kit.store, blob), LRD_READY);
	assert_non_null(lrd_blob_get(kit.store, blob));
	assert_true(lrd_release(kit.store, blob));
	assert_true(lrd_release(kit.store, blob));
	assert_true(lrd_trace_end(kit.store, NULL));
	kit_close(&kit);
	assert_text(path, "larder trace 1\n"
					  "store 0 1\n"
					  "mount 0.1 \"memory\"\n"
					  "0 asset_find blob \"a.bin\" = 0.1\n"
					  "0 retain 0.1 = yes\n"
					  "0 blob_get 0.1 = no\n"
					  "0 retain_with 0.1 -7 \"a \\\"door\\\"\" = yes\n"
					  "0 store_update\n"
					  "0 asset_state 0.1 = ready\n"
					  "0 blob_get 0.1 = yes\n"
					  "0 release 0.1 = yes\n"
					  "0 release 0.1 = yes\n"
					  "end 9\n");
}

static void what_the_store_does_by_itself_is_no_call(void **state)
{
	scratch *here = *state;
	const char *path = scratch_path(here, "trace");
	store_kit kit;
	kit_open(&kit);
	lrd_asset model = kit_find(&kit, LRD_MODEL, "sad");
	begin(&kit, path);
	lrd_error error;
	assert_true(lrd_retain_now(kit.store, model, &error));
	lrd_store_update(kit.store);
	assert_true(lrd_release(kit.store, model));
	lrd_asset none = lrd_asset_find(kit.store, LRD_BLOB, "no.bin", NULL);
	assert_false(lrd_retain_now(kit.store, none, &error));
	assert_true(lrd_asset_put(kit.store, none, (lrd_bytes){ "ab", 2 }, NULL));
	assert_true(lrd_asset_has(kit.store, none) == false);
	assert_true(lrd_trace_end(kit.store, NULL));
	kit_close(&kit);
	assert_lines(path, "mount 0.1 \"memory\"\n"
					   "asset 0.1 model \"sad\"\n"
					   "0 retain_now 0.1 = yes\n"
					   "0 store_update\n"
					   "0 release 0.1 = yes\n");
	assert_lines(path, "0 asset_put ");
	assert_lines(path, " 2:YWI= = yes\n");
	assert_lines(path, "end 7\n");
}

static void a_trace_that_begins_late_says_what_is_held_and_waited_for(void **state)
{
	scratch *here = *state;
	const char *path = scratch_path(here, "trace");
	store_kit kit;
	kit_open_with(&kit, 5000);
	lrd_asset blob = kit_load(&kit, LRD_BLOB, "b.bin");
	assert_true(lrd_retain(kit.store, blob));
	assert_true(lrd_pin(kit.store, blob));
	lrd_asset model = kit_find(&kit, LRD_MODEL, "m");
	lrd_ticket ticket = lrd_ticket_open(kit.store, NULL, NULL);
	assert_true(lrd_ticket_require(kit.store, ticket, blob, NULL));
	assert_true(lrd_ticket_require(kit.store, ticket, model, NULL));
	assert_true(lrd_ticket_seal(kit.store, ticket));
	begin(&kit, path);
	assert_true(lrd_ticket_close(kit.store, ticket));
	assert_true(lrd_trace_end(kit.store, NULL));
	assert_text(path, "larder trace 1\n"
					  "store 5000 1\n"
					  "mount 0.1 \"memory\"\n"
					  "asset 0.1 blob \"b.bin\"\n"
					  "held 0.1 2 1\n"
					  "ticket 0.1 yes\n"
					  "asset 1.1 model \"m\"\n"
					  "needs 0.1 1.1\n"
					  "0 ticket_close 0.1 = yes\n"
					  "end 1\n");
	assert_true(lrd_unpin(kit.store, blob));
	assert_true(lrd_release(kit.store, blob));
	assert_true(lrd_release(kit.store, blob));
	kit_close(&kit);
}

static void an_asset_is_named_once_and_also_when_it_is_forgotten(void **state)
{
	scratch *here = *state;
	const char *path = scratch_path(here, "trace");
	store_kit kit;
	kit_open(&kit);
	lrd_asset blob = kit_find(&kit, LRD_BLOB, "a.bin");
	begin(&kit, path);
	assert_true(lrd_asset_forget(kit.store, blob));
	assert_false(lrd_asset_is_valid(kit.store, blob));
	lrd_asset again = kit_find(&kit, LRD_BLOB, "A.bin");
	assert_true(lrd_asset_is_valid(kit.store, again));
	assert_false(lrd_retain(kit.store, (lrd_asset){ 77, 3 }));
	assert_false(lrd_retain(kit.store, (lrd_asset){ 0 }));
	assert_true(lrd_trace_end(kit.store, NULL));
	kit_close(&kit);
	assert_lines(path, "mount 0.1 \"memory\"\n"
					   "asset 0.1 blob \"a.bin\"\n"
					   "0 asset_forget 0.1 = yes\n"
					   "0 asset_is_valid 0.1 = no\n"
					   "0 asset_find blob \"A.bin\" = 0.3\n"
					   "0 asset_is_valid 0.3 = yes\n"
					   "0 retain 77.3 = no\n"
					   "0 retain - = no\n"
					   "end 6\n");
}

static void texts_are_escaped_and_bytes_are_base64(void **state)
{
	scratch *here = *state;
	const char *path = scratch_path(here, "trace");
	store_kit kit;
	kit_open(&kit);
	begin(&kit, path);
	static const lrd_kind kind = LRD_TEXTURE;
	lrd_asset_find(kit.store, kind, "a\\b\n", NULL);
	lrd_asset_find(kit.store, kind, "caf\xc3\xa9", NULL);
	lrd_asset_find(kit.store, kind, "caf\xe9", NULL);
	lrd_asset_find_string(kit.store, kind, (lrd_string){ "a\0b", 3 }, NULL);
	lrd_asset blob = lrd_asset_find(kit.store, LRD_BLOB, "x", NULL);
	for (size_t size = 0; size < 5; size++)
	{
		assert_true(lrd_asset_put(kit.store, blob, (lrd_bytes){ "\xfb\xff\xfe!", size }, NULL));
	}
	assert_true(lrd_trace_end(kit.store, NULL));
	kit_close(&kit);
	assert_lines(path, "0 asset_find texture \"a\\\\b\\x0a\" = -\n"
					   "0 asset_find texture \"caf\xc3\xa9\" = 0.1\n"
					   "0 asset_find texture \"caf\\xe9\" = -\n"
					   "0 asset_find texture \"a\\x00b\" = -\n"
					   "0 asset_find blob \"x\" = 1.1\n"
					   "0 asset_put 1.1 0: = yes\n"
					   "0 asset_put 1.1 1:+w== = yes\n"
					   "0 asset_put 1.1 2:+/8= = yes\n"
					   "0 asset_put 1.1 3:+//+ = yes\n"
					   "0 asset_put 1.1 4:+//+IQ== = yes\n");
}

static void long_texts_are_cut_and_long_bytes_are_not(void **state)
{
	scratch *here = *state;
	const char *path = scratch_path(here, "trace");
	enum
	{
		SIZE = 300001
	};
	store_kit kit;
	kit_open(&kit);
	lrd_asset blob = kit_find(&kit, LRD_BLOB, "x");
	char *text = malloc(SIZE);
	assert_non_null(text);
	memset(text, '\xff', SIZE);
	begin(&kit, path);
	lrd_asset_find_string(kit.store, LRD_BLOB, (lrd_string){ text, SIZE }, NULL);
	for (size_t i = 0; i < SIZE; i++)
	{
		text[i] = (char)(i * i / 7);
	}
	assert_true(lrd_asset_put(kit.store, blob, (lrd_bytes){ text, SIZE }, NULL));
	assert_true(lrd_trace_end(kit.store, NULL));
	kit_close(&kit);
	char *whole = trace_text(path);
	lrd_recording recording;
	lrd_error error = { 0 };
	if (!trace_parse(whole, &recording, (lrd_allocator){ 0 }, &error))
	{
		fail_msg("%s", error.message);
	}
	assert_int_equal(recording.call_count, 2);
	assert_int_equal(recording.calls[0].values[1].text.size, LRD_TRACE_TEXT_MAX);
	assert_int_equal(recording.calls[1].values[1].bytes.size, SIZE);
	assert_memory_equal(recording.calls[1].values[1].bytes.data, text, SIZE);
	lrd_recording_free(&recording);
	free(whole);
	free(text);
}

static void hear(void *user, const lrd_event *event)
{
	(void)user;
	(void)event;
}

// Calls of the public headers, each at least once.
static void call_everything(store_kit *kit, lrd_error *error)
{
	lrd_store *store = kit->store;
	lrd_mount mount = { 0 };
	lrd_listener listener = { 0 };
	lrd_ticket_progress progress;
	bool arrived;
	uint32_t seen = 0;
	lrd_mount_desc desc = kit_mount_desc(&kit->files);
	desc.release = NULL;
	assert_true(lrd_store_mount(store, &desc, &mount, error));
	lrd_asset blob = lrd_asset_find(store, LRD_BLOB, "a.bin", error);
	lrd_asset found = lrd_asset_find_string(store, LRD_BLOB, LRD_STR("b.bin"), error);
	lrd_store_listen(store, &(lrd_listener_desc){ .on_event = hear }, &listener, error);
	lrd_ticket ticket = lrd_ticket_open(store, NULL, error);
	lrd_ticket_require(store, ticket, blob, error);
	lrd_ticket_at(store, ticket, 0, &found, &arrived);
	lrd_ticket_seal(store, ticket);
	lrd_retain(store, blob);
	lrd_ticket_wait(store, ticket);
	lrd_retain_with(store, blob, NULL);
	lrd_retain_now(store, blob, error);
	lrd_pin(store, blob);
	lrd_asset_stem(store, blob);
	lrd_asset_kind(store, blob);
	lrd_asset_is_valid(store, blob);
	lrd_asset_has(store, blob);
	lrd_asset_state(store, blob);
	lrd_asset_error(store, blob, error);
	lrd_asset_generation(store, blob);
	lrd_asset_put(store, blob, (lrd_bytes){ "x", 1 }, error);
	lrd_store_changed(store, LRD_BLOB, LRD_STR("a.bin"));
	lrd_store_changed_now(store, mount, NULL, error);
	kit_run(&kit->jobs);
	lrd_store_update(store);
	lrd_ticket_get(store, ticket, &progress);
	lrd_asset_renew(store, blob, &seen);
	lrd_texture_get(store, blob);
	lrd_mesh_get(store, blob);
	lrd_material_get(store, blob);
	lrd_model_get(store, blob);
	lrd_skeleton_get(store, blob);
	lrd_clip_get(store, blob);
	lrd_blob_get(store, blob);
	lrd_unpin(store, blob);
	lrd_release(store, blob);
	lrd_release(store, blob);
	lrd_release(store, blob);
	lrd_asset_forget(store, blob);
	lrd_ticket_close(store, ticket);
	lrd_store_unlisten(store, listener);
	lrd_store_unload_all(store);
	lrd_store_keep_parked(store, 1000);
	lrd_store_unmount(store, mount);
}

static void every_call_is_recorded_once(void **state)
{
	scratch *here = *state;
	const char *path = scratch_path(here, "trace");
	store_kit kit;
	kit_open(&kit);
	begin(&kit, path);
	lrd_error error;
	call_everything(&kit, &error);
	kit_close(&kit); // ends the recording
	char *text = trace_lines(path);
	for (int i = 0; i < LRD_CALL_COUNT; i++)
	{
		char name[64];
		unsigned count = 0;
		snprintf(name, sizeof name, "0 %s%c", lrd_call_rows[i].name,
			lrd_call_rows[i].answers[0] == '\0' && lrd_call_rows[i].arguments[0] == '\0' ? '\n' : ' ');
		for (const char *at = text; (at = strstr(at, name)) != NULL; at++)
		{
			count++;
		}
		unsigned expected = i == LRD_CALL_release ? 3 : (i == LRD_CALL_asset_find ? 2 : 1);
		if (count != expected)
		{
			fail_msg("%s is there %u times, not %u", name, count, expected);
		}
	}
	assert_non_null(strstr(text, "0 store_close = 0\nend 44\n"));
	free(text);
}

static void scopes_and_holds_are_recorded_by_what_they_retain_and_release(void **state)
{
	scratch *here = *state;
	const char *path = scratch_path(here, "trace");
	store_kit kit;
	kit_open(&kit);
	begin(&kit, path);
	lrd_asset blob = kit_find(&kit, LRD_BLOB, "a.bin");
	lrd_scope *scope = lrd_scope_create(kit.store, &(lrd_scope_desc){ .priority = 3 }, NULL);
	assert_true(lrd_scope_retain(scope, blob));
	lrd_hold hold = { 0 };
	assert_true(lrd_hold_take(&hold, kit.store, blob));
	lrd_hold_end(&hold);
	lrd_scope_destroy(scope);
	assert_true(lrd_trace_end(kit.store, NULL));
	kit_close(&kit);
	assert_lines(path, "0 retain_with 0.1 3 - = yes\n");
	char *lines = trace_lines(path);
	assert_non_null(strstr(lines, "0 retain 0.1 = yes\n"));
	const char *release = strstr(lines, "0 release 0.1 = yes\n");
	assert_non_null(release);
	assert_non_null(strstr(release + 1, "0 release 0.1 = yes\n"));
	free(lines);
}

static void a_store_can_record_from_its_first_call_to_its_last(void **state)
{
	scratch *here = *state;
	const char *path = scratch_path(here, "trace");
	store_kit kit;
	kit_open(&kit);
	lrd_store_desc desc = kit_desc(&kit);
	desc.trace = path;
	desc.keep_parked = 12;
	lrd_store *store = lrd_store_open(&desc, NULL);
	assert_non_null(store);
	lrd_asset blob = lrd_asset_find(store, LRD_BLOB, "lost", NULL);
	assert_true(lrd_retain(store, blob));
	kit_run(&kit.jobs);
	assert_int_equal(lrd_store_close(store), 1);
	kit_close(&kit);
	assert_text(path, "larder trace 1\n"
					  "store 12 1\n"
					  "0 asset_find blob \"lost\" = 0.1\n"
					  "0 retain 0.1 = yes\n"
					  "0 store_close = 1\n"
					  "end 3\n");
}

static void a_file_that_can_not_be_made_is_an_error_at_the_beginning(void **state)
{
	scratch *here = *state;
	store_kit kit;
	kit_open(&kit);
	lrd_error error = { 0 };
	const char *path = scratch_path(here, "no/such/folder");
	assert_false(lrd_trace_begin(kit.store, path, &error));
	assert_int_equal(error.code, LRD_ERROR_NOT_FOUND);
	assert_non_null(strstr(error.message, "no/such/folder"));
	lrd_store_desc desc = kit_desc(&kit);
	desc.trace = path;
	assert_null(lrd_store_open(&desc, &error));
	path = scratch_path(here, "pipe");
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_false(lrd_trace_begin(kit.store, path, &error)); // and does not wait for a reader
	assert_non_null(strstr(error.message, "a pipe that nobody reads"));
	assert_false(lrd_trace_end(kit.store, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	kit_close(&kit);
}

static void one_recording_at_a_time_and_one_after_the_other(void **state)
{
	scratch *here = *state;
	const char *path = scratch_path(here, "first");
	const char *second = scratch_path(here, "second");
	store_kit kit;
	kit_open(&kit);
	lrd_error error = { 0 };
	assert_false(lrd_trace_end(kit.store, &error));
	begin(&kit, path);
	assert_false(lrd_trace_begin(kit.store, second, &error));
	assert_int_equal(error.code, LRD_ERROR_CONFLICT);
	assert_int_not_equal(access(second, F_OK), 0);
	lrd_asset blob = kit_find(&kit, LRD_BLOB, "a.bin");
	assert_true(lrd_trace_end(kit.store, NULL));
	begin(&kit, second);
	assert_true(lrd_asset_is_valid(kit.store, blob));
	assert_true(lrd_trace_end(kit.store, NULL));
	kit_close(&kit);
	assert_lines(path, "end 1\n");
	assert_lines(second, "asset 0.1 blob \"a.bin\"\n0 asset_is_valid 0.1 = yes\nend 1\n");
}

static void a_full_disk_fails_the_recording_and_no_call(void **state)
{
	(void)state;
	if (access("/dev/full", W_OK) != 0)
	{
		print_message("there is no /dev/full\n");
		skip();
	}
	store_kit kit;
	kit_open(&kit);
	lrd_error error = { 0 };
	begin(&kit, "/dev/full");
	lrd_asset blob = kit_find(&kit, LRD_BLOB, "a.bin");
	for (int i = 0; i < 10000; i++)
	{
		assert_true(lrd_retain(kit.store, blob));
		assert_true(lrd_release(kit.store, blob));
	}
	assert_false(lrd_trace_end(kit.store, &error));
	assert_int_equal(error.code, LRD_ERROR_IO);
	assert_non_null(strstr(error.message, "not whole"));
	begin(&kit, "/dev/full");
	kit_close(&kit);
	assert_non_null(strstr(kit.logged, "not whole"));
}

static void beginning_survives_every_allocation_failing(void **state)
{
	scratch *here = *state;
	const char *path = scratch_path(here, "trace");
	store_kit kit;
	kit_open(&kit);
	lrd_asset blob = kit_load(&kit, LRD_BLOB, "a.bin");
	bool begun = false;
	for (long long succeed = 0; !begun; succeed++)
	{
		atomic_store(&kit.memory.countdown, succeed);
		lrd_error error = { 0 };
		begun = lrd_trace_begin(kit.store, path, &error);
		atomic_store(&kit.memory.countdown, -1);
		assert_true(begun || error.code == LRD_ERROR_MEMORY);
		assert_true(succeed < 50);
	}
	assert_true(lrd_trace_end(kit.store, NULL));
	assert_true(lrd_release(kit.store, blob));
	kit_close(&kit);
}

static void without_memory_names_are_written_again_and_the_trace_can_be_read(void **state)
{
	scratch *here = *state;
	const char *path = scratch_path(here, "trace");
	store_kit kit;
	kit_open(&kit);
	lrd_asset blob = kit_find(&kit, LRD_BLOB, "a.bin");
	begin(&kit, path);
	atomic_store(&kit.memory.countdown, 0);
	for (int i = 0; i < 3; i++)
	{
		assert_true(lrd_asset_is_valid(kit.store, blob));
	}
	atomic_store(&kit.memory.countdown, -1);
	assert_true(lrd_trace_end(kit.store, NULL));
	kit_close(&kit);
	char *text = trace_text(path);
	lrd_recording recording;
	assert_true(trace_parse(text, &recording, (lrd_allocator){ 0 }, NULL));
	assert_int_equal(recording.call_count, 3);
	assert_int_equal(recording.asset_count, 1);
	lrd_recording_free(&recording);
	free(text);
}

typedef struct caller
{
	lrd_store *store;
	lrd_asset asset;
	atomic_bool *stop;
	uint64_t calls;
} caller;

static void call_on(void *user)
{
	caller *self = user;
	while (!atomic_load(self->stop) || self->calls < 100)
	{
		if (lrd_retain(self->store, self->asset))
		{
			lrd_release(self->store, self->asset);
		}
		self->calls++;
	}
}

static void threads_record_side_by_side_while_recording_begins_and_ends(void **state)
{
	scratch *here = *state;
	const char *path = scratch_path(here, "trace");
	store_kit kit;
	kit_open_with(&kit, 1 << 20);
	lrd_asset blob = kit_load(&kit, LRD_BLOB, "a.bin");
	atomic_bool stop = false;
	caller callers[3];
	lrd_thread *threads[3];
	for (size_t i = 0; i < 3; i++)
	{
		callers[i] = (caller){ .store = kit.store, .asset = blob, .stop = &stop };
		threads[i] = lrd_thread_start(call_on, &callers[i], 0, (lrd_allocator){ 0 }, NULL);
		assert_non_null(threads[i]);
	}
	for (int i = 0; i < 20; i++)
	{
		begin(&kit, path);
		for (int k = 0; k < 50; k++)
		{
			assert_true(lrd_asset_has(kit.store, blob));
		}
		assert_true(lrd_trace_end(kit.store, NULL));
		char *text = trace_text(path);
		lrd_recording recording;
		lrd_error error = { 0 };
		if (!trace_parse(text, &recording, (lrd_allocator){ 0 }, &error))
		{
			fail_msg("%s", error.message);
		}
		assert_true(recording.ended);
		assert_true(recording.call_count >= 50);
		assert_true(recording.thread_count <= 4);
		lrd_recording_free(&recording);
		free(text);
	}
	atomic_store(&stop, true);
	for (size_t i = 0; i < 3; i++)
	{
		lrd_thread_join(threads[i]);
	}
	assert_true(lrd_release(kit.store, blob));
	lrd_store_keep_parked(kit.store, 0);
	kit_close(&kit);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, scratch_open, scratch_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_A_FOLDER(a_call_is_a_line_with_thread_arguments_and_answer),
		IN_A_FOLDER(what_the_store_does_by_itself_is_no_call),
		IN_A_FOLDER(a_trace_that_begins_late_says_what_is_held_and_waited_for),
		IN_A_FOLDER(an_asset_is_named_once_and_also_when_it_is_forgotten),
		IN_A_FOLDER(texts_are_escaped_and_bytes_are_base64),
		IN_A_FOLDER(long_texts_are_cut_and_long_bytes_are_not),
		IN_A_FOLDER(every_call_is_recorded_once),
		IN_A_FOLDER(scopes_and_holds_are_recorded_by_what_they_retain_and_release),
		IN_A_FOLDER(a_store_can_record_from_its_first_call_to_its_last),
		IN_A_FOLDER(a_file_that_can_not_be_made_is_an_error_at_the_beginning),
		IN_A_FOLDER(one_recording_at_a_time_and_one_after_the_other),
		IN_A_FOLDER(a_full_disk_fails_the_recording_and_no_call),
		IN_A_FOLDER(beginning_survives_every_allocation_failing),
		IN_A_FOLDER(without_memory_names_are_written_again_and_the_trace_can_be_read),
		IN_A_FOLDER(threads_record_side_by_side_while_recording_begins_and_ends),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
