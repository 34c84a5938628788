// Cubemaps: faces from a panorama, a cross, a strip or six images; levels for ever rougher surfaces; the harmonics of
// the light.

#include "cook/texture.h"

#include "base/error.h"
#include "image/half.h"
#include "image/harmonics.h"
#include "os/parallel.h"

// Rows of a face that one piece of work fills.
#define ROWS_AT_ONCE 8u

bool lrd_texture_is_cube_layout(uint32_t width, uint32_t height)
{
	return lrd_cube_layout_of(width, height) != LRD_CUBE_NONE;
}

/// Rows of every face of every level below the first.
typedef struct lobe_work
{
	const lrd_cube_lobes *lobes;
	lrd_cube *levels;
	uint32_t level_count;
} lobe_work;

static uint32_t face_pieces(uint32_t face_size)
{
	return (face_size + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE;
}

static void fill_rows(void *user, uint32_t index)
{
	const lobe_work *self = user;
	uint32_t level = 1;
	while (index >= 6 * face_pieces(self->levels[level].face_size))
	{
		index -= 6 * face_pieces(self->levels[level].face_size);
		level++;
	}
	uint32_t side = self->levels[level].face_size;
	uint32_t row = index % face_pieces(side) * ROWS_AT_ONCE;
	uint32_t end = row + ROWS_AT_ONCE < side ? row + ROWS_AT_ONCE : side;
	// Over the levels that there are: a renderer knows no others.
	float roughness = (float)level / (float)(self->level_count - 1);
	lrd_cube_lobes_rows(
		self->lobes, LRD_ISA_BEST, roughness, &self->levels[level], index / face_pieces(side), row, end);
}

/// Levels 1 and on; level 0 is the cube.
static bool prefilter(const lrd_texture_recipe *recipe, lrd_cube *levels, uint32_t level_count, lrd_error *error)
{
	lobe_work work = { .levels = levels, .level_count = level_count };
	uint32_t pieces = 0;
	for (uint32_t i = 1; i < level_count; ++i)
	{
		if (!lrd_cube_reserve(levels[0].face_size >> i, recipe->allocator, &levels[i], error))
		{
			return false;
		}
		pieces += 6 * face_pieces(levels[i].face_size);
	}
	if (level_count == 1)
	{
		return true;
	}
	lrd_cube_lobes *lobes = lrd_cube_lobes_open(&levels[0], recipe->allocator, error);
	if (lobes == NULL)
	{
		return false;
	}
	work.lobes = lobes;
	lrd_parallel(recipe->jobs, recipe->allocator, pieces, fill_rows, &work);
	lrd_cube_lobes_close(lobes);
	return true;
}

/// RGBA rows as the encoder wants them, opaque. Counts what the format can't hold.
static void store_texels(const float *from, size_t texels, bool half, bool color, void *to, uint64_t *clamped)
{
	uint16_t *halves = to;
	uint8_t *bytes = to;
	for (size_t i = 0; i < texels * 4; ++i)
	{
		bool alpha = i % 4 == 3;
		float most = half ? LRD_HALF_MAX : 1.0f;
		float value = alpha ? 1.0f : from[i];
		if (!(value >= 0.0f && value <= most))
		{
			++*clamped;
			value = value > most ? most : 0.0f;
		}
		if (half)
		{
			halves[i] = lrd_half_from_float(value);
		}
		else
		{
			bytes[i] = (uint8_t)((color && !alpha ? lrd_linear_to_srgb(value) : value) * 255.0f + 0.5f);
		}
	}
}

/// One allocation for every face of every level.
static bool store_levels(const lrd_texture_recipe *recipe, const lrd_texture_choice *choice, const lrd_cube *levels,
	lrd_surfaces *surfaces, void **room, size_t *room_size, uint64_t *clamped, lrd_error *error)
{
	size_t texel = choice->half ? 8 : 4;
	size_t size = 0;
	for (uint32_t i = 0; i < surfaces->level_count; ++i)
	{
		size += (size_t)6 * levels[i].face_size * levels[i].face_size * texel;
	}
	uint8_t *at = lrd_alloc(recipe->allocator, size);
	*room = at;
	*room_size = size;
	if (at == NULL)
	{
		return lrd_fail_memory(error, "cubemap", size);
	}
	for (uint32_t i = 0; i < surfaces->level_count; ++i)
	{
		size_t texels = (size_t)levels[i].face_size * levels[i].face_size;
		for (uint32_t face = 0; face < 6; ++face, at += texels * texel)
		{
			store_texels(lrd_cube_face(&levels[i], face), texels, choice->half, recipe->color, at, clamped);
			surfaces->items[i * 6 + face] = (lrd_surface){ levels[i].face_size, levels[i].face_size, at };
		}
	}
	return true;
}

static uint32_t count_levels(const lrd_texture_recipe *recipe, uint32_t face_size)
{
	const lrd_texture_settings *settings = recipe->settings;
	uint32_t limit = lrd_texture_wants_mips(recipe) ? lrd_cube_level_count(face_size) : 1;
	limit = settings->level_limit != 0 && settings->level_limit < limit ? settings->level_limit : limit;
	while (limit > 1 && face_size >> (limit - 1) < settings->min_size)
	{
		limit--;
	}
	return limit;
}

static bool write_levels(const lrd_texture_recipe *recipe, const lrd_cube *levels, uint32_t level_count,
	const lrd_harmonics *harmonics, lrd_buffer *out, lrd_texture_report *report, lrd_error *error)
{
	lrd_texture_choice choice = lrd_texture_choose(recipe, (lrd_texture_facts){ .hdr = true });
	lrd_texture_recipe own = *recipe;
	own.color = recipe->color && lrd_texture_encoding_has_srgb(choice.encoding) && !choice.half;
	lrd_surfaces surfaces = { .level_count = level_count, .face_count = 6 };
	lrd_texture_extras extras = { .harmonics = &harmonics->rgb[0][0] };
	void *room = NULL;
	size_t room_size = 0;
	bool good = store_levels(&own, &choice, levels, &surfaces, &room, &room_size, &report->clamped, error) &&
				lrd_texture_store(&own, &choice, &surfaces, &extras, out, report, error);
	lrd_free(recipe->allocator, room, room_size);
	return good;
}

bool lrd_texture_cook_cube(const lrd_texture_recipe *recipe, const lrd_image *images, uint32_t count, lrd_buffer *out,
	lrd_texture_report *report, lrd_error *error)
{
	lrd_cube levels[LRD_CUBE_LEVELS_MAX] = { 0 };
	lrd_harmonics harmonics;
	lrd_cube_desc desc = {
		.images = images,
		.image_count = count,
		.face_size = recipe->settings->face_size,
		.allocator = recipe->allocator,
	};
	uint32_t side;
	if (!lrd_cube_measure(&desc, &side, error))
	{
		return false;
	}
	uint32_t most = recipe->settings->max_size;
	desc.face_size = most != 0 && side > most ? most : side;
	bool good = lrd_cube_make(&desc, &levels[0], error);
	report->clamped = levels[0].clamped;
	uint32_t level_count = good ? count_levels(recipe, levels[0].face_size) : 0;
	good = good && prefilter(recipe, levels, level_count, error);
	if (good)
	{
		lrd_harmonics_of(&levels[0], &harmonics);
		good = write_levels(recipe, levels, level_count, &harmonics, out, report, error);
	}
	for (uint32_t i = 0; i < LRD_CUBE_LEVELS_MAX; ++i)
	{
		lrd_cube_free(&levels[i]);
	}
	return good;
}
