// import/gltf/meshopt_attributes.c: version 1 of the attribute codec of KHR_meshopt_compression, from "Appendix A,
// Mode 0: attributes". Here rather than in meshoptimizer, whose 0.18 knows version 0 alone.
//
// Elements are cut into blocks, a block into channels of four byte columns. A column of deltas is spread out first, a
// group of 16 at a time; then a channel's four columns are summed up into values and put where they belong.

#include "import/gltf/meshopt.h"

#include <string.h>

#define GROUP 16u
#define BLOCK_BYTES 8192u
#define BLOCK_ELEMENTS 256u
#define CHANNEL 4u // bytes
#define LEAST_TAIL 24u

// What is left of the encoded bytes, the tail not among them.
typedef struct stream_reader
{
	const uint8_t *at;
	const uint8_t *end;
} stream_reader;

// Bytes of the stream, or NULL where it is too short.
static const uint8_t *take(stream_reader *reader, size_t size)
{
	const uint8_t *taken = reader->at;
	if ((size_t)(reader->end - taken) < size)
	{
		return NULL;
	}
	reader->at += size;
	return taken;
}

// 16 deltas of 1, 2 or 4 bits; all bits set is a sentinel: the delta follows as a byte. 1-bit deltas begin at a byte's
// lowest bit, the others at its highest.
static bool read_sentinels(stream_reader *reader, unsigned bits, uint8_t *deltas)
{
	const uint8_t *packed = take(reader, GROUP * bits / 8);
	if (packed == NULL)
	{
		return false;
	}
	unsigned sentinel = (1u << bits) - 1, per_byte = 8 / bits;
	for (unsigned i = 0; i < GROUP; i++)
	{
		unsigned place = i % per_byte;
		unsigned shift = bits * (bits == 1 ? place : per_byte - 1 - place);
		unsigned delta = (unsigned)packed[i / per_byte] >> shift & sentinel;
		if (delta == sentinel)
		{
			const uint8_t *whole = take(reader, 1);
			if (whole == NULL)
			{
				return false;
			}
			delta = *whole;
		}
		deltas[i] = (uint8_t)delta;
	}
	return true;
}

static bool read_group(stream_reader *reader, unsigned bits, uint8_t *deltas)
{
	if (bits == 0)
	{
		memset(deltas, 0, GROUP);
		return true;
	}
	if (bits != 8)
	{
		return read_sentinels(reader, bits, deltas);
	}
	const uint8_t *whole = take(reader, GROUP);
	if (whole == NULL)
	{
		return false;
	}
	memcpy(deltas, whole, GROUP);
	return true;
}

// The deltas of one byte position; `deltas` has room for a whole number of groups.
static bool read_column(stream_reader *reader, unsigned control, size_t count, uint8_t *deltas)
{
	static const uint8_t bits[2][4] = { { 0, 1, 2, 4 }, { 1, 2, 4, 8 } };
	if (control == 2)
	{
		memset(deltas, 0, count);
		return true;
	}
	if (control == 3) // bytes as they are, for the elements there are: no group is filled up
	{
		const uint8_t *literal = take(reader, count);
		if (literal != NULL)
		{
			memcpy(deltas, literal, count);
		}
		return literal != NULL;
	}
	size_t groups = (count + GROUP - 1) / GROUP;
	const uint8_t *header = take(reader, (groups + 3) / 4);
	for (size_t g = 0; header != NULL && g < groups; g++)
	{
		unsigned mode = (unsigned)header[g / 4] >> (g % 4 * 2) & 3;
		if (!read_group(reader, bits[control][mode], deltas + g * GROUP))
		{
			return false;
		}
	}
	return header != NULL;
}

static uint8_t unzigzag8(uint8_t v)
{
	return (uint8_t)((v & 1) != 0 ? ~(v >> 1) : v >> 1);
}

static uint16_t unzigzag16(uint16_t v)
{
	return (uint16_t)((v & 1) != 0 ? ~(v >> 1) : v >> 1);
}

// The extension gives the rotation to the left that its encoder applies; this is the way back.
static uint32_t rotate_back(uint32_t v, unsigned r)
{
	return v >> r | v << ((32 - r) & 31);
}

typedef uint8_t channel_columns[CHANNEL][BLOCK_ELEMENTS];

static void sum_bytes(channel_columns columns, size_t count, size_t stride, uint8_t *last, uint8_t *out)
{
	for (unsigned k = 0; k < CHANNEL; k++)
	{
		uint8_t value = last[k];
		for (size_t i = 0; i < count; i++)
		{
			value = (uint8_t)(value + unzigzag8(columns[k][i]));
			out[i * stride + k] = value;
		}
		last[k] = value;
	}
}

static void sum_shorts(channel_columns columns, size_t count, size_t stride, uint8_t *last, uint8_t *out)
{
	for (unsigned k = 0; k < CHANNEL; k += 2)
	{
		uint16_t value = (uint16_t)(last[k] | last[k + 1] << 8);
		for (size_t i = 0; i < count; i++)
		{
			value = (uint16_t)(value + unzigzag16((uint16_t)(columns[k][i] | columns[k + 1][i] << 8)));
			memcpy(out + i * stride + k, &value, sizeof value); // little-endian, as the target is
		}
		memcpy(last + k, &value, sizeof value);
	}
}

static void xor_words(
	channel_columns columns, size_t count, size_t stride, unsigned rotation, uint8_t *last, uint8_t *out)
{
	uint32_t value = 0;
	memcpy(&value, last, sizeof value);
	for (size_t i = 0; i < count; i++)
	{
		uint32_t delta = (uint32_t)columns[0][i] | (uint32_t)columns[1][i] << 8 | (uint32_t)columns[2][i] << 16 |
						 (uint32_t)columns[3][i] << 24;
		value ^= rotate_back(delta, rotation);
		memcpy(out + i * stride, &value, sizeof value);
	}
	memcpy(last, &value, sizeof value);
}

// A channel's mode is the low half of its byte; the high half is a rotation, of mode 2 alone.
static bool is_channel_mode(uint8_t mode)
{
	return mode < 2 || (mode & 15) == 2;
}

static bool read_block(
	stream_reader *reader, size_t count, size_t stride, const uint8_t *modes, uint8_t *last, uint8_t *out)
{
	const uint8_t *control = take(reader, stride / CHANNEL);
	if (control == NULL)
	{
		return false;
	}
	for (size_t c = 0; c < stride / CHANNEL; c++)
	{
		channel_columns columns;
		for (unsigned k = 0; k < CHANNEL; k++)
		{
			if (!read_column(reader, (unsigned)control[c] >> (k * 2) & 3, count, columns[k]))
			{
				return false;
			}
		}
		uint8_t *to = out + c * CHANNEL, *previous = last + c * CHANNEL;
		switch (modes[c] & 15)
		{
		case 0: sum_bytes(columns, count, stride, previous, to); break;
		case 1: sum_shorts(columns, count, stride, previous, to); break;
		default: xor_words(columns, count, stride, modes[c] >> 4, previous, to); break;
		}
	}
	return true;
}

bool lrd_meshopt_decode_attributes(const lrd_meshopt_stream *stream, uint8_t *out)
{
	size_t stride = stream->stride, channels = stride / CHANNEL;
	size_t tail = stride + channels > LEAST_TAIL ? stride + channels : LEAST_TAIL;
	if (stream->size < 1 + tail)
	{
		return false;
	}
	const uint8_t *end = stream->data + stream->size;
	const uint8_t *modes = end - channels;
	uint8_t last[BLOCK_ELEMENTS]; // the element before; a stride is 256 at most
	memcpy(last, modes - stride, stride);
	for (size_t c = 0; c < channels; c++)
	{
		if (!is_channel_mode(modes[c]))
		{
			return false;
		}
	}
	stream_reader reader = { stream->data + 1, end - tail };
	size_t most = BLOCK_BYTES / stride / GROUP * GROUP;
	most = most < BLOCK_ELEMENTS ? most : BLOCK_ELEMENTS;
	for (size_t done = 0; done < stream->count; done += most)
	{
		size_t count = stream->count - done < most ? stream->count - done : most;
		if (!read_block(&reader, count, stride, modes, last, out + done * stride))
		{
			return false;
		}
	}
	return reader.at == reader.end;
}
