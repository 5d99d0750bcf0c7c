/* router.h - dispatches every path of the API, from request to reply. */
#ifndef API_ROUTER_H
#define API_ROUTER_H

#include "base/authorization.h"
#include "base/parallel.h"
#include "catalog/archive.h"
#include "catalog/measurement.h"
#include "catalog/quote.h"
#include "http/request.h"
#include "catalog/live.h"

struct api;

/* Its dependencies, all borrowed. */
struct api_options {
    struct live *live;
    const struct parallel *parallel; /* runs parts of deferred requests in parallel; may be NULL */
    const struct authorization *authorization; /* for writes; NULL disables writing, and then quotes
                                                * may be NULL */
    const struct quote_writer *quotes;         /* called on the DEFER_WRITE thread */
    const struct archive *archive; /* its find() is called on that thread too; NULL if there is
                                    * none */
    double calculation_s;          /* time limit of calculations; only for error texts */
    const struct measurement_writer *measurements; /* called on the DEFER_WRITE thread */
};

struct api *api_new(const struct api_options *options);
void api_free(struct api *api); /* NULL is allowed */

/* Answer one request; a handler_fn whose context is the struct api. */
void api_handle(void *api, const struct request *request, struct reply *reply);

#endif
