/* links.h - hypermedia links of an answer: the same question again, its next page, as a workbook,
 * and as a form. */
#ifndef API_LINKS_H
#define API_LINKS_H

#include "api/resource/context.h"

/* The question as received. */
struct link_source {
    const char *path;  /* without the format suffix */
    const char *query; /* canonical */
    const char *page;  /* path of the form, or NULL */
    const struct params *params;
    enum format format;
};

/* Add the links to the answer once its rows are cut to a page. None for a posted model_config,
 * which does not fit into an address. */
void links_add(struct request_context *context, const struct link_source *source);

#endif
