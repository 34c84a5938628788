// What `larder info` says of a source: the document that its importer makes.

#include "cli/info.h"

#include <math.h>

static cJSON *add_row(cJSON *array)
{
	cJSON *row = cJSON_CreateObject();
	cJSON_AddItemToArray(array, row);
	return row;
}

/// A box around f32 x 3 points.
static void add_box(cJSON *json, const float *points, uint32_t count)
{
	float low[3] = { INFINITY, INFINITY, INFINITY };
	float high[3] = { -INFINITY, -INFINITY, -INFINITY };
	for (uint32_t i = 0; i < count; ++i)
	{
		for (uint32_t k = 0; k < 3; ++k)
		{
			low[k] = fminf(low[k], points[i * 3 + k]);
			high[k] = fmaxf(high[k], points[i * 3 + k]);
		}
	}
	cJSON *bounds = cJSON_AddObjectToObject(json, "bounds");
	cli_json_floats(bounds, "min", low, 3);
	cli_json_floats(bounds, "max", high, 3);
}

static void add_primitive(cJSON *array, const lrd_document_primitive *primitive)
{
	const struct
	{
		const char *name;
		bool there;
	} attributes[] = {
		{ "position", true },
		{ "normal", primitive->normals != NULL },
		{ "tangent", primitive->tangents != NULL },
		{ "uv0", primitive->uv[0] != NULL },
		{ "uv1", primitive->uv[1] != NULL },
		{ "color", primitive->colors != NULL },
		{ "joints", primitive->joints != NULL },
	};
	cJSON *row = add_row(array);
	cli_json_index(row, "material", primitive->material);
	cli_json_number(row, "vertices", primitive->vertex_count);
	cli_json_number(row, "triangles", primitive->index_count / 3);
	cJSON *names = cJSON_AddArrayToObject(row, "attributes");
	for (size_t i = 0; i < sizeof attributes / sizeof *attributes; ++i)
	{
		if (attributes[i].there)
		{
			cli_json_string(names, NULL, lrd_string_from(attributes[i].name));
		}
	}
	add_box(row, primitive->positions, primitive->vertex_count);
}

static void add_meshes(cJSON *json, const lrd_document *document)
{
	cJSON *meshes = cJSON_AddArrayToObject(json, "meshes");
	for (uint32_t m = 0; m < document->mesh_count; ++m)
	{
		const lrd_document_mesh *mesh = &document->meshes[m];
		cJSON *row = add_row(meshes);
		cli_json_string(row, "name", mesh->name);
		cJSON *morphs = cJSON_AddArrayToObject(row, "morphs");
		for (uint32_t i = 0; i < mesh->morph_count; ++i)
		{
			cli_json_string(morphs, NULL, mesh->morph_names[i]);
		}
		cli_json_floats(row, "weights", mesh->weights, mesh->morph_count);
		cJSON *primitives = cJSON_AddArrayToObject(row, "primitives");
		for (uint32_t p = 0; p < mesh->primitive_count; ++p)
		{
			add_primitive(primitives, &mesh->primitives[p]);
		}
	}
}

static void add_nodes(cJSON *json, const lrd_document *document)
{
	cJSON *nodes = cJSON_AddArrayToObject(json, "nodes");
	for (uint32_t n = 0; n < document->node_count; ++n)
	{
		const lrd_document_node *node = &document->nodes[n];
		cJSON *row = add_row(nodes);
		cli_json_string(row, "name", node->name);
		cli_json_index(row, "parent", node->parent);
		cli_json_floats(row, "translation", &node->local.translation.x, 3);
		cli_json_floats(row, "rotation", &node->local.rotation.x, 4);
		cli_json_floats(row, "scale", &node->local.scale.x, 3);
		if (node->has_matrix)
		{
			cli_json_floats(row, "matrix", node->matrix.m, 16);
		}
		cli_json_index(row, "mesh", node->mesh);
		cli_json_index(row, "skin", node->skin);
		cli_json_index(row, "light", node->light);
		cli_json_index(row, "camera", node->camera);
		cli_json_number(row, "instances", node->instance_count);
	}
}

static void add_skins(cJSON *json, const lrd_document *document)
{
	cJSON *skins = cJSON_AddArrayToObject(json, "skins");
	for (uint32_t s = 0; s < document->skin_count; ++s)
	{
		const lrd_document_skin *skin = &document->skins[s];
		cJSON *row = add_row(skins);
		cli_json_string(row, "name", skin->name);
		cJSON *joints = cJSON_AddArrayToObject(row, "joints");
		cJSON *binds = cJSON_AddArrayToObject(row, "inverse_binds");
		for (uint32_t j = 0; j < skin->joint_count; ++j)
		{
			cli_json_number(joints, NULL, skin->joints[j]);
			cli_json_floats(binds, NULL, skin->inverse_binds[j].m, 16);
		}
	}
}

static void add_animations(cJSON *json, const lrd_document *document)
{
	static const char *const paths[] = { "translation", "rotation", "scale", "weights" };
	static const char *const interpolations[] = { "linear", "step", "cubic" };
	cJSON *animations = cJSON_AddArrayToObject(json, "animations");
	for (uint32_t a = 0; a < document->animation_count; ++a)
	{
		const lrd_document_animation *animation = &document->animations[a];
		float duration = 0.0f;
		cJSON *row = add_row(animations);
		cli_json_string(row, "name", animation->name);
		cJSON *channels = cJSON_AddArrayToObject(row, "channels");
		for (uint32_t c = 0; c < animation->channel_count; ++c)
		{
			const lrd_document_channel *channel = &animation->channels[c];
			cJSON *item = add_row(channels);
			cli_json_number(item, "node", channel->node);
			cli_json_string(item, "path", lrd_string_from(paths[channel->path]));
			cli_json_string(item, "interpolation", lrd_string_from(interpolations[channel->interpolation]));
			cli_json_number(item, "keys", channel->key_count);
			duration = fmaxf(duration, channel->times[channel->key_count - 1]);
		}
		cli_json_float(row, "duration", duration);
	}
}

static void add_slots(cJSON *json, const lrd_document *document, const lrd_document_material *material)
{
	cJSON *textures = cJSON_AddObjectToObject(json, "textures");
	for (lrd_material_slot s = 0; s < LRD_SLOT_COUNT; ++s)
	{
		const lrd_document_slot *slot = &material->slots[s];
		if (slot->texture != LRD_NO_INDEX)
		{
			cJSON *row = cJSON_AddObjectToObject(textures, lrd_material_slot_name(s));
			cli_json_index(row, "image", document->textures[slot->texture].image);
			cli_json_number(row, "uv_set", slot->uv_set);
			cli_json_floats(row, "offset", slot->uv_offset, 2);
			cli_json_floats(row, "scale", slot->uv_scale, 2);
			cli_json_float(row, "rotation", slot->uv_rotation);
		}
	}
}

static void add_materials(cJSON *json, const lrd_document *document)
{
	cJSON *materials = cJSON_AddArrayToObject(json, "materials");
	for (uint32_t m = 0; m < document->material_count; ++m)
	{
		const lrd_document_material *material = &document->materials[m];
		cJSON *row = add_row(materials);
		cli_json_string(row, "name", material->name);
		cli_info_material(
			row, (uint32_t)material->alpha_mode, material->alpha_cutoff, material->flags, &material->params);
		add_slots(row, document, material);
	}
}

static void add_images(cJSON *json, const lrd_document *document)
{
	cJSON *images = cJSON_AddArrayToObject(json, "images");
	for (uint32_t i = 0; i < document->image_count; ++i)
	{
		const lrd_document_image *image = &document->images[i];
		cJSON *row = add_row(images);
		cli_json_string(row, "name", image->name);
		cli_json_string(row, "media_type", image->media_type);
		if (image->path.size != 0)
		{
			cli_json_string(row, "path", image->path);
		}
		else
		{
			cli_json_number(row, "bytes", (double)image->bytes.size);
		}
	}
}

static void add_lights_and_cameras(cJSON *json, const lrd_document *document)
{
	static const char *const types[] = { "directional", "point", "spot" };
	static const char *const lenses[] = { "perspective", "orthographic" };
	cJSON *lights = cJSON_AddArrayToObject(json, "lights");
	for (uint32_t i = 0; i < document->light_count; ++i)
	{
		const lrd_document_light *light = &document->lights[i];
		cJSON *row = add_row(lights);
		cli_json_string(row, "name", light->name);
		cli_json_string(row, "type", lrd_string_from(types[light->type]));
		cli_json_floats(row, "color", light->color, 3);
		cli_json_float(row, "intensity", light->intensity);
		cli_json_float(row, "range", light->range);
		cli_json_float(row, "inner_cone", light->inner_cone);
		cli_json_float(row, "outer_cone", light->outer_cone);
	}
	cJSON *cameras = cJSON_AddArrayToObject(json, "cameras");
	for (uint32_t i = 0; i < document->camera_count; ++i)
	{
		const lrd_document_camera *camera = &document->cameras[i];
		cJSON *row = add_row(cameras);
		cli_json_string(row, "name", camera->name);
		cli_json_string(row, "type", lrd_string_from(lenses[camera->type]));
		cli_json_float(row, "vertical", camera->vertical);
		cli_json_float(row, "aspect", camera->aspect);
		cli_json_float(row, "near", camera->near_plane);
		cli_json_float(row, "far", camera->far_plane);
	}
}

static void add_notes(cJSON *json, const lrd_document *document)
{
	cJSON *variants = cJSON_AddArrayToObject(json, "variants");
	for (uint32_t i = 0; i < document->variant_count; ++i)
	{
		cli_json_string(variants, NULL, document->variants[i]);
	}
	cJSON *dependencies = cJSON_AddArrayToObject(json, "dependencies");
	for (uint32_t i = 0; i < document->dependency_count; ++i)
	{
		cJSON *row = add_row(dependencies);
		cli_json_string(row, "path", document->dependencies[i].path);
		cJSON_AddBoolToObject(row, "absent", document->dependencies[i].absent);
	}
	cJSON *warnings = cJSON_AddArrayToObject(json, "warnings");
	for (uint32_t i = 0; i < document->warning_count; ++i)
	{
		cJSON *row = add_row(warnings);
		cli_json_string(row, "kind", document->warnings[i].kind);
		cli_json_string(row, "message", document->warnings[i].message);
		cli_json_number(row, "count", document->warnings[i].count);
	}
}

static void add_scenes(cJSON *json, const lrd_document *document)
{
	cli_json_index(json, "default_scene", document->default_scene);
	cJSON *scenes = cJSON_AddArrayToObject(json, "scenes");
	for (uint32_t s = 0; s < document->scene_count; ++s)
	{
		cJSON *row = add_row(scenes);
		cli_json_string(row, "name", document->scenes[s].name);
		cJSON *roots = cJSON_AddArrayToObject(row, "roots");
		for (uint32_t r = 0; r < document->scenes[s].root_count; ++r)
		{
			cli_json_number(roots, NULL, document->scenes[s].roots[r]);
		}
	}
}

void cli_info_document(cJSON *json, const lrd_document *document)
{
	cli_json_string(json, "generator", document->generator);
	cli_json_number(json, "memory", (double)document->memory);
	add_scenes(json, document);
	add_nodes(json, document);
	add_meshes(json, document);
	add_materials(json, document);
	add_images(json, document);
	add_skins(json, document);
	add_animations(json, document);
	add_lights_and_cameras(json, document);
	add_notes(json, document);
}
