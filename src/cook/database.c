// The cook's memory, in SQLite. Tables hold facts about files; nothing here is needed to use a cooked tree.

#include "cook/database.h"

#include "base/error.h"
#include "base/path.h"

#include <sqlite3.h>
#include <stdio.h>

/// Grows when tables change; another number in the file means: start anew.
#define DATABASE_VERSION 1

struct lrd_database
{
	sqlite3 *handle;
	lrd_allocator allocator;
	bool damaged; ///< something in the file can't be what was stored; it is dropped when closed
	char *path;
	size_t path_size;
};

/// The kind of an output that was about to be put in place: it may or may not be there, and is its source's either way.
#define CLAIMED (-1)

static const char schema[] =
	"create table source(id text primary key, path text not null, key text not null, size integer, mtime integer,"
	" inode integer, hash blob, sure integer not null) without rowid;"
	"create table dependency(source text not null, number integer, path text not null, absent integer, size integer,"
	" mtime integer, inode integer, hash blob, primary key(source, number)) without rowid;"
	"create table output(file text primary key, source text not null, kind integer, size integer, hash blob) "
	"without rowid;"
	"create unique index output_folded on output(file collate nocase);"
	"create index output_source on output(source);"
	"create table reference(file text not null, number integer, kind integer, stem text not null,"
	" primary key(file, number)) without rowid;"
	"create table warning(source text not null, number integer, kind text, message text, count integer,"
	" primary key(source, number)) without rowid;";

static bool fail(lrd_database *database, lrd_error *error, const char *what)
{
	int code = sqlite3_errcode(database->handle);
	int kind = code & 0xff;
	if (kind == SQLITE_CORRUPT || kind == SQLITE_NOTADB ||
		kind == SQLITE_CONSTRAINT) // rows never collide in a sound one
	{
		database->damaged = true;
		return lrd_fail(error, LRD_ERROR_FORMAT, "cook database: %s: %s; cook again, which makes it anew", what,
			sqlite3_errmsg(database->handle));
	}
	return lrd_fail(error, code == SQLITE_NOMEM ? LRD_ERROR_MEMORY : LRD_ERROR_IO, "cook database: %s: %s", what,
		sqlite3_errmsg(database->handle));
}

static bool execute(lrd_database *database, const char *sql, lrd_error *error)
{
	return sqlite3_exec(database->handle, sql, NULL, NULL, NULL) == SQLITE_OK || fail(database, error, sql);
}

// Statements: prepare, bind from the left, step. A failure sticks, so that only the last step is checked.
typedef struct query
{
	lrd_database *database;
	sqlite3_stmt *statement;
	int next; ///< parameter or column
	bool failed;
	bool starved; ///< it failed for want of memory that was not SQLite's
	lrd_error *error;
} query;

static query prepare(lrd_database *database, const char *sql, lrd_error *error)
{
	query q = { .database = database, .error = error, .next = 1 };
	q.failed = sqlite3_prepare_v2(database->handle, sql, -1, &q.statement, NULL) != SQLITE_OK;
	if (q.failed)
	{
		fail(database, error, sql);
	}
	return q;
}

static void bind_text(query *q, lrd_string text)
{
	const char *data = text.data == NULL ? "" : text.data;
	q->failed = q->failed || sqlite3_bind_text64(
								 q->statement, q->next++, data, text.size, SQLITE_TRANSIENT, SQLITE_UTF8) != SQLITE_OK;
}

static void bind_number(query *q, uint64_t number)
{
	q->failed = q->failed || sqlite3_bind_int64(q->statement, q->next++, (sqlite3_int64)number) != SQLITE_OK;
}

static void bind_hash(query *q, lrd_hash128 hash)
{
	q->failed =
		q->failed || sqlite3_bind_blob(q->statement, q->next++, &hash, sizeof hash, SQLITE_TRANSIENT) != SQLITE_OK;
}

static void bind_stamp(query *q, const lrd_stamp *stamp)
{
	bind_number(q, stamp->size);
	bind_number(q, (uint64_t)stamp->mtime_ns);
	bind_number(q, stamp->inode);
	bind_hash(q, stamp->hash);
}

/// True when there is a row; false at the end and on failure.
static bool step(query *q)
{
	if (q->failed)
	{
		return false;
	}
	int code = sqlite3_step(q->statement);
	q->next = 0;
	q->failed = code != SQLITE_ROW && code != SQLITE_DONE;
	return code == SQLITE_ROW;
}

/// Run what yields no rows, and make ready for other parameters.
static void run(query *q)
{
	step(q);
	if (!q->failed)
	{
		sqlite3_reset(q->statement);
		q->next = 1;
	}
}

static bool finish(query *q, const char *what)
{
	if (q->starved)
	{
		lrd_fail_memory(q->error, what, 0);
	}
	else if (q->failed && q->statement != NULL)
	{
		fail(q->database, q->error, what);
	}
	sqlite3_finalize(q->statement);
	return !q->failed;
}

static lrd_string column_text(query *q, lrd_arena *arena)
{
	const char *data = (const char *)sqlite3_column_text(q->statement, q->next);
	size_t size = (size_t)sqlite3_column_bytes(q->statement, q->next++);
	// No column is null in the file, so a null one had no memory.
	lrd_string copy = data == NULL ? (lrd_string){ NULL, 0 } : lrd_arena_string(arena, (lrd_string){ data, size });
	if (copy.data == NULL)
	{
		q->failed = q->starved = true;
	}
	return copy;
}

static uint64_t column_number(query *q)
{
	return (uint64_t)sqlite3_column_int64(q->statement, q->next++);
}

static lrd_hash128 column_hash(query *q)
{
	lrd_hash128 hash = { 0, 0 };
	const void *data = sqlite3_column_blob(q->statement, q->next);
	if (data != NULL && sqlite3_column_bytes(q->statement, q->next) == (int)sizeof hash)
	{
		memcpy(&hash, data, sizeof hash);
	}
	q->next++;
	return hash;
}

static lrd_stamp column_stamp(query *q)
{
	lrd_stamp stamp;
	stamp.size = column_number(q);
	stamp.mtime_ns = (int64_t)column_number(q);
	stamp.inode = column_number(q);
	stamp.hash = column_hash(q);
	return stamp;
}

static bool database_version(lrd_database *database, int *version, lrd_error *error)
{
	query q = prepare(database, "pragma user_version", error);
	*version = step(&q) ? (int)column_number(&q) : -1;
	return finish(&q, "version");
}

static bool open_handle(lrd_database *database, const char *path, lrd_error *error)
{
	const char *name = path != NULL ? path : ":memory:";
	if (sqlite3_open_v2(name, &database->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
			NULL) != SQLITE_OK)
	{
		return fail(database, error, name);
	}
	return execute(database, "pragma journal_mode=wal; pragma synchronous=normal;", error);
}

static bool create_tables(lrd_database *database, lrd_error *error)
{
	char version[48];
	snprintf(version, sizeof version, "pragma user_version=%d", DATABASE_VERSION);
	return execute(database, "begin", error) && execute(database, schema, error) && execute(database, version, error) &&
		   execute(database, "commit", error);
}

/// The file itself is what's wrong, rather than memory, the disk or permissions, which other files would suffer from
/// too.
static bool is_damaged(const lrd_database *database)
{
	int code = sqlite3_errcode(database->handle) & 0xff;
	return code == SQLITE_NOTADB || code == SQLITE_CORRUPT || code == SQLITE_ERROR;
}

/// What can't be used is only a memory: drop it.
static bool drop_files(lrd_database *database, const char *path, lrd_error *error)
{
	static const char *const suffixes[] = { "", "-wal", "-shm" };
	sqlite3_close(database->handle);
	database->handle = NULL;
	for (size_t i = 0; path != NULL && i < sizeof suffixes / sizeof *suffixes; ++i)
	{
		lrd_buffer name = { .allocator = database->allocator };
		bool good = lrd_buffer_printf(&name, "%s%s%c", path, suffixes[i], 0) || lrd_fail_memory(error, "path", 0);
		good = good && lrd_file_remove((const char *)name.data, error);
		lrd_buffer_free(&name);
		if (!good)
		{
			return false;
		}
	}
	database->damaged = false;
	return true;
}

static bool start_anew(lrd_database *database, const char *path, lrd_error *error)
{
	return drop_files(database, path, error) && open_handle(database, path, error) && create_tables(database, error);
}

static bool keep_path(lrd_database *database, const char *path, lrd_error *error)
{
	if (path == NULL)
	{
		return true;
	}
	database->path_size = strlen(path) + 1;
	database->path = lrd_alloc(database->allocator, database->path_size);
	if (database->path == NULL)
	{
		return lrd_fail_memory(error, "path", database->path_size);
	}
	memcpy(database->path, path, database->path_size);
	return true;
}

lrd_database *lrd_database_open(const char *path, lrd_allocator allocator, lrd_error *error)
{
	lrd_database *database = lrd_alloc_zeroed(allocator, 1, sizeof *database);
	if (database == NULL)
	{
		lrd_fail_memory(error, "cook database", sizeof *database);
		return NULL;
	}
	database->allocator = allocator;
	int version = -1;
	bool kept = keep_path(database, path, error);
	bool good = kept && open_handle(database, path, error) && database_version(database, &version, error) &&
				(version != 0 || create_tables(database, error));
	bool other = good && version != 0 && version != DATABASE_VERSION;
	if (other || (kept && !good && is_damaged(database)))
	{
		good = start_anew(database, path, error);
	}
	if (!good)
	{
		lrd_database_close(database);
		return NULL;
	}
	return database;
}

void lrd_database_close(lrd_database *database)
{
	if (database != NULL)
	{
		if (database->damaged)
		{
			drop_files(database, database->path, NULL);
		}
		sqlite3_close(database->handle);
		lrd_free(database->allocator, database->path, database->path_size);
		lrd_free(database->allocator, database, sizeof *database);
	}
}

/// How many rows a table has for a source.
static bool count_rows(lrd_database *database, const char *sql, lrd_string id, size_t *count, lrd_error *error)
{
	query q = prepare(database, sql, error);
	bind_text(&q, id);
	*count = step(&q) ? (size_t)column_number(&q) : 0;
	return finish(&q, "count");
}

static bool load_dependencies(lrd_database *database, lrd_arena *arena, lrd_source_row *row, lrd_error *error)
{
	size_t count;
	if (!count_rows(database, "select count(*) from dependency where source=?", row->id, &count, error))
	{
		return false;
	}
	lrd_dependency_row *rows = LRD_ARENA_ARRAY(arena, lrd_dependency_row, count + 1);
	if (rows == NULL)
	{
		return lrd_fail_memory(error, "dependencies", count * sizeof *rows);
	}
	query q = prepare(database,
		"select path, absent, size, mtime, inode, hash from dependency where source=? order by number", error);
	bind_text(&q, row->id);
	while (row->dependency_count < count && step(&q))
	{
		lrd_dependency_row *dependency = &rows[row->dependency_count++];
		dependency->path = column_text(&q, arena);
		dependency->absent = column_number(&q) != 0;
		dependency->stamp = column_stamp(&q);
	}
	row->dependencies = rows;
	return finish(&q, "dependencies");
}

static bool load_warnings(lrd_database *database, lrd_arena *arena, lrd_source_row *row, lrd_error *error)
{
	size_t count;
	if (!count_rows(database, "select count(*) from warning where source=?", row->id, &count, error))
	{
		return false;
	}
	lrd_document_warning *rows = LRD_ARENA_ARRAY(arena, lrd_document_warning, count + 1);
	if (rows == NULL)
	{
		return lrd_fail_memory(error, "warnings", count * sizeof *rows);
	}
	query q = prepare(database, "select kind, message, count from warning where source=? order by number", error);
	bind_text(&q, row->id);
	while (row->warning_count < count && step(&q))
	{
		lrd_document_warning *warning = &rows[row->warning_count++];
		warning->kind = column_text(&q, arena);
		warning->message = column_text(&q, arena);
		warning->count = (uint32_t)column_number(&q);
	}
	row->warnings = rows;
	return finish(&q, "warnings");
}

bool lrd_database_find(
	lrd_database *database, lrd_arena *arena, lrd_string id, lrd_source_row *row, bool *found, lrd_error *error)
{
	*row = (lrd_source_row){ .id = id };
	query q = prepare(database, "select path, key, size, mtime, inode, hash from source where id=? and sure=1", error);
	bind_text(&q, id);
	*found = step(&q);
	if (*found)
	{
		row->path = column_text(&q, arena);
		row->key = column_text(&q, arena);
		row->stamp = column_stamp(&q);
	}
	if (!finish(&q, "source"))
	{
		return false;
	}
	lrd_manifest outputs = { 0 };
	if (*found && (!load_dependencies(database, arena, row, error) || !load_warnings(database, arena, row, error) ||
					  !lrd_database_outputs(database, arena, id, &outputs, error)))
	{
		return false;
	}
	row->outputs = outputs.assets;
	row->output_count = outputs.asset_count;
	return true;
}

static bool execute_for(lrd_database *database, const char *sql, lrd_string id, lrd_error *error)
{
	query q = prepare(database, sql, error);
	bind_text(&q, id);
	run(&q);
	return finish(&q, sql);
}

/// Commit, or take everything back.
static bool end_transaction(lrd_database *database, bool good, lrd_error *error)
{
	if (good && execute(database, "commit", error))
	{
		return true;
	}
	execute(database, "rollback", NULL);
	return false;
}

static void bind_source(query *q, const lrd_source_row *row)
{
	bind_text(q, row->id);
	bind_text(q, row->path);
	bind_text(q, row->key);
	bind_stamp(q, &row->stamp);
}

static bool claim_outputs(lrd_database *database, const lrd_source_row *row, lrd_error *error)
{
	query source = prepare(database, "insert or ignore into source values(?, ?, ?, ?, ?, ?, ?, 0)", error);
	bind_source(&source, row);
	run(&source);
	query output = prepare(database, "insert or ignore into output values(?, ?, ?, 0, zeroblob(16))", error);
	for (uint32_t i = 0; i < row->output_count; ++i)
	{
		bind_text(&output, row->outputs[i].file);
		bind_text(&output, row->id);
		bind_number(&output, (uint64_t)CLAIMED);
		run(&output);
	}
	bool good = finish(&source, "source");
	return finish(&output, "outputs") && good;
}

bool lrd_database_mark_unsure(lrd_database *database, const lrd_source_row *row, lrd_error *error)
{
	return execute(database, "begin immediate", error) &&
		   end_transaction(database,
			   execute_for(database, "update source set sure=0 where id=?", row->id, error) &&
				   claim_outputs(database, row, error),
			   error);
}

static bool delete_rows(lrd_database *database, lrd_string id, lrd_error *error)
{
	return execute_for(database, "delete from source where id=?", id, error) &&
		   execute_for(database, "delete from dependency where source=?", id, error) &&
		   execute_for(database, "delete from warning where source=?", id, error) &&
		   execute_for(
			   database, "delete from reference where file in (select file from output where source=?)", id, error) &&
		   execute_for(database, "delete from output where source=?", id, error);
}

static bool insert_source(lrd_database *database, const lrd_source_row *row, lrd_error *error)
{
	query q = prepare(database, "insert into source values(?, ?, ?, ?, ?, ?, ?, 1)", error);
	bind_source(&q, row);
	run(&q);
	return finish(&q, "source");
}

static bool insert_dependencies(lrd_database *database, const lrd_source_row *row, lrd_error *error)
{
	query q = prepare(database, "insert into dependency values(?, ?, ?, ?, ?, ?, ?, ?)", error);
	for (uint32_t i = 0; i < row->dependency_count; ++i)
	{
		bind_text(&q, row->id);
		bind_number(&q, i);
		bind_text(&q, row->dependencies[i].path);
		bind_number(&q, row->dependencies[i].absent);
		bind_stamp(&q, &row->dependencies[i].stamp);
		run(&q);
	}
	return finish(&q, "dependencies");
}

static bool insert_outputs(lrd_database *database, const lrd_source_row *row, lrd_error *error)
{
	query output = prepare(database, "insert into output values(?, ?, ?, ?, ?)", error);
	query reference = prepare(database, "insert into reference values(?, ?, ?, ?)", error);
	for (uint32_t i = 0; i < row->output_count; ++i)
	{
		const lrd_manifest_asset *asset = &row->outputs[i];
		bind_text(&output, asset->file);
		bind_text(&output, row->id);
		bind_number(&output, (uint64_t)asset->kind);
		bind_number(&output, asset->size);
		bind_hash(&output, asset->hash);
		run(&output);
		for (uint32_t r = 0; r < asset->reference_count; ++r)
		{
			bind_text(&reference, asset->file);
			bind_number(&reference, r);
			bind_number(&reference, (uint64_t)asset->references[r].kind);
			bind_text(&reference, asset->references[r].stem);
			run(&reference);
		}
	}
	bool good = finish(&output, "outputs");
	return finish(&reference, "references") && good;
}

static bool insert_warnings(lrd_database *database, const lrd_source_row *row, lrd_error *error)
{
	query q = prepare(database, "insert into warning values(?, ?, ?, ?, ?)", error);
	for (uint32_t i = 0; i < row->warning_count; ++i)
	{
		bind_text(&q, row->id);
		bind_number(&q, i);
		bind_text(&q, row->warnings[i].kind);
		bind_text(&q, row->warnings[i].message);
		bind_number(&q, row->warnings[i].count);
		run(&q);
	}
	return finish(&q, "warnings");
}

bool lrd_database_store(lrd_database *database, const lrd_source_row *row, lrd_error *error)
{
	if (!execute(database, "begin immediate", error))
	{
		return false;
	}
	bool good = delete_rows(database, row->id, error) && insert_source(database, row, error) &&
				insert_dependencies(database, row, error) && insert_outputs(database, row, error) &&
				insert_warnings(database, row, error);
	return end_transaction(database, good, error);
}

bool lrd_database_forget(lrd_database *database, lrd_string id, lrd_error *error)
{
	return execute(database, "begin immediate", error) &&
		   end_transaction(database, delete_rows(database, id, error), error);
}

bool lrd_database_sources(
	lrd_database *database, lrd_arena *arena, const lrd_source_name **sources, uint32_t *count, lrd_error *error)
{
	query q = prepare(database, "select count(*) from source", error);
	size_t total = step(&q) ? (size_t)column_number(&q) : 0;
	if (!finish(&q, "sources"))
	{
		return false;
	}
	lrd_source_name *rows = LRD_ARENA_ARRAY(arena, lrd_source_name, total + 1);
	if (rows == NULL)
	{
		return lrd_fail_memory(error, "sources", total * sizeof *rows);
	}
	q = prepare(database, "select id, path from source order by id", error);
	*count = 0;
	while (*count < total && step(&q))
	{
		rows[*count].id = column_text(&q, arena);
		rows[(*count)++].path = column_text(&q, arena);
	}
	*sources = rows;
	return finish(&q, "sources");
}

static bool load_references(lrd_database *database, lrd_arena *arena, lrd_manifest_asset *asset, lrd_error *error)
{
	size_t total;
	if (!count_rows(database, "select count(*) from reference where file=?", asset->file, &total, error))
	{
		return false;
	}
	lrd_reference *rows = LRD_ARENA_ARRAY(arena, lrd_reference, total + 1);
	if (rows == NULL)
	{
		return lrd_fail_memory(error, "references", total * sizeof *rows);
	}
	query q = prepare(database, "select kind, stem from reference where file=? order by number", error);
	bind_text(&q, asset->file);
	while (asset->reference_count < total && step(&q))
	{
		lrd_reference *reference = &rows[asset->reference_count++];
		reference->kind = (lrd_kind)column_number(&q);
		reference->stem = column_text(&q, arena);
	}
	asset->references = rows;
	return finish(&q, "references");
}

bool lrd_database_outputs(
	lrd_database *database, lrd_arena *arena, lrd_string id, lrd_manifest *outputs, lrd_error *error)
{
	size_t total;
	lrd_error reason;
	*outputs = (lrd_manifest){ 0 };
	if (!count_rows(database, "select count(*) from output where source=?1 or (?1='' and kind>=0)", id, &total, error))
	{
		return false;
	}
	lrd_manifest_asset *assets = LRD_ARENA_ARRAY(arena, lrd_manifest_asset, total + 1);
	if (assets == NULL)
	{
		return lrd_fail_memory(error, "outputs", total * sizeof *assets);
	}
	query q = id.size == 0
				  ? prepare(database, "select file, kind, size, hash from output where ?1='' and kind>=0 order by file",
						error)
				  : prepare(database, "select file, kind, size, hash from output where source=?1 order by file", error);
	bind_text(&q, id);
	while (outputs->asset_count < total && step(&q))
	{
		lrd_manifest_asset *asset = &assets[outputs->asset_count++];
		asset->file = column_text(&q, arena);
		asset->kind = (lrd_kind)column_number(&q);
		asset->size = column_number(&q);
		asset->hash = column_hash(&q);
		if (!q.failed && !lrd_path_check(asset->file, &reason))
		{
			database->damaged = true; // nothing outside the tree is ever written or deleted
			finish(&q, "outputs");
			*outputs = (lrd_manifest){ 0 };
			return lrd_fail(
				error, LRD_ERROR_FORMAT, "cook database: %s; cook again, which makes it anew", reason.message);
		}
	}
	bool good = finish(&q, "outputs");
	for (uint32_t i = 0; good && i < outputs->asset_count; ++i)
	{
		good = load_references(database, arena, &assets[i], error);
	}
	outputs->assets = assets;
	return good;
}

bool lrd_database_owner(lrd_database *database, lrd_arena *arena, lrd_string file, lrd_string *id, lrd_error *error)
{
	*id = (lrd_string){ NULL, 0 };
	query q = prepare(database, "select source from output where file=? collate nocase", error);
	bind_text(&q, file);
	if (step(&q))
	{
		*id = column_text(&q, arena);
	}
	return finish(&q, "owner");
}
