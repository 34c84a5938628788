// store/kind_skeleton.c: a skeleton, read in place.

#include "larder/payload.h"
#include "store/kinds.h"
#include "store/trace.h"

static bool open_skeleton(lrd_opening *opening, lrd_bytes bytes, void *view, lrd_error *error)
{
	(void)opening;
	lrd_skeleton *skeleton = view;
	return lrd_skeleton_open(bytes.data, bytes.size, &skeleton->view, error);
}

const lrd_kind_row lrd_kind_skeleton = {
	.kind = LRD_SKELETON,
	.family = LRD_FAMILY_MODEL,
	.view_size = sizeof(lrd_skeleton),
	.open = open_skeleton,
};

const lrd_skeleton *lrd_skeleton_get(lrd_store *store, lrd_asset asset)
{
	const uint64_t begun = lrd_trace_begun(store);
	const lrd_skeleton *view = lrd_kind_view(store, asset, LRD_SKELETON);
	LRD_TRACE(store, begun, skeleton_get, lrd_trace_id(asset), lrd_trace_bool(view != NULL));
	return view;
}
