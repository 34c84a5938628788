// What a frame may cost: no allocation once everything is there, no copy of what is used in place, and no file read or decoded
// on the owner's thread but by calls that say so in their names.

#define _GNU_SOURCE // fork, usleep

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/store_kit.h"

#include "larder/pack_write.h"
#include "os_scratch.h"
#include "pack/reader.h"
#include "store/mounted.h"
#include "store/store.h"

#include <pthread.h>
#include <sys/wait.h>
#if defined(__linux__)
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

// --- Allocations ---

static void hear(void *user, const lrd_event *event)
{
	*(uint32_t *)user += event->flags != 0;
}

// Everything that a frame does with assets that are there.
static void run_frame(store_kit *kit, const lrd_asset assets[4], lrd_scope *scope, lrd_hold *hold, lrd_ticket ticket)
{
	lrd_store *store = kit->store;
	lrd_ticket_progress progress;
	lrd_store_stats stats;
	uint32_t seen = lrd_asset_generation(store, assets[0]);
	assert_true(lrd_asset_equal(kit_find(kit, LRD_MODEL, "M"), assets[0]));
	assert_true(lrd_retain(store, assets[0]));
	assert_true(lrd_retain_with(store, assets[1], &(lrd_retain_desc){ .priority = 5, .owner = "frame" }));
	assert_non_null(lrd_model_get(store, assets[0]));
	assert_int_equal(lrd_asset_state(store, assets[1]), LRD_READY);
	assert_true(lrd_asset_has(store, assets[2]));
	assert_false(lrd_asset_renew(store, assets[0], &seen));
	assert_true(lrd_hold_reset(hold, store, assets[2]));
	assert_true(lrd_hold_reset(hold, store, assets[1]));
	assert_true(lrd_scope_retain(scope, assets[2]));
	assert_true(lrd_scope_retain(scope, assets[3])); // parked: it is resurrected
	assert_true(lrd_ticket_get(store, ticket, &progress));
	assert_true(progress.complete);
	lrd_store_get_stats(store, &stats);
	lrd_scope_release_all(scope);
	assert_true(lrd_release(store, assets[1]));
	assert_true(lrd_release(store, assets[0]));
	lrd_store_update(store);
}

static void a_steady_frame_allocates_nothing(void **state)
{
	(void)state;
	store_kit kit;
	kit_open_with(&kit, 1 << 20);
	uint32_t heard = 0;
	lrd_listener listener;
	lrd_hold hold = { 0 };
	const lrd_listener_desc all = { .on_event = hear, .user = &heard };
	assert_true(lrd_store_listen(kit.store, &all, &listener, NULL));
	lrd_scope *scope = lrd_scope_create(kit.store, &(lrd_scope_desc){ .reserve = 2 }, NULL);
	lrd_ticket ticket = lrd_ticket_open(kit.store, NULL, NULL);
	const lrd_asset assets[4] = {
		kit_load(&kit, LRD_MODEL, "m"),
		kit_load(&kit, LRD_BLOB, "a.bin"),
		kit_load(&kit, LRD_BLOB, "b.bin"),
		kit_load(&kit, LRD_MODEL, "n"),
	};
	assert_true(lrd_release(kit.store, assets[3]));
	assert_true(lrd_hold_take(&hold, kit.store, assets[1]));
	assert_true(lrd_ticket_require(kit.store, ticket, assets[0], NULL));
	assert_true(lrd_ticket_seal(kit.store, ticket));
	lrd_store_update(kit.store);
	run_frame(&kit, assets, scope, &hold, ticket); // an owner is named for the first time
	long long calls = atomic_load(&kit.memory.calls);
	for (int i = 0; i < 100; i++)
	{
		run_frame(&kit, assets, scope, &hold, ticket);
	}
	assert_int_equal(atomic_load(&kit.memory.calls), calls);
	assert_true(heard >= 4);
	lrd_hold_end(&hold);
	lrd_scope_destroy(scope);
	for (int i = 0; i < 3; i++)
	{
		assert_true(lrd_release(kit.store, assets[i]));
	}
	kit_close(&kit);
}

// --- The lock ---

static void retain_and_release_of_a_resident_asset_that_does_not_reach_zero_take_no_lock(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_asset a = kit_load(&kit, LRD_BLOB, "a.bin");
	uint32_t seen = lrd_asset_generation(kit.store, a);
	const lrd_retain_desc layer = { .owner = "layer" };
	assert_true(lrd_retain_with(kit.store, a, &layer)); // from now on it is known who asks
	// Whoever takes it a second time is told so, and then gives back what this test has.
	pthread_mutex_t *lock = (pthread_mutex_t *)(void *)&kit.store->lock;
	pthread_mutexattr_t checked;
	assert_int_equal(pthread_mutexattr_init(&checked), 0);
	assert_int_equal(pthread_mutexattr_settype(&checked, PTHREAD_MUTEX_ERRORCHECK), 0);
	assert_int_equal(pthread_mutex_destroy(lock), 0);
	assert_int_equal(pthread_mutex_init(lock, &checked), 0);
	assert_int_equal(pthread_mutex_lock(lock), 0);
	bool done = lrd_retain(kit.store, a) && lrd_retain_with(kit.store, a, &layer) && lrd_asset_has(kit.store, a) &&
				lrd_asset_is_valid(kit.store, a) && lrd_blob_get(kit.store, a) != NULL &&
				lrd_asset_kind(kit.store, a) == LRD_BLOB && lrd_asset_generation(kit.store, a) == seen &&
				!lrd_asset_renew(kit.store, a, &seen) && lrd_release(kit.store, a) && lrd_release(kit.store, a);
	assert_int_equal(pthread_mutex_unlock(lock), 0);
	assert_true(done);
	assert_int_equal(pthread_mutexattr_destroy(&checked), 0);
	assert_true(lrd_release(kit.store, a));
	assert_true(lrd_release(kit.store, a));
	kit_close(&kit);
}

// --- Copies ---

static const char *write_pack(scratch *here, const store_kit *kit, const char *name, lrd_compression compression)
{
	lrd_pack_source sources[KIT_FILES];
	for (uint32_t i = 0; i < kit->files.count; i++)
	{
		sources[i] = (lrd_pack_source){
			.key = lrd_string_from(kit->files.keys[i]),
			.bytes = { kit->files.contents[i].data, kit->files.contents[i].size },
		};
	}
	lrd_error error = { 0 };
	const char *path = scratch_path(here, name);
	const lrd_pack_write_desc desc = {
		.path = path,
		.sources = sources,
		.source_count = kit->files.count,
		.compression = compression,
	};
	if (!lrd_pack_write(&desc, NULL, &error))
	{
		fail_msg("%s", error.message);
	}
	return path;
}

static void assert_in_place(const lrd_pack *pack, const void *data, size_t size)
{
	const uint8_t *at = data;
	assert_true(at >= pack->table.bytes && at + size <= pack->table.bytes + pack->table.size);
}

static void a_load_from_a_raw_bundle_copies_no_byte_and_its_payload_leads_into_the_mapping(void **state)
{
	store_kit kit;
	kit_open(&kit);
	const char *path = write_pack(*state, &kit, "raw.lpack", LRD_STORED);
	lrd_mount mount;
	assert_true(lrd_store_unmount(kit.store, kit.mount));
	assert_true(lrd_store_mount(kit.store, &(lrd_mount_desc){ .pack = path }, &mount, NULL));
	const lrd_pack *pack = lrd_mount_pack_of(kit.store->mounts.first);
	assert_non_null(pack);
	for (int round = 0; round < 3; round++)
	{
		lrd_asset model = kit_load(&kit, LRD_MODEL, "m");
		lrd_asset blob = kit_load(&kit, LRD_BLOB, "a.bin");
		lrd_asset texture = kit_find(&kit, LRD_TEXTURE, "albedo");
		const lrd_blob *bytes = lrd_blob_get(kit.store, blob);
		assert_int_equal(bytes->bytes.size, 1000);
		assert_in_place(pack, bytes->bytes.data, 1000);
		const lrd_texture_view *view = &lrd_texture_get(kit.store, texture)->view;
		assert_in_place(pack, view->levels[0].data, (size_t)view->levels[0].size);
		assert_in_place(pack, lrd_model_get(kit.store, model)->view.strings.data, 1);
		assert_int_equal(kit_stats(&kit).io_bytes, 0);
		assert_true(kit_stats(&kit).mapped_bytes != 0);
		assert_true(lrd_release(kit.store, blob));
		assert_true(lrd_release(kit.store, model));
	}
	kit_close(&kit);
}

// --- The owner's thread ---

static void when_jobs_never_run_nothing_is_read_and_nothing_becomes_ready_or_fails(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	static const char *const stems[] = { "a.bin", "b.bin", "c.bin" };
	for (int i = 0; i < 3; i++)
	{
		lrd_asset blob = kit_find(&kit, LRD_BLOB, stems[i]);
		assert_true(lrd_retain(kit.store, blob));
		assert_true(lrd_retain_with(kit.store, blob, &(lrd_retain_desc){ .priority = 100 }));
		lrd_store_changed(kit.store, LRD_BLOB, LRD_STR("a.bin"));
		lrd_store_update(kit.store);
		assert_int_equal(lrd_asset_state(kit.store, blob), LRD_QUEUED);
		assert_null(lrd_blob_get(kit.store, blob));
		assert_true(lrd_release(kit.store, blob));
		assert_true(lrd_release(kit.store, blob));
	}
	lrd_store_stats stats = kit_stats(&kit);
	assert_int_equal(stats.probes, 0);
	assert_int_equal(stats.loads + stats.failures, 0);
	assert_int_equal(stats.read_ns + stats.decode_ns, 0);
	kit_close(&kit);
}

// A worker that stays in its decode until it is let go: its first allocation, which is made without the store's lock, waits.
typedef struct slow_memory
{
	failing_allocator *memory;
	uintptr_t owner;
	lrd_mutex mutex;
	lrd_condition changed;
	bool armed, waiting, go;
} slow_memory;

static void *slow_resize(void *user, void *block, size_t old_size, size_t new_size)
{
	slow_memory *self = user;
	if (lrd_thread_self() != self->owner && new_size > old_size)
	{
		lrd_mutex_lock(&self->mutex);
		if (self->armed)
		{
			self->armed = false;
			self->waiting = true;
			lrd_condition_broadcast(&self->changed);
			while (!self->go)
			{
				lrd_condition_wait(&self->changed, &self->mutex);
			}
		}
		lrd_mutex_unlock(&self->mutex);
	}
	return failing_resize(self->memory, block, old_size, new_size);
}

static void slow_wait_until_waiting(slow_memory *self)
{
	lrd_mutex_lock(&self->mutex);
	while (!self->waiting)
	{
		lrd_condition_wait(&self->changed, &self->mutex);
	}
	lrd_mutex_unlock(&self->mutex);
}

static void slow_let_go(slow_memory *self)
{
	lrd_mutex_lock(&self->mutex);
	self->go = true;
	lrd_condition_broadcast(&self->changed);
	lrd_mutex_unlock(&self->mutex);
}

// Were one of these to wait for the decode, it would wait for ever.
static void call_everything_that_does_not_wait(lrd_store *store, lrd_asset asset)
{
	lrd_snapshot snapshot = { 0 };
	lrd_store_stats stats;
	lrd_hold hold = { 0 };
	lrd_ticket_progress progress;
	lrd_asset other = lrd_asset_find(store, LRD_MODEL, "m", NULL);
	assert_true(lrd_retain(store, asset));
	assert_int_equal(lrd_asset_state(store, asset), LRD_LOADING);
	assert_null(lrd_blob_get(store, asset));
	assert_false(lrd_asset_error(store, asset, NULL));
	assert_true(lrd_release(store, asset));
	assert_true(lrd_hold_take(&hold, store, other));
	lrd_ticket ticket = lrd_ticket_open(store, NULL, NULL);
	assert_true(lrd_ticket_require(store, ticket, asset, NULL));
	assert_true(lrd_ticket_seal(store, ticket));
	lrd_store_update(store);
	assert_true(lrd_ticket_get(store, ticket, &progress));
	assert_false(progress.complete);
	lrd_store_get_stats(store, &stats);
	assert_int_equal(stats.running, 1);
	assert_true(lrd_snapshot_take(store, &snapshot, NULL));
	lrd_snapshot_free(&snapshot);
	lrd_store_changed(store, LRD_BLOB, LRD_STR("a.bin"));
	assert_true(lrd_asset_put(store, other, (lrd_bytes){ "0123456789abcdef", 16 }, NULL));
	lrd_store_keep_parked(store, 0);
	assert_true(lrd_ticket_close(store, ticket));
	lrd_hold_end(&hold);
	lrd_store_unload_all(store);
	lrd_store_update(store);
}

typedef struct slow_store
{
	store_kit kit;
	slow_memory slow;
	lrd_asset first; // a worker, the only one, is at it
} slow_store;

static void slow_open(slow_store *self)
{
	store_kit *kit = &self->kit;
	memset(self, 0, sizeof *self);
	failing_allocator_init(&kit->memory, -1);
	kit_add_usual(&kit->files);
	self->slow = (slow_memory){ .memory = &kit->memory, .owner = lrd_thread_self(), .armed = true };
	assert_true(lrd_mutex_init(&self->slow.mutex));
	assert_true(lrd_condition_init(&self->slow.changed));
	lrd_store_desc desc = kit_desc(kit);
	desc.jobs = NULL;
	desc.worker_count = 1;
	desc.allocator = (lrd_allocator){ slow_resize, &self->slow };
	kit->store = lrd_store_open(&desc, NULL);
	assert_non_null(kit->store);
	lrd_mount_desc mount = kit_mount_desc(&kit->files);
	assert_true(lrd_store_mount(kit->store, &mount, &kit->mount, NULL));
	self->first = kit_find(kit, LRD_BLOB, "a.bin");
	assert_true(lrd_retain(kit->store, self->first));
	slow_wait_until_waiting(&self->slow);
}

static void slow_close(slow_store *self)
{
	assert_true(lrd_release(self->kit.store, self->first));
	kit_close(&self->kit);
	lrd_condition_destroy(&self->slow.changed);
	lrd_mutex_destroy(&self->slow.mutex);
}

static void calls_return_while_a_decode_takes_as_long_as_it_likes(void **state)
{
	(void)state;
	slow_store self;
	slow_open(&self);
	call_everything_that_does_not_wait(self.kit.store, self.first);
	slow_let_go(&self.slow);
	slow_close(&self);
}

typedef struct onlooker
{
	slow_store *self;
	lrd_asset others[2];
} onlooker;

static void let_go_when_the_others_are_there(void *user)
{
	onlooker *looks = user;
	lrd_store *store = looks->self->kit.store;
	while (!lrd_asset_has(store, looks->others[0]) || !lrd_asset_has(store, looks->others[1]))
	{
		usleep(100);
	}
	slow_let_go(&looks->self->slow);
}

static void waiting_for_a_ticket_does_everything_else_while_a_worker_is_at_the_first(void **state)
{
	(void)state;
	slow_store self;
	slow_open(&self);
	lrd_store *store = self.kit.store;
	onlooker looks = { &self, { kit_find(&self.kit, LRD_BLOB, "b.bin"), kit_find(&self.kit, LRD_BLOB, "c.bin") } };
	lrd_ticket ticket = lrd_ticket_open(store, NULL, NULL);
	assert_true(lrd_ticket_require(store, ticket, self.first, NULL));
	for (int i = 0; i < 2; i++)
	{
		assert_true(lrd_retain(store, looks.others[i]));
		assert_true(lrd_ticket_require(store, ticket, looks.others[i], NULL));
	}
	assert_true(lrd_ticket_seal(store, ticket));
	lrd_thread *thread = lrd_thread_start(let_go_when_the_others_are_there, &looks, 0, (lrd_allocator){ 0 }, NULL);
	assert_non_null(thread);
	assert_true(lrd_ticket_wait(store, ticket));
	assert_true(lrd_asset_has(store, self.first));
	lrd_thread_join(thread);
	assert_true(lrd_ticket_close(store, ticket));
	assert_true(lrd_release(store, looks.others[0]));
	assert_true(lrd_release(store, looks.others[1]));
	slow_close(&self);
}

// --- Without files ---

#if defined(__linux__) && defined(__x86_64__)

// From here on the system ends the process when this thread opens, reads, maps or looks at a file, or has pages brought in.
static bool forbid_files(void)
{
#define ARGUMENT(i) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[i]))
#define END BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define GO_ON BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define FORBID(call) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), END
	struct sock_filter steps[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		FORBID(__NR_open),
		FORBID(__NR_openat),
		FORBID(__NR_read),
		FORBID(__NR_pread64),
		FORBID(__NR_readv),
		FORBID(__NR_preadv),
		FORBID(__NR_stat),
		FORBID(__NR_lstat),
		FORBID(__NR_fstat),
		FORBID(__NR_newfstatat),
		FORBID(__NR_statx),
		FORBID(__NR_access),
		FORBID(__NR_getdents64),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_mmap, 0, 4),
		ARGUMENT(4), // a descriptor, or -1
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xffffffffu, 1, 0),
		END,
		GO_ON,
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_madvise, 0, 3),
		ARGUMENT(2),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 22, 0, 1), // MADV_POPULATE_READ
		END,
		GO_ON,
	};
	const struct sock_fprog program = { sizeof steps / sizeof *steps, steps };
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#define NO_FILTER 77
// In a process of its own: cmocka's assertions would go on in the parent's tests.
#define NEED(done)                                                                                                     \
	do                                                                                                                 \
	{                                                                                                                  \
		if (!(done))                                                                                                   \
		{                                                                                                              \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #done);                                                 \
			_exit(1);                                                                                                  \
		}                                                                                                              \
	} while (0)

typedef struct mount_paths
{
	const char *pack;
	const char *root;
} mount_paths;

static int status_of_child(void (*run)(const mount_paths *paths), const mount_paths *paths)
{
	fflush(NULL);
	pid_t child = fork();
	if (child == 0)
	{
		run(paths);
		_exit(0);
	}
	int status = 0;
	assert_true(child > 0 && waitpid(child, &status, 0) == child);
	return status;
}

static lrd_store *open_both(const mount_paths *paths)
{
	static char logged[512];
	lrd_error error;
	lrd_store *store = lrd_store_open(&(lrd_store_desc){ .pack = paths->pack,
										  .root = paths->root,
										  .worker_count = 1,
										  .keep_parked = 1 << 20,
										  .quiet = true,
										  .log = { kit_be_silent, logged } },
		&error);
	NEED(store != NULL);
	return store;
}

static void live_without_files(const mount_paths *paths)
{
	static const struct
	{
		lrd_kind kind;
		const char *stem;
	} names[] = { { LRD_MODEL, "m" }, { LRD_MODEL, "n" }, { LRD_MODEL, "sad" }, { LRD_BLOB, "a.bin" },
		{ LRD_BLOB, "loose.bin" }, { LRD_MATERIAL, "lost" }, { LRD_TEXTURE, "nowhere/at/all" } };
	lrd_store *store = open_both(paths);
	lrd_asset assets[7];
	lrd_ticket_progress progress = { 0 };
	if (!forbid_files())
	{
		_exit(NO_FILTER);
	}
	for (int round = 0; round < 3; round++)
	{
		lrd_ticket ticket = lrd_ticket_open(store, NULL, NULL);
		lrd_scope *scope = lrd_scope_create(store, NULL, NULL);
		for (int i = 0; i < 7; i++)
		{
			assets[i] = lrd_asset_find(store, names[i].kind, names[i].stem, NULL);
			NEED(lrd_scope_retain(scope, assets[i]) && lrd_pin(store, assets[i]));
			NEED(lrd_ticket_require(store, ticket, assets[i], NULL));
		}
		NEED(lrd_ticket_seal(store, ticket));
		for (progress.complete = false; !progress.complete; usleep(1000))
		{
			lrd_store_update(store);
			NEED(lrd_ticket_get(store, ticket, &progress));
		}
		NEED(progress.failed == 1 && lrd_model_get(store, assets[0]) != NULL);
		NEED(lrd_blob_get(store, assets[4]) != NULL && lrd_asset_error(store, assets[6], NULL));
		NEED(lrd_asset_put(store, assets[3], (lrd_bytes){ "content", 7 }, NULL));
		lrd_store_changed(store, LRD_MODEL, LRD_STR("m"));
		lrd_store_update(store);
		lrd_scope_cancel(scope);
		for (int i = 0; i < 7; i++)
		{
			NEED(lrd_unpin(store, assets[i]));
		}
		lrd_scope_destroy(scope);
		NEED(lrd_ticket_close(store, ticket));
		lrd_store_keep_parked(store, (uint64_t)(round % 2) << 20);
		lrd_store_unload_all(store);
	}
}

static void load_now_without_files(const mount_paths *paths)
{
	kit_jobs jobs = { .workers = 1 };
	const lrd_jobs interface = { kit_submit, kit_wait, kit_worker_count, &jobs };
	lrd_store *store =
		lrd_store_open(&(lrd_store_desc){ .root = paths->root, .jobs = &interface, .quiet = true }, NULL);
	NEED(store != NULL);
	lrd_asset asset = lrd_asset_find(store, LRD_BLOB, "loose.bin", NULL);
	if (!forbid_files())
	{
		_exit(NO_FILTER);
	}
	(void)lrd_retain_now(store, asset, NULL);
}

static mount_paths make_mounts(scratch *here)
{
	store_kit kit;
	kit_open(&kit);
	scratch_folder(here, "root");
	scratch_put(here, "root/loose.bin", "loose");
	mount_paths paths = { write_pack(here, &kit, "zstd.lpack", LRD_ZSTD), scratch_path(here, "root") };
	kit_close(&kit);
	return paths;
}

static void no_call_on_the_owner_touches_a_file_but_those_that_wait_by_name(void **state)
{
	mount_paths paths = make_mounts(*state);
	int status = status_of_child(live_without_files, &paths);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_FILTER)
	{
		print_message("the system has no filters for its calls: not tested\n");
		skip();
	}
	assert_false(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

// The filter sees what it must.
static void what_waits_by_name_reads_on_the_calling_thread(void **state)
{
	mount_paths paths = make_mounts(*state);
	int status = status_of_child(load_now_without_files, &paths);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_FILTER)
	{
		print_message("the system has no filters for its calls: not tested\n");
		skip();
	}
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSYS);
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_steady_frame_allocates_nothing),
		cmocka_unit_test(retain_and_release_of_a_resident_asset_that_does_not_reach_zero_take_no_lock),
		cmocka_unit_test_setup_teardown(a_load_from_a_raw_bundle_copies_no_byte_and_its_payload_leads_into_the_mapping,
			scratch_open, scratch_close),
#if defined(__linux__) && defined(__x86_64__)
		cmocka_unit_test_setup_teardown(
			no_call_on_the_owner_touches_a_file_but_those_that_wait_by_name, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(what_waits_by_name_reads_on_the_calling_thread, scratch_open, scratch_close),
#endif
		cmocka_unit_test(when_jobs_never_run_nothing_is_read_and_nothing_becomes_ready_or_fails),
		cmocka_unit_test(waiting_for_a_ticket_does_everything_else_while_a_worker_is_at_the_first),
		cmocka_unit_test(calls_return_while_a_decode_takes_as_long_as_it_likes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
