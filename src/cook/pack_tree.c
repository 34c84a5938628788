// Sealing a cooked tree: its manifest says what goes in, and every file must still be what the manifest says.

#include "base/error.h"
#include "base/path.h"
#include "cook/manifest.h"
#include "larder/cook.h"
#include "os/os.h"

#include <zstd.h>

typedef struct tree_packer
{
	const lrd_pack_tree_desc *desc;
	lrd_arena *arena;
	lrd_manifest manifest;
	lrd_pack_source *sources;
	lrd_error *error;
} tree_packer;

static bool check_file(tree_packer *self, const lrd_manifest_asset *asset, const char *path)
{
	lrd_buffer file = { .allocator = self->desc->allocator };
	if (!lrd_file_read(path, &file, self->error))
	{
		return false;
	}
	lrd_hash128 hash = lrd_xxh3_128(file.data, file.size);
	lrd_buffer_free(&file);
	return lrd_hash128_equal(hash, asset->hash) ||
		   lrd_fail(self->error, LRD_ERROR_CONFLICT, "%s is not the file that %s/%s says; cook the folder again", path,
			   self->desc->folder, LRD_MANIFEST_NAME);
}

static bool list_sources(tree_packer *self)
{
	self->sources = LRD_ARENA_ARRAY(self->arena, lrd_pack_source, self->manifest.asset_count + 1u);
	if (self->sources == NULL)
	{
		return lrd_fail_memory(self->error, "sources", self->manifest.asset_count * sizeof *self->sources);
	}
	for (uint32_t i = 0; i < self->manifest.asset_count; ++i)
	{
		const lrd_manifest_asset *asset = &self->manifest.assets[i];
		lrd_string path = lrd_arena_printf(self->arena, "%s/%.*s", self->desc->folder, LRD_STR_ARG(asset->file));
		if (path.data == NULL)
		{
			return lrd_fail_memory(self->error, "path", asset->file.size);
		}
		if (!check_file(self, asset, path.data))
		{
			return false;
		}
		self->sources[i] = (lrd_pack_source){ .key = asset->file, .path = path.data };
	}
	return true;
}

static bool write_json(tree_packer *self, const char *bundle)
{
	lrd_buffer text = { .allocator = self->desc->allocator };
	lrd_pack_desc desc = { .path = bundle, .allocator = self->desc->allocator };
	lrd_pack *pack = lrd_pack_open(&desc, self->error);
	bool good = pack != NULL && lrd_pack_json(pack, true, &text, self->error) &&
				lrd_file_write(self->desc->bundle, text.data, text.size, self->error);
	lrd_pack_close(pack);
	lrd_buffer_free(&text);
	return good;
}

/// How a bundle's payloads were compressed, kept beside it: only what the same settings and the same zstd made is taken over.
static lrd_string settings_text(tree_packer *self)
{
	return lrd_arena_printf(self->arena, "{\"compression\": \"%s\", \"level\": %d, \"zstd\": \"%s\"}\n",
		self->desc->compression == LRD_ZSTD ? "zstd" : "none", self->desc->level, ZSTD_versionString());
}

static bool has_settings(tree_packer *self, const char *path, lrd_string text)
{
	lrd_buffer file = { .allocator = self->desc->allocator };
	bool same =
		lrd_file_read(path, &file, NULL) && lrd_string_equal((lrd_string){ (const char *)file.data, file.size }, text);
	lrd_buffer_free(&file);
	return same;
}

static bool write_lpack(tree_packer *self, const char *path, const lrd_pack *previous, lrd_pack_write_report *report)
{
	const lrd_pack_tree_desc *desc = self->desc;
	lrd_pack_write_desc write = {
		.path = path,
		.sources = self->sources,
		.source_count = self->manifest.asset_count,
		.compression = desc->compression,
		.level = desc->level,
		.previous = previous,
		.json_map = !desc->json,
		.jobs = desc->jobs,
		.allocator = desc->allocator,
		.progress = desc->on_progress,
		.user = desc->user,
	};
	return lrd_pack_write(&write, report, self->error);
}

static bool write_bundle(tree_packer *self, lrd_pack_write_report *report)
{
	const char *bundle = self->desc->bundle;
	lrd_string cache = lrd_arena_printf(self->arena, "%s.statcache.json", bundle);
	lrd_string text = settings_text(self);
	if (cache.data == NULL || text.data == NULL)
	{
		return lrd_fail_memory(self->error, "path", 0);
	}
	// An older bundle that can't be read only means that nothing is taken over from it.
	lrd_pack_desc older = { .path = bundle, .allocator = self->desc->allocator };
	lrd_pack *previous = has_settings(self, cache.data, text) ? lrd_pack_open(&older, NULL) : NULL;
	bool good = lrd_file_remove(cache.data, self->error) && write_lpack(self, bundle, previous, report) &&
				lrd_file_write(cache.data, text.data, text.size, self->error);
	lrd_pack_close(previous);
	return good;
}

/// By way of a bundle that is deleted again.
static bool write_readable(tree_packer *self, lrd_pack_write_report *report)
{
	lrd_string bundle = lrd_arena_printf(self->arena, "%s.building", self->desc->bundle);
	if (bundle.data == NULL)
	{
		return lrd_fail_memory(self->error, "path", 0);
	}
	bool good = write_lpack(self, bundle.data, NULL, report) && write_json(self, bundle.data);
	lrd_file_remove(bundle.data, NULL);
	return good;
}

bool lrd_pack_tree(const lrd_pack_tree_desc *desc, lrd_pack_write_report *report, lrd_error *error)
{
	tree_packer self = { .desc = desc, .error = error };
	self.arena = lrd_arena_create(desc->allocator, 0);
	bool good = self.arena != NULL || lrd_fail_memory(error, "bundle", 0);
	good = good && lrd_manifest_read(self.arena, desc->folder, &self.manifest, error) && list_sources(&self) &&
		   (desc->json ? write_readable(&self, report) : write_bundle(&self, report));
	lrd_arena_destroy(self.arena);
	return good;
}
