/* The readers below the formats: CSV, Python literals, names of GPUs. Whole feeds: tests/feeds. */
#include "base/mem.h"
#include "feed/csv.h"
#include "feed/known.h"
#include "feed/pydict.h"
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
    memset(text, ',', 100);
    text[100] = '\0';
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
    {"skypilot", "aws", "a100", "p4d.%", "a100-sxm4-40gb", 0, 8},
    {"skypilot", "", "gh200", "%", "gh200-144gb", 144, 0},
    {"skypilot", "", "gh200", "%", "gh200-96gb", 96, 0},
    {"skypilot", "lambda", "h100", "%\\_pcie", "h100-pcie-80gb", 0, 0},
    {"skypilot", "", "h100", "%", "h100-sxm5-80gb", 0, 0},
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

int main(void)
{
    test_csv_records();
    test_csv_bad_records();
    test_csv_limits();
    test_pydict();
    test_pydict_refuses();
    test_names();
    return tap_done();
}
