// What an EXR file's colours mean: primaries and white by its chromaticities attribute, to those of Rec. ITU-R BT.709,
// which files without the attribute have. RGB to XYZ as in SMPTE RP 177; another white is adapted by Bradford's
// transform (CIE 15, section 7, and ICC.1 annex E). Three primaries that are X, Y and Z themselves have no white.

#include "base/error.h"
#include "image/exr.h"

#include <math.h>

// Attributes hold four or five digits.
#define SAME 1e-4

typedef struct matrix
{
	double m[3][3];
} matrix;

typedef struct primaries
{
	double x[4], y[4]; // red, green, blue, white
} primaries;

static const primaries rec709 = { { 0.64, 0.30, 0.15, 0.3127 }, { 0.33, 0.60, 0.06, 0.3290 } };
static const primaries xyz = { { 1.0, 0.0, 0.0, 1.0 / 3.0 }, { 0.0, 1.0, 0.0, 1.0 / 3.0 } };

static bool are_same(const primaries *a, const primaries *b)
{
	bool same = true;
	for (int i = 0; i < 4; i++)
	{
		same &= fabs(a->x[i] - b->x[i]) < SAME && fabs(a->y[i] - b->y[i]) < SAME;
	}
	return same;
}

static matrix multiply(const matrix *a, const matrix *b)
{
	matrix product;
	for (int i = 0; i < 3; i++)
	{
		for (int j = 0; j < 3; j++)
		{
			product.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
		}
	}
	return product;
}

static bool invert(const matrix *a, matrix *inverse)
{
	double cofactors[3][3];
	for (int i = 0; i < 3; i++)
	{
		for (int j = 0; j < 3; j++)
		{
			int r = (i + 1) % 3, s = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
			cofactors[i][j] = a->m[r][c] * a->m[s][d] - a->m[r][d] * a->m[s][c];
		}
	}
	double determinant = 0.0;
	for (int j = 0; j < 3; j++)
	{
		determinant += a->m[0][j] * cofactors[0][j];
	}
	if (!(fabs(determinant) > 1e-9) || !isfinite(determinant))
	{
		return false;
	}
	for (int i = 0; i < 3; i++)
	{
		for (int j = 0; j < 3; j++)
		{
			inverse->m[i][j] = cofactors[j][i] / determinant;
		}
	}
	return true;
}

static void transform(const matrix *a, const double from[3], double to[3])
{
	for (int i = 0; i < 3; i++)
	{
		to[i] = a->m[i][0] * from[0] + a->m[i][1] * from[1] + a->m[i][2] * from[2];
	}
}

// XYZ of luminance 1.
static bool white_of(double x, double y, double white[3])
{
	white[0] = x / y;
	white[1] = 1.0;
	white[2] = (1.0 - x - y) / y;
	return isfinite(white[0]) && isfinite(white[2]);
}

static bool rgb_to_xyz(const primaries *of, matrix *to)
{
	matrix columns;
	for (int i = 0; i < 3; i++)
	{
		columns.m[0][i] = of->x[i];
		columns.m[1][i] = of->y[i];
		columns.m[2][i] = 1.0 - of->x[i] - of->y[i];
	}
	double white[3], scales[3];
	matrix inverse;
	if (!white_of(of->x[3], of->y[3], white) || !invert(&columns, &inverse))
	{
		return false;
	}
	transform(&inverse, white, scales);
	for (int i = 0; i < 3; i++)
	{
		for (int j = 0; j < 3; j++)
		{
			to->m[i][j] = columns.m[i][j] * scales[j];
		}
	}
	return true;
}

static bool adapt(const double from_x, const double from_y, matrix *to)
{
	static const matrix bradford = { {
		{ 0.8951, 0.2664, -0.1614 },
		{ -0.7502, 1.7135, 0.0367 },
		{ 0.0389, -0.0685, 1.0296 },
	} };
	double from[3], target[3], from_cone[3], target_cone[3];
	matrix inverse, scaled;
	if (!white_of(from_x, from_y, from) || !white_of(rec709.x[3], rec709.y[3], target) || !invert(&bradford, &inverse))
	{
		return false;
	}
	transform(&bradford, from, from_cone);
	transform(&bradford, target, target_cone);
	for (int i = 0; i < 3; i++)
	{
		double ratio = target_cone[i] / from_cone[i];
		if (!isfinite(ratio))
		{
			return false;
		}
		for (int j = 0; j < 3; j++)
		{
			scaled.m[i][j] = bradford.m[i][j] * ratio;
		}
	}
	*to = multiply(&inverse, &scaled);
	return true;
}

static bool set_conversion(
	const primaries *of, const matrix *to_xyz, const exr_attr_v2f_t *neutral, lrd_exr_colors *colors)
{
	matrix of_709, from_xyz, adaptation;
	if (!rgb_to_xyz(&rec709, &of_709) || !invert(&of_709, &from_xyz))
	{
		return false;
	}
	matrix whole = *to_xyz;
	if (neutral != NULL || !are_same(of, &xyz))
	{
		double x = neutral != NULL ? neutral->x : of->x[3];
		double y = neutral != NULL ? neutral->y : of->y[3];
		if (!adapt(x, y, &adaptation))
		{
			return false;
		}
		whole = multiply(&adaptation, &whole);
	}
	whole = multiply(&from_xyz, &whole);
	bool finite = true;
	for (int i = 0; i < 9; i++)
	{
		colors->to_709[i] = (float)whole.m[i / 3][i % 3];
		finite &= isfinite(colors->to_709[i]);
	}
	colors->convert = true;
	return finite;
}

bool lrd_exr_colors_read(const lrd_exr_file *file, int part, lrd_exr_colors *colors, lrd_error *error)
{
	*colors = (lrd_exr_colors){ .convert = false };
	primaries of = rec709;
	const exr_attribute_t *attribute = NULL;
	if (exr_get_attribute_by_name(file->context, part, "chromaticities", &attribute) == EXR_ERR_SUCCESS &&
		attribute->type == EXR_ATTR_CHROMATICITIES)
	{
		const exr_attr_chromaticities_t *its = attribute->chromaticities;
		of = (primaries){ { its->red_x, its->green_x, its->blue_x, its->white_x },
			{ its->red_y, its->green_y, its->blue_y, its->white_y } };
	}
	const exr_attr_v2f_t *neutral = NULL;
	if (exr_get_attribute_by_name(file->context, part, "adoptedNeutral", &attribute) == EXR_ERR_SUCCESS &&
		attribute->type == EXR_ATTR_V2F)
	{
		neutral = attribute->v2f;
	}
	bool neutral_differs = neutral != NULL && (fabs((double)neutral->x - rec709.x[3]) >= SAME ||
												  fabs((double)neutral->y - rec709.y[3]) >= SAME);
	matrix to_xyz;
	bool sound = rgb_to_xyz(&of, &to_xyz);
	if (sound && (neutral_differs || !are_same(&of, &rec709)))
	{
		sound = set_conversion(&of, &to_xyz, neutral, colors);
	}
	for (int i = 0; i < 3 && sound; i++)
	{
		colors->luminance[i] = (float)to_xyz.m[1][i];
		sound = isfinite(colors->luminance[i]);
	}
	return sound ||
		   lrd_fail(error, LRD_ERROR_FORMAT,
			   "chromaticities red (%g, %g), green (%g, %g), blue (%g, %g), white (%g, %g) are no colour space",
			   of.x[0], of.y[0], of.x[1], of.y[1], of.x[2], of.y[2], of.x[3], of.y[3]);
}

void lrd_exr_to_709(const lrd_exr_colors *colors, float *rgba, size_t texels)
{
	const float *m = colors->to_709;
	for (size_t i = 0; i < texels; i++, rgba += 4)
	{
		float r = rgba[0], g = rgba[1], b = rgba[2];
		rgba[0] = m[0] * r + m[1] * g + m[2] * b;
		rgba[1] = m[3] * r + m[4] * g + m[5] * b;
		rgba[2] = m[6] * r + m[7] * g + m[8] * b;
	}
}
