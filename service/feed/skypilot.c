/* skypilot.c - a row of a SkyPilot catalogue file: GPU, count and price. */
#include "feed/skypilot.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/text.h"
#include "feed/pydict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TABLE skypilot_row
#define TABLE_FILE "feed/skypilot.def"
#include "base/field/table.h"

/* TPU slices are named by size: for these in TensorCores, two per chip; for others in chips
 * (cloud.google.com/tpu/docs). */
static const struct tpu {
    const char *prefix;
    double units_per_chip;
} tpus[] = {
    {"tpu-v2-", 2},  {"tpu-v3-", 2},        {"tpu-v4-", 2},
    {"tpu-v5p-", 2}, {"tpu-v5litepod-", 1}, {"tpu-v6e-", 1},
};

/* What a row says about its accelerators. */
struct reading {
    struct feed_accelerator said;
    char name[FEED_NAME_MAX]; /* of the chip, without the slice size */
    struct pydict info;
};

static struct skypilot *get_state(struct feed_reader *reader)
{
    if (!reader->state)
        reader->state = arena_alloc(&reader->arena, sizeof(struct skypilot));
    return reader->state;
}

/* A slice counts as its chips. */
static bool read_name(struct feed_reader *reader, const struct skypilot_row *row,
                      struct reading *reading)
{
    double size;

    snprintf(reading->name, sizeof(reading->name), "%s", row->AcceleratorName);
    if (strncasecmp(reading->name, "tpu-", 4) != 0)
        return true;
    for (size_t i = 0; i < sizeof(tpus) / sizeof(tpus[0]); i++) {
        size_t n = strlen(tpus[i].prefix);
        if (strncasecmp(reading->name, tpus[i].prefix, n) != 0 ||
            !text_number(reading->name + n, &size))
            continue;
        reading->name[n - 1] = '\0';
        reading->said.count *= size / tpus[i].units_per_chip;
        return true;
    }
    feed_refuse(reader, "\"%.60s\" does not say how large a slice it is", row->AcceleratorName);
    return false;
}

static double info_number(const struct pydict *info, const char *path)
{
    const char *text = pydict_find(info, path);
    double number;

    return text && text_number(text, &number) ? number : (double)NAN;
}

/* The row's count and the dict's must be equal, and whole GPUs of one type. */
static bool check_info(struct feed_reader *reader, const struct reading *reading)
{
    double count = info_number(&reading->info, "gpus.0.count");
    double share = info_number(&reading->info, "gpus.0.gpupartitionsize");

    if (pydict_find(&reading->info, "gpus.1.name") || pydict_find(&reading->info, "gpus.1.count"))
        feed_refuse(reader, "GpuInfo lists several kinds of GPU");
    else if (!isnan(count) && count != reading->said.count)
        feed_refuse(reader, "AcceleratorCount is %g, but GpuInfo counts %g", reading->said.count,
                    count);
    else if (!isnan(share) && share != 1)
        feed_refuse(reader, "is of %g of a GPU", share);
    else
        return true;
    return false;
}

/* The field holds a dict, the accelerator's name again, or nothing. */
static bool read_info(struct feed_reader *reader, const struct skypilot_row *row,
                      struct reading *reading)
{
    char folded[2][FEED_NAME_MAX];

    if (row->GpuInfo[0] == '{') {
        if (!pydict_read(&reading->info, row->GpuInfo)) {
            feed_refuse(reader, "GpuInfo is not a Python dict: %s", reading->info.why);
            return false;
        }
        double mib = info_number(&reading->info, "gpus.0.memoryinfo.sizeinmib");
        if (mib > 0)
            reading->said.memory_gib = mib / 1024;
        return check_info(reader, reading);
    }
    feed_fold(row->GpuInfo, folded[0]);
    feed_fold(row->AcceleratorName, folded[1]);
    if (!folded[0][0] || strcmp(folded[0], folded[1]) == 0)
        return true;
    feed_refuse(reader, "AcceleratorName is \"%.60s\", but GpuInfo \"%.60s\"", row->AcceleratorName,
                row->GpuInfo);
    return false;
}

static bool read_count(struct feed_reader *reader, const struct skypilot_row *row)
{
    double count = row->AcceleratorCount;

    if (!row->AcceleratorName[0])
        feed_refuse(reader, "has %g accelerators without a name", count);
    else if (isnan(count))
        feed_refuse(reader, "has no AcceleratorCount");
    else if (count < 1 || count != floor(count))
        feed_refuse(reader, "%g is not a whole number of GPUs", count);
    else
        return true;
    return false;
}

static bool find_gpu(struct feed_reader *reader, const struct reading *reading,
                     struct feed_match *match)
{
    *match = feed_find_gpu(reader->input->known, &reading->said);
    if (match->gpu)
        return true;
    feed_refuse(reader, "%s", match->why);
    if (match->unknown)
        snprintf(reader->unknown, sizeof(reader->unknown), "%s", reading->name);
    return false;
}

static bool read_gpu(struct feed_reader *reader, const struct skypilot_row *row,
                     struct reading *reading, struct feed_match *match)
{
    reading->said = (struct feed_accelerator){
        .format = "skypilot",
        .provider = reader->input->provider,
        .name = reading->name,
        .instance = row->InstanceType,
        .memory_gib = (double)NAN,
        .count = row->AcceleratorCount,
        .memory_loose = true,
    };
    return read_count(reader, row) && read_info(reader, row, reading) &&
           read_name(reader, row, reading) && find_gpu(reader, reading, match);
}

static double known_price(double price)
{
    return price > 0 ? price : (double)NAN;
}

static void add_host(struct feed_reader *reader, const struct skypilot_row *row)
{
    struct skypilot *state = get_state(reader);

    state->hosts =
        mem_grow(state->hosts, state->n_hosts, &state->room_hosts, sizeof(*state->hosts));
    state->hosts[state->n_hosts++] = (struct skypilot_host){
        .instance = arena_text(&reader->arena, row->InstanceType),
        .zone = arena_text(&reader->arena, row->AvailabilityZone),
        .line = reader->csv.line,
        .price = known_price(row->Price),
        .spot = known_price(row->SpotPrice),
    };
}

/* Shadeform is a reseller: its machine names begin with the owner, as in lambdalabs_A100x8. */
static const char *find_owner(struct feed_reader *reader, const char *instance)
{
    size_t n = strcspn(instance, "_");

    if (strcmp(reader->input->provider, "shadeform") != 0 || !instance[n])
        return NULL;
    return arena_part(&reader->arena, instance, n);
}

/* Keep the line and its offers; an accelerator without a machine waits for its hosts. */
static void add_line(struct feed_reader *reader, const struct skypilot_row *row,
                     const struct feed_match *match, double count)
{
    struct skypilot *state = get_state(reader);
    struct arena *arena = &reader->arena;
    bool attached = !row->InstanceType[0] && strncasecmp(row->AcceleratorName, "tpu-", 4) != 0;

    state->lines =
        mem_grow(state->lines, state->n_lines, &state->room_lines, sizeof(*state->lines));
    const char *owner = find_owner(reader, row->InstanceType);
    struct skypilot_offer offer = {
        .provider = owner,
        .line = state->n_lines,
        .accelerator = attached ? arena_text(arena, row->AcceleratorName) : NULL,
        .instance =
            arena_text(arena, row->InstanceType[0] ? row->InstanceType : row->AcceleratorName),
        .region = arena_text(arena, row->Region),
        .zone = arena_text(arena, row->AvailabilityZone),
        .gpu = match->gpu,
        .note = owner && match->note
                    ? arena_join(arena, "rented through Shadeform; ", match->note, "")
                : owner ? "rented through Shadeform"
                        : match->note,
        .count = count,
        .price = known_price(row->Price),
        .spot = known_price(row->SpotPrice),
    };
    struct csv *csv = &reader->csv;
    state->lines[state->n_lines++] =
        (struct skypilot_line){csv->line, csv->start, csv->length, FEED_GOOD, NULL};
    skypilot_add_offer(state, &offer);
}

static enum feed_fate take(struct feed_reader *reader, const void *from)
{
    const struct skypilot_row *row = from;
    struct reading reading = {0};
    struct feed_match match;

    if (!row->AcceleratorName[0] && !(row->AcceleratorCount > 0)) {
        if (skypilot_is_host(row->InstanceType))
            add_host(reader, row);
        return FEED_NO_GPU;
    }
    if (!read_gpu(reader, row, &reading, &match))
        return FEED_REFUSED;
    if (!(row->Price > 0) && !(row->SpotPrice > 0))
        return FEED_NO_PRICE;
    add_line(reader, row, &match, reading.said.count);
    return FEED_LATER;
}

const struct feed_format feed_skypilot = {
    .name = "skypilot",
    .sentence = "a cloud's vms.csv of the SkyPilot catalogue",
    .fields = FIELDS_INIT(skypilot_row_rows),
    .row_size = sizeof(struct skypilot_row),
    .open = true,
    .home = "https://github.com/skypilot-org/skypilot-catalog",
    .needs = "InstanceType AcceleratorName AcceleratorCount GpuInfo Price SpotPrice Region",
    .table = &feed_table_offer,
    .take = take,
    .finish = skypilot_finish,
};
