// store/mount_root.c: a folder of cooked files as a mount. It is walked once, when it is mounted: looking a name up is
// no I/O, and finding that there is none neither.

#include "base/error.h"
#include "base/hash.h"
#include "base/path.h"
#include "store/mounted.h"

#include <stdio.h>

#define MANIFEST "larder.manifest.json"

// Keys come in blocks of this size, not one by one.
#define KEYS_BLOCK ((size_t)64 * 1024)

// From this size on a file that nobody writes into is mapped: below, a copy costs less than the page tables.
#define MAPPED_FROM ((uint64_t)64 * 1024)

// The longest root that systems open, and a key.
#define FILE_PATH_SIZE (4096 + 1 + LRD_PATH_MAX + 1)

static bool find(lrd_mounted *mount, const lrd_sought *sought, lrd_origin *origin)
{
	const lrd_root *root = (const lrd_root *)mount;
	uint32_t number;
	if (!lrd_names_find(&root->names, sought->hash, sought->key, &number) ||
		root->names.names[number].kind != sought->kind)
	{
		return false;
	}
	*origin = (lrd_origin){
		.mount = mount,
		.key = lrd_name_string(&root->names.names[number]),
		.entry = number,
		.size = root->marks[number].size,
	};
	return true;
}

static bool read_mapped(
	const lrd_origin *origin, const char *path, lrd_allocator allocator, lrd_content *content, lrd_error *error)
{
	lrd_mapping *mapping = lrd_mapping_open(path, allocator, error);
	if (mapping == NULL)
	{
		return false;
	}
	lrd_bytes bytes = lrd_mapping_bytes(mapping);
	if (!lrd_origin_bring_in(origin, bytes))
	{
		lrd_file_info info;
		bool cut = lrd_file_stat(path, &info, NULL) && info.size < bytes.size;
		lrd_mapping_release(mapping);
		return cut ? lrd_fail(error, LRD_ERROR_CHANGED, "%s: it was cut short while it was read", path)
				   : lrd_fail(error, LRD_ERROR_IO, "%s: can't read it", path);
	}
	*content = (lrd_content){ .bytes = bytes, .mapping = mapping };
	return true;
}

static bool read_whole(
	const char *path, lrd_allocator allocator, lrd_content *content, uint64_t *io_bytes, lrd_error *error)
{
	lrd_buffer buffer = { .allocator = allocator };
	if (!lrd_file_read(path, &buffer, error))
	{
		return false;
	}
	*content = (lrd_content){
		.bytes = { buffer.data, buffer.size },
		.owned = buffer.data,
		.owned_size = buffer.capacity,
	};
	*io_bytes = buffer.size;
	return true;
}

static bool read(
	const lrd_origin *origin, lrd_allocator allocator, lrd_content *content, uint64_t *io_bytes, lrd_error *error)
{
	char path[FILE_PATH_SIZE];
	lrd_error reason = { 0 };
	const lrd_root *root = (const lrd_root *)origin->mount;
	lrd_origin_name(origin, path, sizeof path);
	bool done = root->cooked && !root->base.copy && origin->size >= MAPPED_FROM
					? read_mapped(origin, path, allocator, content, &reason)
					: read_whole(path, allocator, content, io_bytes, &reason);
	if (!done && reason.code == LRD_ERROR_NOT_FOUND)
	{
		return lrd_fail(error, reason.code, "%s; it was there when \"%s\" was listed", reason.message, root->base.name);
	}
	return done || lrd_fail(error, reason.code, "%s", reason.message);
}

static bool name_at(const lrd_mounted *mount, uint32_t index, lrd_string *key, lrd_kind *kind)
{
	const lrd_root *root = (const lrd_root *)mount;
	if (index >= root->names.count)
	{
		return false;
	}
	*key = lrd_name_string(&root->names.names[index]);
	*kind = (lrd_kind)root->names.names[index].kind;
	return true;
}

static void close_root(lrd_mounted *mount)
{
	lrd_root *root = (lrd_root *)mount;
	lrd_names_free(&root->names, mount->allocator);
	lrd_free(mount->allocator, root->marks, root->mark_capacity * sizeof *root->marks);
	lrd_free(mount->allocator, root->touched, root->touched_capacity * sizeof *root->touched);
	lrd_arena_destroy(root->keys);
	lrd_mounted_free(mount);
}

static const lrd_mount_sort sort = {
	.separator = '/',
	.steady = false,
	.find = find,
	.read = read,
	.name_at = name_at,
	.close = close_root,
};

// --- Listing ---

static bool add_file(lrd_root *root, const lrd_listed *file, lrd_error *error)
{
	lrd_allocator allocator = root->base.allocator;
	uint32_t number;
	char *copy = lrd_arena_alloc(root->keys, file->key.size);
	if (copy == NULL || !LRD_RESERVE(allocator, root->marks, root->names.count, 1, root->mark_capacity) ||
		!lrd_names_add(&root->names, allocator, file->hash,
			(lrd_string){ memcpy(copy, file->key.data, file->key.size), file->key.size }, file->kind, &number))
	{
		return lrd_fail_memory(error, root->base.name, file->key.size);
	}
	root->marks[number] = file->mark;
	return true;
}

static bool fail_case(const lrd_root *root, lrd_string a, lrd_string b, lrd_error *error)
{
	return lrd_fail(error, LRD_ERROR_CONFLICT,
		"%s: \"%.*s\" and \"%.*s\" differ in nothing but case, so they are one asset; delete or rename one",
		root->base.name, LRD_STR_ARG(a), LRD_STR_ARG(b));
}

bool lrd_root_set(lrd_root *root, const lrd_listed *file, lrd_error *error)
{
	uint32_t number;
	if (!lrd_names_find(&root->names, file->hash, file->key, &number))
	{
		return file->kind == LRD_KIND_NONE || add_file(root, file, error);
	}
	lrd_name *name = &root->names.names[number];
	if (file->kind != LRD_KIND_NONE && !lrd_string_equal(lrd_name_string(name), file->key))
	{
		char *copy = name->kind == LRD_KIND_NONE ? lrd_arena_alloc(root->keys, file->key.size) : NULL;
		if (name->kind != LRD_KIND_NONE)
		{
			return fail_case(root, lrd_name_string(name), file->key, error);
		}
		if (copy == NULL)
		{
			return lrd_fail_memory(error, root->base.name, file->key.size);
		}
		name->key = memcpy(copy, file->key.data, file->key.size); // as it is called now
	}
	lrd_names_set_kind(&root->names, number, file->kind);
	root->marks[number] = file->mark;
	return true;
}

const char *lrd_root_path(const lrd_root *root)
{
	return root->base.name[0] != '\0' ? root->base.name : "/";
}

lrd_listed lrd_root_at(const lrd_root *root, uint32_t number)
{
	lrd_string key = lrd_name_string(&root->names.names[number]);
	return (lrd_listed){
		.key = key,
		.hash = lrd_fnv1a_64_folded(key),
		.kind = (lrd_kind)root->names.names[number].kind,
		.mark = root->marks[number],
	};
}

typedef struct root_listing
{
	lrd_root *root;
	const lrd_log *log;
	lrd_error *error;
} root_listing;

static bool visit(void *user, lrd_string path, const lrd_file_info *info)
{
	root_listing *listing = user;
	lrd_root *root = listing->root;
	if (info->problem != NULL)
	{
		lrd_log_write(listing->log, LRD_LOG_WARNING, "store", "%s/%.*s: %s; what is in it can't be found",
			root->base.name, LRD_STR_ARG(path), info->problem);
		return true;
	}
	lrd_kind kind = lrd_name_kind(path);
	if (info->is_link && kind != LRD_KIND_NONE)
	{
		lrd_log_write(listing->log, LRD_LOG_WARNING, "store",
			"%s/%.*s: a symbolic link that leads to no file in this folder; it is passed over", root->base.name,
			LRD_STR_ARG(path));
	}
	root->cooked |= info->is_file && lrd_string_equal(path, LRD_STR(MANIFEST));
	if (!info->is_file || kind == LRD_KIND_NONE)
	{
		return true;
	}
	if (!lrd_path_check(path, listing->error))
	{
		return lrd_fail_in(listing->error, "%s", root->base.name);
	}
	const lrd_listed file = {
		.key = path,
		.hash = lrd_fnv1a_64_folded(path),
		.kind = kind,
		.mark = { info->size, info->mtime_ns, info->inode },
	};
	return lrd_root_set(root, &file, listing->error);
}

lrd_mounted *lrd_mount_root(const char *path, bool copy, lrd_allocator allocator, const lrd_log *log, lrd_error *error)
{
	lrd_string name = lrd_string_from(path);
	while (name.size != 0 && name.data[name.size - 1] == '/')
	{
		name.size--; // a file's path is made with one
	}
	lrd_root *root = lrd_mounted_make(&sort, sizeof *root, 0, name, allocator, error);
	if (root == NULL)
	{
		return NULL;
	}
	root->base.copy = copy;
	root->keys = lrd_arena_create(allocator, KEYS_BLOCK);
	root_listing listing = { root, log, error };
	bool done = root->keys != NULL ? lrd_folder_walk(path, allocator, visit, &listing, error)
								   : lrd_fail_memory(error, path, KEYS_BLOCK);
	if (!done)
	{
		close_root(&root->base);
		return NULL;
	}
	root->base.files = root->names.alive;
	return &root->base;
}

lrd_root *lrd_mount_root_of(lrd_mounted *mount)
{
	return mount->sort == &sort ? (lrd_root *)mount : NULL;
}
