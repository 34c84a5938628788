// gpu/vulkan/submit.c: batches of copies go to the queues, and come back when the timeline says so.
//
// With one queue a batch is one submission, which signals the timeline. With a transfer queue its copies signal a semaphore of
// that queue; when that has been reached, and not before, so that frames do not wait for it, the graphics queue acquires what was
// copied and signals the timeline: the batch is sealed. Batches are sealed in order. Whatever fails for want of memory
// is tried again at the next call.

#include "gpu/vulkan/gpu.h"

#include "base/error.h"

static VkResult make_commands(lrd_gpu_vulkan *gpu, lrd_vk_batch *batch, lrd_vk_part part)
{
	bool transfer = gpu->two_queues && part == LRD_VK_COPY;
	VkCommandPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
		.queueFamilyIndex = transfer ? gpu->context.transfer_family : gpu->context.graphics_family,
	};
	VkResult result = gpu->vk.CreateCommandPool(gpu->context.device, &pool, NULL, &batch->pools[part]);
	if (result != VK_SUCCESS)
	{
		batch->pools[part] = VK_NULL_HANDLE;
		return result;
	}
	VkCommandBufferAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = batch->pools[part],
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = 1,
	};
	return gpu->vk.AllocateCommandBuffers(gpu->context.device, &info, &batch->commands[part]);
}

static VkResult make_timeline(lrd_gpu_vulkan *gpu, VkSemaphore *semaphore)
{
	VkSemaphoreTypeCreateInfo type = {
		.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
		.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
	};
	VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type };
	VkResult result = gpu->vk.CreateSemaphore(gpu->context.device, &info, NULL, semaphore);
	*semaphore = result == VK_SUCCESS ? *semaphore : VK_NULL_HANDLE;
	return result;
}

bool lrd_vk_copies_init(lrd_gpu_vulkan *gpu, lrd_error *error)
{
	lrd_vk_copies *copies = &gpu->copies;
	VkResult result = make_timeline(gpu, &copies->timeline);
	if (result == VK_SUCCESS && gpu->two_queues)
	{
		result = make_timeline(gpu, &copies->transfer);
	}
	int parts = gpu->two_queues ? LRD_VK_PARTS : LRD_VK_WRITE;
	for (int i = 0; i < LRD_VK_BATCHES * parts && result == VK_SUCCESS; ++i)
	{
		result = make_commands(gpu, &copies->batches[i / parts], (lrd_vk_part)(i % parts));
	}
	return result == VK_SUCCESS || lrd_vk_gpu_fail(gpu, error, result, "make what copies need");
}

static VkResult hand_over(lrd_gpu_vulkan *gpu, VkQueue queue, const VkSubmitInfo *info)
{
	if (gpu->context.lock_queue != NULL)
	{
		gpu->context.lock_queue(gpu->context.user, queue);
	}
	VkResult result = gpu->vk.QueueSubmit(queue, 1, info, VK_NULL_HANDLE);
	if (gpu->context.unlock_queue != NULL)
	{
		gpu->context.unlock_queue(gpu->context.user, queue);
	}
	return result;
}

/// One part of a batch. `signal` reaches the batch's value after it; VK_NULL_HANDLE: nothing does. `wait` must have reached it before.
static bool push_part(
	lrd_gpu_vulkan *gpu, lrd_vk_batch *batch, lrd_vk_part part, VkQueue queue, VkSemaphore wait, VkSemaphore signal)
{
	VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	VkTimelineSemaphoreSubmitInfo values = {
		.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
		.waitSemaphoreValueCount = wait != VK_NULL_HANDLE ? 1 : 0,
		.pWaitSemaphoreValues = &batch->value,
		.signalSemaphoreValueCount = signal != VK_NULL_HANDLE ? 1 : 0,
		.pSignalSemaphoreValues = &batch->value,
	};
	VkSubmitInfo info = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.pNext = &values,
		.waitSemaphoreCount = values.waitSemaphoreValueCount,
		.pWaitSemaphores = &wait,
		.pWaitDstStageMask = &stage,
		.commandBufferCount = batch->recorded[part] ? 1 : 0,
		.pCommandBuffers = &batch->commands[part],
		.signalSemaphoreCount = values.signalSemaphoreValueCount,
		.pSignalSemaphores = &signal,
	};
	VkResult result = hand_over(gpu, queue, &info);
	if (result != VK_SUCCESS)
	{
		return lrd_vk_gpu_fail(gpu, NULL, result, "submit copies");
	}
	batch->recorded[part] = false;
	return true;
}

static lrd_vk_batch *batch_at(lrd_gpu_vulkan *gpu, uint32_t i)
{
	return &gpu->copies.batches[(gpu->copies.first + i) % LRD_VK_BATCHES];
}

static bool push_copies(lrd_gpu_vulkan *gpu, lrd_vk_batch *batch)
{
	const lrd_vk_copies *copies = &gpu->copies;
	if (!gpu->two_queues)
	{
		batch->copied = batch->copied || push_part(gpu, batch, LRD_VK_COPY, gpu->context.graphics_queue, VK_NULL_HANDLE,
											 copies->timeline);
		batch->sealed = batch->copied;
		return batch->copied;
	}
	batch->copied = batch->copied || !batch->transfers ||
					push_part(gpu, batch, LRD_VK_COPY, gpu->context.transfer_queue, VK_NULL_HANDLE, copies->transfer);
	return batch->copied &&
		   (!batch->recorded[LRD_VK_WRITE] ||
			   push_part(gpu, batch, LRD_VK_WRITE, gpu->context.graphics_queue, VK_NULL_HANDLE, VK_NULL_HANDLE));
}

static bool reached(lrd_gpu_vulkan *gpu, VkSemaphore semaphore, uint64_t *value)
{
	VkResult result = gpu->vk.GetSemaphoreCounterValue(gpu->context.device, semaphore, value);
	return result == VK_SUCCESS || lrd_vk_gpu_fail(gpu, NULL, result, "ask how far copies are");
}

/// What the transfer queue is through with goes over to the graphics queue.
static void seal(lrd_gpu_vulkan *gpu, uint32_t handed_over)
{
	uint64_t transferred = 0;
	if (!gpu->two_queues || !reached(gpu, gpu->copies.transfer, &transferred))
	{
		return;
	}
	for (uint32_t i = 0; i < handed_over; ++i)
	{
		lrd_vk_batch *batch = batch_at(gpu, i);
		if (batch->sealed)
		{
			continue;
		}
		if (batch->transfers && batch->value > transferred)
		{
			return;
		}
		VkSemaphore wait = batch->transfers ? gpu->copies.transfer : VK_NULL_HANDLE;
		if (!push_part(gpu, batch, LRD_VK_ACQUIRE, gpu->context.graphics_queue, wait, gpu->copies.timeline))
		{
			return;
		}
		batch->sealed = true;
	}
}

static void push(lrd_gpu_vulkan *gpu)
{
	uint32_t handed_over = 0;
	while (handed_over < gpu->copies.in_flight && push_copies(gpu, batch_at(gpu, handed_over)))
	{
		++handed_over;
	}
	if (!gpu->lost)
	{
		seal(gpu, handed_over);
	}
}

static void retire(lrd_gpu_vulkan *gpu)
{
	lrd_vk_copies *copies = &gpu->copies;
	uint64_t value = 0;
	if (gpu->lost || !reached(gpu, copies->timeline, &value))
	{
		return;
	}
	copies->completed = value;
	while (copies->in_flight > 0 && batch_at(gpu, 0)->value <= value)
	{
		uint64_t end = batch_at(gpu, 0)->ring_end;
		gpu->ring.tail = end > gpu->ring.tail ? end : gpu->ring.tail;
		copies->first = (copies->first + 1) % LRD_VK_BATCHES;
		--copies->in_flight;
	}
}

/// What was submitted goes as far as it can.
static void advance(lrd_gpu_vulkan *gpu)
{
	lrd_vk_copies *copies = &gpu->copies;
	if (gpu->lost)
	{
		return;
	}
	retire(gpu);
	if (!gpu->lost && copies->recorded < copies->value && copies->in_flight < LRD_VK_BATCHES)
	{
		VkResult result = lrd_vk_record(gpu, batch_at(gpu, copies->in_flight));
		if (result == VK_SUCCESS)
		{
			++copies->in_flight;
		}
		else
		{
			lrd_vk_gpu_fail(gpu, NULL, result, "record copies");
		}
	}
	if (!gpu->lost)
	{
		push(gpu);
	}
}

uint64_t lrd_vk_submit(lrd_gpu_vulkan *gpu)
{
	lrd_vk_copies *copies = &gpu->copies;
	if (gpu->lost)
	{
		return 0;
	}
	++copies->value;
	copies->marked = copies->count;
	copies->promised = 0;
	gpu->ring.marked = gpu->ring.head;
	++gpu->submits;
	advance(gpu);
	return gpu->lost ? 0 : copies->value;
}

uint64_t lrd_vk_completed(lrd_gpu_vulkan *gpu)
{
	advance(gpu);
	retire(gpu); // once more: what is quick may be done by now
	lrd_vk_sweep(gpu, false);
	return gpu->lost ? UINT64_MAX : gpu->copies.completed;
}

static void wait_for(lrd_gpu_vulkan *gpu, VkQueue queue)
{
	if (gpu->context.lock_queue != NULL)
	{
		gpu->context.lock_queue(gpu->context.user, queue);
	}
	gpu->vk.QueueWaitIdle(queue);
	if (gpu->context.unlock_queue != NULL)
	{
		gpu->context.unlock_queue(gpu->context.user, queue);
	}
}

void lrd_vk_copies_free(lrd_gpu_vulkan *gpu)
{
	lrd_vk_copies *copies = &gpu->copies;
	if (copies->value > 0)
	{
		if (gpu->two_queues)
		{
			wait_for(gpu, gpu->context.transfer_queue);
		}
		wait_for(gpu, gpu->context.graphics_queue);
	}
	for (int i = 0; i < LRD_VK_BATCHES * LRD_VK_PARTS; ++i)
	{
		VkCommandPool pool = copies->batches[i / LRD_VK_PARTS].pools[i % LRD_VK_PARTS];
		if (pool != VK_NULL_HANDLE)
		{
			gpu->vk.DestroyCommandPool(gpu->context.device, pool, NULL);
		}
	}
	VkSemaphore semaphores[] = { copies->timeline, copies->transfer };
	for (int i = 0; i < 2; ++i)
	{
		if (semaphores[i] != VK_NULL_HANDLE)
		{
			gpu->vk.DestroySemaphore(gpu->context.device, semaphores[i], NULL);
		}
	}
	lrd_free(gpu->allocator, copies->items, copies->capacity * sizeof *copies->items);
}
