// gpu/material.c: materials: what a shader needs of one, copied, with its textures' slots, which the row holds.

#include "gpu/gpu.h"

#include "base/error.h"

static lrd_material_row *material_at(const lrd_residents *residents, uint32_t index)
{
	lrd_row *row = lrd_table_at(&residents->materials, index);
	return row != NULL && row->references != 0 ? (lrd_material_row *)row : NULL;
}

static lrd_texture_role role_of(uint32_t slot)
{
	switch (slot)
	{
	case LRD_SLOT_BASE_COLOR:
	case LRD_SLOT_SHEEN_COLOR:
	case LRD_SLOT_SPECULAR_COLOR: return LRD_ROLE_COLOR;
	case LRD_SLOT_NORMAL:
	case LRD_SLOT_CLEARCOAT_NORMAL: return LRD_ROLE_NORMAL;
	case LRD_SLOT_EMISSIVE: return LRD_ROLE_EMISSIVE;
	default: return LRD_ROLE_DATA;
	}
}

static void release_textures(lrd_residents *residents, const uint32_t slots[LRD_SLOT_COUNT])
{
	for (uint32_t slot = 0; slot < LRD_SLOT_COUNT; slot++)
	{
		if (slots[slot] != LRD_GPU_NO_SLOT)
		{
			lrd_residents_release_texture(residents, slots[slot]);
		}
	}
}

static void empty(uint32_t slots[LRD_SLOT_COUNT])
{
	for (uint32_t slot = 0; slot < LRD_SLOT_COUNT; slot++)
	{
		slots[slot] = LRD_GPU_NO_SLOT;
	}
}

uint32_t lrd_residents_retain_material(lrd_residents *residents, lrd_asset material, lrd_error *error)
{
	bool is_new = false;
	lrd_row *row = lrd_row_retain(residents, &residents->materials, material, LRD_MATERIAL, &is_new, error);
	if (row == NULL)
	{
		return LRD_GPU_NO_SLOT;
	}
	if (is_new)
	{
		lrd_material_row *made = (lrd_material_row *)row;
		made->params = lrd_material_default_params();
		made->info.asset = material;
		made->info.params = &made->params;
		made->info.revision = 1;
		empty(made->info.slots);
		for (uint32_t slot = 0; slot < LRD_SLOT_COUNT; slot++)
		{
			made->info.textures[slot].uv_scale[0] = made->info.textures[slot].uv_scale[1] = 1.0f;
		}
	}
	return row->index;
}

void lrd_residents_release_material(lrd_residents *residents, uint32_t index)
{
	lrd_material_row *material = material_at(residents, index);
	if (material != NULL && --material->row.references == 0)
	{
		lrd_row_list(residents, &material->row);
	}
}

const lrd_resident_material *lrd_residents_get_material(const lrd_residents *residents, uint32_t index)
{
	const lrd_material_row *material = material_at(residents, index);
	return material != NULL ? &material->info : NULL;
}

uint32_t lrd_residents_material_count(const lrd_residents *residents)
{
	return residents->materials.count;
}

void lrd_material_end(lrd_residents *residents, lrd_row *row)
{
	lrd_material_row *material = (lrd_material_row *)row;
	release_textures(residents, material->info.slots);
	empty(material->info.slots);
}

// --- Taking a payload in ---

// False: memory ran out, and nothing is held.
static bool retain_textures(
	lrd_residents *residents, const lrd_material *payload, lrd_asset asset, uint32_t slots[LRD_SLOT_COUNT])
{
	empty(slots);
	for (uint32_t slot = 0; slot < LRD_SLOT_COUNT; slot++)
	{
		lrd_error error = { 0 };
		if (payload->textures[slot].generation == 0)
		{
			continue;
		}
		slots[slot] = lrd_residents_retain_texture(residents, payload->textures[slot], role_of(slot), &error);
		if (slots[slot] != LRD_GPU_NO_SLOT)
		{
			lrd_texture_bind(residents, (lrd_texture_row *)lrd_table_at(&residents->textures, slots[slot]));
		}
		else if (error.code == LRD_ERROR_MEMORY)
		{
			release_textures(residents, slots);
			return false;
		}
		else
		{
			lrd_residents_warn(residents, asset, "without its texture for %s: %s",
				lrd_material_slot_name((lrd_material_slot)slot), error.message);
		}
	}
	return true;
}

lrd_begun lrd_material_begin(lrd_residents *residents, lrd_row *row, lrd_error *error)
{
	(void)error;
	lrd_material_row *material = (lrd_material_row *)row;
	uint32_t generation = lrd_asset_generation(residents->store, row->asset);
	const lrd_material *payload = lrd_material_get(residents->store, row->asset);
	uint32_t slots[LRD_SLOT_COUNT];
	// Slots that are handed out sample something: so not before the fallbacks are there.
	if (payload == NULL || !residents->fallbacks_bound || !retain_textures(residents, payload, row->asset, slots))
	{
		return LRD_BEGUN_LATER;
	}
	release_textures(residents, material->info.slots);
	memcpy(material->info.slots, slots, sizeof slots);
	memcpy(material->info.textures, payload->view.textures, sizeof material->info.textures);
	material->params = *payload->view.params;
	material->info.alpha_mode = payload->view.alpha_mode;
	material->info.flags = payload->view.flags;
	material->info.alpha_cutoff = payload->view.alpha_cutoff;
	material->info.revision++;
	material->info.ready = true;
	row->payload = generation;
	row->there = true;
	lrd_row_settle(residents, row);
	row->stale = false;
	row->failed = false;
	lrd_hold_renew(&row->hold);
	lrd_hold_end(&row->hold);
	lrd_users_tell(residents, row);
	return LRD_BEGUN;
}
