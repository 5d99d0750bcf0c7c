#include "api/resource/decode.h"

#include "answer/value.h"
#include "api/resource/context.h"
#include "api/routes/routes.h"
#include "base/spelling.h"
#include "base/text.h"
#include "catalog/required.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static const struct field common_rows[] = {
#define FIELDS_OF struct common
#include "base/field/rows.h"
#include "api/resource/common.def"
#include "base/field/end.h"
};
const struct fields common_fields = FIELDS_INIT(common_rows);

static const struct field list_rows[] = {
#define FIELDS_OF struct list_inputs
#include "base/field/rows.h"
#include "api/resource/list.def"
#include "base/field/end.h"
};
const struct fields list_fields = FIELDS_INIT(list_rows);

void decode_inputs_init(struct inputs *inputs, struct fields fields, void *values,
                        struct arena *arena)
{
    *inputs = (struct inputs){.fields = fields, .values = values};
    inputs->sources = arena_alloc(arena, fields.n * sizeof(inputs->sources[0]));
    inputs->references = arena_alloc(arena, fields.n * sizeof(inputs->references[0]));
    fields_clear(fields, values);
}

static bool refuse_number(const struct field *field, const char *where, const char *text,
                          struct err *err)
{
    size_t n = strlen(text);
    double value;
    char plain[64];
    static const char multiples[] = "kKmMbBgGtT";
    static const int thousands[] = {1, 1, 2, 2, 3, 3, 3, 3, 4, 4};

    if (n > 1 && n < sizeof(plain) && text[n - 1] == '%') {
        memcpy(plain, text, n - 1);
        plain[n - 1] = '\0';
        if (text_number(plain, &value))
            return err_add(err, where, text, "not_a_number",
                           "ratios are 0 to 1: for %s percent send %.10g", plain, value / 100);
    }
    const char *multiple = n > 1 && n < sizeof(plain) ? strchr(multiples, text[n - 1]) : NULL;
    if (multiple) {
        memcpy(plain, text, n - 1);
        plain[n - 1] = '\0';
        if (text_number(plain, &value) && !strpbrk(plain, "eE"))
            return err_add(err, where, text, "not_a_number",
                           "must be a plain number: for %s send %se%d", text, plain,
                           thousands[multiple - multiples] * 3);
    }
    value = spelling_number_meant(text, field->unit);
    if (!isnan(value))
        return err_add(err, where, text, "not_a_number",
                       "must be a plain number: for %s send %.15g%s", text, value,
                       strncmp(field->unit, "USD", 3) == 0 ? ", in the answer's currency" : "");
    return err_add(err, where, text, "not_a_number", "must be a number%s",
                   strchr(text, ',')
                       ? " with a decimal point and no thousands separators, such as 1234.56"
                       : ", such as 8, 0.7 or 2e12");
}

static bool decode_number(const struct field *field, const char *where, const char *text,
                          double *value, struct err *err)
{
    char unit[UNIT_SIZE];

    if (field->type == FIELD_FLAG && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)) {
        *value = text[0] == 't';
        return true;
    }
    bool plus = text[0] == '+' && text[1] != '-';
    if (!text_number(text + plus, value))
        return refuse_number(field, where, text, err);
    if (*value < field->min || *value > field->max) {
        if (field->type == FIELD_RATIO && field->max == 1 && *value > 1 && *value <= 100)
            return err_add_range(err, where, text, field->min, field->max,
                                 "must be between %.10g and 1; for %.10g percent send %.10g",
                                 field->min, *value, *value / 100);
        return err_add_range(err, where, text, field->min, field->max,
                             "must be between %.10g and %.10g%s%s", field->min, field->max,
                             field->unit[0] ? " " : "", value_unit(field->unit, "currency", unit));
    }
    bool whole = field->type == FIELD_COUNT || field->type == FIELD_FLAG;
    if (whole && *value != floor(*value))
        return err_add(err, where, text, "not_whole", "must be a whole number");
    return true;
}

/* Refuse an invalid choice; suggest ours for another tool's name, or another input with that
 * choice. */
static bool refuse_choice(const struct field *field, struct fields fields, const char *where,
                          const char *text, struct err *err)
{
    const char *meant = lookup_choice_meant(field->choices, text);

    if (meant)
        return err_add(err, where, text, "unknown_choice", "must be one of: %s; did you mean %s?",
                       field->choices, meant);
    for (size_t i = 0; i < fields.n; i++) {
        const char *other = fields.at[i].type != FIELD_CHOICE ? NULL
                            : text_in_words(fields.at[i].choices, text)
                                ? text
                                : lookup_choice_meant(fields.at[i].choices, text);
        if (other)
            return err_add(err, where, text, "unknown_choice",
                           "must be one of: %s; did you mean %s=%s?", field->choices,
                           fields.at[i].name, other);
    }
    return err_add(err, where, text, "unknown_choice", "must be one of: %s", field->choices);
}

static bool decode_text(const struct field *field, struct fields fields, const char *where,
                        const char *text, struct arena *arena, const char **value, struct err *err)
{
    size_t most = isnan(field->max) ? FIELD_TEXT_MAX : (size_t)field->max;
    day date;

    *value = text;
    if (field->type == FIELD_CHOICE) {
        const char *choice = text_in_words(field->choices, text);
        size_t n = strlen(text);
        if (!choice)
            return refuse_choice(field, fields, where, text, err);
        if (memcmp(text, choice, n) != 0)
            *value = arena_part(arena, choice, n);
    } else if (field->type == FIELD_DATE && !text_day(text, &date)) {
        return err_add(err, where, text, "not_a_date", "must be a day written as yyyy-mm-dd");
    } else if (strlen(text) > most) {
        return err_add(err, where, text, "too_long", "must be at most %zu bytes long", most);
    }
    return true;
}

/* A JSON value must have the field's type: "8" is not 8. */
static bool kind_fits(const struct field *field, enum param_kind kind)
{
    if (kind == PARAM_ANY)
        return true;
    if (field_is_text(field))
        return kind == PARAM_TEXT;
    return kind == PARAM_NUMBER || (field->type == FIELD_FLAG && kind == PARAM_FLAG);
}

static bool decode_value(const struct decode_target *target, size_t i, const char *where,
                         const char *text, struct arena *arena, struct err *err)
{
    const struct field *field = &target->fields.at[i];

    if (field_is_text(field)) {
        const char *value;
        if (!decode_text(field, target->fields, where, text, arena, &value, err))
            return false;
        field_set_text(field, target->values, value);
    } else {
        double value;
        if (!decode_number(field, where, text, &value, err))
            return false;
        field_set_number(field, target->values, value);
    }
    return true;
}

/* What engines, benchmarks, trainers and finance call our inputs; if a name has two rows, the first
 * input that the resource has is suggested. */
static const struct {
    const char *elsewhere, *here;
} known_elsewhere[] = {
#include "api/resource/other_names.def"
};

static const struct field *input_called(const struct decode_target *targets, size_t n,
                                        const char *name)
{
    for (size_t t = 0; t < n; t++)
        if (fields_find(targets[t].fields, name))
            return fields_find(targets[t].fields, name);
    return NULL;
}

/* Our name for it, if it equals a name in the table or, unless `exactly`, resembles one. */
static const char *called_here(const char *typed, bool exactly, const struct decode_target *targets,
                               size_t n)
{
    for (size_t i = 0; i < sizeof(known_elsewhere) / sizeof(known_elsewhere[0]); i++)
        if (spelling_is_called(typed, known_elsewhere[i].elsewhere, exactly) &&
            input_called(targets, n, known_elsewhere[i].here))
            return known_elsewhere[i].here;
    return NULL;
}

/* The longest input whose name the typed one begins or ends with: tokens for training_tokens. */
static const char *input_held(const char *typed, const struct decode_target *targets, size_t n)
{
    const struct field *held = NULL;
    size_t length = strlen(typed);

    for (size_t t = 0; t < n; t++)
        for (size_t i = 0; i < targets[t].fields.n; i++) {
            const struct field *field = &targets[t].fields.at[i];
            if (field->length >= length || (held && field->length <= held->length))
                continue;
            const char *end = typed + length - field->length;
            if ((strncmp(typed, field->name, field->length) == 0 && typed[field->length] == '_') ||
                (strcmp(end, field->name) == 0 && end[-1] == '_'))
                held = field;
        }
    return held ? held->name : NULL;
}

static const char *input_meant(const char *typed, const struct decode_target *targets, size_t n)
{
    struct spelling near = spelling_of(typed);
    const char *meant = called_here(typed, true, targets, n);

    if (meant)
        return meant;
    for (size_t t = 0; t < n; t++)
        for (size_t i = 0; i < targets[t].fields.n; i++)
            spelling_try(&near, targets[t].fields.at[i].name);
    meant = spelling_meant(&near);
    meant = meant ? meant : called_here(typed, false, targets, n);
    return meant ? meant : input_held(typed, targets, n);
}

/* True for a run of one's own where only stored ones correct the answer. */
static bool is_run_to_store(const char *typed, const struct decode_target *targets, size_t n)
{
    static const char run[] = "measured_";
    bool stated = false;

    for (size_t t = 0; t < n; t++)
        for (size_t i = 0; i < targets[t].fields.n; i++)
            stated |= strncmp(targets[t].fields.at[i].name, run, strlen(run)) == 0;
    return strncmp(typed, run, strlen(run)) == 0 && !stated &&
           input_called(targets, n, "measurement_set");
}

/* The path right below /v1 whose answer takes an input of that name; NULL if none does. */
static const char *path_taking(const char *name)
{
    for (size_t i = 0; i < n_routes; i++)
        if (strrchr(routes[i].path, '/') == routes[i].path + strlen("/v1") &&
            routes[i].resource->out && fields_find(*routes[i].resource->in, name))
            return routes[i].path;
    return NULL;
}

/* Refuse an input that another answer takes, unless one here is called alike; of owned GPUs say how
 * this one takes them. */
static bool refuse_misplaced(const char *where, const struct param *param, const char *alike,
                             const struct decode_target *targets, size_t n, struct err *err)
{
    const char *path = path_taking(param->name);
    const struct field *option = input_called(targets, n, "purchase_option");
    bool owned = strstr(param->name, "owned") && option && text_in_words(option->choices, "owned");

    if (!path || (alike && !owned))
        return false;
    err_add(err, where, param->value, "unknown_parameter",
            "is an input of %s, not of this address%s", path,
            owned ? "; purchase_option=owned with utilization prices GPUs that you have" : "");
    return true;
}

static void refuse_unknown(const char *where, const struct param *param,
                           const struct decode_target *targets, size_t n, struct err *err)
{
    const char *best = input_meant(param->name, targets, n);
    const struct field *field = best ? input_called(targets, n, best) : NULL;
    double value, factor = field ? spelling_unit_factor(param->name, field->unit) : 0;

    if (strstr(param->name, "spars"))
        err_add(err, where, param->value, "unknown_parameter",
                "every estimate is for dense weights: pruning two weights of four doubles some "
                "GPUs' peak (listed as sparse by /v1/gpus/{gpu}), not their bandwidth, and no "
                "published run of such weights was found to say what is left of it");
    else if (is_run_to_store(param->name, targets, n))
        err_add(err, where, param->value, "unknown_parameter",
                "is for /v1/training-plan and /v1/inference-sizing: here, store the run with POST "
                "/v1/measurements and enter measurement_set");
    else if (field && factor > 0 && text_number(param->value, &value))
        err_add(err, where, param->value, "unknown_parameter",
                "unknown parameter; did you mean %s? In its unit (%s) that is %.10g", best,
                field->unit, factor * value);
    else if (!refuse_misplaced(where, param, best, targets, n, err))
        err_add(err, where, param->value, "unknown_parameter", "unknown parameter%s%s%s",
                best ? "; did you mean " : "", best ? best : "", best ? "?" : "");
}

static bool seen_before(const struct params *params, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (strcmp(params->at[j].name, params->at[i].name) == 0)
            return true;
    return false;
}

/* An explicit "auto" counts as not given if it is the default. */
static bool is_auto(const struct field *field, const char *value)
{
    return strcmp(field->fallback, "auto") == 0 && strcmp(value, "auto") == 0;
}

static void take_given(const struct decode_target *target, size_t i, const struct param *param,
                       struct arena *arena, struct err *err)
{
    if (!decode_value(target, i, param->name, param->value, arena, err) || !target->inputs)
        return;
    target->inputs->sources[i] = SOURCE_REQUEST;
    target->inputs->references[i] = NULL;
}

/* An empty value counts as not given, as an empty form field does. */
static void decode_one(const struct params *params, size_t p, const struct decode_target *targets,
                       size_t n, struct arena *arena, struct err *err)
{
    const struct param *param = &params->at[p];
    const char *where = param->name;

    for (size_t t = 0; t < n; t++) {
        const struct field *field = fields_find(targets[t].fields, param->name);
        if (!field)
            continue;
        size_t i = (size_t)(field - targets[t].fields.at);
        if (seen_before(params, p))
            err_add(err, where, param->value, "duplicate_parameter", "given more than once");
        else if (is_auto(field, param->value))
            return;
        else if (!kind_fits(field, param->kind))
            err_add(err, where, param->value, "wrong_type",
                    field_is_text(field) ? "must be a JSON string" : "must be a JSON number");
        else if (param->value[0])
            take_given(&targets[t], i, param, arena, err);
        return;
    }
    refuse_unknown(where, param, targets, n, err);
}

static bool is_own_assumption(const struct field *field)
{
    return strcmp(field->fallback, "@assumption") == 0;
}

/* Parse "@key:scope"; "@assumption" is the row with the field's own name. */
static struct required assumption_of(const struct field *field, struct arena *arena)
{
    const char *key = is_own_assumption(field) ? field->name : field->fallback + 1;
    const char *colon = strchr(key, ':');

    if (colon)
        key = arena_part(arena, key, (size_t)(colon - key));
    return (struct required){key, colon ? colon + 1 : "", BOUND_VALUE, field->min, field->max};
}

static void fill_assumption(const struct decode_target *target, size_t i,
                            const struct catalog *catalog, struct arena *arena)
{
    const struct field *field = &target->fields.at[i];
    struct required row = assumption_of(field, arena);

    field_set_number(field, target->values, catalog_default(catalog, row.key, row.scope));
    if (target->inputs)
        target->inputs->references[i] = is_own_assumption(field)
                                            ? field->path
                                            : arena_join(arena, "/v1/assumptions?key=", row.key,
                                                         *row.scope ? "&scope=" : "", row.scope);
}

/* Decode the default of a field. */
static void fill_gap(const struct decode_target *target, size_t i, const struct catalog *catalog,
                     struct arena *arena)
{
    const struct field *field = &target->fields.at[i];
    const char *fallback = field->fallback;
    struct err err = {0}; /* not a catalogue key: literal text */

    if (!fallback[0] || strcmp(fallback, "required") == 0 || strcmp(fallback, "auto") == 0)
        return;
    if (fallback[0] == '@')
        fill_assumption(target, i, catalog, arena);
    else
        decode_value(target, i, field->name, fallback, arena, &err);
}

/* The defaults of a whole field table. */
struct defaults {
    void *values;
    size_t size;
    const char **references;
    size_t *required, n_required; /* fields that must be given */
};

/* Size of the struct that holds the values, up to the last field. */
static size_t size_of(struct fields fields)
{
    size_t size = 0;

    for (size_t i = 0; i < fields.n; i++)
        if (size < fields.at[i].offset + sizeof(double))
            size = fields.at[i].offset + sizeof(double);
    return size;
}

static const struct defaults *work_out(const struct catalog *catalog, struct fields fields,
                                       struct arena *arena)
{
    struct defaults *defaults = arena_alloc(arena, sizeof(*defaults));
    struct inputs inputs;
    struct decode_target target = {fields, arena_alloc(arena, size_of(fields)), &inputs};

    decode_inputs_init(&inputs, fields, target.values, arena);
    defaults->values = target.values;
    defaults->size = size_of(fields);
    defaults->references = inputs.references;
    defaults->required = arena_alloc(arena, fields.n * sizeof(defaults->required[0]));
    for (size_t i = 0; i < fields.n; i++) {
        fill_gap(&target, i, catalog, arena);
        if (strcmp(fields.at[i].fallback, "required") == 0)
            defaults->required[defaults->n_required++] = i;
    }
    return defaults;
}

/* Tables are identified by their index structs. */
void decode_defaults_memoize(struct catalog *catalog, struct fields fields)
{
    if (!fields.index || catalog_memo_get(catalog, fields.index))
        return;
    for (size_t i = 0; i < fields.n; i++)
        if (fields.at[i].fallback[0] == '@') {
            struct required row = assumption_of(&fields.at[i], &catalog->arena);
            catalog_require(catalog, &row);
        }
    catalog_memo_put(catalog, fields.index, work_out(catalog, fields, &catalog->arena));
}

static const struct defaults *defaults_of(const struct catalog *catalog, struct fields fields,
                                          struct arena *arena)
{
    const struct defaults *kept = fields.index ? catalog_memo_get(catalog, fields.index) : NULL;

    return kept ? kept : work_out(catalog, fields, arena);
}

static void start(const struct decode_target *target, const struct defaults *defaults)
{
    memcpy(target->values, defaults->values, defaults->size);
    if (target->inputs)
        memcpy(target->inputs->references, defaults->references,
               target->fields.n * sizeof(defaults->references[0]));
}

/* Bytes of a text up to the end of its first sentence. */
static int first_sentence(const char *text)
{
    const char *end = strstr(text, ". ");
    return (int)(end ? (size_t)(end - text) : strlen(text));
}

static void check_required(const struct defaults *defaults, struct fields fields,
                           const struct params *params, struct err *err)
{
    for (size_t i = 0; i < defaults->n_required; i++) {
        const struct field *field = &fields.at[defaults->required[i]];
        const char *given = params_find(params, field->name);
        if (!given || !given[0])
            err_add(err, field->name, "", "missing_parameter", "is required: %.*s",
                    first_sentence(field->sentence), field->sentence);
    }
}

bool decode_params(const struct params *params, const struct decode_target *targets, size_t n,
                   const struct catalog *catalog, struct arena *arena, struct err *err)
{
    const struct defaults *defaults[DECODE_TARGETS_MAX];

    err->n_culprits = 0;
    for (size_t t = 0; t < n; t++) {
        defaults[t] = defaults_of(catalog, targets[t].fields, arena);
        start(&targets[t], defaults[t]);
    }
    for (size_t p = 0; p < params->n; p++)
        decode_one(params, p, targets, n, arena, err);
    for (size_t t = 0; t < n; t++)
        check_required(defaults[t], targets[t].fields, params, err);
    return err->n_culprits == 0;
}
