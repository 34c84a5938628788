// format/texture_basis.c: the rules of BasisLZ's global data: where each image's slices lie within its level. What the
// codebooks and slices hold is their transcoder's to judge. Source: Khronos "KTX File Format Specification", version
// 2.0, appendix "BasisLZ Global Data".

#include "format/texture.h"

#include "base/error.h"

#include <inttypes.h>
#include <string.h>

typedef struct basis_check
{
	bool animated; ///< P-frames are allowed
	uint32_t sample_count;
	lrd_error *error;
} basis_check;

static bool check_slice(
	const basis_check *self, const char *name, size_t image, uint32_t offset, uint32_t size, uint64_t level_size)
{
	if (offset > level_size || size > level_size - offset)
	{
		return lrd_fail(self->error, LRD_ERROR_FORMAT,
			"ktx2: image %zu %sSliceByteOffset %" PRIu32 " and length %" PRIu32 " pass the end of its level (%" PRIu64
			" bytes)",
			image, name, offset, size, level_size);
	}
	return true;
}

static bool check_basis_image(
	const basis_check *self, const lrd_ktx_basis_image *image, size_t index, uint64_t level_size)
{
	uint32_t known = self->animated ? LRD_KTX_BASIS_P_FRAME : 0;
	if ((image->flags & ~known) != 0)
	{
		return lrd_fail(self->error, LRD_ERROR_FORMAT, "ktx2: image %zu imageFlags is 0x%" PRIx32 ", must be 0%s",
			index, image->flags, self->animated ? " or 2" : " without KTXanimData");
	}
	bool two = self->sample_count == 2;
	if (image->color_size == 0 || (image->alpha_size != 0) != two || (!two && image->alpha_offset != 0))
	{
		return lrd_fail(self->error, LRD_ERROR_FORMAT,
			"ktx2: image %zu rgbSliceByteLength is %" PRIu32 " and alphaSliceByteLength %" PRIu32 ", must be %s", index,
			image->color_size, image->alpha_size,
			two ? "more than 0" : "more than 0, and 0 (as its offset) with one DFD sample");
	}
	return check_slice(self, "rgb", index, image->color_offset, image->color_size, level_size) &&
		   check_slice(self, "alpha", index, image->alpha_offset, image->alpha_size, level_size);
}

// Appendix "BasisLZ Global Data".
bool lrd_ktx_check_basis(const lrd_texture_view *view, const lrd_dfd_summary *block, bool animated, lrd_error *error)
{
	basis_check self = { .animated = animated, .sample_count = block->sample_count, .error = error };
	lrd_bytes global = view->supercompression_global;
	lrd_ktx_basis_header header;
	if (global.size < sizeof header)
	{
		return lrd_fail(
			error, LRD_ERROR_FORMAT, "ktx2: sgdByteLength is %zu, must be at least 20 under BasisLZ", global.size);
	}
	memcpy(&header, global.data, sizeof header);
	// No product here wraps: level 0's size, which is larger, fits 64 bits, and there are at most 32 levels.
	uint64_t layers = (uint64_t)(view->layer_count > 0 ? view->layer_count : 1) * view->face_count;
	uint64_t images = 0;
	for (uint32_t level = 0; level < view->level_count; level++)
	{
		images += layers * lrd_texture_extent(view->depth, level);
	}
	uint64_t codebooks = (uint64_t)header.endpoints_size + header.selectors_size + header.tables_size;
	bool exact = images <= global.size / sizeof(lrd_ktx_basis_image) &&
				 sizeof header + images * sizeof(lrd_ktx_basis_image) + codebooks == global.size;
	if (header.extended_size != 0 || !exact)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT,
			"ktx2: sgdByteLength is %zu, must be 20 for the header, 20 an image, and endpoints (%" PRIu32
			"), selectors (%" PRIu32 "), tables (%" PRIu32 "); extendedByteLength is %" PRIu32 ", must be 0",
			global.size, header.endpoints_size, header.selectors_size, header.tables_size, header.extended_size);
	}
	const uint8_t *at = (const uint8_t *)global.data + sizeof header;
	size_t index = 0;
	for (uint32_t level = 0; level < view->level_count; level++)
	{
		uint64_t count = layers * lrd_texture_extent(view->depth, level);
		for (uint64_t i = 0; i < count; i++, index++, at += sizeof(lrd_ktx_basis_image))
		{
			lrd_ktx_basis_image image;
			memcpy(&image, at, sizeof image);
			if (!check_basis_image(&self, &image, index, view->levels[level].size))
			{
				return false;
			}
		}
	}
	return true;
}
