// Where a part's normals and tangents come from: the source, its smoothing groups, triangles, MikkTSpace, or anywhere; as
// the settings say.

#include "fixtures/cook_grid.h"

/// A triangle facing +Z with uv whose u runs along +Y, so that computed tangents are +Y; authored ones, where asked for,
/// are +X.
static int add_framed(gltf_build *build, bool authored, bool with_uv, int material)
{
	static const float normals[] = { 0, 0, 1, 0, 0, 1, 0, 0, 1 };
	static const float tangents[] = { 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1 };
	static const float uv[] = { 0, 0, 0, 1, 1, 1 };
	char more[96] = "";
	int used = 0;
	int p = gltf_corners(build, 3);
	int n = gltf_floats(build, normals, 3, "VEC3");
	if (authored)
	{
		used += snprintf(more, sizeof more, ",\"TANGENT\":%d", gltf_floats(build, tangents, 3, "VEC4"));
	}
	if (with_uv)
	{
		snprintf(more + used, sizeof more - (size_t)used, ",\"TEXCOORD_0\":%d", gltf_floats(build, uv, 3, "VEC2"));
	}
	return gltf_add(build, "meshes",
		"{\"name\":\"F\",\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d%s},\"material\":%d}]}", p, n,
		more, material);
}

typedef struct frame_wish
{
	bool authored;
	bool with_uv;
	bool mapped;
	lrd_choice tangents;
} frame_wish;

static void cook_framed(cooked *model, const frame_wish *wish)
{
	BUILD(build);
	int material = wish->mapped ? add_mapped_material(&build, "M") - 1 : add_material(&build, "M");
	gltf_add(&build, "nodes", "{\"mesh\":%d}", add_framed(&build, wish->authored, wish->with_uv, material));
	cook_as(model, &build, &(lrd_model_settings){ .tangents = wish->tangents });
}

static void check_frame(const frame_wish *wish, lrd_frame_origin origin, lrd_vec3 expected)
{
	cooked model;
	cook_framed(&model, wish);
	lrd_mesh_view mesh = cooked_mesh(&model, "part.F.lmesh");
	lrd_vec4 tangent = vertex_tangent(&mesh, 0);
	assert_int_equal(cooked_report(&model, "part.F.lmesh")->tangents, origin);
	assert_int_equal((mesh.flags & LRD_MESH_AUTHORED_TANGENTS) != 0, origin == LRD_FRAME_AUTHORED);
	if (origin != LRD_FRAME_ARBITRARY)
	{
		check_vec3((lrd_vec3){ tangent.x, tangent.y, tangent.z }, expected.x, expected.y, expected.z);
	}
	assert_float_equal(tangent.z, 0.0f, 1e-4f); // perpendicular in any case
	assert_int_equal(count_warnings(&model, "tangents-without-uv"),
		wish->mapped && !wish->with_uv && !wish->authored && wish->tangents != LRD_CHOICE_OFF);
	cooked_free(&model);
}

static const lrd_vec3 along_x = { 1, 0, 0 };
static const lrd_vec3 along_y = { 0, 1, 0 };

static void tangents_are_made_where_something_reads_them(void **state)
{
	(void)state;
	check_frame(&(frame_wish){ .with_uv = true, .mapped = true }, LRD_FRAME_COMPUTED, along_y);
	check_frame(&(frame_wish){ .with_uv = true }, LRD_FRAME_ARBITRARY, along_y);
	check_frame(&(frame_wish){ .mapped = true }, LRD_FRAME_ARBITRARY, along_y);
	check_frame(&(frame_wish){ .authored = true, .with_uv = true, .mapped = true }, LRD_FRAME_AUTHORED, along_x);
	check_frame(&(frame_wish){ .authored = true }, LRD_FRAME_AUTHORED, along_x);
}

static void always_makes_them_anew(void **state)
{
	(void)state;
	check_frame(&(frame_wish){ .with_uv = true, .tangents = LRD_CHOICE_ON }, LRD_FRAME_COMPUTED, along_y);
	check_frame(
		&(frame_wish){ .authored = true, .with_uv = true, .tangents = LRD_CHOICE_ON }, LRD_FRAME_COMPUTED, along_y);
	check_frame(&(frame_wish){ .authored = true, .tangents = LRD_CHOICE_ON }, LRD_FRAME_AUTHORED,
		along_x); // they are all there is
	check_frame(&(frame_wish){ .mapped = true, .tangents = LRD_CHOICE_ON }, LRD_FRAME_ARBITRARY, along_x);
	check_frame(&(frame_wish){ .tangents = LRD_CHOICE_ON }, LRD_FRAME_ARBITRARY, along_x);
}

static void never_makes_none_and_keeps_those_of_the_source(void **state)
{
	(void)state;
	check_frame(
		&(frame_wish){ .with_uv = true, .mapped = true, .tangents = LRD_CHOICE_OFF }, LRD_FRAME_ARBITRARY, along_x);
	check_frame(&(frame_wish){ .mapped = true, .tangents = LRD_CHOICE_OFF }, LRD_FRAME_ARBITRARY, along_x);
	check_frame(&(frame_wish){ .authored = true, .with_uv = true, .mapped = true, .tangents = LRD_CHOICE_OFF },
		LRD_FRAME_AUTHORED, along_x);
}

static void pieces_that_differ_are_told_as_the_least_that_all_have(void **state)
{
	(void)state;
	BUILD(build);
	int material = add_mapped_material(&build, "M") - 1;
	gltf_add(&build, "nodes", "{\"mesh\":%d}", add_framed(&build, true, true, material));
	gltf_add(&build, "nodes", "{\"mesh\":%d,\"translation\":[2,0,0]}", add_framed(&build, false, true, material));
	gltf_add(&build, "nodes", "{\"mesh\":%d,\"translation\":[4,0,0]}", add_mesh(&build, "Bare", material));
	cooked model;
	cook_build(&model, &build);
	const lrd_mesh_report *report = cooked_report(&model, "part.M.lmesh");
	lrd_mesh_view mesh = cooked_mesh(&model, "part.M.lmesh");
	assert_int_equal(report->normals, LRD_FRAME_COMPUTED);
	assert_int_equal(report->tangents, LRD_FRAME_COMPUTED);
	assert_int_equal(mesh.flags & LRD_MESH_AUTHORED_TANGENTS, 0);
	lrd_vec4 own = vertex_tangent(&mesh, vertex_at(&mesh, 1, 1, 0));
	lrd_vec4 made = vertex_tangent(&mesh, vertex_at(&mesh, 3, 1, 0));
	check_vec3((lrd_vec3){ own.x, own.y, own.z }, 1, 0, 0);
	check_vec3((lrd_vec3){ made.x, made.y, made.z }, 0, 1, 0);
	check_cook_warning(&model, "tangents-without-uv", "1 primitive has");
	check_cook_warning(&model, "normals-computed", "1 primitive has");
	cooked_free(&model);
}

static void tangents_without_length_are_replaced_and_counted(void **state)
{
	(void)state;
	static const float normals[] = { 0, 0, 1, 0, 0, 1, 0, 0, 1 };
	static const float tangents[] = { 0, 1, 0, 1, 0, 0, 0, -1, 0, 0, 0, 1 };
	BUILD(build);
	int p = gltf_corners(&build, 3);
	int n = gltf_floats(&build, normals, 3, "VEC3");
	gltf_add(&build, "meshes",
		"{\"name\":\"F\",\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d,\"TANGENT\":%d}}]}", p, n,
		gltf_floats(&build, tangents, 3, "VEC4"));
	gltf_add(&build, "nodes", "{\"mesh\":0}");
	cooked model;
	cook_build(&model, &build);
	lrd_mesh_view mesh = cooked_mesh(&model, "part.F.lmesh");
	assert_int_equal(cooked_report(&model, "part.F.lmesh")->tangents, LRD_FRAME_AUTHORED);
	assert_int_equal(cooked_report(&model, "part.F.lmesh")->tangents_repaired, 2);
	check_cook_warning(&model, "tangents-repaired", "m/part.F: 2 tangents of no length");
	lrd_vec4 kept = vertex_tangent(&mesh, vertex_at(&mesh, 0, 0, 0));
	check_vec3((lrd_vec3){ kept.x, kept.y, kept.z }, 0, 1, 0);
	lrd_vec4 made = vertex_tangent(&mesh, vertex_at(&mesh, 1, 0, 0));
	assert_float_equal(made.z, 0, 1e-4f); // across the normal
	assert_float_equal(made.w, -1.0f, 0); // as it was said
	cooked_free(&model);
}

static void normals_without_length_are_repaired_and_counted(void **state)
{
	(void)state;
	static const float normals[] = { 0, 0, 0, 0, 0, 1, 0, 0, 1 };
	BUILD(build);
	int p = gltf_corners(&build, 3);
	gltf_add(&build, "meshes", "{\"name\":\"F\",\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d}}]}", p,
		gltf_floats(&build, normals, 3, "VEC3"));
	gltf_add(&build, "nodes", "{\"mesh\":0}");
	cooked model;
	cook_build(&model, &build);
	lrd_mesh_view mesh = cooked_mesh(&model, "part.F.lmesh");
	assert_int_equal(cooked_report(&model, "part.F.lmesh")->normals_repaired, 1);
	assert_int_equal(cooked_report(&model, "part.F.lmesh")->normals, LRD_FRAME_AUTHORED);
	for (uint32_t v = 0; v < 3; ++v)
	{
		check_vec3(vertex_normal(&mesh, v), 0, 0, 1);
	}
	cooked_free(&model);
}

static void a_mirror_that_is_baked_turns_tangents_too(void **state)
{
	(void)state;
	for (int authored = 0; authored < 2; ++authored)
	{
		BUILD(build);
		int material = add_mapped_material(&build, "M") - 1;
		gltf_add(
			&build, "nodes", "{\"mesh\":%d,\"scale\":[1,-2,1]}", add_framed(&build, authored != 0, true, material));
		cooked model;
		cook_build(&model, &build);
		lrd_mesh_view mesh = cooked_mesh(&model, "part.F.lmesh");
		lrd_vec4 tangent = vertex_tangent(&mesh, 0);
		check_vec3(vertex_normal(&mesh, 0), 0, 0, 1);
		// Unmirrored, w is 1 for both.
		check_near(&tangent.x, authored != 0 ? (const float[]){ 1, 0, 0, -1 } : (const float[]){ 0, -1, 0, -1 }, 4);
		cooked_free(&model);
	}
}

// Smoothing groups. No source format that is read so far has them, so they are put into a document by hand.

/// A ridge: two quads that meet at a right angle along the z axis, two triangles each.
static int add_ridge(gltf_build *build)
{
	static const float corners[] = { -1, 0, 0, 0, 1, 0, 0, 1, 1, -1, 0, 1, 1, 0, 0, 1, 0, 1 };
	static const uint16_t indices[] = { 0, 2, 1, 0, 3, 2, 1, 2, 5, 1, 5, 4, 0, 0, 1 };
	int p = gltf_floats(build, corners, 6, "VEC3");
	return gltf_add(build, "meshes",
		"{\"name\":\"R\",\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"indices\":%d}]}", p,
		gltf_u16(build, indices, 15));
}

static void cook_ridge(cooked *model, const uint32_t *groups, uint32_t mirror)
{
	BUILD(build);
	gltf_add(&build, "nodes", "{\"mesh\":%d,\"scale\":[%d,1,1]}", add_ridge(&build), mirror != 0 ? -1 : 1);
	lrd_document *document = import_build(&build, NULL);
	gltf_end(&build);
	((lrd_document_primitive *)document->meshes[0].primitives)->smoothing = groups;
	cook_document(model, document, NULL, NULL);
}

static void smoothing_groups_say_which_edges_are_round(void **state)
{
	(void)state;
	static const uint32_t one[] = { 1, 1, 1, 1, 1 };
	static const uint32_t two[] = { 1, 1, 2, 2, 1 };
	for (uint32_t mirror = 0; mirror < 2; ++mirror)
	{
		cooked model;
		cook_ridge(&model, one, mirror);
		lrd_mesh_view mesh = cooked_mesh(&model, "part.R.lmesh");
		assert_int_equal(mesh.vertex_count, 6);
		check_vec3(vertex_normal(&mesh, vertex_at(&mesh, 0, 1, 0)), 0, 1, 0);
		assert_int_equal(cooked_report(&model, "part.R.lmesh")->degenerate, 1);
		assert_int_equal(count_warnings(&model, "normals-computed"), 0); // as the source wants them
		assert_int_equal(cooked_report(&model, "part.R.lmesh")->normals, LRD_FRAME_COMPUTED);
		cooked_free(&model);
		cook_ridge(&model, two, mirror);
		mesh = cooked_mesh(&model, "part.R.lmesh");
		assert_int_equal(mesh.vertex_count, 8);
		for (uint32_t v = 0; v < 8; ++v)
		{
			assert_float_equal(fabsf(vertex_normal(&mesh, v).x), sqrtf(0.5f), 1e-3f);
			assert_float_equal(vertex_normal(&mesh, v).y, sqrtf(0.5f), 1e-3f);
		}
		cooked_free(&model);
	}
}

static void a_game_may_ask_to_read_meshes_on_the_cpu(void **state)
{
	(void)state;
	for (int wanted = 0; wanted < 2; ++wanted)
	{
		BUILD(build);
		gltf_add(&build, "nodes", "{\"mesh\":%d}", add_mesh(&build, "T", -1));
		cooked model;
		cook_as(&model, &build, &(lrd_model_settings){ .cpu_access = wanted != 0 });
		assert_int_equal((cooked_mesh(&model, "part.T.lmesh").flags & LRD_MESH_CPU_ACCESS) != 0, wanted);
		cooked_free(&model);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tangents_are_made_where_something_reads_them),
		cmocka_unit_test(always_makes_them_anew),
		cmocka_unit_test(never_makes_none_and_keeps_those_of_the_source),
		cmocka_unit_test(pieces_that_differ_are_told_as_the_least_that_all_have),
		cmocka_unit_test(tangents_without_length_are_replaced_and_counted),
		cmocka_unit_test(normals_without_length_are_repaired_and_counted),
		cmocka_unit_test(a_mirror_that_is_baked_turns_tangents_too),
		cmocka_unit_test(smoothing_groups_say_which_edges_are_round),
		cmocka_unit_test(a_game_may_ask_to_read_meshes_on_the_cpu),
	};
	return cmocka_run_group_tests_name("cook_model_frames", tests, NULL, NULL);
}
