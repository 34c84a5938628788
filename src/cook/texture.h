// cook/texture.h: from image files to one KTX 2.0 file. texture_choose.c decides how it is stored, texture.c decodes,
// filters and writes, texture_encode.c encodes levels and measures what was lost, texture_cube.c makes cubemaps,
// texture_pass.c takes over what is encoded already.

#ifndef COOK_TEXTURE_H
#define COOK_TEXTURE_H

#include "cook/recipe_internal.h"
#include "image/cubemap.h"
#include "image/image.h"
#include "larder/texture.h"

/// How texels are stored.
typedef struct lrd_texture_choice
{
	lrd_texture_encoding encoding; ///< never auto
	uint32_t format;               ///< VkFormat
	bool half;                     ///< encoded from half floats, else from 8 bits a channel
	uint8_t block;                 ///< texels of a block's side; 1: no blocks
} lrd_texture_choice;

/// What the choice depends on besides the recipe.
typedef struct lrd_texture_facts
{
	bool hdr;       ///< decoded to floats
	bool has_alpha; ///< some texel's alpha is below the maximum
} lrd_texture_facts;

/// A type whose texels are colours.
bool lrd_texture_type_is_color(lrd_texture_type type);

/// A type of which only R counts.
bool lrd_texture_type_is_single(lrd_texture_type type);

/// The encoding can hold sRGB-encoded colours.
bool lrd_texture_encoding_has_srgb(lrd_texture_encoding encoding);

/// Bytes that a decoded source may take: 1 GiB, or what 8 bits a channel need where the settings take larger ones.
uint64_t lrd_texture_max_bytes(const lrd_texture_settings *settings);

/// Smaller levels are made.
bool lrd_texture_wants_mips(const lrd_texture_recipe *recipe);

lrd_texture_choice lrd_texture_choose(const lrd_texture_recipe *recipe, lrd_texture_facts facts);

/// Texels on their way into a texture: RGBA rows, 8 bits a channel or half floats.
typedef struct lrd_surface
{
	uint32_t width, height;
	void *texels;
} lrd_surface;

#define LRD_MAX_SURFACES (LRD_TEXTURE_MAX_LEVELS * 6)

/// Every level and face of a texture before encoding: [level * face_count + face].
typedef struct lrd_surfaces
{
	uint32_t level_count;
	uint32_t face_count;
	lrd_surface items[LRD_MAX_SURFACES];
} lrd_surfaces;

/// Levels as they will lie in the file: all faces of one after the other.
typedef struct lrd_encoded
{
	uint8_t *levels[LRD_TEXTURE_MAX_LEVELS];
	size_t sizes[LRD_TEXTURE_MAX_LEVELS];
	uint32_t level_count;
	lrd_allocator allocator;
} lrd_encoded;

/// Encode every surface, in pieces over the recipe's jobs, and measure level 0 against what it was made of: fills the
/// report's psnr, alpha_psnr, angle, is_exact. With a `coverage` cutoff, alphas of smaller levels are moved away from
/// it as far as it takes for as many decoded texels to reach it as did before.
bool lrd_texture_encode(const lrd_texture_recipe *recipe, const lrd_texture_choice *choice,
	const lrd_surfaces *surfaces, float coverage, lrd_encoded *encoded, lrd_texture_report *report, lrd_error *error);
void lrd_encoded_free(lrd_encoded *encoded);

/// What is written besides texels.
typedef struct lrd_texture_extras
{
	bool premultiplied;
	float coverage;         ///< 0: none
	const float *harmonics; ///< 27, or NULL
} lrd_texture_extras;

/// The descriptor of a format whose colours are multiplied by alpha, in `words`: LRD_DFD_MAX_WORDS.
lrd_bytes lrd_texture_describe_premultiplied(uint32_t format, uint32_t *words);

/// Encode the surfaces and write the file.
bool lrd_texture_store(const lrd_texture_recipe *recipe, const lrd_texture_choice *choice, const lrd_surfaces *surfaces,
	const lrd_texture_extras *extras, lrd_buffer *out, lrd_texture_report *report, lrd_error *error);

/// A cubemap from one image (panorama, cross, strip) or six.
bool lrd_texture_cook_cube(const lrd_texture_recipe *recipe, const lrd_image *images, uint32_t count, lrd_buffer *out,
	lrd_texture_report *report, lrd_error *error);

/// Width and height are those of a panorama, a cross or a strip.
bool lrd_texture_is_cube_layout(uint32_t width, uint32_t height);

/// KTX 2.0 and DDS: take the file over when it holds blocks or many images and the recipe wants nothing else of it, or
/// cook its faces; `*passed` is then set: it is done. Otherwise decode its first image, and note in the recipe what the
/// format tells. False on failure.
bool lrd_texture_pass(lrd_texture_recipe *recipe, lrd_bytes bytes, bool *passed, lrd_image *image, lrd_buffer *out,
	lrd_texture_report *report, lrd_error *error);

/// Decode the first image in any case.
bool lrd_texture_unpack(lrd_texture_recipe *recipe, lrd_bytes bytes, lrd_image *image, lrd_error *error);

/// The file is one that lrd_texture_pass deals with.
bool lrd_texture_is_container(lrd_bytes bytes);

#endif
