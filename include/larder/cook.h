// larder/cook.h: from sources to cooked files, and the proof that they are sound. Cook half.

#ifndef LARDER_COOK_H
#define LARDER_COOK_H

#include "larder/base.h"
#include "larder/jobs.h"
#include "larder/mesh.h"
#include "larder/pack_write.h"
#include "larder/texture_cook.h"

typedef enum lrd_source_state
{
	LRD_SOURCE_COOKED,
	LRD_SOURCE_UP_TO_DATE,
	LRD_SOURCE_FAILED,
	LRD_SOURCE_SKIPPED, ///< a file of no known type, or an image that a model owns
} lrd_source_state;

/// A texture among what a source yielded.
typedef struct lrd_texture_row
{
	lrd_string file; ///< relative to the output folder
	lrd_texture_report report;
} lrd_texture_row;

typedef enum lrd_frame_origin
{
	LRD_FRAME_AUTHORED,  ///< came with the source
	LRD_FRAME_COMPUTED,  ///< normals from triangles; tangents by MikkTSpace
	LRD_FRAME_ARBITRARY, ///< tangents that nothing reads, perpendicular to the normals
} lrd_frame_origin;

/// What cooking made of one mesh.
typedef struct lrd_mesh_report
{
	uint32_t
		vertices_before; ///< of its primitives, as often as they are placed; for a cluster those that it was cut from
	uint32_t vertices;   ///< welded
	uint32_t triangles_before;
	uint32_t triangles;  ///< of LOD 0
	uint32_t degenerate; ///< triangles without area that were dropped
	uint32_t overflowed; ///< triangles that were dropped since scales take them beyond what floats hold
	lrd_frame_origin normals;
	uint32_t normals_repaired; ///< of no length, replaced by a triangle's
	lrd_frame_origin tangents;
	uint32_t tangents_repaired; ///< of no length, replaced by any across the normal
	uint32_t cluster_count;     ///< that its group of pieces was cut into; 1: not cut
	uint32_t cluster;           ///< which of them it is, from 0
	uint32_t lod_count;
	lrd_mesh_lod lods[LRD_MESH_MAX_LODS];
	lrd_mesh_fill fill;      ///< of LOD 0
	uint32_t quantized_bits; ///< a coordinate's, 1 to 16; 0: positions are f32
	bool uv_quantized;       ///< uv0 are half floats; false where the source has none
	float position_error;    ///< largest distance that quantising moved a vertex, object units
	float uv_error;          ///< largest change of a coordinate
	uint32_t raytracing_lod_bias;
} lrd_mesh_report;

/// A mesh among what a source yielded.
typedef struct lrd_mesh_row
{
	lrd_string file; ///< relative to the output folder
	lrd_mesh_report report;
} lrd_mesh_row;

/// What cooking made of one skeleton.
typedef struct lrd_skeleton_report
{
	uint32_t joints;      ///< with the nodes between those of the skin
	uint32_t skin_joints; ///< that the skin names
} lrd_skeleton_report;

/// A skeleton among what a source yielded.
typedef struct lrd_skeleton_row
{
	lrd_string file; ///< relative to the output folder
	lrd_skeleton_report report;
} lrd_skeleton_row;

/// What cooking made of one clip.
typedef struct lrd_clip_report
{
	float duration;       ///< seconds
	uint32_t channels;    ///< of the source's, each once however many skeletons have its joint
	uint32_t constant;    ///< channels of one key
	uint32_t keys_before; ///< of all channels, as the source has them
	uint32_t keys;        ///< that were kept
} lrd_clip_report;

/// A clip among what a source yielded.
typedef struct lrd_clip_row
{
	lrd_string file; ///< relative to the output folder
	lrd_clip_report report;
} lrd_clip_row;

/// What became of one source. Strings live during the call.
typedef struct lrd_source_report
{
	lrd_string path; ///< relative to its source root
	lrd_source_state state;
	const char *message; ///< why it failed or was skipped; NULL otherwise
	const struct lrd_document_warning *warnings;
	uint32_t warning_count;
	const lrd_texture_row *textures; ///< of a source that was cooked now
	uint32_t texture_count;
	const lrd_mesh_row *meshes; ///< of a source that was cooked now
	uint32_t mesh_count;
	const lrd_skeleton_row *skeletons; ///< of a source that was cooked now
	uint32_t skeleton_count;
	const lrd_clip_row *clips; ///< of a source that was cooked now
	uint32_t clip_count;
	uint32_t output_count;
	uint64_t bytes_in;
	uint64_t bytes_out;
	double seconds; ///< that its jobs took, added up: of its own work alone, whatever else was being cooked
} lrd_source_report;

/// Sums over a whole cook.
typedef struct lrd_cook_report
{
	uint32_t cooked;
	uint32_t up_to_date;
	uint32_t failed;
	uint32_t skipped;
	uint32_t pruned;              ///< output files deleted since no source yields them any more
	uint32_t warnings;            ///< of all sources
	uint64_t warning_occurrences; ///< what their counts come to
	uint32_t outputs;             ///< files the tree holds now
	uint64_t bytes_in;
	uint64_t bytes_out;
	double seconds;
} lrd_cook_report;

typedef struct lrd_cook_desc
{
	const char *const *sources; ///< folders (each a source root) or single files (their folder is the root)
	uint32_t source_count;
	const char *root;        ///< source root of the files among `sources`; NULL: each one's own folder
	const char *output;      ///< folder; made when missing
	lrd_target target;       ///< whose formats textures are cooked to
	bool force;              ///< cook everything, up to date or not
	const lrd_jobs *jobs;    ///< NULL: everything on the calling thread
	lrd_allocator allocator; ///< zeroed: malloc
	lrd_log log;             ///< hears of warnings and failures where on_source is NULL; zeroed: stderr
	/// A source was dealt with; NULL: the log is told. Calls come one at a time, on the thread that cooks, in no order.
	void (*on_source)(void *user, const lrd_source_report *report);
	/// `done` of `total` sources; NULL: nobody is told. As above.
	void (*on_progress)(void *user, uint32_t done, uint32_t total);
	void *user;
} lrd_cook_desc;

/// Cook. A source that fails is reported and the others go on; true as long as the cook itself could run, so look at
/// report->failed.
/// Errors: LRD_ERROR_IO (the output folder can't be written), LRD_ERROR_CONFLICT (another cook holds it),
/// LRD_ERROR_MEMORY, LRD_ERROR_NOT_FOUND. Any thread but a worker of `jobs`, which it waits for; cooks into different
/// folders may run at once.
LRD_API bool lrd_cook_run(const lrd_cook_desc *desc, lrd_cook_report *report, lrd_error *error);

/// Write a file under a temporary name beside its place, flush it, rename it over what was there: it is whole or as it
/// was. A device or a pipe is not replaced. Errors: LRD_ERROR_IO. Any thread; of two that save the same path at once, one's file remains, whole.
LRD_API bool lrd_file_save(const char *path, const void *data, size_t size, lrd_error *error);

typedef struct lrd_finding
{
	lrd_string path; ///< file, or file and entry as "game.lpack:models/fox.lmodel"
	const char *message;
} lrd_finding;

typedef struct lrd_validate_desc
{
	const char *const *paths; ///< cooked files, folders, bundles
	uint32_t path_count;
	lrd_allocator allocator;                                    ///< zeroed: malloc
	void (*on_finding)(void *user, const lrd_finding *finding); ///< or NULL
	void *user;
} lrd_validate_desc;

typedef struct lrd_validate_report
{
	uint32_t files; ///< cooked files and bundle entries looked at
	uint32_t bundles;
	uint32_t findings; ///< 0: sound
	uint64_t bytes;
} lrd_validate_report;

/// Check structure, hashes and references of everything under the paths. False only when the check itself could not
/// run; what is wrong with the files is in report->findings. Any thread, on which `on_finding` is called too.
LRD_API bool lrd_validate(const lrd_validate_desc *desc, lrd_validate_report *report, lrd_error *error);

typedef struct lrd_pack_tree_desc
{
	const char *folder; ///< a cooked tree, with its manifest
	const char *bundle; ///< written beside and renamed over
	lrd_compression compression;
	int level;               ///< as in lrd_pack_write_desc
	bool json;               ///< write one readable JSON file, payloads in base64, in the bundle's place: for debugging
	const lrd_jobs *jobs;    ///< NULL: everything on the calling thread
	lrd_allocator allocator; ///< zeroed: malloc
	void (*on_progress)(void *user, uint32_t done, uint32_t total); ///< or NULL
	void *user;
} lrd_pack_tree_desc;

/// Seal a cooked tree in a bundle, with BUNDLE.json beside it. A tree whose files are not those of its manifest is
/// refused (LRD_ERROR_CONFLICT, naming the first). Payloads of an older bundle at that place, made with the same
/// settings (BUNDLE.statcache.json remembers them), are taken over after a check instead of compressed again. Any
/// thread but a worker of `jobs`, which it waits for; `on_progress` is called on it too.
LRD_API bool lrd_pack_tree(const lrd_pack_tree_desc *desc, lrd_pack_write_report *report, lrd_error *error);

#endif
