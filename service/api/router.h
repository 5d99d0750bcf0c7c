/* router.h - every path of the API and the way from request to reply. */
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

/* What it works with, all borrowed. */
struct api_options {
    struct live *live;
    const struct parallel *parallel; /* shares out the work of deferred requests; may be NULL */
    const struct authorization
        *authorization;                /* of writers; NULL: no writing, then quotes may be NULL */
    const struct quote_writer *quotes; /* called on the thread of DEFER_WRITE */
    const struct archive *archive;     /* its find() as well; NULL: none */
    double calculation_s;              /* that a calculation may take; for words only */
    const struct measurement_writer *measurements; /* likewise */
};

struct api *api_new(const struct api_options *options);
void api_free(struct api *api); /* NULL is fine */

/* Answer one request; a handler_fn whose context is the struct api. */
void api_handle(void *api, const struct request *request, struct reply *reply);

#endif
