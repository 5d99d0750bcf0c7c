#include "estimate/explain.h"

#include "base/buf.h"

#include <assert.h>
#include <math.h>
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
        if (strlen(terms[i].name) == length && memcmp(terms[i].name, name, length) == 0)
            return &terms[i];
    return NULL;
}

/* Nine digits: differences of them keep the six that answers are printed with. */
static void print_value(struct buf *out, const struct explain_term *term)
{
    bool signed_ = term->value < 0;

    buf_print(out, signed_ ? "(%.9g)" : "%.9g", term->value);
    if (term->unit[0])
        buf_print(out, " %s", term->unit);
}

static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
static const char NAME[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

/* The formula with each term's value in its place; false where one is not a finite number. */
static bool substitute(struct buf *out, const char *formula, const struct explain_term *terms,
                       size_t n)
{
    for (const char *p = formula; *p;) {
        size_t between = strcspn(p, LETTERS), length = strspn(p + between, NAME);
        const struct explain_term *term = find(terms, n, p + between, length);
        buf_add(out, p, between);
        if (term && !isfinite(term->value))
            return false;
        if (term)
            print_value(out, term);
        else
            buf_add(out, p + between, length);
        p += between + length;
    }
    return true;
}

/* Whether the formula has the term: one of several forms may do without some. */
static bool has(const char *formula, const struct explain_term *term)
{
    for (const char *p = formula; *p;) {
        size_t between = strcspn(p, LETTERS), length = strspn(p + between, NAME);
        if (find(term, 1, p + between, length))
            return true;
        p += between + length;
    }
    return false;
}

static const char *inputs_text(struct arena *arena, const char *formula,
                               const struct explain_term *terms, size_t n)
{
    struct buf out;
    const char *between = "";

    buf_init(&out, TEXT_MAX);
    for (size_t i = 0; i < n; i++) {
        if (!has(formula, &terms[i]))
            continue;
        buf_print(&out, "%s%s = ", between, terms[i].name);
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
