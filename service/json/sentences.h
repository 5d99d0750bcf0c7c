/* sentences.h - extracts sentences from one of our JSON replies: its warnings, or the reasons of a
 * refusal. */
#ifndef JSON_SENTENCES_H
#define JSON_SENTENCES_H

#include "base/buf.h"

#include <stdbool.h>

/* Print the warnings of an answer, one per line prefixed with `begin`; nothing if it has none or is
 * not JSON.
 */
void json_print_warnings(const char *text, const char *begin, struct buf *out);
/* Print the errors of a problem document: a line per input with its name, else its detail. False,
 * printing nothing, if it is not a problem document. */
bool json_print_problem(const char *text, const char *begin, struct buf *out);
/* Print the text of one of an answer's inputs. False, printing nothing, if there is none.
 */
bool json_print_input(const char *text, const char *name, struct buf *out);
/* Print a stored own run: its name, the measured figures and the estimates. */
bool json_print_stored(const char *text, struct buf *out);

#endif
