// image/exr_dwa.h: chunks of OpenEXR's DWAA and DWAB compression, which OpenEXRCore does not unpack before version 3.3.
// Private to the room.

#ifndef IMAGE_EXR_DWA_H
#define IMAGE_EXR_DWA_H

#include <openexr.h>

/// No chunk grows more when it is unpacked: runs of alpha, at most 64 bytes for one, deflated at most 1032 times.
#define LRD_DWA_GROWTH_MAX (1032u * 64u)

/// A pipeline's decompress_fn; decoding_user_data is an lrd_exr_scale (image/exr_cosine.h). Takes memory from the thread's
/// codec memory.
exr_result_t lrd_exr_undo_dwa(exr_decode_pipeline_t *pipeline);

/// Codes of OpenEXR's Huffman coding to `count` 16-bit values; EXR_ERR_CORRUPT_CHUNK unless they are exactly that many.
exr_result_t lrd_exr_undo_huffman(const uint8_t *bytes, size_t size, uint16_t *values, size_t count);

#endif
