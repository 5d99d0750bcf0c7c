/* list.h - sorting and paging of a list, the same for every list. */
#ifndef API_RESOURCE_LIST_H
#define API_RESOURCE_LIST_H

#include "api/resource/context.h"

/* Rows of a list. */
struct page {
    size_t first, n; /* n SIZE_MAX: all that follow */
};

/* The range of rows to materialise: one page, or all rows if sorting or an unpaged format needs
 * them. False for an invalid cursor. */
bool list_page(const struct request_context *context, struct page *page, struct err *err);
/* Say that the rows are that page of `total`. */
void list_set_page(struct request_context *context, size_t total);

/* Sort the rows of the answer's first table by context->list, cut a page if the format is paged
 * or a limit was given, and keep the fields asked for; a page that was not asked for warns that
 * there are more. False for an unknown field or an invalid cursor. */
bool list_apply(struct request_context *context, struct err *err);

/* Keep the figures asked for of an answer that is no list, in the formats that hold all of it. */
bool list_pick(struct request_context *context, enum format format, struct err *err);

#endif
