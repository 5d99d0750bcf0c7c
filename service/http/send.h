/* send.h - a reply on its way out: the headers every answer carries, and compression. */
#ifndef HTTP_SEND_H
#define HTTP_SEND_H

#include "http/kept.h"
#include "http/worker.h"

/* Queue the reply and free it. A HEAD gets the headers of the GET: libmicrohttpd keeps the body
 * back. `packed` is the body compressed already, empty where it got no smaller; NULL: it has not
 * been tried. Where it may be kept as the answer to a question, it is; NULL: it may not. */
enum MHD_Result send_reply(struct worker *worker, struct MHD_Connection *connection,
                           const struct request *request, struct reply *reply, struct buf *packed,
                           const struct question *question);
/* Queue one that was made before. */
enum MHD_Result send_kept(struct MHD_Connection *connection, const struct kept_reply *kept,
                          const char *id);

/* Whether the client takes gzip; whether the reply may get smaller by it. */
bool send_takes_gzip(struct MHD_Connection *connection);
bool send_worth_gzip(const struct reply *reply);

#endif
