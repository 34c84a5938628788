// store/kind_material.c: a material and the textures that it holds.

#include "larder/payload.h"
#include "store/kinds.h"
#include "store/trace.h"

static bool open_material(lrd_opening *opening, lrd_bytes bytes, void *view, lrd_error *error)
{
	lrd_material *material = view;
	bool good = lrd_material_open(bytes.data, bytes.size, &material->view, error);
	for (uint32_t slot = 0; good && slot < LRD_SLOT_COUNT; ++slot)
	{
		lrd_string stem = lrd_material_texture_stem(&material->view, (lrd_material_slot)slot);
		good = lrd_opening_need(opening, LRD_TEXTURE, stem, &material->textures[slot], error);
	}
	return good;
}

const lrd_kind_row lrd_kind_material = {
	.kind = LRD_MATERIAL,
	.family = LRD_FAMILY_MATERIAL,
	.rank = 1,
	.view_size = sizeof(lrd_material),
	.open = open_material,
};

const lrd_material *lrd_material_get(lrd_store *store, lrd_asset asset)
{
	const uint64_t begun = lrd_trace_begun(store);
	const lrd_material *view = lrd_kind_view(store, asset, LRD_MATERIAL);
	LRD_TRACE(store, begun, material_get, lrd_trace_id(asset), lrd_trace_bool(view != NULL));
	return view;
}
