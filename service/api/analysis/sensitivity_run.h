/* sensitivity_run.h - what the files of a sensitivity share: one more answer to the question, with
 * some of its inputs replaced. */
#ifndef API_ANALYSIS_SENSITIVITY_RUN_H
#define API_ANALYSIS_SENSITIVITY_RUN_H

#include "api/analysis/sensitivity.h"
#include "estimate/figures/range.h"

/* An input that is varied, and its values. */
struct axis {
    const struct field *input;
    const struct axis_words {
        const char *vary, *from, *to, *step, *value;
    } * words; /* the names of what it was asked by */
    struct spread ends;
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
    struct call *call;
    const struct sensitivity *sensitivity;
    struct call *origin; /* the question as it came, never answered itself */
    struct call *base;   /* answered as it came; NULL where that is not possible */
    struct axis axes[AXES_MAX];
    size_t n_axes;
    struct turn turn;
};

/* An input replaced. */
struct setting {
    const char *name;
    double value;
};

/* The question answered with those inputs replaced, in the arena; NULL where it is refused. */
struct call *run_again(struct sensitivity_run *run, const struct setting settings[], size_t n,
                       struct arena *arena, struct err *err);

/* Whether the answer stays that of `base` where an input is given as it stands there; true without
 * asking where the sensitivity does not want it to. */
bool run_stands_alone(struct sensitivity_run *run, const struct call *base, const char *name);

/* An input of a call, by name. */
double run_number(const struct call *call, const char *name);
const char *run_text(const struct call *call, const char *name);
enum source run_source(const struct call *call, const char *name);
/* A headline value of an answered call; NAN where there is none of that name. */
double run_figure(const struct call *answered, const char *name);
/* The same of a text, NULL where it is unknown. */
const char *run_word(const struct call *answered, const char *name);
/* Copy the headline values that have a column of their name; texts into the arena. */
void run_copy(struct arena *arena, const struct call *answered, struct fields to, void *row);

/* Why a question was refused, in the call's arena. */
const char *run_reason(struct sensitivity_run *run, const struct err *err);

/* The inputs that the call asks to be varied, none to AXES_MAX. */
bool axes_find(struct sensitivity_run *run, struct err *err) MUST_CHECK;
/* Their ends and steps: as given, else around the values in force. */
bool axes_settle(struct sensitivity_run *run, struct err *err) MUST_CHECK;
bool axis_is_whole(const struct axis *axis);
double axis_value(const struct axis *axis, size_t i);
/* Whether both ends of every one were given. */
bool axes_are_spanned(const struct sensitivity_run *run);

/* The tables of points and of cells: the answer at each value, or pair of values. False where none
 * of them has an answer. */
bool run_points(struct sensitivity_run *run, struct err *err) MUST_CHECK;
bool run_cells(struct sensitivity_run *run, struct err *err) MUST_CHECK;

/* Where the verdict turns, into run->turn; `rows`: the n points. */
void sensitivity_threshold(struct sensitivity_run *run, const char *rows, size_t n);

/* The table of effects. */
bool sensitivity_tornado(struct sensitivity_run *run, struct err *err) MUST_CHECK;

/* Refuse a figure that nothing is known of. */
bool run_check_figure(struct sensitivity_run *run, struct err *err) MUST_CHECK;
/* The figure asked for, if there is a column of its name with `behind` after it, else the first
 * of the resource's that is known. */
const char *run_figure_name(const struct sensitivity_run *run, struct fields columns,
                            const char *behind);

/* How .svg draws the first table. */
void run_chart_points(struct sensitivity_run *run);
void run_chart_cells(struct sensitivity_run *run, const char *figure);
void run_chart_effects(struct sensitivity_run *run, const struct call *middle);

#endif
