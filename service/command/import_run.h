/* import_run.h - the loop of an import: each file read, understood, and brought in by a transaction
 * of its own, with what became of it kept for the report. */
#ifndef COMMAND_IMPORT_RUN_H
#define COMMAND_IMPORT_RUN_H

#include "command/import_files.h"
#include "command/import_report.h"
#include "store/import.h"

struct import_options {
    const char *format, *provider, *observed; /* NULL: as the files say */
    bool dry_run, strict, new_providers;
};

/* All that an import needs. */
struct import_job {
    struct import_options options;
    struct import *store;
    struct import_report report;
    bool failed;    /* a file named on the command line is of no use */
    bool refused;   /* some row is */
    bool useful;    /* some row says what is or becomes known */
    bool gpus_came; /* with the last file */
};

/* One file; false where the import cannot go on. A file that is of no use is passed over, and said.
 */
bool import_one(struct import_job *job, const struct import_path *path, struct err *err) MUST_CHECK;
/* All of them, kept together or not at all where it is strict. */
bool import_all(struct import_job *job, const struct import_paths *paths,
                struct err *err) MUST_CHECK;

#endif
