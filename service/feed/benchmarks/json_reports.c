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

/* A part of the file, and the line number of its first byte. */
struct part {
    const char *bytes;
    size_t n, line;
};

/* Read one document, or a list of them. */
static bool read_document(const struct json_report *report, const struct part *part,
                          struct arena *arena, struct benchmark *benchmark, struct err *err)
{
    struct csv *row = arena_alloc(arena, sizeof(*row));
    struct json_rows *rows =
        json_rows_open(part->bytes, part->n, report->rows, report->columns, arena);
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
        return err_set(err, ERR_INVALID, "line %zu: %.400s", part->line - 1 + row->line,
                       why.text[0] ? why.text : "not a report, as the one before it");
    }
    if (json_rows_why(rows))
        return err_set(err, ERR_INVALID, "line %zu: %s", part->line - 1 + json_rows_line(rows),
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

/* Read a document from each line that has one. */
static bool read_lines(const struct json_report *report, const struct part *part,
                       struct arena *arena, struct benchmark *benchmark, struct err *err)
{
    const char *end = part->bytes + part->n;

    for (struct part line = *part; line.bytes < end; line.line++) {
        const char *newline = memchr(line.bytes, '\n', (size_t)(end - line.bytes));
        line.n = (size_t)((newline ? newline : end) - line.bytes);
        if (memchr(line.bytes, '{', line.n) && !read_document(report, &line, arena, benchmark, err))
            return false;
        line.bytes += line.n + 1;
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
    struct part all = {without_infinities(bytes, n, arena), n, line};
    for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
        bool read = lines ? read_lines(reports[i], &all, arena, benchmark, err)
                          : read_document(reports[i], &all, arena, benchmark, err);
        if (read && benchmark->n == 0)
            return err_set(err, ERR_INVALID, "%.400s",
                           benchmark->note ? benchmark->note : "it holds no run");
        if (read || err->text[0])
            return read;
    }
    return false;
}
