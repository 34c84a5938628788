// base/maths.c: vectors, quaternions and matrices. Scans over many floats are in scan.c.

#include "base/maths.h"

#include <string.h>

// Below this a vector has no direction worth the name: squares of what is smaller leave the normal range of a float.
#define SHORTEST_DIRECTION 1e-18f

// Columns of a sheared matrix may be off by this part of their length and still count as T * R * S.
#define SHEAR_TOLERANCE 1e-4

// A matrix whose unit columns span less than this volume is singular as far as floats can tell.
#define SINGULAR_VOLUME 1e-7

lrd_vec3 lrd_vec3_normalize_or(lrd_vec3 a, lrd_vec3 fallback)
{
	float largest = fmaxf(fabsf(a.x), fmaxf(fabsf(a.y), fabsf(a.z)));
	bool finite = isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
	if (!finite || largest < SHORTEST_DIRECTION)
	{
		return fallback;
	}
	lrd_vec3 scaled = lrd_vec3_scale(a, 1.0f / largest); // so that squares neither vanish nor overflow
	return lrd_vec3_scale(scaled, 1.0f / lrd_vec3_length(scaled));
}

static float quat_dot(lrd_vec4 a, lrd_vec4 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

lrd_vec4 lrd_quat_normalize(lrd_vec4 q)
{
	float largest = fmaxf(fmaxf(fabsf(q.x), fabsf(q.y)), fmaxf(fabsf(q.z), fabsf(q.w)));
	bool finite = isfinite(q.x) && isfinite(q.y) && isfinite(q.z) && isfinite(q.w);
	if (!finite || largest < SHORTEST_DIRECTION)
	{
		return (lrd_vec4){ 0.0f, 0.0f, 0.0f, 1.0f };
	}
	lrd_vec4 scaled = { q.x / largest, q.y / largest, q.z / largest, q.w / largest };
	float length = sqrtf(quat_dot(scaled, scaled));
	return (lrd_vec4){ scaled.x / length, scaled.y / length, scaled.z / length, scaled.w / length };
}

lrd_vec3 lrd_quat_rotate(lrd_vec4 q, lrd_vec3 v)
{
	// v + 2 w (u x v) + 2 u x (u x v), u the imaginary part
	lrd_vec3 u = { q.x, q.y, q.z };
	lrd_vec3 twice = lrd_vec3_scale(lrd_vec3_cross(u, v), 2.0f);
	return lrd_vec3_add(lrd_vec3_add(v, lrd_vec3_scale(twice, q.w)), lrd_vec3_cross(u, twice));
}

lrd_vec4 lrd_quat_mul(lrd_vec4 a, lrd_vec4 b)
{
	return (lrd_vec4){
		a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
		a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
		a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
		a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
	};
}

lrd_transform lrd_transform_identity(void)
{
	return (lrd_transform){ .rotation = { 0.0f, 0.0f, 0.0f, 1.0f }, .scale = { 1.0f, 1.0f, 1.0f } };
}

lrd_mat4 lrd_mat4_identity(void)
{
	return (lrd_mat4){ { [0] = 1.0f, [5] = 1.0f, [10] = 1.0f, [15] = 1.0f } };
}

lrd_mat4 lrd_mat4_mul(const lrd_mat4 *a, const lrd_mat4 *b)
{
	lrd_mat4 product;
	for (int column = 0; column < 4; column++)
	{
		const float *right = b->m + 4 * column;
		for (int row = 0; row < 4; row++)
		{
			product.m[4 * column + row] =
				a->m[row] * right[0] + a->m[4 + row] * right[1] + a->m[8 + row] * right[2] + a->m[12 + row] * right[3];
		}
	}
	return product;
}

static void set_column(lrd_mat4 *m, int column, lrd_vec3 v, float w)
{
	m->m[4 * column] = v.x;
	m->m[4 * column + 1] = v.y;
	m->m[4 * column + 2] = v.z;
	m->m[4 * column + 3] = w;
}

lrd_mat4 lrd_mat4_from_transform(const lrd_transform *t)
{
	lrd_vec4 q = t->rotation;
	lrd_mat4 m;
	set_column(&m, 0,
		lrd_vec3_scale((lrd_vec3){ 1.0f - 2.0f * (q.y * q.y + q.z * q.z), 2.0f * (q.x * q.y + q.z * q.w),
						   2.0f * (q.x * q.z - q.y * q.w) },
			t->scale.x),
		0.0f);
	set_column(&m, 1,
		lrd_vec3_scale((lrd_vec3){ 2.0f * (q.x * q.y - q.z * q.w), 1.0f - 2.0f * (q.x * q.x + q.z * q.z),
						   2.0f * (q.y * q.z + q.x * q.w) },
			t->scale.y),
		0.0f);
	set_column(&m, 2,
		lrd_vec3_scale((lrd_vec3){ 2.0f * (q.x * q.z + q.y * q.w), 2.0f * (q.y * q.z - q.x * q.w),
						   1.0f - 2.0f * (q.x * q.x + q.y * q.y) },
			t->scale.z),
		0.0f);
	set_column(&m, 3, t->translation, 1.0f);
	return m;
}

lrd_vec3 lrd_mat4_vector(const lrd_mat4 *m, lrd_vec3 v)
{
	return (lrd_vec3){
		m->m[0] * v.x + m->m[4] * v.y + m->m[8] * v.z,
		m->m[1] * v.x + m->m[5] * v.y + m->m[9] * v.z,
		m->m[2] * v.x + m->m[6] * v.y + m->m[10] * v.z,
	};
}

lrd_vec3 lrd_mat4_point(const lrd_mat4 *m, lrd_vec3 p)
{
	return lrd_vec3_add(lrd_mat4_vector(m, p), (lrd_vec3){ m->m[12], m->m[13], m->m[14] });
}

static lrd_vec3 column_of(const lrd_mat4 *m, int column)
{
	return (lrd_vec3){ m->m[4 * column], m->m[4 * column + 1], m->m[4 * column + 2] };
}

lrd_vec3 lrd_mat4_normal(const lrd_mat4 *m, lrd_vec3 v)
{
	lrd_vec3 a = column_of(m, 0);
	lrd_vec3 b = column_of(m, 1);
	lrd_vec3 c = column_of(m, 2);
	lrd_vec3 moved = lrd_vec3_add(lrd_vec3_scale(lrd_vec3_cross(b, c), v.x),
		lrd_vec3_add(lrd_vec3_scale(lrd_vec3_cross(c, a), v.y), lrd_vec3_scale(lrd_vec3_cross(a, b), v.z)));
	// The cofactor matrix is the determinant times the inverse transpose: its sign would turn a mirrored mesh inside
	// out.
	return lrd_mat4_determinant3(m) < 0.0f ? lrd_vec3_scale(moved, -1.0f) : moved;
}

// Double-precision 3x3 work: products of three floats neither overflow nor vanish there.
typedef struct dvec3
{
	double x, y, z;
} dvec3;

static dvec3 wide(lrd_vec3 v)
{
	return (dvec3){ (double)v.x, (double)v.y, (double)v.z };
}

static dvec3 dcross(dvec3 a, dvec3 b)
{
	return (dvec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static double ddot(dvec3 a, dvec3 b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}

static dvec3 dscale(dvec3 a, double s)
{
	return (dvec3){ a.x * s, a.y * s, a.z * s };
}

static dvec3 dadd(dvec3 a, dvec3 b)
{
	return (dvec3){ a.x + b.x, a.y + b.y, a.z + b.z };
}

float lrd_mat4_determinant3(const lrd_mat4 *m)
{
	dvec3 a = wide(column_of(m, 0));
	return (float)ddot(a, dcross(wide(column_of(m, 1)), wide(column_of(m, 2))));
}

bool lrd_mat4_inverse_affine(const lrd_mat4 *m, lrd_mat4 *inverse)
{
	dvec3 a = wide(column_of(m, 0));
	dvec3 b = wide(column_of(m, 1));
	dvec3 c = wide(column_of(m, 2));
	dvec3 t = wide(column_of(m, 3));
	double determinant = ddot(a, dcross(b, c));
	double box = sqrt(ddot(a, a)) * sqrt(ddot(b, b)) * sqrt(ddot(c, c));
	if (!(fabs(determinant) > SINGULAR_VOLUME * box)) // also where either is not a number
	{
		return false;
	}
	const dvec3 rows[3] = { dscale(dcross(b, c), 1.0 / determinant), dscale(dcross(c, a), 1.0 / determinant),
		dscale(dcross(a, b), 1.0 / determinant) };
	lrd_mat4 result = lrd_mat4_identity();
	for (int row = 0; row < 3; row++)
	{
		result.m[row] = (float)rows[row].x;
		result.m[4 + row] = (float)rows[row].y;
		result.m[8 + row] = (float)rows[row].z;
		result.m[12 + row] = (float)-ddot(rows[row], t);
	}
	if (!lrd_all_finite(result.m, 16))
	{
		return false;
	}
	*inverse = result;
	return true;
}

// The quaternion of a rotation, given by its columns. Shepperd, "Quaternion from rotation matrix", 1978: the largest
// component is taken from the diagonal, the others follow from it.
static lrd_vec4 quat_from_columns(const dvec3 r[3])
{
	double trace = r[0].x + r[1].y + r[2].z;
	double x, y, z, w;
	if (trace >= r[0].x && trace >= r[1].y && trace >= r[2].z)
	{
		w = 1.0 + trace;
		x = r[1].z - r[2].y;
		y = r[2].x - r[0].z;
		z = r[0].y - r[1].x;
	}
	else if (r[0].x >= r[1].y && r[0].x >= r[2].z)
	{
		w = r[1].z - r[2].y;
		x = 1.0 + r[0].x - r[1].y - r[2].z;
		y = r[0].y + r[1].x;
		z = r[2].x + r[0].z;
	}
	else if (r[1].y >= r[2].z)
	{
		w = r[2].x - r[0].z;
		x = r[0].y + r[1].x;
		y = 1.0 + r[1].y - r[0].x - r[2].z;
		z = r[1].z + r[2].y;
	}
	else
	{
		w = r[0].y - r[1].x;
		x = r[2].x + r[0].z;
		y = r[1].z + r[2].y;
		z = 1.0 + r[2].z - r[0].x - r[1].y;
	}
	double length = sqrt(x * x + y * y + z * z + w * w);
	return (lrd_vec4){ (float)(x / length), (float)(y / length), (float)(z / length), (float)(w / length) };
}

// A unit vector across `v`, itself a unit vector.
static dvec3 any_across(dvec3 v)
{
	dvec3 axis = fabs(v.x) < 0.6 ? (dvec3){ 1.0, 0.0, 0.0 } : (dvec3){ 0.0, 1.0, 0.0 };
	dvec3 across = dcross(v, axis);
	return dscale(across, 1.0 / sqrt(ddot(across, across)));
}

// Replaces columns of no length by what completes a right-handed frame: a scale of zero says nothing about rotation.
static void complete_frame(dvec3 unit[3], const bool known[3])
{
	int count = known[0] + known[1] + known[2];
	if (count == 0)
	{
		unit[0] = (dvec3){ 1.0, 0.0, 0.0 };
		unit[1] = (dvec3){ 0.0, 1.0, 0.0 };
		unit[2] = (dvec3){ 0.0, 0.0, 1.0 };
	}
	else if (count == 1)
	{
		int i = known[0] ? 0 : known[1] ? 1 : 2;
		unit[(i + 1) % 3] = any_across(unit[i]);
		unit[(i + 2) % 3] = dcross(unit[i], unit[(i + 1) % 3]);
	}
	else if (count == 2)
	{
		int i = !known[0] ? 0 : !known[1] ? 1 : 2;
		dvec3 normal = dcross(unit[(i + 1) % 3], unit[(i + 2) % 3]);
		double length = sqrt(ddot(normal, normal));
		unit[i] = length > SINGULAR_VOLUME ? dscale(normal, 1.0 / length) : any_across(unit[(i + 1) % 3]);
	}
}

// Makes three vectors, roughly a frame, the rotation nearest to them: Higham's Newton iteration for the polar
// decomposition ("Computing the Polar Decomposition", 1986): r <- (r + r^-T) / 2. Where they lie in a plane,
// Gram-Schmidt instead.
static void nearest_rotation(dvec3 r[3])
{
	for (int i = 0; i < 24; i++)
	{
		const dvec3 cofactors[3] = { dcross(r[1], r[2]), dcross(r[2], r[0]), dcross(r[0], r[1]) };
		double determinant = ddot(r[0], cofactors[0]);
		if (!(determinant > 1e-12))
		{
			break;
		}
		double change = 0.0;
		for (int c = 0; c < 3; c++)
		{
			dvec3 next = dscale(dadd(r[c], dscale(cofactors[c], 1.0 / determinant)), 0.5);
			dvec3 step = dadd(next, dscale(r[c], -1.0));
			change += ddot(step, step);
			r[c] = next;
		}
		if (change < 1e-28)
		{
			return;
		}
	}
	double length = sqrt(ddot(r[0], r[0]));
	r[0] = length > 0.0 ? dscale(r[0], 1.0 / length) : (dvec3){ 1.0, 0.0, 0.0 };
	dvec3 second = dadd(r[1], dscale(r[0], -ddot(r[0], r[1])));
	length = sqrt(ddot(second, second));
	r[1] = length > SINGULAR_VOLUME ? dscale(second, 1.0 / length) : any_across(r[0]);
	r[2] = dcross(r[0], r[1]);
}

// Where m = R * S is off by shear: alternate between the best rotation for the scales and the best scales for the
// rotation.
static void fit_rotation_and_scale(const dvec3 column[3], dvec3 rotation[3], double scale[3])
{
	nearest_rotation(rotation);
	for (int round = 0; round < 8; round++)
	{
		for (int c = 0; c < 3; c++)
		{
			scale[c] = ddot(rotation[c], column[c]);
		}
		dvec3 weighted[3] = { dscale(column[0], scale[0]), dscale(column[1], scale[1]), dscale(column[2], scale[2]) };
		double size =
			sqrt(ddot(weighted[0], weighted[0]) + ddot(weighted[1], weighted[1]) + ddot(weighted[2], weighted[2]));
		if (!(size > 0.0))
		{
			return;
		}
		for (int c = 0; c < 3; c++)
		{
			weighted[c] = dscale(weighted[c], 1.0 / size);
		}
		nearest_rotation(weighted);
		memcpy(rotation, weighted, sizeof weighted);
	}
	for (int c = 0; c < 3; c++)
	{
		scale[c] = ddot(rotation[c], column[c]);
	}
}

static bool columns_differ(const dvec3 column[3], const dvec3 rotation[3], const double scale[3])
{
	for (int c = 0; c < 3; c++)
	{
		dvec3 off = dadd(column[c], dscale(rotation[c], -scale[c]));
		if (ddot(off, off) > SHEAR_TOLERANCE * SHEAR_TOLERANCE * ddot(column[c], column[c]))
		{
			return true;
		}
	}
	return false;
}

bool lrd_mat4_decompose(const lrd_mat4 *m, lrd_transform *t)
{
	*t = lrd_transform_identity();
	if (!lrd_all_finite(m->m, 16))
	{
		return false;
	}
	t->translation = column_of(m, 3);
	const dvec3 column[3] = { wide(column_of(m, 0)), wide(column_of(m, 1)), wide(column_of(m, 2)) };
	double scale[3];
	dvec3 rotation[3];
	bool known[3];
	double mirror = ddot(column[0], dcross(column[1], column[2])) < 0.0 ? -1.0 : 1.0;
	for (int c = 0; c < 3; c++)
	{
		double length = sqrt(ddot(column[c], column[c]));
		scale[c] = c == 0 ? length * mirror : length;
		known[c] = length > 0.0;
		rotation[c] = known[c] ? dscale(column[c], 1.0 / scale[c]) : (dvec3){ 0.0, 0.0, 0.0 };
	}
	complete_frame(rotation, known);
	dvec3 orthogonal[3];
	memcpy(orthogonal, rotation, sizeof orthogonal);
	nearest_rotation(orthogonal); // takes out what rounding left
	bool sheared = columns_differ(column, orthogonal, scale);
	if (sheared)
	{
		memcpy(orthogonal, rotation, sizeof orthogonal);
		fit_rotation_and_scale(column, orthogonal, scale);
	}
	t->rotation = quat_from_columns(orthogonal);
	t->scale = (lrd_vec3){ (float)scale[0], (float)scale[1], (float)scale[2] };
	return !sheared;
}
