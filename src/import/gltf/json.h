// import/gltf/json.h: reading a JSON tree with errors that name the place as a JSON pointer (RFC 6901).
// A place is a chain of links on the stack: a link must not outlive the one it hangs on.

#ifndef IMPORT_GLTF_JSON_H
#define IMPORT_GLTF_JSON_H

#include "base/error.h"
#include "base/json.h"

typedef struct lrd_json
{
	const struct lrd_json *up; ///< NULL: the whole text
	const char *key;           ///< NULL: an element of an array
	uint32_t index;            ///< of an element or member in its container
	const cJSON *value;        ///< NULL: absent
} lrd_json;

/// A place as text: "/meshes/0/primitives/1/material".
typedef struct lrd_json_pointer
{
	char text[256];
} lrd_json_pointer;
lrd_json_pointer lrd_json_place(const lrd_json *at);

/// A member of an object; value is NULL when there is none.
lrd_json lrd_json_member(const lrd_json *object, const char *key);

/// The elements or members in turn: `for (lrd_json item = lrd_json_first(&list); item.value != NULL; item =
/// lrd_json_next(&item))`.
lrd_json lrd_json_first(const lrd_json *container);
lrd_json lrd_json_next(const lrd_json *item);
uint32_t lrd_json_length(const lrd_json *container);

/// Fail unless the value is there and of this kind.
bool lrd_json_is_object(const lrd_json *at, lrd_error *error);
bool lrd_json_is_array(const lrd_json *at, lrd_error *error);

/// The value itself: an index below `limit`, a size, a finite number, a text. `what` names what is counted: "accessor".
bool lrd_json_index(const lrd_json *at, uint32_t limit, const char *what, uint32_t *index, lrd_error *error);
bool lrd_json_size(const lrd_json *at, size_t *size, lrd_error *error);
bool lrd_json_float(const lrd_json *at, float *value, lrd_error *error);
bool lrd_json_text(const lrd_json *at, lrd_string *text, lrd_error *error);

/// A member; what it goes into is left as it is where there is none. False where it is of another kind or out of range.
bool lrd_json_get_index(
	const lrd_json *object, const char *key, uint32_t limit, const char *what, uint32_t *index, lrd_error *error);
bool lrd_json_get_size(const lrd_json *object, const char *key, size_t *size, lrd_error *error);
bool lrd_json_get_float(const lrd_json *object, const char *key, float *value, lrd_error *error);
bool lrd_json_get_floats(
	const lrd_json *object, const char *key, float *values, uint32_t count, bool *present, lrd_error *error);
bool lrd_json_get_bool(const lrd_json *object, const char *key, bool *value, lrd_error *error);
bool lrd_json_get_text(const lrd_json *object, const char *key, lrd_string *text, lrd_error *error);

/// Fail: "PLACE: required, and missing".
bool lrd_json_missing(const lrd_json *at, lrd_error *error);

#endif
