/* currency.h - the currency of an answer: chosen by the question, said wherever its texts have USD.
 *
 * The field tables, the estimates and the charts write USD for money. Only here and in the writers
 * (answer/value.h) does the currency of the answer take its place.
 */
#ifndef API_RESOURCE_CURRENCY_H
#define API_RESOURCE_CURRENCY_H

#include "api/resource/context.h"

/* See the catalogue in the currency that the parameters ask for, at the rate of context->as_of.
 * Without a word context->currency stands, or else USD. A currency without a rate is
 * currency_check()'s to refuse. */
void currency_choose(struct request_context *context, const struct params *params);

/* Refuse a currency that the catalogue has no rate of on the day. */
bool currency_check(const struct request_context *context, struct err *err) MUST_CHECK;

/* Put the catalogue's currency and its rate into what the answer carries. */
void currency_say(struct request_context *context);

/* The text with the answer's currency in place of each USD. For money only: "USD/GPU-hour". */
const char *currency_text(const struct request_context *context, const char *text);

/* An amount for a sentence, in the answer's currency: "750,184 USD"; below 100 with its cents. */
const char *currency_amount(struct request_context *context, double amount);

/* currency_text() in the columns `unit` of the answer's tables and in the words of its chart; and
 * a warning where the rate is an old one. Once, when the answer is made. */
void currency_finish(struct request_context *context);

/* A row's own currency, amount and rate alongside the converted one. */
struct money_own {
    double converted; /* NAN where its currency has no rate on the day */
    double per_usd;   /* of its currency; NAN for USD */
    const char *rate_date;
};
struct money_own currency_of(struct request_context *context, double amount, const char *currency);

#endif
