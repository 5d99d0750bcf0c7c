#include "json/recurrent_state.h"

#include <math.h>

/* A convolution of `width` channels keeps all inputs of its kernel but the newest. */
static double convolution(double width, double kernel)
{
    return kernel > 1 ? width * (kernel - 1) : 0;
}

/* A matrix of keys by values per head (arXiv 2412.06464); queries, keys and values go through the
 * convolution. */
static double gated_delta(const struct config *config)
{
    double keys = config->linear_key_heads * config->linear_key_dim;
    double values = config->linear_value_heads * config->linear_value_dim;

    return values * config->linear_key_dim + convolution(2 * keys + values, config->linear_kernel);
}

/* A row of state per channel (arXiv 2312.00752). */
static double mamba_1(const struct config *config, const struct model *model)
{
    double width = config->state_expand * model->hidden;

    return width * config->state_size + convolution(width, config->state_kernel);
}

/* The same by heads; the two state matrices of each group also go through the convolution (arXiv
 * 2405.21060). */
static double mamba_2(const struct config *config)
{
    double width = config->state_heads * config->state_head_dim;
    double mixed = width + 2 * config->state_groups * config->state_size;

    return width * config->state_size + convolution(mixed, config->state_kernel);
}

double recurrent_state_elements(const struct config *config, const struct model *model)
{
    switch (config->family ? config->family->mixer : GATED_DELTA) {
    case LIGHTNING: /* a matrix of keys by values per head (arXiv 2501.08313) */
        return model->n_heads * model->head_dim * model->head_dim;
    case MAMBA_1:
        return mamba_1(config, model);
    case MAMBA_2:
        return mamba_2(config);
    default:
        return gated_delta(config);
    }
}
