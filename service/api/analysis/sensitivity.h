/* sensitivity.h - sensitivity analysis: answers another resource's question repeatedly with one or
 * two inputs changed. Works for every resource with headline values.
 *
 * The inputs are those of the other resource, followed by analysis/sensitivity_in.def. Columns are
 * matched by name: a column of a point or a cell is the headline value of the same name; a column
 * F_at_low, F_at_high or F_spread of an effect is computed from headline value F.
 */
#ifndef API_ANALYSIS_SENSITIVITY_H
#define API_ANALYSIS_SENSITIVITY_H

#include "api/resource/context.h"

enum { SENSITIVITY_POINTS_MAX = 200 };

/* Where the low and high values of an input come from. */
enum movement {
    MOVE_ASSUMPTION, /* low and high of the catalogue's assumption with that name; half and double
                      * if the caller gave the input or its value is outside that range */
    MOVE_OFFERS,     /* the cheapest and the most expensive of the offers used; half and double if
                      * there are none */
    MOVE_BOTH_WAYS,  /* half and double */
    MOVE_GIVEN,      /* half and double if the caller gave the input; not varied otherwise */
    MOVE_DOWN,       /* half */
    MOVE_RANGE,      /* the minimum and maximum accepted */
    MOVE_INTERVAL,   /* not an input: the figure's own interval, headline values F_low and F_high */
};

struct sensitivity {
    const struct resource *of;
    struct fields points; /* table `points`; has columns `value` and `note` */
    size_t point_size;
    struct fields cells; /* table `cells`; has columns `value`, `value_2`, `figure` and `note` */
    size_t cell_size;
    size_t cells_max;      /* for a two-way table */
    struct fields effects; /* table `effects` with columns `input unit value low high basis`. If it
                            * has a column `note`, that column explains an input without an answer
                            * at one end; otherwise the input is omitted */
    size_t effect_size;
    const struct moved {
        const char *input;
        enum movement by;
    } * moved;
    size_t n_moved;
    /* Omit from the effects (and warn when it is varied) an input that changes the first of
     * `figures` merely by being given at its current value, because that makes another input
     * meaningless. */
    bool alone;
    const char *held; /* comma-separated inputs held at their chosen values while others vary */
    /* Comma-separated inputs (or NULL) held at their chosen values when an input of `varied` is
     * varied, because giving that input would change how they are chosen. */
    const char *held_with, *varied;
    const char *figures; /* comma-separated headline values; the first known one is charted */
    /* The text headline value whose change is a turning point, or NULL. It changes where the first
     * of `figures` changes sign. */
    const char *turns;
    const char *throughout; /* appended to that text as the status if it never changes */
};

/* Answer the request. Its out struct has `vary`, `value`, `vary_2`, `value_2` and headline values
 * by name; with `turns` also the members of analysis/sensitivity_threshold.def. */
bool sensitivity_answer(struct request_context *context, const struct sensitivity *sensitivity,
                        struct err *err) MUST_CHECK;

#endif
