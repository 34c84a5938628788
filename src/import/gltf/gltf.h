// import/gltf/gltf.h: the glTF 2.0 reader: what its parts share. Section numbers in this folder are those of the
// Khronos glTF 2.0 specification (revision 2.0.1).
//
// The parts run in the order of lrd_gltf_read: container, extensions, buffers, accessors, textures, materials, meshes,
// nodes, skins, animations, scenes. Each reads its list of the JSON into the document and may use what the earlier ones
// left here.

//
// Kinds of warnings, which are stable:
//   file        byte-order-mark glb extension extension-undeclared
//   data        accessor-bounds attribute attribute-format not-finite
//   primitives  points lines primitive-mode primitive-empty primitive-restart indices-trimmed
//               tangents-without-normals tangent-sign uv-missing variant draco-count
//   skinning    joints-unpaired influences-dropped weights-renormalised weights-missing skin-unused skin-missing
//               skeleton-root joints-apart joints-outside-scene joints-repeated
//   morphing    morph-count morph-weights morph-without-base morph-attribute
//   materials   alpha-mode range specular-glossiness texture-slot uv-set image-missing texture-missing sampler
//   nodes       matrix-and-trs matrix-projective matrix-shear quaternions-normalised instances scene-duplicate light
//               camera
//   animations  animation-pointer channel-duplicate channel-empty channel-not-finite channel-path channel-without-morphs
//               channel-without-node interpolation matrix-animated quaternions-null times-equal times-descending
//               times-negative

#ifndef IMPORT_GLTF_GLTF_H
#define IMPORT_GLTF_GLTF_H

#include "import/gltf/json.h"
#include "import/import.h"

/// The lists at the top of a glTF, and the two that extensions bring.
typedef enum lrd_gltf_list_id
{
	LRD_GLTF_BUFFERS,
	LRD_GLTF_VIEWS,
	LRD_GLTF_ACCESSORS,
	LRD_GLTF_IMAGES,
	LRD_GLTF_SAMPLERS,
	LRD_GLTF_TEXTURES,
	LRD_GLTF_MATERIALS,
	LRD_GLTF_MESHES,
	LRD_GLTF_NODES,
	LRD_GLTF_SKINS,
	LRD_GLTF_ANIMATIONS,
	LRD_GLTF_SCENES,
	LRD_GLTF_CAMERAS,
	LRD_GLTF_LIGHTS,
	LRD_GLTF_VARIANTS,
	LRD_GLTF_LIST_COUNT
} lrd_gltf_list_id;

/// A list of objects; the array's value is NULL when there is none.
typedef struct lrd_gltf_list
{
	lrd_json array;
	uint32_t count;
} lrd_gltf_list;

/// An object's extension; `at.value` is NULL when it has none of that name. `at` hangs on `extensions`: don't copy.
typedef struct lrd_gltf_extension
{
	lrd_json extensions;
	lrd_json at;
} lrd_gltf_extension;

typedef struct lrd_gltf_buffer
{
	lrd_bytes bytes; ///< as many as byteLength says; data is NULL where the file has none (a fallback of a compression)
	size_t length;   ///< byteLength
	lrd_buffer owned;
	bool fallback; ///< it says that it is one, and is not read
} lrd_gltf_buffer;

/// A Draco mesh, decoded into accessors.
typedef struct lrd_gltf_draco lrd_gltf_draco;

typedef struct lrd_gltf_view
{
	uint32_t buffer;
	size_t offset;
	size_t length;
	size_t stride;         ///< 0: none given
	const uint8_t *data;   ///< NULL where the buffer has no bytes; decompressed
	lrd_bytes image;       ///< the copy in the document, once an image asked for it
	bool lossy;            ///< decompressed to nearly what min and max were taken from
	lrd_gltf_draco *draco; ///< the mesh last decoded from it
} lrd_gltf_view;

typedef enum lrd_gltf_component
{
	LRD_GLTF_NONE, ///< a component type that glTF doesn't know
	LRD_GLTF_I8,
	LRD_GLTF_U8,
	LRD_GLTF_I16,
	LRD_GLTF_U16,
	LRD_GLTF_U32,
	LRD_GLTF_F32,
} lrd_gltf_component;

typedef enum lrd_gltf_type
{
	LRD_GLTF_NO_TYPE, ///< a type that glTF doesn't know
	LRD_GLTF_SCALAR,
	LRD_GLTF_VEC2,
	LRD_GLTF_VEC3,
	LRD_GLTF_VEC4,
	LRD_GLTF_MAT2,
	LRD_GLTF_MAT3,
	LRD_GLTF_MAT4,
} lrd_gltf_type;

/// What an index list can be made from.
typedef enum lrd_gltf_topology
{
	LRD_GLTF_TRIANGLES,
	LRD_GLTF_STRIP,
	LRD_GLTF_FAN,
	LRD_GLTF_TOPOLOGY_COUNT
} lrd_gltf_topology;

/// A triangle list as decoded from indices, and what became of some of them.
typedef struct lrd_gltf_triangles
{
	const uint32_t *indices;
	uint32_t count;
	uint32_t highest;  ///< largest index used
	uint32_t trimmed;  ///< indices left over at the end
	uint32_t restarts; ///< primitive restart values, which glTF doesn't allow
	bool ready;
} lrd_gltf_triangles;

/// JOINTS_n and WEIGHTS_n of a primitive, merged.
typedef struct lrd_gltf_influences
{
	const struct lrd_gltf_accessor *weights[2]; ///< what they were merged from, beside JOINTS_0, or NULL
	const struct lrd_gltf_accessor *joints_1;
	const uint16_t *joints; ///< NULL: nothing merged yet
	const float *values;
	uint32_t highest;      ///< largest joint with a weight
	uint32_t highest_at;   ///< the first vertex that has it
	uint32_t renormalised; ///< vertices whose weights did not add up to 1
	uint32_t dropped;      ///< vertices with more than four influences
	uint32_t unweighted;   ///< vertices without any weight
} lrd_gltf_influences;

/// Times of an animation, as repaired; `kept` NULL: every key.
typedef struct lrd_gltf_times
{
	const float *seconds; ///< NULL: not read yet
	const uint32_t *kept; ///< which keys are left
	uint32_t count;
	uint32_t nudged;  ///< equal to the key before, which was moved to just before it, or dropped
	uint32_t removed; ///< before the key before, or not finite
	bool negative;
	bool told; ///< warned of
} lrd_gltf_times;

typedef struct lrd_gltf_accessor
{
	const cJSON *json; ///< for min and max
	uint32_t index;    ///< in the source
	bool has_min;
	bool has_max;
	uint32_t view; ///< LRD_NO_INDEX: zeros
	const uint8_t *data;
	size_t stride; ///< bytes from element to element
	size_t packed; ///< the same without a view's byteStride
	uint32_t count;
	lrd_gltf_component component;
	lrd_gltf_type type;
	uint32_t components;     ///< of an element
	uint32_t component_size; ///< bytes
	uint32_t element_size;   ///< bytes, a matrix's padding between columns included
	bool normalized;
	bool lossy; ///< its min and max may be those of what was compressed
	uint32_t sparse_count;
	uint32_t sparse_size; ///< bytes of a sparse index: 1, 2, 4
	uint32_t sparse_view;
	const uint8_t *sparse_indices;
	const uint8_t *sparse_values;
	// What has been decoded, so that sharing an accessor costs nothing.
	const float *floats;     ///< count x components
	const float *colors;     ///< count x 4
	const float *outputs[2]; ///< animation values; [1]: with tangents
	uint32_t first_bad;      ///< first element of `floats` that was not finite, or LRD_NO_INDEX
	lrd_gltf_times times;
	lrd_gltf_influences *influences;
	lrd_gltf_triangles *triangles; ///< LRD_GLTF_TOPOLOGY_COUNT
	bool signs_checked;            ///< as tangents
	bool read;                     ///< something used it
} lrd_gltf_accessor;

/// What meshes leave for the nodes to check against.
typedef struct lrd_gltf_mesh
{
	uint32_t highest_joint;     ///< largest joint with a weight in any primitive
	uint32_t highest_primitive; ///< the primitive that has it
	uint32_t highest_vertex;    ///< and the vertex
	bool skinned;
} lrd_gltf_mesh;

typedef struct lrd_gltf
{
	lrd_import *import;
	lrd_error *error;
	lrd_document *document;
	cJSON *json;
	lrd_json top;
	lrd_bytes binary; ///< the GLB's BIN chunk
	bool has_binary;
	bool is_binary; ///< a GLB
	lrd_gltf_list lists[LRD_GLTF_LIST_COUNT];
	lrd_gltf_extension lights;
	lrd_gltf_extension variants;
	uint64_t declared;  ///< extensionsUsed, a bit each
	uint64_t required;  ///< extensionsRequired
	bool quantized;     ///< KHR_mesh_quantization is declared
	size_t source_size; ///< bytes of JSON and buffers
	size_t multiple;    ///< how many times that may be decoded
	size_t budget;      ///< bytes that may still be decoded
	lrd_gltf_buffer *buffers;
	lrd_gltf_view *views;
	lrd_gltf_accessor *accessors;
	lrd_gltf_mesh *meshes;
	lrd_gltf_triangles sequences[LRD_GLTF_TOPOLOGY_COUNT]; ///< of primitives without indices: the longest so far
	uint32_t sequence_vertices[LRD_GLTF_TOPOLOGY_COUNT];
	uint8_t *material_uv_sets; ///< bit n: a slot of the material reads TEXCOORD_n
	uint32_t *node_roots;      ///< the root above each node
	uint32_t *node_marks;      ///< the last skin whose skeleton was found above each node, + 1
} lrd_gltf;

/// A name for messages: `mesh "Body"`, or `mesh 3` where it has none.
typedef struct lrd_gltf_label
{
	char text[128];
} lrd_gltf_label;

/// gltf.c: the whole reader.
bool lrd_gltf_read(lrd_import *import, lrd_bytes source);
lrd_gltf_label lrd_gltf_name(const char *what, uint32_t index, lrd_string name);
/// A member's index into one of the lists, as lrd_json_get_index does.
bool lrd_gltf_get_index(
	lrd_gltf *gltf, const lrd_json *object, const char *key, lrd_gltf_list_id list, uint32_t *index);
/// An element that is such an index.
bool lrd_gltf_index(lrd_gltf *gltf, const lrd_json *at, lrd_gltf_list_id list, uint32_t *index);
/// The object's "name", copied into the document.
bool lrd_gltf_get_name(lrd_gltf *gltf, const lrd_json *object, lrd_string *name);
/// Take bytes out of the budget; LRD_ERROR_LIMIT when they are more than what is left.
bool lrd_gltf_charge(lrd_gltf *gltf, size_t count, size_t size, const char *what);
/// Clamp a factor that is out of the range its schema gives, and say so.
bool lrd_gltf_clamp(lrd_gltf *gltf, const char *label, const char *key, float low, float high, float *value);

/// container.c
bool lrd_gltf_is_binary(lrd_bytes source);
bool lrd_gltf_open(lrd_gltf *gltf, lrd_bytes source, lrd_string *json);

/// extensions.c
bool lrd_gltf_read_extensions(lrd_gltf *gltf);
bool lrd_gltf_declared(const lrd_gltf *gltf, const char *name);
bool lrd_gltf_required(const lrd_gltf *gltf, const char *name);
/// An object's extension; also warns where the file forgot to declare it. False on failure only.
bool lrd_gltf_get_extension(lrd_gltf *gltf, const lrd_json *object, const char *name, lrd_gltf_extension *extension);

/// uri.c
bool lrd_gltf_is_data_uri(lrd_string uri);
/// Decode a data URI (RFC 2397) into a buffer; `media_type` leads into the URI.
bool lrd_gltf_read_data_uri(
	lrd_gltf *gltf, const lrd_json *at, lrd_string uri, lrd_buffer *bytes, lrd_string *media_type);
/// Find the file that a URI reference means; as lrd_import_find does.
bool lrd_gltf_find_uri(
	lrd_gltf *gltf, const lrd_json *at, lrd_string uri, lrd_bytes *bytes, const lrd_document_dependency **found);

/// buffers.c
bool lrd_gltf_read_buffers(lrd_gltf *gltf);
void lrd_gltf_free_buffers(lrd_gltf *gltf);

/// meshopt.c
/// Whether a buffer is a compression's fallback, which need not be read.
bool lrd_gltf_is_fallback(lrd_gltf *gltf, const lrd_json *buffer, bool *fallback);
/// Give a view that is compressed its bytes; others stay as they are.
bool lrd_gltf_decompress_view(lrd_gltf *gltf, const lrd_json *view_at, lrd_gltf_view *view);

/// accessor.c
bool lrd_gltf_read_accessors(lrd_gltf *gltf);
/// Compare what is declared as min and max with what unused accessors hold.
bool lrd_gltf_check_unused(lrd_gltf *gltf);

/// decode.c: all of an accessor's elements, sparse ones in place. `label` begins messages.
bool lrd_gltf_decode_floats(lrd_gltf *gltf, const char *label, lrd_gltf_accessor *accessor, float *floats);
bool lrd_gltf_decode_u32(lrd_gltf *gltf, const char *label, lrd_gltf_accessor *accessor, uint32_t *values);
/// The decoded floats, made once, min and max compared; `first_bad` of the accessor says whether all are finite.
bool lrd_gltf_floats(lrd_gltf *gltf, const char *label, lrd_gltf_accessor *accessor, const float **floats);
/// An accessor's type for messages: "VEC3 of normalized u8".
const char *lrd_gltf_component_name(lrd_gltf_component component);
const char *lrd_gltf_type_name(lrd_gltf_type type);

/// repair.c
/// Compare declared and actual min and max.
bool lrd_gltf_check_bounds(lrd_gltf *gltf, lrd_gltf_accessor *accessor, const float *floats);
/// Set what is not finite to zero; `kind` is the warning's.
bool lrd_gltf_repair_finite(lrd_gltf *gltf, const char *label, const char *what, lrd_gltf_accessor *accessor);
/// Make quaternions unit length; returns how many were not nearly so.
uint32_t lrd_gltf_repair_quaternions(float *quaternions, size_t count, size_t stride);
/// Give rotation keys of length zero the rotation of the key before, the first none, and their tangents (a stride of 12)
/// no length either; returns how many there were.
uint32_t lrd_gltf_replace_null_quaternions(float *keys, size_t count, size_t stride);
/// Read and repair an animation's input.
bool lrd_gltf_times_of(lrd_gltf *gltf, const char *label, lrd_gltf_accessor *accessor, const lrd_gltf_times **times);

/// texture.c
bool lrd_gltf_read_textures(lrd_gltf *gltf);

/// material.c
bool lrd_gltf_read_materials(lrd_gltf *gltf);
/// A textureInfo member of an object into a slot; `info` is left absent where there is none.
bool lrd_gltf_read_slot(lrd_gltf *gltf, const char *label, const lrd_json *object, const char *key,
	lrd_document_material *material, lrd_material_slot slot);
/// A factor between two bounds.
bool lrd_gltf_get_factor(
	lrd_gltf *gltf, const char *label, const lrd_json *object, const char *key, float low, float high, float *value);
bool lrd_gltf_get_color(
	lrd_gltf *gltf, const char *label, const lrd_json *object, const char *key, uint32_t count, float *color);
/// material_extensions.c
bool lrd_gltf_read_material_extensions(
	lrd_gltf *gltf, const char *label, const lrd_json *at, lrd_document_material *material);
/// specular_glossiness.c
bool lrd_gltf_read_specular_glossiness(
	lrd_gltf *gltf, const char *label, const lrd_json *at, lrd_document_material *material);

/// A primitive being read.
typedef struct lrd_gltf_primitive
{
	lrd_gltf *gltf;
	lrd_json at;
	lrd_json attributes;
	lrd_document_primitive *out;
	lrd_gltf_mesh *mesh;
	uint32_t index; ///< in the source
	uint32_t morph_count;
	const lrd_string *morph_names;
	const lrd_gltf_draco *draco; ///< NULL: its accessors have the data
	char label[160];             ///< `mesh "Body", primitive 0`
} lrd_gltf_primitive;

/// mesh.c
bool lrd_gltf_read_meshes(lrd_gltf *gltf);
/// primitive.c: false on failure; `*kept` says whether there is anything to draw.
bool lrd_gltf_read_primitive(lrd_gltf_primitive *primitive, bool *kept);
/// The accessor of an attribute, checked for its type and count; NULL in `*accessor` where there is none.
typedef struct lrd_gltf_rule
{
	lrd_gltf_type type; ///< LRD_GLTF_NO_TYPE: VEC3 or VEC4
	uint32_t plain;     ///< component formats of core glTF, a bit each
	uint32_t quantized; ///< further ones of KHR_mesh_quantization
} lrd_gltf_rule;
#define LRD_GLTF_FORMAT(component, normalized) (1u << ((component)*2 + ((normalized) ? 1 : 0)))
bool lrd_gltf_attribute(lrd_gltf_primitive *primitive, const lrd_json *attributes, const char *semantic,
	const lrd_gltf_rule *rule, lrd_gltf_accessor **accessor);
/// indices.c
bool lrd_gltf_read_indices(lrd_gltf_primitive *primitive, lrd_gltf_topology topology);
/// draco_mesh.c: decode the primitive's Draco mesh, where it has one and its accessors have no data, or the file says
/// that the mesh counts. `mode`: that of the primitive.
bool lrd_gltf_open_draco(lrd_gltf_primitive *primitive, size_t mode);
/// What stands for the accessor of an attribute, or for that of the indices of a triangle list; NULL: itself.
lrd_gltf_accessor *lrd_gltf_draco_attribute(const lrd_gltf_draco *draco, const char *semantic);
lrd_gltf_accessor *lrd_gltf_draco_indices(const lrd_gltf_draco *draco);
/// influence.c
bool lrd_gltf_read_influences(lrd_gltf_primitive *primitive);
/// morph.c
bool lrd_gltf_read_morphs(lrd_gltf_primitive *primitive);

/// node.c
bool lrd_gltf_read_nodes(lrd_gltf *gltf);
/// instances.c
bool lrd_gltf_read_instances(lrd_gltf *gltf, const lrd_json *at, lrd_document_node *node, uint32_t index);
/// skin.c
bool lrd_gltf_read_skins(lrd_gltf *gltf);
/// Nodes with a skin: their meshes' joints, and joints outside every scene. After scenes.
bool lrd_gltf_check_skins(lrd_gltf *gltf);
/// animation.c
bool lrd_gltf_read_animations(lrd_gltf *gltf);
/// scene.c
bool lrd_gltf_read_lights(lrd_gltf *gltf);
bool lrd_gltf_read_cameras(lrd_gltf *gltf);
bool lrd_gltf_read_variants(lrd_gltf *gltf);
bool lrd_gltf_read_scenes(lrd_gltf *gltf);

#endif
