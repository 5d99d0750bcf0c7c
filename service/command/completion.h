/* completion.h - `gpuplan completion bash` or `zsh`: prints a completion script made from the field
 * tables. */
#ifndef COMMAND_COMPLETION_H
#define COMMAND_COMPLETION_H

#include "settings/conf.h"

/* argv[0] is "completion". Prints the script; returns the exit code. */
int completion_run(int argc, char **argv, const struct conf *conf);

#endif
