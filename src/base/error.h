// base/error.h: filling in an lrd_error. Every function here returns false, so that `return lrd_fail(...)` reads well.

#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "larder/base.h"

#include <stdarg.h>

/// Set code and message; `error` may be NULL.
bool lrd_fail(lrd_error *error, lrd_error_code code, const char *format, ...) LRD_PRINTF(3, 4);

/// "out of memory: WHAT (SIZE bytes)".
bool lrd_fail_memory(lrd_error *error, const char *what, size_t size);

/// Put "FORMATTED: " before the message that is already there, to say where it happened.
bool lrd_fail_in(lrd_error *error, const char *format, ...) LRD_PRINTF(2, 3);

/// vsnprintf; a text that does not fit ends in "...", never inside a UTF-8 sequence. `capacity` is at least 4.
void lrd_format_cut(char *text, size_t capacity, const char *format, va_list arguments) LRD_PRINTF(3, 0);

/// Replace control characters by "?": names come from sources, and terminals obey them.
void lrd_text_tidy(char *text);

/// Deliver a message to a log; a zeroed log is stderr from warnings up.
void lrd_log_write(const lrd_log *log, lrd_log_level level, const char *scope, const char *format, ...)
	LRD_PRINTF(4, 5);

#endif
