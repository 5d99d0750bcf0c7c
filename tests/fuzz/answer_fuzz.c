/* answer_fuzz.c - the writers of every format on texts that are not meant well: lines of the input
 * are values, keys, warnings and links of an answer, which is read back strictly. */
#include "fuzz.h"

#include "answer/answer.h"
#include "base/text.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define OPEN ((double)NAN)

enum { OUT_MAX = 1 << 20, DEPTH_MAX = 16, NAME_MAX_BYTES = 32 };

struct row {
    const char *key, *note;
    double amount;
};

static const struct field rows[] = {
    {"key", FIELD_TEXT, "", OPEN, OPEN, "", "", "What it is called", offsetof(struct row, key),
     FIELD_KEY("key")},
    {"note", FIELD_TEXT, "", OPEN, OPEN, "", "", "What is said of it", offsetof(struct row, note),
     FIELD_KEY("note")},
    {"amount", FIELD_MONEY, "USD", OPEN, OPEN, "", "", "What it costs",
     offsetof(struct row, amount), FIELD_KEY("amount")},
};

/* ---- strict readers */

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == ':' || c == '.';
}

/* XML 1.0 has no others. */
static void check_characters(const char *text)
{
    for (const char *p = text; *p; p++)
        fuzz_need((unsigned char)*p >= ' ' || strchr("\t\r\n", *p),
                  "XML holds no control character");
    fuzz_need(!strstr(text, "\xef\xbf\xbe") && !strstr(text, "\xef\xbf\xbf"),
              "XML holds nothing that is no character");
}

/* One of the five, or a number. */
static const char *read_entity(const char *p)
{
    static const char *const names[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#39;"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strncmp(p, names[i], strlen(names[i])) == 0)
            return p + strlen(names[i]);
    fuzz_need(p[1] == '#', "an ampersand begins an entity");
    const char *end = p + 2 + strspn(p + 2, "x0123456789abcdefABCDEF");
    fuzz_need(*end == ';' && end > p + 2, "an entity ends");
    return end + 1;
}

static const char *read_attribute(const char *p)
{
    while (is_name(*p))
        p++;
    if (*p != '=') /* HTML's hidden, and the like */
        return p;
    fuzz_need(p[1] == '"', "an attribute is quoted");
    const char *value = p + 2;
    for (p = value; *p && *p != '"';) {
        fuzz_need(*p != '<', "no tag within an attribute");
        p = *p == '&' ? read_entity(p) : p + 1;
    }
    fuzz_need(*p == '"', "an attribute ends");
    fuzz_need(strncmp(value, "javascript:", 11) != 0, "a link runs nothing");
    return p + 1;
}

struct open {
    size_t n;
    char names[DEPTH_MAX][NAME_MAX_BYTES];
};

static bool is_void(const char *name)
{
    static const char *const names[] = {"meta", "link", "br", "hr", "input", "col"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static const char *read_tag(const char *p, struct open *open, bool html)
{
    bool closes = p[1] == '/';
    char name[NAME_MAX_BYTES] = "";
    size_t n = 0;

    for (p += 1 + closes; is_name(*p) && n + 1 < sizeof(name); p++)
        name[n++] = *p;
    fuzz_need(n > 0, "a tag has a name");
    fuzz_need(strcmp(name, "script") != 0 && strcmp(name, "img") != 0, "no tag of a stranger");
    while (*p == ' ' || is_name(*p))
        p = *p == ' ' ? p + 1 : read_attribute(p);
    bool empty = *p == '/';
    p += empty;
    fuzz_need(*p == '>', "a tag ends");
    if (closes) {
        fuzz_need(open->n && strcmp(open->names[open->n - 1], name) == 0, "tags close in order");
        open->n--;
    } else if (!empty && !(html && is_void(name))) {
        fuzz_need(open->n < DEPTH_MAX, "tags are not deep");
        memcpy(open->names[open->n++], name, sizeof(name));
    }
    return p + 1;
}

static void check_markup(const char *text, bool html)
{
    struct open open = {0};

    for (const char *p = text; *p;) {
        fuzz_need(html || strncmp(p, "]]>", 3) != 0, "no end of a section in a text");
        if (strncmp(p, "<?xml", 5) == 0 || strncmp(p, "<!doctype", 9) == 0 ||
            strncmp(p, "<!DOCTYPE", 9) == 0)
            p = strchr(p, '>') + 1;
        else if (*p == '<')
            p = read_tag(p, &open, html);
        else
            p = *p == '&' ? read_entity(p) : p + 1;
    }
    fuzz_need(open.n == 0, "every tag is closed");
}

/* One cell; what ends it comes back. */
static const char *read_cell(const char *p, char separator)
{
    bool quoted = *p == '"' && separator != '\t';

    if (quoted)
        p++;
    bool number = (*p == '-' && p[1] >= '0' && p[1] <= '9');
    fuzz_need(number || !*p || !strchr("=+-@", *p), "no cell begins a formula");
    for (; *p; p++) {
        if (quoted && *p == '"' && p[1] == '"')
            p++;
        else if (quoted ? *p == '"' : *p == separator || *p == '\r' || *p == '\n')
            break;
        else
            fuzz_need(quoted || separator == '\t' || *p != '"',
                      "quotes begin a cell or are doubled");
    }
    fuzz_need(!quoted || *p == '"', "a quoted cell ends");
    return p + quoted;
}

static void check_sheet(const char *text, char separator)
{
    size_t columns = 0, cells = 1;

    for (const char *p = text; *p;) {
        p = read_cell(p, separator);
        if (*p == separator) {
            cells++;
            p++;
            continue;
        }
        const char *end = separator == '\t' ? "\n" : "\r\n";
        fuzz_need(strncmp(p, end, strlen(end)) == 0, "a row ends as rows do");
        fuzz_need(!columns || cells == columns, "rows are of one length");
        columns = cells;
        cells = 1;
        p += strlen(end);
    }
}

static void check_json(const struct buf *out)
{
    json_t *tree =
        json_loadb(out->data, out->length, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, NULL);

    fuzz_need(tree != NULL, "JSON is JSON, without one name twice");
    json_decref(tree);
}

/* ---- the answer */

static void check(const struct answer *answer, enum format format, const struct style *style)
{
    struct err err = {0};
    struct buf out;

    buf_init(&out, OUT_MAX);
    if (answer_write(answer, format, style, &out, &err)) {
        fuzz_need(text_is_utf8(buf_data(&out)), "an answer is UTF-8");
        if (format == FORMAT_XML)
            check_characters(buf_data(&out));
        if (format == FORMAT_JSON)
            check_json(&out);
        else if (format == FORMAT_XML || format == FORMAT_HTML)
            check_markup(buf_data(&out), format == FORMAT_HTML);
        else if (format == FORMAT_CSV || format == FORMAT_TSV)
            check_sheet(buf_data(&out), format == FORMAT_TSV                 ? '\t'
                                        : style->dialect == DIALECT_EXCEL_EU ? ';'
                                                                             : ',');
    } else {
        fuzz_need(err.text[0], "a refusal says why");
    }
    buf_free(&out);
}

static void check_problem(const char *text, const char *form)
{
    struct err err = {0};
    struct buf out;

    err_add(&err, "gpu", text, "unknown_name", "no GPU is called %s", text);
    buf_init(&out, OUT_MAX);
    answer_problem_page(&err, form, &out);
    check_markup(buf_data(&out), true);
    buf_free(&out);
}

static char *cut(char **at)
{
    char *line = *at;

    *at += strcspn(line, "\n");
    if (**at)
        *(*at)++ = '\0';
    return line;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct style styles[] = {
        {0}, {.long_layout = true}, {.dialect = DIALECT_EXCEL_EU}, {.field = "note"}};
    char *text = fuzz_text(data, size), *at = text;
    struct row values = {cut(&at), cut(&at), -1.5},
               lines[] = {{cut(&at), cut(&at), 2}, {"plain", cut(&at), OPEN}};
    struct answer answer = {.name = "sample",
                            .headline = "amount",
                            .fields = FIELDS(rows),
                            .values = &values,
                            .count = OPEN};

    answer.meta.currency = "USD";
    answer.meta.catalog_version = cut(&at);
    answer_table(&answer, (struct table){"lines", "line", FIELDS(rows), lines, 2, sizeof(lines[0]),
                                         NULL, NULL});
    answer_warn(&answer, "code", values.note);
    answer_link(&answer, "self", values.key);
    if (text_is_utf8(text) && text_is_utf8(answer.meta.catalog_version) &&
        text_is_utf8(values.note) && text_is_utf8(lines[0].key) && text_is_utf8(lines[0].note) &&
        text_is_utf8(lines[1].note)) {
        for (int format = 0; format < FORMAT_SVG; format++)
            for (size_t i = 0; i < sizeof(styles) / sizeof(styles[0]); i++)
                check(&answer, (enum format)format, &styles[i]);
        check_problem(values.key, "/?gpu=a#b");
    }
    free(text);
    return 0;
}
