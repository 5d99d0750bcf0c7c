/* http_static_files_test.c - which files of a directory are served, under which names, and how. */
#include "http/files/static_files.h"
#include "tap.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "/tmp/files_test.XXXXXX";

static void put(const char *name, const char *text)
{
    char path[200];

    snprintf(path, sizeof(path), "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
        printf("Bail out! cannot write %s\n", path);
        exit(1);
    }
}

static void fill(void)
{
    char path[200], secret[200], script[4000];

    if (!mkdtemp(directory))
        exit(1);
    put("index.html", "<title>page</title>");
    memset(script, 'a', sizeof(script) - 1);
    script[sizeof(script) - 1] = '\0';
    put("app.js", script);
    put(".hidden.html", "no");
    put("notes.md", "no");
    snprintf(path, sizeof(path), "%s/vendor", directory);
    mkdir(path, 0755);
    put("vendor/lib.css", "p{}");
    snprintf(path, sizeof(path), "%s/.git", directory);
    mkdir(path, 0755);
    put(".git/config.txt", "no");
    snprintf(path, sizeof(path), "%s/link.txt", directory);
    snprintf(secret, sizeof(secret), "%s/notes.md", directory);
    if (symlink(secret, path) != 0)
        exit(1);
}

static void clean(void)
{
    static const char *const names[] = {
        "index.html",      "app.js",   ".hidden.html", "notes.md", "vendor/lib.css",
        ".git/config.txt", "link.txt", "vendor",       ".git",     ""};
    char path[200];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
        remove(path);
    }
}

/* The status of a GET, 0 where the files leave the path to somebody else. */
static int get(const struct static_files *files, const char *path, struct reply *reply)
{
    struct request request = {.method = METHOD_GET, .path = path, .if_none_match = ""};

    reply_init(reply);
    return static_files_answer(files, &request, reply) ? reply->status : 0;
}

static void test_names(const struct static_files *files)
{
    static const struct {
        const char *path;
        int status;
    } cases[] = {
        {"/", 200},
        {"/index.html", 200},
        {"/break-even", 200},
        {"/training-plan", 200},
        {"/inference-sizing", 200},
        {"/app.js", 200},
        {"/vendor/lib.css", 200},
        {"/docs", 0}, /* there is no docs.html */
        {"/catalogue", 0},
        {"/.hidden.html", 0},
        {"/.git/config.txt", 0},
        {"/notes.md", 0},
        {"/link.txt", 0},
        {"/vendor", 0},
        {"/vendor/", 0},
        {"/../index.html", 0},
        {"/vendor/../app.js", 0},
        {"//app.js", 0},
        {"/app.js/", 0},
        {"app.js", 0},
        {"", 0},
        {"/v1/gpus", 0},
    };
    struct reply reply;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ok(get(files, cases[i].path, &reply) == cases[i].status, "GET %s: %d", cases[i].path,
           cases[i].status);
        reply_free(&reply);
    }
}

static void test_page(const struct static_files *files)
{
    struct reply reply;

    get(files, "/break-even", &reply);
    is_str(reply.content_type, "text/html; charset=utf-8", "the page is HTML");
    is_str(reply.route, "/break-even", "counted under its own address");
    is_str(reply_get_header(&reply, "Content-Security-Policy"),
           "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
           "connect-src 'self'; form-action 'self'; base-uri 'none'; worker-src 'none'; "
           "frame-ancestors https://portal.example",
           "under a strict policy");
    is_str(reply_get_header(&reply, "Referrer-Policy"), "no-referrer", "that tells nobody");
    is_str(buf_data(reply.lasting), "<title>page</title>", "byte for byte");
    ok(!reply.lasting_gzip || reply.lasting_gzip->length < reply.lasting->length,
       "compressed only where that helps");
    reply_free(&reply);

    get(files, "/app.js", &reply);
    is_str(reply.content_type, "text/javascript; charset=utf-8", "a script is one");
    ok(!reply_get_header(&reply, "Content-Security-Policy"), "and has no policy");
    ok(reply.lasting_gzip && reply.lasting_gzip->length < 200, "it was compressed once");
    char tag[64];
    snprintf(tag, sizeof(tag), "%s", reply_get_header(&reply, "ETag"));
    reply_free(&reply);

    struct request again = {.method = METHOD_HEAD, .path = "/app.js", .if_none_match = tag};
    reply_init(&reply);
    ok(static_files_answer(files, &again, &reply) && reply.status == 304 && !reply.lasting,
       "who has it gets a 304");
    reply_free(&reply);

    struct request post = {.method = METHOD_POST, .path = "/", .if_none_match = ""};
    reply_init(&reply);
    ok(static_files_answer(files, &post, &reply) && reply.status == 405,
       "nobody can post to a page");
    is_str(reply_get_header(&reply, "Allow"), "GET, HEAD, OPTIONS", "and is told so");
    reply_free(&reply);
}

int main(void)
{
    struct err err = {0};
    struct reply reply;
    char path[200];

    fill();
    struct static_files *files = static_files_load(directory, "https://portal.example", &err);
    ok(files, "a directory is read: %s", err.text);
    if (files) {
        test_names(files);
        test_page(files);
    }
    static_files_free(files);
    snprintf(path, sizeof(path), "%s/", directory);
    files = static_files_load(path, "'none'", &err);
    ok(files && get(files, "/vendor/lib.css", &reply) == 200, "a slash behind its name is fine");
    reply_free(&reply);
    static_files_free(files);
    snprintf(path, sizeof(path), "%s/nowhere", directory);
    ok(!static_files_load(path, "'none'", &err) && strstr(err.text, "nowhere"), "none is said: %s",
       err.text);
    snprintf(path, sizeof(path), "%s/app.js", directory);
    ok(!static_files_load(path, "'none'", &err), "a file is no directory: %s", err.text);
    ok(!get(NULL, "/", &reply), "no files, no page");
    reply_free(&reply);
    clean();
    return tap_done();
}
