/* connections.h - per-worker connection table: admission, timeouts, drain. */
#ifndef HTTP_CONNECTIONS_H
#define HTTP_CONNECTIONS_H

#include "http/worker.h"

/* The record of the connection; never NULL within a call for a request. */
struct open_connection *connection_of(struct MHD_Connection *connection);

/* The MHD_AcceptPolicyCallback; its argument is the worker. Accepts if the address is below its
 * connection limit. */
enum MHD_Result connections_admit(void *worker, const struct sockaddr *address, socklen_t length);

/* MHD_OPTION_NOTIFY_CONNECTION; its argument is the worker. */
void connections_notify(void *worker, struct MHD_Connection *connection, void **conn,
                        enum MHD_ConnectionNotificationCode code);

/* Shorten the timeout of each connection without a request in progress to one second. */
void connections_hurry(struct worker *worker);

/* connection_waits() starts the client's timeout to send or receive; connection_computes() stops it
 * while the answer is being made. */
void connection_waits(const struct worker *worker, struct open_connection *conn);
void connection_computes(struct open_connection *conn);

/* Close connections whose timeout has passed. */
void connections_cut_slow(struct worker *worker);

#endif
