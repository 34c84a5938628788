// Proving cooked files sound: each by its format's reader, trees against their manifest, bundles whole, and every
// reference followed.

#include "base/error.h"
#include "base/path.h"
#include "cook/manifest.h"
#include "larder/cook.h"
#include "larder/pack.h"
#include "os/os.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct validator
{
	const lrd_validate_desc *desc;
	lrd_validate_report *report;
	lrd_error *error;
	const char *path; ///< the operand at hand
} validator;

static void find(validator *self, lrd_string in, char separator, const char *format, ...) LRD_PRINTF(4, 5);

/// Report "PATH: message", or "PATH/IN: message" with the separator between.
static void find(validator *self, lrd_string in, char separator, const char *format, ...)
{
	char place[LRD_PATH_MAX * 4];
	char message[LRD_ERROR_MESSAGE_SIZE];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, sizeof message, format, arguments);
	va_end(arguments);
	if (in.size == 0)
	{
		snprintf(place, sizeof place, "%s", self->path);
	}
	else
	{
		snprintf(place, sizeof place, "%s%c%.*s", self->path, separator, LRD_STR_ARG(in));
	}
	self->report->findings++;
	if (self->desc->on_finding != NULL)
	{
		lrd_finding finding = { lrd_string_from(place), message };
		self->desc->on_finding(self->desc->user, &finding);
	}
}

/// A failed call is a finding, but for memory, which ends the whole check. What begins with the operand's path is told
/// without: the finding names it.
static bool find_reason(validator *self, lrd_string in, char separator, const lrd_error *reason)
{
	if (reason->code == LRD_ERROR_MEMORY)
	{
		return lrd_fail(self->error, LRD_ERROR_MEMORY, "%s", reason->message);
	}
	size_t size = strlen(self->path);
	bool repeats = in.size == 0 && strncmp(reason->message, self->path, size) == 0 &&
				   strncmp(reason->message + size, ": ", 2) == 0;
	find(self, in, separator, "%s", repeats ? reason->message + size + 2 : reason->message);
	return true;
}

// Trees.

static int compare_files(const void *a, const void *b)
{
	return lrd_string_compare(((const lrd_manifest_asset *)a)->file, ((const lrd_manifest_asset *)b)->file);
}

static bool is_in_manifest(const lrd_manifest *manifest, lrd_string file)
{
	lrd_manifest_asset key = { .file = file };
	return bsearch(&key, manifest->assets, manifest->asset_count, sizeof key, compare_files) != NULL;
}

static bool check_tree_reference(validator *self, const lrd_manifest *manifest, lrd_arena *arena,
	const lrd_manifest_asset *asset, const lrd_reference *reference)
{
	lrd_string file =
		lrd_arena_printf(arena, "%.*s%s", LRD_STR_ARG(reference->stem), lrd_kind_extension(reference->kind));
	if (file.data == NULL)
	{
		return lrd_fail_memory(self->error, "reference", reference->stem.size);
	}
	if (!is_in_manifest(manifest, file))
	{
		find(self, asset->file, '/', "names the %s \"%.*s\", which is not there", lrd_kind_name(reference->kind),
			LRD_STR_ARG(reference->stem));
	}
	return true;
}

static bool same_references(const lrd_manifest_asset *asset, const lrd_reference *references, uint32_t count)
{
	bool same = asset->reference_count == count;
	for (uint32_t i = 0; same && i < count; ++i)
	{
		same = asset->references[i].kind == references[i].kind &&
			   lrd_string_equal(asset->references[i].stem, references[i].stem);
	}
	return same;
}

static bool check_asset_bytes(validator *self, const lrd_manifest *manifest, lrd_arena *arena,
	const lrd_manifest_asset *asset, const lrd_buffer *bytes)
{
	const lrd_reference *references;
	uint32_t count;
	lrd_error reason;
	lrd_hash128 hash = lrd_xxh3_128(bytes->data, bytes->size);
	if (bytes->size != asset->size || !lrd_hash128_equal(hash, asset->hash))
	{
		find(self, asset->file, '/', "is not the file that the manifest says (%zu bytes, expected %" PRIu64 ")",
			bytes->size, asset->size);
	}
	if (!lrd_cooked_references(arena, asset->kind, bytes->data, bytes->size, &references, &count, &reason))
	{
		return find_reason(self, asset->file, '/', &reason);
	}
	if (!same_references(asset, references, count))
	{
		find(self, asset->file, '/', "names other assets than the manifest says");
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		if (!check_tree_reference(self, manifest, arena, asset, &references[i]))
		{
			return false;
		}
	}
	return true;
}

static bool check_asset(validator *self, const lrd_manifest *manifest, const lrd_manifest_asset *asset)
{
	lrd_allocator allocator = self->desc->allocator;
	lrd_buffer bytes = { .allocator = allocator };
	lrd_error reason;
	lrd_arena *arena = lrd_arena_create(allocator, 0);
	if (arena == NULL)
	{
		return lrd_fail_memory(self->error, "asset", 0);
	}
	lrd_string path = lrd_arena_printf(arena, "%s/%.*s", self->path, LRD_STR_ARG(asset->file));
	bool good = path.data != NULL || lrd_fail_memory(self->error, "path", 0);
	if (good)
	{
		good = lrd_file_read(path.data, &bytes, &reason) ? check_asset_bytes(self, manifest, arena, asset, &bytes)
														 : find_reason(self, asset->file, '/', &reason);
	}
	self->report->files++;
	self->report->bytes += bytes.size;
	lrd_buffer_free(&bytes);
	lrd_arena_destroy(arena);
	return good;
}

typedef struct stray_search
{
	validator *self;
	const lrd_manifest *manifest;
} stray_search;

static bool find_stray(void *user, lrd_string path, const lrd_file_info *info)
{
	stray_search *search = user;
	if (info->problem != NULL)
	{
		find(search->self, path, '/', "%s", info->problem);
	}
	else if (lrd_kind_from_path(path) != LRD_BLOB && !is_in_manifest(search->manifest, path))
	{
		find(search->self, path, '/', "is not in the manifest");
	}
	return true;
}

static bool check_tree(validator *self)
{
	lrd_manifest manifest;
	lrd_error reason;
	lrd_arena *arena = lrd_arena_create(self->desc->allocator, 0);
	if (arena == NULL)
	{
		return lrd_fail_memory(self->error, "manifest", 0);
	}
	bool good = true;
	if (!lrd_manifest_read(arena, self->path, &manifest, &reason))
	{
		good = find_reason(self, (lrd_string){ NULL, 0 }, '/', &reason);
		lrd_arena_destroy(arena);
		return good;
	}
	for (uint32_t i = 0; good && i < manifest.asset_count; ++i)
	{
		good = check_asset(self, &manifest, &manifest.assets[i]);
	}
	stray_search search = { self, &manifest };
	good = good && lrd_folder_walk(self->path, self->desc->allocator, find_stray, &search, self->error);
	lrd_arena_destroy(arena);
	return good;
}

// Bundles.

static void find_in_pack(void *user, lrd_string key, const char *message)
{
	find(user, key, ':', "%s", message);
}

static bool check_pack_references(
	validator *self, const lrd_pack *pack, lrd_arena *arena, const lrd_pack_entry *entry, const void *bytes)
{
	const lrd_reference *references;
	uint32_t count;
	lrd_error reason;
	if (!lrd_cooked_references(arena, entry->kind, bytes, entry->size, &references, &count, &reason))
	{
		return find_reason(self, entry->key, ':', &reason);
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		lrd_pack_entry found;
		lrd_string key =
			lrd_arena_printf(arena, "%.*s%s", LRD_STR_ARG(references[i].stem), lrd_kind_extension(references[i].kind));
		if (key.data == NULL)
		{
			return lrd_fail_memory(self->error, "reference", references[i].stem.size);
		}
		if (!lrd_pack_find(pack, key, &found))
		{
			find(self, entry->key, ':', "names the %s \"%.*s\", which is not in the bundle",
				lrd_kind_name(references[i].kind), LRD_STR_ARG(references[i].stem));
		}
	}
	return true;
}

static bool check_entry(validator *self, const lrd_pack *pack, const lrd_pack_entry *entry)
{
	lrd_allocator allocator = self->desc->allocator;
	lrd_error reason;
	lrd_arena *arena = lrd_arena_create(allocator, 0);
	uint8_t *bytes = entry->compression == LRD_STORED || entry->size == 0 ? NULL : lrd_alloc(allocator, entry->size);
	bool inflates = entry->compression != LRD_STORED && entry->size != 0;
	bool good = (arena != NULL && (!inflates || bytes != NULL)) || lrd_fail_memory(self->error, "payload", entry->size);
	if (good)
	{
		// A payload that does not inflate was found by lrd_pack_check already.
		good = inflates && !lrd_pack_read(pack, entry, bytes, entry->size, &reason)
				   ? true
				   : check_pack_references(self, pack, arena, entry, inflates ? bytes : entry->stored);
	}
	lrd_free(allocator, bytes, bytes == NULL ? 0 : entry->size);
	lrd_arena_destroy(arena);
	return good;
}

static bool check_bundle(validator *self)
{
	char map[LRD_PATH_MAX * 4];
	lrd_error reason;
	lrd_pack *pack = lrd_pack_open(&(lrd_pack_desc){ .path = self->path, .allocator = self->desc->allocator }, &reason);
	self->report->bundles++;
	if (pack == NULL)
	{
		return find_reason(self, (lrd_string){ NULL, 0 }, ':', &reason);
	}
	snprintf(map, sizeof map, "%s.json", self->path);
	lrd_pack_check_desc desc = { .map = map, .on_finding = find_in_pack, .user = self };
	lrd_pack_check_report report;
	bool good = lrd_pack_check(pack, &desc, &report, self->error);
	for (uint32_t i = 0; good && i < lrd_pack_count(pack); ++i)
	{
		lrd_pack_entry entry;
		lrd_pack_at(pack, i, &entry);
		self->report->files++;
		self->report->bytes += entry.size;
		good = entry.kind == LRD_BLOB || check_entry(self, pack, &entry);
	}
	lrd_pack_close(pack);
	return good;
}

// Single files.

static bool check_file(validator *self)
{
	lrd_string path = lrd_string_from(self->path);
	lrd_buffer bytes = { .allocator = self->desc->allocator };
	lrd_arena *arena = lrd_arena_create(self->desc->allocator, 0);
	const lrd_reference *references;
	uint32_t count;
	lrd_error reason;
	if (arena == NULL)
	{
		return lrd_fail_memory(self->error, "file", 0);
	}
	bool sound =
		lrd_file_read(self->path, &bytes, &reason) &&
		lrd_cooked_references(arena, lrd_kind_from_path(path), bytes.data, bytes.size, &references, &count, &reason);
	bool good = sound || find_reason(self, (lrd_string){ NULL, 0 }, ':', &reason);
	self->report->files++;
	self->report->bytes += bytes.size;
	lrd_buffer_free(&bytes);
	lrd_arena_destroy(arena);
	return good;
}

static bool check_path(validator *self)
{
	lrd_file_info info;
	lrd_error reason;
	if (!lrd_file_stat(self->path, &info, &reason))
	{
		return find_reason(self, (lrd_string){ NULL, 0 }, ':', &reason);
	}
	if (info.is_folder)
	{
		return check_tree(self);
	}
	lrd_string extension = lrd_path_extension(lrd_string_from(self->path));
	return lrd_string_equal_folded(extension, LRD_STR(".lpack")) ? check_bundle(self) : check_file(self);
}

bool lrd_validate(const lrd_validate_desc *desc, lrd_validate_report *report, lrd_error *error)
{
	lrd_validate_report sums = { 0 };
	validator self = { .desc = desc, .report = &sums, .error = error };
	bool good = true;
	for (uint32_t i = 0; good && i < desc->path_count; ++i)
	{
		self.path = desc->paths[i];
		good = check_path(&self);
	}
	if (report != NULL)
	{
		*report = sums;
	}
	return good;
}
