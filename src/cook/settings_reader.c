// What sections of settings files share: refusing with a place, and tables of keys.

#include "cook/settings_reader.h"

#include "base/error.h"

bool lrd_settings_fail(const lrd_settings_reader *self, const cJSON *member, const char *what, const char *expected)
{
	size_t line;
	size_t column;
	lrd_json_place_of(self->text, self->root, member, &line, &column);
	return lrd_fail(self->error, LRD_ERROR_FORMAT, "%s:%zu:%zu: \"%s\": %s; expected %s", self->name, line, column,
		member->string == NULL ? "" : member->string, what, expected);
}

/// "a, b or c" in the arena of the reader; "" when memory runs out. Names are taken from pointers `stride` bytes apart.
static const char *list_names(
	const lrd_settings_reader *self, const void *names, size_t stride, size_t count, const char *other)
{
	lrd_buffer text = { .allocator = lrd_arena_allocator(self->arena) };
	size_t total = count + (other != NULL);
	bool good = true;
	for (size_t i = 0; good && i < total; ++i)
	{
		const char *before = i == 0 ? "" : (i + 1 == total ? " or " : ", ");
		const char *const *name = (const void *)((const char *)names + i * stride);
		good = lrd_buffer_printf(&text, "%s%s", before, i < count ? *name : other);
	}
	lrd_string kept = { NULL, 0 };
	if (good)
	{
		kept = lrd_arena_string(self->arena, (lrd_string){ (const char *)text.data, text.size });
	}
	lrd_buffer_free(&text);
	return kept.data != NULL ? kept.data : "";
}

static bool read_name(const lrd_settings_reader *self, const cJSON *member, const lrd_setting *key, uint32_t *index)
{
	for (*index = 0; cJSON_IsString(member) && *index < key->name_count; ++*index)
	{
		if (strcmp(key->names[*index], member->valuestring) == 0)
		{
			return true;
		}
	}
	*index = 0;
	return lrd_settings_fail(self, member, cJSON_IsString(member) ? "unknown value" : "wrong type",
		list_names(self, key->names, sizeof *key->names, key->name_count, NULL));
}

bool lrd_settings_read_count(
	const lrd_settings_reader *self, const cJSON *member, uint32_t low, uint32_t high, uint32_t *value)
{
	double number = member->valuedouble;
	if (!cJSON_IsNumber(member) || !(number >= low && number <= high) || number != (double)(uint32_t)number)
	{
		const char *expected = lrd_arena_printf(self->arena, "a whole number from %u to %u", low, high).data;
		return lrd_settings_fail(self, member, cJSON_IsNumber(member) ? "out of range" : "wrong type",
			expected != NULL ? expected : "a whole number");
	}
	*value = (uint32_t)number;
	return true;
}

bool lrd_settings_read_bool(const lrd_settings_reader *self, const cJSON *member, bool *value)
{
	*value = cJSON_IsTrue(member);
	return cJSON_IsBool(member) || lrd_settings_fail(self, member, "wrong type", "true or false");
}

// Bounds hold for the f32 that is kept: a number that is too small for one is 0.
bool lrd_settings_read_number(
	const lrd_settings_reader *self, const cJSON *member, const lrd_setting *key, float *value)
{
	static const char *const words[][2] = { { "from", "to" }, { "above", "and up to" }, { "above", "and below" } };
	double given = cJSON_IsNumber(member) ? member->valuedouble : 0.0;
	bool fits = cJSON_IsNumber(member) && given >= key->low && given <= key->high;
	float number = fits ? (float)given + 0.0f : 0.0f; // -0 becomes 0
	fits = fits && (key->ends == LRD_ENDS_CLOSED || number > (float)key->low) &&
		   (key->ends != LRD_ENDS_OPEN || number < (float)key->high);
	if (!fits)
	{
		lrd_string expected = lrd_arena_printf(self->arena, "a number %s %g %s %g%s", words[key->ends][0], key->low,
			words[key->ends][1], key->high, key->or_else != NULL ? key->or_else : "");
		return lrd_settings_fail(self, member, cJSON_IsNumber(member) ? "out of range" : "wrong type",
			expected.data != NULL ? expected.data : "a number");
	}
	*value = number;
	return true;
}

static bool read_value(const lrd_settings_reader *self, const lrd_setting *key, const cJSON *member, void *settings)
{
	void *place = (char *)settings + key->offset;
	uint32_t index;
	bool truth;
	switch (key->kind)
	{
	case LRD_SETTING_NAME: return read_name(self, member, key, place);
	case LRD_SETTING_SWITCH:
		if (!read_name(self, member, key, &index))
		{
			return false;
		}
		*(bool *)place = index != 0;
		return true;
	case LRD_SETTING_BOOL: return lrd_settings_read_bool(self, member, place);
	case LRD_SETTING_CHOICE:
		if (!lrd_settings_read_bool(self, member, &truth))
		{
			return false;
		}
		*(lrd_choice *)place = truth ? LRD_CHOICE_ON : LRD_CHOICE_OFF;
		return true;
	case LRD_SETTING_COUNT:
		return lrd_settings_read_count(self, member, (uint32_t)key->low, (uint32_t)key->high, place);
	case LRD_SETTING_NUMBER: return lrd_settings_read_number(self, member, key, place);
	case LRD_SETTING_OWN: return key->read(self, member, settings);
	}
	return false;
}

bool lrd_settings_read_key(const lrd_settings_reader *self, const lrd_setting_table *table, const cJSON *member,
	const char *other, void *settings)
{
	for (size_t i = 0; i < table->count; ++i)
	{
		if (strcmp(table->keys[i].name, member->string) == 0)
		{
			return read_value(self, &table->keys[i], member, settings);
		}
	}
	return lrd_settings_fail(
		self, member, "unknown key", list_names(self, &table->keys[0].name, sizeof *table->keys, table->count, other));
}

bool lrd_settings_read_object(const lrd_settings_reader *self, const lrd_setting_table *table, const cJSON *object,
	const char *expected, void *settings)
{
	if (!cJSON_IsObject(object))
	{
		return lrd_settings_fail(self, object, "wrong type", expected);
	}
	for (const cJSON *member = object->child; member != NULL; member = member->next)
	{
		if (!lrd_settings_read_key(self, table, member, NULL, settings))
		{
			return false;
		}
	}
	return true;
}

uint32_t lrd_settings_bits(float number)
{
	uint32_t bits;
	memcpy(&bits, &number, sizeof bits);
	return bits;
}

static bool describe_value(const lrd_setting *key, const void *settings, lrd_buffer *out)
{
	const void *place = (const char *)settings + key->offset;
	switch (key->kind)
	{
	case LRD_SETTING_NAME: return lrd_buffer_printf(out, "%s %s\n", key->name, key->names[*(const uint32_t *)place]);
	case LRD_SETTING_SWITCH:
	case LRD_SETTING_BOOL: return lrd_buffer_printf(out, "%s %d\n", key->name, *(const bool *)place);
	case LRD_SETTING_CHOICE:
	case LRD_SETTING_COUNT: return lrd_buffer_printf(out, "%s %u\n", key->name, *(const uint32_t *)place);
	case LRD_SETTING_NUMBER:
		return lrd_buffer_printf(out, "%s %08x\n", key->name, lrd_settings_bits(*(const float *)place));
	case LRD_SETTING_OWN: return key->describe(key->name, settings, out);
	}
	return false;
}

bool lrd_settings_describe_keys(const lrd_setting_table *table, const void *settings, lrd_buffer *out)
{
	for (size_t i = 0; i < table->count; ++i)
	{
		if (!describe_value(&table->keys[i], settings, out))
		{
			return false;
		}
	}
	return true;
}
