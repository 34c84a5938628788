// Luminance and chroma of EXR files to red, green and blue. Chroma, (R - Y) / Y and (B - Y) / Y, is there for every second
// texel of every second line; what is between comes from the filter that OpenEXR's reader has for what its writer's
// filter took away, and texels which that filter leaves much more saturated than their neighbours are tamed as there
// (ImfRgbaYca.h: reconstructChroma, fixSaturation), or thin bright lines would have coloured edges.

#include "base/error.h"
#include "image/exr.h"

// One half of the filter: weights of the samples 1, 3, 5 .. 13 texels away, on both sides.
static const float weights[7] = { 0.627123f, -0.186077f, 0.087929f, -0.043159f, 0.019597f, -0.007540f, 0.002128f };

typedef struct rows
{
	float *planes[2]; // chroma of one line, as wide as a plane
	float *rgb[3];    // three lines of the region, the middle one's turn is now
	float *saturations[3];
} rows;

static size_t clamp_index(ptrdiff_t index, size_t count)
{
	return index < 0 ? 0 : (size_t)index >= count ? count - 1 : (size_t)index;
}

static void chroma_line(const lrd_exr_chroma *chroma, const float *plane, uint32_t y, float *line)
{
	size_t width = chroma->width;
	size_t row = y / 2;
	if (y % 2 == 0)
	{
		memcpy(line, plane + row * width, width * sizeof *line);
		return;
	}
	memset(line, 0, width * sizeof *line);
	for (ptrdiff_t tap = 0; tap < 7; tap++)
	{
		const float *above = plane + clamp_index((ptrdiff_t)row - tap, chroma->height) * width;
		const float *below = plane + clamp_index((ptrdiff_t)row + 1 + tap, chroma->height) * width;
		for (size_t x = 0; x < width; x++)
		{
			line[x] += (above[x] + below[x]) * weights[tap];
		}
	}
}

static float chroma_at(const float *line, size_t width, uint32_t x)
{
	size_t left = x / 2;
	if (x % 2 == 0)
	{
		return line[left];
	}
	float sum = 0.0f;
	for (ptrdiff_t tap = 0; tap < 7; tap++)
	{
		sum += (line[clamp_index((ptrdiff_t)left - tap, width)] + line[clamp_index((ptrdiff_t)left + 1 + tap, width)]) *
			   weights[tap];
	}
	return sum;
}

static float largest(const float *rgb)
{
	float most = rgb[0] > rgb[1] ? rgb[0] : rgb[1];
	return most > rgb[2] ? most : rgb[2];
}

static float saturation(const float *rgb)
{
	float least = rgb[0] < rgb[1] ? rgb[0] : rgb[1];
	least = least < rgb[2] ? least : rgb[2];
	float most = largest(rgb);
	return most > 0.0f ? 1.0f - least / most : 0.0f;
}

static void rgb_line(
	const lrd_exr_chroma *chroma, const lrd_exr_colors *colors, rows *work, uint32_t y, float *rgb, float *saturations)
{
	const float *shares = colors->luminance;
	const float *pixels = chroma->pixels + (size_t)y * chroma->row_stride;
	for (int i = 0; i < 2; i++)
	{
		chroma_line(chroma, chroma->planes[i], chroma->first_y + y, work->planes[i]);
	}
	for (uint32_t x = 0; x < chroma->region_width; x++)
	{
		float luminance = pixels[4 * (size_t)x];
		float red_chroma = chroma_at(work->planes[0], chroma->width, chroma->first_x + x);
		float blue_chroma = chroma_at(work->planes[1], chroma->width, chroma->first_x + x);
		float *texel = rgb + 3 * (size_t)x;
		texel[0] = texel[1] = texel[2] = luminance;
		if (red_chroma != 0.0f || blue_chroma != 0.0f) // grey stays exactly grey
		{
			texel[0] = (red_chroma + 1.0f) * luminance;
			texel[2] = (blue_chroma + 1.0f) * luminance;
			texel[1] = (luminance - texel[0] * shares[0] - texel[2] * shares[2]) / shares[1];
		}
		saturations[x] = saturation(texel);
	}
}

static void desaturate(const float *shares, float keep, float *rgb)
{
	float most = largest(rgb);
	float before = 0.0f, after = 0.0f;
	for (int i = 0; i < 3; i++)
	{
		before += rgb[i] * shares[i];
		float value = most - (most - rgb[i]) * keep;
		rgb[i] = value > 0.0f ? value : 0.0f;
		after += rgb[i] * shares[i];
	}
	for (int i = 0; i < 3 && after > 0.0f; i++)
	{
		rgb[i] *= before / after;
	}
}

static void finish_line(const lrd_exr_chroma *chroma, const lrd_exr_colors *colors, const rows *work, uint32_t y)
{
	float *pixels = chroma->pixels + (size_t)y * chroma->row_stride;
	const float *above = work->saturations[0];
	const float *below = work->saturations[2];
	for (size_t x = 0; x < chroma->region_width; x++)
	{
		size_t left = x > 0 ? x - 1 : 0;
		size_t right = x + 1 < chroma->region_width ? x + 1 : x;
		float mean = 0.25f * (above[left] + above[right] + below[left] + below[right]);
		mean = mean < 1.0f ? mean : 1.0f;
		float most = 1.0f - (1.0f - mean) * 0.25f;
		float rgb[3];
		memcpy(rgb, work->rgb[1] + 3 * x, sizeof rgb);
		float its = work->saturations[1][x];
		if (its > mean && its > most)
		{
			desaturate(colors->luminance, most / its, rgb);
		}
		memcpy(pixels + 4 * x, rgb, sizeof rgb);
	}
}

static void rotate(float *lines[3])
{
	float *first = lines[0];
	lines[0] = lines[1];
	lines[1] = lines[2];
	lines[2] = first;
}

bool lrd_exr_chroma_to_rgb(const lrd_exr_chroma *chroma, const lrd_exr_colors *colors, lrd_error *error)
{
	if (!(colors->luminance[1] > 0.0f))
	{
		return lrd_fail(
			error, LRD_ERROR_FORMAT, "green has no luminance by the chromaticities, so chroma means nothing");
	}
	size_t width = chroma->region_width;
	size_t count = 2 * (size_t)chroma->width + 12 * width;
	float *memory = lrd_alloc(chroma->allocator, count * sizeof *memory);
	if (memory == NULL)
	{
		return lrd_fail_memory(error, "chroma lines", count * sizeof *memory);
	}
	rows work = { .planes = { memory, memory + chroma->width } };
	for (size_t i = 0; i < 3; i++)
	{
		work.rgb[i] = memory + 2 * (size_t)chroma->width + 4 * i * width;
		work.saturations[i] = work.rgb[i] + 3 * width;
	}
	// Beyond the region's edges its outermost lines stand in.
	for (uint32_t y = 0; y <= chroma->region_height; y++)
	{
		rotate(work.rgb);
		rotate(work.saturations);
		if (y < chroma->region_height)
		{
			rgb_line(chroma, colors, &work, y, work.rgb[2], work.saturations[2]);
		}
		else
		{
			memcpy(work.saturations[2], work.saturations[1], width * sizeof(float));
		}
		if (y == 1)
		{
			memcpy(work.saturations[0], work.saturations[1], width * sizeof(float));
		}
		if (y > 0)
		{
			finish_line(chroma, colors, &work, y - 1);
		}
	}
	lrd_free(chroma->allocator, memory, count * sizeof *memory);
	return true;
}
