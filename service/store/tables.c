#include "store/tables.h"

#include <stddef.h>

#define COLUMN(type, row, member, sql)          \
    {                                           \
        sql, type, offsetof(struct row, member) \
    }
#define TEXT(row, member, sql) COLUMN(COLUMN_TEXT, row, member, sql)
#define NUMBER(row, member, sql) COLUMN(COLUMN_NUMBER, row, member, sql)
#define INT(row, member, sql) COLUMN(COLUMN_INT, row, member, sql)
#define COUNT(row, member, sql) COLUMN(COLUMN_COUNT, row, member, sql)
#define FLAG(row, member, sql) COLUMN(COLUMN_FLAG, row, member, sql)
#define DAY(row, member, sql) COLUMN(COLUMN_DAY, row, member, sql)
#define TABLE(row, columns, from)                                          \
    {                                                                      \
        from, columns, sizeof(columns) / sizeof((columns)[0]), sizeof(row) \
    }

static const struct column gpu[] = {
    TEXT(gpu, slug, "slug"),
    TEXT(gpu, name, "name"),
    TEXT(gpu, vendor, "vendor"),
    TEXT(gpu, architecture, "architecture"),
    TEXT(gpu, form_factor, "form_factor"),
    TEXT(gpu, memory_type, "memory_type"),
    TEXT(gpu, link_name, "link_name"),
    TEXT(gpu, compute_capability, "compute_capability"),
    TEXT(gpu, notes, "note"),
    INT(gpu, year, "year"),
    FLAG(gpu, datacenter_licensed, "datacenter_licensed"),
};
const struct table table_gpu = TABLE(struct gpu, gpu, "public.gpu order by slug");

static const struct column figure[] = {
    TEXT(figure_row, gpu, "gpu"),
    TEXT(figure_row, figure.name, "figure"),
    TEXT(figure_row, figure.unit, "unit"),
    TEXT(figure_row, figure.sparsity, "sparsity"),
    TEXT(figure_row, figure.accumulate, "accumulate"),
    NUMBER(figure_row, figure.value, "value"),
    TEXT(figure_row, figure.source, "source"),
    TEXT(figure_row, figure.source_date, "source_date"),
    TEXT(figure_row, figure.trust, "trust"),
    TEXT(figure_row, figure.note, "note"),
};
const struct table table_figure = TABLE(struct figure_row, figure, "public.gpu_figure");

/* Unordered. Sending a value takes the server as long as reading it, so parts of offer_id are
 * not sent again, and values that are nearly always equal are sent only where they differ. */
static const struct column offer[] = {
    TEXT(offer_row, id, "offer_id"),
    COUNT(offer_row, sizes, "octet_length(instance)::bigint << 32 | octet_length(zone)"),
    FLAG(offer_row, unusable, "case when usable then null else true end"),
    TEXT(offer_row, origin.source, "source"),
    TEXT(offer_row, origin.note, "note"),
    TEXT(offer_row, origin.currency, "nullif(currency, 'USD')"),
    TEXT(offer_row, origin.observed_text, "observed_text"),
    COUNT(offer_row, origin.run, "run_id"),
    NUMBER(offer_row, seen.price_per_hour, "price_per_hour"),
    NUMBER(offer_row, seen.price_per_gpu_hour, "price_per_gpu_hour"),
    DAY(offer_row, seen.from, "valid_from"),
    DAY(offer_row, origin.until, "valid_until"),
    INT(offer_row, seen.line, "source_line"),
    FLAG(offer_row, origin.flagged_stale, "case when flagged_stale then true end"),
};
const struct table table_offer = TABLE(struct offer_row, offer, "public.offer");

static const struct column stamp[] = {
    TEXT(stamp_row, gpu, "gpu"),
    TEXT(stamp_row, stamp, "stamp"),
};
const struct table table_stamp = TABLE(struct stamp_row, stamp, "public.offer_stamp order by gpu");

static const struct column provider[] = {
    TEXT(provider, slug, "slug"),
    TEXT(provider, name, "name"),
    TEXT(provider, kind, "kind"),
    TEXT(provider, market, "market"),
    TEXT(provider, gpu_vendor, "gpu_vendor"),
    NUMBER(provider, stale_days, "stale_days"),
};
const struct table table_provider =
    TABLE(struct provider, provider, "public.provider order by slug");

static const struct column instance[] = {
    TEXT(instance, provider, "provider"),
    TEXT(instance, gpu, "gpu"),
    TEXT(instance, name, "name"),
    NUMBER(instance, network_gbit_per_second, "network_gbit_per_second"),
    NUMBER(instance, cluster_gpu_count_max, "cluster_gpu_count_max"),
    NUMBER(instance, machine_gpu_count_max, "machine_gpu_count_max"),
    TEXT(instance, source, "source"),
};
const struct table table_instance = TABLE(struct instance, instance, "public.instance");

static const struct column billing[] = {
    TEXT(billing, provider, "provider"),
    TEXT(billing, instance_prefix, "instance_prefix"),
    NUMBER(billing, granularity_seconds, "granularity_seconds"),
    NUMBER(billing, minimum_seconds, "minimum_seconds"),
    TEXT(billing, source, "source"),
};
const struct table table_billing = TABLE(struct billing, billing, "public.billing");

static const struct column region[] = {
    TEXT(region, provider, "provider"),
    TEXT(region, region, "region"),
    TEXT(region, country, "country"),
    TEXT(region, basis, "date_basis"),
};
const struct table table_region = TABLE(
    struct region, region, "public.region order by provider collate \"C\", region collate \"C\"");

static const struct column carrier[] = {
    TEXT(feed_carrier, gpu, "gpu"),           TEXT(feed_carrier, provider, "provider"),
    TEXT(feed_carrier, feed, "feed"),         TEXT(feed_carrier, attribution, "attribution"),
    TEXT(feed_carrier, url, "url"),           TEXT(feed_carrier, region, "region"),
    FLAG(feed_carrier, enabled, "enabled"),   FLAG(feed_carrier, on_demand, "on_demand"),
    FLAG(feed_carrier, reserved, "reserved"),
};
/* The lists whose names identify their GPUs; lists of a single region are AWS's. */
const struct table table_carrier = TABLE(
    struct feed_carrier, carrier,
    "(select distinct n.gpu, coalesce(s.provider, '') as provider, s.name as feed, s.attribution, "
    "split_part(s.url, '{', 1) as url, s.enabled, s.format <> 'aws-savings' as on_demand, "
    "s.format in ('aws-offers', 'aws-savings', 'azure-retail', 'ec2instances') as reserved, "
    "coalesce(substring(s.url from '/([a-z0-9-]+)/index[.]csv$'), '') as region "
    "from public.feed_source s join public.gpu_name n "
    "on n.format = case s.format when 'aws-offers' then 'ec2instances' else s.format end "
    "and (n.provider = '' or s.provider is null or n.provider = s.provider)) carried "
    "order by gpu collate \"C\", provider collate \"C\", feed collate \"C\"");

#define MOMENT(column) "to_char(" column " at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"

static const struct column run[] = {
    NUMBER(feed_run, id, "run_id"),
    TEXT(feed_run, format, "format"),
    TEXT(feed_run, file, "file"),
    DAY(feed_run, imported, "(imported_at at time zone 'UTC')::date"),
    NUMBER(feed_run, stale_days,
           "(select ceil(s.interval_hours / 12.0) + 1 from public.feed_source s "
           "where s.name = feed_run.feed_source)"),
};
const struct table table_run = TABLE(struct feed_run, run, "public.feed_run order by run_id");

static const struct column hardware[] = {
    TEXT(hardware_row, gpu, "gpu"),
    TEXT(hardware_row, hardware.id, "hardware_id"),
    TEXT(hardware_row, hardware.kind, "kind"),
    TEXT(hardware_row, hardware.seller, "seller"),
    NUMBER(hardware_row, hardware.gpu_count, "gpu_count"),
    NUMBER(hardware_row, hardware.price, "price"),
    NUMBER(hardware_row, hardware.price_per_gpu, "price_per_gpu"),
    TEXT(hardware_row, hardware.currency, "currency"),
    DAY(hardware_row, hardware.observed, "observed"),
    TEXT(hardware_row, hardware.observed_text, "observed_text"),
    TEXT(hardware_row, hardware.source, "source"),
    TEXT(hardware_row, hardware.note, "note"),
    FLAG(hardware_row, hardware.usable, "usable"),
    DAY(hardware_row, hardware.known, "known_from"),
    DAY(hardware_row, hardware.until, "known_until"),
};
const struct table table_hardware = TABLE(
    struct hardware_row, hardware, "public.hardware_version order by hardware_id, known_until");

static const struct column model[] = {
    TEXT(model, slug, "slug"),
    TEXT(model, aliases, "aliases"),
    TEXT(model, name, "name"),
    TEXT(model, hf_id, "hf_id"),
    TEXT(model, model_type, "model_type"),
    TEXT(model, attention, "attention"),
    TEXT(model, note, "note"),
    TEXT(model, source, "source"),
    TEXT(model, source_date, "source_date"),
    TEXT(model, sliding_pattern, "sliding_pattern"),
    NUMBER(model, params_total, "params_total"),
    NUMBER(model, params_active, "params_active"),
    NUMBER(model, n_layers, "n_layers"),
    NUMBER(model, hidden, "hidden"),
    NUMBER(model, n_heads, "n_heads"),
    NUMBER(model, n_kv_heads, "n_kv_heads"),
    NUMBER(model, head_dim, "head_dim"),
    NUMBER(model, intermediate, "intermediate"),
    FLAG(model, gated, "gated"),
    NUMBER(model, vocab, "vocab"),
    FLAG(model, tied, "tied"),
    NUMBER(model, max_position, "max_position"),
    NUMBER(model, n_experts, "n_experts"),
    NUMBER(model, top_k, "top_k"),
    NUMBER(model, n_shared_experts, "n_shared_experts"),
    NUMBER(model, moe_intermediate, "moe_intermediate"),
    NUMBER(model, first_dense_layers, "first_dense_layers"),
    NUMBER(model, n_moe_layers, "n_moe_layers"),
    NUMBER(model, q_lora_rank, "q_lora_rank"),
    NUMBER(model, kv_lora_rank, "kv_lora_rank"),
    NUMBER(model, qk_nope_head_dim, "qk_nope_head_dim"),
    NUMBER(model, qk_rope_head_dim, "qk_rope_head_dim"),
    NUMBER(model, v_head_dim, "v_head_dim"),
    NUMBER(model, sliding_window, "sliding_window"),
    NUMBER(model, n_full_layers, "n_full_layers"),
    NUMBER(model, n_sliding_layers, "n_sliding_layers"),
    NUMBER(model, n_linear_layers, "n_linear_layers"),
    NUMBER(model, linear_state_elements, "linear_state_elements"),
    NUMBER(model, n_all_reduces, "n_all_reduces"),
    NUMBER(model, kv_bytes_per_token_bf16, "kv_bytes_per_token_bf16"),
    NUMBER(model, params_frozen, "params_frozen"),
    NUMBER(model, moe_latent, "moe_latent"),
    NUMBER(model, n_dense_layers, "n_dense_layers"),
    TEXT(model, native_dtype, "native_dtype"),
    NUMBER(model, native_attention_bytes, "native_attention_bytes"),
    NUMBER(model, native_ffn_bytes, "native_ffn_bytes"),
    NUMBER(model, native_expert_bytes, "native_expert_bytes"),
    NUMBER(model, native_embedding_bytes, "native_embedding_bytes"),
    NUMBER(model, scale_block_size, "scale_block_size"),
    NUMBER(model, scale_bytes, "scale_bytes"),
    NUMBER(model, n_index_heads, "n_index_heads"),
    NUMBER(model, index_head_dim, "index_head_dim"),
    NUMBER(model, index_top_k, "index_top_k"),
    TEXT(model, recurrent_state_dtype, "recurrent_state_dtype"),
    FLAG(model, encoder, "encoder"),
    FLAG(model, reads_only, "reads_only"),
};
const struct table table_model = TABLE(struct model, model, "public.model order by slug");

static const struct column assumption[] = {
    TEXT(assumption, key, "key"),
    TEXT(assumption, scope, "scope"),
    TEXT(assumption, group, "group_name"),
    TEXT(assumption, unit, "unit"),
    TEXT(assumption, applies_to, "applies_to"),
    TEXT(assumption, source, "source"),
    TEXT(assumption, source_date, "source_date"),
    TEXT(assumption, note, "note"),
    NUMBER(assumption, low, "low"),
    NUMBER(assumption, value, "value"),
    NUMBER(assumption, high, "high"),
};
const struct table table_assumption =
    TABLE(struct assumption, assumption, "public.assumption order by key, scope");

static const struct column exchange_rate[] = {
    TEXT(exchange_rate, currency, "currency"),
    NUMBER(exchange_rate, per_usd, "per_usd"),
    DAY(exchange_rate, observed, "observed"),
    TEXT(exchange_rate, source, "source"),
};
const struct table table_exchange_rate =
    TABLE(struct exchange_rate, exchange_rate, "public.exchange_rate order by currency, observed");

static const struct column quote[] = {
    NUMBER(quote, id, "quote_id"),
    NUMBER(quote, version, "version"),
    TEXT(quote, kind, "kind"),
    TEXT(quote, provider, "provider"),
    TEXT(quote, gpu, "quoted_gpu"),
    TEXT(quote, purchase_option, "purchase_option"),
    TEXT(quote, region, "region"),
    NUMBER(quote, gpu_count, "gpu_count"),
    NUMBER(quote, price, "price"),
    NUMBER(quote, discount_ratio, "discount_ratio"),
    TEXT(quote, price_unit, "price_unit"),
    TEXT(quote, currency, "currency"),
    DAY(quote, valid_from, "valid_from"),
    DAY(quote, valid_until, "valid_until"),
    DAY(quote, valid_before, "valid_before"),
    TEXT(quote, attachment, "attachment"),
    TEXT(quote, note, "note"),
    FLAG(quote, hidden, "hidden"),
    DAY(quote, recorded, "recorded"),
    DAY(quote, superseded, "superseded"),
    TEXT(quote, created_at, MOMENT("created_at")),
    TEXT(quote, created_by, "created_by"),
    TEXT(quote, changed_at, MOMENT("changed_at")),
    TEXT(quote, changed_by, "changed_by"),
};
const struct table table_quote =
    TABLE(struct quote, quote, "public.quote_version order by quote_id, version");

static const struct column row_change[] = {
    NUMBER(row_change, number, "history_id"),
    TEXT(row_change, table, "table_name"),
    TEXT(row_change, key, "key"),
    TEXT(row_change, action, "action"),
    TEXT(row_change, changed_at, MOMENT("changed_at")),
    TEXT(row_change, changed_by, "changed_by"),
    TEXT(row_change, field, "field"),
    TEXT(row_change, before, "before"),
    TEXT(row_change, after, "after"),
    DAY(row_change, recorded, "recorded"),
};
const struct table table_row_change =
    TABLE(struct row_change, row_change, "public.row_change order by history_id desc, field");

static const struct column quote_change[] = {
    NUMBER(quote_change, id, "quote_id"),
    NUMBER(quote_change, version, "version"),
    TEXT(quote_change, action, "action"),
    TEXT(quote_change, changed_at, MOMENT("changed_at")),
    TEXT(quote_change, changed_by, "changed_by"),
    TEXT(quote_change, field, "field"),
    TEXT(quote_change, before, "before"),
    TEXT(quote_change, after, "after"),
    DAY(quote_change, recorded, "recorded"),
};
const struct table table_quote_change = TABLE(
    struct quote_change, quote_change, "public.quote_change order by quote_id, version, field");

static const struct column measurement[] = {
#define MEASUREMENT_TEXT(name) TEXT(measurement, name, #name),
#define MEASUREMENT_NUMBER(name) NUMBER(measurement, name, #name),
#include "catalog/measurement.def"
    TEXT(measurement, url, "url"),
    TEXT(measurement, published, "published"),
    TEXT(measurement, licence, "licence"),
};
const struct table table_measurement =
    TABLE(struct measurement, measurement,
          "public.measurement join public.measurement_source using (source) order by id");

static const struct column own_measurement[] = {
#define MEASUREMENT_TEXT(name) TEXT(measurement, name, #name),
#define MEASUREMENT_NUMBER(name) NUMBER(measurement, name, #name),
#include "catalog/measurement.def"
    TEXT(measurement, url, "''"),
    TEXT(measurement, published, "''"),
    TEXT(measurement, licence, "''"),
    TEXT(measurement, measurement_set, "measurement_set"),
    TEXT(measurement, created_at, MOMENT("created_at")),
    TEXT(measurement, created_by, "created_by"),
};
const struct table table_own_measurement =
    TABLE(struct measurement, own_measurement,
          "public.own_measurement order by own_measurement.measurement_set, "
          "own_measurement.created_at, id");

static const struct column hosted_price[] = {
    TEXT(hosted_price, feed, "feed"),
    TEXT(hosted_price, provider, "provider"),
    TEXT(hosted_price, name, "listed"),
    TEXT(hosted_price, model, "model"),
    TEXT(hosted_price, evidence, "evidence"),
    TEXT(hosted_price, currency, "currency"),
    TEXT(hosted_price, source, "source"),
    NUMBER(hosted_price, input, "input_price"),
    NUMBER(hosted_price, cached_input, "cached_input_price"),
    NUMBER(hosted_price, output, "output_price"),
    NUMBER(hosted_price, context_tokens, "context_tokens"),
    NUMBER(hosted_price, stale_days, "stale_days"),
    DAY(hosted_price, first_observed, "first_observed"),
    DAY(hosted_price, last_observed, "last_observed"),
    DAY(hosted_price, until, "holds_until"),
};
const struct table table_hosted_price =
    TABLE(struct hosted_price, hosted_price,
          "public.hosted_price_span order by model collate \"C\", provider collate \"C\", "
          "listed collate \"C\", feed, first_observed, input_price, output_price, "
          "cached_input_price, context_tokens, source");
