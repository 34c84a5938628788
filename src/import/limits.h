// import/limits.h: how large a source may be in each respect. Past a limit an import fails with LRD_ERROR_LIMIT and
// says which. They are far above what any tool exports, and keep a hostile file's cost in proportion to its size.

#ifndef IMPORT_LIMITS_H
#define IMPORT_LIMITS_H

/// Rows of any one list of a source: nodes, meshes, materials, images, accessors, …
#define LRD_IMPORT_MAX_OBJECTS (1u << 20)
/// Nodes from a root to a leaf.
#define LRD_IMPORT_MAX_NODE_DEPTH 1024u
/// Bytes of a name.
#define LRD_IMPORT_MAX_NAME 4096u
/// Vertices of a primitive: a strip of that many still has a triangle list that 32 bits can count.
#define LRD_IMPORT_MAX_VERTICES (1u << 30)
/// Joints of a skin: vertices name them with 16 bits.
#define LRD_IMPORT_MAX_JOINTS 65536u
/// Morph targets of a mesh.
#define LRD_IMPORT_MAX_MORPHS 8192u
/// Keys of an animation channel.
#define LRD_IMPORT_MAX_KEYS (1u << 24)

/// What may come out of a source's accessors, images and lists: so many times the source's bytes (buffers included),
/// and this much more. Bytes become floats (4 times), strips become lists (12 times); only accessors that lie over each
/// other need more.
#define LRD_GLTF_DECODED_MULTIPLE 16u
/// The same of a file that says that it is compressed: a few bits of a stream make a vertex of floats.
#define LRD_GLTF_DECOMPRESSED_MULTIPLE 512u
#define LRD_GLTF_DECODED_FLOOR ((size_t)64 << 20)

/// Triangles that a Draco mesh may claim: so many for each of its bytes (a smooth surface of nothing but positions has
/// seven), and this many more.
#define LRD_GLTF_DRACO_FACES_PER_BYTE 16u
#define LRD_GLTF_DRACO_FACES (1u << 16)

#endif
