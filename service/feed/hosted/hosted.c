/* hosted.c - shared by all lists of prices per token. */
#include "feed/formats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const columns[] = {
    "feed",           "provider",           "model",        "observed", "hf_id",
    "input_price",    "cached_input_price", "output_price", "currency", "source",
    "context_tokens",
};
const struct feed_table feed_table_hosted_price = {
    "hosted_price", columns, 11, "feed,provider,model,observed",
    "hf_id,input_price,cached_input_price,output_price,currency,context_tokens"};

/* USD per million tokens with nine decimals; NULL if not given. */
static const char *print(double price, char to[32])
{
    return isnan(price) ? NULL : feed_print(round(price * 1e9) / 1e9, to);
}

enum feed_fate feed_take_hosted(struct feed_reader *reader, const struct feed_hosted *hosted)
{
    const struct feed_input *input = reader->input;
    char text[4][32];

    if (isnan(hosted->input) || (hosted->input == 0 && !(hosted->output > 0)))
        return FEED_NO_PRICE;
    if (hosted->input < 0 || hosted->input >= 1e6 || hosted->output < 0 || hosted->output >= 1e6)
        return feed_refuse(reader, "%g and %g per million tokens are not prices", hosted->input,
                           hosted->output);
    const char *values[] = {
        reader->format->name,
        hosted->provider,
        hosted->model,
        input->observed,
        hosted->hf_id && hosted->hf_id[0] ? hosted->hf_id : NULL,
        print(hosted->input, text[0]),
        print(hosted->cached_input, text[1]),
        print(hosted->output, text[2]),
        "USD",
        input->source,
        hosted->context_tokens >= 1 ? feed_print(hosted->context_tokens, text[3]) : NULL,
    };
    feed_give(reader, reader->csv.line, values);
    return FEED_GOOD;
}
