// OpenEXR: scan lines and tiles (level 0), half, float and integer channels, every compression there is. The image is
// the display window: what of it the data window does not cover is transparent black. Chunks are unpacked by
// OpenEXRCore, those of DWAA and DWAB in exr_dwa.c; their samples are spread over the image here. Format: "OpenEXR File
// Layout".

#include "base/error.h"
#include "image/exr.h"
#include "image/exr_cosine.h"
#include "image/exr_dwa.h"
#include "image/half.h"

// No chunk grows more than this when it is unpacked: deflate 1032 times (RFC 1951), PXR24 a third more than that, runs of
// PIZ's Huffman codes 454 times (255 samples for a code of one bit and a count of eight), RLE 64, B44A 11.
#define GROWTH_MAX 2048u

// A chunk of no more than this is unpacked whatever the limit.
#define CHUNK_SURE (16ull << 20)

typedef struct exr_reader
{
	lrd_exr_file *file;
	const lrd_exr_picture *picture;
	lrd_exr_colors colors;
	lrd_allocator allocator;
	lrd_image_layout *layout;
	float *pixels;
	float *lines[LRD_EXR_PLANES]; // one line of the shown width for each component
	float *lines_memory;
	size_t lines_size;
	float *chroma[2];     // RY and BY of the data window
	size_t chroma_size;   // bytes of both
	lrd_exr_scale *scale; // of DWAA
	exr_decode_pipeline_t pipeline;
	bool has_pipeline;
} exr_reader;

static int64_t width_of(const exr_attr_box2i_t *box)
{
	return (int64_t)box->max.x - box->min.x + 1;
}

static int64_t height_of(const exr_attr_box2i_t *box)
{
	return (int64_t)box->max.y - box->min.y + 1;
}

// What of the data window is shown; false when that is nothing.
static bool find_shown(const lrd_exr_picture *picture, exr_attr_box2i_t *shown)
{
	const exr_attr_box2i_t *a = &picture->data;
	const exr_attr_box2i_t *b = &picture->display;
	shown->min.x = a->min.x > b->min.x ? a->min.x : b->min.x;
	shown->min.y = a->min.y > b->min.y ? a->min.y : b->min.y;
	shown->max.x = a->max.x < b->max.x ? a->max.x : b->max.x;
	shown->max.y = a->max.y < b->max.y ? a->max.y : b->max.y;
	return shown->min.x <= shown->max.x && shown->min.y <= shown->max.y;
}

static bool is_dwa(exr_compression_t compression)
{
	return compression == EXR_COMPRESSION_DWAA || compression == EXR_COMPRESSION_DWAB;
}

static uint64_t growth_of(exr_compression_t compression)
{
	if (is_dwa(compression))
	{
		return LRD_DWA_GROWTH_MAX;
	}
	return compression == EXR_COMPRESSION_NONE ? 1 : GROWTH_MAX;
}

static uint64_t least_size_of(const lrd_exr_picture *picture)
{
	uint64_t texels = (uint64_t)width_of(&picture->data) * (uint64_t)height_of(&picture->data);
	uint64_t size;
	// Subsampled channels hold a quarter of the samples, at the least.
	return __builtin_mul_overflow(texels, lrd_exr_texel_size(picture->list), &size)
			   ? UINT64_MAX
			   : size / 4 / growth_of(picture->compression);
}

static bool measure_exr(lrd_bytes bytes, lrd_image_layout *layout, lrd_error *error)
{
	lrd_exr_file file;
	lrd_exr_picture picture;
	if (!lrd_exr_open(&file, bytes, layout->allocator, error))
	{
		return false;
	}
	bool chosen = lrd_exr_choose(&file, &picture, error);
	if (chosen)
	{
		layout->width = (uint32_t)width_of(&picture.display);
		layout->height = (uint32_t)height_of(&picture.display);
		layout->type = LRD_PIXEL_F32;
		layout->linear = true;
		layout->source_channels = picture.source_channels;
		layout->least_size = least_size_of(&picture);
	}
	lrd_exr_close(&file);
	return chosen;
}

static void load_samples(const uint8_t *from, exr_pixel_type_t type, size_t count, float *to)
{
	if (type == EXR_PIXEL_HALF)
	{
		lrd_floats_from_halves(from, count, to);
		return;
	}
	if (type == EXR_PIXEL_FLOAT)
	{
		memcpy(to, from, count * sizeof *to);
		return;
	}
	for (size_t i = 0; i < count; i++)
	{
		uint32_t value;
		memcpy(&value, from + 4 * i, sizeof value);
		to[i] = (float)value;
	}
}

static void fill(float *line, size_t count, float value)
{
	for (size_t i = 0; i < count; i++)
	{
		line[i] = value;
	}
}

static void interleave(const float *const lines[LRD_EXR_PLANES], size_t count, float *restrict rgba)
{
	const float *restrict r = lines[0];
	const float *restrict g = lines[1];
	const float *restrict b = lines[2];
	const float *restrict a = lines[3];
	for (size_t i = 0; i < count; i++)
	{
		rgba[4 * i + 0] = r[i];
		rgba[4 * i + 1] = g[i];
		rgba[4 * i + 2] = b[i];
		rgba[4 * i + 3] = a[i];
	}
}

// One line of a chunk: where in the chunk's bytes the picture's channels are, and how many texels it has.
typedef struct exr_line
{
	int32_t x, y; // in the file's coordinates
	int32_t width;
	const uint8_t *samples[LRD_EXR_PLANES]; // NULL: the line has none
} exr_line;

static void put_chroma(exr_reader *reader, const exr_line *line)
{
	const lrd_exr_picture *picture = reader->picture;
	size_t width = (size_t)(width_of(&picture->data) / 2);
	size_t row = (size_t)((int64_t)line->y - picture->data.min.y) / 2;
	for (int i = 0; i < 2; i++)
	{
		const uint8_t *samples = line->samples[LRD_EXR_SECOND + i];
		if (samples != NULL)
		{
			float *to = reader->chroma[i] + row * width;
			load_samples(samples, picture->list->entries[picture->channels[LRD_EXR_SECOND + i]].pixel_type, width, to);
			lrd_floats_settle(to, width);
		}
	}
}

// Colours are stored times alpha ("Technical Introduction to OpenEXR", "Premultiplied vs. Un-Premultiplied"). Where
// alpha is 0 they are light without cover, and stay.
static void divide_by_alpha(float *rgba, size_t texels)
{
	for (size_t i = 0; i < texels; i++, rgba += 4)
	{
		float alpha = rgba[3];
		if (alpha > 0.0f && alpha < 1.0f)
		{
			rgba[0] /= alpha;
			rgba[1] /= alpha;
			rgba[2] /= alpha;
		}
		rgba[3] = alpha < 0.0f ? 0.0f : alpha > 1.0f ? 1.0f : alpha;
	}
}

static bool is_opaque(const float *rgba, size_t texels)
{
	uint32_t differ[4] = { 0 };
	for (size_t i = 0; i < texels; i++)
	{
		for (size_t c = 0; c < 4; c++)
		{
			uint32_t bits;
			memcpy(&bits, &rgba[4 * i + c], sizeof bits);
			differ[c] |= bits ^ 0x3f800000u; // 1.0
		}
	}
	return differ[3] == 0;
}

// What is left to do once a line has its RGB, while it is in the cache.
static void finish_texels(exr_reader *reader, float *rgba, size_t count)
{
	lrd_image_layout *layout = reader->layout;
	if (reader->colors.convert)
	{
		lrd_exr_to_709(&reader->colors, rgba, count);
		layout->clamped += lrd_texels_settle(rgba, count);
	}
	if (reader->picture->channels[LRD_EXR_ALPHA] >= 0 && !is_opaque(rgba, count))
	{
		layout->has_alpha |= lrd_floats_have_alpha(rgba, count);
		if (!layout->ignore_gamma)
		{
			divide_by_alpha(rgba, count);
			layout->clamped += lrd_texels_settle(rgba, count);
		}
	}
}

static void put_line(exr_reader *reader, const exr_line *line)
{
	const lrd_exr_picture *picture = reader->picture;
	const exr_attr_box2i_t *shown = &picture->display;
	int64_t first = line->x > shown->min.x ? line->x : shown->min.x;
	int64_t end = (int64_t)line->x + line->width;
	end = end < (int64_t)shown->max.x + 1 ? end : (int64_t)shown->max.x + 1;
	if (picture->kind == LRD_EXR_CHROMA)
	{
		put_chroma(reader, line);
	}
	if (line->y < shown->min.y || line->y > shown->max.y || first >= end)
	{
		return;
	}
	size_t count = (size_t)(end - first);
	const float *lines[LRD_EXR_PLANES];
	for (int i = 0; i < LRD_EXR_PLANES; i++)
	{
		bool is_grey = picture->kind != LRD_EXR_RGB && i != LRD_EXR_ALPHA;
		lines[i] = reader->lines[is_grey ? LRD_EXR_FIRST : i];
		if (line->samples[i] != NULL && (i == LRD_EXR_FIRST || !is_grey))
		{
			exr_pixel_type_t type = picture->list->entries[picture->channels[i]].pixel_type;
			size_t skipped = (size_t)(first - line->x) * (type == EXR_PIXEL_HALF ? 2 : 4);
			load_samples(line->samples[i] + skipped, type, count, reader->lines[i]);
		}
	}
	size_t row = (size_t)((int64_t)line->y - shown->min.y);
	float *rgba = reader->pixels + 4 * (row * reader->layout->width + (size_t)(first - shown->min.x));
	interleave(lines, count, rgba);
	reader->layout->clamped += lrd_texels_settle(rgba, count);
	if (picture->kind != LRD_EXR_CHROMA)
	{
		finish_texels(reader, rgba, count);
	}
}

// A chunk's bytes are lines; a line's are one channel after the other, in the order of the list.
static bool put_chunk(exr_reader *reader, int32_t x, int32_t y, lrd_error *error)
{
	const exr_decode_pipeline_t *pipeline = &reader->pipeline;
	const uint8_t *at = pipeline->unpacked_buffer;
	uint64_t left = pipeline->chunk.unpacked_size;
	for (int32_t row = 0; row < pipeline->chunk.height; row++)
	{
		exr_line line = { .x = x, .y = y + row, .width = pipeline->chunk.width };
		for (int c = 0; c < pipeline->channel_count; c++)
		{
			const exr_coding_channel_info_t *channel = &pipeline->channels[c];
			if (line.y % channel->y_samples != 0)
			{
				continue;
			}
			uint64_t size = (uint64_t)(line.width / channel->x_samples) * (uint64_t)channel->bytes_per_element;
			if (size > left)
			{
				return lrd_fail(error, LRD_ERROR_FORMAT, "line %d has more samples than its chunk's %llu bytes", line.y,
					(unsigned long long)pipeline->chunk.unpacked_size);
			}
			for (int i = 0; i < LRD_EXR_PLANES; i++)
			{
				line.samples[i] = reader->picture->channels[i] == c ? at : line.samples[i];
			}
			at += size;
			left -= size;
		}
		put_line(reader, &line);
	}
	return true;
}

// A chunk holds channels that are not shown too, but not so many that it is larger than any picture may be.
static bool check_chunk(const exr_reader *reader, const exr_chunk_info_t *chunk, lrd_error *error)
{
	bool is_raw = reader->picture->compression == EXR_COMPRESSION_NONE;
	uint64_t most;
	if (__builtin_mul_overflow(chunk->packed_size, growth_of(reader->picture->compression), &most))
	{
		most = UINT64_MAX;
	}
	if (chunk->unpacked_size == 0 || chunk->unpacked_size > most ||
		(is_raw && chunk->packed_size != chunk->unpacked_size))
	{
		return lrd_fail(error, LRD_ERROR_FORMAT, "%llu bytes can't be the %llu that it unpacks to",
			(unsigned long long)chunk->packed_size, (unsigned long long)chunk->unpacked_size);
	}
	uint64_t limit = reader->layout->max_bytes > CHUNK_SURE ? reader->layout->max_bytes : CHUNK_SURE;
	return chunk->unpacked_size <= limit ||
		   lrd_fail(error, LRD_ERROR_LIMIT, "%llu bytes when unpacked; at most %llu are taken",
			   (unsigned long long)chunk->unpacked_size, (unsigned long long)limit);
}

// `x` and `y`: its first texel.
static bool read_chunk(exr_reader *reader, const exr_chunk_info_t *chunk, int32_t x, int32_t y, lrd_error *error)
{
	exr_context_t context = reader->file->context;
	int part = reader->picture->part;
	exr_decode_pipeline_t *pipeline = &reader->pipeline;
	exr_result_t code;
	if (!check_chunk(reader, chunk, error))
	{
		return false;
	}
	if (reader->has_pipeline)
	{
		code = exr_decoding_update(context, part, chunk, pipeline);
	}
	else
	{
		code = exr_decoding_initialize(context, part, chunk, pipeline);
		reader->has_pipeline = code == EXR_ERR_SUCCESS;
		code = code == EXR_ERR_SUCCESS ? exr_decoding_choose_default_routines(context, part, pipeline) : code;
		pipeline->unpack_and_convert_fn = NULL; // samples are taken as they lie
		if (is_dwa(reader->picture->compression))
		{
			pipeline->decompress_fn = lrd_exr_undo_dwa;
			pipeline->decoding_user_data = reader->scale;
		}
	}
	code = code == EXR_ERR_SUCCESS ? exr_decoding_run(context, part, pipeline) : code;
	return code == EXR_ERR_SUCCESS ? put_chunk(reader, x, y, error) : lrd_exr_fail(reader->file, code, error);
}

static bool read_scan_lines(exr_reader *reader, const exr_attr_box2i_t *shown, lrd_error *error)
{
	const lrd_exr_picture *picture = reader->picture;
	exr_context_t context = reader->file->context;
	int32_t lines = 0;
	exr_result_t code = exr_get_scanlines_per_chunk(context, picture->part, &lines);
	if (code != EXR_ERR_SUCCESS || lines <= 0)
	{
		return lrd_exr_fail(reader->file, code != EXR_ERR_SUCCESS ? code : EXR_ERR_FILE_BAD_HEADER, error);
	}
	// Chroma of lines that are not shown reaches those that are.
	bool all = picture->kind == LRD_EXR_CHROMA;
	int64_t begin = all ? picture->data.min.y : shown->min.y;
	int64_t last = all ? picture->data.max.y : shown->max.y;
	begin -= (begin - picture->data.min.y) % lines;
	for (int64_t y = begin; y <= last; y += lines)
	{
		exr_chunk_info_t chunk = { 0 };
		code = exr_read_scanline_chunk_info(context, picture->part, (int)y, &chunk);
		bool read = code == EXR_ERR_SUCCESS ? read_chunk(reader, &chunk, picture->data.min.x, (int32_t)y, error)
											: lrd_exr_fail(reader->file, code, error);
		if (!read)
		{
			return lrd_fail_in(error, "lines from %lld", (long long)y);
		}
	}
	return true;
}

static bool read_tile(exr_reader *reader, int64_t column, int64_t row, int32_t width, int32_t height, lrd_error *error)
{
	const lrd_exr_picture *picture = reader->picture;
	exr_chunk_info_t chunk = { 0 };
	exr_result_t code =
		exr_read_tile_chunk_info(reader->file->context, picture->part, (int)column, (int)row, 0, 0, &chunk);
	int64_t x = picture->data.min.x + column * width;
	int64_t y = picture->data.min.y + row * height;
	bool read = code == EXR_ERR_SUCCESS ? read_chunk(reader, &chunk, (int32_t)x, (int32_t)y, error)
										: lrd_exr_fail(reader->file, code, error);
	return read || lrd_fail_in(error, "tile %lld, %lld", (long long)column, (long long)row);
}

static bool read_tiles(exr_reader *reader, const exr_attr_box2i_t *shown, lrd_error *error)
{
	const lrd_exr_picture *picture = reader->picture;
	int32_t width = 0, height = 0;
	exr_result_t code = exr_get_tile_sizes(reader->file->context, picture->part, 0, 0, &width, &height);
	if (code != EXR_ERR_SUCCESS || width <= 0 || height <= 0)
	{
		return lrd_exr_fail(reader->file, code != EXR_ERR_SUCCESS ? code : EXR_ERR_FILE_BAD_HEADER, error);
	}
	const exr_attr_box2i_t *data = &picture->data;
	int64_t last_row = ((int64_t)shown->max.y - data->min.y) / height;
	int64_t last_column = ((int64_t)shown->max.x - data->min.x) / width;
	for (int64_t row = ((int64_t)shown->min.y - data->min.y) / height; row <= last_row; row++)
	{
		for (int64_t column = ((int64_t)shown->min.x - data->min.x) / width; column <= last_column; column++)
		{
			if (!read_tile(reader, column, row, width, height, error))
			{
				return false;
			}
		}
	}
	return true;
}

// Lines for components that no channel fills keep what they are given here.
static bool allocate_lines(exr_reader *reader, lrd_error *error)
{
	size_t width = reader->layout->width;
	reader->lines_size = LRD_EXR_PLANES * width * sizeof(float);
	reader->lines_memory = lrd_alloc(reader->allocator, reader->lines_size);
	if (reader->lines_memory == NULL)
	{
		return lrd_fail_memory(error, "lines", reader->lines_size);
	}
	for (int i = 0; i < LRD_EXR_PLANES; i++)
	{
		reader->lines[i] = reader->lines_memory + (size_t)i * width;
		fill(reader->lines[i], width, i == LRD_EXR_ALPHA ? 1.0f : 0.0f);
	}
	return true;
}

static bool allocate_scale(exr_reader *reader, lrd_error *error)
{
	reader->scale = lrd_alloc(reader->allocator, sizeof *reader->scale);
	if (reader->scale == NULL)
	{
		return lrd_fail_memory(error, "scale", sizeof *reader->scale);
	}
	lrd_exr_scale_init(reader->scale);
	return true;
}

static bool allocate_chroma(exr_reader *reader, lrd_error *error)
{
	const exr_attr_box2i_t *data = &reader->picture->data;
	uint64_t samples = (uint64_t)(width_of(data) / 2) * (uint64_t)(height_of(data) / 2);
	size_t size;
	if (samples > reader->layout->max_bytes || !lrd_mul_size((size_t)samples, 2 * sizeof(float), &size) ||
		size > reader->layout->max_bytes)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT, "chroma of %lld x %lld texels takes more than the %llu bytes allowed",
			(long long)width_of(data), (long long)height_of(data), (unsigned long long)reader->layout->max_bytes);
	}
	reader->chroma[0] = lrd_alloc(reader->allocator, size);
	if (reader->chroma[0] == NULL)
	{
		return lrd_fail_memory(error, "chroma", size);
	}
	reader->chroma_size = size;
	reader->chroma[1] = reader->chroma[0] + samples;
	return true;
}

static bool finish_chroma(exr_reader *reader, const exr_attr_box2i_t *shown, lrd_error *error)
{
	const lrd_exr_picture *picture = reader->picture;
	size_t row_stride = 4 * (size_t)reader->layout->width;
	size_t column = (size_t)((int64_t)shown->min.x - picture->display.min.x);
	size_t row = (size_t)((int64_t)shown->min.y - picture->display.min.y);
	lrd_exr_chroma chroma = {
		.planes = { reader->chroma[0], reader->chroma[1] },
		.width = (uint32_t)(width_of(&picture->data) / 2),
		.height = (uint32_t)(height_of(&picture->data) / 2),
		.first_x = (uint32_t)((int64_t)shown->min.x - picture->data.min.x),
		.first_y = (uint32_t)((int64_t)shown->min.y - picture->data.min.y),
		.region_width = (uint32_t)width_of(shown),
		.region_height = (uint32_t)height_of(shown),
		.pixels = reader->pixels + row * row_stride + 4 * column,
		.row_stride = row_stride,
		.allocator = reader->allocator,
	};
	if (!lrd_exr_chroma_to_rgb(&chroma, &reader->colors, error))
	{
		return false;
	}
	for (uint32_t y = 0; y < chroma.region_height; y++)
	{
		float *line = chroma.pixels + y * row_stride;
		reader->layout->clamped += lrd_texels_settle(line, chroma.region_width);
		finish_texels(reader, line, chroma.region_width);
	}
	return true;
}

static bool decode_picture(exr_reader *reader, lrd_error *error)
{
	const lrd_exr_picture *picture = reader->picture;
	lrd_image_layout *layout = reader->layout;
	layout->settled = true;
	layout->alpha_known = true;
	exr_attr_box2i_t shown;
	bool is_any = find_shown(picture, &shown);
	if (!is_any || width_of(&shown) != layout->width || height_of(&shown) != layout->height)
	{
		memset(reader->pixels, 0, (size_t)layout->width * layout->height * lrd_pixel_size(layout->type));
		layout->has_alpha = true;
	}
	bool is_chroma = picture->kind == LRD_EXR_CHROMA;
	if (!is_any)
	{
		return true;
	}
	if (!allocate_lines(reader, error) || (is_chroma && !allocate_chroma(reader, error)) ||
		(is_dwa(picture->compression) && !allocate_scale(reader, error)))
	{
		return false;
	}
	bool read = picture->tiled ? read_tiles(reader, &shown, error) : read_scan_lines(reader, &shown, error);
	if (!read || (is_chroma && !finish_chroma(reader, &shown, error)))
	{
		return false;
	}
	return true;
}

static bool decode_in(exr_reader *reader, lrd_exr_picture *picture, lrd_error *error)
{
	const lrd_exr_file *file = reader->file;
	if (!lrd_exr_choose(file, picture, error) || !lrd_exr_colors_read(file, picture->part, &reader->colors, error))
	{
		return false;
	}
	// Numbers are not colours, and neither is what a caller takes as it is.
	reader->colors.convert &= picture->is_color && !reader->layout->ignore_gamma && picture->kind != LRD_EXR_GREY;
	bool decoded = decode_picture(reader, error);
	if (reader->has_pipeline)
	{
		exr_decoding_destroy(file->context, &reader->pipeline);
	}
	lrd_free(reader->allocator, reader->scale, sizeof *reader->scale);
	lrd_free(reader->allocator, reader->lines_memory, reader->lines_size);
	lrd_free(reader->allocator, reader->chroma[0], reader->chroma_size);
	return decoded;
}

static bool decode_exr(
	lrd_bytes bytes, lrd_allocator allocator, lrd_image_layout *layout, void *pixels, lrd_error *error)
{
	lrd_exr_file file;
	if (!lrd_exr_open(&file, bytes, allocator, error))
	{
		return false;
	}
	lrd_exr_picture picture;
	exr_reader reader = {
		.file = &file, .picture = &picture, .allocator = allocator, .layout = layout, .pixels = pixels
	};
	bool decoded = decode_in(&reader, &picture, error);
	lrd_exr_close(&file);
	return decoded;
}

const lrd_image_decoder lrd_exr_decoder = { measure_exr, decode_exr };
