#include "estimate/measurement/correction.h"

#include "base/number.h"
#include "catalog/constants.h"

#include <math.h>
#include <string.h>

#define RANGE_TREND 0.5, 2

#define MEMBER(member, key, scope, ...) \
    CONSTANT(struct correction_constants, member, key, scope, __VA_ARGS__)

/* Each figure has its own scope; the oldest are "" and "inference_". */
/* NOLINTBEGIN(bugprone-macro-parentheses): the path of a member takes none */
#define CARRIED(of, strength_scope, prefix)                                        \
    MEMBER(of.strength, "correction_strength", strength_scope, RANGE_SHARE),       \
        MEMBER(of.per_batch, "correction_fade", prefix "batch", RANGE_EXPONENT),   \
        MEMBER(of.per_length, "correction_fade", prefix "length", RANGE_EXPONENT), \
        MEMBER(of.per_gpus, "correction_fade", prefix "gpu_count", RANGE_EXPONENT)
/* NOLINTEND(bugprone-macro-parentheses) */
#define TREND(engine, scope)                                                          \
    MEMBER(trend[engine].batch, "correction_trend", scope "_batch", RANGE_TREND),     \
        MEMBER(trend[engine].input, "correction_trend", scope "_input", RANGE_TREND), \
        MEMBER(trend[engine].output, "correction_trend", scope "_output", RANGE_TREND)
#define SPREAD(member, scope) MEMBER(member, "correction_spread", scope, RANGE_EXPONENT)

static const struct constant rows[] = {
    CARRIED(training, "", ""),
    SPREAD(training.load, "load"),
    SPREAD(training.part[1], "memory"),
    SPREAD(training.part[2], "communication"),
    SPREAD(training.part[3], "bubble"),
    CARRIED(token, "inference", "inference_"),
    MEMBER(token.caution, "correction_fade", "inference_far", RANGE_EXPONENT),
    SPREAD(token.load, "inference_load"),
    SPREAD(token.part[0], "inference_weights"),
    SPREAD(token.part[1], "inference_requests"),
    SPREAD(token.part[2], "inference_communication"),
    SPREAD(token.part[3], "inference_host"),
    SPREAD(token.part[4], "inference_prompts"),
    TREND(ENGINE_VLLM, "vllm"),
    TREND(ENGINE_TENSORRT_LLM, "tensorrt_llm"),
    TREND(ENGINE_SGLANG, "sglang"),
    CARRIED(first, "first_token", "first_token_"),
    MEMBER(interval, "correction_interval_share", "", RANGE_PART),
    MEMBER(interval_first, "correction_interval_share", "first_token", RANGE_PART),
    MEMBER(far_token, "far_interval_exponent", "inference", RANGE_ABOVE),
    MEMBER(memory.strength, "correction_strength", "training_memory", RANGE_SHARE),
    MEMBER(memory.per_length, "correction_fade", "training_memory_length", RANGE_EXPONENT),
    MEMBER(memory.load, "correction_spread", "training_memory", RANGE_EXPONENT),
};

/* 95 % of a normal distribution lies within as many standard deviations. */
static const double NORMAL_95 = 1.960;

void correction_constants_memoize(struct catalog *catalog)
{
    constants_memoize(catalog, rows, sizeof(rows) / sizeof(rows[0]),
                      sizeof(struct correction_constants));
}

bool correction_constants_fill(const struct catalog *catalog,
                               struct correction_constants *constants, struct err *err)
{
    *constants = (struct correction_constants){.interval = 0};
    if (!constants_fill(catalog, rows, sizeof(rows) / sizeof(rows[0]), constants, err))
        return false;
    constants->first.load = 1; /* single parts are not modelled, so any value gives the same */
    constants->memory_most = NORMAL_95 * constants->memory.load;
    return true;
}

/* The log by which an engine's trend changes measured over estimated from the load of a run to
 * that of the question. A factor of 0 is that of an engine without a trend. */
static double trend_between(const struct correction_trend *trend,
                            const struct nearest_features *run,
                            const struct nearest_features *asked)
{
    return trend->batch > 0 ? log(trend->batch) * (double)(asked->batch - run->batch) +
                                  log(trend->input) * (double)(asked->input - run->input) +
                                  log(trend->output) * (double)(asked->output - run->output)
                            : 0;
}

static const struct correction_trend no_trend = {0};

/* Runs of another model, GPU, software, format or method are ignored: residuals of published runs
 * did not carry over between those. */
static void add(struct carry *carry, const struct correction_trend *trend,
                const struct nearest_features *features, const struct carry_parts *parts,
                double measured, double estimated)
{
    const struct nearest_features *asked = &carry->asked.features;

    if (measured > 0 && estimated > 0 && nearest_is_same(asked, features))
        carry_add(carry, &(struct carry_run){*features, *parts,
                                             log(measured / estimated) +
                                                 trend_between(trend, features, asked)});
}

static struct correction correction_by(double interval_share, const struct carry *carry)
{
    struct carried carried = carry_over(carry);

    return (struct correction){exp(carried.residual), 1 - interval_share * carried.share,
                               (double)carry->seen};
}

static struct correction_next next_of(double interval_share, struct carry *carry)
{
    struct carried carried = carry_over(carry);
    struct carry_run more = carry->asked;

    more.residual = carried.residual; /* as expected, whatever it will be */
    carry_add(carry, &more);
    return (struct correction_next){1 - interval_share * carried.share,
                                    1 - interval_share * carry_over(carry).share};
}

static struct carry steps_of(const struct correction_runs *all, const struct training_job *job,
                             const struct training_plan *plan)
{
    struct carry carry = {
        .constants = &all->constants.training,
        .asked = {nearest_of_training(job, &plan->on), carry_parts_of_step(&plan->step), 0}};

    for (size_t i = 0; i < all->n; i++)
        add(&carry, &no_trend, &all->at[i].features, &all->at[i].parts, all->at[i].measured,
            all->at[i].estimated);
    return carry;
}

struct correction_next correction_next_step(const struct correction_runs *runs,
                                            const struct training_job *job,
                                            const struct training_plan *plan)
{
    struct carry carry = steps_of(runs, job, plan);

    return next_of(runs->constants.interval, &carry);
}

struct training_correction correction_of_training(const void *runs, const struct training_job *job,
                                                  const struct training_plan *plan)
{
    const struct correction_runs *all = runs;
    struct carry carry = steps_of(all, job, plan);
    struct correction correction = correction_by(all->constants.interval, &carry);
    return (struct training_correction){correction.factor, correction.interval_exponent,
                                        correction.runs};
}

struct correction_memory correction_of_memory(const struct correction_runs *runs,
                                              const struct training_job *job)
{
    struct training_strategy any = {.gpu_count = 1, .batch_sequences = 1};
    const struct carry_parts whole = {{1}};
    struct carry carry = {.constants = &runs->constants.memory,
                          .asked = {nearest_of_training(job, &any), whole, 0}};
    struct correction_memory memory = {0};

    for (size_t i = 0; i < runs->n; i++) {
        const struct correction_run *run = &runs->at[i];
        double error = log(run->memory / run->memory_estimated);
        if (!nearest_is_same(&carry.asked.features, &run->features) || isnan(error))
            continue;
        if (fabs(error) <= runs->constants.memory_most) {
            carry_add(&carry, &(struct carry_run){run->features, whole, error});
            continue;
        }
        memory.passed_over++;
        memory.farthest = exp(error);
    }
    memory.excess = expm1(carry_over(&carry).residual);
    memory.runs = (double)carry.seen;
    return memory;
}

static double mean_or_zero(double sum, double n)
{
    return n > 0 ? sum / n : 0;
}

struct memory_seen correction_of_engine_memory(const struct correction_served_runs *runs,
                                               const struct nearest_features *asked)
{
    struct memory_seen sum = {0}, n = {0};

    for (size_t i = 0; i < runs->n; i++) {
        const struct memory_seen *seen = &runs->at[i].seen;
        if (!nearest_is_same(asked, &runs->at[i].features))
            continue;
        sum.weights += number_or(seen->weights, 0);
        sum.cache += number_or(seen->cache, 0);
        n.weights += !isnan(seen->weights);
        n.cache += !isnan(seen->cache);
    }
    return (struct memory_seen){mean_or_zero(sum.weights, n.weights),
                                mean_or_zero(sum.cache, n.cache)};
}

/* The factor of the first token applies on top of the clock's. */
static const struct inference_constants *corrected(const struct inference_constants *plain,
                                                   const struct correction *token,
                                                   const struct correction *first,
                                                   struct arena *arena)
{
    struct inference_constants *constants = arena_alloc(arena, sizeof(*constants));

    *constants = *plain;
    inference_constants_slow(constants, token->factor);
    if (first->runs > 0)
        constants->first_token = first->factor / token->factor;
    inference_constants_widen(constants, token->interval_exponent, first->interval_exponent);
    return constants;
}

/* The question in the form of a run: clients that keep a number of requests in flight. */
static struct carry_run asked_of(const struct inference_constants *plain,
                                 const struct inference_job *job, double in_flight)
{
    struct inference_job closed = *job;

    closed.open_arrivals = false;
    struct inference inference = inference_of(plain, &closed);
    struct served served = inference_serve(&inference, in_flight);
    return (struct carry_run){nearest_of_inference(job, in_flight), carry_parts_of_serving(&served),
                              0};
}

static void add_tokens(struct carry *each, const struct correction_served_runs *all,
                       enum engine engine)
{
    for (size_t i = 0; i < all->n; i++) {
        const struct correction_served *run = &all->at[i];
        add(each, &all->constants.trend[engine], &run->features, &run->parts, run->token,
            run->token_estimated);
    }
}

struct correction_next correction_next_token(const struct correction_served_runs *runs,
                                             const struct inference_constants *plain,
                                             const struct inference_job *job, double in_flight)
{
    struct carry each = {.constants = &runs->constants.token,
                         .asked = asked_of(plain, job, in_flight)};

    add_tokens(&each, runs, job->engine);
    return next_of(runs->constants.interval, &each);
}

const struct inference_constants *correction_of_serving(const void *runs,
                                                        const struct inference_constants *plain,
                                                        const struct inference_job *job,
                                                        double in_flight, struct arena *arena,
                                                        struct serving_correction *correction)
{
    const struct correction_served_runs *all = runs;
    const struct correction_constants *c = &all->constants;
    struct carry_run asked = asked_of(plain, job, in_flight);
    struct carry each = {.constants = &c->token, .asked = asked},
                 opening = {.constants = &c->first, .asked = asked};

    add_tokens(&each, all, job->engine);
    for (size_t i = 0; i < all->n; i++) {
        const struct correction_served *run = &all->at[i];
        add(&opening, &no_trend, &run->features, &run->parts, run->first, run->first_estimated);
    }
    struct correction token = correction_by(c->interval, &each),
                      first = correction_by(c->interval_first, &opening);
    if (!(token.runs + first.runs > 0))
        return NULL;
    const struct inference_constants *constants = corrected(plain, &token, &first, arena);
    *correction =
        (struct serving_correction){fmax(token.runs, first.runs), constants->clock,
                                    constants->clock * constants->first_token, !(token.runs > 0)};
    return constants;
}
