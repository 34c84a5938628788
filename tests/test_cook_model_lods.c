// LODs of parts: how many, how far off, what stays where it is, and which one a ray tracer takes.

#include "fixtures/cook_grid.h"

#include "failing_allocator.h"
#include "fixtures/mesh_density.h"

#define CELLS 40u // 3,200 triangles

static void cook_one_grid(cooked *model, uint32_t cells, const lrd_model_settings *settings)
{
	BUILD(build);
	gltf_add(&build, "nodes", "{\"mesh\":%d}", add_grid(&build, &(grid_desc){ .name = "G", .cells = cells }));
	cook_as(model, &build, settings);
}

static void each_lod_has_fewer_triangles_and_a_larger_error(void **state)
{
	(void)state;
	cooked model;
	cook_one_grid(&model, CELLS, &(lrd_model_settings){ 0 });
	lrd_mesh_view mesh = cooked_mesh(&model, "part.G.lmesh");
	assert_in_range(mesh.lod_count, 4, LRD_LODS_COUNT);
	assert_int_equal(mesh.lods[0].triangle_count, CELLS * CELLS * 2);
	float side = mesh.bounds.max.x - mesh.bounds.min.x;
	for (uint32_t i = 1; i < mesh.lod_count; ++i)
	{
		assert_true(mesh.lods[i].triangle_count <= mesh.lods[i - 1].triangle_count * 9 / 10);
		assert_true(mesh.lods[i].error >= mesh.lods[i - 1].error);
		assert_true(mesh.lods[i].error > 0.0f && mesh.lods[i].error <= LRD_LODS_ERROR * side * 1.01f);
	}
	const lrd_mesh_report *report = cooked_report(&model, "part.G.lmesh");
	assert_int_equal(report->lod_count, mesh.lod_count);
	assert_memory_equal(report->lods, mesh.lods, mesh.lod_count * sizeof *mesh.lods);
	cooked_free(&model);
}

static void all_lods_are_over_the_vertices_of_the_finest(void **state)
{
	(void)state;
	cooked model;
	cook_one_grid(&model, CELLS, &(lrd_model_settings){ 0 });
	lrd_mesh_view mesh = cooked_mesh(&model, "part.G.lmesh");
	assert_int_equal(mesh.vertex_count, (CELLS + 1) * (CELLS + 1));
	uint32_t seen = 0;
	for (uint32_t i = 0; i < mesh.meshlet_vertex_count; ++i)
	{
		assert_true(mesh.meshlet_vertices[i] <= seen); // first used in order, and by LOD 0
		seen += mesh.meshlet_vertices[i] == seen;
	}
	assert_int_equal(seen, mesh.vertex_count);
	cooked_free(&model);
}

static void uv_density_is_that_of_the_finest_lod(void **state)
{
	(void)state;
	for (int quantized = 0; quantized < 2; ++quantized)
	{
		cooked model;
		cook_one_grid(&model, CELLS, &(lrd_model_settings){ .quantize = { .on = quantized != 0 } });
		lrd_mesh_view mesh = cooked_mesh(&model, "part.G.lmesh");
		assert_true(mesh.lod_count > 1);
		assert_true(mesh.uv_density[0] > 0.5f && mesh.uv_density[0] < 1.0f); // a wavy square over one texture
		assert_true(mesh.uv_density[0] == mesh_density(&mesh, 0));
		assert_true(mesh.uv_density[1] == 0.0f);
		cooked_free(&model);
	}
}

static void uv_density_of_a_cluster_is_its_own(void **state)
{
	(void)state;
	cooked model;
	cook_one_grid(
		&model, CELLS, &(lrd_model_settings){ .clusters = { .target_triangles = 500, .cut = LRD_CHOICE_ON } });
	lrd_mesh_view mesh;
	uint32_t count = 0;
	for (; nth_mesh(&model, count, &mesh); ++count)
	{
		assert_true(mesh.uv_density[0] == mesh_density(&mesh, 0));
	}
	assert_true(count > 1);
	cooked_free(&model);
}

static void a_part_of_64_triangles_has_no_coarser_lod(void **state)
{
	(void)state;
	cooked model;
	BUILD(build);
	grid_arrays grid;
	grid_make(&grid, 6, 1.0f, 0);
	int p = gltf_floats(&build, grid.positions, (int)grid.vertex_count, "VEC3");
	for (uint32_t i = 0; i < 2; ++i)
	{
		int view = gltf_view(&build, grid.indices, (64 + i) * 12, 0);
		gltf_add(&build, "meshes",
			"{\"name\":\"G%u\",\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"indices\":%d}]}", i, p,
			gltf_accessor(&build, view, GLTF_U32, false, (int)(64 + i) * 3, "SCALAR"));
		gltf_add(&build, "nodes", "{\"mesh\":%u}", i);
	}
	grid_free(&grid);
	cook_as(&model, &build,
		&(lrd_model_settings){
			.placement = LRD_PLACEMENT_SEPARATE, .lods = { .error = 1.0f, .lock_borders = LRD_CHOICE_OFF } });
	assert_int_equal(cooked_mesh(&model, "part.G0.lmesh").lod_count, 1);
	cooked_free(&model);
}

static void settings_say_how_many_and_how_far(void **state)
{
	(void)state;
	cooked model;
	lrd_mesh_view mesh;
	cook_one_grid(&model, CELLS, &(lrd_model_settings){ .lods = { .count = 1 } });
	assert_int_equal(cooked_mesh(&model, "part.G.lmesh").lod_count, 1);
	cooked_free(&model);
	cook_one_grid(&model, CELLS, &(lrd_model_settings){ .lods = { .count = 3 } });
	assert_int_equal(cooked_mesh(&model, "part.G.lmesh").lod_count, 3);
	cooked_free(&model);
	cook_one_grid(&model, CELLS, &(lrd_model_settings){ .lods = { .count = 2, .ratio = 0.25f } });
	mesh = cooked_mesh(&model, "part.G.lmesh");
	assert_int_equal(mesh.lod_count, 2);
	assert_in_range(mesh.lods[1].triangle_count, 1, CELLS * CELLS * 2 / 3);
	cooked_free(&model);
	cook_one_grid(&model, CELLS, &(lrd_model_settings){ .lods = { .error = 0.002f } });
	mesh = cooked_mesh(&model, "part.G.lmesh");
	for (uint32_t i = 1; i < mesh.lod_count; ++i)
	{
		assert_true(mesh.lods[i].error <= 0.002f * (mesh.bounds.max.x - mesh.bounds.min.x) * 1.01f);
	}
	cooked_free(&model);
}

// Open edges, as pairs of positions, ascending.

typedef struct edge
{
	lrd_vec3 ends[2];
	int direction;
} edge;

static int compare_edges(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(lrd_vec3[2]));
}

/// The edges of a LOD that one triangle alone has.
static uint32_t list_open_edges(const lrd_mesh_view *mesh, uint32_t lod, edge *list)
{
	uint32_t count = lrd_mesh_index_count(mesh, lod);
	point_triangle *triangles = malloc(count / 3 * sizeof *triangles);
	assert_non_null(triangles);
	list_triangles(mesh, lod, triangles);
	for (uint32_t i = 0; i < count; ++i)
	{
		lrd_vec3 a = triangles[i / 3].corners[i % 3];
		lrd_vec3 b = triangles[i / 3].corners[(i + 1) % 3];
		bool ascending = compare_points(&a, &b) < 0;
		list[i] = (edge){ { ascending ? a : b, ascending ? b : a }, 0 };
	}
	free(triangles);
	qsort(list, count, sizeof *list, compare_edges);
	uint32_t open = 0;
	for (uint32_t i = 0; i < count;)
	{
		uint32_t same = 1;
		while (i + same < count && compare_edges(&list[i], &list[i + same]) == 0)
		{
			same++;
		}
		if (same == 1)
		{
			list[open++] = list[i];
		}
		i += same;
	}
	return open;
}

/// Whether every LOD of a mesh has the open edges of the finest.
static bool keeps_its_border(const lrd_mesh_view *mesh)
{
	uint32_t most = lrd_mesh_index_count(mesh, 0);
	edge *finest = calloc(most, sizeof *finest);
	edge *coarse = calloc(most, sizeof *coarse);
	assert_true(finest != NULL && coarse != NULL);
	uint32_t expected = list_open_edges(mesh, 0, finest);
	bool same = expected != 0;
	for (uint32_t lod = 1; lod < mesh->lod_count; ++lod)
	{
		uint32_t count = list_open_edges(mesh, lod, coarse);
		same = same && count == expected && memcmp(finest, coarse, count * sizeof *coarse) == 0;
	}
	free(finest);
	free(coarse);
	return same;
}

static void clusters_keep_their_borders_in_every_lod(void **state)
{
	(void)state;
	for (int quantised = 0; quantised < 2; ++quantised)
	{
		cooked model;
		lrd_mesh_view mesh;
		lrd_model_settings settings = { .clusters = { .target_triangles = 500 },
			.lods = { .lock_borders = LRD_CHOICE_OFF }, // of clusters it is not asked
			.quantize = { .on = quantised != 0 } };
		cook_one_grid(&model, CELLS, &settings);
		uint32_t lods = 0;
		uint32_t count = 0;
		for (; nth_mesh(&model, count, &mesh); ++count)
		{
			assert_true(keeps_its_border(&mesh));
			lods += mesh.lod_count;
		}
		assert_int_equal(count, 8);
		assert_true(lods >= 16);
		cooked_free(&model);
	}
}

static void cook_halves(cooked *model, bool two, lrd_choice lock)
{
	BUILD(build);
	int mesh = add_grid(&build, &(grid_desc){ .name = "G", .cells = CELLS });
	gltf_add(&build, "nodes", "{\"mesh\":%d}", mesh);
	if (two)
	{
		gltf_add(&build, "nodes", "{\"mesh\":%d,\"translation\":[1,0,0]}", mesh);
	}
	cook_as(
		model, &build, &(lrd_model_settings){ .placement = LRD_PLACEMENT_SEPARATE, .lods = { .lock_borders = lock } });
}

static void borders_stay_where_another_part_may_meet_them(void **state)
{
	(void)state;
	static const struct
	{
		bool two;
		lrd_choice lock;
		bool stays;
	} cases[] = { { false, LRD_CHOICE_AUTO, false }, { true, LRD_CHOICE_AUTO, true }, { false, LRD_CHOICE_ON, true },
		{ true, LRD_CHOICE_OFF, false } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
	{
		cooked model;
		cook_halves(&model, cases[i].two, cases[i].lock);
		lrd_mesh_view mesh = cooked_mesh(&model, "part.G.lmesh");
		assert_true(mesh.lod_count > 2);
		assert_int_equal(keeps_its_border(&mesh), cases[i].stays);
		cooked_free(&model);
	}
}

/// Quads here and there, as leaves, as two triangles each, and each cut into `cells` squared pieces.
static int add_cards(gltf_build *build, int material, int count, uint32_t cells)
{
	uint32_t side = cells + 1;
	size_t vertex_count = (size_t)count * side * side;
	float *positions = malloc(vertex_count * 12);
	uint32_t *indices = malloc((size_t)count * cells * cells * 24);
	assert_true(positions != NULL && indices != NULL);
	uint32_t index_count = 0;
	for (int card = 0; card < count; ++card)
	{
		float x = (float)(card * 37 % 101), y = (float)(card * 17 % 89), turn = (float)card;
		uint32_t first = (uint32_t)card * side * side;
		for (uint32_t i = 0; i < side * side; ++i)
		{
			float u = (float)(i % side) / (float)cells, v = (float)(i / side) / (float)cells;
			memcpy(positions + (size_t)3 * (first + i), (float[]){ x + u * cosf(turn), y + v, u * sinf(turn) }, 12);
		}
		for (uint32_t i = 0; i < cells * cells; ++i, index_count += 6)
		{
			uint32_t at = first + i / cells * side + i % cells;
			memcpy(indices + index_count, (uint32_t[]){ at, at + 1, at + side, at + 1, at + side + 1, at + side }, 24);
		}
	}
	int p = gltf_floats(build, positions, (int)vertex_count, "VEC3");
	int view = gltf_view(build, indices, index_count * sizeof *indices, 0);
	int x = gltf_accessor(build, view, GLTF_U32, false, (int)index_count, "SCALAR");
	free(positions);
	free(indices);
	return gltf_add(build, "meshes",
		"{\"name\":\"Leaves\",\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"indices\":%d,\"material\":%d}]}", p,
		x, material);
}

static uint32_t leaves_bias(const char *alpha_mode, uint32_t cells, uint32_t lod_count)
{
	BUILD(build);
	gltf_add(&build, "materials", "{\"name\":\"M\",\"alphaMode\":\"%s\"}", alpha_mode);
	gltf_add(&build, "nodes", "{\"mesh\":%d}", add_cards(&build, 0, 400, cells));
	cooked model;
	cook_as(&model, &build,
		&(lrd_model_settings){ .lods = { .count = lod_count, .error = 0.5f, .lock_borders = LRD_CHOICE_OFF } });
	lrd_mesh_view mesh = cooked_mesh(&model, "part.Leaves.lmesh");
	assert_int_equal(cooked_report(&model, "part.Leaves.lmesh")->raytracing_lod_bias, mesh.raytracing_lod_bias);
	assert_true(mesh.raytracing_lod_bias < mesh.lod_count);
	uint32_t bias = mesh.raytracing_lod_bias;
	assert_true(mesh.lod_count >= lod_count || lod_count == 8);
	cooked_free(&model);
	return bias;
}

static void a_ray_tracer_takes_coarser_cards_as_far_as_there_are(void **state)
{
	(void)state;
	assert_int_equal(leaves_bias("MASK", 2, 3), 2);
	assert_int_equal(leaves_bias("MASK", 2, 2), 1);
	assert_int_equal(leaves_bias("MASK", 2, 1), 0);
	assert_int_equal(leaves_bias("OPAQUE", 2, 3), 0);
	assert_int_equal(leaves_bias("BLEND", 2, 3), 0);
}

static void a_masked_surface_is_no_card(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "materials", "{\"name\":\"Fence\",\"alphaMode\":\"MASK\"}");
	gltf_add(
		&build, "nodes", "{\"mesh\":%d}", add_grid(&build, &(grid_desc){ .name = "G", .cells = CELLS, .material = 1 }));
	cooked model;
	cook_build(&model, &build);
	assert_int_equal(cooked_mesh(&model, "part.G.lmesh").raytracing_lod_bias, 0);
	cooked_free(&model);
}

/// The most that cooking takes, with the document, for each byte of a mesh's arrays.
static double memory_taken(bool mapped, bool bare)
{
	static const lrd_settings settings;
	BUILD(build);
	grid_desc grid = { .name = "G", .cells = 320, .bare = bare };
	grid.material = mapped ? add_mapped_material(&build, "M") : 0;
	gltf_add(&build, "nodes", "{\"mesh\":%d}", add_grid(&build, &grid));
	lrd_document *document = import_build(&build, NULL);
	gltf_end(&build);
	const lrd_document_primitive *primitive = &document->meshes[0].primitives[0];
	double arrays = 32.0 * primitive->vertex_count + 4.0 * primitive->index_count;
	failing_allocator memory;
	failing_allocator_init(&memory, -1);
	lrd_error error = { 0 };
	lrd_recipe_desc desc = { .root = "no-such-folder",
		.source = LRD_STR("m.glb"),
		.stem = LRD_STR("m"),
		.settings = &settings,
		.allocator = failing_allocator_get(&memory) };
	lrd_recipe *recipe = lrd_recipe_model(&desc, document, &error);
	uint32_t count;
	const lrd_recipe_output *outputs = lrd_recipe_outputs(recipe, &count);
	for (uint32_t i = 0; i < count; ++i)
	{
		lrd_buffer out = { .allocator = desc.allocator };
		assert_true(outputs[i].kind != LRD_MESH || lrd_recipe_make(recipe, i, &out, &error));
		lrd_buffer_free(&out);
	}
	lrd_recipe_destroy(recipe);
	double taken = (double)document->memory + (double)atomic_load(&memory.bytes_peak);
	lrd_document_free(document);
	return taken / arrays;
}

static void cooking_takes_less_than_five_times_a_meshs_arrays(void **state)
{
	(void)state;
	double plain = memory_taken(false, false), mapped = memory_taken(true, false), bare = memory_taken(false, true);
	print_message("%.2f without tangents, %.2f with, %.2f without normals\n", plain, mapped, bare);
	assert_true(plain < 4.0);
	assert_true(mapped < 5.0);
	assert_true(bare < 4.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_lod_has_fewer_triangles_and_a_larger_error),
		cmocka_unit_test(all_lods_are_over_the_vertices_of_the_finest),
		cmocka_unit_test(uv_density_is_that_of_the_finest_lod),
		cmocka_unit_test(uv_density_of_a_cluster_is_its_own),
		cmocka_unit_test(a_part_of_64_triangles_has_no_coarser_lod),
		cmocka_unit_test(settings_say_how_many_and_how_far),
		cmocka_unit_test(clusters_keep_their_borders_in_every_lod),
		cmocka_unit_test(borders_stay_where_another_part_may_meet_them),
		cmocka_unit_test(a_ray_tracer_takes_coarser_cards_as_far_as_there_are),
		cmocka_unit_test(a_masked_surface_is_no_card),
		cmocka_unit_test(cooking_takes_less_than_five_times_a_meshs_arrays),
	};
	return cmocka_run_group_tests_name("cook_model_lods", tests, NULL, NULL);
}
