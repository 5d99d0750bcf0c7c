/* head_syntax.h - strict checks of the request head against request smuggling: whatever forwarded
 * the request (a proxy, a load balancer) must have parsed it as we do.
 *
 * Libmicrohttpd before 1.0 is lenient: it accepts a bare LF as line end, continuation lines (which
 * it appends to the header's name), blanks before the colon and in the request line, and a NUL that
 * ends a line early. Another parser may see other headers or another end of the head, so that part
 * of one request's body becomes the next request. From 1.0 on the library overwrites such bytes, so
 * they cannot be detected here, but it has an option to refuse them: head_syntax_strictness().
 *
 * Three cases remain before 1.0, because the library leaves no trace of them: a line that starts
 * with NUL before the request line, which it skips; LF NUL CR LF; and a line with only a colon that
 * ends with a bare LF. It takes the last two for the end of the head. Proxies that validate names
 * and values do not forward them.
 */
#ifndef HTTP_HEAD_SYNTAX_H
#define HTTP_HEAD_SYNTAX_H

#include <microhttpd.h>
#include <stdbool.h>

/* The request line: method and version as parsed by libmicrohttpd, and the target verbatim,
 * possibly truncated, because libmicrohttpd decodes its own copy in place. */
struct head_line {
    const char *method, *version, *target;
    size_t target_length; /* of the full target */
};

/* The value for MHD_OPTION_STRICT_FOR_CLIENT: 1 if the loaded library (not necessarily the one we
 * were built with) refuses ambiguous lines itself; else 0, since its other refusals would replace
 * ours, which are problem documents. */
int head_syntax_strictness(void);

/* Libmicrohttpd before 1.0 would copy each query parameter into the connection's memory pool and
 * close the connection when that is full, but nothing uses those copies. Call from the URI
 * callback, after copying the target: the callback gets the library's own buffer, from which the
 * query is later parsed up to a NUL. */
void head_syntax_hide_query(const char *target);

/* What is wrong with the head, as static text, or NULL. Valid only during the first handler call,
 * before a body overwrites the library's buffer. */
const char *head_syntax_check(struct MHD_Connection *connection, const struct head_line *line);

/* True if it has only characters of a host name or address and a port, so that every parser splits
 * it the same way. */
bool head_syntax_is_host(const char *host);

#endif
