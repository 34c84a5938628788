// gpu/mesh_fill.c: how a mesh lies in its GPU buffer, and writing any part of it straight into staging memory, in order.

#include "gpu/gpu.h"

#define REGION_ALIGNMENT 16u
#define INDEX_16_VERTICES 0xffffu // 0xffff as an index may mean "restart"

static uint64_t align(uint64_t value)
{
	return (value + REGION_ALIGNMENT - 1) / REGION_ALIGNMENT * REGION_ALIGNMENT;
}

bool lrd_mesh_plan_make(const lrd_mesh_view *view, lrd_mesh_plan *plan)
{
	lrd_resident_mesh *info = &plan->info;
	*plan = (lrd_mesh_plan){ .view = *view };
	uint64_t at = 0;
	for (uint32_t stream = 0; stream < LRD_STREAM_COUNT; stream++)
	{
		info->stream_offset[stream] = at;
		info->stream_stride[stream] = view->streams[stream].data != NULL ? view->streams[stream].stride : 0;
		at += align((uint64_t)view->vertex_count * info->stream_stride[stream]);
	}
	info->index_offset = at;
	info->index_size = view->vertex_count <= INDEX_16_VERTICES ? 2 : 4;
	uint64_t indices = 0;
	for (uint32_t lod = 0; lod < view->lod_count; lod++)
	{
		uint32_t count = lrd_mesh_index_count(view, lod);
		info->lods[lod] = (lrd_resident_lod){ (uint32_t)indices, count, view->lods[lod].error };
		indices += count;
	}
	info->lod_count = view->lod_count;
	info->vertex_count = view->vertex_count;
	info->bounds = view->bounds;
	memcpy(info->position_scale, view->position_scale, sizeof info->position_scale);
	memcpy(info->position_offset, view->position_offset, sizeof info->position_offset);
	memcpy(info->uv_density, view->uv_density, sizeof info->uv_density);
	info->attribute_count = view->attribute_count;
	memcpy(info->attributes, view->attributes, view->attribute_count * sizeof *info->attributes);
	info->bytes = align(at + indices * info->index_size);
	return indices <= UINT32_MAX && info->bytes != 0;
}

/// The part of the buffer that is written, and how far it is.
typedef struct writer
{
	uint64_t begin; ///< of the part, in the buffer
	uint64_t end;
	uint8_t *to; ///< where `begin` goes
} writer;

// Bytes that lie at `at` in the buffer: those of them that are asked for.
static void write(const writer *self, uint64_t at, const void *bytes, uint64_t size)
{
	uint64_t from = at > self->begin ? at : self->begin;
	uint64_t until = at + size < self->end ? at + size : self->end;
	if (from < until)
	{
		memcpy(self->to + (from - self->begin), (const uint8_t *)bytes + (from - at), (size_t)(until - from));
	}
}

static void write_padding(const writer *self, uint64_t at)
{
	static const uint8_t zeros[REGION_ALIGNMENT];
	write(self, at, zeros, align(at) - at);
}

// Meshlets between the first and the last that the part concerns: their indices are written one meshlet at a time, since the part may
// begin and end anywhere, and indices may be narrower than those the format's function gives.
static void write_lod(const lrd_mesh_plan *plan, const writer *self, uint32_t lod)
{
	const lrd_resident_mesh *info = &plan->info;
	const lrd_mesh_lod *whole = &plan->view.lods[lod];
	uint64_t at = info->index_offset + (uint64_t)info->lods[lod].first_index * info->index_size;
	lrd_mesh_lod one = { .meshlet_count = 1 };
	lrd_mesh_view view = plan->view;
	view.lods = &one;
	view.lod_count = 1;
	for (uint32_t i = 0; i < whole->meshlet_count && at < self->end; i++)
	{
		uint32_t wide[LRD_MESHLET_MAX_TRIANGLES * 3];
		uint16_t narrow[LRD_MESHLET_MAX_TRIANGLES * 3];
		one.meshlet_offset = whole->meshlet_offset + i;
		one.triangle_count = plan->view.meshlets[one.meshlet_offset].triangle_count;
		uint32_t count = one.triangle_count * 3;
		uint64_t size = (uint64_t)count * info->index_size;
		if (at + size > self->begin)
		{
			lrd_mesh_write_indices(&view, 0, wide);
			for (uint32_t k = 0; k < count && info->index_size == 2; k++)
			{
				narrow[k] = (uint16_t)wide[k];
			}
			write(self, at, info->index_size == 2 ? (const void *)narrow : (const void *)wide, size);
		}
		at += size;
	}
}

void lrd_mesh_plan_write(const lrd_mesh_plan *plan, uint64_t begin, uint64_t end, void *to)
{
	const lrd_resident_mesh *info = &plan->info;
	const writer self = { begin, end, to };
	for (uint32_t stream = 0; stream < LRD_STREAM_COUNT; stream++)
	{
		uint64_t size = (uint64_t)info->vertex_count * info->stream_stride[stream];
		write(&self, info->stream_offset[stream], plan->view.streams[stream].data, size);
		write_padding(&self, info->stream_offset[stream] + size);
	}
	uint64_t indices = 0;
	for (uint32_t lod = 0; lod < info->lod_count; lod++)
	{
		uint64_t at = info->index_offset + (uint64_t)info->lods[lod].first_index * info->index_size;
		uint64_t size = (uint64_t)info->lods[lod].index_count * info->index_size;
		indices += info->lods[lod].index_count;
		if (at < end && at + size > begin)
		{
			write_lod(plan, &self, lod);
		}
	}
	write_padding(&self, info->index_offset + indices * info->index_size);
}
