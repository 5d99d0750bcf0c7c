/* socket_activation.h - listening sockets opened by the service manager before it started us
 * (sd_listen_fds(3)).
 *
 * They outlive the process: clients that connect while one daemon stops and the next starts are
 * answered by the next.
 */
#ifndef HTTP_SOCKET_ACTIVATION_H
#define HTTP_SOCKET_ACTIVATION_H

#include "http/listen.h"

/* A duplicate descriptor of the passed socket that listens at this address; -1 if there is none. */
int socket_activation_socket(const struct address *address);

#endif
