/* import_report.h - the report of an import: progress, refused rows, unknown names, and final
 * counts. */
#ifndef COMMAND_IMPORT_REPORT_H
#define COMMAND_IMPORT_REPORT_H

#include "base/arena.h"
#include "feed/feed.h"
#include "store/import.h"

#include <stdio.h>

/* The result of one file. */
struct import_outcome {
    const char *file, *format, *provider, *observed;
    const char *note; /* why nothing was done, or another remark; or NULL */
    struct import_counts counts;
    size_t no_gpu, no_price; /* part of counts.passed */
    int64_t run;             /* 0 if none */
    double seconds;
};

struct import_report {
    struct arena arena;
    const char *path; /* of `refused` */
    FILE *refused;    /* CSV of all refused rows; NULL if not requested */
    struct import_outcome *outcomes;
    struct unknown_name {
        const char *provider, *name;
        const char *choices; /* what it may mean; "" if nothing similar is known */
        size_t rows;
    } * unknown;
    size_t n_outcomes, n_unknown;
    const char *file;      /* the current file */
    double began, told;    /* clock_monotonic() */
    size_t rows, refusals; /* of the current file */
};

/* Open the CSV of refused rows, unless path is NULL; closing checks that it was written
 * completely. */
bool import_report_open(struct import_report *report, const char *path, struct err *err);
bool import_report_close(struct import_report *report, struct err *err);

void import_report_begin(struct import_report *report, const char *file);
/* Count a row of the current file; prints progress once a second. */
void import_report_row(struct import_report *report);
/* Print the next phase, if it takes more than a moment. */
void import_report_phase(const struct import_report *report, const char *what);
void import_report_refusal(struct import_report *report, const char *provider,
                           const struct feed_refusal *refusal);
void import_report_end(struct import_report *report, const struct import_outcome *outcome);
/* Print all results to standard output, as a table or as JSON; frees the report. */
void import_report_print(struct import_report *report, bool json, const char *closing);

#endif
