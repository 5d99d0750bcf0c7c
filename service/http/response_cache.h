/* response_cache.h - per-worker response cache: read once, written once, compressed once.
 *
 * Each worker has its own, so nothing is locked. A reply is kept whole, as a response of the
 * library; only its request id differs each time. All replies depend on one number of the
 * handler's (server_options.state): when it changes, or when the cache is full, everything is
 * dropped. That needs no bookkeeping, and frequent requests are soon back. A request seen only
 * once is never cached, so it displaces nothing.
 */
#ifndef HTTP_RESPONSE_CACHE_H
#define HTTP_RESPONSE_CACHE_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CACHE_BYTES_MAX = 4 * 1024 * 1024 }; /* of a worker */

/* All of a request that its reply may depend on: texts as they came. */
struct question {
    const char *target, *accept, *if_none_match, *content_type;
    const char *body;
    size_t body_length;
    bool posted, takes_gzip;
    uint64_t state; /* before the handler was called */
};

struct cached_reply {
    uint64_t hash; /* of the question; 0: the place is free */
    char *key;
    size_t key_size;
    struct MHD_Response *response;
    int status;
    const char *route, *format;
    size_t bytes;
};

struct response_cache *response_cache_new(void);
void response_cache_free(struct response_cache *cache); /* NULL is fine */

/* Forget what was made in another state. */
void response_cache_expire(struct response_cache *cache, uint64_t state);

/* What was answered to the same question in the same state, NULL: nothing that is known. */
const struct cached_reply *response_cache_find(struct response_cache *cache,
                                               const struct question *question);

/* Cache a response, taking over its reference, with the rest of *reply but its key; the pointer
 * returned is valid until the next response_cache_expire() or response_cache_add(). NULL if it
 * is too large or the request was not seen before; then it stays the caller's. */
const struct cached_reply *response_cache_add(struct response_cache *cache,
                                              const struct question *question,
                                              const struct cached_reply *reply);

#endif
