// Streams of meshopt compression: mode, filter, stride and count, then the stream. What decodes must decode to the same
// twice, whatever lay in the room before.

#include "import/gltf/meshopt.h"

#include <stdlib.h>
#include <string.h>

#define HEAD 4

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// As import/gltf/meshopt.c would have it.
static void make_sound(lrd_meshopt_stream *stream, unsigned stride)
{
	static const size_t strides[LRD_MESHOPT_FILTER_COUNT][2] = { { 0, 0 }, { 4, 8 }, { 8, 8 }, { 0, 0 }, { 4, 8 } };
	if (stream->mode != LRD_MESHOPT_ATTRIBUTES)
	{
		stream->filter = LRD_MESHOPT_NONE;
		stream->stride = stride % 2 == 0 ? 2 : 4;
		stream->count = stream->mode == LRD_MESHOPT_TRIANGLES ? (stream->count + 2) / 3 * 3 : stream->count;
		return;
	}
	size_t fixed = strides[stream->filter][stride % 2];
	stream->stride = fixed != 0 ? fixed : 4 * (1 + stride % 64);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < HEAD)
	{
		return 0;
	}
	lrd_meshopt_stream stream = { .mode = (lrd_meshopt_mode)(data[0] % LRD_MESHOPT_MODE_COUNT),
		.filter = (lrd_meshopt_filter)(data[0] / LRD_MESHOPT_MODE_COUNT % LRD_MESHOPT_FILTER_COUNT),
		.count = 1u + data[2] + 256u * (data[3] % 8),
		.data = data + HEAD,
		.size = size - HEAD };
	make_sound(&stream, data[1]);
	if (stream.size < lrd_meshopt_least(&stream))
	{
		return 0;
	}
	size_t bytes = stream.count * stream.stride;
	uint8_t *a = malloc(bytes), *b = malloc(bytes);
	if (a == NULL || b == NULL)
	{
		abort();
	}
	memset(a, 0x55, bytes);
	memset(b, 0xaa, bytes);
	const char *problem = lrd_meshopt_decode(&stream, a);
	if (problem != lrd_meshopt_decode(&stream, b) || (problem == NULL && memcmp(a, b, bytes) != 0))
	{
		abort();
	}
	free(a);
	free(b);
	return 0;
}
