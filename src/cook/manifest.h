// cook/manifest.h: what a cooked tree holds: OUT/larder.manifest.json, and the references that cooked files make to
// each other.

#ifndef COOK_MANIFEST_H
#define COOK_MANIFEST_H

#include "base/digest.h"
#include "base/memory.h"

#define LRD_MANIFEST_NAME "larder.manifest.json"

/// A reference from one asset to another.
typedef struct lrd_reference
{
	lrd_kind kind;
	lrd_string stem;
} lrd_reference;

typedef struct lrd_manifest_asset
{
	lrd_string file; ///< relative to the tree, with extension
	lrd_kind kind;
	uint64_t size;    ///< bytes
	lrd_hash128 hash; ///< XXH3-128 of the file
	const lrd_reference *references;
	uint32_t reference_count;
} lrd_manifest_asset;

typedef struct lrd_manifest
{
	const lrd_manifest_asset *assets; ///< sorted by file, byte for byte
	uint32_t asset_count;
} lrd_manifest;

/// Write the manifest of a tree; a file that already says the same is left alone. The same assets give the same bytes.
/// `staging`: a folder on the same file system, where it is made before it is put in place.
bool lrd_manifest_write(
	const char *folder, const char *staging, const lrd_manifest *manifest, lrd_allocator allocator, lrd_error *error);

/// Read it into the arena. Files are checked as asset paths, kinds against extensions, order and doubles.
/// Errors: LRD_ERROR_NOT_FOUND (no manifest: the folder is not a cooked tree), LRD_ERROR_FORMAT, LRD_ERROR_IO,
/// LRD_ERROR_MEMORY.
bool lrd_manifest_read(lrd_arena *arena, const char *folder, lrd_manifest *manifest, lrd_error *error);

/// Every asset a cooked file names, in the file's order, each once. The file is checked by its format's reader first.
/// The references are in the arena; their stems lead into `bytes`.
bool lrd_cooked_references(lrd_arena *arena, lrd_kind kind, const void *bytes, size_t size,
	const lrd_reference **references, uint32_t *count, lrd_error *error);

#endif
