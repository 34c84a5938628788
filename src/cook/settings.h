// cook/settings.h: what an artist may say about a source, in `larder.json` at the source root and in a sidecar beside
// it.

#ifndef COOK_SETTINGS_H
#define COOK_SETTINGS_H

#include "base/memory.h"
#include "larder/mesh.h"
#include "larder/texture_cook.h"

typedef enum lrd_placement
{
	LRD_PLACEMENT_MERGED,   ///< what doesn't move is baked into model space, one part a material
	LRD_PLACEMENT_SEPARATE, ///< a part for each mesh of each node, in its node's space
	LRD_PLACEMENT_EDITABLE, ///< a part for each primitive, and a template that places them as actors
} lrd_placement;

typedef enum lrd_skin_weights
{
	LRD_SKIN_WEIGHTS_AUTO, ///< as few bits as the joints allow
	LRD_SKIN_WEIGHTS_8,    ///< the same; where a joint is above 255 weights have 16 bits nevertheless, with a warning
	LRD_SKIN_WEIGHTS_16,   ///< in any case
} lrd_skin_weights;

#define LRD_LODS_COUNT 8u
#define LRD_LODS_RATIO 0.5f
#define LRD_LODS_ERROR 0.05f
#define LRD_CLUSTER_TARGET_TRIANGLES 32768u
#define LRD_CLUSTER_MIN_TRIANGLES 8192u
#define LRD_QUANTIZE_ERROR (1.0f / 16384.0f)
#define LRD_CLIP_TOLERANCE 1e-5f

/// Zeroed: the defaults, which are the constants above.
typedef struct lrd_model_settings
{
	lrd_placement placement;
	float scale; ///< of everything that has a length; 0: 1
	struct
	{
		uint32_t count;          ///< with the finest, 1 to 16; 0: LRD_LODS_COUNT
		float ratio;             ///< 0: LRD_LODS_RATIO
		float error;             ///< of a part's largest side; 0: LRD_LODS_ERROR
		lrd_choice lock_borders; ///< open edges stay; auto: in models of several parts; off: but those of clusters do
	} lods;
	struct
	{
		lrd_choice cut;            ///< large rigid parts into clusters; auto: unless the placement is editable
		uint32_t target_triangles; ///< 0: LRD_CLUSTER_TARGET_TRIANGLES
		uint32_t min_triangles;    ///< 0: LRD_CLUSTER_MIN_TRIANGLES, or half of target_triangles where that is less
		float max_extent;          ///< largest side of a cluster's box, object units after `scale`; 0: any
	} clusters;
	lrd_choice tangents; ///< on: made even where nothing reads them or the source has some; off: never made
	struct
	{
		bool on;
		float error; ///< of a part's largest side; 0: LRD_QUANTIZE_ERROR
	} quantize;
	lrd_skin_weights skin_weights;
	bool cpu_access; ///< the game reads meshes on the CPU
	/// Keys go that interpolation gives within this part of the larger of a channel's range and its values' size (of
	/// translations 1 m at most); of rotations, radians. Below 0: every key stays; 0: LRD_CLIP_TOLERANCE.
	float clip_tolerance;
} lrd_model_settings;

/// With every default that is a constant filled in; what depends on the part (lock_borders, tangents) stays auto.
lrd_model_settings lrd_model_settings_resolve(const lrd_model_settings *settings);

/// Settings for one image of a model, over those of the model.
typedef struct lrd_image_settings
{
	lrd_string image; ///< its name in the source, or the file it comes from without folder and extension
	lrd_texture_settings texture;
} lrd_image_settings;

#define LRD_FACE_COUNT 6

/// Everything in force for one source. Zeroed: the defaults.
typedef struct lrd_settings
{
	lrd_string stem; ///< relative to the source's folder; empty: the file's own
	lrd_choice cook; ///< off: never; on: also an image that a model owns; auto: all but those
	lrd_string
		faces[LRD_FACE_COUNT]; ///< image files of a cubemap, relative to the source root; empty: the source alone
	lrd_texture_settings texture;
	lrd_model_settings model;
	const lrd_image_settings *images;
	uint32_t image_count;
} lrd_settings;

/// The project's rules: `larder.json` at a source root, read once.
typedef struct lrd_settings_rules lrd_settings_rules;

/// `rules` is NULL when the root has no larder.json. It lives in the arena, but must be freed before that.
/// Errors: LRD_ERROR_FORMAT with file, line, column: syntax, unknown key, wrong type, out of range; LRD_ERROR_IO;
/// LRD_ERROR_MEMORY.
bool lrd_settings_rules_load(lrd_arena *arena, const char *root, lrd_settings_rules **rules, lrd_error *error);

/// What the project says to the run time ("residency"), as the larder.json of the cooked folder; empty when it says
/// nothing. In the arena. Errors: LRD_ERROR_MEMORY.
bool lrd_settings_rules_residency(
	lrd_arena *arena, const lrd_settings_rules *rules, lrd_string *text, lrd_error *error);

void lrd_settings_rules_free(lrd_settings_rules *rules);

/// Settings for `source` (relative to `root`): its sidecar over those rules whose glob matches it, over the defaults.
/// Strings go into the arena. Errors: as above, for the sidecar.
bool lrd_settings_load(lrd_arena *arena, const lrd_settings_rules *rules, const char *root, lrd_string source,
	lrd_settings *settings, lrd_error *error);

/// The settings in force for a model, or an image, as canonical text, the same for the same settings: part of a cook's
/// key. Appends to `out`.
bool lrd_settings_describe(const lrd_settings *settings, bool is_model, lrd_buffer *out);

/// "models/fox.glb" -> "models/fox.glb.larder.json"; tells a sidecar from a source.
bool lrd_settings_is_sidecar(lrd_string path);

#endif
