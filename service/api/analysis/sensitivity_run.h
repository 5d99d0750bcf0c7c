/* sensitivity_run.h - shared by the sensitivity files: answers the question again with some inputs
 * replaced. */
#ifndef API_ANALYSIS_SENSITIVITY_RUN_H
#define API_ANALYSIS_SENSITIVITY_RUN_H

#include "api/analysis/sensitivity.h"
#include "estimate/figures/range.h"

/* A varied input and its values. */
struct sensitivity_axis {
    const struct field *input;
    const struct sensitivity_axis_words {
        const char *vary, *from, *to, *step, *value;
    } * words; /* the names of the parameters that describe this axis */
    struct range_ends ends;
    double step;
    size_t n;
};

enum { AXES_MAX = 2 };

/* The turning point of the verdict: the members of analysis/sensitivity_threshold.def. */
struct turn {
    double point, count;
    const char *status, *verdict;
};

struct sensitivity_run {
    struct request_context *context;
    const struct sensitivity *sensitivity;
    struct request_context *origin; /* the question as received; it is not answered itself */
    struct request_context *base;   /* its answer, or NULL */
    struct sensitivity_axis axes[AXES_MAX];
    size_t n_axes;
    struct turn turn;
};

/* A replaced input. */
struct setting {
    const char *name;
    double value;
};

/* The question answered with those inputs replaced, in the arena; NULL if it is refused. */
struct request_context *sensitivity_run_again(struct sensitivity_run *run,
                                              const struct setting settings[], size_t n,
                                              struct arena *arena, struct err *err);

/* Give the inputs in the list their chosen values in the question, so that they stay fixed. */
void sensitivity_run_hold(struct sensitivity_run *run, const char *held);

/* True if the answer stays that of `base` when the input is given at its current value. True
 * without asking if the sensitivity's `alone` is not set. */
bool sensitivity_run_stands_alone(struct sensitivity_run *run, const struct request_context *base,
                                  const char *name);

/* The source of an input: the request, or the answer's own choice. */
enum source sensitivity_run_source(const struct request_context *context, const char *name);
/* A headline value of an answered request; NAN if there is none of that name. */
double sensitivity_run_figure(const struct request_context *answered, const char *name);
/* The same for a text; NULL if unknown. */
const char *sensitivity_run_word(const struct request_context *answered, const char *name);
/* Copy the headline values that have a column of the same name; texts are copied into the arena. */
void sensitivity_run_copy(struct arena *arena, const struct request_context *answered,
                          struct fields to, void *row);

/* Why a question was refused, in the request's arena. */
const char *sensitivity_run_reason(struct sensitivity_run *run, const struct err *err);

/* Make the tables of points and of cells: the answer at each value, or pair of values. False if
 * none has an answer. */
bool sensitivity_points(struct sensitivity_run *run, struct err *err) MUST_CHECK;
bool sensitivity_cells(struct sensitivity_run *run, struct err *err) MUST_CHECK;

/* Find the turning point of the verdict among the n points at `rows` and store it in run->turn. */
void sensitivity_threshold(struct sensitivity_run *run, const char *rows, size_t n);

/* Make the table of effects. */
bool sensitivity_tornado(struct sensitivity_run *run, struct err *err) MUST_CHECK;

#endif
