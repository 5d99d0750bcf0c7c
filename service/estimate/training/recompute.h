/* recompute.h - activation recomputation: which modules of a layer, and how many whole layers, are
 * recomputed in the backward pass instead of being kept in memory.
 *
 * Partial recomputation covers modules of a layer (Megatron-LM's --recompute-modules), or whole
 * layers of a part of the model (--recompute-num-layers). By default it is the least that leaves
 * memory free: first cheap modules in more and more layers, then more and more whole layers. Memory
 * and cost are interpolated linearly between the ends, so that a run slightly over that is slightly
 * slower.
 */
#ifndef ESTIMATE_TRAINING_RECOMPUTE_H
#define ESTIMATE_TRAINING_RECOMPUTE_H

#include "estimate/training/training.h"

/* Bits of training_strategy.modules; named as in Megatron-LM. */
enum training_module {
    TRAINING_CORE_ATTENTION,
    TRAINING_LAYERNORM,
    TRAINING_MOE_ACTIVATION,
    TRAINING_MLA_UP_PROJECTION,
    TRAINING_MLP,
    TRAINING_MOE,
    TRAINING_SHARED_EXPERTS,
    TRAINING_MODULES
};

static inline bool training_module_in(unsigned modules, enum training_module module)
{
    return (modules >> module & 1U) != 0;
}

enum { TRAINING_MODULES_TEXT_MAX = 96 }; /* size of the text of all names */
/* Parse a comma-separated list of modules; false for an unknown name. */
bool training_modules_read(const char *list, unsigned *modules);
void training_modules_print(unsigned modules, char *to, size_t size);

/* True if the choice is all or nothing: with adapters, PyTorch trainers can only switch gradient
 * checkpointing on or off. */
static inline bool training_recompute_all(const struct training_job *job)
{
    return training_adapters(job->method) && training_plain_torch(job);
}

/* The modules that are cheapest to recompute for the memory they hold; 0 under FSDP, whose
 * selective recompute covers every second product. */
unsigned training_light_modules(const struct training_job *job);

/* The recomputed parts of a forward pass for those modules. */
struct training_again training_modules_again(const struct model_shape *shape, unsigned modules);

/* The strategy with all layers at one end of partial recompute: 0 everything kept, 1 its modules
 * recomputed, 2 whole layers. */
struct training_strategy training_recompute_end(const struct training_strategy *on, int end);
enum { TRAINING_RECOMPUTE_ENDS = 3 };

/* The strategy interpolated between two ends: the fraction `share` of the way from `end` to the
 * next. */
struct training_strategy training_recompute_between(const struct training_job *job,
                                                    const struct training_strategy *on, int end,
                                                    double share);

#endif
