// Triangle meshes that grow, and the shapes the courtyard is built from. Metres, +Y up, counter-clockwise fronts.
// Texture coordinates are in metres wherever a surface repeats its texture; materials scale them
// (KHR_texture_transform).

#ifndef COURTYARD_MESH_H
#define COURTYARD_MESH_H

#include "maths.h"

#include <stdbool.h>
#include <stddef.h>

/// Which attributes of a mesh are written. Positions and normals always are.
enum
{
	HAS_UV = 1,
	HAS_UV1 = 2,
	HAS_COLOR = 4,
	HAS_TANGENT = 8,
	HAS_SKIN = 16,
};

typedef struct vertex
{
	vec3 position, normal;
	vec2 uv, uv1;
	vec4 tangent;
	uint8_t color[4];
	uint8_t joints[4];
	float weights[4];
} vertex;

typedef struct mesh
{
	unsigned attributes; ///< HAS_…
	vec3 tint;           ///< linear colour given to the vertices that follow
	vertex *vertices;
	size_t vertex_count, vertex_capacity;
	uint32_t *indices;
	size_t index_count, index_capacity;
} mesh;

/// A point of a lathe's profile: distance from the axis and height.
typedef vec2 profile_point;

/// A point of a swept tube.
typedef struct tube_point
{
	vec3 position;
	float radius;
} tube_point;

/// A signed distance, negative inside.
typedef float (*distance_function)(vec3 p, const void *context);

mesh mesh_new(unsigned attributes);
void mesh_free(mesh *m);
uint32_t mesh_vertex(mesh *m, vec3 position, vec3 normal, vec2 uv);
void mesh_triangle(mesh *m, uint32_t a, uint32_t b, uint32_t c);
/// Corners in counter-clockwise order.
void mesh_quad(mesh *m, uint32_t a, uint32_t b, uint32_t c, uint32_t d);
/// Append all of `part`, moved into a frame.
void mesh_append(mesh *m, const mesh *part, const frame *place);

/// A box with chamfered edges that shade as if round. `half` are half sizes; chamfer 0 gives a plain box.
void add_box(mesh *m, const frame *place, vec3 half, float chamfer);

/// A flat rectangle of cells from `corner` along two edges; its normal is their cross product.
void add_panel(mesh *m, vec3 corner, vec3 along, vec3 up, int cells_along, int cells_up, vec2 uv_corner);

/// A surface of revolution about the frame's Y axis; the profile runs upwards for surfaces that face out.
/// Corners sharper than 40 degrees stay sharp. Writes tangents (around the axis) as well.
void add_lathe(mesh *m, const frame *place, const profile_point *profile, int count, int segments);

/// A tube along a path, closed by caps where its ends have a radius.
void add_tube(mesh *m, const tube_point *path, int count, int sides);

/// A closed ring of square-ish section, a torus when `flatness` is 1.
void add_ring(mesh *m, const frame *place, float radius, float half_width, float half_height, int segments, int sides);

/// A flat disc facing +Y with texture coordinates in metres; `rings` bands keep its normals and colours fine.
void add_disc(mesh *m, const frame *place, float radius, int segments, int rings);

/// A thin sheet with both faces, corners counter-clockwise seen from its front; coordinates in metres along the first
/// edge.
void add_sheet(mesh *m, const vec3 corner[4], float thickness);

/// One textured card with a shading normal of its own. The uv rectangle is (left, top, right, bottom).
void add_card(mesh *m, vec3 centre, vec3 right, vec3 up, vec4 uv_rectangle, vec3 normal);

/// A sphere of six square grids, `cells` along each edge; radius 1. Deform it afterwards.
void add_cube_sphere(mesh *m, int cells);

/// The zero level of a distance function by naive surface nets (Gibson, "Constrained Elastic SurfaceNets", 1998).
/// Texture coordinates project along the nearest axis, so they never stretch by more than the root of three.
void add_distance_surface(mesh *m, distance_function distance, const void *context, vec3 low, vec3 high, float cell);

/// Recompute smooth normals from the triangles, area weighted; vertices at one position share theirs.
void smooth_normals(mesh *m);

#endif
