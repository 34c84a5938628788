// store/kind_texture.c: a texture, all levels in memory as the file stores them: what is supercompressed stays so, and a
// renderer inflates each level into its own staging memory (lrd_texture_decompress).

#include "larder/payload.h"
#include "store/kinds.h"
#include "store/trace.h"

static bool open_texture(lrd_opening *opening, lrd_bytes bytes, void *view, lrd_error *error)
{
	(void)opening;
	lrd_texture *texture = view;
	return lrd_texture_open(bytes.data, bytes.size, &texture->view, error);
}

const lrd_kind_row lrd_kind_texture = {
	.kind = LRD_TEXTURE,
	.family = LRD_FAMILY_TEXTURE,
	.view_size = sizeof(lrd_texture),
	.open = open_texture,
};

const lrd_texture *lrd_texture_get(lrd_store *store, lrd_asset asset)
{
	const uint64_t begun = lrd_trace_begun(store);
	const lrd_texture *view = lrd_kind_view(store, asset, LRD_TEXTURE);
	LRD_TRACE(store, begun, texture_get, lrd_trace_id(asset), lrd_trace_bool(view != NULL));
	return view;
}
