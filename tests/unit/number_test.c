/* Decimals digit for digit as printf writes them, and numbers read as strtod() reads them. */
#include "base/number.h"

#include "base/text.h"
#include "tap.h"

#include <float.h>
#include <stdint.h>
#include <stdlib.h>

static uint64_t state = 88172645463325252U;

static uint64_t any(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static double from_bits(uint64_t bits)
{
    double value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Any size, everyday size, few digits, and halfway between two numbers of few digits. */
static double number(int kind)
{
    double sign = any() & 1 ? 1 : -1;

    switch (kind) {
    case 0:
        return from_bits(any());
    case 1:
        return sign * (double)(any() >> 11) * 0x1p-53 * pow(10, (double)(any() % 40) - 20);
    case 2:
        return sign * (double)(any() % 1000000) / pow(10, (double)(any() % 12));
    case 3:
        return sign * (double)(any() % 20000001) / (double)(1U << any() % 24);
    default:
        return sign * nextafter(pow(10, (double)(any() % 60) - 30), any() & 1 ? 0 : DBL_MAX);
    }
}

/* %.*e written out. */
static void print_significant(char *to, double value, int digits)
{
    char text[32];

    snprintf(text, sizeof(text), "%.*e", digits - 1, value);
    int exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
    if (exponent < digits) {
        snprintf(to, NUMBER_SIZE, "%.*f", digits - 1 - exponent, value);
        return;
    }
    for (const char *p = text; *p != 'e'; p++)
        if (*p != '.')
            *to++ = *p;
    for (int i = digits - 1; i < exponent; i++)
        *to++ = '0';
    *to = '\0';
}

static void as_printf(void)
{
    static const int decimals[] = {0, 2, 4, 6, 1, 14, 17, 19, 20, 30};
    static const int digits[] = {6, 15, 1, 17};
    char got[NUMBER_SIZE], want[NUMBER_SIZE];

    for (int kind = 0; kind < 5; kind++) {
        double worst_fixed = 0, worst_significant = 0;
        for (int i = 0; i < 200000; i++) {
            double value = number(kind);
            if (!isfinite(value))
                continue;
            int places = decimals[any() % (sizeof(decimals) / sizeof(decimals[0]))];
            snprintf(want, sizeof(want), "%.*f", places, value);
            if (number_fixed(got, value, places) != strlen(want) || strcmp(got, want) != 0)
                worst_fixed = value;
            int most = digits[any() % (sizeof(digits) / sizeof(digits[0]))];
            print_significant(want, value, most);
            if (number_significant(got, value, most) != strlen(want) || strcmp(got, want) != 0)
                worst_significant = value;
        }
        ok(worst_fixed == 0, "kind %d: decimals as printf's (%.17g)", kind, worst_fixed);
        ok(worst_significant == 0, "kind %d: digits as printf's (%.17g)", kind, worst_significant);
    }
}

static void edges(void)
{
    static const double values[] = {
        0,      -0.0,     0.5,     1.5,       2.5,     0.125,   -0.375,       0x1p52,
        0x1p53, 0x1p63,   0x1p64,  0x1.8p64,  DBL_MAX, DBL_MIN, DBL_TRUE_MIN, 9.5,
        99.5,   999999.5, 9999995, 0.9999995, 1e22,    1e23,    1e15,         9007199254740993.0,
        0.05};
    char got[NUMBER_SIZE], want[NUMBER_SIZE];

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        for (int n = 1; n <= 17; n++) {
            snprintf(want, sizeof(want), "%.*f", n - 1, values[i]);
            number_fixed(got, values[i], n - 1);
            is_str(got, want, "%.17g with %d decimals", values[i], n - 1);
            print_significant(want, values[i], n);
            number_significant(got, values[i], n);
            is_str(got, want, "%.17g with %d digits", values[i], n);
        }
}

static void read_back(void)
{
    int n = 0;
    double wrong = 0;

    for (int i = 0; i < 500000; i++) {
        char text[NUMBER_SIZE];
        double value = number(1 + i % 4), got = 0;
        int places = (int)(any() % 18);
        if (any() & 1)
            snprintf(text, sizeof(text), "%.*g", places, value);
        else
            snprintf(text, sizeof(text), "%.*f", places, value);
        double want = strtod(text, NULL);
        n += text_number(text, &got);
        if (memcmp(&got, &want, sizeof(got)) != 0)
            wrong = value;
    }
    ok(n == 500000 && wrong == 0, "read as strtod() reads them (%.17g)", wrong);
}

static void back_and_forth(void)
{
    char text[NUMBER_SIZE];
    double wrong = 0;
    size_t longest = 0;

    for (int i = 0; i < 200000; i++) {
        double value = number(i % 5);
        if (!isfinite(value))
            continue;
        bool same = number_exact(text, value) == strlen(text) && !strchr(text, 'e');
        if (!same || strtod(text, NULL) != value)
            wrong = value;
        double few = (double)(any() % 1000000) / 1000;
        size_t length = number_exact(text, few);
        longest = length > longest ? length : longest;
    }
    ok(wrong == 0, "written exactly, they come back the same (%.17g)", wrong);
    ok(longest <= strlen("999.999"), "few digits stay few");
    number_exact(text, 0.7);
    is_str(text, "0.7", "and no neighbour shows");
    number_exact(text, -0.0);
    is_str(text, "0", "zero has no sign");
    number_exact(text, 1e21);
    is_str(text, "1000000000000000000000", "large ones are written out");
}

/* Zeros left out as they are of the text; and what is said to be the number reads as it. */
static void rounded(void)
{
    char got[NUMBER_SIZE], want[NUMBER_SIZE];
    double wrong = 0, wrongly = 0;
    size_t n = 0;

    for (int i = 0; i < 500000; i++) {
        double value = number(i % 5);
        if (!isfinite(value))
            continue;
        int places = (int)(any() % 20);
        struct decimal decimal = number_round(value, places);
        if (!decimal.fits)
            continue;
        snprintf(want, sizeof(want), "%.*f", places, value);
        number_trim(want, strlen(want));
        if (number_write(got, decimal, true) != strlen(want) || strcmp(got, want) != 0)
            wrong = value;
        bool reads = fabs(strtod(want, NULL) - value) <= 1e-15 * fabs(value);
        if (reads ? decimal.whole < 1000000000000000 && !number_is(decimal, value)
                  : number_is(decimal, value))
            wrongly = value;
        n += reads;
    }
    ok(wrong == 0, "trimmed like the text (%.17g)", wrong);
    ok(n > 10000 && wrongly == 0, "the number itself, or not (%.17g)", wrongly);
}

static void grouped(void)
{
    static const struct {
        double value;
        int decimals;
        const char *text;
    } cases[] = {{0, 0, "0"},
                 {999, 0, "999"},
                 {-999, 0, "-999"},
                 {1000, 0, "1,000"},
                 {-1000, 0, "-1,000"},
                 {999999.5, 0, "1,000,000"},
                 {1234.5, 2, "1,234.50"},
                 {-123456, 0, "-123,456"},
                 {1e21, 0, "1,000,000,000,000,000,000,000"}};
    char text[NUMBER_SIZE];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        size_t length = number_grouped(text, cases[i].value, cases[i].decimals);
        ok(strcmp(text, cases[i].text) == 0 && length == strlen(text), "%s is grouped: %s",
           cases[i].text, text);
    }
}

int main(void)
{
    as_printf();
    grouped();
    edges();
    rounded();
    read_back();
    back_and_forth();
    return tap_done();
}
