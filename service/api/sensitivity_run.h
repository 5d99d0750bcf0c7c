/* sensitivity_run.h - what the files of a sensitivity share: one more answer to the question, with
 * one input replaced. */
#ifndef API_SENSITIVITY_RUN_H
#define API_SENSITIVITY_RUN_H

#include "api/sensitivity.h"

struct sensitivity_run {
    struct call *call;
    const struct sensitivity *sensitivity;
    struct call *origin; /* the question as it came, never answered itself */
    struct call *base;   /* answered as it came; NULL where that is not possible */
    const struct field *vary;
};

/* The question answered with input `name` (NULL: none) at that value, in the arena; NULL where it
 * is refused. */
struct call *run_again(struct sensitivity_run *run, const char *name, double value,
                       struct arena *arena, struct err *err);

/* An input of a call, by name. */
double run_number(const struct call *call, const char *name);
const char *run_text(const struct call *call, const char *name);
enum source run_source(const struct call *call, const char *name);
/* A headline value of an answered call; NAN where there is none of that name. */
double run_figure(const struct call *answered, const char *name);
/* Copy the headline values that have a column of their name. */
void run_copy(struct sensitivity_run *run, const struct call *answered, struct fields to,
              void *row);

/* Why a question was refused, in the call's arena. */
const char *run_reason(struct sensitivity_run *run, const struct err *err);

/* The table of effects. */
bool run_effects(struct sensitivity_run *run, struct err *err) MUST_CHECK;

/* How .svg draws the first table. */
void run_chart_points(struct sensitivity_run *run);
void run_chart_effects(struct sensitivity_run *run, const struct call *middle);

#endif
