/* explain.h - the derivation of a figure: its formula, the formula with values substituted, and the
 * source of each value.
 *
 * A formula is written in symbols: numbers, names, x for multiplication, / + - ( ), and min max
 * sqrt ceil floor exp log2, pow(base, exponent), queue_poisson_quantile(share, mean) and
 * queue_poisson_mean(share, k) as defined in inference/serving/queue.h. Tokens are separated by
 * spaces, except at brackets. The substitution is the same text with each symbol replaced by its
 * value and unit, so that the two cannot disagree; without the units it can be evaluated.
 *
 * A subject has one symbol table: its SYMBOL rows, and its figures, each of which is a symbol in
 * all other formulas, before or after it. A symbol that has a different meaning in one formula is a
 * LOCAL row before that figure.
 */
#ifndef ESTIMATE_FIGURES_EXPLAIN_H
#define ESTIMATE_FIGURES_EXPLAIN_H

#include "base/arena.h"

#include <math.h>
#include <stdbool.h>

/* All texts are static or in the arena. */
struct explanation {
    const char *key;          /* key of the line item or headline figure, or a symbol of another
                               * formula */
    const char *formula;      /* flop / (peak x efficiency) */
    const char *substitution; /* 2.37e12 FLOP / (989.4e12 FLOP/s x 0.697); NULL if a symbol or the
                               * value is unknown */
    double value;
    const char *unit;
    const char *inputs; /* its symbols: flop = 2.37e12 FLOP, peak = ... */
    const char *source; /* paper, assumption or data sheet */
};

struct explanations {
    struct arena *arena;
    struct explanation *at;
    size_t n;
    struct symbol_table *symbols;
};

/* Initialises an empty list in the arena. */
void explain_init(struct explanations *to, struct arena *arena);

/* Define a symbol for all formulas. A unit has no spaces and is not "x"; "" if there is none. */
void explain_symbol(struct explanations *to, const char *name, const char *unit, double value);

/* Define a symbol for the next figure's formula only. */
void explain_local(struct explanations *to, const char *name, const char *unit, double value);

/* Add a row without substitution and inputs, and a symbol named by its key; only the symbol if it
 * is not `shown`. */
void explain_figure(struct explanations *to, bool shown, struct explanation row);

/* Substitute the values, once all rows and symbols are defined. */
void explain_substitute(struct explanations *to);

/* Macros for tables of rows, for an `explanations` named `to`. */
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
