// block/bc7_line.h: principal axes of subsets, the lines that indices are read off, and the sums that a fit of endpoints
// needs. Part of the kernel: included by bc7_kernel.c alone.

#ifndef BLOCK_BC7_LINE_H
#define BLOCK_BC7_LINE_H

#include "block/bc7_shape.h"

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

FIT_INLINE void moments_of_subsets(const bc7_texels *texels, bc7_shape shape, bc7_moments moments[3])
{
	moments_of(texels, shape.channels, true, texels->in_second, &moments[0]);
	for (int s = 1; s < shape.subsets; ++s)
	{
		moments_of(texels, shape.channels, false, subset_bits(texels, s), &moments[s]);
		moments_take_away(&moments[0], &moments[s], shape.channels);
	}
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

#endif
