// Pipelines: those for surfaces are made as materials need them, specialised to what a material has.

#include "cli/view/render.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const uint32_t surface_vertex_words[] = {
#include <surface.vert.inc>
};
static const uint32_t surface_vertex_table_words[] = {
#include <surface_table.vert.inc>
};
static const uint32_t surface_fragment_words[] = {
#include <surface.frag.inc>
};
static const uint32_t surface_fragment_table_words[] = {
#include <surface_table.frag.inc>
};
static const uint32_t whole_vertex_words[] = {
#include <whole.vert.inc>
};
static const uint32_t sky_vertex_words[] = {
#include <sky.vert.inc>
};
static const uint32_t sky_fragment_words[] = {
#include <sky.frag.inc>
};
static const uint32_t flat_fragment_words[] = {
#include <flat.frag.inc>
};
static const uint32_t flat_fragment_table_words[] = {
#include <flat_table.frag.inc>
};
static const uint32_t post_fragment_words[] = {
#include <post.frag.inc>
};

static bool make_module(const view_vulkan *vk, const uint32_t *words, size_t size, VkShaderModule *module)
{
	VkShaderModuleCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = words
	};
	return view_check(vk->CreateShaderModule(vk->device, &info, NULL, module), "a shader");
}

#define MODULE(name, module) make_module(vk, name##_words, sizeof name##_words, module)

/// Those that read materials.
static bool make_material_modules(view_pipelines *self, const view_vulkan *vk)
{
	if (self->has_table)
	{
		return MODULE(surface_vertex_table, &self->surface_vertex) &&
			   MODULE(surface_fragment_table, &self->surface_fragment) &&
			   MODULE(flat_fragment_table, &self->flat_fragment);
	}
	return MODULE(surface_vertex, &self->surface_vertex) && MODULE(surface_fragment, &self->surface_fragment) &&
		   MODULE(flat_fragment, &self->flat_fragment);
}

static bool make_modules(view_pipelines *self, const view_vulkan *vk)
{
	return make_material_modules(self, vk) && MODULE(whole_vertex, &self->whole_vertex) &&
		   MODULE(sky_vertex, &self->sky_vertex) && MODULE(sky_fragment, &self->sky_fragment) &&
		   MODULE(post_fragment, &self->post_fragment);
}

static bool make_set_layout(
	const view_vulkan *vk, const VkDescriptorSetLayoutBinding *bindings, uint32_t count, VkDescriptorSetLayout *layout)
{
	VkDescriptorSetLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = count, .pBindings = bindings
	};
	return view_check(vk->CreateDescriptorSetLayout(vk->device, &info, NULL, layout), "a layout");
}

static bool make_layouts(view_pipelines *self, const view_vulkan *vk, VkDescriptorSetLayout table)
{
	const VkShaderStageFlags vertex = VK_SHADER_STAGE_VERTEX_BIT, fragment = VK_SHADER_STAGE_FRAGMENT_BIT;
	const VkDescriptorType uniform = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, storage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
						   image = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
	const VkDescriptorSetLayoutBinding frame[] = {
		{ 0, uniform, 1, vertex | fragment, NULL }, { 2, storage, 1, vertex, NULL }, { 4, storage, 1, vertex, NULL },
		{ 5, image, 1, fragment, NULL }, { 6, image, 1, fragment, NULL }, { 7, image, 1, fragment, NULL },
		{ 3, storage, 1, vertex | fragment, NULL }, // with the table only
	};
	const VkDescriptorSetLayoutBinding mesh = { 0, storage, 1, vertex, NULL };
	const VkDescriptorSetLayoutBinding material[] = { { 0, image, LRD_SLOT_COUNT, fragment, NULL },
		{ 1, uniform, 1, vertex | fragment, NULL } };
	const VkDescriptorSetLayoutBinding post[] = { { 0, image, 1, fragment, NULL }, { 1, storage, 1, fragment, NULL } };
	if (!make_set_layout(vk, frame, self->has_table ? 7 : 6, &self->frame_layout) ||
		!make_set_layout(vk, &mesh, 1, &self->mesh_layout) ||
		!make_set_layout(vk, material, 2, &self->material_layout) || !make_set_layout(vk, post, 2, &self->post_layout))
	{
		return false;
	}
	const VkDescriptorSetLayout sets[] = { self->frame_layout, self->mesh_layout,
		self->has_table ? table : self->material_layout };
	VkPipelineLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = 3, .pSetLayouts = sets
	};
	const VkPushConstantRange push = { fragment, 0, 2 * sizeof(uint32_t) };
	VkPipelineLayoutCreateInfo post_info = { .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 1,
		.pSetLayouts = &self->post_layout,
		.pushConstantRangeCount = 1,
		.pPushConstantRanges = &push };
	return view_check(vk->CreatePipelineLayout(vk->device, &info, NULL, &self->layout), "a layout") &&
		   view_check(vk->CreatePipelineLayout(vk->device, &post_info, NULL, &self->post_pipeline_layout), "a layout");
}

static bool make_scene_pass(const view_vulkan *vk, bool is_first, VkRenderPass *pass)
{
	const VkImageLayout color = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
	const VkImageLayout depth = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
	const VkAttachmentDescription attachments[] = {
		{ 0, VIEW_COLOR_FORMAT, (VkSampleCountFlagBits)VIEW_SAMPLES,
			is_first ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_STORE,
			VK_ATTACHMENT_LOAD_OP_DONT_CARE, VK_ATTACHMENT_STORE_OP_DONT_CARE,
			is_first ? VK_IMAGE_LAYOUT_UNDEFINED : color, color },
		{ 0, VIEW_DEPTH_FORMAT, (VkSampleCountFlagBits)VIEW_SAMPLES,
			is_first ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD, VK_ATTACHMENT_STORE_OP_STORE,
			VK_ATTACHMENT_LOAD_OP_DONT_CARE, VK_ATTACHMENT_STORE_OP_DONT_CARE,
			is_first ? VK_IMAGE_LAYOUT_UNDEFINED : depth, depth },
	};
	const VkAttachmentReference color_reference = { 0, color }, depth_reference = { 1, depth };
	const VkSubpassDescription subpass = { .pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
		.colorAttachmentCount = 1,
		.pColorAttachments = &color_reference,
		.pDepthStencilAttachment = &depth_reference };
	const VkPipelineStageFlags drawing = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT |
										 VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |
										 VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT;
	const VkAccessFlags access = VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT |
								 VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT |
								 VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
	const VkPipelineStageFlags reading = VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
	// The frame before, and the pass before, may still read or write the same images.
	const VkSubpassDependency dependencies[] = {
		{ VK_SUBPASS_EXTERNAL, 0, drawing | reading, drawing, access, access, 0 },
		{ 0, VK_SUBPASS_EXTERNAL, drawing, drawing | reading, access,
			access | VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_TRANSFER_READ_BIT, 0 },
	};
	VkRenderPassCreateInfo info = { .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
		.attachmentCount = 2,
		.pAttachments = attachments,
		.subpassCount = 1,
		.pSubpasses = &subpass,
		.dependencyCount = 2,
		.pDependencies = dependencies };
	return view_check(vk->CreateRenderPass(vk->device, &info, NULL, pass), "a render pass");
}

static bool make_post_pass(const view_vulkan *vk, VkRenderPass *pass)
{
	const VkAttachmentDescription attachment = { 0, VIEW_OUTPUT_FORMAT, VK_SAMPLE_COUNT_1_BIT,
		VK_ATTACHMENT_LOAD_OP_DONT_CARE, VK_ATTACHMENT_STORE_OP_STORE, VK_ATTACHMENT_LOAD_OP_DONT_CARE,
		VK_ATTACHMENT_STORE_OP_DONT_CARE, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL };
	const VkAttachmentReference reference = { 0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL };
	const VkSubpassDescription subpass = {
		.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS, .colorAttachmentCount = 1, .pColorAttachments = &reference
	};
	const VkPipelineStageFlags drawing = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
							   copying = VK_PIPELINE_STAGE_TRANSFER_BIT;
	const VkAccessFlags write = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT;
	const VkSubpassDependency dependencies[] = {
		{ VK_SUBPASS_EXTERNAL, 0, copying, drawing, 0, write, 0 }, // the frame before is copied from
		{ 0, VK_SUBPASS_EXTERNAL, drawing, copying, write, VK_ACCESS_TRANSFER_READ_BIT, 0 },
	};
	VkRenderPassCreateInfo info = { .sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
		.attachmentCount = 1,
		.pAttachments = &attachment,
		.subpassCount = 1,
		.pSubpasses = &subpass,
		.dependencyCount = 2,
		.pDependencies = dependencies };
	return view_check(vk->CreateRenderPass(vk->device, &info, NULL, pass), "a render pass");
}

/// What pipelines differ in.
typedef struct pipeline_desc
{
	VkShaderModule vertex, fragment;
	const VkSpecializationInfo *constants;
	const VkPipelineVertexInputStateCreateInfo *input; ///< NULL: none
	VkPipelineLayout layout;
	VkRenderPass pass;
	VkSampleCountFlagBits samples;
	VkCullModeFlags cull;
	VkFrontFace front;
	bool tests_depth, writes_depth;
	VkPipelineColorBlendAttachmentState blend;
} pipeline_desc;

static VkPipelineShaderStageCreateInfo make_stage(
	VkShaderStageFlagBits stage, VkShaderModule module, const VkSpecializationInfo *constants)
{
	return (VkPipelineShaderStageCreateInfo){ .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
		.stage = stage,
		.module = module,
		.pName = "main",
		.pSpecializationInfo = constants };
}

static VkPipeline make_pipeline(const view_vulkan *vk, const pipeline_desc *desc)
{
	const VkPipelineShaderStageCreateInfo stages[] = {
		make_stage(VK_SHADER_STAGE_VERTEX_BIT, desc->vertex, desc->constants),
		make_stage(VK_SHADER_STAGE_FRAGMENT_BIT, desc->fragment, desc->constants),
	};
	const VkPipelineVertexInputStateCreateInfo no_input = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO
	};
	const VkPipelineInputAssemblyStateCreateInfo assembly = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
		.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST
	};
	const VkPipelineViewportStateCreateInfo viewport = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, .viewportCount = 1, .scissorCount = 1
	};
	const VkPipelineRasterizationStateCreateInfo raster = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
		.cullMode = desc->cull,
		.frontFace = desc->front,
		.lineWidth = 1.0f
	};
	const VkPipelineMultisampleStateCreateInfo samples = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO, .rasterizationSamples = desc->samples
	};
	const VkPipelineDepthStencilStateCreateInfo depth = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
		.depthTestEnable = desc->tests_depth,
		.depthWriteEnable = desc->writes_depth,
		.depthCompareOp = VK_COMPARE_OP_GREATER_OR_EQUAL
	};
	const VkPipelineColorBlendStateCreateInfo blend = { .sType =
															VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
		.attachmentCount = 1,
		.pAttachments = &desc->blend };
	const VkDynamicState states[] = { VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR };
	const VkPipelineDynamicStateCreateInfo dynamic = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO, .dynamicStateCount = 2, .pDynamicStates = states
	};
	VkGraphicsPipelineCreateInfo info = { .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
		.stageCount = 2,
		.pStages = stages,
		.pVertexInputState = desc->input != NULL ? desc->input : &no_input,
		.pInputAssemblyState = &assembly,
		.pViewportState = &viewport,
		.pRasterizationState = &raster,
		.pMultisampleState = &samples,
		.pDepthStencilState = &depth,
		.pColorBlendState = &blend,
		.pDynamicState = &dynamic,
		.layout = desc->layout,
		.renderPass = desc->pass };
	VkPipeline pipeline = VK_NULL_HANDLE;
	view_check(vk->CreateGraphicsPipelines(vk->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline), "a pipeline");
	return pipeline;
}

static VkPipelineColorBlendAttachmentState no_blend(void)
{
	return (VkPipelineColorBlendAttachmentState){ .colorWriteMask = 15 };
}

/// Alpha of what is drawn into is how much of it is light: a surface covers that as it covers colour, and a colour that is shown as it
/// is has none.
static VkPipelineColorBlendAttachmentState blend_of(const view_pipeline_key *key)
{
	VkPipelineColorBlendAttachmentState blend = no_blend();
	if (key->mode == VIEW_OVERDRAW)
	{
		blend = (VkPipelineColorBlendAttachmentState){ VK_TRUE, VK_BLEND_FACTOR_ONE, VK_BLEND_FACTOR_ONE,
			VK_BLEND_OP_ADD, VK_BLEND_FACTOR_ZERO, VK_BLEND_FACTOR_ZERO, VK_BLEND_OP_ADD, 15 };
	}
	else if (key->alpha == LRD_ALPHA_BLEND && key->mode == VIEW_SHADED)
	{
		bool is_unlit = (key->layers & VIEW_LAYER_UNLIT) != 0;
		blend = (VkPipelineColorBlendAttachmentState){ VK_TRUE, VK_BLEND_FACTOR_SRC_ALPHA,
			VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA, VK_BLEND_OP_ADD, is_unlit ? VK_BLEND_FACTOR_ZERO : VK_BLEND_FACTOR_ONE,
			VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA, VK_BLEND_OP_ADD, 15 };
	}
	return blend;
}

#define VECTOR(index, type)                                                                                            \
	{                                                                                                                  \
		index, 0, VK_FORMAT_R32G32B32A32_##type, 16 * (index)                                                          \
	}

/// An instance, as draws.c writes it.
static const VkVertexInputAttributeDescription instance_attributes[] = { VECTOR(0, SFLOAT), VECTOR(1, SFLOAT),
	VECTOR(2, SFLOAT), VECTOR(3, SFLOAT), VECTOR(4, SFLOAT), VECTOR(5, SFLOAT), VECTOR(6, UINT), VECTOR(7, UINT),
	VECTOR(8, UINT), VECTOR(9, UINT), VECTOR(10, UINT) };
static const VkVertexInputBindingDescription instance_binding = { 0,
	16 * sizeof instance_attributes / sizeof *instance_attributes, VK_VERTEX_INPUT_RATE_INSTANCE };
static const VkPipelineVertexInputStateCreateInfo instance_input = {
	.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
	.vertexBindingDescriptionCount = 1,
	.pVertexBindingDescriptions = &instance_binding,
	.vertexAttributeDescriptionCount = sizeof instance_attributes / sizeof *instance_attributes,
	.pVertexAttributeDescriptions = instance_attributes
};

static VkPipeline make_surface(const view_pipelines *self, const view_vulkan *vk, const view_pipeline_key *key)
{
	const VkSpecializationMapEntry entries[] = {
		{ 0, offsetof(view_pipeline_key, slots), sizeof(uint32_t) },
		{ 1, offsetof(view_pipeline_key, layers), sizeof(uint32_t) },
		{ 2, offsetof(view_pipeline_key, alpha), sizeof(uint32_t) },
		{ 3, offsetof(view_pipeline_key, mode), sizeof(uint32_t) },
	};
	const VkSpecializationInfo constants = { 4, entries, sizeof *key, key };
	bool is_overdraw = key->mode == VIEW_OVERDRAW;
	bool is_blended = key->alpha == LRD_ALPHA_BLEND && key->mode == VIEW_SHADED;
	bool shows_backs = (key->sides & VIEW_SIDES_DOUBLE) != 0 || key->mode == VIEW_FACING;
	return make_pipeline(vk, &(pipeline_desc){
								 .vertex = self->surface_vertex,
								 .fragment = self->surface_fragment,
								 .constants = &constants,
								 .input = &instance_input,
								 .layout = self->layout,
								 .pass = self->first_pass,
								 .samples = (VkSampleCountFlagBits)VIEW_SAMPLES,
								 .cull = shows_backs ? VK_CULL_MODE_NONE : VK_CULL_MODE_BACK_BIT,
								 .front = (key->sides & VIEW_SIDES_MIRRORED) != 0 ? VK_FRONT_FACE_CLOCKWISE
																				  : VK_FRONT_FACE_COUNTER_CLOCKWISE,
								 .tests_depth = !is_overdraw,
								 .writes_depth = !is_overdraw && !is_blended,
								 .blend = blend_of(key),
							 });
}

/// Over the whole picture, behind what is drawn.
static VkPipeline make_background(
	const view_pipelines *self, const view_vulkan *vk, VkShaderModule vertex, VkShaderModule fragment)
{
	return make_pipeline(vk, &(pipeline_desc){
								 .vertex = vertex,
								 .fragment = fragment,
								 .layout = self->layout,
								 .pass = self->first_pass,
								 .samples = (VkSampleCountFlagBits)VIEW_SAMPLES,
								 .tests_depth = true,
								 .blend = no_blend(),
							 });
}

static bool make_fixed(view_pipelines *self, const view_vulkan *vk)
{
	self->sky = make_background(self, vk, self->sky_vertex, self->sky_fragment);
	self->flat = make_background(self, vk, self->whole_vertex, self->flat_fragment);
	const int32_t samples = VIEW_SAMPLES;
	const VkSpecializationMapEntry entry = { 0, 0, sizeof samples };
	const VkSpecializationInfo constants = { 1, &entry, sizeof samples, &samples };
	self->post = make_pipeline(vk, &(pipeline_desc){
									   .vertex = self->whole_vertex,
									   .fragment = self->post_fragment,
									   .constants = &constants,
									   .layout = self->post_pipeline_layout,
									   .pass = self->post_pass,
									   .samples = VK_SAMPLE_COUNT_1_BIT,
									   .blend = no_blend(),
								   });
	return self->sky != VK_NULL_HANDLE && self->flat != VK_NULL_HANDLE && self->post != VK_NULL_HANDLE;
}

bool view_pipelines_make(view_pipelines *self, const view_vulkan *vk, VkDescriptorSetLayout table)
{
	*self = (view_pipelines){ .has_table = table != VK_NULL_HANDLE };
	return make_modules(self, vk) && make_layouts(self, vk, table) && make_scene_pass(vk, true, &self->first_pass) &&
		   make_scene_pass(vk, false, &self->next_pass) && make_post_pass(vk, &self->post_pass) && make_fixed(self, vk);
}

void view_pipelines_free(view_pipelines *self, const view_vulkan *vk)
{
	for (uint32_t i = 0; i < self->surface_count; ++i)
	{
		vk->DestroyPipeline(vk->device, self->surfaces[i].pipeline, NULL);
	}
	free(self->surfaces);
	vk->DestroyPipeline(vk->device, self->sky, NULL);
	vk->DestroyPipeline(vk->device, self->flat, NULL);
	vk->DestroyPipeline(vk->device, self->post, NULL);
	vk->DestroyShaderModule(vk->device, self->surface_vertex, NULL);
	vk->DestroyShaderModule(vk->device, self->surface_fragment, NULL);
	vk->DestroyShaderModule(vk->device, self->whole_vertex, NULL);
	vk->DestroyShaderModule(vk->device, self->sky_vertex, NULL);
	vk->DestroyShaderModule(vk->device, self->sky_fragment, NULL);
	vk->DestroyShaderModule(vk->device, self->flat_fragment, NULL);
	vk->DestroyShaderModule(vk->device, self->post_fragment, NULL);
	vk->DestroyRenderPass(vk->device, self->first_pass, NULL);
	vk->DestroyRenderPass(vk->device, self->next_pass, NULL);
	vk->DestroyRenderPass(vk->device, self->post_pass, NULL);
	vk->DestroyPipelineLayout(vk->device, self->layout, NULL);
	vk->DestroyPipelineLayout(vk->device, self->post_pipeline_layout, NULL);
	vk->DestroyDescriptorSetLayout(vk->device, self->frame_layout, NULL);
	vk->DestroyDescriptorSetLayout(vk->device, self->mesh_layout, NULL);
	vk->DestroyDescriptorSetLayout(vk->device, self->material_layout, NULL);
	vk->DestroyDescriptorSetLayout(vk->device, self->post_layout, NULL);
	*self = (view_pipelines){ 0 };
}

static const view_pipeline *find(const view_pipeline *pipelines, uint32_t count, const view_pipeline_key *key)
{
	for (uint32_t i = 0; i < count; ++i)
	{
		if (memcmp(&pipelines[i].key, key, sizeof *key) == 0)
		{
			return &pipelines[i];
		}
	}
	return NULL;
}

VkPipeline view_pipelines_get(const view_pipelines *self, const view_pipeline_key *key)
{
	const view_pipeline *found = find(self->surfaces, self->surface_count, key);
	return found != NULL ? found->pipeline : VK_NULL_HANDLE;
}

// --- Several at once ---

#define HELPERS_MOST 15u

typedef struct batch_job
{
	lrd_job job;
	struct batch *batch;
} batch_job;

/// Pipelines that are made on whatever workers are free, and on the thread that needs them. It outlives the making: a job may begin when
/// everything is done.
typedef struct batch
{
	const view_pipelines *self;
	const view_vulkan *vk;
	view_pipeline *pipelines;
	uint32_t count;
	atomic_uint next;    ///< that nobody makes yet
	atomic_uint done;    ///< that were made, or can't be
	atomic_uint holders; ///< who may still look at this
	batch_job jobs[HELPERS_MOST];
} batch;

static void make_some(batch *self)
{
	for (uint32_t i = atomic_fetch_add(&self->next, 1); i < self->count; i = atomic_fetch_add(&self->next, 1))
	{
		view_pipeline *pipeline = &self->pipelines[i];
		pipeline->pipeline = make_surface(self->self, self->vk, &pipeline->key);
		atomic_fetch_add(&self->done, 1);
	}
}

static void let_go(batch *self)
{
	if (atomic_fetch_sub(&self->holders, 1) == 1)
	{
		free(self);
	}
}

static void help(lrd_job *job)
{
	batch *self = ((batch_job *)job)->batch;
	make_some(self);
	let_go(self);
}

static void make_batch(batch *self, const lrd_jobs *jobs)
{
	uint32_t helpers = jobs != NULL ? jobs->worker_count(jobs->user) : 0;
	helpers = helpers < self->count ? helpers : self->count - 1;
	helpers = helpers < HELPERS_MOST ? helpers : HELPERS_MOST;
	atomic_store(&self->holders, 1 + helpers);
	for (uint32_t i = 0; i < helpers; ++i)
	{
		self->jobs[i] = (batch_job){ { .run = help }, self };
		if (!jobs->submit(jobs->user, &self->jobs[i].job))
		{
			let_go(self);
		}
	}
	make_some(self);
	while (atomic_load(&self->done) < self->count)
	{
		nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
	}
}

static bool reserve(view_pipelines *self, uint32_t count)
{
	if (count <= self->surface_room)
	{
		return true;
	}
	uint32_t room = count + self->surface_room + 16;
	view_pipeline *surfaces = realloc(self->surfaces, room * sizeof *surfaces);
	if (surfaces != NULL)
	{
		self->surfaces = surfaces;
		self->surface_room = room;
	}
	return surfaces != NULL;
}

/// The draws' keys that there are no pipelines for yet, after those that there are. False: memory ran out.
static bool add_missing(view_pipelines *self, const view_draw *draws, uint32_t draw_count, uint32_t *count)
{
	const view_pipeline_key *last = NULL;
	*count = self->surface_count;
	for (uint32_t i = 0; i < draw_count; ++i)
	{
		const view_pipeline_key *key = &draws[i].key;
		bool is_there = last != NULL && memcmp(last, key, sizeof *key) == 0;
		last = key;
		if (!is_there && find(self->surfaces, *count, key) == NULL)
		{
			if (!reserve(self, *count + 1))
			{
				return false;
			}
			self->surfaces[(*count)++] = (view_pipeline){ *key, VK_NULL_HANDLE };
		}
	}
	return true;
}

bool view_pipelines_prepare(
	view_pipelines *self, const view_vulkan *vk, const lrd_jobs *jobs, const view_draw *draws, uint32_t draw_count)
{
	uint32_t count = 0;
	bool good = add_missing(self, draws, draw_count, &count);
	batch *made = good && count != self->surface_count ? malloc(sizeof *made) : NULL;
	if (!good || (made == NULL && count != self->surface_count))
	{
		cli_error("view: out of memory");
		return false;
	}
	if (made == NULL)
	{
		return true;
	}
	*made = (batch){
		.self = self, .vk = vk, .pipelines = self->surfaces + self->surface_count, .count = count - self->surface_count
	};
	make_batch(made, jobs);
	let_go(made);
	// Those that can't be made are asked for again.
	for (uint32_t i = self->surface_count; i < count; ++i)
	{
		if (self->surfaces[i].pipeline != VK_NULL_HANDLE)
		{
			self->surfaces[self->surface_count++] = self->surfaces[i];
		}
		else
		{
			good = false;
		}
	}
	return good;
}
