/* load.c - load PORT REQUESTS RATE SECONDS CONNECTIONS: requests at a constant rate, open loop.
 *
 * Request n is due n / RATE seconds after the start, whatever became of those before it, and its
 * time is counted from when it was due: if the service, a full set of connections or this program
 * holds it up, that is part of its time. What is due and never gets an answer is an error.
 *
 * SIGTERM ends it early, as if SECONDS had been over.
 *
 * REQUESTS is a file of records: a line "kind statuses length" (statuses as 200 or 200,304), then
 * the request itself. They are sent in turn, again and again. Each second, after a minute
 * every ten, a line on standard error; at the end one JSON object.
 */
#include "base/clock.h"
#include "base/mem.h"
#include "histogram.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { KINDS_MAX = 16, STATUSES_MAX = 4, HEAD_MAX = 16 * 1024, EVENTS = 256 };
static const double PATIENCE_SECONDS = 10;

struct kind {
    char name[32];
    uint64_t errors;
    struct histogram times;
};

struct request {
    struct kind *kind;
    int statuses[STATUSES_MAX];
    const char *bytes;
    size_t length;
};

struct connection {
    int fd;                        /* -1: to be opened */
    const struct request *request; /* NULL: free */
    double due;
    size_t sent, n_head, body_left;
    int status; /* 0: the head is not whole yet */
    bool last;  /* the service closes it after this reply */
    char head[HEAD_MAX];
};

static struct load {
    struct sockaddr_in to;
    double rate, seconds, start;
    struct request *requests;
    size_t n_requests, n_connections, n_free, first_free;
    uint64_t issued, done, errors, wanted;
    double worst_second_ms;
    int epoll, n_kinds;
    struct connection *connections, **free; /* a ring: each has its turn */
    struct kind kinds[KINDS_MAX];
    struct histogram all, second;
    char first_error[256];
} load;

static volatile sig_atomic_t told_to_end;

static void on_signal(int number)
{
    told_to_end = number;
}

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static struct kind *kind_of(const char *name)
{
    int i = 0;

    while (i < load.n_kinds && strcmp(load.kinds[i].name, name) != 0)
        i++;
    if (i == KINDS_MAX)
        fail("too many kinds");
    if (i == load.n_kinds)
        snprintf(load.kinds[load.n_kinds++].name, sizeof(load.kinds[i].name), "%s", name);
    return &load.kinds[i];
}

/* The record at `at`, which it cuts into texts; where the next one begins. */
static char *read_record(char *at, const char *end, struct request *request)
{
    char *kind = at, *statuses = strchr(at, ' '), *body;
    int n = 0;

    if (!statuses)
        fail("a record without statuses");
    *statuses++ = '\0';
    request->kind = kind_of(kind);
    do
        request->statuses[n++] = (int)strtol(statuses, &statuses, 10);
    while (n < STATUSES_MAX && *statuses++ == ',');
    request->length = strtoul(statuses, &body, 10);
    request->bytes = ++body;
    if (body + request->length > end)
        fail("a record that is cut short");
    return body + request->length;
}

static void read_requests(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        fail(path);
    size_t length = (size_t)ftell(file), room = 0;
    char *text = mem_alloc(length + 1);
    rewind(file);
    if (fread(text, 1, length, file) != length || length == 0)
        fail(path);
    fclose(file);
    for (char *at = text; at < text + length;) {
        if (load.n_requests == room) {
            room = 2 * room + 64;
            load.requests = mem_resize(load.requests, room * sizeof(*load.requests));
        }
        memset(&load.requests[load.n_requests], 0, sizeof(*load.requests));
        at = read_record(at, text + length, &load.requests[load.n_requests++]);
    }
}

static void set_free(struct connection *connection)
{
    connection->request = NULL;
    load.free[(load.first_free + load.n_free++) % load.n_connections] = connection;
}

static void hang_up(struct connection *connection)
{
    close(connection->fd);
    connection->fd = -1;
}

static void count(const struct request *request, double due, const char *error)
{
    double waited = clock_monotonic() - due;
    uint64_t us = waited > 0 ? (uint64_t)(1e6 * waited) : 0;

    histogram_add(&load.all, us);
    histogram_add(&load.second, us);
    histogram_add(&request->kind->times, us);
    load.done++;
    load.errors += error != NULL;
    request->kind->errors += error != NULL;
    if (error && !load.first_error[0])
        snprintf(load.first_error, sizeof(load.first_error), "%s: %s: %.*s", request->kind->name,
                 error, (int)strcspn(request->bytes, "\r\n\"\\"), request->bytes);
}

static void end_request(struct connection *connection, const char *error)
{
    count(connection->request, connection->due, error);
    if (error || connection->last)
        hang_up(connection);
    set_free(connection);
}

/* The value of a header, as text that ends somewhere after it; NULL where there is none. */
static const char *header(const char *head, const char *name)
{
    const char *found = strcasestr(head, name);

    return found ? found + strlen(name) : NULL;
}

/* What the head, which is whole now, says of the body; false where that is nothing we read. */
static bool read_head(struct connection *connection, size_t length)
{
    size_t rest = connection->n_head - length;
    char kept = connection->head[length];

    connection->head[length] = '\0';
    const char *size = header(connection->head, "\r\nContent-Length: ");
    const char *close = header(connection->head, "\r\nConnection: close");
    connection->status = connection->n_head > 12 ? (int)strtol(connection->head + 9, NULL, 10) : -1;
    connection->last = close != NULL;
    connection->body_left = size && connection->status != 304 ? strtoul(size, NULL, 10) : 0;
    connection->head[length] = kept;
    if ((!size && connection->status != 304) || rest > connection->body_left)
        return false;
    connection->body_left -= rest;
    return true;
}

static bool allowed(const struct connection *connection)
{
    for (int i = 0; i < STATUSES_MAX; i++)
        if (connection->status == connection->request->statuses[i])
            return true;
    return false;
}

/* Take in `n` bytes that came; an error, or NULL. */
static const char *take(struct connection *connection, const char *bytes, size_t n)
{
    if (connection->status) {
        if (n > connection->body_left)
            return "more than the reply";
        connection->body_left -= n;
        return NULL;
    }
    size_t room = HEAD_MAX - 1 - connection->n_head;
    size_t kept = n < room ? n : room;
    memcpy(connection->head + connection->n_head, bytes, kept);
    connection->n_head += kept;
    const char *end = memmem(connection->head, connection->n_head, "\r\n\r\n", 4);
    if (!end)
        return kept < n ? "a head too long" : NULL;
    if (!read_head(connection, (size_t)(end - connection->head) + 4))
        return "a head of no use";
    return kept < n ? take(connection, bytes + kept, n - kept) : NULL;
}

static void receive(struct connection *connection)
{
    static char bytes[64 * 1024];

    while (connection->fd >= 0) {
        ssize_t n = recv(connection->fd, bytes, sizeof(bytes), 0);
        if (n < 0 && errno == EAGAIN)
            return;
        if (!connection->request) {
            hang_up(connection); /* the service ended an idle one */
            return;
        }
        const char *error = n > 0 ? take(connection, bytes, (size_t)n) : "the connection ended";
        if (!error && (!connection->status || connection->body_left))
            continue;
        if (!error && !allowed(connection))
            error = "a status that it should not have";
        end_request(connection, error);
    }
}

static void transmit(struct connection *connection)
{
    const struct request *request = connection->request;

    while (request && connection->sent < request->length) {
        ssize_t n = send(connection->fd, request->bytes + connection->sent,
                         request->length - connection->sent, MSG_NOSIGNAL);
        if (n < 0 && errno != EAGAIN)
            end_request(connection, strerror(errno));
        if (n < 0)
            return;
        connection->sent += (size_t)n;
    }
}

static bool open_connection(struct connection *connection)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = connection};
    int one = 1;

    connection->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (connection->fd < 0 || epoll_ctl(load.epoll, EPOLL_CTL_ADD, connection->fd, &event) != 0)
        fail("a connection");
    setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    return connect(connection->fd, (struct sockaddr *)&load.to, sizeof(load.to)) == 0 ||
           errno == EINPROGRESS;
}

static double due(uint64_t n)
{
    return load.start + (double)n / load.rate;
}

static void issue(void)
{
    struct connection *connection = load.free[load.first_free];

    load.first_free = (load.first_free + 1) % load.n_connections;
    load.n_free--;
    connection->request = &load.requests[load.issued % load.n_requests];
    connection->due = due(load.issued++);
    connection->sent = connection->n_head = connection->body_left = 0;
    connection->status = 0;
    if (connection->fd < 0 && !open_connection(connection))
        end_request(connection, strerror(errno));
    else
        transmit(connection);
}

static void give_up_late(double now)
{
    for (size_t i = 0; i < load.n_connections; i++)
        if (load.connections[i].request && now - load.connections[i].due > PATIENCE_SECONDS)
            end_request(&load.connections[i], "no answer within ten seconds");
}

/* What came of the second that ends `now`, and of all up to it. */
static void tell_second(double now)
{
    double p99 = histogram_ms(&load.second, 0.99), passed = now - load.start;
    uint64_t overdue = (uint64_t)fmin(passed * load.rate, (double)load.wanted);

    load.worst_second_ms = fmax(load.worst_second_ms, p99);
    if (passed < 60.5 || lround(passed) % 10 == 0)
        fprintf(stderr,
                "%4.0f s %6lu answers, p99 %.2f ms, waiting %lu, errors %lu, p99 so far %.2f\n",
                passed, load.second.count, p99, overdue > load.done ? overdue - load.done : 0,
                load.errors, histogram_ms(&load.all, 0.99));
    memset(&load.second, 0, sizeof(load.second));
}

/* Until the next request is due, if one can be sent, or the next second is over. */
static void wait_events(double until)
{
    struct epoll_event events[EVENTS];
    double left = fmax(0, until - clock_monotonic());
    struct timespec timeout = {(time_t)left, (long)(1e9 * (left - floor(left)))};
    int n = epoll_pwait2(load.epoll, events, EVENTS, &timeout, NULL);

    for (int i = 0; i < n; i++) {
        struct connection *connection = events[i].data.ptr;
        if (connection->fd >= 0)
            transmit(connection);
        receive(connection);
    }
}

/* What is due by now is still waited for: one more than have passed, as the first was due at once.
 */
static void end_early(void)
{
    uint64_t due_now = (uint64_t)((clock_monotonic() - load.start) * load.rate) + 1;

    told_to_end = 0;
    load.wanted = due_now < load.wanted ? due_now : load.wanted;
    load.seconds = (double)load.wanted / load.rate;
}

static void run(void)
{
    double next_second;

    load.start = clock_monotonic();
    next_second = load.start + 1;
    while (load.done < load.wanted && clock_monotonic() < due(load.wanted) + PATIENCE_SECONDS) {
        if (told_to_end)
            end_early();
        while (load.n_free && load.issued < load.wanted && due(load.issued) <= clock_monotonic())
            issue();
        bool can_send = load.n_free && load.issued < load.wanted;
        wait_events(can_send ? fmin(due(load.issued), next_second) : next_second);
        if (clock_monotonic() >= next_second) {
            give_up_late(next_second);
            tell_second(next_second++);
        }
    }
    for (size_t i = 0; i < load.n_connections; i++)
        if (load.connections[i].request)
            end_request(&load.connections[i], "no answer by the end");
    for (; load.issued < load.wanted; load.issued++)
        count(&load.requests[load.issued % load.n_requests], due(load.issued), "never sent");
    if (load.second.count)
        tell_second(fmax(next_second, clock_monotonic()));
}

static void print_times(const char *name, const struct histogram *times, uint64_t errors)
{
    printf("\"%s\": {\"requests\": %lu, \"errors\": %lu, \"p50_ms\": %.3f, \"p90_ms\": %.3f, "
           "\"p99_ms\": %.3f, \"p999_ms\": %.3f, \"max_ms\": %.3f}",
           name, times->count, errors, histogram_ms(times, 0.5), histogram_ms(times, 0.9),
           histogram_ms(times, 0.99), histogram_ms(times, 0.999), 1e-3 * (double)times->max);
}

static void print_report(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    double cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                 1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    printf("{\"rate\": %g, \"seconds\": %g, \"worst_second_p99_ms\": %.3f, \"client_cpu_s\": %.2f, "
           "\"first_error\": \"%s\", ",
           load.rate, load.seconds, load.worst_second_ms, cpu, load.first_error);
    print_times("all", &load.all, load.errors);
    printf(", \"kinds\": {");
    for (int i = 0; i < load.n_kinds; i++) {
        printf("%s", i ? ", " : "");
        print_times(load.kinds[i].name, &load.kinds[i].times, load.kinds[i].errors);
    }
    puts("}}");
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: load PORT REQUESTS RATE SECONDS CONNECTIONS\n");
        return 64;
    }
    load.to = (struct sockaddr_in){.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)strtoul(argv[1], NULL, 10)),
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    (void)signal(SIGTERM, on_signal);
    read_requests(argv[2]);
    load.rate = strtod(argv[3], NULL);
    load.seconds = strtod(argv[4], NULL);
    load.n_connections = strtoul(argv[5], NULL, 10);
    load.wanted = (uint64_t)(load.rate * load.seconds);
    load.epoll = epoll_create1(EPOLL_CLOEXEC);
    load.connections = mem_alloc(load.n_connections * sizeof(*load.connections));
    load.free = mem_alloc(load.n_connections * sizeof(struct connection *));
    for (size_t i = 0; i < load.n_connections; i++) {
        load.connections[i].fd = -1;
        set_free(&load.connections[i]);
    }
    run();
    print_report();
    return 0;
}
