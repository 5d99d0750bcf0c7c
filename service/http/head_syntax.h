/* head_syntax.h - whether the head of a request is beyond doubt, so that whatever passed it on (a
 * proxy, a load balancer) has read the same request in it as we do.
 *
 * Libmicrohttpd before 1.0 forgives: a line that ends with LF alone, a value that goes on in the
 * next line (which it appends to the header's name), blanks before the colon and in the request
 * line, a NUL that ends a line early. Another reader may see other headers there, or another end,
 * and then one's body is the other's next request. From 1.0 on it writes over such bytes, so that
 * nothing of them can be found here, but can be told to refuse them: head_syntax_strictness().
 *
 * Three cases are left before 1.0, as the library leaves no trace of them: a line that begins with
 * NUL before the request line, which it passes over; LF NUL CR LF, and a line of a colon that ends
 * with LF alone, each of which it takes for the end of the head. No proxy that checks names and
 * values passes them on.
 */
#ifndef HTTP_HEAD_SYNTAX_H
#define HTTP_HEAD_SYNTAX_H

#include <microhttpd.h>
#include <stdbool.h>

/* The request line: method and version where libmicrohttpd has them; the target, which it decodes
 * in place, as it came, or as much of it as may be. */
struct head_line {
    const char *method, *version, *target;
    size_t target_length; /* of the whole */
};

/* What MHD_OPTION_STRICT_FOR_CLIENT is to be: 1 where the library that is loaded, which need not be
 * the one of the build, refuses doubtful lines itself; 0 where it does not, and its other refusals
 * would only take ours away, which are problems. */
int head_syntax_strictness(void);

/* Libmicrohttpd before 1.0 would copy each parameter into the connection's memory, and cut the
 * connection where that is full; nobody asks it for them. For its URI callback, once the target was
 * copied: it hands over its own buffer there, and then reads the query in it up to a NUL. */
void head_syntax_hide_query(const char *target);

/* What is wrong with the head, as static text; NULL where nothing is. Good only for the headers'
 * call of the handler, before a body moves what the library has read. */
const char *head_syntax_check(struct MHD_Connection *connection, const struct head_line *line);

/* A name or an address, and a port: nothing that another reader could split otherwise. */
bool head_syntax_is_host(const char *host);

#endif
