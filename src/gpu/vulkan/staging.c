// gpu/vulkan/staging.c: a ring of memory that the CPU writes and the GPU copies from. What was staged by a submit is free again when
// the submit is done.

#include "gpu/vulkan/gpu.h"

#include "base/error.h"

#define ALIGNMENT_MIN 16
#define ALIGNMENT_MAX 4096

/// Copies that a staged piece may be the source of without memory being asked for: a texture's levels, or a mesh's streams.
#define COPIES_A_STAGE 33

static bool make_memory(lrd_gpu_vulkan *gpu, lrd_error *error)
{
	lrd_vk_ring *ring = &gpu->ring;
	VkMemoryRequirements needs;
	gpu->vk.GetBufferMemoryRequirements(gpu->context.device, ring->buffer, &needs);
	uint32_t allowed = needs.memoryTypeBits;
	VkResult result = VK_ERROR_FEATURE_NOT_PRESENT;
	while (result != VK_SUCCESS)
	{
		uint32_t type = lrd_vk_memory_staging_type(gpu, allowed);
		if (type == LRD_VK_NONE)
		{
			return lrd_vk_gpu_fail(gpu, error, result, "allocate staging memory");
		}
		VkMemoryAllocateInfo info = {
			.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
			.allocationSize = needs.size,
			.memoryTypeIndex = type,
		};
		result = gpu->vk.AllocateMemory(gpu->context.device, &info, NULL, &ring->memory);
		allowed &= ~(1u << type);
	}
	++gpu->memory.allocations;
	result = gpu->vk.BindBufferMemory(gpu->context.device, ring->buffer, ring->memory, 0);
	if (result != VK_SUCCESS)
	{
		return lrd_vk_gpu_fail(gpu, error, result, "bind staging memory");
	}
	void *data = NULL;
	result = gpu->vk.MapMemory(gpu->context.device, ring->memory, 0, VK_WHOLE_SIZE, 0, &data);
	ring->data = data;
	return result == VK_SUCCESS || lrd_vk_gpu_fail(gpu, error, result, "map staging memory");
}

bool lrd_vk_ring_init(lrd_gpu_vulkan *gpu, uint64_t size, lrd_error *error)
{
	lrd_vk_ring *ring = &gpu->ring;
	uint64_t alignment = gpu->properties.limits.optimalBufferCopyOffsetAlignment;
	alignment = alignment < ALIGNMENT_MIN ? ALIGNMENT_MIN : alignment;
	ring->alignment = alignment > ALIGNMENT_MAX ? ALIGNMENT_MAX : alignment;
	ring->size = lrd_align_up(size, ring->alignment);
	uint32_t families[2] = { gpu->context.graphics_family, gpu->context.transfer_family };
	VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = ring->size,
		.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
		.sharingMode = gpu->two_queues ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
		.queueFamilyIndexCount = gpu->two_queues ? 2 : 0,
		.pQueueFamilyIndices = gpu->two_queues ? families : NULL,
	};
	VkResult result = gpu->vk.CreateBuffer(gpu->context.device, &info, NULL, &ring->buffer);
	if (result != VK_SUCCESS)
	{
		ring->buffer = VK_NULL_HANDLE;
		return lrd_vk_gpu_fail(gpu, error, result, "make a staging buffer");
	}
	return make_memory(gpu, error);
}

void lrd_vk_ring_free(lrd_gpu_vulkan *gpu)
{
	lrd_vk_ring *ring = &gpu->ring;
	if (ring->buffer != VK_NULL_HANDLE)
	{
		gpu->vk.DestroyBuffer(gpu->context.device, ring->buffer, NULL);
	}
	if (ring->memory != VK_NULL_HANDLE)
	{
		gpu->vk.FreeMemory(gpu->context.device, ring->memory, NULL); // unmaps it
		--gpu->memory.allocations;
	}
}

bool lrd_vk_stage(lrd_gpu_vulkan *gpu, uint64_t size, lrd_gpu_staging *staging)
{
	lrd_vk_ring *ring = &gpu->ring;
	if (gpu->lost || size == 0 || size > ring->size || !lrd_vk_copies_reserve(gpu, COPIES_A_STAGE))
	{
		return false;
	}
	uint64_t needed = lrd_align_up(size, ring->alignment);
	if (ring->head == ring->tail) // nothing is in it: all of it is one piece again
	{
		ring->head = (ring->head + ring->size - 1) / ring->size * ring->size;
		ring->tail = ring->head;
		ring->marked = ring->head;
	}
	uint64_t start = ring->head;
	uint64_t at = start % ring->size;
	if (ring->size - at < needed) // a piece does not go around the end
	{
		start += ring->size - at;
		at = 0;
	}
	if (start + needed - ring->tail > ring->size)
	{
		return false;
	}
	ring->head = start + needed;
	*staging = (lrd_gpu_staging){ ring->data + at, at };
	return true;
}
