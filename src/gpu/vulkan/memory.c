// gpu/vulkan/memory.c: device memory, taken in blocks and shared out, since drivers allow few allocations and take their time for each.
// What is large, or what the driver wants alone, has a block of its own.

#include "gpu/vulkan/gpu.h"

#include "base/error.h"

#define BLOCK_SIZE (64ull << 20)
#define BLOCK_SIZE_MIN (1ull << 20)
#define MIB_MASK ((1ull << 20) - 1)

typedef enum block_sort
{
	BLOCK_IMAGES,
	BLOCK_BUFFERS,
	BLOCK_IMAGE, // a single one
	BLOCK_BUFFER,
} block_sort;

void lrd_vk_memory_init(lrd_gpu_vulkan *gpu, uint64_t block_size)
{
	lrd_vk_memory *memory = &gpu->memory;
	VkPhysicalDeviceMemoryProperties2 properties = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2 };
	gpu->vk.GetPhysicalDeviceMemoryProperties2(gpu->context.physical_device, &properties);
	memory->properties = properties.memoryProperties;
	memory->ranges.allocator = gpu->allocator;
	memory->max_allocation = gpu->max_allocation;
	const VkMemoryHeap *heaps = memory->properties.memoryHeaps;
	uint64_t largest = 0;
	for (uint32_t i = 0; i < memory->properties.memoryHeapCount; ++i)
	{
		if ((heaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0 && heaps[i].size > largest)
		{
			largest = heaps[i].size;
			memory->heap = i;
		}
	}
	uint64_t size = block_size != 0 ? block_size : BLOCK_SIZE;
	// An eighth of a small heap, so that the last block's rest is no large part of it.
	size = block_size == 0 && largest / 8 < size ? (largest / 8) & ~MIB_MASK : size;
	size = size > memory->max_allocation ? memory->max_allocation : size;
	memory->block_size = size < BLOCK_SIZE_MIN && block_size == 0 ? BLOCK_SIZE_MIN : size;
}

/// Device memory's own type, or any other where none of `allowed` is.
static uint32_t device_type(const lrd_gpu_vulkan *gpu, uint32_t allowed)
{
	const VkPhysicalDeviceMemoryProperties *properties = &gpu->memory.properties;
	uint32_t best = LRD_VK_NONE;
	int best_score = -1;
	for (uint32_t i = 0; i < properties->memoryTypeCount; ++i)
	{
		if ((allowed >> i & 1) == 0)
		{
			continue;
		}
		VkMemoryPropertyFlags flags = properties->memoryTypes[i].propertyFlags;
		int score = (flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) != 0 ? 4 : 0;
		score += properties->memoryTypes[i].heapIndex == gpu->memory.heap ? 2 : 0;
		score +=
			(flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) == 0 ? 1 : 0; // the window that the CPU sees may be small
		bool usable = (flags & (VK_MEMORY_PROPERTY_PROTECTED_BIT | VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT)) == 0;
		if (usable && score > best_score)
		{
			best_score = score;
			best = i;
		}
	}
	return best;
}

uint32_t lrd_vk_memory_staging_type(const lrd_gpu_vulkan *gpu, uint32_t allowed)
{
	const VkMemoryPropertyFlags needed = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	const VkPhysicalDeviceMemoryProperties *properties = &gpu->memory.properties;
	uint32_t best = LRD_VK_NONE;
	int best_score = -1;
	for (uint32_t i = 0; i < properties->memoryTypeCount; ++i)
	{
		VkMemoryPropertyFlags flags = properties->memoryTypes[i].propertyFlags;
		if ((allowed >> i & 1) == 0 || (flags & needed) != needed || (flags & VK_MEMORY_PROPERTY_PROTECTED_BIT) != 0)
		{
			continue;
		}
		// Memory that the device owns is scarce where the CPU sees it; caches are of no use to what is written in order once.
		int score = (flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT) == 0 ? 2 : 0;
		score += (flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) == 0 ? 1 : 0;
		if (score > best_score)
		{
			best_score = score;
			best = i;
		}
	}
	return best;
}

static VkResult allocate(lrd_gpu_vulkan *gpu, uint64_t size, uint32_t type, const void *next, VkDeviceMemory *memory)
{
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.pNext = next,
		.allocationSize = size,
		.memoryTypeIndex = type,
	};
	VkResult result = gpu->vk.AllocateMemory(gpu->context.device, &info, NULL, memory);
	*memory = result == VK_SUCCESS ? *memory : VK_NULL_HANDLE;
	return result;
}

static void free_block(lrd_gpu_vulkan *gpu, lrd_vk_block *block)
{
	if (block->buffer != VK_NULL_HANDLE)
	{
		gpu->vk.DestroyBuffer(gpu->context.device, block->buffer, NULL);
	}
	if (block->memory != VK_NULL_HANDLE)
	{
		gpu->vk.FreeMemory(gpu->context.device, block->memory, NULL);
		--gpu->memory.allocations;
		gpu->memory.allocated -= block->size;
	}
	lrd_ranges_free(&block->ranges, &gpu->memory.ranges);
	lrd_free(gpu->allocator, block, sizeof *block);
}

static lrd_vk_block *new_block(lrd_gpu_vulkan *gpu, lrd_error *error)
{
	lrd_vk_block *block = lrd_alloc_zeroed(gpu->allocator, 1, sizeof *block);
	if (block == NULL)
	{
		lrd_fail_memory(error, "a block of device memory", sizeof *block);
	}
	return block;
}

static void link_block(lrd_gpu_vulkan *gpu, lrd_vk_block *block)
{
	block->next = gpu->memory.blocks;
	gpu->memory.blocks = block;
}

static void note_memory(lrd_gpu_vulkan *gpu, lrd_vk_block *block, uint64_t size, uint32_t type)
{
	block->size = size;
	block->type = type;
	++gpu->memory.allocations;
	gpu->memory.allocated += size;
}

static bool make_buffer(lrd_gpu_vulkan *gpu, uint64_t size, VkBuffer *buffer, lrd_error *error)
{
	uint32_t families[2] = { gpu->context.graphics_family, gpu->context.transfer_family };
	VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = size,
		.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
				 VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
				 VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | gpu->mesh_usage,
		// Meshes share buffers, and for buffers drivers have nothing to gain from knowing the one family that uses them.
		.sharingMode = gpu->two_queues ? VK_SHARING_MODE_CONCURRENT : VK_SHARING_MODE_EXCLUSIVE,
		.queueFamilyIndexCount = gpu->two_queues ? 2 : 0,
		.pQueueFamilyIndices = gpu->two_queues ? families : NULL,
	};
	VkResult result = gpu->vk.CreateBuffer(gpu->context.device, &info, NULL, buffer);
	if (result != VK_SUCCESS)
	{
		*buffer = VK_NULL_HANDLE;
		return lrd_vk_gpu_fail(gpu, error, result, "make a buffer");
	}
	return true;
}

/// A buffer over memory of its own, for several meshes or one.
static bool fill_buffer_block(lrd_gpu_vulkan *gpu, lrd_vk_block *block, uint64_t size, lrd_error *error)
{
	if (!make_buffer(gpu, size, &block->buffer, error))
	{
		return false;
	}
	VkMemoryRequirements needs;
	gpu->vk.GetBufferMemoryRequirements(gpu->context.device, block->buffer, &needs);
	uint32_t type = device_type(gpu, needs.memoryTypeBits);
	if (type == LRD_VK_NONE)
	{
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED, "no memory of this device is for buffers");
	}
	VkMemoryAllocateFlagsInfo flags = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
		.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
	};
	bool addressed = (gpu->mesh_usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0;
	VkResult result = allocate(gpu, needs.size, type, addressed ? &flags : NULL, &block->memory);
	if (result != VK_SUCCESS)
	{
		return lrd_vk_gpu_fail(gpu, error, result, "allocate device memory for meshes");
	}
	note_memory(gpu, block, needs.size, type);
	result = gpu->vk.BindBufferMemory(gpu->context.device, block->buffer, block->memory, 0);
	return result == VK_SUCCESS || lrd_vk_gpu_fail(gpu, error, result, "bind a buffer's memory");
}

static bool fill_image_block(
	lrd_gpu_vulkan *gpu, lrd_vk_block *block, uint64_t size, uint32_t type, VkImage image, lrd_error *error)
{
	VkMemoryDedicatedAllocateInfo dedicated = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
		.image = image,
	};
	VkResult result = allocate(gpu, size, type, image != VK_NULL_HANDLE ? &dedicated : NULL, &block->memory);
	if (result != VK_SUCCESS)
	{
		return lrd_vk_gpu_fail(gpu, error, result, "allocate device memory for textures");
	}
	note_memory(gpu, block, size, type);
	return true;
}

static lrd_vk_block *add_block(
	lrd_gpu_vulkan *gpu, block_sort sort, uint64_t size, uint32_t type, VkImage image, lrd_error *error)
{
	lrd_vk_block *block = new_block(gpu, error);
	if (block == NULL)
	{
		return NULL;
	}
	bool buffers = sort == BLOCK_BUFFERS || sort == BLOCK_BUFFER;
	if (buffers ? !fill_buffer_block(gpu, block, size, error) : !fill_image_block(gpu, block, size, type, image, error))
	{
		free_block(gpu, block);
		return NULL;
	}
	block->dedicated = sort == BLOCK_IMAGE || sort == BLOCK_BUFFER;
	if (!block->dedicated)
	{
		lrd_ranges_init(&block->ranges, size, &gpu->memory.ranges);
	}
	link_block(gpu, block);
	return block;
}

/// A block that holds at least `size` bytes; where memory is short, a smaller one than others are.
static lrd_vk_block *add_shared_block(
	lrd_gpu_vulkan *gpu, block_sort sort, uint64_t size, uint32_t type, lrd_error *error)
{
	lrd_error first = { 0 };
	for (uint64_t wanted = gpu->memory.block_size; wanted >= size && wanted > 0; wanted /= 2)
	{
		lrd_error reason = { 0 };
		lrd_vk_block *block = add_block(gpu, sort, wanted, type, VK_NULL_HANDLE, &reason);
		if (block != NULL)
		{
			return block;
		}
		first = first.code == LRD_OK ? reason : first;
		if (reason.code != LRD_ERROR_MEMORY)
		{
			break;
		}
	}
	if (error != NULL)
	{
		*error = first;
	}
	return NULL;
}

static bool place_in(lrd_gpu_vulkan *gpu, lrd_vk_block *block, uint64_t size, uint64_t alignment, lrd_vk_place *place)
{
	lrd_range *range = lrd_ranges_take(&block->ranges, size, alignment, &gpu->memory.ranges);
	if (range == NULL)
	{
		return false;
	}
	*place = (lrd_vk_place){ block, range, range->offset };
	return true;
}

static bool share(lrd_gpu_vulkan *gpu, block_sort sort, uint64_t size, uint64_t alignment, uint32_t type,
	lrd_vk_place *place, lrd_error *error)
{
	// For the block and for the range, so that nothing has to be undone.
	if (!lrd_range_pool_reserve(&gpu->memory.ranges, 2 * LRD_RANGES_SPARE))
	{
		return lrd_fail_memory(error, "ranges of device memory", sizeof(lrd_range));
	}
	bool buffers = sort == BLOCK_BUFFERS;
	for (lrd_vk_block *block = gpu->memory.blocks; block != NULL; block = block->next)
	{
		bool fits = !block->dedicated && buffers == (block->buffer != VK_NULL_HANDLE) &&
					(buffers || block->type == type) && block->ranges.size - block->ranges.taken >= size;
		if (fits && place_in(gpu, block, size, alignment, place))
		{
			return true;
		}
	}
	lrd_vk_block *block = add_shared_block(gpu, sort, size, type, error);
	return block != NULL && place_in(gpu, block, size, alignment, place);
}

bool lrd_vk_memory_image(lrd_gpu_vulkan *gpu, VkImage image, lrd_vk_place *place, lrd_error *error)
{
	VkMemoryDedicatedRequirements dedicated = { .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS };
	VkMemoryRequirements2 needs = { .sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2, .pNext = &dedicated };
	VkImageMemoryRequirementsInfo2 info = { VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2, NULL, image };
	gpu->vk.GetImageMemoryRequirements2(gpu->context.device, &info, &needs);
	uint64_t size = needs.memoryRequirements.size;
	uint32_t type = device_type(gpu, needs.memoryRequirements.memoryTypeBits);
	if (type == LRD_VK_NONE)
	{
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED, "no memory of this device is for such an image");
	}
	if (size > gpu->memory.max_allocation)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT, "an image of %llu bytes is more than the device allocates at once",
			(unsigned long long)size);
	}
	bool alone = dedicated.requiresDedicatedAllocation || dedicated.prefersDedicatedAllocation ||
				 size > gpu->memory.block_size / 2;
	if (alone)
	{
		lrd_vk_block *block = add_block(gpu, BLOCK_IMAGE, size, type, image, error);
		*place = (lrd_vk_place){ block, NULL, 0 };
		if (block == NULL)
		{
			return false;
		}
	}
	else if (!share(gpu, BLOCK_IMAGES, size, needs.memoryRequirements.alignment, type, place, error))
	{
		return false;
	}
	VkResult result = gpu->vk.BindImageMemory(gpu->context.device, image, place->block->memory, place->offset);
	if (result != VK_SUCCESS)
	{
		lrd_vk_memory_give(gpu, place);
		return lrd_vk_gpu_fail(gpu, error, result, "bind an image's memory");
	}
	return true;
}

bool lrd_vk_memory_buffer(lrd_gpu_vulkan *gpu, uint64_t size, lrd_vk_place *place, lrd_error *error)
{
	if (size > gpu->memory.max_allocation)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT, "a mesh of %llu bytes is more than the device allocates at once",
			(unsigned long long)size);
	}
	if (size <= gpu->memory.block_size / 2)
	{
		return share(gpu, BLOCK_BUFFERS, size, gpu->mesh_alignment, 0, place, error);
	}
	lrd_vk_block *block = add_block(gpu, BLOCK_BUFFER, size, 0, VK_NULL_HANDLE, error);
	*place = (lrd_vk_place){ block, NULL, 0 };
	return block != NULL;
}

/// One empty block of a sort is kept, so that a texture that comes and goes does not take memory anew each time.
static bool another_is_empty(const lrd_gpu_vulkan *gpu, const lrd_vk_block *like)
{
	for (const lrd_vk_block *block = gpu->memory.blocks; block != NULL; block = block->next)
	{
		if (block != like && !block->dedicated && block->type == like->type && block->ranges.taken == 0 &&
			(block->buffer == VK_NULL_HANDLE) == (like->buffer == VK_NULL_HANDLE))
		{
			return true;
		}
	}
	return false;
}

void lrd_vk_memory_give(lrd_gpu_vulkan *gpu, lrd_vk_place *place)
{
	lrd_vk_block *block = place->block;
	if (block == NULL)
	{
		return;
	}
	if (place->range != NULL)
	{
		lrd_ranges_give(&block->ranges, place->range, &gpu->memory.ranges);
	}
	*place = (lrd_vk_place){ 0 };
	if (block->dedicated || (block->ranges.taken == 0 && another_is_empty(gpu, block)))
	{
		lrd_vk_block **link = &gpu->memory.blocks;
		while (*link != block)
		{
			link = &(*link)->next;
		}
		*link = block->next;
		free_block(gpu, block);
	}
}

void lrd_vk_memory_free(lrd_gpu_vulkan *gpu)
{
	while (gpu->memory.blocks != NULL)
	{
		lrd_vk_block *block = gpu->memory.blocks;
		gpu->memory.blocks = block->next;
		free_block(gpu, block);
	}
	lrd_range_pool_free(&gpu->memory.ranges);
}

/// What lies free in larder's own blocks is there for larder.
static uint64_t free_in_blocks(const lrd_gpu_vulkan *gpu)
{
	uint64_t bytes = 0;
	for (const lrd_vk_block *block = gpu->memory.blocks; block != NULL; block = block->next)
	{
		bool ours = gpu->memory.properties.memoryTypes[block->type].heapIndex == gpu->memory.heap;
		bytes += ours && !block->dedicated ? block->ranges.size - block->ranges.taken : 0;
	}
	return bytes;
}

void lrd_vk_memory_budget(const lrd_gpu_vulkan *gpu, uint64_t *budget, uint64_t *used)
{
	uint64_t unused = free_in_blocks(gpu);
	*budget = 0;
	*used = gpu->memory.allocated - unused;
	if (!gpu->context.memory_budget)
	{
		return;
	}
	VkPhysicalDeviceMemoryBudgetPropertiesEXT figures = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT,
	};
	VkPhysicalDeviceMemoryProperties2 properties = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
		.pNext = &figures,
	};
	gpu->vk.GetPhysicalDeviceMemoryProperties2(gpu->context.physical_device, &properties);
	uint64_t in_use = figures.heapUsage[gpu->memory.heap];
	*budget = figures.heapBudget[gpu->memory.heap];
	*used = in_use > unused ? in_use - unused : 0;
}
