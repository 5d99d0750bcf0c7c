/* scheduling.c - a replica at work: in flight, in batches, or with everything queued. */
#include "estimate/inference/inference.h"
#include "estimate/inference/communication.h"

#include <math.h>

static const double US = 1e-6;

/* Seconds from one token of a request to the next. */
static double per_token(const struct inference *inference, const struct step *step)
{
    return step->total / inference_tokens_per_step(&inference->job.speculation);
}

static void serve_static(const struct inference *inference, struct served *served)
{
    const struct prefill *p = &inference->prefill;

    served->batch = fmax(1, fmin(served->concurrency, inference->pool.held));
    served->step = inference_step(inference, served->batch, inference_context(&inference->job));
    served->tpot = per_token(inference, &served->step);
    served->ttft =
        inference->constants->first_token * (served->batch * p->marginal + p->fixed + p->transfer);
}

/* Prompts are read by GPUs of their own, as busy as they may be: an M/D/1 queue before them, then
 * the cache travels. */
static double ttft_of_pools(const struct inference *inference, const struct served *served)
{
    double busy = inference->constants->prefill_utilization;
    double wait = busy / (2 * (1 - busy)) * inference->prefill.one;

    return inference->prefill.one + wait +
           communication_cache(inference, inference->job.input_tokens) + served->step.total;
}

/* A prompt's turn among others: its prefill, and the decode step in the passes it takes part in. */
static double turn_seconds(const struct inference *inference, const struct served *served)
{
    const struct inference_job *job = &inference->job;
    double tokens = job->input_tokens * (1 - job->cached_ratio);
    double passes = tokens / inference->constants->ttft_pass_tokens;

    return inference->prefill.marginal / job->pipeline + passes * served->step.total;
}

/* Share of its time that the replica reads prompts: those of a batch take less than the time its
 * requests hold it, so it is below 1. */
static double busy_share(const struct inference *inference, const struct served *served)
{
    const struct inference_job *job = &inference->job;
    const struct prefill *p = &inference->prefill;

    return served->batch * p->marginal / job->pipeline /
           (p->one + job->output_tokens * served->tpot);
}

bool inference_prompts_fill(const struct served *served)
{
    return !(served->waiting.busy < 1 - 1e-7);
}

/* Turns waited behind prompts that come at random: M/D/1, and never more than all the others. */
static double turns_queued(const struct served *served)
{
    double busy = served->waiting.busy, others = served->batch - 1;

    return inference_prompts_fill(served) ? others : fmin(busy / (2 * (1 - busy)), others);
}

/* Benchmark clients start together: the initial queueing delay, averaged over all requests. */
static double opening_seconds(const struct inference *inference, const struct served *served)
{
    const struct inference_constants *c = inference->constants;
    double each = served->waiting.turn + c->ttft_token_us * US * inference->job.input_tokens;

    if (inference->job.open_arrivals)
        return 0;
    return (served->batch - 1) / (2 * c->ttft_requests) * each;
}

double inference_host_seconds(const struct inference *inference)
{
    const struct inference_constants *c = inference->constants;
    const struct inference_job *job = &inference->job;

    if (job->separate_prefill)
        return 0;
    return US * (c->ttft_request_us + c->ttft_moe_layer_us[job->engine] * job->shape.moe_layers);
}

static double ttft_together(const struct inference *inference, struct served *served)
{
    const struct inference_constants *c = inference->constants;
    struct waiting *w = &served->waiting;

    w->host = inference_host_seconds(inference);
    w->running = c->ttft_steps * served->step.total * (1 - 1 / served->batch);
    w->turn = turn_seconds(inference, served);
    w->busy = busy_share(inference, served);
    w->turns = turns_queued(served);
    w->opening = opening_seconds(inference, served);
    return w->host + inference->prefill.one + w->running + w->turns * w->turn + w->opening;
}

double inference_interference_share(const struct inference *inference)
{
    return inference->job.engine == ENGINE_SGLANG ? inference->constants->interference_sglang : 1;
}

/* What a request takes of the replica's time: its prompt, which writes the first token where it is
 * read here, and its share of steps. */
static double work_seconds(const struct inference *inference, const struct step *step, double batch)
{
    const struct inference_job *job = &inference->job;
    double prompt = job->separate_prefill ? 0 : inference->prefill.marginal / job->pipeline;
    double steps = job->output_tokens - (prompt > 0 ? 1 : 0);

    return prompt + steps / batch * per_token(inference, step);
}

/* No more requests are answered than prompts and tokens are worked out: of n in flight each takes
 * at least as long as the work of n (Denning and Buzen, asymptotic bound of a closed system). Where
 * answers are short, prompts are all the work. */
static double saturated(const struct inference *inference, const struct served *served)
{
    const struct inference_job *job = &inference->job;
    double work = work_seconds(inference, &served->step, served->batch);

    return fmax(0, served->concurrency * work -
                       (served->ttft + (job->output_tokens - 1) * served->tpot));
}

/* Stages work in parallel on a share of the batch each; a prompt takes a stage 1/pp of its time. */
static void serve_continuous(const struct inference *inference, struct served *served)
{
    const struct inference_job *job = &inference->job;
    double held = inference->pool.requests, stages = job->pipeline;
    double concurrency = served->concurrency, share = inference_interference_share(inference);
    double others = 0;

    served->batch = fmax(1, fmin(concurrency, held));
    served->step =
        inference_step(inference, fmax(1, served->batch / stages), inference_context(job));
    if (!job->separate_prefill)
        others = (served->batch - 1) * inference->prefill.marginal / stages;
    served->interference = share * others / job->output_tokens;
    served->pause = (1 - share) * others;
    served->tpot = per_token(inference, &served->step) + served->interference;
    served->ttft =
        job->separate_prefill ? ttft_of_pools(inference, served) : ttft_together(inference, served);
    served->ttft += served->pause;
    if (concurrency > held) /* the rest wait for a place in the cache */
        served->ttft += (concurrency / held - 1) * job->output_tokens * served->tpot;
    served->ttft *= inference->constants->first_token;
    served->waiting.saturated = saturated(inference, served);
    served->ttft += served->waiting.saturated;
}

struct served inference_serve(const struct inference *inference, double concurrency)
{
    const struct inference_job *job = &inference->job;
    struct served served = {.concurrency = concurrency};

    if (job->static_batching)
        serve_static(inference, &served);
    else
        serve_continuous(inference, &served);
    served.request_seconds = served.ttft + (job->output_tokens - 1) * served.tpot;
    /* A batch that starts and ends together leaves out what has no room; else that waits, and its
     * wait is in the seconds. */
    double answered =
        job->static_batching ? fmin(served.concurrency, served.batch) : served.concurrency;
    served.output_tokens_per_second = answered * job->output_tokens / served.request_seconds;
    return served;
}

double inference_admitted(const struct inference *inference)
{
    return inference->constants->b_max * inference->job.attention_data;
}

double inference_offline(const struct inference *inference, double *batch)
{
    const struct inference_job *job = &inference->job;
    double b = fmax(1, fmin(inference->pool.requests, inference_admitted(inference)));
    double share = fmax(1, b / job->pipeline);
    struct step step = inference_step(inference, share, inference_context(job));

    *batch = b;
    return job->output_tokens / work_seconds(inference, &step, b);
}
