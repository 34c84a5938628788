// gpu/vulkan/gpu.h: what the files that make up lrd_gpu_vulkan share. One thread.

#ifndef GPU_VULKAN_GPU_H
#define GPU_VULKAN_GPU_H

#include "gpu/vulkan/functions.h"
#include "gpu/vulkan/ranges.h"

#define LRD_VK_FRAMES_MAX 8
#define LRD_VK_BATCHES 8
#define LRD_VK_NONE 0xffffffffu

// --- Device memory: memory.c ---

/// Device memory that is shared out, of one type. Images and buffers never share a block, so that bufferImageGranularity
/// concerns none of them.
typedef struct lrd_vk_block
{
	struct lrd_vk_block *next;
	VkDeviceMemory memory;
	VkBuffer buffer; // over the whole block where it is one of buffers
	uint64_t size;
	uint32_t type;
	bool dedicated; // one image or buffer has all of it
	lrd_ranges ranges;
} lrd_vk_block;

/// Where an image or buffer lies.
typedef struct lrd_vk_place
{
	lrd_vk_block *block;
	lrd_range *range; // NULL where the block is dedicated
	uint64_t offset;
} lrd_vk_place;

typedef struct lrd_vk_memory
{
	VkPhysicalDeviceMemoryProperties properties;
	lrd_vk_block *blocks;
	lrd_range_pool ranges;
	uint64_t block_size;
	uint64_t max_allocation;
	uint32_t heap; // the device's own, the largest of them
	uint32_t allocations;
	uint64_t allocated;
} lrd_vk_memory;

// --- Objects: texture.c, mesh.c ---

typedef struct lrd_vk_object
{
	uint32_t generation; // of the number by which others know it
	uint32_t next;       // among those that are free, or those that wait for their copies
	bool used;
	bool doomed;     // destroyed, but copies into it run
	uint64_t filled; // the value that its copies so far are done with; 0: none
	uint64_t flown;  // the same of those that are recorded
	lrd_vk_place place;
} lrd_vk_object;

typedef struct lrd_vk_texture
{
	lrd_vk_object object;
	VkImage image;
	VkImageView view;
	uint32_t width, height, depth;
	uint32_t layers; // with the faces of each
	uint32_t level_count;
	uint32_t levels; // that were copied, a bit each
	uint32_t queued; // of those, that are not recorded yet
	uint32_t banded; // of those, that came in bands
	uint32_t open;   // the level that comes in bands
	uint64_t opened; // bytes of it that have come; 0: none does
	bool open_again; // lrd_vk_copy.again of all its bands
	uint8_t sampler;
	uint8_t block_width, block_height, block_bytes;
} lrd_vk_texture;

typedef struct lrd_vk_mesh
{
	lrd_vk_object object;
	VkBuffer buffer;
	uint64_t size;
	bool dynamic;
	uint64_t low, high; // of the bytes that the commands recorded since `since` write
	uint64_t since;
} lrd_vk_mesh;

typedef struct lrd_vk_table
{
	void *items;
	size_t count;
	size_t capacity;
	uint32_t free;   // the first of those that are, by `next`
	uint32_t doomed; // the first of those that wait
	uint32_t alive;
} lrd_vk_table;

// --- Copies: staging.c, copy.c, submit.c ---

typedef struct lrd_vk_copy
{
	bool is_mesh;
	bool again;  // over what frames may use: on the graphics queue
	bool begins; // a level
	bool ends;
	uint32_t index; // of the object; LRD_VK_NONE: it is gone, or was copied again
	uint32_t level;
	uint32_t slice, slice_count;
	uint32_t row, row_count; // of blocks
	uint64_t offset;         // in staging
	uint64_t size;
	uint64_t destination;
} lrd_vk_copy;

typedef struct lrd_vk_ring
{
	VkBuffer buffer;
	VkDeviceMemory memory;
	uint8_t *data;
	uint64_t size;
	// Positions that only rise; modulo `size` they are offsets.
	uint64_t head;
	uint64_t marked; // the head at the last submit
	uint64_t tail;
	uint64_t alignment;
} lrd_vk_ring;

/// The buffers of commands of a batch.
typedef enum lrd_vk_part
{
	LRD_VK_COPY,    // on the queue that copies
	LRD_VK_WRITE,   // over what frames use, on the graphics queue, where that is another
	LRD_VK_ACQUIRE, // taking over what the transfer queue copied
	LRD_VK_PARTS
} lrd_vk_part;

/// Copies on their way: recorded, and then with the GPU.
typedef struct lrd_vk_batch
{
	VkCommandPool pools[LRD_VK_PARTS];
	VkCommandBuffer commands[LRD_VK_PARTS];
	bool recorded[LRD_VK_PARTS]; // and not handed over yet
	bool transfers;              // the transfer queue has a part in it
	bool copied;                 // the part LRD_VK_COPY was handed over
	bool sealed;                 // the timeline will reach its value
	uint64_t value;
	uint64_t ring_end;
} lrd_vk_batch;

typedef struct lrd_vk_copies
{
	lrd_vk_copy *items;
	size_t count;
	size_t marked; // of them, that the last submit covers
	size_t capacity;
	size_t promised;                      // that may come without a call for memory
	lrd_vk_batch batches[LRD_VK_BATCHES]; // in flight from `first` on
	uint32_t first;
	uint32_t in_flight;
	VkSemaphore timeline; // signalled on the graphics queue
	VkSemaphore transfer; // signalled on the transfer queue, where there is one
	uint64_t value;       // of the last submit
	uint64_t recorded;    // that a batch has
	uint64_t completed;
	uint64_t epoch; // of the commands since the last barrier between copies
} lrd_vk_copies;

// --- Slots: slots.c ---

typedef struct lrd_vk_slot
{
	lrd_gpu_object texture;
	uint64_t revision;
} lrd_vk_slot;

typedef struct lrd_vk_slots
{
	lrd_vk_slot *items;
	uint32_t count;
	uint64_t revision; // of the last bind
	VkSampler samplers[LRD_VULKAN_SAMPLER_COUNT];
	VkDescriptorSetLayout layout; // VK_NULL_HANDLE: no table
	VkDescriptorPool pool;
	VkDescriptorSet sets[LRD_VK_FRAMES_MAX];
	uint64_t *changed; // a bit for each slot, set by set: bound anew since the set was written
	size_t words;      // of a set
} lrd_vk_slots;

struct lrd_gpu_vulkan
{
	lrd_vulkan_context context;
	lrd_vk vk;
	VkPhysicalDeviceProperties properties;
	VkPhysicalDeviceVulkan12Properties properties12;
	uint64_t max_allocation;
	bool two_queues;
	bool transfers_rows; // that the transfer queue copies any part of an image
	uint32_t frames;
	VkImageUsageFlags texture_usage;
	VkBufferUsageFlags mesh_usage;
	uint64_t mesh_alignment;
	lrd_vk_memory memory;
	lrd_vk_table textures;
	lrd_vk_table meshes;
	lrd_vk_ring ring;
	lrd_vk_copies copies;
	lrd_vk_slots slots;
	uint64_t copied_bytes;
	uint64_t submits;
	uint64_t refused;
	bool lost;
	lrd_allocator allocator;
	lrd_log log;
};

/// As lrd_vk_fail; a device that is lost is remembered.
bool lrd_vk_gpu_fail(lrd_gpu_vulkan *gpu, lrd_error *error, VkResult result, const char *what);
void lrd_vk_set_name(const lrd_gpu_vulkan *gpu, VkObjectType type, uint64_t handle, const char *name);
/// A call that makes no sense was made; what is said of it goes to the log, once in a while.
void lrd_vk_refuse(lrd_gpu_vulkan *gpu, const char *what);

void lrd_vk_memory_init(lrd_gpu_vulkan *gpu, uint64_t block_size);
void lrd_vk_memory_free(lrd_gpu_vulkan *gpu);
/// Bind memory to an image. On failure it has none.
bool lrd_vk_memory_image(lrd_gpu_vulkan *gpu, VkImage image, lrd_vk_place *place, lrd_error *error);
/// Part of a buffer, or a buffer of its own.
bool lrd_vk_memory_buffer(lrd_gpu_vulkan *gpu, uint64_t size, lrd_vk_place *place, lrd_error *error);
void lrd_vk_memory_give(lrd_gpu_vulkan *gpu, lrd_vk_place *place);
/// The next best type for what the CPU writes and the GPU reads once, of those in `allowed`; LRD_VK_NONE: none.
uint32_t lrd_vk_memory_staging_type(const lrd_gpu_vulkan *gpu, uint32_t allowed);
/// Of the heap that textures and meshes are in.
void lrd_vk_memory_budget(const lrd_gpu_vulkan *gpu, uint64_t *budget, uint64_t *used);

/// The row of a new object, and the number by which it is known. NULL and an error: no memory.
void *lrd_vk_table_add(lrd_gpu_vulkan *gpu, lrd_vk_table *table, size_t size, lrd_gpu_object *number, lrd_error *error);
/// NULL: there is none, or it is gone.
void *lrd_vk_table_find(const lrd_vk_table *table, size_t size, lrd_gpu_object number);
void lrd_vk_table_remove(lrd_vk_table *table, size_t size, uint32_t index);

bool lrd_vk_has_format(lrd_gpu_vulkan *gpu, uint32_t format);
lrd_gpu_object lrd_vk_create_texture(lrd_gpu_vulkan *gpu, const lrd_gpu_texture_desc *desc, lrd_error *error);
void lrd_vk_destroy_texture(lrd_gpu_vulkan *gpu, lrd_gpu_object texture);
lrd_vk_texture *lrd_vk_find_texture(const lrd_gpu_vulkan *gpu, lrd_gpu_object texture);
lrd_vk_texture *lrd_vk_texture_at(const lrd_gpu_vulkan *gpu, uint32_t index);
/// The bytes of a level: all layers, rows and slices.
uint64_t lrd_vk_level_size(const lrd_vk_texture *texture, uint32_t level);
/// All its levels were copied, and the GPU is through with it.
bool lrd_vk_texture_is_whole(const lrd_gpu_vulkan *gpu, const lrd_vk_texture *texture);

lrd_gpu_object lrd_vk_create_mesh(lrd_gpu_vulkan *gpu, const lrd_gpu_mesh_desc *desc, lrd_error *error);
void lrd_vk_destroy_mesh(lrd_gpu_vulkan *gpu, lrd_gpu_object mesh);
lrd_vk_mesh *lrd_vk_find_mesh(const lrd_gpu_vulkan *gpu, lrd_gpu_object mesh);
lrd_vk_mesh *lrd_vk_mesh_at(const lrd_gpu_vulkan *gpu, uint32_t index);

/// Free the objects whose copies are done; `all`: those whose copies are not, too.
void lrd_vk_sweep(lrd_gpu_vulkan *gpu, bool all);
void lrd_vk_free_objects(lrd_gpu_vulkan *gpu);

bool lrd_vk_ring_init(lrd_gpu_vulkan *gpu, uint64_t size, lrd_error *error);
void lrd_vk_ring_free(lrd_gpu_vulkan *gpu);
bool lrd_vk_stage(lrd_gpu_vulkan *gpu, uint64_t size, lrd_gpu_staging *staging);

bool lrd_vk_copies_init(lrd_gpu_vulkan *gpu, lrd_error *error);
/// Waits for what runs.
void lrd_vk_copies_free(lrd_gpu_vulkan *gpu);
bool lrd_vk_copies_reserve(lrd_gpu_vulkan *gpu, size_t more);
void lrd_vk_copy_texture(lrd_gpu_vulkan *gpu, const lrd_gpu_texture_copy *copy);
void lrd_vk_copy_mesh(lrd_gpu_vulkan *gpu, const lrd_gpu_mesh_copy *copy);
/// Copies into this object that are not recorded yet are not made.
void lrd_vk_drop_copies(lrd_gpu_vulkan *gpu, bool is_mesh, uint32_t index);
uint64_t lrd_vk_submit(lrd_gpu_vulkan *gpu);
uint64_t lrd_vk_completed(lrd_gpu_vulkan *gpu);
/// Record the marked copies into a batch, and take them off the list. On failure they stay.
VkResult lrd_vk_record(lrd_gpu_vulkan *gpu, lrd_vk_batch *batch);

bool lrd_vk_slots_init(lrd_gpu_vulkan *gpu, const lrd_gpu_vulkan_desc *desc, lrd_error *error);
void lrd_vk_slots_free(lrd_gpu_vulkan *gpu);
void lrd_vk_bind(lrd_gpu_vulkan *gpu, uint32_t slot, lrd_gpu_object texture);

#endif
