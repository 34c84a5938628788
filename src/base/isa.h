// base/isa.h: which vector instructions a kernel is compiled for, and which one runs here. A kernel is a source file
// that is compiled once for each set (cmake/rooms.cmake, larder_kernels) from the same text, in the vector types of
// base/lanes.h; lanes never mix, so each set gives the same bytes.

#ifndef BASE_ISA_H
#define BASE_ISA_H

#include <stdbool.h>

typedef enum lrd_isa
{
	LRD_ISA_BEST,     ///< the widest that this processor has
	LRD_ISA_PORTABLE, ///< what every processor of the target has: SSE2, NEON, or no vectors at all
	LRD_ISA_SSE41,
	LRD_ISA_AVX2,
	LRD_ISA_AVX512, ///< F, BW, DQ, VL
	LRD_ISA_COUNT
} lrd_isa;

/// This processor has it, and kernels were built for it.
bool lrd_isa_is_here(lrd_isa isa);

/// The set to run when `wanted` is asked for: itself where it is here, else the best one below it. Never LRD_ISA_BEST.
lrd_isa lrd_isa_choose(lrd_isa wanted);

/// "portable", "sse4.1", "avx2", "avx512".
const char *lrd_isa_name(lrd_isa isa);

/// Inside a kernel: the name of an external symbol of this set, lrd_bc7_encode_avx2.
#define LRD_KERNEL(name) LRD_KERNEL_JOIN(name, LRD_KERNEL_ISA)
#define LRD_KERNEL_JOIN(name, isa) LRD_KERNEL_PASTE(name, isa)
#define LRD_KERNEL_PASTE(name, isa) name##_##isa

/// In the header of a kernel: declare `result name_<set> arguments` for each set that is built.
/// Outside: an array of them, by lrd_isa, for `LRD_KERNEL_TABLE(lrd_bc7_encode)[lrd_isa_choose(isa)]`.
#if defined(__x86_64__) && !defined(LRD_PORTABLE_KERNELS)
#define LRD_KERNEL_DECLARE(result, name, arguments)                                                                    \
	result name##_portable arguments;                                                                                  \
	result name##_sse41 arguments;                                                                                     \
	result name##_avx2 arguments;                                                                                      \
	result name##_avx512 arguments
#define LRD_KERNEL_TABLE(name)                                                                                         \
	{                                                                                                                  \
		[LRD_ISA_PORTABLE] = name##_portable, [LRD_ISA_SSE41] = name##_sse41, [LRD_ISA_AVX2] = name##_avx2,            \
		[LRD_ISA_AVX512] = name##_avx512                                                                               \
	}
#else
#define LRD_KERNEL_DECLARE(result, name, arguments) result name##_portable arguments
#define LRD_KERNEL_TABLE(name)                                                                                         \
	{                                                                                                                  \
		[LRD_ISA_PORTABLE] = name##_portable, [LRD_ISA_COUNT - 1] = 0                                                  \
	}
#endif

#endif
