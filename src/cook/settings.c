// Settings: sidecars over a project's rules over the defaults. Every key, type and range is checked; what is not known
// is an error with its place, never ignored.

#include "cook/settings.h"

#include "base/error.h"
#include "base/json.h"
#include "base/path.h"
#include "cook/glob.h"
#include "os/os.h"

#define SIDECAR_SUFFIX ".larder.json"
#define PROJECT_FILE "larder.json"
#define MAX_TEXTURE_SIZE 16384

struct lrd_settings_rules
{
	lrd_string text; ///< of the file, for places
	cJSON *root;
};

/// One settings file being read.
typedef struct settings_reader
{
	const char *name; ///< as messages quote it
	lrd_string text;
	const cJSON *root;
	lrd_arena *arena;
	lrd_error *error;
} settings_reader;

static bool fail_at(const settings_reader *self, const cJSON *member, const char *what, const char *expected)
{
	size_t line;
	size_t column;
	lrd_json_place_of(self->text, self->root, member, &line, &column);
	return lrd_fail(self->error, LRD_ERROR_FORMAT, "%s:%zu:%zu: \"%s\": %s; expected %s", self->name, line, column,
		member->string == NULL ? "" : member->string, what, expected);
}

// Values.

static bool read_choice(const settings_reader *self, const cJSON *member, lrd_choice *value)
{
	*value = cJSON_IsTrue(member) ? LRD_CHOICE_ON : LRD_CHOICE_OFF;
	return cJSON_IsBool(member) || fail_at(self, member, "wrong type", "true or false");
}

/// One of `names`, by its index.
static bool read_name(const settings_reader *self, const cJSON *member, const char *const *names, uint32_t count,
	uint32_t *index, const char *expected)
{
	for (*index = 0; cJSON_IsString(member) && *index < count; ++*index)
	{
		if (strcmp(names[*index], member->valuestring) == 0)
		{
			return true;
		}
	}
	return fail_at(self, member, cJSON_IsString(member) ? "unknown value" : "wrong type", expected);
}

static bool read_stem(const settings_reader *self, const cJSON *member, lrd_string *stem)
{
	if (!cJSON_IsString(member))
	{
		return fail_at(self, member, "wrong type", "a path without extension, relative to the source's folder");
	}
	lrd_error reason;
	if (!lrd_path_check(lrd_string_from(member->valuestring), &reason))
	{
		return fail_at(self, member, reason.message, "a path without extension, relative to the source's folder");
	}
	if (member->valuestring[0] == '.' || strstr(member->valuestring, "/.") != NULL)
	{
		return fail_at(self, member, "a name that starts with a dot", "names that are not hidden");
	}
	*stem = lrd_arena_string(self->arena, lrd_string_from(member->valuestring));
	return stem->data != NULL || lrd_fail_memory(self->error, "stem", 0);
}

// Sections. Each knows its keys; anything else is an error that lists them.

static const char *const texture_types[] = { "auto", "albedo", "normal", "metallic_roughness", "occlusion", "emissive",
	"mask", "height", "lut", "ui" };
static const char *const wraps[] = { "repeat", "clamp", "mirror" };
static const char *const filters[] = { "linear", "point" };
static const char *const placements[] = { "merged", "separate" };

#define COUNT(array) (uint32_t)(sizeof(array) / sizeof *(array))

static bool read_sampler(const settings_reader *self, const cJSON *section, lrd_texture_settings *texture)
{
	if (!cJSON_IsObject(section))
	{
		return fail_at(self, section, "wrong type", "an object with wrap_u, wrap_v, filter");
	}
	texture->has_sampler = true;
	for (const cJSON *member = section->child; member != NULL; member = member->next)
	{
		uint32_t index;
		bool is_filter = strcmp(member->string, "filter") == 0;
		bool is_u = strcmp(member->string, "wrap_u") == 0;
		if (!is_filter && !is_u && strcmp(member->string, "wrap_v") != 0)
		{
			return fail_at(self, member, "unknown key", "wrap_u, wrap_v or filter");
		}
		if (!(is_filter ? read_name(self, member, filters, COUNT(filters), &index, "linear or point")
						: read_name(self, member, wraps, COUNT(wraps), &index, "repeat, clamp or mirror")))
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

/// A cutoff, or false for off.
static bool read_coverage(const settings_reader *self, const cJSON *member, lrd_texture_settings *texture)
{
	if (cJSON_IsFalse(member))
	{
		texture->alpha_coverage = LRD_CHOICE_OFF;
		return true;
	}
	if (!cJSON_IsNumber(member) || !(member->valuedouble > 0.0 && member->valuedouble <= 1.0))
	{
		return fail_at(self, member, cJSON_IsNumber(member) ? "out of range" : "wrong type",
			"a cutoff above 0 and up to 1, or false");
	}
	texture->alpha_coverage = LRD_CHOICE_ON;
	texture->alpha_cutoff = (float)member->valuedouble;
	return true;
}

static bool read_max_size(const settings_reader *self, const cJSON *member, lrd_texture_settings *texture)
{
	double size = member->valuedouble;
	if (!cJSON_IsNumber(member) || !(size >= 1.0 && size <= MAX_TEXTURE_SIZE) || size != (double)(uint32_t)size)
	{
		return fail_at(
			self, member, cJSON_IsNumber(member) ? "out of range" : "wrong type", "a whole number from 1 to 16384");
	}
	texture->max_size = (uint32_t)size;
	return true;
}

static bool read_texture_member(const settings_reader *self, const cJSON *member, lrd_texture_settings *texture)
{
	if (strcmp(member->string, "type") == 0)
	{
		uint32_t index;
		bool good = read_name(self, member, texture_types, COUNT(texture_types), &index,
			"auto, albedo, normal, metallic_roughness, occlusion, emissive, mask, height, lut or ui");
		texture->type = (lrd_texture_type)index;
		return good;
	}
	if (strcmp(member->string, "srgb") == 0)
	{
		return read_choice(self, member, &texture->srgb);
	}
	if (strcmp(member->string, "mipmaps") == 0)
	{
		return read_choice(self, member, &texture->mipmaps);
	}
	if (strcmp(member->string, "max_size") == 0)
	{
		return read_max_size(self, member, texture);
	}
	if (strcmp(member->string, "alpha_coverage") == 0)
	{
		return read_coverage(self, member, texture);
	}
	if (strcmp(member->string, "sampler") == 0)
	{
		return read_sampler(self, member, texture);
	}
	return fail_at(self, member, "unknown key", "type, srgb, mipmaps, max_size, alpha_coverage or sampler");
}

static bool read_model_member(const settings_reader *self, const cJSON *member, lrd_model_settings *model)
{
	if (strcmp(member->string, "placement") == 0)
	{
		uint32_t index;
		bool good = read_name(self, member, placements, COUNT(placements), &index, "merged or separate");
		model->placement = (lrd_placement)index;
		return good;
	}
	return fail_at(self, member, "unknown key", "placement");
}

/// "texture" and "model", wherever they stand. `known` is false when the key is neither.
static bool read_section(const settings_reader *self, const cJSON *section, lrd_settings *settings, bool *known)
{
	bool is_texture = strcmp(section->string, "texture") == 0;
	*known = is_texture || strcmp(section->string, "model") == 0;
	if (!*known)
	{
		return true;
	}
	if (!cJSON_IsObject(section))
	{
		return fail_at(self, section, "wrong type", "an object");
	}
	for (const cJSON *member = section->child; member != NULL; member = member->next)
	{
		if (is_texture ? !read_texture_member(self, member, &settings->texture)
					   : !read_model_member(self, member, &settings->model))
		{
			return false;
		}
	}
	return true;
}

// Files.

/// Open a settings file. True with `root` NULL when there is none.
static bool open_file(settings_reader *self, const char *path, cJSON **root)
{
	lrd_buffer file = { .allocator = lrd_arena_allocator(self->arena) };
	lrd_error reason;
	*root = NULL;
	if (!lrd_file_read(path, &file, &reason))
	{
		bool missing = reason.code == LRD_ERROR_NOT_FOUND;
		return missing || lrd_fail(self->error, reason.code, "%s", reason.message);
	}
	// Editors on Windows begin files with a byte order mark.
	size_t mark = file.size >= 3 && memcmp(file.data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
	self->text = lrd_arena_string(self->arena, (lrd_string){ (const char *)file.data + mark, file.size - mark });
	lrd_buffer_free(&file);
	if (self->text.data == NULL)
	{
		return lrd_fail_memory(self->error, self->name, file.size);
	}
	*root = lrd_json_parse(self->text, self->error);
	if (*root == NULL)
	{
		return lrd_fail_in(self->error, "%s", self->name);
	}
	self->root = *root;
	if (!cJSON_IsObject(*root))
	{
		cJSON_Delete(*root);
		return lrd_fail(self->error, LRD_ERROR_FORMAT, "%s:1:1: expected an object", self->name);
	}
	return true;
}

static bool read_sidecar(const settings_reader *self, lrd_settings *settings)
{
	for (const cJSON *member = self->root->child; member != NULL; member = member->next)
	{
		bool known;
		if (!read_section(self, member, settings, &known))
		{
			return false;
		}
		if (known || strcmp(member->string, "$schema") == 0)
		{
			continue;
		}
		if (strcmp(member->string, "stem") == 0 ? !read_stem(self, member, &settings->stem)
			: strcmp(member->string, "cook") == 0
				? !read_choice(self, member, &settings->cook)
				: !fail_at(self, member, "unknown key", "stem, cook, texture or model"))
		{
			return false;
		}
	}
	return true;
}

// Rules: { "defaults": { sections }, "rules": [ { "match": GLOB, sections } ] }. The file is checked whole when it is
// loaded, so laying a rule over a source's settings can't fail.

static bool read_rule(const settings_reader *self, const cJSON *rule, bool has_match, lrd_settings *settings)
{
	bool matches = false;
	for (const cJSON *member = rule->child; member != NULL; member = member->next)
	{
		bool known;
		if (!read_section(self, member, settings, &known))
		{
			return false;
		}
		bool is_match = has_match && strcmp(member->string, "match") == 0;
		if (!known && !is_match)
		{
			return fail_at(self, member, "unknown key", has_match ? "match, texture or model" : "texture or model");
		}
		if (is_match && !cJSON_IsString(member))
		{
			return fail_at(self, member, "wrong type", "a glob over source paths, as \"props/**/*.png\"");
		}
		matches = matches || is_match;
	}
	return matches || !has_match ||
		   fail_at(
			   self, rule->child != NULL ? rule->child : rule, "a rule without \"match\"", "a glob over source paths");
}

static bool read_rules(const settings_reader *self, const cJSON *list, lrd_settings *settings, const char *source)
{
	if (!cJSON_IsArray(list))
	{
		return fail_at(self, list, "wrong type", "an array of rules");
	}
	for (const cJSON *rule = list->child; rule != NULL; rule = rule->next)
	{
		const char *match = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(rule, "match"));
		if (!cJSON_IsObject(rule))
		{
			return fail_at(self, list, "a rule is no object", "objects with match, texture, model");
		}
		bool applies = source == NULL || (match != NULL && lrd_glob_matches(match, source));
		if (applies && !read_rule(self, rule, true, settings))
		{
			return false;
		}
	}
	return true;
}

/// Lay the rules that match `source` over `settings`; all of them when it is NULL, to check them.
static bool read_project(const settings_reader *self, lrd_settings *settings, const char *source)
{
	for (const cJSON *member = self->root->child; member != NULL; member = member->next)
	{
		bool is_defaults = strcmp(member->string, "defaults") == 0;
		bool is_rules = strcmp(member->string, "rules") == 0;
		if (!is_defaults && !is_rules && strcmp(member->string, "$schema") != 0)
		{
			return fail_at(self, member, "unknown key", "defaults or rules");
		}
		if (is_defaults && !cJSON_IsObject(member))
		{
			return fail_at(self, member, "wrong type", "an object with texture, model");
		}
		if ((is_defaults && !read_rule(self, member, false, settings)) ||
			(is_rules && !read_rules(self, member, settings, source)))
		{
			return false;
		}
	}
	return true;
}

bool lrd_settings_rules_load(lrd_arena *arena, const char *root, lrd_settings_rules **rules, lrd_error *error)
{
	lrd_settings ignored = { 0 };
	lrd_string path = lrd_arena_printf(arena, "%s/" PROJECT_FILE, root);
	settings_reader self = { .name = path.data, .arena = arena, .error = error };
	cJSON *json;
	*rules = NULL;
	if (path.data == NULL)
	{
		return lrd_fail_memory(error, "path", 0);
	}
	if (!open_file(&self, path.data, &json))
	{
		return false;
	}
	if (json == NULL)
	{
		return true;
	}
	lrd_settings_rules *loaded = LRD_ARENA_NEW(arena, lrd_settings_rules);
	if (loaded == NULL || !read_project(&self, &ignored, NULL))
	{
		cJSON_Delete(json);
		return loaded == NULL ? lrd_fail_memory(error, path.data, sizeof *loaded) : false;
	}
	*loaded = (lrd_settings_rules){ self.text, json };
	*rules = loaded;
	return true;
}

void lrd_settings_rules_free(lrd_settings_rules *rules)
{
	if (rules != NULL)
	{
		cJSON_Delete(rules->root);
	}
}

bool lrd_settings_load(lrd_arena *arena, const lrd_settings_rules *rules, const char *root, lrd_string source,
	lrd_settings *settings, lrd_error *error)
{
	*settings = (lrd_settings){ 0 };
	lrd_string text = lrd_arena_string(arena, source);
	lrd_string path = lrd_arena_printf(arena, "%s/%.*s" SIDECAR_SUFFIX, root, LRD_STR_ARG(source));
	if (text.data == NULL || path.data == NULL)
	{
		return lrd_fail_memory(error, "path", source.size);
	}
	if (rules != NULL)
	{
		settings_reader project = { PROJECT_FILE, rules->text, rules->root, arena, error };
		if (!read_project(&project, settings, text.data))
		{
			return false;
		}
	}
	settings_reader sidecar = { .name = path.data, .arena = arena, .error = error };
	cJSON *json;
	if (!open_file(&sidecar, path.data, &json))
	{
		return false;
	}
	bool good = json == NULL || read_sidecar(&sidecar, settings);
	cJSON_Delete(json);
	return good;
}

bool lrd_settings_describe(const lrd_settings *settings, lrd_buffer *out)
{
	const lrd_texture_settings *texture = &settings->texture;
	return lrd_buffer_printf(out, "placement %s\ntype %s\nsrgb %d\nmipmaps %d\nmax_size %u\ncoverage %d %a\n",
			   placements[settings->model.placement], texture_types[texture->type], texture->srgb, texture->mipmaps,
			   texture->max_size, texture->alpha_coverage, (double)texture->alpha_cutoff) &&
		   (!texture->has_sampler || lrd_buffer_printf(out, "sampler %s %s %s\n", wraps[texture->wrap_u],
										 wraps[texture->wrap_v], filters[texture->filter]));
}

bool lrd_settings_is_sidecar(lrd_string path)
{
	return lrd_string_ends_with_folded(path, LRD_STR(SIDECAR_SUFFIX));
}
