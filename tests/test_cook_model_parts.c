// Parts: what is merged and moved into model space, what keeps its node, and what is left out.

#include "cook_model.h"

#define MIRROR_X "\"scale\":[-1,1,1]"

static lrd_vec3 triangle_normal(const lrd_mesh_view *mesh, const uint32_t *corners)
{
	lrd_vec3 a = vertex_position(mesh, corners[0]);
	lrd_vec3 b = vertex_position(mesh, corners[1]);
	lrd_vec3 c = vertex_position(mesh, corners[2]);
	float u[3] = { b.x - a.x, b.y - a.y, b.z - a.z };
	float v[3] = { c.x - a.x, c.y - a.y, c.z - a.z };
	return (lrd_vec3){ u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0] };
}

static float dot(lrd_vec3 a, lrd_vec3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// Every triangle is counter-clockwise seen from where its corners' normals point.
static void check_winding(const lrd_mesh_view *mesh)
{
	uint32_t indices[96];
	uint32_t count = lrd_mesh_index_count(mesh, 0);
	assert_in_range(count, 3, 96);
	lrd_mesh_write_indices(mesh, 0, indices);
	for (uint32_t i = 0; i < count; i += 3)
	{
		lrd_vec3 facing = triangle_normal(mesh, indices + i);
		for (uint32_t corner = 0; corner < 3; ++corner)
		{
			assert_true(dot(facing, vertex_normal(mesh, indices[i + corner])) > 0.0f);
		}
	}
}

/// A triangle facing +Z whose texture's u runs along +X and v along -Y, so that the bitangent is +Y. Tangents are authored, or left to the
/// cook, which the material's normal map asks for.
static int add_framed_mesh(gltf_build *build, bool authored)
{
	static const float normals[] = { 0, 0, 1, 0, 0, 1, 0, 0, 1 };
	static const float tangents[] = { 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1 };
	static const float uv[] = { 0, 1, 1, 1, 1, 0 };
	int p = gltf_corners(build, 3);
	int n = gltf_floats(build, normals, 3, "VEC3");
	int t = gltf_floats(build, uv, 3, "VEC2");
	if (authored)
	{
		int a = gltf_floats(build, tangents, 3, "VEC4");
		return gltf_add(build, "meshes",
			"{\"name\":\"F\",\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d,\"TEXCOORD_0\":%d,"
			"\"TANGENT\":%d}}]}",
			p, n, t, a);
	}
	gltf_add(build, "images", "{\"uri\":\"data:image/png;base64,AAAA\"}"); // never decoded: only its presence counts
	gltf_add(build, "textures", "{\"source\":0}");
	int material = gltf_add(build, "materials", "{\"name\":\"M\",\"normalTexture\":{\"index\":0}}");
	return gltf_add(build, "meshes",
		"{\"name\":\"F\",\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d,\"TEXCOORD_0\":%d},"
		"\"material\":%d}]}",
		p, n, t, material);
}

static void still_nodes_of_one_material_become_one_part_in_model_space(void **state)
{
	(void)state;
	BUILD(build);
	int mesh = add_mesh(&build, "T", add_material(&build, "M"));
	gltf_add(&build, "nodes", "{\"name\":\"A\",\"mesh\":%d,\"translation\":[10,0,0]}", mesh);
	gltf_add(&build, "nodes", "{\"name\":\"B\",\"children\":[2],\"translation\":[0,0,5]}");
	gltf_add(&build, "nodes", "{\"name\":\"C\",\"mesh\":%d,\"rotation\":[0,0,1,0],\"scale\":[2,2,2]}", mesh);
	cooked model;
	cook_build(&model, &build);
	assert_int_equal(model.model.part_count, 1);
	assert_int_equal(model.model.parts[0].node, LRD_NO_INDEX);
	assert_int_equal(model.model.parts[0].flags, 0);
	assert_int_equal(model.model.node_count, 3);
	lrd_mesh_view mesh_view = cooked_mesh(&model, "part.M.lmesh");
	assert_int_equal(mesh_view.vertex_count, 6);
	assert_int_equal(mesh_view.meshlet_triangle_count, 2);
	check_vec3(vertex_position(&mesh_view, vertex_at(&mesh_view, 11, 1, 0)), 11, 1, 0);
	check_vec3(vertex_position(&mesh_view, vertex_at(&mesh_view, -2, -2, 5)), -2, -2, 5);
	check_bounds(&mesh_view.bounds, -2, -2, 0, 11, 1, 5);
	check_bounds(&model.model.bounds, -2, -2, 0, 11, 1, 5);
	check_winding(&mesh_view);
	cooked_free(&model);
}

static void a_primitive_takes_the_few_vertices_that_it_names(void **state)
{
	(void)state;
	BUILD(build);
	float positions[300];
	for (int v = 0; v < 100; ++v)
	{
		memcpy(positions + (size_t)3 * (size_t)v, (float[]){ (float)v, (float)(v * v), 0 }, 12);
	}
	static const uint16_t named[] = { 90, 5, 40, 40, 5, 0 };
	int p = gltf_floats(&build, positions, 100, "VEC3");
	int x = gltf_u16(&build, named, 6);
	gltf_add(
		&build, "meshes", "{\"name\":\"T\",\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"indices\":%d}]}", p, x);
	gltf_add(&build, "nodes", "{\"mesh\":0}");
	cooked model;
	cook_build(&model, &build);
	lrd_mesh_view mesh = cooked_mesh(&model, "part.T.lmesh");
	uint32_t indices[6];
	assert_int_equal(lrd_mesh_index_count(&mesh, 0), 6);
	lrd_mesh_write_indices(&mesh, 0, indices);
	float sums[2] = { 0 };
	for (int i = 0; i < 6; ++i)
	{
		lrd_vec3 at = vertex_position(&mesh, indices[i]);
		assert_true(at.y == at.x * at.x);
		sums[i / 3] += at.x;
	}
	assert_true(fminf(sums[0], sums[1]) == 45.0f && fmaxf(sums[0], sums[1]) == 135.0f);
	cooked_free(&model);
}

static void still_nodes_of_different_materials_stay_apart(void **state)
{
	(void)state;
	BUILD(build);
	int red = add_material(&build, "Red");
	int blue = add_material(&build, "Blue");
	int both = add_mesh_of_two(&build, "Two", red, blue);
	gltf_add(&build, "nodes", "{\"name\":\"A\",\"mesh\":%d}", both);
	gltf_add(&build, "nodes", "{\"name\":\"B\",\"mesh\":%d,\"translation\":[5,0,0]}", add_mesh(&build, "One", red));
	cooked model;
	cook_build(&model, &build);
	check_files(&model, "part.Red.lmesh part.Two.Blue.lmesh material.Red.lmat material.Blue.lmat m.lmodel");
	assert_int_equal(cooked_mesh(&model, "part.Red.lmesh").meshlet_triangle_count, 2);
	assert_int_equal(cooked_part(&model, "Red")->slot, red);
	assert_int_equal(cooked_part(&model, "A.Blue")->slot, blue);
	cooked_free(&model);
}

static void a_baked_mirror_keeps_front_faces_and_bitangents(void **state)
{
	(void)state;
	for (int authored = 0; authored < 2; ++authored)
	{
		BUILD(build);
		gltf_add(&build, "nodes", "{\"name\":\"A\",\"mesh\":%d," MIRROR_X "}", add_framed_mesh(&build, authored));
		cooked model;
		cook_build(&model, &build);
		lrd_mesh_view mesh = cooked_mesh(&model, "part.F.lmesh");
		assert_int_equal(model.model.parts[0].flags, 0);
		check_bounds(&mesh.bounds, -1, 0, 0, 0, 1, 0);
		check_winding(&mesh);
		for (uint32_t v = 0; v < mesh.vertex_count; ++v)
		{
			check_vec3(vertex_normal(&mesh, v), 0, 0, 1);
			lrd_vec4 tangent = vertex_tangent(&mesh, v);
			check_near(&tangent.x, (const float[]){ -1, 0, 0, -1 }, 4);
		}
		cooked_free(&model);
	}
}

static void without_a_mirror_tangents_are_as_authored(void **state)
{
	(void)state;
	for (int authored = 0; authored < 2; ++authored)
	{
		BUILD(build);
		gltf_add(&build, "nodes", "{\"name\":\"A\",\"mesh\":%d}", add_framed_mesh(&build, authored));
		cooked model;
		cook_build(&model, &build);
		lrd_mesh_view mesh = cooked_mesh(&model, "part.F.lmesh");
		assert_int_equal((mesh.flags & LRD_MESH_AUTHORED_TANGENTS) != 0, authored);
		lrd_vec4 tangent = vertex_tangent(&mesh, 0);
		check_near(&tangent.x, (const float[]){ 1, 0, 0, 1 }, 4);
		cooked_free(&model);
	}
}

static void a_baked_mirror_across_its_own_plane_turns_the_face_around(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "nodes", "{\"mesh\":%d,\"scale\":[1,1,-1]}", add_framed_mesh(&build, true));
	cooked model;
	cook_build(&model, &build);
	lrd_mesh_view mesh = cooked_mesh(&model, "part.F.lmesh");
	check_winding(&mesh);
	check_vec3(vertex_normal(&mesh, 0), 0, 0, -1);
	lrd_vec4 tangent = vertex_tangent(&mesh, 0);
	check_near(&tangent.x, (const float[]){ 1, 0, 0, -1 }, 4);
	cooked_free(&model);
}

static void a_mirror_that_is_not_baked_is_flagged(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "nodes", "{\"name\":\"A\",\"mesh\":%d," MIRROR_X "}", add_framed_mesh(&build, true));
	gltf_add(&build, "nodes", "{\"name\":\"Plain\",\"mesh\":0,\"children\":[2]}");
	gltf_add(&build, "nodes", "{\"name\":\"Inner\",\"mesh\":0," MIRROR_X ",\"children\":[3]}");
	gltf_add(&build, "nodes", "{\"name\":\"Twice\",\"mesh\":0," MIRROR_X "}");
	cooked model;
	cook_separate(&model, &build);
	assert_int_equal(cooked_part(&model, "A")->flags, LRD_PART_MIRRORED);
	assert_int_equal(cooked_part(&model, "Plain")->flags, 0);
	assert_int_equal(cooked_part(&model, "Inner")->flags, LRD_PART_MIRRORED);
	assert_int_equal(cooked_part(&model, "Twice")->flags, 0);
	lrd_mesh_view mesh = cooked_mesh(&model, "part.F.lmesh");
	check_winding(&mesh); // the mesh's own space, as it came
	check_bounds(&mesh.bounds, 0, 0, 0, 1, 1, 0);
	cooked_free(&model);
}

static void a_shear_is_baked_exactly(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(
		&build, "nodes", "{\"mesh\":%d,\"matrix\":[1,0,0,0, 0.5,1,0,0, 0,0,1,0, 3,0,0,1]}", add_mesh(&build, "T", -1));
	cooked model;
	cook_build(&model, &build);
	lrd_mesh_view mesh = cooked_mesh(&model, "part.T.lmesh");
	check_vec3(vertex_position(&mesh, vertex_at(&mesh, 4.5f, 1, 0)), 4.5f, 1, 0);
	check_vec3(vertex_position(&mesh, vertex_at(&mesh, 3, 0, 0)), 3, 0, 0);
	cooked_free(&model);
}

/// One mesh placed by `count` still nodes.
static void cook_placed(cooked *model, int count)
{
	BUILD(build);
	int mesh = add_mesh(&build, "T", -1);
	for (int i = 0; i < count; ++i)
	{
		gltf_add(&build, "nodes", "{\"name\":\"N%d\",\"mesh\":%d,\"translation\":[%d,0,0]}", i, mesh, i * 10);
	}
	cook_build(model, &build);
}

static void a_mesh_placed_eight_times_stays_one_with_a_part_a_node(void **state)
{
	(void)state;
	cooked model;
	cook_placed(&model, 8);
	check_files(&model, "part.T.lmesh m.lmodel");
	assert_int_equal(cooked_mesh(&model, "part.T.lmesh").meshlet_triangle_count, 1);
	assert_int_equal(model.model.part_count, 8);
	for (uint32_t i = 0; i < 8; ++i)
	{
		char name[16];
		snprintf(name, sizeof name, "N%u", i);
		const lrd_model_part *part = cooked_part(&model, name);
		check_text(&model, part->mesh, "m/part.T");
		assert_int_equal(part->node, cooked_node(&model, name));
	}
	check_bounds(&model.model.bounds, 0, 0, 0, 71, 1, 0);
	cooked_free(&model);
}

static void a_mesh_placed_seven_times_is_merged(void **state)
{
	(void)state;
	cooked model;
	cook_placed(&model, 7);
	check_files(&model, "part.default.lmesh m.lmodel");
	assert_int_equal(model.model.part_count, 1);
	assert_int_equal(cooked_mesh(&model, "part.default.lmesh").meshlet_triangle_count, 7);
	check_bounds(&model.model.bounds, 0, 0, 0, 61, 1, 0);
	cooked_free(&model);
}

static void what_moves_keeps_its_node_and_so_do_its_children(void **state)
{
	(void)state;
	BUILD(build);
	int mesh = add_mesh(&build, "T", add_material(&build, "M"));
	gltf_add(&build, "nodes", "{\"name\":\"Lid\",\"mesh\":%d,\"children\":[1],\"translation\":[0,0,1]}", mesh);
	gltf_add(&build, "nodes", "{\"name\":\"Knob\",\"mesh\":%d,\"translation\":[0,3,0]}", mesh);
	gltf_add(&build, "nodes", "{\"name\":\"Box\",\"mesh\":%d}", mesh);
	gltf_add(&build, "nodes", "{\"name\":\"Foot\",\"mesh\":%d,\"translation\":[0,-1,0]}", mesh);
	add_translation_clip(&build, "Open", 0);
	cooked model;
	cook_build(&model, &build);
	assert_int_equal(model.model.part_count, 3);
	assert_int_equal(cooked_part(&model, "Lid")->node, cooked_node(&model, "Lid"));
	assert_int_equal(cooked_part(&model, "Knob")->node, cooked_node(&model, "Knob"));
	assert_int_equal(cooked_part(&model, "M")->node, LRD_NO_INDEX); // Box and Foot
	check_text(&model, cooked_part(&model, "Lid")->mesh, "m/part.T");
	check_text(&model, cooked_part(&model, "Knob")->mesh, "m/part.T");
	assert_int_equal(model.model.nodes[cooked_node(&model, "Lid")].flags, LRD_NODE_ANIMATED);
	assert_int_equal(model.model.nodes[cooked_node(&model, "Knob")].flags, LRD_NODE_ANIMATED);
	assert_int_equal(model.model.nodes[cooked_node(&model, "Box")].flags, 0);
	lrd_mesh_view own = cooked_mesh(&model, "part.T.lmesh");
	check_bounds(&own.bounds, 0, 0, 0, 1, 1, 0); // its own space
	check_bounds(&model.model.bounds, 0, -1, 0, 1, 4, 1);
	cooked_free(&model);
}

static void separate_placement_gives_each_node_a_part_of_a_shared_mesh(void **state)
{
	(void)state;
	BUILD(build);
	int mesh = add_mesh(&build, "T", add_material(&build, "M"));
	gltf_add(&build, "nodes", "{\"name\":\"A\",\"mesh\":%d,\"translation\":[1,0,0]}", mesh);
	gltf_add(&build, "nodes", "{\"name\":\"B\",\"mesh\":%d,\"translation\":[2,0,0]}", mesh);
	gltf_add(&build, "nodes", "{\"name\":\"C\",\"mesh\":%d}", add_mesh(&build, "Other", 0));
	cooked model;
	cook_separate(&model, &build);
	check_files(&model, "part.T.lmesh part.Other.lmesh material.M.lmat m.lmodel");
	assert_int_equal(model.model.part_count, 3);
	assert_int_equal(cooked_part(&model, "A")->node, cooked_node(&model, "A"));
	assert_int_equal(cooked_part(&model, "B")->node, cooked_node(&model, "B"));
	check_text(&model, cooked_part(&model, "A")->mesh, "m/part.T");
	check_text(&model, cooked_part(&model, "B")->mesh, "m/part.T");
	check_text(&model, cooked_part(&model, "C")->mesh, "m/part.Other");
	check_bounds(&model.model.bounds, 0, 0, 0, 3, 1, 0);
	cooked_free(&model);
}

static void separate_placement_merges_one_meshs_primitives_of_one_material(void **state)
{
	(void)state;
	BUILD(build);
	int red = add_material(&build, "Red");
	int mesh = add_mesh_of_two(&build, "T", red, red);
	gltf_add(&build, "nodes", "{\"name\":\"A\",\"mesh\":%d}", mesh);
	gltf_add(&build, "nodes", "{\"name\":\"B\",\"mesh\":%d}", mesh);
	cooked model;
	cook_separate(&model, &build);
	check_files(&model, "part.T.lmesh material.Red.lmat m.lmodel");
	assert_int_equal(cooked_mesh(&model, "part.T.lmesh").meshlet_triangle_count, 2);
	assert_int_equal(model.model.part_count, 2);
	cooked_free(&model);
}

/// A node "Rocks" at z = 4 that instances a mesh `count` times along x.
static void cook_instanced(cooked *model, int count)
{
	BUILD(build);
	float offsets[8 * 3] = { 0 };
	for (int i = 0; i < count; ++i)
	{
		offsets[i * 3] = (float)(i * 10);
	}
	int translations = gltf_floats(&build, offsets, count, "VEC3");
	gltf_member(&build, "\"extensionsUsed\":[\"EXT_mesh_gpu_instancing\"]");
	gltf_add(&build, "nodes",
		"{\"name\":\"Rocks\",\"mesh\":%d,\"translation\":[0,0,4],\"extensions\":{\"EXT_mesh_gpu_instancing\":{"
		"\"attributes\":{\"TRANSLATION\":%d}}}}",
		add_mesh(&build, "Rock", -1), translations);
	cook_build(model, &build);
}

static void eight_instances_are_eight_nodes_with_a_part_each(void **state)
{
	(void)state;
	cooked model;
	cook_instanced(&model, 8);
	check_files(&model, "part.Rock.lmesh m.lmodel");
	assert_int_equal(model.model.node_count, 9);
	assert_int_equal(model.model.part_count, 8); // the node that instances is not drawn itself
	for (uint32_t i = 0; i < 8; ++i)
	{
		const lrd_model_part *part = &model.model.parts[i];
		const lrd_model_node *node = &model.model.nodes[part->node];
		assert_int_equal(node->parent, 0);
		check_text(&model, part->name, "Rocks");
		assert_float_equal(node->translation[0], (float)(i * 10), 0);
	}
	check_bounds(&model.model.bounds, 0, 0, 4, 71, 1, 4);
	cooked_free(&model);
}

static void few_still_instances_are_merged(void **state)
{
	(void)state;
	cooked model;
	cook_instanced(&model, 3);
	check_files(&model, "part.default.lmesh m.lmodel");
	assert_int_equal(model.model.part_count, 1);
	assert_int_equal(cooked_mesh(&model, "part.default.lmesh").meshlet_triangle_count, 3);
	check_bounds(&model.model.bounds, 0, 0, 4, 21, 1, 4);
	cooked_free(&model);
}

/// Two nodes with one mesh of glass, the second with a scale and a rotation, and a third with the same scale and nothing of glass.
static void cook_glass(cooked *model, const char *scale, double thickness)
{
	BUILD(build);
	gltf_add(&build, "materials",
		"{\"name\":\"Glass\",\"extensions\":{\"KHR_materials_volume\":{\"thicknessFactor\":%g}}}", thickness);
	int glass = add_mesh(&build, "Pane", 0);
	int stone = add_mesh(&build, "Block", add_material(&build, "Stone"));
	gltf_add(&build, "extensionsUsed", "\"KHR_materials_volume\"");
	gltf_add(&build, "nodes", "{\"name\":\"A\",\"mesh\":%d,\"translation\":[5,0,0]}", glass);
	gltf_add(&build, "nodes", "{\"name\":\"B\",\"mesh\":%d,\"rotation\":[0,0,0.6,0.8],\"scale\":%s}", glass, scale);
	gltf_add(&build, "nodes", "{\"name\":\"C\",\"mesh\":%d,\"scale\":%s}", stone, scale);
	cook_build(model, &build);
}

static void a_volume_keeps_the_node_that_scales_its_thickness(void **state)
{
	(void)state;
	cooked model;
	cook_glass(&model, "[1,1,0.25]", 0.5);
	assert_int_equal(model.model.part_count, 3);
	assert_int_equal(cooked_part(&model, "A")->node, LRD_NO_INDEX);
	assert_int_equal(cooked_part(&model, "B")->node, 1);
	assert_int_equal(cooked_part(&model, "C")->node, LRD_NO_INDEX); // no volume
	lrd_mesh_view own = cooked_mesh(&model, "part.Pane.2.lmesh");
	check_bounds(&own.bounds, 0, 0, 0, 1, 1, 0);
	cooked_free(&model);
}

static void a_volume_that_is_only_moved_and_mirrored_is_merged(void **state)
{
	(void)state;
	cooked model;
	cook_glass(&model, "[1,-1,1]", 0.5);
	check_files(&model, "part.Glass.lmesh part.Block.lmesh material.Glass.lmat material.Stone.lmat m.lmodel");
	cooked_free(&model);
}

static void a_surface_without_thickness_is_merged_whatever_its_scale(void **state)
{
	(void)state;
	cooked model;
	cook_glass(&model, "[1,1,0.25]", 0);
	check_files(&model, "part.Glass.lmesh part.Block.lmesh material.Glass.lmat material.Stone.lmat m.lmodel");
	cooked_free(&model);
}

static void a_double_sided_or_masked_materials_part_says_so(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "materials", "{\"name\":\"Leaf\",\"doubleSided\":true,\"alphaMode\":\"MASK\"}");
	gltf_add(&build, "materials", "{\"name\":\"Bark\"}");
	gltf_add(&build, "nodes", "{\"mesh\":%d}", add_mesh_of_two(&build, "Tree", 0, 1));
	cooked model;
	cook_build(&model, &build);
	assert_int_equal(cooked_mesh(&model, "part.Tree.Leaf.lmesh").flags, LRD_MESH_DOUBLE_SIDED | LRD_MESH_ALPHA_MASKED);
	assert_int_equal(cooked_mesh(&model, "part.Tree.Bark.lmesh").flags, 0);
	cooked_free(&model);
}

static void a_part_without_a_triangle_that_has_an_area_is_left_out_with_a_warning(void **state)
{
	(void)state;
	BUILD(build);
	static const float line[] = { 0, 0, 0, 1, 0, 0, 2, 0, 0 };
	add_material(&build, "Flat");
	add_material(&build, "Solid");
	int mesh = gltf_add(&build, "meshes",
		"{\"name\":\"Line\",\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"material\":0}]}",
		gltf_floats(&build, line, 3, "VEC3"));
	gltf_add(&build, "nodes", "{\"name\":\"A\",\"mesh\":%d}", mesh);
	gltf_add(&build, "nodes", "{\"name\":\"B\",\"mesh\":%d}", add_mesh(&build, "Real", 1));
	cooked model;
	cook_build(&model, &build);
	check_files(&model, "part.Real.lmesh material.Flat.lmat material.Solid.lmat m.lmodel");
	assert_int_equal(model.model.part_count, 1);
	check_text(&model, model.model.parts[0].name, "B");
	assert_int_equal(model.model.parts[0].slot, 1);
	check_cook_warning(&model, "empty-part", "m/part.Line");
	assert_int_equal(check_cook_warning(&model, "degenerate-triangles", "m/part.Line")->count, 1);
	check_bounds(&model.model.bounds, 0, 0, 0, 1, 1, 0);
	cooked_free(&model);
}

static void what_scales_take_beyond_floats_is_told_from_what_has_no_area(void **state)
{
	(void)state;
	static const float near_and_far[] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1e10f, 0, 0, 0, 1e10f, 0, 2, 2, 2, 2, 2,
		2, 2, 2, 2 };
	BUILD(build);
	int mesh = gltf_add(&build, "meshes", "{\"name\":\"Far\",\"primitives\":[{\"attributes\":{\"POSITION\":%d}}]}",
		gltf_floats(&build, near_and_far, 9, "VEC3"));
	gltf_add(&build, "nodes", "{\"mesh\":%d,\"scale\":[1e30,1e30,1e30]}", mesh);
	cooked model;
	cook_build(&model, &build);
	const lrd_mesh_report *report = cooked_report(&model, "part.Far.lmesh");
	assert_int_equal(report->triangles_before, 3);
	assert_int_equal(report->triangles, 1);
	assert_int_equal(report->overflowed, 1);
	assert_int_equal(report->degenerate, 1);
	assert_int_equal(check_cook_warning(&model, "positions-overflow", "m/part.Far: 1 triangle")->count, 1);
	assert_int_equal(check_cook_warning(&model, "degenerate-triangles", "m/part.Far: 1 triangle")->count, 1);
	cooked_free(&model);
}

static void a_node_scaled_to_nothing_leaves_its_part_out(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "nodes", "{\"mesh\":%d,\"scale\":[0,0,0]}", add_mesh(&build, "T", -1));
	cooked model;
	cook_build(&model, &build);
	check_files(&model, "m.lmodel");
	assert_int_equal(model.model.part_count, 0);
	check_bounds(&model.model.bounds, 0, 0, 0, 0, 0, 0);
	cooked_free(&model);
}

static void a_mesh_of_points_alone_gives_no_part(void **state)
{
	(void)state;
	BUILD(build);
	int mesh = gltf_add(&build, "meshes",
		"{\"name\":\"P\",\"primitives\":[{\"mode\":0,\"attributes\":{\"POSITION\":%d}}]}", gltf_corners(&build, 3));
	gltf_add(&build, "nodes", "{\"name\":\"A\",\"mesh\":%d}", mesh);
	cooked model;
	cook_build(&model, &build);
	check_files(&model, "m.lmodel");
	assert_int_equal(model.model.node_count, 1);
	assert_int_equal(model.model.part_count, 0);
	cooked_free(&model);
}

static void missing_normals_are_computed_flat_and_said_to_be(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "nodes", "{\"mesh\":%d}", add_mesh(&build, "T", -1));
	cooked model;
	cook_build(&model, &build);
	lrd_mesh_view mesh = cooked_mesh(&model, "part.T.lmesh");
	check_vec3(vertex_normal(&mesh, 0), 0, 0, 1);
	check_cook_warning(&model, "normals-computed", "m/part.T: 1 primitive has");
	cooked_free(&model);
}

static void only_the_default_scene_is_drawn_and_a_warning_says_so(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "nodes", "{\"name\":\"Here\",\"mesh\":%d}", add_mesh(&build, "A", -1));
	gltf_add(&build, "nodes", "{\"name\":\"There\",\"children\":[2]}");
	gltf_add(&build, "nodes", "{\"name\":\"Below\",\"mesh\":%d}", add_mesh(&build, "B", -1));
	gltf_add(&build, "scenes", "{\"name\":\"One\",\"nodes\":[1]}");
	gltf_add(&build, "scenes", "{\"name\":\"Two\",\"nodes\":[0]}");
	gltf_member(&build, "\"scene\":1");
	cooked model;
	cook_build(&model, &build);
	check_files(&model, "part.A.lmesh m.lmodel");
	check_cook_warning(&model, "scenes", "2 scenes; \"Two\" is cooked");
	assert_int_equal(model.model.node_count, 3); // clips may name any node
	cooked_free(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(still_nodes_of_one_material_become_one_part_in_model_space),
		cmocka_unit_test(a_primitive_takes_the_few_vertices_that_it_names),
		cmocka_unit_test(still_nodes_of_different_materials_stay_apart),
		cmocka_unit_test(a_baked_mirror_keeps_front_faces_and_bitangents),
		cmocka_unit_test(without_a_mirror_tangents_are_as_authored),
		cmocka_unit_test(a_baked_mirror_across_its_own_plane_turns_the_face_around),
		cmocka_unit_test(a_mirror_that_is_not_baked_is_flagged),
		cmocka_unit_test(a_shear_is_baked_exactly),
		cmocka_unit_test(a_mesh_placed_eight_times_stays_one_with_a_part_a_node),
		cmocka_unit_test(a_mesh_placed_seven_times_is_merged),
		cmocka_unit_test(what_moves_keeps_its_node_and_so_do_its_children),
		cmocka_unit_test(separate_placement_gives_each_node_a_part_of_a_shared_mesh),
		cmocka_unit_test(separate_placement_merges_one_meshs_primitives_of_one_material),
		cmocka_unit_test(eight_instances_are_eight_nodes_with_a_part_each),
		cmocka_unit_test(few_still_instances_are_merged),
		cmocka_unit_test(a_volume_keeps_the_node_that_scales_its_thickness),
		cmocka_unit_test(a_volume_that_is_only_moved_and_mirrored_is_merged),
		cmocka_unit_test(a_surface_without_thickness_is_merged_whatever_its_scale),
		cmocka_unit_test(a_double_sided_or_masked_materials_part_says_so),
		cmocka_unit_test(a_part_without_a_triangle_that_has_an_area_is_left_out_with_a_warning),
		cmocka_unit_test(what_scales_take_beyond_floats_is_told_from_what_has_no_area),
		cmocka_unit_test(a_node_scaled_to_nothing_leaves_its_part_out),
		cmocka_unit_test(a_mesh_of_points_alone_gives_no_part),
		cmocka_unit_test(missing_normals_are_computed_flat_and_said_to_be),
		cmocka_unit_test(only_the_default_scene_is_drawn_and_a_warning_says_so),
	};
	return cmocka_run_group_tests_name("cook_model_parts", tests, NULL, NULL);
}
