/* main.c - the composition root: settings, catalogue, workers, then wait for a signal and drain. */
#include "api/resource/query.h"
#include "api/openapi/openapi.h"
#include "api/router.h"
#include "api/resource/version.h"
#include "command/ask.h"
#include "command/completion.h"
#include "command/fetch.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "settings/conf.h"
#include "ending.h"
#include "settings/exit.h"
#include "http/admin.h"
#include "http/files/static_files.h"
#include "http/listen.h"
#include "http/thread_pool.h"
#include "http/ready.h"
#include "http/server.h"
#include "http/tokens.h"
#include "command/import.h"
#include "command/measure.h"
#include "command/usage.h"
#include "json/body.h"
#include "notify.h"
#include "process.h"
#include "store/load.h"
#include "store/refresh.h"
#include "writing.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#ifndef VERSION
#define VERSION "unknown"
#endif

/* Queue length per compute thread; one client may use half of the queue. Most calculations take
 * milliseconds, a search of all GPUs about a third of a second of one thread, a table of 200
 * searches up to three. If the queue is full, requests are refused immediately. */
enum { COMPUTE_QUEUE = 64 };

/* The process ends this long after the drain; threads still running then are abandoned. On a
 * machine with twice as much to do as it has cores, two seconds were too short for threads that
 * only had to notice. */
enum { END_SECONDS = 5 };

/* The first catalogue may take this long before we listen without one. */
enum { FIRST_CATALOGUE_SECONDS = 10 };

enum { ADMIN_CONNECTIONS = 64, PATH_SIZE = 4096 };

/* All components, in the order in which they are started. */
struct daemon {
    struct conf conf;
    /* One slot per worker, then one per compute thread, then the writer's and the metrics'. */
    struct live *live;
    struct refresh *refresh;
    struct thread_pool *pool;
    struct parallel parallel; /* over the pool */
    struct tokens *tokens;
    struct authorization authorization; /* by the tokens */
    struct writing writing;
    struct api *api;
    struct static_files *files;
    struct server *server, *admin_server;
    struct admin admin;
    atomic_bool ending; /* not ready any more, but still answering */
    struct notify notify;
    uint64_t reloads; /* number reported to the service manager; 0 until ready */
};

/* A wrong setting must be corrected by a person; a missing service may come back. */
static int complain(const struct err *err)
{
    if (!err->n_culprits)
        fprintf(stderr, "gpuplan: %s\n", err->text);
    for (size_t i = 0; i < err->n_culprits; i++)
        fprintf(stderr, "gpuplan: %s: %s\n", err->culprits[i].field, err->culprits[i].text);
    switch (err->code) {
    case ERR_INVALID:
        return EXIT_CONFIG;
    case ERR_INTERNAL:
        return EXIT_BUG;
    default:
        return EXIT_UNAVAILABLE;
    }
}

/* The page's files come first: their names never collide with the API's paths. */
static void handle(void *context, const struct request *request, struct reply *reply)
{
    struct daemon *daemon = context;

    if (!static_files_answer(daemon->files, request, reply))
        api_handle(daemon->api, request, reply);
}

/* What cached replies depend on: the catalogue and the day. */
static uint64_t state(void *context)
{
    const struct daemon *daemon = context;

    return live_serial(daemon->live) << 32 | (uint64_t)clock_days();
}

/* Number of calculations running past their deadline. */
static size_t count_stuck(const struct daemon *daemon)
{
    struct pool_stats stats;

    thread_pool_get_stats(daemon->pool, &stats);
    return stats.stuck;
}

static void get_status(void *context, struct admin_status *status)
{
    struct daemon *daemon = context;
    struct refresh_status refresh = refresh_status(daemon->refresh);
    unsigned slot = daemon->conf.n_workers + daemon->conf.n_compute + 1;
    const struct catalog *catalog = live_enter(daemon->live, slot);

    status->stuck = count_stuck(daemon);
    status->ready = catalog && !status->stuck && !daemon->ending;
    if (catalog) {
        status->offers = catalog->n_offers;
        status->offers_read = catalog->n_offers_read;
        status->gpus = catalog->n_gpus;
        status->models = catalog->n_models;
    }
    live_exit(daemon->live, slot);
    writing_count(&daemon->writing, status);
    status->database_up = refresh.db_up;
    status->database_listening = refresh.listening;
    status->catalog_loaded_at = refresh.last_load_at;
    status->reloads_ok = refresh.reloads_ok;
    status->reloads_failed = refresh.reloads_failed;
    status->reloads_older = refresh.reloads_older;
    snprintf(status->failure, sizeof(status->failure), "%s", refresh.error);
    snprintf(status->lacking, sizeof(status->lacking), "%s", refresh.lacking);
    status->version = VERSION;
    status->model_version = MODEL_VERSION;
}

static void note(const char *text)
{
    log_write(LOG_INFO, text, "%s", "");
}

static bool start_servers(struct daemon *daemon, struct err *err)
{
    const struct conf *conf = &daemon->conf;
    struct server_options options = {
        .listen = conf->listen,
        .setting = "GPUPLAN_LISTEN",
        .workers = conf->n_workers,
        .connections = conf->n_connections,
        .cors_origin = conf->cors_origin,
        .name = "gpuplan/" VERSION,
        .pool = daemon->pool,
        .writer = daemon->writing.pool,
        .clients = {{conf->n_client_connections, COMPUTE_QUEUE * conf->n_compute / 2},
                    conf->rate,
                    conf->trusted_proxies,
                    conf->answers_bytes},
        .state = state,
        .client_s = conf->client_s,
    };
    struct server_options admin_options = {
        .listen = conf->admin_listen,
        .setting = "GPUPLAN_ADMIN_LISTEN",
        .workers = 1,
        .connections = ADMIN_CONNECTIONS,
        .cors_origin = "",
        .name = "gpuplan/" VERSION,
        .clients = {.answers_bytes = conf->answers_bytes},
        .client_s = conf->client_s,
    };

    daemon->server = server_start(&options, handle, daemon, err);
    if (!daemon->server)
        return false;
    daemon->admin = (struct admin){get_status, daemon, daemon->server};
    daemon->admin_server = server_start(&admin_options, admin_handle, &daemon->admin, err);
    return daemon->admin_server &&
           process_write_port(conf->port_file, server_port(daemon->server), err) &&
           process_write_port(conf->admin_port_file, server_port(daemon->admin_server), err);
}

/* Without its files the API is still served, unless the setting names them. */
static bool load_files(struct daemon *daemon, struct err *err)
{
    char path[PATH_SIZE];

    if (!conf_find_static(&daemon->conf, path, sizeof(path))) {
        log_write(LOG_WARN, "no directory static: there is no page", "%s", "");
        return true;
    }
    daemon->files = static_files_load(path, "'none'", err);
    return daemon->files != NULL;
}

/* Start the tokens and the writer thread; reading the catalogue writes nothing. */
static bool start_writing(struct daemon *daemon, struct err *err)
{
    daemon->tokens = tokens_open(daemon->conf.write_tokens_file, err);
    if (!daemon->tokens)
        return false;
    daemon->authorization = (struct authorization){tokens_check, daemon->tokens};
    return writing_start(&daemon->writing, daemon->conf.database, daemon->conf.archive_bytes, err);
}

static bool start(struct daemon *daemon, struct err *err)
{
    const struct conf *conf = &daemon->conf;
    struct refresh_options options = {conf->database, conf->reload_s, conf->spread_s, note,
                                      query_prepare};

    process_raise_limits(conf->n_connections);
    json_init();
    daemon->live = live_new(conf->n_workers + conf->n_compute + 2);
    if (!load_files(daemon, err))
        return false;
    daemon->pool = thread_pool_start(&(struct pool_options){conf->n_compute,
                                                            (size_t)COMPUTE_QUEUE * conf->n_compute,
                                                            conf->calculation_s},
                                     err);
    if (!daemon->pool || !start_writing(daemon, err))
        return false;
    daemon->parallel = (struct parallel){thread_pool_each, daemon->pool, NULL};
    daemon->api = api_new(&(struct api_options){
        daemon->live, &daemon->parallel, &daemon->authorization, &daemon->writing.quotes,
        &daemon->writing.archive, conf->calculation_s, &daemon->writing.measurements});
    daemon->refresh = refresh_start(&options, daemon->live, err);
    if (!daemon->refresh)
        return false;
    /* After this, clients that connect get an answer instead of 503. */
    refresh_wait_first(daemon->refresh, FIRST_CATALOGUE_SECONDS);
    return start_servers(daemon, err);
}

/* After the drain, running calculations are cancelled, and waited for a limited time. */
static void stop(struct daemon *daemon)
{
    struct ending ending;

    daemon->ending = true;
    if (daemon->server && !server_drain(daemon->server, daemon->conf.drain_s))
        log_write(LOG_WARN, "connections are cut", "after_seconds=%g", daemon->conf.drain_s);
    ending_begin(&ending, END_SECONDS);
    if (daemon->pool)
        thread_pool_cancel_all(daemon->pool);
    ending_wait_for(&ending, "requests");
    server_stop(daemon->admin_server); /* it reads the other server's counters, so it stops first */
    server_stop(daemon->server);
    ending_wait_for(&ending, "calculations");
    thread_pool_stop(daemon->pool);
    ending_wait_for(&ending, "changes to be saved");
    writing_stop(&daemon->writing);
    tokens_close(daemon->tokens);
    ending_wait_for(&ending, "the database");
    refresh_stop(daemon->refresh);
    api_free(daemon->api);
    static_files_free(daemon->files);
    live_free(daemon->live);
    ending_done(&ending);
}

/* If a file cannot be read now, its earlier contents stay in use. */
static void reload(const struct daemon *daemon)
{
    struct err err = {0};

    refresh_reload(daemon->refresh);
    if (!tokens_reload(daemon->tokens, &err))
        log_text(LOG_WARN, "the tokens are unchanged", "why", err.text);
}

/* Report once a catalogue is served, and again after each reload. */
static void tell_status(struct daemon *daemon)
{
    struct refresh_status status = refresh_status(daemon->refresh);
    uint64_t reloads = status.reloads_ok + status.reloads_failed;

    if (!status.version[0] || reloads == daemon->reloads)
        return;
    daemon->reloads = reloads;
    notify_send(&daemon->notify, "READY=1\nSTATUS=catalogue %s%s%s", status.version,
                status.error[0] ? "; the last reading failed: " : "", status.error);
}

/* Ping the watchdog only while every worker's loop turns and no calculation is stuck. */
static void tell_life(struct daemon *daemon)
{
    if (daemon->notify.watchdog_seconds > 0 && server_turns(daemon->server) && !count_stuck(daemon))
        notify_send(&daemon->notify, "WATCHDOG=1");
}

/* Seconds to the next health check; short until ready. */
static struct timespec until_look(const struct daemon *daemon)
{
    double watchdog = daemon->notify.watchdog_seconds;

    if (!daemon->reloads)
        return (struct timespec){.tv_nsec = 100000000};
    return (struct timespec){.tv_sec = watchdog >= 9 ? (time_t)(watchdog / 3) : 3};
}

/* Sleep until a signal requests the end; SIGHUP reloads the catalogue and the tokens. */
static void wait_for_end(struct daemon *daemon, const sigset_t *signals)
{
    int got;

    do {
        struct timespec look = until_look(daemon);
        got = sigtimedwait(signals, NULL, &look);
        if (got == SIGHUP) {
            notify_reloading(&daemon->notify);
            reload(daemon);
        }
        tell_status(daemon);
        tell_life(daemon);
    } while (got < 0 || got == SIGHUP);
    notify_send(&daemon->notify, "STOPPING=1");
    log_write(LOG_INFO, "ending", "signal=%d", got);
}

static int serve(struct daemon *daemon)
{
    sigset_t signals;
    struct err err = {0};

    mem_keep_freed();
    /* Block signals before any thread starts, so that only wait_for_end() receives them. */
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, NULL);
    notify_open(&daemon->notify);
    bool started = start(daemon, &err);
    if (started) {
        log_write(LOG_INFO, "serving", "version=%s port=%u admin_port=%u workers=%u", VERSION,
                  server_port(daemon->server), server_port(daemon->admin_server),
                  daemon->conf.n_workers);
        wait_for_end(daemon, &signals);
    }
    stop(daemon);
    notify_close(&daemon->notify);
    return started ? EXIT_OK : complain(&err);
}

/* Check everything needed for serving except the ports, which another daemon may hold. */
static bool check_start(struct daemon *daemon, struct err *err)
{
    struct address address;
    struct client_limits_options options = {.proxies = daemon->conf.trusted_proxies};
    struct client_limits *clients = client_limits_new(&options, err);

    client_limits_free(clients);
    return clients && listen_parse(&address, daemon->conf.listen, err) &&
           listen_parse(&address, daemon->conf.admin_listen, err) && load_files(daemon, err) &&
           (daemon->tokens = tokens_open(daemon->conf.write_tokens_file, err)) != NULL;
}

static int check(struct daemon *daemon)
{
    struct catalog *catalog = NULL;
    struct err err = {0};
    bool good = check_start(daemon, &err);

    static_files_free(daemon->files);
    tokens_close(daemon->tokens);
    if (!good)
        return complain(&err);
    json_init();
    if (!store_check(daemon->conf.database, query_prepare, &catalog, &err)) {
        complain(&err);
        return EXIT_UNAVAILABLE;
    }
    printf("settings and catalogue %s are valid: %zu GPUs, %zu models, %zu offers\n",
           catalog->version, catalog->n_gpus, catalog->n_models, catalog->n_offers);
    catalog_free(catalog);
    return EXIT_OK;
}

static int print_openapi(void)
{
    struct components components;
    struct buf out;

    buf_init(&out, REPLY_BODY_MAX);
    components_init(&components);
    openapi_write(&components, &out);
    components_free(&components);
    fputs(buf_data(&out), stdout);
    buf_free(&out);
    return EXIT_OK;
}

static int print_help(void)
{
    puts("gpuplan - how many GPUs it takes to train or serve a model, and whether to buy or rent "
         "them\n"
         "\n"
         "usage: gpuplan [--help | --version | --check | --ready | --openapi | --dump-config]\n"
         "       gpuplan ask QUESTION [NAME=VALUE ...]\n"
         "       gpuplan import [OPTION ...] FILE-OR-FOLDER ...\n"
         "       gpuplan fetch [OPTION ...] [SOURCE ...]\n"
         "       gpuplan completion bash|zsh\n"
         "       gpuplan measure [OPTION ...] FILE [NAME=VALUE ...]\n"
         "       gpuplan usage [OPTION ...] FILE [NAME=VALUE ...]\n"
         "\n"
         "  --check        read the settings and the catalogue once, and report errors\n"
         "  --ready        ask the running daemon whether it is ready; exit 0 or 69\n"
         "  --openapi      print the API's description as JSON\n"
         "  --dump-config  print the settings in effect\n"
         "  ask            answer an API question, from a daemon or from the database;\n"
         "                 gpuplan ask --help says how\n"
         "  import         import prices, quotes, exchange rates, GPUs or models into the\n"
         "                 catalogue; gpuplan import --help says how\n"
         "  measure        turn a benchmark result into a question; gpuplan measure --help\n"
         "  usage          compare a plan with a cluster's accounting; gpuplan usage --help\n"
         "  fetch          update public price lists; gpuplan fetch --help says how\n"
         "  completion     print a completion script for bash or zsh\n"
         "\n"
         "settings, from the environment:\n");
    conf_print_help();
    return EXIT_OK;
}

/* Run the single command-line option; -1 if unknown. */
static int run_option(const char *option, struct daemon *daemon)
{
    struct err err = {0};

    if (strcmp(option, "--check") == 0)
        return check(daemon);
    if (strcmp(option, "--ready") == 0)
        return ready_ask(daemon->conf.admin_listen, &err) ? EXIT_OK : complain(&err);
    if (strcmp(option, "--openapi") == 0)
        return print_openapi();
    if (strcmp(option, "--dump-config") == 0) {
        conf_print(&daemon->conf);
        return EXIT_OK;
    }
    return -1;
}

/* The subcommands, by first argument. */
static const struct command {
    const char *name;
    int (*run)(int argc, char **argv, const struct conf *conf); /* argv[0] is the name */
} commands[] = {
    {"ask", ask_run},           {"completion", completion_run}, {"fetch", fetch_command},
    {"import", import_command}, {"measure", measure_command},   {"usage", usage_command},
};

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

int main(int argc, char **argv)
{
    struct daemon daemon = {0};
    struct err err = {0};
    const char *option = argc > 1 ? argv[1] : "";

    if (strcmp(option, "--help") == 0)
        return print_help();
    if (strcmp(option, "--version") == 0) {
        puts("gpuplan " VERSION " (formulas " MODEL_VERSION ")");
        return EXIT_OK;
    }
    if (!conf_read(&daemon.conf, &err))
        return complain(&err);
    log_set_level(daemon.conf.level);
    if (argc == 1)
        return serve(&daemon);
    const struct command *command = find_command(option);
    if (command)
        return command->run(argc - 1, argv + 1, &daemon.conf);
    int code = argc == 2 ? run_option(option, &daemon) : -1;
    if (code >= 0)
        return code;
    fputs("gpuplan: unknown option; see gpuplan --help\n", stderr);
    return EXIT_USAGE;
}
