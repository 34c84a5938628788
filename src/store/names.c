// store/names.c: the names in a mount.

#include "store/names.h"

#include "base/path.h"

#define MANIFEST "larder.manifest.json"

// Slots of the smallest index, and how full an index may be: three quarters.
#define SMALLEST_BITS 4

lrd_kind lrd_name_kind(lrd_string key)
{
	for (size_t i = 0; i < key.size; i++)
	{
		const char *dot = memchr(key.data + i, '.', key.size - i);
		if (dot == NULL)
		{
			break;
		}
		if (dot == key.data || dot[-1] == '/')
		{
			return LRD_KIND_NONE;
		}
		i = (size_t)(dot - key.data);
	}
	return lrd_string_equal_folded(key, LRD_STR(MANIFEST)) ? LRD_KIND_NONE : lrd_kind_from_path(key);
}

lrd_string lrd_name_stem(lrd_kind kind, lrd_string key)
{
	return (lrd_string){ key.data, key.size - strlen(lrd_kind_extension(kind)) };
}

bool lrd_name_key(lrd_kind kind, lrd_string stem, char text[], lrd_string *key)
{
	lrd_string extension = lrd_string_from(lrd_kind_extension(kind));
	if (stem.size == 0 || stem.size > LRD_PATH_MAX - extension.size)
	{
		return false;
	}
	memcpy(text, stem.data, stem.size);
	memcpy(text + stem.size, extension.data, extension.size);
	*key = (lrd_string){ text, stem.size + extension.size };
	return lrd_name_kind(*key) == kind;
}

// The high bits are mixed in: a table of many names looks at no more than these.
static uint32_t short_hash(uint64_t hash)
{
	return (uint32_t)(hash ^ hash >> 32);
}

bool lrd_names_find(const lrd_names *names, uint64_t hash, lrd_string key, uint32_t *number)
{
	if (names->slots == NULL)
	{
		return false;
	}
	uint32_t wanted = short_hash(hash);
	uint32_t mask = (1u << names->bits) - 1;
	for (uint32_t at = wanted & mask; names->slots[at] != 0; at = (at + 1) & mask)
	{
		const lrd_name *name = &names->names[names->slots[at] - 1];
		if (name->hash == wanted && lrd_string_equal_folded(lrd_name_string(name), key))
		{
			*number = names->slots[at] - 1;
			return true;
		}
	}
	return false;
}

static void put_in_slot(lrd_names *names, uint32_t number)
{
	uint32_t mask = (1u << names->bits) - 1;
	uint32_t at = names->names[number].hash & mask;
	while (names->slots[at] != 0)
	{
		at = (at + 1) & mask;
	}
	names->slots[at] = number + 1;
}

static bool grow_slots(lrd_names *names, lrd_allocator allocator)
{
	uint32_t bits = names->slots != NULL ? names->bits + 1 : SMALLEST_BITS;
	uint32_t *slots = lrd_alloc_zeroed(allocator, (size_t)1 << bits, sizeof *slots);
	if (slots == NULL)
	{
		return false;
	}
	lrd_free(allocator, names->slots, names->slots != NULL ? sizeof *slots << names->bits : 0);
	names->slots = slots;
	names->bits = bits;
	for (uint32_t i = 0; i < names->count; i++)
	{
		put_in_slot(names, i);
	}
	return true;
}

bool lrd_names_add(
	lrd_names *names, lrd_allocator allocator, uint64_t hash, lrd_string key, lrd_kind kind, uint32_t *number)
{
	bool full = names->slots == NULL || names->count >= ((size_t)3 << names->bits) / 4;
	if (names->count >= LRD_NAMES_MAX || !LRD_RESERVE(allocator, names->names, names->count, 1, names->capacity) ||
		(full && !grow_slots(names, allocator)))
	{
		return false;
	}
	*number = (uint32_t)names->count++;
	names->names[*number] =
		(lrd_name){ .key = key.data, .hash = short_hash(hash), .size = (uint16_t)key.size, .kind = (uint8_t)kind };
	names->alive += kind != LRD_KIND_NONE;
	put_in_slot(names, *number);
	return true;
}

void lrd_names_set_kind(lrd_names *names, uint32_t number, lrd_kind kind)
{
	lrd_name *name = &names->names[number];
	names->alive += kind != LRD_KIND_NONE;
	names->alive -= name->kind != LRD_KIND_NONE;
	name->kind = (uint8_t)kind;
}

void lrd_names_free(lrd_names *names, lrd_allocator allocator)
{
	lrd_free(allocator, names->names, names->capacity * sizeof *names->names);
	lrd_free(allocator, names->slots, names->slots != NULL ? sizeof *names->slots << names->bits : 0);
	*names = (lrd_names){ 0 };
}
