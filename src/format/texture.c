// format/texture.c: reading KTX 2.0 in place, whole or by ranges. Where things lie and how large they are is checked here;
// what stands in the data format descriptor in texture_format.c, keys in texture_keys.c, BasisLZ's global data in
// texture_basis.c. Levels are not decompressed: under Zstandard or ZLIB the size a level has afterwards is checked, its
// bytes are their decompressor's to judge. Source: Khronos "KTX File Format Specification", version 2.0; section names
// in comments are that document's.

#include "format/texture.h"

#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const uint8_t lrd_ktx_identifier[LRD_KTX_IDENTIFIER_SIZE] = { 0xab, 'K', 'T', 'X', ' ', '2', '0', 0xbb, '\r', '\n',
	0x1a, '\n' };

// What a byte of a level can decode to at the most: a Zstandard block of 4 bytes repeats one byte 128 KiB times (RFC 8878,
// "RLE_Block"), Deflate gives 258 bytes for two bits (RFC 1951).
#define ZSTD_MOST_GROWTH 32768u
#define ZLIB_MOST_GROWTH 1032u

/// A file that is being checked.
typedef struct ktx_file
{
	const uint8_t *bytes;
	size_t available; ///< the file's first bytes that are there
	uint64_t size;    ///< of the file
	lrd_ktx_header header;
	const lrd_texture_format_row *row; ///< NULL: VK_FORMAT_UNDEFINED
	lrd_dfd_summary block;
	uint64_t position;  ///< where the last block ended
	uint64_t levels_at; ///< where the levels start
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
	const lrd_ktx_header *header = &file->header;
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
	const lrd_ktx_header *header = &file->header;
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
	const lrd_ktx_header *header = &file->header;
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
	const lrd_ktx_header *header = &file->header;
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

static uint64_t next_multiple(uint64_t position, uint32_t alignment)
{
	return position + (alignment - position % alignment) % alignment;
}

/// Stand at the next multiple of `alignment`, past bytes that must be zero, as far as they are there.
static bool skip_padding(ktx_file *file, const char *name, uint32_t alignment)
{
	uint64_t start = next_multiple(file->position, alignment);
	for (uint64_t i = file->position; i < start && i < file->available; i++)
	{
		if (file->bytes[i] != 0)
		{
			return lrd_fail(file->error, LRD_ERROR_FORMAT,
				"ktx2: byte %" PRIu64 ", padding before %s, is %u, must be 0", i, name, file->bytes[i]);
		}
	}
	file->position = start;
	return true;
}

/// `offset` must be the next multiple of `alignment`; stand behind the block.
static bool enter_block(ktx_file *file, const char *name, uint64_t offset, uint64_t size, uint32_t alignment)
{
	if (!skip_padding(file, name, alignment))
	{
		return false;
	}
	uint64_t start = file->position;
	if (offset != start)
	{
		return lrd_fail(file->error, LRD_ERROR_FORMAT,
			"ktx2: %s starts at byte %" PRIu64 ", must start at %" PRIu64
			", the next multiple of %u after what comes before",
			name, offset, start, alignment);
	}
	if (start > file->size || size > file->size - start)
	{
		return lrd_fail(file->error, LRD_ERROR_FORMAT,
			"ktx2: %s has %" PRIu64 " bytes from byte %" PRIu64 ", past the end of the file (%" PRIu64 " bytes)", name,
			size, start, file->size);
	}
	file->position = start + size;
	return true;
}

static bool check_index(ktx_file *file)
{
	const lrd_ktx_header *header = &file->header;
	if (header->dfd_size == 0)
	{
		return lrd_fail(
			file->error, LRD_ERROR_FORMAT, "ktx2: dfdByteLength is 0, a data format descriptor is required");
	}
	if (!enter_block(file, "the data format descriptor", header->dfd_offset, header->dfd_size, 4))
	{
		return false;
	}
	if (header->kvd_size != 0 && !enter_block(file, "key/value data", header->kvd_offset, header->kvd_size, 4))
	{
		return false;
	}
	if (header->kvd_size == 0 && header->kvd_offset != 0)
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
	return !basis || enter_block(file, "supercompression global data", header->sgd_offset, header->sgd_size, 8);
}

/// Check what comes before the levels, as far as the first LRD_TEXTURE_HEAD_SIZE bytes tell, and find where they start.
static bool check_head(ktx_file *file)
{
	const lrd_ktx_header *header = &file->header;
	if (!check_format(file) || !check_scheme(file) || !check_extent(file) || !check_level_count(file))
	{
		return false;
	}
	file->position = sizeof *header;
	if (!enter_block(file, "the level index", sizeof *header, level_count_of(header) * sizeof(lrd_ktx_level), 1) ||
		!check_index(file))
	{
		return false;
	}
	uint32_t block_bytes = file->row != NULL ? file->row->block_bytes : LRD_UASTC_BLOCK_BYTES;
	file->levels_at = next_multiple(file->position, lrd_ktx_level_alignment(block_bytes, header->supercompression));
	return file->levels_at <= file->size ||
		   lrd_fail(file->error, LRD_ERROR_FORMAT,
			   "ktx2: the levels start at byte %" PRIu64 ", past the end of the file (%" PRIu64 " bytes)",
			   file->levels_at, file->size);
}

// The levels.

static bool check_growth(const ktx_file *file, uint32_t level, const lrd_ktx_level *entry)
{
	uint32_t scheme = file->header.supercompression;
	uint64_t most = scheme == LRD_SUPERCOMPRESSION_ZSTD ? ZSTD_MOST_GROWTH : ZLIB_MOST_GROWTH;
	bool bounded = scheme == LRD_SUPERCOMPRESSION_ZSTD || scheme == LRD_SUPERCOMPRESSION_ZLIB;
	return !bounded || entry->decoded_size / most + (entry->decoded_size % most != 0) <= entry->size ||
		   lrd_fail(file->error, LRD_ERROR_FORMAT,
			   "ktx2: level %" PRIu32 " byteLength is %" PRIu64 ", too few for uncompressedByteLength %" PRIu64
			   ": no byte decodes to more than %" PRIu64,
			   level, entry->size, entry->decoded_size, most);
}

static bool check_level(ktx_file *file, lrd_texture_view *view, uint32_t level, bool whole)
{
	lrd_ktx_level copy;
	const lrd_ktx_level *entry = &copy;
	memcpy(&copy, file->bytes + sizeof file->header + level * sizeof copy, sizeof copy);
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
	if (!check_growth(file, level, entry))
	{
		return false;
	}
	char name[32];
	snprintf(name, sizeof name, "level %" PRIu32, level);
	if (!enter_block(file, name, entry->offset, entry->size,
			lrd_ktx_level_alignment(file->block.block_bytes, view->supercompression)))
	{
		return false;
	}
	const uint8_t *data = whole ? file->bytes + entry->offset : NULL;
	view->levels[level] = (lrd_texture_level){ data, entry->size, entry->decoded_size, entry->offset };
	return true;
}

// "Mip Level Array": the smallest level first, the last one ending with the file.
static bool check_levels(ktx_file *file, lrd_texture_view *view, bool whole)
{
	for (uint32_t level = view->level_count; level-- > 0;)
	{
		if (!check_level(file, view, level, whole))
		{
			return false;
		}
	}
	if (file->position != file->size)
	{
		return lrd_fail(file->error, LRD_ERROR_FORMAT,
			"ktx2: level 0 ends at byte %" PRIu64 ", must end with the file (%" PRIu64 " bytes)", file->position,
			file->size);
	}
	return true;
}

static void describe(const ktx_file *file, lrd_texture_view *view)
{
	const lrd_ktx_header *header = &file->header;
	*view = (lrd_texture_view){
		.format = header->format,
		.type_size = header->type_size,
		.width = header->width,
		.height = header->height,
		.depth = header->depth,
		.layer_count = header->layer_count,
		.face_count = header->face_count,
		.level_count = level_count_of(header),
		.generate_mips = header->level_count == 0,
		.supercompression = header->supercompression,
		.dfd = { file->bytes + header->dfd_offset, header->dfd_size },
	};
	if (header->kvd_size != 0)
	{
		view->key_values = (lrd_bytes){ file->bytes + header->kvd_offset, header->kvd_size };
	}
	if (header->sgd_size != 0)
	{
		view->supercompression_global = (lrd_bytes){ file->bytes + header->sgd_offset, (size_t)header->sgd_size };
	}
}

static bool read_header(ktx_file *file, const void *bytes, size_t size)
{
	if (size < LRD_KTX_IDENTIFIER_SIZE || memcmp(bytes, lrd_ktx_identifier, LRD_KTX_IDENTIFIER_SIZE) != 0)
	{
		return lrd_fail(file->error, LRD_ERROR_FORMAT, "ktx2: does not start with the identifier of KTX 2.0");
	}
	if (size < sizeof file->header)
	{
		return lrd_fail(
			file->error, LRD_ERROR_FORMAT, "ktx2: has %zu bytes, the header alone has %zu", size, sizeof file->header);
	}
	memcpy(&file->header, bytes, sizeof file->header);
	return true;
}

/// Open what `file` says is there. `whole`: the levels too.
static bool open_file(ktx_file *file, bool whole, lrd_texture_view *view)
{
	if ((uintptr_t)file->bytes % LRD_ALLOCATION_ALIGNMENT != 0)
	{
		return lrd_fail(
			file->error, LRD_ERROR_ARGUMENT, "ktx2: the bytes must be aligned to %d", LRD_ALLOCATION_ALIGNMENT);
	}
	if (!read_header(file, file->bytes, file->available) || !check_head(file))
	{
		return false;
	}
	if (file->levels_at > file->available)
	{
		return lrd_fail(file->error, LRD_ERROR_ARGUMENT,
			"ktx2: the file's first %zu bytes were given, its header has %" PRIu64, file->available, file->levels_at);
	}
	if (!whole)
	{
		file->available = (size_t)file->levels_at;
	}
	lrd_texture_view found;
	bool animated = false;
	describe(file, &found);
	if (!lrd_dfd_check(found.dfd, file->row, found.supercompression, &file->block, file->error) ||
		!lrd_ktx_check_keys(&found, &animated, file->error) || !check_levels(file, &found, whole))
	{
		return false;
	}
	if (found.supercompression == LRD_SUPERCOMPRESSION_BASIS_LZ &&
		!lrd_ktx_check_basis(&found, &file->block, animated, file->error))
	{
		return false;
	}
	*view = found;
	return true;
}

bool lrd_texture_open(const void *bytes, size_t size, lrd_texture_view *view, lrd_error *error)
{
	ktx_file file = { .bytes = bytes, .available = size, .size = size, .error = error };
	return open_file(&file, true, view);
}

// Ranges.

bool lrd_texture_header_size(const void *bytes, size_t size, uint64_t file_size, size_t *header_size, lrd_error *error)
{
	ktx_file file = { .size = file_size, .error = error };
	if (size > file_size)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "ktx2: %zu bytes were given of a file of %" PRIu64, size, file_size);
	}
	if (!read_header(&file, bytes, size) || !check_head(&file))
	{
		return false;
	}
	*header_size = (size_t)file.levels_at;
	return true;
}

bool lrd_texture_open_header(
	const void *bytes, size_t size, uint64_t file_size, lrd_texture_view *view, lrd_error *error)
{
	ktx_file file = { .bytes = bytes, .available = size, .size = file_size, .error = error };
	if (size > file_size)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "ktx2: %zu bytes were given of a file of %" PRIu64, size, file_size);
	}
	return open_file(&file, false, view);
}

bool lrd_texture_range(
	const lrd_texture_view *view, uint32_t first_level, uint32_t level_count, uint64_t *offset, uint64_t *size)
{
	if (level_count == 0 || first_level >= view->level_count || level_count > view->level_count - first_level)
	{
		return false;
	}
	const lrd_texture_level *finest = &view->levels[first_level];
	*offset = view->levels[first_level + level_count - 1].offset;
	*size = finest->offset + finest->size - *offset;
	return true;
}

bool lrd_texture_attach(lrd_texture_view *view, uint32_t first_level, uint32_t level_count, const void *bytes,
	size_t size, lrd_error *error)
{
	uint64_t offset;
	uint64_t expected;
	if (!lrd_texture_range(view, first_level, level_count, &offset, &expected))
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT,
			"ktx2: levels %" PRIu32 " and on, %" PRIu32 " of them, where the texture has %" PRIu32, first_level,
			level_count, view->level_count);
	}
	if (size != expected)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT,
			"ktx2: levels %" PRIu32 " to %" PRIu32 " were given %zu bytes, must be given %" PRIu64, first_level,
			first_level + level_count - 1, size, expected);
	}
	const uint8_t *range = bytes;
	uint64_t position = 0;
	for (uint32_t level = first_level + level_count; level-- > first_level;)
	{
		uint64_t start = view->levels[level].offset - offset;
		for (; position < start; position++)
		{
			if (range[position] != 0)
			{
				return lrd_fail(error, LRD_ERROR_FORMAT,
					"ktx2: byte %" PRIu64 ", padding before level %" PRIu32 ", is %u, must be 0", offset + position,
					level, range[position]);
			}
		}
		position = start + view->levels[level].size;
	}
	for (uint32_t level = first_level; level < first_level + level_count; level++)
	{
		view->levels[level].data = range + (view->levels[level].offset - offset);
	}
	return true;
}

// What the descriptor says.

#define DFD_MODEL_BYTE 12 // of the basic block's third word, after the total size
#define DFD_TRANSFER_BYTE 14
#define DFD_FLAGS_BYTE 15

static uint8_t dfd_byte(const lrd_texture_view *view, size_t at)
{
	const uint8_t *dfd = view->dfd.data;
	return view->dfd.size > at ? dfd[at] : 0;
}

bool lrd_texture_is_srgb(const lrd_texture_view *view)
{
	return dfd_byte(view, DFD_TRANSFER_BYTE) == LRD_DFD_TRANSFER_SRGB;
}

bool lrd_texture_is_premultiplied(const lrd_texture_view *view)
{
	return (dfd_byte(view, DFD_FLAGS_BYTE) & LRD_DFD_FLAG_PREMULTIPLIED) != 0;
}

lrd_texture_universal lrd_texture_universal_kind(const lrd_texture_view *view)
{
	switch (dfd_byte(view, DFD_MODEL_BYTE))
	{
	case LRD_DFD_ETC1S: return LRD_TEXTURE_ETC1S;
	case LRD_DFD_UASTC: return LRD_TEXTURE_UASTC;
	case LRD_DFD_UASTC_HDR_4X4: return LRD_TEXTURE_UASTC_HDR;
	default: return LRD_TEXTURE_UNIVERSAL_NONE;
	}
}

const char *lrd_texture_universal_name(lrd_texture_universal kind)
{
	static const char *const names[] = { "none", "etc1s", "uastc", "uastc_hdr" };
	return (unsigned)kind < sizeof names / sizeof names[0] ? names[kind] : "none";
}

const char *lrd_supercompression_name(uint32_t supercompression)
{
	static const char *const names[] = { "none", "basis_lz", "zstd", "zlib" };
	return supercompression < sizeof names / sizeof names[0] ? names[supercompression] : "unknown";
}
