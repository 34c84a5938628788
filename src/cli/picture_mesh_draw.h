// cli/picture_mesh_draw.h: one panel in the making, which picture_mesh_draw.c draws and, where materials count,
// picture_mesh_surface.c colours.

#ifndef CLI_PICTURE_MESH_DRAW_H
#define CLI_PICTURE_MESH_DRAW_H

#include "cli/picture_mesh.h"
#include "larder/picture.h"

#include <math.h>

/// Where a corner's values are.
enum
{
	CLI_AT_NORMAL = 0,
	CLI_AT_TANGENT = 3,
	CLI_AT_COLOR = 7,      ///< linear
	CLI_AT_UV = 10,        ///< of the base colour
	CLI_AT_NORMAL_UV = 12, ///< of the normal map
};

/// Levels of a texture that are looked at: those of up to 1024 texels a side.
#define CLI_SURFACE_LEVELS 11u

/// A texture in the making of a picture. Levels are decoded when they are first wanted.
typedef struct cli_surface_texture
{
	lrd_bytes bytes;
	lrd_picture *picture; ///< NULL: there is none
	const lrd_picture_info *info;
	lrd_material_texture slot;
	uint32_t first_level;                ///< of the file
	uint8_t *levels[CLI_SURFACE_LEVELS]; ///< RGBA
	uint32_t level;                      ///< that the triangle at hand takes, counted from first_level
} cli_surface_texture;

/// A material as CLI_PANEL_TEXTURED shows it: base colour and normal map.
typedef struct cli_surface
{
	lrd_string stem;
	float base_color[4];
	float normal_scale;
	lrd_alpha_mode alpha_mode;
	float alpha_cutoff;
	bool is_unlit;
	bool is_double_sided;
	float linear[256]; ///< light of sRGB codes
	cli_surface_texture base;
	cli_surface_texture normal;
} cli_surface;

typedef struct cli_drawing
{
	cli_canvas *canvas;
	const cli_scene *scene;
	const cli_camera *camera;
	cli_panel panel;
	float to_eye[3], to_light[3], half_way[3];
	const cli_part *part; ///< that the next values are of
	bool is_double_sided;
	bool has_skin;
	float color[3]; ///< of what has no colour of its own
	float wire;     ///< strength of the lines of the triangle at hand
	cli_surface surface;
} cli_drawing;

/// Clay, a light and a little gloss.
void cli_light(const cli_drawing *self, const float normal[3], const float albedo[3], float rgb[3]);

/// Take up another material in place of the one that is open; what of it can't be read is left out, and said.
void cli_surface_open(cli_surface *self, const cli_scene *scene, lrd_string stem);
void cli_surface_close(cli_surface *self);

/// Texture coordinates of a triangle's corners, and the levels that suit its size.
void cli_surface_prepare(cli_drawing *drawing, const cli_vertex *const vertices[3], cli_corner corners[3]);
/// A fragment that is no back, or may be seen from there, by the material.
bool cli_shade_surface(cli_drawing *drawing, const cli_fragment *at, cli_color *color);

static inline float cli_dot(const float a[3], const float b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Unit length, or 0.
static inline void cli_normalize(float v[3])
{
	float squared = cli_dot(v, v);
	float scale = squared > 0.0f ? 1.0f / sqrtf(squared) : 0.0f;
	for (int i = 0; i < 3; ++i)
	{
		v[i] *= scale;
	}
}

#endif
