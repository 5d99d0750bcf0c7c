/* ready.h - asks a running daemon whether it is ready, for containers and scripts. */
#ifndef HTTP_READY_H
#define HTTP_READY_H

#include "base/err.h"

/* Request /ready at the admin address; false with the reason if the answer is not 200. */
bool ready_ask(const char *admin_listen, struct err *err);

#endif
