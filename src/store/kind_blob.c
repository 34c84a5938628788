// store/kind_blob.c: any file at all: its bytes.

#include "larder/payload.h"
#include "store/kinds.h"
#include "store/trace.h"

static bool open_blob(lrd_opening *opening, lrd_bytes bytes, void *view, lrd_error *error)
{
	(void)opening;
	(void)error;
	lrd_blob *blob = view;
	blob->bytes = bytes;
	return true;
}

const lrd_kind_row lrd_kind_blob = {
	.kind = LRD_BLOB,
	.family = LRD_FAMILY_BLOB,
	.view_size = sizeof(lrd_blob),
	.open = open_blob,
};

const lrd_blob *lrd_blob_get(lrd_store *store, lrd_asset asset)
{
	const uint64_t begun = lrd_trace_begun(store);
	const lrd_blob *view = lrd_kind_view(store, asset, LRD_BLOB);
	LRD_TRACE(store, begun, blob_get, lrd_trace_id(asset), lrd_trace_bool(view != NULL));
	return view;
}
