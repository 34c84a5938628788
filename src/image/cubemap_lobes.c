// Convolving a cube with GGX lobes (image/cubemap.h says which and why so). The source becomes a tree: nodes of a level
// are squares of up to four nodes of the level below, with the sum of their solid angles and light. Light is weighted
// where its middle is, so that one sun in a node of darkness keeps its place; the area, which the weights' sum is taken
// over, at the area's. Each 4 x 4 texels of the output
// walk down the tree together as far as their lobe asks for, and sum what they meet (Josh Barnes and Piet Hut, "A
// hierarchical O(N log N) force-calculation algorithm", Nature 324, 1986, walk a tree by the same rule).

#include "image/cubemap_kernel.h"
#include "image/cubemap_maths.h"

#include "base/error.h"

#define TILE 4u

// A node is taken whole when its side is at most this much of the distance over which the lobe changes: a level of few
// texels can afford to look closer, and has the wide lobes, which see everything.
#define NODE_SIDE 0.2f
#define NODE_SIDE_SMALL 0.1f
#define SMALL_LEVEL 32u

// And never larger than this: towards the horizon a lobe comes to 0 within any distance.
#define NODE_SIDE_MAX 0.08f

// Between a node's middle and its far corner lie at most this many of its sides.
#define NODE_REACH 1.0f

#define ROUGHNESS_MIN (1.0f / 128.0f)

typedef struct tree_level
{
	uint32_t size; // nodes of a face's side; the last of an odd row has fewer below it
	lrd_light_node *nodes;
	size_t bytes;
} tree_level;

struct lrd_cube_lobes
{
	const lrd_cube *cube;
	float *solid_angles; // of the texels of a face
	size_t solid_angles_size;
	uint32_t level_count;
	tree_level levels[LRD_CUBE_LEVELS_MAX + 1]; // [0] is the cube
	lrd_allocator allocator;
};

typedef struct walk
{
	const lrd_cube_lobes *lobes;
	void (*sum_nodes)(lrd_light_sums *sums, const lrd_light_node *nodes, size_t count);
	lrd_light_sums sums;
	float centre[3];
	float radius; // chord from the centre to the farthest texel
	float side;   // NODE_SIDE, squared
	float bend;   // square of the chord over which the lobe changes around its middle
	uint32_t samples;
	size_t count;
	lrd_light_node nodes[LRD_SUM_NODES];
} walk;

static lrd_light_node texel_node(const lrd_cube_lobes *lobes, uint32_t face, uint32_t x, uint32_t y)
{
	const lrd_cube *cube = lobes->cube;
	uint32_t size = cube->face_size;
	float s = (float)(2 * x + 1) / (float)size - 1.0f;
	float t = (float)(2 * y + 1) / (float)size - 1.0f;
	float scale = 1.0f / sqrtf(1.0f + s * s + t * t);
	s *= scale;
	t *= scale;
	const float places[6][3] = {
		{ scale, -t, -s },
		{ -scale, -t, s },
		{ s, scale, t },
		{ s, -scale, -t },
		{ s, -t, scale },
		{ -s, -t, -scale },
	};
	lrd_light_node node;
	memcpy(node.area, places[face], sizeof node.area);
	memcpy(node.middle, places[face], sizeof node.middle);
	size_t at = (size_t)y * size + x;
	const float *texel = lrd_cube_face(cube, face) + 4 * at;
	node.solid_angle = lobes->solid_angles[at];
	for (size_t channel = 0; channel < 4; channel++)
	{
		node.light[channel] = texel[channel] * node.solid_angle;
	}
	return node;
}

static lrd_light_node node_at(const lrd_cube_lobes *lobes, uint32_t level, uint32_t face, uint32_t x, uint32_t y)
{
	if (level == 0)
	{
		return texel_node(lobes, face, x, y);
	}
	size_t size = lobes->levels[level].size;
	return lobes->levels[level].nodes[((size_t)face * size + y) * size + x];
}

static float brightness(const lrd_light_node *node)
{
	return fabsf(node->light[0]) + fabsf(node->light[1]) + fabsf(node->light[2]);
}

// Parts lie on one face, so that their sum is not short.
static void normalise(float direction[3])
{
	float squared = direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2];
	float scale = 1.0f / sqrtf(squared);
	for (size_t axis = 0; axis < 3; axis++)
	{
		direction[axis] *= scale;
	}
}

static lrd_light_node join(const lrd_light_node *parts, size_t count)
{
	lrd_light_node sum = { 0 };
	float bright = 0.0f;
	for (size_t i = 0; i < count; i++)
	{
		bright += brightness(parts + i);
	}
	for (size_t i = 0; i < count; i++)
	{
		const lrd_light_node *part = parts + i;
		float weight = bright > 0.0f ? brightness(part) / bright : part->solid_angle;
		for (size_t axis = 0; axis < 3; axis++)
		{
			sum.area[axis] += part->area[axis] * part->solid_angle;
			sum.middle[axis] += part->middle[axis] * weight;
		}
		sum.solid_angle += part->solid_angle;
		for (size_t channel = 0; channel < 4; channel++)
		{
			sum.light[channel] += part->light[channel];
		}
	}
	normalise(sum.area);
	normalise(sum.middle);
	return sum;
}

// Nodes of the level below that (x, y) stands for.
static size_t parts_of(
	const lrd_cube_lobes *lobes, uint32_t level, uint32_t face, uint32_t x, uint32_t y, lrd_light_node parts[4])
{
	uint32_t size = lobes->levels[level - 1].size;
	size_t count = 0;
	for (uint32_t i = 0; i < 4; i++)
	{
		uint32_t part_x = 2 * x + i % 2;
		uint32_t part_y = 2 * y + i / 2;
		if (part_x < size && part_y < size)
		{
			parts[count++] = node_at(lobes, level - 1, face, part_x, part_y);
		}
	}
	return count;
}

static void fill_level(lrd_cube_lobes *lobes, uint32_t level)
{
	uint32_t size = lobes->levels[level].size;
	lrd_light_node *node = lobes->levels[level].nodes;
	for (uint32_t face = 0; face < 6; face++)
	{
		for (uint32_t i = 0; i < size * size; i++)
		{
			lrd_light_node parts[4];
			size_t count = parts_of(lobes, level, face, i % size, i / size, parts);
			*node++ = join(parts, count);
		}
	}
}

static void fill_solid_angles(lrd_cube_lobes *lobes)
{
	uint32_t size = lobes->cube->face_size;
	for (uint32_t y = 0; y < size; y++)
	{
		for (uint32_t x = 0; x < size; x++)
		{
			double left = (double)x / size;
			double top = (double)y / size;
			lobes->solid_angles[(size_t)y * size + x] =
				(float)lrd_cube_solid_angle(left, top, (double)(x + 1) / size, (double)(y + 1) / size);
		}
	}
}

static bool reserve(lrd_cube_lobes *lobes, lrd_error *error)
{
	uint32_t size = lobes->cube->face_size;
	lobes->solid_angles_size = (size_t)size * size * sizeof(float); // no overflow: less than the cube's own size
	lobes->solid_angles = lrd_alloc(lobes->allocator, lobes->solid_angles_size);
	if (lobes->solid_angles == NULL)
	{
		return lrd_fail_memory(error, "solid angles of a cube", lobes->solid_angles_size);
	}
	lobes->levels[lobes->level_count++].size = size;
	while (size > 1)
	{
		size = (size + 1) / 2;
		tree_level *level = &lobes->levels[lobes->level_count];
		size_t bytes = (size_t)6 * size * size * sizeof(lrd_light_node);
		level->nodes = lrd_alloc(lobes->allocator, bytes);
		if (level->nodes == NULL)
		{
			return lrd_fail_memory(error, "sums of a cube's light", bytes);
		}
		level->bytes = bytes;
		level->size = size;
		lobes->level_count++;
	}
	return true;
}

lrd_cube_lobes *lrd_cube_lobes_open(const lrd_cube *cube, lrd_allocator allocator, lrd_error *error)
{
	lrd_cube_lobes *lobes = lrd_alloc_zeroed(allocator, 1, sizeof *lobes);
	if (lobes == NULL)
	{
		lrd_fail_memory(error, "lobes of a cube", sizeof *lobes);
		return NULL;
	}
	lobes->cube = cube;
	lobes->allocator = allocator;
	if (!reserve(lobes, error))
	{
		lrd_cube_lobes_close(lobes);
		return NULL;
	}
	fill_solid_angles(lobes);
	for (uint32_t level = 1; level < lobes->level_count; level++)
	{
		fill_level(lobes, level);
	}
	return lobes;
}

void lrd_cube_lobes_close(lrd_cube_lobes *lobes)
{
	if (lobes == NULL)
	{
		return;
	}
	for (uint32_t level = 1; level < lobes->level_count; level++)
	{
		lrd_free(lobes->allocator, lobes->levels[level].nodes, lobes->levels[level].bytes);
	}
	if (lobes->solid_angles != NULL)
	{
		lrd_free(lobes->allocator, lobes->solid_angles, lobes->solid_angles_size);
	}
	lrd_free(lobes->allocator, lobes, sizeof *lobes);
}

static void flush(walk *self)
{
	self->sum_nodes(&self->sums, self->nodes, self->count);
	self->count = 0;
}

static float chord_squared(const walk *self, const float place[3])
{
	float x = self->centre[0] - place[0];
	float y = self->centre[1] - place[1];
	float z = self->centre[2] - place[2];
	return x * x + y * y + z * z;
}

static void take(walk *self, const lrd_light_node *node, float chord)
{
	self->samples += chord < 2.0f ? 1 : 0;
	self->nodes[self->count++] = *node;
	if (self->count == LRD_SUM_NODES)
	{
		flush(self);
	}
}

static void visit(walk *self, uint32_t level, uint32_t face, uint32_t x, uint32_t y)
{
	lrd_light_node node = node_at(self->lobes, level, face, x, y);
	float squared = chord_squared(self, node.area);
	if (level == 0)
	{
		take(self, &node, squared);
		return;
	}
	float reach = NODE_REACH * sqrtf(node.solid_angle) + self->radius;
	if (1.0f - squared * 0.5f < -reach)
	{
		return; // below the horizon of every texel
	}
	float away = sqrtf(squared) - reach;
	away = away > 0.0f ? away * away : 0.0f;
	if (node.solid_angle <= self->side * (self->bend + away) && node.solid_angle <= NODE_SIDE_MAX * NODE_SIDE_MAX)
	{
		take(self, &node, squared);
		return;
	}
	uint32_t size = self->lobes->levels[level - 1].size;
	for (uint32_t i = 0; i < 4; i++)
	{
		uint32_t part_x = 2 * x + i % 2;
		uint32_t part_y = 2 * y + i / 2;
		if (part_x < size && part_y < size)
		{
			visit(self, level - 1, face, part_x, part_y);
		}
	}
}

// The directions of 4 x 4 texels; on faces that are smaller, the last ones again.
static void aim(walk *self, uint32_t size, uint32_t face, uint32_t left, uint32_t top)
{
	double direction[3];
	double middle_x = left + TILE < size ? left + TILE / 2.0 : (left + size) / 2.0;
	double middle_y = top + TILE < size ? top + TILE / 2.0 : (top + size) / 2.0;
	lrd_cube_direction(face, middle_x / size, middle_y / size, direction);
	for (size_t axis = 0; axis < 3; axis++)
	{
		self->centre[axis] = (float)direction[axis];
	}
	float farthest = 0.0f;
	for (uint32_t i = 0; i < LRD_SUM_TEXELS; i++)
	{
		uint32_t x = left + i % TILE < size ? left + i % TILE : size - 1;
		uint32_t y = top + i / TILE < size ? top + i / TILE : size - 1;
		lrd_cube_direction(face, (x + 0.5) / size, (y + 0.5) / size, direction);
		const float at[3] = { (float)direction[0], (float)direction[1], (float)direction[2] };
		self->sums.x[i] = at[0];
		self->sums.y[i] = at[1];
		self->sums.z[i] = at[2];
		float squared = chord_squared(self, at);
		farthest = squared > farthest ? squared : farthest;
	}
	self->radius = sqrtf(farthest);
}

static void store(
	const walk *self, lrd_cube *to, uint32_t face, uint32_t left, uint32_t top, uint32_t first_row, uint32_t end_row)
{
	uint32_t size = to->face_size;
	for (uint32_t i = 0; i < LRD_SUM_TEXELS; i++)
	{
		uint32_t x = left + i % TILE;
		uint32_t y = top + i / TILE;
		if (x < size && y >= first_row && y < end_row)
		{
			float *texel = lrd_cube_face(to, face) + 4 * ((size_t)y * size + x);
			for (size_t channel = 0; channel < 4; channel++)
			{
				texel[channel] = self->sums.light[channel][i] / self->sums.weight[i];
			}
		}
	}
}

uint32_t lrd_cube_lobes_rows(const lrd_cube_lobes *lobes, lrd_isa isa, float roughness, lrd_cube *level, uint32_t face,
	uint32_t first_row, uint32_t end_row)
{
	static void (*const kernels[])(lrd_light_sums *, const lrd_light_node *, size_t) = LRD_KERNEL_TABLE(lrd_cube_sum);
	float rough = roughness >= ROUGHNESS_MIN ? roughness < 1.0f ? roughness : 1.0f : ROUGHNESS_MIN;
	float alpha = rough * rough;
	float alpha_squared = alpha * alpha;
	float bend = 4.0f * alpha_squared / (1.0f - alpha_squared + 0x1p-20f);
	walk self;
	self.lobes = lobes;
	self.sum_nodes = kernels[lrd_isa_choose(isa)];
	float side = level->face_size <= SMALL_LEVEL ? NODE_SIDE_SMALL : NODE_SIDE;
	self.side = side * side;
	self.bend = bend < 1.0f ? bend : 1.0f;
	uint32_t least = UINT32_MAX;
	for (uint32_t top = first_row / TILE * TILE; top < end_row; top += TILE)
	{
		for (uint32_t left = 0; left < level->face_size; left += TILE)
		{
			self.sums = (lrd_light_sums){ .alpha_squared = alpha_squared };
			self.samples = 0;
			self.count = 0;
			aim(&self, level->face_size, face, left, top);
			for (uint32_t root = 0; root < 6; root++)
			{
				visit(&self, lobes->level_count - 1, root, 0, 0);
			}
			flush(&self);
			store(&self, level, face, left, top, first_row, end_row);
			least = self.samples < least ? self.samples : least;
		}
	}
	return least;
}

bool lrd_cube_prefilter(const lrd_cube *cube, uint32_t level_count, lrd_isa isa, lrd_allocator allocator,
	lrd_cube *levels, lrd_error *error)
{
	uint32_t most = lrd_cube_level_count(cube->face_size);
	if (level_count < 2 || level_count > most)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "%u levels of a cube of %u texels; expected 2 to %u", level_count,
			cube->face_size, most);
	}
	lrd_cube_lobes *lobes = lrd_cube_lobes_open(cube, allocator, error);
	bool done = lobes != NULL;
	uint32_t made = 1;
	while (done && made < level_count)
	{
		done = lrd_cube_reserve(cube->face_size >> made, allocator, &levels[made], error);
		made += done;
	}
	for (uint32_t level = 1; done && level < level_count; level++)
	{
		float roughness = (float)level / (float)(level_count - 1);
		for (uint32_t face = 0; face < 6; face++)
		{
			lrd_cube_lobes_rows(lobes, isa, roughness, &levels[level], face, 0, levels[level].face_size);
		}
	}
	for (uint32_t level = 1; !done && level < made; level++)
	{
		lrd_cube_free(&levels[level]);
	}
	lrd_cube_lobes_close(lobes);
	return done;
}
