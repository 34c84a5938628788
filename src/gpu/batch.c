// gpu/batch.c: filling staging memory and handing it over. What is staged has to be copied by the next submit: so one batch at a
// time is staged, filled by workers, and handed over when all of it is filled; the GPU copies the one before meanwhile. What is more
// than a quarter of staging memory goes in pieces: however large it is, and however much else is staged, it gets its turn.

#include "gpu/gpu.h"

#include "os/parallel.h"

#define PART_BYTES (4ull << 20) // of a mesh that is filled at once

uint64_t lrd_stage_most(const lrd_residents *residents)
{
	return residents->caps.staging_size / 4;
}

uint64_t lrd_residents_submit(lrd_residents *residents)
{
	uint64_t value = residents->gpu.submit(residents->gpu.user);
	residents->batch.wasted = false;
	if (value == 0)
	{
		lrd_residents_lose(residents);
		return 0;
	}
	residents->submitted = value;
	return value;
}

// --- Filling ---

static void fill(void *user, uint32_t index)
{
	const lrd_segment *segment = &((const lrd_batch *)user)->segments[index];
	const lrd_upload *upload = segment->upload;
	if (segment->filled)
	{
		return;
	}
	if (upload->content != NULL)
	{
		memcpy(segment->to, (const uint8_t *)upload->content + segment->at, (size_t)segment->size);
		return;
	}
	if (upload->is_mesh)
	{
		lrd_mesh_plan_write(&upload->plan.mesh, segment->at, segment->at + segment->size, segment->to);
		return;
	}
	uint32_t level = upload->plan.texture.first_level + (uint32_t)segment->at;
	const uint8_t *bytes = lrd_texture_plan_level(&upload->plan.texture, level);
	memcpy(segment->to, bytes + segment->band.offset, (size_t)segment->size);
}

static void run(lrd_job *job)
{
	lrd_batch *batch = (lrd_batch *)job;
	const lrd_residents *residents = batch->residents;
	lrd_parallel(&residents->jobs, residents->allocator, batch->count, fill, batch);
	atomic_store_explicit(&batch->ready, 1, memory_order_release);
}

static void submit(lrd_residents *residents)
{
	lrd_batch *batch = &residents->batch;
	if (batch->open && !batch->submitted && batch->unfilled != 0)
	{
		batch->job = (lrd_job){ .run = run };
		residents->ran_jobs = true;
		batch->submitted = residents->jobs.submit(residents->jobs.user, &batch->job);
	}
}

// --- Staging ---

// What comes next of an upload, without a place yet.
static lrd_segment next_segment(const lrd_residents *residents, lrd_upload *upload)
{
	uint64_t most = lrd_stage_most(residents);
	lrd_segment next = { .upload = upload, .at = upload->staged, .filled = upload->fill != NULL };
	if (!upload->is_mesh)
	{
		const lrd_texture_plan *plan = &upload->plan.texture;
		next.band = lrd_texture_plan_band(plan, plan->first_level + (uint32_t)next.at, upload->rows, most);
		next.size = next.band.size;
		return next;
	}
	most = most < PART_BYTES ? most : PART_BYTES;
	next.size = upload->end - upload->staged;
	next.size = upload->fill != NULL || next.size < most ? next.size : most;
	return next;
}

static void advance(lrd_upload *upload, const lrd_segment *staged)
{
	if (upload->is_mesh)
	{
		upload->staged += staged->size;
		return;
	}
	const lrd_texture_plan *plan = &upload->plan.texture;
	upload->rows += (uint64_t)staged->band.slice_count * staged->band.row_count;
	if (staged->band.offset + staged->size == plan->level_bytes[plan->first_level + staged->at])
	{
		upload->staged++;
		upload->rows = 0;
	}
}

static bool stage(lrd_residents *residents, lrd_segment *segment)
{
	lrd_batch *batch = &residents->batch;
	lrd_upload *upload = segment->upload;
	lrd_gpu_staging staging;
	if (!residents->gpu.stage(residents->gpu.user, segment->size, &staging))
	{
		return false;
	}
	upload->failed = upload->fill != NULL && !upload->fill(upload, staging.data, &upload->error);
	if (upload->failed)
	{
		batch->wasted = true;
		return true; // the queue sees to it; what was staged is not copied
	}
	segment->to = staging.data;
	segment->offset = staging.offset;
	batch->segments[batch->count++] = *segment;
	batch->unfilled += !segment->filled;
	batch->bytes += segment->size;
	upload->segments++;
	return true;
}

// What has to be filled at once, and is more than is staged at once, gets memory of its own first. False: there is none now.
static bool take_content(lrd_residents *residents, lrd_upload *upload)
{
	if (upload->fill == NULL || upload->bytes <= lrd_stage_most(residents))
	{
		return true;
	}
	upload->content = lrd_alloc(residents->allocator, (size_t)upload->bytes);
	if (upload->content == NULL)
	{
		return false;
	}
	upload->failed = !upload->fill(upload, upload->content, &upload->error);
	upload->fill = NULL;
	return !upload->failed;
}

// As much of an upload as there is room for; false: none is left in this batch.
static bool stage_upload(lrd_residents *residents, lrd_upload *upload)
{
	lrd_batch *batch = &residents->batch;
	uint64_t most = residents->caps.staging_size / 2; // the GPU copies out of the other half
	if (!take_content(residents, upload))
	{
		return true;
	}
	while (upload->staged < upload->end)
	{
		lrd_segment segment = next_segment(residents, upload);
		if (batch->count == LRD_BATCH_SEGMENTS || (batch->count != 0 && batch->bytes + segment.size > most) ||
			!stage(residents, &segment))
		{
			return false;
		}
		advance(upload, &segment);
	}
	return true;
}

void lrd_batch_begin(lrd_residents *residents)
{
	lrd_batch *batch = &residents->batch;
	if (batch->open || residents->stats.lost)
	{
		submit(residents);
		return;
	}
	bool room = true;
	for (lrd_upload *upload = residents->first; upload != NULL && room; upload = upload->next)
	{
		room = upload->state != LRD_UPLOAD_STAGING || upload->cancelled || stage_upload(residents, upload);
	}
	batch->open = batch->count != 0;
	batch->refused = !batch->open && !room;
	if (!batch->open && batch->wasted)
	{
		lrd_residents_submit(residents); // else those who wait for that memory would wait for ever
		return;
	}
	submit(residents);
	if (batch->open && batch->unfilled == 0)
	{
		lrd_batch_finish(residents);
	}
}

// --- Handing over ---

static void record(lrd_residents *residents, const lrd_segment *segment)
{
	const lrd_gpu *gpu = &residents->gpu;
	lrd_upload *upload = segment->upload;
	if (upload->is_mesh)
	{
		gpu->copy_mesh(
			gpu->user, &(lrd_gpu_mesh_copy){ upload->image->object, segment->at, segment->offset, segment->size });
	}
	else
	{
		const lrd_band *band = &segment->band;
		const lrd_texture_plan *plan = &upload->plan.texture;
		lrd_gpu_texture_copy copy = { .texture = upload->image->object,
			.level = (uint32_t)segment->at,
			.offset = segment->offset,
			.size = segment->size };
		if (band->size != plan->level_bytes[plan->first_level + segment->at])
		{
			copy.slice = band->slice;
			copy.slice_count = band->slice_count;
			copy.row = band->row;
			copy.row_count = band->row_count;
		}
		gpu->copy_texture(gpu->user, &copy);
	}
}

static void hand_over(lrd_residents *residents, lrd_segment *segment, uint64_t value)
{
	lrd_upload *upload = segment->upload;
	upload->segments--;
	if (value == 0)
	{
		return;
	}
	upload->image->copied = value;
	upload->value = value;
	if (upload->segments == 0 && upload->staged == upload->end && upload->state == LRD_UPLOAD_STAGING)
	{
		upload->state = LRD_UPLOAD_FLYING;
		residents->stats.queued_bytes -= upload->bytes;
		residents->stats.flying_bytes += upload->bytes;
	}
}

void lrd_batch_finish(lrd_residents *residents)
{
	lrd_batch *batch = &residents->batch;
	bool ready = batch->submitted ? atomic_load_explicit(&batch->ready, memory_order_acquire) != 0
								  : batch->unfilled == 0 || residents->stats.lost;
	if (!batch->open || !ready)
	{
		return;
	}
	for (uint32_t i = 0; i < batch->count && !residents->stats.lost; i++)
	{
		record(residents, &batch->segments[i]);
	}
	uint64_t value = residents->stats.lost ? 0 : lrd_residents_submit(residents);
	for (uint32_t i = 0; i < batch->count; i++)
	{
		hand_over(residents, &batch->segments[i], value);
	}
	batch->count = 0;
	batch->unfilled = 0;
	batch->bytes = 0;
	batch->open = false;
	batch->submitted = false;
	atomic_store_explicit(&batch->ready, 0, memory_order_relaxed);
}
