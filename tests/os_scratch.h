// tests/os_scratch.h: a folder of its own for a test, and short ways to put things into it.

#ifndef OS_SCRATCH_H
#define OS_SCRATCH_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct scratch
{
	char root[256];
	char path[8][512]; // what scratch_path gave out last
	unsigned next;
} scratch;

/// A cmocka set-up: *state becomes a scratch with a new folder.
static inline int scratch_open(void **state)
{
	scratch *self = calloc(1, sizeof *self);
	if (self == NULL)
	{
		return -1;
	}
	const char *base = getenv("TMPDIR");
	snprintf(self->root, sizeof self->root, "%s/larder-test-XXXXXX", base != NULL ? base : "/tmp");
	*state = self;
	return mkdtemp(self->root) != NULL ? 0 : -1;
}

static inline void scratch_delete(const char *path)
{
	DIR *folder = opendir(path);
	for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;)
	{
		char child[4096];
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
			(size_t)snprintf(child, sizeof child, "%s/%s", path, entry->d_name) >= sizeof child)
		{
			continue;
		}
		if (unlink(child) != 0)
		{
			scratch_delete(child);
		}
	}
	if (folder != NULL)
	{
		closedir(folder);
	}
	rmdir(path);
}

/// A cmocka tear-down.
static inline int scratch_close(void **state)
{
	scratch *self = *state;
	scratch_delete(self->root);
	free(self);
	return 0;
}

/// The path of `name` in the folder; good until eight more were asked for.
static inline const char *scratch_path(scratch *self, const char *name)
{
	char path[sizeof self->path[0]];
	snprintf(path, sizeof path, "%s%s%s", self->root, name[0] != '\0' ? "/" : "", name);
	return memcpy(self->path[self->next++ % 8], path, sizeof path);
}

/// A file with `text` in it, written without larder.
static inline void scratch_put(scratch *self, const char *name, const char *text)
{
	FILE *file = fopen(scratch_path(self, name), "wb");
	if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
	{
		perror(name);
		abort();
	}
}

static inline void scratch_folder(scratch *self, const char *name)
{
	if (mkdir(scratch_path(self, name), 0777) != 0)
	{
		perror(name);
		abort();
	}
}

static inline void scratch_link(scratch *self, const char *name, const char *target)
{
	if (symlink(target, scratch_path(self, name)) != 0)
	{
		perror(name);
		abort();
	}
}

/// How many entries a folder has, "." and ".." not counted.
static inline int scratch_count(const char *path)
{
	int count = 0;
	DIR *folder = opendir(path);
	while (folder != NULL && readdir(folder) != NULL)
	{
		count++;
	}
	if (folder != NULL)
	{
		closedir(folder);
	}
	return count - 2;
}

#endif
