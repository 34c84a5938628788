// Clusters: large rigid parts are cut into files of their own, and nothing shows where.

#include "fixtures/cook_grid.h"

#include "failing_allocator.h"

#include "larder/jobs.h"

#define CELLS 40u // 3,200 triangles
#define TARGET 500u

static const lrd_model_settings small_clusters = { .clusters = { .target_triangles = TARGET } };

static lrd_document *import_grid(const grid_desc *desc, bool mapped)
{
	BUILD(build);
	grid_desc grid = *desc;
	grid.material = mapped ? add_mapped_material(&build, "M") : grid.material;
	gltf_add(&build, "nodes", "{\"name\":\"Ground\",\"mesh\":%d}", add_grid(&build, &grid));
	lrd_document *document = import_build(&build, NULL);
	gltf_end(&build);
	return document;
}

static void cook_grid(cooked *model, const grid_desc *desc, const lrd_model_settings *settings)
{
	lrd_settings all = { .model = *settings };
	cook_document(model, import_grid(desc, true), &all, NULL);
}

static uint32_t count_meshes(const cooked *model)
{
	lrd_mesh_view mesh;
	uint32_t count = 0;
	while (nth_mesh(model, count, &mesh))
	{
		count++;
	}
	return count;
}

static void a_large_mesh_becomes_a_file_and_a_part_for_each_cluster(void **state)
{
	(void)state;
	cooked model;
	cook_grid(&model, &(grid_desc){ .name = "G", .cells = CELLS }, &small_clusters);
	check_files(&model,
		"part.G.0.lmesh part.G.1.lmesh part.G.2.lmesh part.G.3.lmesh part.G.4.lmesh part.G.5.lmesh part.G.6.lmesh "
		"part.G.7.lmesh material.M.lmat m.lmodel");
	assert_int_equal(model.model.part_count, 8);
	for (uint32_t i = 0; i < 8; ++i)
	{
		char stem[32];
		lrd_mesh_view mesh;
		const lrd_model_part *part = &model.model.parts[i];
		snprintf(stem, sizeof stem, "m/part.G.%u", i);
		check_text(&model, part->mesh, stem);
		check_text(&model, part->name, "Ground");
		assert_int_equal(part->slot, 0);
		assert_true(nth_mesh(&model, i, &mesh));
		check_string(mesh.material, "m/material.M");
		assert_int_equal(mesh.lods[0].triangle_count, CELLS * CELLS * 2 / 8);
	}
	cooked_free(&model);
}

static void without_settings_a_mesh_of_more_than_32768_triangles_is_cut(void **state)
{
	(void)state;
	cooked model;
	cook_grid(&model, &(grid_desc){ .name = "G", .cells = 128 }, &(lrd_model_settings){ 0 }); // just 32,768
	assert_int_equal(count_meshes(&model), 1);
	check_files(&model, "part.G.lmesh material.M.lmat m.lmodel");
	cooked_free(&model);
	cook_grid(&model, &(grid_desc){ .name = "G", .cells = 129 }, &(lrd_model_settings){ 0 });
	check_files(&model, "part.G.0.lmesh part.G.1.lmesh material.M.lmat m.lmodel");
	cooked_free(&model);
}

static void clusters_hold_the_sources_triangles_once_each(void **state)
{
	(void)state;
	cooked whole;
	cooked cut;
	lrd_mesh_view mesh;
	const uint32_t total = CELLS * CELLS * 2;
	point_triangle *a = malloc(total * sizeof *a);
	point_triangle *b = malloc(total * sizeof *b);
	assert_true(a != NULL && b != NULL);
	cook_grid(&whole, &(grid_desc){ .name = "G", .cells = CELLS },
		&(lrd_model_settings){ .clusters = { .cut = LRD_CHOICE_OFF, .target_triangles = TARGET } });
	cook_grid(&cut, &(grid_desc){ .name = "G", .cells = CELLS }, &small_clusters);
	assert_int_equal(count_meshes(&whole), 1);
	assert_true(nth_mesh(&whole, 0, &mesh));
	assert_int_equal(list_triangles(&mesh, 0, a), total);
	uint32_t found = 0;
	for (uint32_t i = 0; nth_mesh(&cut, i, &mesh); ++i)
	{
		assert_true(found + mesh.lods[0].triangle_count <= total);
		found += list_triangles(&mesh, 0, b + found);
	}
	assert_int_equal(found, total);
	qsort(a, total, sizeof *a, compare_triangles);
	qsort(b, total, sizeof *b, compare_triangles);
	assert_memory_equal(a, b, total * sizeof *a);
	check_bounds(&cut.model.bounds, whole.model.bounds.min.x, whole.model.bounds.min.y, whole.model.bounds.min.z,
		whole.model.bounds.max.x, whole.model.bounds.max.y, whole.model.bounds.max.z);
	free(a);
	free(b);
	cooked_free(&whole);
	cooked_free(&cut);
}

/// A vertex as its file has it, without where it stands in it.
typedef struct stored_vertex
{
	lrd_vec3 position;
	int16_t normal[2];
	int16_t tangent[2];
	uint32_t mesh;
} stored_vertex;

static int compare_vertices(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(stored_vertex));
}

static stored_vertex *list_vertices(const cooked *model, uint32_t *count)
{
	lrd_mesh_view mesh;
	uint32_t total = 0;
	for (uint32_t i = 0; nth_mesh(model, i, &mesh); ++i)
	{
		total += mesh.vertex_count;
	}
	stored_vertex *list = calloc(total + 1, sizeof *list);
	assert_non_null(list);
	*count = 0;
	for (uint32_t i = 0; nth_mesh(model, i, &mesh); ++i)
	{
		for (uint32_t v = 0; v < mesh.vertex_count; ++v)
		{
			stored_vertex *vertex = &list[(*count)++];
			vertex->position = vertex_position(&mesh, v);
			memcpy(vertex->normal, vertex_data(&mesh, LRD_VERTEX_NORMAL, v), 4);
			memcpy(vertex->tangent, vertex_data(&mesh, LRD_VERTEX_TANGENT, v), 4);
			vertex->mesh = i;
		}
	}
	qsort(list, total, sizeof *list, compare_vertices);
	return list;
}

static void normals_and_tangents_are_the_same_on_both_sides_of_a_cut(void **state)
{
	(void)state;
	cooked model;
	uint32_t count;
	uint32_t shared = 0;
	cook_grid(&model, &(grid_desc){ .name = "G", .cells = CELLS }, &small_clusters);
	stored_vertex *list = list_vertices(&model, &count);
	for (uint32_t i = 1; i < count; ++i)
	{
		if (memcmp(&list[i].position, &list[i - 1].position, sizeof list->position) == 0)
		{
			assert_memory_equal(list[i].normal, list[i - 1].normal, 4);
			assert_memory_equal(list[i].tangent, list[i - 1].tangent, 4);
			assert_int_not_equal(list[i].mesh, list[i - 1].mesh);
			shared++;
		}
	}
	assert_true(shared >= 3 * CELLS); // seven cuts of the width of the square or half of it
	free(list);
	cooked_free(&model);
}

static void flat_normals_are_made_in_clusters_too(void **state)
{
	(void)state;
	lrd_settings settings = { .model = small_clusters };
	cooked model;
	lrd_mesh_view mesh;
	cook_document(
		&model, import_grid(&(grid_desc){ .name = "G", .cells = CELLS, .bare = true }, false), &settings, NULL);
	assert_int_equal(count_meshes(&model), 8);
	for (uint32_t i = 0; nth_mesh(&model, i, &mesh); ++i)
	{
		assert_int_equal(mesh.vertex_count, mesh.lods[0].triangle_count * 3);
		assert_true(fabsf(vertex_normal(&mesh, 0).y) > 0.1f);
	}
	assert_int_equal(count_warnings(&model, "normals-computed"), 1); // of the mesh, not of each cluster
	check_cook_warning(&model, "normals-computed", "m/part.G.0: 1 primitive has");
	assert_int_equal(cooked_report(&model, "part.G.3.lmesh")->normals, LRD_FRAME_COMPUTED);
	assert_int_equal(cooked_report(&model, "part.G.3.lmesh")->tangents, LRD_FRAME_ARBITRARY);
	cooked_free(&model);
}

static void a_report_says_what_a_cluster_was_cut_from(void **state)
{
	(void)state;
	cooked model;
	cook_grid(&model, &(grid_desc){ .name = "G", .cells = CELLS, .degenerate = 5 }, &small_clusters);
	for (uint32_t i = 0; i < 8; ++i)
	{
		char name[32];
		snprintf(name, sizeof name, "part.G.%u.lmesh", i);
		const lrd_mesh_report *report = cooked_report(&model, name);
		lrd_mesh_view mesh = cooked_mesh(&model, name);
		assert_int_equal(report->cluster_count, 8);
		assert_int_equal(report->vertices_before, (CELLS + 1) * (CELLS + 1));
		assert_int_equal(report->triangles_before, CELLS * CELLS * 2 + 5);
		assert_int_equal(report->degenerate, 5);
		assert_int_equal(report->vertices, mesh.vertex_count);
		assert_int_equal(report->triangles, CELLS * CELLS * 2 / 8);
		assert_int_equal(report->normals, LRD_FRAME_AUTHORED);
		assert_int_equal(report->tangents, LRD_FRAME_COMPUTED);
		assert_int_equal(report->lod_count, mesh.lod_count);
		assert_memory_equal(report->lods, mesh.lods, mesh.lod_count * sizeof *mesh.lods);
		assert_int_equal(report->fill.meshlets, mesh.lods[0].meshlet_count);
		assert_int_equal(report->quantized_bits, 0);
	}
	check_cook_warning(&model, "degenerate-triangles", "m/part.G.0: 5 triangles");
	assert_int_equal(count_warnings(&model, "degenerate-triangles"), 1);
	cooked_free(&model);
}

static void a_large_extent_is_cut_though_its_triangles_are_few(void **state)
{
	(void)state;
	cooked model;
	lrd_mesh_view mesh;
	lrd_model_settings settings = { .clusters = { .min_triangles = 100, .max_extent = 2.6f } };
	cook_grid(&model, &(grid_desc){ .name = "G", .cells = CELLS, .size = 10.0f }, &settings);
	assert_int_equal(count_meshes(&model), 16);
	for (uint32_t i = 0; nth_mesh(&model, i, &mesh); ++i)
	{
		assert_true(mesh.bounds.max.x - mesh.bounds.min.x <= 2.6f && mesh.bounds.max.z - mesh.bounds.min.z <= 2.6f);
	}
	cooked_free(&model);
}

static void merged_nodes_are_cut_as_one(void **state)
{
	(void)state;
	BUILD(build);
	int mesh = add_grid(&build, &(grid_desc){ .name = "G", .cells = 20, .material = add_material(&build, "M") + 1 });
	gltf_add(&build, "nodes", "{\"mesh\":%d}", mesh);
	gltf_add(&build, "nodes", "{\"mesh\":%d,\"translation\":[1,0,0]}", mesh);
	cooked model;
	cook_as(&model, &build, &small_clusters);
	check_files(&model, "part.M.0.lmesh part.M.1.lmesh part.M.2.lmesh part.M.3.lmesh material.M.lmat m.lmodel");
	check_text(&model, model.model.parts[3].name, "M");
	cooked_free(&model);
}

static void a_placed_mesh_has_all_its_clusters_at_each_place(void **state)
{
	(void)state;
	BUILD(build);
	int mesh = add_grid(&build, &(grid_desc){ .name = "G", .cells = 20 });
	for (int i = 0; i < 8; ++i)
	{
		gltf_add(&build, "nodes", "{\"name\":\"N%d\",\"mesh\":%d,\"translation\":[%d,0,0]}", i, mesh, i);
	}
	cooked model;
	cook_as(&model, &build, &small_clusters);
	check_files(&model, "part.G.0.lmesh part.G.1.lmesh m.lmodel");
	assert_int_equal(model.model.part_count, 16);
	for (uint32_t i = 0; i < 16; ++i)
	{
		char name[8];
		snprintf(name, sizeof name, "N%u", i / 2);
		check_text(&model, model.model.parts[i].name, name);
		check_text(&model, model.model.parts[i].mesh, i % 2 == 0 ? "m/part.G.0" : "m/part.G.1");
		assert_int_equal(model.model.parts[i].node, cooked_node(&model, name));
	}
	assert_float_equal(model.model.bounds.max.x, 8.0f, 1e-5f);
	cooked_free(&model);
}

static void a_variant_chooses_for_every_cluster(void **state)
{
	(void)state;
	BUILD(build);
	int red = add_material(&build, "Red");
	int blue = add_material(&build, "Blue");
	char more[160];
	snprintf(more, sizeof more,
		",\"extensions\":{\"KHR_materials_variants\":{\"mappings\":[{\"material\":%d,\"variants\":[0]}]}}", blue);
	gltf_add(&build, "nodes", "{\"mesh\":%d}",
		add_grid(&build, &(grid_desc){ .name = "G", .cells = 20, .material = red + 1, .more = more }));
	gltf_member(&build, "\"extensions\":{\"KHR_materials_variants\":{\"variants\":[{\"name\":\"V\"}]}},"
						"\"extensionsUsed\":[\"KHR_materials_variants\"]");
	cooked model;
	cook_as(&model, &build, &small_clusters);
	assert_int_equal(model.model.part_count, 2);
	assert_int_equal(model.model.choice_count, 2);
	for (uint32_t i = 0; i < 2; ++i)
	{
		assert_int_equal(model.model.choices[i].part, i);
		assert_int_equal(model.model.choices[i].slot, blue);
	}
	cooked_free(&model);
}

static void cook_morphing_grid(cooked *model, const lrd_model_settings *settings)
{
	grid_arrays grid;
	grid_make(&grid, 30, 1.0f, 0);
	BUILD(build);
	int deltas = gltf_floats(&build, grid.normals, (int)grid.vertex_count, "VEC3");
	grid_free(&grid);
	char more[64];
	snprintf(more, sizeof more, ",\"targets\":[{\"POSITION\":%d}]", deltas);
	gltf_add(
		&build, "nodes", "{\"mesh\":%d}", add_grid(&build, &(grid_desc){ .name = "G", .cells = 30, .more = more }));
	cook_as(model, &build, settings);
}

static void what_is_skinned_or_morphs_stays_whole(void **state)
{
	(void)state;
	cooked model;
	cook_morphing_grid(&model, &small_clusters);
	check_files(&model, "part.G.lmesh m.lmodel");
	assert_int_equal(cooked_report(&model, "part.G.lmesh")->cluster_count, 1);
	assert_int_equal(count_warnings(&model, "clusters-left-whole"), 0);
	cooked_free(&model);
}

static void clusters_that_were_asked_for_and_cannot_be_are_told(void **state)
{
	(void)state;
	lrd_model_settings settings = small_clusters;
	settings.clusters.cut = LRD_CHOICE_ON;
	cooked model;
	cook_morphing_grid(&model, &settings);
	check_files(&model, "part.G.lmesh m.lmodel");
	assert_int_equal(check_cook_warning(&model, "clusters-left-whole", "1 part stays whole")->count, 1);
	cooked_free(&model);
	settings.clusters.target_triangles = 32768; // it would not be cut anyway
	cook_morphing_grid(&model, &settings);
	assert_int_equal(count_warnings(&model, "clusters-left-whole"), 0);
	cooked_free(&model);
}

static void names_that_clusters_would_take_twice_are_told_apart(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "nodes", "{\"mesh\":%d}", add_mesh(&build, "G.1", add_material(&build, "Red")));
	gltf_add(&build, "nodes", "{\"mesh\":%d}",
		add_grid(&build, &(grid_desc){ .name = "G", .cells = 20, .material = add_material(&build, "Blue") + 1 }));
	cooked model;
	cook_as(&model, &build, &small_clusters);
	check_files(&model, "part.G.1.lmesh part.G.0.lmesh part.G.1.2.lmesh material.Red.lmat material.Blue.lmat m.lmodel");
	cooked_free(&model);
}

/// Three materials, so that several meshes are cut at once.
static lrd_document *import_three(void)
{
	BUILD(build);
	static const char *const names[] = { "A", "B", "C" };
	for (int i = 0; i < 3; ++i)
	{
		gltf_add(&build, "nodes", "{\"mesh\":%d}",
			add_grid(&build,
				&(grid_desc){ .name = names[i],
					.cells = 30,
					.bare = i == 1,
					.material = i == 1 ? add_material(&build, "Plain") + 1 : add_mapped_material(&build, names[i]) }));
	}
	lrd_document *document = import_build(&build, NULL);
	gltf_end(&build);
	return document;
}

static void any_number_of_workers_gives_the_same_bytes(void **state)
{
	(void)state;
	lrd_settings settings = { .model = { .clusters = { .target_triangles = TARGET }, .quantize = { .on = true } } };
	cooked alone;
	cook_with(&alone, import_three(), &(lrd_recipe_desc){ .settings = &settings });
	for (uint32_t workers = 1; workers <= 4; workers += 3)
	{
		lrd_job_pool *pool = lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = workers }, NULL);
		assert_non_null(pool);
		lrd_jobs jobs = lrd_job_pool_jobs(pool);
		cooked model;
		cook_with(&model, import_three(), &(lrd_recipe_desc){ .settings = &settings, .jobs = &jobs });
		assert_int_equal(model.output_count, alone.output_count);
		for (uint32_t i = 0; i < alone.output_count; ++i)
		{
			assert_true(lrd_string_equal(model.outputs[i].path, alone.outputs[i].path));
			assert_int_equal(model.files[i].size, alone.files[i].size);
			if (alone.files[i].size != 0)
			{
				assert_memory_equal(model.files[i].data, alone.files[i].data, alone.files[i].size);
			}
		}
		cooked_free(&model);
		lrd_job_pool_destroy(pool);
	}
	cooked_free(&alone);
}

typedef struct output_job
{
	lrd_job job;
	lrd_recipe *recipe;
	uint32_t index;
	lrd_buffer out;
	bool good;
} output_job;

static void make_output(lrd_job *job)
{
	output_job *self = (output_job *)(void *)job;
	self->good = lrd_recipe_make(self->recipe, self->index, &self->out, NULL);
}

static void clusters_may_be_made_at_once(void **state)
{
	(void)state;
	lrd_settings settings = { .model = small_clusters };
	cooked alone;
	cook_with(&alone, import_three(), &(lrd_recipe_desc){ .settings = &settings });
	lrd_job_pool *pool = lrd_job_pool_create(&(lrd_job_pool_desc){ .worker_count = 4 }, NULL);
	assert_non_null(pool);
	lrd_jobs jobs = lrd_job_pool_jobs(pool);
	lrd_document *document = import_three();
	lrd_recipe_desc desc = {
		.root = "no-such-folder", .source = LRD_STR("m.glb"), .stem = LRD_STR("m"), .settings = &settings, .jobs = &jobs
	};
	lrd_recipe *recipe = lrd_recipe_model(&desc, document, NULL);
	assert_non_null(recipe);
	output_job *tasks = calloc(alone.output_count, sizeof *tasks);
	assert_non_null(tasks);
	for (uint32_t i = 0; i < alone.output_count; ++i)
	{
		tasks[i] = (output_job){ .job = { .run = make_output }, .recipe = recipe, .index = i };
		if (alone.outputs[i].kind == LRD_MESH)
		{
			assert_true(jobs.submit(jobs.user, &tasks[i].job));
		}
	}
	jobs.wait(jobs.user);
	for (uint32_t i = 0; i < alone.output_count; ++i)
	{
		if (alone.outputs[i].kind == LRD_MESH)
		{
			assert_true(tasks[i].good);
			assert_int_equal(tasks[i].out.size, alone.files[i].size);
			assert_memory_equal(tasks[i].out.data, alone.files[i].data, alone.files[i].size);
		}
		lrd_buffer_free(&tasks[i].out);
	}
	free(tasks);
	lrd_recipe_destroy(recipe);
	lrd_document_free(document);
	lrd_job_pool_destroy(pool);
	cooked_free(&alone);
}

static void a_source_that_fails_midway_leaves_nothing_behind(void **state)
{
	(void)state;
	static const lrd_settings settings = { .model = { .clusters = { .target_triangles = TARGET } } };
	lrd_document *document = import_grid(&(grid_desc){ .name = "G", .cells = CELLS }, true);
	failing_allocator memory;
	failing_allocator_init(&memory, -1);
	lrd_recipe_desc desc = { .root = "no-such-folder",
		.source = LRD_STR("m.glb"),
		.stem = LRD_STR("m"),
		.settings = &settings,
		.allocator = failing_allocator_get(&memory) };
	lrd_recipe *recipe = lrd_recipe_model(&desc, document, NULL);
	assert_non_null(recipe);
	uint32_t count;
	const lrd_recipe_output *outputs = lrd_recipe_outputs(recipe, &count);
	uint32_t made = 0;
	for (uint32_t i = 0; i < count; ++i)
	{
		lrd_buffer out = { .allocator = desc.allocator };
		lrd_error error = { 0 };
		if (outputs[i].kind != LRD_MESH || made++ > 4)
		{
			continue; // some are never made
		}
		atomic_store(&memory.countdown, made == 2 ? 3 : -1); // and one fails
		assert_int_equal(lrd_recipe_make(recipe, i, &out, &error), made != 2);
		if (made == 2)
		{
			assert_int_equal(error.code, LRD_ERROR_MEMORY);
			assert_non_null(strstr(error.message, "m/part.G.1.lmesh"));
		}
		lrd_buffer_free(&out);
	}
	lrd_recipe_destroy(recipe);
	assert_int_equal(atomic_load(&memory.bytes_out), 0);
	lrd_document_free(document);
}

static void clusters_that_are_quantised_meet_without_gaps(void **state)
{
	(void)state;
	cooked plain;
	cooked model;
	lrd_mesh_view mesh;
	uint32_t count;
	uint32_t plain_count;
	lrd_model_settings settings = small_clusters;
	cook_grid(&plain, &(grid_desc){ .name = "G", .cells = CELLS, .size = 10.0f }, &settings);
	settings.quantize.on = true;
	cook_grid(&model, &(grid_desc){ .name = "G", .cells = CELLS, .size = 10.0f }, &settings);
	for (uint32_t i = 0; nth_mesh(&model, i, &mesh); ++i)
	{
		assert_int_equal(lrd_mesh_attribute(&mesh, LRD_VERTEX_POSITION)->format, LRD_FORMAT_UNORM16X4);
		assert_int_equal(lrd_mesh_attribute(&mesh, LRD_VERTEX_UV0)->format, LRD_FORMAT_F16X2);
		char name[32];
		snprintf(name, sizeof name, "part.G.%u.lmesh", i);
		const lrd_mesh_report *report = cooked_report(&model, name);
		assert_in_range(report->quantized_bits, 10, 16);
		assert_true(report->uv_quantized && report->uv_error <= 1.0f / 4096.0f);
		float side = mesh.bounds.max.x - mesh.bounds.min.x;
		assert_true(report->position_error > 0.0f && report->position_error <= side / 16384.0f * sqrtf(3.0f));
	}
	stored_vertex *list = list_vertices(&model, &count);
	stored_vertex *plain_list = list_vertices(&plain, &plain_count);
	assert_int_equal(count, plain_count); // as many as without: what met still meets, and nothing fell together
	uint32_t distinct[2] = { 1, 1 };
	for (uint32_t i = 1; i < count; ++i)
	{
		distinct[0] += memcmp(&list[i].position, &list[i - 1].position, sizeof list->position) != 0;
		distinct[1] += memcmp(&plain_list[i].position, &plain_list[i - 1].position, sizeof list->position) != 0;
	}
	assert_int_equal(distinct[0], distinct[1]);
	assert_int_equal(distinct[0], (CELLS + 1) * (CELLS + 1));
	free(list);
	free(plain_list);
	cooked_free(&plain);
	cooked_free(&model);
}

/// Everything that a cook does with a model. False as soon as something fails.
static bool cook_all(const lrd_document *document, lrd_allocator allocator, lrd_error *error)
{
	static const lrd_settings settings = { .model = { .clusters = { .target_triangles = 60, .min_triangles = 20 },
											   .quantize = { .on = true } } };
	lrd_recipe_desc desc = { .root = "no-such-folder",
		.source = LRD_STR("m.glb"),
		.stem = LRD_STR("m"),
		.settings = &settings,
		.allocator = allocator };
	lrd_recipe *recipe = lrd_recipe_model(&desc, document, error);
	uint32_t count = 0;
	const lrd_recipe_output *outputs = recipe != NULL ? lrd_recipe_outputs(recipe, &count) : NULL;
	bool good = recipe != NULL;
	for (uint32_t i = 0; good && i < count; ++i)
	{
		lrd_buffer out = { .allocator = allocator };
		good = outputs[i].kind != LRD_MESH || lrd_recipe_make(recipe, i, &out, error);
		lrd_buffer_free(&out);
	}
	lrd_recipe_destroy(recipe);
	return good;
}

static void any_allocation_may_fail(void **state)
{
	(void)state;
	lrd_document *document = import_grid(&(grid_desc){ .name = "G", .cells = 10 }, true);
	failing_allocator memory;
	long long fails = 0;
	for (bool good = false; !good; ++fails)
	{
		lrd_error error = { 0 };
		failing_allocator_init(&memory, fails);
		good = cook_all(document, failing_allocator_get(&memory), &error);
		assert_int_equal(atomic_load(&memory.bytes_out), 0);
		if (!good && error.code != LRD_ERROR_MEMORY)
		{
			fail_msg("allocation %lld: %s", fails, error.message);
		}
	}
	assert_true(fails > 60);
	lrd_document_free(document);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_large_mesh_becomes_a_file_and_a_part_for_each_cluster),
		cmocka_unit_test(without_settings_a_mesh_of_more_than_32768_triangles_is_cut),
		cmocka_unit_test(clusters_hold_the_sources_triangles_once_each),
		cmocka_unit_test(normals_and_tangents_are_the_same_on_both_sides_of_a_cut),
		cmocka_unit_test(flat_normals_are_made_in_clusters_too),
		cmocka_unit_test(a_report_says_what_a_cluster_was_cut_from),
		cmocka_unit_test(a_large_extent_is_cut_though_its_triangles_are_few),
		cmocka_unit_test(merged_nodes_are_cut_as_one),
		cmocka_unit_test(a_placed_mesh_has_all_its_clusters_at_each_place),
		cmocka_unit_test(a_variant_chooses_for_every_cluster),
		cmocka_unit_test(what_is_skinned_or_morphs_stays_whole),
		cmocka_unit_test(clusters_that_were_asked_for_and_cannot_be_are_told),
		cmocka_unit_test(names_that_clusters_would_take_twice_are_told_apart),
		cmocka_unit_test(any_number_of_workers_gives_the_same_bytes),
		cmocka_unit_test(clusters_may_be_made_at_once),
		cmocka_unit_test(a_source_that_fails_midway_leaves_nothing_behind),
		cmocka_unit_test(clusters_that_are_quantised_meet_without_gaps),
		cmocka_unit_test(any_allocation_may_fail),
	};
	return cmocka_run_group_tests_name("cook_model_clusters", tests, NULL, NULL);
}
