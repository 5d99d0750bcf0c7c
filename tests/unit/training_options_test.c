/* Ranked options: complete, each the fastest of its kind, in order, with the frontier and the
 * reasons of what is left out; and the questions the other way round, asked forward again. */
#include "estimate/training/plan/options.h"

#include "fixture.h"
#include "tap.h"
#include "training_fixture.h"

#include <stdlib.h>

static struct catalog *catalog;
static struct training_constants constants;
static const double unknown = (double)NAN;

static struct training_job job_of(const char *model, const char *gpu)
{
    const struct model *record = catalog_model(catalog, model);
    const struct gpu *card = catalog_gpu(catalog, gpu);

    fixture_need(record && card, &(struct err){.text = "a name is not in the seed"});
    struct model_shape shape = model_shape_of(record);
    struct training_job job = fixture_job(&constants, card, &shape);
    training_complete(&job, unknown);
    return job;
}

static struct training_goal goal_of(double tokens, double deadline_days, double budget)
{
    return (struct training_goal){.tokens = tokens,
                                  .goodput = 0.95,
                                  .model_flops_utilization = unknown,
                                  .deadline_days = deadline_days,
                                  .budget = budget,
                                  .price_per_gpu_hour = unknown};
}

/* Five kinds: two good ones, one without a price, one too small for any number tried to hold the
 * model, one without the arithmetic. */
enum { A100, H100, B200, T4, P100, KINDS };
static struct training_job jobs[KINDS];
static struct training_goal prices[KINDS];
static struct training_candidate kinds[KINDS];
static struct training_strategy open_pins;

static struct training_options_ask ask_for(double deadline_days, double budget)
{
    return (struct training_options_ask){.candidates = kinds,
                                         .n_candidates = KINDS,
                                         .pinned = &open_pins,
                                         .gpu_count_max = 64,
                                         .goal = goal_of(1e11, deadline_days, budget),
                                         .rank = TRAINING_RANK_COST};
}

static void set_kinds(void)
{
    static const char *const slugs[KINDS] = {"a100-sxm4-80gb", "h100-sxm5-80gb", "b200-sxm", "t4",
                                             "p100-pcie-16gb"};
    static const double per_gpu_hour[KINDS] = {0.8, 2.5, (double)NAN, 0.4, 0.3};

    open_pins = training_strategy_free();
    for (int i = 0; i < KINDS; i++) {
        jobs[i] = job_of("llama-2-70b", slugs[i]);
        prices[i] = (struct training_goal){.price_per_gpu_hour = per_gpu_hour[i]};
        kinds[i] = (struct training_candidate){&jobs[i], &prices[i]};
    }
    jobs[T4].precision = TRAINING_FP16;
}

static void counts(void)
{
    double at[TRAINING_COUNTS_MAX], most = 0;
    struct training_job job = jobs[A100];
    job.gpus_per_node = 8;
    size_t n = training_counts(&job, TRAINING_GPUS_MAX, at);
    bool powers = true, nodes = at[3] == 8 && at[18] == 128;

    for (size_t i = 4; i < n; i++) {
        nodes &= fmod(at[i], 8) == 0;
        most = fmax(most, at[i] / at[i - 1]);
    }
    for (double power = 1; power <= TRAINING_GPUS_MAX; power *= 2) {
        bool there = false;
        for (size_t i = 0; i < n; i++)
            there |= at[i] == power;
        powers &= there;
    }
    ok(at[0] == 1 && at[1] == 2 && at[2] == 4 && nodes, "parts of a node, then every node to 16");
    ok(powers, "every power of two is among the %zu sizes", n);
    ok(most == 2, "the second node is the largest step");
    ok(n == 99 && at[19] == 144 && at[27] == 288, "then eighths of a power of two");
    job.gpus_per_node = 72;
    n = training_counts(&job, 200, at);
    ok(n == 9 && at[6] == 64 && at[7] == 72 && at[8] == 144, "a node of 72: up to 64, 72, 144");
    job.gpu = catalog_gpu(catalog, "tpu-v6e");
    job.gpus_per_node = 8;
    n = training_counts(&job, 300, at);
    ok(n == 8 && at[1] == 4 && at[2] == 8 && at[3] == 16 && at[7] == 256, "slices of TPUs");
}

/* Each option equals what a search on its own finds, and there is one per size that fits. */
static void complete(void)
{
    struct training_options_ask ask = ask_for(unknown, unknown);
    struct training_option_list list;
    struct arena arena = {0};
    size_t n = 0, considered = 0;
    bool same = true;

    fixture_options(&ask, &arena, &list);
    for (size_t i = 0; i < KINDS - 1; i++) {
        double at[TRAINING_COUNTS_MAX];
        size_t n_counts = training_counts(&jobs[i], 64, at);
        for (size_t j = 0; j < n_counts; j++) {
            struct training_strategy pinned = open_pins;
            struct training_plan plan;
            pinned.gpu_count = at[j];
            if (fixture_search_within_batch(&jobs[i], &pinned, &plan))
                considered += plan.n_considered;
            if (!plan.fits)
                continue;
            n++;
            for (size_t k = 0; k < list.n; k++)
                if (list.at[k].candidate == i && list.at[k].plan.on.gpu_count == at[j])
                    same &= fabs(list.at[k].plan.step.seconds / list.at[k].plan.on.batch_sequences /
                                     (plan.step.seconds / plan.on.batch_sequences) -
                                 1) < 1e-8;
        }
    }
    ok(list.n == n && n > 15, "%zu options, as many as sizes on which something fits", list.n);
    ok(same, "each is the fastest of its size");
    ok(list.n_considered == considered && list.n_weighed < considered / 10,
       "%zu strategies considered, %zu weighed", list.n_considered, list.n_weighed);
    arena_free(&arena);
}

static double fewest_hours(const struct training_option_list *list, size_t candidate)
{
    double least = (double)INFINITY;

    for (size_t i = 0; i < list->n; i++)
        if (list->at[i].candidate == candidate)
            least = fmin(least, list->at[i].totals.gpu_hours);
    return least;
}

/* With an efficiency floor the search stops early on wasteful numbers of GPUs; what is left is what
 * a search of all of them would have left. */
static void efficient(void)
{
    static const double floors[] = {0.5, 0.9, 0.99};
    struct training_options_ask ask = ask_for(unknown, unknown);
    struct training_option_list all, some;
    struct arena arena = {0};

    ask.gpu_count_max = 16384;
    fixture_options(&ask, &arena, &all);
    for (size_t f = 0; f < sizeof(floors) / sizeof(*floors); f++) {
        size_t n = 0;
        bool same = true;

        ask.efficiency_floor = floors[f];
        fixture_options(&ask, &arena, &some);
        for (size_t i = 0; i < all.n; i++) {
            const struct training_option *option = &all.at[i];
            if (option->totals.gpu_hours * floors[f] > fewest_hours(&all, option->candidate))
                continue;
            same &= n < some.n && some.at[n].plan.on.gpu_count == option->plan.on.gpu_count &&
                    some.at[n].totals.gpu_hours == option->totals.gpu_hours;
            n++;
        }
        ok(same && n == some.n && n < all.n, "floor %.2f: %zu of %zu options", floors[f], n, all.n);
    }
    arena_free(&arena);
}

static void ruled_out(void)
{
    struct training_options_ask ask = ask_for(unknown, unknown);
    struct training_option_list list;
    struct training_strategy three = open_pins;
    struct training_job powerless = jobs[A100];
    struct training_candidate unknown_power = {&powerless, &prices[A100]};
    struct arena arena = {0};

    fixture_options(&ask, &arena, &list);
    ok(list.ruled_out[A100] == TRAINING_RULED_IN && list.ruled_out[H100] == TRAINING_RULED_IN,
       "two kinds will do");
    ok(list.ruled_out[T4] == TRAINING_RULED_OUT_MEMORY, "1.2 TB do not fit 64 x 16 GB");
    ok(list.ruled_out[P100] == TRAINING_RULED_OUT_PRECISION, "a P100 has no bf16");
    three.tensor = 3;
    ask.pinned = &three;
    fixture_options(&ask, &arena, &list);
    ok(list.n == 0 && list.ruled_out[A100] == TRAINING_RULED_OUT_STRATEGY,
       "64 heads are not divided by three");
    powerless.power = unknown;
    ask = ask_for(unknown, unknown);
    ask.candidates = &unknown_power;
    ask.n_candidates = 1;
    fixture_options(&ask, &arena, &list);
    ok(list.n > 0 && list.ruled_out[0] == TRAINING_RULED_IN, "an unknown power stops no estimate");
    arena_free(&arena);
}

/* Whether `a` may stand before `b`. */
static bool in_order(double late_a, double late_b, double a, double b)
{
    if ((late_a < 1) != (late_b < 1))
        return late_b < 1;
    return isnan(b) || a <= b;
}

/* By the deadline, then the budget, then the cost. */
static bool by_cost(const struct training_option *a, const struct training_option *b)
{
    if ((a->meets_deadline < 1) != (b->meets_deadline < 1))
        return b->meets_deadline < 1;
    return in_order(a->within_budget, b->within_budget, a->cost, b->cost);
}

static void ranked(void)
{
    struct training_options_ask ask = ask_for(60, 60000);
    struct training_option_list list;
    struct arena arena = {0};
    size_t late = 0, dear = 0, unpriced = 0;
    bool order = true;

    fixture_options(&ask, &arena, &list);
    for (size_t i = 0; i < list.n; i++) {
        const struct training_option *a = &list.at[i];
        late += a->meets_deadline < 1;
        dear += a->within_budget < 1;
        unpriced += isnan(a->cost) && isnan(a->within_budget);
        if (i > 0)
            order &= by_cost(a - 1, a);
        order &= (a->meets_deadline == 1) == (a->totals.days <= 60);
    }
    ok(order && late > 0 && late < list.n, "by cost, the %zu that are late last", late);
    ok(dear > 0 && dear < list.n, "%zu are not within the budget", dear);
    ok(unpriced > 0, "of %zu no price is known: neither within the budget nor not", unpriced);
    ask.rank = TRAINING_RANK_TIME;
    fixture_options(&ask, &arena, &list);
    order = true;
    for (size_t i = 1; i < list.n; i++)
        order &= in_order(list.at[i - 1].within_budget, list.at[i].within_budget,
                          list.at[i - 1].totals.days, list.at[i].totals.days);
    ok(order, "by time, those over the budget last");
    ask.goal.deadline_days = 0.01;
    fixture_options(&ask, &arena, &list);
    ok(list.n > 0 && list.ruled_out[H100] == TRAINING_RULED_OUT_DEADLINE,
       "none meets a quarter of an hour; they are listed all the same");
    ask.goal.deadline_days = unknown;
    ask.goal.budget = 1;
    fixture_options(&ask, &arena, &list);
    ok(list.ruled_out[H100] == TRAINING_RULED_OUT_BUDGET &&
           list.ruled_out[B200] == TRAINING_RULED_IN,
       "nothing is had for a dollar, as far as prices are known");
    arena_free(&arena);
}

static bool beats(const struct training_option *a, const struct training_option *b)
{
    return a->cost <= b->cost && a->totals.days <= b->totals.days &&
           (a->cost < b->cost || a->totals.days < b->totals.days);
}

static void frontier(void)
{
    struct training_options_ask ask = ask_for(unknown, unknown);
    struct training_option_list list;
    struct arena arena = {0};
    size_t on = 0;
    bool right = true;

    fixture_options(&ask, &arena, &list);
    for (size_t i = 0; i < list.n; i++) {
        bool beaten = isnan(list.at[i].cost);
        for (size_t j = 0; j < list.n; j++)
            beaten |= beats(&list.at[j], &list.at[i]);
        right &= list.at[i].on_frontier == !beaten;
        on += list.at[i].on_frontier;
    }
    ok(right && on >= 2, "the %zu of %zu that none beats are the frontier", on, list.n);
    ok(list.at[0].on_frontier, "the cheapest is on it");
    arena_free(&arena);
}

/* Candidate by candidate gives what all at once do. */
static void in_parts(void)
{
    struct training_options_ask ask = ask_for(60, unknown);
    struct training_option_list whole, list;
    struct training_options_part parts[KINDS];
    struct arena arena = {0}, others[KINDS] = {{0}};
    bool same = true;

    fixture_options(&ask, &arena, &whole);
    for (size_t i = KINDS; i-- > 0;)
        training_options_of(&ask, i, &others[i], &parts[i]);
    training_options_rank(&ask, parts, &arena, &list);
    for (size_t i = 0; i < KINDS; i++)
        arena_free(&others[i]);
    for (size_t i = 0; i < list.n && i < whole.n; i++)
        same &= list.at[i].candidate == whole.at[i].candidate &&
                list.at[i].plan.on.gpu_count == whole.at[i].plan.on.gpu_count &&
                list.at[i].on_frontier == whole.at[i].on_frontier;
    ok(list.n == whole.n && same && list.n_weighed == whole.n_weighed, "the same %zu options",
       list.n);
    arena_free(&arena);
}

/* Where the number is given there is one option of each kind. */
static void one_count(void)
{
    struct training_options_ask ask = ask_for(unknown, unknown);
    struct training_strategy pinned = open_pins;
    struct training_option_list list;
    struct arena arena = {0};

    pinned.gpu_count = 40;
    ask.pinned = &pinned;
    fixture_options(&ask, &arena, &list);
    ok(list.n == 3 && list.at[0].plan.on.gpu_count == 40, "40 GPUs: three kinds hold the model");
    arena_free(&arena);
}

static struct training_plan plan_on(const struct training_job *job, double gpu_count)
{
    struct training_strategy pinned = training_strategy_free();
    struct training_plan plan;

    pinned.gpu_count = gpu_count;
    fixture_need(training_search(job, &pinned, &plan), &(struct err){.text = "no strategy"});
    return plan;
}

static void most_tokens(void)
{
    struct training_plan plan = plan_on(&jobs[H100], 64);
    struct training_goal goal = goal_of(unknown, 20, unknown);
    double step = plan.on.batch_sequences * jobs[H100].sequence_tokens;

    for (int i = 0; i < 3; i++) {
        goal.budget = i > 0 ? 50000 : unknown;
        goal.deadline_days = i < 2 ? 20 : unknown;
        goal.price_per_gpu_hour = 2.5;
        goal.tokens = training_most_tokens(&jobs[H100], &plan, &goal);
        struct training_totals totals = training_totals(&jobs[H100], &plan, &goal);
        ok(!(totals.days > 20 * (1 + 1e-9) && i < 2) &&
               !(totals.gpu_hours * 2.5 > 50000 * (1 + 1e-9) && i > 0),
           "%.4g tokens take %.4g days and %.0f USD", goal.tokens, totals.days,
           totals.gpu_hours * 2.5);
        ok(fmod(goal.tokens, step) == 0, "in whole steps");
        goal.tokens *= 1.01;
        totals = training_totals(&jobs[H100], &plan, &goal);
        ok((i < 2 && totals.days > 20) || (i > 0 && totals.gpu_hours * 2.5 > 50000),
           "1 %% more is too much");
    }
    plan.fits = false;
    ok(training_most_tokens(&jobs[H100], &plan, &goal) == 0, "none where the model does not fit");
}

/* A candidate's job with a typical model of that size. */
static struct training_job typical_job(const struct training_job *job, double parameters)
{
    struct training_job typical = *job;
    struct model model;

    model_shape_typical(parameters, &model);
    typical.shape = model_shape_of(&model);
    return typical;
}

/* Whether any number of GPUs trains a model of that size in time and within the budget. */
static bool trains(const struct training_candidate *kind, const struct training_strategy *pinned,
                   double parameters, struct training_goal goal)
{
    struct training_job job = typical_job(kind->job, parameters);
    struct training_candidate one = {&job, kind->goal};
    struct training_options_ask ask = {&one, 1, pinned, 256, goal, TRAINING_RANK_COST, 0, false};
    struct training_option_list list;
    struct arena arena = {0};
    bool found = false;

    fixture_options(&ask, &arena, &list);
    for (size_t i = 0; i < list.n; i++)
        found |= !(list.at[i].meets_deadline < 1) && !(list.at[i].within_budget < 1);
    arena_free(&arena);
    return found;
}

static void largest(void)
{
    static const struct {
        double tokens, deadline_days, budget;
    } rows[] = {{(double)NAN, 30, (double)NAN},
                {(double)NAN, (double)NAN, 100000},
                {(double)NAN, 30, 20000},
                {2e11, 60, 50000}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct training_goal goal = goal_of(rows[i].tokens, rows[i].deadline_days, rows[i].budget);
        struct training_largest found;
        training_largest_model(&kinds[H100], &open_pins, &goal, TRAINING_TOKENS_PER_PARAMETER, 256,
                               &found);
        bool chinchilla = isnan(goal.tokens);
        goal.tokens = chinchilla ? 20 * found.parameters : goal.tokens;
        ok(found.parameters > 1e9 && found.tokens == goal.tokens, "%.4g parameters, %.4g tokens",
           found.parameters, found.tokens);
        ok(trains(&kinds[H100], &open_pins, found.parameters, goal), "which can be trained");
        ok(!(found.totals.days > goal.deadline_days) && !(found.cost > goal.budget),
           "by the plan shown, in %.3g days for %.0f USD", found.totals.days, found.cost);
        if (chinchilla)
            goal.tokens *= 1.01;
        ok(!trains(&kinds[H100], &open_pins, 1.01 * found.parameters, goal), "1 %% more cannot");
    }
    struct training_goal none = goal_of(unknown, unknown, 1e-6);
    struct training_largest found;
    training_largest_model(&kinds[H100], &open_pins, &none, 20, 256, &found);
    ok(found.parameters == 0, "a millionth of a dollar trains nothing");
    none = goal_of(unknown, 10, 1e6);
    training_largest_model(&kinds[B200], &open_pins, &none, 20, 256, &found);
    ok(found.parameters == 0, "without a price no budget is met");
    struct training_strategy pinned = open_pins;
    pinned.gpu_count = 8;
    none = goal_of(unknown, 30, unknown);
    training_largest_model(&kinds[H100], &pinned, &none, 20, 256, &found);
    ok(found.parameters > 0 && found.plan.on.gpu_count == 8, "%.3g parameters on 8 GPUs in 30 days",
       found.parameters);
}

/* Shapes are whole layers and heads: past the first size that cannot be trained there may be
 * another that can. None within 10 % of the answer is. */
static void none_beyond(void)
{
    struct training_strategy pinned = open_pins;
    size_t wrong = 0, n = 0;

    for (pinned.gpu_count = 1; pinned.gpu_count <= 4; pinned.gpu_count *= 2)
        for (double days = 2; days < 100; days *= 1.3, n++) {
            struct training_goal goal = goal_of(unknown, days, unknown);
            struct training_largest found;
            training_largest_model(&kinds[H100], &pinned, &goal, 20, 256, &found);
            double parameters = found.parameters;
            for (int i = 0; i < 10; i++) {
                parameters *= 1.01;
                goal.tokens = 20 * parameters;
                wrong += trains(&kinds[H100], &pinned, parameters, goal);
            }
        }
    ok(wrong == 0, "of %zu largest models none is surpassed nearby", n);
}

int main(void)
{
    struct err err = {0};

    catalog = fixture_catalog();
    fixture_need(training_constants_fill(catalog, &constants, &err), &err);
    set_kinds();
    counts();
    complete();
    efficient();
    ruled_out();
    ranked();
    frontier();
    in_parts();
    one_count();
    most_tokens();
    largest();
    none_beyond();
    catalog_free(catalog);
    return tap_done();
}
