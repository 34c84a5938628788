// os/sink.h: a file that is written from front to back where it is, so that what was written is there though the program
// ends badly: recordings, logs. Files that others read go through lrd_file_write.

#ifndef OS_SINK_H
#define OS_SINK_H

#include "os/os.h"

/// Zeroed: not open.
typedef struct lrd_sink
{
	int descriptor;
	bool open;
} lrd_sink;

/// Make the file, or empty it.
bool lrd_sink_open(const char *path, lrd_sink *sink, lrd_error *error);
/// All of it, or false; errors name no path.
bool lrd_sink_write(lrd_sink *sink, const void *data, size_t size, lrd_error *error);
/// Harmless when it is not open. False: the system says only now that something was not written.
bool lrd_sink_close(lrd_sink *sink, lrd_error *error);

#endif
