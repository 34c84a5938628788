// geometry/tangents_groups.c: the corners around a vertex fall into groups that are connected through shared edges and
// have uv of one orientation; each group's tangent is the mean of its triangles', weighted by their angles at the
// vertex.

#include "geometry/tangents.h"

// In a group that is being walked, before it has its tangent.
#define PENDING (UINT32_MAX - 1)
#define NO_SPACE UINT32_MAX

// Triangles of a group whose directions are opposite don't see each other. Looking for them takes the square of a
// group's size, so larger groups than this are taken whole.
#define LARGEST_SPLIT_GROUP 4096

// Directions that are within less than a right angle of the first one can't be opposite to each other; with room for
// rounding.
#define CLEARLY_ACUTE 0.01f

// One triangle's say in the tangent of a vertex.
typedef struct contribution
{
	lrd_vec3 s, t;     // its directions in the plane of the normal
	lrd_vec3 weighted; // s times the angle; zero where the triangle has no say
	bool any;
} contribution;

typedef struct corner_group
{
	lrd_tangents *self;
	uint32_t *corners; // of its triangles, ascending once it is whole
	size_t count;
	size_t capacity;
	contribution *contributions;
	size_t contribution_capacity;
	bool preserving;
} corner_group;

static bool add_corner(corner_group *group, uint32_t corner)
{
	if (!LRD_RESERVE(group->self->allocator, group->corners, group->count, 1, group->capacity))
	{
		return false;
	}
	group->corners[group->count++] = corner;
	group->self->spaces[corner] = PENDING;
	return true;
}

static bool triangle_is_free(const lrd_tangents *self, uint32_t triangle)
{
	const uint32_t *spaces = self->spaces + 3 * (size_t)triangle;
	return spaces[0] == NO_SPACE && spaces[1] == NO_SPACE && spaces[2] == NO_SPACE;
}

// Whether the group may have the corner. A triangle without an orientation takes that of the first group it joins.
static bool corner_fits(const corner_group *group, uint32_t corner)
{
	lrd_tangents *self = group->self;
	uint8_t *flags = &self->flags[corner / 3];
	if (self->spaces[corner] != NO_SPACE)
	{
		return false;
	}
	if ((*flags & LRD_TANGENT_ANY) != 0 && triangle_is_free(self, corner / 3))
	{
		*flags = (uint8_t)(LRD_TANGENT_ANY | (group->preserving ? LRD_TANGENT_PRESERVING : 0u));
	}
	return ((*flags & LRD_TANGENT_PRESERVING) != 0) == group->preserving;
}

// A corner has at most two neighbours at its vertex, so a group is a fan: all of one side, then all of the other.
static bool walk_fan(corner_group *group, uint32_t first)
{
	const lrd_tangents *self = group->self;
	group->count = 0;
	if (!add_corner(group, first))
	{
		return false;
	}
	for (uint32_t corner = first;;)
	{
		uint32_t across = self->neighbours[corner];
		if (across == LRD_NO_CORNER || !corner_fits(group, lrd_next_corner(across)))
		{
			break;
		}
		corner = lrd_next_corner(across);
		if (!add_corner(group, corner))
		{
			return false;
		}
	}
	for (uint32_t corner = first;;)
	{
		uint32_t across = self->neighbours[lrd_previous_corner(corner)];
		if (across == LRD_NO_CORNER || !corner_fits(group, across))
		{
			break;
		}
		corner = across;
		if (!add_corner(group, corner))
		{
			return false;
		}
	}
	return true;
}

// Shell's sort (gaps by a factor of about 2.2): groups are small, and no memory is needed.
static void sort_corners(uint32_t *corners, size_t count)
{
	size_t gap = 1;
	while (gap < count / 2)
	{
		gap = gap * 11 / 5 + 1;
	}
	for (; gap > 0; gap = gap == 1 ? 0 : gap * 5 / 11 + (gap == 2))
	{
		for (size_t i = gap; i < count; i++)
		{
			uint32_t moving = corners[i];
			size_t j = i;
			for (; j >= gap && corners[j - gap] > moving; j -= gap)
			{
				corners[j] = corners[j - gap];
			}
			corners[j] = moving;
		}
	}
}

// The angle between the two edges at a corner, seen along the normal.
static float angle_at(const lrd_tangents *self, uint32_t corner, lrd_vec3 normal)
{
	lrd_vec3 at = lrd_corner_position(self, corner);
	lrd_vec3 previous = lrd_vec3_sub(lrd_corner_position(self, lrd_previous_corner(corner)), at);
	lrd_vec3 next = lrd_vec3_sub(lrd_corner_position(self, lrd_next_corner(corner)), at);
	float cosine = lrd_vec3_dot(lrd_project(normal, previous), lrd_project(normal, next));
	cosine = cosine > 1.0f ? 1.0f : cosine < -1.0f ? -1.0f : cosine;
	return (float)lrd_geometry_acos((double)cosine);
}

static contribution contribution_of(const lrd_tangents *self, uint32_t corner, lrd_vec3 normal)
{
	const lrd_tangent_triangle *triangle = &self->triangles[corner / 3];
	contribution result = { .s = lrd_project(normal, triangle->s),
		.t = lrd_project(normal, triangle->t),
		.any = (self->flags[corner / 3] & LRD_TANGENT_ANY) != 0 };
	if (!result.any)
	{
		result.weighted = lrd_vec3_scale(result.s, angle_at(self, corner, normal));
	}
	return result;
}

static bool all_acute(const contribution *contributions, size_t count)
{
	bool acute = !contributions[0].any;
	for (size_t i = 1; acute && i < count; i++)
	{
		acute = contributions[i].any || (lrd_vec3_dot(contributions[0].s, contributions[i].s) > CLEARLY_ACUTE &&
											lrd_vec3_dot(contributions[0].t, contributions[i].t) > CLEARLY_ACUTE);
	}
	return acute;
}

// Whether b counts in the tangent that triangle a gets: unless they point in exactly opposite directions.
static bool sees(const contribution *a, const contribution *b)
{
	return a == b || a->any || b->any || (lrd_vec3_dot(a->s, b->s) > -1.0f && lrd_vec3_dot(a->t, b->t) > -1.0f);
}

// A tangent of the group as `viewer` sees it; NULL sees all. `all_seen` says whether that made a difference.
static lrd_vec4 mean_tangent(const corner_group *group, const contribution *viewer, bool *all_seen)
{
	lrd_vec3 sum = { 0.0f, 0.0f, 0.0f };
	*all_seen = true;
	for (size_t i = 0; i < group->count; i++)
	{
		const contribution *one = &group->contributions[i];
		bool seen = viewer == NULL || sees(viewer, one);
		*all_seen = *all_seen && seen;
		sum = seen && !one->any ? lrd_vec3_add(sum, one->weighted) : sum;
	}
	lrd_vec3 unit = lrd_not_zero3(sum) ? lrd_vec3_scale(sum, 1.0f / lrd_vec3_length(sum)) : sum;
	// v grows downwards in an image, the bitangent of a normal map points up: the sign is the opposite of that of the
	// uv's orientation.
	return (lrd_vec4){ unit.x, unit.y, unit.z, group->preserving ? -1.0f : 1.0f };
}

// Contributions that cancel leave no direction, and huge coordinates leave no number: then any tangent will do.
static lrd_vec4 usable_tangent(lrd_vec4 tangent, lrd_vec3 normal)
{
	lrd_vec3 direction = { tangent.x, tangent.y, tangent.z };
	float squared = lrd_vec3_dot(direction, direction);
	if (squared > 0.5f && squared < 2.0f)
	{
		return tangent;
	}
	direction = lrd_geometry_perpendicular(lrd_vec3_normalize_or(normal, (lrd_vec3){ 0.0f, 0.0f, 1.0f }));
	return (lrd_vec4){ direction.x, direction.y, direction.z, tangent.w };
}

static bool add_tangent(lrd_tangents *self, lrd_vec4 tangent, uint32_t *space)
{
	if (!LRD_RESERVE(self->allocator, self->tangents, self->tangent_count, 1, self->tangent_capacity))
	{
		return false;
	}
	*space = (uint32_t)self->tangent_count;
	self->tangents[self->tangent_count++] = tangent;
	return true;
}

// Opposite directions in one group: each triangle may get a tangent of its own. Equal ones are welded later.
static bool finish_split_group(corner_group *group, lrd_vec3 normal)
{
	lrd_tangents *self = group->self;
	uint32_t whole = NO_SPACE;
	for (size_t i = 0; i < group->count; i++)
	{
		bool all_seen = true;
		lrd_vec4 tangent = usable_tangent(mean_tangent(group, &group->contributions[i], &all_seen), normal);
		uint32_t space = whole;
		if ((!all_seen || whole == NO_SPACE) && !add_tangent(self, tangent, &space))
		{
			return false;
		}
		whole = all_seen ? space : whole;
		self->spaces[group->corners[i]] = space;
	}
	return true;
}

static bool finish_group(corner_group *group)
{
	lrd_tangents *self = group->self;
	sort_corners(group->corners, group->count);
	if (!LRD_RESERVE(self->allocator, group->contributions, 0, group->count, group->contribution_capacity))
	{
		return false;
	}
	lrd_vec3 normal = lrd_corner_normal(self, group->corners[0]);
	for (size_t i = 0; i < group->count; i++)
	{
		group->contributions[i] = contribution_of(self, group->corners[i], normal);
	}
	if (group->count <= LARGEST_SPLIT_GROUP && !all_acute(group->contributions, group->count))
	{
		return finish_split_group(group, normal);
	}
	bool all_seen = true;
	uint32_t space = 0;
	if (!add_tangent(self, usable_tangent(mean_tangent(group, NULL, &all_seen), normal), &space))
	{
		return false;
	}
	for (size_t i = 0; i < group->count; i++)
	{
		self->spaces[group->corners[i]] = space;
	}
	return true;
}

// A degenerate triangle's corner gets the tangent of the first sound triangle's that has its values.
static bool copy_to_degenerate(lrd_tangents *self)
{
	size_t bytes = self->id_count * sizeof(uint32_t);
	uint32_t *first = lrd_alloc(self->allocator, bytes);
	if (first == NULL)
	{
		return false;
	}
	memset(first, 0xFF, bytes); // LRD_NO_CORNER
	for (uint32_t corner = 0; corner < self->corner_count; corner++)
	{
		uint32_t *sound = &first[self->ids[corner]];
		bool degenerate = (self->flags[corner / 3] & LRD_TANGENT_DEGENERATE) != 0;
		*sound = *sound == LRD_NO_CORNER && !degenerate ? corner : *sound;
	}
	for (uint32_t corner = 0; corner < self->corner_count; corner++)
	{
		uint32_t sound = first[self->ids[corner]];
		if ((self->flags[corner / 3] & LRD_TANGENT_DEGENERATE) != 0 && sound != LRD_NO_CORNER)
		{
			self->spaces[corner] = self->spaces[sound];
		}
	}
	lrd_free(self->allocator, first, bytes);
	return true;
}

static bool make_groups(lrd_tangents *self, corner_group *group)
{
	uint32_t unused = 0;
	if (!add_tangent(self, (lrd_vec4){ 1.0f, 0.0f, 0.0f, 1.0f }, &unused))
	{
		return false;
	}
	bool any_degenerate = false;
	for (uint32_t corner = 0; corner < self->corner_count; corner++)
	{
		uint8_t flags = self->flags[corner / 3];
		any_degenerate = any_degenerate || (flags & LRD_TANGENT_DEGENERATE) != 0;
		if ((flags & (LRD_TANGENT_ANY | LRD_TANGENT_DEGENERATE)) != 0 || self->spaces[corner] != NO_SPACE)
		{
			continue;
		}
		group->preserving = (flags & LRD_TANGENT_PRESERVING) != 0;
		if (!walk_fan(group, corner) || !finish_group(group))
		{
			return false;
		}
	}
	for (uint32_t corner = 0; corner < self->corner_count; corner++)
	{
		self->spaces[corner] = self->spaces[corner] == NO_SPACE ? 0 : self->spaces[corner];
	}
	return !any_degenerate || copy_to_degenerate(self);
}

bool lrd_tangents_make_groups(lrd_tangents *self, lrd_error *error)
{
	memset(self->spaces, 0xFF, self->corner_count * sizeof *self->spaces); // NO_SPACE
	corner_group group = { .self = self };
	bool done = make_groups(self, &group);
	lrd_free(self->allocator, group.corners, group.capacity * sizeof *group.corners);
	lrd_free(self->allocator, group.contributions, group.contribution_capacity * sizeof *group.contributions);
	return done || lrd_fail_memory(error, "groups of triangles", 0);
}
