// JPEG through TurboJPEG: sequential and progressive, Huffman or arithmetic, 8 bits; grey, YCbCr, RGB, CMYK and YCCK.
// Embedded profiles are not applied. A file with damaged pixels is refused, not half shown.

#include "base/error.h"
#include "image/codec.h"
#include "image/jpeg_markers.h"

#include <turbojpeg.h>

// A scan may touch every block of the picture at the cost of a few bytes. Encoders use about ten.
#define SCANS_MAX 100u

// The fewest bits for the most texels: one Huffman code of one bit for a block's DC coefficient (the AC ones of whole
// rows of blocks can share an end-of-band run), and blocks of components that are subsampled to at most 4 x 4: 4096
// texels a byte, generously.
#define TEXELS_A_BYTE 4096u

static bool measure_jpeg(lrd_bytes bytes, lrd_image_layout *layout, lrd_error *error)
{
	lrd_jpeg_markers markers;
	if (!lrd_jpeg_markers_read(bytes, false, &markers))
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "no frame header (SOF marker) in %zu bytes", bytes.size);
	}
	bool is_arithmetic = markers.frame == 9 || markers.frame == 10;
	if ((markers.frame > 2 && !is_arithmetic) || markers.precision != 8)
	{
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED,
			"coding process SOF%u at %u bits; sequential and progressive JPEG of 8 bits are read", markers.frame,
			markers.precision);
	}
	if (markers.components != 1 && markers.components != 3 && markers.components != 4)
	{
		return lrd_fail(
			error, LRD_ERROR_UNSUPPORTED, "%u components; grey, RGB and CMYK have 1, 3 and 4", markers.components);
	}
	if (markers.scans > SCANS_MAX)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT, "%u scans; at most %u are taken", markers.scans, SCANS_MAX);
	}
	layout->width = markers.width;
	layout->height = markers.height;
	layout->orientation = markers.orientation;
	layout->source_channels = markers.components == 1 ? 1 : 3;
	layout->alpha_known = true;
	// Arithmetic coding has no least cost: a flat picture comes to almost nothing.
	layout->least_size = is_arithmetic ? 0 : (uint64_t)markers.width * markers.height / TEXELS_A_BYTE;
	return true;
}

// No profile: ink is taken off white. `inverted`: samples are what ink leaves over, as Adobe writes them (Adobe
// Technical Note #5116).
static void cmyk_to_rgb(uint8_t *pixels, size_t texels, bool inverted)
{
	uint32_t flip = inverted ? 0 : 255;
	for (size_t i = 0; i < texels; i++)
	{
		uint8_t *texel = pixels + 4 * i;
		uint32_t black = texel[3] ^ flip;
		for (size_t channel = 0; channel < 3; channel++)
		{
			texel[channel] = (uint8_t)(((texel[channel] ^ flip) * black + 127) / 255);
		}
		texel[3] = 255;
	}
}

static bool fail_turbo(tjhandle handle, lrd_error *error)
{
	const char *message = tjGetErrorStr2(handle);
	bool memory = strstr(message, "memory") != NULL || strstr(message, "Memory") != NULL;
	return lrd_fail(error, memory ? LRD_ERROR_MEMORY : LRD_ERROR_FORMAT, "%s", message);
}

// TurboJPEG scales a picture down to the size it is given: both must mean the same size.
static bool sizes_agree(tjhandle handle, lrd_bytes bytes, const lrd_image_layout *layout)
{
	int width = 0, height = 0, subsampling, space;
	(void)tjDecompressHeader3(
		handle, bytes.data, bytes.size, &width, &height, &subsampling, &space); // refuses rare samplings
	return (uint32_t)width == layout->width && (uint32_t)height == layout->height;
}

static bool decompress(
	tjhandle handle, lrd_bytes bytes, const lrd_image_layout *layout, int format, void *pixels, lrd_error *error)
{
	int width = (int)layout->width;
	int height = (int)layout->height;
	int flags = TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS;
	int strict = flags | TJFLAG_STOPONWARNING;
	if (tjDecompress2(handle, bytes.data, bytes.size, pixels, width, width * 4, height, format, strict) == 0)
	{
		return true;
	}
	// Some cameras pad in front of EOI (0xd9). It is the first thing wrong, and all pixels precede it: decode again and
	// overlook it.
	const char *message = tjGetErrorStr2(handle);
	if (strstr(message, "extraneous bytes before marker 0xd9") != NULL)
	{
		int code = tjDecompress2(handle, bytes.data, bytes.size, pixels, width, width * 4, height, format, flags);
		if (code == 0 || tjGetErrorCode(handle) == TJERR_WARNING)
		{
			return true;
		}
	}
	return fail_turbo(handle, error);
}

static bool decode_jpeg(
	lrd_bytes bytes, lrd_allocator allocator, lrd_image_layout *layout, void *pixels, lrd_error *error)
{
	(void)allocator; // TurboJPEG has no hooks
	lrd_jpeg_markers markers;
	lrd_jpeg_markers_read(bytes, true, &markers);
	bool is_cmyk = markers.components == 4;
	tjhandle handle = tjInitDecompress();
	if (handle == NULL)
	{
		return lrd_fail(error, LRD_ERROR_MEMORY, "out of memory: decoder");
	}
	bool decoded = sizes_agree(handle, bytes, layout)
					   ? decompress(handle, bytes, layout, is_cmyk ? TJPF_CMYK : TJPF_RGBA, pixels, error)
					   : fail_turbo(handle, error);
	if (decoded && is_cmyk)
	{
		cmyk_to_rgb(pixels, (size_t)layout->width * layout->height, markers.has_adobe);
	}
	tjDestroy(handle);
	return decoded;
}

const lrd_image_decoder lrd_jpeg_decoder = { measure_jpeg, decode_jpeg };
