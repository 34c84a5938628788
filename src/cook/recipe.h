// cook/recipe.h: what one source yields: a list of cooked files, each made by itself on any thread. The craft of the
// cook is behind it (model_*.c, image_recipe.c); reading sources, writing files and knowing what is up to date is the
// driver's.

#ifndef COOK_RECIPE_H
#define COOK_RECIPE_H

#include "cook/settings.h"
#include "larder/cook.h"
#include "larder/document.h"

/// One cooked file of a recipe.
typedef struct lrd_recipe_output
{
	lrd_string path; ///< relative to the output folder, with extension
	lrd_kind kind;
	uint32_t stage; ///< 0 or 1; those of stage 1 are made after all of stage 0
} lrd_recipe_output;

typedef struct lrd_recipe lrd_recipe;

typedef struct lrd_recipe_desc
{
	const char *root;             ///< source root, for external images
	lrd_string source;            ///< relative to the root; names the source in messages
	lrd_string stem;              ///< "models/fox"
	const lrd_settings *settings; ///< outlives the recipe, as do root, source and stem
	lrd_target target;
	const lrd_jobs *jobs; ///< for tasks that spread over idle workers; NULL: none do
	lrd_allocator allocator;
} lrd_recipe_desc;

/// A model's recipe. The document must outlive it. NULL on failure.
lrd_recipe *lrd_recipe_model(const lrd_recipe_desc *desc, const lrd_document *document, lrd_error *error);

/// A loose image's recipe: one texture, of one file or of six faces, whose bytes must outlive it.
lrd_recipe *lrd_recipe_image(
	const lrd_recipe_desc *desc, const lrd_bytes *files, uint32_t file_count, lrd_error *error);

void lrd_recipe_destroy(lrd_recipe *recipe);

const lrd_recipe_output *lrd_recipe_outputs(const lrd_recipe *recipe, uint32_t *count);

/// Make one output into `out` (whose allocator is the recipe's). An `out` left empty: it turned out that there is
/// nothing to write, and a warning says why. Different outputs of one stage may be made on several threads at once.
bool lrd_recipe_make(lrd_recipe *recipe, uint32_t output, lrd_buffer *out, lrd_error *error);

/// What became of an output that is a texture, a mesh, a skeleton or a clip; NULL for others, and for what was not
/// written. After it is made.
const lrd_texture_report *lrd_recipe_texture(const lrd_recipe *recipe, uint32_t output);
const lrd_mesh_report *lrd_recipe_mesh(const lrd_recipe *recipe, uint32_t output);
const lrd_skeleton_report *lrd_recipe_skeleton(const lrd_recipe *recipe, uint32_t output);
const lrd_clip_report *lrd_recipe_clip(const lrd_recipe *recipe, uint32_t output);

/// Repairs and losses noticed while planning and making, in the same order whatever the threads. Valid until the recipe
/// is destroyed. After every output is made. NULL with a count of 0 when there are none; false when memory runs out.
bool lrd_recipe_warnings(lrd_recipe *recipe, const lrd_document_warning **warnings, uint32_t *count, lrd_error *error);

#endif
