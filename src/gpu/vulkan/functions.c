// gpu/vulkan/functions.c: the loader is found, functions are looked up, results are named.

#include "gpu/vulkan/functions.h"

#include "base/error.h"
#include "os/library.h"

#define WHAT_TO_INSTALL                                                                                                \
	"install the Vulkan loader and a driver: on Debian and Ubuntu libvulkan1 with mesa-vulkan-drivers, which has one " \
	"in "                                                                                                              \
	"software too"

PFN_vkGetInstanceProcAddr lrd_vulkan_loader(lrd_error *error)
{
	static const char *const names[] = { "libvulkan.so.1", "libvulkan.so", "libvulkan.1.dylib", NULL };
	lrd_error reason = { 0 };
	void *library = lrd_library_open(names, &reason);
	if (library == NULL)
	{
		lrd_fail(error, LRD_ERROR_NOT_FOUND, "there is no Vulkan here (%s): %s", reason.message, WHAT_TO_INSTALL);
		return NULL;
	}
	lrd_library_function function = lrd_library_find(library, "vkGetInstanceProcAddr");
	if (function == NULL)
	{
		lrd_fail(error, LRD_ERROR_NOT_FOUND, "libvulkan has no vkGetInstanceProcAddr: %s", WHAT_TO_INSTALL);
	}
	return (PFN_vkGetInstanceProcAddr)function;
}

/// All are looked up even where one is missing, so that what was made can be destroyed again.
static bool none_missing(const char *missing, lrd_error *error)
{
	return missing == NULL ||
		   lrd_fail(error, LRD_ERROR_UNSUPPORTED, "this Vulkan has no %s: 1.2 or later is needed", missing);
}

#define LOAD(name)                                                                                                     \
	vk->name = (PFN_vk##name)GET("vk" #name);                                                                          \
	missing = missing == NULL && vk->name == NULL ? "vk" #name : missing;

bool lrd_vk_load_global(lrd_vk *vk, PFN_vkGetInstanceProcAddr get, lrd_error *error)
{
	const char *missing = NULL;
#define GET(name) get(NULL, name)
	LRD_VK_GLOBAL_FUNCTIONS(LOAD)
#undef GET
	return none_missing(missing, error);
}

bool lrd_vk_load_instance(lrd_vk *vk, PFN_vkGetInstanceProcAddr get, VkInstance instance, lrd_error *error)
{
	const char *missing = NULL;
#define GET(name) get(instance, name)
	LRD_VK_EXTENSION_FUNCTIONS(LOAD)
	missing = NULL;
	LRD_VK_INSTANCE_FUNCTIONS(LOAD)
#undef GET
	return none_missing(missing, error);
}

bool lrd_vk_load_device(lrd_vk *vk, VkDevice device, lrd_error *error)
{
	const char *missing = NULL;
#define GET(name) vk->GetDeviceProcAddr(device, name)
	LRD_VK_DEVICE_FUNCTIONS(LOAD)
#undef GET
	return none_missing(missing, error);
}

#undef LOAD

const char *lrd_vk_result_name(VkResult result)
{
#define NAME(code)                                                                                                     \
	case code: return #code;
	switch (result)
	{
		NAME(VK_SUCCESS)
		NAME(VK_NOT_READY)
		NAME(VK_TIMEOUT)
		NAME(VK_INCOMPLETE)
		NAME(VK_ERROR_OUT_OF_HOST_MEMORY)
		NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY)
		NAME(VK_ERROR_INITIALIZATION_FAILED)
		NAME(VK_ERROR_DEVICE_LOST)
		NAME(VK_ERROR_MEMORY_MAP_FAILED)
		NAME(VK_ERROR_LAYER_NOT_PRESENT)
		NAME(VK_ERROR_EXTENSION_NOT_PRESENT)
		NAME(VK_ERROR_FEATURE_NOT_PRESENT)
		NAME(VK_ERROR_INCOMPATIBLE_DRIVER)
		NAME(VK_ERROR_TOO_MANY_OBJECTS)
		NAME(VK_ERROR_FORMAT_NOT_SUPPORTED)
		NAME(VK_ERROR_FRAGMENTED_POOL)
		NAME(VK_ERROR_OUT_OF_POOL_MEMORY)
		NAME(VK_ERROR_FRAGMENTATION)
	default: return "an error that larder does not know";
	}
#undef NAME
}

static lrd_error_code code_of(VkResult result)
{
	switch (result)
	{
	case VK_ERROR_OUT_OF_HOST_MEMORY:
	case VK_ERROR_OUT_OF_DEVICE_MEMORY:
	case VK_ERROR_OUT_OF_POOL_MEMORY:
	case VK_ERROR_FRAGMENTED_POOL:
	case VK_ERROR_FRAGMENTATION:
	case VK_ERROR_TOO_MANY_OBJECTS:
	case VK_ERROR_MEMORY_MAP_FAILED: return LRD_ERROR_MEMORY;
	case VK_ERROR_INCOMPATIBLE_DRIVER:
	case VK_ERROR_LAYER_NOT_PRESENT:
	case VK_ERROR_EXTENSION_NOT_PRESENT: return LRD_ERROR_NOT_FOUND;
	case VK_ERROR_FORMAT_NOT_SUPPORTED:
	case VK_ERROR_FEATURE_NOT_PRESENT: return LRD_ERROR_UNSUPPORTED;
	default: return LRD_ERROR_IO;
	}
}

bool lrd_vk_fail(lrd_error *error, VkResult result, const char *what)
{
	if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
	{
		return lrd_fail(error, LRD_ERROR_NOT_FOUND, "can't %s: there is no Vulkan driver: %s", what, WHAT_TO_INSTALL);
	}
	return lrd_fail(error, code_of(result), "can't %s: %s (%d)", what, lrd_vk_result_name(result), (int)result);
}
