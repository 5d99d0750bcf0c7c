/* options_search.c - finds options over all GPU types, ranks them, and gives reasons for the
 * excluded ones. */
#include "api/training/options.h"

#include "base/sort.h"

#include "api/training/plan_goodput.h"
#include "estimate/training/plan/bill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool training_options_will_do(const struct options_question *question,
                              const struct options_found *found)
{
    const struct training_plan_in *in = &question->in->plan;

    return (isnan(in->deadline_days) || found->meets_deadline == 1) &&
           (isnan(in->budget) || found->within_budget == 1);
}

static struct training_options_ask ask_of(const struct options_question *question)
{
    const char *rank = question->in->rank;

    return (struct training_options_ask){
        .candidates = question->candidates,
        .n_candidates = question->n_candidates,
        .pinned = &question->questions[0].pinned,
        .gpu_count_max = question->gpu_count_max,
        .named = question->in->plan.gpu != NULL,
        .goal = question->questions[0].goal,
        .rank = strcmp(rank, "time") == 0 ? TRAINING_RANK_TIME : TRAINING_RANK_COST,
    };
}

/* The goal of a candidate, with its own price. */
static struct training_goal goal_of(const struct options_question *question, size_t candidate)
{
    return question->questions[candidate].goal;
}

static void refuse(struct options_question *question, size_t candidate, const char *reason,
                   const char *sentence)
{
    options_refuse(&question->list, question->questions[candidate].gpu, reason, sentence);
}

/* Lower bound on the cost of a candidate's options. */
static void least_of(const struct options_question *question, size_t candidate, double *days,
                     double *cost)
{
    *days = *cost = (double)NAN;
    for (size_t i = 0; i < question->n_found; i++)
        if (question->found[i].candidate == candidate) {
            *days = fmin(*days, question->found[i].totals.days);
            *cost = fmin(*cost, question->found[i].cost);
        }
}

static const char *in_words(struct options_question *question, size_t candidate,
                            enum training_ruled_out why, const char **reason)
{
    struct arena *arena = question->context->arena;
    const struct training_plan_in *in = &question->in->plan;
    double days, cost;

    least_of(question, candidate, &days, &cost);
    switch (why) {
    case TRAINING_RULED_OUT_PRECISION:
        *reason = "precision";
        return "it does not support that precision";
    case TRAINING_RULED_OUT_FIGURES:
        *reason = "figures";
        return "its data sheet lacks a figure the estimate needs";
    case TRAINING_RULED_OUT_SOFTWARE:
        *reason = "software";
        return "AWS ended NxD Training, the software for it, with Neuron SDK 2.32; the one that "
               "came instead needs Trainium2";
    case TRAINING_RULED_OUT_STRATEGY:
        *reason = "strategy";
        return "no strategy is possible with the given settings and batch";
    case TRAINING_RULED_OUT_DEADLINE:
        *reason = "deadline";
        return arena_print(
            arena, "even the fastest setup takes %s days; the deadline is %.6g day%s",
            days < 999 ? arena_print(arena, "%.3g", days) : context_count(question->context, days),
            in->deadline_days, text_plural(in->deadline_days));
    case TRAINING_RULED_OUT_BUDGET:
        *reason = "budget";
        return arena_print(arena, "even the cheapest setup costs %s %s; the budget is %s",
                           context_count(question->context, cost),
                           question->context->answer.meta.currency,
                           context_count(question->context, in->budget));
    case TRAINING_RULED_OUT_POWER:
        *reason = "power";
        return options_power_words(&question->list, question->power_kw_least[candidate],
                                   in->power_budget_kw);
    default:
        *reason = "memory";
        return isnan(in->gpu_count)
                   ? arena_print(arena, "it does not fit on any number of GPUs up to %.0f",
                                 question->gpu_count_max)
                   : arena_print(arena, "it does not fit on %.0f GPUs", in->gpu_count);
    }
}

static void refuse_candidates(struct options_question *question,
                              const struct training_option_list *list)
{
    for (size_t i = 0; i < question->n_candidates; i++) {
        const char *reason = NULL, *sentence;
        if (list->ruled_out[i] == TRAINING_RULED_IN)
            continue;
        sentence = in_words(question, i, list->ruled_out[i], &reason);
        refuse(question, i, reason, sentence);
    }
}

static double parameters_of(const struct options_question *question, size_t candidate)
{
    return question->questions[candidate].model->params_total;
}

/* If goodput follows from failure rates it depends on the number of GPUs: the strategies found are
 * kept, but times and costs are computed again. */
static void adapt_goodput(struct training_question *plan, const struct training_goal *goal,
                          struct training_options_part *part)
{
    struct training_rental rental = {(double)NAN, 24};
    struct training_cost bill;
    bool in_time = false, paid = false;

    for (size_t i = 0; i < part->n; i++) {
        struct training_option *option = &part->at[i];
        training_question_set_goodput(plan, option->plan.on.gpu_count);
        struct training_goal own = *goal;
        own.goodput = plan->goal.goodput;
        own.price_per_gpu_hour = plan->goal.price_per_gpu_hour;
        own.book = plan->goal.book;
        own.billing = plan->goal.billing;
        own.extras = plan->goal.extras;
        own.residuals = plan->goal.residuals;
        option->totals = training_totals(&plan->job, &option->plan, &own);
        training_cost(&option->plan, &own, &option->totals, &rental, &bill);
        option->cost = bill.total_cost;
        option->idle = training_options_is_idle(&plan->job, &own, option->plan.on.gpu_count,
                                                option->totals.gpu_hours);
        option->meets_deadline = bill.meets_deadline;
        option->within_budget = bill.within_budget;
        in_time |= bill.meets_deadline != 0;
        paid |= bill.within_budget != 0;
    }
    if (part->n)
        part->ruled_out = !in_time ? TRAINING_RULED_OUT_DEADLINE
                          : !paid  ? TRAINING_RULED_OUT_BUDGET
                                   : TRAINING_RULED_IN;
}

/* Remove options that draw more than the power limit. */
static void limit_power(struct options_question *question, size_t candidate,
                        struct training_options_part *part)
{
    const struct training_question *plan = &question->questions[candidate];
    double least = (double)NAN;
    bool will_do = false;
    size_t n = 0;

    if (isnan(question->in->plan.power_budget_kw))
        return;
    for (size_t i = 0; i < part->n; i++) {
        const struct training_option option = part->at[i];
        double gpus = option.plan.on.gpu_count;
        bool would_do = !(option.meets_deadline < 1) && !(option.within_budget < 1);
        if (training_question_within_power(plan, gpus)) {
            will_do |= would_do;
            part->at[n++] = option;
        } else if (would_do)
            least = fmin(least, training_question_power_kw(plan, gpus));
    }
    part->n = n;
    question->power_kw_least[candidate] = least;
    if (part->ruled_out == TRAINING_RULED_IN && !will_do)
        part->ruled_out = TRAINING_RULED_OUT_POWER;
}

/* A search over all candidates, with one work item and one arena each. */
struct search {
    struct options_question *question;
    struct training_question *questions;
    struct training_options_ask ask;
    struct training_options_part *parts;
    struct arena *arenas;
};

static void search_piece(void *context, size_t i)
{
    struct search *search = context;

    training_question_chunk_loss(&search->questions[i]);
    training_options_of(&search->ask, i, &search->arenas[i], &search->parts[i]);
    if (training_question_computes_goodput(&search->questions[i]))
        adapt_goodput(&search->questions[i], &search->ask.goal, &search->parts[i]);
    limit_power(search->question, i, &search->parts[i]);
}

static void search_all(struct options_question *question, struct training_options_ask ask,
                       struct training_option_list *list)
{
    struct arena *arena = question->context->arena;
    size_t n = question->n_candidates;
    struct search search = {question, question->questions, ask,
                            arena_alloc(arena, n * sizeof(*search.parts)),
                            arena_alloc(arena, n * sizeof(*search.arenas))};

    question->power_kw_least = arena_alloc(arena, (n + 1) * sizeof(*question->power_kw_least));

    parallel_each(question->context->parallel, n, search_piece, &search);
    training_options_rank(&ask, search.parts, arena, list);
    for (size_t i = 0; i < n; i++)
        arena_free(&search.arenas[i]);
}

static void solve_plans(struct options_question *question)
{
    struct training_options_ask ask = ask_of(question);
    struct training_option_list list;

    ask.efficiency_floor =
        catalog_default(question->context->catalog, "training_efficiency_floor", "");
    search_all(question, ask, &list);
    question->found =
        arena_alloc(question->context->arena, (list.n + 1) * sizeof(*question->found));
    question->n_found = list.n;
    question->n_strategies = list.n_considered;
    for (size_t i = 0; i < list.n; i++)
        question->found[i] = (struct options_found){
            .candidate = list.at[i].candidate,
            .plan = &list.at[i].plan,
            .totals = list.at[i].totals,
            .tokens = floor(ask.goal.tokens),
            .parameters = parameters_of(question, list.at[i].candidate),
            .extras = goal_of(question, list.at[i].candidate).extras,
            .cost = list.at[i].cost,
            .on_frontier = list.at[i].on_frontier,
            .confirmed = list.at[i].confirmed,
            .idle = list.at[i].idle,
            .meets_deadline = list.at[i].meets_deadline,
            .within_budget = list.at[i].within_budget,
        };
    refuse_candidates(question, &list);
}

/* 1 if a limit is set, since options found are within it; else NAN. */
static double kept(double limit)
{
    return isnan(limit) ? (double)NAN : 1;
}

static void add_found(struct options_question *question, struct options_found found)
{
    const struct training_plan_in *in = &question->in->plan;

    struct training_goal goal = goal_of(question, found.candidate);

    goal.tokens = found.tokens = floor(found.tokens);
    goal.extras = found.extras;
    found.cost = training_bill_cost(&goal, found.plan->on.gpu_count, &found.totals);
    found.on_frontier = (double)NAN;
    found.confirmed = training_options_is_confirmed(goal.book, found.plan, &found.totals.phases);
    found.meets_deadline = kept(in->deadline_days);
    found.within_budget = kept(in->budget);
    question->found[question->n_found++] = found;
}

/* An option without a price cannot be compared with a budget. */
static bool unpriced(const struct options_question *question, size_t candidate)
{
    return !isnan(question->in->plan.budget) &&
           isnan(goal_of(question, candidate).price_per_gpu_hour);
}

static void add_tokens(struct options_question *question, const struct training_option *option)
{
    size_t candidate = option->candidate;
    const struct training_job *job = question->candidates[candidate].job;
    struct training_goal goal = goal_of(question, candidate);

    if (unpriced(question, candidate))
        return;
    if (training_question_computes_goodput(&question->questions[candidate])) {
        training_question_set_goodput(&question->questions[candidate], option->plan.on.gpu_count);
        goal.goodput = question->questions[candidate].goal.goodput;
    }
    goal.tokens = training_most_tokens(job, &option->plan, &goal);
    if (goal.tokens > 0)
        add_found(question, (struct options_found){
                                .candidate = candidate,
                                .plan = &option->plan,
                                .totals = training_totals(job, &option->plan, &goal),
                                .tokens = goal.tokens,
                                .parameters = parameters_of(question, candidate),
                                .extras = goal.extras,
                            });
}

static bool was_found(const struct options_question *question, size_t candidate)
{
    for (size_t i = 0; i < question->n_found; i++)
        if (question->found[i].candidate == candidate)
            return true;
    return false;
}

/* Refuse a candidate for which nothing was found within the limits. */
static void refuse_beyond(struct options_question *question, size_t candidate, const char *least)
{
    const char *limit = isnan(question->in->plan.deadline_days) ? "budget" : "deadline";

    if (unpriced(question, candidate))
        refuse(question, candidate, "price",
               "no price for it is known, so the budget cannot be checked: enter "
               "price_per_gpu_hour");
    else
        refuse(question, candidate, limit,
               arena_print(question->context->arena, "not even %s is possible within the limits",
                           least));
}

/* Plans do not depend on the number of tokens: find each for one token, then scale. */
static void solve_tokens(struct options_question *question)
{
    struct training_options_ask ask = ask_of(question);
    struct training_option_list list;

    ask.goal.tokens = 1;
    ask.goal.deadline_days = ask.goal.budget = (double)NAN;
    search_all(question, ask, &list);
    question->found =
        arena_alloc(question->context->arena, (list.n + 1) * sizeof(*question->found));
    question->n_strategies = list.n_considered;
    for (size_t i = 0; i < list.n; i++)
        add_tokens(question, &list.at[i]);
    refuse_candidates(question, &list);
    for (size_t i = 0; i < question->n_candidates; i++)
        if (list.ruled_out[i] == TRAINING_RULED_IN && !was_found(question, i))
            refuse_beyond(question, i, "one step");
}

/* The largest model that each candidate can train. */
struct hunts {
    const struct options_question *question;
    struct training_largest *largest;
};

static void hunt_piece(void *context, size_t i)
{
    struct hunts *hunts = context;
    const struct options_question *question = hunts->question;

    double most = question->gpu_count_max;

    if (!isnan(question->in->plan.power_budget_kw))
        most = training_question_gpus_within_power(&question->questions[i], most);
    if (most > 0)
        training_largest_model(&question->candidates[i], &question->questions[i].pinned,
                               &question->questions[i].goal, question->in->tokens_per_parameter,
                               most, &hunts->largest[i]);
}

static struct training_extras extras_of(const struct options_question *question, size_t candidate,
                                        const struct training_largest *largest)
{
    struct training_job job = question->questions[candidate].job;
    struct training_extras extras = goal_of(question, candidate).extras;

    job.shape = largest->shape;
    training_extras_size(&extras, &job);
    return extras;
}

static void solve_parameters(struct options_question *question)
{
    struct arena *arena = question->context->arena;
    size_t n = question->n_candidates;
    struct training_largest *largest = arena_alloc(arena, n * sizeof(*largest));
    struct hunts hunts = {question, largest};

    question->found = arena_alloc(arena, n * sizeof(*question->found));
    parallel_each(question->context->parallel, n, hunt_piece, &hunts);
    for (size_t i = 0; i < n; i++) {
        question->n_strategies += largest[i].plan.n_considered;
        if (largest[i].parameters > 0)
            add_found(question, (struct options_found){
                                    .candidate = i,
                                    .plan = &largest[i].plan,
                                    .totals = largest[i].totals,
                                    .tokens = largest[i].tokens,
                                    .parameters = largest[i].parameters,
                                    .extras = extras_of(question, i, &largest[i]),
                                });
        else if (!isnan(question->in->plan.power_budget_kw) &&
                 !(training_question_gpus_within_power(&question->questions[i],
                                                       question->gpu_count_max) > 0))
            refuse(question, i, "power",
                   options_power_words(
                       &question->list,
                       training_question_power_kw(&question->questions[i],
                                                  fmax(1, question->in->plan.gpu_count)),
                       question->in->plan.power_budget_kw));
        else
            refuse_beyond(question, i, "a model of 1e6 parameters");
    }
}

/* Confirmed options first, then most tokens or parameters, then cheaper, then faster. */
static int by_size(const struct options_found *a, const struct options_found *b, double size_a,
                   double size_b)
{
    int size = sort_order(size_b, size_a), cost = sort_order(a->cost, b->cost);

    return sort_first(b->confirmed - a->confirmed, size,
                      cost ? cost : sort_order(a->totals.days, b->totals.days));
}

static int by_tokens(const void *left, const void *right)
{
    const struct options_found *a = left, *b = right;

    return by_size(a, b, a->tokens, b->tokens);
}

static int by_parameters(const void *left, const void *right)
{
    const struct options_found *a = left, *b = right;

    return by_size(a, b, a->parameters, b->parameters);
}

void training_options_solve(struct options_question *question)
{
    question->context->doing =
        arena_print(question->context->arena, "the search of training strategies for %zu GPU types",
                    question->n_candidates);
    switch (question->maximize) {
    case MAXIMIZE_TOKENS:
        solve_tokens(question);
        sort_items(question->found, question->n_found, sizeof(*question->found), by_tokens);
        break;
    case MAXIMIZE_PARAMETERS:
        solve_parameters(question);
        sort_items(question->found, question->n_found, sizeof(*question->found), by_parameters);
        break;
    default:
        solve_plans(question);
    }
}

/* The bill at the option's own price, as the plan computes it. */
struct training_goal training_options_goal(const struct options_question *question,
                                           const struct options_found *found)
{
    struct training_goal goal = question->questions[found->candidate].goal;

    goal.tokens = found->tokens;
    goal.extras = found->extras;
    return goal;
}

struct training_totals training_options_uncorrected(const struct options_question *question,
                                                    const struct options_found *found)
{
    struct training_goal goal = training_options_goal(question, found);

    goal.residuals.correct = NULL;
    return training_totals(&question->questions[found->candidate].job, found->plan, &goal);
}

struct training_cost training_options_bill(const struct options_question *question,
                                           const struct options_found *found,
                                           const struct training_goal *goal)
{
    struct training_rental rental = {(double)NAN, 24};
    struct training_totals totals =
        training_totals(&question->questions[found->candidate].job, found->plan, goal);
    struct training_cost bill;

    training_cost(found->plan, goal, &totals, &rental, &bill);
    return bill;
}
