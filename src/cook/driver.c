// The cook as a whole: lock the output, find sources, cook what is not up to date, delete what nobody yields any more,
// write the manifest.

#include "cook/driver.h"

#include "base/error.h"
#include "base/path.h"
#include "cook/cooked.h"

#include <stdio.h>
#include <stdlib.h>

#define LARDER_FOLDER ".larder"

const char *lrd_native_path(lrd_arena *arena, const char *folder, lrd_string relative)
{
	return lrd_arena_printf(arena, "%s/%.*s", folder, LRD_STR_ARG(relative)).data;
}

bool lrd_stamp_take(const char *path, lrd_stamp *stamp, bool hash, lrd_allocator allocator, lrd_error *error)
{
	lrd_file_info info;
	*stamp = (lrd_stamp){ 0 };
	if (!lrd_file_stat(path, &info, error))
	{
		return false;
	}
	*stamp = (lrd_stamp){ .size = info.size, .mtime_ns = info.mtime_ns, .inode = info.inode };
	if (!hash)
	{
		return true;
	}
	lrd_buffer file = { .allocator = allocator };
	bool good = lrd_file_read(path, &file, error);
	stamp->hash = lrd_xxh3_128(file.data, file.size);
	lrd_buffer_free(&file);
	return good;
}

uint64_t lrd_source_bytes(const lrd_source_row *row)
{
	uint64_t bytes = row->stamp.size;
	for (uint32_t i = 0; i < row->dependency_count; ++i)
	{
		bytes += row->dependencies[i].stamp.size;
	}
	return bytes;
}

static void log_source(const lrd_driver *driver, const lrd_source_report *report)
{
	const lrd_log *log = &driver->desc->log;
	for (uint32_t i = 0; i < report->warning_count && report->state == LRD_SOURCE_COOKED; ++i)
	{
		lrd_log_write(log, LRD_LOG_WARNING, "cook", "%.*s: %.*s", LRD_STR_ARG(report->path),
			LRD_STR_ARG(report->warnings[i].message));
	}
	if (report->state == LRD_SOURCE_FAILED)
	{
		lrd_log_write(log, LRD_LOG_ERROR, "cook", "%.*s: %s", LRD_STR_ARG(report->path), report->message);
	}
}

void lrd_driver_report(lrd_driver *driver, lrd_source *source, const lrd_source_report *report)
{
	lrd_cook_report *sums = &driver->report;
	sums->cooked += report->state == LRD_SOURCE_COOKED;
	sums->up_to_date += report->state == LRD_SOURCE_UP_TO_DATE;
	sums->failed += report->state == LRD_SOURCE_FAILED;
	sums->skipped += report->state == LRD_SOURCE_SKIPPED;
	sums->bytes_in += report->bytes_in;
	sums->warnings += report->warning_count;
	for (uint32_t i = 0; i < report->warning_count; ++i)
	{
		sums->warning_occurrences += report->warnings[i].count;
	}
	if (driver->cooked != NULL)
	{
		lrd_cooked_note(driver->cooked, report);
	}
	if (driver->desc->on_source != NULL)
	{
		driver->desc->on_source(driver->desc->user, report);
	}
	else
	{
		log_source(driver, report);
	}
	if (source == NULL)
	{
		return;
	}
	source->done = true;
	driver->done++;
	if (driver->desc->on_progress != NULL)
	{
		driver->desc->on_progress(driver->desc->user, driver->done, (uint32_t)driver->sources.count);
	}
}

// What is up to date.

/// A file is still what the stamp says: by its cheap facts, or where those differ by its bytes, and then the stamp is
/// brought up to date.
static bool is_same_file(lrd_driver *driver, const char *path, lrd_stamp *stamp, bool *refreshed)
{
	lrd_stamp now;
	if (!lrd_stamp_take(path, &now, false, driver->allocator, NULL))
	{
		return false;
	}
	if (now.size == stamp->size && now.mtime_ns == stamp->mtime_ns && now.inode == stamp->inode)
	{
		return true;
	}
	if (now.size != stamp->size || !lrd_stamp_take(path, &now, true, driver->allocator, NULL) ||
		!lrd_hash128_equal(now.hash, stamp->hash))
	{
		return false;
	}
	*stamp = now;
	*refreshed = true;
	return true;
}

static bool is_absent(const char *path)
{
	lrd_file_info info;
	lrd_error reason;
	return !lrd_file_stat(path, &info, &reason) && reason.code == LRD_ERROR_NOT_FOUND;
}

static bool are_dependencies_same(
	lrd_driver *driver, lrd_arena *arena, const lrd_source *source, lrd_source_row *row, bool *refreshed)
{
	lrd_dependency_row *rows = LRD_ARENA_ARRAY(arena, lrd_dependency_row, row->dependency_count + 1u);
	if (rows == NULL)
	{
		return false;
	}
	for (uint32_t i = 0; i < row->dependency_count; ++i)
	{
		rows[i] = row->dependencies[i];
		const char *path = lrd_native_path(arena, source->root, rows[i].path);
		if (path == NULL || !(rows[i].absent ? is_absent(path) : is_same_file(driver, path, &rows[i].stamp, refreshed)))
		{
			return false;
		}
	}
	row->dependencies = rows;
	return true;
}

static bool are_outputs_there(lrd_driver *driver, lrd_arena *arena, const lrd_source_row *row)
{
	for (uint32_t i = 0; i < row->output_count; ++i)
	{
		const char *path = lrd_native_path(arena, driver->desc->output, row->outputs[i].file);
		lrd_file_info info;
		if (path == NULL || !lrd_file_stat(path, &info, NULL) || info.size != row->outputs[i].size)
		{
			return false;
		}
	}
	return true;
}

/// Whatever goes wrong while looking only means that the source is cooked.
static bool is_up_to_date(lrd_driver *driver, lrd_arena *arena, const lrd_source *source, lrd_source_row *row)
{
	bool found = false;
	bool refreshed = false;
	if (driver->desc->force || !lrd_database_find(driver->database, arena, source->id, row, &found, NULL) || !found)
	{
		return false;
	}
	const char *path = lrd_native_path(arena, source->root, source->path);
	if (path == NULL || !lrd_string_equal(row->path, source->path) || !lrd_string_equal(row->key, source->key) ||
		!is_same_file(driver, path, &row->stamp, &refreshed) ||
		!are_dependencies_same(driver, arena, source, row, &refreshed) || !are_outputs_there(driver, arena, row))
	{
		return false;
	}
	return !refreshed || lrd_database_store(driver->database, row, NULL);
}

/// Deal with a source that needs no cooking: broken settings, a conflict, or nothing changed.
static bool settle_source(lrd_driver *driver, lrd_source *source, lrd_error *error)
{
	if (source->problem != NULL)
	{
		lrd_source_report report = { .path = source->path, .state = LRD_SOURCE_FAILED, .message = source->problem };
		lrd_driver_report(driver, source, &report);
		return true;
	}
	if (source->settings.cook == LRD_CHOICE_OFF)
	{
		lrd_source_report report = {
			.path = source->path, .state = LRD_SOURCE_SKIPPED, .message = "its sidecar says not to cook it"
		};
		lrd_driver_report(driver, source, &report);
		return true;
	}
	lrd_arena *arena = lrd_arena_create(driver->allocator, 0);
	if (arena == NULL)
	{
		return lrd_fail_memory(error, "source", 0);
	}
	lrd_source_row row;
	if (is_up_to_date(driver, arena, source, &row))
	{
		lrd_source_report report = {
			.path = source->path,
			.state = LRD_SOURCE_UP_TO_DATE,
			.warnings = row.warnings,
			.warning_count = row.warning_count,
			.output_count = row.output_count,
			.bytes_in = lrd_source_bytes(&row),
		};
		for (uint32_t i = 0; i < row.output_count; ++i)
		{
			report.bytes_out += row.outputs[i].size;
		}
		lrd_driver_report(driver, source, &report);
	}
	lrd_arena_destroy(arena);
	return true;
}

// Running.

static uint32_t finish_ended(lrd_driver *driver, bool wait)
{
	lrd_mutex_lock(&driver->mutex);
	while (wait && driver->ended == NULL)
	{
		lrd_condition_wait(&driver->source_ended, &driver->mutex);
	}
	lrd_source_task *ended = driver->ended;
	driver->ended = NULL;
	lrd_mutex_unlock(&driver->mutex);
	return lrd_source_finish_all(ended);
}

/// Cook every model, or every image, that is not settled yet. So many at once that no worker idles, and no more, since
/// each holds memory.
static bool cook_sources(lrd_driver *driver, bool models, lrd_error *error)
{
	const lrd_jobs *jobs = driver->desc->jobs;
	uint32_t most = jobs == NULL ? 1 : jobs->worker_count(jobs->user) + 1;
	uint32_t running = 0;
	bool good = true;
	for (uint32_t i = 0; good && i < driver->sources.count; ++i)
	{
		lrd_source *source = &driver->sources.items[i];
		if (source->is_model != models || source->done)
		{
			continue;
		}
		good = settle_source(driver, source, error);
		if (!good || source->done)
		{
			continue;
		}
		running -= finish_ended(driver, running == most);
		good = lrd_source_start(driver, i) || lrd_fail_memory(error, "source", 0);
		running += good;
	}
	while (running != 0)
	{
		running -= finish_ended(driver, true);
	}
	return good;
}

// Images that models, and cubemaps of several files, own.

static bool is_dependency(const lrd_source_row *row, lrd_string path)
{
	for (uint32_t i = 0; i < row->dependency_count; ++i)
	{
		if (!row->dependencies[i].absent && lrd_string_equal(row->dependencies[i].path, path))
		{
			return true;
		}
	}
	return false;
}

static bool is_face(const lrd_source *owner, lrd_string path)
{
	for (uint32_t i = 0; i < LRD_FACE_COUNT; ++i)
	{
		if (lrd_string_equal(owner->settings.faces[i], path))
		{
			return true;
		}
	}
	return false;
}

/// Skip an image as a source of its own.
static bool skip_owned(
	lrd_driver *driver, lrd_arena *arena, lrd_source *image, const lrd_source *owner, lrd_error *error)
{
	lrd_string message = lrd_arena_printf(arena, "part of %.*s", LRD_STR_ARG(owner->path));
	if (message.data == NULL)
	{
		return lrd_fail_memory(error, "images", owner->path.size);
	}
	lrd_source_report report = { .path = image->path, .state = LRD_SOURCE_SKIPPED, .message = message.data };
	lrd_driver_report(driver, image, &report);
	image->id = (lrd_string){ NULL, 0 }; // yields nothing: what it once did is pruned
	return true;
}

/// Skip the images that this source read: a model's textures, the faces of a cubemap.
static bool claim_images(lrd_driver *driver, const lrd_source *owner, lrd_error *error)
{
	lrd_arena *arena = lrd_arena_create(driver->allocator, 0);
	lrd_source_row row = { 0 };
	bool found = !owner->is_model;
	bool good = arena != NULL || lrd_fail_memory(error, "images", 0);
	good = good && (found || lrd_database_find(driver->database, arena, owner->id, &row, &found, error));
	for (size_t i = 0; good && found && i < driver->sources.count; ++i)
	{
		lrd_source *image = &driver->sources.items[i];
		bool is_free = !image->is_model && !image->done && image->problem == NULL && image != owner &&
					   image->settings.cook != LRD_CHOICE_ON && strcmp(image->root, owner->root) == 0;
		if (is_free && (owner->is_model ? is_dependency(&row, image->path) : is_face(owner, image->path)))
		{
			good = skip_owned(driver, arena, image, owner, error);
		}
	}
	lrd_arena_destroy(arena);
	return good;
}

static bool claim_all_images(lrd_driver *driver, lrd_error *error)
{
	for (size_t i = 0; i < driver->sources.count; ++i)
	{
		const lrd_source *source = &driver->sources.items[i];
		bool owns = source->is_model || (source->settings.faces[0].size != 0 && !source->done);
		if (owns && source->problem == NULL && !claim_images(driver, source, error))
		{
			return false;
		}
	}
	return true;
}

// After cooking.

static int compare_strings(const void *a, const void *b)
{
	return lrd_string_compare(*(const lrd_string *)a, *(const lrd_string *)b);
}

/// The ids of every source there is, sorted; in the arena.
static lrd_string *sorted_ids(const lrd_driver *driver, lrd_arena *arena)
{
	lrd_string *ids = LRD_ARENA_ARRAY(arena, lrd_string, driver->sources.count + 1);
	for (size_t i = 0; ids != NULL && i < driver->sources.count; ++i)
	{
		ids[i] = driver->sources.items[i].id;
	}
	if (ids != NULL)
	{
		qsort(ids, driver->sources.count, sizeof *ids, compare_strings);
	}
	return ids;
}

/// A source whose settings are broken says nothing of what it yields, so what it yielded last stays. An adopted row has no path: it may be any.
static bool is_broken_source(const lrd_driver *driver, lrd_string path)
{
	for (size_t i = 0; i < driver->sources.count; ++i)
	{
		const lrd_source *source = &driver->sources.items[i];
		if (source->problem != NULL && (path.size == 0 || lrd_string_equal(source->path, path)))
		{
			return true;
		}
	}
	return false;
}

bool lrd_driver_delete_output(lrd_driver *driver, lrd_arena *arena, lrd_string file, lrd_error *error)
{
	const char *path = lrd_native_path(arena, driver->desc->output, file);
	if (path == NULL)
	{
		return lrd_fail_memory(error, "path", file.size);
	}
	if (!lrd_file_remove(path, error))
	{
		return false;
	}
	for (lrd_string folder = lrd_path_folder(file); folder.size != 0; folder = lrd_path_folder(folder))
	{
		const char *native = lrd_native_path(arena, driver->desc->output, folder);
		if (native == NULL)
		{
			return lrd_fail_memory(error, "path", folder.size);
		}
		lrd_folder_remove_empty(native);
	}
	driver->report.pruned++;
	return true;
}

static bool prune_source(lrd_driver *driver, lrd_arena *arena, lrd_string id, lrd_error *error)
{
	lrd_manifest outputs;
	if (!lrd_database_outputs(driver->database, arena, id, &outputs, error))
	{
		return false;
	}
	for (uint32_t i = 0; i < outputs.asset_count; ++i)
	{
		if (!lrd_driver_delete_output(driver, arena, outputs.assets[i].file, error))
		{
			return false;
		}
	}
	return lrd_database_forget(driver->database, id, error);
}

static bool prune_all(lrd_driver *driver, lrd_arena *arena, lrd_error *error)
{
	const lrd_source_name *known;
	uint32_t count;
	lrd_string *living = sorted_ids(driver, arena);
	if (living == NULL)
	{
		return lrd_fail_memory(error, "sources", 0);
	}
	if (!lrd_database_sources(driver->database, arena, &known, &count, error))
	{
		return false;
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		bool lives = bsearch(&known[i].id, living, driver->sources.count, sizeof *living, compare_strings) != NULL ||
					 is_broken_source(driver, known[i].path);
		if (!lives && !prune_source(driver, arena, known[i].id, error))
		{
			return false;
		}
	}
	return true;
}

/// Delete the outputs of sources that are gone. Only when whole roots were looked at: a source that was not named is
/// not gone.
static bool prune(lrd_driver *driver, lrd_error *error)
{
	if (!driver->sources.whole_roots || driver->cooked != NULL)
	{
		return true;
	}
	lrd_arena *arena = lrd_arena_create(driver->allocator, 0);
	bool good = (arena != NULL || lrd_fail_memory(error, "sources", 0)) && prune_all(driver, arena, error);
	lrd_arena_destroy(arena);
	return good;
}

static bool write_manifest(lrd_driver *driver, lrd_error *error)
{
	lrd_manifest manifest = { 0 };
	lrd_arena *arena = lrd_arena_create(driver->allocator, 0);
	bool good = arena != NULL || lrd_fail_memory(error, "manifest", 0);
	good = good && lrd_database_outputs(driver->database, arena, (lrd_string){ NULL, 0 }, &manifest, error) &&
		   (driver->cooked != NULL ||
			   lrd_manifest_write(driver->desc->output, driver->staging, &manifest, driver->allocator, error));
	driver->report.outputs = manifest.asset_count;
	for (uint32_t i = 0; i < manifest.asset_count; ++i)
	{
		driver->report.bytes_out += manifest.assets[i].size;
	}
	lrd_arena_destroy(arena);
	return good;
}

/// What the project says to the run time goes where the store looks for it. A file that somebody put there stays as long as
/// no source root says anything.
static bool write_residency(const lrd_driver *driver, lrd_error *error)
{
	if (driver->residency.size == 0 || driver->cooked != NULL)
	{
		return true;
	}
	const char *path = lrd_native_path(driver->arena, driver->desc->output, LRD_STR("larder.json"));
	return path != NULL ? lrd_file_write(path, driver->residency.data, driver->residency.size, error)
						: lrd_fail_memory(error, "path", 0);
}

static bool remove_one_staged(void *user, lrd_string path, const lrd_file_info *info)
{
	(void)info;
	char text[LRD_PATH_MAX * 4];
	int size = snprintf(text, sizeof text, "%s/%.*s", (const char *)user, LRD_STR_ARG(path));
	if (size > 0 && (size_t)size < sizeof text)
	{
		lrd_file_remove(text, NULL);
	}
	return true;
}

/// The staging folder, emptied of what a cook that was killed left there.
static bool open_staging(lrd_driver *driver, lrd_error *error)
{
	driver->staging = lrd_native_path(driver->arena, driver->desc->output, LRD_STR(LARDER_FOLDER "/staging"));
	if (driver->staging == NULL)
	{
		return lrd_fail_memory(error, "path", 0);
	}
	return lrd_folder_make(driver->staging, error) && lrd_folder_walk(driver->staging, driver->allocator,
														  remove_one_staged, (void *)(uintptr_t)driver->staging, error);
}

/// What is gone is pruned before anything is cooked, since others may yield the same files now. Images come after
/// models, which may own them; then what those yielded on their own is pruned, and of those that are left no two may
/// yield one file.
static bool cook_all(lrd_driver *driver, lrd_error *error)
{
	const char *path = NULL; // a cook to memory remembers in memory which images a model read, and who yields what
	if (driver->cooked == NULL)
	{
		path = lrd_native_path(driver->arena, driver->desc->output, LRD_STR(LARDER_FOLDER "/cook.db"));
		if (path == NULL)
		{
			return lrd_fail_memory(error, "path", 0);
		}
	}
	driver->database = lrd_database_open(path, driver->allocator, error);
	bool good = driver->database != NULL &&
				(driver->cooked != NULL || (open_staging(driver, error) && lrd_driver_adopt_manifest(driver, error))) &&
				lrd_sources_find(driver, error) && prune(driver, error) &&
				lrd_sources_find_conflicts(driver, true, error) && cook_sources(driver, true, error) &&
				claim_all_images(driver, error) && prune(driver, error) &&
				lrd_sources_find_conflicts(driver, false, error) && cook_sources(driver, false, error) &&
				write_manifest(driver, error) && write_residency(driver, error);
	lrd_database_close(driver->database);
	return good;
}

static bool cook_locked(lrd_driver *driver, lrd_error *error)
{
	lrd_file_lock lock;
	const char *folder = lrd_native_path(driver->arena, driver->desc->output, LRD_STR(LARDER_FOLDER));
	const char *path = lrd_native_path(driver->arena, driver->desc->output, LRD_STR(LARDER_FOLDER "/lock"));
	if (folder == NULL || path == NULL)
	{
		return lrd_fail_memory(error, "path", 0);
	}
	if (!lrd_folder_make(folder, error))
	{
		return false;
	}
	lrd_error reason;
	if (!lrd_file_lock_take(path, &lock, &reason))
	{
		return reason.code == LRD_ERROR_CONFLICT
				   ? lrd_fail(error, LRD_ERROR_CONFLICT, "%s: another cook is writing there; wait for it to end",
						 driver->desc->output)
				   : lrd_fail(error, reason.code, "%s", reason.message);
	}
	bool good = cook_all(driver, error);
	lrd_file_lock_release(&lock);
	return good;
}

bool lrd_driver_run(lrd_driver *driver, lrd_error *error)
{
	uint64_t started_ns = lrd_clock_ns();
	driver->arena = lrd_arena_create(driver->allocator, 0);
	if (driver->arena == NULL)
	{
		return lrd_fail_memory(error, "cook", 0);
	}
	bool has_mutex = lrd_mutex_init(&driver->mutex);
	bool has_condition = lrd_condition_init(&driver->source_ended);
	bool good = (has_mutex && has_condition) || lrd_fail(error, LRD_ERROR_IO, "no mutex could be made");
	good = good && (driver->cooked != NULL ? cook_all(driver, error) : cook_locked(driver, error));
	if (has_condition)
	{
		lrd_condition_destroy(&driver->source_ended);
	}
	if (has_mutex)
	{
		lrd_mutex_destroy(&driver->mutex);
	}
	lrd_free(driver->allocator, driver->sources.items, driver->sources.capacity * sizeof *driver->sources.items);
	lrd_arena_destroy(driver->arena);
	driver->report.seconds = (double)(lrd_clock_ns() - started_ns) * 1e-9;
	return good;
}

bool lrd_cook_run(const lrd_cook_desc *desc, lrd_cook_report *report, lrd_error *error)
{
	lrd_driver driver = { .desc = desc, .allocator = desc->allocator };
	if (desc->source_count == 0 || desc->output == NULL || desc->output[0] == 0)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "a cook needs at least one source and an output folder");
	}
	bool good = lrd_driver_run(&driver, error);
	if (report != NULL)
	{
		*report = driver.report;
	}
	return good;
}
