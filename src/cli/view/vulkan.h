// cli/view/vulkan.h: the little of Vulkan that the viewer needs for itself: functions by pointers, buffers, images.

#ifndef CLI_VIEW_VULKAN_H
#define CLI_VIEW_VULKAN_H

#define VK_NO_PROTOTYPES
#include "larder/gpu_vulkan.h"

#define VIEW_INSTANCE_FUNCTIONS(FUNCTION)                                                                              \
	FUNCTION(GetDeviceProcAddr)                                                                                        \
	FUNCTION(GetPhysicalDeviceMemoryProperties)                                                                        \
	FUNCTION(GetPhysicalDeviceProperties)                                                                              \
	FUNCTION(GetPhysicalDeviceFormatProperties)

/// Of a window; NULL without one.
#define VIEW_SURFACE_FUNCTIONS(FUNCTION)                                                                               \
	FUNCTION(GetPhysicalDeviceSurfaceCapabilitiesKHR)                                                                  \
	FUNCTION(GetPhysicalDeviceSurfaceFormatsKHR)                                                                       \
	FUNCTION(GetPhysicalDeviceSurfacePresentModesKHR)

#define VIEW_SWAPCHAIN_FUNCTIONS(FUNCTION)                                                                             \
	FUNCTION(AcquireNextImageKHR)                                                                                      \
	FUNCTION(CreateSwapchainKHR)                                                                                       \
	FUNCTION(DestroySwapchainKHR)                                                                                      \
	FUNCTION(GetSwapchainImagesKHR)                                                                                    \
	FUNCTION(QueuePresentKHR)

#define VIEW_DEVICE_FUNCTIONS(FUNCTION)                                                                                \
	FUNCTION(AllocateCommandBuffers)                                                                                   \
	FUNCTION(AllocateDescriptorSets)                                                                                   \
	FUNCTION(AllocateMemory)                                                                                           \
	FUNCTION(BeginCommandBuffer)                                                                                       \
	FUNCTION(BindBufferMemory)                                                                                         \
	FUNCTION(BindImageMemory)                                                                                          \
	FUNCTION(CmdBeginRenderPass)                                                                                       \
	FUNCTION(CmdBindDescriptorSets)                                                                                    \
	FUNCTION(CmdBindIndexBuffer)                                                                                       \
	FUNCTION(CmdBindPipeline)                                                                                          \
	FUNCTION(CmdBindVertexBuffers)                                                                                     \
	FUNCTION(CmdBlitImage)                                                                                             \
	FUNCTION(CmdClearColorImage)                                                                                       \
	FUNCTION(CmdCopyBufferToImage)                                                                                     \
	FUNCTION(CmdCopyImageToBuffer)                                                                                     \
	FUNCTION(CmdDraw)                                                                                                  \
	FUNCTION(CmdDrawIndexed)                                                                                           \
	FUNCTION(CmdEndRenderPass)                                                                                         \
	FUNCTION(CmdPipelineBarrier)                                                                                       \
	FUNCTION(CmdPushConstants)                                                                                         \
	FUNCTION(CmdResolveImage)                                                                                          \
	FUNCTION(CmdSetScissor)                                                                                            \
	FUNCTION(CmdSetViewport)                                                                                           \
	FUNCTION(CreateBuffer)                                                                                             \
	FUNCTION(CreateCommandPool)                                                                                        \
	FUNCTION(CreateDescriptorPool)                                                                                     \
	FUNCTION(CreateDescriptorSetLayout)                                                                                \
	FUNCTION(CreateFence)                                                                                              \
	FUNCTION(CreateFramebuffer)                                                                                        \
	FUNCTION(CreateGraphicsPipelines)                                                                                  \
	FUNCTION(CreateImage)                                                                                              \
	FUNCTION(CreateImageView)                                                                                          \
	FUNCTION(CreatePipelineLayout)                                                                                     \
	FUNCTION(CreateRenderPass)                                                                                         \
	FUNCTION(CreateSampler)                                                                                            \
	FUNCTION(CreateSemaphore)                                                                                          \
	FUNCTION(CreateShaderModule)                                                                                       \
	FUNCTION(DestroyBuffer)                                                                                            \
	FUNCTION(DestroyCommandPool)                                                                                       \
	FUNCTION(DestroyDescriptorPool)                                                                                    \
	FUNCTION(DestroyDescriptorSetLayout)                                                                               \
	FUNCTION(DestroyFence)                                                                                             \
	FUNCTION(DestroyFramebuffer)                                                                                       \
	FUNCTION(DestroyImage)                                                                                             \
	FUNCTION(DestroyImageView)                                                                                         \
	FUNCTION(DestroyPipeline)                                                                                          \
	FUNCTION(DestroyPipelineLayout)                                                                                    \
	FUNCTION(DestroyRenderPass)                                                                                        \
	FUNCTION(DestroySampler)                                                                                           \
	FUNCTION(DestroySemaphore)                                                                                         \
	FUNCTION(DestroyShaderModule)                                                                                      \
	FUNCTION(DeviceWaitIdle)                                                                                           \
	FUNCTION(EndCommandBuffer)                                                                                         \
	FUNCTION(FreeMemory)                                                                                               \
	FUNCTION(GetBufferMemoryRequirements)                                                                              \
	FUNCTION(GetFenceStatus)                                                                                           \
	FUNCTION(GetImageMemoryRequirements)                                                                               \
	FUNCTION(InvalidateMappedMemoryRanges)                                                                             \
	FUNCTION(MapMemory)                                                                                                \
	FUNCTION(QueueSubmit)                                                                                              \
	FUNCTION(ResetCommandPool)                                                                                         \
	FUNCTION(ResetDescriptorPool)                                                                                      \
	FUNCTION(ResetFences)                                                                                              \
	FUNCTION(UpdateDescriptorSets)                                                                                     \
	FUNCTION(WaitForFences)

#define VIEW_MEMBER(name) PFN_vk##name name;

typedef struct view_vulkan
{
	VIEW_INSTANCE_FUNCTIONS(VIEW_MEMBER)
	VIEW_SURFACE_FUNCTIONS(VIEW_MEMBER)
	VIEW_SWAPCHAIN_FUNCTIONS(VIEW_MEMBER)
	VIEW_DEVICE_FUNCTIONS(VIEW_MEMBER)
	lrd_vulkan_device *owner;
	const lrd_vulkan_context *context;
	VkDevice device;
	VkQueue queue;
	VkPhysicalDeviceMemoryProperties memory;
	VkPhysicalDeviceProperties properties;
} view_vulkan;

typedef struct view_buffer
{
	VkBuffer buffer;
	VkDeviceMemory memory;
	void *mapped;
	VkDeviceSize size;
} view_buffer;

typedef struct view_image
{
	VkImage image;
	VkDeviceMemory memory;
	VkImageView view;
	VkFormat format;
	uint32_t width, height;
	uint32_t levels;
} view_image;

typedef struct view_image_desc
{
	VkFormat format;
	uint32_t width, height;
	uint32_t levels; ///< 0: 1
	bool is_cube;
	VkSampleCountFlagBits samples; ///< 0: 1
	VkImageUsageFlags usage;
} view_image_desc;

/// False, which was said: a function is missing.
bool view_vulkan_load(view_vulkan *self, lrd_vulkan_device *device);

/// False, which was said, when Vulkan refused.
bool view_check(VkResult result, const char *what);

/// Memory that the CPU writes, or reads with `is_read_back`. False, which was said.
bool view_buffer_make(
	const view_vulkan *vk, view_buffer *self, VkDeviceSize size, VkBufferUsageFlags usage, bool is_read_back);
void view_buffer_free(const view_vulkan *vk, view_buffer *self);
/// At least this large: made anew, with nothing in it, when it is smaller. No frame may use it.
bool view_buffer_reserve(const view_vulkan *vk, view_buffer *self, VkDeviceSize size, VkBufferUsageFlags usage);

bool view_image_make(const view_vulkan *vk, view_image *self, const view_image_desc *desc);
void view_image_free(const view_vulkan *vk, view_image *self);

/// All levels from one layout to another.
typedef struct view_transition
{
	VkImage image;
	VkImageAspectFlags aspect; ///< 0: colour
	uint32_t first_level;
	uint32_t level_count; ///< 0: all that remain
	VkImageLayout from, to;
	VkPipelineStageFlags before, after;
	VkAccessFlags written, read;
} view_transition;
void view_transition_image(const view_vulkan *vk, VkCommandBuffer commands, const view_transition *transition);

#endif
