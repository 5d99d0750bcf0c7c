/* rules.h - back-of-the-envelope rules for buying or renting. */
#ifndef ESTIMATE_OWNERSHIP_RULES_H
#define ESTIMATE_OWNERSHIP_RULES_H

#include "estimate/ownership/ownership.h"
#include "estimate/figures/rule_of_thumb.h"

/* Capital is all servers at server_price; rent is the hourly price as given, undiscounted. */
void ownership_rules(const struct ownership *in, struct rules *rules);

#endif
