// gpu/vulkan/slots.c: which texture each slot samples, the samplers, and the table that shaders index: a set of descriptors for each
// frame that may be in flight, written when its frame is through, so that no frame sees a slot change under it.

#include "gpu/vulkan/gpu.h"

#include "base/error.h"
#include "larder/material.h"

#define SLOTS 65536
#define SLOTS_OF_OTHERS 64 // images that a renderer samples beside the table
#define WRITES 64
#define WRAPS 3

uint32_t lrd_gpu_vulkan_sampler_index(lrd_texture_sampling sampling)
{
	uint32_t u = sampling.wrap_u < WRAPS ? sampling.wrap_u : 0;
	uint32_t v = sampling.wrap_v < WRAPS ? sampling.wrap_v : 0;
	uint32_t filter = sampling.filter == LRD_FILTER_POINT ? 1 : 0;
	return (filter * WRAPS + v) * WRAPS + u;
}

static VkSamplerAddressMode address_mode(uint32_t wrap)
{
	static const VkSamplerAddressMode modes[WRAPS] = {
		[LRD_WRAP_REPEAT] = VK_SAMPLER_ADDRESS_MODE_REPEAT,
		[LRD_WRAP_CLAMP] = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
		[LRD_WRAP_MIRROR] = VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT,
	};
	return modes[wrap % WRAPS];
}

static VkResult make_samplers(lrd_gpu_vulkan *gpu, float max_anisotropy)
{
	float most = gpu->properties.limits.maxSamplerAnisotropy;
	float anisotropy = max_anisotropy < most ? max_anisotropy : most;
	VkResult result = VK_SUCCESS;
	for (uint32_t i = 0; i < LRD_VULKAN_SAMPLER_COUNT && result == VK_SUCCESS; ++i)
	{
		bool point = i / (WRAPS * WRAPS) == 1;
		bool anisotropic = gpu->context.sampler_anisotropy && anisotropy > 1.0f && !point;
		VkSamplerCreateInfo info = {
			.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
			.magFilter = point ? VK_FILTER_NEAREST : VK_FILTER_LINEAR,
			.minFilter = point ? VK_FILTER_NEAREST : VK_FILTER_LINEAR,
			.mipmapMode = point ? VK_SAMPLER_MIPMAP_MODE_NEAREST : VK_SAMPLER_MIPMAP_MODE_LINEAR,
			.addressModeU = address_mode(i),
			.addressModeV = address_mode(i / WRAPS),
			.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
			.anisotropyEnable = anisotropic,
			.maxAnisotropy = anisotropic ? anisotropy : 1.0f,
			.maxLod = VK_LOD_CLAMP_NONE,
		};
		result = gpu->vk.CreateSampler(gpu->context.device, &info, NULL, &gpu->slots.samplers[i]);
		gpu->slots.samplers[i] = result == VK_SUCCESS ? gpu->slots.samplers[i] : VK_NULL_HANDLE;
	}
	return result;
}

/// As many as the device lets a shader index, less what its owner needs beside.
static uint32_t slots_allowed(const lrd_gpu_vulkan *gpu, uint32_t wanted)
{
	if (!gpu->context.descriptor_indexing)
	{
		return wanted;
	}
	const VkPhysicalDeviceVulkan12Properties *limits = &gpu->properties12;
	uint32_t most = limits->maxPerStageDescriptorUpdateAfterBindSampledImages;
	uint32_t others[] = { limits->maxDescriptorSetUpdateAfterBindSampledImages,
		limits->maxPerStageUpdateAfterBindResources, limits->maxUpdateAfterBindDescriptorsInAllPools / gpu->frames };
	for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
	{
		most = others[i] < most ? others[i] : most;
	}
	most = most > 2 * SLOTS_OF_OTHERS ? most - SLOTS_OF_OTHERS : most / 2;
	return wanted < most ? wanted : most;
}

static VkResult make_layout(lrd_gpu_vulkan *gpu)
{
	VkDescriptorSetLayoutBinding bindings[2] = {
		{ 0, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, gpu->slots.count, VK_SHADER_STAGE_ALL, NULL },
		{ 1, VK_DESCRIPTOR_TYPE_SAMPLER, LRD_VULKAN_SAMPLER_COUNT, VK_SHADER_STAGE_ALL, gpu->slots.samplers },
	};
	VkDescriptorBindingFlags flags[2] = {
		VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT | VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT,
		0,
	};
	VkDescriptorSetLayoutBindingFlagsCreateInfo binding_flags = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
		.bindingCount = 2,
		.pBindingFlags = flags,
	};
	VkDescriptorSetLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.pNext = &binding_flags,
		.flags = VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT,
		.bindingCount = 2,
		.pBindings = bindings,
	};
	VkResult result = gpu->vk.CreateDescriptorSetLayout(gpu->context.device, &info, NULL, &gpu->slots.layout);
	gpu->slots.layout = result == VK_SUCCESS ? gpu->slots.layout : VK_NULL_HANDLE;
	return result;
}

static VkResult make_sets(lrd_gpu_vulkan *gpu)
{
	VkDescriptorPoolSize sizes[2] = {
		{ VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, gpu->slots.count * gpu->frames },
		{ VK_DESCRIPTOR_TYPE_SAMPLER, LRD_VULKAN_SAMPLER_COUNT * gpu->frames },
	};
	VkDescriptorPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.flags = VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT,
		.maxSets = gpu->frames,
		.poolSizeCount = 2,
		.pPoolSizes = sizes,
	};
	VkResult result = gpu->vk.CreateDescriptorPool(gpu->context.device, &pool, NULL, &gpu->slots.pool);
	if (result != VK_SUCCESS)
	{
		gpu->slots.pool = VK_NULL_HANDLE;
		return result;
	}
	VkDescriptorSetLayout layouts[LRD_VK_FRAMES_MAX];
	for (uint32_t i = 0; i < gpu->frames; ++i)
	{
		layouts[i] = gpu->slots.layout;
	}
	VkDescriptorSetAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = gpu->slots.pool,
		.descriptorSetCount = gpu->frames,
		.pSetLayouts = layouts,
	};
	return gpu->vk.AllocateDescriptorSets(gpu->context.device, &info, gpu->slots.sets);
}

static bool make_table(lrd_gpu_vulkan *gpu, lrd_error *error)
{
	if (!gpu->context.descriptor_indexing)
	{
		return true;
	}
	lrd_vk_slots *slots = &gpu->slots;
	slots->words = (slots->count + 63) / 64;
	slots->changed = lrd_alloc_zeroed(gpu->allocator, slots->words * gpu->frames, sizeof *slots->changed);
	if (slots->changed == NULL)
	{
		return lrd_fail_memory(error, "texture slots", slots->words * gpu->frames * sizeof *slots->changed);
	}
	VkResult result = make_layout(gpu);
	result = result == VK_SUCCESS ? make_sets(gpu) : result;
	return result == VK_SUCCESS || lrd_vk_gpu_fail(gpu, error, result, "make the table of textures");
}

bool lrd_vk_slots_init(lrd_gpu_vulkan *gpu, const lrd_gpu_vulkan_desc *desc, lrd_error *error)
{
	lrd_vk_slots *slots = &gpu->slots;
	slots->count = slots_allowed(gpu, desc->texture_slots != 0 ? desc->texture_slots : SLOTS);
	slots->items = lrd_alloc_zeroed(gpu->allocator, slots->count, sizeof *slots->items);
	if (slots->items == NULL)
	{
		return lrd_fail_memory(error, "texture slots", slots->count * sizeof *slots->items);
	}
	VkResult result = make_samplers(gpu, desc->max_anisotropy > 0.0f ? desc->max_anisotropy : 8.0f);
	return result == VK_SUCCESS ? make_table(gpu, error) : lrd_vk_gpu_fail(gpu, error, result, "make samplers");
}

void lrd_vk_slots_free(lrd_gpu_vulkan *gpu)
{
	lrd_vk_slots *slots = &gpu->slots;
	VkDevice device = gpu->context.device;
	if (slots->pool != VK_NULL_HANDLE)
	{
		gpu->vk.DestroyDescriptorPool(device, slots->pool, NULL);
	}
	if (slots->layout != VK_NULL_HANDLE)
	{
		gpu->vk.DestroyDescriptorSetLayout(device, slots->layout, NULL);
	}
	for (uint32_t i = 0; i < LRD_VULKAN_SAMPLER_COUNT; ++i)
	{
		if (slots->samplers[i] != VK_NULL_HANDLE)
		{
			gpu->vk.DestroySampler(device, slots->samplers[i], NULL);
		}
	}
	lrd_free(gpu->allocator, slots->changed, slots->words * gpu->frames * sizeof *slots->changed);
	lrd_free(gpu->allocator, slots->items, slots->count * sizeof *slots->items);
}

void lrd_vk_bind(lrd_gpu_vulkan *gpu, uint32_t slot, lrd_gpu_object number)
{
	lrd_vk_slots *slots = &gpu->slots;
	if (slot >= slots->count)
	{
		lrd_vk_refuse(gpu, "a slot was bound that is not there");
		return;
	}
	const lrd_vk_texture *texture = lrd_vk_find_texture(gpu, number);
	if (number != 0 && (texture == NULL || !lrd_vk_texture_is_whole(gpu, texture)))
	{
		lrd_vk_refuse(gpu, "a texture was bound that is not there, or not copied yet");
		return;
	}
	slots->items[slot] = (lrd_vk_slot){ number, ++slots->revision };
	if (slots->layout == VK_NULL_HANDLE)
	{
		return;
	}
	for (uint32_t i = 0; i < gpu->frames; ++i)
	{
		slots->changed[i * slots->words + slot / 64] |= 1ull << (slot % 64);
	}
}

uint64_t lrd_gpu_vulkan_slot(const lrd_gpu_vulkan *gpu, uint32_t slot, VkImageView *view, VkSampler *sampler)
{
	const lrd_vk_slot *item = slot < gpu->slots.count ? &gpu->slots.items[slot] : NULL;
	const lrd_vk_texture *texture = item != NULL ? lrd_vk_find_texture(gpu, item->texture) : NULL;
	if (view != NULL)
	{
		*view = texture != NULL ? texture->view : VK_NULL_HANDLE;
	}
	if (sampler != NULL)
	{
		*sampler = texture != NULL ? gpu->slots.samplers[texture->sampler] : VK_NULL_HANDLE;
	}
	return texture != NULL ? item->revision : 0;
}

VkSampler lrd_gpu_vulkan_sampler(const lrd_gpu_vulkan *gpu, uint32_t index)
{
	return index < LRD_VULKAN_SAMPLER_COUNT ? gpu->slots.samplers[index] : VK_NULL_HANDLE;
}

VkDescriptorSetLayout lrd_gpu_vulkan_table_layout(const lrd_gpu_vulkan *gpu)
{
	return gpu->slots.layout;
}

/// Writes of descriptors that are told in one call.
typedef struct slot_writes
{
	uint32_t count;
	VkDescriptorImageInfo images[WRITES];
	VkWriteDescriptorSet items[WRITES];
} slot_writes;

static void flush_writes(lrd_gpu_vulkan *gpu, slot_writes *writes)
{
	if (writes->count > 0)
	{
		gpu->vk.UpdateDescriptorSets(gpu->context.device, writes->count, writes->items, 0, NULL);
		writes->count = 0;
	}
}

static void write_slot(lrd_gpu_vulkan *gpu, slot_writes *writes, VkDescriptorSet set, uint32_t slot)
{
	const lrd_vk_texture *texture = lrd_vk_find_texture(gpu, gpu->slots.items[slot].texture);
	if (texture == NULL)
	{
		return; // what the set has there is never looked at again
	}
	uint32_t i = writes->count++;
	writes->images[i] =
		(VkDescriptorImageInfo){ VK_NULL_HANDLE, texture->view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL };
	writes->items[i] = (VkWriteDescriptorSet){
		.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		.dstSet = set,
		.dstBinding = 0,
		.dstArrayElement = slot,
		.descriptorCount = 1,
		.descriptorType = VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
		.pImageInfo = &writes->images[i],
	};
	if (writes->count == WRITES)
	{
		flush_writes(gpu, writes);
	}
}

VkDescriptorSet lrd_gpu_vulkan_table(lrd_gpu_vulkan *gpu, uint64_t frame)
{
	lrd_vk_slots *slots = &gpu->slots;
	if (slots->layout == VK_NULL_HANDLE)
	{
		return VK_NULL_HANDLE;
	}
	uint32_t set = (uint32_t)(frame % gpu->frames);
	uint64_t *changed = slots->changed + set * slots->words;
	slot_writes writes = { .count = 0 };
	for (size_t word = 0; word < slots->words; ++word)
	{
		for (; changed[word] != 0; changed[word] &= changed[word] - 1)
		{
			uint32_t bit = (uint32_t)__builtin_ctzll(changed[word]);
			write_slot(gpu, &writes, slots->sets[set], (uint32_t)(word * 64) + bit);
		}
	}
	flush_writes(gpu, &writes);
	return slots->sets[set];
}
