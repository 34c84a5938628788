// The references that a cooked file makes to others: what a manifest lists, and what validation follows.

#include "cook/manifest.h"

#include "base/error.h"
#include "base/hash.h"
#include "larder/clip.h"
#include "larder/material.h"
#include "larder/mesh.h"
#include "larder/model.h"
#include "larder/skeleton.h"
#include "larder/texture.h"

typedef struct collector
{
	lrd_arena *arena;
	lrd_reference *items;
	uint32_t count;
	lrd_error *error;
} collector;

static bool begin(collector *self, size_t most)
{
	self->items = most > UINT32_MAX ? NULL : LRD_ARENA_ARRAY(self->arena, lrd_reference, most + 1);
	return self->items != NULL || lrd_fail_memory(self->error, "references", most * sizeof *self->items);
}

/// Add, unless empty. Doubles are taken out at the end.
static void add(collector *self, lrd_kind kind, lrd_string stem)
{
	if (stem.size != 0)
	{
		self->items[self->count++] = (lrd_reference){ kind, stem };
	}
}

static bool from_mesh(collector *self, const void *bytes, size_t size)
{
	lrd_mesh_view mesh;
	if (!lrd_mesh_open(bytes, size, &mesh, self->error) || !begin(self, 1))
	{
		return false;
	}
	add(self, LRD_MATERIAL, mesh.material);
	return true;
}

static bool from_material(collector *self, const void *bytes, size_t size)
{
	lrd_material_view material;
	if (!lrd_material_open(bytes, size, &material, self->error) || !begin(self, LRD_SLOT_COUNT))
	{
		return false;
	}
	for (lrd_material_slot slot = 0; slot < LRD_SLOT_COUNT; ++slot)
	{
		add(self, LRD_TEXTURE, lrd_material_texture_stem(&material, slot));
	}
	return true;
}

static bool from_model(collector *self, const void *bytes, size_t size)
{
	lrd_model_view model;
	if (!lrd_model_open(bytes, size, &model, self->error) ||
		!begin(self,
			(size_t)model.part_count + model.material_count + model.clip_count + (size_t)model.skeleton_count + 1))
	{
		return false;
	}
	for (uint32_t i = 0; i < model.part_count; ++i)
	{
		add(self, LRD_MESH, lrd_model_text(&model, model.parts[i].mesh));
	}
	for (uint32_t i = 0; i < model.material_count; ++i)
	{
		add(self, LRD_MATERIAL, lrd_model_text(&model, model.materials[i].stem));
	}
	for (uint32_t i = 0; i < model.skeleton_count; ++i)
	{
		add(self, LRD_SKELETON, lrd_model_text(&model, model.skeletons[i].stem));
	}
	for (uint32_t i = 0; i < model.clip_count; ++i)
	{
		add(self, LRD_CLIP, lrd_model_text(&model, model.clips[i].stem));
	}
	add(self, LRD_COLLISION, model.collision);
	return true;
}

static bool without_references(collector *self, lrd_kind kind, const void *bytes, size_t size)
{
	union
	{
		lrd_skeleton_view skeleton;
		lrd_clip_view clip;
		lrd_texture_view texture;
	} view;
	bool sound = kind == LRD_SKELETON ? lrd_skeleton_open(bytes, size, &view.skeleton, self->error)
				 : kind == LRD_CLIP   ? lrd_clip_open(bytes, size, &view.clip, self->error)
									  : lrd_texture_open(bytes, size, &view.texture, self->error);
	return sound && begin(self, 0);
}

/// Keep the first of each.
static bool drop_doubles(collector *self)
{
	size_t slot_count = 16;
	while (slot_count < (size_t)self->count * 2)
	{
		slot_count *= 2;
	}
	lrd_reference **slots = LRD_ARENA_ARRAY(self->arena, lrd_reference *, slot_count);
	if (slots == NULL)
	{
		return lrd_fail_memory(self->error, "references", slot_count * sizeof *slots);
	}
	uint32_t kept = 0;
	for (uint32_t i = 0; i < self->count; ++i)
	{
		lrd_reference reference = self->items[i];
		size_t at = (size_t)lrd_fnv1a_64(reference.stem) & (slot_count - 1);
		while (slots[at] != NULL &&
			   !(slots[at]->kind == reference.kind && lrd_string_equal(slots[at]->stem, reference.stem)))
		{
			at = (at + 1) & (slot_count - 1);
		}
		if (slots[at] == NULL)
		{
			self->items[kept] = reference;
			slots[at] = &self->items[kept++];
		}
	}
	self->count = kept;
	return true;
}

bool lrd_cooked_references(lrd_arena *arena, lrd_kind kind, const void *bytes, size_t size,
	const lrd_reference **references, uint32_t *count, lrd_error *error)
{
	collector self = { .arena = arena, .error = error };
	bool good = false;
	switch (kind)
	{
	case LRD_MESH: good = from_mesh(&self, bytes, size); break;
	case LRD_MATERIAL: good = from_material(&self, bytes, size); break;
	case LRD_MODEL: good = from_model(&self, bytes, size); break;
	case LRD_SKELETON:
	case LRD_CLIP:
	case LRD_TEXTURE: good = without_references(&self, kind, bytes, size); break;
	default:
		return lrd_fail(error, LRD_ERROR_UNSUPPORTED, "%s files are not known to this larder", lrd_kind_name(kind));
	}
	good = good && drop_doubles(&self);
	*references = self.items;
	*count = good ? self.count : 0;
	return good;
}
