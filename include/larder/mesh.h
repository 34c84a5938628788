// larder/mesh.h: reading a cooked mesh (.lmesh) in place. Format: docs/formats.md, "Mesh".
// The writer, in larder/write.h, takes the same view that the reader gives.

#ifndef LARDER_MESH_H
#define LARDER_MESH_H

#include "larder/base.h"

#define LRD_MESH_VERSION 1
#define LRD_MESH_MAX_LODS 16
#define LRD_MESHLET_MAX_VERTICES 64
#define LRD_MESHLET_MAX_TRIANGLES 124

typedef enum lrd_mesh_flag
{
	LRD_MESH_SKINNED = 1 << 0,           ///< has the skin stream
	LRD_MESH_MORPHED = 1 << 1,           ///< has morph targets
	LRD_MESH_UV1 = 1 << 2,               ///< has the uv1 stream
	LRD_MESH_AUTHORED_TANGENTS = 1 << 3, ///< tangents came with the source
	LRD_MESH_CPU_ACCESS = 1 << 4,        ///< a game asked to read it on the CPU
	LRD_MESH_DOUBLE_SIDED = 1 << 5,
	LRD_MESH_ALPHA_MASKED = 1 << 6,
	LRD_MESH_ALL_FLAGS = (1 << 7) - 1,
} lrd_mesh_flag;

typedef enum lrd_vertex_semantic
{
	LRD_VERTEX_POSITION = 0,
	LRD_VERTEX_NORMAL = 1,
	LRD_VERTEX_TANGENT = 2,
	LRD_VERTEX_UV0 = 3,
	LRD_VERTEX_COLOR = 4,
	LRD_VERTEX_UV1 = 5,
	LRD_VERTEX_JOINTS = 6,
	LRD_VERTEX_WEIGHTS = 7,
	LRD_VERTEX_SEMANTIC_COUNT
} lrd_vertex_semantic;

typedef enum lrd_vertex_format
{
	LRD_FORMAT_F32X2 = 1,
	LRD_FORMAT_F32X3 = 2,
	LRD_FORMAT_F16X2 = 3,
	LRD_FORMAT_UNORM16X4 = 4, ///< quantised positions: value * position_scale + position_offset; w unused. Exact, as
							  ///< cooked: round(value * 65535) * (position_scale / 65535) + position_offset
	LRD_FORMAT_OCT_SNORM16X2 = 5, ///< octahedral unit vector
	LRD_FORMAT_OCT_TANGENT16X2 =
		6, ///< octahedral unit vector; lowest bit of the second: 1 where the bitangent's sign is -1
	LRD_FORMAT_UNORM8X4 = 7,
	LRD_FORMAT_UINT8X4 = 8,
	LRD_FORMAT_UINT16X4 = 9,
	LRD_FORMAT_UNORM16X4_WEIGHTS = 10, ///< four weights that sum to exactly 65535 (LRD_FORMAT_UNORM8X4 ones to 255)
} lrd_vertex_format;

typedef enum lrd_vertex_stream
{
	LRD_STREAM_POSITION = 0,
	LRD_STREAM_SURFACE = 1,
	LRD_STREAM_UV1 = 2,
	LRD_STREAM_SKIN = 3,
	LRD_STREAM_COUNT
} lrd_vertex_stream;

/// One row of the vertex layout. The file's table is the truth; readers don't assume offsets.
typedef struct lrd_vertex_attribute
{
	uint8_t semantic; ///< lrd_vertex_semantic
	uint8_t format;   ///< lrd_vertex_format
	uint8_t stream;   ///< lrd_vertex_stream
	uint8_t offset;   ///< bytes from the start of the vertex in its stream
} lrd_vertex_attribute;

/// A vertex stream: vertex_count elements of `stride` bytes.
typedef struct lrd_mesh_stream
{
	const void *data; ///< NULL when the mesh has no such stream
	uint32_t stride;  ///< bytes; 0 when absent
} lrd_mesh_stream;

/// At most 64 vertices and 124 triangles that lie together.
typedef struct lrd_meshlet
{
	uint32_t vertex_offset; ///< first of its entries in meshlet_vertices
	uint32_t vertex_count;
	uint32_t triangle_offset; ///< first of its triangles in meshlet_triangles, in triangles
	uint32_t triangle_count;
	float centre[3]; ///< bounding sphere, object space
	float radius;
	float cone_axis[3];
	float cone_cutoff; ///< back-facing where dot(normalize(cone_apex - eye), cone_axis) >= cone_cutoff; 1: no cone
	float cone_apex[3];
	uint32_t reserved; ///< 0
} lrd_meshlet;

/// A level of detail: a run of meshlets. LOD 0 is the finest.
typedef struct lrd_mesh_lod
{
	uint32_t meshlet_offset;
	uint32_t meshlet_count;
	uint32_t triangle_count;
	float error; ///< object units, 0 for LOD 0
} lrd_mesh_lod;

/// A morph target: a run of entries.
typedef struct lrd_morph_target
{
	uint32_t name_offset; ///< into the string block
	uint32_t name_size;   ///< bytes
	uint32_t entry_offset;
	uint32_t entry_count;
	float default_weight;
	uint32_t reserved[3]; ///< 0
} lrd_morph_target;

/// What one morph target does to one vertex. The position delta in f32, object units; normal and tangent deltas are
/// half the true delta as snorm16, so that any difference of two unit vectors fits; the fourth component is 0.
typedef struct lrd_morph_entry
{
	uint32_t vertex;
	float position[3];
	int16_t normal[4];
	int16_t tangent[4];
} lrd_morph_entry;

/// A mesh as its file says it. Pointers lead into the bytes that were opened.
typedef struct lrd_mesh_view
{
	uint32_t flags; ///< lrd_mesh_flag
	uint32_t vertex_count;
	lrd_bounds bounds;            ///< of the rest pose, object space
	uint32_t raytracing_lod_bias; ///< 0..15
	float position_scale[3];      ///< 1 where positions are f32
	float position_offset[3];     ///< 0 where positions are f32
	float uv_density[2];          ///< of uv0 and uv1: texels of a texture of 1 x 1 along an object-space unit of the
								  ///< surface, over all of LOD 0; 0: not known (no such set, or no area in it)
	lrd_string material;          ///< stem; empty: none
	const lrd_vertex_attribute *attributes;
	uint32_t attribute_count;
	lrd_mesh_stream streams[LRD_STREAM_COUNT];
	const lrd_mesh_lod *lods;
	uint32_t lod_count; ///< 1..LRD_MESH_MAX_LODS
	const lrd_meshlet *meshlets;
	uint32_t meshlet_count;
	const uint32_t *meshlet_vertices; ///< meshlet-local vertex -> vertex of the streams
	uint32_t meshlet_vertex_count;
	const uint8_t *meshlet_triangles; ///< three meshlet-local vertices a triangle
	uint32_t meshlet_triangle_count;
	const lrd_morph_target *morphs;
	uint32_t morph_count;
	const lrd_morph_entry *morph_entries; ///< each target's entries sorted by vertex, no vertex twice
	uint32_t morph_entry_count;
	lrd_string strings; ///< the string block
} lrd_mesh_view;

/// Check a mesh file and give a view into it. Nothing is copied; `bytes` must be aligned to 16 and outlive
/// the view. The check is complete (every count, index, float that must be finite) and runs near memory speed. Nothing is
/// allocated either, unless a file has more than 1024 names: to see that they differ takes malloc 24 bytes each for a moment.
/// Errors: LRD_ERROR_FORMAT, LRD_ERROR_ARGUMENT (misaligned bytes), LRD_ERROR_MEMORY. Any thread.
LRD_API bool lrd_mesh_open(const void *bytes, size_t size, lrd_mesh_view *view, lrd_error *error);

/// How many indices lrd_mesh_write_indices writes for a LOD: three a triangle. 0 for a LOD that is not there. Any
/// thread.
LRD_API uint32_t lrd_mesh_index_count(const lrd_mesh_view *view, uint32_t lod);

/// Write a LOD as a plain triangle list into `indices` (room for lrd_mesh_index_count), front faces counter-clockwise.
/// Writes forward only, never reads `indices`: it may be write-combined memory. Any thread.
LRD_API void lrd_mesh_write_indices(const lrd_mesh_view *view, uint32_t lod, uint32_t *indices);

/// How well a LOD's meshlets are filled.
typedef struct lrd_mesh_fill
{
	uint32_t meshlets;
	uint32_t cones;  ///< meshlets with a cone that can cull
	uint32_t small;  ///< meshlets under 32 triangles although there was room, the LOD's last one not counted
	float triangles; ///< a meshlet, on average
	float vertices;  ///< a meshlet, on average
} lrd_mesh_fill;

/// Measure a LOD; zeros for a LOD that is not there. Any thread.
LRD_API void lrd_mesh_measure_fill(const lrd_mesh_view *view, uint32_t lod, lrd_mesh_fill *fill);

/// A morph target's name, which leads into the file. Any thread.
LRD_API lrd_string lrd_mesh_morph_name(const lrd_mesh_view *view, uint32_t morph);

/// The attribute with this semantic, or NULL. Any thread.
LRD_API const lrd_vertex_attribute *lrd_mesh_attribute(const lrd_mesh_view *view, lrd_vertex_semantic semantic);

/// Bytes of one value of a vertex format; 0 for what is none. Any thread.
LRD_API uint32_t lrd_vertex_format_size(lrd_vertex_format format);

/// Unpack LRD_FORMAT_OCT_SNORM16X2: a unit vector. Any thread.
LRD_API lrd_vec3 lrd_oct_decode(const int16_t oct[2]);

/// Unpack LRD_FORMAT_OCT_TANGENT16X2: a unit vector, w the bitangent's sign (bitangent = cross(normal, tangent) * w).
/// Any thread.
LRD_API lrd_vec4 lrd_oct_tangent_decode(const int16_t oct[2]);

#endif
