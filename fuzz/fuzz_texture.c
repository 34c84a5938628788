// Opens the input as KTX 2.0, reads everything, and writes again what the writer can say: that must read back the same.

#include "fixtures/format_texture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
	if (!condition)
	{
		abort();
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	void *bytes = NULL;
	require(posix_memalign(&bytes, LRD_ALLOCATION_ALIGNMENT, size > 0 ? size : 1) == 0);
	if (size > 0)
	{
		memcpy(bytes, data, size);
	}
	lrd_error error = { 0 };
	lrd_texture_view view;
	if (!read_whole_texture(bytes, size, &error))
	{
		require(error.code != LRD_OK && error.message[0] != '\0');
	}
	else if (lrd_texture_open(bytes, size, &view, &error) && view.format != 0 &&
			 view.supercompression == LRD_SUPERCOMPRESSION_NONE)
	{
		rewrite(&view);
	}
	free(bytes);
	return 0;
}
