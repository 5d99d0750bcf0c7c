/* import_list.c - queries about imports that import nothing. */
#include "command/import_list.h"

#include "answer/value.h"
#include "base/buf.h"
#include "settings/exit.h"
#include "feed/columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { OUT_CAP = 1 << 26 };

static void print_json(const struct import_run *runs, size_t n)
{
    struct buf out;

    buf_init(&out, OUT_CAP);
    buf_text(&out, "[");
    for (size_t i = 0; i < n; i++) {
        const struct import_run *run = &runs[i];
        const char *const texts[][2] = {{"at", run->at},
                                        {"by", run->by},
                                        {"format", run->format},
                                        {"provider", run->provider},
                                        {"observed", run->observed},
                                        {"file", run->file},
                                        {"sha256", run->sha256},
                                        {"undone", run->undone}};
        buf_print(&out,
                  "%s{\"run\": %s, \"rows\": %s, \"taken\": %s, \"unchanged\": %s, "
                  "\"passed\": %s, \"refused\": %s",
                  i ? ",\n  " : "\n  ", run->run, run->read, run->taken, run->unchanged,
                  run->passed, run->refused);
        for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); k++) {
            buf_print(&out, ", \"%s\": ", texts[k][0]);
            if (texts[k][1][0])
                value_json_text(&out, texts[k][1]);
            else
                buf_text(&out, "null");
        }
        buf_char(&out, '}');
    }
    buf_text(&out, "]");
    puts(buf_data(&out));
    buf_free(&out);
}

void import_list_runs(const struct import_run *runs, size_t n, bool json)
{
    if (json) {
        print_json(runs, n);
        return;
    }
    printf("%6s %-20s %-12s %-14s %-10s %8s %8s %9s %8s %8s  %s\n", "run", "at", "by", "format",
           "observed", "rows", "taken", "unchanged", "passed", "refused", "file");
    for (size_t i = 0; i < n; i++) {
        const struct import_run *run = &runs[i];
        printf("%6s %-20s %-12s %-14s %-10s %8s %8s %9s %8s %8s  %s%s%s\n", run->run, run->at,
               run->by, run->format, run->observed, run->read, run->taken, run->unchanged,
               run->passed, run->refused, run->file, run->undone[0] ? ", undone " : "",
               run->undone);
    }
}

static const char *type_name(enum field_type type)
{
    switch (type) {
    case FIELD_COUNT:
        return "whole number";
    case FIELD_FLAG:
        return "true or false";
    case FIELD_CHOICE:
        return "one of";
    case FIELD_TEXT:
        return "text";
    case FIELD_DATE:
        return "yyyy-mm-dd";
    default:
        return "number";
    }
}

static void print_bound(double bound)
{
    if (!isnan(bound))
        printf("%g", bound);
}

int import_list_columns(const char *name)
{
    const struct feed_format *format = feed_format_find(name);

    if (!format) {
        fprintf(stderr, "gpuplan import: there is no format \"%s\" with columns; see --help\n",
                name);
        return EXIT_USAGE;
    }
    puts("column,type,unit,min,max,choices,needed,default,meaning");
    for (size_t i = 0; i < format->fields.n; i++) {
        const struct field *field = &format->fields.at[i];
        bool needed = strcmp(field->fallback, "required") == 0;
        printf("%s,%s,%s,", field->name, type_name(field->type), field->unit);
        print_bound(field->min);
        putchar(',');
        print_bound(field->max);
        printf(",%s,%s,%s,\"%s\"\n", field->choices,
               needed                                ? "value"
               : feed_column_required(format, field) ? "column"
                                                     : "",
               needed ? "" : field->fallback, field->sentence);
    }
    return EXIT_OK;
}
