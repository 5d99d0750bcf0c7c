#include "estimate/inference/vision.h"

#include "estimate/inference/inference.h"

#include <math.h>

static const double WEIGHTS_PER_LAYER_AND_SQUARE = 12, WIDTH_PER_LAYER = 1152.0 / 27;

double vision_width(double weights)
{
    return cbrt(weights * WIDTH_PER_LAYER / WEIGHTS_PER_LAYER_AND_SQUARE);
}

double vision_layers(double weights)
{
    return vision_width(weights) / WIDTH_PER_LAYER;
}

double vision_patches(const struct inference *inference)
{
    return inference->job.image_tokens * inference->constants->image_patches;
}

/* Towers stay in 16 bit, whatever the weights' format. */
static double products_share(const struct inference *inference)
{
    const struct inference_constants *c = inference->constants;
    const struct inference_job *job = &inference->job;

    return c->e_gemm * (job->engine == ENGINE_LLAMA_CPP ? c->l_gemm : 1) *
           inference_vendor_share(inference);
}

/* The patches of an image attend to one another: a product and a sum each for keys and values. */
double vision_seconds(const struct inference *inference)
{
    const struct inference_job *job = &inference->job;
    double weights = job->shape.frozen_weights, patches = vision_patches(inference);
    double attended = 4 * vision_layers(weights) * vision_width(weights) * patches * patches;

    return job->images / inference->peak_16bit *
           (2 * weights * patches / products_share(inference) +
            attended / inference->constants->e_attn);
}
