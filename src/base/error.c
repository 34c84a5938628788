// base/error.c: error values and log lines. Formatting only: nothing here allocates or keeps state.

#include "base/error.h"

#include <stdio.h>
#include <string.h>

const char *lrd_error_code_name(lrd_error_code code)
{
	switch (code)
	{
	case LRD_OK: return "ok";
	case LRD_ERROR_MEMORY: return "memory";
	case LRD_ERROR_IO: return "io";
	case LRD_ERROR_NOT_FOUND: return "not found";
	case LRD_ERROR_FORMAT: return "format";
	case LRD_ERROR_UNSUPPORTED: return "unsupported";
	case LRD_ERROR_LIMIT: return "limit";
	case LRD_ERROR_PATH: return "path";
	case LRD_ERROR_ARGUMENT: return "argument";
	case LRD_ERROR_CONFLICT: return "conflict";
	case LRD_ERROR_CHANGED: return "changed";
	}
	return "unknown";
}

// Ends a message that vsnprintf cut with "...", never inside a UTF-8 sequence. `text` fills `capacity`, terminator
// included.
static void mark_cut(char *text, size_t capacity)
{
	static const char mark[] = "...";
	size_t end = capacity - sizeof mark;
	while (end > 0 && ((unsigned char)text[end] & 0xC0) == 0x80)
	{
		end--;
	}
	memcpy(text + end, mark, sizeof mark);
}

void lrd_format_cut(char *text, size_t capacity, const char *format, va_list arguments)
{
	int needed = vsnprintf(text, capacity, format, arguments);
	if (needed < 0)
	{
		text[0] = '\0';
	}
	else if ((size_t)needed >= capacity)
	{
		mark_cut(text, capacity);
	}
}

void lrd_text_tidy(char *text)
{
	for (; *text != '\0'; text++)
	{
		unsigned char byte = (unsigned char)*text;
		*text = byte < 0x20 || byte == 0x7f ? '?' : *text;
	}
}

bool lrd_fail(lrd_error *error, lrd_error_code code, const char *format, ...)
{
	if (error == NULL)
	{
		return false;
	}
	char text[LRD_ERROR_MESSAGE_SIZE]; // apart, because the arguments may quote error->message
	va_list arguments;
	va_start(arguments, format);
	lrd_format_cut(text, sizeof text, format, arguments);
	va_end(arguments);
	error->code = code;
	memcpy(error->message, text, strlen(text) + 1);
	return false;
}

bool lrd_fail_memory(lrd_error *error, const char *what, size_t size)
{
	return lrd_fail(error, LRD_ERROR_MEMORY, "out of memory: %s (%zu bytes)", what, size);
}

bool lrd_fail_in(lrd_error *error, const char *format, ...)
{
	if (error == NULL)
	{
		return false;
	}
	char place[LRD_ERROR_MESSAGE_SIZE];
	va_list arguments;
	va_start(arguments, format);
	lrd_format_cut(place, sizeof place, format, arguments);
	va_end(arguments);
	return lrd_fail(error, error->code, "%s: %s", place, error->message);
}

static void write_to_stderr(lrd_log_level level, const char *scope, const char *message)
{
	if (level >= LRD_LOG_WARNING)
	{
		fprintf(stderr, "larder: %s: %s: %s\n", level == LRD_LOG_WARNING ? "warning" : "error", scope, message);
	}
}

void lrd_log_write(const lrd_log *log, lrd_log_level level, const char *scope, const char *format, ...)
{
	char text[2 * LRD_ERROR_MESSAGE_SIZE];
	va_list arguments;
	va_start(arguments, format);
	lrd_format_cut(text, sizeof text, format, arguments);
	va_end(arguments);
	for (char *c = text; *c != '\0'; c++)
	{
		*c = *c == '\n' || *c == '\r' ? ' ' : *c; // a log line is one line, whatever a file name holds
	}
	if (log != NULL && log->write != NULL)
	{
		log->write(log->user, level, scope, text);
		return;
	}
	write_to_stderr(level, scope, text);
}
