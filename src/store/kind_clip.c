// store/kind_clip.c: a clip, read in place.

#include "larder/payload.h"
#include "store/kinds.h"
#include "store/trace.h"

static bool open_clip(lrd_opening *opening, lrd_bytes bytes, void *view, lrd_error *error)
{
	(void)opening;
	lrd_clip *clip = view;
	return lrd_clip_open(bytes.data, bytes.size, &clip->view, error);
}

const lrd_kind_row lrd_kind_clip = {
	.kind = LRD_CLIP,
	.family = LRD_FAMILY_MODEL,
	.view_size = sizeof(lrd_clip),
	.open = open_clip,
};

const lrd_clip *lrd_clip_get(lrd_store *store, lrd_asset asset)
{
	const uint64_t begun = lrd_trace_begun(store);
	const lrd_clip *view = lrd_kind_view(store, asset, LRD_CLIP);
	LRD_TRACE(store, begun, clip_get, lrd_trace_id(asset), lrd_trace_bool(view != NULL));
	return view;
}
