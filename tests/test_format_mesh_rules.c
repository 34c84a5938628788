// .lmesh: each rule of the reader, by spoiling one field; files cut short; files with flipped bits.

#include "fixtures/cooked_file.h"

#include "fixtures/make_mesh.h"
#include "fixtures/read_whole.h"
#include "format/mesh.h"

#define NAN_BITS 0x7fc00000u
#define INFINITY_BITS 0x7f800000u
#define ONE_BITS 0x3f800000u
#define MINUS_ONE_BITS 0xbf800000u

static lrd_buffer written(const make_mesh_desc *desc)
{
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	lrd_mesh_view view = make_mesh(arena, desc);
	lrd_buffer file = { 0 };
	lrd_error error = { 0 };
	if (!lrd_mesh_write(&view, &file, &error))
	{
		fail_msg("%s", error.message);
	}
	lrd_arena_destroy(arena);
	return file;
}

static const make_mesh_desc plain = {
	.quads = 8, .lods = 2, .morphs = 2, .uv1 = true, .skin_bits = 8, .material = "red"
};

static lrd_mesh_view opened(const lrd_buffer *file)
{
	lrd_mesh_view view;
	assert_true(lrd_mesh_open(file->data, file->size, &view, NULL));
	return view;
}

static void assert_all_refused(const lrd_buffer *file, const cooked_damage *damages, size_t count)
{
	for (size_t i = 0; i < count; i++)
	{
		assert_damage_refused(read_whole_mesh, file->data, file->size, &damages[i]);
	}
}

#define HEADER(member) offsetof(lrd_mesh_header, member)
#define AT(pointer) ((size_t)((const uint8_t *)(pointer)-file.data))
#define ALL(damages) &file, damages, sizeof(damages) / sizeof *(damages)

static void header_rules_hold(void **state)
{
	(void)state;
	lrd_buffer file = written(&plain);
	const cooked_damage damages[] = {
		{ HEADER(magic), 4, 0x48534d4b, "lmesh: magic: found 4b 4d 53 48, expected \"LMSH\"" },
		{ HEADER(version), 4, 2, "version: found 2, this reader wants 1; cook the source again" },
		{ HEADER(file_size), 8, 5, "file_size: found 5, but the file has" },
		{ HEADER(flags), 4, 0x87, "flags: found 0x87, known are 0x7f" },
		{ HEADER(flags), 4, 0x6, "flags: skinned is not set, but the file has what it stands for" },
		{ HEADER(flags), 4, 0x5, "flags: morphed is not set" },
		{ HEADER(flags), 4, 0x3, "flags: uv1 is not set" },
		{ HEADER(vertex_count), 4, 0, "vertex_count: a mesh has at least one vertex" },
		{ HEADER(lod_count), 4, 0, "lod_count: found 0, allowed are 1 to 16" },
		{ HEADER(lod_count), 4, 17, "lod_count: found 17" },
		{ HEADER(vertex_count), 4, 0xffffffff, "pass the file's end" },
		{ HEADER(meshlet_triangle_count), 4, 0xffffffff, "meshlet_triangle_count: found 4294967295" },
		{ HEADER(meshlet_count), 4, 0xffffffff, "meshlets: 4294967295 x 64 bytes at byte 224 pass the file's end" },
		{ HEADER(string_size), 4, 14, "the last block ends at byte" },
		{ HEADER(raytracing_lod_bias), 4, 16, "raytracing_lod_bias: found 16, allowed are 0 to 15" },
		{ HEADER(uv_density[0]), 4, NAN_BITS, "uv_density: found nan of uv0; it is finite and not negative" },
		{ HEADER(uv_density[0]), 4, MINUS_ONE_BITS, "uv_density: found -1 of uv0" },
		{ HEADER(uv_density[1]), 4, INFINITY_BITS, "uv_density: found inf of uv1" },
		{ HEADER(reserved), 4, 1, "reserved" },
		{ HEADER(bounds.min.y), 4, NAN_BITS, "bounds: every number must be finite" },
		{ HEADER(bounds.radius), 4, INFINITY_BITS, "bounds: every number must be finite" },
		{ HEADER(bounds.radius), 4, MINUS_ONE_BITS, "bounds: radius -1 is negative" },
		{ HEADER(bounds.min.x), 4, 0x42c80000, "bounds: min (100, 0, -4) passes max" },
		{ HEADER(position_scale), 4, 0, "position_scale, position_offset: found 0, 0 on axis 0" },
		{ HEADER(position_offset[2]), 4, ONE_BITS, "position_scale, position_offset: found 1, 1 on axis 2" },
	};
	assert_all_refused(ALL(damages));
	lrd_buffer_free(&file);
}

static void a_set_that_is_not_there_has_no_density(void **state)
{
	(void)state;
	lrd_buffer file = written(&(make_mesh_desc){ .quads = 2, .lods = 1 });
	const cooked_damage damages[] = {
		{ HEADER(uv_density[1]), 4, ONE_BITS, "uv_density: found 1 of uv1, which the mesh has not" },
	};
	assert_all_refused(ALL(damages));
	lrd_buffer_free(&file);
}

static void layout_rules_hold(void **state)
{
	(void)state;
	lrd_buffer file = written(&plain);
	size_t table = HEADER(attributes);
	const cooked_damage damages[] = {
		{ HEADER(attribute_count), 4, 9, "attribute_count: found 9, allowed are up to 8" },
		{ HEADER(attribute_count), 4, 7, "attributes: rows past attribute_count must be zero" },
		{ table, 1, 8, "attribute 0: semantic 8, known are 0 to 7" },
		{ table + 4, 1, LRD_VERTEX_POSITION, "attribute 1: a second position" },
		{ table + 1, 1, LRD_FORMAT_F32X2, "attribute 0: format 1 is none that position has" },
		{ table + 1, 1, 255, "attribute 0: format 255" },
		{ table + 4 + 1, 1, LRD_FORMAT_OCT_TANGENT16X2, "attribute 1: format 6 is none that normal has" },
		{ table + 2, 1, LRD_STREAM_SURFACE, "attribute 0: position in stream 1, it belongs to 0 (position)" },
		{ table + 2, 1, 9, "attribute 0: position in stream 9" },
		{ table + 3, 1, 4, "attribute 0: position from byte 4 to 16 of a vertex, which has 12 bytes" },
		{ table + 4 + 3, 1, 2, "attribute 1: normal from byte 2 to 6" },
		{ table + 4 + 3, 1, 4, "attribute 2: overlaps an earlier one in stream surface" },
		{ HEADER(stream_strides[1]), 4, 24, "stream surface: 24 bytes a vertex, but its attributes have 20 together" },
		{ HEADER(stream_strides[2]), 4, 0, "attribute 5: uv1 from byte 0 to 8 of a vertex, which has 0 bytes" },
		{ HEADER(attributes[6].format), 1, LRD_FORMAT_UINT16X4, "attribute 7: overlaps an earlier one in stream skin" },
	};
	assert_all_refused(ALL(damages));
	lrd_buffer_free(&file);
}

static void every_mesh_has_the_five_common_attributes(void **state)
{
	(void)state;
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	lrd_mesh_view view = make_mesh(arena, &(make_mesh_desc){ .quads = 2, .lods = 1 });
	lrd_buffer file = { 0 };
	lrd_error error = { 0 };
	view.attribute_count = 4;
	assert_false(lrd_mesh_write(&view, &file, &error));
	assert_non_null(strstr(error.message, "no color, which every mesh has"));
	lrd_arena_destroy(arena);
}

static void joints_and_weights_agree(void **state)
{
	(void)state;
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	lrd_mesh_view view = make_mesh(arena, &(make_mesh_desc){ .quads = 2, .lods = 1, .skin_bits = 16 });
	lrd_vertex_attribute rows[LRD_VERTEX_SEMANTIC_COUNT];
	memcpy(rows, view.attributes, view.attribute_count * sizeof *rows);
	view.attributes = rows;
	lrd_buffer file = { 0 };
	lrd_error error = { 0 };
	rows[6].format = LRD_FORMAT_UNORM8X4;
	view.streams[LRD_STREAM_SKIN].stride = 12;
	assert_false(lrd_mesh_write(&view, &file, &error));
	assert_non_null(strstr(error.message, "joints of format 9 with weights of format 7; both have 8 bits or 16"));
	view.attribute_count = 6;
	view.streams[LRD_STREAM_SKIN].stride = 8;
	assert_false(lrd_mesh_write(&view, &file, &error));
	assert_non_null(strstr(error.message, "joints and weights come together"));
	lrd_arena_destroy(arena);
}

static void topology_rules_hold(void **state)
{
	(void)state;
	lrd_buffer file = written(&plain);
	lrd_mesh_view v = opened(&file);
	assert_int_equal(v.meshlet_count, 5);
	const cooked_damage damages[] = {
		{ AT(&v.meshlets[3].vertex_offset), 4, 900,
			"meshlet 3: vertex_offset 900 + vertex_count 4 passes meshlet_vertices" },
		{ AT(&v.meshlets[1].vertex_offset), 4, 0,
			"meshlet 1: vertex_offset 0, expected 64: meshlets lie back to back" },
		{ AT(&v.meshlets[1].vertex_count), 4, 65, "meshlet 1: vertex_count 65, allowed are 1 to 64" },
		{ AT(&v.meshlets[1].vertex_count), 4, 0, "meshlet 1: vertex_count 0, allowed are 1 to 64" },
		{ AT(&v.meshlets[1].triangle_count), 4, 125, "meshlet 1: triangle_count 125, allowed are 1 to 124" },
		{ AT(&v.meshlets[2].triangle_offset), 4, 7, "meshlet 2: triangle_offset 7, expected" },
		{ AT(&v.meshlets[2].triangle_offset), 4, 0xffffffff, "meshlet 2: triangle_offset 4294967295 + triangle_count" },
		{ AT(&v.meshlets[4].vertex_count), 4, 24, "meshlet 4: triangle" },
		{ AT(&v.meshlets[0].centre[1]), 4, NAN_BITS, "meshlet 0: sphere and cone must be finite" },
		{ AT(&v.meshlets[0].cone_apex[2]), 4, INFINITY_BITS, "meshlet 0: sphere and cone must be finite" },
		{ AT(&v.meshlets[0].radius), 4, MINUS_ONE_BITS, "meshlet 0: radius -1 is negative" },
		{ AT(&v.meshlets[0].cone_cutoff), 4, 0x40000000, "meshlet 0: cone_cutoff 2, allowed are -1 to 1" },
		{ AT(&v.meshlets[4].reserved), 4, 1, "meshlet 4: reserved is 0x1, must be zero" },
		{ AT(&v.meshlet_vertices[17]), 4, 81, "meshlet_vertices[17]: vertex 81, but vertex_count is 81" },
		{ AT(&v.meshlet_triangles[4]), 1, 64, "meshlet 0: triangle 1: local vertex 64, but vertex_count is 64" },
		{ AT(&v.meshlet_triangles[v.meshlet_triangle_count * 3 - 1]), 1, 200,
			"meshlet 4: triangle 31: local vertex 200" },
		{ AT(&v.lods[1].meshlet_offset), 4, 3, "lod 1: meshlet_offset 3, meshlet_count 1; expected are offset 4" },
		{ AT(&v.lods[0].meshlet_count), 4, 0, "lod 0: meshlet_offset 0, meshlet_count 0" },
		{ AT(&v.lods[1].meshlet_count), 4, 2, "lod 1: meshlet_offset 4, meshlet_count 2" },
		{ AT(&v.lods[0].triangle_count), 4, 127, "lod 0: triangle_count 127, but its meshlets have 128" },
		{ AT(&v.lods[0].error), 4, ONE_BITS, "lod 0: error 1; the first is 0" },
		{ AT(&v.lods[1].error), 4, MINUS_ONE_BITS,
			"lod 1: error -1; the first is 0, none is below the one before it (0)" },
		{ AT(&v.lods[1].error), 4, NAN_BITS, "lod 1: error" },
	};
	assert_all_refused(ALL(damages));
	lrd_buffer_free(&file);
}

static void lods_cover_every_meshlet(void **state)
{
	(void)state;
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	lrd_mesh_view view = make_mesh(arena, &plain);
	view.lod_count = 1;
	lrd_buffer file = { 0 };
	lrd_error error = { 0 };
	assert_false(lrd_mesh_write(&view, &file, &error));
	assert_non_null(strstr(error.message, "lods: have 4 meshlets together, but meshlet_count is 5"));
	view = make_mesh(arena, &plain);
	view.meshlet_vertex_count -= 5;
	view.meshlet_vertex_count += 6; // the remap's array has room
	assert_false(lrd_mesh_write(&view, &file, &error));
	assert_non_null(strstr(error.message, "but meshlet_vertex_count is"));
	lrd_arena_destroy(arena);
}

static void vertex_rules_hold(void **state)
{
	(void)state;
	lrd_buffer file = written(&plain);
	lrd_mesh_view v = opened(&file);
	const uint8_t *position = v.streams[LRD_STREAM_POSITION].data;
	const uint8_t *surface = v.streams[LRD_STREAM_SURFACE].data;
	const uint8_t *uv1 = v.streams[LRD_STREAM_UV1].data;
	const uint8_t *skin = v.streams[LRD_STREAM_SKIN].data;
	const cooked_damage damages[] = {
		{ AT(position + 12 * 80 + 8), 4, NAN_BITS, "position of vertex 80: (" },
		{ AT(position + 12 * 3), 4, INFINITY_BITS, "position of vertex 3: (inf" },
		{ AT(position + 12 * 3), 4, 0x42c80000, "position of vertex 3: (100, " },
		{ HEADER(bounds.radius), 4, 0, "is outside the bounds: box (0, 0, -4) to (4, 2, 0), sphere of radius 0" },
		{ HEADER(bounds.max.y), 4, ONE_BITS, "is outside the bounds: box (0, 0, -4) to (4, 1, 0)" },
		{ AT(surface + 20 * 7 + 8), 4, NAN_BITS, "uv0 of vertex 7: not finite" },
		{ AT(surface + 20 * 80 + 12), 4, INFINITY_BITS, "uv0 of vertex 80: not finite" },
		{ AT(uv1 + 8 * 80 + 4), 4, NAN_BITS, "uv1 of vertex 80: not finite" },
		{ AT(skin - 1), 1, 1, "before skin, must be zero" },
		{ AT(skin + 8 * 79 + 7), 1, 1, "weights of vertex 79: sum up to 256, not to 255" },
		{ AT(skin + 8 * 80 + 4), 4, 0, "weights of vertex 80: sum up to 0, not to 255" },
	};
	assert_all_refused(ALL(damages));
	lrd_buffer_free(&file);
}

static void quantised_vertex_rules_hold(void **state)
{
	(void)state;
	lrd_buffer file = written(&(make_mesh_desc){ .quads = 20, .lods = 1, .skin_bits = 16, .quantised = true });
	lrd_mesh_view v = opened(&file);
	const uint8_t *position = v.streams[LRD_STREAM_POSITION].data;
	const uint8_t *surface = v.streams[LRD_STREAM_SURFACE].data;
	const uint8_t *skin = v.streams[LRD_STREAM_SKIN].data;
	const cooked_damage damages[] = {
		{ HEADER(position_scale), 4, NAN_BITS, "position_scale, position_offset: found nan" },
		{ HEADER(position_scale), 4, MINUS_ONE_BITS, "position_scale, position_offset: found -1, 0 on axis 0" },
		{ HEADER(position_offset), 4, INFINITY_BITS, "position_scale, position_offset: found 10, inf on axis 0" },
		{ HEADER(position_scale), 4, 0x41300000, "is outside the bounds" },
		{ HEADER(bounds.radius), 4, ONE_BITS, "is outside the bounds" },
		{ AT(position + 8 * 400 + 6), 2, 1, "the fourth component of quantised positions must be zero" },
		{ AT(surface + 16 * 300 + 8), 2, 0x7c00, "uv0 of vertex 300: not finite" },
		{ AT(surface + 16 * 300 + 10), 2, 0xfe00, "uv0 of vertex 300: not finite" },
		{ AT(skin + 16 * 440 + 14), 2, 1, "weights of vertex 440: sum up to 65536, not to 65535" },
	};
	assert_all_refused(ALL(damages));
	lrd_buffer_free(&file);
}

static void morph_rules_hold(void **state)
{
	(void)state;
	lrd_buffer file = written(&plain);
	lrd_mesh_view v = opened(&file);
	const cooked_damage damages[] = {
		{ AT(&v.morphs[1].entry_offset), 4, 0, "morph 1: entry_offset 0, entry_count 27; expected are offset 27" },
		{ AT(&v.morphs[1].entry_count), 4, 28, "morph 1: entry_offset 27, entry_count 28" },
		{ AT(&v.morphs[1].entry_count), 4, 26, "morphs: have 53 entries together, but morph_entry_count is 54" },
		{ AT(&v.morphs[0].default_weight), 4, NAN_BITS, "morph 0: default_weight is not finite" },
		{ AT(&v.morphs[1].reserved[2]), 4, 1, "morph 1: reserved must be zero" },
		{ AT(&v.morph_entries[30].vertex), 4, 6, "morph 1: entry 3: vertex 6 is not above the vertex before it" },
		{ AT(&v.morph_entries[53].vertex), 4, 81, "morph 1: entry 26: vertex 81 is past vertex_count" },
		{ AT(&v.morph_entries[5].vertex), 4, 0xffffffff, "morph 0: entry 5: vertex 4294967295 is past vertex_count" },
		{ AT(&v.morph_entries[5].position[2]), 4, NAN_BITS, "vertex 15 has a position delta that is not finite" },
		{ AT(&v.morph_entries[5].normal[3]), 2, 1, "vertex 15 has a fourth component that is not zero" },
		{ AT(&v.morph_entries[5].tangent[3]), 2, 0x8000, "vertex 15 has a fourth component that is not zero" },
		{ AT(&v.morph_entries[5].normal[0]), 2, 0x8000,
			"vertex 15 has a normal or tangent delta that is longer than 2" },
		{ AT(&v.morph_entries[5].tangent[0]), 4, 0x7fff7fff, "vertex 15 has a normal or tangent delta that is longer" },
	};
	assert_all_refused(ALL(damages));
	lrd_buffer_free(&file);
}

static void string_rules_hold(void **state)
{
	(void)state;
	lrd_buffer file = written(&plain);
	lrd_mesh_view v = opened(&file);
	assert_memory_equal(v.strings.data, "redmorph0morph1", 15);
	const cooked_damage damages[] = {
		{ HEADER(material_size), 4, 16, "material: offset 0, size 16 in strings (15): passes the block's end" },
		{ HEADER(material_offset), 4, 1, "material: offset 1, size 3 in strings (15): neither one that came before" },
		{ HEADER(material_size), 4, 2,
			"morph 0: name: offset 3, size 6 in strings (15): neither one that came before" },
		{ AT(&v.morphs[1].name_offset), 4, 3, "strings: 9 of 15 are referred to" },
		{ AT(&v.morphs[1].name_size), 4, 0,
			"morph 1: name: offset 9, size 0 in strings (15): an empty one has offset 0" },
		{ AT(v.strings.data + 14), 1, '0', "morph 1: name: offset 9, size 6 in strings (15): equals an earlier one" },
		{ AT(v.strings.data + 4), 1, 0, "strings: byte 4 is NUL" },
		{ AT(v.strings.data + 4), 1, 0xff, "strings: not UTF-8" },
		{ AT(v.strings.data + 2), 2, 0xa9c3, "cuts a UTF-8 character" },
		{ AT(v.strings.data), 1, '/', "material: " },
	};
	assert_all_refused(ALL(damages));
	lrd_buffer_free(&file);
}

static void reader_needs_no_error_to_refuse(void **state)
{
	(void)state;
	lrd_mesh_view view = { .vertex_count = 7 };
	assert_false(lrd_mesh_open(NULL, 0, &view, NULL));
	assert_int_equal(view.vertex_count, 7);
}

static void mesh_cut_anywhere_is_refused(void **state)
{
	(void)state;
	lrd_buffer file = written(&(make_mesh_desc){ .quads = 2, .lods = 2, .morphs = 1, .material = "red" });
	assert_every_truncation_refused(read_whole_mesh, file.data, file.size);
	lrd_buffer_free(&file);
}

static void trailing_bytes_are_refused(void **state)
{
	(void)state;
	lrd_buffer file = written(&plain);
	uint64_t longer = file.size + 16;
	assert_non_null(lrd_buffer_extend(&file, 16));
	memcpy(file.data + 8, &longer, sizeof longer);
	lrd_error error = { 0 };
	assert_false(read_whole_mesh(file.data, file.size, &error));
	assert_non_null(strstr(error.message, "the last block ends at byte"));
	lrd_buffer_free(&file);
}

static void flipped_bits_do_no_harm(void **state)
{
	(void)state;
	const make_mesh_desc shapes[] = { plain,
		{ .quads = 3, .lods = 1, .skin_bits = 16, .quantised = true, .morphs = 1 } };
	for (size_t i = 0; i < 2; i++)
	{
		lrd_buffer file = written(&shapes[i]);
		assert_flips_are_harmless(read_whole_mesh, file.data, file.size, 4000);
		lrd_buffer_free(&file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(header_rules_hold),
		cmocka_unit_test(a_set_that_is_not_there_has_no_density),
		cmocka_unit_test(layout_rules_hold),
		cmocka_unit_test(every_mesh_has_the_five_common_attributes),
		cmocka_unit_test(joints_and_weights_agree),
		cmocka_unit_test(topology_rules_hold),
		cmocka_unit_test(lods_cover_every_meshlet),
		cmocka_unit_test(vertex_rules_hold),
		cmocka_unit_test(quantised_vertex_rules_hold),
		cmocka_unit_test(morph_rules_hold),
		cmocka_unit_test(string_rules_hold),
		cmocka_unit_test(reader_needs_no_error_to_refuse),
		cmocka_unit_test(mesh_cut_anywhere_is_refused),
		cmocka_unit_test(trailing_bytes_are_refused),
		cmocka_unit_test(flipped_bits_do_no_harm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
