/* Uses curl(1) for the reasons given in ask_curl.c. It honours HTTPS_PROXY and NO_PROXY; an option
 * makes it ignore .curlrc, which could lift the limits. */
#include "command/fetch_curl.h"

#include "base/clock.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS_MAX = 40, SAID_MAX = 4096 };

/* Printed on standard error after curl's messages. */
static const char write_out[] = "%{stderr}\nstatus=%{http_code}\ntype=%{content_type}\n"
                                "etag=%header{etag}\n";

struct words {
    const char *at[WORDS_MAX];
    size_t n;
};

static void add(struct words *words, const char *name, const char *value)
{
    words->at[words->n++] = name;
    if (value)
        words->at[words->n++] = value;
}

static bool start(const struct download_request *request, int out, int complaints, pid_t *pid,
                  struct err *err)
{
    struct words words = {0};
    char bytes[24], condition[300];
    char *arguments[WORDS_MAX]; /* not modified */
    const char *protocols = request->plain_http ? "=http,https" : "=https";
    posix_spawn_file_actions_t actions;

    snprintf(bytes, sizeof(bytes), "%zu", request->bytes_max);
    snprintf(condition, sizeof(condition), "If-None-Match: %s", request->etag);
    add(&words, "curl", "--disable");
    add(&words, "--silent", "--show-error");
    add(&words, "--globoff", "--location");
    add(&words, "--max-redirs", "5");
    add(&words, "--proto", protocols);
    add(&words, "--proto-redir", protocols);
    add(&words, "--connect-timeout", "20");
    add(&words, "--max-time", request->seconds);
    add(&words, "--max-filesize", bytes);
    add(&words, "--speed-time", "60");
    add(&words, "--speed-limit", "200");
    add(&words, "--user-agent", "gpuplan");
    add(&words, "--write-out", write_out);
    if (request->etag[0])
        add(&words, "--header", condition);
    add(&words, "--url", request->address);
    memcpy(arguments, words.at, sizeof(arguments));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, complaints, STDERR_FILENO);
    int failed = posix_spawnp(pid, "curl", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return !failed || err_set(err, ERR_UNAVAILABLE, "fetching requires curl: %s", strerror(failed));
}

static bool write_all(int fd, const char *bytes, size_t n)
{
    while (n) {
        ssize_t written = write(fd, bytes, n);
        if (written < 0 && errno != EINTR)
            return false;
        bytes += written > 0 ? written : 0;
        n -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

/* Print the progress once a second, overwriting the previous line. */
static void tell(const struct download_request *request, size_t bytes, double *told)
{
    double now = clock_monotonic();

    if (!request->name || !isatty(STDERR_FILENO) || now - *told < 1)
        return;
    *told = now;
    fprintf(stderr, "\r%s: %.1f MB ", request->name, (double)bytes / 1e6);
}

/* curl only limits a body whose length is declared; otherwise the reader must. */
static bool copy(const struct download_request *request, int from, int to, size_t *bytes,
                 struct err *err)
{
    char piece[64 * 1024];
    double told = clock_monotonic();
    ssize_t n;

    *bytes = 0;
    while ((n = read(from, piece, sizeof(piece))) > 0 || (n < 0 && errno == EINTR)) {
        if (n < 0)
            continue;
        *bytes += (size_t)n;
        if (*bytes > request->bytes_max)
            return err_set(err, ERR_INVALID, "is larger than %zu MB", request->bytes_max / 1000000);
        if (!write_all(to, piece, (size_t)n))
            return err_set(err, ERR_UNAVAILABLE, "cannot be kept while it is read: %s",
                           strerror(errno));
        tell(request, *bytes, &told);
    }
    return n == 0 || err_set(err, ERR_UNAVAILABLE, "cannot be read: %s", strerror(errno));
}

/* The value of a line of the report; "" if there is none. */
static void find_value(const char *said, const char *name, char *to, size_t size)
{
    const char *at = strstr(said, name);

    at = at ? at + strlen(name) : "";
    snprintf(to, size, "%.*s", (int)strcspn(at, "\r\n"), at);
}

static void read_report(int fd, char said[SAID_MAX], struct download_reply *reply)
{
    ssize_t n = pread(fd, said, SAID_MAX - 1, 0);
    char status[16];

    said[n > 0 ? n : 0] = '\0';
    find_value(said, "\nstatus=", status, sizeof(status));
    find_value(said, "\ntype=", reply->type, sizeof(reply->type));
    find_value(said, "\netag=", reply->etag, sizeof(reply->etag));
    for (char *p = reply->type; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    reply->status = (int)strtol(status, NULL, 10);
}

/* The part after the number, as in "curl: (28) Operation timed out". */
static const char *complaint(char *said)
{
    char *at = strncmp(said, "curl: (", 7) == 0 ? strchr(said, ')') : NULL;

    at = at && at[1] ? at + 2 : said;
    at[strcspn(at, "\n")] = '\0';
    return at[0] ? at : "curl exited without a message";
}

/* Uses our own words for exit codes (curl(1)) whose message says little. */
static bool complain(const struct download_request *request, int code, char *said, struct err *err)
{
    enum {
        CURL_PROTOCOL = 1,
        CURL_PARTIAL_FILE = 18,
        CURL_TIMED_OUT = 28,
        CURL_REDIRECTS = 47,
        CURL_TOO_LARGE = 63
    };
    const char *in_words = code == CURL_PROTOCOL       ? "redirects to what is not fetched: "
                           : code == CURL_PARTIAL_FILE ? "ends before the length it announced: "
                           : code == CURL_TIMED_OUT    ? "takes too long: "
                           : code == CURL_REDIRECTS    ? "redirects more than five times: "
                                                       : "";

    if (code == CURL_TOO_LARGE)
        return err_set(err, ERR_INVALID, "is larger than %zu MB", request->bytes_max / 1000000);
    return err_set(err, ERR_UNAVAILABLE, "%s%s", in_words, complaint(said));
}

/* Closes the write end of the pipe. */
static bool transfer(const struct download_request *request, int fd, int pipe_fds[2],
                     int complaints, struct download_reply *reply, struct err *err)
{
    char said[SAID_MAX];
    int ended = 0;
    pid_t pid;

    bool good = start(request, pipe_fds[1], complaints, &pid, err);
    close(pipe_fds[1]);
    if (!good)
        return false;
    good = copy(request, pipe_fds[0], fd, &reply->bytes, err);
    if (!good)
        kill(pid, SIGKILL);
    while (waitpid(pid, &ended, 0) < 0 && errno == EINTR)
        ;
    if (!good)
        return false;
    read_report(complaints, said, reply);
    int code = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
    return (code == 0 && reply->status > 0) || complain(request, code, said, err);
}

bool fetch_curl_download(const struct download_request *request, int fd,
                         struct download_reply *reply, struct err *err)
{
    FILE *complaints = tmpfile();
    int fds[2];

    *reply = (struct download_reply){0};
    bool good = complaints && pipe2(fds, O_CLOEXEC) == 0;
    if (good) {
        good = transfer(request, fd, fds, fileno(complaints), reply, err);
        close(fds[0]);
    } else {
        err_set(err, ERR_INTERNAL, "no pipe and no temporary file: %s", strerror(errno));
    }
    if (complaints)
        (void)fclose(complaints);
    if (request->name && isatty(STDERR_FILENO))
        fputs("\r", stderr);
    return good;
}
