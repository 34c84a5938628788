// os/watch_batch.c: changes that wait until it is quiet. When memory runs out, or there are too many, what is left of them is
// that everything may have changed: nothing is ever lost.

#include "os/watch_batch.h"

#include "base/hash.h"

static void note_time(lrd_watch_batch *batch, uint64_t now)
{
	bool first = !batch->everything && batch->count == batch->young_count;
	batch->first_ns = first ? now : batch->first_ns;
	batch->last_ns = now;
}

void lrd_watch_batch_everything(lrd_watch_batch *batch, uint64_t now)
{
	note_time(batch, now);
	batch->everything = true;
	batch->count = 0;
	batch->young_count = 0;
	batch->text.size = 0;
}

static lrd_string path_of(const lrd_watch_batch *batch, const lrd_watch_entry *entry)
{
	return (lrd_string){ (const char *)batch->text.data + entry->path, entry->size };
}

static lrd_watch_entry *find(lrd_watch_batch *batch, lrd_string path, uint32_t hash)
{
	for (size_t i = 0; i < batch->count; i++)
	{
		if (batch->entries[i].hash == hash && lrd_string_equal(path_of(batch, &batch->entries[i]), path))
		{
			return &batch->entries[i];
		}
	}
	return NULL;
}

void lrd_watch_batch_add(lrd_watch_batch *batch, lrd_string path, bool young, uint64_t now)
{
	if (batch->everything)
	{
		batch->last_ns = young ? batch->last_ns : now;
		return;
	}
	uint32_t hash = lrd_fnv1a_32(path);
	lrd_watch_entry *entry = find(batch, path, hash);
	if (entry == NULL)
	{
		size_t offset = batch->text.size;
		if (batch->count >= batch->paths_max ||
			!LRD_RESERVE(batch->allocator, batch->entries, batch->count, 1, batch->capacity) ||
			!lrd_buffer_append(&batch->text, path.data, path.size))
		{
			lrd_watch_batch_everything(batch, now);
			return;
		}
		entry = &batch->entries[batch->count];
		*entry = (lrd_watch_entry){ .path = offset, .size = path.size, .hash = hash, .young = young, .since = now };
		if (!young)
		{
			note_time(batch, now);
		}
		batch->count++;
		batch->young_count += young ? 1 : 0;
		return;
	}
	if (!young)
	{
		note_time(batch, now);
		batch->young_count -= entry->young ? 1 : 0;
		entry->young = false;
	}
}

static bool is_ripe(const lrd_watch_batch *batch, const lrd_watch_entry *entry, uint64_t now)
{
	return !entry->young || now - entry->since >= batch->longest_ns;
}

uint64_t lrd_watch_batch_due(const lrd_watch_batch *batch)
{
	uint64_t due = UINT64_MAX;
	if (batch->everything || batch->count != batch->young_count)
	{
		uint64_t quiet = batch->last_ns + batch->quiet_ns;
		uint64_t longest = batch->first_ns + batch->longest_ns;
		due = quiet < longest ? quiet : longest;
	}
	for (size_t i = 0; i < batch->count && batch->young_count != 0; i++)
	{
		uint64_t ripe = batch->entries[i].since + batch->longest_ns;
		due = batch->entries[i].young && ripe < due ? ripe : due;
	}
	return due;
}

bool lrd_watch_batch_take(lrd_watch_batch *batch, uint64_t now, lrd_watch_changes *changes)
{
	*changes = (lrd_watch_changes){ 0 };
	if (lrd_watch_batch_due(batch) > now)
	{
		return false;
	}
	if (!batch->everything && !LRD_RESERVE(batch->allocator, batch->told, 0, batch->count, batch->told_capacity))
	{
		lrd_watch_batch_everything(batch, now);
	}
	changes->everything = batch->everything;
	for (size_t i = 0; i < batch->count; i++)
	{
		if (is_ripe(batch, &batch->entries[i], now))
		{
			batch->told[changes->count++] = path_of(batch, &batch->entries[i]);
		}
	}
	changes->paths = batch->told;
	return true;
}

void lrd_watch_batch_told(lrd_watch_batch *batch, uint64_t now)
{
	size_t kept = 0;
	size_t text = 0;
	batch->everything = false;
	for (size_t i = 0; i < batch->count; i++)
	{
		lrd_watch_entry entry = batch->entries[i];
		if (!is_ripe(batch, &entry, now))
		{
			memmove(batch->text.data + text, batch->text.data + entry.path, entry.size);
			entry.path = text;
			text += entry.size;
			batch->entries[kept++] = entry;
		}
	}
	batch->count = kept;
	batch->young_count = kept;
	batch->text.size = text;
}

void lrd_watch_batch_free(lrd_watch_batch *batch)
{
	lrd_free(batch->allocator, batch->entries, batch->capacity * sizeof *batch->entries);
	lrd_free(batch->allocator, batch->told, batch->told_capacity * sizeof *batch->told);
	lrd_buffer_free(&batch->text);
}
