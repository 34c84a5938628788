// BC4 and BC5: which channels go where. The search is in bc4_kernel.c.

#include "block/bc4.h"

void lrd_bc4_run(const lrd_bc4_job *job, lrd_isa isa)
{
	static void (*const kernels[LRD_ISA_COUNT])(const lrd_bc4_job *) = LRD_KERNEL_TABLE(lrd_bc4_kernel);
	kernels[lrd_isa_choose(isa)](job);
}

void lrd_bc4_encode(const lrd_block_encode_desc *desc, const uint8_t (*texels)[64], size_t count, uint8_t *out)
{
	lrd_bc4_job job = {
		.texels = texels,
		.count = count,
		.out = out,
		.stride = 8,
		.channel = desc->channels[0] & 3,
		.quality = desc->quality,
	};
	lrd_bc4_run(&job, desc->isa);
}

void lrd_bc5_encode(const lrd_block_encode_desc *desc, const uint8_t (*texels)[64], size_t count, uint8_t *out)
{
	bool usual = desc->channels[0] == 0 && desc->channels[1] == 0;
	lrd_bc4_job job = {
		.texels = texels,
		.count = count,
		.out = out,
		.stride = 16,
		.channel = usual ? 0 : desc->channels[0] & 3,
		.second = usual ? 1 : desc->channels[1] & 3,
		.two = true,
		.quality = desc->quality,
	};
	lrd_bc4_run(&job, desc->isa);
}
