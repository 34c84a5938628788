// LODs of every glTF in the public corpus as it is cooked: how far they lie from the finest by a dense sampler, beside
// what the file says, one line a part; and that clusters stay joined. LARDER_CORPUS, or ../shared/corpus beside the source.

#include "cook_model.h"

#include "fixtures/hausdorff.h"
#include "fixtures/lod_shapes.h"
#include "os/os.h"

#define SAMPLES 20000
#define LEAST_TRIANGLES 1000u
// What was measured may exceed what is stored by so much, and by what floats of this size round to.
#define EXCESS 1.2
#define ROUNDING 1e-6

static char root[4096];

typedef struct corpus_walk
{
	const lrd_settings *settings;
	bool borders_alone; ///< look at open edges, not at distances
	unsigned parts;
	unsigned levels;
	double worst; ///< measured to stored
} corpus_walk;

static bool find_corpus(void)
{
	const char *given = getenv("LARDER_CORPUS");
	(void)snprintf(root, sizeof root, "%s", given != NULL ? given : LRD_TEST_SOURCE_DIR "/../shared/corpus");
	lrd_file_info info;
	return lrd_file_stat(root, &info, NULL) && info.is_folder;
}

static uint32_t *indices_of(const lrd_mesh_view *mesh, uint32_t lod)
{
	uint32_t *indices = malloc(lrd_mesh_index_count(mesh, lod) * sizeof *indices);
	assert_non_null(indices);
	lrd_mesh_write_indices(mesh, lod, indices);
	return indices;
}

static void judge_distances(corpus_walk *walk, const char *name, const lrd_mesh_view *mesh)
{
	const float *positions = mesh->streams[LRD_STREAM_POSITION].data;
	float side = fmaxf(mesh->bounds.max.x - mesh->bounds.min.x,
		fmaxf(mesh->bounds.max.y - mesh->bounds.min.y, mesh->bounds.max.z - mesh->bounds.min.z));
	uint32_t *finest = indices_of(mesh, 0);
	hausdorff_surface all = { positions, finest, lrd_mesh_index_count(mesh, 0) };
	print_message("%s: %u triangles;", name, mesh->lods[0].triangle_count);
	for (uint32_t i = 1; i < mesh->lod_count; ++i)
	{
		uint32_t *coarse = indices_of(mesh, i);
		double stored = (double)mesh->lods[i].error;
		double measured =
			hausdorff_two_sided(all, (hausdorff_surface){ positions, coarse, lrd_mesh_index_count(mesh, i) }, SAMPLES);
		print_message(" %u: %.3g of %.3g", mesh->lods[i].triangle_count, measured, stored);
		if (measured > EXCESS * stored + ROUNDING * (double)side)
		{
			fail_msg("%s, LOD %u: %g measured, %g stored", name, i, measured, stored);
		}
		walk->worst = stored > 0.0 && measured / stored > walk->worst ? measured / stored : walk->worst;
		walk->levels++;
		free(coarse);
	}
	print_message("\n");
	free(finest);
}

static bool is_among(const float edge[6], float (*edges)[6], size_t count)
{
	bool found = false;
	for (size_t i = 0; i < count && !found; ++i)
	{
		found = memcmp(edges[i], edge, sizeof *edges) == 0;
	}
	return found;
}

static bool has_edge(const float *positions, const uint32_t *indices, uint32_t count, const float edge[6])
{
	bool found = false;
	for (uint32_t i = 0; i < count && !found; ++i)
	{
		const float *from = positions + (size_t)3 * indices[i];
		const float *to = positions + (size_t)3 * indices[i % 3 == 2 ? i - 2 : i + 1];
		found = memcmp(from, edge, 12) == 0 && memcmp(to, edge + 3, 12) == 0;
	}
	return found;
}

// Each open edge of the finest is an edge of every LOD, whatever else may have come to meet it; no other edge opens.
static void judge_borders(corpus_walk *walk, const char *name, const lrd_mesh_view *mesh)
{
	const float *positions = mesh->streams[LRD_STREAM_POSITION].data;
	uint32_t *finest = indices_of(mesh, 0);
	float(*before)[6] = NULL;
	size_t count = lod_open_edges(positions, finest, lrd_mesh_index_count(mesh, 0), &before);
	for (uint32_t i = 1; i < mesh->lod_count; ++i)
	{
		uint32_t *coarse = indices_of(mesh, i);
		float(*after)[6] = NULL;
		size_t after_count = lod_open_edges(positions, coarse, lrd_mesh_index_count(mesh, i), &after);
		for (size_t e = 0; e < count; ++e)
		{
			if (!is_among(before[e], after, after_count) &&
				!has_edge(positions, coarse, lrd_mesh_index_count(mesh, i), before[e]))
			{
				fail_msg("%s, LOD %u: an edge at (%g, %g, %g) is gone", name, i, (double)before[e][0],
					(double)before[e][1], (double)before[e][2]);
			}
		}
		for (size_t e = 0; e < after_count; ++e)
		{
			if (!is_among(after[e], before, count))
			{
				fail_msg("%s, LOD %u: an edge at (%g, %g, %g) opened", name, i, (double)after[e][0],
					(double)after[e][1], (double)after[e][2]);
			}
		}
		walk->levels++;
		free(after);
		free(coarse);
	}
	free(before);
	free(finest);
}

static void judge_part(corpus_walk *walk, const char *path, lrd_recipe *recipe, uint32_t output)
{
	lrd_error error = { 0 };
	lrd_buffer file = { 0 };
	lrd_mesh_view mesh;
	uint32_t count;
	const lrd_recipe_output *outputs = lrd_recipe_outputs(recipe, &count);
	if (!lrd_recipe_make(recipe, output, &file, &error) ||
		(file.size != 0 && !lrd_mesh_open(file.data, file.size, &mesh, &error)))
	{
		fail_msg("%s: %s", path, error.message);
	}
	bool wanted = file.size != 0 && mesh.lod_count > 1 &&
				  (walk->borders_alone ? lrd_recipe_mesh(recipe, output)->cluster_count > 1
									   : mesh.lods[0].triangle_count > LEAST_TRIANGLES);
	if (wanted)
	{
		char name[1200];
		(void)snprintf(name, sizeof name, "%s %.*s", path, LRD_STR_ARG(outputs[output].path));
		(walk->borders_alone ? judge_borders : judge_distances)(walk, name, &mesh);
		walk->parts++;
	}
	lrd_buffer_free(&file);
}

static bool visit(void *user, lrd_string path, const lrd_file_info *info)
{
	(void)info;
	corpus_walk *walk = user;
	lrd_error error = { 0 };
	char name[1024];
	(void)snprintf(name, sizeof name, "%.*s", LRD_STR_ARG(path));
	lrd_document *document = lrd_import_knows(path)
								 ? lrd_import_file(&(lrd_import_desc){ .root = root, .path = name }, NULL)
								 : NULL; // what is refused, and why, is test_import_corpus.c's
	if (document == NULL)
	{
		return true;
	}
	lrd_recipe_desc desc = {
		.root = root, .source = path, .stem = LRD_STR("m"), .settings = walk->settings, .target = LRD_TARGET_RAW
	};
	lrd_recipe *recipe = lrd_recipe_model(&desc, document, &error);
	if (recipe == NULL)
	{
		fail_msg("%s: %s", name, error.message);
	}
	uint32_t count;
	const lrd_recipe_output *outputs = lrd_recipe_outputs(recipe, &count);
	for (uint32_t i = 0; i < count; ++i)
	{
		if (outputs[i].kind == LRD_MESH)
		{
			judge_part(walk, name, recipe, i);
		}
	}
	lrd_recipe_destroy(recipe);
	lrd_document_free(document);
	return true;
}

static void walk_corpus(corpus_walk *walk)
{
	lrd_error error = { LRD_OK, "" };
	if (!find_corpus())
	{
		print_message("skipped: no corpus at %s; set LARDER_CORPUS\n", root);
		skip();
	}
	if (!lrd_folder_walk(root, (lrd_allocator){ NULL, NULL }, visit, walk, &error))
	{
		fail_msg("%s", error.message);
	}
}

static void no_lod_lies_farther_off_than_its_error_says(void **state)
{
	(void)state;
	static const lrd_settings defaults;
	corpus_walk walk = { .settings = &defaults };
	walk_corpus(&walk);
	print_message("%u parts, %u levels: at most %.3f of what is stored\n", walk.parts, walk.levels, walk.worst);
	assert_true(walk.parts >= 8 && walk.levels >= 20);
}

static void clusters_stay_joined(void **state)
{
	(void)state;
	lrd_settings settings = { .model = { .clusters = { .target_triangles = 1024, .min_triangles = 256 } } };
	corpus_walk walk = { .settings = &settings, .borders_alone = true };
	walk_corpus(&walk);
	print_message("%u clusters, %u levels\n", walk.parts, walk.levels);
	assert_true(walk.parts >= 20 && walk.levels >= 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_lod_lies_farther_off_than_its_error_says),
		cmocka_unit_test(clusters_stay_joined),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
