/* write.h - the writers behind answer_write(), one per format. */
#ifndef ANSWER_WRITE_H
#define ANSWER_WRITE_H

#include "answer/answer.h"

/* `fragments` is this thread's fragment cache, or NULL. */
void json_write(const struct answer *answer, struct json_fragments *fragments, struct buf *out);
void xml_write(const struct answer *answer, struct buf *out);
void html_write(const struct answer *answer, struct buf *out);
void xlsx_write(const struct answer *answer, struct buf *out);
bool csv_write(const struct answer *answer, enum format format, const struct style *style,
               struct buf *out, struct err *err) MUST_CHECK;
bool text_write(const struct answer *answer, const char *field, struct buf *out,
                struct err *err) MUST_CHECK;

#endif
