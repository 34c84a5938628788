// image/jpeg_markers.h: what the markers of a JPEG say, read without decoding: size, scans, EXIF orientation. Private
// to the room.

#ifndef IMAGE_JPEG_MARKERS_H
#define IMAGE_JPEG_MARKERS_H

#include "image/image.h"

typedef struct lrd_jpeg_markers
{
	uint8_t frame; ///< n of the SOFn marker; 0xff: there is none
	uint8_t precision;
	uint8_t components;
	uint16_t width;
	uint16_t height;
	uint32_t orientation; ///< 1..8
	bool has_adobe;       ///< an Adobe APP14 marker: four-component samples are inverted
	uint32_t scans;
} lrd_jpeg_markers;

/// Walk the markers to the end of the image or of the bytes, to a first scan that is the only one, or, `before_scans`, to
/// any first scan. False: no frame header was found.
bool lrd_jpeg_markers_read(lrd_bytes bytes, bool before_scans, lrd_jpeg_markers *markers);

#endif
