// tests/test_gpu_vulkan_faults.c: Vulkan fails, call by call, and so does memory; the device is lost; there is no driver. Nothing
// leaks, nothing that was there before is gone, and what can be tried again is.

#include "failing_allocator.h"
#include "fixtures/vulkan_hooks.h"
#include "fixtures/vulkan_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const lrd_gpu_texture_desc small = { "small", LRD_TEXTURE_RGBA8_UNORM, 32, 32, 1, 1, 1, 2, false, { 0, 0, 0 } };
static const lrd_gpu_mesh_desc mesh_desc = { "mesh", 5000, false };

static void quiet(void *user, lrd_log_level level, const char *scope, const char *message)
{
	(void)user, (void)level, (void)scope, (void)message;
}

static lrd_vulkan_device *make_device(PFN_vkGetInstanceProcAddr get, lrd_allocator allocator, lrd_error *error)
{
	lrd_vulkan_device_desc desc = {
		.device_name = getenv("LARDER_TEST_VULKAN_DEVICE"),
		.get_instance_proc_addr = get,
		.allocator = allocator,
		.log = { quiet, NULL },
	};
	return lrd_vulkan_device_create(&desc, error);
}

static lrd_gpu_vulkan *make_gpu(lrd_vulkan_device *device, lrd_allocator allocator, lrd_error *error)
{
	lrd_gpu_vulkan_desc desc = {
		.context = lrd_vulkan_device_context(device),
		.staging_size = 1 << 20,
		.block_size = 1 << 20,
		.texture_slots = 256,
		.texture_usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
		.allocator = allocator,
		.log = { quiet, NULL },
	};
	return lrd_gpu_vulkan_create(&desc, error);
}

static bool is_expected(lrd_error_code code, VkResult result)
{
	return result == VK_ERROR_DEVICE_LOST || result == VK_ERROR_INITIALIZATION_FAILED
			   ? code == LRD_ERROR_IO || code == LRD_ERROR_NOT_FOUND
			   : code == LRD_ERROR_MEMORY;
}

static void each_call_that_makes_a_device_fails_in_turn(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	const VkResult results[] = { VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_OUT_OF_DEVICE_MEMORY,
		VK_ERROR_INITIALIZATION_FAILED };
	PFN_vkGetInstanceProcAddr get = vulkan_hooks_start();
	for (size_t r = 0; r < sizeof results / sizeof *results; ++r)
	{
		uint32_t call = 0;
		lrd_vulkan_device *device = NULL;
		while (device == NULL)
		{
			vulkan_hooks_fail(NULL, call++, 1, results[r]);
			lrd_error error = { 0 };
			device = make_device(get, (lrd_allocator){ 0 }, &error);
			assert_int_equal(device == NULL, hooks.failed != NULL);
			if (device == NULL)
			{
				assert_true(is_expected(error.code, results[r]));
				assert_int_equal(hooks.alive, 0);
			}
		}
		lrd_vulkan_device_destroy(device);
		assert_int_equal(hooks.alive, 0);
		assert_true(call > 4);
	}
}

static void each_call_that_makes_the_renderers_side_fails_in_turn(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	const VkResult results[] = { VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_DEVICE_LOST };
	for (int two = 0; two < 2; ++two)
	{
		PFN_vkGetInstanceProcAddr get = vulkan_hooks_start();
		hooks.two_families = two == 1;
		lrd_vulkan_device *device = make_device(get, (lrd_allocator){ 0 }, NULL);
		assert_non_null(device);
		int before = hooks.alive;
		for (size_t r = 0; r < sizeof results / sizeof *results; ++r)
		{
			uint32_t call = 0;
			lrd_gpu_vulkan *gpu = NULL;
			while (gpu == NULL)
			{
				vulkan_hooks_fail(NULL, call++, 1, results[r]);
				lrd_error error = { 0 };
				gpu = make_gpu(device, (lrd_allocator){ 0 }, &error);
				if (gpu == NULL)
				{
					assert_true(is_expected(error.code, results[r]));
					assert_int_equal(hooks.alive, before);
				}
			}
			lrd_gpu_vulkan_destroy(gpu);
			assert_int_equal(hooks.alive, before);
			assert_true(call > 20);
		}
		lrd_vulkan_device_destroy(device);
		assert_int_equal(hooks.alive, 0);
	}
}

/// A renderer's side on hooked functions.
typedef struct scene
{
	lrd_vulkan_device *device;
	vulkan_rig rig; // for reading back
	int before;
} scene;

static void start(scene *s, bool two, lrd_allocator allocator)
{
	PFN_vkGetInstanceProcAddr get = vulkan_hooks_start();
	hooks.two_families = two;
	*s = (scene){ .device = make_device(get, (lrd_allocator){ 0 }, NULL) };
	assert_non_null(s->device);
	s->rig.context = *lrd_vulkan_device_context(s->device);
	s->rig.gpu = make_gpu(s->device, allocator, NULL);
	if (s->rig.gpu != NULL)
	{
		s->rig.table = lrd_gpu_vulkan_interface(s->rig.gpu);
	}
	s->before = hooks.alive;
}

static void stop(scene *s)
{
	vulkan_hooks_fail(NULL, 0, 0, VK_SUCCESS);
	lrd_gpu_vulkan_destroy(s->rig.gpu);
	lrd_vulkan_device_destroy(s->device);
	assert_int_equal(hooks.alive, 0);
}

static void making_textures_and_meshes_fails_call_by_call_and_leaves_nothing(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	scene s;
	start(&s, false, (lrd_allocator){ 0 });
	const lrd_gpu *table = &s.rig.table;
	for (int is_mesh = 0; is_mesh < 2; ++is_mesh)
	{
		lrd_gpu_object object = 0;
		uint32_t failures = 0;
		for (uint32_t call = 0; object == 0; ++call)
		{
			// A block that can't be had is asked for in smaller sizes: all those calls fail.
			vulkan_hooks_fail(NULL, call, 20, VK_ERROR_OUT_OF_DEVICE_MEMORY);
			lrd_error error = { 0 };
			object = is_mesh ? table->create_mesh(table->user, &mesh_desc, &error)
							 : table->create_texture(table->user, &small, &error);
			if (object == 0)
			{
				assert_int_equal(error.code, LRD_ERROR_MEMORY);
				lrd_gpu_vulkan_stats stats;
				lrd_gpu_vulkan_get_stats(s.rig.gpu, &stats);
				assert_int_equal(stats.textures + stats.meshes, (uint32_t)is_mesh);
				assert_false(stats.lost);
				++failures;
			}
		}
		assert_true(failures >= 2);
	}
	stop(&s);
}

static void where_a_whole_block_is_not_to_be_had_a_smaller_one_is_taken(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	scene s;
	start(&s, false, (lrd_allocator){ 0 });
	vulkan_hooks_fail("AllocateMemory", 0, 3, VK_ERROR_OUT_OF_DEVICE_MEMORY);
	assert_int_not_equal(s.rig.table.create_texture(s.rig.table.user, &small, NULL), 0);
	lrd_gpu_vulkan_stats stats;
	lrd_gpu_vulkan_get_stats(s.rig.gpu, &stats);
	assert_int_equal(stats.allocated_bytes, (1 << 20) / 8);
	stop(&s);
}

static void copies_that_fail_for_want_of_memory_are_tried_again(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	const char *const functions[] = { "ResetCommandPool", "BeginCommandBuffer", "EndCommandBuffer", "QueueSubmit",
		"GetSemaphoreCounterValue" };
	for (int two = 0; two < 2; ++two)
	{
		for (size_t f = 0; f < sizeof functions / sizeof *functions; ++f)
		{
			for (uint32_t call = 0; call < 4; ++call)
			{
				scene s;
				start(&s, two == 1, (lrd_allocator){ 0 });
				const lrd_gpu *table = &s.rig.table;
				lrd_gpu_object texture = table->create_texture(table->user, &small, NULL);
				lrd_gpu_object mesh =
					table->create_mesh(table->user, &(lrd_gpu_mesh_desc){ "dynamic", 4096, true }, NULL);
				vulkan_hooks_fail(functions[f], call, 3, VK_ERROR_OUT_OF_HOST_MEMORY);
				assert_true(vulkan_rig_fill(&s.rig, texture, &small, 0, 1));
				lrd_gpu_staging staging;
				assert_true(table->stage(table->user, 4096, &staging));
				memset(staging.data, 9, 4096);
				table->copy_mesh(table->user, &(lrd_gpu_mesh_copy){ mesh, 0, staging.offset, 4096 });
				assert_int_equal(table->submit(table->user), 1);
				assert_true(vulkan_rig_fill(&s.rig, texture, &small, 1, 2));
				assert_int_equal(table->submit(table->user), 2);
				vulkan_rig_wait(&s.rig, 2);
				vulkan_hooks_fail(NULL, 0, 0, VK_SUCCESS);
				vulkan_rig_check(&s.rig, texture, &small, 0, 1);
				vulkan_rig_check(&s.rig, texture, &small, 1, 2);
				uint8_t *bytes = vulkan_rig_read_mesh(&s.rig, mesh, 0, 4096);
				assert_int_equal(bytes[4095], 9);
				free(bytes);
				stop(&s);
			}
		}
	}
}

/// A band of 8 rows of `small`'s level 0, or as many of its level 1.
static void copy_band(scene *s, lrd_gpu_object texture, uint32_t level, uint32_t band)
{
	const lrd_gpu *table = &s->rig.table;
	uint32_t row_bytes = lrd_texture_extent(small.width, level) * 4;
	uint8_t whole[32 * 32 * 4];
	lrd_gpu_staging staging;
	vulkan_rig_pattern(whole, row_bytes * lrd_texture_extent(small.height, level), level + 1);
	assert_true(table->stage(table->user, row_bytes * 8, &staging));
	memcpy(staging.data, whole + (size_t)row_bytes * 8 * band, row_bytes * 8);
	table->copy_texture(table->user, &(lrd_gpu_texture_copy){ .texture = texture,
										 .level = level,
										 .offset = staging.offset,
										 .size = row_bytes * 8,
										 .slice_count = 1,
										 .row = band * 8,
										 .row_count = 8 });
}

static void levels_in_bands_that_fail_for_want_of_memory_are_tried_again(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	for (uint32_t i = 0; i < 3 * 40; ++i)
	{
		scene s;
		start(&s, i % 3 != 0, (lrd_allocator){ 0 });
		const lrd_gpu *table = &s.rig.table;
		lrd_gpu_object texture = table->create_texture(table->user, &small, NULL);
		vulkan_hooks_fail(NULL, i / 3, 1 + i % 2 * 3, VK_ERROR_OUT_OF_HOST_MEMORY);
		uint64_t value = 0;
		for (uint32_t band = 0; band < 6; ++band) // the last of a level and the first of the next in one submit
		{
			copy_band(&s, texture, band / 4, band % 4);
			if (band % 2 != 0 || band == 0)
			{
				value = table->submit(table->user);
				assert_int_not_equal(value, 0);
			}
		}
		vulkan_rig_wait(&s.rig, value);
		vulkan_hooks_fail(NULL, 0, 0, VK_SUCCESS);
		vulkan_rig_check(&s.rig, texture, &small, 0, 1);
		vulkan_rig_check(&s.rig, texture, &small, 1, 2);
		stop(&s);
	}
}

static void a_level_in_bands_is_whole_with_its_last_and_takes_no_other_copies_before(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	scene s;
	start(&s, false, (lrd_allocator){ 0 });
	const lrd_gpu *table = &s.rig.table;
	lrd_gpu_object texture = table->create_texture(table->user, &small, NULL);
	lrd_gpu_vulkan_stats stats;
	assert_true(vulkan_rig_fill(&s.rig, texture, &small, 1, 2));
	copy_band(&s, texture, 0, 0);
	copy_band(&s, texture, 0, 2);                                // not the next
	copy_band(&s, texture, 0, 0);                                // again
	copy_band(&s, texture, 1, 0);                                // another level's
	assert_true(vulkan_rig_fill(&s.rig, texture, &small, 0, 1)); // all of it
	lrd_gpu_vulkan_get_stats(s.rig.gpu, &stats);
	assert_int_equal(stats.refused, 4);
	copy_band(&s, texture, 0, 1);
	copy_band(&s, texture, 0, 2);
	vulkan_rig_flush(&s.rig);
	table->bind_texture(table->user, 3, texture);
	lrd_gpu_vulkan_get_stats(s.rig.gpu, &stats);
	assert_int_equal(stats.refused, 5);
	copy_band(&s, texture, 0, 3);
	copy_band(&s, texture, 0, 0); // its last band is not recorded yet
	vulkan_rig_flush(&s.rig);
	table->bind_texture(table->user, 3, texture);
	lrd_gpu_vulkan_get_stats(s.rig.gpu, &stats);
	assert_int_equal(stats.refused, 6);
	vulkan_rig_check(&s.rig, texture, &small, 0, 1);
	vulkan_rig_check(&s.rig, texture, &small, 1, 2);
	stop(&s);
}

static void a_texture_of_which_bands_fly_can_be_destroyed(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	for (uint32_t bands = 0; bands < 5; ++bands)
	{
		for (uint32_t submitted = 0; submitted < 2; ++submitted)
		{
			scene s;
			start(&s, bands % 2 != 0, (lrd_allocator){ 0 });
			const lrd_gpu *table = &s.rig.table;
			lrd_gpu_object texture = table->create_texture(table->user, &small, NULL);
			for (uint32_t band = 0; band < bands; ++band)
			{
				copy_band(&s, texture, 0, band);
				if (submitted != 0)
				{
					table->submit(table->user);
				}
			}
			table->destroy_texture(table->user, texture);
			vulkan_rig_flush(&s.rig);
			lrd_gpu_vulkan_stats stats;
			lrd_gpu_vulkan_get_stats(s.rig.gpu, &stats);
			assert_int_equal(stats.textures, 0);
			stop(&s);
		}
	}
}

static void a_lost_device_is_told_by_every_call_and_everything_can_be_destroyed(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	const char *const functions[] = { "QueueSubmit", "GetSemaphoreCounterValue", "EndCommandBuffer", "AllocateMemory",
		"CreateImage" };
	for (int two = 0; two < 2; ++two)
	{
		for (size_t f = 0; f < sizeof functions / sizeof *functions; ++f)
		{
			scene s;
			start(&s, two == 1, (lrd_allocator){ 0 });
			const lrd_gpu *table = &s.rig.table;
			lrd_gpu_object texture = table->create_texture(table->user, &small, NULL);
			lrd_gpu_object mesh = table->create_mesh(table->user, &mesh_desc, NULL);
			assert_true(vulkan_rig_fill(&s.rig, texture, &small, 0, 1));
			vulkan_hooks_fail(functions[f], 0, UINT32_MAX, VK_ERROR_DEVICE_LOST);
			lrd_error error = { 0 };
			lrd_gpu_texture_desc large = small;
			large.width = large.height = 1024;
			large.level_count = 1;
			table->create_texture(
				table->user, &large, &error); // its memory is its own: a call for each of the two last
			table->submit(table->user);
			assert_true(table->completed(table->user) == UINT64_MAX);
			assert_int_equal(table->submit(table->user), 0);
			assert_int_equal(table->create_texture(table->user, &small, &error), 0);
			assert_int_equal(error.code, LRD_ERROR_IO);
			assert_int_equal(table->create_mesh(table->user, &mesh_desc, &error), 0);
			assert_int_equal(error.code, LRD_ERROR_IO);
			lrd_gpu_staging staging;
			assert_false(table->stage(table->user, 16, &staging));
			lrd_gpu_vulkan_stats stats;
			lrd_gpu_vulkan_get_stats(s.rig.gpu, &stats);
			assert_true(stats.lost);
			table->destroy_texture(table->user, texture);
			table->destroy_mesh(table->user, mesh);
			stop(&s);
		}
	}
}

static void every_allocation_of_larders_own_fails_in_turn(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	for (long long succeed = 0;; ++succeed)
	{
		failing_allocator memory;
		failing_allocator_init(&memory, succeed);
		scene s;
		start(&s, false, failing_allocator_get(&memory));
		bool failed = s.rig.gpu == NULL;
		if (s.rig.gpu != NULL)
		{
			const lrd_gpu *table = &s.rig.table;
			lrd_error error = { 0 };
			lrd_gpu_object texture = table->create_texture(table->user, &small, &error);
			lrd_gpu_object mesh = texture != 0 ? table->create_mesh(table->user, &mesh_desc, &error) : 0;
			failed = texture == 0 || mesh == 0;
			assert_true(!failed || error.code == LRD_ERROR_MEMORY);
			for (uint32_t level = 0; level < 2 && texture != 0; ++level)
			{
				failed = !vulkan_rig_fill(&s.rig, texture, &small, level, level) || failed;
			}
			vulkan_rig_flush(&s.rig);
			if (!failed)
			{
				vulkan_rig_check(&s.rig, texture, &small, 1, 1);
			}
		}
		stop(&s);
		assert_int_equal(atomic_load(&memory.bytes_out), 0);
		if (!failed)
		{
			assert_true(succeed > 4);
			return;
		}
	}
}

static void every_allocation_of_a_device_fails_in_turn(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	lrd_vulkan_device *device = NULL;
	for (long long succeed = 0; device == NULL; ++succeed)
	{
		failing_allocator memory;
		failing_allocator_init(&memory, succeed);
		lrd_error error = { 0 };
		device = make_device(NULL, failing_allocator_get(&memory), &error);
		assert_true(device != NULL || error.code == LRD_ERROR_MEMORY);
		lrd_vulkan_device_destroy(device);
		assert_int_equal(atomic_load(&memory.bytes_out), 0);
		assert_true(device == NULL || succeed > 2);
	}
}

// --- Devices that will not do ---

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL knows_nothing(VkInstance instance, const char *name)
{
	(void)instance, (void)name;
	return NULL;
}

static void a_loader_that_knows_nothing_is_told_as_such(void **state)
{
	(void)state;
	lrd_error error;
	assert_null(make_device(knows_nothing, (lrd_allocator){ 0 }, &error));
	assert_int_equal(error.code, LRD_ERROR_UNSUPPORTED);
	assert_non_null(strstr(error.message, "vkCreateInstance"));
}

static void without_a_driver_the_message_says_what_to_install(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	// No instance: what older loaders say; no device: what newer ones do.
	PFN_vkGetInstanceProcAddr get = vulkan_hooks_start();
	const char *const functions[] = { "CreateInstance", "EnumeratePhysicalDevices" };
	const VkResult results[] = { VK_ERROR_INCOMPATIBLE_DRIVER, VK_ERROR_INITIALIZATION_FAILED };
	for (int i = 0; i < 2; ++i)
	{
		vulkan_hooks_fail(functions[i], 0, 1, results[i]);
		lrd_error error;
		assert_null(make_device(get, (lrd_allocator){ 0 }, &error));
		assert_int_equal(error.code, LRD_ERROR_NOT_FOUND);
		assert_non_null(strstr(error.message, "mesa-vulkan-drivers"));
		assert_int_equal(hooks.alive, 0);
	}
}

static void a_device_is_found_by_part_of_its_name(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	lrd_error error;
	lrd_vulkan_device *device = make_device(NULL, (lrd_allocator){ 0 }, &error);
	assert_non_null(device);
	char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
	strcpy(name, lrd_vulkan_device_name(device));
	lrd_vulkan_device_destroy(device);
	name[0] = (char)(name[0] ^ 0x20); // the other case
	lrd_vulkan_device_desc desc = { .device_name = name };
	desc.device_name = name[1] != '\0' ? name : NULL;
	device = lrd_vulkan_device_create(&desc, &error);
	assert_non_null(device);
	lrd_vulkan_device_destroy(device);
	desc.device_name = "Voodoo 2";
	assert_null(lrd_vulkan_device_create(&desc, &error));
	assert_int_equal(error.code, LRD_ERROR_NOT_FOUND);
	assert_non_null(strstr(error.message, "Voodoo 2"));
	assert_non_null(strstr(error.message, name + 1)); // what there is
}

static void devices_that_lack_what_larder_needs_are_refused_with_the_reason(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	lrd_error error;
	PFN_vkGetInstanceProcAddr get = vulkan_hooks_start();
	hooks.old = true;
	assert_null(make_device(get, (lrd_allocator){ 0 }, &error));
	assert_non_null(strstr(error.message, "Vulkan is 1.1"));
	get = vulkan_hooks_start();
	hooks.no_timelines = true;
	assert_null(make_device(get, (lrd_allocator){ 0 }, &error));
	assert_non_null(strstr(error.message, "timeline semaphores"));
	assert_int_equal(hooks.alive, 0);

	const char *extension = "VK_LARDER_cellar";
	lrd_vulkan_device_desc desc = { .device_extensions = &extension, .device_extension_count = 1 };
	assert_null(lrd_vulkan_device_create(&desc, &error));
	assert_non_null(strstr(error.message, extension));
	desc = (lrd_vulkan_device_desc){ .instance_extensions = &extension, .instance_extension_count = 1 };
	assert_null(lrd_vulkan_device_create(&desc, &error));
	assert_int_equal(error.code, LRD_ERROR_NOT_FOUND);
	assert_non_null(strstr(error.message, extension));
}

static VkSurfaceKHR no_surface(void *user, VkInstance instance)
{
	(void)user, (void)instance;
	return VK_NULL_HANDLE;
}

static void a_window_that_gives_no_surface_is_an_error(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	const char *extension = "VK_KHR_surface";
	lrd_vulkan_device_desc desc = {
		.instance_extensions = &extension,
		.instance_extension_count = 1,
		.make_surface = no_surface,
	};
	lrd_error error;
	assert_null(lrd_vulkan_device_create(&desc, &error));
	assert_int_equal(error.code, LRD_ERROR_UNSUPPORTED);
}

static void contexts_and_descriptions_that_will_not_do_are_refused(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	lrd_error error;
	assert_null(lrd_gpu_vulkan_create(NULL, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	lrd_vulkan_device *device = make_device(NULL, (lrd_allocator){ 0 }, &error);
	assert_non_null(device);
	lrd_vulkan_context context = *lrd_vulkan_device_context(device);
	lrd_gpu_vulkan_desc desc = { .context = &context, .frames = 9 };
	assert_null(lrd_gpu_vulkan_create(&desc, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	desc = (lrd_gpu_vulkan_desc){ .context = &context, .mesh_usage = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT };
	context.buffer_device_address = false;
	assert_null(lrd_gpu_vulkan_create(&desc, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	context.graphics_queue = VK_NULL_HANDLE;
	desc = (lrd_gpu_vulkan_desc){ .context = &context };
	assert_null(lrd_gpu_vulkan_create(&desc, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	lrd_vulkan_device_destroy(device);
}

static void what_the_device_was_not_made_with_is_not_used(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	lrd_error error;
	lrd_vulkan_device *device = make_device(NULL, (lrd_allocator){ 0 }, &error);
	assert_non_null(device);
	lrd_vulkan_context context = *lrd_vulkan_device_context(device);
	context.image_cube_array = false;
	context.texture_compression_bc = false;
	context.texture_compression_astc = false;
	context.descriptor_indexing = false;
	context.sampler_anisotropy = false;
	context.memory_budget = false;
	lrd_gpu_vulkan *gpu = lrd_gpu_vulkan_create(&(lrd_gpu_vulkan_desc){ .context = &context }, &error);
	assert_non_null(gpu);
	lrd_gpu table = lrd_gpu_vulkan_interface(gpu);
	assert_true(table.has_format(gpu, LRD_TEXTURE_RGBA8_UNORM));
	assert_false(table.has_format(gpu, LRD_TEXTURE_BC7_UNORM));
	assert_false(table.has_format(gpu, LRD_TEXTURE_ASTC_4X4_UNORM));
	assert_false(table.has_format(gpu, LRD_TEXTURE_ASTC_4X4_SFLOAT));
	lrd_gpu_texture_desc cubes = { "cubes", LRD_TEXTURE_RGBA8_UNORM, 8, 8, 1, 2, 6, 1, true, { 0, 0, 0 } };
	assert_int_equal(table.create_texture(gpu, &cubes, &error), 0);
	assert_int_equal(error.code, LRD_ERROR_UNSUPPORTED);
	assert_true(lrd_gpu_vulkan_table_layout(gpu) == VK_NULL_HANDLE);
	assert_true(lrd_gpu_vulkan_table(gpu, 0) == VK_NULL_HANDLE);
	lrd_gpu_caps caps;
	table.get_caps(gpu, &caps);
	assert_int_equal(caps.memory_budget, 0);
	assert_int_equal(caps.texture_slots, 65536);
	lrd_gpu_vulkan_destroy(gpu);
	lrd_vulkan_device_destroy(device);
}

static void the_budget_shrinks_when_others_take_memory(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	PFN_vkGetInstanceProcAddr get = vulkan_hooks_start();
	hooks.budget = 1000000000;
	scene s = { .device = make_device(get, (lrd_allocator){ 0 }, NULL) };
	assert_non_null(s.device);
	assert_true(lrd_vulkan_device_context(s.device)->memory_budget);
	s.rig.gpu = make_gpu(s.device, (lrd_allocator){ 0 }, NULL);
	assert_non_null(s.rig.gpu);
	s.rig.table = lrd_gpu_vulkan_interface(s.rig.gpu);
	lrd_gpu_caps caps;
	s.rig.table.get_caps(s.rig.table.user, &caps);
	assert_int_equal(caps.memory_budget, 1000000000);
	assert_int_equal(caps.memory_used, 500000000);
	lrd_gpu_object texture = s.rig.table.create_texture(s.rig.table.user, &small, NULL);
	assert_int_not_equal(texture, 0);
	hooks.budget = 500000000;
	s.rig.table.get_caps(s.rig.table.user, &caps);
	assert_int_equal(caps.memory_budget, 500000000);
	lrd_gpu_vulkan_stats stats;
	lrd_gpu_vulkan_get_stats(s.rig.gpu, &stats);
	assert_int_equal(caps.memory_used, 250000000 - (stats.allocated_bytes - stats.used_bytes));
	stop(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_call_that_makes_a_device_fails_in_turn),
		cmocka_unit_test(each_call_that_makes_the_renderers_side_fails_in_turn),
		cmocka_unit_test(making_textures_and_meshes_fails_call_by_call_and_leaves_nothing),
		cmocka_unit_test(where_a_whole_block_is_not_to_be_had_a_smaller_one_is_taken),
		cmocka_unit_test(copies_that_fail_for_want_of_memory_are_tried_again),
		cmocka_unit_test(levels_in_bands_that_fail_for_want_of_memory_are_tried_again),
		cmocka_unit_test(a_level_in_bands_is_whole_with_its_last_and_takes_no_other_copies_before),
		cmocka_unit_test(a_texture_of_which_bands_fly_can_be_destroyed),
		cmocka_unit_test(a_lost_device_is_told_by_every_call_and_everything_can_be_destroyed),
		cmocka_unit_test(every_allocation_of_larders_own_fails_in_turn),
		cmocka_unit_test(every_allocation_of_a_device_fails_in_turn),
		cmocka_unit_test(a_loader_that_knows_nothing_is_told_as_such),
		cmocka_unit_test(without_a_driver_the_message_says_what_to_install),
		cmocka_unit_test(a_device_is_found_by_part_of_its_name),
		cmocka_unit_test(devices_that_lack_what_larder_needs_are_refused_with_the_reason),
		cmocka_unit_test(a_window_that_gives_no_surface_is_an_error),
		cmocka_unit_test(contexts_and_descriptions_that_will_not_do_are_refused),
		cmocka_unit_test(what_the_device_was_not_made_with_is_not_used),
		cmocka_unit_test(the_budget_shrinks_when_others_take_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
