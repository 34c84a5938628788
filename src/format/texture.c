// format/texture.c: reading KTX 2.0 in place. Every rule of the specification that a later read relies on is checked
// here; what stands in the data format descriptor is checked in texture_format.c against the format table. Levels are
// not decompressed: under Zstandard or ZLIB the size a level has afterwards is checked, its bytes are their
// decompressor's to judge. Source: Khronos "KTX File Format Specification", version 2.0; section names in comments
// are that document's.

#include "format/texture.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"

#include <inttypes.h>
#include <stdio.h>

const uint8_t lrd_ktx_identifier[LRD_KTX_IDENTIFIER_SIZE] = { 0xab, 'K', 'T', 'X', ' ', '2', '0', 0xbb, '\r', '\n',
	0x1a, '\n' };

/// A file that is being checked.
typedef struct ktx_file
{
	const uint8_t *bytes;
	size_t size;
	const lrd_ktx_header *header;
	const lrd_ktx_level *levels;
	const lrd_texture_format_row *row; ///< NULL: VK_FORMAT_UNDEFINED
	lrd_dfd_summary block;
	size_t position; ///< where the last block ended
	bool animated;   ///< has KTXanimData
	lrd_error *error;
} ktx_file;

static uint32_t level_count_of(const lrd_ktx_header *header)
{
	return header->level_count > 0 ? header->level_count : 1;
}

uint32_t lrd_texture_extent(uint32_t base, uint32_t level)
{
	uint32_t extent = level < 32 ? base >> level : 0;
	return extent > 0 ? extent : 1;
}

uint32_t lrd_ktx_level_alignment(uint32_t block_bytes, uint32_t supercompression)
{
	if (supercompression != LRD_SUPERCOMPRESSION_NONE)
	{
		return 1;
	}
	uint32_t alignment = block_bytes;
	while (alignment % 4 != 0)
	{
		alignment += block_bytes;
	}
	return alignment;
}

bool lrd_ktx_level_size(const lrd_texture_view *view, const lrd_dfd_summary *block, uint32_t level, uint64_t *size)
{
	uint64_t across = ((uint64_t)lrd_texture_extent(view->width, level) + block->block_width - 1) / block->block_width;
	uint64_t down = ((uint64_t)lrd_texture_extent(view->height, level) + block->block_height - 1) / block->block_height;
	uint64_t factors[] = { down, lrd_texture_extent(view->depth, level), view->layer_count > 0 ? view->layer_count : 1,
		view->face_count, block->block_bytes };
	*size = across;
	for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++)
	{
		if (__builtin_mul_overflow(*size, factors[i], size))
		{
			return false;
		}
	}
	return true;
}

// The header.

static bool check_format(ktx_file *file)
{
	const lrd_ktx_header *header = file->header;
	if (header->format == 0)
	{
		return true;
	}
	if (lrd_texture_format_prohibited(header->format))
	{
		return lrd_fail(file->error, LRD_ERROR_FORMAT, "ktx2: vkFormat is %" PRIu32 ", a format that KTX 2.0 prohibits",
			header->format);
	}
	file->row = lrd_texture_format_find(header->format);
	if (file->row == NULL)
	{
		return lrd_fail(file->error, LRD_ERROR_UNSUPPORTED,
			"ktx2: vkFormat is %" PRIu32 ", a format that larder does not know", header->format);
	}
	return true;
}

static bool check_scheme(const ktx_file *file)
{
	const lrd_ktx_header *header = file->header;
	if (header->supercompression > LRD_SUPERCOMPRESSION_ZLIB)
	{
		return lrd_fail(file->error, LRD_ERROR_UNSUPPORTED,
			"ktx2: supercompressionScheme is %" PRIu32
			", larder knows none (0), BasisLZ (1), Zstandard (2) and ZLIB (3)",
			header->supercompression);
	}
	if (header->supercompression == LRD_SUPERCOMPRESSION_BASIS_LZ && header->format != 0)
	{
		return lrd_fail(file->error, LRD_ERROR_FORMAT,
			"ktx2: vkFormat is %" PRIu32 ", must be 0 (undefined) under BasisLZ", header->format);
	}
	uint32_t type_size = file->row != NULL ? file->row->type_size : 1;
	if (header->type_size != type_size)
	{
		return lrd_fail(file->error, LRD_ERROR_FORMAT,
			"ktx2: typeSize is %" PRIu32 ", must be %" PRIu32 " for vkFormat %" PRIu32, header->type_size, type_size,
			header->format);
	}
	return true;
}

static bool is_block_compressed(const ktx_file *file)
{
	return file->row == NULL || file->row->model != LRD_DFD_RGBSDA; // what larder knows of undefined formats is
}

// "Texture Type".
static bool check_extent(const ktx_file *file)
{
	const lrd_ktx_header *header = file->header;
	if (header->width == 0)
	{
		return lrd_fail(file->error, LRD_ERROR_FORMAT, "ktx2: pixelWidth is 0, must be at least 1");
	}
	if (header->height == 0 && (header->depth != 0 || is_block_compressed(file)))
	{
		return lrd_fail(file->error, LRD_ERROR_FORMAT, "ktx2: pixelHeight is 0, must be at least 1 %s",
			header->depth != 0 ? "where pixelDepth is not 0" : "for a block-compressed format");
	}
	if (header->depth != 0 && file->row != NULL && lrd_texture_format_is_depth(file->row))
	{
		return lrd_fail(file->error, LRD_ERROR_FORMAT, "ktx2: pixelDepth is %" PRIu32 ", must be 0 for %s",
			header->depth, file->row->name);
	}
	if (header->face_count != 1 && header->face_count != 6)
	{
		return lrd_fail(file->error, LRD_ERROR_FORMAT, "ktx2: faceCount is %" PRIu32 ", must be 1, or 6 for cubemaps",
			header->face_count);
	}
	if (header->face_count == 6 && (header->width != header->height || header->depth != 0))
	{
		return lrd_fail(file->error, LRD_ERROR_FORMAT,
			"ktx2: a cubemap is %" PRIu32 " x %" PRIu32 " x %" PRIu32
			", its pixelWidth and pixelHeight must be equal and its pixelDepth 0",
			header->width, header->height, header->depth);
	}
	return true;
}

static bool check_level_count(const ktx_file *file)
{
	const lrd_ktx_header *header = file->header;
	uint32_t largest = header->width > header->height ? header->width : header->height;
	largest = largest > header->depth ? largest : header->depth;
	uint32_t most = 32u - (uint32_t)__builtin_clz(largest);
	if (header->level_count > most)
	{
		return lrd_fail(file->error, LRD_ERROR_FORMAT,
			"ktx2: levelCount is %" PRIu32 ", must be at most %" PRIu32 " where the largest extent is %" PRIu32,
			header->level_count, most, largest);
	}
	if (header->level_count == 0 && is_block_compressed(file))
	{
		return lrd_fail(
			file->error, LRD_ERROR_FORMAT, "ktx2: levelCount is 0, must be at least 1 for a block-compressed format");
	}
	return true;
}

// The blocks, in the file's order.

/// Stand at the next multiple of `alignment`, past bytes that must be zero; `offset` must be there.
static bool enter_block(ktx_file *file, const char *name, uint64_t offset, uint64_t size, size_t alignment)
{
	size_t start = file->position + (alignment - file->position % alignment) % alignment;
	if (offset != start)
	{
		return lrd_fail(file->error, LRD_ERROR_FORMAT,
			"ktx2: %s starts at byte %" PRIu64 ", must start at %zu, the next multiple of %zu after what comes before",
			name, offset, start, alignment);
	}
	if (start > file->size || size > file->size - start)
	{
		return lrd_fail(file->error, LRD_ERROR_FORMAT,
			"ktx2: %s has %" PRIu64 " bytes from byte %zu, past the end of the file (%zu bytes)", name, size, start,
			file->size);
	}
	for (size_t i = file->position; i < start; i++)
	{
		if (file->bytes[i] != 0)
		{
			return lrd_fail(file->error, LRD_ERROR_FORMAT, "ktx2: byte %zu, padding before %s, is %u, must be 0", i,
				name, file->bytes[i]);
		}
	}
	file->position = start + (size_t)size;
	return true;
}

static bool check_index(ktx_file *file, lrd_texture_view *view)
{
	const lrd_ktx_header *header = file->header;
	if (header->dfd_size == 0)
	{
		return lrd_fail(
			file->error, LRD_ERROR_FORMAT, "ktx2: dfdByteLength is 0, a data format descriptor is required");
	}
	if (!enter_block(file, "the data format descriptor", header->dfd_offset, header->dfd_size, 4))
	{
		return false;
	}
	view->dfd = (lrd_bytes){ file->bytes + header->dfd_offset, header->dfd_size };
	if (header->kvd_size != 0)
	{
		if (!enter_block(file, "key/value data", header->kvd_offset, header->kvd_size, 4))
		{
			return false;
		}
		view->key_values = (lrd_bytes){ file->bytes + header->kvd_offset, header->kvd_size };
	}
	else if (header->kvd_offset != 0)
	{
		return lrd_fail(file->error, LRD_ERROR_FORMAT,
			"ktx2: kvdByteOffset is %" PRIu32 ", must be 0 where kvdByteLength is 0", header->kvd_offset);
	}
	bool basis = header->supercompression == LRD_SUPERCOMPRESSION_BASIS_LZ;
	if ((header->sgd_size != 0) != basis)
	{
		return lrd_fail(file->error, LRD_ERROR_FORMAT,
			"ktx2: sgdByteLength is %" PRIu64 ", must %sbe 0 for supercompressionScheme %" PRIu32, header->sgd_size,
			basis ? "not " : "", header->supercompression);
	}
	if (!basis && header->sgd_offset != 0)
	{
		return lrd_fail(file->error, LRD_ERROR_FORMAT,
			"ktx2: sgdByteOffset is %" PRIu64 ", must be 0 where sgdByteLength is 0", header->sgd_offset);
	}
	if (basis)
	{
		if (!enter_block(file, "supercompression global data", header->sgd_offset, header->sgd_size, 8))
		{
			return false;
		}
		view->supercompression_global = (lrd_bytes){ file->bytes + header->sgd_offset, (size_t)header->sgd_size };
	}
	return true;
}

static bool check_level(ktx_file *file, lrd_texture_view *view, uint32_t level)
{
	const lrd_ktx_level *entry = &file->levels[level];
	uint64_t exact;
	if (!lrd_ktx_level_size(view, &file->block, level, &exact))
	{
		return lrd_fail(
			file->error, LRD_ERROR_FORMAT, "ktx2: level %" PRIu32 " would have more than 2^64 bytes", level);
	}
	uint64_t decoded = view->supercompression == LRD_SUPERCOMPRESSION_BASIS_LZ ? 0 : exact;
	if (entry->decoded_size != decoded)
	{
		return lrd_fail(file->error, LRD_ERROR_FORMAT,
			"ktx2: level %" PRIu32 " uncompressedByteLength is %" PRIu64 ", must be %" PRIu64 "%s", level,
			entry->decoded_size, decoded, decoded == 0 ? " under BasisLZ" : " for its format and extent");
	}
	bool plain = view->supercompression == LRD_SUPERCOMPRESSION_NONE;
	if (plain ? entry->size != exact : entry->size == 0)
	{
		return lrd_fail(file->error, LRD_ERROR_FORMAT,
			"ktx2: level %" PRIu32 " byteLength is %" PRIu64 ", must be %" PRIu64 "%s", level, entry->size,
			plain ? exact : 1, plain ? " for its format and extent" : " or more");
	}
	char name[32];
	snprintf(name, sizeof name, "level %" PRIu32, level);
	if (!enter_block(file, name, entry->offset, entry->size,
			lrd_ktx_level_alignment(file->block.block_bytes, view->supercompression)))
	{
		return false;
	}
	view->levels[level] =
		(lrd_texture_level){ file->bytes + entry->offset, entry->size, entry->decoded_size, entry->offset };
	return true;
}

// "Mip Level Array": the smallest level first, the last one ending with the file.
static bool check_levels(ktx_file *file, lrd_texture_view *view)
{
	for (uint32_t level = view->level_count; level-- > 0;)
	{
		if (!check_level(file, view, level))
		{
			return false;
		}
	}
	if (file->position != file->size)
	{
		return lrd_fail(file->error, LRD_ERROR_FORMAT,
			"ktx2: level 0 ends at byte %zu, must end with the file (%zu bytes)", file->position, file->size);
	}
	return true;
}

// Key/value data.

bool lrd_ktx_next_pair(lrd_bytes key_values, size_t *position, lrd_ktx_pair *pair, const char **reason)
{
	*reason = NULL;
	size_t left = key_values.size - *position;
	if (left == 0)
	{
		return false;
	}
	uint32_t size;
	if (left < sizeof size)
	{
		*reason = "has fewer than the 4 bytes of keyAndValueByteLength left";
		return false;
	}
	const char *start = (const char *)key_values.data + *position;
	memcpy(&size, start, sizeof size);
	size_t stored = sizeof size + lrd_align_up(size, 4);
	if (size < 2 || stored > left)
	{
		*reason =
			size < 2 ? "keyAndValueByteLength is less than 2" : "keyAndValueByteLength passes the end of the block";
		return false;
	}
	const char *key = start + sizeof size;
	const char *end = memchr(key, 0, size);
	if (end == NULL || end == key)
	{
		*reason = end == NULL ? "the key has no terminating NUL" : "the key is empty";
		return false;
	}
	pair->key = (lrd_string){ key, (size_t)(end - key) };
	pair->value = (lrd_bytes){ end + 1, size - pair->key.size - 1 };
	pair->stored_size = stored;
	*position += stored;
	return true;
}

static bool refuse_value(const ktx_file *file, const lrd_ktx_pair *pair, const char *expected)
{
	return lrd_fail(file->error, LRD_ERROR_FORMAT, "ktx2: %.*s has %zu bytes of value that are not %s",
		LRD_STR_ARG(pair->key), pair->value.size, expected);
}

static bool is_text(lrd_bytes value, size_t size)
{
	const char *text = value.data;
	return value.size == size + 1 && text[size] == 0;
}

// "KTXorientation": one letter a dimension.
static bool check_orientation(const ktx_file *file, const lrd_ktx_pair *pair)
{
	static const char letters[3][3] = { "rl", "du", "oi" };
	const char *text = pair->value.data;
	size_t dimensions = file->header->depth != 0 ? 3 : file->header->height != 0 ? 2 : 1;
	bool good = is_text(pair->value, dimensions);
	for (size_t i = 0; good && i < dimensions; i++)
	{
		good = text[i] == letters[i][0] || text[i] == letters[i][1];
	}
	return good || refuse_value(file, pair, "one of r l, one of d u, one of o i for each dimension, and NUL");
}

static bool check_swizzle(const ktx_file *file, const lrd_ktx_pair *pair)
{
	const char *text = pair->value.data;
	bool good = is_text(pair->value, 4);
	for (size_t i = 0; good && i < 4; i++)
	{
		good = text[i] != 0 && strchr("rgba01", text[i]) != NULL;
	}
	return good || refuse_value(file, pair, "four of r g b a 0 1, and NUL");
}

static bool check_incomplete_cubemap(const ktx_file *file, const lrd_ktx_pair *pair)
{
	const lrd_ktx_header *header = file->header;
	uint8_t faces = pair->value.size == 1 ? *(const uint8_t *)pair->value.data : 0;
	bool good = faces != 0 && faces < 64 && header->face_count == 1 && header->width == header->height &&
				header->depth == 0 && header->layer_count % (uint32_t)__builtin_popcount(faces) == 0 &&
				header->layer_count != 0;
	return good || refuse_value(file, pair,
					   "one byte of six face bits, with a square array texture of so many layers a cubemap");
}

static bool check_writer(const ktx_file *file, const lrd_ktx_pair *pair)
{
	lrd_string text = { pair->value.data, pair->value.size };
	bool good = text.size > 0 && text.data[text.size - 1] == 0 && lrd_utf8_valid(text);
	return good || refuse_value(file, pair, "UTF-8 text and NUL");
}

static bool check_animation(const ktx_file *file, const lrd_ktx_pair *pair)
{
	bool good = pair->value.size == 12 && file->header->layer_count != 0;
	return good || refuse_value(file, pair, "three 32-bit numbers of an array texture");
}

/// The keys whose values the specification rules. Keys that it may define later are left alone, as it asks of readers.
static bool check_value(ktx_file *file, const lrd_ktx_pair *pair)
{
	static const struct
	{
		lrd_string key;
		bool (*check)(const ktx_file *file, const lrd_ktx_pair *pair);
	} rules[] = {
		{ { "KTXanimData", 11 }, check_animation },
		{ { "KTXcubemapIncomplete", 20 }, check_incomplete_cubemap },
		{ { "KTXorientation", 14 }, check_orientation },
		{ { "KTXswizzle", 10 }, check_swizzle },
		{ { "KTXwriter", 9 }, check_writer },
		{ { "KTXwriterScParams", 17 }, check_writer },
	};
	for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
	{
		if (lrd_string_equal(pair->key, rules[i].key))
		{
			file->animated = file->animated || i == 0;
			return rules[i].check(file, pair);
		}
	}
	return true;
}

static bool check_pair(const ktx_file *file, const lrd_ktx_pair *pair, size_t index, lrd_string previous)
{
	static const lrd_string byte_order_mark = { "\xef\xbb\xbf", 3 };
	if (!lrd_utf8_valid(pair->key) || lrd_string_starts_with(pair->key, byte_order_mark))
	{
		return lrd_fail(file->error, LRD_ERROR_FORMAT, "ktx2: key %zu is not UTF-8 without a byte order mark", index);
	}
	int order = index > 0 ? lrd_string_compare(previous, pair->key) : -1;
	if (order >= 0)
	{
		return lrd_fail(file->error, LRD_ERROR_FORMAT,
			"ktx2: key %zu, \"%.*s\", %s \"%.*s\", keys must be sorted and unique", index, LRD_STR_ARG(pair->key),
			order == 0 ? "repeats" : "comes after", LRD_STR_ARG(previous));
	}
	const uint8_t *end = (const uint8_t *)pair->key.data - sizeof(uint32_t) + pair->stored_size;
	for (const uint8_t *pad = (const uint8_t *)pair->value.data + pair->value.size; pad < end; pad++)
	{
		if (*pad != 0)
		{
			return lrd_fail(file->error, LRD_ERROR_FORMAT, "ktx2: valuePadding of \"%.*s\" is %u, must be 0",
				LRD_STR_ARG(pair->key), *pad);
		}
	}
	return true;
}

static bool check_key_values(ktx_file *file, lrd_bytes key_values)
{
	lrd_ktx_pair pair;
	lrd_string previous = { 0 };
	size_t position = 0;
	size_t index = 0;
	const char *reason;
	for (; lrd_ktx_next_pair(key_values, &position, &pair, &reason); index++)
	{
		if (!check_pair(file, &pair, index, previous) || !check_value(file, &pair))
		{
			return false;
		}
		previous = pair.key;
	}
	return reason == NULL || lrd_fail(file->error, LRD_ERROR_FORMAT, "ktx2: key/value pair %zu: %s", index, reason);
}

// BasisLZ.

static bool check_slice(
	const ktx_file *file, const char *name, size_t image, uint32_t offset, uint32_t size, uint64_t level_size)
{
	if (offset > level_size || size > level_size - offset)
	{
		return lrd_fail(file->error, LRD_ERROR_FORMAT,
			"ktx2: image %zu %sSliceByteOffset %" PRIu32 " and length %" PRIu32 " pass the end of its level (%" PRIu64
			" bytes)",
			image, name, offset, size, level_size);
	}
	return true;
}

static bool check_basis_image(const ktx_file *file, const lrd_ktx_basis_image *image, size_t index, uint64_t level_size)
{
	uint32_t known = file->animated ? LRD_KTX_BASIS_P_FRAME : 0;
	if ((image->flags & ~known) != 0)
	{
		return lrd_fail(file->error, LRD_ERROR_FORMAT, "ktx2: image %zu imageFlags is 0x%" PRIx32 ", must be 0%s",
			index, image->flags, file->animated ? " or 2" : " without KTXanimData");
	}
	bool two = file->block.sample_count == 2;
	if (image->color_size == 0 || (image->alpha_size != 0) != two || (!two && image->alpha_offset != 0))
	{
		return lrd_fail(file->error, LRD_ERROR_FORMAT,
			"ktx2: image %zu rgbSliceByteLength is %" PRIu32 " and alphaSliceByteLength %" PRIu32 ", must be %s", index,
			image->color_size, image->alpha_size,
			two ? "more than 0" : "more than 0, and 0 (as its offset) with one DFD sample");
	}
	return check_slice(file, "rgb", index, image->color_offset, image->color_size, level_size) &&
		   check_slice(file, "alpha", index, image->alpha_offset, image->alpha_size, level_size);
}

// Appendix "BasisLZ Global Data".
static bool check_basis(const ktx_file *file, const lrd_texture_view *view)
{
	lrd_bytes global = view->supercompression_global;
	lrd_ktx_basis_header header;
	if (global.size < sizeof header)
	{
		return lrd_fail(file->error, LRD_ERROR_FORMAT, "ktx2: sgdByteLength is %zu, must be at least 20 under BasisLZ",
			global.size);
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
		return lrd_fail(file->error, LRD_ERROR_FORMAT,
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
			if (!check_basis_image(file, &image, index, view->levels[level].size))
			{
				return false;
			}
		}
	}
	return true;
}

static bool check_header(ktx_file *file, lrd_texture_view *view)
{
	const lrd_ktx_header *header = file->header;
	if (!check_format(file) || !check_scheme(file) || !check_extent(file) || !check_level_count(file))
	{
		return false;
	}
	size_t index_size = level_count_of(header) * sizeof(lrd_ktx_level);
	file->position = sizeof *header;
	if (!enter_block(file, "the level index", sizeof *header, index_size, 1))
	{
		return false;
	}
	file->levels = (const lrd_ktx_level *)(file->bytes + sizeof *header);
	view->format = header->format;
	view->type_size = header->type_size;
	view->width = header->width;
	view->height = header->height;
	view->depth = header->depth;
	view->layer_count = header->layer_count;
	view->face_count = header->face_count;
	view->level_count = level_count_of(header);
	view->generate_mips = header->level_count == 0;
	view->supercompression = header->supercompression;
	return true;
}

bool lrd_texture_open(const void *bytes, size_t size, lrd_texture_view *view, lrd_error *error)
{
	if ((uintptr_t)bytes % LRD_ALLOCATION_ALIGNMENT != 0)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "ktx2: the bytes must be aligned to %d", LRD_ALLOCATION_ALIGNMENT);
	}
	if (size < LRD_KTX_IDENTIFIER_SIZE || memcmp(bytes, lrd_ktx_identifier, LRD_KTX_IDENTIFIER_SIZE) != 0)
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "ktx2: does not start with the identifier of KTX 2.0");
	}
	if (size < sizeof(lrd_ktx_header))
	{
		return lrd_fail(
			error, LRD_ERROR_FORMAT, "ktx2: has %zu bytes, the header alone has %zu", size, sizeof(lrd_ktx_header));
	}
	ktx_file file = { .bytes = bytes, .size = size, .header = bytes, .error = error };
	lrd_texture_view found = { 0 };
	if (!check_header(&file, &found) || !check_index(&file, &found) ||
		!lrd_dfd_check(found.dfd, file.row, found.supercompression, &file.block, error) ||
		!check_key_values(&file, found.key_values) || !check_levels(&file, &found))
	{
		return false;
	}
	if (found.supercompression == LRD_SUPERCOMPRESSION_BASIS_LZ && !check_basis(&file, &found))
	{
		return false;
	}
	*view = found;
	return true;
}

bool lrd_texture_find_key(const lrd_texture_view *view, lrd_string key, lrd_bytes *value)
{
	lrd_ktx_pair pair;
	size_t position = 0;
	const char *reason;
	while (lrd_ktx_next_pair(view->key_values, &position, &pair, &reason))
	{
		if (lrd_string_equal(pair.key, key))
		{
			*value = pair.value;
			return true;
		}
	}
	return false;
}

bool lrd_texture_is_srgb(const lrd_texture_view *view)
{
	const uint8_t *dfd = view->dfd.data;
	return view->dfd.size > 14 && dfd[14] == LRD_DFD_TRANSFER_SRGB; // the third byte of the basic block's third word
}
