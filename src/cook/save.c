// Writing one file for the public face.

#include "larder/cook.h"

#include "os/os.h"

bool lrd_file_save(const char *path, const void *data, size_t size, lrd_error *error)
{
	return lrd_file_write(path, data, size, error);
}
