// gpu/texture.c: textures: a slot each in the array that shaders index, from the first retain to the last release.

#include "gpu/gpu.h"

#include "base/error.h"

static lrd_texture_row *texture_at(const lrd_residents *residents, uint32_t slot)
{
	lrd_row *row = lrd_table_at(&residents->textures, slot);
	return row != NULL && row->references != 0 ? (lrd_texture_row *)row : NULL;
}

uint32_t lrd_residents_retain_texture(
	lrd_residents *residents, lrd_asset texture, lrd_texture_role role, lrd_error *error)
{
	if ((unsigned)role >= LRD_ROLE_COUNT)
	{
		lrd_fail(error, LRD_ERROR_ARGUMENT, "%d is no role of a texture", (int)role);
		return LRD_GPU_NO_SLOT;
	}
	bool is_new = false;
	lrd_row *row = lrd_row_retain(residents, &residents->textures, texture, LRD_TEXTURE, &is_new, error);
	if (row == NULL)
	{
		return LRD_GPU_NO_SLOT;
	}
	if (is_new)
	{
		lrd_texture_row *made = (lrd_texture_row *)row;
		made->role = role;
		made->wanted = LRD_GPU_NO_SLOT;
	}
	return row->index;
}

void lrd_residents_release_texture(lrd_residents *residents, uint32_t slot)
{
	lrd_texture_row *texture = texture_at(residents, slot);
	if (texture != NULL && --texture->row.references == 0)
	{
		lrd_table_mark(&residents->textures, &texture->row);
		lrd_row_list(residents, &texture->row);
	}
}

static uint32_t tail_level(const lrd_residents *residents, uint32_t count)
{
	uint32_t tail = residents->desc.tail_levels;
	return tail != 0 && count > tail ? count - tail : 0;
}

bool lrd_residents_get_texture(const lrd_residents *residents, uint32_t slot, lrd_resident_texture *texture)
{
	const lrd_texture_row *row = texture_at(residents, slot);
	if (row == NULL)
	{
		return false;
	}
	*texture = row->info;
	texture->asset = row->row.asset;
	texture->object = row->row.image != NULL ? row->row.image->object : 0;
	texture->bound = row->bound != 0;
	texture->failed = row->row.failed;
	texture->tail_level = tail_level(residents, row->info.level_count);
	texture->tail_level = texture->tail_level > row->info.finest_level ? texture->tail_level : row->info.finest_level;
	texture->wanted_level = row->row.upload != NULL ? row->row.upload->plan.texture.first_level : row->info.first_level;
	return true;
}

uint32_t lrd_residents_texture_count(const lrd_residents *residents)
{
	return residents->textures.count;
}

uint64_t lrd_residents_changed_textures(lrd_residents *residents, uint32_t group, bool take)
{
	lrd_table *table = &residents->textures;
	uint64_t changed = group < table->chunk_count ? table->changed[group] : 0;
	if (take && changed != 0)
	{
		table->changed[group] = 0;
	}
	return changed;
}

uint32_t lrd_residents_texture_levels(
	const lrd_residents *residents, uint32_t slot, uint64_t image_bytes[LRD_TEXTURE_MAX_LEVELS])
{
	const lrd_texture_row *texture = texture_at(residents, slot);
	if (texture == NULL || !texture->row.there)
	{
		return 0;
	}
	uint64_t bytes = 0;
	for (uint32_t level = texture->info.level_count; level-- > 0;)
	{
		bytes += texture->level_bytes[level];
		image_bytes[level] = level >= texture->info.finest_level ? bytes : 0;
	}
	return texture->info.level_count;
}

void lrd_residents_set_texture_budget(lrd_residents *residents, uint64_t bytes)
{
	residents->texture_budget = bytes;
}

void lrd_texture_bind(lrd_residents *residents, lrd_texture_row *texture)
{
	const lrd_image *image = texture->row.image;
	lrd_gpu_object object = image != NULL ? image->object : lrd_fallback_of(residents, texture->role);
	if (object != texture->bound && !residents->stats.lost)
	{
		residents->gpu.bind_texture(residents->gpu.user, texture->row.index, object);
		texture->bound = object;
	}
}

void lrd_texture_end(lrd_residents *residents, lrd_row *row)
{
	lrd_texture_row *texture = (lrd_texture_row *)row;
	if (texture->bound != 0 && !residents->stats.lost)
	{
		residents->gpu.bind_texture(residents->gpu.user, row->index, 0);
	}
	texture->bound = 0;
}

bool lrd_texture_keeps_payload(const lrd_residents *residents, const lrd_row *row)
{
	return row->there && residents->desc.tail_levels != 0;
}

// --- Uploads ---

static void show(lrd_residents *residents, lrd_upload *upload)
{
	lrd_texture_row *texture = (lrd_texture_row *)upload->row;
	const lrd_texture_plan *plan = &upload->plan.texture;
	const lrd_texture_view *view = &plan->view;
	texture->info.width = view->width;
	texture->info.height = view->height != 0 ? view->height : 1;
	texture->info.format = view->format;
	texture->info.level_count = view->level_count;
	texture->info.first_level = plan->first_level;
	texture->info.revision += texture->shown != upload->payload;
	texture->shown = upload->payload;
	texture->info.finest_level = plan->finest;
	texture->info.bytes = upload->bytes;
	texture->info.is_srgb = lrd_texture_is_srgb(view);
	memcpy(texture->level_bytes, plan->level_bytes, sizeof texture->level_bytes);
	texture->wanted = plan->first_level;
	lrd_texture_bind(residents, texture);
}

void lrd_texture_too_large(lrd_texture_row *texture, const lrd_upload *upload)
{
	texture->too_large = upload->plan.texture.first_level + 1;
	texture->too_large_of = upload->payload;
	if (texture->row.there && upload->payload == texture->row.payload)
	{
		texture->info.finest_level = texture->too_large;
		texture->info.revision++;
	}
}

// The budget allows an image of so many bytes beside all that there are and are on their way.
static bool has_room(const lrd_residents *residents, uint64_t bytes)
{
	uint64_t most = residents->texture_budget;
	uint64_t taken = residents->stats.texture_bytes + residents->texture_bytes_coming;
	return most == 0 || (taken <= most && bytes <= most - taken);
}

// What is loaded anew begins where it was, if there is room.
static void begin_anew(const lrd_residents *residents, const lrd_texture_row *texture, lrd_texture_plan *plan)
{
	uint32_t tail = tail_level(residents, plan->view.level_count);
	uint32_t first = texture->wanted < tail ? texture->wanted : tail;
	lrd_texture_plan_begin_with(plan, first);
	while (residents->desc.tail_levels != 0 && plan->first_level < tail &&
		   !has_room(residents, lrd_texture_plan_bytes(plan)))
	{
		lrd_texture_plan_begin_with(plan, plan->first_level + 1);
	}
}

static lrd_begun begin_with(lrd_residents *residents, lrd_texture_row *texture, const lrd_texture *payload,
	uint32_t first_level, lrd_error *error)
{
	lrd_upload *upload = lrd_upload_make(residents, &texture->row, false);
	if (upload == NULL)
	{
		return LRD_BEGUN_LATER;
	}
	lrd_texture_plan *plan = &upload->plan.texture;
	uint32_t generation = lrd_asset_generation(residents->store, texture->row.asset);
	uint32_t finest = texture->too_large_of == generation ? texture->too_large : 0;
	bool planned = lrd_texture_plan_make(residents, &payload->view, finest, plan, error);
	bool anew = first_level == LRD_GPU_NO_SLOT;
	bool allowed = true;
	if (planned && anew)
	{
		begin_anew(residents, texture, plan);
	}
	else if (planned)
	{
		lrd_texture_plan_begin_with(plan, first_level);
		allowed = first_level >= tail_level(residents, plan->view.level_count) ||
				  has_room(residents, lrd_texture_plan_bytes(plan));
	}
	upload->bytes = planned ? lrd_texture_plan_bytes(plan) : 0;
	if (!planned || !allowed || !lrd_upload_fits(residents, upload->bytes))
	{
		lrd_upload_free(residents, upload);
		return planned ? LRD_BEGUN_WAIT : LRD_BEGUN_NEVER;
	}
	if (plan->finest != 0 && !texture->row.there)
	{
		lrd_residents_warn(residents, texture->row.asset,
			"%u x %u texels are more than the device takes: it is shown from level %u on", payload->view.width,
			payload->view.height, plan->finest);
	}
	upload->payload = generation;
	upload->end = plan->desc.level_count;
	upload->prepare = lrd_texture_prepare;
	upload->show = show;
	lrd_upload_admit(residents, upload);
	return LRD_BEGUN;
}

lrd_begun lrd_texture_begin(lrd_residents *residents, lrd_row *row, lrd_error *error)
{
	const lrd_texture *payload = lrd_texture_get(residents->store, row->asset);
	return payload != NULL ? begin_with(residents, (lrd_texture_row *)row, payload, LRD_GPU_NO_SLOT, error)
						   : LRD_BEGUN_LATER;
}

bool lrd_residents_set_first_level(lrd_residents *residents, uint32_t slot, uint32_t first_level)
{
	lrd_texture_row *texture = texture_at(residents, slot);
	if (texture == NULL || !texture->row.there || texture->row.stale || texture->row.upload != NULL ||
		residents->desc.tail_levels == 0 || residents->waiting.first != NULL || residents->stats.lost)
	{
		return false;
	}
	uint32_t count = texture->info.level_count;
	uint32_t first = first_level < count ? first_level : count - 1;
	first = first > texture->info.finest_level ? first : texture->info.finest_level;
	if (first == texture->info.first_level)
	{
		return true;
	}
	const lrd_texture *payload =
		texture->row.hold.store != NULL ? lrd_texture_get(residents->store, texture->row.asset) : NULL;
	if (payload == NULL || lrd_asset_generation(residents->store, texture->row.asset) != texture->row.payload)
	{
		lrd_row_list(residents, &texture->row); // newer content comes first
		return false;
	}
	lrd_error error;
	return begin_with(residents, texture, payload, first, &error) == LRD_BEGUN;
}
