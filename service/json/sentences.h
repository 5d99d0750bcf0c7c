/* sentences.h - the sentences in one of our JSON replies: its warnings, or why it is a refusal. */
#ifndef JSON_SENTENCES_H
#define JSON_SENTENCES_H

#include "base/buf.h"

#include <stdbool.h>

/* The warnings of an answer, a line each behind `begin`; nothing where it has none or is no JSON.
 */
void json_print_warnings(const char *text, const char *begin, struct buf *out);
/* What is wrong, by a problem document: a line for each input with its name, else its detail.
 * False, having printed nothing, where the text is none. */
bool json_print_problem(const char *text, const char *begin, struct buf *out);
/* The text of an input that an answer was made with. False, having printed nothing, where it is
 * none.
 */
bool json_print_input(const char *text, const char *name, struct buf *out);
/* A stored own run: its name, the measured figures and the estimates. */
bool json_print_stored(const char *text, struct buf *out);

#endif
