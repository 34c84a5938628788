// os/system.h: what the files of this room share. Not for other rooms.

#ifndef OS_SYSTEM_H
#define OS_SYSTEM_H

#include "os/os.h"

#include <sys/stat.h>

/// The system's word for an errno value; `text` is used where the system wants room for it.
const char *lrd_system_reason(int number, char *text, size_t size);

/// Say that `what` ("can't open") failed on `path` with an errno value: LRD_ERROR_NOT_FOUND, LRD_ERROR_MEMORY or
/// LRD_ERROR_IO.
bool lrd_fail_system(lrd_error *error, int number, const char *what, const char *path);

/// open(2) of a regular file for reading, interruptions retried; -1 and an error when it fails or is no regular file.
int lrd_open_regular(const char *path, struct stat *status, lrd_error *error);

lrd_file_info lrd_info_of(const struct stat *status);

#endif
