// os/watch.c: noticing that files change, by inotify(7). Each folder of a tree has a watch of its own in one inotify instance,
// and a node here that says which folder it is; the folder above the tree is watched too, for its name to come back.
// What was noticed waits in a batch (watch_batch.c) until it is quiet.

#include "os/watch.h"

#include "base/error.h"
#include "os/system.h"
#include "os/watch_batch.h"

#include <errno.h>
#include <stdio.h>

bool lrd_watcher_refused(lrd_error *error, int number, const char *path)
{
	if (number == ENOSPC)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT,
			"%s: can't be watched: the system allows no more watches, one is needed for each folder (raise it: "
			"sysctl fs.inotify.max_user_watches=1048576)",
			path);
	}
	if (number == EMFILE || number == ENFILE)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT,
			"%s: can't be watched: too many files or inotify instances are open (raise them: ulimit -n 4096, sysctl "
			"fs.inotify.max_user_instances=1024)",
			path);
	}
	if (number == ENOSYS)
	{
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED, "%s: can't be watched: this system has no inotify", path);
	}
	return lrd_fail_system(error, number, "can't be watched", path);
}

#if defined(__linux__)

#include <dirent.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#define NANOSECONDS 1000000u // a millisecond has
#define BUCKETS 1024
#define EVENTS_SIZE ((size_t)64 * 1024)
#define LINKED_FOLDERS_MAX 4096 // as in folder.c
#define STACK_SIZE ((size_t)128 * 1024)

#define MADE (IN_CREATE | IN_MOVED_TO)
#define GONE (IN_DELETE | IN_MOVED_FROM)
#define MASK (IN_CLOSE_WRITE | MADE | GONE | IN_DELETE_SELF | IN_ONLYDIR)

// What a watch stands for. One watch can stand for several folders, where links lead to it.
typedef struct watch_node
{
	struct watch_node *next; // in its bucket
	struct watch_node *next_pending;
	int wd;
	bool pending; // to be listed
	bool holder;  // the folder that the root lies in, where `path` is the name to look for
	size_t size;
	char path[]; // relative to the root: "" or "models/fox/"; null-terminated
} watch_node;

struct lrd_watcher
{
	lrd_allocator allocator;
	void (*on_change)(void *user, const lrd_watch_changes *changes);
	void *user;
	int notify;
	int stop;
	lrd_thread *thread;
	bool running; // the thread may be
	bool is_file;
	size_t linked_count;
	watch_node *buckets[BUCKETS];
	watch_node *pending;
	lrd_watch_batch batch;
	lrd_buffer path; // root, "/", relative path; null-terminated, terminator not counted
	size_t root_size;
	char resolved_root[PATH_MAX]; // of a single file: where it is, or the link to it
	char resolved[PATH_MAX];
	char problem[LRD_ERROR_MESSAGE_SIZE]; // not told yet; "": none
	lrd_error_code problem_code;          // of the last one: what goes on being wrong is told once
	_Alignas(struct inotify_event) char events[EVENTS_SIZE];
};

// What can't be watched from now on. Anything may happen there, so look at everything once more.
static void note_problem(lrd_watcher *self, const lrd_error *error, uint64_t now)
{
	lrd_watch_batch_everything(&self->batch, now);
	if (self->problem_code != error->code)
	{
		self->problem_code = error->code;
		memcpy(self->problem, error->message, sizeof self->problem);
	}
}

static bool set_path(lrd_watcher *self, lrd_string relative, const char *name, lrd_error *error)
{
	self->path.size = self->root_size;
	if (!lrd_buffer_append(&self->path, relative.data, relative.size) ||
		!lrd_buffer_append(&self->path, name, strlen(name) + 1))
	{
		return lrd_fail_memory(error, "watching a folder", relative.size + strlen(name) + 1);
	}
	self->path.size--;
	return true;
}

static char *path_text(const lrd_watcher *self)
{
	return (char *)self->path.data;
}

static lrd_string relative_path(const lrd_watcher *self)
{
	return (lrd_string){ path_text(self) + self->root_size, self->path.size - self->root_size };
}

static watch_node **bucket_of(lrd_watcher *self, int wd)
{
	return &self->buckets[(unsigned)wd % BUCKETS];
}

static watch_node *find_node(lrd_watcher *self, int wd, lrd_string path, bool holder)
{
	watch_node *node = *bucket_of(self, wd);
	while (node != NULL && (node->wd != wd || node->holder != holder ||
							   !lrd_string_equal(path, (lrd_string){ node->path, node->size })))
	{
		node = node->next;
	}
	return node;
}

// Watch a folder, as `path`. One that can't be read, or is gone, is passed over, unless there is nothing to watch without it.
static bool add_node(lrd_watcher *self, const char *folder, lrd_string path, bool holder, lrd_error *error)
{
	int wd = inotify_add_watch(self->notify, folder, MASK);
	if (wd < 0)
	{
		bool needed = !self->running && (holder ? self->is_file : path.size == 0);
		bool passed = errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == ELOOP || errno == ENAMETOOLONG;
		return (passed && !needed) || lrd_watcher_refused(error, errno, folder);
	}
	watch_node *node = find_node(self, wd, path, holder);
	if (node == NULL)
	{
		node = lrd_alloc(self->allocator, sizeof *node + path.size + 1);
		if (node == NULL)
		{
			return lrd_fail_memory(error, folder, sizeof *node + path.size + 1);
		}
		*node = (watch_node){ .wd = wd, .holder = holder, .size = path.size };
		memcpy(node->path, path.data, path.size);
		node->path[path.size] = '\0';
		node->next = *bucket_of(self, wd);
		*bucket_of(self, wd) = node;
	}
	if (!node->pending && !holder)
	{
		node->pending = true;
		node->next_pending = self->pending;
		self->pending = node;
	}
	return true;
}

// Whether what is at self->path is also a folder on the way to it: following the link would never end.
static bool is_on_the_way(lrd_watcher *self, const struct stat *target)
{
	char *text = path_text(self);
	bool found = false;
	for (size_t i = self->path.size; i > 0 && i + 1 >= self->root_size && !found; i--)
	{
		struct stat status;
		if (text[i] == '/')
		{
			text[i] = '\0';
			found = stat(text, &status) == 0 && status.st_dev == target->st_dev && status.st_ino == target->st_ino;
			text[i] = '/';
		}
	}
	return found;
}

// Whether the link at self->path leads to a folder that lrd_folder_walk would enter.
static bool is_followed_link(lrd_watcher *self)
{
	struct stat target;
	size_t size = strlen(self->resolved_root);
	size -= size == 1 ? 1 : 0; // "/"
	return realpath(path_text(self), self->resolved) != NULL && stat(self->resolved, &target) == 0 &&
		   S_ISDIR(target.st_mode) && strncmp(self->resolved, self->resolved_root, size) == 0 &&
		   (self->resolved[size] == '/' || self->resolved[size] == '\0') && !is_on_the_way(self, &target) &&
		   self->linked_count++ < LINKED_FOLDERS_MAX;
}

// What is at self->path, found in a folder or named by an event: a folder is watched, anything else is a change.
static bool take_in(lrd_watcher *self, bool tell, bool made, uint64_t now, lrd_error *error)
{
	struct stat status;
	if (lstat(path_text(self), &status) != 0)
	{
		if (tell)
		{
			lrd_watch_batch_add(&self->batch, relative_path(self), false, now); // gone again
		}
		return true;
	}
	if (S_ISDIR(status.st_mode) || (S_ISLNK(status.st_mode) && is_followed_link(self)))
	{
		if (!lrd_buffer_append(&self->path, "/", 2))
		{
			return lrd_fail_memory(error, path_text(self), 2);
		}
		self->path.size--;
		return add_node(self, path_text(self), relative_path(self), false, error);
	}
	if (tell)
	{
		// A link is whole at once, a file that was made is about to be written.
		bool young = made && S_ISREG(status.st_mode) && status.st_nlink == 1;
		lrd_watch_batch_add(&self->batch, relative_path(self), young, now);
	}
	return true;
}

static bool list_node(lrd_watcher *self, const watch_node *node, bool tell, uint64_t now, lrd_error *error)
{
	lrd_string folder = { node->path, node->size };
	if (!set_path(self, folder, "", error))
	{
		return false;
	}
	DIR *list = opendir(path_text(self));
	bool sound = true;
	for (struct dirent *found; sound && list != NULL && (found = readdir(list)) != NULL;)
	{
		if (found->d_name[0] != '.' && (tell || (found->d_type != DT_REG)))
		{
			sound = set_path(self, folder, found->d_name, error) && take_in(self, tell, false, now, error);
		}
	}
	if (list != NULL)
	{
		closedir(list);
	}
	return sound;
}

// List folders that were added, and those in them. A folder's watch is there before it is listed, so nothing is missed.
static bool list_pending(lrd_watcher *self, bool tell, uint64_t now, lrd_error *error)
{
	bool sound = true;
	while (self->pending != NULL)
	{
		watch_node *node = self->pending;
		self->pending = node->next_pending;
		node->pending = false;
		sound = sound && list_node(self, node, tell, now, error);
	}
	return sound;
}

static bool add_root(lrd_watcher *self, uint64_t now, lrd_error *error)
{
	if (!set_path(self, (lrd_string){ 0 }, "", error) || realpath(path_text(self), self->resolved_root) == NULL)
	{
		return true; // it is not there; the folder that holds it will tell
	}
	self->linked_count = 0;
	return add_node(self, path_text(self), LRD_STR(""), false, error) && list_pending(self, false, now, error);
}

static bool has_watch(lrd_watcher *self, int wd)
{
	const watch_node *node = *bucket_of(self, wd);
	while (node != NULL && node->wd != wd)
	{
		node = node->next;
	}
	return node != NULL;
}

static void free_node(lrd_watcher *self, watch_node **link)
{
	watch_node *node = *link;
	*link = node->next;
	lrd_free(self->allocator, node, sizeof *node + node->size + 1);
}

// Stop watching a folder, by its path with the last "/", and those below it. Whether there was one.
static bool drop_folder(lrd_watcher *self, lrd_string path)
{
	bool dropped = false;
	for (size_t i = 0; i < BUCKETS; i++)
	{
		for (watch_node **link = &self->buckets[i]; *link != NULL;)
		{
			watch_node *node = *link;
			if (node->holder || node->size < path.size || memcmp(node->path, path.data, path.size) != 0)
			{
				link = &node->next;
				continue;
			}
			int wd = node->wd;
			free_node(self, link);
			dropped = true;
			if (!has_watch(self, wd))
			{
				inotify_rm_watch(self->notify, wd);
			}
		}
	}
	return dropped;
}

static void forget_watch(lrd_watcher *self, int wd)
{
	for (watch_node **link = bucket_of(self, wd); *link != NULL;)
	{
		if ((*link)->wd == wd)
		{
			free_node(self, link);
		}
		else
		{
			link = &(*link)->next;
		}
	}
}

// The folder that holds `path` is watched for its name.
static bool add_holder(lrd_watcher *self, const char *path, lrd_error *error)
{
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX];
	size_t size = (size_t)(slash - path) + (slash == path ? 1 : 0);
	memcpy(folder, path, size);
	folder[size] = '\0';
	return slash[1] == '\0' || add_node(self, folder, lrd_string_from(slash + 1), true, error);
}

// What a link leads to may be replaced where it is.
static bool add_target(lrd_watcher *self, lrd_error *error)
{
	return realpath(self->resolved_root, self->resolved) == NULL || strcmp(self->resolved, self->resolved_root) == 0 ||
		   add_holder(self, self->resolved, error);
}

// The folder that holds the root, or the file, has news of that name.
static bool handle_holder(lrd_watcher *self, uint32_t mask, uint64_t now, lrd_error *error)
{
	lrd_watch_batch_everything(&self->batch, now);
	if (self->is_file)
	{
		return (mask & MADE) == 0 || add_target(self, error);
	}
	if ((mask & (MADE | GONE)) == 0)
	{
		return true;
	}
	drop_folder(self, (lrd_string){ "", 0 });
	return (mask & GONE) != 0 || add_root(self, now, error);
}

// A name in a folder of the tree; self->path is its path.
static bool handle_name(lrd_watcher *self, uint32_t mask, uint64_t now, lrd_error *error)
{
	if ((mask & MADE) != 0)
	{
		return take_in(self, true, (mask & IN_CREATE) != 0, now, error) && list_pending(self, true, now, error);
	}
	if ((mask & GONE) == 0)
	{
		lrd_watch_batch_add(&self->batch, relative_path(self), false, now);
		return true;
	}
	if (!lrd_buffer_append(&self->path, "/", 2))
	{
		return lrd_fail_memory(error, path_text(self), 2);
	}
	self->path.size--;
	bool folder = drop_folder(self, relative_path(self)) || (mask & IN_ISDIR) != 0;
	self->path.size--;
	if (!folder)
	{
		lrd_watch_batch_add(&self->batch, relative_path(self), false, now);
	}
	else if ((mask & IN_MOVED_FROM) != 0 || (mask & IN_ISDIR) == 0)
	{
		lrd_watch_batch_everything(&self->batch, now); // what was in it went with it, unsaid
	}
	return true;
}

static bool handle_node(
	lrd_watcher *self, const watch_node *node, const struct inotify_event *event, uint64_t now, lrd_error *error)
{
	if (event->len == 0)
	{
		if ((event->mask & IN_DELETE_SELF) != 0 && node->size == 0 && !node->holder)
		{
			lrd_watch_batch_everything(&self->batch, now);
		}
		return true;
	}
	if (node->holder)
	{
		return strcmp(event->name, node->path) != 0 || handle_holder(self, event->mask, now, error);
	}
	return event->name[0] == '.' || (set_path(self, (lrd_string){ node->path, node->size }, event->name, error) &&
										handle_name(self, event->mask, now, error));
}

// The nodes of a watch may change while they are handled, so each is found anew.
static bool handle_event(lrd_watcher *self, const struct inotify_event *event, uint64_t now, lrd_error *error)
{
	if ((event->mask & IN_Q_OVERFLOW) != 0)
	{
		lrd_watch_batch_everything(&self->batch, now);
		return self->is_file || add_root(self, now, error);
	}
	if ((event->mask & IN_IGNORED) != 0)
	{
		forget_watch(self, event->wd);
		return true;
	}
	bool sound = true;
	size_t count = 0;
	for (const watch_node *node = *bucket_of(self, event->wd); node != NULL; node = node->next)
	{
		count += node->wd == event->wd ? 1 : 0;
	}
	for (size_t i = 0; i < count; i++)
	{
		size_t left = i;
		const watch_node *node = *bucket_of(self, event->wd);
		while (node != NULL && (node->wd != event->wd || left-- != 0))
		{
			node = node->next;
		}
		sound = (node == NULL || handle_node(self, node, event, now, error)) && sound;
	}
	return sound;
}

static void read_events(lrd_watcher *self)
{
	ssize_t size = read(self->notify, self->events, sizeof self->events);
	uint64_t now = lrd_clock_ns();
	for (ssize_t at = 0; at < size;)
	{
		const struct inotify_event *event = (const struct inotify_event *)(const void *)(self->events + at);
		lrd_error error = { 0 };
		if (!handle_event(self, event, now, &error))
		{
			note_problem(self, &error, now);
		}
		at += (ssize_t)(sizeof *event + event->len);
	}
}

static void tell(lrd_watcher *self)
{
	uint64_t now = lrd_clock_ns();
	lrd_watch_changes changes;
	if (lrd_watch_batch_take(&self->batch, now, &changes))
	{
		changes.problem = self->problem[0] != '\0' ? self->problem : NULL;
		self->on_change(self->user, &changes);
		lrd_watch_batch_told(&self->batch, now);
		self->problem[0] = '\0';
	}
}

static void run(void *user)
{
	lrd_watcher *self = user;
	struct pollfd wait[2] = { { .fd = self->stop, .events = POLLIN }, { .fd = self->notify, .events = POLLIN } };
	while ((wait[0].revents & POLLIN) == 0)
	{
		uint64_t now = lrd_clock_ns();
		uint64_t due = lrd_watch_batch_due(&self->batch);
		uint64_t left = due > now ? (due - now + NANOSECONDS - 1) / NANOSECONDS : 0;
		int timeout = due == UINT64_MAX ? -1 : (left > INT_MAX ? INT_MAX : (int)left);
		if (poll(wait, 2, timeout) < 0) // a signal: nothing can be said of the two
		{
			wait[0].revents = 0;
			continue;
		}
		if ((wait[1].revents & POLLIN) != 0)
		{
			read_events(self);
		}
		tell(self);
	}
}

static void free_watcher(lrd_watcher *self)
{
	for (size_t i = 0; i < BUCKETS; i++)
	{
		while (self->buckets[i] != NULL)
		{
			free_node(self, &self->buckets[i]);
		}
	}
	lrd_watch_batch_free(&self->batch);
	lrd_buffer_free(&self->path);
	if (self->notify >= 0)
	{
		close(self->notify);
	}
	if (self->stop >= 0)
	{
		close(self->stop);
	}
	lrd_free(self->allocator, self, sizeof *self);
}

// Make the path absolute without resolving its last name: that may be a link, to be watched for being changed.
static bool absolute_path(const char *path, char absolute[PATH_MAX], lrd_error *error)
{
	size_t size = strlen(path);
	while (size > 1 && path[size - 1] == '/')
	{
		size--;
	}
	size_t name = size;
	while (name > 0 && path[name - 1] != '/')
	{
		name--;
	}
	lrd_string last = { path + name, size - name };
	bool resolve = last.size == 0 || lrd_string_equal(last, LRD_STR(".")) || lrd_string_equal(last, LRD_STR(".."));
	char folder[PATH_MAX];
	snprintf(folder, sizeof folder, "%.*s", resolve ? (int)size : (int)name, path);
	if (size >= PATH_MAX || realpath(folder[0] != '\0' ? folder : ".", absolute) == NULL)
	{
		return lrd_fail_system(error, size >= PATH_MAX ? ENAMETOOLONG : errno, "can't be watched", path);
	}
	size_t used = strlen(absolute);
	if (!resolve && (size_t)snprintf(absolute + used, PATH_MAX - used, "%s%.*s", used == 1 ? "" : "/",
						LRD_STR_ARG(last)) >= PATH_MAX - used)
	{
		return lrd_fail_system(error, ENAMETOOLONG, "can't be watched", path);
	}
	return true;
}

static bool add_watches(lrd_watcher *self, const char *path, lrd_error *error)
{
	char absolute[PATH_MAX];
	struct stat status;
	if (!absolute_path(path, absolute, error))
	{
		return false;
	}
	bool there = stat(absolute, &status) == 0;
	self->is_file = !there || !S_ISDIR(status.st_mode);
	if (!add_holder(self, absolute, error))
	{
		return false;
	}
	if (self->is_file)
	{
		memcpy(self->resolved_root, absolute, strlen(absolute) + 1);
		return add_target(self, error);
	}
	const char *separator = absolute[1] == '\0' ? "" : "/";
	if (!lrd_buffer_printf(&self->path, "%s%s", absolute, separator))
	{
		return lrd_fail_memory(error, path, strlen(absolute) + 2);
	}
	self->root_size = self->path.size;
	return add_root(self, lrd_clock_ns(), error);
}

lrd_watcher *lrd_watcher_start(const lrd_watcher_desc *desc, lrd_error *error)
{
	lrd_allocator allocator = lrd_allocator_or_default(desc->allocator);
	lrd_watcher *self = lrd_alloc_zeroed(allocator, 1, sizeof *self);
	if (self == NULL)
	{
		lrd_fail_memory(error, desc->path, sizeof *self);
		return NULL;
	}
	self->allocator = allocator;
	self->path.allocator = allocator;
	self->on_change = desc->on_change;
	self->user = desc->user;
	self->batch = (lrd_watch_batch){
		.allocator = allocator,
		.text = { .allocator = allocator },
		.quiet_ns = (uint64_t)NANOSECONDS * (desc->quiet_ms != 0 ? desc->quiet_ms : 40),
		.longest_ns = (uint64_t)NANOSECONDS * (desc->longest_ms != 0 ? desc->longest_ms : 500),
		.paths_max = desc->paths_max != 0 ? desc->paths_max : 1024,
	};
	self->notify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	self->stop = self->notify < 0 ? -1 : eventfd(0, EFD_CLOEXEC);
	if (self->notify < 0 || self->stop < 0)
	{
		lrd_watcher_refused(error, errno, desc->path);
	}
	else if (add_watches(self, desc->path, error))
	{
		self->running = true;
		self->thread = lrd_thread_start(run, self, STACK_SIZE, allocator, error);
	}
	if (self->thread == NULL)
	{
		free_watcher(self);
		return NULL;
	}
	return self;
}

void lrd_watcher_end(lrd_watcher *self)
{
	(void)eventfd_write(self->stop, 1);
}

void lrd_watcher_stop(lrd_watcher *self)
{
	if (self != NULL)
	{
		lrd_watcher_end(self);
		lrd_thread_join(self->thread);
		free_watcher(self);
	}
}

#else

lrd_watcher *lrd_watcher_start(const lrd_watcher_desc *desc, lrd_error *error)
{
	lrd_watcher_refused(error, ENOSYS, desc->path);
	return NULL;
}

void lrd_watcher_end(lrd_watcher *self)
{
	(void)self;
}

void lrd_watcher_stop(lrd_watcher *self)
{
	(void)self;
}

#endif
