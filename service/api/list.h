/* list.h - sorting and paging of a list, the same for every list. */
#ifndef API_LIST_H
#define API_LIST_H

#include "api/call.h"

/* Sort the rows of the answer's first table as call->list says, cut a page where the format is
 * paged or a limit was given, and keep the fields asked for. False for a field or cursor that is
 * none. */
bool list_apply(struct call *call, bool paged, bool limit_given, struct err *err);

#endif
