// The body of stb_image, cut down to TGA and BMP and kept static, so that a program may link its own copy. Its memory
// comes from lrd_codec_memory. Compiled without warnings: it is not our text.

#include "image/stb_headers.h"

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_TGA
#define STBI_ONLY_BMP
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_ASSERT(condition) ((void)(condition)) // bad data must not stop the program
#define STBI_MALLOC(size) lrd_codec_malloc(size)
#define STBI_REALLOC(block, size) lrd_codec_realloc(block, size)
#define STBI_FREE(block) lrd_codec_free(block)
#include <stb/stb_image.h>

uint8_t *lrd_stb_load(
	const lrd_stb_source *source, void *user, int *width, int *height, int *channels, const char **reason)
{
	stbi_io_callbacks callbacks = { source->read, source->skip, source->ended };
	uint8_t *pixels = stbi_load_from_callbacks(&callbacks, user, width, height, channels, 0);
	*reason = pixels == NULL ? stbi_failure_reason() : NULL;
	return pixels;
}
