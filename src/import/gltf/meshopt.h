// import/gltf/meshopt.h: streams of EXT_meshopt_compression and KHR_meshopt_compression: bytes in, bytes out. What a
// buffer view says of its stream is read in meshopt.c; section names in these files are those of the Khronos extension
// KHR_meshopt_compression, of which the EXT one is a part.

#ifndef IMPORT_GLTF_MESHOPT_H
#define IMPORT_GLTF_MESHOPT_H

#include "larder/base.h"

#include <stddef.h>

typedef enum lrd_meshopt_mode
{
	LRD_MESHOPT_ATTRIBUTES,
	LRD_MESHOPT_TRIANGLES,
	LRD_MESHOPT_INDICES,
	LRD_MESHOPT_MODE_COUNT
} lrd_meshopt_mode;

typedef enum lrd_meshopt_filter
{
	LRD_MESHOPT_NONE,
	LRD_MESHOPT_OCTAHEDRAL,
	LRD_MESHOPT_QUATERNION,
	LRD_MESHOPT_EXPONENTIAL,
	LRD_MESHOPT_COLOR,
	LRD_MESHOPT_FILTER_COUNT
} lrd_meshopt_filter;

/// `count` elements of `stride` bytes, which must be as the extension allows them for the mode and the filter.
typedef struct lrd_meshopt_stream
{
	lrd_meshopt_mode mode;
	lrd_meshopt_filter filter;
	size_t count;  ///< at least 1
	size_t stride; ///< bytes
	const uint8_t *data;
	size_t size;
} lrd_meshopt_stream;

/// meshopt_decode.c
/// Fewest bytes that a stream of that many elements has, whatever is in them: what makes its size worth allocating.
size_t lrd_meshopt_least(const lrd_meshopt_stream *stream);
/// Decode into count * stride bytes, aligned to 4. NULL, or what is wrong with the stream; then `out` holds anything.
/// Every stream gives the same bytes on every machine, damaged ones too.
const char *lrd_meshopt_decode(const lrd_meshopt_stream *stream, void *out);

/// meshopt_attributes.c: "Mode 0: attributes", version 1, filters aside. False where the stream breaks a rule.
bool lrd_meshopt_decode_attributes(const lrd_meshopt_stream *stream, uint8_t *out);

/// meshopt_filter.c: "Appendix B: Filters", in place. Where a stored value is out of the range that the extension
/// gives, the result is some value of the component's type, always the same.
void lrd_meshopt_filter_octahedral(void *elements, size_t count, size_t stride);
void lrd_meshopt_filter_quaternion(void *elements, size_t count);
void lrd_meshopt_filter_exponential(void *elements, size_t count, size_t stride);
void lrd_meshopt_filter_color(void *elements, size_t count, size_t stride);

#endif
