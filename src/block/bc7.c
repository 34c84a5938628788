// BC7 encoding: presets, and the way to the kernel of this processor.

#include "block/bc7.h"

static const lrd_bc7_effort efforts[LRD_BLOCK_QUALITY_COUNT] = {
	[LRD_BLOCK_FAST] = { .in_plane = true,
		.tries = { 0, 1, 0, 0, 0, 1, 1, 1 },
		.worth = 1.0f,
		.first = { .starts = 1 } },
	[LRD_BLOCK_NORMAL] = { .tries = { 1, 3, 1, 1, 1, 1, 1, 3 },
		.worth = 2.0f,
		.first = { .starts = 1 },
		.finalists = 2,
		.final = { .starts = 4, .refinements = 1 } },
	[LRD_BLOCK_BEST] = { .tries = { 8, 12, 12, 12, 3, 3, 1, 12 },
		.worth = 2.0f,
		.first = { .starts = 1, .refinements = 1 },
		.finalists = 6,
		.final = { .starts = 9, .refinements = 2, .polish = 1, .thorough = true } },
};

const lrd_bc7_effort *lrd_bc7_effort_of(lrd_block_quality quality)
{
	return &efforts[quality];
}

void lrd_bc7_encode(const lrd_block_encode_desc *desc, const uint8_t (*texels)[64], size_t count, uint8_t *out)
{
	static void (*const kernels[])(const lrd_bc7_job *job) = LRD_KERNEL_TABLE(lrd_bc7_encode_chunk);
	void (*encode)(const lrd_bc7_job *job) = kernels[lrd_isa_choose(desc->isa)];
	for (size_t first = 0; first < count; first += LRD_BC7_CHUNK)
	{
		encode(&(lrd_bc7_job){ .effort = lrd_bc7_effort_of(desc->quality),
			.perceptual = desc->perceptual,
			.texels = texels + first,
			.count = count - first < LRD_BC7_CHUNK ? count - first : LRD_BC7_CHUNK,
			.out = out + first * 16 });
	}
}
