// Which keys of channels with the same times go: each channel its own, which then needs times of its own, or all the
// same ones. Bytes decide.

#include "motion/motion.h"

#include "base/error.h"

/// One way of thinning the block: what each track keeps, and the floats that comes to.
typedef struct way
{
	const uint32_t **kept; ///< by track; NULL: all
	uint32_t *kept_count;
	uint64_t floats;
} way;

/// The tracks of a block that are neither constant nor cubic.
typedef struct block
{
	lrd_arena *arena;
	lrd_motion_track **tracks;
	uint32_t count;
	uint32_t key_count;
	bool has_cubic;                 ///< whose keys all stay, and with them the block's times
	const lrd_motion_track **group; ///< scratch: count
	uint32_t *scratch;              ///< key_count
} block;

static uint64_t floats_of(const block *self, uint32_t track, uint32_t keys)
{
	return (uint64_t)keys * self->tracks[track]->keys.components;
}

/// Floats of times that all keys of the block need, where some track keeps them all.
static uint64_t block_times(const block *self)
{
	return self->has_cubic ? 0 : self->key_count; // the cubic one has paid for them
}

static bool way_init(const block *self, way *made, lrd_error *error)
{
	made->kept = LRD_ARENA_ARRAY(self->arena, const uint32_t *, self->count);
	made->kept_count = LRD_ARENA_ARRAY(self->arena, uint32_t, self->count);
	made->floats = 0;
	return (made->kept != NULL && made->kept_count != NULL) || lrd_fail_memory(error, "keys", self->count * 12u);
}

/// Thin the first `count` tracks of `group` by the same keys. NULL when memory runs out.
static const uint32_t *thin_group(block *self, uint32_t count, uint32_t *kept_count, lrd_error *error)
{
	lrd_allocator allocator = lrd_arena_allocator(self->arena);
	if (!lrd_motion_thin(allocator, self->group, count, self->scratch, kept_count, error))
	{
		return NULL;
	}
	uint32_t *kept = lrd_arena_alloc(self->arena, *kept_count * sizeof *kept);
	if (kept == NULL)
	{
		(void)lrd_fail_memory(error, "keys", *kept_count * sizeof *kept);
		return NULL;
	}
	memcpy(kept, self->scratch, *kept_count * sizeof *kept);
	return kept;
}

/// Thin those tracks that `made` has nothing for yet by the same keys, or leave them whole where that is less.
static bool thin_rest(block *self, way *made, lrd_error *error)
{
	uint32_t size = 0, kept_count = 0;
	uint64_t components = 0;
	for (uint32_t t = 0; t < self->count; t++)
	{
		if (made->kept[t] == NULL)
		{
			self->group[size++] = self->tracks[t];
			components += self->tracks[t]->keys.components;
		}
	}
	if (size == 0)
	{
		return true;
	}
	const uint32_t *kept = thin_group(self, size, &kept_count, error);
	if (kept == NULL)
	{
		return false;
	}
	uint64_t thinned = kept_count * (components + 1u);
	uint64_t whole = self->key_count * components + block_times(self);
	for (uint32_t t = 0; t < self->count; t++)
	{
		if (made->kept[t] == NULL)
		{
			made->kept[t] = thinned < whole ? kept : NULL;
			made->kept_count[t] = thinned < whole ? kept_count : self->key_count;
		}
	}
	made->floats += thinned < whole ? thinned : whole;
	return true;
}

/// Each track by itself where that pays for times of its own, even if the block's were there for nothing.
static bool thin_alone(block *self, way *made, lrd_error *error)
{
	for (uint32_t t = 0; t < self->count; t++)
	{
		uint32_t kept_count = 0;
		self->group[0] = self->tracks[t];
		const uint32_t *kept = thin_group(self, 1, &kept_count, error);
		if (kept == NULL)
		{
			return false;
		}
		uint64_t alone = floats_of(self, t, kept_count) + kept_count;
		if (alone < floats_of(self, t, self->key_count))
		{
			made->kept[t] = kept;
			made->kept_count[t] = kept_count;
			made->floats += alone;
		}
	}
	return true;
}

static bool choose(block *self, lrd_error *error)
{
	way same, own;
	if (!way_init(self, &same, error) || !way_init(self, &own, error) || !thin_rest(self, &same, error) ||
		!thin_alone(self, &own, error) || !thin_rest(self, &own, error))
	{
		return false;
	}
	const way *best = own.floats < same.floats ? &own : &same;
	for (uint32_t t = 0; t < self->count; t++)
	{
		self->tracks[t]->kept = best->kept[t];
		self->tracks[t]->kept_count = best->kept_count[t];
	}
	return true;
}

bool lrd_motion_thin_block(lrd_arena *arena, lrd_motion_track *tracks, uint32_t count, lrd_error *error)
{
	static const uint32_t first = 0;
	block self = { .arena = arena, .key_count = tracks[0].keys.count };
	self.tracks = LRD_ARENA_ARRAY(arena, lrd_motion_track *, count);
	self.group = LRD_ARENA_ARRAY(arena, const lrd_motion_track *, count);
	self.scratch = lrd_arena_alloc(arena, self.key_count * sizeof *self.scratch);
	if (self.tracks == NULL || self.group == NULL || self.scratch == NULL)
	{
		return lrd_fail_memory(error, "keys", self.key_count * sizeof *self.scratch);
	}
	for (uint32_t t = 0; t < count; t++)
	{
		lrd_motion_track *track = &tracks[t];
		track->kept = NULL;
		track->kept_count = self.key_count;
		if (lrd_motion_is_constant(&track->keys, track->tolerance))
		{
			track->kept = &first;
			track->kept_count = 1;
		}
		else if (track->keys.interpolation == LRD_INTERPOLATION_CUBIC)
		{
			self.has_cubic = true;
		}
		else
		{
			self.tracks[self.count++] = track;
		}
	}
	return self.count == 0 || choose(&self, error);
}
