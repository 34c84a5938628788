// gpu/geometry.c: geometry of the program's own: found by key, in the same table as meshes, never in the store. What is dynamic
// keeps a copy in memory: it is written there, and what changed is copied in place, or, where it grew, to a new object.

#include "gpu/gpu.h"

#include "base/error.h"

struct lrd_geometry
{
	lrd_geometry_desc desc; ///< `size` is kept up
	lrd_mesh_row *mesh;
	uint8_t *content; ///< of dynamic geometry, desc.size bytes
	bool filled;
	bool reserved;        ///< counted as coming
	bool listed;          ///< in residents->written
	bool grown;           ///< beyond its object
	bool has_lods;        ///< `lods` are not shown yet
	bool copying;         ///< with the next submit
	uint64_t dirty_begin; ///< not handed over; equal: nothing
	uint64_t dirty_end;
	lrd_resident_lod lods[LRD_MESH_MAX_LODS];
	uint32_t lod_count;
	struct lrd_geometry *next;
};

// --- Keys ---

static bool check(const lrd_residents *residents, const lrd_geometry_desc *desc, lrd_error *error)
{
	if (desc->key == 0 || desc->size == 0 || desc->fill == NULL || desc->layout.lod_count > LRD_MESH_MAX_LODS)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT,
			"geometry needs a key, bytes, a function that fills it, and at most %u LODs", LRD_MESH_MAX_LODS);
	}
	if (!lrd_mesh_has_room(residents, NULL, desc->size))
	{
		return lrd_fail(error, LRD_ERROR_LIMIT,
			"geometry of %llu bytes; %llu of %llu are taken: release some, or raise the ceiling",
			(unsigned long long)desc->size,
			(unsigned long long)(residents->stats.mesh_bytes + residents->mesh_bytes_coming),
			(unsigned long long)residents->desc.geometry);
	}
	return true;
}

static struct lrd_geometry *make(lrd_residents *residents, const lrd_geometry_desc *desc, lrd_error *error)
{
	struct lrd_geometry *made = lrd_alloc_zeroed(residents->allocator, 1, sizeof *made);
	uint8_t *content = made != NULL && desc->dynamic ? lrd_alloc(residents->allocator, (size_t)desc->size) : NULL;
	if (made == NULL || (desc->dynamic && content == NULL) ||
		!lrd_key_map_reserve(&residents->geometry, residents->allocator))
	{
		lrd_free(residents->allocator, content, (size_t)desc->size);
		lrd_free(residents->allocator, made, sizeof *made);
		lrd_fail_memory(error, "geometry", sizeof *made + (desc->dynamic ? (size_t)desc->size : 0));
		return NULL;
	}
	made->desc = *desc;
	made->content = content;
	return made;
}

static lrd_mesh_row *make_row(lrd_residents *residents, const lrd_geometry_desc *desc, lrd_error *error)
{
	if (!check(residents, desc, error))
	{
		return NULL;
	}
	lrd_mesh_row *mesh = (lrd_mesh_row *)lrd_table_take(&residents->meshes, residents->allocator, error);
	if (mesh == NULL)
	{
		return NULL;
	}
	mesh->geometry = make(residents, desc, error);
	if (mesh->geometry == NULL)
	{
		lrd_table_give_back(&residents->meshes, &mesh->row);
		return NULL;
	}
	mesh->geometry->mesh = mesh;
	mesh->geometry->reserved = true;
	residents->mesh_bytes_coming += desc->size;
	residents->stats.pending++;
	mesh->info = desc->layout;
	mesh->info.object = 0;
	mesh->info.bytes = 0;
	mesh->info.failed = false;
	lrd_key_map_set(&residents->geometry, desc->key, mesh->row.index);
	lrd_row_list(residents, &mesh->row);
	return mesh;
}

lrd_mesh_handle lrd_residents_retain_geometry(lrd_residents *residents, const lrd_geometry_desc *desc, lrd_error *error)
{
	uint32_t index;
	lrd_mesh_row *mesh = desc->key != 0 && lrd_key_map_get(&residents->geometry, desc->key, &index)
							 ? (lrd_mesh_row *)lrd_table_at(&residents->meshes, index)
							 : make_row(residents, desc, error);
	if (mesh == NULL)
	{
		return (lrd_mesh_handle){ 0 };
	}
	mesh->row.references++;
	return (lrd_mesh_handle){ mesh->row.index, mesh->row.generation };
}

// --- Uploads ---

static void end_reservation(lrd_residents *residents, struct lrd_geometry *geometry)
{
	residents->mesh_bytes_coming -= geometry->reserved ? geometry->desc.size : 0;
	geometry->reserved = false;
}

static void show(lrd_residents *residents, lrd_upload *upload)
{
	lrd_mesh_row *mesh = (lrd_mesh_row *)upload->row;
	lrd_derived_kill(residents, mesh);
	mesh->info = upload->plan.mesh.info;
	mesh->info.object = mesh->row.image->object;
	mesh->info.bytes = upload->bytes;
}

static lrd_upload *make_upload(lrd_residents *residents, struct lrd_geometry *geometry)
{
	lrd_mesh_row *mesh = geometry->mesh;
	lrd_upload *upload = lrd_upload_make(residents, &mesh->row, true);
	if (upload != NULL)
	{
		upload->plan.mesh.info = mesh->info;
		upload->fill = lrd_geometry_fill;
		upload->dynamic = geometry->desc.dynamic;
		upload->bytes = geometry->desc.size;
		upload->end = geometry->desc.size;
		upload->show = show;
	}
	return upload;
}

lrd_begun lrd_geometry_begin(lrd_residents *residents, lrd_mesh_row *mesh)
{
	struct lrd_geometry *geometry = mesh->geometry;
	if (!lrd_upload_fits(residents, geometry->desc.size))
	{
		return LRD_BEGUN_WAIT;
	}
	lrd_upload *upload = make_upload(residents, geometry);
	if (upload == NULL)
	{
		return LRD_BEGUN_LATER;
	}
	end_reservation(residents, geometry);
	lrd_upload_admit(residents, upload);
	return LRD_BEGUN;
}

bool lrd_geometry_fill(lrd_upload *upload, void *to, lrd_error *error)
{
	struct lrd_geometry *geometry = ((lrd_mesh_row *)upload->row)->geometry;
	const lrd_geometry_desc *desc = &geometry->desc;
	if (!geometry->filled && !desc->fill(desc->user, desc->dynamic ? geometry->content : to))
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "the geometry of key %llu could not be filled in",
			(unsigned long long)desc->key);
	}
	geometry->filled = true;
	if (desc->dynamic)
	{
		memcpy(to, geometry->content, (size_t)upload->bytes); // it may have grown since the object was made
	}
	return true;
}

// --- Writes ---

static void set_dirty(lrd_residents *residents, struct lrd_geometry *geometry, uint64_t begin, uint64_t end)
{
	residents->stats.queued_bytes += (end - begin) - (geometry->dirty_end - geometry->dirty_begin);
	geometry->dirty_begin = begin;
	geometry->dirty_end = end;
}

static bool grow(lrd_residents *residents, struct lrd_geometry *geometry, uint64_t size)
{
	if (size <= geometry->desc.size)
	{
		return true;
	}
	uint8_t *content = size <= SIZE_MAX ? lrd_realloc(residents->allocator, geometry->content,
											  (size_t)geometry->desc.size, (size_t)size)
										: NULL;
	if (content == NULL)
	{
		return false;
	}
	memset(content + geometry->desc.size, 0, (size_t)(size - geometry->desc.size));
	geometry->content = content;
	geometry->desc.size = size;
	geometry->grown = true;
	return true;
}

static bool fits(const lrd_residents *residents, const struct lrd_geometry *geometry, uint64_t begin, uint64_t end)
{
	uint64_t own = geometry->dirty_end - geometry->dirty_begin;
	uint64_t others = residents->stats.queued_bytes + residents->stats.flying_bytes - own;
	return others == 0 ||
		   (others <= residents->desc.upload_window && end - begin <= residents->desc.upload_window - others);
}

static void list(lrd_residents *residents, struct lrd_geometry *geometry)
{
	if (!geometry->listed)
	{
		geometry->listed = true;
		geometry->next = residents->written;
		residents->written = geometry;
	}
}

bool lrd_residents_write_geometry(lrd_residents *residents, lrd_mesh_handle mesh, uint64_t offset, const void *data,
	uint64_t size, const lrd_resident_lod *lods, uint32_t lod_count)
{
	lrd_mesh_row *row = lrd_mesh_row_of(residents, mesh);
	struct lrd_geometry *geometry = row != NULL ? row->geometry : NULL;
	if (geometry == NULL || !geometry->desc.dynamic || !geometry->filled || residents->stats.lost ||
		lod_count > LRD_MESH_MAX_LODS || size > UINT64_MAX - offset)
	{
		return false;
	}
	bool clean = geometry->dirty_begin == geometry->dirty_end;
	uint64_t begin = clean || offset < geometry->dirty_begin ? offset : geometry->dirty_begin;
	uint64_t end = clean || offset + size > geometry->dirty_end ? offset + size : geometry->dirty_end;
	if (size != 0 && (!fits(residents, geometry, begin, end) || !grow(residents, geometry, offset + size)))
	{
		return false;
	}
	if (size != 0)
	{
		memcpy(geometry->content + offset, data, (size_t)size);
		set_dirty(residents, geometry, begin, end);
	}
	if (lods != NULL)
	{
		memcpy(geometry->lods, lods, lod_count * sizeof *lods);
		geometry->lod_count = lod_count;
		geometry->has_lods = true;
	}
	list(residents, geometry);
	return true;
}

static void show_lods(lrd_residents *residents, struct lrd_geometry *geometry)
{
	if (geometry->has_lods)
	{
		memcpy(geometry->mesh->info.lods, geometry->lods, sizeof geometry->lods);
		geometry->mesh->info.lod_count = geometry->lod_count;
		geometry->has_lods = false;
		lrd_users_tell(residents, &geometry->mesh->row);
	}
}

// A new object with all of it takes the old one's place. False: memory ran out.
static bool replace(lrd_residents *residents, struct lrd_geometry *geometry)
{
	lrd_upload *upload = make_upload(residents, geometry);
	if (upload == NULL)
	{
		return false;
	}
	if (geometry->has_lods)
	{
		memcpy(upload->plan.mesh.info.lods, geometry->lods, sizeof geometry->lods);
		upload->plan.mesh.info.lod_count = geometry->lod_count;
		geometry->has_lods = false;
	}
	set_dirty(residents, geometry, 0, 0);
	geometry->grown = false;
	upload->forced = true;
	lrd_upload_admit(residents, upload);
	return true;
}

void lrd_geometry_starved(lrd_residents *residents, lrd_mesh_row *mesh, const lrd_upload *upload)
{
	struct lrd_geometry *geometry = mesh->geometry;
	geometry->grown = true;
	if (!geometry->has_lods)
	{
		memcpy(geometry->lods, upload->plan.mesh.info.lods, sizeof geometry->lods);
		geometry->lod_count = upload->plan.mesh.info.lod_count;
		geometry->has_lods = true;
	}
	list(residents, geometry);
}

// False: there is no staging memory for it in this frame.
static bool copy_in_place(lrd_residents *residents, struct lrd_geometry *geometry)
{
	const lrd_gpu *gpu = &residents->gpu;
	uint64_t size = geometry->dirty_end - geometry->dirty_begin;
	lrd_gpu_staging staging;
	if (!gpu->stage(gpu->user, size, &staging))
	{
		return false;
	}
	memcpy(staging.data, geometry->content + geometry->dirty_begin, (size_t)size);
	gpu->copy_mesh(gpu->user,
		&(lrd_gpu_mesh_copy){ geometry->mesh->row.image->object, geometry->dirty_begin, staging.offset, size });
	set_dirty(residents, geometry, 0, 0);
	return true;
}

static bool has_more(const struct lrd_geometry *geometry)
{
	return geometry->grown || geometry->has_lods || geometry->dirty_begin != geometry->dirty_end;
}

static void hand_over(lrd_residents *residents, struct lrd_geometry *geometry)
{
	const lrd_row *row = &geometry->mesh->row;
	bool is_dirty = geometry->dirty_begin != geometry->dirty_end;
	if (row->upload != NULL || !row->there || row->references == 0)
	{
		return;
	}
	bool is_beyond = geometry->grown || geometry->desc.size > row->image->bytes;
	if (is_beyond || geometry->dirty_end - geometry->dirty_begin > lrd_stage_most(residents))
	{
		(void)replace(residents, geometry);
	}
	else if (is_dirty)
	{
		geometry->copying = copy_in_place(residents, geometry);
	}
	else
	{
		show_lods(residents, geometry);
	}
}

// What was copied is what the next frame reads, so its LODs are what the next frame draws.
static void take_submit(lrd_residents *residents, uint64_t value)
{
	for (struct lrd_geometry *geometry = residents->written; geometry != NULL; geometry = geometry->next)
	{
		if (geometry->copying)
		{
			geometry->copying = false;
			geometry->mesh->row.image->copied = value;
			show_lods(residents, geometry);
		}
	}
}

void lrd_geometry_update(lrd_residents *residents)
{
	bool copying = false;
	if (residents->batch.open || residents->batch.refused)
	{
		return; // its staging memory is not filled yet, and would have to be copied by the next submit; or it waits for some
	}
	for (struct lrd_geometry *geometry = residents->written; geometry != NULL; geometry = geometry->next)
	{
		hand_over(residents, geometry);
		copying = copying || geometry->copying;
	}
	if (copying)
	{
		take_submit(residents, lrd_residents_submit(residents));
	}
	struct lrd_geometry **link = &residents->written;
	while (*link != NULL)
	{
		struct lrd_geometry *geometry = *link;
		geometry->listed = has_more(geometry);
		link = geometry->listed ? &geometry->next : link;
		*link = geometry->listed ? *link : geometry->next;
	}
}

// --- The end ---

void lrd_geometry_free(lrd_residents *residents, lrd_mesh_row *mesh)
{
	struct lrd_geometry *geometry = mesh->geometry;
	mesh->geometry = NULL;
	lrd_key_map_remove(&residents->geometry, geometry->desc.key);
	struct lrd_geometry **link = &residents->written;
	while (geometry->listed && *link != geometry)
	{
		link = &(*link)->next;
	}
	if (geometry->listed)
	{
		*link = geometry->next;
	}
	set_dirty(residents, geometry, 0, 0);
	end_reservation(residents, geometry);
	lrd_free(residents->allocator, geometry->content, geometry->content != NULL ? (size_t)geometry->desc.size : 0);
	lrd_free(residents->allocator, geometry, sizeof *geometry);
}
