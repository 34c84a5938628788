// larder/store.h: the heart of the run time. It finds assets by name, loads them on workers, shares them by reference
// count, keeps what nobody holds within a budget, and puts new content in the place of old while others still read.
// Payloads are in larder/payload.h, waiting for several assets in larder/ticket.h, lists of references in
// larder/scope.h, what is going on inside in larder/snapshot.h. Guide: docs/guide-store.md.
//
// Threads: "any thread" means any number of them at once, workers of the store's jobs included. "The owner" is the thread
// that opened the store. No call waits for a file or a decode but those whose names end in _now or _wait, and opening,
// mounting and closing. The allocator, the log and the jobs are called from any of these threads and must not call the
// store.

#ifndef LARDER_STORE_H
#define LARDER_STORE_H

#include "larder/base.h"
#include "larder/jobs.h"

/// Everything a game loads. Two stores in one process know nothing of each other.
typedef struct lrd_store lrd_store;

/// An asset: an identity (kind, stem), the same for every asker, valid until the store closes or the asset is
/// forgotten, whether or not anything is loaded. Zeroed: none, as from a find that failed: calls refuse it
/// like every invalid one, but count no programmer's error. Plain memory; compare index and generation.
typedef struct lrd_asset
{
	uint32_t index;
	uint32_t generation;
} lrd_asset;

// The same, where a declaration can say which kind it means.
typedef lrd_asset lrd_texture_asset;
typedef lrd_asset lrd_mesh_asset;
typedef lrd_asset lrd_material_asset;
typedef lrd_asset lrd_model_asset;
typedef lrd_asset lrd_skeleton_asset;
typedef lrd_asset lrd_clip_asset;
typedef lrd_asset lrd_blob_asset;

/// What a record is doing.
typedef enum lrd_state
{
	LRD_ABSENT = 0,     ///< no payload, and nobody asked for one
	LRD_QUEUED,         ///< asked for; no worker has begun
	LRD_LOADING,        ///< being read and decoded, or waiting for what it names
	LRD_READY,          ///< the payload can be had
	LRD_FAILED,         ///< lrd_asset_error says why
	LRD_RELOAD_PENDING, ///< ready, and newer content is on its way
} lrd_state;

/// "absent", "queued", …; never NULL.
LRD_API const char *lrd_state_name(lrd_state state);

/// Where bytes come from. One of `pack`, `root` and `files` is set. Zeroed fields mean what they say.
typedef struct lrd_mount_desc
{
	const char *pack; ///< a bundle. It is mapped: replace it by renaming a new one over it, as the packer does
	const char *root; ///< a folder of cooked files. Listed when mounted, and again by lrd_store_changed or the watch
	/// Files in memory; the array and all it leads to outlive the mount, see `release`.
	const struct lrd_memory_file *files;
	uint32_t file_count;
	/// The mount and the last payload that reads through it are gone; NULL: nobody is told. Any thread. Also called when
	/// mounting fails.
	void (*release)(void *user);
	void *user;
	bool watch; ///< of a root or a bundle: notice changes (lrd_store_desc.watch)
	/// Of a root: read files into memory, though a manifest says that the cook wrote them, which only ever puts whole
	/// files in place of old ones. For folders in which other programs write: a mapped file that is cut short would end
	/// the process. A root without a manifest is always read.
	bool copy;
} lrd_mount_desc;

/// A cooked file in memory.
typedef struct lrd_memory_file
{
	lrd_string key;  ///< cooked path: "models/fox.lmodel"
	lrd_bytes bytes; ///< aligned to 16
} lrd_memory_file;

/// A mount's name. Zeroed: none. A stale one is refused.
typedef struct lrd_mount
{
	uint32_t index;
	uint32_t generation;
} lrd_mount;

typedef struct lrd_store_desc
{
	const char *pack;     ///< a bundle to mount first; or NULL
	const char *root;     ///< a folder of cooked files to mount over it; or NULL. A `larder.json` in it may hold an
						  ///< object "residency" with "keep_parked_mb" and "watch", which win over this description
	bool watch;           ///< notice changes of `pack` and `root`, and load them anew
	uint64_t keep_parked; ///< bytes of payload that nobody holds to keep in memory; 0: free it at once
	/// Of textures that are used in place (in a mapped file, uncompressed) bring in no more than the header and so many of
	/// the coarsest levels, which lie first: for who streams the others (larder/stream.h). 0: whole files
	uint32_t texture_tail;
	uint32_t reserve_assets; ///< identities to make room for now; 0: grow as they come
	const lrd_jobs *jobs;    ///< the engine's scheduler, outlives the store; NULL: a pool of the store's own
	uint32_t worker_count;   ///< of that pool; 0: one less than there are processors, at least 1
	lrd_allocator allocator; ///< zeroed: malloc
	lrd_log log;       ///< zeroed: stderr from warnings up. In a second 100 failed loads one by one, then how many more
	bool quiet;        ///< in debug builds too, count programmer's errors instead of asserting
	const char *trace; ///< file to record every public call in (larder/snapshot.h); NULL: none
} lrd_store_desc;

/// Open a store. NULL on failure, and then nothing is left behind. The calling thread becomes the owner.
/// Errors: LRD_ERROR_MEMORY; LRD_ERROR_IO, LRD_ERROR_NOT_FOUND, LRD_ERROR_FORMAT of what is mounted; LRD_ERROR_ARGUMENT,
/// LRD_ERROR_LIMIT (reserve_assets).
LRD_API lrd_store *lrd_store_open(const lrd_store_desc *desc, lrd_error *error);

/// Close: what is queued is cancelled, what is running is waited for, everything is freed. References that nobody gave
/// back are reported to the log, each with its count and the last owner. Returns of how many assets; pins don't count.
/// The owner; no other thread may be in a call. NULL is allowed. Not from a callback.
LRD_API uint32_t lrd_store_close(lrd_store *store);

/// Once a frame: deliver what arrived to tickets and listeners, put changed files in train, and ask a scheduler that
/// refused again. Callbacks run here and nowhere else. The owner; not from a callback.
LRD_API void lrd_store_update(lrd_store *store);

/// Add a place where bytes come from; later ones win. Assets that were missing are looked for again when next asked
/// for; what is loaded stays as it is. Reads the table of a bundle, or lists a folder. Any thread.
/// Errors: as lrd_store_open; LRD_ERROR_CONFLICT (two files of one name), LRD_ERROR_PATH (a key that is no asset path).
LRD_API bool lrd_store_mount(lrd_store *store, const lrd_mount_desc *desc, lrd_mount *mount, lrd_error *error);

/// Take it away: no read begins in it any more. Payloads that came from it stay, and so does its mapping until the last
/// of them is gone. False for a stale mount. Any thread.
LRD_API bool lrd_store_unmount(lrd_store *store, lrd_mount mount);

// --- Identities. Any thread. ---

/// The asset of a kind at a stem ("models/fox"), ASCII case ignored: made when it is new, whether or not any mount
/// knows it. No I/O. The null asset on failure.
/// Errors: LRD_ERROR_PATH, LRD_ERROR_ARGUMENT (no kind that can be loaded), LRD_ERROR_LIMIT, LRD_ERROR_MEMORY.
LRD_API lrd_asset lrd_asset_find(lrd_store *store, lrd_kind kind, const char *stem, lrd_error *error);
LRD_API lrd_asset lrd_asset_find_string(lrd_store *store, lrd_kind kind, lrd_string stem, lrd_error *error);

/// False for the null asset, and for one that was forgotten or never was.
LRD_API bool lrd_asset_is_valid(const lrd_store *store, lrd_asset asset);

static inline bool lrd_asset_equal(lrd_asset a, lrd_asset b)
{
	return a.index == b.index && a.generation == b.generation;
}

/// Its name, null-terminated too; lives until the asset is forgotten. Empty for an invalid asset.
LRD_API lrd_string lrd_asset_stem(const lrd_store *store, lrd_asset asset);

/// LRD_KIND_NONE for an invalid asset.
LRD_API lrd_kind lrd_asset_kind(const lrd_store *store, lrd_asset asset);

/// Drop an identity that nobody references: its id and all copies of it are stale from now on. Tickets that
/// wait for it are told that it was cancelled. False when it is referenced, pinned, loading, or invalid.
LRD_API bool lrd_asset_forget(lrd_store *store, lrd_asset asset);

/// Give an asset content of the program's own: a cooked file's bytes, which are copied. It wins over every mount, until it
/// is put again (holders see that as a reload) or taken away with size 0. Loading it works as for any other asset.
/// Errors: LRD_ERROR_ARGUMENT (invalid asset), LRD_ERROR_MEMORY.
LRD_API bool lrd_asset_put(lrd_store *store, lrd_asset asset, lrd_bytes bytes, lrd_error *error);

// --- References. Any thread. ---

/// How a load should be hurried along, and who wants it.
typedef struct lrd_retain_desc
{
	int32_t priority;  ///< -100 to 100, the higher the sooner; a later, more urgent asker raises it. Waiting counts as
					   ///< well, so that nothing waits for ever
	const char *owner; ///< for the leak report and snapshots: a string that outlives the store; NULL: unknown
} lrd_retain_desc;

/// Add a reference; starts a load when there is no payload, or when the last try failed (unless nothing changed since
/// the name was found to be missing). Returns at once. False: no reference was added, since the asset is invalid or
/// memory for the request ran out. No lock is taken for a resident asset that somebody holds already, nor by lrd_release
/// when others hold it still and no older payload of it lives.
LRD_API bool lrd_retain(lrd_store *store, lrd_asset asset);

/// The same, described; `desc` may be NULL. An owner other than the last one takes the lock.
LRD_API bool lrd_retain_with(lrd_store *store, lrd_asset asset, const lrd_retain_desc *desc);

/// Add a reference and return when the payload is ready, with everything it names. What no worker has begun is done on
/// the calling thread; what one has is waited for. False: no reference was added. A payload that names something that
/// can't be loaded is ready all the same, see lrd_asset_error.
/// Errors: why it could not be loaded; LRD_ERROR_ARGUMENT (invalid asset), LRD_ERROR_MEMORY.
LRD_API bool lrd_retain_now(lrd_store *store, lrd_asset asset, lrd_error *error);

/// Take a reference away. At the last one the payload is freed, or parked within the budget; a load that nobody wants
/// any more is dropped. False, counted, and nothing done: the asset is invalid, or nobody but payloads and pins
/// references it (in a debug build this asserts).
LRD_API bool lrd_release(lrd_store *store, lrd_asset asset);

/// A reference nobody has to release: the asset stays until the store closes or it is unpinned as often as pinned.
LRD_API bool lrd_pin(lrd_store *store, lrd_asset asset);
LRD_API bool lrd_unpin(lrd_store *store, lrd_asset asset);

/// Where it stands. LRD_ABSENT for an invalid asset.
LRD_API lrd_state lrd_asset_state(const lrd_store *store, lrd_asset asset);

/// True while there is a payload (LRD_READY, LRD_RELOAD_PENDING, parked or not). Gives no right to it.
LRD_API bool lrd_asset_has(const lrd_store *store, lrd_asset asset);

/// True when it failed, when its last reload failed, or when something it names failed: `error` (may be NULL) says why,
/// with the chain of names that leads there. A name that no mount knows comes with the nearest names that one does.
LRD_API bool lrd_asset_error(const lrd_store *store, lrd_asset asset, lrd_error *error);

/// Which payload is the newest one: 0 before the first, then rising with each that comes, or is withdrawn by
/// lrd_store_unload_all.
LRD_API uint32_t lrd_asset_generation(const lrd_store *store, lrd_asset asset);

/// After a reload, the payload that was there before lives on for those who may still read it: until every reference that
/// was held at that time is renewed or gone. Renewing says of one of the caller's references: what was got through it
/// is no longer used; the next `get` gives the newest payload. `seen` is that reference's memory: lrd_asset_generation
/// right after retaining, then kept by this call. True when there is something newer than `seen`.
/// References that are never renewed keep old payloads until no reference is left. Renew before releasing, too: of a bare
/// release the store does not know what was read through it, and takes it for one that came later. Holds and scopes do all
/// that themselves (larder/scope.h). No lock is taken when there is nothing newer.
LRD_API bool lrd_asset_renew(lrd_store *store, lrd_asset asset, uint32_t *seen);

// --- Change. Any thread. ---

/// Something changed at this stem: every asset of this kind's family there is loaded anew (texture; model: with mesh,
/// skeleton, clip, collision; material; cue; font: with atlas; scene: with prefab; blob). Holders keep what they have until
/// the new payload is ready; a failure to load it leaves the old one. An asset that had failed is tried again if
/// somebody holds it. Several changes before the next update are one.
/// Returns how many assets are loaded anew now.
LRD_API uint32_t lrd_store_changed(lrd_store *store, lrd_kind kind, lrd_string stem);

/// A mounted folder or bundle changed by an unknown amount: list it, or open it, again, and load anew what differs in
/// size, time or digest. Reads the disk. Files in memory count as changed, all of them: call it when they were mounted
/// over those that assets are loaded from. Errors: as mounting; then it stays as it was.
LRD_API bool lrd_store_changed_now(lrd_store *store, lrd_mount mount, uint32_t *reloaded, lrd_error *error);

/// Drop every payload and keep every identity: parked ones are freed, loads in flight cancelled, payloads that are
/// held live on unseen until their references are renewed or gone. The next retain of an asset loads it again.
LRD_API void lrd_store_unload_all(lrd_store *store);

/// The scheduler that the store's work goes to, for work beside it; lives as long as the store. Any thread.
LRD_API const lrd_jobs *lrd_store_jobs(const lrd_store *store);

/// Change the budget; what is over it goes at once, the oldest first.
LRD_API void lrd_store_keep_parked(lrd_store *store, uint64_t bytes);

// --- Being told. ---

typedef enum lrd_event_flag
{
	LRD_EVENT_READY = 1 << 0,         ///< the first payload since it was absent or failed
	LRD_EVENT_RELOADED = 1 << 1,      ///< a newer payload took the old one's place: renew, and hand over
	LRD_EVENT_FAILED = 1 << 2,        ///< it could not be loaded
	LRD_EVENT_RELOAD_FAILED = 1 << 3, ///< the new content is bad; the old payload stays
	LRD_EVENT_GONE = 1 << 4,          ///< its payload was freed
	/// Its content changed while it was not held, or on its way, or lrd_store_unload_all dropped its load: who keeps
	/// something made of it, or waits for it, retains it again.
	LRD_EVENT_CHANGED = 1 << 5,
} lrd_event_flag;

typedef struct lrd_event
{
	lrd_asset asset;
	uint32_t flags;      ///< lrd_event_flag: all that happened since the last update
	uint32_t generation; ///< of the payload now
} lrd_event;

typedef struct lrd_listener_desc
{
	lrd_asset asset;                                      ///< null: every asset, of:
	lrd_kind kind;                                        ///< LRD_KIND_NONE: every kind
	uint32_t flags;                                       ///< lrd_event_flag that matter; 0: all
	void (*on_event)(void *user, const lrd_event *event); ///< in lrd_store_update, on the owner; may call the store
	void *user;
} lrd_listener_desc;

typedef struct lrd_listener
{
	uint32_t index;
	uint32_t generation;
} lrd_listener;

/// Register interest, from the next event on; what happened since the last update may be told as well. In one update
/// listeners to every asset are told before those to one, each in the order in which they began. Any thread.
/// Errors: LRD_ERROR_MEMORY, LRD_ERROR_ARGUMENT.
LRD_API bool lrd_store_listen(
	lrd_store *store, const lrd_listener_desc *desc, lrd_listener *listener, lrd_error *error);

/// False for a stale one. On the owner nothing is told once this returns; elsewhere a call that has begun may still be
/// running. Any thread.
LRD_API bool lrd_store_unlisten(lrd_store *store, lrd_listener listener);

#endif
