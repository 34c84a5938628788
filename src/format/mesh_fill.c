// How well the meshlets of a mesh are filled: what a report says of its topology.

#include "format/mesh.h"

#define SMALL_TRIANGLES 32u

// A triangle more would have fitted, whichever it was.
static bool has_room(const lrd_meshlet *meshlet)
{
	return meshlet->vertex_count + 3 <= LRD_MESHLET_MAX_VERTICES && meshlet->triangle_count < LRD_MESHLET_MAX_TRIANGLES;
}

void lrd_mesh_measure_fill(const lrd_mesh_view *view, uint32_t lod, lrd_mesh_fill *fill)
{
	*fill = (lrd_mesh_fill){ 0 };
	if (lod >= view->lod_count || view->lods[lod].meshlet_count == 0)
	{
		return;
	}
	uint64_t triangles = 0;
	uint64_t vertices = 0;
	const lrd_meshlet *first = view->meshlets + view->lods[lod].meshlet_offset;
	const lrd_meshlet *last = first + view->lods[lod].meshlet_count - 1;
	for (const lrd_meshlet *meshlet = first; meshlet <= last; meshlet++)
	{
		triangles += meshlet->triangle_count;
		vertices += meshlet->vertex_count;
		fill->cones += meshlet->cone_cutoff < 1.0f;
		fill->small += meshlet < last && meshlet->triangle_count < SMALL_TRIANGLES && has_room(meshlet);
	}
	fill->meshlets = view->lods[lod].meshlet_count;
	fill->triangles = (float)((double)triangles / (double)fill->meshlets);
	fill->vertices = (float)((double)vertices / (double)fill->meshlets);
}
