/* formats.h - all feed formats, one per file, and the tables they fill. */
#ifndef FEED_FORMATS_H
#define FEED_FORMATS_H

#include "feed/feed.h"

extern const struct feed_format feed_skypilot, feed_gpuhunt, feed_gpurentalprices;
extern const struct feed_format feed_azure_retail, feed_oci, feed_ec2instances, feed_ecb;
extern const struct feed_format feed_aws_offers, feed_aws_savings;
extern const struct feed_format feed_litellm, feed_openrouter, feed_genai_prices;
extern const struct feed_format feed_offers, feed_hardware, feed_quotes, feed_exchange_rates,
    feed_gpus;

/* Columns of table offer that feeds fill, in this order. */
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

/* A rental offer as given by a feed; missing members default to those of struct feed_input. */
struct feed_offer {
    const char *provider, *instance, *region, *zone, *gpu, *option, *currency;
    const char *from, *until, *text, *source, *note; /* NULL or "" if not given */
    double gpu_count, price_per_hour;
    bool stale, unusable;
};

/* Find the GPU of an offer and give the offer to the sink. If `said` has no count (NAN), table
 * gpu_name supplies it. The price is for all GPUs. */
enum feed_fate feed_take_offer(struct feed_reader *reader, const struct feed_accelerator *said,
                               struct feed_offer *offer);

/* The price per million tokens of a hosted model. */
struct feed_hosted {
    const char *provider, *model, *hf_id; /* hf_id is NULL if not given */
    double input, cached_input, output;   /* NAN if not given */
    double context_tokens;                /* likewise */
};
enum feed_fate feed_take_hosted(struct feed_reader *reader, const struct feed_hosted *hosted);
extern const struct feed_table feed_table_hosted_price;

/* Check an offer against the table's constraints; false after feed_refuse(). */
bool feed_check_offer(struct feed_reader *reader, const struct feed_offer *offer) MUST_CHECK;
void feed_give_offer(struct feed_reader *reader, size_t line, const struct feed_offer *offer);

/* Checks common to several tables; false after feed_refuse(). feed_check_sum() compares the price
 * of each with the total; NAN if one is not given. */
bool feed_check_gpu(struct feed_reader *reader, const char *slug) MUST_CHECK;
bool feed_check_currency(struct feed_reader *reader, const char *currency) MUST_CHECK;
bool feed_check_sum(struct feed_reader *reader, double count, double each, double whole) MUST_CHECK;
/* For prices that one of our sheets has converted to US dollars: restores the price in its own
 * currency, *price = own, if there is a rate; false after feed_refuse() if the two disagree. */
bool feed_take_converted(struct feed_reader *reader, double rate, double own,
                         double *price) MUST_CHECK;

/* The text, or `otherwise` if it is NULL or "". */
const char *feed_given(const char *text, const char *otherwise);
/* True if the text consists of lower-case letters and digits, separated by characters of
 * `between`. */
bool feed_is_slug(const char *text, const char *between);

#endif
