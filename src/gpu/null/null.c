// gpu/null/null.c: a GPU in plain memory, as fast, as slow, as small and as faulty as it is told to be. It keeps what is copied to
// it, so that tests can look, and notices what a real one would not survive.

#include "larder/gpu.h"

#include "base/error.h"
#include "format/texture.h"
#include "os/os.h"

#define STAGING_DEFAULT (64ull << 20)
#define TEXTURE_SIZE_DEFAULT 16384u
#define SLOTS_DEFAULT 65536u
#define STAGING_ALIGNMENT 16u
#define DEPTH_MOST 2048u
#define LAYERS_MOST 2048u

/// An image or a buffer. Its number is its index + 1, and the generation above it.
typedef struct null_object
{
	lrd_gpu_texture_desc texture; ///< level_count 0: it is a mesh
	uint8_t *data;
	uint64_t size;
	uint64_t level_offset[LRD_TEXTURE_MAX_LEVELS + 1];
	uint64_t copied; ///< the submit that its last copy is in; 0: none
	uint32_t generation;
	uint32_t written; ///< levels that were copied to, a bit each
	uint32_t open;    ///< level that comes in bands
	uint64_t opened;  ///< bytes of it that have come; 0: no level is open
	uint32_t bound;   ///< slots that sample it
	size_t next_free; ///< index + 1, of one that is not alive
	bool alive;
} null_object;

typedef struct null_submit
{
	uint32_t polls;   ///< calls of `completed` left
	uint64_t done_ns; ///< when its copies are through
	uint64_t staged;  ///< bytes of staging it gives back
} null_submit;

struct lrd_gpu_null
{
	lrd_gpu_null_desc desc;
	lrd_allocator allocator;
	null_object *objects;
	size_t object_count;
	size_t object_capacity;
	size_t free_first;     ///< index + 1; 0: none
	lrd_gpu_object *slots; ///< desc.texture_slots
	uint32_t unbound;      ///< slots that sample nothing
	uint8_t *staging;      ///< a ring
	uint64_t staging_head; ///< next byte to give out
	uint64_t staging_used;
	uint64_t staging_begin; ///< of what was staged since the last submit
	uint64_t staged;        ///< bytes of that, with what was skipped at the end of the ring
	null_submit *submits;   ///< those that are not done, the oldest first
	size_t submit_count;
	size_t submit_capacity;
	uint64_t submitted; ///< values
	uint64_t done;
	uint64_t copying_bytes; ///< since the last submit
	uint64_t busy_until_ns;
	uint64_t budget;
	uint32_t fail_after;
	uint32_t fail_count;
	lrd_error_code fail_code;
	bool lost;
	lrd_gpu_null_stats stats;
};

static lrd_gpu_object number_of(const lrd_gpu_null *device, size_t index)
{
	return (uint64_t)device->objects[index].generation << 32 | (index + 1);
}

static null_object *object_of(const lrd_gpu_null *device, lrd_gpu_object number)
{
	uint64_t index = (number & 0xffffffffu) - 1;
	null_object *object = index < device->object_count ? &device->objects[index] : NULL;
	return object != NULL && object->alive && object->generation == (uint32_t)(number >> 32) ? object : NULL;
}

static void misuse(lrd_gpu_null *device)
{
	device->stats.misuses++;
}

static void pass_time(uint64_t ns)
{
	for (uint64_t end = lrd_clock_ns() + ns; ns != 0 && lrd_clock_ns() < end;)
	{
	}
}

// One of the failures that were asked for.
static bool fails(lrd_gpu_null *device, lrd_error_code *code)
{
	if (device->fail_count == 0)
	{
		return false;
	}
	if (device->fail_after != 0)
	{
		device->fail_after--;
		return false;
	}
	device->fail_count--;
	*code = device->fail_code;
	device->lost = device->lost || device->fail_code == LRD_ERROR_IO;
	return true;
}

// --- Making and freeing ---

static uint64_t extent(uint32_t base, uint32_t level)
{
	uint64_t size = base >> level;
	return size != 0 ? size : 1;
}

// Where each level begins; false: a format that has no size.
static bool lay_out(null_object *object)
{
	const lrd_gpu_texture_desc *desc = &object->texture;
	const lrd_texture_format_row *row = lrd_texture_format_find(desc->format);
	if (row == NULL)
	{
		return false;
	}
	uint64_t at = 0;
	for (uint32_t level = 0; level < desc->level_count; level++)
	{
		object->level_offset[level] = at;
		uint64_t columns = (extent(desc->width, level) + row->block_width - 1) / row->block_width;
		uint64_t rows = (extent(desc->height, level) + row->block_height - 1) / row->block_height;
		uint64_t slices = extent(desc->depth, level) * desc->layer_count * desc->face_count;
		at += columns * rows * slices * row->block_bytes;
	}
	object->level_offset[desc->level_count] = at;
	object->size = at;
	return true;
}

static bool may_make(lrd_gpu_null *device, uint64_t size, lrd_error *error)
{
	lrd_error_code code = LRD_OK;
	if (fails(device, &code) || device->lost)
	{
		return lrd_fail(error, device->lost ? LRD_ERROR_IO : code, "null device: as it was told to");
	}
	if (device->desc.memory != 0 && size > device->desc.memory - device->stats.memory_used)
	{
		return lrd_fail(error, LRD_ERROR_MEMORY, "null device: %llu bytes more than its %llu", (unsigned long long)size,
			(unsigned long long)device->desc.memory);
	}
	pass_time(device->desc.create_ns);
	return true;
}

static size_t free_place(lrd_gpu_null *device)
{
	if (device->free_first != 0)
	{
		size_t index = device->free_first - 1;
		device->free_first = device->objects[index].next_free;
		return index;
	}
	if (!LRD_RESERVE(device->allocator, device->objects, device->object_count, 1, device->object_capacity))
	{
		return SIZE_MAX;
	}
	device->objects[device->object_count] = (null_object){ 0 };
	return device->object_count++;
}

static lrd_gpu_object keep(lrd_gpu_null *device, null_object *made, lrd_error *error)
{
	made->data = lrd_alloc(device->allocator, (size_t)made->size); // undefined until copied, as on any device
	size_t index = made->data != NULL ? free_place(device) : SIZE_MAX;
	if (index == SIZE_MAX)
	{
		lrd_free(device->allocator, made->data, (size_t)made->size);
		lrd_fail_memory(error, "a null device's object", (size_t)made->size);
		return 0;
	}
	made->generation = device->objects[index].generation + 1;
	made->alive = true;
	device->objects[index] = *made;
	device->stats.memory_used += made->size;
	device->stats.creates++;
	*(made->texture.level_count != 0 ? &device->stats.textures : &device->stats.meshes) += 1;
	return number_of(device, index);
}

static lrd_gpu_object create_texture(void *user, const lrd_gpu_texture_desc *desc, lrd_error *error)
{
	lrd_gpu_null *device = user;
	uint32_t largest = desc->width > desc->height ? desc->width : desc->height;
	null_object made = { .texture = *desc };
	made.texture.name = NULL;
	bool is_empty = desc->width == 0 || desc->height == 0 || desc->depth == 0 || desc->layer_count == 0 ||
					(desc->face_count != 1 && desc->face_count != 6);
	if (is_empty || largest > device->desc.max_texture_size || desc->depth > DEPTH_MOST ||
		desc->layer_count > LAYERS_MOST || desc->level_count == 0 || desc->level_count > LRD_TEXTURE_MAX_LEVELS)
	{
		misuse(device);
		lrd_fail(error, LRD_ERROR_LIMIT, "null device: a texture of %u x %u with %u levels", desc->width, desc->height,
			desc->level_count);
		return 0;
	}
	if ((device->desc.has_format != NULL && !device->desc.has_format(device->desc.user, desc->format)) ||
		!lay_out(&made))
	{
		misuse(device);
		lrd_fail(error, LRD_ERROR_UNSUPPORTED, "null device: no format %u", desc->format);
		return 0;
	}
	return may_make(device, made.size, error) ? keep(device, &made, error) : 0;
}

static lrd_gpu_object create_mesh(void *user, const lrd_gpu_mesh_desc *desc, lrd_error *error)
{
	lrd_gpu_null *device = user;
	null_object made = { .size = desc->size };
	if (desc->size == 0)
	{
		misuse(device);
		lrd_fail(error, LRD_ERROR_ARGUMENT, "null device: a mesh of no bytes");
		return 0;
	}
	return may_make(device, made.size, error) ? keep(device, &made, error) : 0;
}

static void destroy(lrd_gpu_null *device, lrd_gpu_object number, bool texture)
{
	null_object *object = object_of(device, number);
	// What is still being copied to, or can be sampled, is not to be freed.
	bool used = object != NULL && !device->lost && (object->copied > device->done || object->bound != 0);
	if (object == NULL || used || (object->texture.level_count != 0) != texture)
	{
		misuse(device);
		return;
	}
	lrd_free(device->allocator, object->data, (size_t)object->size);
	object->alive = false;
	object->next_free = device->free_first;
	device->free_first = (size_t)(number & 0xffffffffu);
	device->stats.memory_used -= object->size;
	device->stats.destroys++;
	*(texture ? &device->stats.textures : &device->stats.meshes) -= 1;
}

static void destroy_texture(void *user, lrd_gpu_object texture)
{
	destroy(user, texture, true);
}

static void destroy_mesh(void *user, lrd_gpu_object mesh)
{
	destroy(user, mesh, false);
}

static void bind_texture(void *user, uint32_t slot, lrd_gpu_object texture)
{
	lrd_gpu_null *device = user;
	null_object *object = object_of(device, texture);
	bool whole =
		texture == 0 || (object != NULL && object->texture.level_count != 0 && object->copied <= device->done &&
							object->written == (uint32_t)((1ull << object->texture.level_count) - 1));
	if (slot >= device->desc.texture_slots || (!whole && !device->lost))
	{
		misuse(device);
		return;
	}
	null_object *old = object_of(device, device->slots[slot]);
	device->slots[slot] = texture;
	*(old != NULL ? &old->bound : &device->unbound) -= 1;
	*(object != NULL ? &object->bound : &device->unbound) += 1;
}

// --- Copies ---

static bool stage(void *user, uint64_t size, lrd_gpu_staging *staging)
{
	lrd_gpu_null *device = user;
	lrd_error_code code = LRD_OK;
	uint64_t whole = device->desc.staging_size;
	uint64_t rounded = (size + STAGING_ALIGNMENT - 1) / STAGING_ALIGNMENT * STAGING_ALIGNMENT;
	if (rounded > whole)
	{
		misuse(device);
		return false;
	}
	if (device->staging_used == 0) // all of it is free, wherever the ring stands
	{
		device->staging_head = device->staging_begin = 0;
	}
	bool wraps = device->staging_head + rounded > whole;
	uint64_t skipped = wraps ? whole - device->staging_head : 0;
	if (fails(device, &code) || device->lost || device->staging_used + skipped + rounded > whole)
	{
		return false;
	}
	device->staging_head = wraps ? 0 : device->staging_head;
	*staging = (lrd_gpu_staging){ device->staging + device->staging_head, device->staging_head };
	device->staging_head += rounded;
	device->staging_used += skipped + rounded;
	device->staged += skipped + rounded;
	return true;
}

// It was staged since the last submit.
static bool is_staged(const lrd_gpu_null *device, uint64_t offset, uint64_t size)
{
	uint64_t whole = device->desc.staging_size;
	uint64_t from_begin = offset < whole ? (offset + whole - device->staging_begin) % whole : whole;
	return size <= whole && size <= whole - offset && from_begin + size <= device->staged;
}

// The copy is made when it is recorded; the object counts as unfinished until its submit is through.
static bool copy(lrd_gpu_null *device, null_object *object, uint64_t destination, uint64_t offset, uint64_t size)
{
	if (object == NULL || destination > object->size || size > object->size - destination ||
		!is_staged(device, offset, size))
	{
		misuse(device);
		return false;
	}
	memcpy(object->data + destination, device->staging + offset, (size_t)size);
	object->copied = device->submitted + 1;
	device->copying_bytes += size;
	device->stats.copies++;
	device->stats.copied_bytes += size;
	return true;
}

// Where a copy's bytes go in the level; false: it is not what comes next.
static bool find_band(const null_object *object, const lrd_gpu_texture_copy *what, uint64_t *at)
{
	const lrd_gpu_texture_desc *desc = &object->texture;
	uint64_t whole = object->level_offset[what->level + 1] - object->level_offset[what->level];
	*at = 0;
	if (what->slice_count == 0)
	{
		return object->opened == 0 && what->size == whole && what->row_count == 0;
	}
	const lrd_texture_format_row *format = lrd_texture_format_find(desc->format);
	uint64_t slices = extent(desc->depth, what->level) * desc->layer_count * desc->face_count;
	uint64_t rows = (extent(desc->height, what->level) + format->block_height - 1) / format->block_height;
	uint64_t row_bytes = whole / slices / rows;
	bool sound = (uint64_t)what->slice + what->slice_count <= slices && what->row_count != 0 &&
				 (uint64_t)what->row + what->row_count <= rows && (what->slice_count == 1 || what->row_count == rows);
	*at = (what->slice * rows + what->row) * row_bytes;
	return sound && what->size == row_bytes * what->row_count * what->slice_count && *at == object->opened &&
		   (object->opened == 0 || object->open == what->level);
}

static void copy_texture(void *user, const lrd_gpu_texture_copy *what)
{
	lrd_gpu_null *device = user;
	null_object *object = object_of(device, what->texture);
	uint64_t at = 0;
	bool fits = object != NULL && what->level < object->texture.level_count && find_band(object, what, &at);
	if (!copy(
			device, fits ? object : NULL, fits ? object->level_offset[what->level] + at : 0, what->offset, what->size))
	{
		return;
	}
	uint64_t end = object->level_offset[what->level] + at + what->size;
	object->open = what->level;
	object->opened = end != object->level_offset[what->level + 1] ? at + what->size : 0;
	object->written |= object->opened == 0 ? 1u << what->level : 0;
}

static void copy_mesh(void *user, const lrd_gpu_mesh_copy *what)
{
	lrd_gpu_null *device = user;
	null_object *object = object_of(device, what->mesh);
	bool is_mesh = object != NULL && object->texture.level_count == 0;
	(void)copy(device, is_mesh ? object : NULL, what->destination, what->offset, what->size);
}

static uint64_t submit(void *user)
{
	lrd_gpu_null *device = user;
	lrd_error_code code = LRD_OK;
	if ((device->fail_code == LRD_ERROR_IO && fails(device, &code)) || device->lost ||
		!LRD_RESERVE(device->allocator, device->submits, device->submit_count, 1, device->submit_capacity))
	{
		device->lost = true;
		return 0;
	}
	uint64_t now = device->desc.bandwidth != 0 ? lrd_clock_ns() : 0;
	uint64_t begin = device->busy_until_ns > now ? device->busy_until_ns : now;
	double seconds = device->desc.bandwidth != 0 ? (double)device->copying_bytes / (double)device->desc.bandwidth : 0.0;
	device->busy_until_ns = begin + (uint64_t)(seconds * 1e9);
	device->submits[device->submit_count++] =
		(null_submit){ device->desc.delay, device->busy_until_ns, device->staged };
	device->copying_bytes = 0;
	device->staged = 0;
	device->staging_begin = device->staging_head;
	device->stats.submits++;
	return ++device->submitted;
}

static uint64_t completed(void *user)
{
	lrd_gpu_null *device = user;
	if (device->lost)
	{
		return UINT64_MAX;
	}
	uint64_t now = device->desc.bandwidth != 0 ? lrd_clock_ns() : 0;
	while (device->submit_count != 0 && device->submits[0].polls == 0 && device->submits[0].done_ns <= now)
	{
		device->staging_used -= device->submits[0].staged;
		device->done++;
		device->submit_count--;
		memmove(device->submits, device->submits + 1, device->submit_count * sizeof *device->submits);
	}
	for (size_t i = 0; i < device->submit_count; i++)
	{
		device->submits[i].polls -= device->submits[i].polls != 0;
	}
	return device->done;
}

// --- The device ---

static void get_caps(void *user, lrd_gpu_caps *caps)
{
	const lrd_gpu_null *device = user;
	*caps = (lrd_gpu_caps){
		.max_texture_size = device->desc.max_texture_size,
		.max_cube_size = device->desc.max_texture_size,
		.max_depth = DEPTH_MOST,
		.max_layers = LAYERS_MOST,
		.texture_slots = device->desc.texture_slots,
		.staging_size = device->desc.staging_size,
		.memory_budget = device->budget,
		.memory_used = device->stats.memory_used,
	};
}

static bool has_format(void *user, uint32_t format)
{
	const lrd_gpu_null *device = user;
	return lrd_texture_format_find(format) != NULL &&
		   (device->desc.has_format == NULL || device->desc.has_format(device->desc.user, format));
}

lrd_gpu_null *lrd_gpu_null_create(const lrd_gpu_null_desc *desc, lrd_error *error)
{
	lrd_gpu_null_desc own = desc != NULL ? *desc : (lrd_gpu_null_desc){ 0 };
	own.staging_size = lrd_align_up(own.staging_size != 0 ? own.staging_size : STAGING_DEFAULT, STAGING_ALIGNMENT);
	own.max_texture_size = own.max_texture_size != 0 ? own.max_texture_size : TEXTURE_SIZE_DEFAULT;
	own.texture_slots = own.texture_slots != 0 ? own.texture_slots : SLOTS_DEFAULT;
	lrd_allocator allocator = lrd_allocator_or_default(own.allocator);
	lrd_gpu_null *device = lrd_alloc_zeroed(allocator, 1, sizeof *device);
	if (device == NULL)
	{
		lrd_fail_memory(error, "a null device", sizeof *device);
		return NULL;
	}
	device->desc = own;
	device->allocator = allocator;
	device->budget = own.memory;
	device->unbound = own.texture_slots;
	device->staging = lrd_alloc(allocator, (size_t)own.staging_size);
	device->slots = lrd_alloc_zeroed(allocator, own.texture_slots, sizeof *device->slots);
	if (device->staging == NULL || device->slots == NULL)
	{
		lrd_gpu_null_destroy(device);
		lrd_fail_memory(error, "a null device's staging memory", (size_t)own.staging_size);
		return NULL;
	}
	return device;
}

void lrd_gpu_null_destroy(lrd_gpu_null *device)
{
	if (device == NULL)
	{
		return;
	}
	for (size_t i = 0; i < device->object_count; i++)
	{
		if (device->objects[i].alive)
		{
			lrd_free(device->allocator, device->objects[i].data, (size_t)device->objects[i].size);
		}
	}
	lrd_free(device->allocator, device->objects, device->object_capacity * sizeof *device->objects);
	lrd_free(device->allocator, device->submits, device->submit_capacity * sizeof *device->submits);
	lrd_free(device->allocator, device->slots, device->desc.texture_slots * sizeof *device->slots);
	lrd_free(device->allocator, device->staging, (size_t)device->desc.staging_size);
	lrd_free(device->allocator, device, sizeof *device);
}

lrd_gpu lrd_gpu_null_interface(lrd_gpu_null *device)
{
	return (lrd_gpu){
		.user = device,
		.get_caps = get_caps,
		.has_format = has_format,
		.create_texture = create_texture,
		.create_mesh = create_mesh,
		.destroy_texture = destroy_texture,
		.destroy_mesh = destroy_mesh,
		.bind_texture = bind_texture,
		.stage = stage,
		.copy_texture = copy_texture,
		.copy_mesh = copy_mesh,
		.submit = submit,
		.completed = completed,
	};
}

void lrd_gpu_null_fail(lrd_gpu_null *device, uint32_t after, uint32_t count, lrd_error_code code)
{
	device->fail_after = after;
	device->fail_count = count;
	device->fail_code = code;
}

void lrd_gpu_null_set_budget(lrd_gpu_null *device, uint64_t budget)
{
	device->budget = budget;
}

void lrd_gpu_null_get_stats(const lrd_gpu_null *device, lrd_gpu_null_stats *stats)
{
	*stats = device->stats;
}

lrd_gpu_object lrd_gpu_null_bound(const lrd_gpu_null *device, uint32_t slot)
{
	return slot < device->desc.texture_slots ? device->slots[slot] : 0;
}

const void *lrd_gpu_null_texture(
	const lrd_gpu_null *device, lrd_gpu_object texture, uint32_t level, uint64_t *size, lrd_gpu_texture_desc *desc)
{
	const null_object *object = object_of(device, texture);
	if (object == NULL || level >= object->texture.level_count)
	{
		return NULL;
	}
	*size = object->level_offset[level + 1] - object->level_offset[level];
	if (desc != NULL)
	{
		*desc = object->texture;
	}
	return object->data + object->level_offset[level];
}

const void *lrd_gpu_null_mesh(const lrd_gpu_null *device, lrd_gpu_object mesh, uint64_t *size)
{
	const null_object *object = object_of(device, mesh);
	if (object == NULL || object->texture.level_count != 0)
	{
		return NULL;
	}
	*size = object->size;
	return object->data;
}
