// Writing EXR: one part of scan lines, ZIP, half or float, through OpenEXRCore to memory. Colours are stored times alpha,
// as readers expect.

#include "base/error.h"
#include "image/codec.h"
#include "image/half.h"

#include <openexr.h>

typedef struct writer
{
	lrd_codec_memory memory;
	const lrd_exr_write_desc *desc;
	lrd_buffer *out;
	size_t begin; // where the file begins in `out`
	exr_context_t context;
	exr_encode_pipeline_t pipeline;
	bool has_pipeline;
	exr_result_t (*compress)(exr_encode_pipeline_t *pipeline); // the library's
	bool failed;                                               // `out` could not grow
	uint8_t *samples;                                          // one chunk: the lines of one channel after the other
	size_t samples_size;
} writer;

typedef struct channel
{
	char name[2];
	uint8_t component;
} channel;

// In the order that EXR keeps channels in, which is the alphabet's.
static const channel *channels_of(uint32_t count)
{
	static const channel grey[] = { { "Y", 0 } };
	static const channel rgba[] = { { "A", 3 }, { "B", 2 }, { "G", 1 }, { "R", 0 } };
	return count == 1 ? grey : count == 3 ? rgba + 1 : rgba;
}

static int64_t write_bytes(exr_const_context_t context, void *user, const void *data, uint64_t size, uint64_t offset,
	exr_stream_error_func_ptr_t report)
{
	(void)context;
	(void)report;
	writer *self = user;
	size_t at = self->begin + (size_t)offset;
	size_t end = at + (size_t)size;
	if (end > self->out->size && lrd_buffer_extend(self->out, end - self->out->size) == NULL)
	{
		self->failed = true;
		return -1;
	}
	memcpy(self->out->data + at, data, (size_t)size);
	return (int64_t)size;
}

static void ignore_message(exr_const_context_t context, exr_result_t code, const char *message)
{
	(void)context;
	(void)code;
	(void)message;
}

static float sample_of(const float *texel, uint32_t component, uint32_t channel_count)
{
	bool cover = channel_count == 4 && component != 3 && texel[3] > 0.0f && texel[3] < 1.0f;
	return cover ? texel[component] * texel[3] : texel[component];
}

static void store_samples(const writer *self, const channel *from, uint32_t y, uint32_t lines, uint8_t *to)
{
	const lrd_exr_write_desc *desc = self->desc;
	const float *texel = desc->rgba + 4 * (size_t)y * desc->width;
	size_t count = (size_t)lines * desc->width;
	for (size_t i = 0; i < count; i++, texel += 4)
	{
		float value = sample_of(texel, from->component, desc->channels);
		lrd_floats_settle(&value, 1);
		if (!desc->half_float)
		{
			memcpy(to + 4 * i, &value, sizeof value);
			continue;
		}
		value = value > LRD_HALF_MAX ? LRD_HALF_MAX : value < -LRD_HALF_MAX ? -LRD_HALF_MAX : value;
		uint16_t half = lrd_half_from_float(value);
		memcpy(to + 2 * i, &half, sizeof half);
	}
}

static exr_result_t write_header(writer *self)
{
	const lrd_exr_write_desc *desc = self->desc;
	exr_context_initializer_t how = EXR_DEFAULT_CONTEXT_INITIALIZER;
	how.error_handler_fn = ignore_message;
	how.alloc_fn = lrd_codec_malloc;
	how.free_fn = lrd_codec_free;
	how.user_data = self;
	how.write_fn = write_bytes;
	exr_context_t *context = &self->context;
	int part = 0; // the library wants it where it fails
	exr_result_t code = exr_start_write(context, "memory", EXR_WRITE_FILE_DIRECTLY, &how);
	code = code != 0 ? code : exr_add_part(*context, NULL, EXR_STORAGE_SCANLINE, &part);
	code = code != 0 ? code
					 : exr_initialize_required_attr_simple(
						   *context, 0, (int32_t)desc->width, (int32_t)desc->height, EXR_COMPRESSION_ZIP);
	exr_pixel_type_t type = desc->half_float ? EXR_PIXEL_HALF : EXR_PIXEL_FLOAT;
	const channel *channels = channels_of(desc->channels);
	for (uint32_t i = 0; i < desc->channels && code == 0; i++)
	{
		code = exr_add_channel(*context, 0, channels[i].name, type, EXR_PERCEPTUALLY_LOGARITHMIC, 1, 1);
	}
	return code != 0 ? code : exr_write_header(*context);
}

// Readers take a chunk that is as long as its samples for the samples. OpenEXR 3.1 overlooks that deflate may come to
// just that length.
static exr_result_t compress_or_keep(exr_encode_pipeline_t *pipeline)
{
	const writer *self = pipeline->encoding_user_data;
	exr_result_t code = self->compress(pipeline);
	if (code == 0 && pipeline->compressed_bytes == pipeline->packed_bytes)
	{
		memcpy(pipeline->compressed_buffer, pipeline->packed_buffer, pipeline->packed_bytes);
	}
	return code;
}

static exr_result_t write_lines(writer *self, uint32_t y)
{
	const lrd_exr_write_desc *desc = self->desc;
	exr_encode_pipeline_t *pipeline = &self->pipeline;
	exr_chunk_info_t chunk = { 0 };
	exr_result_t code = exr_write_scanline_chunk_info(self->context, 0, (int)y, &chunk);
	if (code == 0 && self->has_pipeline)
	{
		code = exr_encoding_update(self->context, 0, &chunk, pipeline);
	}
	else if (code == 0)
	{
		code = exr_encoding_initialize(self->context, 0, &chunk, pipeline);
		self->has_pipeline = code == 0;
		code = code != 0 ? code : exr_encoding_choose_default_routines(self->context, 0, pipeline);
		self->compress = pipeline->compress_fn;
		pipeline->compress_fn = compress_or_keep;
		pipeline->encoding_user_data = self;
	}
	uint32_t size = desc->half_float ? 2 : 4;
	size_t line_size = (size_t)size * desc->width;
	const channel *channels = channels_of(desc->channels);
	for (uint32_t i = 0; i < desc->channels && code == 0; i++)
	{
		exr_coding_channel_info_t *to = &pipeline->channels[i];
		uint8_t *samples = self->samples + i * line_size * (size_t)chunk.height;
		store_samples(self, &channels[i], y, (uint32_t)chunk.height, samples);
		to->encode_from_ptr = samples;
		to->user_pixel_stride = (int32_t)size;
		to->user_line_stride = (int32_t)line_size;
	}
	return code != 0 ? code : exr_encoding_run(self->context, 0, pipeline);
}

static exr_result_t write_all(writer *self)
{
	exr_result_t code = write_header(self);
	int32_t lines = 0;
	code = code != 0 ? code : exr_get_scanlines_per_chunk(self->context, 0, &lines);
	if (code != 0)
	{
		return code;
	}
	size_t line_size = (size_t)self->desc->width * self->desc->channels * (self->desc->half_float ? 2 : 4);
	self->samples_size = line_size * (size_t)lines;
	self->samples = lrd_alloc(self->memory.allocator, self->samples_size);
	if (self->samples == NULL)
	{
		return EXR_ERR_OUT_OF_MEMORY;
	}
	for (uint32_t y = 0; y < self->desc->height && code == 0; y += (uint32_t)lines)
	{
		code = write_lines(self, y);
	}
	return code;
}

bool lrd_image_write_exr(const lrd_exr_write_desc *desc, lrd_buffer *out, lrd_error *error)
{
	// A side of more is none that the readers of this or any other program take.
	bool sized = desc->width > 0 && desc->height > 0 && desc->width <= 1u << 24 && desc->height <= 1u << 24;
	if (!sized || (desc->channels != 1 && desc->channels != 3 && desc->channels != 4))
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT,
			"EXR of %u x %u texels with %u channels; expected 1, 3 or 4 channels", desc->width, desc->height,
			desc->channels);
	}
	writer self = { .desc = desc, .out = out, .begin = out->size };
	lrd_codec_memory_enter(&self.memory, lrd_allocator_or_default(out->allocator));
	exr_result_t code = write_all(&self);
	if (self.has_pipeline)
	{
		exr_encoding_destroy(self.context, &self.pipeline);
	}
	exr_result_t finished = exr_finish(&self.context); // writes the table of chunks
	code = code != 0 ? code : finished;
	lrd_free(self.memory.allocator, self.samples, self.samples_size);
	bool memory = self.failed || self.memory.failed || code == EXR_ERR_OUT_OF_MEMORY;
	lrd_codec_memory_leave(&self.memory);
	if (code != 0)
	{
		out->size = self.begin;
		return memory ? lrd_fail(error, LRD_ERROR_MEMORY, "out of memory: EXR")
					  : lrd_fail(error, LRD_ERROR_ARGUMENT, "EXR: %s", exr_get_default_error_message(code));
	}
	return true;
}
