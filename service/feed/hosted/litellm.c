/* litellm.c - LiteLLM's list of prices per token. */
#include "feed/formats.h"

#include "base/text.h"

#include <string.h>

#define TABLE litellm_row
#define TABLE_FILE "feed/hosted/litellm.def"
#include "base/field/table.h"

static enum feed_fate take(struct feed_reader *reader, const void *from)
{
    const struct litellm_row *row = from;

    if (strcmp(row->key_1, "sample_spec") == 0 ||
        !text_in_words("chat completion responses embedding", row->mode))
        return FEED_NO_GPU;
    return feed_take_hosted(reader, &(struct feed_hosted){
                                        .provider = row->litellm_provider,
                                        .model = row->key_1,
                                        .input = row->input_cost_per_token * 1e6,
                                        .cached_input = row->cache_read_input_token_cost * 1e6,
                                        .output = row->output_cost_per_token * 1e6,
                                        .context_tokens = row->max_input_tokens,
                                    });
}

const struct feed_format feed_litellm = {
    .name = "litellm",
    .sentence = "LiteLLM's list of hosted models and their prices",
    .fields = FIELDS_INIT(litellm_row_rows),
    .row_size = sizeof(struct litellm_row),
    .open = true,
    .many = true,
    .rows = "*",
    .home = "https://github.com/BerriAI/litellm",
    .table = &feed_table_hosted_price,
    .take = take,
};
