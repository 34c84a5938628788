// What base/lanes.h makes of numbers, on each vector instruction set: for test_base_lanes.

#ifndef TESTS_LANES_PROBE_H
#define TESTS_LANES_PROBE_H

#include "base/isa.h"

#include <stdint.h>

#define LANES_PROBE_COUNT 16 // of each number, as many as the widest set has lanes
#define LANES_PROBE_RESULTS 48

typedef struct lanes_probe
{
	float a[LANES_PROBE_COUNT], b[LANES_PROBE_COUNT];
	int32_t i[LANES_PROBE_COUNT], j[LANES_PROBE_COUNT];
	/// Bits of floats or integers; which, says test_base_lanes.c in the order of lanes_probe.c.
	int32_t out[LANES_PROBE_RESULTS][LANES_PROBE_COUNT];
} lanes_probe;

LRD_KERNEL_DECLARE(void, lrd_lanes_probe, (lanes_probe * probe));

#endif
