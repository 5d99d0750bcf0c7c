/* import_list.h - lists import runs, and the columns of a format. */
#ifndef COMMAND_IMPORT_LIST_H
#define COMMAND_IMPORT_LIST_H

#include "store/import.h"

/* Print the runs; print the columns of a format as CSV and return an exit code. */
void import_list_runs(const struct import_run *runs, size_t n, bool json);
int import_list_columns(const char *format);

#endif
