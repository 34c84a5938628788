// Channels to BC4: 8 values between two ends, or 6 between them with 0 and 255 beside. Two 16-bit values a lane, one
// block a lane. Errors are those of the values rounded to 8 bits, as block.h decodes them; with 7 and 5 steps no
// fraction is half-way, and the nearest of the rounded values is the one whose fraction is nearest.
//
// Blocks wait in queues until there are enough of a kind to fill a vector: those of a narrow range (bc4_narrow.h), those
// of a wide one (bc4_wide.h), those of these that look drawn, and those that may be better with 6 values. A block goes
// from queue to queue in the same order whatever is beside it. LRD_BLOCK_BEST goes on to try every pair of ends that can
// be better (bc4_exact.h).

#include "block/bc4.h"

#include "base/lanes.h"
#include "block/bc4_exact.h"
#include "block/bc4_narrow.h"
#include "block/bc4_wide.h"

// Blocks that are worked on together, so that queues fill vectors.
#define CHUNK 512

// Blocks that are searched exactly together, and share what does not depend on them.
#define SHARING 64

// Pairs of a block's texels.
#define ROW 8

// Vectors of a block's texels, and of its pairs of texels; 0 where one holds two blocks.
#define PARTS (16 / LRD_LANES)
#define ROW_PARTS (ROW / LRD_LANES)

/// Blocks of a kind, by their number in the chunk.
typedef struct queue
{
	int count;
	int32_t number[2 * LRD_LANES];
} queue;

/// A few blocks at work. The second channel's blocks are numbered from CHUNK on.
typedef struct chunk
{
	int32_t rows[2 * CHUNK * ROW]; // blocks' pairs of texels: one array, since a vector may hold two blocks'
	int32_t ends[2 * CHUNK];       // the first, 256 times the distance to the second, and 65536 for 6 values
	int32_t error[2 * CHUNK];
	uint8_t *out; // the first block's
	size_t stride;
	bool all; // every pair of ends will be tried
	queue narrow[BC4_NARROWS];
	queue wide;
	queue drawn;
	queue outer;
} chunk;

static inline lrd_i32s load_texels(const lrd_bc4_job *job, size_t block, int part)
{
	lrd_i32s texels;
	memcpy(&texels, job->texels[block < job->count ? block : job->count - 1] + part * LRD_LANES * 4, sizeof texels);
	return texels;
}

/// Rows of a vector of blocks from `first` on, the last one repeated.
static void load(const lrd_bc4_job *job, size_t first, int number, chunk *c)
{
	int shift = job->channel * 8;
	int second = job->second * 8;
	for (int i = 0; i < 8; ++i)
	{
		size_t block = first + (size_t)(ROW_PARTS == 0 ? 2 * i : i * LRD_LANES / ROW);
		int part = ROW_PARTS == 0 ? 0 : i * 2 % PARTS;
		lrd_i32s one = load_texels(job, block, part);
		lrd_i32s two = ROW_PARTS == 0 ? load_texels(job, block + 1, 0) : load_texels(job, block, part + 1);
		lrd_i32s even = lrd_even_i(one, two);
		lrd_i32s odd = lrd_odd_i(one, two);
		lrd_i32s_store(c->rows + ROW * number + i * LRD_LANES, (even >> shift & 255) | (odd >> shift & 255) << 16);
		if (job->two)
		{
			lrd_i32s other = (even >> second & 255) | (odd >> second & 255) << 16;
			lrd_i32s_store(c->rows + ROW * (CHUNK + number) + i * LRD_LANES, other);
		}
	}
}

/// Swap the pairs' lowest bit of the lanes' number for one of the blocks': `from` is by blocks, then by parts of a row and
/// `step` pairs, `to` by half as many and twice those.
static inline void transpose(const lrd_i32s from[8], lrd_i32s to[8], int step)
{
	int row = (ROW_PARTS == 0 ? 1 : ROW_PARTS) * step;
	for (int i = 0; i < 4; ++i)
	{
		int at = i / row * 2 * row + i % row;
		int out = i / row * 2 * row + i % row / step * 2 * step + i % step;
		to[out] = lrd_even_i(from[at], from[at + row]);
		to[out + step] = lrd_odd_i(from[at], from[at + row]);
	}
}

/// The part `i` of 8 of a vector of rows.
static inline lrd_i32s load_row(const chunk *c, const int32_t *number, int i)
{
#if LRD_LANES == 16
	typedef int32_t row __attribute__((vector_size(32)));
	row one, two;
	memcpy(&one, c->rows + ROW * number[2 * i], sizeof one);
	memcpy(&two, c->rows + ROW * number[2 * i + 1], sizeof two);
	return __builtin_shufflevector(one, two, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#else
	return lrd_i32s_load(c->rows + ROW * number[i * LRD_LANES / ROW] + i * LRD_LANES % ROW);
#endif
}

/// A vector of blocks.
static inline void take(const chunk *c, const int32_t *number, bc4_values *v)
{
	lrd_i32s pairs[2][8];
	for (int i = 0; i < 8; ++i)
	{
		pairs[0][i] = load_row(c, number, i);
	}
	transpose(pairs[0], pairs[1], 1);
	transpose(pairs[1], pairs[0], 2);
	if (LRD_LANES > 4)
	{
		transpose(pairs[0], pairs[1], 4);
	}
	lrd_i16s low = lrd_i16s_of(255);
	lrd_i16s high = lrd_i16s_of(0);
	for (int i = 0; i < 8; ++i)
	{
		v->value[i] = (lrd_i16s)pairs[LRD_LANES > 4][i];
		low = lrd_min_pairs(low, v->value[i]);
		high = lrd_max_pairs(high, v->value[i]);
	}
	v->low = lrd_min_i(lrd_first(low), lrd_second(low));
	v->high = lrd_max_i(lrd_first(high), lrd_second(high));
}

static inline void push(queue *q, lrd_mask which, lrd_i32s number)
{
	lrd_store_where(q->number + q->count, which, number);
	q->count += __builtin_popcount(lrd_mask_bits(which));
}

/// Take the last vector of a queue, or what it has: how many, and their numbers, with some others behind.
static int pop(queue *q, const chunk *c, const int32_t **number, bc4_values *v)
{
	int count = q->count < LRD_LANES ? q->count : LRD_LANES;
	q->count -= count;
	*number = q->number + q->count;
	take(c, *number, v);
	return count;
}

/// How values become codes.
typedef struct coder
{
	lrd_i16s first;    // end
	lrd_i16s distance; // to the second
	lrd_i16s factor;
	lrd_i16s half;
	lrd_u16s rate;
} coder;

/// floor(last * offset / distance + 0.5) in 16 bits: (2 last offset + distance) * ceil(2^20 / distance) / 2^21 is exact for
/// distances from 17 on; lesser ones count 16 times.
static inline void start_coder(coder *k, const bc4_ends *found, int last)
{
	lrd_i32s small = (found->distance - 17) >> 31;
	lrd_i32s times = 1 + (small & 15);
	lrd_i32s half = found->distance * times;
	k->first = lrd_pairs_of(found->first);
	k->distance = lrd_pairs_of(found->distance);
	k->factor = lrd_pairs_of(last * 2 * times);
	k->half = lrd_pairs_of(half);
	k->rate = (lrd_u16s)lrd_pairs_of(lrd_to_i32s(1048576.0f / lrd_to_f32s(half)) + 1);
}

/// The step of a value from the first end on; for 6-value blocks 6 and 7 where 0 and 255 are nearer.
static inline lrd_i16s step_of(const coder *k, lrd_i16s value, bool six)
{
	lrd_i16s offset = value - k->first;
	lrd_i16s inner = lrd_max_pairs(lrd_min_pairs(offset, k->distance), lrd_i16s_of(0));
	lrd_i16s step = (lrd_i16s)(lrd_mul_high_u((lrd_u16s)(inner * k->factor + k->half), k->rate) >> 5);
	if (!six)
	{
		return step;
	}
	lrd_i16s rest = offset - lrd_mul_round(step * k->distance, lrd_i16s_of(6554));
	rest = lrd_max_pairs(rest, -rest);
	lrd_i16s inside = (lrd_i16s)(lrd_min_pairs(value, 255 - value) > rest);
	return (step & inside) | ((6 - (lrd_i16s)(value > 127)) & ~inside);
}

/// Write blocks of 8 or of 6 values where the mask is true.
static inline void write(const chunk *c, const int32_t *number, int count, const bc4_values *v, const bc4_ends *found,
	bool six, lrd_mask which)
{
	static const uint8_t codes[2][16] = { { 1, 7, 6, 5, 4, 3, 2, 0 }, { 0, 2, 3, 4, 5, 1, 6, 7 } };
	coder k;
	start_coder(&k, found, six ? 5 : 7);
	lrd_i32s bits[4]; // of four texels each: 1 and 3 of them in the odd bytes
	for (int i = 0; i < 4; ++i)
	{
		lrd_i16s one = step_of(&k, v->value[2 * i], six);
		lrd_i16s two = step_of(&k, v->value[2 * i + 1], six);
		lrd_u8s code = lrd_look_up_bytes(codes[six], (lrd_u8s)(one | two << 8));
		lrd_i16s halves = lrd_dot_bytes(code, (lrd_i8s)lrd_i16s_of(64 << 8 | 1));
		bits[i] = lrd_dot_pairs(halves, lrd_pairs(lrd_i32s_of(1), lrd_i32s_of(8)));
	}
	lrd_i32s other = found->first + found->distance;
	lrd_i32s pair = six ? found->first | other << 8 : other | found->first << 8;
	lrd_i32s low = pair | bits[0] << 16 | (lrd_i32s)((lrd_u32s)bits[1] << 28);
	lrd_i32s high = bits[1] >> 4 | bits[2] << 8 | (lrd_i32s)((lrd_u32s)bits[3] << 20);
	int32_t words[2 * LRD_LANES];
	lrd_i32s_store(words, lrd_zip_low_i(low, high));
	lrd_i32s_store(words + LRD_LANES, lrd_zip_high_i(low, high));
	uint32_t lanes = lrd_mask_bits(which);
	for (int i = 0; i < count; ++i)
	{
		if (lanes >> i & 1u)
		{
			size_t block = (size_t)number[i] % CHUNK;
			memcpy(c->out + block * c->stride + (size_t)number[i] / CHUNK * 8, words + 2 * i, 8);
		}
	}
}

static void keep_errors(chunk *c, const int32_t *number, int count, const bc4_ends *found, lrd_mask which)
{
	int32_t error[LRD_LANES];
	lrd_i32s_store(error, lrd_to_i32s(found->error));
	uint32_t lanes = lrd_mask_bits(which);
	for (int i = 0; i < count; ++i)
	{
		if (lanes >> i & 1u)
		{
			c->error[number[i]] = error[i];
		}
	}
}

/// Write what was found where the mask is true, or keep it where the search goes on.
static inline void keep(
	chunk *c, const int32_t *number, int count, const bc4_values *v, const bc4_ends *found, bool six, lrd_mask which)
{
	if (!c->all)
	{
		write(c, number, count, v, found, six, which);
		return;
	}
	int32_t pair[LRD_LANES];
	lrd_i32s_store(pair, found->first | found->distance << 8 | (six ? 65536 : 0));
	uint32_t lanes = lrd_mask_bits(which);
	for (int i = 0; i < count; ++i)
	{
		if (lanes >> i & 1u)
		{
			c->ends[number[i]] = pair[i];
		}
	}
	keep_errors(c, number, count, found, which);
}

/// Take the last vector of a queue of blocks whose error is kept.
static int pop_again(queue *q, const chunk *c, const int32_t **number, bc4_values *v, bc4_ends *best)
{
	int count = pop(q, c, number, v);
	int32_t error[LRD_LANES];
	for (int i = 0; i < LRD_LANES; ++i)
	{
		error[i] = c->error[(*number)[i]];
	}
	*best = (bc4_ends){ .error = lrd_to_f32s(lrd_i32s_load(error)) };
	return count;
}

static void solve_outer(chunk *c, const effort *e)
{
	bc4_values v;
	bc4_ends best;
	const int32_t *number;
	int count = pop_again(&c->outer, c, &number, &v, &best);
	lrd_mask six = bc4_search_outer(&v, &e->outer, &best);
	keep(c, number, count, &v, &best, true, six);
}

/// After the 8-value ends of some blocks: those of the mask that may be better with 6 go on.
static void go_on(chunk *c, const effort *e, const int32_t *number, int count, const bc4_values *v,
	const bc4_ends *found, lrd_mask which)
{
	which = lrd_mask_and(which, bc4_may_be_outer(v, &e->outer));
	which = lrd_mask_and(which, lrd_less_i(lrd_lane_numbers(), lrd_i32s_of(count)));
	which = lrd_mask_and(which, lrd_less(lrd_f32s_of(0.0f), found->error));
	if (!lrd_any(which))
	{
		return;
	}
	keep_errors(c, number, count, found, which);
	push(&c->outer, which, lrd_i32s_load(number));
	if (c->outer.count >= LRD_LANES)
	{
		solve_outer(c, e);
	}
}

static void solve_drawn(const lrd_bc4_job *job, chunk *c, const effort *e)
{
	bc4_values v;
	bc4_ends best;
	const int32_t *number;
	int count = pop_again(&c->drawn, c, &number, &v, &best);
	bc4_ends found;
	bc4_search_wide(&v, &e->drawn_of_7, job->exact_ends, &found);
	lrd_mask better = lrd_less(found.error, best.error);
	keep(c, number, count, &v, &found, false, better);
	best.error = lrd_min(found.error, best.error);
	lrd_mask six = bc4_search_outer(&v, &e->drawn_outer, &best);
	keep(c, number, count, &v, &best, true, six);
	go_on(c, e, number, count, &v, &best, lrd_mask_or(six, lrd_mask_not(six)));
}

static void solve_wide(const lrd_bc4_job *job, chunk *c, const effort *e)
{
	bc4_values v;
	bc4_ends best;
	const int32_t *number;
	int count = pop(&c->wide, c, &number, &v);
	bc4_search_wide(&v, &e->of_7, job->exact_ends, &best);
	lrd_mask all = lrd_less_i(lrd_i32s_of(-1), best.first);
	keep(c, number, count, &v, &best, false, all);
	lrd_mask drawn = lrd_mask_and(bc4_is_drawn(&v), lrd_less(lrd_f32s_of(0.0f), best.error));
	drawn = lrd_mask_and(drawn, lrd_less_i(lrd_lane_numbers(), lrd_i32s_of(count)));
	go_on(c, e, number, count, &v, &best, lrd_mask_not(drawn));
	if (!lrd_any(drawn))
	{
		return;
	}
	keep_errors(c, number, count, &best, drawn);
	push(&c->drawn, drawn, lrd_i32s_load(number));
	if (c->drawn.count >= LRD_LANES)
	{
		solve_drawn(job, c, e);
	}
}

static void solve_narrow(const lrd_bc4_job *job, chunk *c, const effort *e, int narrow)
{
	bc4_values v;
	bc4_ends best;
	const int32_t *number;
	int count = pop(&c->narrow[narrow], c, &number, &v);
	bc4_search_narrow(&v, job->quality, narrow, &best);
	lrd_mask all = lrd_less_i(lrd_i32s_of(-1), best.first);
	keep(c, number, count, &v, &best, false, all);
	go_on(c, e, number, count, &v, &best, all);
}

/// Ends for a vector of blocks, or a place in a queue.
static void classify(const lrd_bc4_job *job, chunk *c, const effort *e, int first, int count)
{
	count = count < LRD_LANES ? count : LRD_LANES;
	lrd_i32s numbers = first + lrd_lane_numbers();
	int32_t number[LRD_LANES];
	lrd_i32s_store(number, numbers);
	bc4_values taken;
	const bc4_values *v = &taken;
	take(c, number, &taken);
	lrd_i32s zero = lrd_i32s_of(0);
	lrd_i32s range = v->high - v->low;
	if (job->exact_ends) // those that must keep 0 or 255 go with the wide ones
	{
		lrd_mask held = lrd_mask_or(lrd_equal_i(v->low, zero), lrd_equal_i(v->high, lrd_i32s_of(255)));
		range = lrd_select_i(lrd_mask_and(held, lrd_less_i(lrd_i32s_of(7), range)), lrd_i32s_of(255), range);
	}
	lrd_mask flat = lrd_less_i(range, lrd_i32s_of(8)); // 8 values reach all of them
	if (lrd_any(flat))
	{
		bc4_ends found = { lrd_min_i(v->low, lrd_i32s_of(248)), lrd_i32s_of(7), lrd_f32s_of(0.0f) };
		keep(c, number, count, v, &found, false, flat);
	}
	range = lrd_select_i(lrd_less_i(lrd_lane_numbers(), lrd_i32s_of(count)), range, zero);
	for (int i = 0; i < BC4_NARROWS; ++i)
	{
		push(&c->narrow[i], lrd_equal_i(range >> 3, lrd_i32s_of(i + 1)), numbers);
		if (c->narrow[i].count >= LRD_LANES)
		{
			solve_narrow(job, c, e, i);
		}
	}
	push(&c->wide, lrd_less_i(lrd_i32s_of(8 * BC4_NARROWS + 7), range), numbers);
	if (c->wide.count >= LRD_LANES)
	{
		solve_wide(job, c, e);
	}
}

static void drain(const lrd_bc4_job *job, chunk *c, const effort *e)
{
	for (int i = 0; i < BC4_NARROWS; ++i)
	{
		while (c->narrow[i].count > 0)
		{
			solve_narrow(job, c, e, i);
		}
	}
	while (c->wide.count > 0)
	{
		solve_wide(job, c, e);
	}
	while (c->drawn.count > 0)
	{
		solve_drawn(job, c, e);
	}
	while (c->outer.count > 0)
	{
		solve_outer(c, e);
	}
}

static void know(const lrd_bc4_job *job, size_t block, uint8_t channel, int32_t ends, int32_t error, bc4_known *known)
{
	for (int i = 0; i < 16; ++i)
	{
		known->value[i] = job->texels[block][i * 4 + channel];
	}
	bc4_sort(known->value);
	bc4_cluster(known);
	known->holds_low = job->exact_ends && known->value[0] == 0;
	known->holds_high = job->exact_ends && known->value[15] == 255;
	known->has_ends = ends >> 16;
	known->first = ends & 255;
	known->distance = ends >> 8 & 255;
	known->error = error;
}

/// Try every pair of ends for some blocks of a channel, numbered from `number` on.
static void search_exactly(const lrd_bc4_job *job, size_t first, size_t count, int number, chunk *c)
{
	bc4_known known[SHARING];
	uint8_t channel = number < CHUNK ? job->channel : job->second;
	int32_t *ends = c->ends + number;
	for (size_t i = 0; i < count; ++i)
	{
		know(job, first + i, channel, ends[i], c->error[number + (int)i], &known[i]);
	}
	bc4_search_all(known, count);
	for (size_t i = 0; i < count; ++i)
	{
		ends[i] = known[i].first | known[i].distance << 8 | (known[i].has_ends ? 65536 : 0);
	}
}

static void write_kept(const chunk *c, int first, int count)
{
	int32_t number[LRD_LANES];
	lrd_i32s_store(number, first + lrd_lane_numbers());
	bc4_values v;
	take(c, number, &v);
	lrd_i32s pair = lrd_i32s_load(c->ends + first);
	bc4_ends found = { .first = pair & 255, .distance = pair >> 8 & 255 };
	lrd_mask six = lrd_bit(pair, 16);
	write(c, number, count, &v, &found, false, lrd_mask_not(six));
	write(c, number, count, &v, &found, true, six);
}

static void encode(const lrd_bc4_job *job, size_t first, size_t count, chunk *c)
{
	const effort *e = &efforts[job->quality];
	c->out = job->out + first * job->stride;
	c->stride = job->stride;
	c->all = e->all;
	int channels = job->two ? 2 : 1;
	for (size_t i = 0; i < count; i += LRD_LANES)
	{
		load(job, first + i, (int)i, c);
		for (int channel = 0; channel < channels; ++channel)
		{
			classify(job, c, e, channel * CHUNK + (int)i, (int)(count - i));
		}
	}
	drain(job, c, e);
	for (int channel = 0; e->all && channel < channels; ++channel)
	{
		for (size_t i = 0; i < count; i += SHARING)
		{
			search_exactly(job, first + i, count - i < SHARING ? count - i : SHARING, channel * CHUNK + (int)i, c);
		}
		for (size_t i = 0; i < count; i += LRD_LANES)
		{
			write_kept(c, channel * CHUNK + (int)i, count - i < LRD_LANES ? (int)(count - i) : LRD_LANES);
		}
	}
}

void LRD_KERNEL(lrd_bc4_kernel)(const lrd_bc4_job *job)
{
	chunk c;
	memset(c.narrow, 0, sizeof c.narrow);
	memset(&c.wide, 0, sizeof c.wide); // what a vector takes past the last block is some block
	memset(&c.drawn, 0, sizeof c.drawn);
	memset(&c.outer, 0, sizeof c.outer);
	for (size_t first = 0; first < job->count; first += CHUNK)
	{
		encode(job, first, job->count - first < CHUNK ? job->count - first : CHUNK, &c);
	}
}
