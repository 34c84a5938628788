// os/flush.c: many files to disk at once. Apart from file.c because syncfs is a GNU extension, and asking for those changes strerror_r there.

#define _GNU_SOURCE

#include "os/system.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

// Below, a flush a file costs less than what others may have written to the file system.
#define FILES_WORTH_A_SYNCFS 4

static bool flush_path(const char *path, int (*flush)(int descriptor), lrd_error *error)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	if (descriptor < 0)
	{
		return lrd_fail_system(error, errno, "can't open it", path);
	}
	bool good = flush(descriptor) == 0 || lrd_fail_system(error, errno, "can't flush it to disk", path);
	close(descriptor);
	return good;
}

bool lrd_files_flush(const char *folder, const char *const *paths, size_t count, lrd_error *error)
{
#if defined(__linux__)
	if (count >= FILES_WORTH_A_SYNCFS)
	{
		return flush_path(folder, syncfs, error);
	}
#else
	(void)folder;
#endif
	for (size_t i = 0; i < count; i++)
	{
		if (!flush_path(paths[i], fsync, error))
		{
			return false;
		}
	}
	return true;
}
