// Opens the input as a skeleton, and where it opens, reads it whole and writes it again.

#include "fuzz_cooked.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_cooked(read_whole_skeleton, data, size);
}
