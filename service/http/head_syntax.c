#include "http/head_syntax.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Where the next part of the head must begin, because parts are separated only by CR and LF; NULL
 * if the library itself checks that. */
struct head {
    const char *next;
    const char *wrong; /* static text; NULL if nothing is wrong so far */
};

int head_syntax_strictness(void)
{
    return strncmp(MHD_get_version(), "0.", 2) != 0;
}

void head_syntax_hide_query(const char *target)
{
    char *query = head_syntax_strictness() ? NULL : strchr(target, '?');

    if (query)
        query[1] = '\0';
}

/* True if the text is a token (RFC 9110, 5.6.2). */
static bool is_token(const char *text)
{
    /* a bit set of the allowed characters */
    static const uint64_t allowed[4] = {0x3ff6cfa00000000, 0x57ffffffc7fffffe};

    if (!text[0])
        return false;
    for (const unsigned char *p = (const unsigned char *)text; *p; p++)
        if (!(allowed[*p / 64] >> *p % 64 & 1))
            return false;
    return true;
}

static bool has_controls(const char *text)
{
    for (; *text; text++)
        if (((unsigned char)*text < ' ' && *text != '\t') || *text == 0x7f)
            return true;
    return false;
}

/* The library parses the head in place: it replaces the CR and LF at the end of each line by two
 * NULs, and the colon after each name by one. */
static enum MHD_Result check_header(void *cls, enum MHD_ValueKind kind, const char *name,
                                    const char *value)
{
    struct head *head = cls;

    (void)kind;
    if (!is_token(name))
        head->wrong = "a header name contains an invalid character";
    else if (!value || has_controls(value))
        head->wrong = "a header value contains a control character";
    else if (head->next && name != head->next)
        head->wrong = "a line of the head does not end with CR LF, or is folded";
    else if (head->next)
        head->next = value + strlen(value) + 2;
    return head->wrong ? MHD_NO : MHD_YES;
}

/* Check the request line: exactly one blank between its parts. */
static const char *check_line(const struct head_line *line)
{
    const char *target = line->method + strlen(line->method) + 1;

    if (!is_token(line->method))
        return "the method contains an invalid character";
    if (line->version != target + line->target_length + 1 || strchr(line->target, ' ') ||
        has_controls(line->target))
        return "the request line must be a method, an address and HTTP/1.1, with one space "
               "between them";
    return NULL;
}

const char *head_syntax_check(struct MHD_Connection *connection, const struct head_line *line)
{
    const union MHD_ConnectionInfo *size =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    struct head head = {head_syntax_strictness() ? NULL : line->version + strlen(line->version) + 2,
                        check_line(line)};

    if (!head.wrong)
        MHD_get_connection_values(connection, MHD_HEADER_KIND, check_header, &head);
    if (!head.wrong && head.next && (!size || head.next + 2 != line->method + size->header_size))
        head.wrong = "a line of the head does not end with CR LF, or is folded";
    return head.wrong;
}

/* Trailing blanks are not part of a value (RFC 9110, 5.5), but libmicrohttpd before 1.0 keeps
 * them. */
bool head_syntax_is_host(const char *host)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "-._~!$&'()*+,;=%[]:";
    size_t length = strspn(host, allowed);

    return host[length + strspn(host + length, " \t")] == '\0';
}
