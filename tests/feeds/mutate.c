/* mutate.c - feeds spoilt at random, read by service/feed: nothing crashes, every row of a file has
 * exactly one fate, and every row that is taken says what its line says.
 *
 *     mutate NUMBER SEED FILE...         read that many spoilt copies, print what became of the
 * rows mutate --write DIR NUMBER SEED FILE...   write them instead, for `gpuplan import`
 *
 * Run in the project's directory: what feeds call our GPUs is read from sql/seed. The check takes
 * lines apart by itself, so that it does not share a mistake with the reader.
 */
#include "base/arena.h"
#include "base/mem.h"
#include "base/random.h"
#include "feed/feed.h"
#include "feed/formats.h"
#include "seed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { FILES_MAX = 64 };

static struct file files[FILES_MAX];
static size_t n_files;

static struct feed_known known;
static struct arena arena;

/* Spoiling. */

/* Where in the numbers of a seed we are. */
struct random {
    uint64_t seed, n;
};

static size_t draw(struct random *random, size_t below)
{
    return below ? random_bits(random->seed, random->n++) % below : 0;
}

static size_t line_at(const struct file *file, struct random *random)
{
    size_t at = draw(random, file->n);

    while (at && file->bytes[at - 1] != '\n')
        at--;
    return at;
}

static size_t line_length(const struct file *file, size_t at)
{
    const char *lf = memchr(file->bytes + at, '\n', file->n - at);

    return lf ? (size_t)(lf - file->bytes) - at + 1 : file->n - at;
}

/* Put n bytes in place of `gone` bytes at `at`. */
static void put(struct file *file, size_t at, size_t gone, const char *bytes, size_t n)
{
    if (file->n - gone + n > FILE_MAX_BYTES / 2 || at + gone > file->n)
        return;
    memmove(file->bytes + at + n, file->bytes + at + gone, file->n - at - gone);
    memcpy(file->bytes + at, bytes, n);
    file->n += n - gone;
}

static void spoil(struct file *file, struct random *random)
{
    static const char *const tokens[] = {
        "\"",   "'",    ",",    "\n",   "\r",  "{",     "}",   "8",           "0",
        "-",    ".",    "e9",   "nan",  "inf", "1e308", "\\",  "\t",          "\xff",
        "\xc3", "H100", "None", "True", ": ",  "\"\"",  "0.0", "99999999999", "A100-80GB"};
    char line[CELL_MAX];
    size_t at = draw(random, file->n), start = line_at(file, random);
    size_t length = line_length(file, start), to = line_at(file, random);
    char byte = (char)draw(random, 256);
    const char *token = tokens[draw(random, sizeof(tokens) / sizeof(tokens[0]))];

    if (!file->n)
        return;
    if (length > sizeof(line))
        length = 0;
    memcpy(line, file->bytes + start, length);
    switch (draw(random, 8)) {
    case 0:
        file->bytes[at] = byte;
        break;
    case 1:
        put(file, at, 0, token, strlen(token));
        break;
    case 2:
        put(file, at, draw(random, 20) + 1, "", 0);
        break;
    case 3:
        put(file, to, 0, line, length); /* the same line twice */
        break;
    case 4:
        put(file, start, length, "", 0);
        break;
    case 5:
        file->n = draw(random, 10) ? file->n : at; /* seldom: cut off */
        break;
    case 6:
        put(file, at, strcspn(file->bytes + at, ",\n"), token, strlen(token)); /* a field's rest */
        break;
    default:
        for (size_t i = at; i < file->n && i < at + 100; i++)
            if (file->bytes[i] >= '0' && file->bytes[i] <= '9') {
                file->bytes[i] = (char)('0' + draw(random, 10));
                break;
            }
    }
}

/* Checking. */

struct check {
    const struct file *file;
    const struct feed_format *format;
    const struct feed_input *input;
    size_t rows, refusals, wrong;
};

static struct cells header, cells;

/* The record that begins at the line. */
static void find(const struct file *file, size_t line, struct cells *to)
{
    const char *at = file->bytes, *end = file->bytes + file->n;

    for (size_t i = 1; i < line && at < end; i++) {
        const char *lf = memchr(at, '\n', (size_t)(end - at));
        at = lf ? lf + 1 : end;
    }
    split(at, end, to);
}

static const char *cell(const char *column)
{
    for (size_t i = 0; i < header.n && i < cells.n; i++)
        if (strcasecmp(header.at[i], column) == 0)
            return cells.at[i];
    return "";
}

static bool same_number(const char *a, double b)
{
    double number = strtod(a, NULL);

    return fabs(number - b) <= 1e-9 * fabs(b);
}

/* Whether some row without accelerator has the price that is missing. */
static bool is_host_price(const struct check *check, const char *instance, const char *zone,
                          const char *column, double price)
{
    static struct cells host;
    const char *at = check->file->bytes, *end = at + check->file->n;

    for (const char *lf; at < end; at = lf ? lf + 1 : end) {
        lf = memchr(at, '\n', (size_t)(end - at));
        split(at, end, &host);
        const char *of[4] = {"", "", "", ""};
        static const char *const names[] = {"InstanceType", "AvailabilityZone", NULL,
                                            "AcceleratorName"};
        for (size_t i = 0; i < header.n && i < host.n; i++)
            for (size_t k = 0; k < 4; k++)
                if (strcasecmp(header.at[i], names[k] ? names[k] : column) == 0)
                    of[k] = host.at[i];
        if (strcmp(of[0], instance) == 0 && strcmp(of[1], zone) == 0 && !of[3][0] &&
            fabs(strtod(of[2], NULL) - price) < 1e-8)
            return true;
    }
    return false;
}

static bool skypilot_row_is_right(const struct check *check, const char *const *values)
{
    bool spot = strcmp(values[OFFER_OPTION], "spot") == 0;
    const char *column = spot ? "SpotPrice" : "Price";
    double price = strtod(values[OFFER_PRICE], NULL), said = strtod(cell(column), NULL);
    double count = strtod(values[OFFER_GPU_COUNT], NULL);
    const char *name = cell("AcceleratorName"), *instance = cell("InstanceType");
    bool tpu = strncasecmp(name, "tpu-", 4) == 0;
    double size = tpu ? strtod(strrchr(name, '-') + 1, NULL) : 1;
    double counted = strtod(cell("AcceleratorCount"), NULL) * size;

    if (strcmp(values[OFFER_REGION], cell("Region")) != 0 ||
        (values[OFFER_ZONE][0] && strcmp(values[OFFER_ZONE], cell("AvailabilityZone")) != 0) ||
        (count != counted && !(tpu && 2 * count == counted)))
        return false;
    if (instance[0] || tpu)
        return said == price && strcmp(values[OFFER_INSTANCE], instance[0] ? instance : name) == 0;
    return is_host_price(check, values[OFFER_INSTANCE], cell("AvailabilityZone"), column,
                         price - said);
}

static bool gpuhunt_row_is_right(const char *const *values)
{
    bool spot = strcmp(values[OFFER_OPTION], "spot") == 0;
    const char *said = cell("spot");

    return strcmp(values[OFFER_INSTANCE], cell("instance_name")) == 0 &&
           strcmp(values[OFFER_REGION], cell("location")) == 0 &&
           same_number(cell("price"), strtod(values[OFFER_PRICE], NULL)) &&
           same_number(cell("gpu_count"), strtod(values[OFFER_GPU_COUNT], NULL)) &&
           spot == (said[0] == '1' || said[0] == 't' || said[0] == 'T');
}

static bool offers_row_is_right(const char *const *values)
{
    double price = strtod(values[OFFER_PRICE], NULL), count = strtod(values[OFFER_GPU_COUNT], NULL);

    return strcmp(values[OFFER_INSTANCE], cell("instance")) == 0 &&
           strcmp(values[OFFER_GPU], cell("gpu")) == 0 &&
           strcmp(values[OFFER_OPTION], cell("purchase_option")) == 0 &&
           same_number(cell("gpu_count"), count) &&
           (same_number(cell("price_per_hour"), price) ||
            same_number(cell("price_per_gpu_hour"), price / count));
}

/* Some cell of the line has that text. */
static bool is_said(const char *text)
{
    for (size_t k = 0; k < cells.n; k++)
        if (strcmp(cells.at[k], text) == 0)
            return true;
    return false;
}

/* The columns' names are not in the first line of files of AWS. A reservation that is paid ahead is
 * read as its price over the hours of its term. */
static bool aws_row_is_right(const char *const *values)
{
    const double year = 8760, near = 1e-8;
    double price = strtod(values[OFFER_PRICE], NULL);
    double hours = strcmp(values[OFFER_OPTION], "reserved_1yr") == 0   ? year
                   : strcmp(values[OFFER_OPTION], "reserved_3yr") == 0 ? 3 * year
                                                                       : 1;
    bool said = false;

    for (size_t k = 0; k < cells.n && !said; k++) {
        double number = strtod(cells.at[k], NULL);
        said =
            fabs(number - price) <= near * price || fabs(number - price * hours) <= near * number;
    }
    return said && is_said(values[OFFER_INSTANCE]);
}

/* Of other tables: each value stands in the line or is one that rows need not say. */
static bool values_are_said(const struct check *check, const char *const *values)
{
    const struct feed_table *table = check->format->table;

    for (size_t i = 0; i < table->n_columns; i++) {
        const char *value = values[i];
        bool said = !value || !value[0] || strcmp(value, check->input->source) == 0 ||
                    strcmp(value, check->input->observed) == 0 || strcmp(value, "USD") == 0 ||
                    strcmp(value, "t") == 0 || strcmp(value, "f") == 0 || strcmp(value, "1") == 0 ||
                    strcmp(table->columns[i], "hardware_id") == 0;
        for (size_t k = 0; k < cells.n && !said; k++)
            said = strcmp(cells.at[k], value) == 0 ||
                   (cells.at[k][0] && same_number(cells.at[k], strtod(value, NULL)));
        if (!said)
            return false;
    }
    return true;
}

static bool offer_is_sane(const char *const *values)
{
    double price = strtod(values[OFFER_PRICE], NULL), count = strtod(values[OFFER_GPU_COUNT], NULL);

    return price > 0 && isfinite(price) && count >= 1 && count == floor(count) &&
           feed_known_gpu(&known, values[OFFER_GPU]) &&
           feed_known_provider(&known, values[OFFER_PROVIDER]) && values[OFFER_INSTANCE][0];
}

static bool row_is_right(struct check *check, const char *const *values)
{
    if (check->format->table == &feed_table_offer && !offer_is_sane(values))
        return false;
    if (check->format == &feed_skypilot)
        return skypilot_row_is_right(check, values);
    if (check->format == &feed_gpuhunt)
        return gpuhunt_row_is_right(values);
    if (check->format == &feed_aws_offers || check->format == &feed_aws_savings)
        return aws_row_is_right(values);
    return check->format == &feed_offers ? offers_row_is_right(values)
                                         : values_are_said(check, values);
}

static bool take(void *context, size_t line, const char *const *values)
{
    struct check *check = context;

    check->rows++;
    find(check->file, line, &cells);
    if (!row_is_right(check, values)) {
        check->wrong++;
        fprintf(stderr, "%s, line %zu: the row is not what the line says:", check->file->name,
                line);
        for (size_t i = 0; i < check->format->table->n_columns; i++)
            fprintf(stderr, " %s=%s", check->format->table->columns[i], values[i] ? values[i] : "");
        fputc('\n', stderr);
    }
    return true;
}

static void refuse(void *context, const struct feed_refusal *refusal)
{
    struct check *check = context;

    check->refusals++;
    if (!refusal->why[0] || !refusal->line || refusal->text < check->file->bytes ||
        refusal->text + refusal->length > check->file->bytes + check->file->n)
        check->wrong++;
}

/* The provider a quirk's feed is read for: the first whose name its text has, else aws. */
static const char *provider_of(const char *name)
{
    static const char *const of[][2] = {
        {"split_host", "gcp"},   {"duplicate", "gcp"},      {"zero_price", "gcp"},
        {"tpu_size", "gcp"},     {"gib_for_mib", "runpod"}, {"crlf", "lambda"},
        {"no_region", "seeweb"}, {"count_as_text", "cudo"}, {"lower_case", "do"},
        {"count_of", "azure"},
    };

    for (size_t i = 0; i < sizeof(of) / sizeof(of[0]); i++)
        if (strstr(name, of[i][0]))
            return of[i][1];
    return "aws";
}

struct totals {
    size_t files, unreadable, rows_read, good, passed, refused, given, wrong;
};

static void read_one(const struct file *file, struct totals *totals)
{
    struct err err = {0};
    struct feed_counts counts = {0};
    struct feed_input input = {
        file->bytes, file->n, provider_of(file->name), "2030-01-02", "a file", &known, false};
    struct check check = {.file = file, .input = &input};
    struct feed_sink sink = {&check, take, refuse};

    totals->files++;
    check.format = feed_format_guess(file->bytes, file->n, &err);
    size_t skip = file->n >= 3 && memcmp(file->bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    size_t empty = strspn(file->bytes + skip, "\r\n");
    split(file->bytes + skip + empty, file->bytes + file->n, &header);
    if (!check.format || !feed_read(check.format, &input, &sink, &counts, &err)) {
        totals->unreadable++;
        totals->wrong += check.rows || !err.text[0];
        return;
    }
    size_t passed = counts.no_gpu + counts.no_price;
    totals->wrong += check.wrong;
    totals->wrong += counts.read != counts.good + passed + counts.refused;
    totals->wrong += check.refusals != counts.refused || (check.rows && !counts.good);
    totals->rows_read += counts.read;
    totals->good += counts.good;
    totals->passed += passed;
    totals->refused += counts.refused;
    totals->given += check.rows;
}

static void write_one(const struct file *file, const char *folder, size_t number)
{
    char path[4096];

    snprintf(path, sizeof(path), "%s/%s/%06zu.csv", folder, provider_of(file->name), number);
    FILE *out = fopen(path, "wb");
    if (!out || fwrite(file->bytes, 1, file->n, out) != file->n || fclose(out) != 0)
        die("cannot write", path);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 2 && strcmp(argv[1], "--write") == 0 ? argv[2] : NULL;
    int first = folder ? 3 : 1;
    struct totals totals = {0};

    if (argc < first + 3)
        die("usage", "mutate [--write DIR] NUMBER SEED FILE...");
    size_t number = strtoul(argv[first], NULL, 10);
    struct random random = {.seed = strtoul(argv[first + 1], NULL, 10)};
    for (int i = first + 2; i < argc && n_files < FILES_MAX; i++)
        files[n_files++] = read_file(argv[i]);
    seed_load(&known, &arena);
    struct file file = {.bytes = mem_alloc(FILE_MAX_BYTES)};
    for (size_t i = 0; i < number; i++) {
        const struct file *from = &files[draw(&random, n_files)];
        file.name = from->name;
        file.n = from->n;
        memcpy(file.bytes, from->bytes, from->n);
        for (size_t k = draw(&random, 6); k-- > 0;)
            spoil(&file, &random);
        file.bytes[file.n] = '\0';
        if (folder)
            write_one(&file, folder, i);
        else
            read_one(&file, &totals);
    }
    printf("%zu files, of them %zu no use as a whole; %zu rows read: %zu good (%zu rows given), "
           "%zu passed, %zu refused; %zu wrong\n",
           totals.files, totals.unreadable, totals.rows_read, totals.good, totals.given,
           totals.passed, totals.refused, totals.wrong);
    for (size_t i = 0; i < n_files; i++)
        free(files[i].bytes);
    free(file.bytes);
    arena_free(&arena);
    return totals.wrong != 0;
}
