/* recompute.h - activation recomputation: which modules of a layer, and how many whole layers, are
 * computed again in the backward pass in place of being kept.
 *
 * Partial recomputation computes modules of a layer again (Megatron-LM's --recompute-modules), or
 * whole layers of some of the model (--recompute-num-layers). Where nothing is said it is the least
 * that fits: first cheap modules in more and more layers, then more and more whole layers. What it
 * holds and what it costs lie between the two ends in proportion, so that a run a little over
 * capacity is a little slower.
 */
#ifndef ESTIMATE_TRAINING_RECOMPUTE_H
#define ESTIMATE_TRAINING_RECOMPUTE_H

#include "estimate/training/training.h"

/* As bits of training_strategy.modules; named as Megatron-LM names them. */
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

enum { TRAINING_MODULES_TEXT_MAX = 96 }; /* bytes of all names */
/* The modules of a comma-separated list; false at a name that is none of them. */
bool training_modules_read(const char *list, unsigned *modules);
void training_modules_print(unsigned modules, char *to, size_t size);

/* Whether the choice is all or nothing: with adapters PyTorch's trainers have gradient
 * checkpointing on or off. */
static inline bool training_recompute_all(const struct training_job *job)
{
    return training_adapters(job->method) && training_plain_torch(job);
}

/* The modules that are cheapest to compute again for what they hold; 0 under FSDP, whose selective
 * recompute takes every second product. */
unsigned training_light_modules(const struct training_job *job);

/* Shares of a forward pass that computing those modules again takes. */
struct training_again training_modules_again(const struct model_shape *shape, unsigned modules);

/* The strategy with all its layers at one of the ends of a partial recompute: 0 everything kept, 1
 * its modules computed again, 2 whole layers. */
struct training_strategy training_recompute_end(const struct training_strategy *on, int end);
enum { TRAINING_RECOMPUTE_ENDS = 3 };

/* The same between two ends, `share` of the way from `end` to the next. */
struct training_strategy training_recompute_between(const struct training_job *job,
                                                    const struct training_strategy *on, int end,
                                                    double share);

#endif
