// The code of docs/guide-store.md, as a program. Run where courtyard.lpack lies; writes the folder PATCH. snippet_store PATCH

#include <larder/larder.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static lrd_store *open_store(const char *bundle, const char *folder)
{
	lrd_error error;
	lrd_store_desc desc = {
		.pack = bundle,           // what the game ships with
		.root = folder,           // cooked files that are newer than it: they win
		.keep_parked = 64u << 20, // so much of what nobody needs any more stays in memory
		.watch = folder != NULL,  // what changes in either is loaded anew
	};
	lrd_store *store = lrd_store_open(&desc, &error);
	if (store == NULL)
	{
		fprintf(stderr, "%s\n", error.message);
	}
	return store;
}

static void print_texture(lrd_store *store, lrd_asset asset)
{
	const lrd_texture *texture = lrd_texture_get(store, asset); // NULL until it is ready
	if (texture != NULL)
	{
		lrd_string stem = lrd_asset_stem(store, asset);
		printf("%.*s: %u x %u, %s\n", LRD_STR_ARG(stem), texture->view.width, texture->view.height,
			lrd_texture_format_name(texture->view.format));
	}
}

/// At start-up, in a tool, or where a frame may take its time.
static bool show_now(lrd_store *store, const char *stem)
{
	lrd_error error;
	lrd_asset asset = lrd_asset_find(store, LRD_TEXTURE, stem, &error);
	if (asset.generation == 0 || !lrd_retain_now(store, asset, &error))
	{
		fprintf(stderr, "%s\n", error.message);
		return false;
	}
	print_texture(store, asset);
	lrd_release(store, asset); // as often as it was retained; pointers into the payload are no good afterwards
	return true;
}

/// A thing in the world, drawn as soon as its model is there.
typedef struct prop
{
	lrd_hold model;
	lrd_vec3 position;
} prop;

static bool prop_set_model(prop *self, lrd_store *store, const char *stem)
{
	lrd_asset asset = lrd_asset_find(store, LRD_MODEL, stem, NULL);
	return lrd_hold_reset(&self->model, store, asset); // takes the new one, then lets go of the old one
}

static uint32_t prop_draw(const prop *self, lrd_store *store)
{
	const lrd_model *model = lrd_model_get(store, self->model.asset);
	uint32_t drawn = 0;
	for (uint32_t i = 0; model != NULL && i < model->view.part_count; ++i)
	{
		const lrd_mesh *mesh = lrd_mesh_get(store, model->meshes[i]); // held by the model, like its materials
		drawn += mesh != NULL ? mesh->view.lods[0].triangle_count : 0;
	}
	return drawn;
}

static void prop_end(prop *self)
{
	lrd_hold_end(&self->model);
}

/// What a room needs, asked for together and given back together.
typedef struct room
{
	lrd_scope *scope;
	lrd_ticket ticket;
	bool open; ///< everything has arrived
} room;

static void on_arrival(void *user, const lrd_ticket_event *event)
{
	room *self = user;
	self->open = true;
	printf("%u arrived, %u of them failed\n", event->progress.arrived, event->progress.failed);
}

static bool room_enter(room *self, lrd_store *store, const char *const *models, uint32_t count, lrd_error *error)
{
	lrd_ticket_desc desc = { .wake = LRD_WAKE_COMPLETE, .on_event = on_arrival, .user = self };
	self->scope = lrd_scope_create(store, &(lrd_scope_desc){ .reserve = count, .owner = "room" }, error);
	self->ticket = lrd_ticket_open(store, &desc, error);
	bool good = self->scope != NULL;
	for (uint32_t i = 0; good && i < count; ++i)
	{
		lrd_asset model = lrd_asset_find(store, LRD_MODEL, models[i], error);
		good = lrd_scope_retain(self->scope, model) && lrd_ticket_require(store, self->ticket, model, error);
	}
	return good && lrd_ticket_seal(store, self->ticket); // from now on it may answer
}

static void room_leave(room *self, lrd_store *store)
{
	lrd_ticket_close(store, self->ticket);
	lrd_scope_destroy(self->scope);
	*self = (room){ 0 };
}

/// What stands here for a renderer: a texture on the GPU for each asset, made anew when the asset is.
typedef struct uploads
{
	lrd_store *store;
	uint32_t made;
	uint32_t replaced;
} uploads;

static void on_texture(void *user, const lrd_event *event)
{
	uploads *self = user;
	self->made += (event->flags & LRD_EVENT_READY) != 0;
	self->replaced += (event->flags & LRD_EVENT_RELOADED) != 0; // the same GPU texture gets new contents
}

static bool listen(uploads *self, lrd_listener *listener, lrd_error *error)
{
	lrd_listener_desc desc = {
		.kind = LRD_TEXTURE,
		.flags = LRD_EVENT_READY | LRD_EVENT_RELOADED,
		.on_event = on_texture,
		.user = self,
	};
	return lrd_store_listen(self->store, &desc, listener, error);
}

/// In each frame: pointers that were got in an earlier one are not used any more.
static const lrd_texture *current_texture(lrd_hold *hold)
{
	if (lrd_hold_renew(hold))
	{
		printf("one that was not seen before\n");
	}
	return lrd_texture_get(hold->store, hold->asset);
}

/// Content that the program makes: any kind of cooked file, here plain bytes.
static bool put_score(lrd_store *store, uint32_t score, lrd_asset *asset, lrd_error *error)
{
	*asset = lrd_asset_find(store, LRD_BLOB, "session/score", error);
	return lrd_asset_put(store, *asset, (lrd_bytes){ &score, sizeof score }, error);
}

static void print_stats(const lrd_store *store)
{
	lrd_store_stats stats;
	lrd_store_get_stats(store, &stats);
	printf("%llu loads, %llu failures; %.1f MB in memory, of which nobody holds %.1f MB\n",
		(unsigned long long)stats.loads, (unsigned long long)stats.failures, (double)stats.resident_bytes * 1e-6,
		(double)stats.parked_bytes * 1e-6);
}

/// What is loaded, and who asked for it. The snapshot keeps its room: zero it once, take it as often as you like.
static bool print_loaded(const lrd_store *store, lrd_snapshot *snapshot, lrd_error *error)
{
	if (!lrd_snapshot_take(store, snapshot, error))
	{
		return false;
	}
	for (uint32_t i = 0; i < snapshot->asset_count; ++i)
	{
		const lrd_snapshot_asset *asset = &snapshot->assets[i];
		if (asset->bytes != 0)
		{
			printf("%-8s %.*s, %llu bytes, %u references\n", lrd_kind_name(asset->kind), LRD_STR_ARG(asset->stem),
				(unsigned long long)asset->bytes, asset->references);
		}
	}
	return true;
}

// --- What the guide does not show: the pieces run. ---

static bool failed(const char *what, const lrd_error *error)
{
	fprintf(stderr, "%s: %s\n", what, error->message);
	return false;
}

/// What stands here for a game's frames, until something has come about.
static void frames_until(lrd_store *store, const bool *done)
{
	while (!*done)
	{
		lrd_store_update(store);
	}
}

static bool run_props(lrd_store *store)
{
	prop self = { .position = { 1.0f, 0.0f, 2.0f } };
	bool good = prop_set_model(&self, store, "lantern");
	while (good && lrd_asset_state(store, self.model.asset) != LRD_READY)
	{
		good = lrd_asset_state(store, self.model.asset) != LRD_FAILED;
		lrd_store_update(store);
	}
	good = good && prop_draw(&self, store) > 0;
	prop_end(&self);
	return good;
}

static bool run_room(lrd_store *store)
{
	static const char *const models[] = { "courtyard", "lantern" };
	lrd_error error = { 0 };
	room self = { 0 };
	if (!room_enter(&self, store, models, 2, &error))
	{
		return failed("room", &error);
	}
	frames_until(store, &self.open);
	room_leave(&self, store);
	return true;
}

/// Bytes of an asset of the bundle, as a file below a folder: what a cook would have written there.
static bool write_patch(const char *folder, const lrd_texture *texture, const char *bundle)
{
	lrd_pack_entry entry;
	char path[1024];
	lrd_pack *pack = lrd_pack_open(&(lrd_pack_desc){ .path = bundle }, NULL);
	snprintf(path, sizeof path, "%s/courtyard", folder);
	mkdir(path, 0777);
	snprintf(path, sizeof path, "%s/courtyard/image.WallAlbedo.ktx2", folder);
	FILE *file = fopen(path, "wb");
	bool good = texture != NULL && pack != NULL && file != NULL &&
				lrd_pack_find(pack, LRD_STR("courtyard/image.WoodAlbedo.ktx2"), &entry) &&
				fwrite(entry.stored, 1, (size_t)entry.size, file) == entry.size;
	good = file != NULL && fclose(file) == 0 && good;
	lrd_pack_close(pack);
	return good;
}

static bool run_reload(lrd_store *store, const char *bundle, const char *folder)
{
	lrd_error error = { 0 };
	uploads self = { .store = store };
	lrd_listener listener;
	lrd_hold hold = { 0 };
	lrd_asset wall = lrd_asset_find(store, LRD_TEXTURE, "courtyard/image.WallAlbedo", &error);
	if (!listen(&self, &listener, &error) || !lrd_retain_now(store, wall, &error))
	{
		return failed("reload", &error);
	}
	lrd_hold_take(&hold, store, wall);
	lrd_release(store, wall);
	lrd_store_update(store);
	const lrd_texture *old = current_texture(&hold);
	uint32_t width = old->view.width;
	bool good = write_patch(folder, old, bundle);
	lrd_store_changed(
		store, LRD_TEXTURE, lrd_asset_stem(store, wall)); // so that nothing hangs where a folder can't be watched
	while (good && self.replaced == 0)
	{
		lrd_store_update(store);
	}
	const lrd_texture *now = current_texture(&hold);
	good = good && now->view.width != width;
	lrd_hold_end(&hold);
	return lrd_store_unlisten(store, listener) && good;
}

static bool run_put(lrd_store *store)
{
	lrd_error error = { 0 };
	lrd_asset asset;
	if (!put_score(store, 1200, &asset, &error) || !lrd_retain_now(store, asset, &error))
	{
		return failed("put", &error);
	}
	uint32_t score = 0;
	memcpy(&score, lrd_blob_get(store, asset)->bytes.data, sizeof score);
	lrd_release(store, asset);
	return score == 1200;
}

static bool run_diagnostics(lrd_store *store)
{
	lrd_error error = { 0 };
	lrd_snapshot snapshot = { 0 };
	print_stats(store);
	bool good = print_loaded(store, &snapshot, &error) && snapshot.asset_count > 10;
	lrd_snapshot_free(&snapshot);
	return good;
}

int main(int argc, char **argv)
{
	const char *bundle = "courtyard.lpack";
	const char *folder = argc == 2 ? argv[1] : "patch";
	mkdir(folder, 0777);
	lrd_store *store = open_store(bundle, folder);
	bool good = store != NULL && show_now(store, "courtyard/image.StoneAlbedo") && run_props(store) &&
				run_room(store) && run_reload(store, bundle, folder) && run_put(store) && run_diagnostics(store);
	uint32_t leaks = lrd_store_close(store);
	return good && leaks == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
