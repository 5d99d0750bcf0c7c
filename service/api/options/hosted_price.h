/* hosted_price.h - the hosted API as a way to pay for a service: checks its inputs, completes them
 * from the catalogue, and words the result. */
#ifndef API_OPTIONS_HOSTED_PRICE_H
#define API_OPTIONS_HOSTED_PRICE_H

#include "api/resource/context.h"
#include "catalog/hosted_price.h"
#include "estimate/break_even/break_even.h"
#include "estimate/break_even/hosted_api.h"

/* Refuse a provider without a price, suggesting the nearest name; NULL is allowed. */
bool hosted_price_check_providers(struct request_context *context, const char *parameter,
                                  const char *providers, struct err *err) MUST_CHECK;

/* The load, in tokens. */
struct hosted_load {
    const char *model; /* as requested; NULL for an unnamed model */
    double input_tokens, output_tokens;
    double served_per_day;         /* input and output tokens together, if the load is not stated in
                                    * these terms */
    double growth_ratio_per_month; /* growth of the load */
};

/* The hosted API chosen for a question. */
struct hosted_choice {
    const char *status; /* value of hosted_status */
    struct hosted_api api;
    struct hosted_rates low, high; /* of the cheapest and the most expensive provider */
    struct hosted_market market;   /* valid if the status is priced */
};

/* Refuse contradictory inputs of hosted_in.def. */
bool hosted_price_check(struct request_context *context, struct err *err) MUST_CHECK;

/* Fill in those inputs for a load (NULL if none), and add warnings and sources. */
void hosted_price_choose(struct request_context *context, const struct hosted_load *load,
                         struct hosted_choice *choice);

/* True if it has a price. */
bool hosted_price_is_known(const struct hosted_choice *choice);

/* The fields of hosted_out.def. */
struct hosted_figures {
#include "base/field/members.h"
#include "api/options/hosted_out.def"
#include "base/field/end.h"
};

/* All fields except the sentence and the volume; cost of capital and tax are those of `own`. */
void hosted_price_figures(struct request_context *context, const struct hosted_choice *choice,
                          const struct ownership *own, struct hosted_figures *figures);

/* The smaller of the two volumes from which GPUs cost no more than the hosted API, for the choice's
 * request shape. requests_per_user_per_day is NAN if the load is not stated in users. */
void hosted_price_until(const struct hosted_choice *choice, const struct threshold *buy,
                        const struct threshold *rent, double requests_per_user_per_day,
                        struct hosted_figures *figures);

/* The start of the sentence: the API, its provider and its cost, or why there is none. */
const char *hosted_price_words(struct request_context *context, const struct hosted_choice *choice,
                               const struct hosted_figures *figures, double total, double months);
/* If the median costs more than `other` but the cheapest provider less: that provider and its
 * cost. */
const char *hosted_price_cheapest_words(struct request_context *context,
                                        const struct hosted_figures *figures, double total,
                                        double other);
/* The end of the sentence: the volume from which that GPU costs no more, and where the data
 * goes. */
const char *hosted_price_until_words(struct request_context *context,
                                     const struct hosted_figures *figures, const char *gpu);

/* Copy the fields into an answer that has them. */
void hosted_price_say(const struct hosted_figures *figures, const struct fields *fields, void *out);

#endif
