#include "base/spelling.h"

#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* text_distance() compares at most COMPARED letters. If the beginning of a name was typed, the
 * distance is UNFINISHED, however long the rest is; if more than a name was, SURPLUS. */
enum { COMPARED = 63, UNFINISHED = 2, SURPLUS = 3, UNFINISHED_LETTERS = 4 };

struct spelling spelling_of(const char *typed)
{
    return (struct spelling){typed, "", SIZE_MAX};
}

bool spelling_try(struct spelling *spelling, const char *name)
{
    size_t n = strlen(spelling->typed), m = strlen(name), distance;
    size_t shorter = n < m ? n : m, more = n < m ? m - n : n - m;

    if (shorter >= UNFINISHED_LETTERS && more > (n < m ? UNFINISHED : SURPLUS) &&
        strncasecmp(spelling->typed, name, shorter) == 0)
        distance = n < m ? UNFINISHED : SURPLUS;
    else if (n < COMPARED && m < COMPARED && more >= spelling->distance)
        return false; /* each surplus or missing letter is one edit */
    else
        distance = text_distance(spelling->typed, name);
    if (distance >= spelling->distance)
        return false;
    spelling->nearest = name;
    spelling->distance = distance;
    return true;
}

const char *spelling_meant(const struct spelling *spelling)
{
    bool near = spelling->distance < SIZE_MAX &&
                text_is_typo(spelling->typed, spelling->nearest, spelling->distance);

    return near ? spelling->nearest : NULL;
}

static const char separators[] = " -_/";

/* Moves to the next word and returns its length; 0 at the end. */
static size_t next_word(const char **at)
{
    *at += strspn(*at, separators);
    return strcspn(*at, separators);
}

/* Digits, dots and x, followed by the unit: 8x7b, 0.6b, 80gb. */
static bool is_amount(const char *word, size_t n, const char *unit)
{
    size_t letters = strlen(unit);

    return n > letters && strspn(word, "0123456789.x") == n - letters &&
           strncasecmp(word + n - letters, unit, letters) == 0;
}

static bool has_digit(const char *word, size_t n)
{
    return strcspn(word, "0123456789") < n;
}

/* True if the name without separators begins with the word: rtx4090 matches rtx-4090. */
static bool begins_joined(const char *name, const char *word, size_t n)
{
    for (size_t i = 0; i < n; i++, name++) {
        name += strspn(name, separators);
        if (!*name || strncasecmp(name, word + i, 1) != 0)
            return false;
    }
    return true;
}

enum { WORD_NONE, WORD_LONGER, WORD_BEGINNING, WORD_SAME };

/* WORD_LONGER: the typed word continues after the end of the name's word, as in h100x8. */
static int fit_word(const char *name, const char *word, size_t n)
{
    int best = begins_joined(name, word, n) ? WORD_BEGINNING : WORD_NONE;
    size_t m;

    for (const char *at = name; (m = next_word(&at)) > 0; at += m) {
        if (strncasecmp(at, word, n < m ? n : m) != 0)
            continue;
        int fit = n == m                                                         ? WORD_SAME
                  : n < m                                                        ? WORD_BEGINNING
                  : has_digit(at, m) && m > 2 && isalpha((unsigned char)word[m]) ? WORD_LONGER
                                                                                 : WORD_NONE;
        if (fit > best)
            best = fit;
    }
    return best;
}

size_t spelling_words(const char *typed, const char *name)
{
    enum { NAME_WORDS_MAX = 32 };
    size_t sum = 0, n, words = 0;
    struct {
        size_t typed, fitting;
    } lettered = {0, 0}, numbered = {0, 0};

    for (const char *at = typed; (n = next_word(&at)) > 0; at += n) {
        int fit = fit_word(name, at, n);
        bool size = is_amount(at, n, "b"), amount = size || is_amount(at, n, "gb");
        if (size && fit != WORD_SAME)
            return 0;
        sum += (size_t)fit;
        if (!amount && strspn(at, "0123456789.") < n) {
            lettered.typed++;
            lettered.fitting += fit != WORD_NONE;
        }
        if (!amount && has_digit(at, n)) {
            numbered.typed++;
            numbered.fitting += fit != WORD_NONE;
        }
    }
    if ((lettered.typed && !lettered.fitting) || (numbered.typed && !numbered.fitting))
        return 0;
    for (const char *at = name; (n = next_word(&at)) > 0; at += n)
        words++;
    /* Among equally good matches, prefer the name with the fewest words. */
    return sum > 0 && words < NAME_WORDS_MAX ? sum * NAME_WORDS_MAX - words : 0;
}

bool spelling_has_words(const char *typed, const char *name)
{
    size_t n;

    for (const char *at = typed; (n = next_word(&at)) > 0; at += n)
        if (fit_word(name, at, n) < WORD_BEGINNING)
            return false;
    return true;
}

/* True if it is that name with a suffix such as _ms, or with a prefix max_, min_, num_ or
 * target_. */
static bool resembles(const char *typed, const char *name, size_t length)
{
    static const char *const before[] = {"max_", "min_", "num_", "target_"};

    for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
        if (strncmp(typed, before[i], strlen(before[i])) == 0) {
            typed += strlen(before[i]);
            break;
        }
    return strncmp(typed, name, length) == 0 && (typed[length] == '\0' || typed[length] == '_');
}

bool spelling_is_called(const char *typed, const char *names, bool exactly)
{
    for (size_t n; *names; names += n + (names[n] == ' ')) {
        n = strcspn(names, " ");
        if (exactly ? strlen(typed) == n && strncmp(typed, names, n) == 0
                    : resembles(typed, names, n))
            return true;
    }
    return false;
}

double spelling_unit_factor(const char *typed, const char *unit)
{
    static const struct {
        const char *names, *ends, *unit;
        double factor;
    } units[] = {
        {"rps qps", "_per_second _per_sec _per_s", "requests/minute", 60},
        {"", "_per_hour", "requests/minute", 1.0 / 60},
        {"", "_per_day", "requests/minute", 1.0 / (24 * 60)},
        {"", "_per_second", "tokens/day", 24 * 3600},
        {"", "_ms _msec _milliseconds", "s", 1e-3},
        {"", "_minutes _min", "s", 60},
        {"years", "_years _year", "months", 12},
        {"hours", "_hours", "days", 1.0 / 24},
        {"weeks", "_weeks", "days", 7},
        {"", "_gb", "TB", 1e-3},
        {"", "_w _watts", "kW", 1e-3},
        {"", "_mw", "kW", 1000},
        {"", "_percent _pct", "ratio", 0.01},
    };
    size_t length = strlen(typed), n;

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(unit, units[i].unit) != 0)
            continue;
        if (spelling_is_called(typed, units[i].names, true))
            return units[i].factor;
        for (const char *end = units[i].ends; *end; end += n + (end[n] == ' ')) {
            n = strcspn(end, " ");
            if (n < length && strncmp(typed + length - n, end, n) == 0)
                return units[i].factor;
        }
    }
    return 0;
}

/* Bytes of the sign of a currency at the beginning; 0 if there is none. */
static size_t currency_sign(const char *text)
{
    static const char *const signs[] = {"$", "\u20ac", "\u00a3", "\u00a5"};

    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
        if (strncmp(text, signs[i], strlen(signs[i])) == 0)
            return strlen(signs[i]);
    return 0;
}

/* Copies a mantissa without its grouping, a decimal comma as a point; false if it is neither. */
static bool plain_mantissa(const char *from, size_t n, char *to)
{
    const char *comma = memchr(from, ',', n);
    size_t before = comma ? (size_t)(comma - from) : n, length = 0;
    bool grouped = comma && before > 0 && before < 4 && from[0] != '0';

    for (const char *p = comma; grouped && p && p < from + n && *p == ','; p += 4)
        grouped = p + 3 < from + n && strspn(p + 1, "0123456789") >= 3 &&
                  (p + 4 == from + n || p[4] == ',' || p[4] == '.');
    if (comma && !grouped && (memchr(comma + 1, ',', n - before - 1) || memchr(from, '.', n)))
        return false;
    for (size_t i = 0; i < n; i++)
        if (from[i] != ',' || !grouped)
            to[length++] = from[i] == ',' ? '.' : from[i];
    to[length] = '\0';
    return length > 0;
}

/* The factor that converts a number with this suffix to the unit of the input; 0 if the suffix is
 * unknown or of another unit. */
static double written_factor(const char *typed, const char *unit)
{
    static const struct {
        const char *typed, *unit;
        double factor;
    } units[] = {
        {"year years yr y", "months", 12},
        {"month months mo", "months", 1},
        {"week weeks", "days", 7},
        {"day days d", "days", 1},
        {"hour hours h", "days", 1.0 / 24},
        {"hour hours h", "hours", 1},
        {"ms milliseconds", "s", 1e-3},
        {"second seconds sec s", "s", 1},
        {"minute minutes min", "s", 60},
        {"token tokens", "tokens", 1},
        {"gpu gpus", "GPUs", 1},
        {"user users", "users", 1},
        {"kw", "kW", 1},
        {"w", "W", 1},
    };
    char name[16];
    size_t n = strlen(typed);

    if (!n || (typed[0] == 'x' && strcmp(unit, "GPUs") == 0))
        return 1; /* as in 8xH100 */
    if (n >= sizeof(name))
        return 0;
    for (size_t i = 0; i <= n; i++)
        name[i] = (char)tolower((unsigned char)typed[i]);
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(units[i].unit, unit) == 0 && spelling_is_called(name, units[i].typed, true))
            return units[i].factor;
    return 0;
}

double spelling_number_meant(const char *typed, const char *unit)
{
    enum { MANTISSA_MAX = 32 };
    static const char multiples[] = "kmbgt";
    static const double multiply[] = {1e3, 1e6, 1e9, 1e9, 1e12};
    char plain[MANTISSA_MAX + 1];
    const char *p = typed + strspn(typed, " ");

    p += currency_sign(p);
    p += strspn(p, " ");
    size_t n = strspn(p, "0123456789.,");
    if (!n || n > MANTISSA_MAX || !plain_mantissa(p, n, plain))
        return (double)NAN;
    char *end;
    double value = strtod(plain, &end);
    if (*end)
        return (double)NAN;
    p += n + strspn(p + n, " ");
    const char *multiple = *p ? strchr(multiples, tolower((unsigned char)*p)) : NULL;
    if (multiple && !isalpha((unsigned char)p[1])) {
        value *= multiply[multiple - multiples];
        p += 1 + strspn(p + 1, " ");
    }
    double factor = written_factor(p, unit);
    return factor > 0 ? value * factor : (double)NAN;
}
