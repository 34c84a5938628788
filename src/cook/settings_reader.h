// cook/settings_reader.h: a settings file being read, and the values that its sections share. Every key, type and range
// is checked; what is not known is an error with its place, never ignored.

#ifndef COOK_SETTINGS_READER_H
#define COOK_SETTINGS_READER_H

#include "base/json.h"
#include "cook/settings.h"

typedef struct lrd_settings_reader
{
	const char *name; ///< as messages quote it
	lrd_string text;
	const cJSON *root;
	lrd_arena *arena;
	lrd_error *error;
} lrd_settings_reader;

/// Refuse a member: "FILE:LINE:COLUMN: "KEY": WHAT; expected EXPECTED". Always false.
bool lrd_settings_fail(const lrd_settings_reader *self, const cJSON *member, const char *what, const char *expected);

/// "a, b or c" in the arena of the reader; "" when memory runs out.
const char *lrd_settings_list(const lrd_settings_reader *self, const char *const *names, size_t count);

/// A string that is one of `names`: its index.
bool lrd_settings_read_name(
	const lrd_settings_reader *self, const cJSON *member, const char *const *names, size_t count, uint32_t *index);

/// A whole number within bounds.
bool lrd_settings_read_number(
	const lrd_settings_reader *self, const cJSON *member, uint32_t low, uint32_t high, uint32_t *value);

bool lrd_settings_read_bool(const lrd_settings_reader *self, const cJSON *member, bool *value);

/// One member of a "texture" section.
bool lrd_settings_read_texture(
	const lrd_settings_reader *self, const cJSON *member, lrd_texture_settings *texture, const char *other_keys);

/// Texture settings as canonical text. Appends to `out`.
bool lrd_settings_describe_texture(const lrd_texture_settings *texture, lrd_buffer *out);

#endif
