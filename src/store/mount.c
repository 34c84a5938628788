// store/mount.c: the list of mounts: mounting, looking up, leases. What each sort of mount does is in its own file.

#include "base/error.h"
#include "base/hash.h"
#include "base/path.h"
#include "larder/texture.h"
#include "store/mounted.h"
#include "store/trace.h"
#include "store/watch.h"

#include <stdio.h>

// --- One mount ---

void *lrd_mounted_make(
	const lrd_mount_sort *sort, size_t size, size_t room, lrd_string name, lrd_allocator allocator, lrd_error *error)
{
	size_t block_size = 0;
	lrd_mounted *mount =
		lrd_add_size(size + name.size + 1, room, &block_size) ? lrd_alloc(allocator, block_size) : NULL;
	if (mount == NULL)
	{
		lrd_fail_memory(error, "a mount", room);
		return NULL;
	}
	memset(mount, 0, size);
	char *own_name = (char *)mount + size + room;
	memcpy(own_name, name.data, name.size);
	own_name[name.size] = '\0';
	mount->sort = sort;
	mount->name = own_name;
	mount->allocator = allocator;
	mount->block_size = block_size;
	atomic_init(&mount->leases, 1);
	atomic_init(&mount->opened, 0);
	return mount;
}

void lrd_mounted_free(lrd_mounted *mount)
{
	lrd_free(mount->allocator, mount, mount->block_size);
}

static void drop_end(lrd_mount_end *end)
{
	if (end == NULL || atomic_fetch_sub_explicit(&end->count, 1, memory_order_acq_rel) != 1)
	{
		return;
	}
	end->release(end->user);
	lrd_free(end->allocator, end, sizeof *end);
}

void lrd_mounted_close(lrd_mounted *mount)
{
	lrd_mount_end *end = mount->end;
	mount->sort->close(mount);
	drop_end(end);
}

void lrd_mounted_lease(lrd_mounted *mount)
{
	atomic_fetch_add_explicit(&mount->leases, 1, memory_order_relaxed);
	if (mount->whole != NULL)
	{
		atomic_fetch_add_explicit(&mount->whole->leases, 1, memory_order_relaxed);
	}
}

// True for the last one; everything that was read through the others came before.
static bool give_back(lrd_mounted *mount)
{
	return atomic_fetch_sub_explicit(&mount->leases, 1, memory_order_acq_rel) == 1;
}

static bool unlink_from(lrd_mounted **list, lrd_mounted *mount)
{
	for (lrd_mounted **link = list; *link != NULL; link = &(*link)->next)
	{
		if (*link == mount)
		{
			*link = mount->next;
			mount->next = NULL;
			return true;
		}
	}
	return false;
}

void lrd_mounted_release(lrd_store *store, lrd_mounted *mount)
{
	if (mount->whole != NULL)
	{
		atomic_fetch_sub_explicit(&mount->whole->leases, 1, memory_order_relaxed);
	}
	if (!give_back(mount))
	{
		return;
	}
	if (mount->whole == NULL) // else it is in no list
	{
		lrd_mutex_lock(&store->lock);
		store->mounts.leased_count -= unlink_from(&store->mounts.leased, mount);
		lrd_mutex_unlock(&store->lock);
	}
	lrd_mounted_close(mount);
}

void lrd_mounted_drop(lrd_mounted *mount)
{
	if (give_back(mount))
	{
		lrd_mounted_close(mount);
	}
}

lrd_mounted *lrd_mounted_of(const lrd_mounts *mounts, lrd_mount id)
{
	lrd_mounted *mount = id.generation != 0 ? mounts->first : NULL;
	while (mount != NULL && (mount->id.index != id.index || mount->id.generation != id.generation))
	{
		mount = mount->next;
	}
	return mount;
}

lrd_mounted *lrd_mounted_lease_next(lrd_store *store, uint32_t before)
{
	lrd_mutex_lock(&store->lock);
	lrd_mounted *mount = store->mounts.first;
	while (mount != NULL && mount->id.generation >= before)
	{
		mount = mount->next;
	}
	if (mount != NULL)
	{
		lrd_mounted_lease(mount);
	}
	lrd_mutex_unlock(&store->lock);
	return mount;
}

// --- Bringing in ---

// Levels lie smallest first: header and tail are one run of bytes. What makes no sense is found when it is opened.
static size_t header_and_tail(lrd_bytes bytes, uint32_t tail)
{
	size_t header = 0;
	lrd_texture_view view;
	uint64_t offset = 0, size = 0;
	if (bytes.size < LRD_TEXTURE_HEAD_SIZE || !lrd_pages_bring_in(bytes.data, LRD_TEXTURE_HEAD_SIZE) ||
		!lrd_texture_header_size(bytes.data, LRD_TEXTURE_HEAD_SIZE, bytes.size, &header, NULL) ||
		!lrd_pages_bring_in(bytes.data, header) ||
		!lrd_texture_open_header(bytes.data, header, bytes.size, &view, NULL))
	{
		return bytes.size;
	}
	uint32_t count = tail < view.level_count ? tail : view.level_count;
	return lrd_texture_range(&view, view.level_count - count, count, &offset, &size) ? (size_t)(offset + size)
																					 : bytes.size;
}

bool lrd_origin_bring_in(const lrd_origin *origin, lrd_bytes bytes)
{
	uint32_t tail = origin->mount->texture_tail;
	bool whole = tail == 0 || lrd_kind_from_path(origin->key) != LRD_TEXTURE;
	return lrd_pages_bring_in(bytes.data, whole ? bytes.size : header_and_tail(bytes, tail));
}

// --- Mounting ---

static bool check_desc(const lrd_mount_desc *desc, lrd_error *error)
{
	int count = (desc->pack != NULL) + (desc->root != NULL) + (desc->files != NULL);
	return count == 1 ||
		   lrd_fail(error, LRD_ERROR_ARGUMENT,
			   "a mount is one of a bundle, a folder and files in memory; the description names %d of them", count);
}

static lrd_mounted *open_sort(const lrd_mount_desc *desc, lrd_allocator allocator, const lrd_log *log, lrd_error *error)
{
	if (desc->pack != NULL)
	{
		return lrd_mount_pack(desc->pack, allocator, error);
	}
	if (desc->root != NULL)
	{
		return lrd_mount_root(desc->root, desc->copy, allocator, log, error);
	}
	return lrd_mount_memory(desc->files, desc->file_count, allocator, error);
}

static lrd_mounted *open_mount(lrd_store *store, const lrd_mount_desc *desc, lrd_error *error)
{
	lrd_mount_end *end = NULL;
	if (!check_desc(desc, error))
	{
		return NULL;
	}
	if (desc->release != NULL && (end = lrd_alloc(store->allocator, sizeof *end)) == NULL)
	{
		lrd_fail_memory(error, "a mount", sizeof *end);
		return NULL;
	}
	lrd_mounted *mount = open_sort(desc, store->allocator, &store->log, error);
	if (mount == NULL)
	{
		lrd_free(store->allocator, end, sizeof *end);
		return NULL;
	}
	mount->texture_tail = store->texture_tail;
	if (end != NULL)
	{
		*end = (lrd_mount_end){ .allocator = store->allocator, .release = desc->release, .user = desc->user };
		atomic_init(&end->count, 1);
		mount->end = end;
	}
	return mount;
}

void lrd_mounts_next_epoch(lrd_mounts *mounts)
{
	mounts->epoch++;
	mounts->suggested = 0;
}

// NULL: it is not to be watched, or can't be. A folder that is taken for a bundle would be listed for nothing.
static lrd_watched *begin_watch(lrd_store *store, const lrd_mount_desc *desc)
{
	lrd_file_info info;
	if (!desc->watch || (desc->pack == NULL && desc->root == NULL) ||
		(desc->pack != NULL && lrd_file_stat(desc->pack, &info, NULL) && info.is_folder))
	{
		return NULL;
	}
	return lrd_watch_begin(store, desc->pack != NULL ? desc->pack : desc->root, desc->pack == NULL);
}

static bool mount_anew(lrd_store *store, const lrd_mount_desc *desc, lrd_mount *mount, lrd_error *error)
{
	// What changes while it is being listed is noticed, too.
	lrd_watched *watched = begin_watch(store, desc);
	lrd_mounted *made = open_mount(store, desc, error);
	if (made == NULL)
	{
		lrd_watch_cancel(watched);
		if (desc->release != NULL)
		{
			desc->release(desc->user);
		}
		return false;
	}
	lrd_mutex_lock(&store->lock);
	lrd_mounts *mounts = &store->mounts;
	made->id = (lrd_mount){ mounts->count, ++mounts->next_generation };
	made->mounted = true;
	made->next = mounts->first;
	mounts->first = made;
	mounts->count++;
	lrd_mounts_next_epoch(mounts);
	lrd_mount id = made->id;
	lrd_mutex_unlock(&store->lock);
	lrd_watch_attach(watched, id);
	if (mount != NULL)
	{
		*mount = id;
	}
	return true;
}

bool lrd_store_mount(lrd_store *store, const lrd_mount_desc *desc, lrd_mount *mount, lrd_error *error)
{
	const uint64_t begun = lrd_trace_begun(store);
	lrd_mount made = { 0 };
	bool done = mount_anew(store, desc, &made, error);
	if (done && mount != NULL)
	{
		*mount = made;
	}
	const char *sort = desc->pack != NULL ? "pack" : (desc->root != NULL ? "root" : "files");
	LRD_TRACE(store, begun, store_mount, lrd_trace_text(lrd_string_from(sort)),
		lrd_trace_text(lrd_string_from(desc->pack != NULL ? desc->pack : desc->root)), lrd_trace_bool(desc->watch),
		lrd_trace_bool(desc->copy), lrd_trace_mount(made));
	return done;
}

// Under the lock: a mount that was in the list of those mounted lives by its leases from now on. True: it has none, and
// is to be closed without the lock.
static bool retire(lrd_mounts *mounts, lrd_mounted *mount)
{
	mount->mounted = false;
	if (give_back(mount))
	{
		return true;
	}
	mount->next = mounts->leased;
	mounts->leased = mount;
	mounts->leased_count++;
	return false;
}

void lrd_mounted_replace(lrd_mounts *mounts, lrd_mounted *old, lrd_mounted *made)
{
	lrd_mounted **link = &mounts->first;
	while (*link != old)
	{
		link = &(*link)->next;
	}
	*link = made;
	made->next = old->next;
	made->id = old->id;
	made->mounted = true;
	made->end = old->end;
	made->texture_tail = old->texture_tail;
	if (made->end != NULL)
	{
		atomic_fetch_add_explicit(&made->end->count, 1, memory_order_relaxed);
	}
	lrd_mounts_next_epoch(mounts);
	(void)retire(mounts, old); // somebody has a lease
}

bool lrd_store_unmount(lrd_store *store, lrd_mount mount)
{
	const uint64_t begun = lrd_trace_begun(store);
	lrd_mutex_lock(&store->lock);
	lrd_mounts *mounts = &store->mounts;
	lrd_mounted *found = lrd_mounted_of(mounts, mount);
	bool idle = false;
	if (found != NULL)
	{
		unlink_from(&mounts->first, found);
		mounts->count--;
		lrd_mounts_next_epoch(mounts);
		idle = retire(mounts, found);
	}
	lrd_mutex_unlock(&store->lock);
	lrd_watch_end(store, mount);
	if (idle)
	{
		lrd_mounted_close(found);
	}
	LRD_TRACE(store, begun, store_unmount, lrd_trace_mount(mount), lrd_trace_bool(found != NULL));
	return found != NULL;
}

static void close_all(lrd_mounted *list)
{
	while (list != NULL)
	{
		lrd_mounted *next = list->next;
		lrd_mounted_close(list);
		list = next;
	}
}

void lrd_mounts_free(lrd_store *store)
{
	lrd_mounts *mounts = &store->mounts;
	close_all(mounts->first);
	close_all(mounts->leased);
	close_all(mounts->put);
	if (mounts->can_wait)
	{
		lrd_condition_destroy(&mounts->listed);
	}
	*mounts = (lrd_mounts){ 0 };
}

// --- Looking up ---

static lrd_mounted *look_up(const lrd_mounts *mounts, lrd_kind kind, lrd_string stem, lrd_origin *origin)
{
	char text[LRD_PATH_MAX];
	lrd_sought sought = { .kind = kind };
	if (!lrd_name_key(kind, stem, text, &sought.key))
	{
		return NULL;
	}
	sought.hash = lrd_fnv1a_64_folded(sought.key);
	if (mounts->put != NULL && mounts->put->sort->find(mounts->put, &sought, origin))
	{
		return origin->mount;
	}
	for (lrd_mounted *mount = mounts->first; mount != NULL; mount = mount->next)
	{
		if (mount->sort->find(mount, &sought, origin))
		{
			return origin->mount;
		}
	}
	return NULL;
}

bool lrd_mounts_find(lrd_mounts *mounts, lrd_kind kind, lrd_string stem, lrd_origin *origin)
{
	mounts->probes++;
	lrd_origin found = { 0 };
	lrd_mounted *mount = look_up(mounts, kind, stem, &found);
	if (mount == NULL)
	{
		return false;
	}
	lrd_mounted_lease(mount);
	*origin = found;
	return true;
}

bool lrd_mounts_knows(const lrd_mounts *mounts, lrd_kind kind, lrd_string stem)
{
	lrd_origin found = { 0 };
	return look_up(mounts, kind, stem, &found) != NULL;
}

uint64_t lrd_mounts_size(const lrd_mounts *mounts, lrd_kind kind, lrd_string stem)
{
	lrd_origin found = { 0 };
	return look_up(mounts, kind, stem, &found) != NULL ? found.size : 0;
}

// --- Reading ---

bool lrd_content_alloc(
	const lrd_origin *origin, lrd_allocator allocator, size_t size, lrd_content *content, lrd_error *error)
{
	*content = (lrd_content){ .owned_size = size };
	content->owned = lrd_alloc(allocator, size);
	content->bytes = (lrd_bytes){ content->owned, size };
	if (size != 0 && content->owned == NULL)
	{
		char name[LRD_ERROR_MESSAGE_SIZE];
		lrd_origin_name(origin, name, sizeof name);
		return lrd_fail_memory(error, name, size);
	}
	return true;
}

bool lrd_origin_read(
	const lrd_origin *origin, lrd_allocator allocator, lrd_content *content, uint64_t *io_bytes, lrd_error *error)
{
	lrd_content read = { 0 };
	uint64_t moved = 0;
	if (!origin->mount->sort->read(origin, allocator, &read, &moved, error))
	{
		return false;
	}
	lrd_mounted *mount = origin->mount->whole != NULL ? origin->mount->whole : origin->mount;
	atomic_fetch_add_explicit(&mount->opened, 1, memory_order_relaxed);
	*content = read;
	*io_bytes = moved;
	return true;
}

void lrd_origin_name(const lrd_origin *origin, char *text, size_t size)
{
	(void)snprintf(
		text, size, "%s%c%.*s", origin->mount->name, origin->mount->sort->separator, LRD_STR_ARG(origin->key));
}

void lrd_origin_release(lrd_store *store, lrd_origin *origin)
{
	lrd_mounted *mount = origin->mount;
	*origin = (lrd_origin){ 0 };
	if (mount != NULL)
	{
		lrd_mounted_release(store, mount);
	}
}

void lrd_content_release(lrd_store *store, lrd_allocator allocator, lrd_content *content)
{
	lrd_content gone = *content;
	*content = (lrd_content){ 0 };
	lrd_free(allocator, gone.owned, gone.owned_size);
	lrd_mapping_release(gone.mapping);
	if (gone.mount != NULL)
	{
		lrd_mounted_release(store, gone.mount);
	}
}

// --- Showing ---

static const lrd_mounted *next_mount(const lrd_mounts *mounts, const lrd_mounted *at)
{
	const lrd_mounted *next = at != NULL ? at->next : mounts->put;
	bool put_ends = next == NULL && (at == NULL || at == mounts->put);
	bool mounted_end = next == NULL && at != NULL && at != mounts->put && at->mounted;
	next = put_ends ? mounts->first : next;
	return next == NULL && (put_ends || mounted_end) ? mounts->leased : next;
}

bool lrd_mounts_next(const lrd_mounts *mounts, const lrd_mounted **at, lrd_mount_row *row)
{
	const lrd_mounted *mount = next_mount(mounts, *at);
	if (mount == NULL)
	{
		return false;
	}
	uint32_t leases = atomic_load_explicit(&mount->leases, memory_order_relaxed);
	*row = (lrd_mount_row){
		.id = mount->mounted ? mount->id : (lrd_mount){ 0 },
		.name = mount->name,
		.files = mount->files,
		.leases = leases - (mount->mounted ? 1 : 0),
		.opened = atomic_load_explicit(&mount->opened, memory_order_relaxed),
	};
	*at = mount;
	return true;
}
