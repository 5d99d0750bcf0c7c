/* Numbers, days, lists and names as clients type them. */
#include "base/text.h"

#include "base/random.h"
#include "tap.h"

#include <stdlib.h>
#include <time.h>

static void numbers(void)
{
    static const struct {
        const char *text;
        double value;
    } good[] = {
        {"0", 0},
        {"8", 8},
        {"-1", -1},
        {"0.7", 0.7},
        {".7", 0.7},
        {"-.25e2", -25},
        {"2e12", 2e12},
        {"2E12", 2e12},
        {"1e-3", 1e-3},
        {"1e+3", 1e3},
        {"007", 7},
        {"1234.56", 1234.56},
        {"-0.0", -0.0},
        {"1e308", 1e308},
        {"5e-324", 5e-324},
        {"1e-999", 0},
        {"123456789012345678901234567890", 123456789012345678901234567890.0},
    };
    static const char *const bad[] = {
        "",    " ",   "70%", "1.234,56", "1,234", "1 234",    "1'234",  "1_000", "$5",   "5$",
        "nan", "NaN", "inf", "Infinity", "-inf",  "1e999",    "-1e999", "0x10",  "0b1",  "1e",
        "e5",  "1e+", ".",   "5.",       "+1",    "--1",      "1.2.3",  "1e5.5", " 1",   "1 ",
        "1\n", "1f",  ".e1", "true",     "eight", "\xd9\xa1", "1e1e1",  "-",     "1\t2", "0,7",
    };

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        double value = 0.0 / 1;
        ok(text_number(good[i].text, &value) && value == good[i].value, "%s is a number",
           good[i].text);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        double value;
        ok(!text_number(bad[i], &value), "\"%s\" is none", bad[i]);
    }
}

static void days(void)
{
    static const char *const bad[] = {"",           "2026-13-01", "2026-00-01",  "2026-02-29",
                                      "2026-04-31", "2026-1-01",  "2026-01-1",   "26-01-01",
                                      "2026/01/01", "20260101",   "2026-01-01 ", "2026-01-00",
                                      "0000-01-01", "1900-02-29", "2026-0a-01",  "-026-01-01"};
    int32_t day;
    char text[11];

    ok(text_day("2026-11-20", &day) && day == 20261120, "a day");
    ok(text_day("2024-02-29", &day) && day == 20240229, "a leap day");
    ok(text_day("2000-02-29", &day) && day == 20000229, "of a century that has one");
    text_print_day(20260102, text);
    is_str(text, "2026-01-02", "and back");
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ok(!text_day(bad[i], &day), "\"%s\" is no day", bad[i]);
}

/* Against the C library's calendar, over all days of sixty years. */
static void days_between(void)
{
    struct tm from = {.tm_year = 99, .tm_mon = 0, .tm_mday = 1};
    time_t start = timegm(&from);
    bool right = true;

    for (int i = 0; i < 60 * 366; i++) {
        time_t then = start + (time_t)i * 86400;
        struct tm tm;
        gmtime_r(&then, &tm);
        int32_t day = (tm.tm_year + 1900) * 10000 + (tm.tm_mon + 1) * 100 + tm.tm_mday;
        right = right && text_day_plus(19990101, i) == day && text_day_plus(day, -i) == 19990101 &&
                text_days_between(19990101, day) == i && text_days_between(day, 19990101) == -i;
    }
    ok(right, "days between two days");
    ok(text_days_between(20240228, 20240301) == 2, "over a leap day");
    ok(text_days_between(20230228, 20230301) == 1, "and where there is none");
}

static void words(void)
{
    const char *words = "on_demand spot";

    ok(text_in_words(words, "SPOT") == words + strlen("on_demand "),
       "a word, whatever its case, in its canonical form");
    ok(text_in_words(words, "on_demand") == words, "the first");
    ok(!text_in_words(words, "on"), "not the beginning of one");
    ok(!text_in_words(words, "on_demand spot"), "not two");
    ok(!text_in_words(words, ""), "not nothing");
    ok(!text_in_words("", "spot"), "no word of no words");
    ok(text_in_list("aws,gcp", "GCP") && text_in_list("aws,gcp", "aws"), "items of a list");
    ok(!text_in_list("aws,gcp", "aw") && !text_in_list("aws,gcp", "aws,gcp"), "and what are none");
    ok(!text_in_list("", "aws"), "nothing is in an empty list");
}

/* The same by the whole table, a number for each two beginnings. */
static size_t distance_by_table(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), d[64][64];

    for (size_t i = 0; i <= n; i++)
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            d[i][j] = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < d[i][j])
                d[i][j] = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < d[i][j])
                d[i][j] = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                d[i - 2][j - 2] + 1 < d[i][j])
                d[i][j] = d[i - 2][j - 2] + 1;
        }
    return d[n][m];
}

/* Texts of three letters, so that many are equal or swapped; half of them are short. */
static void distances_of_random_texts(void)
{
    uint64_t drawn = 0;
    size_t wrong = 0;

    for (size_t i = 0; i < 20000; i++) {
        char text[2][64];
        for (size_t k = 0; k < 2; k++) {
            size_t length = random_bits(1, drawn++) % (i % 2 ? 64 : 9);
            for (size_t at = 0; at < length; at++)
                text[k][at] = (char)('a' + random_bits(1, drawn++) % 3);
            text[k][length] = '\0';
        }
        wrong += text_distance(text[0], text[1]) != distance_by_table(text[0], text[1]);
    }
    ok(wrong == 0, "distances of 20,000 random pairs as by the whole table, but %zu", wrong);
}

static void distances(void)
{
    static const struct {
        const char *a, *b;
        size_t distance;
    } rows[] = {
        {"", "", 0},
        {"abc", "", 3},
        {"", "abc", 3},
        {"abc", "ABC", 0},
        {"utilisation", "utilization", 1},
        {"gpu_cuont", "gpu_count", 1}, /* swapped neighbours are one edit */
        {"kitten", "sitting", 3},
        {"llama-2-70", "llama-2-70b", 1},
    };
    char long_a[200], long_b[200];

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ok(text_distance(rows[i].a, rows[i].b) == rows[i].distance, "%s to %s", rows[i].a,
           rows[i].b);
        ok(text_distance(rows[i].b, rows[i].a) == rows[i].distance, "and back");
    }
    memset(long_a, 'a', sizeof(long_a) - 1);
    memset(long_b, 'b', sizeof(long_b) - 1);
    long_a[sizeof(long_a) - 1] = long_b[sizeof(long_b) - 1] = '\0';
    ok(text_distance(long_a, long_b) == 63, "long texts are compared by their beginning");
    ok(text_is_typo("utilisation", "utilization", 1) && !text_is_typo("foo", "utilization", 9),
       "near enough to be meant");
    distances_of_random_texts();
}

static void percent(void)
{
    static const struct {
        const char *text, *want;
    } good[] = {
        {"a%20b", "a b"}, {"a+b", "a b"}, {"%2B%26%3d", "+&="}, {"K%C3%B6ln", "K\xc3\xb6ln"},
        {"", ""},         {"%25", "%"}};
    static const char *const bad[] = {"%", "%2", "%zz", "a%0", "%00", "100%", "%%", "%u20"};

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        char text[32];
        snprintf(text, sizeof(text), "%s", good[i].text);
        ok(text_decode_percent(text, true), "%s is decoded", good[i].text);
        is_str(text, good[i].want, "to that");
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char text[32];
        snprintf(text, sizeof(text), "%s", bad[i]);
        ok(!text_decode_percent(text, true), "\"%s\" is broken", bad[i]);
    }
    char path[] = "a+b";
    ok(text_decode_percent(path, false) && strcmp(path, "a+b") == 0, "a + in a path is a +");
}

static void utf8(void)
{
    static const char *const good[] = {"",
                                       "a",
                                       "K\xc3\xb6ln",
                                       "\xe2\x82\xac",
                                       "\xf0\x9f\x98\x80",
                                       "\xed\x9f\xbf",
                                       "\xf4\x8f\xbf\xbf",
                                       "\x01\x7f"};
    static const char *const bad[] = {"\xff",
                                      "\xc3",
                                      "\xc3(",
                                      "\x80",
                                      "\xc0\x80",
                                      "\xc1\xbf",
                                      "\xe0\x9f\xbf",
                                      "\xed\xa0\x80",
                                      "\xf0\x8f\xbf\xbf",
                                      "\xf4\x90\x80\x80",
                                      "\xf5\x80\x80\x80",
                                      "\xe2\x82",
                                      "a\xf0\x9f\x98",
                                      "\xf8\x88\x80\x80\x80"};

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        ok(text_is_utf8(good[i]), "UTF-8, case %zu", i);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ok(!text_is_utf8(bad[i]), "no UTF-8, case %zu", i);
}

int main(void)
{
    utf8();
    numbers();
    days();
    days_between();
    words();
    distances();
    percent();
    return tap_done();
}
