/* json_rows.h - a pull parser (RFC 8259) that yields the rows of a JSON document one at a time,
 * each with its line number; several rows that begin on one line get consecutive numbers.
 *
 * jansson, which reads request bodies, does not track lines and holds the whole document in memory;
 * price lists have up to hundreds of megabytes, and every price is traced to its line.
 *
 * `rows` gives their location: member names separated by dots, with * for any member or element, as
 * in "offers.*"; "" is the document. If the document is a list, each element is treated as a
 * document of its own. A row's columns are named:
 *
 *     price           a member of the row
 *     pricing__prompt a member of a member, or an element by its index; characters other than
 * letters and digits become underscores up__id          a member of the object that contains the
 * row key_1           the name matched by the first *
 */
#ifndef FEED_JSON_ROWS_H
#define FEED_JSON_ROWS_H

#include "base/attr.h"
#include "base/arena.h"
#include "feed/csv.h"

struct json_rows;

/* `bytes` and `names` (terminated by NULL) are borrowed and must outlive the reading. */
struct json_rows *json_rows_open(const char *bytes, size_t n, const char *rows,
                                 const char *const *names, struct arena *arena);

/* Read the next row, its columns in the order of `names`, "" if it has none. False at the end of
 * the document or at an error: see json_rows_why(). */
bool json_rows_next(struct json_rows *rows, struct csv *to) MUST_CHECK;

/* The syntax error, or NULL, and its line. */
const char *json_rows_why(const struct json_rows *rows);
size_t json_rows_line(const struct json_rows *rows);

#endif
