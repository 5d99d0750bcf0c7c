/* sold_new.h - checks whether a GPU can still be bought new, and where; what export rules say of
 * it.
 */
#ifndef API_OPTIONS_SOLD_NEW_H
#define API_OPTIONS_SOLD_NEW_H

#include "api/resource/context.h"

/* If the GPU is no longer sold new on context->as_of to a buyer in `country` (ISO 3166; NULL if not
 * given), the reason as the end of a sentence; NULL if it is sold. Based on its launch year and the
 * assumption sold_new_years (consumer cards: scope `consumer`), and on its figure china_only. */
const char *options_not_sold_new(const struct request_context *context, const struct gpu *gpu,
                                 const char *country);

void options_warn_not_sold_new(struct request_context *context, const struct gpu *gpu,
                               const char *country);

/* Warns that to buy the GPU for that country takes a US export licence, by the assumptions
 * export_licence_performance and export_licence_country; or that this is not known, if the country
 * is not in export_country_group_a either. */
void options_warn_export(struct request_context *context, const struct gpu *gpu,
                         const char *country);

/* Warns what prices of used GPUs are based on or, if none are used, that used_age_months has no
 * effect. */
void options_warn_used(struct request_context *context, bool used);

/* Warns if this number of GPUs, of a kind sold by the rack, is a part of one. */
void options_warn_by_rack(struct request_context *context, const struct gpu *gpu, double gpu_count);

#endif
