/* fetch_curl.h - a download by curl(1) in a child process: https only, with limits on size, time
 * and speed, and conditional (RFC 9110) if an ETag is known. */
#ifndef COMMAND_FETCH_CURL_H
#define COMMAND_FETCH_CURL_H

#include "base/attr.h"
#include "base/err.h"

#include <stddef.h>

struct download_request {
    const char *address;
    const char *etag;    /* of the known version; "" for an unconditional request */
    const char *name;    /* shown as progress if standard error is a terminal; NULL for none */
    const char *seconds; /* time limit, as text */
    size_t bytes_max;
    bool plain_http; /* also allow http, for a mirror */
};

struct download_reply {
    int status;     /* HTTP status */
    char etag[256]; /* "" if none was sent */
    char type[128]; /* media type, in lower case */
    size_t bytes;   /* bytes written */
};

/* Append the reply's body to `fd`. False if no complete reply was received. */
bool fetch_curl_download(const struct download_request *request, int fd,
                         struct download_reply *reply, struct err *err) MUST_CHECK;

#endif
