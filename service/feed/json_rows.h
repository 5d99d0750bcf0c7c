/* json_rows.h - a pull parser (RFC 8259) that gives the rows of a JSON document one at a time, each
 * with its line; rows that begin on one line are numbered on from it.
 *
 * jansson, which reads request bodies, keeps no lines and holds the whole document; price lists are
 * up to hundreds of megabytes long, and every price is traced to its line.
 *
 * `rows` says where they are: names of members by points, with * for any member or element, as
 * "offers.*"; "" is the document. Each element of a document that is a list is a document of its
 * own. A row's columns are called:
 *
 *     price           a member of it
 *     pricing__prompt a member of a member, or an element by its number; what is neither letter nor
 *                     digit in a name is an underscore
 *     up__id          a member of what the row stands in
 *     key_1           the name that the first * stands for
 */
#ifndef FEED_JSON_ROWS_H
#define FEED_JSON_ROWS_H

#include "base/attr.h"
#include "base/arena.h"
#include "feed/csv.h"

struct json_rows;

/* `bytes` and `names`, which end with NULL, stay with the caller and outlive the reading. */
struct json_rows *json_rows_open(const char *bytes, size_t n, const char *rows,
                                 const char *const *names, struct arena *arena);

/* Read the next row, its columns in the order of the names, "" where it has none. False at the end
 * of the document, or where it cannot be read on: json_rows_why(). */
bool json_rows_next(struct json_rows *rows, struct csv *to) MUST_CHECK;

/* What is wrong with the document, NULL: nothing; and the line it was found on. */
const char *json_rows_why(const struct json_rows *rows);
size_t json_rows_line(const struct json_rows *rows);

#endif
