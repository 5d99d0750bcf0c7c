/* quotes_write.c - creates quotes at /v1/quotes, replaces and deletes them at /v1/quotes/{id}. */
#include "api/prices/quotes.h"

#include "api/routes/resources.h"
#include "base/log.h"
#include "base/sha256.h"
#include "base/text.h"
#include "catalog/currency.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define TABLE quote_write_in
#define TABLE_FILE "api/prices/quote_write_in.def"
#include "base/field/table.h"

#define TABLE quote_replace_in
#define TABLE_FILE "api/prices/quote_replace_in.def"
#include "base/field/table.h"

#define TABLE quote_hide_in
#define TABLE_FILE "api/prices/quote_hide_in.def"
#include "base/field/table.h"

enum { PROVIDER_MAX = 63, SAID_MAX = 64 * 1024 };
enum { FIRST_DAY = 20000101, LAST_DAY = 21991231 };

/* Normalised as in the catalogue, so that a provider has only one spelling. */
static bool is_slug(const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    size_t n = strlen(text);

    return n <= PROVIDER_MAX && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == n &&
           strspn(text, letters) > 0 && text[n - 1] != '-' && !strstr(text, "--");
}

static void check_provider(struct request_context *context, const struct quote_write_in *in,
                           struct err *err)
{
    if (!is_slug(in->provider))
        context_refuse(context, err, "provider", "bad_form",
                       "must be lower-case letters and digits with single hyphens, at most %d: "
                       "as in /v1/offers, or such as acme-cloud",
                       PROVIDER_MAX);
}

/* Refuse an input that this kind of quote does not have. */
static void check_absent(struct request_context *context, const char *name, bool given,
                         const char *kinds, struct err *err)
{
    if (given)
        context_refuse(context, err, name, "contradiction", "is for %s only", kinds);
}

/* Refuse the lack of an input that this kind of quote must have. */
static void check_present(struct request_context *context, const char *name, bool given,
                          const char *why, struct err *err)
{
    if (!given)
        context_refuse(context, err, name, "missing_parameter", "is required %s", why);
}

static void check_rental(struct request_context *context, const struct quote_write_in *in,
                         struct err *err)
{
    check_present(context, "purchase_option", in->purchase_option != NULL,
                  "for a rental: on_demand, spot, reserved_1yr, reserved_3yr or capacity_block",
                  err);
    if (in->price == 0 && in->purchase_option && strcmp(in->purchase_option, "on_demand") != 0)
        context_refuse(context, err, "purchase_option", "contradiction",
                       "must be on_demand with price 0: what is paid for already may be used at "
                       "any time, whatever it was bought as");
    if (in->price == 0)
        check_present(context, "gpu_count", !isnan(in->gpu_count),
                      "with price 0: the number of GPUs that are paid for", err);
}

static void check_discount(struct request_context *context, const struct quote_write_in *in,
                           struct err *err)
{
    check_present(context, "discount_ratio", in->discount_ratio > 0,
                  "for a discount, above 0: 0.2 for 20% off the list prices", err);
    check_absent(context, "price", !isnan(in->price), "rentals and hardware", err);
    check_absent(context, "price_unit", in->price_unit != NULL, "rentals and hardware", err);
    check_absent(context, "gpu_count", !isnan(in->gpu_count), "rentals and hardware", err);
}

/* Prices are written with six decimals. */
static const double LEAST_PRICE = 0.000001;

/* Check the price of a rental or of hardware. */
static void check_price(struct request_context *context, const struct quote_write_in *in,
                        bool rental, struct err *err)
{
    const char *unit = in->price_unit ? in->price_unit : "";
    bool whole = strcmp(unit, "per_node_hour") == 0 || strcmp(unit, "per_server") == 0;

    check_present(context, "gpu", in->gpu != NULL, "except for a discount: a name from /v1/gpus",
                  err);
    check_present(context, "price", !isnan(in->price), "except for a discount", err);
    check_absent(context, "discount_ratio", !isnan(in->discount_ratio), "discounts", err);
    if (rental != (strstr(unit, "_hour") != NULL))
        context_refuse(context, err, "price_unit", "contradiction", "of %s must be %s", in->kind,
                       rental ? "per_gpu_hour or per_node_hour" : "per_card or per_server");
    if (in->price == 0 && !rental)
        context_refuse(context, err, "price", "out_of_range",
                       "must be at least %.6f: servers you own already are gpus_owned in "
                       "/v1/break-even",
                       LEAST_PRICE);
    else if (in->price != 0 && in->price < LEAST_PRICE)
        context_refuse(context, err, "price", "out_of_range",
                       "must be at least %.6f, or 0 for a rental that is already paid for",
                       LEAST_PRICE);
    if (whole)
        check_present(context, "gpu_count", !isnan(in->gpu_count),
                      "with that price_unit: the number of GPUs the price is for", err);
    if (strcmp(unit, "per_card") == 0 && in->gpu_count > 1)
        context_refuse(context, err, "gpu_count", "contradiction",
                       "must be 1 for a card: enter the price of one, or price_unit per_server");
}

/* Check inputs that apply only to some kinds of quotes. */
static void check_kind(struct request_context *context, const struct quote_write_in *in,
                       struct err *err)
{
    bool rental = strcmp(in->kind, "rental") == 0;

    check_absent(context, "region", in->region && !rental, "rentals", err);
    if (strcmp(in->kind, "discount") == 0) {
        check_discount(context, in, err);
        return;
    }
    check_price(context, in, rental, err);
    if (rental)
        check_rental(context, in, err);
    else
        check_absent(context, "purchase_option", in->purchase_option != NULL,
                     "rentals and discounts", err);
}

static void check_days(struct request_context *context, const char *name, day date, struct err *err)
{
    if (date && (date < FIRST_DAY || date > LAST_DAY))
        context_refuse(context, err, name, "out_of_range", "must be from 2000-01-01 to 2199-12-31");
}

/* The text is copied into sheets and XML unchanged. */
static void check_text(struct request_context *context, const char *name, const char *text,
                       struct err *err)
{
    for (const char *p = text ? text : ""; *p; p++)
        if (iscntrl((unsigned char)*p)) {
            context_refuse(context, err, name, "bad_form", "must be one line of plain text");
            return;
        }
    if (text && !text_is_utf8(text))
        context_refuse(context, err, name, "bad_form", "must be UTF-8");
}

static day day_of(const char *text)
{
    day date = 0;

    return text && text_day(text, &date) ? date : 0;
}

/* The currency in the catalogue's spelling; refuses an unknown one. */
static const char *read_currency(struct request_context *context, const char *typed,
                                 struct err *err)
{
    char code[4] = "";

    for (size_t i = 0; i < 3 && isalpha((unsigned char)typed[i]); i++)
        code[i] = (char)toupper((unsigned char)typed[i]);
    if (strlen(code) == 3 && !typed[3])
        return arena_text(context->arena, code);
    context_refuse(context, err, "currency", "bad_form",
                   "must be three letters, such as USD or "
                   "EUR");
    return "USD";
}

/* Record the defaults chosen for open inputs. */
static void note_choices(struct request_context *context, const struct quote *quote)
{
    if (!context_given(context, "valid_from"))
        context_set_text(context, "valid_from", context_day(context, quote->valid_from),
                         SOURCE_CHOSEN, NULL);
    if (!quote_is_discount(quote) && !context_given(context, "gpu_count"))
        context_set_number(context, "gpu_count", quote->gpu_count, SOURCE_CHOSEN, NULL);
}

/* Convert the checked inputs to a quote; its texts are borrowed. */
static bool read_quote(struct request_context *context, const struct quote_write_in *in,
                       struct quote *quote, struct err *err)
{
    const struct gpu *gpu;

    *quote = (struct quote){
        .kind = in->kind,
        .provider = in->provider,
        .gpu = in->gpu ? in->gpu : "",
        .purchase_option = in->purchase_option ? in->purchase_option : "",
        .region = in->region ? in->region : "",
        .gpu_count = isnan(in->gpu_count) ? 1 : in->gpu_count,
        .price = in->price,
        .discount_ratio = in->discount_ratio,
        .price_unit = in->price_unit ? in->price_unit : "",
        .currency = read_currency(context, in->currency, err),
        .valid_from = in->valid_from ? day_of(in->valid_from) : context->today,
        .valid_until = day_of(in->valid_until),
        .attachment = in->attachment ? in->attachment : "",
        .note = in->note ? in->note : "",
    };
    if (in->gpu)
        lookup_gpu(context, "gpu", in->gpu, &gpu, err);
    check_provider(context, in, err);
    check_kind(context, in, err);
    check_days(context, "valid_from", quote->valid_from, err);
    check_days(context, "valid_until", quote->valid_until, err);
    if (quote->valid_until && quote->valid_until < quote->valid_from)
        context_refuse(context, err, "valid_until", "contradiction", "is before valid_from");
    check_text(context, "region", in->region, err);
    check_text(context, "attachment", in->attachment, err);
    check_text(context, "note", in->note, err);
    return err->n_culprits == 0;
}

static bool check_rate(const struct request_context *context, const struct quote *quote,
                       struct err *err)
{
    if (strcmp(quote->currency, "USD") == 0 ||
        catalog_rate(context->catalog, quote->currency, context->today))
        return true;
    return err_set(err, ERR_NO_SOLUTION,
                   "no exchange rate for %s is in the catalogue (/v1/exchange-rates): add one, "
                   "or send the price in USD",
                   quote->currency);
}

/* Quotes may come from any provider. An otherwise unknown one may be a misspelling. */
static void warn(struct request_context *context, const struct quote *quote)
{
    const struct catalog *catalog = context->catalog;
    const char *nearest = catalog_nearest_provider(catalog, quote->provider);

    if (strcmp(quote->kind, "hardware") != 0 && (!nearest || strcmp(nearest, quote->provider) != 0))
        context_warn(
            context, "new_provider", "no other offer is from %s, so %s%s%s%s", quote->provider,
            quote_is_discount(quote) ? "the discount applies to no price yet"
                                     : "it counts as a new provider",
            nearest ? "; if you mean " : "", nearest ? catalog_provider_name(catalog, nearest) : "",
            nearest ? arena_print(context->arena, " (%s), replace the quote", nearest) : "");
    if (!quote_valid(quote, context->today))
        context_warn(context, "not_valid_today",
                     "it is not valid today, so today's answers leave it out");
}

static void show(struct request_context *context, struct quote *quote,
                 const struct quote_written *written)
{
    struct quote_row *row = arena_alloc(context->arena, sizeof(*row));

    quote->id = written->id;
    quote->version = written->version;
    quote->hidden = quote->hidden || written->hidden;
    quote->changed_at = written->changed_at;
    quote->changed_by = context->writer;
    *row = quote_row_of(context, quote);
    context_values(context, row);
    answer_link(&context->answer, "self",
                arena_print(context->arena, "/v1/quotes/%.0f", quote->id));
    answer_link(&context->answer, "history",
                arena_print(context->arena, "/v1/quotes/%.0f/history", quote->id));
}

/* ---- writing */

/* The IETF draft specifies a quoted string; most clients send plain text. */
static bool read_key(struct request_context *context, struct quote_order *order, struct err *err)
{
    enum { KEY_MAX = 255 };
    const char *typed = context->request->idempotency_key;
    size_t n = strlen(typed);
    bool quoted = n >= 2 && typed[0] == '"' && typed[n - 1] == '"';
    const char *key =
        arena_print(context->arena, "%.*s", (int)(quoted ? n - 2 : n), typed + quoted);

    if (!typed[0])
        return true;
    for (const char *p = key; *p; p++)
        if (!isgraph((unsigned char)*p))
            key = "";
    order->key = key;
    return (key[0] && strlen(key) <= KEY_MAX) ||
           err_set(err, ERR_INVALID,
                   "Idempotency-Key must be 1 to %d visible ASCII characters, such as a UUID",
                   KEY_MAX);
}

/* Hash of all inputs sent, in canonical order and spacing. */
static const char *hash_given(struct request_context *context)
{
    const struct inputs *inputs = &context->inputs;
    uint8_t digest[SHA256_SIZE];
    char hex[2 * SHA256_SIZE + 1];
    struct buf said;

    buf_init(&said, SAID_MAX);
    for (size_t i = 0; i < inputs->fields.n; i++) {
        const struct field *field = &inputs->fields.at[i];
        if (inputs->sources[i] != SOURCE_REQUEST)
            continue;
        if (field_is_text(field))
            buf_print(&said, "%s=%s\n", field->name, field_text(field, inputs->values));
        else
            buf_print(&said, "%s=%.17g\n", field->name, field_number(field, inputs->values));
    }
    sha256(said.data, said.length, digest);
    buf_free(&said);
    for (size_t i = 0; i < SHA256_SIZE; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    return arena_text(context->arena, hex);
}

static bool carry_out(struct request_context *context, const struct quote_order *order,
                      struct quote_written *written, struct err *err)
{
    static const char *const done[] = {"created", "replaced", "hidden"};

    if (!context->quotes->write(context->quotes->context, order, written, err)) {
        if (err->code == ERR_DATABASE)
            log_text(LOG_WARN, "a quote was not saved", "why", err->text);
        return false;
    }
    log_write(LOG_INFO, "quote", "id=%.0f %s_by=%s", written->id,
              written->repeated ? "repeated" : done[order->action], context->writer);
    return true;
}

/* Set creation time and author: now, unless the quote replaces one. */
static void note_creation(const struct request_context *context, struct quote *quote,
                          const struct quote_written *written)
{
    const struct quote *before = catalog_quote(context->catalog, written->id, context->today);

    quote->created_at = before ? before->created_at : written->changed_at;
    quote->created_by = before ? before->created_by : context->writer;
}

static bool save(struct request_context *context, const struct quote_write_in *in,
                 struct quote_order *order, struct err *err)
{
    struct quote *quote = arena_alloc(context->arena, sizeof(*quote));
    struct quote_written *written = arena_alloc(context->arena, sizeof(*written));

    order->quote = quote;
    order->who = context->writer;
    order->sent = order->key ? hash_given(context) : NULL;
    if (!read_quote(context, in, quote, err) || !check_rate(context, quote, err) ||
        !carry_out(context, order, written, err))
        return false;
    if (written->repeated)
        quote->valid_from = written->valid_from;
    note_creation(context, quote, written);
    note_choices(context, quote);
    warn(context, quote);
    show(context, quote, written);
    return true;
}

static bool answer_create(struct request_context *context, void *input, struct err *err)
{
    struct quote_order order = {.action = QUOTE_CREATE, .version = (double)NAN};

    if (!read_key(context, &order, err) || !save(context, input, &order, err))
        return false;
    context->status = 201;
    context->location = context->answer.links[0].target;
    return true;
}

/* The inputs begin with those of a new quote. */
static bool answer_replace(struct request_context *context, void *input, struct err *err)
{
    const struct quote_replace_in *in = input;
    struct quote_order order = {.action = QUOTE_REPLACE, .version = in->version};

    return quote_read_id(context, &order.id, err) && save(context, input, &order, err);
}

static bool answer_hide(struct request_context *context, void *input, struct err *err)
{
    const struct quote_hide_in *in = input;
    struct quote_order order = {
        .action = QUOTE_HIDE, .version = in->version, .who = context->writer};
    struct quote_written written;

    context->status = 204;
    return quote_read_id(context, &order.id, err) && carry_out(context, &order, &written, err);
}

const struct resource quote_create_resource = {
    .name = "quote",
    .headline = "quote_id",
    .summary = "Store a quote: from then on every answer for the days it is valid uses it",
    .in = &quote_write_in_fields,
    .in_size = sizeof(struct quote_write_in),
    .out = &quote_row_fields,
    .writes = true,
    .answer = answer_create,
};

const struct resource quote_replace_resource = {
    .name = "quote_replace",
    .headline = "version",
    .summary = "Replace a quote; its earlier versions stay in its history",
    .in = &quote_replace_in_fields,
    .in_size = sizeof(struct quote_replace_in),
    .out = &quote_row_fields,
    .writes = true,
    .answer = answer_replace,
};

const struct resource quote_hide_resource = {
    .name = "quote_hide",
    .headline = "version",
    .summary = "Delete a quote: no answer uses it any more, its history stays",
    .in = &quote_hide_in_fields,
    .in_size = sizeof(struct quote_hide_in),
    .out = &quote_row_fields,
    .writes = true,
    .answer = answer_hide,
};
