// pack/pack_json.c: a bundle's table as JSON text (RFC 8259). The text is the same for the same bundle, so that
// agreement of a map with its bundle is equality of bytes. Entries are sorted by key, for people and for diffs.

#include "pack/pack_json.h"

#include "base/digest.h"
#include "base/error.h"
#include "base/json.h"
#include "base/path.h"
#include "larder/pack_write.h"

#include <stdlib.h>

#define PIECE_SIZE ((size_t)32 * 1024)

typedef struct json_writer
{
	lrd_buffer piece; // what the sink has not taken yet
	lrd_json_sink sink;
} json_writer;

static bool fail_memory(lrd_error *error)
{
	return lrd_fail(error, LRD_ERROR_MEMORY, "out of memory: a bundle's table as JSON");
}

static bool flush(json_writer *json, lrd_error *error)
{
	size_t size = json->piece.size;
	json->piece.size = 0;
	return size == 0 || json->sink.take(json->sink.user, (const char *)json->piece.data, size, error);
}

// RFC 4648, section 4.
static bool write_base64(lrd_buffer *out, const uint8_t *data, size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t groups = size / 3 + (size % 3 != 0);
	size_t text_size = 0;
	uint8_t *text = lrd_mul_size(groups, 4, &text_size) ? lrd_buffer_extend(out, text_size) : NULL;
	if (text == NULL)
	{
		return false;
	}
	for (size_t i = 0; i < groups; i++)
	{
		const uint8_t *from = data + 3 * i;
		size_t left = size - 3 * i;
		uint32_t bits = (uint32_t)from[0] << 16 | (left > 1 ? (uint32_t)from[1] << 8 : 0) | (left > 2 ? from[2] : 0);
		text[4 * i] = (uint8_t)digits[bits >> 18];
		text[4 * i + 1] = (uint8_t)digits[bits >> 12 & 63];
		text[4 * i + 2] = left > 1 ? (uint8_t)digits[bits >> 6 & 63] : '=';
		text[4 * i + 3] = left > 2 ? (uint8_t)digits[bits & 63] : '=';
	}
	return true;
}

static bool write_payload(lrd_buffer *out, const lrd_pack *pack, uint32_t i, lrd_error *error)
{
	lrd_pack_entry entry;
	(void)lrd_pack_at(pack, i, &entry);
	size_t size = (size_t)entry.size;
	void *decoded = NULL;
	const void *bytes = entry.stored;
	if (entry.compression != LRD_STORED)
	{
		bytes = decoded = lrd_alloc(pack->allocator, size);
		if (decoded == NULL)
		{
			return fail_memory(error);
		}
		if (!lrd_pack_read(pack, &entry, decoded, size, error))
		{
			lrd_free(pack->allocator, decoded, size);
			return false;
		}
	}
	bool done = lrd_buffer_append(out, ", \"payload\": \"", 14) && write_base64(out, bytes, size) &&
				lrd_buffer_append(out, "\"", 1);
	lrd_free(pack->allocator, decoded, size);
	return done || fail_memory(error);
}

static bool write_record(lrd_buffer *out, const lrd_pack_table *table, const lrd_pack_record *record)
{
	char sha256[65];
	lrd_sha256_text(record->sha256, sha256);
	return lrd_buffer_append(out, "\t\t{ \"key\": ", 11) &&
		   lrd_json_append_string(out, lrd_pack_record_key(table, record)) &&
		   lrd_buffer_printf(out,
			   ", \"kind\": \"%s\", \"offset\": %llu, \"stored_size\": %llu, \"size\": %llu, \"compression\": \"%s\", "
			   "\"sha256\": \"%s\"",
			   lrd_kind_name((lrd_kind)record->kind), (unsigned long long)record->offset,
			   (unsigned long long)record->stored_size, (unsigned long long)record->size,
			   record->compression == LRD_ZSTD ? "zstd" : "none", sha256);
}

// A record with its key at hand for the comparison.
typedef struct sorted_record
{
	lrd_string key;
	uint32_t record;
} sorted_record;

// Keys may be equal but for case in a bundle whose key hashes are wrong; then the records' order decides.
static int compare_keys(const void *a, const void *b)
{
	const sorted_record *x = a;
	const sorted_record *y = b;
	int order = lrd_string_compare_folded(x->key, y->key);
	return order != 0 ? order : (x->record > y->record) - (x->record < y->record);
}

static bool write_records(json_writer *json, const lrd_pack_table *table, const lrd_pack *payloads_of,
	const sorted_record *sorted, lrd_error *error)
{
	for (uint32_t i = 0; i < table->count; i++)
	{
		if (!write_record(&json->piece, table, &table->records[sorted[i].record]))
		{
			return fail_memory(error);
		}
		if (payloads_of != NULL && !write_payload(&json->piece, payloads_of, sorted[i].record, error))
		{
			return false;
		}
		if (!lrd_buffer_printf(&json->piece, " }%s\n", i + 1 < table->count ? "," : ""))
		{
			return fail_memory(error);
		}
		if (json->piece.size >= PIECE_SIZE && !flush(json, error))
		{
			return false;
		}
	}
	return true;
}

static bool write_table(json_writer *json, const lrd_pack_table *table, const lrd_pack *payloads_of,
	const sorted_record *sorted, lrd_error *error)
{
	if (!lrd_buffer_printf(&json->piece,
			"{\n\t\"format\": \"larder bundle\",\n\t\"version\": %d,\n\t\"table_hash\": "
			"\"%016llx\",\n\t\"entry_count\": %u,\n"
			"\t\"entries\": [\n",
			LRD_PACK_VERSION, (unsigned long long)table->hash, table->count))
	{
		return fail_memory(error);
	}
	if (!write_records(json, table, payloads_of, sorted, error))
	{
		return false;
	}
	return (lrd_buffer_printf(&json->piece, "\t]\n}\n") || fail_memory(error)) && flush(json, error);
}

bool lrd_pack_table_json(const lrd_pack_table *table, const lrd_pack *payloads_of, lrd_allocator allocator,
	lrd_json_sink sink, lrd_error *error)
{
	size_t sorted_size = table->count * sizeof(sorted_record);
	sorted_record *sorted = lrd_alloc(allocator, sorted_size);
	if (sorted_size != 0 && sorted == NULL)
	{
		return fail_memory(error);
	}
	for (uint32_t i = 0; i < table->count; i++)
	{
		sorted[i] = (sorted_record){ lrd_pack_record_key(table, &table->records[i]), i };
	}
	if (table->count != 0)
	{
		qsort(sorted, table->count, sizeof *sorted, compare_keys);
	}
	json_writer json = { .piece = { .allocator = allocator }, .sink = sink };
	bool done = write_table(&json, table, payloads_of, sorted, error);
	lrd_buffer_free(&json.piece);
	lrd_free(allocator, sorted, sorted_size);
	return done;
}

static bool append_to_buffer(void *user, const char *text, size_t size, lrd_error *error)
{
	return lrd_buffer_append(user, text, size) || fail_memory(error);
}

bool lrd_pack_json(const lrd_pack *pack, bool payloads, lrd_buffer *out, lrd_error *error)
{
	size_t size = out->size;
	lrd_json_sink sink = { append_to_buffer, out };
	if (!lrd_pack_table_json(&pack->table, payloads ? pack : NULL, pack->allocator, sink, error))
	{
		out->size = size;
		return lrd_fail_in(error, "%s: as JSON", pack->name);
	}
	return true;
}
