// geometry/tangents_buckets.c: triangles shared out to ranges of rings, whoever has a corner there, and a range's
// corners sorted by rings. All that is asked of triangles afterwards is read from one range's, which fits the caches,
// whatever the order of triangles in the mesh. Counting sorts, which keep the order of corners.

#include "geometry/tangents.h"

#include "os/parallel.h"

// Rings of a bucket, as a power of two: more where there would be too many buckets to share out to at once.
#define BUCKET_SHIFT 11
#define MOST_BUCKETS 2048u

// Runs of triangles that are shared out on their own.
#define PARTS 16u

typedef struct share_out
{
	lrd_tangents *self;
	uint32_t part_count;
	uint32_t *places; // of a part, then of a bucket: how many entries, then where the next one goes
} share_out;

static uint32_t part_begin(const share_out *share, uint32_t part)
{
	return (uint32_t)((uint64_t)(share->self->geometry->index_count / 3) * part / share->part_count);
}

// The buckets of a triangle's corners, none twice. Returns how many they are.
static inline uint32_t find_buckets(const lrd_tangents *self, const uint32_t *vertices, uint32_t buckets[3])
{
	uint32_t b[3];
	for (uint32_t i = 0; i < 3; i++)
	{
		b[i] = lrd_ring_of(self, vertices[i]) >> self->bucket_shift;
	}
	uint32_t count = 1;
	buckets[0] = b[0];
	if (b[1] != b[0])
	{
		buckets[count++] = b[1];
	}
	if (b[2] != b[0] && b[2] != b[1])
	{
		buckets[count++] = b[2];
	}
	return count;
}

static void count_part(void *user, uint32_t part)
{
	const share_out *share = user;
	const lrd_tangents *self = share->self;
	uint32_t *counts = share->places + (size_t)part * self->bucket_count;
	uint32_t end = part_begin(share, part + 1);
	for (uint32_t triangle = part_begin(share, part); triangle < end; triangle++)
	{
		uint32_t buckets[3];
		uint32_t count = find_buckets(self, self->geometry->indices + 3 * (size_t)triangle, buckets);
		for (uint32_t i = 0; i < count; i++)
		{
			counts[buckets[i]]++;
		}
	}
}

static void fill_part(void *user, uint32_t part)
{
	const share_out *share = user;
	const lrd_tangents *self = share->self;
	uint32_t *places = share->places + (size_t)part * self->bucket_count;
	uint32_t end = part_begin(share, part + 1);
	for (uint32_t triangle = part_begin(share, part); triangle < end; triangle++)
	{
		const uint32_t *vertices = self->geometry->indices + 3 * (size_t)triangle;
		uint32_t buckets[3];
		uint32_t count = find_buckets(self, vertices, buckets);
		for (uint32_t i = 0; i < count; i++)
		{
			self->entries[places[buckets[i]]++] =
				(lrd_tangent_entry){ triangle, { vertices[0], vertices[1], vertices[2] } };
		}
	}
}

static void find_places(const share_out *share)
{
	lrd_tangents *self = share->self;
	uint32_t place = 0;
	for (uint32_t bucket = 0; bucket < self->bucket_count; bucket++)
	{
		self->buckets[bucket].first = place;
		for (uint32_t part = 0; part < share->part_count; part++)
		{
			uint32_t *of_part = &share->places[(size_t)part * self->bucket_count + bucket];
			uint32_t count = *of_part;
			*of_part = place;
			place += count;
		}
	}
	self->buckets[self->bucket_count].first = place;
	self->entry_count = place;
}

static bool share_triangles(const share_out *share)
{
	lrd_tangents *self = share->self;
	lrd_parallel(self->jobs, self->allocator, share->part_count, count_part, (void *)(uintptr_t)share);
	find_places(share);
	self->entries = lrd_alloc(self->allocator, self->entry_count * sizeof *self->entries);
	if (self->entries == NULL)
	{
		return false;
	}
	lrd_parallel(self->jobs, self->allocator, share->part_count, fill_part, (void *)(uintptr_t)share);
	return true;
}

bool lrd_tangents_fill_buckets(lrd_tangents *self, lrd_error *error)
{
	share_out share = { .self = self, .part_count = self->jobs != NULL ? PARTS : 1 };
	self->bucket_shift = BUCKET_SHIFT;
	while ((self->ring_count - 1) >> self->bucket_shift >= MOST_BUCKETS)
	{
		self->bucket_shift++;
	}
	self->bucket_count = ((self->ring_count - 1) >> self->bucket_shift) + 1;
	size_t place_count = (size_t)share.part_count * self->bucket_count;
	self->buckets = lrd_alloc_zeroed(self->allocator, (size_t)self->bucket_count + 1, sizeof *self->buckets);
	share.places = lrd_alloc_zeroed(self->allocator, place_count, sizeof *share.places);
	bool done = self->buckets != NULL && share.places != NULL && share_triangles(&share);
	lrd_free(self->allocator, share.places, place_count * sizeof *share.places);
	return done || lrd_fail_memory(error, "triangles", self->entry_count * sizeof *self->entries);
}

static size_t start_bytes(const lrd_tangents *self)
{
	return (((size_t)1 << self->bucket_shift) + 2) * sizeof(uint32_t);
}

lrd_tangent_desk *lrd_tangents_open_desk(lrd_tangents *self, uint32_t first_bucket, uint32_t end_bucket)
{
	uint32_t most = 0;
	for (uint32_t bucket = first_bucket; bucket < end_bucket; bucket++)
	{
		uint32_t count = self->buckets[bucket + 1].first - self->buckets[bucket].first;
		most = count > most ? count : most;
	}
	lrd_tangent_desk *desk = lrd_alloc_zeroed(self->allocator, 1, sizeof *desk);
	if (desk == NULL)
	{
		return NULL;
	}
	desk->self = self;
	desk->place_room = 3 * most;
	desk->starts = lrd_alloc(self->allocator, start_bytes(self));
	desk->places = lrd_alloc(self->allocator, desk->place_room * sizeof *desk->places);
	if (desk->starts == NULL || (desk->places == NULL && desk->place_room != 0))
	{
		lrd_tangents_close_desk(desk);
		return NULL;
	}
	return desk;
}

void lrd_tangents_close_desk(lrd_tangent_desk *desk)
{
	if (desk != NULL)
	{
		lrd_tangents *self = desk->self;
		lrd_free(self->allocator, desk->places, desk->place_room * sizeof *desk->places);
		lrd_free(self->allocator, desk->starts, start_bytes(self));
		lrd_free(self->allocator, desk, sizeof *desk);
	}
}

// The number of a corner's ring in the bucket; one too many where it is in another one, so that those come last.
static inline uint32_t ring_in_bucket(const lrd_tangent_desk *desk, uint32_t vertex)
{
	uint32_t ring = lrd_ring_of(desk->self, vertex) - desk->first_ring;
	return ring < desk->ring_count ? ring : desk->ring_count;
}

void lrd_tangents_open_bucket(lrd_tangent_desk *desk, uint32_t bucket)
{
	const lrd_tangents *self = desk->self;
	desk->bucket = &self->buckets[bucket];
	desk->entries = self->entries + desk->bucket->first;
	desk->first_ring = bucket << self->bucket_shift;
	uint32_t left = self->ring_count - desk->first_ring;
	desk->ring_count = left < 1u << self->bucket_shift ? left : 1u << self->bucket_shift;
	uint32_t entry_count = desk->bucket[1].first - desk->bucket->first;
	memset(desk->starts, 0, start_bytes(self));
	for (uint32_t entry = 0; entry < entry_count; entry++)
	{
		const uint32_t *vertices = desk->entries[entry].vertices;
		for (uint32_t i = 0; i < 3; i++)
		{
			desk->starts[ring_in_bucket(desk, vertices[i])]++;
		}
	}
	uint32_t total = 0;
	for (uint32_t ring = 0; ring <= desk->ring_count; ring++)
	{
		total += desk->starts[ring];
		desk->starts[ring] = total; // one past its corners for now
	}
	for (uint32_t entry = entry_count; entry-- > 0;)
	{
		const uint32_t *vertices = desk->entries[entry].vertices;
		for (uint32_t i = 3; i-- > 0;)
		{
			desk->places[--desk->starts[ring_in_bucket(desk, vertices[i])]] = 3 * entry + i;
		}
	}
}
