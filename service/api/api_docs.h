/* api_docs.h - what the API says of itself: the OpenAPI document, its discovery, the problems. */
#ifndef API_API_DOCS_H
#define API_API_DOCS_H

#include "api/openapi/components.h"
#include "http/request.h"

struct api_docs {
    struct components components; /* made once, as is the document: the tables do not change */
    struct buf openapi;
    char tag[40];
};

void api_docs_init(struct api_docs *documents);
void api_docs_fini(struct api_docs *documents);

/* Answer /openapi.json, that of a path alone as /openapi/v1/gpus.json, /.well-known/api-catalog and
 * /problems/{slug}; false for other paths. */
bool api_docs_answer(const struct api_docs *documents, const struct request *request,
                     struct reply *reply);

#endif
