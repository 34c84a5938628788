// gpu/vulkan/device.h: what the files that make a device share.

#ifndef GPU_VULKAN_DEVICE_H
#define GPU_VULKAN_DEVICE_H

#include "gpu/vulkan/functions.h"

#include "base/memory.h"

#include <stdatomic.h>

struct lrd_vulkan_device
{
	lrd_vulkan_context context;
	lrd_vk vk;
	VkSurfaceKHR surface;
	VkDebugUtilsMessengerEXT messenger;
	VkPhysicalDeviceProperties properties;
	VkPhysicalDeviceFeatures features;
	VkPhysicalDeviceVulkan12Features features12;
	bool has_budget;
	atomic_uint messages;
	lrd_allocator allocator;
	lrd_log log;
};

/// What a physical device comes to.
typedef struct lrd_vk_choice
{
	VkPhysicalDevice device;
	VkPhysicalDeviceProperties properties;
	uint32_t graphics_family;
	uint32_t transfer_family; // VK_QUEUE_FAMILY_IGNORED: none of its own
	uint64_t local_bytes;     // of its own memory
	bool has_budget;
	bool has_astc_hdr;
} lrd_vk_choice;

/// The best device that does everything the description asks for.
bool lrd_vk_choose(
	const lrd_vulkan_device *device, const lrd_vulkan_device_desc *desc, lrd_vk_choice *choice, lrd_error *error);

/// Arrays that Vulkan lists in two calls. Freed by lrd_free with `capacity * size`.
typedef struct lrd_vk_extensions
{
	VkExtensionProperties *items;
	uint32_t count;
	uint32_t capacity;
} lrd_vk_extensions;
bool lrd_vk_extensions_of_device(
	const lrd_vulkan_device *device, VkPhysicalDevice physical, lrd_vk_extensions *list, lrd_error *error);
bool lrd_vk_extensions_of_instance(
	const lrd_vulkan_device *device, const char *layer, lrd_vk_extensions *list, lrd_error *error);
void lrd_vk_extensions_free(const lrd_vulkan_device *device, lrd_vk_extensions *list);
bool lrd_vk_extensions_have(const lrd_vk_extensions *list, const char *name);

#endif
