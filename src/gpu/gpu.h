// gpu/gpu.h: the residents from inside. Not for other rooms.
//
// Three tables of rows (textures, meshes, materials), whose indices the program and its shaders hold. Store events, releases and
// finished uploads put a row on the list of those to be looked at; looking decides what it needs next. What has to be copied
// to the GPU becomes an upload:
//
//   waiting    its payload is there, the window is full: the row stands in line
//   preparing  a job brings its pages in, inflates, decodes
//   prepared   its GPU object is to be made: so many a frame. What the device had no memory for before is made first, then prepared
//   staging    level by level, or part by part, into a batch: staging memory that a job fills
//   flying     handed over; when its copies are done the row shows it, and what it showed before is retired
//
//   table.c      rows, indices, keys          row.c       what a row needs next
//   upload.c     the queue                    batch.c     filling staging memory, handing over
//   retire.c     what frames may still use    residents.c making, updating, statistics
//   texture.c, texture_plan.c    mesh.c, mesh_fill.c, geometry.c    material.c    fallback.c    user.c    derived.c
//
// One thread, the store's owner; jobs touch their upload alone, and staging memory.

#ifndef GPU_GPU_H
#define GPU_GPU_H

#include "base/memory.h"
#include "larder/residents.h"
#include "larder/scope.h"
#include "os/os.h"

typedef struct lrd_row lrd_row;
typedef struct lrd_upload lrd_upload;

// --- GPU objects ---

/// A GPU object that is accounted for, from before it is made until it is freed. Retiring one therefore needs no memory.
typedef struct lrd_image
{
	struct lrd_image *next; ///< among the retired
	lrd_gpu_object object;  ///< 0: not made yet
	uint64_t bytes;
	uint64_t copied; ///< the submit that its last copy is in
	uint64_t frame;  ///< retired: the newest frame that may use it
	bool is_mesh;
} lrd_image;

// --- Tables ---

/// Keys to row numbers: open addressing, linear probing. Zeroed: empty.
typedef struct lrd_key_slot
{
	uint64_t key; ///< never 0 where there is a row
	uint32_t row; ///< + 1; 0: empty
} lrd_key_slot;

typedef struct lrd_key_map
{
	lrd_key_slot *slots; ///< 1 << bits
	uint32_t bits;
	uint32_t used;
} lrd_key_map;

bool lrd_key_map_reserve(lrd_key_map *map, lrd_allocator allocator); ///< for one more key
void lrd_key_map_set(lrd_key_map *map, uint64_t key, uint32_t row);  ///< a new key; room was reserved
bool lrd_key_map_get(const lrd_key_map *map, uint64_t key, uint32_t *row);
void lrd_key_map_remove(lrd_key_map *map, uint64_t key);
void lrd_key_map_free(lrd_key_map *map, lrd_allocator allocator);

/// Rows that never move, in chunks.
typedef struct lrd_table
{
	size_t row_size;
	uint8_t kind;  ///< lrd_resident_change
	uint32_t most; ///< rows there may be
	unsigned char **chunks;
	size_t chunk_count;
	size_t chunk_capacity;
	uint64_t *changed; ///< a bit a row, a word a chunk: see lrd_residents_changed_textures
	size_t changed_capacity;
	uint32_t count; ///< rows ever made
	uint32_t used;
	uint32_t free_first; ///< index + 1, linked by `index_next`; 0: none
	lrd_key_map keys;    ///< assets
} lrd_table;

/// A free row, zeroed but for its number and generation; NULL when all are taken or memory runs out.
lrd_row *lrd_table_take(lrd_table *table, lrd_allocator allocator, lrd_error *error);
void lrd_table_give_back(lrd_table *table, lrd_row *row);
/// The row is taken, given back, or other than it was.
void lrd_table_mark(lrd_table *table, const lrd_row *row);
/// NULL for a number that is not taken.
lrd_row *lrd_table_at(const lrd_table *table, uint32_t index);
void lrd_table_free(lrd_table *table, lrd_allocator allocator);

static inline uint64_t lrd_asset_key(lrd_asset asset)
{
	return (uint64_t)asset.generation << 32 | asset.index;
}

// --- Rows ---

typedef enum lrd_listing
{
	LRD_LISTED_NOWHERE = 0,
	LRD_LISTED_LOOK,    ///< to be looked at
	LRD_LISTED_WAITING, ///< for room in the window
	LRD_LISTED_CROWDED, ///< for room under the ceiling of geometry, or device memory
} lrd_listing;

/// What all rows have; the first member of each.
struct lrd_row
{
	lrd_row *next; ///< in the list that `listing` names
	uint8_t listing;
	uint8_t kind; ///< lrd_resident_change
	bool taken;
	bool there;   ///< it shows a payload, or geometry
	bool stale;   ///< there is something newer than what it shows
	bool failed;  ///< nothing can be shown
	bool dropped; ///< its payload, or the load of it, is gone from under the hold
	bool settled; ///< it was there once, or failed
	bool starved; ///< the device had no memory for its object the last time
	uint32_t index;
	uint32_t index_next; ///< among the free ones
	uint32_t generation;
	uint32_t references;
	uint32_t first_user; ///< number of a user; 0: none
	uint32_t forgotten;  ///< users that could not be remembered
	uint32_t payload;    ///< lrd_asset_generation of what it shows
	lrd_asset asset;     ///< null: geometry of the program's own
	lrd_hold hold;       ///< on the payload, while it is needed
	lrd_image *image;
	lrd_upload *upload; ///< on its way
};

typedef struct lrd_texture_row
{
	lrd_row row;
	lrd_resident_texture info; ///< what lrd_residents_get_texture gives; some of it is filled in there
	lrd_gpu_object bound;      ///< to its slot
	lrd_texture_role role;
	uint32_t shown;  ///< the payload that info.revision stands for
	uint32_t wanted; ///< level that it is to begin with; LRD_GPU_NO_SLOT: not known
	uint64_t level_bytes[LRD_TEXTURE_MAX_LEVELS];
	uint32_t too_large;    ///< levels below this, of ...
	uint32_t too_large_of; ///< ... this payload, are more than the device made an image of
} lrd_texture_row;

typedef struct lrd_mesh_row
{
	lrd_row row;
	lrd_resident_mesh info;
	bool cpu_access;               ///< the asset's payload stays
	struct lrd_geometry *geometry; ///< the program's own; NULL: an asset's
	uint32_t first_derived;        ///< number of a derived structure; 0: none
} lrd_mesh_row;

typedef struct lrd_material_row
{
	lrd_row row;
	lrd_resident_material info;
	lrd_material_params params;
	uint32_t held[LRD_SLOT_COUNT]; ///< texture slots that it holds
} lrd_material_row;

// --- Uploads ---

/// How levels get from the file to what the device samples.
typedef enum lrd_level_way
{
	LRD_LEVEL_AS_IS,   ///< out of the file
	LRD_LEVEL_INFLATE, ///< supercompressed
	LRD_LEVEL_UNORM8,  ///< decoded to RGBA8
	LRD_LEVEL_HALF,    ///< decoded to RGBA16F
} lrd_level_way;

/// A texture to be made of a file's levels.
typedef struct lrd_texture_plan
{
	lrd_texture_view view;
	lrd_level_way way;
	lrd_gpu_texture_desc desc;                    ///< without a name
	uint32_t first_level;                         ///< of the file
	uint32_t finest;                              ///< level that the device can have
	uint32_t block_height;                        ///< of the format that it gets
	uint64_t level_bytes[LRD_TEXTURE_MAX_LEVELS]; ///< of every level of the file, on the GPU
	void *prepared[LRD_TEXTURE_MAX_LEVELS];       ///< inflated or decoded, by the file's levels
} lrd_texture_plan;

/// Part of a level: some whole slices, or some rows of blocks of one.
typedef struct lrd_band
{
	uint32_t slice, slice_count;
	uint32_t row, row_count;
	uint64_t offset; ///< bytes, in the level
	uint64_t size;
} lrd_band;

/// A mesh's buffer: streams one behind another, then the LODs' indices.
typedef struct lrd_mesh_plan
{
	lrd_mesh_view view;
	lrd_resident_mesh info;
} lrd_mesh_plan;

typedef enum lrd_upload_state
{
	LRD_UPLOAD_PREPARING,
	LRD_UPLOAD_PREPARED,
	LRD_UPLOAD_STAGING,
	LRD_UPLOAD_FLYING,
} lrd_upload_state;

struct lrd_upload
{
	lrd_job job;            ///< first: the upload is found through it
	_Atomic uint32_t ready; ///< the job is through
	bool submitted;         ///< the job; a scheduler that refused is asked again
	bool is_mesh;
	bool dynamic;     ///< a mesh that is written again
	bool forced;      ///< it grew while it was drawn: the window did not matter
	bool cancelled;   ///< nobody wants what comes of it
	bool failed;      ///< `error` says why
	lrd_upload *next; ///< in the queue
	lrd_upload *previous;
	lrd_residents *residents;
	/// NULL: cancelled. What a submit's completion reaches is the upload, and by it only a row that still waits for this one.
	lrd_row *row;
	lrd_upload_state state;
	lrd_hold hold; ///< on the payload that it reads
	uint32_t payload;
	lrd_image *image;
	uint64_t bytes;    ///< on the GPU
	uint64_t staged;   ///< next level, or next byte of a mesh, to be staged
	uint64_t end;      ///< of those
	uint64_t rows;     ///< of blocks, of that level, that are staged
	void *content;     ///< of a mesh that staging memory can't take at once: `bytes`, from `fill`
	uint32_t segments; ///< in the batch
	uint64_t value;    ///< of the submit that its last copy is in
	bool (*prepare)(lrd_upload *upload, lrd_error *error); ///< on a worker; NULL: nothing is to be done
	/// Instead of a job: write all of it, in lrd_residents_update, into staging memory or `content`; NULL: a job does.
	bool (*fill)(lrd_upload *upload, void *to, lrd_error *error);
	/// Its row shows it from now on.
	void (*show)(lrd_residents *residents, lrd_upload *upload);
	union
	{
		lrd_texture_plan texture;
		lrd_mesh_plan mesh;
	} plan;
	lrd_error error;
};

/// What a job writes into staging memory, and what is then copied from there.
typedef struct lrd_segment
{
	lrd_upload *upload;
	void *to;
	uint64_t offset; ///< of staging memory
	uint64_t size;
	uint64_t at;   ///< level of the GPU texture; byte of the mesh
	lrd_band band; ///< of that level
	bool filled;   ///< already
} lrd_segment;

#define LRD_BATCH_SEGMENTS 256u
#define LRD_UPLOADS_MAX 512u ///< admitted at once

typedef struct lrd_batch
{
	lrd_job job; ///< first
	_Atomic uint32_t ready;
	bool open;      ///< it has segments
	bool submitted; ///< the job
	bool refused;   ///< there was no staging memory for anything: nobody else takes any before there was
	bool wasted;    ///< memory was staged that nothing is copied from: the next submit gives it back
	lrd_residents *residents;
	uint32_t count;
	uint32_t unfilled;
	uint64_t bytes;
	lrd_segment segments[LRD_BATCH_SEGMENTS];
} lrd_batch;

// --- The residents ---

typedef struct lrd_row_queue
{
	lrd_row *first;
	lrd_row *last;
} lrd_row_queue;

typedef struct lrd_fallback
{
	lrd_image *image;
	bool bound; ///< its copies are done
} lrd_fallback;

struct lrd_residents
{
	lrd_store *store;
	lrd_gpu gpu;
	lrd_gpu_caps caps;
	lrd_jobs jobs;
	lrd_residents_desc desc; ///< with defaults filled in
	lrd_allocator allocator;
	lrd_log log;
	lrd_listener listener;

	lrd_table textures;
	lrd_table meshes;
	lrd_table materials;
	lrd_key_map geometry; ///< the program's keys to rows of `meshes`
	lrd_row_queue look;
	lrd_row_queue waiting;
	lrd_row_queue crowded;
	bool made_room; ///< those may be looked at again

	lrd_upload *first; ///< the queue, in the order of admission
	lrd_upload *last;
	uint32_t upload_count;
	uint32_t forced_count; ///< of those: lrd_upload.forced
	lrd_batch batch;
	lrd_image *retired;
	lrd_fallback fallbacks[LRD_ROLE_COUNT];
	bool fallbacks_bound;

	struct lrd_user_table *users;
	struct lrd_derived_table *derived;
	struct lrd_geometry *written; ///< dynamic geometry with writes that were not handed over

	uint64_t frame;     ///< recorded next
	uint64_t completed; ///< newest that the GPU is through with
	uint64_t copied;    ///< newest submit that is done
	uint64_t submitted; ///< newest submit
	double create_ns;   ///< exponential average; 0: none was made yet
	uint32_t updates;
	bool updating;
	bool ran_jobs; ///< a batch was filled
	uint64_t texture_budget;
	uint64_t texture_bytes_coming; ///< of uploads whose object is not made yet
	uint64_t mesh_bytes_coming;
	uint32_t warned_formats[16];
	uint32_t warned_count;
	lrd_residents_stats stats;
};

/// residents.c. A message about an asset.
void lrd_residents_warn(lrd_residents *residents, lrd_asset asset, const char *format, ...) LRD_PRINTF(3, 4);
/// The device is lost.
void lrd_residents_lose(lrd_residents *residents);
lrd_table *lrd_residents_table(lrd_residents *residents, lrd_resident_change kind);

/// row.c. To be looked at in the next update; harmless twice.
void lrd_row_list(lrd_residents *residents, lrd_row *row);
/// In lrd_residents_update: look at what is listed, for a bounded time, and admit what waits.
void lrd_rows_look(lrd_residents *residents);
/// A store event.
void lrd_rows_event(void *user, const lrd_event *event);
/// It is there, or failed: it counts as pending no more.
void lrd_row_settle(lrd_residents *residents, lrd_row *row);
/// The row's upload is of more than the device makes an image of, and is given up: what is coarser comes next.
void lrd_row_too_large(lrd_residents *residents, lrd_row *row, lrd_upload *upload);
/// The row's upload found no device memory, and is given up for now.
void lrd_row_starved(lrd_residents *residents, lrd_row *row, lrd_upload *upload);
/// The row's upload ended: `done` or not.
void lrd_row_uploaded(lrd_residents *residents, lrd_row *row, lrd_upload *upload, bool done);
/// The row of an asset, made and retained when it is new; NULL on failure. `is_new` may be NULL.
lrd_row *lrd_row_retain(
	lrd_residents *residents, lrd_table *table, lrd_asset asset, lrd_kind kind, bool *is_new, lrd_error *error);
/// Let go of what is of its kind; then nothing is left of it but its number.
void lrd_row_end(lrd_residents *residents, lrd_row *row);
void lrd_row_free(lrd_residents *residents, lrd_row *row);

/// What looking at a row may come to.
typedef enum lrd_begun
{
	LRD_BEGUN,         ///< an upload is on its way, or the row shows it already
	LRD_BEGUN_WAIT,    ///< the window is full
	LRD_BEGUN_CROWDED, ///< the ceiling of geometry
	LRD_BEGUN_NEVER,   ///< it can't be shown; the error says why
	LRD_BEGUN_LATER,   ///< memory ran out: tried again in the next update
} lrd_begun;

/// upload.c. Is there room for an upload of so many bytes?
bool lrd_upload_fits(const lrd_residents *residents, uint64_t bytes);
/// Zeroed, with an image; in no list yet. NULL when memory runs out.
lrd_upload *lrd_upload_make(lrd_residents *residents, lrd_row *row, bool is_mesh);
/// Into the queue; the row's from now on. Takes the row's hold over.
void lrd_upload_admit(lrd_residents *residents, lrd_upload *upload);
/// Not admitted, or over: freed, its image too.
void lrd_upload_free(lrd_residents *residents, lrd_upload *upload);
void lrd_upload_cancel(lrd_residents *residents, lrd_upload *upload);
/// In lrd_residents_update: show what is done; make objects of what is prepared.
void lrd_uploads_finish(lrd_residents *residents);
void lrd_uploads_create(lrd_residents *residents);
/// Account for an object and measure what making it takes; LRD_OK, or why not.
bool lrd_image_create(lrd_residents *residents, lrd_image *image, const lrd_gpu_texture_desc *texture,
	const lrd_gpu_mesh_desc *mesh, lrd_error *error);

/// batch.c. What is larger is staged in pieces.
uint64_t lrd_stage_most(const lrd_residents *residents);
/// In lrd_residents_update: hand over what is filled.
void lrd_batch_finish(lrd_residents *residents);
/// Stage what the queue has, if the last batch is through.
void lrd_batch_begin(lrd_residents *residents);
/// Hand recorded copies over; 0: the device is lost.
uint64_t lrd_residents_submit(lrd_residents *residents);

/// retire.c. Freed when no frame uses it any more, and its copies are done. NULL is allowed.
void lrd_image_retire(lrd_residents *residents, lrd_image *image);
/// The same for what no frame ever used.
void lrd_image_discard(lrd_residents *residents, lrd_image *image);
void lrd_retired_free(lrd_residents *residents);
/// At once.
void lrd_image_destroy(lrd_residents *residents, lrd_image *image);

/// texture.c, mesh.c, material.c. What a row of the kind does when its payload is there, and when it is let go of.
lrd_begun lrd_texture_begin(lrd_residents *residents, lrd_row *row, lrd_error *error);
lrd_begun lrd_mesh_begin(lrd_residents *residents, lrd_row *row, lrd_error *error);
lrd_begun lrd_material_begin(lrd_residents *residents, lrd_row *row, lrd_error *error);
void lrd_texture_end(lrd_residents *residents, lrd_row *row);
void lrd_mesh_end(lrd_residents *residents, lrd_row *row);
void lrd_material_end(lrd_residents *residents, lrd_row *row);
/// The payload stays held after the upload.
bool lrd_texture_keeps_payload(const lrd_residents *residents, const lrd_row *row);
bool lrd_mesh_keeps_payload(const lrd_row *row);
/// The ceiling of geometry allows so many bytes more.
bool lrd_mesh_has_room(const lrd_residents *residents, const lrd_row *row, uint64_t bytes);
lrd_mesh_row *lrd_mesh_row_of(const lrd_residents *residents, lrd_mesh_handle mesh); ///< NULL: stale
/// Bind a slot to its image, or to its role's fallback.
void lrd_texture_bind(lrd_residents *residents, lrd_texture_row *texture);

/// The device made no image that begins with this level.
void lrd_texture_too_large(lrd_texture_row *texture, const lrd_upload *upload);

/// texture_plan.c. How a file's levels, `finest` and coarser, become a GPU texture; the view is the upload's.
/// Errors: LRD_ERROR_UNSUPPORTED, LRD_ERROR_LIMIT.
bool lrd_texture_plan_make(
	lrd_residents *residents, const lrd_texture_view *view, uint32_t finest, lrd_texture_plan *plan, lrd_error *error);
/// The next band of a level of which `rows` rows of blocks are done, slice by slice: at most `most` bytes, or one row.
lrd_band lrd_texture_plan_band(const lrd_texture_plan *plan, uint32_t level, uint64_t rows, uint64_t most);
/// Begin with this level, or the finest that the device can have.
void lrd_texture_plan_begin_with(lrd_texture_plan *plan, uint32_t first_level);
uint64_t lrd_texture_plan_bytes(const lrd_texture_plan *plan);
void lrd_texture_plan_free(lrd_residents *residents, lrd_texture_plan *plan);
const void *lrd_texture_plan_level(const lrd_texture_plan *plan, uint32_t level);

/// texture_prepare.c. On a worker.
bool lrd_texture_prepare(lrd_upload *upload, lrd_error *error);

/// mesh_fill.c. Where everything of a mesh lies in its buffer. False: more bytes than there can be.
bool lrd_mesh_plan_make(const lrd_mesh_view *view, lrd_mesh_plan *plan);
/// Write bytes `begin` to `end` of the buffer, in order.
void lrd_mesh_plan_write(const lrd_mesh_plan *plan, uint64_t begin, uint64_t end, void *to);

/// geometry.c
lrd_begun lrd_geometry_begin(lrd_residents *residents, lrd_mesh_row *mesh);
bool lrd_geometry_fill(lrd_upload *upload, void *to, lrd_error *error); ///< lrd_upload.fill
void lrd_geometry_free(lrd_residents *residents, lrd_mesh_row *mesh);
/// The new object that it needs since it grew found no device memory.
void lrd_geometry_starved(lrd_residents *residents, lrd_mesh_row *mesh, const lrd_upload *upload);
/// In lrd_residents_update: hand over what was written.
void lrd_geometry_update(lrd_residents *residents);

/// derived.c. In lrd_residents_update: free what is over the budget, or of nothing, and not in use.
void lrd_derived_update(lrd_residents *residents);
/// The mesh is gone, or another one.
void lrd_derived_kill(lrd_residents *residents, lrd_mesh_row *mesh);
bool lrd_derived_make(lrd_residents *residents, lrd_error *error);
void lrd_derived_free(lrd_residents *residents);

/// fallback.c
bool lrd_fallbacks_make(lrd_residents *residents, lrd_error *error);
void lrd_fallbacks_update(lrd_residents *residents);
lrd_gpu_object lrd_fallback_of(const lrd_residents *residents, lrd_texture_role role); ///< 0: not there yet
void lrd_fallbacks_free(lrd_residents *residents);

/// user.c. Tell who uses the row.
void lrd_users_tell(lrd_residents *residents, lrd_row *row);
void lrd_users_tell_everyone(lrd_residents *residents); ///< in lrd_residents_update, at its end
bool lrd_users_make(lrd_residents *residents, lrd_error *error);
void lrd_users_free(lrd_residents *residents);
void lrd_users_forget(lrd_residents *residents, lrd_row *row);

#endif
