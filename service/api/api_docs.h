/* api_docs.h - what the API says of itself: the OpenAPI document, its discovery, the problems. */
#ifndef API_API_DOCS_H
#define API_API_DOCS_H

#include "http/request.h"

struct documents {
    struct buf openapi; /* made once: the tables do not change while we run */
    char tag[40];
};

void documents_init(struct documents *documents);
void documents_fini(struct documents *documents);

/* Answer /openapi.json, that of a path alone as /openapi/v1/gpus.json, /.well-known/api-catalog and
 * /problems/{slug}; false for other paths. */
bool documents_answer(const struct documents *documents, const struct request *request,
                      struct reply *reply);

#endif
