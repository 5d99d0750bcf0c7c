/* vision.h - images in prompts: the time a vision tower takes to encode them. */
#ifndef ESTIMATE_INFERENCE_VISION_H
#define ESTIMATE_INFERENCE_VISION_H

struct inference;

/* The width and depth of a tower with that many weights, in the proportions common to published
 * ones: 1152 wide with 27 layers (SigLIP So400m, Qwen3-VL, MoonViT), 1024 with 24 (Pixtral), each
 * with 12 weights per layer and squared width. */
double vision_width(double weights);
double vision_layers(double weights);

/* Patches per image, before the tower merges them into tokens. */
double vision_patches(const struct inference *inference);

/* Tower seconds for the images of a prompt, on one GPU: each GPU holds the whole tower. 0 without
 * images or if the model's tower is unknown. */
double vision_seconds(const struct inference *inference);

#endif
