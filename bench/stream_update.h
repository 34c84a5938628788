// bench/stream_update.h: the second half of bench_stream.

#ifndef BENCH_STREAM_UPDATE_H
#define BENCH_STREAM_UPDATE_H

void bench_stream_updates(void);

#endif
