/* guests.h - the connections a worker has open, so that a drain can end the idle ones. */
#ifndef HTTP_GUESTS_H
#define HTTP_GUESTS_H

#include "http/worker.h"

/* MHD_OPTION_NOTIFY_CONNECTION, with the worker. */
void guests_notify(void *worker, struct MHD_Connection *connection, void **guest,
                   enum MHD_ConnectionNotificationCode code);

/* Give every connection without a request under way one more second. */
void guests_hurry(struct worker *worker);

#endif
