// base/json_text.h: JSON as text: checking it, and going through it in place. For what needs a few values of a small file;
// the cook's larger ones go through base/json.h.

#ifndef BASE_JSON_TEXT_H
#define BASE_JSON_TEXT_H

#include "larder/base.h"

/// How deep objects and arrays may nest; what walks their trees recurses.
#define LRD_JSON_MAX_DEPTH 256u
/// Values in one text; cJSON takes about 80 bytes for each.
#define LRD_JSON_MAX_VALUES (1u << 24)
/// Characters of a number: what cJSON reads.
#define LRD_JSON_MAX_NUMBER 62u

/// Check that a text is JSON (RFC 8259) that cJSON can take: then only memory can make cJSON fail. Strings must be
/// UTF-8 without NUL.
/// Errors: LRD_ERROR_FORMAT with line and column, LRD_ERROR_LIMIT.
bool lrd_json_check(lrd_string text, lrd_error *error);

static inline bool lrd_json_is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/// Line and column, from 1, columns in bytes.
typedef struct lrd_text_place
{
	size_t line;
	size_t column;
} lrd_text_place;
lrd_text_place lrd_text_place_of(lrd_string text, size_t offset);

typedef enum lrd_json_type
{
	LRD_JSON_NULL,
	LRD_JSON_FALSE,
	LRD_JSON_TRUE,
	LRD_JSON_NUMBER,
	LRD_JSON_STRING,
	LRD_JSON_ARRAY,
	LRD_JSON_OBJECT,
} lrd_json_type;

/// A value's text: from `begin` to before `end`, quotes or brackets included.
typedef struct lrd_json_value
{
	lrd_json_type type;
	size_t begin;
	size_t end;
} lrd_json_value;

// These take texts that lrd_json_check found good.

/// The value that begins at `offset`, or behind the white space there. 0: the whole.
lrd_json_value lrd_json_value_at(lrd_string text, size_t offset);
/// The members of an object, one after the other: `at` is first where the object begins. False: there are no more.
bool lrd_json_next_member(lrd_string text, size_t *at, lrd_json_value *key, lrd_json_value *value);
/// What a string says, escapes resolved, in `out`; false when that has no room.
bool lrd_json_string(lrd_string text, lrd_json_value value, char *out, size_t capacity, lrd_string *result);

#endif
