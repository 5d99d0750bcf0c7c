/* router.h - every path of the API and the way from request to reply. */
#ifndef API_ROUTER_H
#define API_ROUTER_H

#include "base/parallel.h"
#include "http/request.h"
#include "live/live.h"

struct api;

/* `parallel` shares out the work of deferred requests; both are borrowed, parallel may be NULL. */
struct api *api_new(struct live *live, const struct parallel *parallel);
void api_free(struct api *api); /* NULL is fine */

/* Answer one request; a handler_fn whose context is the struct api. */
void api_handle(void *api, const struct request *request, struct reply *reply);

/* The OpenAPI 3.1 document, as JSON, made from the field tables. */
void api_openapi(struct buf *out);

#endif
