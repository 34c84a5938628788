// geometry/meshlets.c: triangles ordered, packed into meshlets, bounded, and vertices laid in the order meshlets use
// them.

#include "geometry/morton.h"

#include <float.h>
#include <meshoptimizer.h>

typedef struct packing
{
	const lrd_geometry *geometry;
	lrd_arena *scratch;
	const uint32_t *indices;
	uint32_t index_count;
	uint32_t *ordered; // the triangle list that is packed
	struct meshopt_Meshlet *found;
	uint32_t *vertices;
	uint8_t *triangles; // meshoptimizer starts every meshlet's at a multiple of four
	size_t found_count;
} packing;

// To place a triangle the library looks at all that its vertices still have. Past so many for a triangle's corner, and so
// many in all, that would take too long.
#define MOST_AROUND 64u
#define AROUND_IN_ALL ((uint64_t)1 << 22)
#define FIFO_SIZE 16

// A skinned mesh moves: what lies together at rest may not stay together, but vertices stay shared. Where no neighbour
// shares one, the next in line follows.
static bool order_by_cache(const packing *self, lrd_error *error)
{
	size_t vertex_count = self->geometry->vertex_count;
	uint32_t *around = LRD_ARENA_ARRAY(self->scratch, uint32_t, vertex_count);
	if (around == NULL)
	{
		return lrd_fail_memory(error, "triangles around vertices", vertex_count * sizeof *around);
	}
	uint64_t sum = 0;
	for (uint32_t i = 0; i < self->index_count; i++)
	{
		sum += 2 * (uint64_t)around[self->ordered[i]]++ + 1; // comes to the sum of the squares
	}
	if (sum <= AROUND_IN_ALL + MOST_AROUND * (uint64_t)self->index_count)
	{
		meshopt_optimizeVertexCache(self->ordered, self->ordered, self->index_count, vertex_count);
	}
	else
	{
		meshopt_optimizeVertexCacheFifo(self->ordered, self->ordered, self->index_count, vertex_count, FIFO_SIZE);
	}
	return true;
}

static bool order_triangles(packing *self, lrd_error *error)
{
	size_t bytes = self->index_count * sizeof *self->ordered;
	self->ordered = lrd_arena_alloc(self->scratch, bytes);
	if (self->ordered == NULL)
	{
		return lrd_fail_memory(error, "ordered triangles", bytes);
	}
	if (!lrd_morton_sort_triangles(lrd_arena_allocator(self->scratch), self->geometry->positions, self->indices,
			self->index_count, self->ordered, error))
	{
		return false;
	}
	if (self->geometry->joints != NULL)
	{
		return order_by_cache(self, error);
	}
	return true;
}

static bool scan_meshlets(packing *self, lrd_error *error)
{
	size_t bound = meshopt_buildMeshletsBound(self->index_count, LRD_MESHLET_MAX_VERTICES, LRD_MESHLET_MAX_TRIANGLES);
	size_t vertex_bytes = bound * LRD_MESHLET_MAX_VERTICES * sizeof *self->vertices;
	size_t triangle_bytes = bound * LRD_MESHLET_MAX_TRIANGLES * 3;
	self->found = lrd_arena_alloc(self->scratch, bound * sizeof *self->found);
	self->vertices = lrd_arena_alloc(self->scratch, vertex_bytes);
	self->triangles = lrd_arena_alloc(self->scratch, triangle_bytes);
	if (self->found == NULL || self->vertices == NULL || self->triangles == NULL)
	{
		return lrd_fail_memory(error, "meshlets", vertex_bytes + triangle_bytes);
	}
	self->found_count = meshopt_buildMeshletsScan(self->found, self->vertices, self->triangles, self->ordered,
		self->index_count, self->geometry->vertex_count, LRD_MESHLET_MAX_VERTICES, LRD_MESHLET_MAX_TRIANGLES);
	return true;
}

// A meshlet's own vertices and triangles, scaled by a power of two to about unit size: meshoptimizer multiplies four
// lengths, which must neither vanish nor overflow (it asserts), and scaling by powers of two rounds nothing.
typedef struct local_meshlet
{
	float positions[LRD_MESHLET_MAX_VERTICES][3];
	uint32_t indices[3 * LRD_MESHLET_MAX_TRIANGLES];
	double low[3], high[3]; // the box, unscaled
	double scale;           // of a unit of `positions`
} local_meshlet;

static void measure_box(local_meshlet *local, const float *positions, const uint32_t *vertices, uint32_t count)
{
	for (size_t axis = 0; axis < 3; axis++)
	{
		float low = INFINITY;
		float high = -INFINITY;
		for (uint32_t v = 0; v < count; v++)
		{
			float value = positions[3 * (size_t)vertices[v] + axis];
			low = value < low ? value : low;
			high = value > high ? value : high;
		}
		local->low[axis] = (double)low;
		local->high[axis] = (double)high;
	}
}

// False where the box has no extent, or positions are not numbers, be it for the scale.
static bool localise(local_meshlet *local, const packing *self, const struct meshopt_Meshlet *found)
{
	const float *positions = self->geometry->positions;
	const uint32_t *vertices = self->vertices + found->vertex_offset;
	measure_box(local, positions, vertices, found->vertex_count);
	double side =
		fmax(local->high[0] - local->low[0], fmax(local->high[1] - local->low[1], local->high[2] - local->low[2]));
	if (!(side > 0.0) || !isfinite(side))
	{
		return false;
	}
	int exponent = 0;
	frexp(side, &exponent);
	local->scale = ldexp(1.0, exponent);
	double inverse = ldexp(1.0, -exponent);
	bool finite = true;
	for (uint32_t v = 0; v < found->vertex_count; v++)
	{
		for (size_t axis = 0; axis < 3; axis++)
		{
			float scaled = (float)((double)positions[3 * (size_t)vertices[v] + axis] * inverse);
			finite = finite && isfinite(scaled); // no longer, where a small meshlet lies very far out
			local->positions[v][axis] = scaled;
		}
	}
	for (uint32_t i = 0; i < 3 * found->triangle_count; i++)
	{
		local->indices[i] = self->triangles[found->triangle_offset + i];
	}
	return finite;
}

static void scale_back(float to[3], const float from[3], double scale)
{
	for (int axis = 0; axis < 3; axis++)
	{
		to[axis] = (float)((double)from[axis] * scale);
	}
}

static bool all_finite(const lrd_meshlet *meshlet)
{
	return lrd_all_finite(meshlet->centre, 3) && isfinite(meshlet->radius) && lrd_all_finite(meshlet->cone_axis, 3) &&
		   isfinite(meshlet->cone_cutoff) && lrd_all_finite(meshlet->cone_apex, 3);
}

// False where meshoptimizer finds no bounds: triangles that cover nothing.
static bool bound_by_library(const local_meshlet *local, lrd_meshlet *meshlet)
{
	struct meshopt_Bounds bounds = meshopt_computeClusterBounds(local->indices, 3 * (size_t)meshlet->triangle_count,
		local->positions[0], meshlet->vertex_count, sizeof local->positions[0]);
	scale_back(meshlet->centre, bounds.center, local->scale);
	scale_back(meshlet->cone_apex, bounds.cone_apex, local->scale);
	meshlet->radius = (float)((double)bounds.radius * local->scale);
	memcpy(meshlet->cone_axis, bounds.cone_axis, sizeof meshlet->cone_axis);
	meshlet->cone_cutoff = bounds.cone_cutoff;
	return meshlet->radius > 0.0f && all_finite(meshlet);
}

static void drop_cone(lrd_meshlet *meshlet)
{
	memset(meshlet->cone_axis, 0, sizeof meshlet->cone_axis);
	memcpy(meshlet->cone_apex, meshlet->centre, sizeof meshlet->cone_apex);
	meshlet->cone_cutoff = 1.0f;
}

// Rounding leaves points a little outside of a sphere in floats; measured in doubles and rounded up none is.
static void grow_sphere(lrd_meshlet *meshlet, const float *positions, const uint32_t *vertices)
{
	double largest = 0.0;
	for (uint32_t v = 0; v < meshlet->vertex_count; v++)
	{
		double squared = 0.0;
		for (size_t axis = 0; axis < 3; axis++)
		{
			double distance = (double)positions[3 * (size_t)vertices[v] + axis] - (double)meshlet->centre[axis];
			squared += distance * distance;
		}
		largest = squared > largest ? squared : largest;
	}
	double radius = sqrt(largest);
	if (radius > (double)meshlet->radius)
	{
		meshlet->radius = radius < (double)FLT_MAX ? nextafterf((float)radius, FLT_MAX) : FLT_MAX;
	}
}

// What a triangle asks of a cone: how far its normal turns away from the axis, as the square of the cosine, negative
// where that is; and how far back along the axis the apex has to go to lie behind its plane. False where it has no
// normal.
static bool measure_cone(
	const lrd_meshlet *meshlet, const float *positions, const uint32_t corners[3], double *turned, double *back)
{
	lrd_vec3 a = lrd_load3(positions, corners[0]);
	double normal[3];
	lrd_triangle_cross(a, lrd_load3(positions, corners[1]), lrd_load3(positions, corners[2]), normal);
	const double to_apex[3] = { (double)meshlet->cone_apex[0] - (double)a.x,
		(double)meshlet->cone_apex[1] - (double)a.y, (double)meshlet->cone_apex[2] - (double)a.z };
	double normal_squared = 0.0;
	double axis_squared = 0.0;
	double along = 0.0;
	double ahead = 0.0;
	for (int i = 0; i < 3; i++)
	{
		double axis = (double)meshlet->cone_axis[i];
		normal_squared += normal[i] * normal[i];
		axis_squared += axis * axis;
		along += axis * normal[i];
		ahead += to_apex[i] * normal[i];
	}
	*turned = along * fabs(along) / (normal_squared * axis_squared);
	*back = ahead > 0.0 ? ahead / along : 0.0;
	return normal_squared > 0.0 && isfinite(*turned) && isfinite(*back);
}

// In floats meshoptimizer takes normals that differ by a few ten thousandths for one, and rounding leaves the apex a
// little ahead of some plane: in doubles and rounded up, what the cone culls faces away.
static void grow_cone(lrd_meshlet *meshlet, const float *positions, const uint32_t *vertices, const uint8_t *triangles)
{
	double least = 1.0;
	double farthest = 0.0;
	for (uint32_t i = 0; i < 3 * meshlet->triangle_count; i += 3)
	{
		const uint32_t corners[3] = { vertices[triangles[i]], vertices[triangles[i + 1]], vertices[triangles[i + 2]] };
		double turned = 1.0;
		double behind = 0.0;
		if (measure_cone(meshlet, positions, corners, &turned, &behind))
		{
			least = turned < least ? turned : least;
			farthest = behind > farthest ? behind : farthest;
		}
	}
	double cutoff = least > 0.0 ? sqrt(1.0 - least) : 1.0;
	if (cutoff > (double)meshlet->cone_cutoff)
	{
		meshlet->cone_cutoff = nextafterf((float)cutoff, 1.0f);
	}
	const float *apex = meshlet->cone_apex;
	double largest = (double)fmaxf(fabsf(apex[0]), fmaxf(fabsf(apex[1]), fabsf(apex[2])));
	double back = farthest > 0.0 ? farthest + 16.0 * (double)FLT_EPSILON * largest : 0.0; // rounding takes some back
	for (int axis = 0; axis < 3; axis++)
	{
		meshlet->cone_apex[axis] = (float)((double)apex[axis] - back * (double)meshlet->cone_axis[axis]);
	}
}

static void bound_meshlet(const packing *self, const struct meshopt_Meshlet *found, lrd_meshlet *meshlet)
{
	local_meshlet local;
	bool bounded = localise(&local, self, found) && bound_by_library(&local, meshlet);
	for (size_t axis = 0; !bounded && axis < 3; axis++)
	{
		float middle = (float)(0.5 * (local.low[axis] + local.high[axis]));
		meshlet->centre[axis] = isfinite(middle) ? middle : 0.0f;
	}
	meshlet->radius = bounded ? meshlet->radius : 0.0f;
	if (bounded && meshlet->cone_cutoff < 1.0f)
	{
		grow_cone(meshlet, self->geometry->positions, self->vertices + found->vertex_offset,
			self->triangles + found->triangle_offset);
	}
	if (!bounded || meshlet->cone_cutoff >= 1.0f)
	{
		drop_cone(meshlet);
	}
	grow_sphere(meshlet, self->geometry->positions, self->vertices + found->vertex_offset);
}

// Into arrays of exactly the size needed, without gaps.
static bool tighten(const packing *self, lrd_geometry_meshlets *meshlets, lrd_error *error)
{
	lrd_arena *arena = self->geometry->arena;
	lrd_geometry_meshlets result = { .meshlet_count = (uint32_t)self->found_count,
		.triangle_count = self->index_count / 3 };
	for (size_t m = 0; m < self->found_count; m++)
	{
		result.vertex_count += self->found[m].vertex_count;
	}
	size_t bytes = result.vertex_count * sizeof *result.vertices;
	result.meshlets = LRD_ARENA_ARRAY(arena, lrd_meshlet, result.meshlet_count);
	result.vertices = lrd_arena_alloc(arena, bytes);
	result.triangles = lrd_arena_alloc(arena, 3 * (size_t)result.triangle_count);
	if (result.meshlets == NULL || result.vertices == NULL || result.triangles == NULL)
	{
		return lrd_fail_memory(error, "meshlets", bytes);
	}
	uint32_t vertex = 0;
	uint32_t triangle = 0;
	for (size_t m = 0; m < self->found_count; m++)
	{
		const struct meshopt_Meshlet *found = &self->found[m];
		lrd_meshlet *meshlet = &result.meshlets[m];
		*meshlet = (lrd_meshlet){ .vertex_offset = vertex,
			.vertex_count = found->vertex_count,
			.triangle_offset = triangle,
			.triangle_count = found->triangle_count };
		bound_meshlet(self, found, meshlet);
		memcpy(result.vertices + vertex, self->vertices + found->vertex_offset,
			found->vertex_count * sizeof *result.vertices);
		memcpy(result.triangles + 3 * (size_t)triangle, self->triangles + found->triangle_offset,
			3 * (size_t)found->triangle_count);
		vertex += found->vertex_count;
		triangle += found->triangle_count;
	}
	*meshlets = result;
	return true;
}

// Triangles ordered, packed and bounded. What that takes is given back before vertices move.
static bool pack_triangles(const lrd_geometry *geometry, const uint32_t *indices, uint32_t index_count,
	lrd_geometry_meshlets *meshlets, lrd_error *error)
{
	if (index_count == 0)
	{
		*meshlets = (lrd_geometry_meshlets){ 0 };
		return true;
	}
	packing self = { .geometry = geometry, .indices = indices, .index_count = index_count };
	self.scratch = lrd_geometry_scratch(geometry, error);
	bool done = self.scratch != NULL && order_triangles(&self, error) && scan_meshlets(&self, error) &&
				tighten(&self, meshlets, error);
	lrd_arena_destroy(self.scratch);
	return done;
}

// Which vertex each becomes, and which it was, in the order in which meshlets first use them; those that none uses come
// last.
static void find_order(
	const lrd_geometry *geometry, const lrd_geometry_meshlets *meshlets, uint32_t *moved, uint32_t *source)
{
	memset(moved, 0xFF, geometry->vertex_count * sizeof *moved); // LRD_NO_VERTEX
	uint32_t placed = 0;
	for (uint32_t v = 0; v < meshlets->vertex_count; v++)
	{
		uint32_t vertex = meshlets->vertices[v];
		if (moved[vertex] == LRD_NO_VERTEX)
		{
			source[placed] = vertex;
			moved[vertex] = placed++;
		}
	}
	for (uint32_t vertex = 0; vertex < geometry->vertex_count; vertex++)
	{
		if (moved[vertex] == LRD_NO_VERTEX)
		{
			source[placed] = vertex;
			moved[vertex] = placed++;
		}
	}
}

static void list_indices(const lrd_geometry_meshlets *meshlets, uint32_t *indices)
{
	for (uint32_t m = 0; m < meshlets->meshlet_count; m++)
	{
		const lrd_meshlet *meshlet = &meshlets->meshlets[m];
		const uint32_t *vertices = meshlets->vertices + meshlet->vertex_offset;
		const uint8_t *corners = meshlets->triangles + 3 * (size_t)meshlet->triangle_offset;
		for (uint32_t i = 0; i < 3 * meshlet->triangle_count; i++)
		{
			*indices++ = vertices[corners[i]];
		}
	}
}

static bool order_vertices(lrd_geometry *geometry, lrd_geometry_meshlets *meshlets, lrd_error *error)
{
	lrd_allocator allocator = lrd_arena_allocator(geometry->arena);
	size_t bytes = 2 * (size_t)geometry->vertex_count * sizeof(uint32_t);
	uint32_t *moved = lrd_alloc(allocator, bytes);
	if (moved == NULL)
	{
		return geometry->vertex_count == 0 || lrd_fail_memory(error, "the order of vertices", bytes);
	}
	uint32_t *source = moved + geometry->vertex_count;
	find_order(geometry, meshlets, moved, source);
	bool done = lrd_geometry_pick(geometry, source, geometry->vertex_count, error);
	if (done)
	{
		for (uint32_t v = 0; v < meshlets->vertex_count; v++)
		{
			meshlets->vertices[v] = moved[meshlets->vertices[v]];
		}
		list_indices(meshlets, geometry->indices);
	}
	lrd_free(allocator, moved, bytes);
	return done;
}

bool lrd_geometry_build_meshlets(lrd_geometry *geometry, lrd_geometry_meshlets *meshlets, lrd_error *error)
{
	lrd_geometry_meshlets result = { 0 };
	bool done = pack_triangles(geometry, geometry->indices, geometry->index_count, &result, error) &&
				order_vertices(geometry, &result, error);
	*meshlets = done ? result : *meshlets;
	return done;
}

bool lrd_geometry_build_lod_meshlets(const lrd_geometry *geometry, const uint32_t *indices, uint32_t index_count,
	lrd_geometry_meshlets *meshlets, lrd_error *error)
{
	return pack_triangles(geometry, indices, index_count, meshlets, error);
}
