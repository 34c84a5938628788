// larder/payload.h: what a loaded asset is to those who hold it: the view of its file, and the assets that it names.
// A payload stays valid as long as the caller holds the reference to its asset, also across a reload (lrd_asset_renew).
// What a payload names is held by it: the owner may read that without references of its own, until the next
// lrd_store_update; whoever keeps a pointer longer, or reads on another thread, retains the asset whose payload it is.
// Nothing in a payload changes after it is ready.

#ifndef LARDER_PAYLOAD_H
#define LARDER_PAYLOAD_H

#include "larder/clip.h"
#include "larder/material.h"
#include "larder/mesh.h"
#include "larder/model.h"
#include "larder/skeleton.h"
#include "larder/store.h"
#include "larder/texture.h"

typedef struct lrd_texture
{
	lrd_texture_view view;
} lrd_texture;

typedef struct lrd_mesh
{
	lrd_mesh_view view;
} lrd_mesh;

typedef struct lrd_material
{
	lrd_material_view view;
	lrd_asset textures[LRD_SLOT_COUNT]; ///< null where a slot is empty; held by the material
} lrd_material;

typedef struct lrd_model
{
	lrd_model_view view;
	const lrd_asset *meshes;    ///< of each part; held by the model
	const lrd_asset *materials; ///< of each material slot; held by the model
	const lrd_asset *skeletons; ///< of each skeleton; held by the model
	const lrd_asset *clips;     ///< of each clip; not held: retain those that play
} lrd_model;

typedef struct lrd_skeleton
{
	lrd_skeleton_view view;
} lrd_skeleton;

typedef struct lrd_clip
{
	lrd_clip_view view;
} lrd_clip;

/// Any file that is of no cooked kind; aligned to 16.
typedef struct lrd_blob
{
	lrd_bytes bytes;
} lrd_blob;

// The newest payload of an asset that the caller holds a reference to; NULL until it is ready. An asset of another kind
// is a programmer's error: NULL and counted, and debug builds assert. Any thread. No lock.

LRD_API const lrd_texture *lrd_texture_get(lrd_store *store, lrd_asset asset);
LRD_API const lrd_mesh *lrd_mesh_get(lrd_store *store, lrd_asset asset);
LRD_API const lrd_material *lrd_material_get(lrd_store *store, lrd_asset asset);
LRD_API const lrd_model *lrd_model_get(lrd_store *store, lrd_asset asset);
LRD_API const lrd_skeleton *lrd_skeleton_get(lrd_store *store, lrd_asset asset);
LRD_API const lrd_clip *lrd_clip_get(lrd_store *store, lrd_asset asset);
LRD_API const lrd_blob *lrd_blob_get(lrd_store *store, lrd_asset asset);

#endif
