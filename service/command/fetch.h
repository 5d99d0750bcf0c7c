/* fetch.h - `gpuplan fetch`: downloads and imports the sources in table feed_source. */
#ifndef COMMAND_FETCH_H
#define COMMAND_FETCH_H

#include "settings/conf.h"

/* argv[0] is the name of the command; returns an exit code. */
int fetch_command(int argc, char **argv, const struct conf *conf);

#endif
