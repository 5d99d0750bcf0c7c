/* tokens.h - the bearer tokens (RFC 6750) of those who may write, known by their hashes only.
 *
 * The file has a line per token, and blank lines and comments that start with #:
 *
 *     name  SHA-256 of the token as 64 hexadecimal digits  [last day it is good for, yyyy-mm-dd]
 *           [scopes: quotes, imports, measurements, comma-separated; default quotes]
 *
 * Several lines may bear one name. The file is read at the start and at tokens_reload().
 */
#ifndef HTTP_TOKENS_H
#define HTTP_TOKENS_H

#include "base/authorization.h"
#include "base/err.h"

struct tokens;

/* Read the file; "": writing is off. NULL with *err, which never quotes the file, if a line is
 * invalid. */
struct tokens *tokens_open(const char *path, struct err *err);
/* The same of the bytes of that file, which are in memory. */
struct tokens *tokens_read(const char *text, size_t n, const char *path, struct err *err);
void tokens_close(struct tokens *tokens); /* NULL is fine */

/* Read the file again; where it cannot be, those read before stay. */
bool tokens_reload(struct tokens *tokens, struct err *err) MUST_CHECK;

/* The `check` of struct authorization, whose context is the tokens. How long it takes tells nothing
 * of the hashes. */
enum authorization_verdict tokens_check(void *tokens, const char *authorization,
                                        enum authorization_scope scope,
                                        char who[AUTHORIZATION_NAME_SIZE]);

#endif
