// Cubemaps: where faces lie on images and in space, lookups across edges, faces of another size, plain mips. Panoramas:
// cubemap_panorama.c; prefiltered levels: cubemap_lobes.c.

#include "image/cubemap.h"

#include "base/error.h"
#include "image/cubemap_maths.h"

#define PANORAMA_MIN_FACE 16u

lrd_cube_layout lrd_cube_layout_of(uint32_t width, uint32_t height)
{
	uint64_t w = width;
	uint64_t h = height;
	if (w == 0 || h == 0)
	{
		return LRD_CUBE_NONE;
	}
	return w == 6 * h                     ? LRD_CUBE_STRIP
		   : h == 6 * w                   ? LRD_CUBE_COLUMN
		   : 3 * w == 4 * h && w % 4 == 0 ? LRD_CUBE_CROSS
		   : 4 * w == 3 * h && w % 3 == 0 ? LRD_CUBE_UPRIGHT
		   : w == 2 * h                   ? LRD_CUBE_PANORAMA
										  : LRD_CUBE_NONE;
}

const char *lrd_cube_layout_name(lrd_cube_layout layout)
{
	static const char *const names[] = { "none", "strip", "column", "cross", "upright cross", "panorama", "faces" };
	return (unsigned)layout <= LRD_CUBE_FACES ? names[layout] : names[0];
}

// The power of two whose ratio to `size` is nearest to 1.
static uint32_t round_to_power(uint32_t size)
{
	uint32_t power = PANORAMA_MIN_FACE;
	while (2 * (uint64_t)power * power < (uint64_t)size * size)
	{
		power *= 2;
	}
	return power;
}

static bool check_faces(const lrd_cube_desc *desc, lrd_error *error)
{
	static const char *const faces[] = { "+X", "-X", "+Y", "-Y", "+Z", "-Z" };
	const lrd_image *first = desc->images;
	for (uint32_t face = 0; face < 6; face++)
	{
		const lrd_image *image = desc->images + face;
		if (image->width != image->height || image->width == 0)
		{
			return lrd_fail(error, LRD_ERROR_ARGUMENT, "face %s of a cubemap is %u x %u texels; expected a square",
				faces[face], image->width, image->height);
		}
		if (image->width != first->width)
		{
			return lrd_fail(error, LRD_ERROR_ARGUMENT, "face %s of a cubemap is %u x %u texels; +X is %u x %u",
				faces[face], image->width, image->height, first->width, first->height);
		}
	}
	return true;
}

// The layout in force and the size of the faces as they come; 0 for a panorama.
static bool recognise(const lrd_cube_desc *desc, lrd_cube_layout *layout, uint32_t *own_size, lrd_error *error)
{
	*layout = LRD_CUBE_NONE;
	*own_size = 0;
	if (desc->image_count == 6)
	{
		*layout = LRD_CUBE_FACES;
		*own_size = desc->images[0].width;
		return check_faces(desc, error);
	}
	if (desc->image_count != 1)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "cubemap of %u images; expected 1 or 6", desc->image_count);
	}
	uint32_t width = desc->images[0].width;
	uint32_t height = desc->images[0].height;
	lrd_cube_layout fits = lrd_cube_layout_of(width, height);
	bool is_panorama = desc->layout == LRD_CUBE_PANORAMA && width != 0 && height != 0;
	*layout = is_panorama ? LRD_CUBE_PANORAMA : fits;
	if (desc->layout != LRD_CUBE_NONE && desc->layout != *layout)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "%u x %u texels are not a cubemap's %s", width, height,
			lrd_cube_layout_name(desc->layout));
	}
	switch (*layout)
	{
	case LRD_CUBE_STRIP: *own_size = height; return true;
	case LRD_CUBE_COLUMN: *own_size = width; return true;
	case LRD_CUBE_CROSS: *own_size = width / 4; return true;
	case LRD_CUBE_UPRIGHT: *own_size = width / 3; return true;
	case LRD_CUBE_PANORAMA: *own_size = 0; return true;
	default:
		return lrd_fail(error, LRD_ERROR_ARGUMENT,
			"%u x %u texels are no cubemap; expected a panorama (2:1), a cross (4:3 or 3:4) or a strip (6:1 or 1:6)",
			width, height);
	}
}

static bool measure(
	const lrd_cube_desc *desc, lrd_cube_layout *layout, uint32_t *own_size, uint32_t *face_size, lrd_error *error)
{
	if (!recognise(desc, layout, own_size, error))
	{
		return false;
	}
	uint32_t natural = *layout == LRD_CUBE_PANORAMA ? round_to_power(desc->images[0].width / 4) : *own_size;
	*face_size = desc->face_size != 0 ? desc->face_size : natural;
	uint32_t larger = *face_size > *own_size ? *face_size : *own_size;
	if (larger > LRD_CUBE_MAX_SIDE)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT, "cubemap faces of %u x %u texels; the limit is %u", larger, larger,
			LRD_CUBE_MAX_SIDE);
	}
	return true;
}

bool lrd_cube_measure(const lrd_cube_desc *desc, uint32_t *face_size, lrd_error *error)
{
	lrd_cube_layout layout;
	uint32_t own_size;
	uint32_t size;
	if (!measure(desc, &layout, &own_size, &size, error))
	{
		return false;
	}
	*face_size = size;
	return true;
}

bool lrd_cube_reserve(uint32_t face_size, lrd_allocator allocator, lrd_cube *cube, lrd_error *error)
{
	if (face_size == 0)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "cubemap faces without texels");
	}
	if (face_size > LRD_CUBE_MAX_SIDE)
	{
		return lrd_fail(error, LRD_ERROR_LIMIT, "cubemap faces of %u x %u texels; the limit is %u", face_size,
			face_size, LRD_CUBE_MAX_SIDE);
	}
	size_t texels = (size_t)6 * face_size * face_size;
	float *data = lrd_alloc_zeroed(allocator, texels, 4 * sizeof(float));
	if (data == NULL)
	{
		return lrd_fail_memory(error, "cubemap", texels * 4 * sizeof(float));
	}
	*cube = (lrd_cube){
		.face_size = face_size, .texels = data, .size = texels * 4 * sizeof(float), .allocator = allocator
	};
	return true;
}

void lrd_cube_free(lrd_cube *cube)
{
	if (cube->texels != NULL)
	{
		lrd_free(cube->allocator, cube->texels, cube->size);
	}
	cube->texels = NULL;
	cube->size = 0;
}

void lrd_cube_direction(uint32_t face, double s, double t, double direction[3])
{
	double right = 2 * s - 1;
	double down = 2 * t - 1;
	double scale = 1 / sqrt(1 + right * right + down * down);
	right *= scale;
	down *= scale;
	const double table[6][3] = {
		{ scale, -down, -right },
		{ -scale, -down, right },
		{ right, scale, down },
		{ right, -scale, -down },
		{ right, -down, scale },
		{ -right, -down, -scale },
	};
	memcpy(direction, table[face], sizeof table[face]);
}

uint32_t lrd_cube_point(const double direction[3], double *s, double *t)
{
	double x = direction[0], y = direction[1], z = direction[2];
	double along_x = fabs(x), along_y = fabs(y), along_z = fabs(z);
	uint32_t face;
	double sc, tc, ma;
	// Ties go to Z, then Y, as in Vulkan ("Cube Map Face Selection").
	if (along_z >= along_x && along_z >= along_y)
	{
		face = z < 0 ? 5 : 4;
		sc = z < 0 ? -x : x;
		tc = -y;
		ma = along_z;
	}
	else if (along_y >= along_x)
	{
		face = y < 0 ? 3 : 2;
		sc = x;
		tc = y < 0 ? -z : z;
		ma = along_y;
	}
	else
	{
		face = x < 0 ? 1 : 0;
		sc = x < 0 ? z : -z;
		tc = -y;
		ma = along_x;
	}
	*s = 0.5 * (sc / ma + 1);
	*t = 0.5 * (tc / ma + 1);
	return face;
}

// Solid angle between the middle of a face and (x, y), both -1..1; odd in each.
static double corner_angle(double x, double y)
{
	return lrd_arc_tangent(x * y, sqrt(x * x + y * y + 1));
}

double lrd_cube_solid_angle(double s0, double t0, double s1, double t1)
{
	double left = 2 * s0 - 1, right = 2 * s1 - 1;
	double top = 2 * t0 - 1, bottom = 2 * t1 - 1;
	return corner_angle(right, bottom) - corner_angle(left, bottom) - corner_angle(right, top) +
		   corner_angle(left, top);
}

static lrd_rgba load_texel(const lrd_cube *cube, uint32_t face, uint32_t x, uint32_t y)
{
	lrd_rgba texel;
	memcpy(&texel, lrd_cube_face(cube, face) + 4 * ((size_t)y * cube->face_size + x), sizeof texel);
	return texel;
}

// A texel beyond an edge, as the neighbouring face's nearest.
static lrd_rgba texel_across(const lrd_cube *cube, uint32_t face, int32_t x, int32_t y)
{
	int32_t size = (int32_t)cube->face_size;
	if (x >= 0 && y >= 0 && x < size && y < size)
	{
		return load_texel(cube, face, (uint32_t)x, (uint32_t)y);
	}
	double direction[3];
	double s, t;
	lrd_cube_direction(face, (x + 0.5) / size, (y + 0.5) / size, direction);
	uint32_t other = lrd_cube_point(direction, &s, &t);
	int32_t column = (int32_t)(s * size);
	int32_t row = (int32_t)(t * size);
	return load_texel(
		cube, other, (uint32_t)(column < size ? column : size - 1), (uint32_t)(row < size ? row : size - 1));
}

void lrd_cube_sample(const lrd_cube *cube, const double direction[3], float rgba[4])
{
	double s, t;
	uint32_t face = lrd_cube_point(direction, &s, &t);
	int32_t size = (int32_t)cube->face_size;
	double across = s * size + 0.5;
	double down = t * size + 0.5;
	int32_t x = (int32_t)across - 1;
	int32_t y = (int32_t)down - 1;
	float share_x = (float)(across - (int32_t)across);
	float share_y = (float)(down - (int32_t)down);
	lrd_rgba corners[4];
	int32_t missing = -1;
	for (int32_t i = 0; i < 4; i++)
	{
		int32_t column = x + i % 2;
		int32_t row = y + i / 2;
		bool outside_x = column < 0 || column >= size;
		bool outside_y = row < 0 || row >= size;
		missing = outside_x && outside_y ? i : missing;
		corners[i] = outside_x && outside_y ? (lrd_rgba){ 0 } : texel_across(cube, face, column, row);
	}
	if (missing >= 0)
	{
		// Three faces meet: there is no fourth texel, and the mean of the three stands for it.
		corners[missing] = (corners[0] + corners[1] + corners[2] + corners[3]) / 3.0f;
	}
	lrd_rgba upper = corners[0] * (1 - share_x) + corners[1] * share_x;
	lrd_rgba lower = corners[2] * (1 - share_x) + corners[3] * share_x;
	lrd_rgba value = upper * (1 - share_y) + lower * share_y;
	memcpy(rgba, &value, sizeof value);
}

// The mean of a rectangle of a face; edges in texels times `count`, so that they are whole.
static lrd_rgba average(const lrd_cube *cube, uint32_t face, uint64_t left, uint64_t top, uint64_t side, uint64_t count)
{
	lrd_rgba sum = { 0 };
	for (uint64_t y = top / count; y * count < top + side; y++)
	{
		uint64_t upper = y * count < top ? top : y * count;
		uint64_t lower = (y + 1) * count > top + side ? top + side : (y + 1) * count;
		float height = (float)(lower - upper) / (float)side;
		for (uint64_t x = left / count; x * count < left + side; x++)
		{
			uint64_t begin = x * count < left ? left : x * count;
			uint64_t end = (x + 1) * count > left + side ? left + side : (x + 1) * count;
			sum += load_texel(cube, face, (uint32_t)x, (uint32_t)y) * (height * ((float)(end - begin) / (float)side));
		}
	}
	return sum;
}

static void shrink(const lrd_cube *from, lrd_cube *to)
{
	uint64_t size = to->face_size;
	uint64_t side = from->face_size;
	for (uint32_t face = 0; face < 6; face++)
	{
		float *texel = lrd_cube_face(to, face);
		for (uint64_t i = 0; i < size * size; i++, texel += 4)
		{
			lrd_rgba value = average(from, face, i % size * side, i / size * side, side, size);
			memcpy(texel, &value, sizeof value);
		}
	}
}

void lrd_cube_resize(const lrd_cube *from, lrd_cube *to)
{
	uint32_t size = to->face_size;
	if (size <= from->face_size)
	{
		shrink(from, to);
		return;
	}
	for (uint32_t face = 0; face < 6; face++)
	{
		float *texel = lrd_cube_face(to, face);
		for (uint32_t i = 0; i < size * size; i++, texel += 4)
		{
			double direction[3];
			lrd_cube_direction(face, (i % size + 0.5) / size, (i / size + 0.5) / size, direction);
			lrd_cube_sample(from, direction, texel);
		}
	}
}

// Where a layout has its faces, in faces.
static const uint8_t places[][6][2] = {
	[LRD_CUBE_STRIP] = { { 0, 0 }, { 1, 0 }, { 2, 0 }, { 3, 0 }, { 4, 0 }, { 5, 0 } },
	[LRD_CUBE_COLUMN] = { { 0, 0 }, { 0, 1 }, { 0, 2 }, { 0, 3 }, { 0, 4 }, { 0, 5 } },
	[LRD_CUBE_CROSS] = { { 2, 1 }, { 0, 1 }, { 1, 0 }, { 1, 2 }, { 1, 1 }, { 3, 1 } },
	[LRD_CUBE_UPRIGHT] = { { 2, 1 }, { 0, 1 }, { 1, 0 }, { 1, 2 }, { 1, 1 }, { 1, 3 } },
	[LRD_CUBE_FACES] = { { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 } },
};

static void turn_half(float *face, size_t texels)
{
	for (size_t i = 0; i < texels / 2; i++)
	{
		lrd_rgba a, b;
		float *from = face + 4 * i;
		float *to = face + 4 * (texels - 1 - i);
		memcpy(&a, from, sizeof a);
		memcpy(&b, to, sizeof b);
		memcpy(from, &b, sizeof b);
		memcpy(to, &a, sizeof a);
	}
}

static bool cut_faces(const lrd_cube_desc *desc, lrd_cube_layout layout, lrd_cube *cube, lrd_error *error)
{
	uint32_t size = cube->face_size;
	uint32_t image_count = layout == LRD_CUBE_FACES ? 6 : 1;
	for (uint32_t i = 0; i < image_count; i++)
	{
		lrd_light_reader reader;
		if (!lrd_light_reader_open(&reader, desc->images + i, desc->allocator, error))
		{
			return false;
		}
		uint32_t end = image_count == 6 ? i + 1 : 6;
		for (uint32_t face = i; face < end; face++)
		{
			uint32_t left = places[layout][face][0] * size;
			uint32_t top = places[layout][face][1] * size;
			float *texels = lrd_cube_face(cube, face);
			for (uint32_t y = 0; y < size; y++)
			{
				lrd_rgba *row = (lrd_rgba *)(void *)(texels + (size_t)4 * y * size);
				lrd_light_reader_row(&reader, left, top + y, size, row);
			}
		}
		cube->clamped += reader.clamped;
		lrd_light_reader_close(&reader);
	}
	if (layout == LRD_CUBE_UPRIGHT)
	{
		turn_half(lrd_cube_face(cube, 5), (size_t)size * size);
	}
	return true;
}

static bool make_from_panorama(const lrd_cube_desc *desc, lrd_cube *cube, lrd_error *error)
{
	lrd_panorama *panorama = lrd_panorama_open(desc->images, desc->allocator, error);
	if (panorama == NULL)
	{
		return false;
	}
	for (uint32_t face = 0; face < 6; face++)
	{
		lrd_panorama_rows(panorama, desc->isa, cube, face, 0, cube->face_size);
	}
	cube->clamped = lrd_panorama_clamped(panorama);
	lrd_panorama_close(panorama);
	return true;
}

static bool make_from_faces(
	const lrd_cube_desc *desc, lrd_cube_layout layout, uint32_t own_size, lrd_cube *cube, lrd_error *error)
{
	if (own_size == cube->face_size)
	{
		return cut_faces(desc, layout, cube, error);
	}
	lrd_cube own;
	if (!lrd_cube_reserve(own_size, desc->allocator, &own, error))
	{
		return false;
	}
	bool cut = cut_faces(desc, layout, &own, error);
	if (cut)
	{
		lrd_cube_resize(&own, cube);
		cube->clamped = own.clamped;
	}
	lrd_cube_free(&own);
	return cut;
}

bool lrd_cube_make(const lrd_cube_desc *desc, lrd_cube *cube, lrd_error *error)
{
	lrd_cube_layout layout;
	uint32_t own_size;
	uint32_t face_size;
	lrd_cube made;
	if (!measure(desc, &layout, &own_size, &face_size, error) ||
		!lrd_cube_reserve(face_size, desc->allocator, &made, error))
	{
		return false;
	}
	bool filled = layout == LRD_CUBE_PANORAMA ? make_from_panorama(desc, &made, error)
											  : make_from_faces(desc, layout, own_size, &made, error);
	if (!filled)
	{
		lrd_cube_free(&made);
		return false;
	}
	*cube = made;
	return true;
}

uint32_t lrd_cube_level_count(uint32_t face_size)
{
	uint32_t count = 1;
	while (face_size > 1)
	{
		face_size /= 2;
		count++;
	}
	return count;
}

bool lrd_cube_mips(
	const lrd_cube *cube, uint32_t level_count, lrd_allocator allocator, lrd_cube *levels, lrd_error *error)
{
	uint32_t most = lrd_cube_level_count(cube->face_size);
	if (level_count < 1 || level_count > most)
	{
		return lrd_fail(error, LRD_ERROR_ARGUMENT, "%u levels of a cube of %u texels; expected 1 to %u", level_count,
			cube->face_size, most);
	}
	for (uint32_t level = 1; level < level_count; level++)
	{
		if (!lrd_cube_reserve(cube->face_size >> level, allocator, &levels[level], error))
		{
			while (--level >= 1)
			{
				lrd_cube_free(&levels[level]);
			}
			return false;
		}
		shrink(level == 1 ? cube : &levels[level - 1], &levels[level]);
	}
	return true;
}
