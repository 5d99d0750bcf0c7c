/* import.h - `gpuplan import`: imports files into the catalogue, each as a run that can be
 * undone. */
#ifndef COMMAND_IMPORT_H
#define COMMAND_IMPORT_H

#include "settings/conf.h"

/* argv[0] is "import"; returns an exit code. */
int import_command(int argc, char **argv, const struct conf *conf);

#endif
