/* sensitivity_run.h - what the files of a sensitivity share: one more answer to the question, with
 * some of its inputs replaced. */
#ifndef API_ANALYSIS_SENSITIVITY_RUN_H
#define API_ANALYSIS_SENSITIVITY_RUN_H

#include "api/analysis/sensitivity.h"
#include "estimate/figures/range.h"

/* An input that is varied, and its values. */
struct sensitivity_axis {
    const struct field *input;
    const struct sensitivity_axis_words {
        const char *vary, *from, *to, *step, *value;
    } * words; /* the names of what it was asked by */
    struct range_ends ends;
    double step;
    size_t n;
};

enum { AXES_MAX = 2 };

/* Where the verdict turns: the members of analysis/sensitivity_threshold.def. */
struct turn {
    double point, count;
    const char *status, *verdict;
};

struct sensitivity_run {
    struct request_context *context;
    const struct sensitivity *sensitivity;
    struct request_context *origin; /* the question as received, never answered itself */
    struct request_context *base;   /* its answer; NULL if there is none */
    struct sensitivity_axis axes[AXES_MAX];
    size_t n_axes;
    struct turn turn;
};

/* An input replaced. */
struct setting {
    const char *name;
    double value;
};

/* The question answered with those inputs replaced, in the arena; NULL if it is refused. */
struct request_context *sensitivity_run_again(struct sensitivity_run *run,
                                              const struct setting settings[], size_t n,
                                              struct arena *arena, struct err *err);

/* Inputs of that list stay as they were chosen: the question with them given. */
void sensitivity_run_hold(struct sensitivity_run *run, const char *held);

/* Whether the answer stays that of `base` where an input is given as it stands there; true without
 * asking where the sensitivity does not want it to. */
bool sensitivity_run_stands_alone(struct sensitivity_run *run, const struct request_context *base,
                                  const char *name);

/* Where the input of a call is from: the request, or the answer's own choice. */
enum source sensitivity_run_source(const struct request_context *context, const char *name);
/* A headline value of an answered request; NAN if it has none of that name. */
double sensitivity_run_figure(const struct request_context *answered, const char *name);
/* The same of a text, NULL where it is unknown. */
const char *sensitivity_run_word(const struct request_context *answered, const char *name);
/* Copy the headline values that have a column of their name; texts into the arena. */
void sensitivity_run_copy(struct arena *arena, const struct request_context *answered,
                          struct fields to, void *row);

/* Why a question was refused, in the call's arena. */
const char *sensitivity_run_reason(struct sensitivity_run *run, const struct err *err);

/* The tables of points and of cells: the answer at each value, or pair of values. False where none
 * of them has an answer. */
bool sensitivity_points(struct sensitivity_run *run, struct err *err) MUST_CHECK;
bool sensitivity_cells(struct sensitivity_run *run, struct err *err) MUST_CHECK;

/* Where the verdict turns, into run->turn; `rows`: the n points. */
void sensitivity_threshold(struct sensitivity_run *run, const char *rows, size_t n);

/* The table of effects. */
bool sensitivity_tornado(struct sensitivity_run *run, struct err *err) MUST_CHECK;

#endif
