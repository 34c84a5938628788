// stream/arbiter_share.c: how a budget is shared where wishes exceed it. Within a priority the worst-served texture counts most: all lack
// the same number of the finest levels that they want, the fewest for which there is enough. Levels are added up by
// priority and by how far below a texture's wish they are, so that one pass over the textures finds that number for all priorities.

#include "stream/arbiter.h"

/// Levels of one class that are so far below their textures' wishes.
typedef struct level_rung
{
	uint64_t bytes[2]; ///< [0]: of those that are not resident; [1]: of those that are
	uint64_t least[2]; ///< the smallest of them
} level_rung;

typedef struct level_ladder
{
	level_rung rungs[LRD_ARBITER_CLASSES][LRD_TEXTURE_MAX_LEVELS];
	uint32_t deepest[LRD_ARBITER_CLASSES]; ///< rungs in use
	uint32_t limited[LRD_ARBITER_CLASSES]; ///< textures coarser than wanted
} level_ladder;

// --- Counting levels ---

/// What matters of a texture here. Textures of few sizes, as those of a stream are, differ in few ways: 100,000 in about a
/// thousand.
typedef struct level_kind
{
	const uint64_t *bytes; ///< from the wish on
	uint32_t what;         ///< class, levels lacking, levels between wish and floor: 8 bits each
} level_kind;

/// Textures of a kind, not yet added up.
typedef struct level_group
{
	level_kind kind;
	uint32_t count;
} level_group;

#define GROUP_BITS 12

static inline level_kind kind_of(const lrd_arbiter *self, const lrd_arbiter_texture *t)
{
	uint32_t wish = lrd_arbiter_wish(self, t);
	uint32_t level = lrd_arbiter_level(t);
	level = level < t->floor ? level : t->floor;
	uint32_t lacking = level > wish ? level - wish : 0;
	return (level_kind){ t->image_bytes + wish, lrd_arbiter_class(t) << 16 | lacking << 8 | (t->floor - wish) };
}

static inline void add_levels(level_ladder *ladder, level_kind kind, uint32_t count)
{
	uint32_t class = kind.what >> 16, lacking = kind.what >> 8 & 0xffu, depth = kind.what & 0xffu;
	level_rung *rung = ladder->rungs[class];
	for (uint32_t at = 0; at < depth; at++)
	{
		// One loop for both kinds of levels, as where a loop ends is what a processor guesses wrong.
		uint32_t is_held = at >= lacking;
		uint64_t of_level = kind.bytes[at] - kind.bytes[at + 1];
		uint64_t least = rung[at].least[is_held];
		rung[at].bytes[is_held] += of_level * count;
		rung[at].least[is_held] = of_level < least ? of_level : least;
	}
	ladder->limited[class] += lacking != 0 ? count : 0;
	ladder->deepest[class] = depth > ladder->deepest[class] ? depth : ladder->deepest[class];
}

static uint32_t hash_kind(level_kind kind)
{
	uint64_t bits = (uint64_t)(uintptr_t)kind.bytes ^ (uint64_t)kind.what << 40;
	return (uint32_t)(bits * 0x9e3779b97f4a7c15u >> (64 - GROUP_BITS));
}

/// Adds up equal textures at once, as long as there are many. Returns how many of all textures are counted.
static uint32_t count_groups(const lrd_arbiter *self, level_ladder *ladder)
{
	level_group groups[1u << GROUP_BITS] = { 0 };
	uint32_t strangers = 0, i = 0;
	for (; i < self->count && strangers <= 1024 + i / 4; i++)
	{
		level_kind kind = kind_of(self, &self->textures[i]);
		level_group *group = &groups[hash_kind(kind)];
		if (group->kind.bytes != kind.bytes || group->kind.what != kind.what)
		{
			add_levels(ladder, group->kind, group->count);
			*group = (level_group){ .kind = kind };
			strangers++;
		}
		group->count++;
	}
	for (uint32_t at = 0; at < 1u << GROUP_BITS; at++)
	{
		add_levels(ladder, groups[at].kind, groups[at].count);
	}
	return i;
}

static void count_levels(const lrd_arbiter *self, level_ladder *ladder)
{
	for (uint32_t i = count_groups(self, ladder); i < self->count; i++)
	{
		add_levels(ladder, kind_of(self, &self->textures[i]), 1);
	}
}

// --- Sharing ---

static uint64_t all_of(const level_rung *rung)
{
	return rung->bytes[0] + rung->bytes[1];
}

// The most that textures of a class can have, out of `bytes`; returns what lower classes can have.
static uint64_t share_class(
	const lrd_arbiter *self, const level_rung *rungs, uint32_t depth, uint64_t bytes, lrd_arbiter_share *share)
{
	uint32_t bias = depth;
	while (bias > 0 && all_of(&rungs[bias - 1]) <= bytes)
	{
		bias--;
		bytes -= all_of(&rungs[bias]);
	}
	*share = (lrd_arbiter_share){ .bias = bias };
	if (bias == 0)
	{
		return bytes;
	}
	const level_rung *next = &rungs[bias - 1];
	share->is_tight = next->bytes[1] > bytes;
	bytes -= share->is_tight ? bytes : next->bytes[1];
	uint64_t spare = self->hold - self->upgrade;
	share->left = bytes > spare ? bytes - spare : 0;
	share->has_upgrades = next->least[0] <= share->left;
	return share->has_upgrades ? 0 : bytes;
}

// What the budget keeps from textures of a class, and the least that one of them would take.
static void note_limited(lrd_arbiter *self, const level_rung *rungs, uint32_t depth, uint32_t bias)
{
	for (uint32_t at = 0; at < depth; at++)
	{
		self->missing += at < bias ? rungs[at].bytes[0] : 0;
		self->least = rungs[at].least[0] < self->least ? rungs[at].least[0] : self->least;
	}
}

void lrd_arbiter_share_out(lrd_arbiter *self)
{
	level_ladder ladder = { 0 };
	for (uint32_t i = 0; i < LRD_ARBITER_CLASSES * LRD_TEXTURE_MAX_LEVELS; i++)
	{
		ladder.rungs[i / LRD_TEXTURE_MAX_LEVELS][i % LRD_TEXTURE_MAX_LEVELS] =
			(level_rung){ .least = { UINT64_MAX, UINT64_MAX } };
	}
	count_levels(self, &ladder);
	uint64_t bytes = self->hold > self->floors ? self->hold - self->floors : 0;
	for (uint32_t class = LRD_ARBITER_CLASSES; class -- > 0;)
	{
		lrd_arbiter_share *share = &self->shares[class];
		bytes = share_class(self, ladder.rungs[class], ladder.deepest[class], bytes, share);
		self->limited += share->bias != 0 ? ladder.limited[class] : 0;
		note_limited(self, ladder.rungs[class], ladder.deepest[class], share->bias);
	}
}
