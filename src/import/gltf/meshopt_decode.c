// import/gltf/meshopt_decode.c: a stream of meshopt compression by its mode and version: meshoptimizer's decoders for
// what its 0.18 reads, larder's own for the rest, then the filter.

#include "import/gltf/meshopt.h"

#include <meshoptimizer.h>

// The first byte of a stream: the mode's mark and a version. Index streams of version 0 are older than the extensions;
// meshoptimizer reads them.
#define VERSION_MASK 0x0f
static const struct
{
	uint8_t mark;
	const char *other;   // of streams that begin otherwise
	const char *damaged; // of those that are not what they should be
} modes[LRD_MESHOPT_MODE_COUNT] = {
	[LRD_MESHOPT_ATTRIBUTES] = { 0xa0, "does not begin as a stream of attributes (0xa0 or 0xa1)",
		"is no stream of attributes of that count and byteStride" },
	[LRD_MESHOPT_TRIANGLES] = { 0xe0, "does not begin as a stream of triangles (0xe1)",
		"is no stream of triangles of that count" },
	[LRD_MESHOPT_INDICES] = { 0xd0, "does not begin as a stream of indices (0xd1)",
		"is no stream of indices of that count" },
};

static size_t round_up(size_t value, size_t unit)
{
	return value / unit + (value % unit != 0);
}

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static unsigned version_of(const lrd_meshopt_stream *stream)
{
	return stream->size != 0 ? stream->data[0] & VERSION_MASK : 0;
}

// "Mode 0: attributes": a block has control bytes in version 1, and in version 0 two bits for each 16 elements of each
// byte position; then comes the tail.
static size_t least_attributes(const lrd_meshopt_stream *stream)
{
	size_t stride = stream->stride;
	size_t most = 8192 / stride & ~(size_t)15;
	most = most < 256 ? most : 256;
	if (version_of(stream) == 0)
	{
		return 1 + stream->count / 64 * stride + larger(stride, 32);
	}
	return 1 + round_up(stream->count, most) * (stride / 4) + larger(stride + stride / 4, 24);
}

size_t lrd_meshopt_least(const lrd_meshopt_stream *stream)
{
	switch (stream->mode)
	{
	case LRD_MESHOPT_ATTRIBUTES: return least_attributes(stream);
	case LRD_MESHOPT_TRIANGLES: return 1 + stream->count / 3 + 16;
	case LRD_MESHOPT_INDICES:
	case LRD_MESHOPT_MODE_COUNT: break;
	}
	return 1 + stream->count + 4;
}

static bool decode(const lrd_meshopt_stream *s, void *out)
{
	switch (s->mode)
	{
	case LRD_MESHOPT_ATTRIBUTES:
		return version_of(s) == 0 ? meshopt_decodeVertexBuffer(out, s->count, s->stride, s->data, s->size) == 0
								  : lrd_meshopt_decode_attributes(s, out);
	case LRD_MESHOPT_TRIANGLES: return meshopt_decodeIndexBuffer(out, s->count, s->stride, s->data, s->size) == 0;
	case LRD_MESHOPT_INDICES: return meshopt_decodeIndexSequence(out, s->count, s->stride, s->data, s->size) == 0;
	case LRD_MESHOPT_MODE_COUNT: break;
	}
	return false;
}

static void unfilter(const lrd_meshopt_stream *stream, void *out)
{
	switch (stream->filter)
	{
	case LRD_MESHOPT_OCTAHEDRAL: lrd_meshopt_filter_octahedral(out, stream->count, stream->stride); break;
	case LRD_MESHOPT_QUATERNION: lrd_meshopt_filter_quaternion(out, stream->count); break;
	case LRD_MESHOPT_EXPONENTIAL: lrd_meshopt_filter_exponential(out, stream->count, stream->stride); break;
	case LRD_MESHOPT_COLOR: lrd_meshopt_filter_color(out, stream->count, stream->stride); break;
	case LRD_MESHOPT_NONE:
	case LRD_MESHOPT_FILTER_COUNT: break;
	}
}

const char *lrd_meshopt_decode(const lrd_meshopt_stream *stream, void *out)
{
	uint8_t first = stream->size != 0 ? stream->data[0] : 0;
	if ((first & ~VERSION_MASK) != modes[stream->mode].mark || (first & VERSION_MASK) > 1)
	{
		return modes[stream->mode].other;
	}
	if (!decode(stream, out))
	{
		return modes[stream->mode].damaged;
	}
	unfilter(stream, out);
	return NULL;
}
