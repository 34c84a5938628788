// The courtyard's pictures, all computed. Colours are sRGB; normals +Y up; "orm" is occlusion, roughness, metal in R,
// G, B.

#ifndef COURTYARD_TEXTURES_H
#define COURTYARD_TEXTURES_H

#include "picture.h"

/// A surface as its three maps.
typedef struct surface_maps
{
	picture albedo, normal, orm;
} surface_maps;

/// Irregular rectangular flagstones with worn edges; tileable, meant for 2.4 m.
surface_maps paint_paving(void);
/// Lime plaster that has fallen off the bricks in places; tileable, meant for 3.6 m.
surface_maps paint_wall(void);

/// Pitted limestone in light grey, to be tinted by a base colour; tileable, meant for 1 m.
picture paint_stone(void);
picture stone_normals(void);
/// Weathered planks, grain along V; tileable, meant for 0.5 m.
picture paint_wood(void);
picture wood_normals(void);
/// Hammered metal, a weave of thread, a rippled pool: normals only, tileable.
picture hammered_normals(void);
picture weave_normals(void);
picture ripple_normals(void);

/// Four quarters with alpha: an orange tree's twig, ivy, blossoms, grass. Top left to bottom right.
picture paint_foliage(void);
/// The banner: a sun over waves in gold on red.
picture paint_banner(void);
/// The clock's face.
picture paint_clock(void);
/// A lantern's pane lit from inside.
picture paint_glow(void);
/// The hanging sign: a fish and a ring, with its relief as normals.
picture paint_sign(void);
picture sign_normals(void);

#endif
