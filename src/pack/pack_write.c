// pack/pack_write.c: writing a bundle: payloads in the order of the records that name them first, then the table, then,
// when all of it is on disk, the new files in the place of the old. What goes where is layout.h's.

#include "larder/pack_write.h"

#include "base/error.h"
#include "base/hash.h"
#include "pack/pack_json.h"
#include "pack/payload.h"
#include "pack/pipeline.h"
#include "pack/plan.h"

#define DEFAULT_LEVEL 9
#define LEVEL_MAX 22
#define MAP_SUFFIX ".json"

typedef struct pack_writer
{
	const lrd_pack_write_desc *desc;
	lrd_pack_plan plan;
	lrd_pack_payload_settings settings;
	lrd_pack_payload_map map;
	lrd_pack_record *records; // plan.count of them
	char *keys;               // plan.keys_size bytes
	lrd_pack_share *shares;
	size_t share_count;
	size_t share_capacity;
	lrd_file_writer *file;
	uint64_t position; // in the file
	uint64_t records_offset;
	uint64_t table_hash;
	lrd_pack_write_report report;
} pack_writer;

static bool put(pack_writer *writer, const void *data, size_t size, lrd_error *error)
{
	writer->position += size;
	return lrd_file_writer_write(writer->file, data, size, error);
}

static bool put_zeros_to(pack_writer *writer, uint64_t position, lrd_error *error)
{
	static const uint8_t zeros[LRD_PACK_PAGE];
	return put(writer, zeros, (size_t)(position - writer->position), error);
}

static bool put_payload(pack_writer *writer, lrd_pack_record *record, const lrd_pack_payload *payload, lrd_error *error)
{
	record->offset = writer->position;
	record->stored_size = payload->stored.size;
	record->compression = (uint32_t)payload->compression;
	writer->report.payload_count++;
	writer->report.payload_bytes += payload->bytes.size;
	writer->report.compressed += payload->compression == LRD_ZSTD;
	writer->report.reused += payload->reused;
	return put(writer, payload->stored.data, payload->stored.size, error) &&
		   put_zeros_to(writer, lrd_pack_next_payload(record->offset, record->stored_size), error);
}

static bool share_payload(pack_writer *writer, uint32_t i, uint32_t owner, lrd_error *error)
{
	lrd_pack_record *record = &writer->records[i];
	const lrd_pack_record *first = &writer->records[owner];
	if (record->kind == LRD_TEXTURE && first->compression != LRD_STORED)
	{
		return lrd_fail(error, LRD_ERROR_CHANGED, "%.*s: it, or %.*s, changed while the bundle was written; pack again",
			LRD_STR_ARG(writer->plan.entries[i].key), LRD_STR_ARG(writer->plan.entries[owner].key));
	}
	if (!LRD_RESERVE(writer->desc->allocator, writer->shares, writer->share_count, 1, writer->share_capacity))
	{
		return lrd_fail_memory(error, "the list of shared payloads", writer->share_count * sizeof(lrd_pack_share));
	}
	writer->shares[writer->share_count++] = (lrd_pack_share){ i, owner };
	record->offset = first->offset;
	record->stored_size = first->stored_size;
	record->compression = first->compression;
	return true;
}

static bool add_payload(pack_writer *writer, uint32_t i, const lrd_pack_payload *payload, lrd_error *error)
{
	lrd_pack_record *record = &writer->records[i];
	record->size = payload->bytes.size;
	memcpy(record->sha256, payload->sha256, sizeof record->sha256);
	uint32_t owner = lrd_pack_payload_map_add(&writer->map, i);
	return owner == LRD_PAYLOAD_NONE ? put_payload(writer, record, payload, error)
									 : share_payload(writer, i, owner, error);
}

static bool put_payloads(pack_writer *writer, lrd_error *error)
{
	lrd_pipeline *pipeline = lrd_pipeline_create(&writer->plan, writer->desc, &writer->settings, error);
	bool sound = pipeline != NULL;
	for (uint32_t i = 0; sound && i < writer->plan.count; i++)
	{
		lrd_pack_payload payload;
		sound = lrd_pipeline_next(pipeline, &payload, error);
		if (sound)
		{
			sound = add_payload(writer, i, &payload, error);
			lrd_pack_payload_free(&payload);
		}
		if (sound && writer->desc->progress != NULL)
		{
			writer->desc->progress(writer->desc->user, i + 1, writer->plan.count);
		}
	}
	lrd_pipeline_destroy(pipeline);
	return sound;
}

static bool put_table(pack_writer *writer, lrd_error *error)
{
	size_t keys_size = writer->plan.keys_size;
	size_t records_size = writer->plan.count * sizeof(lrd_pack_record);
	if (!put(writer, writer->shares, writer->share_count * sizeof(lrd_pack_share), error) ||
		!put_zeros_to(writer, lrd_pack_block_up(writer->position), error))
	{
		return false;
	}
	lrd_xxh3_state hash;
	lrd_xxh3_begin(&hash);
	lrd_xxh3_update(&hash, writer->records, records_size);
	lrd_xxh3_update(&hash, writer->keys, keys_size);
	writer->table_hash = lrd_xxh3_end(&hash);
	writer->records_offset = writer->position;
	lrd_pack_footer footer = {
		.version = LRD_PACK_VERSION,
		.entry_count = writer->plan.count,
		.records_offset = writer->records_offset,
		.keys_offset = writer->records_offset + records_size,
		.keys_size = keys_size,
		.table_hash = writer->table_hash,
	};
	memcpy(footer.magic, LRD_PACK_MAGIC, LRD_PACK_MAGIC_SIZE);
	return put(writer, writer->records, records_size, error) && put(writer, writer->keys, keys_size, error) &&
		   put_zeros_to(writer, lrd_pack_block_up(writer->position), error) &&
		   put(writer, &footer, sizeof footer, error);
}

static bool take_json(void *user, const char *text, size_t size, lrd_error *error)
{
	return lrd_file_writer_write(user, text, size, error);
}

// The map, on disk, all but its name. NULL on failure.
static lrd_file_writer *write_map(const pack_writer *writer, const char *path, lrd_error *error)
{
	lrd_allocator allocator = writer->desc->allocator;
	lrd_file_writer *file = lrd_file_writer_begin(path, allocator, error);
	lrd_pack_table table = {
		.records = writer->records,
		.keys = writer->keys,
		.keys_size = writer->plan.keys_size,
		.records_offset = writer->records_offset,
		.hash = writer->table_hash,
		.count = writer->plan.count,
	};
	lrd_json_sink sink = { take_json, file };
	if (file == NULL || !lrd_pack_table_json(&table, NULL, allocator, sink, error) ||
		!lrd_file_writer_flush(file, error))
	{
		lrd_file_writer_abandon(file);
		return NULL;
	}
	return file;
}

// The bundle takes its place last, and all that can fail has been done by then: no map is left beside a bundle it does
// not belong to.
static bool replace_files(pack_writer *writer, lrd_error *error)
{
	size_t path_size = strlen(writer->desc->path);
	size_t map_size = path_size + sizeof MAP_SUFFIX;
	char *map_path = lrd_alloc(writer->desc->allocator, map_size);
	if (map_path == NULL)
	{
		return lrd_fail_memory(error, "the map's name", map_size);
	}
	memcpy(map_path, writer->desc->path, path_size);
	memcpy(map_path + path_size, MAP_SUFFIX, sizeof MAP_SUFFIX);
	bool done = lrd_file_writer_flush(writer->file, error);
	if (done && writer->desc->json_map)
	{
		lrd_file_writer *map = write_map(writer, map_path, error);
		done = map != NULL && lrd_file_writer_commit(map, error);
	}
	else if (done)
	{
		done = lrd_file_remove(map_path, error);
	}
	lrd_free(writer->desc->allocator, map_path, map_size);
	if (done)
	{
		done = lrd_file_writer_commit(writer->file, error);
		writer->file = NULL;
	}
	return done;
}

// What the records have from the plan alone.
static void fill_records(pack_writer *writer)
{
	uint32_t keys_end = 0;
	for (uint32_t i = 0; i < writer->plan.count; i++)
	{
		const lrd_plan_entry *entry = &writer->plan.entries[i];
		writer->records[i].key_hash = entry->key_hash;
		writer->records[i].key_offset = keys_end;
		writer->records[i].key_size = (uint32_t)entry->key.size;
		writer->records[i].kind = (uint32_t)entry->kind;
		memcpy(writer->keys + keys_end, entry->key.data, entry->key.size);
		keys_end += (uint32_t)entry->key.size;
	}
}

static bool make_table(pack_writer *writer, lrd_error *error)
{
	lrd_allocator allocator = writer->desc->allocator;
	uint32_t count = writer->plan.count;
	if (count != 0)
	{
		writer->records = lrd_alloc_zeroed(allocator, count, sizeof *writer->records);
		writer->keys = lrd_alloc(allocator, writer->plan.keys_size);
		if (writer->records == NULL || writer->keys == NULL)
		{
			return lrd_fail_memory(error, "a bundle's table", count * sizeof *writer->records + writer->plan.keys_size);
		}
		fill_records(writer);
	}
	return lrd_pack_payload_map_init(&writer->map, writer->records, count, allocator, error);
}

static bool write_bundle(pack_writer *writer, lrd_error *error)
{
	const lrd_pack_write_desc *desc = writer->desc;
	if (!lrd_pack_plan_make(&writer->plan, desc, error) || !make_table(writer, error) ||
		!lrd_pack_payload_previous_init(&writer->settings.previous, desc->previous, desc->allocator, error))
	{
		return false;
	}
	writer->file = lrd_file_writer_begin(desc->path, desc->allocator, error);
	return writer->file != NULL && put_payloads(writer, error) && put_table(writer, error) &&
		   replace_files(writer, error);
}

static void free_writer(pack_writer *writer)
{
	lrd_allocator allocator = writer->desc->allocator;
	lrd_file_writer_abandon(writer->file);
	lrd_free(allocator, writer->shares, writer->share_capacity * sizeof *writer->shares);
	lrd_pack_payload_map_free(&writer->map);
	lrd_pack_payload_map_free(&writer->settings.previous.map);
	lrd_free(allocator, writer->keys, writer->plan.keys_size);
	lrd_free(allocator, writer->records, writer->plan.count * sizeof *writer->records);
	lrd_pack_plan_free(&writer->plan);
}

static bool check_desc(const lrd_pack_write_desc *desc, lrd_error *error)
{
	if (desc->path == NULL || (desc->sources == NULL && desc->source_count != 0))
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "writing a bundle: its path, or its sources, are missing");
	}
	if (desc->level < 0 || desc->level > LEVEL_MAX ||
		(desc->compression != LRD_STORED && desc->compression != LRD_ZSTD))
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT,
			"%s: compression is %d and level %d; compression must be none (0) or zstd (1), its level 1 to %d, or 0 for "
			"%d",
			desc->path, (int)desc->compression, desc->level, LEVEL_MAX, DEFAULT_LEVEL);
	}
	lrd_file_info info;
	if (lrd_file_stat(desc->path, &info, NULL) && !info.is_file)
	{
		return lrd_fail(error, LRD_ERROR_IO, "%s: there is something of this name that is no file", desc->path);
	}
	return true;
}

bool lrd_pack_write(const lrd_pack_write_desc *desc, lrd_pack_write_report *report, lrd_error *error)
{
	if (!check_desc(desc, error))
	{
		return false;
	}
	pack_writer writer = {
		.desc = desc,
		.settings = {
			.compression = desc->compression,
			.level = desc->level != 0 ? desc->level : DEFAULT_LEVEL,
			.allocator = desc->allocator,
		},
	};
	bool done = write_bundle(&writer, error);
	if (done && report != NULL)
	{
		*report = writer.report;
		report->entry_count = writer.plan.count;
		report->file_bytes = writer.position;
	}
	free_writer(&writer);
	return done;
}
