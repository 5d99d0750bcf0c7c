/* import.h - `gpuplan import`: files into the catalogue, each as a run that can be undone. */
#ifndef COMMAND_IMPORT_H
#define COMMAND_IMPORT_H

#include "settings/conf.h"

/* What follows "gpuplan" on the command line, itself first; an exit code. */
int import_command(int argc, char **argv, const struct conf *conf);

#endif
