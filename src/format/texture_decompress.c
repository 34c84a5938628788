// format/texture_decompress.c: a level's bytes without supercompression. How many there are follows from format and
// extent, and opening the file has held what it says against that, so nothing here grows with a number in a file.
// Source: Khronos "KTX File Format Specification", version 2.0, "Scheme Notes".

#include "format/texture.h"

#include "base/error.h"
#include "base/zstd_memory.h"

#include <inttypes.h>
#include <zstd_errors.h>

static bool inflate_zstd(const lrd_texture_level *stored, uint32_t level, const lrd_allocator *allocator, void *bytes,
	size_t size, lrd_error *error)
{
	ZSTD_DCtx *context = ZSTD_createDCtx_advanced(lrd_zstd_memory(allocator));
	if (context == NULL)
	{
		return lrd_fail_memory(error, "zstd's decoder", ZSTD_estimateDCtxSize());
	}
	size_t got = ZSTD_decompressDCtx(context, bytes, size, stored->data, (size_t)stored->size);
	ZSTD_freeDCtx(context);
	if (ZSTD_isError(got))
	{
		ZSTD_ErrorCode code = ZSTD_getErrorCode(got);
		if (code == ZSTD_error_memory_allocation)
		{
			return lrd_fail(error, LRD_ERROR_MEMORY, "out of memory: zstd's tables");
		}
		if (code == ZSTD_error_dstSize_tooSmall)
		{
			return lrd_fail(error, LRD_ERROR_FORMAT,
				"ktx2: level %" PRIu32 " decodes to more than the %zu bytes that its format and extent give", level,
				size);
		}
		return lrd_fail(error, LRD_ERROR_FORMAT, "ktx2: level %" PRIu32 " is damaged: zstd says: %s", level,
			ZSTD_getErrorName(got));
	}
	if (got != size)
	{
		return lrd_fail(
			error, LRD_ERROR_FORMAT, "ktx2: level %" PRIu32 " decodes to %zu bytes, must be %zu", level, got, size);
	}
	return true;
}

bool lrd_ktx_check_level(const lrd_texture_view *view, uint32_t level, lrd_error *error)
{
	if (level >= view->level_count)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "ktx2: level %" PRIu32 " of a texture that has %" PRIu32, level,
			view->level_count);
	}
	if (view->levels[level].data == NULL)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "ktx2: level %" PRIu32 " has no bytes attached", level);
	}
	return true;
}

bool lrd_texture_decompress(
	const lrd_texture_view *view, uint32_t level, lrd_allocator allocator, void *bytes, size_t size, lrd_error *error)
{
	if (!lrd_ktx_check_level(view, level, error))
	{
		return false;
	}
	const lrd_texture_level *stored = &view->levels[level];
	if (view->supercompression == LRD_SUPERCOMPRESSION_BASIS_LZ)
	{
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED, "ktx2: the texture is ETC1S in BasisLZ, which needs transcoding");
	}
	if (size != stored->decoded_size)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT,
			"ktx2: level %" PRIu32 " was given room for %zu bytes, must be given %" PRIu64, level, size,
			stored->decoded_size);
	}
	switch (view->supercompression)
	{
	case LRD_SUPERCOMPRESSION_NONE: memcpy(bytes, stored->data, size); return true;
	case LRD_SUPERCOMPRESSION_ZSTD: return inflate_zstd(stored, level, &allocator, bytes, size, error);
	default:
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED, "ktx2: supercompression is %s, larder decodes zstd",
			lrd_supercompression_name(view->supercompression));
	}
}
