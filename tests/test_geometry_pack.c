// Packing attribute arrays into vertex streams.

#include "fixtures/geometry_test.h"
#include "fixtures/geometry_view.h"

static lrd_geometry_streams pack_as(const lrd_geometry *geometry, const lrd_geometry_pack_desc *desc)
{
	lrd_geometry_streams streams;
	lrd_error error;
	if (!lrd_geometry_pack(geometry, desc, &streams, &error))
	{
		fail_msg("%s", error.message);
	}
	return streams;
}

static lrd_geometry_streams pack(const lrd_geometry *geometry)
{
	return pack_as(geometry, NULL);
}

static const lrd_vertex_attribute *find(const lrd_geometry_streams *streams, lrd_vertex_semantic semantic)
{
	for (uint32_t i = 0; i < streams->attribute_count; i++)
	{
		if (streams->attributes[i].semantic == semantic)
		{
			return &streams->attributes[i];
		}
	}
	return NULL;
}

static const uint8_t *value_of(const lrd_geometry_streams *streams, lrd_vertex_semantic semantic, size_t vertex)
{
	const lrd_vertex_attribute *attribute = find(streams, semantic);
	assert_non_null(attribute);
	const lrd_mesh_stream *stream = &streams->streams[attribute->stream];
	return (const uint8_t *)stream->data + vertex * stream->stride + attribute->offset;
}

static lrd_geometry dressed_grid(uint32_t morphs)
{
	lrd_geometry grid = shape_grid(arena, 10, 10);
	shape_dress(arena, &grid, morphs);
	assert_true(lrd_geometry_tangents(&grid, 0, NULL, NULL));
	return grid;
}

static void a_surface_vertex_decodes_to_what_was_packed(void **state)
{
	(void)state;
	lrd_geometry grid = dressed_grid(0);
	lrd_geometry_streams streams = pack(&grid);
	assert_int_equal(streams.streams[LRD_STREAM_SURFACE].stride, 20);
	assert_int_equal(streams.streams[LRD_STREAM_POSITION].stride, 12);
	for (size_t v = 0; v < grid.vertex_count; v++)
	{
		int16_t oct[2];
		memcpy(oct, value_of(&streams, LRD_VERTEX_NORMAL, v), 4);
		assert_true(lrd_vec3_dot(lrd_oct_decode(oct), vec3_at(grid.normals, v)) > 0.999999f);
		memcpy(oct, value_of(&streams, LRD_VERTEX_TANGENT, v), 4);
		lrd_vec4 tangent = lrd_oct_tangent_decode(oct);
		const float *t = grid.tangents + 4 * v;
		assert_true(tangent.x * t[0] + tangent.y * t[1] + tangent.z * t[2] > 0.999999f);
		assert_true(tangent.w == t[3]);
		assert_memory_equal(value_of(&streams, LRD_VERTEX_UV0, v), grid.uv[0] + 2 * v, 8);
		assert_memory_equal(value_of(&streams, LRD_VERTEX_UV1, v), grid.uv[1] + 2 * v, 8);
		assert_memory_equal(value_of(&streams, LRD_VERTEX_POSITION, v), grid.positions + 3 * v, 12);
		for (size_t c = 0; c < 4; c++)
		{
			float color = (float)value_of(&streams, LRD_VERTEX_COLOR, v)[c] / 255.0f;
			assert_float_equal(color, grid.colors[4 * v + c], 0.5f / 255.0f + 1e-6f);
		}
	}
}

static void missing_colour_is_white_and_missing_uv_zero(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 2, 2);
	grid.uv[0] = NULL;
	assert_true(lrd_geometry_any_tangents(&grid, NULL));
	lrd_geometry_streams streams = pack(&grid);
	assert_memory_equal(value_of(&streams, LRD_VERTEX_COLOR, 3), ((uint8_t[]){ 255, 255, 255, 255 }), 4);
	assert_memory_equal(value_of(&streams, LRD_VERTEX_UV0, 3), ((float[]){ 0.0f, 0.0f }), 8);
	assert_null(find(&streams, LRD_VERTEX_UV1));
	assert_null(streams.streams[LRD_STREAM_UV1].data);
	assert_null(find(&streams, LRD_VERTEX_JOINTS));
	assert_int_equal(streams.streams[LRD_STREAM_SKIN].stride, 0);
}

static void numbers_that_are_none_become_zero_or_a_usable_direction(void **state)
{
	(void)state;
	lrd_geometry grid = dressed_grid(0);
	grid.uv[0][0] = NAN;
	grid.uv[1][1] = INFINITY;
	grid.colors[0] = NAN;
	grid.colors[1] = -5.0f;
	grid.colors[2] = INFINITY;
	grid.normals[0] = NAN;
	grid.tangents[0] = grid.tangents[1] = grid.tangents[2] = 0.0f;
	lrd_geometry_streams streams = pack(&grid);
	const uint8_t zeros[8] = { 0 };
	assert_memory_equal(value_of(&streams, LRD_VERTEX_UV0, 0), zeros, 4);
	assert_memory_equal(value_of(&streams, LRD_VERTEX_UV1, 0) + 4, zeros, 4);
	const uint8_t *color = value_of(&streams, LRD_VERTEX_COLOR, 0);
	assert_true(color[0] == 0 && color[1] == 0 && color[2] == 255);
	int16_t oct[2];
	memcpy(oct, value_of(&streams, LRD_VERTEX_TANGENT, 0), 4);
	lrd_vec4 tangent = lrd_oct_tangent_decode(oct);
	memcpy(oct, value_of(&streams, LRD_VERTEX_NORMAL, 0), 4);
	assert_float_equal(lrd_vec3_dot(lrd_oct_decode(oct), (lrd_vec3){ tangent.x, tangent.y, tangent.z }), 0.0f, 1e-3f);
}

// The skin of one vertex with these influences.
static lrd_geometry_streams pack_skin_as(
	const uint16_t joints[4], const float weights[4], const lrd_geometry_pack_desc *desc)
{
	lrd_geometry grid = shape_grid(arena, 1, 1);
	shape_dress(arena, &grid, 0);
	assert_true(lrd_geometry_any_tangents(&grid, NULL));
	memcpy(grid.joints, joints, 8);
	memcpy(grid.weights, weights, 16);
	return pack_as(&grid, desc);
}

static lrd_geometry_streams pack_skin(const uint16_t joints[4], const float weights[4])
{
	return pack_skin_as(joints, weights, NULL);
}

static void assert_narrow_skin(
	const uint16_t joints[4], const float weights[4], const uint8_t expected_joints[4], const uint8_t expected[4])
{
	lrd_geometry_streams streams = pack_skin(joints, weights);
	assert_int_equal(streams.streams[LRD_STREAM_SKIN].stride, 8);
	assert_memory_equal(value_of(&streams, LRD_VERTEX_JOINTS, 0), expected_joints, 4);
	assert_memory_equal(value_of(&streams, LRD_VERTEX_WEIGHTS, 0), expected, 4);
}

static void weights_are_sorted_and_sum_up_by_largest_remainder(void **state)
{
	(void)state;
	assert_narrow_skin((uint16_t[]){ 1, 2, 3, 4 }, (float[]){ 0.1f, 0.2f, 0.3f, 0.4f }, (uint8_t[]){ 4, 3, 2, 1 },
		(uint8_t[]){ 102, 77, 51, 25 });
	assert_narrow_skin((uint16_t[]){ 1, 2, 3, 4 }, (float[]){ 1.0f, 1.0f, 1.0f, 0.0f }, (uint8_t[]){ 1, 2, 3, 0 },
		(uint8_t[]){ 85, 85, 85, 0 });
	assert_narrow_skin((uint16_t[]){ 1, 2, 3, 4 }, (float[]){ 0.25f, 0.25f, 0.25f, 0.25f }, (uint8_t[]){ 1, 2, 3, 4 },
		(uint8_t[]){ 64, 64, 64, 63 });
}

static void joints_without_weight_are_zero(void **state)
{
	(void)state;
	assert_narrow_skin((uint16_t[]){ 9, 8, 7, 300 }, (float[]){ 0.0f, 1.0f, 0.0001f, 0.0f }, (uint8_t[]){ 8, 0, 0, 0 },
		(uint8_t[]){ 255, 0, 0, 0 });
}

static void weights_that_are_none_count_as_zero(void **state)
{
	(void)state;
	assert_narrow_skin((uint16_t[]){ 5, 6, 7, 8 }, (float[]){ NAN, -1.0f, INFINITY, 0.5f }, (uint8_t[]){ 8, 0, 0, 0 },
		(uint8_t[]){ 255, 0, 0, 0 });
	assert_narrow_skin((uint16_t[]){ 5, 6, 7, 8 }, (float[]){ 0.0f, 0.0f, 0.0f, 0.0f }, (uint8_t[]){ 5, 0, 0, 0 },
		(uint8_t[]){ 255, 0, 0, 0 });
	assert_narrow_skin((uint16_t[]){ 5, 6, 7, 8 }, (float[]){ 3e38f, 3e38f, 3e38f, 3e38f }, (uint8_t[]){ 5, 6, 7, 8 },
		(uint8_t[]){ 64, 64, 64, 63 });
}

static void a_joint_above_255_makes_the_skin_wide(void **state)
{
	(void)state;
	lrd_geometry_streams streams = pack_skin((uint16_t[]){ 1, 256, 3, 4 }, (float[]){ 0.5f, 0.25f, 0.125f, 0.125f });
	assert_int_equal(streams.streams[LRD_STREAM_SKIN].stride, 16);
	assert_int_equal(find(&streams, LRD_VERTEX_JOINTS)->format, LRD_FORMAT_UINT16X4);
	assert_int_equal(find(&streams, LRD_VERTEX_WEIGHTS)->format, LRD_FORMAT_UNORM16X4_WEIGHTS);
	assert_memory_equal(value_of(&streams, LRD_VERTEX_JOINTS, 0), ((uint16_t[]){ 1, 256, 3, 4 }), 8);
	assert_memory_equal(value_of(&streams, LRD_VERTEX_WEIGHTS, 0), ((uint16_t[]){ 32767, 16384, 8192, 8192 }), 8);
}

static void weights_are_wide_where_that_is_asked_for(void **state)
{
	(void)state;
	const uint16_t joints[] = { 1, 2, 3, 255 };
	const float weights[] = { 0.125f, 0.5f, 0.001f, 0.374f };
	lrd_geometry_streams narrow = pack_skin_as(joints, weights, &(lrd_geometry_pack_desc){ 0 });
	assert_int_equal(narrow.streams[LRD_STREAM_SKIN].stride, 8);
	assert_false(narrow.wide_weights);
	lrd_geometry_streams streams = pack_skin_as(joints, weights, &(lrd_geometry_pack_desc){ .wide_weights = true });
	assert_int_equal(streams.streams[LRD_STREAM_SKIN].stride, 16);
	assert_true(streams.wide_weights);
	assert_int_equal(find(&streams, LRD_VERTEX_JOINTS)->format, LRD_FORMAT_UINT16X4);
	assert_int_equal(find(&streams, LRD_VERTEX_WEIGHTS)->format, LRD_FORMAT_UNORM16X4_WEIGHTS);
	assert_memory_equal(value_of(&streams, LRD_VERTEX_JOINTS, 0), ((uint16_t[]){ 2, 255, 1, 3 }), 8);
	assert_memory_equal(value_of(&streams, LRD_VERTEX_WEIGHTS, 0), ((uint16_t[]){ 32767, 24510, 8192, 66 }), 8);
}

static void what_has_no_skin_has_no_wide_weights(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 1, 1);
	assert_true(lrd_geometry_any_tangents(&grid, NULL));
	lrd_geometry_streams streams = pack_as(&grid, &(lrd_geometry_pack_desc){ .wide_weights = true });
	assert_int_equal(streams.streams[LRD_STREAM_SKIN].stride, 0);
	assert_false(streams.wide_weights);
}

static void random_weights_always_sum_up_exactly(void **state)
{
	(void)state;
	for (uint32_t wide = 0; wide < 2; wide++)
	{
		lrd_geometry grid = shape_grid(arena, 100, 100);
		shape_dress(arena, &grid, 0);
		assert_true(lrd_geometry_any_tangents(&grid, NULL));
		grid.joints[0] = wide ? 999 : 1;
		lrd_geometry_streams streams = pack(&grid);
		for (size_t v = 0; v < grid.vertex_count; v++)
		{
			uint16_t wide_weights[4];
			const uint8_t *weights = value_of(&streams, LRD_VERTEX_WEIGHTS, v);
			memcpy(wide_weights, weights, wide ? 8 : 4);
			uint32_t sum = 0;
			uint32_t last = UINT32_MAX;
			for (size_t i = 0; i < 4; i++)
			{
				uint32_t weight = wide ? wide_weights[i] : weights[i];
				assert_true(weight <= last);
				last = weight;
				sum += weight;
			}
			assert_int_equal(sum, wide ? 65535 : 255);
		}
	}
}

static void only_vertices_that_move_have_morph_entries(void **state)
{
	(void)state;
	lrd_geometry grid = dressed_grid(3);
	memset(grid.morphs[1].positions, 0, 12 * grid.vertex_count);
	memset(grid.morphs[1].normals, 0, 12 * grid.vertex_count);
	memset(grid.morphs[1].tangents, 0, 12 * grid.vertex_count);
	grid.morphs[1].positions[3 * 20] = -0.0f;
	grid.morphs[1].positions[3 * 77 + 2] = 1e-30f;
	grid.morphs[2].normals = NULL;
	lrd_geometry_streams streams = pack(&grid);
	assert_int_equal(streams.morph_count, 3);
	assert_int_equal(streams.morphs[1].entry_count, 1);
	assert_int_equal(streams.morph_entries[streams.morphs[1].entry_offset].vertex, 77);
	uint32_t offset = 0;
	for (uint32_t m = 0; m < 3; m++)
	{
		assert_int_equal(streams.morphs[m].entry_offset, offset);
		for (uint32_t e = 1; e < streams.morphs[m].entry_count; e++)
		{
			assert_true(streams.morph_entries[offset + e].vertex > streams.morph_entries[offset + e - 1].vertex);
		}
		offset += streams.morphs[m].entry_count;
	}
	assert_int_equal(offset, streams.morph_entry_count);
}

static void morph_deltas_of_two_are_not_cut(void **state)
{
	(void)state;
	lrd_geometry grid = dressed_grid(1);
	memcpy(grid.morphs[0].normals, ((float[]){ -2.0f, 0.0f, 0.0f }), 12);
	memcpy(grid.morphs[0].tangents, ((float[]){ 0.0f, 2.0f, 1e-3f }), 12); // as rounding may leave it
	lrd_geometry_streams streams = pack(&grid);
	const lrd_morph_entry *entry = &streams.morph_entries[0];
	assert_int_equal(entry->vertex, 0);
	assert_int_equal(entry->normal[0], -32767);
	assert_int_equal(entry->normal[3], 0);
	assert_int_equal(entry->tangent[1], 32767);
	assert_int_equal(streams.shortened_deltas, 0);
}

static void longer_morph_deltas_are_shortened_and_counted(void **state)
{
	(void)state;
	lrd_geometry grid = dressed_grid(2);
	memcpy(grid.morphs[0].normals, ((float[]){ 30.0f, -40.0f, 0.0f }), 12);
	memcpy(grid.morphs[0].tangents, ((float[]){ 1.9f, 1.9f, 0.0f }), 12); // no component is past 2
	memcpy(grid.morphs[1].normals + 3, ((float[]){ -3e38f, 0.0f, 0.0f }), 12);
	lrd_geometry_streams streams = pack(&grid);
	assert_int_equal(streams.shortened_deltas, 3);
	const lrd_morph_entry *entry = &streams.morph_entries[0];
	assert_int_equal(entry->normal[0], 19660);
	assert_int_equal(entry->normal[1], -26214);
	assert_int_equal(entry->tangent[0], 23170);
	assert_int_equal(entry->tangent[1], 23170);
	const lrd_morph_entry *far = &streams.morph_entries[streams.morphs[1].entry_offset];
	far += far->vertex == 0;
	assert_int_equal(far->vertex, 1);
	assert_int_equal(far->normal[0], -32767);
}

// Longer than the difference of two unit vectors, rounding aside.
static bool is_too_long(const float *delta)
{
	double x = (double)delta[0];
	double y = (double)delta[1];
	double z = (double)delta[2];
	return x * x + y * y + z * z > 4.0 * (1.0 + 1e-5);
}

// One stored half against the delta: nothing wraps, every sign stays, and it is off by half a step at most.
static void assert_delta_is_kept(const int16_t half[4], const float *delta)
{
	double length = (double)lrd_vec3_length(vec3_at(delta, 0));
	double shorter = is_too_long(delta) ? 2.0 / length : 1.0;
	for (int axis = 0; axis < 3; axis++)
	{
		double stored = (double)half[axis] / 32767.0 * 2.0;
		assert_true(fabs(stored - (double)delta[axis] * shorter) <= 1.0 / 32767.0 + 1e-6);
		assert_true(half[axis] == 0 || (half[axis] < 0) == (delta[axis] < 0.0f));
	}
	assert_int_equal(half[3], 0);
}

static void random_morph_deltas_never_wrap(void **state)
{
	(void)state;
	shape_random random = { 31337 };
	for (int round = 0; round < 50; round++)
	{
		lrd_geometry grid = dressed_grid(2);
		uint32_t longer = 0;
		for (size_t i = 0; i < 3 * (size_t)grid.vertex_count; i++)
		{
			float size = ldexpf(1.0f, (int)(shape_random_next(&random) % 24) - 20);
			grid.morphs[0].normals[i] = shape_random_float(&random, -size, size);
			grid.morphs[0].tangents[i] = shape_random_float(&random, -2.0f, 2.0f);
		}
		lrd_geometry_streams streams = pack(&grid);
		const lrd_morph_entry *entry = streams.morph_entries;
		for (uint32_t i = 0; i < streams.morphs[0].entry_count; i++, entry++)
		{
			assert_delta_is_kept(entry->normal, grid.morphs[0].normals + 3 * (size_t)entry->vertex);
			assert_delta_is_kept(entry->tangent, grid.morphs[0].tangents + 3 * (size_t)entry->vertex);
		}
		for (size_t v = 0; v < grid.vertex_count; v++)
		{
			longer += is_too_long(grid.morphs[0].normals + 3 * v);
			longer += is_too_long(grid.morphs[0].tangents + 3 * v);
		}
		assert_int_equal(streams.shortened_deltas, longer);
		lrd_arena_reset(arena);
	}
}

static void deltas_that_are_no_numbers_are_none(void **state)
{
	(void)state;
	lrd_geometry grid = dressed_grid(1);
	memset(grid.morphs[0].positions, 0, 12 * grid.vertex_count);
	memset(grid.morphs[0].normals, 0, 12 * grid.vertex_count);
	memset(grid.morphs[0].tangents, 0, 12 * grid.vertex_count);
	grid.morphs[0].normals[4] = NAN;
	grid.morphs[0].tangents[10] = INFINITY;
	lrd_geometry_streams streams = pack(&grid);
	assert_int_equal(streams.morph_entry_count, 0);
	assert_int_equal(streams.shortened_deltas, 0);
}

static void positions_that_are_no_numbers_are_refused_by_name(void **state)
{
	(void)state;
	lrd_geometry grid = dressed_grid(2);
	lrd_geometry_streams streams;
	lrd_error error;
	grid.morphs[1].positions[3 * 8] = NAN;
	assert_false(lrd_geometry_pack(&grid, NULL, &streams, &error));
	assert_int_equal(error.code, LRD_ERROR_FORMAT);
	assert_non_null(strstr(error.message, "morph target 1 moves vertex 8"));
	grid.positions[3 * 5 + 1] = INFINITY;
	assert_false(lrd_geometry_pack(&grid, NULL, &streams, &error));
	assert_non_null(strstr(error.message, "vertex 5"));
}

static void missing_normals_or_tangents_are_refused(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 1, 1);
	lrd_geometry_streams streams;
	lrd_error error;
	assert_false(lrd_geometry_pack(&grid, NULL, &streams, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	assert_non_null(strstr(error.message, "no tangents"));
}

static void a_geometry_too_large_for_a_sphere_is_refused(void **state)
{
	(void)state;
	lrd_geometry grid = shape_grid(arena, 1, 1);
	assert_true(lrd_geometry_any_tangents(&grid, NULL));
	for (size_t axis = 0; axis < 3; axis++)
	{
		grid.positions[axis] = 3e38f;
		grid.positions[3 + axis] = -3e38f;
	}
	lrd_geometry_streams streams;
	lrd_error error;
	assert_false(lrd_geometry_pack(&grid, NULL, &streams, &error));
	assert_int_equal(error.code, LRD_ERROR_LIMIT);
}

// The whole way of a mesh, as the cook goes it.
static void what_is_packed_passes_the_formats_own_reader(void **state)
{
	(void)state;
	lrd_geometry grid = shape_flipped_grid(arena, 40, 40, 5);
	shape_dress(arena, &grid, 2);
	lrd_geometry_drop_degenerate(&grid);
	assert_true(lrd_geometry_tangents(&grid, 0, NULL, NULL) && lrd_geometry_weld(&grid, NULL));
	lrd_geometry_meshlets meshlets;
	assert_true(lrd_geometry_build_meshlets(&grid, &meshlets, NULL));
	lrd_geometry_streams streams = pack(&grid);
	lrd_mesh_lod lod;
	lrd_mesh_view mesh = geometry_view(&grid, &meshlets, &streams, &lod);
	lrd_buffer file = { 0 };
	lrd_error error;
	if (!lrd_mesh_write(&mesh, &file, &error))
	{
		fail_msg("%s", error.message);
	}
	lrd_buffer_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		GEOMETRY_TEST(a_surface_vertex_decodes_to_what_was_packed),
		GEOMETRY_TEST(missing_colour_is_white_and_missing_uv_zero),
		GEOMETRY_TEST(numbers_that_are_none_become_zero_or_a_usable_direction),
		GEOMETRY_TEST(weights_are_sorted_and_sum_up_by_largest_remainder),
		GEOMETRY_TEST(joints_without_weight_are_zero),
		GEOMETRY_TEST(weights_are_wide_where_that_is_asked_for),
		GEOMETRY_TEST(what_has_no_skin_has_no_wide_weights),
		GEOMETRY_TEST(weights_that_are_none_count_as_zero),
		GEOMETRY_TEST(a_joint_above_255_makes_the_skin_wide),
		GEOMETRY_TEST(random_weights_always_sum_up_exactly),
		GEOMETRY_TEST(only_vertices_that_move_have_morph_entries),
		GEOMETRY_TEST(morph_deltas_of_two_are_not_cut),
		GEOMETRY_TEST(longer_morph_deltas_are_shortened_and_counted),
		GEOMETRY_TEST(random_morph_deltas_never_wrap),
		GEOMETRY_TEST(deltas_that_are_no_numbers_are_none),
		GEOMETRY_TEST(positions_that_are_no_numbers_are_refused_by_name),
		GEOMETRY_TEST(missing_normals_or_tangents_are_refused),
		GEOMETRY_TEST(a_geometry_too_large_for_a_sphere_is_refused),
		GEOMETRY_TEST(what_is_packed_passes_the_formats_own_reader),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
