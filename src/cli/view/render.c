// Frames: buffers and descriptors of each, its commands, and how far the GPU is.

#include "cli/view/render.h"

#include <stdlib.h>
#include <string.h>

#define STORAGE VK_BUFFER_USAGE_STORAGE_BUFFER_BIT

// --- Beginning and end ---

static bool make_sampler(const view_vulkan *vk, VkFilter filter, VkSamplerMipmapMode mode, VkSampler *sampler)
{
	VkSamplerCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
		.magFilter = filter,
		.minFilter = filter,
		.mipmapMode = mode,
		.addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
		.addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
		.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
		.maxLod = VK_LOD_CLAMP_NONE };
	return view_check(vk->CreateSampler(vk->device, &info, NULL, sampler), "a sampler");
}

static bool make_frame(view_frame *self, const view_vulkan *vk)
{
	VkCommandPoolCreateInfo pool = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
		.queueFamilyIndex = vk->context->graphics_family };
	VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
	if (!view_check(vk->CreateCommandPool(vk->device, &pool, NULL, &self->pool), "commands") ||
		!view_check(vk->CreateFence(vk->device, &fence, NULL, &self->fence), "a fence"))
	{
		return false;
	}
	VkCommandBufferAllocateInfo commands = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = self->pool, .commandBufferCount = 1
	};
	return view_check(vk->AllocateCommandBuffers(vk->device, &commands, &self->commands), "commands") &&
		   view_buffer_make(vk, &self->uniforms, view_uniforms_size(), VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, false) &&
		   view_buffer_reserve(vk, &self->instances, 1, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT) &&
		   view_buffer_reserve(vk, &self->palettes, 1, STORAGE) &&
		   view_buffer_reserve(vk, &self->materials, 1, VIEW_MATERIALS_USAGE) &&
		   view_buffer_reserve(vk, &self->morphs, 1, STORAGE) && view_buffer_reserve(vk, &self->sheet, 1, STORAGE) &&
		   view_buffer_make(vk, &self->tables, VIEW_TABLES_SIZE, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, false);
}

static void free_frame(view_frame *self, const view_vulkan *vk)
{
	vk->DestroyCommandPool(vk->device, self->pool, NULL);
	vk->DestroyFence(vk->device, self->fence, NULL);
	vk->DestroyDescriptorPool(vk->device, self->descriptors, NULL);
	view_buffer *const buffers[] = { &self->uniforms, &self->instances, &self->palettes, &self->materials,
		&self->morphs, &self->sheet, &self->tables };
	for (size_t i = 0; i < sizeof buffers / sizeof *buffers; ++i)
	{
		view_buffer_free(vk, buffers[i]);
	}
}

bool view_renderer_make(view_renderer *self, const view_vulkan *vk, lrd_gpu_vulkan *gpu, lrd_store *store,
	lrd_residents *residents, uint32_t width, uint32_t height, bool uses_sets)
{
	*self = (view_renderer){ .vk = vk, .gpu = gpu, .store = store, .residents = residents, .next_number = 1 };
	const view_image_desc white = { .format = VK_FORMAT_R8G8B8A8_UNORM,
		.width = 1,
		.height = 1,
		.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT };
	view_image_desc dark = white, tables = white;
	dark.is_cube = true;
	tables.format = VK_FORMAT_R16G16B16A16_SFLOAT;
	tables.width = VIEW_TABLES_WIDTH;
	tables.height = VIEW_TABLES_HEIGHT;
	self->texels = calloc(VIEW_TABLES_SIZE, 1);
	if (self->texels == NULL)
	{
		cli_error("view: out of memory");
		return false;
	}
	bool good =
		view_pipelines_make(&self->pipelines, vk, uses_sets ? VK_NULL_HANDLE : lrd_gpu_vulkan_table_layout(gpu)) &&
		view_targets_make(&self->targets, vk, &self->pipelines, width, height) &&
		make_sampler(vk, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR, &self->sky_sampler) &&
		make_sampler(vk, VK_FILTER_LINEAR, VK_SAMPLER_MIPMAP_MODE_LINEAR, &self->behind_sampler) &&
		make_sampler(vk, VK_FILTER_NEAREST, VK_SAMPLER_MIPMAP_MODE_NEAREST, &self->flat_sampler) &&
		view_image_make(vk, &self->white, &white) && view_image_make(vk, &self->dark, &dark) &&
		view_image_make(vk, &self->tables, &tables);
	for (uint32_t i = 0; good && i < VIEW_FRAMES; ++i)
	{
		good = make_frame(&self->frames[i], vk);
	}
	view_tables_integrate(self->texels);
	return good;
}

void view_renderer_free(view_renderer *self)
{
	const view_vulkan *vk = self->vk;
	if (vk == NULL)
	{
		return;
	}
	vk->DeviceWaitIdle(vk->device);
	for (uint32_t i = 0; i < VIEW_FRAMES; ++i)
	{
		free_frame(&self->frames[i], vk);
	}
	view_targets_free(&self->targets, vk);
	view_pipelines_free(&self->pipelines, vk);
	vk->DestroySampler(vk->device, self->sky_sampler, NULL);
	vk->DestroySampler(vk->device, self->behind_sampler, NULL);
	vk->DestroySampler(vk->device, self->flat_sampler, NULL);
	view_image_free(vk, &self->white);
	view_image_free(vk, &self->dark);
	view_image_free(vk, &self->tables);
	free(self->texels);
	view_draws_free(self);
	*self = (view_renderer){ 0 };
}

bool view_renderer_resize(view_renderer *self, uint32_t width, uint32_t height)
{
	if (self->targets.width == width && self->targets.height == height)
	{
		return true;
	}
	if (!view_renderer_wait(self))
	{
		return false;
	}
	view_targets_free(&self->targets, self->vk);
	return view_targets_make(&self->targets, self->vk, &self->pipelines, width, height);
}

// --- How far the GPU is ---

static void land(view_renderer *self, view_frame *frame)
{
	frame->is_flying = false;
	self->completed = frame->number > self->completed ? frame->number : self->completed;
}

void view_renderer_poll(view_renderer *self)
{
	for (uint32_t i = 0; i < VIEW_FRAMES; ++i)
	{
		view_frame *frame = &self->frames[i];
		if (frame->is_flying && self->vk->GetFenceStatus(self->vk->device, frame->fence) == VK_SUCCESS)
		{
			land(self, frame);
		}
	}
}

static bool wait_frame(view_renderer *self, view_frame *frame)
{
	const view_vulkan *vk = self->vk;
	if (frame->is_flying)
	{
		if (!view_check(vk->WaitForFences(vk->device, 1, &frame->fence, VK_TRUE, UINT64_MAX), "a frame"))
		{
			return false;
		}
		land(self, frame);
	}
	return true;
}

bool view_renderer_make_room(view_renderer *self)
{
	return wait_frame(self, &self->frames[self->next_number % VIEW_FRAMES]);
}

bool view_renderer_wait(view_renderer *self)
{
	bool good = true;
	for (uint32_t i = 0; i < VIEW_FRAMES; ++i)
	{
		good = wait_frame(self, &self->frames[i]) && good;
	}
	return good;
}

// --- Descriptors: all of a frame are made anew for it, so that none that a frame in flight uses is ever written ---

/// Room for the sets of a frame: one of its own, one of post, and for each draw at most one of a mesh and one of a material.
static bool make_descriptors(view_renderer *self, view_frame *frame, uint32_t materials)
{
	const view_vulkan *vk = self->vk;
	if (frame->descriptors != VK_NULL_HANDLE && frame->descriptor_room >= materials)
	{
		return view_check(vk->ResetDescriptorPool(vk->device, frame->descriptors, 0), "descriptors");
	}
	vk->DestroyDescriptorPool(vk->device, frame->descriptors, NULL);
	frame->descriptors = VK_NULL_HANDLE;
	uint32_t room = 64;
	while (room < materials)
	{
		room *= 2;
	}
	const VkDescriptorPoolSize sizes[] = {
		{ VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1 + room },
		{ VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 4 + room },
		{ VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 4 + LRD_SLOT_COUNT * room },
	};
	VkDescriptorPoolCreateInfo info = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = 2 + 2 * room,
		.poolSizeCount = 3,
		.pPoolSizes = sizes };
	frame->descriptor_room = room;
	return view_check(vk->CreateDescriptorPool(vk->device, &info, NULL, &frame->descriptors), "descriptors");
}

static VkDescriptorSet allocate_set(view_renderer *self, view_frame *frame, VkDescriptorSetLayout layout)
{
	VkDescriptorSet set = VK_NULL_HANDLE;
	VkDescriptorSetAllocateInfo info = { .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = frame->descriptors,
		.descriptorSetCount = 1,
		.pSetLayouts = &layout };
	view_check(self->vk->AllocateDescriptorSets(self->vk->device, &info, &set), "descriptors");
	return set;
}

static VkDescriptorSet make_frame_set(view_renderer *self, view_frame *frame, const view_picture *picture)
{
	VkDescriptorSet set = allocate_set(self, frame, self->pipelines.frame_layout);
	if (set == VK_NULL_HANDLE)
	{
		return set;
	}
	const VkDescriptorBufferInfo buffers[] = { { frame->uniforms.buffer, 0, VK_WHOLE_SIZE },
		{ frame->palettes.buffer, 0, VK_WHOLE_SIZE }, { frame->morphs.buffer, 0, VK_WHOLE_SIZE },
		{ frame->materials.buffer, 0, VK_WHOLE_SIZE } };
	VkDescriptorImageInfo images[] = {
		{ self->sky_sampler, self->dark.view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL },
		{ self->behind_sampler, self->targets.behind.view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL },
		{ self->behind_sampler, self->tables.view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL },
	};
	VkSampler sampler;
	lrd_resident_texture texture;
	if (picture->sky->slot != LRD_GPU_NO_SLOT &&
		lrd_residents_get_texture(self->residents, picture->sky->slot, &texture) && texture.object != 0)
	{
		lrd_gpu_vulkan_slot(self->gpu, picture->sky->slot, &images[0].imageView, &sampler);
	}
	static const uint32_t buffer_places[] = { 0, 2, 4, 3 }, image_places[] = { 5, 6, 7 };
	VkWriteDescriptorSet writes[7];
	for (uint32_t i = 0; i < 3; ++i)
	{
		writes[i] = (VkWriteDescriptorSet){ .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			.dstSet = set,
			.dstBinding = image_places[i],
			.descriptorCount = 1,
			.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
			.pImageInfo = &images[i] };
	}
	for (uint32_t i = 0; i < 4; ++i)
	{
		writes[3 + i] = (VkWriteDescriptorSet){ .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			.dstSet = set,
			.dstBinding = buffer_places[i],
			.descriptorCount = 1,
			.descriptorType = i == 0 ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
			.pBufferInfo = &buffers[i] };
	}
	self->vk->UpdateDescriptorSets(self->vk->device, self->pipelines.has_table ? 7 : 6, writes, 0, NULL);
	return set;
}

static VkDescriptorSet make_mesh_set(view_renderer *self, view_frame *frame, VkBuffer buffer)
{
	VkDescriptorSet set = allocate_set(self, frame, self->pipelines.mesh_layout);
	const VkDescriptorBufferInfo info = { buffer, 0, VK_WHOLE_SIZE };
	const VkWriteDescriptorSet write = { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		.dstSet = set,
		.descriptorCount = 1,
		.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
		.pBufferInfo = &info };
	if (set != VK_NULL_HANDLE)
	{
		self->vk->UpdateDescriptorSets(self->vk->device, 1, &write, 0, NULL);
	}
	return set;
}

static void write_maps(view_renderer *self, VkDescriptorSet set, const VkDescriptorImageInfo infos[LRD_SLOT_COUNT])
{
	const VkWriteDescriptorSet write = { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		.dstSet = set,
		.descriptorCount = LRD_SLOT_COUNT,
		.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
		.pImageInfo = infos };
	if (set != VK_NULL_HANDLE)
	{
		self->vk->UpdateDescriptorSets(self->vk->device, 1, &write, 0, NULL);
	}
}

static VkDescriptorSet make_texture_set(view_renderer *self, view_frame *frame, uint32_t slot)
{
	VkDescriptorSet set = allocate_set(self, frame, self->pipelines.material_layout);
	VkDescriptorImageInfo infos[LRD_SLOT_COUNT];
	for (uint32_t i = 0; i < LRD_SLOT_COUNT; ++i)
	{
		infos[i] =
			(VkDescriptorImageInfo){ self->flat_sampler, self->white.view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL };
	}
	view_map_find(self, slot, &infos[0].imageView, &infos[0].sampler);
	write_maps(self, set, infos);
	return set;
}

static VkDescriptorSet make_material_set(view_renderer *self, view_frame *frame, uint32_t row)
{
	VkDescriptorSet set = allocate_set(self, frame, self->pipelines.material_layout);
	const lrd_resident_material *material = row != 0 ? lrd_residents_get_material(self->residents, row - 1) : NULL;
	VkDescriptorImageInfo infos[LRD_SLOT_COUNT];
	for (uint32_t i = 0; i < LRD_SLOT_COUNT; ++i)
	{
		infos[i] =
			(VkDescriptorImageInfo){ self->flat_sampler, self->white.view, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL };
		uint32_t sampler;
		if (view_map_of(self, material, i, &infos[i].imageView, &sampler))
		{
			infos[i].sampler = lrd_gpu_vulkan_sampler(self->gpu, sampler);
		}
	}
	write_maps(self, set, infos);
	const VkDescriptorBufferInfo buffer = { frame->materials.buffer, row * view_material_row_size(),
		view_material_row_size() };
	const VkWriteDescriptorSet write = { .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
		.dstSet = set,
		.dstBinding = 1,
		.descriptorCount = 1,
		.descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER,
		.pBufferInfo = &buffer };
	if (set != VK_NULL_HANDLE)
	{
		self->vk->UpdateDescriptorSets(self->vk->device, 1, &write, 0, NULL);
	}
	return set;
}

// --- Commands ---

static void set_viewport(const view_renderer *self, VkCommandBuffer commands, bool is_upright)
{
	float width = (float)self->targets.width, height = (float)self->targets.height;
	// Y points up in clip space, as everywhere but in Vulkan.
	const VkViewport viewport = { 0, is_upright ? height : 0, width, is_upright ? -height : height, 0, 1 };
	const VkRect2D scissor = { { 0, 0 }, { self->targets.width, self->targets.height } };
	self->vk->CmdSetViewport(commands, 0, 1, &viewport);
	self->vk->CmdSetScissor(commands, 0, 1, &scissor);
}

static void begin_pass(
	const view_renderer *self, VkCommandBuffer commands, VkRenderPass pass, VkFramebuffer framebuffer)
{
	const VkClearValue clear[2] = { { .color = { { 0, 0, 0, 0 } } }, { .depthStencil = { 0.0f, 0 } } };
	const VkRenderPassBeginInfo info = { .sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
		.renderPass = pass,
		.framebuffer = framebuffer,
		.renderArea = { { 0, 0 }, { self->targets.width, self->targets.height } },
		.clearValueCount = 2,
		.pClearValues = clear };
	self->vk->CmdBeginRenderPass(commands, &info, VK_SUBPASS_CONTENTS_INLINE);
	set_viewport(self, commands, pass != self->pipelines.post_pass);
}

/// Images that nothing was written to yet.
static void clear_fresh(view_renderer *self, VkCommandBuffer commands)
{
	if (!self->targets.is_fresh)
	{
		return;
	}
	self->targets.is_fresh = false;
	const VkImage images[] = { self->targets.behind.image, self->white.image, self->dark.image };
	for (uint32_t i = 0; i < 3; ++i)
	{
		const VkClearColorValue colors[] = { { { 0, 0, 0, 1 } }, { { 1, 1, 1, 1 } }, { { 0, 0, 0, 1 } } };
		const VkImageSubresourceRange all = { VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
			VK_REMAINING_ARRAY_LAYERS };
		const VkImageLayout writing = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
		view_transition_image(self->vk, commands,
			&(view_transition){ images[i], 0, 0, 0, VK_IMAGE_LAYOUT_UNDEFINED, writing,
				VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0,
				VK_ACCESS_TRANSFER_WRITE_BIT });
		self->vk->CmdClearColorImage(commands, images[i], writing, &colors[i], 1, &all);
		view_transition_image(self->vk, commands,
			&(view_transition){ images[i], 0, 0, 0, writing, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
				VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
				VK_ACCESS_SHADER_READ_BIT });
	}
}

/// What is bound while draws are recorded.
typedef struct binding
{
	VkPipeline pipeline;
	VkBuffer buffer;
	uint64_t index_offset;
	uint32_t material;
	bool is_begun;
} binding;

/// Sets of buffers are few: those of a frame, by their buffer.
#define BUFFER_SETS 64

typedef struct frame_sets
{
	VkDescriptorSet frame;
	VkDescriptorSet table; ///< VK_NULL_HANDLE: materials have sets
	VkBuffer buffers[BUFFER_SETS];
	VkDescriptorSet buffer_sets[BUFFER_SETS];
	uint32_t buffer_count;
	VkDescriptorSet *materials; ///< by row; VK_NULL_HANDLE: not made yet
} frame_sets;

static VkDescriptorSet set_of_buffer(view_renderer *self, view_frame *frame, frame_sets *sets, VkBuffer buffer)
{
	for (uint32_t i = 0; i < sets->buffer_count; ++i)
	{
		if (sets->buffers[i] == buffer)
		{
			return sets->buffer_sets[i];
		}
	}
	VkDescriptorSet set = make_mesh_set(self, frame, buffer);
	if (sets->buffer_count < BUFFER_SETS && set != VK_NULL_HANDLE)
	{
		sets->buffers[sets->buffer_count] = buffer;
		sets->buffer_sets[sets->buffer_count++] = set;
	}
	return set;
}

static bool record_draw(view_renderer *self, view_frame *frame, frame_sets *sets, binding *bound, const view_draw *draw)
{
	const view_vulkan *vk = self->vk;
	VkPipeline pipeline = view_pipelines_get(&self->pipelines, &draw->key);
	if (pipeline == VK_NULL_HANDLE)
	{
		return false;
	}
	if (!bound->is_begun || bound->pipeline != pipeline)
	{
		vk->CmdBindPipeline(frame->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
	}
	if (!bound->is_begun || bound->buffer != draw->buffer)
	{
		VkDescriptorSet set = set_of_buffer(self, frame, sets, draw->buffer);
		if (set == VK_NULL_HANDLE)
		{
			return false;
		}
		vk->CmdBindDescriptorSets(
			frame->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipelines.layout, 1, 1, &set, 0, NULL);
	}
	if (sets->table == VK_NULL_HANDLE && (!bound->is_begun || bound->material != draw->material))
	{
		VkDescriptorSet *set = &sets->materials[draw->material];
		*set = *set != VK_NULL_HANDLE ? *set : make_material_set(self, frame, draw->material);
		if (*set == VK_NULL_HANDLE)
		{
			return false;
		}
		vk->CmdBindDescriptorSets(
			frame->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipelines.layout, 2, 1, set, 0, NULL);
	}
	if (!bound->is_begun || bound->buffer != draw->buffer || bound->index_offset != draw->index_offset)
	{
		vk->CmdBindIndexBuffer(frame->commands, draw->buffer, draw->index_offset,
			draw->index_size == 2 ? VK_INDEX_TYPE_UINT16 : VK_INDEX_TYPE_UINT32);
	}
	*bound = (binding){ pipeline, draw->buffer, draw->index_offset, draw->material, true };
	vk->CmdDrawIndexed(frame->commands, draw->index_count, draw->instance_count, draw->first_index, 0, draw->instance);
	return true;
}

/// The picture so far, and ever blurrier copies of it, for transmissive surfaces.
static void copy_behind(view_renderer *self, VkCommandBuffer commands)
{
	const view_vulkan *vk = self->vk;
	const view_targets *targets = &self->targets;
	const VkPipelineStageFlags transfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
	const VkImageLayout color = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, source = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
						destination = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
	view_transition_image(vk, commands,
		&(view_transition){ targets->color.image, 0, 0, 0, color, source, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
			transfer, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, VK_ACCESS_TRANSFER_READ_BIT });
	view_transition_image(vk, commands,
		&(view_transition){ targets->behind.image, 0, 0, 0, VK_IMAGE_LAYOUT_UNDEFINED, destination,
			VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | transfer, transfer, 0, VK_ACCESS_TRANSFER_WRITE_BIT });
	const VkImageSubresourceLayers first = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 };
	const VkImageResolve resolve = { first, { 0 }, first, { 0 }, { targets->width, targets->height, 1 } };
	vk->CmdResolveImage(commands, targets->color.image, source, targets->behind.image, destination, 1, &resolve);
	for (uint32_t level = 1; level < targets->behind.levels; ++level)
	{
		view_transition_image(vk, commands,
			&(view_transition){ targets->behind.image, 0, level - 1, 1, destination, source, transfer, transfer,
				VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_TRANSFER_READ_BIT });
		const VkImageBlit blit = {
			{ VK_IMAGE_ASPECT_COLOR_BIT, level - 1, 0, 1 },
			{ { 0 }, { (int32_t)lrd_texture_extent(targets->width, level - 1),
						 (int32_t)lrd_texture_extent(targets->height, level - 1), 1 } },
			{ VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1 },
			{ { 0 }, { (int32_t)lrd_texture_extent(targets->width, level),
						 (int32_t)lrd_texture_extent(targets->height, level), 1 } },
		};
		vk->CmdBlitImage(
			commands, targets->behind.image, source, targets->behind.image, destination, 1, &blit, VK_FILTER_LINEAR);
	}
	uint32_t last = targets->behind.levels - 1;
	const VkImageLayout reading = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
	if (last != 0)
	{
		view_transition_image(vk, commands,
			&(view_transition){ targets->behind.image, 0, 0, last, source, reading, transfer,
				VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_ACCESS_TRANSFER_READ_BIT, VK_ACCESS_SHADER_READ_BIT });
	}
	view_transition_image(vk, commands,
		&(view_transition){ targets->behind.image, 0, last, 1, destination, reading, transfer,
			VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_SHADER_READ_BIT });
	view_transition_image(vk, commands,
		&(view_transition){ targets->color.image, 0, 0, 0, source, color, transfer,
			VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_ACCESS_TRANSFER_READ_BIT,
			VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT });
}

/// What is the same for all draws of a frame.
static void bind_frame(view_renderer *self, const view_frame *frame, const frame_sets *sets)
{
	const VkDeviceSize start = 0;
	self->vk->CmdBindDescriptorSets(
		frame->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipelines.layout, 0, 1, &sets->frame, 0, NULL);
	if (sets->table != VK_NULL_HANDLE)
	{
		self->vk->CmdBindDescriptorSets(
			frame->commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipelines.layout, 2, 1, &sets->table, 0, NULL);
	}
	self->vk->CmdBindVertexBuffers(frame->commands, 0, 1, &frame->instances.buffer, &start);
}

static bool record_scene(view_renderer *self, view_frame *frame, frame_sets *sets, const view_picture *picture)
{
	const view_vulkan *vk = self->vk;
	VkCommandBuffer commands = frame->commands;
	begin_pass(self, commands, self->pipelines.first_pass, self->targets.scene);
	bind_frame(self, frame, sets);
	binding bound = { 0 };
	uint32_t i = 0;
	bool good = true;
	for (; good && i < self->draw_count && !self->draws[i].is_late; ++i)
	{
		good = record_draw(self, frame, sets, &bound, &self->draws[i]);
	}
	if (picture->texture_slot != LRD_GPU_NO_SLOT)
	{
		VkDescriptorSet set =
			sets->table != VK_NULL_HANDLE ? sets->table : make_texture_set(self, frame, picture->texture_slot);
		good = good && set != VK_NULL_HANDLE;
		vk->CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipelines.flat);
		vk->CmdBindDescriptorSets(
			commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipelines.layout, 2, 1, &set, 0, NULL);
		vk->CmdDraw(commands, 3, 1, 0, 0);
	}
	else if (picture->mode != VIEW_OVERDRAW)
	{
		vk->CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipelines.sky);
		vk->CmdDraw(commands, 3, 1, 0, 0);
	}
	bool is_seen_through = false;
	for (uint32_t d = i; d < self->draw_count; ++d)
	{
		is_seen_through = is_seen_through || (self->draws[d].key.layers & VIEW_LAYER_TRANSMISSIVE) != 0;
	}
	if (is_seen_through)
	{
		vk->CmdEndRenderPass(commands);
		copy_behind(self, commands);
		begin_pass(self, commands, self->pipelines.next_pass, self->targets.scene);
		bind_frame(self, frame, sets);
	}
	bound = (binding){ 0 };
	for (; good && i < self->draw_count; ++i)
	{
		good = record_draw(self, frame, sets, &bound, &self->draws[i]);
	}
	vk->CmdEndRenderPass(commands);
	return good;
}

static bool record_post(view_renderer *self, view_frame *frame, const view_overlay *overlay)
{
	const view_vulkan *vk = self->vk;
	VkDescriptorSet set = allocate_set(self, frame, self->pipelines.post_layout);
	if (set == VK_NULL_HANDLE)
	{
		return false;
	}
	const VkDescriptorImageInfo image = { self->flat_sampler, self->targets.color.view,
		VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL };
	const VkDescriptorBufferInfo buffer = { frame->sheet.buffer, 0, VK_WHOLE_SIZE };
	const VkWriteDescriptorSet writes[] = {
		{ .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			.dstSet = set,
			.descriptorCount = 1,
			.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
			.pImageInfo = &image },
		{ .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			.dstSet = set,
			.dstBinding = 1,
			.descriptorCount = 1,
			.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
			.pBufferInfo = &buffer },
	};
	vk->UpdateDescriptorSets(vk->device, 2, writes, 0, NULL);
	VkCommandBuffer commands = frame->commands;
	view_transition_image(vk, commands,
		&(view_transition){ self->targets.color.image, 0, 0, 0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
			VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
			VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, VK_ACCESS_SHADER_READ_BIT });
	begin_pass(self, commands, self->pipelines.post_pass, self->targets.post);
	const uint32_t size[2] = { overlay->rgba != NULL ? overlay->width : 0,
		overlay->rgba != NULL ? overlay->height : 0 };
	vk->CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipelines.post);
	vk->CmdBindDescriptorSets(
		commands, VK_PIPELINE_BIND_POINT_GRAPHICS, self->pipelines.post_pipeline_layout, 0, 1, &set, 0, NULL);
	vk->CmdPushConstants(
		commands, self->pipelines.post_pipeline_layout, VK_SHADER_STAGE_FRAGMENT_BIT, 0, sizeof size, size);
	vk->CmdDraw(commands, 3, 1, 0, 0);
	vk->CmdEndRenderPass(commands);
	return true;
}

static void record_read_back(view_renderer *self, VkCommandBuffer commands)
{
	const view_targets *targets = &self->targets;
	const VkBufferImageCopy copy = { .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
		.imageExtent = { targets->width, targets->height, 1 } };
	self->vk->CmdCopyImageToBuffer(
		commands, targets->output.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, targets->pixels.buffer, 1, &copy);
	const VkBufferMemoryBarrier barrier = { .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_HOST_READ_BIT,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.buffer = targets->pixels.buffer,
		.size = VK_WHOLE_SIZE };
	self->vk->CmdPipelineBarrier(
		commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 0, NULL, 1, &barrier, 0, NULL);
}

static void record_window(view_renderer *self, VkCommandBuffer commands, const view_picture *picture)
{
	const view_vulkan *vk = self->vk;
	const VkPipelineStageFlags transfer = VK_PIPELINE_STAGE_TRANSFER_BIT;
	view_transition_image(vk, commands,
		&(view_transition){ picture->window_image, 0, 0, 0, VK_IMAGE_LAYOUT_UNDEFINED,
			VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, transfer, transfer, 0, VK_ACCESS_TRANSFER_WRITE_BIT });
	const VkImageBlit blit = {
		{ VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
		{ { 0 }, { (int32_t)self->targets.width, (int32_t)self->targets.height, 1 } },
		{ VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
		{ { 0 }, { (int32_t)picture->window_width, (int32_t)picture->window_height, 1 } },
	};
	vk->CmdBlitImage(commands, self->targets.output.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, picture->window_image,
		VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &blit, VK_FILTER_NEAREST);
	view_transition_image(vk, commands,
		&(view_transition){ picture->window_image, 0, 0, 0, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
			VK_IMAGE_LAYOUT_PRESENT_SRC_KHR, transfer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
			VK_ACCESS_TRANSFER_WRITE_BIT, 0 });
}

/// At most so many: those beyond what a frame remembers are made whenever the buffer is another one.
static uint32_t count_buffer_sets(const view_renderer *self)
{
	uint32_t changes = 1;
	for (uint32_t i = 1; i < self->draw_count; ++i)
	{
		changes += self->draws[i].buffer != self->draws[i - 1].buffer;
	}
	return changes + 1 > BUFFER_SETS ? changes + 1 : BUFFER_SETS;
}

static bool record(view_renderer *self, view_frame *frame, const view_picture *picture)
{
	const view_vulkan *vk = self->vk;
	const view_gathering *gathering = &self->gathering;
	frame_sets sets = { .materials = gathering->sets };
	memset(gathering->sets, 0, gathering->rows * sizeof *gathering->sets);
	const VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
		.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT };
	bool good = make_descriptors(self, frame, gathering->rows + count_buffer_sets(self)) &&
				view_check(vk->ResetCommandPool(vk->device, frame->pool, 0), "commands") &&
				view_check(vk->BeginCommandBuffer(frame->commands, &begin), "commands");
	sets.table =
		good && self->pipelines.has_table ? lrd_gpu_vulkan_table(self->gpu, self->next_number) : VK_NULL_HANDLE;
	sets.frame = good ? make_frame_set(self, frame, picture) : VK_NULL_HANDLE;
	good = good && sets.frame != VK_NULL_HANDLE;
	if (good)
	{
		clear_fresh(self, frame->commands);
		view_tables_record(self, frame, picture->sky);
		good = record_scene(self, frame, &sets, picture) && record_post(self, frame, &picture->overlay);
	}
	if (good && picture->is_read_back)
	{
		record_read_back(self, frame->commands);
	}
	if (good && picture->window_image != VK_NULL_HANDLE)
	{
		record_window(self, frame->commands, picture);
	}
	return good && view_check(vk->EndCommandBuffer(frame->commands), "commands");
}

static bool write_buffers(view_renderer *self, view_frame *frame, const view_picture *picture)
{
	view_uniforms_write(self, picture, frame->uniforms.mapped);
	const view_overlay *overlay = &picture->overlay;
	size_t size = overlay->rgba != NULL ? (size_t)overlay->width * overlay->height * 4 : 0;
	if (!view_buffer_reserve(self->vk, &frame->sheet, size, STORAGE))
	{
		return false;
	}
	if (size != 0)
	{
		memcpy(frame->sheet.mapped, overlay->rgba, size);
	}
	return view_draws_gather(self, frame, picture);
}

static bool submit(view_renderer *self, view_frame *frame, const view_picture *picture)
{
	const view_vulkan *vk = self->vk;
	const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
	const VkSubmitInfo info = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.waitSemaphoreCount = picture->wait != VK_NULL_HANDLE,
		.pWaitSemaphores = &picture->wait,
		.pWaitDstStageMask = &stage,
		.commandBufferCount = 1,
		.pCommandBuffers = &frame->commands,
		.signalSemaphoreCount = picture->signal != VK_NULL_HANDLE,
		.pSignalSemaphores = &picture->signal };
	if (!view_check(vk->ResetFences(vk->device, 1, &frame->fence), "a fence") ||
		!view_check(vk->QueueSubmit(vk->queue, 1, &info, frame->fence), "a frame"))
	{
		return false;
	}
	frame->number = self->next_number++;
	frame->is_flying = true;
	return true;
}

static bool prepare_pipelines(view_renderer *self, const view_picture *picture)
{
	lrd_job_pool *pool = picture->options->pool;
	lrd_jobs jobs;
	if (pool != NULL)
	{
		jobs = lrd_job_pool_jobs(pool);
	}
	return view_pipelines_prepare(
		&self->pipelines, self->vk, pool != NULL ? &jobs : NULL, self->draws, self->draw_count);
}

bool view_renderer_draw(view_renderer *self, const view_picture *picture)
{
	view_frame *frame = &self->frames[self->next_number % VIEW_FRAMES];
	return wait_frame(self, frame) && write_buffers(self, frame, picture) && prepare_pipelines(self, picture) &&
		   record(self, frame, picture) && submit(self, frame, picture);
}

const uint8_t *view_renderer_pixels(const view_renderer *self)
{
	return self->targets.pixels.mapped;
}
