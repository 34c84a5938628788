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

// Whether b counts in the tangent that triangle a gets: unless they point in exactly opposite directions.
static bool sees(const lrd_contribution *a, const lrd_contribution *b)
{
	return a == b || a->any || b->any || (lrd_vec3_dot(a->s, b->s) > -1.0f && lrd_vec3_dot(a->t, b->t) > -1.0f);
}

void lrd_tangents_split_group(
	const lrd_contribution *contributions, size_t count, bool preserving, lrd_vec3 normal, lrd_vec4 *tangents)
{
	for (size_t viewer = 0; viewer < count; viewer++)
	{
		lrd_vec3 sum = { 0.0f, 0.0f, 0.0f };
		for (size_t i = 0; i < count; i++)
		{
			const lrd_contribution *one = &contributions[i];
			sum = !one->any && sees(&contributions[viewer], one) ? lrd_vec3_add(sum, one->weighted) : sum;
		}
		tangents[viewer] = lrd_tangents_of_sum(sum, preserving, normal);
	}
}

lrd_contribution lrd_tangents_contribution(const lrd_tangent_desk *desk, uint32_t at)
{
	const lrd_tangent_rows *rows = &desk->rows;
	return (lrd_contribution){ .s = { rows->s[0][at], rows->s[1][at], rows->s[2][at] },
		.t = { rows->t[0][at], rows->t[1][at], rows->t[2][at] },
		.weighted = { rows->weighted[0][at], rows->weighted[1][at], rows->weighted[2][at] },
		.any = (rows->flags[at] & LRD_TANGENT_ANY) != 0 };
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

static lrd_vec3 add_weighted(const lrd_tangent_desk *desk, uint32_t at, lrd_vec3 sum)
{
	const lrd_tangent_rows *rows = &desk->rows;
	return lrd_vec3_add(sum, (lrd_vec3){ rows->weighted[0][at], rows->weighted[1][at], rows->weighted[2][at] });
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

static void finish_group(
	const lrd_tangent_desk *desk, small_ring *ring, uint32_t number, uint32_t start, uint32_t count)
{
	lrd_vec3 normal = lrd_load3(desk->self->geometry->normals, desk->rows.normals[start]);
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
			sum = add_weighted(desk, start + i, sum);
			flags |= desk->rows.flags[start + i];
		}
	}
	lrd_vec4 tangents[LRD_SMALL_RING];
	bool whole = lrd_tangents_all_see(flags);
	if (whole)
	{
		tangents[0] = lrd_tangents_of_sum(sum, preserving, normal);
	}
	else
	{
		lrd_contribution contributions[LRD_SMALL_RING];
		for (uint32_t i = 0; i < member_count; i++)
		{
			contributions[i] = lrd_tangents_contribution(desk, start + members[i]);
		}
		lrd_tangents_split_group(contributions, member_count, preserving, normal, tangents);
	}
	for (uint32_t i = 0; i < member_count; i++)
	{
		ring->tangents[members[i]] = tangents[whole ? 0 : i];
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
