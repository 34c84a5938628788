// Writing a glTF 2.0 document: either .gltf + .bin + images in a folder, or one .glb with everything inside.
// Every gltf_… call that adds something returns its index in the document (textures: index + 1, so that 0 means none).

#ifndef COURTYARD_GLTF_H
#define COURTYARD_GLTF_H

#include "mesh.h"
#include "picture.h"

typedef struct gltf gltf;

typedef enum image_format
{
	IMAGE_PNG,
	IMAGE_JPEG,
} image_format;

/// How a material uses a texture.
typedef struct texture_use
{
	int texture;    ///< from gltf_texture; 0 is none
	float scale;    ///< KHR_texture_transform scale in both directions; 0 leaves the transform out
	float rotation; ///< radians, only with a scale
	int uv;         ///< which texture coordinates
} texture_use;

typedef struct material
{
	const char *name;
	vec4 base; ///< linear base colour factor
	float metallic, roughness;
	float normal_scale;       ///< 0 means 1
	float occlusion_strength; ///< 0 means 1
	float mask;               ///< alpha cutoff; 0 is opaque
	bool double_sided;
	vec3 emissive;
	texture_use base_map, orm_map, normal_map, occlusion_map, emissive_map;
	const char *extensions; ///< members of "extensions", verbatim JSON; NULL for none
} material;

typedef struct node
{
	const char *name;
	int parent; ///< -1 is the scene
	vec3 translation;
	vec4 rotation;
	vec3 scale;
	int mesh, skin, camera, light; ///< -1 is none
} node;

typedef enum channel_path
{
	PATH_TRANSLATION,
	PATH_ROTATION,
	PATH_SCALE,
	PATH_WEIGHTS,
} channel_path;

/// A document that will be written as `<folder>/<name>.gltf`, or `<folder>/<name>.glb` when `binary`.
gltf *gltf_new(const char *folder, const char *name, bool binary);

/// Encode and add a picture, which is freed. Clamped textures do not repeat at their edges.
int gltf_texture(gltf *g, const char *name, picture p, image_format format, bool clamped);
int gltf_material(gltf *g, const material *m);
/// One primitive a part, each with its material (-1 for none). Parts are freed.
int gltf_mesh(gltf *g, const char *name, mesh *parts, const int *materials, int count);
/// One part with morph targets: same vertices as the base. All are freed; weights start at zero.
int gltf_morph_mesh(gltf *g, const char *name, mesh *base, int surface, mesh *targets, const char *const *target_names,
	int target_count);

/// A node with neither content nor movement, to be filled in.
node node_named(const char *name, int parent);
int gltf_node(gltf *g, const node *n);
/// Shorthand for a node that shows a mesh at a place.
int gltf_place(gltf *g, const char *name, int parent, int shown, vec3 translation);

/// Joints whose rest pose is the given node translations in the armature's space, without rotation.
int gltf_skin(gltf *g, const char *name, int skeleton, const int *joints, const vec3 *rest, int count);

void gltf_animation_begin(gltf *g, const char *name);
/// `values` hold keys * components floats (three times as many for CUBICSPLINE: in-tangent, value, out-tangent).
void gltf_channel(gltf *g, int target, channel_path path, const char *interpolation, const float *times, int keys,
	const float *values, int components);
void gltf_animation_end(gltf *g);

int gltf_perspective(gltf *g, const char *name, float fov, float aspect, float near, float far);
int gltf_orthographic(gltf *g, const char *name, float half_width, float half_height, float near, float far);
/// `kind` is "point" or "directional"; intensity in candela or lux.
int gltf_light(gltf *g, const char *name, const char *kind, vec3 color, float intensity, float range);

/// Write all files and free the document.
void gltf_write(gltf *g);

#endif
