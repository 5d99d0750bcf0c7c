/* openapi.h - writes the OpenAPI 3.1 document from the tables of routes and fields. */
#ifndef API_OPENAPI_OPENAPI_H
#define API_OPENAPI_OPENAPI_H

#include "api/openapi/components.h"

/* Write the document as JSON. */
void openapi_write(const struct components *components, struct buf *out);
/* Write the document of a single path with the components it references; false if there is no such
 * path.
 */
bool openapi_write_path(const struct components *components, const char *path, size_t length,
                        struct buf *out) MUST_CHECK;

#endif
