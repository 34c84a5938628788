// Arbitrary JSON over arbitrary buffers, as a GLB. The input is the JSON text, a NUL, and the BIN chunk: mutations then
// need not keep lengths in step. Inputs that begin with "glTF" are taken as they are.

#include "fuzz_import.h"

#include <stdlib.h>
#include <string.h>

static void put_u32(uint8_t *to, size_t value)
{
	uint32_t word = (uint32_t)value;
	memcpy(to, &word, sizeof word);
}

static void put_chunk(uint8_t *to, size_t type, const uint8_t *data, size_t size)
{
	put_u32(to, size);
	put_u32(to + 4, type);
	if (size != 0)
	{
		memcpy(to + 8, data, size);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size >= 4 && memcmp(data, "glTF", 4) == 0)
	{
		fuzz_import("fuzz.glb", data, size);
		return 0;
	}
	const uint8_t *end = size != 0 ? memchr(data, 0, size) : NULL;
	size_t json = end != NULL ? (size_t)(end - data) : size;
	size_t binary = end != NULL ? size - json - 1 : 0;
	size_t whole = 12 + 8 + json + 8 + binary;
	uint8_t *file = malloc(whole);
	if (file == NULL)
	{
		return 0;
	}
	memcpy(file, "glTF", 4);
	put_u32(file + 4, 2);
	put_u32(file + 8, whole);
	put_chunk(file + 12, 0x4e4f534a, data, json);
	put_chunk(file + 12 + 8 + json, 0x004e4942, end != NULL ? end + 1 : NULL, binary);
	fuzz_import("fuzz.glb", file, whole);
	free(file);
	return 0;
}
