// BC1 and BC3: which bits go where. The search is in bc1_kernel.c and bc4_kernel.c.

#include "block/bc1.h"

#include "block/bc4.h"

void lrd_bc1_weigh(bool perceptual, float weight[3])
{
	weight[0] = perceptual ? 0.6378f : 1.0f;
	weight[1] = perceptual ? 2.1456f : 1.0f;
	weight[2] = perceptual ? 0.2166f : 1.0f;
}

void lrd_bc1_run(const lrd_bc1_job *job, lrd_isa isa)
{
	static void (*const kernels[LRD_ISA_COUNT])(const lrd_bc1_job *) = LRD_KERNEL_TABLE(lrd_bc1_kernel);
	kernels[lrd_isa_choose(isa)](job);
}

void lrd_bc1_encode(const lrd_block_encode_desc *desc, const uint8_t (*texels)[64], size_t count, uint8_t *out)
{
	lrd_bc1_job job = {
		.texels = texels,
		.count = count,
		.out = out,
		.stride = 8,
		.fourth = desc->format == LRD_BLOCK_BC1 ? LRD_BC1_FOURTH_BLACK : LRD_BC1_FOURTH_CLEAR,
		.quality = desc->quality,
	};
	lrd_bc1_weigh(desc->perceptual, job.weight);
	lrd_bc1_run(&job, desc->isa);
}

void lrd_bc3_encode(const lrd_block_encode_desc *desc, const uint8_t (*texels)[64], size_t count, uint8_t *out)
{
	lrd_bc4_job alpha = {
		.texels = texels,
		.count = count,
		.out = out,
		.stride = 16,
		.channel = 3,
		.exact_ends = true,
		.quality = desc->quality,
	};
	lrd_bc1_job colour = {
		.texels = texels,
		.count = count,
		.out = out + 8,
		.stride = 16,
		.fourth = LRD_BC1_FOURTH_NONE,
		.quality = desc->quality,
	};
	lrd_bc1_weigh(desc->perceptual, colour.weight);
	lrd_bc4_run(&alpha, desc->isa);
	lrd_bc1_run(&colour, desc->isa);
}
