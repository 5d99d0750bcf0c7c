/* explain.h - how a figure came about: its formula, the same with the numbers put in, and whence
 * each of them is.
 *
 * A formula is written in symbols: numbers, names, x for times, / + - ( ), and
 * min max sqrt ceil floor exp log2, pow(base, exponent), queue_poisson_quantile(share, mean) and
 * queue_poisson_mean(share, k) as inference/serving/queue.h has them. Everything stands apart from
 * its neighbour by a space, but for brackets. The substitution is the same text with each symbol
 * replaced by its value and unit, so that the two cannot disagree; a reader who drops the units can
 * evaluate it.
 *
 * A subject has one symbol table: its SYMBOL rows, and its figures, of which each is a symbol of
 * every other formula, before it or after. What means something else in one formula than in the
 * others is a LOCAL row before that figure.
 */
#ifndef ESTIMATE_FIGURES_EXPLAIN_H
#define ESTIMATE_FIGURES_EXPLAIN_H

#include "base/arena.h"

#include <math.h>
#include <stdbool.h>

/* All texts are static or in the arena. */
struct explanation {
    const char *key;     /* of the line item or headline figure, or a symbol of another formula */
    const char *formula; /* flop / (peak x efficiency) */
    const char *substitution; /* 2.37e12 FLOP / (989.4e12 FLOP/s x 0.697); NULL where a symbol or
                                 the value is unknown */
    double value;
    const char *unit;
    const char *inputs; /* the symbols in it: flop = 2.37e12 FLOP, peak = ... */
    const char *source; /* paper, assumption or data sheet */
};

struct explanations {
    struct arena *arena;
    struct explanation *at;
    size_t n;
    struct symbol_table *symbols;
};

/* Empty, with room in the arena. */
void explain_init(struct explanations *to, struct arena *arena);

/* A symbol of every formula. A unit has no spaces and is not "x"; "" where there is none. */
void explain_symbol(struct explanations *to, const char *name, const char *unit, double value);

/* A symbol of the next figure's formula only. */
void explain_local(struct explanations *to, const char *name, const char *unit, double value);

/* A row without substitution and inputs, and a symbol of its key; the symbol alone where it is not
 * `shown`. */
void explain_figure(struct explanations *to, bool shown, struct explanation row);

/* Put in the numbers, once all rows and symbols are there. */
void explain_substitute(struct explanations *to);

/* What a table of rows is made of, for an `explanations` named `to`. */
#define SYMBOL(name, unit, value) explain_symbol(to, name, unit, value);
#define LOCAL(name, unit, value) explain_local(to, name, unit, value);
#define EXPLAIN(key, unit, value, formula, source) \
    EXPLAIN_IF(true, key, unit, value, formula, source)
#define EXPLAIN_KNOWN(key, unit, value, formula, source) \
    EXPLAIN_IF(!isnan(value), key, unit, value, formula, source)
#define EXPLAIN_IF(shown, key_, unit_, value_, formula_, source_) \
    explain_figure(to, shown,                                     \
                   (struct explanation){.key = (key_),            \
                                        .unit = (unit_),          \
                                        .value = (value_),        \
                                        .formula = (formula_),    \
                                        .source = (source_)});

#endif
