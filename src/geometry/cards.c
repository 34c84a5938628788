// geometry/cards.c: whether a geometry is made of cards, as foliage and hair are.

#include "geometry/clusters.h"
#include "geometry/vertices.h"

// A card is a piece that shares no position with any other, of at most so many triangles, and flat; or, bent as it may
// be, a strip of at most so many. Triangles that lie on one another, as two sides of a card, count once.
#define CARD_TRIANGLES 8u
#define STRIP_TRIANGLES 64u
#define PIECE_TRIANGLES (2u * STRIP_TRIANGLES)

#define FLATTEST_CARD 0.05 // its thickness at most, to the diagonal of its box

// So many cards at least, and so many of all triangles in cards.
#define FEWEST_CARDS 8u
#define CARD_SHARE 0.9

typedef struct pieces
{
	const lrd_geometry *geometry;
	uint32_t *position_of; // a vertex: the first one at its position, or LRD_NO_VERTEX
	uint32_t *parent;      // a position: towards the one that stands for its piece
	uint32_t *starts;      // a position that stands for a piece: where its triangles begin; one more
	uint32_t *triangles;   // by piece
	uint32_t counted;      // triangles whose positions are numbers
} pieces;

// One piece, by positions.
typedef struct piece
{
	uint32_t corners[PIECE_TRIANGLES][3]; // ascending
	uint32_t count;
} piece;

static uint32_t find_root(uint32_t *parent, uint32_t position)
{
	while (parent[position] != position)
	{
		parent[position] = parent[parent[position]];
		position = parent[position];
	}
	return position;
}

static void join(uint32_t *parent, uint32_t a, uint32_t b)
{
	a = find_root(parent, a);
	b = find_root(parent, b);
	parent[a > b ? a : b] = a > b ? b : a;
}

// False where one is not a number.
static bool load_positions(const pieces *self, uint32_t triangle, uint32_t positions[3])
{
	bool numbers = true;
	for (size_t corner = 0; corner < 3; corner++)
	{
		positions[corner] = self->position_of[self->geometry->indices[3 * (size_t)triangle + corner]];
		numbers = numbers && positions[corner] != LRD_NO_VERTEX;
	}
	return numbers;
}

static bool allocate_pieces(pieces *self, lrd_arena *scratch, lrd_error *error)
{
	const lrd_geometry *geometry = self->geometry;
	size_t bytes = geometry->vertex_count * sizeof(uint32_t);
	self->position_of = lrd_arena_alloc(scratch, bytes);
	self->parent = lrd_arena_alloc(scratch, bytes);
	self->starts = LRD_ARENA_ARRAY(scratch, uint32_t, (size_t)geometry->vertex_count + 2);
	self->triangles = lrd_arena_alloc(scratch, geometry->index_count / 3 * sizeof *self->triangles);
	if (self->position_of == NULL || self->parent == NULL || self->starts == NULL || self->triangles == NULL)
	{
		return lrd_fail_memory(error, "pieces", bytes);
	}
	const float *streams[1] = { geometry->positions };
	const uint32_t components[1] = { 3 };
	return lrd_geometry_equal_values(
		lrd_arena_allocator(scratch), NULL, streams, components, 1, geometry->vertex_count, self->position_of, error);
}

static void join_triangles(pieces *self)
{
	for (uint32_t v = 0; v < self->geometry->vertex_count; v++)
	{
		self->parent[v] = v;
	}
	for (uint32_t t = 0; t < self->geometry->index_count / 3; t++)
	{
		uint32_t positions[3];
		if (load_positions(self, t, positions))
		{
			join(self->parent, positions[0], positions[1]);
			join(self->parent, positions[1], positions[2]);
		}
	}
}

// Triangles by piece, by counting.
static void list_triangles(pieces *self)
{
	uint32_t triangle_count = self->geometry->index_count / 3;
	uint32_t *next = self->starts + 1; // one place ahead: when all are placed, each has become the start of the next
	uint32_t positions[3];
	for (uint32_t t = 0; t < triangle_count; t++)
	{
		if (load_positions(self, t, positions))
		{
			next[(size_t)find_root(self->parent, positions[0]) + 1]++;
			self->counted++;
		}
	}
	for (uint32_t v = 1; v <= self->geometry->vertex_count; v++)
	{
		next[v] += next[v - 1];
	}
	for (uint32_t t = 0; t < triangle_count; t++)
	{
		if (load_positions(self, t, positions))
		{
			self->triangles[next[find_root(self->parent, positions[0])]++] = t;
		}
	}
}

static void sort3(uint32_t values[3])
{
	for (int i = 0; i < 3; i++)
	{
		int a = i == 1 ? 1 : 0; // 0 and 1, 1 and 2, 0 and 1 again
		uint32_t low = values[a] < values[a + 1] ? values[a] : values[a + 1];
		uint32_t high = values[a] < values[a + 1] ? values[a + 1] : values[a];
		values[a] = low;
		values[a + 1] = high;
	}
}

static void add_once(piece *self, const uint32_t corners[3])
{
	for (uint32_t i = 0; i < self->count; i++)
	{
		if (memcmp(self->corners[i], corners, sizeof self->corners[i]) == 0)
		{
			return;
		}
	}
	memcpy(self->corners[self->count++], corners, sizeof *self->corners);
}

static void load_piece(const pieces *all, uint32_t root, piece *self)
{
	self->count = 0;
	for (uint32_t i = all->starts[root]; i < all->starts[root + 1]; i++)
	{
		uint32_t corners[3];
		load_positions(all, all->triangles[i], corners);
		sort3(corners);
		add_once(self, corners);
	}
}

// Measured across the plane of its largest triangle.
static bool is_flat(const lrd_geometry *geometry, const piece *self)
{
	double plane[3] = { 0.0, 0.0, 0.0 };
	double largest = 0.0;
	lrd_vec3 low = { INFINITY, INFINITY, INFINITY };
	lrd_vec3 high = { -INFINITY, -INFINITY, -INFINITY };
	for (uint32_t t = 0; t < self->count; t++)
	{
		double cross[3];
		lrd_vec3 p[3];
		for (int corner = 0; corner < 3; corner++)
		{
			p[corner] = lrd_load3(geometry->positions, self->corners[t][corner]);
			low = (lrd_vec3){ fminf(low.x, p[corner].x), fminf(low.y, p[corner].y), fminf(low.z, p[corner].z) };
			high = (lrd_vec3){ fmaxf(high.x, p[corner].x), fmaxf(high.y, p[corner].y), fmaxf(high.z, p[corner].z) };
		}
		lrd_triangle_cross(p[0], p[1], p[2], cross);
		double squared = cross[0] * cross[0] + cross[1] * cross[1] + cross[2] * cross[2];
		if (squared > largest)
		{
			largest = squared;
			memcpy(plane, cross, sizeof plane);
		}
	}
	double nearest = INFINITY;
	double farthest = -INFINITY;
	for (uint32_t i = 0; i < 3 * self->count; i++)
	{
		lrd_vec3 p = lrd_load3(geometry->positions, self->corners[i / 3][i % 3]);
		double height = plane[0] * (double)p.x + plane[1] * (double)p.y + plane[2] * (double)p.z;
		nearest = fmin(nearest, height);
		farthest = fmax(farthest, height);
	}
	double x = (double)high.x - (double)low.x;
	double y = (double)high.y - (double)low.y;
	double z = (double)high.z - (double)low.z;
	return farthest - nearest <= FLATTEST_CARD * sqrt(x * x + y * y + z * z) * sqrt(largest);
}

static uint32_t shared_positions(const uint32_t a[3], const uint32_t b[3])
{
	uint32_t shared = 0;
	for (int i = 0; i < 3; i++)
	{
		shared += a[i] == b[0] || a[i] == b[1] || a[i] == b[2];
	}
	return shared;
}

// Triangles in a row, each beside the next along an edge: no more than two neighbours each, and one neighbourhood fewer
// than triangles, or they would go round in a ring.
static bool is_strip(const piece *self)
{
	uint32_t neighbourhoods = 0;
	for (uint32_t a = 0; a < self->count; a++)
	{
		uint32_t neighbours = 0;
		for (uint32_t b = 0; b < self->count; b++)
		{
			neighbours += b != a && shared_positions(self->corners[a], self->corners[b]) >= 2;
		}
		neighbourhoods += neighbours;
		if (neighbours > 2)
		{
			return false;
		}
	}
	return neighbourhoods == 2 * (self->count - 1);
}

static bool is_card(const pieces *all, uint32_t root)
{
	piece self;
	if (all->starts[root + 1] - all->starts[root] > PIECE_TRIANGLES)
	{
		return false;
	}
	load_piece(all, root, &self);
	return (self.count <= CARD_TRIANGLES && is_flat(all->geometry, &self)) ||
		   (self.count <= STRIP_TRIANGLES && is_strip(&self));
}

static bool are_cards(const pieces *all)
{
	uint32_t cards = 0;
	uint32_t triangles = 0;
	for (uint32_t root = 0; root < all->geometry->vertex_count; root++)
	{
		uint32_t count = all->starts[root + 1] - all->starts[root];
		if (count != 0 && is_card(all, root))
		{
			cards++;
			triangles += count;
		}
	}
	return cards >= FEWEST_CARDS && (double)triangles >= CARD_SHARE * (double)all->counted;
}

bool lrd_geometry_is_cards(const lrd_geometry *geometry, bool *cards, lrd_error *error)
{
	pieces all = { .geometry = geometry };
	lrd_arena *scratch = lrd_geometry_scratch(geometry, error);
	bool done = scratch != NULL && allocate_pieces(&all, scratch, error);
	if (done)
	{
		join_triangles(&all);
		list_triangles(&all);
		*cards = are_cards(&all);
	}
	lrd_arena_destroy(scratch);
	return done;
}
