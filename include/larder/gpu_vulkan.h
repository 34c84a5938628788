// larder/gpu_vulkan.h: larder's own renderer's side (larder/gpu.h) on Vulkan 1.2 or later: images and buffers in blocks of device
// memory, a ring of staging memory, copies on a transfer queue where there is one, and a table of sampled images that shaders
// index. An engine on Vulkan hands its device over as an lrd_vulkan_context; a program without one gets a device made by
// lrd_vulkan_device_create. In the library larder-vulkan (larder::vulkan), which finds the Vulkan loader when it is called
// and does not link it: a program starts, and says what to install, where there is none.
//
// Nothing here waits for the GPU but lrd_gpu_vulkan_destroy and lrd_vulkan_device_destroy.

#ifndef LARDER_GPU_VULKAN_H
#define LARDER_GPU_VULKAN_H

#include "larder/gpu.h"

#include <vulkan/vulkan_core.h>

// --- A device ---

/// A Vulkan device to work on. What is made of it lives at most as long as it.
typedef struct lrd_vulkan_context
{
	PFN_vkGetInstanceProcAddr get_instance_proc_addr; ///< NULL: of the system's loader
	VkInstance instance;
	VkPhysicalDevice physical_device;
	VkDevice device; ///< of Vulkan 1.2 or later, with timelineSemaphore enabled
	VkQueue graphics_queue;
	uint32_t graphics_family; ///< graphics, and thereby transfer
	VkQueue transfer_queue;   ///< NULL: copies go to the graphics queue
	uint32_t transfer_family; ///< another than graphics_family, or no better than none
	/// A queue is used by one thread at a time. NULL where everything that submits to these queues is on larder's thread.
	void (*lock_queue)(void *user, VkQueue queue);
	void (*unlock_queue)(void *user, VkQueue queue);
	void *user;

	// What the device was made with.
	bool texture_compression_bc;   ///< feature textureCompressionBC
	bool texture_compression_astc; ///< feature textureCompressionASTC_LDR
	bool texture_compression_hdr;  ///< feature textureCompressionASTC_HDR (Vulkan 1.3, or its extension)
	bool image_cube_array;         ///< feature imageCubeArray: without it there are no arrays of cubes
	bool sampler_anisotropy;       ///< feature samplerAnisotropy
	/// Features runtimeDescriptorArray, shaderSampledImageArrayNonUniformIndexing, descriptorBindingPartiallyBound,
	/// descriptorBindingSampledImageUpdateAfterBind, all of them: then there is a table of slots.
	bool descriptor_indexing;
	bool buffer_device_address; ///< feature bufferDeviceAddress
	bool memory_budget;         ///< extension VK_EXT_memory_budget
	bool debug_names;           ///< instance extension VK_EXT_debug_utils: objects are named
} lrd_vulkan_context;

/// A device of larder's making: for tools, tests, and programs that bring none.
typedef struct lrd_vulkan_device lrd_vulkan_device;

typedef struct lrd_vulkan_device_desc
{
	const char *application; ///< its name, for drivers; NULL: "larder"
	/// Part of a device's name, ignoring ASCII case; NULL: the best there is (a card of its own before one in the processor
	/// before a driver in software).
	const char *device_name;
	PFN_vkGetInstanceProcAddr get_instance_proc_addr; ///< NULL: of the system's loader
	const char *const *instance_extensions;           ///< must be there: those of a window's surface
	uint32_t instance_extension_count;
	const char *const *device_extensions; ///< must be there
	uint32_t device_extension_count;
	const VkPhysicalDeviceFeatures
		*features; ///< enabled where the device has them (and see lrd_vulkan_device_features); NULL: none
	const void *
		device_next; ///< chained to VkDeviceCreateInfo: features of extensions; none of Vulkan 1.0, 1.1's and 1.2's own
	/// Make the window's surface: the device must be able to show on it, and gets VK_KHR_swapchain. Called once, in
	/// lrd_vulkan_device_create. VK_NULL_HANDLE: it can't. NULL: no window.
	VkSurfaceKHR (*make_surface)(void *user, VkInstance instance);
	void *user;
	bool validation; ///< the Khronos validation layer, with synchronization validation; what it says goes to the log
	lrd_allocator allocator; ///< zeroed: malloc
	lrd_log log;
} lrd_vulkan_device_desc;

/// Instance, device and queues. `desc` may be NULL. NULL on failure.
/// Errors: LRD_ERROR_NOT_FOUND (no loader, no driver, no device of that name, no validation layer, an extension that is missing: the
/// message says what there is and what to install), LRD_ERROR_UNSUPPORTED (no device of Vulkan 1.2 with timeline
/// semaphores, or none that can show on the surface), LRD_ERROR_MEMORY, LRD_ERROR_IO (what Vulkan said).
LRD_API lrd_vulkan_device *lrd_vulkan_device_create(const lrd_vulkan_device_desc *desc, lrd_error *error);

/// Waits until the device is idle. The surface is destroyed too. NULL is allowed.
LRD_API void lrd_vulkan_device_destroy(lrd_vulkan_device *device);

/// Everything of it; valid as long as the device.
LRD_API const lrd_vulkan_context *lrd_vulkan_device_context(const lrd_vulkan_device *device);
/// VK_NULL_HANDLE without a window.
LRD_API VkSurfaceKHR lrd_vulkan_device_surface(const lrd_vulkan_device *device);
/// "llvmpipe (LLVM 15.0.6, 256 bits)".
LRD_API const char *lrd_vulkan_device_name(const lrd_vulkan_device *device);
/// The features of Vulkan 1.0 that are enabled: those asked for that the device has, and those the context names.
LRD_API const VkPhysicalDeviceFeatures *lrd_vulkan_device_features(const lrd_vulkan_device *device);
/// Warnings and errors of the validation layer so far. Any thread.
LRD_API uint32_t lrd_vulkan_device_messages(const lrd_vulkan_device *device);

/// The system's loader: where every function of Vulkan comes from. NULL and an error where there is none.
/// Errors: LRD_ERROR_NOT_FOUND; the message says what to install.
LRD_API PFN_vkGetInstanceProcAddr lrd_vulkan_loader(lrd_error *error);

// --- A renderer's side ---

/// One thread, the one that owns the store; `stage`'s memory may be written by others (larder/gpu.h).
typedef struct lrd_gpu_vulkan lrd_gpu_vulkan;

typedef struct lrd_gpu_vulkan_desc
{
	const lrd_vulkan_context *context; ///< copied
	uint64_t staging_size;             ///< bytes; 0: 64 MiB
	uint64_t block_size;    ///< bytes of device memory that are taken at once; 0: 64 MiB, less where the heap is small
	uint32_t texture_slots; ///< 0: 65536, less where the device allows fewer
	uint32_t frames;        ///< that may be in flight, 1 to 8: as many copies of the table; 0: 3
	float max_anisotropy;   ///< of the samplers; 0: 8; 1: none
	VkImageUsageFlags texture_usage; ///< beyond sampling and copying
	VkBufferUsageFlags mesh_usage;   ///< beyond vertices, indices, storage and copying
	lrd_allocator allocator;         ///< zeroed: malloc
	lrd_log log;
} lrd_gpu_vulkan_desc;

/// NULL on failure. Errors: LRD_ERROR_ARGUMENT, LRD_ERROR_UNSUPPORTED (the context lacks what its comments ask for),
/// LRD_ERROR_NOT_FOUND (no loader), LRD_ERROR_MEMORY, LRD_ERROR_IO.
LRD_API lrd_gpu_vulkan *lrd_gpu_vulkan_create(const lrd_gpu_vulkan_desc *desc, lrd_error *error);
/// Waits for copies that run, and frees everything that was made. The caller has made sure that no frame uses any of it.
/// NULL is allowed.
LRD_API void lrd_gpu_vulkan_destroy(lrd_gpu_vulkan *gpu);

/// For lrd_residents_create; valid as long as `gpu`, which is its `user`. A texture or mesh that is destroyed while copies into it run is freed when they
/// are done. A texture is bound only when all its levels were copied and the copies are done; binding others is refused: the slot
/// keeps what it had.
LRD_API lrd_gpu lrd_gpu_vulkan_interface(lrd_gpu_vulkan *gpu);

// --- What a renderer takes from it ---

/// Where a mesh lies: several meshes share a buffer. VK_NULL_HANDLE: no such mesh.
/// Frames that are submitted to the graphics queue after lrd_gpu.completed has reached the value of its copies may read it.
LRD_API VkBuffer lrd_gpu_vulkan_buffer(const lrd_gpu_vulkan *gpu, lrd_gpu_object mesh, VkDeviceSize *offset);

/// An image with its view of all levels, in VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL once its copies are done. False: no such
/// texture. Either pointer may be NULL.
LRD_API bool lrd_gpu_vulkan_image(const lrd_gpu_vulkan *gpu, lrd_gpu_object texture, VkImage *image, VkImageView *view);

/// Another queue than the graphics queue waits for this timeline semaphore to reach a value of lrd_gpu.submit before it uses
/// what was copied.
LRD_API VkSemaphore lrd_gpu_vulkan_timeline(const lrd_gpu_vulkan *gpu);

/// What a slot samples. Returns a revision that is another one whenever the slot was bound anew, for renderers that keep descriptor sets a
/// material; 0 and nothing in the rest: nothing is bound. The sampler is what the texture's own sampling asks for. What a
/// slot had before lives as long as larder thinks that frames use it.
LRD_API uint64_t lrd_gpu_vulkan_slot(const lrd_gpu_vulkan *gpu, uint32_t slot, VkImageView *view, VkSampler *sampler);

/// The number of a sampler, below LRD_VULKAN_SAMPLER_COUNT, which is its place in the table too.
#define LRD_VULKAN_SAMPLER_COUNT 18
LRD_API uint32_t lrd_gpu_vulkan_sampler_index(lrd_texture_sampling sampling);
LRD_API VkSampler lrd_gpu_vulkan_sampler(const lrd_gpu_vulkan *gpu, uint32_t index);

// The table, where the context has descriptor_indexing: a set with two bindings, for all stages of shaders.
//   layout(set = N, binding = 0) uniform texture2D textures[];      // by slot; also as textureCube, texture2DArray, texture3D
//   layout(set = N, binding = 1) uniform sampler samplers[18];      // lrd_gpu_vulkan_sampler_index
// Only slots that have something bound may be indexed.

/// Of the table's set; VK_NULL_HANDLE: there is no table, use lrd_gpu_vulkan_slot.
LRD_API VkDescriptorSetLayout lrd_gpu_vulkan_table_layout(const lrd_gpu_vulkan *gpu);
/// The table as it is now, for the frame that is recorded next. `frame` counts frames: the one that used the same number modulo
/// lrd_gpu_vulkan_desc.frames before must be complete. Called once a frame, after lrd_residents_update, on its thread.
LRD_API VkDescriptorSet lrd_gpu_vulkan_table(lrd_gpu_vulkan *gpu, uint64_t frame);

typedef struct lrd_gpu_vulkan_stats
{
	uint32_t textures;
	uint32_t meshes;
	uint32_t allocations;     ///< of device memory, the staging ring's among them
	uint64_t allocated_bytes; ///< of device memory, the staging ring's not among them
	uint64_t used_bytes;      ///< of that, by textures and meshes, what alignment costs included
	uint64_t submits;
	uint64_t copied_bytes;
	uint64_t
		refused; ///< calls that make no sense: binding what is not copied, copies out of bounds, objects that are not there
	bool lost; ///< the device is lost
} lrd_gpu_vulkan_stats;
LRD_API void lrd_gpu_vulkan_get_stats(const lrd_gpu_vulkan *gpu, lrd_gpu_vulkan_stats *stats);

#endif
