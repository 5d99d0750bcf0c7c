/* break_even.h - what the files of /v1/break-even share: its inputs, completed and judged. */
#ifndef API_BREAK_EVEN_BREAK_EVEN_H
#define API_BREAK_EVEN_BREAK_EVEN_H

#include "api/resource/context.h"
#include "api/options/hosted_price.h"
#include "api/options/rent_schedule.h"
#include "estimate/break_even/break_even.h"

/* Workloads; bits, so that an input may apply to both. */
enum workload {
    WORKLOAD_NONE,
    WORKLOAD_TRAIN = 1,
    WORKLOAD_SERVE = 2,
    WORKLOAD_TRAIN_THEN_SERVE = WORKLOAD_TRAIN | WORKLOAD_SERVE
};

/* What the plan of the workload comes to; figures it does not have are NAN. */
struct workload_plan {
    enum workload kind;
    /* Addresses of the plan, and of a training before the service; NULL if there is none or the
     * model came in the body. */
    const char *address, *training_address;
    double days, busy_days; /* of a run; with its experiments and repeated runs */
    double replicas, tokens_per_day, input_tokens, output_tokens;
    double connected;        /* GPUs that must reach one another */
    double tokens_per_month; /* trained on; else served, after what comes before the service */
    double unused_ratio;     /* of a training's rent: what is billed beyond its hours */
    /* correction by the caller's own runs; NAN, 0 and NULL if there are none */
    double correction_factor, training_correction_factor, correction_runs;
    const char *correction_sentence;
};

/* The ledger's inputs come first, so that their table's offsets hold here too; what follows from
 * them is no input. */
struct break_even_in {
    struct ownership own;
#include "base/field/members.h"
#include "api/break_even/in.def"
#include "base/field/end.h"
    struct workload_plan plan;
    struct rent_schedule schedule; /* of the service */
    struct hosted_choice hosted_api;
    struct price_basis_fields basis; /* of the rent */
    const struct price_book *book;   /* NULL: the rent was given, or is not known */
    double rent_low, rent_high;      /* the band of its price; as given: certain */
    bool chose_rent;                 /* the cheapest, as the question names none */
    double credits_elsewhere;        /* credits of another provider */
    struct ownership open;           /* the inputs before any that depend on the GPUs */
};

struct break_even_out {
#include "base/field/members.h"
#include "api/break_even/out.def"
#include "base/field/end.h"
};

/* Inputs as they were filled in and figures of a break-even's call, once it is answered. */
const struct break_even_in *break_even_inputs(const struct request_context *answered);
const struct break_even_out *break_even_figures(const struct request_context *answered);

/* Refuse what contradicts itself, then fill every gap from the workload's plan and the catalogue,
 * saying where each figure is from. The offers behind the rent price are added to the answer. */
bool break_even_defaults(struct request_context *context, struct break_even_in *in,
                         const struct gpu *gpu, struct err *err) MUST_CHECK;

/* The price query for that purchase option. */
struct price_query break_even_price_query(const struct request_context *context,
                                          const struct break_even_in *in, const struct gpu *gpu,
                                          const char *purchase_option);

/* Find which workload is meant, refuse what does not go with it, ask its plan, and make gpu_count,
 * utilization and gpu_hours_per_month of the answer. */
bool break_even_workload(struct request_context *context, struct break_even_in *in,
                         struct err *err) MUST_CHECK;

/* A copy of the question without its measurement_set, made before defaults are filled in; NULL
 * if it has none. */
struct request_context *break_even_without_runs(struct request_context *context,
                                                const struct break_even_in *in);
/* Whether own runs corrected a plan of the answer. */
bool break_even_is_corrected(const struct break_even_in *in);
/* Writes the correction and the uncorrected figures to `out`. `without` is NULL if there are none;
 * `why` then gives the reason if the plans are corrected. */
void break_even_fill_correction(struct request_context *context, const struct break_even_in *in,
                                const struct break_even_out *without, const char *why,
                                struct break_even_out *out);

/* The hosted API as the third way to pay for a service; the other two are in `out`. */
bool break_even_fill_hosted(struct request_context *context, struct break_even_in *in,
                            const struct gpu *gpu, const struct hosted_api_ledger *bill,
                            struct break_even_out *out, struct err *err) MUST_CHECK;

/* Buying as an investment: its figures into `out`, its months into table `cash_flow` where that is
 * asked for by itself. */
const struct investment *break_even_appraise(struct request_context *context,
                                             const struct break_even_in *in,
                                             const struct break_even *found,
                                             struct break_even_out *out);
extern const struct fields break_even_cash_flow_fields;

/* Table `ledger`: both sides by month or fiscal year, also as FOCUS charges; the verdict in words
 * goes on with its first period. */
void break_even_add_ledger(struct request_context *context, const struct break_even_in *in,
                           const struct break_even *found, const char *verdict);
extern const struct fields break_even_ledger_fields;

/* The verdict in words, with the rent at which it turns; NULL where there is none. */
const char *break_even_sentence(struct request_context *context, const struct break_even *found,
                                const struct break_even_out *out, const struct break_even_in *in,
                                const struct gpu *gpu);
/* Which price is missing for one, and what the known side comes to. */
const char *break_even_no_verdict(struct request_context *context, const struct break_even *found,
                                  const struct break_even_in *in, const struct gpu *gpu);
/* Value of buying against the rent usually negotiated for a large cluster, into `out`. */
void break_even_negotiate(struct request_context *context, const struct ownership *own,
                          struct break_even_out *out);
/* Writes to `out` the intervals of both totals, of the break-even month and of buying as an
 * investment, and what they say in words. */
void break_even_fill_interval(struct request_context *context, const struct break_even_in *in,
                              const struct gpu *gpu, const struct break_even *found,
                              const struct investment *investment, struct break_even_out *out);
/* The way to rent, on demand or by a commitment, that costs least over the time frame with the
 * inputs so far. */
const char *break_even_cheapest_rent(struct request_context *context,
                                     const struct break_even_in *in, const struct gpu *gpu);
/* How the GPUs are rented, as "reserved for three years". */
const char *break_even_rent_words(const char *purchase_option);
/* Fills table `rent_options` (the same GPUs under other purchase options), names the cheapest of
 * them in the sentence, and warns first if it changes the verdict. The utilization at which buying
 * turns is that of all of them, where the question names none. */
void break_even_compare_rents(struct request_context *context, const struct break_even_in *in,
                              const struct gpu *gpu, const struct break_even *found,
                              struct break_even_out *out);
extern const struct fields break_even_rent_options_fields;
/* Say first that the rent of a large cluster is negotiated, and what that does to the verdict. */
void break_even_warn_large_rent(struct request_context *context, const struct break_even *found,
                                const struct ownership *own);

/* Warn of what the answer leaves out or rests on. */
void break_even_warn(struct request_context *context, const struct break_even_in *in,
                     const struct gpu *gpu, const struct break_even *found);

#endif
