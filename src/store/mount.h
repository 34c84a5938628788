// store/mount.h: where bytes come from: bundles, folders of cooked files, memory. A mount is a table of names made when it
// is mounted, so that looking a name up is no I/O; it lives until it is unmounted and the last lease on it is back.

#ifndef STORE_MOUNT_H
#define STORE_MOUNT_H

#include "base/memory.h"
#include "larder/pack.h"
#include "larder/store.h"
#include "os/os.h"

typedef struct lrd_mounted lrd_mounted;

/// The mounts of a store, later ones first. Guarded by the store's lock; zeroed but for an
/// epoch of 1: none.
typedef struct lrd_mounts
{
	lrd_mounted *first;  ///< looked in first; linked by the mount
	lrd_mounted *leased; ///< unmounted, or listed anew, and kept for their leases
	lrd_mounted *put;    ///< the program's own content (lrd_asset_put), before all others; NULL: none yet
	uint32_t count;
	uint32_t leased_count;
	uint32_t epoch; ///< counts changes of what names there are, from 1
	uint32_t next_generation;
	uint64_t probes;      ///< look-ups of a name
	uint64_t suggested;   ///< names that were compared for suggestions in this epoch
	bool can_wait;        ///< `listed` is initialised
	lrd_condition listed; ///< a mount is no longer being listed again
} lrd_mounts;

/// Where a name was found: a place in a mount, with a lease on it.
typedef struct lrd_origin
{
	lrd_mounted *mount; ///< NULL: nowhere
	lrd_string key;     ///< cooked path; lives as long as the lease
	uint32_t entry;     ///< the mount's business
	uint64_t size;      ///< bytes of the payload's file, uncompressed; of a loose file: when it was listed
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
/// The size alone, without a lease; 0 when no mount knows it. Under the store's lock. Counts no probe.
uint64_t lrd_mounts_size(const lrd_mounts *mounts, lrd_kind kind, lrd_string stem);

/// The bytes: in place where the mount allows it, else read or inflated into memory of the allocator. Pages are brought
/// in, so that who looks at them later does not wait for the disk. Takes a lease of its own where it reads in place;
/// a mapped loose file needs none, it outlives its mount by itself.
/// Not under the lock. `io_bytes` is what was read or inflated.
/// Errors: LRD_ERROR_IO, LRD_ERROR_NOT_FOUND (deleted since it was listed), LRD_ERROR_CHANGED, LRD_ERROR_FORMAT,
/// LRD_ERROR_MEMORY.
bool lrd_origin_read(
	const lrd_origin *origin, lrd_allocator allocator, lrd_content *content, uint64_t *io_bytes, lrd_error *error);
/// "game.lpack:models/fox.lmodel": for messages.
void lrd_origin_name(const lrd_origin *origin, char *text, size_t size);

/// Give a lease back; the origin, or content, is zeroed, so that this is harmless twice. Any thread. Not under the
/// store's lock: the last lease of an unmounted mount takes it and closes the mount.
void lrd_origin_release(lrd_store *store, lrd_origin *origin);
void lrd_content_release(lrd_store *store, lrd_allocator allocator, lrd_content *content);

/// lrd_asset_put's table: the bytes are copied, and looked for before all mounts from now on; size 0 takes the name
/// away. Those who read what was there keep it. Not under the lock. Errors: LRD_ERROR_MEMORY; then it is as it was.
bool lrd_mounts_put(lrd_store *store, lrd_kind kind, lrd_string stem, lrd_bytes bytes, lrd_error *error);

/// LRD_ERROR_NOT_FOUND and a message for a name that no mount knows: the nearest names of this kind, at most three, by
/// edit distance (else those in other folders), and what else is called that. Not under the lock; takes it in turns,
/// never for long. Its work is bounded: about a tenth of a second for one name however many there are to compare with,
/// and about a second until the mounts change next; beyond, the message says less. Allocates nothing.
void lrd_mounts_suggest(lrd_store *store, lrd_kind kind, lrd_string stem, lrd_error *error);

/// Something is to be loaded anew: what relisting and touching find. Not under the lock; may call the store.
typedef void lrd_mount_changed(void *user, lrd_kind kind, lrd_string stem);

/// List a folder, or open a bundle, again: names that are new, gone, or of another size, time or inode (in bundles:
/// digest) are told, once the look-ups go by the new state. Where nothing differs nothing changes, the epoch neither.
/// Content in memory does not change. Reads the disk; waits for another thread that lists the same mount. Not under
/// the lock.
/// Errors: as mounting, and LRD_ERROR_ARGUMENT (a stale mount); then the mount is as it was.
bool lrd_mounts_relist(lrd_store *store, lrd_mount mount, lrd_mount_changed *changed, void *user, lrd_error *error);

/// The same for some files of a folder: `paths` are relative to it; what is no asset is passed over. A folder that came
/// or went takes relisting. Does not wait for who is listing the mount.
/// Errors: LRD_ERROR_ARGUMENT (a stale mount, or not of a folder), LRD_ERROR_MEMORY; LRD_ERROR_CONFLICT and
/// LRD_ERROR_PATH, the first of them: of the other files what was found counts.
bool lrd_mounts_touch(lrd_store *store, lrd_mount mount, const lrd_string *paths, size_t count,
	lrd_mount_changed *changed, void *user, lrd_error *error);

/// Look at the disk whether a file of this name is in the mounted folders, and put into their tables what was found: new,
/// changed or gone. Not under the lock.
void lrd_mounts_look_for(lrd_store *store, lrd_kind kind, lrd_string stem);

/// Free every mount. Nothing is leased any more.
void lrd_mounts_free(lrd_store *store);

/// For snapshots, under the lock: each mount in turn, unmounted ones that are still leased last.
typedef struct lrd_mount_row
{
	lrd_mount id;     ///< null: unmounted, or replaced by a newer listing
	const char *name; ///< path; "memory", "put"
	uint32_t files;
	uint32_t leases;
	uint64_t opened;
} lrd_mount_row;
bool lrd_mounts_next(const lrd_mounts *mounts, const lrd_mounted **at, lrd_mount_row *row); ///< *at NULL: the first

#endif
