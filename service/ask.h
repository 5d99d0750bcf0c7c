/* ask.h - `gpuplan ask QUESTION key=value ...`: one question on the command line. */
#ifndef ASK_H
#define ASK_H

#include "conf.h"

/* argv[0] is "ask". Prints the answer; the exit code. */
int ask_run(int argc, char **argv, const struct conf *conf);

#endif
