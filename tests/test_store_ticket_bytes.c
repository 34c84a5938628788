// A ticket's bytes: what a progress bar shows never goes over its end, counts each file once, and arrives.

#include "fixtures/store_ticket.h"
#include "store/store.h"

static void check_bytes(store_kit *kit, lrd_ticket ticket, uint64_t done, uint64_t total)
{
	lrd_ticket_progress progress = progress_of(kit, ticket);
	assert_int_equal(progress.bytes_total, total);
	assert_int_equal(progress.bytes_done, done);
}

static void the_total_of_files_is_known_before_they_are_read_and_does_not_change(void **state)
{
	store_kit *kit = *state;
	lrd_asset a = kit_put_blob(kit, "a", 1000);
	lrd_asset b = kit_put_blob(kit, "b", 30);
	lrd_asset there = kit_put_held_blob(kit, "there", 7);
	kit_frame(kit);
	lrd_ticket ticket = lrd_ticket_open(kit->store, NULL, NULL);
	require(kit, ticket, a);
	require(kit, ticket, b);
	require(kit, ticket, there);
	lrd_store_update(kit->store);
	check_bytes(kit, ticket, 7, 1037); // sealed or not
	assert_true(lrd_ticket_seal(kit->store, ticket));
	lrd_retain(kit->store, b);
	kit_frame(kit);
	check_bytes(kit, ticket, 37, 1037);
	lrd_retain(kit->store, a);
	kit_frame(kit);
	check_bytes(kit, ticket, 1037, 1037);
	assert_true(progress_of(kit, ticket).complete);
	lrd_release(kit->store, a);
	lrd_release(kit->store, b);
	lrd_release(kit->store, there);
	assert_true(lrd_ticket_close(kit->store, ticket));
}

static void what_two_materials_share_counts_once(void **state)
{
	store_kit *kit = *state;
	uint64_t texture = kit_put_texture(kit, "shared", 64);
	size_t first_size, second_size;
	lrd_asset first = kit_put_material(kit, "first", "shared", "shared", &first_size);
	lrd_asset second = kit_put_material(kit, "second", "shared", NULL, &second_size);
	lrd_asset shared = kit_find(kit, LRD_TEXTURE, "shared");
	lrd_ticket ticket = lrd_ticket_open(kit->store, NULL, NULL);
	require(kit, ticket, first);
	require(kit, ticket, second);
	lrd_store_update(kit->store);
	check_bytes(kit, ticket, 0, first_size + second_size); // what they name is not known yet
	lrd_retain(kit->store, first);
	lrd_retain(kit->store, second);
	kit_frame(kit);
	check_bytes(kit, ticket, first_size + second_size + texture, first_size + second_size + texture);
	require(kit, ticket, shared);
	lrd_store_update(kit->store);
	check_bytes(kit, ticket, first_size + second_size + texture, first_size + second_size + texture);
	lrd_release(kit->store, first);
	lrd_release(kit->store, second);
	assert_true(lrd_ticket_close(kit->store, ticket));
}

// Whatever happens, a bar that shows done of total never shrinks below 0 or grows over its end; and it moves while a
// material waits for its second texture.
static void what_is_named_counts_by_itself_before_whoever_names_it_has_arrived(void **state)
{
	store_kit *kit = *state;
	uint64_t base = kit_put_texture(kit, "base", 16);
	uint64_t normal = kit_put_texture(kit, "normal", 200);
	size_t size;
	lrd_asset material = kit_put_material(kit, "material", "base", "normal", &size);
	lrd_asset textures[2] = { kit_find(kit, LRD_TEXTURE, "base"), kit_find(kit, LRD_TEXTURE, "normal") };
	lrd_ticket ticket = lrd_ticket_open(kit->store, NULL, NULL);
	require(kit, ticket, material);
	assert_true(lrd_ticket_seal(kit->store, ticket));
	lrd_retain(kit->store, material);
	lrd_store_update(kit->store);
	check_bytes(kit, ticket, 0, size);
	// One load at a time: the material, then what it names.
	for (int step = 0; step < 3; step++)
	{
		lrd_request *request = lrd_load_take(kit->store, NULL);
		assert_non_null(request);
		lrd_load_run(kit->store, request);
		lrd_store_update(kit->store);
		lrd_store_update(kit->store);
		lrd_ticket_progress progress = progress_of(kit, ticket);
		assert_true(progress.bytes_done <= progress.bytes_total);
		uint64_t named =
			(lrd_asset_has(kit->store, textures[0]) ? base : 0) + (lrd_asset_has(kit->store, textures[1]) ? normal : 0);
		check_bytes(kit, ticket, step == 2 ? size + base + normal : named, size + base + normal);
		assert_int_equal(progress.complete, step == 2);
	}
	lrd_release(kit->store, material);
	assert_true(lrd_ticket_close(kit->store, ticket));
}

static void failed_and_cancelled_files_count_as_done(void **state)
{
	store_kit *kit = *state;
	lrd_asset damaged = kit_find(kit, LRD_MESH, "damaged");
	kit_put(kit, damaged, "not a mesh", 10);
	lrd_asset missing = kit_find(kit, LRD_MESH, "missing");
	lrd_asset cancelled = kit_put_held_blob(kit, "cancelled", 100);
	lrd_retain(kit->store, damaged);
	lrd_retain(kit->store, missing);
	lrd_ticket ticket = lrd_ticket_open(kit->store, NULL, NULL);
	require(kit, ticket, damaged);
	require(kit, ticket, missing);
	require(kit, ticket, cancelled);
	assert_true(lrd_ticket_seal(kit->store, ticket));
	lrd_release(kit->store, cancelled);
	kit_frame(kit);
	check_bytes(kit, ticket, 110, 110);
	assert_true(progress_of(kit, ticket).complete);
	lrd_release(kit->store, damaged);
	lrd_release(kit->store, missing);
	assert_true(lrd_ticket_close(kit->store, ticket));
}

static void what_is_loaded_anew_is_not_done_though_others_that_arrived_name_it(void **state)
{
	store_kit *kit = *state;
	uint64_t texture = kit_put_texture(kit, "base", 16);
	size_t size;
	lrd_asset material = kit_put_material(kit, "material", "base", NULL, &size);
	lrd_asset base = kit_find(kit, LRD_TEXTURE, "base");
	lrd_retain(kit->store, material);
	kit_frame(kit);
	lrd_ticket ticket = lrd_ticket_open(kit->store, NULL, NULL);
	require(kit, ticket, material);
	require(kit, ticket, base);
	lrd_store_update(kit->store);
	check_bytes(kit, ticket, size + texture, size + texture);
	assert_int_equal(lrd_store_changed(kit->store, LRD_TEXTURE, LRD_STR("base")), 1);
	lrd_store_update(kit->store);
	check_bytes(kit, ticket, size, size + texture);
	kit_frame(kit);
	check_bytes(kit, ticket, size + texture, size + texture);
	lrd_release(kit->store, material);
	assert_true(lrd_ticket_close(kit->store, ticket));
}

static void what_has_arrived_is_done_whatever_becomes_of_what_it_names(void **state)
{
	store_kit *kit = *state;
	uint64_t texture = kit_put_texture(kit, "base", 16);
	size_t size;
	lrd_asset material = kit_put_material(kit, "material", "base", NULL, &size);
	lrd_retain(kit->store, material);
	lrd_ticket ticket = lrd_ticket_open(kit->store, NULL, NULL);
	require(kit, ticket, material);
	kit_frame(kit);
	check_bytes(kit, ticket, size + texture, size + texture);
	assert_int_equal(lrd_store_changed(kit->store, LRD_TEXTURE, LRD_STR("base")), 1);
	assert_true(lrd_ticket_seal(kit->store, ticket));
	lrd_store_update(kit->store);
	assert_true(progress_of(kit, ticket).complete);
	check_bytes(kit, ticket, size + texture, size + texture);
	lrd_release(kit->store, material);
	assert_true(lrd_ticket_close(kit->store, ticket));
}

static void content_that_changed_its_size_on_the_way_counts_with_the_new_one(void **state)
{
	store_kit *kit = *state;
	lrd_asset a = kit_put_blob(kit, "a", 10);
	lrd_ticket ticket = lrd_ticket_open(kit->store, NULL, NULL);
	require(kit, ticket, a);
	lrd_store_update(kit->store);
	check_bytes(kit, ticket, 0, 10);
	kit_put(kit, a, "more than ten bytes", 19);
	lrd_retain(kit->store, a);
	kit_frame(kit);
	check_bytes(kit, ticket, 19, 19);
	kit_put(kit, a, "less", 4);
	lrd_store_update(kit->store);
	check_bytes(kit, ticket, 0, 4);
	kit_frame(kit);
	check_bytes(kit, ticket, 4, 4);
	lrd_release(kit->store, a);
	assert_true(lrd_ticket_close(kit->store, ticket));
}

static void what_is_required_counts_exactly_however_much_it_is(void **state)
{
	store_kit *kit = *state;
	enum
	{
		COUNT = 3000
	};
	static lrd_asset assets[COUNT];
	lrd_ticket ticket = lrd_ticket_open(kit->store, NULL, NULL);
	for (uint32_t i = 0; i < COUNT; i++)
	{
		char stem[16];
		snprintf(stem, sizeof stem, "%u", i);
		assets[i] = kit_put_blob(kit, stem, 2);
		require(kit, ticket, assets[i]);
	}
	assert_true(lrd_ticket_seal(kit->store, ticket));
	for (uint32_t i = 0; i < COUNT; i++)
	{
		lrd_retain(kit->store, assets[i]);
		kit_frame(kit);
		check_bytes(kit, ticket, 2 * ((uint64_t)i + 1), 2 * COUNT);
	}
	assert_true(progress_of(kit, ticket).complete);
	for (uint32_t i = 0; i < COUNT; i++)
	{
		lrd_release(kit->store, assets[i]);
	}
	assert_true(lrd_ticket_close(kit->store, ticket));
}

// Adding up what is named is put off in large tickets: by less than a 256th of the assets, and not when loads have
// stopped.
static void what_is_named_in_large_tickets_lags_behind_by_little_and_catches_up(void **state)
{
	store_kit *kit = *state;
	enum
	{
		COUNT = 1500,
		LAG = 2 * COUNT / 256
	};
	static lrd_asset assets[COUNT];
	size_t size;
	uint64_t texture = 0;
	lrd_ticket ticket = lrd_ticket_open(kit->store, NULL, NULL);
	for (uint32_t i = 0; i < COUNT; i++)
	{
		char stem[16];
		snprintf(stem, sizeof stem, "%05u", i);
		texture = kit_put_texture(kit, stem, 16);
		assets[i] = kit_put_material(kit, stem, stem, NULL, &size);
		require(kit, ticket, assets[i]);
	}
	assert_true(lrd_ticket_seal(kit->store, ticket));
	lrd_store_update(kit->store);
	check_bytes(kit, ticket, 0, COUNT * (uint64_t)size);
	for (uint64_t i = 1; i <= COUNT; i++)
	{
		lrd_retain(kit->store, assets[i - 1]);
		kit_frame(kit);
		lrd_ticket_progress progress = progress_of(kit, ticket);
		uint64_t named = progress.bytes_done - i * size;
		assert_true(named <= i * texture);
		assert_true(named + LAG * texture >= i * texture);
		assert_int_equal(progress.bytes_total - progress.bytes_done, (COUNT - i) * size); // what is named is all there
		if (i % 100 == 0)
		{
			lrd_store_update(kit->store); // nothing ended since the last one
			check_bytes(kit, ticket, i * (size + texture), COUNT * size + i * texture);
		}
	}
	assert_true(progress_of(kit, ticket).complete);
	check_bytes(kit, ticket, COUNT * (size + texture), COUNT * (size + texture));
	for (uint32_t i = 0; i < COUNT; i++)
	{
		lrd_release(kit->store, assets[i]);
	}
	assert_true(lrd_ticket_close(kit->store, ticket));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		KIT_TEST(the_total_of_files_is_known_before_they_are_read_and_does_not_change),
		KIT_TEST(what_two_materials_share_counts_once),
		KIT_TEST(what_is_named_counts_by_itself_before_whoever_names_it_has_arrived),
		KIT_TEST(failed_and_cancelled_files_count_as_done),
		KIT_TEST(what_is_loaded_anew_is_not_done_though_others_that_arrived_name_it),
		KIT_TEST(what_has_arrived_is_done_whatever_becomes_of_what_it_names),
		KIT_TEST(content_that_changed_its_size_on_the_way_counts_with_the_new_one),
		KIT_TEST(what_is_required_counts_exactly_however_much_it_is),
		KIT_TEST(what_is_named_in_large_tickets_lags_behind_by_little_and_catches_up),
	};
	return cmocka_run_group_tests_name("store: a ticket's bytes", tests, NULL, NULL);
}
