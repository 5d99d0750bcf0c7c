#include "command/measure_store.h"

#include "api/routes/resources.h"
#include "command/ask_curl.h"
#include "json/sentences.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { BODY_MAX = 8 * 1024, TOKEN_MAX = 512 };

static const char MEASURED[] = "measured_", FORMAT[] = "weight_dtype";

static bool is_taken(const char *name)
{
    return fields_find(*measurement_create_resource.in, name) != NULL;
}

static bool is_stated(const struct benchmark_run *run, const char *name)
{
    for (size_t i = 0; i < run->n; i++)
        if (strcmp(run->inputs[i].name, name) == 0)
            return true;
    return false;
}

/* In a question, inputs of the run that differ have the prefix measured_; a stored run has plain
 * names. NULL for inputs that runs do not have. */
static const char *name_of(const struct benchmark_run *run, const char *name)
{
    char measured[128];
    size_t n = strlen(MEASURED);

    snprintf(measured, sizeof(measured), "%s%s", MEASURED, name);
    if (is_stated(run, measured) && !is_taken(measured))
        return NULL;
    return !is_taken(name) && strncmp(name, MEASURED, n) == 0 && is_taken(name + n) ? name + n
                                                                                    : name;
}

static void add(struct buf *body, const char *name, const char *value)
{
    buf_text(body, body->length ? "&" : "");
    buf_encoded(body, name);
    buf_char(body, '=');
    buf_encoded(body, value);
}

static void print_address(struct buf *address, const struct measure_store *store, const char *path)
{
    size_t n = strlen(store->url);

    buf_print(address, "%.*s%s", (int)(n - (store->url[n - 1] == '/')), store->url, path);
}

/* Files seldom state the format of the weights. It is then the default of the daemon's sizing of
 * that model, GPU and engine; if there is none, the daemon refuses the run and names the input. */
static bool add_format(const struct measure_store *store, const struct benchmark_run *run,
                       struct buf *body, struct err *err)
{
    static const char *const asked[] = {"model", "gpu", "engine"};
    struct buf address, query, format;
    struct reply reply;

    if (!is_stated(run, "measured_time_per_output_token_seconds") || is_stated(run, FORMAT))
        return true;
    buf_init(&address, BODY_MAX);
    buf_init(&query, BODY_MAX);
    buf_init(&format, TOKEN_MAX);
    reply_init(&reply);
    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++)
        for (size_t k = 0; k < run->n; k++)
            if (strcmp(run->inputs[k].name, asked[i]) == 0)
                add(&query, asked[i], run->inputs[k].value);
    print_address(&address, store, "/v1/inference-sizing?");
    buf_text(&address, buf_data(&query));
    bool answered = ask_curl(buf_data(&address), &reply, err);
    if (answered && json_print_input(buf_data(&reply.body), FORMAT, &format)) {
        add(body, FORMAT, buf_data(&format));
        fprintf(stderr,
                "gpuplan measure: %s=%s, the default for this model, GPU and engine; add "
                "%s=FORMAT if the weights were stored otherwise\n",
                FORMAT, buf_data(&format), FORMAT);
    }
    buf_free(&address);
    buf_free(&query);
    buf_free(&format);
    reply_free(&reply);
    return answered;
}

/* GGUF formats, such as q4_k_m: a stored run has one of the formats that engines serve. */
static bool has_gguf_weights(const struct benchmark_run *run)
{
    for (size_t i = 0; i < run->n; i++)
        if (strcmp(run->inputs[i].name, FORMAT) == 0)
            return run->inputs[i].value[0] == 'q';
    return false;
}

static bool write_body(const struct measure_store *store, const struct benchmark_run *run,
                       struct buf *body, struct err *err)
{
    if (is_stated(run, "measured_output_tokens_per_second") &&
        !is_stated(run, "measured_time_per_output_token_seconds"))
        return err_set(err, ERR_INVALID,
                       "the file has only tokens per second, but a run is stored by its time per "
                       "output token: add measured_time_per_output_token_seconds=SECONDS "
                       "(trtllm-bench reports it with --streaming), or ask with the run in the "
                       "question, without --store");
    if (has_gguf_weights(run))
        return err_set(err, ERR_INVALID,
                       "runs are not stored with GGUF formats of weights: ask with the run in the "
                       "question, without --store");
    if (run->guessed)
        return err_set(err, ERR_INVALID,
                       "the run guessed tokens ahead (speculative decoding), which stored runs do "
                       "not say: store one without, or ask with the run in the question, without "
                       "--store, and add speculative_tokens");
    add(body, "measurement_set", store->set);
    for (size_t i = 0; i < run->n; i++) {
        const char *name = name_of(run, run->inputs[i].name);
        if (name)
            add(body, name, run->inputs[i].value);
    }
    return add_format(store, run, body, err) &&
           (!body->full || err_set(err, ERR_INVALID, "the run has too many inputs"));
}

/* Read the token; it must be one line of printable characters. */
static bool read_token(const char *path, char token[TOKEN_MAX], struct err *err)
{
    FILE *file = fopen(path, "r");

    if (!file)
        return err_set(err, ERR_INVALID, "%.200s: %s", path, strerror(errno));
    bool read = fgets(token, TOKEN_MAX, file) != NULL;
    (void)fclose(file);
    if (read)
        token[strcspn(token, "\r\n")] = '\0';
    for (const char *p = token; read && *p; p++)
        read = *p > ' ' && *p <= '~';
    return (read && token[0]) || err_set(err, ERR_INVALID, "%.200s: holds no token", path);
}

/* Join the sentences of a problem document on one line in *err. */
static bool refuse(const struct reply *reply, struct err *err)
{
    struct buf out, line;

    buf_init(&out, BODY_MAX);
    bool told = json_print_problem(buf_data(&reply->body), "", &out);
    const char *text = told ? buf_data(&out) : "";

    buf_init(&line, BODY_MAX);
    for (const char *p = text; *p; p++)
        if (*p != '\n')
            buf_char(&line, *p);
        else if (p[1])
            buf_text(&line, "; ");
    if (strstr(text, " is required"))
        buf_text(&line, "; add NAME=VALUE after the file");
    err_set(err, reply->status < 500 ? ERR_INVALID : ERR_UNAVAILABLE,
            "the daemon did not store it (status %d): %s", reply->status,
            told ? buf_data(&line) : "its reply is not from gpuplan");
    buf_free(&line);
    buf_free(&out);
    return false;
}

bool measure_store_run(const struct measure_store *store, const struct benchmark_run *run,
                       struct err *err)
{
    char token[TOKEN_MAX];
    struct buf address, body, told;
    struct reply reply;

    buf_init(&address, BODY_MAX);
    buf_init(&body, BODY_MAX);
    buf_init(&told, BODY_MAX);
    reply_init(&reply);
    print_address(&address, store, "/v1/measurements");
    bool stored = read_token(store->token_file, token, err) && write_body(store, run, &body, err) &&
                  ask_curl_post(buf_data(&address), token, buf_data(&body), &reply, err) &&
                  (reply.status < 300 || refuse(&reply, err));
    if (stored && json_print_stored(buf_data(&reply.body), &told))
        fputs(buf_data(&told), stdout);
    buf_free(&told);
    buf_free(&address);
    buf_free(&body);
    reply_free(&reply);
    return stored;
}
