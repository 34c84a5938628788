// A tree whose cook database is gone, damaged or of another version still has its manifest. Its files are entered as outputs of sources that
// are cooked when they come up; those of sources that do not come up are pruned, and those of sources that were not asked for stay listed.

#include "base/error.h"
#include "base/path.h"
#include "cook/driver.h"

#include <stdlib.h>

typedef struct adopted
{
	lrd_string owner; ///< id of the source it came from
	const lrd_manifest_asset *asset;
} adopted;

static int compare_files(const void *a, const void *b)
{
	return lrd_string_compare(((const lrd_manifest_asset *)a)->file, ((const lrd_manifest_asset *)b)->file);
}

static int compare_owners(const void *a, const void *b)
{
	int order = lrd_string_compare(((const adopted *)a)->owner, ((const adopted *)b)->owner);
	return order != 0 ? order : compare_files(((const adopted *)a)->asset, ((const adopted *)b)->asset);
}

/// A model's files lie in the folder of its name; everything else stands for itself.
static bool find_owner(
	lrd_arena *arena, const lrd_manifest *manifest, const lrd_manifest_asset *asset, lrd_string *owner)
{
	lrd_string folder = lrd_path_folder(asset->file);
	lrd_manifest_asset model = { 0 };
	*owner = asset->file;
	if (folder.size == 0 || asset->kind == LRD_MODEL)
	{
		return true;
	}
	model.file = lrd_arena_printf(arena, "%.*s%s", LRD_STR_ARG(folder), lrd_kind_extension(LRD_MODEL));
	if (model.file.data == NULL)
	{
		return false;
	}
	if (bsearch(&model, manifest->assets, manifest->asset_count, sizeof model, compare_files) != NULL)
	{
		*owner = model.file;
	}
	return true;
}

static bool store_adopted(lrd_driver *driver, lrd_arena *arena, const adopted *rows, uint32_t count, lrd_error *error)
{
	lrd_manifest_asset *assets = LRD_ARENA_ARRAY(arena, lrd_manifest_asset, count);
	if (assets == NULL)
	{
		return lrd_fail_memory(error, "outputs", count * sizeof *assets);
	}
	for (uint32_t i = 0; i < count; ++i)
	{
		assets[i] = *rows[i].asset;
	}
	lrd_source_row row = { .id = rows[0].owner, .outputs = assets, .output_count = count };
	return lrd_database_store(driver->database, &row, error) && lrd_database_mark_unsure(driver->database, &row, error);
}

static bool adopt_assets(lrd_driver *driver, lrd_arena *arena, const lrd_manifest *manifest, lrd_error *error)
{
	adopted *rows = LRD_ARENA_ARRAY(arena, adopted, manifest->asset_count + 1u);
	if (rows == NULL)
	{
		return lrd_fail_memory(error, "outputs", manifest->asset_count * sizeof *rows);
	}
	for (uint32_t i = 0; i < manifest->asset_count; ++i)
	{
		rows[i].asset = &manifest->assets[i];
		if (!find_owner(arena, manifest, rows[i].asset, &rows[i].owner))
		{
			return lrd_fail_memory(error, "path", rows[i].asset->file.size);
		}
	}
	qsort(rows, manifest->asset_count, sizeof *rows, compare_owners);
	for (uint32_t first = 0, end = 0; first < manifest->asset_count; first = end)
	{
		while (end < manifest->asset_count && lrd_string_equal(rows[end].owner, rows[first].owner))
		{
			end++;
		}
		if (!store_adopted(driver, arena, &rows[first], end - first, error))
		{
			return false;
		}
	}
	return true;
}

bool lrd_driver_adopt_manifest(lrd_driver *driver, lrd_error *error)
{
	const lrd_source_name *known;
	uint32_t count = 0;
	lrd_manifest manifest;
	lrd_error reason;
	lrd_arena *arena = lrd_arena_create(driver->allocator, 0);
	bool good = arena != NULL || lrd_fail_memory(error, "manifest", 0);
	good = good && lrd_database_sources(driver->database, arena, &known, &count, error);
	if (good && count == 0)
	{
		bool read = lrd_manifest_read(arena, driver->desc->output, &manifest, &reason);
		good = read ? adopt_assets(driver, arena, &manifest, error)
					: reason.code != LRD_ERROR_MEMORY || lrd_fail(error, reason.code, "%s", reason.message);
	}
	lrd_arena_destroy(arena);
	return good;
}
