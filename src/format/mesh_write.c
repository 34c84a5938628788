// Writing .lmesh: blocks in the order of mesh.h, then lrd_mesh_open over the result.

#include "format/mesh.h"
#include "format/write.h"

#include "base/error.h"

#include <string.h>

static bool fill_header(lrd_mesh_header *header, const lrd_mesh_view *mesh, lrd_writer *writer)
{
	if (mesh->attribute_count > LRD_VERTEX_SEMANTIC_COUNT)
	{
		return lrd_fail(writer->error, LRD_ERROR_ARGUMENT, "lmesh: attribute_count: found %u, allowed are up to %d",
			mesh->attribute_count, LRD_VERTEX_SEMANTIC_COUNT);
	}
	if (mesh->attribute_count > 0 && mesh->attributes == NULL)
	{
		return lrd_fail(writer->error, LRD_ERROR_ARGUMENT, "lmesh: attributes: %u expected, but the pointer is NULL",
			mesh->attribute_count);
	}
	*header = (lrd_mesh_header){
		.flags = mesh->flags,
		.vertex_count = mesh->vertex_count,
		.lod_count = mesh->lod_count,
		.meshlet_count = mesh->meshlet_count,
		.meshlet_vertex_count = mesh->meshlet_vertex_count,
		.meshlet_triangle_count = mesh->meshlet_triangle_count,
		.morph_count = mesh->morph_count,
		.morph_entry_count = mesh->morph_entry_count,
		.raytracing_lod_bias = mesh->raytracing_lod_bias,
		.bounds = mesh->bounds,
		.attribute_count = mesh->attribute_count,
	};
	memcpy(header->position_scale, mesh->position_scale, sizeof header->position_scale);
	memcpy(header->position_offset, mesh->position_offset, sizeof header->position_offset);
	memcpy(header->uv_density, mesh->uv_density, sizeof header->uv_density);
	for (uint32_t i = 0; i < mesh->attribute_count; i++)
	{
		header->attributes[i] = mesh->attributes[i];
	}
	return lrd_writer_text(writer, "material", mesh->material, &header->material_offset, &header->material_size);
}

static bool put_blocks(lrd_mesh_header *header, const lrd_mesh_view *mesh, lrd_writer *writer)
{
	size_t morphs_at = 0;
	if (!lrd_writer_block(writer, "lods", mesh->lods, mesh->lod_count, sizeof *mesh->lods, NULL) ||
		!lrd_writer_block(writer, "meshlets", mesh->meshlets, mesh->meshlet_count, sizeof *mesh->meshlets, NULL) ||
		!lrd_writer_block(writer, "meshlet_vertices", mesh->meshlet_vertices, mesh->meshlet_vertex_count,
			sizeof *mesh->meshlet_vertices, NULL) ||
		!lrd_writer_block(writer, "meshlet_triangles", mesh->meshlet_triangles, mesh->meshlet_triangle_count, 3, NULL))
	{
		return false;
	}
	for (uint32_t s = 0; s < LRD_STREAM_COUNT; s++)
	{
		const lrd_mesh_stream *stream = &mesh->streams[s];
		header->stream_strides[s] = stream->stride;
		if (!lrd_writer_block(writer, "a vertex stream", stream->data, stream->stride == 0 ? 0 : mesh->vertex_count,
				stream->stride, NULL))
		{
			return false;
		}
	}
	return lrd_writer_block(writer, "morphs", mesh->morphs, mesh->morph_count, sizeof *mesh->morphs, &morphs_at) &&
		   lrd_writer_texts(writer, "morph", morphs_at, sizeof *mesh->morphs, mesh->morph_count,
			   offsetof(lrd_morph_target, name_offset), offsetof(lrd_morph_target, name_size), mesh->strings) &&
		   lrd_writer_block(writer, "morph_entries", mesh->morph_entries, mesh->morph_entry_count,
			   sizeof *mesh->morph_entries, NULL);
}

bool lrd_mesh_write(const lrd_mesh_view *mesh, lrd_buffer *out, lrd_error *error)
{
	lrd_writer writer;
	lrd_mesh_header header;
	if (!lrd_writer_begin(&writer, "lmesh", sizeof header, out, error) || !fill_header(&header, mesh, &writer) ||
		!put_blocks(&header, mesh, &writer))
	{
		return lrd_writer_abandon(&writer);
	}
	header.string_size = lrd_writer_text_size(&writer);
	if (!lrd_writer_end(&writer, &header, sizeof header, LRD_MESH_MAGIC, LRD_MESH_VERSION))
	{
		return lrd_writer_abandon(&writer);
	}
	lrd_mesh_view written;
	lrd_error reason;
	bool accepted = lrd_mesh_open(writer.file.data, writer.file.size, &written, &reason);
	return lrd_writer_finish(&writer, accepted, &reason);
}
