/* usage.h - `gpuplan usage FILE`: compares the monthly usage of a cluster with its plan. */
#ifndef COMMAND_USAGE_H
#define COMMAND_USAGE_H

#include "settings/conf.h"

int usage_command(int argc, char **argv, const struct conf *conf);

#endif
