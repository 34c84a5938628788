// Cooking one source: read and import it, make its outputs in the staging folder, and when all are there put them in
// place together.
//
// One job reads and plans, then comes a job an output of stage 0, the last of which submits those of stage 1, the last
// of which hands the source back to the driver's own thread, which puts the files in place. Nothing waits on a worker.
// A source that fails leaves the outputs of its last good cook as they were.

#include "cook/driver.h"

#include "base/error.h"
#include "base/path.h"
#include "cook/cooked.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct output_task
{
	lrd_job job;
	struct lrd_source_task *owner;
	uint32_t index;
	bool dropped; ///< there turned out to be nothing to write
	bool failed;
	lrd_error *error; ///< why; NULL where even that had no memory
	uint64_t size;
	lrd_hash128 hash;
	lrd_buffer kept;  ///< its bytes, where they are not staged
	lrd_arena *arena; ///< holds the references
	const lrd_reference *references;
	uint32_t reference_count;
} output_task;

typedef struct lrd_source_task
{
	lrd_job job;
	struct lrd_source_task *next; ///< among those that have ended
	lrd_driver *driver;
	lrd_source *source;
	uint32_t number; ///< tells its staged files from others'
	lrd_arena *arena;
	lrd_buffer file;
	lrd_buffer faces[LRD_FACE_COUNT]; ///< files of a cubemap, where the settings name them
	lrd_stamp stamp;
	lrd_document *document;
	lrd_dependency_row *dependencies;
	uint32_t dependency_count;
	lrd_recipe *recipe;
	const lrd_recipe_output *outputs;
	output_task *tasks;
	uint32_t output_count;
	uint32_t stage;
	atomic_uint remaining;   ///< outputs of this stage still to come
	atomic_ullong worked_ns; ///< by its jobs, all together
	lrd_error error;
} source_task;

static void submit(source_task *task, lrd_job *job)
{
	const lrd_jobs *jobs = task->driver->desc->jobs;
	if (jobs == NULL || !jobs->submit(jobs->user, job))
	{
		job->run(job);
	}
}

/// The time of a job goes to its source before the job hands on, which may run others inside it.
static void count_work(source_task *task, uint64_t started_ns)
{
	atomic_fetch_add(&task->worked_ns, lrd_clock_ns() - started_ns);
}

static const char *staged_path(source_task *task, lrd_arena *arena, uint32_t output, lrd_error *error)
{
	lrd_string path = lrd_arena_printf(arena, "%s/%u.%u", task->driver->staging, task->number, output);
	if (path.data == NULL)
	{
		lrd_fail_memory(error, "path", 0);
	}
	return path.data;
}

static bool make_output(output_task *self, lrd_buffer *out, lrd_error *error)
{
	source_task *task = self->owner;
	if (!lrd_recipe_make(task->recipe, self->index, out, error))
	{
		return false;
	}
	self->dropped = out->size == 0;
	if (self->dropped)
	{
		return true;
	}
	self->arena = lrd_arena_create(task->driver->allocator, 1024);
	if (self->arena == NULL)
	{
		return lrd_fail_memory(error, "output", 1024);
	}
	const lrd_reference *references;
	if (!lrd_cooked_references(self->arena, task->outputs[self->index].kind, out->data, out->size, &references,
			&self->reference_count, error))
	{
		return false;
	}
	self->references = references;
	self->size = out->size;
	self->hash = lrd_xxh3_128(out->data, out->size);
	if (task->driver->cooked != NULL)
	{
		self->kept = *out; // the references lead into it until they are kept
		return true;
	}
	const char *path = staged_path(task, self->arena, self->index, error);
	return path != NULL && lrd_file_stage(path, out->data, out->size, error);
}

/// References lead into the bytes they were found in: keep their stems beyond them.
static bool keep_references(output_task *self, lrd_error *error)
{
	lrd_reference *kept = LRD_ARENA_ARRAY(self->arena, lrd_reference, self->reference_count + 1u);
	bool good = kept != NULL;
	for (uint32_t i = 0; good && i < self->reference_count; ++i)
	{
		kept[i] = (lrd_reference){ self->references[i].kind, lrd_arena_string(self->arena, self->references[i].stem) };
		good = kept[i].stem.data != NULL;
	}
	self->references = kept;
	return good || lrd_fail_memory(error, "references", self->reference_count * sizeof *kept);
}

static void hand_back(source_task *task)
{
	lrd_driver *driver = task->driver;
	lrd_mutex_lock(&driver->mutex);
	task->next = driver->ended;
	driver->ended = task;
	lrd_condition_signal(&driver->source_ended);
	lrd_mutex_unlock(&driver->mutex);
}

static uint32_t stage_size(const source_task *task, uint32_t stage)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < task->output_count; ++i)
	{
		count += task->outputs[i].stage == stage;
	}
	return count;
}

/// Submit every output of the next stage that has any, or finish. `remaining` holds one more than the outputs, so that
/// it can't reach zero while they are still being submitted.
static void start_stage(source_task *task);

static void end_one(source_task *task)
{
	if (atomic_fetch_sub(&task->remaining, 1) == 1)
	{
		task->stage++;
		start_stage(task);
	}
}

static void run_output(lrd_job *job)
{
	output_task *self = (output_task *)(void *)job;
	uint64_t started = lrd_clock_ns();
	lrd_error error = { 0 };
	lrd_buffer out = { .allocator = self->owner->driver->allocator };
	bool good = make_output(self, &out, &error) && (self->dropped || keep_references(self, &error));
	if (self->kept.data == NULL)
	{
		lrd_buffer_free(&out);
	}
	if (!good)
	{
		self->failed = true;
		self->error = lrd_alloc(self->owner->driver->allocator, sizeof error);
		if (self->error != NULL)
		{
			*self->error = error;
		}
	}
	count_work(self->owner, started);
	end_one(self->owner);
}

static bool any_failed(const source_task *task)
{
	for (uint32_t i = 0; i < task->output_count; ++i)
	{
		if (task->tasks[i].failed)
		{
			return true;
		}
	}
	return false;
}

static void start_stage(source_task *task)
{
	uint32_t stage = task->stage;
	uint32_t count = stage > 1 || any_failed(task) ? 0 : stage_size(task, stage);
	if (count == 0 && stage == 0 && !any_failed(task))
	{
		task->stage = stage = 1;
		count = stage_size(task, stage);
	}
	if (count == 0)
	{
		hand_back(task);
		return;
	}
	atomic_store(&task->remaining, count + 1);
	for (uint32_t i = 0; i < task->output_count; ++i)
	{
		if (task->outputs[i].stage == stage)
		{
			task->tasks[i].job = (lrd_job){ .run = run_output };
			task->tasks[i].owner = task;
			task->tasks[i].index = i;
			submit(task, &task->tasks[i].job);
		}
	}
	end_one(task);
}

static bool read_source(source_task *task)
{
	lrd_driver *driver = task->driver;
	const lrd_source *source = task->source;
	const char *path;
	task->file.allocator = driver->allocator;
	if (!lrd_path_inside(task->arena, source->root, source->path, &path, &task->error) ||
		!lrd_stamp_take(path, &task->stamp, false, driver->allocator, &task->error) ||
		!lrd_file_read(path, &task->file, &task->error))
	{
		return false;
	}
	task->stamp.hash = lrd_xxh3_128(task->file.data, task->file.size);
	return task->file.size == task->stamp.size ||
		   lrd_fail(&task->error, LRD_ERROR_CHANGED, "it changed while it was read; cook it again");
}

/// Stamp what the importer read, right after it did: a file that is no longer what was read can't be told from a
/// changed one later.
static bool stamp_dependencies(source_task *task)
{
	uint32_t count = task->document->dependency_count;
	task->dependencies = LRD_ARENA_ARRAY(task->arena, lrd_dependency_row, count + 1u);
	if (task->dependencies == NULL)
	{
		return lrd_fail_memory(&task->error, "dependencies", count * sizeof *task->dependencies);
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		const lrd_document_dependency *dependency = &task->document->dependencies[i];
		lrd_dependency_row *row = &task->dependencies[task->dependency_count++];
		*row = (lrd_dependency_row){ .path = dependency->path, .absent = dependency->absent };
		if (dependency->absent)
		{
			continue;
		}
		const char *path = lrd_native_path(task->arena, task->source->root, dependency->path);
		if (path == NULL)
		{
			return lrd_fail_memory(&task->error, "path", dependency->path.size);
		}
		if (!lrd_stamp_take(path, &row->stamp, true, task->driver->allocator, &task->error))
		{
			return false;
		}
		if (row->stamp.hash.low != dependency->hash[0] || row->stamp.hash.high != dependency->hash[1])
		{
			return lrd_fail(&task->error, LRD_ERROR_CHANGED, "%.*s changed while it was read; cook it again",
				LRD_STR_ARG(dependency->path));
		}
	}
	return true;
}

/// The face's file, as a dependency of the source; the source itself may be one of the faces.
static bool read_face(source_task *task, uint32_t face)
{
	lrd_driver *driver = task->driver;
	lrd_string name = task->source->settings.faces[face];
	lrd_buffer *file = &task->faces[face];
	const char *path;
	file->allocator = driver->allocator;
	if (!lrd_path_inside(task->arena, task->source->root, name, &path, &task->error) ||
		!lrd_file_read(path, file, &task->error))
	{
		return false;
	}
	if (lrd_string_equal(name, task->source->path))
	{
		return true;
	}
	lrd_dependency_row *row = &task->dependencies[task->dependency_count++];
	*row = (lrd_dependency_row){ .path = name };
	if (!lrd_stamp_take(path, &row->stamp, false, driver->allocator, &task->error))
	{
		return false;
	}
	row->stamp.hash = lrd_xxh3_128(file->data, file->size);
	return row->stamp.size == file->size || lrd_fail(&task->error, LRD_ERROR_CHANGED,
												"%.*s changed while it was read; cook it again", LRD_STR_ARG(name));
}

static bool plan_image(source_task *task, const lrd_recipe_desc *desc)
{
	lrd_bytes files[LRD_FACE_COUNT] = { { task->file.data, task->file.size } };
	if (task->source->settings.faces[0].size == 0)
	{
		task->recipe = lrd_recipe_image(desc, files, 1, &task->error);
		return task->recipe != NULL;
	}
	task->dependencies = LRD_ARENA_ARRAY(task->arena, lrd_dependency_row, LRD_FACE_COUNT);
	if (task->dependencies == NULL)
	{
		return lrd_fail_memory(&task->error, "dependencies", LRD_FACE_COUNT * sizeof *task->dependencies);
	}
	for (uint32_t i = 0; i < LRD_FACE_COUNT; ++i)
	{
		if (!read_face(task, i))
		{
			return false;
		}
		files[i] = (lrd_bytes){ task->faces[i].data, task->faces[i].size };
	}
	task->recipe = lrd_recipe_image(desc, files, LRD_FACE_COUNT, &task->error);
	return task->recipe != NULL;
}

static bool plan_model(source_task *task, const lrd_recipe_desc *desc)
{
	const lrd_source *source = task->source;
	char path[LRD_PATH_MAX + 1];
	snprintf(path, sizeof path, "%.*s", LRD_STR_ARG(source->path));
	lrd_import_desc import = {
		.root = source->root,
		.path = path,
		.memory = { task->file.data, task->file.size },
		.allocator = task->driver->allocator,
	};
	task->document = lrd_import_file(&import, &task->error);
	if (task->document == NULL)
	{
		return false;
	}
	lrd_buffer_free(&task->file);
	if (!stamp_dependencies(task))
	{
		return false;
	}
	task->recipe = lrd_recipe_model(desc, task->document, &task->error);
	return task->recipe != NULL;
}

static bool plan_source(source_task *task)
{
	const lrd_source *source = task->source;
	lrd_allocator allocator = task->driver->allocator;
	lrd_recipe_desc desc = {
		.root = source->root,
		.source = source->path,
		.stem = source->stem,
		.settings = &source->settings,
		.target = task->driver->desc->target,
		.jobs = task->driver->desc->jobs,
		.allocator = allocator,
	};
	if (!(source->is_model ? plan_model(task, &desc) : plan_image(task, &desc)))
	{
		return false;
	}
	task->outputs = lrd_recipe_outputs(task->recipe, &task->output_count);
	task->tasks = lrd_alloc_zeroed(allocator, task->output_count, sizeof *task->tasks);
	if (task->tasks == NULL)
	{
		task->output_count = 0;
		return lrd_fail_memory(&task->error, "outputs", 0);
	}
	return true;
}

static void run_source(lrd_job *job)
{
	source_task *task = (source_task *)(void *)job;
	uint64_t started = lrd_clock_ns();
	bool good = read_source(task) && plan_source(task);
	count_work(task, started);
	if (good)
	{
		start_stage(task);
	}
	else
	{
		hand_back(task);
	}
}

/// The first output that failed, in the recipe's order, says why the source did.
static bool collect_failure(source_task *task)
{
	for (uint32_t i = 0; i < task->output_count; ++i)
	{
		if (task->tasks[i].failed)
		{
			if (task->tasks[i].error != NULL)
			{
				task->error = *task->tasks[i].error;
				return false;
			}
			return lrd_fail_memory(&task->error, "output", 0);
		}
	}
	return task->error.code == LRD_OK;
}

static int compare_files(const void *a, const void *b)
{
	return lrd_string_compare_folded(((const lrd_manifest_asset *)a)->file, ((const lrd_manifest_asset *)b)->file);
}

static bool list_outputs(source_task *task, lrd_source_row *row)
{
	lrd_manifest_asset *assets = LRD_ARENA_ARRAY(task->arena, lrd_manifest_asset, task->output_count + 1u);
	if (assets == NULL)
	{
		return lrd_fail_memory(&task->error, "outputs", task->output_count * sizeof *assets);
	}
	for (uint32_t i = 0; i < task->output_count; ++i)
	{
		const output_task *output = &task->tasks[i];
		if (!output->dropped)
		{
			assets[row->output_count++] = (lrd_manifest_asset){
				.file = task->outputs[i].path,
				.kind = task->outputs[i].kind,
				.size = output->size,
				.hash = output->hash,
				.references = output->references,
				.reference_count = output->reference_count,
			};
		}
	}
	qsort(assets, row->output_count, sizeof *assets, compare_files);
	row->outputs = assets;
	return true;
}

static bool list_warnings(source_task *task, lrd_source_row *row)
{
	const lrd_document_warning *noted;
	uint32_t noted_count;
	uint32_t imported_count = task->document == NULL ? 0 : task->document->warning_count;
	if (!lrd_recipe_warnings(task->recipe, &noted, &noted_count, &task->error))
	{
		return false;
	}
	lrd_document_warning *all =
		LRD_ARENA_ARRAY(task->arena, lrd_document_warning, (size_t)imported_count + noted_count + 1);
	if (all == NULL)
	{
		return lrd_fail_memory(&task->error, "warnings", 0);
	}
	if (imported_count != 0)
	{
		memcpy(all, task->document->warnings, imported_count * sizeof *all);
	}
	if (noted_count != 0)
	{
		memcpy(all + imported_count, noted, noted_count * sizeof *all);
	}
	row->warnings = all;
	row->warning_count = imported_count + noted_count;
	return true;
}

/// No output may belong to another source.
static bool check_owners(source_task *task, const lrd_source_row *row)
{
	for (uint32_t i = 0; i < row->output_count; ++i)
	{
		lrd_string owner;
		if (!lrd_database_owner(task->driver->database, task->arena, row->outputs[i].file, &owner, &task->error))
		{
			return false;
		}
		if (owner.size != 0 && !lrd_string_equal(owner, row->id))
		{
			return lrd_fail(&task->error, LRD_ERROR_CONFLICT, "%.*s is already made for %.*s",
				LRD_STR_ARG(row->outputs[i].file), LRD_STR_ARG(owner));
		}
	}
	return true;
}

/// The folder an output goes into, made; NULL on failure.
static const char *make_folder(source_task *task, lrd_string file)
{
	const char *folder = lrd_native_path(task->arena, task->driver->desc->output, lrd_path_folder(file));
	if (folder == NULL)
	{
		lrd_fail_memory(&task->error, "path", file.size);
		return NULL;
	}
	return lrd_folder_make(folder, &task->error) ? folder : NULL;
}

/// Everything that was staged, on disk.
static bool flush_outputs(source_task *task)
{
	const char **staged = LRD_ARENA_ARRAY(task->arena, const char *, task->output_count + 1u);
	size_t count = 0;
	for (uint32_t i = 0; staged != NULL && i < task->output_count; ++i)
	{
		if (!task->tasks[i].dropped)
		{
			staged[count] = staged_path(task, task->arena, i, &task->error);
			if (staged[count++] == NULL)
			{
				return false;
			}
		}
	}
	return staged != NULL ? lrd_files_flush(task->driver->staging, staged, count, &task->error)
						  : lrd_fail_memory(&task->error, "paths", task->output_count * sizeof *staged);
}

/// Outputs of one folder stand together in a recipe, so a folder is made and flushed once.
static bool place_outputs(source_task *task)
{
	const char *folder = NULL;
	lrd_string last = { NULL, 0 };
	if (!flush_outputs(task))
	{
		return false;
	}
	for (uint32_t i = 0; i < task->output_count; ++i)
	{
		lrd_string file = task->outputs[i].path;
		if (task->tasks[i].dropped)
		{
			continue;
		}
		const char *staged = staged_path(task, task->arena, i, &task->error);
		const char *place = lrd_native_path(task->arena, task->driver->desc->output, file);
		if (staged == NULL || place == NULL)
		{
			return lrd_fail_memory(&task->error, "path", file.size);
		}
		if (folder == NULL || !lrd_string_equal(lrd_path_folder(file), lrd_path_folder(last)))
		{
			if (folder != NULL)
			{
				lrd_folder_flush(folder);
			}
			folder = make_folder(task, file);
			if (folder == NULL)
			{
				return false;
			}
		}
		if (!lrd_file_rename(staged, place, &task->error))
		{
			return false;
		}
		last = file;
	}
	if (folder != NULL)
	{
		lrd_folder_flush(folder);
	}
	return true;
}

/// Delete what the last cook yielded and this one does not. What differs only in case from a new output goes before the
/// new ones are placed: where the file system ignores case, it would be the new one afterwards.
static bool prune_outputs(source_task *task, const lrd_source_row *row, bool placed)
{
	lrd_manifest old;
	if (!lrd_database_outputs(task->driver->database, task->arena, row->id, &old, &task->error))
	{
		return false;
	}
	for (uint32_t i = 0; i < old.asset_count; ++i)
	{
		const lrd_manifest_asset *now =
			bsearch(&old.assets[i], row->outputs, row->output_count, sizeof *now, compare_files);
		bool goes = now == NULL ? placed : !placed && !lrd_string_equal(now->file, old.assets[i].file);
		if (goes && !lrd_driver_delete_output(task->driver, task->arena, old.assets[i].file, &task->error))
		{
			return false;
		}
	}
	return true;
}

/// A cook to memory: all of them are there, or none.
static bool keep_outputs(source_task *task, const lrd_source_row *row)
{
	lrd_driver *driver = task->driver;
	uint32_t before = lrd_cooked_count(driver->cooked);
	bool good = true;
	for (uint32_t i = 0; good && i < task->output_count; ++i)
	{
		good = task->tasks[i].dropped ||
			   lrd_cooked_add(driver->cooked, task->outputs[i].path, &task->tasks[i].kept, &task->error);
	}
	good = good && lrd_database_store(driver->database, row, &task->error);
	if (!good)
	{
		lrd_cooked_truncate(driver->cooked, before);
	}
	return good;
}

static bool commit(source_task *task, lrd_source_row *row)
{
	lrd_driver *driver = task->driver;
	if (driver->cooked != NULL)
	{
		return collect_failure(task) && list_outputs(task, row) && list_warnings(task, row) &&
			   check_owners(task, row) && keep_outputs(task, row);
	}
	return collect_failure(task) && list_outputs(task, row) && list_warnings(task, row) && check_owners(task, row) &&
		   lrd_database_mark_unsure(driver->database, row, &task->error) && prune_outputs(task, row, false) &&
		   place_outputs(task) && prune_outputs(task, row, true) &&
		   lrd_database_store(driver->database, row, &task->error);
}

static void remove_staged(source_task *task)
{
	for (uint32_t i = 0; task->driver->staging != NULL && i < task->output_count; ++i)
	{
		char path[LRD_PATH_MAX * 4];
		int size = snprintf(path, sizeof path, "%s/%u.%u", task->driver->staging, task->number, i);
		if (size > 0 && (size_t)size < sizeof path)
		{
			lrd_file_remove(path, NULL);
		}
	}
}

static void destroy_task(source_task *task)
{
	lrd_allocator allocator = task->driver->allocator;
	for (uint32_t i = 0; i < task->output_count; ++i)
	{
		lrd_arena_destroy(task->tasks[i].arena);
		lrd_buffer_free(&task->tasks[i].kept);
		lrd_free(allocator, task->tasks[i].error, sizeof *task->tasks[i].error);
	}
	lrd_free(allocator, task->tasks, task->output_count * sizeof *task->tasks);
	lrd_recipe_destroy(task->recipe);
	lrd_document_free(task->document);
	lrd_buffer_free(&task->file);
	for (uint32_t i = 0; i < LRD_FACE_COUNT; ++i)
	{
		lrd_buffer_free(&task->faces[i]);
	}
	lrd_arena_destroy(task->arena);
	lrd_free(allocator, task, sizeof *task);
}

/// The reports name the source themselves, so an error that begins with its path is told without.
static const char *reason(const source_task *task)
{
	lrd_string path = task->source->path;
	const char *message = task->error.message;
	bool repeats = strncmp(message, path.data, path.size) == 0 && strncmp(message + path.size, ": ", 2) == 0;
	return repeats ? message + path.size + 2 : message;
}

/// What became of the textures, meshes, skeletons and clips among the outputs.
static bool list_reports(source_task *task, lrd_source_report *report)
{
	lrd_texture_row *textures = LRD_ARENA_ARRAY(task->arena, lrd_texture_row, task->output_count + 1u);
	lrd_mesh_row *meshes = LRD_ARENA_ARRAY(task->arena, lrd_mesh_row, task->output_count + 1u);
	lrd_skeleton_row *skeletons = LRD_ARENA_ARRAY(task->arena, lrd_skeleton_row, task->output_count + 1u);
	lrd_clip_row *clips = LRD_ARENA_ARRAY(task->arena, lrd_clip_row, task->output_count + 1u);
	if (textures == NULL || meshes == NULL || skeletons == NULL || clips == NULL)
	{
		return lrd_fail_memory(&task->error, "reports", task->output_count * sizeof *meshes);
	}
	for (uint32_t i = 0; i < task->output_count; ++i)
	{
		if (task->tasks[i].dropped)
		{
			continue;
		}
		const lrd_texture_report *texture = lrd_recipe_texture(task->recipe, i);
		const lrd_mesh_report *mesh = lrd_recipe_mesh(task->recipe, i);
		const lrd_skeleton_report *skeleton = lrd_recipe_skeleton(task->recipe, i);
		const lrd_clip_report *clip = lrd_recipe_clip(task->recipe, i);
		if (texture != NULL)
		{
			textures[report->texture_count++] = (lrd_texture_row){ task->outputs[i].path, *texture };
		}
		if (mesh != NULL)
		{
			meshes[report->mesh_count++] = (lrd_mesh_row){ task->outputs[i].path, *mesh };
		}
		if (skeleton != NULL)
		{
			skeletons[report->skeleton_count++] = (lrd_skeleton_row){ task->outputs[i].path, *skeleton };
		}
		if (clip != NULL)
		{
			clips[report->clip_count++] = (lrd_clip_row){ task->outputs[i].path, *clip };
		}
	}
	report->skeletons = skeletons;
	report->clips = clips;
	report->textures = textures;
	report->meshes = meshes;
	return true;
}

static void finish_source(source_task *task)
{
	lrd_driver *driver = task->driver;
	lrd_source *source = task->source;
	uint64_t started = lrd_clock_ns();
	lrd_source_row row = {
		.id = source->id,
		.path = source->path,
		.key = source->key,
		.stamp = task->stamp,
		.dependencies = task->dependencies,
		.dependency_count = task->dependency_count,
	};
	lrd_source_report report = { .path = source->path };
	bool good = commit(task, &row) && list_reports(task, &report);
	report.state = good ? LRD_SOURCE_COOKED : LRD_SOURCE_FAILED;
	report.message = good ? NULL : reason(task);
	report.warnings = row.warnings;
	report.warning_count = row.warning_count;
	report.output_count = good ? row.output_count : 0;
	report.bytes_in = lrd_source_bytes(&row);
	count_work(task, started);
	report.seconds = (double)atomic_load(&task->worked_ns) * 1e-9;
	for (uint32_t i = 0; i < report.output_count; ++i)
	{
		report.bytes_out += row.outputs[i].size;
	}
	if (!good)
	{
		remove_staged(task);
	}
	lrd_driver_report(driver, source, &report);
	destroy_task(task);
}

uint32_t lrd_source_finish_all(lrd_source_task *ended)
{
	uint32_t count = 0;
	while (ended != NULL)
	{
		source_task *task = ended;
		ended = task->next;
		finish_source(task);
		count++;
	}
	return count;
}

bool lrd_source_start(lrd_driver *driver, uint32_t source_index)
{
	source_task *task = lrd_alloc_zeroed(driver->allocator, 1, sizeof *task);
	lrd_arena *arena = lrd_arena_create(driver->allocator, 0);
	if (task == NULL || arena == NULL)
	{
		lrd_arena_destroy(arena);
		lrd_free(driver->allocator, task, sizeof *task);
		return false;
	}
	task->job = (lrd_job){ .run = run_source };
	task->driver = driver;
	task->source = &driver->sources.items[source_index];
	task->number = source_index;
	task->arena = arena;
	submit(task, &task->job);
	return true;
}
