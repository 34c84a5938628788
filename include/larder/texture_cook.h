// larder/texture_cook.h: cooking one image to one texture, and what an artist may say about it. The settings are those
// of the "texture" section of larder.json and of sidecars, key for key. Cook half; any thread.

#ifndef LARDER_TEXTURE_COOK_H
#define LARDER_TEXTURE_COOK_H

#include "larder/base.h"
#include "larder/jobs.h"
#include "larder/material.h"

/// What an image holds.
typedef enum lrd_texture_type
{
	LRD_TEXTURE_TYPE_AUTO,               ///< by the slot that uses it, by its name, else colour
	LRD_TEXTURE_TYPE_ALBEDO,             ///< colour, alpha means coverage
	LRD_TEXTURE_TYPE_NORMAL,             ///< tangent-space normals
	LRD_TEXTURE_TYPE_METALLIC_ROUGHNESS, ///< numbers in several channels
	LRD_TEXTURE_TYPE_OCCLUSION,          ///< numbers in R
	LRD_TEXTURE_TYPE_EMISSIVE,           ///< colour
	LRD_TEXTURE_TYPE_MASK,               ///< numbers in R
	LRD_TEXTURE_TYPE_HEIGHT,             ///< numbers in R
	LRD_TEXTURE_TYPE_CUBEMAP,            ///< radiance from all directions, with levels for rougher surfaces
	LRD_TEXTURE_TYPE_LUT,                ///< a table: neither filtered nor compressed
	LRD_TEXTURE_TYPE_UI,                 ///< colour, shown at its own size
	LRD_TEXTURE_TYPE_COUNT
} lrd_texture_type;

/// How it is stored.
typedef enum lrd_texture_encoding
{
	LRD_ENCODING_AUTO, ///< by target, type and content
	LRD_ENCODING_RGBA8,
	LRD_ENCODING_RGBA16F,
	LRD_ENCODING_BC1,
	LRD_ENCODING_BC3,
	LRD_ENCODING_BC4,
	LRD_ENCODING_BC5,
	LRD_ENCODING_BC6H,
	LRD_ENCODING_BC7,
	LRD_ENCODING_ASTC_4X4,
	LRD_ENCODING_ASTC_5X5,
	LRD_ENCODING_ASTC_6X6,
	LRD_ENCODING_ASTC_8X8,
	LRD_ENCODING_COUNT
} lrd_texture_encoding;

/// The machines that textures are for.
typedef enum lrd_target
{
	LRD_TARGET_DESKTOP, ///< BC7, BC5, BC4, BC6H, BC1
	LRD_TARGET_MOBILE,  ///< ASTC
	LRD_TARGET_RAW,     ///< RGBA8, RGBA16F
	LRD_TARGET_COUNT
} lrd_target;

typedef enum lrd_texture_quality
{
	LRD_QUALITY_NORMAL, ///< for every day
	LRD_QUALITY_FAST,   ///< while working
	LRD_QUALITY_BEST,   ///< for shipping
	LRD_QUALITY_COUNT
} lrd_texture_quality;

typedef enum lrd_mip_choice
{
	LRD_MIP_CHOICE_AUTO, ///< sinc for colours of 8 or 16 bits without alpha, box for the rest
	LRD_MIP_CHOICE_BOX,
	LRD_MIP_CHOICE_SINC,
} lrd_mip_choice;

typedef enum lrd_choice
{
	LRD_CHOICE_AUTO,
	LRD_CHOICE_ON,
	LRD_CHOICE_OFF,
} lrd_choice;

/// Zeroed: the defaults.
typedef struct lrd_texture_settings
{
	lrd_texture_type type;
	lrd_choice srgb;    ///< colours are sRGB-encoded; auto: by the type
	lrd_choice mipmaps; ///< auto: on, but off for ui and lut
	lrd_mip_choice mip_filter;
	lrd_texture_quality quality;
	lrd_texture_encoding format;
	bool perceptual;           ///< BC1, BC3, BC7: errors weighted as the eye does, instead of all channels alike
	bool zstd;                 ///< supercompressed: smaller on disk, but no longer read in ranges and in place
	uint32_t source_limit;     ///< texels that a source's longer side may have, else it is refused; 0: 16384
	uint32_t max_size;         ///< texels of the longer side; coarser mips are taken until it fits; 0: as the image is
	uint32_t min_size;         ///< no level whose longer side is below this; 0: down to 1
	uint32_t level_limit;      ///< "stop_mip" + 1: levels at most; 0: all
	bool premultiply;          ///< colours are stored multiplied by alpha
	lrd_choice alpha_coverage; ///< auto: on for base colours of mask materials
	float alpha_cutoff;        ///< when alpha_coverage is on
	bool normal_flip_y;        ///< green points down in the source, as in DirectX
	bool roughness_from_normals; ///< in a model: lower levels grow rougher where the normal map loses its detail
	uint32_t face_size;          ///< texels of a cubemap's side; 0: a panorama's quarter width, else the faces' own
	bool has_sampler;
	lrd_wrap wrap_u, wrap_v;
	lrd_filter filter;
} lrd_texture_settings;

/// Lay settings that are written as JSON, {"type": "normal", "max_size": 512}, over `settings`. `name` stands before
/// what is wrong in messages. Errors: LRD_ERROR_FORMAT with line and column: syntax, an unknown key, a wrong type,
/// out of range; LRD_ERROR_MEMORY.
LRD_API bool lrd_texture_settings_read(
	lrd_texture_settings *settings, const char *name, lrd_string json, lrd_error *error);

/// "normal", "bc7", "desktop"; lists of every name, as "auto, albedo, normal", are in the errors of the reader.
LRD_API const char *lrd_texture_type_name(lrd_texture_type type);
LRD_API const char *lrd_texture_encoding_name(lrd_texture_encoding encoding);
LRD_API const char *lrd_target_name(lrd_target target);

/// False for a name that is none.
LRD_API bool lrd_target_from_name(lrd_string name, lrd_target *target);

/// Where a texture's type comes from.
typedef enum lrd_texture_clue
{
	LRD_CLUE_DEFAULT,  ///< nothing told: colour
	LRD_CLUE_SETTINGS, ///< the artist said so
	LRD_CLUE_SLOT,     ///< the material slots that use it
	LRD_CLUE_NAME,     ///< "wall_n", "wall_orm", …
} lrd_texture_clue;

LRD_API const char *lrd_texture_clue_name(lrd_texture_clue clue);

/// What became of one texture.
typedef struct lrd_texture_report
{
	lrd_texture_type type;
	lrd_texture_clue clue;
	uint32_t format; ///< VkFormat
	uint32_t width, height;
	uint32_t layer_count; ///< 0 unless an array
	uint32_t face_count;  ///< 1 or 6
	uint32_t level_count;
	uint64_t size;  ///< bytes of the file
	double seconds; ///< of the thread that cooked it
	bool passed;    ///< its texels were taken over as they came, unchanged
	bool
		ignored; ///< passed, though the settings wanted what only texels can follow: a format, premultiplied colours, ...
	bool premultiplied; ///< colours are multiplied by alpha
	bool is_normal;     ///< judged by `angle`, not by `psnr`
	bool
		is_exact; ///< level 0 holds exactly the texels that were to be encoded: those of the image in 8 bits or half floats
	float psnr;       ///< dB over the channels that count, of level 0; HDR: of x / (1 + x)
	float alpha_psnr; ///< dB; infinity when exact or without alpha
	float angle;      ///< mean degrees between the normals of level 0 and what they were made of
	float angle_max;
	uint64_t clamped; ///< values that were not finite, or beyond what the format holds
} lrd_texture_report;

typedef struct lrd_texture_cook_desc
{
	const lrd_bytes *images; ///< image files: one; or the six faces of a cubemap, +X -X +Y -Y +Z -Z
	uint32_t image_count;    ///< 1 or 6
	lrd_string name;         ///< the image's file name, for the clue that it gives and for messages; may be empty
	const lrd_texture_settings *settings; ///< NULL: the defaults
	lrd_target target;
	/// Rows of blocks go there too, with this thread taking its share; NULL: this thread alone. Jobs that come when none is
	/// left may end after the call: they look at nothing but memory of `allocator`, which they give back.
	const lrd_jobs *jobs;
	lrd_allocator allocator; ///< zeroed: malloc
} lrd_texture_cook_desc;

/// Cook an image to a KTX 2.0 file in `out`, whose allocator is used; what it held before is replaced. PNG, JPEG, WebP,
/// TGA, BMP, PSD, HDR and EXR are filtered and encoded; KTX 2.0 and DDS that hold blocks, arrays, volumes or, in KTX 2.0,
/// cubemaps pass through with their levels, layers and faces, unless the target samples no such blocks; others are
/// decoded and cooked like the rest.
/// `report` may be NULL. Errors: LRD_ERROR_FORMAT, LRD_ERROR_UNSUPPORTED, LRD_ERROR_LIMIT, LRD_ERROR_MEMORY,
/// LRD_ERROR_ARGUMENT (settings that the image can't follow: faces of different sizes, no layout of a cubemap).
LRD_API bool lrd_texture_cook(
	const lrd_texture_cook_desc *desc, lrd_buffer *out, lrd_texture_report *report, lrd_error *error);

#endif
