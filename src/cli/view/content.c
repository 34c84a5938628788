// What there is to look at: a source is cooked to memory and mounted, a cooked tree or a bundle is mounted as it is. Then one
// model is chosen, or, where there is none, one texture.

#include "cli/view/view.h"
#include "larder/document.h"
#include "larder/pack.h"
#include "larder/picture.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define MANIFEST "larder.manifest.json"
#define PATH_SIZE_MAX 4096u

/// Names of what is mounted, looked through for what to show.
typedef struct chooser
{
	const char *wanted; ///< stem; NULL: any
	char *model;        ///< the first that fits
	char *texture;
	char *mesh;
	char *other; ///< of another kind
	lrd_kind other_kind;
	uint32_t models;
	bool has_parent; ///< the model that the wanted mesh was cooked with
	const char *sky; ///< stem, or a path that is none; NULL: none is wanted
	bool has_sky;
	view_names names;
} chooser;

static void free_chooser(chooser *self)
{
	free(self->model);
	free(self->texture);
	free(self->mesh);
	free(self->other);
}

static char *copy_text(const char *text, size_t size)
{
	char *copy = malloc(size + 1);
	if (copy != NULL)
	{
		memcpy(copy, text, size);
		copy[size] = 0;
	}
	return copy;
}

static bool is_same(lrd_string stem, const char *wanted)
{
	size_t size = strlen(wanted);
	for (size_t i = 0; i < size && size == stem.size; ++i)
	{
		char a = stem.data[i], b = wanted[i];
		a = (char)(a >= 'A' && a <= 'Z' ? a + 32 : a);
		b = (char)(b >= 'A' && b <= 'Z' ? b + 32 : b);
		if (a != b)
		{
			return false;
		}
	}
	return size == stem.size;
}

/// "fox" of "fox/part.Body".
static bool is_parent(lrd_string stem, const char *wanted)
{
	const char *slash = strrchr(wanted, '/');
	return slash != NULL && stem.size == (size_t)(slash - wanted) && memcmp(stem.data, wanted, stem.size) == 0;
}

static void consider(chooser *self, lrd_string key)
{
	lrd_kind kind = lrd_kind_from_path(key);
	lrd_string stem = { key.data, key.size - strlen(lrd_kind_extension(kind)) };
	char **place = kind == LRD_MODEL     ? &self->model
				   : kind == LRD_TEXTURE ? &self->texture
				   : kind == LRD_MESH    ? &self->mesh
										 : &self->other;
	if (kind == LRD_MODEL || kind == LRD_TEXTURE)
	{
		view_names_add(&self->names, stem);
	}
	self->models += kind == LRD_MODEL;
	self->has_sky = self->has_sky || (kind == LRD_TEXTURE && self->sky != NULL && is_same(stem, self->sky));
	self->has_parent = self->has_parent || (kind == LRD_MODEL && self->wanted != NULL && is_parent(stem, self->wanted));
	if (*place == NULL && (self->wanted == NULL || is_same(stem, self->wanted)))
	{
		*place = copy_text(stem.data, stem.size);
		self->other_kind = place == &self->other ? kind : self->other_kind;
	}
}

static bool consider_pack(chooser *self, const char *path)
{
	lrd_error error;
	lrd_pack *pack = lrd_pack_open(&(lrd_pack_desc){ .path = path }, &error);
	if (pack == NULL)
	{
		cli_error("view: %s", error.message);
		return false;
	}
	for (uint32_t i = 0; i < lrd_pack_count(pack); ++i)
	{
		lrd_pack_entry entry;
		if (lrd_pack_at(pack, i, &entry))
		{
			consider(self, entry.key);
		}
	}
	lrd_pack_close(pack);
	return true;
}

static bool consider_tree(chooser *self, const char *root)
{
	char path[PATH_SIZE_MAX + sizeof MANIFEST + 1];
	lrd_error error = { 0 };
	snprintf(path, sizeof path, "%s/%s", root, MANIFEST);
	lrd_bytes bytes = cli_read_whole(path, &error);
	cJSON *json = bytes.data != NULL ? cJSON_ParseWithLength(bytes.data, bytes.size) : NULL;
	const cJSON *files = cJSON_GetObjectItemCaseSensitive(json, "assets");
	const cJSON *file = NULL;
	cJSON_ArrayForEach(file, files)
	{
		const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(file, "file"));
		if (name != NULL)
		{
			consider(self, lrd_string_from(name));
		}
	}
	if (files == NULL)
	{
		cli_error("view: %s: %s", path, bytes.data == NULL ? error.message : "not a manifest");
	}
	free((void *)(uintptr_t)bytes.data);
	bool good = files != NULL;
	cJSON_Delete(json);
	return good;
}

static void consider_cooked(chooser *self, const lrd_cooked *cooked)
{
	uint32_t count = 0;
	const lrd_memory_file *files = lrd_cooked_files(cooked, &count);
	for (uint32_t i = 0; i < count; ++i)
	{
		consider(self, files[i].key);
	}
}

static void say_nothing_to_show(const chooser *found, const view_options *options)
{
	if (found->wanted == NULL)
	{
		cli_error("view: %s: there is no model, no texture and no mesh in it", options->path);
	}
	else if (found->other != NULL)
	{
		cli_error("view: %s: a %s can't be seen by itself; name a model, a texture or a mesh", options->path,
			lrd_kind_name(found->other_kind));
	}
	else
	{
		view_names_say(&found->names, options->path, "model, texture or mesh", found->wanted);
	}
}

static bool choose(view_content *self, chooser *found, const view_options *options)
{
	char **place = found->model != NULL ? &found->model : found->texture != NULL ? &found->texture : &found->mesh;
	if (*place == NULL)
	{
		say_nothing_to_show(found, options);
		return false;
	}
	self->kind = place == &found->texture ? VIEW_CONTENT_TEXTURE : VIEW_CONTENT_MODEL;
	self->is_mesh = place == &found->mesh;
	self->has_parent = found->has_parent;
	self->has_sky = found->has_sky;
	free(self->stem); // of the file that was named, which may be what is wanted
	self->stem = *place;
	*place = NULL;
	if (found->models > 1 && options->model == NULL && !options->quiet && self->kind == VIEW_CONTENT_MODEL &&
		!self->is_mesh && found->wanted == NULL)
	{
		fprintf(stderr, "%s: %u models; this is %s, --model shows another\n", options->path, found->models, self->stem);
	}
	return true;
}

typedef enum place
{
	PLACE_NONE,
	PLACE_FILE,
	PLACE_FOLDER,
} place;

static place what_is(const char *path)
{
	FILE *file = fopen(path, "rb");
	if (file == NULL)
	{
		return PLACE_NONE;
	}
	// A folder can be opened, and says that it is as long as can be.
	bool is_folder = fseek(file, 0, SEEK_END) != 0 || ftell(file) == LONG_MAX;
	fclose(file);
	return is_folder ? PLACE_FOLDER : PLACE_FILE;
}

static bool is_tree(const char *folder)
{
	char path[PATH_SIZE_MAX + sizeof MANIFEST + 1];
	int size = snprintf(path, sizeof path, "%s/%s", folder, MANIFEST);
	return size > 0 && (size_t)size < sizeof path && what_is(path) == PLACE_FILE;
}

/// The tree that a cooked file is in, and its stem there. False: it is in none.
static bool find_tree(view_content *self, const char *path)
{
	char *whole = realpath(path, NULL);
	if (whole == NULL)
	{
		return false;
	}
	size_t size = strlen(whole);
	for (size_t i = size; i-- > 0;)
	{
		if (whole[i] == '/')
		{
			whole[i] = 0;
			if (is_tree(i == 0 ? "/" : whole))
			{
				lrd_string key = { whole + i + 1, size - i - 1 };
				size_t extension = strlen(lrd_kind_extension(lrd_kind_from_path(key)));
				self->stem = copy_text(key.data, key.size - extension);
				self->root = copy_text(i == 0 ? "/" : whole, i == 0 ? 1 : i);
				break;
			}
			whole[i] = '/';
		}
	}
	free(whole);
	return self->root != NULL && self->stem != NULL;
}

static void log_errors(void *user, lrd_log_level level, const char *scope, const char *message)
{
	(void)user;
	if (level >= LRD_LOG_ERROR)
	{
		fprintf(stderr, "larder: error: %s: %s\n", scope, message);
	}
}

static lrd_cooked *cook(const view_content *self, const view_options *options, lrd_error *error)
{
	lrd_jobs jobs;
	if (options->pool != NULL)
	{
		jobs = lrd_job_pool_jobs(options->pool);
	}
	return lrd_cook_to_memory(
		&(lrd_cook_desc){
			.sources = (const char *const *)&self->path,
			.source_count = 1,
			.jobs = options->pool != NULL ? &jobs : NULL,
			.log = { .write = options->quiet ? log_errors : NULL },
		},
		error);
}

/// The cook has said why a source failed, but only to stderr.
static void note_failure(const lrd_cooked *cooked)
{
	uint32_t count = 0;
	const lrd_cooked_source *sources = lrd_cooked_sources(cooked, &count);
	for (uint32_t i = 0; i < count; ++i)
	{
		if (sources[i].state == LRD_SOURCE_FAILED && sources[i].message != NULL)
		{
			cli_error_note("%.*s: %s", LRD_STR_ARG(sources[i].path), sources[i].message);
		}
	}
}

static bool open_source(view_content *self, chooser *found, const view_options *options)
{
	lrd_error error = { 0 };
	const char *slash = strrchr(self->path, '/');
	if (what_is(self->path) == PLACE_FOLDER)
	{
		self->root = copy_text(self->path, strlen(self->path));
	}
	else
	{
		self->root = slash == NULL ? copy_text(".", 1)
								   : copy_text(self->path, slash == self->path ? 1 : (size_t)(slash - self->path));
	}
	self->cooked = self->root != NULL ? cook(self, options, &error) : NULL;
	if (self->cooked == NULL)
	{
		cli_error("view: %s", self->root != NULL ? error.message : "out of memory");
		return false;
	}
	note_failure(self->cooked);
	uint32_t count = 0;
	const lrd_cooked_source *sources = lrd_cooked_sources(self->cooked, &count);
	if (count == 1 && sources[0].state != LRD_SOURCE_COOKED)
	{
		if (sources[0].state == LRD_SOURCE_SKIPPED)
		{
			cli_error("view: %s: %s", self->path,
				sources[0].message != NULL ? sources[0].message : "no file of a kind that larder cooks");
		}
		return false;
	}
	consider_cooked(found, self->cooked);
	self->sources = options->watch ? view_sources_open(self->root, self->cooked, &error) : NULL;
	if (options->watch && self->sources == NULL)
	{
		cli_error("view: nothing is watched: %s", error.message);
	}
	self->from = lrd_cooked_mount(self->cooked);
	if (!lrd_store_mount(self->store, &self->from, &self->mount, &error))
	{
		cli_error("view: %s", error.message);
		return false;
	}
	return true;
}

static bool open_cooked(view_content *self, chooser *found, const view_options *options)
{
	lrd_error error = { 0 };
	bool is_pack = self->root == NULL && what_is(self->path) == PLACE_FILE;
	const char *path = self->root != NULL ? self->root : self->path;
	if (!(is_pack ? consider_pack(found, path) : consider_tree(found, path)))
	{
		return false;
	}
	// Who watches a folder expects others to write there, and not all of them put whole files in place of old ones.
	self->from = (lrd_mount_desc){ .pack = is_pack ? path : NULL,
		.root = is_pack ? NULL : path,
		.watch = options->watch,
		.copy = !is_pack && options->watch };
	if (!lrd_store_mount(self->store, &self->from, &self->mount, &error))
	{
		cli_error("view: %s", error.message);
		return false;
	}
	return true;
}

static bool ends_with(const char *text, const char *end)
{
	size_t size = strlen(text), end_size = strlen(end);
	return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

static bool open_path(view_content *self, chooser *found, const view_options *options)
{
	place what = what_is(self->path);
	if (what == PLACE_NONE)
	{
		cli_error("view: %s: there is no such file or folder", self->path);
		return false;
	}
	if (strlen(self->path) >= PATH_SIZE_MAX)
	{
		cli_error("view: the path is too long");
		return false;
	}
	if (what == PLACE_FOLDER ? is_tree(self->path) : ends_with(self->path, ".lpack"))
	{
		return open_cooked(self, found, options);
	}
	lrd_kind kind = what == PLACE_FOLDER ? LRD_BLOB : lrd_kind_from_path(lrd_string_from(self->path));
	if (kind != LRD_BLOB && find_tree(self, self->path))
	{
		found->wanted = self->stem;
		return open_cooked(self, found, options);
	}
	if (kind != LRD_BLOB && kind != LRD_TEXTURE)
	{
		cli_error("view: %s: not in a cooked tree: no folder above it has a " MANIFEST, self->path);
		return false;
	}
	return open_source(self, found, options);
}

/// A texture that stays what stands in for it would be taken for a white one.
static bool can_be_shown(const view_content *self, const lrd_texture_view *texture)
{
	bool is_readable = texture->supercompression == LRD_SUPERCOMPRESSION_NONE ||
					   texture->supercompression == LRD_SUPERCOMPRESSION_ZSTD;
	if (is_readable && texture->format != 0)
	{
		return true;
	}
	lrd_texture_universal universal = lrd_texture_universal_kind(texture);
	cli_error("view: %s is stored as %s under %s, which larder can't bring to a GPU", self->stem,
		universal != LRD_TEXTURE_UNIVERSAL_NONE ? lrd_texture_universal_name(universal)
												: lrd_texture_format_name(texture->format),
		lrd_supercompression_name(texture->supercompression));
	return false;
}

static bool retain_choice(view_content *self, const view_options *options)
{
	lrd_error error = { 0 };
	lrd_kind kind = self->kind == VIEW_CONTENT_TEXTURE ? LRD_TEXTURE : self->is_mesh ? LRD_MESH : LRD_MODEL;
	self->asset = lrd_asset_find(self->store, kind, self->stem, &error);
	if (!lrd_retain_now(self->store, self->asset, &error))
	{
		cli_error("view: %s", error.message);
		self->asset = (lrd_asset){ 0 };
		return false;
	}
	if (kind == LRD_TEXTURE)
	{
		const lrd_texture_view *texture = &lrd_texture_get(self->store, self->asset)->view;
		return can_be_shown(self, texture) && (view_is_flat(texture) || view_stand_in_make(self, options));
	}
	return kind == LRD_MODEL || view_stand_in_make(self, options);
}

bool view_cook_image(lrd_bytes image, const char *name, const lrd_texture_settings *settings,
	const view_options *options, lrd_buffer *out, lrd_error *error)
{
	lrd_texture_report report;
	lrd_jobs jobs;
	if (options->pool != NULL)
	{
		jobs = lrd_job_pool_jobs(options->pool);
	}
	return lrd_texture_cook(
		&(lrd_texture_cook_desc){
			.images = &image,
			.image_count = 1,
			.name = lrd_string_from(name),
			.settings = settings,
			.target = LRD_TARGET_RAW,
			.jobs = options->pool != NULL ? &jobs : NULL,
		},
		out, &report, error);
}

bool view_content_open(view_content *self, const view_options *options)
{
	*self = (view_content){ .path = copy_text(options->path, strlen(options->path)) };
	lrd_error error = { 0 };
	lrd_jobs jobs;
	if (options->pool != NULL)
	{
		jobs = lrd_job_pool_jobs(options->pool);
	}
	self->store = lrd_store_open(&(lrd_store_desc){ .jobs = options->pool != NULL ? &jobs : NULL,
									 .watch = options->watch,
									 .texture_tail = VIEW_TAIL,
									 .log = { .write = options->quiet ? log_errors : NULL } },
		&error);
	if (self->path == NULL || self->store == NULL)
	{
		cli_error("view: %s", self->path == NULL ? "out of memory" : error.message);
		return false;
	}
	chooser found = { .wanted = options->model, .sky = options->sky };
	bool good = open_path(self, &found, options) && choose(self, &found, options);
	free_chooser(&found);
	return good && retain_choice(self, options);
}

void view_content_close(view_content *self)
{
	const lrd_asset held[] = { self->asset, self->original };
	for (size_t i = 0; i < 2; ++i)
	{
		if (self->store != NULL && held[i].generation != 0)
		{
			lrd_release(self->store, held[i]);
		}
	}
	lrd_store_close(self->store);
	view_sources_close(self->sources);
	lrd_cooked_release(self->cooked);
	free(self->path);
	free(self->root);
	free(self->stem);
	*self = (view_content){ 0 };
}

static bool is_in(const lrd_memory_file *file, const lrd_memory_file *files, uint32_t count)
{
	uint32_t low = 0, high = count;
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;
		const lrd_memory_file *other = &files[middle];
		size_t size = file->key.size < other->key.size ? file->key.size : other->key.size;
		int order = memcmp(file->key.data, other->key.data, size);
		order = order != 0 ? order : (file->key.size > other->key.size) - (file->key.size < other->key.size);
		if (order == 0)
		{
			return file->bytes.size == other->bytes.size &&
				   memcmp(file->bytes.data, other->bytes.data, file->bytes.size) == 0;
		}
		low = order > 0 ? middle + 1 : low;
		high = order > 0 ? high : middle;
	}
	return false;
}

bool view_content_refresh(view_content *self, const view_options *options)
{
	if (self->sources == NULL || !view_sources_update(self->sources))
	{
		return false;
	}
	lrd_error error = { 0 };
	lrd_cooked *cooked = cook(self, options, &error);
	uint32_t count = 0, old_count = 0;
	if (cooked != NULL)
	{
		note_failure(cooked);
	}
	if (cooked == NULL || lrd_cooked_report(cooked)->cooked == 0)
	{
		if (cooked == NULL)
		{
			cli_error("view: %s", error.message);
		}
		lrd_cooked_release(cooked);
		return false;
	}
	const lrd_memory_file *files = lrd_cooked_files(cooked, &count);
	const lrd_memory_file *old = lrd_cooked_files(self->cooked, &old_count);
	lrd_mount_desc mount = lrd_cooked_mount(cooked);
	lrd_mount mounted;
	if (!lrd_store_mount(self->store, &mount, &mounted, &error))
	{
		cli_error("view: %s", error.message);
		lrd_cooked_release(cooked);
		return false;
	}
	lrd_store_unmount(self->store, self->mount);
	for (uint32_t i = 0; i < count; ++i)
	{
		lrd_kind kind = lrd_kind_from_path(files[i].key);
		if (!is_in(&files[i], old, old_count))
		{
			size_t extension = strlen(lrd_kind_extension(kind));
			lrd_store_changed(self->store, kind, (lrd_string){ files[i].key.data, files[i].key.size - extension });
		}
	}
	lrd_cooked_release(self->cooked);
	self->cooked = cooked;
	self->mount = mounted;
	self->from = mount;
	view_sources_close(self->sources);
	self->sources = view_sources_open(self->root, cooked, &error);
	return true;
}
