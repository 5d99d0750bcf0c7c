/* routes.h - the table of paths. */
#ifndef API_ROUTES_ROUTES_H
#define API_ROUTES_ROUTES_H

#include "api/resource/context.h"

struct route {
    const char *path;    /* a segment in braces matches any one name */
    const char *project; /* show this table of the resource as a list, NULL the whole answer */
    const struct resource *resource, *post; /* of GET and of POST; NULL: takes no POST */
    const char *page;                       /* the page for this question, NULL if there is none */
    const char *tag;                        /* its subject */
    const char *noun; /* of its operations and schemas: getTrainingPlan, TrainingPlan */
};

extern const struct route routes[];
extern const size_t n_routes;

/* Strip the format suffix from the path; only known suffixes count, a dot in a model's name does
 * not. False, with *format unchanged, if there is none. */
bool route_take_suffix(char *path, enum format *format);
/* Find the route for the path (without its format suffix); *name is what matched the braces,
 * borrowed from path. NULL if there is none. */
const struct route *route_find(const char *path, const char **name);
/* What the method asks of it; NULL where it does not take that. */
const struct resource *route_resource(const struct route *route, enum method method);
/* The field that .txt gives by itself. */
const char *route_headline(const struct route *route);
/* The known path nearest to it, NULL where nothing is near. */
const char *route_nearest(const char *path);

#endif
