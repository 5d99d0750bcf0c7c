/* explain.h - how a figure came about: its formula, the same with the numbers put in, and whence
 * each of them is.
 *
 * A formula is written in the symbols of its terms: numbers, terms, x for times, / + - ( ), and
 * min max sqrt ceil floor exp log2, pow(base, exponent), poisson_quantile(share, mean) and
 * poisson_mean(share, k) as inference/sizing/queue.h has them. Everything stands apart from its
 * neighbour by a space, but for brackets. The substitution is the same text with each term replaced
 * by its value and unit, so that the two cannot disagree; a reader who drops the units can evaluate
 * it.
 */
#ifndef ESTIMATE_FIGURES_EXPLAIN_H
#define ESTIMATE_FIGURES_EXPLAIN_H

#include "base/mem.h"

/* A symbol of a formula. A unit has no spaces and is not "x"; "" where there is none. */
struct explain_term {
    const char *name;
    double value;
    const char *unit;
};

/* All texts are static or in the arena. */
struct explanation {
    const char *key;     /* of the line item or headline figure, or a symbol of another formula */
    const char *formula; /* flop / (peak x efficiency) */
    const char *substitution; /* 2.37e12 FLOP / (989.4e12 FLOP/s x 0.697); NULL where a term or the
                                 value is unknown */
    double value;
    const char *unit;
    const char *inputs; /* the terms in it: flop = 2.37e12 FLOP, peak = ... */
    const char *source; /* paper, assumption or data sheet */
};

enum { EXPLANATIONS_MAX = 224 };

struct explanations {
    struct arena *arena;
    struct explanation *at;
    size_t n;
};

/* Empty, with room in the arena. */
void explain_init(struct explanations *to, struct arena *arena);

/* Add a row: `row` without substitution and inputs, which are made of the terms. A term of the name
 * of a former row's key is that row's value. */
void explain_add(struct explanations *to, struct explanation row, const struct explain_term *terms,
                 size_t n_terms);

/* EXPLAIN(to, key, value, unit, formula, source, {name, value, unit}, ...) */
#define EXPLAIN(to, key_, value_, unit_, formula_, source_, ...) \
    explain_add((to),                                            \
                (struct explanation){.key = (key_),              \
                                     .formula = (formula_),      \
                                     .value = (value_),          \
                                     .unit = (unit_),            \
                                     .source = (source_)},       \
                (const struct explain_term[]){__VA_ARGS__},      \
                sizeof((const struct explain_term[]){__VA_ARGS__}) / sizeof(struct explain_term))

#endif
