// geometry/lod_fans.c: the triangles around each point, and walks over a surface to what is nearest.

#include "geometry/lod.h"

// Steps of a walk. One that has not arrived by then stands on the surface as well: what it finds is farther than it
// need be, never nearer than it is.
#define MOST_STEPS 16
// Points at one place whose fans a walk looks into.
#define MOST_TWINS 16
// Weights that sum to this or more mean the edge across from the host, whatever rounding did.
#define NEARLY_ALL 0.99999f

bool lrd_lod_fans_make(lrd_lod_fans *fans, uint32_t index_count, uint32_t point_count, bool with_corners,
	lrd_arena *scratch, lrd_error *error)
{
	fans->starts = lrd_arena_alloc(scratch, ((size_t)point_count + 1) * sizeof *fans->starts);
	fans->wings = lrd_arena_alloc(scratch, index_count * sizeof *fans->wings);
	fans->corners = with_corners ? lrd_arena_alloc(scratch, index_count * sizeof *fans->corners) : NULL;
	if (fans->starts == NULL || fans->wings == NULL || (with_corners && fans->corners == NULL))
	{
		return lrd_fail_memory(error, "triangles around points", index_count * sizeof *fans->wings);
	}
	return true;
}

void lrd_lod_fans_fill(lrd_lod_fans *fans, const uint32_t *indices, uint32_t index_count, uint32_t point_count)
{
	// starts[p + 1] counts, becomes where p's wings begin, and by filling where they end.
	memset(fans->starts, 0, ((size_t)point_count + 1) * sizeof *fans->starts);
	for (uint32_t i = 0; i < index_count; i++)
	{
		fans->starts[indices[i] + 1]++;
	}
	uint32_t total = 0;
	for (uint32_t point = 0; point < point_count; point++)
	{
		uint32_t count = fans->starts[point + 1];
		fans->starts[point + 1] = total;
		total += count;
	}
	for (uint32_t i = 0; i < index_count; i += 3)
	{
		for (uint32_t c = 0; c < 3; c++)
		{
			uint32_t next = indices[i + (c + 1) % 3];
			uint32_t prev = indices[i + (c + 2) % 3];
			uint32_t wing = fans->starts[indices[i + c] + 1]++;
			fans->wings[wing] = (lrd_lod_wing){ next, prev };
			if (fans->corners != NULL)
			{
				fans->corners[wing] = i + c;
			}
		}
	}
}

static void subtract(float result[3], const float *a, const float *b)
{
	result[0] = a[0] - b[0];
	result[1] = a[1] - b[1];
	result[2] = a[2] - b[2];
}

// Products of a triangle's arms and of the arm to a position, from one corner.
typedef struct products
{
	float aa, ab, bb, aw, bw;
	float det, s, t; // weights of a and b in the plane, times det
} products;

static inline products multiply(const float w[3], const float a[3], const float b[3])
{
	products p = { .aa = a[0] * a[0] + a[1] * a[1] + a[2] * a[2],
		.ab = a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
		.bb = b[0] * b[0] + b[1] * b[1] + b[2] * b[2],
		.aw = a[0] * w[0] + a[1] * w[1] + a[2] * w[2],
		.bw = b[0] * w[0] + b[1] * w[1] + b[2] * w[2] };
	p.det = p.aa * p.bb - p.ab * p.ab;
	p.s = p.bb * p.aw - p.ab * p.bw;
	p.t = p.aa * p.bw - p.ab * p.aw;
	return p;
}

// The inside of a triangle that is thinner can't be told in floats; its edges are near enough.
static bool is_thin(const products *p)
{
	return !(p->det > 1e-5f * p->aa * p->bb);
}

static float squared_off(const float w[3], const float a[3], const float b[3], float s, float t)
{
	float x = w[0] - s * a[0] - t * b[0];
	float y = w[1] - s * a[1] - t * b[1];
	float z = w[2] - s * a[2] - t * b[2];
	return x * x + y * y + z * z;
}

// Triangles that are narrower than this show what rounding does to weights: what they leave over is solved for again.
#define NARROW 1e-2f

// The weights of a position that lies inside as seen straight from above.
static void weigh_inside(
	const products *p, const float w[3], const float a[3], const float b[3], float *restrict next, float *restrict prev)
{
	float scale = 1.0f / p->det;
	*next = p->s * scale;
	*prev = p->t * scale;
	if (p->det < NARROW * p->aa * p->bb)
	{
		float rest[3];
		for (int axis = 0; axis < 3; axis++)
		{
			rest[axis] = w[axis] - *next * a[axis] - *prev * b[axis];
		}
		products more = multiply(rest, a, b);
		float s = *next + more.s * scale;
		float t = *prev + more.t * scale;
		bool inside = s >= 0.0f && t >= 0.0f && s + t <= 1.0f;
		*next = inside ? s : *next;
		*prev = inside ? t : *prev;
	}
}

// The nearest on one of the edges that the position lies beyond, by squared distances less that of the corner.
static void nearest_on_edges(const products *p, bool thin, float *restrict next, float *restrict prev)
{
	float best = 0.0f;
	*next = 0.0f;
	*prev = 0.0f;
	if ((thin || p->t < 0.0f) && p->aw > 0.0f)
	{
		*next = p->aw < p->aa ? p->aw / p->aa : 1.0f;
		best = *next * (*next * p->aa - 2.0f * p->aw);
	}
	if ((thin || p->s < 0.0f) && p->bw > 0.0f)
	{
		float k = p->bw < p->bb ? p->bw / p->bb : 1.0f;
		float value = k * (k * p->bb - 2.0f * p->bw);
		*next = value < best ? 0.0f : *next;
		*prev = value < best ? k : *prev;
		best = value < best ? value : best;
	}
	if (thin || p->s + p->t > p->det)
	{
		float length = p->aa - 2.0f * p->ab + p->bb;
		float along = p->bw - p->aw - p->ab + p->aa;
		float k = along <= 0.0f ? 0.0f : along < length ? along / length : 1.0f;
		float rest = 1.0f - k;
		float value = rest * (rest * p->aa + 2.0f * k * p->ab - 2.0f * p->aw) + k * (k * p->bb - 2.0f * p->bw);
		*next = value < best ? rest : *next;
		*prev = value < best ? k : *prev;
	}
}

float lrd_lod_nearest_on_triangle(
	const float w[3], const float a[3], const float b[3], float *restrict next, float *restrict prev)
{
	products p = multiply(w, a, b);
	bool thin = is_thin(&p);
	if (!thin && p.s >= 0.0f && p.t >= 0.0f && p.s + p.t <= p.det)
	{
		weigh_inside(&p, w, a, b, next, prev);
	}
	else
	{
		nearest_on_edges(&p, thin, next, prev);
	}
	return squared_off(w, a, b, *next, *prev);
}

uint32_t lrd_lod_find_wing(const lrd_lod_surface *surface, uint32_t host, uint32_t next)
{
	const lrd_lod_fans *fans = &surface->fans;
	for (uint32_t wing = fans->starts[host]; wing < fans->starts[host + 1]; wing++)
	{
		if (fans->wings[wing].next == next)
		{
			return wing;
		}
	}
	return LRD_NO_VERTEX;
}

bool lrd_lod_has_edge(const lrd_lod_surface *surface, uint32_t a, uint32_t b)
{
	return lrd_lod_find_wing(surface, a, b) != LRD_NO_VERTEX || lrd_lod_find_wing(surface, b, a) != LRD_NO_VERTEX;
}

// The side of a triangle that a position lies beyond as seen straight from above it, by its corners: from the host,
// from the next, from the last.
typedef enum stand
{
	BEYOND_FIRST,
	BEYOND_FAR,
	BEYOND_LAST,
	INSIDE,
	NOWHERE // the triangle is so thin that nobody can tell
} stand;

// `nearest` is on the triangle where the position lies inside; nothing else is told of it otherwise.
static stand stand_on(
	const lrd_lod_surface *surface, uint32_t host, uint32_t wing, const float position[3], lrd_lod_nearest *nearest)
{
	const float *positions = surface->mesh->positions;
	const float *middle = positions + 3 * (size_t)host;
	float w[3];
	float a[3];
	float b[3];
	subtract(w, position, middle);
	subtract(a, positions + 3 * (size_t)surface->fans.wings[wing].next, middle);
	subtract(b, positions + 3 * (size_t)surface->fans.wings[wing].prev, middle);
	products p = multiply(w, a, b);
	if (is_thin(&p))
	{
		return NOWHERE;
	}
	float rest = p.det - p.s - p.t;
	if (p.s >= 0.0f && p.t >= 0.0f && rest >= 0.0f)
	{
		*nearest = (lrd_lod_nearest){ .host = host, .wing = wing };
		weigh_inside(&p, w, a, b, &nearest->next, &nearest->prev);
		nearest->squared = squared_off(w, a, b, nearest->next, nearest->prev);
		return INSIDE;
	}
	return rest < p.s && rest < p.t ? BEYOND_FAR : p.t < p.s ? BEYOND_FIRST : BEYOND_LAST;
}

static float squared_between(const float a[3], const float b[3])
{
	float off[3];
	subtract(off, a, b);
	return off[0] * off[0] + off[1] * off[1] + off[2] * off[2];
}

// The nearest to a position on the triangle of a wing.
static lrd_lod_nearest nearest_on(const lrd_lod_surface *surface, uint32_t host, uint32_t wing, const float position[3])
{
	const float *positions = surface->mesh->positions;
	const float *middle = positions + 3 * (size_t)host;
	float w[3];
	float a[3];
	float b[3];
	subtract(w, position, middle);
	subtract(a, positions + 3 * (size_t)surface->fans.wings[wing].next, middle);
	subtract(b, positions + 3 * (size_t)surface->fans.wings[wing].prev, middle);
	lrd_lod_nearest found = { .host = host, .wing = wing };
	found.squared = lrd_lod_nearest_on_triangle(w, a, b, &found.next, &found.prev);
	return found;
}

// From triangle to triangle over the sides that the position lies beyond, to the one that it lies above. False where
// the walk gets nowhere: the position lies outside of an open edge, or above another part of the surface altogether,
// farther off than where the walk began.
static bool stroll(const lrd_lod_surface *surface, const float position[3], lrd_lod_nearest *nearest)
{
	uint32_t host = nearest->host;
	uint32_t wing = nearest->wing;
	uint32_t before = LRD_NO_VERTEX; // the corner that the last triangle had and this one has not
	for (uint32_t step = 0; step < MOST_STEPS; step++)
	{
		const lrd_lod_wing corners = surface->fans.wings[wing];
		lrd_lod_nearest found;
		stand here = stand_on(surface, host, wing, position, &found);
		uint32_t from = here == BEYOND_FIRST ? host : here == BEYOND_FAR ? corners.next : corners.prev;
		uint32_t to = here == BEYOND_FIRST ? corners.next : here == BEYOND_FAR ? corners.prev : host;
		uint32_t across = here < INSIDE ? lrd_lod_find_wing(surface, to, from) : LRD_NO_VERTEX;
		if (across != LRD_NO_VERTEX && surface->fans.wings[across].prev != before)
		{
			before = here == BEYOND_FIRST ? corners.prev : here == BEYOND_FAR ? host : corners.next;
			host = to;
			wing = across;
			continue;
		}
		if (across != LRD_NO_VERTEX)
		{
			found = nearest_on(surface, host, wing, position); // above the edge between two
		}
		else if (here != INSIDE)
		{
			return false;
		}
		const float *start = surface->mesh->positions + 3 * (size_t)nearest->host;
		bool near = step == 0 || found.squared < squared_between(position, start);
		*nearest = near ? found : *nearest;
		return near;
	}
	return false;
}

static void scan_fan(const lrd_lod_surface *surface, uint32_t host, const float position[3], lrd_lod_nearest *nearest)
{
	const float *positions = surface->mesh->positions;
	const float *middle = positions + 3 * (size_t)host;
	float w[3];
	subtract(w, position, middle);
	for (uint32_t wing = surface->fans.starts[host]; wing < surface->fans.starts[host + 1]; wing++)
	{
		float a[3];
		float b[3];
		float next = 0.0f;
		float prev = 0.0f;
		subtract(a, positions + 3 * (size_t)surface->fans.wings[wing].next, middle);
		subtract(b, positions + 3 * (size_t)surface->fans.wings[wing].prev, middle);
		float squared = lrd_lod_nearest_on_triangle(w, a, b, &next, &prev);
		if (squared < nearest->squared)
		{
			*nearest = (lrd_lod_nearest){ host, wing, next, prev, squared };
		}
	}
}

void lrd_lod_descend(const lrd_lod_surface *surface, const float position[3], bool across, lrd_lod_nearest *nearest)
{
	uint32_t host = nearest->host;
	nearest->squared = INFINITY;
	for (uint32_t step = 0; step < MOST_STEPS; step++)
	{
		float before = nearest->squared;
		scan_fan(surface, host, position, nearest);
		uint32_t twin = across ? surface->mesh->twins[host] : host;
		for (uint32_t i = 0; twin != host && i < MOST_TWINS; i++, twin = surface->mesh->twins[twin])
		{
			scan_fan(surface, twin, position, nearest);
		}
		if (!(nearest->squared < before) || nearest->next + nearest->prev < NEARLY_ALL)
		{
			return; // no nearer, or not on the fan's rim
		}
		const lrd_lod_wing *wing = &surface->fans.wings[nearest->wing];
		host = nearest->next >= nearest->prev ? wing->next : wing->prev;
	}
}

void lrd_lod_walk(const lrd_lod_surface *surface, const float position[3], bool across, lrd_lod_nearest *nearest)
{
	uint32_t first = surface->fans.starts[nearest->host];
	uint32_t end = surface->fans.starts[nearest->host + 1];
	bool known = nearest->wing >= first && nearest->wing < end;
	nearest->wing = known ? nearest->wing : first;
	if (first == end || !stroll(surface, position, nearest))
	{
		lrd_lod_descend(surface, position, across, nearest);
	}
}

// Points whose fans a search looks into.
#define MOST_SEARCHED 64
// And how much farther than the nearest triangle those lie that it crosses: a tenth, squared.
#define SLACK 1.21f

typedef struct search
{
	const lrd_lod_surface *surface;
	const float *position;
	float reach; // squared: what lies farther is of no interest
	uint32_t points[MOST_SEARCHED];
	uint32_t count;
	uint32_t searched;
} search;

static void push(search *self, uint32_t point)
{
	for (uint32_t i = 0; i < self->count; i++)
	{
		if (self->points[i] == point)
		{
			return;
		}
	}
	if (self->count < MOST_SEARCHED)
	{
		self->points[self->count++] = point;
	}
}

static bool is_searched(const search *self, uint32_t point)
{
	bool found = false;
	for (uint32_t i = 0; i < self->searched; i++)
	{
		found |= self->points[i] == point;
	}
	return found;
}

static void search_fan(search *self, uint32_t host, lrd_lod_nearest *nearest)
{
	const lrd_lod_surface *surface = self->surface;
	const float *positions = surface->mesh->positions;
	const float *middle = positions + 3 * (size_t)host;
	float w[3];
	subtract(w, self->position, middle);
	for (uint32_t wing = surface->fans.starts[host]; wing < surface->fans.starts[host + 1]; wing++)
	{
		float a[3];
		float b[3];
		float next = 0.0f;
		float prev = 0.0f;
		const lrd_lod_wing *corners = &surface->fans.wings[wing];
		if (is_searched(self, corners->next) || is_searched(self, corners->prev))
		{
			continue; // around that corner
		}
		subtract(a, positions + 3 * (size_t)corners->next, middle);
		subtract(b, positions + 3 * (size_t)corners->prev, middle);
		float squared = lrd_lod_nearest_on_triangle(w, a, b, &next, &prev);
		if (squared < nearest->squared)
		{
			*nearest = (lrd_lod_nearest){ host, wing, next, prev, squared };
		}
		if (squared < self->reach)
		{
			push(self, corners->next);
			push(self, corners->prev);
		}
	}
}

void lrd_lod_search(const lrd_lod_surface *surface, const float position[3], bool across, lrd_lod_nearest *nearest)
{
	search self = { .surface = surface, .position = position, .reach = nearest->squared * SLACK };
	const lrd_lod_wing *wing = &surface->fans.wings[nearest->wing];
	push(&self, nearest->host);
	push(&self, wing->next);
	push(&self, wing->prev);
	for (; self.searched < self.count; self.searched++)
	{
		uint32_t point = self.points[self.searched];
		search_fan(&self, point, nearest);
		uint32_t twin = across ? surface->mesh->twins[point] : point;
		for (uint32_t t = 0; twin != point && t < MOST_TWINS; t++, twin = surface->mesh->twins[twin])
		{
			push(&self, twin);
		}
	}
}

lrd_lod_image lrd_lod_image_of(const lrd_lod_surface *surface, const lrd_lod_nearest *nearest)
{
	const float *positions = surface->mesh->positions;
	const float *middle = positions + 3 * (size_t)nearest->host;
	const lrd_lod_wing *wing = &surface->fans.wings[nearest->wing];
	float a[3];
	float b[3];
	subtract(a, positions + 3 * (size_t)wing->next, middle);
	subtract(b, positions + 3 * (size_t)wing->prev, middle);
	lrd_lod_image image = { .distance = sqrtf(nearest->squared), .corners = { nearest->host, wing->next, wing->prev } };
	for (int axis = 0; axis < 3; axis++)
	{
		image.at[axis] = middle[axis] + nearest->next * a[axis] + nearest->prev * b[axis];
	}
	lrd_vec3 cross = lrd_vec3_cross((lrd_vec3){ a[0], a[1], a[2] }, (lrd_vec3){ b[0], b[1], b[2] });
	float length = lrd_vec3_length(cross);
	if (length > 0.0f)
	{
		float scale = 1.0f / length;
		image.normal[0] = cross.x * scale;
		image.normal[1] = cross.y * scale;
		image.normal[2] = cross.z * scale;
	}
	return image;
}

void lrd_lod_wing_vertices(const lrd_lod_trial *trial, uint32_t host, uint32_t wing, uint32_t vertices[3])
{
	if (trial->to_vertices == NULL)
	{
		vertices[0] = trial->mesh->vertices[host];
		vertices[1] = trial->mesh->vertices[trial->now.fans.wings[wing].next];
		vertices[2] = trial->mesh->vertices[trial->now.fans.wings[wing].prev];
		return;
	}
	uint32_t corner = trial->now.fans.corners[wing];
	uint32_t first = corner - corner % 3;
	for (uint32_t c = 0; c < 3; c++)
	{
		vertices[c] = trial->to_vertices[first + (corner + c) % 3];
	}
}
