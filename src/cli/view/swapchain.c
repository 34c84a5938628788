// The images of a window, made anew whenever it changes its size.

#include "cli/view/window.h"

#include <stdlib.h>

static bool choose_format(const view_window *self, VkSurfaceFormatKHR *chosen)
{
	const view_vulkan *vk = &self->session->vk;
	VkSurfaceFormatKHR formats[64];
	uint32_t count = 64;
	if (!view_check(
			vk->GetPhysicalDeviceSurfaceFormatsKHR(vk->context->physical_device, self->surface, &count, formats),
			"the window"))
	{
		return false;
	}
	// Colours are encoded by the shader, so the format must not do it again.
	for (uint32_t i = 0; i < count; ++i)
	{
		if (formats[i].format == VK_FORMAT_B8G8R8A8_UNORM || formats[i].format == VK_FORMAT_R8G8B8A8_UNORM)
		{
			*chosen = formats[i];
			return true;
		}
	}
	cli_error("view: the window has no format of 8 bits a channel");
	return false;
}

static uint32_t clamp(uint32_t value, uint32_t least, uint32_t most)
{
	return value < least ? least : value > most ? most : value;
}

static bool take_images(view_window *self)
{
	const view_vulkan *vk = &self->session->vk;
	self->image_count = VIEW_WINDOW_IMAGES;
	VkResult result = vk->GetSwapchainImagesKHR(vk->device, self->swapchain, &self->image_count, self->images);
	if (result == VK_INCOMPLETE)
	{
		cli_error("view: the window has more than %d images", VIEW_WINDOW_IMAGES);
		return false;
	}
	return view_check(result, "the window's images");
}

bool view_swapchain_make(view_window *self)
{
	const view_vulkan *vk = &self->session->vk;
	VkSurfaceCapabilitiesKHR can;
	VkSurfaceFormatKHR format;
	if (!view_check(vk->GetPhysicalDeviceSurfaceCapabilitiesKHR(vk->context->physical_device, self->surface, &can),
			"the window") ||
		!choose_format(self, &format))
	{
		return false;
	}
	int width = 0, height = 0;
	SDL_Vulkan_GetDrawableSize(self->window, &width, &height);
	bool is_told = can.currentExtent.width != UINT32_MAX;
	self->width =
		is_told ? can.currentExtent.width : clamp((uint32_t)width, can.minImageExtent.width, can.maxImageExtent.width);
	self->height = is_told ? can.currentExtent.height
						   : clamp((uint32_t)height, can.minImageExtent.height, can.maxImageExtent.height);
	self->is_stale = false;
	if (self->width == 0 || self->height == 0 || width == 0 || height == 0)
	{
		view_swapchain_free(self);
		self->width = self->height = 0;
		return true;
	}
	VkSwapchainKHR old = self->swapchain;
	uint32_t images = can.minImageCount + 1;
	VkSwapchainCreateInfoKHR info = { .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
		.surface = self->surface,
		.minImageCount = can.maxImageCount != 0 && images > can.maxImageCount ? can.maxImageCount : images,
		.imageFormat = format.format,
		.imageColorSpace = format.colorSpace,
		.imageExtent = { self->width, self->height },
		.imageArrayLayers = 1,
		.imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
		.preTransform = can.currentTransform,
		.compositeAlpha = (can.supportedCompositeAlpha & VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR) != 0
							  ? VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR
							  : VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR,
		.presentMode = VK_PRESENT_MODE_FIFO_KHR,
		.clipped = VK_TRUE,
		.oldSwapchain = old };
	VkSwapchainKHR fresh = VK_NULL_HANDLE;
	bool good = view_check(vk->CreateSwapchainKHR(vk->device, &info, NULL, &fresh), "the window's images");
	vk->DeviceWaitIdle(vk->device);
	view_swapchain_free(self);
	self->swapchain = fresh;
	return good && take_images(self);
}

void view_swapchain_free(view_window *self)
{
	const view_vulkan *vk = &self->session->vk;
	if (self->swapchain != VK_NULL_HANDLE)
	{
		vk->DeviceWaitIdle(vk->device);
		vk->DestroySwapchainKHR(vk->device, self->swapchain, NULL);
	}
	self->swapchain = VK_NULL_HANDLE;
	self->image_count = 0;
}

bool view_semaphores_make(view_window *self)
{
	const view_vulkan *vk = &self->session->vk;
	const VkSemaphoreCreateInfo info = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };
	bool good = true;
	for (uint32_t i = 0; good && i < VIEW_WINDOW_IMAGES; ++i)
	{
		good = view_check(vk->CreateSemaphore(vk->device, &info, NULL, &self->drawn[i]), "a semaphore");
	}
	for (uint32_t i = 0; good && i < VIEW_FRAMES; ++i)
	{
		good = view_check(vk->CreateSemaphore(vk->device, &info, NULL, &self->acquired[i]), "a semaphore");
	}
	return good;
}

void view_semaphores_free(view_window *self)
{
	const view_vulkan *vk = &self->session->vk;
	for (uint32_t i = 0; i < VIEW_WINDOW_IMAGES; ++i)
	{
		vk->DestroySemaphore(vk->device, self->drawn[i], NULL);
	}
	for (uint32_t i = 0; i < VIEW_FRAMES; ++i)
	{
		vk->DestroySemaphore(vk->device, self->acquired[i], NULL);
	}
}
