/* break_even.h - shared by the files of /v1/break-even: its inputs, their defaults, and the parts
 * of the answer. */
#ifndef API_BREAK_EVEN_BREAK_EVEN_H
#define API_BREAK_EVEN_BREAK_EVEN_H

#include "api/resource/context.h"
#include "api/options/hosted_price.h"
#include "api/options/rent_schedule.h"
#include "estimate/break_even/break_even.h"

/* Workloads, as bits so that an input may apply to both. */
enum workload {
    WORKLOAD_NONE,
    WORKLOAD_TRAIN = 1,
    WORKLOAD_SERVE = 2,
    WORKLOAD_TRAIN_THEN_SERVE = WORKLOAD_TRAIN | WORKLOAD_SERVE
};

/* Result of the workload's plan; figures it does not have are NAN. */
struct workload_plan {
    enum workload kind;
    /* Addresses of the plan, and of the training before the service; NULL if there is none or the
     * model was posted in the body. */
    const char *address, *training_address;
    double days, busy_days; /* of one run; including experiments and repeated runs */
    double replicas, tokens_per_day, input_tokens, output_tokens;
    double connected;        /* GPUs that must be connected to one another */
    double tokens_per_month; /* tokens trained on; for a service, tokens served after what precedes
                              * it */
    double unused_ratio;     /* share of a training's rent billed beyond its hours */
    /* Correction by the caller's own runs; NAN, 0 and NULL if there are none. */
    double correction_factor, training_correction_factor, correction_runs;
    const char *correction_sentence;
};

/* The ledger's inputs come first, so that their table's offsets are valid here too; the derived
 * members after them are not inputs. */
struct break_even_in {
    struct ownership own;
#include "base/field/members.h"
#include "api/break_even/in.def"
#include "base/field/end.h"
    struct workload_plan plan;
    struct rent_schedule schedule; /* of the service */
    struct hosted_choice hosted_api;
    struct price_basis_fields basis;  /* of the rent */
    const struct price_book *book;    /* NULL if the rent was given or is unknown */
    double rent_low, rent_high;       /* the band of its price; as given: certain */
    bool chose_rent;                  /* it picked the cheapest option because the question names
                                       * none */
    double credits_elsewhere;         /* credits at another provider */
    struct published_rents published; /* the option's published rents, if some are derived */
    bool published_turn;              /* by published prices alone the verdict is the other one */
    double published_keeps;           /* the published rent at which it is not; NAN if at none */
    struct ownership open;            /* the inputs before those that depend on the GPUs are filled
                                       * in */
};

struct break_even_out {
#include "base/field/members.h"
#include "api/break_even/out.def"
#include "base/field/end.h"
};

/* The completed inputs and the figures of an answered break-even request. */
const struct break_even_in *break_even_inputs(const struct request_context *answered);
const struct break_even_out *break_even_figures(const struct request_context *answered);

/* True for consumer cards and desktop computers, of which one is bought unless a number is given.
 */
bool break_even_is_for_desks(const struct gpu *gpu);

/* Refuse contradictory inputs, then fill in all missing ones from the workload's plan and the
 * catalogue, with the source of each. Adds the offers behind the rent price to the answer. */
bool break_even_defaults(struct request_context *context, struct break_even_in *in,
                         const struct gpu *gpu, struct err *err) MUST_CHECK;

/* Finds the verdict without the prices that are derived because none is published; call it
 * once the verdict is known. */
void break_even_check_published(struct request_context *context, struct break_even_in *in,
                                const struct gpu *gpu, const struct break_even *found);

/* The price query for that purchase option. */
struct price_query break_even_price_query(const struct request_context *context,
                                          const struct break_even_in *in, const struct gpu *gpu,
                                          const char *purchase_option);

/* Find the workload, refuse inputs that do not apply to it, answer its plan, and derive gpu_count,
 * utilization and gpu_hours_per_month from that. */
bool break_even_workload(struct request_context *context, struct break_even_in *in,
                         struct err *err) MUST_CHECK;

/* A copy of the question without its measurement_set, made before defaults are filled in; NULL
 * if it has none. */
struct request_context *break_even_without_runs(struct request_context *context,
                                                const struct break_even_in *in);
/* True if own runs corrected a plan used in the answer. */
bool break_even_is_corrected(const struct break_even_in *in);
/* Writes the correction and the uncorrected figures to `out`. `without` is NULL if there are none;
 * `why` then gives the reason if the plans are corrected. */
void break_even_fill_correction(struct request_context *context, const struct break_even_in *in,
                                const struct break_even_out *without, const char *why,
                                struct break_even_out *out);

/* The cost of the hosted API as the third option for a service; the other two are already in
 * `out`. */
bool break_even_fill_hosted(struct request_context *context, struct break_even_in *in,
                            const struct gpu *gpu, const struct hosted_api_ledger *bill,
                            struct break_even_out *out, struct err *err) MUST_CHECK;

/* Buying as an investment: stores its figures in `out` and, if requested by itself, its months in
 * table `cash_flow`. */
const struct investment *break_even_appraise(struct request_context *context,
                                             const struct break_even_in *in,
                                             const struct break_even *found,
                                             struct break_even_out *out);
extern const struct fields break_even_cash_flow_fields;

/* Adds table `ledger`: both sides by month or fiscal year, also as FOCUS charges. The table's
 * summary is the verdict followed by the first period. */
void break_even_add_ledger(struct request_context *context, const struct break_even_in *in,
                           const struct break_even *found, const char *verdict);
extern const struct fields break_even_ledger_fields;

/* The verdict in words, with the rent at which it changes; NULL if there is no verdict. */
const char *break_even_sentence(struct request_context *context, const struct break_even *found,
                                const struct break_even_out *out, const struct break_even_in *in,
                                const struct gpu *gpu);
/* Why there is no verdict: the missing price, and the total of the side that is known. */
const char *break_even_no_verdict(struct request_context *context, const struct break_even *found,
                                  const struct break_even_in *in, const struct gpu *gpu);
/* Stores the value of buying against the typical negotiated rent of a large cluster in `out`. */
void break_even_negotiate(struct request_context *context, const struct ownership *own,
                          struct break_even_out *out);
/* Writes to `out` the intervals of both totals, of the break-even month and of buying as an
 * investment, and what they say in words. */
void break_even_fill_interval(struct request_context *context, const struct break_even_in *in,
                              const struct gpu *gpu, const struct break_even *found,
                              const struct investment *investment, struct break_even_out *out);
/* The purchase option, on demand or committed, with the lowest cost over the time frame for the
 * inputs so far. */
const char *break_even_cheapest_rent(struct request_context *context,
                                     const struct break_even_in *in, const struct gpu *gpu);
/* The purchase option in words, such as "reserved for three years". */
const char *break_even_rent_words(const char *purchase_option);
/* Fills table `rent_options` (the same GPUs under other purchase options), names the cheapest one
 * in the sentence, and warns first if it changes the verdict. If the question names no option, the
 * break-even utilization considers all of them. */
void break_even_compare_rents(struct request_context *context, const struct break_even_in *in,
                              const struct gpu *gpu, const struct break_even *found,
                              struct break_even_out *out);
extern const struct fields break_even_rent_options_fields;
/* Warns first that the rent of a large cluster is negotiable, and how that affects the verdict. */
void break_even_warn_large_rent(struct request_context *context, const struct break_even *found,
                                const struct ownership *own);
/* Warns first that the verdict rests on derived prices, see break_even_check_published(). */
/* Warn of a time frame beyond the useful life, and whether the verdict rests on it. */
void break_even_warn_life(struct request_context *context, const struct break_even *found,
                          const struct ownership *own);

void break_even_warn_derived(struct request_context *context, const struct break_even_in *in,
                             const struct break_even *found);

/* Warn about omissions and weak foundations of the answer. */
void break_even_warn(struct request_context *context, const struct break_even_in *in,
                     const struct gpu *gpu, const struct break_even *found);

#endif
