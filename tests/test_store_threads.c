// N threads retaining, releasing, reloading and unmounting at random: ThreadSanitizer is silent, counts end at zero, no
// payload pointer is ever read after free (AddressSanitizer). Five seconds; LARDER_TEST_LONG: a minute.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/store_kit.h"
#include "os/os.h"

#define THREADS 4
#define ASSETS 16
#define LOOK_BYTES 4096

static const struct
{
	lrd_kind kind;
	const char *stem;
} names[ASSETS] = {
	{ LRD_MODEL, "m" },
	{ LRD_MODEL, "n" },
	{ LRD_MODEL, "sad" },
	{ LRD_MATERIAL, "red" },
	{ LRD_MATERIAL, "blue" },
	{ LRD_MATERIAL, "worn" },
	{ LRD_MATERIAL, "lost" },
	{ LRD_TEXTURE, "albedo" },
	{ LRD_TEXTURE, "rough" },
	{ LRD_TEXTURE, "bad" },
	{ LRD_TEXTURE, "nowhere" },
	{ LRD_BLOB, "a.bin" },
	{ LRD_BLOB, "b.bin" },
	{ LRD_BLOB, "c.bin" },
	{ LRD_BLOB, "put.bin" },
	{ LRD_MODEL, "absent" },
};

typedef struct shared_state
{
	store_kit kit;
	lrd_asset assets[ASSETS];
	kit_files overlay; ///< a second mount, which comes and goes
	atomic_bool stop;
	atomic_ullong steps;
	atomic_ullong looks; ///< payloads read
} shared_state;

typedef struct actor
{
	shared_state *shared;
	uint64_t seed;
	uint32_t held[ASSETS];
	uint32_t seen[ASSETS][8]; ///< of each reference
	uint32_t pinned[ASSETS];
	lrd_scope *scope;
	lrd_hold hold;
	lrd_ticket ticket;
	lrd_thread *thread;
} actor;

// xorshift64*, Vigna, "An experimental exploration of Marsaglia's xorshift generators, scrambled", 2016.
static uint32_t draw(actor *self, uint32_t below)
{
	self->seed ^= self->seed >> 12;
	self->seed ^= self->seed << 25;
	self->seed ^= self->seed >> 27;
	return (uint32_t)((self->seed * 0x2545F4914F6CDD1Du) >> 33) % below;
}

static uint32_t sum_of_bytes(const void *data, size_t size)
{
	uint32_t sum = 0;
	for (size_t i = 0; i < size && i < LOOK_BYTES; i++)
	{
		sum = sum * 31 + ((const uint8_t *)data)[i];
	}
	return sum;
}

static atomic_uint sink;

// Read what there is, to its bytes: sanitizers see what should not be read.
static bool look(lrd_store *store, lrd_asset asset, lrd_kind kind)
{
	if (kind == LRD_BLOB)
	{
		const lrd_blob *blob = lrd_blob_get(store, asset);
		atomic_fetch_add(&sink, blob != NULL ? sum_of_bytes(blob->bytes.data, blob->bytes.size) : 0);
		return blob != NULL;
	}
	if (kind == LRD_TEXTURE)
	{
		const lrd_texture *texture = lrd_texture_get(store, asset);
		atomic_fetch_add(&sink,
			texture != NULL ? sum_of_bytes(texture->view.levels[0].data, (size_t)texture->view.levels[0].size) : 0);
		return texture != NULL;
	}
	if (kind == LRD_MATERIAL)
	{
		const lrd_material *material = lrd_material_get(store, asset);
		bool named = material != NULL && material->textures[LRD_SLOT_BASE_COLOR].generation != 0;
		atomic_fetch_add(
			&sink, material != NULL ? sum_of_bytes(material->view.strings.data, material->view.strings.size) : 0);
		return named ? lrd_asset_is_valid(store, material->textures[LRD_SLOT_BASE_COLOR]) : material != NULL;
	}
	const lrd_model *model = lrd_model_get(store, asset);
	atomic_fetch_add(&sink, model != NULL ? sum_of_bytes(model->view.strings.data, model->view.strings.size) : 0);
	return model != NULL;
}

// The owner holds the model and reads its materials through it, between two updates.
static void look_through(lrd_store *store, lrd_asset asset)
{
	const lrd_model *model = lrd_model_get(store, asset);
	for (int times = 0; times < 20; times++)
	{
		for (uint32_t i = 0; model != NULL && i < model->view.material_count; i++)
		{
			const lrd_material *material = lrd_material_get(store, model->materials[i]);
			uint32_t sum = material != NULL ? sum_of_bytes(material->view.params, sizeof *material->view.params) : 0;
			atomic_fetch_add(&sink, sum);
		}
	}
}

static void take_one(actor *self, uint32_t at, bool now)
{
	lrd_store *store = self->shared->kit.store;
	lrd_asset asset = self->shared->assets[at];
	bool room = self->held[at] < (at % 2 == 0 ? 8 : 1); // half of them are often held by nobody, and parked
	const lrd_retain_desc desc = { .priority = (int32_t)draw(self, 201) - 100,
		.owner = draw(self, 4) == 0 ? "actor" : NULL };
	if (room && (now ? lrd_retain_now(store, asset, NULL) : lrd_retain_with(store, asset, &desc)))
	{
		self->seen[at][self->held[at]++] = lrd_asset_generation(store, asset);
	}
}

static void give_one(actor *self, uint32_t at)
{
	if (self->held[at] != 0)
	{
		self->held[at]--;
		assert_true(lrd_release(self->shared->kit.store, self->shared->assets[at]));
	}
}

static void change_something(actor *self, uint32_t at)
{
	lrd_store *store = self->shared->kit.store;
	static const char content[][64] = { "one", "two", "three", "four" };
	switch (draw(self, 6))
	{
	case 0: lrd_store_changed(store, names[at].kind, lrd_string_from(names[at].stem)); return;
	case 1:
		lrd_asset_put(store, self->shared->assets[14], (lrd_bytes){ content[draw(self, 4)], draw(self, 64) }, NULL);
		return;
	case 2: lrd_store_keep_parked(store, draw(self, 5) * 5000); return;
	case 3:
		if (draw(self, 16) == 0)
		{
			lrd_store_unload_all(store);
		}
		return;
	case 4:
	{
		lrd_error error;
		lrd_asset_error(store, self->shared->assets[at], &error);
		return;
	}
	default:
	{
		lrd_mount mount;
		lrd_mount_desc desc = { .files = self->shared->overlay.files, .file_count = self->shared->overlay.count };
		if (lrd_store_mount(store, &desc, &mount, NULL))
		{
			assert_true(lrd_store_unmount(store, mount));
		}
	}
	}
}

// Names that all threads make, ask for and forget at once: ids turn stale in the middle of a call.
static void come_and_go(actor *self)
{
	static const char *const stems[] = { "here.bin", "there.bin", "now.bin" };
	lrd_store *store = self->shared->kit.store;
	lrd_asset asset = lrd_asset_find(store, LRD_BLOB, stems[draw(self, 3)], NULL);
	char name[LRD_ERROR_MESSAGE_SIZE];
	switch (draw(self, 5))
	{
	case 0: lrd_asset_put(store, asset, (lrd_bytes){ "some", draw(self, 5) }, NULL); return;
	case 1:
		if (lrd_retain(store, asset))
		{
			lrd_string stem = lrd_asset_stem(store, asset);
			snprintf(name, sizeof name, "%.*s", LRD_STR_ARG(stem));
			assert_true(lrd_asset_kind(store, asset) == LRD_BLOB && strstr(name, ".bin") != NULL);
			assert_true(lrd_release(store, asset));
		}
		return;
	case 2:
		lrd_asset_kind(store, asset);
		lrd_asset_generation(store, asset);
		lrd_asset_stem(store, asset);
		lrd_mesh_get(store, asset); // refused, with its name
		return;
	default: lrd_asset_forget(store, asset);
	}
}

static void use_ticket(actor *self, uint32_t at)
{
	lrd_store *store = self->shared->kit.store;
	lrd_ticket_progress progress;
	if (lrd_ticket_get(store, self->ticket, &progress))
	{
		assert_true(progress.arrived <= progress.required && progress.bytes_done <= progress.bytes_total);
		lrd_ticket_close(store, self->ticket);
		return;
	}
	self->ticket = lrd_ticket_open(
		store, &(lrd_ticket_desc){ .wake = draw(self, 2) ? LRD_WAKE_PROGRESS : LRD_WAKE_COMPLETE }, NULL);
	lrd_ticket_require(store, self->ticket, self->shared->assets[at], NULL);
	lrd_ticket_require(store, self->ticket, self->shared->assets[draw(self, ASSETS)], NULL);
	lrd_ticket_seal(store, self->ticket);
	if (self->held[at] != 0 && draw(self, 4) == 0)
	{
		lrd_ticket_wait(store, self->ticket);
	}
}

static void hold_and_scope(actor *self, uint32_t at)
{
	lrd_store *store = self->shared->kit.store;
	switch (draw(self, 6))
	{
	case 0: lrd_hold_reset(&self->hold, store, self->shared->assets[at]); return;
	case 1: lrd_hold_renew(&self->hold); return;
	case 2: lrd_scope_retain(self->scope, self->shared->assets[at]); return;
	case 3:
		lrd_scope_cancel(self->scope);
		lrd_scope_renew(self->scope);
		return;
	case 4: lrd_scope_release_all(self->scope); return;
	default: lrd_hold_end(&self->hold);
	}
}

static void step(actor *self)
{
	shared_state *shared = self->shared;
	lrd_store *store = shared->kit.store;
	uint32_t at = draw(self, ASSETS);
	uint32_t what = draw(self, 100);
	if (what < 25)
	{
		take_one(self, at, what < 3);
	}
	else if (what < 50)
	{
		give_one(self, at);
	}
	else if (what < 75)
	{
		atomic_fetch_add(&shared->looks, self->held[at] != 0 && look(store, shared->assets[at], names[at].kind));
	}
	else if (what < 82)
	{
		for (uint32_t i = 0; i < self->held[at]; i++)
		{
			lrd_asset_renew(store, shared->assets[at], &self->seen[at][i]);
		}
	}
	else if (what < 87)
	{
		change_something(self, at);
	}
	else if (what < 90)
	{
		use_ticket(self, at);
	}
	else if (what < 94)
	{
		hold_and_scope(self, at);
	}
	else if (what < 97)
	{
		come_and_go(self);
	}
	else if (self->pinned[at] == 0)
	{
		self->pinned[at] += lrd_pin(store, shared->assets[at]);
	}
	else
	{
		self->pinned[at] -= lrd_unpin(store, shared->assets[at]);
	}
}

static void act(void *user)
{
	actor *self = user;
	while (!atomic_load(&self->shared->stop))
	{
		step(self);
		atomic_fetch_add(&self->shared->steps, 1);
	}
	for (uint32_t at = 0; at < ASSETS; at++)
	{
		while (self->held[at] != 0)
		{
			give_one(self, at);
		}
		if (self->pinned[at] != 0)
		{
			assert_true(lrd_unpin(self->shared->kit.store, self->shared->assets[at]));
		}
	}
	lrd_scope_destroy(self->scope);
	lrd_hold_end(&self->hold);
	lrd_ticket_close(self->shared->kit.store, self->ticket);
}

static void ignore_event(void *user, const lrd_event *event)
{
	(void)event;
	(*(uint64_t *)user)++;
}

static void open_shared(shared_state *shared, lrd_job_pool *pool)
{
	failing_allocator_init(&shared->kit.memory, -1);
	kit_add_usual(&shared->kit.files);
	kit_add_texture(&shared->overlay, "nowhere.ktx2");
	kit_add_blob(&shared->overlay, "a.bin", 500);
	(void)kit_mount_desc(&shared->overlay);
	shared->kit.interface = lrd_job_pool_jobs(pool);
	lrd_store_desc desc = kit_desc(&shared->kit);
	desc.log.user = NULL; // several threads have something to say
	desc.keep_parked = 10000;
	shared->kit.store = lrd_store_open(&desc, NULL);
	assert_non_null(shared->kit.store);
	lrd_mount_desc mount = kit_mount_desc(&shared->kit.files);
	assert_true(lrd_store_mount(shared->kit.store, &mount, &shared->kit.mount, NULL));
	for (uint32_t i = 0; i < ASSETS; i++)
	{
		shared->assets[i] = kit_find(&shared->kit, names[i].kind, names[i].stem);
	}
}

static void n_threads_retaining_releasing_reloading_and_unmounting_at_random_for_minutes(void **state)
{
	(void)state;
	static shared_state shared;
	lrd_job_pool *pool = lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = 2 }, NULL);
	open_shared(&shared, pool);
	uint64_t events = 0;
	lrd_listener listener;
	const lrd_listener_desc listen = { .on_event = ignore_event, .user = &events };
	assert_true(lrd_store_listen(shared.kit.store, &listen, &listener, NULL));
	static actor actors[THREADS];
	for (uint32_t i = 0; i < THREADS; i++)
	{
		actors[i] = (actor){ .shared = &shared, .seed = 0x9E3779B97F4A7C15u * (i + 1) };
		actors[i].scope = lrd_scope_create(shared.kit.store, NULL, NULL);
		actors[i].thread = lrd_thread_start(act, &actors[i], 0, (lrd_allocator){ 0 }, NULL);
		assert_non_null(actors[i].thread);
	}
	uint64_t seconds = getenv("LARDER_TEST_LONG") != NULL ? 60 : 5;
	lrd_hold model = { 0 };
	for (uint64_t end = lrd_clock_ns() + seconds * 1000000000u; lrd_clock_ns() < end;)
	{
		lrd_store_update(shared.kit.store);
		lrd_hold_reset(&model, shared.kit.store, shared.assets[0]);
		look_through(shared.kit.store, shared.assets[0]);
	}
	lrd_hold_end(&model);
	atomic_store(&shared.stop, true);
	for (uint32_t i = 0; i < THREADS; i++)
	{
		lrd_thread_join(actors[i].thread);
	}
	lrd_store_update(shared.kit.store);
	lrd_store_keep_parked(shared.kit.store, 0);
	lrd_store_stats stats = kit_stats(&shared.kit);
	print_message(
		"%llu steps, %llu payloads read, %llu events, %llu loads, %llu failures, %llu cancelled, %llu stale, %llu "
		"evicted, %llu resurrected\n",
		(unsigned long long)shared.steps, (unsigned long long)shared.looks, (unsigned long long)events,
		(unsigned long long)stats.loads, (unsigned long long)stats.failures, (unsigned long long)stats.cancelled,
		(unsigned long long)stats.stale, (unsigned long long)stats.evicted, (unsigned long long)stats.resurrected);
	assert_int_equal(lrd_store_close(shared.kit.store), 0);
	lrd_job_pool_destroy(pool);
	assert_int_equal(atomic_load(&shared.kit.memory.bytes_out), 0);
	assert_true(shared.looks > 0 && stats.stale > 0 && stats.cancelled > 0 && stats.resurrected > 0);
	kit_files_free(&shared.kit.files);
	kit_files_free(&shared.overlay);
}

typedef struct forgetful
{
	lrd_store *store;
	_Atomic lrd_asset asset; ///< one that is known, or was just now
	atomic_bool stop;
	atomic_ullong known;
} forgetful;

// Without a reference, and mostly without the lock.
static void ask(void *user)
{
	forgetful *self = user;
	while (!atomic_load(&self->stop))
	{
		lrd_asset asset = atomic_load(&self->asset);
		uint32_t generation = lrd_asset_generation(self->store, asset);
		lrd_kind kind = lrd_asset_kind(self->store, asset);
		lrd_string stem = lrd_asset_stem(self->store, asset);
		atomic_fetch_add(&self->known, generation == 0 && kind == LRD_BLOB && stem.size != 0);
		lrd_asset_put(self->store, asset, (lrd_bytes){ "", 0 }, NULL);
	}
}

static void an_asset_may_be_forgotten_while_others_ask_about_it(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	static forgetful self;
	self.store = kit.store;
	atomic_store(&self.asset, kit_find(&kit, LRD_BLOB, "0.bin"));
	lrd_thread *thread = lrd_thread_start(ask, &self, 0, (lrd_allocator){ 0 }, NULL);
	assert_non_null(thread);
	for (int i = 1; i < 20000; i++)
	{
		if (i == 10000) // recording must not look at what went, either
		{
			assert_true(lrd_trace_begin(kit.store, "/dev/null", NULL));
		}
		char stem[16];
		snprintf(stem, sizeof stem, "%d.bin", i);
		lrd_asset last = atomic_load(&self.asset);
		atomic_store(&self.asset, kit_find(&kit, LRD_BLOB, stem));
		assert_true(lrd_asset_forget(kit.store, last));
	}
	while (atomic_load(&self.known) == 0) // it begins late, perhaps
	{
	}
	atomic_store(&self.stop, true);
	lrd_thread_join(thread);
	kit_close(&kit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(n_threads_retaining_releasing_reloading_and_unmounting_at_random_for_minutes),
		cmocka_unit_test(an_asset_may_be_forgotten_while_others_ask_about_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
