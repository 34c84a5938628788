// pack/pack_check.c: what opening a bundle leaves unread, checked: payloads, the zeros between them, key hashes, kinds,
// sharing, the map.

#include "base/digest.h"
#include "base/error.h"
#include "base/hash.h"
#include "larder/pack_write.h"
#include "pack/pack_json.h"
#include "pack/payload.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct pack_checker
{
	const lrd_pack *pack;
	const lrd_pack_check_desc *desc;
	lrd_pack_payload_map map;
	uint64_t payloads_end;
	lrd_pack_check_report report;
} pack_checker;

static void LRD_PRINTF(3, 4) find(pack_checker *checker, lrd_string key, const char *format, ...)
{
	char message[LRD_ERROR_MESSAGE_SIZE];
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	checker->report.findings++;
	if (checker->desc->on_finding != NULL)
	{
		checker->desc->on_finding(checker->desc->user, key, message);
	}
}

static bool compare_digest(pack_checker *checker, const lrd_pack_entry *entry, const void *bytes, lrd_error *error)
{
	uint8_t digest[LRD_PACK_DIGEST_SIZE];
	if (!lrd_sha256(bytes, (size_t)entry->size, digest))
	{
		return lrd_fail(error, LRD_ERROR_MEMORY, "out of memory: a SHA-256");
	}
	if (memcmp(digest, entry->sha256, sizeof digest) != 0)
	{
		char found[65];
		char expected[65];
		lrd_sha256_text(digest, found);
		lrd_sha256_text(entry->sha256, expected);
		find(checker, entry->key, "the payload is damaged: its SHA-256 is %s, the table says %s", found, expected);
	}
	return true;
}

static bool check_payload(pack_checker *checker, const lrd_pack_entry *entry, lrd_error *error)
{
	checker->report.payloads++;
	checker->report.bytes += entry->size;
	if (entry->compression == LRD_STORED)
	{
		return compare_digest(checker, entry, entry->stored, error);
	}
	lrd_allocator allocator = checker->pack->allocator;
	size_t size = (size_t)entry->size;
	void *bytes = lrd_alloc(allocator, size);
	if (bytes == NULL)
	{
		return lrd_fail_memory(error, "a payload", size);
	}
	lrd_error reason;
	bool done = true;
	if (lrd_pack_decode(checker->pack, entry, bytes, &reason))
	{
		done = compare_digest(checker, entry, bytes, error);
	}
	else if (reason.code == LRD_ERROR_MEMORY)
	{
		done = lrd_fail(error, LRD_ERROR_MEMORY, "%s", reason.message);
	}
	else
	{
		find(checker, entry->key, "%s", reason.message);
	}
	lrd_free(allocator, bytes, size);
	return done;
}

// The rest of the payload's last page.
static void check_gap(pack_checker *checker, const lrd_pack_record *record, lrd_string key)
{
	const uint8_t *bytes = checker->pack->table.bytes;
	uint64_t end = lrd_pack_next_payload(record->offset, record->stored_size);
	for (uint64_t i = record->offset + record->stored_size; i < end; i++)
	{
		if (bytes[i] != 0)
		{
			find(checker, key, "byte %llu of the file, after the payload, is %u; up to the next page all must be zero",
				(unsigned long long)i, bytes[i]);
			return;
		}
	}
}

static void check_names(pack_checker *checker, const lrd_pack_record *record, lrd_string key)
{
	uint64_t hash = lrd_fnv1a_64_folded(key);
	if (hash != record->key_hash)
	{
		find(checker, key, "key_hash is %016llx, but the key's is %016llx: a look-up won't find it",
			(unsigned long long)record->key_hash, (unsigned long long)hash);
	}
	lrd_kind kind = lrd_kind_from_path(key);
	if (record->kind != (uint32_t)kind)
	{
		find(checker, key, "kind is %s, but the key's extension says %s", lrd_kind_name((lrd_kind)record->kind),
			lrd_kind_name(kind));
	}
}

static bool check_record(pack_checker *checker, uint32_t i, lrd_error *error)
{
	const lrd_pack_table *table = &checker->pack->table;
	const lrd_pack_record *record = &table->records[i];
	lrd_pack_entry entry;
	(void)lrd_pack_at(checker->pack, i, &entry);
	check_names(checker, record, entry.key);
	if (record->offset != checker->payloads_end) // shares a payload that was looked at, as opening the bundle proved
	{
		return true;
	}
	checker->payloads_end = lrd_pack_next_payload(record->offset, record->stored_size);
	uint32_t owner = lrd_pack_payload_map_add(&checker->map, i);
	if (owner != LRD_PAYLOAD_NONE)
	{
		find(checker, entry.key, "its payload is that of \"%.*s\", but it is stored a second time",
			LRD_STR_ARG(lrd_pack_record_key(table, &table->records[owner])));
	}
	check_gap(checker, record, entry.key);
	return check_payload(checker, &entry, error);
}

// The map as it should be, compared piece by piece with what it is.
typedef struct map_comparison
{
	lrd_bytes found;
	size_t position;
	size_t line;
	bool differs;
} map_comparison;

static bool compare_piece(void *user, const char *text, size_t size, lrd_error *error)
{
	(void)error;
	map_comparison *comparison = user;
	const char *found = comparison->found.data;
	for (size_t i = 0; i < size && !comparison->differs; i++)
	{
		comparison->differs = comparison->position == comparison->found.size || found[comparison->position] != text[i];
		comparison->line += !comparison->differs && text[i] == '\n';
		comparison->position += !comparison->differs;
	}
	return true;
}

static bool check_map(pack_checker *checker, lrd_error *error)
{
	lrd_allocator allocator = checker->pack->allocator;
	lrd_buffer file = { .allocator = allocator };
	lrd_error reason;
	if (!lrd_file_read(checker->desc->map, &file, &reason))
	{
		return reason.code == LRD_ERROR_NOT_FOUND || lrd_fail(error, reason.code, "%s", reason.message);
	}
	map_comparison comparison = { .found = { file.data, file.size }, .line = 1 };
	lrd_json_sink sink = { compare_piece, &comparison };
	bool done = lrd_pack_table_json(&checker->pack->table, NULL, allocator, sink, error);
	if (done && (comparison.differs || comparison.position != file.size))
	{
		find(checker, (lrd_string){ 0 },
			"its map %s says something else from line %zu on; pack again, or delete the map", checker->desc->map,
			comparison.line);
	}
	lrd_buffer_free(&file);
	return done;
}

bool lrd_pack_check(
	const lrd_pack *pack, const lrd_pack_check_desc *desc, lrd_pack_check_report *report, lrd_error *error)
{
	static const lrd_pack_check_desc nothing_asked = { 0 };
	pack_checker checker = { .pack = pack, .desc = desc != NULL ? desc : &nothing_asked };
	checker.report.entries = pack->table.count;
	bool done = lrd_pack_payload_map_init(&checker.map, pack->table.records, pack->table.count, pack->allocator, error);
	for (uint32_t i = 0; done && i < pack->table.count; i++)
	{
		done = check_record(&checker, i, error);
	}
	done = done && (checker.desc->map == NULL || check_map(&checker, error));
	lrd_pack_payload_map_free(&checker.map);
	if (!done)
	{
		return lrd_fail_in(error, "%s: checking it", pack->name);
	}
	if (report != NULL)
	{
		*report = checker.report;
	}
	return true;
}
