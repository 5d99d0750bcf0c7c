/* measure_store.h - `gpuplan measure --store`: posts benchmark runs to a daemon, which stores them
 * in a named set. */
#ifndef COMMAND_MEASURE_STORE_H
#define COMMAND_MEASURE_STORE_H

#include "base/err.h"
#include "feed/benchmarks/benchmark.h"

struct measure_store {
    const char *url;        /* URL of the daemon */
    const char *set;        /* measurement_set */
    const char *token_file; /* file with a token of scope measurements */
};

/* Posts the run and prints the reply. If it is refused, false with one sentence per input. */
bool measure_store_run(const struct measure_store *store, const struct benchmark_run *run,
                       struct err *err) MUST_CHECK;

#endif
