/* import.h - `gpuplan import`: files into the catalogue, each as a run that can be undone. */
#ifndef IMPORT_H
#define IMPORT_H

#include "conf.h"

/* What follows "gpuplan" on the command line, itself first; an exit code. */
int import_command(int argc, char **argv, const struct conf *conf);

#endif
