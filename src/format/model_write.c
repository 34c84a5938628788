// Writing .lmodel: blocks in the order of model.h, then lrd_model_open over the result.

#include "format/model.h"
#include "format/write.h"

/// A block of rows, and where in a row its strings are.
typedef struct row_block
{
	const char *name;
	const void *rows;
	uint32_t count;
	size_t stride;
	uint32_t text_count;
	size_t texts[2]; ///< offsets of lrd_text members
	size_t at;       ///< where it was put
} row_block;

static bool put_blocks(lrd_model_header *header, const lrd_model_view *model, lrd_writer *writer)
{
	row_block blocks[] = {
		{ "nodes", model->nodes, model->node_count, sizeof *model->nodes, 1, { offsetof(lrd_model_node, name) }, 0 },
		{ "parts", model->parts, model->part_count, sizeof *model->parts, 2,
			{ offsetof(lrd_model_part, name), offsetof(lrd_model_part, mesh) }, 0 },
		{ "materials", model->materials, model->material_count, sizeof *model->materials, 2,
			{ offsetof(lrd_model_material, name), offsetof(lrd_model_material, stem) }, 0 },
		{ "clips", model->clips, model->clip_count, sizeof *model->clips, 2,
			{ offsetof(lrd_model_clip, name), offsetof(lrd_model_clip, stem) }, 0 },
		{ "variants", model->variants, model->variant_count, sizeof *model->variants, 1,
			{ offsetof(lrd_model_variant, name) }, 0 },
		{ "choices", model->choices, model->choice_count, sizeof *model->choices, 0, { 0 }, 0 },
		{ "lights", model->lights, model->light_count, sizeof *model->lights, 1, { offsetof(lrd_model_light, name) },
			0 },
		{ "cameras", model->cameras, model->camera_count, sizeof *model->cameras, 1,
			{ offsetof(lrd_model_camera, name) }, 0 },
		{ "actors", model->actors, model->actor_count, sizeof *model->actors, 1, { offsetof(lrd_model_actor, name) },
			0 },
		{ "joint_nodes", model->joint_nodes, model->joint_node_count, sizeof *model->joint_nodes, 0, { 0 }, 0 },
		{ "skeletons", model->skeletons, model->skeleton_count, sizeof *model->skeletons, 1,
			{ offsetof(lrd_model_skeleton, stem) }, 0 },
		{ "weights", model->weights, model->weight_count, sizeof *model->weights, 0, { 0 }, 0 },
	};
	if (!lrd_writer_text(writer, "collision", model->collision, &header->collision_offset, &header->collision_size))
	{
		return false;
	}
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
	{
		row_block *block = &blocks[i];
		if (!lrd_writer_block(writer, block->name, block->rows, block->count, block->stride, &block->at))
		{
			return false;
		}
		for (uint32_t t = 0; t < block->text_count; t++)
		{
			size_t offset_at = block->texts[t] + offsetof(lrd_text, offset);
			size_t size_at = block->texts[t] + offsetof(lrd_text, size);
			if (!lrd_writer_texts(
					writer, block->name, block->at, block->stride, block->count, offset_at, size_at, model->strings))
			{
				return false;
			}
		}
	}
	return true;
}

bool lrd_model_write(const lrd_model_view *model, lrd_buffer *out, lrd_error *error)
{
	lrd_writer writer;
	lrd_model_header header = {
		.bounds = model->bounds,
		.node_count = model->node_count,
		.part_count = model->part_count,
		.material_count = model->material_count,
		.clip_count = model->clip_count,
		.variant_count = model->variant_count,
		.choice_count = model->choice_count,
		.light_count = model->light_count,
		.camera_count = model->camera_count,
		.actor_count = model->actor_count,
		.joint_node_count = model->joint_node_count,
		.skeleton_count = model->skeleton_count,
		.weight_count = model->weight_count,
	};
	if (!lrd_writer_begin(&writer, "lmodel", sizeof header, out, error) || !put_blocks(&header, model, &writer))
	{
		return lrd_writer_abandon(&writer);
	}
	header.string_size = lrd_writer_text_size(&writer);
	if (!lrd_writer_end(&writer, &header, sizeof header, LRD_MODEL_MAGIC, LRD_MODEL_VERSION))
	{
		return lrd_writer_abandon(&writer);
	}
	lrd_model_view written;
	lrd_error reason;
	bool accepted = lrd_model_open(writer.file.data, writer.file.size, &written, &reason);
	return lrd_writer_finish(&writer, accepted, &reason);
}
