/* currency.h - the currency of an answer, chosen by the question and substituted for USD in its
 * texts.
 *
 * The field tables, the estimates and the charts write USD for money. Only this file and the
 * writers (answer/value.h) substitute the answer's currency.
 */
#ifndef API_RESOURCE_CURRENCY_H
#define API_RESOURCE_CURRENCY_H

#include "api/resource/context.h"

/* Convert the catalogue view to the requested currency at the rate of context->as_of. Without a
 * parameter context->currency applies, or else USD. A currency without a rate is left to
 * currency_check(). */
void currency_choose(struct request_context *context, const struct params *params);

/* Refuse a currency for which the catalogue has no rate on the day. */
bool currency_check(const struct request_context *context, struct err *err) MUST_CHECK;

/* Put the catalogue's currency and its rate into the answer's metadata. */
void currency_say(struct request_context *context);

/* The text with USD replaced by the answer's currency. Only for texts about money:
 * "USD/GPU-hour". */
const char *currency_text(const struct request_context *context, const char *text);

/* An amount for a sentence, in the answer's currency: "750,184 USD"; with cents below 100. */
const char *currency_amount(struct request_context *context, double amount);

/* Apply currency_text() to the columns `unit` of the answer's tables and to its chart, and warn if
 * the rate is old. Call once, when the answer is complete. */
void currency_finish(struct request_context *context);

/* A row's amount in its own currency and its rate, next to the converted amount. */
struct money_own {
    double converted; /* NAN if its currency has no rate on the day */
    double per_usd;   /* units per USD; NAN for USD */
    const char *rate_date;
};
struct money_own currency_of(struct request_context *context, double amount, const char *currency);

#endif
