// Editable placement: a part for each primitive, and a template that places them as actors.

#include "cook_model.h"

#include "base/maths.h"

static const lrd_model_settings editable = { .placement = LRD_PLACEMENT_EDITABLE };

static const lrd_model_actor *cooked_actor(const cooked *self, const char *name)
{
	for (uint32_t i = 0; i < self->model.actor_count; ++i)
	{
		if (lrd_string_equal(lrd_model_text(&self->model, self->model.actors[i].name), lrd_string_from(name)))
		{
			return &self->model.actors[i];
		}
	}
	fail_msg("there is no actor \"%s\"", name);
	return NULL;
}

static void check_parent(const cooked *self, const char *name, const char *parent)
{
	const lrd_model_actor *actor = cooked_actor(self, name);
	if (parent == NULL)
	{
		assert_int_equal(actor->parent, -1);
		return;
	}
	assert_int_equal(actor->parent, cooked_actor(self, parent) - self->model.actors);
}

static void every_node_that_draws_is_an_actor_with_its_part(void **state)
{
	(void)state;
	BUILD(build);
	int mesh = add_mesh(&build, "T", add_material(&build, "M"));
	int other = add_mesh(&build, "Other", 0);
	gltf_add(&build, "nodes", "{\"name\":\"House\",\"mesh\":%d,\"children\":[1],\"translation\":[1,2,3]}", mesh);
	gltf_add(&build, "nodes", "{\"name\":\"Door\",\"mesh\":%d,\"rotation\":[0,1,0,0],\"scale\":[2,3,4]}", other);
	gltf_add(&build, "nodes", "{\"name\":\"Shed\",\"mesh\":%d}", mesh);
	cooked model;
	cook_as(&model, &build, &editable);
	check_files(&model, "part.T.lmesh part.Other.lmesh material.M.lmat m.lmodel");
	assert_int_equal(model.model.part_count, 3);
	assert_int_equal(model.model.actor_count, 3);
	check_parent(&model, "House", NULL);
	check_parent(&model, "Door", "House");
	check_parent(&model, "Shed", NULL);
	const lrd_model_actor *house = cooked_actor(&model, "House");
	const lrd_model_actor *door = cooked_actor(&model, "Door");
	check_near(house->translation, (const float[]){ 1, 2, 3, 0, 0, 0, 1, 1, 1, 1 }, 10);
	check_near(door->translation, (const float[]){ 0, 0, 0, 0, 1, 0, 0, 2, 3, 4 }, 10);
	check_text(&model, model.model.parts[house->part].mesh, "m/part.T");
	check_text(&model, model.model.parts[door->part].mesh, "m/part.Other");
	check_text(&model, model.model.parts[cooked_actor(&model, "Shed")->part].mesh, "m/part.T");
	assert_int_not_equal(house->part, cooked_actor(&model, "Shed")->part);
	assert_int_equal(model.model.parts[door->part].node, cooked_node(&model, "Door"));
	lrd_mesh_view view = cooked_mesh(&model, "part.T.lmesh");
	check_bounds(&view.bounds, 0, 0, 0, 1, 1, 0); // its own space
	cooked_free(&model);
}

static void primitives_of_one_mesh_are_actors_under_their_node(void **state)
{
	(void)state;
	BUILD(build);
	int red = add_material(&build, "Red");
	int mesh = add_mesh_of_two(&build, "T", red, add_material(&build, "Blue"));
	gltf_add(&build, "nodes", "{\"name\":\"A\",\"mesh\":%d,\"translation\":[5,0,0]}", mesh);
	cooked model;
	cook_as(&model, &build, &editable);
	check_files(&model, "part.T.Red.lmesh part.T.Blue.lmesh material.Red.lmat material.Blue.lmat m.lmodel");
	assert_int_equal(model.model.actor_count, 3);
	assert_int_equal(cooked_actor(&model, "A")->part, LRD_NO_INDEX);
	check_parent(&model, "A.Red", "A");
	check_parent(&model, "A.Blue", "A");
	const lrd_model_actor *second = cooked_actor(&model, "A.Blue");
	check_near(second->translation, (const float[]){ 0, 0, 0, 0, 0, 0, 1, 1, 1, 1 }, 10);
	check_text(&model, model.model.parts[second->part].name, "A.Blue");
	cooked_free(&model);
}

static void primitives_of_one_material_stay_apart(void **state)
{
	(void)state;
	BUILD(build);
	int red = add_material(&build, "Red");
	gltf_add(&build, "nodes", "{\"name\":\"A\",\"mesh\":%d}", add_mesh_of_two(&build, "T", red, red));
	cooked model;
	cook_as(&model, &build, &editable);
	check_files(&model, "part.T.Red.lmesh part.T.Red.2.lmesh material.Red.lmat m.lmodel");
	assert_int_equal(model.model.part_count, 2);
	assert_int_equal(model.model.actor_count, 3);
	cooked_free(&model);
}

static void empties_stay_where_something_is_below_them(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "nodes", "{\"name\":\"Root\",\"children\":[1,3],\"translation\":[0,0,1]}");
	gltf_add(&build, "nodes", "{\"name\":\"Group\",\"children\":[2],\"translation\":[0,1,0]}");
	gltf_add(&build, "nodes", "{\"name\":\"Leaf\",\"mesh\":%d}", add_mesh(&build, "T", -1));
	gltf_add(&build, "nodes", "{\"name\":\"Marker\",\"children\":[4]}");
	gltf_add(&build, "nodes", "{\"name\":\"Below\"}");
	cooked model;
	cook_as(&model, &build, &editable);
	assert_int_equal(model.model.actor_count, 3);
	assert_int_equal(model.model.node_count, 5);
	assert_int_equal(cooked_actor(&model, "Group")->part, LRD_NO_INDEX);
	check_parent(&model, "Group", "Root");
	check_parent(&model, "Leaf", "Group");
	check_near(cooked_actor(&model, "Group")->translation, (const float[]){ 0, 1, 0 }, 3);
	cooked_free(&model);
}

static void a_part_without_area_leaves_no_actor(void **state)
{
	(void)state;
	static const float line[] = { 0, 0, 0, 1, 0, 0, 2, 0, 0 };
	BUILD(build);
	int p = gltf_floats(&build, line, 3, "VEC3");
	gltf_add(&build, "meshes", "{\"primitives\":[{\"attributes\":{\"POSITION\":%d}}]}", p);
	gltf_add(&build, "nodes", "{\"name\":\"Line\",\"mesh\":0}");
	gltf_add(&build, "nodes", "{\"name\":\"T\",\"mesh\":%d}", add_mesh(&build, "T", -1));
	cooked model;
	cook_as(&model, &build, &editable);
	assert_int_equal(model.model.actor_count, 1);
	assert_int_equal(cooked_actor(&model, "T")->part, 0);
	cooked_free(&model);
}

static void instances_are_actors_under_the_node_that_places_them(void **state)
{
	(void)state;
	static const float offsets[] = { 0, 0, 0, 10, 0, 0, 20, 0, 0 };
	BUILD(build);
	int translations = gltf_floats(&build, offsets, 3, "VEC3");
	gltf_member(&build, "\"extensionsUsed\":[\"EXT_mesh_gpu_instancing\"]");
	gltf_add(&build, "nodes",
		"{\"name\":\"Rocks\",\"mesh\":%d,\"translation\":[0,0,4],\"extensions\":{\"EXT_mesh_gpu_instancing\":{"
		"\"attributes\":{\"TRANSLATION\":%d}}}}",
		add_mesh(&build, "Rock", -1), translations);
	cooked model;
	cook_as(&model, &build, &editable);
	check_files(&model, "part.Rock.lmesh m.lmodel");
	assert_int_equal(model.model.actor_count, 4);
	assert_int_equal(model.model.actors[0].part, LRD_NO_INDEX);
	check_near(model.model.actors[0].translation, (const float[]){ 0, 0, 4 }, 3);
	for (uint32_t i = 1; i < 4; ++i)
	{
		assert_int_equal(model.model.actors[i].parent, 0);
		assert_int_equal(model.model.actors[i].part, i - 1);
		check_near(model.model.actors[i].translation, offsets + (size_t)(i - 1) * 3, 3);
	}
	cooked_free(&model);
}

static void a_mirrored_node_is_a_mirrored_actor_whose_part_says_so(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "nodes", "{\"name\":\"A\",\"mesh\":%d,\"scale\":[-1,1,1]}", add_mesh(&build, "T", -1));
	cooked model;
	cook_as(&model, &build, &editable);
	const lrd_model_actor *actor = cooked_actor(&model, "A");
	check_near(actor->scale, (const float[]){ -1, 1, 1 }, 3);
	assert_int_equal(model.model.parts[actor->part].flags, LRD_PART_MIRRORED);
	cooked_free(&model);
}

static void a_source_with_skins_is_merged_and_says_so(void **state)
{
	(void)state;
	static const float weights[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
	static const uint8_t joints[12];
	BUILD(build);
	int p = gltf_corners(&build, 3);
	int w = gltf_floats(&build, weights, 3, "VEC4");
	int j = gltf_accessor(&build, gltf_view(&build, joints, sizeof joints, 0), GLTF_U8, false, 3, "VEC4");
	int still = add_mesh(&build, "T", -1);
	gltf_add(&build, "meshes",
		"{\"name\":\"S\",\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"JOINTS_0\":%d,\"WEIGHTS_0\":%d}}]}", p, j,
		w);
	gltf_add(&build, "nodes", "{\"name\":\"Bone\"}");
	gltf_add(&build, "nodes", "{\"name\":\"A\",\"mesh\":1,\"skin\":0}");
	gltf_add(&build, "nodes", "{\"name\":\"B\",\"mesh\":%d,\"translation\":[3,0,0]}", still);
	gltf_add(&build, "nodes", "{\"name\":\"C\",\"mesh\":%d}", still);
	gltf_add(&build, "skins", "{\"joints\":[0]}");
	cooked model;
	cook_as(&model, &build, &editable);
	check_cook_warning(&model, "editable-skinned", "1 primitive is skinned; it is merged instead");
	assert_int_equal(model.model.actor_count, 0);
	assert_int_equal(model.model.part_count, 2); // B and C are one
	lrd_mesh_view merged = cooked_mesh(&model, "part.default.lmesh");
	check_bounds(&merged.bounds, 0, 0, 0, 4, 1, 0);
	cooked_free(&model);
}

static void other_placements_have_no_template(void **state)
{
	(void)state;
	static const lrd_placement placements[] = { LRD_PLACEMENT_MERGED, LRD_PLACEMENT_SEPARATE };
	for (size_t i = 0; i < 2; ++i)
	{
		BUILD(build);
		gltf_add(&build, "nodes", "{\"mesh\":%d}", add_mesh(&build, "T", -1));
		cooked model;
		cook_as(&model, &build, &(lrd_model_settings){ .placement = placements[i] });
		assert_int_equal(model.model.actor_count, 0);
		cooked_free(&model);
	}
}

// Any hierarchy: composed again, the actors stand where the nodes stood.

static uint32_t random_state;

static float random_between(float low, float high)
{
	random_state = random_state * 1664525u + 1013904223u;
	return low + (high - low) * (float)(random_state >> 8) / 16777216.0f;
}

static void add_random_node(gltf_build *build, int index, int mesh, const char *children)
{
	lrd_vec4 q = { random_between(-1, 1), random_between(-1, 1), random_between(-1, 1), random_between(-1, 1) };
	q = lrd_quat_normalize(q);
	float flip = random_between(0, 1) < 0.3f ? -1.0f : 1.0f;
	char draws[32] = "";
	if (mesh >= 0)
	{
		snprintf(draws, sizeof draws, ",\"mesh\":%d", mesh);
	}
	gltf_add(build, "nodes",
		"{\"name\":\"N%d\"%s%s,\"translation\":[%.7g,%.7g,%.7g],\"rotation\":[%.9g,%.9g,%.9g,%.9g],\"scale\":[%.7g,%."
		"7g,%.7g]}",
		index, draws, children, (double)random_between(-5, 5), (double)random_between(-5, 5),
		(double)random_between(-5, 5), (double)q.x, (double)q.y, (double)q.z, (double)q.w,
		(double)(flip * random_between(0.5f, 2)), (double)random_between(0.5f, 2), (double)random_between(0.5f, 2));
}

static lrd_mat4 local_matrix(const float *translation, const float *rotation, const float *scale)
{
	lrd_transform local;
	memcpy(&local.translation, translation, 12);
	memcpy(&local.rotation, rotation, 16);
	memcpy(&local.scale, scale, 12);
	return lrd_mat4_from_transform(&local);
}

static lrd_mat4 actor_matrix(const lrd_model_view *model, int32_t actor)
{
	lrd_mat4 matrix = lrd_mat4_identity();
	for (; actor >= 0; actor = model->actors[actor].parent)
	{
		const lrd_model_actor *row = &model->actors[actor];
		lrd_mat4 local = local_matrix(row->translation, row->rotation, row->scale);
		matrix = lrd_mat4_mul(&local, &matrix);
	}
	return matrix;
}

static lrd_mat4 source_matrix(const lrd_document *document, uint32_t node)
{
	lrd_mat4 matrix = lrd_mat4_identity();
	for (; node != LRD_NO_INDEX; node = document->nodes[node].parent)
	{
		lrd_mat4 local = lrd_mat4_from_transform(&document->nodes[node].local);
		matrix = lrd_mat4_mul(&local, &matrix);
	}
	return matrix;
}

static uint32_t source_node(const lrd_document *document, lrd_string name)
{
	for (uint32_t n = 0; n < document->node_count; ++n)
	{
		lrd_string own = document->nodes[n].name;
		if (own.size <= name.size && memcmp(own.data, name.data, own.size) == 0 &&
			(own.size == name.size || name.data[own.size] == '.'))
		{
			return n;
		}
	}
	fail_msg("the source has no node %.*s", LRD_STR_ARG(name));
	return LRD_NO_INDEX;
}

static void actors_composed_stand_where_the_source_had_them(void **state)
{
	(void)state;
	for (uint32_t seed = 1; seed <= 20; ++seed)
	{
		random_state = seed;
		BUILD(build);
		int one = add_mesh(&build, "One", add_material(&build, "Red"));
		int two = add_mesh_of_two(&build, "Two", 0, add_material(&build, "Blue"));
		// 0 over 1 and 2, 1 over 3 and 4, 2 over 5 and 6
		for (int n = 0; n < 7; ++n)
		{
			char children[32] = "";
			if (n < 3)
			{
				snprintf(children, sizeof children, ",\"children\":[%d,%d]", 2 * n + 1, 2 * n + 2);
			}
			add_random_node(&build, n, n == 0 ? -1 : random_between(0, 1) < 0.4f ? two : one, children);
		}
		cooked model;
		cook_as(&model, &build, &editable);
		uint32_t placed = 0;
		for (uint32_t a = 0; a < model.model.actor_count; ++a)
		{
			const lrd_model_actor *actor = &model.model.actors[a];
			if (actor->part == LRD_NO_INDEX)
			{
				continue;
			}
			lrd_string name = lrd_model_text(&model.model, model.model.parts[actor->part].name);
			lrd_mat4 found = actor_matrix(&model.model, (int32_t)a);
			lrd_mat4 expected = source_matrix(model.document, source_node(model.document, name));
			for (int i = 0; i < 16; ++i)
			{
				assert_float_equal(found.m[i], expected.m[i], 1e-4f);
			}
			placed++;
		}
		assert_int_equal(placed, model.model.part_count);
		assert_true(placed >= 6);
		cooked_free(&model);
	}
}

static void a_scale_reaches_the_actors(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "nodes", "{\"name\":\"A\",\"mesh\":%d,\"translation\":[1,2,3],\"scale\":[2,2,2]}",
		add_mesh(&build, "T", -1));
	cooked model;
	cook_as(&model, &build, &(lrd_model_settings){ .placement = LRD_PLACEMENT_EDITABLE, .scale = 0.5f });
	const lrd_model_actor *actor = cooked_actor(&model, "A");
	check_near(actor->translation, (const float[]){ 0.5f, 1, 1.5f, 0, 0, 0, 1, 2, 2, 2 }, 10);
	lrd_mesh_view view = cooked_mesh(&model, "part.T.lmesh");
	check_bounds(&view.bounds, 0, 0, 0, 0.5f, 0.5f, 0);
	check_bounds(&model.model.bounds, 0.5f, 1, 1.5f, 1.5f, 2, 1.5f);
	cooked_free(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_node_that_draws_is_an_actor_with_its_part),
		cmocka_unit_test(primitives_of_one_mesh_are_actors_under_their_node),
		cmocka_unit_test(primitives_of_one_material_stay_apart),
		cmocka_unit_test(empties_stay_where_something_is_below_them),
		cmocka_unit_test(a_part_without_area_leaves_no_actor),
		cmocka_unit_test(instances_are_actors_under_the_node_that_places_them),
		cmocka_unit_test(a_mirrored_node_is_a_mirrored_actor_whose_part_says_so),
		cmocka_unit_test(a_source_with_skins_is_merged_and_says_so),
		cmocka_unit_test(other_placements_have_no_template),
		cmocka_unit_test(actors_composed_stand_where_the_source_had_them),
		cmocka_unit_test(a_scale_reaches_the_actors),
	};
	return cmocka_run_group_tests_name("cook_model_placement", tests, NULL, NULL);
}
