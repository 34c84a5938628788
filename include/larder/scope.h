// larder/scope.h: references that are given back together (a scope), and one reference as a value (a hold).

#ifndef LARDER_SCOPE_H
#define LARDER_SCOPE_H

#include "larder/store.h"

/// A growing list of references. One thread at a time.
typedef struct lrd_scope lrd_scope;

typedef struct lrd_scope_desc
{
	uint32_t reserve;  ///< references to make room for: up to this many, entering and leaving allocates nothing
	int32_t priority;  ///< of what it retains, as in lrd_retain_desc
	const char *owner; ///< as in lrd_retain_desc
} lrd_scope_desc;

/// NULL when memory runs out. `desc` may be NULL. The store outlives it.
LRD_API lrd_scope *lrd_scope_create(lrd_store *store, const lrd_scope_desc *desc, lrd_error *error);

/// Release everything and free the scope. NULL is allowed.
LRD_API void lrd_scope_destroy(lrd_scope *scope);

/// Retain through the scope. False: nothing was added (an invalid asset, or memory ran out).
LRD_API bool lrd_scope_retain(lrd_scope *scope, lrd_asset asset);
LRD_API bool lrd_scope_retain_now(lrd_scope *scope, lrd_asset asset, lrd_error *error);

/// Take over a reference that was made elsewhere. If it can't be recorded it is released, and the answer is false.
LRD_API bool lrd_scope_adopt(lrd_scope *scope, lrd_asset asset);

/// Give one reference to this asset back; false when the scope has none. Linear in the scope.
LRD_API bool lrd_scope_release(lrd_scope *scope, lrd_asset asset);

/// Give everything back; the scope is empty and keeps its room.
LRD_API void lrd_scope_release_all(lrd_scope *scope);

/// Give back what was asked for and has not come yet; returns how many. What is ready, or failed, stays.
LRD_API uint32_t lrd_scope_cancel(lrd_scope *scope);

/// Renew every reference (lrd_asset_renew); returns for how many there was something newer.
LRD_API uint32_t lrd_scope_renew(lrd_scope *scope);

LRD_API uint32_t lrd_scope_count(const lrd_scope *scope);

/// The `index`-th reference's asset; the null asset past the end.
LRD_API lrd_asset lrd_scope_at(const lrd_scope *scope, uint32_t index);

/// One reference. Zeroed: none. Copying the struct does not copy the reference: move it. One thread at a time.
typedef struct lrd_hold
{
	lrd_store *store; ///< NULL: it holds nothing
	lrd_asset asset;
	uint32_t seen; ///< lrd_asset_renew's memory
} lrd_hold;

/// Retain. `hold` must hold nothing. False: it still holds nothing.
LRD_API bool lrd_hold_take(lrd_hold *hold, lrd_store *store, lrd_asset asset);

/// Retain `asset`, then let go of what was held. False: `hold` is as it was. The null asset lets go.
LRD_API bool lrd_hold_reset(lrd_hold *hold, lrd_store *store, lrd_asset asset);

/// What `from` holds is `to`'s now; what `to` held is released. `from` holds nothing afterwards. To itself: nothing.
LRD_API void lrd_hold_move(lrd_hold *to, lrd_hold *from);

/// Let go. Harmless twice.
LRD_API void lrd_hold_end(lrd_hold *hold);

/// True when there is a newer payload than at the last renewal, see lrd_asset_renew.
LRD_API bool lrd_hold_renew(lrd_hold *hold);

#endif
