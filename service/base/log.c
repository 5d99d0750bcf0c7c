#include "base/log.h"

#include "base/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static enum log_level threshold = LOG_INFO;

/* A line being built; what does not fit is dropped. */
struct line {
    char text[1024];
    size_t length;
};

void log_set_level(enum log_level level)
{
    threshold = level;
}

__attribute__((format(printf, 2, 0))) static void add_list(struct line *line, const char *fmt,
                                                           va_list ap)
{
    size_t room = sizeof(line->text) - 1 - line->length; /* one byte is reserved for the newline */
    int n = vsnprintf(line->text + line->length, room, fmt, ap);

    if (n > 0)
        line->length += (size_t)n < room ? (size_t)n : room - 1;
}

PRINTF_LIKE(2, 3) static void add(struct line *line, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    add_list(line, fmt, ap);
    va_end(ap);
}

/* Add the text in quotes, with inner quotes escaped. */
static void add_quoted(struct line *line, const char *text)
{
    add(line, "\"");
    for (const char *p = text; *p; p++)
        add(line, *p == '"' || *p == '\\' ? "\\%c" : "%c", *p);
    add(line, "\"");
}

static void begin(struct line *line, enum log_level level, const char *event)
{
    static const char *const names[] = {"audit", "error", "warn", "info", "debug"};
    char when[21];

    line->length = 0;
    clock_print(clock_wall(), when);
    add(line, "time=%s level=%s msg=", when, names[level]);
    add_quoted(line, event);
}

/* A single write(), so that lines of several threads do not mix. */
static void end(struct line *line)
{
    for (size_t i = 0; i < line->length; i++)
        if ((unsigned char)line->text[i] < 0x20 || line->text[i] == 0x7f)
            line->text[i] = ' ';
    line->text[line->length++] = '\n';
    if (write(STDERR_FILENO, line->text, line->length) < 0)
        return; /* an error while logging cannot be logged */
}

void log_write(enum log_level level, const char *event, const char *fmt, ...)
{
    struct line line;
    va_list ap;

    if (level > threshold)
        return;
    begin(&line, level, event);
    if (fmt[0]) {
        add(&line, " ");
        va_start(ap, fmt);
        add_list(&line, fmt, ap);
        va_end(ap);
    }
    end(&line);
}

void log_text(enum log_level level, const char *event, const char *key, const char *value)
{
    struct line line;

    if (level > threshold)
        return;
    begin(&line, level, event);
    add(&line, " %s=", key);
    add_quoted(&line, value);
    end(&line);
}
