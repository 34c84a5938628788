// store/names.h: the names in a mount: a hash index of cooked paths, ASCII case ignored. What belongs to a name is in
// arrays of the mount's, by the name's number.

#ifndef STORE_NAMES_H
#define STORE_NAMES_H

#include "base/memory.h"

typedef struct lrd_name
{
	const char *key; ///< somebody else's
	uint32_t hash;
	uint16_t size; ///< bytes of `key`
	uint8_t kind;  ///< lrd_kind; LRD_KIND_NONE: no asset, or no longer there
} lrd_name;

typedef struct lrd_names
{
	lrd_name *names;
	size_t count;
	size_t capacity;
	uint32_t *slots; ///< number + 1; 0: empty. 1 << bits of them
	uint32_t bits;
	uint32_t alive; ///< names that are assets
} lrd_names;

/// Most names of one table.
#define LRD_NAMES_MAX 0x40000000u

/// The kind that a cooked path is of; LRD_KIND_NONE for what is no asset: names that begin with ".", or lie in a folder
/// that does, and the manifest.
lrd_kind lrd_name_kind(lrd_string key);
/// The stem of a cooked path of this kind; of a blob: all of it.
lrd_string lrd_name_stem(lrd_kind kind, lrd_string key);
/// The cooked path of an asset, in `text`; false when nothing can be called that.
bool lrd_name_key(lrd_kind kind, lrd_string stem, char text[], lrd_string *key);

static inline lrd_string lrd_name_string(const lrd_name *name)
{
	return (lrd_string){ name->key, name->size };
}

/// `hash` is lrd_fnv1a_64_folded of the key. Also finds what is no longer there.
bool lrd_names_find(const lrd_names *names, uint64_t hash, lrd_string key, uint32_t *number);
/// Add a name that is not in the table. The number is the count before. What is no asset gets a number, but is not
/// found. False: memory, or more than LRD_NAMES_MAX; nothing changed.
bool lrd_names_add(
	lrd_names *names, lrd_allocator allocator, uint64_t hash, lrd_string key, lrd_kind kind, uint32_t *number);
/// It is there no longer (LRD_KIND_NONE), or again.
void lrd_names_set_kind(lrd_names *names, uint32_t number, lrd_kind kind);
void lrd_names_free(lrd_names *names, lrd_allocator allocator);

#endif
