#include "api/inference/request_lengths.h"

#include "base/text.h"
#include "estimate/inference/length_mix.h"

#include <math.h>
#include <string.h>

static const char NAME[] = "request_lengths";

enum { BUCKETS_MOST = 100, BUCKET_PARTS = 3 };

static const double TOKENS_MOST = 1e8; /* the range of input_tokens and output_tokens */

/* A number up to the next colon or the end. */
static bool read_part(struct request_context *context, const char **at, double *part)
{
    size_t n = strcspn(*at, ":");
    const char *text = arena_print(context->arena, "%.*s", (int)n, *at);

    *at += n + ((*at)[n] == ':');
    return text_number(text, part);
}

static bool is_length(double tokens, double least)
{
    return tokens >= least && tokens <= TOKENS_MOST && tokens == floor(tokens);
}

/* "512:200:0.7" */
static bool read_bucket(struct request_context *context, const char *item,
                        struct length_bucket *bucket, struct err *err)
{
    double *const parts[BUCKET_PARTS] = {&bucket->input_tokens, &bucket->output_tokens,
                                         &bucket->share};
    const char *at = item;
    bool good = true;

    for (int i = 0; i < BUCKET_PARTS && good; i++)
        good = (i == 0 || at[-1] == ':') && read_part(context, &at, parts[i]);
    if (!good || *at || at[-1] == ':' || !is_length(bucket->input_tokens, 1) ||
        !is_length(bucket->output_tokens, 0) || !(bucket->share > 0) || !isfinite(bucket->share))
        return context_refuse(context, err, NAME, "not_a_list",
                              "must be prompt tokens, answer tokens and share of each bucket, "
                              "such as 512:200:0.7,8000:500:0.3; %s is not",
                              item);
    bucket->output_tokens = fmax(1, bucket->output_tokens);
    return true;
}

static bool read_buckets(struct request_context *context, const char *list,
                         struct length_bucket *buckets, size_t *n, struct err *err)
{
    *n = 0;
    for (const char *p = list; *p;) {
        size_t length = strcspn(p, ",");
        if (*n == BUCKETS_MOST)
            return context_refuse(context, err, NAME, "too_many", "has more than %d buckets",
                                  BUCKETS_MOST);
        if (!read_bucket(context, arena_print(context->arena, "%.*s", (int)length, p), &buckets[*n],
                         err))
            return false;
        ++*n;
        p += length + (p[length] == ',');
    }
    return true;
}

/* A model of embeddings or a reranker reads prompts; an encoder's prompts share nothing, as each
 * token depends on those after it. */
static bool read_nothing_written(struct request_context *context,
                                 const struct inference_sizing_in *in, const struct model *model,
                                 struct err *err)
{
    bool good = true;

    if (!context_given(context, "output_tokens"))
        context_set_number(context, "output_tokens", 0, SOURCE_CATALOG,
                           arena_join(context->arena, "/v1/models/", model->slug));
    else if (in->output_tokens > 1)
        good = context_refuse(context, err, "output_tokens", "contradiction",
                              "is 0 for %s: it reads texts and writes none", model->slug);
    if (!model->encoder)
        return good;
    if (context_given(context, "prefix_cache_ratio") && in->prefix_cache_ratio > 0)
        good = context_refuse(context, err, "prefix_cache_ratio", "contradiction",
                              "is 0 for %s, an encoder: what it computes for a token depends on "
                              "the tokens after it",
                              model->slug);
    else if (in->prefix_cache_ratio > 0)
        context_set_number(context, "prefix_cache_ratio", 0, SOURCE_CATALOG, NULL);
    return good;
}

/* Without answers there is nobody to hand the cache to. */
static bool check_apart(struct request_context *context, const struct inference_sizing_in *in,
                        const struct inference_job *job, struct err *err)
{
    if (!job->writes_nothing || in->separate_prefill != 1)
        return true;
    return context_refuse(context, err, "separate_prefill", "contradiction",
                          "is 0 where nothing is written: every replica reads, none takes over "
                          "its cache");
}

void request_lengths_set(struct request_context *context, const struct inference_job *job)
{
    context_set_number(context, "input_tokens", job->input_tokens - job->images * job->image_tokens,
                       SOURCE_CHOSEN, NULL);
    context_set_number(context, "output_tokens", job->output_tokens, SOURCE_CHOSEN, NULL);
}

bool request_lengths_read(struct request_context *context, const struct inference_sizing_in *in,
                          const struct model *model, struct inference_job *job, struct err *err)
{
    struct length_bucket buckets[BUCKETS_MOST];
    size_t n;

    double of_images = job->images * job->image_tokens;
    if (model && model->reads_only && !read_nothing_written(context, in, model, err))
        return false;
    job->input_tokens = in->input_tokens + of_images;
    job->output_tokens = fmax(1, in->output_tokens);
    job->writes_nothing = in->output_tokens < 1;
    job->input_cv = in->input_tokens_cv;
    job->output_cv = in->output_tokens_cv;
    if (!in->request_lengths)
        return check_apart(context, in, job, err);
    bool good = context_at_most_one(context, "request_lengths input_tokens", err);
    good = context_at_most_one(context, "request_lengths output_tokens", err) && good;
    if (!good || !read_buckets(context, in->request_lengths, buckets, &n, err))
        return false;
    for (size_t i = 0; i < n; i++)
        buckets[i].input_tokens += of_images;
    struct length_mix mix = length_mix_of(buckets, n, job->input_cv, job->output_cv);
    job->input_tokens = mix.input_tokens;
    job->output_tokens = mix.output_tokens;
    job->input_cv = mix.input_cv;
    job->output_cv = mix.output_cv;
    job->longest_tokens = mix.longest;
    job->writes_nothing = model && model->reads_only;
    request_lengths_set(context, job);
    return check_apart(context, in, job, err);
}
