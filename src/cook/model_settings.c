// The "model" section: its keys, and what is in force where nothing is said.

#include "cook/settings_reader.h"

#include "base/error.h"

#include <assert.h>
#include <float.h>

#define MAX_SCALE 1e6
#define MAX_EXTENT 1e6
#define MIN_CLUSTER 128u
#define MAX_CLUSTER 100000000u

static const char *const placements[] = { "merged", "separate", "editable" };
static const char *const tangents[] = { "auto", "always", "never" };
static const char *const skin_weights[] = { "auto", "unorm8", "unorm16" };

static_assert(LRD_PLACEMENT_EDITABLE + 1 == LRD_COUNT(placements), "a name a placement");
static_assert(LRD_SKIN_WEIGHTS_16 + 1 == LRD_COUNT(skin_weights), "a name a format");
static_assert(LRD_CHOICE_ON == 1 && LRD_CHOICE_OFF == 2, "the order of `tangents`");

#define LRD_KEY_TYPE lrd_model_settings

static const lrd_setting lod_keys[] = {
	LRD_KEY_COUNT("count", lods.count, 1, LRD_MESH_MAX_LODS),
	LRD_KEY_NUMBER("ratio", lods.ratio, 0, 1, LRD_ENDS_OPEN),
	LRD_KEY_NUMBER("error", lods.error, 0, 1, LRD_ENDS_ABOVE),
	LRD_KEY_PLAIN("lock_borders", LRD_SETTING_CHOICE, lods.lock_borders),
};
static const lrd_setting_table lod_table = { lod_keys, LRD_COUNT(lod_keys) };

/// False is a count of 1. Whoever says more of LODs after that, or true, wants some.
static bool read_lods(const lrd_settings_reader *self, const cJSON *member, void *settings)
{
	lrd_model_settings *model = settings;
	if (model->lods.count == 1)
	{
		model->lods.count = 0;
	}
	if (cJSON_IsBool(member))
	{
		model->lods.count = cJSON_IsFalse(member) ? 1 : model->lods.count;
		return true;
	}
	return lrd_settings_read_object(
		self, &lod_table, member, "an object with count, ratio, error, lock_borders, or true or false", model);
}

static bool describe_lods(const char *name, const void *settings, lrd_buffer *out)
{
	return lrd_buffer_printf(out, "%s\n", name) && lrd_settings_describe_keys(&lod_table, settings, out);
}

static const lrd_setting cluster_keys[] = {
	LRD_KEY_COUNT("target_triangles", clusters.target_triangles, MIN_CLUSTER, MAX_CLUSTER),
	LRD_KEY_COUNT("min_triangles", clusters.min_triangles, 1, MAX_CLUSTER),
	LRD_KEY_NUMBER("max_extent", clusters.max_extent, 0, MAX_EXTENT, LRD_ENDS_CLOSED),
};
static const lrd_setting_table cluster_table = { cluster_keys, LRD_COUNT(cluster_keys) };

static bool read_clusters(const lrd_settings_reader *self, const cJSON *member, void *settings)
{
	lrd_model_settings *model = settings;
	model->clusters.cut = cJSON_IsFalse(member) ? LRD_CHOICE_OFF : LRD_CHOICE_ON;
	if (cJSON_IsBool(member))
	{
		return true;
	}
	if (!lrd_settings_read_object(self, &cluster_table, member,
			"an object with target_triangles, min_triangles, max_extent, or true or false", model))
	{
		return false;
	}
	// What files say together is checked where all of them have been read.
	const cJSON *least = cJSON_GetObjectItemCaseSensitive(member, "min_triangles");
	bool says_both = least != NULL && cJSON_GetObjectItemCaseSensitive(member, "target_triangles") != NULL;
	return !says_both || model->clusters.min_triangles <= model->clusters.target_triangles ||
		   lrd_settings_fail(self, least, "out of range", "no more than target_triangles");
}

static bool describe_clusters(const char *name, const void *settings, lrd_buffer *out)
{
	const lrd_model_settings *model = settings;
	return lrd_buffer_printf(out, "%s %u\n", name, (unsigned)model->clusters.cut) &&
		   lrd_settings_describe_keys(&cluster_table, model, out);
}

static const lrd_setting quantize_keys[] = {
	LRD_KEY_NUMBER("error", quantize.error, 0, 1, LRD_ENDS_ABOVE),
};
static const lrd_setting_table quantize_table = { quantize_keys, LRD_COUNT(quantize_keys) };

static bool read_quantize(const lrd_settings_reader *self, const cJSON *member, void *settings)
{
	lrd_model_settings *model = settings;
	model->quantize.on = !cJSON_IsFalse(member);
	return cJSON_IsBool(member) ||
		   lrd_settings_read_object(self, &quantize_table, member, "an object with error, or true or false", model);
}

static bool describe_quantize(const char *name, const void *settings, lrd_buffer *out)
{
	const lrd_model_settings *model = settings;
	return lrd_buffer_printf(out, "%s %d\n", name, model->quantize.on) &&
		   lrd_settings_describe_keys(&quantize_table, model, out);
}

/// A tolerance of 0 is the smallest there is: in the settings, 0 is the default.
static bool read_tolerance(const lrd_settings_reader *self, const cJSON *member, void *settings)
{
	static const lrd_setting bounds = { .high = 1, .ends = LRD_ENDS_CLOSED, .or_else = ", or false" };
	float *tolerance = &((lrd_model_settings *)settings)->clip_tolerance;
	if (cJSON_IsFalse(member))
	{
		*tolerance = -1.0f;
		return true;
	}
	bool good = lrd_settings_read_number(self, member, &bounds, tolerance);
	*tolerance = good && *tolerance < FLT_MIN ? FLT_MIN : *tolerance;
	return good;
}

static bool describe_tolerance(const char *name, const void *settings, lrd_buffer *out)
{
	const lrd_model_settings *model = settings;
	return lrd_buffer_printf(out, "%s %08x\n", name, lrd_settings_bits(model->clip_tolerance));
}

static const lrd_setting clip_keys[] = { LRD_KEY_OWN("tolerance", tolerance) };
static const lrd_setting_table clip_table = { clip_keys, LRD_COUNT(clip_keys) };

static bool read_clips(const lrd_settings_reader *self, const cJSON *member, void *settings)
{
	return lrd_settings_read_object(self, &clip_table, member, "an object with tolerance", settings);
}

static bool describe_clips(const char *name, const void *settings, lrd_buffer *out)
{
	return lrd_buffer_printf(out, "%s\n", name) && lrd_settings_describe_keys(&clip_table, settings, out);
}

static const lrd_setting keys[] = {
	LRD_KEY_NAMED("placement", LRD_SETTING_NAME, placement, placements),
	LRD_KEY_NUMBER("scale", scale, 0, MAX_SCALE, LRD_ENDS_ABOVE),
	LRD_KEY_OWN("lods", lods),
	LRD_KEY_OWN("spatial_clusters", clusters),
	LRD_KEY_NAMED("tangents", LRD_SETTING_NAME, tangents, tangents),
	LRD_KEY_OWN("quantize", quantize),
	LRD_KEY_NAMED("skin_weights", LRD_SETTING_NAME, skin_weights, skin_weights),
	LRD_KEY_PLAIN("cpu_access", LRD_SETTING_BOOL, cpu_access),
	LRD_KEY_OWN("clips", clips),
};
static const lrd_setting_table table = { keys, LRD_COUNT(keys) };

bool lrd_settings_read_model(const lrd_settings_reader *self, const cJSON *member, lrd_model_settings *model)
{
	return lrd_settings_read_key(self, &table, member, NULL, model);
}

bool lrd_settings_describe_model(const lrd_model_settings *model, lrd_buffer *out)
{
	lrd_model_settings in_force = lrd_model_settings_resolve(model);
	return lrd_settings_describe_keys(&table, &in_force, out);
}

lrd_model_settings lrd_model_settings_resolve(const lrd_model_settings *settings)
{
	lrd_model_settings model = *settings;
	model.scale = model.scale == 0.0f ? 1.0f : model.scale;
	model.lods.count = model.lods.count == 0 ? LRD_LODS_COUNT : model.lods.count;
	model.lods.ratio = model.lods.ratio == 0.0f ? LRD_LODS_RATIO : model.lods.ratio;
	model.lods.error = model.lods.error == 0.0f ? LRD_LODS_ERROR : model.lods.error;
	uint32_t target = model.clusters.target_triangles;
	target = target == 0 ? LRD_CLUSTER_TARGET_TRIANGLES : target;
	uint32_t least = target / 2 < LRD_CLUSTER_MIN_TRIANGLES ? target / 2 : LRD_CLUSTER_MIN_TRIANGLES;
	if (model.clusters.cut == LRD_CHOICE_AUTO)
	{
		model.clusters.cut = model.placement == LRD_PLACEMENT_EDITABLE ? LRD_CHOICE_OFF : LRD_CHOICE_ON;
	}
	model.clusters.target_triangles = target;
	model.clusters.min_triangles = model.clusters.min_triangles == 0 ? least : model.clusters.min_triangles;
	model.quantize.error = model.quantize.error == 0.0f ? LRD_QUANTIZE_ERROR : model.quantize.error;
	model.clip_tolerance = model.clip_tolerance == 0.0f ? LRD_CLIP_TOLERANCE : model.clip_tolerance;
	return model;
}
