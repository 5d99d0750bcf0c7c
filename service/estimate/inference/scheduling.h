/* scheduling.h - a replica under load: continuous batching of requests in flight, the wait for
 * prompts and for prefill replicas, and everything queued from the start. */
#ifndef ESTIMATE_INFERENCE_SCHEDULING_H
#define ESTIMATE_INFERENCE_SCHEDULING_H

#include "estimate/inference/prefill.h"

/* A replica with a constant `concurrency` of requests. */
struct served {
    double concurrency;
    double arrivals; /* random arrivals, requests/s; 0 for a closed loop */
    double batch;    /* number in flight that the KV pool holds [B] */
    struct step step;
    double interference; /* delay by other prompts in the time per token */
    double pause;        /* delay by other prompts in the time to the first token */
    double tpot, ttft;
    struct waiting {    /* parts of the wait for the first token, in addition to reading the
                         * prompt; seconds */
        double host;    /* host time of the request, and of the pass's mixture layers */
        double running; /* the pass in progress, and the tokens written in the next one */
        double unseen;  /* seconds until the engine polls for new requests */
        double turn;    /* one other prompt's prefill */
        double turns;   /* number of those */
        double busy;    /* fraction of time spent reading prompts, by prefill replicas if there
                         * are any */
        double reading; /* wait for prefill replicas, and longer passes of theirs */
        double found;   /* seconds of queued prompts at the first token; they delay the rest */
        double held;    /* seconds that the largest pass adds to a step of a replica with stages */
        double longer;  /* mean over all prompts, minus that of a prompt of mean length */
        double shared;  /* saved, as a pass reads weights once for prompts and tokens */
        double opening; /* share of the initial wait of clients that all start at once */
        double compiling; /* share of the kernels' compile time */
        double saturated; /* further wait for the others' prompts and tokens at saturation */
    } waiting;
    double request_seconds;          /* ttft + (outputs - 1) tpot */
    double output_tokens_per_second; /* of the replica */
};
/* Seconds from the arrival of the cache of a prompt that another replica read to the first token. A
 * step takes `step` seconds; `others` is the share of requests that are not alone, 0 to 1. */
double inference_handover_seconds(const struct inference *inference, double step, double others);
/* True if it is known how many prefill replicas there are. */
bool inference_knows_readers(const struct inference_job *job);
/* Seconds that a prefill replica gives to a prompt where many wait: to read it with as many as a
 * pass takes, or to send its cache where that takes longer. */
double inference_reader_seconds(const struct inference *inference);
/* Seconds per prompt that overlap if the halves of a full pass alternate; what that saves, less the
 * second launch and reading of weights. */
double inference_reader_hides(const struct inference *inference);
double inference_reader_saves(const struct inference *inference);
/* Seconds from one request of a closed-loop client to its next, without the waits at the start and
 * for prefill replicas: these must keep up with requests that come that often. */
double inference_writer_seconds(const struct served *served);
/* For a closed loop with a known number of prefill replicas: sets the wait for them, the extra wait
 * because all clients start at once, and how busy they are. `idle`: seconds to a first token
 * without any wait; `slot`: seconds that a request waits for a slot meanwhile. */
void inference_wait_for_readers(const struct inference *inference, double idle, double slot,
                                struct served *served);
/* Fraction of time that prefill replicas are busy if `rate` prompts arrive per second and other
 * replica, at most what is allowed. */
double inference_reader_busy(const struct inference *inference, double rate);
/* Random arrivals come at the rate that keeps `concurrency` in flight on average. */
struct served inference_serve(const struct inference *inference, double concurrency);
/* The same for random arrivals at `rate` per second while `concurrency` are in flight. */
struct served inference_serve_arrivals(const struct inference *inference, double concurrency,
                                       double rate);
/* True if requests arrive at random on GPUs that both prefill and decode. */
bool inference_mixes_arrivals(const struct inference_job *job);
/* True if prompts take all of the time, so that each waits for all others. */
bool inference_prompts_fill(const struct served *served);
/* True if all prompts are read before anything is written: SGLang does so, with clients in step,
 * which send them together. */
bool inference_prompts_first(const struct inference_job *job);
/* True if each prompt arrives while the previous one is read: with clients in step on engines that
 * mix prompts and tokens, answers begin and end one step apart. */
bool inference_prompts_follow(const struct inference_job *job);
/* Seconds that a request adds, with everything queued and `batch` in flight, until the host has
 * launched its prefill passes. */
double inference_eager_seconds(const struct inference *inference, double batch);
/* Maximum output of a replica with everything queued from the start: tokens/s, at *batch. */
double inference_offline(const struct inference *inference, double *batch);

#endif
