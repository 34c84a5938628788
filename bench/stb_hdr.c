// A peer of bench_image, compiled alone for its warnings: stb_image's reader of Radiance HDR, four components.

#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_HDR
#define STBI_NO_STDIO
#include <stb/stb_image.h>

float *bench_stb_hdr(const unsigned char *file, int size, int *width, int *height)
{
	int channels;
	return stbi_loadf_from_memory(file, size, width, height, &channels, 4);
}
