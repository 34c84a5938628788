// store/mount_memory.c: files in memory as mounts: those that the program lends, in place, and those that it put there
// one by one (lrd_asset_put), which are copies.

#include "base/error.h"
#include "base/hash.h"
#include "base/path.h"
#include "store/mounted.h"
#include "store/store.h"

// --- What the program lends ---

typedef struct memory_mount
{
	lrd_mounted base;
	const lrd_memory_file *files;
	lrd_names names; // by the number of a file
} memory_mount;

static bool find_file(lrd_mounted *mount, const lrd_sought *sought, lrd_origin *origin)
{
	const memory_mount *memory = (const memory_mount *)mount;
	uint32_t number;
	if (!lrd_names_find(&memory->names, sought->hash, sought->key, &number) ||
		memory->names.names[number].kind != sought->kind)
	{
		return false;
	}
	*origin = (lrd_origin){
		.mount = mount,
		.key = memory->files[number].key,
		.entry = number,
		.size = memory->files[number].bytes.size,
	};
	return true;
}

static bool read_file(
	const lrd_origin *origin, lrd_allocator allocator, lrd_content *content, uint64_t *io_bytes, lrd_error *error)
{
	(void)allocator;
	(void)io_bytes;
	(void)error;
	lrd_mounted_lease(origin->mount);
	*content = (lrd_content){
		.bytes = ((const memory_mount *)origin->mount)->files[origin->entry].bytes,
		.mount = origin->mount,
	};
	return true;
}

static bool name_in(const lrd_names *names, uint32_t index, lrd_string *key, lrd_kind *kind)
{
	if (index >= names->count)
	{
		return false;
	}
	*key = lrd_name_string(&names->names[index]);
	*kind = (lrd_kind)names->names[index].kind;
	return true;
}

static bool file_name_at(const lrd_mounted *mount, uint32_t index, lrd_string *key, lrd_kind *kind)
{
	return name_in(&((const memory_mount *)mount)->names, index, key, kind);
}

static void close_memory(lrd_mounted *mount)
{
	lrd_names_free(&((memory_mount *)mount)->names, mount->allocator);
	lrd_mounted_free(mount);
}

static const lrd_mount_sort memory_sort = {
	.separator = ':',
	.steady = true,
	.find = find_file,
	.read = read_file,
	.name_at = file_name_at,
	.close = close_memory,
};

static bool add_file(memory_mount *memory, const lrd_memory_file *file, lrd_error *error)
{
	uint64_t hash = lrd_fnv1a_64_folded(file->key);
	uint32_t number;
	if (!lrd_path_check(file->key, error))
	{
		return lrd_fail_in(error, "a file in memory");
	}
	if ((uintptr_t)file->bytes.data % LRD_ALLOCATION_ALIGNMENT != 0 ||
		(file->bytes.data == NULL && file->bytes.size != 0))
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "%.*s, a file in memory: its bytes must be there, aligned to %d",
			LRD_STR_ARG(file->key), LRD_ALLOCATION_ALIGNMENT);
	}
	if (lrd_names_find(&memory->names, hash, file->key, &number))
	{
		return lrd_fail(error, LRD_ERROR_CONFLICT,
			"files in memory: \"%.*s\" and \"%.*s\" are one asset's; leave one away",
			LRD_STR_ARG(memory->files[number].key), LRD_STR_ARG(file->key));
	}
	return lrd_names_add(&memory->names, memory->base.allocator, hash, file->key, lrd_name_kind(file->key), &number) ||
		   lrd_fail_memory(error, "the names of files in memory", memory->names.count);
}

lrd_mounted *lrd_mount_memory(const lrd_memory_file *files, uint32_t count, lrd_allocator allocator, lrd_error *error)
{
	memory_mount *memory = lrd_mounted_make(&memory_sort, sizeof *memory, 0, LRD_STR("memory"), allocator, error);
	bool done = memory != NULL;
	for (uint32_t i = 0; done && i < count; i++)
	{
		memory->files = files;
		done = add_file(memory, &files[i], error);
	}
	if (!done)
	{
		if (memory != NULL)
		{
			close_memory(&memory->base);
		}
		return NULL;
	}
	memory->base.files = memory->names.alive;
	return &memory->base;
}

// --- What the program put ---

// One file: it lives by its leases, of which the table has one. Key and bytes are in the same block.
typedef struct put_file
{
	lrd_mounted base;
	lrd_string key;
	lrd_bytes bytes;
} put_file;

typedef struct put_mount
{
	lrd_mounted base;
	lrd_names names;
	put_file **files; // by a name's number; NULL: taken away
	size_t file_capacity;
	lrd_arena *keys;
} put_mount;

// Keys come in blocks: most programs put few.
#define KEYS_BLOCK ((size_t)4 * 1024)

static bool read_put(
	const lrd_origin *origin, lrd_allocator allocator, lrd_content *content, uint64_t *io_bytes, lrd_error *error)
{
	(void)allocator;
	(void)io_bytes;
	(void)error;
	lrd_mounted_lease(origin->mount);
	*content = (lrd_content){ .bytes = ((const put_file *)origin->mount)->bytes, .mount = origin->mount };
	return true;
}

static const lrd_mount_sort put_file_sort = {
	.separator = ':',
	.steady = true,
	.read = read_put,
	.close = lrd_mounted_free,
};

static bool find_put(lrd_mounted *mount, const lrd_sought *sought, lrd_origin *origin)
{
	const put_mount *put = (const put_mount *)mount;
	uint32_t number;
	if (!lrd_names_find(&put->names, sought->hash, sought->key, &number) ||
		put->names.names[number].kind != sought->kind)
	{
		return false;
	}
	put_file *file = put->files[number];
	*origin = (lrd_origin){ .mount = &file->base, .key = file->key, .entry = number, .size = file->bytes.size };
	return true;
}

static bool put_name_at(const lrd_mounted *mount, uint32_t index, lrd_string *key, lrd_kind *kind)
{
	return name_in(&((const put_mount *)mount)->names, index, key, kind);
}

static void close_put(lrd_mounted *mount)
{
	put_mount *put = (put_mount *)mount;
	for (size_t i = 0; i < put->names.count; i++)
	{
		if (put->files[i] != NULL)
		{
			lrd_mounted_close(&put->files[i]->base);
		}
	}
	lrd_free(mount->allocator, put->files, put->file_capacity * sizeof(put_file *));
	lrd_names_free(&put->names, mount->allocator);
	lrd_arena_destroy(put->keys);
	lrd_mounted_free(mount);
}

static const lrd_mount_sort put_sort = {
	.separator = ':',
	.steady = false,
	.find = find_put,
	.name_at = put_name_at,
	.close = close_put,
};

static put_file *make_put_file(lrd_allocator allocator, lrd_string key, lrd_bytes bytes, lrd_error *error)
{
	size_t size = lrd_align_up(sizeof(put_file), LRD_ALLOCATION_ALIGNMENT);
	size_t room = 0;
	put_file *file = lrd_add_size(key.size, bytes.size, &room)
						 ? lrd_mounted_make(&put_file_sort, size, room, LRD_STR("put"), allocator, error)
						 : NULL;
	if (file == NULL)
	{
		lrd_fail_memory(error, "a copy of an asset's bytes", bytes.size);
		return NULL;
	}
	char *copy = (char *)file + size;
	file->bytes = (lrd_bytes){ memcpy(copy, bytes.data, bytes.size), bytes.size };
	file->key = (lrd_string){ memcpy(copy + bytes.size, key.data, key.size), key.size };
	return file;
}

// Under the lock from here on.
static put_mount *put_mount_of(lrd_store *store, lrd_error *error)
{
	if (store->mounts.put != NULL)
	{
		return (put_mount *)store->mounts.put;
	}
	put_mount *put = lrd_mounted_make(&put_sort, sizeof *put, 0, LRD_STR("put"), store->allocator, error);
	if (put == NULL)
	{
		return NULL;
	}
	put->keys = lrd_arena_create(store->allocator, KEYS_BLOCK);
	if (put->keys == NULL)
	{
		lrd_fail_memory(error, "put", KEYS_BLOCK);
		lrd_mounted_free(&put->base);
		return NULL;
	}
	put->base.mounted = true;
	put->base.id = (lrd_mount){ 0, ++store->mounts.next_generation };
	store->mounts.put = &put->base;
	return put;
}

static bool add_name(put_mount *put, uint64_t hash, lrd_string key, uint32_t *number, lrd_error *error)
{
	lrd_allocator allocator = put->base.allocator;
	char *copy = lrd_arena_alloc(put->keys, key.size);
	if (copy == NULL || !LRD_RESERVE(allocator, put->files, put->names.count, 1, put->file_capacity) ||
		!lrd_names_add(&put->names, allocator, hash, (lrd_string){ memcpy(copy, key.data, key.size), key.size },
			LRD_KIND_NONE, number))
	{
		return lrd_fail_memory(error, "the names of assets that were put", key.size);
	}
	put->files[*number] = NULL;
	return true;
}

// What was there before comes back in `file`.
static bool exchange(lrd_store *store, lrd_kind kind, lrd_string key, uint64_t hash, put_file **file, lrd_error *error)
{
	uint32_t number;
	put_mount *put = (put_mount *)store->mounts.put;
	if (*file == NULL && (put == NULL || !lrd_names_find(&put->names, hash, key, &number)))
	{
		return true; // nothing to take away
	}
	put = put_mount_of(store, error);
	if (put == NULL || (!lrd_names_find(&put->names, hash, key, &number) && !add_name(put, hash, key, &number, error)))
	{
		return false;
	}
	put_file *old = put->files[number];
	put->files[number] = *file;
	lrd_names_set_kind(&put->names, number, *file != NULL ? kind : LRD_KIND_NONE);
	put->base.files = put->names.alive;
	if (*file != NULL)
	{
		(*file)->base.whole = &put->base;
	}
	*file = old;
	return true;
}

bool lrd_mounts_put(lrd_store *store, lrd_kind kind, lrd_string stem, lrd_bytes bytes, lrd_error *error)
{
	char text[LRD_PATH_MAX];
	lrd_string key;
	if (!lrd_name_key(kind, stem, text, &key))
	{
		return lrd_fail(
			error, LRD_ERROR_PATH, "%s \"%.*s\": no file can be called that", lrd_kind_name(kind), LRD_STR_ARG(stem));
	}
	put_file *file = bytes.size != 0 ? make_put_file(store->allocator, key, bytes, error) : NULL;
	if (bytes.size != 0 && file == NULL)
	{
		return false;
	}
	lrd_mutex_lock(&store->lock);
	bool done = exchange(store, kind, key, lrd_fnv1a_64_folded(key), &file, error);
	lrd_mutex_unlock(&store->lock);
	if (file != NULL)
	{
		lrd_mounted_drop(&file->base);
	}
	return done;
}
