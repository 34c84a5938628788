// A model's textures: what slots make of images, what settings say of one image by its name, and what samplers and
// normal maps do to mips.

#include "cook_model.h"

#include "larder/material.h"
#include "larder/texture.h"

#include <math.h>

/// A texture of a chequered image with a gradient, opaque or half clear.
static int add_picture(gltf_build *build, const char *name, bool has_alpha)
{
	enum
	{
		SIDE = 16
	};
	uint8_t texels[SIDE * SIDE * 4];
	for (uint32_t i = 0; i < SIDE * SIDE; ++i)
	{
		uint8_t value = (uint8_t)((i % SIDE / 4 + i / SIDE / 4) % 2 * 128 + i / 4);
		memcpy(texels + i * 4,
			(uint8_t[]){ value, (uint8_t)(255 - value), (uint8_t)(i + (uint32_t)name[1] * 7 + (uint32_t)strlen(name)),
				has_alpha && i % 3 == 0 ? 64 : 255 },
			4);
	}
	return gltf_add(build, "textures", "{\"source\":%d}", add_image(build, name, SIDE, SIDE, texels));
}

/// Import, and cook under settings for a target. Frees the build.
static void cook_for(cooked *model, gltf_build *build, const lrd_settings *settings, lrd_target target)
{
	cook_document_for(model, import_build(build, NULL), settings, NULL, target);
	gltf_end(build);
}

static void check_type(cooked *model, const char *file, uint32_t format, const char *type)
{
	lrd_bytes value;
	lrd_texture_view texture = cooked_texture(model, file);
	assert_int_equal(texture.format, format);
	assert_true(lrd_texture_find_key(&texture, LRD_STR("larder.type"), &value));
	assert_int_equal(value.size, strlen(type));
	assert_memory_equal(value.data, type, value.size);
}

static void slots_say_what_an_image_is_stored_as(void **state)
{
	(void)state;
	BUILD(build);
	static const char *const names[] = { "Color", "Orm", "Normal", "Ao", "Glow", "Coat", "CoatRough" };
	for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
	{
		add_picture(&build, names[i], i == 0);
	}
	gltf_add(&build, "materials",
		"{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0},\"metallicRoughnessTexture\":{\"index\":1}},"
		"\"normalTexture\":{\"index\":2},\"occlusionTexture\":{\"index\":3},\"emissiveTexture\":{\"index\":4},"
		"\"alphaMode\":\"BLEND\",\"extensions\":{\"KHR_materials_clearcoat\":{\"clearcoatTexture\":{\"index\":5},"
		"\"clearcoatRoughnessTexture\":{\"index\":6}}}}");
	gltf_member(&build, "\"extensionsUsed\":[\"KHR_materials_clearcoat\"]");
	cooked model;
	cook_for(&model, &build, NULL, LRD_TARGET_DESKTOP);
	check_type(&model, "image.Color.ktx2", LRD_TEXTURE_BC7_SRGB, "type=albedo from=slot");
	check_type(&model, "image.Orm.ktx2", LRD_TEXTURE_BC7_UNORM, "type=metallic_roughness from=slot");
	check_type(&model, "image.Normal.ktx2", LRD_TEXTURE_BC5_UNORM, "type=normal from=slot normal=rg");
	check_type(&model, "image.Ao.ktx2", LRD_TEXTURE_BC4_UNORM, "type=occlusion from=slot");
	check_type(&model, "image.Glow.ktx2", LRD_TEXTURE_BC7_SRGB, "type=emissive from=slot");
	check_type(&model, "image.Coat.ktx2", LRD_TEXTURE_BC4_UNORM, "type=occlusion from=slot");
	check_type(&model, "image.CoatRough.ktx2", LRD_TEXTURE_BC7_UNORM, "type=metallic_roughness from=slot");
	uint32_t count;
	(void)lrd_recipe_outputs(model.recipe, &count);
	const lrd_texture_report *report = lrd_recipe_texture(model.recipe, 0);
	assert_non_null(report);
	assert_true(report->psnr > 25.0f && report->size > 0);
	assert_null(lrd_recipe_texture(model.recipe, count - 1)); // the model
	cooked_free(&model);
}

static void occlusion_in_a_roughness_map_is_one_texture_of_numbers(void **state)
{
	(void)state;
	BUILD(build);
	add_picture(&build, "Orm", false);
	gltf_add(&build, "materials",
		"{\"pbrMetallicRoughness\":{\"metallicRoughnessTexture\":{\"index\":0}},\"occlusionTexture\":{\"index\":0}}");
	cooked model;
	cook_for(&model, &build, NULL, LRD_TARGET_DESKTOP);
	check_type(&model, "image.Orm.ktx2", LRD_TEXTURE_BC7_UNORM, "type=metallic_roughness from=slot");
	cooked_free(&model);
}

static const char one_color[] = "{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}}}";

static void alpha_that_nobody_samples_is_not_stored(void **state)
{
	static const struct
	{
		lrd_target target;
		lrd_texture_quality quality;
		uint32_t format;
	} rows[] = {
		{ LRD_TARGET_DESKTOP, LRD_QUALITY_FAST, LRD_TEXTURE_BC1_RGB_SRGB },
		{ LRD_TARGET_RAW, LRD_QUALITY_FAST, LRD_TEXTURE_RGBA8_SRGB },
	};
	(void)state;
	for (size_t i = 0; i < 2; ++i)
	{
		BUILD(build);
		add_picture(&build, "Color", true);
		gltf_add(&build, "materials", one_color);
		lrd_settings settings = { .texture = { .quality = rows[i].quality } };
		cooked model;
		cook_for(&model, &build, &settings, rows[i].target);
		lrd_texture_view texture = cooked_texture(&model, "image.Color.ktx2");
		assert_int_equal(texture.format, rows[i].format);
		if (rows[i].target == LRD_TARGET_RAW)
		{
			assert_int_equal(((const uint8_t *)texture.levels[0].data)[3], 64);
		}
		cooked_free(&model);
	}
}

static void an_image_has_settings_of_its_own_by_name(void **state)
{
	(void)state;
	BUILD(build);
	add_picture(&build, "Bark", false);
	add_picture(&build, "Leaf", false);
	gltf_add(&build, "materials",
		"{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0},\"metallicRoughnessTexture\":{\"index\":1}}}");
	lrd_image_settings images[] = {
		{ LRD_STR("Leaf"), { .max_size = 4, .type = LRD_TEXTURE_TYPE_MASK } },
	};
	lrd_settings settings = { .texture = { .max_size = 8 }, .images = images, .image_count = 1 };
	cooked model;
	cook_for(&model, &build, &settings, LRD_TARGET_DESKTOP);
	assert_int_equal(cooked_texture(&model, "image.Bark.ktx2").width, 8);
	assert_int_equal(cooked_texture(&model, "image.Leaf.ktx2").width, 4);
	check_type(&model, "image.Leaf.ktx2", LRD_TEXTURE_BC4_UNORM, "type=mask from=settings");
	cooked_free(&model);
}

static void settings_for_an_image_that_is_not_there_are_an_error(void **state)
{
	(void)state;
	BUILD(build);
	add_picture(&build, "Bark", false);
	gltf_add(&build, "materials", one_color);
	lrd_document *document = import_build(&build, NULL);
	gltf_end(&build);
	lrd_image_settings images[] = { { LRD_STR("Brak"), { 0 } } };
	lrd_settings settings = { .images = images, .image_count = 1 };
	lrd_recipe_desc desc = { .root = ".", .source = LRD_STR("m.glb"), .stem = LRD_STR("m"), .settings = &settings };
	lrd_error error = { 0 };
	assert_null(lrd_recipe_model(&desc, document, &error));
	assert_int_equal(error.code, LRD_ERROR_NOT_FOUND);
	assert_non_null(strstr(error.message, "\"Brak\""));
	lrd_document_free(document);
}

/// Level 1 of a picture that is bright on its left half, with the sampler's wrap.
static void take_level_1(const char *sampler, uint8_t texels[8 * 8 * 4])
{
	enum
	{
		SIDE = 16
	};
	uint8_t source[SIDE * SIDE * 4];
	for (uint32_t i = 0; i < SIDE * SIDE; ++i)
	{
		memset(source + i * 4, i % SIDE < SIDE / 2 ? 200 : 40, 4);
		source[i * 4 + 3] = 255;
	}
	BUILD(build);
	gltf_add(&build, "samplers", "%s", sampler);
	gltf_add(&build, "textures", "{\"sampler\":0,\"source\":%d}", add_image(&build, "Half", SIDE, SIDE, source));
	gltf_add(&build, "materials", one_color);
	cooked model;
	cook_for(&model, &build, NULL, LRD_TARGET_RAW);
	memcpy(texels, cooked_texture(&model, "image.Half.ktx2").levels[1].data, 8 * 8 * 4);
	cooked_free(&model);
}

static void mips_respect_how_the_sampler_wraps(void **state)
{
	uint8_t repeated[8 * 8 * 4];
	uint8_t clamped[8 * 8 * 4];
	(void)state;
	take_level_1("{}", repeated);
	take_level_1("{\"wrapS\":33071,\"wrapT\":33071}", clamped);
	assert_in_range(clamped[0], 199, 201);  // an even area up to the edge
	assert_true(repeated[0] != clamped[0]); // the dark half begins past the edge
}

static void roughness_grows_where_normals_lose_their_detail(void **state)
{
	enum
	{
		SIDE = 16
	};
	uint8_t rough[SIDE * SIDE * 4];
	uint8_t bumps[SIDE * SIDE * 4];
	uint8_t found[2];
	(void)state;
	for (uint32_t i = 0; i < SIDE * SIDE; ++i)
	{
		bool left = (i % SIDE + i / SIDE) % 2 == 0;
		memcpy(rough + i * 4, (uint8_t[]){ 0, 60, 0, 255 }, 4);
		memcpy(bumps + i * 4, (uint8_t[]){ 218, 128, left ? 38 : 218, 255 }, 4); // as BGRA: 45 degrees to either side
	}
	for (uint32_t on = 0; on < 2; ++on)
	{
		BUILD(build);
		gltf_add(&build, "textures", "{\"source\":%d}", add_image(&build, "Rough", SIDE, SIDE, rough));
		gltf_add(&build, "textures", "{\"source\":%d}", add_image(&build, "Bumps", SIDE, SIDE, bumps));
		gltf_add(&build, "materials",
			"{\"pbrMetallicRoughness\":{\"metallicRoughnessTexture\":{\"index\":0}},\"normalTexture\":{\"index\":1}}");
		lrd_settings settings = { .texture = { .roughness_from_normals = on == 1 } };
		cooked model;
		cook_for(&model, &build, &settings, LRD_TARGET_RAW);
		lrd_texture_view texture = cooked_texture(&model, "image.Rough.ktx2");
		assert_int_equal(((const uint8_t *)texture.levels[0].data)[1], 60);
		found[on] = ((const uint8_t *)texture.levels[2].data)[1];
		cooked_free(&model);
	}
	assert_int_equal(found[0], 60);
	assert_true(found[1] > 150);
}

static void a_material_says_that_its_base_colour_is_premultiplied(void **state)
{
	(void)state;
	BUILD(build);
	add_picture(&build, "Glass", true);
	gltf_add(&build, "materials",
		"{\"name\":\"M\",\"alphaMode\":\"BLEND\",\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}}}");
	lrd_settings settings = { .texture = { .premultiply = true } };
	cooked model;
	cook_for(&model, &build, &settings, LRD_TARGET_DESKTOP);
	lrd_texture_view texture = cooked_texture(&model, "image.Glass.ktx2");
	assert_true(lrd_texture_is_premultiplied(&texture));
	assert_true((cooked_material(&model, "material.M.lmat").flags & LRD_MATERIAL_PREMULTIPLIED) != 0);
	cooked_free(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slots_say_what_an_image_is_stored_as),
		cmocka_unit_test(occlusion_in_a_roughness_map_is_one_texture_of_numbers),
		cmocka_unit_test(alpha_that_nobody_samples_is_not_stored),
		cmocka_unit_test(an_image_has_settings_of_its_own_by_name),
		cmocka_unit_test(settings_for_an_image_that_is_not_there_are_an_error),
		cmocka_unit_test(mips_respect_how_the_sampler_wraps),
		cmocka_unit_test(roughness_grows_where_normals_lose_their_detail),
		cmocka_unit_test(a_material_says_that_its_base_colour_is_premultiplied),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
