/* measure.h - `gpuplan measure FILE`: converts a benchmark result to the inputs of a question. */
#ifndef COMMAND_MEASURE_H
#define COMMAND_MEASURE_H

#include "settings/conf.h"

/* argv[0] is "measure". Prints the question; returns the exit code. */
int measure_command(int argc, char **argv, const struct conf *conf);

#endif
