// Chunks of DWAA and DWAB. A chunk is a header of sizes, the rules that say which channels were stored how, and four
// streams: channels deflated as they are; the cosine coefficients of blocks of 8 x 8 texels, those after the first as
// runs that are Huffman-coded or deflated, the first ones deflated; and channels, such as alpha, in runs, deflated.
// Colours were brought to an even scale (a power up to 1, a logarithm above) and, three together, to luma and chroma,
// before their cosines were taken; they were rounded to half floats twice on the way, and are here. The format is
// described by its authors in ImfDwaCompressor.cpp alone.

#include "image/exr_dwa.h"

#include "image/codec.h"
#include "image/exr_cosine.h"
#include "image/half.h"

#include <zlib.h>

enum
{
	VERSION,
	PLAIN_RAW,
	PLAIN_PACKED,
	AC_PACKED,
	DC_PACKED,
	RUNS_PACKED,
	RUNS_COUNT,
	RUNS_RAW,
	AC_VALUES,
	DC_VALUES,
	AC_CODING,
	SIZES,
};

typedef enum scheme
{
	SCHEME_PLAIN,
	SCHEME_COSINE,
	SCHEME_RUNS,
} scheme;

typedef struct dwa_channel
{
	const exr_coding_channel_info_t *info;
	const char *suffix; // what is behind the last dot
	size_t prefix_size;
	scheme scheme;
	int place; // 0..2: red, green or blue of a set; -1
	bool decoded;
	size_t sample_size;
	size_t even_offset, odd_offset; // in the lines that it is in
} dwa_channel;

typedef struct dwa
{
	exr_decode_pipeline_t *pipeline;
	uint64_t sizes[SIZES];
	const uint8_t *rules, *rules_end;
	const uint8_t *streams[4]; // plain, AC, DC, runs
	dwa_channel *channels;
	size_t channel_count;
	size_t even_size, odd_size; // of a line; odd ones lack what is sampled every second
	uint8_t *plain;
	uint8_t *runs;
	uint16_t *ac, *dc;
	size_t ac_count, dc_count, ac_at, dc_at;
	lrd_exr_scale *scale;
} dwa;

static uint64_t read_u64(const uint8_t *bytes)
{
	uint64_t value;
	memcpy(&value, bytes, sizeof value);
	return value;
}

static void *zlib_alloc(void *user, unsigned count, unsigned size)
{
	(void)user;
	return lrd_codec_calloc(count, size);
}

static void zlib_free(void *user, void *block)
{
	(void)user;
	lrd_codec_free(block);
}

// Exactly `to_size` bytes, or corrupt.
static exr_result_t undo_deflate(const uint8_t *from, uint64_t from_size, uint8_t *to, size_t to_size)
{
	if (from_size > UINT32_MAX || to_size > UINT32_MAX)
	{
		return EXR_ERR_CORRUPT_CHUNK;
	}
	z_stream stream = { .next_in = (Bytef *)(uintptr_t)from,
		.avail_in = (uInt)from_size,
		.next_out = to,
		.avail_out = (uInt)to_size,
		.zalloc = zlib_alloc,
		.zfree = zlib_free };
	if (inflateInit(&stream) != Z_OK)
	{
		return EXR_ERR_OUT_OF_MEMORY;
	}
	int code = inflate(&stream, Z_FINISH);
	inflateEnd(&stream);
	return code == Z_STREAM_END && stream.avail_out == 0 ? EXR_ERR_SUCCESS
		   : code == Z_MEM_ERROR                         ? EXR_ERR_OUT_OF_MEMORY
														 : EXR_ERR_CORRUPT_CHUNK;
}

static exr_result_t allocate(size_t size, void **block)
{
	*block = size != 0 ? lrd_codec_malloc(size) : NULL;
	return size == 0 || *block != NULL ? EXR_ERR_SUCCESS : EXR_ERR_OUT_OF_MEMORY;
}

static bool same_word(const char *a, const char *b, bool ignore_case)
{
	for (; *a != 0 && *b != 0; a++, b++)
	{
		char lower = *a >= 'A' && *a <= 'Z' ? (char)(*a - 'A' + 'a') : *a;
		if ((ignore_case ? lower : *a) != *b)
		{
			return false;
		}
	}
	return *a == *b;
}

static void apply_rule(dwa *self, const char *suffix, bool ignore_case, int type, scheme how, int place)
{
	for (size_t i = 0; i < self->channel_count; i++)
	{
		dwa_channel *channel = &self->channels[i];
		if (channel->info->data_type == type && same_word(channel->suffix, suffix, ignore_case))
		{
			channel->scheme = how;
			channel->place = place >= 0 ? place : channel->place;
		}
	}
}

// Blocks of versions before 2 have no rules of their own.
static void apply_old_rules(dwa *self)
{
	static const struct
	{
		const char *suffix;
		int place;
	} cosines[] = { { "r", 0 }, { "red", 0 }, { "g", 1 }, { "grn", 1 }, { "green", 1 }, { "b", 2 }, { "blu", 2 },
		{ "blue", 2 }, { "y", -1 }, { "by", -1 }, { "ry", -1 } };
	for (size_t i = 0; i < sizeof cosines / sizeof *cosines; i++)
	{
		apply_rule(self, cosines[i].suffix, true, EXR_PIXEL_HALF, SCHEME_COSINE, cosines[i].place);
		apply_rule(self, cosines[i].suffix, true, EXR_PIXEL_FLOAT, SCHEME_COSINE, cosines[i].place);
	}
	for (int type = EXR_PIXEL_UINT; type <= EXR_PIXEL_FLOAT; type++)
	{
		apply_rule(self, "a", true, type, SCHEME_RUNS, -1);
	}
}

// A rule: a suffix, ended by 0; place + 1 in the upper four bits, the scheme in the next two, 1 where case is ignored;
// the type of samples.
static bool apply_rules(dwa *self)
{
	for (const uint8_t *at = self->rules; at < self->rules_end;)
	{
		const uint8_t *zero = memchr(at, 0, (size_t)(self->rules_end - at));
		if (zero == NULL || self->rules_end - zero < 3)
		{
			return false;
		}
		int place = (zero[1] >> 4) - 1;
		int how = zero[1] >> 2 & 3;
		if (place > 2 || how > SCHEME_RUNS || zero[2] > EXR_PIXEL_FLOAT)
		{
			return false;
		}
		apply_rule(self, (const char *)at, (zero[1] & 1) != 0, zero[2], (scheme)how, place);
		at = zero + 3;
	}
	return true;
}

static bool find_streams(dwa *self, const uint8_t *at, uint64_t left)
{
	if (self->sizes[VERSION] > 2)
	{
		return false;
	}
	if (self->sizes[VERSION] == 2)
	{
		uint32_t size = left >= 2 ? at[0] | (uint32_t)at[1] << 8 : 0;
		if (size < 2 || size > left)
		{
			return false;
		}
		self->rules = at + 2;
		self->rules_end = at + size;
		at += size;
		left -= size;
	}
	static const int packed[4] = { PLAIN_PACKED, AC_PACKED, DC_PACKED, RUNS_PACKED };
	for (size_t i = 0; i < 4; i++)
	{
		uint64_t size = self->sizes[packed[i]];
		if (size > left)
		{
			return false;
		}
		self->streams[i] = at;
		at += size;
		left -= size;
	}
	return true;
}

static exr_result_t set_channels(dwa *self)
{
	const exr_decode_pipeline_t *pipeline = self->pipeline;
	self->channel_count = (size_t)pipeline->channel_count;
	self->channels = lrd_codec_calloc(self->channel_count, sizeof *self->channels);
	if (self->channels == NULL)
	{
		return EXR_ERR_OUT_OF_MEMORY;
	}
	for (size_t i = 0; i < self->channel_count; i++)
	{
		const exr_coding_channel_info_t *info = &pipeline->channels[i];
		const char *dot = strrchr(info->channel_name, '.');
		size_t prefix_size = dot != NULL ? (size_t)(dot - info->channel_name) : 0;
		size_t sample_size = (size_t)info->bytes_per_element;
		size_t size = sample_size * (size_t)info->width;
		self->channels[i] = (dwa_channel){ .info = info,
			.suffix = dot != NULL ? dot + 1 : info->channel_name,
			.prefix_size = prefix_size,
			.place = -1,
			.sample_size = sample_size,
			.even_offset = self->even_size,
			.odd_offset = self->odd_size };
		self->even_size += size;
		self->odd_size += info->y_samples == 1 ? size : 0;
	}
	return EXR_ERR_SUCCESS;
}

// Where the samples of a channel's line are; `line` counts its own.
static uint8_t *line_of(const dwa *self, const dwa_channel *channel, size_t line)
{
	size_t y = line * (size_t)channel->info->y_samples;
	size_t begin = (y + 1) / 2 * self->even_size + y / 2 * self->odd_size;
	return (uint8_t *)self->pipeline->unpacked_buffer + begin +
		   (y % 2 == 0 ? channel->even_offset : channel->odd_offset);
}

static size_t size_of(const dwa_channel *channel)
{
	return channel->sample_size * (size_t)channel->info->width * (size_t)channel->info->height;
}

static size_t blocks_of(const dwa_channel *channel)
{
	return ((size_t)channel->info->width + 7) / 8 * (((size_t)channel->info->height + 7) / 8);
}

static exr_result_t undo_plain(dwa *self, size_t size)
{
	if (self->sizes[PLAIN_PACKED] == 0 && size == 0)
	{
		return EXR_ERR_SUCCESS;
	}
	if (self->sizes[PLAIN_RAW] != size)
	{
		return EXR_ERR_CORRUPT_CHUNK;
	}
	exr_result_t code = allocate(size, (void **)&self->plain);
	return code != 0 ? code : undo_deflate(self->streams[0], self->sizes[PLAIN_PACKED], self->plain, size);
}

// A count below 0: so many bytes as they are; else the next byte once more than the count.
static bool expand_runs(const uint8_t *from, size_t from_size, uint8_t *to, size_t to_size)
{
	const uint8_t *end = from + from_size;
	while (from < end)
	{
		int count = (int8_t)*from++;
		size_t size = (size_t)(count < 0 ? -count : count + 1);
		size_t taken = count < 0 ? size : 1;
		if (size > to_size || taken > (size_t)(end - from))
		{
			return false;
		}
		if (count < 0)
		{
			memcpy(to, from, size);
		}
		else
		{
			memset(to, *from, size);
		}
		from += taken;
		to += size;
		to_size -= size;
	}
	return to_size == 0;
}

static exr_result_t undo_runs(dwa *self, size_t size)
{
	if (size == 0)
	{
		return self->sizes[RUNS_RAW] == 0 ? EXR_ERR_SUCCESS : EXR_ERR_CORRUPT_CHUNK;
	}
	uint64_t count = self->sizes[RUNS_COUNT];
	if (self->sizes[RUNS_RAW] != size || count > 2 * (uint64_t)size)
	{
		return EXR_ERR_CORRUPT_CHUNK;
	}
	uint8_t *counts = NULL;
	exr_result_t code = allocate(size, (void **)&self->runs);
	code = code != 0 ? code : allocate((size_t)count, (void **)&counts);
	code = code != 0 ? code : undo_deflate(self->streams[3], self->sizes[RUNS_PACKED], counts, (size_t)count);
	if (code == 0 && !expand_runs(counts, (size_t)count, self->runs, size))
	{
		code = EXR_ERR_CORRUPT_CHUNK;
	}
	lrd_codec_free(counts);
	return code;
}

static exr_result_t undo_ac(dwa *self, size_t blocks)
{
	uint64_t count = self->sizes[AC_VALUES];
	if (count > 64 * (uint64_t)blocks)
	{
		return EXR_ERR_CORRUPT_CHUNK;
	}
	self->ac_count = (size_t)count;
	if (self->sizes[AC_PACKED] == 0)
	{
		return count == 0 ? EXR_ERR_SUCCESS : EXR_ERR_CORRUPT_CHUNK;
	}
	exr_result_t code = allocate(self->ac_count * sizeof *self->ac, (void **)&self->ac);
	if (code != 0)
	{
		return code;
	}
	uint64_t packed = self->sizes[AC_PACKED];
	switch (self->sizes[AC_CODING])
	{
	case 0: return lrd_exr_undo_huffman(self->streams[1], (size_t)packed, self->ac, self->ac_count);
	case 1: return undo_deflate(self->streams[1], packed, (uint8_t *)self->ac, self->ac_count * sizeof *self->ac);
	default: return EXR_ERR_CORRUPT_CHUNK;
	}
}

// As chunks of ZIP: bytes are differences to the ones before; the lower bytes come first, then the upper.
static exr_result_t undo_dc(dwa *self, size_t blocks)
{
	if (self->sizes[DC_VALUES] != blocks)
	{
		return EXR_ERR_CORRUPT_CHUNK;
	}
	self->dc_count = blocks;
	size_t size = blocks * sizeof *self->dc;
	uint8_t *bytes = NULL;
	exr_result_t code = allocate(size, (void **)&self->dc);
	code = code != 0 ? code : allocate(size, (void **)&bytes);
	code = code != 0 || blocks == 0 ? code : undo_deflate(self->streams[2], self->sizes[DC_PACKED], bytes, size);
	for (size_t i = 1; i < size && code == 0; i++)
	{
		bytes[i] = (uint8_t)(bytes[i] + bytes[i - 1] - 128);
	}
	for (size_t i = 0; i < blocks && code == 0; i++)
	{
		self->dc[i] = (uint16_t)(bytes[i] | (uint32_t)bytes[blocks + i] << 8);
	}
	lrd_codec_free(bytes);
	return code;
}

// One block's coefficients, in the order of increasing frequency: values as they are, 0xff00 for the end and 0xffNN for
// NN zeros. Returns whether the values sufficed; `last`: the last that is not 0.
static bool read_block(dwa *self, uint16_t dc, uint16_t coefficients[64], uint32_t *last)
{
	memset(coefficients, 0, 64 * sizeof *coefficients);
	coefficients[0] = dc;
	*last = 0;
	for (uint32_t i = 1; i < 64;)
	{
		if (self->ac_at == self->ac_count)
		{
			return false;
		}
		uint16_t value = self->ac[self->ac_at++];
		if (value >> 8 != 0xff)
		{
			*last = i;
			coefficients[i++] = value;
			continue;
		}
		i = value == 0xff00 ? 64 : i + (value & 0xff);
	}
	return true;
}

static void store_block(
	const dwa *self, const dwa_channel *channel, size_t left, size_t top, bool is_linear, const float block[64])
{
	size_t width = (size_t)channel->info->width - left;
	size_t height = (size_t)channel->info->height - top;
	width = width < 8 ? width : 8;
	height = height < 8 ? height : 8;
	for (size_t y = 0; y < height; y++)
	{
		uint8_t *to = line_of(self, channel, top + y) + left * channel->sample_size;
		for (size_t x = 0; x < width; x++)
		{
			uint16_t half = lrd_half_from_float(block[8 * y + x]);
			half = is_linear ? half : lrd_exr_scale_to_linear(self->scale, half);
			if (channel->sample_size == 2)
			{
				memcpy(to + 2 * x, &half, sizeof half);
				continue;
			}
			float value = lrd_float_from_half(half);
			memcpy(to + 4 * x, &value, sizeof value);
		}
	}
}

// One channel, or three of equal size that are a colour.
static bool undo_cosines(dwa *self, dwa_channel *const *channels, size_t count)
{
	size_t blocks = blocks_of(channels[0]);
	size_t columns = ((size_t)channels[0]->info->width + 7) / 8;
	bool is_linear = count == 1 && channels[0]->info->p_linear != 0;
	if (blocks * count > self->dc_count - self->dc_at)
	{
		return false;
	}
	for (size_t i = 0; i < blocks; i++)
	{
		float values[3][64];
		for (size_t c = 0; c < count; c++)
		{
			uint16_t coefficients[64];
			uint32_t last;
			if (!read_block(self, self->dc[self->dc_at + c * blocks + i], coefficients, &last))
			{
				return false;
			}
			lrd_exr_undo_cosine(coefficients, last, values[c]);
		}
		if (count == 3)
		{
			lrd_exr_undo_luma(values);
		}
		for (size_t c = 0; c < count; c++)
		{
			store_block(self, channels[c], i % columns * 8, i / columns * 8, is_linear, values[c]);
		}
	}
	self->dc_at += blocks * count;
	for (size_t c = 0; c < count; c++)
	{
		channels[c]->decoded = true;
	}
	return true;
}

static int compare_prefixes(const dwa_channel *a, const dwa_channel *b)
{
	size_t shorter = a->prefix_size < b->prefix_size ? a->prefix_size : b->prefix_size;
	int order = memcmp(a->info->channel_name, b->info->channel_name, shorter);
	return order != 0 ? order : a->prefix_size < b->prefix_size ? -1 : a->prefix_size > b->prefix_size;
}

// The next set of red, green and blue, in the order of prefixes; the last of several that would do.
static bool next_set(const dwa *self, const dwa_channel *after, dwa_channel *set[3])
{
	const dwa_channel *least = NULL;
	for (size_t i = 0; i < self->channel_count; i++)
	{
		const dwa_channel *its = &self->channels[i];
		bool is_next = its->place >= 0 && (after == NULL || compare_prefixes(its, after) > 0);
		least = is_next && (least == NULL || compare_prefixes(its, least) < 0) ? its : least;
	}
	set[0] = set[1] = set[2] = NULL;
	for (size_t i = 0; i < self->channel_count && least != NULL; i++)
	{
		dwa_channel *its = &self->channels[i];
		if (its->place >= 0 && compare_prefixes(its, least) == 0)
		{
			set[its->place] = its;
		}
	}
	return least != NULL;
}

static bool undo_sets(dwa *self)
{
	dwa_channel *set[3];
	const dwa_channel *after = NULL;
	while (next_set(self, after, set))
	{
		after = set[0] != NULL ? set[0] : set[1] != NULL ? set[1] : set[2];
		bool is_whole = set[0] != NULL && set[1] != NULL && set[2] != NULL;
		bool is_even = is_whole && set[0]->info->x_samples == set[1]->info->x_samples &&
					   set[0]->info->y_samples == set[1]->info->y_samples &&
					   set[0]->info->x_samples == set[2]->info->x_samples &&
					   set[0]->info->y_samples == set[2]->info->y_samples;
		if (!is_even)
		{
			continue;
		}
		bool are_cosines =
			set[0]->scheme == SCHEME_COSINE && set[1]->scheme == SCHEME_COSINE && set[2]->scheme == SCHEME_COSINE;
		if (!are_cosines || !undo_cosines(self, set, 3))
		{
			return false;
		}
	}
	return true;
}

static void copy_plain(const dwa *self, const dwa_channel *channel, const uint8_t *from)
{
	size_t size = channel->sample_size * (size_t)channel->info->width;
	for (size_t line = 0; line < (size_t)channel->info->height; line++)
	{
		memcpy(line_of(self, channel, line), from + line * size, size);
	}
}

// All first bytes, then all second ones, and so on.
static void copy_runs(const dwa *self, const dwa_channel *channel, const uint8_t *from)
{
	size_t width = (size_t)channel->info->width;
	size_t texels = width * (size_t)channel->info->height;
	for (size_t i = 0; i < texels; i++)
	{
		uint8_t *to = line_of(self, channel, i / width) + i % width * channel->sample_size;
		for (size_t byte = 0; byte < channel->sample_size; byte++)
		{
			to[byte] = from[byte * texels + i];
		}
	}
}

static bool undo_channels(dwa *self)
{
	const uint8_t *plain = self->plain;
	const uint8_t *runs = self->runs;
	if (!undo_sets(self))
	{
		return false;
	}
	for (size_t i = 0; i < self->channel_count; i++)
	{
		dwa_channel *channel = &self->channels[i];
		if (channel->scheme == SCHEME_COSINE)
		{
			if (!channel->decoded && !undo_cosines(self, &channel, 1))
			{
				return false;
			}
		}
		else if (channel->scheme == SCHEME_PLAIN)
		{
			copy_plain(self, channel, plain);
			plain += size_of(channel);
		}
		else
		{
			copy_runs(self, channel, runs);
			runs += size_of(channel);
		}
	}
	return true;
}

static exr_result_t undo_streams(dwa *self)
{
	size_t plain = 0, runs = 0, blocks = 0;
	for (size_t i = 0; i < self->channel_count; i++)
	{
		const dwa_channel *channel = &self->channels[i];
		if (channel->scheme == SCHEME_COSINE && channel->info->data_type == EXR_PIXEL_UINT)
		{
			return EXR_ERR_CORRUPT_CHUNK;
		}
		plain += channel->scheme == SCHEME_PLAIN ? size_of(channel) : 0;
		runs += channel->scheme == SCHEME_RUNS ? size_of(channel) : 0;
		blocks += channel->scheme == SCHEME_COSINE ? blocks_of(channel) : 0;
	}
	exr_result_t code = undo_plain(self, plain);
	code = code != 0 ? code : undo_ac(self, blocks);
	code = code != 0 ? code : undo_dc(self, blocks);
	code = code != 0 ? code : undo_runs(self, runs);
	return code != 0 ? code : undo_channels(self) ? EXR_ERR_SUCCESS : EXR_ERR_CORRUPT_CHUNK;
}

exr_result_t lrd_exr_undo_dwa(exr_decode_pipeline_t *pipeline)
{
	const uint8_t *packed = pipeline->packed_buffer;
	uint64_t size = pipeline->chunk.packed_size;
	if (size == pipeline->chunk.unpacked_size) // kept as it is, where that is shorter
	{
		return EXR_ERR_SUCCESS;
	}
	dwa self = { .pipeline = pipeline, .scale = pipeline->decoding_user_data };
	uint64_t header = SIZES * sizeof(uint64_t);
	if (size < header)
	{
		return EXR_ERR_CORRUPT_CHUNK;
	}
	for (size_t i = 0; i < SIZES; i++)
	{
		self.sizes[i] = read_u64(packed + 8 * i);
	}
	exr_result_t code =
		find_streams(&self, packed + header, size - header) ? set_channels(&self) : EXR_ERR_CORRUPT_CHUNK;
	uint64_t lines = (uint64_t)pipeline->chunk.height;
	if (code == 0 && (lines + 1) / 2 * self.even_size + lines / 2 * self.odd_size != pipeline->chunk.unpacked_size)
	{
		code = EXR_ERR_CORRUPT_CHUNK;
	}
	if (code == 0 && self.sizes[VERSION] < 2)
	{
		apply_old_rules(&self);
	}
	else if (code == 0 && !apply_rules(&self))
	{
		code = EXR_ERR_CORRUPT_CHUNK;
	}
	code = code != 0 ? code : undo_streams(&self);
	lrd_codec_free(self.channels);
	lrd_codec_free(self.plain);
	lrd_codec_free(self.runs);
	lrd_codec_free(self.ac);
	lrd_codec_free(self.dc);
	return code;
}
