// .lmesh: what the writer makes and refuses, and what an open mesh answers. What the reader refuses is in
// test_format_mesh_rules.c.

#include "fixtures/cooked_file.h"

#include "failing_allocator.h"
#include "fixtures/make_mesh.h"
#include "fixtures/read_whole.h"

static const make_mesh_desc everything = {
	.quads = 8, .lods = 3, .skin_bits = 8, .morphs = 2, .uv1 = true, .material = "models/fixture/material.red"
};

/// A mesh file; the arena may go.
static lrd_buffer written(const make_mesh_desc *desc)
{
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	lrd_mesh_view view = make_mesh(arena, desc);
	assert_int_not_equal(view.vertex_count, 0);
	lrd_buffer file = { 0 };
	lrd_error error = { 0 };
	if (!lrd_mesh_write(&view, &file, &error))
	{
		fail_msg("%s", error.message);
	}
	lrd_arena_destroy(arena);
	return file;
}

static lrd_mesh_view opened(const lrd_buffer *file)
{
	lrd_mesh_view view;
	lrd_error error = { 0 };
	if (!lrd_mesh_open(file->data, file->size, &view, &error))
	{
		fail_msg("%s", error.message);
	}
	return view;
}

static void golden_mesh_is_written_byte_for_byte(void **state)
{
	(void)state;
	lrd_buffer file = written(&everything);
	assert_golden("golden.lmesh", &file);
	lrd_error error = { 0 };
	assert_true(read_whole_mesh(file.data, file.size, &error));
	lrd_buffer_free(&file);
}

static void every_combination_of_streams_is_written_and_read_back(void **state)
{
	(void)state;
	for (uint32_t bits = 0; bits < 48; bits++)
	{
		make_mesh_desc desc = { .quads = 4,
			.lods = 1 + bits % 2,
			.skin_bits = bits / 16 * 8,
			.morphs = (bits & 8) / 4,
			.uv1 = (bits & 2) != 0,
			.quantised = (bits & 4) != 0 };
		lrd_buffer file = written(&desc);
		lrd_error error = { 0 };
		if (!read_whole_mesh(file.data, file.size, &error))
		{
			fail_msg("combination %u: %s", bits, error.message);
		}
		lrd_buffer_free(&file);
	}
}

static void view_tells_what_was_written(void **state)
{
	(void)state;
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	lrd_mesh_view source = make_mesh(arena, &everything);
	lrd_buffer file = { 0 };
	assert_true(lrd_mesh_write(&source, &file, NULL));
	lrd_mesh_view view = opened(&file);
	assert_int_equal(view.flags, source.flags);
	assert_int_equal(view.vertex_count, 81);
	assert_int_equal(view.lod_count, 3);
	assert_int_equal(view.raytracing_lod_bias, 1);
	assert_memory_equal(&view.bounds, &source.bounds, sizeof view.bounds);
	assert_true(view.uv_density[0] == 0.25f && view.uv_density[1] == 0.125f);
	assert_true(lrd_string_equal(view.material, LRD_STR("models/fixture/material.red")));
	assert_int_equal(view.meshlet_count, source.meshlet_count);
	assert_memory_equal(view.meshlets, source.meshlets, view.meshlet_count * sizeof *view.meshlets);
	for (uint32_t s = 0; s < LRD_STREAM_COUNT; s++)
	{
		assert_int_equal(view.streams[s].stride, source.streams[s].stride);
		assert_memory_equal(
			view.streams[s].data, source.streams[s].data, (size_t)view.vertex_count * view.streams[s].stride);
	}
	assert_true(lrd_string_equal(lrd_mesh_morph_name(&view, 1), LRD_STR("morph1")));
	assert_int_equal(lrd_mesh_morph_name(&view, 2).size, 0);
	lrd_buffer_free(&file);
	lrd_arena_destroy(arena);
}

static void targets_that_move_no_vertex_are_written_and_read_back(void **state)
{
	(void)state;
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	lrd_mesh_view source = make_mesh(arena, &everything);
	lrd_morph_target still[2] = { source.morphs[0], source.morphs[1] };
	still[0].entry_count = still[1].entry_count = still[1].entry_offset = 0;
	source.morphs = still;
	source.morph_entries = NULL;
	source.morph_entry_count = 0;
	lrd_buffer file = { 0 };
	assert_true(lrd_mesh_write(&source, &file, NULL));
	lrd_mesh_view view = opened(&file);
	assert_int_equal(view.morph_count, 2);
	assert_int_equal(view.morphs[1].entry_count, 0);
	lrd_buffer_free(&file);
	lrd_arena_destroy(arena);
}

static void blocks_are_aligned_for_reading_in_place(void **state)
{
	(void)state;
	lrd_buffer file = written(&everything);
	lrd_mesh_view view = opened(&file);
	const void *blocks[] = { view.lods, view.meshlets, view.meshlet_vertices, view.meshlet_triangles,
		view.streams[0].data, view.streams[1].data, view.streams[2].data, view.streams[3].data, view.morphs,
		view.morph_entries, view.strings.data };
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
	{
		assert_int_equal((uintptr_t)blocks[i] % 16, 0);
	}
	lrd_buffer_free(&file);
}

static void indices_are_a_lods_triangles_in_order(void **state)
{
	(void)state;
	lrd_buffer file = written(&everything);
	lrd_mesh_view view = opened(&file);
	for (uint32_t lod = 0; lod < view.lod_count; lod++)
	{
		uint32_t count = lrd_mesh_index_count(&view, lod);
		assert_int_equal(count, (8u >> lod) * (8u >> lod) * 6);
		uint32_t *indices = malloc((count + 1) * sizeof *indices);
		assert_non_null(indices);
		indices[count] = 0x5eed;
		lrd_mesh_write_indices(&view, lod, indices);
		assert_int_equal(indices[count], 0x5eed);
		uint32_t at = 0;
		for (uint32_t m = 0; m < view.lods[lod].meshlet_count; m++)
		{
			const lrd_meshlet *meshlet = &view.meshlets[view.lods[lod].meshlet_offset + m];
			for (uint32_t i = 0; i < meshlet->triangle_count * 3; i++, at++)
			{
				uint8_t local = view.meshlet_triangles[meshlet->triangle_offset * 3 + i];
				assert_int_equal(indices[at], view.meshlet_vertices[meshlet->vertex_offset + local]);
			}
		}
		assert_int_equal(at, count);
		free(indices);
	}
	lrd_buffer_free(&file);
}

static void indices_of_every_meshlet_size_are_right(void **state)
{
	(void)state;
	for (uint32_t quads = 1; quads < 24; quads++)
	{
		lrd_buffer file = written(&(make_mesh_desc){ .quads = quads, .lods = 1 });
		lrd_mesh_view view = opened(&file);
		uint32_t count = lrd_mesh_index_count(&view, 0);
		uint32_t *indices = malloc(count * sizeof *indices);
		assert_non_null(indices);
		lrd_mesh_write_indices(&view, 0, indices);
		uint32_t at = 0;
		for (const lrd_meshlet *meshlet = view.meshlets; meshlet < view.meshlets + view.meshlet_count; meshlet++)
		{
			for (uint32_t i = 0; i < meshlet->triangle_count * 3; i++, at++)
			{
				uint8_t local = view.meshlet_triangles[meshlet->triangle_offset * 3 + i];
				assert_int_equal(indices[at], view.meshlet_vertices[meshlet->vertex_offset + local]);
			}
		}
		free(indices);
		lrd_buffer_free(&file);
	}
}

static void lod_that_is_not_there_has_no_indices(void **state)
{
	(void)state;
	lrd_buffer file = written(&everything);
	lrd_mesh_view view = opened(&file);
	uint32_t untouched = 0x5eed;
	assert_int_equal(lrd_mesh_index_count(&view, 3), 0);
	lrd_mesh_write_indices(&view, 3, &untouched);
	assert_int_equal(untouched, 0x5eed);
	lrd_buffer_free(&file);
}

static void fill_is_that_of_the_lods_meshlets(void **state)
{
	(void)state;
	// 16 quads a side in tiles of 7, 7 and 2: of meshlets of 4, 28 and 98 triangles the last does not count as small.
	lrd_buffer file = written(&(make_mesh_desc){ .quads = 16, .lods = 2 });
	lrd_mesh_view view = opened(&file);
	lrd_mesh_fill fill;
	lrd_mesh_measure_fill(&view, 0, &fill);
	assert_int_equal(fill.meshlets, 9);
	assert_int_equal(fill.cones, 0);
	assert_int_equal(fill.small, 4);
	assert_float_equal(fill.triangles, 512.0f / 9.0f, 1e-5f);
	assert_float_equal(fill.vertices, (4.0f * 64.0f + 4.0f * 24.0f + 9.0f) / 9.0f, 1e-5f);
	lrd_mesh_measure_fill(&view, 1, &fill);
	assert_int_equal(fill.meshlets, 4);
	assert_int_equal(fill.small, 2);
	lrd_mesh_measure_fill(&view, 2, &fill);
	const lrd_mesh_fill none = { 0 };
	assert_memory_equal(&fill, &none, sizeof fill);
	lrd_buffer_free(&file);
}

static void a_meshlet_without_room_is_not_small(void **state)
{
	(void)state;
	lrd_meshlet meshlets[] = { { .vertex_count = 61, .triangle_count = 31, .cone_cutoff = 1.0f },
		{ .vertex_count = 62, .triangle_count = 21, .cone_cutoff = 0.5f },
		{ .vertex_count = 61, .triangle_count = 32, .cone_cutoff = -1.0f },
		{ .vertex_count = 3, .triangle_count = 1, .cone_cutoff = 1.0f } };
	const lrd_mesh_lod lod = { .meshlet_count = 4, .triangle_count = 85 };
	const lrd_mesh_view view = { .lods = &lod, .lod_count = 1, .meshlets = meshlets, .meshlet_count = 4 };
	lrd_mesh_fill fill;
	lrd_mesh_measure_fill(&view, 0, &fill);
	assert_int_equal(fill.small, 1);
	assert_int_equal(fill.cones, 2);
}

static void attributes_are_found_by_semantic(void **state)
{
	(void)state;
	lrd_buffer file = written(&(make_mesh_desc){ .quads = 2, .lods = 1, .quantised = true });
	lrd_mesh_view view = opened(&file);
	assert_int_equal(lrd_mesh_attribute(&view, LRD_VERTEX_POSITION)->format, LRD_FORMAT_UNORM16X4);
	assert_int_equal(lrd_mesh_attribute(&view, LRD_VERTEX_UV0)->format, LRD_FORMAT_F16X2);
	assert_null(lrd_mesh_attribute(&view, LRD_VERTEX_JOINTS));
	assert_int_equal(lrd_vertex_format_size(LRD_FORMAT_UNORM16X4_WEIGHTS), 8);
	assert_int_equal(lrd_vertex_format_size((lrd_vertex_format)11), 0);
	lrd_buffer_free(&file);
}

static void misaligned_bytes_are_the_callers_mistake(void **state)
{
	(void)state;
	lrd_buffer file = written(&everything);
	uint8_t *shifted = cooked_copy(file.data, file.size + 0);
	shifted = realloc(shifted, file.size + 16);
	assert_non_null(shifted);
	memmove(shifted + 4, file.data, file.size);
	lrd_mesh_view view;
	lrd_error error = { 0 };
	assert_false(lrd_mesh_open(shifted + 4, file.size, &view, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	free(shifted);
	lrd_buffer_free(&file);
}

static void mesh_is_written_into_the_buffer_it_was_read_from(void **state)
{
	(void)state;
	lrd_buffer file = written(&everything);
	void *before = cooked_copy(file.data, file.size);
	size_t size = file.size;
	lrd_mesh_view view = opened(&file);
	assert_true(lrd_mesh_write(&view, &file, NULL));
	assert_int_equal(file.size, size);
	assert_memory_equal(file.data, before, size);
	free(before);
	lrd_buffer_free(&file);
}

static void layout_in_another_order_is_kept(void **state)
{
	(void)state;
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	lrd_mesh_view view = make_mesh(arena, &(make_mesh_desc){ .quads = 2, .lods = 1 });
	const lrd_vertex_attribute other[] = {
		{ LRD_VERTEX_COLOR, LRD_FORMAT_UNORM8X4, LRD_STREAM_SURFACE, 0 },
		{ LRD_VERTEX_UV0, LRD_FORMAT_F32X2, LRD_STREAM_SURFACE, 12 },
		{ LRD_VERTEX_NORMAL, LRD_FORMAT_OCT_SNORM16X2, LRD_STREAM_SURFACE, 8 },
		{ LRD_VERTEX_TANGENT, LRD_FORMAT_OCT_TANGENT16X2, LRD_STREAM_SURFACE, 4 },
		{ LRD_VERTEX_POSITION, LRD_FORMAT_F32X3, LRD_STREAM_POSITION, 0 },
	};
	static const uint32_t surface[9][5];
	view.attributes = other;
	view.streams[LRD_STREAM_SURFACE].data = surface;
	lrd_buffer file = { 0 };
	lrd_error error = { 0 };
	assert_true(lrd_mesh_write(&view, &file, &error));
	lrd_mesh_view again = opened(&file);
	assert_memory_equal(again.attributes, other, sizeof other);
	lrd_buffer_free(&file);
	lrd_arena_destroy(arena);
}

static void assert_writer_refuses(const lrd_mesh_view *view, const char *says)
{
	lrd_buffer file = { 0 };
	lrd_error error = { 0 };
	assert_false(lrd_mesh_write(view, &file, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	if (strstr(error.message, says) == NULL)
	{
		fail_msg("expected \"%s\", got \"%s\"", says, error.message);
	}
	assert_null(file.data);
	assert_int_equal(file.size, 0);
}

static void writer_refuses_what_breaks_a_rule(void **state)
{
	(void)state;
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	const lrd_mesh_view sound = make_mesh(arena, &everything);
	lrd_mesh_view view = sound;
	view.vertex_count = 40;
	assert_writer_refuses(&view, "meshlet_vertices[");
	view = sound;
	view.meshlets = NULL;
	assert_writer_refuses(&view, "meshlets: 6 expected, but the pointer is NULL");
	view = sound;
	view.attribute_count = 9;
	assert_writer_refuses(&view, "attribute_count: found 9");
	view = sound;
	view.attributes = NULL;
	assert_writer_refuses(&view, "attributes: 8 expected, but the pointer is NULL");
	view = sound;
	view.strings.size = 8;
	assert_writer_refuses(&view, "morph 1: its string's offset 6 + size 6 passes the strings (8 bytes)");
	view = sound;
	view.material = LRD_STR("../red");
	assert_writer_refuses(&view, "../red");
	view = sound;
	view.material = (lrd_string){ "r\xff", 2 };
	assert_writer_refuses(&view, "lmesh: material: ");
	view = sound;
	view.streams[LRD_STREAM_UV1] = (lrd_mesh_stream){ 0 };
	assert_writer_refuses(&view, "attribute 5: uv1");
	lrd_arena_destroy(arena);
}

static void writer_survives_every_failing_allocation(void **state)
{
	(void)state;
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	lrd_mesh_view view = make_mesh(arena, &everything);
	bool done = false;
	for (long long succeed = 0; !done; succeed++)
	{
		failing_allocator memory;
		failing_allocator_init(&memory, succeed);
		lrd_buffer file = { .allocator = failing_allocator_get(&memory) };
		lrd_error error = { 0 };
		done = lrd_mesh_write(&view, &file, &error);
		if (!done)
		{
			assert_int_equal(error.code, LRD_ERROR_MEMORY);
			assert_null(file.data);
		}
		assert_true(succeed < 100);
		lrd_buffer_free(&file);
		assert_int_equal(memory.bytes_out, 0);
	}
	lrd_arena_destroy(arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_mesh_is_written_byte_for_byte),
		cmocka_unit_test(every_combination_of_streams_is_written_and_read_back),
		cmocka_unit_test(view_tells_what_was_written),
		cmocka_unit_test(targets_that_move_no_vertex_are_written_and_read_back),
		cmocka_unit_test(blocks_are_aligned_for_reading_in_place),
		cmocka_unit_test(indices_are_a_lods_triangles_in_order),
		cmocka_unit_test(indices_of_every_meshlet_size_are_right),
		cmocka_unit_test(lod_that_is_not_there_has_no_indices),
		cmocka_unit_test(fill_is_that_of_the_lods_meshlets),
		cmocka_unit_test(a_meshlet_without_room_is_not_small),
		cmocka_unit_test(attributes_are_found_by_semantic),
		cmocka_unit_test(misaligned_bytes_are_the_callers_mistake),
		cmocka_unit_test(mesh_is_written_into_the_buffer_it_was_read_from),
		cmocka_unit_test(layout_in_another_order_is_kept),
		cmocka_unit_test(writer_refuses_what_breaks_a_rule),
		cmocka_unit_test(writer_survives_every_failing_allocation),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
