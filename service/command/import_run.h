/* import_run.h - the main loop of an import: reads each file and imports it in a transaction of its
 * own, recording the outcome for the report. */
#ifndef COMMAND_IMPORT_RUN_H
#define COMMAND_IMPORT_RUN_H

#include "command/import_files.h"
#include "command/import_report.h"
#include "store/import.h"

struct import_options {
    const char *format, *provider, *observed; /* NULL: taken from the files */
    bool dry_run, strict, new_providers;
};

/* The state of an import. */
struct import_job {
    struct import_options options;
    struct import *store;
    struct import_report report;
    bool failed;    /* a file named on the command line was unusable */
    bool refused;   /* some row was refused */
    bool useful;    /* some row had known content */
    bool gpus_came; /* the last file added GPUs */
};

/* Import one file; false if the import cannot continue. An unusable file is reported and skipped.
 */
bool import_one(struct import_job *job, const struct import_path *path, struct err *err) MUST_CHECK;
/* Import all files; with --strict all or none. */
bool import_all(struct import_job *job, const struct import_paths *paths,
                struct err *err) MUST_CHECK;

#endif
