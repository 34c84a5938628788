// format/mesh.h: the layout of .lmesh, and the checks that mesh.c makes over its large blocks.
//
// After the header, in this order: LODs, meshlets, meshlet vertices (u32), meshlet triangles (u8 x 3), the position,
// surface, uv1 and skin streams (vertex_count x stride each; none where the stride is 0), morph targets, morph entries,
// strings.

#ifndef FORMAT_MESH_H
#define FORMAT_MESH_H

#include "format/layout.h"
#include "larder/mesh.h"

#define LRD_MESH_MAGIC "LMSH"

typedef struct lrd_mesh_header
{
	char magic[4];
	uint32_t version;
	uint64_t file_size;
	uint32_t flags;
	uint32_t vertex_count;
	uint32_t lod_count;
	uint32_t meshlet_count;
	uint32_t meshlet_vertex_count;
	uint32_t meshlet_triangle_count;
	uint32_t morph_count;
	uint32_t morph_entry_count;
	uint32_t string_size;
	uint32_t material_offset;
	uint32_t material_size;
	uint32_t raytracing_lod_bias;
	lrd_bounds bounds;
	float position_scale[3];
	float position_offset[3];
	uint32_t stream_strides[LRD_STREAM_COUNT];
	uint32_t attribute_count;
	lrd_vertex_attribute attributes[LRD_VERTEX_SEMANTIC_COUNT];
	float uv_density[2];
	uint32_t reserved;
} lrd_mesh_header;

static_assert(sizeof(lrd_mesh_header) == 192, "mesh header");
static_assert(offsetof(lrd_mesh_header, magic) == 0, "mesh header");
static_assert(offsetof(lrd_mesh_header, version) == 4, "mesh header");
static_assert(offsetof(lrd_mesh_header, file_size) == 8, "mesh header");
static_assert(offsetof(lrd_mesh_header, flags) == 16, "mesh header");
static_assert(offsetof(lrd_mesh_header, vertex_count) == 20, "mesh header");
static_assert(offsetof(lrd_mesh_header, lod_count) == 24, "mesh header");
static_assert(offsetof(lrd_mesh_header, meshlet_count) == 28, "mesh header");
static_assert(offsetof(lrd_mesh_header, meshlet_vertex_count) == 32, "mesh header");
static_assert(offsetof(lrd_mesh_header, meshlet_triangle_count) == 36, "mesh header");
static_assert(offsetof(lrd_mesh_header, morph_count) == 40, "mesh header");
static_assert(offsetof(lrd_mesh_header, morph_entry_count) == 44, "mesh header");
static_assert(offsetof(lrd_mesh_header, string_size) == 48, "mesh header");
static_assert(offsetof(lrd_mesh_header, material_offset) == 52, "mesh header");
static_assert(offsetof(lrd_mesh_header, material_size) == 56, "mesh header");
static_assert(offsetof(lrd_mesh_header, raytracing_lod_bias) == 60, "mesh header");
static_assert(offsetof(lrd_mesh_header, bounds) == 64, "mesh header");
static_assert(offsetof(lrd_mesh_header, position_scale) == 104, "mesh header");
static_assert(offsetof(lrd_mesh_header, position_offset) == 116, "mesh header");
static_assert(offsetof(lrd_mesh_header, stream_strides) == 128, "mesh header");
static_assert(offsetof(lrd_mesh_header, attribute_count) == 144, "mesh header");
static_assert(offsetof(lrd_mesh_header, attributes) == 148, "mesh header");
static_assert(offsetof(lrd_mesh_header, uv_density) == 180, "mesh header");
static_assert(offsetof(lrd_mesh_header, reserved) == 188, "mesh header");

static_assert(sizeof(lrd_bounds) == 40, "bounds");
static_assert(offsetof(lrd_bounds, max) == 12, "bounds");
static_assert(offsetof(lrd_bounds, centre) == 24, "bounds");
static_assert(offsetof(lrd_bounds, radius) == 36, "bounds");

static_assert(sizeof(lrd_vertex_attribute) == 4, "attribute");
static_assert(offsetof(lrd_vertex_attribute, format) == 1, "attribute");
static_assert(offsetof(lrd_vertex_attribute, stream) == 2, "attribute");
static_assert(offsetof(lrd_vertex_attribute, offset) == 3, "attribute");

static_assert(sizeof(lrd_mesh_lod) == 16, "LOD");
static_assert(offsetof(lrd_mesh_lod, meshlet_count) == 4, "LOD");
static_assert(offsetof(lrd_mesh_lod, triangle_count) == 8, "LOD");
static_assert(offsetof(lrd_mesh_lod, error) == 12, "LOD");

static_assert(sizeof(lrd_meshlet) == 64, "meshlet");
static_assert(offsetof(lrd_meshlet, vertex_count) == 4, "meshlet");
static_assert(offsetof(lrd_meshlet, triangle_offset) == 8, "meshlet");
static_assert(offsetof(lrd_meshlet, triangle_count) == 12, "meshlet");
static_assert(offsetof(lrd_meshlet, centre) == 16, "meshlet: bounding sphere at byte 16");
static_assert(offsetof(lrd_meshlet, radius) == 28, "meshlet");
static_assert(offsetof(lrd_meshlet, cone_axis) == 32, "meshlet: normal cone at byte 32");
static_assert(offsetof(lrd_meshlet, cone_cutoff) == 44, "meshlet");
static_assert(offsetof(lrd_meshlet, cone_apex) == 48, "meshlet");
static_assert(offsetof(lrd_meshlet, reserved) == 60, "meshlet");

static_assert(sizeof(lrd_morph_target) == 32, "morph target");
static_assert(offsetof(lrd_morph_target, name_size) == 4, "morph target");
static_assert(offsetof(lrd_morph_target, entry_offset) == 8, "morph target");
static_assert(offsetof(lrd_morph_target, entry_count) == 12, "morph target");
static_assert(offsetof(lrd_morph_target, default_weight) == 16, "morph target");
static_assert(offsetof(lrd_morph_target, reserved) == 20, "morph target");

static_assert(sizeof(lrd_morph_entry) == 32, "morph entry");
static_assert(offsetof(lrd_morph_entry, position) == 4, "morph entry");
static_assert(offsetof(lrd_morph_entry, normal) == 16, "morph entry");
static_assert(offsetof(lrd_morph_entry, tangent) == 24, "morph entry");

/// The vertex streams against the attribute table: numbers finite, positions inside the bounds, weights that sum up.
bool lrd_mesh_check_streams(const lrd_layout_cursor *cursor, const lrd_mesh_view *view);

/// LODs, meshlets, remap and local triangles.
bool lrd_mesh_check_topology(const lrd_layout_cursor *cursor, const lrd_mesh_view *view);

/// Morph targets and their entries.
bool lrd_mesh_check_morphs(const lrd_layout_cursor *cursor, const lrd_mesh_view *view);

#endif
