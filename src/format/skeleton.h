// format/skeleton.h: the layout of .lskel. After the header: joints, strings.

#ifndef FORMAT_SKELETON_H
#define FORMAT_SKELETON_H

#include "format/layout.h"
#include "larder/skeleton.h"

#define LRD_SKELETON_MAGIC "LSKL"

typedef struct lrd_skeleton_header
{
	char magic[4];
	uint32_t version;
	uint64_t file_size;
	uint32_t joint_count;
	uint32_t string_size;
	uint32_t name_offset;
	uint32_t name_size;
	lrd_mat4 root;
} lrd_skeleton_header;

static_assert(sizeof(lrd_skeleton_header) == 96, "skeleton header");
static_assert(offsetof(lrd_skeleton_header, magic) == 0, "skeleton header");
static_assert(offsetof(lrd_skeleton_header, version) == 4, "skeleton header");
static_assert(offsetof(lrd_skeleton_header, file_size) == 8, "skeleton header");
static_assert(offsetof(lrd_skeleton_header, joint_count) == 16, "skeleton header");
static_assert(offsetof(lrd_skeleton_header, string_size) == 20, "skeleton header");
static_assert(offsetof(lrd_skeleton_header, name_offset) == 24, "skeleton header");
static_assert(offsetof(lrd_skeleton_header, name_size) == 28, "skeleton header");
static_assert(offsetof(lrd_skeleton_header, root) == 32, "skeleton header");

static_assert(sizeof(lrd_joint) == 128, "joint");
static_assert(offsetof(lrd_joint, name_offset) == 0, "joint");
static_assert(offsetof(lrd_joint, name_size) == 4, "joint");
static_assert(offsetof(lrd_joint, name_hash) == 8, "joint");
static_assert(offsetof(lrd_joint, parent) == 12, "joint");
static_assert(offsetof(lrd_joint, reserved) == 14, "joint");
static_assert(offsetof(lrd_joint, inverse_bind) == 16, "joint");
static_assert(offsetof(lrd_joint, translation) == 80, "joint");
static_assert(offsetof(lrd_joint, rotation) == 92, "joint");
static_assert(offsetof(lrd_joint, scale) == 108, "joint");
static_assert(offsetof(lrd_joint, reserved_tail) == 120, "joint");

#endif
