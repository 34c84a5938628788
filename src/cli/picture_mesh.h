// cli/picture_mesh.h: what draws meshes and models for `larder info --picture`. A scene is opened once and walked for
// every panel; vertices are decoded as they are met, so that no mesh is in memory more than as its file.

#ifndef CLI_PICTURE_MESH_H
#define CLI_PICTURE_MESH_H

#include "cli/raster.h"
#include "larder/larder.h"

/// Pixels a side of what one tile of a sheet shows.
#define CLI_TILE 512u

/// A 3 x 4 matrix: three columns and what is added.
typedef struct cli_affine
{
	double m[12];
} cli_affine;

/// The values of one semantic: where they lie and how.
typedef struct cli_values
{
	const uint8_t *data; ///< NULL: the mesh has none
	size_t stride;
	lrd_vertex_format format;
} cli_values;

/// A mesh as it is drawn.
typedef struct cli_part
{
	uint32_t number; ///< in the model
	bool is_repeat;  ///< another part draws the same mesh
	const lrd_mesh_view *mesh;
	cli_values values[LRD_VERTEX_SEMANTIC_COUNT];
	cli_affine to_model;     ///< of what no skin moves
	bool is_mirrored;        ///< front faces are clockwise
	const lrd_mat4 *palette; ///< or NULL
	uint32_t palette_count;
	const float *weights; ///< of the mesh's morph targets; NULL: their defaults
	lrd_string material;  ///< stem, or empty
} cli_part;

typedef struct cli_mesh_file
{
	lrd_bytes bytes;
	lrd_mesh_view view;
} cli_mesh_file;

/// A mesh, or a model with its meshes at rest.
typedef struct cli_scene
{
	const char *path;
	char *root; ///< the folder that stems are relative to, with its slash; NULL: not found
	lrd_bytes model;
	lrd_model_view view; ///< of `model`
	cli_mesh_file *files;
	uint32_t file_count;
	cli_part *parts; ///< by material, so that each is read once
	uint32_t part_count;
	lrd_mat4 **palettes; ///< one a skeleton
	uint32_t palette_count;
	uint32_t lod_count; ///< the most that a part has
} cli_scene;

/// Open a .lmesh or .lmodel and all that is needed to draw it. False, which was said: it, or a mesh or skeleton of it,
/// is missing or not sound. cli_scene_close must follow either way.
bool cli_scene_open(cli_scene *self, const char *path);
void cli_scene_close(cli_scene *self);

/// A file of the cooked tree that the scene is from; data is NULL when there is none, or it can't be read.
lrd_bytes cli_scene_read(const cli_scene *self, lrd_string stem, const char *extension);

/// A vertex at rest, in model space.
typedef struct cli_vertex
{
	double position[3]; ///< may be infinite, where transforms are extreme
	float normal[3];    ///< unit length, or 0
	float tangent[4];   ///< the same; w: the sign of the bitangent, as the mesh has it
	float uv[2][2];
	float color[4]; ///< linear
	uint32_t joints[4];
	float joint_weights[4];
} cli_vertex;

/// A morph target that is drawn at weight 1 in place of the weights at rest; zeroed: none.
typedef struct cli_pose
{
	bool has_morph;
	uint32_t morph; ///< of each mesh that has as many
} cli_pose;

void cli_read_vertex(const cli_part *part, const cli_pose *pose, uint32_t index, cli_vertex *vertex);

/// Called for each meshlet: its vertices, and its triangles as lrd_mesh_view.meshlet_triangles has them.
typedef void cli_meshlet_visit(void *context, const cli_part *part, const lrd_meshlet *meshlet,
	const cli_vertex *vertices, const uint8_t *triangles);

/// Every meshlet of a LOD; of parts that have fewer LODs, of their last.
void cli_scene_walk(const cli_scene *self, uint32_t lod, const cli_pose *pose, cli_meshlet_visit *visit, void *context);

/// What a LOD of the whole scene is.
typedef struct cli_lod_sum
{
	uint64_t triangles;
	uint64_t meshlets;
	float error; ///< the largest
} cli_lod_sum;

cli_lod_sum cli_scene_sum(const cli_scene *self, uint32_t lod);

/// An eye that sees all of a scene: nothing is behind it, or outside the picture.
typedef struct cli_camera
{
	double origin[3];                ///< model space
	double scale;                    ///< from model space to the camera's: about 1 across
	double right[3], up[3], back[3]; ///< unit length; `back` points from the scene to the eye
	double eye[3];                   ///< in the camera's space: along right, up, back
} cli_camera;

/// Look at all that the scene's LOD 0 draws, from the right and above, or where its normals point away from there, from
/// the other side; `behind`: from the opposite.
void cli_camera_frame(cli_camera *self, const cli_scene *scene, const cli_pose *pose, bool behind);

/// Where a point is on a canvas; false: nowhere, it is not finite.
bool cli_camera_project(const cli_camera *self, const double position[3], uint32_t side, cli_corner *corner);

/// What a panel shows.
typedef enum cli_panel
{
	CLI_PANEL_SHADED,
	CLI_PANEL_BEHIND,
	CLI_PANEL_TEXTURED,
	CLI_PANEL_NORMALS,
	CLI_PANEL_TANGENTS,
	CLI_PANEL_UV,
	CLI_PANEL_COLORS,
	CLI_PANEL_WEIGHTS,
	CLI_PANEL_PARTS,
	CLI_PANEL_MESHLETS,
	CLI_PANEL_LODS,
	CLI_PANEL_MORPHS,
	CLI_PANEL_COUNT
} cli_panel;

/// Draw all panels but CLI_PANEL_UV on a cleared canvas. `lod` counts for CLI_PANEL_LODS only.
void cli_draw_scene(cli_canvas *canvas, const cli_scene *scene, const cli_camera *camera, cli_panel panel, uint32_t lod,
	const cli_pose *pose);

/// Draw the layout of uv0. False when memory runs out.
bool cli_draw_uv(cli_canvas *canvas, const cli_scene *scene);

/// sRGB codes of linear light.
cli_color cli_encode_color(const float linear[3]);

#endif
