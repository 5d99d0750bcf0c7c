/* release.h - what the release of an engine changes in the estimate; without one it is today's. */
#ifndef ESTIMATE_INFERENCE_RELEASE_H
#define ESTIMATE_INFERENCE_RELEASE_H

#include "estimate/inference/inference.h"

/* True if the estimate differs between releases of this engine. */
bool release_matters(enum engine engine);
/* True if the text begins like "0.7.3", "v0.7.3" or "0.7". */
bool release_is_version(const char *version);
/* `job` has its engine; text that is no version, such as "" or "May 2024", changes nothing. */
void release_apply(struct inference_job *job, const char *version);

#endif
