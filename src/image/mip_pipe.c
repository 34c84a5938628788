// The pipe of levels: which rows are kept, and when the next one can be made of them.

#include "image/mip_pipe.h"

#include "base/error.h"
#include "base/lanes.h"

lrd_mip_kernels lrd_mip_kernels_of(lrd_isa isa)
{
	typedef lrd_mip_kernels k; // for the types of its members
	__typeof__(((k *)0)->load) load[] = LRD_KERNEL_TABLE(lrd_mip_load);
	__typeof__(((k *)0)->shape_normals) shape_normals[] = LRD_KERNEL_TABLE(lrd_mip_shape_normals);
	__typeof__(((k *)0)->across) across[] = LRD_KERNEL_TABLE(lrd_mip_across);
	__typeof__(((k *)0)->down) down[] = LRD_KERNEL_TABLE(lrd_mip_down);
	__typeof__(((k *)0)->store) store[] = LRD_KERNEL_TABLE(lrd_mip_store);
	lrd_isa chosen = lrd_isa_choose(isa);
	return (lrd_mip_kernels){ load[chosen], shape_normals[chosen], across[chosen], down[chosen], store[chosen] };
}

static size_t row_stride(uint32_t width)
{
	return LRD_MIP_PAD + lrd_align_up(width, LRD_LANES_MAX) + LRD_MIP_PAD_AFTER;
}

static bool reaches_past_edges(const lrd_mip_axis *axis)
{
	return axis->base < 0;
}

// Hands out of one block, or only counts while there is none.
typedef struct shelf
{
	float *floats;
	size_t used;
} shelf;

static float *take(shelf *self, size_t count)
{
	float *at = self->floats != NULL ? self->floats + self->used : NULL;
	self->used += count;
	return at;
}

static lrd_mip_axis take_axis(shelf *self, uint32_t size, lrd_mip_filter filter)
{
	float *weights = take(self, lrd_mip_axis_floats(size, filter));
	return self->floats != NULL ? lrd_mip_axis_make(size, filter, weights) : lrd_mip_axis_make(1, filter, NULL);
}

// Rows whose taps reach back over the start of an image that repeats go out last: the first that does not.
static uint64_t first_output(const lrd_mip_stage *stage);

// Taps of an axis without making its weights.
static uint32_t taps_of(uint32_t size, lrd_mip_filter filter)
{
	size_t floats = lrd_mip_axis_floats(size, filter);
	if (floats != 0)
	{
		return (uint32_t)(floats / lrd_align_up(lrd_mip_halved(size), LRD_LANES_MAX));
	}
	return size == 1 ? 1 : filter == LRD_MIP_FILTER_BOX ? 2 : 2 * LRD_MIP_PAIRS_MAX;
}

static void lay_out_stage(const lrd_mip_pipe_desc *desc, uint32_t level, shelf *from, lrd_mip_stage *stage)
{
	uint32_t width = desc->width >> level, height = desc->height >> level;
	stage->width = width != 0 ? width : 1;
	stage->height = height != 0 ? height : 1;
	stage->stride = row_stride(stage->width);
	stage->row = take(from, stage->stride * desc->planes);
	if (level + 1 == desc->level_count)
	{
		return;
	}
	stage->across[0] = take_axis(from, stage->width, desc->filter);
	stage->down[0] = take_axis(from, stage->height, desc->filter);
	stage->across[1] = take_axis(from, stage->width, LRD_MIP_FILTER_BOX);
	stage->down[1] = take_axis(from, stage->height, LRD_MIP_FILTER_BOX);
	uint32_t taps = taps_of(stage->height, desc->filter);
	bool reaches = stage->height > 1 && desc->filter != LRD_MIP_FILTER_BOX;
	stage->whole = reaches && stage->height <= 2 * taps;
	stage->ring_rows = stage->whole ? stage->height : taps + (reaches ? 2 : 0);
	stage->head_rows = reaches && !stage->whole && desc->wrap_v == LRD_MIP_WRAP_REPEAT ? taps : 0;
	stage->next_stride = lrd_align_up(lrd_mip_halved(stage->width), LRD_LANES_MAX);
	size_t row = stage->next_stride * desc->planes;
	stage->ring = take(from, stage->ring_rows * row);
	stage->head = take(from, stage->head_rows * row);
}

bool lrd_mip_pipe_open(const lrd_mip_pipe_desc *desc, lrd_mip_pipe *pipe, lrd_error *error)
{
	*pipe = (lrd_mip_pipe){
		.kernels = lrd_mip_kernels_of(desc->isa),
		.planes = desc->planes,
		.wrap_u = desc->wrap_u,
		.wrap_v = desc->wrap_v,
		.level_count = desc->level_count,
		.allocator = desc->allocator,
	};
	shelf memory = { 0 };
	for (uint32_t level = 0; level < desc->level_count; level++)
	{
		lay_out_stage(desc, level, &memory, &pipe->stages[level]);
	}
	// No overflow: a width fits 32 bits, and all levels take less than 2^10 floats for each of it.
	pipe->memory = lrd_alloc_zeroed(desc->allocator, memory.used, sizeof(float));
	if (pipe->memory == NULL)
	{
		return lrd_fail_memory(error, "rows in float", memory.used * sizeof(float));
	}
	pipe->memory_size = memory.used * sizeof(float);
	memory.floats = pipe->memory;
	memory.used = 0;
	for (uint32_t level = 0; level < desc->level_count; level++)
	{
		lrd_mip_stage *stage = &pipe->stages[level];
		lay_out_stage(desc, level, &memory, stage);
		if (level + 1 < desc->level_count)
		{
			stage->output = first_output(stage);
			pipe->stages[level + 1].start = stage->output;
		}
	}
	return true;
}

float *lrd_mip_pipe_row(const lrd_mip_pipe *pipe)
{
	return pipe->stages[0].row + LRD_MIP_PAD;
}

void lrd_mip_pipe_close(lrd_mip_pipe *pipe)
{
	lrd_free(pipe->allocator, pipe->memory, pipe->memory_size);
	pipe->memory = NULL;
}

// Virtual number of the first row that the output row with this virtual number takes.
static int64_t first_tap(const lrd_mip_stage *stage, uint64_t output)
{
	uint32_t next_height = lrd_mip_halved(stage->height);
	int64_t turn = (int64_t)(output / next_height) * stage->height;
	return turn + 2 * (int64_t)(output % next_height) + stage->down[0].base;
}

static uint64_t first_output(const lrd_mip_stage *stage)
{
	uint64_t output = 0;
	while (stage->head_rows != 0 && first_tap(stage, output) < (int64_t)stage->start)
	{
		output++;
	}
	return output;
}

static void fill_past_edges(const lrd_mip_pipe *pipe, const lrd_mip_stage *stage)
{
	const lrd_mip_axis *axis = &stage->across[0];
	if (!reaches_past_edges(axis))
	{
		return;
	}
	int64_t end = 2 * (int64_t)axis->next + axis->base + axis->taps;
	for (uint32_t plane = 0; plane < pipe->planes && plane < LRD_MIP_MAIN_PLANES; plane++)
	{
		float *row = stage->row + plane * stage->stride + LRD_MIP_PAD;
		for (int64_t x = axis->base; x < 0; x++)
		{
			row[x] = row[lrd_mip_wrap_index(x, stage->width, pipe->wrap_u)];
		}
		for (int64_t x = stage->width; x < end; x++)
		{
			row[x] = row[lrd_mip_wrap_index(x, stage->width, pipe->wrap_u)];
		}
	}
}

static float *ring_row(const lrd_mip_pipe *pipe, const lrd_mip_stage *stage, uint64_t index)
{
	return stage->ring + index % stage->ring_rows * (stage->next_stride * pipe->planes);
}

// The place of a tap in the ring.
static const float *tap_row(const lrd_mip_pipe *pipe, const lrd_mip_stage *stage, int64_t tap)
{
	bool is_virtual = stage->head_rows != 0;
	uint64_t index = is_virtual ? (uint64_t)tap : lrd_mip_wrap_index(tap, stage->height, pipe->wrap_v);
	return ring_row(pipe, stage, index);
}

static bool output_is_ready(const lrd_mip_stage *stage)
{
	uint32_t next_height = lrd_mip_halved(stage->height);
	if (stage->went == next_height)
	{
		return false;
	}
	uint64_t end = stage->start + stage->came;
	if (stage->whole || (stage->head_rows == 0 && end == stage->height))
	{
		return stage->came == stage->height;
	}
	return first_tap(stage, stage->output) + (int64_t)stage->down[0].taps <= (int64_t)end;
}

static void push_row(lrd_mip_pipe *pipe, uint32_t level);

static void put_out(lrd_mip_pipe *pipe, uint32_t level)
{
	lrd_mip_stage *stage = &pipe->stages[level];
	lrd_mip_stage *next = stage + 1;
	uint32_t y = (uint32_t)(stage->output % next->height);
	int64_t first = first_tap(stage, stage->output) - stage->down[0].base;
	size_t count = next->width;
	for (uint32_t plane = 0; plane < pipe->planes; plane++)
	{
		const lrd_mip_axis *down = &stage->down[plane >= LRD_MIP_MAIN_PLANES];
		const float *rows[LRD_MIP_TAPS_MAX];
		for (uint32_t k = 0; k < down->taps; k++)
		{
			rows[k] = tap_row(pipe, stage, first + down->base + k) + plane * stage->next_stride;
		}
		pipe->kernels.down(down, y, rows, count, next->row + plane * next->stride + LRD_MIP_PAD);
	}
	stage->output++;
	stage->went++;
	pipe->done(pipe->user, level + 1, y, next->row + LRD_MIP_PAD, next->stride);
	if (level + 2 < pipe->level_count)
	{
		push_row(pipe, level + 1);
	}
}

static void put_out_ready(lrd_mip_pipe *pipe, uint32_t level)
{
	while (output_is_ready(&pipe->stages[level]))
	{
		put_out(pipe, level);
	}
}

static void push_row(lrd_mip_pipe *pipe, uint32_t level)
{
	lrd_mip_stage *stage = &pipe->stages[level];
	size_t row_floats = stage->next_stride * pipe->planes;
	uint64_t index = stage->start + stage->came;
	float *to = ring_row(pipe, stage, stage->head_rows != 0 ? index : index % stage->height);
	fill_past_edges(pipe, stage);
	for (uint32_t plane = 0; plane < pipe->planes; plane++)
	{
		pipe->kernels.across(&stage->across[plane >= LRD_MIP_MAIN_PLANES],
			stage->row + plane * stage->stride + LRD_MIP_PAD, to + plane * stage->next_stride);
	}
	if (stage->came < stage->head_rows)
	{
		memcpy(stage->head + stage->came * row_floats, to, row_floats * sizeof *to);
	}
	stage->came++;
	put_out_ready(pipe, level);
	for (uint32_t i = 0; stage->came == stage->height + (uint64_t)i && i < stage->head_rows; i++)
	{
		memcpy(
			ring_row(pipe, stage, stage->start + stage->came), stage->head + i * row_floats, row_floats * sizeof *to);
		stage->came++;
		put_out_ready(pipe, level);
	}
}

void lrd_mip_pipe_push(lrd_mip_pipe *pipe)
{
	if (pipe->level_count > 1)
	{
		push_row(pipe, 0);
	}
}
