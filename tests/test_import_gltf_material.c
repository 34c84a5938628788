// Materials, core and extensions, and what they become in a document.

#include "fixtures/gltf_check.h"

#define SLOT(document, slot) (&(document)->materials[0].slots[slot])

static lrd_document *import_material(gltf_build *build, const char *material)
{
	gltf_add(build, "images", "{\"uri\":\"data:image/png;base64,AAAA\"}");
	gltf_add(build, "textures", "{\"source\":0}");
	gltf_add(build, "textures", "{\"source\":0}");
	gltf_add(build, "materials", "%s", material);
	return import_good(build);
}

static void a_material_that_says_nothing_has_the_defaults(void **state)
{
	(void)state;
	FIXTURE(build);
	lrd_document *document = import_material(&build, "{\"name\":\"Plain\"}");
	const lrd_document_material *material = &document->materials[0];
	check_text(material->name, "Plain");
	assert_int_equal(material->alpha_mode, LRD_ALPHA_OPAQUE);
	assert_float_equal(material->alpha_cutoff, 0.5f, 0);
	assert_int_equal(material->flags, 0);
	const float expected[] = { 1, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 1.5f, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,
		1, 1, 1, 1, 0, 1.3f, 100, 400, 0, 0 };
	assert_int_equal(sizeof expected, sizeof material->params);
	check_floats((const float *)(const void *)&material->params, expected, sizeof expected / sizeof(float));
	for (int i = 0; i < LRD_SLOT_COUNT; i++)
	{
		assert_int_equal(material->slots[i].texture, LRD_NO_INDEX);
		assert_float_equal(material->slots[i].uv_scale[1], 1, 0);
	}
	lrd_document_free(document);
	gltf_end(&build);
}

static void core_factors_and_slots_are_read(void **state)
{
	(void)state;
	FIXTURE(build);
	lrd_document *document = import_material(&build,
		"{\"pbrMetallicRoughness\":{\"baseColorFactor\":[0.1,0.2,0.3,0.4],\"metallicFactor\":0.5,\"roughnessFactor\":0."
		"6,"
		"\"baseColorTexture\":{\"index\":1},\"metallicRoughnessTexture\":{\"index\":0,\"texCoord\":1}},"
		"\"normalTexture\":{\"index\":0,\"scale\":2},\"occlusionTexture\":{\"index\":1,\"strength\":0.7},"
		"\"emissiveTexture\":{\"index\":0},\"emissiveFactor\":[0.8,0.9,1],\"alphaMode\":\"MASK\",\"alphaCutoff\":0.3,"
		"\"doubleSided\":true}");
	const lrd_document_material *material = &document->materials[0];
	check_no_warnings(document);
	check_floats(material->params.base_color, (float[]){ 0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.6f, 0.8f, 0.9f, 1 }, 9);
	assert_float_equal(material->params.normal_scale, 2, 0);
	assert_float_equal(material->params.occlusion_strength, 0.7f, 0);
	assert_int_equal(material->alpha_mode, LRD_ALPHA_MASK);
	assert_float_equal(material->alpha_cutoff, 0.3f, 0);
	assert_int_equal(material->flags, LRD_MATERIAL_DOUBLE_SIDED);
	assert_int_equal(SLOT(document, LRD_SLOT_BASE_COLOR)->texture, 1);
	assert_int_equal(SLOT(document, LRD_SLOT_METALLIC_ROUGHNESS)->uv_set, 1);
	assert_int_equal(SLOT(document, LRD_SLOT_NORMAL)->texture, 0);
	assert_int_equal(SLOT(document, LRD_SLOT_OCCLUSION)->texture, 1);
	assert_int_equal(SLOT(document, LRD_SLOT_EMISSIVE)->texture, 0);
	lrd_document_free(document);
	gltf_end(&build);
}

static void texture_transforms_override_the_uv_set(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_member(&build, "\"extensionsUsed\":[\"KHR_texture_transform\"]");
	lrd_document *document = import_material(&build,
		"{\"emissiveTexture\":{\"index\":0,\"texCoord\":0,\"extensions\":{\"KHR_texture_transform\":"
		"{\"offset\":[0.1,0.2],\"scale\":[3,4],\"rotation\":0.5,\"texCoord\":1}}}}");
	check_no_warnings(document);
	const lrd_document_slot *slot = SLOT(document, LRD_SLOT_EMISSIVE);
	assert_int_equal(slot->uv_set, 1);
	check_floats(slot->uv_offset, (float[]){ 0.1f, 0.2f }, 2);
	check_floats(slot->uv_scale, (float[]){ 3, 4 }, 2);
	assert_float_equal(slot->uv_rotation, 0.5f, 0);
	lrd_document_free(document);
	gltf_end(&build);
}

static void a_third_uv_set_empties_the_slot(void **state)
{
	(void)state;
	FIXTURE(build);
	lrd_document *document =
		import_material(&build, "{\"name\":\"M\",\"emissiveTexture\":{\"index\":0,\"texCoord\":2}}");
	assert_int_equal(SLOT(document, LRD_SLOT_EMISSIVE)->texture, LRD_NO_INDEX);
	check_warning(document, "uv-set", 1, "material \"M\": emissiveTexture reads TEXCOORD_2");
	lrd_document_free(document);
	gltf_end(&build);
}

static void extension_parameters_are_read(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_member(&build,
		"\"extensionsUsed\":[\"KHR_materials_emissive_strength\",\"KHR_materials_unlit\",\"KHR_materials_"
		"transmission\","
		"\"KHR_materials_ior\",\"KHR_materials_volume\",\"KHR_materials_dispersion\",\"KHR_materials_anisotropy\"]");
	lrd_document *document = import_material(&build,
		"{\"extensions\":{\"KHR_materials_emissive_strength\":{\"emissiveStrength\":12},\"KHR_materials_unlit\":{},"
		"\"KHR_materials_transmission\":{\"transmissionFactor\":0.9,\"transmissionTexture\":{\"index\":0}},"
		"\"KHR_materials_ior\":{\"ior\":1.33},\"KHR_materials_volume\":{\"thicknessFactor\":0.2,\"thicknessTexture\":{"
		"\"index\":1},"
		"\"attenuationDistance\":3,\"attenuationColor\":[0.1,0.2,0.3]},\"KHR_materials_dispersion\":{\"dispersion\":0."
		"4},"
		"\"KHR_materials_anisotropy\":{\"anisotropyStrength\":0.6,\"anisotropyRotation\":1.5,\"anisotropyTexture\":{"
		"\"index\":0}}}}");
	check_no_warnings(document);
	const lrd_material_params *params = &document->materials[0].params;
	assert_int_equal(document->materials[0].flags, LRD_MATERIAL_UNLIT);
	const float expected[] = { 12, 0.9f, 1.33f, 0.4f, 0.2f, 0.1f, 0.2f, 0.3f, 3, 0.6f, 1.5f };
	const float found[] = { params->emissive_strength, params->transmission, params->ior, params->dispersion,
		params->thickness, params->attenuation_color[0], params->attenuation_color[1], params->attenuation_color[2],
		params->attenuation_distance, params->anisotropy, params->anisotropy_rotation };
	check_floats(found, expected, sizeof expected / sizeof(float));
	assert_int_equal(SLOT(document, LRD_SLOT_TRANSMISSION)->texture, 0);
	assert_int_equal(SLOT(document, LRD_SLOT_THICKNESS)->texture, 1);
	assert_int_equal(SLOT(document, LRD_SLOT_ANISOTROPY)->texture, 0);
	lrd_document_free(document);
	gltf_end(&build);
}

static void layers_are_read(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_member(
		&build, "\"extensionsUsed\":[\"KHR_materials_clearcoat\",\"KHR_materials_sheen\",\"KHR_materials_specular\"]");
	lrd_document *document = import_material(&build,
		"{\"extensions\":{\"KHR_materials_clearcoat\":{\"clearcoatFactor\":0.1,\"clearcoatRoughnessFactor\":0.2,"
		"\"clearcoatTexture\":{\"index\":0},\"clearcoatRoughnessTexture\":{\"index\":1},"
		"\"clearcoatNormalTexture\":{\"index\":0,\"scale\":0.5}},\"KHR_materials_sheen\":{\"sheenColorFactor\":[0.3,0."
		"4,0.5],"
		"\"sheenRoughnessFactor\":0.6,\"sheenColorTexture\":{\"index\":1},\"sheenRoughnessTexture\":{\"index\":0}},"
		"\"KHR_materials_specular\":{\"specularFactor\":0.7,\"specularColorFactor\":[0.8,0.9,2],"
		"\"specularTexture\":{\"index\":1},\"specularColorTexture\":{\"index\":0}}}}");
	check_no_warnings(document);
	const lrd_material_params *params = &document->materials[0].params;
	check_floats(&params->clearcoat, (float[]){ 0.1f, 0.2f, 0.5f, 0.3f, 0.4f, 0.5f, 0.6f, 0.7f, 0.8f, 0.9f, 2 }, 11);
	const uint32_t textures[] = { 0, 1, 0, 1, 0, 1, 0 };
	const lrd_material_slot slots[] = { LRD_SLOT_CLEARCOAT, LRD_SLOT_CLEARCOAT_ROUGHNESS, LRD_SLOT_CLEARCOAT_NORMAL,
		LRD_SLOT_SHEEN_COLOR, LRD_SLOT_SHEEN_ROUGHNESS, LRD_SLOT_SPECULAR, LRD_SLOT_SPECULAR_COLOR };
	for (size_t i = 0; i < 7; i++)
	{
		assert_int_equal(SLOT(document, slots[i])->texture, textures[i]);
	}
	lrd_document_free(document);
	gltf_end(&build);
}

static void iridescence_keeps_factors_and_tells_of_textures(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_member(&build, "\"extensionsUsed\":[\"KHR_materials_iridescence\"]");
	lrd_document *document =
		import_material(&build, "{\"name\":\"Bubble\",\"extensions\":{\"KHR_materials_iridescence\":{"
								"\"iridescenceFactor\":1,\"iridescenceIor\":1.8,"
								"\"iridescenceThicknessMinimum\":50,\"iridescenceThicknessMaximum\":200,"
								"\"iridescenceTexture\":{\"index\":0}}}}");
	check_floats(&document->materials[0].params.iridescence, (float[]){ 1, 1.8f, 50, 200 }, 4);
	check_warning(document, "texture-slot", 1, "material \"Bubble\": there is no slot for iridescenceTexture");
	lrd_document_free(document);
	gltf_end(&build);
}

static void factors_out_of_range_are_clamped_and_told(void **state)
{
	(void)state;
	FIXTURE(build);
	lrd_document *document = import_material(
		&build, "{\"name\":\"M\",\"pbrMetallicRoughness\":{\"roughnessFactor\":1.5},\"alphaMode\":\"CUTOUT\"}");
	assert_float_equal(document->materials[0].params.roughness, 1, 0);
	check_warning(document, "range", 1, "material \"M\": roughnessFactor is 1.5, outside its range; taken as 1");
	check_warning(document, "alpha-mode", 1, "material \"M\"");
	lrd_document_free(document);
	gltf_end(&build);
}

static void an_extension_that_is_not_declared_is_read_and_told(void **state)
{
	(void)state;
	FIXTURE(build);
	lrd_document *document = import_material(&build, "{\"extensions\":{\"KHR_materials_ior\":{\"ior\":0}}}");
	assert_float_equal(document->materials[0].params.ior, 0, 0);
	check_warning(document, "extension-undeclared", 1, "KHR_materials_ior");
	lrd_document_free(document);
	gltf_end(&build);
}

#define GLOSS "\"extensionsUsed\":[\"KHR_materials_pbrSpecularGlossiness\"]"

static void specular_glossiness_becomes_metallic_roughness(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_member(&build, GLOSS);
	lrd_document *document = import_material(&build,
		"{\"name\":\"Gold\",\"extensions\":{\"KHR_materials_pbrSpecularGlossiness\":{\"diffuseFactor\":[0,0,0,0.5],"
		"\"specularFactor\":[1,0.71,0.29],\"glossinessFactor\":0.75}}}");
	const lrd_material_params *params = &document->materials[0].params;
	assert_float_equal(params->metallic, 1, 1e-3);
	check_floats(params->base_color, (float[]){ 1, 0.71f, 0.29f, 0.5f }, 4);
	assert_float_equal(params->roughness, 0.25f, 0);
	check_warning(document, "specular-glossiness", 1, "converted to metallic-roughness");
	lrd_document_free(document);
	gltf_end(&build);
	gltf_member(&build, GLOSS);
	document = import_material(&build,
		"{\"extensions\":{\"KHR_materials_pbrSpecularGlossiness\":{\"diffuseFactor\":[0.5,0.25,0.125,1],"
		"\"specularFactor\":[0.04,0.04,0.04],\"diffuseTexture\":{\"index\":1}}}}");
	params = &document->materials[0].params;
	assert_float_equal(params->metallic, 0, 1e-6);
	check_floats(params->base_color, (float[]){ 0.5f, 0.25f, 0.125f, 1 }, 4);
	assert_float_equal(params->roughness, 0, 0);
	assert_int_equal(SLOT(document, LRD_SLOT_BASE_COLOR)->texture, 1);
	lrd_document_free(document);
	gltf_end(&build);
}

static void a_specular_glossiness_texture_is_told_and_leaves_a_dielectric(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_member(&build, GLOSS);
	lrd_document *document =
		import_material(&build, "{\"name\":\"M\",\"extensions\":{\"KHR_materials_pbrSpecularGlossiness\":{"
								"\"specularGlossinessTexture\":{\"index\":0}}}}");
	assert_float_equal(document->materials[0].params.metallic, 0, 0);
	assert_float_equal(document->materials[0].params.roughness, 0.5f, 0);
	check_warning(document, "specular-glossiness", 1, "specularGlossinessTexture can't be kept");
	lrd_document_free(document);
	gltf_end(&build);
}

static void textured_metallic_roughness_wins_over_specular_glossiness(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_member(&build, GLOSS);
	lrd_document *document = import_material(&build,
		"{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":1},\"metallicFactor\":0.25},"
		"\"extensions\":{\"KHR_materials_pbrSpecularGlossiness\":{}}}");
	assert_float_equal(document->materials[0].params.metallic, 0.25f, 0);
	check_warning(document, "specular-glossiness", 1, "the latter is used");
	lrd_document_free(document);
	gltf_end(&build);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_material_that_says_nothing_has_the_defaults),
		cmocka_unit_test(core_factors_and_slots_are_read),
		cmocka_unit_test(texture_transforms_override_the_uv_set),
		cmocka_unit_test(a_third_uv_set_empties_the_slot),
		cmocka_unit_test(extension_parameters_are_read),
		cmocka_unit_test(layers_are_read),
		cmocka_unit_test(iridescence_keeps_factors_and_tells_of_textures),
		cmocka_unit_test(factors_out_of_range_are_clamped_and_told),
		cmocka_unit_test(an_extension_that_is_not_declared_is_read_and_told),
		cmocka_unit_test(specular_glossiness_becomes_metallic_roughness),
		cmocka_unit_test(a_specular_glossiness_texture_is_told_and_leaves_a_dielectric),
		cmocka_unit_test(textured_metallic_roughness_wins_over_specular_glossiness),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
