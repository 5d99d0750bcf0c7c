/* gguf.h - the bytes per weight of a GGUF file, by part of the model. */
#ifndef ESTIMATE_INFERENCE_GGUF_H
#define ESTIMATE_INFERENCE_GGUF_H

#include "estimate/inference/memory.h"

struct gguf_bytes {
    double attention, body; /* means over the matrices of a layer; body: FFN or experts */
    double head, table;     /* output layer, or embedding if it is both; embedding alone */
    double rest;            /* norms, biases and routers */
};

/* True for the mixed formats, which store some matrices wider than others: Q6_K to Q2_K. */
bool gguf_is_mixed(enum number format);
/* What llama.cpp's own quantisation makes of a model of this shape; the format must be mixed. */
struct gguf_bytes gguf_bytes_of(const struct model_shape *shape, enum number format);

#endif
