/* canonical_query.h - the given inputs as a query string in the order of their field table, so that
 * equal questions have equal links and ETags. */
#ifndef API_CANONICAL_QUERY_H
#define API_CANONICAL_QUERY_H

#include "base/buf.h"
#include "base/field/field.h"
#include "base/params.h"

/* Append name=value&..., omitting empty values and names in the comma-separated list `but`. */
void canonical_query_add(struct buf *out, struct fields fields, const struct params *params,
                         const char *but);

#endif
