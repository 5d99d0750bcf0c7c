/* links.h - hypermedia links of an answer: the same question again, its next page, as a sheet, and
 * as a form. */
#ifndef API_LINKS_H
#define API_LINKS_H

#include "api/resource/context.h"

/* The question as it was asked. */
struct link_source {
    const char *path;  /* without the format suffix */
    const char *query; /* canonical */
    const char *page;  /* the form's path, NULL where there is none */
    const struct params *params;
    enum format format;
};

/* Add the links to the call's answer, of which the rows have been cut; none where a model_config
 * was posted, which no address holds. */
void links_add(struct request_context *context, const struct link_source *source);

#endif
