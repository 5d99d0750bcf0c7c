/* feed_fuzz.c - a price feed of any format: every row of it has one fate, and what is given for a
 * table is what that table takes. Whether rows say what their lines say: tests/feeds/mutate.c. */
#include "fuzz.h"

#include "feed/formats.h"
#include "feed/zip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct feed_name names[] = {
    {"skypilot", "", "a100", "%", "a100-sxm4-40gb", 0, 0, false},
    {"skypilot", "", "h100", "%", "h100-sxm5-80gb", 0, 8, true},
    {"skypilot", "", "tpuv4", "%", "tpu-v4", 0, 0, false},
};
static const struct feed_gpu gpus[] = {
    {"a100-sxm4-40gb", 40}, {"h100-sxm5-80gb", 80}, {"t4", 16}, {"tpu-v4", 32}};
static const char *const providers[] = {"aws"};
static const struct feed_alias aliases[] = {{"amazon", "aws"}};
static const struct feed_known known = {names, gpus, providers, aliases, 3, 4, 1, 1};

struct seen {
    const struct feed_table *table;
    size_t rows, refused;
};

static bool take(void *context, size_t line, const char *const *values)
{
    struct seen *seen = context;

    seen->rows++;
    fuzz_need(line > 0, "a row has a line");
    if (seen->table != &feed_table_offer)
        return true;
    double price = strtod(values[OFFER_PRICE], NULL), count = strtod(values[OFFER_GPU_COUNT], NULL);
    fuzz_need(price > 0 && isfinite(price), "a price is above zero");
    fuzz_need(count >= 1 && count <= 1e5 && floor(count) >= count, "GPUs are whole");
    fuzz_need(feed_known_gpu(&known, values[OFFER_GPU]), "the GPU is one of ours");
    fuzz_need(feed_known_provider(&known, values[OFFER_PROVIDER]), "the provider is known");
    fuzz_need(values[OFFER_INSTANCE][0], "the machine has a name");
    return true;
}

static void refuse(void *context, const struct feed_refusal *refusal)
{
    struct seen *seen = context;

    seen->refused++;
    fuzz_need(refusal->line && refusal->why[0], "a refusal says where and why");
}

static void read_as(const struct feed_format *format, const uint8_t *data, size_t size)
{
    struct feed_input input = {(const char *)data, size,   "aws", "2030-01-02",
                               "a feed",           &known, false};
    struct seen seen = {.table = format->table};
    struct feed_sink sink = {&seen, take, refuse};
    struct feed_counts counts;
    struct err err = {0};

    if (!feed_read(format, &input, &sink, &counts, &err)) {
        fuzz_need(
            err.text[0] && (format->rows || !seen.rows),
            "a file that is no use says why, and gives nothing but what stood before the fault");
        return;
    }
    fuzz_need(counts.read == counts.good + counts.no_gpu + counts.no_price + counts.refused,
              "each row has one fate");
    fuzz_need(counts.refused == seen.refused && (counts.good || !seen.rows), "and no other");
}

static void read_any(const uint8_t *data, size_t size)
{
    struct err err = {0};
    const struct feed_format *format = feed_format_guess((const char *)data, size, &err);

    fuzz_need(format || err.text[0], "a feed of no format is told so");
    if (format)
        read_as(format, data, size);
}

static void read_archive(const uint8_t *data, size_t size)
{
    char name[ZIP_NAME_MAX], *bytes = NULL;
    struct err err = {0};
    size_t n = 0;

    if (zip_unpack((const char *)data, size, 1 << 20, &bytes, &n, name, &err)) {
        fuzz_need(n <= 1 << 20 && strlen(name) < ZIP_NAME_MAX, "no more than was allowed");
        read_any((const uint8_t *)bytes, n);
    } else {
        fuzz_need(err.text[0] && !bytes, "an archive that is no use says why");
    }
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (zip_is((const char *)data, size))
        read_archive(data, size);
    else
        read_any(data, size);
    return 0;
}
