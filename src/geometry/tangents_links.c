// geometry/tangents_links.c: the corners of one ring: which are neighbours, and which are of one group.

#include "geometry/tangents.h"

// The first of `count` corners whose edge leads to `ring` and is free; LRD_NONE when there is none.
static uint32_t first_free(
	const int32_t *rings, const uint32_t *links, const uint8_t *kinds, uint32_t count, int32_t ring)
{
	for (uint32_t i = 0; i < count; i++)
	{
		if (rings[i] == ring && links[i] == LRD_NONE && (kinds[i] & LRD_TANGENT_DEGENERATE) == 0)
		{
			return i;
		}
	}
	return LRD_NONE;
}

void lrd_tangents_link(
	const int32_t *next, const int32_t *previous, const uint8_t *kinds, uint32_t count, uint32_t *out, uint32_t *in)
{
	// Edges that are free and lead to one ring all run the same way, so the first of them is the one that waited
	// longest.
	for (uint32_t i = 0; i < count; i++)
	{
		out[i] = LRD_NONE;
		in[i] = LRD_NONE;
		if ((kinds[i] & LRD_TANGENT_DEGENERATE) != 0)
		{
			continue;
		}
		uint32_t across = first_free(previous, in, kinds, i, next[i]);
		if (across != LRD_NONE)
		{
			out[i] = across;
			in[across] = i;
		}
		across = first_free(next, out, kinds, i, previous[i]);
		if (across != LRD_NONE)
		{
			in[i] = across;
			out[across] = i;
		}
	}
}

// From `from` along links, as long as corners are free and of the same orientation. A corner has at most two
// neighbours, so that a group is a fan: all of one side, then all of the other.
static void walk(const uint8_t *kinds, const uint32_t *links, uint32_t from, uint32_t *group)
{
	for (uint32_t i = links[from]; i != LRD_NONE && group[i] == LRD_NONE; i = links[i])
	{
		if (((kinds[i] ^ kinds[from]) & LRD_TANGENT_PRESERVING) != 0)
		{
			return;
		}
		group[i] = group[from];
	}
}

uint32_t lrd_tangents_label(
	const uint8_t *kinds, const uint32_t *out, const uint32_t *in, uint32_t count, uint32_t *group)
{
	uint32_t group_count = 0;
	memset(group, 0xFF, count * sizeof *group); // LRD_NONE
	for (uint32_t i = 0; i < count; i++)
	{
		if (group[i] == LRD_NONE && (kinds[i] & (LRD_TANGENT_ANY | LRD_TANGENT_DEGENERATE)) == 0)
		{
			group[i] = group_count++;
			walk(kinds, out, i, group);
			walk(kinds, in, i, group);
		}
	}
	return group_count;
}
