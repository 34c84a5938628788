// geometry/normals_kinds.c: sums over kinds that share a smoothing group. A few kinds are compared with each other. Many
// stand in a tree that branches where bits differ, and its subtrees are compared: two whose kinds all have one group in
// common, or none at all, are done at once (the dual-tree walk of Gray and Moore, "N-Body Problems in Statistical
// Learning", 2000). Sums are integers there, since which subtrees make one up depends on who asks.

#include "geometry/normals_kinds.h"

#include <math.h>
#include <string.h>

#define PAIRS_MAX 32u // kinds; so many are compared each with each
#define LIMB_BITS 32

// A vector in fixed point: two limbs an axis, the first the integer, the second the 32 bits after it. Both have room for
// the sum of as many as there can be.
typedef struct fixed3
{
	int64_t whole[3];
	int64_t part[3];
} fixed3;

typedef struct lrd_kind_node
{
	uint32_t any; // groups that some kind of it is in
	uint32_t all; // groups that each kind of it is in; the same in a leaf
	uint32_t count;
	uint32_t children[2]; // of a node with more than one kind
	fixed3 sum;           // of its kinds
	fixed3 shared;        // what each of its kinds shares with, beyond what its ancestors have
} lrd_kind_node;

static void add(fixed3 *to, const fixed3 *what)
{
	for (int axis = 0; axis < 3; axis++)
	{
		to->whole[axis] += what->whole[axis];
		to->part[axis] += what->part[axis];
	}
}

static fixed3 to_fixed(const double v[3], double scale)
{
	fixed3 fixed;
	for (int axis = 0; axis < 3; axis++)
	{
		double whole = floor(v[axis] * scale);
		fixed.whole[axis] = (int64_t)whole;
		fixed.part[axis] = (int64_t)ldexp(v[axis] * scale - whole, LIMB_BITS);
	}
	return fixed;
}

static void from_fixed(const fixed3 *fixed, double v[3])
{
	const int64_t limb = INT64_C(1) << LIMB_BITS;
	for (int axis = 0; axis < 3; axis++) // parts are never negative
	{
		int64_t whole = fixed->whole[axis] + fixed->part[axis] / limb;
		v[axis] = (double)whole + ldexp((double)(fixed->part[axis] % limb), -LIMB_BITS);
	}
}

// What takes every component below 2^31.
static double find_scale(const double (*sums)[3], uint32_t count)
{
	double largest = 0.0;
	for (uint32_t kind = 0; kind < count; kind++)
	{
		for (int axis = 0; axis < 3; axis++)
		{
			largest = fmax(largest, fabs(sums[kind][axis]));
		}
	}
	int exponent = 0;
	(void)frexp(largest, &exponent);
	return ldexp(1.0, LIMB_BITS - 1 - exponent);
}

static bool reserve(lrd_kind_tree *self, lrd_arena *scratch, uint32_t count, lrd_error *error)
{
	if (count > self->capacity)
	{
		uint32_t capacity = count < UINT32_MAX / 2 ? 2 * count : count;
		size_t bytes = (2 * (size_t)capacity - 1) * sizeof *self->nodes;
		self->nodes = lrd_arena_alloc(scratch, bytes);
		self->order = lrd_arena_alloc(scratch, capacity * sizeof *self->order);
		self->capacity = self->nodes != NULL && self->order != NULL ? capacity : 0;
		return self->capacity != 0 || lrd_fail_memory(error, "smoothing groups", bytes);
	}
	return true;
}

// Those without the bit first; returns how many they are.
static uint32_t partition(uint32_t *order, uint32_t count, const uint32_t *kinds, uint32_t bit)
{
	uint32_t without = 0;
	for (uint32_t i = 0; i < count; i++)
	{
		if ((kinds[order[i]] & bit) == 0)
		{
			uint32_t kind = order[i];
			order[i] = order[without];
			order[without++] = kind;
		}
	}
	return without;
}

static uint32_t highest_bit(uint32_t bits)
{
	while ((bits & (bits - 1)) != 0)
	{
		bits &= bits - 1;
	}
	return bits;
}

typedef struct building
{
	lrd_kind_tree *tree;
	const uint32_t *kinds;
	const double (*sums)[3];
	double scale;
	uint32_t node_count;
} building;

// A node for kinds order[0..count]; at most 32 deep, since each level has a bit of its own. Nodes come before their
// children, and a leaf's `children[0]` is its kind.
static uint32_t build(building *self, uint32_t *order, uint32_t count)
{
	uint32_t index = self->node_count++;
	lrd_kind_node *node = &self->tree->nodes[index];
	*node = (lrd_kind_node){ .all = UINT32_MAX, .count = count };
	for (uint32_t i = 0; i < count; i++)
	{
		node->any |= self->kinds[order[i]];
		node->all &= self->kinds[order[i]];
	}
	if (count == 1)
	{
		node->children[0] = order[0];
		node->sum = to_fixed(self->sums[order[0]], self->scale);
		return index;
	}
	uint32_t without = partition(order, count, self->kinds, highest_bit(node->any & ~node->all));
	node->children[0] = build(self, order, without);
	node->children[1] = build(self, order + without, count - without);
	add(&node->sum, &self->tree->nodes[node->children[0]].sum);
	add(&node->sum, &self->tree->nodes[node->children[1]].sum);
	return index;
}

// Give the kinds of node a what those of node b add.
static void compare(lrd_kind_node *nodes, lrd_kind_node *a, const lrd_kind_node *b)
{
	if ((a->any & b->any) == 0)
	{
		return;
	}
	if ((a->all & b->all) != 0)
	{
		add(&a->shared, &b->sum);
	}
	else if (a->count >= b->count) // two leaves never come here
	{
		compare(nodes, &nodes[a->children[0]], b);
		compare(nodes, &nodes[a->children[1]], b);
	}
	else
	{
		compare(nodes, a, &nodes[b->children[0]]);
		compare(nodes, a, &nodes[b->children[1]]);
	}
}

static bool share_by_tree(lrd_kind_tree *self, lrd_arena *scratch, const uint32_t *kinds, const double (*sums)[3],
	uint32_t count, double (*shared)[3], lrd_error *error)
{
	if (!reserve(self, scratch, count, error))
	{
		return false;
	}
	for (uint32_t kind = 0; kind < count; kind++)
	{
		self->order[kind] = kind;
	}
	building builder = { .tree = self, .kinds = kinds, .sums = sums, .scale = find_scale(sums, count) };
	build(&builder, self->order, count);
	compare(self->nodes, &self->nodes[0], &self->nodes[0]);
	for (uint32_t n = 0; n < builder.node_count; n++)
	{
		lrd_kind_node *node = &self->nodes[n];
		for (int child = 0; child < 2 && node->count > 1; child++)
		{
			add(&self->nodes[node->children[child]].shared, &node->shared);
		}
		if (node->count == 1)
		{
			from_fixed(&node->shared, shared[node->children[0]]);
		}
	}
	return true;
}

// In the order of kinds, whichever it is for: kinds that share with the same ones get the same bits.
static void share_by_pairs(const uint32_t *kinds, const double (*sums)[3], uint32_t count, double (*shared)[3])
{
	for (uint32_t kind = 0; kind < count; kind++)
	{
		memset(shared[kind], 0, sizeof shared[kind]);
		for (uint32_t other = 0; other < count; other++)
		{
			for (int axis = 0; axis < 3 && (kinds[kind] & kinds[other]) != 0; axis++)
			{
				shared[kind][axis] += sums[other][axis];
			}
		}
	}
}

bool lrd_kinds_share(lrd_kind_tree *self, lrd_arena *scratch, const uint32_t *kinds, const double (*sums)[3],
	uint32_t count, double (*shared)[3], lrd_error *error)
{
	if (count > PAIRS_MAX)
	{
		return share_by_tree(self, scratch, kinds, sums, count, shared, error);
	}
	share_by_pairs(kinds, sums, count, shared);
	return true;
}
