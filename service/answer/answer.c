#include "answer/answer.h"

#include "answer/svg.h"
#include "answer/write.h"
#include "base/text.h"

#include <math.h>
#include <string.h>

static const struct field meta_rows[] = {
#define FIELDS_OF struct answer_meta
#include "base/field/rows.h"
#include "answer/meta.def"
#include "base/field/end.h"
};

const struct fields answer_meta_fields = FIELDS_INIT(meta_rows);

static const struct {
    const char *suffix, *type;
} formats[FORMAT_COUNT] = {
    [FORMAT_JSON] = {"json", "application/json"},
    [FORMAT_CSV] = {"csv", "text/csv; charset=utf-8; header=present"},
    [FORMAT_TSV] = {"tsv", "text/tab-separated-values; charset=utf-8"},
    [FORMAT_XML] = {"xml", "application/xml; charset=utf-8"},
    [FORMAT_TEXT] = {"txt", "text/plain; charset=utf-8"},
    [FORMAT_HTML] = {"html", "text/html; charset=utf-8"},
    [FORMAT_XLSX] = {"xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"},
    [FORMAT_SVG] = {"svg", "image/svg+xml"},
};

const char *answer_format_suffix(enum format format)
{
    return formats[format].suffix;
}

const char *answer_format_type(enum format format)
{
    return formats[format].type;
}

bool answer_format_find(const char *suffix, size_t length, enum format *out)
{
    for (int i = 0; i < FORMAT_COUNT; i++)
        if (strlen(formats[i].suffix) == length && memcmp(formats[i].suffix, suffix, length) == 0) {
            *out = (enum format)i;
            return true;
        }
    return false;
}

static void insert_warning(struct answer *answer, size_t at, struct warning warning)
{
    if (at >= WARNINGS_MAX)
        return;
    if (answer->n_warnings < WARNINGS_MAX)
        answer->n_warnings++;
    memmove(answer->warnings + at + 1, answer->warnings + at,
            (answer->n_warnings - 1 - at) * sizeof(*answer->warnings));
    answer->warnings[at] = warning;
}

/* Warnings that change how the figures are read: they come before those about prices. */
static bool is_grave(const char *code)
{
    static const char *const grave[] = {"no_latency_limit",
                                        "no_load",
                                        "does_not_fit",
                                        "unusual_input",
                                        "context_too_long",
                                        "long_run",
                                        "never_ends",
                                        "deadline_missed",
                                        "budget_exceeded",
                                        "deadline_missed_at_high",
                                        "budget_exceeded_at_high",
                                        "limit_in_interval",
                                        "limit_at_risk",
                                        "derived_price_turns_verdict",
                                        "other_rent_turns_verdict",
                                        "purchase_list_price",
                                        "list_price",
                                        "sold_by_rack",
                                        "times_unknown",
                                        "no_upper_end",
                                        "power_budget_exceeded",
                                        "engine_support",
                                        "no_option",
                                        "duration_too_short",
                                        "takes_years",
                                        "commitment_outlasts_job"};

    for (size_t i = 0; i < sizeof(grave) / sizeof(grave[0]); i++)
        if (strcmp(code, grave[i]) == 0)
            return true;
    return false;
}

bool answer_warns(const struct answer *answer, const char *code, const char *detail)
{
    for (size_t i = 0; i < answer->n_warnings; i++)
        if (strcmp(answer->warnings[i].code, code) == 0 &&
            (!detail || strcmp(answer->warnings[i].detail, detail) == 0))
            return true;
    return false;
}

void answer_warn(struct answer *answer, const char *code, const char *detail)
{
    size_t at = answer->n_warnings;

    if (answer_warns(answer, code, detail))
        return;
    if (is_grave(code))
        for (at = 0; at < answer->n_warnings && is_grave(answer->warnings[at].code);)
            at++;
    insert_warning(answer, at, (struct warning){code, detail});
}

void answer_warn_first(struct answer *answer, const char *code, const char *detail)
{
    insert_warning(answer, 0, (struct warning){code, detail});
}

void answer_link(struct answer *answer, const char *name, const char *target)
{
    if (answer->n_links < LINKS_MAX)
        answer->links[answer->n_links++] = (struct link){name, target};
}

void answer_table(struct answer *answer, struct table table)
{
    if (answer->n_tables < TABLES_MAX)
        answer->tables[answer->n_tables++] = table;
}

bool answer_write(const struct answer *answer, enum format format, const struct style *style,
                  struct buf *out, struct err *err)
{
    switch (format) {
    case FORMAT_CSV:
    case FORMAT_TSV:
        return csv_write(answer, format, style, out, err);
    case FORMAT_XML:
        xml_write(answer, out);
        return true;
    case FORMAT_TEXT:
        return text_write(answer, style->field, out, err);
    case FORMAT_HTML:
        html_write(answer, out);
        return true;
    case FORMAT_XLSX:
        xlsx_write(answer, out);
        return true;
    case FORMAT_SVG:
        if (!answer->chart)
            return err_set(err, ERR_NOT_ACCEPTABLE,
                           "this answer has no chart; /v1/training-plan, /v1/inference-sizing, "
                           "/v1/break-even/series, /v1/gpus/{gpu}, /v1/offers/history and each "
                           "/options and /sensitivity are available as .svg");
        svg_write(answer->chart, answer->chart->table ? answer->chart->table : &answer->tables[0],
                  style->width ? style->width : 720, style->dialect == DIALECT_EXCEL_EU, out);
        return true;
    default:
        json_write(answer, style->fragments, out);
        return true;
    }
}
