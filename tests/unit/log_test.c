/* log_test.c - each event one logfmt line, whatever the text. */
#include "base/log.h"
#include "tap.h"

#include <stdlib.h>
#include <unistd.h>

static int from_stderr;
static char line[4096];

/* What has been written to standard error since the last call, without its time. */
static const char *written(void)
{
    fd_set ready;
    struct timeval no_time = {0};

    FD_ZERO(&ready);
    FD_SET(from_stderr, &ready);
    ssize_t n = select(from_stderr + 1, &ready, NULL, NULL, &no_time) == 1
                    ? read(from_stderr, line, sizeof(line) - 1)
                    : 0;
    line[n > 0 ? n : 0] = '\0';
    const char *level = strstr(line, " level=");
    return level ? level + 1 : line;
}

int main(void)
{
    int ends[2];
    char lengthy[5000];

    if (pipe(ends) != 0 || dup2(ends[1], STDERR_FILENO) < 0)
        return 1;
    from_stderr = ends[0];

    log_write(LOG_INFO, "serving", "port=%d workers=%d", 80, 2);
    is_str(written(), "level=info msg=\"serving\" port=80 workers=2\n", "an event with its pairs");
    ok(strncmp(line, "time=20", 7) == 0 && line[24] == 'Z', "and its time: %.25s", line);
    log_write(LOG_WARN, "no \"page\"\\", "%s", "");
    is_str(written(), "level=warn msg=\"no \\\"page\\\"\\\\\" \n", "quotes are escaped");
    log_text(LOG_ERROR, "database", "detail", "relation \"offer\"\ndoes not exist\x1b[31m");
    is_str(written(),
           "level=error msg=\"database\" detail=\"relation \\\"offer\\\" does not exist [31m\"\n",
           "a line stays one line, and no terminal is told anything");
    log_write(LOG_DEBUG, "request", "id=%d", 1);
    is_str(written(), "", "what is below the level is dropped");
    log_set_level(LOG_DEBUG);
    log_write(LOG_DEBUG, "request", "id=%d", 1);
    is_str(written(), "level=debug msg=\"request\" id=1\n", "until the level is lower");
    memset(lengthy, 'x', sizeof(lengthy) - 1);
    lengthy[sizeof(lengthy) - 1] = '\0';
    log_text(LOG_INFO, "long", "text", lengthy);
    written();
    ok(strlen(line) == 1023 && line[1022] == '\n', "a long one is cut, and ends all the same (%zu)",
       strlen(line));
    return tap_done();
}
