// gpu/row.c: what a row needs next. Looked at when something happened to it: its asset in the store, its last reference, its upload.

#include "gpu/gpu.h"

#include "base/error.h"

#define LOOK_NS 500000u // an update looks at rows for so long
#define ROOM_UPDATES                                                                                                   \
	8u // after so many, those that wait for memory are looked at though nobody is known to have freed any

static void append(lrd_row_queue *list, lrd_row *row, lrd_listing listing)
{
	row->listing = (uint8_t)listing;
	row->next = NULL;
	*(list->first != NULL ? &list->last->next : &list->first) = row;
	list->last = row;
}

static lrd_row *take_first(lrd_row_queue *list)
{
	lrd_row *row = list->first;
	list->first = row->next;
	row->listing = LRD_LISTED_NOWHERE;
	return row;
}

void lrd_row_list(lrd_residents *residents, lrd_row *row)
{
	residents->made_room = residents->made_room || row->listing == LRD_LISTED_CROWDED;
	if (row->listing == LRD_LISTED_NOWHERE)
	{
		append(&residents->look, row, LRD_LISTED_LOOK);
	}
}

// --- Retaining ---

static bool name_row(lrd_residents *residents, lrd_table *table, lrd_row *row, lrd_asset asset, lrd_error *error)
{
	if (!lrd_key_map_reserve(&table->keys, residents->allocator))
	{
		return lrd_fail_memory(error, "what is on the GPU", sizeof(lrd_key_slot) << table->keys.bits);
	}
	if (!lrd_hold_take(&row->hold, residents->store, asset))
	{
		return lrd_fail(error, LRD_ERROR_MEMORY, "out of memory: a reference to \"%.*s\"",
			LRD_STR_ARG(lrd_asset_stem(residents->store, asset)));
	}
	row->asset = asset;
	lrd_key_map_set(&table->keys, lrd_asset_key(asset), row->index);
	return true;
}

lrd_row *lrd_row_retain(
	lrd_residents *residents, lrd_table *table, lrd_asset asset, lrd_kind kind, bool *is_new, lrd_error *error)
{
	if (lrd_asset_kind(residents->store, asset) != kind)
	{
		lrd_fail(error, LRD_ERROR_ARGUMENT, "asset %u is no %s", asset.index, lrd_kind_name(kind));
		return NULL;
	}
	uint32_t index;
	bool found = lrd_key_map_get(&table->keys, lrd_asset_key(asset), &index);
	lrd_row *row = found ? lrd_table_at(table, index) : lrd_table_take(table, residents->allocator, error);
	if (row == NULL)
	{
		return NULL;
	}
	if (!found && !name_row(residents, table, row, asset, error))
	{
		lrd_table_give_back(table, row);
		return NULL;
	}
	*is_new = !found;
	residents->stats.pending += !found;
	row->references++;
	lrd_table_mark(table, row);
	lrd_row_list(residents, row);
	return row;
}

// Renewed first, so that the store knows that this reference, and no other, is done with what it read.
static void let_go(lrd_row *row)
{
	lrd_hold_renew(&row->hold);
	lrd_hold_end(&row->hold);
}

void lrd_row_free(lrd_residents *residents, lrd_row *row)
{
	lrd_table *table = lrd_residents_table(residents, row->kind);
	if (row->upload != NULL)
	{
		lrd_upload_cancel(residents, row->upload);
	}
	lrd_row_settle(residents, row);
	lrd_users_forget(residents, row);
	lrd_image_retire(residents, row->image);
	let_go(row);
	if (row->asset.generation != 0)
	{
		lrd_key_map_remove(&table->keys, lrd_asset_key(row->asset));
	}
	lrd_table_give_back(table, row);
}

// --- Looking ---

static bool keeps_payload(const lrd_residents *residents, const lrd_row *row)
{
	switch (row->kind)
	{
	case LRD_CHANGE_TEXTURE: return lrd_texture_keeps_payload(residents, row);
	case LRD_CHANGE_MESH: return lrd_mesh_keeps_payload(row);
	default: return false;
	}
}

void lrd_row_settle(lrd_residents *residents, lrd_row *row)
{
	residents->stats.pending -= row->settled ? 0 : 1;
	row->settled = true;
}

static void show_failure(lrd_residents *residents, lrd_row *row, bool failed)
{
	lrd_row_settle(residents, row);
	row->failed = failed;
	if (row->kind == LRD_CHANGE_MESH)
	{
		((lrd_mesh_row *)row)->info.failed = failed;
	}
	else if (row->kind == LRD_CHANGE_MATERIAL)
	{
		((lrd_material_row *)row)->info.failed = failed;
	}
}

static void fail_row(lrd_residents *residents, lrd_row *row, const lrd_error *error)
{
	row->stale = false;
	if (row->there)
	{
		lrd_residents_warn(residents, row->asset, "it stays as it was: %s", error->message);
		if (!keeps_payload(residents, row))
		{
			let_go(row);
		}
		return;
	}
	if (!row->failed)
	{
		lrd_residents_warn(residents, row->asset, "%s", error->message);
	}
	show_failure(residents, row, true); // the hold stays, so that the store tries again when its file changes
	lrd_users_tell(residents, row);
}

// Its payload is there.
static void begin(lrd_residents *residents, lrd_row *row)
{
	static lrd_begun (*const begins[])(lrd_residents * residents, lrd_row * row, lrd_error * error) = {
		[LRD_CHANGE_TEXTURE] = lrd_texture_begin,
		[LRD_CHANGE_MESH] = lrd_mesh_begin,
		[LRD_CHANGE_MATERIAL] = lrd_material_begin,
	};
	lrd_error error = { 0 };
	lrd_begun begun = residents->waiting.first == NULL || row->kind == LRD_CHANGE_MATERIAL
						  ? begins[row->kind](residents, row, &error)
						  : LRD_BEGUN_WAIT;
	switch (begun)
	{
	case LRD_BEGUN: break;
	case LRD_BEGUN_WAIT:
		residents->stats.refused++;
		append(&residents->waiting, row, LRD_LISTED_WAITING);
		break;
	case LRD_BEGUN_CROWDED: append(&residents->crowded, row, LRD_LISTED_CROWDED); break;
	case LRD_BEGUN_LATER: lrd_row_list(residents, row); break;
	case LRD_BEGUN_NEVER:
		row->payload = lrd_asset_generation(residents->store, row->asset);
		fail_row(residents, row, &error);
		break;
	}
}

static bool hold(lrd_residents *residents, lrd_row *row)
{
	bool held = row->hold.store != NULL;
	if (held && !row->dropped && lrd_asset_state(residents->store, row->asset) != LRD_ABSENT)
	{
		return true;
	}
	bool done = held ? lrd_hold_reset(&row->hold, residents->store, row->asset)
					 : lrd_hold_take(&row->hold, residents->store, row->asset);
	row->dropped = row->dropped && !done;
	return done;
}

static void look_at_asset(lrd_residents *residents, lrd_row *row)
{
	bool needed = !row->there || row->stale;
	bool held = needed || keeps_payload(residents, row);
	if (!held)
	{
		let_go(row);
		return;
	}
	if (!hold(residents, row))
	{
		lrd_row_list(residents, row);
		return;
	}
	lrd_state state = lrd_asset_state(residents->store, row->asset);
	bool is_other = lrd_asset_generation(residents->store, row->asset) != row->payload;
	if (!needed) // kept, and newer than what is shown: dropped and loaded again, or reloaded
	{
		row->stale = state == LRD_READY && is_other;
		needed = row->stale;
	}
	needed = needed && (is_other || !row->failed); // what could not be shown is not tried again
	if (needed && (state == LRD_READY || (state == LRD_RELOAD_PENDING && !row->there)))
	{
		lrd_hold_renew(&row->hold);
		begin(residents, row);
	}
	else if (needed && state == LRD_FAILED)
	{
		lrd_error error = { 0 };
		lrd_asset_error(residents->store, row->asset, &error);
		fail_row(residents, row, &error);
	}
}

void lrd_row_end(lrd_residents *residents, lrd_row *row)
{
	static void (*const ends[])(lrd_residents * residents, lrd_row * row) = {
		[LRD_CHANGE_TEXTURE] = lrd_texture_end,
		[LRD_CHANGE_MESH] = lrd_mesh_end,
		[LRD_CHANGE_MATERIAL] = lrd_material_end,
	};
	ends[row->kind](residents, row);
}

static void look(lrd_residents *residents, lrd_row *row)
{
	if (row->references == 0)
	{
		lrd_row_end(residents, row);
		lrd_row_free(residents, row);
		return;
	}
	if (row->upload != NULL || residents->stats.lost)
	{
		return; // looked at again when it is through
	}
	if (row->kind == LRD_CHANGE_TEXTURE)
	{
		lrd_texture_bind(residents, (lrd_texture_row *)row);
	}
	if (row->asset.generation != 0)
	{
		look_at_asset(residents, row);
	}
	else if (!row->there && !row->failed)
	{
		begin(residents, row);
	}
}

void lrd_rows_look(lrd_residents *residents)
{
	while (residents->waiting.first != NULL)
	{
		lrd_row_queue waiting = residents->waiting;
		residents->waiting = (lrd_row_queue){ 0 }; // else beginning would send it to the end of the line
		lrd_row *row = take_first(&waiting);
		look(residents, row);
		bool refused = residents->waiting.first != NULL;
		if (refused)
		{
			residents->stats.refused--; // counted already
		}
		if (waiting.first != NULL)
		{
			*(refused ? &residents->waiting.last->next : &residents->waiting.first) = waiting.first;
			residents->waiting.last = waiting.last;
		}
		if (refused)
		{
			break;
		}
	}
	residents->updates++;
	if (residents->made_room || residents->updates % ROOM_UPDATES == 0)
	{
		residents->made_room = false;
		lrd_row_queue crowded = residents->crowded;
		residents->crowded = (lrd_row_queue){ 0 };
		while (crowded.first != NULL)
		{
			append(&residents->look, take_first(&crowded), LRD_LISTED_LOOK);
		}
	}
	uint64_t begun = lrd_clock_ns();
	lrd_row_queue rows = residents->look;
	residents->look = (lrd_row_queue){ 0 };
	for (uint32_t i = 0; rows.first != NULL && (i == 0 || i % 16 != 0 || lrd_clock_ns() - begun < LOOK_NS); i++)
	{
		look(residents, take_first(&rows));
	}
	if (rows.first != NULL) // what was not looked at comes first the next time
	{
		rows.last->next = residents->look.first;
		residents->look.first = rows.first;
		residents->look.last = rows.last->next != NULL ? residents->look.last : rows.last;
	}
}

// --- What happens to it ---

void lrd_rows_event(void *user, const lrd_event *event)
{
	lrd_residents *residents = user;
	lrd_kind kind = lrd_asset_kind(residents->store, event->asset);
	const lrd_table *table = kind == LRD_TEXTURE    ? &residents->textures
							 : kind == LRD_MESH     ? &residents->meshes
							 : kind == LRD_MATERIAL ? &residents->materials
													: NULL;
	uint32_t index;
	if (table == NULL || !lrd_key_map_get(&table->keys, lrd_asset_key(event->asset), &index))
	{
		return;
	}
	lrd_row *row = lrd_table_at(table, index);
	row->dropped = row->dropped || (event->flags & (LRD_EVENT_GONE | LRD_EVENT_CHANGED)) != 0;
	uint32_t read = row->upload != NULL ? row->upload->payload : row->payload;
	bool newer = (event->flags & LRD_EVENT_CHANGED) != 0 ||
				 ((event->flags & LRD_EVENT_RELOADED) != 0 && event->generation != read);
	row->stale = row->stale || ((row->there || row->upload != NULL) && newer);
	lrd_row_list(residents, row);
}

// The upload is the row's no longer.
static void take_back(lrd_residents *residents, lrd_row *row, lrd_upload *upload)
{
	row->upload = NULL;
	lrd_table_mark(lrd_residents_table(residents, row->kind), row);
	lrd_hold_move(&row->hold, &upload->hold);
}

void lrd_row_too_large(lrd_residents *residents, lrd_row *row, lrd_upload *upload)
{
	take_back(residents, row, upload);
	lrd_texture_too_large((lrd_texture_row *)row, upload);
	row->stale = row->stale || (row->there && upload->payload != row->payload);
	lrd_row_list(residents, row);
}

void lrd_row_starved(lrd_residents *residents, lrd_row *row, lrd_upload *upload)
{
	take_back(residents, row, upload);
	row->starved = !row->there; // a change of levels is decided anew each time
	bool is_geometry = row->kind == LRD_CHANGE_MESH && ((lrd_mesh_row *)row)->geometry != NULL;
	if (row->there && is_geometry)
	{
		lrd_geometry_starved(residents, (lrd_mesh_row *)row, upload);
		return;
	}
	// A change of levels is asked for again by who wants it; other content has to come.
	row->stale = row->stale || (row->there && upload->payload != row->payload);
	if (row->listing == LRD_LISTED_NOWHERE)
	{
		append(&residents->crowded, row, LRD_LISTED_CROWDED);
	}
}

void lrd_row_uploaded(lrd_residents *residents, lrd_row *row, lrd_upload *upload, bool done)
{
	take_back(residents, row, upload);
	row->starved = false;
	row->payload = upload->payload;
	if (!done)
	{
		fail_row(residents, row, &upload->error);
	}
	else
	{
		lrd_image *old = row->image;
		row->image = upload->image;
		upload->image = NULL;
		row->there = true;
		show_failure(residents, row, false);
		upload->show(residents, upload);
		lrd_image_retire(residents, old);
		lrd_users_tell(residents, row);
	}
	lrd_row_list(residents, row);
}
