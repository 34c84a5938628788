// Writing .lmat: blocks in the order of material.h, then lrd_material_open over the result.

#include "base/error.h"
#include "format/material.h"
#include "format/write.h"

static bool put_blocks(lrd_material_header *header, const lrd_material_view *material, lrd_writer *writer)
{
	size_t textures_at = 0;
	return lrd_writer_text(writer, "name", material->name, &header->name_offset, &header->name_size) &&
		   lrd_writer_block(writer, "params", material->params, 1, sizeof *material->params, NULL) &&
		   lrd_writer_block(writer, "medium", material->medium, 1, sizeof *material->medium, NULL) &&
		   lrd_writer_block(
			   writer, "textures", material->textures, LRD_SLOT_COUNT, sizeof *material->textures, &textures_at) &&
		   lrd_writer_block(
			   writer, "program", material->program, material->instruction_count, sizeof *material->program, NULL) &&
		   lrd_writer_texts(writer, "texture", textures_at, sizeof *material->textures, LRD_SLOT_COUNT,
			   offsetof(lrd_material_texture, stem_offset), offsetof(lrd_material_texture, stem_size),
			   material->strings);
}

bool lrd_material_write(const lrd_material_view *material, lrd_buffer *out, lrd_error *error)
{
	lrd_writer writer;
	lrd_material_header header = { .domain = material->domain,
		.alpha_mode = material->alpha_mode,
		.flags = material->flags,
		.alpha_cutoff = material->alpha_cutoff,
		.instruction_count = material->instruction_count };
	if (!lrd_writer_begin(&writer, "lmat", sizeof header, out, error) || !put_blocks(&header, material, &writer))
	{
		return lrd_writer_abandon(&writer);
	}
	header.string_size = lrd_writer_text_size(&writer);
	if (!lrd_writer_end(&writer, &header, sizeof header, LRD_MATERIAL_MAGIC, LRD_MATERIAL_VERSION))
	{
		return lrd_writer_abandon(&writer);
	}
	lrd_material_view written;
	lrd_error reason;
	bool accepted = lrd_material_open(writer.file.data, writer.file.size, &written, &reason);
	return lrd_writer_finish(&writer, accepted, &reason);
}
