// Tangents of a large mesh beside MikkTSpace's reference implementation on the same mesh in the same run, and whether
// both agree. The reference is a shared library with its genTangSpaceDefault, which LARDER_BENCH_MIKKTSPACE names;
// without it ours is measured alone.
//
//   bench_tangents [TRIANGLES]
//
// One thread and the reference: processor time. Two threads: from beginning to end. Portable: one thread with the
// instructions that every processor of the target has. The peak is of what is allocated beyond the mesh, tangents
// included. Both number corners of equal values; ours also splits vertices, and hands back an indexed mesh.

#define _DEFAULT_SOURCE

#include "base/memory.h"
#include "bench.h"
#include "failing_allocator.h"
#include "geometry/tangents.h"
#include "larder/jobs.h"

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>

/// What mikktspace.h of github.com/mmikk/MikkTSpace declares, as its binary interface has it.
typedef struct mikk_context mikk_context;

typedef struct mikk_interface
{
	int (*face_count)(const mikk_context *context);
	int (*corner_count)(const mikk_context *context, int face);
	void (*position)(const mikk_context *context, float *out, int face, int corner);
	void (*normal)(const mikk_context *context, float *out, int face, int corner);
	void (*uv)(const mikk_context *context, float *out, int face, int corner);
	void (*set_basic)(const mikk_context *context, const float *tangent, float sign, int face, int corner);
	void (*set)(void); ///< not used here
} mikk_interface;

struct mikk_context
{
	mikk_interface *calls;
	void *user;
};

typedef int mikk_generate(const mikk_context *context);

/// The mesh that the reference reads and the tangents that it made, x 4 a corner.
typedef struct mikk_run
{
	const lrd_geometry *geometry;
	float *tangents;
} mikk_run;

static const mikk_run *run_of(const mikk_context *context)
{
	return context->user;
}

static int mikk_face_count(const mikk_context *context)
{
	return (int)(run_of(context)->geometry->index_count / 3);
}

static int mikk_corner_count(const mikk_context *context, int face)
{
	(void)context;
	(void)face;
	return 3;
}

static size_t vertex_of(const mikk_context *context, int face, int corner)
{
	return run_of(context)->geometry->indices[3 * (size_t)face + (size_t)corner];
}

static void mikk_position(const mikk_context *context, float *out, int face, int corner)
{
	memcpy(out, run_of(context)->geometry->positions + 3 * vertex_of(context, face, corner), 12);
}

static void mikk_normal(const mikk_context *context, float *out, int face, int corner)
{
	memcpy(out, run_of(context)->geometry->normals + 3 * vertex_of(context, face, corner), 12);
}

static void mikk_uv(const mikk_context *context, float *out, int face, int corner)
{
	memcpy(out, run_of(context)->geometry->uv[0] + 2 * vertex_of(context, face, corner), 8);
}

static void mikk_set(const mikk_context *context, const float *tangent, float sign, int face, int corner)
{
	float *out = run_of(context)->tangents + 4 * (3 * (size_t)face + (size_t)corner);
	memcpy(out, tangent, 12);
	out[3] = -sign; // ours is for uv with their origin at the top
}

static mikk_generate *load_reference(void)
{
	const char *path = getenv("LARDER_BENCH_MIKKTSPACE");
	if (path == NULL)
	{
		return NULL;
	}
	void *library = dlopen(path, RTLD_NOW);
	void *symbol = library == NULL ? NULL : dlsym(library, "genTangSpaceDefault");
	if (symbol == NULL)
	{
		bench_stop(dlerror());
	}
	mikk_generate *generate = NULL;
	memcpy(&generate, &symbol, sizeof generate);
	return generate;
}

static uint32_t random_next(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static void *must(void *memory)
{
	if (memory == NULL)
	{
		bench_stop("out of memory");
	}
	return memory;
}

static lrd_geometry allocate(lrd_arena *arena, uint32_t vertex_count, uint32_t index_count)
{
	return (lrd_geometry){ .arena = arena,
		.vertex_count = vertex_count,
		.index_count = index_count,
		.positions = must(lrd_arena_alloc(arena, 12 * (size_t)vertex_count)),
		.normals = must(lrd_arena_alloc(arena, 12 * (size_t)vertex_count)),
		.uv = { must(lrd_arena_alloc(arena, 8 * (size_t)vertex_count)), NULL },
		.indices = must(lrd_arena_alloc(arena, sizeof(uint32_t) * index_count)) };
}

static lrd_geometry copy_mesh(lrd_arena *arena, const lrd_geometry *mesh)
{
	lrd_geometry copy = allocate(arena, mesh->vertex_count, mesh->index_count);
	memcpy(copy.positions, mesh->positions, 12 * (size_t)mesh->vertex_count);
	memcpy(copy.normals, mesh->normals, 12 * (size_t)mesh->vertex_count);
	memcpy(copy.uv[0], mesh->uv[0], 8 * (size_t)mesh->vertex_count);
	memcpy(copy.indices, mesh->indices, sizeof(uint32_t) * mesh->index_count);
	return copy;
}

/// Quads along each side of an island of uv.
#define ISLAND 50

static void set_vertex(lrd_geometry *mesh, uint32_t vertex, float x, float y, const float *uv)
{
	const float position[3] = { x, 0.7f * sinf(0.31f * x) + 0.9f * cosf(0.23f * y), y };
	float slope_x = 0.7f * 0.31f * cosf(0.31f * x);
	float slope_y = -0.9f * 0.23f * sinf(0.23f * y);
	float length = sqrtf(slope_x * slope_x + 1.0f + slope_y * slope_y);
	const float normal[3] = { -slope_x / length, 1.0f / length, -slope_y / length };
	memcpy(mesh->positions + 3 * (size_t)vertex, position, sizeof position);
	memcpy(mesh->normals + 3 * (size_t)vertex, normal, sizeof normal);
	memcpy(mesh->uv[0] + 2 * (size_t)vertex, uv, 2 * sizeof *uv);
}

/// Hills of side x side islands: a square of uv turned by any angle each, with vertices of its own along the seams.
/// `mirrored`: the right half of an island uses the uv of its left half, and shares the vertices in the middle.
static lrd_geometry make_islands(lrd_arena *arena, uint32_t side, bool mirrored)
{
	const uint32_t row = ISLAND + 1;
	lrd_geometry mesh = allocate(arena, side * side * row * row, side * side * ISLAND * ISLAND * 6);
	uint32_t *indices = mesh.indices;
	for (uint32_t island = 0; island < side * side; island++)
	{
		uint32_t first = island * row * row;
		float cosine = cosf((float)island);
		float sine = sinf((float)island);
		for (uint32_t i = 0; i < row * row; i++)
		{
			float x = (float)(i % row);
			float y = (float)(i / row);
			float u = (mirrored && i % row > ISLAND / 2 ? (float)ISLAND - x : x) / (float)ISLAND;
			float v = y / (float)ISLAND;
			const float uv[2] = { cosine * u - sine * v, sine * u + cosine * v };
			set_vertex(&mesh, first + i, x + (float)(island % side * ISLAND), y + (float)(island / side * ISLAND), uv);
			if (i % row < ISLAND && i / row < ISLAND)
			{
				uint32_t a = first + i;
				memcpy(indices, (uint32_t[]){ a, a + row, a + 1, a + 1, a + row, a + row + 1 }, 24);
				indices += 6;
			}
		}
	}
	return mesh;
}

static void shuffle_triangles(lrd_geometry *mesh)
{
	uint32_t chance = 2463534242;
	for (uint32_t i = mesh->index_count / 3; i > 1; i--)
	{
		uint32_t *a = mesh->indices + 3 * (size_t)(i - 1);
		uint32_t *b = mesh->indices + 3 * (size_t)(random_next(&chance) % i);
		uint32_t kept[3];
		memcpy(kept, a, sizeof kept);
		memmove(a, b, sizeof kept);
		memcpy(b, kept, sizeof kept);
	}
}

static void shuffle_vertices(lrd_arena *arena, lrd_geometry *mesh)
{
	uint32_t chance = 123456789;
	lrd_geometry old = copy_mesh(arena, mesh);
	uint32_t *places = must(lrd_arena_alloc(arena, sizeof(uint32_t) * mesh->vertex_count));
	for (uint32_t i = 0; i < mesh->vertex_count; i++)
	{
		uint32_t other = random_next(&chance) % (i + 1);
		places[i] = i;
		places[i] = places[other];
		places[other] = i;
	}
	for (size_t i = 0; i < mesh->vertex_count; i++)
	{
		memcpy(mesh->positions + 3 * (size_t)places[i], old.positions + 3 * i, 12);
		memcpy(mesh->normals + 3 * (size_t)places[i], old.normals + 3 * i, 12);
		memcpy(mesh->uv[0] + 2 * (size_t)places[i], old.uv[0] + 2 * i, 8);
	}
	for (uint32_t i = 0; i < mesh->index_count; i++)
	{
		mesh->indices[i] = places[mesh->indices[i]];
	}
}

static void tangents_or_stop(lrd_geometry *mesh, const lrd_jobs *jobs, lrd_isa isa)
{
	lrd_error error;
	if (!lrd_geometry_tangents_on(mesh, 0, jobs, isa, &error))
	{
		bench_stop(error.message);
	}
}

static double wall_now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/// Median seconds: of processor time without jobs, from beginning to end with them.
static double measure(const lrd_geometry *mesh, const lrd_jobs *jobs, lrd_isa isa)
{
	double seconds[BENCH_RUNS];
	for (size_t run = 0; run < BENCH_RUNS; run++)
	{
		lrd_arena *arena = must(lrd_arena_create((lrd_allocator){ 0 }, 0));
		lrd_geometry copy = copy_mesh(arena, mesh);
		double start = jobs == NULL ? bench_now() : wall_now();
		tangents_or_stop(&copy, jobs, isa);
		seconds[run] = (jobs == NULL ? bench_now() : wall_now()) - start;
		lrd_arena_destroy(arena);
	}
	return bench_median(seconds, BENCH_RUNS);
}

/// Bytes.
static double measure_peak(const lrd_geometry *mesh)
{
	failing_allocator counting;
	failing_allocator_init(&counting, -1);
	lrd_arena *arena = must(lrd_arena_create(failing_allocator_get(&counting), 0));
	lrd_geometry copy = copy_mesh(arena, mesh);
	double before = (double)atomic_load(&counting.bytes_out);
	tangents_or_stop(&copy, NULL, LRD_ISA_BEST);
	double peak = (double)atomic_load(&counting.bytes_peak) - before;
	lrd_arena_destroy(arena);
	return peak;
}

#define REFERENCE_RUNS 3

/// Seconds of processor time; the tangents of its last run are left in `run`.
static double measure_reference(mikk_generate *generate, mikk_run *run)
{
	mikk_interface calls = { mikk_face_count, mikk_corner_count, mikk_position, mikk_normal, mikk_uv, mikk_set, NULL };
	mikk_context context = { &calls, run };
	double seconds[REFERENCE_RUNS];
	for (size_t i = 0; i < REFERENCE_RUNS; i++)
	{
		double start = bench_now();
		if (!generate(&context))
		{
			bench_stop("the reference failed");
		}
		seconds[i] = bench_now() - start;
	}
	return bench_median(seconds, REFERENCE_RUNS);
}

/// Largest difference of a component; corners that the reference leaves without a direction don't count.
static double largest_difference(const lrd_geometry *ours, const float *theirs)
{
	double largest = 0.0;
	for (size_t corner = 0; corner < ours->index_count; corner++)
	{
		const float *a = ours->tangents + 4 * (size_t)ours->indices[corner];
		const float *b = theirs + 4 * corner;
		double squared = (double)b[0] * b[0] + (double)b[1] * b[1] + (double)b[2] * b[2];
		for (size_t c = 0; squared > 0.5 && c < 4; c++)
		{
			largest = fmax(largest, fabs((double)a[c] - b[c]));
		}
	}
	return largest;
}

static void bench(const char *name, const lrd_geometry *mesh, const lrd_jobs *jobs, mikk_generate *reference)
{
	double one = measure(mesh, NULL, LRD_ISA_BEST);
	double portable = measure(mesh, NULL, LRD_ISA_PORTABLE);
	double two = measure(mesh, jobs, LRD_ISA_BEST);
	uint32_t triangles = mesh->index_count / 3;
	printf("%-34s %9u %8.1f ms %8.1f ms %8.1f ms %6.2f x %8.1f", name, triangles, one * 1e3, portable * 1e3, two * 1e3,
		one / two, measure_peak(mesh) / triangles);
	if (reference == NULL)
	{
		printf("\n");
		return;
	}
	lrd_arena *arena = must(lrd_arena_create((lrd_allocator){ 0 }, 0));
	lrd_geometry ours = copy_mesh(arena, mesh);
	tangents_or_stop(&ours, NULL, LRD_ISA_BEST);
	mikk_run run = { mesh, must(lrd_arena_alloc(arena, 16 * (size_t)mesh->index_count)) };
	double theirs = measure_reference(reference, &run);
	printf(" %10.1f ms %6.2f x %8.2f x %10.1e\n", theirs * 1e3, theirs / one, theirs / portable,
		largest_difference(&ours, run.tangents));
	lrd_arena_destroy(arena);
}

int main(int argument_count, char **arguments)
{
	mikk_generate *reference = load_reference();
	double triangles = argument_count > 1 ? atof(arguments[1]) : 1e6;
	uint32_t side = (uint32_t)(sqrt(triangles / (2.0 * ISLAND * ISLAND)) + 0.5);
	if (side == 0 || side > 500)
	{
		bench_stop("bench_tangents: from 5,000 to a billion triangles");
	}
	lrd_error error = { LRD_OK, "" };
	lrd_job_pool *pool = lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = 1 }, &error); // this thread helps it
	if (pool == NULL)
	{
		bench_stop(error.message);
	}
	lrd_jobs jobs = lrd_job_pool_jobs(pool);
	printf("%-34s %9s %11s %11s %11s %8s %8s %13s %8s %10s %10s\n", "mesh", "triangles", "one thread", "portable",
		"two", "", "peak B/t", "reference", "speed", "portable", "difference");
	lrd_arena *arena = must(lrd_arena_create((lrd_allocator){ 0 }, 0));
	lrd_geometry mesh = make_islands(arena, side, false);
	bench("islands, in order", &mesh, &jobs, reference);
	mesh = make_islands(arena, side, true);
	shuffle_triangles(&mesh);
	bench("mirrored, triangles shuffled", &mesh, &jobs, reference);
	shuffle_vertices(arena, &mesh);
	bench("mirrored, vertices shuffled too", &mesh, &jobs, reference);
	mesh = make_islands(arena, side, true);
	if (!lrd_geometry_unindex(&mesh, &error))
	{
		bench_stop(error.message);
	}
	bench("mirrored, a vertex for each corner", &mesh, &jobs, reference);
	lrd_arena_destroy(arena);
	lrd_job_pool_destroy(pool);
	return 0;
}
