/* routes.h - the table of paths. */
#ifndef API_ROUTES_ROUTES_H
#define API_ROUTES_ROUTES_H

#include "api/resource/context.h"

struct route {
    const char *path;    /* a segment in braces matches any single name */
    const char *project; /* present this table of the resource as a list; NULL for the whole
                          * answer */
    const struct resource *resource, *post; /* for GET and for POST; post is NULL if not accepted */
    const char *page;                       /* web page for this question, or NULL */
    const char *tag;                        /* OpenAPI tag */
    const char *noun; /* base of operation and schema names: getTrainingPlan, TrainingPlan */
};

extern const struct route routes[];
extern const size_t n_routes;

/* Strip a known format suffix from the path (a dot in a model's name is not one). False, with
 * *format unchanged, if there is none. */
bool route_take_suffix(char *path, enum format *format);
/* Find the route for a path without format suffix; *name is the segment that matched the braces,
 * borrowed from path. NULL if there is none. */
const struct route *route_find(const char *path, const char **name);
/* The resource for the method; NULL if the route does not accept it. */
const struct resource *route_resource(const struct route *route, enum method method);
/* The sentence that describes a GET, `*length` bytes: that of the resource or, for a table, its own
 * without the path of the whole answer. */
const char *route_summary(const struct route *route, size_t *length);
/* The field that .txt returns by default. */
const char *route_headline(const struct route *route);
/* The most similar known path; NULL if none is similar. */
const char *route_nearest(const char *path);

#endif
