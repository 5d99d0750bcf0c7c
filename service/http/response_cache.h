/* response_cache.h - per-worker response cache: a repeated request is neither computed nor
 * formatted nor compressed again.
 *
 * Each worker has its own cache, so there is no locking. An entry is a complete libmicrohttpd
 * response; only the request id differs each time. All replies depend on one number from the
 * handler (server_options.state): when it changes, or when the cache is full, everything is
 * dropped. That needs no bookkeeping, and frequent requests are cached again soon. A request seen
 * only once is never cached, so it evicts nothing.
 */
#ifndef HTTP_RESPONSE_CACHE_H
#define HTTP_RESPONSE_CACHE_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CACHE_BYTES_MAX = 4 * 1024 * 1024 }; /* per worker */

/* Everything in a request that its reply may depend on, verbatim. */
struct question {
    const char *target, *accept, *if_none_match, *content_type;
    const char *body;
    size_t body_length;
    bool posted, takes_gzip;
    uint64_t state; /* as read before the handler was called */
};

struct cached_reply {
    uint64_t hash; /* of the question; 0 if the slot is free */
    char *key;
    size_t key_size;
    struct MHD_Response *response;
    int status;
    const char *route, *format;
    size_t bytes;
};

struct response_cache *response_cache_new(void);
void response_cache_free(struct response_cache *cache); /* NULL is allowed */

/* Drop all entries made in another state. */
void response_cache_expire(struct response_cache *cache, uint64_t state);

/* The cached reply to the same question in the same state, or NULL. */
const struct cached_reply *response_cache_find(struct response_cache *cache,
                                               const struct question *question);

/* Cache a response with the rest of *reply except its key, taking ownership of the response. The
 * returned pointer is valid until the next response_cache_expire() or response_cache_add(). Returns
 * NULL, and the caller keeps ownership, if the response is too large or the request has not been
 * seen before. */
const struct cached_reply *response_cache_add(struct response_cache *cache,
                                              const struct question *question,
                                              const struct cached_reply *reply);

#endif
