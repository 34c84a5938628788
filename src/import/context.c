// import/context.c: an import's memory, warnings and external files. No source format is known here.

#include "base/digest.h"
#include "base/hash.h"
#include "base/path.h"
#include "import/import.h"
#include "os/os.h"

#include <stdarg.h>
#include <stdio.h>

// Longest warning, terminator included: names in it are cut before they get here.
#define WARNING_SIZE 768

// With a root, the source's path is an asset path below it; without one, it is a native path and its folder is the
// root.
static bool set_paths(lrd_import *import, const lrd_import_desc *desc)
{
	lrd_string path = lrd_string_from(desc->path);
	lrd_string root = lrd_string_from(desc->root);
	if (desc->root == NULL)
	{
		lrd_string folder = lrd_path_folder(path);
		bool at_top = folder.size == 0 && path.size != 0 && path.data[0] == '/';
		root = at_top ? LRD_STR("/") : folder.size != 0 ? folder : LRD_STR(".");
		path = lrd_path_file(path);
	}
	if (!lrd_path_check(path, import->error))
	{
		return false;
	}
	lrd_string copy = lrd_arena_string(import->scratch, root);
	import->root = copy.data;
	import->path = lrd_arena_string(import->scratch, path);
	if (copy.data == NULL || import->path.data == NULL)
	{
		return lrd_fail_memory(import->error, "paths", root.size + path.size);
	}
	return true;
}

bool lrd_import_begin(lrd_import *import, const lrd_import_desc *desc, lrd_error *error)
{
	*import = (lrd_import){ .allocator = desc->allocator, .error = error };
	import->external_table.allocator = desc->allocator;
	import->warning_table.allocator = desc->allocator;
	if (desc->path == NULL || desc->path[0] == '\0')
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "no source path given");
	}
	import->arena = lrd_arena_create(desc->allocator, 0);
	import->scratch = lrd_arena_create(desc->allocator, 0);
	if (import->arena == NULL || import->scratch == NULL)
	{
		return lrd_fail_memory(error, "arena", 0);
	}
	import->document = LRD_IMPORT_NEW(import, lrd_document, 1, "document");
	if (import->document == NULL)
	{
		return false;
	}
	import->document->default_scene = LRD_NO_INDEX;
	import->document->arena = import->arena;
	return set_paths(import, desc);
}

static bool complete(lrd_import *import)
{
	lrd_document *document = import->document;
	lrd_document_dependency *dependencies =
		LRD_IMPORT_NEW(import, lrd_document_dependency, import->external_count, "dependencies");
	lrd_document_warning *warnings = LRD_IMPORT_NEW(import, lrd_document_warning, import->warning_count, "warnings");
	if (dependencies == NULL || warnings == NULL)
	{
		return false;
	}
	for (size_t i = 0; i < import->external_count; i++)
	{
		dependencies[i] = import->externals[i].dependency;
	}
	if (import->warning_count != 0)
	{
		memcpy(warnings, import->warnings, import->warning_count * sizeof *warnings);
	}
	document->dependencies = dependencies;
	document->dependency_count = (uint32_t)import->external_count;
	document->warnings = warnings;
	document->warning_count = (uint32_t)import->warning_count;
	document->memory = lrd_arena_size(import->arena);
	return true;
}

lrd_document *lrd_import_end(lrd_import *import, bool ok)
{
	ok = ok && complete(import);
	for (size_t i = 0; i < import->external_count; i++)
	{
		lrd_buffer_free(&import->externals[i].bytes);
	}
	lrd_free(import->allocator, import->externals, import->external_capacity * sizeof *import->externals);
	lrd_free(import->allocator, import->warnings, import->warning_capacity * sizeof *import->warnings);
	lrd_import_table_free(&import->external_table);
	lrd_import_table_free(&import->warning_table);
	lrd_arena_destroy(import->scratch);
	if (ok)
	{
		return import->document;
	}
	lrd_arena_destroy(import->arena);
	return NULL;
}

static void *new_zeroed(lrd_import *import, lrd_arena *arena, size_t count, size_t size, const char *what)
{
	void *block = lrd_arena_zeroed(arena, count, size);
	if (block == NULL)
	{
		lrd_fail_memory(import->error, what, count * size);
	}
	return block;
}

void *lrd_import_new(lrd_import *import, size_t count, size_t size, const char *what)
{
	return new_zeroed(import, import->arena, count, size, what);
}

void *lrd_import_room(lrd_import *import, size_t count, size_t size, const char *what)
{
	size_t bytes = 0;
	void *block = lrd_mul_size(count, size, &bytes) ? lrd_arena_alloc(import->arena, bytes) : NULL;
	if (block == NULL)
	{
		lrd_fail_memory(import->error, what, bytes);
	}
	return block;
}

void *lrd_import_scratch(lrd_import *import, size_t count, size_t size, const char *what)
{
	return new_zeroed(import, import->scratch, count, size, what);
}

bool lrd_import_text(lrd_import *import, lrd_string text, lrd_string *copy)
{
	*copy = (lrd_string){ NULL, 0 };
	if (text.size == 0)
	{
		return true;
	}
	*copy = lrd_arena_string(import->arena, text);
	return copy->data != NULL || lrd_fail_memory(import->error, "text", text.size);
}

static lrd_document_warning *find_warning(const lrd_import *import, uint64_t hash, lrd_string kind, lrd_string message)
{
	size_t cursor = SIZE_MAX;
	for (;;)
	{
		uint32_t row = lrd_import_table_next(&import->warning_table, hash, &cursor);
		if (row == UINT32_MAX)
		{
			return NULL;
		}
		lrd_document_warning *warning = &import->warnings[row];
		if (lrd_string_equal(warning->message, message) && lrd_string_equal(warning->kind, kind))
		{
			return warning;
		}
	}
}

bool lrd_import_warn(lrd_import *import, const char *kind, uint32_t count, const char *format, ...)
{
	char text[WARNING_SIZE];
	va_list arguments;
	va_start(arguments, format);
	lrd_format_cut(text, sizeof text, format, arguments);
	va_end(arguments);
	lrd_text_tidy(text);
	lrd_string message = lrd_string_from(text);
	lrd_string kind_text = lrd_string_from(kind);
	uint64_t hash = lrd_fnv1a_64(message) ^ lrd_fnv1a_64(kind_text);
	lrd_document_warning *known = find_warning(import, hash, kind_text, message);
	if (known != NULL)
	{
		known->count = known->count > UINT32_MAX - count ? UINT32_MAX : known->count + count;
		return true;
	}
	lrd_document_warning warning = { .count = count };
	if (!lrd_import_text(import, kind_text, &warning.kind) || !lrd_import_text(import, message, &warning.message))
	{
		return false;
	}
	if (!LRD_RESERVE(import->allocator, import->warnings, import->warning_count, 1, import->warning_capacity) ||
		!lrd_import_table_add(&import->warning_table, hash, (uint32_t)import->warning_count))
	{
		return lrd_fail_memory(import->error, "warnings", sizeof warning);
	}
	import->warnings[import->warning_count++] = warning;
	return true;
}

static lrd_import_external *find_external(const lrd_import *import, uint64_t hash, lrd_string path)
{
	size_t cursor = SIZE_MAX;
	for (;;)
	{
		uint32_t row = lrd_import_table_next(&import->external_table, hash, &cursor);
		if (row == UINT32_MAX)
		{
			return NULL;
		}
		if (lrd_string_equal(import->externals[row].dependency.path, path))
		{
			return &import->externals[row];
		}
	}
}

static lrd_import_external *add_external(lrd_import *import, uint64_t hash, lrd_string path)
{
	if (!LRD_RESERVE(import->allocator, import->externals, import->external_count, 1, import->external_capacity) ||
		!lrd_import_table_add(&import->external_table, hash, (uint32_t)import->external_count))
	{
		lrd_fail_memory(import->error, "dependencies", sizeof *import->externals);
		return NULL;
	}
	lrd_import_external *external = &import->externals[import->external_count++];
	*external = (lrd_import_external){ .dependency = { .path = path, .absent = true } };
	external->bytes.allocator = import->allocator;
	return external;
}

// Reads the file and hashes it; the bytes stay only where somebody wants them.
static bool read_external(lrd_import *import, lrd_import_external *external, bool keep)
{
	const char *native = NULL;
	lrd_error problem = { .code = LRD_OK };
	bool inside = lrd_path_inside(import->scratch, import->root, external->dependency.path, &native, &problem);
	if (!inside || !lrd_file_read(native, &external->bytes, &problem))
	{
		if (problem.code == LRD_ERROR_NOT_FOUND)
		{
			return true;
		}
		*import->error = problem;
		return false;
	}
	lrd_hash128 hash = lrd_xxh3_128(external->bytes.data, external->bytes.size);
	external->dependency.absent = false;
	external->dependency.hash[0] = hash.low;
	external->dependency.hash[1] = hash.high;
	external->has_bytes = keep;
	if (!keep)
	{
		lrd_buffer_free(&external->bytes);
	}
	return true;
}

bool lrd_import_find(lrd_import *import, lrd_string reference, lrd_bytes *bytes, const lrd_document_dependency **found)
{
	lrd_string path = { NULL, 0 };
	if (!lrd_path_resolve(import->arena, import->path, reference, &path, import->error))
	{
		return false;
	}
	uint64_t hash = lrd_fnv1a_64(path);
	lrd_import_external *external = find_external(import, hash, path);
	bool fresh = external == NULL;
	external = fresh ? add_external(import, hash, path) : external;
	if (external == NULL)
	{
		return false;
	}
	bool read = fresh || (bytes != NULL && !external->has_bytes && !external->dependency.absent);
	if (read && !read_external(import, external, bytes != NULL))
	{
		return false;
	}
	if (bytes != NULL)
	{
		*bytes = (lrd_bytes){ external->bytes.data, external->bytes.size };
	}
	*found = &external->dependency;
	return true;
}
