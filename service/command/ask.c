/* Without a daemon the catalogue is read from the database and answered by the API's own code: both
 * give the same figures, formats and refusals. */
#include "command/ask.h"

#include "api/resource/query.h"
#include "api/router.h"
#include "command/ask_curl.h"
#include "command/ask_table.h"
#include "base/text.h"
#include "json/body.h"
#include "json/sentences.h"
#include "catalog/live.h"
#include "store/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sysexits.h>
#include <unistd.h>

enum { QUERY_MAX = 64 * 1024, WIDTH_USUAL = 100 };

static const char formats[] = "table,json,csv,tsv,xml,txt,svg";

struct ask {
    const char *url; /* of the daemon; "" if there is none and api has the catalogue */
    const char *format;
    const char *question; /* the path after /v1 */
    struct buf query;
    struct live *live;
    struct api *api;
    struct err no_database; /* why we ask a daemon that the user did not name */
};

static int fail(int code, const char *what, const char *why)
{
    fprintf(stderr, "gpuplan ask: %s%s\n", what, why);
    return code;
}

static int print_usage(void)
{
    puts("usage: gpuplan ask [--url URL] [--format table|json|csv|tsv|xml|txt|svg] QUESTION "
         "[NAME=VALUE ...]\n"
         "\n"
         "QUESTION is an API path under /v1, for example training-plan, break-even/line-items "
         "or gpus;\n"
         "gpuplan --openapi lists them with their parameters, and the shell completes both.\n"
         "\n"
         "  --url URL      the daemon to ask, with curl(1). Default: GPUPLAN_URL; otherwise the\n"
         "                 catalogue is read from the database; without a database, the daemon\n"
         "                 at GPUPLAN_LISTEN is asked\n"
         "  --format F     table by default; its lines fit the terminal, or 100 characters\n"
         "\n"
         "Warnings go to standard error; json and xml contain them.");
    return EX_OK;
}

/* The value of an option, after = or as the next argument; NULL if it is a different option. */
static const char *option_value(const char *name, char **argv, int *i)
{
    size_t n = strlen(name);

    if (strncmp(argv[*i], name, n) != 0)
        return NULL;
    if (argv[*i][n] == '=')
        return argv[*i] + n + 1;
    return argv[*i][n] == '\0' && argv[*i + 1] ? argv[++*i] : NULL;
}

/* Add NAME=VALUE to the query. */
static bool add_pair(struct ask *ask, char *pair)
{
    char *equals = strchr(pair, '=');

    if (!equals || equals == pair)
        return false;
    *equals = '\0';
    buf_text(&ask->query, ask->query.length ? "&" : "");
    buf_encoded(&ask->query, pair);
    buf_char(&ask->query, '=');
    buf_encoded(&ask->query, equals + 1);
    return true;
}

static bool is_path(const char *question)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/";

    return question[0] && question[0] != '-' && question[strspn(question, letters)] == '\0';
}

/* Returns 0, or the exit code of an error. */
static int read_arguments(struct ask *ask, char **argv)
{
    for (int i = 1; argv[i]; i++) {
        const char *url = option_value("--url", argv, &i);
        const char *format = url ? NULL : option_value("--format", argv, &i);
        if (url)
            ask->url = url;
        else if (format)
            ask->format = format;
        else if (!ask->question && is_path(argv[i]))
            ask->question = argv[i];
        else if (!ask->question)
            return fail(EX_USAGE, argv[i], " is neither an option nor a path of the API");
        else if (!add_pair(ask, argv[i]))
            return fail(EX_USAGE, argv[i], ": inputs are written NAME=VALUE");
    }
    if (!ask->question)
        return fail(EX_USAGE, "no question given", ". Try 'gpuplan ask --help'.");
    if (!text_in_list(formats, ask->format))
        return fail(EX_USAGE, ask->format, ": formats are table, json, csv, tsv, xml, txt and svg");
    return 0;
}

static bool open_catalogue(struct ask *ask, const char *database, struct err *err)
{
    struct catalog *catalog;

    json_init();
    if (!store_check(database, query_prepare, &catalog, err))
        return false;
    ask->live = live_new(1);
    live_publish(ask->live, catalog);
    ask->api = api_new(&(struct api_options){.live = ask->live});
    return true;
}

static bool ask_daemon(const char *url, const char *path, const char *query, struct reply *reply,
                       struct err *err)
{
    size_t n = strlen(url);
    struct buf address;

    buf_init(&address, QUERY_MAX);
    buf_print(&address, "%.*s%s?%s", (int)(n - (url[n - 1] == '/')), url, path, query);
    bool answered = ask_curl(buf_data(&address), reply, err);
    buf_free(&address);
    return answered;
}

static void ask_here(struct api *api, const char *path, const char *query, struct reply *reply)
{
    struct request request = {
        .method = METHOD_GET,
        .method_name = "GET",
        .path = path,
        .query = query,
        .host = "",
        .content_type = "",
        .accept = "",
        .if_none_match = "",
        .authorization = "",
        .body = "",
        .client = "",
        .via = "",
        .id = "",
    };

    api_handle(api, &request, reply);
}

/* Ask once, for a format, with additional query parameters. */
static bool ask_once(const struct ask *ask, const char *suffix, const char *more,
                     struct reply *reply, struct err *err)
{
    struct buf path, query;
    bool answered = true;

    buf_init(&path, QUERY_MAX);
    buf_init(&query, QUERY_MAX);
    buf_print(&path, "/v1/%s.%s", ask->question, suffix);
    buf_print(&query, "%s%s%s", buf_data(&ask->query), more[0] && ask->query.length ? "&" : "",
              more);
    reply_init(reply);
    if (ask->api)
        ask_here(ask->api, buf_data(&path), buf_data(&query), reply);
    else
        answered = ask_daemon(ask->url, buf_data(&path), buf_data(&query), reply, err);
    buf_free(&path);
    buf_free(&query);
    return answered;
}

static size_t terminal_width(void)
{
    struct winsize size;

    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : WIDTH_USUAL;
}

static void print_answer(const struct ask *ask, const struct reply *reply)
{
    const char *text = buf_data(&reply->body);
    struct buf table;

    buf_init(&table, REPLY_BODY_MAX);
    if (strcmp(ask->format, "table") == 0) {
        ask_table(text, terminal_width(), &table);
        text = buf_data(&table);
    }
    size_t n = strlen(text);
    printf("%s%s", text, n && text[n - 1] == '\n' ? "" : "\n");
    buf_free(&table);
}

/* For formats that cannot contain warnings. */
static void print_warnings(const struct ask *ask)
{
    struct reply reply = {0};
    struct err err = {0};
    struct buf out;

    if (text_in_list("json,xml", ask->format))
        return;
    buf_init(&out, REPLY_BODY_MAX);
    if (ask_once(ask, "json", "", &reply, &err))
        json_print_warnings(buf_data(&reply.body), "warning: ", &out);
    fputs(buf_data(&out), stderr);
    buf_free(&out);
    reply_free(&reply);
}

/* A program gets the problem document, a person its sentences. */
static int print_refusal(const struct ask *ask, const struct reply *reply)
{
    const char *text = buf_data(&reply->body);
    struct buf out;

    buf_init(&out, REPLY_BODY_MAX);
    if (strcmp(ask->format, "json") == 0)
        print_answer(ask, reply);
    else if (json_print_problem(text, "gpuplan ask: ", &out))
        fputs(buf_data(&out), stderr);
    else
        fail(0, "", text);
    buf_free(&out);
    if (reply->status < 500)
        return EX_USAGE;
    return reply->status == 503 ? EX_UNAVAILABLE : EX_SOFTWARE;
}

static int ask_and_print(const struct ask *ask)
{
    bool table = strcmp(ask->format, "table") == 0;
    struct reply reply;
    struct err err = {0};
    int code = EX_OK;

    if (!ask_once(ask, table ? "tsv" : ask->format, table ? "layout=long" : "", &reply, &err)) {
        fail(0, err.text, "");
        code = ask->no_database.text[0]
                   ? fail(EX_UNAVAILABLE, "nor is there a database: ", ask->no_database.text)
                   : EX_UNAVAILABLE;
    } else if (reply.status >= 400) {
        code = print_refusal(ask, &reply);
    } else {
        print_answer(ask, &reply);
        (void)fflush(stdout); /* warnings are printed after it */
        print_warnings(ask);
    }
    reply_free(&reply);
    return code;
}

/* The same test as in service/run.sh. */
static bool names_database(const struct conf *conf)
{
    const char *host = getenv("PGHOST"), *service = getenv("PGSERVICE");

    return conf->database[0] || (host && host[0]) || (service && service[0]);
}

/* Read the catalogue. If there is none and its location was not configured, ask the daemon that
 * listens on this machine. */
static bool find_catalogue(struct ask *ask, const struct conf *conf, char *url, size_t size)
{
    if (open_catalogue(ask, conf->database, &ask->no_database))
        return true;
    snprintf(url, size, "http://%s", conf->listen);
    ask->url = names_database(conf) ? "" : url;
    return ask->url[0];
}

int ask_run(int argc, char **argv, const struct conf *conf)
{
    struct ask ask = {.url = conf->url, .format = "table"};
    char listener[128];

    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return print_usage();
    buf_init(&ask.query, QUERY_MAX);
    int code = read_arguments(&ask, argv);
    if (!code && !ask.url[0] && !find_catalogue(&ask, conf, listener, sizeof(listener)))
        code = fail(EX_UNAVAILABLE, ask.no_database.text, "; --url asks a daemon instead");
    if (!code)
        code = ask_and_print(&ask);
    api_free(ask.api);
    live_free(ask.live);
    buf_free(&ask.query);
    return code;
}
