// larder/base.h: what every other header stands on: export macro, strings, errors, memory, kinds, log.
// Nothing here does I/O. Every function may be called from any thread unless it says otherwise.

#ifndef LARDER_BASE_H
#define LARDER_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define LRD_EXTERN_C extern "C"
#else
#define LRD_EXTERN_C extern
#endif

#if defined(_WIN32)
#define LRD_EXPORT __declspec(dllexport)
#else
#define LRD_EXPORT __attribute__((visibility("default")))
#endif

/// Marks every public function.
#define LRD_API LRD_EXTERN_C LRD_EXPORT

#if defined(__GNUC__)
#define LRD_PRINTF(format_index, first_argument) __attribute__((format(printf, format_index, first_argument)))
#else
#define LRD_PRINTF(format_index, first_argument)
#endif

/// UTF-8 text with a length, not null-terminated. Zeroed: the empty string.
typedef struct lrd_string
{
	const char *data; ///< may be NULL when size is 0
	size_t size;      ///< bytes
} lrd_string;

/// A string literal as an lrd_string.
#ifdef __cplusplus
#define LRD_STR(literal) (lrd_string{ "" literal, sizeof(literal) - 1 })
#else
#define LRD_STR(literal) ((lrd_string){ "" literal, sizeof(literal) - 1 })
#endif

/// For printf: `"%.*s", LRD_STR_ARG(name)`.
#define LRD_STR_ARG(string) (int)(string).size, (string).data ? (string).data : ""

/// A null-terminated string as an lrd_string; NULL is the empty string. The bytes are not copied.
LRD_API lrd_string lrd_string_from(const char *text);

/// Equal byte for byte.
LRD_API bool lrd_string_equal(lrd_string a, lrd_string b);

/// A run of bytes owned by somebody else.
typedef struct lrd_bytes
{
	const void *data;
	size_t size; ///< bytes
} lrd_bytes;

/// What went wrong, coarse enough to switch on. The message says the rest.
typedef enum lrd_error_code
{
	LRD_OK = 0,
	LRD_ERROR_MEMORY,      ///< an allocation failed
	LRD_ERROR_IO,          ///< the operating system refused; the message holds its reason
	LRD_ERROR_NOT_FOUND,   ///< no such file, entry or name
	LRD_ERROR_FORMAT,      ///< the bytes are damaged, of another format, or of another version
	LRD_ERROR_UNSUPPORTED, ///< sound, but larder can't do it
	LRD_ERROR_LIMIT,       ///< larger than a named limit allows
	LRD_ERROR_PATH,        ///< a path that asset paths may not be
	LRD_ERROR_ARGUMENT,    ///< the caller passed something a documented contract rules out
	LRD_ERROR_CONFLICT,    ///< two things claim one name or one file
	LRD_ERROR_CHANGED,     ///< a file changed while it was read
} lrd_error_code;

/// Room for a message, terminator included. Longer ones are cut at a UTF-8 boundary and end in "...".
#define LRD_ERROR_MESSAGE_SIZE 1024

/// Why a call failed. Plain memory: copy it, keep it, no need to free it.
/// A function that takes `lrd_error *error` accepts NULL and writes it only when it fails.
typedef struct lrd_error
{
	lrd_error_code code;
	char message[LRD_ERROR_MESSAGE_SIZE]; ///< null-terminated UTF-8
} lrd_error;

/// The name of a code: "io", "format", …; never NULL.
LRD_API const char *lrd_error_code_name(lrd_error_code code);

/// Where memory comes from: one function, in the manner of realloc, that is told the old size.
///
/// resize(user, NULL, 0, n)   allocates n bytes, aligned to LRD_ALLOCATION_ALIGNMENT
/// resize(user, p, o, n)      grows or shrinks; on failure returns NULL and leaves p as it was
/// resize(user, p, o, 0)      frees, returns NULL; never fails
///
/// Called from any thread that works for the owner, several at once.
/// A zeroed allocator means malloc.
typedef struct lrd_allocator
{
	void *(*resize)(void *user, void *block, size_t old_size, size_t new_size);
	void *user;
} lrd_allocator;

#define LRD_ALLOCATION_ALIGNMENT 16

/// Bytes larder allocated and the caller now owns; give them back with lrd_buffer_free.
typedef struct lrd_buffer
{
	uint8_t *data; ///< NULL when capacity is 0
	size_t size;   ///< bytes used
	size_t capacity;
	lrd_allocator allocator;
} lrd_buffer;

/// Free a buffer's bytes and zero its size; the allocator stays. Harmless twice.
LRD_API void lrd_buffer_free(lrd_buffer *buffer);

/// What sort of thing an asset is. The numbers are written into bundles and never change.
typedef enum lrd_kind
{
	LRD_KIND_NONE = 0,
	LRD_TEXTURE = 1,   ///< .ktx2
	LRD_MESH = 2,      ///< .lmesh
	LRD_MATERIAL = 3,  ///< .lmat
	LRD_MODEL = 4,     ///< .lmodel
	LRD_SKELETON = 5,  ///< .lskel
	LRD_CLIP = 6,      ///< .lclip
	LRD_COLLISION = 7, ///< .lcol
	LRD_CUE = 8,       ///< .lcue (audio)
	LRD_FONT = 9,      ///< .lfont
	LRD_ATLAS = 10,    ///< .latlas
	LRD_SCENE = 11,    ///< .lscene
	LRD_PREFAB = 12,   ///< .lprefab
	LRD_BLOB = 13,     ///< anything else
	LRD_KIND_COUNT
} lrd_kind;

/// "texture", "mesh", …; "none" for what is no kind.
LRD_API const char *lrd_kind_name(lrd_kind kind);

/// ".ktx2", ".lmesh", …; "" for LRD_BLOB and for what is no kind.
LRD_API const char *lrd_kind_extension(lrd_kind kind);

/// The kind that a cooked path's extension says, ignoring ASCII case; LRD_BLOB when it says none.
LRD_API lrd_kind lrd_kind_from_path(lrd_string path);

typedef struct lrd_vec2
{
	float x, y;
} lrd_vec2;

typedef struct lrd_vec3
{
	float x, y, z;
} lrd_vec3;

/// A point, a colour (linear RGBA) or a quaternion (xyzw, w real), as its owner says.
typedef struct lrd_vec4
{
	float x, y, z, w;
} lrd_vec4;

/// Translation, rotation (unit quaternion), scale: applied to a point as T * R * S.
typedef struct lrd_transform
{
	lrd_vec3 translation;
	lrd_vec4 rotation;
	lrd_vec3 scale;
} lrd_transform;

/// Column-major: m[column * 4 + row]; translation in m[12..14].
typedef struct lrd_mat4
{
	float m[16];
} lrd_mat4;

/// An axis-aligned box and a sphere, both around the same points.
typedef struct lrd_bounds
{
	lrd_vec3 min;
	lrd_vec3 max;
	lrd_vec3 centre;
	float radius;
} lrd_bounds;

typedef enum lrd_log_level
{
	LRD_LOG_DEBUG,
	LRD_LOG_INFO,
	LRD_LOG_WARNING,
	LRD_LOG_ERROR,
} lrd_log_level;

/// Where messages go. `scope` names the room ("cook", "gltf"), `message` is one line without a newline.
/// Called on whichever thread has something to say. A zeroed log writes to stderr from LRD_LOG_WARNING up.
typedef struct lrd_log
{
	void (*write)(void *user, lrd_log_level level, const char *scope, const char *message);
	void *user;
} lrd_log;

#endif
