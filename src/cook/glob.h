// cook/glob.h: path patterns of larder.json.

#ifndef COOK_GLOB_H
#define COOK_GLOB_H

#include <stdbool.h>

/// "*" stands for any run of characters but "/", "**" for any run, "**/" also for nothing, "?" for one character but
/// "/". Byte for byte. Time grows with the product of the lengths at most.
bool lrd_glob_matches(const char *pattern, const char *path);

#endif
