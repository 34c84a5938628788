// Opens the input as a bundle, as it is and with its table's hash made right, looks up every key and reads, checks and
// prints everything. What opening promises is required of what it let pass.

#include "base/hash.h"
#include "base/json.h"
#include "larder/pack_write.h"
#include "pack/layout.h"

#include <stdlib.h>

#define LARGEST_BLOCK ((size_t)16 << 20) // payloads may claim to be large, and then memory must be allowed to run out

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
	{
		abort();
	}
}

static void *resize_within(void *user, void *block, size_t old_size, size_t new_size)
{
	(void)user;
	(void)old_size;
	if (new_size == 0)
	{
		free(block);
		return NULL;
	}
	return new_size <= LARGEST_BLOCK ? realloc(block, new_size) : NULL;
}

static void read_entry(const lrd_pack *pack, const lrd_pack_entry *entry)
{
	lrd_error error = { 0 };
	if (entry->size > LARGEST_BLOCK)
	{
		return;
	}
	uint8_t *bytes = malloc((size_t)entry->size + 1);
	require(bytes != NULL);
	require(lrd_pack_read(pack, entry, bytes, entry->size, &error) || error.code == LRD_ERROR_FORMAT);
	free(bytes);
}

static void look_up(const lrd_pack *pack, uint32_t i, const uint8_t *bytes, size_t size)
{
	lrd_pack_entry entry;
	lrd_pack_entry found;
	require(lrd_pack_at(pack, i, &entry));
	const uint8_t *stored = entry.stored;
	require(stored >= bytes && entry.stored_size <= size && (size_t)(stored - bytes) <= size - entry.stored_size);
	require(entry.key.size != 0 && entry.kind != LRD_KIND_NONE && entry.kind < LRD_KIND_COUNT);
	if (lrd_pack_find(pack, entry.key, &found))
	{
		require(lrd_string_equal(found.key, entry.key) || found.key.size == entry.key.size);
		read_entry(pack, &found);
	}
	read_entry(pack, &entry);
}

// Two payloads are the same range or do not touch; few enough records that all pairs can be looked at.
static void require_no_overlap(const lrd_pack *pack)
{
	lrd_pack_entry a;
	lrd_pack_entry b;
	for (uint32_t i = 0; i < 64 && lrd_pack_at(pack, i, &a); i++)
	{
		for (uint32_t k = 0; k < i && lrd_pack_at(pack, k, &b); k++)
		{
			const uint8_t *x = a.stored;
			const uint8_t *y = b.stored;
			bool same = x == y && a.stored_size == b.stored_size && a.size == b.size && a.compression == b.compression;
			require(same || x + a.stored_size <= y || y + b.stored_size <= x);
		}
	}
}

static void print(const lrd_pack *pack)
{
	lrd_buffer text = { 0 };
	lrd_error error = { 0 };
	require(lrd_pack_json(pack, false, &text, &error));
	require(lrd_json_check((lrd_string){ (const char *)text.data, text.size }, &error));
	lrd_buffer_free(&text);
}

static void use_whole(const uint8_t *bytes, size_t size)
{
	lrd_error error = { 0 };
	lrd_pack_desc desc = { .memory = { bytes, size }, .allocator = { .resize = resize_within } };
	lrd_pack *pack = lrd_pack_open(&desc, &error);
	if (pack == NULL)
	{
		require(error.code == LRD_ERROR_FORMAT && error.message[0] != '\0');
		return;
	}
	for (uint32_t i = 0; i < lrd_pack_count(pack); i++)
	{
		look_up(pack, i, bytes, size);
	}
	require_no_overlap(pack);
	require(lrd_pack_check(pack, NULL, NULL, &error) || error.code == LRD_ERROR_MEMORY);
	print(pack);
	lrd_pack_close(pack);
}

// Makes the hash that of the table, where the footer says that there is one.
static void mend_hash(uint8_t *bytes, size_t size)
{
	lrd_pack_footer footer;
	if (size < sizeof footer)
	{
		return;
	}
	memcpy(&footer, bytes + size - sizeof footer, sizeof footer);
	uint64_t table = footer.entry_count * sizeof(lrd_pack_record) + footer.keys_size;
	if (footer.keys_size <= size && footer.records_offset <= size && table <= size - footer.records_offset)
	{
		footer.table_hash = lrd_xxh3_64(bytes + footer.records_offset, (size_t)table);
		memcpy(bytes + size - sizeof footer, &footer, sizeof footer);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	void *block = NULL;
	require(posix_memalign(&block, LRD_ALLOCATION_ALIGNMENT, size > 0 ? size : 1) == 0);
	uint8_t *bytes = block;
	if (size > 0)
	{
		memcpy(bytes, data, size);
	}
	use_whole(bytes, size);
	mend_hash(bytes, size);
	use_whole(bytes, size);
	free(bytes);
	return 0;
}
