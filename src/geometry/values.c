// geometry/values.c: which vertices have equal values, by number rather than by bits: -0 equals 0, and what is not a
// number equals nothing. Exact duplicates bit for bit are weld.c's.
//
// Vertices are hashed, and shared out by their hashes to tables that fit the caches; these find the first vertex of each
// hash, and don't look at values. Those are compared afterwards, in the order of vertices, since they are many, and most
// that are equal are near each other in memory. Different values of one hash, which hardly ever happens, come last.

#include "geometry/vertices.h"

#include "os/parallel.h"

#include <stdatomic.h>

size_t lrd_geometry_table_size(uint32_t count)
{
	size_t size = 16;
	while (size < (size_t)count + count / 2)
	{
		size *= 2;
	}
	return size;
}

typedef struct value_streams
{
	const float *const *streams;
	const uint32_t *components;
	uint32_t stream_count;
} value_streams;

// Floats that people choose have few bits set, all of them upper ones: they are mixed down before they are multiplied.
static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash ^= value;
	hash = (hash ^ hash >> 32) * UINT64_C(0x9E3779B97F4A7C15);
	return hash ^ hash >> 29;
}

// -0 becomes 0, so that equal numbers have equal bits.
static uint64_t bits_of(float value)
{
	uint32_t bits;
	value += 0.0f;
	memcpy(&bits, &value, sizeof bits);
	return bits;
}

// Mix one stream's values into the hashes of `count` vertices, and note those that are not numbers.
static inline void mix_stream(const float *values, uint32_t components, uint32_t count, uint64_t *hashes, bool *numbers)
{
	for (uint32_t i = 0; i < count; i++, values += components)
	{
		for (uint32_t c = 0; c + 1 < components; c += 2)
		{
			hashes[i] = mix(hashes[i], bits_of(values[c]) | bits_of(values[c + 1]) << 32);
			numbers[i] = numbers[i] && values[c] == values[c] && values[c + 1] == values[c + 1];
		}
		if (components % 2 != 0)
		{
			hashes[i] = mix(hashes[i], bits_of(values[components - 1]));
			numbers[i] = numbers[i] && values[components - 1] == values[components - 1];
		}
	}
}

// Vertices that are hashed at once.
#define BLOCK 64u

// No vertex has this hash but those that are not numbers.
#define NO_HASH LRD_NO_VERTEX

// Stands for the first equal vertex while that is not known.
#define COLLIDED (LRD_NO_VERTEX - 1)

typedef struct hashed_vertex
{
	uint32_t vertex;
	uint32_t hash;
} hashed_vertex;

// Runs of vertices or of tables that one thread works through.
#define PARTS 16u

// Vertices of a table, roughly. A table has as much room for hashes as that, or more if it needs it.
#define TABLE_VERTICES 131072u
#define MOST_TABLES 1024u

typedef struct numbering
{
	lrd_allocator allocator;
	value_streams streams;
	uint32_t vertex_count;
	uint32_t *first_equal; // hashes, to begin with
	unsigned table_bits;   // of a hash: its table
	uint32_t *places;      // of a part, then of a table: how many vertices, then where the next one goes
	uint32_t *starts;      // of a table: its vertices in `vertices`; and one more
	hashed_vertex *vertices;
	atomic_bool out_of_memory;
	atomic_bool collided;
} numbering;

static uint32_t part_begin(uint32_t count, uint32_t part)
{
	return (uint32_t)((uint64_t)count * part / PARTS);
}

static size_t table_of(const numbering *self, uint32_t hash)
{
	return (size_t)((uint64_t)hash >> (32 - self->table_bits));
}

static void hash_block(const value_streams *streams, size_t first, uint32_t count, uint32_t *hashes)
{
	uint64_t mixed[BLOCK] = { 0 };
	bool numbers[BLOCK];
	memset(numbers, true, sizeof numbers);
	for (uint32_t s = 0; s < streams->stream_count; s++)
	{
		const float *values = streams->streams[s] + first * streams->components[s];
		switch (streams->components[s])
		{
		// Constants let the compiler unroll.
		case 2: mix_stream(values, 2, count, mixed, numbers); break;
		case 3: mix_stream(values, 3, count, mixed, numbers); break;
		default: mix_stream(values, streams->components[s], count, mixed, numbers);
		}
	}
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t hash = (uint32_t)(mixed[i] * UINT64_C(0xC2B2AE3D27D4EB4F) >> 32);
		hashes[i] = !numbers[i] ? NO_HASH : hash != NO_HASH ? hash : 0;
	}
}

static void hash_part(void *user, uint32_t part)
{
	const numbering *self = user;
	uint32_t *counts = self->places + ((size_t)part << self->table_bits);
	uint32_t end = part_begin(self->vertex_count, part + 1);
	for (uint32_t first = part_begin(self->vertex_count, part); first < end;)
	{
		uint32_t count = end - first < BLOCK ? end - first : BLOCK;
		hash_block(&self->streams, first, count, self->first_equal + first);
		for (uint32_t i = first; i < first + count; i++)
		{
			counts[table_of(self, self->first_equal[i])] += self->first_equal[i] != NO_HASH;
		}
		first += count;
	}
}

static void find_places(numbering *self)
{
	uint32_t place = 0;
	for (size_t table = 0; table < (size_t)1 << self->table_bits; table++)
	{
		self->starts[table] = place;
		for (size_t part = 0; part < PARTS; part++)
		{
			uint32_t *of_part = &self->places[(part << self->table_bits) + table];
			uint32_t count = *of_part;
			*of_part = place;
			place += count;
		}
	}
	self->starts[(size_t)1 << self->table_bits] = place;
}

static void share_part(void *user, uint32_t part)
{
	const numbering *self = user;
	uint32_t *places = self->places + ((size_t)part << self->table_bits);
	uint32_t end = part_begin(self->vertex_count, part + 1);
	for (uint32_t vertex = part_begin(self->vertex_count, part); vertex < end; vertex++)
	{
		uint32_t hash = self->first_equal[vertex];
		if (hash != NO_HASH)
		{
			self->vertices[places[table_of(self, hash)]++] = (hashed_vertex){ vertex, hash };
		}
	}
}

typedef struct value_table
{
	lrd_allocator allocator;
	hashed_vertex *slots;
	size_t slot_count; // a power of two
	size_t used;
} value_table;

static bool open_table(value_table *self, size_t slot_count)
{
	self->used = 0;
	self->slot_count = slot_count;
	self->slots = lrd_alloc(self->allocator, slot_count * sizeof *self->slots);
	if (self->slots == NULL)
	{
		return false;
	}
	memset(self->slots, 0xFF, slot_count * sizeof *self->slots); // LRD_NO_VERTEX
	return true;
}

static void close_table(value_table *self)
{
	lrd_free(self->allocator, self->slots, self->slot_count * sizeof *self->slots);
}

// The slot of this hash, or the empty one that it would have. Hashes of one table have their upper bits in common.
static hashed_vertex *find_slot(const value_table *self, uint32_t hash)
{
	size_t slot = hash & (self->slot_count - 1);
	while (self->slots[slot].vertex != LRD_NO_VERTEX && self->slots[slot].hash != hash)
	{
		slot = (slot + 1) & (self->slot_count - 1);
	}
	return &self->slots[slot];
}

// How many vertices differ is not known before, and often far fewer than there are.
static bool make_room(value_table *self)
{
	if (self->used * 3 < self->slot_count * 2)
	{
		return true;
	}
	value_table larger = { .allocator = self->allocator };
	if (!open_table(&larger, self->slot_count * 2))
	{
		return false;
	}
	larger.used = self->used;
	for (size_t i = 0; i < self->slot_count; i++)
	{
		if (self->slots[i].vertex != LRD_NO_VERTEX)
		{
			*find_slot(&larger, self->slots[i].hash) = self->slots[i];
		}
	}
	close_table(self);
	*self = larger;
	return true;
}

// Puts the first vertex of each hash where the hash was.
static bool fill_table(value_table *table, hashed_vertex *vertices, uint32_t count)
{
	memset(table->slots, 0xFF, table->slot_count * sizeof *table->slots); // LRD_NO_VERTEX
	table->used = 0;
	for (uint32_t i = 0; i < count; i++)
	{
		if (!make_room(table))
		{
			return false;
		}
		hashed_vertex *slot = find_slot(table, vertices[i].hash);
		if (slot->vertex == LRD_NO_VERTEX)
		{
			*slot = vertices[i];
			table->used++;
		}
		vertices[i].hash = slot->vertex;
	}
	return true;
}

static void fill_tables(void *user, uint32_t part)
{
	numbering *self = user;
	uint32_t table_count = 1u << self->table_bits;
	value_table table = { .allocator = self->allocator };
	uint32_t end = part_begin(table_count, part + 1);
	uint32_t first = part_begin(table_count, part);
	uint32_t usual = self->vertex_count < TABLE_VERTICES ? self->vertex_count : TABLE_VERTICES;
	bool done = first == end || open_table(&table, lrd_geometry_table_size(usual / 4));
	for (; done && first < end; first++)
	{
		uint32_t count = self->starts[first + 1] - self->starts[first];
		done = fill_table(&table, self->vertices + self->starts[first], count);
	}
	close_table(&table);
	if (!done)
	{
		atomic_store(&self->out_of_memory, true);
	}
}

static bool values_equal(const value_streams *streams, size_t a, size_t b)
{
	for (uint32_t s = 0; s < streams->stream_count; s++)
	{
		uint32_t components = streams->components[s];
		const float *of_a = streams->streams[s] + a * components;
		const float *of_b = streams->streams[s] + b * components;
		for (uint32_t c = 0; c < components; c++)
		{
			if (of_a[c] != of_b[c])
			{
				return false;
			}
		}
	}
	return true;
}

// Backwards, through the same places.
static void compare_part(void *user, uint32_t part)
{
	numbering *self = user;
	uint32_t *places = self->places + ((size_t)part << self->table_bits);
	uint32_t begin = part_begin(self->vertex_count, part);
	for (uint32_t vertex = part_begin(self->vertex_count, part + 1); vertex-- > begin;)
	{
		uint32_t hash = self->first_equal[vertex];
		if (hash == NO_HASH)
		{
			continue; // it is LRD_NO_VERTEX already
		}
		uint32_t first = self->vertices[--places[table_of(self, hash)]].hash;
		bool equal = first == vertex || values_equal(&self->streams, first, vertex);
		self->first_equal[vertex] = equal ? first : COLLIDED;
		if (!equal)
		{
			atomic_store(&self->collided, true);
		}
	}
}

// By another hash than the first one.
static uint64_t hash_again(const value_streams *streams, size_t vertex)
{
	uint64_t hash = 1;
	for (uint32_t s = 0; s < streams->stream_count; s++)
	{
		const float *values = streams->streams[s] + vertex * streams->components[s];
		for (uint32_t c = 0; c < streams->components[s]; c++)
		{
			hash = mix(hash, bits_of(values[c]) * UINT64_C(0xD6E8FEB86659FD93));
		}
	}
	return hash;
}

// Vertices that differ from the first one of their hash: of those that are equal, the first is among them too.
static bool number_collided(numbering *self)
{
	uint32_t count = 0;
	for (uint32_t vertex = 0; vertex < self->vertex_count; vertex++)
	{
		count += self->first_equal[vertex] == COLLIDED;
	}
	size_t slot_count = lrd_geometry_table_size(count);
	uint32_t *slots = lrd_alloc(self->allocator, slot_count * sizeof *slots);
	if (slots == NULL)
	{
		return false;
	}
	memset(slots, 0xFF, slot_count * sizeof *slots); // LRD_NO_VERTEX
	for (uint32_t vertex = 0; vertex < self->vertex_count; vertex++)
	{
		if (self->first_equal[vertex] == COLLIDED)
		{
			size_t slot = (size_t)hash_again(&self->streams, vertex) & (slot_count - 1);
			while (slots[slot] != LRD_NO_VERTEX && !values_equal(&self->streams, slots[slot], vertex))
			{
				slot = (slot + 1) & (slot_count - 1);
			}
			slots[slot] = slots[slot] != LRD_NO_VERTEX ? slots[slot] : vertex;
			self->first_equal[vertex] = slots[slot];
		}
	}
	lrd_free(self->allocator, slots, slot_count * sizeof *slots);
	return true;
}

static bool number_vertices(numbering *self, const lrd_jobs *jobs)
{
	lrd_parallel(jobs, self->allocator, PARTS, hash_part, self);
	find_places(self);
	lrd_parallel(jobs, self->allocator, PARTS, share_part, self);
	lrd_parallel(jobs, self->allocator, PARTS, fill_tables, self);
	if (atomic_load(&self->out_of_memory))
	{
		return false;
	}
	lrd_parallel(jobs, self->allocator, PARTS, compare_part, self);
	return !atomic_load(&self->collided) || number_collided(self);
}

bool lrd_geometry_equal_values(lrd_allocator allocator, const lrd_jobs *jobs, const float *const *streams,
	const uint32_t *stream_components, uint32_t stream_count, uint32_t vertex_count, uint32_t *first_equal,
	lrd_error *error)
{
	if (vertex_count == 0)
	{
		return true;
	}
	numbering self = { .allocator = allocator,
		.streams = { streams, stream_components, stream_count },
		.vertex_count = vertex_count,
		.first_equal = first_equal };
	while (vertex_count >> self.table_bits > TABLE_VERTICES && 1u << self.table_bits < MOST_TABLES)
	{
		self.table_bits++;
	}
	size_t place_count = (size_t)PARTS << self.table_bits;
	size_t start_count = ((size_t)1 << self.table_bits) + 1;
	self.places = lrd_alloc_zeroed(allocator, place_count, sizeof *self.places);
	self.starts = lrd_alloc(allocator, start_count * sizeof *self.starts);
	self.vertices = lrd_alloc(allocator, vertex_count * sizeof *self.vertices);
	bool done = self.places != NULL && self.starts != NULL && self.vertices != NULL && number_vertices(&self, jobs);
	lrd_free(allocator, self.vertices, vertex_count * sizeof *self.vertices);
	lrd_free(allocator, self.starts, start_count * sizeof *self.starts);
	lrd_free(allocator, self.places, place_count * sizeof *self.places);
	return done || lrd_fail_memory(error, "vertices by their values", vertex_count * sizeof *self.vertices);
}
