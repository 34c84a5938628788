// pack/unpack.c: a bundle's payloads as files again.

#include "base/digest.h"
#include "base/error.h"
#include "base/path.h"
#include "larder/pack_write.h"
#include "pack/reader.h"

// The digest is compared before anything is written: a raw payload has no other guard.
static bool write_payload(const char *path, const void *bytes, size_t size, const uint8_t *sha256, lrd_error *error)
{
	uint8_t digest[LRD_PACK_DIGEST_SIZE];
	if (!lrd_sha256(bytes, size, digest))
	{
		return lrd_fail(error, LRD_ERROR_MEMORY, "out of memory: the SHA-256 of %s", path);
	}
	if (memcmp(digest, sha256, sizeof digest) != 0)
	{
		char found[65];
		char expected[65];
		lrd_sha256_text(digest, found);
		lrd_sha256_text(sha256, expected);
		return lrd_fail(
			error, LRD_ERROR_FORMAT, "the payload is damaged: its SHA-256 is %s, the table says %s", found, expected);
	}
	return lrd_file_write(path, bytes, size, error);
}

static bool unpack_entry(const lrd_pack *pack, const lrd_pack_entry *entry, const char *path, lrd_error *error)
{
	size_t size = (size_t)entry->size;
	if (entry->compression == LRD_STORED)
	{
		return write_payload(path, entry->stored, size, entry->sha256, error) ||
			   lrd_fail_in(error, "%s: %.*s", pack->name, LRD_STR_ARG(entry->key));
	}
	void *bytes = lrd_alloc(pack->allocator, size);
	if (bytes == NULL)
	{
		return lrd_fail_memory(error, "a payload", size);
	}
	bool done = lrd_pack_decode(pack, entry, bytes, error) && write_payload(path, bytes, size, entry->sha256, error);
	lrd_free(pack->allocator, bytes, size);
	return done || lrd_fail_in(error, "%s: %.*s", pack->name, LRD_STR_ARG(entry->key));
}

// The native path of a key, inside the folder whatever links there are, and the folders above it made.
static bool make_place(lrd_arena *arena, const char *folder, lrd_string key, const char **path, lrd_error *error)
{
	lrd_arena_reset(arena);
	if (!lrd_path_inside(arena, folder, key, path, error))
	{
		return false;
	}
	lrd_string parent = lrd_path_folder(lrd_string_from(*path));
	if (parent.size == 0) // right under "/"
	{
		return true;
	}
	lrd_string parent_path = lrd_arena_string(arena, parent);
	if (parent_path.data == NULL)
	{
		return lrd_fail_memory(error, "a folder's name", parent.size);
	}
	return lrd_folder_make(parent_path.data, error);
}

static bool unpack_entries(const lrd_pack *pack, const char *folder, lrd_arena *arena, lrd_error *error)
{
	lrd_pack_entry entry;
	for (uint32_t i = 0; lrd_pack_at(pack, i, &entry); i++)
	{
		const char *path = NULL;
		if (!make_place(arena, folder, entry.key, &path, error) || !unpack_entry(pack, &entry, path, error))
		{
			return false;
		}
	}
	return true;
}

bool lrd_pack_unpack(const lrd_pack *pack, const char *folder, lrd_error *error)
{
	lrd_pack_entry entry;
	for (uint32_t i = 0; lrd_pack_at(pack, i, &entry); i++)
	{
		if (!lrd_path_check(entry.key, error))
		{
			return lrd_fail_in(error, "%s", pack->name);
		}
	}
	if (!lrd_folder_make(folder, error))
	{
		return false;
	}
	lrd_arena *arena = lrd_arena_create(pack->allocator, 0);
	if (arena == NULL)
	{
		return lrd_fail_memory(error, "unpacking a bundle", 0);
	}
	bool done = unpack_entries(pack, folder, arena, error);
	lrd_arena_destroy(arena);
	return done;
}
