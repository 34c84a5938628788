// stream/sizes.c: tables of sizes, each of which is kept once, as there are few beside the textures that have them.

#include "stream/stream.h"

#include "base/hash.h"

#define BITS_FIRST 4u

static uint32_t slot_of(const lrd_size_set *set, const lrd_sizes *sizes)
{
	uint32_t mask = (1u << set->bits) - 1;
	uint32_t at = (uint32_t)lrd_xxh3_64(sizes, sizeof *sizes) & mask;
	while (set->slots[at] != NULL && memcmp(set->slots[at], sizes, sizeof *sizes) != 0)
	{
		at = (at + 1) & mask;
	}
	return at;
}

static bool grow(lrd_size_set *set, lrd_allocator allocator)
{
	lrd_size_set larger = { .bits = set->bits != 0 ? set->bits + 1 : BITS_FIRST, .used = set->used };
	larger.slots = lrd_alloc_zeroed(allocator, (size_t)1 << larger.bits, sizeof *larger.slots);
	if (larger.slots == NULL)
	{
		return false;
	}
	for (size_t i = 0; set->slots != NULL && i < (size_t)1 << set->bits; i++)
	{
		if (set->slots[i] != NULL)
		{
			larger.slots[slot_of(&larger, set->slots[i])] = set->slots[i];
		}
	}
	lrd_free(allocator, set->slots, set->slots != NULL ? sizeof *set->slots << set->bits : 0);
	*set = larger;
	return true;
}

const lrd_sizes *lrd_size_set_add(lrd_size_set *set, lrd_allocator allocator, const lrd_sizes *sizes)
{
	if ((set->slots == NULL || set->used * 2 >= 1u << set->bits) && !grow(set, allocator))
	{
		return NULL;
	}
	uint32_t at = slot_of(set, sizes);
	if (set->slots[at] == NULL)
	{
		lrd_sizes *own = lrd_alloc(allocator, sizeof *own);
		if (own == NULL)
		{
			return NULL;
		}
		memcpy(own, sizes, sizeof *own);
		set->slots[at] = own;
		set->used++;
	}
	return set->slots[at];
}

void lrd_size_set_free(lrd_size_set *set, lrd_allocator allocator)
{
	for (size_t i = 0; set->slots != NULL && i < (size_t)1 << set->bits; i++)
	{
		lrd_free(allocator, set->slots[i], set->slots[i] != NULL ? sizeof **set->slots : 0);
	}
	lrd_free(allocator, set->slots, set->slots != NULL ? sizeof *set->slots << set->bits : 0);
	*set = (lrd_size_set){ 0 };
}
