/* exchange.h - one request from its first line to its queued reply, driven by libmicrohttpd
 * callbacks. */
#ifndef HTTP_EXCHANGE_H
#define HTTP_EXCHANGE_H

#include "http/worker.h"

/* MHD_OPTION_URI_LOG_CALLBACK: creates the exchange, which the next two receive in con_cls. */
void *exchange_begin(void *worker, const char *target, struct MHD_Connection *connection);
/* The MHD_AccessHandlerCallback. */
enum MHD_Result exchange_go_on(void *worker, struct MHD_Connection *connection, const char *url,
                               const char *method, const char *version, const char *data,
                               size_t *size, void **con_cls);
/* MHD_OPTION_NOTIFY_COMPLETED. */
void exchange_end(void *worker, struct MHD_Connection *connection, void **con_cls,
                  enum MHD_RequestTerminationCode code);
/* Free an exchange that was begun but never completed: libmicrohttpd sends no notification for some
 * requests that it aborts, such as those with too many parameters. */
void exchange_abandon(struct worker *worker, struct open_connection *conn);

#endif
