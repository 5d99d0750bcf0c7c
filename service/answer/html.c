#include "answer/value.h"
#include "answer/write.h"

#include <ctype.h>
#include <string.h>

/* A readable page without scripts: the figures, all tables, and the inputs with their sources. */

static void escaped(struct buf *out, const char *text)
{
    for (const char *p = text; *p; p++) {
        if (*p == '<')
            buf_text(out, "&lt;");
        else if (*p == '&')
            buf_text(out, "&amp;");
        else if (*p == '"')
            buf_text(out, "&quot;");
        else
            buf_char(out, *p);
    }
}

static void put(struct buf *out, const char *before, const char *text, const char *after)
{
    buf_text(out, before);
    escaped(out, text);
    buf_text(out, after);
}

/* Print a name as words: break even months. */
static void put_words(struct buf *out, const char *before, const char *name, const char *after)
{
    buf_text(out, before);
    for (const char *p = name; *p; p++)
        buf_char(out, *p == '_' ? ' ' : *p);
    buf_text(out, after);
}

/* Print text, turning an address into a link. Paths are ours unless a browser would interpret them
 * as another server's: two leading slashes, or characters that it drops or treats as a slash. */
static void put_text(struct buf *out, const char *text)
{
    bool address =
        (text[0] == '/' && isalnum((unsigned char)text[1])) || strncmp(text, "https://", 8) == 0;

    if (address)
        put(out, "<a href=\"", text, "\">");
    put(out, "", text, address ? "</a>" : "");
}

static void put_value(struct buf *out, const struct field *field, const void *values, bool echoed)
{
    if (field_is_text(field) && value_known(field, values)) {
        buf_text(out, "<td>");
        put_text(out, field_text(field, values));
    } else {
        buf_text(out, "<td class=\"n\">"); /* short: a table has up to 600,000 of them */
        (echoed ? value_echo : value_text)(out, field, values, "unknown");
    }
    buf_text(out, "</td>");
}

static void put_unit(struct buf *out, const char *before, const char *unit, const char *currency,
                     const char *after)
{
    char text[UNIT_SIZE];

    put(out, before, value_unit(unit, currency, text), after);
}

static void put_figures(struct buf *out, struct fields fields, const void *values,
                        const char *currency)
{
    for (size_t i = 0; i < fields.n; i++) {
        const struct field *field = &fields.at[i];
        put_words(out, "<tr><th scope=\"row\">", field->name, "</th>");
        put_value(out, field, values, false);
        put_unit(out, "<td>", field->unit, currency, "</td>");
        put(out, "<td>", field->sentence, "</td></tr>\n");
    }
}

static void put_headline(struct buf *out, const struct answer *answer)
{
    buf_text(out, "<table><caption>Figures</caption>\n<tr><th scope=\"col\">Figure</th>"
                  "<th scope=\"col\">Value</th><th scope=\"col\">Unit</th>"
                  "<th scope=\"col\">What it is</th></tr>\n");
    put_figures(out, answer->fields, answer->values, answer->meta.currency);
    put_figures(out, answer_meta_fields, &answer->meta, answer->meta.currency);
    buf_text(out, "</table>\n");
}

static void put_table(struct buf *out, const struct table *table, const char *currency)
{
    if (!table->n)
        return;
    put_words(out, "<table><caption>", table->name, "</caption>\n<tr>");
    for (size_t i = 0; i < table->fields.n; i++) {
        put_words(out, "<th scope=\"col\">", table->fields.at[i].name, "");
        put_unit(out, " <small>", table->fields.at[i].unit, currency, "</small></th>");
    }
    buf_text(out, "</tr>\n");
    for (size_t row = 0; row < table->n; row++) {
        buf_text(out, "<tr>");
        for (size_t i = 0; i < table->fields.n; i++)
            put_value(out, &table->fields.at[i], (const char *)table->rows + row * table->stride,
                      false);
        buf_text(out, "</tr>\n");
    }
    buf_text(out, "</table>\n");
}

static void put_inputs(struct buf *out, const struct inputs *in, const char *currency)
{
    buf_text(out, "<table><caption>Inputs used</caption>\n<tr><th scope=\"col\">Input</th>"
                  "<th scope=\"col\">Value</th><th scope=\"col\">Unit</th>"
                  "<th scope=\"col\">From</th><th scope=\"col\">Reference</th></tr>\n");
    for (size_t i = 0; i < in->fields.n; i++) {
        const struct field *field = &in->fields.at[i];
        put_words(out, "<tr><th scope=\"row\">", field->name, "</th>");
        put_value(out, field, in->values, true);
        put_unit(out, "<td>", field->unit, currency, "</td>");
        put(out, "<td>", label_source(in->sources[i]), "</td><td>");
        put_text(out, in->references[i] ? in->references[i] : "");
        buf_text(out, "</td></tr>\n");
    }
    buf_text(out, "</table>\n");
}

static void put_head(struct buf *out, const char *title)
{
    put_words(out,
              "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
              "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
              "style-src 'self'\"><link rel=\"stylesheet\" href=\"/style.css\"><title>gpuplan: ",
              title, "</title></head>\n<body><main class=\"plain\">");
    put_words(out, "<h1>", title, "</h1>\n");
}

static const char foot[] = "</main></body></html>\n";

void html_write(const struct answer *answer, struct buf *out)
{
    put_head(out, answer->name);
    if (answer->sentence)
        put(out, "<p><strong>", answer->sentence, "</strong></p>\n");
    for (size_t i = 0; i < answer->n_warnings; i++)
        put(out, "<p>", answer->warnings[i].detail, "</p>\n");
    if (answer->fields.n)
        put_headline(out, answer);
    for (size_t i = 0; i < answer->n_tables; i++)
        put_table(out, &answer->tables[i], answer->meta.currency);
    if (answer->inputs.fields.n)
        put_inputs(out, &answer->inputs, answer->meta.currency);
    for (size_t i = 0; i < answer->n_links; i++) {
        put(out, "<p><a href=\"", answer->links[i].target, "\">");
        put_words(out, "", answer->links[i].name, "</a></p>\n");
    }
    buf_text(out, foot);
}

/* ---- error pages */

static const char *advice_of(const struct err *err)
{
    if (err->n_culprits)
        return "Correct the inputs below and try again.";
    switch (err_status(err->code)) {
    case 404:
        return "Check the address and the names in it.";
    case 410:
        return "Use the form to calculate with today's formulas.";
    case 422:
        return "Loosen a limit or allow other GPUs, then try again.";
    case 503:
        return "Try again in a few seconds.";
    case 500:
        return "This is an error in the service. Please report it, with the time, to whoever "
               "runs it.";
    default:
        return "Send the request differently; see the reference.";
    }
}

/* Print the name as words, as on the forms, and as the API spells it. */
static void put_culprit(struct buf *out, const struct culprit *culprit)
{
    char words[sizeof(culprit->field)];

    memcpy(words, culprit->field, sizeof(words));
    for (char *p = words; (p = strchr(p, '_'));)
        *p = ' ';
    put(out, "<tr><th scope=\"row\">", words, "");
    if (strcmp(words, culprit->field) != 0)
        put(out, " <small>", culprit->field, "</small>");
    buf_text(out, "</th>");
    put(out, "<td>", culprit->value[0] ? culprit->value : "nothing", "</td>");
    put(out, "<td>", culprit->text, "</td></tr>\n");
}

void answer_problem_page(const struct err *err, const char *form, struct buf *out)
{
    bool told_below = err->n_culprits == 1 || !err->text[0];

    put_head(out, "No answer");
    put(out, "<p><strong>", err_title(err->code), told_below ? ".</strong>" : ":</strong> ");
    put(out, "", told_below ? "" : err->text, "</p>\n<p>");
    put(out, "", advice_of(err), "</p>\n");
    if (err->n_culprits)
        buf_text(out, "<table><caption>What to change</caption>\n<tr><th scope=\"col\">Input</th>"
                      "<th scope=\"col\">Given</th><th scope=\"col\">What is wrong</th></tr>\n");
    for (size_t i = 0; i < err->n_culprits; i++)
        put_culprit(out, &err->culprits[i]);
    if (err->n_culprits)
        buf_text(out, "</table>\n");
    if (form)
        put(out, "<p><a href=\"", form, "\">Change the inputs in the form</a></p>\n");
    buf_text(out, "<p><a href=\"/docs\">The reference: what each path takes</a>, "
                  "<a href=\"/v1.html\">every path</a></p>\n");
    buf_text(out, foot);
}
