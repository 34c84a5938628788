// The Huffman coding of OpenEXR's PIZ and DWAA: symbols are 16-bit values and one more, that for a run. Lengths of codes
// come first, packed; codes follow from them: shorter ones have higher values, ones of a length ascend with their
// symbols ("OpenEXR File Layout" names the coding; ImfHuf.h is its description).

#include "image/codec.h"
#include "image/exr_dwa.h"

#define SYMBOLS 65537u
#define LENGTH_MAX 58u
#define HEADER 20u

// Packed lengths from here on are runs of zeros.
#define SHORT_RUN 59u
#define LONG_RUN 63u
#define SHORT_RUN_LEAST 2u
#define LONG_RUN_LEAST 6u

// Codes of at most this length are looked up at once.
#define QUICK 12u

typedef struct bit_reader
{
	const uint8_t *at, *end;
	uint64_t bits; // the next ones, in the upper end
	uint32_t count;
} bit_reader;

typedef struct huffman
{
	uint64_t first[LENGTH_MAX + 1]; // the lowest code of a length
	uint32_t count[LENGTH_MAX + 1];
	uint32_t begin[LENGTH_MAX + 1]; // of the symbols of a length, in `sorted`
	uint32_t quick[1u << QUICK];    // symbol << 8 | length; 0: longer, or none
	uint32_t sorted[SYMBOLS];
	uint8_t lengths[SYMBOLS];
} huffman;

static void fill(bit_reader *reader)
{
	while (reader->count <= 56 && reader->at < reader->end)
	{
		reader->bits |= (uint64_t)*reader->at++ << (56 - reader->count);
		reader->count += 8;
	}
}

static void drop(bit_reader *reader, uint32_t count)
{
	reader->bits = count < 64 ? reader->bits << count : 0;
	reader->count -= count;
}

// At most 32 bits; false when there are not as many.
static bool take(bit_reader *reader, uint32_t count, uint32_t *value)
{
	fill(reader);
	if (reader->count < count)
	{
		return false;
	}
	*value = (uint32_t)(reader->bits >> (64 - count));
	drop(reader, count);
	return true;
}

static bool read_lengths(bit_reader *reader, uint32_t first, uint32_t last, uint8_t *lengths)
{
	for (uint32_t symbol = first; symbol <= last;)
	{
		uint32_t length, run = 0;
		if (!take(reader, 6, &length))
		{
			return false;
		}
		if (length < SHORT_RUN)
		{
			lengths[symbol++] = (uint8_t)length;
			continue;
		}
		if (length == LONG_RUN && !take(reader, 8, &run))
		{
			return false;
		}
		run += length == LONG_RUN ? LONG_RUN_LEAST : length - SHORT_RUN + SHORT_RUN_LEAST;
		if (run > last + 1 - symbol)
		{
			return false;
		}
		symbol += run; // they are 0 already
	}
	return true;
}

// False where lengths are of no code: a code of a length must fit that many bits.
static bool assign_codes(huffman *code, uint32_t first, uint32_t last)
{
	for (uint32_t symbol = first; symbol <= last; symbol++)
	{
		code->count[code->lengths[symbol]]++;
	}
	code->count[0] = 0;
	uint64_t next = 0;
	for (uint32_t length = LENGTH_MAX; length > 0; length--)
	{
		code->first[length] = next;
		if (code->count[length] != 0 && (next + code->count[length] - 1) >> length != 0)
		{
			return false;
		}
		next = (next + code->count[length]) >> 1;
	}
	for (uint32_t length = 1, begin = 0; length <= LENGTH_MAX; length++)
	{
		code->begin[length] = begin;
		begin += code->count[length];
	}
	uint32_t placed[LENGTH_MAX + 1] = { 0 };
	for (uint32_t symbol = first; symbol <= last; symbol++)
	{
		uint32_t length = code->lengths[symbol];
		if (length == 0)
		{
			continue;
		}
		uint32_t place = placed[length]++;
		code->sorted[code->begin[length] + place] = symbol;
		for (uint32_t i = 0; length <= QUICK && i < 1u << (QUICK - length); i++)
		{
			size_t entry = (size_t)((code->first[length] + place) << (QUICK - length)) + i;
			code->quick[entry] = symbol << 8 | length;
		}
	}
	return true;
}

static bool read_symbol(const huffman *code, bit_reader *reader, uint32_t *symbol)
{
	fill(reader);
	uint32_t quick = code->quick[reader->bits >> (64 - QUICK)];
	uint32_t length = quick & 255u;
	if (length != 0)
	{
		*symbol = quick >> 8;
	}
	for (uint32_t tried = QUICK + 1; length == 0 && tried <= LENGTH_MAX; tried++)
	{
		uint64_t value = reader->bits >> (64 - tried);
		if (code->count[tried] != 0 && value >= code->first[tried] && value - code->first[tried] < code->count[tried])
		{
			*symbol = code->sorted[code->begin[tried] + (uint32_t)(value - code->first[tried])];
			length = tried;
		}
	}
	if (length == 0 || length > reader->count)
	{
		return false;
	}
	drop(reader, length);
	return true;
}

static bool read_values(const huffman *code, bit_reader *reader, uint32_t run_symbol, uint16_t *values, size_t count)
{
	for (size_t i = 0; i < count;)
	{
		uint32_t symbol, run;
		if (!read_symbol(code, reader, &symbol))
		{
			return false;
		}
		if (symbol != run_symbol)
		{
			values[i++] = (uint16_t)symbol;
			continue;
		}
		if (i == 0 || !take(reader, 8, &run) || run > count - i)
		{
			return false;
		}
		for (uint32_t k = 0; k < run; k++, i++)
		{
			values[i] = values[i - 1];
		}
	}
	return true;
}

static uint32_t read_u32(const uint8_t *bytes)
{
	return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

exr_result_t lrd_exr_undo_huffman(const uint8_t *bytes, size_t size, uint16_t *values, size_t count)
{
	if (size < HEADER)
	{
		return EXR_ERR_CORRUPT_CHUNK;
	}
	uint32_t first = read_u32(bytes);
	uint32_t last = read_u32(bytes + 4); // which is the run's symbol
	uint64_t data_size = ((uint64_t)read_u32(bytes + 12) + 7) / 8;
	if (first > last || last >= SYMBOLS)
	{
		return EXR_ERR_CORRUPT_CHUNK;
	}
	huffman *code = lrd_codec_calloc(1, sizeof *code);
	if (code == NULL)
	{
		return EXR_ERR_OUT_OF_MEMORY;
	}
	bit_reader reader = { .at = bytes + HEADER, .end = bytes + size };
	bool sound = read_lengths(&reader, first, last, code->lengths) && assign_codes(code, first, last);
	if (sound)
	{
		const uint8_t *data = reader.at - reader.count / 8; // behind the last byte that holds lengths
		sound = data_size <= (size_t)(bytes + size - data);
		bit_reader data_reader = { .at = data, .end = sound ? data + data_size : data };
		sound = sound && read_values(code, &data_reader, last, values, count);
	}
	lrd_codec_free(code);
	return sound ? EXR_ERR_SUCCESS : EXR_ERR_CORRUPT_CHUNK;
}
