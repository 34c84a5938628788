// store/watch.c: mounts that are watched. What changed is gathered for each, and a job takes it over as a whole: it lists the
// mount again or looks at the files, and loads anew what differs, each family at a stem once.

#include "store/watch.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/path.h"
#include "os/watch.h"

// Bytes of paths that are gathered; beyond, the whole mount is listed.
#define PATHS_SIZE_MAX ((size_t)256 * 1024)

#define CHANGES_ARENA_SIZE ((size_t)16 * 1024)

// All fields of all of them are guarded by lrd_watch.mutex, but for `taken`, which the job has while it runs.
struct lrd_watched
{
	lrd_job job; // first: the watched mount is found through it
	struct lrd_watch *watch;
	lrd_watched *next;
	lrd_watcher *watcher;
	lrd_mount mount; // null: not mounted yet, or no more
	bool folder;
	bool running;       // the job is submitted, or about to be
	bool everything;    // more changed than is known
	lrd_buffer changed; // paths that did, each with a terminator
	bool taken_everything;
	lrd_buffer taken;
	size_t name_size; // of the allocation behind
	char name[];
};

struct lrd_watch
{
	lrd_store *store;
	lrd_mutex mutex;
	lrd_condition idle; // a job ended
	lrd_watched *first;
	lrd_watched *retired; // not mounted any more: to be freed by who may wait for threads
	bool stopping;
};

static void free_watched(lrd_watched *self)
{
	lrd_allocator allocator = self->watch->store->allocator;
	lrd_buffer_free(&self->changed);
	lrd_buffer_free(&self->taken);
	lrd_free(allocator, self, sizeof *self + self->name_size);
}

// --- What a job does ---

// A change that was found: one entry for a family and a stem, whatever files of it changed. Open addressing, linear probing.
typedef struct change
{
	uint64_t hash;
	lrd_kind kind; // LRD_KIND_NONE: empty
	lrd_string stem;
} change;

typedef struct changes
{
	lrd_store *store;
	lrd_arena *arena; // of the stems
	change *table;
	size_t capacity; // a power of two
	size_t count;
	uint32_t reloaded;
} changes;

static change *place_of(change *table, size_t capacity, lrd_kind kind, lrd_string stem, uint64_t hash)
{
	size_t place = (size_t)hash & (capacity - 1);
	while (table[place].kind != LRD_KIND_NONE &&
		   (table[place].hash != hash || lrd_kind_family(table[place].kind) != lrd_kind_family(kind) ||
			   !lrd_string_equal_folded(table[place].stem, stem)))
	{
		place = (place + 1) & (capacity - 1);
	}
	return &table[place];
}

static bool make_room(changes *self)
{
	if (self->count * 2 < self->capacity)
	{
		return true;
	}
	size_t capacity = self->capacity != 0 ? self->capacity * 2 : 64;
	change *table = lrd_alloc_zeroed(self->store->allocator, capacity, sizeof *table);
	if (table == NULL)
	{
		return false;
	}
	for (size_t i = 0; i < self->capacity; i++)
	{
		const change *old = &self->table[i];
		if (old->kind != LRD_KIND_NONE)
		{
			*place_of(table, capacity, old->kind, old->stem, old->hash) = *old;
		}
	}
	lrd_free(self->store->allocator, self->table, self->capacity * sizeof *table);
	self->table = table;
	self->capacity = capacity;
	return true;
}

static void note_change(void *user, lrd_kind kind, lrd_string stem)
{
	changes *self = user;
	uint64_t hash = lrd_fnv1a_64_folded(stem) * 0x9E3779B97F4A7C15u + (uint64_t)lrd_kind_family(kind);
	hash ^= hash >> 32;
	if (self->arena == NULL || !make_room(self))
	{
		self->reloaded += lrd_reload_changed(self->store, kind, stem); // perhaps once too often
		return;
	}
	change *place = place_of(self->table, self->capacity, kind, stem, hash);
	lrd_string kept = place->kind == LRD_KIND_NONE ? lrd_arena_string(self->arena, stem) : place->stem;
	if (kept.data == NULL)
	{
		self->reloaded += lrd_reload_changed(self->store, kind, stem);
	}
	else if (place->kind == LRD_KIND_NONE)
	{
		*place = (change){ hash, kind, kept };
		self->count++;
	}
}

static void apply(changes *self)
{
	for (size_t i = 0; i < self->capacity; i++)
	{
		if (self->table[i].kind != LRD_KIND_NONE)
		{
			self->reloaded += lrd_reload_changed(self->store, self->table[i].kind, self->table[i].stem);
		}
	}
	lrd_free(self->store->allocator, self->table, self->capacity * sizeof *self->table);
	lrd_arena_destroy(self->arena);
}

// The paths in a buffer; NULL: memory.
static lrd_string *split_paths(const lrd_buffer *text, lrd_allocator allocator, size_t *count)
{
	*count = 0;
	for (size_t i = 0; i < text->size; i++)
	{
		*count += text->data[i] == '\0';
	}
	lrd_string *paths = lrd_alloc_zeroed(allocator, *count, sizeof *paths);
	const char *at = (const char *)text->data;
	for (size_t i = 0; paths != NULL && i < *count; i++)
	{
		paths[i] = lrd_string_from(at);
		at += paths[i].size + 1;
	}
	return paths;
}

// False: memory ran out, and it must be looked at again.
static bool look(lrd_watched *self, lrd_mount mount)
{
	lrd_store *store = self->watch->store;
	changes seen = { .store = store, .arena = lrd_arena_create(store->allocator, CHANGES_ARENA_SIZE) };
	lrd_error error = { 0 };
	size_t count = 0;
	lrd_string *paths = self->taken_everything ? NULL : split_paths(&self->taken, store->allocator, &count);
	bool looked = paths != NULL ? lrd_mounts_touch(store, mount, paths, count, note_change, &seen, &error)
								: lrd_mounts_relist(store, mount, note_change, &seen, &error);
	lrd_free(store->allocator, paths, count * sizeof *paths);
	apply(&seen);
	// Somebody may have unmounted it meanwhile, which is nothing to tell.
	if (!looked && error.code != LRD_ERROR_ARGUMENT)
	{
		lrd_log_write(&store->log, LRD_LOG_WARNING, "store", "\"%s\" changed, and can't be looked at: %s", self->name,
			error.message);
	}
	else if (seen.reloaded != 0)
	{
		lrd_log_write(
			&store->log, LRD_LOG_INFO, "store", "\"%s\" changed: %u assets are loaded anew", self->name, seen.reloaded);
	}
	return looked || error.code != LRD_ERROR_MEMORY;
}

static bool has_news(const lrd_watched *self)
{
	return self->everything || self->changed.size != 0;
}

static void ask_for_update(lrd_store *store)
{
	atomic_fetch_or_explicit(&store->attention, LRD_ATTENTION_WATCH, memory_order_relaxed);
}

static void run_job(lrd_job *job)
{
	lrd_watched *self = (lrd_watched *)job;
	struct lrd_watch *watch = self->watch;
	lrd_mutex_lock(&watch->mutex);
	lrd_mount mount = watch->stopping ? (lrd_mount){ 0 } : self->mount;
	lrd_mutex_unlock(&watch->mutex);
	bool done = mount.generation == 0 || look(self, mount);
	lrd_mutex_lock(&watch->mutex);
	self->everything = self->everything || !done;
	self->taken.size = 0;
	self->running = false;
	if (has_news(self))
	{
		ask_for_update(watch->store);
	}
	// Whoever unmounts, or closes the store, waits for just this: nothing may be touched afterwards.
	lrd_condition_broadcast(&watch->idle);
	lrd_mutex_unlock(&watch->mutex);
}

// --- News ---

// Under the mutex.
static void gather(lrd_watched *self, const lrd_watch_changes *news)
{
	self->everything = self->everything || news->everything || !self->folder;
	for (size_t i = 0; i < news->count && !self->everything; i++)
	{
		size_t before = self->changed.size;
		lrd_string path = news->paths[i];
		if (before + path.size >= PATHS_SIZE_MAX || !lrd_buffer_append(&self->changed, path.data, path.size) ||
			!lrd_buffer_append(&self->changed, "", 1))
		{
			self->everything = true;
		}
	}
	self->changed.size = self->everything ? 0 : self->changed.size;
}

// On the watcher's thread.
static void hear(void *user, const lrd_watch_changes *news)
{
	lrd_watched *self = user;
	lrd_store *store = self->watch->store;
	if (news->problem != NULL)
	{
		lrd_log_write(
			&store->log, LRD_LOG_WARNING, "store", "changes in \"%s\" may go unnoticed: %s", self->name, news->problem);
	}
	lrd_mutex_lock(&self->watch->mutex);
	gather(self, news);
	lrd_mutex_unlock(&self->watch->mutex);
	ask_for_update(store);
}

// --- Beginning and ending ---

static struct lrd_watch *make_watch(lrd_store *store)
{
	struct lrd_watch *watch = lrd_alloc_zeroed(store->allocator, 1, sizeof *watch);
	if (watch == NULL)
	{
		return NULL;
	}
	watch->store = store;
	if (lrd_mutex_init(&watch->mutex))
	{
		if (lrd_condition_init(&watch->idle))
		{
			return watch;
		}
		lrd_mutex_destroy(&watch->mutex);
	}
	lrd_free(store->allocator, watch, sizeof *watch);
	return NULL;
}

// The store's, made when it is first asked for; NULL: memory.
static struct lrd_watch *watch_of(lrd_store *store, bool make)
{
	lrd_mutex_lock(&store->lock);
	if (store->watch == NULL && make)
	{
		store->watch = make_watch(store);
	}
	struct lrd_watch *watch = store->watch;
	lrd_mutex_unlock(&store->lock);
	return watch;
}

// One that is retired and has no job; with `all`, one that has is waited for. NULL: there is none.
static lrd_watched *take_retired(struct lrd_watch *watch, bool all)
{
	lrd_mutex_lock(&watch->mutex);
	lrd_watched **link = &watch->retired;
	while (*link != NULL && (*link)->running)
	{
		if (all)
		{
			lrd_condition_wait(&watch->idle, &watch->mutex);
			link = &watch->retired;
		}
		else
		{
			link = &(*link)->next;
		}
	}
	lrd_watched *found = *link;
	if (found != NULL)
	{
		*link = found->next;
	}
	lrd_mutex_unlock(&watch->mutex);
	return found;
}

static void free_retired(struct lrd_watch *watch, bool all)
{
	lrd_watched *retired;
	while ((retired = take_retired(watch, all)) != NULL)
	{
		lrd_watcher_stop(retired->watcher);
		free_watched(retired);
	}
}

static lrd_watched *make_watched(lrd_store *store, const char *path, bool folder, lrd_error *error)
{
	struct lrd_watch *watch = watch_of(store, true);
	size_t name_size = strlen(path) + 1;
	lrd_watched *self = watch != NULL ? lrd_alloc(store->allocator, sizeof *self + name_size) : NULL;
	if (self == NULL)
	{
		lrd_fail_memory(error, path, sizeof *self);
		return NULL;
	}
	free_retired(watch, false);
	*self = (lrd_watched){
		.job = { .run = run_job },
		.watch = watch,
		.folder = folder,
		.changed = { .allocator = store->allocator },
		.taken = { .allocator = store->allocator },
		.name_size = name_size,
	};
	memcpy(self->name, path, name_size);
	const lrd_watcher_desc desc = { .path = path, .on_change = hear, .user = self, .allocator = store->allocator };
	self->watcher = lrd_watcher_start(&desc, error);
	if (self->watcher == NULL)
	{
		free_watched(self);
		return NULL;
	}
	return self;
}

lrd_watched *lrd_watch_begin(lrd_store *store, const char *path, bool folder)
{
	lrd_error error = { 0 };
	lrd_watched *self = make_watched(store, path, folder, &error);
	if (self == NULL)
	{
		lrd_log_write(&store->log, LRD_LOG_WARNING, "store", "changes in \"%s\" go unnoticed: %s", path, error.message);
	}
	return self;
}

void lrd_watch_attach(lrd_watched *self, lrd_mount mount)
{
	if (self == NULL)
	{
		return;
	}
	lrd_mutex_lock(&self->watch->mutex);
	self->mount = mount;
	self->next = self->watch->first;
	self->watch->first = self;
	bool news = has_news(self);
	lrd_mutex_unlock(&self->watch->mutex);
	if (news)
	{
		ask_for_update(self->watch->store);
	}
}

void lrd_watch_cancel(lrd_watched *self)
{
	if (self != NULL)
	{
		lrd_watcher_stop(self->watcher);
		free_watched(self);
	}
}

// Under the mutex: no news of it count any more. Its thread ends soon; nobody waits for it here.
static void retire(struct lrd_watch *watch, lrd_watched **link)
{
	lrd_watched *self = *link;
	*link = self->next;
	self->next = watch->retired;
	self->mount = (lrd_mount){ 0 };
	watch->retired = self;
	lrd_watcher_end(self->watcher);
}

void lrd_watch_end(lrd_store *store, lrd_mount mount)
{
	struct lrd_watch *watch = watch_of(store, false);
	if (watch == NULL)
	{
		return;
	}
	lrd_mutex_lock(&watch->mutex);
	lrd_watched **link = &watch->first;
	while (*link != NULL && ((*link)->mount.index != mount.index || (*link)->mount.generation != mount.generation))
	{
		link = &(*link)->next;
	}
	if (*link != NULL)
	{
		retire(watch, link);
	}
	lrd_mutex_unlock(&watch->mutex);
}

void lrd_watch_stop(lrd_store *store)
{
	struct lrd_watch *watch = watch_of(store, false);
	if (watch == NULL)
	{
		return;
	}
	lrd_mutex_lock(&watch->mutex);
	watch->stopping = true;
	while (watch->first != NULL)
	{
		retire(watch, &watch->first);
	}
	lrd_mutex_unlock(&watch->mutex);
	free_retired(watch, true);
	lrd_condition_destroy(&watch->idle);
	lrd_mutex_destroy(&watch->mutex);
	lrd_free(store->allocator, watch, sizeof *watch);
	lrd_mutex_lock(&store->lock);
	store->watch = NULL;
	lrd_mutex_unlock(&store->lock);
}

// --- The frame ---

// What is new goes to the job.
static void take(lrd_watched *self)
{
	lrd_buffer empty = self->taken;
	self->taken = self->changed;
	self->changed = empty;
	self->taken_everything = self->everything;
	self->everything = false;
	self->running = true;
}

// The scheduler refused: it is all still to be done.
static void put_back(lrd_watched *self)
{
	lrd_store *store = self->watch->store;
	lrd_mutex_lock(&self->watch->mutex);
	bool both = has_news(self);
	if (!both)
	{
		lrd_buffer empty = self->changed;
		self->changed = self->taken;
		self->taken = empty;
	}
	self->everything = both || self->taken_everything;
	self->changed.size = self->everything ? 0 : self->changed.size;
	self->taken.size = 0;
	self->running = false;
	lrd_condition_broadcast(&self->watch->idle);
	lrd_mutex_unlock(&self->watch->mutex);
	lrd_mutex_lock(&store->lock);
	store->stats.jobs_refused++;
	lrd_mutex_unlock(&store->lock);
	ask_for_update(store);
}

// One that has news and no job; its job is to be submitted.
static lrd_watched *take_next(struct lrd_watch *watch)
{
	lrd_mutex_lock(&watch->mutex);
	lrd_watched *self = watch->first;
	while (self != NULL && (self->running || !has_news(self)))
	{
		self = self->next;
	}
	if (self != NULL)
	{
		take(self);
	}
	lrd_mutex_unlock(&watch->mutex);
	return self;
}

void lrd_watch_update(lrd_store *store)
{
	struct lrd_watch *watch = watch_of(store, false);
	lrd_watched *self;
	while (watch != NULL && (self = take_next(watch)) != NULL)
	{
		if (!store->jobs.submit(store->jobs.user, &self->job))
		{
			put_back(self);
			return;
		}
	}
}
