/* send.h - sends a reply: common headers and compression. */
#ifndef HTTP_SEND_H
#define HTTP_SEND_H

#include "http/response_cache.h"
#include "http/worker.h"

/* Prepare the reply's body for sending, in memory of its exact length: compressed if the client
 * accepts that and it gets smaller. `packed` is the compressed body, empty if it did not get
 * smaller, or NULL if not tried yet. Returns true if the body is now compressed. */
bool send_pack(struct worker *worker, struct MHD_Connection *connection, struct reply *reply,
               struct buf *packed);
/* Queue the reply after send_pack(), and free it. A HEAD gets the same headers as a GET;
 * libmicrohttpd omits the body. Caches the reply under `question` if it is cacheable; NULL for no
 * caching. */
enum MHD_Result send_reply(struct worker *worker, struct MHD_Connection *connection,
                           const struct request *request, struct reply *reply, bool zipped,
                           const struct question *question);
/* Queue a cached reply. */
enum MHD_Result send_cached(struct MHD_Connection *connection, const struct cached_reply *cached,
                            const char *id);

/* True if the client accepts gzip; true if the reply may benefit from it. */
bool send_takes_gzip(struct MHD_Connection *connection);
bool send_worth_gzip(const struct reply *reply);

#endif
