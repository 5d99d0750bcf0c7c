/* curl(1) rather than libcurl: the daemon is the same program, and would carry the library and its
 * twenty dependencies only for a command that is run elsewhere. curl handles TLS, proxies and
 * names, and prints its own errors on standard error. */
#include "command/ask_curl.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool read_all(int fd, struct buf *out)
{
    char piece[16 * 1024];
    ssize_t n;

    while ((n = read(fd, piece, sizeof(piece))) > 0 || (n < 0 && errno == EINTR))
        if (n > 0)
            buf_add(out, piece, (size_t)n);
    return n == 0 && !out->full;
}

/* Start curl with its output to `pipe_fds` and more options on its standard input, which is -1 for
 * none. */
static bool start(pid_t *pid, const char *address, int options, const int pipe_fds[2],
                  struct err *err)
{
    const char *words[] = {"curl",
                           "--silent",
                           "--show-error",
                           "--globoff",
                           "--proto",
                           "=http,https",
                           "--write-out",
                           "\n%{http_code}",
                           "--url",
                           address,
                           options < 0 ? NULL : "--config",
                           "-",
                           NULL};
    char *arguments[sizeof(words) / sizeof(words[0])]; /* not modified */
    posix_spawn_file_actions_t actions;

    memcpy(arguments, words, sizeof(words));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, pipe_fds[0]);
    posix_spawn_file_actions_addclose(&actions, pipe_fds[1]);
    if (options >= 0)
        posix_spawn_file_actions_adddup2(&actions, options, STDIN_FILENO);
    int failed = posix_spawnp(pid, "curl", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return !failed ||
           err_set(err, ERR_UNAVAILABLE, "asking a daemon requires curl: %s", strerror(failed));
}

/* curl writes the status as the last line, after the body. */
static bool take_status(struct reply *reply)
{
    char *line = reply->body.length ? strrchr(reply->body.data, '\n') : NULL;

    if (!line)
        return false;
    reply->status = (int)strtol(line + 1, NULL, 10);
    *line = '\0';
    reply->body.length = (size_t)(line - reply->body.data);
    return reply->status > 0;
}

static bool ask(const char *address, int options, struct reply *reply, struct err *err)
{
    int fds[2], status = 0;
    pid_t pid;

    if (pipe(fds) != 0)
        return err_set(err, ERR_INTERNAL, "no pipe: %s", strerror(errno));
    bool started = start(&pid, address, options, fds, err);
    close(fds[1]);
    bool whole = started && read_all(fds[0], &reply->body);
    close(fds[0]);
    if (!started)
        return false;
    if (waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0 && whole &&
        take_status(reply))
        return true;
    return err_set(err, ERR_UNAVAILABLE, "%s: no answer", address);
}

bool ask_curl(const char *address, struct reply *reply, struct err *err)
{
    return ask(address, -1, reply, err);
}

/* Add a quoted value in curl's configuration syntax. */
static void add_option(struct buf *out, const char *name, const char *begin, const char *value)
{
    buf_print(out, "%s = \"%s", name, begin);
    for (const char *p = value; *p; p++) {
        if (*p == '"' || *p == '\\')
            buf_char(out, '\\');
        buf_char(out, *p);
    }
    buf_text(out, "\"\n");
}

bool ask_curl_post(const char *address, const char *token, const char *form, struct reply *reply,
                   struct err *err)
{
    struct buf options;
    int fds[2];

    if (pipe(fds) != 0)
        return err_set(err, ERR_INTERNAL, "no pipe: %s", strerror(errno));
    buf_init(&options, PIPE_BUF); /* fits into the pipe before curl reads it */
    add_option(&options, "header", "Authorization: Bearer ", token);
    add_option(&options, "data", "", form);
    bool written =
        !options.full && write(fds[1], options.data, options.length) == (ssize_t)options.length;
    close(fds[1]);
    bool answered = written ? ask(address, fds[0], reply, err)
                            : err_set(err, ERR_INVALID, "more than %d bytes to send", PIPE_BUF);
    close(fds[0]);
    buf_free(&options);
    return answered;
}
