/* sensitivity.h - what moves an answer: the question of another resource asked again and again,
 * with one or two of its inputs replaced. The same for every resource with headline values.
 *
 * The inputs of a sensitivity are those of the other resource, followed by
 * analysis/sensitivity_in.def. Everything is found by name: a column of a point or a cell is the
 * headline value of the same name; a column F_at_low, F_at_high or F_spread of an effect is made of
 * the headline value F.
 */
#ifndef API_ANALYSIS_SENSITIVITY_H
#define API_ANALYSIS_SENSITIVITY_H

#include "api/resource/context.h"

enum { SENSITIVITY_POINTS_MAX = 200 };

/* Where the low and the high value of an input are from. */
enum movement {
    MOVE_ASSUMPTION, /* the band of the catalogue's assumption of that name; half and double of what
                      * the caller gave, or of what is outside of the band */
    MOVE_OFFERS,     /* the cheapest and the dearest of the offers used; without any as below */
    MOVE_BOTH_WAYS,  /* half and double */
    MOVE_GIVEN,      /* half and double of what the caller gave, not of what was left open */
    MOVE_DOWN,       /* half */
    MOVE_RANGE,      /* the least and the most it accepts */
    MOVE_INTERVAL,   /* no input: the figure's own interval, the headline values F_low and F_high */
};

struct sensitivity {
    const struct resource *of;
    struct fields points; /* table `points`; has `value` and `note` */
    size_t point_size;
    struct fields cells; /* table `cells`; has `value`, `value_2`, `figure` and `note` */
    size_t cell_size;
    size_t cells_max;      /* of a two-way table */
    struct fields effects; /* table `effects` with `input unit value low high basis`. With a
                            * column `note`, an input that has no answer at one end is explained
                            * there; without it, the input is left out */
    size_t effect_size;
    const struct moved {
        const char *input;
        enum movement by;
    } * moved;
    size_t n_moved;
    /* Leave out of the effects (and warn where it is varied) an input that changes the first of
     * `figures` merely by being given, even at its current value, because another input then
     * loses its meaning. */
    bool alone;
    const char *held; /* comma-separated inputs that stay as chosen while others are moved */
    /* Comma-separated inputs that stay as chosen where one of another list is varied, as that
     * chooses them by being given; NULL: none. */
    const char *held_with, *varied;
    const char *figures; /* comma-separated headline values; the first that is known is drawn */
    /* The headline text whose change is a turning point, NULL: none is looked for. It changes
     * where the first of `figures` changes its sign. */
    const char *turns;
    const char *throughout; /* what follows that text as status where it never changes */
};

/* Answer the call, whose out struct has `vary`, `value`, `vary_2`, `value_2` and headline values by
 * name; with `turns` also the members of analysis/sensitivity_threshold.def. */
bool sensitivity_answer(struct request_context *context, const struct sensitivity *sensitivity,
                        struct err *err) MUST_CHECK;

#endif
