// Importing glTF and cooking it. Import: megabytes of source a second, beside cJSON alone on the same JSON and a memcpy of the same bytes.
// Cooking: triangles a second of one part, from the document to the bytes of its file, beside the meshoptimizer calls that it makes.

#define _POSIX_C_SOURCE 200809L

#include "bench.h"
#include "cook/recipe.h"
#include "fixtures/gltf_build.h"
#include "larder/document.h"
#include "larder/mesh.h"

#include <cjson/cJSON.h>
#include <meshoptimizer.h>

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

/// A wavy grid of side * side vertices with normals and uv, and a normal map on it when asked.
static lrd_bytes make_grid(gltf_build *build, uint32_t side, bool normal_map)
{
	size_t vertex_count = (size_t)side * side;
	float *vectors = malloc(vertex_count * 3 * sizeof *vectors);
	uint32_t *indices = malloc(vertex_count * 6 * sizeof *indices);
	size_t index_count = 0;
	if (vectors == NULL || indices == NULL)
	{
		bench_stop("out of memory");
	}
	for (uint32_t i = 0; i < vertex_count; ++i)
	{
		uint32_t x = i % side;
		uint32_t y = i / side;
		memcpy(&vectors[i * 3], (float[]){ (float)x, (float)((x * 7 + y * 13) % 31) * 0.1f, (float)y }, 12);
		if (x + 1 < side && y + 1 < side)
		{
			memcpy(&indices[index_count], (uint32_t[]){ i, i + side, i + 1, i + 1, i + side, i + side + 1 }, 24);
			index_count += 6;
		}
	}
	int p = gltf_floats(build, vectors, (int)vertex_count, "VEC3");
	for (size_t i = 0; i < vertex_count; ++i)
	{
		memcpy(&vectors[i * 3], (float[]){ 0.0f, 1.0f, 0.0f }, 12);
	}
	int n = gltf_floats(build, vectors, (int)vertex_count, "VEC3");
	for (uint32_t i = 0; i < vertex_count; ++i)
	{
		memcpy(&vectors[i * 2], (float[]){ (float)(i % side) / (float)side, (float)(i / side) / (float)side }, 8);
	}
	int t = gltf_floats(build, vectors, (int)vertex_count, "VEC2");
	int x = gltf_accessor(
		build, gltf_view(build, indices, index_count * 4, 0), GLTF_U32, false, (int)index_count, "SCALAR");
	gltf_add(build, "images",
		"{\"uri\":\"data:image/"
		"png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJ"
		"RU5ErkJggg==\"}");
	gltf_add(build, "textures", "{\"source\":0}");
	gltf_add(build, "materials", normal_map ? "{\"normalTexture\":{\"index\":0}}" : "{\"name\":\"plain\"}");
	gltf_add(build, "meshes",
		"{\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d,\"TEXCOORD_0\":%d},\"indices\":%d,"
		"\"material\":0}]}",
		p, n, t, x);
	gltf_add(build, "nodes", "{\"mesh\":0}");
	free(vectors);
	free(indices);
	return gltf_finish(build, GLTF_FORM_BINARY);
}

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

/// The meshoptimizer calls that cooking a part makes: the scan and the bounds of what it yields.
static double time_meshoptimizer(const lrd_document_primitive *primitive)
{
	size_t most =
		meshopt_buildMeshletsBound(primitive->index_count, LRD_MESHLET_MAX_VERTICES, LRD_MESHLET_MAX_TRIANGLES);
	struct meshopt_Meshlet *meshlets = malloc(most * sizeof *meshlets);
	unsigned int *vertices = malloc(most * LRD_MESHLET_MAX_VERTICES * sizeof *vertices);
	unsigned char *triangles = malloc(most * LRD_MESHLET_MAX_TRIANGLES * 3);
	if (meshlets == NULL || vertices == NULL || triangles == NULL)
	{
		bench_stop("out of memory");
	}
	double start = bench_now();
	size_t count = meshopt_buildMeshletsScan(meshlets, vertices, triangles, primitive->indices, primitive->index_count,
		primitive->vertex_count, LRD_MESHLET_MAX_VERTICES, LRD_MESHLET_MAX_TRIANGLES);
	for (size_t i = 0; i < count; ++i)
	{
		struct meshopt_Bounds bounds =
			meshopt_computeMeshletBounds(&vertices[meshlets[i].vertex_offset], &triangles[meshlets[i].triangle_offset],
				meshlets[i].triangle_count, primitive->positions, primitive->vertex_count, 12);
		__asm__ volatile("" : : "r"(&bounds) : "memory");
	}
	double seconds = bench_now() - start;
	free(meshlets);
	free(vertices);
	free(triangles);
	return seconds;
}

static double time_part(const lrd_document *document, size_t *size)
{
	lrd_error error;
	lrd_settings settings = { 0 };
	lrd_recipe_desc desc = {
		.root = "/nowhere", .source = LRD_STR("bench.glb"), .stem = LRD_STR("bench"), .settings = &settings
	};
	lrd_recipe *recipe = lrd_recipe_model(&desc, document, &error);
	lrd_buffer out = { 0 };
	uint32_t count = 0;
	double seconds = 0.0;
	const lrd_recipe_output *outputs = recipe == NULL ? NULL : lrd_recipe_outputs(recipe, &count);
	for (uint32_t i = 0; i < count; ++i)
	{
		double start = bench_now();
		if (!lrd_recipe_make(recipe, i, &out, &error))
		{
			bench_stop(error.message);
		}
		seconds += bench_now() - start;
		*size = outputs[i].kind == LRD_MESH ? out.size : *size;
	}
	lrd_buffer_free(&out);
	lrd_recipe_destroy(recipe);
	return seconds;
}

static void measure_cook(const char *name, lrd_bytes file)
{
	lrd_document *document = import_or_stop(file);
	const lrd_document_primitive *primitive = &document->meshes[0].primitives[0];
	double cook[BENCH_RUNS], peer[BENCH_RUNS];
	size_t size = 0;
	for (size_t run = 0; run < BENCH_RUNS; ++run)
	{
		cook[run] = time_part(document, &size);
		peer[run] = time_meshoptimizer(primitive);
	}
	double seconds = bench_median(cook, BENCH_RUNS);
	printf("%-34s %8u triangles %7.1f ms %7.2f M triangles/s %6.2f times meshoptimizer's calls\n", name,
		primitive->index_count / 3, seconds * 1e3, primitive->index_count / 3 / seconds * 1e-6,
		seconds / bench_median(peer, BENCH_RUNS));
	lrd_document_free(document);
}

int main(void)
{
	gltf_build build;
	printf("import\n");
	gltf_begin(&build);
	measure_import("100,000 nodes, JSON", make_nodes(&build, 100000), true);
	gltf_end(&build);
	gltf_begin(&build);
	measure_import("1 M triangles, GLB", make_grid(&build, 708, false), false);
	gltf_end(&build);
	printf("cook of a model\n");
	gltf_begin(&build);
	measure_cook("1 M triangles, no normal map", make_grid(&build, 708, false));
	gltf_end(&build);
	gltf_begin(&build);
	measure_cook("1 M triangles, tangents computed", make_grid(&build, 708, true));
	gltf_end(&build);
	return 0;
}
