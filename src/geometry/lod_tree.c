// geometry/lod_tree.c: boxes over triangles along a Morton curve, two to one up to the root: what is nearest to a point
// of which nothing else is known.

#include "geometry/lod.h"
#include "geometry/morton.h"

#define LEAF_TRIANGLES 4
#define MOST_LEVELS 32

typedef struct box
{
	float low[3], high[3];
} box;

struct lrd_lod_tree
{
	uint32_t *indices; // sorted
	uint32_t triangle_count;
	uint32_t level_count;
	uint32_t counts[MOST_LEVELS]; // boxes of a level, leaves first
	box *boxes[MOST_LEVELS];
};

static void widen(box *self, const float low[3], const float high[3])
{
	for (int axis = 0; axis < 3; axis++)
	{
		self->low[axis] = low[axis] < self->low[axis] ? low[axis] : self->low[axis];
		self->high[axis] = high[axis] > self->high[axis] ? high[axis] : self->high[axis];
	}
}

static const box NOTHING = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };

static void fill_leaves(lrd_lod_tree *tree, const float *positions)
{
	for (uint32_t leaf = 0; leaf < tree->counts[0]; leaf++)
	{
		tree->boxes[0][leaf] = NOTHING;
	}
	for (uint32_t i = 0; i < 3 * tree->triangle_count; i++)
	{
		const float *position = positions + 3 * (size_t)tree->indices[i];
		widen(&tree->boxes[0][i / (3 * LEAF_TRIANGLES)], position, position);
	}
}

lrd_lod_tree *lrd_lod_tree_make(const lrd_lod_trial *trial, lrd_error *error)
{
	lrd_lod_tree *tree = LRD_ARENA_NEW(trial->scratch, lrd_lod_tree);
	uint32_t count = trial->to_count / 3;
	uint32_t leaves = (count + LEAF_TRIANGLES - 1) / LEAF_TRIANGLES;
	size_t bytes = (2 * (size_t)leaves + MOST_LEVELS) * sizeof(box) + trial->to_count * sizeof(uint32_t);
	uint8_t *memory = tree == NULL ? NULL : lrd_arena_alloc(trial->scratch, bytes);
	if (memory == NULL)
	{
		lrd_fail_memory(error, "boxes over triangles", bytes);
		return NULL;
	}
	tree->triangle_count = count;
	tree->indices = (uint32_t *)(void *)memory;
	box *boxes = (box *)(void *)(memory + trial->to_count * sizeof(uint32_t));
	if (!lrd_morton_sort_triangles(lrd_arena_allocator(trial->scratch), trial->mesh->positions, trial->to,
			trial->to_count, tree->indices, error))
	{
		return NULL;
	}
	for (uint32_t boxes_here = leaves; boxes_here != 0; boxes_here = boxes_here == 1 ? 0 : (boxes_here + 1) / 2)
	{
		tree->counts[tree->level_count] = boxes_here;
		tree->boxes[tree->level_count++] = boxes;
		boxes += boxes_here;
	}
	if (leaves != 0)
	{
		fill_leaves(tree, trial->mesh->positions);
	}
	for (uint32_t level = 1; level < tree->level_count; level++)
	{
		for (uint32_t b = 0; b < tree->counts[level]; b++)
		{
			tree->boxes[level][b] = NOTHING;
		}
		for (uint32_t b = 0; b < tree->counts[level - 1]; b++)
		{
			const box *below = &tree->boxes[level - 1][b];
			widen(&tree->boxes[level][b / 2], below->low, below->high);
		}
	}
	return tree;
}

static float squared_distance(const box *self, const float position[3])
{
	float squared = 0.0f;
	for (int axis = 0; axis < 3; axis++)
	{
		float below = self->low[axis] - position[axis];
		float above = position[axis] - self->high[axis];
		float outside = below > above ? below : above;
		squared += outside > 0.0f ? outside * outside : 0.0f;
	}
	return squared;
}

static void search_leaf(const lrd_lod_tree *tree, const lrd_lod_trial *trial, uint32_t leaf, const float position[3],
	uint32_t *triangle, lrd_lod_nearest *nearest)
{
	uint32_t end = (leaf + 1) * LEAF_TRIANGLES;
	end = end < tree->triangle_count ? end : tree->triangle_count;
	for (uint32_t t = leaf * LEAF_TRIANGLES; t < end; t++)
	{
		const float *corners[3];
		float arms[3][3]; // from the first corner: to the position, the second and the third
		for (uint32_t c = 0; c < 3; c++)
		{
			corners[c] = trial->mesh->positions + 3 * (size_t)tree->indices[3 * t + c];
		}
		for (int axis = 0; axis < 3; axis++)
		{
			arms[0][axis] = position[axis] - corners[0][axis];
			arms[1][axis] = corners[1][axis] - corners[0][axis];
			arms[2][axis] = corners[2][axis] - corners[0][axis];
		}
		float next = 0.0f;
		float prev = 0.0f;
		float squared = lrd_lod_nearest_on_triangle(arms[0], arms[1], arms[2], &next, &prev);
		if (squared < nearest->squared)
		{
			*nearest = (lrd_lod_nearest){ tree->indices[3 * t], 0, next, prev, squared };
			*triangle = t;
		}
	}
}

// The wing of the host's fan that is the triangle.
static uint32_t find_wing(const lrd_lod_tree *tree, const lrd_lod_trial *trial, uint32_t host, uint32_t triangle)
{
	const uint32_t *corners = tree->indices + 3 * (size_t)triangle;
	uint32_t wing = trial->now.fans.starts[host];
	while (trial->now.fans.wings[wing].next != corners[1] || trial->now.fans.wings[wing].prev != corners[2])
	{
		wing++;
	}
	return wing;
}

bool lrd_lod_tree_find(const lrd_lod_tree *tree, const lrd_lod_trial *trial, const float position[3], float reach,
	lrd_lod_nearest *nearest)
{
	// Numbers of boxes that wait, each with its level: two more a level at most.
	struct
	{
		uint32_t level, box;
	} waiting[2 * MOST_LEVELS];
	uint32_t count = 0;
	uint32_t triangle = 0;
	*nearest = (lrd_lod_nearest){ .squared = reach * reach, .host = LRD_NO_VERTEX };
	if (tree->level_count != 0)
	{
		waiting[count].level = tree->level_count - 1;
		waiting[count++].box = 0;
	}
	while (count != 0)
	{
		uint32_t level = waiting[--count].level;
		uint32_t b = waiting[count].box;
		if (!(squared_distance(&tree->boxes[level][b], position) < nearest->squared))
		{
			continue;
		}
		if (level == 0)
		{
			search_leaf(tree, trial, b, position, &triangle, nearest);
			continue;
		}
		const box *below = tree->boxes[level - 1];
		bool pair = 2 * b + 1 < tree->counts[level - 1];
		bool second_nearer =
			pair && squared_distance(&below[2 * b + 1], position) < squared_distance(&below[2 * b], position);
		for (uint32_t i = 0; i < (pair ? 2u : 1u); i++) // the nearer one last, to be looked into first
		{
			waiting[count].level = level - 1;
			waiting[count++].box = 2 * b + (pair && (i == 1) == second_nearer ? 1 : 0);
		}
	}
	if (nearest->host == LRD_NO_VERTEX)
	{
		return false;
	}
	nearest->wing = find_wing(tree, trial, nearest->host, triangle);
	return true;
}
