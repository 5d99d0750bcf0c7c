#include "estimate/figures/explain.h"

#include "base/buf.h"
#include "base/number.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { TEXT_MAX = 8192 };

void explain_init(struct explanations *to, struct arena *arena)
{
    *to = (struct explanations){
        .arena = arena, .at = arena_alloc(arena, EXPLANATIONS_MAX * sizeof(struct explanation))};
}

static const struct explain_term *find(const struct explain_term *terms, size_t n, const char *name,
                                       size_t length)
{
    for (size_t i = 0; i < n; i++)
        if (strncmp(terms[i].name, name, length) == 0 && !terms[i].name[length])
            return &terms[i];
    return NULL;
}

/* As printf's %.9g, which the sizes that are usual need not ask. */
static void print_digits(struct buf *out, double value)
{
    enum { DIGITS = 9, DECIMALS_MOST = 12 }; /* of what %g does not print with an exponent */
    struct decimal decimal = number_round_significant(value, DIGITS);
    char text[DECIMAL_SHORT_SIZE];

    if (value != 0 && decimal.fits && decimal.decimals >= 0 && decimal.decimals <= DECIMALS_MOST) {
        size_t n = number_write(text, decimal, true);
        buf_add(out, text, n);
    } else {
        buf_print(out, "%.9g", value);
    }
}

/* Nine digits: differences of them keep the six that answers are printed with. */
static void print_value(struct buf *out, const struct explain_term *term)
{
    bool is_negative = term->value < 0;

    buf_text(out, is_negative ? "(" : "");
    print_digits(out, term->value);
    buf_text(out, is_negative ? ")" : "");
    if (term->unit[0]) {
        buf_char(out, ' ');
        buf_text(out, term->unit);
    }
}

static bool begins_name(char c)
{
    char letter = (char)(c | 0x20);

    return (letter >= 'a' && letter <= 'z') || c == '_';
}

/* The next name of a formula: what stands before it, and its length; 0 at the end. */
static size_t next_name(const char *p, size_t *before)
{
    size_t length = 0;

    for (*before = 0; p[*before] && !begins_name(p[*before]);)
        ++*before;
    for (p += *before; begins_name(p[length]) || (length && p[length] >= '0' && p[length] <= '9');)
        length++;
    return length;
}

/* The formula with each term's value in its place; false where one is not a finite number. */
static bool substitute(struct buf *out, const char *formula, const struct explain_term *terms,
                       size_t n)
{
    size_t before, length;

    for (const char *p = formula; *p; p += before + length) {
        length = next_name(p, &before);
        const struct explain_term *term = find(terms, n, p + before, length);
        buf_add(out, p, before);
        if (term && !isfinite(term->value))
            return false;
        if (term)
            print_value(out, term);
        else
            buf_add(out, p + before, length);
    }
    return true;
}

/* Which of the terms the formula has, a bit each: one of several forms may do without some. */
static uint64_t terms_in(const char *formula, const struct explain_term *terms, size_t n)
{
    size_t before, length;
    uint64_t in = 0;

    assert(n <= 64);
    for (const char *p = formula; *p; p += before + length) {
        length = next_name(p, &before);
        const struct explain_term *term = find(terms, n, p + before, length);
        if (term)
            in |= (uint64_t)1 << (term - terms);
    }
    return in;
}

static const char *inputs_text(struct arena *arena, const char *formula,
                               const struct explain_term *terms, size_t n)
{
    struct buf out;
    const char *between = "";
    uint64_t in = terms_in(formula, terms, n);

    buf_init(&out, TEXT_MAX);
    for (size_t i = 0; i < n; i++) {
        if (!(in >> i & 1))
            continue;
        buf_text(&out, between);
        buf_text(&out, terms[i].name);
        buf_text(&out, " = ");
        between = ", ";
        if (isfinite(terms[i].value))
            print_value(&out, &terms[i]);
        else
            buf_text(&out, isnan(terms[i].value) ? "unknown" : "infinite");
    }
    const char *text = arena_text(arena, buf_data(&out));
    buf_free(&out);
    return text;
}

void explain_add(struct explanations *to, struct explanation row, const struct explain_term *terms,
                 size_t n_terms)
{
    struct buf out;

    assert(to->n < EXPLANATIONS_MAX);
    buf_init(&out, TEXT_MAX);
    row.substitution = NULL;
    if (isfinite(row.value) && substitute(&out, row.formula, terms, n_terms))
        row.substitution = arena_text(to->arena, buf_data(&out));
    buf_free(&out);
    row.inputs = inputs_text(to->arena, row.formula, terms, n_terms);
    to->at[to->n++] = row;
}
