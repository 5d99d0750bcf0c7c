/* send.h - a reply on its way out: the headers every answer carries, and compression. */
#ifndef HTTP_SEND_H
#define HTTP_SEND_H

#include "http/response_cache.h"
#include "http/worker.h"

/* Make the reply's body what goes out, in memory of its length: compressed where the client takes
 * that and it gets smaller. `packed` is the body compressed already, empty where it got no smaller;
 * NULL: it has not been tried. True where it is compressed now. */
bool send_pack(struct worker *worker, struct MHD_Connection *connection, struct reply *reply,
               struct buf *packed);
/* Queue the reply, after send_pack(), and free it. A HEAD gets the headers of the GET:
 * libmicrohttpd keeps the body back. Where it may be kept as the answer to a question, it is; NULL:
 * it may not. */
enum MHD_Result send_reply(struct worker *worker, struct MHD_Connection *connection,
                           const struct request *request, struct reply *reply, bool zipped,
                           const struct question *question);
/* Queue one that was made before. */
enum MHD_Result send_cached(struct MHD_Connection *connection, const struct cached_reply *cached,
                            const char *id);

/* Whether the client takes gzip; whether the reply may get smaller by it. */
bool send_takes_gzip(struct MHD_Connection *connection);
bool send_worth_gzip(const struct reply *reply);

#endif
