// Opens the input as KTX 2.0: whole, by its header and by ranges of levels; decompresses and decodes every level that
// is not large; and writes it again, which must read back the same.

#include "fixtures/format_texture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Opening takes no memory, so what is larger than this is opened, but not decoded.
#define MOST_TEXELS ((uint64_t)1 << 22)
#define MOST_PREFIX 512

static void require(bool condition)
{
	if (!condition)
	{
		abort();
	}
}

/// Every shorter start of a file is refused for its lack of bytes or for what is wrong with it, and no byte past its
/// end is read.
static void open_prefixes(const uint8_t *bytes, size_t size)
{
	size_t most = size < MOST_PREFIX ? size : MOST_PREFIX;
	for (size_t prefix = 0; prefix <= most; prefix++)
	{
		uint8_t *copy = exact_copy(bytes, prefix);
		lrd_texture_view view;
		lrd_error error = { 0 };
		size_t header_size = 0;
		if (!lrd_texture_header_size(copy, prefix, size, &header_size, &error))
		{
			require(error.code != LRD_OK && error.message[0] != '\0');
			require(!lrd_texture_open_header(copy, prefix, size, &view, NULL));
		}
		else if (lrd_texture_open_header(copy, prefix, size, &view, &error))
		{
			require(header_size <= prefix && sum_of(view.dfd.data, view.dfd.size) != 1);
		}
		free(copy);
	}
}

static void decode_level(const lrd_texture_view *view, uint32_t level)
{
	uint64_t size = lrd_texture_decoded_size(view, level);
	uint64_t slices = lrd_texture_extent(view->depth, level);
	lrd_texture_decode_desc desc = { .level = level,
		.layer = view->layer_count > 0 ? view->layer_count - 1 : 0,
		.face = view->face_count - 1,
		.slice = (uint32_t)slices - 1,
		.apply_swizzle = true };
	void *texels = exact_copy("", 0);
	if (size > 0 && size <= MOST_TEXELS)
	{
		free(texels);
		texels = malloc((size_t)size);
		require(texels != NULL);
	}
	lrd_error error = { 0 };
	bool decoded = lrd_texture_decode(view, &desc, texels, size <= MOST_TEXELS ? (size_t)size : 0, &error);
	require(decoded || error.code != LRD_OK);
	require(!decoded || size <= MOST_TEXELS);
	free(texels);
}

static void decode_levels(const lrd_texture_view *view)
{
	for (uint32_t level = 0; level < view->level_count; level++)
	{
		uint64_t size = view->levels[level].decoded_size;
		if (size > MOST_TEXELS)
		{
			continue;
		}
		uint8_t *bytes = malloc(size > 0 ? (size_t)size : 1);
		require(bytes != NULL);
		lrd_error error = { 0 };
		if (!lrd_texture_decompress(view, level, (lrd_allocator){ 0 }, bytes, (size_t)size, &error))
		{
			require(error.code == LRD_ERROR_FORMAT || error.code == LRD_ERROR_UNSUPPORTED);
		}
		free(bytes);
		decode_level(view, level);
	}
}

static void rewrite(const lrd_texture_view *view)
{
	lrd_buffer file = { 0 };
	lrd_texture_view again;
	require(lrd_texture_write(view, &file, NULL));
	require(lrd_texture_open(file.data, file.size, &again, NULL));
	require(again.level_count == view->level_count && again.layer_count == view->layer_count);
	for (uint32_t level = 0; level < view->level_count; level++)
	{
		require(again.levels[level].size == view->levels[level].size);
		require(memcmp(again.levels[level].data, view->levels[level].data, (size_t)view->levels[level].size) == 0);
	}
	lrd_buffer_free(&file);
}

static void compress(const lrd_texture_view *view)
{
	lrd_buffer file = { 0 };
	lrd_texture_view again;
	require(lrd_texture_write_zstd(view, 1, &file, NULL));
	require(lrd_texture_open(file.data, file.size, &again, NULL));
	for (uint32_t level = 0; level < view->level_count; level++)
	{
		size_t size = (size_t)view->levels[level].size;
		uint8_t *bytes = malloc(size);
		require(bytes != NULL && lrd_texture_decompress(&again, level, (lrd_allocator){ 0 }, bytes, size, NULL));
		require(memcmp(bytes, view->levels[level].data, size) == 0);
		free(bytes);
	}
	lrd_buffer_free(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *bytes = exact_copy(data, size);
	lrd_error error = { 0 };
	lrd_texture_view view;
	open_prefixes(bytes, size);
	if (!read_whole_texture(bytes, size, &error))
	{
		require(error.code != LRD_OK && error.message[0] != '\0');
	}
	else if (lrd_texture_open(bytes, size, &view, &error))
	{
		require(read_by_ranges(bytes, size) == NULL);
		decode_levels(&view);
		rewrite(&view);
		if (view.supercompression == LRD_SUPERCOMPRESSION_NONE)
		{
			compress(&view);
		}
	}
	free(bytes);
	return 0;
}
