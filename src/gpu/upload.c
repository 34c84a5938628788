// gpu/upload.c: the queue of what is on its way to the GPU, in the order in which it was admitted.

#include "gpu/gpu.h"

#include "base/error.h"

#define CREATE_WEIGHT 0.125 // of the newest in the average of what making an object takes
#define CREATES_MAX 4096.0

// --- Into the queue and out of it ---

bool lrd_upload_fits(const lrd_residents *residents, uint64_t bytes)
{
	uint64_t out = residents->stats.queued_bytes + residents->stats.flying_bytes;
	// One larger than the window enters an empty queue: what is drawn and grows is no reason for it to wait, it may do so every frame.
	return residents->upload_count == residents->forced_count ||
		   (residents->upload_count < LRD_UPLOADS_MAX && out <= residents->desc.upload_window &&
			   bytes <= residents->desc.upload_window - out);
}

static uint64_t *coming(lrd_residents *residents, const lrd_upload *upload)
{
	return upload->is_mesh ? &residents->mesh_bytes_coming : &residents->texture_bytes_coming;
}

lrd_upload *lrd_upload_make(lrd_residents *residents, lrd_row *row, bool is_mesh)
{
	lrd_upload *upload = lrd_alloc_zeroed(residents->allocator, 1, sizeof *upload);
	lrd_image *image = lrd_alloc_zeroed(residents->allocator, 1, sizeof *image);
	if (upload == NULL || image == NULL)
	{
		lrd_free(residents->allocator, upload, sizeof *upload);
		lrd_free(residents->allocator, image, sizeof *image);
		return NULL;
	}
	image->is_mesh = is_mesh;
	upload->is_mesh = is_mesh;
	upload->image = image;
	upload->residents = residents;
	upload->row = row;
	return upload;
}

void lrd_upload_free(lrd_residents *residents, lrd_upload *upload)
{
	if (upload->image != NULL)
	{
		lrd_image_discard(residents, upload->image);
	}
	if (!upload->is_mesh)
	{
		lrd_texture_plan_free(residents, &upload->plan.texture);
	}
	lrd_free(residents->allocator, upload->content, upload->content != NULL ? (size_t)upload->bytes : 0);
	lrd_hold_renew(
		&upload->hold); // so that the store knows that this reference, and no other, is done with what it read
	lrd_hold_end(&upload->hold);
	lrd_free(residents->allocator, upload, sizeof *upload);
}

static void run(lrd_job *job)
{
	lrd_upload *upload = (lrd_upload *)job;
	upload->failed = !upload->prepare(upload, &upload->error);
	atomic_store_explicit(&upload->ready, 1, memory_order_release);
}

static void submit(lrd_residents *residents, lrd_upload *upload)
{
	if (!upload->submitted)
	{
		upload->job = (lrd_job){ .run = run };
		upload->submitted = residents->jobs.submit(residents->jobs.user, &upload->job);
	}
}

void lrd_upload_admit(lrd_residents *residents, lrd_upload *upload)
{
	lrd_row *row = upload->row;
	lrd_hold_move(&upload->hold, &row->hold);
	row->stale = false;
	row->upload = upload;
	lrd_table_mark(lrd_residents_table(residents, row->kind), row);
	upload->image->bytes = upload->bytes;
	upload->previous = residents->last;
	*(residents->last != NULL ? &residents->last->next : &residents->first) = upload;
	residents->last = upload;
	residents->upload_count++;
	residents->forced_count += upload->forced;
	residents->stats.queued_bytes += upload->bytes;
	*coming(residents, upload) += upload->bytes;
	// Whether there is memory now shows before anything is decoded for it again.
	upload->state = upload->prepare != NULL && !row->starved ? LRD_UPLOAD_PREPARING : LRD_UPLOAD_PREPARED;
	if (upload->state == LRD_UPLOAD_PREPARING)
	{
		submit(residents, upload);
	}
}

void lrd_upload_cancel(lrd_residents *residents, lrd_upload *upload)
{
	(void)residents;
	upload->cancelled = true;
	upload->row = NULL;
}

static void take_out(lrd_residents *residents, lrd_upload *upload)
{
	*(upload->previous != NULL ? &upload->previous->next : &residents->first) = upload->next;
	*(upload->next != NULL ? &upload->next->previous : &residents->last) = upload->previous;
	residents->upload_count--;
	residents->forced_count -= upload->forced;
	*coming(residents, upload) -= upload->image->object != 0 ? 0 : upload->bytes;
	*(upload->state == LRD_UPLOAD_FLYING ? &residents->stats.flying_bytes : &residents->stats.queued_bytes) -=
		upload->bytes;
}

// --- Ends ---

static void end(lrd_residents *residents, lrd_upload *upload, bool done)
{
	take_out(residents, upload);
	if (!upload->cancelled)
	{
		residents->stats.uploads += done;
		residents->stats.uploaded_bytes += done ? upload->bytes : 0;
		lrd_row_uploaded(residents, upload->row, upload, done);
	}
	lrd_upload_free(residents, upload);
}

// Neither a job nor the batch knows of it.
static bool is_loose(const lrd_upload *upload)
{
	bool running = upload->submitted && atomic_load_explicit(&upload->ready, memory_order_acquire) == 0;
	return !running && upload->segments == 0;
}

void lrd_uploads_finish(lrd_residents *residents)
{
	for (lrd_upload *upload = residents->first, *next; upload != NULL; upload = next)
	{
		next = upload->next;
		bool lost = residents->stats.lost;
		if ((upload->cancelled || lost) && is_loose(upload))
		{
			if (!upload->cancelled)
			{
				upload->row->upload = NULL;
				lrd_upload_cancel(residents, upload);
			}
			end(residents, upload, false);
		}
		else if (upload->state == LRD_UPLOAD_PREPARING && !upload->cancelled && !lost)
		{
			submit(residents, upload);
			if (!is_loose(upload) || !upload->submitted)
			{
				continue;
			}
			upload->state = upload->image->object != 0 ? LRD_UPLOAD_STAGING : LRD_UPLOAD_PREPARED;
			if (upload->failed)
			{
				end(residents, upload, false);
			}
		}
		else if (upload->state == LRD_UPLOAD_STAGING && upload->failed && is_loose(upload) && !lost)
		{
			end(residents, upload, false);
		}
		else if (upload->state == LRD_UPLOAD_FLYING && upload->value <= residents->copied && !lost)
		{
			end(residents, upload, true);
		}
	}
}

// --- Making objects ---

bool lrd_image_create(lrd_residents *residents, lrd_image *image, const lrd_gpu_texture_desc *texture,
	const lrd_gpu_mesh_desc *mesh, lrd_error *error)
{
	uint64_t begin = lrd_clock_ns();
	const lrd_gpu *gpu = &residents->gpu;
	image->object =
		texture != NULL ? gpu->create_texture(gpu->user, texture, error) : gpu->create_mesh(gpu->user, mesh, error);
	double took = (double)(lrd_clock_ns() - begin);
	if (image->object == 0)
	{
		return false;
	}
	residents->create_ns += residents->create_ns == 0.0 ? took : (took - residents->create_ns) * CREATE_WEIGHT;
	*(image->is_mesh ? &residents->stats.mesh_bytes : &residents->stats.texture_bytes) += image->bytes;
	return true;
}

// At least one, else nothing would ever be measured anew.
static void count_creates(lrd_residents *residents)
{
	double count = residents->create_ns > 0.0 ? residents->desc.create_us * 1000.0 / residents->create_ns : 1.0;
	residents->stats.creates_a_frame = count < 1.0 ? 1 : count > CREATES_MAX ? (uint32_t)CREATES_MAX : (uint32_t)count;
}

static bool create(lrd_residents *residents, lrd_upload *upload)
{
	char name[256];
	lrd_string stem = lrd_asset_stem(residents->store, upload->row->asset);
	size_t size = stem.size < sizeof name ? stem.size : sizeof name - 1;
	memcpy(name, stem.size != 0 ? stem.data : "", size);
	name[size] = '\0';
	upload->error = (lrd_error){ 0 };
	if (upload->image->is_mesh)
	{
		const lrd_gpu_mesh_desc desc = { .name = name, .size = upload->bytes, .dynamic = upload->dynamic };
		return lrd_image_create(residents, upload->image, NULL, &desc, &upload->error);
	}
	lrd_gpu_texture_desc desc = upload->plan.texture.desc;
	desc.name = name;
	return lrd_image_create(residents, upload->image, &desc, NULL, &upload->error);
}

// The device has no memory for it: it makes room in the queue for others, and is begun anew when some was freed.
static void give_up(lrd_residents *residents, lrd_upload *upload)
{
	take_out(residents, upload);
	lrd_row_starved(residents, upload->row, upload);
	lrd_upload_free(residents, upload);
}

// An image of so many bytes is more than the device makes, though each side is within its limits.
static bool is_too_large(const lrd_upload *upload)
{
	return !upload->is_mesh && upload->error.code == LRD_ERROR_LIMIT && upload->plan.texture.desc.level_count > 1;
}

static void begin_coarser(lrd_residents *residents, lrd_upload *upload)
{
	take_out(residents, upload);
	lrd_row_too_large(residents, upload->row, upload);
	lrd_upload_free(residents, upload);
}

void lrd_uploads_create(lrd_residents *residents)
{
	count_creates(residents);
	uint32_t tries = residents->stats.creates_a_frame;
	for (lrd_upload *upload = residents->first, *next; upload != NULL && tries != 0; upload = next)
	{
		next = upload->next;
		if (upload->state != LRD_UPLOAD_PREPARED || upload->cancelled)
		{
			continue;
		}
		tries--;
		if (create(residents, upload))
		{
			bool is_prepared = upload->prepare == NULL || upload->submitted;
			upload->state = is_prepared ? LRD_UPLOAD_STAGING : LRD_UPLOAD_PREPARING;
			*coming(residents, upload) -= upload->bytes;
		}
		else if (upload->error.code == LRD_ERROR_IO)
		{
			lrd_residents_lose(residents);
			return;
		}
		else if (is_too_large(upload))
		{
			begin_coarser(residents, upload);
		}
		else if (upload->error.code != LRD_ERROR_MEMORY)
		{
			end(residents, upload, false);
		}
		else
		{
			residents->stats.out_of_memory++;
			give_up(residents, upload);
			return;
		}
	}
}
