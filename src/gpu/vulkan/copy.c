// gpu/vulkan/copy.c: copies are listed, and recorded with the barriers around them when they are submitted.
//
// A level goes from nothing (VK_IMAGE_LAYOUT_UNDEFINED) to what is copied into to what is sampled. With a transfer queue that
// queue releases it to the graphics queue's family, which acquires it when the copy is done (submit.c), so that frames never
// wait for copies. Buffers are shared by both families. What frames may use already, dynamic meshes above all, is
// written on the graphics queue, in the order in which it is submitted.

#include "gpu/vulkan/gpu.h"

#include "base/error.h"

#define BARRIERS 64

bool lrd_vk_copies_reserve(lrd_gpu_vulkan *gpu, size_t more)
{
	lrd_vk_copies *copies = &gpu->copies;
	if (!LRD_RESERVE(gpu->allocator, copies->items, copies->count, copies->promised + more, copies->capacity))
	{
		return false;
	}
	copies->promised += more;
	return true;
}

static void add_copy(lrd_gpu_vulkan *gpu, const lrd_vk_copy *copy)
{
	lrd_vk_copies *copies = &gpu->copies;
	if (!LRD_RESERVE(gpu->allocator, copies->items, copies->count, 1, copies->capacity))
	{
		// More copies than a staged piece has room for, and no memory to list them.
		lrd_vk_refuse(gpu, "a copy is left out, as memory ran out");
		return;
	}
	copies->items[copies->count++] = *copy;
	copies->promised -= copies->promised > 0 ? 1 : 0;
}

static void forget_queued_level(lrd_gpu_vulkan *gpu, uint32_t index, uint32_t level)
{
	for (size_t i = 0; i < gpu->copies.count; ++i)
	{
		lrd_vk_copy *copy = &gpu->copies.items[i];
		if (!copy->is_mesh && copy->index == index && copy->level == level)
		{
			copy->index = LRD_VK_NONE;
		}
	}
}

void lrd_vk_drop_copies(lrd_gpu_vulkan *gpu, bool is_mesh, uint32_t index)
{
	const lrd_vk_object *object =
		is_mesh ? &lrd_vk_mesh_at(gpu, index)->object : &lrd_vk_texture_at(gpu, index)->object;
	if (object->filled <= gpu->copies.recorded)
	{
		return;
	}
	for (size_t i = 0; i < gpu->copies.count; ++i)
	{
		lrd_vk_copy *copy = &gpu->copies.items[i];
		if (copy->is_mesh == is_mesh && copy->index == index)
		{
			copy->index = LRD_VK_NONE;
		}
	}
}

static bool is_staged(const lrd_gpu_vulkan *gpu, uint64_t offset, uint64_t size)
{
	return offset <= gpu->ring.size && size <= gpu->ring.size - offset;
}

/// The slices and rows of blocks of a level.
static void measure(const lrd_vk_texture *texture, uint32_t level, uint32_t *slices, uint32_t *rows)
{
	*slices = lrd_texture_extent(texture->depth, level) * texture->layers;
	*rows = (lrd_texture_extent(texture->height, level) + texture->block_height - 1) / texture->block_height;
}

/// What a copy makes of a level; false: it is not what can come next.
static bool find_band(const lrd_vk_texture *texture, const lrd_gpu_texture_copy *desc, lrd_vk_copy *copy)
{
	uint32_t slices = 0, rows = 0;
	measure(texture, desc->level, &slices, &rows);
	uint64_t whole = lrd_vk_level_size(texture, desc->level);
	*copy = (lrd_vk_copy){ .begins = true,
		.ends = true,
		.index = (uint32_t)desc->texture,
		.level = desc->level,
		.slice_count = slices,
		.row_count = rows,
		.offset = desc->offset,
		.size = desc->size };
	if (desc->slice_count == 0)
	{
		return texture->opened == 0 && desc->size == whole && desc->row_count == 0;
	}
	uint64_t row_bytes = whole / slices / rows;
	uint64_t at = ((uint64_t)desc->slice * rows + desc->row) * row_bytes;
	copy->begins = at == 0;
	copy->ends = at + desc->size == whole;
	copy->slice = desc->slice;
	copy->slice_count = desc->slice_count;
	copy->row = desc->row;
	copy->row_count = desc->row_count;
	bool sound = (uint64_t)desc->slice + desc->slice_count <= slices && desc->row_count != 0 &&
				 (uint64_t)desc->row + desc->row_count <= rows && (desc->slice_count == 1 || desc->row_count == rows);
	return sound && desc->size == row_bytes * desc->row_count * desc->slice_count && at == texture->opened &&
		   (texture->opened == 0 || texture->open == desc->level);
}

/// A level that is copied from its beginning: on which queue, and that it can be. `again`: frames may use it.
static bool begin_level(lrd_gpu_vulkan *gpu, lrd_vk_texture *texture, const lrd_vk_copy *copy)
{
	uint32_t bit = 1u << copy->level;
	bool queued = (texture->queued & bit) != 0;
	bool again = (texture->levels & bit) != 0 && !queued;
	bool flies = texture->object.flown > gpu->copies.completed;
	if ((again && gpu->two_queues && flies) || (queued && (texture->banded & bit) != 0))
	{
		lrd_vk_refuse(gpu, "a copy into a level that another copy runs into");
		return false;
	}
	if (queued)
	{
		forget_queued_level(gpu, copy->index, copy->level);
	}
	texture->banded = copy->ends ? texture->banded & ~bit : texture->banded | bit;
	texture->open_again = again || (gpu->two_queues && !copy->ends && !gpu->transfers_rows);
	return true;
}

void lrd_vk_copy_texture(lrd_gpu_vulkan *gpu, const lrd_gpu_texture_copy *desc)
{
	lrd_vk_texture *texture = lrd_vk_find_texture(gpu, desc->texture);
	lrd_vk_copy copy;
	if (texture == NULL || desc->level >= texture->level_count || !find_band(texture, desc, &copy) ||
		!is_staged(gpu, desc->offset, desc->size) || desc->offset % texture->block_bytes != 0 || desc->offset % 4 != 0)
	{
		lrd_vk_refuse(gpu, "a copy into a texture that is not there, or not of a whole level or its next band, or from "
						   "where nothing is");
		return;
	}
	if (copy.begins && !begin_level(gpu, texture, &copy))
	{
		return;
	}
	uint32_t bit = copy.ends ? 1u << desc->level : 0;
	texture->open = desc->level;
	texture->opened = copy.ends ? 0 : texture->opened + desc->size;
	texture->levels |= bit;
	texture->queued |= bit;
	texture->object.filled = gpu->copies.value + 1;
	copy.again = texture->open_again;
	add_copy(gpu, &copy);
}

void lrd_vk_copy_mesh(lrd_gpu_vulkan *gpu, const lrd_gpu_mesh_copy *desc)
{
	lrd_vk_mesh *mesh = lrd_vk_find_mesh(gpu, desc->mesh);
	if (mesh == NULL || desc->size == 0 || desc->destination > mesh->size ||
		desc->size > mesh->size - desc->destination || !is_staged(gpu, desc->offset, desc->size))
	{
		lrd_vk_refuse(gpu, "a copy into a mesh that is not there, or beyond its end, or from where nothing is");
		return;
	}
	const lrd_vk_object *object = &mesh->object;
	bool again = mesh->dynamic || (object->flown != 0 && object->flown <= gpu->copies.completed);
	mesh->object.filled = gpu->copies.value + 1;
	add_copy(gpu, &(lrd_vk_copy){ .is_mesh = true,
					  .again = again,
					  .index = (uint32_t)desc->mesh,
					  .offset = desc->offset,
					  .size = desc->size,
					  .destination = desc->destination });
}

// --- Recording ---

/// Barriers of images that are told in one call.
typedef struct barriers
{
	const lrd_gpu_vulkan *gpu;
	VkCommandBuffer commands;
	VkPipelineStageFlags before;
	VkPipelineStageFlags after;
	uint32_t count;
	VkImageMemoryBarrier items[BARRIERS];
} barriers;

static void flush_barriers(barriers *list)
{
	if (list->count > 0)
	{
		list->gpu->vk.CmdPipelineBarrier(
			list->commands, list->before, list->after, 0, 0, NULL, 0, NULL, list->count, list->items);
		list->count = 0;
	}
}

static void add_barrier(barriers *list, const lrd_vk_copy *copy, const VkImageMemoryBarrier *like)
{
	const lrd_vk_texture *texture = lrd_vk_texture_at(list->gpu, copy->index);
	VkImageMemoryBarrier *barrier = &list->items[list->count++];
	*barrier = *like;
	barrier->image = texture->image;
	barrier->subresourceRange =
		(VkImageSubresourceRange){ VK_IMAGE_ASPECT_COLOR_BIT, copy->level, 1, 0, texture->layers };
	if (list->count == BARRIERS)
	{
		flush_barriers(list);
	}
}

/// Copies of a part: those that go over what frames use are a part of their own where there are two queues.
static bool belongs(const lrd_gpu_vulkan *gpu, const lrd_vk_copy *copy, lrd_vk_part part)
{
	return copy->index != LRD_VK_NONE && (!gpu->two_queues || copy->again == (part == LRD_VK_WRITE));
}

/// Levels that begin, or that end: those that come in bands are in one layout from the first to the last.
static void all_textures(
	lrd_gpu_vulkan *gpu, lrd_vk_part part, bool begin, barriers *list, const VkImageMemoryBarrier *like)
{
	for (size_t i = 0; i < gpu->copies.marked; ++i)
	{
		const lrd_vk_copy *copy = &gpu->copies.items[i];
		if (belongs(gpu, copy, part) && !copy->is_mesh && (begin ? copy->begins : copy->ends))
		{
			add_barrier(list, copy, like);
		}
	}
	flush_barriers(list);
}

static VkImageMemoryBarrier barrier_into_copies(void)
{
	return (VkImageMemoryBarrier){
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.oldLayout = VK_IMAGE_LAYOUT_UNDEFINED, // whatever was there is written over, whole
		.newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
	};
}

/// From copied to sampled; `released`: by one family to another, each of which says the same and leaves the other's half out.
static VkImageMemoryBarrier barrier_out_of_copies(const lrd_gpu_vulkan *gpu, bool released)
{
	return (VkImageMemoryBarrier){
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_SHADER_READ_BIT,
		.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
		.newLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
		.srcQueueFamilyIndex = released ? gpu->context.transfer_family : VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = released ? gpu->context.graphics_family : VK_QUEUE_FAMILY_IGNORED,
	};
}

static void barrier_of_memory(const lrd_gpu_vulkan *gpu, VkCommandBuffer commands, VkPipelineStageFlags before,
	VkAccessFlags written, VkPipelineStageFlags after, VkAccessFlags used)
{
	VkMemoryBarrier barrier = { VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, written, used };
	gpu->vk.CmdPipelineBarrier(commands, before, after, 0, 1, &barrier, 0, NULL, 0, NULL);
}

static void record_texture(lrd_gpu_vulkan *gpu, VkCommandBuffer commands, const lrd_vk_copy *copy)
{
	const lrd_vk_texture *texture = lrd_vk_texture_at(gpu, copy->index);
	uint32_t height = lrd_texture_extent(texture->height, copy->level);
	uint32_t top = copy->row * texture->block_height;
	uint32_t rows = copy->row_count * texture->block_height;
	bool deep = texture->depth > 1;
	VkBufferImageCopy region = {
		.bufferOffset = copy->offset,
		.imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, copy->level, deep ? 0 : copy->slice,
			deep ? 1 : copy->slice_count },
		.imageOffset = { 0, (int32_t)top, deep ? (int32_t)copy->slice : 0 },
		.imageExtent = { lrd_texture_extent(texture->width, copy->level), rows < height - top ? rows : height - top,
			deep ? copy->slice_count : 1 },
	};
	gpu->vk.CmdCopyBufferToImage(
		commands, gpu->ring.buffer, texture->image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
	gpu->copied_bytes += copy->size;
}

static void record_mesh(lrd_gpu_vulkan *gpu, VkCommandBuffer commands, const lrd_vk_copy *copy)
{
	lrd_vk_mesh *mesh = lrd_vk_mesh_at(gpu, copy->index);
	uint64_t end = copy->destination + copy->size;
	bool written = mesh->since == gpu->copies.epoch;
	if (written && copy->destination < mesh->high && mesh->low < end)
	{
		barrier_of_memory(gpu, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
			VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT);
		++gpu->copies.epoch;
		written = false;
	}
	mesh->since = gpu->copies.epoch;
	mesh->low = written && mesh->low < copy->destination ? mesh->low : copy->destination;
	mesh->high = written && mesh->high > end ? mesh->high : end;
	VkBufferCopy region = { copy->offset, mesh->object.place.offset + copy->destination, copy->size };
	gpu->vk.CmdCopyBuffer(commands, gpu->ring.buffer, mesh->buffer, 1, &region);
	gpu->copied_bytes += copy->size;
}

/// What a part has in it.
typedef struct contents
{
	bool textures;
	bool ends; // levels
	bool meshes;
	bool again;
} contents;

static contents look_through(const lrd_gpu_vulkan *gpu, lrd_vk_part part)
{
	contents found = { false, false, false, false };
	for (size_t i = 0; i < gpu->copies.marked; ++i)
	{
		const lrd_vk_copy *copy = &gpu->copies.items[i];
		if (belongs(gpu, copy, part))
		{
			found.textures = found.textures || !copy->is_mesh;
			found.ends = found.ends || (!copy->is_mesh && copy->ends);
			found.meshes = found.meshes || copy->is_mesh;
			found.again = found.again || copy->again;
		}
	}
	return found;
}

static void record_copies(lrd_gpu_vulkan *gpu, VkCommandBuffer commands, lrd_vk_part part, const contents *what)
{
	// Over what frames use: they must be through with it. Over what only copies have touched: those must be.
	VkPipelineStageFlags users = what->again ? VK_PIPELINE_STAGE_ALL_COMMANDS_BIT : VK_PIPELINE_STAGE_TRANSFER_BIT;
	VkImageMemoryBarrier into = barrier_into_copies();
	barriers list = { gpu, commands, users, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, { { 0 } } };
	all_textures(gpu, part, true, &list, &into);
	if (what->meshes)
	{
		barrier_of_memory(gpu, commands, users, VK_ACCESS_MEMORY_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
			VK_ACCESS_TRANSFER_WRITE_BIT);
	}
	++gpu->copies.epoch;
	for (size_t i = 0; i < gpu->copies.marked; ++i)
	{
		const lrd_vk_copy *copy = &gpu->copies.items[i];
		if (belongs(gpu, copy, part))
		{
			(copy->is_mesh ? record_mesh : record_texture)(gpu, commands, copy);
		}
	}
	bool released = gpu->two_queues && part == LRD_VK_COPY;
	VkImageMemoryBarrier out = barrier_out_of_copies(gpu, released);
	out.dstAccessMask = released ? 0u : out.dstAccessMask;
	list.before = VK_PIPELINE_STAGE_TRANSFER_BIT;
	list.after = released ? VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT : VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	all_textures(gpu, part, false, &list, &out);
	if (what->meshes && !released) // the semaphore does it from queue to queue
	{
		barrier_of_memory(gpu, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
			VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_READ_BIT);
	}
}

static void record_acquire(lrd_gpu_vulkan *gpu, VkCommandBuffer commands)
{
	VkImageMemoryBarrier acquire = barrier_out_of_copies(gpu, true);
	acquire.srcAccessMask = 0;
	// From the stage on that waits for the transfer queue's semaphore.
	barriers list = { gpu, commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0,
		{ { 0 } } };
	all_textures(gpu, LRD_VK_COPY, false, &list, &acquire);
}

static VkResult record_part(lrd_gpu_vulkan *gpu, lrd_vk_batch *batch, lrd_vk_part part)
{
	contents what = look_through(gpu, part == LRD_VK_ACQUIRE ? LRD_VK_COPY : part);
	bool needed = part == LRD_VK_ACQUIRE ? what.ends : what.textures || what.meshes;
	if (!needed)
	{
		return VK_SUCCESS;
	}
	VkCommandBuffer commands = batch->commands[part];
	VkCommandBufferBeginInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
	};
	VkResult result = gpu->vk.ResetCommandPool(gpu->context.device, batch->pools[part], 0);
	result = result == VK_SUCCESS ? gpu->vk.BeginCommandBuffer(commands, &info) : result;
	if (result != VK_SUCCESS)
	{
		return result;
	}
	if (part == LRD_VK_ACQUIRE)
	{
		record_acquire(gpu, commands);
	}
	else
	{
		record_copies(gpu, commands, part, &what);
	}
	result = gpu->vk.EndCommandBuffer(commands);
	batch->recorded[part] = result == VK_SUCCESS;
	return result;
}

/// What is recorded will be submitted, sooner or later: the objects know it, and the list forgets it.
static void take_off(lrd_gpu_vulkan *gpu, uint64_t value)
{
	lrd_vk_copies *copies = &gpu->copies;
	for (size_t i = 0; i < copies->marked; ++i)
	{
		const lrd_vk_copy *copy = &copies->items[i];
		if (copy->index == LRD_VK_NONE)
		{
			continue;
		}
		if (copy->is_mesh)
		{
			lrd_vk_mesh_at(gpu, copy->index)->object.flown = value;
			continue;
		}
		lrd_vk_texture *texture = lrd_vk_texture_at(gpu, copy->index);
		texture->object.flown = value;
		texture->queued &= copy->ends ? ~(1u << copy->level) : UINT32_MAX;
	}
	copies->count -= copies->marked;
	if (copies->count > 0)
	{
		memmove(copies->items, copies->items + copies->marked, copies->count * sizeof *copies->items);
	}
	copies->marked = 0;
	copies->recorded = value;
}

VkResult lrd_vk_record(lrd_gpu_vulkan *gpu, lrd_vk_batch *batch)
{
	uint64_t copied = gpu->copied_bytes;
	VkResult result = VK_SUCCESS;
	memset(batch->recorded, 0, sizeof batch->recorded);
	for (lrd_vk_part part = LRD_VK_COPY; part < (gpu->two_queues ? LRD_VK_PARTS : LRD_VK_WRITE); ++part)
	{
		result = result == VK_SUCCESS ? record_part(gpu, batch, part) : result;
	}
	if (result != VK_SUCCESS)
	{
		gpu->copied_bytes = copied;
		return result;
	}
	batch->transfers = gpu->two_queues && batch->recorded[LRD_VK_COPY];
	batch->copied = false;
	batch->sealed = false;
	batch->value = gpu->copies.value;
	batch->ring_end = gpu->ring.marked;
	take_off(gpu, batch->value);
	return VK_SUCCESS;
}
