#include "command/import_report.h"

#include "answer/value.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/sort.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Number of refused rows shown per file; --report lists all of them. */
enum { SHOWN = 5, TEXT_SHOWN = 300, OUT_CAP = 1 << 26 };

bool import_report_open(struct import_report *report, const char *path, struct err *err)
{
    if (!path)
        return true;
    report->path = path;
    report->refused = fopen(path, "we");
    if (!report->refused)
        return err_set(err, ERR_INVALID, "cannot write %s", path);
    fputs("file,line,reason,text\n", report->refused);
    return true;
}

bool import_report_close(struct import_report *report, struct err *err)
{
    FILE *refused = report->refused;

    report->refused = NULL;
    return !refused || fclose(refused) == 0 ||
           err_set(err, ERR_INVALID, "cannot write all of %s", report->path);
}

void import_report_begin(struct import_report *report, const char *file)
{
    report->file = file;
    report->rows = report->refusals = 0;
    report->began = report->told = clock_monotonic();
}

void import_report_row(struct import_report *report)
{
    enum { CHECK_EVERY = 4096 };

    if (++report->rows % CHECK_EVERY)
        return;
    double now = clock_monotonic();
    if (now - report->told < 1)
        return;
    report->told = now;
    fprintf(stderr, "%s: %zu rows, %.0f a second\n", report->file, report->rows,
            (double)report->rows / (now - report->began));
}

void import_report_phase(const struct import_report *report, const char *what)
{
    double seconds = clock_monotonic() - report->began;

    if (seconds >= 1)
        fprintf(stderr, "%s: %zu rows %s after %.1f s\n", report->file, report->rows, what,
                seconds);
}

static void write_quoted(FILE *out, const char *text, size_t length)
{
    fputc('"', out);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '"')
            fputc('"', out);
        fputc(text[i], out);
    }
    fputc('"', out);
}

static void count_unknown(struct import_report *report, const char *provider,
                          const struct feed_refusal *refusal)
{
    const char *name = refusal->unknown, *choices = strstr(refusal->why, ": one of ");
    size_t n = report->n_unknown;

    for (size_t i = 0; i < n; i++) {
        struct unknown_name *known = &report->unknown[i];
        if (strcmp(known->provider, provider) == 0 && strcmp(known->name, name) == 0) {
            known->rows++;
            return;
        }
    }
    report->unknown = mem_resize(report->unknown, (n + 1) * sizeof(*report->unknown));
    report->unknown[report->n_unknown++] = (struct unknown_name){
        arena_text(&report->arena, provider), arena_text(&report->arena, name),
        choices ? arena_text(&report->arena, choices) : "", 1};
}

void import_report_refusal(struct import_report *report, const char *provider,
                           const struct feed_refusal *refusal)
{
    size_t length = refusal->length < TEXT_SHOWN ? refusal->length : TEXT_SHOWN;

    if (refusal->unknown)
        count_unknown(report, provider, refusal);
    else if (++report->refusals <= SHOWN)
        fprintf(stderr, "%s:%zu: refused: %s\n", report->file, refusal->line, refusal->why);
    if (!report->refused)
        return;
    write_quoted(report->refused, report->file, strlen(report->file));
    fprintf(report->refused, ",%zu,", refusal->line);
    write_quoted(report->refused, refusal->why, strlen(refusal->why));
    fputc(',', report->refused);
    write_quoted(report->refused, refusal->text, length);
    fputc('\n', report->refused);
}

void import_report_end(struct import_report *report, const struct import_outcome *outcome)
{
    size_t n = report->n_outcomes;

    if (report->refusals > SHOWN)
        fprintf(stderr, "%s: and %zu rows more are refused; --report FILE.csv writes all of them\n",
                report->file, report->refusals - SHOWN);
    report->outcomes = mem_resize(report->outcomes, (n + 1) * sizeof(*report->outcomes));
    report->outcomes[n] = *outcome;
    report->outcomes[report->n_outcomes++].seconds = clock_monotonic() - report->began;
}

static size_t rows_of(const struct import_counts *counts)
{
    return counts->taken + counts->unchanged + counts->passed + counts->refused;
}

static struct import_counts sum(const struct import_report *report)
{
    struct import_counts total = {0};

    for (size_t i = 0; i < report->n_outcomes; i++) {
        const struct import_counts *counts = &report->outcomes[i].counts;
        total.taken += counts->taken;
        total.unchanged += counts->unchanged;
        total.passed += counts->passed;
        total.refused += counts->refused;
    }
    return total;
}

static void print_counts(const struct import_counts *counts)
{
    printf("%8zu %8zu %9zu %8zu %8zu", rows_of(counts), counts->taken, counts->unchanged,
           counts->passed, counts->refused);
}

static int compare_unknown(const void *a, const void *b)
{
    const struct unknown_name *x = a, *y = b;
    int order = strcmp(x->provider, y->provider);

    return order ? order : strcmp(x->name, y->name);
}

static void print_table(const struct import_report *report, const char *closing)
{
    struct import_counts total = sum(report);

    printf("%8s %8s %9s %8s %8s %7s %6s  %s\n", "rows", "taken", "unchanged", "passed", "refused",
           "seconds", "run", "file");
    for (size_t i = 0; i < report->n_outcomes; i++) {
        const struct import_outcome *outcome = &report->outcomes[i];
        print_counts(&outcome->counts);
        printf(" %7.2f %6" PRId64 "  %s (%s%s%s%s%s)%s%s\n", outcome->seconds, outcome->run,
               outcome->file, outcome->format, outcome->provider[0] ? ", " : "", outcome->provider,
               outcome->observed[0] ? " of " : "", outcome->observed, outcome->note ? ": " : "",
               outcome->note ? outcome->note : "");
    }
    print_counts(&total);
    printf("                 %zu file%s, %s\n", report->n_outcomes,
           report->n_outcomes == 1 ? "" : "s", closing);
    if (report->n_unknown)
        puts("\nUnknown GPU names (to be added to table gpu_name), and the rows refused because "
             "of them:");
    for (size_t i = 0; i < report->n_unknown; i++)
        printf("%8zu  %s%s%s%s\n", report->unknown[i].rows, report->unknown[i].provider,
               report->unknown[i].provider[0] ? ": " : "", report->unknown[i].name,
               report->unknown[i].choices);
}

static void json_text(struct buf *out, const char *name, const char *text)
{
    buf_print(out, "\"%s\": ", name);
    if (text && text[0])
        value_json_text(out, text);
    else
        buf_text(out, "null");
}

static void json_outcome(struct buf *out, const struct import_outcome *outcome)
{
    buf_text(out, "{");
    json_text(out, "file", outcome->file);
    buf_text(out, ", ");
    json_text(out, "format", outcome->format);
    buf_text(out, ", ");
    json_text(out, "provider", outcome->provider);
    buf_text(out, ", ");
    json_text(out, "observed", outcome->observed);
    buf_text(out, ", ");
    json_text(out, "note", outcome->note);
    buf_print(out,
              ", \"run\": %" PRId64 ", \"rows\": %zu, \"taken\": %zu, \"unchanged\": %zu, "
              "\"passed\": %zu, \"refused\": %zu, \"without_gpu\": %zu, \"without_price\": %zu, "
              "\"seconds\": %.3f}",
              outcome->run, rows_of(&outcome->counts), outcome->counts.taken,
              outcome->counts.unchanged, outcome->counts.passed, outcome->counts.refused,
              outcome->no_gpu, outcome->no_price, outcome->seconds);
}

static void print_json(const struct import_report *report, const char *closing)
{
    struct buf out;

    buf_init(&out, OUT_CAP);
    buf_text(&out, "{");
    json_text(&out, "outcome", closing);
    buf_text(&out, ",\n\"files\": [");
    for (size_t i = 0; i < report->n_outcomes; i++) {
        buf_text(&out, i ? ",\n  " : "\n  ");
        json_outcome(&out, &report->outcomes[i]);
    }
    buf_text(&out, "],\n\"unknown_names\": [");
    for (size_t i = 0; i < report->n_unknown; i++) {
        buf_text(&out, i ? ",\n  {" : "\n  {");
        json_text(&out, "provider", report->unknown[i].provider);
        buf_text(&out, ", ");
        json_text(&out, "name", report->unknown[i].name);
        buf_print(&out, ", \"rows\": %zu, ", report->unknown[i].rows);
        json_text(&out, "choices", report->unknown[i].choices);
        buf_char(&out, '}');
    }
    buf_text(&out, "]}");
    puts(buf_data(&out));
    buf_free(&out);
}

void import_report_print(struct import_report *report, bool json, const char *closing)
{
    sort_items(report->unknown, report->n_unknown, sizeof(*report->unknown), compare_unknown);
    if (json)
        print_json(report, closing);
    else
        print_table(report, closing);
    free(report->outcomes);
    free(report->unknown);
    arena_free(&report->arena);
}
