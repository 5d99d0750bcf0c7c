/* ask.h - `gpuplan ask QUESTION key=value ...`: one question on the command line. */
#ifndef COMMAND_ASK_H
#define COMMAND_ASK_H

#include "settings/conf.h"

/* argv[0] is "ask". Prints the answer; returns the exit code. */
int ask_run(int argc, char **argv, const struct conf *conf);

#endif
