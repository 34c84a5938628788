// os/library.h: libraries of the system's that are found when they are wanted, so that a program starts without them.

#ifndef OS_LIBRARY_H
#define OS_LIBRARY_H

#include "larder/base.h"

/// A function of some type; cast it to its own.
typedef void (*lrd_library_function)(void);

/// The library of the first of these names that the system's loader finds; `names` ends in NULL. It stays in the process.
/// Errors: LRD_ERROR_NOT_FOUND; the message is the loader's for the first name.
void *lrd_library_open(const char *const *names, lrd_error *error);

/// NULL where the library has none of that name.
lrd_library_function lrd_library_find(void *library, const char *name);

#endif
