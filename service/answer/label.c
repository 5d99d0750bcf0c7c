#include "answer/label.h"

#include "answer/answer.h"
#include "answer/labels.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Words whose spelling differs from that in field names. */
static const char *const known[][2] = {
    {"gpu", "GPU"},     {"gpus", "GPUs"},      {"pue", "PUE"}, {"kv", "KV"},     {"vat", "VAT"},
    {"fte", "FTE"},     {"kwh", "kWh"},        {"kw", "kW"},   {"mw", "MW"},     {"tdp", "TDP"},
    {"gb", "GB"},       {"tb", "TB"},          {"gib", "GiB"}, {"zero", "ZeRO"}, {"flop", "FLOP"},
    {"flops", "FLOPs"}, {"tflops", "TFLOP/s"}, {"pdu", "PDU"}, {"gbit", "Gbit"}, {"w", "W"},
    {"it", "IT"},       {"mfu", "MFU"},        {"usd", "USD"}, {"pcie", "PCIe"},
};

/* What a unit repeats from a name: only at its end, or anywhere. */
static const struct ending {
    const char *unit, *text;
    bool within;
} endings[] = {
    {"months", "_months", false},  {"days", "_days", false},       {"seconds", "_seconds", true},
    {"s", "_seconds", true},       {"h", "_hours", false},         {"ratio", "_ratio", false},
    {"GiB", "_gib", false},        {"kW", "_kw", false},           {"W", "_w", false},
    {"TB", "_tb", true},           {"FTE", "_fte", false},         {"us", "_us", false},
    {"TFLOP/s", "_tflops", false}, {"USD/month", "_month", false}, {"USD/year", "_year", false},
};

/* Compares units, allowing another currency than USD. */
static bool same_unit(const char *of_table, const char *unit)
{
    bool money = strncmp(of_table, "USD/", 4) == 0 && strlen(unit) > 4;

    return strcmp(of_table + (money ? 3 : 0), unit + (money ? 3 : 0)) == 0;
}

static const char *find_ending(const char *name, const char *unit, size_t *length)
{
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        if (!same_unit(endings[i].unit, unit))
            continue;
        *length = strlen(endings[i].text);
        for (const char *p = name; (p = strstr(p, endings[i].text)); p++)
            if (!p[*length] || (endings[i].within && p[*length] == '_'))
                return p;
    }
    return NULL;
}

static void put_word(struct buf *out, const char *word, size_t n, bool capital)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (strlen(known[i][0]) == n && strncmp(known[i][0], word, n) == 0) {
            buf_text(out, known[i][1]);
            return;
        }
    buf_char(out, capital ? (char)toupper((unsigned char)*word) : *word);
    buf_add(out, word + 1, n - 1);
}

void label_print(struct buf *out, const char *name, const char *unit)
{
    size_t n = 0;
    const char *ending = find_ending(name, unit, &n);

    if (labels_print(out, name))
        return;
    for (const char *p = name; *p;) {
        if (p == ending) {
            p += n;
        } else if (*p == '_') {
            buf_char(out, ' ');
            p++;
        } else {
            size_t length = strcspn(p, "_");
            put_word(out, p, length, p == name);
            p += length;
        }
    }
}

static const char *words_of(struct arena *arena, const char *name, const char *unit)
{
    enum { WORDS_MAX = 256 };
    struct buf out;

    buf_init(&out, WORDS_MAX);
    label_print(&out, name, unit);
    const char *words = arena_text(arena, buf_data(&out));
    buf_free(&out);
    return words;
}

const char *label_words(struct arena *arena, const char *name, const char *unit)
{
    const char *words = words_of(arena, name, unit);

    return islower((unsigned char)words[1]) /* not "GPUs" */
               ? arena_print(arena, "%c%s", tolower((unsigned char)words[0]), words + 1)
               : words;
}

/* True if the name ends with the unit's denominator: price_per_gpu_hour in USD/GPU-hour. */
static bool says_per(const char *name, const char *per)
{
    size_t n = strlen(name), length = strlen(per);

    if (n < length)
        return false;
    for (size_t i = 0; i < length; i++) {
        char c = per[i] == '-' ? '_' : (char)tolower((unsigned char)per[i]);
        if (name[n - length + i] != c)
            return false;
    }
    return n >= length + 4 && strncmp(name + n - length - 4, "per_", 4) == 0;
}

const char *label_axis(struct arena *arena, const char *name, const char *unit)
{
    const char *words = words_of(arena, name, unit), *per = strchr(unit, '/');
    size_t n = strlen(words), length = strlen(unit);
    bool said = n >= length && strcasecmp(words + n - length, unit) == 0;

    if (said || strcmp(unit, "ratio") == 0)
        return words;
    if (per && strstr(words, " per ") && strncmp(unit, "USD", 3) == 0 && says_per(name, per + 1))
        length = (size_t)(per - unit);
    return arena_print(arena, "%s, %.*s", words, (int)length, unit);
}

const char *label_source(enum source source)
{
    static const char *const names[] = {"default", "request", "catalog", "chosen"};

    return names[source];
}
