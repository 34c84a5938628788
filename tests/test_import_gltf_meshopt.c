// Buffer views that are compressed by EXT_meshopt_compression and KHR_meshopt_compression: streams of every mode, version
// and filter, the rules of the extensions, fallback buffers, streams that are damaged.

#include "fixtures/gltf_check.h"

#include "import/gltf/meshopt.h"
#include "os/os.h"

#include <math.h>
#include <meshoptimizer.h>
#include <stdlib.h>

// What the npm package meshoptimizer encodes, and what its reference decoder makes of it: fixtures/meshopt_make.mjs.
#define STREAMS LRD_TEST_SOURCE_DIR "/tests/data/meshopt/streams.bin"

typedef struct recorded
{
	lrd_meshopt_stream stream;
	const uint8_t *result;
	size_t size; ///< of the result
} recorded;

static lrd_buffer streams;

static int read_streams(void **state)
{
	(void)state;
	lrd_error error;
	return lrd_file_read(STREAMS, &streams, &error) ? 0 : -1;
}

static int free_streams(void **state)
{
	(void)state;
	lrd_buffer_free(&streams);
	return 0;
}

// The record at `*at`, which goes on to the next; false at the end.
static bool next_record(size_t *at, recorded *record)
{
	if (*at >= streams.size)
	{
		return false;
	}
	uint32_t head[5];
	const uint8_t *bytes = (const uint8_t *)streams.data + *at;
	memcpy(head, bytes, sizeof head);
	record->stream = (lrd_meshopt_stream){ .mode = (lrd_meshopt_mode)head[0],
		.filter = (lrd_meshopt_filter)head[1],
		.count = head[2],
		.stride = head[3],
		.data = bytes + sizeof head,
		.size = head[4] };
	record->result = bytes + sizeof head + head[4];
	record->size = (size_t)head[2] * head[3];
	*at += sizeof head + head[4] + record->size;
	return true;
}

static int component(const uint8_t *bytes, size_t i, bool wide, bool is_signed)
{
	if (!wide)
	{
		return is_signed ? (int8_t)bytes[i] : bytes[i];
	}
	int value = bytes[2 * i] | bytes[2 * i + 1] << 8;
	return is_signed && value > 32767 ? value - 65536 : value;
}

// Filters other than EXPONENTIAL may be one step off ("Appendix B").
static void check_result(const recorded *record, const uint8_t *found)
{
	lrd_meshopt_filter filter = record->stream.filter;
	if (filter == LRD_MESHOPT_NONE || filter == LRD_MESHOPT_EXPONENTIAL)
	{
		assert_memory_equal(found, record->result, record->size);
		return;
	}
	bool wide = record->stream.stride == 8, is_signed = filter != LRD_MESHOPT_COLOR;
	for (size_t i = 0; i < record->size / (wide ? 2 : 1); i++)
	{
		int a = component(found, i, wide, is_signed), b = component(record->result, i, wide, is_signed);
		assert_true(a - b <= 1 && b - a <= 1);
	}
}

static void streams_of_every_mode_version_and_filter_are_decoded(void **state)
{
	(void)state;
	unsigned seen[LRD_MESHOPT_MODE_COUNT][2][LRD_MESHOPT_FILTER_COUNT] = { 0 };
	recorded record;
	for (size_t at = 0; next_record(&at, &record);)
	{
		uint8_t *found = malloc(record.size);
		assert_non_null(found);
		assert_true(lrd_meshopt_least(&record.stream) <= record.stream.size);
		const char *problem = lrd_meshopt_decode(&record.stream, found);
		assert_null(problem);
		check_result(&record, found);
		seen[record.stream.mode][record.stream.data[0] & 1][record.stream.filter]++;
		free(found);
	}
	for (unsigned version = 0; version < 2; version++)
	{
		for (unsigned filter = 0; filter < LRD_MESHOPT_FILTER_COUNT; filter++)
		{
			assert_true(seen[LRD_MESHOPT_ATTRIBUTES][version][filter] >= 5);
		}
	}
	assert_true(seen[LRD_MESHOPT_TRIANGLES][1][0] == 2 && seen[LRD_MESHOPT_INDICES][1][0] == 2);
}

static void streams_that_are_cut_or_too_long_are_refused(void **state)
{
	(void)state;
	recorded record;
	uint8_t *longer = malloc(1 << 16), *found = malloc(1 << 16);
	assert_true(longer != NULL && found != NULL);
	for (size_t at = 0; next_record(&at, &record);)
	{
		lrd_meshopt_stream cut = record.stream;
		for (cut.size = 0; cut.size < record.stream.size; cut.size += 1 + cut.size / 16)
		{
			assert_true(cut.size < lrd_meshopt_least(&cut) || lrd_meshopt_decode(&cut, found) != NULL);
		}
		memcpy(longer, record.stream.data, record.stream.size);
		memset(longer + record.stream.size, 0, 40);
		cut.data = longer;
		cut.size = record.stream.size + 40;
		assert_non_null(lrd_meshopt_decode(&cut, found));
	}
	free(longer);
	free(found);
}

// Nothing is asked of the result but that there is one, the same each time; sanitizers see the rest.
static void damaged_streams_give_the_same_each_time(void **state)
{
	(void)state;
	recorded record;
	uint32_t random = 1;
	uint8_t *damaged = malloc(1 << 16);
	uint8_t *found[2] = { malloc(1 << 16), malloc(1 << 16) };
	assert_true(damaged != NULL && found[0] != NULL && found[1] != NULL);
	for (size_t at = 0; next_record(&at, &record);)
	{
		for (int round = 0; round < 20; round++)
		{
			lrd_meshopt_stream stream = record.stream;
			memcpy(damaged, stream.data, stream.size);
			stream.data = damaged;
			for (int i = 0; i < 3; i++)
			{
				random = random * 1664525u + 1013904223u;
				damaged[1 + (random >> 8) % (stream.size - 1)] ^= (uint8_t)(1u << (random >> 29));
			}
			memset(found[0], 1, record.size);
			memset(found[1], 2, record.size);
			const char *first = lrd_meshopt_decode(&stream, found[0]);
			assert_ptr_equal(first, lrd_meshopt_decode(&stream, found[1]));
			if (first == NULL)
			{
				assert_memory_equal(found[0], found[1], record.size);
			}
		}
	}
	free(damaged);
	free(found[0]);
	free(found[1]);
}

static void filters_make_numbers_of_whatever_is_stored(void **state)
{
	(void)state;
	int16_t wide[256][4];
	int8_t narrow[256][4];
	uint32_t words[256];
	for (int i = 0; i < 256; i++)
	{
		for (int c = 0; c < 4; c++)
		{
			int value = i * 257 * (c + 1) + (c == 2 ? 0 : i);
			wide[i][c] = (int16_t)value;
			narrow[i][c] = (int8_t)(i + c * 37);
		}
		wide[i][2] = (int16_t)(i < 8 ? i - 4 : wide[i][2]); // what stands for 1: zero and negative among it
		narrow[i][2] = (int8_t)(i < 8 ? i - 4 : narrow[i][2]);
		words[i] = (uint32_t)i << 24 | 0x7fffff;
	}
	lrd_meshopt_filter_octahedral(wide, 256, 8);
	lrd_meshopt_filter_octahedral(narrow, 256, 4);
	for (int i = 0; i < 256; i++)
	{
		assert_true(wide[i][0] >= -32767 && wide[i][1] >= -32767 && wide[i][2] >= -32767);
		assert_true(narrow[i][0] >= -127 && narrow[i][1] >= -127 && narrow[i][2] >= -127);
	}
	lrd_meshopt_filter_quaternion(wide, 256);
	lrd_meshopt_filter_color(wide, 256, 8);
	lrd_meshopt_filter_color(narrow, 256, 4);
	lrd_meshopt_filter_exponential(words, 256, 4);
	float value;
	memcpy(&value, &words[0], sizeof value);
	assert_float_equal(value, 8388607.0f, 0);
	memcpy(&value, &words[100], sizeof value);
	assert_true(value == ldexpf(8388607.0f, 100));
	memcpy(&value, &words[128], sizeof value);
	assert_true(value == ldexpf(8388607.0f, -128));
}

#define EXT "EXT_meshopt_compression"
#define KHR "KHR_meshopt_compression"

static const float corners[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };

// Encoded bytes in the buffer: where they are, how many.
typedef struct encoded
{
	size_t offset;
	size_t size;
} encoded;

static encoded put(gltf_build *build, const void *data, size_t size)
{
	gltf_view(build, data, size, 0);
	return (encoded){ build->size - size, size };
}

static encoded put_attributes(gltf_build *build, const void *elements, size_t count, size_t stride)
{
	unsigned char room[4096];
	assert_true(meshopt_encodeVertexBufferBound(count, stride) <= sizeof room);
	return put(build, room, meshopt_encodeVertexBuffer(room, sizeof room, elements, count, stride));
}

static encoded put_indices(gltf_build *build, bool triangles, const unsigned *indices, size_t count, size_t vertices)
{
	unsigned char room[4096];
	meshopt_encodeIndexVersion(1);
	size_t size = triangles ? meshopt_encodeIndexBuffer(room, sizeof room, indices, count)
							: meshopt_encodeIndexSequence(room, sizeof room, indices, count);
	assert_true(size != 0 && vertices != 0);
	return put(build, room, size);
}

/// A view of buffer 1, `length` bytes of it, that is really a stream of buffer 0. `more` begins with a comma.
static int packed_view(gltf_build *build, const char *name, encoded bytes, size_t length, const char *more)
{
	return gltf_add(build, "bufferViews",
		"{\"buffer\":1,\"byteLength\":%zu,\"extensions\":{\"%s\":{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu%s}"
		"}}",
		length, name, bytes.offset, bytes.size, more);
}

static void use(gltf_build *build, const char *name)
{
	gltf_buffer(build, "{\"byteLength\":65536,\"extensions\":{\"%s\":{\"fallback\":true}}}", name);
	gltf_member(build, "\"extensionsUsed\":[\"%s\"],\"extensionsRequired\":[\"%s\"]", name, name);
}

// A triangle whose positions are a stream of `more`.
static void add_triangle(gltf_build *build, const char *name, const char *more)
{
	use(build, name);
	int view = packed_view(build, name, put_attributes(build, corners, 3, 12), sizeof corners, more);
	int positions = gltf_accessor(build, view, GLTF_F32, false, 3, "VEC3");
	gltf_add(build, "meshes", "{\"name\":\"Body\",\"primitives\":[{\"attributes\":{\"POSITION\":%d}}]}", positions);
}

#define GOOD ",\"byteStride\":12,\"count\":3,\"mode\":\"ATTRIBUTES\""

static void both_extensions_are_read(void **state)
{
	(void)state;
	static const char *const names[] = { EXT, KHR };
	for (int i = 0; i < 2; i++)
	{
		FIXTURE(build);
		add_triangle(&build, names[i], GOOD);
		lrd_document *document = import_good(&build);
		check_floats(document->meshes[0].primitives[0].positions, corners, 9);
		assert_null(find_warning(document, "extension"));
		lrd_document_free(document);
		gltf_end(&build);
	}
}

static void indices_of_both_modes_and_sizes_are_read(void **state)
{
	(void)state;
	static const unsigned list[] = { 0, 1, 2, 2, 1, 3 };
	for (int i = 0; i < 4; i++)
	{
		FIXTURE(build);
		bool triangles = i % 2 == 0, wide = i >= 2;
		use(&build, KHR);
		char more[96];
		(void)snprintf(more, sizeof more, ",\"byteStride\":%d,\"count\":6,\"mode\":\"%s\"", wide ? 4 : 2,
			triangles ? "TRIANGLES" : "INDICES");
		int view = packed_view(&build, KHR, put_indices(&build, triangles, list, 6, 4), wide ? 24 : 12, more);
		int indices = gltf_accessor(&build, view, wide ? GLTF_U32 : GLTF_U16, false, 6, "SCALAR");
		gltf_add(&build, "meshes", "{\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"indices\":%d}]}",
			gltf_corners(&build, 4), indices);
		lrd_document *document = import_good(&build);
		check_no_warnings(document);
		check_indices(&document->meshes[0].primitives[0], list, 6);
		lrd_document_free(document);
		gltf_end(&build);
	}
}

static void an_index_that_a_stream_decodes_to_may_be_out_of_range(void **state)
{
	(void)state;
	static const unsigned list[] = { 0, 1, 70000 };
	FIXTURE(build);
	use(&build, KHR);
	int view = packed_view(
		&build, KHR, put_indices(&build, false, list, 3, 3), 12, ",\"byteStride\":4,\"count\":3,\"mode\":\"INDICES\"");
	int indices = gltf_accessor(&build, view, GLTF_U32, false, 3, "SCALAR");
	gltf_add(&build, "meshes", "{\"name\":\"Body\",\"primitives\":[{\"attributes\":{\"POSITION\":%d},\"indices\":%d}]}",
		gltf_corners(&build, 3), indices);
	import_refused(&build, LRD_ERROR_FORMAT,
		"mesh \"Body\", primitive 0: index 70000 is out of range (the primitive has 3 vertices)");
	gltf_end(&build);
}

static void fallback_buffers_are_not_looked_for(void **state)
{
	(void)state;
	FIXTURE(build);
	gltf_buffer(&build, "{\"byteLength\":36,\"uri\":\"gone.bin\",\"extensions\":{\"%s\":{\"fallback\":true}}}", EXT);
	gltf_member(&build, "\"extensionsUsed\":[\"%s\"]", EXT);
	int view = packed_view(&build, EXT, put_attributes(&build, corners, 3, 12), sizeof corners, GOOD);
	int positions = gltf_accessor(&build, view, GLTF_F32, false, 3, "VEC3");
	gltf_add(&build, "meshes", "{\"primitives\":[{\"attributes\":{\"POSITION\":%d}}]}", positions);
	lrd_document *document = import_good(&build);
	check_floats(document->meshes[0].primitives[0].positions, corners, 9);
	assert_int_equal(document->dependency_count, 0);
	lrd_document_free(document);
	gltf_end(&build);
}

static void plain_views_of_a_fallback_buffer_have_no_data(void **state)
{
	(void)state;
	FIXTURE(build);
	use(&build, KHR);
	gltf_view(&build, corners, sizeof corners, 0);
	int view = gltf_add(&build, "bufferViews", "{\"buffer\":1,\"byteLength\":36}");
	int positions = gltf_accessor(&build, view, GLTF_F32, false, 3, "VEC3");
	gltf_add(&build, "meshes", "{\"name\":\"Body\",\"primitives\":[{\"attributes\":{\"POSITION\":%d}}]}", positions);
	import_refused(&build, LRD_ERROR_FORMAT,
		"mesh \"Body\", primitive 0: accessor 0 lies in buffer 1, which has no data: it is a fallback");
	gltf_end(&build);
	use(&build, KHR);
	gltf_view(&build, corners, sizeof corners, 0);
	gltf_add(&build, "bufferViews",
		"{\"buffer\":1,\"byteLength\":36,\"extensions\":{\"%s\":{\"buffer\":1,\"byteLength\":9%s}}}", KHR, GOOD);
	import_refused(&build, LRD_ERROR_FORMAT,
		"/bufferViews/1/extensions/KHR_meshopt_compression: its bytes are those of buffer 1, which has no data: it is "
		"a "
		"fallback");
	gltf_end(&build);
}

static void rules_that_a_stream_breaks_are_named(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{ ",\"byteStride\":12,\"count\":3", "/mode: required, and missing" },
		{ ",\"byteStride\":12,\"count\":3,\"mode\":\"POINTS\"", "/mode: found \"POINTS\"" },
		{ ",\"byteStride\":12,\"count\":3,\"mode\":7", "/mode: found a number, expected a string" },
		{ GOOD ",\"filter\":\"SEPIA\"", "/filter: found \"SEPIA\"" },
		{ ",\"byteStride\":6,\"count\":6,\"mode\":\"ATTRIBUTES\"",
			": byteStride is 6, with ATTRIBUTES expected a multiple of 4 up to 256" },
		{ ",\"count\":6,\"mode\":\"ATTRIBUTES\"", ": byteStride is 0, with ATTRIBUTES expected" },
		{ ",\"byteStride\":260,\"count\":3,\"mode\":\"ATTRIBUTES\"", ": byteStride is 260, with ATTRIBUTES" },
		{ ",\"byteStride\":12,\"count\":3,\"mode\":\"TRIANGLES\"",
			": byteStride is 12, with TRIANGLES expected 2 or 4" },
		{ ",\"byteStride\":1,\"count\":36,\"mode\":\"INDICES\"", ": byteStride is 1, with INDICES expected 2 or 4" },
		{ ",\"byteStride\":4,\"count\":10,\"mode\":\"TRIANGLES\"",
			": count is 10, with TRIANGLES expected a multiple" },
		{ ",\"byteStride\":4,\"count\":9,\"mode\":\"INDICES\",\"filter\":\"EXPONENTIAL\"",
			": filter EXPONENTIAL goes with ATTRIBUTES alone, mode is INDICES" },
		{ GOOD ",\"filter\":\"OCTAHEDRAL\"", ": byteStride is 12, with OCTAHEDRAL expected 4 or 8" },
		{ GOOD ",\"filter\":\"COLOR\"", ": byteStride is 12, with COLOR expected 4 or 8" },
		{ GOOD ",\"filter\":\"QUATERNION\"", ": byteStride is 12, with QUATERNION expected 8" },
		{ ",\"byteStride\":12,\"count\":4,\"mode\":\"ATTRIBUTES\"",
			": count 4 times byteStride 12 is not the buffer view's byteLength of 36" },
		{ ",\"byteStride\":12,\"count\":1152921504606846979,\"mode\":\"ATTRIBUTES\"", "/count: found" },
		{ ",\"byteStride\":4,\"count\":9,\"mode\":\"INDICES\"",
			": what buffer view 1 holds does not begin as a stream of "
			"indices (0xd1)" },
		{ ",\"byteStride\":4,\"count\":9,\"mode\":\"TRIANGLES\"", "does not begin as a stream of triangles (0xe1)" },
		{ ",\"byteStride\":4,\"count\":9,\"mode\":\"ATTRIBUTES\"",
			"is no stream of attributes of that count and byteStride" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
	{
		FIXTURE(build);
		add_triangle(&build, KHR, cases[i][0]);
		char text[256];
		(void)snprintf(text, sizeof text, "/bufferViews/1/extensions/KHR_meshopt_compression%s", cases[i][1]);
		import_refused(&build, LRD_ERROR_FORMAT, cases[i][1][0] != 'd' && cases[i][1][0] != 'i' ? text : cases[i][1]);
		gltf_end(&build);
	}
}

static void where_a_stream_lies_is_checked(void **state)
{
	(void)state;
	static const char *const cases[][2] = {
		{ "\"byteLength\":9", "/buffer: required, and missing" },
		{ "\"buffer\":5,\"byteLength\":9", "/buffer: there is no buffer 5" },
		{ "\"buffer\":0,\"byteLength\":99", ": bytes 0 to 99 lie outside buffer 0, which has 36" },
		{ "\"buffer\":0,\"byteOffset\":37,\"byteLength\":1", ": bytes 37 to 38 lie outside buffer 0" },
		{ "\"buffer\":0", ": 3 elements take 33 encoded bytes at least, it has 0" },
		{ "\"buffer\":0,\"byteLength\":9", ": 3 elements take 33 encoded bytes at least, it has 9" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
	{
		FIXTURE(build);
		use(&build, KHR);
		gltf_view(&build, corners, sizeof corners, 0);
		gltf_add(&build, "bufferViews", "{\"buffer\":1,\"byteLength\":36,\"extensions\":{\"%s\":{%s%s}}}", KHR,
			cases[i][0], GOOD);
		char text[256];
		(void)snprintf(text, sizeof text, "/bufferViews/1/extensions/KHR_meshopt_compression%s", cases[i][1]);
		import_refused(&build, LRD_ERROR_FORMAT, text);
		gltf_end(&build);
	}
}

// Three vertices that are two apart: one bufferView's stride over another's elements.
static void the_stride_of_the_view_is_that_of_its_elements_in_ext_alone(void **state)
{
	(void)state;
	static const float spread[18] = { 0, 0, 0, 9, 9, 9, 1, 0, 0, 9, 9, 9, 0, 1, 0, 9, 9, 9 };
	static const char *const names[] = { KHR, EXT };
	for (int i = 0; i < 2; i++)
	{
		FIXTURE(build);
		use(&build, names[i]);
		encoded bytes = put_attributes(&build, spread, 6, 12);
		int view = gltf_add(&build, "bufferViews",
			"{\"buffer\":1,\"byteLength\":72,\"byteStride\":24,\"extensions\":{\"%s\":{\"buffer\":0,\"byteOffset\":%zu,"
			"\"byteLength\":%zu,\"byteStride\":12,\"count\":6,\"mode\":\"ATTRIBUTES\"}}}",
			names[i], bytes.offset, bytes.size);
		int positions = gltf_accessor(&build, view, GLTF_F32, false, 3, "VEC3");
		gltf_add(&build, "meshes", "{\"primitives\":[{\"attributes\":{\"POSITION\":%d}}]}", positions);
		if (i == 1)
		{
			import_refused(&build, LRD_ERROR_FORMAT,
				"/bufferViews/1/extensions/EXT_meshopt_compression: byteStride is 12, the buffer view's 24");
			gltf_end(&build);
			continue;
		}
		lrd_document *document = import_good(&build);
		check_floats(document->meshes[0].primitives[0].positions, corners, 9);
		lrd_document_free(document);
		gltf_end(&build);
	}
}

// The first recorded stream of a filter, version 1, as instances' rotations or scales would have it.
static recorded find_record(lrd_meshopt_filter filter, unsigned version)
{
	recorded record = { .size = 0 };
	for (size_t at = 0; next_record(&at, &record);)
	{
		if (record.stream.filter == filter && (record.stream.data[0] & 1) == (int)version && record.size > 8)
		{
			return record;
		}
	}
	fail_msg("no stream of filter %d", (int)filter);
	return record;
}

static int recorded_view(gltf_build *build, const char *name, const recorded *record, const char *mode)
{
	char more[128];
	(void)snprintf(more, sizeof more, ",\"byteStride\":%zu,\"count\":%zu,\"mode\":\"ATTRIBUTES\",\"filter\":\"%s\"",
		record->stream.stride, record->stream.count, mode);
	return packed_view(build, name, put(build, record->stream.data, record->stream.size), record->size, more);
}

static void what_only_the_khr_extension_has_is_told_in_ext(void **state)
{
	(void)state;
	FIXTURE(build);
	use(&build, EXT);
	recorded color = find_record(LRD_MESHOPT_COLOR, 0), exponential = find_record(LRD_MESHOPT_EXPONENTIAL, 1);
	recorded_view(&build, EXT, &color, "COLOR");
	recorded_view(&build, EXT, &exponential, "EXPONENTIAL");
	lrd_document *document = import_good(&build);
	assert_int_equal(document->warning_count, 2);
	check_warning(document, "extension", 1, "filter COLOR is of KHR_meshopt_compression; read all the same");
	lrd_document_free(document);
	gltf_end(&build);
}

static void a_view_with_both_extensions_is_read_once(void **state)
{
	(void)state;
	FIXTURE(build);
	use(&build, KHR);
	encoded bytes = put_attributes(&build, corners, 3, 12);
	int view = gltf_add(&build, "bufferViews",
		"{\"buffer\":1,\"byteLength\":36,\"extensions\":{\"%s\":{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu%s},"
		"\"%s\":{}}}",
		KHR, bytes.offset, bytes.size, GOOD, EXT);
	int positions = gltf_accessor(&build, view, GLTF_F32, false, 3, "VEC3");
	gltf_add(&build, "meshes", "{\"primitives\":[{\"attributes\":{\"POSITION\":%d}}]}", positions);
	lrd_document *document = import_good(&build);
	check_floats(document->meshes[0].primitives[0].positions, corners, 9);
	check_warning(document, "extension", 1, "/bufferViews/1: it has both meshopt extensions");
	lrd_document_free(document);
	gltf_end(&build);
}

static void bounds_of_what_a_filter_rounded_are_not_told(void **state)
{
	(void)state;
	for (int filtered = 0; filtered < 2; filtered++)
	{
		FIXTURE(build);
		use(&build, KHR);
		recorded record = find_record(LRD_MESHOPT_EXPONENTIAL, 1);
		int view = recorded_view(&build, KHR, &record, "EXPONENTIAL");
		if (filtered == 0)
		{
			view = packed_view(&build, KHR, put_attributes(&build, corners, 3, 12), sizeof corners, GOOD);
		}
		gltf_add(&build, "accessors",
			"{\"bufferView\":%d,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[5,5,5],\"max\":[6,6,6]}",
			view);
		gltf_add(&build, "meshes", "{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}");
		lrd_document *document = import_good(&build);
		assert_int_equal(find_warning(document, "accessor-bounds") != NULL, filtered == 0);
		lrd_document_free(document);
		gltf_end(&build);
	}
}

// What compresses a thousand to one can't be as large as it says.
static void streams_that_blow_up_are_refused(void **state)
{
	(void)state;
	enum
	{
		BLOCKS = 1 << 18, // of 256 elements of 4 bytes
		TAIL = 24
	};
	FIXTURE(build);
	gltf_buffer(&build, "{\"byteLength\":%d}", BLOCKS * 1024);
	gltf_member(&build, "\"extensionsUsed\":[\"%s\"],\"extensionsRequired\":[\"%s\"]", KHR, KHR);
	uint8_t *stream = calloc(1, 1 + BLOCKS + TAIL);
	assert_non_null(stream);
	stream[0] = 0xa1;
	memset(stream + 1, 0xaa, BLOCKS); // all deltas are zero
	encoded bytes = put(&build, stream, 1 + BLOCKS + TAIL);
	free(stream);
	char more[96];
	(void)snprintf(more, sizeof more, ",\"byteStride\":4,\"count\":%d,\"mode\":\"ATTRIBUTES\"", BLOCKS * 256);
	packed_view(&build, KHR, bytes, (size_t)BLOCKS * 1024, more);
	import_refused(&build, LRD_ERROR_LIMIT, "more data than the file can back: decoding would pass 512 times");
	gltf_end(&build);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams_of_every_mode_version_and_filter_are_decoded),
		cmocka_unit_test(streams_that_are_cut_or_too_long_are_refused),
		cmocka_unit_test(damaged_streams_give_the_same_each_time),
		cmocka_unit_test(filters_make_numbers_of_whatever_is_stored),
		cmocka_unit_test(both_extensions_are_read),
		cmocka_unit_test(indices_of_both_modes_and_sizes_are_read),
		cmocka_unit_test(an_index_that_a_stream_decodes_to_may_be_out_of_range),
		cmocka_unit_test(fallback_buffers_are_not_looked_for),
		cmocka_unit_test(plain_views_of_a_fallback_buffer_have_no_data),
		cmocka_unit_test(rules_that_a_stream_breaks_are_named),
		cmocka_unit_test(where_a_stream_lies_is_checked),
		cmocka_unit_test(the_stride_of_the_view_is_that_of_its_elements_in_ext_alone),
		cmocka_unit_test(what_only_the_khr_extension_has_is_told_in_ext),
		cmocka_unit_test(a_view_with_both_extensions_is_read_once),
		cmocka_unit_test(bounds_of_what_a_filter_rounded_are_not_told),
		cmocka_unit_test(streams_that_blow_up_are_refused),
	};
	return cmocka_run_group_tests(tests, read_streams, free_streams);
}
