// Settings files: what they may say, and what is said of those that say something else.

#include "cook/settings.h"
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
		{ NULL, "{\"texture\": {\"alpha_coverage\": 2}}", "a cutoff above 0 and up to 1, or false" },
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
		{ NULL, "{\"model\": {\"placement\": \"both\"}}", "expected merged or separate" },
		{ NULL, "{\"stem\": \"../x\"}", ":1:2: \"stem\": " },
		{ NULL, "{\"stem\": \".larder/x\"}", "a name that starts with a dot" },
		{ NULL, "{\"stem\": \"a/.b\"}", "a name that starts with a dot" },
		{ NULL, "{\"cook\": \"yes\"}", "expected true or false" },
		{ NULL, "{\n\"cook\": true,\n}", "wood.png.larder.json: JSON, line 3, column 1: found '}'" },
		{ NULL, "", "JSON, line 1, column 1: found the end" },
		{ NULL, "[]", "expected an object" },
		{ "{\"ruls\": []}", NULL, "larder.json:1:2: \"ruls\": unknown key; expected defaults or rules" },
		{ "{\"rules\": [{\"texture\": {}}]}", NULL, "without \"match\"" },
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

static void settings_that_differ_are_described_differently(void **state)
{
	static const char *const sidecars[] = { "{}", "{\"texture\": {\"type\": \"ui\"}}",
		"{\"texture\": {\"max_size\": 5}}", "{\"texture\": {\"srgb\": true}}", "{\"texture\": {\"srgb\": false}}",
		"{\"texture\": {\"mipmaps\": false}}", "{\"texture\": {\"alpha_coverage\": 0.5}}",
		"{\"texture\": {\"alpha_coverage\": false}}", "{\"texture\": {\"sampler\": {}}}",
		"{\"texture\": {\"sampler\": {\"wrap_u\": \"clamp\"}}}",
		"{\"texture\": {\"sampler\": {\"filter\": \"point\"}}}", "{\"model\": {\"placement\": \"separate\"}}" };
	enum
	{
		COUNT = sizeof sidecars / sizeof *sidecars
	};
	lrd_buffer texts[COUNT] = { 0 };
	for (size_t i = 0; i < COUNT; ++i)
	{
		lrd_settings settings;
		assert_null(load(*state, NULL, sidecars[i], &settings));
		assert_true(lrd_settings_describe(&settings, &texts[i]));
		for (size_t j = 0; j < i; ++j)
		{
			bool same = texts[i].size == texts[j].size && memcmp(texts[i].data, texts[j].data, texts[i].size) == 0;
			assert_false(same);
		}
	}
	for (size_t i = 0; i < COUNT; ++i)
	{
		lrd_buffer_free(&texts[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(without_files_everything_is_default, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(every_key_of_a_sidecar_is_read, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(
			a_sidecar_is_over_a_rule_and_a_rule_over_the_defaults, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(what_is_wrong_is_said_with_its_place, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(keys_in_strings_do_not_shift_the_place, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(settings_that_differ_are_described_differently, scratch_open, scratch_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
