// format/model.c: reading .lmodel in place, with every reference from row to row proven, and look-up by name.

#include "format/model.h"

#include "base/maths.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>

// Checks that several blocks share.

/// A row's index into another block. `none`: LRD_NO_INDEX is allowed too.
static bool check_index(const lrd_layout_cursor *cursor, const char *record, uint32_t row, const char *field,
	uint32_t index, uint32_t count, bool none)
{
	if (index < count || (none && index == LRD_NO_INDEX))
	{
		return true;
	}
	return lrd_layout_fail(cursor, "%s %" PRIu32 ": %s: found %" PRIu32 ", there are %" PRIu32 "%s", record, row, field,
		index, count, none ? ", or none (4294967295)" : "");
}

/// Rows' runs in a shared block: none ({0, 0}), or from where the last run ended; `*used` is where that is.
static bool check_run(const lrd_layout_cursor *cursor, const char *record, uint32_t row, const char *block,
	uint32_t offset, uint32_t count, uint32_t block_count, uint32_t *used)
{
	uint32_t start = count > 0 ? *used : 0;
	if (offset != start || count > block_count - *used)
	{
		return lrd_layout_fail(cursor,
			"%s %" PRIu32 ": %" PRIu32 " %s from %" PRIu32 ", allowed are those of %" PRIu32 " from %" PRIu32 " on",
			record, row, count, block, offset, block_count, start);
	}
	*used += count;
	return true;
}

static bool check_used(const lrd_layout_cursor *cursor, const char *block, uint32_t used, uint32_t count)
{
	return used == count ||
		   lrd_layout_fail(cursor, "%s: %" PRIu32 " of %" PRIu32 " are referred to", block, used, count);
}

/// Nodes and actors alike: an earlier parent or none, ten floats from `translation` on.
static bool check_placing(
	const lrd_layout_cursor *cursor, const char *record, uint32_t row, int32_t parent, const float *translation)
{
	if (parent < -1 || (parent >= 0 && (uint32_t)parent >= row))
	{
		return lrd_layout_fail(cursor,
			"%s %" PRIu32 ": parent: found %" PRId32 ", allowed are -1 and the %ss before it", record, row, parent,
			record);
	}
	if (!lrd_all_finite(translation, 10))
	{
		return lrd_layout_fail(cursor, "%s %" PRIu32 ": translation, rotation and scale must be finite", record, row);
	}
	const float *rotation = translation + 3;
	if (!lrd_layout_is_unit(rotation))
	{
		return lrd_layout_fail(cursor, "%s %" PRIu32 ": rotation (%g, %g, %g, %g) is not of unit length", record, row,
			(double)rotation[0], (double)rotation[1], (double)rotation[2], (double)rotation[3]);
	}
	return true;
}

static bool check_reserved(
	const lrd_layout_cursor *cursor, const char *record, uint32_t row, const void *reserved, size_t size)
{
	return lrd_layout_is_zero(reserved, size) ||
		   lrd_layout_fail(cursor, "%s %" PRIu32 ": reserved must be zero", record, row);
}

static bool check_flags(
	const lrd_layout_cursor *cursor, const char *record, uint32_t row, uint32_t flags, uint32_t known)
{
	return (flags & ~known) == 0 ||
		   lrd_layout_fail(cursor, "%s %" PRIu32 ": flags: found 0x%" PRIx32 ", allowed are those of 0x%" PRIx32,
			   record, row, flags, known);
}

/// A stem that must be there.
static bool check_stem(
	const lrd_layout_cursor *cursor, const char *record, uint32_t row, const char *field, lrd_string stem)
{
	char place[64];
	snprintf(place, sizeof place, "%s %" PRIu32 ": %s", record, row, field);
	if (stem.size == 0)
	{
		return lrd_layout_fail(cursor, "%s: empty, a stem is required", place);
	}
	return lrd_layout_check_stem(cursor, place, stem);
}

/// A number from `low` up; +-infinity and what is no number are never.
static bool check_least(
	const lrd_layout_cursor *cursor, const char *record, uint32_t row, const char *field, float value, float low)
{
	if (value >= low && value <= FLT_MAX)
	{
		return true;
	}
	return lrd_layout_fail(cursor, "%s %" PRIu32 ": %s: found %g, it must be finite and %g or more", record, row, field,
		(double)value, (double)low);
}

// Blocks.

static bool check_nodes(const lrd_layout_cursor *cursor, const lrd_model_view *view)
{
	static_assert(
		offsetof(lrd_model_node, reserved) - offsetof(lrd_model_node, translation) == 10 * sizeof(float), "ten floats");
	for (uint32_t i = 0; i < view->node_count; i++)
	{
		const lrd_model_node *node = &view->nodes[i];
		if (!check_placing(cursor, "node", i, node->parent, node->translation) ||
			!check_flags(cursor, "node", i, node->flags, LRD_NODE_ALL_FLAGS) ||
			!check_reserved(cursor, "node", i, node->reserved, sizeof node->reserved))
		{
			return false;
		}
	}
	return true;
}

static bool check_parts(const lrd_layout_cursor *cursor, const lrd_model_view *view)
{
	uint32_t used = 0;
	for (uint32_t i = 0; i < view->part_count; i++)
	{
		const lrd_model_part *part = &view->parts[i];
		if (!check_stem(cursor, "part", i, "mesh", lrd_model_text(view, part->mesh)) ||
			!check_index(cursor, "part", i, "slot", part->slot, view->material_count, true) ||
			!check_index(cursor, "part", i, "node", part->node, view->node_count, true) ||
			!check_index(cursor, "part", i, "skeleton", part->skeleton, view->skeleton_count, true) ||
			!check_flags(cursor, "part", i, part->flags, LRD_PART_ALL_FLAGS) ||
			!check_run(
				cursor, "part", i, "weights", part->weights_offset, part->weight_count, view->weight_count, &used) ||
			!check_reserved(cursor, "part", i, part->reserved, sizeof part->reserved))
		{
			return false;
		}
		bool skinned = (part->flags & LRD_PART_SKINNED) != 0;
		if (skinned != (part->skeleton != LRD_NO_INDEX))
		{
			return lrd_layout_fail(cursor, "part %" PRIu32 ": flags: it is %sskinned, but has %s skeleton", i,
				skinned ? "" : "not ", skinned ? "no" : "a");
		}
	}
	return check_used(cursor, "weights", used, view->weight_count);
}

static bool check_variants(const lrd_layout_cursor *cursor, const lrd_model_view *view)
{
	uint32_t used = 0;
	for (uint32_t i = 0; i < view->variant_count; i++)
	{
		const lrd_model_variant *variant = &view->variants[i];
		if (!check_run(cursor, "variant", i, "choices", variant->choice_offset, variant->choice_count,
				view->choice_count, &used))
		{
			return false;
		}
	}
	if (!check_used(cursor, "choices", used, view->choice_count))
	{
		return false;
	}
	for (uint32_t i = 0; i < view->choice_count; i++)
	{
		const lrd_model_choice *choice = &view->choices[i];
		if (!check_index(cursor, "choice", i, "part", choice->part, view->part_count, false) ||
			!check_index(cursor, "choice", i, "slot", choice->slot, view->material_count, false))
		{
			return false;
		}
	}
	return true;
}

static bool check_lights(const lrd_layout_cursor *cursor, const lrd_model_view *view)
{
	const float most = (float)(LRD_PI / 2);
	for (uint32_t i = 0; i < view->light_count; i++)
	{
		const lrd_model_light *light = &view->lights[i];
		if (!check_index(cursor, "light", i, "node", light->node, view->node_count, false) ||
			!check_index(cursor, "light", i, "type", light->type, LRD_LIGHT_SPOT + 1, false) ||
			!check_least(cursor, "light", i, "color[0]", light->color[0], 0) ||
			!check_least(cursor, "light", i, "color[1]", light->color[1], 0) ||
			!check_least(cursor, "light", i, "color[2]", light->color[2], 0) ||
			!check_least(cursor, "light", i, "intensity", light->intensity, 0) ||
			!check_least(cursor, "light", i, "range", light->range, 0) ||
			!check_reserved(cursor, "light", i, &light->reserved, sizeof light->reserved))
		{
			return false;
		}
		if (!(light->inner_cone >= 0.0f && light->inner_cone <= light->outer_cone && light->outer_cone <= most))
		{
			return lrd_layout_fail(cursor,
				"light %" PRIu32 ": cones %g and %g, allowed are 0 <= inner_cone <= outer_cone <= pi/2", i,
				(double)light->inner_cone, (double)light->outer_cone);
		}
	}
	return true;
}

static bool check_camera(const lrd_layout_cursor *cursor, uint32_t index, const lrd_model_camera *camera)
{
	bool perspective = camera->type == LRD_CAMERA_PERSPECTIVE;
	float most = perspective ? (float)LRD_PI : FLT_MAX;
	if (!(camera->vertical > 0.0f && camera->vertical <= most) || (perspective && camera->vertical >= most))
	{
		return lrd_layout_fail(cursor, "camera %" PRIu32 ": vertical: found %g, it must be more than 0 and %s", index,
			(double)camera->vertical, perspective ? "less than pi" : "finite");
	}
	if (!check_least(cursor, "camera", index, "aspect", camera->aspect, 0) ||
		!check_least(cursor, "camera", index, "near_plane", camera->near_plane, 0) ||
		!check_least(cursor, "camera", index, "far_plane", camera->far_plane, 0))
	{
		return false;
	}
	if ((perspective && camera->near_plane == 0.0f) ||
		(camera->far_plane != 0.0f && camera->far_plane <= camera->near_plane))
	{
		return lrd_layout_fail(cursor,
			"camera %" PRIu32 ": planes %g and %g, the far one must be 0 or past the near one%s", index,
			(double)camera->near_plane, (double)camera->far_plane, perspective ? ", and that past 0" : "");
	}
	return true;
}

static bool check_cameras(const lrd_layout_cursor *cursor, const lrd_model_view *view)
{
	for (uint32_t i = 0; i < view->camera_count; i++)
	{
		const lrd_model_camera *camera = &view->cameras[i];
		if (!check_index(cursor, "camera", i, "node", camera->node, view->node_count, false) ||
			!check_index(cursor, "camera", i, "type", camera->type, LRD_CAMERA_ORTHOGRAPHIC + 1, false) ||
			!check_camera(cursor, i, camera))
		{
			return false;
		}
	}
	return true;
}

static bool check_actors(const lrd_layout_cursor *cursor, const lrd_model_view *view)
{
	static_assert(offsetof(lrd_model_actor, reserved) - offsetof(lrd_model_actor, translation) == 10 * sizeof(float),
		"ten floats");
	for (uint32_t i = 0; i < view->actor_count; i++)
	{
		const lrd_model_actor *actor = &view->actors[i];
		if (!check_placing(cursor, "actor", i, actor->parent, actor->translation) ||
			!check_index(cursor, "actor", i, "part", actor->part, view->part_count, true) ||
			!check_reserved(cursor, "actor", i, actor->reserved, sizeof actor->reserved))
		{
			return false;
		}
	}
	return true;
}

static bool check_skeletons(const lrd_layout_cursor *cursor, const lrd_model_view *view)
{
	uint32_t used = 0;
	for (uint32_t i = 0; i < view->skeleton_count; i++)
	{
		const lrd_model_skeleton *skeleton = &view->skeletons[i];
		if (!check_stem(cursor, "skeleton", i, "stem", lrd_model_text(view, skeleton->stem)) ||
			!check_run(cursor, "skeleton", i, "joint_nodes", skeleton->joint_node_offset, skeleton->joint_count,
				view->joint_node_count, &used))
		{
			return false;
		}
		if (skeleton->joint_count == 0)
		{
			return lrd_layout_fail(cursor, "skeleton %" PRIu32 ": joint_count: found 0, it must be 1 or more", i);
		}
	}
	if (!check_used(cursor, "joint_nodes", used, view->joint_node_count))
	{
		return false;
	}
	for (uint32_t i = 0; i < view->joint_node_count; i++)
	{
		uint32_t node = view->joint_nodes[i];
		if (!check_index(cursor, "joint_nodes", i, "node", node, view->node_count, true))
		{
			return false;
		}
		if (node != LRD_NO_INDEX && (view->nodes[node].flags & LRD_NODE_JOINT) == 0)
		{
			return lrd_layout_fail(
				cursor, "joint_nodes %" PRIu32 ": node %" PRIu32 " is not flagged as a joint", i, node);
		}
	}
	return true;
}

static bool check_stems(const lrd_layout_cursor *cursor, const lrd_model_view *view)
{
	for (uint32_t i = 0; i < view->material_count; i++)
	{
		if (!check_stem(cursor, "material", i, "stem", lrd_model_text(view, view->materials[i].stem)))
		{
			return false;
		}
	}
	for (uint32_t i = 0; i < view->clip_count; i++)
	{
		if (!check_stem(cursor, "clip", i, "stem", lrd_model_text(view, view->clips[i].stem)))
		{
			return false;
		}
	}
	return lrd_layout_check_stem(cursor, "collision", view->collision);
}

// The file.

static bool find_blocks(lrd_layout_cursor *cursor, const lrd_model_header *header, lrd_model_view *view)
{
	const void *nodes, *parts, *materials, *clips, *variants, *choices, *lights, *cameras, *actors, *joint_nodes,
		*skeletons, *weights, *strings;
	if (!lrd_layout_next(cursor, "nodes", header->node_count, sizeof *view->nodes, &nodes) ||
		!lrd_layout_next(cursor, "parts", header->part_count, sizeof *view->parts, &parts) ||
		!lrd_layout_next(cursor, "materials", header->material_count, sizeof *view->materials, &materials) ||
		!lrd_layout_next(cursor, "clips", header->clip_count, sizeof *view->clips, &clips) ||
		!lrd_layout_next(cursor, "variants", header->variant_count, sizeof *view->variants, &variants) ||
		!lrd_layout_next(cursor, "choices", header->choice_count, sizeof *view->choices, &choices) ||
		!lrd_layout_next(cursor, "lights", header->light_count, sizeof *view->lights, &lights) ||
		!lrd_layout_next(cursor, "cameras", header->camera_count, sizeof *view->cameras, &cameras) ||
		!lrd_layout_next(cursor, "actors", header->actor_count, sizeof *view->actors, &actors) ||
		!lrd_layout_next(cursor, "joint_nodes", header->joint_node_count, sizeof *view->joint_nodes, &joint_nodes) ||
		!lrd_layout_next(cursor, "skeletons", header->skeleton_count, sizeof *view->skeletons, &skeletons) ||
		!lrd_layout_next(cursor, "weights", header->weight_count, sizeof *view->weights, &weights) ||
		!lrd_layout_next(cursor, "strings", header->string_size, 1, &strings))
	{
		return false;
	}
	*view = (lrd_model_view){ header->bounds, nodes, header->node_count, parts, header->part_count, materials,
		header->material_count, clips, header->clip_count, variants, header->variant_count, choices,
		header->choice_count, lights, header->light_count, cameras, header->camera_count, actors, header->actor_count,
		joint_nodes, header->joint_node_count, skeletons, header->skeleton_count, weights, header->weight_count, { 0 },
		{ strings, header->string_size } };
	return lrd_layout_end(cursor);
}

static bool check_strings(const lrd_layout_cursor *cursor, const lrd_model_header *header, lrd_model_view *view)
{
	const lrd_layout_references references[] = {
		LRD_LAYOUT_TEXTS(NULL, "collision", header, 1, lrd_model_header, collision),
		LRD_LAYOUT_TEXT("node", "name", view->nodes, view->node_count, lrd_model_node, name),
		LRD_LAYOUT_TEXT("part", "name", view->parts, view->part_count, lrd_model_part, name),
		LRD_LAYOUT_TEXT("part", "mesh", view->parts, view->part_count, lrd_model_part, mesh),
		LRD_LAYOUT_TEXT("material", "name", view->materials, view->material_count, lrd_model_material, name),
		LRD_LAYOUT_TEXT("material", "stem", view->materials, view->material_count, lrd_model_material, stem),
		LRD_LAYOUT_TEXT("clip", "name", view->clips, view->clip_count, lrd_model_clip, name),
		LRD_LAYOUT_TEXT("clip", "stem", view->clips, view->clip_count, lrd_model_clip, stem),
		LRD_LAYOUT_TEXT("variant", "name", view->variants, view->variant_count, lrd_model_variant, name),
		LRD_LAYOUT_TEXT("light", "name", view->lights, view->light_count, lrd_model_light, name),
		LRD_LAYOUT_TEXT("camera", "name", view->cameras, view->camera_count, lrd_model_camera, name),
		LRD_LAYOUT_TEXT("actor", "name", view->actors, view->actor_count, lrd_model_actor, name),
		LRD_LAYOUT_TEXT("skeleton", "stem", view->skeletons, view->skeleton_count, lrd_model_skeleton, stem),
	};
	if (!lrd_layout_check_texts(cursor, view->strings, references, sizeof references / sizeof *references))
	{
		return false;
	}
	view->collision = lrd_layout_text(view->strings, header->collision_offset, header->collision_size);
	return true;
}

bool lrd_model_open(const void *bytes, size_t size, lrd_model_view *view, lrd_error *error)
{
	lrd_layout_cursor cursor;
	if (!lrd_layout_open(
			&cursor, "lmodel", LRD_MODEL_MAGIC, LRD_MODEL_VERSION, sizeof(lrd_model_header), bytes, size, error))
	{
		return false;
	}
	const lrd_model_header *header = bytes;
	if (!lrd_layout_is_zero(header->reserved, sizeof header->reserved))
	{
		return lrd_layout_fail(&cursor, "reserved must be zero");
	}
	lrd_model_view found;
	if (!lrd_layout_check_bounds(&cursor, &header->bounds) || !find_blocks(&cursor, header, &found) ||
		!check_strings(&cursor, header, &found) || !check_stems(&cursor, &found) || !check_nodes(&cursor, &found) ||
		!check_parts(&cursor, &found) || !check_variants(&cursor, &found) || !check_lights(&cursor, &found) ||
		!check_cameras(&cursor, &found) || !check_actors(&cursor, &found) || !check_skeletons(&cursor, &found))
	{
		return false;
	}
	if (!lrd_all_finite(found.weights, found.weight_count))
	{
		return lrd_layout_fail(&cursor, "weights: every number must be finite");
	}
	*view = found;
	return true;
}

// Look-up.

lrd_string lrd_model_text(const lrd_model_view *view, lrd_text text)
{
	if ((uint64_t)text.offset + text.size > view->strings.size)
	{
		return (lrd_string){ NULL, 0 };
	}
	return lrd_layout_text(view->strings, text.offset, text.size);
}

/// Every record with a name starts with it.
static uint32_t find_name(
	const lrd_model_view *view, lrd_string name, const void *records, uint32_t count, size_t stride)
{
	for (uint32_t i = 0; i < count; i++)
	{
		const lrd_text *text = (const lrd_text *)((const char *)records + i * stride);
		if (text->size == name.size && lrd_string_equal(lrd_model_text(view, *text), name))
		{
			return i;
		}
	}
	return LRD_NO_INDEX;
}

uint32_t lrd_model_find_part(const lrd_model_view *view, lrd_string name)
{
	return find_name(view, name, view->parts, view->part_count, sizeof *view->parts);
}

uint32_t lrd_model_find_node(const lrd_model_view *view, lrd_string name)
{
	return find_name(view, name, view->nodes, view->node_count, sizeof *view->nodes);
}

uint32_t lrd_model_find_material(const lrd_model_view *view, lrd_string name)
{
	return find_name(view, name, view->materials, view->material_count, sizeof *view->materials);
}

uint32_t lrd_model_find_clip(const lrd_model_view *view, lrd_string name)
{
	return find_name(view, name, view->clips, view->clip_count, sizeof *view->clips);
}

uint32_t lrd_model_find_variant(const lrd_model_view *view, lrd_string name)
{
	return find_name(view, name, view->variants, view->variant_count, sizeof *view->variants);
}

uint32_t lrd_model_find_light(const lrd_model_view *view, lrd_string name)
{
	return find_name(view, name, view->lights, view->light_count, sizeof *view->lights);
}

uint32_t lrd_model_find_camera(const lrd_model_view *view, lrd_string name)
{
	return find_name(view, name, view->cameras, view->camera_count, sizeof *view->cameras);
}
