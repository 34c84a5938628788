// cook/driver.h: a cook in progress: the sources it found and what they share. sources.c finds them, source_task.c
// cooks one, driver.c runs the whole.

#ifndef COOK_DRIVER_H
#define COOK_DRIVER_H

#include "cook/database.h"
#include "cook/recipe.h"
#include "larder/cook.h"

/// A file that can be cooked.
typedef struct lrd_source
{
	const char *root; ///< native path of its source root
	lrd_string path;  ///< relative to the root
	lrd_string stem;  ///< of what it yields
	lrd_string id;    ///< its first output: stem and extension
	bool is_model;
	lrd_settings settings;
	lrd_string key;      ///< settings in force and versions of crafts, as text
	const char *problem; ///< why it can't be cooked: settings, a conflict; NULL: none
	bool done;           ///< cooked, up to date, failed or skipped
} lrd_source;

typedef struct lrd_source_list
{
	lrd_source *items;
	size_t count;
	size_t capacity;
	bool whole_roots; ///< every source root was walked, so what is not in the list is gone
} lrd_source_list;

typedef struct lrd_source_task lrd_source_task;

/// All but `ended` is the calling thread's alone, workers only read it.
typedef struct lrd_driver
{
	const lrd_cook_desc *desc;
	lrd_allocator allocator;
	lrd_arena *arena; ///< sources and settings
	lrd_source_list sources;
	lrd_string residency;       ///< larder.json of the cooked folder; empty: no source root says anything for it
	const char *residency_root; ///< whose it is
	struct lrd_cooked *cooked;  ///< where files go that are cooked to memory; NULL: to the output folder
	const char *staging;        ///< folder for files in the making; NULL: they are kept in memory
	lrd_database *database;
	lrd_cook_report report;
	uint32_t done; ///< sources dealt with
	lrd_mutex mutex;
	lrd_condition source_ended;
	lrd_source_task *ended; ///< under `mutex`: tasks to finish
} lrd_driver;

/// Run a cook of which the description, the allocator, and `cooked`, are set; the report is filled in.
bool lrd_driver_run(lrd_driver *driver, lrd_error *error);

/// Walk the source roots: fills driver->sources, root by root in the order of their paths; reports files of no known
/// type as skipped.
bool lrd_sources_find(lrd_driver *driver, lrd_error *error);

/// Give models, or images, that are not done yet and would yield one file a problem that names the other.
bool lrd_sources_find_conflicts(lrd_driver *driver, bool models, lrd_error *error);

/// Start cooking one source; its task comes back through driver->ended. False: no memory, and then nothing was started.
bool lrd_source_start(lrd_driver *driver, uint32_t source_index);

/// Put the outputs of sources that have ended in place, or report why they failed, and free the tasks. Returns how many
/// there were.
uint32_t lrd_source_finish_all(lrd_source_task *ended);

/// Where the database knows no source, enter what the tree's manifest lists. A tree without one is new.
bool lrd_driver_adopt_manifest(lrd_driver *driver, lrd_error *error);

/// Count and report a source's end. `source` is NULL for files that are none.
void lrd_driver_report(lrd_driver *driver, lrd_source *source, const lrd_source_report *report);

/// Delete an output and the folders that are empty without it, and count it as pruned.
bool lrd_driver_delete_output(lrd_driver *driver, lrd_arena *arena, lrd_string file, lrd_error *error);

/// Bytes of a source and of every file it read.
uint64_t lrd_source_bytes(const lrd_source_row *row);

/// Native path `folder`/`relative` in an arena; NULL when memory runs out.
const char *lrd_native_path(lrd_arena *arena, const char *folder, lrd_string relative);

/// Stamp of a file: cheap facts always, the hash only if `hash` is set (then the file is read).
bool lrd_stamp_take(const char *path, lrd_stamp *stamp, bool hash, lrd_allocator allocator, lrd_error *error);

#endif
