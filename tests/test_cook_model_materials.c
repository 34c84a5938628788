// Materials: that every parameter and slot arrives, and which images become which textures.

#include "cook_model.h"

#include "larder/material.h"

#include <math.h>

/// A one-texel image and a texture of it, told apart by `level`.
static int add_texture(gltf_build *build, const char *name, uint8_t level)
{
	const uint8_t texel[4] = { level, level, level, 255 };
	return gltf_add(build, "textures", "{\"source\":%d}", add_image(build, name, 1, 1, texel));
}

static void nothing_said_is_gltfs_default(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "materials", "{}");
	cooked model;
	cook_build(&model, &build);
	lrd_material_view material = cooked_material(&model, "material.0.lmat");
	lrd_material_params defaults = lrd_material_default_params();
	assert_memory_equal(material.params, &defaults, sizeof defaults);
	check_string(material.name, "");
	assert_int_equal(material.alpha_mode, LRD_ALPHA_OPAQUE);
	assert_int_equal(material.domain, LRD_DOMAIN_SURFACE);
	assert_int_equal(material.flags, 0);
	for (lrd_material_slot slot = 0; slot < LRD_SLOT_COUNT; ++slot)
	{
		check_string(lrd_material_texture_stem(&material, slot), "");
	}
	cooked_free(&model);
}

static void every_parameter_survives(void **state)
{
	(void)state;
	BUILD(build);
	add_texture(&build, "I", 1);
	gltf_add(&build, "materials",
		"{\"name\":\"All\",\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.1,0.2,0.3,0.4],\"metallicFactor\":0.5,"
		"\"roughnessFactor\":0.6},\"emissiveFactor\":[0.7,0.8,0.9],\"normalTexture\":{\"index\":0,\"scale\":-2},"
		"\"occlusionTexture\":{\"index\":0,\"strength\":0.11},\"alphaMode\":\"MASK\",\"alphaCutoff\":0.12,"
		"\"doubleSided\":true,\"extensions\":{\"KHR_materials_emissive_strength\":{\"emissiveStrength\":13},"
		"\"KHR_materials_ior\":{\"ior\":1.4},\"KHR_materials_dispersion\":{\"dispersion\":0.15},"
		"\"KHR_materials_transmission\":{\"transmissionFactor\":0.16},\"KHR_materials_volume\":{\"thicknessFactor\":17,"
		"\"attenuationDistance\":18,\"attenuationColor\":[0.19,0.21,0.22]},\"KHR_materials_anisotropy\":{"
		"\"anisotropyStrength\":0.23,\"anisotropyRotation\":2.4},\"KHR_materials_clearcoat\":{\"clearcoatFactor\":0.25,"
		"\"clearcoatRoughnessFactor\":0.26,\"clearcoatNormalTexture\":{\"index\":0,\"scale\":2.7}},"
		"\"KHR_materials_sheen\":{\"sheenColorFactor\":[0.28,0.29,0.31],\"sheenRoughnessFactor\":0.32},"
		"\"KHR_materials_specular\":{\"specularFactor\":0.33,\"specularColorFactor\":[0.34,3.5,0.36]},"
		"\"KHR_materials_iridescence\":{\"iridescenceFactor\":0.37,\"iridescenceIor\":1.38,"
		"\"iridescenceThicknessMinimum\":390,\"iridescenceThicknessMaximum\":410},\"KHR_materials_unlit\":{}}}");
	gltf_member(&build,
		"\"extensionsUsed\":[\"KHR_materials_emissive_strength\",\"KHR_materials_ior\",\"KHR_materials_dispersion\","
		"\"KHR_materials_transmission\",\"KHR_materials_volume\",\"KHR_materials_anisotropy\","
		"\"KHR_materials_clearcoat\",\"KHR_materials_sheen\",\"KHR_materials_specular\",\"KHR_materials_iridescence\","
		"\"KHR_materials_unlit\"]");
	cooked model;
	cook_build(&model, &build);
	static const lrd_material_params expected = {
		.base_color = { 0.1f, 0.2f, 0.3f, 0.4f },
		.metallic = 0.5f,
		.roughness = 0.6f,
		.emissive = { 0.7f, 0.8f, 0.9f },
		.emissive_strength = 13,
		.normal_scale = -2,
		.occlusion_strength = 0.11f,
		.transmission = 0.16f,
		.ior = 1.4f,
		.dispersion = 0.15f,
		.thickness = 17,
		.attenuation_color = { 0.19f, 0.21f, 0.22f },
		.attenuation_distance = 18,
		.anisotropy = 0.23f,
		.anisotropy_rotation = 2.4f,
		.clearcoat = 0.25f,
		.clearcoat_roughness = 0.26f,
		.clearcoat_normal_scale = 2.7f,
		.sheen_color = { 0.28f, 0.29f, 0.31f },
		.sheen_roughness = 0.32f,
		.specular = 0.33f,
		.specular_color = { 0.34f, 3.5f, 0.36f },
		.iridescence = 0.37f,
		.iridescence_ior = 1.38f,
		.iridescence_thickness_min = 390,
		.iridescence_thickness_max = 410,
	};
	lrd_material_view material = cooked_material(&model, "material.All.lmat");
	assert_memory_equal(material.params, &expected, sizeof expected);
	check_string(material.name, "All");
	assert_int_equal(material.alpha_mode, LRD_ALPHA_MASK);
	assert_float_equal(material.alpha_cutoff, 0.12f, 0);
	assert_int_equal(material.flags, LRD_MATERIAL_DOUBLE_SIDED | LRD_MATERIAL_UNLIT);
	check_no_cook_warnings(&model);
	cooked_free(&model);
}

/// Importers keep to the ranges; this is for those that one day won't.
static lrd_material_params *params_of(lrd_document *document, uint32_t material)
{
	return (lrd_material_params *)(uintptr_t)&document->materials[material].params;
}

static void parameters_out_of_range_are_brought_back_with_a_warning(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "materials", "{\"name\":\"Wild\"}");
	lrd_document *document = import_build(&build, NULL);
	gltf_end(&build);
	lrd_material_params *params = params_of(document, 0);
	params->base_color[2] = 1.5f;
	params->roughness = -1;
	params->emissive_strength = -2;
	params->ior = 0.5f;
	params->specular_color[1] = -3;
	params->iridescence_ior = 0;
	params->thickness = NAN;
	cooked model;
	cook_document(&model, document, NULL, NULL);
	lrd_material_view material = cooked_material(&model, "material.Wild.lmat");
	assert_float_equal(material.params->base_color[2], 1, 0);
	assert_float_equal(material.params->roughness, 0, 0);
	assert_float_equal(material.params->emissive_strength, 0, 0);
	assert_float_equal(material.params->ior, 1, 0);
	assert_float_equal(material.params->specular_color[1], 0, 0);
	assert_float_equal(material.params->iridescence_ior, 1, 0);
	assert_float_equal(material.params->thickness, 0, 0);
	assert_int_equal(count_warnings(&model, "parameter-range"), 7);
	check_cook_warning(&model, "parameter-range", "material \"Wild\": base_color 1.5");
	cooked_free(&model);
}

static void an_ior_of_zero_is_kept(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "materials", "{\"name\":\"M\",\"extensions\":{\"KHR_materials_ior\":{\"ior\":0}}}");
	gltf_member(&build, "\"extensionsUsed\":[\"KHR_materials_ior\"]");
	cooked model;
	cook_build(&model, &build);
	assert_float_equal(cooked_material(&model, "material.M.lmat").params->ior, 0, 0);
	check_no_cook_warnings(&model);
	cooked_free(&model);
}

static void every_slot_names_its_own_texture(void **state)
{
	(void)state;
	BUILD(build);
	for (int i = 0; i < LRD_SLOT_COUNT; ++i)
	{
		char name[16];
		snprintf(name, sizeof name, "I%d", i);
		add_texture(&build, name, (uint8_t)(i + 1));
	}
	gltf_add(&build, "materials",
		"{\"name\":\"M\",\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0},\"metallicRoughnessTexture\":{"
		"\"index\":1}},\"normalTexture\":{\"index\":2},\"occlusionTexture\":{\"index\":3},\"emissiveTexture\":{"
		"\"index\":4},\"extensions\":{\"KHR_materials_anisotropy\":{\"anisotropyTexture\":{\"index\":5}},"
		"\"KHR_materials_clearcoat\":{\"clearcoatTexture\":{\"index\":6},\"clearcoatRoughnessTexture\":{\"index\":7},"
		"\"clearcoatNormalTexture\":{\"index\":8}},\"KHR_materials_transmission\":{\"transmissionTexture\":{\"index\":"
		"9}"
		"},\"KHR_materials_volume\":{\"thicknessTexture\":{\"index\":10}},\"KHR_materials_sheen\":{"
		"\"sheenColorTexture\":{\"index\":11},\"sheenRoughnessTexture\":{\"index\":12}},\"KHR_materials_specular\":{"
		"\"specularTexture\":{\"index\":13},\"specularColorTexture\":{\"index\":14}}}}");
	gltf_member(&build,
		"\"extensionsUsed\":[\"KHR_materials_anisotropy\",\"KHR_materials_clearcoat\",\"KHR_materials_transmission\","
		"\"KHR_materials_volume\",\"KHR_materials_sheen\",\"KHR_materials_specular\"]");
	cooked model;
	cook_build(&model, &build);
	lrd_material_view material = cooked_material(&model, "material.M.lmat");
	for (lrd_material_slot slot = 0; slot < LRD_SLOT_COUNT; ++slot)
	{
		char stem[32];
		char file[32];
		snprintf(stem, sizeof stem, "m/image.I%d", (int)slot);
		snprintf(file, sizeof file, "image.I%d.ktx2", (int)slot);
		check_string(lrd_material_texture_stem(&material, slot), stem);
		bool color = slot == LRD_SLOT_BASE_COLOR || slot == LRD_SLOT_EMISSIVE || slot == LRD_SLOT_SHEEN_COLOR ||
					 slot == LRD_SLOT_SPECULAR_COLOR;
		lrd_texture_view texture = cooked_texture(&model, file);
		assert_int_equal(texture.format, color ? LRD_TEXTURE_RGBA8_SRGB : LRD_TEXTURE_RGBA8_UNORM);
	}
	cooked_free(&model);
}

static void a_slot_keeps_its_uv_set_transform_and_sampler(void **state)
{
	(void)state;
	BUILD(build);
	const uint8_t texel[4] = { 1, 2, 3, 255 };
	gltf_add(&build, "samplers", "{\"wrapS\":33071,\"wrapT\":33648,\"magFilter\":9728}");
	gltf_add(&build, "textures", "{\"source\":%d,\"sampler\":0}", add_image(&build, "I", 1, 1, texel));
	gltf_add(&build, "textures", "{\"source\":0}");
	gltf_add(&build, "materials",
		"{\"name\":\"M\",\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0,\"texCoord\":1,\"extensions\":{"
		"\"KHR_texture_transform\":{\"offset\":[0.1,0.2],\"scale\":[3,-4],\"rotation\":0.5}}}},\"emissiveTexture\":{"
		"\"index\":1}}");
	gltf_member(&build, "\"extensionsUsed\":[\"KHR_texture_transform\"]");
	cooked model;
	cook_build(&model, &build);
	lrd_material_view material = cooked_material(&model, "material.M.lmat");
	const lrd_material_texture *slot = &material.textures[LRD_SLOT_BASE_COLOR];
	assert_int_equal(slot->uv_set, 1);
	assert_int_equal(slot->wrap_u, LRD_WRAP_CLAMP);
	assert_int_equal(slot->wrap_v, LRD_WRAP_MIRROR);
	assert_int_equal(slot->filter, LRD_FILTER_POINT);
	check_near(slot->uv_offset, (const float[]){ 0.1f, 0.2f, 3, -4, 0.5f }, 5);
	slot = &material.textures[LRD_SLOT_EMISSIVE];
	assert_int_equal(slot->uv_set, 0);
	assert_int_equal(slot->wrap_u, LRD_WRAP_REPEAT);
	assert_int_equal(slot->filter, LRD_FILTER_LINEAR);
	check_near(slot->uv_offset, (const float[]){ 0, 0, 1, 1, 0 }, 5);
	cooked_free(&model);
}

static void an_image_used_as_colour_data_and_normals_is_three_textures(void **state)
{
	(void)state;
	BUILD(build);
	add_texture(&build, "Rust", 128);
	gltf_add(&build, "materials",
		"{\"name\":\"A\",\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0},\"metallicRoughnessTexture\":{"
		"\"index\":0}}}");
	gltf_add(&build, "materials",
		"{\"name\":\"B\",\"normalTexture\":{\"index\":0},\"emissiveTexture\":{\"index\":0},\"occlusionTexture\":{"
		"\"index\":0}}");
	cooked model;
	cook_build(&model, &build);
	check_files(
		&model, "image.Rust.ktx2 image.Rust.data.ktx2 image.Rust.normal.ktx2 material.A.lmat material.B.lmat m.lmodel");
	assert_int_equal(cooked_texture(&model, "image.Rust.ktx2").format, LRD_TEXTURE_RGBA8_SRGB);
	assert_int_equal(cooked_texture(&model, "image.Rust.data.ktx2").format, LRD_TEXTURE_RGBA8_UNORM);
	assert_int_equal(cooked_texture(&model, "image.Rust.normal.ktx2").format, LRD_TEXTURE_RGBA8_UNORM);
	lrd_material_view a = cooked_material(&model, "material.A.lmat");
	lrd_material_view b = cooked_material(&model, "material.B.lmat");
	check_string(lrd_material_texture_stem(&a, LRD_SLOT_METALLIC_ROUGHNESS), "m/image.Rust.data");
	check_string(lrd_material_texture_stem(&b, LRD_SLOT_EMISSIVE), "m/image.Rust");
	check_string(lrd_material_texture_stem(&b, LRD_SLOT_OCCLUSION), "m/image.Rust.data");
	check_string(lrd_material_texture_stem(&b, LRD_SLOT_NORMAL), "m/image.Rust.normal");
	cooked_free(&model);
}

static void images_equal_byte_for_byte_are_one(void **state)
{
	(void)state;
	BUILD(build);
	add_texture(&build, "Oak", 7);
	add_texture(&build, "Oak copy", 7);
	add_texture(&build, "Elm", 8);
	for (int i = 0; i < 3; ++i)
	{
		gltf_add(&build, "materials",
			"{\"name\":\"M%d\",\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":%d}}}", i, i);
	}
	cooked model;
	cook_build(&model, &build);
	check_files(&model, "image.Oak.ktx2 image.Elm.ktx2 material.M0.lmat material.M1.lmat material.M2.lmat m.lmodel");
	lrd_material_view second = cooked_material(&model, "material.M1.lmat");
	check_string(lrd_material_texture_stem(&second, LRD_SLOT_BASE_COLOR), "m/image.Oak");
	cooked_free(&model);
}

static void an_image_that_no_material_uses_is_not_cooked(void **state)
{
	(void)state;
	BUILD(build);
	add_texture(&build, "Unused", 7);
	gltf_add(&build, "materials", "{\"name\":\"M\"}");
	cooked model;
	cook_build(&model, &build);
	check_files(&model, "material.M.lmat m.lmodel");
	cooked_free(&model);
}

static void an_undecodable_image_costs_a_warning_and_its_slot(void **state)
{
	(void)state;
	BUILD(build);
	static const uint8_t broken[] = "\x89PNG\r\n\x1a\nbut no more than that";
	gltf_add(&build, "images", "{\"name\":\"Bad\",\"bufferView\":%d}", gltf_view(&build, broken, sizeof broken, 0));
	gltf_add(&build, "textures", "{\"source\":0}");
	add_texture(&build, "Good", 9);
	gltf_add(&build, "materials",
		"{\"name\":\"M\",\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}},\"emissiveTexture\":{\"index\":"
		"1}"
		"}");
	cooked model;
	cook_build(&model, &build);
	check_files(&model, "image.Good.ktx2 material.M.lmat m.lmodel");
	lrd_material_view material = cooked_material(&model, "material.M.lmat");
	check_string(lrd_material_texture_stem(&material, LRD_SLOT_BASE_COLOR), "");
	check_string(lrd_material_texture_stem(&material, LRD_SLOT_EMISSIVE), "m/image.Good");
	check_cook_warning(&model, "image", "m/image.Bad: ");
	cooked_free(&model);
}

static void a_missing_image_costs_its_slot(void **state)
{
	(void)state;
	BUILD(build);
	gltf_add(&build, "images", "{\"uri\":\"gone.png\"}");
	gltf_add(&build, "textures", "{\"source\":0}");
	gltf_add(&build, "materials", "{\"name\":\"M\",\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}}}");
	lrd_document *document = import_build(&build, "/tmp");
	gltf_end(&build);
	bool warned = false;
	for (uint32_t i = 0; i < document->warning_count; ++i)
	{
		warned |= lrd_string_equal(document->warnings[i].kind, LRD_STR("image-missing"));
	}
	assert_true(warned);
	cooked model;
	cook_document(&model, document, NULL, "/tmp");
	check_files(&model, "material.M.lmat m.lmodel");
	lrd_material_view material = cooked_material(&model, "material.M.lmat");
	check_string(lrd_material_texture_stem(&material, LRD_SLOT_BASE_COLOR), "");
	cooked_free(&model);
}

#define LEAF_SIDE 64

/// A leaf whose alpha is noise from texel to texel, which plain averaging turns into one grey below the cutoff.
static int add_leaf(gltf_build *build)
{
	static uint8_t texels[LEAF_SIDE * LEAF_SIDE][4];
	uint32_t noise = 12345;
	for (uint32_t i = 0; i < LEAF_SIDE * LEAF_SIDE; ++i)
	{
		noise = noise * 1664525u + 1013904223u;
		texels[i][1] = 200;
		texels[i][3] = (uint8_t)(noise >> 24);
	}
	return add_image(build, "Leaf", LEAF_SIDE, LEAF_SIDE, texels[0]);
}

/// The share of a level's texels whose alpha reaches a cutoff.
static double coverage(const lrd_texture_view *texture, uint32_t level, float cutoff)
{
	const uint8_t *texels = texture->levels[level].data;
	uint64_t count = texture->levels[level].size / 4;
	uint64_t reached = 0;
	for (uint64_t i = 0; i < count; ++i)
	{
		reached += (float)texels[i * 4 + 3] / 255.0f >= cutoff;
	}
	return (double)reached / (double)count;
}

static void cook_leaf(cooked *model, const char *alpha)
{
	BUILD(build);
	gltf_add(&build, "textures", "{\"source\":%d}", add_leaf(&build));
	gltf_add(&build, "materials", "{\"name\":\"M\",%s,\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}}}",
		alpha);
	cook_build(model, &build);
}

static void a_mask_materials_base_colour_keeps_its_coverage(void **state)
{
	(void)state;
	cooked model;
	cook_leaf(&model, "\"alphaMode\":\"MASK\",\"alphaCutoff\":0.6");
	lrd_texture_view texture = cooked_texture(&model, "image.Leaf.ktx2");
	double whole = coverage(&texture, 0, 0.6f);
	assert_true(whole > 0.3 && whole < 0.5);
	for (uint32_t level = 1; texture.levels[level].size / 4 >= 256; ++level)
	{
		assert_true(fabs(coverage(&texture, level, 0.6f) - whole) <= 1.0 / 256);
	}
	lrd_bytes value;
	assert_true(lrd_texture_find_key(&texture, LRD_STR("larder.coverage"), &value));
	assert_int_equal(value.size, sizeof(float));
	float cutoff;
	memcpy(&cutoff, value.data, sizeof cutoff);
	assert_float_equal(cutoff, 0.6f, 0);
	cooked_free(&model);
}

static void the_base_colours_factor_counts_for_coverage(void **state)
{
	(void)state;
	cooked model;
	BUILD(build);
	gltf_add(&build, "textures", "{\"source\":%d}", add_leaf(&build));
	gltf_add(&build, "materials",
		"{\"name\":\"M\",\"alphaMode\":\"MASK\",\"alphaCutoff\":0.25,"
		"\"pbrMetallicRoughness\":{\"baseColorFactor\":[1,1,1,0.5],\"baseColorTexture\":{\"index\":0}}}");
	cook_build(&model, &build);
	lrd_texture_view texture = cooked_texture(&model, "image.Leaf.ktx2");
	double whole = coverage(&texture, 0, 0.5f); // half of it is 0.25
	for (uint32_t level = 1; texture.levels[level].size / 4 >= 256; ++level)
	{
		assert_true(fabs(coverage(&texture, level, 0.5f) - whole) <= 1.0 / 256);
	}
	cooked_free(&model);
}

static void a_mask_that_no_texel_passes_keeps_no_coverage(void **state)
{
	(void)state;
	cooked model;
	BUILD(build);
	gltf_add(&build, "textures", "{\"source\":%d}", add_leaf(&build));
	gltf_add(&build, "materials",
		"{\"name\":\"M\",\"alphaMode\":\"MASK\",\"alphaCutoff\":0.6,"
		"\"pbrMetallicRoughness\":{\"baseColorFactor\":[1,1,1,0.5],\"baseColorTexture\":{\"index\":0}}}");
	cook_build(&model, &build);
	lrd_texture_view texture = cooked_texture(&model, "image.Leaf.ktx2");
	lrd_bytes value;
	assert_false(lrd_texture_find_key(&texture, LRD_STR("larder.coverage"), &value));
	cooked_free(&model);
}

static void other_materials_base_colours_do_not(void **state)
{
	(void)state;
	static const char *const modes[] = { "\"alphaMode\":\"BLEND\"", "\"alphaMode\":\"OPAQUE\"" };
	for (uint32_t i = 0; i < 2; ++i)
	{
		cooked model;
		cook_leaf(&model, modes[i]);
		lrd_texture_view texture = cooked_texture(&model, "image.Leaf.ktx2");
		lrd_bytes value;
		assert_false(lrd_texture_find_key(&texture, LRD_STR("larder.coverage"), &value));
		cooked_free(&model);
	}
}

static void colours_of_texels_that_are_not_there_do_not_bleed_in(void **state)
{
	(void)state;
	static const uint8_t texels[4][4] = { { 0, 200, 0, 255 }, { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, { 0, 200, 0, 255 } };
	static const char *const modes[] = { "OPAQUE", "BLEND" };
	for (uint32_t i = 0; i < 2; ++i)
	{
		BUILD(build);
		gltf_add(&build, "textures", "{\"source\":%d}", add_image(&build, "I", 2, 2, texels[0]));
		gltf_add(&build, "materials",
			"{\"name\":\"M\",\"alphaMode\":\"%s\",\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}}}",
			modes[i]);
		cooked model;
		cook_build(&model, &build);
		lrd_texture_view texture = cooked_texture(&model, "image.I.ktx2");
		const uint8_t *smallest = texture.levels[1].data;
		assert_int_equal(smallest[1] == 200, i == 1); // opaque materials have no alpha to weigh by
		cooked_free(&model);
	}
}

static void a_cutoff_that_no_alpha_reaches_is_brought_to_one(void **state)
{
	(void)state;
	cooked model;
	cook_leaf(&model, "\"alphaMode\":\"MASK\",\"alphaCutoff\":2.5");
	assert_float_equal(cooked_material(&model, "material.M.lmat").alpha_cutoff, 1, 0);
	lrd_texture_view texture = cooked_texture(&model, "image.Leaf.ktx2");
	assert_int_equal(texture.level_count, 7);
	cooked_free(&model);
}

static void texture_settings_hold_for_a_models_images(void **state)
{
	(void)state;
	static const lrd_settings settings = { .texture = { .max_size = 16, .mipmaps = LRD_CHOICE_OFF } };
	BUILD(build);
	gltf_add(&build, "textures", "{\"source\":%d}", add_leaf(&build));
	gltf_add(&build, "materials", "{\"name\":\"M\",\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}}}");
	cooked model;
	cook_document(&model, import_build(&build, NULL), &settings, NULL);
	gltf_end(&build);
	lrd_texture_view texture = cooked_texture(&model, "image.Leaf.ktx2");
	assert_int_equal(texture.width, 16);
	assert_int_equal(texture.level_count, 1);
	cooked_free(&model);
}

static void put_tga(const char *path, uint8_t level)
{
	uint8_t bytes[22] = { 0, 0, 2, [12] = 1, [14] = 1, [16] = 32, [17] = 0x28 };
	memset(bytes + 18, level, 4);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	fwrite(bytes, 1, sizeof bytes, file);
	fclose(file);
}

static void an_image_that_changes_while_the_model_is_cooked_is_an_error(void **state)
{
	(void)state;
	char root[] = "/tmp/larder-test-XXXXXX";
	char path[64];
	assert_non_null(mkdtemp(root));
	snprintf(path, sizeof path, "%s/oak.tga", root);
	put_tga(path, 1);
	BUILD(build);
	gltf_add(&build, "images", "{\"uri\":\"oak.tga\"}");
	gltf_add(&build, "textures", "{\"source\":0}");
	gltf_add(&build, "materials", "{\"name\":\"M\",\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}}}");
	lrd_document *document = import_build(&build, root);
	gltf_end(&build);
	put_tga(path, 2);
	static const lrd_settings settings;
	lrd_error error = { 0 };
	lrd_recipe_desc desc = { .root = root, .source = LRD_STR("m.glb"), .stem = LRD_STR("m"), .settings = &settings };
	lrd_recipe *recipe = lrd_recipe_model(&desc, document, &error);
	assert_non_null(recipe);
	lrd_buffer out = { 0 };
	assert_false(lrd_recipe_make(recipe, 0, &out, &error));
	assert_int_equal(error.code, LRD_ERROR_CHANGED);
	assert_non_null(strstr(error.message, "oak.tga"));
	assert_int_equal(out.size, 0);
	lrd_buffer_free(&out);
	lrd_recipe_destroy(recipe);
	lrd_document_free(document);
	remove(path);
	remove(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_said_is_gltfs_default),
		cmocka_unit_test(every_parameter_survives),
		cmocka_unit_test(parameters_out_of_range_are_brought_back_with_a_warning),
		cmocka_unit_test(an_ior_of_zero_is_kept),
		cmocka_unit_test(every_slot_names_its_own_texture),
		cmocka_unit_test(a_slot_keeps_its_uv_set_transform_and_sampler),
		cmocka_unit_test(an_image_used_as_colour_data_and_normals_is_three_textures),
		cmocka_unit_test(images_equal_byte_for_byte_are_one),
		cmocka_unit_test(an_image_that_no_material_uses_is_not_cooked),
		cmocka_unit_test(an_undecodable_image_costs_a_warning_and_its_slot),
		cmocka_unit_test(a_missing_image_costs_its_slot),
		cmocka_unit_test(a_mask_materials_base_colour_keeps_its_coverage),
		cmocka_unit_test(the_base_colours_factor_counts_for_coverage),
		cmocka_unit_test(a_mask_that_no_texel_passes_keeps_no_coverage),
		cmocka_unit_test(other_materials_base_colours_do_not),
		cmocka_unit_test(colours_of_texels_that_are_not_there_do_not_bleed_in),
		cmocka_unit_test(a_cutoff_that_no_alpha_reaches_is_brought_to_one),
		cmocka_unit_test(texture_settings_hold_for_a_models_images),
		cmocka_unit_test(an_image_that_changes_while_the_model_is_cooked_is_an_error),
	};
	return cmocka_run_group_tests_name("cook_model_materials", tests, NULL, NULL);
}
