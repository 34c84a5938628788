// geometry/tangents.c: MikkTSpace-compatible tangents, from beginning to end: vertices numbered by value, their rings
// worked on (tangents_rings.c), and vertices split where corners' tangents differ (tangents_split.c). The method, and
// why it goes ring by ring, is explained in tangents.h.

#include "geometry/tangents.h"

#include "os/parallel.h"

// Smaller meshes are done before another thread would be awake.
#define FEWEST_CORNERS_TO_SHARE 65536u

typedef void measure_kernel(const lrd_tangent_source *source, lrd_tangent_rows *rows, uint32_t count);
typedef void glance_kernel(
	const lrd_tangent_rows *rows, const uint32_t *starts, uint32_t ring_count, lrd_tangent_sum *sums);
typedef void see_kernel(const float *directions, size_t stride, uint32_t count, float *sums);

static void choose_kernels(lrd_tangents *self, lrd_isa isa)
{
	static measure_kernel *const measures[LRD_ISA_COUNT] = LRD_KERNEL_TABLE(lrd_tangents_measure);
	static glance_kernel *const glances[LRD_ISA_COUNT] = LRD_KERNEL_TABLE(lrd_tangents_glance);
	static see_kernel *const sees[LRD_ISA_COUNT] = LRD_KERNEL_TABLE(lrd_tangents_see);
	isa = lrd_isa_choose(isa);
	self->measure = measures[isa];
	self->glance = glances[isa];
	self->see = sees[isa];
}

static lrd_tangent_source source_of(const lrd_geometry *geometry, uint32_t set)
{
	lrd_tangent_source source = { .positions = geometry->positions,
		.normals = geometry->normals,
		.uv = geometry->uv[set],
		.last_vertex = geometry->vertex_count - 1 };
	memcpy(source.last_position, geometry->positions + 3 * (size_t)source.last_vertex, 3 * sizeof(float));
	memcpy(source.last_normal, geometry->normals + 3 * (size_t)source.last_vertex, 3 * sizeof(float));
	return source;
}

// From the first equal vertex of each to rings, in the order of vertices. False where every vertex has its own.
static bool number_rings(lrd_tangents *self)
{
	uint32_t ring_count = 0;
	bool loose = false;
	for (uint32_t vertex = 0; vertex < self->geometry->vertex_count; vertex++)
	{
		uint32_t first = self->rings[vertex];
		bool is_loose = first == LRD_NO_VERTEX;
		bool is_first = first == vertex || is_loose;
		self->rings[vertex] = is_first ? ring_count | (is_loose ? LRD_RING_LOOSE : 0u) : self->rings[first];
		ring_count += is_first;
		loose = loose || is_loose;
	}
	self->ring_count = ring_count;
	return loose || ring_count != self->geometry->vertex_count;
}

static bool number_vertices(lrd_tangents *self, lrd_error *error)
{
	const lrd_geometry *geometry = self->geometry;
	const float *streams[3] = { geometry->positions, geometry->normals, self->source.uv };
	const uint32_t components[3] = { 3, 3, 2 };
	size_t bytes = geometry->vertex_count * sizeof *self->rings;
	if (geometry->vertex_count >= LRD_RING_LOOSE)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT, "tangents for %u vertices: at most %u are supported",
			geometry->vertex_count, LRD_RING_LOOSE - 1);
	}
	self->rings = lrd_alloc(self->allocator, bytes);
	if (self->rings == NULL)
	{
		return lrd_fail_memory(error, "vertices", bytes);
	}
	if (!lrd_geometry_equal_values(
			self->allocator, self->jobs, streams, components, 3, geometry->vertex_count, self->rings, error))
	{
		return false;
	}
	if (!number_rings(self))
	{
		lrd_free(self->allocator, self->rings, bytes);
		self->rings = NULL;
	}
	return true;
}

// One vertex in so many may be split before tangents need another array, as an arena takes none back.
#define SPLIT_SHARE 16

// Vertices that one thread goes over at once.
#define PIECE 65536u

static uint32_t piece_count(const lrd_tangents *self)
{
	return (self->geometry->vertex_count - 1) / PIECE + 1;
}

static uint32_t piece_end(const lrd_tangents *self, uint32_t piece)
{
	uint32_t left = self->geometry->vertex_count - piece * PIECE;
	return piece * PIECE + (left < PIECE ? left : PIECE);
}

static void clear_piece(void *user, uint32_t piece)
{
	const lrd_tangents *self = user;
	size_t first = (size_t)piece * PIECE;
	memset(self->tangents + 4 * first, 0, (piece_end(self, piece) - first) * 4 * sizeof *self->tangents);
}

static bool allocate(lrd_tangents *self, lrd_error *error)
{
	size_t vertex_count = self->geometry->vertex_count;
	self->status = lrd_alloc_zeroed(self->allocator, self->ring_count, sizeof *self->status);
	self->tangent_room = vertex_count + vertex_count / SPLIT_SHARE;
	self->tangents = lrd_arena_alloc(self->geometry->arena, self->tangent_room * 4 * sizeof *self->tangents);
	if (self->status == NULL || self->tangents == NULL)
	{
		return lrd_fail_memory(error, "tangents", self->tangent_room * 4 * sizeof *self->tangents);
	}
	lrd_parallel(self->jobs, self->allocator, piece_count(self), clear_piece, self);
	return true;
}

static void free_rings(lrd_tangents *self)
{
	size_t triangle_count = self->geometry->index_count / 3;
	lrd_free(self->allocator, self->rings, self->geometry->vertex_count * sizeof *self->rings);
	lrd_free(self->allocator, self->status, self->ring_count * sizeof *self->status);
	lrd_free(self->allocator, self->buckets, ((size_t)self->bucket_count + 1) * sizeof *self->buckets);
	lrd_free(self->allocator, self->entries, self->entry_count * sizeof *self->entries);
	lrd_free(self->allocator, self->orientations, triangle_count * sizeof *self->orientations);
}

static void free_extras(lrd_tangents *self)
{
	lrd_free(self->allocator, self->extra_sources, self->extra_count * sizeof *self->extra_sources);
	lrd_free(self->allocator, self->extra_tangents, (size_t)self->extra_count * 4 * sizeof *self->extra_tangents);
	lrd_free(self->allocator, self->moved, self->moved_count * sizeof *self->moved);
}

static bool work_on_rings(lrd_tangents *self, lrd_error *error)
{
	if (!number_vertices(self, error) || !lrd_tangents_fill_buckets(self, error) || !allocate(self, error) ||
		!lrd_tangents_run_round(self, error) || !lrd_tangents_survey_large(self, error) ||
		!lrd_tangents_orient(self, error))
	{
		return false;
	}
	self->round = LRD_ROUND_WAITING;
	return lrd_tangents_run_round(self, error) && lrd_tangents_finish_large(self, error) &&
		   lrd_tangents_count_extras(self, error) && (self->extra_count == 0 || lrd_tangents_fill_extras(self, error));
}

// Vertices that no triangle uses.
static void fill_unused(void *user, uint32_t piece)
{
	const lrd_tangents *self = user;
	for (size_t v = (size_t)piece * PIECE; v < piece_end(self, piece); v++)
	{
		if (self->tangents[4 * v + 3] == 0.0f)
		{
			lrd_vec4 tangent = lrd_tangents_of_sum((lrd_vec3){ 0 }, false, lrd_load3(self->geometry->normals, v));
			memcpy(self->tangents + 4 * v, &tangent, sizeof tangent);
		}
	}
}

bool lrd_geometry_tangents_on(lrd_geometry *geometry, uint32_t set, const lrd_jobs *jobs, lrd_isa isa, lrd_error *error)
{
	if (set > 1 || geometry->normals == NULL || geometry->uv[set] == NULL)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "tangents need normals and uv %u, and the geometry has no %s", set,
			geometry->normals == NULL ? "normals" : "such uv");
	}
	if (geometry->index_count == 0)
	{
		return lrd_geometry_any_tangents(geometry, error);
	}
	lrd_tangents self = { .geometry = geometry,
		.source = source_of(geometry, set),
		.allocator = lrd_arena_allocator(geometry->arena),
		.jobs = geometry->index_count < FEWEST_CORNERS_TO_SHARE ? NULL : jobs };
	choose_kernels(&self, isa);
	bool done = work_on_rings(&self, error);
	free_rings(&self);
	if (done)
	{
		lrd_parallel(self.jobs, self.allocator, piece_count(&self), fill_unused, &self);
		done = lrd_tangents_split_vertices(&self, error);
	}
	free_extras(&self);
	return done;
}

bool lrd_geometry_tangents(lrd_geometry *geometry, uint32_t set, const lrd_jobs *jobs, lrd_error *error)
{
	return lrd_geometry_tangents_on(geometry, set, jobs, LRD_ISA_BEST, error);
}
