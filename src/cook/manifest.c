// OUT/larder.manifest.json: every asset of a cooked tree with its size, hash and references. The same tree gives the
// same bytes.

#include "cook/manifest.h"

#include "base/error.h"
#include "base/json.h"
#include "base/path.h"
#include "os/os.h"

#include <inttypes.h>
#include <stdlib.h>

#define MANIFEST_VERSION 1

// Writing.

static bool append_reference(lrd_buffer *out, const lrd_reference *reference, bool first)
{
	return lrd_buffer_printf(
			   out, "%s{\"kind\": \"%s\", \"stem\": ", first ? "" : ", ", lrd_kind_name(reference->kind)) &&
		   lrd_json_append_string(out, reference->stem) && lrd_buffer_printf(out, "}");
}

static bool append_asset(lrd_buffer *out, const lrd_manifest_asset *asset, bool last)
{
	char hash[33];
	lrd_hash128_text(asset->hash, hash);
	bool good = lrd_buffer_printf(out, "\t\t{\"file\": ") && lrd_json_append_string(out, asset->file) &&
				lrd_buffer_printf(out, ", \"kind\": \"%s\", \"size\": %" PRIu64 ", \"hash\": \"%s\", \"references\": [",
					lrd_kind_name(asset->kind), asset->size, hash);
	for (uint32_t i = 0; good && i < asset->reference_count; ++i)
	{
		good = append_reference(out, &asset->references[i], i == 0);
	}
	return good && lrd_buffer_printf(out, "]}%s\n", last ? "" : ",");
}

static bool append_manifest(lrd_buffer *out, const lrd_manifest *manifest)
{
	bool good = lrd_buffer_printf(
		out, "{\n\t\"generator\": \"larder\",\n\t\"version\": %d,\n\t\"assets\": [\n", MANIFEST_VERSION);
	for (uint32_t i = 0; good && i < manifest->asset_count; ++i)
	{
		good = append_asset(out, &manifest->assets[i], i + 1 == manifest->asset_count);
	}
	return good && lrd_buffer_printf(out, "\t]\n}\n");
}

static bool already_says(const char *path, const lrd_buffer *text, lrd_allocator allocator)
{
	lrd_buffer old = { .allocator = allocator };
	bool same = lrd_file_read(path, &old, NULL) && old.size == text->size &&
				(old.size == 0 || memcmp(old.data, text->data, old.size) == 0);
	lrd_buffer_free(&old);
	return same;
}

static bool manifest_path(const char *folder, lrd_buffer *path, lrd_error *error)
{
	return lrd_buffer_printf(path, "%s/%s%c", folder, LRD_MANIFEST_NAME, 0) || lrd_fail_memory(error, "path", 0);
}

/// By way of the staging folder: what a cook that is killed leaves there is cleaned up by the next.
static bool replace(const char *folder, const char *path, const char *staging, const lrd_buffer *text, lrd_error *error)
{
	lrd_buffer staged = { .allocator = text->allocator };
	bool good = lrd_buffer_printf(&staged, "%s/manifest%c", staging, 0) || lrd_fail_memory(error, "path", 0);
	const char *name = (const char *)staged.data;
	good = good && lrd_file_stage(name, text->data, text->size, error) && lrd_files_flush(staging, &name, 1, error) &&
		   lrd_file_rename(name, path, error);
	lrd_buffer_free(&staged);
	if (good)
	{
		lrd_folder_flush(folder);
	}
	return good;
}

bool lrd_manifest_write(
	const char *folder, const char *staging, const lrd_manifest *manifest, lrd_allocator allocator, lrd_error *error)
{
	lrd_buffer text = { .allocator = allocator };
	lrd_buffer path = { .allocator = allocator };
	bool good = manifest_path(folder, &path, error) &&
				(append_manifest(&text, manifest) || lrd_fail_memory(error, "manifest", text.size));
	good = good && (already_says((const char *)path.data, &text, allocator) ||
					   replace(folder, (const char *)path.data, staging, &text, error));
	lrd_buffer_free(&text);
	lrd_buffer_free(&path);
	return good;
}

// Reading.

typedef struct manifest_reader
{
	lrd_arena *arena;
	const char *path;
	lrd_error *error;
} manifest_reader;

static bool fail(const manifest_reader *self, uint32_t asset, const char *what)
{
	return lrd_fail(
		self->error, LRD_ERROR_FORMAT, "%s: assets[%u]: %s; cook the folder again", self->path, asset, what);
}

static lrd_kind kind_named(const char *name)
{
	for (int kind = 1; name != NULL && kind < LRD_KIND_COUNT; ++kind)
	{
		if (strcmp(lrd_kind_name((lrd_kind)kind), name) == 0)
		{
			return (lrd_kind)kind;
		}
	}
	return LRD_KIND_NONE;
}

static bool parse_hash(const char *text, lrd_hash128 *hash)
{
	char half[17] = { 0 };
	if (text == NULL || strlen(text) != 32 || strspn(text, "0123456789abcdef") != 32)
	{
		return false;
	}
	memcpy(half, text, 16);
	hash->high = strtoull(half, NULL, 16);
	hash->low = strtoull(text + 16, NULL, 16);
	return true;
}

static const char *text_of(const cJSON *object, const char *name)
{
	return cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
}

static bool keep_text(const manifest_reader *self, const char *text, lrd_string *kept)
{
	*kept = lrd_arena_string(self->arena, lrd_string_from(text));
	return kept->data != NULL || lrd_fail_memory(self->error, "manifest", 0);
}

static bool read_references(const manifest_reader *self, const cJSON *array, uint32_t index, lrd_manifest_asset *asset)
{
	int count = cJSON_GetArraySize(array);
	lrd_reference *references = LRD_ARENA_ARRAY(self->arena, lrd_reference, (size_t)count + 1);
	if (references == NULL)
	{
		return lrd_fail_memory(self->error, "manifest", (size_t)count * sizeof *references);
	}
	for (const cJSON *row = array->child; row != NULL; row = row->next)
	{
		lrd_reference *reference = &references[asset->reference_count++];
		const char *stem = text_of(row, "stem");
		reference->kind = kind_named(text_of(row, "kind"));
		if (stem == NULL || reference->kind == LRD_KIND_NONE)
		{
			return fail(self, index, "a reference has no kind or no stem");
		}
		if (!keep_text(self, stem, &reference->stem))
		{
			return false;
		}
	}
	asset->references = references;
	return true;
}

static bool read_asset(const manifest_reader *self, const cJSON *row, uint32_t index, lrd_manifest_asset *assets)
{
	lrd_manifest_asset *asset = &assets[index];
	const char *file = text_of(row, "file");
	const cJSON *size = cJSON_GetObjectItemCaseSensitive(row, "size");
	const cJSON *references = cJSON_GetObjectItemCaseSensitive(row, "references");
	if (file == NULL || !cJSON_IsArray(references) || !parse_hash(text_of(row, "hash"), &asset->hash))
	{
		return fail(self, index, "\"file\", \"hash\" or \"references\" is missing or malformed");
	}
	if (!cJSON_IsNumber(size) || !(size->valuedouble >= 0.0 && size->valuedouble < 9007199254740992.0))
	{
		return fail(self, index, "\"size\" is not a size");
	}
	asset->size = (uint64_t)size->valuedouble;
	if (!keep_text(self, file, &asset->file))
	{
		return false;
	}
	if (!lrd_path_check(asset->file, self->error))
	{
		return lrd_fail_in(self->error, "%s: assets[%u]", self->path, index);
	}
	asset->kind = kind_named(text_of(row, "kind"));
	if (asset->kind != lrd_kind_from_path(asset->file))
	{
		return fail(self, index, "\"kind\" is not what the file's extension says");
	}
	if (index > 0 && lrd_string_compare(assets[index - 1].file, asset->file) >= 0)
	{
		return fail(self, index, "the files are not in order, or one is listed twice");
	}
	return read_references(self, references, index, asset);
}

static bool read_assets(const manifest_reader *self, const cJSON *root, lrd_manifest *manifest)
{
	const cJSON *version = cJSON_GetObjectItemCaseSensitive(root, "version");
	const cJSON *array = cJSON_GetObjectItemCaseSensitive(root, "assets");
	if (!cJSON_IsNumber(version) || version->valueint != MANIFEST_VERSION || !cJSON_IsArray(array))
	{
		return lrd_fail(self->error, LRD_ERROR_FORMAT, "%s: not a manifest of version %d; cook the folder again",
			self->path, MANIFEST_VERSION);
	}
	size_t count = (size_t)cJSON_GetArraySize(array);
	lrd_manifest_asset *assets = LRD_ARENA_ARRAY(self->arena, lrd_manifest_asset, count + 1);
	if (assets == NULL)
	{
		return lrd_fail_memory(self->error, "manifest", count * sizeof *assets);
	}
	manifest->assets = assets;
	manifest->asset_count = 0;
	for (const cJSON *row = array->child; row != NULL; row = row->next)
	{
		if (!read_asset(self, row, manifest->asset_count, assets))
		{
			return false;
		}
		manifest->asset_count++;
	}
	return true;
}

static bool parse_manifest(const manifest_reader *self, const lrd_buffer *text, lrd_manifest *manifest)
{
	cJSON *root = lrd_json_parse((lrd_string){ (const char *)text->data, text->size }, self->error);
	bool good = root != NULL ? read_assets(self, root, manifest) : lrd_fail_in(self->error, "%s", self->path);
	cJSON_Delete(root);
	return good;
}

bool lrd_manifest_read(lrd_arena *arena, const char *folder, lrd_manifest *manifest, lrd_error *error)
{
	lrd_buffer path = { .allocator = lrd_arena_allocator(arena) };
	lrd_buffer text = { .allocator = lrd_arena_allocator(arena) };
	lrd_error reason;
	bool good = manifest_path(folder, &path, error);
	if (good && !lrd_file_read((const char *)path.data, &text, &reason))
	{
		good = reason.code == LRD_ERROR_NOT_FOUND
				   ? lrd_fail(error, reason.code, "%s is no cooked folder: it has no %s; larder cook makes one", folder,
						 LRD_MANIFEST_NAME)
				   : lrd_fail(error, reason.code, "%s", reason.message);
	}
	if (good)
	{
		manifest_reader self = { .arena = arena, .path = (const char *)path.data, .error = error };
		good = parse_manifest(&self, &text, manifest);
	}
	lrd_buffer_free(&text);
	lrd_buffer_free(&path);
	return good;
}
