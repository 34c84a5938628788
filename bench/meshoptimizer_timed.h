// bench/meshoptimizer_timed.h: how long the meshoptimizer calls of a program take, measured as it makes them. The program
// is linked with --wrap for each (cook.cmake).

#ifndef BENCH_MESHOPTIMIZER_TIMED_H
#define BENCH_MESHOPTIMIZER_TIMED_H

/// Processor time of all calls since this was asked last, on all threads.
double meshoptimizer_seconds(void);

#endif
