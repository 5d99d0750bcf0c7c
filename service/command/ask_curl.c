/* curl(1) rather than libcurl: the daemon, which is the same program, would carry the library and
 * the twenty it needs for the sake of a command that is run elsewhere. TLS, proxies and names are
 * curl's business; it says itself on standard error what went wrong. */
#include "command/ask_curl.h"

#include <errno.h>
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

/* Start curl with its output in `pipe_fds`. */
static bool start(pid_t *pid, const char *address, const int pipe_fds[2], struct err *err)
{
    const char *words[] = {"curl",        "--silent",    "--show-error",   "--globoff", "--proto",
                           "=http,https", "--write-out", "\n%{http_code}", "--url",     address,
                           NULL};
    char *arguments[sizeof(words) / sizeof(words[0])]; /* which nobody changes */
    posix_spawn_file_actions_t actions;

    memcpy(arguments, words, sizeof(words));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, pipe_fds[0]);
    posix_spawn_file_actions_addclose(&actions, pipe_fds[1]);
    int failed = posix_spawnp(pid, "curl", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return !failed ||
           err_set(err, ERR_UNAVAILABLE, "to ask a daemon takes curl: %s", strerror(failed));
}

/* curl wrote the status as the last line, behind the body. */
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

bool ask_curl(const char *address, struct reply *reply, struct err *err)
{
    int fds[2], status = 0;
    pid_t pid;

    if (pipe(fds) != 0)
        return err_set(err, ERR_INTERNAL, "no pipe: %s", strerror(errno));
    bool started = start(&pid, address, fds, err);
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
