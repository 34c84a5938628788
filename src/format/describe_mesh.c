// What .lmesh looks like, for docs/formats.md and tools.

#include "format/mesh.h"

#define HEADER(member, type, meaning) LRD_LAYOUT_FIELD(lrd_mesh_header, member, type, meaning)
#define LOD(member, type, meaning) LRD_LAYOUT_FIELD(lrd_mesh_lod, member, type, meaning)
#define MESHLET(member, type, meaning) LRD_LAYOUT_FIELD(lrd_meshlet, member, type, meaning)
#define ATTRIBUTE(member, type, meaning) LRD_LAYOUT_FIELD(lrd_vertex_attribute, member, type, meaning)
#define MORPH(member, type, meaning) LRD_LAYOUT_FIELD(lrd_morph_target, member, type, meaning)
#define ENTRY(member, type, meaning) LRD_LAYOUT_FIELD(lrd_morph_entry, member, type, meaning)

static const lrd_layout_field header_fields[] = {
	HEADER(magic, "u8 x 4", "`LMSH`"),
	HEADER(version, "u32", "1"),
	HEADER(file_size, "u64", "bytes of the whole file"),
	HEADER(flags, "u32",
		"1 skinned, 2 morphed, 4 uv1, 8 authored tangents, 16 CPU access, 32 double sided, 64 alpha masked; others are "
		"refused. The first three agree with what the file has"),
	HEADER(vertex_count, "u32", "vertices in each stream; 1 and up"),
	HEADER(lod_count, "u32", "1 to 16"),
	HEADER(meshlet_count, "u32", "meshlets of all LODs"),
	HEADER(meshlet_vertex_count, "u32", "entries of the remap"),
	HEADER(meshlet_triangle_count, "u32", "triangles of all LODs; at most 1,431,655,765"),
	HEADER(morph_count, "u32", "morph targets"),
	HEADER(morph_entry_count, "u32", "entries of all morph targets"),
	HEADER(string_size, "u32", "bytes of the string block"),
	HEADER(material_offset, "u32", "the material's stem in the string block; 0 when there is none"),
	HEADER(material_size, "u32", "bytes of the stem; 0: no material"),
	HEADER(raytracing_lod_bias, "u32", "0 to 15: how many LODs coarser a ray tracer may go"),
	HEADER(bounds, "f32 x 10",
		"box minimum (3) and maximum (3), sphere centre (3) and radius, object space, around the rest pose. Positions "
		"lie in "
		"both; see the rules"),
	HEADER(position_scale, "f32 x 3", "of quantised positions; 1 where positions are f32"),
	HEADER(position_offset, "f32 x 3", "of quantised positions; 0 where positions are f32"),
	HEADER(
		stream_strides, "u32 x 4", "bytes a vertex in the position, surface, uv1 and skin stream; 0: no such stream"),
	HEADER(attribute_count, "u32", "rows in use in `attributes`"),
	HEADER(attributes, "attribute x 8", "the vertex layout; rows past `attribute_count` are zero"),
	HEADER(uv_density, "f32 x 2",
		"of uv0 and uv1: texels of a texture of 1 x 1 along an object-space unit of the surface; 0 and up, 0: not "
		"known. See the rules"),
	HEADER(reserved, "u32", "zero"),
};

static const lrd_layout_field attribute_fields[] = {
	ATTRIBUTE(semantic, "u8", "0 position, 1 normal, 2 tangent, 3 uv0, 4 color, 5 uv1, 6 joints, 7 weights"),
	ATTRIBUTE(format, "u8",
		"1 f32 x 2, 2 f32 x 3, 3 f16 x 2, 4 unorm16 x 4 (quantised position), 5 octahedral snorm16 x 2, 6 octahedral "
		"tangent "
		"snorm16 x 2, 7 unorm8 x 4, 8 u8 x 4, 9 u16 x 4, 10 unorm16 x 4 (weights)"),
	ATTRIBUTE(stream, "u8", "0 position, 1 surface (normal, tangent, uv0, color), 2 uv1, 3 skin (joints, weights)"),
	ATTRIBUTE(offset, "u8", "bytes from the start of the vertex; a multiple of 4"),
};

static const lrd_layout_field lod_fields[] = {
	LOD(meshlet_offset, "u32", "first meshlet: where the finer LOD's end"),
	LOD(meshlet_count, "u32", "1 and up"),
	LOD(triangle_count, "u32", "triangles of its meshlets together"),
	LOD(error, "f32", "object units; 0 for LOD 0, never less than the finer LOD's"),
};

static const lrd_layout_field meshlet_fields[] = {
	MESHLET(vertex_offset, "u32", "first of its entries in the remap: where the meshlet before it ends"),
	MESHLET(vertex_count, "u32", "1 to 64"),
	MESHLET(triangle_offset, "u32", "first of its triangles, in triangles: where the meshlet before it ends"),
	MESHLET(triangle_count, "u32", "1 to 124"),
	MESHLET(centre, "f32 x 3", "bounding sphere, object space"),
	MESHLET(radius, "f32", "not negative"),
	MESHLET(cone_axis, "f32 x 3", "normal cone"),
	MESHLET(cone_cutoff, "f32",
		"-1 to 1: all its triangles face away where dot(normalize(cone_apex - eye), cone_axis) >= cone_cutoff; 1: no "
		"cone"),
	MESHLET(cone_apex, "f32 x 3", "object space"),
	MESHLET(reserved, "u32", "zero"),
};

static const lrd_layout_field morph_fields[] = {
	MORPH(name_offset, "u32", "its name in the string block"),
	MORPH(name_size, "u32", "bytes"),
	MORPH(entry_offset, "u32", "first of its entries: where those of the target before it end"),
	MORPH(entry_count, "u32", "vertices that it moves"),
	MORPH(default_weight, "f32", ""),
	MORPH(reserved, "u32 x 3", "zero"),
};

static const lrd_layout_field entry_fields[] = {
	ENTRY(vertex, "u32", "ascending within a target, no vertex twice"),
	ENTRY(position, "f32 x 3", "position delta, object units"),
	ENTRY(normal, "snorm16 x 4", "half the normal's delta, which is at most 2 long; the fourth is 0"),
	ENTRY(tangent, "snorm16 x 4", "half the tangent's delta, which is at most 2 long; the fourth is 0"),
};

static const lrd_layout_struct structs[] = {
	LRD_LAYOUT_STRUCT("header", lrd_mesh_header, header_fields),
	LRD_LAYOUT_STRUCT("attribute", lrd_vertex_attribute, attribute_fields),
	LRD_LAYOUT_STRUCT("LOD", lrd_mesh_lod, lod_fields),
	LRD_LAYOUT_STRUCT("meshlet", lrd_meshlet, meshlet_fields),
	LRD_LAYOUT_STRUCT("morph target", lrd_morph_target, morph_fields),
	LRD_LAYOUT_STRUCT("morph entry", lrd_morph_entry, entry_fields),
};

static const lrd_layout_block blocks[] = {
	{ "LODs", "LOD", "lod_count", "finest first" },
	{ "meshlets", "meshlet", "meshlet_count", "those of LOD 0, then those of LOD 1, and so on" },
	{ "meshlet vertices", "u32", "meshlet_vertex_count",
		"the remap: the streams' vertex of each meshlet-local one; below `vertex_count`" },
	{ "meshlet triangles", "u8 x 3", "meshlet_triangle_count",
		"meshlet-local vertices, front faces counter-clockwise; below the meshlet's `vertex_count`" },
	{ "position stream", "u8 x stream_strides[0]", "vertex_count", "f32 x 3, or unorm16 x 4 when quantised" },
	{ "surface stream", "u8 x stream_strides[1]", "vertex_count", "normal, tangent, uv0, color" },
	{ "uv1 stream", "u8 x stream_strides[2]", "vertex_count", "only where its stride is not 0" },
	{ "skin stream", "u8 x stream_strides[3]", "vertex_count", "only where its stride is not 0: joints and weights" },
	{ "morph targets", "morph target", "morph_count", "only where the mesh is morphed" },
	{ "morph entries", "morph entry", "morph_entry_count", "those of target 0, then those of target 1, and so on" },
	{ "strings", "u8", "string_size", "the material's stem, then the morph targets' names" },
};

static const char *const rules[] = {
	"Every semantic stands once in the layout, in its own stream and in a format that it has; position, normal, "
	"tangent, uv0 and "
	"color are there in every mesh. The attributes of a stream cover its stride without gap or overlap.",
	"Joints and weights come together, both with 8 bits or both with 16; each vertex's weights sum to exactly 255 or "
	"65535.",
	"A quantised position is `unorm16 x 3 * position_scale + position_offset`; its fourth component is 0. The cook "
	"makes a 65535th of each scale a power of two and each offset a multiple of it, so that the integer times that "
	"step, plus the offset, rounds nowhere, nor does `float(n) / 65535 * position_scale + position_offset` in f32: "
	"bounds, spheres and errors are of these very positions, and meshes of one step meet without gaps.",
	"Every f32 position lies in the box; a quantised one within a quantisation step of it. Both lie in the sphere, "
	"within 1e-4 of "
	"its radius and 1e-6 of the largest coordinate.",
	"Positions, texture coordinates, deltas, weights of morph targets, bounds, spheres and cones are finite.",
	"`uv_density` is the mean over LOD 0, weighted by area, of the density of each of its triangles: the root of its "
	"area "
	"in texture space (at its texture coordinates as stored, repeats and mirrored ones counted as area) over its area "
	"in "
	"object space (at its positions as stored). Summed as f64 in the order of the triangles. 0 where the source has no "
	"such "
	"set, where there is no area, and of uv1 where the mesh has none. A reader checks no more than that it is finite, "
	"not "
	"negative, and not of a uv1 that is not there.",
	"Octahedral vectors: x and y of the unit vector divided by |x| + |y| + |z|, the lower hemisphere folded over the "
	"diagonals. Of a "
	"tangent the second coordinate's lowest bit is 1 where the bitangent is `-cross(normal, tangent)`; the bit stays "
	"part of the "
	"coordinate.",
};

const lrd_layout_description lrd_mesh_layout = {
	.name = "Mesh",
	.extension = ".lmesh",
	.magic = LRD_MESH_MAGIC,
	.version = LRD_MESH_VERSION,
	.structs = structs,
	.struct_count = sizeof structs / sizeof *structs,
	.blocks = blocks,
	.block_count = sizeof blocks / sizeof *blocks,
	.rules = rules,
	.rule_count = sizeof rules / sizeof *rules,
};
