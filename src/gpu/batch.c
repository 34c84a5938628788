// gpu/batch.c: filling staging memory and handing it over. What is staged has to be copied by the next submit: so one batch at a
// time is staged, filled by workers, and handed over when all of it is filled; the GPU copies the one before meanwhile.

#include "gpu/gpu.h"

#include "os/parallel.h"

#define PART_BYTES (4ull << 20) // of a mesh that is filled at once

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
	if (upload->is_mesh)
	{
		lrd_mesh_plan_write(&upload->plan.mesh, segment->at, segment->at + segment->size, segment->to);
		return;
	}
	uint32_t level = upload->plan.texture.first_level + (uint32_t)segment->at;
	memcpy(segment->to, lrd_texture_plan_level(&upload->plan.texture, level), (size_t)segment->size);
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

static bool stage(lrd_residents *residents, lrd_upload *upload, uint64_t size)
{
	lrd_batch *batch = &residents->batch;
	lrd_gpu_staging staging;
	if (!residents->gpu.stage(residents->gpu.user, size, &staging))
	{
		return false;
	}
	upload->failed = upload->fill != NULL && !upload->fill(upload, staging.data, &upload->error);
	if (upload->failed)
	{
		batch->wasted = true;
		return true; // the queue sees to it; what was staged is not copied
	}
	batch->segments[batch->count++] =
		(lrd_segment){ upload, staging.data, staging.offset, size, upload->staged, upload->fill != NULL };
	batch->unfilled += upload->fill == NULL;
	batch->bytes += size;
	upload->segments++;
	return true;
}

static uint64_t next_size(const lrd_residents *residents, const lrd_upload *upload)
{
	if (!upload->is_mesh)
	{
		const lrd_texture_plan *plan = &upload->plan.texture;
		return plan->level_bytes[plan->first_level + upload->staged];
	}
	uint64_t left = upload->end - upload->staged;
	if (upload->fill != NULL)
	{
		return left;
	}
	uint64_t most = residents->caps.staging_size < PART_BYTES ? residents->caps.staging_size : PART_BYTES;
	return left < most ? left : most;
}

// As much of an upload as there is room for; false: none is left in this batch.
static bool stage_upload(lrd_residents *residents, lrd_upload *upload)
{
	lrd_batch *batch = &residents->batch;
	uint64_t most = residents->caps.staging_size / 2; // the GPU copies out of the other half
	while (upload->staged < upload->end)
	{
		uint64_t size = next_size(residents, upload);
		if (batch->count == LRD_BATCH_SEGMENTS || (batch->count != 0 && batch->bytes + size > most) ||
			!stage(residents, upload, size))
		{
			return false;
		}
		upload->staged += upload->is_mesh ? size : 1;
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
		gpu->copy_texture(gpu->user,
			&(lrd_gpu_texture_copy){ upload->image->object, (uint32_t)segment->at, segment->offset, segment->size });
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
