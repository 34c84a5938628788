// Skins: joints in any order, with nodes between and above them, as skeletons; and vertices that follow the right ones.

#include "cook_model.h"

/// A triangle with corner i bound wholly to joint `joints[i]` of the skin.
static int add_bound_mesh(gltf_build *build, const char *name, const uint16_t joints[3], int material)
{
	static const float weights[] = { 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0 };
	uint16_t rows[12] = { [0] = joints[0], [4] = joints[1], [8] = joints[2] };
	char text[64] = "";
	int p = gltf_corners(build, 3);
	int w = gltf_floats(build, weights, 3, "VEC4");
	int j = gltf_accessor(build, gltf_view(build, rows, sizeof rows, 0), GLTF_U16, false, 3, "VEC4");
	if (material >= 0)
	{
		snprintf(text, sizeof text, ",\"material\":%d", material);
	}
	return gltf_add(build, "meshes",
		"{\"name\":\"%s\",\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"JOINTS_0\":%d,\"WEIGHTS_0\":%d}%s}]}",
		name, p, j, w, text);
}

static int add_binds(gltf_build *build, const float (*translations)[3], int count)
{
	float matrices[4][16] = { 0 };
	for (int i = 0; i < count; ++i)
	{
		matrices[i][0] = matrices[i][5] = matrices[i][10] = matrices[i][15] = 1.0f;
		memcpy(&matrices[i][12], translations[i], 3 * sizeof(float));
	}
	return gltf_floats(build, matrices[0], count, "MAT4");
}

/// The joint that has most of a vertex.
static uint32_t vertex_joint(const lrd_mesh_view *mesh, uint32_t vertex)
{
	const lrd_vertex_attribute *attribute = lrd_mesh_attribute(mesh, LRD_VERTEX_JOINTS);
	const void *data = vertex_data(mesh, LRD_VERTEX_JOINTS, vertex);
	uint16_t wide;
	memcpy(&wide, data, sizeof wide);
	return attribute->format == LRD_FORMAT_UINT16X4 ? wide : *(const uint8_t *)data;
}

static void check_joint(const lrd_skeleton_view *skeleton, uint32_t joint, const char *name, int parent)
{
	check_string(lrd_skeleton_joint_name(skeleton, joint), name);
	assert_int_equal(skeleton->joints[joint].parent, parent);
}

static void check_identity(const lrd_mat4 *matrix)
{
	static const float identity[16] = { [0] = 1, [5] = 1, [10] = 1, [15] = 1 };
	check_near(matrix->m, identity, 16);
}

static lrd_vec3 move(const lrd_mat4 *m, lrd_vec3 p)
{
	return (lrd_vec3){
		m->m[0] * p.x + m->m[4] * p.y + m->m[8] * p.z + m->m[12],
		m->m[1] * p.x + m->m[5] * p.y + m->m[9] * p.z + m->m[13],
		m->m[2] * p.x + m->m[6] * p.y + m->m[10] * p.z + m->m[14],
	};
}

static void joints_in_any_order_become_parents_first_and_vertices_follow(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "nodes", "{\"name\":\"Tip\",\"translation\":[0,1,0]}");
	gltf_add(&build, "nodes", "{\"name\":\"Root\",\"children\":[2]}");
	gltf_add(&build, "nodes", "{\"name\":\"Mid\",\"children\":[0],\"translation\":[0,2,0]}");
	const uint16_t joints[3] = { 0, 1, 2 };
	gltf_add(&build, "nodes", "{\"name\":\"Fox\",\"mesh\":%d,\"skin\":0}", add_bound_mesh(&build, "Fox", joints, -1));
	static const float binds[3][3] = { { 0, 0, 1 }, { 0, 0, 2 }, { 0, 0, 3 } };
	gltf_add(&build, "skins", "{\"name\":\"Rig\",\"joints\":[0,1,2],\"inverseBindMatrices\":%d}",
		add_binds(&build, binds, 3));
	cooked model;
	cook_build(&model, &build);
	check_files(&model, "part.Fox.lmesh skeleton.Rig.lskel m.lmodel");
	lrd_skeleton_view skeleton = cooked_skeleton(&model, "skeleton.Rig.lskel");
	assert_int_equal(skeleton.joint_count, 3);
	check_joint(&skeleton, 0, "Root", -1);
	check_joint(&skeleton, 1, "Mid", 0);
	check_joint(&skeleton, 2, "Tip", 1);
	assert_float_equal(skeleton.joints[0].inverse_bind[14], 2, 0); // each bind matrix went with its joint
	assert_float_equal(skeleton.joints[1].inverse_bind[14], 3, 0);
	assert_float_equal(skeleton.joints[2].inverse_bind[14], 1, 0);
	check_near(skeleton.joints[1].translation, (const float[]){ 0, 2, 0 }, 3);
	lrd_mesh_view mesh = cooked_mesh(&model, "part.Fox.lmesh");
	assert_int_equal(mesh.flags, LRD_MESH_SKINNED);
	assert_int_equal(vertex_joint(&mesh, vertex_at(&mesh, 0, 0, 0)), 2);
	assert_int_equal(vertex_joint(&mesh, vertex_at(&mesh, 1, 0, 0)), 0);
	assert_int_equal(vertex_joint(&mesh, vertex_at(&mesh, 1, 1, 0)), 1);
	cooked_free(&model);
}

static void the_model_knows_the_node_of_each_joint(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "nodes", "{\"name\":\"Fox\",\"mesh\":0,\"skin\":0}");
	gltf_add(&build, "nodes", "{\"name\":\"Root\",\"children\":[2]}");
	gltf_add(&build, "nodes", "{\"name\":\"Tip\"}");
	const uint16_t joints[3] = { 0, 1, 1 };
	add_bound_mesh(&build, "Fox", joints, -1);
	gltf_add(&build, "skins", "{\"name\":\"Rig\",\"joints\":[2,1]}");
	cooked model;
	cook_build(&model, &build);
	assert_int_equal(model.model.skeleton_count, 1);
	check_text(&model, model.model.skeletons[0].stem, "m/skeleton.Rig");
	assert_int_equal(model.model.skeletons[0].joint_count, 2);
	assert_int_equal(model.model.joint_nodes[0], cooked_node(&model, "Root"));
	assert_int_equal(model.model.joint_nodes[1], cooked_node(&model, "Tip"));
	assert_int_equal(model.model.nodes[cooked_node(&model, "Root")].flags, LRD_NODE_JOINT);
	assert_int_equal(model.model.nodes[cooked_node(&model, "Fox")].flags, 0);
	const lrd_model_part *part = cooked_part(&model, "Fox");
	assert_int_equal(part->flags, LRD_PART_SKINNED);
	assert_int_equal(part->skeleton, 0);
	assert_int_equal(part->node, LRD_NO_INDEX);
	cooked_free(&model);
}

static void a_plain_node_between_joints_becomes_a_joint(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "nodes", "{\"name\":\"Root\",\"children\":[1]}");
	gltf_add(&build, "nodes", "{\"name\":\"Plain\",\"children\":[2],\"translation\":[0,5,0]}");
	gltf_add(&build, "nodes", "{\"name\":\"Tip\"}");
	const uint16_t joints[3] = { 0, 1, 1 };
	gltf_add(&build, "nodes", "{\"mesh\":%d,\"skin\":0}", add_bound_mesh(&build, "Fox", joints, -1));
	gltf_add(&build, "skins", "{\"name\":\"Rig\",\"joints\":[0,2]}");
	cooked model;
	cook_build(&model, &build);
	lrd_skeleton_view skeleton = cooked_skeleton(&model, "skeleton.Rig.lskel");
	assert_int_equal(skeleton.joint_count, 3);
	const lrd_skeleton_report *report = cooked_skeleton_report(&model, "skeleton.Rig.lskel");
	assert_int_equal(report->skin_joints, 2);
	assert_int_equal(report->joints, 3);
	check_joint(&skeleton, 1, "Plain", 0);
	check_joint(&skeleton, 2, "Tip", 1);
	check_near(skeleton.joints[1].translation, (const float[]){ 0, 5, 0 }, 3);
	check_identity((const lrd_mat4 *)(const void *)skeleton.joints[1].inverse_bind);
	lrd_mesh_view mesh = cooked_mesh(&model, "part.Fox.lmesh");
	assert_int_equal(vertex_joint(&mesh, vertex_at(&mesh, 1, 1, 0)), 2);
	cooked_free(&model);
}

/// Armature, placed and turned a quarter about z, with Root and Tip below it; both joints.
static void cook_armature(cooked *model, bool animated)
{
	BUILD(build);
	gltf_add(&build, "nodes",
		"{\"name\":\"Armature\",\"children\":[1],\"translation\":[0,0,7],\"rotation\":[0,0,0.70710678,0.70710678]}");
	gltf_add(&build, "nodes", "{\"name\":\"Root\",\"children\":[2],\"translation\":[1,0,0]}");
	gltf_add(&build, "nodes", "{\"name\":\"Tip\",\"translation\":[0,2,0]}");
	const uint16_t joints[3] = { 0, 1, 1 };
	gltf_add(&build, "nodes",
		"{\"name\":\"Fox\",\"mesh\":%d,\"skin\":0,\"translation\":[100,100,100],\"scale\":[3,3,3]}",
		add_bound_mesh(&build, "Fox", joints, -1));
	static const float binds[2][3] = { { -1, 0, 0 }, { 0, -2, 0 } };
	gltf_add(
		&build, "skins", "{\"name\":\"Rig\",\"joints\":[1,2],\"inverseBindMatrices\":%d}", add_binds(&build, binds, 2));
	if (animated)
	{
		add_translation_clip(&build, "Walk", 0);
	}
	cook_build(model, &build);
}

static void what_is_above_every_joint_is_the_root_matrix(void **state)
{
	(void)state;
	cooked model;
	cook_armature(&model, false);
	lrd_skeleton_view skeleton = cooked_skeleton(&model, "skeleton.Rig.lskel");
	assert_int_equal(skeleton.joint_count, 2);
	check_joint(&skeleton, 0, "Root", -1);
	static const float root[16] = { 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 7, 1 };
	check_near(skeleton.root.m, root, 16);
	cooked_free(&model);
}

static void an_animated_ancestor_becomes_a_joint(void **state)
{
	(void)state;
	cooked model;
	cook_armature(&model, true);
	lrd_skeleton_view skeleton = cooked_skeleton(&model, "skeleton.Rig.lskel");
	assert_int_equal(skeleton.joint_count, 3);
	check_joint(&skeleton, 0, "Armature", -1);
	check_joint(&skeleton, 1, "Root", 0);
	check_identity(&skeleton.root);
	lrd_clip_view clip = cooked_clip(&model, "clip.Walk.lclip");
	assert_int_equal(clip.channels[0].joint, 0);
	cooked_free(&model);
}

static void the_rest_poses_palette_puts_vertices_where_gltf_says(void **state)
{
	(void)state;
	for (int animated = 0; animated < 2; ++animated)
	{
		cooked model;
		cook_armature(&model, animated);
		lrd_skeleton_view skeleton = cooked_skeleton(&model, "skeleton.Rig.lskel");
		lrd_mesh_view mesh = cooked_mesh(&model, "part.Fox.lmesh");
		lrd_transform pose[3];
		lrd_mat4 palette[3];
		lrd_skeleton_rest_pose(&skeleton, pose);
		lrd_skeleton_palette(&skeleton, pose, palette);
		// joint's global * bind * vertex, worked out by hand; the skinned node's own transform counts for nothing
		static const float expected[3][2][3] = {
			{ { 0, 0, 0 }, { 0, 0, 7 } },  // Root: -1, then +1, then a quarter turn
			{ { 1, 0, 0 }, { 0, 2, 7 } },  // Tip: (1,-2,0), (1,0,0), (2,0,0), turned
			{ { 1, 1, 0 }, { -1, 2, 7 } }, // Tip: (1,-1,0), (1,1,0), (2,1,0), turned
		};
		for (uint32_t i = 0; i < 3; ++i)
		{
			const float *from = expected[i][0];
			const float *to = expected[i][1];
			uint32_t vertex = vertex_at(&mesh, from[0], from[1], from[2]);
			lrd_vec3 moved = move(&palette[vertex_joint(&mesh, vertex)], vertex_position(&mesh, vertex));
			check_vec3(moved, to[0], to[1], to[2]);
		}
		check_bounds(&mesh.bounds, 0, 0, 0, 1, 1, 0);
		check_bounds(&model.model.bounds, -1, 0, 7, 0, 2, 7);
		cooked_free(&model);
	}
}

static void joints_side_by_side_share_the_root_matrix_of_the_node_above(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "nodes", "{\"name\":\"Above\",\"children\":[1,2],\"translation\":[0,0,4]}");
	gltf_add(&build, "nodes", "{\"name\":\"Left\"}");
	gltf_add(&build, "nodes", "{\"name\":\"Right\"}");
	const uint16_t joints[3] = { 0, 1, 1 };
	gltf_add(&build, "nodes", "{\"mesh\":%d,\"skin\":0}", add_bound_mesh(&build, "Fox", joints, -1));
	gltf_add(&build, "skins", "{\"name\":\"Rig\",\"joints\":[2,1]}");
	cooked model;
	cook_build(&model, &build);
	lrd_skeleton_view skeleton = cooked_skeleton(&model, "skeleton.Rig.lskel");
	assert_int_equal(skeleton.joint_count, 2);
	check_joint(&skeleton, 0, "Left", -1);
	check_joint(&skeleton, 1, "Right", -1);
	assert_float_equal(skeleton.root.m[14], 4, 0);
	check_bounds(&model.model.bounds, 0, 0, 4, 1, 1, 4);
	cooked_free(&model);
}

static void joints_without_a_common_root_stand_in_model_space(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "nodes", "{\"name\":\"Left\",\"translation\":[0,0,1]}");
	gltf_add(&build, "nodes", "{\"name\":\"Right\",\"translation\":[0,0,2]}");
	const uint16_t joints[3] = { 0, 1, 1 };
	gltf_add(&build, "nodes", "{\"mesh\":%d,\"skin\":0}", add_bound_mesh(&build, "Fox", joints, -1));
	gltf_add(&build, "skins", "{\"name\":\"Rig\",\"joints\":[0,1]}");
	cooked model;
	cook_build(&model, &build);
	lrd_skeleton_view skeleton = cooked_skeleton(&model, "skeleton.Rig.lskel");
	check_joint(&skeleton, 0, "Left", -1);
	check_joint(&skeleton, 1, "Right", -1);
	check_identity(&skeleton.root);
	check_bounds(&model.model.bounds, 0, 0, 1, 1, 1, 2);
	cooked_free(&model);
}

/// Two skins over the joints A and B, with bind matrices each, on a mesh of their own; `shift` is added to the second's.
static void cook_two_skins(cooked *model, float shift)
{
	BUILD(build);
	int material = add_material(&build, "M");
	gltf_add(&build, "nodes", "{\"name\":\"A\",\"children\":[1]}");
	gltf_add(&build, "nodes", "{\"name\":\"B\"}");
	for (int i = 0; i < 2; ++i)
	{
		const uint16_t joints[3] = { 0, 1, 1 };
		const float binds[2][3] = { { 0, 0, 1 }, { 0, 0, 2 + shift * (float)i } };
		gltf_add(&build, "nodes", "{\"name\":\"Fox%d\",\"mesh\":%d,\"skin\":%d}", i,
			add_bound_mesh(&build, i == 0 ? "Head" : "Tail", joints, material), i);
		gltf_add(&build, "skins", "{\"name\":\"Rig%d\",\"joints\":[0,1],\"inverseBindMatrices\":%d}", i,
			add_binds(&build, binds, 2));
	}
	add_translation_clip(&build, "Walk", 1);
	cook_build(model, &build);
}

static void skins_with_the_same_joints_and_binds_are_one_skeleton(void **state)
{
	(void)state;
	cooked model;
	cook_two_skins(&model, 0);
	check_files(&model, "part.M.lmesh skeleton.Rig0.lskel clip.Walk.lclip material.M.lmat m.lmodel");
	assert_int_equal(model.model.skeleton_count, 1);
	assert_int_equal(model.model.part_count, 1); // one material, one skeleton: merged
	assert_int_equal(cooked_mesh(&model, "part.M.lmesh").meshlet_triangle_count, 2);
	assert_int_equal(cooked_clip(&model, "clip.Walk.lclip").channel_count, 1);
	cooked_free(&model);
}

static void skins_with_different_binds_are_two_skeletons(void **state)
{
	(void)state;
	cooked model;
	cook_two_skins(&model, 1);
	check_files(&model,
		"part.Head.lmesh part.Tail.lmesh skeleton.Rig0.lskel skeleton.Rig1.lskel clip.Walk.lclip material.M.lmat "
		"m.lmodel");
	assert_int_equal(cooked_part(&model, "Fox0")->skeleton, 0);
	assert_int_equal(cooked_part(&model, "Fox1")->skeleton, 1);
	assert_int_equal(model.model.joint_node_count, 4);
	assert_int_equal(model.model.skeletons[1].joint_node_offset, 2);
	cooked_free(&model);
}

static void a_channel_of_a_joint_of_two_skeletons_is_written_for_both(void **state)
{
	(void)state;
	cooked model;
	cook_two_skins(&model, 1);
	lrd_clip_view clip = cooked_clip(&model, "clip.Walk.lclip");
	assert_int_equal(clip.channel_count, 2);
	for (uint32_t c = 0; c < 2; ++c)
	{
		assert_int_equal(clip.channels[c].skeleton, c);
		assert_int_equal(clip.channels[c].joint, 1);
		assert_int_equal(clip.channels[c].node, 1);
		assert_int_equal(clip.channels[c].times_offset, 0);
	}
	for (uint32_t s = 0; s < 2; ++s)
	{
		lrd_skeleton_view skeleton = cooked_skeleton(&model, s == 0 ? "skeleton.Rig0.lskel" : "skeleton.Rig1.lskel");
		lrd_transform joints[2];
		lrd_skeleton_rest_pose(&skeleton, joints);
		lrd_clip_sample(&clip, 1, NULL, &(lrd_pose){ joints, 2, s });
		check_vec3(joints[1].translation, 0, 2, 0);
	}
	cooked_free(&model);
}

static void equal_joint_names_are_never_confused(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "nodes", "{\"name\":\"Bone\",\"children\":[1]}");
	gltf_add(&build, "nodes", "{\"name\":\"Bone\",\"children\":[2]}");
	gltf_add(&build, "nodes", "{\"name\":\"Bone\"}");
	const uint16_t joints[3] = { 0, 1, 2 };
	gltf_add(&build, "nodes", "{\"mesh\":%d,\"skin\":0}", add_bound_mesh(&build, "Fox", joints, -1));
	gltf_add(&build, "skins", "{\"name\":\"Rig\",\"joints\":[2,0,1]}");
	add_translation_clip(&build, "Middle", 1);
	cooked model;
	cook_build(&model, &build);
	lrd_skeleton_view skeleton = cooked_skeleton(&model, "skeleton.Rig.lskel");
	assert_int_equal(skeleton.joint_count, 3);
	check_joint(&skeleton, 0, "Bone", -1);
	check_joint(&skeleton, 1, "Bone", 0);
	check_joint(&skeleton, 2, "Bone", 1);
	lrd_mesh_view mesh = cooked_mesh(&model, "part.Fox.lmesh");
	assert_int_equal(vertex_joint(&mesh, vertex_at(&mesh, 0, 0, 0)), 2);
	assert_int_equal(vertex_joint(&mesh, vertex_at(&mesh, 1, 0, 0)), 0);
	assert_int_equal(cooked_clip(&model, "clip.Middle.lclip").channels[0].joint, 1);
	cooked_free(&model);
}

static void many_joints_are_told_by_sixteen_bits(void **state)
{
	(void)state;
	BUILD(build);
	char *joints = calloc(1, 4096);
	assert_non_null(joints);
	size_t used = 0;
	for (int i = 0; i < 300; ++i)
	{
		gltf_add(&build, "nodes", "{\"name\":\"J%d\"}", i);
		used += (size_t)snprintf(joints + used, 4096 - used, "%s%d", i != 0 ? "," : "", 299 - i);
	}
	gltf_add(&build, "nodes", "{\"name\":\"Top\",\"children\":[%s]}", joints);
	const uint16_t bound[3] = { 0, 1, 299 };
	gltf_add(&build, "nodes", "{\"mesh\":%d,\"skin\":0}", add_bound_mesh(&build, "Fox", bound, -1));
	gltf_add(&build, "skins", "{\"name\":\"Rig\",\"joints\":[%s]}", joints);
	free(joints);
	cooked model;
	cook_build(&model, &build);
	lrd_skeleton_view skeleton = cooked_skeleton(&model, "skeleton.Rig.lskel");
	assert_int_equal(skeleton.joint_count, 300);
	lrd_mesh_view mesh = cooked_mesh(&model, "part.Fox.lmesh");
	assert_int_equal(lrd_mesh_attribute(&mesh, LRD_VERTEX_JOINTS)->format, LRD_FORMAT_UINT16X4);
	check_string(lrd_skeleton_joint_name(&skeleton, vertex_joint(&mesh, vertex_at(&mesh, 0, 0, 0))), "J299");
	check_string(lrd_skeleton_joint_name(&skeleton, vertex_joint(&mesh, vertex_at(&mesh, 1, 0, 0))), "J298");
	check_string(lrd_skeleton_joint_name(&skeleton, vertex_joint(&mesh, vertex_at(&mesh, 1, 1, 0))), "J0");
	cooked_free(&model);
}

static void two_meshes_under_one_skin_share_its_skeleton(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "nodes", "{\"name\":\"Root\",\"children\":[1]}");
	gltf_add(&build, "nodes", "{\"name\":\"Tip\",\"translation\":[0,1,0]}");
	const uint16_t first[3] = { 0, 1, 1 }, second[3] = { 1, 0, 0 };
	int head = add_material(&build, "Head"), tail = add_material(&build, "Tail");
	gltf_add(&build, "nodes", "{\"name\":\"A\",\"mesh\":%d,\"skin\":0}", add_bound_mesh(&build, "A", first, head));
	gltf_add(&build, "nodes", "{\"name\":\"B\",\"mesh\":%d,\"skin\":0}", add_bound_mesh(&build, "B", second, tail));
	gltf_add(&build, "skins", "{\"name\":\"Rig\",\"joints\":[1,0]}");
	cooked model;
	cook_build(&model, &build);
	check_files(&model, "part.A.lmesh part.B.lmesh skeleton.Rig.lskel material.Head.lmat material.Tail.lmat m.lmodel");
	assert_int_equal(cooked_part(&model, "A")->skeleton, 0);
	assert_int_equal(cooked_part(&model, "B")->skeleton, 0);
	lrd_mesh_view a = cooked_mesh(&model, "part.A.lmesh"), b = cooked_mesh(&model, "part.B.lmesh");
	assert_int_equal(vertex_joint(&a, vertex_at(&a, 0, 0, 0)), 1); // the skin's first joint is the skeleton's second
	assert_int_equal(vertex_joint(&b, vertex_at(&b, 0, 0, 0)), 0);
	cooked_free(&model);
}

/// A chain of joints, each a tenth above the one before, which the skin lists from the tip down; bound where it rests.
static void cook_chain(cooked *model, uint32_t count, lrd_skin_weights weights)
{
	BUILD(build);
	char *list = calloc(count, 8);
	float *binds = calloc(count, 16 * sizeof *binds);
	assert_true(list != NULL && binds != NULL);
	size_t used = 0;
	for (uint32_t i = 0; i < count; ++i)
	{
		uint32_t joint = count - 1 - i;
		float *bind = binds + (size_t)i * 16;
		bind[0] = bind[5] = bind[10] = bind[15] = 1.0f;
		bind[13] = -0.125f * (float)joint;
		used += (size_t)snprintf(list + used, count * 8u - used, "%s%u", i != 0 ? "," : "", joint);
		gltf_add(&build, "nodes",
			i + 1 < count ? "{\"name\":\"J%u\",\"translation\":[0,%s,0],\"children\":[%u]}"
						  : "{\"name\":\"J%u\",\"translation\":[0,%s,0]}",
			i, i != 0 ? "0.125" : "0", i + 1);
	}
	const uint16_t joints[3] = { 0, (uint16_t)(count / 2), (uint16_t)(count - 1) };
	gltf_add(&build, "nodes", "{\"mesh\":%d,\"skin\":0}", add_bound_mesh(&build, "Snake", joints, -1));
	gltf_add(&build, "skins", "{\"name\":\"Rig\",\"joints\":[%s],\"inverseBindMatrices\":%d}", list,
		gltf_floats(&build, binds, (int)count, "MAT4"));
	free(list);
	free(binds);
	cook_as(model, &build, &(lrd_model_settings){ .skin_weights = weights });
}

static void a_thousand_joints_listed_backwards_stand_where_they_did(void **state)
{
	(void)state;
	static const float corners[3][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 } };
	static const uint32_t expected[3] = { 999, 499, 0 };
	static lrd_transform pose[1000];
	static lrd_mat4 palette[1000];
	cooked model;
	cook_chain(&model, 1000, LRD_SKIN_WEIGHTS_AUTO);
	lrd_skeleton_view skeleton = cooked_skeleton(&model, "skeleton.Rig.lskel");
	lrd_mesh_view mesh = cooked_mesh(&model, "part.Snake.lmesh");
	assert_int_equal(skeleton.joint_count, 1000);
	lrd_skeleton_rest_pose(&skeleton, pose);
	lrd_skeleton_palette(&skeleton, pose, palette);
	for (uint32_t j = 0; j < 1000; ++j)
	{
		assert_int_equal(skeleton.joints[j].parent, (int32_t)j - 1);
		check_identity(&palette[j]); // at rest, a mesh is where it was bound
	}
	for (int i = 0; i < 3; ++i)
	{
		uint32_t vertex = vertex_at(&mesh, corners[i][0], corners[i][1], corners[i][2]);
		assert_int_equal(vertex_joint(&mesh, vertex), expected[i]);
	}
	cooked_free(&model);
}

static void weights_have_8_bits_unless_16_are_asked_for(void **state)
{
	(void)state;
	static const float weights[] = { 0.55f, 0.35f, 0.1f, 0, 1, 0, 0, 0, 0.7f, 0.3f, 0, 0 };
	static const uint8_t joints[] = { 0, 1, 2, 0, 1, 0, 0, 0, 2, 1, 0, 0 };
	static const uint16_t expected[] = { 36044, 22937, 6554, 0 };
	for (int asked = LRD_SKIN_WEIGHTS_AUTO; asked <= LRD_SKIN_WEIGHTS_16; ++asked)
	{
		BUILD(build);
		int p = gltf_corners(&build, 3);
		int j = gltf_accessor(&build, gltf_view(&build, joints, sizeof joints, 0), GLTF_U8, false, 3, "VEC4");
		int w = gltf_floats(&build, weights, 3, "VEC4");
		gltf_add(&build, "meshes",
			"{\"name\":\"Fox\",\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"JOINTS_0\":%d,\"WEIGHTS_0\":%d}}]}",
			p, j, w);
		gltf_add(&build, "nodes", "{\"name\":\"Root\",\"children\":[1,2]}");
		gltf_add(&build, "nodes", "{\"name\":\"Left\"}");
		gltf_add(&build, "nodes", "{\"name\":\"Right\"}");
		gltf_add(&build, "nodes", "{\"mesh\":0,\"skin\":0}");
		gltf_add(&build, "skins", "{\"joints\":[0,1,2]}");
		cooked model;
		cook_as(&model, &build, &(lrd_model_settings){ .skin_weights = (lrd_skin_weights)asked });
		lrd_mesh_view mesh = cooked_mesh(&model, "part.Fox.lmesh");
		bool wide = asked == LRD_SKIN_WEIGHTS_16;
		assert_int_equal(
			lrd_mesh_attribute(&mesh, LRD_VERTEX_JOINTS)->format, wide ? LRD_FORMAT_UINT16X4 : LRD_FORMAT_UINT8X4);
		uint32_t corner = vertex_at(&mesh, 0, 0, 0);
		const void *found = vertex_data(&mesh, LRD_VERTEX_WEIGHTS, corner);
		wide ? assert_memory_equal(found, expected, 8) : assert_memory_equal(found, ((uint8_t[]){ 140, 89, 26, 0 }), 4);
		assert_int_equal(vertex_joint(&mesh, corner), 0);
		assert_int_equal(vertex_joint(&mesh, vertex_at(&mesh, 1, 0, 0)), 1);
		assert_int_equal(vertex_joint(&mesh, vertex_at(&mesh, 1, 1, 0)), 2);
		assert_int_equal(count_warnings(&model, "weights-widened"), 0);
		cooked_free(&model);
	}
}

static void joints_above_255_widen_weights_and_those_who_asked_for_8_bits_are_told(void **state)
{
	(void)state;
	cooked model;
	for (int asked = LRD_SKIN_WEIGHTS_AUTO; asked <= LRD_SKIN_WEIGHTS_16; ++asked)
	{
		cook_chain(&model, 257, (lrd_skin_weights)asked);
		lrd_mesh_view mesh = cooked_mesh(&model, "part.Snake.lmesh");
		assert_int_equal(lrd_mesh_attribute(&mesh, LRD_VERTEX_WEIGHTS)->format, LRD_FORMAT_UNORM16X4_WEIGHTS);
		assert_int_equal(count_warnings(&model, "weights-widened"), asked == LRD_SKIN_WEIGHTS_8);
		cooked_free(&model);
	}
	cook_chain(&model, 256, LRD_SKIN_WEIGHTS_8);
	lrd_mesh_view mesh = cooked_mesh(&model, "part.Snake.lmesh");
	assert_int_equal(lrd_mesh_attribute(&mesh, LRD_VERTEX_WEIGHTS)->format, LRD_FORMAT_UNORM8X4);
	assert_int_equal(count_warnings(&model, "weights-widened"), 0);
	cooked_free(&model);
}

static void of_a_joint_listed_twice_the_first_bind_counts(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "nodes", "{\"name\":\"Bone\"}");
	const uint16_t joints[3] = { 0, 1, 1 };
	gltf_add(&build, "nodes", "{\"mesh\":%d,\"skin\":0}", add_bound_mesh(&build, "Fox", joints, -1));
	static const float binds[2][3] = { { 0, 0, 1 }, { 0, 0, 2 } };
	gltf_add(
		&build, "skins", "{\"name\":\"Rig\",\"joints\":[0,0],\"inverseBindMatrices\":%d}", add_binds(&build, binds, 2));
	cooked model;
	cook_build(&model, &build);
	lrd_skeleton_view skeleton = cooked_skeleton(&model, "skeleton.Rig.lskel");
	lrd_mesh_view mesh = cooked_mesh(&model, "part.Fox.lmesh");
	assert_int_equal(skeleton.joint_count, 1);
	assert_float_equal(skeleton.joints[0].inverse_bind[14], 1, 0);
	assert_int_equal(vertex_joint(&mesh, vertex_at(&mesh, 1, 0, 0)), 0);
	cooked_free(&model);
}

static void vertices_without_any_weight_follow_the_first_joint_they_name_and_are_counted(void **state)
{
	(void)state;
	static const float weights[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0.5f, 0.25f, 0, 0 };
	static const uint8_t joints[] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0 };
	BUILD(build);
	int p = gltf_corners(&build, 3);
	int j = gltf_accessor(&build, gltf_view(&build, joints, sizeof joints, 0), GLTF_U8, false, 3, "VEC4");
	int w = gltf_floats(&build, weights, 3, "VEC4");
	gltf_add(&build, "meshes",
		"{\"name\":\"Fox\",\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"JOINTS_0\":%d,\"WEIGHTS_0\":%d}}]}", p, j,
		w);
	gltf_add(&build, "nodes", "{\"name\":\"Root\",\"children\":[1]}");
	gltf_add(&build, "nodes", "{\"name\":\"Tip\"}");
	gltf_add(&build, "nodes", "{\"mesh\":0,\"skin\":0}");
	gltf_add(&build, "skins", "{\"joints\":[0,1]}");
	lrd_document *document = import_build(&build, NULL);
	gltf_end(&build);
	uint32_t counts[2] = { 0, 0 };
	for (uint32_t i = 0; i < document->warning_count; ++i)
	{
		counts[0] +=
			lrd_string_equal(document->warnings[i].kind, LRD_STR("weights-missing")) ? document->warnings[i].count : 0;
		counts[1] += lrd_string_equal(document->warnings[i].kind, LRD_STR("weights-renormalised"))
						 ? document->warnings[i].count
						 : 0;
	}
	assert_int_equal(counts[0], 2);
	assert_int_equal(counts[1], 1);
	cooked model;
	cook_document(&model, document, NULL, NULL);
	lrd_mesh_view mesh = cooked_mesh(&model, "part.Fox.lmesh");
	for (uint32_t v = 0; v < 3; ++v)
	{
		const uint8_t *unorm = vertex_data(&mesh, LRD_VERTEX_WEIGHTS, v);
		assert_int_equal(unorm[0] + unorm[1] + unorm[2] + unorm[3], 255);
	}
	assert_int_equal(vertex_joint(&mesh, vertex_at(&mesh, 0, 0, 0)), 1);
	assert_int_equal(vertex_joint(&mesh, vertex_at(&mesh, 1, 0, 0)), 0);
	const uint8_t *two = vertex_data(&mesh, LRD_VERTEX_WEIGHTS, vertex_at(&mesh, 1, 1, 0));
	assert_int_equal(two[0], 170);
	assert_int_equal(two[1], 85);
	cooked_free(&model);
}

static void skinned_and_rigid_meshes_of_one_material_stay_apart(void **state)
{
	(void)state;
	BUILD(build);
	int material = add_material(&build, "M");
	const uint16_t joints[3] = { 0, 0, 0 };
	gltf_add(&build, "nodes", "{\"name\":\"Bone\"}");
	gltf_add(&build, "nodes", "{\"name\":\"Soft\",\"mesh\":%d,\"skin\":0}",
		add_bound_mesh(&build, "Soft", joints, material));
	gltf_add(&build, "nodes", "{\"name\":\"Hard\",\"mesh\":%d}", add_mesh(&build, "Hard", material));
	gltf_add(&build, "skins", "{\"name\":\"Rig\",\"joints\":[0]}");
	cooked model;
	cook_build(&model, &build);
	check_files(&model, "part.Soft.lmesh part.Hard.lmesh skeleton.Rig.lskel material.M.lmat m.lmodel");
	assert_int_equal(cooked_part(&model, "Soft")->flags, LRD_PART_SKINNED);
	assert_int_equal(cooked_part(&model, "Hard")->flags, 0);
	cooked_free(&model);
}

static void a_mesh_with_joints_on_a_node_without_a_skin_is_rigid(void **state)
{
	(void)state;
	BUILD(build);
	const uint16_t joints[3] = { 0, 0, 0 };
	gltf_add(&build, "nodes", "{\"name\":\"Fox\",\"mesh\":%d,\"translation\":[0,0,9]}",
		add_bound_mesh(&build, "Fox", joints, -1));
	cooked model;
	cook_build(&model, &build);
	check_files(&model, "part.Fox.lmesh m.lmodel");
	lrd_mesh_view mesh = cooked_mesh(&model, "part.Fox.lmesh");
	assert_int_equal(mesh.flags, 0);
	assert_null(lrd_mesh_attribute(&mesh, LRD_VERTEX_JOINTS));
	check_bounds(&model.model.bounds, 0, 0, 9, 1, 1, 9);
	cooked_free(&model);
}

static void something_rigid_held_by_an_animated_joint_keeps_that_joints_node(void **state)
{
	(void)state;
	BUILD(build);
	const uint16_t joints[3] = { 0, 0, 0 };
	gltf_add(&build, "nodes", "{\"name\":\"Hand\",\"children\":[1]}");
	gltf_add(&build, "nodes", "{\"name\":\"Sword\",\"mesh\":%d}", add_mesh(&build, "Sword", -1));
	gltf_add(&build, "nodes", "{\"name\":\"Fox\",\"mesh\":%d,\"skin\":0}", add_bound_mesh(&build, "Fox", joints, -1));
	gltf_add(&build, "skins", "{\"name\":\"Rig\",\"joints\":[0]}");
	add_translation_clip(&build, "Swing", 0);
	cooked model;
	cook_build(&model, &build);
	assert_int_equal(cooked_part(&model, "Sword")->node, cooked_node(&model, "Sword"));
	assert_int_equal(model.model.nodes[cooked_node(&model, "Sword")].parent, (int)cooked_node(&model, "Hand"));
	assert_int_equal(model.model.nodes[cooked_node(&model, "Hand")].flags, LRD_NODE_JOINT | LRD_NODE_ANIMATED);
	cooked_free(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joints_in_any_order_become_parents_first_and_vertices_follow),
		cmocka_unit_test(the_model_knows_the_node_of_each_joint),
		cmocka_unit_test(a_plain_node_between_joints_becomes_a_joint),
		cmocka_unit_test(what_is_above_every_joint_is_the_root_matrix),
		cmocka_unit_test(an_animated_ancestor_becomes_a_joint),
		cmocka_unit_test(the_rest_poses_palette_puts_vertices_where_gltf_says),
		cmocka_unit_test(joints_side_by_side_share_the_root_matrix_of_the_node_above),
		cmocka_unit_test(joints_without_a_common_root_stand_in_model_space),
		cmocka_unit_test(skins_with_the_same_joints_and_binds_are_one_skeleton),
		cmocka_unit_test(skins_with_different_binds_are_two_skeletons),
		cmocka_unit_test(a_channel_of_a_joint_of_two_skeletons_is_written_for_both),
		cmocka_unit_test(equal_joint_names_are_never_confused),
		cmocka_unit_test(many_joints_are_told_by_sixteen_bits),
		cmocka_unit_test(two_meshes_under_one_skin_share_its_skeleton),
		cmocka_unit_test(a_thousand_joints_listed_backwards_stand_where_they_did),
		cmocka_unit_test(weights_have_8_bits_unless_16_are_asked_for),
		cmocka_unit_test(joints_above_255_widen_weights_and_those_who_asked_for_8_bits_are_told),
		cmocka_unit_test(of_a_joint_listed_twice_the_first_bind_counts),
		cmocka_unit_test(vertices_without_any_weight_follow_the_first_joint_they_name_and_are_counted),
		cmocka_unit_test(skinned_and_rigid_meshes_of_one_material_stay_apart),
		cmocka_unit_test(a_mesh_with_joints_on_a_node_without_a_skin_is_rigid),
		cmocka_unit_test(something_rigid_held_by_an_animated_joint_keeps_that_joints_node),
	};
	return cmocka_run_group_tests_name("cook_model_skins", tests, NULL, NULL);
}
