/* writer.h - one document being written, and what it has referred to so far.
 *
 * Components are written after what refers to them, so that a document of one path has only its
 * own.
 */
#ifndef API_OPENAPI_WRITER_H
#define API_OPENAPI_WRITER_H

#include "api/openapi/components.h"

struct writer {
    struct buf *out;
    const struct components *components;
    struct arena arena;
    /* Referred to: parameters and schemas by component, rows by row, the others by route. */
    bool *parameters, *schemas, *rows, *responses, *answers, *bodies;
};

void writer_member(struct buf *out, const char *name, const char *text);
/* "x-label" and, of an input, "x-hint", each with a comma behind. */
void writer_label(struct buf *out, const char *name, bool input);
/* {"$ref": "#/components/KIND/NAME"} */
void writer_reference(struct buf *out, const char *kind, const char *name);
void writer_parameter(struct writer *to, const struct field *field);
/* What bodies sent to the route hold: QuoteRequest. */
const char *writer_body_name(struct writer *to, const struct route *request);
/* "parameters": and "schemas": of all that has been referred to. */
void writer_parameters(struct writer *to);
void writer_schemas(struct writer *to);

#endif
