// larder/gpu.h: what larder asks of a renderer, as one table of functions: images and buffers are made, filled through
// staging memory, bound to the slots that shaders index, and destroyed when larder says that no frame uses them any more.
// An engine implements lrd_gpu over its own device (examples/renderer_seam.c), hands its device to larder's implementation
// on Vulkan (larder/gpu_vulkan.h), or uses the null one here, which keeps everything in plain memory: for tests, servers
// and tools. What decides when to call it is in larder/residents.h and larder/stream.h.

#ifndef LARDER_GPU_H
#define LARDER_GPU_H

#include "larder/texture.h"

/// An image or a buffer of the renderer's, by a number of its own choosing; 0: none.
typedef uint64_t lrd_gpu_object;

/// A slot that samples nothing yet, and may not be indexed.
#define LRD_GPU_NO_SLOT 0xffffffffu

/// A GPU texture to be made. Its level 0 may be a finer texture's level N: it is then as large as that.
typedef struct lrd_gpu_texture_desc
{
	const char *name;     ///< for the renderer's debug names; lives during the call
	uint32_t format;      ///< lrd_texture_format: one that the device has (lrd_gpu_caps)
	uint32_t width;       ///< texels of level 0
	uint32_t height;      ///< 1 and up
	uint32_t depth;       ///< 1 and up; more than 1: three-dimensional
	uint32_t layer_count; ///< 1 and up
	uint32_t face_count;  ///< 1, or 6 for cubes
	uint32_t level_count; ///< 1 and up
	bool array;           ///< sampled as an array even with one layer
	lrd_texture_sampling sampling;
} lrd_gpu_texture_desc;

/// A GPU buffer for a mesh: vertex streams and indices one behind another.
typedef struct lrd_gpu_mesh_desc
{
	const char *name;
	uint64_t size; ///< bytes, 1 and up
	/// Written again and again in place: what is copied is there for the frame that is recorded next, and not before for those
	/// that run.
	bool dynamic;
} lrd_gpu_mesh_desc;

/// Staging memory that the CPU writes and the GPU copies from.
typedef struct lrd_gpu_staging
{
	void *data;      ///< written in order, never read: it may be write-combined
	uint64_t offset; ///< for the copies below; a multiple of 16
} lrd_gpu_staging;

/// A copy of a mip level out of staging memory, tightly packed as KTX 2.0 has it: every layer, every face, every slice. A level of
/// more than a quarter of staging memory comes in bands: one behind another, each once, over as many submits as it takes, with no other
/// copy into that texture between them. A band is some whole slices, or some rows of blocks of one.
typedef struct lrd_gpu_texture_copy
{
	lrd_gpu_object texture;
	uint32_t level;  ///< of the GPU texture
	uint64_t offset; ///< in staging; a multiple of 4 and of the format's texel or block
	uint64_t size;   ///< bytes

	// The band. All 0: the whole level.
	uint32_t slice;       ///< the first: layer * faces + face; of a three-dimensional texture its depth
	uint32_t slice_count; ///< 1 where these are not all rows
	uint32_t row;         ///< of blocks, the first: 4 rows of texels each in a format with blocks of 4 x 4
	uint32_t row_count;
} lrd_gpu_texture_copy;

typedef struct lrd_gpu_mesh_copy
{
	lrd_gpu_object mesh;
	uint64_t destination; ///< bytes from the buffer's start
	uint64_t offset;      ///< in staging
	uint64_t size;        ///< bytes
} lrd_gpu_mesh_copy;

/// What a device can do and has left. Figures may change from call to call.
typedef struct lrd_gpu_caps
{
	uint32_t max_texture_size; ///< texels a side; 0: no limit is known
	uint32_t max_cube_size;
	uint32_t max_depth;
	uint32_t max_layers;
	uint32_t texture_slots; ///< how many slots can be bound at once
	/// Bytes of the whole staging memory. What is larger than a quarter of it comes in pieces: 8 MiB will do for everything, more
	/// brings more in a frame.
	uint64_t staging_size;
	uint64_t
		memory_budget; ///< bytes of device memory that this process should keep to, as the system says now; 0: unknown
	uint64_t memory_used; ///< bytes of it in use by this process; 0: unknown
} lrd_gpu_caps;

/// A renderer's side. All are called on the thread that owns the store, and nothing is handed over but in lrd_residents_create and
/// _update; what workers write is `stage`'s memory alone. `user` is passed to each.
typedef struct lrd_gpu
{
	void *user;
	void (*get_caps)(void *user, lrd_gpu_caps *caps);
	/// Whether it samples an lrd_texture_format, with linear filtering where the format is one that is filtered.
	bool (*has_format)(void *user, uint32_t format);

	/// Make an image or a buffer; its contents are undefined until copied. 0 and an error when it can't:
	/// LRD_ERROR_MEMORY (out of device memory: asked again later, after something was shed), LRD_ERROR_LIMIT,
	/// LRD_ERROR_UNSUPPORTED; LRD_ERROR_IO: the device is lost.
	lrd_gpu_object (*create_texture)(void *user, const lrd_gpu_texture_desc *desc, lrd_error *error);
	lrd_gpu_object (*create_mesh)(void *user, const lrd_gpu_mesh_desc *desc, lrd_error *error);

	/// No frame uses it any more: free it now.
	void (*destroy_texture)(void *user, lrd_gpu_object texture);
	void (*destroy_mesh)(void *user, lrd_gpu_object mesh);

	/// From the frame that is recorded next on, `slot` of the array that shaders index samples this texture; 0: nothing.
	/// Frames that run may still sample what the slot had. All levels of the texture were copied, and `completed` has said so.
	void (*bind_texture)(void *user, uint32_t slot, lrd_gpu_object texture);

	/// Staging memory for `size` bytes, to be copied from before the next submit. False: there is no room until earlier copies are
	/// through; asked again in a later frame. More than a quarter of caps.staging_size is asked for only where a single row of blocks has
	/// as much, more than all of it never.
	bool (*stage)(void *user, uint64_t size, lrd_gpu_staging *staging);

	/// Copies to be done by the next submit, from memory staged since the last.
	void (*copy_texture)(void *user, const lrd_gpu_texture_copy *copy);
	void (*copy_mesh)(void *user, const lrd_gpu_mesh_copy *copy);

	/// Hand the copies to the GPU. The value that lrd_gpu.completed reaches when they are done, rising from call to call; 0:
	/// nothing was handed over, the device is lost.
	uint64_t (*submit)(void *user);

	/// The highest value whose copies, and all before it, are done. UINT64_MAX: the device is lost, nothing ever will be.
	uint64_t (*completed)(void *user);
} lrd_gpu;

/// A device in plain memory. One thread, or guarded by the caller.
typedef struct lrd_gpu_null lrd_gpu_null;

typedef struct lrd_gpu_null_desc
{
	uint64_t memory;           ///< bytes there are; 0: no limit
	uint64_t staging_size;     ///< bytes, rounded up to a multiple of 16; 0: 64 MiB
	uint32_t max_texture_size; ///< 0: 16384
	uint32_t texture_slots;    ///< 0: 65536
	uint32_t delay;            ///< calls of `completed` until a submit is done; 0: the first one
	uint64_t bandwidth;        ///< bytes a second that copies take in real time; 0: they take none
	uint64_t create_ns;        ///< real time that making an object takes
	bool (*has_format)(void *user, uint32_t format); ///< NULL: every format
	void *user;
	lrd_allocator allocator; ///< zeroed: malloc
} lrd_gpu_null_desc;

/// What happened to a null device.
typedef struct lrd_gpu_null_stats
{
	uint64_t memory_used;
	uint32_t textures;
	uint32_t meshes;
	uint64_t creates;
	uint64_t destroys;
	uint64_t copies;
	uint64_t copied_bytes;
	uint64_t submits;
	uint64_t
		misuses; ///< calls that a GPU would not survive: an object destroyed twice or used after, a copy out of bounds,
				 ///< a slot out of range, a texture bound before its copies are done
} lrd_gpu_null_stats;

/// NULL when memory runs out. `desc` may be NULL.
LRD_API lrd_gpu_null *lrd_gpu_null_create(const lrd_gpu_null_desc *desc, lrd_error *error);
/// Everything it made is freed. NULL is allowed.
LRD_API void lrd_gpu_null_destroy(lrd_gpu_null *device);
/// The device as a renderer's side; valid as long as the device.
LRD_API lrd_gpu lrd_gpu_null_interface(lrd_gpu_null *device);

/// Let the next `count` calls after the first `after` fail with `code` (creations), or be refused (staging); LRD_ERROR_IO, which
/// submits may meet too, loses the device for good.
LRD_API void lrd_gpu_null_fail(lrd_gpu_null *device, uint32_t after, uint32_t count, lrd_error_code code);
/// Others take device memory: what is left of the budget.
LRD_API void lrd_gpu_null_set_budget(lrd_gpu_null *device, uint64_t budget);
LRD_API void lrd_gpu_null_get_stats(const lrd_gpu_null *device, lrd_gpu_null_stats *stats);
/// The texture a slot samples, 0 when none; and its bytes: level by level as they were copied. NULL: no such object.
LRD_API lrd_gpu_object lrd_gpu_null_bound(const lrd_gpu_null *device, uint32_t slot);
LRD_API const void *lrd_gpu_null_texture(
	const lrd_gpu_null *device, lrd_gpu_object texture, uint32_t level, uint64_t *size, lrd_gpu_texture_desc *desc);
LRD_API const void *lrd_gpu_null_mesh(const lrd_gpu_null *device, lrd_gpu_object mesh, uint64_t *size);

#endif
