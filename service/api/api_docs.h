/* api_docs.h - the API's self-description: OpenAPI document, discovery, problem types. */
#ifndef API_API_DOCS_H
#define API_API_DOCS_H

#include "api/openapi/components.h"
#include "http/request.h"

struct api_docs {
    struct components components; /* built once, like the document, since the tables are constant */
    struct buf openapi;
    char tag[40];
};

void api_docs_init(struct api_docs *documents);
void api_docs_fini(struct api_docs *documents);

/* Answer /openapi.json, the document of a single path such as /openapi/v1/gpus.json,
 * /.well-known/api-catalog and /problems/{slug}; false for other paths. */
bool api_docs_answer(const struct api_docs *documents, const struct request *request,
                     struct reply *reply);

#endif
