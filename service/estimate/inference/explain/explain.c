#include "estimate/inference/explain/explain.h"

#include "estimate/inference/explain/context.h"
#include "estimate/inference/sizing/queue.h"

#include <math.h>
#include <string.h>

/* The same number in flight needs no rows of its own twice. */
static void set_suffixes(struct inference_ground *g)
{
    static const char *const own[FLIGHT_COUNT] = {"", "_p95", "_lone", "_full", "_within"};

    for (int i = 0; i < FLIGHT_COUNT; i++) {
        int j = 0;
        while (j < i && g->at[j].concurrency != g->at[i].concurrency)
            j++;
        g->suffix[i] = j < i ? g->suffix[j] : own[i];
        g->shown[i] = j == i;
    }
    g->shown[FLIGHT_WITHIN] &= g->most_within >= 1;
}

static void set_flights(struct inference_ground *g)
{
    double most = inference_explain_most(g->inference);

    g->most_within = serving_batch_within(g->request, g->inference, &g->limit);
    double within = poisson_mean(INFERENCE_TAIL_SHARE, g->most_within);
    g->at[FLIGHT_MEAN] = g->plan->mean;
    g->at[FLIGHT_P95] = g->plan->tail;
    g->at[FLIGHT_LONE] = g->plan->lone;
    g->at[FLIGHT_FULL] = inference_serve(g->inference, most);
    g->at[FLIGHT_WITHIN] = inference_serve(g->inference, fmin(within, most));
    set_suffixes(g);
}

void inference_explain(const struct inference_answer *answer, struct explanations *to)
{
    const struct inference *inference = &answer->plan->inference;
    struct inference_ground g = {
        .to = to,
        .answer = answer,
        .request = answer->request,
        .plan = answer->plan,
        .inference = inference,
        .job = &inference->job,
        .shape = &inference->job.shape,
        .constants = inference->constants,
    };

    inference_explain_design(&g);
    if (answer->plan->fits) {
        set_flights(&g);
        inference_explain_load(&g);
        inference_explain_rates(&g);
        inference_explain_step(&g);
        inference_explain_prefill(&g);
    }
    inference_explain_memory(&g);
    inference_explain_roofline(&g);
    inference_explain_money(&g);
}
