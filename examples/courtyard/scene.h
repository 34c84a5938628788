// What the courtyard's builders share: the document being written, its materials, and who builds what.
// +Z looks out of the gate at the camera, +X is the sunny wall, the fountain is at the origin.

#ifndef COURTYARD_SCENE_H
#define COURTYARD_SCENE_H

#include "gltf.h"

/// Everything is this far from the middle, metres.
#define WALL_X 5.4f    ///< inner faces of the side walls
#define WALL_Z (-4.6f) ///< inner face of the back wall
#define GATE_Z 4.6f    ///< the low wall at the front
#define TREE_X (-3.70f)
#define TREE_Z (-2.0f)

typedef struct scene
{
	gltf *g;
	int root; ///< node "Courtyard", parent of all but cameras, sun and skinned meshes

	// Material indices.
	int paving, wall, limestone, sandstone, terracotta, roof, wood, soil, landscape, pebble;
	int foliage, bark, orange;
	int bronze, copper, gold, iron, paint;
	int glass, pane, water, glow;
	int banner, cushion, lacquer, sign, clock;

	// Meshes placed by more than one builder.
	int shrub, blossoms, orange_mesh;
} scene;

/// Paint all textures and add all materials.
void add_materials(scene *s);

/// Ground, walls, gatehouse, roofs, the land around.
void add_architecture(scene *s);
/// The basin in the middle, its bowl, water and glass ball.
void add_fountain(scene *s);
/// The orange tree with its pebbles, ivy, pots, cypresses.
void add_garden(scene *s);
/// A heron on its pedestal, and its mirror image.
void add_statues(scene *s);
/// Bench, lamp, greenhouse (which borrows plants: after add_garden).
void add_furniture(scene *s);
/// Armillary sphere, sign, clock, weathervane, and the clips that move them.
void add_instruments(scene *s);
/// The skinned banner and the morphing blob.
void add_banner(scene *s);
void add_blob(scene *s);
/// Sun, lamp light and cameras.
void add_views(scene *s);

/// The second source: a hand lantern, everything in one file.
void write_lantern(const char *folder);

/// Add one part as a mesh and a node that shows it; returns the node.
int show(scene *s, const char *name, int parent, mesh part, int surface, vec3 at);
/// Add a box, unturned, to a mesh.
void add_block(mesh *m, vec3 centre, vec3 half, float chamfer);

#endif
