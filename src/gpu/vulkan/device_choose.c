// gpu/vulkan/device_choose.c: which of a system's devices is taken, and why the others were not.

#include "gpu/vulkan/device.h"

#include "base/error.h"

#include <stdio.h>

#define REASONS_SIZE 600
#define FAMILIES_MAX 32

static bool grow_extensions(const lrd_vulkan_device *device, lrd_vk_extensions *list, uint32_t count, lrd_error *error)
{
	lrd_vk_extensions_free(device, list);
	list->items = lrd_alloc_zeroed(device->allocator, count, sizeof *list->items);
	if (list->items == NULL)
	{
		return lrd_fail_memory(error, "extensions", count * sizeof *list->items);
	}
	list->capacity = count;
	return true;
}

/// `physical` VK_NULL_HANDLE: the instance's, of `layer` or of the loader.
static VkResult list_extensions(const lrd_vulkan_device *device, VkPhysicalDevice physical, const char *layer,
	uint32_t *count, VkExtensionProperties *items)
{
	return physical != VK_NULL_HANDLE ? device->vk.EnumerateDeviceExtensionProperties(physical, layer, count, items)
									  : device->vk.EnumerateInstanceExtensionProperties(layer, count, items);
}

static bool read_extensions(const lrd_vulkan_device *device, VkPhysicalDevice physical, const char *layer,
	lrd_vk_extensions *list, lrd_error *error)
{
	VkResult result = VK_INCOMPLETE;
	while (result == VK_INCOMPLETE) // another process may have added a layer between the two calls
	{
		uint32_t count = 0;
		result = list_extensions(device, physical, layer, &count, NULL);
		if (result != VK_SUCCESS || count == 0)
		{
			break;
		}
		if (!grow_extensions(device, list, count, error))
		{
			return false;
		}
		result = list_extensions(device, physical, layer, &count, list->items);
		list->count = count;
	}
	return result == VK_SUCCESS || lrd_vk_fail(error, result, "list extensions");
}

bool lrd_vk_extensions_of_device(
	const lrd_vulkan_device *device, VkPhysicalDevice physical, lrd_vk_extensions *list, lrd_error *error)
{
	return read_extensions(device, physical, NULL, list, error);
}

bool lrd_vk_extensions_of_instance(
	const lrd_vulkan_device *device, const char *layer, lrd_vk_extensions *list, lrd_error *error)
{
	return read_extensions(device, VK_NULL_HANDLE, layer, list, error);
}

void lrd_vk_extensions_free(const lrd_vulkan_device *device, lrd_vk_extensions *list)
{
	lrd_free(device->allocator, list->items, list->capacity * sizeof *list->items);
	*list = (lrd_vk_extensions){ 0 };
}

bool lrd_vk_extensions_have(const lrd_vk_extensions *list, const char *name)
{
	for (uint32_t i = 0; i < list->count; ++i)
	{
		if (strcmp(list->items[i].extensionName, name) == 0)
		{
			return true;
		}
	}
	return false;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool contains(const char *text, const char *part)
{
	for (; *text != '\0'; ++text)
	{
		size_t i = 0;
		while (part[i] != '\0' && lower(text[i]) == lower(part[i]))
		{
			++i;
		}
		if (part[i] == '\0')
		{
			return true;
		}
	}
	return part[0] == '\0';
}

static bool shows(const lrd_vulkan_device *device, VkPhysicalDevice physical, uint32_t family)
{
	VkBool32 can = VK_FALSE;
	return device->surface == VK_NULL_HANDLE ||
		   (device->vk.GetPhysicalDeviceSurfaceSupportKHR(physical, family, device->surface, &can) == VK_SUCCESS &&
			   can);
}

static void find_families(const lrd_vulkan_device *device, lrd_vk_choice *choice)
{
	VkQueueFamilyProperties families[FAMILIES_MAX];
	uint32_t count = FAMILIES_MAX;
	device->vk.GetPhysicalDeviceQueueFamilyProperties(choice->device, &count, families);
	choice->graphics_family = VK_QUEUE_FAMILY_IGNORED;
	choice->transfer_family = VK_QUEUE_FAMILY_IGNORED;
	for (uint32_t i = 0; i < count; ++i)
	{
		VkQueueFlags flags = families[i].queueFlags;
		if ((flags & VK_QUEUE_GRAPHICS_BIT) != 0)
		{
			if (choice->graphics_family == VK_QUEUE_FAMILY_IGNORED && shows(device, choice->device, i))
			{
				choice->graphics_family = i;
			}
		}
		// One for computing may copy too, but it shares what the graphics queue computes with.
		else if ((flags & VK_QUEUE_COMPUTE_BIT) == 0 && (flags & VK_QUEUE_TRANSFER_BIT) != 0 &&
				 choice->transfer_family == VK_QUEUE_FAMILY_IGNORED)
		{
			choice->transfer_family = i;
		}
	}
}

static void measure_memory(const lrd_vulkan_device *device, lrd_vk_choice *choice)
{
	VkPhysicalDeviceMemoryProperties2 memory = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2 };
	device->vk.GetPhysicalDeviceMemoryProperties2(choice->device, &memory);
	for (uint32_t i = 0; i < memory.memoryProperties.memoryHeapCount; ++i)
	{
		const VkMemoryHeap *heap = &memory.memoryProperties.memoryHeaps[i];
		if ((heap->flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0 && heap->size > choice->local_bytes)
		{
			choice->local_bytes = heap->size;
		}
	}
}

static bool has_timelines(const lrd_vulkan_device *device, VkPhysicalDevice physical)
{
	VkPhysicalDeviceVulkan12Features features12 = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES };
	VkPhysicalDeviceFeatures2 features = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features12, { 0 } };
	device->vk.GetPhysicalDeviceFeatures2(physical, &features);
	return features12.timelineSemaphore;
}

/// The first extension that it must have and lacks; NULL: none.
static const char *lacks(
	const lrd_vulkan_device *device, const lrd_vulkan_device_desc *desc, const lrd_vk_extensions *list)
{
	for (uint32_t i = 0; i < desc->device_extension_count; ++i)
	{
		if (!lrd_vk_extensions_have(list, desc->device_extensions[i]))
		{
			return desc->device_extensions[i];
		}
	}
	bool window = device->surface != VK_NULL_HANDLE;
	return window && !lrd_vk_extensions_have(list, VK_KHR_SWAPCHAIN_EXTENSION_NAME) ? VK_KHR_SWAPCHAIN_EXTENSION_NAME
																					: NULL;
}

/// Why a device can't be taken; "": it can. NULL and an error: it could not be asked.
static const char *refuse(const lrd_vulkan_device *device, const lrd_vulkan_device_desc *desc, lrd_vk_choice *choice,
	char *text, size_t size, lrd_error *error)
{
	const VkPhysicalDeviceProperties *properties = &choice->properties;
	if (desc->device_name != NULL && !contains(properties->deviceName, desc->device_name))
	{
		return "it is not the one asked for";
	}
	if (properties->apiVersion < VK_API_VERSION_1_2)
	{
		snprintf(text, size, "its Vulkan is %u.%u", VK_API_VERSION_MAJOR(properties->apiVersion),
			VK_API_VERSION_MINOR(properties->apiVersion));
		return text;
	}
	if (!has_timelines(device, choice->device))
	{
		return "it has no timeline semaphores";
	}
	find_families(device, choice);
	if (choice->graphics_family == VK_QUEUE_FAMILY_IGNORED)
	{
		return device->surface != VK_NULL_HANDLE ? "it can't show on this window" : "it has no graphics queue";
	}
	lrd_vk_extensions list = { 0 };
	if (!lrd_vk_extensions_of_device(device, choice->device, &list, error))
	{
		lrd_vk_extensions_free(device, &list);
		return NULL;
	}
	const char *missing = lacks(device, desc, &list);
	choice->has_budget = lrd_vk_extensions_have(&list, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
	choice->has_astc_hdr = lrd_vk_extensions_have(&list, VK_EXT_TEXTURE_COMPRESSION_ASTC_HDR_EXTENSION_NAME);
	lrd_vk_extensions_free(device, &list);
	if (missing != NULL)
	{
		snprintf(text, size, "it has no %s", missing);
		return text;
	}
	return "";
}

static int rank(const VkPhysicalDeviceProperties *properties)
{
	switch (properties->deviceType)
	{
	case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return 4;
	case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return 3;
	case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return 2;
	case VK_PHYSICAL_DEVICE_TYPE_CPU: return 1;
	default: return 0;
	}
}

static bool better(const lrd_vk_choice *a, const lrd_vk_choice *b)
{
	int by = rank(&a->properties) - rank(&b->properties);
	return by != 0 ? by > 0 : a->local_bytes > b->local_bytes;
}

static bool fail_none(const lrd_vulkan_device_desc *desc, uint32_t count, const char *reasons, lrd_error *error)
{
	if (count == 0)
	{
		return lrd_vk_fail(error, VK_ERROR_INCOMPATIBLE_DRIVER, "find a Vulkan device");
	}
	bool named = desc->device_name != NULL;
	return lrd_fail(error, named ? LRD_ERROR_NOT_FOUND : LRD_ERROR_UNSUPPORTED, "no Vulkan device%s%s%s will do:%s",
		named ? " named \"" : "", named ? desc->device_name : "", named ? "\"" : "", reasons);
}

static bool choose_among(const lrd_vulkan_device *device, const lrd_vulkan_device_desc *desc,
	const VkPhysicalDevice *list, uint32_t count, lrd_vk_choice *choice, lrd_error *error)
{
	char reasons[REASONS_SIZE] = "";
	size_t used = 0;
	for (uint32_t i = 0; i < count; ++i)
	{
		VkPhysicalDeviceProperties2 properties = { .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2 };
		device->vk.GetPhysicalDeviceProperties2(list[i], &properties);
		lrd_vk_choice candidate = { .device = list[i], .properties = properties.properties };
		measure_memory(device, &candidate);
		char text[300];
		const char *reason = refuse(device, desc, &candidate, text, sizeof text, error);
		if (reason == NULL)
		{
			return false;
		}
		if (reason[0] != '\0' && used < sizeof reasons)
		{
			int more = snprintf(reasons + used, sizeof reasons - used, "%s %s (%s)", used > 0 ? "," : "",
				candidate.properties.deviceName, reason);
			used += more > 0 ? (size_t)more : 0;
		}
		if (reason[0] == '\0' && (choice->device == VK_NULL_HANDLE || better(&candidate, choice)))
		{
			*choice = candidate;
		}
	}
	return choice->device != VK_NULL_HANDLE || fail_none(desc, count, reasons, error);
}

bool lrd_vk_choose(
	const lrd_vulkan_device *device, const lrd_vulkan_device_desc *desc, lrd_vk_choice *choice, lrd_error *error)
{
	uint32_t count = 0;
	VkResult result = device->vk.EnumeratePhysicalDevices(device->context.instance, &count, NULL);
	// Without a driver newer loaders make an instance all the same, and say it here.
	if (result == VK_ERROR_INITIALIZATION_FAILED || (result == VK_SUCCESS && count == 0))
	{
		return fail_none(desc, 0, "", error);
	}
	if (result != VK_SUCCESS)
	{
		return lrd_vk_fail(error, result, "list Vulkan devices");
	}
	uint32_t capacity = count;
	VkPhysicalDevice *list = lrd_alloc_zeroed(device->allocator, capacity, sizeof *list);
	if (list == NULL)
	{
		return lrd_fail_memory(error, "devices", capacity * sizeof *list);
	}
	result = device->vk.EnumeratePhysicalDevices(device->context.instance, &count, list);
	bool chosen = result == VK_SUCCESS || result == VK_INCOMPLETE
					  ? choose_among(device, desc, list, count, choice, error)
					  : lrd_vk_fail(error, result, "list Vulkan devices");
	lrd_free(device->allocator, list, capacity * sizeof *list);
	return chosen;
}
