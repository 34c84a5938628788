// larder/document.h: what an importer makes of a source: one arena, flat arrays, the same for every source format.
// Right-handed, Y up, metres; UV origin top left; front faces counter-clockwise; quaternions xyzw; colours linear.
// Cook half.

#ifndef LARDER_DOCUMENT_H
#define LARDER_DOCUMENT_H

#include "larder/base.h"
#include "larder/clip.h"
#include "larder/material.h"
#include "larder/model.h"

/// An image as it came: encoded bytes or a path; never decoded pixels.
typedef struct lrd_document_image
{
	lrd_string name;       ///< authored; may be empty
	lrd_string path;       ///< external file relative to the source root, normalised; empty when embedded
	lrd_bytes bytes;       ///< embedded; empty when external
	lrd_string media_type; ///< "image/png", … as the source says; may be empty
} lrd_document_image;

/// An image and how it is sampled.
typedef struct lrd_document_texture
{
	uint32_t image; ///< LRD_NO_INDEX: none that can be read
	uint8_t wrap_u; ///< lrd_wrap
	uint8_t wrap_v; ///< lrd_wrap
	uint8_t filter; ///< lrd_filter
	bool mipmaps;   ///< the sampler wants mips
} lrd_document_texture;

/// A use of a texture by a material.
typedef struct lrd_document_slot
{
	uint32_t texture; ///< LRD_NO_INDEX: empty
	uint32_t uv_set;  ///< 0 or 1
	float uv_offset[2];
	float uv_scale[2];
	float uv_rotation; ///< radians
} lrd_document_slot;

typedef struct lrd_document_material
{
	lrd_string name;
	lrd_alpha_mode alpha_mode;
	float alpha_cutoff;
	uint32_t flags; ///< lrd_material_flag
	lrd_material_params params;
	lrd_document_slot slots[LRD_SLOT_COUNT];
} lrd_document_material;

/// What one morph target does to one primitive: deltas for every vertex, in the source's vertex order.
typedef struct lrd_document_morph
{
	lrd_string name;
	const float *positions; ///< vertex_count x 3, or NULL: no change
	const float *normals;   ///< vertex_count x 3, or NULL
	const float *tangents;  ///< vertex_count x 3, or NULL
} lrd_document_morph;

typedef struct lrd_document_primitive
{
	uint32_t material; ///< LRD_NO_INDEX: the default material
	uint32_t vertex_count;
	uint32_t index_count;              ///< a multiple of 3
	const float *positions;            ///< vertex_count x 3
	const float *normals;              ///< x 3, or NULL: to be computed
	const uint32_t *smoothing;         ///< a triangle's smoothing groups as bits, for computed normals; NULL: faceted
	const float *tangents;             ///< x 4, or NULL
	const float *uv[2];                ///< x 2, or NULL
	const float *colors;               ///< x 4, linear, or NULL
	const uint16_t *joints;            ///< x 4, indices in the skin's joints, or NULL
	const float *weights;              ///< x 4, sum 1, or NULL
	const uint32_t *indices;           ///< a triangle list; every one below vertex_count
	const lrd_document_morph *morphs;  ///< as many as the mesh's morph_count
	const uint32_t *variant_materials; ///< a material for each of the document's variants, or LRD_NO_INDEX; NULL: none
} lrd_document_primitive;

typedef struct lrd_document_mesh
{
	lrd_string name;
	const lrd_document_primitive *primitives;
	uint32_t primitive_count;
	uint32_t morph_count;
	const lrd_string *morph_names; ///< morph_count
	const float *weights;          ///< morph_count defaults
} lrd_document_mesh;

typedef struct lrd_document_node
{
	lrd_string name;
	uint32_t parent; ///< LRD_NO_INDEX: a root
	const uint32_t *children;
	uint32_t child_count;
	lrd_transform local; ///< decomposed when the source gave a matrix
	lrd_mat4 matrix;     ///< the local matrix exactly; differs from `local` only where it has shear
	bool has_matrix;     ///< the source gave a matrix, not TRS
	uint32_t mesh;       ///< LRD_NO_INDEX: none
	uint32_t skin;
	uint32_t light;
	uint32_t camera;
	const float *weights;           ///< the mesh's morph_count weights, or NULL: the mesh's own
	const lrd_transform *instances; ///< EXT_mesh_gpu_instancing: local to this node
	uint32_t instance_count;        ///< 0: drawn once, as usual
} lrd_document_node;

typedef struct lrd_document_skin
{
	lrd_string name;
	const uint32_t *joints; ///< nodes
	uint32_t joint_count;
	const lrd_mat4 *inverse_binds; ///< joint_count; identity where the source gave none
	uint32_t skeleton_root;        ///< node, or LRD_NO_INDEX
} lrd_document_skin;

typedef struct lrd_document_channel
{
	uint32_t node;
	lrd_clip_path path;
	lrd_interpolation interpolation;
	uint32_t components;
	uint32_t key_count;
	const float *times;  ///< seconds, ascending; channels that share an input share the pointer
	const float *values; ///< as in lrd_clip_channel
} lrd_document_channel;

typedef struct lrd_document_animation
{
	lrd_string name;
	const lrd_document_channel *channels;
	uint32_t channel_count;
} lrd_document_animation;

typedef struct lrd_document_light
{
	lrd_string name;
	lrd_light_type type;
	float color[3];
	float intensity;
	float range; ///< 0: infinite
	float inner_cone;
	float outer_cone;
} lrd_document_light;

typedef struct lrd_document_camera
{
	lrd_string name;
	lrd_camera_type type;
	float vertical; ///< as in lrd_model_camera
	float aspect;
	float near_plane;
	float far_plane;
} lrd_document_camera;

typedef struct lrd_document_scene
{
	lrd_string name;
	const uint32_t *roots;
	uint32_t root_count;
} lrd_document_scene;

/// A file the importer read, or looked for.
typedef struct lrd_document_dependency
{
	lrd_string path;  ///< relative to the source root
	bool absent;      ///< it was looked for and is missing
	uint64_t hash[2]; ///< XXH3-128 of its bytes; 0 when absent
} lrd_document_dependency;

/// Something that was repaired, or that larder can't represent.
typedef struct lrd_document_warning
{
	lrd_string kind;    ///< short and stable: "extension", "points", "weights-renormalised"
	lrd_string message; ///< names the object, and what was done
	uint32_t count;     ///< how often
} lrd_document_warning;

typedef struct lrd_document
{
	lrd_string generator; ///< what the source says made it
	const lrd_document_image *images;
	uint32_t image_count;
	const lrd_document_texture *textures;
	uint32_t texture_count;
	const lrd_document_material *materials;
	uint32_t material_count;
	const lrd_document_mesh *meshes;
	uint32_t mesh_count;
	const lrd_document_node *nodes;
	uint32_t node_count;
	const lrd_document_skin *skins;
	uint32_t skin_count;
	const lrd_document_animation *animations;
	uint32_t animation_count;
	const lrd_document_light *lights;
	uint32_t light_count;
	const lrd_document_camera *cameras;
	uint32_t camera_count;
	const lrd_document_scene *scenes;
	uint32_t scene_count;
	uint32_t default_scene;     ///< LRD_NO_INDEX: every root node
	const lrd_string *variants; ///< KHR_materials_variants
	uint32_t variant_count;
	const lrd_document_dependency *dependencies;
	uint32_t dependency_count;
	const lrd_document_warning *warnings;
	uint32_t warning_count;
	uint64_t memory;         ///< bytes the document occupies
	struct lrd_arena *arena; ///< owns all of the above
} lrd_document;

typedef struct lrd_import_desc
{
	const char *root;        ///< the source root: external files must lie inside it; NULL: the source's folder
	const char *path;        ///< the source, relative to the root, "/"-separated
	lrd_bytes memory;        ///< the source's bytes, when it is not to be read from `path`; `path` then only names it
	lrd_allocator allocator; ///< zeroed: malloc
} lrd_import_desc;

/// Read a source file into a document; its extension and content say the format (.gltf, .glb).
/// NULL on failure; then, and only then, `error` is written.
/// Errors: LRD_ERROR_NOT_FOUND, LRD_ERROR_IO, LRD_ERROR_MEMORY, LRD_ERROR_FORMAT, LRD_ERROR_UNSUPPORTED (an extension
/// larder lacks is required), LRD_ERROR_LIMIT, LRD_ERROR_PATH (a reference that leaves the root). Any thread.
LRD_API lrd_document *lrd_import_file(const lrd_import_desc *desc, lrd_error *error);

/// Free a document. NULL is allowed.
LRD_API void lrd_document_free(lrd_document *document);

/// True when a source of this name is one that lrd_import_file reads, by extension.
LRD_API bool lrd_import_knows(lrd_string path);

#endif
