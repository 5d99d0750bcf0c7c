/* log.h - what happened, one logfmt line each on standard error. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/attr.h"

enum log_level { LOG_AUDIT, LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

/* Lines above the level are dropped, except LOG_AUDIT, which records changes. Set before any
 * thread starts; LOG_INFO at first. */
void log_set_level(enum log_level level);

/* `event` says what happened; `fmt` gives its key=value pairs, "" where there are none. Values are
 * numbers or words: text that may hold blanks or quotes goes through log_text(). */
void log_write(enum log_level level, const char *event, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* One pair whose value is any text; it is quoted. */
void log_text(enum log_level level, const char *event, const char *key, const char *value);

#endif
