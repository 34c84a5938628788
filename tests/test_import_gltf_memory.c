// Every allocation failing in turn, on a source that uses nearly everything.

#include "fixtures/gltf_check.h"

#include "base/memory.h"
#include "failing_allocator.h"
#include "os/os.h"

#include <meshoptimizer.h>

// As many as give every array a block of its own in the arena, so that each can fail by itself.
#define VERTICES 9000

static float floats[VERTICES * 4];
static uint8_t bytes[VERTICES * 4];
static uint16_t strip[VERTICES];

static void add_skinned_mesh(gltf_build *build)
{
	for (int i = 0; i < VERTICES; i++)
	{
		memcpy(&floats[i * 4], (const float[]){ 1, i % 2 == 0 ? 1 : 0, 0, 0 }, 4 * sizeof(float));
		memcpy(&bytes[i * 4], (const uint8_t[]){ (uint8_t)(i % 2), 1, 0, 0 }, 4);
		strip[i] = (uint16_t)(i != 50 ? i : 0xffff);
	}
	int p = gltf_floats(build, floats, VERTICES, "VEC3"), w = gltf_floats(build, floats, VERTICES, "VEC4");
	int view = gltf_view(build, bytes, sizeof bytes, 4);
	int j = gltf_accessor(build, view, GLTF_U8, false, VERTICES, "VEC4");
	int c = gltf_accessor(build, view, GLTF_U8, true, VERTICES, "VEC3");
	int indices = gltf_u16(build, strip, VERTICES);
	view = gltf_view(build, "\1", 1, 0);
	int values = gltf_view(build, floats, 12, 0);
	int sparse = gltf_add(build, "accessors",
		"{\"componentType\":5126,\"count\":%d,\"type\":\"VEC3\",\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":%d,"
		"\"componentType\":5121},\"values\":{\"bufferView\":%d}}}",
		VERTICES, view, values);
	gltf_add(build, "meshes",
		"{\"name\":\"Body\",\"extras\":{\"targetNames\":[\"Smile\"]},\"weights\":[1],\"primitives\":[{\"attributes\":{"
		"\"POSITION\":%d,"
		"\"NORMAL\":%d,\"COLOR_0\":%d,\"JOINTS_0\":%d,\"WEIGHTS_0\":%d},\"indices\":%d,\"mode\":5,\"material\":0,"
		"\"targets\":[{\"POSITION\":%d}],\"extensions\":{\"KHR_materials_variants\":{\"mappings\":[{\"material\":0,"
		"\"variants\":[0]}]}}},"
		"{\"attributes\":{\"POSITION\":%d},\"mode\":6},{\"attributes\":{\"POSITION\":%d}}]}",
		p, p, c, j, w, indices, sparse, p, p);
}

static void add_scene(gltf_build *build)
{
	const float binds[32] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0,
		0, 1 };
	static float times[VERTICES]; // the first two alike, the last back in time
	for (int i = 1; i < VERTICES - 1; i++)
	{
		times[i] = (float)(i - 1);
	}
	gltf_add(build, "skins", "{\"name\":\"Rig\",\"joints\":[1,2],\"skeleton\":1,\"inverseBindMatrices\":%d}",
		gltf_floats(build, binds, 2, "MAT4"));
	gltf_add(build, "nodes", "{\"name\":\"Man\",\"mesh\":0,\"skin\":0,\"weights\":[0.5],\"camera\":0}");
	gltf_add(build, "nodes",
		"{\"name\":\"Hip\",\"children\":[2],\"matrix\":[1,0,0,0,0.5,1,0,0,0,0,1,0,0,0,0,1],"
		"\"extensions\":{\"KHR_lights_punctual\":{\"light\":0}}}");
	gltf_add(build, "nodes", "{\"name\":\"Knee\",\"rotation\":[0,0,0,3]}");
	int t = gltf_floats(build, floats, VERTICES, "VEC3");
	gltf_add(build, "nodes",
		"{\"mesh\":0,\"extensions\":{\"EXT_mesh_gpu_instancing\":{\"attributes\":{\"TRANSLATION\":%d}}}}", t);
	gltf_add(build, "scenes", "{\"name\":\"Main\",\"nodes\":[0,1,3]}");
	gltf_member(build, "\"scene\":0");
	gltf_add(build, "cameras", "{\"name\":\"Eye\",\"type\":\"perspective\",\"perspective\":{\"yfov\":1,\"znear\":1}}");
	int input = gltf_floats(build, times, VERTICES, "SCALAR"), output = gltf_floats(build, floats, VERTICES, "VEC4");
	gltf_add(build, "animations",
		"{\"name\":\"Walk\",\"samplers\":[{\"input\":%d,\"output\":%d}],\"channels\":[{\"sampler\":0,\"target\":{"
		"\"node\":1,"
		"\"path\":\"rotation\"}},{\"sampler\":0,\"target\":{\"node\":2,\"path\":\"rotation\"}},{\"sampler\":0,"
		"\"target\":{\"node\":2,"
		"\"path\":\"rotation\"}}]}",
		input, output);
}

static void add_materials(gltf_build *build)
{
	gltf_add(build, "images", "{\"name\":\"A\",\"uri\":\"data:image/png;base64,AAAA\"}");
	gltf_add(build, "images", "{\"bufferView\":%d,\"mimeType\":\"image/png\"}", gltf_view(build, "PNG", 3, 0));
	gltf_add(build, "images", "{\"uri\":\"gone.png\"}");
	gltf_add(build, "samplers", "{\"wrapS\":33071}");
	gltf_add(build, "textures", "{\"source\":0,\"sampler\":0}");
	gltf_add(build, "materials",
		"{\"name\":\"Skin\",\"normalTexture\":{\"index\":0,\"texCoord\":1},\"extensions\":"
		"{\"KHR_materials_pbrSpecularGlossiness\":{\"diffuseTexture\":{\"index\":0}}}}");
	gltf_member(build, "\"extensionsUsed\":[\"KHR_materials_pbrSpecularGlossiness\",\"KHR_materials_variants\",\"KHR_"
					   "lights_punctual\","
					   "\"EXT_mesh_gpu_instancing\",\"ACME_thing\"],\"extensions\":{\"KHR_lights_punctual\":{"
					   "\"lights\":[{\"type\":\"spot\",\"name\":"
					   "\"Lamp\"}]},\"KHR_materials_variants\":{\"variants\":[{\"name\":\"Red\"}]}}");
}

// Instances whose places are a compressed view.
static void add_compressed(gltf_build *build)
{
	static unsigned char stream[VERTICES * 16];
	size_t size = meshopt_encodeVertexBuffer(stream, sizeof stream, floats, VERTICES, 12);
	assert_true(size != 0);
	gltf_view(build, stream, size, 0);
	gltf_buffer(build, "{\"byteLength\":%d}", VERTICES * 12);
	int view = gltf_add(build, "bufferViews",
		"{\"buffer\":1,\"byteLength\":%d,\"extensions\":{\"KHR_meshopt_compression\":{\"buffer\":0,\"byteOffset\":%zu,"
		"\"byteLength\":%zu,\"byteStride\":12,\"count\":%d,\"mode\":\"ATTRIBUTES\",\"filter\":\"EXPONENTIAL\"}}}",
		VERTICES * 12, build->size - size, size, VERTICES);
	int accessor = gltf_accessor(build, view, GLTF_F32, false, VERTICES, "VEC3");
	gltf_add(build, "nodes",
		"{\"mesh\":0,\"extensions\":{\"EXT_mesh_gpu_instancing\":{\"attributes\":{\"SCALE\":%d}}}}", accessor);
}

#ifdef LRD_HAVE_DRACO

static void add_draco(gltf_build *build)
{
	lrd_buffer stream = { 0 };
	lrd_error error;
	assert_true(lrd_file_read(LRD_TEST_SOURCE_DIR "/tests/data/draco/edgebreaker.drc", &stream, &error));
	int view = gltf_view(build, stream.data, stream.size, 0);
	lrd_buffer_free(&stream);
	int bare = gltf_add(build, "accessors", "{\"componentType\":5126,\"count\":56,\"type\":\"VEC3\"}");
	gltf_add(build, "meshes",
		"{\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"extensions\":{\"KHR_draco_mesh_compression\":{"
		"\"bufferView\":%d,\"attributes\":{\"POSITION\":0,\"NORMAL\":1}}}}]}",
		bare, view);
}

#else

static void add_draco(gltf_build *build)
{
	(void)build;
}

#endif

static lrd_document *import_with(failing_allocator *memory, lrd_bytes source, lrd_error *error)
{
	lrd_import_desc desc = {
		.root = "no-such-folder", .path = "a.gltf", .memory = source, .allocator = failing_allocator_get(memory)
	};
	return lrd_import_file(&desc, error);
}

static void check_every_failure(lrd_bytes source)
{
	failing_allocator memory;
	failing_allocator_init(&memory, -1);
	lrd_error error = { .code = LRD_OK };
	lrd_document *document = import_with(&memory, source, &error);
	assert_string_equal(error.message, "");
	assert_non_null(document);
	assert_true((long long)document->memory == memory.bytes_out);
	lrd_document_free(document);
	assert_int_equal(memory.bytes_out, 0);
	long long calls = memory.calls;
	assert_true(calls > 30); // else the arrays no longer fail one by one
	for (long long i = 0; i < calls; i++)
	{
		failing_allocator_init(&memory, i);
		error.code = LRD_OK;
		document = import_with(&memory, source, &error);
		assert_null(document);
		assert_int_equal(error.code, LRD_ERROR_MEMORY);
		assert_int_equal(memory.bytes_out, 0);
	}
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	FIXTURE(build);
	add_skinned_mesh(&build);
	add_scene(&build);
	add_materials(&build);
	add_compressed(&build);
	add_draco(&build);
	check_every_failure(gltf_finish(&build, GLTF_FORM_BINARY));
	check_every_failure(gltf_finish(&build, GLTF_FORM_DATA_URI));
	gltf_end(&build);
}

static void the_document_holds_only_what_it_shows(void **state)
{
	(void)state;
	FIXTURE(build);
	int p = gltf_floats(&build, floats, VERTICES, "VEC3");
	gltf_add(&build, "meshes", "{\"primitives\":[{\"attributes\":{\"POSITION\":%d}}]}", p);
	lrd_document *document = import_good(&build);
	size_t shown = VERTICES * 3 * sizeof(float) + VERTICES * sizeof(uint32_t);
	assert_true(document->memory >= shown);
	assert_true(document->memory < shown + (128 << 10));
	lrd_document_free(document);
	gltf_end(&build);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_allocation_may_fail),
		cmocka_unit_test(the_document_holds_only_what_it_shows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
