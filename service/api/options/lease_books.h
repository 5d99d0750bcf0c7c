/* lease_books.h - leased servers in the books: their class by ASC 842 and IFRS 16, how tax
 * treats them, and asset, liability and expense month by month. */
#ifndef API_OPTIONS_LEASE_BOOKS_H
#define API_OPTIONS_LEASE_BOOKS_H

#include "api/resource/context.h"
#include "estimate/ownership/lease.h"

struct lease_books {
    const char *class, *sentence; /* NULL: nothing is leased, or a price is unknown */
    double term_ratio, present_value_ratio, asset;
};

/* Warns where a lease has another class than its name says. Table `lease` has the months where it
 * is asked for by itself. */
struct lease_books lease_books_answer(struct request_context *context, const struct ownership *own);
extern const struct fields lease_books_fields;

#endif
