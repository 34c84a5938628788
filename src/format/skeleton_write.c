// Writing .lskel: blocks in the order of skeleton.h, then lrd_skeleton_open over the result.

#include "format/skeleton.h"
#include "format/write.h"

static bool put_blocks(lrd_skeleton_header *header, const lrd_skeleton_view *skeleton, lrd_writer *writer)
{
	size_t joints_at = 0;
	return lrd_writer_text(writer, "name", skeleton->name, &header->name_offset, &header->name_size) &&
		   lrd_writer_block(
			   writer, "joints", skeleton->joints, skeleton->joint_count, sizeof *skeleton->joints, &joints_at) &&
		   lrd_writer_texts(writer, "joint", joints_at, sizeof *skeleton->joints, skeleton->joint_count,
			   offsetof(lrd_joint, name_offset), offsetof(lrd_joint, name_size), skeleton->strings);
}

bool lrd_skeleton_write(const lrd_skeleton_view *skeleton, lrd_buffer *out, lrd_error *error)
{
	lrd_writer writer;
	lrd_skeleton_header header = { .joint_count = skeleton->joint_count, .root = skeleton->root };
	if (!lrd_writer_begin(&writer, "lskel", sizeof header, out, error) || !put_blocks(&header, skeleton, &writer))
	{
		return lrd_writer_abandon(&writer);
	}
	header.string_size = lrd_writer_text_size(&writer);
	if (!lrd_writer_end(&writer, &header, sizeof header, LRD_SKELETON_MAGIC, LRD_SKELETON_VERSION))
	{
		return lrd_writer_abandon(&writer);
	}
	lrd_skeleton_view written;
	lrd_error reason;
	bool accepted = lrd_skeleton_open(writer.file.data, writer.file.size, &written, &reason);
	return lrd_writer_finish(&writer, accepted, &reason);
}
