// .lmat: what the writer makes and refuses, each rule that a file may break, and what programs compute.

#include "fixtures/cooked_file.h"

#include "failing_allocator.h"
#include "fixtures/format_material.h"

#include <math.h>

static void write_sample(sample_material *sample, lrd_buffer *out)
{
	lrd_error error = { 0 };
	if (!sample_material_write(sample, out, &error))
	{
		fail_msg("%s", error.message);
	}
}

static void assert_rewritten(const lrd_buffer *file)
{
	lrd_material_view view;
	lrd_buffer again = { 0 };
	assert_true(lrd_material_open(file->data, file->size, &view, NULL));
	assert_true(lrd_material_write(&view, &again, NULL));
	assert_int_equal(again.size, file->size);
	assert_memory_equal(again.data, file->data, file->size);
	lrd_buffer_free(&again);
}

static void golden_material_is_written_byte_for_byte(void **state)
{
	(void)state;
	lrd_buffer made = { 0 };
	lrd_error error = { 0 };
	assert_true(make_golden_material(&made, &error));
	assert_golden("golden.lmat", &made);
	assert_rewritten(&made);
	lrd_buffer_free(&made);
}

static void a_surface_is_read_as_it_was_written(void **state)
{
	(void)state;
	sample_material sample;
	sample_surface(&sample);
	lrd_buffer file = { 0 };
	write_sample(&sample, &file);
	lrd_material_view view;
	assert_true(lrd_material_open(file.data, file.size, &view, NULL));
	assert_true(lrd_string_equal(view.name, sample.view.name));
	assert_int_equal(view.domain, LRD_DOMAIN_SURFACE);
	assert_int_equal(view.alpha_mode, LRD_ALPHA_MASK);
	assert_int_equal(view.flags, sample.view.flags);
	assert_true(view.alpha_cutoff == 0.25f);
	assert_memory_equal(view.params, &sample.params, sizeof sample.params);
	assert_null(view.program);
	assert_int_equal(view.instruction_count, 0);
	assert_true(
		lrd_string_equal(lrd_material_texture_stem(&view, LRD_SLOT_BASE_COLOR), LRD_STR("models/fox/tex.base")));
	assert_true(lrd_string_equal(lrd_material_texture_stem(&view, LRD_SLOT_NORMAL), LRD_STR("models/fox/tex.normal")));
	assert_true(
		lrd_string_equal(lrd_material_texture_stem(&view, LRD_SLOT_SHEEN_COLOR), LRD_STR("models/fox/tex.base")));
	assert_int_equal(lrd_material_texture_stem(&view, LRD_SLOT_EMISSIVE).size, 0);
	assert_int_equal(lrd_material_texture_stem(&view, LRD_SLOT_COUNT).size, 0);
	assert_int_equal(view.textures[LRD_SLOT_BASE_COLOR].wrap_v, LRD_WRAP_MIRROR);
	assert_true(view.textures[LRD_SLOT_BASE_COLOR].uv_rotation == 0.125f);
	assert_int_equal(view.strings.size, 7 + 19 + 21); // each distinct string once
	assert_rewritten(&file);
	lrd_buffer_free(&file);
}

static void the_simplest_material_is_read_as_it_was_written(void **state)
{
	(void)state;
	sample_material sample;
	sample_material_init(&sample);
	lrd_buffer file = { 0 };
	write_sample(&sample, &file);
	assert_rewritten(&file);
	lrd_buffer_free(&file);
}

static void slots_have_names_and_know_whether_they_hold_color(void **state)
{
	(void)state;
	assert_string_equal(lrd_material_slot_name(LRD_SLOT_BASE_COLOR), "base_color");
	assert_string_equal(lrd_material_slot_name(LRD_SLOT_SPECULAR_COLOR), "specular_color");
	assert_string_equal(lrd_material_slot_name(LRD_SLOT_COUNT), "none");
	uint32_t colors = 0;
	for (uint32_t slot = 0; slot < LRD_SLOT_COUNT; slot++)
	{
		assert_true(lrd_material_slot_name((lrd_material_slot)slot)[0] != '\0');
		colors += lrd_material_slot_is_color((lrd_material_slot)slot) ? 1 : 0;
	}
	assert_int_equal(colors, 4);
	assert_true(lrd_material_slot_is_color(LRD_SLOT_EMISSIVE));
	assert_false(lrd_material_slot_is_color(LRD_SLOT_NORMAL));
	assert_false(lrd_material_slot_is_color(LRD_SLOT_COUNT));
}

// Programs.

static float density_at(
	const lrd_material_instruction *program, uint32_t count, lrd_vec3 position, float time, lrd_vec3 *color)
{
	lrd_material_view view = { .program = program, .instruction_count = count };
	float density;
	lrd_material_evaluate(&view, position, time, &density, color);
	return density;
}

static void a_program_that_says_nothing_leaves_the_medium_alone(void **state)
{
	(void)state;
	lrd_vec3 color;
	assert_true(density_at(NULL, 0, (lrd_vec3){ 1, 2, 3 }, 0, &color) == 1.0f);
	assert_true(color.x == 1.0f && color.y == 1.0f && color.z == 1.0f);
}

static void operations_compute_what_they_say(void **state)
{
	(void)state;
	static const float a[3] = { 1, -2, 3 };
	static const float b[3] = { 4, 5, -6 };
	static const float half[3] = { 0.5f, 0.5f, 0.5f };
	static const float limits[3] = { -1, 2, 0 };
	static const struct
	{
		lrd_material_opcode opcode;
		uint32_t sources;
		const float *immediates;
		lrd_vec3 result; ///< at least 0, as the colour is
	} cases[] = {
		{ LRD_OP_CONSTANT, 0, b, { 4, 5, 0 } },
		{ LRD_OP_POSITION, 0, NULL, { 7, 8, 9 } },
		{ LRD_OP_TIME, 0, NULL, { 10, 10, 10 } },
		{ LRD_OP_ADD, 2, NULL, { 5, 3, 0 } },
		{ LRD_OP_SUBTRACT, 2, NULL, { 0, 0, 9 } },
		{ LRD_OP_MULTIPLY, 2, NULL, { 4, 0, 0 } },
		{ LRD_OP_LERP, 3, NULL, { 2.5f, 1.5f, 0 } },
		{ LRD_OP_MINIMUM, 2, NULL, { 1, 0, 0 } },
		{ LRD_OP_MAXIMUM, 2, NULL, { 4, 5, 3 } },
		{ LRD_OP_CLAMP, 1, limits, { 1, 0, 2 } },
		{ LRD_OP_REMAP, 1, limits, { 2.0f / 3.0f, 0, 1 } },
		{ LRD_OP_DOT, 1, b, { 0, 0, 0 } },
		{ LRD_OP_DOT, 1, a, { 14, 14, 14 } },
		{ LRD_OP_LENGTH, 1, NULL, { 3.7416575f, 3.7416575f, 3.7416575f } },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
	{
		const lrd_material_instruction program[] = {
			make_instruction(LRD_OP_CONSTANT, 1, 0, 0, 0, a),
			make_instruction(LRD_OP_CONSTANT, 2, 0, 0, 0, b),
			make_instruction(LRD_OP_CONSTANT, 3, 0, 0, 0, half),
			make_instruction(cases[i].opcode, 4, cases[i].sources > 0 ? 1 : 0, cases[i].sources > 1 ? 2 : 0,
				cases[i].sources > 2 ? 3 : 0, cases[i].immediates),
			make_instruction(LRD_OP_OUTPUT_COLOR, 0, 4, 0, 0, NULL),
		};
		lrd_vec3 color;
		assert_true(density_at(program, 5, (lrd_vec3){ 7, 8, 9 }, 10, &color) == 1.0f);
		if (fabsf(color.x - cases[i].result.x) > 1e-6f || fabsf(color.y - cases[i].result.y) > 1e-6f ||
			fabsf(color.z - cases[i].result.z) > 1e-6f)
		{
			fail_msg("case %zu: %g %g %g", i, (double)color.x, (double)color.y, (double)color.z);
		}
	}
}

static float noise_at(float x, float y, float z, float frequency)
{
	const float immediates[3] = { frequency, 0, 0 };
	const lrd_material_instruction program[] = {
		make_instruction(LRD_OP_POSITION, 0, 0, 0, 0, NULL),
		make_instruction(LRD_OP_NOISE3, 0, 0, 0, 0, immediates),
		make_instruction(LRD_OP_OUTPUT_DENSITY, 0, 0, 0, 0, NULL),
	};
	lrd_vec3 color;
	return density_at(program, 3, (lrd_vec3){ x, y, z }, 0, &color);
}

static void noise_is_continuous_and_fills_zero_to_one(void **state)
{
	(void)state;
	float least = 1.0f;
	float most = 0.0f;
	float last = noise_at(-20.0f, 0.3f, 0.7f, 1.0f);
	for (int step = 1; step <= 40000; step++)
	{
		float now = noise_at(-20.0f + (float)step * 0.001f, 0.3f + (float)(step / 1000), 0.7f, 1.0f);
		if (step % 1000 != 0)
		{
			assert_true(fabsf(now - last) < 0.002f); // smoothstep's slope is at most 1.5
		}
		least = fminf(least, now);
		most = fmaxf(most, now);
		last = now;
	}
	assert_true(least >= 0.0f && least < 0.2f);
	assert_true(most <= 1.0f && most > 0.8f);
	assert_true(noise_at(3.0f, 4.0f, 5.0f, 0.5f) == noise_at(1.5f, 2.0f, 2.5f, 1.0f));
	assert_true(noise_at(1.0f, 2.0f, 3.0f, 1.0f) != noise_at(2.0f, 1.0f, 3.0f, 1.0f));
}

static void noise_far_away_and_of_no_number_stays_in_range(void **state)
{
	(void)state;
	static const float places[] = { 1e9f, -1e9f, 3e38f, -3e38f, INFINITY, -INFINITY, NAN };
	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
	{
		float value = noise_at(places[i], 0.5f, places[i], 4.0f);
		assert_true(value >= 0.0f && value <= 1.0f);
	}
}

static void outputs_are_finite_and_not_negative(void **state)
{
	(void)state;
	static const float huge[3] = { 3e38f, -3e38f, 0 };
	const lrd_material_instruction program[] = {
		make_instruction(LRD_OP_CONSTANT, 0, 0, 0, 0, huge),
		make_instruction(LRD_OP_MULTIPLY, 1, 0, 0, 0, NULL), // infinity, infinity, 0
		make_instruction(LRD_OP_SUBTRACT, 2, 1, 1, 0, NULL), // no numbers
		make_instruction(LRD_OP_OUTPUT_COLOR, 0, 1, 0, 0, NULL),
		make_instruction(LRD_OP_OUTPUT_DENSITY, 0, 2, 0, 0, NULL),
	};
	lrd_vec3 color;
	assert_true(density_at(program, 5, (lrd_vec3){ 0, 0, 0 }, 0, &color) == 0.0f);
	assert_true(isfinite(color.x) && color.x > 3e38f && isfinite(color.y) && color.z == 0.0f);
}

// Refusals.

#define HEADER(member) offsetof(lrd_material_header, member), sizeof(((lrd_material_header *)0)->member)
#define PARAMS 48
#define MEDIUM (PARAMS + 160)
#define TEXTURES (MEDIUM + 48)
#define PROGRAM (TEXTURES + 32 * LRD_SLOT_COUNT)
#define PARAM(member) PARAMS + offsetof(lrd_material_params, member), 4
#define MEDIUM_AT(member) MEDIUM + offsetof(lrd_medium, member), 4
#define TEXTURE(slot, member)                                                                                          \
	TEXTURES + 32 * (slot) + offsetof(lrd_material_texture, member), sizeof(((lrd_material_texture *)0)->member)
#define FIRST(slot, member) TEXTURES + 32 * (slot) + offsetof(lrd_material_texture, member), 4
#define WORD(instruction, word) PROGRAM + 32 * (instruction) + 4 * (word), 4

#define NOT_A_NUMBER 0x7fc00000u
#define INFINITE 0x7f800000u
#define ONE 0x3f800000u
#define TWO 0x40000000u
#define MINUS_ONE 0xbf800000u
#define HALF 0x3f000000u

static const cooked_damage surface_damage[] = {
	{ HEADER(magic), 0x58585858, "lmat: magic: found 58 58 58 58, expected \"LMAT\"" },
	{ HEADER(version), 2, "version: found 2, this reader wants 1; cook the source again" },
	{ HEADER(file_size), 1, "file_size: found 1" },
	{ HEADER(name_offset), 1, "name: offset 1, size 7" },
	{ HEADER(name_size), 100, "passes the block's end" },
	{ HEADER(name_size), 2, "neither one that came before nor the next in the block" },
	{ HEADER(domain), 2, "domain: found 2" },
	{ HEADER(alpha_mode), 3, "alpha_mode: found 3" },
	{ HEADER(flags), 16, "flags: found 0x10, allowed are those of 0xf" },
	{ HEADER(alpha_cutoff), TWO, "alpha_cutoff: found 2, allowed are 0 to 1" },
	{ HEADER(alpha_cutoff), NOT_A_NUMBER, "alpha_cutoff: found nan" },
	{ HEADER(instruction_count), 1, "instruction_count: found 1, allowed are 0 to 0 in a surface material" },
	{ HEADER(string_size), 46, "the last block ends at byte 782" },
	{ HEADER(string_size), 48, "strings: 48 x 1 bytes at byte 736 pass the file's end" },
	{ PARAM(base_color), TWO, "params: base_color[0]: found 2, allowed are 0 to 1" },
	{ PARAM(base_color) + 0, NOT_A_NUMBER, "params: base_color[0]: found nan" },
	{ PARAM(metallic), MINUS_ONE, "params: metallic: found -1, allowed are 0 to 1" },
	{ PARAM(roughness), TWO, "params: roughness" },
	{ PARAM(emissive), TWO, "params: emissive[0]" },
	{ PARAM(emissive_strength), MINUS_ONE, "params: emissive_strength: found -1, it must be finite and 0 or more" },
	{ PARAM(emissive_strength), INFINITE, "params: emissive_strength: found inf" },
	{ PARAM(normal_scale), INFINITE, "params: normal_scale: found inf, it must be finite" },
	{ PARAM(occlusion_strength), TWO, "params: occlusion_strength" },
	{ PARAM(transmission), TWO, "params: transmission" },
	{ PARAM(ior), HALF, "params: ior: found 0.5, allowed are 0, and 1 or more" },
	{ PARAM(ior), MINUS_ONE, "params: ior: found -1" },
	{ PARAM(dispersion), MINUS_ONE, "params: dispersion" },
	{ PARAM(thickness), MINUS_ONE, "params: thickness" },
	{ PARAM(attenuation_color), TWO, "params: attenuation_color[0]" },
	{ PARAM(attenuation_distance), MINUS_ONE, "params: attenuation_distance" },
	{ PARAM(anisotropy), TWO, "params: anisotropy" },
	{ PARAM(anisotropy_rotation), NOT_A_NUMBER, "params: anisotropy_rotation" },
	{ PARAM(clearcoat), TWO, "params: clearcoat" },
	{ PARAM(clearcoat_roughness), TWO, "params: clearcoat_roughness" },
	{ PARAM(clearcoat_normal_scale), NOT_A_NUMBER, "params: clearcoat_normal_scale" },
	{ PARAM(sheen_color), TWO, "params: sheen_color[0]" },
	{ PARAM(sheen_roughness), TWO, "params: sheen_roughness" },
	{ PARAM(specular), TWO, "params: specular" },
	{ PARAM(specular_color), MINUS_ONE, "params: specular_color[0]" },
	{ PARAM(iridescence), TWO, "params: iridescence" },
	{ PARAM(iridescence_ior), HALF, "params: iridescence_ior: found 0.5, it must be finite and 1 or more" },
	{ PARAM(iridescence_thickness_min), MINUS_ONE, "params: iridescence_thickness_min" },
	{ PARAM(iridescence_thickness_max), MINUS_ONE, "params: iridescence_thickness_max" },
	{ PARAM(reserved), ONE, "params: reserved must be zero" },
	{ MEDIUM - 4, 4, 1, "before medium, must be zero" },
	{ MEDIUM_AT(density), ONE, "medium: must be zero in a surface material" },
	{ TEXTURE(0, stem_offset), 1, "texture 0: stem: offset 1, size 19" },
	{ TEXTURE(0, uv_set), 2, "texture base_color: uv_set: found 2, allowed are 0 to 1" },
	{ TEXTURE(0, wrap_u), 3, "texture base_color: wrap_u: found 3, allowed are 0 to 2" },
	{ TEXTURE(0, wrap_v), 3, "texture base_color: wrap_v" },
	{ TEXTURE(0, filter), 2, "texture base_color: filter: found 2, allowed are 0 to 1" },
	{ FIRST(0, uv_offset), NOT_A_NUMBER, "texture base_color: uv_offset, uv_scale and uv_rotation must be finite" },
	{ FIRST(0, uv_scale), INFINITE, "texture base_color: uv_offset, uv_scale and uv_rotation must be finite" },
	{ TEXTURE(0, uv_rotation), INFINITE, "texture base_color: uv_offset, uv_scale and uv_rotation must be finite" },
	{ TEXTURE(1, uv_set), 1, "texture metallic_roughness: without a stem, all else must be zero" },
	{ FIRST(1, uv_scale), TWO, "texture metallic_roughness: without a stem" },
	{ TEXTURE(1, stem_offset), 7, "an empty one has offset 0" },
	{ PROGRAM, 1, 0xff, "strings: not UTF-8" },
	{ PROGRAM, 1, 0, "strings: byte 0 is NUL" },
	{ PROGRAM + 7, 1, '/', "texture base_color: stem:" },
	{ PROGRAM + 8, 1, '\\', "texture base_color: stem:" },
};

static const cooked_damage volume_damage[] = {
	{ HEADER(domain), LRD_DOMAIN_SURFACE, "instruction_count: found 13" },
	{ HEADER(instruction_count), 25, "instruction_count: found 25, allowed are 0 to 24 in a volume material" },
	{ HEADER(instruction_count), 24, "program: 24 x 32 bytes" },
	{ MEDIUM_AT(scattering), MINUS_ONE, "medium: scattering[0]: found -1" },
	{ MEDIUM_AT(absorption), NOT_A_NUMBER, "medium: absorption[0]" },
	{ MEDIUM_AT(emission), INFINITE, "medium: emission[0]" },
	{ MEDIUM_AT(anisotropy), TWO, "medium: anisotropy: found 2, allowed are -1 to 1" },
	{ MEDIUM_AT(density), MINUS_ONE, "medium: density" },
	{ MEDIUM_AT(reserved), ONE, "medium: reserved must be zero" },
	{ WORD(0, 0), 0, "instruction 0: opcode: found 0, allowed are 1 to 16" },
	{ WORD(0, 0), 17, "instruction 0: opcode: found 17" },
	{ WORD(0, 1), 16, "instruction 0 (position): destination: found 16, allowed are 0 to 15" },
	{ WORD(0, 2), 1, "instruction 0 (position): source 0 is not used and must be zero" },
	{ WORD(0, 5), ONE, "instruction 0 (position): immediate 0 is not used and must be zero" },
	{ WORD(2, 5), NOT_A_NUMBER, "instruction 2 (constant): immediate 0 must be finite" },
	{ WORD(3, 2), 9, "instruction 3 (multiply): source 0 is register 9, which no earlier instruction has written" },
	{ WORD(3, 3), 16, "instruction 3 (multiply): source 1 is register 16" },
	{ WORD(3, 3), UINT32_MAX, "instruction 3 (multiply): source 1 is register 4294967295" },
	{ WORD(3, 4), 1, "instruction 3 (multiply): source 2 is not used" },
	{ WORD(0, 1), 14, "instruction 4 (add): source 0 is register 0, which no earlier" },
	{ WORD(7, 6), 0x40800000, "instruction 7 (remap): immediates 4 and 4, the second must be other than the first" },
	{ WORD(9, 1), 1, "instruction 9 (output_density): destination: found 1, allowed are 0 to 0" },
	{ WORD(12, 0), LRD_OP_OUTPUT_DENSITY, "instruction 12 (output_density): a program has each output once" },
};

static void every_rule_of_a_surface_is_checked(void **state)
{
	(void)state;
	sample_material sample;
	sample_surface(&sample);
	lrd_buffer file = { 0 };
	write_sample(&sample, &file);
	for (size_t i = 0; i < sizeof surface_damage / sizeof surface_damage[0]; i++)
	{
		assert_damage_refused(read_whole_material, file.data, file.size, &surface_damage[i]);
	}
	lrd_buffer_free(&file);
}

static void every_rule_of_a_volume_is_checked(void **state)
{
	(void)state;
	sample_material sample;
	sample_volume(&sample);
	lrd_buffer file = { 0 };
	write_sample(&sample, &file);
	for (size_t i = 0; i < sizeof volume_damage / sizeof volume_damage[0]; i++)
	{
		assert_damage_refused(read_whole_material, file.data, file.size, &volume_damage[i]);
	}
	lrd_buffer_free(&file);
}

static void assert_write_refused(sample_material *sample, const char *says)
{
	lrd_buffer out = { 0 };
	lrd_error error = { 0 };
	assert_false(sample_material_write(sample, &out, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	if (strstr(error.message, says) == NULL)
	{
		fail_msg("expected \"%s\", got \"%s\"", says, error.message);
	}
	assert_int_equal(out.size, 0);
	assert_null(out.data);
}

static void views_that_break_a_rule_are_not_written(void **state)
{
	(void)state;
	sample_material sample;
	sample_surface(&sample);
	sample.params.metallic = 1.5f;
	assert_write_refused(&sample, "params: metallic: found 1.5");
	sample_surface(&sample);
	sample.view.name = LRD_STR("a\0b");
	assert_write_refused(&sample, "name");
	sample_surface(&sample);
	sample.textures[0].stem_size = 1000;
	assert_write_refused(&sample, "texture 0");
	sample_surface(&sample);
	sample.view.strings = LRD_STR("../../etc/passwd__________________________");
	assert_write_refused(&sample, "texture base_color: stem");
	sample_volume(&sample);
	sample.view.instruction_count = 25;
	assert_write_refused(&sample, "instruction_count: found 25");
	sample.view.instruction_count = 9;
	assert_write_refused(&sample, "the program has no output");
	static const float falling[3] = { 1, 0, 0 };
	sample.program[7] = make_instruction(LRD_OP_CLAMP, 4, 4, 0, 0, falling);
	sample.view.instruction_count = 13;
	assert_write_refused(&sample, "instruction 7 (clamp): immediates 1 and 0, the second must be at least the first");
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	sample_material sample;
	sample_surface(&sample);
	bool written = false;
	for (long long succeed = 0; !written; succeed++)
	{
		assert_true(succeed < 100);
		failing_allocator allocator;
		failing_allocator_init(&allocator, succeed);
		lrd_buffer out = { .allocator = failing_allocator_get(&allocator) };
		lrd_error error = { 0 };
		written = sample_material_write(&sample, &out, &error);
		assert_true(written || (error.code == LRD_ERROR_MEMORY && out.size == 0));
		lrd_buffer_free(&out);
		assert_int_equal(atomic_load(&allocator.bytes_out), 0);
	}
}

static void materials_are_refused_when_cut(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	assert_true(make_golden_material(&file, NULL));
	assert_every_truncation_refused(read_whole_material, file.data, file.size);
	assert_flips_are_harmless(read_whole_material, file.data, file.size, 50000);
	lrd_buffer_free(&file);
}

static void misaligned_bytes_are_an_argument_error(void **state)
{
	(void)state;
	lrd_buffer file = { 0 };
	assert_true(make_golden_material(&file, NULL));
	lrd_error error = { 0 };
	lrd_material_view view;
	assert_false(lrd_material_open(file.data + 1, file.size - 1, &view, &error));
	assert_int_equal(error.code, LRD_ERROR_ARGUMENT);
	lrd_buffer_free(&file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_material_is_written_byte_for_byte),
		cmocka_unit_test(a_surface_is_read_as_it_was_written),
		cmocka_unit_test(the_simplest_material_is_read_as_it_was_written),
		cmocka_unit_test(slots_have_names_and_know_whether_they_hold_color),
		cmocka_unit_test(a_program_that_says_nothing_leaves_the_medium_alone),
		cmocka_unit_test(operations_compute_what_they_say),
		cmocka_unit_test(noise_is_continuous_and_fills_zero_to_one),
		cmocka_unit_test(noise_far_away_and_of_no_number_stays_in_range),
		cmocka_unit_test(outputs_are_finite_and_not_negative),
		cmocka_unit_test(every_rule_of_a_surface_is_checked),
		cmocka_unit_test(every_rule_of_a_volume_is_checked),
		cmocka_unit_test(views_that_break_a_rule_are_not_written),
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(materials_are_refused_when_cut),
		cmocka_unit_test(misaligned_bytes_are_an_argument_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
