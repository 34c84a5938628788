// Which vector instructions this processor has.

#include "base/isa.h"

bool lrd_isa_is_here(lrd_isa isa)
{
	switch (isa)
	{
	case LRD_ISA_BEST:
	case LRD_ISA_PORTABLE: return true;
#if defined(__x86_64__) && !defined(LRD_PORTABLE_KERNELS)
	case LRD_ISA_SSE41: return __builtin_cpu_supports("sse4.1");
	case LRD_ISA_AVX2: return __builtin_cpu_supports("avx2");
	case LRD_ISA_AVX512:
		return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
			   __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
	default: return false;
	}
}

lrd_isa lrd_isa_choose(lrd_isa wanted)
{
	lrd_isa isa = wanted == LRD_ISA_BEST ? LRD_ISA_COUNT - 1 : wanted;
	while (!lrd_isa_is_here(isa))
	{
		isa--;
	}
	return isa;
}

const char *lrd_isa_name(lrd_isa isa)
{
	static const char *const names[LRD_ISA_COUNT] = { "best", "portable", "sse4.1", "avx2", "avx512" };
	return names[isa];
}
