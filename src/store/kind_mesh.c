// store/kind_mesh.c: a mesh, read in place.

#include "larder/payload.h"
#include "store/kinds.h"
#include "store/trace.h"

static bool open_mesh(lrd_opening *opening, lrd_bytes bytes, void *view, lrd_error *error)
{
	(void)opening;
	lrd_mesh *mesh = view;
	return lrd_mesh_open(bytes.data, bytes.size, &mesh->view, error);
}

const lrd_kind_row lrd_kind_mesh = {
	.kind = LRD_MESH,
	.family = LRD_FAMILY_MODEL,
	.view_size = sizeof(lrd_mesh),
	.open = open_mesh,
};

const lrd_mesh *lrd_mesh_get(lrd_store *store, lrd_asset asset)
{
	const uint64_t begun = lrd_trace_begun(store);
	const lrd_mesh *view = lrd_kind_view(store, asset, LRD_MESH);
	LRD_TRACE(store, begun, mesh_get, lrd_trace_id(asset), lrd_trace_bool(view != NULL));
	return view;
}
