// The code of docs/guide-textures.md that cooks, as a program: snippet_texture_cook IMAGE.

#include <larder/picture.h>
#include <larder/texture.h>
#include <larder/texture_cook.h>

#include <stdio.h>
#include <stdlib.h>

/// An image file, in memory, to a KTX 2.0 file in `texture`.
static bool cook(lrd_bytes image, const char *name, lrd_buffer *texture)
{
	lrd_texture_settings settings = { .quality = LRD_QUALITY_FAST };
	lrd_texture_report report;
	lrd_error error;
	lrd_string json = LRD_STR("{\"type\": \"albedo\", \"max_size\": 256}"); // the "texture" section of a sidecar
	if (!lrd_texture_settings_read(&settings, name, json, &error))
	{
		fprintf(stderr, "%s\n", error.message);
		return false;
	}
	lrd_texture_cook_desc desc = {
		.images = &image,
		.image_count = 1,
		.name = lrd_string_from(name),
		.settings = &settings,
		.target = LRD_TARGET_DESKTOP,
	};
	if (!lrd_texture_cook(&desc, texture, &report, &error))
	{
		fprintf(stderr, "%s: %s\n", name, error.message);
		return false;
	}
	printf("%s, %u x %u, %u levels, %.2f dB\n", lrd_texture_format_name(report.format), report.width, report.height,
		report.level_count, (double)report.psnr);
	return true;
}

/// How far level `level` of a texture is from an image: decibels over red, green and blue; below 0 on failure.
static double compare(lrd_bytes image, lrd_bytes texture, uint32_t level)
{
	lrd_error error = { 0 };
	lrd_pixels pixels[2] = { 0 };
	lrd_pixels_comparison result = { 0 };
	lrd_picture *a = lrd_picture_open(&(lrd_picture_desc){ .bytes = image }, &error);
	lrd_picture *b = a != NULL ? lrd_picture_open(&(lrd_picture_desc){ .bytes = texture }, &error) : NULL;
	lrd_picture_decode_desc place = { .level = level, .apply_swizzle = true };
	bool good = b != NULL && lrd_picture_decode(a, &(lrd_picture_decode_desc){ 0 }, &pixels[0], &error) &&
				lrd_picture_decode(b, &place, &pixels[1], &error);
	lrd_pixels_compare_desc desc = { .reference = &pixels[0], .pixels = &pixels[1], .skip_ssim = true };
	good = good && lrd_pixels_compare(&desc, &result, &error);
	if (!good)
	{
		fprintf(stderr, "%s\n", error.message);
	}
	lrd_pixels_free(&pixels[0]);
	lrd_pixels_free(&pixels[1]);
	lrd_picture_close(a);
	lrd_picture_close(b);
	return good ? result.psnr_rgb : -1.0;
}

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	static uint8_t bytes[1 << 20];
	size_t size = file != NULL ? fread(bytes, 1, sizeof bytes, file) : 0;
	lrd_bytes image = { bytes, size };
	lrd_buffer texture = { 0 };
	lrd_texture_view view;
	bool good = size != 0 && size < sizeof bytes && cook(image, argv[1], &texture);
	good = good && lrd_texture_open(texture.data, texture.size, &view, NULL) && view.width <= 256;
	double decibels = good ? compare(image, (lrd_bytes){ texture.data, texture.size }, 0) : -1.0;
	printf("%.2f dB\n", decibels);
	lrd_buffer_free(&texture);
	if (file != NULL)
	{
		fclose(file);
	}
	return good && decibels > 30.0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
