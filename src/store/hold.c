// store/hold.c: one reference as a value.

#include "store/store.h"

bool lrd_hold_take(lrd_hold *hold, lrd_store *store, lrd_asset asset)
{
	if (hold->store != NULL)
	{
		return lrd_store_refuse(store, "a hold takes a second reference");
	}
	if (!lrd_retain(store, asset))
	{
		return false;
	}
	*hold = (lrd_hold){ store, asset, lrd_asset_generation(store, asset) };
	return true;
}

bool lrd_hold_reset(lrd_hold *hold, lrd_store *store, lrd_asset asset)
{
	lrd_hold next = { 0 };
	if (asset.generation != 0 && !lrd_hold_take(&next, store, asset))
	{
		return false;
	}
	lrd_hold_move(hold, &next); // what both name is there all along: the old reference goes after the new one came
	return true;
}

void lrd_hold_move(lrd_hold *to, lrd_hold *from)
{
	if (to == from)
	{
		return;
	}
	lrd_hold old = *to;
	*to = *from;
	*from = (lrd_hold){ 0 };
	lrd_hold_end(&old);
}

void lrd_hold_end(lrd_hold *hold)
{
	if (hold->store == NULL)
	{
		return;
	}
	lrd_hold old = *hold;
	*hold = (lrd_hold){ 0 };
	lrd_reload_renew(old.store, old.asset, &old.seen); // an older payload need not wait for others to go
	lrd_release(old.store, old.asset);
}

bool lrd_hold_renew(lrd_hold *hold)
{
	return hold->store != NULL && lrd_asset_renew(hold->store, hold->asset, &hold->seen);
}
