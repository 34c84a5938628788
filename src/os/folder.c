// os/folder.c: folders: making and walking them, and keeping paths inside them.

#include "os/system.h"

#include "base/error.h"
#include "base/path.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#if !defined(PATH_MAX)
#define PATH_MAX 4096
#endif

// Links to folders that one walk follows: a tree that its links multiply beyond this is taken for an accident.
#define LINKED_FOLDERS_MAX 4096

static bool is_folder(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool make_one(const char *path, const char *whole, lrd_error *error)
{
	if (mkdir(path, 0777) == 0)
	{
		return true;
	}
	int number = errno;
	if (is_folder(path)) // whatever mkdir said: systems differ in what they check first
	{
		return true;
	}
	if (number == EEXIST)
	{
		return lrd_fail(
			error, LRD_ERROR_IO, "%s: can't make this folder: \"%s\" is there and is no folder", whole, path);
	}
	return lrd_fail_system(error, number, "can't make this folder", whole);
}

bool lrd_folder_make(const char *path, lrd_error *error)
{
	if (is_folder(path))
	{
		return true;
	}
	size_t size = strlen(path) + 1;
	char *prefix = lrd_alloc((lrd_allocator){ 0 }, size);
	if (prefix == NULL)
	{
		return lrd_fail_memory(error, path, size);
	}
	memcpy(prefix, path, size);
	bool made = true;
	for (size_t i = 1; made && i < size - 1; i++)
	{
		if (prefix[i] == '/' && prefix[i - 1] != '/')
		{
			prefix[i] = '\0';
			made = make_one(prefix, path, error);
			prefix[i] = '/';
		}
	}
	made = made && make_one(prefix, path, error);
	lrd_free((lrd_allocator){ 0 }, prefix, size);
	return made;
}

void lrd_folder_remove_empty(const char *path)
{
	(void)rmdir(path);
}

// Whether a resolved path is a resolved folder or lies in it.
static bool lies_inside(const char *folder, const char *path)
{
	size_t size = strlen(folder);
	size -= size != 0 && folder[size - 1] == '/' ? 1 : 0; // "/" itself
	return strncmp(folder, path, size) == 0 && (path[size] == '/' || path[size] == '\0');
}

// Walking. Each folder is read whole and closed before its files are visited: one descriptor is open at a time, however
// deep.

typedef struct folder_entry
{
	size_t name;      // offset in `names`
	size_t name_size; // a folder's ends in "/", so that sorting by it gives the order of whole paths
	lrd_file_info info;
	dev_t device;
	bool linked; // a folder reached through a link
} folder_entry;

// The folder being walked and those above it: a link back to one of them would never end.
typedef struct folder_level
{
	const struct folder_level *above;
	dev_t device;
	uint64_t inode;
} folder_level;

typedef struct folder_list
{
	folder_entry *entries;
	size_t count;
	size_t capacity;
	lrd_buffer names;
} folder_list;

typedef struct folder_walk
{
	lrd_allocator allocator;
	bool (*visit)(void *user, lrd_string path, const lrd_file_info *info);
	void *user;
	lrd_error *error;
	lrd_buffer path;     // root, "/", relative path, terminator not counted
	size_t root_size;    // bytes of `path` before the relative part
	size_t linked_count; // folders entered through links
	int number;          // errno of why a folder can't be read
	char root[PATH_MAX];
	char resolved[PATH_MAX];
} folder_walk;

static bool set_path(folder_walk *walk, size_t parent_size, const char *name, size_t name_size)
{
	walk->path.size = parent_size;
	if (!lrd_buffer_append(&walk->path, name, name_size) || !lrd_buffer_append(&walk->path, "", 1))
	{
		return lrd_fail_memory(walk->error, "walking a folder", parent_size + name_size + 1);
	}
	walk->path.size--;
	return true;
}

static const char *path_text(const folder_walk *walk)
{
	return (const char *)walk->path.data;
}

static bool on_the_way(const folder_level *level, const struct stat *status)
{
	for (; level != NULL; level = level->above)
	{
		if (level->device == status->st_dev && level->inode == (uint64_t)status->st_ino)
		{
			return true;
		}
	}
	return false;
}

// Whether a link, walk->path, is to be followed; `status` becomes what it leads to.
static bool is_followed(folder_walk *walk, const folder_level *level, struct stat *status)
{
	struct stat target;
	if (realpath(path_text(walk), walk->resolved) == NULL || !lies_inside(walk->root, walk->resolved) ||
		stat(walk->resolved, &target) != 0 || (S_ISDIR(target.st_mode) && on_the_way(level, &target)))
	{
		return false;
	}
	*status = target;
	return true;
}

// Adds what walk->path names to the list, unless it is neither file, folder nor link, or is gone by now.
static bool add_entry(folder_walk *walk, const folder_level *level, folder_list *list, const char *name)
{
	struct stat status;
	if (lstat(path_text(walk), &status) != 0)
	{
		walk->number = errno == ENOENT ? 0 : errno; // 0: gone by now
		return walk->number == 0;
	}
	bool link = S_ISLNK(status.st_mode);
	bool followed = link && is_followed(walk, level, &status);
	folder_entry entry = { .info = lrd_info_of(&status), .device = status.st_dev };
	if (!entry.info.is_file && !entry.info.is_folder && !entry.info.is_link)
	{
		return true;
	}
	entry.linked = followed && entry.info.is_folder;
	entry.name = list->names.size;
	entry.name_size = strlen(name) + (entry.info.is_folder ? 1 : 0);
	if (!lrd_buffer_append(&list->names, name, strlen(name)) ||
		!lrd_buffer_append(&list->names, "/", entry.info.is_folder ? 1 : 0) ||
		!LRD_RESERVE(walk->allocator, list->entries, list->count, 1, list->capacity))
	{
		return lrd_fail_memory(walk->error, "listing a folder", list->names.size + list->count * sizeof entry);
	}
	list->entries[list->count++] = entry;
	return true;
}

static bool read_entries(folder_walk *walk, const folder_level *level, folder_list *list, DIR *folder)
{
	size_t parent_size = walk->path.size;
	bool sound = true;
	while (sound)
	{
		errno = 0;
		struct dirent *found = readdir(folder);
		if (found == NULL)
		{
			walk->number = errno;
			sound = errno == 0;
			break;
		}
		if (found->d_name[0] == '.')
		{
			continue;
		}
		sound = set_path(walk, parent_size, found->d_name, strlen(found->d_name)) &&
				add_entry(walk, level, list, found->d_name);
	}
	walk->path.size = parent_size;
	return sound;
}

static const char *name_of(const folder_list *list, const folder_entry *entry)
{
	return (const char *)list->names.data + entry->name;
}

static int compare_names(const folder_list *list, const folder_entry *a, const folder_entry *b)
{
	return lrd_string_compare(
		(lrd_string){ name_of(list, a), a->name_size }, (lrd_string){ name_of(list, b), b->name_size });
}

static void sink(folder_list *list, size_t start, size_t count)
{
	folder_entry moved = list->entries[start];
	size_t at = start;
	for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1)
	{
		bool right = child + 1 < count && compare_names(list, &list->entries[child], &list->entries[child + 1]) < 0;
		child += right ? 1 : 0;
		if (compare_names(list, &moved, &list->entries[child]) >= 0)
		{
			break;
		}
		list->entries[at] = list->entries[child];
		at = child;
	}
	list->entries[at] = moved;
}

// Heapsort: qsort passes no context to its comparison in C17, and may allocate.
static void sort_entries(folder_list *list)
{
	for (size_t i = list->count / 2; i > 0; i--)
	{
		sink(list, i - 1, list->count);
	}
	for (size_t left = list->count; left > 1; left--)
	{
		folder_entry last = list->entries[left - 1];
		list->entries[left - 1] = list->entries[0];
		list->entries[0] = last;
		sink(list, 0, left - 1);
	}
}

static bool walk_folder(folder_walk *walk, const folder_level *level);

static bool visit_entries(folder_walk *walk, const folder_level *level, const folder_list *list)
{
	size_t parent_size = walk->path.size;
	for (size_t i = 0; i < list->count; i++)
	{
		const folder_entry *entry = &list->entries[i];
		if (!set_path(walk, parent_size, name_of(list, entry), entry->name_size))
		{
			return false;
		}
		if (entry->info.is_folder)
		{
			walk->linked_count += entry->linked ? 1 : 0;
			if (walk->linked_count > LINKED_FOLDERS_MAX)
			{
				return lrd_fail(walk->error, LRD_ERROR_LIMIT, "%s: symbolic links lead to more than %d folders",
					path_text(walk), LINKED_FOLDERS_MAX);
			}
			folder_level below = { .above = level, .device = entry->device, .inode = entry->info.inode };
			if (!walk_folder(walk, &below))
			{
				return false;
			}
			continue;
		}
		lrd_string relative = { path_text(walk) + walk->root_size, walk->path.size - walk->root_size };
		if (!walk->visit(walk->user, relative, &entry->info))
		{
			return false;
		}
	}
	walk->path.size = parent_size;
	return true;
}

// False: walk->number says why; 0: no memory.
static bool list_folder(folder_walk *walk, const folder_level *level, folder_list *list)
{
	walk->number = 0;
	DIR *folder = opendir(path_text(walk));
	if (folder == NULL)
	{
		walk->number = errno;
		return errno == ENOENT && level->above != NULL;
	}
	bool sound = read_entries(walk, level, list, folder);
	closedir(folder);
	return sound;
}

// A folder that can't be read hides what is in it, but nothing else.
static bool visit_unreadable(folder_walk *walk, const folder_level *level)
{
	static const char *const what = "can't read this folder";
	char reason[128];
	char problem[192];
	walk->path.data[walk->path.size] = '\0';
	if (walk->number == 0) // memory ran out, which was said
	{
		return false;
	}
	if (level->above == NULL)
	{
		return lrd_fail_system(walk->error, walk->number, what, path_text(walk));
	}
	snprintf(problem, sizeof problem, "%s: %s", what, lrd_system_reason(walk->number, reason, sizeof reason));
	lrd_file_info info = { .is_folder = true, .inode = level->inode, .problem = problem };
	lrd_string relative = { path_text(walk) + walk->root_size, walk->path.size - walk->root_size };
	return walk->visit(walk->user, relative, &info);
}

// Visits what lies under walk->path, which ends in "/".
static bool walk_folder(folder_walk *walk, const folder_level *level)
{
	folder_list list = { .names = { .allocator = walk->allocator } };
	bool sound = list_folder(walk, level, &list);
	if (sound)
	{
		sort_entries(&list);
		sound = visit_entries(walk, level, &list);
	}
	else
	{
		sound = visit_unreadable(walk, level);
	}
	lrd_free(walk->allocator, list.entries, list.capacity * sizeof *list.entries);
	lrd_buffer_free(&list.names);
	return sound;
}

bool lrd_folder_walk(const char *root, lrd_allocator allocator,
	bool (*visit)(void *user, lrd_string path, const lrd_file_info *info), void *user, lrd_error *error)
{
	struct stat status;
	if (stat(root, &status) != 0)
	{
		return lrd_fail_system(error, errno, "can't read this folder", root);
	}
	if (!S_ISDIR(status.st_mode))
	{
		return lrd_fail(error, LRD_ERROR_IO, "%s: it is a file, a folder was expected", root);
	}
	folder_walk *walk = lrd_alloc(allocator, sizeof *walk);
	if (walk == NULL)
	{
		return lrd_fail_memory(error, "walking a folder", sizeof *walk);
	}
	*walk = (folder_walk){ .allocator = allocator, .visit = visit, .user = user, .error = error };
	walk->path.allocator = allocator;
	bool done = false;
	if (realpath(root, walk->root) == NULL)
	{
		lrd_fail_system(error, errno, "can't resolve this folder", root);
	}
	else if (set_path(walk, 0, root, strlen(root)) &&
			 (walk->path.data[walk->path.size - 1] == '/' || set_path(walk, walk->path.size, "/", 1)))
	{
		walk->root_size = walk->path.size;
		folder_level level = { .device = status.st_dev, .inode = (uint64_t)status.st_ino };
		done = walk_folder(walk, &level);
	}
	lrd_buffer_free(&walk->path);
	lrd_free(allocator, walk, sizeof *walk);
	return done;
}

// Whether `path`, or its nearest part that exists, resolves to somewhere inside `root`. `path` is taken apart on the
// way.
static bool resolves_inside(char *path, size_t root_size, const char *root, lrd_string relative, lrd_error *error)
{
	char resolved[PATH_MAX];
	while (realpath(path, resolved) == NULL)
	{
		int number = errno;
		struct stat status;
		if (number == ELOOP || (number == ENOENT && lstat(path, &status) == 0))
		{
			return lrd_fail(error, LRD_ERROR_PATH, "path \"%.*s\": \"%s\" is a symbolic link that leads nowhere",
				LRD_STR_ARG(relative), path);
		}
		if (number != ENOENT && number != ENOTDIR)
		{
			return lrd_fail_system(error, number, "can't resolve it", path);
		}
		char *slash = strrchr(path, '/');
		if (slash == NULL || (size_t)(slash - path) < root_size)
		{
			return true;
		}
		*slash = '\0';
	}
	return lies_inside(root, resolved) ||
		   lrd_fail(error, LRD_ERROR_PATH, "path \"%.*s\": a symbolic link leads it out of \"%s\", to \"%s\"",
			   LRD_STR_ARG(relative), root, resolved);
}

bool lrd_path_inside(lrd_arena *arena, const char *root, lrd_string relative, const char **result, lrd_error *error)
{
	if (!lrd_path_check(relative, error))
	{
		return false;
	}
	root = *root != '\0' ? root : ".";
	size_t root_size = strlen(root);
	const char *separator = root[root_size - 1] == '/' ? "" : "/";
	lrd_string path = lrd_arena_printf(arena, "%s%s%.*s", root, separator, LRD_STR_ARG(relative));
	lrd_string work = path.data != NULL ? lrd_arena_string(arena, path) : path;
	if (work.data == NULL)
	{
		return lrd_fail_memory(error, "a path", root_size + relative.size + 2);
	}
	char resolved_root[PATH_MAX];
	if (realpath(root, resolved_root) == NULL)
	{
		if (errno != ENOENT)
		{
			return lrd_fail_system(error, errno, "can't resolve this folder", root);
		}
		*result = path.data; // nothing is there yet that could lead elsewhere
		return true;
	}
	if (!resolves_inside((char *)(uintptr_t)work.data, root_size, resolved_root, relative, error))
	{
		return false;
	}
	*result = path.data;
	return true;
}
