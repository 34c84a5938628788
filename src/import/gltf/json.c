// import/gltf/json.c: typed access to a cJSON tree. Arrays are linked lists there: they are walked, never indexed.

#include "import/gltf/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Longest chain that is written out; deeper ones begin with "...". Nothing in glTF goes as deep.
#define MAX_LINKS 24

// The largest integer that every smaller one is exact up to in a double.
#define MAX_INTEGER 9007199254740992.0

lrd_json_pointer lrd_json_place(const lrd_json *at)
{
	const lrd_json *links[MAX_LINKS];
	size_t count = 0;
	for (; at != NULL && at->up != NULL && count < MAX_LINKS; at = at->up)
	{
		links[count++] = at;
	}
	lrd_json_pointer place = { .text = "" };
	if (count == 0)
	{
		memcpy(place.text, "/", sizeof "/");
	}
	size_t used = 0;
	while (count-- > 0)
	{
		char *end = place.text + used;
		size_t room = sizeof place.text - used;
		int written = links[count]->key != NULL ? snprintf(end, room, "/%.64s", links[count]->key)
												: snprintf(end, room, "/%u", links[count]->index);
		used += written > 0 ? (size_t)written : 0;
		used = used < sizeof place.text ? used : sizeof place.text - 1;
	}
	return place;
}

static const char *kind_name(const cJSON *value)
{
	if (value == NULL)
	{
		return "nothing";
	}
	switch (value->type & 0xff)
	{
	case cJSON_False:
	case cJSON_True: return "a boolean";
	case cJSON_NULL: return "null";
	case cJSON_Number: return "a number";
	case cJSON_String: return "a string";
	case cJSON_Array: return "an array";
	case cJSON_Object: return "an object";
	default: return "something else";
	}
}

static bool fail_kind(const lrd_json *at, const char *expected, lrd_error *error)
{
	return lrd_fail(
		error, LRD_ERROR_FORMAT, "%s: found %s, expected %s", lrd_json_place(at).text, kind_name(at->value), expected);
}

bool lrd_json_missing(const lrd_json *at, lrd_error *error)
{
	return lrd_fail(error, LRD_ERROR_FORMAT, "%s: required, and missing", lrd_json_place(at).text);
}

lrd_json lrd_json_member(const lrd_json *object, const char *key)
{
	const cJSON *value = cJSON_IsObject(object->value) ? cJSON_GetObjectItemCaseSensitive(object->value, key) : NULL;
	return (lrd_json){ .up = object, .key = key, .value = value };
}

lrd_json lrd_json_first(const lrd_json *container)
{
	bool walks = cJSON_IsArray(container->value) || cJSON_IsObject(container->value);
	const cJSON *value = walks ? container->value->child : NULL;
	return (lrd_json){ .up = container, .key = value != NULL ? value->string : NULL, .value = value };
}

lrd_json lrd_json_next(const lrd_json *item)
{
	const cJSON *value = item->value->next;
	return (lrd_json){
		.up = item->up, .key = value != NULL ? value->string : NULL, .index = item->index + 1, .value = value
	};
}

uint32_t lrd_json_length(const lrd_json *container)
{
	return container->value != NULL ? (uint32_t)cJSON_GetArraySize(container->value) : 0;
}

bool lrd_json_is_object(const lrd_json *at, lrd_error *error)
{
	return cJSON_IsObject(at->value) || fail_kind(at, "an object", error);
}

bool lrd_json_is_array(const lrd_json *at, lrd_error *error)
{
	return cJSON_IsArray(at->value) || fail_kind(at, "an array", error);
}

bool lrd_json_size(const lrd_json *at, size_t *size, lrd_error *error)
{
	if (!cJSON_IsNumber(at->value))
	{
		return fail_kind(at, "a non-negative integer", error);
	}
	double number = at->value->valuedouble;
	if (!(number >= 0.0) || number > MAX_INTEGER || number != floor(number))
	{
		return lrd_fail(
			error, LRD_ERROR_FORMAT, "%s: found %g, expected a non-negative integer", lrd_json_place(at).text, number);
	}
	*size = (size_t)number;
	return true;
}

bool lrd_json_index(const lrd_json *at, uint32_t limit, const char *what, uint32_t *index, lrd_error *error)
{
	size_t number = 0;
	if (!lrd_json_size(at, &number, error))
	{
		return false;
	}
	if (number >= limit)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "%s: there is no %s %zu (there are %u)", lrd_json_place(at).text, what,
			number, limit);
	}
	*index = (uint32_t)number;
	return true;
}

bool lrd_json_float(const lrd_json *at, float *value, lrd_error *error)
{
	if (!cJSON_IsNumber(at->value))
	{
		return fail_kind(at, "a number", error);
	}
	float number = (float)at->value->valuedouble;
	if (!isfinite(number))
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "%s: found %g, expected a number that fits 32-bit floating point",
			lrd_json_place(at).text, at->value->valuedouble);
	}
	*value = number;
	return true;
}

bool lrd_json_text(const lrd_json *at, lrd_string *text, lrd_error *error)
{
	if (!cJSON_IsString(at->value))
	{
		return fail_kind(at, "a string", error);
	}
	*text = lrd_string_from(at->value->valuestring);
	return true;
}

bool lrd_json_get_index(
	const lrd_json *object, const char *key, uint32_t limit, const char *what, uint32_t *index, lrd_error *error)
{
	lrd_json at = lrd_json_member(object, key);
	return at.value == NULL || lrd_json_index(&at, limit, what, index, error);
}

bool lrd_json_get_size(const lrd_json *object, const char *key, size_t *size, lrd_error *error)
{
	lrd_json at = lrd_json_member(object, key);
	return at.value == NULL || lrd_json_size(&at, size, error);
}

bool lrd_json_get_float(const lrd_json *object, const char *key, float *value, lrd_error *error)
{
	lrd_json at = lrd_json_member(object, key);
	return at.value == NULL || lrd_json_float(&at, value, error);
}

bool lrd_json_get_floats(
	const lrd_json *object, const char *key, float *values, uint32_t count, bool *present, lrd_error *error)
{
	lrd_json at = lrd_json_member(object, key);
	if (present != NULL)
	{
		*present = at.value != NULL;
	}
	if (at.value == NULL)
	{
		return true;
	}
	if (!lrd_json_is_array(&at, error))
	{
		return false;
	}
	if (lrd_json_length(&at) != count)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "%s: found %u numbers, expected %u", lrd_json_place(&at).text,
			lrd_json_length(&at), count);
	}
	for (lrd_json item = lrd_json_first(&at); item.value != NULL; item = lrd_json_next(&item))
	{
		if (!lrd_json_float(&item, &values[item.index], error))
		{
			return false;
		}
	}
	return true;
}

bool lrd_json_get_bool(const lrd_json *object, const char *key, bool *value, lrd_error *error)
{
	lrd_json at = lrd_json_member(object, key);
	if (at.value == NULL)
	{
		return true;
	}
	if (!cJSON_IsBool(at.value))
	{
		return fail_kind(&at, "a boolean", error);
	}
	*value = cJSON_IsTrue(at.value) != 0;
	return true;
}

bool lrd_json_get_text(const lrd_json *object, const char *key, lrd_string *text, lrd_error *error)
{
	lrd_json at = lrd_json_member(object, key);
	return at.value == NULL || lrd_json_text(&at, text, error);
}
