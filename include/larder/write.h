// larder/write.h: writing cooked files. Each writer takes the view that the format's reader gives, so that what was
// read can be written again byte for byte. Cook half; any thread.

#ifndef LARDER_WRITE_H
#define LARDER_WRITE_H

#include "larder/clip.h"
#include "larder/material.h"
#include "larder/mesh.h"
#include "larder/model.h"
#include "larder/skeleton.h"
#include "larder/texture.h"

/// Write a cooked file into `out`, whose allocator is used; what it held before is replaced.
/// What is written passes the format's own reader: a view that breaks a rule is refused with LRD_ERROR_ARGUMENT and the
/// rule. On failure `out` is empty. Errors: LRD_ERROR_MEMORY, LRD_ERROR_ARGUMENT, LRD_ERROR_LIMIT (larger than the
/// format can say).
LRD_API bool lrd_mesh_write(const lrd_mesh_view *mesh, lrd_buffer *out, lrd_error *error);
LRD_API bool lrd_material_write(const lrd_material_view *material, lrd_buffer *out, lrd_error *error);
LRD_API bool lrd_model_write(const lrd_model_view *model, lrd_buffer *out, lrd_error *error);
LRD_API bool lrd_skeleton_write(const lrd_skeleton_view *skeleton, lrd_buffer *out, lrd_error *error);
LRD_API bool lrd_clip_write(const lrd_clip_view *clip, lrd_buffer *out, lrd_error *error);

/// Write KTX 2.0. `format` is any that lrd_texture_format_name knows; the descriptor and typeSize come from it unless
/// `dfd` has a descriptor, which must suit it; `type_size` and the levels' offsets are ignored. Format 0 (UASTC, and
/// ETC1S with its global data) needs a descriptor. Levels have the exact sizes that format and extent give; where
/// `supercompression` says something they are taken as stored, with the exact size as decoded_size (0 under BasisLZ).
/// Key/values: those of `key_values` (already in the file's form, see lrd_texture_add_key) with KTXwriter and
/// KTXorientation added where missing, sorted as the specification says. Errors as above.
LRD_API bool lrd_texture_write(const lrd_texture_view *texture, lrd_buffer *out, lrd_error *error);

/// The same, each level compressed by Zstandard at `zstd_level` (0: 3, up to 22). `supercompression` must be none. For
/// distribution: such a level can't be read by part, nor given to a GPU as it lies in the file.
LRD_API bool lrd_texture_write_zstd(const lrd_texture_view *texture, int zstd_level, lrd_buffer *out, lrd_error *error);

/// Append one key/value pair in KTX 2.0's form to `key_values`. On failure nothing changed.
/// Errors: LRD_ERROR_ARGUMENT (a key that is empty, not UTF-8, or holds NUL), LRD_ERROR_LIMIT (4 GiB),
/// LRD_ERROR_MEMORY.
LRD_API bool lrd_texture_add_key(lrd_buffer *key_values, lrd_string key, lrd_bytes value, lrd_error *error);

/// Append larder's own keys: what lrd_texture_sampler, _coverage and _harmonics read. Errors as above, and
/// LRD_ERROR_ARGUMENT for values that these would not give.
LRD_API bool lrd_texture_add_sampler(lrd_buffer *key_values, const lrd_texture_sampling *sampling, lrd_error *error);
LRD_API bool lrd_texture_add_coverage(lrd_buffer *key_values, float cutoff, lrd_error *error);
LRD_API bool lrd_texture_add_harmonics(lrd_buffer *key_values, const float harmonics[27], lrd_error *error);

/// Pack a unit vector as LRD_FORMAT_OCT_SNORM16X2, worst error 0.004 degrees.
LRD_API void lrd_oct_encode(lrd_vec3 vector, int16_t oct[2]);

/// Pack a tangent (w: the bitangent's sign) as LRD_FORMAT_OCT_TANGENT16X2.
LRD_API void lrd_oct_tangent_encode(lrd_vec4 tangent, int16_t oct[2]);

/// A string block in the making: each distinct string once.
typedef struct lrd_text_table lrd_text_table;

/// NULL when memory runs out. Zeroed allocator: malloc.
LRD_API lrd_text_table *lrd_text_table_create(lrd_allocator allocator);
LRD_API void lrd_text_table_destroy(lrd_text_table *table);

/// Where `string` stands in the block, adding it when it is new. False: LRD_ERROR_MEMORY, LRD_ERROR_LIMIT, or
/// LRD_ERROR_ARGUMENT (not UTF-8, or holds NUL).
LRD_API bool lrd_text_table_add(lrd_text_table *table, lrd_string string, lrd_text *text, lrd_error *error);

/// The block so far; valid until the next add.
LRD_API lrd_string lrd_text_table_block(const lrd_text_table *table);

#endif
