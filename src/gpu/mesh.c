// gpu/mesh.c: meshes: a buffer each, that all who ask for the mesh share.

#include "gpu/gpu.h"

#include "base/error.h"

lrd_mesh_row *lrd_mesh_row_of(const lrd_residents *residents, lrd_mesh_handle mesh)
{
	lrd_row *row = lrd_table_at(&residents->meshes, mesh.index);
	return row != NULL && row->references != 0 && row->generation == mesh.generation ? (lrd_mesh_row *)row : NULL;
}

lrd_mesh_handle lrd_residents_retain_mesh(lrd_residents *residents, lrd_asset mesh, lrd_error *error)
{
	bool is_new = false;
	lrd_row *row = lrd_row_retain(residents, &residents->meshes, mesh, LRD_MESH, &is_new, error);
	return row != NULL ? (lrd_mesh_handle){ row->index, row->generation } : (lrd_mesh_handle){ 0 };
}

void lrd_residents_release_mesh(lrd_residents *residents, lrd_mesh_handle mesh)
{
	lrd_mesh_row *row = lrd_mesh_row_of(residents, mesh);
	if (row != NULL && --row->row.references == 0)
	{
		lrd_row_list(residents, &row->row);
	}
}

const lrd_resident_mesh *lrd_residents_get_mesh(const lrd_residents *residents, lrd_mesh_handle mesh)
{
	const lrd_mesh_row *row = lrd_mesh_row_of(residents, mesh);
	return row != NULL ? &row->info : NULL;
}

void lrd_mesh_end(lrd_residents *residents, lrd_row *row)
{
	lrd_mesh_row *mesh = (lrd_mesh_row *)row;
	lrd_derived_kill(residents, mesh);
	if (mesh->geometry != NULL)
	{
		lrd_geometry_free(residents, mesh);
	}
}

bool lrd_mesh_keeps_payload(const lrd_row *row)
{
	return row->there && ((const lrd_mesh_row *)row)->cpu_access;
}

// --- Uploads ---

static void show(lrd_residents *residents, lrd_upload *upload)
{
	lrd_mesh_row *mesh = (lrd_mesh_row *)upload->row;
	lrd_derived_kill(residents, mesh);
	mesh->info = upload->plan.mesh.info;
	mesh->info.object = mesh->row.image->object;
	mesh->cpu_access = (upload->plan.mesh.view.flags & LRD_MESH_CPU_ACCESS) != 0;
}

bool lrd_mesh_has_room(const lrd_residents *residents, const lrd_row *row, uint64_t bytes)
{
	uint64_t most = residents->desc.geometry;
	uint64_t taken = residents->stats.mesh_bytes + residents->mesh_bytes_coming;
	bool is_live = row != NULL && row->there;
	return most == 0 || is_live || (taken <= most && bytes <= most - taken);
}

lrd_begun lrd_mesh_begin(lrd_residents *residents, lrd_row *row, lrd_error *error)
{
	lrd_mesh_row *mesh = (lrd_mesh_row *)row;
	if (mesh->geometry != NULL)
	{
		return lrd_geometry_begin(residents, mesh);
	}
	const lrd_mesh *payload = lrd_mesh_get(residents->store, row->asset);
	lrd_upload *upload = payload != NULL ? lrd_upload_make(residents, row, true) : NULL;
	if (upload == NULL)
	{
		return LRD_BEGUN_LATER;
	}
	lrd_mesh_plan *plan = &upload->plan.mesh;
	lrd_begun begun = LRD_BEGUN;
	if (!lrd_mesh_plan_make(&payload->view, plan))
	{
		lrd_fail(error, LRD_ERROR_LIMIT, "it has nothing to draw, or more than a buffer can hold");
		begun = LRD_BEGUN_NEVER;
	}
	else if (!lrd_mesh_has_room(residents, row, plan->info.bytes))
	{
		begun = LRD_BEGUN_CROWDED;
	}
	else if (!lrd_upload_fits(residents, plan->info.bytes))
	{
		begun = LRD_BEGUN_WAIT;
	}
	if (begun != LRD_BEGUN)
	{
		lrd_upload_free(residents, upload);
		return begun;
	}
	upload->payload = lrd_asset_generation(residents->store, row->asset);
	upload->bytes = plan->info.bytes;
	upload->end = plan->info.bytes;
	upload->show = show;
	lrd_upload_admit(residents, upload);
	return LRD_BEGUN;
}
