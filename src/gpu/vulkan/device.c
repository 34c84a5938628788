// gpu/vulkan/device.c: an instance and a device of larder's making.

#include "gpu/vulkan/device.h"

#include "base/error.h"

#define VALIDATION_LAYER "VK_LAYER_KHRONOS_validation"
#define EXTENSIONS_MAX 32

/// Names for a call that makes an instance or a device.
typedef struct extension_names
{
	const char *items[EXTENSIONS_MAX];
	uint32_t count;
} extension_names;

static void add_name(extension_names *names, const char *name)
{
	for (uint32_t i = 0; i < names->count; ++i)
	{
		if (strcmp(names->items[i], name) == 0)
		{
			return;
		}
	}
	names->items[names->count++] = name;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL take_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
	VkDebugUtilsMessageTypeFlagsEXT type, const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
	lrd_vulkan_device *device = user;
	(void)type;
	bool is_error = (severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT) != 0;
	atomic_fetch_add(&device->messages, 1);
	lrd_log_write(&device->log, is_error ? LRD_LOG_ERROR : LRD_LOG_WARNING, "vulkan", "%s",
		data->pMessage != NULL ? data->pMessage : "a message without words");
	return VK_FALSE;
}

static VkDebugUtilsMessengerCreateInfoEXT messenger_info(lrd_vulkan_device *device)
{
	return (VkDebugUtilsMessengerCreateInfoEXT){
		.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
		.messageSeverity =
			VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
		.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
		.pfnUserCallback = take_message,
		.pUserData = device,
	};
}

static bool find_validation(const lrd_vulkan_device *device, lrd_error *error)
{
	uint32_t count = 0;
	VkResult result = device->vk.EnumerateInstanceLayerProperties(&count, NULL);
	bool found = false;
	if (result == VK_SUCCESS && count > 0)
	{
		uint32_t capacity = count;
		VkLayerProperties *layers = lrd_alloc_zeroed(device->allocator, capacity, sizeof *layers);
		if (layers == NULL)
		{
			return lrd_fail_memory(error, "layers", capacity * sizeof *layers);
		}
		result = device->vk.EnumerateInstanceLayerProperties(&count, layers);
		for (uint32_t i = 0; result >= 0 && i < count; ++i)
		{
			found = found || strcmp(layers[i].layerName, VALIDATION_LAYER) == 0;
		}
		lrd_free(device->allocator, layers, capacity * sizeof *layers);
	}
	if (result < 0)
	{
		return lrd_vk_fail(error, result, "list Vulkan's layers");
	}
	return found || lrd_fail(error, LRD_ERROR_NOT_FOUND,
						"there is no %s, which validation needs: on Debian and Ubuntu install vulkan-validationlayers",
						VALIDATION_LAYER);
}

/// The extensions of the instance: those asked for, and those for messages and names where they are.
static bool list_instance_extensions(
	lrd_vulkan_device *device, const lrd_vulkan_device_desc *desc, extension_names *names, lrd_error *error)
{
	lrd_vk_extensions list = { 0 };
	if (!lrd_vk_extensions_of_instance(device, NULL, &list, error))
	{
		lrd_vk_extensions_free(device, &list);
		return false;
	}
	const char *missing = NULL;
	for (uint32_t i = 0; i < desc->instance_extension_count; ++i)
	{
		const char *name = desc->instance_extensions[i];
		missing = missing == NULL && !lrd_vk_extensions_have(&list, name) ? name : missing;
		add_name(names, name);
	}
	device->context.debug_names = lrd_vk_extensions_have(&list, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
	lrd_vk_extensions_free(device, &list);
	if (missing != NULL)
	{
		return lrd_fail(error, LRD_ERROR_NOT_FOUND, "this Vulkan has no extension %s, which the window needs", missing);
	}
	if (device->context.debug_names)
	{
		add_name(names, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
	}
	if (desc->validation)
	{
		add_name(names, VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME); // the layer's own
	}
	return true;
}

static bool make_instance(lrd_vulkan_device *device, const lrd_vulkan_device_desc *desc, lrd_error *error)
{
	extension_names names = { .count = 0 };
	if ((desc->validation && !find_validation(device, error)) || !list_instance_extensions(device, desc, &names, error))
	{
		return false;
	}
	const char *layer = VALIDATION_LAYER;
	VkValidationFeatureEnableEXT enable = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
	VkValidationFeaturesEXT features = {
		.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
		.enabledValidationFeatureCount = 1,
		.pEnabledValidationFeatures = &enable,
	};
	VkDebugUtilsMessengerCreateInfoEXT messenger = messenger_info(device); // for what is said of the instance itself
	if (device->context.debug_names)
	{
		features.pNext = &messenger;
	}
	VkApplicationInfo application = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
		.pApplicationName = desc->application != NULL ? desc->application : "larder",
		.pEngineName = "larder",
		.apiVersion = VK_API_VERSION_1_2,
	};
	VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.pNext = desc->validation ? &features : NULL,
		.pApplicationInfo = &application,
		.enabledLayerCount = desc->validation ? 1 : 0,
		.ppEnabledLayerNames = &layer,
		.enabledExtensionCount = names.count,
		.ppEnabledExtensionNames = names.items,
	};
	VkResult result = device->vk.CreateInstance(&info, NULL, &device->context.instance);
	if (result != VK_SUCCESS)
	{
		device->context.instance = VK_NULL_HANDLE;
		return lrd_vk_fail(error, result, "make a Vulkan instance");
	}
	PFN_vkGetInstanceProcAddr get = device->context.get_instance_proc_addr;
	if (!lrd_vk_load_instance(&device->vk, get, device->context.instance, error))
	{
		return false;
	}
	if (desc->validation && device->vk.CreateDebugUtilsMessengerEXT != NULL)
	{
		result =
			device->vk.CreateDebugUtilsMessengerEXT(device->context.instance, &messenger, NULL, &device->messenger);
	}
	return result == VK_SUCCESS || lrd_vk_fail(error, result, "listen to Vulkan's messages");
}

static bool make_surface(lrd_vulkan_device *device, const lrd_vulkan_device_desc *desc, lrd_error *error)
{
	if (desc->make_surface == NULL)
	{
		return true;
	}
	if (device->vk.DestroySurfaceKHR == NULL || device->vk.GetPhysicalDeviceSurfaceSupportKHR == NULL)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "a window needs the instance extensions of its surface");
	}
	device->surface = desc->make_surface(desc->user, device->context.instance);
	return device->surface != VK_NULL_HANDLE ||
		   lrd_fail(error, LRD_ERROR_UNSUPPORTED, "Vulkan can't show in this window: no surface could be made");
}

/// Of the 55 features of Vulkan 1.0, which are flags one behind another, those that both have.
static VkPhysicalDeviceFeatures common_features(const VkPhysicalDeviceFeatures *a, const VkPhysicalDeviceFeatures *b)
{
	enum
	{
		COUNT = sizeof(VkPhysicalDeviceFeatures) / sizeof(VkBool32)
	};
	VkBool32 left[COUNT];
	VkBool32 right[COUNT];
	memcpy(left, a, sizeof left);
	memcpy(right, b, sizeof right);
	for (size_t i = 0; i < COUNT; ++i)
	{
		left[i] = left[i] && right[i];
	}
	VkPhysicalDeviceFeatures common;
	memcpy(&common, left, sizeof common);
	return common;
}

/// Which features the device is made with.
static void pick_features(lrd_vulkan_device *device, const lrd_vulkan_device_desc *desc, lrd_vk_choice *choice)
{
	VkPhysicalDeviceTextureCompressionASTCHDRFeaturesEXT hdr = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TEXTURE_COMPRESSION_ASTC_HDR_FEATURES_EXT,
	};
	VkPhysicalDeviceVulkan12Features has12 = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
		.pNext = choice->has_astc_hdr ? &hdr : NULL,
	};
	VkPhysicalDeviceFeatures2 has = { VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &has12, { 0 } };
	device->vk.GetPhysicalDeviceFeatures2(choice->device, &has);

	VkPhysicalDeviceFeatures wanted = desc->features != NULL ? *desc->features : (VkPhysicalDeviceFeatures){ 0 };
	wanted.textureCompressionBC = VK_TRUE;
	wanted.textureCompressionASTC_LDR = VK_TRUE;
	wanted.samplerAnisotropy = VK_TRUE;
	wanted.imageCubeArray = VK_TRUE;
	device->features = common_features(&wanted, &has.features);

	bool indexing = has12.runtimeDescriptorArray && has12.shaderSampledImageArrayNonUniformIndexing &&
					has12.descriptorBindingPartiallyBound && has12.descriptorBindingSampledImageUpdateAfterBind;
	device->features12 = (VkPhysicalDeviceVulkan12Features){
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
		.timelineSemaphore = VK_TRUE,
		.bufferDeviceAddress = has12.bufferDeviceAddress,
		.runtimeDescriptorArray = indexing,
		.shaderSampledImageArrayNonUniformIndexing = indexing,
		.descriptorBindingPartiallyBound = indexing,
		.descriptorBindingSampledImageUpdateAfterBind = indexing,
	};
	choice->has_astc_hdr = choice->has_astc_hdr && hdr.textureCompressionASTC_HDR;
	lrd_vulkan_context *context = &device->context;
	context->texture_compression_bc = device->features.textureCompressionBC;
	context->texture_compression_astc = device->features.textureCompressionASTC_LDR;
	context->texture_compression_hdr = choice->has_astc_hdr;
	context->image_cube_array = device->features.imageCubeArray;
	context->sampler_anisotropy = device->features.samplerAnisotropy;
	context->descriptor_indexing = indexing;
	context->buffer_device_address = has12.bufferDeviceAddress;
	context->memory_budget = choice->has_budget;
}

static void list_device_extensions(const lrd_vulkan_device *device, const lrd_vulkan_device_desc *desc,
	const lrd_vk_choice *choice, extension_names *names)
{
	for (uint32_t i = 0; i < desc->device_extension_count; ++i)
	{
		add_name(names, desc->device_extensions[i]);
	}
	if (device->surface != VK_NULL_HANDLE)
	{
		add_name(names, VK_KHR_SWAPCHAIN_EXTENSION_NAME);
	}
	if (choice->has_budget)
	{
		add_name(names, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
	}
	if (choice->has_astc_hdr)
	{
		add_name(names, VK_EXT_TEXTURE_COMPRESSION_ASTC_HDR_EXTENSION_NAME);
	}
}

static bool make_device(
	lrd_vulkan_device *device, const lrd_vulkan_device_desc *desc, lrd_vk_choice *choice, lrd_error *error)
{
	pick_features(device, desc, choice);
	extension_names names = { .count = 0 };
	list_device_extensions(device, desc, choice, &names);
	bool two = choice->transfer_family != VK_QUEUE_FAMILY_IGNORED;
	float priority = 1.0f;
	VkDeviceQueueCreateInfo queues[2] = { { .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
											  .queueFamilyIndex = choice->graphics_family,
											  .queueCount = 1,
											  .pQueuePriorities = &priority },
		{ .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
			.queueFamilyIndex = choice->transfer_family,
			.queueCount = 1,
			.pQueuePriorities = &priority } };
	VkPhysicalDeviceTextureCompressionASTCHDRFeaturesEXT hdr = {
		.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TEXTURE_COMPRESSION_ASTC_HDR_FEATURES_EXT,
		.textureCompressionASTC_HDR = VK_TRUE,
	};
	VkPhysicalDeviceVulkan12Features features12 = device->features12;
	hdr.pNext = (void *)(uintptr_t)desc->device_next;
	features12.pNext = choice->has_astc_hdr ? &hdr : hdr.pNext;
	VkPhysicalDeviceFeatures2 features = {
		VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
		&features12,
		device->features,
	};
	VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.pNext = &features,
		.queueCreateInfoCount = two ? 2 : 1,
		.pQueueCreateInfos = queues,
		.enabledExtensionCount = names.count,
		.ppEnabledExtensionNames = names.items,
	};
	lrd_vulkan_context *context = &device->context;
	VkResult result = device->vk.CreateDevice(choice->device, &info, NULL, &context->device);
	if (result != VK_SUCCESS)
	{
		context->device = VK_NULL_HANDLE;
		return lrd_vk_fail(error, result, "make a Vulkan device");
	}
	if (!lrd_vk_load_device(&device->vk, context->device, error))
	{
		return false;
	}
	context->physical_device = choice->device;
	device->properties = choice->properties;
	context->graphics_family = choice->graphics_family;
	context->transfer_family = two ? choice->transfer_family : choice->graphics_family;
	device->vk.GetDeviceQueue(context->device, choice->graphics_family, 0, &context->graphics_queue);
	if (two)
	{
		device->vk.GetDeviceQueue(context->device, choice->transfer_family, 0, &context->transfer_queue);
	}
	return true;
}

static bool open_device(lrd_vulkan_device *device, const lrd_vulkan_device_desc *desc, lrd_error *error)
{
	// Room is kept for the few of larder's own.
	if (desc->instance_extension_count > EXTENSIONS_MAX - 4 || desc->device_extension_count > EXTENSIONS_MAX - 4)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT, "more than %d Vulkan extensions", EXTENSIONS_MAX - 4);
	}
	PFN_vkGetInstanceProcAddr get = desc->get_instance_proc_addr;
	device->context.get_instance_proc_addr = get != NULL ? get : lrd_vulkan_loader(error);
	lrd_vk_choice choice = { .device = VK_NULL_HANDLE };
	return device->context.get_instance_proc_addr != NULL &&
		   lrd_vk_load_global(&device->vk, device->context.get_instance_proc_addr, error) &&
		   make_instance(device, desc, error) && make_surface(device, desc, error) &&
		   lrd_vk_choose(device, desc, &choice, error) && make_device(device, desc, &choice, error);
}

lrd_vulkan_device *lrd_vulkan_device_create(const lrd_vulkan_device_desc *desc, lrd_error *error)
{
	lrd_vulkan_device_desc none = { 0 };
	desc = desc != NULL ? desc : &none;
	lrd_allocator allocator = lrd_allocator_or_default(desc->allocator);
	lrd_vulkan_device *device = lrd_alloc_zeroed(allocator, 1, sizeof *device);
	if (device == NULL)
	{
		lrd_fail_memory(error, "a Vulkan device", sizeof *device);
		return NULL;
	}
	device->allocator = allocator;
	device->log = desc->log;
	atomic_init(&device->messages, 0);
	if (!open_device(device, desc, error))
	{
		lrd_vulkan_device_destroy(device);
		return NULL;
	}
	return device;
}

void lrd_vulkan_device_destroy(lrd_vulkan_device *device)
{
	if (device == NULL)
	{
		return;
	}
	const lrd_vulkan_context *context = &device->context;
	if (context->device != VK_NULL_HANDLE && device->vk.DestroyDevice != NULL)
	{
		if (device->vk.DeviceWaitIdle != NULL)
		{
			device->vk.DeviceWaitIdle(context->device);
		}
		device->vk.DestroyDevice(context->device, NULL);
	}
	if (device->surface != VK_NULL_HANDLE)
	{
		device->vk.DestroySurfaceKHR(context->instance, device->surface, NULL);
	}
	if (device->messenger != VK_NULL_HANDLE)
	{
		device->vk.DestroyDebugUtilsMessengerEXT(context->instance, device->messenger, NULL);
	}
	if (context->instance != VK_NULL_HANDLE && device->vk.DestroyInstance != NULL)
	{
		device->vk.DestroyInstance(context->instance, NULL);
	}
	lrd_free(device->allocator, device, sizeof *device);
}

const lrd_vulkan_context *lrd_vulkan_device_context(const lrd_vulkan_device *device)
{
	return &device->context;
}

VkSurfaceKHR lrd_vulkan_device_surface(const lrd_vulkan_device *device)
{
	return device->surface;
}

const char *lrd_vulkan_device_name(const lrd_vulkan_device *device)
{
	return device->properties.deviceName;
}

const VkPhysicalDeviceFeatures *lrd_vulkan_device_features(const lrd_vulkan_device *device)
{
	return &device->features;
}

uint32_t lrd_vulkan_device_messages(const lrd_vulkan_device *device)
{
	return atomic_load(&device->messages);
}
