/* command_line.h - parses long options and maps errors to exit codes; shared by gpuplan import and
 * fetch. */
#ifndef COMMAND_COMMAND_LINE_H
#define COMMAND_COMMAND_LINE_H

#include "base/buf.h"
#include "base/err.h"

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

/* `names` lists the options with an argument first, one for each of `values`, then one for each of
 * `flags`. For an unknown option prints a message on standard error and returns false. optind is
 * set to the first remaining argument. */
bool command_line_read(int argc, char **argv, const struct option *names,
                       const char **const *values, bool *const *flags);
/* Prints the error on standard error; returns the exit code. */
int command_line_complain(const char *command, const struct err *err);

/* Reads a whole file of at most that size. */
enum { COMMAND_LINE_FILE_MAX_BYTES = 256 * 1024 * 1024 };
bool command_line_file(const char *path, struct buf *bytes, struct err *err) MUST_CHECK;

#endif
