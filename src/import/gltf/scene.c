// import/gltf/scene.c: scenes, cameras, KHR_lights_punctual, and the names of KHR_materials_variants. Sections 3.5.1,
// 3.10, 5.13 to 5.15, 5.27.

#include "import/gltf/gltf.h"

#include "base/maths.h"
#include "base/path.h"

#include <float.h>

static bool read_type(lrd_gltf *gltf, const lrd_json *at, const char *label, lrd_light_type *type)
{
	lrd_string name = { NULL, 0 };
	if (!lrd_json_get_text(at, "type", &name, gltf->error))
	{
		return false;
	}
	if (lrd_string_equal(name, LRD_STR("directional")))
	{
		*type = LRD_LIGHT_DIRECTIONAL;
		return true;
	}
	*type = lrd_string_equal(name, LRD_STR("spot")) ? LRD_LIGHT_SPOT : LRD_LIGHT_POINT;
	return *type == LRD_LIGHT_SPOT || lrd_string_equal(name, LRD_STR("point")) ||
		   lrd_import_warn(gltf->import, "light", 1, "%s: its type is unknown; taken as a point light", label);
}

static bool read_cone(lrd_gltf *gltf, const lrd_json *at, const char *label, lrd_document_light *light)
{
	const float right_angle = (float)(LRD_PI / 2.0);
	lrd_json spot = lrd_json_member(at, "spot");
	light->outer_cone = (float)(LRD_PI / 4.0);
	if (light->type != LRD_LIGHT_SPOT)
	{
		light->outer_cone = 0.0f;
		return true;
	}
	if (!lrd_gltf_get_factor(gltf, label, &spot, "outerConeAngle", 0.0f, right_angle, &light->outer_cone) ||
		!lrd_gltf_get_factor(gltf, label, &spot, "innerConeAngle", 0.0f, right_angle, &light->inner_cone))
	{
		return false;
	}
	if (light->inner_cone < light->outer_cone)
	{
		return true;
	}
	light->inner_cone = 0.0f;
	return lrd_import_warn(
		gltf->import, "light", 1, "%s: its inner cone is not inside its outer cone; taken as 0", label);
}

static bool read_light(lrd_gltf *gltf, const lrd_json *at, lrd_document_light *light)
{
	*light = (lrd_document_light){ .color = { 1.0f, 1.0f, 1.0f }, .intensity = 1.0f };
	if (!lrd_gltf_get_name(gltf, at, &light->name))
	{
		return false;
	}
	lrd_gltf_label label = lrd_gltf_name("light", at->index, light->name);
	return read_type(gltf, at, label.text, &light->type) &&
		   lrd_gltf_get_color(gltf, label.text, at, "color", 3, light->color) &&
		   lrd_gltf_get_factor(gltf, label.text, at, "intensity", 0.0f, FLT_MAX, &light->intensity) &&
		   lrd_gltf_get_factor(gltf, label.text, at, "range", 0.0f, FLT_MAX, &light->range) &&
		   read_cone(gltf, at, label.text, light);
}

bool lrd_gltf_read_lights(lrd_gltf *gltf)
{
	const lrd_gltf_list *list = &gltf->lists[LRD_GLTF_LIGHTS];
	lrd_document_light *lights = LRD_IMPORT_NEW(gltf->import, lrd_document_light, list->count, "lights");
	if (lights == NULL)
	{
		return false;
	}
	for (lrd_json at = lrd_json_first(&list->array); at.value != NULL; at = lrd_json_next(&at))
	{
		if (!read_light(gltf, &at, &lights[at.index]))
		{
			return false;
		}
	}
	gltf->document->lights = lights;
	gltf->document->light_count = list->count;
	return true;
}

static bool warn_camera(lrd_gltf *gltf, const lrd_json *at, const lrd_document_camera *camera, const char *what)
{
	return lrd_import_warn(
		gltf->import, "camera", 1, "%s: %s", lrd_gltf_name("camera", at->index, camera->name).text, what);
}

static bool read_perspective(lrd_gltf *gltf, const lrd_json *at, const lrd_json *lens, lrd_document_camera *camera)
{
	const float default_fov = (float)(LRD_PI / 3.0);
	camera->type = LRD_CAMERA_PERSPECTIVE;
	if (!lrd_json_get_float(lens, "yfov", &camera->vertical, gltf->error) ||
		!lrd_json_get_float(lens, "aspectRatio", &camera->aspect, gltf->error))
	{
		return false;
	}
	camera->aspect = camera->aspect > 0.0f ? camera->aspect : 0.0f;
	if (camera->vertical > 0.0f && camera->vertical < (float)LRD_PI)
	{
		return true;
	}
	camera->vertical = default_fov;
	return warn_camera(gltf, at, camera, "its yfov is missing or out of range; taken as 60 degrees");
}

static bool read_orthographic(lrd_gltf *gltf, const lrd_json *at, const lrd_json *lens, lrd_document_camera *camera)
{
	float width = 0.0f;
	camera->type = LRD_CAMERA_ORTHOGRAPHIC;
	if (!lrd_json_get_float(lens, "xmag", &width, gltf->error) ||
		!lrd_json_get_float(lens, "ymag", &camera->vertical, gltf->error))
	{
		return false;
	}
	if (width != 0.0f && camera->vertical != 0.0f)
	{
		camera->vertical = fabsf(camera->vertical);
		camera->aspect = fabsf(width) / camera->vertical;
		camera->aspect = isfinite(camera->aspect) ? camera->aspect : 0.0f;
		return true;
	}
	camera->vertical = 1.0f;
	return warn_camera(gltf, at, camera, "its xmag or ymag is missing or 0; taken as 1");
}

static bool read_camera(lrd_gltf *gltf, const lrd_json *at, lrd_document_camera *camera)
{
	lrd_string type = { NULL, 0 };
	if (!lrd_gltf_get_name(gltf, at, &camera->name) || !lrd_json_get_text(at, "type", &type, gltf->error))
	{
		return false;
	}
	bool flat = lrd_string_equal(type, LRD_STR("orthographic"));
	lrd_json lens = lrd_json_member(at, flat ? "orthographic" : "perspective");
	if (!(flat ? read_orthographic(gltf, at, &lens, camera) : read_perspective(gltf, at, &lens, camera)) ||
		!lrd_json_get_float(&lens, "znear", &camera->near_plane, gltf->error) ||
		!lrd_json_get_float(&lens, "zfar", &camera->far_plane, gltf->error))
	{
		return false;
	}
	bool near_sound = flat ? camera->near_plane >= 0.0f : camera->near_plane > 0.0f;
	bool far_sound = camera->far_plane > camera->near_plane || (!flat && camera->far_plane == 0.0f);
	if (near_sound && far_sound)
	{
		return true;
	}
	camera->near_plane = near_sound ? camera->near_plane : 0.1f;
	camera->far_plane = camera->far_plane > camera->near_plane ? camera->far_plane : 0.0f;
	return warn_camera(gltf, at, camera, "its znear and zfar are out of range; corrected");
}

bool lrd_gltf_read_cameras(lrd_gltf *gltf)
{
	const lrd_gltf_list *list = &gltf->lists[LRD_GLTF_CAMERAS];
	lrd_document_camera *cameras = LRD_IMPORT_NEW(gltf->import, lrd_document_camera, list->count, "cameras");
	if (cameras == NULL)
	{
		return false;
	}
	for (lrd_json at = lrd_json_first(&list->array); at.value != NULL; at = lrd_json_next(&at))
	{
		if (!read_camera(gltf, &at, &cameras[at.index]))
		{
			return false;
		}
	}
	gltf->document->cameras = cameras;
	gltf->document->camera_count = list->count;
	return true;
}

bool lrd_gltf_read_variants(lrd_gltf *gltf)
{
	const lrd_gltf_list *list = &gltf->lists[LRD_GLTF_VARIANTS];
	lrd_string *variants = LRD_IMPORT_NEW(gltf->import, lrd_string, list->count, "variants");
	if (variants == NULL)
	{
		return false;
	}
	for (lrd_json at = lrd_json_first(&list->array); at.value != NULL; at = lrd_json_next(&at))
	{
		if (!lrd_gltf_get_name(gltf, &at, &variants[at.index]))
		{
			return false;
		}
	}
	gltf->document->variants = variants;
	gltf->document->variant_count = list->count;
	return true;
}

// `listed` has the scene's number + 1 for each node it names already.
static bool read_roots(lrd_gltf *gltf, const lrd_json *at, uint32_t *listed, lrd_document_scene *scene)
{
	lrd_json list = lrd_json_member(at, "nodes");
	if (list.value != NULL && !lrd_json_is_array(&list, gltf->error))
	{
		return false;
	}
	uint32_t *roots = LRD_IMPORT_NEW(gltf->import, uint32_t, lrd_json_length(&list), "scene");
	if (roots == NULL)
	{
		return false;
	}
	scene->roots = roots;
	for (lrd_json item = lrd_json_first(&list); item.value != NULL; item = lrd_json_next(&item))
	{
		uint32_t node = 0;
		if (!lrd_gltf_index(gltf, &item, LRD_GLTF_NODES, &node))
		{
			return false;
		}
		uint32_t parent = gltf->document->nodes[node].parent;
		if (parent != LRD_NO_INDEX)
		{
			return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: node %u is no root: it is a child of node %u",
				lrd_json_place(&item).text, node, parent);
		}
		if (listed[node] == at->index + 1)
		{
			if (!lrd_import_warn(gltf->import, "scene-duplicate", 1, "%s names node %u twice; kept once",
					lrd_gltf_name("scene", at->index, scene->name).text, node))
			{
				return false;
			}
			continue;
		}
		listed[node] = at->index + 1;
		roots[scene->root_count++] = node;
	}
	return true;
}

bool lrd_gltf_read_scenes(lrd_gltf *gltf)
{
	const lrd_gltf_list *list = &gltf->lists[LRD_GLTF_SCENES];
	lrd_document_scene *scenes = LRD_IMPORT_NEW(gltf->import, lrd_document_scene, list->count, "scenes");
	uint32_t *listed = LRD_IMPORT_SCRATCH(gltf->import, uint32_t, gltf->document->node_count, "scenes");
	if (scenes == NULL || listed == NULL)
	{
		return false;
	}
	for (lrd_json at = lrd_json_first(&list->array); at.value != NULL; at = lrd_json_next(&at))
	{
		if (!lrd_gltf_get_name(gltf, &at, &scenes[at.index].name) || !read_roots(gltf, &at, listed, &scenes[at.index]))
		{
			return false;
		}
	}
	gltf->document->scenes = scenes;
	gltf->document->scene_count = list->count;
	return lrd_gltf_get_index(gltf, &gltf->top, "scene", LRD_GLTF_SCENES, &gltf->document->default_scene);
}
