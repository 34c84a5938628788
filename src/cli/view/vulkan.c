// Functions of Vulkan, and buffers and images with memory of their own: the viewer has few of them.

#include "cli/view/vulkan.h"
#include "cli/cli.h"

#include <string.h>

bool view_check(VkResult result, const char *what)
{
	if (result < 0)
	{
		cli_error("view: %s: Vulkan says %d%s", what, (int)result,
			result == VK_ERROR_DEVICE_LOST            ? ", the device is lost"
			: result == VK_ERROR_OUT_OF_DEVICE_MEMORY ? ", out of device memory"
			: result == VK_ERROR_OUT_OF_HOST_MEMORY   ? ", out of memory"
			: result == VK_ERROR_SURFACE_LOST_KHR     ? ", the window's surface is lost"
													  : "");
		return false;
	}
	return true;
}

bool view_vulkan_load(view_vulkan *self, lrd_vulkan_device *device)
{
	const lrd_vulkan_context *context = lrd_vulkan_device_context(device);
	lrd_error error;
	PFN_vkGetInstanceProcAddr get = context->get_instance_proc_addr;
	get = get != NULL ? get : lrd_vulkan_loader(&error);
	if (get == NULL)
	{
		cli_error("view: %s", error.message);
		return false;
	}
	*self = (view_vulkan){
		.owner = device, .context = context, .device = context->device, .queue = context->graphics_queue
	};
	bool good = true;
#define LOAD(name)                                                                                                     \
	self->name = (PFN_vk##name)get(context->instance, "vk" #name);                                                     \
	good = good && self->name != NULL;
	VIEW_INSTANCE_FUNCTIONS(LOAD)
#undef LOAD
#define LOAD(name) self->name = (PFN_vk##name)get(context->instance, "vk" #name);
	VIEW_SURFACE_FUNCTIONS(LOAD)
#undef LOAD
	if (!good)
	{
		cli_error("view: the Vulkan loader lacks functions of Vulkan 1.0");
		return false;
	}
#define LOAD(name) self->name = (PFN_vk##name)self->GetDeviceProcAddr(self->device, "vk" #name);
	VIEW_SWAPCHAIN_FUNCTIONS(LOAD)
#undef LOAD
#define LOAD(name)                                                                                                     \
	self->name = (PFN_vk##name)self->GetDeviceProcAddr(self->device, "vk" #name);                                      \
	good = good && self->name != NULL;
	VIEW_DEVICE_FUNCTIONS(LOAD)
#undef LOAD
	if (!good)
	{
		cli_error("view: the Vulkan driver lacks functions of Vulkan 1.0");
		return false;
	}
	self->GetPhysicalDeviceMemoryProperties(context->physical_device, &self->memory);
	self->GetPhysicalDeviceProperties(context->physical_device, &self->properties);
	return true;
}

/// UINT32_MAX: there is none.
static uint32_t find_memory(const view_vulkan *vk, uint32_t types, VkMemoryPropertyFlags wanted)
{
	for (uint32_t i = 0; i < vk->memory.memoryTypeCount; ++i)
	{
		if ((types >> i & 1) != 0 && (vk->memory.memoryTypes[i].propertyFlags & wanted) == wanted)
		{
			return i;
		}
	}
	return UINT32_MAX;
}

static bool allocate(const view_vulkan *vk, const VkMemoryRequirements *needs, uint32_t type, VkDeviceMemory *memory)
{
	VkMemoryAllocateInfo info = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
		.allocationSize = needs->size,
		.memoryTypeIndex = type,
	};
	char what[64];
	snprintf(what, sizeof what, "%s of memory", cli_bytes(needs->size));
	if (type == UINT32_MAX)
	{
		cli_error("view: the device has no memory of the kind that a picture needs");
		return false;
	}
	return view_check(vk->AllocateMemory(vk->device, &info, NULL, memory), what);
}

bool view_buffer_make(
	const view_vulkan *vk, view_buffer *self, VkDeviceSize size, VkBufferUsageFlags usage, bool is_read_back)
{
	*self = (view_buffer){ .size = size };
	VkBufferCreateInfo info = { .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = usage };
	if (!view_check(vk->CreateBuffer(vk->device, &info, NULL, &self->buffer), "a buffer"))
	{
		return false;
	}
	VkMemoryRequirements needs;
	vk->GetBufferMemoryRequirements(vk->device, self->buffer, &needs);
	const VkMemoryPropertyFlags coherent = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	uint32_t type = is_read_back ? find_memory(vk, needs.memoryTypeBits, coherent | VK_MEMORY_PROPERTY_HOST_CACHED_BIT)
								 : UINT32_MAX;
	type = type != UINT32_MAX ? type : find_memory(vk, needs.memoryTypeBits, coherent);
	bool good = allocate(vk, &needs, type, &self->memory) &&
				view_check(vk->BindBufferMemory(vk->device, self->buffer, self->memory, 0), "a buffer") &&
				view_check(vk->MapMemory(vk->device, self->memory, 0, VK_WHOLE_SIZE, 0, &self->mapped), "a buffer");
	if (!good)
	{
		view_buffer_free(vk, self);
	}
	return good;
}

void view_buffer_free(const view_vulkan *vk, view_buffer *self)
{
	vk->DestroyBuffer(vk->device, self->buffer, NULL);
	vk->FreeMemory(vk->device, self->memory, NULL);
	*self = (view_buffer){ 0 };
}

bool view_buffer_reserve(const view_vulkan *vk, view_buffer *self, VkDeviceSize size, VkBufferUsageFlags usage)
{
	if (self->size >= size)
	{
		return true;
	}
	view_buffer_free(vk, self);
	VkDeviceSize room = 4096;
	while (room < size)
	{
		room *= 2;
	}
	return view_buffer_make(vk, self, room, usage, false);
}

bool view_image_make(const view_vulkan *vk, view_image *self, const view_image_desc *desc)
{
	*self = (view_image){ .format = desc->format,
		.width = desc->width,
		.height = desc->height,
		.levels = desc->levels != 0 ? desc->levels : 1 };
	VkImageCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
		.flags = desc->is_cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
		.imageType = VK_IMAGE_TYPE_2D,
		.format = desc->format,
		.extent = { desc->width, desc->height, 1 },
		.mipLevels = self->levels,
		.arrayLayers = desc->is_cube ? 6 : 1,
		.samples = desc->samples != 0 ? desc->samples : VK_SAMPLE_COUNT_1_BIT,
		.usage = desc->usage,
	};
	if (!view_check(vk->CreateImage(vk->device, &info, NULL, &self->image), "an image"))
	{
		return false;
	}
	VkMemoryRequirements needs;
	vk->GetImageMemoryRequirements(vk->device, self->image, &needs);
	uint32_t type = find_memory(vk, needs.memoryTypeBits, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
	type = type != UINT32_MAX ? type : find_memory(vk, needs.memoryTypeBits, 0);
	VkImageViewCreateInfo view = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
		.image = self->image,
		.viewType = desc->is_cube ? VK_IMAGE_VIEW_TYPE_CUBE : VK_IMAGE_VIEW_TYPE_2D,
		.format = desc->format,
		.subresourceRange = { desc->format == VK_FORMAT_D32_SFLOAT ? VK_IMAGE_ASPECT_DEPTH_BIT
																   : VK_IMAGE_ASPECT_COLOR_BIT,
			0, self->levels, 0, info.arrayLayers },
	};
	bool good = allocate(vk, &needs, type, &self->memory) &&
				view_check(vk->BindImageMemory(vk->device, self->image, self->memory, 0), "an image") &&
				view_check(vk->CreateImageView(vk->device, &view, NULL, &self->view), "an image's view");
	if (!good)
	{
		view_image_free(vk, self);
	}
	return good;
}

void view_image_free(const view_vulkan *vk, view_image *self)
{
	vk->DestroyImageView(vk->device, self->view, NULL);
	vk->DestroyImage(vk->device, self->image, NULL);
	vk->FreeMemory(vk->device, self->memory, NULL);
	*self = (view_image){ 0 };
}

void view_transition_image(const view_vulkan *vk, VkCommandBuffer commands, const view_transition *transition)
{
	VkImageMemoryBarrier barrier = {
		.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
		.srcAccessMask = transition->written,
		.dstAccessMask = transition->read,
		.oldLayout = transition->from,
		.newLayout = transition->to,
		.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
		.image = transition->image,
		.subresourceRange = { transition->aspect != 0 ? transition->aspect : VK_IMAGE_ASPECT_COLOR_BIT,
			transition->first_level, transition->level_count != 0 ? transition->level_count : VK_REMAINING_MIP_LEVELS,
			0, VK_REMAINING_ARRAY_LAYERS },
	};
	vk->CmdPipelineBarrier(commands, transition->before, transition->after, 0, 0, NULL, 0, NULL, 1, &barrier);
}
