// The "texture" section: its keys, in one table that reads, refuses and describes.

#include "larder/texture_cook.h"

#include "base/error.h"
#include "cook/settings_reader.h"

#include <assert.h>
#include <stddef.h>

#define MAX_TEXTURE_SIZE 16384u
#define MAX_FACE_SIZE 8192u
#define MAX_SOURCE_SIZE 65536u
#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const types[] = { "auto", "albedo", "normal", "metallic_roughness", "occlusion", "emissive", "mask",
	"height", "cubemap", "lut", "ui" };
static const char *const encodings[] = { "auto", "rgba8", "rgba16f", "bc1", "bc3", "bc4", "bc5", "bc6h", "bc7",
	"astc4x4", "astc5x5", "astc6x6", "astc8x8" };
static const char *const targets[] = { "desktop", "mobile", "raw" };
static const char *const qualities[] = { "normal", "fast", "best" };
static const char *const mip_filters[] = { "auto", "box", "sinc" };
static const char *const metrics[] = { "linear", "perceptual" };
static const char *const supercompressions[] = { "none", "zstd" };
static const char *const wraps[] = { "repeat", "clamp", "mirror" };
static const char *const filters[] = { "linear", "point" };

static_assert(COUNT(types) == LRD_TEXTURE_TYPE_COUNT, "a name a type");
static_assert(COUNT(encodings) == LRD_ENCODING_COUNT, "a name an encoding");
static_assert(COUNT(targets) == LRD_TARGET_COUNT, "a name a target");
static_assert(COUNT(qualities) == LRD_QUALITY_COUNT, "a name a quality");

typedef enum value_kind
{
	VALUE_NAME,      ///< an enumeration, by its names
	VALUE_NAME_BOOL, ///< the second of two names is true
	VALUE_CHOICE,    ///< true or false, auto when left out
	VALUE_BOOL,
	VALUE_SIZE,     ///< 1 to MAX_TEXTURE_SIZE
	VALUE_FACE,     ///< 1 to MAX_FACE_SIZE
	VALUE_SOURCE,   ///< 1 to MAX_SOURCE_SIZE
	VALUE_LEVEL,    ///< the last of so many levels
	VALUE_COVERAGE, ///< a cutoff, or false for off
	VALUE_SAMPLER,
} value_kind;

typedef struct texture_key
{
	const char *name;
	value_kind kind;
	size_t offset;
	const char *const *names;
	size_t name_count;
} texture_key;

#define KEY(name, kind, member)                                                                                        \
	{                                                                                                                  \
		name, kind, offsetof(lrd_texture_settings, member), NULL, 0                                                    \
	}
#define NAMED(name, kind, member, list)                                                                                \
	{                                                                                                                  \
		name, kind, offsetof(lrd_texture_settings, member), list, COUNT(list)                                          \
	}

static const texture_key keys[] = {
	NAMED("type", VALUE_NAME, type, types),
	KEY("srgb", VALUE_CHOICE, srgb),
	KEY("mipmaps", VALUE_CHOICE, mipmaps),
	NAMED("mip_filter", VALUE_NAME, mip_filter, mip_filters),
	NAMED("quality", VALUE_NAME, quality, qualities),
	NAMED("format", VALUE_NAME, format, encodings),
	NAMED("metric", VALUE_NAME_BOOL, perceptual, metrics),
	NAMED("supercompression", VALUE_NAME_BOOL, zstd, supercompressions),
	KEY("source_limit", VALUE_SOURCE, source_limit),
	KEY("max_size", VALUE_SIZE, max_size),
	KEY("min_size", VALUE_SIZE, min_size),
	KEY("stop_mip", VALUE_LEVEL, level_limit),
	KEY("premultiply", VALUE_BOOL, premultiply),
	KEY("alpha_coverage", VALUE_COVERAGE, alpha_coverage),
	KEY("normal_flip_y", VALUE_BOOL, normal_flip_y),
	KEY("roughness_from_normals", VALUE_BOOL, roughness_from_normals),
	KEY("face_size", VALUE_FACE, face_size),
	KEY("sampler", VALUE_SAMPLER, has_sampler),
};

static bool read_sampler(const lrd_settings_reader *self, const cJSON *section, lrd_texture_settings *texture)
{
	if (!cJSON_IsObject(section))
	{
		return lrd_settings_fail(self, section, "wrong type", "an object with wrap_u, wrap_v, filter");
	}
	texture->has_sampler = true;
	for (const cJSON *member = section->child; member != NULL; member = member->next)
	{
		uint32_t index;
		bool is_filter = strcmp(member->string, "filter") == 0;
		bool is_u = strcmp(member->string, "wrap_u") == 0;
		if (!is_filter && !is_u && strcmp(member->string, "wrap_v") != 0)
		{
			return lrd_settings_fail(self, member, "unknown key", "wrap_u, wrap_v or filter");
		}
		if (!(is_filter ? lrd_settings_read_name(self, member, filters, COUNT(filters), &index)
						: lrd_settings_read_name(self, member, wraps, COUNT(wraps), &index)))
		{
			return false;
		}
		if (is_filter)
		{
			texture->filter = (lrd_filter)index;
		}
		else
		{
			*(is_u ? &texture->wrap_u : &texture->wrap_v) = (lrd_wrap)index;
		}
	}
	return true;
}

static bool read_coverage(const lrd_settings_reader *self, const cJSON *member, lrd_texture_settings *texture)
{
	if (cJSON_IsFalse(member))
	{
		texture->alpha_coverage = LRD_CHOICE_OFF;
		return true;
	}
	if (!cJSON_IsNumber(member) || !((float)member->valuedouble > 0.0f && member->valuedouble <= 1.0))
	{
		return lrd_settings_fail(self, member, cJSON_IsNumber(member) ? "out of range" : "wrong type",
			"a cutoff above 0 and up to 1, or false");
	}
	texture->alpha_coverage = LRD_CHOICE_ON;
	texture->alpha_cutoff = (float)member->valuedouble;
	return true;
}

static bool read_key(
	const lrd_settings_reader *self, const texture_key *key, const cJSON *member, lrd_texture_settings *texture)
{
	char *place = (char *)texture + key->offset;
	uint32_t number;
	bool truth;
	switch (key->kind)
	{
	case VALUE_NAME:
		return lrd_settings_read_name(self, member, key->names, key->name_count, (uint32_t *)(void *)place);
	case VALUE_NAME_BOOL:
		if (!lrd_settings_read_name(self, member, key->names, key->name_count, &number))
		{
			return false;
		}
		*(bool *)place = number != 0;
		return true;
	case VALUE_CHOICE:
		if (!lrd_settings_read_bool(self, member, &truth))
		{
			return false;
		}
		*(lrd_choice *)(void *)place = truth ? LRD_CHOICE_ON : LRD_CHOICE_OFF;
		return true;
	case VALUE_BOOL: return lrd_settings_read_bool(self, member, (bool *)place);
	case VALUE_SIZE: return lrd_settings_read_number(self, member, 1, MAX_TEXTURE_SIZE, (uint32_t *)(void *)place);
	case VALUE_SOURCE: return lrd_settings_read_number(self, member, 1, MAX_SOURCE_SIZE, (uint32_t *)(void *)place);
	case VALUE_FACE: return lrd_settings_read_number(self, member, 1, MAX_FACE_SIZE, (uint32_t *)(void *)place);
	case VALUE_LEVEL:
		if (!lrd_settings_read_number(self, member, 0, 31, &number))
		{
			return false;
		}
		*(uint32_t *)(void *)place = number + 1;
		return true;
	case VALUE_COVERAGE: return read_coverage(self, member, texture);
	case VALUE_SAMPLER: return read_sampler(self, member, texture);
	}
	return false;
}

static const char *list_keys(const lrd_settings_reader *self, const char *other_keys)
{
	const char *names[COUNT(keys) + 1];
	for (size_t i = 0; i < COUNT(keys); ++i)
	{
		names[i] = keys[i].name;
	}
	names[COUNT(keys)] = other_keys;
	return lrd_settings_list(self, names, COUNT(keys) + (other_keys != NULL));
}

bool lrd_settings_read_texture(
	const lrd_settings_reader *self, const cJSON *member, lrd_texture_settings *texture, const char *other_keys)
{
	for (size_t i = 0; i < COUNT(keys); ++i)
	{
		if (strcmp(keys[i].name, member->string) == 0)
		{
			return read_key(self, &keys[i], member, texture);
		}
	}
	return lrd_settings_fail(self, member, "unknown key", list_keys(self, other_keys));
}

bool lrd_texture_settings_read(lrd_texture_settings *settings, const char *name, lrd_string json, lrd_error *error)
{
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 4096);
	if (arena == NULL)
	{
		return lrd_fail_memory(error, name, 4096);
	}
	cJSON *root = lrd_json_parse(json, error);
	lrd_settings_reader self = { name, json, root, arena, error };
	bool good = root != NULL || lrd_fail_in(error, "%s", name);
	if (good && !cJSON_IsObject(root))
	{
		good = lrd_fail(error, LRD_ERROR_FORMAT, "%s:1:1: expected an object", name);
	}
	lrd_texture_settings read = *settings;
	for (const cJSON *member = good ? root->child : NULL; good && member != NULL; member = member->next)
	{
		good = lrd_settings_read_texture(&self, member, &read, NULL);
	}
	cJSON_Delete(root);
	lrd_arena_destroy(arena);
	if (good)
	{
		*settings = read;
	}
	return good;
}

static bool describe_key(const texture_key *key, const lrd_texture_settings *texture, lrd_buffer *out)
{
	const char *place = (const char *)texture + key->offset;
	switch (key->kind)
	{
	case VALUE_NAME:
		return lrd_buffer_printf(out, "%s %s\n", key->name, key->names[*(const uint32_t *)(const void *)place]);
	case VALUE_NAME_BOOL:
	case VALUE_BOOL: return lrd_buffer_printf(out, "%s %d\n", key->name, *(const bool *)place);
	case VALUE_CHOICE:
	case VALUE_SIZE:
	case VALUE_SOURCE:
	case VALUE_FACE:
	case VALUE_LEVEL: return lrd_buffer_printf(out, "%s %u\n", key->name, *(const uint32_t *)(const void *)place);
	case VALUE_COVERAGE:
		return lrd_buffer_printf(
			out, "%s %d %a\n", key->name, (int)texture->alpha_coverage, (double)texture->alpha_cutoff);
	case VALUE_SAMPLER:
		return !texture->has_sampler || lrd_buffer_printf(out, "%s %s %s %s\n", key->name, wraps[texture->wrap_u],
											wraps[texture->wrap_v], filters[texture->filter]);
	}
	return false;
}

bool lrd_settings_describe_texture(const lrd_texture_settings *texture, lrd_buffer *out)
{
	for (size_t i = 0; i < COUNT(keys); ++i)
	{
		if (!describe_key(&keys[i], texture, out))
		{
			return false;
		}
	}
	return true;
}

const char *lrd_texture_type_name(lrd_texture_type type)
{
	return type < LRD_TEXTURE_TYPE_COUNT ? types[type] : "unknown";
}

const char *lrd_texture_encoding_name(lrd_texture_encoding encoding)
{
	return encoding < LRD_ENCODING_COUNT ? encodings[encoding] : "unknown";
}

const char *lrd_target_name(lrd_target target)
{
	return target < LRD_TARGET_COUNT ? targets[target] : "unknown";
}

bool lrd_target_from_name(lrd_string name, lrd_target *target)
{
	for (uint32_t i = 0; i < LRD_TARGET_COUNT; ++i)
	{
		if (lrd_string_equal(name, lrd_string_from(targets[i])))
		{
			*target = (lrd_target)i;
			return true;
		}
	}
	return false;
}

const char *lrd_texture_clue_name(lrd_texture_clue clue)
{
	static const char *const names[] = { "default", "settings", "slot", "name" };
	return names[clue];
}
