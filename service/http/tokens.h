/* tokens.h - bearer tokens (RFC 6750) for write access; only their hashes are stored.
 *
 * The file has one line per token, blank lines, and comments that start with #:
 *
 *     name  SHA-256 of the token as 64 hexadecimal digits  [last valid day, yyyy-mm-dd]
 *           [scopes: quotes, imports, measurements, comma-separated; default quotes]
 *
 * Several lines may have the same name. The file is read at startup and by tokens_reload().
 */
#ifndef HTTP_TOKENS_H
#define HTTP_TOKENS_H

#include "base/authorization.h"
#include "base/err.h"

struct tokens;

/* Read the file; "" disables writing. Returns NULL with *err, which never quotes the file, if a
 * line is invalid. */
struct tokens *tokens_open(const char *path, struct err *err);
/* The same from the file's contents in memory. */
struct tokens *tokens_read(const char *text, size_t n, const char *path, struct err *err);
void tokens_close(struct tokens *tokens); /* NULL is allowed */

/* Read the file again; on failure the previous tokens remain. */
bool tokens_reload(struct tokens *tokens, struct err *err) MUST_CHECK;

/* The `check` of struct authorization; its context is the tokens. Its running time does not depend
 * on the hashes. */
enum authorization_verdict tokens_check(void *tokens, const char *authorization,
                                        enum authorization_scope scope,
                                        char who[AUTHORIZATION_NAME_SIZE]);

#endif
