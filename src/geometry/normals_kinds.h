// geometry/normals_kinds.h: triangles that meet at a position, by the smoothing groups they are in: which of them share
// one, and what those add up to. A kind is a set of groups, as bits.

#ifndef GEOMETRY_NORMALS_KINDS_H
#define GEOMETRY_NORMALS_KINDS_H

#include "base/error.h"
#include "base/memory.h"
#include "larder/base.h"

struct lrd_kind_node;

/// Room that lasts from one position to the next. Zeroed to begin with.
typedef struct lrd_kind_tree
{
	struct lrd_kind_node *nodes;
	uint32_t *order;
	uint32_t capacity; ///< kinds
} lrd_kind_tree;

/// For each of `count` kinds, no two equal, the sum of `sums` over the kinds that share a group with it, itself among
/// them, times a positive number that is the same for all; zeros for a kind without groups. Kinds that share with the
/// same ones get the same bits. False when memory from `scratch` runs out.
bool lrd_kinds_share(lrd_kind_tree *self, lrd_arena *scratch, const uint32_t *kinds, const double (*sums)[3],
	uint32_t count, double (*shared)[3], lrd_error *error);

#endif
