/* nearest.h - the published runs nearest to a question, by a weighted distance of their features.
 */
#ifndef ESTIMATE_MEASUREMENT_NEAREST_H
#define ESTIMATE_MEASUREMENT_NEAREST_H

#include "estimate/measurement/evidence.h"
#include "estimate/measurement/inference_run.h"
#include "estimate/measurement/training_run.h"

enum { NEAREST_MAX = 5 };

/* What makes two runs alike. Numbers are base-two logarithms, so that a difference of one is a
 * factor of two. */
struct nearest_features {
    const char *gpu, *architecture;
    size_t run;         /* of the evidence, where it is a published one */
    size_t group_end;   /* after nearest_sort(): where the runs with the same names end */
    size_t size_end;    /* likewise those of these with as many parameters */
    size_t gpu_end;     /* likewise those of the same sort and GPU */
    unsigned char sort; /* what is measured: only runs of one sort compare */
    unsigned char software, precision, method;
    bool moe;
    float parameters, gpus, batch, length;
};

struct nearest_run {
    const struct nearest_features *features;
    double distance;
};

/* The features of a training step, and of a replica kept at that many requests. */
struct nearest_features nearest_of_training(const struct training_job *job,
                                            const struct training_strategy *on);
struct nearest_features nearest_of_inference(const struct inference_job *job, double concurrency);

/* Those of a run that has no estimate: it is near nothing. */
struct nearest_features nearest_of_nothing(void);
/* Bring runs of which all names are the same together, and of these those with as many parameters,
 * as nearest_find() wants them. */
void nearest_sort(struct nearest_features *runs, size_t n);

/* Whether both are of one model, GPU, software, number format and method. */
bool nearest_is_same(const struct nearest_features *a, const struct nearest_features *b);
bool nearest_is_training(const struct nearest_features *run);

/* The `max` (1 to NEAREST_MAX) runs of that sort nearest to it, nearest first; returns how many
 * there are. The fewer are wanted, the fewer runs are looked at. */
size_t nearest_find(const struct evidence *evidence, const struct nearest_features *asked,
                    struct nearest_run *found, size_t max);

/* Whether nothing is so near that its measurement says something of the question. */
bool nearest_is_far(const struct nearest_run *nearest, size_t n);

/* What differs, in words, as "same GPU and precision, another engine, 2 times the parameters". */
void nearest_describe(const struct nearest_features *asked, const struct nearest_features *run,
                      char *text, size_t size);

#endif
