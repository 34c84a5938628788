// base/path.h: asset paths (relative, UTF-8, "/"-separated, no "." or "..", no drive, no leading "/") and the names in
// them.

#ifndef BASE_PATH_H
#define BASE_PATH_H

#include "base/memory.h"

/// Longest asset path, bytes.
#define LRD_PATH_MAX 1024

/// Valid UTF-8 (no overlong forms, no surrogates, at most U+10FFFF). A fast path for ASCII.
bool lrd_utf8_valid(lrd_string text);

/// Check an asset path: not empty, at most LRD_PATH_MAX, UTF-8, no control characters, no backslash, no ":" , no empty,
/// "." or ".." component.
/// Errors: LRD_ERROR_PATH, quoting the path and saying the rule.
bool lrd_path_check(lrd_string path, lrd_error *error);

/// Resolve `reference` ("../tex/a.png", "./b.bin") from the folder of `base`, both relative to one root, into a checked
/// asset path. Backslashes are taken as "/". Absolute paths, drives, URL schemes and what leaves the root:
/// LRD_ERROR_PATH. The result is in the arena. False also when memory runs out.
bool lrd_path_resolve(lrd_arena *arena, lrd_string base, lrd_string reference, lrd_string *result, lrd_error *error);

/// Percent-decode (RFC 3986, section 2.1) into the arena. False: a malformed escape, or an escaped NUL
/// (LRD_ERROR_PATH).
bool lrd_path_percent_decode(lrd_arena *arena, lrd_string text, lrd_string *result, lrd_error *error);

lrd_string lrd_path_folder(lrd_string path);    ///< "a/b.c" -> "a"; "" when there is none
lrd_string lrd_path_file(lrd_string path);      ///< "a/b.c" -> "b.c"
lrd_string lrd_path_extension(lrd_string path); ///< "a/b.c" -> ".c"; "" when there is none
lrd_string lrd_path_stem(lrd_string path);      ///< "a/b.c" -> "a/b"

/// Equal, and order, with ASCII letters lowered.
bool lrd_string_equal_folded(lrd_string a, lrd_string b);
int lrd_string_compare_folded(lrd_string a, lrd_string b);
/// Order byte for byte.
int lrd_string_compare(lrd_string a, lrd_string b);
bool lrd_string_starts_with(lrd_string text, lrd_string prefix);
bool lrd_string_ends_with_folded(lrd_string text, lrd_string suffix);

#endif
