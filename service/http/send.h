/* send.h - a reply on its way out: the headers every answer carries, and compression. */
#ifndef HTTP_SEND_H
#define HTTP_SEND_H

#include "http/worker.h"

/* Queue the reply and free it. A HEAD gets the headers of the GET: libmicrohttpd keeps the body
 * back. */
enum MHD_Result send_reply(struct worker *worker, struct MHD_Connection *connection,
                           const struct request *request, struct reply *reply);

#endif
