// gpu/fallback.c: what slots sample until their image is there: for each role an image of one texel.

#include "gpu/gpu.h"

#include "base/error.h"

#define TEXEL_BYTES 4u

static const struct
{
	const char *name;
	uint8_t texel[TEXEL_BYTES];
	uint32_t faces;
} fallbacks[LRD_ROLE_COUNT] = {
	[LRD_ROLE_COLOR] = { "fallback white", { 255, 255, 255, 255 }, 1 },
	[LRD_ROLE_DATA] = { "fallback data", { 255, 255, 255, 255 }, 1 },
	[LRD_ROLE_NORMAL] = { "fallback normal", { 128, 128, 255, 255 }, 1 },
	[LRD_ROLE_EMISSIVE] = { "fallback black", { 0, 0, 0, 255 }, 1 },
	[LRD_ROLE_GREY] = { "fallback grey", { 128, 128, 128, 255 }, 1 },
	[LRD_ROLE_CUBE] = { "fallback cube", { 0, 0, 0, 255 }, 6 },
};

static bool make(lrd_residents *residents, uint32_t role, lrd_error *error)
{
	lrd_fallback *fallback = &residents->fallbacks[role];
	const lrd_gpu *gpu = &residents->gpu;
	fallback->image = lrd_alloc_zeroed(residents->allocator, 1, sizeof *fallback->image);
	if (fallback->image == NULL)
	{
		return lrd_fail_memory(error, "a fallback texture", sizeof *fallback->image);
	}
	uint32_t faces = fallbacks[role].faces;
	const lrd_gpu_texture_desc desc = { fallbacks[role].name, LRD_TEXTURE_RGBA8_UNORM, 1, 1, 1, 1, faces, 1, false,
		{ LRD_WRAP_REPEAT, LRD_WRAP_REPEAT, LRD_FILTER_LINEAR } };
	fallback->image->bytes = (uint64_t)faces * TEXEL_BYTES;
	lrd_gpu_staging staging;
	if (!lrd_image_create(residents, fallback->image, &desc, NULL, error))
	{
		return false;
	}
	if (!gpu->stage(gpu->user, fallback->image->bytes, &staging))
	{
		return lrd_fail(error, LRD_ERROR_LIMIT, "the device has no staging memory for %llu bytes",
			(unsigned long long)fallback->image->bytes);
	}
	for (uint32_t face = 0; face < faces; face++)
	{
		memcpy((uint8_t *)staging.data + (size_t)face * TEXEL_BYTES, fallbacks[role].texel, TEXEL_BYTES);
	}
	gpu->copy_texture(gpu->user,
		&(lrd_gpu_texture_copy){
			.texture = fallback->image->object, .level = 0, .offset = staging.offset, .size = fallback->image->bytes });
	return true;
}

bool lrd_fallbacks_make(lrd_residents *residents, lrd_error *error)
{
	uint32_t made = 0;
	while (made < LRD_ROLE_COUNT && make(residents, made, error))
	{
		made++;
	}
	uint64_t value = lrd_residents_submit(residents); // also when one failed: copies of the others are recorded
	for (uint32_t role = 0; role < made; role++)
	{
		residents->fallbacks[role].image->copied = value;
	}
	return made == LRD_ROLE_COUNT && (value != 0 || lrd_fail(error, LRD_ERROR_IO, "the device is lost"));
}

void lrd_fallbacks_update(lrd_residents *residents)
{
	if (residents->fallbacks_bound || residents->copied < residents->fallbacks[0].image->copied)
	{
		return;
	}
	residents->fallbacks_bound = true;
	for (uint32_t slot = 0; slot < residents->textures.count; slot++)
	{
		lrd_row *row = lrd_table_at(&residents->textures, slot);
		if (row != NULL)
		{
			lrd_texture_bind(residents, (lrd_texture_row *)row);
		}
	}
}

lrd_gpu_object lrd_fallback_of(const lrd_residents *residents, lrd_texture_role role)
{
	return residents->fallbacks_bound ? residents->fallbacks[role].image->object : 0;
}

void lrd_fallbacks_free(lrd_residents *residents)
{
	for (uint32_t role = 0; role < LRD_ROLE_COUNT; role++)
	{
		if (residents->fallbacks[role].image != NULL)
		{
			lrd_image_destroy(residents, residents->fallbacks[role].image);
		}
		residents->fallbacks[role] = (lrd_fallback){ 0 };
	}
}
