// block/bc1_cluster.h: cluster fit: texels in the order of their projection on an axis, and the best of all ways to cut
// that order into the colours of a block. Private to bc1_kernel.c.
//
// S. Brown, "DXT Compression Techniques" (squish): with the order given, ends by least squares for each way to cut it.
// I. Castano, "Fast BC1 compression" (nvtt): what a cut explains of the variance needs the sums of its clusters and a
// factor of its counts alone. With colours about their mean, the second end's sum is minus the first's, and the factor is
// count / determinant of the shares' squares.

#ifndef BLOCK_BC1_CLUSTER_H
#define BLOCK_BC1_CLUSTER_H

#include "block/bc1_fit.h"

// Ways to cut 16 texels into 4.
#define BC1_CUTS 969

/// Ways by number, and for each: 16 * 9 / determinant of the shares' squares in thirds; 0 where it is 0. Filled once a call.
typedef struct bc1_cuts
{
	float factor[BC1_CUTS];
	int32_t cut[BC1_CUTS]; // i | j << 8 | k << 16: the first texels of the second to the fourth part
} bc1_cuts;

// The number of a cut in the last bits of what it explains.
#define BC1_NUMBERS 1024
#define BC1_KEPT 8

typedef struct bc1_order
{
	lrd_f32s c[3][16];   // sorted; texels that are not used come last
	lrd_f32s sum[17][3]; // of the first so many, about the mean, by the roots of the weights
	lrd_f32s count;      // used ones
} bc1_order;

typedef struct bc1_axis
{
	lrd_f32s mean[3];
	lrd_f32s along[3]; // what a projection multiplies the channels by
} bc1_axis;

static inline void bc1_fill_cuts(bc1_cuts *cuts)
{
	int number = 0;
	for (int i = 0; i <= 16; ++i)
	{
		for (int j = i; j <= 16; ++j)
		{
			for (int k = j; k <= 16; ++k)
			{
				float n[4] = { (float)i, (float)(j - i), (float)(k - j), (float)(16 - k) };
				float mixed = 2.0f * (n[1] + n[2]);
				float determinant =
					(9.0f * n[0] + 4.0f * n[1] + n[2]) * (n[1] + 4.0f * n[2] + 9.0f * n[3]) - mixed * mixed;
				cuts->factor[number] = determinant > 0.0f ? 16.0f * 9.0f / determinant : 0.0f;
				cuts->cut[number++] = i | j << 8 | k << 16;
			}
		}
	}
}

/// The mean and the principal axis of the used texels, in channels times the roots of the weights.
static inline void bc1_principal(const bc1_texels *t, const float root[3], lrd_f32s count, bc1_axis *axis)
{
	lrd_f32s share = 1.0f / lrd_max(count, lrd_f32s_of(1.0f));
	for (int i = 0; i < 3; ++i)
	{
		lrd_f32s sum = lrd_f32s_of(0.0f);
		for (int k = 0; k < 16; ++k)
		{
			sum += t->c[i][k] * t->used[k];
		}
		axis->mean[i] = sum * share;
	}
	lrd_f32s v[6] = { 0 }; // rr, rg, rb, gg, gb, bb
	for (int k = 0; k < 16; ++k)
	{
		lrd_f32s r = (t->c[0][k] - axis->mean[0]) * t->used[k] * root[0];
		lrd_f32s g = (t->c[1][k] - axis->mean[1]) * t->used[k] * root[1];
		lrd_f32s b = (t->c[2][k] - axis->mean[2]) * t->used[k] * root[2];
		v[0] += r * r;
		v[1] += r * g;
		v[2] += r * b;
		v[3] += g * g;
		v[4] += g * b;
		v[5] += b * b;
	}
	// Power iteration from the row of the greatest variance, on a matrix of trace 1.
	lrd_f32s scale = 1.0f / lrd_max(v[0] + v[3] + v[5], lrd_f32s_of(1e-6f));
	lrd_mask green = lrd_less(v[0], v[3]);
	lrd_mask blue = lrd_less(lrd_max(v[0], v[3]), v[5]);
	lrd_f32s x = lrd_select(blue, v[2], lrd_select(green, v[1], v[0])) * scale;
	lrd_f32s y = lrd_select(blue, v[4], lrd_select(green, v[3], v[1])) * scale;
	lrd_f32s z = lrd_select(blue, v[5], lrd_select(green, v[4], v[2])) * scale;
	for (int i = 0; i < 6; ++i)
	{
		v[i] *= scale;
	}
	for (int i = 0; i < 6; ++i)
	{
		lrd_f32s p = v[0] * x + v[1] * y + v[2] * z;
		lrd_f32s q = v[1] * x + v[3] * y + v[4] * z;
		z = v[2] * x + v[4] * y + v[5] * z;
		x = p;
		y = q;
	}
	lrd_f32s most = lrd_max(lrd_max(lrd_abs(x), lrd_abs(y)), lrd_max(lrd_abs(z), lrd_f32s_of(1e-20f)));
	axis->along[0] = x / most * root[0];
	axis->along[1] = y / most * root[1];
	axis->along[2] = z / most * root[2];
}

static inline lrd_f32s bc1_project(const bc1_texels *t, int texel, const bc1_axis *axis)
{
	return (t->c[0][texel] - axis->mean[0]) * axis->along[0] + (t->c[1][texel] - axis->mean[1]) * axis->along[1] +
		   (t->c[2][texel] - axis->mean[2]) * axis->along[2];
}

/// Batcher's odd-even merge sort of 16 keys in each lane, words beside them: the greatest key first.
static inline void bc1_sort(lrd_f32s key[16], lrd_i32s word[16])
{
	for (int p = 1; p < 16; p *= 2)
	{
		for (int k = p; k >= 1; k /= 2)
		{
			for (int j = k % p; j + k < 16; j += 2 * k)
			{
				for (int i = j; i < j + k && i + k < 16; ++i)
				{
					if (i / (2 * p) != (i + k) / (2 * p))
					{
						continue;
					}
					lrd_mask wrong = lrd_less(key[i], key[i + k]);
					lrd_f32s greater = lrd_max(key[i], key[i + k]);
					lrd_i32s kept = lrd_select_i(wrong, word[i + k], word[i]);
					key[i + k] = lrd_min(key[i + k], key[i]);
					key[i] = greater;
					word[i + k] = lrd_select_i(wrong, word[i], word[i + k]);
					word[i] = kept;
				}
			}
		}
	}
}

static inline void bc1_order_along(
	const bc1_texels *t, const float root[3], lrd_f32s count, const bc1_axis *axis, bc1_order *order)
{
	lrd_f32s key[16];
	lrd_i32s word[16];
	for (int i = 0; i < 16; ++i)
	{
		lrd_mask used = lrd_less(lrd_f32s_of(0.0f), t->used[i]);
		key[i] = lrd_select(used, bc1_project(t, i, axis), lrd_f32s_of(-BC1_FAR));
		word[i] = t->word[i];
	}
	bc1_sort(key, word);
	order->count = count;
	for (int i = 0; i < 3; ++i)
	{
		order->sum[0][i] = lrd_f32s_of(0.0f);
		for (int k = 0; k < 16; ++k)
		{
			lrd_mask used = lrd_less(lrd_f32s_of((float)k), count);
			lrd_f32s c = lrd_to_f32s(word[k] >> (8 * i) & 255);
			order->c[i][k] = c;
			order->sum[k + 1][i] =
				order->sum[k][i] + lrd_select(used, (c - axis->mean[i]) * root[i], lrd_f32s_of(0.0f));
		}
	}
}

/// Keep the greatest `count` keys in order.
static inline void bc1_keep(lrd_i32s *kept, int count, lrd_i32s key)
{
	for (int i = 0; i < count; ++i)
	{
		lrd_i32s less = lrd_min_i(kept[i], key);
		kept[i] = lrd_max_i(kept[i], key);
		key = less;
	}
}

static inline lrd_i32s bc1_key(lrd_f32s explained, int number)
{
	return (lrd_bits_of_f32s(explained) & ~(BC1_NUMBERS - 1)) | number;
}

/// Four colours: the numbers of the cuts that explain most.
static inline void bc1_cuts_of_four(const bc1_order *o, const bc1_cuts *cuts, lrd_i32s *kept, int count)
{
	int number = 0;
	for (int i = 0; i < count; ++i)
	{
		kept[i] = lrd_i32s_of(0);
	}
	for (int i = 0; i <= 16; ++i)
	{
		for (int j = i; j <= 16; ++j)
		{
			lrd_f32s x = o->sum[i][0] + o->sum[j][0];
			lrd_f32s y = o->sum[i][1] + o->sum[j][1];
			lrd_f32s z = o->sum[i][2] + o->sum[j][2];
			for (int k = j; k <= 16; ++k, ++number)
			{
				lrd_f32s r = x + o->sum[k][0];
				lrd_f32s g = y + o->sum[k][1];
				lrd_f32s b = z + o->sum[k][2];
				bc1_keep(kept, count, bc1_key((r * r + g * g + b * b) * cuts->factor[number], number));
			}
		}
	}
	for (int i = 0; i < count; ++i)
	{
		kept[i] = lrd_gather_i(cuts->cut, kept[i] & (BC1_NUMBERS - 1));
	}
}

/// Three colours, of the used texels, as i | j << 8.
static inline void bc1_cuts_of_three(const bc1_order *o, lrd_i32s *kept, int count)
{
	for (int i = 0; i < count; ++i)
	{
		kept[i] = lrd_i32s_of(0);
	}
	for (int i = 0; i <= 16; ++i)
	{
		for (int j = i; j <= 16; ++j)
		{
			// Counts of the three parts, of those used; the sums past them stay as they are.
			lrd_f32s n0 = lrd_min(o->count, lrd_f32s_of((float)i));
			lrd_f32s n1 = lrd_min(o->count, lrd_f32s_of((float)j)) - n0;
			lrd_f32s n2 = o->count - n0 - n1;
			lrd_f32s determinant = n0 * n2 + n1 * (n0 + n2) * 0.25f;
			lrd_f32s r = o->sum[i][0] + o->sum[j][0];
			lrd_f32s g = o->sum[i][1] + o->sum[j][1];
			lrd_f32s b = o->sum[i][2] + o->sum[j][2];
			lrd_f32s explained = (r * r + g * g + b * b) / lrd_max(determinant, lrd_f32s_of(1e-3f));
			explained = lrd_select(lrd_less(lrd_f32s_of(0.0f), determinant), explained, lrd_f32s_of(0.0f));
			bc1_keep(kept, count, bc1_key(explained, i | j << 5));
		}
	}
	for (int i = 0; i < count; ++i)
	{
		kept[i] = (kept[i] & 31) | (kept[i] >> 5 & 31) << 8;
	}
}

/// The sums of a cut: bc1_solve's.
static inline void bc1_sums_of_cut(const bc1_order *o, lrd_i32s cut, bool four, bc1_sums *s)
{
	lrd_i32s i = cut & 255;
	lrd_i32s j = cut >> 8 & 255;
	lrd_i32s k = cut >> 16;
	lrd_f32s zero = lrd_f32s_of(0.0f);
	lrd_f32s part = lrd_f32s_of(four ? 1.0f / 3.0f : 0.5f);
	*s = (bc1_sums){ 0 };
	for (int n = 0; n < 16; ++n)
	{
		lrd_i32s at = lrd_i32s_of(n);
		lrd_f32s a = lrd_select(lrd_less_i(at, i), part, zero) + lrd_select(lrd_less_i(at, j), part, zero);
		lrd_f32s b = 1.0f - a;
		if (four)
		{
			a += lrd_select(lrd_less_i(at, k), part, zero);
			b = 1.0f - a;
		}
		else
		{
			lrd_mask used = lrd_less(lrd_f32s_of((float)n), o->count);
			a = lrd_select(used, a, zero);
			b = lrd_select(used, b, zero);
		}
		s->aa += a * a;
		s->ab += a * b;
		s->bb += b * b;
		for (int c = 0; c < 3; ++c)
		{
			s->a[c] += a * o->c[c][n];
			s->b[c] += b * o->c[c][n];
		}
	}
}

#endif
