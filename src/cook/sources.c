// Finding sources: a walk over each root, the settings of each file, the stems that follow, and conflicts between them.

#include "cook/driver.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/path.h"
#include "cook/crafts.h"

static const char *const image_extensions[] = { ".png", ".jpg", ".jpeg", ".webp", ".tga", ".bmp", ".psd", ".hdr",
	".exr", ".dds", ".ktx2" };

static bool is_image(lrd_string path)
{
	for (size_t i = 0; i < sizeof image_extensions / sizeof *image_extensions; ++i)
	{
		if (lrd_string_equal_folded(lrd_path_extension(path), lrd_string_from(image_extensions[i])))
		{
			return true;
		}
	}
	return false;
}

typedef struct finder
{
	lrd_driver *driver;
	bool named; ///< the file at hand is an operand: passing it over is a failure
	const char *root;
	lrd_settings_rules *rules;
	lrd_error *error;
} finder;

static bool skip(finder *self, lrd_string path, const char *message)
{
	lrd_source_state state = self->named ? LRD_SOURCE_FAILED : LRD_SOURCE_SKIPPED;
	lrd_source_report report = { .path = path, .state = state, .message = message };
	lrd_driver_report(self->driver, NULL, &report);
	return true;
}

/// What is in the folder can't be known, so nothing counts as gone.
static bool fail_folder(finder *self, lrd_string path, const char *problem)
{
	lrd_source_report report = { .path = path, .state = LRD_SOURCE_FAILED, .message = problem };
	lrd_driver_report(self->driver, NULL, &report);
	self->driver->sources.whole_roots = false;
	return true;
}

/// The text of an error, kept as long as the driver.
static const char *keep_problem(lrd_driver *driver, const lrd_error *reason)
{
	return lrd_arena_string(driver->arena, lrd_string_from(reason->message)).data;
}

/// The stem of what a source yields: its path without extension, or what its sidecar says, in the same folder.
static bool set_stem(lrd_driver *driver, lrd_source *source, lrd_error *error)
{
	lrd_arena *arena = driver->arena;
	source->stem = lrd_path_stem(source->path);
	if (source->settings.stem.size != 0 &&
		!lrd_path_resolve(arena, source->path, source->settings.stem, &source->stem, error))
	{
		return false;
	}
	source->id = lrd_arena_printf(
		arena, "%.*s%s", LRD_STR_ARG(source->stem), lrd_kind_extension(source->is_model ? LRD_MODEL : LRD_TEXTURE));
	return source->id.data != NULL || lrd_fail_memory(error, "source", source->stem.size);
}

static bool set_key(lrd_driver *driver, lrd_source *source, lrd_error *error)
{
	lrd_buffer text = { .allocator = driver->allocator };
	bool good = lrd_crafts_describe(source->is_model, &text) &&
				lrd_settings_describe(&source->settings, source->is_model, &text) &&
				lrd_buffer_printf(&text, "target %s\n", lrd_target_name(driver->desc->target));
	if (good)
	{
		source->key = lrd_arena_string(driver->arena, (lrd_string){ (const char *)text.data, text.size });
		good = source->key.data != NULL;
	}
	lrd_buffer_free(&text);
	return good || lrd_fail_memory(error, "source key", 0);
}

/// A source with bad settings is kept, as one that fails. False only when memory runs out.
static bool add_source(finder *self, lrd_string path, bool is_model)
{
	lrd_driver *driver = self->driver;
	lrd_source_list *list = &driver->sources;
	lrd_source source = { .root = self->root, .is_model = is_model };
	lrd_error reason = { 0 };
	source.path = lrd_arena_string(driver->arena, path);
	if (source.path.data == NULL || !LRD_RESERVE(driver->allocator, list->items, list->count, 1, list->capacity))
	{
		return lrd_fail_memory(self->error, "source", sizeof source);
	}
	if (!lrd_path_check(source.path, &reason) ||
		!lrd_settings_load(driver->arena, self->rules, self->root, source.path, &source.settings, &reason) ||
		!set_stem(driver, &source, &reason) || !set_key(driver, &source, &reason))
	{
		source.problem = keep_problem(driver, &reason);
		if (reason.code == LRD_ERROR_MEMORY || source.problem == NULL)
		{
			return lrd_fail_memory(self->error, "source", sizeof source);
		}
	}
	if (source.settings.cook == LRD_CHOICE_OFF)
	{
		source.id = (lrd_string){ NULL, 0 }; // yields nothing: what it once did is pruned
	}
	list->items[list->count++] = source;
	return true;
}

static bool visit(void *user, lrd_string path, const lrd_file_info *info)
{
	finder *self = user;
	if (info->problem != NULL)
	{
		return fail_folder(self, path, info->problem);
	}
	if (info->is_link)
	{
		return skip(self, path, "a symbolic link that leads out of the source root");
	}
	if (lrd_settings_is_sidecar(path) || lrd_string_equal_folded(path, LRD_STR("larder.json")))
	{
		return !self->named || skip(self, path, "settings, not a source");
	}
	if (lrd_import_knows(path))
	{
		return add_source(self, path, true);
	}
	if (is_image(path))
	{
		return add_source(self, path, false);
	}
	return skip(self, path,
		self->named ? "no known type of source; larder cooks glTF (.gltf, .glb) and images"
					: "no known type of source");
}

static bool find_in_folder(finder *self, const char *folder)
{
	return lrd_folder_walk(folder, self->driver->allocator, visit, self, self->error);
}

/// The root of a source that was named as a file: what the caller says, or its folder. `path` becomes relative to it.
static bool set_file_root(finder *self, lrd_string *path)
{
	const char *root = self->driver->desc->root;
	lrd_string folder = lrd_path_folder(*path);
	size_t size = root == NULL ? 0 : strlen(root);
	if (root != NULL)
	{
		size -= size > 1 && root[size - 1] == '/';
		if (path->size <= size + 1 || memcmp(path->data, root, size) != 0 || path->data[size] != '/')
		{
			return lrd_fail(self->error, LRD_ERROR_ARGUMENT, "%.*s does not lie under the source root %s",
				LRD_STR_ARG(*path), root);
		}
		self->root = root;
		*path = (lrd_string){ path->data + size + 1, path->size - size - 1 };
		return true;
	}
	self->root = path->data[0] == '/' ? "/" : ".";
	if (folder.size != 0)
	{
		self->root = lrd_arena_string(self->driver->arena, folder).data;
	}
	*path = lrd_path_file(*path);
	return self->root != NULL || lrd_fail_memory(self->error, "source root", folder.size);
}

/// Cooked files among the sources are in the way of both.
static bool check_output_apart(const finder *self, const lrd_file_info *root)
{
	lrd_file_info output;
	bool same = self->driver->desc->output != NULL && lrd_file_stat(self->driver->desc->output, &output, NULL) &&
				output.inode == root->inode && output.mtime_ns == root->mtime_ns;
	return !same || lrd_fail(self->error, LRD_ERROR_ARGUMENT,
						"%s is source and output at once; cook into a folder of its own", self->driver->desc->output);
}

/// One source root may say how the run time keeps what is cooked.
static bool take_residency(finder *self)
{
	lrd_driver *driver = self->driver;
	lrd_string text;
	if (!lrd_settings_rules_residency(driver->arena, self->rules, &text, self->error))
	{
		return false;
	}
	if (text.size == 0)
	{
		return true;
	}
	if (driver->residency.size != 0 && !lrd_string_equal(driver->residency, text))
	{
		return lrd_fail(self->error, LRD_ERROR_CONFLICT,
			"%s/larder.json: its \"residency\" is not that of %s/larder.json; only one source root may say it",
			self->root, driver->residency_root);
	}
	driver->residency = text;
	driver->residency_root = self->root;
	return true;
}

static bool find_operand(finder *self, const char *operand, const lrd_file_info *info)
{
	lrd_string path = lrd_string_from(operand);
	self->root = operand;
	self->named = !info->is_folder;
	if (info->is_folder ? !check_output_apart(self, info) : !set_file_root(self, &path))
	{
		return false;
	}
	bool good = lrd_settings_rules_load(self->driver->arena, self->root, &self->rules, self->error) &&
				take_residency(self) && (info->is_folder ? find_in_folder(self, operand) : visit(self, path, info));
	lrd_settings_rules_free(self->rules);
	self->rules = NULL;
	return good;
}

/// Sources whose outputs would share a path: all of them fail, naming each other.
typedef struct stem_slot
{
	uint64_t hash;
	uint32_t source; ///< 1-based; 0: free
} stem_slot;

static bool set_conflict(lrd_driver *driver, lrd_source *a, lrd_source *b, lrd_error *error)
{
	lrd_source *pair[2] = { a, b };
	bool same = lrd_string_equal(a->path, b->path); // under two roots, or named twice: only the roots tell
	for (uint32_t i = 0; i < 2; ++i)
	{
		const lrd_source *other = pair[1 - i];
		if (pair[i]->problem == NULL)
		{
			pair[i]->problem = lrd_arena_printf(driver->arena,
				"%s%s%.*s and %s%s%.*s both yield %.*s; give one of them a \"stem\" in its sidecar",
				same ? pair[i]->root : "", same ? "/" : "", LRD_STR_ARG(pair[i]->path), same ? other->root : "",
				same ? "/" : "", LRD_STR_ARG(other->path), LRD_STR_ARG(pair[i]->id))
								   .data;
		}
		if (pair[i]->problem == NULL)
		{
			return lrd_fail_memory(error, "conflict", 0);
		}
	}
	return true;
}

bool lrd_sources_find_conflicts(lrd_driver *driver, bool models, lrd_error *error)
{
	size_t capacity = 16;
	while (capacity < driver->sources.count * 2)
	{
		capacity *= 2;
	}
	stem_slot *slots = lrd_alloc_zeroed(driver->allocator, capacity, sizeof *slots);
	if (slots == NULL)
	{
		return lrd_fail_memory(error, "stems", capacity * sizeof *slots);
	}
	bool good = true;
	for (uint32_t i = 0; good && i < driver->sources.count; ++i)
	{
		lrd_source *source = &driver->sources.items[i];
		if (source->is_model != models || source->done || source->id.size == 0)
		{
			continue;
		}
		uint64_t hash = lrd_fnv1a_64_folded(source->id);
		size_t at = (size_t)hash & (capacity - 1);
		while (slots[at].source != 0)
		{
			lrd_source *other = &driver->sources.items[slots[at].source - 1];
			if (slots[at].hash == hash && lrd_string_equal_folded(other->id, source->id))
			{
				good = set_conflict(driver, other, source, error);
				break;
			}
			at = (at + 1) & (capacity - 1);
		}
		if (slots[at].source == 0)
		{
			slots[at] = (stem_slot){ hash, i + 1 };
		}
	}
	lrd_free(driver->allocator, slots, capacity * sizeof *slots);
	return good;
}

bool lrd_sources_find(lrd_driver *driver, lrd_error *error)
{
	finder self = { .driver = driver, .error = error };
	driver->sources.whole_roots = true;
	for (uint32_t i = 0; i < driver->desc->source_count; ++i)
	{
		const char *path = driver->desc->sources[i];
		lrd_file_info info;
		if (!lrd_file_stat(path, &info, error))
		{
			return false;
		}
		if (!find_operand(&self, path, &info))
		{
			return false;
		}
		driver->sources.whole_roots = driver->sources.whole_roots && info.is_folder;
	}
	return true;
}
