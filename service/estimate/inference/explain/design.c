/* design.c - how many replicas and GPUs, and what they fall short of. */
#include "estimate/inference/explain/context.h"
#include "estimate/inference/sizing/disaggregation.h"

#include <math.h>

static struct explain_term tensor_of(const struct inference_ground *g)
{
    return (struct explain_term){"tensor_parallel", g->job->tensor, "GPUs"};
}

static struct explain_term stages_of(const struct inference_ground *g)
{
    return (struct explain_term){"pipeline_parallel", g->job->pipeline, "stages"};
}

static struct explain_term replicas_of(const struct inference_ground *g)
{
    return (struct explain_term){"replica_count", g->plan->design.replicas, "replicas"};
}

static double all_replicas(const struct inference_ground *g)
{
    return g->request->pinned.gpu_count / (g->job->tensor * g->job->pipeline);
}

/* Of a number of GPUs that is given, those that write where others only read prompts. */
static void explain_writers(const struct inference_ground *g)
{
    const struct inference *inference = g->inference;
    double most = inference_explain_most(inference);
    double stated = g->request->pinned.prefill_replicas;
    bool fits = g->plan->fits;

    EXPLAIN(g->to, "replica_count", g->plan->design.replicas, "replicas",
            !isnan(stated) ? "all_replicas - prefill_replicas_stated"
            : fits ? "max(1, min(all_replicas - 1, floor(all_replicas x writing / (reading + "
                     "writing) + 0.5)))"
                   : "max(1, all_replicas - 1)",
            "as many write as are busy while the others read: seconds of a request on each, at the "
            "most in flight",
            {"all_replicas", all_replicas(g), "replicas"},
            {"prefill_replicas_stated", stated, "replicas"},
            {"writing",
             fits ? inference_serve(inference, most).request_seconds / most : (double)NAN, "s"},
            {"reading", inference->prefill.one / g->constants->prefill_utilization, "s"});
}

/* As many as it takes, where that was left open. */
static void explain_needed(const struct inference_ground *g)
{
    const struct serving_request *request = g->request;
    enum serving_limit limit;
    double within = g->plan->fits ? serving_batch_within(request, g->inference, &limit) : 0;
    double rate = within < 1 ? 0 : serving_rate_within(g->inference, within);
    bool stated = request->load != SERVING_BATCH && within >= 1;

    const char *formula = !stated ? "1"
                          : request->load == SERVING_CONCURRENT
                              ? "ceil(requests_stated / most_within_limits)"
                              : "max(1, ceil(requests_per_second x peak_to_average_ratio / "
                                "rate_within))";

    if (stated && request->spare_replicas > 0)
        formula = arena_print(g->to->arena, "%s + spare_replicas", formula);
    EXPLAIN(g->to, "replica_count", g->plan->design.replicas, "replicas", formula,
            !stated ? "one, where more would not help"
                    : "the load at its peak over what a replica takes while it keeps the limits",
            {"requests_stated", request->amount, "requests"},
            {"most_within_limits", within, "requests"},
            {"requests_per_second", request->amount, "requests/s"},
            {"peak_to_average_ratio", request->peak_ratio, ""}, {"rate_within", rate, "requests/s"},
            {"spare_replicas", request->spare_replicas, "replicas"});
}

static void explain_replicas(const struct inference_ground *g)
{
    const struct serving_design *pinned = &g->request->pinned;

    if (!isnan(pinned->replicas))
        EXPLAIN(g->to, "replica_count", g->plan->design.replicas, "replicas", "replicas_stated",
                "as given", {"replicas_stated", pinned->replicas, "replicas"});
    else if (!isnan(pinned->gpu_count) && g->job->separate_prefill)
        explain_writers(g);
    else if (!isnan(pinned->gpu_count))
        EXPLAIN(g->to, "replica_count", g->plan->design.replicas, "replicas",
                "gpus_stated / (tensor_parallel x pipeline_parallel)", "gpu_count as given",
                {"gpus_stated", pinned->gpu_count, "GPUs"}, tensor_of(g), stages_of(g));
    else
        explain_needed(g);
}

/* Those that only read prompts. */
static void explain_readers(const struct inference_ground *g)
{
    const struct serving_design *pinned = &g->request->pinned;
    const char *formula = "max(1, ceil(prompts_asked x prefill_seconds / prefill_utilization))";
    double rate = serving_rate_asked(g->request, g->plan);

    if (!isnan(pinned->prefill_replicas))
        formula = "prefill_replicas_stated";
    else if (!isnan(pinned->gpu_count))
        formula = "all_replicas - replica_count";
    else if (!g->plan->fits)
        formula = "1";
    EXPLAIN(g->to, "prefill_replica_count", g->plan->design.prefill_replicas, "replicas", formula,
            inference_explain_source(g, "prefill_utilization",
                                     "as many as read the prompts of the load at its peak, no "
                                     "busier than they may be (DistServe, arXiv 2401.09670)"),
            {"prefill_replicas_stated", pinned->prefill_replicas, "replicas"},
            {"all_replicas", all_replicas(g), "replicas"}, replicas_of(g),
            {"prompts_asked", rate, "requests/s"},
            {"prefill_seconds", g->inference->prefill.one, "s"},
            {"prefill_utilization", g->constants->prefill_utilization, ""});
}

/* What it takes to go on when one is lost. */
static void explain_loss(const struct inference_ground *g)
{
    const struct loss *loss = &g->plan->loss;
    bool apart = g->job->separate_prefill;

    if (!g->plan->fits || !loss->known)
        return;
    EXPLAIN(g->to, "gpu_count_surviving_loss", loss->gpus, "GPUs",
            apart ? "tensor_parallel x pipeline_parallel x (max(replica_count, replicas_needed + "
                    "1) + max(prefill_replica_count, readers_needed + 1))"
                  : "tensor_parallel x pipeline_parallel x max(replica_count, replicas_needed + 1)",
            "one more than the load needs within its limits, of each kind", tensor_of(g),
            stages_of(g), replicas_of(g), {"replicas_needed", loss->replicas_needed, "replicas"},
            {"prefill_replica_count", g->plan->design.prefill_replicas, "replicas"},
            {"readers_needed", loss->readers_needed, "replicas"});
}

void inference_explain_design(const struct inference_ground *g)
{
    const struct gap *gap = &g->plan->gap;
    bool apart = g->job->separate_prefill;

    explain_replicas(g);
    if (apart)
        explain_readers(g);
    else
        EXPLAIN(g->to, "prefill_replica_count", g->plan->design.prefill_replicas, "replicas", "0",
                "prompts are read where answers are written", replicas_of(g));
    EXPLAIN(g->to, "gpu_count", g->plan->design.gpu_count, "GPUs",
            apart ? "tensor_parallel x pipeline_parallel x (replica_count + prefill_replica_count)"
                  : "tensor_parallel x pipeline_parallel x replica_count",
            "all replicas are alike", tensor_of(g), stages_of(g), replicas_of(g),
            {"prefill_replica_count", g->plan->design.prefill_replicas, "replicas"});
    explain_loss(g);
    if (!isnan(gap->missing))
        EXPLAIN(g->to, "shortfall", gap->missing, gap->unit,
                gap->needed > gap->available ? "needed - available" : "available - needed",
                "of what binds, see binding_constraint: what is asked for and what there is",
                {"needed", gap->needed, ""}, {"available", gap->available, ""});
}
