// What a skeleton makes of a pose: skinning matrices, and dual quaternions of them.

#include "format/skeleton.h"

#include "base/maths.h"
#include "base/vec4.h"

/// A matrix's columns.
typedef struct columns
{
	lrd_f32x4 c[4];
} columns;

static inline columns load_columns(const float *m)
{
	return (columns){ { lrd_f32x4_load(m), lrd_f32x4_load(m + 4), lrd_f32x4_load(m + 8), lrd_f32x4_load(m + 12) } };
}

static inline void store_columns(lrd_mat4 *matrix, const columns *m)
{
	for (int i = 0; i < 4; i++)
	{
		lrd_f32x4_store(matrix->m + 4 * i, m->c[i]);
	}
}

/// The matrix times (v.x, v.y, v.z, 0).
static inline lrd_f32x4 turn(const columns *m, lrd_f32x4 v)
{
	return m->c[0] * LRD_SPLAT4(v, 0) + m->c[1] * LRD_SPLAT4(v, 1) + m->c[2] * LRD_SPLAT4(v, 2);
}

/// parent * T * R * S. The rotation's elements are 1 less sums of squares, and sums and differences of products, of the
/// quaternion; none is ever put into a matrix of its own. Whatever can be done before the parent is known, is: what a
/// long chain of joints costs is the waiting.
static inline columns place_joint(const columns *parent, const lrd_transform *local)
{
	lrd_f32x4 q = lrd_f32x4_load(&local->rotation.x);
	lrd_f32x4 scale = lrd_f32x4_load(&local->rotation.w); // behind w: from scale.x on would read past the last joint
	lrd_f32x4 twice = q + q;
	lrd_f32x4 squares = q * twice;                                 // xx yy zz
	lrd_f32x4 products = LRD_SHUFFLE4(q, q, 1, 2, 0, 3) * twice;   // xy yz zx
	lrd_f32x4 with_w = LRD_SPLAT4(q, 3) * twice;                   // xw yw zw
	lrd_f32x4 opposite = LRD_SHUFFLE4(with_w, with_w, 2, 0, 1, 3); // zw xw yw
	lrd_f32x4 sums = products + opposite, differences = products - opposite;
	lrd_f32x4 ones = 1.0f - (LRD_SHUFFLE4(squares, squares, 1, 0, 0, 3) + LRD_SHUFFLE4(squares, squares, 2, 2, 1, 3));
	ones *= LRD_SHUFFLE4(scale, scale, 1, 2, 3, 3);
	sums *= LRD_SHUFFLE4(scale, scale, 1, 2, 3, 3);
	differences *= LRD_SHUFFLE4(scale, scale, 2, 3, 1, 3);
	lrd_f32x4 x = parent->c[0], y = parent->c[1], z = parent->c[2];
	return (columns){ {
		x * LRD_SPLAT4(ones, 0) + y * LRD_SPLAT4(sums, 0) + z * LRD_SPLAT4(differences, 2),
		x * LRD_SPLAT4(differences, 0) + y * LRD_SPLAT4(ones, 1) + z * LRD_SPLAT4(sums, 1),
		x * LRD_SPLAT4(sums, 2) + y * LRD_SPLAT4(differences, 1) + z * LRD_SPLAT4(ones, 2),
		turn(parent, lrd_f32x4_load(&local->translation.x)) +
			parent->c[3], // what is loaded behind it counts for nothing
	} };
}

void lrd_skeleton_palette(const lrd_skeleton_view *view, const lrd_transform *pose, lrd_mat4 *palette)
{
	// The palette first holds the joints' own matrices in model space, which their children need; only when all stand
	// are they multiplied by the inverse binds.
	columns global = load_columns(view->root.m);
	for (uint32_t i = 0; i < view->joint_count; i++)
	{
		int32_t above = view->joints[i].parent;
		columns parent = global;
		if (above != (int32_t)i - 1)
		{
			parent = load_columns(above < 0 ? view->root.m : palette[above].m);
		}
		global = place_joint(&parent, &pose[i]);
		store_columns(&palette[i], &global);
	}
	for (uint32_t i = 0; i < view->joint_count; i++)
	{
		global = load_columns(palette[i].m);
		columns bind = load_columns(view->joints[i].inverse_bind);
		const columns product = { { turn(&global, bind.c[0]), turn(&global, bind.c[1]), turn(&global, bind.c[2]),
			turn(&global, bind.c[3]) + global.c[3] } };
		store_columns(&palette[i], &product);
	}
}

// Dual quaternions: four matrices at a time, one an element of the vectors.

#define QUATS_AT_ONCE 4u

/// A 3x3 matrix whose columns span less than this, squared and of its size to the fourth power, says no rotation.
#define LEAST_AREA 1e-10f

/// A determinant between less this and 0, of a matrix of size 1, is what rounding left of a flat one: no mirror.
#define LEAST_MIRROR 1e-6f

/// A step of Newton's iteration that changed less than this, squared, has left an error of half of it: nothing.
#define SMALLEST_CHANGE 1e-7f
#define MOST_STEPS 16

/// Column by column.
typedef struct spans
{
	lrd_f32x4 m[9];
} spans;

static inline lrd_f32x4 dot9(const spans *a, const spans *b)
{
	lrd_f32x4 sum = a->m[0] * b->m[0];
	for (int i = 1; i < 9; i++)
	{
		sum += a->m[i] * b->m[i];
	}
	return sum;
}

/// The determinant times the inverse's transpose.
static inline spans cofactors(const spans *s)
{
	spans result;
	for (int i = 0; i < 3; i++)
	{
		const lrd_f32x4 *a = s->m + 3 * ((i + 1) % 3), *b = s->m + 3 * ((i + 2) % 3);
		result.m[3 * i] = a[1] * b[2] - a[2] * b[1];
		result.m[3 * i + 1] = a[2] * b[0] - a[0] * b[2];
		result.m[3 * i + 2] = a[0] * b[1] - a[1] * b[0];
	}
	return result;
}

static inline lrd_f32x4 pick(lrd_i32x4 mask, lrd_f32x4 yes, lrd_f32x4 no)
{
	return (lrd_f32x4)(((lrd_i32x4)yes & mask) | ((lrd_i32x4)no & ~mask));
}

static inline bool all_of(lrd_i32x4 mask)
{
	return (mask[0] & mask[1] & mask[2] & mask[3]) != 0;
}

/// The rotation nearest to each: the polar decomposition's, by Newton's iteration r <- (r + r^-T) / 2 (Higham,
/// "Computing the Polar Decomposition", 1986), which is begun at r / |r| + cofactors / |cofactors|: that has the same
/// rotation, is it already where all scales are equal, and is no less when one of them is 0. A mirror counts as a
/// negative scale of x. Returns where there was no rotation to find.
static lrd_i32x4 find_rotations(spans *s)
{
	lrd_f32x4 scale = 1.0f / lrd_f32x4_sqrt(dot9(s, s));
	for (int i = 0; i < 9; i++)
	{
		s->m[i] *= scale;
	}
	spans across = cofactors(s);
	lrd_f32x4 determinant = s->m[0] * across.m[0] + s->m[1] * across.m[1] + s->m[2] * across.m[2];
	lrd_i32x4 mirrored = determinant < -LEAST_MIRROR;
	lrd_f32x4 area = dot9(&across, &across);
	lrd_i32x4 lost = ~(lrd_i32x4)(area > LEAST_AREA); // also what is no number
	lrd_f32x4 across_scale = 1.0f / lrd_f32x4_sqrt(area);
	const float half_root_three = 0.866025404f;
	for (int i = 0; i < 9; i++)
	{
		lrd_f32x4 sign = pick(mirrored, lrd_f32x4_of(-1.0f), lrd_f32x4_of(1.0f));
		lrd_f32x4 first = i < 3 ? s->m[i] * sign : s->m[i];
		lrd_f32x4 second = i < 3 ? across.m[i] : across.m[i] * sign; // two columns of a product have changed, or none
		s->m[i] = (first + second * across_scale) * half_root_three;
	}
	lrd_i32x4 done = lost;
	for (int step = 0; step < MOST_STEPS && !all_of(done); step++)
	{
		across = cofactors(s);
		determinant = s->m[0] * across.m[0] + s->m[1] * across.m[1] + s->m[2] * across.m[2];
		lrd_f32x4 inverse = 0.5f / determinant;
		lrd_f32x4 change = lrd_f32x4_of(0.0f);
		for (int i = 0; i < 9; i++)
		{
			lrd_f32x4 next = s->m[i] * 0.5f + across.m[i] * inverse;
			lrd_f32x4 difference = next - s->m[i];
			change += difference * difference;
			s->m[i] = pick(done, s->m[i], next); // what one needs must not show in its neighbours
		}
		done |= change < SMALLEST_CHANGE;
	}
	return lost;
}

/// Shepperd, "Quaternion from rotation matrix", 1978: the row of q * q^T with the largest component, which is never
/// small.
static inline void quats_of(const spans *s, lrd_f32x4 q[4])
{
	lrd_f32x4 xx = s->m[0], yy = s->m[4], zz = s->m[8];
	const lrd_f32x4 squares[4] = { 1.0f + xx - yy - zz, 1.0f - xx + yy - zz, 1.0f - xx - yy + zz, 1.0f + xx + yy + zz };
	lrd_f32x4 wx = s->m[5] - s->m[7], wy = s->m[6] - s->m[2], wz = s->m[1] - s->m[3];
	lrd_f32x4 xy = s->m[1] + s->m[3], xz = s->m[6] + s->m[2], yz = s->m[5] + s->m[7];
	const lrd_f32x4 rows[4][4] = { { squares[0], xy, xz, wx }, { xy, squares[1], yz, wy }, { xz, yz, squares[2], wz },
		{ wx, wy, wz, squares[3] } };
	lrd_f32x4 most = squares[3];
	memcpy(q, rows[3], sizeof rows[3]);
	for (int row = 0; row < 3; row++)
	{
		lrd_i32x4 larger = squares[row] > most;
		most = pick(larger, squares[row], most);
		for (int i = 0; i < 4; i++)
		{
			q[i] = pick(larger, rows[row][i], q[i]);
		}
	}
	lrd_f32x4 scale = 1.0f / lrd_f32x4_sqrt(lrd_f32x4_dots(q, q));
	for (int i = 0; i < 4; i++)
	{
		q[i] *= scale;
	}
}

/// Half the translation, as a quaternion, times `q`.
static inline void duals_of(const lrd_f32x4 t[4], const lrd_f32x4 q[4], lrd_f32x4 dual[4])
{
	dual[0] = 0.5f * (t[0] * q[3] + t[1] * q[2] - t[2] * q[1]);
	dual[1] = 0.5f * (t[1] * q[3] + t[2] * q[0] - t[0] * q[2]);
	dual[2] = 0.5f * (t[2] * q[3] + t[0] * q[1] - t[1] * q[0]);
	dual[3] = -0.5f * (t[0] * q[0] + t[1] * q[1] + t[2] * q[2]);
}

static void convert_four(const lrd_mat4 *const matrices[QUATS_AT_ONCE], lrd_dual_quat quats[QUATS_AT_ONCE])
{
	spans s;
	lrd_f32x4 translation[4] = { { 0 } }, real[4], dual[4];
	for (int column = 0; column < 4; column++)
	{
		for (uint32_t i = 0; i < QUATS_AT_ONCE; i++)
		{
			translation[i] = lrd_f32x4_load(matrices[i]->m + 4 * column);
		}
		lrd_f32x4_transpose(translation);
		for (int i = 0; i < 3 && column < 3; i++)
		{
			s.m[3 * column + i] = translation[i];
		}
	}
	lrd_i32x4 lost = find_rotations(&s);
	quats_of(&s, real);
	for (uint32_t i = 0; i < QUATS_AT_ONCE; i++)
	{
		if (lost[i] != 0) // flattened to a line or a point, or out of an f32's range
		{
			lrd_transform split;
			lrd_mat4_decompose(matrices[i], &split);
			real[0][i] = split.rotation.x;
			real[1][i] = split.rotation.y;
			real[2][i] = split.rotation.z;
			real[3][i] = split.rotation.w;
		}
	}
	duals_of(translation, real, dual);
	lrd_f32x4_transpose(real);
	lrd_f32x4_transpose(dual);
	for (uint32_t i = 0; i < QUATS_AT_ONCE; i++)
	{
		lrd_f32x4_store(&quats[i].real.x, real[i]);
		lrd_f32x4_store(&quats[i].dual.x, dual[i]);
	}
}

void lrd_dual_quats_from_palette(const lrd_mat4 *palette, uint32_t count, lrd_dual_quat *quats)
{
	for (uint32_t first = 0; first < count; first += QUATS_AT_ONCE)
	{
		uint32_t left = count - first < QUATS_AT_ONCE ? count - first : QUATS_AT_ONCE;
		const lrd_mat4 *matrices[QUATS_AT_ONCE];
		lrd_dual_quat made[QUATS_AT_ONCE];
		for (uint32_t i = 0; i < QUATS_AT_ONCE; i++)
		{
			matrices[i] = &palette[first + (i < left ? i : 0)];
		}
		convert_four(matrices, made);
		memcpy(quats + first, made, left * sizeof *made);
	}
}
