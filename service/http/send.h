/* send.h - a reply on its way out: the headers every answer carries, and compression. */
#ifndef HTTP_SEND_H
#define HTTP_SEND_H

#include "http/response_cache.h"
#include "http/worker.h"

/* Make the reply's body what is sent, in memory of its exact length: compressed if the client
 * accepts that and it gets smaller. `packed` is the body already compressed, empty if that did
 * not make it smaller; NULL: not tried. True if it is compressed now. */
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
