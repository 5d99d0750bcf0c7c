/* wording.h - an option described in words. */
#ifndef API_RECOMMENDATION_WORDING_H
#define API_RECOMMENDATION_WORDING_H

#include "api/recommendation/recommendation.h"

/* How the GPUs are acquired (rent, buy, rent_and_buy, in_hand); the GPUs; the option as a
 * sentence. */
const char *recommendation_acquisition(const struct recommendation_option *option);
const char *recommendation_gpus(const struct recommendation *recommendation,
                                const struct recommendation_option *option);

const char *recommendation_sentence(const struct recommendation *recommendation,
                                    const struct recommendation_option *option);
/* If none is recommended: the nearest option, and which limit it misses. */
const char *recommendation_none_sentence(const struct recommendation *recommendation);
const char *recommendation_budget_sentence(const struct recommendation *recommendation,
                                           const struct recommendation_affordable *best,
                                           const struct recommendation_affordable *value);
/* Where the bought GPUs are housed; NULL if none are bought. */
const char *recommendation_housing(const struct recommendation *recommendation,
                                   const struct recommendation_option *option);
/* Why a rent in the option is not confirmed, in words; NULL if all are confirmed. */
const char *recommendation_doubt(const struct recommendation *recommendation,
                                 const struct recommendation_option *option);
/* What would settle the doubt. */
const char *recommendation_remedy(const struct recommendation_option *option);

/* A range of durations, such as "14 hours to 3.2 days". */
const char *recommendation_duration(struct arena *arena, double least_days, double most_days);
const char *recommendation_duration_words(struct arena *arena, double days);

/* A clause that names a faster option and the cost of a month of waiting above which it is the
 * better choice; empty if there is none. */
const char *recommendation_sooner(const struct recommendation *recommendation);

/* What a desk means for a service, and the cheapest option elsewhere if one is listed; empty
 * without a service. */
const char *recommendation_off_desk(const struct recommendation *recommendation);

/* The clause of the warning for the i-th option, which is unconfirmed. */
const char *recommendation_unconfirmed(const struct recommendation *recommendation, size_t i);

/* True if the GPUs of the part would be bought used. */
bool recommendation_buys_used(const struct recommendation *recommendation,
                              const struct recommendation_part *part);

#endif
