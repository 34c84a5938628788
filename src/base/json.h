// base/json.h: reading JSON by cJSON, with errors that say where, and writing its strings. Cook half.
// cJSON says neither where a text breaks nor whether memory ran out, takes some texts that are not JSON, and cuts strings
// at an escaped NUL: base/json_text.h settles all of that before cJSON sees a byte.

#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/json_text.h"
#include "base/memory.h"

#include <cjson/cJSON.h>

/// Check and parse. NULL on failure; free with cJSON_Delete.
cJSON *lrd_json_parse(lrd_string text, lrd_error *error);

/// Line and column, from 1, columns in bytes, of a member of an object in the text it was parsed from: of its key.
/// `root` is what lrd_json_parse gave.
void lrd_json_place_of(lrd_string text, const cJSON *root, const cJSON *member, size_t *line, size_t *column);

/// Append a JSON string with its quotes, escaping what must be. False when memory runs out.
bool lrd_json_append_string(lrd_buffer *out, lrd_string text);

#endif
