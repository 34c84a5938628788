// fuzz/fuzz_cooked.h: a cooked file from a fuzzer's input: it is opened, and where it opens, read whole and written
// again, byte for byte.

#ifndef FUZZ_COOKED_H
#define FUZZ_COOKED_H

#include "fixtures/read_whole.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// `read`: one of read_whole.h's. The copy is aligned, and ends where its allocation does. A stored size that is wrong
/// is put right, or hardly any input would get past it.
static inline int fuzz_cooked(
	bool (*read)(const void *bytes, size_t size, lrd_error *error), const uint8_t *data, size_t size)
{
	void *bytes = NULL;
	read_whole_require(posix_memalign(&bytes, LRD_ALLOCATION_ALIGNMENT, size > 0 ? size : 1) == 0);
	if (size > 0)
	{
		memcpy(bytes, data, size);
	}
	lrd_error error = { 0 };
	if (!read(bytes, size, &error))
	{
		read_whole_require(error.code == LRD_ERROR_FORMAT && error.message[0] != '\0');
		if (size >= 16)
		{
			uint64_t stated = size;
			memcpy((uint8_t *)bytes + 8, &stated, sizeof stated);
			(void)read(bytes, size, &error);
		}
	}
	free(bytes);
	return 0;
}

#endif
