// gpu/residents.c: making and freeing them, the update once a frame, statistics.

#include "gpu/gpu.h"

#include "base/error.h"

#include <stdio.h>

#define WINDOW_DEFAULT (256ull << 20)
#define DERIVED_DEFAULT (64ull << 20)
#define FRAMES_DEFAULT 3u
#define FRAMES_MAX 8u
#define CREATE_US_DEFAULT 1000u
#define SLOTS_DEFAULT 65536u
#define STAGING_LEAST 256u
#define IDLE_WAIT_NS 1000000000ull

// --- Messages ---

void lrd_residents_warn(lrd_residents *residents, lrd_asset asset, const char *format, ...)
{
	char text[LRD_ERROR_MESSAGE_SIZE];
	va_list arguments;
	va_start(arguments, format);
	lrd_format_cut(text, sizeof text, format, arguments);
	va_end(arguments);
	if (asset.generation == 0)
	{
		lrd_log_write(&residents->log, LRD_LOG_WARNING, "gpu", "%s", text);
		return;
	}
	char name[LRD_ERROR_MESSAGE_SIZE];
	int size = snprintf(name, sizeof name, "%s \"%.*s\": ", lrd_kind_name(lrd_asset_kind(residents->store, asset)),
		LRD_STR_ARG(lrd_asset_stem(residents->store, asset)));
	bool is_named = strncmp(text, name, (size_t)size) == 0; // as in what the store says of it
	lrd_log_write(&residents->log, LRD_LOG_WARNING, "gpu", "%s%s", is_named ? "" : name, text);
}

void lrd_residents_lose(lrd_residents *residents)
{
	if (!residents->stats.lost)
	{
		residents->stats.lost = true;
		lrd_log_write(&residents->log, LRD_LOG_ERROR, "gpu", "the device is lost: nothing is uploaded any more");
	}
}

// --- Making ---

lrd_table *lrd_residents_table(lrd_residents *residents, lrd_resident_change kind)
{
	return kind == LRD_CHANGE_TEXTURE ? &residents->textures
		   : kind == LRD_CHANGE_MESH  ? &residents->meshes
									  : &residents->materials;
}

static bool check(const lrd_residents *residents, lrd_error *error)
{
	if (residents->desc.frames > FRAMES_MAX)
	{
		return lrd_fail(
			error, LRD_ERROR_ARGUMENT, "%u frames in flight; there may be %u", residents->desc.frames, FRAMES_MAX);
	}
	if (residents->caps.staging_size < STAGING_LEAST)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "%llu bytes of staging memory; at least %u are needed",
			(unsigned long long)residents->caps.staging_size, STAGING_LEAST);
	}
	return true;
}

static void fill_in(lrd_residents *residents, const lrd_residents_desc *desc)
{
	lrd_residents_desc own = desc != NULL ? *desc : (lrd_residents_desc){ 0 };
	own.upload_window = own.upload_window != 0 ? own.upload_window : WINDOW_DEFAULT;
	own.derived = own.derived != 0 ? own.derived : DERIVED_DEFAULT;
	own.frames = own.frames != 0 ? own.frames : FRAMES_DEFAULT;
	own.create_us = own.create_us != 0 ? own.create_us : CREATE_US_DEFAULT;
	residents->desc = own;
	residents->log = own.log;
	residents->gpu.get_caps(residents->gpu.user, &residents->caps);
	uint32_t slots = residents->caps.texture_slots != 0 ? residents->caps.texture_slots : SLOTS_DEFAULT;
	residents->textures = (lrd_table){ .row_size = sizeof(lrd_texture_row), .kind = LRD_CHANGE_TEXTURE, .most = slots };
	residents->meshes =
		(lrd_table){ .row_size = sizeof(lrd_mesh_row), .kind = LRD_CHANGE_MESH, .most = LRD_GPU_NO_SLOT };
	residents->materials =
		(lrd_table){ .row_size = sizeof(lrd_material_row), .kind = LRD_CHANGE_MATERIAL, .most = LRD_GPU_NO_SLOT };
}

static bool start(lrd_residents *residents, lrd_error *error)
{
	const lrd_listener_desc listener = { .on_event = lrd_rows_event, .user = residents };
	if (!check(residents, error) || !lrd_users_make(residents, error) || !lrd_derived_make(residents, error) ||
		!lrd_fallbacks_make(residents, error))
	{
		return false;
	}
	return lrd_store_listen(residents->store, &listener, &residents->listener, error);
}

lrd_residents *lrd_residents_create(
	lrd_store *store, const lrd_gpu *gpu, const lrd_residents_desc *desc, lrd_error *error)
{
	lrd_allocator allocator = lrd_allocator_or_default(desc != NULL ? desc->allocator : (lrd_allocator){ 0 });
	lrd_residents *residents = lrd_alloc_zeroed(allocator, 1, sizeof *residents);
	if (residents == NULL)
	{
		lrd_fail_memory(error, "the residents", sizeof *residents);
		return NULL;
	}
	residents->store = store;
	residents->gpu = *gpu;
	residents->allocator = allocator;
	residents->jobs = *lrd_store_jobs(store);
	residents->batch.residents = residents;
	fill_in(residents, desc);
	if (!start(residents, error))
	{
		lrd_residents_destroy(residents);
		return NULL;
	}
	return residents;
}

// --- Freeing ---

static bool jobs_run(const lrd_residents *residents)
{
	bool running = residents->ran_jobs; // those that helped may be about to free what they shared
	for (const lrd_upload *upload = residents->first; upload != NULL; upload = upload->next)
	{
		running = running || upload->submitted;
	}
	return running;
}

// The device is idle, and just may not have said so yet.
static void wait_for_copies(lrd_residents *residents)
{
	uint64_t begun = lrd_clock_ns();
	while (!residents->stats.lost && residents->copied < residents->submitted && lrd_clock_ns() - begun < IDLE_WAIT_NS)
	{
		residents->copied = residents->gpu.completed(residents->gpu.user);
	}
}

static uint32_t end_rows(lrd_residents *residents, lrd_table *table)
{
	uint32_t references = 0;
	for (uint32_t i = 0; i < table->count; i++)
	{
		lrd_row *row = lrd_table_at(table, i);
		if (row == NULL)
		{
			continue;
		}
		references += row->references;
		lrd_row_end(residents, row);
		lrd_row_free(residents, row);
	}
	return references;
}

static void end_uploads(lrd_residents *residents)
{
	while (residents->first != NULL)
	{
		lrd_upload *upload = residents->first;
		residents->first = upload->next;
		lrd_upload_free(residents, upload);
	}
	while (residents->retired != NULL)
	{
		lrd_image *image = residents->retired;
		residents->retired = image->next;
		lrd_image_destroy(residents, image);
	}
}

uint32_t lrd_residents_destroy(lrd_residents *residents)
{
	if (residents == NULL)
	{
		return 0;
	}
	(void)lrd_store_unlisten(residents->store, residents->listener);
	if (jobs_run(residents))
	{
		residents->jobs.wait(residents->jobs.user);
	}
	wait_for_copies(residents);
	uint32_t references = end_rows(residents, &residents->materials); // these hold textures
	references += end_rows(residents, &residents->textures) + end_rows(residents, &residents->meshes);
	end_uploads(residents);
	lrd_fallbacks_free(residents);
	lrd_users_free(residents);
	lrd_derived_free(residents);
	lrd_table_free(&residents->textures, residents->allocator);
	lrd_table_free(&residents->meshes, residents->allocator);
	lrd_table_free(&residents->materials, residents->allocator);
	lrd_key_map_free(&residents->geometry, residents->allocator);
	lrd_free(residents->allocator, residents, sizeof *residents);
	return references;
}

// --- Once a frame ---

static void poll(lrd_residents *residents)
{
	if (residents->stats.lost)
	{
		return;
	}
	residents->gpu.get_caps(residents->gpu.user, &residents->caps);
	uint64_t copied = residents->gpu.completed(residents->gpu.user);
	if (copied == UINT64_MAX)
	{
		lrd_residents_lose(residents);
		return;
	}
	residents->copied = copied;
}

void lrd_residents_update(lrd_residents *residents, uint64_t frame, uint64_t completed)
{
	uint64_t begun = lrd_clock_ns();
	residents->updating = true;
	residents->frame = frame;
	uint64_t flying = residents->desc.frames;
	residents->completed = completed != 0 ? completed : frame > flying ? frame - 1 - flying : 0;
	poll(residents);
	lrd_batch_finish(residents);
	lrd_uploads_finish(residents);
	if (!residents->stats.lost)
	{
		lrd_fallbacks_update(residents);
	}
	lrd_rows_look(residents);
	if (!residents->stats.lost)
	{
		lrd_geometry_update(residents);
	}
	if (!residents->stats.lost)
	{
		lrd_uploads_create(residents);
	}
	if (!residents->stats.lost)
	{
		lrd_batch_begin(residents);
		lrd_retired_free(residents);
	}
	lrd_derived_update(residents);
	lrd_users_tell_everyone(residents);
	residents->updating = false;
	residents->stats.update_ns = lrd_clock_ns() - begun;
}

// --- What is going on ---

lrd_store *lrd_residents_store(const lrd_residents *residents)
{
	return residents->store;
}

uint32_t lrd_residents_tail_levels(const lrd_residents *residents)
{
	return residents->desc.tail_levels;
}

void lrd_residents_get_caps(const lrd_residents *residents, lrd_gpu_caps *caps)
{
	*caps = residents->caps;
}

void lrd_residents_get_stats(const lrd_residents *residents, lrd_residents_stats *stats)
{
	*stats = residents->stats;
	stats->textures = residents->textures.used;
	stats->meshes = residents->meshes.used;
	stats->materials = residents->materials.used;
}
