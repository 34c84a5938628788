// geometry/tangents_groups.c: the corners of a ring fall into groups that are connected through shared edges and have
// uv of one orientation; each group's tangent is the mean of its triangles', weighted by their angles at the vertex,
// summed in their order.

#include "geometry/tangents.h"

static const lrd_vec3 UP = { 0.0f, 0.0f, 1.0f };

lrd_vec4 lrd_tangents_of_sum(lrd_vec3 sum, bool preserving, lrd_vec3 normal)
{
	lrd_vec3 unit = lrd_not_zero3(sum) ? lrd_vec3_scale(sum, 1.0f / lrd_vec3_length(sum)) : sum;
	float squared = lrd_vec3_dot(unit, unit);
	if (!(squared > 0.5f && squared < 2.0f))
	{
		// Contributions that cancel leave no direction, and huge coordinates leave no number: then any tangent will do.
		unit = lrd_geometry_perpendicular(lrd_vec3_normalize_or(normal, UP));
	}
	// v grows downwards in an image, the bitangent of a normal map points up: the sign is the opposite of that of the
	// uv's orientation.
	// Adding 0 makes -0 0, so that equal directions have equal bits.
	return (lrd_vec4){ unit.x + 0.0f, unit.y + 0.0f, unit.z + 0.0f, preserving ? -1.0f : 1.0f };
}

bool lrd_tangents_all_see(int32_t flags)
{
	int32_t one_way = flags / LRD_TANGENT_ALONG;
	return (one_way & one_way >> LRD_TANGENT_AXES) == 0;
}

uint8_t lrd_tangents_kind(const lrd_tangent_desk *desk, uint32_t at)
{
	const lrd_tangents *self = desk->self;
	uint32_t kind = (uint32_t)desk->rows.flags[at] & (LRD_TANGENT_ALONG - 1);
	if ((kind & LRD_TANGENT_ANY) != 0)
	{
		uint32_t taken = self->orientations != NULL ? self->orientations[desk->entries[desk->place[at] / 3].triangle]
													: (uint32_t)(self->preserving ? LRD_TANGENT_PRESERVING : 0);
		kind = (kind & ~(uint32_t)LRD_TANGENT_PRESERVING) | (taken & LRD_TANGENT_PRESERVING);
	}
	return (uint8_t)kind;
}

lrd_vec3 lrd_tangents_add_weighted(const lrd_tangent_desk *desk, uint32_t at, lrd_vec3 sum)
{
	const float(*weighted)[LRD_TANGENT_BATCH] = desk->rows.directions + LRD_TANGENT_WEIGHTED;
	return lrd_vec3_add(sum, (lrd_vec3){ weighted[0][at], weighted[1][at], weighted[2][at] });
}

// Nearly every ring: all of its corners are one group.
static bool finish_whole(lrd_tangent_desk *desk, uint32_t open)
{
	lrd_tangents *self = desk->self;
	const lrd_tangent_sum *sum = &desk->open_sum[open];
	if (!sum->whole || !lrd_tangents_all_see(sum->flags))
	{
		return false;
	}
	uint32_t start = desk->open_start[open];
	lrd_vec3 weighted = { sum->weighted[0], sum->weighted[1], sum->weighted[2] };
	lrd_vec3 normal = lrd_load3(self->geometry->normals, desk->rows.normals[start]);
	lrd_vec4 tangent = lrd_tangents_of_sum(weighted, (sum->flags & LRD_TANGENT_PRESERVING) != 0, normal);
	uint32_t end = self->rings != NULL ? desk->open_start[open + 1] : start + 1; // alone, a vertex is its ring
	for (uint32_t i = start; i < end; i++)
	{
		memcpy(self->tangents + 4 * (size_t)lrd_vertex_at(desk, desk->place[i]), &tangent, sizeof tangent);
	}
	return true;
}

typedef struct small_ring
{
	uint8_t kinds[LRD_SMALL_RING];
	uint32_t group[LRD_SMALL_RING];
	lrd_vec4 tangents[LRD_SMALL_RING]; // of corners
} small_ring;

#define SPLIT_STRIDE ((LRD_SMALL_RING + LRD_TANGENT_PADDING - 1) / LRD_TANGENT_PADDING * LRD_TANGENT_PADDING)

// Some of the group's corners may not see each other: each has a sum of its own.
static void finish_split_group(const lrd_tangent_desk *desk, small_ring *ring, const uint32_t *members, uint32_t count,
	bool preserving, uint32_t start)
{
	lrd_vec3 normal = lrd_load3(desk->self->geometry->normals, desk->rows.normals[start]);
	float directions[LRD_TANGENT_DIRECTIONS][SPLIT_STRIDE];
	float sums[3][SPLIT_STRIDE];
	for (uint32_t row = 0; row < LRD_TANGENT_DIRECTIONS; row++)
	{
		for (uint32_t i = 0; i < SPLIT_STRIDE; i++)
		{
			directions[row][i] = i < count ? desk->rows.directions[row][start + members[i]] : 0.0f;
		}
	}
	desk->self->see(directions[0], SPLIT_STRIDE, count, sums[0]);
	for (uint32_t i = 0; i < count; i++)
	{
		lrd_vec3 sum = { sums[0][i], sums[1][i], sums[2][i] };
		ring->tangents[members[i]] = lrd_tangents_of_sum(sum, preserving, normal);
	}
}

static void finish_group(
	const lrd_tangent_desk *desk, small_ring *ring, uint32_t number, uint32_t start, uint32_t count)
{
	uint32_t members[LRD_SMALL_RING];
	uint32_t member_count = 0;
	lrd_vec3 sum = { 0.0f, 0.0f, 0.0f };
	int32_t flags = 0;
	bool preserving = false;
	for (uint32_t i = 0; i < count; i++)
	{
		if (ring->group[i] == number)
		{
			members[member_count++] = i;
			preserving = (ring->kinds[i] & LRD_TANGENT_PRESERVING) != 0;
			sum = lrd_tangents_add_weighted(desk, start + i, sum);
			flags |= desk->rows.flags[start + i];
		}
	}
	if (!lrd_tangents_all_see(flags))
	{
		finish_split_group(desk, ring, members, member_count, preserving, start);
		return;
	}
	lrd_vec3 normal = lrd_load3(desk->self->geometry->normals, desk->rows.normals[start]);
	lrd_vec4 tangent = lrd_tangents_of_sum(sum, preserving, normal);
	for (uint32_t i = 0; i < member_count; i++)
	{
		ring->tangents[members[i]] = tangent;
	}
}

// A degenerate triangle's corner gets the tangent of the first sound triangle's that has its values.
static void finish_degenerate(small_ring *ring, bool loose, uint32_t count)
{
	uint32_t first = 0;
	while (first < count && (ring->kinds[first] & LRD_TANGENT_DEGENERATE) != 0)
	{
		first++;
	}
	for (uint32_t i = 0; i < count; i++)
	{
		if ((ring->kinds[i] & LRD_TANGENT_DEGENERATE) != 0)
		{
			ring->tangents[i] = first < count && !loose ? ring->tangents[first] : LRD_TANGENT_WITHOUT_GROUP;
		}
	}
}

// Returns whether some corners need new vertices.
static bool give_all(lrd_tangent_desk *desk, const small_ring *ring, uint32_t start, uint32_t count)
{
	uint32_t extra_before = desk->bucket->extra;
	lrd_tangents_begin_ring(desk);
	for (uint32_t i = 0; i < count; i++)
	{
		uint32_t place = desk->place[start + i];
		lrd_tangents_give(desk, lrd_vertex_at(desk, place), lrd_corner_at(desk, place), ring->tangents[i]);
	}
	return desk->bucket->extra != extra_before;
}

bool lrd_tangents_survey(lrd_tangent_desk *desk, const uint8_t *kinds, uint32_t count)
{
	const uint32_t special = LRD_TANGENT_ANY | LRD_TANGENT_DEGENERATE;
	uint32_t orientations = 0;
	bool any = false;
	for (uint32_t i = 0; i < count; i++)
	{
		any = any || (kinds[i] & special) == LRD_TANGENT_ANY;
		orientations |= (kinds[i] & special) == 0 ? 1u << (kinds[i] & LRD_TANGENT_PRESERVING) : 0u;
	}
	if (!any || orientations == 0)
	{
		return false;
	}
	desk->seen_orientations |= orientations;
	return true;
}

void lrd_tangents_finish_ring(lrd_tangent_desk *desk, uint32_t open)
{
	lrd_tangents *self = desk->self;
	uint8_t *status = &self->status[desk->open_ring[open]];
	uint32_t start = desk->open_start[open];
	uint32_t count = desk->open_start[open + 1] - start;
	bool loose = lrd_ring_is_loose(self, desk->rows.normals[start]);
	if (self->round == LRD_ROUND_FIRST && !loose && finish_whole(desk, open))
	{
		*status = LRD_RING_WHOLE;
		return;
	}
	small_ring ring;
	uint32_t out[LRD_SMALL_RING];
	uint32_t in[LRD_SMALL_RING];
	memset(ring.kinds, 0, sizeof ring.kinds);
	for (uint32_t i = 0; i < count; i++)
	{
		ring.kinds[i] = lrd_tangents_kind(desk, start + i);
		ring.tangents[i] = LRD_TANGENT_WITHOUT_GROUP;
	}
	if (self->round == LRD_ROUND_FIRST && !loose && lrd_tangents_survey(desk, ring.kinds, count))
	{
		*status = LRD_RING_WAITING;
		desk->bucket->waiting++;
		return;
	}
	lrd_tangents_link(desk->rows.next + start, desk->rows.previous + start, ring.kinds, count, out, in);
	if (loose)
	{
		memset(out, 0xFF, sizeof out); // LRD_NONE
		memset(in, 0xFF, sizeof in);
	}
	uint32_t group_count = lrd_tangents_label(ring.kinds, out, in, count, ring.group);
	for (uint32_t group = 0; group < group_count; group++)
	{
		finish_group(desk, &ring, group, start, count);
	}
	finish_degenerate(&ring, loose, count);
	bool split = give_all(desk, &ring, start, count);
	if (self->round != LRD_ROUND_SPLIT)
	{
		*status = split ? LRD_RING_SPLIT : LRD_RING_WHOLE;
		desk->bucket->split += split;
	}
}
