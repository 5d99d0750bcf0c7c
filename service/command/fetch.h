/* fetch.h - gpuplan fetch: the sources of table feed_source, downloaded and imported. */
#ifndef COMMAND_FETCH_H
#define COMMAND_FETCH_H

#include "settings/conf.h"

/* Returns an exit code; argv[0] is the name of the command. */
int fetch_command(int argc, char **argv, const struct conf *conf);

#endif
