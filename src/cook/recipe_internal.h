// cook/recipe_internal.h: what the two sorts of recipe share: outputs, notes, names.

#ifndef COOK_RECIPE_INTERNAL_H
#define COOK_RECIPE_INTERNAL_H

#include "cook/recipe.h"
#include "larder/cook.h"

/// Warnings of one task, in the order they were noted. Each task has its own, so that no lock is needed and the order
/// is fixed.
typedef struct lrd_notes
{
	lrd_allocator allocator;
	lrd_arena *arena; ///< made by the first note
	lrd_document_warning *items;
	size_t count;
	size_t capacity;
} lrd_notes;

/// Note `count` occurrences of something; a count of 0 is no note. False when memory runs out.
bool lrd_note(lrd_notes *notes, const char *kind, uint32_t count, lrd_error *error, const char *format, ...)
	LRD_PRINTF(5, 6);

struct lrd_recipe
{
	lrd_allocator allocator;
	lrd_arena *arena; ///< plan and outputs; not touched by tasks
	const char *root;
	lrd_string source;
	lrd_string stem;
	const lrd_settings *settings;
	lrd_target target;
	const lrd_jobs *jobs;
	lrd_recipe_output *outputs;
	uint32_t output_count;
	lrd_notes plan_notes;
	lrd_notes *notes;               ///< one an output
	lrd_texture_report *textures;   ///< one an output; level_count 0 where it is no texture
	lrd_mesh_report *meshes;        ///< one an output; lod_count 0 where it is no mesh
	lrd_skeleton_report *skeletons; ///< one an output; 0 joints where it is no skeleton
	lrd_clip_report *clips;         ///< one an output; of those that are clips
	bool (*make)(struct lrd_recipe *recipe, uint32_t output, lrd_buffer *out, lrd_error *error);
	void (*destroy)(struct lrd_recipe *recipe); ///< frees what is not in the arena; NULL: everything is
};

/// A recipe of `size` bytes whose first member is an lrd_recipe, zeroed but for the arena and what `desc` says.
void *lrd_recipe_create(const lrd_recipe_desc *desc, size_t size, lrd_error *error);

/// Set the outputs, with notes for each; `outputs` is in the recipe's arena.
bool lrd_recipe_set_outputs(lrd_recipe *recipe, lrd_recipe_output *outputs, uint32_t count, lrd_error *error);

/// Names given out so far in one name space.
typedef struct lrd_names
{
	lrd_arena *arena;
	struct lrd_name_row *rows; ///< open addressing by folded hash
	uint32_t capacity;
	uint32_t count;
} lrd_names;

/// A file name piece for an authored name: characters outside [A-Za-z0-9_.-] become "_", an empty name takes `index`,
/// and one that is taken (ignoring case) gets ".2", ".3", …
bool lrd_names_claim(lrd_names *names, lrd_string authored, uint32_t index, lrd_string *name, lrd_error *error);

/// What a texture is cooked as.
typedef struct lrd_texture_recipe
{
	lrd_texture_type type; ///< decided, never auto
	lrd_texture_clue clue; ///< by what
	bool color;            ///< sRGB
	bool ignore_gamma;     ///< what the file says of its encoding does not count
	bool alpha_weighted;   ///< alpha means coverage
	float alpha_cutoff;    ///< coverage to keep; 0: off
	bool drops_alpha;      ///< nobody samples alpha: it is made opaque, unless the target is raw
	bool two_channel;      ///< normals without Z
	bool flips_y;          ///< normals whose green points down
	lrd_wrap wrap_u, wrap_v;
	lrd_bytes roughness_normals; ///< the encoded normal map whose lost detail makes lower levels rougher; or empty
	const lrd_texture_settings *settings;
	lrd_target target;
	const lrd_jobs *jobs; ///< or NULL
	lrd_allocator allocator;
} lrd_texture_recipe;

/// Cook image files (one, or six faces) to KTX 2.0. `report` may be NULL.
bool lrd_cook_texture_files(const lrd_texture_recipe *recipe, const lrd_bytes *files, uint32_t count, lrd_buffer *out,
	lrd_texture_report *report, lrd_error *error);

/// Decide type, colour space and what alpha means of an image that no model uses, by its settings and its name without
/// extension.
void lrd_texture_recipe_decide(lrd_texture_recipe *recipe, lrd_string name);

/// Warn of what a texture's cook brought into range.
bool lrd_note_texture(lrd_notes *notes, lrd_string path, const lrd_texture_report *report, lrd_error *error);

/// The type a texture's file name tells ("wall_n", "WallNormal", "wall_orm", …); LRD_TEXTURE_TYPE_AUTO when it tells
/// none. `flips_y`: its green points down ("wall_normal_dx").
lrd_texture_type lrd_texture_type_from_name(lrd_string name, bool *flips_y);

#endif
