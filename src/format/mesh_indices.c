// A plain triangle list out of meshlets: one table look-up an index, written forward only. Eight local indices
// are read at a time: loads are what bounds it.

#include "format/mesh.h"

#include <string.h>

uint32_t lrd_mesh_index_count(const lrd_mesh_view *view, uint32_t lod)
{
	return lod < view->lod_count ? view->lods[lod].triangle_count * 3 : 0;
}

static void write_meshlet(const uint32_t *vertices, const uint8_t *corners, size_t count, uint32_t *indices)
{
	size_t i = 0;
	for (; i + 8 <= count; i += 8)
	{
		uint64_t eight;
		memcpy(&eight, corners + i, sizeof eight);
		for (uint32_t k = 0; k < 8; k++)
		{
			indices[i + k] = vertices[eight >> k * 8 & 0xff];
		}
	}
	for (; i < count; i++)
	{
		indices[i] = vertices[corners[i]];
	}
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
		size_t count = (size_t)meshlet->triangle_count * 3;
		write_meshlet(view->meshlet_vertices + meshlet->vertex_offset,
			view->meshlet_triangles + (size_t)meshlet->triangle_offset * 3, count, indices);
		indices += count;
	}
}
