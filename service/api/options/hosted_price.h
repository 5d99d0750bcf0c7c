/* hosted_price.h - the hosted API as a way to pay for a service: checks its inputs, completes
 * them from the catalogue, and words the result. */
#ifndef API_OPTIONS_HOSTED_PRICE_H
#define API_OPTIONS_HOSTED_PRICE_H

#include "api/resource/context.h"
#include "catalog/hosted_price.h"
#include "estimate/break_even/break_even.h"
#include "estimate/break_even/hosted_api.h"

/* Refuse a provider that has no price, naming the nearest; NULL is fine. */
bool hosted_price_check_providers(struct request_context *context, const char *parameter,
                                  const char *providers, struct err *err) MUST_CHECK;

/* What is served, in tokens. */
struct hosted_load {
    const char *model; /* as it was asked for, NULL: without a name */
    double input_tokens, output_tokens;
    double served_per_day;         /* of both together, where the load is not stated as so much */
    double growth_ratio_per_month; /* of the load */
};

/* The hosted API of a question. */
struct hosted_choice {
    const char *status; /* as hosted_status */
    struct hosted_api api;
    struct hosted_rates low, high; /* of the cheapest and the dearest provider */
    struct hosted_market market;   /* where the status is priced */
};

/* Refuse inputs of hosted_in.def that contradict each other. */
bool hosted_price_check(struct request_context *context, struct err *err) MUST_CHECK;

/* Complete those inputs for a load (NULL: none), and add warnings and sources. */
void hosted_price_choose(struct request_context *context, const struct hosted_load *load,
                         struct hosted_choice *choice);

/* Whether it has a price. */
bool hosted_price_is_known(const struct hosted_choice *choice);

/* The columns of hosted_out.def. */
struct hosted_figures {
#include "base/field/members.h"
#include "api/options/hosted_out.def"
#include "base/field/end.h"
};

/* All but the sentence and the volume; cost of capital and tax as in `own`. */
void hosted_price_figures(struct request_context *context, const struct hosted_choice *choice,
                          const struct ownership *own, struct hosted_figures *figures);

/* The smaller of two volumes from which GPUs cost no more than the hosted API; the shape of a
 * request is the choice's. requests_per_user_per_day NAN: the load is not stated in users. */
void hosted_price_until(const struct hosted_choice *choice, const struct threshold *buy,
                        const struct threshold *rent, double requests_per_user_per_day,
                        struct hosted_figures *figures);

/* The first words of the sentence: the API, its provider and its cost, or why there is none. */
const char *hosted_price_words(struct request_context *context, const struct hosted_choice *choice,
                               const struct hosted_figures *figures, double total, double months);
/* Where the median costs more than `other` and its cheapest provider less: who, and how much. */
const char *hosted_price_cheapest_words(struct request_context *context,
                                        const struct hosted_figures *figures, double total,
                                        double other);
/* The last: the volume from which that GPU costs no more, and what a hosted API does to data. */
const char *hosted_price_until_words(struct request_context *context,
                                     const struct hosted_figures *figures, const char *gpu);

/* Copy the columns into an answer that has them. */
void hosted_price_say(const struct hosted_figures *figures, const struct fields *fields, void *out);

#endif
