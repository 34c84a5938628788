// import/gltf/extensions.c: which extensions larder reads, which it may pass over, and what it says of the others.
// Section 3.12.

#include "import/gltf/gltf.h"

#include "base/path.h"

typedef enum extension_support
{
	EXTENSION_UNKNOWN,
	EXTENSION_READ,
	EXTENSION_IGNORED,  // says nothing about what is seen
	EXTENSION_FALLBACK, // not read: only what the file has beside it
	EXTENSION_DRACO,    // read where larder is built with libdraco
} extension_support;

typedef struct extension_info
{
	const char *name;
	extension_support support;
} extension_info;

static const extension_info extension_infos[] = {
	{ "KHR_texture_transform", EXTENSION_READ },
	{ "KHR_materials_emissive_strength", EXTENSION_READ },
	{ "KHR_materials_unlit", EXTENSION_READ },
	{ "KHR_materials_transmission", EXTENSION_READ },
	{ "KHR_materials_ior", EXTENSION_READ },
	{ "KHR_materials_volume", EXTENSION_READ },
	{ "KHR_materials_anisotropy", EXTENSION_READ },
	{ "KHR_materials_clearcoat", EXTENSION_READ },
	{ "KHR_materials_sheen", EXTENSION_READ },
	{ "KHR_materials_specular", EXTENSION_READ },
	{ "KHR_materials_iridescence", EXTENSION_READ },
	{ "KHR_materials_dispersion", EXTENSION_READ },
	{ "KHR_materials_pbrSpecularGlossiness", EXTENSION_READ },
	{ "KHR_materials_variants", EXTENSION_READ },
	{ "KHR_mesh_quantization", EXTENSION_READ },
	{ "KHR_lights_punctual", EXTENSION_READ },
	{ "EXT_texture_webp", EXTENSION_READ },
	{ "EXT_mesh_gpu_instancing", EXTENSION_READ },
	{ "EXT_meshopt_compression", EXTENSION_READ },
	{ "KHR_meshopt_compression", EXTENSION_READ },
	{ "KHR_xmp", EXTENSION_IGNORED },
	{ "KHR_xmp_json_ld", EXTENSION_IGNORED },
	{ "AGI_articulations", EXTENSION_IGNORED },
	{ "AGI_stk_metadata", EXTENSION_IGNORED },
	{ "CESIUM_primitive_outline", EXTENSION_IGNORED },
	{ "EXT_mesh_features", EXTENSION_IGNORED },
	{ "EXT_structural_metadata", EXTENSION_IGNORED },
	{ "EXT_instance_features", EXTENSION_IGNORED },
	{ "FB_geometry_metadata", EXTENSION_IGNORED },
	{ "EXT_mesh_manifold", EXTENSION_IGNORED },
	{ "MSFT_packing_normalRoughnessMetallic", EXTENSION_IGNORED },
	{ "MSFT_packing_occlusionRoughnessMetallic", EXTENSION_IGNORED },
	{ "KHR_draco_mesh_compression", EXTENSION_DRACO },
	{ "KHR_texture_basisu", EXTENSION_FALLBACK },
};

#ifdef LRD_HAVE_DRACO
static const bool has_draco = true;
#else
static const bool has_draco = false;
#endif

#define EXTENSION_COUNT (sizeof extension_infos / sizeof extension_infos[0])
_Static_assert(EXTENSION_COUNT <= 64, "the extensions in use are kept as bits");

// Where an extension is in the table; EXTENSION_COUNT: nowhere.
static size_t find_info(lrd_string name)
{
	size_t i = 0;
	while (i < EXTENSION_COUNT && !lrd_string_equal(name, lrd_string_from(extension_infos[i].name)))
	{
		i++;
	}
	return i;
}

static bool note_used(lrd_gltf *gltf, lrd_string name)
{
	lrd_gltf_label label = lrd_gltf_name("extension", 0, name);
	size_t at = find_info(name);
	if (at == EXTENSION_COUNT)
	{
		return lrd_import_warn(gltf->import, "extension", 1, "%s is not known; what it says is ignored", label.text);
	}
	gltf->declared |= UINT64_C(1) << at;
	return extension_infos[at].support != EXTENSION_FALLBACK ||
		   lrd_import_warn(gltf->import, "extension", 1,
			   "%s can't be read; the fallback that the file has beside it is used", label.text);
}

static bool check_required(lrd_gltf *gltf, lrd_string name)
{
	lrd_gltf_label label = lrd_gltf_name("extension", 0, name);
	size_t at = find_info(name);
	gltf->required |= at < EXTENSION_COUNT ? UINT64_C(1) << at : 0;
	switch (at < EXTENSION_COUNT ? extension_infos[at].support : EXTENSION_UNKNOWN)
	{
	case EXTENSION_UNKNOWN:
		return lrd_fail(
			gltf->error, LRD_ERROR_UNSUPPORTED, "the file requires %s, which larder does not know", label.text);
	case EXTENSION_FALLBACK:
		return lrd_fail(
			gltf->error, LRD_ERROR_UNSUPPORTED, "the file requires %s, which larder can't read", label.text);
	case EXTENSION_DRACO:
		return has_draco || lrd_fail(gltf->error, LRD_ERROR_UNSUPPORTED,
								"the file requires %s, which this larder was built without (LARDER_DRACO)", label.text);
	case EXTENSION_READ:
	case EXTENSION_IGNORED: break;
	}
	return true;
}

static bool walk_names(lrd_gltf *gltf, const lrd_json *list, bool (*visit)(lrd_gltf *gltf, lrd_string name))
{
	if (list->value == NULL)
	{
		return true;
	}
	if (!lrd_json_is_array(list, gltf->error))
	{
		return false;
	}
	for (lrd_json item = lrd_json_first(list); item.value != NULL; item = lrd_json_next(&item))
	{
		lrd_string name = { NULL, 0 };
		if (!lrd_json_text(&item, &name, gltf->error) || !visit(gltf, name))
		{
			return false;
		}
	}
	return true;
}

bool lrd_gltf_declared(const lrd_gltf *gltf, const char *name)
{
	size_t at = find_info(lrd_string_from(name));
	return at < EXTENSION_COUNT && (gltf->declared >> at & 1) != 0;
}

bool lrd_gltf_required(const lrd_gltf *gltf, const char *name)
{
	size_t at = find_info(lrd_string_from(name));
	return at < EXTENSION_COUNT && (gltf->required >> at & 1) != 0;
}

bool lrd_gltf_read_extensions(lrd_gltf *gltf)
{
	lrd_json required = lrd_json_member(&gltf->top, "extensionsRequired");
	lrd_json used = lrd_json_member(&gltf->top, "extensionsUsed");
	if (!walk_names(gltf, &required, check_required) || !walk_names(gltf, &used, note_used))
	{
		return false;
	}
	gltf->quantized = lrd_gltf_declared(gltf, "KHR_mesh_quantization");
	return true;
}

bool lrd_gltf_get_extension(lrd_gltf *gltf, const lrd_json *object, const char *name, lrd_gltf_extension *extension)
{
	extension->extensions = lrd_json_member(object, "extensions");
	extension->at = lrd_json_member(&extension->extensions, name);
	if (extension->extensions.value != NULL && !lrd_json_is_object(&extension->extensions, gltf->error))
	{
		return false;
	}
	if (extension->at.value == NULL)
	{
		return true;
	}
	if (!lrd_json_is_object(&extension->at, gltf->error))
	{
		return false;
	}
	return lrd_gltf_declared(gltf, name) ||
		   lrd_import_warn(gltf->import, "extension-undeclared", 1,
			   "extension \"%s\" is used but not in extensionsUsed; read all the same", name);
}
