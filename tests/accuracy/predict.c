/* predict.c - the estimate for every measured run of a file, as often as a fit asks.
 *
 *   predict RUNS.csv
 *
 * Reads lines of "key=value ...": constants to change, none for the catalogue's own. Answers
 * each in binary (figures.h): the predicted seconds of every run in the file's order, nan where
 * no strategy is possible. A line that starts with "details" is answered with a table instead, a
 * row per run, and an empty line after it; one that starts with "parts" with the shares of
 * carry_parts_of_step(), CARRY_PARTS figures a run. What a run does not state is left to the
 * search, as the API leaves it.
 *
 * The columns are named as the API's inputs; one that a file does not have is blank in all its
 * rows. `model` names one of the catalogue's, and the shape's own columns change it. Run from the
 * root of the tree.
 */
#include "estimate/measurement/carry.h"
#include "estimate/measurement/training_run.h"

#include "figures.h"
#include "fixture.h"
#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Set one constant, named in text up to its equals sign. */
static void set(struct training_constants *constants, char *pair)
{
    size_t name = strcspn(pair, "=");
    const char *figure = pair + name + (pair[name] == '=');

    pair[name] = '\0';
    double *value = training_constant(constants, pair);
    if (!value) {
        fprintf(stderr, "predict: no constant %s\n", pair);
        exit(1);
    }
    *value = strtod(figure, NULL);
}

/* Set the constants a line names; words without an equals sign are not for us. */
static void change(struct training_constants *constants, char *line)
{
    size_t length;

    for (char *at = line + strspn(line, " \n"); *at; at += length + strspn(at + length, " \n")) {
        char word[96];
        length = strcspn(at, " \n");
        snprintf(word, sizeof(word), "%.*s", (int)length, at);
        if (strchr(word, '='))
            set(constants, word);
    }
}

static void show(const char *id, const struct training_run *run, const struct training_plan *plan)
{
    struct training_goal none = {.tokens = (double)NAN,
                                 .goodput = 1,
                                 .model_flops_utilization = (double)NAN,
                                 .deadline_days = (double)NAN,
                                 .budget = (double)NAN,
                                 .price_per_gpu_hour = (double)NAN};
    struct training_plan own = *plan; /* the interval of a run with the plan's settings */
    own.division_searched = own.recompute_searched = false;
    struct training_totals totals = training_totals(&run->job, plan, &none);
    struct training_totals of_own = training_totals(&run->job, &own, &none);
    const struct training_step *s = &plan->step;
    char on[160];

    training_describe(&plan->on, on, sizeof(on));
    printf("%s;%.9g;%.9g;%.9g;%.9g;%.9g;%.9g;%.9g;%d;%s;", id, s->seconds, totals.step_seconds_low,
           totals.step_seconds_high, of_own.step_seconds_low, of_own.step_seconds_high,
           totals.model_flops_utilization, totals.tokens_per_second_per_gpu, plan->fits, on);
    printf("compute %.4g tensor %.4g expert %.4g context %.4g recompute %.4g bubble %.4g "
           "pipeline %.4g data %.4g optimizer %.4g\n",
           s->compute, s->tensor_communication, s->expert_communication, s->context_communication,
           s->recompute, s->pipeline_bubble, s->pipeline_communication, s->data_communication,
           s->optimizer_step);
}

static void show_details(const struct measurement *rows, const struct training_run *runs, size_t n)
{
    printf("id;seconds;low;high;run_low;run_high;model_flops_utilization;tokens_per_second_per_gpu;"
           "fits;"
           "strategy;lines\n");
    for (size_t i = 0; i < n; i++) {
        struct training_plan plan;
        if (training_search(&runs[i].job, &runs[i].pinned, &plan))
            show(rows[i].id, &runs[i], &plan);
        else
            printf("%s;nan;nan;nan;nan;nan;nan;nan;0;none is possible;\n", rows[i].id);
    }
    printf("\n");
}

static void show_seconds(const struct training_run *runs, size_t n)
{
    figures_begin(n);
    for (size_t i = 0; i < n; i++) {
        struct training_plan plan;
        bool found = training_search(&runs[i].job, &runs[i].pinned, &plan);
        figures_add(found ? plan.step.seconds : (double)NAN);
    }
}

static void show_parts(const struct training_run *runs, size_t n)
{
    figures_begin(n * CARRY_PARTS);
    for (size_t i = 0; i < n; i++) {
        struct training_plan plan;
        bool found = training_search(&runs[i].job, &runs[i].pinned, &plan);
        struct carry_parts parts = carry_parts_of_step(&plan.step);
        for (int k = 0; k < CARRY_PARTS; k++)
            figures_add(found ? parts.share[k] : (double)NAN);
    }
}

int main(int argc, char **argv)
{
    struct catalog *catalog = fixture_catalog();
    struct training_constants seeded, constants;
    struct err err = {0};
    char line[8192];
    size_t n;

    if (argc != 2)
        return 64;
    fixture_need(training_constants_fill(catalog, &seeded, &err), &err);
    const struct measurement *rows = fixture_measurements(argv[1], &catalog->arena, &n);
    struct training_run *runs = mem_alloc(n * sizeof(*runs));
    constants = seeded;
    for (size_t i = 0; i < n; i++)
        fixture_need(training_run_read(&rows[i], catalog, &constants, &runs[i], &err), &err);
    while (fgets(line, sizeof(line), stdin)) {
        constants = seeded;
        change(&constants, line);
        if (strncmp(line, "details", 7) == 0)
            show_details(rows, runs, n);
        else if (strncmp(line, "parts", 5) == 0)
            show_parts(runs, n);
        else
            show_seconds(runs, n);
        (void)fflush(stdout);
    }
    free(runs);
    catalog_free(catalog);
    return 0;
}
