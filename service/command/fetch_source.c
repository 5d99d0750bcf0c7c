#include "command/fetch_source.h"

#include "command/fetch_curl.h"
#include "feed/feed.h"
#include "feed/json_rows.h"
#include "base/arena.h"
#include "base/mem.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char version_mark[] = "{version}";
static const char scheme[] = "https://";

enum { VERSION_MAX = 64, ADDRESS_MAX = 2048 };

/* One source being fetched. */
struct fetch {
    const struct import_source *source;
    const struct fetch_limits *limits;
    struct arena *arena;
    struct fetched *to;
    size_t bytes_left;
    char etag[256];
};

/* The address that is actually requested, on the mirror if there is one. */
static const char *place_of(const struct fetch *fetch, const char *address)
{
    const char *mirror = fetch->limits->mirror;
    size_t n = mirror ? strlen(mirror) : 0;

    while (n && mirror[n - 1] == '/')
        n--;
    return mirror ? arena_print(fetch->arena, "%.*s/%s", (int)n, mirror, address + strlen(scheme))
                  : address;
}

static bool is_address(const char *text)
{
    return strncmp(text, "https://", 8) == 0 || strncmp(text, "http://", 7) == 0;
}

/* Copy from a folder with file names as chosen by wget --mirror. */
static bool copy_file(const char *path, int fd, size_t max, size_t *bytes, struct err *err)
{
    char piece[64 * 1024];
    FILE *file = fopen(path, "re");

    *bytes = 0;
    if (!file)
        return err_set(err, ERR_UNAVAILABLE, "is not in the mirror: %s: %s", path, strerror(errno));
    bool good = true;
    for (size_t n; good && (n = fread(piece, 1, sizeof(piece), file)) > 0; *bytes += n)
        good = *bytes + n <= max
                   ? write(fd, piece, n) == (ssize_t)n || err_set(err, ERR_UNAVAILABLE,
                                                                  "cannot be kept while it is "
                                                                  "read: %s",
                                                                  strerror(errno))
                   : err_set(err, ERR_INVALID, "is larger than %zu MB", max / 1000000);
    good = good && (!ferror(file) || err_set(err, ERR_UNAVAILABLE, "%s cannot be read", path));
    (void)fclose(file);
    return good;
}

/* Refuse a reply with status 200 that is not a price list. */
static bool check_reply(const struct download_reply *reply, struct err *err)
{
    if (reply->status != 200)
        return err_set(err, ERR_UNAVAILABLE, "answers %d", reply->status);
    if (strncmp(reply->type, "text/html", 9) == 0 || strncmp(reply->type, "image/", 6) == 0)
        return err_set(err, ERR_INVALID, "answers with %.40s, which is no price list", reply->type);
    return reply->bytes || err_set(err, ERR_INVALID, "answers with nothing");
}

/* Download one address into the file; sets *unchanged if the ETag matches. */
static bool get(struct fetch *fetch, const char *address, const char *etag, int fd, bool *unchanged,
                struct err *err)
{
    const char *place = place_of(fetch, address);
    struct download_reply reply = {0};
    struct download_request request = {
        .address = place,
        .etag = etag,
        .name = fetch->source->name,
        .seconds = fetch->limits->seconds,
        .bytes_max = fetch->bytes_left,
        .plain_http = fetch->limits->mirror != NULL,
    };

    *unchanged = false;
    if (!is_address(place)) {
        if (!copy_file(place, fd, fetch->bytes_left, &reply.bytes, err))
            return false;
    } else {
        if (!fetch_curl_download(&request, fd, &reply, err))
            return false;
        *unchanged = etag[0] && reply.status == 304;
        if (!*unchanged && !check_reply(&reply, err))
            return false;
    }
    snprintf(fetch->etag, sizeof(fetch->etag), "%s", reply.etag);
    fetch->bytes_left -= reply.bytes;
    fetch->to->bytes += reply.bytes;
    return true;
}

static int open_unnamed(struct err *err)
{
    FILE *file = tmpfile();
    int fd = file ? dup(fileno(file)) : -1;

    if (fd < 0)
        err_set(err, ERR_UNAVAILABLE, "there is no place for a temporary file: %s",
                strerror(errno));
    if (file)
        (void)fclose(file);
    return fd;
}

/* The rows of a JSON document in a file. */
struct row_source {
    const char *where;  /* path of the list, "" for the document itself */
    const char *member; /* the member of each row whose text is read */
    size_t from;        /* offset of the document in the file */
    int fd;
};

/* Pass each row's text to `take` until it returns false. */
static bool read_rows(struct fetch *fetch, const struct row_source *source,
                      bool (*take)(void *context, const char *text), void *context, struct err *err)
{
    const char *names[] = {source->member, NULL};
    struct csv *row = mem_alloc(sizeof(*row));
    size_t from = source->from, n = (size_t)lseek(source->fd, 0, SEEK_END);
    char *at = mmap(NULL, n, PROT_READ, MAP_PRIVATE, source->fd, 0);
    bool good = at != MAP_FAILED || err_set(err, ERR_UNAVAILABLE, "cannot be read again");

    if (good) {
        struct json_rows *rows =
            json_rows_open(at + from, n - from, source->where, names, fetch->arena);
        while (json_rows_next(rows, row) && take(context, row->at[0]))
            continue;
        good = !json_rows_why(rows) ||
               err_set(err, ERR_INVALID, "is not a complete JSON document: %s (line %zu)",
                       json_rows_why(rows), json_rows_line(rows));
        munmap(at, n);
    }
    free(row);
    return good;
}

static bool is_version(const char *text)
{
    size_t n = strlen(text);

    return n > 0 && text[0] != '.' &&
           strspn(text, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._-") == n;
}

/* Read the version that the file contains. */
static bool read_word(int fd, char to[VERSION_MAX])
{
    ssize_t n = pread(fd, to, VERSION_MAX, 0);

    if (n <= 0 || n >= VERSION_MAX)
        return false;
    while (n > 0 && isspace((unsigned char)to[n - 1]))
        n--;
    to[n] = '\0';
    return is_version(to);
}

/* An address from the index: the text before and after the version, and the version. */
struct listed {
    const char *before, *after;
    size_t n_after;
    char *version;
};

/* An index lists JSON files; other formats are next to them. */
static bool take_listed(void *context, const char *text)
{
    const struct listed *listed = context;
    size_t n = strlen(listed->before);
    size_t version = strncmp(text, listed->before, n) == 0 ? strcspn(text + n, "/") : 0;
    const char *after = text + n + version;

    if (!version || version >= VERSION_MAX || strncmp(after, listed->after, listed->n_after) != 0 ||
        strcmp(after + listed->n_after, "json") != 0)
        return true;
    snprintf(listed->version, VERSION_MAX, "%.*s", (int)version, text + n);
    return false;
}

static bool read_index(struct fetch *fetch, const char *folder, const char *after, int fd,
                       char to[VERSION_MAX], struct err *err)
{
    const char *dot = strrchr(after, '.');
    struct listed listed = {
        .before = folder + strlen(scheme) + strcspn(folder + strlen(scheme), "/"),
        .after = after,
        .n_after = dot ? (size_t)(dot + 1 - after) : strlen(after),
        .version = to,
    };
    const struct row_source versions = {.where = "regions.*", .member = "versionUrl", .fd = fd};

    to[0] = '\0';
    return read_rows(fetch, &versions, take_listed, &listed, err) &&
           (is_version(to) || err_set(err, ERR_INVALID, "lists no version of %s", after + 1));
}

/* The current version in the folder, read from the file named by the format. */
static bool read_version(struct fetch *fetch, const struct feed_format *format, const char *folder,
                         const char *after, char to[VERSION_MAX], struct err *err)
{
    const char *address =
        arena_join(fetch->arena, folder, format->index ? format->index : "version");
    int fd = open_unnamed(err);
    bool unchanged;

    if (fd < 0)
        return false;
    bool good = get(fetch, address, "", fd, &unchanged, err);
    if (good && format->index)
        good = read_index(fetch, folder, after, fd, to, err);
    else if (good)
        good = read_word(fd, to) ||
               err_set(err, ERR_INVALID, "says no version, a word of letters and digits");
    close(fd);
    if (good)
        return true;
    struct err said = *err;
    return err_set(err, said.code, "%s %s", address, said.text);
}

/* Insert the version into the address; an already imported version is recognised. */
static bool find_version(struct fetch *fetch, const struct feed_format *format, struct err *err)
{
    const char *url = fetch->source->url, *mark = strstr(url, version_mark);
    char version[VERSION_MAX];

    fetch->to->address = url;
    if (!mark)
        return true;
    const char *folder = arena_part(fetch->arena, url, (size_t)(mark - url));
    if (!read_version(fetch, format, folder, mark + strlen(version_mark), version, err))
        return false;
    fetch->to->address = arena_join(fetch->arena, folder, version, mark + strlen(version_mark));
    fetch->to->etag = arena_text(fetch->arena, version);
    fetch->to->unchanged = !fetch->limits->anew && strcmp(version, fetch->source->etag) == 0;
    return true;
}

struct next_page {
    struct arena *arena;
    const char **to;
};

static bool take_next(void *context, const char *text)
{
    const struct next_page *next = context;

    *next->to = arena_text(next->arena, text);
    return false;
}

/* The address of the next page, read from the page that begins at `from`; "" on the last. */
static bool find_next(struct fetch *fetch, const char *member, int fd, size_t from,
                      const char **next, struct err *err)
{
    struct next_page page = {fetch->arena, next};
    const struct row_source links = {.where = "", .member = member, .from = from, .fd = fd};

    *next = "";
    return read_rows(fetch, &links, take_next, &page, err);
}

/* The next page must be on the same host and not seen before. */
static bool check_next(const struct fetch *fetch, const char *next, const char *const *seen,
                       size_t n, struct err *err)
{
    size_t host = strlen(scheme) + strcspn(fetch->to->address + strlen(scheme), "/");

    for (size_t i = 0; i < n; i++)
        if (strcmp(seen[i], next) == 0)
            return err_set(err, ERR_INVALID, "has pages in a loop: page %zu links to page %zu", n,
                           i + 1);
    if (strncmp(next, fetch->to->address, host) != 0 || (next[host] != '/' && next[host] != ':') ||
        strstr(next, "/../") || strlen(next) >= ADDRESS_MAX)
        return err_set(err, ERR_INVALID, "links to a next page on another host: %.100s", next);
    return n < fetch->limits->pages_max ||
           err_set(err, ERR_INVALID, "has more than %zu pages", fetch->limits->pages_max);
}

/* The public address without the port that some APIs add. */
static const char *drop_port(struct fetch *fetch, const char *next)
{
    const char *port = strstr(next, ":443/");

    return port ? arena_print(fetch->arena, "%.*s%s", (int)(port - next), next, port + 4) : next;
}

static bool add_mark(int fd, const char *mark)
{
    return write(fd, mark, strlen(mark)) == (ssize_t)strlen(mark);
}

/* Join all pages into one document, a list. */
static bool get_pages(struct fetch *fetch, const char *member, int fd, struct err *err)
{
    const char **seen = arena_alloc(fetch->arena, (fetch->limits->pages_max + 1) * sizeof(*seen));
    const char *next = fetch->to->address;
    bool unchanged;

    if (!add_mark(fd, "["))
        return err_set(err, ERR_UNAVAILABLE, "cannot be kept: %s", strerror(errno));
    for (size_t n = 0; next[0]; fetch->to->pages = n) {
        size_t from = (size_t)lseek(fd, 0, SEEK_END);
        seen[n++] = next;
        if (!get(fetch, next, "", fd, &unchanged, err) ||
            !find_next(fetch, member, fd, from, &next, err))
            return false;
        next = drop_port(fetch, next);
        if (next[0] && !check_next(fetch, next, seen, n, err))
            return false;
        if (!add_mark(fd, next[0] ? ",\n" : "]\n"))
            return err_set(err, ERR_UNAVAILABLE, "cannot be kept: %s", strerror(errno));
    }
    return true;
}

bool fetch_source(const struct import_source *source, const struct fetch_limits *limits,
                  struct arena *arena, struct fetched *fetched, struct err *err)
{
    struct fetch fetch = {source, limits, arena, fetched, limits->bytes_max, ""};
    const struct feed_format *format = feed_format_find(source->format);

    *fetched = (struct fetched){.fd = -1, .pages = 1};
    if (!format)
        return err_set(err, ERR_INVALID, "has an unknown format \"%s\"", source->format);
    if (!find_version(&fetch, format, err))
        return false;
    if (fetched->unchanged)
        return true;
    fetched->fd = open_unnamed(err);
    if (fetched->fd < 0)
        return false;
    bool good;
    if (format->next) {
        good = get_pages(&fetch, format->next, fetched->fd, err);
    } else {
        const char *etag = fetched->etag || limits->anew ? "" : source->etag;
        good = get(&fetch, fetched->address, etag, fetched->fd, &fetched->unchanged, err);
        if (!fetched->etag && fetch.etag[0])
            fetched->etag = arena_text(arena, fetch.etag);
    }
    if (good && !fetched->unchanged)
        return true;
    close(fetched->fd);
    fetched->fd = -1;
    return good;
}
