// store/scope.c: references that are given back together.

#include "store/store.h"

#include "base/error.h"

typedef struct scope_entry
{
	lrd_asset asset;
	uint32_t seen; ///< lrd_asset_renew's memory
} scope_entry;

struct lrd_scope
{
	lrd_store *store;
	scope_entry *entries;
	size_t count;
	size_t capacity;
	lrd_retain_desc retain;
};

lrd_scope *lrd_scope_create(lrd_store *store, const lrd_scope_desc *desc, lrd_error *error)
{
	lrd_scope *scope = lrd_alloc_zeroed(store->allocator, 1, sizeof *scope);
	if (scope == NULL)
	{
		lrd_fail_memory(error, "a scope", sizeof *scope);
		return NULL;
	}
	scope->store = store;
	uint32_t reserve = desc != NULL ? desc->reserve : 0;
	if (!LRD_RESERVE(store->allocator, scope->entries, 0, reserve, scope->capacity))
	{
		lrd_free(store->allocator, scope, sizeof *scope);
		lrd_fail_memory(error, "a scope's references", reserve * sizeof(scope_entry));
		return NULL;
	}
	if (desc != NULL)
	{
		scope->retain = (lrd_retain_desc){ .priority = desc->priority, .owner = desc->owner };
	}
	return scope;
}

void lrd_scope_destroy(lrd_scope *scope)
{
	if (scope != NULL)
	{
		lrd_scope_release_all(scope);
		lrd_free(scope->store->allocator, scope->entries, scope->capacity * sizeof *scope->entries);
		lrd_free(scope->store->allocator, scope, sizeof *scope);
	}
}

static bool make_room(lrd_scope *scope)
{
	return scope->count < UINT32_MAX &&
		   LRD_RESERVE(scope->store->allocator, scope->entries, scope->count, 1, scope->capacity);
}

// The reference was made before this: it counts as one that has seen what there is now, so that payloads from before
// live rather too long than too short.
static void record(lrd_scope *scope, lrd_asset asset)
{
	scope->entries[scope->count++] = (scope_entry){ asset, lrd_asset_generation(scope->store, asset) };
}

bool lrd_scope_retain(lrd_scope *scope, lrd_asset asset)
{
	if (!make_room(scope) || !lrd_retain_with(scope->store, asset, &scope->retain))
	{
		return false;
	}
	record(scope, asset);
	return true;
}

bool lrd_scope_retain_now(lrd_scope *scope, lrd_asset asset, lrd_error *error)
{
	if (!make_room(scope))
	{
		return lrd_fail_memory(error, "a scope's references", sizeof(scope_entry));
	}
	// A reference for a while says who asks, and how urgently.
	bool asked = scope->retain.owner != NULL && lrd_asset_is_valid(scope->store, asset) &&
				 lrd_retain_with(scope->store, asset, &scope->retain);
	bool retained = lrd_retain_now(scope->store, asset, error);
	if (asked)
	{
		lrd_release(scope->store, asset);
	}
	if (retained)
	{
		record(scope, asset);
	}
	return retained;
}

bool lrd_scope_adopt(lrd_scope *scope, lrd_asset asset)
{
	if (!lrd_asset_is_valid(scope->store, asset))
	{
		return lrd_store_refuse(scope->store, "a scope adopts a stale asset");
	}
	if (!make_room(scope))
	{
		lrd_release(scope->store, asset);
		return false;
	}
	record(scope, asset);
	return true;
}

// An older payload need not wait for those who came later to go as well: whether it was read by this one is known.
static bool give_back(lrd_scope *scope, scope_entry entry)
{
	lrd_reload_renew(scope->store, entry.asset, &entry.seen);
	return lrd_release(scope->store, entry.asset);
}

bool lrd_scope_release(lrd_scope *scope, lrd_asset asset)
{
	for (size_t i = scope->count; i > 0; i--) // what came last goes first, more often than not
	{
		if (lrd_asset_equal(scope->entries[i - 1].asset, asset))
		{
			scope_entry entry = scope->entries[i - 1];
			scope->count--;
			memmove(&scope->entries[i - 1], &scope->entries[i], (scope->count - (i - 1)) * sizeof *scope->entries);
			return give_back(scope, entry);
		}
	}
	return false;
}

void lrd_scope_release_all(lrd_scope *scope)
{
	while (scope->count > 0)
	{
		give_back(scope, scope->entries[--scope->count]);
	}
}

uint32_t lrd_scope_cancel(lrd_scope *scope)
{
	size_t kept = 0;
	size_t count = scope->count;
	for (size_t i = 0; i < count; i++)
	{
		lrd_asset asset = scope->entries[i].asset;
		lrd_state state = lrd_asset_state(scope->store, asset);
		if (state == LRD_QUEUED || state == LRD_LOADING)
		{
			lrd_release(scope->store, asset);
			continue;
		}
		scope->entries[kept++] = scope->entries[i];
	}
	scope->count = kept;
	return (uint32_t)(count - kept);
}

uint32_t lrd_scope_renew(lrd_scope *scope)
{
	uint32_t newer = 0;
	for (size_t i = 0; i < scope->count; i++)
	{
		newer += lrd_asset_renew(scope->store, scope->entries[i].asset, &scope->entries[i].seen);
	}
	return newer;
}

uint32_t lrd_scope_count(const lrd_scope *scope)
{
	return (uint32_t)scope->count;
}

lrd_asset lrd_scope_at(const lrd_scope *scope, uint32_t index)
{
	return index < scope->count ? scope->entries[index].asset : (lrd_asset){ 0 };
}
