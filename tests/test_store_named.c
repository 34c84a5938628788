// What a payload names, and what becomes of that while nobody holds it: forgotten, changed, evicted. And loads that are given
// up and wanted again. Found by tests/models.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/store_kit.h"
#include "store/store.h"

static void a_parked_material_whose_texture_was_forgotten_is_loaded_anew(void **state)
{
	(void)state;
	store_kit kit;
	kit_open_with(&kit, 1 << 20);
	lrd_asset blue = kit_load(&kit, LRD_MATERIAL, "blue");
	lrd_asset albedo = kit_find(&kit, LRD_TEXTURE, "albedo");
	assert_true(lrd_release(kit.store, blue));
	assert_true(lrd_asset_forget(kit.store, albedo));
	lrd_asset other = kit_find(&kit, LRD_BLOB, "a.bin"); // in the texture's place
	assert_int_equal(other.index, albedo.index);
	assert_true(lrd_retain(kit.store, blue));
	assert_false(lrd_asset_has(kit.store, blue));
	kit_run(&kit.jobs);
	assert_int_equal(lrd_asset_state(kit.store, other), LRD_ABSENT);
	const lrd_material *material = lrd_material_get(kit.store, blue);
	assert_non_null(material);
	assert_non_null(lrd_texture_get(kit.store, material->textures[LRD_SLOT_BASE_COLOR]));
	assert_true(lrd_release(kit.store, blue));
	kit_close(&kit);
}

static void a_parked_model_does_not_come_back_without_a_texture_that_changed(void **state)
{
	(void)state;
	store_kit kit;
	kit_open_with(&kit, 1 << 20);
	lrd_asset model = kit_load(&kit, LRD_MODEL, "n");
	lrd_asset blue = kit_find(&kit, LRD_MATERIAL, "blue");
	assert_true(lrd_release(kit.store, model));
	lrd_store_changed(kit.store, LRD_TEXTURE, LRD_STR("albedo"));
	assert_true(lrd_retain(kit.store, model));
	assert_false(lrd_asset_has(kit.store, model)); // it would be there without its material's texture
	kit_run(&kit.jobs);
	assert_true(lrd_asset_has(kit.store, model) && lrd_asset_has(kit.store, blue));
	assert_true(lrd_asset_has(kit.store, kit_find(&kit, LRD_TEXTURE, "albedo")));
	assert_true(lrd_release(kit.store, model));
	kit_close(&kit);
}

static void a_parked_material_does_not_come_back_without_a_texture_that_is_over_the_budget(void **state)
{
	(void)state;
	store_kit kit;
	kit_open(&kit);
	lrd_texture_view view = sample_texture((texture_shape){ LRD_TEXTURE_RGBA8_SRGB, 64, 64, 0, 0, 1, 1 });
	lrd_buffer large = { 0 };
	assert_true(lrd_texture_write(&view, &large, NULL));
	sample_texture_free(&view);
	lrd_asset albedo = kit_find(&kit, LRD_TEXTURE, "albedo");
	assert_true(lrd_asset_put(kit.store, albedo, (lrd_bytes){ large.data, large.size }, NULL));
	lrd_asset blue = kit_load(&kit, LRD_MATERIAL, "blue");
	lrd_store_keep_parked(kit.store, large.size);
	assert_true(lrd_release(kit.store, blue));
	assert_true(lrd_asset_has(kit.store, blue) && !lrd_asset_has(kit.store, albedo));
	assert_true(lrd_retain(kit.store, blue));
	assert_false(lrd_asset_has(kit.store, blue));
	kit_run(&kit.jobs);
	assert_true(lrd_asset_has(kit.store, blue) && lrd_asset_has(kit.store, albedo));
	assert_true(lrd_release(kit.store, blue));
	kit_close(&kit);
	lrd_buffer_free(&large);
}

static void a_parked_material_waits_for_a_texture_that_is_tried_again(void **state)
{
	(void)state;
	store_kit kit;
	kit_open_with(&kit, 1 << 20);
	lrd_asset worn = kit_load(&kit, LRD_MATERIAL, "worn");
	lrd_asset bad = kit_find(&kit, LRD_TEXTURE, "bad");
	assert_int_equal(lrd_asset_state(kit.store, bad), LRD_FAILED);
	assert_true(lrd_release(kit.store, worn));
	assert_true(lrd_asset_put(kit.store, bad, kit_bytes(&kit, "albedo.ktx2"), NULL));
	assert_true(lrd_retain(kit.store, worn));
	assert_false(lrd_asset_has(kit.store, worn));
	kit_run(&kit.jobs);
	assert_true(lrd_asset_has(kit.store, worn) && lrd_asset_has(kit.store, bad));
	assert_true(lrd_release(kit.store, worn));
	kit_close(&kit);
}

// Something is done in the middle of a decode: jobs by hand run on this thread, and the decode calls the allocator without
// the store's lock.
typedef struct meddling
{
	store_kit *kit;
	lrd_allocator memory;
	lrd_asset asset;
	uint32_t countdown; // allocations until then; 0: not armed
	bool done;
} meddling;

static void *meddle_resize(void *user, void *block, size_t old_size, size_t new_size)
{
	meddling *self = user;
	if (self->countdown != 0 && new_size != 0 && --self->countdown == 0)
	{
		self->done = lrd_asset_forget(self->kit->store, self->asset);
		(void)kit_find(self->kit, LRD_BLOB, "c.bin"); // in its place
	}
	return self->memory.resize(self->memory.user, block, old_size, new_size);
}

static void a_material_whose_texture_is_forgotten_during_its_decode_names_it_again(void **state)
{
	(void)state;
	store_kit kit;
	memset(&kit, 0, sizeof kit);
	failing_allocator_init(&kit.memory, -1);
	kit_add_usual(&kit.files);
	kit.jobs.workers = 1;
	kit.interface = (lrd_jobs){ kit_submit, kit_wait, kit_worker_count, &kit.jobs };
	meddling meddle = { .kit = &kit, .memory = failing_allocator_get(&kit.memory) };
	lrd_store_desc desc = kit_desc(&kit);
	desc.allocator = (lrd_allocator){ meddle_resize, &meddle };
	kit.store = lrd_store_open(&desc, NULL);
	lrd_mount_desc mount = kit_mount_desc(&kit.files);
	assert_true(lrd_store_mount(kit.store, &mount, &kit.mount, NULL));
	lrd_asset blue = kit_find(&kit, LRD_MATERIAL, "blue");
	meddle.asset = kit_find(&kit, LRD_TEXTURE, "albedo");
	assert_true(lrd_retain(kit.store, blue));
	meddle.countdown = 2; // the payload, then the list of what it names: the texture has been found by then
	assert_true(kit_run_one(&kit.jobs));
	kit_run(&kit.jobs);
	assert_true(meddle.done);
	lrd_asset albedo = kit_find(&kit, LRD_TEXTURE, "albedo");
	assert_false(lrd_asset_equal(albedo, meddle.asset));
	assert_int_equal(lrd_asset_state(kit.store, blue), LRD_READY);
	assert_int_equal(lrd_asset_state(kit.store, albedo), LRD_READY);
	assert_true(lrd_asset_equal(lrd_material_get(kit.store, blue)->textures[LRD_SLOT_BASE_COLOR], albedo));
	assert_int_equal(lrd_asset_state(kit.store, kit_find(&kit, LRD_BLOB, "c.bin")), LRD_ABSENT);
	assert_true(lrd_release(kit.store, blue));
	kit_close(&kit);
}

typedef struct giving_up
{
	lrd_allocator memory;
	lrd_store *store;
	lrd_asset asset;
	bool armed;
} giving_up;

static void *give_up_resize(void *user, void *block, size_t old_size, size_t new_size)
{
	giving_up *self = user;
	if (self->armed && new_size != 0)
	{
		self->armed = false;
		lrd_release(self->store, self->asset);
		lrd_retain(self->store, self->asset);
		lrd_store_update(self->store); // a ticket that went by the release would be complete now
	}
	return self->memory.resize(self->memory.user, block, old_size, new_size);
}

static void note_told(void *user, const lrd_ticket_event *event)
{
	*(lrd_ticket_progress *)user = event->progress;
}

static void a_load_that_was_given_up_and_is_wanted_again_is_waited_for_again(void **state)
{
	(void)state;
	store_kit kit;
	memset(&kit, 0, sizeof kit);
	failing_allocator_init(&kit.memory, -1);
	kit_add_usual(&kit.files);
	kit.jobs.workers = 1;
	kit.interface = (lrd_jobs){ kit_submit, kit_wait, kit_worker_count, &kit.jobs };
	giving_up meddle = { .memory = failing_allocator_get(&kit.memory) };
	lrd_store_desc desc = kit_desc(&kit);
	desc.allocator = (lrd_allocator){ give_up_resize, &meddle };
	kit.store = meddle.store = lrd_store_open(&desc, NULL);
	lrd_mount_desc mount = kit_mount_desc(&kit.files);
	assert_true(lrd_store_mount(kit.store, &mount, &kit.mount, NULL));
	lrd_ticket_progress told = { 0 };
	lrd_ticket ticket = lrd_ticket_open(kit.store, &(lrd_ticket_desc){ .on_event = note_told, .user = &told }, NULL);
	meddle.asset = kit_find(&kit, LRD_BLOB, "a.bin");
	assert_true(lrd_retain(kit.store, meddle.asset));
	assert_true(lrd_ticket_require(kit.store, ticket, meddle.asset, NULL));
	assert_true(lrd_ticket_seal(kit.store, ticket));
	meddle.armed = true;
	kit_run(&kit.jobs);
	assert_false(meddle.armed);
	assert_false(told.complete);
	lrd_store_update(kit.store);
	assert_true(told.complete);
	assert_int_equal(told.cancelled, 0);
	assert_true(lrd_ticket_close(kit.store, ticket));
	assert_true(lrd_release(kit.store, meddle.asset));
	kit_close(&kit);
}

// Whichever of the two was found first.
static void unload_a_waiting_material(bool texture_first)
{
	store_kit kit;
	kit_open(&kit);
	lrd_asset albedo = texture_first ? kit_find(&kit, LRD_TEXTURE, "albedo") : (lrd_asset){ 0 };
	lrd_asset blue = kit_find(&kit, LRD_MATERIAL, "blue");
	lrd_ticket_progress told = { 0 };
	lrd_ticket ticket = lrd_ticket_open(kit.store, &(lrd_ticket_desc){ .on_event = note_told, .user = &told }, NULL);
	assert_true(lrd_retain(kit.store, blue));
	assert_true(lrd_ticket_require(kit.store, ticket, blue, NULL));
	assert_true(lrd_ticket_seal(kit.store, ticket));
	lrd_aftermath aftermath = { 0 };
	lrd_store_enter(kit.store);
	lrd_request *request = lrd_load_take(kit.store, NULL);
	lrd_store_leave(kit.store, &aftermath);
	lrd_load_run(kit.store, request); // the material is there but for its texture
	albedo = kit_find(&kit, LRD_TEXTURE, "albedo");
	assert_int_equal(lrd_asset_state(kit.store, albedo), LRD_QUEUED);
	lrd_store_unload_all(kit.store);
	lrd_store_update(kit.store);
	assert_true(told.complete);
	assert_int_equal(told.cancelled, 1);
	assert_int_equal(lrd_asset_generation(kit.store, blue), 0); // it was never to be seen
	assert_int_equal(kit_stats(&kit).loads, 0);
	assert_true(lrd_ticket_close(kit.store, ticket));
	assert_true(lrd_release(kit.store, blue));
	kit_close(&kit);
}

static void unload_all_cancels_what_waits_for_what_it_names(void **state)
{
	(void)state;
	unload_a_waiting_material(false);
	unload_a_waiting_material(true);
}

// A decode that takes longer than a worker's turn, and whose asset changes meanwhile: it is queued again, and the scheduler
// refuses to go on. The owner, who waits, has to do it.
typedef struct refusing
{
	store_kit *kit;
	lrd_allocator memory;
	lrd_mutex lock;
	lrd_condition changed;
	bool armed;
	bool decoding;
} refusing;

static void *refuse_resize(void *user, void *block, size_t old_size, size_t new_size)
{
	refusing *self = user;
	if (self->armed && new_size != 0)
	{
		self->armed = false;
		lrd_mutex_lock(&self->lock);
		self->decoding = true;
		lrd_condition_broadcast(&self->changed);
		lrd_mutex_unlock(&self->lock);
		bool waits = false;
		for (uint64_t begin = lrd_clock_ns(); !waits || lrd_clock_ns() - begin < 4000000;)
		{
			lrd_store_enter(self->kit->store);
			waits = self->kit->store->settle_waiters != 0;
			lrd_aftermath aftermath = { 0 };
			lrd_store_leave(self->kit->store, &aftermath);
		}
		lrd_store_changed(self->kit->store, LRD_BLOB, LRD_STR("a.bin"));
		self->kit->jobs.refuse = true;
	}
	return self->memory.resize(self->memory.user, block, old_size, new_size);
}

static void run_jobs(void *user)
{
	kit_run(&((refusing *)user)->kit->jobs);
}

static void the_owner_does_what_a_refusing_scheduler_leaves_undone(void **state)
{
	(void)state;
	store_kit kit;
	memset(&kit, 0, sizeof kit);
	failing_allocator_init(&kit.memory, -1);
	kit_add_usual(&kit.files);
	kit.jobs.workers = 1;
	kit.interface = (lrd_jobs){ kit_submit, kit_wait, kit_worker_count, &kit.jobs };
	refusing self = { .kit = &kit, .memory = failing_allocator_get(&kit.memory) };
	assert_true(lrd_mutex_init(&self.lock) && lrd_condition_init(&self.changed));
	lrd_store_desc desc = kit_desc(&kit);
	desc.allocator = (lrd_allocator){ refuse_resize, &self };
	kit.store = lrd_store_open(&desc, NULL);
	lrd_mount_desc mount = kit_mount_desc(&kit.files);
	assert_true(lrd_store_mount(kit.store, &mount, &kit.mount, NULL));
	lrd_asset a = kit_find(&kit, LRD_BLOB, "a.bin");
	assert_true(lrd_retain(kit.store, a));
	self.armed = true;
	lrd_thread *worker = lrd_thread_start(run_jobs, &self, 0, (lrd_allocator){ 0 }, NULL);
	assert_non_null(worker);
	lrd_mutex_lock(&self.lock);
	while (!self.decoding)
	{
		lrd_condition_wait(&self.changed, &self.lock);
	}
	lrd_mutex_unlock(&self.lock);
	assert_true(lrd_retain_now(kit.store, a, NULL));
	lrd_thread_join(worker);
	assert_int_equal(kit_stats(&kit).stale, 1);
	assert_true(lrd_release(kit.store, a) && lrd_release(kit.store, a));
	kit.jobs.refuse = false;
	kit_close(&kit);
	lrd_condition_destroy(&self.changed);
	lrd_mutex_destroy(&self.lock);
	kit_files_free(&kit.files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_parked_material_whose_texture_was_forgotten_is_loaded_anew),
		cmocka_unit_test(a_parked_model_does_not_come_back_without_a_texture_that_changed),
		cmocka_unit_test(a_parked_material_does_not_come_back_without_a_texture_that_is_over_the_budget),
		cmocka_unit_test(a_parked_material_waits_for_a_texture_that_is_tried_again),
		cmocka_unit_test(a_material_whose_texture_is_forgotten_during_its_decode_names_it_again),
		cmocka_unit_test(a_load_that_was_given_up_and_is_wanted_again_is_waited_for_again),
		cmocka_unit_test(unload_all_cancels_what_waits_for_what_it_names),
		cmocka_unit_test(the_owner_does_what_a_refusing_scheduler_leaves_undone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
