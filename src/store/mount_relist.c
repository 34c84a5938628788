// store/mount_relist.c: what changed in a mount since it was listed: all of it listed again, or some of its files looked
// at. The disk is read without the lock, and no caller of a mount waits for it, but one who lists what another is
// listing already.

#include "base/error.h"
#include "base/hash.h"
#include "base/path.h"
#include "pack/reader.h"
#include "store/mounted.h"
#include "store/store.h"

// Names compared under the lock at a time.
#define NAMES_PER_TURN 64

#define ARENA_SIZE ((size_t)8 * 1024)

static bool fail_stale(lrd_mount id, lrd_error *error)
{
	return lrd_fail(error, LRD_ERROR_ARGUMENT, "there is no such mount (index %u, generation %u); it was unmounted",
		id.index, id.generation);
}

// --- Comparing ---

// What differs is told; with nobody to tell the first difference ends it.
typedef struct comparison
{
	lrd_store *store;
	lrd_mount_changed *changed;
	void *user;
	bool differs;
} comparison;

static bool is_over(const comparison *self)
{
	return self->differs && self->changed == NULL;
}

static void tell(comparison *self, lrd_kind kind, lrd_string key)
{
	self->differs = true;
	if (self->changed != NULL)
	{
		self->changed(self->user, kind, lrd_name_stem(kind, key));
	}
}

static bool same_mark(const lrd_file_mark *a, const lrd_file_mark *b)
{
	return a->size == b->size && a->mtime_ns == b->mtime_ns && a->inode == b->inode;
}

// Whether `root` has the file as it is.
static bool has_same(const lrd_root *root, const lrd_listed *file)
{
	uint32_t number;
	return lrd_names_find(&root->names, file->hash, file->key, &number) &&
		   root->names.names[number].kind == (uint8_t)file->kind && same_mark(&root->marks[number], &file->mark);
}

static bool has_name(const lrd_root *root, const lrd_listed *file)
{
	uint32_t number;
	return lrd_names_find(&root->names, file->hash, file->key, &number) &&
		   root->names.names[number].kind != LRD_KIND_NONE;
}

// The files of `of` that `other` does not have, or where `marks` matter has otherwise. One of both is mounted, and
// may change whenever the lock is not held.
static void compare_roots(comparison *self, const lrd_root *of, const lrd_root *other, bool marks)
{
	size_t next = 0;
	bool more = true;
	while (more && !is_over(self))
	{
		lrd_listed found[NAMES_PER_TURN];
		size_t count = 0;
		lrd_mutex_lock(&self->store->lock);
		for (size_t i = 0; i < NAMES_PER_TURN && next < of->names.count; i++, next++)
		{
			lrd_listed file = lrd_root_at(of, (uint32_t)next);
			if (file.kind != LRD_KIND_NONE && !(marks ? has_same(other, &file) : has_name(other, &file)))
			{
				found[count++] = file;
			}
		}
		more = next < of->names.count;
		lrd_mutex_unlock(&self->store->lock);
		for (size_t i = 0; i < count; i++)
		{
			tell(self, found[i].kind, found[i].key);
		}
	}
}

// The entries of `of` that `other` does not have, or where `digests` matter has otherwise.
static void compare_packs(comparison *self, const lrd_pack *of, const lrd_pack *other, bool digests)
{
	lrd_pack_entry entry;
	for (uint32_t i = 0; lrd_pack_at(of, i, &entry) && !is_over(self); i++)
	{
		lrd_pack_entry there;
		uint32_t index;
		bool same = lrd_pack_find_index(other, of->table.records[i].key_hash, entry.key, &index) &&
					lrd_pack_at(other, index, &there) &&
					(!digests || memcmp(there.sha256, entry.sha256, LRD_PACK_DIGEST_SIZE) == 0);
		lrd_kind kind = lrd_name_kind(entry.key);
		if (!same && kind != LRD_KIND_NONE)
		{
			tell(self, kind, entry.key);
		}
	}
}

static void compare(comparison *self, lrd_mounted *old, lrd_mounted *made)
{
	const lrd_pack *pack = lrd_mount_pack_of(made);
	if (pack != NULL)
	{
		compare_packs(self, pack, lrd_mount_pack_of(old), true);
		compare_packs(self, lrd_mount_pack_of(old), pack, false);
		return;
	}
	compare_roots(self, lrd_mount_root_of(made), lrd_mount_root_of(old), true);
	compare_roots(self, lrd_mount_root_of(old), lrd_mount_root_of(made), false);
}

// --- Listing again ---

// A lease on the mount, which nobody else lists again until `end_listing`.
static lrd_mounted *begin_listing(lrd_store *store, lrd_mount id, lrd_error *error)
{
	lrd_mounts *mounts = &store->mounts;
	lrd_mutex_lock(&store->lock);
	lrd_mounted *mount = lrd_mounted_of(mounts, id);
	mounts->can_wait = mounts->can_wait || lrd_condition_init(&mounts->listed);
	while (mount != NULL && mount->listing && mounts->can_wait)
	{
		lrd_condition_wait(&mounts->listed, &store->lock);
		mount = lrd_mounted_of(mounts, id);
	}
	bool can_wait = mounts->can_wait;
	if (mount != NULL && can_wait)
	{
		mount->listing = true;
		lrd_mounted_lease(mount);
	}
	lrd_mutex_unlock(&store->lock);
	if (mount == NULL)
	{
		fail_stale(id, error);
	}
	else if (!can_wait)
	{
		lrd_fail(error, LRD_ERROR_MEMORY, "out of memory: a condition variable");
	}
	return can_wait ? mount : NULL;
}

// Under the lock.
static void end_listing(lrd_mounts *mounts, lrd_mounted *mount)
{
	lrd_root *root = lrd_mount_root_of(mount);
	if (root != NULL)
	{
		lrd_free(mount->allocator, root->touched, root->touched_capacity * sizeof *root->touched);
		root->touched = NULL;
		root->touched_count = 0;
		root->touched_capacity = 0;
	}
	mount->listing = false;
	lrd_condition_broadcast(&mounts->listed);
}

// Files that were touched since the listing began are newer than what it saw.
static bool carry_over(const lrd_root *old, lrd_root *made, lrd_error *error)
{
	for (size_t i = 0; old != NULL && i < old->touched_count; i++)
	{
		lrd_listed file = lrd_root_at(old, old->touched[i]);
		lrd_listed seen = file;
		seen.kind = LRD_KIND_NONE; // under whatever name, in another case, it was seen
		if (!lrd_root_set(made, &seen, error) || !lrd_root_set(made, &file, error))
		{
			return false;
		}
	}
	return true;
}

// Puts `made`, unless it is NULL, in the place of `old`, which is no longer being listed either way.
static bool finish_listing(lrd_store *store, lrd_mounted *old, lrd_mounted *made, lrd_error *error)
{
	bool done = false;
	lrd_mutex_lock(&store->lock);
	if (made != NULL && !old->mounted)
	{
		fail_stale(old->id, error);
	}
	else if (made != NULL && carry_over(lrd_mount_root_of(old), lrd_mount_root_of(made), error))
	{
		made->files = lrd_mount_root_of(made) != NULL ? lrd_mount_root_of(made)->names.alive : made->files;
		atomic_store_explicit(
			&made->opened, atomic_load_explicit(&old->opened, memory_order_relaxed), memory_order_relaxed);
		lrd_mounted_lease(made);
		lrd_mounted_replace(&store->mounts, old, made);
		done = true;
	}
	end_listing(&store->mounts, old);
	lrd_mutex_unlock(&store->lock);
	return done;
}

static lrd_mounted *list_again(lrd_store *store, lrd_mounted *old, lrd_error *error)
{
	lrd_root *root = lrd_mount_root_of(old);
	return root != NULL ? lrd_mount_root(lrd_root_path(root), old->copy, store->allocator, &store->log, error)
						: lrd_mount_pack(old->name, store->allocator, error);
}

static bool relist(lrd_store *store, lrd_mounted *old, comparison *told, lrd_error *error)
{
	lrd_mounted *made = list_again(store, old, error);
	comparison quick = { .store = store };
	if (made != NULL)
	{
		compare(&quick, old, made);
	}
	bool unchanged = made != NULL && !quick.differs;
	bool replaced = finish_listing(store, old, unchanged ? NULL : made, error);
	if (made != NULL && !replaced)
	{
		lrd_mounted_close(made);
	}
	if (replaced)
	{
		compare(told, old, made);
		lrd_mounted_release(store, made);
	}
	return unchanged || replaced;
}

// Files in memory don't change: who asks has mounted new ones over those that assets were loaded from.
static void tell_all(comparison *told, const lrd_mounted *mount)
{
	lrd_string key;
	lrd_kind kind;
	for (uint32_t i = 0; mount->sort->name_at(mount, i, &key, &kind); i++)
	{
		if (kind != LRD_KIND_NONE)
		{
			tell(told, kind, key);
		}
	}
}

bool lrd_mounts_relist(lrd_store *store, lrd_mount mount, lrd_mount_changed *changed, void *user, lrd_error *error)
{
	comparison told = { .store = store, .changed = changed, .user = user };
	lrd_mounted *old = begin_listing(store, mount, error);
	if (old == NULL)
	{
		return false;
	}
	bool listed = true;
	if (lrd_mount_root_of(old) != NULL || lrd_mount_pack_of(old) != NULL)
	{
		listed = relist(store, old, &told, error);
	}
	else
	{
		finish_listing(store, old, NULL, NULL);
		tell_all(&told, old);
	}
	lrd_mounted_release(store, old);
	return listed;
}

// --- Looking at single files ---

typedef struct touch
{
	lrd_store *store;
	lrd_root *root; // leased
	lrd_arena *arena;
	lrd_error *error;
} touch;

// What is on the disk; false: memory. A file that can't be looked at is as good as none.
static bool look_at(const touch *self, lrd_string key, lrd_kind kind, lrd_listed *file)
{
	lrd_error reason = { 0 };
	const char *path;
	lrd_file_info info;
	*file = (lrd_listed){ .key = key, .hash = lrd_fnv1a_64_folded(key) };
	lrd_arena_reset(self->arena);
	bool there = lrd_path_inside(self->arena, lrd_root_path(self->root), key, &path, &reason) &&
				 lrd_file_stat(path, &info, &reason);
	if (there && info.is_file)
	{
		file->kind = kind;
		file->mark = (lrd_file_mark){ info.size, info.mtime_ns, info.inode };
	}
	return there || reason.code != LRD_ERROR_MEMORY || lrd_fail(self->error, reason.code, "%s", reason.message);
}

// Under the lock: the version of the listing, and how it spells a file that it has, if otherwise.
static uint32_t listed_as(const lrd_root *root, const lrd_listed *file, lrd_string *spelled)
{
	uint32_t number;
	*spelled = (lrd_string){ 0 };
	if (lrd_names_find(&root->names, file->hash, file->key, &number) &&
		root->names.names[number].kind != LRD_KIND_NONE &&
		!lrd_string_equal(lrd_name_string(&root->names.names[number]), file->key))
	{
		*spelled = lrd_name_string(&root->names.names[number]);
	}
	return root->version;
}

// Under the lock: note that a name is to be set, for who lists the folder meanwhile.
static bool note_touched(lrd_root *root, lrd_error *error)
{
	return !root->base.listing ||
		   LRD_RESERVE(root->base.allocator, root->touched, root->touched_count, 1, root->touched_capacity) ||
		   lrd_fail_memory(error, root->base.name, root->touched_count);
}

static bool set_file(const touch *self, const lrd_listed *file, bool *changed)
{
	lrd_root *root = self->root;
	uint32_t number;
	bool was_there = has_name(root, file);
	if (has_same(root, file) || (!was_there && file->kind == LRD_KIND_NONE))
	{
		return true;
	}
	if (!note_touched(root, self->error) || !lrd_root_set(root, file, self->error))
	{
		return false;
	}
	if (root->base.listing && lrd_names_find(&root->names, file->hash, file->key, &number))
	{
		root->touched[root->touched_count++] = number;
	}
	root->version++;
	root->base.files = root->names.alive;
	if (was_there != (file->kind != LRD_KIND_NONE))
	{
		lrd_mounts_next_epoch(&self->store->mounts);
	}
	*changed = true;
	return true;
}

// Under the lock: what was seen of a file, and of one that is spelled otherwise, becomes what is known.
static bool apply(const touch *self, const lrd_listed *file, const lrd_listed *other, bool *changed)
{
	if (!self->root->base.mounted)
	{
		return true;
	}
	bool two = other->kind != LRD_KIND_NONE && file->kind != LRD_KIND_NONE;
	if (two && other->mark.inode != file->mark.inode) // the same: a file system that ignores case
	{
		return lrd_root_set(self->root, file, self->error); // which says that both are there
	}
	if (other->kind != LRD_KIND_NONE)
	{
		return set_file(self, other, changed);
	}
	lrd_listed gone = *file;
	gone.kind = LRD_KIND_NONE;
	bool renamed = other->key.size != 0 && file->kind != LRD_KIND_NONE;
	return (!renamed || set_file(self, &gone, changed)) && set_file(self, file, changed);
}

// Looks, then sets what is known; again where another thread did so meanwhile, and may have seen something newer.
static bool touch_file(const touch *self, lrd_string key, lrd_kind kind, bool *changed)
{
	lrd_mutex *lock = &self->store->lock;
	lrd_listed file = { .key = key, .hash = lrd_fnv1a_64_folded(key) };
	bool done = false;
	bool good = true;
	while (good && !done)
	{
		lrd_listed other = { 0 };
		lrd_string spelled;
		lrd_mutex_lock(lock);
		uint32_t version = listed_as(self->root, &file, &spelled);
		lrd_mutex_unlock(lock);
		good = look_at(self, key, kind, &file) && (spelled.size == 0 || look_at(self, spelled, kind, &other));
		if (!good)
		{
			break;
		}
		lrd_mutex_lock(lock);
		done = self->root->version == version;
		good = !done || apply(self, &file, &other, changed);
		lrd_mutex_unlock(lock);
	}
	return good;
}

// All of them, whatever becomes of one; the first error is told. Without memory there is no point in going on.
static bool touch_paths(
	const touch *self, const lrd_string *paths, size_t count, lrd_mount_changed *changed, void *user)
{
	bool good = true;
	for (size_t i = 0; i < count && (good || self->error->code != LRD_ERROR_MEMORY); i++)
	{
		lrd_error error = { 0 };
		touch one = *self;
		one.error = &error;
		bool differs = false;
		lrd_kind kind = lrd_name_kind(paths[i]);
		bool done =
			kind == LRD_KIND_NONE || (lrd_path_check(paths[i], &error) && touch_file(&one, paths[i], kind, &differs));
		if (!done && (good || error.code == LRD_ERROR_MEMORY))
		{
			*self->error = error;
		}
		good = good && done;
		if (differs && changed != NULL)
		{
			changed(user, kind, lrd_name_stem(kind, paths[i]));
		}
	}
	return good;
}

bool lrd_mounts_touch(lrd_store *store, lrd_mount mount, const lrd_string *paths, size_t count,
	lrd_mount_changed *changed, void *user, lrd_error *error)
{
	lrd_arena *arena = lrd_arena_create(store->allocator, ARENA_SIZE);
	if (arena == NULL)
	{
		return lrd_fail_memory(error, "looking at files", ARENA_SIZE);
	}
	lrd_mutex_lock(&store->lock);
	lrd_mounted *found = lrd_mounted_of(&store->mounts, mount);
	if (found != NULL)
	{
		lrd_mounted_lease(found);
	}
	lrd_mutex_unlock(&store->lock);
	lrd_error reason = { 0 };
	bool done = false;
	if (found == NULL)
	{
		fail_stale(mount, &reason);
	}
	else if (lrd_mount_root_of(found) == NULL)
	{
		lrd_fail(&reason, LRD_ERROR_ARGUMENT, "%s: it is no folder; list it again as a whole", found->name);
	}
	else
	{
		touch self = { store, lrd_mount_root_of(found), arena, &reason };
		done = touch_paths(&self, paths, count, changed, user);
	}
	if (found != NULL)
	{
		lrd_mounted_release(store, found);
	}
	lrd_arena_destroy(arena);
	return done || lrd_fail(error, reason.code, "%s", reason.message);
}

void lrd_mounts_look_for(lrd_store *store, lrd_kind kind, lrd_string stem)
{
	char text[LRD_PATH_MAX];
	lrd_string key;
	lrd_arena *arena = NULL;
	if (!lrd_name_key(kind, stem, text, &key))
	{
		return;
	}
	uint32_t before = UINT32_MAX;
	for (lrd_mounted *mount = NULL; (mount = lrd_mounted_lease_next(store, before)) != NULL;)
	{
		before = mount->id.generation;
		lrd_root *root = lrd_mount_root_of(mount);
		lrd_error error;
		bool changed = false;
		arena = arena == NULL && root != NULL ? lrd_arena_create(store->allocator, ARENA_SIZE) : arena;
		touch self = { store, root, arena, &error };
		if (root != NULL && (arena == NULL || !touch_file(&self, key, kind, &changed)))
		{
			lrd_log_write(&store->log, LRD_LOG_WARNING, "store", "%s: %s", mount->name,
				arena != NULL ? error.message : "out of memory: looking for a file");
		}
		lrd_mounted_release(store, mount);
	}
	lrd_arena_destroy(arena);
}
