/* quotes.h - shared by reading and writing quotes: the answer row of a quote. */
#ifndef API_PRICES_QUOTES_H
#define API_PRICES_QUOTES_H

#include "api/resource/context.h"

struct quote_row {
#include "base/field/members.h"
#include "api/prices/quote_row.def"
#include "base/field/end.h"
};
extern const struct fields quote_row_fields;

/* The row as of context->as_of; texts are borrowed from the quote. */
struct quote_row quote_row_of(struct request_context *context, const struct quote *quote);

/* Parse the quote's number from the path; false if it is not a number. */
bool quote_read_id(const struct request_context *context, double *id, struct err *err);

#endif
