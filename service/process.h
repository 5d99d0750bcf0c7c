/* process.h - process limits and files: number of descriptors, and the port file. */
#ifndef PROCESS_H
#define PROCESS_H

#include "base/err.h"

/* Raise the descriptor limit as far as the system allows, since each connection needs one. */
void process_raise_limits(unsigned connections);

/* Write the port to that file ("" for none) and rename it into place, so that readers never see a
 * partial file. */
bool process_write_port(const char *path, unsigned port, struct err *err) MUST_CHECK;

#endif
