// The images that a frame is drawn into.

#include "cli/view/render.h"

static uint32_t count_levels(uint32_t width, uint32_t height)
{
	uint32_t levels = 1;
	for (uint32_t side = width > height ? width : height; side > 1; side /= 2)
	{
		levels++;
	}
	return levels;
}

static bool make_framebuffer(const view_vulkan *vk, VkRenderPass pass, const VkImageView *views, uint32_t count,
	const view_targets *targets, VkFramebuffer *framebuffer)
{
	VkFramebufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
		.renderPass = pass,
		.attachmentCount = count,
		.pAttachments = views,
		.width = targets->width,
		.height = targets->height,
		.layers = 1 };
	return view_check(vk->CreateFramebuffer(vk->device, &info, NULL, framebuffer), "a framebuffer");
}

bool view_targets_make(
	view_targets *self, const view_vulkan *vk, const view_pipelines *pipelines, uint32_t width, uint32_t height)
{
	*self = (view_targets){ .width = width, .height = height, .is_fresh = true };
	const view_image_desc color = { .format = VIEW_COLOR_FORMAT,
		.width = width,
		.height = height,
		.samples = (VkSampleCountFlagBits)VIEW_SAMPLES,
		.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT };
	const view_image_desc depth = { .format = VIEW_DEPTH_FORMAT,
		.width = width,
		.height = height,
		.samples = (VkSampleCountFlagBits)VIEW_SAMPLES,
		.usage = VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT };
	const view_image_desc behind = { .format = VIEW_COLOR_FORMAT,
		.width = width,
		.height = height,
		.levels = count_levels(width, height),
		.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT };
	const view_image_desc output = { .format = VIEW_OUTPUT_FORMAT,
		.width = width,
		.height = height,
		.usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT };
	if (!view_image_make(vk, &self->color, &color) || !view_image_make(vk, &self->depth, &depth) ||
		!view_image_make(vk, &self->behind, &behind) || !view_image_make(vk, &self->output, &output))
	{
		return false;
	}
	const VkImageView scene[] = { self->color.view, self->depth.view };
	return make_framebuffer(vk, pipelines->first_pass, scene, 2, self, &self->scene) &&
		   make_framebuffer(vk, pipelines->post_pass, &self->output.view, 1, self, &self->post) &&
		   view_buffer_make(
			   vk, &self->pixels, (VkDeviceSize)width * height * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
}

void view_targets_free(view_targets *self, const view_vulkan *vk)
{
	vk->DestroyFramebuffer(vk->device, self->scene, NULL);
	vk->DestroyFramebuffer(vk->device, self->post, NULL);
	view_image_free(vk, &self->color);
	view_image_free(vk, &self->depth);
	view_image_free(vk, &self->behind);
	view_image_free(vk, &self->output);
	view_buffer_free(vk, &self->pixels);
	*self = (view_targets){ 0 };
}
