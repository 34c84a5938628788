// store/mount.h: where bytes come from: bundles, folders of cooked files, memory. A mount is a table of names made when it
// is mounted, so that looking a name up is no I/O; it lives until it is unmounted and the last lease on it is back.

#ifndef STORE_MOUNT_H
#define STORE_MOUNT_H

#include "base/memory.h"
#include "larder/pack.h"
#include "larder/store.h"
#include "os/os.h"

typedef struct lrd_mounted lrd_mounted;

/// The mounts of a store, later ones first. Guarded by the store's lock.
typedef struct lrd_mounts
{
	lrd_mounted *first;  ///< looked in first; linked by the mount
	lrd_mounted *leased; ///< unmounted, kept for their leases
	lrd_mounted *put;    ///< the program's own content (lrd_asset_put), before all others; NULL: none yet
	uint32_t count;
	uint32_t leased_count;
	uint32_t epoch; ///< counts mounting and unmounting, from 1
	uint32_t next_generation;
	uint64_t probes; ///< look-ups of a name
} lrd_mounts;

/// Where a name was found: a place in a mount, with a lease on it.
typedef struct lrd_origin
{
	lrd_mounted *mount; ///< NULL: nowhere
	uint32_t entry;     ///< the mount's business
	uint64_t size;      ///< bytes of the payload's file, uncompressed
} lrd_origin;

/// A file's bytes, and what keeps them.
typedef struct lrd_content
{
	lrd_bytes bytes; ///< aligned to 16
	void *owned;     ///< allocated, of owned_size; NULL: used in place through:
	size_t owned_size;
	lrd_mapping *mapping; ///< of a loose file; or
	lrd_mounted *mount;   ///< a lease on the mount
} lrd_content;

/// Look a name up and take a lease; false: no mount knows it. Under the store's lock. Counts a probe.
bool lrd_mounts_find(lrd_mounts *mounts, lrd_kind kind, lrd_string stem, lrd_origin *origin);
/// Look at the disk whether a file of this name is in the mounted folders, and in their tables what was found: new, changed or
/// gone. Not under the lock.
void lrd_mounts_look_for(lrd_store *store, lrd_kind kind, lrd_string stem);
/// The size alone, without a lease; 0 when no mount knows it. Under the store's lock. Counts no probe.
uint64_t lrd_mounts_size(const lrd_mounts *mounts, lrd_kind kind, lrd_string stem);

/// The bytes: in place where the mount allows it, else read or inflated into memory of the allocator. Pages are brought in, so
/// that who looks at them later does not wait for the disk. Takes a lease of its own where it reads in place.
/// Not under the lock. `io_bytes` is what was read or inflated.
/// Errors: LRD_ERROR_IO, LRD_ERROR_NOT_FOUND (deleted since it was listed), LRD_ERROR_CHANGED, LRD_ERROR_FORMAT, LRD_ERROR_MEMORY.
bool lrd_origin_read(
	const lrd_origin *origin, lrd_allocator allocator, lrd_content *content, uint64_t *io_bytes, lrd_error *error);
/// "game.lpack:models/fox.lmodel": for messages.
void lrd_origin_name(const lrd_origin *origin, char *text, size_t size);

/// Give a lease back. Any thread, no lock needed (leases are atomic): the last one of an unmounted mount closes it, for which the caller must not hold the store's lock.
void lrd_origin_release(lrd_store *store, lrd_origin *origin);
void lrd_content_release(lrd_store *store, lrd_allocator allocator, lrd_content *content);

/// A message for a name that no mount knows: the same stem as another kind, and the nearest names of this kind, at most three, by edit
/// distance. Not under the lock; takes it in turns, never for long.
void lrd_mounts_suggest(lrd_store *store, lrd_kind kind, lrd_string stem, lrd_error *error);

/// Free every mount. Nothing is leased any more.
void lrd_mounts_free(lrd_store *store);

/// For snapshots, under the lock: each mount in turn, unmounted ones that are still leased last.
typedef struct lrd_mount_row
{
	lrd_mount id; ///< null: unmounted
	const char *name;
	uint32_t files;
	uint32_t leases;
	uint64_t opened;
} lrd_mount_row;
bool lrd_mounts_next(const lrd_mounts *mounts, const lrd_mounted **at, lrd_mount_row *row); ///< *at NULL: the first

#endif
