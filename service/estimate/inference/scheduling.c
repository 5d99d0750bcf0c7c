/* scheduling.c - a replica under load: with requests in flight, in static batches, or with
 * everything queued. */
#include "estimate/inference/scheduling.h"

#include "base/root.h"
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

/* Requests in flight that are decoded at once; the others wait. */
static double decoded_at_once(const struct inference *inference)
{
    double slots = inference->job.slots;

    return slots > 0 ? fmin(slots, inference->pool.requests) : inference->pool.requests;
}

/* Seconds that a request waits for a slot, or for room in the KV cache. */
static double wait_for_place(const struct inference *inference, const struct served *served)
{
    double over = served->concurrency / decoded_at_once(inference) - 1;

    return over > 0 ? over * inference->job.output_tokens * served->tpot : 0;
}

/* Steps that a prompt's passes take. */
static double prompt_passes(const struct inference *inference)
{
    const struct inference_job *job = &inference->job;

    return job->input_tokens * (1 - job->cached_ratio) / inference_step_tokens(inference);
}

/* Seconds that a prompt occupies the replica. */
static double prompt_seconds(const struct inference *inference, double batch)
{
    return inference->prefill.marginal / inference_stages_gained(inference, batch);
}

/* A prompt's turn: its prefill, and the decode step in the passes it takes part in. */
static double turn_seconds(const struct inference *inference, const struct served *served)
{
    return prompt_seconds(inference, served->batch) + prompt_passes(inference) * served->step.total;
}

/* Fraction of time spent on prefill: a batch's prompts take less time than its requests are in
 * flight, so it is below 1. */
static double busy_share(const struct inference *inference, const struct served *served)
{
    const struct inference_job *job = &inference->job;
    const struct prefill *p = &inference->prefill;

    return served->batch * prompt_seconds(inference, served->batch) /
           (p->one + job->output_tokens * served->tpot);
}

bool inference_prompts_fill(const struct served *served)
{
    return !(served->waiting.busy < 1 - 1e-7);
}

bool inference_prompts_follow(const struct inference_job *job)
{
    return job->in_step && job->engine != ENGINE_SGLANG;
}

bool inference_prompts_first(const struct inference_job *job)
{
    return job->in_step && job->engine == ENGINE_SGLANG && !job->separate_prefill;
}

/* Turns waited for under random arrivals: M/D/1, at most all the others. Prompts read before
 * anything is written count in the pause instead. */
static double turns_queued(const struct inference *inference, const struct served *served)
{
    const struct inference_job *job = &inference->job;
    double busy = served->waiting.busy, others = served->batch - 1, least = 0;
    double queued = inference_prompts_fill(served) ? others : busy / (2 * (1 - busy));

    if (inference_prompts_first(job))
        return 0;
    if (inference_prompts_follow(job))
        least = inference->constants->ttft_turns[job->engine];
    return fmin(fmax(least, queued), others);
}

/* Benchmark clients start together: the initial queueing delay, averaged over all requests. */
static double opening_seconds(const struct inference *inference, const struct served *served)
{
    const struct inference_constants *c = inference->constants;
    double each = served->waiting.turn + c->ttft_token_us * US * inference->job.input_tokens;

    return (served->batch - 1) / (2 * c->ttft_requests) * each;
}

/* SGLang's --scheduler-recv-interval polls for new requests only every nth step, to save host time;
 * its launch recipes for mixtures on GPUs with native FP4 use it. */
double inference_receive_interval(const struct inference *inference, double concurrency)
{
    const struct inference_constants *c = inference->constants;
    const struct inference_job *job = &inference->job;

    if (job->receive_interval > 0)
        return job->receive_interval;
    if (job->open_arrivals || job->separate_prefill || job->engine != ENGINE_SGLANG ||
        !job->shape.moe || !gpu_is_nvidia(job->gpu) || !isfinite(job->gpu->peak[PEAK_FP4]))
        return 1;
    return concurrency < c->receive_requests ? c->receive_few : c->receive_many;
}

/* Attention groups step together, and TensorRT-LLM's attention_dp_config with enable_balance reads
 * prompts only when each group has one, or after timeout_iters steps; its launch recipes use it. */
double inference_balance_interval(const struct inference *inference, double batch)
{
    const struct inference_job *job = &inference->job;
    double all_have_one = job->attention_data * job->output_tokens / batch;

    if (job->open_arrivals || job->separate_prefill || job->engine != ENGINE_TENSORRT_LLM ||
        job->attention_data <= 1)
        return 1;
    return fmax(1, fmin(inference->constants->balance_steps, all_have_one));
}

/* On average a request arrives midway between two polls; `pass` is the mean time of a step, with
 * the prompts read between polls. */
static double unseen_seconds(const struct inference *inference, const struct served *served,
                             double pass)
{
    double steps = fmax(inference_receive_interval(inference, served->concurrency),
                        inference_balance_interval(inference, served->batch)) -
                   1;

    return steps / 2 * pass * (1 - 1 / served->batch);
}

/* SGLang compiles the kernels that continue a prompt when a pass first splits one, which happens
 * once all clients' prompts exceed a pass: the first request of each client waits. */
static double compiling_seconds(const struct inference *inference, const struct served *served)
{
    const struct inference_constants *c = inference->constants;
    const struct inference_job *job = &inference->job;
    bool cut = served->batch * job->input_tokens > inference_pass_tokens(inference);

    if (!job->cold || !cut)
        return 0;
    return c->compile_seconds[job->weight_format == NUMBER_FP4 ? 0 : 1] / c->ttft_requests;
}

/* Fraction of time that readers are busy where as many prompts come as keep the requests in flight:
 * the root of arrivals x (rest + prompt x busy / (2 x (1 - busy))) = requests in flight. `idle` are
 * the seconds to a first token without the wait for a reader. */
static double reader_busy_with(const struct inference *inference, const struct served *served,
                               double idle)
{
    const struct inference_job *job = &inference->job;
    double later = inference->constants->first_token, prompt = later * inference->prefill.one;
    double rest = later * (idle + wait_for_place(inference, served)) +
                  (job->output_tokens - 1) * served->tpot;

    if (!(job->readers_each > 0))
        return inference->constants->prefill_utilization;
    double each = served->concurrency * inference_reader_seconds(inference) / job->readers_each;
    double b = rest + each, root = sqrt(fmax(0, b * b - 2 * (2 * rest - prompt) * each));
    return fmin(inference->constants->prefill_utilization, 2 * each / (b + root));
}

/* Prompts are read by GPUs of their own: an M/D/1 queue before them, then the cache travels. Unless
 * it is known how many read, they are as busy as they may be. */
static double ttft_of_pools(const struct inference *inference, double rate, struct served *served)
{
    const struct inference_job *job = &inference->job;
    struct waiting *w = &served->waiting;
    double prompt = inference->prefill.one;
    double cycle = prompt + (job->output_tokens - 1) * served->tpot;

    w->host = inference->reader.host;
    w->unseen = unseen_seconds(inference, served, served->step.total);
    double idle = w->host + prompt + communication_cache(inference, job->input_tokens) + w->unseen +
                  inference_handover_seconds(inference, served->step.total, 1 - 1 / served->batch);
    if (!job->open_arrivals && inference_knows_readers(job)) {
        inference_wait_for_readers(inference, idle, wait_for_place(inference, served), served);
        return idle + w->reading + w->opening;
    }
    w->busy = isnan(rate) ? reader_busy_with(inference, served, idle)
                          : inference_reader_busy(inference, rate);
    w->reading = prompt * w->busy / (2 * (1 - w->busy));
    if (!job->open_arrivals)
        w->opening =
            w->busy * cycle * (1 - 1 / served->batch) / (2 * inference->constants->ttft_requests);
    else if (inference_knows_readers(job))
        served->arrivals = w->busy * job->readers_each / inference_reader_seconds(inference);
    return idle + w->reading + w->opening;
}

static double ttft_together(const struct inference *inference, struct served *served)
{
    const struct inference_constants *c = inference->constants;
    struct waiting *w = &served->waiting;

    w->host = inference_host_seconds(inference);
    w->running = c->ttft_steps * served->step.total * (1 - 1 / served->batch);
    w->unseen = unseen_seconds(inference, served, served->step.total);
    w->turn = turn_seconds(inference, served);
    w->busy = busy_share(inference, served);
    w->turns = turns_queued(inference, served);
    w->opening = opening_seconds(inference, served);
    w->compiling = compiling_seconds(inference, served);
    return w->host + inference->prefill.one + w->running + w->unseen + w->turns * w->turn +
           w->opening + w->compiling;
}

double inference_prompts_together(const struct inference *inference, double batch)
{
    const struct inference_job *job = &inference->job;
    double tokens = job->input_tokens * (1 - job->cached_ratio);

    return fmin(batch, fmax(1, inference_pass_tokens(inference) / tokens));
}

/* Seconds of others' prefill that delay the tokens of an answer. If all prompts are read first,
 * those of one pass do not wait for one another. */
static double delay_of_tokens(const struct inference *inference, double batch, double prompt)
{
    double share = inference->constants->interference_sglang;

    if (!inference_prompts_first(&inference->job))
        return (batch - 1) * prompt;
    return share * (batch - inference_prompts_together(inference, batch)) * prompt;
}

/* A request's share of replica time: its prompt, which yields the first token if read here, and its
 * part of the steps. */
static double work_seconds(const struct inference *inference, const struct step *step, double batch)
{
    const struct inference_job *job = &inference->job;
    double prompt = job->separate_prefill ? 0 : prompt_seconds(inference, batch);
    double steps = job->output_tokens - (prompt > 0 ? 1 : 0);

    return prompt + steps / batch * per_token(inference, step);
}

/* TensorRT-LLM replays a CUDA graph only for passes without prompts
 * (nvidia.github.io/TensorRT-LLM/features/torch_compile_and_piecewise_cuda_graph.html); in other
 * passes it launches the kernels one by one, those of experts more slowly than they run. Each
 * completed request admits another, whose prompt is read in a pass of its own if there are enough
 * steps, else with as many as a pass holds. Attention groups read at the same time. */
double inference_eager_seconds(const struct inference *inference, double batch)
{
    const struct inference_job *job = &inference->job;
    double groups = job->attention_data, tokens = job->input_tokens * (1 - job->cached_ratio);
    double alone = fmin(1, groups * job->output_tokens / batch);
    double passes = fmax(tokens / inference_pass_tokens(inference), alone) / groups;

    if (job->engine != ENGINE_TENSORRT_LLM || job->built_engine || job->separate_prefill)
        return 0;
    return passes * job->shape.moe_layers / job->pipeline * inference->constants->o_eager_us * US;
}

double inference_offline(const struct inference *inference, double *batch)
{
    const struct inference_job *job = &inference->job;
    double b = inference_requests_full(inference);
    double share = fmax(1, b / job->pipeline);
    struct step step = inference_step(inference, share, inference_context(job));

    *batch = b;
    return job->output_tokens /
           (work_seconds(inference, &step, b) + inference_eager_seconds(inference, b));
}

/* A request takes at least this times the number in flight: its work, or its time with everything
 * queued if host launches add to it. */
static double least_seconds(const struct inference *inference, const struct step *step,
                            double batch)
{
    double work = work_seconds(inference, step, batch), queued;

    if (inference_eager_seconds(inference, batch) <= 0)
        return work;
    return fmax(work, inference->job.output_tokens / inference_offline(inference, &queued));
}

/* Throughput cannot exceed the work done on prompts and tokens: of n in flight each takes at least
 * as long as the work of n (Denning and Buzen, asymptotic bound of a closed system). With short
 * answers, prompts are all the work. */
static double saturated(const struct inference *inference, const struct served *served)
{
    const struct inference_job *job = &inference->job;
    double work = least_seconds(inference, &served->step, served->batch);

    if (job->separate_prefill && !job->open_arrivals && inference_knows_readers(job))
        work = fmax(work, inference_reader_seconds(inference) / job->readers_each);
    return fmax(0, served->concurrency * work -
                       (served->ttft + (job->output_tokens - 1) * served->tpot));
}

static void set_request(const struct inference *inference, struct served *served)
{
    const struct inference_job *job = &inference->job;
    double place = wait_for_place(inference, served);

    if (job->separate_prefill && !job->open_arrivals) /* prompts are read meanwhile */
        served->ttft = fmax(served->ttft, place);
    else
        served->ttft += place;
    served->ttft *= inference->constants->first_token;
    served->request_seconds = served->ttft + (inference->job.output_tokens - 1) * served->tpot;
}

/* Seconds of a pass that writes tokens, with the prompts that come meanwhile, at most a full pass
 * of them. */
static double mean_pass(const struct inference *inference, const struct raw_moments *prompt,
                        const struct served *served)
{
    double step = served->step.total;

    return fmin(step / (1 - served->waiting.busy), step + prompt->first / prompt_passes(inference));
}

/* Weights read and kernels launched for the tokens of others, in the pass that reads a prompt. */
static double shared_seconds(const struct inference *inference, const struct served *served)
{
    const struct step *step = &served->step;

    if (!inference_reads_while_writing(&inference->job))
        return 0;
    return (1 - 1 / served->batch) *
           fmin(inference->prefill.fixed, step->weights + step->launch + step->requests);
}

/* Seconds that the prompts of the largest pass add to a step of a replica with stages. */
static double held_up(const struct inference *inference, double rate, double step)
{
    bool waits = inference_stages_wait(&inference->job) && rate > 0;

    return waits ? inference_stages_round(inference, step, rate) - step : 0;
}

/* Random arrivals at `rate` per second: prefill comes before decode, so it delays all requests that
 * are being decoded. A request is delayed by the prompts queued at its first token and by those
 * that arrive during its decode, at most by one full pass per step. Prompts shorter than a pass are
 * read together with those they waited for. The closed form of serving/latency.c. */
static void serve_at_rate(const struct inference *inference, const struct raw_moments *prompt,
                          double rate, struct served *served)
{
    const struct inference_job *job = &inference->job;
    const struct inference_constants *c = inference->constants;
    struct waiting *w = &served->waiting;
    double passes = prompt_passes(inference), others = 1 - 1 / served->batch;
    double step = per_token(inference, &served->step), further = fmax(1, job->output_tokens - 1);

    served->arrivals = rate;
    w->busy = rate * prompt->first;
    w->held = held_up(inference, rate, served->step.total);
    w->turn = prompt->first + passes * served->step.total;
    w->turns = w->busy / (2 * (1 - w->busy)) * prompt->second / (prompt->first * prompt->first);
    w->found = w->busy * (prompt->first + others * (w->turn - prompt->first) +
                          fmin(1, passes * passes) * w->turns * w->turn);
    served->interference = fmin((w->busy * step + w->found / further) / (1 - w->busy),
                                prompt->first / passes * step / served->step.total);
    served->interference =
        fmax(served->interference, w->held / inference_tokens_per_step(&job->speculation));
    served->tpot = step + served->interference;
    w->running = c->ttft_steps * others * mean_pass(inference, prompt, served);
    w->unseen = unseen_seconds(inference, served, served->step.total * served->tpot / step);
    w->longer = prompt->first - inference->prefill.marginal / inference->prefill.stages;
    w->shared = shared_seconds(inference, served);
    served->ttft = w->host + inference->prefill.one + w->longer - w->shared + w->running +
                   w->unseen + w->turns * w->turn;
    set_request(inference, served);
}

/* By how much the number in flight by Little's law exceeds the assumed one; multiplied by the idle
 * fraction, so that it stays finite at full load. */
static double excess(const struct inference *inference, const struct raw_moments *prompt,
                     double rate, struct served *served)
{
    serve_at_rate(inference, prompt, rate, served);
    return (rate * served->request_seconds - served->concurrency) * (1 - served->waiting.busy);
}

/* Find the arrival rate that keeps `concurrency` in flight, up to the replica's throughput. */
static void serve_by_rate(const struct inference *inference, const struct raw_moments *prompt,
                          struct served *served)
{
    enum { STEPS = 60 };
    const double full = 1 - 1e-9, near = 1e-13;
    double n = served->concurrency;

    serve_at_rate(inference, prompt, 0, served);
    double high = fmin(n / served->request_seconds, full / prompt->first);
    high = fmin(high, 1 / least_seconds(inference, &served->step, served->batch));
    struct root root = {0, high, -n, excess(inference, prompt, high, served), 0};
    for (int i = 0; i < STEPS && root.at_high > 0 && root.high - root.low > near * root.high; i++) {
        double rate = root_guess(&root), over = excess(inference, prompt, rate, served);
        if (fabs(over) <= near * n)
            return;
        root_narrow(&root, rate, over);
    }
}

static void serve_together(const struct inference *inference, double rate, struct served *served)
{
    const struct inference_job *job = &inference->job;
    double prompt = 0;

    if (!job->separate_prefill)
        prompt = prompt_seconds(inference, served->batch);
    double delay = delay_of_tokens(inference, served->batch, prompt);
    served->interference = delay / job->output_tokens;
    served->pause = (served->batch - 1) * prompt - delay;
    served->tpot = per_token(inference, &served->step) + served->interference;
    served->ttft = job->separate_prefill ? ttft_of_pools(inference, rate, served)
                                         : ttft_together(inference, served);
    served->ttft += served->pause;
    set_request(inference, served);
}

bool inference_mixes_arrivals(const struct inference_job *job)
{
    return job->open_arrivals && !job->static_batching && !job->separate_prefill;
}

/* Stages work in parallel on a part of the batch each; a prompt occupies a stage for 1/pp of its
 * time. */
static void serve_continuous(const struct inference *inference, double rate, struct served *served)
{
    const struct inference_job *job = &inference->job;

    served->batch = fmax(1, fmin(served->concurrency, decoded_at_once(inference)));
    served->step =
        inference_step(inference, fmax(1, served->batch / job->pipeline), inference_context(job));
    if (inference_mixes_arrivals(job)) {
        struct raw_moments prompt = inference_prompt_moments(inference, inference->prefill.stages);
        served->waiting.host = inference_host_seconds(inference);
        if (isnan(rate))
            serve_by_rate(inference, &prompt, served);
        else
            serve_at_rate(inference, &prompt, rate, served);
    } else {
        serve_together(inference, rate, served);
    }
    served->waiting.saturated = saturated(inference, served);
    served->ttft += served->waiting.saturated;
}

/* `rate` of random arrivals; NAN: the rate that keeps `concurrency` in flight on average. */
static struct served serve(const struct inference *inference, double concurrency, double rate)
{
    const struct inference_job *job = &inference->job;
    struct served served = {.concurrency = concurrency};

    if (job->static_batching)
        serve_static(inference, &served);
    else
        serve_continuous(inference, rate, &served);
    served.request_seconds = served.ttft + (job->output_tokens - 1) * served.tpot;
    /* A static batch leaves out what does not fit; otherwise it waits, and the wait is included in
     * the seconds. */
    double answered =
        job->static_batching ? fmin(served.concurrency, served.batch) : served.concurrency;
    served.output_tokens_per_second = answered * job->output_tokens / served.request_seconds;
    return served;
}

struct served inference_serve(const struct inference *inference, double concurrency)
{
    return serve(inference, concurrency, (double)NAN);
}

struct served inference_serve_arrivals(const struct inference *inference, double concurrency,
                                       double rate)
{
    return serve(inference, concurrency, rate);
}
