// The device in plain memory: that it keeps what is copied, is as slow and as small as told, and notices what a GPU would not survive.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "larder/gpu.h"
#include "os/os.h"

static const lrd_gpu_texture_desc small_texture = { .format = LRD_TEXTURE_RGBA8_UNORM,
	.width = 4,
	.height = 4,
	.depth = 1,
	.layer_count = 1,
	.face_count = 1,
	.level_count = 2 };

typedef struct null_kit
{
	failing_allocator memory;
	lrd_gpu_null *device;
	lrd_gpu gpu;
} null_kit;

static void open_kit(null_kit *kit, lrd_gpu_null_desc desc)
{
	failing_allocator_init(&kit->memory, -1);
	desc.allocator = failing_allocator_get(&kit->memory);
	desc.staging_size = desc.staging_size != 0 ? desc.staging_size : 4096;
	desc.texture_slots = desc.texture_slots != 0 ? desc.texture_slots : 8;
	kit->device = lrd_gpu_null_create(&desc, NULL);
	assert_non_null(kit->device);
	kit->gpu = lrd_gpu_null_interface(kit->device);
}

static void close_kit(null_kit *kit)
{
	lrd_gpu_null_destroy(kit->device);
	assert_int_equal(atomic_load(&kit->memory.bytes_out), 0);
}

static lrd_gpu_null_stats stats_of(const null_kit *kit)
{
	lrd_gpu_null_stats stats;
	lrd_gpu_null_get_stats(kit->device, &stats);
	return stats;
}

static void copy_level(const null_kit *kit, lrd_gpu_object texture, uint32_t level, uint8_t value, uint64_t size)
{
	lrd_gpu_staging staging;
	assert_true(kit->gpu.stage(kit->gpu.user, size, &staging));
	memset(staging.data, value, (size_t)size);
	kit->gpu.copy_texture(kit->gpu.user,
		&(lrd_gpu_texture_copy){ .texture = texture, .level = level, .offset = staging.offset, .size = size });
}

static lrd_gpu_object make_texture(const null_kit *kit)
{
	lrd_gpu_object texture = kit->gpu.create_texture(kit->gpu.user, &small_texture, NULL);
	assert_int_not_equal(texture, 0);
	copy_level(kit, texture, 0, 7, 64);
	copy_level(kit, texture, 1, 9, 16);
	return texture;
}

static void what_is_copied_can_be_read_back(void **state)
{
	(void)state;
	null_kit kit;
	open_kit(&kit, (lrd_gpu_null_desc){ 0 });
	lrd_gpu_object texture = make_texture(&kit);
	lrd_gpu_object mesh = kit.gpu.create_mesh(kit.gpu.user, &(lrd_gpu_mesh_desc){ .size = 32 }, NULL);
	lrd_gpu_staging staging;
	assert_true(kit.gpu.stage(kit.gpu.user, 8, &staging));
	memset(staging.data, 3, 8);
	kit.gpu.copy_mesh(kit.gpu.user, &(lrd_gpu_mesh_copy){ mesh, 24, staging.offset, 8 });
	uint64_t value = kit.gpu.submit(kit.gpu.user);
	assert_true(kit.gpu.completed(kit.gpu.user) >= value);
	uint64_t size = 0;
	lrd_gpu_texture_desc desc;
	const uint8_t *level = lrd_gpu_null_texture(kit.device, texture, 1, &size, &desc);
	assert_int_equal(size, 16);
	assert_int_equal(level[15], 9);
	assert_int_equal(desc.width, 4);
	const uint8_t *bytes = lrd_gpu_null_mesh(kit.device, mesh, &size);
	assert_int_equal(size, 32);
	assert_int_equal(bytes[24], 3);
	kit.gpu.bind_texture(kit.gpu.user, 3, texture);
	assert_int_equal(lrd_gpu_null_bound(kit.device, 3), texture);
	assert_int_equal(stats_of(&kit).memory_used, 80 + 32);
	assert_int_equal(stats_of(&kit).misuses, 0);
	close_kit(&kit);
}

static void a_submit_is_done_after_as_many_polls_as_asked_for(void **state)
{
	(void)state;
	null_kit kit;
	open_kit(&kit, (lrd_gpu_null_desc){ .delay = 2 });
	make_texture(&kit);
	uint64_t first = kit.gpu.submit(kit.gpu.user);
	assert_true(kit.gpu.completed(kit.gpu.user) < first);
	uint64_t second = kit.gpu.submit(kit.gpu.user);
	assert_true(kit.gpu.completed(kit.gpu.user) < first);
	assert_int_equal(kit.gpu.completed(kit.gpu.user), first);
	assert_int_equal(kit.gpu.completed(kit.gpu.user), second);
	close_kit(&kit);
}

static void copies_take_the_time_that_their_bytes_need(void **state)
{
	(void)state;
	null_kit kit;
	open_kit(&kit, (lrd_gpu_null_desc){ .bandwidth = 8000 }); // 80 bytes take 10 ms
	uint64_t begun = lrd_clock_ns();
	make_texture(&kit);
	uint64_t value = kit.gpu.submit(kit.gpu.user);
	while (kit.gpu.completed(kit.gpu.user) < value)
	{
	}
	assert_true(lrd_clock_ns() - begun >= 10000000u);
	close_kit(&kit);
}

static void staging_memory_comes_back_when_its_copies_are_done(void **state)
{
	(void)state;
	null_kit kit;
	open_kit(&kit, (lrd_gpu_null_desc){ .staging_size = 128, .delay = 1 });
	lrd_gpu_staging staging;
	assert_true(kit.gpu.stage(kit.gpu.user, 100, &staging));
	assert_int_equal(staging.offset % 16, 0);
	assert_false(kit.gpu.stage(kit.gpu.user, 32, &staging));
	kit.gpu.submit(kit.gpu.user);
	assert_false(kit.gpu.stage(kit.gpu.user, 32, &staging));
	kit.gpu.completed(kit.gpu.user);
	kit.gpu.completed(kit.gpu.user);
	assert_true(kit.gpu.stage(kit.gpu.user, 32, &staging));
	assert_int_equal(stats_of(&kit).misuses, 0);
	assert_false(kit.gpu.stage(kit.gpu.user, 129, &staging)); // more than there is at all
	assert_int_equal(stats_of(&kit).misuses, 1);
	close_kit(&kit);
}

static void staging_memory_is_a_ring_that_is_given_out_whole(void **state)
{
	(void)state;
	null_kit kit;
	open_kit(&kit, (lrd_gpu_null_desc){ .staging_size = 128 });
	lrd_gpu_object mesh = kit.gpu.create_mesh(kit.gpu.user, &(lrd_gpu_mesh_desc){ .size = 128 }, NULL);
	for (uint64_t size = 16; size <= 128; size += 16)
	{
		for (uint32_t turn = 0; turn < 9; turn++)
		{
			lrd_gpu_staging staging;
			assert_true(kit.gpu.stage(kit.gpu.user, size, &staging));
			assert_true(staging.offset + size <= 128);
			memset(staging.data, (int)(size + turn), (size_t)size);
			kit.gpu.copy_mesh(kit.gpu.user, &(lrd_gpu_mesh_copy){ mesh, 0, staging.offset, size });
			kit.gpu.submit(kit.gpu.user);
			kit.gpu.completed(kit.gpu.user);
			uint64_t whole;
			const uint8_t *bytes = lrd_gpu_null_mesh(kit.device, mesh, &whole);
			assert_int_equal(bytes[size - 1], (uint8_t)(size + turn));
		}
	}
	assert_int_equal(stats_of(&kit).misuses, 0);
	close_kit(&kit);
}

static void memory_runs_out_where_it_was_told_to(void **state)
{
	(void)state;
	null_kit kit;
	lrd_error error = { 0 };
	open_kit(&kit, (lrd_gpu_null_desc){ .memory = 100 });
	lrd_gpu_object texture = kit.gpu.create_texture(kit.gpu.user, &small_texture, &error);
	assert_int_not_equal(texture, 0);
	assert_int_equal(kit.gpu.create_texture(kit.gpu.user, &small_texture, &error), 0);
	assert_int_equal(error.code, LRD_ERROR_MEMORY);
	kit.gpu.destroy_texture(kit.gpu.user, texture);
	assert_int_not_equal(kit.gpu.create_texture(kit.gpu.user, &small_texture, &error), 0);
	lrd_gpu_caps caps;
	lrd_gpu_null_set_budget(kit.device, 90);
	kit.gpu.get_caps(kit.gpu.user, &caps);
	assert_int_equal(caps.memory_budget, 90);
	assert_int_equal(caps.memory_used, 80);
	assert_int_equal(stats_of(&kit).misuses, 0);
	close_kit(&kit);
}

static void calls_fail_when_they_were_told_to(void **state)
{
	(void)state;
	null_kit kit;
	lrd_error error = { 0 };
	open_kit(&kit, (lrd_gpu_null_desc){ 0 });
	lrd_gpu_null_fail(kit.device, 1, 1, LRD_ERROR_MEMORY);
	lrd_gpu_object first = kit.gpu.create_texture(kit.gpu.user, &small_texture, &error);
	assert_int_not_equal(first, 0);
	assert_int_equal(kit.gpu.create_texture(kit.gpu.user, &small_texture, &error), 0);
	assert_int_equal(error.code, LRD_ERROR_MEMORY);
	assert_int_not_equal(kit.gpu.create_texture(kit.gpu.user, &small_texture, &error), 0);
	lrd_gpu_null_fail(kit.device, 0, 1, LRD_ERROR_IO);
	assert_int_equal(kit.gpu.submit(kit.gpu.user), 0);
	assert_true(kit.gpu.completed(kit.gpu.user) == UINT64_MAX);
	assert_int_equal(kit.gpu.create_texture(kit.gpu.user, &small_texture, &error), 0);
	assert_int_equal(error.code, LRD_ERROR_IO);
	assert_int_equal(stats_of(&kit).misuses, 0);
	close_kit(&kit);
}

static void destroying_twice_is_noticed(void **state)
{
	(void)state;
	null_kit kit;
	open_kit(&kit, (lrd_gpu_null_desc){ 0 });
	lrd_gpu_object texture = kit.gpu.create_texture(kit.gpu.user, &small_texture, NULL);
	kit.gpu.destroy_texture(kit.gpu.user, texture);
	assert_int_equal(stats_of(&kit).misuses, 0);
	kit.gpu.destroy_texture(kit.gpu.user, texture);
	assert_int_equal(stats_of(&kit).misuses, 1);
	kit.gpu.destroy_mesh(kit.gpu.user, kit.gpu.create_texture(kit.gpu.user, &small_texture, NULL));
	assert_int_equal(stats_of(&kit).misuses, 2);
	close_kit(&kit);
}

static void using_what_is_destroyed_is_noticed_though_its_place_is_taken_again(void **state)
{
	(void)state;
	null_kit kit;
	open_kit(&kit, (lrd_gpu_null_desc){ 0 });
	lrd_gpu_object texture = kit.gpu.create_texture(kit.gpu.user, &small_texture, NULL);
	kit.gpu.destroy_texture(kit.gpu.user, texture);
	assert_int_not_equal(kit.gpu.create_texture(kit.gpu.user, &small_texture, NULL), texture);
	copy_level(&kit, texture, 0, 1, 64);
	assert_int_equal(stats_of(&kit).misuses, 1);
	kit.gpu.bind_texture(kit.gpu.user, 0, texture);
	assert_int_equal(stats_of(&kit).misuses, 2);
	assert_null(lrd_gpu_null_texture(kit.device, texture, 0, &(uint64_t){ 0 }, NULL));
	close_kit(&kit);
}

static void destroying_what_is_bound_or_being_copied_to_is_noticed(void **state)
{
	(void)state;
	null_kit kit;
	open_kit(&kit, (lrd_gpu_null_desc){ .delay = 1 });
	lrd_gpu_object texture = make_texture(&kit);
	kit.gpu.destroy_texture(kit.gpu.user, texture);
	assert_int_equal(stats_of(&kit).misuses, 1);
	kit.gpu.submit(kit.gpu.user);
	kit.gpu.completed(kit.gpu.user);
	kit.gpu.completed(kit.gpu.user);
	kit.gpu.bind_texture(kit.gpu.user, 0, texture);
	kit.gpu.destroy_texture(kit.gpu.user, texture);
	assert_int_equal(stats_of(&kit).misuses, 2);
	kit.gpu.bind_texture(kit.gpu.user, 0, 0);
	kit.gpu.destroy_texture(kit.gpu.user, texture);
	assert_int_equal(stats_of(&kit).misuses, 2);
	close_kit(&kit);
}

static void binding_before_the_copies_are_done_is_noticed(void **state)
{
	(void)state;
	null_kit kit;
	open_kit(&kit, (lrd_gpu_null_desc){ .delay = 1 });
	lrd_gpu_object texture = kit.gpu.create_texture(kit.gpu.user, &small_texture, NULL);
	copy_level(&kit, texture, 0, 1, 64);
	kit.gpu.submit(kit.gpu.user);
	kit.gpu.completed(kit.gpu.user);
	kit.gpu.bind_texture(kit.gpu.user, 0, texture);
	assert_int_equal(stats_of(&kit).misuses, 1);
	kit.gpu.completed(kit.gpu.user);
	kit.gpu.bind_texture(kit.gpu.user, 0, texture); // level 1 was never copied
	assert_int_equal(stats_of(&kit).misuses, 2);
	copy_level(&kit, texture, 1, 1, 16);
	kit.gpu.submit(kit.gpu.user);
	kit.gpu.completed(kit.gpu.user);
	kit.gpu.completed(kit.gpu.user);
	kit.gpu.bind_texture(kit.gpu.user, 0, texture);
	assert_int_equal(stats_of(&kit).misuses, 2);
	close_kit(&kit);
}

static void copies_out_of_bounds_are_noticed_and_not_made(void **state)
{
	(void)state;
	null_kit kit;
	open_kit(&kit, (lrd_gpu_null_desc){ 0 });
	lrd_gpu_object texture = kit.gpu.create_texture(kit.gpu.user, &small_texture, NULL);
	lrd_gpu_object mesh = kit.gpu.create_mesh(kit.gpu.user, &(lrd_gpu_mesh_desc){ .size = 32 }, NULL);
	lrd_gpu_staging staging;
	assert_true(kit.gpu.stage(kit.gpu.user, 64, &staging));
	kit.gpu.copy_texture(
		kit.gpu.user, &(lrd_gpu_texture_copy){ .texture = texture, .level = 2, .offset = 0, .size = 4 });
	kit.gpu.copy_texture(
		kit.gpu.user, &(lrd_gpu_texture_copy){ .texture = texture, .level = 0, .offset = 0, .size = 63 });
	kit.gpu.copy_texture(
		kit.gpu.user, &(lrd_gpu_texture_copy){ .texture = texture, .level = 0, .offset = 4096 - 32, .size = 64 });
	kit.gpu.copy_texture(kit.gpu.user, &(lrd_gpu_texture_copy){ .texture = mesh, .level = 0, .offset = 0, .size = 32 });
	kit.gpu.copy_mesh(kit.gpu.user, &(lrd_gpu_mesh_copy){ mesh, 30, 0, 4 });
	kit.gpu.copy_mesh(kit.gpu.user, &(lrd_gpu_mesh_copy){ mesh, UINT64_MAX, 0, 4 });
	kit.gpu.copy_mesh(kit.gpu.user, &(lrd_gpu_mesh_copy){ texture, 0, 0, 4 });
	assert_int_equal(stats_of(&kit).misuses, 7);
	assert_int_equal(stats_of(&kit).copies, 0);
	close_kit(&kit);
}

static void copy_rows(const null_kit *kit, lrd_gpu_object texture, uint32_t level, uint32_t row, uint32_t rows)
{
	lrd_gpu_staging staging;
	uint64_t size = rows * (16u >> level);
	assert_true(kit->gpu.stage(kit->gpu.user, size, &staging));
	memset(staging.data, (int)row + 1, (size_t)size);
	kit->gpu.copy_texture(kit->gpu.user, &(lrd_gpu_texture_copy){ .texture = texture,
											 .level = level,
											 .offset = staging.offset,
											 .size = size,
											 .slice_count = 1,
											 .row = row,
											 .row_count = rows });
}

static void a_level_comes_in_bands_one_behind_another(void **state)
{
	(void)state;
	null_kit kit;
	open_kit(&kit, (lrd_gpu_null_desc){ 0 });
	lrd_gpu_object texture = kit.gpu.create_texture(kit.gpu.user, &small_texture, NULL);
	copy_level(&kit, texture, 1, 9, 16);
	copy_rows(&kit, texture, 0, 0, 1);
	copy_rows(&kit, texture, 0, 1, 2);
	kit.gpu.submit(kit.gpu.user);
	kit.gpu.completed(kit.gpu.user);
	assert_int_equal(stats_of(&kit).misuses, 0);
	kit.gpu.bind_texture(kit.gpu.user, 0, texture); // its last row is to come
	assert_int_equal(stats_of(&kit).misuses, 1);
	copy_rows(&kit, texture, 0, 1, 1);
	copy_rows(&kit, texture, 0, 0, 1);
	copy_rows(&kit, texture, 0, 3, 2);
	copy_rows(&kit, texture, 1, 0, 1);
	copy_level(&kit, texture, 0, 1, 64);
	assert_int_equal(stats_of(&kit).misuses, 6);
	copy_rows(&kit, texture, 0, 3, 1);
	kit.gpu.submit(kit.gpu.user);
	kit.gpu.completed(kit.gpu.user);
	kit.gpu.bind_texture(kit.gpu.user, 0, texture);
	assert_int_equal(stats_of(&kit).misuses, 6);
	uint64_t size = 0;
	const uint8_t *level = lrd_gpu_null_texture(kit.device, texture, 0, &size, NULL);
	const uint8_t rows[4] = { 1, 2, 2, 4 };
	for (uint32_t i = 0; i < 64; i++)
	{
		assert_int_equal(level[i], rows[i / 16]);
	}
	close_kit(&kit);
}

static void copying_from_memory_that_was_not_staged_is_noticed(void **state)
{
	(void)state;
	null_kit kit;
	open_kit(&kit, (lrd_gpu_null_desc){ 0 });
	lrd_gpu_object texture = kit.gpu.create_texture(kit.gpu.user, &small_texture, NULL);
	lrd_gpu_staging staging;
	assert_true(kit.gpu.stage(kit.gpu.user, 64, &staging));
	kit.gpu.submit(kit.gpu.user); // it had to be copied from before that
	kit.gpu.copy_texture(
		kit.gpu.user, &(lrd_gpu_texture_copy){ .texture = texture, .level = 0, .offset = staging.offset, .size = 64 });
	assert_int_equal(stats_of(&kit).misuses, 1);
	close_kit(&kit);
}

static void what_the_device_can_not_have_is_refused(void **state)
{
	(void)state;
	null_kit kit;
	lrd_error error = { 0 };
	open_kit(&kit, (lrd_gpu_null_desc){ .max_texture_size = 8 });
	lrd_gpu_texture_desc desc = small_texture;
	desc.width = 9;
	assert_int_equal(kit.gpu.create_texture(kit.gpu.user, &desc, &error), 0);
	assert_int_equal(error.code, LRD_ERROR_LIMIT);
	desc = small_texture;
	desc.format = 12345;
	assert_int_equal(kit.gpu.create_texture(kit.gpu.user, &desc, &error), 0);
	assert_int_equal(error.code, LRD_ERROR_UNSUPPORTED);
	kit.gpu.bind_texture(kit.gpu.user, 8, 0);
	assert_int_equal(kit.gpu.create_mesh(kit.gpu.user, &(lrd_gpu_mesh_desc){ 0 }, &error), 0);
	assert_int_equal(stats_of(&kit).misuses, 4);
	close_kit(&kit);
}

static void a_texture_without_texels_and_one_beyond_every_limit_are_refused(void **state)
{
	(void)state;
	null_kit kit;
	lrd_error error = { 0 };
	open_kit(&kit, (lrd_gpu_null_desc){ 0 });
	lrd_gpu_texture_desc bad[8];
	for (size_t i = 0; i < 8; i++)
	{
		bad[i] = small_texture;
	}
	bad[0].width = bad[1].height = bad[2].depth = bad[3].layer_count = bad[4].face_count = 0;
	bad[5].face_count = 2;
	bad[6].depth = bad[7].layer_count = UINT32_MAX;
	for (size_t i = 0; i < 8; i++)
	{
		assert_int_equal(kit.gpu.create_texture(kit.gpu.user, &bad[i], &error), 0);
		assert_int_equal(error.code, LRD_ERROR_LIMIT);
		assert_int_equal(stats_of(&kit).misuses, i + 1);
	}
	close_kit(&kit);
}

static void without_memory_of_its_own_it_says_so(void **state)
{
	(void)state;
	for (long long succeed = 0; succeed < 3; succeed++)
	{
		failing_allocator memory;
		failing_allocator_init(&memory, succeed);
		lrd_error error = { 0 };
		const lrd_gpu_null_desc desc = { .staging_size = 1024, .allocator = failing_allocator_get(&memory) };
		assert_null(lrd_gpu_null_create(&desc, &error));
		assert_int_equal(error.code, LRD_ERROR_MEMORY);
		assert_int_equal(atomic_load(&memory.bytes_out), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_copied_can_be_read_back),
		cmocka_unit_test(a_submit_is_done_after_as_many_polls_as_asked_for),
		cmocka_unit_test(copies_take_the_time_that_their_bytes_need),
		cmocka_unit_test(staging_memory_comes_back_when_its_copies_are_done),
		cmocka_unit_test(staging_memory_is_a_ring_that_is_given_out_whole),
		cmocka_unit_test(memory_runs_out_where_it_was_told_to),
		cmocka_unit_test(calls_fail_when_they_were_told_to),
		cmocka_unit_test(destroying_twice_is_noticed),
		cmocka_unit_test(using_what_is_destroyed_is_noticed_though_its_place_is_taken_again),
		cmocka_unit_test(destroying_what_is_bound_or_being_copied_to_is_noticed),
		cmocka_unit_test(binding_before_the_copies_are_done_is_noticed),
		cmocka_unit_test(copies_out_of_bounds_are_noticed_and_not_made),
		cmocka_unit_test(a_level_comes_in_bands_one_behind_another),
		cmocka_unit_test(copying_from_memory_that_was_not_staged_is_noticed),
		cmocka_unit_test(what_the_device_can_not_have_is_refused),
		cmocka_unit_test(a_texture_without_texels_and_one_beyond_every_limit_are_refused),
		cmocka_unit_test(without_memory_of_its_own_it_says_so),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
