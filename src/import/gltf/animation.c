// import/gltf/animation.c: animations: samplers and channels become channels with times and values. Sections 3.11 and
// 5.5 to 5.9. Channels of one input share its times; channels of one output share its values.

#include "import/gltf/gltf.h"

#include "base/hash.h"
#include "base/maths.h"
#include "base/path.h"

#include <stdio.h>

#define FORMAT(component, normalized) LRD_GLTF_FORMAT(LRD_GLTF_##component, normalized)
#define PLAIN_FLOAT FORMAT(F32, false)
#define NORMALIZED (FORMAT(I8, true) | FORMAT(U8, true) | FORMAT(I16, true) | FORMAT(U16, true))

typedef struct sampler
{
	uint32_t input;
	uint32_t output;
	lrd_interpolation interpolation;
} sampler;

// A channel being read.
typedef struct channel_reader
{
	lrd_gltf *gltf;
	const lrd_json *at;
	const sampler *samplers;
	uint32_t sampler_count;
	lrd_document_channel *out;
	const char *animation; // label
	char label[320];       // `animation "Walk", node "Hip", rotation`
} channel_reader;

static const struct
{
	const char *name;
	lrd_gltf_type type;
	uint32_t formats;
	uint32_t components;
} path_infos[] = {
	[LRD_PATH_TRANSLATION] = { "translation", LRD_GLTF_VEC3, PLAIN_FLOAT, 3 },
	[LRD_PATH_ROTATION] = { "rotation", LRD_GLTF_VEC4, PLAIN_FLOAT | NORMALIZED, 4 },
	[LRD_PATH_SCALE] = { "scale", LRD_GLTF_VEC3, PLAIN_FLOAT, 3 },
	[LRD_PATH_WEIGHTS] = { "weights", LRD_GLTF_SCALAR, PLAIN_FLOAT | NORMALIZED, 0 },
};

static bool read_sampler(lrd_gltf *gltf, const lrd_json *at, const char *label, sampler *out)
{
	lrd_string name = LRD_STR("LINEAR");
	*out = (sampler){ LRD_NO_INDEX, LRD_NO_INDEX, LRD_INTERPOLATION_LINEAR };
	if (!lrd_json_is_object(at, gltf->error) ||
		!lrd_gltf_get_index(gltf, at, "input", LRD_GLTF_ACCESSORS, &out->input) ||
		!lrd_gltf_get_index(gltf, at, "output", LRD_GLTF_ACCESSORS, &out->output) ||
		!lrd_json_get_text(at, "interpolation", &name, gltf->error))
	{
		return false;
	}
	if (out->input == LRD_NO_INDEX || out->output == LRD_NO_INDEX)
	{
		lrd_json missing = lrd_json_member(at, out->input == LRD_NO_INDEX ? "input" : "output");
		return lrd_json_missing(&missing, gltf->error);
	}
	if (lrd_string_equal(name, LRD_STR("STEP")))
	{
		out->interpolation = LRD_INTERPOLATION_STEP;
	}
	else if (lrd_string_equal(name, LRD_STR("CUBICSPLINE")))
	{
		out->interpolation = LRD_INTERPOLATION_CUBIC;
	}
	else if (!lrd_string_equal(name, LRD_STR("LINEAR")))
	{
		return lrd_import_warn(gltf->import, "interpolation", 1,
			"%s: the interpolation of sampler %u is unknown; taken as LINEAR", label, at->index);
	}
	return true;
}

static bool drop(channel_reader *reader, const char *kind, const char *why, bool *kept)
{
	*kept = false;
	return lrd_import_warn(reader->gltf->import, kind, 1, "%s: %s; the channel is left out", reader->label, why);
}

static bool find_path(lrd_string name, lrd_clip_path *path)
{
	for (int i = LRD_PATH_TRANSLATION; i <= LRD_PATH_WEIGHTS; i++)
	{
		if (lrd_string_equal(name, lrd_string_from(path_infos[i].name)))
		{
			*path = (lrd_clip_path)i;
			return true;
		}
	}
	return false;
}

// Node and path. `kept` becomes false where there is nothing that a clip could move.
static bool read_target(channel_reader *reader, bool *kept)
{
	lrd_gltf *gltf = reader->gltf;
	lrd_document_channel *out = reader->out;
	lrd_json target = lrd_json_member(reader->at, "target");
	lrd_string path = { NULL, 0 };
	out->node = LRD_NO_INDEX;
	if (!lrd_json_is_object(&target, gltf->error) ||
		!lrd_gltf_get_index(gltf, &target, "node", LRD_GLTF_NODES, &out->node) ||
		!lrd_json_get_text(&target, "path", &path, gltf->error))
	{
		return false;
	}
	(void)snprintf(reader->label, sizeof reader->label, "%s, channel %u", reader->animation, reader->at->index);
	if (lrd_string_equal(path, LRD_STR("pointer")))
	{
		return drop(reader, "animation-pointer", "KHR_animation_pointer can't be represented", kept);
	}
	if (!find_path(path, &out->path))
	{
		return drop(reader, "channel-path", "its path is unknown", kept);
	}
	if (out->node == LRD_NO_INDEX)
	{
		return drop(reader, "channel-without-node", "it has no node to move", kept);
	}
	const lrd_document_node *node = &gltf->document->nodes[out->node];
	(void)snprintf(reader->label, sizeof reader->label, "%s, %s, %s", reader->animation,
		lrd_gltf_name("node", out->node, node->name).text, path_infos[out->path].name);
	out->components = path_infos[out->path].components;
	if (out->path == LRD_PATH_WEIGHTS)
	{
		out->components = node->mesh != LRD_NO_INDEX ? gltf->document->meshes[node->mesh].morph_count : 0;
		return out->components != 0 || drop(reader, "channel-without-morphs", "the node has no morph targets", kept);
	}
	return !node->has_matrix ||
		   lrd_import_warn(gltf->import, "matrix-animated", 1,
			   "%s: the node has a matrix; it is moved as its translation, rotation and scale", reader->label);
}

// Once for each input, however many channels share it.
static bool warn_times(channel_reader *reader, uint32_t input, lrd_gltf_times *times)
{
	lrd_import *import = reader->gltf->import;
	if (times->told)
	{
		return true;
	}
	times->told = true;
	return (times->nudged == 0 ||
			   lrd_import_warn(import, "times-equal", times->nudged,
				   "%s: input accessor %u: of keys at one time the last holds; the first was put just before it",
				   reader->animation, input)) &&
		   (times->removed == 0 ||
			   lrd_import_warn(import, "times-descending", times->removed,
				   "%s: input accessor %u: keys that go back in time, or are not finite, were dropped",
				   reader->animation, input)) &&
		   (!times->negative || lrd_import_warn(import, "times-negative", 1, "%s: input accessor %u begins before 0",
									reader->animation, input));
}

static bool read_times(channel_reader *reader, uint32_t input, const lrd_gltf_times **times, bool *kept)
{
	lrd_gltf *gltf = reader->gltf;
	lrd_gltf_accessor *accessor = &gltf->accessors[input];
	if (accessor->type != LRD_GLTF_SCALAR || accessor->component != LRD_GLTF_F32)
	{
		return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: the input of its sampler can't be %s of %s", reader->label,
			lrd_gltf_type_name(accessor->type), lrd_gltf_component_name(accessor->component));
	}
	if (!lrd_gltf_times_of(gltf, reader->label, accessor, times))
	{
		return false;
	}
	return warn_times(reader, input, &accessor->times) &&
		   (accessor->times.count != 0 || drop(reader, "channel-empty", "it has no key left", kept));
}
// `elements` of the accessor make a key.
static bool check_output(channel_reader *reader, const lrd_gltf_accessor *accessor, uint32_t keys, uint32_t elements)
{
	lrd_gltf *gltf = reader->gltf;
	lrd_clip_path path = reader->out->path;
	uint32_t format = LRD_GLTF_FORMAT(accessor->component, accessor->normalized);
	if (accessor->type != path_infos[path].type || (path_infos[path].formats & format) == 0)
	{
		return lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: the output of its sampler can't be %s of %s%s",
			reader->label, lrd_gltf_type_name(accessor->type), accessor->normalized ? "normalized " : "",
			lrd_gltf_component_name(accessor->component));
	}
	uint64_t expected = (uint64_t)keys * elements;
	return accessor->count == expected ||
		   lrd_fail(gltf->error, LRD_ERROR_FORMAT, "%s: its output has %u elements, its %u keys need %llu",
			   reader->label, accessor->count, keys, (unsigned long long)expected);
}

// Rotations are made unit length key by key; the tangents of cubic ones are no rotations, and their values are
// normalized when sampled.
static bool repair_values(channel_reader *reader, float *values, uint32_t keys)
{
	lrd_document_channel *out = reader->out;
	if (out->path != LRD_PATH_ROTATION)
	{
		return true;
	}
	lrd_import *import = reader->gltf->import;
	bool cubic = out->interpolation == LRD_INTERPOLATION_CUBIC;
	uint32_t replaced = lrd_gltf_replace_null_quaternions(values, keys, cubic ? 12 : 4);
	uint32_t repaired = cubic ? 0 : lrd_gltf_repair_quaternions(values, keys, 4);
	return (replaced == 0 || lrd_import_warn(import, "quaternions-null", replaced,
								 "%s: keys of length zero took the rotation before them", reader->label)) &&
		   (repaired == 0 || lrd_import_warn(import, "quaternions-normalised", repaired,
								 "%s: keys were not of unit length", reader->label));
}

static float *decode_values(
	channel_reader *reader, lrd_gltf_accessor *accessor, const lrd_gltf_times *times, size_t stride)
{
	lrd_gltf *gltf = reader->gltf;
	size_t floats = (size_t)accessor->count * accessor->components;
	float *values = LRD_IMPORT_ROOM(gltf->import, float, floats, "animation values");
	if (values == NULL || !lrd_gltf_decode_floats(gltf, reader->label, accessor, values))
	{
		return NULL;
	}
	for (uint32_t i = 0; times->kept != NULL && i < times->count; i++)
	{
		memmove(values + i * stride, values + times->kept[i] * stride, stride * sizeof(float));
	}
	return values;
}

static bool read_values(channel_reader *reader, const sampler *from, const lrd_gltf_times *times, bool *kept)
{
	lrd_gltf *gltf = reader->gltf;
	lrd_document_channel *out = reader->out;
	bool cubic = from->interpolation == LRD_INTERPOLATION_CUBIC;
	uint32_t elements = (cubic ? 3 : 1) * (out->path == LRD_PATH_WEIGHTS ? out->components : 1);
	lrd_gltf_accessor *accessor = &gltf->accessors[from->output];
	if (!check_output(reader, accessor, gltf->accessors[from->input].count, elements))
	{
		return false;
	}
	out->interpolation = from->interpolation;
	out->times = times->seconds;
	out->key_count = times->count;
	bool shared = times->kept == NULL;
	// Shared values, too, become those of a clip each time.
	if (!lrd_gltf_charge(gltf, (size_t)accessor->count * accessor->components, sizeof(float), reader->label))
	{
		return false;
	}
	if (shared && accessor->outputs[cubic] != NULL)
	{
		out->values = accessor->outputs[cubic];
		return true;
	}
	size_t stride = (size_t)out->components * (cubic ? 3 : 1);
	float *values = decode_values(reader, accessor, times, stride);
	if (values == NULL)
	{
		return false;
	}
	if (!lrd_all_finite(values, times->count * stride))
	{
		return drop(reader, "channel-not-finite", "a value is not finite", kept);
	}
	out->values = values;
	accessor->outputs[cubic] = shared ? values : accessor->outputs[cubic];
	return repair_values(reader, values, times->count);
}

static bool read_channel(channel_reader *reader, bool *kept)
{
	lrd_gltf *gltf = reader->gltf;
	uint32_t index = LRD_NO_INDEX;
	const lrd_gltf_times *times = NULL;
	*kept = true;
	if (!lrd_json_is_object(reader->at, gltf->error) || !read_target(reader, kept))
	{
		return false;
	}
	if (!lrd_json_get_index(reader->at, "sampler", reader->sampler_count, "sampler", &index, gltf->error))
	{
		return false;
	}
	if (index == LRD_NO_INDEX)
	{
		lrd_json missing = lrd_json_member(reader->at, "sampler");
		return lrd_json_missing(&missing, gltf->error);
	}
	if (!*kept)
	{
		return true;
	}
	const sampler *from = &reader->samplers[index];
	return read_times(reader, from->input, &times, kept) && (!*kept || read_values(reader, from, times, kept));
}

// Section 3.11: one channel for each node and path; the first of several is kept.
static bool is_duplicate(const lrd_import_table *table, const lrd_document_channel *channels,
	const lrd_document_channel *channel, uint64_t hash)
{
	size_t cursor = SIZE_MAX;
	for (uint32_t row = lrd_import_table_next(table, hash, &cursor); row != UINT32_MAX;
		 row = lrd_import_table_next(table, hash, &cursor))
	{
		if (channels[row].node == channel->node && channels[row].path == channel->path)
		{
			return true;
		}
	}
	return false;
}

static uint64_t target_hash(const lrd_document_channel *channel)
{
	uint32_t key[2] = { channel->node, (uint32_t)channel->path };
	return lrd_fnv1a_64((lrd_string){ (const char *)key, sizeof key });
}

static bool read_channels(
	channel_reader *reader, const lrd_json *list, lrd_document_channel *channels, lrd_document_animation *animation)
{
	lrd_import_table table = { .allocator = reader->gltf->import->allocator };
	bool ok = true;
	for (lrd_json item = lrd_json_first(list); ok && item.value != NULL; item = lrd_json_next(&item))
	{
		bool kept = false;
		reader->at = &item;
		reader->out = &channels[animation->channel_count];
		*reader->out = (lrd_document_channel){ .node = LRD_NO_INDEX };
		ok = read_channel(reader, &kept);
		if (!ok || !kept)
		{
			continue;
		}
		uint64_t hash = target_hash(reader->out);
		if (is_duplicate(&table, channels, reader->out, hash))
		{
			ok = drop(reader, "channel-duplicate", "an earlier channel moves the same", &kept);
			continue;
		}
		ok = lrd_import_table_add(&table, hash, animation->channel_count) ||
			 lrd_fail_memory(reader->gltf->error, "channels", 0);
		animation->channel_count += ok;
	}
	lrd_import_table_free(&table);
	return ok;
}

static bool read_animation(lrd_gltf *gltf, const lrd_json *at, lrd_document_animation *animation)
{
	lrd_json sampler_list = lrd_json_member(at, "samplers");
	lrd_json channel_list = lrd_json_member(at, "channels");
	if (!lrd_gltf_get_name(gltf, at, &animation->name) || !lrd_json_is_array(&sampler_list, gltf->error) ||
		!lrd_json_is_array(&channel_list, gltf->error))
	{
		return false;
	}
	lrd_gltf_label label = lrd_gltf_name("animation", at->index, animation->name);
	channel_reader reader = { .gltf = gltf, .sampler_count = lrd_json_length(&sampler_list), .animation = label.text };
	sampler *samplers = LRD_IMPORT_SCRATCH(gltf->import, sampler, reader.sampler_count, "samplers");
	lrd_document_channel *channels =
		LRD_IMPORT_NEW(gltf->import, lrd_document_channel, lrd_json_length(&channel_list), "channels");
	if (samplers == NULL || channels == NULL)
	{
		return false;
	}
	for (lrd_json item = lrd_json_first(&sampler_list); item.value != NULL; item = lrd_json_next(&item))
	{
		if (!read_sampler(gltf, &item, label.text, &samplers[item.index]))
		{
			return false;
		}
	}
	reader.samplers = samplers;
	animation->channels = channels;
	return read_channels(&reader, &channel_list, channels, animation);
}

bool lrd_gltf_read_animations(lrd_gltf *gltf)
{
	const lrd_gltf_list *list = &gltf->lists[LRD_GLTF_ANIMATIONS];
	lrd_document_animation *animations =
		LRD_IMPORT_NEW(gltf->import, lrd_document_animation, list->count, "animations");
	if (animations == NULL)
	{
		return false;
	}
	for (lrd_json at = lrd_json_first(&list->array); at.value != NULL; at = lrd_json_next(&at))
	{
		if (!read_animation(gltf, &at, &animations[at.index]))
		{
			return false;
		}
	}
	gltf->document->animations = animations;
	gltf->document->animation_count = list->count;
	return true;
}
