// bench/store_loads.c: loading many small and a few large assets: loose files, a raw bundle, a zstd bundle; with the files in the
// system's cache and without; and whether a load costs the same however many assets are mounted. Peers: pread of the same
// files, a copy of the same bytes, zstd alone.

#define _XOPEN_SOURCE 700 // sync

#include "store_bench.h"

#include "larder/pack_write.h"
#include "os/os.h"

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#define PATH_ROOM 4096
#define LOOSE_NAME "bench_store_loose"
#define BUNDLE_NAME "bench_store.lpack"
#define MANIFEST "larder.manifest.json"
#define RUNS 5
#define COLD_RUNS 3
#define LOADED 10000u // assets loaded of those that are mounted

typedef struct load_set
{
	const char *name;
	uint32_t count;
	size_t size;
} load_set;

typedef enum load_form
{
	LOOSE,
	RAW,
	ZSTD,
} load_form;

static const char *const form_names[] = { "loose files", "raw bundle", "zstd bundle" };

typedef struct subject
{
	const char *folder;
	load_set set;
	load_form form;
	char path[PATH_ROOM];   // of the bundle, or of the folder of loose files
	unsigned char *scratch; // of an asset's size
	void **blocks;          // for each asset
} subject;

static const char *join(char text[PATH_ROOM], const char *folder, const char *name)
{
	if (snprintf(text, PATH_ROOM, "%s/%s", folder, name) >= PATH_ROOM)
	{
		bench_stop("bench_store: the folder's path is too long");
	}
	return text;
}

static lrd_string asset_name(char text[16], uint32_t number)
{
	return (lrd_string){ text, (size_t)snprintf(text, 16, "%05u.bin", number) };
}

static const char *file_path(const subject *self, uint32_t number, char text[PATH_ROOM])
{
	char name[16];
	return join(text, self->path, asset_name(name, number).data);
}

// Half of it is noise, and half of it repeats: zstd halves it.
static void fill(unsigned char *bytes, size_t size, uint32_t number)
{
	uint64_t random = number + 1;
	for (size_t i = 0; i < size; i += 8)
	{
		uint64_t word = i % 128 < 64 ? bench_random(&random) : number;
		memcpy(bytes + i, &word, sizeof word);
	}
	memcpy(bytes, &number, sizeof number);
}

// --- Making ---

static void write_file(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "wb");
	if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0)
	{
		bench_stop("bench_store: can't write a file");
	}
}

static void make_loose(subject *self)
{
	char path[PATH_ROOM];
	lrd_error error;
	join(self->path, self->folder, LOOSE_NAME);
	bench_check(lrd_folder_make(self->path, &error), &error);
	for (uint32_t i = 0; i < self->set.count; i++)
	{
		fill(self->scratch, self->set.size, i);
		write_file(file_path(self, i, path), self->scratch, self->set.size);
	}
	write_file(join(path, self->path, MANIFEST), "{}", 2); // as after a cook: large files are mapped
}

// Out of the loose files, which are there.
static void make_bundle(subject *self)
{
	subject loose = *self;
	join(loose.path, self->folder, LOOSE_NAME);
	join(self->path, self->folder, BUNDLE_NAME);
	lrd_pack_source *sources = bench_get(self->set.count, sizeof *sources);
	char *text = bench_get(self->set.count, PATH_ROOM);
	for (uint32_t i = 0; i < self->set.count; i++)
	{
		const char *path = file_path(&loose, i, text + (size_t)i * PATH_ROOM);
		sources[i] = (lrd_pack_source){ .key = lrd_string_from(path + strlen(loose.path) + 1), .path = path };
	}
	lrd_error error;
	const lrd_pack_write_desc desc = {
		.path = self->path,
		.sources = sources,
		.source_count = self->set.count,
		.compression = self->form == ZSTD ? LRD_ZSTD : LRD_STORED,
		.level = 3,
	};
	bench_check(lrd_pack_write(&desc, NULL, &error), &error);
	free(sources);
	free(text);
}

static void remove_all(const subject *self)
{
	char path[PATH_ROOM];
	subject loose = *self;
	join(loose.path, self->folder, LOOSE_NAME);
	for (uint32_t i = 0; i < self->set.count; i++)
	{
		(void)unlink(file_path(&loose, i, path));
	}
	(void)unlink(join(path, loose.path, MANIFEST));
	(void)rmdir(loose.path);
	(void)unlink(join(path, self->folder, BUNDLE_NAME));
}

static void drop_file(const char *path)
{
	int file = open(path, O_RDONLY);
	if (file < 0 || posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) != 0 || close(file) != 0)
	{
		bench_stop("bench_store: can't drop a file from the cache");
	}
}

// Out of the system's cache; what a disk keeps for itself it keeps.
static void drop(const subject *self)
{
	char path[PATH_ROOM];
	for (uint32_t i = 0; self->form == LOOSE && i < self->set.count; i++)
	{
		drop_file(file_path(self, i, path));
	}
	if (self->form != LOOSE)
	{
		drop_file(self->path);
	}
}

// --- Through the store ---

typedef struct seconds
{
	double processor;
	double wall;
} seconds;

static lrd_asset *find_all(lrd_store *store, const load_set *set)
{
	lrd_asset *assets = bench_get(set->count, sizeof *assets);
	for (uint32_t i = 0; i < set->count; i++)
	{
		char name[16];
		lrd_error error;
		assets[i] = lrd_asset_find_string(store, LRD_BLOB, asset_name(name, i), &error);
		bench_check(assets[i].generation != 0, &error);
	}
	return assets;
}

static void check_payloads(lrd_store *store, const lrd_asset *assets, const subject *self)
{
	for (uint32_t i = 0; i < self->set.count; i++)
	{
		const lrd_blob *blob = lrd_blob_get(store, assets[i]);
		if (blob == NULL || blob->bytes.size != self->set.size || memcmp(blob->bytes.data, &i, sizeof i) != 0)
		{
			bench_stop("bench_store: an asset was loaded wrongly");
		}
	}
	lrd_store_stats stats;
	lrd_store_get_stats(store, &stats);
	bool in_place = self->form == RAW || (self->form == LOOSE && self->set.size >= 1u << 20);
	if (in_place != (stats.io_bytes == 0))
	{
		bench_stop("bench_store: bytes were copied that are used in place, or none that are not");
	}
}

// `jobs` NULL: one worker and the calling thread together.
static seconds load_once(const subject *self, bench_jobs *jobs, bool cold)
{
	lrd_error error;
	lrd_jobs interface = jobs != NULL ? bench_jobs_of(jobs) : (lrd_jobs){ 0 };
	lrd_store *store =
		lrd_store_open(&(lrd_store_desc){ .jobs = jobs != NULL ? &interface : NULL, .worker_count = 1 }, &error);
	bench_check(store != NULL, &error);
	lrd_mount mount;
	const lrd_mount_desc desc =
		self->form == LOOSE ? (lrd_mount_desc){ .root = self->path } : (lrd_mount_desc){ .pack = self->path };
	bench_check(lrd_store_mount(store, &desc, &mount, &error), &error);
	lrd_asset *assets = find_all(store, &self->set);
	lrd_ticket ticket = lrd_ticket_open(store, NULL, &error);
	for (uint32_t i = 0; i < self->set.count; i++)
	{
		bench_check(lrd_ticket_require(store, ticket, assets[i], &error), &error);
	}
	lrd_ticket_seal(store, ticket);
	if (cold)
	{
		drop(self);
	}
	seconds begin = { bench_now(), bench_wall_now() };
	for (uint32_t i = 0; i < self->set.count; i++)
	{
		lrd_retain(store, assets[i]);
	}
	if (jobs != NULL)
	{
		bench_jobs_run(jobs);
	}
	bool arrived = lrd_ticket_wait(store, ticket);
	lrd_store_update(store);
	seconds end = { bench_now(), bench_wall_now() };
	if (!arrived)
	{
		bench_stop("bench_store: not everything arrived");
	}
	check_payloads(store, assets, self);
	for (uint32_t i = 0; i < self->set.count; i++)
	{
		lrd_release(store, assets[i]);
	}
	lrd_store_close(store);
	free(assets);
	return (seconds){ end.processor - begin.processor, end.wall - begin.wall };
}

static seconds load(const subject *self, bool by_hand, bool cold)
{
	double processor[RUNS];
	double wall[RUNS];
	int runs = cold ? COLD_RUNS : RUNS;
	for (int run = 0; run < runs; run++)
	{
		bench_jobs jobs = { 0 };
		seconds got = load_once(self, by_hand ? &jobs : NULL, cold);
		processor[run] = got.processor;
		wall[run] = got.wall;
	}
	return (seconds){ bench_median(processor, (size_t)runs), bench_median(wall, (size_t)runs) };
}

// --- Peers ---

static void read_part(int file, void *to, size_t size, off_t offset)
{
	for (size_t done = 0; done < size;)
	{
		ssize_t got = pread(file, (char *)to + done, size - done, offset + (off_t)done);
		if (got <= 0)
		{
			bench_stop("bench_store: can't read a file");
		}
		done += (size_t)got;
	}
}

// A bundle opened in a mapping of this program's, which knows where each payload lies.
typedef struct bundle
{
	lrd_mapping *mapping;
	lrd_pack *pack;
	lrd_pack_entry *entries; // by number
} bundle;

static bundle open_bundle(const subject *self)
{
	lrd_error error;
	bundle opened = { .mapping = lrd_mapping_open(self->path, (lrd_allocator){ 0 }, &error) };
	bench_check(opened.mapping != NULL, &error);
	opened.pack = lrd_pack_open(&(lrd_pack_desc){ .memory = lrd_mapping_bytes(opened.mapping) }, &error);
	bench_check(opened.pack != NULL, &error);
	opened.entries = bench_get(self->set.count, sizeof *opened.entries);
	for (uint32_t i = 0; i < self->set.count; i++)
	{
		char name[16];
		if (!lrd_pack_find(opened.pack, asset_name(name, i), &opened.entries[i]))
		{
			bench_stop("bench_store: a payload is missing");
		}
	}
	return opened;
}

static void close_bundle(bundle *opened)
{
	free(opened->entries);
	lrd_pack_close(opened->pack);
	lrd_mapping_release(opened->mapping);
}

// Whoever brings bytes into memory needs memory: like the store's, these blocks are new, and there until the last one is.
static void *new_block(const subject *self, uint32_t number)
{
	self->blocks[number] = malloc(self->set.size);
	if (self->blocks[number] == NULL)
	{
		bench_stop("bench_store: out of memory");
	}
	return self->blocks[number];
}

static void free_blocks(const subject *self)
{
	for (uint32_t i = 0; i < self->set.count; i++)
	{
		free(self->blocks[i]);
	}
}

// Each loose file is opened, read whole and closed; of a bundle each payload is read as it is stored.
static void read_all(const subject *self)
{
	char path[PATH_ROOM];
	for (uint32_t i = 0; i < self->set.count; i++)
	{
		int file = open(file_path(self, i, path), O_RDONLY);
		read_part(file, new_block(self, i), self->set.size, 0);
		close(file);
	}
}

static void read_all_stored(const subject *self, const bundle *opened)
{
	int file = open(self->path, O_RDONLY);
	const uint8_t *start = lrd_mapping_bytes(opened->mapping).data;
	for (uint32_t i = 0; i < self->set.count; i++)
	{
		const lrd_pack_entry *entry = &opened->entries[i];
		read_part(file, new_block(self, i), (size_t)entry->stored_size, (const uint8_t *)entry->stored - start);
	}
	close(file);
}

static seconds time_reads(const subject *self, bool cold)
{
	double processor[RUNS];
	double wall[RUNS];
	int runs = cold ? COLD_RUNS : RUNS;
	for (int run = 0; run < runs; run++)
	{
		bundle opened = self->form != LOOSE ? open_bundle(self) : (bundle){ 0 };
		if (cold)
		{
			drop(self);
		}
		seconds begin = { bench_now(), bench_wall_now() };
		if (self->form == LOOSE)
		{
			read_all(self);
		}
		else
		{
			read_all_stored(self, &opened);
		}
		processor[run] = bench_now() - begin.processor;
		wall[run] = bench_wall_now() - begin.wall;
		free_blocks(self);
		if (self->form != LOOSE)
		{
			close_bundle(&opened);
		}
	}
	return (seconds){ bench_median(processor, (size_t)runs), bench_median(wall, (size_t)runs) };
}

// The same bytes copied, or inflated with one context, out of memory.
static double time_unpacking(const subject *self)
{
	double times[RUNS + 1];
	bundle opened = self->form != LOOSE ? open_bundle(self) : (bundle){ 0 };
	unsigned char *loose = self->form == LOOSE ? bench_get(self->set.count, self->set.size) : NULL;
	ZSTD_DCtx *context = ZSTD_createDCtx();
	for (int run = 0; run < RUNS + 1; run++)
	{
		double begin = bench_now();
		for (uint32_t i = 0; i < self->set.count; i++)
		{
			const lrd_pack_entry *entry = loose == NULL ? &opened.entries[i] : NULL;
			if (entry != NULL && entry->compression == LRD_ZSTD)
			{
				(void)ZSTD_decompressDCtx(
					context, new_block(self, i), self->set.size, entry->stored, (size_t)entry->stored_size);
				continue;
			}
			bench_copy(new_block(self, i), entry != NULL ? entry->stored : loose + i * self->set.size, self->set.size);
		}
		times[run] = bench_now() - begin;
		free_blocks(self);
	}
	ZSTD_freeDCtx(context);
	free(loose);
	if (self->form != LOOSE)
	{
		close_bundle(&opened);
	}
	return bench_median(times + 1, RUNS); // the first one brought the pages in
}

// --- Tables ---

typedef struct figures
{
	seconds one, two, read;
	double unpacked;
} figures;

static figures measure(const subject *self, bool cold)
{
	return (figures){
		.one = load(self, true, cold),
		.two = load(self, false, cold),
		.read = time_reads(self, cold),
		.unpacked = cold ? 0 : time_unpacking(self),
	};
}

static void print_warm(const load_set *set, load_form form, const figures *got)
{
	double bytes = (double)set->count * (double)set->size;
	printf("%-6s %-12s %10.2f %9.2f %9.2fx %10.2f %9.2fx %10.2f %9.2fx\n", set->name, form_names[form],
		got->one.processor * 1e6 / set->count, bytes / got->one.processor * 1e-9, got->one.wall / got->two.wall,
		bytes / got->read.processor * 1e-9, got->read.processor / got->one.processor, bytes / got->unpacked * 1e-9,
		got->unpacked / got->one.processor);
}

static void print_cold(const load_set *set, load_form form, const figures *got)
{
	double bytes = (double)set->count * (double)set->size;
	printf("%-6s %-12s %10.2f %9.2f %9.2fx %10.2f %9.2fx\n", set->name, form_names[form],
		got->one.wall * 1e6 / set->count, bytes / got->one.wall * 1e-9, got->one.wall / got->two.wall,
		bytes / got->read.wall * 1e-9, got->read.wall / got->one.wall);
}

void bench_loads(const char *folder)
{
	static const load_set sets[] = { { "small", 10000, (size_t)4 << 10 }, { "large", 50, (size_t)16 << 20 } };
	figures warm[2][3];
	figures cold[2][3];
	for (size_t s = 0; s < 2; s++)
	{
		subject self = { .folder = folder, .set = sets[s], .scratch = bench_get(1, sets[s].size) };
		self.blocks = bench_get(sets[s].count, sizeof *self.blocks);
		make_loose(&self);
		for (self.form = LOOSE; self.form <= ZSTD; self.form++)
		{
			if (self.form != LOOSE)
			{
				make_bundle(&self);
			}
			sync(); // what is not on disk yet can't be dropped
			warm[s][self.form] = measure(&self, false);
			cold[s][self.form] = measure(&self, true);
		}
		remove_all(&self);
		free(self.scratch);
		free((void *)self.blocks);
	}
	printf("Loading 10,000 assets of 4 KiB and 50 of 16 MiB, the files in the system's cache: processor time of one "
		   "thread, us an\n"
		   "asset and GB/s; how much sooner two threads are done by the clock; and beside pread of the same files (as "
		   "they are\n"
		   "stored) and a copy of the same bytes (of a zstd bundle: zstd alone), into new memory both. Medians of %d "
		   "runs.\n",
		RUNS);
	printf("%-6s %-12s %10s %9s %10s %10s %10s %10s %10s\n", "assets", "from", "us each", "GB/s", "2 threads",
		"pread GB/s", "/ pread", "copy GB/s", "/ copy");
	for (int i = 0; i < 6; i++)
	{
		print_warm(&sets[i / 3], (load_form)(i % 3), &warm[i / 3][i % 3]);
	}
	printf("\nThe same with the files out of the system's cache, by the clock on the wall. Medians of %d runs.\n",
		COLD_RUNS);
	printf("%-6s %-12s %10s %9s %10s %10s %10s\n", "assets", "from", "us each", "GB/s", "2 threads", "pread GB/s",
		"/ pread");
	for (int i = 0; i < 6; i++)
	{
		print_cold(&sets[i / 3], (load_form)(i % 3), &cold[i / 3][i % 3]);
	}
}

// --- However many are mounted ---

// Many names for few payloads, so that what grows is the table alone.
static void make_many(const char *path, uint32_t count)
{
	enum
	{
		PAYLOADS = 4096,
		SIZE = 64
	};
	lrd_pack_source *sources = bench_get(count, sizeof *sources);
	char *names = bench_get(count, BENCH_NAME_ROOM);
	unsigned char *contents = bench_get(PAYLOADS, SIZE);
	for (uint32_t i = 0; i < PAYLOADS; i++)
	{
		fill(contents + (size_t)i * SIZE, SIZE, i);
	}
	for (uint32_t i = 0; i < count; i++)
	{
		sources[i].key = bench_name(names + (size_t)i * BENCH_NAME_ROOM, i);
		sources[i].bytes = (lrd_bytes){ contents + (size_t)(i % PAYLOADS) * SIZE, SIZE };
	}
	lrd_error error;
	const lrd_pack_write_desc desc = { .path = path, .sources = sources, .source_count = count };
	bench_check(lrd_pack_write(&desc, NULL, &error), &error);
	free(sources);
	free(names);
	free(contents);
}

static lrd_string *choose_names(uint32_t count, uint32_t chosen, char *text)
{
	lrd_string *names = bench_get(chosen, sizeof *names);
	for (uint32_t i = 0; i < chosen; i++)
	{
		names[i] = bench_name(text + (size_t)i * BENCH_NAME_ROOM, (uint32_t)((uint64_t)i * count / chosen));
	}
	for (uint32_t i = chosen - 1; i > 0; i--) // shuffled
	{
		uint64_t random = i;
		uint32_t other = (uint32_t)(bench_random(&random) % (i + 1));
		lrd_string swapped = names[i];
		names[i] = names[other];
		names[other] = swapped;
	}
	return names;
}

static double time_pack_finds(const char *path, const lrd_string *names, uint32_t count)
{
	double times[BENCH_RUNS];
	lrd_error error;
	lrd_pack *pack = lrd_pack_open(&(lrd_pack_desc){ .path = path }, &error);
	bench_check(pack != NULL, &error);
	for (int run = 0; run < BENCH_RUNS; run++)
	{
		double begin = bench_now();
		for (uint32_t i = 0; i < count; i++)
		{
			lrd_pack_entry entry;
			if (!lrd_pack_find(pack, names[i], &entry))
			{
				bench_stop("bench_store: a name is missing");
			}
		}
		times[run] = bench_now() - begin;
	}
	lrd_pack_close(pack);
	return bench_median(times, BENCH_RUNS);
}

static void measure_mounted(const char *path, uint32_t mounted)
{
	uint32_t count = mounted < LOADED ? mounted : LOADED;
	lrd_error error;
	bench_jobs jobs = { 0 };
	lrd_jobs interface = bench_jobs_of(&jobs);
	char *text = bench_get(count, BENCH_NAME_ROOM);
	make_many(path, mounted);
	lrd_string *names = choose_names(mounted, count, text);
	lrd_store *store = lrd_store_open(&(lrd_store_desc){ .jobs = &interface, .pack = path }, &error);
	bench_check(store != NULL, &error);
	lrd_asset *assets = bench_get(count, sizeof *assets);
	for (uint32_t i = 0; i < count; i++)
	{
		assets[i] = lrd_asset_find_string(store, LRD_BLOB, names[i], &error);
		bench_check(assets[i].generation != 0, &error);
	}
	double loads[BENCH_RUNS];
	double releases[BENCH_RUNS];
	for (int run = -1; run < BENCH_RUNS; run++) // the first brings the pages in
	{
		double begin = bench_now();
		for (uint32_t i = 0; i < count; i++)
		{
			lrd_retain(store, assets[i]);
		}
		bench_jobs_run(&jobs);
		double middle = bench_now();
		for (uint32_t i = 0; i < count; i++)
		{
			lrd_release(store, assets[i]);
		}
		loads[run < 0 ? 0 : run] = middle - begin;
		releases[run < 0 ? 0 : run] = bench_now() - middle;
	}
	lrd_store_stats stats;
	lrd_store_get_stats(store, &stats);
	double load = bench_median(loads, BENCH_RUNS);
	double release = bench_median(releases, BENCH_RUNS);
	double find = time_pack_finds(path, names, count);
	printf("%9u %9u %11.0f %11.0f %11.0f %11.0f %9llu\n", mounted, count, load * 1e9 / count, release * 1e9 / count,
		find * 1e9 / count, (load - find) * 1e9 / count, (unsigned long long)stats.io_bytes);
	lrd_store_close(store);
	free(assets);
	free(names);
	free(text);
}

void bench_mounted(const char *folder)
{
	char path[PATH_ROOM];
	join(path, folder, BUNDLE_NAME);
	printf("Loading at most %u assets out of a raw bundle of many, over and over: ns an asset, medians of %d runs. "
		   "find: looking\n"
		   "the same names up in the bundle alone; rest: the load without that. copied: bytes.\n",
		LOADED, BENCH_RUNS);
	printf("%9s %9s %11s %11s %11s %11s %9s\n", "mounted", "loaded", "load", "release", "find", "rest", "copied");
	for (uint32_t mounted = 1000; mounted <= 1000000; mounted *= 10)
	{
		measure_mounted(path, mounted);
	}
	(void)unlink(path);
}
