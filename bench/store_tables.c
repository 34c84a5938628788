// bench/store_tables.c: finding names, bytes a record, what a frame costs, and storms of evictions.

#include "store_bench.h"

#include "base/hash.h"

#include <stdatomic.h>

#define FINDS 1000000u

// --- A hash table without a store ---

// What finding a name can't be had for less than: hash it, probe, compare. The names are pointed to, as in the store.
typedef struct plain_slot
{
	uint32_t hash;
	uint32_t number; // + 1; 0: empty
} plain_slot;

typedef struct plain_name
{
	const char *data;
	uint32_t size;
} plain_name;

typedef struct plain_table
{
	plain_slot *slots;
	plain_name *names;
	uint32_t mask;
} plain_table;

static uint32_t plain_hash(lrd_string name)
{
	return (uint32_t)(lrd_fnv1a_64(name) * 0x9E3779B97F4A7C15u >> 32);
}

static uint32_t plain_find(const plain_table *table, lrd_string name)
{
	uint32_t hash = plain_hash(name);
	for (uint32_t at = hash & table->mask; table->slots[at].number != 0; at = (at + 1) & table->mask)
	{
		const plain_name *found = &table->names[table->slots[at].number - 1];
		if (table->slots[at].hash == hash && found->size == name.size && memcmp(found->data, name.data, name.size) == 0)
		{
			return table->slots[at].number;
		}
	}
	return 0;
}

static plain_table make_plain(uint32_t count)
{
	uint32_t size = 256;
	while ((uint64_t)size * 7 < (uint64_t)count * 8)
	{
		size *= 2;
	}
	plain_table table = { bench_get(size, sizeof(plain_slot)), bench_get(count, sizeof(plain_name)), size - 1 };
	for (uint32_t i = 0; i < count; i++)
	{
		char text[BENCH_NAME_ROOM];
		lrd_string name = bench_name(text, i);
		char *own = bench_get(1, name.size + 1);
		memcpy(own, text, name.size);
		table.names[i] = (plain_name){ own, (uint32_t)name.size };
		uint32_t hash = plain_hash(name);
		uint32_t at = hash & table.mask;
		while (table.slots[at].number != 0)
		{
			at = (at + 1) & table.mask;
		}
		table.slots[at] = (plain_slot){ hash, i + 1 };
	}
	return table;
}

static void free_plain(plain_table *table, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
	{
		free((void *)(uintptr_t)table->names[i].data);
	}
	free(table->names);
	free(table->slots);
}

// --- Finding ---

typedef struct finding
{
	lrd_store *store;
	plain_table table;
	lrd_string *asked; // FINDS of them
} finding;

static uint32_t find_in_store(const finding *self, lrd_string name)
{
	return lrd_asset_find_string(self->store, LRD_BLOB, name, NULL).generation;
}

static uint32_t find_in_table(const finding *self, lrd_string name)
{
	return plain_find(&self->table, name);
}

static uint32_t hash_alone(const finding *self, lrd_string name)
{
	(void)self;
	return plain_hash(name) + 1; // never 0 with these names, which the compiler can't know
}

// Each look-up begins when the one before has ended: its name is chosen by what that found.
static double time_finds(const finding *self, uint32_t (*find)(const finding *self, lrd_string name))
{
	double times[BENCH_RUNS];
	for (int run = 0; run < BENCH_RUNS; run++)
	{
		double begin = bench_now();
		size_t none = 0;
		for (uint32_t i = 0; i < FINDS; i++)
		{
			none = find(self, self->asked[i + none]) == 0;
		}
		times[run] = (bench_now() - begin) / FINDS;
		if (none != 0)
		{
			bench_stop("bench_store: a name was not found");
		}
	}
	return bench_median(times, BENCH_RUNS) * 1e9;
}

// Making each for the first time.
static double fill(lrd_store *store, uint32_t count)
{
	double begin = bench_now();
	for (uint32_t i = 0; i < count; i++)
	{
		char text[BENCH_NAME_ROOM];
		lrd_error error;
		lrd_asset asset = lrd_asset_find_string(store, LRD_BLOB, bench_name(text, i), &error);
		bench_check(asset.generation != 0, &error);
	}
	return (bench_now() - begin) * 1e9 / count;
}

static void measure_finding(uint32_t count)
{
	lrd_error error;
	bench_jobs jobs = { 0 };
	lrd_jobs interface = bench_jobs_of(&jobs);
	finding self = { .store = lrd_store_open(&(lrd_store_desc){ .jobs = &interface }, &error) };
	bench_check(self.store != NULL, &error);
	double made = fill(self.store, count);
	self.table = make_plain(count);
	self.asked = bench_get(FINDS + 1, sizeof *self.asked);
	char *text = bench_get(FINDS + 1, BENCH_NAME_ROOM);
	uint64_t random = count;
	for (uint32_t i = 0; i <= FINDS; i++)
	{
		self.asked[i] = bench_name(text + (size_t)i * BENCH_NAME_ROOM, (uint32_t)(bench_random(&random) % count));
	}
	double store = time_finds(&self, find_in_store);
	double table = time_finds(&self, find_in_table);
	double hash = time_finds(&self, hash_alone);
	printf("%9u %9.0f %9.0f %9.0f %9.2f %9.0f\n", count, store, table, hash, store / table, made);
	lrd_store_close(self.store);
	free_plain(&self.table, count);
	free(self.asked);
	free(text);
}

void bench_finding(void)
{
	printf("Finding a random asset by its stem of 43 bytes, each when the one before was found: ns, medians of %d runs "
		   "of %u.\n"
		   "plain: a hash table in this program, with neither lock, case, nor check of the path. hash: FNV-1a alone.\n",
		BENCH_RUNS, FINDS);
	printf("%9s %9s %9s %9s %9s %9s\n", "records", "find", "plain", "hash", "find/pl.", "made new");
	for (uint32_t count = 1000; count <= 1000000; count *= 10)
	{
		measure_finding(count);
	}
}

// --- Memory ---

typedef struct counting
{
	size_t out;
	size_t peak;
	size_t calls;
} counting;

static void *count_resize(void *user, void *block, size_t old_size, size_t new_size)
{
	counting *self = user;
	self->calls++;
	self->out += new_size - old_size;
	self->peak = self->out > self->peak ? self->out : self->peak;
	if (new_size == 0)
	{
		free(block);
		return NULL;
	}
	return realloc(block, new_size);
}

static void measure_memory(uint32_t count, uint32_t reserve)
{
	lrd_error error;
	counting memory = { 0 };
	bench_jobs jobs = { 0 };
	lrd_jobs interface = bench_jobs_of(&jobs);
	double resident = bench_resident();
	lrd_store *store = lrd_store_open(
		&(lrd_store_desc){ .jobs = &interface, .allocator = { count_resize, &memory }, .reserve_assets = reserve },
		&error);
	bench_check(store != NULL, &error);
	size_t empty = memory.out;
	(void)fill(store, count);
	size_t names = 0;
	for (uint32_t i = 0; i < count; i++)
	{
		char text[BENCH_NAME_ROOM];
		names += bench_name(text, i).size + 1;
	}
	double bytes = (double)(reserve == 0 ? memory.out - empty : memory.out);
	printf("%9u %9s %12.1f %12.1f %12.1f %12.1f\n", count, reserve != 0 ? "yes" : "no", (bytes - (double)names) / count,
		(double)names / count, (double)memory.peak * 1e-6, (bench_resident() - resident) * 1e-6);
	lrd_store_close(store);
	if (memory.out != 0)
	{
		bench_stop("bench_store: memory is left");
	}
}

void bench_memory(void)
{
	printf("Memory of identities: bytes a record without its name, and of the name (of 43 bytes and a zero at the "
		   "end); of all,\n"
		   "the most that was allocated at once, and what the process grew by.\n");
	printf("%9s %9s %12s %12s %12s %12s\n", "records", "reserved", "record B", "name B", "peak MB", "process MB");
	measure_memory(1000, 0);
	measure_memory(100000, 0);
	measure_memory(1000000, 0);
	measure_memory(1000000, 1000000);
}

// --- Frames ---

static void count_event(void *user, const lrd_event *event)
{
	*(uint32_t *)user += event->flags != 0;
}

static void count_arrivals(void *user, const lrd_ticket_event *event)
{
	*(uint32_t *)user += event->arrived_count;
}

// One update that delivers `count` arrivals: all of one ticket, each of a ticket of its own, or each to a listener.
typedef enum delivery
{
	TO_ONE_TICKET,
	TO_TICKETS,
	TO_LISTENER,
	TO_NOBODY,
} delivery;

static void ask(bench_assets *assets, delivery how, uint32_t *told, lrd_ticket *tickets, lrd_listener *listener)
{
	const lrd_ticket_desc desc = { .wake = LRD_WAKE_PROGRESS, .on_event = count_arrivals, .user = told };
	lrd_error error;
	for (uint32_t i = 0; how <= TO_TICKETS && i < assets->count; i++)
	{
		if (how == TO_TICKETS || i == 0)
		{
			tickets[i] = lrd_ticket_open(assets->store, &desc, &error);
		}
		lrd_ticket ticket = tickets[how == TO_TICKETS ? i : 0];
		bench_check(lrd_ticket_require(assets->store, ticket, assets->assets[i], &error), &error);
		if (how == TO_TICKETS || i + 1 == assets->count)
		{
			lrd_ticket_seal(assets->store, ticket);
		}
	}
	if (how == TO_LISTENER)
	{
		const lrd_listener_desc all = { .flags = LRD_EVENT_READY, .on_event = count_event, .user = told };
		bench_check(lrd_store_listen(assets->store, &all, listener, &error), &error);
	}
}

static double time_clock(void)
{
	double times[101];
	for (int i = 0; i < 101; i++)
	{
		double begin = bench_now();
		times[i] = bench_now() - begin;
	}
	return bench_median(times, 101);
}

static double time_update(bench_assets *assets, delivery how, lrd_ticket *tickets, double reading_the_clock)
{
	uint32_t told = 0;
	lrd_listener listener;
	ask(assets, how, &told, tickets, &listener);
	lrd_store_update(assets->store);
	bench_assets_load(assets);
	double begin = bench_now();
	lrd_store_update(assets->store);
	double seconds = bench_now() - begin - reading_the_clock;
	if (how != TO_NOBODY && told != assets->count)
	{
		bench_stop("bench_store: not everything was told");
	}
	for (uint32_t i = 0; i < assets->count && (how == TO_TICKETS || (how == TO_ONE_TICKET && i == 0)); i++)
	{
		lrd_ticket_close(assets->store, tickets[i]);
	}
	if (how == TO_LISTENER)
	{
		lrd_store_unlisten(assets->store, listener);
	}
	bench_assets_release(assets);
	lrd_store_update(assets->store);
	return seconds;
}

// The caller's function, called as often with as much.
static double time_calls(uint32_t count)
{
	double times[BENCH_RUNS];
	lrd_event *events = bench_get(count, sizeof *events);
	for (uint32_t i = 0; i < count; i++)
	{
		events[i].flags = LRD_EVENT_READY;
	}
	void (*volatile on_event)(void *user, const lrd_event *event) = count_event;
	for (int run = 0; run < BENCH_RUNS; run++)
	{
		uint32_t told = 0;
		double begin = bench_now();
		for (uint32_t i = 0; i < count; i++)
		{
			on_event(&told, &events[i]);
		}
		times[run] = bench_now() - begin;
	}
	free(events);
	return bench_median(times, BENCH_RUNS);
}

static double time_idle(lrd_store *store)
{
	enum
	{
		CALLS = 10000000
	};
	double times[BENCH_RUNS];
	for (int run = 0; run < BENCH_RUNS; run++)
	{
		double begin = bench_now();
		for (uint32_t i = 0; i < CALLS; i++)
		{
			lrd_store_update(store);
		}
		times[run] = (bench_now() - begin) / CALLS;
	}
	return bench_median(times, BENCH_RUNS);
}

static void measure_frames(uint32_t count)
{
	static const char *const names[] = { "one ticket", "a ticket each", "a listener to all", "nobody" };
	bench_assets assets;
	bench_assets_open(&assets, count, 0);
	lrd_ticket *tickets = bench_get(count, sizeof *tickets);
	double clock = time_clock();
	double calls = time_calls(count) - clock;
	for (delivery how = TO_ONE_TICKET; how <= TO_NOBODY; how++)
	{
		double times[BENCH_RUNS];
		for (int run = 0; run < BENCH_RUNS; run++)
		{
			times[run] = time_update(&assets, how, tickets, clock);
		}
		double update = bench_median(times, BENCH_RUNS);
		printf(
			"%9u %-18s %11.2f %11.1f %11.2f\n", count, names[how], update * 1e6, update * 1e9 / count, update / calls);
	}
	free(tickets);
	bench_assets_close(&assets);
}

void bench_frames(void)
{
	bench_assets assets;
	bench_assets_open(&assets, 1000, 0);
	bench_assets_load(&assets);
	lrd_store_update(assets.store);
	printf("An update with nothing to do: %.1f ns.\n\n", time_idle(assets.store) * 1e9);
	bench_assets_release(&assets);
	bench_assets_close(&assets);
	printf("An update that tells of arrivals: its processor time, of each arrival, and beside calling a function as "
		   "often;\n"
		   "medians of %d runs.\n",
		BENCH_RUNS);
	printf("%9s %-18s %11s %11s %11s\n", "arrivals", "told", "us", "ns each", "/ calls");
	measure_frames(100);
	measure_frames(10000);
}

// --- Storms ---

typedef struct plain_node
{
	struct plain_node *older, *newer;
	void *payload;
} plain_node;

// A ring through `end`, whose older neighbour is the newest and whose newer one the oldest.
static void put_newest(plain_node *end, plain_node *node)
{
	node->older = end->older;
	node->newer = end;
	end->older->newer = node;
	end->older = node;
}

static void free_oldest(plain_node *end)
{
	plain_node *oldest = end->newer;
	end->newer = oldest->newer;
	oldest->newer->older = end;
	free(oldest->payload);
}

static double time_list(uint32_t count, size_t size)
{
	double times[BENCH_RUNS];
	for (int run = 0; run < BENCH_RUNS; run++)
	{
		plain_node *nodes = bench_get(count, sizeof *nodes);
		plain_node end = { &end, &end, NULL };
		for (uint32_t i = 0; i < count; i++)
		{
			nodes[i].payload = bench_get(1, size);
		}
		double begin = bench_now();
		for (uint32_t i = 0; i < count; i++)
		{
			put_newest(&end, &nodes[i]);
			if (i >= count / 2)
			{
				free_oldest(&end);
			}
		}
		times[run] = bench_now() - begin;
		while (end.newer != &end)
		{
			free_oldest(&end);
		}
		free(nodes);
	}
	return bench_median(times, BENCH_RUNS) * 1e9 / count;
}

static double time_storm(uint32_t count, size_t *size)
{
	double times[BENCH_RUNS];
	bench_assets assets;
	bench_assets_open(&assets, count, UINT64_MAX);
	for (int run = 0; run < BENCH_RUNS; run++)
	{
		lrd_store_stats stats;
		lrd_store_keep_parked(assets.store, UINT64_MAX);
		bench_assets_load(&assets);
		lrd_store_get_stats(assets.store, &stats);
		*size = (size_t)(stats.owned_bytes / count);
		lrd_store_keep_parked(assets.store, stats.kinds[LRD_BLOB].bytes / 2);
		lrd_store_update(assets.store);
		uint64_t evicted = stats.evicted;
		double begin = bench_now();
		bench_assets_release(&assets);
		times[run] = bench_now() - begin;
		lrd_store_get_stats(assets.store, &stats);
		if (stats.evicted - evicted != count / 2)
		{
			bench_stop("bench_store: not half of them were evicted");
		}
		lrd_store_keep_parked(assets.store, 0);
		lrd_store_update(assets.store);
	}
	bench_assets_close(&assets);
	return bench_median(times, BENCH_RUNS) * 1e9 / count;
}

void bench_storm(void)
{
	printf("Releasing assets of which a budget keeps half: each is parked, and from the middle on each pushes the "
		   "oldest out.\n"
		   "ns a release, medians of %d runs. list: the same with a linked list and blocks of the payloads' size, "
		   "freed.\n",
		BENCH_RUNS);
	printf("%9s %9s %9s %9s\n", "assets", "release", "list", "rel./list");
	for (uint32_t count = 1000; count <= 100000; count *= 10)
	{
		size_t size = 1;
		double storm = time_storm(count, &size);
		double list = time_list(count, size);
		printf("%9u %9.0f %9.0f %9.2f\n", count, storm, list, storm / list);
	}
}
