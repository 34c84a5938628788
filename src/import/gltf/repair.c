// import/gltf/repair.c: data that break a rule but can be read: found, put right, and told. What can't be put right is
// an error where it is used.

#include "base/maths.h"
#include "import/gltf/gltf.h"

// How far from 1 a quaternion's length may be before it counts as a repair: what 8-bit components make of a unit
// quaternion.
#define UNIT_TOLERANCE 0.0077f

// A quaternion whose largest component is no more says nothing.
#define NULL_QUATERNION 1e-12f

// How far before a key another one is put that had its time, seconds.
#define KEY_NUDGE 1e-6f

// Section 3.6.2.5: min and max are of the components as stored; the floats here are normalized.
static float as_decoded(const lrd_gltf_accessor *accessor, double declared)
{
	float value = (float)declared;
	if (!accessor->normalized)
	{
		return value;
	}
	switch (accessor->component)
	{
	case LRD_GLTF_I8: return value / 127.0f < -1.0f ? -1.0f : value / 127.0f;
	case LRD_GLTF_U8: return value / 255.0f;
	case LRD_GLTF_I16: return value / 32767.0f < -1.0f ? -1.0f : value / 32767.0f;
	case LRD_GLTF_U16: return value / 65535.0f;
	default: return value;
	}
}

#define MAX_COMPONENTS 16

static void extremes(const float *floats, uint32_t count, uint32_t components, float *low, float *high)
{
	for (uint32_t c = 0; c < components; c++)
	{
		low[c] = floats[c];
		high[c] = floats[c];
	}
	for (uint32_t i = 1; i < count; i++)
	{
		floats += components;
		for (uint32_t c = 0; c < components; c++)
		{
			low[c] = floats[c] < low[c] ? floats[c] : low[c];
			high[c] = floats[c] > high[c] ? floats[c] : high[c];
		}
	}
}

static bool compare(lrd_gltf *gltf, lrd_gltf_accessor *accessor, const char *key, const float *found)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(accessor->json, key);
	const cJSON *item = cJSON_IsArray(list) ? list->child : NULL;
	uint32_t index = (uint32_t)(accessor - gltf->accessors);
	for (uint32_t c = 0; c < accessor->components; c++, item = item->next)
	{
		if (!cJSON_IsNumber(item))
		{
			return lrd_import_warn(gltf->import, "accessor-bounds", 1, "accessor %u: its %s has fewer than %u numbers",
				index, key, accessor->components);
		}
		float declared = as_decoded(accessor, item->valuedouble);
		if (declared != found[c])
		{
			return lrd_import_warn(gltf->import, "accessor-bounds", 1,
				"accessor %u: its %s says %.9g, the data say %.9g (component %u); the data count", index, key,
				(double)declared, (double)found[c], c);
		}
	}
	return true;
}

bool lrd_gltf_check_bounds(lrd_gltf *gltf, lrd_gltf_accessor *accessor, const float *floats)
{
	if (!accessor->has_min && !accessor->has_max)
	{
		return true;
	}
	float low[MAX_COMPONENTS], high[MAX_COMPONENTS];
	extremes(floats, accessor->count, accessor->components, low, high);
	return (!accessor->has_min || compare(gltf, accessor, "min", low)) &&
		   (!accessor->has_max || compare(gltf, accessor, "max", high));
}

bool lrd_gltf_repair_finite(lrd_gltf *gltf, const char *label, const char *what, lrd_gltf_accessor *accessor)
{
	if (accessor->first_bad == LRD_NO_INDEX)
	{
		return true;
	}
	float *floats = (float *)(uintptr_t)accessor->floats; // ours: nobody else has seen them yet
	size_t count = (size_t)accessor->count * accessor->components;
	uint32_t zeroed = 0;
	for (size_t i = (size_t)accessor->first_bad * accessor->components; i < count; i++)
	{
		if (!isfinite(floats[i]))
		{
			floats[i] = 0.0f;
			zeroed++;
		}
	}
	accessor->first_bad = LRD_NO_INDEX;
	return lrd_import_warn(
		gltf->import, "not-finite", zeroed, "%s: numbers of %s that are not finite became 0", label, what);
}

uint32_t lrd_gltf_repair_quaternions(float *quaternions, size_t count, size_t stride)
{
	uint32_t repaired = 0;
	for (size_t i = 0; i < count; i++, quaternions += stride)
	{
		lrd_vec4 q = { quaternions[0], quaternions[1], quaternions[2], quaternions[3] };
		float length = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
		repaired += fabsf(length - 1.0f) <= UNIT_TOLERANCE ? 0 : 1;
		q = lrd_quat_normalize(q);
		quaternions[0] = q.x;
		quaternions[1] = q.y;
		quaternions[2] = q.z;
		quaternions[3] = q.w;
	}
	return repaired;
}

uint32_t lrd_gltf_replace_null_quaternions(float *keys, size_t count, size_t stride)
{
	static const float identity[4] = { 0.0f, 0.0f, 0.0f, 1.0f };
	const float *before = identity;
	uint32_t replaced = 0;
	for (size_t i = 0; i < count; i++, keys += stride)
	{
		float *q = keys + (stride - 4) / 2; // between a cubic key's tangents
		float largest = fmaxf(fmaxf(fabsf(q[0]), fabsf(q[1])), fmaxf(fabsf(q[2]), fabsf(q[3])));
		if (!(largest > NULL_QUATERNION))
		{
			memset(keys, 0, stride * sizeof *keys);
			memcpy(q, before, sizeof identity);
			replaced++;
		}
		before = q;
	}
	return replaced;
}

static bool ascends(const float *seconds, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
	{
		if (!(seconds[i] > seconds[i - 1]))
		{
			return false;
		}
	}
	return true;
}

// What is left of an input's keys so far.
typedef struct key_order
{
	float *seconds;
	uint32_t *kept;
	uint32_t used;
	bool jumps; // the last key has one just before it that had its time
} key_order;

// Keys that share a time are a jump, and stay one: the last of them holds from that time on, the first is put just
// before it, or goes where there is no room for it.
static void add_jump(key_order *order, float time, uint32_t key)
{
	uint32_t last = order->used - 1;
	float before = fminf(nextafterf(time, -INFINITY), time - KEY_NUDGE);
	float limit = last > 0 ? order->seconds[last - 1] : time < 0.0f ? -INFINITY : nextafterf(0.0f, -1.0f);
	if (!order->jumps && before > limit)
	{
		order->seconds[last] = before;
		order->used = ++last + 1;
	}
	order->jumps = true;
	order->seconds[last] = time;
	order->kept[last] = key;
}

// Keys that go back in time, or are not finite, have no place.
static bool put_in_order(lrd_gltf *gltf, const char *label, const float *given, uint32_t count, lrd_gltf_times *times)
{
	if (!lrd_gltf_charge(gltf, count, 2 * sizeof(float), label))
	{
		return false;
	}
	key_order order = { .seconds = LRD_IMPORT_NEW(gltf->import, float, count, label),
		.kept = LRD_IMPORT_SCRATCH(gltf->import, uint32_t, count, label) };
	if (order.seconds == NULL || order.kept == NULL)
	{
		return false;
	}
	for (uint32_t i = 0; i < count; i++)
	{
		if (!isfinite(given[i]) || (order.used != 0 && given[i] < order.seconds[order.used - 1]))
		{
			times->removed++;
		}
		else if (order.used != 0 && given[i] == order.seconds[order.used - 1])
		{
			add_jump(&order, given[i], i);
			times->nudged++;
		}
		else
		{
			order.seconds[order.used] = given[i];
			order.kept[order.used++] = i;
			order.jumps = false;
		}
	}
	times->seconds = order.seconds;
	times->kept = order.kept;
	times->count = order.used;
	return true;
}

bool lrd_gltf_times_of(lrd_gltf *gltf, const char *label, lrd_gltf_accessor *accessor, const lrd_gltf_times **result)
{
	lrd_gltf_times *times = &accessor->times;
	*result = times;
	if (times->seconds != NULL)
	{
		return true;
	}
	if (accessor->count > LRD_IMPORT_MAX_KEYS)
	{
		return lrd_fail(
			gltf->error, LRD_ERROR_LIMIT, "%s: %u keys (at most %u)", label, accessor->count, LRD_IMPORT_MAX_KEYS);
	}
	const float *given = NULL;
	if (!lrd_gltf_floats(gltf, label, accessor, &given))
	{
		return false;
	}
	if (accessor->first_bad != LRD_NO_INDEX || !ascends(given, accessor->count))
	{
		if (!put_in_order(gltf, label, given, accessor->count, times))
		{
			return false;
		}
	}
	else
	{
		times->seconds = given;
		times->count = accessor->count;
	}
	times->negative = times->count != 0 && times->seconds[0] < 0.0f;
	return true;
}
