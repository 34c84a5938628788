// cook/database.h: what a cook remembers between runs: OUT/.larder/cook.db, SQLite. One thread at a time.

#ifndef COOK_DATABASE_H
#define COOK_DATABASE_H

#include "cook/manifest.h"
#include "larder/document.h"
#include "os/os.h"

typedef struct lrd_database lrd_database;

/// A file as it was when it was read: what tells cheaply, and surely, whether it is still the same.
typedef struct lrd_stamp
{
	uint64_t size;
	int64_t mtime_ns;
	uint64_t inode;
	lrd_hash128 hash; ///< of its bytes
} lrd_stamp;

typedef struct lrd_dependency_row
{
	lrd_string path; ///< relative to the source root
	bool absent;     ///< it was looked for and is missing
	lrd_stamp stamp;
} lrd_dependency_row;

/// A source that was cooked.
typedef struct lrd_source_row
{
	lrd_string id;   ///< its first output's path without larder's folders: unique in a tree, the same in any directory
	lrd_string path; ///< relative to its root
	lrd_string key;  ///< settings in force and versions of crafts, as text
	lrd_stamp stamp;
	const lrd_dependency_row *dependencies;
	uint32_t dependency_count;
	const lrd_manifest_asset *outputs;
	uint32_t output_count;
	const lrd_document_warning *warnings;
	uint32_t warning_count;
} lrd_source_row;

/// Open, making it if missing; one of another version, or damaged, is made anew (and then everything is cooked again).
/// Damage that shows later is an error (LRD_ERROR_FORMAT); closing then deletes the file. `path` NULL: in memory.
lrd_database *lrd_database_open(const char *path, lrd_allocator allocator, lrd_error *error);
void lrd_database_close(lrd_database *database);

/// The row of a source; `found` is false when there is none, or when it was marked unsure. Strings go into the arena.
bool lrd_database_find(
	lrd_database *database, lrd_arena *arena, lrd_string id, lrd_source_row *row, bool *found, lrd_error *error);

/// A source's outputs are about to be replaced by the row's: until it is stored again, it counts as not cooked. Its
/// outputs stay listed; those of the row that it has not had yet are its own from now on, but in no list of all.
bool lrd_database_mark_unsure(lrd_database *database, const lrd_source_row *row, lrd_error *error);

/// Replace a source's row.
bool lrd_database_store(lrd_database *database, const lrd_source_row *row, lrd_error *error);

/// Forget a source with its outputs.
bool lrd_database_forget(lrd_database *database, lrd_string id, lrd_error *error);

typedef struct lrd_source_name
{
	lrd_string id;
	lrd_string path; ///< relative to its root
} lrd_source_name;

/// Every source that outputs are listed for, sorted by id; in the arena.
bool lrd_database_sources(
	lrd_database *database, lrd_arena *arena, const lrd_source_name **sources, uint32_t *count, lrd_error *error);

/// The outputs of one source, and of all (id empty), sorted by file, byte for byte; in the arena.
bool lrd_database_outputs(
	lrd_database *database, lrd_arena *arena, lrd_string id, lrd_manifest *outputs, lrd_error *error);

/// The source that an output belongs to, ignoring ASCII case; empty when none.
bool lrd_database_owner(lrd_database *database, lrd_arena *arena, lrd_string file, lrd_string *id, lrd_error *error);

#endif
