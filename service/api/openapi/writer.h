/* writer.h - the state of a document being written, with the components it has referenced so far.
 *
 * Components are written after everything that references them, so a document of one path contains
 * only its own.
 */
#ifndef API_OPENAPI_WRITER_H
#define API_OPENAPI_WRITER_H

#include "api/openapi/components.h"

struct writer {
    struct buf *out;
    const struct components *components;
    struct arena arena;
    /* What has been referenced: parameters and schemas by component, rows by row, the others by
     * route. */
    bool *parameters, *schemas, *rows, *responses, *answers, *bodies;
};

void writer_member(struct buf *out, const char *name, const char *text);
/* "x-label" and, for an input, "x-hint", each followed by a comma. */
void writer_label(struct buf *out, const char *name, bool input);
/* {"$ref": "#/components/KIND/NAME"} */
void writer_reference(struct buf *out, const char *kind, const char *name);
void writer_parameter(struct writer *to, const struct field *field);
/* Schema name of the bodies sent to the route: QuoteRequest. */
const char *writer_body_name(struct writer *to, const struct route *request);
/* "parameters": and "schemas": with everything referenced so far. */
void writer_parameters(struct writer *to);
void writer_schemas(struct writer *to);

#endif
