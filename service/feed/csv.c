#include "feed/csv.h"

#include "base/text.h"

#include <math.h>
#include <string.h>

/* Parser state of a record: reads at `from`, writes to csv->text at `used`. */
struct scan {
    const char *from;
    size_t used;
    size_t lines; /* line breaks inside quotes */
};

void csv_open(struct csv *csv, const char *bytes, size_t n)
{
    static const char mark[] = "\xEF\xBB\xBF";
    size_t skip = n >= 3 && memcmp(bytes, mark, 3) == 0 ? 3 : 0;

    csv->next = bytes + skip;
    csv->end = bytes + n;
    csv->delimiter = ',';
    csv->next_line = 1;
    csv->n = 0;
}

static bool fail(struct csv *csv, const char *why)
{
    csv->why = why;
    return false;
}

static bool add(struct csv *csv, struct scan *scan, const char *bytes, size_t n)
{
    if (n >= CSV_RECORD_MAX - scan->used)
        return fail(csv, "longer than 64 KiB");
    if (memchr(bytes, '\0', n))
        return fail(csv, "holds a NUL byte");
    memcpy(csv->text + scan->used, bytes, n);
    scan->used += n;
    return true;
}

/* The end of the line that begins at `from`: its LF, or the end of the file. */
static const char *line_end(const struct csv *csv, const char *from)
{
    const char *lf = memchr(from, '\n', (size_t)(csv->end - from));

    return lf ? lf : csv->end;
}

static bool ends_record(const struct csv *csv, const char *p)
{
    return p == csv->end || *p == '\n' || (*p == '\r' && (p + 1 == csv->end || p[1] == '\n'));
}

static bool read_quoted(struct csv *csv, struct scan *scan)
{
    const char *p = scan->from + 1;

    for (;;) {
        size_t left = (size_t)(csv->end - p);
        size_t room = left < CSV_RECORD_MAX ? left : CSV_RECORD_MAX;
        const char *quote = room ? memchr(p, '"', room) : NULL;
        if (!quote)
            return fail(csv, "a quote is opened and not closed");
        if (!add(csv, scan, p, (size_t)(quote - p)))
            return false;
        for (const char *lf = p; (lf = memchr(lf, '\n', (size_t)(quote - lf))) != NULL; lf++)
            scan->lines++;
        p = quote + 1;
        if (p == csv->end || *p != '"')
            break;
        if (!add(csv, scan, p++, 1))
            return false;
    }
    scan->from = p;
    return ends_record(csv, p) || *p == csv->delimiter || fail(csv, "text after a closing quote");
}

static bool read_plain(struct csv *csv, struct scan *scan)
{
    const char *p = scan->from;

    while (p < csv->end && *p != csv->delimiter && !ends_record(csv, p)) {
        if (*p == '"')
            return fail(csv, "a quote inside a field that does not begin with one");
        p++;
    }
    bool done = add(csv, scan, scan->from, (size_t)(p - scan->from));
    scan->from = p;
    return done;
}

static bool read_field(struct csv *csv, struct scan *scan)
{
    bool quoted = scan->from < csv->end && *scan->from == '"';

    if (csv->n == CSV_FIELDS_MAX)
        return fail(csv, "more than 128 fields");
    const char *field = csv->text + scan->used;
    if (!(quoted ? read_quoted(csv, scan) : read_plain(csv, scan)))
        return false;
    csv->text[scan->used++] = '\0';
    csv->at[csv->n++] = field;
    return text_is_utf8(field) || fail(csv, "is not UTF-8");
}

static bool read_record(struct csv *csv, struct scan *scan)
{
    csv->n = 0;
    csv->why = NULL;
    if (!read_field(csv, scan))
        return false;
    while (scan->from < csv->end && *scan->from == csv->delimiter) {
        scan->from++;
        if (!read_field(csv, scan))
            return false;
    }
    return true;
}

static void skip_empty_lines(struct csv *csv)
{
    while (csv->next < csv->end && ends_record(csv, csv->next)) {
        const char *lf = line_end(csv, csv->next);
        csv->next = lf < csv->end ? lf + 1 : lf;
        csv->next_line++;
    }
}

bool csv_next(struct csv *csv)
{
    skip_empty_lines(csv);
    if (csv->next >= csv->end)
        return false;
    struct scan scan = {.from = csv->next};
    const char *first_end = line_end(csv, csv->next);

    csv->line = csv->next_line;
    csv->start = csv->next;
    csv->length = (size_t)(first_end - csv->start);
    if (csv->length && csv->start[csv->length - 1] == '\r')
        csv->length--;
    bool good = read_record(csv, &scan);
    const char *last_end = good ? line_end(csv, scan.from) : first_end;
    csv->next = last_end < csv->end ? last_end + 1 : last_end;
    csv->next_line = csv->line + 1 + (good ? scan.lines : 0);
    return true;
}

double csv_number(const struct csv *csv, unsigned column)
{
    double value;

    return text_number(csv->at[column], &value) ? value : (double)NAN;
}
