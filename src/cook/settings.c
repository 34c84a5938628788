// Settings: sidecars over a project's rules over the defaults. Every key, type and range is checked; what is not known
// is an error with its place, never ignored. Sections are in texture_settings.c and model_settings.c.

#include "cook/settings.h"

#include "base/error.h"
#include "base/json.h"
#include "base/path.h"
#include "cook/glob.h"
#include "cook/settings_reader.h"
#include "os/os.h"

#define SIDECAR_SUFFIX ".larder.json"
#define PROJECT_FILE "larder.json"

// What a project says to the run time. The cook hands it on and leaves its meaning to the store.
#define RESIDENCY "residency"

struct lrd_settings_rules
{
	lrd_string text; ///< of the file, for places
	cJSON *root;
};

typedef lrd_settings_reader settings_reader;

static bool read_choice(const settings_reader *self, const cJSON *member, lrd_choice *value)
{
	bool truth;
	bool good = lrd_settings_read_bool(self, member, &truth);
	*value = truth ? LRD_CHOICE_ON : LRD_CHOICE_OFF;
	return good;
}

static bool read_stem(const settings_reader *self, const cJSON *member, lrd_string *stem)
{
	if (!cJSON_IsString(member))
	{
		return lrd_settings_fail(
			self, member, "wrong type", "a path without extension, relative to the source's folder");
	}
	lrd_error reason;
	if (!lrd_path_check(lrd_string_from(member->valuestring), &reason))
	{
		return lrd_settings_fail(
			self, member, reason.message, "a path without extension, relative to the source's folder");
	}
	if (member->valuestring[0] == '.' || strstr(member->valuestring, "/.") != NULL)
	{
		return lrd_settings_fail(self, member, "a name that starts with a dot", "names that are not hidden");
	}
	*stem = lrd_arena_string(self->arena, lrd_string_from(member->valuestring));
	return stem->data != NULL || lrd_fail_memory(self->error, "stem", 0);
}

// Sections. Each knows its keys; anything else is an error that lists them.

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
		return lrd_settings_fail(self, section, "wrong type", "an object");
	}
	for (const cJSON *member = section->child; member != NULL; member = member->next)
	{
		if (is_texture ? !lrd_settings_read_texture(self, member, &settings->texture, NULL)
					   : !lrd_settings_read_model(self, member, &settings->model))
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
	lrd_string text = { (const char *)file.data, file.size };
	// Editors on Windows begin files with a byte order mark.
	if (text.size >= 3 && memcmp(text.data, "\xEF\xBB\xBF", 3) == 0)
	{
		text = (lrd_string){ text.data + 3, text.size - 3 };
	}
	self->text = lrd_arena_string(self->arena, text);
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

/// The six files of a cubemap, beside the source or below its folder.
static bool read_faces(const settings_reader *self, const cJSON *list, lrd_string source, lrd_settings *settings)
{
	static const char expected[] = "the six image files +X, -X, +Y, -Y, +Z, -Z, relative to the source's folder";
	if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != LRD_FACE_COUNT)
	{
		return lrd_settings_fail(self, list, cJSON_IsArray(list) ? "not six" : "wrong type", expected);
	}
	uint32_t face = 0;
	for (const cJSON *member = list->child; member != NULL; member = member->next)
	{
		lrd_error reason;
		if (!cJSON_IsString(member) || !lrd_path_check(lrd_string_from(member->valuestring), &reason))
		{
			return lrd_settings_fail(self, list, cJSON_IsString(member) ? reason.message : "wrong type", expected);
		}
		lrd_string folder = lrd_path_folder(source);
		lrd_string path = lrd_arena_printf(
			self->arena, "%.*s%s%s", LRD_STR_ARG(folder), folder.size != 0 ? "/" : "", member->valuestring);
		if (path.data == NULL)
		{
			return lrd_fail_memory(self->error, "faces", 0);
		}
		settings->faces[face++] = path;
	}
	return true;
}

/// Settings of one image: {"image": NAME, and keys of "texture"}.
static bool read_image(const settings_reader *self, const cJSON *entry, const cJSON *list, lrd_image_settings *image)
{
	if (!cJSON_IsObject(entry))
	{
		return lrd_settings_fail(self, list, "an entry is no object", "objects with image and keys of texture");
	}
	for (const cJSON *member = entry->child; member != NULL; member = member->next)
	{
		if (strcmp(member->string, "image") != 0)
		{
			if (!lrd_settings_read_texture(self, member, &image->texture, "image"))
			{
				return false;
			}
			continue;
		}
		if (!cJSON_IsString(member) || member->valuestring[0] == 0)
		{
			return lrd_settings_fail(self, member, "wrong type", "the name of an image in the source");
		}
		image->image = lrd_arena_string(self->arena, lrd_string_from(member->valuestring));
		if (image->image.data == NULL)
		{
			return lrd_fail_memory(self->error, "images", 0);
		}
	}
	return image->image.size != 0 || lrd_settings_fail(self, entry->child != NULL ? entry->child : list,
										 "an entry without \"image\"", "the name of an image in the source");
}

/// "images" lies over "texture", wherever the two stand in the file.
static bool read_images(const settings_reader *self, const cJSON *list, lrd_settings *settings)
{
	if (!cJSON_IsArray(list))
	{
		return lrd_settings_fail(self, list, "wrong type", "an array of objects with image and keys of texture");
	}
	uint32_t count = (uint32_t)cJSON_GetArraySize(list);
	lrd_image_settings *images = LRD_ARENA_ARRAY(self->arena, lrd_image_settings, count + 1u);
	if (images == NULL)
	{
		return lrd_fail_memory(self->error, "images", count * sizeof *images);
	}
	settings->images = images;
	for (const cJSON *entry = list->child; entry != NULL; entry = entry->next)
	{
		lrd_image_settings *image = &images[settings->image_count];
		image->texture = settings->texture;
		if (!read_image(self, entry, list, image))
		{
			return false;
		}
		for (uint32_t i = 0; i < settings->image_count; ++i)
		{
			if (lrd_string_equal(images[i].image, image->image))
			{
				return lrd_settings_fail(
					self, entry->child, "an image that an earlier entry names", "one entry an image");
			}
		}
		settings->image_count++;
	}
	return true;
}

static bool read_sidecar(const settings_reader *self, lrd_string source, lrd_settings *settings)
{
	const cJSON *images = NULL;
	for (const cJSON *member = self->root->child; member != NULL; member = member->next)
	{
		bool known;
		bool good;
		if (!read_section(self, member, settings, &known))
		{
			return false;
		}
		if (known || strcmp(member->string, "$schema") == 0)
		{
			continue;
		}
		if (strcmp(member->string, "stem") == 0)
		{
			good = read_stem(self, member, &settings->stem);
		}
		else if (strcmp(member->string, "cook") == 0)
		{
			good = read_choice(self, member, &settings->cook);
		}
		else if (strcmp(member->string, "faces") == 0)
		{
			good = read_faces(self, member, source, settings);
		}
		else
		{
			images = strcmp(member->string, "images") == 0 ? member : images;
			good = images == member ||
				   lrd_settings_fail(self, member, "unknown key", "stem, cook, faces, texture, images or model");
		}
		if (!good)
		{
			return false;
		}
	}
	return images == NULL || read_images(self, images, settings);
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
			return lrd_settings_fail(
				self, member, "unknown key", has_match ? "match, texture or model" : "texture or model");
		}
		if (is_match && !cJSON_IsString(member))
		{
			return lrd_settings_fail(self, member, "wrong type", "a glob over source paths, as \"props/**/*.png\"");
		}
		matches = matches || is_match;
	}
	return matches || !has_match ||
		   lrd_settings_fail(
			   self, rule->child != NULL ? rule->child : rule, "a rule without \"match\"", "a glob over source paths");
}

static bool read_rules(const settings_reader *self, const cJSON *list, lrd_settings *settings, const char *source)
{
	if (!cJSON_IsArray(list))
	{
		return lrd_settings_fail(self, list, "wrong type", "an array of rules");
	}
	for (const cJSON *rule = list->child; rule != NULL; rule = rule->next)
	{
		const char *match = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(rule, "match"));
		if (!cJSON_IsObject(rule))
		{
			return lrd_settings_fail(self, list, "a rule is no object", "objects with match, texture, model");
		}
		bool applies = source == NULL || (match != NULL && lrd_glob_matches(match, source));
		if (applies && !read_rule(self, rule, true, settings))
		{
			return false;
		}
	}
	return true;
}

typedef struct residency_settings
{
	uint32_t keep_parked_mb;
	bool watch;
} residency_settings;

#define LRD_KEY_TYPE residency_settings
static const lrd_setting residency_keys[] = {
	LRD_KEY_COUNT("keep_parked_mb", keep_parked_mb, 0, UINT32_MAX),
	LRD_KEY_PLAIN("watch", LRD_SETTING_BOOL, watch),
};
#undef LRD_KEY_TYPE

/// Checked here, so that a slip of the pen is told when it is cooked; what it means is the store's business.
static bool read_residency(const settings_reader *self, const cJSON *member)
{
	static const lrd_setting_table table = { residency_keys, LRD_COUNT(residency_keys) };
	residency_settings ignored;
	return lrd_settings_read_object(self, &table, member, "an object with keep_parked_mb, watch", &ignored);
}

/// Lay the rules that match `source` over `settings`; all of them when it is NULL, to check them.
static bool read_project(const settings_reader *self, lrd_settings *settings, const char *source)
{
	for (const cJSON *member = self->root->child; member != NULL; member = member->next)
	{
		bool is_defaults = strcmp(member->string, "defaults") == 0;
		bool is_rules = strcmp(member->string, "rules") == 0;
		bool is_residency = strcmp(member->string, RESIDENCY) == 0;
		if (!is_defaults && !is_rules && !is_residency && strcmp(member->string, "$schema") != 0)
		{
			return lrd_settings_fail(self, member, "unknown key", "defaults, rules or residency");
		}
		if (is_defaults && !cJSON_IsObject(member))
		{
			return lrd_settings_fail(self, member, "wrong type", "an object with texture, model");
		}
		if ((is_residency && !read_residency(self, member)) ||
			(is_defaults && !read_rule(self, member, false, settings)) ||
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

bool lrd_settings_rules_residency(lrd_arena *arena, const lrd_settings_rules *rules, lrd_string *text, lrd_error *error)
{
	const cJSON *residency = rules != NULL ? cJSON_GetObjectItemCaseSensitive(rules->root, RESIDENCY) : NULL;
	*text = (lrd_string){ 0 };
	if (residency == NULL)
	{
		return true;
	}
	char *printed = cJSON_PrintUnformatted(residency);
	*text = printed != NULL ? lrd_arena_printf(arena, "{\n\t\"" RESIDENCY "\": %s\n}\n", printed) : *text;
	cJSON_free(printed);
	return text->data != NULL || lrd_fail_memory(error, PROJECT_FILE, 0);
}

void lrd_settings_rules_free(lrd_settings_rules *rules)
{
	if (rules != NULL)
	{
		cJSON_Delete(rules->root);
	}
}

/// Numbers of clusters that contradict each other, wherever each was said: a sidecar's place is told where it said one.
static bool check_clusters(const settings_reader *sidecar, lrd_string source, const lrd_settings *settings)
{
	const lrd_model_settings model = lrd_model_settings_resolve(&settings->model);
	if (model.clusters.min_triangles <= model.clusters.target_triangles)
	{
		return true;
	}
	const cJSON *section = cJSON_GetObjectItemCaseSensitive(sidecar->root, "model");
	const cJSON *clusters = cJSON_GetObjectItemCaseSensitive(section, "spatial_clusters");
	lrd_string what = lrd_arena_printf(sidecar->arena, "min_triangles is %u, target_triangles %u",
		model.clusters.min_triangles, model.clusters.target_triangles);
	static const char expected[] = "a min_triangles that is not above target_triangles";
	if (what.data == NULL)
	{
		return lrd_fail_memory(sidecar->error, "clusters", 0);
	}
	if (cJSON_IsObject(clusters))
	{
		return lrd_settings_fail(sidecar, clusters, what.data, expected);
	}
	return lrd_fail(sidecar->error, LRD_ERROR_FORMAT, PROJECT_FILE ": \"spatial_clusters\" for %.*s: %s; expected %s",
		LRD_STR_ARG(source), what.data, expected);
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
	bool good =
		(json == NULL || read_sidecar(&sidecar, source, settings)) && check_clusters(&sidecar, source, settings);
	cJSON_Delete(json);
	return good;
}

bool lrd_settings_describe(const lrd_settings *settings, bool is_model, lrd_buffer *out)
{
	bool good = lrd_settings_describe_texture(&settings->texture, out) &&
				(!is_model || lrd_settings_describe_model(&settings->model, out));
	for (uint32_t i = 0; good && !is_model && i < LRD_FACE_COUNT && settings->faces[i].size != 0; ++i)
	{
		good = lrd_buffer_printf(out, "face %.*s\n", LRD_STR_ARG(settings->faces[i]));
	}
	for (uint32_t i = 0; good && is_model && i < settings->image_count; ++i)
	{
		good = lrd_buffer_printf(out, "image %.*s\n", LRD_STR_ARG(settings->images[i].image)) &&
			   lrd_settings_describe_texture(&settings->images[i].texture, out);
	}
	return good;
}

bool lrd_settings_is_sidecar(lrd_string path)
{
	return lrd_string_ends_with_folded(path, LRD_STR(SIDECAR_SUFFIX));
}
