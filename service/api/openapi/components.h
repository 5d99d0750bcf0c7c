/* components.h - field definitions that the OpenAPI document writes once and references. */
#ifndef API_OPENAPI_COMPONENTS_H
#define API_OPENAPI_COMPONENTS_H

#include "api/routes/routes.h"
#include "base/arena.h"

/* A definition of an input or a figure; a name with two definitions has two components. */
struct component {
    const struct field *field;
    const char *owner; /* the resource or row where it was first found */
    const char *name;  /* component name; NULL if it is used once and written in place */
    size_t uses;       /* in answers and rows */
    size_t next;       /* next index with the same hash, plus one; 0 if none */
    bool input;
    bool in_body; /* an input that is also accepted in request bodies */
};

/* The rows of a table. */
struct component_row {
    const struct fields *fields;
    const char *name;  /* LineItem */
    const char *owner; /* resource that owns its fields */
    bool shared;       /* used by several resources */
};

enum { COMPONENT_SLOTS = 1024 };

struct components {
    struct arena arena;
    struct component *fields;
    size_t n_fields, fields_room;
    struct component_row *rows;
    size_t n_rows;
    size_t slots[COMPONENT_SLOTS]; /* first index of each hash, plus one; 0 if none */
};

/* Collect the components from the routes. */
void components_init(struct components *all);
void components_free(struct components *all);

/* The index of the definition, which must belong to one of the routes. */
size_t components_field(const struct components *all, const struct field *field, bool input);
size_t components_row(const struct components *all, const struct fields *fields);
/* Converts break_even to BreakEven. */
const char *components_pascal(struct arena *arena, const char *name);
/* The path whose answer has the resource's fields: for a quote just written, the path of quotes. */
const struct route *components_answer(const struct resource *resource);
/* The path that accepts bodies of the resource. */
const struct route *components_request(const struct resource *resource);

#endif
