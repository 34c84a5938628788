// The part of a cook's key that says what it was made with.

#include "cook/crafts.h"

#include "larder/clip.h"
#include "larder/material.h"
#include "larder/mesh.h"
#include "larder/model.h"
#include "larder/skeleton.h"
#include "larder/version.h"

bool lrd_crafts_describe(bool is_model, lrd_buffer *out)
{
	// Textures name the version that wrote them: KTXwriter.
	if (!lrd_buffer_printf(out, "image %d\nblock %d\nastcenc " LRD_ASTCENC_VERSION "\n%s\n", LRD_CRAFT_IMAGE,
			LRD_CRAFT_BLOCK, LRD_VERSION_STRING))
	{
		return false;
	}
	return !is_model ||
		   lrd_buffer_printf(out,
			   "gltf %d\ngeometry %d\nmaterial %d\nmodel %d\nmotion %d\n"
			   "lmesh %d\nlmat %d\nlmodel %d\nlskel %d\nlclip %d\n",
			   LRD_CRAFT_IMPORT_GLTF, LRD_CRAFT_GEOMETRY, LRD_CRAFT_MATERIAL, LRD_CRAFT_MODEL, LRD_CRAFT_MOTION,
			   LRD_MESH_VERSION, LRD_MATERIAL_VERSION, LRD_MODEL_VERSION, LRD_SKELETON_VERSION, LRD_CLIP_VERSION);
}
