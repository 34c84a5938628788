// format/texture_write.c: writing KTX 2.0, one byte sequence for one texture: descriptor from the format table, keys
// sorted, levels smallest first, supercompressed by nothing, by Zstandard, or as they are given. What comes out is given
// to the reader before anybody else sees it. Source: Khronos "KTX File Format Specification", version 2.0.

#include "format/texture.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/zstd_memory.h"
#include "larder/material.h"
#include "larder/version.h"
#include "larder/write.h"

#include <inttypes.h>
#include <stdio.h>
#include <zstd_errors.h>

typedef struct pair_list
{
	lrd_allocator allocator;
	lrd_ktx_pair *items;
	size_t count;
	size_t capacity;
	size_t stored_size; ///< of all, as they will stand in the file
} pair_list;

/// Where everything will stand.
typedef struct ktx_plan
{
	const lrd_texture_format_row *row; ///< NULL: a universal format
	lrd_dfd_summary block;
	lrd_ktx_header header;
	uint32_t own_dfd[LRD_DFD_MAX_WORDS];
	lrd_bytes dfd; ///< own_dfd or what was given
	lrd_ktx_level levels[LRD_TEXTURE_MAX_LEVELS];
	uint32_t level_count;
	size_t size;
} ktx_plan;

// Keys.

static lrd_ktx_pair pair_from(lrd_string key, lrd_bytes value)
{
	size_t size = sizeof(uint32_t) + key.size + 1 + value.size;
	return (lrd_ktx_pair){ key, value, lrd_align_up(size, 4) };
}

static uint8_t *put_pair(uint8_t *at, const lrd_ktx_pair *pair)
{
	uint32_t size = (uint32_t)(pair->key.size + 1 + pair->value.size);
	memcpy(at, &size, sizeof size);
	memcpy(at + sizeof size, pair->key.data, pair->key.size);
	at[sizeof size + pair->key.size] = 0;
	if (pair->value.size > 0)
	{
		memcpy(at + sizeof size + pair->key.size + 1, pair->value.data, pair->value.size);
	}
	return at + pair->stored_size; // the padding is zero already
}

bool lrd_texture_add_key(lrd_buffer *key_values, lrd_string key, lrd_bytes value, lrd_error *error)
{
	static const lrd_string byte_order_mark = { "\xef\xbb\xbf", 3 };
	if (key.size == 0 || memchr(key.data, 0, key.size) != NULL || !lrd_utf8_valid(key) ||
		lrd_string_starts_with(key, byte_order_mark))
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT,
			"ktx2: a key of %zu bytes is not text of one character or more, UTF-8 without NUL or a byte order mark",
			key.size);
	}
	size_t most = UINT32_MAX - 8; // so that a length and its padding fit too
	if (key.size > most || value.size > most - key.size)
	{
		return lrd_fail(
			error, LRD_ERROR_LIMIT, "ktx2: key \"%.*s\" with its value is larger than 4 GiB", LRD_STR_ARG(key));
	}
	lrd_ktx_pair pair = pair_from(key, value);
	uint8_t *at = lrd_buffer_extend(key_values, pair.stored_size);
	if (at == NULL)
	{
		return lrd_fail_memory(error, "a texture's keys", pair.stored_size);
	}
	put_pair(at, &pair);
	return true;
}

bool lrd_texture_add_sampler(lrd_buffer *key_values, const lrd_texture_sampling *sampling, lrd_error *error)
{
	if (sampling->wrap_u > LRD_WRAP_MIRROR || sampling->wrap_v > LRD_WRAP_MIRROR || sampling->filter > LRD_FILTER_POINT)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "ktx2: a sampler of wrap %u and %u, filter %u", sampling->wrap_u,
			sampling->wrap_v, sampling->filter);
	}
	char text[64];
	int size =
		snprintf(text, sizeof text, "wrap_u=%s wrap_v=%s filter=%s", lrd_texture_wrap_words[sampling->wrap_u].data,
			lrd_texture_wrap_words[sampling->wrap_v].data, lrd_texture_filter_words[sampling->filter].data);
	return lrd_texture_add_key(
		key_values, LRD_STR(LRD_TEXTURE_KEY_SAMPLER), (lrd_bytes){ text, (size_t)size + 1 }, error);
}

// Of a number's key the specification wants that its length with NUL is a multiple of the number's size
// ("keyAndValue"), so that it is aligned in the file.
static_assert(sizeof LRD_TEXTURE_KEY_COVERAGE % sizeof(float) == 0, "larder.coverage");
static_assert(sizeof LRD_TEXTURE_KEY_HARMONICS % sizeof(float) == 0, "larder.harmonics.l2");

bool lrd_texture_add_coverage(lrd_buffer *key_values, float cutoff, lrd_error *error)
{
	return lrd_texture_add_key(
		key_values, LRD_STR(LRD_TEXTURE_KEY_COVERAGE), (lrd_bytes){ &cutoff, sizeof cutoff }, error);
}

bool lrd_texture_add_harmonics(lrd_buffer *key_values, const float harmonics[27], lrd_error *error)
{
	return lrd_texture_add_key(
		key_values, LRD_STR(LRD_TEXTURE_KEY_HARMONICS), (lrd_bytes){ harmonics, 27 * sizeof *harmonics }, error);
}

/// Insert where the order of keys wants it ("Key/Value Data": by code point, which in UTF-8 is by byte).
static bool insert_pair(pair_list *list, const lrd_ktx_pair *pair, lrd_error *error)
{
	if (!LRD_RESERVE(list->allocator, list->items, list->count, 1, list->capacity))
	{
		return lrd_fail_memory(error, "a texture's keys", (list->count + 1) * sizeof *list->items);
	}
	size_t at = list->count;
	for (; at > 0 && lrd_string_compare(list->items[at - 1].key, pair->key) > 0; at--)
	{
		list->items[at] = list->items[at - 1];
	}
	list->items[at] = *pair;
	list->count++;
	list->stored_size += pair->stored_size;
	return true;
}

static bool add_default(
	pair_list *list, const lrd_texture_view *texture, lrd_string key, const char *text, lrd_error *error)
{
	lrd_bytes present;
	if (lrd_texture_find_key(texture, key, &present))
	{
		return true;
	}
	lrd_ktx_pair pair = pair_from(key, (lrd_bytes){ text, strlen(text) + 1 });
	return insert_pair(list, &pair, error);
}

static bool gather_pairs(pair_list *list, const lrd_texture_view *texture, lrd_error *error)
{
	lrd_ktx_pair pair;
	size_t position = 0;
	const char *reason;
	while (lrd_ktx_next_pair(texture->key_values, &position, &pair, &reason))
	{
		if (!insert_pair(list, &pair, error))
		{
			return false;
		}
	}
	if (reason != NULL)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "ktx2: key/value pair %zu: %s", list->count, reason);
	}
	const char *orientation = texture->depth != 0 ? "rdi" : texture->height != 0 ? "rd" : "r";
	return add_default(list, texture, LRD_STR("KTXwriter"), "larder " LRD_VERSION_STRING, error) &&
		   add_default(list, texture, LRD_STR("KTXorientation"), orientation, error);
}

// The file.

static bool plan_descriptor(ktx_plan *plan, const lrd_texture_view *texture, lrd_error *error)
{
	plan->row = lrd_texture_format_find(texture->format);
	plan->dfd = texture->dfd;
	if (plan->row == NULL && texture->format != LRD_TEXTURE_UNDEFINED)
	{
		return lrd_fail(
			error, LRD_ERROR_ARGUMENT, "ktx2: format is %" PRIu32 ", which larder does not write", texture->format);
	}
	if (plan->row != NULL && plan->dfd.size == 0)
	{
		uint32_t words = lrd_texture_format_describe(plan->row, plan->own_dfd);
		plan->dfd = (lrd_bytes){ plan->own_dfd, words * sizeof plan->own_dfd[0] };
	}
	if (plan->dfd.size > UINT32_MAX || (uintptr_t)plan->dfd.data % 4 != 0)
	{
		return lrd_fail(
			error, LRD_ERROR_ARGUMENT, "ktx2: dfd has %zu bytes, not aligned to 4 or more than 4 GiB", plan->dfd.size);
	}
	lrd_error reason;
	return lrd_dfd_check(plan->dfd, plan->row, texture->supercompression, &plan->block, &reason) ||
		   lrd_fail(error, LRD_ERROR_ARGUMENT, "%s", reason.message);
}

static bool plan_header(ktx_plan *plan, const lrd_texture_view *texture, lrd_error *error)
{
	if (texture->level_count == 0 || texture->level_count > LRD_TEXTURE_MAX_LEVELS ||
		(texture->generate_mips && texture->level_count != 1))
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "ktx2: level_count is %" PRIu32 ", must be 1%s",
			texture->level_count, texture->generate_mips ? " where the loader makes the mips" : " to 32");
	}
	plan->level_count = texture->level_count;
	lrd_ktx_header *header = &plan->header;
	memcpy(header->identifier, lrd_ktx_identifier, sizeof header->identifier);
	header->format = texture->format;
	header->type_size = plan->row != NULL ? plan->row->type_size : 1;
	header->width = texture->width;
	header->height = texture->height;
	header->depth = texture->depth;
	header->layer_count = texture->layer_count;
	header->face_count = texture->face_count;
	header->level_count = texture->generate_mips ? 0 : texture->level_count;
	header->supercompression = texture->supercompression;
	return true;
}

static bool plan_blocks(ktx_plan *plan, const lrd_texture_view *texture, size_t key_values_size, lrd_error *error)
{
	lrd_ktx_header *header = &plan->header;
	uint64_t dfd_offset = sizeof *header + plan->level_count * sizeof(lrd_ktx_level);
	uint64_t kvd_offset = dfd_offset + plan->dfd.size;
	if (key_values_size > UINT32_MAX || kvd_offset > UINT32_MAX)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT, "ktx2: the keys have %zu bytes, the descriptor %zu, more than 4 GiB",
			key_values_size, plan->dfd.size);
	}
	header->dfd_offset = (uint32_t)dfd_offset;
	header->dfd_size = (uint32_t)plan->dfd.size;
	header->kvd_offset = (uint32_t)kvd_offset;
	header->kvd_size = (uint32_t)key_values_size;
	plan->size = header->kvd_offset + key_values_size;
	if (texture->supercompression_global.size > 0)
	{
		header->sgd_offset = lrd_align_up(plan->size, 8);
		header->sgd_size = texture->supercompression_global.size;
		if (!lrd_add_size((size_t)header->sgd_offset, texture->supercompression_global.size, &plan->size) ||
			plan->size > SIZE_MAX / 2)
		{
			return lrd_fail(error, LRD_ERROR_LIMIT, "ktx2: the global data is larger than memory");
		}
	}
	return true;
}

static bool plan_level(ktx_plan *plan, const lrd_texture_view *texture, uint32_t level, lrd_error *error)
{
	const lrd_texture_level *given = &texture->levels[level];
	bool plain = texture->supercompression == LRD_SUPERCOMPRESSION_NONE;
	uint64_t exact;
	if (!lrd_ktx_level_size(texture, &plan->block, level, &exact) || given->size > SIZE_MAX / 2 - plan->size)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT, "ktx2: level %" PRIu32 " is larger than memory", level);
	}
	if ((plain && given->size != exact) || (given->data == NULL && given->size != 0))
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT,
			"ktx2: level %" PRIu32 " has %" PRIu64 " bytes%s, must have %" PRIu64 " for its format and extent", level,
			given->size, given->data == NULL ? " (NULL)" : "", plain ? exact : given->size);
	}
	size_t alignment = lrd_ktx_level_alignment(plan->block.block_bytes, texture->supercompression);
	plan->size += (alignment - plan->size % alignment) % alignment;
	plan->levels[level] = (lrd_ktx_level){ plan->size, given->size, plain ? exact : given->decoded_size };
	plan->size += given->size;
	return true;
}

static bool plan_levels(ktx_plan *plan, const lrd_texture_view *texture, lrd_error *error)
{
	for (uint32_t level = plan->level_count; level-- > 0;)
	{
		if (!plan_level(plan, texture, level, error))
		{
			return false;
		}
	}
	return true;
}

static bool write_file(
	const ktx_plan *plan, const pair_list *pairs, const lrd_texture_view *texture, lrd_buffer *file, lrd_error *error)
{
	uint8_t *bytes = lrd_buffer_extend(file, plan->size);
	if (bytes == NULL)
	{
		return lrd_fail_memory(error, "a texture's file", plan->size);
	}
	memcpy(bytes, &plan->header, sizeof plan->header);
	memcpy(bytes + sizeof plan->header, plan->levels, plan->level_count * sizeof plan->levels[0]);
	memcpy(bytes + plan->header.dfd_offset, plan->dfd.data, plan->dfd.size);
	uint8_t *at = bytes + plan->header.kvd_offset;
	for (size_t i = 0; i < pairs->count; i++)
	{
		at = put_pair(at, &pairs->items[i]);
	}
	if (plan->header.sgd_size > 0)
	{
		memcpy(bytes + plan->header.sgd_offset, texture->supercompression_global.data, plan->header.sgd_size);
	}
	for (uint32_t level = 0; level < plan->level_count; level++)
	{
		if (plan->levels[level].size > 0)
		{
			memcpy(bytes + plan->levels[level].offset, texture->levels[level].data, plan->levels[level].size);
		}
	}
	lrd_texture_view view;
	lrd_error reason;
	if (!lrd_texture_open(bytes, plan->size, &view, &reason))
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "%s", reason.message);
	}
	return true;
}

bool lrd_texture_write(const lrd_texture_view *texture, lrd_buffer *out, lrd_error *error)
{
	ktx_plan plan = { 0 };
	pair_list pairs = { .allocator = out->allocator };
	lrd_buffer file = { .allocator = out->allocator };
	bool written = plan_descriptor(&plan, texture, error) && plan_header(&plan, texture, error) &&
				   gather_pairs(&pairs, texture, error) && plan_blocks(&plan, texture, pairs.stored_size, error) &&
				   plan_levels(&plan, texture, error) && write_file(&plan, &pairs, texture, &file, error);
	lrd_free(pairs.allocator, pairs.items, pairs.capacity * sizeof *pairs.items);
	lrd_buffer_free(out); // not before: the view may lead into it
	if (!written)
	{
		lrd_buffer_free(&file);
		return false;
	}
	*out = file;
	return true;
}

// Zstandard.

static bool deflate_level(
	ZSTD_CCtx *context, const lrd_texture_level *level, uint32_t index, lrd_buffer *packed, lrd_error *error)
{
	size_t capacity = ZSTD_compressBound((size_t)level->size);
	uint8_t *bytes = ZSTD_isError(capacity) ? NULL : lrd_buffer_extend(packed, capacity);
	if (bytes == NULL)
	{
		return lrd_fail_memory(error, "compressing a level", (size_t)level->size);
	}
	size_t size = ZSTD_compress2(context, bytes, capacity, level->data, (size_t)level->size);
	if (ZSTD_isError(size))
	{
		bool memory = ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation;
		return lrd_fail(error, memory ? LRD_ERROR_MEMORY : LRD_ERROR_UNSUPPORTED,
			"ktx2: compressing level %" PRIu32 ": zstd says: %s", index, ZSTD_getErrorName(size));
	}
	packed->size = size;
	return true;
}

static bool deflate_levels(
	ZSTD_CCtx *context, const lrd_texture_view *texture, lrd_texture_view *view, lrd_buffer *packed, lrd_error *error)
{
	if (context == NULL)
	{
		return lrd_fail_memory(error, "zstd's encoder", ZSTD_estimateCCtxSize(1));
	}
	for (uint32_t i = 0; i < texture->level_count; i++)
	{
		const lrd_texture_level *level = &texture->levels[i];
		if (level->data == NULL || level->size == 0)
		{
			return lrd_fail(error, LRD_ERROR_ARGUMENT,
				"ktx2: level %" PRIu32 " has %" PRIu64 " bytes%s, none to compress", i, level->size,
				level->data == NULL ? " (NULL)" : "");
		}
		if (!deflate_level(context, level, i, &packed[i], error))
		{
			return false;
		}
		view->levels[i] =
			(lrd_texture_level){ .data = packed[i].data, .size = packed[i].size, .decoded_size = level->size };
	}
	return true;
}

static bool check_deflatable(const lrd_texture_view *texture, int zstd_level, lrd_error *error)
{
	if (texture->supercompression != LRD_SUPERCOMPRESSION_NONE || texture->level_count > LRD_TEXTURE_MAX_LEVELS)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT,
			"ktx2: supercompression is %" PRIu32 " and level_count %" PRIu32 ", must be 0 and at most 32",
			texture->supercompression, texture->level_count);
	}
	return (zstd_level >= 0 && zstd_level <= ZSTD_maxCLevel()) ||
		   lrd_fail(
			   error, LRD_ERROR_ARGUMENT, "ktx2: zstd's level is %d, must be 0 to %d", zstd_level, ZSTD_maxCLevel());
}

bool lrd_texture_write_zstd(const lrd_texture_view *texture, int zstd_level, lrd_buffer *out, lrd_error *error)
{
	lrd_allocator allocator = out->allocator;
	lrd_buffer packed[LRD_TEXTURE_MAX_LEVELS];
	for (uint32_t i = 0; i < LRD_TEXTURE_MAX_LEVELS; i++)
	{
		packed[i] = (lrd_buffer){ .allocator = allocator };
	}
	bool written = check_deflatable(texture, zstd_level, error);
	if (written)
	{
		lrd_texture_view view = *texture;
		view.supercompression = LRD_SUPERCOMPRESSION_ZSTD;
		ZSTD_CCtx *context = ZSTD_createCCtx_advanced(lrd_zstd_memory(&allocator));
		if (context != NULL)
		{
			// Both are in range, and setting them takes no memory.
			(void)ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, zstd_level);
			(void)ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
		}
		written = deflate_levels(context, texture, &view, packed, error);
		ZSTD_freeCCtx(context);
		written = written && lrd_texture_write(&view, out, error);
	}
	for (uint32_t i = 0; i < LRD_TEXTURE_MAX_LEVELS; i++)
	{
		lrd_buffer_free(&packed[i]);
	}
	if (!written)
	{
		lrd_buffer_free(out);
	}
	return written;
}
