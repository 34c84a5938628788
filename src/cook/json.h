// cook/json.h: reading and writing JSON, by cJSON, with errors that say where.

#ifndef COOK_JSON_H
#define COOK_JSON_H

#include "base/memory.h"

#include <cJSON.h>

/// Parse; `name` is the file's, for messages: "NAME:LINE:COLUMN: not JSON". Free with cJSON_Delete.
/// Errors: LRD_ERROR_FORMAT, LRD_ERROR_MEMORY.
bool lrd_json_read(const char *name, lrd_string text, cJSON **json, lrd_error *error);

/// Line and column, from 1, of a byte of a text; columns count bytes.
void lrd_json_text_place(lrd_string text, size_t offset, uint32_t *line, uint32_t *column);

/// Where a member of an object stands in the text it was parsed from: its key. `root` is what lrd_json_read gave.
void lrd_json_place_of(lrd_string text, const cJSON *root, const cJSON *member, uint32_t *line, uint32_t *column);

/// Append a JSON string with its quotes, escaping what must be.
bool lrd_json_append_string(lrd_buffer *out, lrd_string text);

#endif
