// pack/plan.c: keys checked and sorted, sizes looked up, and the payloads found that a texture makes raw.

#include "pack/plan.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/path.h"
#include "os/os.h"
#include "pack/payload.h"

#include <stdlib.h>

static int compare_entries(const void *a, const void *b)
{
	const lrd_plan_entry *x = a;
	const lrd_plan_entry *y = b;
	if (x->key_hash != y->key_hash)
	{
		return x->key_hash < y->key_hash ? -1 : 1;
	}
	return lrd_string_compare_folded(x->key, y->key);
}

static bool look_at_source(lrd_plan_entry *entry, const lrd_pack_source *source, lrd_error *error)
{
	if (!lrd_path_check(source->key, error))
	{
		return lrd_fail_in(error, "a key for a bundle");
	}
	if (source->path == NULL && source->bytes.data == NULL && source->bytes.size != 0)
	{
		return lrd_fail(
			error, LRD_ERROR_ARGUMENT, "%.*s: neither a file nor bytes were given", LRD_STR_ARG(source->key));
	}
	lrd_file_info info = { .size = source->bytes.size };
	if (source->path != NULL && !lrd_file_stat(source->path, &info, error))
	{
		return lrd_fail_in(error, "%.*s", LRD_STR_ARG(source->key));
	}
	entry->key = source->key;
	entry->key_hash = lrd_fnv1a_64_folded(source->key);
	entry->kind = lrd_kind_from_path(source->key);
	entry->raw = entry->kind == LRD_TEXTURE;
	entry->size = info.size;
	return true;
}

static bool check_order(const lrd_pack_plan *plan, lrd_error *error)
{
	for (uint32_t i = 1; i < plan->count; i++)
	{
		lrd_string a = plan->entries[i - 1].key;
		lrd_string b = plan->entries[i].key;
		if (lrd_string_equal_folded(a, b))
		{
			bool a_first = lrd_string_compare(a, b) < 0; // the message, too, is the same for any order of the sources
			return lrd_fail(error, LRD_ERROR_CONFLICT,
				"\"%.*s\" and \"%.*s\" are the same key: look-ups ignore ASCII case; rename one of them",
				LRD_STR_ARG(a_first ? a : b), LRD_STR_ARG(a_first ? b : a));
		}
	}
	return true;
}

// A payload whose size a texture has too, and so perhaps its bytes.
typedef struct suspect
{
	uint64_t size;
	lrd_plan_entry *entry;
	uint8_t sha256[LRD_PACK_DIGEST_SIZE];
} suspect;

static int compare_sizes(const void *a, const void *b)
{
	const suspect *x = a;
	const suspect *y = b;
	return (x->size > y->size) - (x->size < y->size);
}

static int compare_digests(const void *a, const void *b)
{
	return memcmp(((const suspect *)a)->sha256, ((const suspect *)b)->sha256, LRD_PACK_DIGEST_SIZE);
}

// `count` suspects of one size, textures and others: those with a texture's bytes become raw.
static bool settle_suspects(suspect *suspects, size_t count, const lrd_pack_write_desc *desc, lrd_error *error)
{
	for (size_t i = 0; i < count; i++)
	{
		lrd_pack_payload payload;
		const lrd_pack_source *source = &desc->sources[suspects[i].entry->source];
		if (!lrd_pack_payload_load(&payload, source, desc->allocator, error))
		{
			return lrd_fail_in(error, "%.*s", LRD_STR_ARG(source->key));
		}
		memcpy(suspects[i].sha256, payload.sha256, sizeof payload.sha256);
		lrd_pack_payload_free(&payload);
	}
	qsort(suspects, count, sizeof *suspects, compare_digests);
	for (size_t start = 0, end; start < count; start = end)
	{
		bool raw = false;
		for (end = start; end < count && compare_digests(&suspects[start], &suspects[end]) == 0; end++)
		{
			raw |= suspects[end].entry->kind == LRD_TEXTURE;
		}
		for (size_t i = start; i < end; i++)
		{
			suspects[i].entry->raw = raw;
		}
	}
	return true;
}

static bool settle_sizes(suspect *suspects, size_t count, const lrd_pack_write_desc *desc, lrd_error *error)
{
	qsort(suspects, count, sizeof *suspects, compare_sizes);
	for (size_t start = 0, end; start < count; start = end)
	{
		size_t textures = 0;
		for (end = start; end < count && suspects[end].size == suspects[start].size; end++)
		{
			textures += suspects[end].entry->kind == LRD_TEXTURE;
		}
		bool mixed = textures != 0 && textures != end - start;
		if (mixed && !settle_suspects(suspects + start, end - start, desc, error))
		{
			return false;
		}
	}
	return true;
}

// A texture is raw whatever the others are, and equal bytes are stored once: a payload that a texture shares must be
// raw for all. Which do is known before the first is written, and costs nothing but for sources that have exactly a
// texture's size.
static bool find_raw_payloads(lrd_pack_plan *plan, const lrd_pack_write_desc *desc, lrd_error *error)
{
	if (plan->count == 0 || desc->compression == LRD_STORED)
	{
		return true;
	}
	suspect *suspects = lrd_alloc_zeroed(plan->allocator, plan->count, sizeof *suspects);
	if (suspects == NULL)
	{
		return lrd_fail_memory(error, "a bundle's plan", plan->count * sizeof *suspects);
	}
	for (uint32_t i = 0; i < plan->count; i++)
	{
		suspects[i].size = plan->entries[i].size;
		suspects[i].entry = &plan->entries[i];
	}
	bool done = settle_sizes(suspects, plan->count, desc, error);
	lrd_free(plan->allocator, suspects, plan->count * sizeof *suspects);
	return done;
}

static bool fill_plan(lrd_pack_plan *plan, const lrd_pack_write_desc *desc, lrd_error *error)
{
	for (uint32_t i = 0; i < plan->count; i++)
	{
		plan->entries[i].source = i;
		if (!look_at_source(&plan->entries[i], &desc->sources[i], error))
		{
			return false;
		}
		plan->keys_size += desc->sources[i].key.size; // at most 2^32 keys of 2^10 bytes: no overflow
	}
	if (plan->keys_size > UINT32_MAX)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT,
			"the keys have %zu bytes together, a bundle's have at most %lu; split it", plan->keys_size,
			(unsigned long)UINT32_MAX);
	}
	if (plan->count != 0)
	{
		qsort(plan->entries, plan->count, sizeof *plan->entries, compare_entries);
	}
	return check_order(plan, error) && find_raw_payloads(plan, desc, error);
}

bool lrd_pack_plan_make(lrd_pack_plan *plan, const lrd_pack_write_desc *desc, lrd_error *error)
{
	*plan = (lrd_pack_plan){ .count = desc->source_count, .allocator = desc->allocator };
	plan->entries = lrd_alloc_zeroed(plan->allocator, plan->count, sizeof *plan->entries);
	if (plan->count != 0 && plan->entries == NULL)
	{
		return lrd_fail_memory(error, "a bundle's plan", plan->count * sizeof *plan->entries);
	}
	if (!fill_plan(plan, desc, error))
	{
		lrd_pack_plan_free(plan);
		return false;
	}
	return true;
}

void lrd_pack_plan_free(lrd_pack_plan *plan)
{
	lrd_free(plan->allocator, plan->entries, plan->count * sizeof *plan->entries);
	plan->entries = NULL;
	plan->count = 0;
}
