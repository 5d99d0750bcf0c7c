/* formats.h - the formats, a file each, and the tables they fill. */
#ifndef FEED_FORMATS_H
#define FEED_FORMATS_H

#include "feed/feed.h"

extern const struct feed_format feed_skypilot, feed_gpuhunt, feed_gpurentalprices;
extern const struct feed_format feed_azure_retail, feed_oci, feed_ec2instances, feed_ecb;
extern const struct feed_format feed_aws_offers, feed_aws_savings;
extern const struct feed_format feed_litellm, feed_openrouter, feed_genai_prices;
extern const struct feed_format feed_offers, feed_hardware, feed_quotes, feed_exchange_rates,
    feed_gpus;

/* Columns of table offer that a feed gives, in this order. */
enum {
    OFFER_PROVIDER,
    OFFER_INSTANCE,
    OFFER_REGION,
    OFFER_ZONE,
    OFFER_GPU,
    OFFER_GPU_COUNT,
    OFFER_OPTION,
    OFFER_PRICE,
    OFFER_CURRENCY,
    OFFER_FROM,
    OFFER_UNTIL,
    OFFER_TEXT,
    OFFER_STALE,
    OFFER_USABLE,
    OFFER_SOURCE,
    OFFER_NOTE,
    OFFER_COLUMNS
};
extern const struct feed_table feed_table_offer, feed_table_exchange_rate;

/* A rental offer as a feed has it; what it leaves out is as in the struct feed_input. */
struct feed_offer {
    const char *provider, *instance, *region, *zone, *gpu, *option, *currency;
    const char *from, *until, *text, *source, *note; /* NULL or "": not given */
    double gpu_count, price_per_hour;
    bool stale, unusable;
};

/* Look up the GPU of an offer and give it; the count, where `said` has none (NAN), is that of table
 * gpu_name. The price is for all GPUs. */
enum feed_fate feed_take_offer(struct feed_reader *reader, const struct feed_accelerator *said,
                               struct feed_offer *offer);

/* The price of a million tokens of a hosted model in a list. */
struct feed_hosted {
    const char *provider, *model, *hf_id; /* hf_id NULL: not said */
    double input, cached_input, output;   /* NAN: not said */
    double context_tokens;                /* likewise */
};
enum feed_fate feed_take_hosted(struct feed_reader *reader, const struct feed_hosted *hosted);
extern const struct feed_table feed_table_hosted_price;

/* Whether a table of ours would take it; false after feed_refuse(). */
bool feed_check_offer(struct feed_reader *reader, const struct feed_offer *offer) MUST_CHECK;
void feed_give_offer(struct feed_reader *reader, size_t line, const struct feed_offer *offer);

/* What several tables ask for; false after feed_refuse(). The last: a price for each and one for
 * the whole, NAN where one is not given. */
bool feed_check_gpu(struct feed_reader *reader, const char *slug) MUST_CHECK;
bool feed_check_currency(struct feed_reader *reader, const char *currency) MUST_CHECK;
bool feed_check_sum(struct feed_reader *reader, double count, double each, double whole) MUST_CHECK;
/* For a price that a sheet of ours has converted into US dollars: what it was in its own currency:
 * *price becomes `own` where there is a rate; false after feed_refuse() where the two disagree. */
bool feed_take_converted(struct feed_reader *reader, double rate, double own,
                         double *price) MUST_CHECK;

/* The text, or its replacement if it is NULL or "". */
const char *feed_given(const char *text, const char *otherwise);
/* Letters and digits in lower case, with one of the marks `between` them here and there. */
bool feed_is_slug(const char *text, const char *between);

#endif
