/* prefill.h - time of the prefill phase. */
#ifndef ESTIMATE_INFERENCE_PREFILL_H
#define ESTIMATE_INFERENCE_PREFILL_H

#include "estimate/inference/inference.h"

/* Sets inference->prefill; efficiencies, work and communication must be set. */
void prefill_set(struct inference *inference);

/* Moments of the seconds that a prompt of random length occupies a replica, whose stages gain that
 * much. */
struct raw_moments inference_prompt_moments(const struct inference *inference, double gained);
/* True if a pass that reads prompts also writes tokens. SGLang reads them in passes of their own,
 * as does vLLM where it plans several steps at a time (num_scheduler_steps). */
bool inference_reads_while_writing(const struct inference_job *job);
/* Seconds the host takes for a request and for the mixture layers of the pass that reads its
 * prompt. */
double inference_host_seconds(const struct inference *inference);
/* Maximum requests an engine admits, regardless of the cache: a fixed number per attention
 * group. */
double inference_admitted(const struct inference *inference);
/* Requests in flight on a full replica. */
double inference_requests_full(const struct inference *inference);
/* True if a replica has stages that wait for the prompts of each other's passes. */
bool inference_stages_wait(const struct inference_job *job);
/* What dividing a replica into stages gains for prompts with `flight` requests in flight, 1 to its
 * stages: a prompt occupies it for prefill.marginal / that. There are as many passes under way as
 * stages, and each begins again when it has left the last one. A pass that reads more than the
 * others holds them up at every stage, so a round takes as long as if every pass read as much as
 * the largest: the gain is the mean over the mean of the largest, for Poisson numbers of prompts up
 * to what a pass takes. For 2, 4 and 8 stages that is 0.83 to 1.03 of an event simulation
 * (tests/unit/inference_stages_test.c). */
double inference_stages_gained(const struct inference *inference, double flight);
/* Mean number of prompts in a pass: each request has one prompt read during the steps of its
 * answer. */
double inference_prompts_in_pass(const struct inference *inference, double flight);
/* Prompts of the mean length in the largest of the passes under way, which have `prompts` on
 * average. */
double inference_largest_pass(const struct inference *inference, double prompts);
/* Seconds of a step of all stages, which takes `step` without prompts, when prompts arrive at
 * `rate` per second: each pass reads its share of those that arrive during the step. Infinite if
 * more arrive than the stages can read. */
double inference_stages_round(const struct inference *inference, double step, double rate);

#endif
