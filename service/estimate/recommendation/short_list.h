/* short_list.h - the short list of options shown, with the roles each one has. */
#ifndef ESTIMATE_RECOMMENDATION_SHORT_LIST_H
#define ESTIMATE_RECOMMENDATION_SHORT_LIST_H

#include "estimate/recommendation/recommendation.h"

/* Adds an option in a role, or the role to an option already listed. NULL adds nothing. */
void recommendation_short_list_add(const struct recommendation_ask *ask,
                                   const struct recommendation_option *option, unsigned role,
                                   struct recommendation_list *list);

/* If a mix of GPU types is cheaper than the cheapest single type, each gets its own role. */
void recommendation_short_list_note_mixed(struct recommendation_list *list);

/* Sorts the list by cost and finds the recommended option: the cheapest of the
 * safest, see recommendation_safety(). Options in the role
 * RECOMMENDATION_UNCONFIRMED are skipped. */
void recommendation_short_list_end(struct recommendation_list *list);

/* 3: every limit is met at the high ends of the durations too; 2: at least the deadline; 1: only in
 * the middle; 0: some limit is missed. */
int recommendation_safety(const struct recommendation_option *option);

#endif
