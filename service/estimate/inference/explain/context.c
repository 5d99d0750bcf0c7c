#include "estimate/inference/explain/context.h"
#include "estimate/inference/communication.h"

#include "base/buf.h"

#include <math.h>
#include <string.h>

enum { SOURCE_MAX = 1024 };

static void add_page(const struct inference_explain_context *g, struct buf *out, const char *name,
                     size_t n)
{
    bool first = strlen(buf_data(out)) == 0;
    const char *between = first ? "" : "; ";

    if (n == 3 && memcmp(name, "gpu", n) == 0)
        buf_print(out, "%s/v1/gpus/%s", between, g->job->gpu->slug);
    else if (n == 5 && memcmp(name, "model", n) == 0 && g->answer->model)
        buf_print(out, "%s/v1/models/%s", between, g->answer->model);
    else if (n == 5 && memcmp(name, "model", n) == 0)
        buf_print(out, "%sthe shape given, or typical of that many parameters", between);
    else
        buf_print(out, "%s/v1/assumptions?key=%.*s", between, (int)n, name);
}

const char *inference_explain_source(const struct inference_explain_context *g, const char *pages,
                                     const char *words)
{
    struct buf out;

    buf_init(&out, SOURCE_MAX);
    for (const char *p = pages; *p; p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");
        add_page(g, &out, p, n);
        p += n;
    }
    if (words[0])
        buf_print(&out, "%s%s", strlen(buf_data(&out)) > 0 ? "; " : "", words);
    const char *text = arena_text(g->to->arena, buf_data(&out));
    buf_free(&out);
    return text;
}

const char *inference_explain_at(const struct inference_explain_context *g, const char *text,
                                 enum flight flight)
{
    struct buf out;

    buf_init(&out, SOURCE_MAX);
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, "@");
        buf_add(&out, p, n);
        p += n;
        if (*p == '@') {
            buf_text(&out, g->suffix[flight]);
            p++;
        }
    }
    const char *made = arena_text(g->to->arena, buf_data(&out));
    buf_free(&out);
    return made;
}

const char *inference_explain_line(const struct inference_explain_context *g, const char *key)
{
    return g->job->speculation.tokens > 0 ? arena_print(g->to->arena, "%s_step", key) : key;
}

bool inference_explain_linked(const struct inference_job *job, double gpus)
{
    return gpus <= job->gpu->scale_up_domain && isfinite(job->gpu->link_rate) &&
           (job->bridged || !gpu_has_bridge(job->gpu));
}

static bool waits_for_busiest(const struct inference_explain_context *g, bool prompts)
{
    return (prompts ? inference_prompt_busiest(g->inference) : g->inference->busiest) > 1;
}

const char *inference_explain_busiest(const struct inference_explain_context *g, bool prompts)
{
    return waits_for_busiest(g, prompts) ? "busiest_gpu x " : "";
}

static const char *most_received(const struct inference_explain_context *g, bool prompts)
{
    bool over_link = inference_explain_linked(g->job, g->job->tensor);

    return over_link || communication_crosses(g->inference) ? inference_explain_busiest(g, prompts)
                                                            : "";
}

/* Copies of a token that leave its GPU or, over the network, its server: with `once`, one per
 * server. */
static const char *copies_sent(const struct inference_explain_context *g, bool once)
{
    bool few = communication_copies(g->job) < g->job->tensor;
    const char *copies = few ? "min(top_k, tensor_parallel)" : "tensor_parallel";
    struct arena *arena = g->to->arena;

    if (!communication_crosses(g->inference))
        return arena_print(arena, "%s / tensor_parallel x (tensor_parallel - 1)", copies);
    return once ? arena_print(arena,
                              "(replica_servers - 1) x (1 - pow(1 - 1 / replica_servers, %s))",
                              copies)
                : arena_print(arena, "%s x (replica_servers - 1) / replica_servers", copies);
}

const char *inference_explain_exchanged(const struct inference_explain_context *g,
                                        const char *tokens, bool prompts)
{
    static const char *const ring = "2 x (tensor_parallel - 1) / tensor_parallel";
    struct arena *arena = g->to->arena;

    if (prompts && communication_gathers_prompts(g->inference))
        return arena_print(
            arena,
            "2 x moe_layers x %s x %s x width x activation_bytes / (e_link x "
            "exchange_rate)",
            communication_gathers_in_switch(g->inference)
                ? arena_print(arena, "min(%s, (tensor_parallel + 1) / tensor_parallel)", ring)
                : ring,
            tokens);
    return arena_print(arena,
                       "%smoe_layers x %s / tensor_parallel x %s x width x exchange_bytes / (%s x "
                       "exchange_rate)",
                       most_received(g, prompts), tokens, copies_sent(g, prompts),
                       communication_exchange_share(g->inference).key);
}

const char *inference_explain_copies(const struct inference_explain_context *g)
{
    return g->inference->expert_copies > 1 ? " x (1 + expert_redundancy)" : "";
}

const char *inference_explain_products(const struct inference_explain_context *g, bool prompts)
{
    return waits_for_busiest(g, prompts) ? " x (1 + expert_fraction x (busiest_gpu - 1))" : "";
}
