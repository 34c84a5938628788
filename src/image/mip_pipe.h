// image/mip_pipe.h: the levels of a chain as a pipe: rows of level 0 go in one by one, rows of every further level come
// out as soon as those they are made of are there, and no level is ever held whole. Private to the room.

#ifndef IMAGE_MIP_PIPE_H
#define IMAGE_MIP_PIPE_H

#include "image/mip_rows.h"

/// Where level i is halved to level i + 1. Rows have virtual numbers that run on past the last one where the image
/// repeats: rows then begin with the first whose taps don't reach back, and those that do follow at the end.
typedef struct lrd_mip_stage
{
	lrd_mip_axis across[2], down[2]; ///< of the main planes, of the boxed ones
	uint32_t width, height;          ///< of level i
	float *row;                      ///< the row of level i that is handed in, planes of `stride` floats
	size_t stride;
	float *ring; ///< rows of level i, halved across
	uint32_t ring_rows;
	float *head; ///< copies of the first rows that came, for the end of an image that repeats
	uint32_t head_rows;
	size_t next_stride;
	bool whole;      ///< so low that all its rows are held before the first goes out
	uint64_t start;  ///< virtual number of the first row that came
	uint64_t came;   ///< rows so far
	uint64_t output; ///< virtual number of the next row that goes out
	uint32_t went;
} lrd_mip_stage;

typedef struct lrd_mip_pipe
{
	lrd_mip_kernels kernels;
	uint32_t planes; ///< the ones from LRD_MIP_MAIN_PLANES on are boxed
	lrd_mip_wrap wrap_u, wrap_v;
	uint32_t level_count;
	lrd_mip_stage stages[LRD_MIPS_MAX]; ///< the last has a row alone
	float *memory;
	size_t memory_size;
	lrd_allocator allocator;
	/// A row of level 1 or a further one is done. Rows may come in any order, each once.
	void (*done)(void *user, uint32_t level, uint32_t y, const float *planes, size_t stride);
	void *user;
} lrd_mip_pipe;

typedef struct lrd_mip_pipe_desc
{
	uint32_t width, height;
	uint32_t level_count; ///< with level 0
	uint32_t planes;
	lrd_mip_filter filter; ///< not AUTO
	lrd_mip_wrap wrap_u, wrap_v;
	lrd_isa isa;
	lrd_allocator allocator;
} lrd_mip_pipe_desc;

bool lrd_mip_pipe_open(const lrd_mip_pipe_desc *desc, lrd_mip_pipe *pipe, lrd_error *error);
/// The first texel of plane 0 of level 0's row.
float *lrd_mip_pipe_row(const lrd_mip_pipe *pipe);
/// Level 0's next row, from the top, stands in lrd_mip_pipe_row.
void lrd_mip_pipe_push(lrd_mip_pipe *pipe);
void lrd_mip_pipe_close(lrd_mip_pipe *pipe);

#endif
