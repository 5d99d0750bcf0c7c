/* process.h - limits and files of the process: the number of descriptors, and the file with its
 * port. */
#ifndef PROCESS_H
#define PROCESS_H

#include "base/err.h"

/* As many descriptors as the system allows: each connection is one. */
void process_raise_limits(unsigned connections);

/* Write the port to that file ("": none), by renaming, so that readers always find it whole. */
bool process_write_port(const char *path, unsigned port, struct err *err) MUST_CHECK;

#endif
