// The "texture" section: its keys, in one table that reads, refuses and describes.

#include "larder/texture_cook.h"

#include "base/error.h"
#include "cook/settings_reader.h"

#include <assert.h>

#define MAX_TEXTURE_SIZE 16384u
#define MAX_FACE_SIZE 8192u
#define MAX_SOURCE_SIZE 65536u

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

static_assert(LRD_COUNT(types) == LRD_TEXTURE_TYPE_COUNT, "a name a type");
static_assert(LRD_COUNT(encodings) == LRD_ENCODING_COUNT, "a name an encoding");
static_assert(LRD_COUNT(targets) == LRD_TARGET_COUNT, "a name a target");
static_assert(LRD_COUNT(qualities) == LRD_QUALITY_COUNT, "a name a quality");

#define LRD_KEY_TYPE lrd_texture_settings

static const lrd_setting sampler_keys[] = {
	LRD_KEY_NAMED("wrap_u", LRD_SETTING_NAME, wrap_u, wraps),
	LRD_KEY_NAMED("wrap_v", LRD_SETTING_NAME, wrap_v, wraps),
	LRD_KEY_NAMED("filter", LRD_SETTING_NAME, filter, filters),
};
static const lrd_setting_table sampler_table = { sampler_keys, LRD_COUNT(sampler_keys) };

static bool read_sampler(const lrd_settings_reader *self, const cJSON *member, void *settings)
{
	((lrd_texture_settings *)settings)->has_sampler = true;
	return lrd_settings_read_object(self, &sampler_table, member, "an object with wrap_u, wrap_v, filter", settings);
}

static bool describe_sampler(const char *name, const void *settings, lrd_buffer *out)
{
	return !((const lrd_texture_settings *)settings)->has_sampler ||
		   (lrd_buffer_printf(out, "%s\n", name) && lrd_settings_describe_keys(&sampler_table, settings, out));
}

static bool read_coverage(const lrd_settings_reader *self, const cJSON *member, void *settings)
{
	static const lrd_setting cutoff = { .high = 1, .ends = LRD_ENDS_ABOVE, .or_else = ", or false" };
	lrd_texture_settings *texture = settings;
	texture->alpha_coverage = cJSON_IsFalse(member) ? LRD_CHOICE_OFF : LRD_CHOICE_ON;
	return cJSON_IsFalse(member) || lrd_settings_read_number(self, member, &cutoff, &texture->alpha_cutoff);
}

static bool describe_coverage(const char *name, const void *settings, lrd_buffer *out)
{
	const lrd_texture_settings *texture = settings;
	return lrd_buffer_printf(
		out, "%s %d %08x\n", name, (int)texture->alpha_coverage, lrd_settings_bits(texture->alpha_cutoff));
}

/// The last level, from 0, is kept as how many there are, so that 0 is all of them.
static bool read_last_level(const lrd_settings_reader *self, const cJSON *member, void *settings)
{
	uint32_t last;
	if (!lrd_settings_read_count(self, member, 0, 31, &last))
	{
		return false;
	}
	((lrd_texture_settings *)settings)->level_limit = last + 1;
	return true;
}

static bool describe_last_level(const char *name, const void *settings, lrd_buffer *out)
{
	return lrd_buffer_printf(out, "%s %u\n", name, ((const lrd_texture_settings *)settings)->level_limit);
}

static const lrd_setting keys[] = {
	LRD_KEY_NAMED("type", LRD_SETTING_NAME, type, types),
	LRD_KEY_PLAIN("srgb", LRD_SETTING_CHOICE, srgb),
	LRD_KEY_PLAIN("mipmaps", LRD_SETTING_CHOICE, mipmaps),
	LRD_KEY_NAMED("mip_filter", LRD_SETTING_NAME, mip_filter, mip_filters),
	LRD_KEY_NAMED("quality", LRD_SETTING_NAME, quality, qualities),
	LRD_KEY_NAMED("format", LRD_SETTING_NAME, format, encodings),
	LRD_KEY_NAMED("metric", LRD_SETTING_SWITCH, perceptual, metrics),
	LRD_KEY_NAMED("supercompression", LRD_SETTING_SWITCH, zstd, supercompressions),
	LRD_KEY_COUNT("source_limit", source_limit, 1, MAX_SOURCE_SIZE),
	LRD_KEY_COUNT("max_size", max_size, 1, MAX_TEXTURE_SIZE),
	LRD_KEY_COUNT("min_size", min_size, 1, MAX_TEXTURE_SIZE),
	LRD_KEY_OWN("stop_mip", last_level),
	LRD_KEY_PLAIN("premultiply", LRD_SETTING_BOOL, premultiply),
	LRD_KEY_OWN("alpha_coverage", coverage),
	LRD_KEY_PLAIN("normal_flip_y", LRD_SETTING_BOOL, normal_flip_y),
	LRD_KEY_PLAIN("roughness_from_normals", LRD_SETTING_BOOL, roughness_from_normals),
	LRD_KEY_COUNT("face_size", face_size, 1, MAX_FACE_SIZE),
	LRD_KEY_OWN("sampler", sampler),
};
static const lrd_setting_table table = { keys, LRD_COUNT(keys) };

bool lrd_settings_read_texture(
	const lrd_settings_reader *self, const cJSON *member, lrd_texture_settings *texture, const char *other_keys)
{
	return lrd_settings_read_key(self, &table, member, other_keys, texture);
}

bool lrd_settings_describe_texture(const lrd_texture_settings *texture, lrd_buffer *out)
{
	return lrd_settings_describe_keys(&table, texture, out);
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
