// Opens the input as .lmodel, reads everything, looks every name up, and writes it again, which must give the same
// bytes.

#include "fixtures/format_model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	void *bytes = NULL;
	if (posix_memalign(&bytes, LRD_ALLOCATION_ALIGNMENT, size > 0 ? size : 1) != 0)
	{
		return -1;
	}
	if (size > 0)
	{
		memcpy(bytes, data, size);
	}
	lrd_error error = { 0 };
	if (!read_whole_model(bytes, size, &error) && error.message[0] == '\0')
	{
		abort();
	}
	free(bytes);
	return 0;
}
