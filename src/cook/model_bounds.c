// Boxes around parts as the model places them: at rest, with the morph weights of each place, skinned as a renderer
// would.

#include "cook/model_geometry.h"

#include "base/error.h"
#include "base/maths.h"

/// Different morph weights of one group's places that have boxes of their own. What comes after shares one box more.
#define POSES_OWN 7u

// Planning: which morph weights a group is placed with.

const float *lrd_use_weights(const lrd_model_recipe *recipe, const lrd_group_use *use)
{
	const lrd_document_node *node = &recipe->document->nodes[use->mesh_node];
	return node->weights != NULL ? node->weights : recipe->document->meshes[recipe->groups[use->group].mesh].weights;
}

static bool any_weight(const float *weights, uint32_t count)
{
	for (uint32_t m = 0; m < count; ++m)
	{
		if (weights[m] != 0.0f)
		{
			return true;
		}
	}
	return false;
}

static uint32_t find_pose(const lrd_group_plan *group, const float *weights, uint32_t morph_count)
{
	for (uint32_t p = 0; p < group->pose_count && p < POSES_OWN; ++p)
	{
		if (memcmp(group->poses[p].least, weights, morph_count * sizeof *weights) == 0)
		{
			return p;
		}
	}
	return LRD_NO_INDEX;
}

/// The pose that all others share: weights between the least and the most that any of them has.
static bool widen_last(
	lrd_model_recipe *recipe, lrd_group_plan *group, const float *weights, uint32_t morph_count, lrd_error *error)
{
	if (group->pose_count == POSES_OWN)
	{
		float *ranges = LRD_ARENA_ARRAY(recipe->base.arena, float, 2 * (size_t)morph_count);
		if (ranges == NULL)
		{
			return lrd_fail_memory(error, "morph weights", 2 * morph_count * sizeof *ranges);
		}
		memcpy(ranges, weights, morph_count * sizeof *ranges);
		memcpy(ranges + morph_count, weights, morph_count * sizeof *ranges);
		group->widest = ranges;
		group->poses[group->pose_count++] = (lrd_pose_plan){ ranges, ranges + morph_count };
	}
	for (uint32_t m = 0; m < morph_count; ++m)
	{
		group->widest[m] = fminf(group->widest[m], weights[m]);
		group->widest[morph_count + m] = fmaxf(group->widest[morph_count + m], weights[m]);
	}
	return true;
}

static bool plan_pose(lrd_model_recipe *recipe, lrd_group_use *use, lrd_error *error)
{
	lrd_group_plan *group = &recipe->groups[use->group];
	uint32_t morph_count = recipe->document->meshes[group->mesh].morph_count;
	const float *weights = lrd_use_weights(recipe, use);
	use->pose = LRD_NO_INDEX;
	if (morph_count == 0 || !any_weight(weights, morph_count))
	{
		return true;
	}
	if (group->poses == NULL)
	{
		group->poses = LRD_ARENA_ARRAY(recipe->base.arena, lrd_pose_plan, POSES_OWN + 1);
		if (group->poses == NULL)
		{
			return lrd_fail_memory(error, "morph weights", (POSES_OWN + 1) * sizeof *group->poses);
		}
	}
	use->pose = find_pose(group, weights, morph_count);
	if (use->pose != LRD_NO_INDEX)
	{
		return true;
	}
	if (group->pose_count < POSES_OWN)
	{
		use->pose = group->pose_count++;
		group->poses[use->pose] = (lrd_pose_plan){ weights, weights };
		return true;
	}
	use->pose = POSES_OWN;
	return widen_last(recipe, group, weights, morph_count, error);
}

bool lrd_plan_poses(lrd_model_recipe *recipe, lrd_error *error)
{
	for (uint32_t u = 0; u < recipe->use_count; ++u)
	{
		if (!plan_pose(recipe, &recipe->uses[u], error))
		{
			return false;
		}
	}
	for (uint32_t p = 0; p < recipe->part_count; ++p)
	{
		uint32_t count = recipe->groups[recipe->parts[p].group].pose_count;
		recipe->parts[p].posed = count == 0 ? NULL : LRD_ARENA_ARRAY(recipe->base.arena, lrd_bounds, count);
		if (count != 0 && recipe->parts[p].posed == NULL)
		{
			return lrd_fail_memory(error, "bounds", count * sizeof(lrd_bounds));
		}
	}
	return true;
}

// Measuring.

/// Where a vertex may be.
typedef struct vertex_range
{
	double centre[3];
	double reach[3]; ///< to either side
} vertex_range;

typedef struct measuring
{
	const lrd_geometry *geometry;
	const lrd_pose_plan *pose; ///< NULL: no target weighs anything
	const lrd_mat4 *palette;   ///< NULL: not skinned
} measuring;

static void add_target(vertex_range *range, const float *delta, float least, float most)
{
	for (int axis = 0; axis < 3; ++axis)
	{
		double a = (double)delta[axis] * (double)least;
		double b = (double)delta[axis] * (double)most;
		range->centre[axis] += 0.5 * (a + b);
		range->reach[axis] += 0.5 * fabs(b - a);
	}
}

static vertex_range morph(const measuring *self, size_t v)
{
	const lrd_geometry *geometry = self->geometry;
	const float *p = geometry->positions + 3 * v;
	vertex_range range = { .centre = { (double)p[0], (double)p[1], (double)p[2] } };
	for (uint32_t m = 0; self->pose != NULL && m < geometry->morph_count; ++m)
	{
		float least = self->pose->least[m];
		float most = self->pose->most[m];
		if (geometry->morphs[m].positions != NULL && (least != 0.0f || most != 0.0f))
		{
			add_target(&range, geometry->morphs[m].positions + 3 * v, least, most);
		}
	}
	return range;
}

/// By the joints' matrices, blended.
static vertex_range skin(const measuring *self, size_t v, const vertex_range *from)
{
	vertex_range moved = { { 0.0 }, { 0.0 } };
	double blended[12] = { 0.0 };
	for (size_t k = 0; k < 4; ++k)
	{
		double weight = (double)self->geometry->weights[4 * v + k];
		const float *matrix = self->palette[self->geometry->joints[4 * v + k]].m;
		for (size_t i = 0; weight != 0.0 && i < 12; ++i) // three rows of four
		{
			blended[i] += weight * (double)matrix[i % 4 * 4 + i / 4];
		}
	}
	for (int row = 0; row < 3; ++row)
	{
		const double *b = blended + 4 * row;
		moved.centre[row] = b[0] * from->centre[0] + b[1] * from->centre[1] + b[2] * from->centre[2] + b[3];
		moved.reach[row] = fabs(b[0]) * from->reach[0] + fabs(b[1]) * from->reach[1] + fabs(b[2]) * from->reach[2];
	}
	return moved;
}

static bool measure(const measuring *self, lrd_bounds *bounds)
{
	double low[3] = { INFINITY, INFINITY, INFINITY };
	double high[3] = { -INFINITY, -INFINITY, -INFINITY };
	for (size_t v = 0; v < self->geometry->vertex_count; ++v)
	{
		vertex_range range = morph(self, v);
		range = self->palette != NULL ? skin(self, v, &range) : range;
		for (int axis = 0; axis < 3; ++axis)
		{
			if (!isfinite(range.centre[axis]) || !isfinite(range.reach[axis]))
			{
				return false;
			}
			low[axis] = fmin(low[axis], range.centre[axis] - range.reach[axis]);
			high[axis] = fmax(high[axis], range.centre[axis] + range.reach[axis]);
		}
	}
	float corners[6] = { (float)low[0], (float)low[1], (float)low[2], (float)high[0], (float)high[1], (float)high[2] };
	*bounds = lrd_bounds_of(corners, 2, 3 * sizeof(float));
	return lrd_all_finite(corners, 6) && isfinite(bounds->radius);
}

static bool make_palette(const lrd_model_recipe *recipe, const lrd_skeleton_plan *skeleton, lrd_arena *arena,
	lrd_mat4 **palette, lrd_error *error)
{
	*palette = LRD_ARENA_ARRAY(arena, lrd_mat4, skeleton->joint_count);
	if (*palette == NULL)
	{
		return lrd_fail_memory(error, "skinned bounds", skeleton->joint_count * sizeof **palette);
	}
	for (uint32_t j = 0; j < skeleton->joint_count; ++j)
	{
		(*palette)[j] = lrd_mat4_mul(&recipe->nodes[skeleton->joint_nodes[j]].global, &skeleton->inverse_binds[j]);
	}
	return true;
}

bool lrd_bound_part(const lrd_model_recipe *recipe, lrd_part_plan *part, const lrd_geometry *geometry, lrd_error *error)
{
	const lrd_group_plan *group = &recipe->groups[part->group];
	measuring self = { .geometry = geometry };
	if (group->skeleton != LRD_NO_INDEX)
	{
		const lrd_skeleton_plan *skeleton = &recipe->skeletons[group->skeleton];
		lrd_mat4 *palette;
		if (!make_palette(recipe, skeleton, geometry->arena, &palette, error))
		{
			return false;
		}
		self.palette = palette;
		if (!measure(&self, &part->bounds))
		{
			return lrd_fail(error, LRD_ERROR_LIMIT, "the joints of skin \"%.*s\" move it farther than floats can tell",
				LRD_STR_ARG(recipe->document->skins[skeleton->skin].name));
		}
	}
	for (uint32_t p = 0; p < group->pose_count; ++p)
	{
		self.pose = &group->poses[p];
		if (!measure(&self, &part->posed[p]))
		{
			return lrd_fail(error, LRD_ERROR_LIMIT, "its morph targets move it farther than floats can tell");
		}
	}
	return true;
}
