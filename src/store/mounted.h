// store/mounted.h: a mount from inside. For the files that mounts are made of (mount*.c, suggest.c) alone.
//
// What a mount is does not change after it was made, but for two tables of names that change under the store's lock: of
// a folder in which single files were touched, and of the program's own content. Listing a mount again makes a new one
// that takes the old one's place and id.

#ifndef STORE_MOUNTED_H
#define STORE_MOUNTED_H

#include "larder/pack.h"
#include "store/mount.h"
#include "store/names.h"

#include <stdatomic.h>

/// What is looked for: an asset's cooked path.
typedef struct lrd_sought
{
	lrd_kind kind;
	lrd_string key;
	uint64_t hash; ///< lrd_fnv1a_64_folded of the key
} lrd_sought;

/// What sorts of mount there are, and how each does its work.
typedef struct lrd_mount_sort
{
	char separator; ///< between a mount's name and a file's
	bool steady;    ///< the names never change: no lock is needed to go through them
	/// Fill in `origin`, without a lease. Under the store's lock.
	bool (*find)(lrd_mounted *mount, const lrd_sought *sought, lrd_origin *origin);
	/// lrd_origin_read.
	bool (*read)(
		const lrd_origin *origin, lrd_allocator allocator, lrd_content *content, uint64_t *io_bytes, lrd_error *error);
	/// Name number `index`. Its kind is LRD_KIND_NONE where it is not there, and may be wrong where it is no asset
	/// (lrd_name_kind). The key lives as long as the mount. False past the end.
	bool (*name_at)(const lrd_mounted *mount, uint32_t index, lrd_string *key, lrd_kind *kind);
	/// Free it.
	void (*close)(lrd_mounted *mount);
} lrd_mount_sort;

/// Whom to tell when a mount, all listings of it, and what reads through them are gone.
typedef struct lrd_mount_end
{
	_Atomic uint32_t count; ///< of lrd_mounted
	lrd_allocator allocator;
	void (*release)(void *user);
	void *user;
} lrd_mount_end;

struct lrd_mounted
{
	const lrd_mount_sort *sort;
	lrd_mounted *next;
	lrd_mounted *whole;      ///< of one file that the program put there: the mount of all of them, which counts for it
	_Atomic uint32_t leases; ///< one more while it is mounted
	_Atomic uint64_t opened; ///< payloads read
	lrd_mount id;
	uint32_t files;
	bool mounted;          ///< under the store's lock
	bool listing;          ///< somebody lists it again; under the store's lock
	bool copy;             ///< lrd_mount_desc.copy
	uint32_t texture_tail; ///< lrd_store_desc.texture_tail
	lrd_mount_end *end;    ///< NULL: nobody is told
	const char *name;
	lrd_allocator allocator;
	size_t block_size; ///< of the allocation that it begins
};

/// A mount of a sort: `size` bytes of its struct, zeroed beyond its lrd_mounted, then `room` bytes. The name is copied.
void *lrd_mounted_make(
	const lrd_mount_sort *sort, size_t size, size_t room, lrd_string name, lrd_allocator allocator, lrd_error *error);
/// Free what lrd_mounted_make made.
void lrd_mounted_free(lrd_mounted *mount);
/// Close it, and tell who wants to know.
void lrd_mounted_close(lrd_mounted *mount);
void lrd_mounted_lease(lrd_mounted *mount);
/// Not under the store's lock.
void lrd_mounted_release(lrd_store *store, lrd_mounted *mount);
/// The same for the lease that a mount in no list was made with.
void lrd_mounted_drop(lrd_mounted *mount);
/// A lease on the mount that comes after those whose generation is `before` or more, looked in next; NULL: there is
/// none. UINT32_MAX: the first. Not under the store's lock, so that mounts may come and go meanwhile.
lrd_mounted *lrd_mounted_lease_next(lrd_store *store, uint32_t before);
/// Under the store's lock: `made` takes the place and id of a mount that somebody else has a lease on.
void lrd_mounted_replace(lrd_mounts *mounts, lrd_mounted *old, lrd_mounted *made);
/// Under the store's lock: is there an asset of this name? Counts no probe.
bool lrd_mounts_knows(const lrd_mounts *mounts, lrd_kind kind, lrd_string stem);
/// Under the store's lock: names came or went.
void lrd_mounts_next_epoch(lrd_mounts *mounts);
/// Under the store's lock: the mount of an id; NULL for a stale one.
lrd_mounted *lrd_mounted_of(const lrd_mounts *mounts, lrd_mount id);

/// Owned memory for a payload's bytes.
bool lrd_content_alloc(
	const lrd_origin *origin, lrd_allocator allocator, size_t size, lrd_content *content, lrd_error *error);

/// Bring in the pages of a mapped file that its payload begins with: all of them, or of textures the header and the tail.
bool lrd_origin_bring_in(const lrd_origin *origin, lrd_bytes bytes);

/// mount_pack.c
lrd_mounted *lrd_mount_pack(const char *path, lrd_allocator allocator, lrd_error *error);
const lrd_pack *lrd_mount_pack_of(const lrd_mounted *mount); ///< NULL: it is no bundle
/// mount_root.c
lrd_mounted *lrd_mount_root(const char *path, bool copy, lrd_allocator allocator, const lrd_log *log, lrd_error *error);
struct lrd_root *lrd_mount_root_of(lrd_mounted *mount); ///< NULL: it is no folder
/// mount_memory.c
lrd_mounted *lrd_mount_memory(const lrd_memory_file *files, uint32_t count, lrd_allocator allocator, lrd_error *error);

/// What a listed file was.
typedef struct lrd_file_mark
{
	uint64_t size;
	int64_t mtime_ns;
	uint64_t inode;
} lrd_file_mark;

/// A folder of cooked files.
typedef struct lrd_root
{
	lrd_mounted base;
	lrd_names names;      ///< changed under the store's lock while it is mounted, else never
	lrd_file_mark *marks; ///< by a name's number
	size_t mark_capacity;
	lrd_arena *keys;
	bool cooked;       ///< it has a manifest
	uint32_t version;  ///< counts changes
	uint32_t *touched; ///< names that changed while it is being listed again
	size_t touched_count;
	size_t touched_capacity;
} lrd_root;

/// A file of a folder, as a listing knows it.
typedef struct lrd_listed
{
	lrd_string key;
	uint64_t hash; ///< lrd_fnv1a_64_folded of the key
	lrd_kind kind; ///< LRD_KIND_NONE: it is not there
	lrd_file_mark mark;
} lrd_listed;

/// Add a file, or change what is known of it. The key is copied. False: memory, or a conflict with a file listed
/// before; nothing changed.
bool lrd_root_set(lrd_root *root, const lrd_listed *file, lrd_error *error);
/// The folder's path.
const char *lrd_root_path(const lrd_root *root);
/// Number `number` of the names.
lrd_listed lrd_root_at(const lrd_root *root, uint32_t number);

#endif
