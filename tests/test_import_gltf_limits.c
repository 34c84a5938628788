// Sources that claim more than they hold, and the named limits.

#include "fixtures/gltf_check.h"

#include "failing_allocator.h"
#include "import/limits.h"

#include <stdlib.h>

typedef struct text
{
	char *data;
	size_t size;
	size_t capacity;
} text;

static void add(text *to, const char *more)
{
	size_t size = strlen(more);
	if (to->size + size >= to->capacity)
	{
		to->capacity = (to->size + size) * 2 + 1024;
		to->data = realloc(to->data, to->capacity);
		assert_non_null(to->data);
	}
	memcpy(to->data + to->size, more, size + 1);
	to->size += size;
}

#define HEAD "{\"asset\":{\"version\":\"2.0\"},"

static void check_text_refused(text *json, lrd_error_code code, const char *message)
{
	check_refusal((lrd_bytes){ json->data, json->size }, code, message);
	free(json->data);
	*json = (text){ NULL, 0, 0 };
}

static void zeros_beyond_the_budget_are_refused(void **state)
{
	(void)state;
	json_refused(HEAD "\"accessors\":[{\"componentType\":5126,\"count\":100000000,\"type\":\"VEC3\"}],"
					  "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]}",
		LRD_ERROR_LIMIT, "more data than the file can back");
	json_refused(HEAD "\"accessors\":[{\"componentType\":5126,\"count\":4294967296,\"type\":\"VEC3\"}]}",
		LRD_ERROR_LIMIT, "4294967296 elements");
}

static void accessors_that_lie_over_each_other_cost_no_more_than_the_budget(void **state)
{
	(void)state;
	FIXTURE(build);
	enum
	{
		VERTICES = 300000,
		COPIES = 60
	};
	float *positions = calloc(VERTICES * 3, sizeof *positions);
	assert_non_null(positions);
	int view = gltf_view(&build, positions, VERTICES * 3 * sizeof *positions, 0);
	free(positions);
	for (int i = 0; i < COPIES; i++)
	{
		int accessor = gltf_accessor(&build, view, GLTF_F32, false, VERTICES, "VEC3");
		gltf_add(&build, "meshes", "{\"primitives\":[{\"attributes\":{\"POSITION\":%d}}]}", accessor);
	}
	lrd_bytes bytes = gltf_finish(&build, GLTF_FORM_BINARY);
	failing_allocator memory;
	failing_allocator_init(&memory, -1);
	lrd_error error;
	lrd_import_desc desc = { .path = "a.glb", .memory = bytes, .allocator = failing_allocator_get(&memory) };
	assert_null(lrd_import_file(&desc, &error));
	assert_int_equal(error.code, LRD_ERROR_LIMIT);
	long long most = (long long)bytes.size * LRD_GLTF_DECODED_MULTIPLE + (long long)LRD_GLTF_DECODED_FLOOR + (1 << 20);
	assert_true(memory.bytes_peak <= most);
	assert_int_equal(memory.bytes_out, 0);
	gltf_end(&build);
}

static void add_sharing_animations(gltf_build *build, int count)
{
	enum
	{
		KEYS = 300000
	};
	float *numbers = calloc(KEYS * 3, sizeof *numbers);
	assert_non_null(numbers);
	int output = gltf_floats(build, numbers, KEYS, "VEC3");
	for (int k = 0; k < KEYS; ++k)
	{
		numbers[k] = (float)k;
	}
	int input = gltf_floats(build, numbers, KEYS, "SCALAR");
	free(numbers);
	gltf_add(build, "nodes", "{}");
	for (int i = 0; i < count; ++i)
	{
		gltf_add(build, "animations",
			"{\"name\":\"A\",\"samplers\":[{\"input\":%d,\"output\":%d}],\"channels\":[{\"sampler\":0,\"target\":{"
			"\"node\":0,\"path\":\"translation\"}}]}",
			input, output);
	}
}

static void animations_that_share_their_values_cost_as_if_each_had_its_own(void **state)
{
	(void)state;
	FIXTURE(few);
	add_sharing_animations(&few, 10);
	lrd_document *document = import_good(&few);
	assert_ptr_equal(document->animations[9].channels[0].values, document->animations[0].channels[0].values);
	lrd_document_free(document);
	gltf_end(&few);
	FIXTURE(many);
	add_sharing_animations(&many, 100);
	import_refused(&many, LRD_ERROR_LIMIT, "animation \"A\", node 0, translation: more data than the file can back");
	gltf_end(&many);
}

static void deep_hierarchies_stop_at_the_limit(void **state)
{
	(void)state;
	for (unsigned extra = 0; extra < 2; extra++)
	{
		text json = { NULL, 0, 0 };
		add(&json, HEAD "\"nodes\":[");
		for (unsigned i = 1; i < LRD_IMPORT_MAX_NODE_DEPTH + extra; i++)
		{
			char node[64];
			(void)snprintf(node, sizeof node, "{\"children\":[%u]},", i);
			add(&json, node);
		}
		add(&json, "{}]}");
		lrd_error error;
		lrd_document *document = import_bytes((lrd_bytes){ json.data, json.size }, &error);
		assert_int_equal(document != NULL, extra == 0);
		lrd_document_free(document);
		if (extra != 0)
		{
			assert_int_equal(error.code, LRD_ERROR_LIMIT);
			assert_non_null(strstr(error.message, "node 1024: more than 1024 nodes below each other"));
		}
		free(json.data);
	}
}

static void long_names_are_refused(void **state)
{
	(void)state;
	text json = { NULL, 0, 0 };
	add(&json, HEAD "\"nodes\":[{\"name\":\"");
	for (unsigned i = 0; i <= LRD_IMPORT_MAX_NAME; i++)
	{
		add(&json, "x");
	}
	add(&json, "\"}]}");
	check_text_refused(&json, LRD_ERROR_LIMIT, "/nodes/0/name: 4097 bytes long (at most 4096)");
}

static void long_lists_are_refused(void **state)
{
	(void)state;
	text json = { NULL, 0, 0 };
	add(&json, HEAD "\"nodes\":[{}");
	for (unsigned i = 0; i < LRD_IMPORT_MAX_OBJECTS; i++)
	{
		add(&json, ",{}");
	}
	add(&json, "]}");
	check_text_refused(&json, LRD_ERROR_LIMIT, "/nodes: 1048577 of them (at most 1048576)");
}

static void many_nodes_are_read_in_linear_time(void **state)
{
	(void)state;
	text json = { NULL, 0, 0 };
	add(&json, HEAD "\"nodes\":[{\"children\":[1");
	for (unsigned i = 2; i < 200000; i++)
	{
		char child[16];
		(void)snprintf(child, sizeof child, ",%u", i);
		add(&json, child);
	}
	add(&json, "]}");
	for (unsigned i = 1; i < 200000; i++)
	{
		add(&json, ",{\"name\":\"n\"}");
	}
	add(&json, "]}");
	lrd_error error;
	lrd_document *document = import_bytes((lrd_bytes){ json.data, json.size }, &error);
	assert_non_null(document); // quadratic time would make the test run out of its own
	assert_int_equal(document->nodes[0].child_count, 199999);
	lrd_document_free(document);
	free(json.data);
}

static void equal_warnings_are_one_with_a_count(void **state)
{
	(void)state;
	FIXTURE(build);
	int p = gltf_corners(&build, 3);
	for (int i = 0; i < 1000; i++)
	{
		gltf_add(
			&build, "meshes", "{\"name\":\"Cloud\",\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"mode\":0}]}", p);
	}
	lrd_document *document = import_good(&build);
	assert_int_equal(document->warning_count, 1);
	check_warning(document, "points", 1000, "mesh \"Cloud\", primitive 0");
	lrd_document_free(document);
	gltf_end(&build);
}

static void long_names_are_cut_in_messages_between_characters(void **state)
{
	(void)state;
	text json = { NULL, 0, 0 };
	add(&json, HEAD "\"nodes\":[{\"rotation\":[0,0,0,9],\"name\":\"x");
	for (int i = 0; i < 100; i++)
	{
		add(&json, "\xc3\xa9");
	}
	add(&json, "\"}]}");
	lrd_error error;
	lrd_document *document = import_bytes((lrd_bytes){ json.data, json.size }, &error);
	assert_non_null(document);
	check_warning(document, "quaternions-normalised", 1, "\xc3\xa9...\"");
	assert_int_equal(document->nodes[0].name.size, 201);
	lrd_document_free(document);
	free(json.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zeros_beyond_the_budget_are_refused),
		cmocka_unit_test(accessors_that_lie_over_each_other_cost_no_more_than_the_budget),
		cmocka_unit_test(animations_that_share_their_values_cost_as_if_each_had_its_own),
		cmocka_unit_test(deep_hierarchies_stop_at_the_limit),
		cmocka_unit_test(long_names_are_refused),
		cmocka_unit_test(long_lists_are_refused),
		cmocka_unit_test(many_nodes_are_read_in_linear_time),
		cmocka_unit_test(equal_warnings_are_one_with_a_count),
		cmocka_unit_test(long_names_are_cut_in_messages_between_characters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
