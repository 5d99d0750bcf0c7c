/* quotes.h - what reading and writing quotes share: a quote as an answer shows it. */
#ifndef API_PRICES_QUOTES_H
#define API_PRICES_QUOTES_H

#include "api/resource/context.h"

struct quote_row {
#include "base/field/members.h"
#include "api/prices/quote_row.def"
#include "base/field/end.h"
};
extern const struct fields quote_row_fields;

/* On context->as_of; the texts are borrowed from the quote. */
struct quote_row quote_row_of(struct request_context *context, const struct quote *quote);

/* The number of the quote that stands in the path; false where there is no such number. */
bool quote_read_id(const struct request_context *context, double *id, struct err *err);

#endif
