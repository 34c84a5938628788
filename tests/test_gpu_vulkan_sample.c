// tests/test_gpu_vulkan_sample.c: shaders sample what slots have: through the table where the device has descriptor indexing, else
// through sets of descriptors made of lrd_gpu_vulkan_slot; and slots change while frames that use them run. Mesa's driver in
// software of Debian 12 has no descriptor indexing; SwiftShader, which comes with Chromium, has, and is taken where it is.

#include "fixtures/vulkan_rig.h"

#include "larder/material.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint32_t sample_slot[] =
#include "shaders/sample_slot.comp.inc"
	;
static const uint32_t sample_table[] =
#include "shaders/sample_table.comp.inc"
	;

#define FRAMES 3

/// A compute pipeline whose set 0 is given, or made of an image and a buffer; and its last set, which has the buffer.
typedef struct pipeline
{
	VkDescriptorSetLayout layout; // of the test's own set
	VkDescriptorPool pool;
	VkPipelineLayout whole;
	VkPipeline pipeline;
	bool has_table;
} pipeline;

static void make_layouts(vulkan_rig *rig, pipeline *p, VkDescriptorSetLayout table)
{
	VkDevice device = rig->context.device;
	VkDescriptorSetLayoutBinding bindings[2] = {
		{ 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
		{ 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL },
	};
	bindings[1].binding = p->has_table ? 0 : 1;
	VkDescriptorSetLayoutCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = p->has_table ? 1 : 2,
		.pBindings = p->has_table ? &bindings[1] : bindings,
	};
	assert_int_equal(RIG(rig, CreateDescriptorSetLayout)(device, &info, NULL, &p->layout), VK_SUCCESS);
	VkDescriptorPoolSize sizes[2] = {
		{ VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 64 },
		{ VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 64 },
	};
	VkDescriptorPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = 64,
		.poolSizeCount = 2,
		.pPoolSizes = sizes,
	};
	assert_int_equal(RIG(rig, CreateDescriptorPool)(device, &pool, NULL, &p->pool), VK_SUCCESS);
	VkDescriptorSetLayout sets[2] = { table, p->layout };
	VkPushConstantRange constants = { VK_SHADER_STAGE_COMPUTE_BIT, 0, 12 };
	VkPipelineLayoutCreateInfo whole = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = p->has_table ? 2 : 1,
		.pSetLayouts = p->has_table ? sets : &p->layout,
		.pushConstantRangeCount = 1,
		.pPushConstantRanges = &constants,
	};
	assert_int_equal(RIG(rig, CreatePipelineLayout)(device, &whole, NULL, &p->whole), VK_SUCCESS);
}

static pipeline make_pipeline(vulkan_rig *rig, const uint32_t *code, size_t size, VkDescriptorSetLayout table)
{
	pipeline p = { .has_table = table != VK_NULL_HANDLE };
	make_layouts(rig, &p, table);
	VkDevice device = rig->context.device;
	VkShaderModuleCreateInfo shader = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = size,
		.pCode = code,
	};
	VkShaderModule module;
	assert_int_equal(RIG(rig, CreateShaderModule)(device, &shader, NULL, &module), VK_SUCCESS);
	VkComputePipelineCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = { .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			.stage = VK_SHADER_STAGE_COMPUTE_BIT,
			.module = module,
			.pName = "main" },
		.layout = p.whole,
	};
	assert_int_equal(RIG(rig, CreateComputePipelines)(device, VK_NULL_HANDLE, 1, &info, NULL, &p.pipeline), VK_SUCCESS);
	RIG(rig, DestroyShaderModule)(device, module, NULL);
	return p;
}

static void free_pipeline(vulkan_rig *rig, pipeline *p)
{
	VkDevice device = rig->context.device;
	RIG(rig, DestroyPipeline)(device, p->pipeline, NULL);
	RIG(rig, DestroyPipelineLayout)(device, p->whole, NULL);
	RIG(rig, DestroyDescriptorPool)(device, p->pool, NULL);
	RIG(rig, DestroyDescriptorSetLayout)(device, p->layout, NULL);
}

/// A frame: a run of the shader into memory of its own.
typedef struct frame
{
	vulkan_rig_commands commands;
	vulkan_rig_memory seen;
} frame;

static VkDescriptorSet make_set(vulkan_rig *rig, pipeline *p, VkBuffer buffer, uint32_t slot)
{
	VkDescriptorSetAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorPool = p->pool,
		.descriptorSetCount = 1,
		.pSetLayouts = &p->layout,
	};
	VkDescriptorSet set;
	assert_int_equal(RIG(rig, AllocateDescriptorSets)(rig->context.device, &info, &set), VK_SUCCESS);
	VkDescriptorBufferInfo memory = { buffer, 0, VK_WHOLE_SIZE };
	VkDescriptorImageInfo image = { .imageLayout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL };
	VkWriteDescriptorSet writes[2] = {
		{ .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			.dstSet = set,
			.dstBinding = p->has_table ? 0 : 1,
			.descriptorCount = 1,
			.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
			.pBufferInfo = &memory },
		{ .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			.dstSet = set,
			.descriptorCount = 1,
			.descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
			.pImageInfo = &image },
	};
	if (!p->has_table)
	{
		assert_int_not_equal(lrd_gpu_vulkan_slot(rig->gpu, slot, &image.imageView, &image.sampler), 0);
	}
	RIG(rig, UpdateDescriptorSets)(rig->context.device, p->has_table ? 1 : 2, writes, 0, NULL);
	return set;
}

/// Submitted, not waited for. Without a table `slot` is what is sampled.
static frame run(vulkan_rig *rig, pipeline *p, VkDescriptorSet table, const void *constants, uint32_t slot)
{
	frame f = { .seen = vulkan_rig_memory_make(rig, 32 * 4 * sizeof(float), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT) };
	VkDescriptorSet sets[2] = { table, make_set(rig, p, f.seen.buffer, slot) };
	f.commands = vulkan_rig_begin(rig);
	VkCommandBuffer commands = f.commands.buffer;
	RIG(rig, CmdBindPipeline)(commands, VK_PIPELINE_BIND_POINT_COMPUTE, p->pipeline);
	RIG(rig, CmdBindDescriptorSets)
	(commands, VK_PIPELINE_BIND_POINT_COMPUTE, p->whole, 0, p->has_table ? 2 : 1, p->has_table ? sets : &sets[1], 0,
		NULL);
	RIG(rig, CmdPushConstants)(commands, p->whole, VK_SHADER_STAGE_COMPUTE_BIT, 0, 12, constants);
	RIG(rig, CmdDispatch)(commands, 1, 1, 1);
	VkMemoryBarrier barrier = { VK_STRUCTURE_TYPE_MEMORY_BARRIER, NULL, VK_ACCESS_SHADER_WRITE_BIT,
		VK_ACCESS_HOST_READ_BIT };
	RIG(rig, CmdPipelineBarrier)
	(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
	vulkan_rig_submit(rig, &f.commands);
	return f;
}

/// Wait for a frame; the red of the texel of invocation `i` is `red` of 255.
static void check_and_free(vulkan_rig *rig, frame *f, const uint8_t *reds, uint32_t count)
{
	vulkan_rig_finish(rig, &f->commands);
	const float *seen = (const float *)(const void *)f->seen.data;
	for (uint32_t i = 0; i < count; ++i)
	{
		assert_float_equal(seen[4 * i] * 255.0f, (float)reds[i], 0.6f);
	}
	vulkan_rig_memory_free(rig, &f->seen);
}

/// A texture of one colour, copied and done.
static lrd_gpu_object make_plain(vulkan_rig *rig, uint8_t red, uint32_t faces)
{
	lrd_gpu_texture_desc desc = { "plain", LRD_TEXTURE_RGBA8_UNORM, 1, 1, 1, 1, faces, 1, false, { 0, 0, 0 } };
	lrd_gpu_object texture = rig->table.create_texture(rig->table.user, &desc, NULL);
	assert_int_not_equal(texture, 0);
	lrd_gpu_staging staging;
	assert_true(rig->table.stage(rig->table.user, 4 * faces, &staging));
	memset(staging.data, red, 4 * faces);
	rig->table.copy_texture(rig->table.user,
		&(lrd_gpu_texture_copy){ .texture = texture, .level = 0, .offset = staging.offset, .size = 4 * faces });
	vulkan_rig_flush(rig);
	return texture;
}

/// A rig on a driver with descriptor indexing; false where there is none.
static bool start_indexed(vulkan_rig *rig)
{
	static const char *const drivers[] = { NULL, "/usr/lib/chromium/vk_swiftshader_icd.json",
		"/opt/google/chrome/vk_swiftshader_icd.json" };
	for (size_t i = 0; i < sizeof drivers / sizeof *drivers; ++i)
	{
		FILE *file = drivers[i] != NULL ? fopen(drivers[i], "rb") : NULL;
		if (drivers[i] != NULL && file == NULL)
		{
			continue;
		}
		if (file != NULL)
		{
			fclose(file);
			setenv("VK_ICD_FILENAMES", drivers[i], 1);
		}
		if (!vulkan_is_here())
		{
			continue;
		}
		vulkan_rig_start(rig, &(vulkan_rig_desc){ .gpu = { .texture_slots = 4096, .frames = FRAMES } });
		if (rig->context.descriptor_indexing)
		{
			return true;
		}
		vulkan_rig_stop(rig);
	}
	print_message("no Vulkan driver with descriptor indexing here\n");
	return false;
}

typedef struct table_constants
{
	uint32_t first;
	uint32_t cube;
	uint32_t sampler_index;
} table_constants;

static void shaders_index_slots_of_the_table(void **state)
{
	(void)state;
	vulkan_rig rig;
	if (!start_indexed(&rig))
	{
		skip();
	}
	pipeline p = make_pipeline(&rig, sample_table, sizeof sample_table, lrd_gpu_vulkan_table_layout(rig.gpu));
	uint8_t reds[32];
	const table_constants constants = { 4060, 4077, 0 };
	for (uint32_t i = 0; i < 32; ++i)
	{
		reds[i] = (uint8_t)(7 * i + 3);
		uint32_t slot = constants.first + i;
		lrd_gpu_object texture = make_plain(&rig, reds[i], slot == constants.cube ? 6 : 1);
		rig.table.bind_texture(rig.table.user, slot, texture);
	}
	frame f = run(&rig, &p, lrd_gpu_vulkan_table(rig.gpu, 1), &constants, 0);
	check_and_free(&rig, &f, reds, 32);
	free_pipeline(&rig, &p);
	vulkan_rig_stop(&rig);
}

static void a_slot_of_the_table_changes_while_frames_run_that_sample_it(void **state)
{
	(void)state;
	vulkan_rig rig;
	if (!start_indexed(&rig))
	{
		skip();
	}
	pipeline p = make_pipeline(&rig, sample_table, sizeof sample_table, lrd_gpu_vulkan_table_layout(rig.gpu));
	const table_constants constants = { 100, LRD_GPU_NO_SLOT, 0 };
	for (uint32_t i = 1; i < 32; ++i)
	{
		rig.table.bind_texture(rig.table.user, 100 + i, make_plain(&rig, 200, 1));
	}
	frame frames[FRAMES];
	lrd_gpu_object textures[FRAMES] = { 0 };
	uint8_t reds[FRAMES][2] = { { 0 } };
	for (uint32_t number = 0; number < 20; ++number)
	{
		uint32_t i = number % FRAMES;
		if (number >= FRAMES) // that frame is through, and what only it used goes
		{
			check_and_free(&rig, &frames[i], reds[i], 2);
			rig.table.destroy_texture(rig.table.user, textures[i]);
		}
		reds[i][0] = (uint8_t)(10 * number);
		reds[i][1] = 200;
		textures[i] = make_plain(&rig, reds[i][0], 1);
		rig.table.bind_texture(rig.table.user, 100, textures[i]);
		frames[i] = run(&rig, &p, lrd_gpu_vulkan_table(rig.gpu, number), &constants, 0);
	}
	for (uint32_t number = 20; number < 20 + FRAMES; ++number)
	{
		check_and_free(&rig, &frames[number % FRAMES], reds[number % FRAMES], 2);
	}
	free_pipeline(&rig, &p);
	vulkan_rig_stop(&rig);
}

static void a_slot_is_sampled_by_sets_of_a_renderers_own_and_changes_while_frames_run(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	vulkan_rig_start(&rig, NULL);
	pipeline p = make_pipeline(&rig, sample_slot, sizeof sample_slot, VK_NULL_HANDLE);
	const float uv[3] = { 0.5f, 0.5f, 0.0f };
	frame frames[FRAMES];
	lrd_gpu_object textures[FRAMES] = { 0 };
	uint8_t reds[FRAMES] = { 0 };
	for (uint32_t number = 0; number < 20; ++number)
	{
		uint32_t i = number % FRAMES;
		if (number >= FRAMES)
		{
			check_and_free(&rig, &frames[i], &reds[i], 1);
			rig.table.destroy_texture(rig.table.user, textures[i]);
		}
		reds[i] = (uint8_t)(10 * number);
		textures[i] = make_plain(&rig, reds[i], 1);
		rig.table.bind_texture(rig.table.user, 0, textures[i]);
		frames[i] = run(&rig, &p, VK_NULL_HANDLE, uv, 0);
	}
	for (uint32_t number = 20; number < 20 + FRAMES; ++number)
	{
		check_and_free(&rig, &frames[number % FRAMES], &reds[number % FRAMES], 1);
	}
	free_pipeline(&rig, &p);
	vulkan_rig_stop(&rig);
}

/// What a shader sees at `u` of a texture whose two texels are 0 and 200.
static void check_sampling(
	vulkan_rig *rig, pipeline *p, lrd_texture_sampling sampling, bool vertical, float at, uint8_t red)
{
	lrd_gpu_texture_desc desc = { "two", LRD_TEXTURE_RGBA8_UNORM, vertical ? 1 : 2, vertical ? 2 : 1, 1, 1, 1, 1, false,
		sampling };
	lrd_gpu_object texture = rig->table.create_texture(rig->table.user, &desc, NULL);
	assert_int_not_equal(texture, 0);
	lrd_gpu_staging staging;
	assert_true(rig->table.stage(rig->table.user, 8, &staging));
	const uint8_t texels[8] = { 0, 0, 0, 0, 200, 200, 200, 200 };
	memcpy(staging.data, texels, 8);
	rig->table.copy_texture(rig->table.user,
		&(lrd_gpu_texture_copy){ .texture = texture, .level = 0, .offset = staging.offset, .size = 8 });
	vulkan_rig_flush(rig);
	rig->table.bind_texture(rig->table.user, 0, texture);
	const float uv[3] = { vertical ? 0.5f : at, vertical ? at : 0.5f, 0.0f };
	frame f = run(rig, p, VK_NULL_HANDLE, uv, 0);
	check_and_free(rig, &f, &red, 1);
	rig->table.destroy_texture(rig->table.user, texture);
}

static void samplers_wrap_and_filter_as_textures_ask_for(void **state)
{
	(void)state;
	NEEDS_VULKAN();
	vulkan_rig rig;
	vulkan_rig_start(&rig, NULL);
	pipeline p = make_pipeline(&rig, sample_slot, sizeof sample_slot, VK_NULL_HANDLE);
	for (int vertical = 0; vertical < 2; ++vertical)
	{
		lrd_texture_sampling s = { LRD_WRAP_CLAMP, LRD_WRAP_CLAMP, LRD_FILTER_POINT };
		uint8_t *wrap = vertical ? &s.wrap_v : &s.wrap_u;
		const struct
		{
			uint8_t wrap;
			uint8_t at_one_and_a_bit; // 1.2, which is 0.2 again, 1, or 0.8
			uint8_t below_zero;       // -0.2: 0.8, 0, or 0.2
		} expected[] = {
			{ LRD_WRAP_REPEAT, 0, 200 },
			{ LRD_WRAP_CLAMP, 200, 0 },
			{ LRD_WRAP_MIRROR, 200, 0 },
		};
		for (size_t i = 0; i < 3; ++i)
		{
			*wrap = expected[i].wrap;
			check_sampling(&rig, &p, s, vertical == 1, 1.2f, expected[i].at_one_and_a_bit);
			check_sampling(&rig, &p, s, vertical == 1, -0.2f, expected[i].below_zero);
		}
		*wrap = LRD_WRAP_MIRROR;
		check_sampling(&rig, &p, s, vertical == 1, 1.8f, 0); // and not clamped
		s.filter = LRD_FILTER_LINEAR;
		check_sampling(&rig, &p, s, vertical == 1, 0.5f, 100);
	}
	free_pipeline(&rig, &p);
	vulkan_rig_stop(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slot_is_sampled_by_sets_of_a_renderers_own_and_changes_while_frames_run),
		cmocka_unit_test(samplers_wrap_and_filter_as_textures_ask_for),
		cmocka_unit_test(shaders_index_slots_of_the_table),
		cmocka_unit_test(a_slot_of_the_table_changes_while_frames_run_that_sample_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
