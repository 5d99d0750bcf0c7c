/* openapi.h - the OpenAPI 3.1 document, written from the tables of routes and fields. */
#ifndef API_OPENAPI_OPENAPI_H
#define API_OPENAPI_OPENAPI_H

#include "api/openapi/components.h"

/* The document, as JSON. */
void openapi_write(const struct components *components, struct buf *out);
/* The same of one path alone, with the components it refers to; false where there is no such path.
 */
bool openapi_write_path(const struct components *components, const char *path, size_t length,
                        struct buf *out) MUST_CHECK;

#endif
