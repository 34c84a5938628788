// gpu/texture_prepare.c: what a worker does before levels are copied: their pages are brought in, what is supercompressed is
// inflated, and what the device does not sample is decoded.

#include "gpu/gpu.h"

#include "base/error.h"
#include "block/block.h"
#include "format/texture.h"

// binary32 to binary16, to the nearest, ties to even; too large becomes infinite.
static uint16_t half_of(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof bits);
	uint32_t sign = bits >> 16 & 0x8000u;
	uint32_t magnitude = bits & 0x7fffffffu;
	if (magnitude >= 0x47800000u) // 65536, infinities, not a number
	{
		return (uint16_t)(sign | (magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u));
	}
	if (magnitude < 0x38800000u) // below 2^-14: adding 0.5 rounds to steps of 2^-24 where the result is read off
	{
		float fraction;
		memcpy(&fraction, &magnitude, sizeof fraction);
		fraction += 0.5f;
		memcpy(&magnitude, &fraction, sizeof magnitude);
		return (uint16_t)(sign | (magnitude - 0x3f000000u));
	}
	uint32_t rounded = magnitude + 0xfffu + (magnitude >> 13 & 1u);
	return (uint16_t)(sign | ((rounded - 0x38000000u) >> 13));
}

// LRD_BLOCK_FORMAT_COUNT: none of these.
static lrd_block_format block_of(uint32_t format)
{
	static const struct
	{
		uint32_t first, last;
		lrd_block_format block;
	} rows[] = {
		{ LRD_TEXTURE_BC1_RGB_UNORM, LRD_TEXTURE_BC1_RGB_SRGB, LRD_BLOCK_BC1 },
		{ LRD_TEXTURE_BC1_RGBA_UNORM, LRD_TEXTURE_BC1_RGBA_SRGB, LRD_BLOCK_BC1_ALPHA },
		{ LRD_TEXTURE_BC2_UNORM, LRD_TEXTURE_BC2_SRGB, LRD_BLOCK_BC2 },
		{ LRD_TEXTURE_BC3_UNORM, LRD_TEXTURE_BC3_SRGB, LRD_BLOCK_BC3 },
		{ LRD_TEXTURE_BC4_UNORM, LRD_TEXTURE_BC4_UNORM, LRD_BLOCK_BC4_UNORM },
		{ LRD_TEXTURE_BC4_SNORM, LRD_TEXTURE_BC4_SNORM, LRD_BLOCK_BC4_SNORM },
		{ LRD_TEXTURE_BC5_UNORM, LRD_TEXTURE_BC5_UNORM, LRD_BLOCK_BC5_UNORM },
		{ LRD_TEXTURE_BC5_SNORM, LRD_TEXTURE_BC5_SNORM, LRD_BLOCK_BC5_SNORM },
		{ LRD_TEXTURE_BC6H_UFLOAT, LRD_TEXTURE_BC6H_UFLOAT, LRD_BLOCK_BC6H_UFLOAT },
		{ LRD_TEXTURE_BC6H_SFLOAT, LRD_TEXTURE_BC6H_SFLOAT, LRD_BLOCK_BC6H_SFLOAT },
		{ LRD_TEXTURE_BC7_UNORM, LRD_TEXTURE_BC7_SRGB, LRD_BLOCK_BC7 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
	{
		if (format >= rows[i].first && format <= rows[i].last)
		{
			return rows[i].block;
		}
	}
	return LRD_BLOCK_FORMAT_COUNT;
}

/// One image of a level: what it is decoded from and to.
typedef struct level_image
{
	const lrd_texture_plan *plan;
	uint32_t width, height; ///< texels
	const uint8_t *stored;
	uint8_t *texels;
} level_image;

// 16 texels of 4 or 8 bytes.
static void decode_block(lrd_block_format format, bool half, const uint8_t *block, uint8_t texels[128])
{
	float floats[64];
	uint16_t halves[64];
	if (!half)
	{
		lrd_block_decode_unorm8(format, block, texels);
		return;
	}
	if (format == LRD_BLOCK_BC6H_UFLOAT || format == LRD_BLOCK_BC6H_SFLOAT)
	{
		lrd_block_decode_half(format, block, halves);
	}
	else
	{
		lrd_block_decode_f32(format, block, floats);
		for (uint32_t i = 0; i < 64; i++)
		{
			halves[i] = half_of(floats[i]);
		}
	}
	memcpy(texels, halves, sizeof halves);
}

static void decode_blocks(const level_image *image, lrd_block_format format)
{
	bool half = image->plan->way == LRD_LEVEL_HALF;
	size_t texel = half ? 8 : 4;
	const uint8_t *block = image->stored;
	uint8_t texels[128];
	for (uint32_t top = 0; top < image->height; top += 4)
	{
		for (uint32_t left = 0; left < image->width; left += 4)
		{
			uint32_t wide = image->width - left < 4 ? image->width - left : 4;
			uint32_t high = image->height - top < 4 ? image->height - top : 4;
			decode_block(format, half, block, texels);
			for (uint32_t row = 0; row < high; row++)
			{
				uint8_t *to = image->texels + ((size_t)(top + row) * image->width + left) * texel;
				memcpy(to, texels + row * 4 * texel, wide * texel);
			}
			block += lrd_block_bytes(format);
		}
	}
}

// --- A level ---

static bool decode_texels(const lrd_residents *residents, const lrd_texture_plan *plan,
	const lrd_texture_decode_desc *desc, uint8_t *texels, size_t size, lrd_error *error)
{
	if (plan->way == LRD_LEVEL_UNORM8)
	{
		return lrd_texture_decode(&plan->view, desc, texels, size, error);
	}
	uint64_t floats_size = lrd_texture_decoded_size(&plan->view, desc->level);
	float *floats = lrd_alloc(residents->allocator, (size_t)floats_size);
	if (floats == NULL)
	{
		return lrd_fail_memory(error, "a texture's texels", (size_t)floats_size);
	}
	bool done = lrd_texture_decode(&plan->view, desc, floats, (size_t)floats_size, error);
	for (size_t i = 0; done && i < size / 2; i++)
	{
		uint16_t half = half_of(floats[i]);
		memcpy(texels + i * 2, &half, sizeof half);
	}
	lrd_free(residents->allocator, floats, (size_t)floats_size);
	return done;
}

static bool decode_images(
	const lrd_residents *residents, const lrd_texture_plan *plan, uint32_t level, lrd_bytes stored, lrd_error *error)
{
	const lrd_texture_view *view = &plan->view;
	uint32_t depth = lrd_texture_extent(view->depth != 0 ? view->depth : 1, level);
	uint32_t images = plan->desc.layer_count * plan->desc.face_count * depth;
	size_t size = (size_t)(plan->level_bytes[level] / images);
	lrd_block_format block = block_of(view->format);
	uint8_t *texels = plan->prepared[level];
	for (uint32_t i = 0; i < images; i++, texels += size)
	{
		if (block != LRD_BLOCK_FORMAT_COUNT)
		{
			const level_image image = { plan, lrd_texture_extent(view->width, level),
				lrd_texture_extent(view->height != 0 ? view->height : 1, level),
				(const uint8_t *)stored.data + stored.size / images * i, texels };
			decode_blocks(&image, block);
			continue;
		}
		const lrd_texture_decode_desc desc = {
			.level = level,
			.layer = i / depth / plan->desc.face_count,
			.face = i / depth % plan->desc.face_count,
			.slice = i % depth,
			.level_bytes = stored,
			.allocator = residents->allocator,
		};
		if (!decode_texels(residents, plan, &desc, texels, size, error))
		{
			return false;
		}
	}
	return true;
}

static bool inflate(const lrd_residents *residents, const lrd_texture_plan *plan, uint32_t level, void *bytes,
	size_t size, lrd_error *error)
{
	return lrd_texture_decompress(&plan->view, level, residents->allocator, bytes, size, error);
}

static bool decode_level(const lrd_residents *residents, const lrd_texture_plan *plan, uint32_t level, lrd_error *error)
{
	const lrd_texture_level *stored = &plan->view.levels[level];
	if (plan->view.supercompression == LRD_SUPERCOMPRESSION_NONE)
	{
		return decode_images(residents, plan, level, (lrd_bytes){ stored->data, (size_t)stored->size }, error);
	}
	size_t size = (size_t)stored->decoded_size;
	void *inflated = lrd_alloc(residents->allocator, size);
	if (inflated == NULL)
	{
		return lrd_fail_memory(error, "a texture's level", size);
	}
	bool done = inflate(residents, plan, level, inflated, size, error) &&
				decode_images(residents, plan, level, (lrd_bytes){ inflated, size }, error);
	lrd_free(residents->allocator, inflated, size);
	return done;
}

static bool prepare_level(const lrd_residents *residents, lrd_texture_plan *plan, uint32_t level, lrd_error *error)
{
	size_t size = (size_t)plan->level_bytes[level];
	plan->prepared[level] = lrd_alloc(residents->allocator, size);
	if (plan->prepared[level] == NULL)
	{
		return lrd_fail_memory(error, "a texture's level", size);
	}
	return plan->way == LRD_LEVEL_INFLATE ? inflate(residents, plan, level, plan->prepared[level], size, error)
										  : decode_level(residents, plan, level, error);
}

bool lrd_texture_prepare(lrd_upload *upload, lrd_error *error)
{
	lrd_texture_plan *plan = &upload->plan.texture;
	const lrd_texture_view *view = &plan->view;
	uint64_t offset = 0, size = 0;
	uint32_t last = view->level_count - 1;
	// Levels lie in the file smallest first: all that are wanted are one range, which begins with the last.
	if (lrd_texture_range(view, plan->first_level, view->level_count - plan->first_level, &offset, &size) &&
		!lrd_pages_bring_in(view->levels[last].data, (size_t)size))
	{
		return lrd_fail(error, LRD_ERROR_IO, "its levels can't be read: the disk failed, or the file was cut short");
	}
	for (uint32_t level = plan->first_level; plan->way != LRD_LEVEL_AS_IS && level <= last; level++)
	{
		if (!prepare_level(upload->residents, plan, level, error))
		{
			return false;
		}
	}
	return true;
}
