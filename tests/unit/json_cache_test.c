/* What the layers of a config.json keep of a sequence, by hand: caches that grow with it, and
 * states that do not. */
#include "json/body.h"

#include "tap.h"

#include <string.h>

/* Four layers of four heads of 16. */
#define SMALL                                                             \
    "\"vocab_size\":100,\"hidden_size\":64,\"num_hidden_layers\":4,"      \
    "\"num_attention_heads\":4,\"intermediate_size\":128,\"n_groups\":2," \
    "\"mamba_num_heads\":8,\"mamba_head_dim\":16,\"conv_kernel\":4,"

enum { LAYER = 2 * 2 * 4 * 16 }; /* bytes a token in a layer with a cache of its own */

static const struct {
    const char *text;
    double cached, state;
} rows[] = {
    /* state of 8 x 16 channels by 16; of the convolution over 4 these and 2 groups of 2 x 16 */
    {"{\"model_type\":\"nemotron_h\"," SMALL
     "\"ssm_state_size\":16,\"hybrid_override_pattern\":\"M-*-\"}",
     LAYER, 128 * 16 + 3 * (128 + 64)},
    /* 2 x 64 channels by 16; every other layer attends */
    {"{\"model_type\":\"jamba\"," SMALL "\"mamba_d_state\":16,\"mamba_expand\":2,"
     "\"attn_layer_period\":2,\"attn_layer_offset\":1}",
     2 * LAYER, 128 * 16 + 3 * 128},
    /* 4 heads of 16 by 16 */
    {"{\"model_type\":\"minimax\"," SMALL "\"attn_type_list\":[0,0,0,1]}", LAYER, 4 * 16 * 16},
    /* 8 heads of 16 by 16; of the convolution these and 2 x 4 of 16 */
    {"{\"model_type\":\"qwen3_next\"," SMALL
     "\"linear_num_value_heads\":8,\"linear_num_key_heads\":4,\"linear_value_head_dim\":16,"
     "\"linear_key_head_dim\":16,\"linear_conv_kernel_dim\":4,\"full_attention_interval\":4}",
     LAYER, 8 * 16 * 16 + 3 * (8 + 2 * 4) * 16},
    {"{\"model_type\":\"llama\"," SMALL "\"cla_share_factor\":2}", 4 * LAYER, 0},
    /* of each two layers the second uses the first's keys and values */
    {"{\"model_type\":\"llama\"," SMALL "\"use_cla\":true,\"cla_share_factor\":2}", 2 * LAYER, 0},
    {"{\"model_type\":\"llama\"," SMALL "\"use_cla\":true,\"cla_share_factor\":3}", 2 * LAYER, 0},
};

int main(void)
{
    double total[sizeof(rows) / sizeof(rows[0])] = {0};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct arena arena = {0};
        struct err err = {0};
        const struct model *m = NULL;
        ok(json_read_model(rows[i].text, strlen(rows[i].text), &arena, &m, &err),
           "config %zu is read: %s", i, err.text);
        if (m) {
            total[i] = m->params_total;
            is_near(m->kv_bytes_per_token_bf16, rows[i].cached, 0, "its cache per token");
            is_near(m->linear_state_elements, rows[i].state, 0, "its state per layer");
        }
        arena_free(&arena);
    }
    is_near(total[4] - total[5], 2 * 2 * 64 * 64, 0, "two layers do without keys and values");
    return tap_done();
}
