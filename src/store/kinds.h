// store/kinds.h: what a payload of each kind is. A new kind is a file kind_NAME.c with its row and its getter, and a line
// in the table of kinds.c.

#ifndef STORE_KINDS_H
#define STORE_KINDS_H

#include "base/memory.h"
#include "larder/store.h"

/// What changes together at one stem.
typedef enum lrd_family
{
	LRD_FAMILY_NONE = 0,
	LRD_FAMILY_TEXTURE,
	LRD_FAMILY_MODEL, ///< model, mesh, skeleton, clip, collision
	LRD_FAMILY_MATERIAL,
	LRD_FAMILY_SOUND,
	LRD_FAMILY_FONT,  ///< font, atlas
	LRD_FAMILY_SCENE, ///< scene, prefab
	LRD_FAMILY_BLOB,
} lrd_family;

/// A payload being opened: what a row's `open` may use. payload.c
typedef struct lrd_opening lrd_opening;

typedef struct lrd_kind_row
{
	lrd_kind kind;
	lrd_family family;
	/// A payload may name only kinds of a lower rank, so that nothing can wait for itself. 0: it names nothing.
	uint32_t rank;
	size_t view_size; ///< sizeof lrd_model, …; 0: this build can't load the kind
	/// Check `bytes` (aligned to 16) and fill in `view` (zeroed). Worker thread, no lock. What it names is asked for with
	/// lrd_opening_need; memory that lives as long as the payload comes from lrd_opening_alloc.
	bool (*open)(lrd_opening *opening, lrd_bytes bytes, void *view, lrd_error *error);
	/// Undo what `open` did beyond that; NULL: nothing. Also called when `open` failed.
	void (*close)(void *view);
} lrd_kind_row;

// The rows, each in its kind_NAME.c.
extern const lrd_kind_row lrd_kind_texture;
extern const lrd_kind_row lrd_kind_mesh;
extern const lrd_kind_row lrd_kind_material;
extern const lrd_kind_row lrd_kind_model;
extern const lrd_kind_row lrd_kind_skeleton;
extern const lrd_kind_row lrd_kind_clip;
extern const lrd_kind_row lrd_kind_blob;

/// NULL for what is no kind or can't be loaded.
const lrd_kind_row *lrd_kind_row_of(lrd_kind kind);
/// LRD_FAMILY_NONE for what is no kind.
lrd_family lrd_kind_family(lrd_kind kind);

/// What the getters of larder/payload.h give: the view of the newest payload; NULL until there is one, and for the null
/// asset. Stale assets and those of another kind are refused. No lock.
const void *lrd_kind_view(const lrd_store *store, lrd_asset asset, lrd_kind kind);

/// The payload holds the asset of this kind at this stem. `asset` is filled in. An empty stem gives the null asset.
bool lrd_opening_need(lrd_opening *opening, lrd_kind kind, lrd_string stem, lrd_asset *asset, lrd_error *error);
/// The payload mentions the asset, and does not hold it.
bool lrd_opening_mention(lrd_opening *opening, lrd_kind kind, lrd_string stem, lrd_asset *asset, lrd_error *error);
/// Zeroed, aligned to 16; NULL when memory runs out. A size of 0 gives a valid pointer.
void *lrd_opening_alloc(lrd_opening *opening, size_t count, size_t size);

#endif
