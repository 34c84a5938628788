// The eight ways a stored picture may have to be turned before it is shown (EXIF 2.32, tag 274).

#include "image/codec.h"

// Where the texel shown at (x, y) is stored: first + x * step_x + y * step_y, counted in texels.
typedef struct walk
{
	ptrdiff_t first, step_x, step_y;
} walk;

static walk walk_of(uint32_t orientation, ptrdiff_t width, ptrdiff_t height)
{
	ptrdiff_t last_column = width - 1;
	ptrdiff_t last_row = (height - 1) * width;
	switch (orientation)
	{
	case 2: return (walk){ last_column, -1, width };
	case 3: return (walk){ last_row + last_column, -1, -width };
	case 4: return (walk){ last_row, 1, -width };
	case 5: return (walk){ 0, width, 1 };
	case 6: return (walk){ last_row, -width, 1 };
	case 7: return (walk){ last_row + last_column, -width, -1 };
	case 8: return (walk){ last_column, width, -1 };
	default: return (walk){ 0, 1, width };
	}
}

// Texels shown side by side may be stored lines apart: squares of them stay in the cache.
#define TILE 32u

static inline void turn(
	const walk *way, uint32_t width, uint32_t height, size_t texel_size, const uint8_t *from, uint8_t *to)
{
	ptrdiff_t size = (ptrdiff_t)texel_size;
	for (uint32_t top = 0; top < height; top += TILE)
	{
		uint32_t bottom = height - top < TILE ? height : top + TILE;
		for (uint32_t left = 0; left < width; left += TILE)
		{
			uint32_t right = width - left < TILE ? width : left + TILE;
			for (uint32_t y = top; y < bottom; y++)
			{
				const uint8_t *source =
					from + (way->first + (ptrdiff_t)y * way->step_y + (ptrdiff_t)left * way->step_x) * size;
				uint8_t *target = to + ((size_t)y * width + left) * texel_size;
				for (uint32_t x = left; x < right; x++, target += texel_size, source += way->step_x * size)
				{
					memcpy(target, source, texel_size);
				}
			}
		}
	}
}

void lrd_orientation_apply(
	uint32_t orientation, uint32_t width, uint32_t height, size_t texel_size, const void *from, void *to)
{
	walk way = walk_of(orientation, (ptrdiff_t)width, (ptrdiff_t)height);
	bool swaps = lrd_orientation_swaps_sides(orientation);
	uint32_t shown_width = swaps ? height : width;
	uint32_t shown_height = swaps ? width : height;
	switch (texel_size) // known sizes are copied without a call
	{
	case 4: turn(&way, shown_width, shown_height, 4, from, to); break;
	case 8: turn(&way, shown_width, shown_height, 8, from, to); break;
	default: turn(&way, shown_width, shown_height, texel_size, from, to); break;
	}
}
