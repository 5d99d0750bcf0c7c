#include "estimate/inference/gguf.h"

#include <math.h>

/* Bits per weight of llama.cpp's blocks, with their scales (ggml-common.h): blocks of 256 weights,
 * and of 32 where a row is no multiple of 256. */
static const double Q2_K = 2.625, Q3_K = 3.4375, Q4_K = 4.5, Q5_K = 5.5, Q6_K = 6.5625;
static const double Q4_0 = 4.5, Q5_0 = 5.5, Q5_1 = 6, Q8_0 = 8.5, F32 = 32;
static const double BLOCK = 256;

/* Which matrices are wider than the others, of files ending in M where two types of that size are
 * made: llama_tensor_get_type_impl() of ggml-org/llama.cpp src/llama-quant.cpp@007dbbf3fd. */
struct mixture {
    double most;              /* all matrices not named below */
    double value, value_wide; /* of attention; the second for half of the layers or, in Q2_K, if
                               * at least four heads share a value */
    double output;            /* of attention */
    double down, down_wide;   /* the FFN's; the second for down_share of the layers */
    double down_share;
};

static struct mixture mixture_of(enum number format)
{
    switch (format) {
    case NUMBER_Q2_K:
        return (struct mixture){Q2_K, Q3_K, Q4_K, Q3_K, Q3_K, Q3_K, 0};
    case NUMBER_Q3_K_M:
        return (struct mixture){Q3_K, Q4_K, Q4_K, Q4_K, Q4_K, Q5_K, 1.0 / 16};
    case NUMBER_Q4_K_M:
        return (struct mixture){Q4_K, Q4_K, Q6_K, Q4_K, Q4_K, Q6_K, 0.5};
    case NUMBER_Q5_K_M:
        return (struct mixture){Q5_K, Q5_K, Q6_K, Q5_K, Q5_K, Q6_K, 0.5};
    default:
        return (struct mixture){Q6_K, Q6_K, Q6_K, Q6_K, Q6_K, Q6_K, 0};
    }
}

bool gguf_is_mixed(enum number format)
{
    return format == NUMBER_Q6_K || format == NUMBER_Q5_K_M || format == NUMBER_Q4_K_M ||
           format == NUMBER_Q3_K_M || format == NUMBER_Q2_K;
}

/* Bits of a matrix whose rows have `row` weights. */
static double fitted(double bits, double row)
{
    if (fmod(row, BLOCK) == 0)
        return bits;
    if (bits <= Q3_K)
        return Q4_0;
    if (bits <= Q4_K)
        return Q5_0;
    return bits <= Q5_K ? Q5_1 : Q8_0;
}

/* Values are narrower than queries where heads share them; MLA has none of that name. */
static double attention_bits(const struct model_shape *shape, const struct mixture *mix, bool q2)
{
    double heads = shape->heads * shape->value_dim;
    double output = shape->hidden * heads;
    double values = shape->mla ? 0 : shape->hidden * shape->kv_heads * shape->value_dim;
    double others = fmax(0, shape->attention_weights - output - values);
    double shared = shape->heads / shape->kv_heads;
    double wide = q2 ? (shared >= 4 ? 1 : 0) : 0.5;
    double value = (1 - wide) * fitted(mix->value, shape->hidden) +
                   wide * fitted(mix->value_wide, shape->hidden);

    return (others * fitted(mix->most, shape->hidden) + values * value +
            output * fitted(mix->output, heads)) /
           (others + values + output);
}

static double ffn_bits(const struct model_shape *shape, const struct mixture *mix)
{
    double row = shape->moe ? shape->expert_width : shape->ffn_width;
    double from = shape->moe ? shape->expert_hidden : shape->hidden;
    double down = (1 - mix->down_share) * fitted(mix->down, row) +
                  mix->down_share * fitted(mix->down_wide, row);

    return ((shape->ffn_matrices - 1) * fitted(mix->most, from) + down) / shape->ffn_matrices;
}

struct gguf_bytes gguf_bytes_of(const struct model_shape *shape, enum number format)
{
    const struct mixture mix = mixture_of(format);
    const double byte = 8;

    return (struct gguf_bytes){
        .attention = attention_bits(shape, &mix, format == NUMBER_Q2_K) / byte,
        .body = ffn_bits(shape, &mix) / byte,
        .head = fitted(Q6_K, shape->hidden) / byte,
        .table = fitted(mix.most, shape->hidden) / byte,
        .rest = F32 / byte,
    };
}
