// format/material.c: reading .lmat in place: every parameter in its range, every slot whole, a volume's program
// proven sound before anybody runs it. Also what a material says where its file says nothing.

#include "format/material.h"

#include "base/maths.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Parameters.

/// Floats of a struct that share a range.
typedef struct float_range
{
	const char *name;
	uint32_t offset; ///< bytes
	uint32_t count;
	float low;
	float high;
} float_range;

#define RANGE(type, member, low, high)                                                                                 \
	{                                                                                                                  \
#member, offsetof(type, member), sizeof(((type *)0)->member) / sizeof(float), (low), (high)                    \
	}
#define PARAM(member, low, high) RANGE(lrd_material_params, member, low, high)
#define MEDIUM(member, low, high) RANGE(lrd_medium, member, low, high)

static const float_range param_ranges[] = {
	PARAM(base_color, 0, 1),
	PARAM(metallic, 0, 1),
	PARAM(roughness, 0, 1),
	PARAM(emissive, 0, 1),
	PARAM(emissive_strength, 0, FLT_MAX),
	PARAM(normal_scale, -FLT_MAX, FLT_MAX),
	PARAM(occlusion_strength, 0, 1),
	PARAM(transmission, 0, 1),
	PARAM(ior, 0, FLT_MAX),
	PARAM(dispersion, 0, FLT_MAX),
	PARAM(thickness, 0, FLT_MAX),
	PARAM(attenuation_color, 0, 1),
	PARAM(attenuation_distance, 0, FLT_MAX),
	PARAM(anisotropy, 0, 1),
	PARAM(anisotropy_rotation, -FLT_MAX, FLT_MAX),
	PARAM(clearcoat, 0, 1),
	PARAM(clearcoat_roughness, 0, 1),
	PARAM(clearcoat_normal_scale, -FLT_MAX, FLT_MAX),
	PARAM(sheen_color, 0, 1),
	PARAM(sheen_roughness, 0, 1),
	PARAM(specular, 0, 1),
	PARAM(specular_color, 0, FLT_MAX),
	PARAM(iridescence, 0, 1),
	PARAM(iridescence_ior, 1, FLT_MAX),
	PARAM(iridescence_thickness_min, 0, FLT_MAX),
	PARAM(iridescence_thickness_max, 0, FLT_MAX),
};

static const float_range medium_ranges[] = {
	MEDIUM(scattering, 0, FLT_MAX),
	MEDIUM(absorption, 0, FLT_MAX),
	MEDIUM(emission, 0, FLT_MAX),
	MEDIUM(anisotropy, -1, 1),
	MEDIUM(density, 0, FLT_MAX),
};

/// "found 2, allowed are 0 to 1", in the words that fit the range.
static bool fail_range(
	const lrd_layout_cursor *cursor, const char *block, const float_range *range, uint32_t index, float value)
{
	char place[64];
	snprintf(place, sizeof place, range->count > 1 ? "%s: %s[%" PRIu32 "]" : "%s: %s", block, range->name, index);
	if (range->low == -FLT_MAX)
	{
		return lrd_layout_fail(cursor, "%s: found %g, it must be finite", place, (double)value);
	}
	if (range->high == FLT_MAX)
	{
		return lrd_layout_fail(
			cursor, "%s: found %g, it must be finite and %g or more", place, (double)value, (double)range->low);
	}
	return lrd_layout_fail(
		cursor, "%s: found %g, allowed are %g to %g", place, (double)value, (double)range->low, (double)range->high);
}

static bool check_ranges(const lrd_layout_cursor *cursor, const char *block, const void *record,
	const float_range *ranges, size_t range_count)
{
	for (size_t r = 0; r < range_count; r++)
	{
		const float *values = (const float *)((const uint8_t *)record + ranges[r].offset);
		for (uint32_t i = 0; i < ranges[r].count; i++)
		{
			if (!(values[i] >= ranges[r].low && values[i] <= ranges[r].high)) // not a number is in no range
			{
				return fail_range(cursor, block, &ranges[r], i, values[i]);
			}
		}
	}
	return true;
}

static bool check_params(const lrd_layout_cursor *cursor, const lrd_material_params *params)
{
	if (!check_ranges(cursor, "params", params, param_ranges, sizeof param_ranges / sizeof *param_ranges))
	{
		return false;
	}
	if (params->ior != 0.0f && params->ior < 1.0f)
	{
		return lrd_layout_fail(cursor, "params: ior: found %g, allowed are 0, and 1 or more", (double)params->ior);
	}
	if (!lrd_layout_is_zero(params->reserved, sizeof params->reserved))
	{
		return lrd_layout_fail(cursor, "params: reserved must be zero");
	}
	return true;
}

static bool check_medium(const lrd_layout_cursor *cursor, const lrd_medium *medium, uint32_t domain)
{
	if (domain == LRD_DOMAIN_SURFACE && !lrd_layout_is_zero(medium, sizeof *medium))
	{
		return lrd_layout_fail(cursor, "medium: must be zero in a surface material");
	}
	if (!check_ranges(cursor, "medium", medium, medium_ranges, sizeof medium_ranges / sizeof *medium_ranges))
	{
		return false;
	}
	if (!lrd_layout_is_zero(&medium->reserved, sizeof medium->reserved))
	{
		return lrd_layout_fail(cursor, "medium: reserved must be zero");
	}
	return true;
}

// Texture slots.

static const struct
{
	const char *name;
	bool is_color;
} slots[LRD_SLOT_COUNT] = {
	[LRD_SLOT_BASE_COLOR] = { "base_color", true },
	[LRD_SLOT_METALLIC_ROUGHNESS] = { "metallic_roughness", false },
	[LRD_SLOT_NORMAL] = { "normal", false },
	[LRD_SLOT_OCCLUSION] = { "occlusion", false },
	[LRD_SLOT_EMISSIVE] = { "emissive", true },
	[LRD_SLOT_ANISOTROPY] = { "anisotropy", false },
	[LRD_SLOT_CLEARCOAT] = { "clearcoat", false },
	[LRD_SLOT_CLEARCOAT_ROUGHNESS] = { "clearcoat_roughness", false },
	[LRD_SLOT_CLEARCOAT_NORMAL] = { "clearcoat_normal", false },
	[LRD_SLOT_TRANSMISSION] = { "transmission", false },
	[LRD_SLOT_THICKNESS] = { "thickness", false },
	[LRD_SLOT_SHEEN_COLOR] = { "sheen_color", true },
	[LRD_SLOT_SHEEN_ROUGHNESS] = { "sheen_roughness", false },
	[LRD_SLOT_SPECULAR] = { "specular", false },
	[LRD_SLOT_SPECULAR_COLOR] = { "specular_color", true },
};

const char *lrd_material_slot_name(lrd_material_slot slot)
{
	return (uint32_t)slot < LRD_SLOT_COUNT ? slots[slot].name : "none";
}

bool lrd_material_slot_is_color(lrd_material_slot slot)
{
	return (uint32_t)slot < LRD_SLOT_COUNT && slots[slot].is_color;
}

lrd_string lrd_material_texture_stem(const lrd_material_view *view, lrd_material_slot slot)
{
	if ((uint32_t)slot >= LRD_SLOT_COUNT)
	{
		return (lrd_string){ NULL, 0 };
	}
	return lrd_layout_text(view->strings, view->textures[slot].stem_offset, view->textures[slot].stem_size);
}

static bool check_sampler(const lrd_layout_cursor *cursor, const char *slot, const lrd_material_texture *texture)
{
	const struct
	{
		const char *name;
		uint32_t value, most;
	} fields[] = { { "uv_set", texture->uv_set, 1 }, { "wrap_u", texture->wrap_u, LRD_WRAP_MIRROR },
		{ "wrap_v", texture->wrap_v, LRD_WRAP_MIRROR }, { "filter", texture->filter, LRD_FILTER_POINT } };
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
	{
		if (fields[i].value > fields[i].most)
		{
			return lrd_layout_fail(cursor, "texture %s: %s: found %" PRIu32 ", allowed are 0 to %" PRIu32, slot,
				fields[i].name, fields[i].value, fields[i].most);
		}
	}
	return true;
}

static bool check_texture(const lrd_layout_cursor *cursor, const lrd_material_view *view, lrd_material_slot slot)
{
	static const lrd_material_texture empty = { .uv_scale = { 1.0f, 1.0f } };
	const lrd_material_texture *texture = &view->textures[slot];
	const char *name = slots[slot].name;
	if (texture->stem_size == 0 && memcmp(texture, &empty, sizeof empty) != 0)
	{
		return lrd_layout_fail(
			cursor, "texture %s: without a stem, all else must be zero but the scale, which is 1", name);
	}
	if (!check_sampler(cursor, name, texture))
	{
		return false;
	}
	static_assert(
		sizeof *texture - offsetof(lrd_material_texture, uv_offset) == 5 * sizeof(float), "checked as five floats");
	if (!lrd_all_finite(texture->uv_offset, 2) || !lrd_all_finite(texture->uv_scale, 2) ||
		!lrd_all_finite(&texture->uv_rotation, 1))
	{
		return lrd_layout_fail(cursor, "texture %s: uv_offset, uv_scale and uv_rotation must be finite", name);
	}
	char place[64];
	snprintf(place, sizeof place, "texture %s: stem", name);
	return lrd_layout_check_stem(cursor, place, lrd_material_texture_stem(view, slot));
}

// Programs.

enum
{
	WORD_OPCODE = 0,
	WORD_DESTINATION = 1,
	WORD_SOURCES = 2,
	WORD_IMMEDIATES = 5,
	SOURCE_COUNT = 3,
	IMMEDIATE_COUNT = 3,
};

static const struct
{
	const char *name;
	uint8_t sources;
	uint8_t immediates;
	bool is_output;
} opcodes[LRD_OP_COUNT] = {
	[LRD_OP_CONSTANT] = { "constant", 0, 3, false },
	[LRD_OP_POSITION] = { "position", 0, 0, false },
	[LRD_OP_TIME] = { "time", 0, 0, false },
	[LRD_OP_ADD] = { "add", 2, 0, false },
	[LRD_OP_SUBTRACT] = { "subtract", 2, 0, false },
	[LRD_OP_MULTIPLY] = { "multiply", 2, 0, false },
	[LRD_OP_LERP] = { "lerp", 3, 0, false },
	[LRD_OP_MINIMUM] = { "minimum", 2, 0, false },
	[LRD_OP_MAXIMUM] = { "maximum", 2, 0, false },
	[LRD_OP_CLAMP] = { "clamp", 1, 2, false },
	[LRD_OP_REMAP] = { "remap", 1, 2, false },
	[LRD_OP_DOT] = { "dot", 1, 3, false },
	[LRD_OP_LENGTH] = { "length", 1, 0, false },
	[LRD_OP_NOISE3] = { "noise3", 1, 1, false },
	[LRD_OP_OUTPUT_DENSITY] = { "output_density", 1, 0, true },
	[LRD_OP_OUTPUT_COLOR] = { "output_color", 1, 0, true },
};

static float immediate_of(const lrd_material_instruction *instruction, uint32_t index)
{
	float value;
	memcpy(&value, &instruction->words[WORD_IMMEDIATES + index], sizeof value);
	return value;
}

static bool check_registers(
	const lrd_layout_cursor *cursor, uint32_t index, const lrd_material_instruction *instruction, uint32_t *written)
{
	const uint32_t *words = instruction->words;
	uint32_t opcode = words[WORD_OPCODE];
	const char *name = opcodes[opcode].name;
	for (uint32_t i = 0; i < SOURCE_COUNT; i++)
	{
		uint32_t source = words[WORD_SOURCES + i];
		bool used = i < opcodes[opcode].sources;
		if (!used && source != 0)
		{
			return lrd_layout_fail(cursor,
				"instruction %" PRIu32 " (%s): source %" PRIu32 " is not used and must be zero", index, name, i);
		}
		if (used && (source >= LRD_MATERIAL_REGISTERS || (*written >> source & 1u) == 0))
		{
			return lrd_layout_fail(cursor,
				"instruction %" PRIu32 " (%s): source %" PRIu32 " is register %" PRIu32
				", which no earlier instruction has written",
				index, name, i, source);
		}
	}
	uint32_t destination = words[WORD_DESTINATION];
	if (destination >= (opcodes[opcode].is_output ? 1u : LRD_MATERIAL_REGISTERS))
	{
		return lrd_layout_fail(cursor,
			"instruction %" PRIu32 " (%s): destination: found %" PRIu32 ", allowed are 0 to %d", index, name,
			destination, opcodes[opcode].is_output ? 0 : LRD_MATERIAL_REGISTERS - 1);
	}
	if (!opcodes[opcode].is_output)
	{
		*written |= 1u << destination;
	}
	return true;
}

static bool check_immediates(
	const lrd_layout_cursor *cursor, uint32_t index, const lrd_material_instruction *instruction)
{
	uint32_t opcode = instruction->words[WORD_OPCODE];
	const char *name = opcodes[opcode].name;
	for (uint32_t i = 0; i < IMMEDIATE_COUNT; i++)
	{
		float value = immediate_of(instruction, i);
		if (i >= opcodes[opcode].immediates && instruction->words[WORD_IMMEDIATES + i] != 0)
		{
			return lrd_layout_fail(cursor,
				"instruction %" PRIu32 " (%s): immediate %" PRIu32 " is not used and must be zero", index, name, i);
		}
		if (!lrd_all_finite(&value, 1))
		{
			return lrd_layout_fail(
				cursor, "instruction %" PRIu32 " (%s): immediate %" PRIu32 " must be finite", index, name, i);
		}
	}
	float low = immediate_of(instruction, 0);
	float high = immediate_of(instruction, 1);
	if ((opcode == LRD_OP_CLAMP && low > high) || (opcode == LRD_OP_REMAP && low == high))
	{
		return lrd_layout_fail(cursor,
			"instruction %" PRIu32 " (%s): immediates %g and %g, the second must be %s the first", index, name,
			(double)low, (double)high, opcode == LRD_OP_CLAMP ? "at least" : "other than");
	}
	return true;
}

static bool check_program(const lrd_layout_cursor *cursor, const lrd_material_view *view)
{
	uint32_t written = 0;
	bool outputs[LRD_OP_COUNT] = { false };
	for (uint32_t i = 0; i < view->instruction_count; i++)
	{
		const lrd_material_instruction *instruction = &view->program[i];
		uint32_t opcode = instruction->words[WORD_OPCODE];
		if (opcode == 0 || opcode >= LRD_OP_COUNT)
		{
			return lrd_layout_fail(cursor, "instruction %" PRIu32 ": opcode: found %" PRIu32 ", allowed are 1 to %d", i,
				opcode, LRD_OP_COUNT - 1);
		}
		if (!check_registers(cursor, i, instruction, &written) || !check_immediates(cursor, i, instruction))
		{
			return false;
		}
		if (opcodes[opcode].is_output && outputs[opcode])
		{
			return lrd_layout_fail(
				cursor, "instruction %" PRIu32 " (%s): a program has each output once", i, opcodes[opcode].name);
		}
		outputs[opcode] = true;
	}
	if (view->instruction_count > 0 && !outputs[LRD_OP_OUTPUT_DENSITY] && !outputs[LRD_OP_OUTPUT_COLOR])
	{
		return lrd_layout_fail(cursor, "the program has no output");
	}
	return true;
}

// Running a program.

/// A whole number that stands for a float of any size; past 2^24 floats are whole numbers and noise has no detail left.
static int32_t lattice_of(float value)
{
	const float most = 16777216.0f;
	return (int32_t)(value > -most ? (value < most ? value : most) : -most); // -most for what is no number
}

/// 0..1 at a point of the lattice: coordinates mixed by primes (Teschner et al., "Optimized Spatial Hashing for
/// Collision Detection of Deformable Objects", 2003, section 4.1), then MurmurHash3's 32-bit finaliser.
static float lattice_noise(int32_t x, int32_t y, int32_t z)
{
	uint32_t h = (uint32_t)x * 73856093u ^ (uint32_t)y * 19349663u ^ (uint32_t)z * 83492791u;
	h = (h ^ h >> 16) * 0x85ebca6bu;
	h = (h ^ h >> 13) * 0xc2b2ae35u;
	h ^= h >> 16;
	return (float)(h >> 8) * (1.0f / 16777216.0f);
}

static float value_noise(const float point[3])
{
	int32_t cell[3];
	float blend[3];
	for (uint32_t i = 0; i < 3; i++)
	{
		float whole = floorf(point[i]);
		float part = point[i] - whole;
		part = part >= 0.0f && part <= 1.0f ? part : 0.0f; // neither for infinities
		cell[i] = lattice_of(whole);
		blend[i] = part * part * (3.0f - 2.0f * part);
	}
	float sum = 0.0f;
	for (int32_t corner = 0; corner < 8; corner++)
	{
		int32_t x = corner & 1;
		int32_t y = corner >> 1 & 1;
		int32_t z = corner >> 2;
		float weight = (x != 0 ? blend[0] : 1.0f - blend[0]) * (y != 0 ? blend[1] : 1.0f - blend[1]) *
					   (z != 0 ? blend[2] : 1.0f - blend[2]);
		sum += weight * lattice_noise(cell[0] + x, cell[1] + y, cell[2] + z);
	}
	return sum < 1.0f ? sum : 1.0f; // the weights' rounding errors can add up past it
}

static float clamped(float value, float low, float high)
{
	return value > low ? (value < high ? value : high) : low; // low for what is no number
}

/// What gives one number: dot, length, noise3.
static float combine(uint32_t opcode, const float a[3], const float immediates[3])
{
	float scaled[3] = { a[0] * immediates[0], a[1] * immediates[0], a[2] * immediates[0] };
	switch (opcode)
	{
	case LRD_OP_DOT: return a[0] * immediates[0] + a[1] * immediates[1] + a[2] * immediates[2];
	case LRD_OP_LENGTH: return sqrtf(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
	default: return value_noise(scaled);
	}
}

/// One of the three numbers that the other operations give.
static float apply(uint32_t opcode, float a, float b, float c, const float immediates[3])
{
	switch (opcode)
	{
	case LRD_OP_ADD: return a + b;
	case LRD_OP_SUBTRACT: return a - b;
	case LRD_OP_MULTIPLY: return a * b;
	case LRD_OP_LERP: return a + (b - a) * c;
	case LRD_OP_MINIMUM: return a < b ? a : b;
	case LRD_OP_MAXIMUM: return a > b ? a : b;
	case LRD_OP_CLAMP: return clamped(a, immediates[0], immediates[1]);
	default: // remap
		return clamped((a - immediates[0]) / (immediates[1] - immediates[0]), 0.0f, 1.0f);
	}
}

static void run_instruction(const lrd_material_instruction *instruction, const float position[3], float time,
	float registers[LRD_MATERIAL_REGISTERS][3])
{
	const uint32_t *words = instruction->words;
	uint32_t opcode = words[WORD_OPCODE];
	const float *a = registers[words[WORD_SOURCES]];
	const float *b = registers[words[WORD_SOURCES + 1]];
	const float *c = registers[words[WORD_SOURCES + 2]];
	float immediates[3];
	memcpy(immediates, &words[WORD_IMMEDIATES], sizeof immediates);
	bool single = opcode == LRD_OP_DOT || opcode == LRD_OP_LENGTH || opcode == LRD_OP_NOISE3;
	float one = single ? combine(opcode, a, immediates) : time;
	float result[3];
	for (uint32_t i = 0; i < 3; i++)
	{
		result[i] = single || opcode == LRD_OP_TIME ? one
					: opcode == LRD_OP_CONSTANT     ? immediates[i]
					: opcode == LRD_OP_POSITION     ? position[i]
													: apply(opcode, a[i], b[i], c[i], immediates);
	}
	memcpy(registers[words[WORD_DESTINATION]], result, sizeof result);
}

void lrd_material_evaluate(
	const lrd_material_view *view, lrd_vec3 position, float time, float *density, lrd_vec3 *color)
{
	float registers[LRD_MATERIAL_REGISTERS][3] = { { 0 } };
	const float point[3] = { position.x, position.y, position.z };
	*density = 1.0f;
	*color = (lrd_vec3){ 1.0f, 1.0f, 1.0f };
	for (uint32_t i = 0; i < view->instruction_count; i++)
	{
		const lrd_material_instruction *instruction = &view->program[i];
		const float *source = registers[instruction->words[WORD_SOURCES]];
		switch (instruction->words[WORD_OPCODE])
		{
		case LRD_OP_OUTPUT_DENSITY: *density = clamped(source[0], 0.0f, FLT_MAX); break;
		case LRD_OP_OUTPUT_COLOR:
			*color = (lrd_vec3){ clamped(source[0], 0.0f, FLT_MAX), clamped(source[1], 0.0f, FLT_MAX),
				clamped(source[2], 0.0f, FLT_MAX) };
			break;
		default: run_instruction(instruction, point, time, registers); break;
		}
	}
}

// The file.

static bool check_header(const lrd_layout_cursor *cursor, const lrd_material_header *header)
{
	if (header->domain > LRD_DOMAIN_VOLUME)
	{
		return lrd_layout_fail(
			cursor, "domain: found %" PRIu32 ", allowed are 0 (surface) and 1 (volume)", header->domain);
	}
	if (header->alpha_mode > LRD_ALPHA_BLEND)
	{
		return lrd_layout_fail(cursor, "alpha_mode: found %" PRIu32 ", allowed are 0 (opaque), 1 (mask) and 2 (blend)",
			header->alpha_mode);
	}
	if ((header->flags & ~(uint32_t)LRD_MATERIAL_ALL_FLAGS) != 0)
	{
		return lrd_layout_fail(
			cursor, "flags: found 0x%" PRIx32 ", allowed are those of 0x%x", header->flags, LRD_MATERIAL_ALL_FLAGS);
	}
	if (!(header->alpha_cutoff >= 0.0f && header->alpha_cutoff <= 1.0f))
	{
		return lrd_layout_fail(cursor, "alpha_cutoff: found %g, allowed are 0 to 1", (double)header->alpha_cutoff);
	}
	uint32_t most = header->domain == LRD_DOMAIN_VOLUME ? LRD_MATERIAL_MAX_INSTRUCTIONS : 0;
	if (header->instruction_count > most)
	{
		return lrd_layout_fail(cursor,
			"instruction_count: found %" PRIu32 ", allowed are 0 to %" PRIu32 " in a %s material",
			header->instruction_count, most, header->domain == LRD_DOMAIN_VOLUME ? "volume" : "surface");
	}
	return true;
}

static bool find_blocks(lrd_layout_cursor *cursor, const lrd_material_header *header, lrd_material_view *view)
{
	const void *params, *medium, *textures, *program, *strings;
	if (!lrd_layout_next(cursor, "params", 1, sizeof *view->params, &params) ||
		!lrd_layout_next(cursor, "medium", 1, sizeof *view->medium, &medium) ||
		!lrd_layout_next(cursor, "textures", LRD_SLOT_COUNT, sizeof *view->textures, &textures) ||
		!lrd_layout_next(cursor, "program", header->instruction_count, sizeof *view->program, &program) ||
		!lrd_layout_next(cursor, "strings", header->string_size, 1, &strings))
	{
		return false;
	}
	view->params = params;
	view->medium = medium;
	view->textures = textures;
	view->program = program;
	view->strings = (lrd_string){ strings, header->string_size };
	return lrd_layout_end(cursor);
}

static bool check_blocks(const lrd_layout_cursor *cursor, const lrd_material_header *header, lrd_material_view *view)
{
	const lrd_layout_references references[] = {
		LRD_LAYOUT_TEXTS(NULL, "name", header, 1, lrd_material_header, name),
		LRD_LAYOUT_TEXTS("texture", "stem", view->textures, LRD_SLOT_COUNT, lrd_material_texture, stem),
	};
	if (!lrd_layout_check_texts(cursor, view->strings, references, sizeof references / sizeof *references) ||
		!check_params(cursor, view->params) || !check_medium(cursor, view->medium, view->domain))
	{
		return false;
	}
	for (uint32_t slot = 0; slot < LRD_SLOT_COUNT; slot++)
	{
		if (!check_texture(cursor, view, (lrd_material_slot)slot))
		{
			return false;
		}
	}
	view->name = lrd_layout_text(view->strings, header->name_offset, header->name_size);
	return check_program(cursor, view);
}

bool lrd_material_open(const void *bytes, size_t size, lrd_material_view *view, lrd_error *error)
{
	lrd_layout_cursor cursor;
	if (!lrd_layout_open(
			&cursor, "lmat", LRD_MATERIAL_MAGIC, LRD_MATERIAL_VERSION, sizeof(lrd_material_header), bytes, size, error))
	{
		return false;
	}
	const lrd_material_header *header = bytes;
	if (!check_header(&cursor, header))
	{
		return false;
	}
	lrd_material_view found = { .domain = header->domain,
		.alpha_mode = header->alpha_mode,
		.flags = header->flags,
		.alpha_cutoff = header->alpha_cutoff,
		.instruction_count = header->instruction_count };
	if (!find_blocks(&cursor, header, &found) || !check_blocks(&cursor, header, &found))
	{
		return false;
	}
	*view = found;
	return true;
}

lrd_material_params lrd_material_default_params(void)
{
	return (lrd_material_params){
		.base_color = { 1.0f, 1.0f, 1.0f, 1.0f },
		.metallic = 1.0f,
		.roughness = 1.0f,
		.emissive_strength = 1.0f,
		.normal_scale = 1.0f,
		.occlusion_strength = 1.0f,
		.ior = 1.5f,
		.attenuation_color = { 1.0f, 1.0f, 1.0f },
		.clearcoat_normal_scale = 1.0f,
		.specular = 1.0f,
		.specular_color = { 1.0f, 1.0f, 1.0f },
		.iridescence_ior = 1.3f,
		.iridescence_thickness_min = 100.0f,
		.iridescence_thickness_max = 400.0f,
	};
}
