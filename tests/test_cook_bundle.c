// Sealing a cooked tree in a bundle, and proving both sound.

#include "cook_scratch.h"

static int open_sources(void **state)
{
	if (scratch_open(state) != 0)
	{
		return -1;
	}
	scratch_folder(*state, "src");
	return 0;
}

typedef struct findings
{
	char text[8][1400];
	unsigned count;
} findings;

static void keep_finding(void *user, const lrd_finding *finding)
{
	findings *kept = user;
	if (kept->count < 8)
	{
		snprintf(
			kept->text[kept->count++], sizeof kept->text[0], "%.*s: %s", LRD_STR_ARG(finding->path), finding->message);
	}
}

static void what_was_cooked_is_sound_and_packs(void **state)
{
	put_textured(*state, "src/a.gltf", "wood.tga");
	put_image(*state, "src/wood.tga", 10);
	lrd_cook_report cooked = cook(*state, NULL);
	lrd_error error = { 0 };
	char bundle[600];
	char tree[600];
	snprintf(bundle, sizeof bundle, "%s", scratch_path(*state, "game.lpack"));
	snprintf(tree, sizeof tree, "%s", scratch_path(*state, "out"));
	lrd_pack_write_report packed;
	if (!lrd_pack_tree(
			&(lrd_pack_tree_desc){ .folder = tree, .bundle = bundle, .compression = LRD_ZSTD }, &packed, &error))
	{
		fail_msg("%s", error.message);
	}
	assert_int_equal(packed.entry_count, cooked.outputs);
	const char *paths[] = { tree, bundle };
	lrd_validate_report report;
	assert_true(lrd_validate(&(lrd_validate_desc){ .paths = paths, .path_count = 2 }, &report, &error));
	assert_int_equal(report.findings, 0);
	assert_int_equal(report.files, cooked.outputs * 2);
}

static void a_bundle_as_json_leaves_other_bundles_alone(void **state)
{
	put_triangle(*state, "src/a.gltf", "A");
	cook(*state, NULL);
	scratch_put(*state, "game.lpack", "somebody's");
	char folder[512];
	char bundle[512];
	snprintf(folder, sizeof folder, "%s", scratch_path(*state, "out"));
	snprintf(bundle, sizeof bundle, "%s", scratch_path(*state, "game"));
	lrd_error error = { 0 };
	lrd_pack_tree_desc desc = { .folder = folder, .bundle = bundle, .json = true };
	assert_true(lrd_pack_tree(&desc, NULL, &error));
	assert_true(file_exists(*state, "game"));
	assert_true(file_exists(*state, "game.lpack"));
	assert_int_equal(scratch_count(((scratch *)*state)->root), 4);
}

static void a_bundle_packed_with_another_level_is_as_if_packed_anew(void **state)
{
	scratch *self = *state;
	gltf_build build;
	gltf_begin(&build);
	int mesh = gltf_triangle(&build);
	for (int i = 0; i < 500; ++i)
	{
		gltf_add(&build, "nodes", "{\"name\":\"Node %d\",\"mesh\":%d,\"translation\":[%d,%d,0]}", i, mesh, i % 7, i);
	}
	put_bytes(self, "src/many.glb", gltf_finish(&build, GLTF_FORM_BINARY));
	gltf_end(&build);
	cook(self, NULL);
	char tree[600];
	char bundles[2][600];
	snprintf(tree, sizeof tree, "%s", scratch_path(self, "out"));
	snprintf(bundles[0], sizeof bundles[0], "%s", scratch_path(self, "again.lpack"));
	snprintf(bundles[1], sizeof bundles[1], "%s", scratch_path(self, "anew.lpack"));
	lrd_pack_write_report report;
	lrd_pack_tree_desc desc = { .folder = tree, .bundle = bundles[0], .compression = LRD_ZSTD, .level = 1 };
	assert_true(lrd_pack_tree(&desc, &report, NULL));
	assert_true(lrd_pack_tree(&desc, &report, NULL));
	assert_true(report.reused > 0);
	desc.level = 19;
	assert_true(lrd_pack_tree(&desc, &report, NULL));
	assert_int_equal(report.reused, 0);
	desc.bundle = bundles[1];
	assert_true(lrd_pack_tree(&desc, &report, NULL));
	lrd_bytes again = read_file(bundles[0]);
	lrd_bytes anew = read_file(bundles[1]);
	assert_int_equal(again.size, anew.size);
	assert_memory_equal(again.data, anew.data, anew.size);
	free((void *)(uintptr_t)again.data);
	free((void *)(uintptr_t)anew.data);
}

static void a_tree_that_is_not_its_manifests_is_not_packed(void **state)
{
	put_triangle(*state, "src/a.gltf", "A");
	cook(*state, NULL);
	scratch_put(*state, "out/a.lmodel", "other");
	lrd_error error = { 0 };
	char bundle[600];
	snprintf(bundle, sizeof bundle, "%s", scratch_path(*state, "game.lpack"));
	assert_false(
		lrd_pack_tree(&(lrd_pack_tree_desc){ .folder = scratch_path(*state, "out"), .bundle = bundle }, NULL, &error));
	assert_int_equal(error.code, LRD_ERROR_CONFLICT);
	assert_non_null(strstr(error.message, "a.lmodel"));
	assert_false(file_exists(*state, "game.lpack"));
}

static void validation_finds_what_is_damaged_missing_or_stray(void **state)
{
	put_textured(*state, "src/a.gltf", "wood.tga");
	put_image(*state, "src/wood.tga", 10);
	cook(*state, NULL);
	remove(scratch_path(*state, "out/a/image.wood.ktx2"));
	scratch_put(*state, "out/a/material.M.lmat", "LMAT");
	scratch_put(*state, "out/stray.lmesh", "x");
	const char *paths[] = { scratch_path(*state, "out") };
	findings kept = { 0 };
	lrd_validate_report report;
	lrd_validate_desc desc = { .paths = paths, .path_count = 1, .on_finding = keep_finding, .user = &kept };
	assert_true(lrd_validate(&desc, &report, NULL));
	assert_int_equal(report.findings, kept.count);
	assert_int_equal(kept.count, 4);
	assert_non_null(strstr(kept.text[0], "image.wood.ktx2"));
	assert_non_null(strstr(kept.text[1], "is not the file that the manifest says"));
	assert_non_null(strstr(kept.text[2], "lmat"));
	assert_non_null(strstr(kept.text[3], "stray.lmesh: is not in the manifest"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_sources, scratch_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_was_cooked_is_sound_and_packs),
		TEST(a_bundle_as_json_leaves_other_bundles_alone),
		TEST(a_bundle_packed_with_another_level_is_as_if_packed_anew),
		TEST(a_tree_that_is_not_its_manifests_is_not_packed),
		TEST(validation_finds_what_is_damaged_missing_or_stray),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
