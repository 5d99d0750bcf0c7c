#include "feed/json_rows.h"

#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char UNFINISHED[] = "it ends too early";

enum { DEPTH_MAX = 32, PARTS_MAX = 8, NAME_MAX_BYTES = 256, OUTER_MAX_BYTES = 256 };

/* An open object or list, with the name or index of its current member. */
struct level {
    bool object;
    size_t index; /* counted from 1 */
    char name[NAME_MAX_BYTES];
};

struct json_rows {
    const char *at, *end;
    size_t line, row_line;
    const char *why;
    bool ended;
    struct {
        const char *at;
        size_t n;
    } parts[PARTS_MAX]; /* the parts of the pattern */
    size_t n_parts;
    const char *const *names;
    size_t n_names;
    char (*outer)[OUTER_MAX_BYTES]; /* values of columns up__*, by column */
    size_t *outer_depth;            /* by column, depth of the level that holds the value */
    struct level levels[DEPTH_MAX];
    size_t depth;
    size_t base; /* 1 if the document is a list of documents */
    /* The current row. */
    struct csv *row;
    size_t row_depth; /* depth of its level; 0 if none */
    size_t used;      /* bytes used of row->text */
};

static bool fail(struct json_rows *rows, const char *why)
{
    if (!rows->why)
        rows->why = why;
    return false;
}

struct json_rows *json_rows_open(const char *bytes, size_t n, const char *pattern,
                                 const char *const *names, struct arena *arena)
{
    struct json_rows *rows = arena_alloc(arena, sizeof(*rows));

    *rows = (struct json_rows){.at = bytes, .end = bytes + n, .line = 1, .names = names};
    rows->at += n >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    for (const char *p = pattern; *p && rows->n_parts < PARTS_MAX; p += *p == '.') {
        size_t length = strcspn(p, ".");
        rows->parts[rows->n_parts].at = p;
        rows->parts[rows->n_parts++].n = length;
        p += length;
    }
    while (names[rows->n_names])
        rows->n_names++;
    rows->outer = arena_alloc(arena, (rows->n_names + 1) * sizeof(*rows->outer));
    rows->outer_depth = arena_alloc(arena, (rows->n_names + 1) * sizeof(*rows->outer_depth));
    memset(rows->outer, 0, (rows->n_names + 1) * sizeof(*rows->outer));
    return rows;
}

const char *json_rows_why(const struct json_rows *rows)
{
    return rows->why;
}

size_t json_rows_line(const struct json_rows *rows)
{
    return rows->line;
}

static void skip_blanks(struct json_rows *rows)
{
    for (; rows->at < rows->end && strchr(" \t\r\n", *rows->at) && *rows->at; rows->at++)
        rows->line += *rows->at == '\n';
}

/* If the next token is `c`, skips it and returns true. */
static bool skip_token(struct json_rows *rows, char c)
{
    skip_blanks(rows);
    if (rows->at == rows->end || *rows->at != c)
        return false;
    rows->at++;
    return true;
}

/* Buffer for the text of a value; the excess is dropped and reported. */
struct text {
    char *at;
    size_t n, room; /* room is 0 if the text is not wanted */
    bool full;
};

static void put(struct text *to, char c)
{
    if (to->n + 1 < to->room)
        to->at[to->n++] = c;
    else
        to->full = true;
}

static void put_utf8(struct text *to, unsigned code)
{
    if (code < 0x80) {
        put(to, (char)code);
        return;
    }
    if (code < 0x800) {
        put(to, (char)(0xC0 | code >> 6));
    } else {
        if (code < 0x10000) {
            put(to, (char)(0xE0 | code >> 12));
        } else {
            put(to, (char)(0xF0 | code >> 18));
            put(to, (char)(0x80 | (code >> 12 & 0x3F)));
        }
        put(to, (char)(0x80 | (code >> 6 & 0x3F)));
    }
    put(to, (char)(0x80 | (code & 0x3F)));
}

static bool read_hex(struct json_rows *rows, unsigned *code)
{
    *code = 0;
    for (int i = 0; i < 4; i++, rows->at++) {
        if (rows->at == rows->end || !isxdigit((unsigned char)*rows->at))
            return fail(rows, "an escape \\u without four hexadecimal digits");
        int c = tolower((unsigned char)*rows->at);
        *code = *code << 4 | (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return true;
}

/* Decode an escape; a character above U+FFFF is written as two. */
static bool read_escape(struct json_rows *rows, struct text *to)
{
    static const char from[] = "\"\\/bfnrt", made[] = "\"\\/\b\f\n\r\t";
    unsigned code, low = 0;

    if (rows->at == rows->end)
        return fail(rows, "it ends within a string");
    char c = *rows->at++;
    const char *plain = c ? strchr(from, c) : NULL;
    if (plain) {
        put(to, made[plain - from]);
        return true;
    }
    if (c != 'u')
        return fail(rows, "an escape that JSON does not have");
    if (!read_hex(rows, &code))
        return false;
    if (code >= 0xD800 && code < 0xDC00 && rows->end - rows->at >= 2 && rows->at[0] == '\\' &&
        rows->at[1] == 'u') {
        rows->at += 2;
        if (!read_hex(rows, &low))
            return false;
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    }
    if ((code >= 0xD800 && code < 0xE000) || code > 0x10FFFF || (low && low < 0xDC00) ||
        low >= 0xE000 || code == 0)
        return fail(rows, "an escape that is no character");
    put_utf8(to, code);
    return true;
}

static bool read_string(struct json_rows *rows, struct text *to)
{
    if (!skip_token(rows, '"'))
        return fail(rows, "a name or a text has to begin with a quote");
    for (;;) {
        if (rows->at == rows->end)
            return fail(rows, "it ends within a string");
        char c = *rows->at++;
        if (c == '"')
            return true;
        if ((unsigned char)c < ' ')
            return fail(rows, "a control character in a string");
        if (c != '\\')
            put(to, c);
        else if (!read_escape(rows, to))
            return false;
    }
}

/* A number, true or false verbatim; null gives no text. */
static bool read_word(struct json_rows *rows, struct text *to)
{
    const char *start = rows->at;

    while (rows->at < rows->end &&
           (isalnum((unsigned char)*rows->at) || strchr("+-.", *rows->at)) && *rows->at)
        rows->at++;
    size_t n = (size_t)(rows->at - start);
    bool null = n == 4 && memcmp(start, "null", 4) == 0;
    bool word = null || (n == 4 && memcmp(start, "true", 4) == 0) ||
                (n == 5 && memcmp(start, "false", 5) == 0);
    if (!n && rows->at == rows->end)
        return fail(rows, UNFINISHED);
    if (!word && (!n || (*start != '-' && !isdigit((unsigned char)*start))))
        return fail(rows, "a value is missing");
    for (size_t i = 0; i < n && !null; i++)
        put(to, start[i]);
    return true;
}

static const char *level_name(struct level *level)
{
    if (!level->object)
        snprintf(level->name, sizeof(level->name), "%zu", level->index - 1);
    return level->name;
}

/* The number of levels from the base to `depth` if they match the pattern; SIZE_MAX if one does
 * not. */
static size_t match_levels(struct json_rows *rows, size_t depth)
{
    size_t n = depth - rows->base;

    for (size_t i = 0; i < n && i < rows->n_parts; i++) {
        const char *name = level_name(&rows->levels[rows->base + i]);
        bool wildcard = rows->parts[i].n == 1 && rows->parts[i].at[0] == '*';
        if (!wildcard && (strlen(name) != rows->parts[i].n ||
                          memcmp(name, rows->parts[i].at, rows->parts[i].n) != 0))
            return SIZE_MAX;
    }
    return n;
}

/* Append a member's name to a column's: joined by two underscores, other characters as one. */
static void add_name(char to[NAME_MAX_BYTES], const char *name)
{
    size_t n = strlen(to);

    for (const char *mark = n ? "__" : ""; *mark && n < NAME_MAX_BYTES - 1;)
        to[n++] = *mark++;
    for (; *name && n < NAME_MAX_BYTES - 1; name++)
        to[n++] = isalnum((unsigned char)*name) ? *name : '_';
    to[n] = '\0';
}

static size_t find_column(const struct json_rows *rows, const char *name)
{
    for (size_t i = 0; i < rows->n_names; i++)
        if (strcmp(rows->names[i], name) == 0)
            return i;
    return SIZE_MAX;
}

/* The column of the current value; SIZE_MAX if not wanted. */
static size_t value_column(struct json_rows *rows)
{
    char name[NAME_MAX_BYTES] = "";

    if (rows->row_depth) {
        for (size_t i = rows->row_depth - 1; i < rows->depth; i++)
            add_name(name, level_name(&rows->levels[i]));
    } else {
        if (rows->depth <= rows->base || match_levels(rows, rows->depth - 1) >= rows->n_parts)
            return SIZE_MAX;
        add_name(name, "up");
        add_name(name, level_name(&rows->levels[rows->depth - 1]));
    }
    return find_column(rows, name);
}

static bool read_scalar(struct json_rows *rows)
{
    size_t column = rows->depth ? value_column(rows) : SIZE_MAX;
    struct text to = {0};

    skip_blanks(rows);
    if (column != SIZE_MAX && rows->row_depth) {
        to.at = rows->row->text + rows->used;
        to.room = CSV_RECORD_MAX - rows->used;
    } else if (column != SIZE_MAX) {
        to.at = rows->outer[column];
        to.room = OUTER_MAX_BYTES;
        rows->outer_depth[column] = rows->depth;
    }
    bool string = rows->at < rows->end && *rows->at == '"';
    if (!(string ? read_string(rows, &to) : read_word(rows, &to)))
        return false;
    if (column == SIZE_MAX)
        return true;
    to.at[to.n] = '\0';
    if (to.full || !text_is_utf8(to.at)) {
        to.at[0] = '\0';
        if (rows->row_depth)
            rows->row->why = to.full ? "a row longer than 64 KiB" : "is not UTF-8";
    } else if (rows->row_depth) {
        rows->row->at[column] = to.at;
        rows->used += to.n + 1;
    }
    return true;
}

/* Fill in the columns known before the row is read. */
static void begin_row(struct json_rows *rows)
{
    struct csv *row = rows->row;
    size_t stars = 0;

    rows->row_depth = rows->depth + 1;
    rows->used = 0;
    rows->row_line = rows->line > rows->row_line ? rows->line : rows->row_line + 1;
    row->line = rows->row_line;
    row->start = rows->at - 1;
    row->why = NULL;
    row->n = rows->n_names;
    for (size_t i = 0; i < rows->n_names; i++)
        row->at[i] = rows->outer[i];
    for (size_t i = 0; i < rows->n_parts; i++) {
        char name[16];
        if (rows->parts[i].n != 1 || rows->parts[i].at[0] != '*')
            continue;
        snprintf(name, sizeof(name), "key_%zu", ++stars);
        size_t column = find_column(rows, name);
        if (column != SIZE_MAX)
            row->at[column] = level_name(&rows->levels[rows->base + i]);
    }
}

/* Enter an object or list; an object at the pattern's depth begins a row. */
static bool open_level(struct json_rows *rows, bool object)
{
    if (rows->depth == DEPTH_MAX)
        return fail(rows, "it is nested too deeply");
    if (rows->depth == 0)
        rows->base = !object;
    if (object && !rows->row_depth && rows->depth >= rows->base &&
        match_levels(rows, rows->depth) == rows->n_parts)
        begin_row(rows);
    rows->levels[rows->depth].object = object;
    rows->levels[rows->depth].index = 0;
    rows->levels[rows->depth++].name[0] = '\0';
    return true;
}

/* Sets *row at the end of a row. */
static void close_level(struct json_rows *rows, bool *row)
{
    for (size_t i = 0; i < rows->n_names; i++)
        if (rows->outer_depth[i] == rows->depth)
            rows->outer[i][0] = '\0';
    *row = rows->row_depth == rows->depth;
    if (*row) {
        rows->row_depth = 0;
        rows->row->length = (size_t)(rows->at - rows->row->start);
    }
    rows->depth--;
}

static bool read_name(struct json_rows *rows)
{
    struct level *level = &rows->levels[rows->depth - 1];
    struct text to = {level->name, 0, sizeof(level->name), false};

    if (!read_string(rows, &to))
        return false;
    level->name[to.n] = '\0';
    return skip_token(rows, ':') || fail(rows, "a colon is missing");
}

/* Read one value, or the beginning of one. */
static bool read_value(struct json_rows *rows)
{
    if (skip_token(rows, '{'))
        return open_level(rows, true);
    if (skip_token(rows, '['))
        return open_level(rows, false);
    return read_scalar(rows);
}

/* Continue after the last value, within the open level. */
static bool step(struct json_rows *rows, bool *row)
{
    struct level *level = &rows->levels[rows->depth - 1];

    *row = false;
    if (skip_token(rows, level->object ? '}' : ']')) {
        close_level(rows, row);
        return true;
    }
    if (level->index && !skip_token(rows, ','))
        return fail(rows, rows->at == rows->end ? UNFINISHED : "a comma is missing");
    if (level->object && !read_name(rows))
        return false;
    level->index++;
    return read_value(rows);
}

bool json_rows_next(struct json_rows *rows, struct csv *to)
{
    bool row = false;

    rows->row = to;
    if (rows->why || rows->ended)
        return false;
    if (!rows->depth && !read_value(rows))
        return false;
    while (rows->depth && !row)
        if (!step(rows, &row))
            return false;
    if (rows->depth)
        return row;
    rows->ended = true;
    skip_blanks(rows);
    if (rows->at != rows->end)
        return fail(rows, "something follows its end");
    return row;
}
