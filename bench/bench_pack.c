// bench/bench_pack.c: what opening a bundle and looking up in it cost, 10^3 to 10^6 entries. Peers, measured in the
// same run: memcpy of the same table for opening; for looking up, halving over the same records with the same key hash,
// and reading one record after another at random: what no look-up can do without. Times are those on the processor, so
// that a busy machine shows less.
//
//	bench_pack [FOLDER]    FOLDER, or ".": where the bundles are made and deleted again (sparse: 130 MB on disk, 4 GB long)

#include "bench.h"

#include "base/hash.h"
#include "base/memory.h"
#include "larder/pack.h"
#include "os/os.h"
#include "pack/layout.h"

#include <unistd.h>

#define LOOKUPS 1000000u
#define KEY_ROOM 64

typedef struct key_text
{
	uint64_t hash;
	uint32_t size;
	char text[KEY_ROOM];
} key_text;

static void *get(size_t size)
{
	void *block = malloc(size);
	if (block == NULL)
	{
		bench_stop("out of memory");
	}
	return block;
}

static uint64_t next_random(uint64_t *state) // splitmix64
{
	uint64_t z = (*state += 0x9E3779B97F4A7C15u);
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return z ^ (z >> 31);
}

static int compare_keys(const void *a, const void *b)
{
	uint64_t x = ((const key_text *)a)->hash;
	uint64_t y = ((const key_text *)b)->hash;
	return (x > y) - (x < y);
}

static key_text *make_keys(uint32_t count)
{
	static const char *const extensions[] = { "lmesh", "ktx2", "lmat", "lmodel" };
	key_text *keys = get(count * sizeof *keys);
	for (uint32_t i = 0; i < count; i++)
	{
		keys[i].size = (uint32_t)snprintf(keys[i].text, KEY_ROOM, "models/region_%02u/building_%u/part.%06u.%s", i % 97,
			i / 50, i, extensions[i % 4]);
		keys[i].hash = lrd_fnv1a_64_folded((lrd_string){ keys[i].text, keys[i].size });
	}
	qsort(keys, count, sizeof *keys, compare_keys);
	return keys;
}

// The table of a bundle with a page for each payload; of every `share_every` records one shares the payload of one
// before.
static lrd_buffer make_table(const key_text *keys, uint32_t count, uint32_t share_every, uint64_t *start)
{
	lrd_buffer table = { 0 };
	lrd_pack_record *records = get(count * sizeof *records);
	uint64_t random = count;
	uint64_t end = 0;
	uint32_t key_offset = 0;
	bool done = true;
	for (uint32_t i = 0; i < count; i++)
	{
		records[i] = (lrd_pack_record){ .key_hash = keys[i].hash, .offset = end, .stored_size = 1000, .size = 1000 };
		records[i].key_offset = key_offset;
		records[i].key_size = keys[i].size;
		records[i].kind = LRD_BLOB;
		memcpy(records[i].sha256, &end, sizeof end);
		key_offset += keys[i].size;
		if (share_every != 0 && i % share_every == share_every - 1)
		{
			uint32_t owner = (uint32_t)(next_random(&random) % i);
			records[i].offset = records[owner].offset;
			memcpy(records[i].sha256, records[owner].sha256, sizeof records[i].sha256);
			lrd_pack_share share = { i, owner };
			done = done && lrd_buffer_append(&table, &share, sizeof share);
			continue;
		}
		end += LRD_PACK_PAGE;
	}
	done = done && lrd_buffer_align(&table, LRD_PACK_BLOCK);
	size_t hashed = table.size;
	lrd_pack_footer footer = { .version = LRD_PACK_VERSION, .entry_count = count, .keys_size = key_offset };
	memcpy(footer.magic, LRD_PACK_MAGIC, LRD_PACK_MAGIC_SIZE);
	footer.records_offset = end + table.size;
	footer.keys_offset = footer.records_offset + count * sizeof *records;
	done = done && lrd_buffer_append(&table, records, count * sizeof *records);
	for (uint32_t i = 0; i < count; i++)
	{
		done = done && lrd_buffer_append(&table, keys[i].text, keys[i].size);
	}
	footer.table_hash = lrd_xxh3_64(table.data + hashed, table.size - hashed);
	if (!done || !lrd_buffer_align(&table, LRD_PACK_BLOCK) || !lrd_buffer_append(&table, &footer, sizeof footer))
	{
		bench_stop("out of memory");
	}
	free(records);
	*start = end;
	return table;
}

static void write_sparse(const char *path, const lrd_buffer *table, uint64_t start)
{
	FILE *file = fopen(path, "wb");
	if (file == NULL || fseek(file, (long)start, SEEK_SET) != 0 ||
		fwrite(table->data, 1, table->size, file) != table->size || fclose(file) != 0)
	{
		bench_stop("can't write the bundle");
	}
}

static double time_copy(const lrd_buffer *table)
{
	double times[BENCH_RUNS];
	uint8_t *copy = get(table->size);
	memset(copy, 1, table->size); // its pages are there before the clock runs
	for (int i = 0; i < BENCH_RUNS; i++)
	{
		double start = bench_now();
		bench_copy(copy, table->data, table->size);
		times[i] = bench_now() - start;
	}
	free(copy);
	return bench_median(times, BENCH_RUNS);
}

static lrd_pack *open_or_stop(const char *path)
{
	lrd_error error;
	lrd_pack *pack = lrd_pack_open(&(lrd_pack_desc){ .path = path }, &error);
	if (pack == NULL)
	{
		bench_stop(error.message);
	}
	return pack;
}

static double time_open(const char *path)
{
	double times[BENCH_RUNS];
	for (int i = 0; i < BENCH_RUNS; i++)
	{
		double start = bench_now();
		lrd_pack *pack = open_or_stop(path);
		times[i] = bench_now() - start;
		lrd_pack_close(pack);
	}
	return bench_median(times, BENCH_RUNS);
}

// The same with the file's pages mapped already: what is left when the system's work is taken away.
static double time_check(const char *path)
{
	lrd_error error;
	lrd_mapping *mapping = lrd_mapping_open(path, (lrd_allocator){ 0 }, &error);
	if (mapping == NULL)
	{
		bench_stop(error.message);
	}
	double times[BENCH_RUNS + 1];
	for (int i = 0; i < BENCH_RUNS + 1; i++)
	{
		double start = bench_now();
		lrd_pack *pack = lrd_pack_open(&(lrd_pack_desc){ .memory = lrd_mapping_bytes(mapping) }, &error);
		times[i] = bench_now() - start;
		if (pack == NULL)
		{
			bench_stop(error.message);
		}
		lrd_pack_close(pack);
	}
	lrd_mapping_release(mapping);
	return bench_median(times + 1, BENCH_RUNS);
}

typedef struct lookups
{
	lrd_string *keys; // LOOKUPS of them
	char *text;
} lookups;

// Random keys, copied one behind the other in the order they are asked for: the caller's own keys should not cost cache
// misses.
static lookups make_lookups(const key_text *keys, uint32_t count)
{
	lookups asked = { get(LOOKUPS * sizeof(lrd_string)), get((size_t)LOOKUPS * KEY_ROOM) };
	char *at = asked.text;
	uint64_t random = 1;
	for (uint32_t i = 0; i < LOOKUPS; i++)
	{
		const key_text *key = &keys[next_random(&random) % count];
		memcpy(at, key->text, key->size);
		asked.keys[i] = (lrd_string){ at, key->size };
		at += key->size;
	}
	return asked;
}

// Each look-up begins when the one before has ended: its key is chosen by what that found.
static double time_find(const lrd_pack *pack, const lookups *asked, bool chained)
{
	double times[BENCH_RUNS];
	for (int run = 0; run < BENCH_RUNS; run++)
	{
		double start = bench_now();
		size_t none = 0;
		for (uint32_t i = 0; i < LOOKUPS; i++)
		{
			lrd_pack_entry entry = { 0 };
			if (!lrd_pack_find(pack, asked->keys[i + none], &entry))
			{
				bench_stop("a key was not found");
			}
			none = chained && entry.size == 0; // never, which the processor can't know before
		}
		times[run] = (bench_now() - start) / LOOKUPS;
	}
	return bench_median(times, BENCH_RUNS);
}

static double time_hash(const lookups *asked)
{
	double times[BENCH_RUNS];
	for (int run = 0; run < BENCH_RUNS; run++)
	{
		double start = bench_now();
		size_t none = 0;
		for (uint32_t i = 0; i < LOOKUPS; i++)
		{
			none = lrd_fnv1a_64_folded(asked->keys[i + none]) == 0;
		}
		times[run] = (bench_now() - start) / LOOKUPS;
	}
	return bench_median(times, BENCH_RUNS);
}

static bool find_by_halving(const lrd_pack_record *records, const char *keys, uint32_t count, lrd_string key)
{
	uint64_t hash = lrd_fnv1a_64_folded(key);
	uint32_t low = 0;
	uint32_t high = count;
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		bool after = records[middle].key_hash < hash;
		low = after ? middle + 1 : low;
		high = after ? high : middle;
	}
	return low < count && records[low].key_size == key.size &&
		   memcmp(keys + records[low].key_offset, key.data, key.size) == 0;
}

static double time_halving(const lrd_buffer *table, uint32_t count, const lookups *asked)
{
	double times[BENCH_RUNS];
	const lrd_pack_footer *footer = (const void *)(table->data + table->size - sizeof *footer);
	size_t keys_up = (size_t)((footer->keys_size + LRD_PACK_BLOCK - 1) / LRD_PACK_BLOCK * LRD_PACK_BLOCK);
	const uint8_t *keys = table->data + table->size - sizeof *footer - keys_up;
	const lrd_pack_record *records = (const void *)(keys - count * sizeof *records);
	for (int run = 0; run < BENCH_RUNS; run++)
	{
		double start = bench_now();
		size_t none = 0;
		for (uint32_t i = 0; i < LOOKUPS; i++)
		{
			none = !find_by_halving(records, (const char *)keys, count, asked->keys[i + none]);
		}
		times[run] = (bench_now() - start) / LOOKUPS;
	}
	return bench_median(times, BENCH_RUNS);
}

// One record after another, each chosen by what the one before held.
static double time_reads(const lrd_pack *pack, uint32_t count)
{
	double times[BENCH_RUNS];
	uint64_t random = 7;
	uint32_t *order = get(LOOKUPS * sizeof *order);
	for (uint32_t i = 0; i < LOOKUPS; i++)
	{
		order[i] = (uint32_t)(next_random(&random) % count);
	}
	for (int run = 0; run < BENCH_RUNS; run++)
	{
		double start = bench_now();
		size_t none = 0;
		for (uint32_t i = 0; i < LOOKUPS; i++)
		{
			lrd_pack_entry entry = { 0 };
			(void)lrd_pack_at(pack, order[i + none], &entry);
			none = entry.size == 0;
		}
		times[run] = (bench_now() - start) / LOOKUPS;
	}
	free(order);
	return bench_median(times, BENCH_RUNS);
}

static void measure_open(const char *path, uint32_t count, const key_text *keys, uint32_t share_every)
{
	uint64_t start = 0;
	lrd_buffer table = make_table(keys, count, share_every, &start);
	write_sparse(path, &table, start);
	double bytes = (double)table.size;
	double copy = time_copy(&table);
	double whole = time_open(path);
	double check = time_check(path);
	printf("%9u %7s %9.2f %11.2f %11.2f %11.2f %9.2f %9.2f\n", count, share_every != 0 ? "a third" : "none",
		bytes * 1e-6, bytes / whole * 1e-9, bytes / check * 1e-9, bytes / copy * 1e-9, copy / whole, copy / check);
	lrd_buffer_free(&table);
}

static void measure_find(const char *path, uint32_t count, const key_text *keys)
{
	uint64_t start = 0;
	lrd_buffer table = make_table(keys, count, 0, &start);
	write_sparse(path, &table, start);
	lookups asked = make_lookups(keys, count);
	lrd_pack *pack = open_or_stop(path);
	double find = time_find(pack, &asked, false);
	double chained = time_find(pack, &asked, true);
	double halving = time_halving(&table, count, &asked);
	double hash = time_hash(&asked);
	double read = time_reads(pack, count);
	printf("%9u %9.0f %9.0f %9.0f %9.0f %9.0f %9.2f %9.2f\n", count, find * 1e9, chained * 1e9, hash * 1e9, read * 1e9,
		halving * 1e9, chained / (hash + read), halving / chained);
	lrd_pack_close(pack);
	free(asked.keys);
	free(asked.text);
	lrd_buffer_free(&table);
}

int main(int argc, char **argv)
{
	static const uint32_t counts[] = { 1000, 10000, 100000, 1000000 };
	char path[4096];
	snprintf(path, sizeof path, "%s/bench_pack.lpack", argc > 1 ? argv[1] : ".");
	printf("Opening a bundle: medians of %d runs. checked: its pages mapped already.\n", BENCH_RUNS);
	printf("%9s %7s %9s %11s %11s %11s %9s %9s\n", "entries", "shared", "table MB", "open GB/s", "checked", "memcpy",
		"open/m.", "check/m.");
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
	{
		key_text *keys = make_keys(counts[i]);
		measure_open(path, counts[i], keys, 0);
		measure_open(path, counts[i], keys, 3);
		free(keys);
	}
	printf("\nLooking up random keys: nanoseconds each, medians of %d runs of %u. chained: each key waits for the last "
		   "result.\n"
		   "its hash, a read: hashing the keys alone, reading a random record of the table alone. halving: plain "
		   "binary search, chained.\n",
		BENCH_RUNS, LOOKUPS);
	printf("%9s %9s %9s %9s %9s %9s %9s %9s\n", "entries", "find", "chained", "its hash", "a read", "halving",
		"c/(h+r)", "speed-up");
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
	{
		key_text *keys = make_keys(counts[i]);
		measure_find(path, counts[i], keys);
		free(keys);
	}
	(void)unlink(path);
	return 0;
}
