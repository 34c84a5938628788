// In which order a frame's draws are made: what is early by what has to be bound, what is late from far to near; and always the same order
// for the same scene. Sorted by digits, which moves nothing but numbers and needs no memory but what is kept.

#include "cli/view/render.h"

#include <string.h>

#define DIGITS 16u // of 8 bits, the lower half's first
#define LATE (1ull << 63)

_Static_assert(
	LRD_SLOT_COUNT <= 15 && VIEW_LAYER_MORPHED < 1 << 14, "a pipeline's key takes 33 bits beside a material's 24");

/// Far before near, as a number that grows.
static uint32_t nearness(float depth)
{
	uint32_t bits;
	memcpy(&bits, &depth, sizeof bits);
	return (bits & 0x80000000u) != 0 ? bits : ~(bits | 0x80000000u);
}

view_ordered view_order_of(const view_draw *draw, uint32_t mesh, uint32_t index)
{
	if (draw->is_late)
	{
		return (view_ordered){ LATE | nearness(draw->depth), 0, index };
	}
	const view_pipeline_key *key = &draw->key;
	uint64_t pipeline = (uint64_t)key->slots << 18 | key->layers << 4 | key->alpha << 2 | key->sides;
	return (
		view_ordered){ pipeline << 24 | (draw->material & 0xffffffu), (uint64_t)mesh << 32 | draw->first_index, index };
}

static uint32_t digit_of(const view_ordered *self, uint32_t digit)
{
	return (uint32_t)(digit < 8 ? self->low >> 8 * digit : self->high >> 8 * (digit - 8)) & 255u;
}

const view_ordered *view_order_sort(view_ordered *from, view_ordered *to, uint32_t count)
{
	uint32_t counts[DIGITS][256] = { 0 };
	for (uint32_t i = 0; i < count; ++i)
	{
		for (uint32_t digit = 0; digit < DIGITS; ++digit)
		{
			counts[digit][digit_of(&from[i], digit)]++;
		}
	}
	for (uint32_t digit = 0; digit < DIGITS && count != 0; ++digit)
	{
		uint32_t *ends = counts[digit];
		if (ends[digit_of(&from[0], digit)] == count)
		{
			continue; // the same everywhere, as most are
		}
		uint32_t first = 0;
		for (uint32_t value = 0; value < 256; ++value)
		{
			uint32_t size = ends[value];
			ends[value] = first;
			first += size;
		}
		for (uint32_t i = 0; i < count; ++i)
		{
			to[ends[digit_of(&from[i], digit)]++] = from[i];
		}
		view_ordered *sorted = to;
		to = from;
		from = sorted;
	}
	return from;
}
