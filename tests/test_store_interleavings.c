// The store itself, on one thread, in every order of calls of two or three actors: jobs run by hand, and in the middle of a
// decode, where it calls the allocator without the store's lock, the others go on. A material and the texture that it names.
// An order is cut short where it comes into a state that was seen before. LARDER_TEST_LONG: all triples of programs.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models/call_world.h"

// --- Steps ---

static bool can_go_on(const world *self, uint32_t actor)
{
	const program *acts = self->programs[actor];
	bool over = acts == NULL || self->at[actor] == STEPS || acts->steps[self->at[actor]] == NULL;
	return !over && !(acts->waits && self->decode != NULL);
}

static bool can_work(const world *self)
{
	uint32_t decodes = 0;
	for (const decode *at = self->decode; at != NULL; at = at->outer)
	{
		decodes++;
	}
	return self->kit.store->queue.count != 0 && decodes < DECODES;
}

static void act(world *self, uint32_t actor)
{
	bool ran = self->runs;
	self->runs = false;
	self->programs[actor]->steps[self->at[actor]++](self, actor);
	read_everything(self);
	self->runs = ran;
	check_references(self);
}

static void go_on(world *self, bool in_decode);

// A load as a worker runs it, but for the scheduler: whether its turn is up would depend on the time.
static void work(world *self)
{
	lrd_store *store = self->kit.store;
	lrd_aftermath aftermath = { 0 };
	bool ran = self->runs;
	lrd_store_enter(store);
	decode now = { self->decode, lrd_load_take(store, NULL), 0 };
	lrd_store_leave(store, &aftermath);
	self->decode = &now;
	go_on(self, true);
	self->runs = true;
	lrd_load_run(store, now.request);
	self->runs = ran;
	self->decode = now.outer;
	read_everything(self);
	check_references(self);
}

// The others' steps, until they are done, or the decode goes on.
static void go_on(world *self, bool in_decode)
{
	for (;;)
	{
		uint32_t ways[ACTORS + 2];
		uint32_t count = 0;
		if (in_decode)
		{
			ways[count++] = ACTORS + 1;
		}
		if (can_work(self))
		{
			ways[count++] = ACTORS;
		}
		for (uint32_t i = 0; i < ACTORS; i++)
		{
			if (can_go_on(self, i))
			{
				ways[count++] = i;
			}
		}
		if (count == 0)
		{
			return;
		}
		uint32_t way = ways[count > 1 ? choose(self, count) : 0];
		if (way == ACTORS + 1)
		{
			return;
		}
		if (way == ACTORS)
		{
			work(self);
		}
		else
		{
			act(self, way);
		}
	}
}

// The payload, and the list of what it names, are allocated without the lock.
static void *explore_resize(void *user, void *block, size_t old_size, size_t new_size)
{
	world *self = user;
	if (self->runs && old_size == 0 && new_size != 0)
	{
		const lrd_record *record = lrd_record_at(self->kit.store, self->decode->request->record);
		size_t payload_size = sizeof(lrd_payload) + lrd_kind_row_of((lrd_kind)record->kind)->view_size;
		bool is_payload = self->decode->allocations == 0 && new_size == payload_size;
		bool is_list =
			self->decode->allocations == 1 && record->kind == LRD_MATERIAL && new_size % sizeof(lrd_dependency) == 0;
		if (is_payload || is_list)
		{
			self->decode->allocations++;
			self->runs = false;
			go_on(self, true);
			self->runs = true;
		}
	}
	return self->memory.resize(self->memory.user, block, old_size, new_size);
}

// --- Programs ---

static void retain_asset(world *self, uint32_t actor, lrd_asset asset)
{
	assert_true(lrd_retain(self->kit.store, asset));
	self->held[actor] = asset;
}

static void retain_material(world *self, uint32_t actor)
{
	retain_asset(self, actor, material_of(self));
}

static void retain_texture(world *self, uint32_t actor)
{
	retain_asset(self, actor, texture_of(self));
}

static void retain_material_now(world *self, uint32_t actor)
{
	lrd_asset asset = material_of(self);
	if (lrd_retain_now(self->kit.store, asset, NULL))
	{
		self->held[actor] = asset;
		assert_true(lrd_asset_has(self->kit.store, asset));
	}
}

// This thread is the owner's: it reads what is named as well.
static void read_material(world *self, uint32_t actor)
{
	if (self->held[actor].generation != 0)
	{
		const lrd_material *material = lrd_material_get(self->kit.store, self->held[actor]);
		self->material[actor] = material;
		self->through[actor] =
			material != NULL ? lrd_texture_get(self->kit.store, material->textures[LRD_SLOT_BASE_COLOR]) : NULL;
	}
}

static void read_held_texture(world *self, uint32_t actor)
{
	self->texture[actor] = lrd_texture_get(self->kit.store, self->held[actor]);
}

static void give_back(world *self, uint32_t actor)
{
	if (self->held[actor].generation != 0)
	{
		lrd_asset asset = self->held[actor];
		self->held[actor] = (lrd_asset){ 0 };
		stop_reading(self, actor);
		assert_true(lrd_release(self->kit.store, asset));
	}
}

static void note_told(void *user, const lrd_ticket_event *event)
{
	ticket_told *told = user;
	told->times++;
	assert_int_equal(event->ticket.index, told->ticket.index);
	assert_int_equal(event->ticket.generation, told->ticket.generation);
	assert_true(told->sealed && event->progress.complete);
	assert_int_equal(event->progress.arrived, event->progress.required);
}

static void open_ticket(world *self, uint32_t actor)
{
	ticket_told *told = &self->tickets[actor];
	const lrd_ticket_desc desc = { .on_event = note_told, .user = told };
	told->ticket = lrd_ticket_open(self->kit.store, &desc, NULL);
	assert_true(lrd_ticket_require(self->kit.store, told->ticket, material_of(self), NULL));
	assert_true(lrd_ticket_require(self->kit.store, told->ticket, texture_of(self), NULL));
}

static void seal_ticket(world *self, uint32_t actor)
{
	self->tickets[actor].sealed = true;
	assert_true(lrd_ticket_seal(self->kit.store, self->tickets[actor].ticket));
}

static void close_ticket(world *self, uint32_t actor)
{
	assert_true(lrd_ticket_close(self->kit.store, self->tickets[actor].ticket));
	self->tickets[actor] = (ticket_told){ .times = 1 }; // whatever comes now is one too many
}

static void change_material(world *self, uint32_t actor)
{
	(void)actor;
	lrd_store_changed(self->kit.store, LRD_MATERIAL, lrd_string_from(material_stem));
}

static void change_texture(world *self, uint32_t actor)
{
	(void)actor;
	lrd_store_changed(self->kit.store, LRD_TEXTURE, lrd_string_from(texture_stem));
}

static void put_texture(world *self, uint32_t actor)
{
	(void)actor;
	lrd_bytes bytes = { self->other.contents[0].data, self->other.contents[0].size };
	assert_true(lrd_asset_put(self->kit.store, texture_of(self), bytes, NULL));
}

static void put_bad_texture(world *self, uint32_t actor)
{
	(void)actor;
	assert_true(lrd_asset_put(self->kit.store, texture_of(self), kit_bytes(&self->kit, "bad.ktx2"), NULL));
}

static void take_texture_away(world *self, uint32_t actor)
{
	(void)actor;
	assert_true(lrd_asset_put(self->kit.store, texture_of(self), (lrd_bytes){ 0 }, NULL));
}

// What tickets require that was cancelled, or is on its way.
static uint32_t count_required(const lrd_store *store, bool was_cancelled)
{
	uint32_t count = 0;
	const lrd_ticket_table *table = store->tickets;
	for (size_t i = 0; table != NULL && i < table->count; i++)
	{
		const lrd_ticket_row *row = table->rows[i];
		for (uint32_t at = 0; row->open && !row->told.complete && at < row->required; at++)
		{
			const lrd_requirement *requirement = lrd_ticket_requirement(row, at);
			const lrd_record *record = lrd_record_of(store, requirement->asset);
			bool loads = record != NULL && record->request != NULL;
			bool cancelled = requirement->arrived && requirement->outcome == LRD_OUTCOME_CANCELLED;
			count += was_cancelled ? cancelled : loads && !requirement->arrived;
		}
	}
	return count;
}

static void unload_all(world *self, uint32_t actor)
{
	(void)actor;
	uint32_t cancelled = count_required(self->kit.store, true);
	uint32_t in_flight = count_required(self->kit.store, false);
	lrd_store_unload_all(self->kit.store);
	assert_int_equal(count_required(self->kit.store, true), cancelled + in_flight);
}

static void mount(world *self, uint32_t actor)
{
	(void)actor;
	if (!self->mounted)
	{
		const lrd_mount_desc desc = kit_mount_desc(&self->kit.files);
		assert_true(lrd_store_mount(self->kit.store, &desc, &self->kit.mount, NULL));
		self->mounted = true;
		self->mounts++;
	}
}

static void unmount(world *self, uint32_t actor)
{
	(void)actor;
	assert_true(lrd_store_unmount(self->kit.store, self->kit.mount));
	self->mounted = false;
}

static void pin_texture(world *self, uint32_t actor)
{
	self->pinned[actor] = texture_of(self);
	assert_true(lrd_pin(self->kit.store, self->pinned[actor]));
}

static void unpin_texture(world *self, uint32_t actor)
{
	lrd_asset asset = self->pinned[actor];
	self->pinned[actor] = (lrd_asset){ 0 };
	assert_true(lrd_unpin(self->kit.store, asset));
}

static void forget_texture(world *self, uint32_t actor)
{
	(void)actor;
	lrd_asset_forget(self->kit.store, texture_of(self));
}

static void forget_material(world *self, uint32_t actor)
{
	(void)actor;
	lrd_asset_forget(self->kit.store, material_of(self));
}

static void find_another(world *self, uint32_t actor)
{
	(void)actor;
	kit_find(&self->kit, LRD_BLOB, "a.bin");
}

static void keep_parked(world *self, uint32_t actor)
{
	(void)actor;
	lrd_store_keep_parked(self->kit.store, 1 << 20);
}

static void keep_nothing(world *self, uint32_t actor)
{
	(void)actor;
	lrd_store_keep_parked(self->kit.store, 0);
}

static void update(world *self, uint32_t actor)
{
	(void)actor;
	memset(self->through, 0, sizeof self->through);
	lrd_store_update(self->kit.store);
}

static void take_hold(world *self, uint32_t actor)
{
	lrd_hold *hold = &self->holds[actor];
	assert_true(lrd_hold_take(hold, self->kit.store, texture_of(self)));
	self->texture[actor] = lrd_texture_get(self->kit.store, hold->asset);
}

static void renew_hold(world *self, uint32_t actor)
{
	if (lrd_hold_renew(&self->holds[actor]))
	{
		self->texture[actor] = lrd_texture_get(self->kit.store, self->holds[actor].asset);
	}
}

static void end_hold(world *self, uint32_t actor)
{
	stop_reading(self, actor);
	lrd_hold_end(&self->holds[actor]);
}

static const program programs[] = {
	{ "a material is held", { retain_material, read_material, give_back }, false },
	{ "a texture is held", { retain_texture, read_held_texture, give_back }, false },
	{ "a texture is put", { put_texture }, false },
	{ "everything is unloaded", { unload_all }, false },
	{ "a ticket is waited for", { open_ticket, seal_ticket, update }, false },
	{ "names are forgotten", { forget_texture, find_another, forget_material }, false },
	{ "a material is held now", { retain_material_now, read_material, give_back }, true },
	{ "a ticket is closed", { open_ticket, seal_ticket, close_ticket }, false },
	{ "a material changes", { change_material, change_material }, false },
	{ "a texture changes", { change_texture, update }, false },
	{ "a bad texture is put", { put_bad_texture, take_texture_away }, false },
	{ "what is mounted comes and goes", { unmount, mount }, false },
	{ "a texture is pinned", { pin_texture, unpin_texture }, false },
	{ "a budget comes and goes", { keep_parked, keep_nothing }, false },
	{ "frames pass", { update, update }, false },
	{ "a hold is renewed", { take_hold, renew_hold, end_hold }, false },
};
#define PROGRAMS (sizeof programs / sizeof *programs)
#define PROGRAMS_SHORT 10

// --- Orders ---

static void count_event(void *user, const lrd_event *event)
{
	world *self = user;
	assert_true(event->flags != 0);
	assert_true(lrd_asset_is_valid(self->kit.store, event->asset));
	self->events++;
}

static void open_world(world *self, bool parks, bool texture_first)
{
	failing_allocator_init(&self->kit.memory, -1);
	self->memory = failing_allocator_get(&self->kit.memory);
	self->kit.jobs = (kit_jobs){ .workers = 1, .refuse = true };
	self->kit.interface = (lrd_jobs){ kit_submit, kit_wait, kit_worker_count, &self->kit.jobs };
	lrd_store_desc desc = kit_desc(&self->kit);
	desc.allocator = (lrd_allocator){ explore_resize, self };
	desc.keep_parked = parks ? 1 << 20 : 0;
	self->kit.store = lrd_store_open(&desc, NULL);
	assert_non_null(self->kit.store);
	atomic_store(&self->kit.files.releases, 0);
	self->mounts = 0;
	mount(self, 0);
	lrd_listener listener;
	const lrd_listener_desc listen = { .on_event = count_event, .user = self };
	assert_true(lrd_store_listen(self->kit.store, &listen, &listener, NULL));
	// What goes through all records comes to one or the other first.
	(void)(texture_first ? texture_of(self) : material_of(self));
}

static void work_all(world *self)
{
	while (can_work(self))
	{
		work(self);
	}
	update(self, 0);
}

static void check_content(const lrd_store *store, lrd_asset texture)
{
	uint64_t size = lrd_mounts_size(&store->mounts, LRD_TEXTURE, lrd_string_from(texture_stem));
	const lrd_payload *payload = lrd_record_payload(lrd_record_at(store, texture.index));
	bool failed = lrd_rest_at(store, texture.index)->failure != NULL;
	assert_true(failed || (payload != NULL && payload->content.bytes.size == size));
}

// Everybody who still waits gets an answer, everything is released, and nothing is left.
static void close_world(world *self)
{
	lrd_store *store = self->kit.store;
	mount(self, 0);
	const lrd_asset assets[] = { material_of(self), texture_of(self) };
	for (int i = 0; i < 2; i++)
	{
		assert_true(lrd_retain(store, assets[i]));
		self->closing++;
	}
	work_all(self);
	check_content(store, assets[1]);
	for (uint32_t i = 0; i < ACTORS; i++)
	{
		ticket_told *told = &self->tickets[i];
		assert_int_equal(told->times, told->ticket.generation != 0 || told->times != 0);
		assert_true(told->ticket.generation == 0 || lrd_ticket_close(store, told->ticket));
	}
	for (int i = 0; i < 2; i++)
	{
		assert_true(lrd_release(store, assets[i]));
		self->closing--;
	}
	check_references(self);
	lrd_store_keep_parked(store, 0);
	lrd_store_update(store);
	assert_int_equal(kit_resident(&self->kit), 0);
	assert_int_equal(kit_stats(&self->kit).refused, 0);
	assert_int_equal(lrd_store_close(store), 0);
	assert_int_equal(atomic_load(&self->kit.memory.bytes_out), 0);
	assert_int_equal(atomic_load(&self->kit.files.releases), self->mounts);
	self->mounted = false;
	memset(self->at, 0, sizeof self->at);
	memset(self->tickets, 0, sizeof self->tickets);
}

/// How things stand when the actors begin.
typedef enum beginning
{
	BEGIN_EMPTY,
	BEGIN_LOADED, ///< the first actor's material is there, and stays
	BEGIN_PARKED,
	BEGINNINGS,
} beginning;

static void run_order(world *self, beginning begin)
{
	open_world(self, begin == BEGIN_PARKED, begin == BEGIN_EMPTY);
	bool cuts = self->pruned;
	self->pruned = true; // no choices yet
	if (begin != BEGIN_EMPTY)
	{
		assert_true(lrd_hold_take(&self->keeper, self->kit.store, material_of(self)));
		work_all(self);
	}
	if (begin == BEGIN_PARKED)
	{
		lrd_hold_end(&self->keeper);
	}
	self->pruned = cuts;
	go_on(self, false);
	self->pruned = true;
	lrd_hold_end(&self->keeper);
	close_world(self);
}

static void explore(world *self, const program *a, const program *b, const program *c)
{
	self->programs[0] = a;
	self->programs[1] = b;
	self->programs[2] = c;
	for (beginning begin = BEGIN_EMPTY; begin < BEGINNINGS; begin++)
	{
		self->seen_count = 0;
		if (self->seen != NULL)
		{
			memset(self->seen, 0, self->seen_capacity * sizeof *self->seen);
		}
		self->count = self->next = 0;
		do
		{
			self->pruned = false;
			run_order(self, begin);
			self->orders++;
		} while (next_order(self));
	}
}

static void begin_exploring(world *self)
{
	memset(self, 0, sizeof *self);
	kit_add_usual(&self->kit.files);
	lrd_texture_view view = sample_texture((texture_shape){ LRD_TEXTURE_RGBA8_SRGB, 16, 16, 0, 0, 1, 1 });
	assert_true(lrd_texture_write(&view, kit_add(&self->other, "albedo.ktx2"), NULL));
	sample_texture_free(&view);
}

static void end_exploring(world *self, const char *what)
{
	print_message(
		"%s: %llu orders, %llu states\n", what, (unsigned long long)self->orders, (unsigned long long)self->states);
	free(self->seen);
	kit_files_free(&self->kit.files);
	kit_files_free(&self->other);
}

// One of the two would unmount what is not mounted.
static bool mounts_twice(size_t a, size_t b)
{
	return a == b && programs[a].steps[0] == unmount;
}

static void no_order_of_the_calls_of_two_breaks_the_store(void **state)
{
	(void)state;
	static world self;
	begin_exploring(&self);
	for (size_t a = 0; a < PROGRAMS; a++)
	{
		for (size_t b = a; b < PROGRAMS; b++)
		{
			if (!mounts_twice(a, b))
			{
				explore(&self, &programs[a], &programs[b], NULL);
			}
		}
	}
	end_exploring(&self, "pairs");
}

static void no_order_of_the_calls_of_three_breaks_the_store(void **state)
{
	(void)state;
	static world self;
	begin_exploring(&self);
	bool all = getenv("LARDER_TEST_LONG") != NULL;
	size_t count = all ? PROGRAMS : PROGRAMS_SHORT;
	for (size_t a = 0; a < count; a++)
	{
		for (size_t b = all ? a : a + 1; b < count; b++)
		{
			for (size_t c = all ? b : b + 1; c < count; c++)
			{
				if (!mounts_twice(a, b) && !mounts_twice(b, c))
				{
					explore(&self, &programs[a], &programs[b], &programs[c]);
				}
			}
		}
	}
	end_exploring(&self, "triples");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_order_of_the_calls_of_two_breaks_the_store),
		cmocka_unit_test(no_order_of_the_calls_of_three_breaks_the_store),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
