// Arbitrary bytes as a .gltf: JSON with whatever buffers data URIs bring. Files around it can't be reached.

#include "fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_import("fuzz.gltf", data, size);
	return 0;
}
