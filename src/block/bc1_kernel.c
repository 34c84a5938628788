// Colours to BC1, one block a lane. LRD_BLOCK_FAST takes the principal axis and two rounds of least squares;
// LRD_BLOCK_NORMAL every cut of the texels along that axis (bc1_cluster.h), of four and three colours;
// LRD_BLOCK_BEST more axes, and moves of the ends by single steps for as long as one helps.

#include "block/bc1.h"

#include "block/bc1_cluster.h"
#include "block/bc1_fit.h"
#include "block/bc1_single.h"

// A texel none of whose channels is above this may be worth the black that blocks of three colours have.
#define DARK 24

typedef struct effort
{
	int cuts;      // the best of cluster fit; 0: equal steps along the axis
	bool three;    // blocks of three colours where four would do
	int refined;   // rounds of least squares
	int more_axes; // cluster fits along the line between the ends found
	int moves;     // rounds of single steps
} effort;

static const effort efforts[LRD_BLOCK_QUALITY_COUNT] = {
	[LRD_BLOCK_FAST] = { .refined = 1 },
	[LRD_BLOCK_NORMAL] = { .cuts = 1, .three = true, .refined = 2 },
	[LRD_BLOCK_BEST] = { .cuts = 8, .three = true, .refined = 3, .more_axes = 2, .moves = 3 },
};

typedef struct kernel
{
	const lrd_bc1_job *job;
	effort effort;
	bc1_fourth fourth;
	float root[3]; // of the weights
	bc1_cuts cuts;
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
	t->any_unused = false;
	for (int i = 0; i < 16; ++i)
	{
		lrd_mask clear = lrd_less_i(lrd_i32s_of(-1), t->word[i]); // the highest bit of alpha is not set
		bool unused = job->fourth == LRD_BC1_FOURTH_CLEAR;
		t->used[i] = unused ? lrd_select(clear, lrd_f32s_of(0.0f), lrd_f32s_of(1.0f)) : lrd_f32s_of(1.0f);
		t->any_unused = t->any_unused || (unused && lrd_any(clear));
	}
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

/// The count is constant in each call, so that the lists stay in registers.
static void keep_cuts(const kernel *k, const bc1_order *order, lrd_i32s kept[BC1_KEPT], bool four)
{
	if (k->effort.cuts == 1 && four)
	{
		bc1_cuts_of_four(order, &k->cuts, kept, 1);
	}
	else if (four)
	{
		bc1_cuts_of_four(order, &k->cuts, kept, BC1_KEPT);
	}
	else
	{
		bc1_cuts_of_three(order, kept, k->effort.cuts == 1 ? 1 : BC1_KEPT);
	}
}

/// Ends along an axis, as good as they become.
static bc1_block fit_axis(const kernel *k, const bc1_texels *t, lrd_f32s count, const bc1_axis *axis, bool four)
{
	lrd_mask kind =
		four ? lrd_less(lrd_f32s_of(0.0f), lrd_f32s_of(1.0f)) : lrd_less(lrd_f32s_of(0.0f), lrd_f32s_of(0.0f));
	bc1_sums sums;
	bc1_ends ends = { 0 };
	bc1_order order;
	lrd_i32s kept[BC1_KEPT];
	sums_of_axis(t, axis, four ? 3.0f : 2.0f, &sums);
	bc1_solve(&sums, &ends);
	bc1_block best = bc1_measure(t, &ends, kind, k->fourth);
	if (k->effort.cuts != 0)
	{
		bc1_order_along(t, k->root, count, axis, &order);
		keep_cuts(k, &order, kept, four);
	}
	for (int i = 0; i < k->effort.cuts; ++i)
	{
		bc1_sums_of_cut(&order, kept[i], four, &sums);
		bc1_solve(&sums, &ends);
		bc1_block found = bc1_measure(t, &ends, kind, k->fourth);
		bc1_take_better(&best, &found);
	}
	for (int i = 0; i < k->effort.refined; ++i)
	{
		bc1_refine(t, kind, k->fourth, &best);
	}
	return best;
}

/// The used texels as four or three colours; then along the line between the ends, as often as the effort says.
static bc1_block fit(const kernel *k, const bc1_texels *t, lrd_f32s count, bool four)
{
	bc1_axis axis;
	bc1_principal(t, k->root, count, &axis);
	bc1_block best = fit_axis(k, t, count, &axis, four);
	for (int i = 0; i < k->effort.more_axes; ++i)
	{
		bc1_ends ends;
		bc1_ends_of(&best, &ends);
		for (int c = 0; c < 3; ++c)
		{
			axis.along[c] = (bc1_widen(ends.level[0][c], c) - bc1_widen(ends.level[1][c], c)) * t->weight[c];
		}
		bc1_block found = fit_axis(k, t, count, &axis, four);
		bc1_take_better(&best, &found);
	}
	return best;
}

/// Three colours for the texels that aren't dark, where there are some that are.
static void try_dark(const kernel *k, bc1_texels *t, bc1_block *best)
{
	lrd_f32s zero = lrd_f32s_of(0.0f);
	lrd_f32s one = lrd_f32s_of(1.0f);
	lrd_f32s count = zero;
	for (int i = 0; i < 16; ++i)
	{
		lrd_f32s most = lrd_max(lrd_max(t->c[0][i], t->c[1][i]), t->c[2][i]);
		t->used[i] = lrd_select(lrd_less(lrd_f32s_of((float)DARK), most), one, zero);
		count += t->used[i];
	}
	lrd_mask some = lrd_mask_and(lrd_less(count, lrd_f32s_of(16.0f)), lrd_less(zero, count));
	if (lrd_any(some))
	{
		bc1_block found = fit(k, t, count, false);
		found.error = lrd_select(some, found.error, lrd_f32s_of(BC1_FAR));
		bc1_take_better(best, &found);
	}
	for (int i = 0; i < 16; ++i)
	{
		t->used[i] = one;
	}
}

/// All used texels as the one colour that is nearest to their mean.
static bc1_block flat(const bc1_texels *t, lrd_f32s count, bool four)
{
	lrd_mask kind =
		four ? lrd_less(lrd_f32s_of(0.0f), lrd_f32s_of(1.0f)) : lrd_less(lrd_f32s_of(0.0f), lrd_f32s_of(0.0f));
	bc1_block block = { .codes = lrd_i32s_of((int32_t)0xaaaaaaaa), .error = t->square };
	bc1_ends ends;
	lrd_f32s share = 1.0f / lrd_max(count, lrd_f32s_of(1.0f));
	for (int c = 0; c < 3; ++c)
	{
		const int32_t *table =
			four ? (c == 1 ? bc1_third_of_63 : bc1_third_of_31) : (c == 1 ? bc1_half_of_63 : bc1_half_of_31);
		lrd_f32s sum = lrd_f32s_of(0.0f);
		for (int i = 0; i < 16; ++i)
		{
			sum += t->c[c][i] * t->used[i];
		}
		lrd_i32s found = lrd_gather_i(table, lrd_to_i32s(sum * share + 0.5f));
		ends.level[0][c] = found & 255;
		ends.level[1][c] = found >> 8;
		lrd_f32s a = bc1_widen(ends.level[0][c], c);
		lrd_f32s b = bc1_widen(ends.level[1][c], c);
		lrd_f32s colour = four ? bc1_third(a + a + b) : bc1_half(a + b);
		block.error += colour * (count * colour - 2.0f * sum) * t->weight[c];
	}
	for (int i = 0; t->any_unused && i < 16; ++i)
	{
		lrd_mask unused = lrd_equal(t->used[i], lrd_f32s_of(0.0f));
		block.codes |= lrd_select_i(unused, lrd_i32s_of((int32_t)(3u << (2 * i))), lrd_i32s_of(0));
	}
	bc1_put_in_order(&ends, kind, &block);
	return block;
}

/// The lanes that a flat block is tried for: all but in haste, when it is for what is of one colour.
static lrd_mask may_be_flat(const kernel *k, const bc1_texels *t, lrd_f32s count)
{
	lrd_i32s differs = lrd_i32s_of(0);
	for (int i = 1; i < 16 && k->effort.cuts == 0; ++i)
	{
		differs |= t->word[i] ^ t->word[0];
	}
	lrd_mask one = lrd_equal_i(differs & 0xffffff, lrd_i32s_of(0));
	return lrd_mask_or(one, lrd_less(count, lrd_f32s_of(16.0f)));
}

static void take_flat(const bc1_texels *t, lrd_f32s count, bool four, lrd_mask may, bc1_block *best)
{
	if (lrd_any(may))
	{
		bc1_block found = flat(t, count, four);
		found.error = lrd_select(may, found.error, lrd_f32s_of(BC1_FAR));
		bc1_take_better(best, &found);
	}
}

/// The best block of four colours and the best of three, each moved; then the better.
static bc1_block encode(const kernel *k, bc1_texels *t, lrd_f32s count)
{
	lrd_f32s far = lrd_f32s_of(BC1_FAR);
	lrd_mask no = lrd_less(far, far);
	lrd_mask whole = lrd_equal(count, lrd_f32s_of(16.0f));
	lrd_mask even = may_be_flat(k, t, count);
	bc1_block best = { .error = far };
	bc1_block three = { .error = far };
	if (lrd_any(whole))
	{
		bc1_block four = fit(k, t, count, true);
		take_flat(t, count, true, even, &four);
		for (int i = 0; i < k->effort.moves; ++i)
		{
			bc1_move(t, lrd_mask_not(no), k->fourth, &four);
		}
		best = four;
		best.error = lrd_select(whole, four.error, far);
	}
	if (k->job->fourth != LRD_BC1_FOURTH_NONE && (k->effort.three || !lrd_all(whole)))
	{
		three = fit(k, t, count, false);
		if (k->effort.three && k->job->fourth == LRD_BC1_FOURTH_BLACK)
		{
			try_dark(k, t, &three);
		}
		for (int i = 0; i < k->effort.moves; ++i)
		{
			bc1_move(t, no, k->fourth, &three);
		}
		lrd_mask wanted = k->effort.three ? lrd_mask_not(no) : lrd_mask_not(whole);
		three.error = lrd_select(wanted, three.error, far);
	}
	if (k->job->fourth != LRD_BC1_FOURTH_NONE)
	{
		take_flat(t, count, false, even, &three);
	}
	bc1_take_better(&best, &three);
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
	k.fourth = job->fourth == LRD_BC1_FOURTH_BLACK ? BC1_BLACK_FOURTH : BC1_NO_FOURTH;
	for (int i = 0; i < 3; ++i)
	{
		k.root[i] = lrd_sqrt(lrd_f32s_of(job->weight[i]))[0];
	}
	if (k.effort.cuts != 0)
	{
		bc1_fill_cuts(&k.cuts);
	}
	for (size_t first = 0; first < job->count; first += LRD_LANES)
	{
		bc1_texels t;
		load(job, first, &t);
		lrd_f32s count = weigh(&t);
		bc1_block best = encode(&k, &t, count);
		write(job, first, &best);
	}
}
