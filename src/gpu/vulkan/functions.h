// gpu/vulkan/functions.h: Vulkan's functions by pointers, since the loader is found at run time and an engine may have wrapped it.

#ifndef GPU_VULKAN_FUNCTIONS_H
#define GPU_VULKAN_FUNCTIONS_H

#define VK_NO_PROTOTYPES
#include "larder/gpu_vulkan.h"

#define LRD_VK_GLOBAL_FUNCTIONS(FUNCTION)                                                                              \
	FUNCTION(CreateInstance)                                                                                           \
	FUNCTION(EnumerateInstanceExtensionProperties)                                                                     \
	FUNCTION(EnumerateInstanceLayerProperties)

#define LRD_VK_INSTANCE_FUNCTIONS(FUNCTION)                                                                            \
	FUNCTION(CreateDevice)                                                                                             \
	FUNCTION(DestroyInstance)                                                                                          \
	FUNCTION(EnumerateDeviceExtensionProperties)                                                                       \
	FUNCTION(EnumeratePhysicalDevices)                                                                                 \
	FUNCTION(GetDeviceProcAddr)                                                                                        \
	FUNCTION(GetPhysicalDeviceFeatures2)                                                                               \
	FUNCTION(GetPhysicalDeviceFormatProperties)                                                                        \
	FUNCTION(GetPhysicalDeviceImageFormatProperties)                                                                   \
	FUNCTION(GetPhysicalDeviceMemoryProperties2)                                                                       \
	FUNCTION(GetPhysicalDeviceProperties2)                                                                             \
	FUNCTION(GetPhysicalDeviceQueueFamilyProperties)

/// Of extensions: NULL where they are not enabled.
#define LRD_VK_EXTENSION_FUNCTIONS(FUNCTION)                                                                           \
	FUNCTION(CreateDebugUtilsMessengerEXT)                                                                             \
	FUNCTION(DestroyDebugUtilsMessengerEXT)                                                                            \
	FUNCTION(SetDebugUtilsObjectNameEXT)                                                                               \
	FUNCTION(DestroySurfaceKHR)                                                                                        \
	FUNCTION(GetPhysicalDeviceSurfaceSupportKHR)

#define LRD_VK_DEVICE_FUNCTIONS(FUNCTION)                                                                              \
	FUNCTION(AllocateCommandBuffers)                                                                                   \
	FUNCTION(AllocateDescriptorSets)                                                                                   \
	FUNCTION(AllocateMemory)                                                                                           \
	FUNCTION(BeginCommandBuffer)                                                                                       \
	FUNCTION(BindBufferMemory)                                                                                         \
	FUNCTION(BindImageMemory)                                                                                          \
	FUNCTION(CmdCopyBuffer)                                                                                            \
	FUNCTION(CmdCopyBufferToImage)                                                                                     \
	FUNCTION(CmdPipelineBarrier)                                                                                       \
	FUNCTION(CreateBuffer)                                                                                             \
	FUNCTION(CreateCommandPool)                                                                                        \
	FUNCTION(CreateDescriptorPool)                                                                                     \
	FUNCTION(CreateDescriptorSetLayout)                                                                                \
	FUNCTION(CreateImage)                                                                                              \
	FUNCTION(CreateImageView)                                                                                          \
	FUNCTION(CreateSampler)                                                                                            \
	FUNCTION(CreateSemaphore)                                                                                          \
	FUNCTION(DestroyBuffer)                                                                                            \
	FUNCTION(DestroyCommandPool)                                                                                       \
	FUNCTION(DestroyDescriptorPool)                                                                                    \
	FUNCTION(DestroyDescriptorSetLayout)                                                                               \
	FUNCTION(DestroyDevice)                                                                                            \
	FUNCTION(DestroyImage)                                                                                             \
	FUNCTION(DestroyImageView)                                                                                         \
	FUNCTION(DestroySampler)                                                                                           \
	FUNCTION(DestroySemaphore)                                                                                         \
	FUNCTION(DeviceWaitIdle)                                                                                           \
	FUNCTION(EndCommandBuffer)                                                                                         \
	FUNCTION(FreeMemory)                                                                                               \
	FUNCTION(GetBufferMemoryRequirements)                                                                              \
	FUNCTION(GetDeviceQueue)                                                                                           \
	FUNCTION(GetImageMemoryRequirements2)                                                                              \
	FUNCTION(GetSemaphoreCounterValue)                                                                                 \
	FUNCTION(MapMemory)                                                                                                \
	FUNCTION(QueueSubmit)                                                                                              \
	FUNCTION(QueueWaitIdle)                                                                                            \
	FUNCTION(ResetCommandPool)                                                                                         \
	FUNCTION(UpdateDescriptorSets)

typedef struct lrd_vk
{
#define LRD_VK_MEMBER(name) PFN_vk##name name;
	LRD_VK_GLOBAL_FUNCTIONS(LRD_VK_MEMBER)
	LRD_VK_INSTANCE_FUNCTIONS(LRD_VK_MEMBER)
	LRD_VK_EXTENSION_FUNCTIONS(LRD_VK_MEMBER)
	LRD_VK_DEVICE_FUNCTIONS(LRD_VK_MEMBER)
#undef LRD_VK_MEMBER
} lrd_vk;

/// Each fills in its part of the table. Errors: LRD_ERROR_UNSUPPORTED, naming what the loader or driver lacks.
bool lrd_vk_load_global(lrd_vk *vk, PFN_vkGetInstanceProcAddr get, lrd_error *error);
bool lrd_vk_load_instance(lrd_vk *vk, PFN_vkGetInstanceProcAddr get, VkInstance instance, lrd_error *error);
bool lrd_vk_load_device(lrd_vk *vk, VkDevice device, lrd_error *error);

/// "VK_ERROR_DEVICE_LOST"; never NULL.
const char *lrd_vk_result_name(VkResult result);
/// "can't WHAT: VK_ERROR_…", with the code that lrd_gpu's functions promise. Returns false.
bool lrd_vk_fail(lrd_error *error, VkResult result, const char *what);

#endif
