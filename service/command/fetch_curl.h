/* fetch_curl.h - a download by curl(1), run as a process of its own: bounded in bytes, in time and
 * in speed, by https only, and conditional (RFC 9110) where an ETag is known. */
#ifndef COMMAND_FETCH_CURL_H
#define COMMAND_FETCH_CURL_H

#include "base/attr.h"
#include "base/err.h"

#include <stddef.h>

struct download_request {
    const char *address;
    const char *etag;    /* of what is known; "": ask for it in any case */
    const char *name;    /* said where standard error is a terminal; NULL: say nothing */
    const char *seconds; /* it may take, as text */
    size_t bytes_max;
    bool plain_http; /* http is allowed too, for a mirror */
};

struct download_reply {
    int status;     /* of HTTP */
    char etag[256]; /* "": none was sent */
    char type[128]; /* the media type, in lower case */
    size_t bytes;   /* written */
};

/* Append the body of the reply to `fd`. False where no whole reply came. */
bool fetch_curl_download(const struct download_request *request, int fd,
                         struct download_reply *reply, struct err *err) MUST_CHECK;

#endif
