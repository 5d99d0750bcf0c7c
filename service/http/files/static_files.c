#include "http/files/static_files.h"

#include "base/mem.h"
#include "base/sort.h"
#include "base/text.h"
#include "http/files/workbook_address.h"
#include "http/gzip.h"
#include "http/reply.h"

#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES_MAX = 1000, FILE_MAX = 8 * 1024 * 1024, ADDRESS_MAX = 8 * 1024 };

struct file {
    char *path; /* as in a URL: /chart.js */
    const char *type;
    /* zipped is empty if compression does not help, and for a workbook, whose reply differs by the
     * address of the request */
    struct buf bytes, zipped;
    uint64_t hash;    /* of the bytes */
    bool has_address; /* a workbook that contains the address it fetches from */
};

struct static_files {
    char *policy;
    size_t n;
    struct file at[FILES_MAX];
};

/* Paths of the page that are not file names. */
static const struct page {
    const char *path, *file;
} pages[] = {
    {"/", "/index.html"},
    {"/training-plan", "/index.html"},
    {"/inference-sizing", "/index.html"},
    {"/break-even", "/index.html"},
    {"/recommendation", "/index.html"},
    {"/catalogue", "/catalogue.html"},
    {"/prices", "/catalogue.html"},
    {"/docs", "/docs.html"},
};

static const char *type_of(const char *name)
{
    static const struct {
        const char *ending, *type;
    } types[] = {
        {".html", "text/html; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".mjs", "text/javascript; charset=utf-8"},
        {".svg", "image/svg+xml"},
        {".json", "application/json"},
        {".png", "image/png"},
        {".ico", "image/x-icon"},
        {".woff2", "font/woff2"},
        {".txt", "text/plain; charset=utf-8"},
        {".ods", "application/vnd.oasis.opendocument.spreadsheet"},
        {".xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    };
    const char *dot = strrchr(name, '.');

    for (size_t i = 0; dot && i < sizeof(types) / sizeof(types[0]); i++)
        if (strcmp(types[i].ending, dot) == 0)
            return types[i].type;
    return NULL;
}

static bool read_bytes(struct buf *bytes, const char *path, struct err *err)
{
    char piece[16 * 1024];
    size_t n;
    FILE *in = fopen(path, "rb");

    buf_init(bytes, FILE_MAX);
    if (!in)
        return err_set(err, ERR_INVALID, "cannot read %s: %s", path, strerror(errno));
    while ((n = fread(piece, 1, sizeof(piece), in)) > 0)
        buf_add(bytes, piece, n);
    bool good = !ferror(in) && !bytes->full;
    if (fclose(in) != 0)
        good = false;
    return good || err_set(err, ERR_INVALID, "cannot read %s: at most %d bytes are allowed", path,
                           FILE_MAX - 1);
}

/* `path` is the file's location, `name` its part below the directory, with a leading slash. */
static bool add_file(struct static_files *files, const char *path, const char *name,
                     struct gzip *gzip, struct err *err)
{
    const char *type = type_of(name);

    if (!type)
        return true;
    if (files->n == FILES_MAX)
        return err_set(err, ERR_INVALID, "%s: more than %d files", path, FILES_MAX);
    struct file *file = &files->at[files->n++];
    file->path = mem_text(name);
    file->type = type;
    if (!read_bytes(&file->bytes, path, err))
        return false;
    file->hash = text_hash(TEXT_HASH, buf_data(&file->bytes), file->bytes.length);
    file->has_address = workbook_address_in(&file->bytes);
    if (gzip_helps(type) && file->bytes.length && !file->has_address)
        gzip_pack(gzip, file->bytes.data, file->bytes.length, &file->zipped);
    return true;
}

static bool add_tree(struct static_files *files, FTS *tree, size_t prefix, struct gzip *gzip,
                     struct err *err)
{
    FTSENT *entry;
    bool good = true;

    while (good && (errno = 0, entry = fts_read(tree))) {
        if (entry->fts_level > 0 && entry->fts_name[0] == '.')
            fts_set(tree, entry, FTS_SKIP);
        else if (entry->fts_level == 0 && entry->fts_info == FTS_F)
            good = err_set(err, ERR_INVALID, "%s is not a directory", entry->fts_path);
        else if (entry->fts_info == FTS_F)
            good = add_file(files, entry->fts_path, entry->fts_path + prefix, gzip, err);
        else if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR ||
                 entry->fts_info == FTS_NS)
            good = err_set(err, ERR_INVALID, "cannot read %s: %s", entry->fts_path,
                           strerror(entry->fts_errno));
    }
    if (good && errno)
        return err_set(err, ERR_INVALID, "cannot read the page's files: %s", strerror(errno));
    return good;
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct file *)a)->path, ((const struct file *)b)->path);
}

static bool load_tree(struct static_files *files, const char *directory, struct gzip *gzip,
                      struct err *err)
{
    char *root = mem_text(directory);
    char *roots[] = {root, NULL};
    size_t length = strlen(root);

    while (length > 1 && root[length - 1] == '/')
        root[--length] = '\0';
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
    bool good = tree ? add_tree(files, tree, length, gzip, err)
                     : err_set(err, ERR_INVALID, "cannot open %s: %s", root, strerror(errno));
    if (tree)
        fts_close(tree);
    free(root);
    return good;
}

/* The workbooks offered by the page are client files in a folder next to the page's; the folder is
 * optional. */
static bool load_sheets(struct static_files *files, const char *directory, struct gzip *gzip,
                        struct err *err)
{
    struct buf path;

    buf_init(&path, PATH_MAX);
    buf_print(&path, "%s/../api/sheets", directory);
    bool good = access(buf_data(&path), R_OK) != 0 || load_tree(files, buf_data(&path), gzip, err);
    buf_free(&path);
    return good;
}

struct static_files *static_files_load(const char *directory, const char *frame_ancestors,
                                       struct err *err)
{
    struct static_files *files = mem_alloc(sizeof(*files));
    struct gzip *gzip = gzip_new(GZIP_BEST);
    bool good = load_tree(files, directory, gzip, err) && load_sheets(files, directory, gzip, err);

    gzip_free(gzip);
    struct buf policy;
    buf_init(&policy, 4096);
    buf_print(&policy,
              "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
              "connect-src 'self'; form-action 'self'; base-uri 'none'; worker-src 'none'; "
              "frame-ancestors %s",
              frame_ancestors);
    files->policy = buf_steal(&policy);
    sort_items(files->at, files->n, sizeof(files->at[0]), compare);
    if (good)
        return files;
    static_files_free(files);
    return NULL;
}

void static_files_free(struct static_files *files)
{
    if (!files)
        return;
    for (size_t i = 0; i < files->n; i++) {
        free(files->at[i].path);
        buf_free(&files->at[i].bytes);
        buf_free(&files->at[i].zipped);
    }
    free(files->policy);
    free(files);
}

static int compare_path(const void *path, const void *file)
{
    return strcmp(path, ((const struct file *)file)->path);
}

/* *route is the page's own address, or one common name for all other files. */
static const struct file *find(const struct static_files *files, const char *path,
                               const char **route)
{
    const char *name = path;

    *route = "/static";
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
        if (strcmp(pages[i].path, path) == 0) {
            name = pages[i].file;
            *route = pages[i].path;
        }
    return bsearch(name, files->at, files->n, sizeof(files->at[0]), compare_path);
}

static void add_tag(struct reply *reply, uint64_t hash)
{
    reply_header(reply, "ETag", "\"%016llx\"", (unsigned long long)hash);
}

static void answer_file(const struct file *file, struct reply *reply)
{
    add_tag(reply, file->hash);
    reply->keep = true;
    reply->lasting = &file->bytes;
    reply->lasting_gzip = file->zipped.length ? &file->zipped : NULL;
}

/* A workbook with the address by which it was requested. The reply is not cached, because the cache
 * key does not include Host. */
static void answer_workbook(const struct file *file, const struct request *request,
                            struct reply *reply)
{
    struct buf address;

    buf_init(&address, ADDRESS_MAX);
    buf_print(&address, "http%s://%s", request->encrypted ? "s" : "",
              request->host[0] ? request->host : "127.0.0.1:8080");
    add_tag(reply, text_hash(file->hash, buf_data(&address), address.length));
    workbook_address_fill(&reply->body, &file->bytes, buf_data(&address));
    buf_free(&address);
}

bool static_files_answer(const struct static_files *files, const struct request *request,
                         struct reply *reply)
{
    const char *route;
    const struct file *file = files ? find(files, request->path, &route) : NULL;

    if (!file)
        return false;
    reply->route = route;
    if (request->method != METHOD_GET && request->method != METHOD_HEAD) {
        reply_refuse(reply, 405, "this is a page: GET and HEAD");
        reply_header(reply, "Allow", "GET, HEAD, OPTIONS");
        return true;
    }
    if (file->has_address && request->can_defer) {
        reply->deferred = DEFER_COMPUTE; /* compression takes about ten milliseconds */
        return true;
    }
    if (file->has_address)
        answer_workbook(file, request, reply);
    else
        answer_file(file, reply);
    reply->content_type = file->type;
    reply_header(reply, "Cache-Control", "no-cache"); /* cached, but revalidated each time */
    reply_header(reply, "Vary", "Accept-Encoding");
    if (strncmp(file->type, "text/html", 9) == 0) {
        reply_header(reply, "Content-Security-Policy", "%s", files->policy);
        reply_header(reply, "Referrer-Policy", "no-referrer");
    }
    reply_not_modified(request, reply);
    return true;
}
