/* connections.h - the connections a worker has open, so that a drain can end the idle ones. */
#ifndef HTTP_CONNECTIONS_H
#define HTTP_CONNECTIONS_H

#include "http/worker.h"

/* The MHD_AcceptPolicyCallback, with the worker: whether the address may have another. */
enum MHD_Result guests_admit(void *worker, const struct sockaddr *address, socklen_t length);

/* MHD_OPTION_NOTIFY_CONNECTION, with the worker. */
void guests_notify(void *worker, struct MHD_Connection *connection, void **guest,
                   enum MHD_ConnectionNotificationCode code);

/* Give every connection without a request under way one more second. */
void guests_hurry(struct worker *worker);

/* From now on it is the client's turn, which has its time for it; or ours, until we answer. */
void guest_waits(const struct worker *worker, struct guest *guest);
void guest_computes(struct guest *guest);

/* End the connections of those whose time is up. */
void guests_cut_slow(struct worker *worker);

#endif
