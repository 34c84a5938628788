// store/mount_pack.c: a bundle as a mount. Its table of names is the bundle's own, in the mapping, so a bundle must be
// replaced by renaming a new one over it, as the packer does.

#include "base/error.h"
#include "pack/reader.h"
#include "store/mounted.h"

typedef struct pack_mount
{
	lrd_mounted base;
	lrd_pack *pack;
} pack_mount;

static const lrd_pack *pack_of(const lrd_mounted *mount)
{
	return ((const pack_mount *)mount)->pack;
}

static bool find(lrd_mounted *mount, const lrd_sought *sought, lrd_origin *origin)
{
	lrd_pack_entry entry;
	uint32_t index;
	if (!lrd_pack_find_index(pack_of(mount), sought->hash, sought->key, &index) ||
		!lrd_pack_at(pack_of(mount), index, &entry))
	{
		return false;
	}
	*origin = (lrd_origin){ .mount = mount, .key = entry.key, .entry = index, .size = entry.size };
	return true;
}

static bool read(
	const lrd_origin *origin, lrd_allocator allocator, lrd_content *content, uint64_t *io_bytes, lrd_error *error)
{
	const lrd_pack *pack = pack_of(origin->mount);
	lrd_pack_entry entry;
	(void)lrd_pack_at(pack, origin->entry, &entry);
	const lrd_bytes stored = { entry.stored, (size_t)entry.stored_size };
	if (!(entry.compression == LRD_STORED ? lrd_origin_bring_in(origin, stored)
										  : lrd_pages_bring_in(stored.data, stored.size)))
	{
		char name[LRD_ERROR_MESSAGE_SIZE];
		lrd_origin_name(origin, name, sizeof name);
		return lrd_fail(error, LRD_ERROR_IO,
			"%s: the bundle can't be read there: the disk failed, or the file was cut short under its mapping", name);
	}
	if (entry.compression == LRD_STORED)
	{
		lrd_mounted_lease(origin->mount);
		*content = (lrd_content){ .bytes = { entry.stored, (size_t)entry.size }, .mount = origin->mount };
		return true;
	}
	if (!lrd_content_alloc(origin, allocator, (size_t)entry.size, content, error))
	{
		return false;
	}
	if (!lrd_pack_read(pack, &entry, content->owned, entry.size, error))
	{
		lrd_free(allocator, content->owned, content->owned_size);
		return false;
	}
	*io_bytes = entry.size;
	return true;
}

static bool name_at(const lrd_mounted *mount, uint32_t index, lrd_string *key, lrd_kind *kind)
{
	lrd_pack_entry entry;
	if (!lrd_pack_at(pack_of(mount), index, &entry))
	{
		return false;
	}
	*key = entry.key;
	*kind = entry.kind;
	return true;
}

static void close_pack(lrd_mounted *mount)
{
	lrd_pack_close(((pack_mount *)mount)->pack);
	lrd_mounted_free(mount);
}

static const lrd_mount_sort sort = {
	.separator = ':',
	.steady = true,
	.find = find,
	.read = read,
	.name_at = name_at,
	.close = close_pack,
};

lrd_mounted *lrd_mount_pack(const char *path, lrd_allocator allocator, lrd_error *error)
{
	pack_mount *mount = lrd_mounted_make(&sort, sizeof *mount, 0, lrd_string_from(path), allocator, error);
	if (mount == NULL)
	{
		return NULL;
	}
	mount->pack = lrd_pack_open(&(lrd_pack_desc){ .path = path, .allocator = allocator }, error);
	if (mount->pack == NULL)
	{
		lrd_mounted_free(&mount->base);
		return NULL;
	}
	mount->base.files = lrd_pack_count(mount->pack);
	return &mount->base;
}

const lrd_pack *lrd_mount_pack_of(const lrd_mounted *mount)
{
	return mount->sort == &sort ? pack_of(mount) : NULL;
}
