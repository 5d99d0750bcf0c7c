#include "base/text.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* The digits read so far, as a whole number times a power of ten. */
struct reading {
    uint64_t digits;
    int n;        /* number of digits, without leading zeros */
    int exponent; /* from digits after the point, and from the exponent itself */
};

static const char *read_digits(const char *p, struct reading *reading)
{
    for (; *p >= '0' && *p <= '9'; p++) {
        reading->digits = reading->digits * 10 + (uint64_t)(*p - '0');
        reading->n += reading->digits > 0;
    }
    return p;
}

static bool read_number(const char *p, struct reading *reading)
{
    const char *start = p += *p == '-';

    p = read_digits(p, reading);
    if (p == start && *p != '.')
        return false;
    if (*p == '.') {
        start = ++p;
        p = read_digits(p, reading);
        if (p == start)
            return false;
        reading->exponent = (int)(start - p);
    }
    if (*p == 'e' || *p == 'E') {
        struct reading power = {0};
        bool minus = *++p == '-';
        start = p += *p == '-' || *p == '+';
        p = read_digits(p, &power);
        if (p == start)
            return false;
        /* leave exponents of four digits to strtod(), like everything that is not exact */
        int exponent = power.n > 3 ? 9999 : (int)power.digits;
        reading->exponent += minus ? -exponent : exponent;
    }
    return *p == '\0';
}

/* Up to fifteen digits and powers of ten up to 22 are exact doubles, so a single operation rounds
 * like strtod(). */
static bool read_exactly(const struct reading *reading, double *out)
{
    enum { EXACT_DIGITS = 15, EXACT_POWER = 22 };
    static const double powers[EXACT_POWER + 1] = {1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    int power = reading->exponent;

    if (reading->n > EXACT_DIGITS || power > EXACT_POWER || power < -EXACT_POWER)
        return false;
    double digits = (double)reading->digits;
    *out = power < 0 ? digits / powers[-power] : digits * powers[power];
    return true;
}

bool text_number(const char *text, double *out)
{
    struct reading reading = {0};

    if (!read_number(text, &reading))
        return false;
    if (!read_exactly(&reading, out))
        *out = strtod(text, NULL);
    else if (text[0] == '-')
        *out = -*out;
    return isfinite(*out);
}

static int days_in_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return days[month - 1] + (month == 2 && leap);
}

bool text_day(const char *text, int32_t *out)
{
    if (strlen(text) != 10 || text[4] != '-' || text[7] != '-')
        return false;
    for (int i = 0; i < 10; i++)
        if (i != 4 && i != 7 && !isdigit((unsigned char)text[i]))
            return false;
    int year = (int)strtol(text, NULL, 10);
    int month = (int)strtol(text + 5, NULL, 10);
    int day = (int)strtol(text + 8, NULL, 10);
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month))
        return false;
    *out = year * 10000 + month * 100 + day;
    return true;
}

void text_print_day(int32_t day, char to[11])
{
    static const int places[] = {9, 8, 6, 5, 3, 2, 1, 0};
    unsigned n = day > 0 ? (unsigned)day : 0;

    memcpy(to, "yyyy-mm-dd", 11);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++, n /= 10)
        to[places[i]] = (char)('0' + n % 10);
}

/* Days since 0000-03-01 in the proleptic Gregorian calendar. */
static int day_number(int32_t day)
{
    int year = day / 10000, month = day / 100 % 100, dom = day % 100;

    year -= month <= 2;
    int era_day = year * 365 + year / 4 - year / 100 + year / 400;
    return era_day + (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + dom;
}

int text_days_between(int32_t a, int32_t b)
{
    return day_number(b) - day_number(a);
}

/* The inverse of day_number(), by eras of 400 years. */
int32_t text_day_plus(int32_t day, int days)
{
    enum { ERA_DAYS = 146097, LEAP_CYCLE_DAYS = 1461, CENTURY_DAYS = 36524 };
    int number = day_number(day) + days - 1;
    int of_era = number % ERA_DAYS;
    int year_of_era = (of_era - of_era / (LEAP_CYCLE_DAYS - 1) + of_era / CENTURY_DAYS -
                       of_era / (ERA_DAYS - 1)) /
                      365;
    int of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int month = (5 * of_year + 2) / 153; /* 0 is March */
    int year = number / ERA_DAYS * 400 + year_of_era + (month >= 10);

    return year * 10000 + (month < 10 ? month + 3 : month - 9) * 100 + of_year -
           (153 * month + 2) / 5 + 1;
}

const char *text_plural(double n)
{
    return n == 1 ? "" : "s";
}

const char *text_in_words(const char *list, const char *word)
{
    size_t n = strlen(word);

    for (const char *p = list; *p;) {
        size_t len = strcspn(p, " ");
        if (len == n && n && strncasecmp(p, word, n) == 0)
            return p;
        p += len + (p[len] == ' ');
    }
    return NULL;
}

const char *text_given(const char *text)
{
    return text && text[0] ? text : NULL;
}

bool text_in_list(const char *list, const char *word)
{
    size_t n = strlen(word);

    for (const char *p = list; *p;) {
        size_t len = strcspn(p, ",");
        if (len == n && strncasecmp(p, word, n) == 0)
            return true;
        p += len + (p[len] == ',');
    }
    return false;
}

double text_figure_in_list(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (const char *p = list ? list : ""; *p;) {
        size_t n = strcspn(p, ",");
        if (n > length && p[length] == ':' && strncasecmp(p, word, length) == 0)
            return strtod(p + length + 1, NULL);
        p += n + (p[n] == ',');
    }
    return (double)NAN;
}

enum { NEAR_MAX = 63 };

/* Convert to lower case; returns the length. */
static size_t lowered(const char *text, unsigned char low[NEAR_MAX])
{
    size_t n = strnlen(text, NEAR_MAX);

    for (size_t i = 0; i < n; i++)
        low[i] = (unsigned char)tolower((unsigned char)text[i]);
    return n;
}

/* One column of the table of distances at a time, a bit for each row: Hyyro, "A bit-vector
 * algorithm for computing Levenshtein and Damerau edit distances", Nordic Journal of Computing 10
 * (2003). */
size_t text_distance(const char *a, const char *b)
{
    unsigned char low_a[NEAR_MAX], low_b[NEAR_MAX];
    size_t n = lowered(a, low_a), m = lowered(b, low_b), distance = n;
    uint64_t places[UCHAR_MAX + 1]; /* bit i: a[i] is this letter; for letters of a and b alone */
    /* Whether the distance is one more, or one less, than in the row above; and equal to that one
     * row and column before. */
    uint64_t more = UINT64_MAX, less = 0, equal = 0, last_places = 0;

    if (n == 0)
        return m;
    for (size_t j = 0; j < m; j++)
        places[low_b[j]] = 0;
    for (size_t i = 0; i < n; i++)
        places[low_a[i]] = 0;
    for (size_t i = 0; i < n; i++)
        places[low_a[i]] |= UINT64_C(1) << i;
    for (size_t j = 0; j < m; j++) {
        uint64_t here = places[low_b[j]], swapped = ((~equal & here) << 1) & last_places;
        equal = (((here & more) + more) ^ more) | here | less | swapped;
        /* the same along the row, then moved to the next one */
        uint64_t right_more = less | ~(equal | more), right_less = equal & more;
        distance += right_more >> (n - 1) & 1;
        distance -= right_less >> (n - 1) & 1;
        right_more = right_more << 1 | 1;
        right_less <<= 1;
        more = right_less | ~(equal | right_more);
        less = right_more & equal;
        last_places = here;
    }
    return distance;
}

bool text_is_typo(const char *a, const char *b, size_t distance)
{
    size_t longer = strlen(a) > strlen(b) ? strlen(a) : strlen(b);

    return distance <= (longer < 5 ? 1 : 2) || distance * 3 <= longer;
}

/* RFC 3629: no overlong forms, no surrogates, nothing beyond U+10FFFF. */
size_t text_utf8_length(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t n = p[0] < 0x80                    ? 1
               : p[0] >= 0xc2 && p[0] <= 0xdf ? 2
               : (p[0] & 0xf0) == 0xe0        ? 3
               : p[0] >= 0xf0 && p[0] <= 0xf4 ? 4
                                              : 0;

    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    bool refused = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
                   (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f);
    return refused ? 0 : n;
}

bool text_is_utf8(const char *text)
{
    while (*text) {
        size_t n = text_utf8_length(text);
        if (!n)
            return false;
        text += n;
    }
    return true;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)tolower((unsigned char)c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void text_print_hex(uint64_t number, char to[TEXT_HEX_SIZE])
{
    for (int i = TEXT_HEX_SIZE - 2; i >= 0; i--, number >>= 4)
        to[i] = "0123456789abcdef"[number & 15];
    to[TEXT_HEX_SIZE - 1] = '\0';
}

bool text_decode_percent(char *text, bool plus)
{
    char *to = text;

    for (const char *from = text; *from; from++) {
        if (*from == '%') {
            int high = hex_value(from[1]), low = high < 0 ? -1 : hex_value(from[2]);
            if (low < 0 || (high == 0 && low == 0))
                return false;
            *to++ = (char)(high * 16 + low);
            from += 2;
        } else {
            *to++ = plus && *from == '+' ? ' ' : *from;
        }
    }
    *to = '\0';
    return true;
}

size_t text_few_hash(const char *bytes, size_t n)
{
    const unsigned char *at = (const unsigned char *)bytes;
    size_t hash = n;

    if (n) {
        hash = (hash * 31 + at[0]) * 31 + at[n / 4];
        hash = (hash * 31 + at[n / 2]) * 31 + at[n - 1 - n / 4];
        hash = hash * 31 + at[n - 1];
    }
    return hash ^ hash >> 9;
}

uint64_t text_hash(uint64_t hash, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211U;
    return hash;
}
