// gpu/vulkan/objects.c: textures and meshes by numbers: an index and, above it, how often the index was used before, so that a number
// that is out of date finds nothing.

#include "gpu/vulkan/gpu.h"

#include "base/error.h"

#define INDEX_BITS 32

static lrd_vk_object *row(const lrd_vk_table *table, size_t size, uint32_t index)
{
	return (lrd_vk_object *)(void *)((uint8_t *)table->items + index * size);
}

/// Room for one more, by half again.
static bool grow(lrd_gpu_vulkan *gpu, lrd_vk_table *table, size_t size, lrd_error *error)
{
	size_t capacity = table->capacity < 32 ? 64 : table->capacity + table->capacity / 2;
	size_t bytes = 0;
	if (capacity >= LRD_VK_NONE || !lrd_mul_size(capacity, size, &bytes))
	{
		return lrd_fail(error, LRD_ERROR_LIMIT, "too many textures or meshes");
	}
	void *items = lrd_realloc(gpu->allocator, table->items, table->capacity * size, bytes);
	if (items == NULL)
	{
		return lrd_fail_memory(error, "textures and meshes of a GPU", bytes);
	}
	table->items = items;
	table->capacity = capacity;
	return true;
}

void *lrd_vk_table_add(lrd_gpu_vulkan *gpu, lrd_vk_table *table, size_t size, lrd_gpu_object *number, lrd_error *error)
{
	uint32_t index = table->free;
	uint32_t generation = 1;
	if (index != LRD_VK_NONE)
	{
		table->free = row(table, size, index)->next;
		generation = row(table, size, index)->generation;
	}
	else
	{
		if (table->count == table->capacity && !grow(gpu, table, size, error))
		{
			return NULL;
		}
		index = (uint32_t)table->count++;
	}
	lrd_vk_object *object = row(table, size, index);
	memset(object, 0, size);
	object->generation = generation;
	object->next = LRD_VK_NONE;
	object->used = true;
	++table->alive;
	*number = (lrd_gpu_object)generation << INDEX_BITS | index;
	return object;
}

void *lrd_vk_table_find(const lrd_vk_table *table, size_t size, lrd_gpu_object number)
{
	uint32_t index = (uint32_t)number;
	if (index >= table->count)
	{
		return NULL;
	}
	lrd_vk_object *object = row(table, size, index);
	return object->used && !object->doomed && object->generation == (uint32_t)(number >> INDEX_BITS) ? object : NULL;
}

void lrd_vk_table_remove(lrd_vk_table *table, size_t size, uint32_t index)
{
	lrd_vk_object *object = row(table, size, index);
	object->used = false;
	object->doomed = false;
	object->next = table->free;
	object->generation = object->generation == UINT32_MAX ? 1 : object->generation + 1; // 0 would make the number 0
	table->free = index;
	--table->alive;
}

lrd_vk_texture *lrd_vk_texture_at(const lrd_gpu_vulkan *gpu, uint32_t index)
{
	return (lrd_vk_texture *)(void *)row(&gpu->textures, sizeof(lrd_vk_texture), index);
}

lrd_vk_mesh *lrd_vk_mesh_at(const lrd_gpu_vulkan *gpu, uint32_t index)
{
	return (lrd_vk_mesh *)(void *)row(&gpu->meshes, sizeof(lrd_vk_mesh), index);
}

lrd_vk_texture *lrd_vk_find_texture(const lrd_gpu_vulkan *gpu, lrd_gpu_object texture)
{
	return lrd_vk_table_find(&gpu->textures, sizeof(lrd_vk_texture), texture);
}

lrd_vk_mesh *lrd_vk_find_mesh(const lrd_gpu_vulkan *gpu, lrd_gpu_object mesh)
{
	return lrd_vk_table_find(&gpu->meshes, sizeof(lrd_vk_mesh), mesh);
}

static void free_texture(lrd_gpu_vulkan *gpu, uint32_t index)
{
	lrd_vk_texture *texture = lrd_vk_texture_at(gpu, index);
	gpu->vk.DestroyImageView(gpu->context.device, texture->view, NULL);
	gpu->vk.DestroyImage(gpu->context.device, texture->image, NULL);
	lrd_vk_memory_give(gpu, &texture->object.place);
	lrd_vk_table_remove(&gpu->textures, sizeof *texture, index);
}

static void free_mesh(lrd_gpu_vulkan *gpu, uint32_t index)
{
	lrd_vk_mesh *mesh = lrd_vk_mesh_at(gpu, index);
	lrd_vk_memory_give(gpu, &mesh->object.place);
	lrd_vk_table_remove(&gpu->meshes, sizeof *mesh, index);
}

/// The GPU has copies into it that it is not through with. Nobody can say that of a device that is lost: it keeps what flew.
static bool flies(const lrd_gpu_vulkan *gpu, const lrd_vk_object *object)
{
	return object->flown > gpu->copies.completed;
}

static void doom(lrd_vk_table *table, lrd_vk_object *object, uint32_t index)
{
	object->doomed = true;
	object->next = table->doomed;
	table->doomed = index;
}

void lrd_vk_destroy_texture(lrd_gpu_vulkan *gpu, lrd_gpu_object number)
{
	lrd_vk_texture *texture = lrd_vk_find_texture(gpu, number);
	if (texture == NULL)
	{
		lrd_vk_refuse(gpu, "a texture was destroyed that is not there");
		return;
	}
	lrd_vk_drop_copies(gpu, false, (uint32_t)number);
	if (flies(gpu, &texture->object))
	{
		doom(&gpu->textures, &texture->object, (uint32_t)number);
		return;
	}
	free_texture(gpu, (uint32_t)number);
}

void lrd_vk_destroy_mesh(lrd_gpu_vulkan *gpu, lrd_gpu_object number)
{
	lrd_vk_mesh *mesh = lrd_vk_find_mesh(gpu, number);
	if (mesh == NULL)
	{
		lrd_vk_refuse(gpu, "a mesh was destroyed that is not there");
		return;
	}
	lrd_vk_drop_copies(gpu, true, (uint32_t)number);
	if (flies(gpu, &mesh->object))
	{
		doom(&gpu->meshes, &mesh->object, (uint32_t)number);
		return;
	}
	free_mesh(gpu, (uint32_t)number);
}

static void sweep_table(lrd_gpu_vulkan *gpu, lrd_vk_table *table, size_t size,
	void (*free_object)(lrd_gpu_vulkan *gpu, uint32_t index), bool all)
{
	uint32_t index = table->doomed;
	table->doomed = LRD_VK_NONE;
	while (index != LRD_VK_NONE)
	{
		lrd_vk_object *object = row(table, size, index);
		uint32_t next = object->next;
		if (all || !flies(gpu, object))
		{
			free_object(gpu, index);
		}
		else
		{
			doom(table, object, index);
		}
		index = next;
	}
}

void lrd_vk_sweep(lrd_gpu_vulkan *gpu, bool all)
{
	sweep_table(gpu, &gpu->textures, sizeof(lrd_vk_texture), free_texture, all);
	sweep_table(gpu, &gpu->meshes, sizeof(lrd_vk_mesh), free_mesh, all);
}

void lrd_vk_free_objects(lrd_gpu_vulkan *gpu)
{
	lrd_vk_sweep(gpu, true);
	for (uint32_t i = 0; i < gpu->textures.count; ++i)
	{
		if (lrd_vk_texture_at(gpu, i)->object.used)
		{
			free_texture(gpu, i);
		}
	}
	for (uint32_t i = 0; i < gpu->meshes.count; ++i)
	{
		if (lrd_vk_mesh_at(gpu, i)->object.used)
		{
			free_mesh(gpu, i);
		}
	}
	lrd_free(gpu->allocator, gpu->textures.items, gpu->textures.capacity * sizeof(lrd_vk_texture));
	lrd_free(gpu->allocator, gpu->meshes.items, gpu->meshes.capacity * sizeof(lrd_vk_mesh));
}

lrd_gpu_object lrd_vk_create_mesh(lrd_gpu_vulkan *gpu, const lrd_gpu_mesh_desc *desc, lrd_error *error)
{
	if (gpu->lost)
	{
		lrd_vk_gpu_fail(gpu, error, VK_ERROR_DEVICE_LOST, "make a mesh");
		return 0;
	}
	if (desc->size == 0)
	{
		lrd_fail(error, LRD_ERROR_ARGUMENT, "a mesh of no bytes");
		return 0;
	}
	lrd_vk_place place;
	if (!lrd_vk_memory_buffer(gpu, desc->size, &place, error))
	{
		return 0;
	}
	lrd_gpu_object number = 0;
	lrd_vk_mesh *mesh = lrd_vk_table_add(gpu, &gpu->meshes, sizeof *mesh, &number, error);
	if (mesh == NULL)
	{
		lrd_vk_memory_give(gpu, &place);
		return 0;
	}
	mesh->object.place = place;
	mesh->buffer = place.block->buffer;
	mesh->size = desc->size;
	mesh->dynamic = desc->dynamic;
	if (place.block->dedicated)
	{
		lrd_vk_set_name(gpu, VK_OBJECT_TYPE_BUFFER, (uint64_t)(uintptr_t)mesh->buffer, desc->name);
	}
	return number;
}
