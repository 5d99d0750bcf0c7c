/* list.h - sorting and paging, common to all lists. */
#ifndef API_RESOURCE_LIST_H
#define API_RESOURCE_LIST_H

#include "api/resource/context.h"

/* A range of rows of a list. */
struct page {
    size_t first, n; /* n is SIZE_MAX for all following rows */
};

/* The range of rows to materialise: one page, or all rows if sorting or an unpaged format needs
 * them. False for an invalid cursor. */
bool list_page(const struct request_context *context, struct page *page, struct err *err);
/* Record that the answer's rows are that page of `total` rows. */
void list_set_page(struct request_context *context, size_t total);

/* Sort the rows of the answer's first table by context->list, cut a page if the format is paged or
 * a limit was given, and keep the requested fields. Warns that there are more rows if the client
 * did not ask for a page. False for an unknown field or an invalid cursor. */
bool list_apply(struct request_context *context, struct err *err);

/* Keep the requested figures of an answer that is not a list, in formats that hold the whole
 * answer. */
bool list_pick(struct request_context *context, enum format format, struct err *err);

#endif
