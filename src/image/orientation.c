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

void lrd_orientation_apply(
	uint32_t orientation, uint32_t width, uint32_t height, size_t texel_size, const void *from, void *to)
{
	walk way = walk_of(orientation, (ptrdiff_t)width, (ptrdiff_t)height);
	uint32_t shown_width = lrd_orientation_swaps_sides(orientation) ? height : width;
	uint32_t shown_height = lrd_orientation_swaps_sides(orientation) ? width : height;
	ptrdiff_t step = way.step_x * (ptrdiff_t)texel_size;
	uint8_t *target = to;
	for (uint32_t y = 0; y < shown_height; y++)
	{
		const uint8_t *source = (const uint8_t *)from + (way.first + (ptrdiff_t)y * way.step_y) * (ptrdiff_t)texel_size;
		for (uint32_t x = 0; x < shown_width; x++)
		{
			memcpy(target, source + (ptrdiff_t)x * step, texel_size);
			target += texel_size;
		}
	}
}
