// format/texture_write.c: writing KTX 2.0, one byte sequence for one texture: descriptor from the format table, keys
// sorted, levels smallest first, nothing supercompressed. What comes out is given to the reader before anybody else
// sees it. Source: Khronos "KTX File Format Specification", version 2.0.

#include "format/texture.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"
#include "larder/version.h"
#include "larder/write.h"

#include <inttypes.h>

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
	const lrd_texture_format_row *row;
	lrd_ktx_header header;
	uint32_t dfd[LRD_DFD_MAX_WORDS];
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

static bool plan_header(ktx_plan *plan, const lrd_texture_view *texture, lrd_error *error)
{
	plan->row = lrd_texture_format_find(texture->format);
	if (plan->row == NULL)
	{
		return lrd_fail(
			error, LRD_ERROR_ARGUMENT, "ktx2: format is %" PRIu32 ", which larder does not write", texture->format);
	}
	if (texture->supercompression != LRD_SUPERCOMPRESSION_NONE)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "ktx2: supercompression is %" PRIu32 ", larder writes none (0)",
			texture->supercompression);
	}
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
	header->type_size = plan->row->type_size;
	header->width = texture->width;
	header->height = texture->height;
	header->depth = texture->depth;
	header->layer_count = texture->layer_count;
	header->face_count = texture->face_count;
	header->level_count = texture->generate_mips ? 0 : texture->level_count;
	return true;
}

static bool plan_blocks(ktx_plan *plan, size_t key_values_size, lrd_error *error)
{
	lrd_ktx_header *header = &plan->header;
	header->dfd_offset = (uint32_t)(sizeof *header + plan->level_count * sizeof(lrd_ktx_level));
	header->dfd_size = 4 * lrd_texture_format_describe(plan->row, plan->dfd);
	header->kvd_offset = header->dfd_offset + header->dfd_size;
	if (key_values_size > UINT32_MAX)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT, "ktx2: the keys have %zu bytes, more than 4 GiB", key_values_size);
	}
	header->kvd_size = (uint32_t)key_values_size;
	plan->size = header->kvd_offset + key_values_size;
	return true;
}

static bool plan_levels(ktx_plan *plan, const lrd_texture_view *texture, lrd_error *error)
{
	const lrd_texture_format_row *row = plan->row;
	lrd_dfd_summary block = {
		.block_width = row->block_width, .block_height = row->block_height, .block_bytes = row->block_bytes
	};
	size_t alignment = lrd_ktx_level_alignment(row->block_bytes, LRD_SUPERCOMPRESSION_NONE);
	for (uint32_t level = plan->level_count; level-- > 0;)
	{
		const lrd_texture_level *given = &texture->levels[level];
		uint64_t size;
		if (!lrd_ktx_level_size(texture, &block, level, &size) || size > SIZE_MAX / 2 - plan->size)
		{
			return lrd_fail(error, LRD_ERROR_LIMIT, "ktx2: level %" PRIu32 " is larger than memory", level);
		}
		if (given->size != size || (given->data == NULL && size != 0))
		{
			return lrd_fail(error, LRD_ERROR_ARGUMENT,
				"ktx2: level %" PRIu32 " has %" PRIu64 " bytes%s, must have %" PRIu64 " for its format and extent",
				level, given->size, given->data == NULL ? " (NULL)" : "", size);
		}
		plan->size += (alignment - plan->size % alignment) % alignment;
		plan->levels[level] = (lrd_ktx_level){ plan->size, size, size };
		plan->size += size;
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
	memcpy(bytes + plan->header.dfd_offset, plan->dfd, plan->header.dfd_size);
	uint8_t *at = bytes + plan->header.kvd_offset;
	for (size_t i = 0; i < pairs->count; i++)
	{
		at = put_pair(at, &pairs->items[i]);
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
	bool written = plan_header(&plan, texture, error) && gather_pairs(&pairs, texture, error) &&
				   plan_blocks(&plan, pairs.stored_size, error) && plan_levels(&plan, texture, error) &&
				   write_file(&plan, &pairs, texture, &file, error);
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
