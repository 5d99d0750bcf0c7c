/* The readers below the formats: CSV, JSON, archives, Python literals, names of GPUs. Whole feeds:
 * tests/feeds. */
#include "base/arena.h"
#include "base/mem.h"
#include "feed/csv.h"
#include "feed/json_rows.h"
#include "feed/known.h"
#include "feed/pydict.h"
#include "feed/zip.h"
#include "tap.h"

#include <stdlib.h>

static struct csv *open_csv(const char *text)
{
    struct csv *csv = mem_alloc(sizeof(*csv));

    csv_open(csv, text, strlen(text));
    return csv;
}

static void test_csv_records(void)
{
    struct csv *csv = open_csv("\xEF\xBB\xBF"
                               "a,\"b,\"\"c\"\"\",\r\n\n\"two\nlines\",x,\"\"\nlast,\"\",1");

    ok(csv_next(csv) && csv->n == 3 && csv->line == 1 && !csv->why, "the first record");
    is_str(csv->at[0], "a", "without the mark");
    is_str(csv->at[1], "b,\"c\"", "a quoted field");
    is_str(csv->at[2], "", "an empty one before CRLF");
    ok(csv_next(csv) && csv->line == 3, "an empty line counts as a line only");
    is_str(csv->at[0], "two\nlines", "a break inside quotes");
    ok(csv_next(csv) && csv->line == 5 && csv->n == 3, "the line after it");
    ok(!csv_next(csv), "the end without a line end");
    free(csv);
}

static void test_csv_bad_records(void)
{
    struct csv *csv = open_csv("a,\"open\nb,c\n\"x\"y,1\nd\"e,f\ng,\xff\nh,i\n\"j,k\n");
    static const char *const whys[] = {"text after a closing quote",
                                       NULL,
                                       "text after a closing quote",
                                       "a quote inside a field that does not begin with one",
                                       "is not UTF-8",
                                       NULL,
                                       "a quote is opened and not closed"};

    for (size_t i = 0; i < sizeof(whys) / sizeof(whys[0]); i++) {
        ok(csv_next(csv) && csv->line == i + 1, "line %zu is reached", i + 1);
        is_str(csv->why ? csv->why : "", whys[i] ? whys[i] : "", "what is wrong with it");
    }
    ok(!csv_next(csv), "the end");
    free(csv);
}

static void test_csv_limits(void)
{
    char *text = mem_alloc(3 * CSV_RECORD_MAX);
    struct csv *csv;

    memset(text, 'x', 2 * CSV_RECORD_MAX);
    memcpy(text + (size_t)2 * CSV_RECORD_MAX, "\na,b", 5);
    csv = open_csv(text);
    ok(csv_next(csv) && csv->why, "a line that is too long");
    ok(csv_next(csv) && !csv->why && csv->n == 2 && csv->line == 2, "the next one");
    free(csv);
    memset(text, ',', 200);
    text[200] = '\0';
    csv = open_csv(text);
    ok(csv_next(csv) && csv->why, "too many fields");
    free(csv);
    csv = mem_alloc(sizeof(*csv));
    csv_open(csv, "a\0b,c", 5);
    ok(csv_next(csv) && csv->why, "a NUL");
    free(csv);
    free(text);
}

static void test_pydict(void)
{
    struct pydict dict;

    ok(pydict_read(&dict,
                   "{'Gpus': [{'Name': \"a'b\", 'Count': 8.0, 'On': True, 'M': {'Mib': -1}, }],"
                   " 'T': None}"),
       "a literal");
    is_str(pydict_find(&dict, "gpus.0.name"), "a'b", "a text in the other quotes");
    is_str(pydict_find(&dict, "gpus.0.count"), "8.0", "a number");
    is_str(pydict_find(&dict, "gpus.0.m.mib"), "-1", "deeper");
    is_str(pydict_find(&dict, "t"), "None", "a word");
    ok(!pydict_find(&dict, "gpus.1.name"), "what is not there");
}

static void test_pydict_refuses(void)
{
    static const char *const bad[] = {
        "",
        "[1]",
        "{'a': 1",
        "{'a' 1}",
        "{'a': }",
        "{'a': 1} x",
        "{'a': 'b}",
        "{'a': 1 'b'}",
        "{'a': 'b\\n'}",
        "{,}",
        "{'a': 1, 'A': 2}",
        "{'a': {'b': {'c': {'d': {'e': {'f': {'g': {'h': {'i': 1}}}}}}}}}",
    };
    struct pydict dict;

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ok(!pydict_read(&dict, bad[i]) && dict.why, "refuses %s", bad[i]);
}

static const struct feed_name names[] = {
    {"skypilot", "aws", "a100", "p4d.%", "a100-sxm4-40gb", 0, 8, false},
    {"skypilot", "", "gh200", "%", "gh200-144gb", 144, 0, true},
    {"skypilot", "", "gh200", "%", "gh200-96gb", 96, 0, false},
    {"skypilot", "lambda", "h100", "%\\_pcie", "h100-pcie-80gb", 0, 0, false},
    {"skypilot", "", "h100", "%", "h100-sxm5-80gb", 0, 0, false},
};
static const struct feed_gpu gpus[] = {{"a100-sxm4-40gb", 40},
                                       {"gh200-144gb", 144},
                                       {"gh200-96gb", 96},
                                       {"h100-pcie-80gb", 80},
                                       {"h100-sxm5-80gb", 80}};
static const struct feed_known known = {.names = names, .n_names = 5, .gpus = gpus, .n_gpus = 5};

static void is_gpu(const char *provider, const char *name, const char *instance, double memory_gib,
                   double count, const char *gpu)
{
    struct feed_accelerator said = {"skypilot", provider, name, instance, memory_gib, count, true};
    struct feed_match match = feed_find_gpu(&known, &said);

    is_str(match.gpu ? match.gpu : "", gpu, "%s %s %s with %g GiB: %s", provider, name, instance,
           memory_gib, match.why);
    ok(!match.gpu == (match.why[0] != '\0'), "a reason where there is none");
}

static void test_names(void)
{
    double unknown = (double)NAN;

    is_gpu("aws", "A-100", "p4d.24xlarge", 40, 8, "a100-sxm4-40gb");
    is_gpu("aws", "A100", "p4d.24xlarge", 37.3, 8, "a100-sxm4-40gb"); /* 40 GB, decimal */
    is_gpu("aws", "A100", "p4d.24xlarge", 320, 8, "a100-sxm4-40gb");  /* of all eight */
    is_gpu("aws", "A100", "p4d.24xlarge", 40.0 / 1024, 8, "a100-sxm4-40gb");
    is_gpu("aws", "A100", "p4d.24xlarge", 80, 8, "");
    is_gpu("aws", "A100", "p4d.24xlarge", 40, 4, "");
    is_gpu("aws", "A100", "p5.48xlarge", 40, 8, "");
    is_gpu("gcp", "A100", "p4d.24xlarge", 40, 8, "");
    is_gpu("gcp", "GH200", "x", 96, 1, "gh200-96gb");
    is_gpu("gcp", "GH200", "x", 144, 1, "gh200-144gb");
    is_gpu("gcp", "GH200", "x", unknown, 1, ""); /* either */
    is_gpu("gcp", "GH200", "x", 120, 1, "");
    is_gpu("gcp", "H100", "x", unknown, 1, "h100-sxm5-80gb");
    is_gpu("lambda", "H100", "gpu_1x_h100_pcie", 80, 1, "h100-pcie-80gb");
    is_gpu("lambda", "H100", "gpu_1x_h100", 80, 1, ""); /* its own rows go before */
}

static void test_choices(void)
{
    struct feed_accelerator said = {"skypilot", "gcp", "GH", "x", 96, 1, false};
    struct feed_match match = feed_find_gpu(&known, &said);

    ok(match.unknown && strstr(match.why, ": one of gh200-96gb"), "what it may be: %s", match.why);
    ok(!strstr(match.why, "gh200-144gb"), "but not what has another memory");
    said = (struct feed_accelerator){"skypilot", "gcp", "GH200", "x", 144, 1, false};
    match = feed_find_gpu(&known, &said);
    ok(match.note && strstr(match.note, "from memory"), "what nobody has looked up is said");
    said.memory_gib = 96;
    ok(!feed_find_gpu(&known, &said).note, "what somebody has is not");
}

/* All rows of the document as "line: a|b|c", and what is wrong with it at the end. */
static const char *read_json(const char *text, const char *pattern, const char *const *columns)
{
    static char out[1024];
    struct csv *csv = mem_alloc(sizeof(*csv));
    struct arena arena = {0};
    struct json_rows *rows = json_rows_open(text, strlen(text), pattern, columns, &arena);
    size_t n = 0;

    out[0] = '\0';
    while (json_rows_next(rows, csv)) {
        n += (size_t)snprintf(out + n, sizeof(out) - n, "%zu:", csv->line);
        for (size_t i = 0; i < csv->n; i++)
            n += (size_t)snprintf(out + n, sizeof(out) - n, "%s%s", i ? "|" : " ", csv->at[i]);
        n += (size_t)snprintf(out + n, sizeof(out) - n, "; ");
    }
    if (json_rows_why(rows))
        snprintf(out + n, sizeof(out) - n, "%s", json_rows_why(rows));
    arena_free(&arena);
    free(csv);
    return out;
}

static void test_json_rows(void)
{
    static const char *const flat[] = {"a", "b", NULL};
    static const char *const deep[] = {"up__id", "key_1", "p__q_r", "p__0", NULL};

    is_str(
        read_json("\xEF\xBB\xBF{\"x\": 1,\n\"rows\": [\n{\"a\": \"q\\u00e9\\ud83d\\ude00\", \"c\": "
                  "[1, {}]}, {\"b\": -1.5e3, \"a\": null},\n{}]}",
                  "rows.*", flat),
        "3: q\xC3\xA9\xF0\x9F\x98\x80|; 4: |-1.5e3; 5: |; ", "rows, numbered on from their line");
    is_str(read_json(
               "[{\"id\": \"one\", \"m\": {\"x\": {\"p\": {\"q.r\": 1}}}}, {\"m\": {\"y\": {\"p\": "
               "[true]}}}]",
               "m.*", deep),
           "1: one|x|1|; 2: |y||true; ", "names within, above, and in place of the star");
    is_str(read_json("{\"a\": 1, \"b\": {\"a\": 2}}", "", flat), "1: 1|; ", "the document itself");
    is_str(read_json("{\"rows\": 5}", "rows.*", flat), "", "no rows where there is no list");
}

static void test_json_faults(void)
{
    static const char *const columns[] = {"a", NULL};
    static const char *const faults[][2] = {
        {"[{\"a\": 1}, {\"a\": \"x", "1: 1; it ends within a string"},
        {"[{\"a\": 1}", "1: 1; it ends too early"},
        {"[{\"a\": 1} {\"a\": 2}]", "1: 1; a comma is missing"},
        {"[{\"a\" 1}]", "a colon is missing"},
        {"[{\"a\": }]", "a value is missing"},
        {"[{\"a\": tru}]", "a value is missing"},
        {"[{a: 1}]", "a name or a text has to begin with a quote"},
        {"[{\"a\": \"\\q\"}]", "an escape that JSON does not have"},
        {"[{\"a\": \"\\ud800\"}]", "an escape that is no character"},
        {"[{\"a\": \"\\u12\"}]", "an escape \\u without four hexadecimal digits"},
        {"[{\"a\": \"\n\"}]", "a control character in a string"},
        {"[]x", "something follows its end"},
        {"", "it ends too early"},
    };
    char nested[200];

    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        is_str(read_json(faults[i][0], "", columns), faults[i][1], "%s", faults[i][0]);
    memset(nested, '[', sizeof(nested) - 1);
    nested[sizeof(nested) - 1] = '\0';
    is_str(read_json(nested, "", columns), "it is nested too deeply", "a document of brackets");
}

/* An archive of "a.csv", stored, whose bytes are "hello". */
static const char archive[] = "PK\3\4\24\0\0\0\0\0\0\0\0\0\206\246\020\066\5\0\0\0\5\0\0\0\5\0\0\0"
                              "a.csvhello"
                              "PK\1\2\24\0\24\0\0\0\0\0\0\0\0\0\206\246\020\066\5\0\0\0\5\0\0\0\5\0"
                              "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0a.csv"
                              "PK\5\6\0\0\0\0\1\0\1\0\063\0\0\0\050\0\0\0\0";
enum { ARCHIVE_SIZE = sizeof(archive), ARCHIVE_MEMBERS = 101, ARCHIVE_BYTES = 35 };

/* What becomes of it with one byte another. */
static const char *unpack(size_t at, char byte, size_t n, size_t max)
{
    static char said[512];
    char bytes[ARCHIVE_SIZE], name[ZIP_NAME_MAX], *out = NULL;
    struct err err = {0};
    size_t length = 0;

    memcpy(bytes, archive, sizeof(bytes));
    bytes[at] = byte;
    if (zip_unpack(bytes, n, max, &out, &length, name, &err))
        snprintf(said, sizeof(said), "%s: %.*s", name, (int)length, out);
    else
        snprintf(said, sizeof(said), "%s", err.text);
    free(out);
    return said;
}

static void test_zip(void)
{
    ok(zip_is(archive, ARCHIVE_SIZE) && !zip_is("a,b", 3), "known by its beginning");
    is_str(unpack(0, 'P', ARCHIVE_SIZE, 5), "a.csv: hello", "one file");
    is_str(unpack(ARCHIVE_BYTES, 'j', ARCHIVE_SIZE, 5),
           "is a damaged ZIP archive: \"a.csv\" fails its checksum", "another byte in it");
    is_str(unpack(0, 'P', ARCHIVE_SIZE, 4), "holds 0 MB, at most 0 are unpacked",
           "more than allowed");
    is_str(unpack(0, 'P', ARCHIVE_SIZE - 30, 5),
           "is not a complete ZIP archive: it has no directory at its end",
           "the first part of one");
    is_str(unpack(ARCHIVE_MEMBERS, 2, ARCHIVE_SIZE, 5), "is a ZIP archive of 2 files, not one",
           "two files");
}

int main(void)
{
    test_csv_records();
    test_csv_bad_records();
    test_csv_limits();
    test_pydict();
    test_pydict_refuses();
    test_names();
    test_choices();
    test_json_rows();
    test_json_faults();
    test_zip();
    return tap_done();
}
