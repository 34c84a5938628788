// os/sink.c: a file that is written from front to back where it is.

#include "os/sink.h"

#include "base/error.h"
#include "os/system.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

// The most that is asked of one write call: some systems refuse more than INT_MAX.
#define LARGEST_WRITE ((size_t)1 << 30)

bool lrd_sink_open(const char *path, lrd_sink *sink, lrd_error *error)
{
	int descriptor;
	do
	{
		// Without O_NONBLOCK, opening a pipe that nobody reads would wait for ever.
		descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0666);
	} while (descriptor < 0 && errno == EINTR);
	if (descriptor < 0)
	{
		return errno == ENXIO ? lrd_fail(error, LRD_ERROR_IO, "%s: can't be written: a pipe that nobody reads", path)
							  : lrd_fail_system(error, errno, "can't be written", path);
	}
	int flags = fcntl(descriptor, F_GETFL);
	if (flags == -1 || fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) == -1)
	{
		lrd_fail_system(error, errno, "can't be written", path);
		close(descriptor);
		return false;
	}
	*sink = (lrd_sink){ descriptor, true };
	return true;
}

static bool fail(lrd_error *error, int number)
{
	char reason[128];
	return lrd_fail(error, LRD_ERROR_IO, "can't be written: %s", lrd_system_reason(number, reason, sizeof reason));
}

bool lrd_sink_write(lrd_sink *sink, const void *data, size_t size, lrd_error *error)
{
	for (const unsigned char *at = data; size != 0;)
	{
		ssize_t written = write(sink->descriptor, at, size < LARGEST_WRITE ? size : LARGEST_WRITE);
		if (written < 0 && errno != EINTR)
		{
			return fail(error, errno);
		}
		at += written > 0 ? written : 0;
		size -= written > 0 ? (size_t)written : 0;
	}
	return true;
}

bool lrd_sink_close(lrd_sink *sink, lrd_error *error)
{
	bool was_open = sink->open;
	int descriptor = sink->descriptor;
	*sink = (lrd_sink){ 0 };
	return !was_open || close(descriptor) == 0 || errno == EINTR || fail(error, errno);
}
