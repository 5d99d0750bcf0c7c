#include "api/openapi/components.h"

#include "api/resource/decode.h"
#include "base/arena.h"
#include "base/mem.h"
#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static size_t slot_of(const struct field *field)
{
    return text_hash(TEXT_HASH, field->name, field->length) % COMPONENT_SLOTS;
}

static bool same_end(double a, double b)
{
    return isnan(a) ? isnan(b) : a == b;
}

/* Ranges and defaults of figures are not in the document, so they do not make fields different. */
static bool is_same(const struct field *a, const struct field *b, bool input)
{
    if (a == b)
        return true;
    if (a->type != b->type || strcmp(a->name, b->name) != 0 || strcmp(a->unit, b->unit) != 0 ||
        strcmp(a->sentence, b->sentence) != 0)
        return false;
    return !input || (same_end(a->min, b->min) && same_end(a->max, b->max) &&
                      strcmp(a->choices, b->choices) == 0 && strcmp(a->fallback, b->fallback) == 0);
}

static struct component *find(const struct components *all, const struct field *field, bool input)
{
    for (size_t i = all->slots[slot_of(field)]; i; i = all->fields[i - 1].next) {
        struct component *found = &all->fields[i - 1];
        if (found->input == input && is_same(found->field, field, input))
            return found;
    }
    return NULL;
}

size_t components_field(const struct components *all, const struct field *field, bool input)
{
    return (size_t)(find(all, field, input) - all->fields);
}

static struct component *add(struct components *all, const struct field *field, bool input,
                             const char *owner)
{
    struct component *found = find(all, field, input);

    if (found)
        return found;
    all->fields = mem_grow(all->fields, all->n_fields, &all->fields_room, sizeof(*all->fields));
    size_t *slot = &all->slots[slot_of(field)];
    all->fields[all->n_fields] =
        (struct component){.field = field, .owner = owner, .next = *slot, .input = input};
    *slot = all->n_fields + 1;
    return &all->fields[all->n_fields++];
}

static void add_inputs(struct components *all, struct fields fields, const char *owner,
                       bool in_body)
{
    for (size_t i = 0; i < fields.n; i++)
        add(all, &fields.at[i], true, owner)->in_body |= in_body;
}

static void add_figures(struct components *all, struct fields fields, const char *owner)
{
    for (size_t i = 0; i < fields.n; i++)
        add(all, &fields.at[i], false, owner)->uses++;
}

size_t components_row(const struct components *all, const struct fields *fields)
{
    size_t i = 0;

    while (i < all->n_rows && all->rows[i].fields != fields)
        i++;
    return i;
}

const char *components_pascal(struct arena *arena, const char *name)
{
    char *text = arena_alloc(arena, strlen(name) + 1), *end = text;

    for (const char *p = name; *p; p++)
        if (*p != '_')
            *end++ = (char)(p == name || p[-1] == '_' ? toupper((unsigned char)*p) : *p);
    return text;
}

const struct route *components_answer(const struct resource *resource)
{
    for (size_t i = 0; i < n_routes; i++)
        if (routes[i].resource == resource ||
            (resource->out && routes[i].resource->out == resource->out))
            return &routes[i];
    return NULL;
}

const struct route *components_request(const struct resource *resource)
{
    for (size_t i = 0; i < n_routes; i++)
        if (routes[i].post == resource || routes[i].resource->put == resource)
            return &routes[i];
    return NULL;
}

/* LineItem if several resources have it, OfferRow for a list, else TrainingPlanOption. */
static const char *row_name(struct components *all, const struct component_row *row,
                            const struct resource *resource, const struct resource_table *table)
{
    const char *own = components_pascal(&all->arena, table->row_name);
    const char *noun = components_answer(resource)->noun;
    size_t n = strlen(noun), length = strlen(own);

    if (strcmp(table->name, "rows") == 0)
        return arena_join(&all->arena, own, "Row");
    if (row->shared)
        return own;
    if (n > length && noun[n - 1] == 's' && strncmp(noun + n - 1 - length, own, length) == 0)
        return arena_part(&all->arena, noun, n - 1); /* the singular, as for TrainingPlanOptions */
    return arena_join(&all->arena, noun, own);
}

static void add_table(struct components *all, const struct resource *resource,
                      const struct resource_table *table)
{
    size_t i = components_row(all, table->fields);

    if (i == all->n_rows) {
        all->rows = mem_resize(all->rows, (all->n_rows + 1) * sizeof(*all->rows));
        all->rows[all->n_rows++] = (struct component_row){
            .fields = table->fields,
            .owner = arena_join(&all->arena, resource->name, "_", table->row_name),
        };
        add_figures(all, *table->fields, all->rows[i].owner);
    } else {
        all->rows[i].shared = true;
    }
    all->rows[i].name = row_name(all, &all->rows[i], resource, table);
}

static void add_resource(struct components *all, const struct resource *resource)
{
    if (resource->out)
        add_figures(all, *resource->out, resource->name);
    for (size_t i = 0; i < RESOURCE_TABLES_MAX && resource->tables[i].name; i++)
        add_table(all, resource, &resource->tables[i]);
}

static void add_route(struct components *all, const struct route *route)
{
    const struct resource *resource = route->resource, *put = resource->put;

    add_inputs(all, *resource->in, resource->name, false);
    if (route->post && !route->post->body_is_model)
        add_inputs(all, *route->post->in, route->post->name, true);
    if (put)
        add_inputs(all, *put->in, put->name, true);
    if (resource->remove)
        add_inputs(all, *resource->remove->in, resource->remove->name, false);
    if (components_answer(resource) == route)
        add_resource(all, resource);
}

static bool is_taken(const struct components *all, const char *name, bool input)
{
    for (size_t i = 0; i < all->n_fields; i++)
        if (all->fields[i].input == input && all->fields[i].name &&
            strcmp(all->fields[i].name, name) == 0)
            return true;
    return false;
}

/* The first component keeps its name; others are prefixed with their owner's. */
static void name_fields(struct components *all)
{
    for (size_t i = 0; i < all->n_fields; i++) {
        struct component *each = &all->fields[i];
        if (!each->input && each->uses < 2)
            continue;
        each->name = is_taken(all, each->field->name, each->input)
                         ? arena_join(&all->arena, each->owner, "_", each->field->name)
                         : each->field->name;
    }
}

void components_init(struct components *all)
{
    memset(all, 0, sizeof(*all));
    add_inputs(all, common_fields, "common", true);
    add_inputs(all, list_fields, "list", false);
    add_figures(all, answer_meta_fields, "answer");
    for (size_t i = 0; i < answer_meta_fields.n; i++) {
        struct component *each = find(all, &answer_meta_fields.at[i], false);
        if (each)
            each->uses++; /* common to all answers */
    }
    for (size_t i = 0; i < n_routes; i++)
        add_route(all, &routes[i]);
    name_fields(all);
}

void components_free(struct components *all)
{
    free(all->fields);
    free(all->rows);
    arena_free(&all->arena);
}
