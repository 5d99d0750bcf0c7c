/* links.h - hypermedia links of an answer: the same question again, its next page, as a sheet, and
 * as a form. */
#ifndef API_LINKS_H
#define API_LINKS_H

#include "api/resource/context.h"

/* The question as it was asked. */
struct link_source {
    const char *path;  /* without the format suffix */
    const char *query; /* canonical */
    const char *page;  /* path of the form, NULL if there is none */
    const struct params *params;
    enum format format;
};

/* Add the links to the answer after its rows have been cut to a page; none for a posted
 * model_config, which no address can hold. */
void links_add(struct request_context *context, const struct link_source *source);

#endif
