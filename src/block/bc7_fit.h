// block/bc7_fit.h: the heart of the BC7 encoder: endpoints and indices of a block for a mode and a partition, a block a
// lane. Part of the kernel: included by bc7_kernel.c alone, once for each instruction set.
//
// A subset's first axis is the principal one of its texels. Indices are the nearest steps of the projections on it;
// the endpoints that suit those indices best are a linear least squares problem of two unknowns a channel, and putting
// them on the grid of the mode is a nearest plane search (Babai, "On Lovasz' lattice reduction and the nearest lattice
// point problem", 1986) in two dimensions: the first endpoint is rounded, the second is fitted to that and rounded.

#ifndef BLOCK_BC7_FIT_H
#define BLOCK_BC7_FIT_H

#include "base/lanes.h"
#include "block/bc7.h"

#define FIT_INLINE static inline __attribute__((always_inline))

/// Where the low bit of an endpoint's channels comes from.
typedef enum bc7_p
{
	P_NONE,
	P_SHARED, ///< one for both endpoints of a subset
	P_EACH,
	P_ONE, ///< always 1: what an opaque block needs in a mode with alpha
} bc7_p;

/// A mode as the fit sees it. Always a constant, so that each mode becomes code of its own.
typedef struct bc7_shape
{
	int subsets;  ///< 1..3
	int channels; ///< 3, or 4 with alpha
	int levels;   ///< of an index: 4, 8 or 16
	int bits;     ///< of an endpoint's channel with its p-bit
	bc7_p p;
} bc7_shape;

/// LRD_LANES blocks, and for each which texels are in the second and third subset.
typedef struct bc7_texels
{
	lrd_f32s x[4][16]; ///< 0..255
	lrd_i32s in_second, in_third;
} bc7_texels;

/// How errors are weighed: channel * (sum of squares) + luma * (weighted sum)^2; linear: 1 and 0.
typedef struct bc7_metric
{
	bool eye; ///< luma counts
	float channel, alpha, luma;
	float of[3]; ///< each channel's share of luma
} bc7_metric;

/// Where indices come from: index = (x . d - off) in 0..levels-1.
typedef struct bc7_line
{
	lrd_f32s d[4], off;
} bc7_line;

/// Sums over a subset, w being the weight of the second endpoint.
typedef struct bc7_sums
{
	lrd_f32s n, w, ww, x[4], wx[4];
	lrd_f32s alpha[2]; ///< least and greatest, with four channels
} bc7_sums;

/// Endpoints of a subset as they are decoded: integers 0..255.
typedef struct bc7_ends
{
	lrd_f32s e[2][4];
} bc7_ends;

/// Sums over a subset of texels, of their channels, and of products of two: 00 01 02 11 12 22 03 13 23 33.
typedef struct bc7_moments
{
	lrd_f32s n, x[4], xx[10];
} bc7_moments;

/// Far above any sum of squares: what it costs to lose an alpha of 0 or 255.
#define BC7_REFUSED 1e8f

static const int moment_of[4][4] = { { 0, 1, 2, 6 }, { 1, 3, 4, 7 }, { 2, 4, 5, 8 }, { 6, 7, 8, 9 } };

FIT_INLINE lrd_f32s zero_f32s(void)
{
	return lrd_f32s_of(0.0f);
}

FIT_INLINE lrd_i32s subset_bits(const bc7_texels *texels, int subset)
{
	return subset == 1 ? texels->in_second : texels->in_third;
}

/// Those of the texels of a subset but the first, which has what is left.
FIT_INLINE void moments_of(const bc7_texels *texels, int channels, bool all, lrd_i32s members, bc7_moments *m)
{
	*m = (bc7_moments){ 0 };
	for (int i = 0; i < 16; ++i)
	{
		lrd_f32s x[4], one = lrd_f32s_of(1.0f);
		lrd_mask in = lrd_bit(members, i);
		for (int c = 0; c < channels; ++c)
		{
			x[c] = all ? texels->x[c][i] : lrd_select(in, texels->x[c][i], zero_f32s());
			m->x[c] += x[c];
			for (int e = 0; e <= c; ++e)
			{
				m->xx[moment_of[e][c]] += x[c] * x[e];
			}
		}
		m->n = all ? m->n + one : lrd_add_where(in, m->n, one);
	}
}

FIT_INLINE void moments_take_away(bc7_moments *from, const bc7_moments *m, int channels)
{
	from->n -= m->n;
	for (int c = 0; c < channels; ++c)
	{
		from->x[c] -= m->x[c];
		for (int e = 0; e <= c; ++e)
		{
			from->xx[moment_of[e][c]] -= m->xx[moment_of[e][c]];
		}
	}
}

/// Multiply by the matrix of the metric.
FIT_INLINE void weigh(const bc7_metric *metric, int channels, const lrd_f32s v[4], lrd_f32s to[4])
{
	if (!metric->eye)
	{
		for (int c = 0; c < channels; ++c)
		{
			to[c] = v[c];
		}
		return;
	}
	lrd_f32s luma = (v[0] * metric->of[0] + v[1] * metric->of[1] + v[2] * metric->of[2]) * metric->luma;
	for (int c = 0; c < 3; ++c)
	{
		to[c] = v[c] * metric->channel + luma * metric->of[c];
	}
	if (channels == 4)
	{
		to[3] = v[3] * metric->alpha;
	}
}

/// The principal axis of a subset, by power iteration from the column of the greatest variance.
/// n * sum(xy) - sum(x) * sum(y) is below 2^24 for bytes: exact.
FIT_INLINE void axis_of(const bc7_moments *m, const bc7_metric *metric, int channels, int iterations, lrd_f32s v[4])
{
	lrd_f32s covariance[10], trace = zero_f32s();
	for (int c = 0; c < channels; ++c)
	{
		for (int e = 0; e <= c; ++e)
		{
			covariance[moment_of[e][c]] = m->n * m->xx[moment_of[e][c]] - m->x[e] * m->x[c];
		}
		trace += covariance[moment_of[c][c]];
	}
	lrd_f32s scale = 1.0f / lrd_max(trace, lrd_f32s_of(1.0f));
	lrd_f32s greatest = covariance[0] * scale;
	for (int c = 0; c < channels; ++c)
	{
		for (int e = 0; e <= c; ++e)
		{
			covariance[moment_of[e][c]] *= scale;
		}
		v[c] = covariance[moment_of[0][c]];
	}
	for (int k = 1; k < channels; ++k)
	{
		lrd_mask more = lrd_less(greatest, covariance[moment_of[k][k]]);
		greatest = lrd_max(greatest, covariance[moment_of[k][k]]);
		for (int c = 0; c < channels; ++c)
		{
			v[c] = lrd_select(more, covariance[moment_of[k][c]], v[c]);
		}
	}
	for (int i = 0; i < iterations; ++i)
	{
		lrd_f32s weighed[4], next[4];
		weigh(metric, channels, v, weighed);
		for (int c = 0; c < channels; ++c)
		{
			next[c] = covariance[moment_of[c][0]] * weighed[0];
			for (int e = 1; e < channels; ++e)
			{
				next[c] += covariance[moment_of[c][e]] * weighed[e];
			}
		}
		for (int c = 0; c < channels; ++c)
		{
			v[c] = next[c];
		}
	}
}

FIT_INLINE lrd_f32s dot(const lrd_f32s a[4], const lrd_f32s b[4], int channels)
{
	lrd_f32s sum = a[0] * b[0];
	for (int c = 1; c < channels; ++c)
	{
		sum += a[c] * b[c];
	}
	return sum;
}

/// Texel i's line: that of its subset.
FIT_INLINE bc7_line line_at(const bc7_texels *texels, const bc7_line *lines, bc7_shape shape, int i)
{
	bc7_line line = lines[0];
	for (int s = 1; s < shape.subsets; ++s)
	{
		lrd_mask in = lrd_bit(subset_bits(texels, s), i);
		for (int c = 0; c < shape.channels; ++c)
		{
			line.d[c] = lrd_select(in, lines[s].d[c], line.d[c]);
		}
		line.off = lrd_select(in, lines[s].off, line.off);
	}
	return line;
}

FIT_INLINE lrd_f32s project(const bc7_texels *texels, const bc7_line *line, int channels, int i)
{
	lrd_f32s t = texels->x[0][i] * line->d[0];
	for (int c = 1; c < channels; ++c)
	{
		t += texels->x[c][i] * line->d[c];
	}
	return t - line->off;
}

/// Lines along the axes from the least to the greatest projection.
FIT_INLINE void lines_of_axes(const bc7_texels *texels, bc7_shape shape, bc7_line lines[3])
{
	lrd_f32s low[3], high[3], far = lrd_f32s_of(1e30f);
	for (int s = 0; s < shape.subsets; ++s)
	{
		low[s] = far;
		high[s] = -far;
		lines[s].off = zero_f32s();
	}
	for (int i = 0; i < 16; ++i)
	{
		bc7_line line = line_at(texels, lines, shape, i);
		lrd_f32s t = project(texels, &line, shape.channels, i);
		lrd_mask rest = lrd_less(zero_f32s(), lrd_f32s_of(1.0f));
		for (int s = 1; s < shape.subsets; ++s)
		{
			lrd_mask in = lrd_bit(subset_bits(texels, s), i);
			low[s] = lrd_select(in, lrd_min(t, low[s]), low[s]);
			high[s] = lrd_select(in, lrd_max(t, high[s]), high[s]);
			rest = lrd_mask_and(rest, lrd_mask_not(in));
		}
		low[0] = shape.subsets == 1 ? lrd_min(t, low[0]) : lrd_select(rest, lrd_min(t, low[0]), low[0]);
		high[0] = shape.subsets == 1 ? lrd_max(t, high[0]) : lrd_select(rest, lrd_max(t, high[0]), high[0]);
	}
	for (int s = 0; s < shape.subsets; ++s)
	{
		lrd_f32s range = high[s] - low[s];
		lrd_f32s scale =
			lrd_select(lrd_less(lrd_f32s_of(1e-9f), range), (float)(shape.levels - 1) / range, zero_f32s());
		for (int c = 0; c < shape.channels; ++c)
		{
			lines[s].d[c] *= scale;
		}
		lines[s].off = low[s] * scale;
	}
}

/// Lines from each first endpoint to the second.
FIT_INLINE void lines_of_ends(const bc7_ends *ends, const bc7_metric *metric, bc7_shape shape, bc7_line lines[3])
{
	for (int s = 0; s < shape.subsets; ++s)
	{
		lrd_f32s way[4], d[4];
		for (int c = 0; c < shape.channels; ++c)
		{
			way[c] = ends[s].e[1][c] - ends[s].e[0][c];
		}
		weigh(metric, shape.channels, way, d);
		lrd_f32s length = dot(way, d, shape.channels);
		lrd_f32s scale = (float)(shape.levels - 1) / lrd_max(length, lrd_f32s_of(1e-3f));
		for (int c = 0; c < shape.channels; ++c)
		{
			lines[s].d[c] = d[c] * scale;
		}
		lines[s].off = dot(lines[s].d, ends[s].e[0], shape.channels);
	}
}

FIT_INLINE lrd_f32s index_at(const bc7_texels *texels, const bc7_line *lines, bc7_shape shape, int i)
{
	const float most = (float)(shape.levels - 1);
	bc7_line line = line_at(texels, lines, shape, i);
	lrd_f32s index = lrd_round(lrd_clamp(project(texels, &line, shape.channels, i), 0.0f, most));
	if (shape.channels == 4)
	{
		// texels without or with all alpha are where an endpoint is, which has it exactly
		lrd_f32s none = lrd_f32s_of(0.0f), all = lrd_f32s_of(most), alpha = texels->x[3][i];
		lrd_mask up = lrd_less(none, line.d[3]), down = lrd_less(line.d[3], none);
		lrd_mask clear = lrd_equal(alpha, none), full = lrd_equal(alpha, lrd_f32s_of(255.0f));
		lrd_mask first = lrd_mask_or(lrd_mask_and(up, clear), lrd_mask_and(down, full));
		lrd_mask last = lrd_mask_or(lrd_mask_and(up, full), lrd_mask_and(down, clear));
		index = lrd_select(first, none, lrd_select(last, all, index));
	}
	return index;
}

/// In 64ths. The tables of weights are i * 64 / (levels - 1), rounded.
FIT_INLINE lrd_f32s weight_of(lrd_f32s index, bc7_shape shape)
{
	return lrd_round(index * (64.0f / (float)(shape.levels - 1)));
}

/// Choose indices by the lines, and sum up what the fit of the endpoints needs. `x` of the sums is there already.
FIT_INLINE void sums_of_lines(const bc7_texels *texels, const bc7_line *lines, bc7_shape shape, bc7_sums sums[3])
{
	for (int s = 0; s < shape.subsets; ++s)
	{
		sums[s].w = sums[s].ww = sums[s].wx[0] = sums[s].wx[1] = sums[s].wx[2] = sums[s].wx[3] = zero_f32s();
	}
	for (int i = 0; i < 16; ++i)
	{
		lrd_f32s w = weight_of(index_at(texels, lines, shape, i), shape) * (1.0f / 64);
		lrd_f32s ww = w * w;
		sums[0].w += w;
		sums[0].ww += ww;
		for (int s = 1; s < shape.subsets; ++s)
		{
			lrd_mask in = lrd_bit(subset_bits(texels, s), i);
			sums[s].w = lrd_add_where(in, sums[s].w, w);
			sums[s].ww = lrd_add_where(in, sums[s].ww, ww);
		}
		for (int c = 0; c < shape.channels; ++c)
		{
			lrd_f32s wx = w * texels->x[c][i];
			sums[0].wx[c] += wx;
			for (int s = 1; s < shape.subsets; ++s)
			{
				sums[s].wx[c] = lrd_add_where(lrd_bit(subset_bits(texels, s), i), sums[s].wx[c], wx);
			}
		}
	}
	for (int s = 1; s < shape.subsets; ++s) // the first subset has what is left
	{
		sums[0].w -= sums[s].w;
		sums[0].ww -= sums[s].ww;
		for (int c = 0; c < shape.channels; ++c)
		{
			sums[0].wx[c] -= sums[s].wx[c];
		}
	}
}

/// What a code of `bits` bits is decoded to: its highest bits again below.
FIT_INLINE lrd_f32s widen(lrd_f32s code, int bits)
{
	if (bits == 8)
	{
		return code;
	}
	lrd_i32s whole = lrd_to_i32s(code);
	return lrd_to_f32s((whole << (8 - bits)) | (whole >> (2 * bits - 8)));
}

/// The nearest value that the mode can store, with low bit `p` where it has p-bits; as decoded.
FIT_INLINE lrd_f32s on_grid(lrd_f32s value, int bits, bool has_p, float p)
{
	const float most = (float)((1 << bits) - 1);
	if (!has_p)
	{
		return widen(lrd_round(lrd_clamp(value * (most / 255.0f), 0.0f, most)), bits);
	}
	lrd_f32s half = lrd_round(lrd_clamp((value * (most / 255.0f) - p) * 0.5f, 0.0f, (float)((1 << (bits - 1)) - 1)));
	return widen(half * 2.0f + p, bits);
}

/// The values that the mode can store below and above.
FIT_INLINE void around_on_grid(lrd_f32s value, int bits, bool has_p, float p, lrd_f32s around[2])
{
	const float most = (float)((1 << bits) - 1), step = has_p ? 2.0f : 1.0f;
	const float highest = has_p ? (float)((1 << (bits - 1)) - 1) : most;
	lrd_f32s low = lrd_clamp((value * (most / 255.0f) - p) / step, 0.0f, highest - 1.0f);
	low = lrd_to_f32s(lrd_to_i32s(low));
	around[0] = widen(low * step + p, bits);
	around[1] = widen(low * step + p + step, bits);
}

/// The endpoints of a channel on the grid that cost least, for p-bits `p`.
FIT_INLINE lrd_f32s channel_on_grid(lrd_f32s first_target, lrd_f32s second_target, bc7_shape shape, const float p[2],
	lrd_f32s ratio, lrd_f32s first_cost, lrd_f32s second_cost, lrd_f32s ends[2])
{
	lrd_f32s around[2], least = zero_f32s();
	around_on_grid(first_target, shape.bits, shape.p != P_NONE, p[0], around);
	for (int k = 0; k < 2; ++k)
	{
		lrd_f32s off = around[k] - first_target, target = second_target - ratio * off;
		lrd_f32s second = on_grid(target, shape.bits, shape.p != P_NONE, p[1]);
		lrd_f32s cost = off * off * first_cost + (second - target) * (second - target) * second_cost;
		lrd_mask less = lrd_less(cost, least);
		least = k == 0 ? cost : lrd_min(cost, least);
		ends[0] = k == 0 ? around[k] : lrd_select(less, around[k], ends[0]);
		ends[1] = k == 0 ? second : lrd_select(less, second, ends[1]);
	}
	return least;
}

/// Alpha of 0 and 255 must be kept: the endpoint on that side has it, with the p-bit that it needs. Adds what a choice
/// of p-bits costs that can't.
FIT_INLINE lrd_f32s hold_alpha(lrd_f32s target[2][4], const lrd_f32s alpha[2], const float p[2], lrd_f32s ends[2])
{
	lrd_mask descending = lrd_less(target[1][3], target[0][3]);
	lrd_f32s cost = zero_f32s(), full = lrd_f32s_of(255.0f);
	for (int e = 0; e < 2; ++e)
	{
		lrd_f32s held = lrd_select(descending, alpha[1 - e], alpha[e]);
		lrd_mask is_full = lrd_equal(held, full), is_clear = lrd_equal(held, zero_f32s());
		ends[e] = lrd_select(lrd_mask_or(is_full, is_clear), held, ends[e]);
		cost += lrd_select(p[e] != 0.0f ? is_clear : is_full, lrd_f32s_of(BC7_REFUSED), zero_f32s());
	}
	return cost;
}

/// As ends_on_grid, with every choice of p-bits and of the first endpoint's neighbours.
FIT_INLINE void ends_on_grid_thoroughly(lrd_f32s target[2][4], bc7_shape shape, const lrd_f32s alpha[2], lrd_f32s ratio,
	lrd_f32s first_cost, lrd_f32s second_cost, bc7_ends *ends)
{
	*ends = (bc7_ends){ 0 };
	lrd_f32s least = lrd_f32s_of(1e30f);
	for (int k = shape.p == P_ONE ? 3 : 0; k < (shape.p == P_NONE ? 1 : 4); k += shape.p == P_SHARED ? 3 : 1)
	{
		const float p[2] = { (float)(k & 1), (float)(k >> 1) };
		lrd_f32s tried[4][2], cost = zero_f32s();
		for (int c = 0; c < shape.channels; ++c)
		{
			cost += channel_on_grid(target[0][c], target[1][c], shape, p, ratio, first_cost, second_cost, tried[c]);
		}
		if (shape.channels == 4)
		{
			cost += hold_alpha(target, alpha, p, tried[3]);
		}
		lrd_mask less = lrd_less(cost, least);
		least = lrd_min(cost, least);
		for (int c = 0; c < shape.channels; ++c)
		{
			ends->e[0][c] = lrd_select(less, tried[c][0], ends->e[0][c]);
			ends->e[1][c] = lrd_select(less, tried[c][1], ends->e[1][c]);
		}
	}
}

FIT_INLINE lrd_f32s squared_distance(const lrd_f32s a[4], const lrd_f32s b[4], int channels)
{
	lrd_f32s sum = (a[0] - b[0]) * (a[0] - b[0]);
	for (int c = 1; c < channels; ++c)
	{
		sum += (a[c] - b[c]) * (a[c] - b[c]);
	}
	return sum;
}

/// An endpoint on the grid, with the better p-bit. Returns the squared distance.
FIT_INLINE lrd_f32s end_on_grid(const lrd_f32s value[4], bc7_shape shape, lrd_f32s end[4])
{
	lrd_f32s other[4];
	for (int c = 0; c < shape.channels; ++c)
	{
		end[c] = on_grid(value[c], shape.bits, shape.p != P_NONE, shape.p == P_ONE ? 1.0f : 0.0f);
		if (shape.p == P_EACH)
		{
			other[c] = on_grid(value[c], shape.bits, true, 1.0f);
		}
	}
	lrd_f32s distance = squared_distance(end, value, shape.channels);
	if (shape.p != P_EACH)
	{
		return distance;
	}
	lrd_f32s other_distance = squared_distance(other, value, shape.channels);
	lrd_mask less = lrd_less(other_distance, distance);
	for (int c = 0; c < shape.channels; ++c)
	{
		end[c] = lrd_select(less, other[c], end[c]);
	}
	return lrd_min(other_distance, distance);
}

/// What is left for the second endpoint to do once the first is on the grid.
FIT_INLINE void second_target(
	lrd_f32s target[2][4], const lrd_f32s first[4], lrd_f32s ratio, int channels, lrd_f32s to[4])
{
	for (int c = 0; c < channels; ++c)
	{
		to[c] = target[1][c] - ratio * (first[c] - target[0][c]);
	}
}

/// Both endpoints of a subset on the grid. `first_cost`, `second_cost`: of a unit off each, the second being fitted to
/// the first by `ratio`.
FIT_INLINE void ends_on_grid(
	lrd_f32s target[2][4], bc7_shape shape, lrd_f32s ratio, lrd_f32s first_cost, lrd_f32s second_cost, bc7_ends *ends)
{
	lrd_f32s second[4] = { zero_f32s(), zero_f32s(), zero_f32s(), zero_f32s() };
	if (shape.p != P_SHARED)
	{
		end_on_grid(target[0], shape, ends->e[0]);
		second_target(target, ends->e[0], ratio, shape.channels, second);
		end_on_grid(second, shape, ends->e[1]);
		return;
	}
	lrd_f32s least = zero_f32s();
	for (int p = 0; p < 2; ++p)
	{
		bc7_ends tried = { 0 };
		for (int c = 0; c < shape.channels; ++c)
		{
			tried.e[0][c] = on_grid(target[0][c], shape.bits, true, (float)p);
		}
		second_target(target, tried.e[0], ratio, shape.channels, second);
		for (int c = 0; c < shape.channels; ++c)
		{
			tried.e[1][c] = on_grid(second[c], shape.bits, true, (float)p);
		}
		lrd_f32s cost = squared_distance(tried.e[0], target[0], shape.channels) * first_cost +
						squared_distance(tried.e[1], second, shape.channels) * second_cost;
		lrd_mask less = lrd_less(cost, least);
		least = p == 0 ? cost : lrd_min(cost, least);
		for (int c = 0; c < shape.channels; ++c)
		{
			ends->e[0][c] = p == 0 ? tried.e[0][c] : lrd_select(less, tried.e[0][c], ends->e[0][c]);
			ends->e[1][c] = p == 0 ? tried.e[1][c] : lrd_select(less, tried.e[1][c], ends->e[1][c]);
		}
	}
}

/// The endpoints that suit the indices behind the sums best. Where all indices are the same, both are the mean.
FIT_INLINE void ends_of_sums(const bc7_sums *sums, bc7_shape shape, bool thorough, bc7_ends *ends)
{
	for (int s = 0; s < shape.subsets; ++s)
	{
		lrd_f32s b = sums[s].w - sums[s].ww, c = sums[s].ww;
		lrd_f32s a = sums[s].n - sums[s].w - b;
		lrd_f32s determinant = a * c - b * b;
		lrd_mask sound = lrd_less(lrd_f32s_of(1e-3f), determinant);
		lrd_f32s inverse = 1.0f / lrd_select(sound, determinant, lrd_f32s_of(1.0f));
		lrd_f32s per_n = 1.0f / lrd_max(sums[s].n, lrd_f32s_of(1.0f));
		lrd_f32s target[2][4];
		for (int i = 0; i < shape.channels; ++i)
		{
			lrd_f32s x1 = sums[s].wx[i], x0 = sums[s].x[i] - x1, mean = sums[s].x[i] * per_n;
			target[0][i] = lrd_select(sound, (c * x0 - b * x1) * inverse, mean);
			target[1][i] = lrd_select(sound, (a * x1 - b * x0) * inverse, mean);
		}
		lrd_f32s ratio = lrd_select(sound, b / lrd_max(c, lrd_f32s_of(1e-3f)), zero_f32s());
		lrd_f32s first_cost = lrd_select(sound, a - b * ratio, lrd_f32s_of(1.0f));
		lrd_f32s second_cost = lrd_select(sound, c, lrd_f32s_of(1.0f));
		if (thorough || shape.channels == 4)
		{
			ends_on_grid_thoroughly(target, shape, sums[s].alpha, ratio, first_cost, second_cost, &ends[s]);
		}
		else
		{
			ends_on_grid(target, shape, ratio, first_cost, second_cost, &ends[s]);
		}
	}
}

/// (64 - w) * a + w * b, rounded as decoders do; integers all.
FIT_INLINE lrd_f32s mix(lrd_f32s first, lrd_f32s way, lrd_f32s weight)
{
	// 1/256 decides the ties, which go up
	return lrd_round(first + (1.0f / 256) + way * weight);
}

/// What a fit came to.
typedef struct bc7_fit
{
	bc7_ends ends[3];
	lrd_i32s index[16];
	lrd_f32s error;
	lrd_f32s of_subset[3]; ///< its parts
} bc7_fit;

/// The error of a texel that is off by `off`.
FIT_INLINE lrd_f32s error_of(const bc7_metric *metric, int channels, const lrd_f32s off[4])
{
	lrd_f32s weighed[4];
	weigh(metric, channels, off, weighed);
	return dot(off, weighed, channels);
}

FIT_INLINE lrd_mask is_extreme(lrd_f32s alpha)
{
	return lrd_mask_or(lrd_equal(alpha, zero_f32s()), lrd_equal(alpha, lrd_f32s_of(255.0f)));
}

/// Decoded alpha differs where texels are all there or not at all.
FIT_INLINE lrd_f32s alpha_penalty(lrd_f32s alpha, lrd_f32s off)
{
	lrd_mask kept = lrd_equal(off, zero_f32s());
	return lrd_select(lrd_mask_and(is_extreme(alpha), lrd_mask_not(kept)), lrd_f32s_of(BC7_REFUSED), zero_f32s());
}

/// Choose indices for the endpoints and measure what decoders will make of them.
FIT_INLINE void measure(const bc7_texels *texels, const bc7_metric *metric, bc7_shape shape, bc7_fit *fit)
{
	bc7_line lines[3];
	lines_of_ends(fit->ends, metric, shape, lines);
	fit->error = fit->of_subset[1] = fit->of_subset[2] = zero_f32s();
	for (int i = 0; i < 16; ++i)
	{
		lrd_f32s index = index_at(texels, lines, shape, i);
		fit->index[i] = lrd_to_i32s(index);
		lrd_f32s weight = weight_of(index, shape) * (1.0f / 64), off[4];
		for (int c = 0; c < shape.channels; ++c)
		{
			lrd_f32s first = fit->ends[0].e[0][c], second = fit->ends[0].e[1][c];
			for (int s = 1; s < shape.subsets; ++s)
			{
				lrd_mask in = lrd_bit(subset_bits(texels, s), i);
				first = lrd_select(in, fit->ends[s].e[0][c], first);
				second = lrd_select(in, fit->ends[s].e[1][c], second);
			}
			off[c] = mix(first, second - first, weight) - texels->x[c][i];
		}
		lrd_f32s error = error_of(metric, shape.channels, off);
		if (shape.channels == 4)
		{
			error += alpha_penalty(texels->x[3][i], off[3]);
		}
		fit->error += error;
		for (int s = 1; s < shape.subsets; ++s)
		{
			fit->of_subset[s] = lrd_add_where(lrd_bit(subset_bits(texels, s), i), fit->of_subset[s], error);
		}
	}
	fit->of_subset[0] = fit->error - fit->of_subset[1] - fit->of_subset[2];
}

/// Take over the subsets that `fit` does better, endpoints and errors; indices follow from a measurement.
FIT_INLINE void keep_better(bc7_fit *best, const bc7_fit *fit, bc7_shape shape)
{
	best->error = zero_f32s();
	for (int s = 0; s < shape.subsets; ++s)
	{
		lrd_mask better = lrd_less(fit->of_subset[s], best->of_subset[s]);
		best->of_subset[s] = lrd_min(fit->of_subset[s], best->of_subset[s]);
		best->error += best->of_subset[s];
		for (int c = 0; c < shape.channels; ++c)
		{
			best->ends[s].e[0][c] = lrd_select(better, fit->ends[s].e[0][c], best->ends[s].e[0][c]);
			best->ends[s].e[1][c] = lrd_select(better, fit->ends[s].e[1][c], best->ends[s].e[1][c]);
		}
	}
}

/// `value` some steps of the grid away, with the p-bit that it has.
FIT_INLINE lrd_f32s step_on_grid(lrd_f32s value, bc7_shape shape, int steps)
{
	const int shift = 8 - shape.bits, by = shape.p == P_NONE ? 1 : 2, most = (1 << shape.bits) - 1;
	lrd_i32s code = lrd_to_i32s(value) >> shift;
	lrd_i32s moved = code + by * steps;
	lrd_mask inside = lrd_mask_and(lrd_less_i(moved, lrd_i32s_of(most + 1)), lrd_less_i(lrd_i32s_of(-1), moved));
	moved = lrd_select_i(inside, moved, code);
	return lrd_to_f32s((moved << shift) | (moved >> (2 * shape.bits - 8)));
}

/// Move endpoints by steps of the grid, a channel at a time, and keep what is better.
FIT_INLINE void polish(const bc7_texels *texels, const bc7_metric *metric, bc7_shape shape, int rounds, bc7_fit *best)
{
	static const int moves[6][2] = { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 }, { 1, 1 }, { -1, -1 } };
	for (int round = 0; round < rounds; ++round)
	{
		for (int k = 0; k < 6 * shape.channels; ++k)
		{
			int c = k / 6;
			bc7_fit tried = *best;
			for (int s = 0; s < shape.subsets; ++s)
			{
				tried.ends[s].e[0][c] = step_on_grid(best->ends[s].e[0][c], shape, moves[k % 6][0]);
				tried.ends[s].e[1][c] = step_on_grid(best->ends[s].e[1][c], shape, moves[k % 6][1]);
			}
			measure(texels, metric, shape, &tried);
			keep_better(best, &tried, shape);
		}
	}
}

FIT_INLINE void moments_of_subsets(const bc7_texels *texels, bc7_shape shape, bc7_moments moments[3])
{
	moments_of(texels, shape.channels, true, texels->in_second, &moments[0]);
	for (int s = 1; s < shape.subsets; ++s)
	{
		moments_of(texels, shape.channels, false, subset_bits(texels, s), &moments[s]);
		moments_take_away(&moments[0], &moments[s], shape.channels);
	}
}

/// First guesses: how many steps of the index the least and the greatest projection lie inside the range of indices.
/// Indices and endpoints that suit each other are a local optimum, and which one is found depends on where one starts.
#define BC7_STARTS 9
static const float starts[BC7_STARTS][2] = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 1, 1 }, { -0.5f, -0.5f }, { 2, 0 },
	{ 0, 2 }, { -1, 0 }, { 0, -1 } };

/// The least and greatest alpha of each subset.
FIT_INLINE void alpha_of_subsets(const bc7_texels *texels, bc7_shape shape, bc7_sums sums[3])
{
	for (int s = 0; s < shape.subsets; ++s)
	{
		lrd_f32s low = lrd_f32s_of(255.0f), high = zero_f32s();
		for (int i = 0; i < 16; ++i)
		{
			lrd_mask in = lrd_bit(texels->in_second, i);
			in = s == 0 ? lrd_mask_not(in) : in;
			lrd_f32s x = texels->x[3][i];
			low = shape.subsets == 1 ? lrd_min(x, low) : lrd_select(in, lrd_min(x, low), low);
			high = shape.subsets == 1 ? lrd_max(x, high) : lrd_select(in, lrd_max(x, high), high);
		}
		sums[s].alpha[0] = low;
		sums[s].alpha[1] = high;
	}
}

/// From one start, least squares and indices in turns.
FIT_INLINE void fit_from(const bc7_texels *texels, const bc7_metric *metric, bc7_shape shape,
	const lrd_bc7_trial *trial, const float start[2], const bc7_line axes[3], bc7_sums sums[3], bc7_fit *fit)
{
	bc7_line lines[3];
	const float most = (float)(shape.levels - 1), scale = (most - start[0] - start[1]) / most;
	for (int s = 0; s < shape.subsets; ++s)
	{
		lines[s].off = axes[s].off * scale - start[0];
		for (int c = 0; c < shape.channels; ++c)
		{
			lines[s].d[c] = axes[s].d[c] * scale;
		}
	}
	sums_of_lines(texels, lines, shape, sums);
	ends_of_sums(sums, shape, trial->thorough, fit->ends);
	for (int i = 0; i < trial->refinements; ++i)
	{
		lines_of_ends(fit->ends, metric, shape, lines);
		sums_of_lines(texels, lines, shape, sums);
		ends_of_sums(sums, shape, trial->thorough, fit->ends);
	}
	measure(texels, metric, shape, fit);
}

/// A whole fit: the axes, then the best of all starts.
FIT_INLINE void fit_shape(
	const bc7_texels *texels, const bc7_metric *metric, bc7_shape shape, const lrd_bc7_trial *trial, bc7_fit *best)
{
	bc7_moments moments[3];
	bc7_line lines[3];
	bc7_sums sums[3];
	moments_of_subsets(texels, shape, moments);
	for (int s = 0; s < shape.subsets; ++s)
	{
		lrd_f32s axis[4];
		axis_of(&moments[s], metric, shape.channels, 3, axis);
		weigh(metric, shape.channels, axis, lines[s].d);
		sums[s].n = moments[s].n;
		memcpy(sums[s].x, moments[s].x, sizeof sums[s].x);
	}
	if (shape.channels == 4)
	{
		alpha_of_subsets(texels, shape, sums);
	}
	lines_of_axes(texels, shape, lines);
	fit_from(texels, metric, shape, trial, starts[0], lines, sums, best);
	for (int k = 1; k < trial->starts; ++k)
	{
		bc7_fit fit = { 0 };
		fit_from(texels, metric, shape, trial, starts[k], lines, sums, &fit);
		keep_better(best, &fit, shape);
	}
	polish(texels, metric, shape, trial->polish, best);
	if (trial->starts + trial->polish > 1)
	{
		measure(texels, metric, shape, best);
	}
}

#endif
