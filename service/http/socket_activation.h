/* socket_activation.h - socket activation: listening sockets that the service manager opened before
 * it started us (sd_listen_fds(3)).
 *
 * They outlive us: clients that connect while one daemon ends and the next starts are answered
 * by the next.
 */
#ifndef HTTP_SOCKET_ACTIVATION_H
#define HTTP_SOCKET_ACTIVATION_H

#include "http/listen.h"

/* A descriptor of our own for the socket that listens at this address; -1 where none was given. */
int socket_activation_socket(const struct address *address);

#endif
