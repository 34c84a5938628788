// A plain triangle list out of meshlets: one table look-up an index, written forward only.

#include "format/mesh.h"

uint32_t lrd_mesh_index_count(const lrd_mesh_view *view, uint32_t lod)
{
	return lod < view->lod_count ? view->lods[lod].triangle_count * 3 : 0;
}

void lrd_mesh_write_indices(const lrd_mesh_view *view, uint32_t lod, uint32_t *indices)
{
	if (lod >= view->lod_count)
	{
		return;
	}
	const lrd_meshlet *meshlet = view->meshlets + view->lods[lod].meshlet_offset;
	const lrd_meshlet *end = meshlet + view->lods[lod].meshlet_count;
	for (; meshlet < end; meshlet++)
	{
		const uint32_t *vertices = view->meshlet_vertices + meshlet->vertex_offset;
		const uint8_t *corners = view->meshlet_triangles + (size_t)meshlet->triangle_offset * 3;
		for (uint32_t i = 0; i < meshlet->triangle_count * 3; i++)
		{
			indices[i] = vertices[corners[i]];
		}
		indices += meshlet->triangle_count * 3;
	}
}
