// base/json.h: reading JSON by cJSON, with errors that say where, and writing its strings. Cook half.

#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/memory.h"

#include <cjson/cJSON.h>

/// How deep objects and arrays may nest; cJSON and what walks its trees recurse.
#define LRD_JSON_MAX_DEPTH 256u
/// Values in one text; cJSON takes about 80 bytes for each.
#define LRD_JSON_MAX_VALUES (1u << 24)
/// Characters of a number: what cJSON reads.
#define LRD_JSON_MAX_NUMBER 62u

/// Check that a text is JSON (RFC 8259) that cJSON can take: then only memory can make cJSON fail. Strings must be
/// UTF-8 without NUL.
/// Errors: LRD_ERROR_FORMAT with line and column, LRD_ERROR_LIMIT.
bool lrd_json_check(lrd_string text, lrd_error *error);

/// Check and parse. NULL on failure; free with cJSON_Delete.
cJSON *lrd_json_parse(lrd_string text, lrd_error *error);

/// Line and column, from 1, columns in bytes, of a member of an object in the text it was parsed from: of its key.
/// `root` is what lrd_json_parse gave.
void lrd_json_place_of(lrd_string text, const cJSON *root, const cJSON *member, size_t *line, size_t *column);

/// Append a JSON string with its quotes, escaping what must be. False when memory runs out.
bool lrd_json_append_string(lrd_buffer *out, lrd_string text);

#endif
