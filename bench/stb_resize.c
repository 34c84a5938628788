// The peer of bench_mips, compiled alone for its warnings.

#define STB_IMAGE_RESIZE_IMPLEMENTATION
#include <stb/stb_image_resize.h>
