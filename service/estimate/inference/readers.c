/* readers.c - replicas that only read prompts (disaggregated prefill). */
#include "estimate/inference/inference.h"

#include "estimate/inference/communication.h"

#include <math.h>

double inference_reader_seconds(const struct inference *inference)
{
    const struct inference_job *job = &inference->job;
    const struct prefill *p = &inference->prefill;
    double tokens = job->input_tokens * (1 - job->cached_ratio);
    double groups = job->reading_tensor > 0 ? job->reading_groups : job->attention_data;
    double together = fmax(1, inference_pass_tokens(inference) / tokens), each = p->one;

    if (groups > 1)
        each = (p->one - p->fixed) / groups + p->fixed / (groups * together);
    return fmax(each, communication_cache(inference, job->input_tokens));
}

bool inference_knows_readers(const struct inference_job *job)
{
    return job->readers_each > 0 && isfinite(job->readers_each);
}

double inference_reader_busy(const struct inference *inference, double rate)
{
    double each = inference->job.readers_each, most = inference->constants->prefill_utilization;

    return each > 0 ? fmin(most, rate * inference_reader_seconds(inference) / each) : most;
}
