// Reading .lskel. What a skeleton makes of a pose is in skeleton_pose.c.

#include "format/skeleton.h"

#include "base/hash.h"
#include "base/maths.h"

#include <inttypes.h>

static bool check_joint(const lrd_layout_cursor *cursor, const lrd_skeleton_view *view, uint32_t index)
{
	const lrd_joint *joint = &view->joints[index];
	if (joint->parent < -1 || joint->parent >= (int32_t)index)
	{
		return lrd_layout_fail(
			cursor, "joint %" PRIu32 ": parent %d; allowed are -1 and the joints before it", index, joint->parent);
	}
	uint32_t hash = lrd_fnv1a_32(lrd_skeleton_joint_name(view, index));
	if (joint->name_hash != hash)
	{
		return lrd_layout_fail(cursor,
			"joint %" PRIu32 ": name_hash 0x%08" PRIx32 ", but its name's FNV-1a is 0x%08" PRIx32, index,
			joint->name_hash, hash);
	}
	static_assert(
		offsetof(lrd_joint, reserved_tail) - offsetof(lrd_joint, inverse_bind) == 26 * sizeof(float), "floats");
	if (!lrd_all_finite(joint->inverse_bind, 26))
	{
		return lrd_layout_fail(
			cursor, "joint %" PRIu32 ": inverse_bind, translation, rotation and scale must be finite", index);
	}
	const float *bind = joint->inverse_bind;
	if (bind[3] != 0.0f || bind[7] != 0.0f || bind[11] != 0.0f || bind[15] != 1.0f)
	{
		return lrd_layout_fail(cursor,
			"joint %" PRIu32 ": inverse_bind: its last row is (%g, %g, %g, %g), must be (0, 0, 0, 1)", index,
			(double)bind[3], (double)bind[7], (double)bind[11], (double)bind[15]);
	}
	if (!lrd_layout_is_unit(joint->rotation))
	{
		return lrd_layout_fail(cursor, "joint %" PRIu32 ": rotation (%g, %g, %g, %g) is not of unit length", index,
			(double)joint->rotation[0], (double)joint->rotation[1], (double)joint->rotation[2],
			(double)joint->rotation[3]);
	}
	if (joint->reserved != 0 || !lrd_layout_is_zero(joint->reserved_tail, sizeof joint->reserved_tail))
	{
		return lrd_layout_fail(cursor, "joint %" PRIu32 ": reserved must be zero", index);
	}
	return true;
}

static bool check_strings(const lrd_layout_cursor *cursor, const lrd_skeleton_header *header, lrd_skeleton_view *view)
{
	const lrd_layout_references references[] = {
		LRD_LAYOUT_TEXTS(NULL, "name", header, 1, lrd_skeleton_header, name),
		LRD_LAYOUT_TEXTS("joint", "name", view->joints, view->joint_count, lrd_joint, name),
	};
	if (!lrd_layout_check_texts(cursor, view->strings, references, sizeof references / sizeof *references))
	{
		return false;
	}
	view->name = lrd_layout_text(view->strings, header->name_offset, header->name_size);
	return true;
}

static bool find_blocks(lrd_layout_cursor *cursor, const lrd_skeleton_header *header, lrd_skeleton_view *view)
{
	const void *joints, *strings;
	if (!lrd_layout_next(cursor, "joints", header->joint_count, sizeof *view->joints, &joints) ||
		!lrd_layout_next(cursor, "strings", header->string_size, 1, &strings))
	{
		return false;
	}
	view->joints = joints;
	view->strings = (lrd_string){ strings, header->string_size };
	return lrd_layout_end(cursor);
}

bool lrd_skeleton_open(const void *bytes, size_t size, lrd_skeleton_view *view, lrd_error *error)
{
	lrd_layout_cursor cursor;
	if (!lrd_layout_open(&cursor, "lskel", LRD_SKELETON_MAGIC, LRD_SKELETON_VERSION, sizeof(lrd_skeleton_header), bytes,
			size, error))
	{
		return false;
	}
	const lrd_skeleton_header *header = bytes;
	if (header->joint_count < 1 || header->joint_count > LRD_SKELETON_MAX_JOINTS)
	{
		return lrd_layout_fail(&cursor, "joint_count: found %" PRIu32 ", allowed are 1 to %d", header->joint_count,
			LRD_SKELETON_MAX_JOINTS);
	}
	lrd_skeleton_view found = { .joint_count = header->joint_count, .root = header->root };
	if (!lrd_all_finite(header->root.m, 16))
	{
		return lrd_layout_fail(&cursor, "root: every number must be finite");
	}
	if (!find_blocks(&cursor, header, &found) || !check_strings(&cursor, header, &found))
	{
		return false;
	}
	for (uint32_t i = 0; i < found.joint_count; i++)
	{
		if (!check_joint(&cursor, &found, i))
		{
			return false;
		}
	}
	*view = found;
	return true;
}

lrd_string lrd_skeleton_joint_name(const lrd_skeleton_view *view, uint32_t joint)
{
	if (joint >= view->joint_count)
	{
		return (lrd_string){ NULL, 0 };
	}
	return lrd_layout_text(view->strings, view->joints[joint].name_offset, view->joints[joint].name_size);
}

int32_t lrd_skeleton_find_joint(const lrd_skeleton_view *view, lrd_string name)
{
	uint32_t hash = lrd_fnv1a_32(name);
	for (uint32_t i = 0; i < view->joint_count; i++)
	{
		if (view->joints[i].name_hash == hash && lrd_string_equal(lrd_skeleton_joint_name(view, i), name))
		{
			return (int32_t)i;
		}
	}
	return -1;
}

void lrd_skeleton_rest_pose(const lrd_skeleton_view *view, lrd_transform *pose)
{
	for (uint32_t i = 0; i < view->joint_count; i++)
	{
		const lrd_joint *joint = &view->joints[i];
		pose[i] = (lrd_transform){
			{ joint->translation[0], joint->translation[1], joint->translation[2] },
			{ joint->rotation[0], joint->rotation[1], joint->rotation[2], joint->rotation[3] },
			{ joint->scale[0], joint->scale[1], joint->scale[2] },
		};
	}
}
