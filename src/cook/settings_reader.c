// What sections of settings files share: refusing with a place, names, numbers, truths.

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

const char *lrd_settings_list(const lrd_settings_reader *self, const char *const *names, size_t count)
{
	lrd_buffer text = { .allocator = lrd_arena_allocator(self->arena) };
	bool good = true;
	for (size_t i = 0; good && i < count; ++i)
	{
		const char *before = i == 0 ? "" : (i + 1 == count ? " or " : ", ");
		good = lrd_buffer_printf(&text, "%s%s", before, names[i]);
	}
	lrd_string kept = { NULL, 0 };
	if (good)
	{
		kept = lrd_arena_string(self->arena, (lrd_string){ (const char *)text.data, text.size });
	}
	lrd_buffer_free(&text);
	return kept.data != NULL ? kept.data : "";
}

bool lrd_settings_read_name(
	const lrd_settings_reader *self, const cJSON *member, const char *const *names, size_t count, uint32_t *index)
{
	for (*index = 0; cJSON_IsString(member) && *index < count; ++*index)
	{
		if (strcmp(names[*index], member->valuestring) == 0)
		{
			return true;
		}
	}
	*index = 0;
	return lrd_settings_fail(
		self, member, cJSON_IsString(member) ? "unknown value" : "wrong type", lrd_settings_list(self, names, count));
}

bool lrd_settings_read_number(
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
