// import/gltf/gltf.c: the glTF 2.0 reader's main line, and the small helpers that all its parts use.

#include "import/gltf/gltf.h"

#include "base/path.h"

#include <math.h>
#include <stdio.h>

typedef struct list_info
{
	const char *key;
	const char *one; // what an element is called in messages
} list_info;

static const list_info list_infos[LRD_GLTF_LIST_COUNT] = {
	[LRD_GLTF_BUFFERS] = { "buffers", "buffer" },
	[LRD_GLTF_VIEWS] = { "bufferViews", "buffer view" },
	[LRD_GLTF_ACCESSORS] = { "accessors", "accessor" },
	[LRD_GLTF_IMAGES] = { "images", "image" },
	[LRD_GLTF_SAMPLERS] = { "samplers", "sampler" },
	[LRD_GLTF_TEXTURES] = { "textures", "texture" },
	[LRD_GLTF_MATERIALS] = { "materials", "material" },
	[LRD_GLTF_MESHES] = { "meshes", "mesh" },
	[LRD_GLTF_NODES] = { "nodes", "node" },
	[LRD_GLTF_SKINS] = { "skins", "skin" },
	[LRD_GLTF_ANIMATIONS] = { "animations", "animation" },
	[LRD_GLTF_SCENES] = { "scenes", "scene" },
	[LRD_GLTF_CAMERAS] = { "cameras", "camera" },
	[LRD_GLTF_LIGHTS] = { "lights", "light" },
	[LRD_GLTF_VARIANTS] = { "variants", "variant" },
};

// Bytes of a name that a message quotes.
#define QUOTED_NAME 80

lrd_gltf_label lrd_gltf_name(const char *what, uint32_t index, lrd_string name)
{
	lrd_gltf_label label;
	if (name.size == 0)
	{
		(void)snprintf(label.text, sizeof label.text, "%s %u", what, index);
		return label;
	}
	size_t size = name.size;
	if (size > QUOTED_NAME)
	{
		for (size = QUOTED_NAME; size > 0 && ((unsigned char)name.data[size] & 0xc0) == 0x80; size--)
		{
		}
	}
	(void)snprintf(
		label.text, sizeof label.text, "%s \"%.*s%s\"", what, (int)size, name.data, size < name.size ? "..." : "");
	return label;
}

bool lrd_gltf_index(lrd_gltf *gltf, const lrd_json *at, lrd_gltf_list_id list, uint32_t *index)
{
	return lrd_json_index(at, gltf->lists[list].count, list_infos[list].one, index, gltf->error);
}

bool lrd_gltf_get_index(lrd_gltf *gltf, const lrd_json *object, const char *key, lrd_gltf_list_id list, uint32_t *index)
{
	lrd_json at = lrd_json_member(object, key);
	return at.value == NULL || lrd_gltf_index(gltf, &at, list, index);
}

bool lrd_gltf_get_name(lrd_gltf *gltf, const lrd_json *object, lrd_string *name)
{
	lrd_string text = { NULL, 0 };
	if (!lrd_json_get_text(object, "name", &text, gltf->error))
	{
		return false;
	}
	if (text.size > LRD_IMPORT_MAX_NAME)
	{
		return lrd_fail(gltf->error, LRD_ERROR_LIMIT, "%s/name: %zu bytes long (at most %u)",
			lrd_json_place(object).text, text.size, LRD_IMPORT_MAX_NAME);
	}
	return lrd_import_text(gltf->import, text, name);
}

bool lrd_gltf_charge(lrd_gltf *gltf, size_t count, size_t size, const char *what)
{
	size_t bytes = 0;
	if (!lrd_mul_size(count, size, &bytes) || bytes > gltf->budget)
	{
		return lrd_fail(gltf->error, LRD_ERROR_LIMIT,
			"%s: more data than the file can back: decoding would pass %zu times its %zu bytes", what, gltf->multiple,
			gltf->source_size);
	}
	gltf->budget -= bytes;
	return true;
}

bool lrd_gltf_clamp(lrd_gltf *gltf, const char *label, const char *key, float low, float high, float *value)
{
	float given = *value;
	if (given >= low && given <= high)
	{
		return true;
	}
	*value = given < low ? low : high;
	return lrd_import_warn(gltf->import, "range", 1, "%s: %s is %g, outside its range; taken as %g", label, key,
		(double)given, (double)*value);
}

// A list must be an array of objects, and not too long.
static bool open_list(lrd_gltf *gltf, const lrd_json *owner, lrd_gltf_list_id id)
{
	lrd_gltf_list *list = &gltf->lists[id];
	list->array = lrd_json_member(owner, list_infos[id].key);
	if (list->array.value == NULL)
	{
		return true;
	}
	if (!lrd_json_is_array(&list->array, gltf->error))
	{
		return false;
	}
	for (lrd_json item = lrd_json_first(&list->array); item.value != NULL; item = lrd_json_next(&item))
	{
		if (!lrd_json_is_object(&item, gltf->error))
		{
			return false;
		}
	}
	list->count = lrd_json_length(&list->array);
	return list->count <= LRD_IMPORT_MAX_OBJECTS ||
		   lrd_fail(gltf->error, LRD_ERROR_LIMIT, "%s: %u of them (at most %u)", lrd_json_place(&list->array).text,
			   list->count, LRD_IMPORT_MAX_OBJECTS);
}

static bool open_lists(lrd_gltf *gltf)
{
	for (int id = 0; id < LRD_GLTF_LIGHTS; id++)
	{
		if (!open_list(gltf, &gltf->top, (lrd_gltf_list_id)id))
		{
			return false;
		}
	}
	return lrd_gltf_get_extension(gltf, &gltf->top, "KHR_lights_punctual", &gltf->lights) &&
		   open_list(gltf, &gltf->lights.at, LRD_GLTF_LIGHTS) &&
		   lrd_gltf_get_extension(gltf, &gltf->top, "KHR_materials_variants", &gltf->variants) &&
		   open_list(gltf, &gltf->variants.at, LRD_GLTF_VARIANTS);
}

// "2.0" -> major and minor; false where it is not <number>.<number>.
static bool parse_version(lrd_string text, unsigned *major, unsigned *minor)
{
	char copy[16];
	char rest = 0;
	if (text.size == 0 || text.size >= sizeof copy)
	{
		return false;
	}
	memcpy(copy, text.data, text.size);
	copy[text.size] = '\0';
	return sscanf(copy, "%5u.%5u%c", major, minor, &rest) == 2;
}

// Section 3.2: a reader of 2.0 reads every 2.x whose minVersion it supports.
static bool read_asset(lrd_gltf *gltf)
{
	lrd_json asset = lrd_json_member(&gltf->top, "asset");
	lrd_string version = { NULL, 0 };
	lrd_string least = LRD_STR("2.0");
	lrd_string generator = { NULL, 0 };
	if (!lrd_json_is_object(&asset, gltf->error) || !lrd_json_get_text(&asset, "version", &version, gltf->error) ||
		!lrd_json_get_text(&asset, "minVersion", &least, gltf->error) ||
		!lrd_json_get_text(&asset, "generator", &generator, gltf->error) ||
		!lrd_import_text(gltf->import, generator, &gltf->document->generator))
	{
		return false;
	}
	unsigned major = 0, minor = 0, least_major = 0, least_minor = 0;
	if (!parse_version(version, &major, &minor) || !parse_version(least, &least_major, &least_minor))
	{
		return lrd_fail(
			gltf->error, LRD_ERROR_FORMAT, "/asset: found version \"%.*s\", expected \"2.0\"", LRD_STR_ARG(version));
	}
	if (major != 2 || least_major > 2 || (least_major == 2 && least_minor > 0))
	{
		return lrd_fail(gltf->error, LRD_ERROR_UNSUPPORTED, "/asset: glTF %u.%u (needs %u.%u), expected 2.x", major,
			minor, least_major, least_minor);
	}
	return true;
}

static bool read_parts(lrd_gltf *gltf)
{
	return lrd_json_is_object(&gltf->top, gltf->error) && read_asset(gltf) && lrd_gltf_read_extensions(gltf) &&
		   open_lists(gltf) && lrd_gltf_read_buffers(gltf) && lrd_gltf_read_accessors(gltf) &&
		   lrd_gltf_read_textures(gltf) && lrd_gltf_read_materials(gltf) && lrd_gltf_read_variants(gltf) &&
		   lrd_gltf_read_meshes(gltf) && lrd_gltf_read_lights(gltf) && lrd_gltf_read_cameras(gltf) &&
		   lrd_gltf_read_nodes(gltf) && lrd_gltf_read_scenes(gltf) && lrd_gltf_read_skins(gltf) &&
		   lrd_gltf_check_skins(gltf) && lrd_gltf_read_animations(gltf) && lrd_gltf_check_unused(gltf);
}

bool lrd_gltf_read(lrd_import *import, lrd_bytes source)
{
	lrd_gltf gltf = { .import = import, .error = import->error, .document = import->document };
	lrd_string text = { NULL, 0 };
	if (!lrd_gltf_open(&gltf, source, &text))
	{
		return false;
	}
	gltf.json = lrd_json_parse(text, gltf.error);
	if (gltf.json == NULL)
	{
		return false;
	}
	gltf.top = (lrd_json){ .value = gltf.json };
	gltf.source_size = source.size;
	bool ok = read_parts(&gltf);
	lrd_gltf_free_buffers(&gltf);
	cJSON_Delete(gltf.json);
	return ok;
}
