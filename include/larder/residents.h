// larder/residents.h: what of a store is on the GPU: which slot a texture has, where a mesh lies, what a material comes to.
// It brings payloads to the renderer (larder/gpu.h) a bounded amount at a time, frees what no frame uses any more, and
// keeps every number that a shader may hold valid meanwhile. Textures' mips are streamed by larder/stream.h on top of it.
//
// One thread, the owner of the store. Nothing here waits. A steady frame allocates nothing.

#ifndef LARDER_RESIDENTS_H
#define LARDER_RESIDENTS_H

#include "larder/gpu.h"
#include "larder/payload.h"

typedef struct lrd_residents lrd_residents;

typedef struct lrd_residents_desc
{
	uint64_t
		upload_window; ///< bytes of uploads that may be queued and in flight; 0: 256 MiB. One larger item may enter an empty queue
	uint64_t geometry; ///< bytes of meshes on the GPU, a hard ceiling for new keys; 0: no ceiling
	uint64_t derived;  ///< bytes of derived structures to keep; 0: 64 MiB
	uint32_t frames; ///< that may be in flight, 1 to 8; 0: 3. What `completed` of an update is taken from where it is 0
	uint32_t
		create_us; ///< time a frame may take to make GPU objects: how many is decided by what they took before, at least one; 0: 1000
	/// A texture that others stream (larder/stream.h) begins with this many of its smallest levels; 0: whole textures.
	uint32_t tail_levels;
	lrd_allocator allocator; ///< zeroed: malloc
	lrd_log log;
} lrd_residents_desc;

/// NULL on failure. Store and gpu outlive it; `gpu` is copied. A device's slots and staging memory are one's alone: of several
/// on one device only one is updated, until it is destroyed. Errors: LRD_ERROR_MEMORY, LRD_ERROR_ARGUMENT.
LRD_API lrd_residents *lrd_residents_create(
	lrd_store *store, const lrd_gpu *gpu, const lrd_residents_desc *desc, lrd_error *error);

/// Free everything at once: the caller has made sure that the device is idle. Returns how many references were not given
/// back. NULL is allowed.
LRD_API uint32_t lrd_residents_destroy(lrd_residents *residents);

/// The store that it was made for.
LRD_API lrd_store *lrd_residents_store(const lrd_residents *residents);

/// lrd_residents_desc.tail_levels.
LRD_API uint32_t lrd_residents_tail_levels(const lrd_residents *residents);

/// Once a frame, after lrd_store_update. `frame` counts the frames that the renderer records, from 1: the one that comes next;
/// `completed` is the newest that the GPU is through with; 0: not known, all but the last lrd_residents_desc.frames are.
/// Takes in what arrived, hands copies over, binds what is done, and destroys what no frame uses any more.
LRD_API void lrd_residents_update(lrd_residents *residents, uint64_t frame, uint64_t completed);

// --- Textures ---

/// What a texture is for, which decides what stands in for it until it is there.
typedef enum lrd_texture_role
{
	LRD_ROLE_COLOR = 0, ///< white
	LRD_ROLE_DATA,      ///< white: factors alone count
	LRD_ROLE_NORMAL,    ///< flat
	LRD_ROLE_EMISSIVE,  ///< black
	LRD_ROLE_GREY,
	LRD_ROLE_CUBE, ///< a black cube
	LRD_ROLE_COUNT
} lrd_texture_role;

/// A texture's slot in the array that shaders index, stable until as many releases as retains; it samples the role's
/// fallback until the image is there, and again the fallback when it can't be had. Retains the asset. LRD_GPU_NO_SLOT on failure.
/// Errors: LRD_ERROR_LIMIT (all slots are taken), LRD_ERROR_MEMORY, LRD_ERROR_ARGUMENT.
LRD_API uint32_t lrd_residents_retain_texture(
	lrd_residents *residents, lrd_asset texture, lrd_texture_role role, lrd_error *error);
LRD_API void lrd_residents_release_texture(lrd_residents *residents, uint32_t slot);

typedef struct lrd_resident_texture
{
	lrd_asset asset;
	lrd_gpu_object object; ///< bound now; 0: the fallback
	/// The slot samples something. False in the first frames after lrd_residents_create, and for a slot that was retained since the last
	/// update: it may not be indexed yet.
	bool bound;
	uint32_t width, height; ///< texels of the authored level 0; 0 until known
	uint32_t format;        ///< of the authored file
	uint32_t level_count;   ///< authored
	uint32_t first_level;   ///< the authored level that the bound image begins with
	uint32_t finest_level;  ///< the finest authored level that the device can have: 0 unless it is too large for it
	uint32_t tail_level;    ///< it always has this one and all coarser
	uint32_t wanted_level;  ///< on its way; first_level when nothing is
	uint64_t bytes;         ///< of the bound image
	uint32_t revision;      ///< moves when another file of the asset is shown: its levels may be others
	bool is_srgb;
	bool failed; ///< lrd_asset_error, or the log, says why
} lrd_resident_texture;

/// False for a slot that is not taken.
LRD_API bool lrd_residents_get_texture(const lrd_residents *residents, uint32_t slot, lrd_resident_texture *texture);
/// Slots in use are below this.
LRD_API uint32_t lrd_residents_texture_count(const lrd_residents *residents);

/// Which of the slots group * 64 to group * 64 + 63, a bit each, were taken or released, or began or ended an upload, since this was asked
/// with `take` last: what says whether their levels have to be looked at again. For larder/stream.h, which is the one that takes.
LRD_API uint64_t lrd_residents_changed_textures(lrd_residents *residents, uint32_t group, bool take);

/// Bytes on the GPU of an image that begins with each authored level, in the format that the device gets; 0 for levels finer than it
/// can have. Returns how many there are: 0 until they are known. For larder/stream.h.
LRD_API uint32_t lrd_residents_texture_levels(
	const lrd_residents *residents, uint32_t slot, uint64_t image_bytes[LRD_TEXTURE_MAX_LEVELS]);

/// Images that are finer than their tail are made only while all textures' images together stay within this many bytes: one that is
/// loaded anew begins coarser when there is no room for it, and lrd_residents_set_first_level is refused. 0: no limit. For larder/stream.h.
LRD_API void lrd_residents_set_texture_budget(lrd_residents *residents, uint64_t bytes);

/// Have a texture begin with this authored level: a new image of that size takes the bound one's place when its levels are there; the
/// old one stays until then. Levels are read by a worker. False: refused for now (something is on its way for it already, or
/// the window is full). For larder/stream.h; with tail_levels 0 nobody needs it.
LRD_API bool lrd_residents_set_first_level(lrd_residents *residents, uint32_t slot, uint32_t first_level);

// --- Meshes ---

/// A mesh's place; zeroed: none.
typedef struct lrd_mesh_handle
{
	uint32_t index;
	uint32_t generation;
} lrd_mesh_handle;

/// What is drawn of a mesh's LOD.
typedef struct lrd_resident_lod
{
	uint32_t first_index;
	uint32_t index_count;
	float error; ///< object units
} lrd_resident_lod;

/// A mesh on the GPU. Indices are 16 bits wide where vertex_count allows, else 32.
typedef struct lrd_resident_mesh
{
	lrd_gpu_object object;                    ///< 0: not there yet
	uint64_t stream_offset[LRD_STREAM_COUNT]; ///< bytes in the buffer; a multiple of 16
	uint32_t stream_stride[LRD_STREAM_COUNT]; ///< 0: no such stream
	uint64_t index_offset;                    ///< bytes
	uint32_t index_size;                      ///< 2 or 4
	uint32_t vertex_count;
	lrd_resident_lod lods[LRD_MESH_MAX_LODS];
	uint32_t lod_count;
	lrd_bounds bounds;
	float position_scale[3];
	float position_offset[3];
	float uv_density[2]; ///< of uv0 and uv1, for lrd_stream_level: see lrd_mesh_view; 0: not known
	lrd_vertex_attribute attributes[LRD_VERTEX_SEMANTIC_COUNT]; ///< the file's table
	uint32_t attribute_count;
	uint64_t bytes;
	bool failed;
} lrd_resident_mesh;

/// Have an asset's mesh on the GPU. The same mesh asked for twice is uploaded once. The CPU payload is let go after the upload unless
/// the mesh's LRD_MESH_CPU_ACCESS says otherwise. A reload replaces the object; the handle stays. The null handle on failure.
LRD_API lrd_mesh_handle lrd_residents_retain_mesh(lrd_residents *residents, lrd_asset mesh, lrd_error *error);
LRD_API void lrd_residents_release_mesh(lrd_residents *residents, lrd_mesh_handle mesh);
/// NULL for a stale handle. Valid until the next lrd_residents_update.
LRD_API const lrd_resident_mesh *lrd_residents_get_mesh(const lrd_residents *residents, lrd_mesh_handle mesh);

/// Geometry of the program's own, shared by key: the same tables, never in the store. `fill` writes `size` bytes straight into staging
/// memory (by way of memory of larder's where they are more than a quarter of it), in lrd_residents_update, once for all who ask for the
/// key. Joining a key that is there is free; a new key is refused
/// above the ceiling (LRD_ERROR_LIMIT).
typedef struct lrd_geometry_desc
{
	uint64_t key;                                ///< not 0
	lrd_resident_mesh layout;                    ///< `object`, `bytes` and `failed` are ignored
	uint64_t size;                               ///< bytes of streams and indices
	bool dynamic;                                ///< lrd_residents_write_geometry may be called
	bool (*fill)(void *user, void *destination); ///< false: it can't; the handle fails
	void *user;                                  ///< lives until `fill` was called or the last handle is released
} lrd_geometry_desc;
LRD_API lrd_mesh_handle lrd_residents_retain_geometry(
	lrd_residents *residents, const lrd_geometry_desc *desc, lrd_error *error);
/// Write part of dynamic geometry anew, in place, and have it drawn with these LODs from then on (NULL: as before): both from the frame
/// after the next lrd_residents_update, or one of the next few while workers fill staging memory. Growing (an end beyond its
/// size) is always allowed and makes a new object, which is drawn when all of it has arrived; so do writes that are more than a quarter of
/// staging memory. False: refused for now (it was not filled yet, the window is full, memory ran out), or for good (not
/// dynamic).
LRD_API bool lrd_residents_write_geometry(lrd_residents *residents, lrd_mesh_handle mesh, uint64_t offset,
	const void *data, uint64_t size, const lrd_resident_lod *lods, uint32_t lod_count);

/// A structure derived from a mesh (acceleration structures and the like), kept within a budget: what is unused goes first, what is in
/// use or being built stays. The renderer makes and frees them.
typedef struct lrd_derived_desc
{
	lrd_mesh_handle mesh;
	uint32_t sort; ///< the renderer's: which of several structures of one mesh
	uint64_t bytes;
	uint64_t object;                           ///< the renderer's
	void (*free)(void *user, uint64_t object); ///< no frame uses it any more
	void *user;
} lrd_derived_desc;
/// Keep it. False: no memory to remember it, and the caller keeps it.
LRD_API bool lrd_residents_add_derived(lrd_residents *residents, const lrd_derived_desc *desc);
/// It is used in the frame that is recorded next, or built by it; 0: there is none.
LRD_API uint64_t lrd_residents_use_derived(lrd_residents *residents, lrd_mesh_handle mesh, uint32_t sort);

// --- Materials ---

/// What a shader needs of a material; its index is stable until as many releases as retains.
typedef struct lrd_resident_material
{
	lrd_asset asset;
	const lrd_material_params *params;             ///< its own, or glTF's defaults until it is there
	uint32_t slots[LRD_SLOT_COUNT];                ///< texture slots; LRD_GPU_NO_SLOT where there is none
	lrd_material_texture textures[LRD_SLOT_COUNT]; ///< their transforms and sampling
	uint32_t alpha_mode;
	uint32_t flags;
	float alpha_cutoff;
	uint32_t revision; ///< counts changes: write it to the GPU anew when it moved
	bool ready;
	bool failed;
} lrd_resident_material;

/// LRD_GPU_NO_SLOT on failure.
LRD_API uint32_t lrd_residents_retain_material(lrd_residents *residents, lrd_asset material, lrd_error *error);
LRD_API void lrd_residents_release_material(lrd_residents *residents, uint32_t index);
/// NULL for an index that is not taken. Valid until the next lrd_residents_update.
LRD_API const lrd_resident_material *lrd_residents_get_material(const lrd_residents *residents, uint32_t index);
/// Indices in use are below this.
LRD_API uint32_t lrd_residents_material_count(const lrd_residents *residents);

// --- Being told ---

typedef enum lrd_resident_change
{
	LRD_CHANGE_TEXTURE, ///< a slot's image changed: its users may want to bind it anew where the device has no array of slots
	LRD_CHANGE_MESH,
	LRD_CHANGE_MATERIAL,
	LRD_CHANGE_EVERYTHING, ///< told, never added: something changed that users may use who could not be remembered
} lrd_resident_change;

/// Whoever uses a texture, mesh or material, by a number of the caller's, is told when it changed, or failed: a completed upload
/// reaches its users alone. If memory to remember a user ran out, an update in which anything changed says so once, with
/// LRD_CHANGE_EVERYTHING, until that user is removed: whoever hears it looks at everything. Slower, never wrong.
typedef struct lrd_user_desc
{
	lrd_resident_change what;
	uint32_t index; ///< slot, handle's index, or material's index
	uint64_t user;
} lrd_user_desc;
/// False for an index that is not taken. Users of what is released for the last time are removed.
LRD_API bool lrd_residents_add_user(lrd_residents *residents, const lrd_user_desc *desc);
LRD_API void lrd_residents_remove_user(lrd_residents *residents, const lrd_user_desc *desc);
/// Called in lrd_residents_update for each user of what changed; NULL: nobody.
LRD_API void lrd_residents_on_change(
	lrd_residents *residents, void (*changed)(void *user, const lrd_user_desc *desc), void *user);

/// A mesh with a material, and who draws them: what a part of a model comes to.
typedef struct lrd_drawable
{
	lrd_mesh_handle mesh;
	uint32_t material; ///< LRD_GPU_NO_SLOT: none
	uint64_t user;     ///< of both
} lrd_drawable;

/// Retain both and be told of both, or, when a step fails, of neither: then every reference is given back. `material` may be
/// the null asset. Errors: as of the steps.
LRD_API bool lrd_residents_add_drawable(lrd_residents *residents, lrd_asset mesh, lrd_asset material, uint64_t user,
	lrd_drawable *drawable, lrd_error *error);
LRD_API void lrd_residents_remove_drawable(lrd_residents *residents, const lrd_drawable *drawable);

// --- What is going on ---

typedef struct lrd_residents_stats
{
	uint32_t textures, meshes, materials, derived; ///< handles in use
	uint32_t pending;               ///< of those: neither there yet nor failed. 0: what is to be seen is to be seen
	uint64_t texture_bytes;         ///< of images that exist, those on their way and those not freed yet included
	uint64_t retired_texture_bytes; ///< of those: of images that wait for their frames
	uint64_t mesh_bytes;
	uint64_t derived_bytes;
	uint64_t queued_bytes;  ///< waiting for staging
	uint64_t flying_bytes;  ///< handed over, not done
	uint32_t retired;       ///< objects that wait for their frames
	uint32_t refused;       ///< uploads that the window refused
	uint64_t out_of_memory; ///< objects that the device had no memory for when asked; they are asked for again
	uint64_t uploads;       ///< done
	uint64_t uploaded_bytes;
	uint32_t creates_a_frame; ///< what the measured cost allows now
	uint64_t update_ns;       ///< the last lrd_residents_update
	bool lost;                ///< the device is lost: nothing is uploaded any more
} lrd_residents_stats;
/// What the device can do and has left, as it said in the last update.
LRD_API void lrd_residents_get_caps(const lrd_residents *residents, lrd_gpu_caps *caps);
LRD_API void lrd_residents_get_stats(const lrd_residents *residents, lrd_residents_stats *stats);

#endif
