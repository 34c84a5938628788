// larder/skeleton.h: reading a cooked skeleton (.lskel) in place. Format: docs/formats.md, "Skeleton".

#ifndef LARDER_SKELETON_H
#define LARDER_SKELETON_H

#include "larder/base.h"

#define LRD_SKELETON_VERSION 1
#define LRD_SKELETON_MAX_JOINTS 32767 ///< parents are i16

/// One joint. Joints are identified by index; names may be equal.
typedef struct lrd_joint
{
	uint32_t name_offset;   ///< into the string block
	uint32_t name_size;     ///< bytes
	uint32_t name_hash;     ///< FNV-1a 32 of the name
	int16_t parent;         ///< an earlier joint; -1: a root
	uint16_t reserved;      ///< 0
	float inverse_bind[16]; ///< column-major: model space to joint space; affine, the last row is 0 0 0 1
	float translation[3];   ///< rest pose, relative to the parent
	float rotation[4];      ///< xyzw, unit length within 1e-3
	float scale[3];
	float reserved_tail[2]; ///< 0
} lrd_joint;

/// A skeleton as its file says it. Pointers lead into the bytes that were opened.
typedef struct lrd_skeleton_view
{
	lrd_string name;
	const lrd_joint *joints; ///< parents before children
	uint32_t joint_count;    ///< 1..LRD_SKELETON_MAX_JOINTS
	lrd_mat4 root;      ///< model space transform of the space the root joints live in (ancestors that are no joints)
	lrd_string strings; ///< the string block
} lrd_skeleton_view;

/// Check a skeleton file and give a view into it; `bytes` must be aligned to 16 and outlive the view.
/// Errors: LRD_ERROR_FORMAT, LRD_ERROR_ARGUMENT (misaligned bytes), LRD_ERROR_MEMORY (see lrd_mesh_open). Any thread.
LRD_API bool lrd_skeleton_open(const void *bytes, size_t size, lrd_skeleton_view *view, lrd_error *error);

/// A joint's name, which leads into the file. Any thread.
LRD_API lrd_string lrd_skeleton_joint_name(const lrd_skeleton_view *view, uint32_t joint);

/// The first joint with this name, byte for byte, or -1. A linear scan over hashes. Any thread.
LRD_API int32_t lrd_skeleton_find_joint(const lrd_skeleton_view *view, lrd_string name);

/// The rest pose: joint_count local transforms. Any thread.
LRD_API void lrd_skeleton_rest_pose(const lrd_skeleton_view *view, lrd_transform *pose);

/// Skinning matrices of a pose: joint_count matrices, each root * (parents' transforms) * local * inverse_bind,
/// that take a vertex from the mesh's space to the model's. `pose`: joint_count local transforms. `palette` must not
/// overlap `pose`. Any thread.
LRD_API void lrd_skeleton_palette(const lrd_skeleton_view *view, const lrd_transform *pose, lrd_mat4 *palette);

/// A rigid motion as two quaternions (Kavan et al., "Geometric Skinning with Approximate Dual Quaternion Blending",
/// ACM TOG 27(4), 2008): `real` the rotation, unit length; `dual` half the translation, as a quaternion, times real.
typedef struct lrd_dual_quat
{
	lrd_vec4 real; ///< xyzw
	lrd_vec4 dual; ///< xyzw
} lrd_dual_quat;

/// A palette's matrices as dual quaternions, `count` of them, each on its own hemisphere: a vertex's blend must flip
/// those whose `real` points away from its first. Scale and shear are left out, which a dual quaternion can't say: the
/// rotation is that of the polar decomposition, a mirror counts as a negative scale of x, and what is flattened to a
/// line or a point turns as best it can. Any thread.
LRD_API void lrd_dual_quats_from_palette(const lrd_mat4 *palette, uint32_t count, lrd_dual_quat *quats);

#endif
