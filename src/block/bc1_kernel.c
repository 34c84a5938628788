// Colours to BC1, one block a lane. LRD_BLOCK_FAST takes the principal axis and two rounds of least squares;
// LRD_BLOCK_NORMAL every cut of the texels along that axis (bc1_cluster.h), of four and three colours;
// LRD_BLOCK_BEST more axes, and moves of the ends by single steps for as long as one helps.

#include "block/bc1.h"

#include "block/bc1_cluster.h"
#include "block/bc1_fit.h"

typedef struct effort
{
	bool cut; // cluster fit; else steps along the axis
	bool three;
	int refined;
	int axes;
	int moves; // rounds of single steps
} effort;

static const effort efforts[LRD_BLOCK_QUALITY_COUNT] = {
	[LRD_BLOCK_FAST] = { .refined = 1 },
	[LRD_BLOCK_NORMAL] = { .cut = true, .three = true, .refined = 2, .axes = 1 },
	[LRD_BLOCK_BEST] = { .cut = true, .three = true, .refined = 2, .axes = 3, .moves = 4 },
};

typedef struct kernel
{
	const lrd_bc1_job *job;
	effort effort;
	float root[3]; // of the weights
	bc1_factors factors;
} kernel;

static void load(const lrd_bc1_job *job, size_t first, bc1_texels *t)
{
	int32_t words[16][LRD_LANES];
	for (size_t lane = 0; lane < LRD_LANES; ++lane)
	{
		size_t block = first + lane < job->count ? first + lane : job->count - 1;
		int32_t texels[16];
		memcpy(texels, job->texels[block], sizeof texels);
		for (int i = 0; i < 16; ++i)
		{
			words[i][lane] = texels[i];
		}
	}
	for (int i = 0; i < 16; ++i)
	{
		t->word[i] = lrd_i32s_load(words[i]);
		for (int c = 0; c < 3; ++c)
		{
			t->c[c][i] = lrd_to_f32s(t->word[i] >> (8 * c) & 255);
		}
	}
	memcpy(t->weight, job->weight, sizeof t->weight);
}

/// Sum of the weighted squares of the used texels, and how many those are.
static lrd_f32s weigh(bc1_texels *t)
{
	lrd_f32s count = lrd_f32s_of(0.0f);
	t->square = lrd_f32s_of(0.0f);
	for (int i = 0; i < 16; ++i)
	{
		for (int c = 0; c < 3; ++c)
		{
			t->square += t->c[c][i] * t->c[c][i] * t->used[i] * t->weight[c];
		}
		count += t->used[i];
	}
	return count;
}

/// Sums with the texels at the nearest of `last` + 1 equal steps between the farthest two along the axis.
static void sums_of_axis(const bc1_texels *t, const bc1_axis *axis, float last, bc1_sums *s)
{
	lrd_f32s along[16];
	lrd_f32s low = lrd_f32s_of(BC1_FAR);
	lrd_f32s high = lrd_f32s_of(-BC1_FAR);
	for (int i = 0; i < 16; ++i)
	{
		along[i] = bc1_project(t, i, axis);
		lrd_mask used = lrd_less(lrd_f32s_of(0.0f), t->used[i]);
		low = lrd_select(used, lrd_min(low, along[i]), low);
		high = lrd_select(used, lrd_max(high, along[i]), high);
	}
	lrd_f32s scale = last / lrd_max(high - low, lrd_f32s_of(1e-6f));
	*s = (bc1_sums){ 0 };
	for (int i = 0; i < 16; ++i)
	{
		lrd_f32s step = lrd_clamp(lrd_round((along[i] - low) * scale), 0.0f, last) * (1.0f / last);
		bc1_add(s, t, i, step * t->used[i], (1.0f - step) * t->used[i]);
	}
}

static bc1_block fit_four(const kernel *k, const bc1_texels *t, lrd_f32s count)
{
	bc1_axis axis;
	bc1_sums sums;
	bc1_ends ends = { 0 };
	bc1_principal(t, k->root, count, &axis);
	if (k->effort.cut)
	{
		bc1_order order;
		bc1_order_along(t, k->root, count, &axis, &order);
		bc1_sums_of_cut(&order, bc1_cut_of_four(&order, &k->factors), true, &sums);
	}
	else
	{
		sums_of_axis(t, &axis, 3.0f, &sums);
	}
	bc1_solve(&sums, &ends);
	bc1_block best = bc1_four(t, &ends);
	for (int i = 0; i < k->effort.refined; ++i)
	{
		bc1_refine(t, true, false, &best);
	}
	return best;
}

static void write(const lrd_bc1_job *job, size_t first, const bc1_block *block)
{
	int32_t words[2][LRD_LANES];
	lrd_i32s_store(words[0], block->first | (lrd_i32s)((lrd_u32s)block->second << 16));
	lrd_i32s_store(words[1], block->codes);
	for (size_t lane = 0; lane < LRD_LANES && first + lane < job->count; ++lane)
	{
		uint8_t *out = job->out + (first + lane) * job->stride;
		memcpy(out, &words[0][lane], 4);
		memcpy(out + 4, &words[1][lane], 4);
	}
}

void LRD_KERNEL(lrd_bc1_kernel)(const lrd_bc1_job *job)
{
	kernel k = { .job = job, .effort = efforts[job->quality] };
	for (int i = 0; i < 3; ++i)
	{
		k.root[i] = lrd_sqrt(lrd_f32s_of(job->weight[i]))[0];
	}
	if (k.effort.cut)
	{
		bc1_fill_factors(&k.factors);
	}
	for (size_t first = 0; first < job->count; first += LRD_LANES)
	{
		bc1_texels t;
		load(job, first, &t);
		for (int i = 0; i < 16; ++i)
		{
			t.used[i] = lrd_f32s_of(1.0f);
		}
		lrd_f32s count = weigh(&t);
		bc1_block best = fit_four(&k, &t, count);
		write(job, first, &best);
	}
}
