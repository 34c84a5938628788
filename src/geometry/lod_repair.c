// geometry/lod_repair.c: small repairs of a trial, which cost less than another. A point that is missed is put back
// into the triangle that its image lies on, or the two at an edge; where a triangle shows its back, the edge that it
// folds over is swapped with the other diagonal.

#include "geometry/lod.h"

// A place that has less than this share of a corner lies on the edge across from it.
#define ON_EDGE 0.1f

typedef struct repair
{
	lrd_lod_trial *trial;
	uint8_t *touched; // points whose fans have changed and are not to be trusted
	uint32_t done;
} repair;

static lrd_vec3 normal_of(const repair *self, uint32_t a, uint32_t b, uint32_t c)
{
	const float *positions = self->trial->mesh->positions;
	lrd_vec3 first = lrd_load3(positions, a);
	return lrd_vec3_cross(lrd_vec3_sub(lrd_load3(positions, b), first), lrd_vec3_sub(lrd_load3(positions, c), first));
}

static uint32_t find_wing(const repair *self, uint32_t a, uint32_t next)
{
	return lrd_lod_find_wing(&self->trial->now, a, next);
}

// What both levels have lies where it should, and no point is to be put there.
static bool had_edge(const repair *self, uint32_t a, uint32_t b)
{
	return lrd_lod_has_edge(&self->trial->before, a, b);
}

static bool has_edge(const repair *self, uint32_t a, uint32_t b)
{
	return lrd_lod_has_edge(&self->trial->now, a, b);
}

static void set_triangle(repair *self, uint32_t triangle, uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t *to = self->trial->to + 3 * (size_t)triangle;
	to[0] = a;
	to[1] = b;
	to[2] = c;
	self->trial->turned[triangle] = -1.0f;
	self->touched[a] = self->touched[b] = self->touched[c] = 1;
}

static void add_triangle(repair *self, uint32_t a, uint32_t b, uint32_t c)
{
	set_triangle(self, self->trial->to_count / 3, a, b, c);
	self->trial->to_count += 3;
}

// How a triangle faces by the surface that was at its corners.
static float facing(const repair *self, uint32_t a, uint32_t b, uint32_t c)
{
	const uint32_t corners[3] = { a, b, c };
	lrd_vec3 normal = normal_of(self, a, b, c);
	float sum = 0.0f;
	for (uint32_t i = 0; i < 3; i++)
	{
		sum += lrd_vec3_dot(normal, lrd_lod_normal_at(self->trial, corners[i]));
	}
	return sum;
}

static bool swap_edge(repair *self, uint32_t triangle)
{
	const lrd_lod_fans *fans = &self->trial->now.fans;
	uint32_t corners[3];
	memcpy(corners, self->trial->to + 3 * (size_t)triangle, sizeof corners);
	for (uint32_t c = 0; c < 3; c++)
	{
		uint32_t a = corners[c];
		uint32_t b = corners[(c + 1) % 3];
		uint32_t top = corners[(c + 2) % 3];
		uint32_t wing = find_wing(self, b, a); // of the triangle across the edge
		if (wing == LRD_NO_VERTEX)
		{
			continue;
		}
		uint32_t other = fans->wings[wing].prev;
		if (self->touched[other] || other == top || has_edge(self, top, other) || had_edge(self, a, b) ||
			!(facing(self, top, a, other) > 0.0f) || !(facing(self, top, other, b) > 0.0f))
		{
			continue;
		}
		set_triangle(self, triangle, top, a, other);
		set_triangle(self, fans->corners[wing] / 3, top, other, b);
		self->touched[a] = 1;
		self->touched[b] = 1;
		return true;
	}
	return false;
}

static void swap_turned(repair *self)
{
	lrd_lod_trial *trial = self->trial;
	uint32_t count = trial->turned_count != 0 ? trial->to_count / 3 : 0;
	for (uint32_t t = 0; t < count; t++)
	{
		const uint32_t *corners = trial->to + 3 * (size_t)t;
		bool touched = self->touched[corners[0]] || self->touched[corners[1]] || self->touched[corners[2]];
		if (trial->turned[t] > trial->error && !touched)
		{
			self->done += swap_edge(self, t);
		}
	}
}

// Where a point is to go: a triangle as wing of its first corner, and the shares of its corners there.
typedef struct place
{
	uint32_t triangle;
	uint32_t corners[3];
	float shares[3];
} place;

static bool find_place(const repair *self, uint32_t point, place *found)
{
	const lrd_lod_trial *trial = self->trial;
	lrd_lod_nearest nearest = lrd_lod_walk_own_side(trial, point);
	const lrd_lod_wing *wing = &trial->now.fans.wings[nearest.wing];
	*found = (place){ .triangle = trial->now.fans.corners[nearest.wing] / 3,
		.corners = { nearest.host, wing->next, wing->prev },
		.shares = { 1.0f - nearest.next - nearest.prev, nearest.next, nearest.prev } };
	lrd_vec3 normal = normal_of(self, nearest.host, wing->next, wing->prev);
	return lrd_vec3_dot(normal, lrd_lod_normal_at(trial, point)) > 0.0f && !self->touched[found->corners[0]] &&
		   !self->touched[found->corners[1]] && !self->touched[found->corners[2]];
}

static bool faces_alike(const repair *self, lrd_vec3 normal, uint32_t a, uint32_t b, uint32_t c)
{
	return lrd_vec3_dot(normal_of(self, a, b, c), normal) > 0.0f;
}

static bool split_triangle(repair *self, uint32_t point, const place *at)
{
	uint32_t a = at->corners[0];
	uint32_t b = at->corners[1];
	uint32_t c = at->corners[2];
	lrd_vec3 normal = normal_of(self, a, b, c);
	if (had_edge(self, a, b) && had_edge(self, b, c) && had_edge(self, c, a))
	{
		return false;
	}
	if (!faces_alike(self, normal, a, b, point) || !faces_alike(self, normal, b, c, point) ||
		!faces_alike(self, normal, c, a, point))
	{
		return false;
	}
	set_triangle(self, at->triangle, a, b, point);
	add_triangle(self, b, c, point);
	add_triangle(self, c, a, point);
	return true;
}

// The corner across from the edge that the place is on.
static uint32_t least_share(const place *at)
{
	uint32_t least = at->shares[1] < at->shares[0] ? 1 : 0;
	return at->shares[2] < at->shares[least] ? 2 : least;
}

// Both halves of a triangle whose edge a, b gets the point.
static bool halves_face_alike(const repair *self, uint32_t point, uint32_t a, uint32_t b, uint32_t top)
{
	lrd_vec3 normal = normal_of(self, a, b, top);
	return faces_alike(self, normal, a, point, top) && faces_alike(self, normal, point, b, top);
}

static void halve(repair *self, uint32_t triangle, uint32_t point, uint32_t a, uint32_t b, uint32_t top)
{
	set_triangle(self, triangle, a, point, top);
	add_triangle(self, point, b, top);
}

static bool split_edge(repair *self, uint32_t point, const place *at)
{
	const lrd_lod_mesh *mesh = self->trial->mesh;
	uint32_t least = least_share(at);
	uint32_t a = at->corners[(least + 1) % 3];
	uint32_t b = at->corners[(least + 2) % 3];
	uint32_t top = at->corners[least];
	uint32_t wing = find_wing(self, b, a);
	if (had_edge(self, a, b) || !halves_face_alike(self, point, a, b, top))
	{
		return false;
	}
	if (wing == LRD_NO_VERTEX)
	{
		// An edge without another side on this one may be a seam, which must not get the point on one side alone.
		if (mesh->open == NULL || !mesh->open[point] || mesh->twins[a] != a || mesh->twins[b] != b)
		{
			return false;
		}
		halve(self, at->triangle, point, a, b, top);
		return true;
	}
	uint32_t other = self->trial->now.fans.wings[wing].prev;
	if (self->touched[other] || !halves_face_alike(self, point, b, a, other))
	{
		return false;
	}
	halve(self, at->triangle, point, a, b, top);
	halve(self, self->trial->now.fans.corners[wing] / 3, point, b, a, other);
	return true;
}

// A seam gets its point on both sides.
static bool split_seam(repair *self, uint32_t point, uint32_t twin, const place *at)
{
	const lrd_lod_mesh *mesh = self->trial->mesh;
	place across;
	if (!find_place(self, twin, &across))
	{
		return false;
	}
	uint32_t least = least_share(at);
	uint32_t least_across = least_share(&across);
	uint32_t a = at->corners[(least + 1) % 3];
	uint32_t b = at->corners[(least + 2) % 3];
	uint32_t top = at->corners[least];
	uint32_t b_across = across.corners[(least_across + 1) % 3];
	uint32_t a_across = across.corners[(least_across + 2) % 3];
	uint32_t top_across = across.corners[least_across];
	if (at->triangle == across.triangle || had_edge(self, a, b) || !lrd_lod_at_one_place(mesh, a, a_across) ||
		!lrd_lod_at_one_place(mesh, b, b_across) || find_wing(self, b, a) != LRD_NO_VERTEX ||
		find_wing(self, a_across, b_across) != LRD_NO_VERTEX || !halves_face_alike(self, point, a, b, top) ||
		!halves_face_alike(self, twin, b_across, a_across, top_across))
	{
		return false;
	}
	halve(self, at->triangle, point, a, b, top);
	halve(self, across.triangle, twin, b_across, a_across, top_across);
	return true;
}

static bool put_back(repair *self, uint32_t point)
{
	const lrd_lod_mesh *mesh = self->trial->mesh;
	uint32_t twin = mesh->twins[point];
	place at;
	bool followed = self->trial->states[point] >= LRD_LOD_FOUND && self->trial->hosts[point] != LRD_NO_VERTEX;
	if (!followed || self->touched[point] || !find_place(self, point, &at))
	{
		return false;
	}
	if (twin != point)
	{
		bool pair = mesh->twins[twin] == point && self->trial->states[twin] >= LRD_LOD_FOUND &&
					self->trial->hosts[twin] != LRD_NO_VERTEX;
		return pair && split_seam(self, point, twin, &at);
	}
	bool on_edge = at.shares[least_share(&at)] < ON_EDGE;
	return (on_edge && split_edge(self, point, &at)) || split_triangle(self, point, &at);
}

// Triangles at points that were touched are new: images on them are to be found again, and who is back has none.
static void update(repair *self)
{
	lrd_lod_trial *trial = self->trial;
	lrd_lod_fans_fill(&trial->now.fans, trial->to, trial->to_count, trial->mesh->point_count);
	uint32_t kept = 0;
	for (uint32_t g = 0; g < trial->gone_count; g++)
	{
		uint32_t point = trial->gone[g];
		const uint32_t *corners = trial->images[point].corners;
		if (self->touched[point])
		{
			trial->states[point] = LRD_LOD_KEPT;
			trial->returned[point] = 1;
			trial->fresh[point] = 1;
			continue;
		}
		trial->gone[kept++] = point;
		if (trial->states[point] >= LRD_LOD_FOUND && self->touched[corners[0]] && self->touched[corners[1]] &&
			self->touched[corners[2]])
		{
			bool followed = trial->hosts[point] != LRD_NO_VERTEX;
			trial->hosts[point] = followed ? corners[0] : LRD_NO_VERTEX;
			trial->states[point] = followed ? LRD_LOD_GUESSED : LRD_LOD_LOST;
		}
	}
	trial->gone_count = kept;
}

bool lrd_lod_repair(lrd_lod_trial *trial, uint32_t *done, lrd_error *error)
{
	size_t points = trial->mesh->point_count;
	repair self = { .trial = trial, .touched = LRD_ARENA_ARRAY(trial->scratch, uint8_t, points) };
	*done = 0;
	trial->returned = trial->returned != NULL ? trial->returned : LRD_ARENA_ARRAY(trial->scratch, uint8_t, points);
	if (self.touched == NULL || trial->returned == NULL)
	{
		return lrd_fail_memory(error, "repairs of a LOD", points);
	}
	swap_turned(&self);
	for (uint32_t g = 0; g < trial->gone_count && trial->to_count + 4 * 3 <= trial->to_room; g++)
	{
		if (trial->missed[trial->gone[g]])
		{
			self.done += put_back(&self, trial->gone[g]);
		}
	}
	if (self.done != 0)
	{
		update(&self);
	}
	*done = self.done;
	return true;
}
