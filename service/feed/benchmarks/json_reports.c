/* json_reports.c - JSON of a benchmark: one report, a list of them, or one a line. */
#include "feed/benchmarks/json_report.h"

#include "feed/json_rows.h"

#include <ctype.h>
#include <string.h>

static const struct json_report *const reports[] = {
    &serving_json, &aiperf_json, &guidellm_json, &inferencex_json, &llama_bench_json,
};

/* Python writes Infinity and NaN, which are not JSON; outside strings they become 0, which no
 * figure read here can be. */
static const char *without_infinities(const char *bytes, size_t n, struct arena *arena)
{
    static const char *const words[] = {"-Infinity", "Infinity", "NaN"};
    char *copy = arena_alloc(arena, n + 1);
    bool quoted = false;

    memcpy(copy, bytes, n);
    for (size_t i = 0; i < n; i++) {
        if (quoted && copy[i] == '\\')
            i++;
        else if (copy[i] == '"')
            quoted = !quoted;
        for (size_t w = 0; !quoted && w < sizeof(words) / sizeof(words[0]); w++) {
            size_t length = strlen(words[w]);
            if (i < n && n - i >= length && memcmp(copy + i, words[w], length) == 0) {
                memset(copy + i, ' ', length);
                copy[i] = '0';
            }
        }
    }
    return copy;
}

/* Read one document, or a list of them. `line` is the line number of the first byte. */
static bool read_document(const struct json_report *report, const char *bytes, size_t n,
                          size_t line, struct arena *arena, struct benchmark *benchmark,
                          struct err *err)
{
    struct csv *row = arena_alloc(arena, sizeof(*row));
    struct json_rows *rows = json_rows_open(bytes, n, report->rows, report->columns, arena);
    struct err why = {0};
    bool any = false;

    while (json_rows_next(rows, row)) {
        if (row->why)
            err_set(&why, ERR_INVALID, "%s", row->why);
        else if (report->add(row, arena, benchmark, &why)) {
            any = true;
            continue;
        }
        if (!why.text[0] && !any && benchmark->n == 0)
            return false;
        return err_set(err, ERR_INVALID, "line %zu: %.400s", line - 1 + row->line,
                       why.text[0] ? why.text : "not a report, as the one before it");
    }
    if (json_rows_why(rows))
        return err_set(err, ERR_INVALID, "line %zu: %s", line - 1 + json_rows_line(rows),
                       json_rows_why(rows));
    return any;
}

/* True if each document has a line to itself: the first line is complete. */
static bool is_lines(const char *bytes, size_t n)
{
    const char *newline = memchr(bytes, '\n', n);
    size_t end = newline ? (size_t)(newline - bytes) : n;

    while (end > 0 && isspace((unsigned char)bytes[end - 1]))
        end--;
    return end > 1 && bytes[end - 1] == '}';
}

/* Log lines may begin with a bracket too. */
static bool is_list(const char *bytes, size_t n)
{
    size_t i = 1;

    while (i < n && isspace((unsigned char)bytes[i]))
        i++;
    return *bytes == '[' && i < n && bytes[i] == '{';
}

static bool read_lines(const struct json_report *report, const char *bytes, size_t n, size_t line,
                       struct arena *arena, struct benchmark *benchmark, struct err *err)
{
    for (const char *at = bytes, *end = bytes + n; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline ? newline : end) - at);
        if (memchr(at, '{', length) &&
            !read_document(report, at, length, line, arena, benchmark, err))
            return false;
        at += length + 1;
        line++;
    }
    return true;
}

bool benchmark_read_json(const char *bytes, size_t n, struct arena *arena,
                         struct benchmark *benchmark, struct err *err)
{
    size_t line = 1;

    while (n > 0 && isspace((unsigned char)*bytes)) {
        line += *bytes == '\n';
        bytes++;
        n--;
    }
    if (n == 0 || (*bytes != '{' && !is_list(bytes, n)))
        return false;
    bool lines = *bytes != '[' && is_lines(bytes, n);
    bytes = without_infinities(bytes, n, arena);
    for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
        bool read = lines ? read_lines(reports[i], bytes, n, line, arena, benchmark, err)
                          : read_document(reports[i], bytes, n, line, arena, benchmark, err);
        if (read && benchmark->n == 0)
            return err_set(err, ERR_INVALID, "%.400s",
                           benchmark->note ? benchmark->note : "it holds no run");
        if (read || err->text[0])
            return read;
    }
    return false;
}
