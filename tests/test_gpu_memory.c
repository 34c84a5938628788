// Memory that runs out: with every allocation of the residents failing in turn, alone or with all after it, calls fail cleanly or are
// tried again, nothing leaks, no count is off, and with memory again everything comes.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures/gpu_kit.h"

#define ALLOCATIONS_MAX 2000

typedef struct asked
{
	uint32_t stone, sky, packed;
	lrd_mesh_handle grid, made;
	uint32_t red;
	uint32_t references;
} asked;

static bool fill(void *user, void *destination)
{
	(void)user;
	memset(destination, 5, 100);
	return true;
}

static const lrd_geometry_desc geometry = {
	.key = 1, .layout = { .lod_count = 1 }, .size = 100, .dynamic = true, .fill = fill
};

// Whatever was not had is asked for again.
static void ask(gpu_kit *kit, asked *self)
{
	lrd_residents *residents = kit->residents;
	store_kit *store = &kit->store;
	uint32_t *const slots[] = { &self->stone, &self->sky, &self->packed };
	static const char *const stems[] = { "stone", "sky", "packed" };
	for (uint32_t i = 0; i < 3; i++)
	{
		if (*slots[i] == LRD_GPU_NO_SLOT)
		{
			lrd_error error = { 0 };
			*slots[i] =
				lrd_residents_retain_texture(residents, kit_find(store, LRD_TEXTURE, stems[i]), LRD_ROLE_COLOR, &error);
			assert_true(*slots[i] != LRD_GPU_NO_SLOT || error.code == LRD_ERROR_MEMORY);
			self->references += *slots[i] != LRD_GPU_NO_SLOT;
		}
	}
	if (self->grid.generation == 0)
	{
		self->grid = lrd_residents_retain_mesh(residents, kit_find(store, LRD_MESH, "grid"), NULL);
		self->references += self->grid.generation != 0;
	}
	if (self->made.generation == 0)
	{
		self->made = lrd_residents_retain_geometry(residents, &geometry, NULL);
		self->references += self->made.generation != 0;
	}
	if (self->red == LRD_GPU_NO_SLOT)
	{
		self->red = lrd_residents_retain_material(residents, kit_find(store, LRD_MATERIAL, "red"), NULL);
		self->references += self->red != LRD_GPU_NO_SLOT;
	}
}

static void run_frames(gpu_kit *kit, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
	{
		gpu_kit_frame(kit);
		gpu_kit_check(kit);
	}
}

// What happens while memory may run out.
static void go_through(gpu_kit *kit, asked *self)
{
	const uint8_t data[80] = { 0 };
	ask(kit, self);
	run_frames(kit, 8);
	if (self->stone != LRD_GPU_NO_SLOT)
	{
		(void)lrd_residents_set_first_level(kit->residents, self->stone, 0);
		(void)lrd_residents_add_user(kit->residents, &(lrd_user_desc){ LRD_CHANGE_TEXTURE, self->stone, 1 });
	}
	if (self->made.generation != 0)
	{
		(void)lrd_residents_write_geometry(kit->residents, self->made, 60, data, sizeof data, NULL, 0);
	}
	gpu_kit_put(kit, LRD_TEXTURE, "sky", "moss.ktx2");
	run_frames(kit, 8);
	if (self->grid.generation != 0)
	{
		lrd_residents_release_mesh(kit->residents, self->grid);
		self->references--;
		self->grid = (lrd_mesh_handle){ 0 };
	}
	run_frames(kit, 2);
}

static bool no_bc7(void *user, uint32_t format)
{
	(void)user;
	return format != LRD_TEXTURE_BC7_UNORM;
}

static void open_kit(gpu_kit *kit)
{
	gpu_kit_open_device(kit, &(lrd_gpu_null_desc){ .delay = 1, .has_format = no_bc7 });
	lrd_texture_view view = sample_texture((texture_shape){ LRD_TEXTURE_BC7_UNORM, 16, 16, 0, 0, 1, 5 });
	lrd_buffer file = { 0 };
	assert_true(lrd_texture_write_zstd(&view, 3, &file, NULL));
	assert_true(lrd_asset_put(
		kit->store.store, kit_find(&kit->store, LRD_TEXTURE, "packed"), (lrd_bytes){ file.data, file.size }, NULL));
	sample_texture_free(&view);
	lrd_buffer_free(&file);
}

// Failures of a worker's allocations fail its texture for good, until it is loaded anew.
static void mend(gpu_kit *kit, const asked *self)
{
	const uint32_t slots[] = { self->stone, self->sky, self->packed };
	for (uint32_t i = 0; i < 3; i++)
	{
		lrd_resident_texture texture = gpu_kit_texture(kit, slots[i]);
		if (texture.failed)
		{
			lrd_store_changed(kit->store.store, LRD_TEXTURE, lrd_asset_stem(kit->store.store, texture.asset));
		}
	}
}

static void check_all(const gpu_kit *kit, const asked *self)
{
	gpu_kit_check_texture(kit, self->sky, "moss.ktx2", gpu_kit_texture(kit, self->sky).first_level);
	gpu_kit_check_texture(kit, self->stone, "stone.ktx2", gpu_kit_texture(kit, self->stone).first_level);
	assert_int_not_equal(gpu_kit_texture(kit, self->packed).object, 0);
	assert_int_not_equal(lrd_residents_get_mesh(kit->residents, self->grid)->object, 0);
	assert_int_not_equal(lrd_residents_get_mesh(kit->residents, self->made)->object, 0);
	assert_true(lrd_residents_get_material(kit->residents, self->red)->ready);
	lrd_residents_stats stats = gpu_kit_stats(kit);
	assert_int_equal(stats.queued_bytes + stats.flying_bytes + stats.retired, 0);
}

// Returns whether anything failed.
static bool try_with(long long succeed, bool of_store)
{
	gpu_kit kit;
	open_kit(&kit);
	lrd_residents_desc desc = gpu_kit_desc(&kit);
	desc.tail_levels = 2;
	gpu_kit_open_residents(&kit, &desc);
	asked self = {
		.stone = LRD_GPU_NO_SLOT, .sky = LRD_GPU_NO_SLOT, .packed = LRD_GPU_NO_SLOT, .red = LRD_GPU_NO_SLOT
	};
	failing_allocator *memory = of_store ? &kit.store.memory : &kit.memory;
	if (of_store) // identities are there: finding them is not what is tried
	{
		ask(&kit, &self);
		run_frames(&kit, 2);
	}
	atomic_store(&memory->countdown, succeed);
	if (of_store)
	{
		lrd_store_unload_all(kit.store.store);
		run_frames(&kit, 8);
	}
	else
	{
		go_through(&kit, &self);
	}
	bool failed = atomic_load(&memory->countdown) == 0;
	atomic_store(&memory->countdown, -1);
	if (of_store)
	{
		gpu_kit_put(&kit, LRD_TEXTURE, "sky", "moss.ktx2");
	}
	ask(&kit, &self);
	mend(&kit, &self);
	run_frames(&kit, 24);
	mend(&kit, &self);
	run_frames(&kit, 24);
	check_all(&kit, &self);
	gpu_kit_close(&kit, self.references);
	return failed;
}

static void with_any_allocation_failing_everything_comes_when_there_is_memory_again(void **state)
{
	(void)state;
	long long succeed = 0;
	while (try_with(succeed, false))
	{
		succeed++;
		assert_true(succeed < ALLOCATIONS_MAX);
	}
	assert_true(succeed > 20);
}

static void with_any_allocation_of_the_store_failing_everything_comes_when_there_is_memory_again(void **state)
{
	(void)state;
	long long succeed = 0;
	while (try_with(succeed, true))
	{
		succeed++;
		assert_true(succeed < ALLOCATIONS_MAX);
	}
	assert_true(succeed > 5);
}

static void residents_that_can_not_be_made_leave_nothing_behind(void **state)
{
	(void)state;
	gpu_kit kit;
	open_kit(&kit);
	long long succeed = 0;
	for (lrd_residents *made = NULL; made == NULL; succeed++)
	{
		lrd_error error = { 0 };
		lrd_residents_desc desc = gpu_kit_desc(&kit);
		atomic_store(&kit.memory.countdown, succeed);
		made = lrd_residents_create(kit.store.store, &kit.gpu, &desc, &error);
		atomic_store(&kit.memory.countdown, -1);
		assert_true(made != NULL || error.code == LRD_ERROR_MEMORY);
		kit.residents = made;
		if (made == NULL)
		{
			assert_int_equal(atomic_load(&kit.memory.bytes_out), 0);
			assert_int_equal(gpu_kit_device(&kit).memory_used, 0);
			assert_int_equal(gpu_kit_device(&kit).misuses, 0);
		}
	}
	assert_true(succeed > 5);
	gpu_kit_close(&kit, 0);
}

static void residents_on_a_device_that_fails_leave_nothing_behind(void **state)
{
	(void)state;
	static const lrd_error_code codes[] = { LRD_ERROR_MEMORY, LRD_ERROR_IO };
	for (uint32_t after = 0; after < 2 * LRD_ROLE_COUNT; after++)
	{
		for (uint32_t i = 0; i < 2; i++)
		{
			gpu_kit kit;
			open_kit(&kit);
			lrd_residents_desc desc = gpu_kit_desc(&kit);
			lrd_error error = { 0 };
			lrd_gpu_null_fail(kit.device, after, 1, codes[i]);
			assert_null(lrd_residents_create(kit.store.store, &kit.gpu, &desc, &error));
			assert_true(error.message[0] != '\0');
			assert_int_equal(atomic_load(&kit.memory.bytes_out), 0);
			assert_int_equal(gpu_kit_device(&kit).memory_used, 0);
			gpu_kit_close_device(&kit);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(with_any_allocation_failing_everything_comes_when_there_is_memory_again),
		cmocka_unit_test(with_any_allocation_of_the_store_failing_everything_comes_when_there_is_memory_again),
		cmocka_unit_test(residents_that_can_not_be_made_leave_nothing_behind),
		cmocka_unit_test(residents_on_a_device_that_fails_leave_nothing_behind),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
