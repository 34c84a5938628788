// gpu/vulkan/gpu.c: lrd_gpu on Vulkan: putting it together, what the device can do, and the table of functions.

#include "gpu/vulkan/gpu.h"

#include "base/error.h"

#define STAGING_SIZE (64ull << 20)
#define MESH_ALIGNMENT 256 // what storage buffers may ask for at most
#define REFUSALS_LOGGED 8
#define FAMILIES_MAX 32

bool lrd_vk_gpu_fail(lrd_gpu_vulkan *gpu, lrd_error *error, VkResult result, const char *what)
{
	if (result == VK_ERROR_DEVICE_LOST && !gpu->lost)
	{
		gpu->lost = true;
		lrd_log_write(&gpu->log, LRD_LOG_ERROR, "gpu", "the device is lost: nothing is brought to it any more");
	}
	return lrd_vk_fail(error, result, what);
}

void lrd_vk_set_name(const lrd_gpu_vulkan *gpu, VkObjectType type, uint64_t handle, const char *name)
{
	if (!gpu->context.debug_names || gpu->vk.SetDebugUtilsObjectNameEXT == NULL || name == NULL)
	{
		return;
	}
	VkDebugUtilsObjectNameInfoEXT info = {
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
		.objectType = type,
		.objectHandle = handle,
		.pObjectName = name,
	};
	gpu->vk.SetDebugUtilsObjectNameEXT(gpu->context.device, &info); // without a name it works as well
}

void lrd_vk_refuse(lrd_gpu_vulkan *gpu, const char *what)
{
	if (gpu->refused++ < REFUSALS_LOGGED)
	{
		lrd_log_write(&gpu->log, LRD_LOG_WARNING, "gpu", "%s", what);
	}
}

static void get_caps(void *user, lrd_gpu_caps *caps)
{
	const lrd_gpu_vulkan *gpu = user;
	const VkPhysicalDeviceLimits *limits = &gpu->properties.limits;
	*caps = (lrd_gpu_caps){
		.max_texture_size = limits->maxImageDimension2D,
		.max_cube_size = limits->maxImageDimensionCube,
		.max_depth = limits->maxImageDimension3D,
		.max_layers = limits->maxImageArrayLayers,
		.texture_slots = gpu->slots.count,
		.staging_size = gpu->ring.size,
	};
	lrd_vk_memory_budget(gpu, &caps->memory_budget, &caps->memory_used);
}

static bool has_format(void *user, uint32_t format)
{
	return lrd_vk_has_format(user, format);
}

static lrd_gpu_object create_texture(void *user, const lrd_gpu_texture_desc *desc, lrd_error *error)
{
	return lrd_vk_create_texture(user, desc, error);
}

static lrd_gpu_object create_mesh(void *user, const lrd_gpu_mesh_desc *desc, lrd_error *error)
{
	return lrd_vk_create_mesh(user, desc, error);
}

static void destroy_texture(void *user, lrd_gpu_object texture)
{
	lrd_vk_destroy_texture(user, texture);
}

static void destroy_mesh(void *user, lrd_gpu_object mesh)
{
	lrd_vk_destroy_mesh(user, mesh);
}

static void bind_texture(void *user, uint32_t slot, lrd_gpu_object texture)
{
	lrd_vk_bind(user, slot, texture);
}

static bool stage(void *user, uint64_t size, lrd_gpu_staging *staging)
{
	return lrd_vk_stage(user, size, staging);
}

static void copy_texture(void *user, const lrd_gpu_texture_copy *copy)
{
	lrd_vk_copy_texture(user, copy);
}

static void copy_mesh(void *user, const lrd_gpu_mesh_copy *copy)
{
	lrd_vk_copy_mesh(user, copy);
}

static uint64_t submit(void *user)
{
	return lrd_vk_submit(user);
}

static uint64_t completed(void *user)
{
	return lrd_vk_completed(user);
}

lrd_gpu lrd_gpu_vulkan_interface(lrd_gpu_vulkan *gpu)
{
	return (lrd_gpu){
		.user = gpu,
		.get_caps = get_caps,
		.has_format = has_format,
		.create_texture = create_texture,
		.create_mesh = create_mesh,
		.destroy_texture = destroy_texture,
		.destroy_mesh = destroy_mesh,
		.bind_texture = bind_texture,
		.stage = stage,
		.copy_texture = copy_texture,
		.copy_mesh = copy_mesh,
		.submit = submit,
		.completed = completed,
	};
}

static bool check_context(const lrd_gpu_vulkan_desc *desc, lrd_error *error)
{
	const lrd_vulkan_context *context = desc != NULL ? desc->context : NULL;
	if (context == NULL || context->instance == VK_NULL_HANDLE || context->physical_device == VK_NULL_HANDLE ||
		context->device == VK_NULL_HANDLE || context->graphics_queue == VK_NULL_HANDLE)
	{
		return lrd_fail(
			error, LRD_ERROR_ARGUMENT, "a context of Vulkan has an instance, a device and a graphics queue");
	}
	if (desc->frames > LRD_VK_FRAMES_MAX)
	{
		return lrd_fail(
			error, LRD_ERROR_ARGUMENT, "%u frames in flight; at most %d are", desc->frames, LRD_VK_FRAMES_MAX);
	}
	bool addressed = (desc->mesh_usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0;
	return !addressed || context->buffer_device_address ||
		   lrd_fail(error, LRD_ERROR_ARGUMENT, "meshes with addresses need the feature bufferDeviceAddress");
}

static bool load_functions(lrd_gpu_vulkan *gpu, lrd_error *error)
{
	lrd_vulkan_context *context = &gpu->context;
	if (context->get_instance_proc_addr == NULL)
	{
		context->get_instance_proc_addr = lrd_vulkan_loader(error);
	}
	return context->get_instance_proc_addr != NULL &&
		   lrd_vk_load_instance(&gpu->vk, context->get_instance_proc_addr, context->instance, error) &&
		   lrd_vk_load_device(&gpu->vk, context->device, error);
}

static bool read_properties(lrd_gpu_vulkan *gpu, lrd_error *error)
{
	VkPhysicalDeviceVulkan12Properties properties12 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES,
	};
	VkPhysicalDeviceMaintenance3Properties allocation = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES,
		.pNext = &properties12,
	};
	VkPhysicalDeviceProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
		.pNext = &allocation,
	};
	gpu->vk.GetPhysicalDeviceProperties2(gpu->context.physical_device, &properties);
	gpu->properties = properties.properties;
	gpu->properties12 = properties12;
	gpu->max_allocation = allocation.maxMemoryAllocationSize;
	return gpu->properties.apiVersion >= VK_API_VERSION_1_2 ||
		   lrd_fail(error, LRD_ERROR_UNSUPPORTED, "%s: Vulkan 1.2 is needed", gpu->properties.deviceName);
}

// Whole levels are what every transfer queue copies.
static void look_at_queues(lrd_gpu_vulkan *gpu)
{
	VkQueueFamilyProperties families[FAMILIES_MAX];
	uint32_t count = FAMILIES_MAX;
	if (gpu->two_queues)
	{
		gpu->vk.GetPhysicalDeviceQueueFamilyProperties(gpu->context.physical_device, &count, families);
		bool known = gpu->context.transfer_family < count;
		VkExtent3D least =
			known ? families[gpu->context.transfer_family].minImageTransferGranularity : (VkExtent3D){ 0 };
		gpu->transfers_rows = least.width == 1 && least.height == 1 && least.depth == 1;
	}
}

static bool put_together(lrd_gpu_vulkan *gpu, const lrd_gpu_vulkan_desc *desc, lrd_error *error)
{
	if (!load_functions(gpu, error) || !read_properties(gpu, error))
	{
		return false;
	}
	uint64_t needed = gpu->properties.limits.minStorageBufferOffsetAlignment;
	gpu->mesh_alignment = needed > MESH_ALIGNMENT ? needed : MESH_ALIGNMENT;
	look_at_queues(gpu);
	lrd_vk_memory_init(gpu, desc->block_size);
	return lrd_vk_ring_init(gpu, desc->staging_size != 0 ? desc->staging_size : STAGING_SIZE, error) &&
		   lrd_vk_copies_init(gpu, error) && lrd_vk_slots_init(gpu, desc, error);
}

lrd_gpu_vulkan *lrd_gpu_vulkan_create(const lrd_gpu_vulkan_desc *desc, lrd_error *error)
{
	if (!check_context(desc, error))
	{
		return NULL;
	}
	lrd_allocator allocator = lrd_allocator_or_default(desc->allocator);
	lrd_gpu_vulkan *gpu = lrd_alloc_zeroed(allocator, 1, sizeof *gpu);
	if (gpu == NULL)
	{
		lrd_fail_memory(error, "a renderer's side on Vulkan", sizeof *gpu);
		return NULL;
	}
	gpu->allocator = allocator;
	gpu->log = desc->log;
	gpu->context = *desc->context;
	const lrd_vulkan_context *context = &gpu->context;
	gpu->two_queues = context->transfer_queue != VK_NULL_HANDLE && context->transfer_family != context->graphics_family;
	gpu->frames = desc->frames != 0 ? desc->frames : 3;
	gpu->texture_usage = desc->texture_usage;
	gpu->mesh_usage = desc->mesh_usage;
	gpu->textures.free = gpu->textures.doomed = LRD_VK_NONE;
	gpu->meshes.free = gpu->meshes.doomed = LRD_VK_NONE;
	if (!put_together(gpu, desc, error))
	{
		lrd_gpu_vulkan_destroy(gpu);
		return NULL;
	}
	return gpu;
}

void lrd_gpu_vulkan_destroy(lrd_gpu_vulkan *gpu)
{
	if (gpu == NULL)
	{
		return;
	}
	lrd_vk_copies_free(gpu);
	lrd_vk_free_objects(gpu);
	lrd_vk_slots_free(gpu);
	lrd_vk_ring_free(gpu);
	lrd_vk_memory_free(gpu);
	lrd_free(gpu->allocator, gpu, sizeof *gpu);
}

VkBuffer lrd_gpu_vulkan_buffer(const lrd_gpu_vulkan *gpu, lrd_gpu_object number, VkDeviceSize *offset)
{
	const lrd_vk_mesh *mesh = lrd_vk_find_mesh(gpu, number);
	if (offset != NULL)
	{
		*offset = mesh != NULL ? mesh->object.place.offset : 0;
	}
	return mesh != NULL ? mesh->buffer : VK_NULL_HANDLE;
}

bool lrd_gpu_vulkan_image(const lrd_gpu_vulkan *gpu, lrd_gpu_object number, VkImage *image, VkImageView *view)
{
	const lrd_vk_texture *texture = lrd_vk_find_texture(gpu, number);
	if (texture == NULL)
	{
		return false;
	}
	if (image != NULL)
	{
		*image = texture->image;
	}
	if (view != NULL)
	{
		*view = texture->view;
	}
	return true;
}

VkSemaphore lrd_gpu_vulkan_timeline(const lrd_gpu_vulkan *gpu)
{
	return gpu->copies.timeline;
}

void lrd_gpu_vulkan_get_stats(const lrd_gpu_vulkan *gpu, lrd_gpu_vulkan_stats *stats)
{
	*stats = (lrd_gpu_vulkan_stats){
		.textures = gpu->textures.alive,
		.meshes = gpu->meshes.alive,
		.allocations = gpu->memory.allocations,
		.allocated_bytes = gpu->memory.allocated,
		.submits = gpu->submits,
		.copied_bytes = gpu->copied_bytes,
		.refused = gpu->refused,
		.lost = gpu->lost,
	};
	for (const lrd_vk_block *block = gpu->memory.blocks; block != NULL; block = block->next)
	{
		stats->used_bytes += block->dedicated ? block->size : block->ranges.taken;
	}
}
