/* client_report.h - the report of a benchmark that measures any server, whatever engine answers. */
#ifndef FEED_BENCHMARKS_CLIENT_REPORT_H
#define FEED_BENCHMARKS_CLIENT_REPORT_H

#include "feed/benchmarks/json_report.h"

/* NAN and NULL for what a report does not say. */
struct client_report {
    const char *model;
    double stated;        /* requests that the client kept in flight */
    double rate, latency; /* requests/s and seconds of a request, used if that is not stated */
    double completed, failed;
    double inputs, outputs; /* tokens of a request, on average */
    double first, token;    /* seconds, on average */
};

/* Adds the report as a run. False with *err if a figure is missing or no load was kept up. */
bool client_report_add(const struct client_report *report, struct arena *arena,
                       struct benchmark *benchmark, struct err *err) MUST_CHECK;

/* The scale of a unit to seconds; that of ms if it is not known. */
double client_report_scale(const char *unit);

#endif
