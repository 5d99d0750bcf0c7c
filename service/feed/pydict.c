#include "feed/pydict.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 8, PATH_MAX_BYTES = 128 };

struct scan {
    const char *from;
    struct pydict *dict;
    size_t used; /* bytes used of dict->text */
    int depth;
    char path[PATH_MAX_BYTES];
    size_t path_length;
};

static bool fail(struct scan *scan, const char *why)
{
    scan->dict->why = why;
    return false;
}

static void skip_blanks(struct scan *scan)
{
    scan->from += strspn(scan->from, " \t");
}

/* If the next character is `c`, skips it and returns true. */
static bool pass(struct scan *scan, char c)
{
    skip_blanks(scan);
    if (*scan->from != c)
        return false;
    scan->from++;
    return true;
}

static bool put(struct scan *scan, char c)
{
    if (scan->used >= PYDICT_TEXT_MAX)
        return fail(scan, "the literal is too long");
    scan->dict->text[scan->used++] = c;
    return true;
}

static bool read_string(struct scan *scan)
{
    char quote = *scan->from++;

    while (*scan->from && *scan->from != quote) {
        char c = *scan->from++;
        if (c == '\\') {
            c = *scan->from++;
            if (c != '\\' && c != '\'' && c != '"')
                return fail(scan, "an escape in a string that is not understood");
        }
        if (!put(scan, c))
            return false;
    }
    if (!*scan->from)
        return fail(scan, "a string is not closed");
    scan->from++;
    return put(scan, '\0');
}

/* A number, True, False or None, verbatim. */
static bool read_word(struct scan *scan)
{
    size_t n =
        strspn(scan->from, "+-.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

    if (!n)
        return fail(scan, "a value is missing");
    for (size_t i = 0; i < n; i++)
        if (!put(scan, scan->from[i]))
            return false;
    scan->from += n;
    return put(scan, '\0');
}

static bool read_scalar(struct scan *scan, const char **value)
{
    skip_blanks(scan);
    *value = scan->dict->text + scan->used;
    return *scan->from == '\'' || *scan->from == '"' ? read_string(scan) : read_word(scan);
}

/* Descend one level to `key`; leave() restores the previous length. */
static bool enter(struct scan *scan, const char *key)
{
    size_t room = sizeof(scan->path) - scan->path_length;
    int n =
        snprintf(scan->path + scan->path_length, room, "%s%s", scan->path_length ? "." : "", key);

    if (n < 0 || (size_t)n >= room)
        return fail(scan, "a key is too long");
    for (char *p = scan->path + scan->path_length; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    scan->path_length += (size_t)n;
    return true;
}

static void leave(struct scan *scan, size_t length)
{
    scan->path_length = length;
    scan->path[length] = '\0';
}

static bool add_value(struct scan *scan)
{
    struct pydict *dict = scan->dict;
    const char *path = dict->text + scan->used, *value;

    if (pydict_find(dict, scan->path))
        return fail(scan, "a key comes twice");
    if (dict->n == PYDICT_VALUES_MAX)
        return fail(scan, "too many values");
    for (size_t i = 0; i <= scan->path_length; i++)
        if (!put(scan, scan->path[i]))
            return false;
    if (!read_scalar(scan, &value))
        return false;
    dict->at[dict->n].path = path;
    dict->at[dict->n++].value = value;
    return true;
}

static bool read_value(struct scan *scan);

static bool read_member(struct scan *scan, bool keyed, // NOLINT(misc-no-recursion): DEPTH_MAX
                        size_t index)
{
    char number[24];
    const char *key = number;
    size_t length = scan->path_length;

    snprintf(number, sizeof(number), "%zu", index);
    if (keyed && (!read_scalar(scan, &key) || !pass(scan, ':')))
        return scan->dict->why ? false : fail(scan, "a colon is missing");
    bool done = enter(scan, key) && read_value(scan);
    leave(scan, length);
    return done;
}

/* The contents between two brackets, members with or without keys. */
static bool read_members(struct scan *scan, char close) // NOLINT(misc-no-recursion): DEPTH_MAX
{
    if (++scan->depth > DEPTH_MAX)
        return fail(scan, "nested too deeply");
    for (size_t i = 0; !pass(scan, close); i++) {
        if (i && !pass(scan, ','))
            return fail(scan, "a comma or a closing bracket is missing");
        if (i && pass(scan, close))
            break;
        if (!read_member(scan, close == '}', i))
            return false;
    }
    scan->depth--;
    return true;
}

static bool read_value(struct scan *scan) // NOLINT(misc-no-recursion): DEPTH_MAX
{
    if (pass(scan, '{'))
        return read_members(scan, '}');
    if (pass(scan, '['))
        return read_members(scan, ']');
    return add_value(scan);
}

bool pydict_read(struct pydict *dict, const char *text)
{
    struct scan scan = {.from = text, .dict = dict};

    dict->n = 0;
    dict->why = NULL;
    if (!pass(&scan, '{'))
        return fail(&scan, "no brace opens it");
    if (!read_members(&scan, '}'))
        return false;
    skip_blanks(&scan);
    return !*scan.from || fail(&scan, "something follows the closing brace");
}

const char *pydict_find(const struct pydict *dict, const char *path)
{
    for (size_t i = 0; i < dict->n; i++)
        if (strcmp(dict->at[i].path, path) == 0)
            return dict->at[i].value;
    return NULL;
}
