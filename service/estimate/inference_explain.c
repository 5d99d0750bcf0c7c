#include "estimate/inference_explain.h"

#include "base/buf.h"
#include "estimate/inference_explain_ground.h"
#include "estimate/serving_queue.h"

#include <math.h>
#include <string.h>

enum { SOURCE_MAX = 1024 };

static void add_page(const struct inference_ground *g, struct buf *out, const char *name, size_t n)
{
    bool first = strlen(buf_data(out)) == 0;
    const char *between = first ? "" : "; ";

    if (n == 3 && memcmp(name, "gpu", n) == 0)
        buf_print(out, "%s/v1/gpus/%s", between, g->job->gpu->slug);
    else if (n == 5 && memcmp(name, "model", n) == 0 && g->answer->model)
        buf_print(out, "%s/v1/models/%s", between, g->answer->model);
    else if (n == 5 && memcmp(name, "model", n) == 0)
        buf_print(out, "%sthe shape given, or typical of so many parameters", between);
    else
        buf_print(out, "%s/v1/assumptions?key=%.*s", between, (int)n, name);
}

const char *inference_explain_source(const struct inference_ground *g, const char *pages,
                                     const char *words)
{
    struct buf out;

    buf_init(&out, SOURCE_MAX);
    for (const char *p = pages; *p; p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");
        add_page(g, &out, p, n);
        p += n;
    }
    if (words[0])
        buf_print(&out, "%s%s", strlen(buf_data(&out)) > 0 ? "; " : "", words);
    const char *text = arena_text(g->to->arena, buf_data(&out));
    buf_free(&out);
    return text;
}

const char *inference_explain_at(const struct inference_ground *g, const char *text,
                                 enum flight flight)
{
    struct buf out;

    buf_init(&out, SOURCE_MAX);
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, "@");
        buf_add(&out, p, n);
        p += n;
        if (*p == '@') {
            buf_text(&out, g->suffix[flight]);
            p++;
        }
    }
    const char *made = arena_text(g->to->arena, buf_data(&out));
    buf_free(&out);
    return made;
}

double inference_explain_most(const struct inference *inference)
{
    const struct kv_pool *pool = &inference->pool;

    return fmin(inference->job.static_batching ? pool->held : pool->requests,
                inference_admitted(inference));
}

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
