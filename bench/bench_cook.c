// Importing glTF and cooking it.
//
// Import: megabytes of source a second, beside cJSON alone on the same JSON and a memcpy of the same bytes.
// Geometry: a mesh of a million triangles, from the document to the bytes of its files, beside the meshoptimizer calls
// that this makes, which are timed as they are made (meshoptimizer_timed.c). What it needs of memory, beside the arrays
// of the document (32 bytes a vertex, 12 a triangle).
// Programs: `larder cook` beside `gltfpack` (Debian's), which simplifies the mesh once and writes it: from a file to
// files, as whole processes.

#define _DEFAULT_SOURCE

#include "bench.h"
#include "cook/recipe.h"
#include "failing_allocator.h"
#include "fixtures/gltf_build.h"
#include "larder/document.h"
#include "larder/jobs.h"
#include "larder/mesh.h"
#include "meshoptimizer_timed.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <math.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define COOK_RUNS 5

/// A file that is nearly all JSON: nodes, as a level editor writes them.
static lrd_bytes make_nodes(gltf_build *build, int count)
{
	int mesh = gltf_triangle(build);
	for (int i = 0; i < count; ++i)
	{
		gltf_add(build, "nodes",
			"{\"name\":\"Rock.%05d\",\"mesh\":%d,\"translation\":[%.6f,%.6f,%.6f],\"rotation\":[0,0.7071068,0,0."
			"7071068],"
			"\"scale\":[1.25,1.25,1.25]}",
			i, mesh, i * 0.37, i * 0.011, i * -0.73);
	}
	return gltf_finish(build, GLTF_FORM_DATA_URI);
}

static float height(float x, float z)
{
	return 0.05f * sinf(6.0f * x) * cosf(9.0f * z) + 0.02f * sinf(31.0f * x + 3.0f * z) +
		   0.004f * sinf(170.0f * x) * sinf(150.0f * z);
}

/// Hills, of side * side vertices with normals and uv, and a texture of one texel in a slot of the material.
static lrd_bytes make_hills(gltf_build *build, uint32_t side, const char *slot)
{
	size_t vertex_count = (size_t)side * side;
	float *vectors = malloc(vertex_count * 8 * sizeof *vectors);
	uint32_t *indices = malloc(vertex_count * 6 * sizeof *indices);
	size_t index_count = 0;
	if (vectors == NULL || indices == NULL)
	{
		bench_stop("out of memory");
	}
	float *normals = vectors + vertex_count * 3;
	float *uv = normals + vertex_count * 3;
	for (uint32_t i = 0; i < vertex_count; ++i)
	{
		const float near = 1e-3f;
		float u = (float)(i % side) / (float)(side - 1);
		float v = (float)(i / side) / (float)(side - 1);
		float along_u = (height(u + near, v) - height(u - near, v)) / (2.0f * near);
		float along_v = (height(u, v + near) - height(u, v - near)) / (2.0f * near);
		float length = sqrtf(along_u * along_u + along_v * along_v + 1.0f);
		memcpy(&vectors[i * 3], (float[]){ u * 100.0f, height(u, v) * 100.0f, v * 100.0f }, 12);
		memcpy(&normals[i * 3], (float[]){ -along_u / length, 1.0f / length, -along_v / length }, 12);
		memcpy(&uv[i * 2], (float[]){ u, v }, 8);
		if (i % side + 1 < side && i / side + 1 < side)
		{
			memcpy(&indices[index_count], (uint32_t[]){ i, i + side, i + 1, i + 1, i + side, i + side + 1 }, 24);
			index_count += 6;
		}
	}
	int p = gltf_floats(build, vectors, (int)vertex_count, "VEC3");
	int n = gltf_floats(build, normals, (int)vertex_count, "VEC3");
	int t = gltf_floats(build, uv, (int)vertex_count, "VEC2");
	int view = gltf_view(build, indices, index_count * 4, 0);
	int x = gltf_accessor(build, view, GLTF_U32, false, (int)index_count, "SCALAR");
	free(vectors);
	free(indices);
	gltf_add(build, "images",
		"{\"uri\":\"data:image/"
		"png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJ"
		"RU5ErkJggg==\"}");
	gltf_add(build, "textures", "{\"source\":0}");
	gltf_add(build, "materials", "{%s}", slot);
	gltf_add(build, "meshes",
		"{\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d,\"TEXCOORD_0\":%d},\"indices\":%d,"
		"\"material\":0}]}",
		p, n, t, x);
	gltf_add(build, "nodes", "{\"mesh\":0}");
	gltf_add(build, "scenes", "{\"nodes\":[0]}");
	return gltf_finish(build, GLTF_FORM_BINARY);
}

#define MILLION 708u // vertices a side of two triangles each
#define WITH_COLORS "\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}}"
#define WITH_NORMALS "\"normalTexture\":{\"index\":0}"

static lrd_document *import_or_stop(lrd_bytes file)
{
	lrd_error error;
	lrd_document *document =
		lrd_import_file(&(lrd_import_desc){ .path = "bench.gltf", .root = "/nowhere", .memory = file }, &error);
	if (document == NULL)
	{
		bench_stop(error.message);
	}
	return document;
}

static void measure_import(const char *name, lrd_bytes file, bool is_json)
{
	double import[BENCH_RUNS], copy[BENCH_RUNS], parse[BENCH_RUNS];
	void *scratch = malloc(file.size);
	if (scratch == NULL)
	{
		bench_stop("out of memory");
	}
	for (size_t run = 0; run < BENCH_RUNS; ++run)
	{
		double start = bench_now();
		lrd_document_free(import_or_stop(file));
		double imported = bench_now();
		bench_copy(scratch, file.data, file.size);
		double copied = bench_now();
		cJSON_Delete(is_json ? cJSON_ParseWithLength(file.data, file.size) : NULL);
		double parsed = bench_now();
		import[run] = imported - start;
		copy[run] = copied - imported;
		parse[run] = parsed - copied;
	}
	double seconds = bench_median(import, BENCH_RUNS);
	printf("%-34s %8.1f MB %9.1f ms %8.1f MB/s %7.3f of memcpy", name, (double)file.size * 1e-6, seconds * 1e3,
		(double)file.size / seconds * 1e-6, bench_median(copy, BENCH_RUNS) / seconds);
	printf(is_json ? " %6.2f of cJSON alone\n" : "\n", bench_median(parse, BENCH_RUNS) / seconds);
	free(scratch);
}

/// Outputs being made, each a job.
typedef struct output_job
{
	lrd_job job;
	lrd_recipe *recipe;
	uint32_t index;
	lrd_allocator allocator;
} output_job;

static void make_output(lrd_job *job)
{
	output_job *self = (output_job *)(void *)job;
	lrd_buffer out = { .allocator = self->allocator };
	lrd_error error;
	if (!lrd_recipe_make(self->recipe, self->index, &out, &error))
	{
		bench_stop(error.message);
	}
	lrd_buffer_free(&out);
}

/// Make every mesh of a document. `jobs` NULL: here.
static void make_meshes(
	const lrd_document *document, const lrd_settings *settings, const lrd_jobs *jobs, lrd_allocator allocator)
{
	lrd_error error;
	uint32_t count;
	lrd_recipe_desc desc = { .root = "/nowhere",
		.source = LRD_STR("bench.glb"),
		.stem = LRD_STR("bench"),
		.settings = settings,
		.jobs = jobs,
		.allocator = allocator };
	lrd_recipe *recipe = lrd_recipe_model(&desc, document, &error);
	if (recipe == NULL)
	{
		bench_stop(error.message);
	}
	const lrd_recipe_output *outputs = lrd_recipe_outputs(recipe, &count);
	output_job *tasks = calloc(count, sizeof *tasks);
	if (tasks == NULL)
	{
		bench_stop("out of memory");
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		tasks[i] = (output_job){ .job = { .run = make_output }, .recipe = recipe, .index = i, .allocator = allocator };
		bool is_mesh = outputs[i].kind == LRD_MESH;
		if (is_mesh && (jobs == NULL || !jobs->submit(jobs->user, &tasks[i].job)))
		{
			make_output(&tasks[i].job);
		}
	}
	if (jobs != NULL)
	{
		jobs->wait(jobs->user);
	}
	free(tasks);
	lrd_recipe_destroy(recipe);
}

static double wall_now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/// Bytes that making the meshes takes at most, the document included, for one of the arrays that it holds.
static double memory_ratio(const lrd_document *document, const lrd_settings *settings)
{
	const lrd_document_primitive *primitive = &document->meshes[0].primitives[0];
	double decoded = 32.0 * primitive->vertex_count + 4.0 * primitive->index_count;
	failing_allocator memory;
	failing_allocator_init(&memory, -1);
	make_meshes(document, settings, NULL, failing_allocator_get(&memory));
	return ((double)document->memory + (double)atomic_load(&memory.bytes_peak)) / decoded;
}

static void measure_geometry(const char *name, const lrd_document *document, const lrd_model_settings *model)
{
	lrd_settings settings = { .model = *model };
	double alone[COOK_RUNS], calls[COOK_RUNS], two[COOK_RUNS], one[COOK_RUNS];
	lrd_job_pool *pool = lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = 2 }, NULL);
	if (pool == NULL)
	{
		bench_stop("no threads");
	}
	lrd_jobs jobs = lrd_job_pool_jobs(pool);
	for (size_t run = 0; run < COOK_RUNS; ++run)
	{
		meshoptimizer_seconds(); // starts from zero
		double wall = wall_now();
		double start = bench_now();
		make_meshes(document, &settings, NULL, (lrd_allocator){ 0 });
		alone[run] = bench_now() - start;
		one[run] = wall_now() - wall;
		calls[run] = meshoptimizer_seconds();
		wall = wall_now();
		make_meshes(document, &settings, &jobs, (lrd_allocator){ 0 });
		two[run] = wall_now() - wall;
	}
	lrd_job_pool_destroy(pool);
	double seconds = bench_median(alone, COOK_RUNS);
	double library = bench_median(calls, COOK_RUNS);
	printf("%-34s %9.1f ms %9.1f ms %7.2f x %9.1f ms %7.2f x %7.2f x\n", name, seconds * 1e3, library * 1e3,
		seconds / library, bench_median(two, COOK_RUNS) * 1e3,
		bench_median(one, COOK_RUNS) / bench_median(two, COOK_RUNS), memory_ratio(document, &settings));
}

static void bench_geometry(void)
{
	static const lrd_model_settings defaults;
	gltf_build build;
	printf("geometry of a million triangles: processor time on one thread, beside the meshoptimizer calls in it; wall "
		   "clock with two\n");
	printf("%-34s %12s %12s %9s %12s %9s %9s\n", "", "one thread", "the calls", "ratio", "two workers", "speed-up",
		"memory");
	for (uint32_t mapped = 0; mapped < 2; ++mapped)
	{
		gltf_begin(&build);
		lrd_document *document = import_or_stop(make_hills(&build, MILLION, mapped ? WITH_NORMALS : WITH_COLORS));
		gltf_end(&build);
		if (mapped)
		{
			measure_geometry("tangents, all LODs", document, &defaults);
			measure_geometry(
				"tangents, all LODs, quantised", document, &(lrd_model_settings){ .quantize = { .on = true } });
		}
		else
		{
			measure_geometry("no tangents, all LODs", document, &defaults);
			measure_geometry("no tangents, one LOD", document, &(lrd_model_settings){ .lods = { .count = 1 } });
		}
		lrd_document_free(document);
	}
}

// Programs.

/// What a process took.
typedef struct usage
{
	double processor; ///< seconds
	double wall;
	double memory; ///< bytes
} usage;

static bool run_program(const char *const *arguments, usage *used)
{
	fflush(NULL); // or the child would print it too
	double start = wall_now();
	pid_t child = fork();
	if (child == 0)
	{
		int nowhere = open("/dev/null", O_WRONLY);
		if (nowhere >= 0 && dup2(nowhere, 1) >= 0 && dup2(nowhere, 2) >= 0)
		{
			execvp(arguments[0], (char *const *)arguments);
		}
		_exit(127);
	}
	int status = 0;
	struct rusage resources;
	if (child < 0 || wait4(child, &status, 0, &resources) != child)
	{
		return false;
	}
	used->wall = wall_now() - start;
	used->processor = (double)(resources.ru_utime.tv_sec + resources.ru_stime.tv_sec) +
					  (double)(resources.ru_utime.tv_usec + resources.ru_stime.tv_usec) * 1e-6;
	used->memory = (double)resources.ru_maxrss * 1024.0;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Medians of a program's runs. False where it can't be run.
static bool measure_program(const char *const *arguments, usage *used)
{
	double processor[COOK_RUNS], wall[COOK_RUNS];
	for (size_t run = 0; run < COOK_RUNS; ++run)
	{
		if (!run_program(arguments, used))
		{
			return false;
		}
		processor[run] = used->processor;
		wall[run] = used->wall;
	}
	used->processor = bench_median(processor, COOK_RUNS);
	used->wall = bench_median(wall, COOK_RUNS);
	return true;
}

static void print_program(const char *name, const usage *used, const usage *peer)
{
	printf("%-46s %9.1f ms %7.2f x %9.1f ms %7.2f x %8.1f MB\n", name, used->processor * 1e3,
		peer->processor / used->processor, used->wall * 1e3, peer->wall / used->wall, used->memory * 1e-6);
}

static void save(const char *path, const void *data, size_t size)
{
	FILE *file = fopen(path, "wb");
	if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0)
	{
		bench_stop(path);
	}
}

#define FOLDER "bench_cook.tmp"

static void measure_larder(const char *name, const char *settings, const char *workers, const usage *peer)
{
	const char *const arguments[] = { LARDER_PROGRAM, "cook", "--force", "--quiet", "--jobs", workers, FOLDER "/source",
		"-o", FOLDER "/cooked", NULL };
	usage used;
	save(FOLDER "/source/hills.glb.larder.json", settings, strlen(settings));
	if (!measure_program(arguments, &used))
	{
		bench_stop("larder could not be run");
	}
	print_program(name, &used, peer);
}

static void bench_programs(void)
{
	static const char *const clear[] = { "rm", "-rf", FOLDER, NULL };
	static const char *const plain[] = { "gltfpack", "-i", FOLDER "/source/hills.glb", "-o", FOLDER "/packed.glb",
		"-noq", "-si", "0.5", NULL };
	static const char *const packed[] = { "gltfpack", "-i", FOLDER "/source/hills.glb", "-o", FOLDER "/packed.glb",
		"-si", "0.5", NULL };
	static const char once[] = "{\"model\":{\"lods\":{\"count\":2}}}";
	static const char once_quantised[] = "{\"model\":{\"lods\":{\"count\":2},\"quantize\":true}}";
	gltf_build build;
	usage peer;
	usage ignored;
	run_program(clear, &ignored);
	if (mkdir(FOLDER, 0777) != 0 || mkdir(FOLDER "/source", 0777) != 0)
	{
		bench_stop(FOLDER " can't be made");
	}
	gltf_begin(&build);
	lrd_bytes file = make_hills(&build, MILLION, WITH_COLORS);
	save(FOLDER "/source/hills.glb", file.data, file.size);
	gltf_end(&build);
	printf("programs: a GLB of %.1f MB on disk to files on disk; ratios are speeds over gltfpack's\n",
		(double)file.size * 1e-6);
	printf("%-46s %12s %9s %12s %9s %11s\n", "", "processor", "", "wall clock", "", "memory");
	if (!measure_program(plain, &peer))
	{
		printf("gltfpack is not installed: nothing to compare with\n");
		peer = (usage){ 0 };
	}
	else
	{
		print_program("gltfpack -si 0.5 -noq", &peer, &peer);
		measure_larder("larder, one LOD of a half, one worker", once, "1", &peer);
		measure_larder("larder, one LOD of a half, two workers", once, "2", &peer);
		if (measure_program(packed, &peer))
		{
			print_program("gltfpack -si 0.5", &peer, &peer);
		}
		measure_larder("larder, quantised, one LOD of a half, one worker", once_quantised, "1", &peer);
		measure_larder("larder, quantised, one LOD of a half, two workers", once_quantised, "2", &peer);
	}
	measure_larder("larder, all LODs, one worker", "{}", "1", &peer);
	measure_larder("larder, all LODs, two workers", "{}", "2", &peer);
	run_program(clear, &ignored);
}

int main(void)
{
	gltf_build build;
	bench_programs(); // first: what they take of memory counts from what this process has when it starts them
	printf("import\n");
	gltf_begin(&build);
	measure_import("100,000 nodes, JSON", make_nodes(&build, 100000), true);
	gltf_end(&build);
	gltf_begin(&build);
	measure_import("1 M triangles, GLB", make_hills(&build, MILLION, WITH_COLORS), false);
	gltf_end(&build);
	bench_geometry();
	return 0;
}
