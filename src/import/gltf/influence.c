// import/gltf/influence.c: joints and weights: up to eight of a vertex come in, the strongest four go out and add up to
// 1. Section 3.7.3.3.

#include "import/gltf/gltf.h"

#include <math.h>

#define SETS 2u
#define KEPT 4u
#define MOST (SETS * KEPT)

// How far a sum of weights may be from 1 without being told of; and from where on it is divided out.
#define SUM_TOLERANCE 1e-3f
#define SUM_ROUNDING 1e-6f

static const lrd_gltf_rule joints_rule = { LRD_GLTF_VEC4,
	LRD_GLTF_FORMAT(LRD_GLTF_U8, false) | LRD_GLTF_FORMAT(LRD_GLTF_U16, false), 0 };
static const lrd_gltf_rule weights_rule = { LRD_GLTF_VEC4,
	LRD_GLTF_FORMAT(LRD_GLTF_F32, false) | LRD_GLTF_FORMAT(LRD_GLTF_U8, true) | LRD_GLTF_FORMAT(LRD_GLTF_U16, true),
	0 };

// The sets of a primitive; accessors are NULL where it has none.
typedef struct influence_sets
{
	lrd_gltf_accessor *joints[SETS];
	lrd_gltf_accessor *weights[SETS];
	uint32_t count;
} influence_sets;

typedef struct influence
{
	uint32_t joint;
	float weight;
} influence;

// Strongest first, stable, so that equal ones keep their order.
static void sort(influence *all, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
	{
		influence moved = all[i];
		uint32_t j = i;
		for (; j > 0 && all[j - 1].weight < moved.weight; j--)
		{
			all[j] = all[j - 1];
		}
		all[j] = moved;
	}
}

// One vertex: `all` holds `count` influences. Joints without weight become 0, as section 3.7.3.3 asks.
static void merge(
	influence *all, uint32_t count, uint32_t vertex, lrd_gltf_influences *out, uint16_t *joints, float *weights)
{
	bool repaired = false;
	for (uint32_t i = 0; i < count; i++)
	{
		if (!(all[i].weight >= 0.0f) || !isfinite(all[i].weight))
		{
			all[i].weight = 0.0f;
			repaired = true;
		}
	}
	if (count > KEPT)
	{
		sort(all, count);
		out->dropped += all[KEPT].weight > 0.0f;
	}
	float whole = 0.0f, sum = 0.0f;
	for (uint32_t i = 0; i < count; i++)
	{
		whole += all[i].weight;
		sum += i < KEPT ? all[i].weight : 0.0f;
	}
	if (!(sum > 0.0f) || !isfinite(sum))
	{
		out->unweighted++;
		all[0].weight = 1.0f; // the first joint it names, wholly
		for (uint32_t i = 1; i < count; i++)
		{
			all[i].weight = 0.0f;
		}
		sum = 1.0f;
		whole = 1.0f;
		repaired = false;
	}
	out->renormalised += repaired || fabsf(whole - 1.0f) > SUM_TOLERANCE;
	bool divide = fabsf(sum - 1.0f) > SUM_ROUNDING;
	for (uint32_t i = 0; i < KEPT; i++)
	{
		weights[i] = divide ? all[i].weight / sum : all[i].weight;
		uint32_t joint = weights[i] > 0.0f ? all[i].joint : 0;
		joints[i] = (uint16_t)joint;
		out->highest_at = joint > out->highest ? vertex : out->highest_at;
		out->highest = joint > out->highest ? joint : out->highest;
	}
}

// What the two sets hold, decoded for the time of merging.
typedef struct influence_source
{
	uint32_t *joints[SETS];
	const float *weights[SETS];
} influence_source;

static void merge_all(const influence_source *source, uint32_t sets, uint32_t count, lrd_gltf_influences *out,
	uint16_t *joints, float *weights)
{
	for (uint32_t v = 0; v < count; v++)
	{
		influence all[MOST];
		for (uint32_t i = 0; i < sets * KEPT; i++)
		{
			size_t at = (size_t)v * KEPT + i % KEPT;
			all[i] = (influence){ source->joints[i / KEPT][at], source->weights[i / KEPT][at] };
		}
		merge(all, sets * KEPT, v, out, joints + (size_t)v * KEPT, weights + (size_t)v * KEPT);
	}
}

static bool decode_sets(
	lrd_gltf_primitive *primitive, const influence_sets *sets, influence_source *source, uint32_t *room)
{
	lrd_gltf *gltf = primitive->gltf;
	size_t count = (size_t)primitive->out->vertex_count * KEPT;
	for (uint32_t set = 0; set < sets->count; set++)
	{
		source->joints[set] = room + set * 2 * count;
		float *weights = (float *)(void *)(source->joints[set] + count);
		source->weights[set] = weights;
		if (!lrd_gltf_decode_u32(gltf, primitive->label, sets->joints[set], source->joints[set]) ||
			!lrd_gltf_decode_floats(gltf, primitive->label, sets->weights[set], weights))
		{
			return false;
		}
	}
	return true;
}

static bool make(lrd_gltf_primitive *primitive, const influence_sets *sets, lrd_gltf_influences *out)
{
	lrd_gltf *gltf = primitive->gltf;
	uint32_t count = primitive->out->vertex_count;
	if (!lrd_gltf_charge(gltf, count, KEPT * (sizeof(uint16_t) + sizeof(float)), primitive->label))
	{
		return false;
	}
	size_t size = (size_t)count * KEPT * 2 * sets->count * sizeof(uint32_t);
	uint32_t *room = lrd_alloc(gltf->import->allocator, size);
	if (room == NULL)
	{
		return lrd_fail_memory(gltf->error, "joints and weights", size);
	}
	uint16_t *joints = LRD_IMPORT_ROOM(gltf->import, uint16_t, (size_t)count * KEPT, "joints");
	float *weights = LRD_IMPORT_ROOM(gltf->import, float, (size_t)count *KEPT, "weights");
	influence_source source = { { NULL, NULL }, { NULL, NULL } };
	bool ok = joints != NULL && weights != NULL && decode_sets(primitive, sets, &source, room);
	if (ok)
	{
		merge_all(&source, sets->count, count, out, joints, weights);
		out->joints = joints;
		out->values = weights;
	}
	lrd_free(gltf->import->allocator, room, size);
	return ok;
}

// Merged once for the accessors they come from; the last merge of a JOINTS_0 is remembered.
static bool find_or_make(lrd_gltf_primitive *primitive, const influence_sets *sets, lrd_gltf_influences **found)
{
	lrd_gltf *gltf = primitive->gltf;
	lrd_gltf_accessor *owner = sets->joints[0];
	lrd_gltf_influences wanted = { .weights = { sets->weights[0], sets->weights[1] }, .joints_1 = sets->joints[1] };
	lrd_gltf_influences *known = owner->influences;
	if (known != NULL && known->weights[0] == wanted.weights[0] && known->weights[1] == wanted.weights[1] &&
		known->joints_1 == wanted.joints_1)
	{
		*found = known;
		return true;
	}
	lrd_gltf_influences *made = LRD_IMPORT_SCRATCH(gltf->import, lrd_gltf_influences, 1, "joints and weights");
	if (made == NULL)
	{
		return false;
	}
	*made = wanted;
	*found = made;
	owner->influences = made;
	return make(primitive, sets, made);
}

static bool warn_repairs(lrd_gltf_primitive *primitive, const lrd_gltf_influences *merged)
{
	lrd_import *import = primitive->gltf->import;
	return (merged->renormalised == 0 ||
			   lrd_import_warn(import, "weights-renormalised", merged->renormalised,
				   "%s: weights of vertices that do not add up to 1 were made to", primitive->label)) &&
		   (merged->dropped == 0 || lrd_import_warn(import, "influences-dropped", merged->dropped,
										"%s: of vertices with more than %u influences the strongest %u were kept",
										primitive->label, KEPT, KEPT)) &&
		   (merged->unweighted == 0 ||
			   lrd_import_warn(import, "weights-missing", merged->unweighted,
				   "%s: vertices without any weight follow the first joint they name", primitive->label));
}

static bool find_sets(lrd_gltf_primitive *primitive, influence_sets *sets)
{
	static const char *const joint_names[SETS] = { "JOINTS_0", "JOINTS_1" };
	static const char *const weight_names[SETS] = { "WEIGHTS_0", "WEIGHTS_1" };
	for (uint32_t set = 0; set < SETS; set++)
	{
		if (!lrd_gltf_attribute(
				primitive, &primitive->attributes, joint_names[set], &joints_rule, &sets->joints[set]) ||
			!lrd_gltf_attribute(
				primitive, &primitive->attributes, weight_names[set], &weights_rule, &sets->weights[set]))
		{
			return false;
		}
		bool paired = (sets->joints[set] != NULL) == (sets->weights[set] != NULL);
		if (!paired && !lrd_import_warn(primitive->gltf->import, "joints-unpaired", 1, "%s: it has %s alone; ignored",
						   primitive->label, sets->joints[set] != NULL ? joint_names[set] : weight_names[set]))
		{
			return false;
		}
		bool whole = sets->count == set && sets->joints[set] != NULL && sets->weights[set] != NULL;
		sets->count += whole;
		sets->joints[set] = whole ? sets->joints[set] : NULL;
		sets->weights[set] = whole ? sets->weights[set] : NULL;
	}
	return true;
}

bool lrd_gltf_read_influences(lrd_gltf_primitive *primitive)
{
	influence_sets sets = { .count = 0 };
	if (!find_sets(primitive, &sets))
	{
		return false;
	}
	if (sets.count == 0)
	{
		return true;
	}
	lrd_gltf_influences *merged = NULL;
	if (!find_or_make(primitive, &sets, &merged))
	{
		return false;
	}
	primitive->out->joints = merged->joints;
	primitive->out->weights = merged->values;
	lrd_gltf_mesh *mesh = primitive->mesh;
	if (!mesh->skinned || merged->highest > mesh->highest_joint)
	{
		mesh->highest_joint = merged->highest;
		mesh->highest_primitive = primitive->index;
		mesh->highest_vertex = merged->highest_at;
	}
	mesh->skinned = true;
	return warn_repairs(primitive, merged);
}
