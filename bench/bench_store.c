// bench/bench_store.c: what the store costs: references, finding, memory, frames, evictions, loads. Each beside something plain
// that can't be had for less: an atomic addition, a hash table without a store, a list, pread, memcpy. What runs on one
// thread is measured in its processor time, what runs on several both in that and by the clock on the wall.
//
//	bench_store [FOLDER] [TABLE...]    FOLDER, or ".": where files are made and deleted again (3 GB);
//	                                   TABLE: references, finding, memory, frames, storm, loads, mounted

#define _POSIX_C_SOURCE 200809L

#include "store_bench.h"

#include <unistd.h>

void *bench_get(size_t count, size_t size)
{
	void *block = calloc(count, size);
	if (block == NULL)
	{
		bench_stop("bench_store: out of memory");
	}
	return block;
}

uint64_t bench_random(uint64_t *state) // splitmix64
{
	uint64_t z = (*state += 0x9E3779B97F4A7C15u);
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return z ^ (z >> 31);
}

static double seconds_of(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

double bench_thread_now(void)
{
	return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

double bench_wall_now(void)
{
	return seconds_of(CLOCK_MONOTONIC);
}

double bench_resident(void)
{
	unsigned long size = 0;
	unsigned long resident = 0;
	FILE *file = fopen("/proc/self/statm", "r");
	if (file == NULL || fscanf(file, "%lu %lu", &size, &resident) != 2)
	{
		bench_stop("bench_store: can't read /proc/self/statm");
	}
	fclose(file);
	return (double)resident * (double)sysconf(_SC_PAGESIZE);
}

void bench_check(bool done, const lrd_error *error)
{
	if (!done)
	{
		bench_stop(error->message);
	}
}

// --- Jobs by hand ---

static bool submit(void *user, lrd_job *job)
{
	bench_jobs *jobs = user;
	job->next = NULL;
	*(jobs->first != NULL ? jobs->last : &jobs->first) = job;
	jobs->last = &job->next;
	return true;
}

void bench_jobs_run(bench_jobs *jobs)
{
	while (jobs->first != NULL)
	{
		lrd_job *job = jobs->first;
		jobs->first = job->next;
		job->run(job);
	}
}

static void wait_for_jobs(void *user)
{
	bench_jobs_run(user);
}

static uint32_t one_worker(void *user)
{
	(void)user;
	return 1;
}

lrd_jobs bench_jobs_of(bench_jobs *jobs)
{
	return (lrd_jobs){ submit, wait_for_jobs, one_worker, jobs };
}

// --- Assets ---

lrd_string bench_name(char text[BENCH_NAME_ROOM], uint32_t number)
{
	int size = snprintf(
		text, BENCH_NAME_ROOM, "models/region_%02u/building_%05u/%07u.bin", number % 97, number / 50 % 100000, number);
	return (lrd_string){ text, (size_t)size };
}

void bench_assets_open(bench_assets *self, uint32_t count, uint64_t keep_parked)
{
	static _Alignas(16) const unsigned char content[64] = { 1 };
	lrd_error error;
	*self = (bench_assets){ .count = count };
	self->interface = bench_jobs_of(&self->jobs);
	self->store = lrd_store_open(
		&(lrd_store_desc){ .jobs = &self->interface, .keep_parked = keep_parked, .reserve_assets = count }, &error);
	bench_check(self->store != NULL, &error);
	self->files = bench_get(count, sizeof *self->files);
	self->names = bench_get(count, BENCH_NAME_ROOM);
	self->assets = bench_get(count, sizeof *self->assets);
	for (uint32_t i = 0; i < count; i++)
	{
		self->files[i].key = bench_name(self->names + (size_t)i * BENCH_NAME_ROOM, i);
		self->files[i].bytes = (lrd_bytes){ content, sizeof content };
	}
	lrd_mount mount;
	const lrd_mount_desc desc = { .files = self->files, .file_count = count };
	bench_check(lrd_store_mount(self->store, &desc, &mount, &error), &error);
	for (uint32_t i = 0; i < count; i++)
	{
		self->assets[i] = lrd_asset_find_string(self->store, LRD_BLOB, self->files[i].key, &error);
		bench_check(self->assets[i].generation != 0, &error);
	}
}

void bench_assets_load(bench_assets *self)
{
	for (uint32_t i = 0; i < self->count; i++)
	{
		if (!lrd_retain(self->store, self->assets[i]))
		{
			bench_stop("bench_store: an asset was not retained");
		}
	}
	bench_jobs_run(&self->jobs);
}

void bench_assets_release(bench_assets *self)
{
	for (uint32_t i = 0; i < self->count; i++)
	{
		lrd_release(self->store, self->assets[i]);
	}
}

void bench_assets_close(bench_assets *self)
{
	if (lrd_store_close(self->store) != 0)
	{
		bench_stop("bench_store: references are left");
	}
	free(self->files);
	free(self->names);
	free(self->assets);
}

// --- Which tables ---

static bool is_wanted(int argc, char **argv, const char *table)
{
	for (int i = 2; i < argc; i++)
	{
		if (strcmp(argv[i], table) == 0)
		{
			return true;
		}
	}
	return argc <= 2;
}

int main(int argc, char **argv)
{
	static const struct
	{
		const char *name;
		void (*run)(void);
		void (*run_in)(const char *folder);
	} tables[] = {
		{ "references", bench_references, NULL },
		{ "finding", bench_finding, NULL },
		{ "memory", bench_memory, NULL },
		{ "frames", bench_frames, NULL },
		{ "storm", bench_storm, NULL },
		{ "loads", NULL, bench_loads },
		{ "mounted", NULL, bench_mounted },
	};
	const char *folder = argc > 1 ? argv[1] : ".";
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
	{
		if (!is_wanted(argc, argv, tables[i].name))
		{
			continue;
		}
		if (tables[i].run != NULL)
		{
			tables[i].run();
		}
		else
		{
			tables[i].run_in(folder);
		}
		printf("\n");
		fflush(stdout);
	}
	return 0;
}
