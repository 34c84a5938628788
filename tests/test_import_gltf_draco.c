// KHR_draco_mesh_compression: what comes out of a mesh, what the accessors must say of it, meshes that are damaged or
// claim too much; and what a larder without libdraco says.

#include "fixtures/gltf_check.h"

#include "import/limits.h"
#include "os/os.h"

#include <stdlib.h>

// fixtures/draco_make.mjs: streams, and what another decoder makes of them.
#define FOLDER LRD_TEST_SOURCE_DIR "/tests/data/draco/"
#define ATTRIBUTES 6

static const struct
{
	const char *semantic;
	const char *type;
	int component;
	bool normalized;
	float unit; ///< what a decoded number is divided by
} layout[ATTRIBUTES] = {
	{ "POSITION", "VEC3", GLTF_F32, false, 1 },
	{ "NORMAL", "VEC3", GLTF_F32, false, 1 },
	{ "TEXCOORD_0", "VEC2", GLTF_F32, false, 1 },
	{ "COLOR_0", "VEC4", GLTF_U8, true, 255 },
	{ "JOINTS_0", "VEC4", GLTF_U16, false, 1 },
	{ "WEIGHTS_0", "VEC4", GLTF_F32, false, 1 },
};

typedef struct fixture
{
	lrd_buffer stream;
	uint32_t *indices;
	int faces;
	float *values[ATTRIBUTES];
	int components[ATTRIBUTES];
	int points;
} fixture;

static fixture load(const char *name)
{
	fixture loaded = { .faces = 0 };
	char path[4096];
	lrd_error error;
	(void)snprintf(path, sizeof path, FOLDER "%s.drc", name);
	assert_true(lrd_file_read(path, &loaded.stream, &error));
	(void)snprintf(path, sizeof path, FOLDER "%s.txt", name);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	assert_int_equal(fscanf(file, "triangles %d", &loaded.faces), 1);
	loaded.indices = malloc((size_t)loaded.faces * 3 * sizeof(uint32_t));
	assert_non_null(loaded.indices);
	for (int i = 0; i < loaded.faces * 3; i++)
	{
		assert_int_equal(fscanf(file, "%u", &loaded.indices[i]), 1);
	}
	int id = 0, components = 0;
	while (fscanf(file, "%d %d %d", &id, &components, &loaded.points) == 3)
	{
		assert_true(id >= 0 && id < ATTRIBUTES);
		loaded.components[id] = components;
		loaded.values[id] = malloc((size_t)loaded.points * (size_t)components * sizeof(float));
		assert_non_null(loaded.values[id]);
		for (int i = 0; i < loaded.points * components; i++)
		{
			assert_int_equal(fscanf(file, "%f", &loaded.values[id][i]), 1);
		}
	}
	(void)fclose(file);
	return loaded;
}

static void unload(fixture *loaded)
{
	lrd_buffer_free(&loaded->stream);
	free(loaded->indices);
	for (int a = 0; a < ATTRIBUTES; a++)
	{
		free(loaded->values[a]);
	}
}

#define REQUIRED                                                                                                       \
	"\"extensionsUsed\":[\"KHR_draco_mesh_compression\"],\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]"

// Accessors without data for every attribute, and one of `indices` for the list; returns the first.
static int add_accessors(gltf_build *build, int points, int indices)
{
	int first = -1;
	for (int a = 0; a < ATTRIBUTES; a++)
	{
		int index =
			gltf_add(build, "accessors", "{\"componentType\":%d,\"normalized\":%s,\"count\":%d,\"type\":\"%s\"%s}",
				layout[a].component, layout[a].normalized ? "true" : "false", points, layout[a].type,
				a == 0 ? ",\"min\":[0,0,0],\"max\":[9,9,9]" : ""); // roughly: a mesh is quantised
		first = a == 0 ? index : first;
	}
	gltf_add(build, "accessors", "{\"componentType\":5125,\"count\":%d,\"type\":\"SCALAR\"}", indices);
	return first;
}

// A mesh of `mode` whose accessors, in order, begin with `first`.
static void add_mesh(gltf_build *build, int view, int first, int mode)
{
	gltf_add(build, "meshes",
		"{\"name\":\"Body\",\"primitives\":[{\"mode\":%d,\"indices\":%d,\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d,"
		"\"TEXCOORD_0\":%d,\"COLOR_0\":%d,\"JOINTS_0\":%d,\"WEIGHTS_0\":%d},\"extensions\":{"
		"\"KHR_draco_mesh_compression\":{\"bufferView\":%d,\"attributes\":{\"POSITION\":0,\"NORMAL\":1,\"TEXCOORD_0\":"
		"2,"
		"\"COLOR_0\":3,\"JOINTS_0\":4,\"WEIGHTS_0\":5}}}}]}",
		mode, first + ATTRIBUTES, first, first + 1, first + 2, first + 3, first + 4, first + 5, view);
}

// A GLB of a stream whose accessors say `points` and `indices`.
static void add_stream(gltf_build *build, const void *stream, size_t size, int points, int indices, int mode)
{
	gltf_member(build, REQUIRED);
	int view = gltf_view(build, stream, size, 0);
	add_mesh(build, view, add_accessors(build, points, indices), mode);
}

static void add_fixture(gltf_build *build, const fixture *from)
{
	add_stream(build, from->stream.data, from->stream.size, from->points, from->faces * 3, 4);
}

#ifdef LRD_HAVE_DRACO

static void skip_without_draco(void)
{
}

#else

static void skip_without_draco(void)
{
	print_message("skipped: larder is built without libdraco (LARDER_DRACO)\n");
	skip();
}

#endif

static void check_values(const float *found, const fixture *from, int attribute)
{
	assert_non_null(found);
	for (int i = 0; i < from->points * from->components[attribute]; i++)
	{
		float expected = from->values[attribute][i] / layout[attribute].unit;
		if (!(found[i] >= expected - 2e-6f && found[i] <= expected + 2e-6f))
		{
			fail_msg(
				"%s, number %d: %g, expected %g", layout[attribute].semantic, i, (double)found[i], (double)expected);
		}
	}
}

static void check_primitive(const lrd_document_primitive *primitive, const fixture *from)
{
	assert_int_equal(primitive->vertex_count, from->points);
	check_indices(primitive, from->indices, (uint32_t)from->faces * 3);
	check_values(primitive->positions, from, 0);
	check_values(primitive->normals, from, 1);
	check_values(primitive->uv[0], from, 2);
	check_values(primitive->colors, from, 3);
	assert_non_null(primitive->joints);
	for (int v = 0; v < from->points; v++)
	{
		const float *weights = from->values[5] + v * 4, *joints = from->values[4] + v * 4;
		float sum = weights[0] + weights[1] + weights[2] + weights[3];
		for (int i = 0; i < 4; i++)
		{
			float found = primitive->weights[v * 4 + i];
			assert_float_equal(found, weights[i] / sum, 1e-5f);
			assert_true(found <= 0.0f || primitive->joints[v * 4 + i] == (uint16_t)joints[i]);
		}
	}
}

static void meshes_of_both_encodings_are_read(void **state)
{
	(void)state;
	skip_without_draco();
	static const char *const names[] = { "edgebreaker", "sequential" };
	for (int i = 0; i < 2; i++)
	{
		fixture from = load(names[i]);
		FIXTURE(build);
		add_fixture(&build, &from);
		lrd_document *document = import_good(&build);
		check_primitive(&document->meshes[0].primitives[0], &from);
		assert_null(find_warning(document, "accessor-bounds"));
		lrd_document_free(document);
		gltf_end(&build);
		unload(&from);
	}
}

static void strips_come_out_as_triangles(void **state)
{
	(void)state;
	skip_without_draco();
	fixture from = load("edgebreaker");
	FIXTURE(build);
	add_stream(&build, from.stream.data, from.stream.size, from.points, 90, 5);
	lrd_document *document = import_good(&build);
	check_primitive(&document->meshes[0].primitives[0], &from);
	assert_null(find_warning(document, "draco-count"));
	lrd_document_free(document);
	gltf_end(&build);
	unload(&from);
}

static void primitives_without_an_index_list_have_that_of_the_mesh(void **state)
{
	(void)state;
	skip_without_draco();
	fixture from = load("edgebreaker");
	FIXTURE(build);
	gltf_member(&build, REQUIRED);
	int view = gltf_view(&build, from.stream.data, from.stream.size, 0);
	int first = add_accessors(&build, from.points, 3);
	gltf_add(&build, "meshes",
		"{\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"extensions\":{\"KHR_draco_mesh_compression\":{"
		"\"bufferView\":%d,\"attributes\":{\"POSITION\":0}}}}]}",
		first, view);
	lrd_document *document = import_good(&build);
	check_no_warnings(document);
	check_indices(&document->meshes[0].primitives[0], from.indices, (uint32_t)from.faces * 3);
	lrd_document_free(document);
	gltf_end(&build);
	unload(&from);
}

static void primitives_that_share_a_mesh_share_what_it_decodes_to(void **state)
{
	(void)state;
	skip_without_draco();
	fixture from = load("edgebreaker");
	FIXTURE(build);
	gltf_member(&build, REQUIRED);
	int view = gltf_view(&build, from.stream.data, from.stream.size, 0);
	int first = add_accessors(&build, from.points, from.faces * 3);
	add_mesh(&build, view, first, 4);
	add_mesh(&build, view, first, 4);
	lrd_document *document = import_good(&build);
	const lrd_document_primitive *a = document->meshes[0].primitives, *b = document->meshes[1].primitives;
	assert_ptr_equal(a->positions, b->positions);
	assert_ptr_equal(a->indices, b->indices);
	assert_ptr_equal(a->weights, b->weights);
	lrd_document_free(document);
	gltf_end(&build);
	unload(&from);
}

// Two meshes of different geometry, described by the same accessors.
static void accessors_may_describe_two_meshes(void **state)
{
	(void)state;
	skip_without_draco();
	fixture from = load("sequential");
	FIXTURE(build);
	gltf_member(&build, REQUIRED);
	uint8_t *other = malloc(from.stream.size);
	assert_non_null(other);
	memcpy(other, from.stream.data, from.stream.size);
	int view = gltf_view(&build, from.stream.data, from.stream.size, 0);
	const float moved = 100.0f;
	const float *last = from.values[0] + (from.points - 1) * 3;
	size_t at = 0; // of its position, which is in this stream as it is
	for (at = 0; memcmp(other + at, last, 3 * sizeof(float)) != 0; at++)
	{
		assert_true(at + 3 * sizeof(float) < from.stream.size);
	}
	memcpy(other + at, &moved, sizeof moved);
	int moved_view = gltf_view(&build, other, from.stream.size, 0);
	free(other);
	int first = add_accessors(&build, from.points, from.faces * 3);
	add_mesh(&build, view, first, 4);
	add_mesh(&build, moved_view, first, 4);
	add_mesh(&build, view, first, 4);
	lrd_document *document = import_good(&build);
	check_primitive(&document->meshes[0].primitives[0], &from);
	assert_float_equal(document->meshes[1].primitives[0].positions[(from.points - 1) * 3], 100.0f, 0);
	assert_ptr_equal(document->meshes[0].primitives[0].positions, document->meshes[2].primitives[0].positions);
	lrd_document_free(document);
	gltf_end(&build);
	unload(&from);
}

static void attributes_that_the_mesh_lacks_are_read_as_usual(void **state)
{
	(void)state;
	skip_without_draco();
	fixture from = load("edgebreaker");
	FIXTURE(build);
	gltf_member(&build, REQUIRED);
	int view = gltf_view(&build, from.stream.data, from.stream.size, 0);
	float *uv = calloc((size_t)from.points * 2, sizeof *uv);
	assert_non_null(uv);
	uv[1] = 0.25f;
	int plain = gltf_floats(&build, uv, from.points, "VEC2");
	free(uv);
	int first = add_accessors(&build, from.points, from.faces * 3);
	gltf_add(&build, "meshes",
		"{\"primitives\":[{\"indices\":%d,\"attributes\":{\"POSITION\":%d,\"TEXCOORD_0\":%d},\"extensions\":{"
		"\"KHR_draco_mesh_compression\":{\"bufferView\":%d,\"attributes\":{\"POSITION\":0,\"NORMAL\":1}}}}]}",
		first + ATTRIBUTES, first, plain, view);
	lrd_document *document = import_good(&build);
	const lrd_document_primitive *primitive = &document->meshes[0].primitives[0];
	check_values(primitive->positions, &from, 0);
	assert_float_equal(primitive->uv[0][1], 0.25f, 0);
	assert_null(primitive->normals);
	check_warning(document, "attribute", 1, "NORMAL of its Draco mesh is no attribute of it");
	lrd_document_free(document);
	gltf_end(&build);
	unload(&from);
}

static void sparse_elements_lie_over_those_of_the_mesh(void **state)
{
	(void)state;
	skip_without_draco();
	fixture from = load("edgebreaker");
	FIXTURE(build);
	gltf_member(&build, REQUIRED);
	int view = gltf_view(&build, from.stream.data, from.stream.size, 0);
	const float value[3] = { 7, 8, 9 };
	int at = gltf_view(&build, "\2", 1, 0), values = gltf_view(&build, value, sizeof value, 0);
	int positions = gltf_add(&build, "accessors",
		"{\"componentType\":5126,\"count\":%d,\"type\":\"VEC3\",\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":%d,"
		"\"componentType\":5121},\"values\":{\"bufferView\":%d}}}",
		from.points, at, values);
	gltf_add(&build, "meshes",
		"{\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"extensions\":{\"KHR_draco_mesh_compression\":{"
		"\"bufferView\":%d,\"attributes\":{\"POSITION\":0}}}}]}",
		positions, view);
	lrd_document *document = import_good(&build);
	memcpy(from.values[0] + 6, value, sizeof value);
	check_values(document->meshes[0].primitives[0].positions, &from, 0);
	lrd_document_free(document);
	gltf_end(&build);
	unload(&from);
}

static void integers_become_those_of_the_accessor_where_they_fit(void **state)
{
	(void)state;
	skip_without_draco();
	fixture from = load("edgebreaker");
	static const struct
	{
		const char *semantic, *type, *refusal;
		int id, component;
	} cases[] = {
		{ "JOINTS_0", "VEC4", NULL, 4, GLTF_U8 },   // of u16
		{ "WEIGHTS_0", "VEC4", NULL, 3, GLTF_F32 }, // of u8
		{ "JOINTS_0", "VEC4", "has no attribute 5 for JOINTS_0 that is VEC4 of u8", 5, GLTF_U8 },
		{ "COLOR_0", "VEC3", "has no attribute 3 for COLOR_0 that is VEC3 of u8", 3, GLTF_U8 },
		{ "COLOR_0", "VEC4", "has no attribute 77 for COLOR_0", 77, GLTF_U8 },
		{ "COLOR_0", "VEC4", "has no attribute 3 for COLOR_0 that is VEC4 of i8", 3, GLTF_I8 },
		{ "COLOR_0", "MAT2", "COLOR_0 can't be MAT2 of f32", 3, GLTF_F32 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
	{
		FIXTURE(build);
		gltf_member(&build, REQUIRED);
		int view = gltf_view(&build, from.stream.data, from.stream.size, 0);
		int first = add_accessors(&build, from.points, from.faces * 3);
		int changed = gltf_add(&build, "accessors", "{\"componentType\":%d,\"count\":%d,\"type\":\"%s\"}",
			cases[i].component, from.points, cases[i].type);
		gltf_add(&build, "meshes",
			"{\"name\":\"Body\",\"primitives\":[{\"indices\":%d,\"attributes\":{\"POSITION\":%d,\"%s\":%d},"
			"\"extensions\":{"
			"\"KHR_draco_mesh_compression\":{\"bufferView\":%d,\"attributes\":{\"POSITION\":0,\"%s\":%d}}}}]}",
			first + ATTRIBUTES, first, cases[i].semantic, changed, view, cases[i].semantic, cases[i].id);
		if (cases[i].refusal != NULL)
		{
			import_refused(&build, LRD_ERROR_FORMAT, cases[i].refusal);
		}
		else
		{
			lrd_document_free(import_good(&build));
		}
		gltf_end(&build);
	}
	unload(&from);
}

static void check_counts(const fixture *from, int points, int indices, const char *refusal)
{
	FIXTURE(build);
	add_stream(&build, from->stream.data, from->stream.size, points, indices, 4);
	if (refusal != NULL)
	{
		import_refused(&build, LRD_ERROR_FORMAT, refusal);
	}
	else
	{
		lrd_document *document = import_good(&build);
		check_warning(document, "draco-count", 1,
			"mesh \"Body\", primitive 0: its Draco mesh has 216 indices, its accessor 219; the mesh counts");
		check_primitive(&document->meshes[0].primitives[0], from);
		lrd_document_free(document);
	}
	gltf_end(&build);
}

static void counts_must_be_those_of_the_accessors(void **state)
{
	(void)state;
	skip_without_draco();
	fixture from = load("edgebreaker");
	check_counts(&from, from.points + 1, 216,
		"mesh \"Body\", primitive 0: its Draco mesh has 56 vertices, its accessors have 57");
	check_counts(&from, from.points - 1, 216, "its Draco mesh has 56 vertices, its accessors have 55");
	check_counts(&from, from.points, 213,
		"mesh \"Body\", primitive 0: its Draco mesh has 72 triangles, expected at most 71, by its index list");
	check_counts(&from, from.points, 219, NULL); // degenerate triangles get lost in encoding
	unload(&from);
	from = load("sequential");
	check_counts(&from, from.points + 1, 96, "its Draco mesh has 25 vertices, its accessors have 26");
	check_counts(&from, from.points, 93, "its Draco mesh has 32 triangles, expected at most 31");
	unload(&from);
}

static void accessors_of_a_mesh_must_agree(void **state)
{
	(void)state;
	skip_without_draco();
	fixture from = load("edgebreaker");
	FIXTURE(build);
	gltf_member(&build, REQUIRED);
	int view = gltf_view(&build, from.stream.data, from.stream.size, 0);
	int first = add_accessors(&build, from.points, from.faces * 3);
	int longer =
		gltf_add(&build, "accessors", "{\"componentType\":5126,\"count\":%d,\"type\":\"VEC3\"}", from.points + 1);
	gltf_add(&build, "meshes",
		"{\"name\":\"Body\",\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d},\"extensions\":{"
		"\"KHR_draco_mesh_compression\":{\"bufferView\":%d,\"attributes\":{\"POSITION\":0,\"NORMAL\":1}}}}]}",
		first, longer, view);
	import_refused(&build, LRD_ERROR_FORMAT, "mesh \"Body\", primitive 0: NORMAL has 57 elements, POSITION has 56");
	gltf_end(&build);
	unload(&from);
}

// The stream with its bytes from `at` replaced, imported; what it is refused with.
static void check_patched(
	const fixture *from, size_t at, const void *bytes, size_t size, lrd_error_code code, const char *refusal)
{
	uint8_t *patched = malloc(from->stream.size);
	assert_non_null(patched);
	memcpy(patched, from->stream.data, from->stream.size);
	memcpy(patched + at, bytes, size);
	FIXTURE(build);
	add_stream(&build, patched, from->stream.size, from->points, 2000000000, 4);
	import_refused(&build, code, refusal);
	gltf_end(&build);
	free(patched);
}

// Bitstream 2.2: "DRACO", version, encoder type and method, flags; then, of an edgebreaker, its traversal, the numbers
// of vertices and faces as LEB128, and the number of attributes with seams.
static void meshes_that_claim_too_much_are_refused(void **state)
{
	(void)state;
	skip_without_draco();
	fixture from = load("edgebreaker");
	check_patched(&from, 0, "DRAGO", 5, LRD_ERROR_FORMAT, "its Draco mesh can't be decoded: ");
	check_patched(&from, 5, "\2\1", 2, LRD_ERROR_UNSUPPORTED,
		"its Draco mesh is of bitstream 2.1, expected a triangle mesh of bitstream 2.2");
	check_patched(&from, 7, "\0", 1, LRD_ERROR_UNSUPPORTED, "its Draco mesh is a point cloud, expected");
	check_patched(&from, 8, "\7", 1, LRD_ERROR_UNSUPPORTED, "its Draco mesh is a mesh of an unknown encoding");
	// 49 vertices, 72 faces, 5 attributes with seams, ...: 49 vertices, 2^28 - 1 faces
	check_patched(
		&from, 13, "\xff\xff\xff\x7f", 4, LRD_ERROR_FORMAT, "has 268435455 triangles, expected at most 77856");
	// 65,000 faces, 255 attributes with seams: 400 MB
	check_patched(&from, 13, "\xe8\xfb\x03\xff", 4, LRD_ERROR_LIMIT, "its Draco mesh would take 4");
	// what texture coordinates are predicted with: 2^31 - 1 of it
	check_patched(&from, 568, "\xff\xff\xff\x7f", 4, LRD_ERROR_FORMAT,
		"its Draco mesh has 2147483647 orientations of texture coordinates, more than values");
	unload(&from);
	from = load("sequential");
	// 32 faces, 25 points, not compressed: 32 faces, 2^28 - 1 points
	check_patched(&from, 12, "\xff\xff\xff\x7f", 4, LRD_ERROR_FORMAT, "its Draco mesh ");
	unload(&from);
}

// Whatever comes of it, nothing is read or written where it should not be; sanitizers see to that.
static void damaged_meshes_are_refused_or_read(void **state)
{
	(void)state;
	skip_without_draco();
	static const char *const names[] = { "edgebreaker", "sequential" };
	uint32_t random = 1;
	unsigned refused = 0;
	for (int i = 0; i < 2; i++)
	{
		fixture from = load(names[i]);
		uint8_t *damaged = malloc(from.stream.size);
		assert_non_null(damaged);
		for (size_t round = 0; round < 600; round++)
		{
			size_t size = round < 200 ? from.stream.size * round / 200 + 1 : from.stream.size;
			memcpy(damaged, from.stream.data, from.stream.size);
			for (int flips = 0; round >= 200 && flips < 3; flips++)
			{
				random = random * 1664525u + 1013904223u;
				damaged[(random >> 8) % from.stream.size] ^= (uint8_t)(1u << (random >> 29));
			}
			FIXTURE(build);
			add_stream(&build, damaged, size, from.points, from.faces * 3, 4);
			lrd_error error;
			lrd_document *document = import_bytes(gltf_finish(&build, GLTF_FORM_BINARY), &error);
			refused += document == NULL;
			assert_true(document != NULL || strstr(error.message, "Body") != NULL);
			lrd_document_free(document);
			gltf_end(&build);
		}
		free(damaged);
		unload(&from);
	}
	assert_true(refused > 400);
}

static void what_the_extension_must_say_is_asked_for(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{ "\"attributes\":{\"POSITION\":0}", "KHR_draco_mesh_compression/bufferView: required, and missing" },
		{ "\"bufferView\":9,\"attributes\":{\"POSITION\":0}", "/bufferView: there is no buffer view 9" },
		{ "\"bufferView\":0", "KHR_draco_mesh_compression/attributes: found nothing, expected an object" },
		{ "\"bufferView\":0,\"attributes\":{\"POSITION\":\"0\"}", "/attributes/POSITION: found a string" },
		{ "\"bufferView\":1,\"attributes\":{\"POSITION\":0}",
			"KHR_draco_mesh_compression/bufferView: buffer view 1 lies in buffer 1, which has no data" },
	};
	skip_without_draco();
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
	{
		FIXTURE(build);
		gltf_member(&build, REQUIRED);
		gltf_view(&build, "DRACO", 5, 0);
		gltf_buffer(&build, "{\"byteLength\":9}");
		gltf_add(&build, "bufferViews", "{\"buffer\":1,\"byteLength\":9}");
		int bare = gltf_add(&build, "accessors", "{\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}");
		gltf_add(&build, "meshes",
			"{\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"extensions\":{\"KHR_draco_mesh_compression\":{%s}}}]"
			"}",
			bare, cases[i][0]);
		import_refused(&build, LRD_ERROR_FORMAT, cases[i][1]);
		gltf_end(&build);
	}
}

// Nothing is lost, whether there is libdraco or not, and nothing is told.
static void plain_accessors_beside_a_mesh_that_is_not_required_are_read(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_member(&build, "\"extensionsUsed\":[\"KHR_draco_mesh_compression\"]");
	int positions = gltf_corners(&build, 4);
	int indices = gltf_u16(&build, (const uint16_t[]){ 0, 1, 2 }, 3);
	int view = gltf_view(&build, "no mesh at all", 14, 0);
	gltf_add(&build, "meshes",
		"{\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"indices\":%d,\"extensions\":{\"KHR_draco_mesh_"
		"compression\":{"
		"\"bufferView\":%d,\"attributes\":{\"POSITION\":0}}}}]}",
		positions, indices, view);
	lrd_document *document = import_good(&build);
	check_no_warnings(document);
	check_floats(document->meshes[0].primitives[0].positions, (float[]){ 0, 0, 0, 1, 0, 0 }, 6);
	lrd_document_free(document);
	gltf_end(&build);
}

static void without_libdraco_the_option_is_named(void **state)
{
	(void)state;
#ifdef LRD_HAVE_DRACO
	print_message("skipped: larder is built with libdraco\n");
	skip();
#else
	fixture from = load("edgebreaker");
	FIXTURE(build);
	add_fixture(&build, &from);
	import_refused(&build, LRD_ERROR_UNSUPPORTED,
		"the file requires extension \"KHR_draco_mesh_compression\", which this larder was built without "
		"(LARDER_DRACO)");
	gltf_end(&build);
	gltf_member(&build, "\"extensionsUsed\":[\"KHR_draco_mesh_compression\"]");
	int view = gltf_view(&build, from.stream.data, from.stream.size, 0);
	add_mesh(&build, view, add_accessors(&build, from.points, from.faces * 3), 4);
	import_refused(&build, LRD_ERROR_UNSUPPORTED,
		"mesh \"Body\", primitive 0: POSITION is only there as KHR_draco_mesh_compression, which this larder was built "
		"without (LARDER_DRACO)");
	gltf_end(&build);
	unload(&from);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(meshes_of_both_encodings_are_read),
		cmocka_unit_test(strips_come_out_as_triangles),
		cmocka_unit_test(primitives_without_an_index_list_have_that_of_the_mesh),
		cmocka_unit_test(primitives_that_share_a_mesh_share_what_it_decodes_to),
		cmocka_unit_test(accessors_may_describe_two_meshes),
		cmocka_unit_test(attributes_that_the_mesh_lacks_are_read_as_usual),
		cmocka_unit_test(sparse_elements_lie_over_those_of_the_mesh),
		cmocka_unit_test(integers_become_those_of_the_accessor_where_they_fit),
		cmocka_unit_test(counts_must_be_those_of_the_accessors),
		cmocka_unit_test(accessors_of_a_mesh_must_agree),
		cmocka_unit_test(meshes_that_claim_too_much_are_refused),
		cmocka_unit_test(damaged_meshes_are_refused_or_read),
		cmocka_unit_test(what_the_extension_must_say_is_asked_for),
		cmocka_unit_test(plain_accessors_beside_a_mesh_that_is_not_required_are_read),
		cmocka_unit_test(without_libdraco_the_option_is_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
