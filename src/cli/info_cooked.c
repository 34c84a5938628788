// What `larder info` says of cooked files: one function a kind, over the views that the formats' readers give.

#include "cli/info.h"
#include "cli/picture.h"
#include "larder/larder.h"

#include <stdio.h>
#include <string.h>

static const char *const wraps[] = { "repeat", "clamp", "mirror" };
static const char *const filters[] = { "linear", "point" };

static cJSON *add_row(cJSON *array)
{
	cJSON *row = cJSON_CreateObject();
	cJSON_AddItemToArray(array, row);
	return row;
}

void cli_info_bounds(cJSON *json, const char *name, const lrd_bounds *bounds)
{
	cJSON *row = cJSON_AddObjectToObject(json, name);
	cli_json_floats(row, "min", &bounds->min.x, 3);
	cli_json_floats(row, "max", &bounds->max.x, 3);
	cli_json_floats(row, "centre", &bounds->centre.x, 3);
	cli_json_float(row, "radius", bounds->radius);
}

static bool info_material(cJSON *json, const void *bytes, size_t size, lrd_error *error)
{
	lrd_material_view material;
	if (!lrd_material_open(bytes, size, &material, error))
	{
		return false;
	}
	cli_json_string(json, "name", material.name);
	cli_json_string(json, "domain", material.domain == LRD_DOMAIN_VOLUME ? LRD_STR("volume") : LRD_STR("surface"));
	cli_info_material(json, material.alpha_mode, material.alpha_cutoff, material.flags, material.params);
	cJSON *textures = cJSON_AddObjectToObject(json, "textures");
	for (lrd_material_slot slot = 0; slot < LRD_SLOT_COUNT; ++slot)
	{
		const lrd_material_texture *texture = &material.textures[slot];
		if (texture->stem_size != 0)
		{
			cJSON *row = cJSON_AddObjectToObject(textures, lrd_material_slot_name(slot));
			cli_json_string(row, "stem", lrd_material_texture_stem(&material, slot));
			cli_json_number(row, "uv_set", texture->uv_set);
			cli_json_floats(row, "offset", texture->uv_offset, 2);
			cli_json_floats(row, "scale", texture->uv_scale, 2);
			cli_json_float(row, "rotation", texture->uv_rotation);
			cli_json_string(row, "wrap_u", lrd_string_from(wraps[texture->wrap_u]));
			cli_json_string(row, "wrap_v", lrd_string_from(wraps[texture->wrap_v]));
			cli_json_string(row, "filter", lrd_string_from(filters[texture->filter]));
		}
	}
	cli_json_number(json, "instructions", material.instruction_count);
	return true;
}

static void add_parts(cJSON *json, const lrd_model_view *model)
{
	cJSON *parts = cJSON_AddArrayToObject(json, "parts");
	for (uint32_t i = 0; i < model->part_count; ++i)
	{
		const lrd_model_part *part = &model->parts[i];
		cJSON *row = add_row(parts);
		cli_json_string(row, "name", lrd_model_text(model, part->name));
		cli_json_string(row, "mesh", lrd_model_text(model, part->mesh));
		cli_json_index(row, "slot", part->slot);
		cli_json_index(row, "node", part->node);
		cli_json_index(row, "skeleton", part->skeleton);
		cJSON_AddBoolToObject(row, "mirrored", (part->flags & LRD_PART_MIRRORED) != 0);
		cli_json_floats(
			row, "weights", part->weight_count == 0 ? NULL : model->weights + part->weights_offset, part->weight_count);
	}
}

static void add_named(cJSON *array, const lrd_model_view *model, lrd_text name, lrd_text stem)
{
	cJSON *row = add_row(array);
	cli_json_string(row, "name", lrd_model_text(model, name));
	cli_json_string(row, "stem", lrd_model_text(model, stem));
}

static void add_nodes(cJSON *json, const lrd_model_view *model)
{
	cJSON *nodes = cJSON_AddArrayToObject(json, "nodes");
	for (uint32_t i = 0; i < model->node_count; ++i)
	{
		const lrd_model_node *node = &model->nodes[i];
		cJSON *row = add_row(nodes);
		cli_json_string(row, "name", lrd_model_text(model, node->name));
		cli_json_number(row, "parent", node->parent);
		cli_json_floats(row, "translation", node->translation, 3);
		cli_json_floats(row, "rotation", node->rotation, 4);
		cli_json_floats(row, "scale", node->scale, 3);
		cJSON_AddBoolToObject(row, "joint", (node->flags & LRD_NODE_JOINT) != 0);
		cJSON_AddBoolToObject(row, "animated", (node->flags & LRD_NODE_ANIMATED) != 0);
	}
}

/// The placement template. Transforms that change nothing are left out.
static void add_actors(cJSON *json, const lrd_model_view *model)
{
	static const float identity[] = { 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 1.0f, 1.0f, 1.0f };
	cJSON *actors = cJSON_AddArrayToObject(json, "actors");
	for (uint32_t i = 0; i < model->actor_count; ++i)
	{
		const lrd_model_actor *actor = &model->actors[i];
		cJSON *row = add_row(actors);
		cli_json_string(row, "name", lrd_model_text(model, actor->name));
		cli_json_number(row, "parent", actor->parent);
		if (actor->part != LRD_NO_INDEX)
		{
			cli_json_number(row, "part", actor->part);
			cli_json_string(row, "mesh", lrd_model_text(model, model->parts[actor->part].mesh));
		}
		if (memcmp(actor->translation, identity, sizeof actor->translation) != 0)
		{
			cli_json_floats(row, "translation", actor->translation, 3);
		}
		if (memcmp(actor->rotation, identity + 3, sizeof actor->rotation) != 0)
		{
			cli_json_floats(row, "rotation", actor->rotation, 4);
		}
		if (memcmp(actor->scale, identity + 7, sizeof actor->scale) != 0)
		{
			cli_json_floats(row, "scale", actor->scale, 3);
		}
	}
}

static bool info_model(cJSON *json, const void *bytes, size_t size, lrd_error *error)
{
	lrd_model_view model;
	if (!lrd_model_open(bytes, size, &model, error))
	{
		return false;
	}
	cli_info_bounds(json, "bounds", &model.bounds);
	add_parts(json, &model);
	cJSON *materials = cJSON_AddArrayToObject(json, "materials");
	for (uint32_t i = 0; i < model.material_count; ++i)
	{
		add_named(materials, &model, model.materials[i].name, model.materials[i].stem);
	}
	cJSON *clips = cJSON_AddArrayToObject(json, "clips");
	for (uint32_t i = 0; i < model.clip_count; ++i)
	{
		add_named(clips, &model, model.clips[i].name, model.clips[i].stem);
	}
	cJSON *skeletons = cJSON_AddArrayToObject(json, "skeletons");
	for (uint32_t i = 0; i < model.skeleton_count; ++i)
	{
		cJSON *row = add_row(skeletons);
		cli_json_string(row, "stem", lrd_model_text(&model, model.skeletons[i].stem));
		cli_json_number(row, "joints", model.skeletons[i].joint_count);
	}
	cJSON *variants = cJSON_AddArrayToObject(json, "variants");
	for (uint32_t i = 0; i < model.variant_count; ++i)
	{
		cli_json_string(variants, NULL, lrd_model_text(&model, model.variants[i].name));
	}
	add_actors(json, &model);
	cli_json_string(json, "collision", model.collision);
	cli_json_number(json, "lights", model.light_count);
	cli_json_number(json, "cameras", model.camera_count);
	add_nodes(json, &model);
	return true;
}

static bool info_skeleton(cJSON *json, const void *bytes, size_t size, lrd_error *error)
{
	lrd_skeleton_view skeleton;
	if (!lrd_skeleton_open(bytes, size, &skeleton, error))
	{
		return false;
	}
	cli_json_string(json, "name", skeleton.name);
	cli_json_floats(json, "root", skeleton.root.m, 16);
	cJSON *joints = cJSON_AddArrayToObject(json, "joints");
	for (uint32_t i = 0; i < skeleton.joint_count; ++i)
	{
		const lrd_joint *joint = &skeleton.joints[i];
		cJSON *row = add_row(joints);
		cli_json_string(row, "name", lrd_skeleton_joint_name(&skeleton, i));
		cli_json_number(row, "parent", joint->parent);
		cli_json_floats(row, "translation", joint->translation, 3);
		cli_json_floats(row, "rotation", joint->rotation, 4);
		cli_json_floats(row, "scale", joint->scale, 3);
	}
	return true;
}

static const char *const paths[] = { "translation", "rotation", "scale", "weights" };
static const char *const interpolations[] = { "linear", "step", "cubic" };

/// Channels by what they move.
static void add_channel_kinds(cJSON *json, const lrd_clip_view *clip)
{
	cJSON *kinds = cJSON_AddArrayToObject(json, "kinds");
	for (uint32_t path = 0; path < sizeof paths / sizeof *paths; ++path)
	{
		uint32_t channels = 0;
		uint32_t constant = 0;
		uint64_t keys = 0;
		for (uint32_t i = 0; i < clip->channel_count; ++i)
		{
			const lrd_clip_channel *channel = &clip->channels[i];
			channels += channel->path == path;
			constant += channel->path == path && channel->key_count == 1;
			keys += channel->path == path ? channel->key_count : 0;
		}
		if (channels != 0)
		{
			cJSON *row = add_row(kinds);
			cli_json_string(row, "path", lrd_string_from(paths[path]));
			cli_json_number(row, "channels", channels);
			cli_json_number(row, "constant", constant);
			cli_json_number(row, "keys", (double)keys);
		}
	}
}

static bool info_clip(cJSON *json, const void *bytes, size_t size, lrd_error *error)
{
	lrd_clip_view clip;
	if (!lrd_clip_open(bytes, size, &clip, error))
	{
		return false;
	}
	cli_json_string(json, "name", clip.name);
	cli_json_float(json, "duration", clip.duration);
	cJSON_AddBoolToObject(json, "uniform", (clip.flags & LRD_CLIP_UNIFORM) != 0);
	cli_json_number(json, "joints", clip.joint_count);
	cli_json_number(json, "time_bytes", (double)clip.time_count * sizeof(float));
	cli_json_number(json, "value_bytes", (double)clip.value_count * sizeof(float));
	add_channel_kinds(json, &clip);
	cJSON *channels = cJSON_AddArrayToObject(json, "channels");
	for (uint32_t i = 0; i < clip.channel_count; ++i)
	{
		const lrd_clip_channel *channel = &clip.channels[i];
		cJSON *row = add_row(channels);
		cli_json_string(row, "target", lrd_clip_target_name(&clip, i));
		cli_json_number(row, "joint", channel->joint);
		cli_json_number(row, "node", channel->node);
		cli_json_number(row, "skeleton", channel->skeleton);
		cli_json_string(row, "path", lrd_string_from(paths[channel->path]));
		cli_json_string(row, "interpolation", lrd_string_from(interpolations[channel->interpolation]));
		cli_json_number(row, "components", channel->components);
		cli_json_number(row, "keys", channel->key_count);
	}
	return true;
}

/// What it holds, and why the cook thinks so.
static bool add_type(cJSON *json, const void *bytes, size_t size, lrd_error *error)
{
	lrd_picture *picture = lrd_picture_open(&(lrd_picture_desc){ .bytes = { bytes, size } }, error);
	if (picture == NULL)
	{
		return false;
	}
	const lrd_picture_info *info = lrd_picture_get_info(picture);
	if (info->holds.size != 0)
	{
		cli_json_string(json, "type", info->holds);
		cli_json_string(json, "type_from", info->holds_from);
	}
	if (info->normals != LRD_NORMALS_NONE)
	{
		cli_json_string(json, "normal_channels", lrd_string_from(lrd_picture_normals_name(info->normals)));
	}
	lrd_picture_close(picture);
	return true;
}

/// What its keys say, where they say something.
static void add_keys(cJSON *json, const lrd_texture_view *texture)
{
	char orientation[4];
	char swizzle[5];
	lrd_texture_orientation(texture, orientation);
	lrd_texture_swizzle(texture, swizzle);
	cli_json_string(json, "orientation", lrd_string_from(orientation));
	cli_json_string(json, "swizzle", lrd_string_from(swizzle));
	lrd_texture_sampling sampling;
	if (lrd_texture_sampler(texture, &sampling))
	{
		cJSON *row = cJSON_AddObjectToObject(json, "sampler");
		cli_json_string(row, "wrap_u", lrd_string_from(wraps[sampling.wrap_u]));
		cli_json_string(row, "wrap_v", lrd_string_from(wraps[sampling.wrap_v]));
		cli_json_string(row, "filter", lrd_string_from(filters[sampling.filter]));
	}
	float cutoff;
	if (lrd_texture_coverage(texture, &cutoff))
	{
		cli_json_float(json, "coverage", cutoff);
	}
	float harmonics[27];
	if (lrd_texture_harmonics(texture, harmonics))
	{
		cli_json_floats(json, "harmonics", harmonics, 27);
	}
}

static void add_levels(cJSON *json, const lrd_texture_view *texture)
{
	cJSON *levels = cJSON_AddArrayToObject(json, "levels");
	for (uint32_t i = 0; i < texture->level_count; ++i)
	{
		const lrd_texture_level *level = &texture->levels[i];
		cJSON *row = add_row(levels);
		cli_json_number(row, "width", lrd_texture_extent(texture->width, i));
		cli_json_number(row, "height", lrd_texture_extent(texture->height, i));
		cli_json_number(row, "offset", (double)level->offset);
		cli_json_number(row, "size", (double)level->size);
		if (texture->supercompression != LRD_SUPERCOMPRESSION_NONE)
		{
			cli_json_number(row, "decoded_size", (double)level->decoded_size);
		}
	}
}

static bool info_texture(cJSON *json, const void *bytes, size_t size, lrd_error *error)
{
	lrd_texture_view texture;
	if (!lrd_texture_open(bytes, size, &texture, error))
	{
		return false;
	}
	cli_json_string(json, "format", lrd_string_from(lrd_texture_format_name(texture.format)));
	cli_json_number(json, "vk_format", texture.format);
	cJSON_AddBoolToObject(json, "srgb", lrd_texture_is_srgb(&texture));
	cli_json_number(json, "width", texture.width);
	cli_json_number(json, "height", texture.height);
	cli_json_number(json, "depth", texture.depth);
	cli_json_number(json, "layers", texture.layer_count);
	cli_json_number(json, "faces", texture.face_count);
	cli_json_string(
		json, "universal", lrd_string_from(lrd_texture_universal_name(lrd_texture_universal_kind(&texture))));
	cli_json_string(json, "supercompression", lrd_string_from(lrd_supercompression_name(texture.supercompression)));
	cJSON_AddBoolToObject(json, "premultiplied", lrd_texture_is_premultiplied(&texture));
	cJSON_AddBoolToObject(json, "generate_mips", texture.generate_mips);
	if (!add_type(json, bytes, size, error))
	{
		return false;
	}
	add_keys(json, &texture);
	add_levels(json, &texture);
	return true;
}

static void add_channels(cJSON *json, uint32_t channels)
{
	char letters[5] = "";
	size_t count = 0;
	for (size_t c = 0; c < 4; ++c)
	{
		if ((channels >> c & 1) != 0)
		{
			letters[count++] = "rgba"[c];
		}
	}
	letters[count] = 0;
	cli_json_string(json, "channels", lrd_string_from(letters));
}

/// Sources, and textures of other programs.
static bool info_image(cJSON *json, lrd_bytes bytes, lrd_error *error)
{
	static const char *const depths[] = { "8", "16", "float" };
	lrd_picture *picture = lrd_picture_open(&(lrd_picture_desc){ .bytes = bytes }, error);
	if (picture == NULL)
	{
		return false;
	}
	const lrd_picture_info *info = lrd_picture_get_info(picture);
	cli_json_string(json, "container", lrd_string_from(lrd_picture_container_name(info->container)));
	cli_json_string(json, "format", lrd_string_from(info->format));
	cli_json_number(json, "width", info->width);
	cli_json_number(json, "height", info->height);
	cli_json_number(json, "depth", info->depth);
	cli_json_number(json, "layers", info->layers);
	cli_json_number(json, "faces", info->faces);
	cli_json_number(json, "levels", info->levels);
	add_channels(json, info->channels);
	cli_json_string(json, "bits", lrd_string_from(depths[info->type]));
	cli_json_string(json, "color_space", info->srgb ? LRD_STR("srgb") : LRD_STR("linear"));
	cJSON_AddBoolToObject(json, "premultiplied", info->premultiplied);
	lrd_picture_close(picture);
	return true;
}

bool cli_info_cooked(cJSON *json, lrd_kind kind, const void *bytes, size_t size, lrd_error *error)
{
	switch (kind)
	{
	case LRD_TEXTURE: return info_texture(json, bytes, size, error);
	case LRD_MESH: return cli_info_mesh(json, bytes, size, error);
	case LRD_MATERIAL: return info_material(json, bytes, size, error);
	case LRD_MODEL: return info_model(json, bytes, size, error);
	case LRD_SKELETON: return info_skeleton(json, bytes, size, error);
	case LRD_CLIP: return info_clip(json, bytes, size, error);
	default:
		if (lrd_picture_container_of((lrd_bytes){ bytes, size }) != LRD_PICTURE_NONE)
		{
			return info_image(json, (lrd_bytes){ bytes, size }, error);
		}
		error->code = LRD_ERROR_UNSUPPORTED;
		snprintf(error->message, sizeof error->message,
			"not a source, a cooked file or a bundle that larder knows, nor an image");
		return false;
	}
}
