// import/import.h: what every importer stands on while it makes a document: memory, warnings, external files.

#ifndef IMPORT_IMPORT_H
#define IMPORT_IMPORT_H

#include "base/error.h"
#include "base/memory.h"
#include "import/limits.h"
#include "import/table.h"
#include "larder/document.h"

/// A file that the source refers to.
typedef struct lrd_import_external
{
	lrd_document_dependency dependency;
	lrd_buffer bytes; ///< empty unless somebody wanted them
	bool has_bytes;
} lrd_import_external;

/// An import under way. On failure `error` says why; it is never NULL.
typedef struct lrd_import
{
	lrd_allocator allocator;
	lrd_arena *arena;   ///< the document's
	lrd_arena *scratch; ///< gone when the import ends
	lrd_document *document;
	const char *root; ///< native path of the source root
	lrd_string path;  ///< the source, relative to the root
	lrd_error *error;
	lrd_import_external *externals;
	size_t external_count;
	size_t external_capacity;
	lrd_import_table external_table; ///< by path
	lrd_document_warning *warnings;
	size_t warning_count;
	size_t warning_capacity;
	lrd_import_table warning_table; ///< by kind and message
} lrd_import;

/// Start an import; false (with `error` set) when memory runs out or the path may not be. lrd_import_end must follow
/// either way.
bool lrd_import_begin(lrd_import *import, const lrd_import_desc *desc, lrd_error *error);

/// Free everything but the document, which is returned when `ok`, completed with warnings and dependencies; otherwise
/// NULL.
lrd_document *lrd_import_end(lrd_import *import, bool ok);

/// count * size zeroed bytes that live as long as the document; NULL (with the error set) when memory runs out.
void *lrd_import_new(lrd_import *import, size_t count, size_t size, const char *what);
#define LRD_IMPORT_NEW(import, type, count, what) ((type *)lrd_import_new((import), (count), sizeof(type), (what)))

/// The same without zeroing: for arrays that are filled at once.
void *lrd_import_room(lrd_import *import, size_t count, size_t size, const char *what);
#define LRD_IMPORT_ROOM(import, type, count, what) ((type *)lrd_import_room((import), (count), sizeof(type), (what)))

/// Zeroed, until the import ends.
void *lrd_import_scratch(lrd_import *import, size_t count, size_t size, const char *what);
#define LRD_IMPORT_SCRATCH(import, type, count, what)                                                                  \
	((type *)lrd_import_scratch((import), (count), sizeof(type), (what)))

/// A copy of a text that lives as long as the document; false when memory runs out.
bool lrd_import_text(lrd_import *import, lrd_string text, lrd_string *copy);

/// Tell the user about something that was repaired or can't be represented. Equal kind and message add up their counts.
/// False when memory runs out.
bool lrd_import_warn(lrd_import *import, const char *kind, uint32_t count, const char *format, ...) LRD_PRINTF(4, 5);

/// Find the file that `reference`, relative to the source, means (percent-decoded already), read it and note it as a
/// dependency. `bytes` NULL: only its hash is wanted. A file that is missing is no failure: `found->dependency.absent`
/// says so. `found` is valid until the next call. Errors: LRD_ERROR_PATH, LRD_ERROR_IO, LRD_ERROR_MEMORY,
/// LRD_ERROR_CHANGED.
bool lrd_import_find(lrd_import *import, lrd_string reference, lrd_bytes *bytes, const lrd_document_dependency **found);

#endif
