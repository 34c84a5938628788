// Meshes at the ends of what there is: of many parts, of one triangle, of none, of triangles that belong to no surface.

#include "fixtures/cook_grid.h"

#include "failing_allocator.h"

/// A document that no importer made: one mesh, one node.
typedef struct hand_made
{
	lrd_document document;
	lrd_document_mesh mesh;
	lrd_document_node node;
} hand_made;

static void make_document(hand_made *self, const lrd_document_primitive *primitives, uint32_t count)
{
	self->mesh = (lrd_document_mesh){ .name = LRD_STR("H"), .primitives = primitives, .primitive_count = count };
	self->node = (lrd_document_node){ .name = LRD_STR("H"),
		.parent = LRD_NO_INDEX,
		.local = { .rotation = { 0, 0, 0, 1 }, .scale = { 1, 1, 1 } },
		.mesh = 0,
		.skin = LRD_NO_INDEX,
		.light = LRD_NO_INDEX,
		.camera = LRD_NO_INDEX };
	self->document = (lrd_document){ .meshes = &self->mesh,
		.mesh_count = 1,
		.nodes = &self->node,
		.node_count = 1,
		.default_scene = LRD_NO_INDEX,
		.memory = 1 };
}

typedef struct outcome
{
	uint32_t meshes;
	uint32_t triangles; ///< of LOD 0
	uint32_t empty;     ///< warnings of parts that were left out
	long long calls;    ///< of the allocator
	long long peak;     ///< bytes
} outcome;

/// Cook everything, each file read back by its reader, and count.
static outcome cook_counting(const lrd_document *document, const lrd_model_settings *model)
{
	lrd_settings settings = { .model = *model };
	failing_allocator memory;
	failing_allocator_init(&memory, -1);
	lrd_error error = { 0 };
	outcome result = { 0 };
	lrd_recipe_desc desc = { .root = "no-such-folder",
		.source = LRD_STR("m.glb"),
		.stem = LRD_STR("m"),
		.settings = &settings,
		.allocator = failing_allocator_get(&memory) };
	lrd_recipe *recipe = lrd_recipe_model(&desc, document, &error);
	if (recipe == NULL)
	{
		fail_msg("%s", error.message);
	}
	uint32_t count;
	const lrd_recipe_output *outputs = lrd_recipe_outputs(recipe, &count);
	for (uint32_t stage = 0; stage < 2; ++stage)
	{
		for (uint32_t i = 0; i < count; ++i)
		{
			lrd_buffer out = { .allocator = desc.allocator };
			lrd_mesh_view mesh;
			if (outputs[i].stage == stage && !lrd_recipe_make(recipe, i, &out, &error))
			{
				fail_msg("%s", error.message);
			}
			if (outputs[i].kind == LRD_MESH && out.size != 0)
			{
				assert_true(lrd_mesh_open(out.data, out.size, &mesh, &error));
				result.meshes++;
				result.triangles += mesh.lods[0].triangle_count;
			}
			lrd_buffer_free(&out);
		}
	}
	const lrd_document_warning *warnings;
	assert_true(lrd_recipe_warnings(recipe, &warnings, &count, &error));
	for (uint32_t i = 0; i < count; ++i)
	{
		result.empty += lrd_string_equal(warnings[i].kind, LRD_STR("empty-part"));
	}
	result.peak = atomic_load(&memory.bytes_peak);
	result.calls = atomic_load(&memory.calls);
	lrd_recipe_destroy(recipe);
	assert_int_equal(atomic_load(&memory.bytes_out), 0);
	return result;
}

static const float corner[] = { 0, 0, 0, 1, 0, 0, 1, 1, 0 };
static const uint32_t three[] = { 0, 1, 2 };

/// A mesh of `count` primitives of one triangle, each of a material of its own.
static outcome cook_tiny_parts(uint32_t count)
{
	lrd_document_primitive *primitives = calloc(count, sizeof *primitives);
	lrd_document_material *materials = calloc(count, sizeof *materials);
	char(*names)[12] = calloc(count, sizeof *names);
	hand_made made;
	assert_true(primitives != NULL && materials != NULL && names != NULL);
	for (uint32_t i = 0; i < count; ++i)
	{
		primitives[i] = (lrd_document_primitive){
			.material = i, .vertex_count = 3, .index_count = 3, .positions = corner, .indices = three
		};
		snprintf(names[i], sizeof names[i], "M%u", i);
		materials[i].name = lrd_string_from(names[i]);
		materials[i].params.ior = 1.5f;
		for (uint32_t slot = 0; slot < LRD_SLOT_COUNT; ++slot)
		{
			materials[i].slots[slot].texture = LRD_NO_INDEX;
		}
	}
	make_document(&made, primitives, count);
	made.document.materials = materials;
	made.document.material_count = count;
	outcome result = cook_counting(&made.document, &(lrd_model_settings){ 0 });
	free(primitives);
	free(materials);
	free(names);
	return result;
}

static void many_tiny_parts_cost_what_each_costs(void **state)
{
	(void)state;
	outcome few = cook_tiny_parts(4096);
	outcome many = cook_tiny_parts(65536);
	assert_int_equal(few.meshes, 4096);
	assert_int_equal(many.meshes, 65536);
	assert_int_equal(many.triangles, 65536);
	assert_true(many.calls < few.calls * 17);
	assert_true(many.peak < few.peak * 16 + few.peak * 4); // arrays that double may be half empty
}

static outcome cook_primitive(const lrd_document_primitive *primitive, const lrd_model_settings *settings)
{
	hand_made made;
	make_document(&made, primitive, 1);
	return cook_counting(&made.document, settings);
}

static const lrd_model_settings all_at_once = {
	.clusters = { .target_triangles = 100, .min_triangles = 10 }, .tangents = LRD_CHOICE_ON, .quantize = { .on = true }
};

static void one_triangle_is_a_mesh(void **state)
{
	(void)state;
	lrd_document_primitive primitive = {
		.material = LRD_NO_INDEX, .vertex_count = 3, .index_count = 3, .positions = corner, .indices = three
	};
	outcome result = cook_primitive(&primitive, &all_at_once);
	assert_int_equal(result.meshes, 1);
	assert_int_equal(result.triangles, 1);
}

static void a_mesh_without_area_is_left_out_whatever_its_size(void **state)
{
	(void)state;
	static const uint32_t counts[] = { 1, 2000 };
	for (size_t i = 0; i < 2; ++i)
	{
		float *positions = calloc(counts[i] * 9, sizeof *positions);
		uint32_t *indices = calloc(counts[i] * 3, sizeof *indices);
		assert_true(positions != NULL && indices != NULL);
		for (uint32_t v = 0; v < counts[i] * 3; ++v)
		{
			positions[v * 3] = (float)v; // all on one line
			indices[v] = v;
		}
		lrd_document_primitive primitive = { .material = LRD_NO_INDEX,
			.vertex_count = counts[i] * 3,
			.index_count = counts[i] * 3,
			.positions = positions,
			.indices = indices };
		outcome result = cook_primitive(&primitive, &all_at_once);
		assert_int_equal(result.meshes, 0);
		assert_int_equal(result.empty, 1);
		free(positions);
		free(indices);
	}
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

typedef struct soup
{
	lrd_document_primitive primitive;
	float positions[300 * 3];
	float normals[300 * 3];
	float uv[300 * 2];
	uint32_t indices[4000 * 3];
} soup;

/// Triangles between any three of 300 points: edges of dozens of triangles, vertices of hundreds, some several times,
/// both ways round, some without area.
static void make_soup(soup *self, uint32_t seed)
{
	*self = (soup){ 0 };
	for (uint32_t i = 0; i < 900; ++i)
	{
		self->positions[i] = (float)(next_random(&seed) % 1000) * 0.01f;
		self->normals[i] = (float)(next_random(&seed) % 3) - 1.0f; // of every length, 0 too
	}
	for (uint32_t i = 0; i < 600; ++i)
	{
		self->uv[i] = (float)(next_random(&seed) % 5) * 0.25f;
	}
	for (uint32_t i = 0; i < 12000; ++i)
	{
		self->indices[i] = next_random(&seed) % 300;
	}
	self->primitive = (lrd_document_primitive){ .material = LRD_NO_INDEX,
		.vertex_count = 300,
		.index_count = 12000,
		.positions = self->positions,
		.normals = self->normals,
		.uv = { self->uv },
		.indices = self->indices };
}

static uint32_t count_with_area(const soup *self)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < self->primitive.index_count; i += 3)
	{
		const float *a = self->positions + (size_t)3 * self->indices[i];
		const float *b = self->positions + (size_t)3 * self->indices[i + 1];
		const float *c = self->positions + (size_t)3 * self->indices[i + 2];
		double u[3], v[3];
		for (int k = 0; k < 3; ++k)
		{
			u[k] = (double)b[k] - (double)a[k];
			v[k] = (double)c[k] - (double)a[k];
		}
		double x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2], z = u[0] * v[1] - u[1] * v[0];
		count += sqrt(x * x + y * y + z * z) > 1e-5;
	}
	return count;
}

static void triangles_that_are_no_surface_are_kept_one_by_one(void **state)
{
	(void)state;
	static soup made;
	for (uint32_t seed = 1; seed <= 4; ++seed)
	{
		make_soup(&made, seed);
		lrd_model_settings settings = all_at_once;
		settings.quantize.on = false;
		outcome result = cook_primitive(&made.primitive, &settings);
		assert_int_equal(result.triangles, count_with_area(&made));
		assert_true(result.meshes > 10);
		settings = all_at_once;
		assert_true(cook_primitive(&made.primitive, &settings).triangles <= result.triangles);
		settings.clusters.cut = LRD_CHOICE_OFF;
		settings.quantize.on = false;
		assert_int_equal(cook_primitive(&made.primitive, &settings).triangles, result.triangles);
	}
}

static void positions_that_are_no_numbers_are_refused_by_the_importer(void **state)
{
	(void)state;
	static const float bad[] = { NAN, INFINITY, -INFINITY };
	for (size_t i = 0; i < 3; ++i)
	{
		float positions[9];
		memcpy(positions, corner, sizeof positions);
		positions[4] = bad[i];
		BUILD(build);
		int view = gltf_view(&build, positions, sizeof positions, 0);
		int p = gltf_accessor(&build, view, GLTF_F32, false, 3, "VEC3");
		gltf_add(&build, "meshes", "{\"name\":\"Broken\",\"primitives\":[{\"attributes\":{\"POSITION\":%d}}]}", p);
		lrd_import_desc desc = {
			.root = "no-such-folder", .path = "m.glb", .memory = gltf_finish(&build, GLTF_FORM_BINARY)
		};
		lrd_error error = { 0 };
		assert_null(lrd_import_file(&desc, &error));
		assert_int_equal(error.code, LRD_ERROR_FORMAT);
		if (strstr(error.message, "Broken") == NULL)
		{
			fail_msg("\"%s\" does not name the mesh", error.message);
		}
		gltf_end(&build);
	}
}

static void and_where_another_importer_lets_them_pass_their_triangles_go(void **state)
{
	(void)state;
	static const float positions[] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, NAN, 0, 0, INFINITY, 0, 0 };
	static const uint32_t indices[] = { 0, 1, 2, 0, 1, 3, 0, 1, 4 };
	lrd_document_primitive primitive = {
		.material = LRD_NO_INDEX, .vertex_count = 5, .index_count = 9, .positions = positions, .indices = indices
	};
	assert_int_equal(cook_primitive(&primitive, &(lrd_model_settings){ 0 }).triangles, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_tiny_parts_cost_what_each_costs),
		cmocka_unit_test(one_triangle_is_a_mesh),
		cmocka_unit_test(a_mesh_without_area_is_left_out_whatever_its_size),
		cmocka_unit_test(triangles_that_are_no_surface_are_kept_one_by_one),
		cmocka_unit_test(positions_that_are_no_numbers_are_refused_by_the_importer),
		cmocka_unit_test(and_where_another_importer_lets_them_pass_their_triangles_go),
	};
	return cmocka_run_group_tests_name("cook_model_extremes", tests, NULL, NULL);
}
