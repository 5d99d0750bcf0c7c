/* command_line.h - long options and the exit codes of errors, as gpuplan import and fetch share
 * them. */
#ifndef COMMAND_COMMAND_LINE_H
#define COMMAND_COMMAND_LINE_H

#include "base/buf.h"
#include "base/err.h"

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

/* Options with an argument come first in `names`, one for each of `values`, then one for each of
 * `flags`. False, with a message on standard error, for an option that is none; optind is where the
 * rest begins. */
bool command_line_read(int argc, char **argv, const struct option *names,
                       const char **const *values, bool *const *flags);
/* Says on standard error what went wrong; the exit code. */
int command_line_complain(const char *command, const struct err *err);

/* Reads a whole file of at most that size. */
enum { COMMAND_LINE_FILE_MAX_BYTES = 256 * 1024 * 1024 };
bool command_line_file(const char *path, struct buf *bytes, struct err *err) MUST_CHECK;

#endif
