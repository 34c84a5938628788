// pack/payload.c: reading, digesting and compressing one payload; the map from digests to records.

#include "pack/payload.h"

#include "base/digest.h"
#include "base/error.h"
#include "base/zstd_memory.h"

#include <zstd_errors.h>

// What zstd does not shrink by at least this fraction is not worth decoding.
#define WORTH_A_FRACTION_OF 16

bool lrd_pack_payload_map_init(lrd_pack_payload_map *map, const lrd_pack_record *records, uint32_t count,
	lrd_allocator allocator, lrd_error *error)
{
	size_t slot_count = 4;
	while (slot_count / 2 <= count)
	{
		slot_count *= 2;
	}
	*map = (lrd_pack_payload_map){ .records = records, .slot_count = slot_count, .allocator = allocator };
	map->slots = lrd_alloc_zeroed(allocator, slot_count, sizeof *map->slots);
	return map->slots != NULL || lrd_fail_memory(error, "the table of payloads", slot_count * sizeof *map->slots);
}

void lrd_pack_payload_map_free(lrd_pack_payload_map *map)
{
	lrd_free(map->allocator, map->slots, map->slot_count * sizeof *map->slots);
	map->slots = NULL;
}

// The slot that holds this payload, or the empty one where it belongs.
static uint32_t *find_slot(const lrd_pack_payload_map *map, uint64_t size, const uint8_t *sha256)
{
	uint64_t start;
	memcpy(&start, sha256, sizeof start); // a digest is as good as any hash of it
	size_t mask = map->slot_count - 1;
	for (size_t i = (size_t)start & mask;; i = (i + 1) & mask)
	{
		uint32_t *slot = &map->slots[i];
		const lrd_pack_record *record = *slot != 0 ? &map->records[*slot - 1] : NULL;
		if (record == NULL || (record->size == size && memcmp(record->sha256, sha256, LRD_PACK_DIGEST_SIZE) == 0))
		{
			return slot;
		}
	}
}

uint32_t lrd_pack_payload_map_find(const lrd_pack_payload_map *map, uint64_t size, const uint8_t *sha256)
{
	return *find_slot(map, size, sha256) - 1; // an empty slot wraps to LRD_PAYLOAD_NONE
}

uint32_t lrd_pack_payload_map_add(lrd_pack_payload_map *map, uint32_t record)
{
	uint32_t *slot = find_slot(map, map->records[record].size, map->records[record].sha256);
	if (*slot != 0)
	{
		return *slot - 1;
	}
	*slot = record + 1;
	return LRD_PAYLOAD_NONE;
}

// Textures first: they make a payload raw whether it shrinks or not, so a payload that one of them has says nothing
// about compression. It then ends up with a texture's record, by which take_over knows it.
bool lrd_pack_payload_previous_init(
	lrd_pack_payload_previous *previous, const lrd_pack *pack, lrd_allocator allocator, lrd_error *error)
{
	*previous = (lrd_pack_payload_previous){ .pack = pack };
	if (pack == NULL)
	{
		return true;
	}
	const lrd_pack_table *table = &pack->table;
	if (!lrd_pack_payload_map_init(&previous->map, table->records, table->count, allocator, error))
	{
		return false;
	}
	for (int textures = 1; textures >= 0; textures--)
	{
		for (uint32_t i = 0; i < table->count; i++)
		{
			if ((table->records[i].kind == LRD_TEXTURE) == (textures == 1))
			{
				(void)lrd_pack_payload_map_add(&previous->map, i);
				previous->tried_zstd |= table->records[i].compression == LRD_ZSTD;
			}
		}
	}
	return true;
}

bool lrd_pack_payload_load(
	lrd_pack_payload *payload, const lrd_pack_source *source, lrd_allocator allocator, lrd_error *error)
{
	*payload = (lrd_pack_payload){ .file = { .allocator = allocator }, .packed = { .allocator = allocator } };
	payload->bytes = source->bytes;
	if (source->path != NULL)
	{
		if (!lrd_file_read(source->path, &payload->file, error))
		{
			return false;
		}
		payload->bytes = (lrd_bytes){ payload->file.data, payload->file.size };
	}
	if (!lrd_sha256(payload->bytes.data, payload->bytes.size, payload->sha256))
	{
		lrd_pack_payload_free(payload);
		return lrd_fail(error, LRD_ERROR_MEMORY, "out of memory: the SHA-256 of %.*s", LRD_STR_ARG(source->key));
	}
	payload->stored = payload->bytes;
	payload->compression = LRD_STORED;
	return true;
}

void lrd_pack_payload_free(lrd_pack_payload *payload)
{
	lrd_buffer_free(&payload->file);
	lrd_buffer_free(&payload->packed);
	payload->bytes = payload->stored = (lrd_bytes){ 0 };
}

typedef enum take_over_result
{
	TAKEN_OVER,
	NOT_TAKEN_OVER,
	TAKING_OVER_FAILED, // out of memory
} take_over_result;

// Opening an older bundle proves its table, not its payloads: what is taken over is decoded first.
static take_over_result take_over(
	lrd_pack_payload *payload, const lrd_pack_payload_settings *settings, lrd_error *error)
{
	const lrd_pack_payload_previous *previous = &settings->previous;
	size_t size = payload->bytes.size;
	lrd_pack_entry entry;
	if (previous->pack == NULL ||
		!lrd_pack_at(previous->pack, lrd_pack_payload_map_find(&previous->map, size, payload->sha256), &entry) ||
		entry.kind == LRD_TEXTURE)
	{
		return NOT_TAKEN_OVER;
	}
	if (entry.compression == LRD_STORED)
	{
		payload->reused = previous->tried_zstd;
		return payload->reused ? TAKEN_OVER : NOT_TAKEN_OVER;
	}
	void *decoded = lrd_alloc(settings->allocator, size);
	if (decoded == NULL)
	{
		lrd_fail_memory(error, "a payload of the older bundle", size);
		return TAKING_OVER_FAILED;
	}
	lrd_error reason;
	bool read = lrd_pack_read(previous->pack, &entry, decoded, size, &reason);
	bool same = read && memcmp(decoded, payload->bytes.data, size) == 0;
	lrd_free(settings->allocator, decoded, size);
	if (!read && reason.code == LRD_ERROR_MEMORY)
	{
		lrd_fail(error, LRD_ERROR_MEMORY, "%s", reason.message);
		return TAKING_OVER_FAILED;
	}
	if (same)
	{
		payload->stored = (lrd_bytes){ entry.stored, (size_t)entry.stored_size };
		payload->compression = LRD_ZSTD;
		payload->reused = true;
	}
	return same ? TAKEN_OVER : NOT_TAKEN_OVER;
}

// A context each time: what a used one gives may depend on what it was used for (zstd keeps its tables), and bundles
// must not.
static bool compress_zstd(lrd_pack_payload *payload, const lrd_pack_payload_settings *settings, lrd_error *error)
{
	size_t capacity = ZSTD_compressBound(payload->bytes.size);
	if (ZSTD_isError(capacity))
	{
		return true; // larger than zstd takes: stays raw
	}
	payload->packed.data = lrd_alloc(settings->allocator, capacity);
	ZSTD_CCtx *context =
		payload->packed.data != NULL ? ZSTD_createCCtx_advanced(lrd_zstd_memory(&settings->allocator)) : NULL;
	payload->packed.capacity = payload->packed.data != NULL ? capacity : 0;
	if (context == NULL)
	{
		return lrd_fail_memory(error, "compressing a payload", capacity);
	}
	// The content's size is in each frame by default; the checksum shows damage to those who read without the digest.
	size_t result = ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, settings->level);
	result = ZSTD_isError(result) ? result : ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	result = ZSTD_isError(result)
				 ? result
				 : ZSTD_compress2(context, payload->packed.data, capacity, payload->bytes.data, payload->bytes.size);
	ZSTD_freeCCtx(context);
	if (ZSTD_isError(result))
	{
		bool memory = ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation;
		return lrd_fail(error, memory ? LRD_ERROR_MEMORY : LRD_ERROR_UNSUPPORTED, "compressing it: zstd says: %s",
			ZSTD_getErrorName(result));
	}
	payload->packed.size = result;
	return true;
}

static bool is_worth_it(size_t size, size_t stored_size)
{
	return stored_size < size && size - stored_size >= size / WORTH_A_FRACTION_OF + (size % WORTH_A_FRACTION_OF != 0);
}

bool lrd_pack_payload_compress(
	lrd_pack_payload *payload, bool raw, const lrd_pack_payload_settings *settings, lrd_error *error)
{
	if (raw || settings->compression == LRD_STORED || payload->bytes.size == 0)
	{
		return true;
	}
	take_over_result taken = take_over(payload, settings, error);
	if (taken == TAKEN_OVER)
	{
		return true;
	}
	if (taken == TAKING_OVER_FAILED || !compress_zstd(payload, settings, error))
	{
		lrd_pack_payload_free(payload);
		return false;
	}
	if (is_worth_it(payload->bytes.size, payload->packed.size))
	{
		payload->stored = (lrd_bytes){ payload->packed.data, payload->packed.size };
		payload->compression = LRD_ZSTD;
	}
	else
	{
		lrd_buffer_free(&payload->packed);
	}
	return true;
}
