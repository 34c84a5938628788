// The schemas in docs/schema say what the cook takes: a small reader of JSON Schema (2020-12) walks them, puts a pool of values in every
// place they speak of, and holds their verdict against that of the settings' own reader. Unknown keys are tried too, and the keys that
// the refusal lists must be the schema's.

#include "cook/settings.h"
#include "os_scratch.h"

#include <cJSON.h>
#include <math.h>
#include <regex.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/// One schema, and how a document that follows it is given to the cook.
typedef struct subject
{
	cJSON *schema;
	const char *root; ///< folder that the document is written to
	const char *name; ///< of the document there
	bool is_project;
	uint32_t tried;
	uint32_t taken;
} subject;

static cJSON *load_schema(const char *name)
{
	char path[512];
	snprintf(path, sizeof path, "%s/docs/schema/%s.schema.json", LRD_TEST_SOURCE_DIR, name);
	lrd_buffer text = { 0 };
	FILE *file = fopen(path, "rb");
	assert_non_null(file);
	char piece[4096];
	for (size_t size; (size = fread(piece, 1, sizeof piece, file)) != 0;)
	{
		assert_true(lrd_buffer_append(&text, piece, size));
	}
	fclose(file);
	cJSON *schema = cJSON_ParseWithLength((const char *)text.data, text.size);
	lrd_buffer_free(&text);
	assert_non_null(schema);
	return schema;
}

static const cJSON *get(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

/// The schema that a schema refers to.
static const cJSON *resolve(const subject *self, const cJSON *schema)
{
	const char *reference = cJSON_GetStringValue(get(schema, "$ref"));
	if (reference == NULL)
	{
		return schema;
	}
	char path[128];
	assert_memory_equal(reference, "#/", 2);
	assert_in_range(snprintf(path, sizeof path, "%s", reference + 2), 1, sizeof path - 1);
	const cJSON *found = self->schema;
	for (char *name = strtok(path, "/"); name != NULL; name = strtok(NULL, "/"))
	{
		found = get(found, name);
		assert_non_null(found);
	}
	return resolve(self, found);
}

// A verdict, by the keywords that the schemas use.

static bool matches(const char *pattern, const char *text)
{
	regex_t regex;
	assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
	bool found = regexec(&regex, text, 0, NULL, 0) == 0;
	regfree(&regex);
	return found;
}

static bool is_of_type(const char *type, const cJSON *value)
{
	if (strcmp(type, "boolean") == 0)
	{
		return cJSON_IsBool(value);
	}
	if (strcmp(type, "integer") == 0)
	{
		return cJSON_IsNumber(value) && value->valuedouble == floor(value->valuedouble);
	}
	return strcmp(type, "number") == 0   ? cJSON_IsNumber(value)
		   : strcmp(type, "string") == 0 ? cJSON_IsString(value)
		   : strcmp(type, "array") == 0  ? cJSON_IsArray(value)
										 : cJSON_IsObject(value);
}

static bool is_in_enum(const cJSON *values, const cJSON *value)
{
	const cJSON *each;
	cJSON_ArrayForEach(each, values)
	{
		if (cJSON_Compare(each, value, true))
		{
			return true;
		}
	}
	return false;
}

static bool accepts(const subject *self, const cJSON *schema, const cJSON *value);

static bool accepts_number(const cJSON *schema, double number)
{
	const cJSON *low = get(schema, "minimum");
	const cJSON *above = get(schema, "exclusiveMinimum");
	const cJSON *high = get(schema, "maximum");
	const cJSON *below = get(schema, "exclusiveMaximum");
	return (low == NULL || number >= low->valuedouble) && (above == NULL || number > above->valuedouble) &&
		   (high == NULL || number <= high->valuedouble) && (below == NULL || number < below->valuedouble);
}

static bool accepts_string(const subject *self, const cJSON *schema, const cJSON *value)
{
	const cJSON *pattern = get(schema, "pattern");
	const cJSON *most = get(schema, "maxLength");
	const cJSON *least = get(schema, "minLength");
	return (least == NULL || strlen(value->valuestring) >= (size_t)least->valuedouble) &&
		   (pattern == NULL || matches(pattern->valuestring, value->valuestring)) &&
		   (most == NULL || strlen(value->valuestring) <= (size_t)most->valuedouble) &&
		   (get(schema, "not") == NULL || !accepts(self, get(schema, "not"), value));
}

/// Objects and arrays of the pool are empty: only what they must have counts.
static bool accepts(const subject *self, const cJSON *schema, const cJSON *value)
{
	schema = resolve(self, schema);
	const cJSON *type = get(schema, "type");
	if ((type != NULL && !is_of_type(type->valuestring, value)) ||
		(get(schema, "enum") != NULL && !is_in_enum(get(schema, "enum"), value)) ||
		(get(schema, "const") != NULL && !cJSON_Compare(get(schema, "const"), value, true)) ||
		(cJSON_IsObject(value) && cJSON_GetArraySize(get(schema, "required")) > 0) ||
		(cJSON_IsArray(value) && get(schema, "minItems") != NULL) ||
		(cJSON_IsNumber(value) && !accepts_number(schema, value->valuedouble)) ||
		(cJSON_IsString(value) && !accepts_string(self, schema, value)))
	{
		return false;
	}
	uint32_t alternatives = 0;
	const cJSON *each;
	cJSON_ArrayForEach(each, get(schema, "oneOf"))
	{
		alternatives += accepts(self, each, value);
	}
	return get(schema, "oneOf") == NULL || alternatives == 1;
}

// The cook's verdict.

static bool takes(subject *self, const char *document, lrd_error *error)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%s", self->root, self->name);
	FILE *file = fopen(path, "wb");
	assert_non_null(file);
	fputs(document, file);
	fclose(file);
	lrd_arena *arena = lrd_arena_create((lrd_allocator){ 0 }, 0);
	assert_non_null(arena);
	lrd_settings_rules *rules = NULL;
	lrd_settings settings;
	bool good = self->is_project ? lrd_settings_rules_load(arena, self->root, &rules, error)
								 : lrd_settings_load(arena, NULL, self->root, LRD_STR("wall.png"), &settings, error);
	lrd_settings_rules_free(rules);
	lrd_arena_destroy(arena);
	unlink(path);
	self->tried++;
	self->taken += good;
	return good;
}

/// What stands before and after a value in a document.
typedef struct place
{
	char before[256];
	char after[128];
} place;

static void try_value(subject *self, const cJSON *schema, const place *at, const char *text)
{
	char document[2048];
	lrd_error error = { 0 };
	cJSON *value = cJSON_Parse(text);
	assert_non_null(value);
	snprintf(document, sizeof document, "%s%s%s", at->before, text, at->after);
	bool expected = accepts(self, schema, value);
	if (takes(self, document, &error) != expected)
	{
		fail_msg(
			"%s: the schema %s it, the cook does not: %s", document, expected ? "accepts" : "refuses", error.message);
	}
	cJSON_Delete(value);
}

static void try_pool(subject *self, const cJSON *schema, const place *at)
{
	static const char *const pool[] = { "true", "false", "null", "0", "-1", "0.5", "1", "1.5", "2", "8.5", "16384",
		"16385", "1e9", "\"\"", "\"no such value\"", "\"a/b\"", "\"../a\"", "\"a/..\"", "\"./a\"", "\"..a\"", "\"/a\"",
		"\"a//b\"", "\"a\\\\b\"", "\"c:a\"", "\"a\\u0009b\"", "\"a b\"", "[]", "{}" };
	for (size_t i = 0; i < sizeof pool / sizeof *pool; ++i)
	{
		try_value(self, schema, at, pool[i]);
	}
	const cJSON *each;
	cJSON_ArrayForEach(each, get(schema, "enum"))
	{
		char text[64];
		snprintf(text, sizeof text, "\"%s\"", each->valuestring);
		try_value(self, schema, at, text);
		snprintf(text, sizeof text, "\"%sx\"", each->valuestring);
		try_value(self, schema, at, text);
	}
}

/// The words that a refusal of an unknown key lists are the schema's keys.
static void try_unknown_key(subject *self, const cJSON *schema, const place *at)
{
	char document[1024];
	lrd_error error = { 0 };
	snprintf(document, sizeof document, "%s{\"no_such_key\": 1}%s", at->before, at->after);
	assert_false(takes(self, document, &error));
	const char *list = strstr(error.message, "; expected ");
	assert_non_null(strstr(error.message, "\"no_such_key\": unknown key"));
	assert_non_null(list);
	uint32_t listed = 0;
	char words[512];
	snprintf(words, sizeof words, "%s", list + strlen("; expected "));
	for (char *word = strtok(words, " ,"); word != NULL; word = strtok(NULL, " ,"))
	{
		if (strcmp(word, "or") != 0)
		{
			listed++;
			if (get(get(schema, "properties"), word) == NULL)
			{
				fail_msg("%s: the cook knows \"%s\", the schema does not", document, word);
			}
		}
	}
	uint32_t known = (uint32_t)cJSON_GetArraySize(get(schema, "properties"));
	known -= get(get(schema, "properties"), "$schema") != NULL;
	assert_int_equal(listed, known);
}

/// The place of what stands between `before` and `after` there.
static place nest(const place *at, const char *before, const char *key, const char *after)
{
	place inside;
	int front = snprintf(inside.before, sizeof inside.before, "%s%s%s", at->before, before, key);
	int back = snprintf(inside.after, sizeof inside.after, "%s%s", after, at->after);
	assert_in_range(front, 0, sizeof inside.before - 1);
	assert_in_range(back, 0, sizeof inside.after - 1);
	return inside;
}

static void walk(subject *self, const cJSON *schema, const place *at);

static void walk_properties(subject *self, const cJSON *schema, const place *at)
{
	static const struct
	{
		const char *key, *text;
	} musts[] = { { "match", "{\"match\": \"**\", " }, { "image", "{\"image\": \"bark\", " } };
	const char *must = cJSON_GetStringValue(cJSON_GetArrayItem(get(schema, "required"), 0));
	const cJSON *property;
	cJSON_ArrayForEach(property, get(schema, "properties"))
	{
		char key[64];
		const char *before = "{";
		for (size_t i = 0; i < sizeof musts / sizeof *musts; ++i)
		{
			bool needed = must != NULL && strcmp(must, musts[i].key) == 0 && strcmp(property->string, must) != 0;
			before = needed ? musts[i].text : before;
		}
		assert_in_range(snprintf(key, sizeof key, "\"%s\": ", property->string), 0, sizeof key - 1);
		place inside = nest(at, before, key, "}");
		walk(self, property, &inside);
	}
}

/// What a schema, or one of its alternatives, says of what stands inside a value.
static void walk_inside(subject *self, const cJSON *schema, const place *at)
{
	const cJSON *each;
	cJSON_ArrayForEach(each, get(schema, "oneOf"))
	{
		walk_inside(self, each, at);
	}
	if (get(schema, "properties") != NULL)
	{
		assert_true(cJSON_IsFalse(get(schema, "additionalProperties")));
		try_unknown_key(self, schema, at);
		walk_properties(self, schema, at);
	}
	if (get(schema, "items") != NULL)
	{
		// The one list of a fixed length is that of six faces.
		bool six = get(schema, "minItems") != NULL;
		place inside = nest(at, "[", "", six ? ", \"a\", \"b\", \"c\", \"d\", \"e\"]" : "]");
		walk(self, get(schema, "items"), &inside);
	}
}

static void walk(subject *self, const cJSON *schema, const place *at)
{
	schema = resolve(self, schema);
	try_pool(self, schema, at);
	walk_inside(self, schema, at);
}

static void walk_whole(void **state, const char *schema, const char *name, bool is_project)
{
	const scratch *folder = *state;
	subject self = { .schema = load_schema(schema), .root = folder->root, .name = name, .is_project = is_project };
	walk(&self, self.schema, &(place){ "", "" });
	cJSON_Delete(self.schema);
	assert_true(self.taken > 40);
	assert_true(self.tried - self.taken > 200);
}

static void project_schema_accepts_what_the_cook_takes(void **state)
{
	walk_whole(state, "larder", "larder.json", true);
}

static void sidecar_schema_accepts_what_the_cook_takes(void **state)
{
	walk_whole(state, "sidecar", "wall.png.larder.json", false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(project_schema_accepts_what_the_cook_takes, scratch_open, scratch_close),
		cmocka_unit_test_setup_teardown(sidecar_schema_accepts_what_the_cook_takes, scratch_open, scratch_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
