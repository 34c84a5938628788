// pack/plan.h: which sources become which records of a bundle, before any byte is written. Cook half.

#ifndef PACK_PLAN_H
#define PACK_PLAN_H

#include "larder/pack_write.h"
#include "pack/layout.h"

typedef struct lrd_plan_entry
{
	lrd_string key;
	uint64_t key_hash;
	uint64_t size; ///< of the source, as far as it was looked at
	uint32_t source;
	lrd_kind kind;
	bool raw; ///< must not be compressed
} lrd_plan_entry;

/// One entry a source, in the order of the records.
typedef struct lrd_pack_plan
{
	lrd_plan_entry *entries;
	uint32_t count;
	size_t keys_size; ///< of all keys together, at most UINT32_MAX
	lrd_allocator allocator;
} lrd_pack_plan;

/// Check keys and order them, look at the files, and find out which payloads must stay raw.
bool lrd_pack_plan_make(lrd_pack_plan *plan, const lrd_pack_write_desc *desc, lrd_error *error);
void lrd_pack_plan_free(lrd_pack_plan *plan);

#endif
