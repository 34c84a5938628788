// cli/view/view.h: `larder view` but for Vulkan: what the command line asked for, what there is to look at, how it is posed,
// and from where it is seen. Drawing is in cli/view/render.h.

#ifndef CLI_VIEW_VIEW_H
#define CLI_VIEW_VIEW_H

#include "cli/cli.h"
#include "larder/cook_memory.h"
#include "larder/payload.h"
#include "larder/residents.h"
#include "larder/stream.h"

// --- Matrices: column-major, as lrd_mat4 ---

lrd_mat4 view_identity(void);
lrd_mat4 view_multiply(const lrd_mat4 *a, const lrd_mat4 *b);
lrd_mat4 view_from_transform(const lrd_transform *transform);
lrd_vec3 view_transform_point(const lrd_mat4 *a, lrd_vec3 p);
lrd_vec3 view_transform_vector(const lrd_mat4 *a, lrd_vec3 v);
/// Of the upper left 3 x 3.
float view_determinant(const lrd_mat4 *a);
/// The longest axis that a unit one becomes.
float view_largest_scale(const lrd_mat4 *a);
lrd_vec3 view_add(lrd_vec3 a, lrd_vec3 b);
lrd_vec3 view_subtract(lrd_vec3 a, lrd_vec3 b);
lrd_vec3 view_scale(lrd_vec3 a, float s);
lrd_vec3 view_cross(lrd_vec3 a, lrd_vec3 b);
lrd_vec3 view_normalize(lrd_vec3 a);
float view_dot(lrd_vec3 a, lrd_vec3 b);
float view_length(lrd_vec3 a);

// --- The command line ---

/// What is shown. The order is that of the words in options.c and of the numbers in shaders/surface.frag.
typedef enum view_mode
{
	VIEW_SHADED = 0,
	VIEW_ALBEDO,
	VIEW_NORMAL,   ///< with the normal map
	VIEW_GEOMETRY, ///< interpolated normals
	VIEW_TANGENT,
	VIEW_UV,
	VIEW_COLORS, ///< vertex colours
	VIEW_ROUGHNESS,
	VIEW_METALLIC,
	VIEW_OCCLUSION,
	VIEW_EMISSIVE,
	VIEW_ALPHA,
	VIEW_FACING, ///< fronts green, backs red
	VIEW_PARTS,
	VIEW_MESHLETS,
	VIEW_LOD,
	VIEW_MIP,    ///< resident level of the base colour
	VIEW_WANTED, ///< wanted level of the base colour
	VIEW_OVERDRAW,
	VIEW_MODE_COUNT
} view_mode;

/// "shaded", "albedo", …
const char *view_mode_name(view_mode mode);

typedef enum view_camera_kind
{
	VIEW_CAMERA_FIT = 0, ///< an orbit at a distance at which everything is seen
	VIEW_CAMERA_ORBIT,
	VIEW_CAMERA_EYE,  ///< looks from a point to a point
	VIEW_CAMERA_FILE, ///< a camera of the model's
} view_camera_kind;

/// As --camera says it.
typedef struct view_camera_desc
{
	view_camera_kind kind;
	float yaw;   ///< radians; 0 looks along -Z, at what glTF calls the front; more goes to the right
	float pitch; ///< radians, upwards
	float distance;
	bool has_target;
	lrd_vec3 target;
	lrd_vec3 eye;
	const char *name; ///< of a camera of the file
	bool turns;       ///< it goes all around: what fits must from every side
} view_camera_desc;

typedef struct view_options
{
	const char *path;
	const char *model; ///< stem; NULL: the first
	const char *screenshot;
	uint32_t width, height;
	view_camera_desc camera;
	uint32_t turntable; ///< pictures; 0: no turntable
	uint64_t budget;    ///< bytes; 0: the stream's own
	bool watch;
	uint32_t frames; ///< after which it ends; 0: none
	view_mode mode;
	const char *clip;
	float time;
	const char *variant;
	int32_t lod; ///< -1: by the projected error
	const char *sky;
	bool has_background;
	float background[3]; ///< as a screen shows it, 0..1
	float exposure;      ///< that light is multiplied by
	const char *device;
	bool uses_sets; ///< a set of descriptors for each material, even where there is a table of all textures
	bool validate;
	bool json;
	bool quiet;
	uint32_t jobs;
	lrd_job_pool *pool; ///< NULL: none
} view_options;

/// False, which was said: the command line can't be understood.
bool view_options_read(view_options *self, const cli_arguments *arguments);

// --- What there is to look at ---

#define VIEW_TAIL 4u ///< smallest levels of a texture, which are always there

typedef enum view_content_kind
{
	VIEW_CONTENT_NONE = 0,
	VIEW_CONTENT_MODEL,
	VIEW_CONTENT_TEXTURE,
} view_content_kind;

/// Names that there are, for a message about one that there is not.
typedef struct view_names
{
	char text[400];
	size_t used;
	uint32_t count, left_out;
} view_names;
void view_names_add(view_names *self, lrd_string name);
/// `there is no WHAT "NAME"`, and which there are; `of` is what has none.
void view_names_say(const view_names *self, const char *of, const char *what, const char *name);

/// Files that sources are made of, watched.
typedef struct view_sources view_sources;
/// NULL on failure.
view_sources *view_sources_open(const char *root, const lrd_cooked *cooked, lrd_error *error);
/// NULL is allowed.
void view_sources_close(view_sources *self);
/// True when a file came, changed or went since the last call.
bool view_sources_update(view_sources *self);

/// A store with what was named mounted in it.
typedef struct view_content
{
	lrd_store *store;
	lrd_mount mount;
	lrd_cooked *cooked; ///< of sources: for what changed when they are cooked again
	char *path;         ///< as it was named
	char *root;         ///< that is mounted or cooked
	char *stem;         ///< of what is shown
	view_content_kind kind;
	lrd_asset asset;    ///< retained
	lrd_asset original; ///< retained: what `asset` stands for; null: itself
	uint32_t original_seen;
	lrd_mount_desc from;   ///< what is mounted
	bool is_mesh;          ///< a mesh by itself, which a model stands for
	bool has_sky;          ///< the texture that --sky names
	bool has_parent;       ///< of a mesh: there is the model that it was cooked with
	view_sources *sources; ///< watched; NULL: not
} view_content;

/// False, which was said.
bool view_content_open(view_content *self, const view_options *options);
void view_content_close(view_content *self);
/// Of sources that are watched: cook anew when they changed. True when something did.
bool view_content_refresh(view_content *self, const view_options *options);

/// A KTX 2.0 file of an image file, for this program's eyes alone: as it is decoded.
bool view_cook_image(lrd_bytes image, const char *name, const lrd_texture_settings *settings,
	const view_options *options, lrd_buffer *out, lrd_error *error);

/// A texture that shaders can show as it is. A cubemap's faces are flat.
bool view_is_flat(const lrd_texture_view *texture);
/// Put what can be drawn in the place of a mesh, or of a texture that is not flat: content->asset becomes that. False, which was said.
bool view_stand_in_make(view_content *self, const view_options *options);
/// Make it anew when what it stands for was loaded anew.
void view_stand_in_renew(view_content *self, const view_options *options);

// --- How it is posed ---

/// A drawable piece of the scene.
typedef struct view_part
{
	lrd_asset mesh_asset;
	uint32_t mesh_seen; ///< of lrd_asset_renew
	lrd_mesh_handle mesh;
	uint32_t material; ///< a resident material's index; LRD_GPU_NO_SLOT: glTF's default
	uint32_t slot;     ///< of the model's materials; LRD_NO_INDEX: none
	lrd_asset material_asset;
	uint32_t node;         ///< LRD_NO_INDEX: none
	uint32_t skeleton;     ///< LRD_NO_INDEX: not skinned
	uint32_t first_weight; ///< in the scene's weights
	uint32_t weight_count;
	uint32_t next_weighted; ///< the next part of its node that has weights; LRD_NO_INDEX: none
	bool is_posed;          ///< skinned or morphed: bounds are the scene's
	// What its pose comes to.
	lrd_mat4 world;
	float scale;      ///< the longest axis that a unit one becomes
	bool is_mirrored; ///< its fronts are backs
	// What is decided for a frame.
	uint32_t morph; ///< where its deltas begin among the frame's, plus 1; 0: none
	float distance; ///< of the nearest point of its bounds
	uint32_t lod;
	float depth; ///< of the centre, along the view, for sorting
} view_part;

typedef struct view_skeleton
{
	lrd_asset asset;
	uint32_t joint_count;
	uint32_t first_joint; ///< in the scene's poses and palette
} view_skeleton;

/// How fine the textures of a material are wanted in a frame, by whatever part sees most of them: see sight.c.
typedef struct view_want
{
	float texels[2]; ///< of a texture of 1 x 1, by uv set, along what one unit covers at distance 1; 0: every level
	bool is_wanted;
	bool is_seen;
} view_want;

/// Morph targets at their weights: see morphs.c.
typedef struct view_morphs view_morphs;

typedef struct view_scene
{
	const lrd_model *model;
	uint32_t generation; ///< of the model's payload
	lrd_transform *locals;
	lrd_mat4 *nodes; ///< to world
	uint32_t node_count;
	view_part *parts;
	uint32_t part_count;
	view_skeleton *skeletons;
	uint32_t skeleton_count;
	lrd_transform *pose;
	lrd_mat4 *palette;
	uint32_t joint_count;
	float *weights;
	uint32_t weight_count;
	uint32_t *weighted;  ///< by node: the first of its parts that has weights; LRD_NO_INDEX: none
	view_morphs *morphs; ///< NULL: no part has any
	view_want *wants;    ///< by a resident material's index
	uint32_t want_count;
	lrd_bounds bounds; ///< world
	uint32_t variant;  ///< LRD_NO_INDEX: none
	uint32_t clip;     ///< LRD_NO_INDEX: none
	lrd_asset clip_asset;
	bool is_playing;
	float time;
} view_scene;

/// Take in a model that is loaded: everything it draws is retained. False, which was said.
bool view_scene_open(view_scene *self, lrd_store *store, lrd_residents *residents, lrd_asset model);
void view_scene_close(view_scene *self, lrd_store *store, lrd_residents *residents);
/// What was loaded anew takes the place of what was there.
void view_scene_renew(view_scene *self, lrd_store *store);
/// By name or number; NULL: none. False, which was said.
bool view_scene_set_variant(view_scene *self, lrd_residents *residents, const char *name);
void view_scene_set_variant_index(view_scene *self, lrd_residents *residents, uint32_t variant);
bool view_scene_set_clip(view_scene *self, lrd_store *store, const char *name);
bool view_scene_set_clip_index(view_scene *self, lrd_store *store, uint32_t clip);
/// The same after a reload: one that can't be read now is held, and comes when its file is sound again.
void view_scene_keep_clip(view_scene *self, lrd_store *store, uint32_t clip);
float view_scene_duration(const view_scene *self, lrd_store *store);
/// Everything at this time of the clip. Allocates nothing.
void view_scene_pose(view_scene *self, lrd_store *store);
/// Called by view_scene_open and _close. False, which was said.
bool view_morphs_make(view_scene *scene);
void view_morphs_free(view_morphs *self);

// --- From where it is seen ---

typedef struct view_camera
{
	lrd_vec3 eye;
	lrd_vec3 right, up, back; ///< of unit length
	float vertical;           ///< field of view in radians; of an orthographic one half the height
	bool is_orthographic;
	float near_plane;
	float far_plane; ///< of an orthographic one
	float aspect;    ///< 0: the picture's
	// How it is steered.
	bool is_flying;
	lrd_vec3 target;
	float yaw, pitch, distance;
	uint32_t index; ///< of the model's camera that it began as; LRD_NO_INDEX: none
	bool is_moved;  ///< it was steered since
} view_camera;

/// False, which was said: the model has no such camera. `scene` may be empty.
bool view_camera_make(
	view_camera *self, const view_camera_desc *desc, const view_scene *scene, float aspect, bool has_file);
/// Become a camera of the scene's model, which must have it.
void view_camera_take_file(view_camera *self, const view_scene *scene, uint32_t index);
/// Where yaw, pitch, distance and target put it; flying, where yaw and pitch turn it.
void view_camera_steer(view_camera *self);
lrd_mat4 view_camera_view(const view_camera *self);
/// Depth is 1 at the near plane and 0 at infinity.
lrd_mat4 view_camera_projection(const view_camera *self, float aspect);
/// Height of a picture in pixels over what it shows at distance 1.
float view_camera_pixels_per_unit(const view_camera *self, float height);

#endif
