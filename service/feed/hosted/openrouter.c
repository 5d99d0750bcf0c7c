/* openrouter.c - OpenRouter's list of prices per token; matched to models by Hugging Face name. */
#include "feed/formats.h"

#include "base/text.h"

#include <math.h>

#define TABLE openrouter_row
#define TABLE_FILE "feed/hosted/openrouter.def"
#include "base/field/table.h"

/* Per million tokens; NAN if the list has no price or -1, which means it varies by request. */
static double price(const char *text)
{
    double number;

    return text_number(text, &number) && number >= 0 ? number * 1e6 : (double)NAN;
}

static enum feed_fate take(struct feed_reader *reader, const void *from)
{
    const struct openrouter_row *row = from;

    return feed_take_hosted(reader, &(struct feed_hosted){
                                        .provider = "openrouter",
                                        .model = row->id,
                                        .hf_id = row->hugging_face_id,
                                        .input = price(row->pricing__prompt),
                                        .cached_input = price(row->pricing__input_cache_read),
                                        .output = price(row->pricing__completion),
                                        .context_tokens = row->context_length,
                                    });
}

const struct feed_format feed_openrouter = {
    .name = "openrouter",
    .sentence = "OpenRouter's list of hosted models and their prices",
    .fields = FIELDS_INIT(openrouter_row_rows),
    .row_size = sizeof(struct openrouter_row),
    .open = true,
    .many = true,
    .rows = "data.*",
    .home = "https://openrouter.ai/api/v1/models",
    .table = &feed_table_hosted_price,
    .take = take,
};
