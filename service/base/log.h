/* log.h - writes events to standard error, one logfmt line each. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/attr.h"

enum log_level { LOG_AUDIT, LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

/* Drop lines above this level, except LOG_AUDIT, which records changes. Set before any thread
 * starts; the default is LOG_INFO. */
void log_set_level(enum log_level level);

/* `event` names the event; `fmt` gives its key=value pairs, or "". Values are numbers or words:
 * text that may contain blanks or quotes goes through log_text(). */
void log_write(enum log_level level, const char *event, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Log one pair whose value is arbitrary text; it is quoted. */
void log_text(enum log_level level, const char *event, const char *key, const char *value);

#endif
