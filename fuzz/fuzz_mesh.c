// Opens the input as a mesh, and where it opens, reads it whole and writes it again.

#include "fuzz_cooked.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_cooked(read_whole_mesh, data, size);
}
