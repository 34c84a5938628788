// Settings files: what they may say, and what is said of those that say something else.

#include "cook/settings.h"
#include "failing_allocator.h"
#include "os_scratch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/// Load the settings of "a/wood.png" under a project and a sidecar, either NULL. The error's message, or NULL when it went well.
static const char *load(scratch *self, const char *project, const char *sidecar, lrd_settings *settings)
{
	static lrd_error error;
	lrd_settings_rules *rules = NULL;
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	assert_non_null(arena);
	if (access(scratch_path(self, "a"), F_OK) != 0)
	{
		scratch_folder(self, "a");
	}
	remove(scratch_path(self, "larder.json"));
	remove(scratch_path(self, "a/wood.png.larder.json"));
	if (project != NULL)
	{
		scratch_put(self, "larder.json", project);
	}
	if (sidecar != NULL)
	{
		scratch_put(self, "a/wood.png.larder.json", sidecar);
	}
	bool good = lrd_settings_rules_load(arena, self->root, &rules, &error) &&
				lrd_settings_load(arena, rules, self->root, LRD_STR("a/wood.png"), settings, &error);
	lrd_settings_rules_free(rules);
	settings->stem = (lrd_string){ NULL, 0 };
	lrd_arena_destroy(arena);
	return good ? NULL : error.message;
}

static void without_files_everything_is_default(void **state)
{
	lrd_settings settings;
	lrd_settings zero = { 0 };
	assert_null(load(*state, NULL, NULL, &settings));
	assert_int_equal(settings.texture.type, zero.texture.type);
	assert_int_equal(settings.model.placement, LRD_PLACEMENT_MERGED);
	assert_int_equal(settings.cook, LRD_CHOICE_AUTO);
}

static void every_key_of_a_sidecar_is_read(void **state)
{
	lrd_settings settings;
	assert_null(load(*state, NULL,
		"{\"stem\": \"b\", \"cook\": true, \"texture\": {\"type\": \"normal\", \"srgb\": false, \"mipmaps\": true,"
		" \"max_size\": 512, \"alpha_coverage\": 0.25, \"sampler\": {\"wrap_u\": \"clamp\", \"wrap_v\": \"mirror\","
		" \"filter\": \"point\"}}, \"model\": {\"placement\": \"separate\"}}",
		&settings));
	assert_int_equal(settings.cook, LRD_CHOICE_ON);
	assert_int_equal(settings.texture.type, LRD_TEXTURE_TYPE_NORMAL);
	assert_int_equal(settings.texture.srgb, LRD_CHOICE_OFF);
	assert_int_equal(settings.texture.mipmaps, LRD_CHOICE_ON);
	assert_int_equal(settings.texture.max_size, 512);
	assert_int_equal(settings.texture.alpha_coverage, LRD_CHOICE_ON);
	assert_true(settings.texture.alpha_cutoff == 0.25f);
	assert_true(settings.texture.has_sampler);
	assert_int_equal(settings.texture.wrap_u, LRD_WRAP_CLAMP);
	assert_int_equal(settings.texture.wrap_v, LRD_WRAP_MIRROR);
	assert_int_equal(settings.texture.filter, LRD_FILTER_POINT);
	assert_int_equal(settings.model.placement, LRD_PLACEMENT_SEPARATE);
}

static void every_key_of_a_model_is_read(void **state)
{
	lrd_settings settings;
	assert_null(load(*state, NULL,
		"{\"model\": {\"placement\": \"editable\", \"scale\": 0.01, \"lods\": {\"count\": 4, \"ratio\": 0.25,"
		" \"error\": 0.5, \"lock_borders\": true}, \"spatial_clusters\": {\"target_triangles\": 1000,"
		" \"min_triangles\": 10, \"max_extent\": 12.5}, \"tangents\": \"never\", \"quantize\": {\"error\": 0.125},"
		" \"skin_weights\": \"unorm16\", \"cpu_access\": true, \"clips\": {\"tolerance\": 0.5}}}",
		&settings));
	const lrd_model_settings *model = &settings.model;
	assert_int_equal(model->placement, LRD_PLACEMENT_EDITABLE);
	assert_true(model->scale == 0.01f);
	assert_int_equal(model->lods.count, 4);
	assert_true(model->lods.ratio == 0.25f);
	assert_true(model->lods.error == 0.5f);
	assert_int_equal(model->lods.lock_borders, LRD_CHOICE_ON);
	assert_int_equal(model->clusters.cut, LRD_CHOICE_ON);
	assert_int_equal(model->clusters.target_triangles, 1000);
	assert_int_equal(model->clusters.min_triangles, 10);
	assert_true(model->clusters.max_extent == 12.5f);
	assert_int_equal(model->tangents, LRD_CHOICE_OFF);
	assert_true(model->quantize.on);
	assert_true(model->quantize.error == 0.125f);
	assert_int_equal(model->skin_weights, LRD_SKIN_WEIGHTS_16);
	assert_true(model->cpu_access);
	assert_true(model->clip_tolerance == 0.5f);
}

static void what_is_not_said_of_a_model_is_the_default(void **state)
{
	lrd_settings settings;
	assert_null(load(*state, NULL, "{\"model\": {\"spatial_clusters\": {\"target_triangles\": 1000}}}", &settings));
	lrd_model_settings model = lrd_model_settings_resolve(&settings.model);
	assert_int_equal(model.placement, LRD_PLACEMENT_MERGED);
	assert_true(model.scale == 1.0f);
	assert_int_equal(model.lods.count, LRD_LODS_COUNT);
	assert_true(model.lods.ratio == LRD_LODS_RATIO);
	assert_true(model.lods.error == LRD_LODS_ERROR);
	assert_int_equal(model.lods.lock_borders, LRD_CHOICE_AUTO);
	assert_int_equal(model.clusters.min_triangles, 500);
	assert_true(model.clusters.max_extent == 0.0f);
	assert_int_equal(model.tangents, LRD_CHOICE_AUTO);
	assert_false(model.quantize.on);
	assert_true(model.quantize.error == LRD_QUANTIZE_ERROR);
	assert_int_equal(model.skin_weights, LRD_SKIN_WEIGHTS_AUTO);
	assert_false(model.cpu_access);
	assert_true(model.clip_tolerance == LRD_CLIP_TOLERANCE);
	assert_null(load(*state, NULL, NULL, &settings));
	model = lrd_model_settings_resolve(&settings.model);
	assert_int_equal(model.clusters.cut, LRD_CHOICE_ON);
	assert_int_equal(model.clusters.target_triangles, LRD_CLUSTER_TARGET_TRIANGLES);
	assert_int_equal(model.clusters.min_triangles, LRD_CLUSTER_MIN_TRIANGLES);
}

static void what_is_turned_off_is_turned_on_again_by_true_or_by_numbers(void **state)
{
	static const char project[] = "{\"defaults\": {\"model\": {\"lods\": false, \"spatial_clusters\": false,"
								  " \"quantize\": false}}}";
	lrd_settings settings;
	assert_null(load(*state, project, NULL, &settings));
	assert_int_equal(settings.model.lods.count, 1);
	assert_int_equal(settings.model.clusters.cut, LRD_CHOICE_OFF);
	assert_false(settings.model.quantize.on);
	static const char *const sidecars[] = {
		"{\"model\": {\"lods\": true, \"spatial_clusters\": true, \"quantize\": true}}",
		"{\"model\": {\"lods\": {\"ratio\": 0.25}, \"spatial_clusters\": {}, \"quantize\": {}}}",
	};
	for (size_t i = 0; i < 2; ++i)
	{
		assert_null(load(*state, project, sidecars[i], &settings));
		assert_int_equal(lrd_model_settings_resolve(&settings.model).lods.count, LRD_LODS_COUNT);
		assert_int_equal(settings.model.clusters.cut, LRD_CHOICE_ON);
		assert_true(settings.model.quantize.on);
	}
	assert_null(load(*state, "{\"defaults\": {\"model\": {\"lods\": {\"count\": 3}}}}",
		"{\"model\": {\"lods\": {\"error\": 0.25}}}", &settings));
	assert_int_equal(settings.model.lods.count, 3);
}

static void a_tolerance_of_nothing_is_not_the_default(void **state)
{
	lrd_settings settings;
	assert_null(load(*state, NULL, "{\"model\": {\"clips\": {\"tolerance\": 0}}}", &settings));
	assert_true(settings.model.clip_tolerance > 0.0f && settings.model.clip_tolerance < 1e-30f);
	assert_null(load(*state, NULL, "{\"model\": {\"clips\": {\"tolerance\": false}}}", &settings));
	assert_true(settings.model.clip_tolerance < 0.0f);
}

static void a_sidecar_is_over_a_rule_and_a_rule_over_the_defaults(void **state)
{
	static const char project[] =
		"{\"defaults\": {\"texture\": {\"max_size\": 100, \"srgb\": true, \"mipmaps\": true}},"
		" \"rules\": [{\"match\": \"a/*\", \"texture\": {\"max_size\": 200, \"srgb\": false}},"
		" {\"match\": \"b/*\", \"texture\": {\"max_size\": 300}}]}";
	lrd_settings settings;
	assert_null(load(*state, project, "{\"texture\": {\"max_size\": 400}}", &settings));
	assert_int_equal(settings.texture.max_size, 400);
	assert_int_equal(settings.texture.srgb, LRD_CHOICE_OFF);
	assert_int_equal(settings.texture.mipmaps, LRD_CHOICE_ON);
}

static void what_is_wrong_is_said_with_its_place(void **state)
{
	static const struct
	{
		const char *project, *sidecar, *message;
	} rows[] = {
		{ NULL, "{\n  \"textur\": {}\n}",
			"wood.png.larder.json:2:3: \"textur\": unknown key; expected stem, cook, faces, texture, images or model" },
		{ NULL, "{\"texture\": {\"type\": \"wood\"}}", ":1:14: \"type\": unknown value; expected auto, albedo" },
		{ NULL, "{\"texture\": {\"type\": 3}}", ":1:14: \"type\": wrong type" },
		{ NULL, "{\"texture\": {\"max_size\": 0}}",
			":1:14: \"max_size\": out of range; expected a whole number from 1" },
		{ NULL, "{\"texture\": {\"max_size\": 16385}}", "out of range" },
		{ NULL, "{\"texture\": {\"max_size\": 1.5}}", "out of range" },
		{ NULL, "{\"texture\": {\"max_size\": -1}}", "out of range" },
		{ NULL, "{\"texture\": {\"max_size\": 1e300}}", "out of range" },
		{ NULL, "{\"texture\": {\"alpha_coverage\": 2}}", "expected a number above 0 and up to 1, or false" },
		{ NULL, "{\"texture\": {\"srgb\": 1}}", "expected true or false" },
		{ NULL, "{\"texture\": {\"sampler\": {\"wrap\": \"clamp\"}}}", ":1:26: \"wrap\": unknown key" },
		{ NULL, "{\"texture\": {\"min_size\": 0}}", "a whole number from 1 to 16384" },
		{ NULL, "{\"texture\": {\"face_size\": 8193}}", "a whole number from 1 to 8192" },
		{ NULL, "{\"texture\": {\"stop_mip\": 32}}", "a whole number from 0 to 31" },
		{ NULL, "{\"texture\": {\"quality\": \"good\"}}", "expected normal, fast or best" },
		{ NULL, "{\"texture\": {\"format\": \"dxt1\"}}", "expected auto, rgba8, rgba16f, bc1," },
		{ NULL, "{\"texture\": {\"premultiply\": 1}}", "expected true or false" },
		{ NULL, "{\"faces\": [\"a.png\"]}", ":1:2: \"faces\": not six; expected the six image files" },
		{ NULL, "{\"faces\": [\"a\", \"b\", \"c\", \"d\", \"e\", \"../f\"]}", "the six image files" },
		{ NULL, "{\"images\": {}}", "an array of objects with image and keys of texture" },
		{ NULL, "{\"images\": [{\"quality\": \"fast\"}]}", "an entry without \"image\"" },
		{ NULL, "{\"images\": [{\"image\": \"a\"}, {\"image\": \"a\"}]}", "an image that an earlier entry names" },
		{ NULL, "{\"images\": [{\"image\": \"a\", \"stem\": \"b\"}]}", "\"stem\": unknown key; expected type," },
		{ NULL, "{\"texture\": []}", "\"texture\": wrong type; expected an object" },
		{ NULL, "{\"model\": {\"placement\": \"both\"}}", "expected merged, separate or editable" },
		{ NULL, "{\"model\": {\"lod\": 3}}",
			":1:12: \"lod\": unknown key; expected placement, scale, lods, spatial_clusters, tangents, quantize, "
			"skin_weights, cpu_access or clips" },
		{ NULL, "{\"model\": {\"scale\": 0}}", "expected a number above 0 and up to 1e+06" },
		{ NULL, "{\"model\": {\"scale\": 1e-60}}", "\"scale\": out of range" },
		{ NULL, "{\"model\": {\"scale\": 1e300}}", "\"scale\": out of range" },
		{ NULL, "{\"model\": {\"scale\": \"2\"}}", "\"scale\": wrong type" },
		{ NULL, "{\"model\": {\"lods\": 3}}",
			"wrong type; expected an object with count, ratio, error, lock_borders, or true or false" },
		{ NULL, "{\"model\": {\"lods\": {\"count\": 0}}}", ":1:21: \"count\": out of range; expected a whole number" },
		{ NULL, "{\"model\": {\"lods\": {\"count\": 17}}}", "from 1 to 16" },
		{ NULL, "{\"model\": {\n\"lods\": {\n\"ratio\": 1}}}",
			":3:1: \"ratio\": out of range; expected a number above 0 and below 1" },
		{ NULL, "{\"model\": {\"lods\": {\"ratio\": 0.99999999999}}}", "\"ratio\": out of range" },
		{ NULL, "{\"model\": {\"lods\": {\"error\": 0}}}", "above 0 and up to 1" },
		{ NULL, "{\"model\": {\"lods\": {\"lock_borders\": 1}}}", "true or false" },
		{ NULL, "{\"model\": {\"spatial_clusters\": {\"target_triangles\": 127}}}", "from 128 to 100000000" },
		{ NULL, "{\"model\": {\"spatial_clusters\": {\"max_extent\": -1}}}", "a number from 0 to 1e+06" },
		{ NULL, "{\"model\": {\"spatial_clusters\": {\"min\": 1}}}",
			"unknown key; expected target_triangles, min_triangles or max_extent" },
		{ NULL, "{\"model\": {\"spatial_clusters\": {\"target_triangles\": 200, \"min_triangles\": 300}}}",
			":1:58: \"min_triangles\": out of range; expected no more than target_triangles" },
		{ NULL, "{\"model\": {\"spatial_clusters\": {\"min_triangles\": 40000}}}",
			":1:12: \"spatial_clusters\": min_triangles is 40000, target_triangles 32768; expected" },
		{ NULL, "{\"model\": {\"tangents\": true}}", "expected auto, always or never" },
		{ NULL, "{\"model\": {\"quantize\": 16}}", "an object with error, or true or false" },
		{ NULL, "{\"model\": {\"quantize\": {\"error\": 2}}}", "above 0 and up to 1" },
		{ NULL, "{\"model\": {\"quantize\": {\"bits\": 12}}}", "unknown key; expected error" },
		{ NULL, "{\"model\": {\"skin_weights\": 16}}", "wrong type; expected auto, unorm8 or unorm16" },
		{ NULL, "{\"model\": {\"skin_weights\": \"unorm12\"}}", "expected auto, unorm8 or unorm16" },
		{ NULL, "{\"model\": {\"cpu_access\": \"yes\"}}", "true or false" },
		{ NULL, "{\"model\": {\"clips\": false}}", "an object with tolerance" },
		{ NULL, "{\"model\": {\"clips\": {\"tolerance\": true}}}", "a number from 0 to 1, or false" },
		{ NULL, "{\"model\": {\"clips\": {\"tolerance\": -0.1}}}", "\"tolerance\": out of range" },
		{ "{\"defaults\": {\"model\": {\"spatial_clusters\": {\"min_triangles\": 9000}}},"
		  " \"rules\": [{\"match\": \"**\", \"model\": {\"spatial_clusters\": {\"target_triangles\": 8999}}}]}",
			"{\"model\": {\"spatial_clusters\": true}}",
			"larder.json: \"spatial_clusters\" for a/wood.png: min_triangles is 9000, target_triangles 8999; "
			"expected" },
		{ "{\"rules\": [{\"match\": \"z\", \"model\": {\"spatial_clusters\": {\"target_triangles\": 200,"
		  " \"min_triangles\": 300}}}]}",
			NULL, "larder.json:1:83: \"min_triangles\": out of range" },
		{ NULL, "{\"stem\": \"../x\"}", ":1:2: \"stem\": " },
		{ NULL, "{\"stem\": \".larder/x\"}", "a name that starts with a dot" },
		{ NULL, "{\"stem\": \"a/.b\"}", "a name that starts with a dot" },
		{ NULL, "{\"cook\": \"yes\"}", "expected true or false" },
		{ NULL, "{\n\"cook\": true,\n}", "wood.png.larder.json: JSON, line 3, column 1: found '}'" },
		{ NULL, "", "JSON, line 1, column 1: found the end" },
		{ NULL, "[]", "expected an object" },
		{ "{\"ruls\": []}", NULL, "larder.json:1:2: \"ruls\": unknown key; expected defaults, rules or residency" },
		{ "{\"rules\": [{\"texture\": {}}]}", NULL, "without \"match\"" },
		{ "{\"residency\": 5}", NULL, "\"residency\": wrong type; expected an object" },
		{ "{\"rules\": [{\"match\": \"zzz\", \"texture\": {\"typ\": 1}}]}", NULL, "\"typ\": unknown key" },
		{ "{\"rules\": [5]}", NULL, "a rule is no object" },
		{ "{\"defaults\": {\"match\": \"*\"}}", NULL, "\"match\": unknown key" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
	{
		lrd_settings settings;
		const char *message = load(*state, rows[i].project, rows[i].sidecar, &settings);
		if (message == NULL || strstr(message, rows[i].message) == NULL)
		{
			fail_msg("row %zu: \"%s\" has no \"%s\"", i, message == NULL ? "no error" : message, rows[i].message);
		}
	}
}

static void keys_in_strings_do_not_shift_the_place(void **state)
{
	lrd_settings settings;
	const char *message = load(*state, NULL, "{\"$schema\": \"a\\\"b: {\\\"c\\\": 1}\",\n \"oops\": 1}", &settings);
	assert_non_null(message);
	assert_non_null(strstr(message, ":2:2: \"oops\""));
}

static void describe(scratch *self, const char *sidecar, bool is_model, lrd_buffer *text)
{
	lrd_settings settings;
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	lrd_error error = { 0 };
	assert_non_null(arena);
	if (access(scratch_path(self, "a"), F_OK) != 0)
	{
		scratch_folder(self, "a");
	}
	scratch_put(self, "a/wood.png.larder.json", sidecar);
	if (!lrd_settings_load(arena, NULL, self->root, LRD_STR("a/wood.png"), &settings, &error))
	{
		fail_msg("%s", error.message);
	}
	bool good = lrd_settings_describe(&settings, is_model, text);
	lrd_arena_destroy(arena);
	assert_true(good);
}

static bool is_same_text(const lrd_buffer *a, const lrd_buffer *b)
{
	return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

static void settings_that_differ_are_described_differently(void **state)
{
	static const char *const sidecars[] = { "{}", "{\"texture\": {\"type\": \"ui\"}}",
		"{\"texture\": {\"max_size\": 5}}", "{\"texture\": {\"srgb\": true}}", "{\"texture\": {\"srgb\": false}}",
		"{\"texture\": {\"mipmaps\": false}}", "{\"texture\": {\"alpha_coverage\": 0.5}}",
		"{\"texture\": {\"alpha_coverage\": false}}", "{\"texture\": {\"sampler\": {}}}",
		"{\"texture\": {\"sampler\": {\"wrap_u\": \"clamp\"}}}",
		"{\"texture\": {\"sampler\": {\"filter\": \"point\"}}}", "{\"model\": {\"placement\": \"separate\"}}",
		"{\"model\": {\"scale\": 2}}", "{\"model\": {\"lods\": {\"count\": 7}}}",
		"{\"model\": {\"lods\": {\"ratio\": 0.4}}}", "{\"model\": {\"lods\": {\"error\": 0.4}}}",
		"{\"model\": {\"lods\": {\"lock_borders\": true}}}", "{\"model\": {\"lods\": {\"lock_borders\": false}}}",
		"{\"model\": {\"spatial_clusters\": false}}",
		"{\"model\": {\"spatial_clusters\": {\"target_triangles\": 20000}}}",
		"{\"model\": {\"spatial_clusters\": {\"min_triangles\": 1}}}",
		"{\"model\": {\"spatial_clusters\": {\"max_extent\": 0.1}}}", "{\"model\": {\"tangents\": \"always\"}}",
		"{\"model\": {\"tangents\": \"never\"}}", "{\"model\": {\"quantize\": true}}",
		"{\"model\": {\"quantize\": {\"error\": 0.1}}}", "{\"model\": {\"skin_weights\": \"unorm8\"}}",
		"{\"model\": {\"skin_weights\": \"unorm16\"}}", "{\"model\": {\"cpu_access\": true}}",
		"{\"model\": {\"clips\": {\"tolerance\": 0}}}", "{\"model\": {\"clips\": {\"tolerance\": 0.1}}}",
		"{\"model\": {\"clips\": {\"tolerance\": false}}}", "{\"images\": [{\"image\": \"a\"}]}" };
	enum
	{
		COUNT = sizeof sidecars / sizeof *sidecars
	};
	lrd_buffer texts[COUNT] = { 0 };
	for (size_t i = 0; i < COUNT; ++i)
	{
		describe(*state, sidecars[i], true, &texts[i]);
		for (size_t j = 0; j < i; ++j)
		{
			assert_false(is_same_text(&texts[i], &texts[j]));
		}
	}
	for (size_t i = 0; i < COUNT; ++i)
	{
		lrd_buffer_free(&texts[i]);
	}
}

static void settings_that_say_the_defaults_are_described_as_those(void **state)
{
	static const char *const sidecars[] = {
		"{\"model\": {\"placement\": \"merged\", \"scale\": 1, \"lods\": true, \"spatial_clusters\": true}}",
		"{\"model\": {\"lods\": {\"count\": 8, \"ratio\": 0.5, \"error\": 0.05}, \"cpu_access\": false,"
		" \"spatial_clusters\": {\"target_triangles\": 32768, \"min_triangles\": 8192, \"max_extent\": 0},"
		" \"tangents\": \"auto\", \"quantize\": false, \"skin_weights\": \"auto\","
		" \"clips\": {\"tolerance\": 1e-5}}}",
	};
	lrd_buffer plain = { 0 };
	describe(*state, "{}", true, &plain);
	for (size_t i = 0; i < 2; ++i)
	{
		lrd_buffer text = { 0 };
		describe(*state, sidecars[i], true, &text);
		assert_true(is_same_text(&plain, &text));
		lrd_buffer_free(&text);
	}
	lrd_buffer_free(&plain);
}

static void what_is_said_of_models_is_no_part_of_an_images_key(void **state)
{
	lrd_buffer plain = { 0 };
	lrd_buffer text = { 0 };
	describe(*state, "{}", false, &plain);
	describe(*state, "{\"model\": {\"lods\": false}}", false, &text);
	assert_true(is_same_text(&plain, &text));
	lrd_buffer_free(&plain);
	lrd_buffer_free(&text);
}

/// Load with every allocation after the first few failing. `calls`: how many were asked for.
static bool load_failing(scratch *self, long long succeed, lrd_error *error, long long *calls)
{
	failing_allocator failing;
	failing_allocator_init(&failing, succeed);
	lrd_settings_rules *rules = NULL;
	lrd_settings settings;
	lrd_arena *arena = lrd_arena_create(failing_allocator_get(&failing), 64);
	*error = (lrd_error){ .code = LRD_ERROR_MEMORY };
	bool good = arena != NULL && lrd_settings_rules_load(arena, self->root, &rules, error) &&
				lrd_settings_load(arena, rules, self->root, LRD_STR("wood.png"), &settings, error);
	lrd_settings_rules_free(rules);
	lrd_arena_destroy(arena);
	assert_int_equal(atomic_load(&failing.bytes_out), 0);
	*calls = atomic_load(&failing.calls);
	return good;
}

static void whatever_allocation_fails_settings_fail_cleanly(void **state)
{
	static const char *const sidecars[] = {
		"{\"stem\": \"b\", \"images\": [{\"image\": \"a\"}], \"model\": {\"quantize\": {\"error\": 0.5}}}",
		"{\"model\": {\"scale\": -1}}",
		"{\"model\": {\"spatial_clusters\": {\"min_triangles\": 100000}}}",
		"{\"model\": {\"oops\": 1}}",
	};
	scratch *self = *state;
	scratch_put(self, "larder.json", "{\"rules\": [{\"match\": \"**\", \"model\": {\"lods\": {\"count\": 3}}}]}");
	for (size_t i = 0; i < sizeof sidecars / sizeof *sidecars; ++i)
	{
		lrd_error error;
		long long needed;
		long long calls;
		scratch_put(self, "wood.png.larder.json", sidecars[i]);
		assert_int_equal(load_failing(self, -1, &error, &needed), i == 0);
		for (long long succeed = 0; succeed < needed; ++succeed)
		{
			// A refusal without memory is a refusal still.
			assert_false(load_failing(self, succeed, &error, &calls));
			assert_true(error.code == LRD_ERROR_MEMORY || (i != 0 && error.code == LRD_ERROR_FORMAT));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(without_files_everything_is_default, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(every_key_of_a_sidecar_is_read, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(
			a_sidecar_is_over_a_rule_and_a_rule_over_the_defaults, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(every_key_of_a_model_is_read, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(what_is_not_said_of_a_model_is_the_default, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(
			what_is_turned_off_is_turned_on_again_by_true_or_by_numbers, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(a_tolerance_of_nothing_is_not_the_default, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(what_is_wrong_is_said_with_its_place, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(keys_in_strings_do_not_shift_the_place, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(settings_that_differ_are_described_differently, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(
			settings_that_say_the_defaults_are_described_as_those, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(
			what_is_said_of_models_is_no_part_of_an_images_key, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(whatever_allocation_fails_settings_fail_cleanly, scratch_open, scratch_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
