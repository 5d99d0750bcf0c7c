/* nearest.h - finds the published runs nearest to a question, by a weighted distance of features.
 */
#ifndef ESTIMATE_MEASUREMENT_NEAREST_H
#define ESTIMATE_MEASUREMENT_NEAREST_H

#include "estimate/measurement/evidence.h"
#include "estimate/measurement/inference_run.h"
#include "estimate/measurement/training_run.h"

enum { NEAREST_MAX = 5 };

/* The features that make runs similar. Numbers are base-two logarithms: a difference of one is a
 * factor of two. */
struct nearest_features {
    const char *gpu, *architecture;
    size_t run;         /* index in the evidence, for a published run */
    size_t group_end;   /* after nearest_sort(): end of the runs with the same names */
    size_t size_end;    /* likewise, end of those that also have as many parameters */
    size_t gpu_end;     /* likewise, end of those with the same sort and GPU */
    unsigned char sort; /* what is measured: only runs of one sort are compared */
    unsigned char software, precision, method;
    bool moe;
    float parameters, gpus, batch, length;
    float input, output; /* of inference: one more than the tokens, of which there may be none */
};

struct nearest_run {
    const struct nearest_features *features;
    double distance;
};

/* The features of a training step, and of a replica with that many requests in flight. */
struct nearest_features nearest_of_training(const struct training_job *job,
                                            const struct training_strategy *on);
struct nearest_features nearest_of_inference(const struct inference_job *job, double concurrency);

/* The features of a run without an estimate, which is near nothing. */
struct nearest_features nearest_of_nothing(void);
/* Group runs with the same names, and within them those with as many parameters, as nearest_find()
 * requires. */
void nearest_sort(struct nearest_features *runs, size_t n);

/* True if both have the same model, GPU, software, number format and method. */
bool nearest_is_same(const struct nearest_features *a, const struct nearest_features *b);

/* The `max` (1 to NEAREST_MAX) nearest runs of the same sort, nearest first. Returns their number.
 * A smaller `max` is faster. */
size_t nearest_find(const struct evidence *evidence, const struct nearest_features *asked,
                    struct nearest_run *found, size_t max);

/* True if no run is near enough to inform the question. */
bool nearest_is_far(const struct nearest_run *nearest, size_t n);

/* The differences in words, such as "same GPU, another engine, same number format, half the
 * parameters". */
void nearest_describe(const struct nearest_features *asked, const struct nearest_features *run,
                      char *text, size_t size);

#endif
