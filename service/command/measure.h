/* measure.h - `gpuplan measure FILE`: the inputs that a benchmark's result gives a question. */
#ifndef COMMAND_MEASURE_H
#define COMMAND_MEASURE_H

#include "settings/conf.h"

/* argv[0] is "measure". Prints the question; the exit code. */
int measure_command(int argc, char **argv, const struct conf *conf);

#endif
