/* One typed answer in every format: the same values, written as each format wants them. */
#include "answer/answer.h"

#include "answer/value.h"
#include "tap.h"

#include <stdlib.h>

static void printed(enum field_type type, double value, const char *want)
{
    struct buf out;

    buf_init(&out, 1024);
    value_number(&out, type, value);
    is_str(buf_data(&out), want, "%.17g as type %d", value, (int)type);
    buf_free(&out);
}

static void numbers(void)
{
    printed(FIELD_NUMBER, 0, "0");
    printed(FIELD_NUMBER, -0.0, "0");
    printed(FIELD_NUMBER, 1, "1");
    printed(FIELD_NUMBER, 0.1, "0.1");
    printed(FIELD_NUMBER, 1.0 / 3, "0.333333");
    printed(FIELD_NUMBER, 2.0 / 3, "0.666667");
    printed(FIELD_NUMBER, 999999.5, "1000000");
    printed(FIELD_NUMBER, 123456.7, "123457");
    printed(FIELD_NUMBER, 1234567, "1234570");
    printed(FIELD_NUMBER, 8.4e23, "840000000000000000000000");
    printed(FIELD_NUMBER, 1e-7, "0.0000001");
    printed(FIELD_NUMBER, 1.234567e-5, "0.0000123457");
    printed(FIELD_NUMBER, -2.5, "-2.5");
    printed(FIELD_NUMBER, 100, "100");
    printed(FIELD_NUMBER, 0.00099999995, "0.001");
    printed(FIELD_COUNT, 68976648192, "68976648192");
    printed(FIELD_COUNT, 1e15, "1000000000000000");
    printed(FIELD_COUNT, 2.5, "2.5");
    printed(FIELD_FIGURE, 12345678.91, "12345678.91");
    printed(FIELD_FIGURE, 0.1 + 0.2, "0.3");
    printed(FIELD_FIGURE, -1.5e-7, "-0.00000015");
    printed(FIELD_FIGURE, 8.4e23, "840000000000000000000000");
    printed(FIELD_RATIO, 0.65854, "0.6585");
    printed(FIELD_RATIO, 0.5, "0.5");
    printed(FIELD_RATIO, -0.00001, "0");
    printed(FIELD_MONEY, 598505.06, "598505.06");
    printed(FIELD_MONEY, 1e6, "1000000.00");
    printed(FIELD_MONEY, 0, "0.00");
    printed(FIELD_MONEY, -0.001, "0.00");
    printed(FIELD_MONEY, -111974.4, "-111974.40");
    printed(FIELD_MONEY, -0.005, "-0.01");
    printed(FIELD_RATE, 3.93, "3.93");
    printed(FIELD_RATE, 0.0000015, "0.000002");
    printed(FIELD_RATE, 184.06, "184.06");
}

/* What is put together apart for whole numbers is what printf makes of them. */
static void whole_numbers(void)
{
    size_t wrong = 0;

    for (int i = -1000100; i <= 1000100; i += i % 7 == 0 ? 1 : 13) {
        static const enum field_type types[] = {FIELD_NUMBER, FIELD_COUNT,  FIELD_RATIO,
                                                FIELD_RATE,   FIELD_FIGURE, FIELD_MONEY};
        for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
            bool cut = types[t] == FIELD_NUMBER && abs(i) > 999999; /* has seven digits */
            char want[32];
            struct buf out;
            snprintf(want, sizeof(want), types[t] == FIELD_MONEY ? "%.2f" : "%.0f", (double)i);
            buf_init(&out, 64);
            value_number(&out, types[t], i);
            wrong += !cut && strcmp(buf_data(&out), want) != 0;
            buf_free(&out);
        }
    }
    ok(wrong == 0, "whole numbers of each type");
}

/* What XML 1.0 has no character for is a blank. */
static void no_characters(void)
{
    static const char *const texts[][2] = {{"a\001b\033c\n", "a b c "},
                                           {"\xef\xbf\xbf<\xef\xbf\xbe", " &lt; "},
                                           {"\xef\xbf\xbd]]>", "\xef\xbf\xbd]]&gt;"}};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct buf out;
        buf_init(&out, 64);
        value_xml_text(&out, texts[i][0]);
        is_str(buf_data(&out), texts[i][1], "text %zu of XML", i);
        buf_free(&out);
    }
}

/* Wherever in a text a byte stands that JSON has otherwise. */
static void escapes(void)
{
    static const char *const bytes[][2] = {
        {"\"", "\\\""},      {"\\", "\\\\"},   {"\n", "\\u000a"},        {"\x1f", "\\u001f"},
        {"\xff", "\\ufffd"}, {"\x7f", "\x7f"}, {"\xc3\xa9", "\xc3\xa9"}, {"!", "!"}};

    for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
        size_t wrong = 0;
        for (int before = 0; before < 20; before++)
            for (int behind = 0; behind < 20; behind++) {
                char text[64], want[64];
                struct buf out;
                snprintf(text, sizeof(text), "%.*s%s%.*s", before, "abcdefghijklmnopqrst",
                         bytes[i][0], behind, "ABCDEFGHIJKLMNOPQRST");
                snprintf(want, sizeof(want), "\"%.*s%s%.*s\"", before, "abcdefghijklmnopqrst",
                         bytes[i][1], behind, "ABCDEFGHIJKLMNOPQRST");
                buf_init(&out, 1024);
                value_json_text(&out, text); /* into no room, and into some */
                wrong += strcmp(buf_data(&out), want) != 0;
                size_t length = out.length;
                value_json_text(&out, text);
                wrong += strcmp(buf_data(&out) + length, want) != 0 || out.length != 2 * length;
                buf_free(&out);
            }
        ok(wrong == 0, "%s at any place", bytes[i][1]);
    }
}

struct row {
    const char *key;
    double amount;
    const char *unit;
};

struct values {
    double total, share, count, unknown, yes;
    const char *label, *nothing;
};

#define OPEN ((double)NAN)

static const struct field value_rows[] = {
    {"total", FIELD_MONEY, "USD", OPEN, OPEN, "", "", "s", offsetof(struct values, total),
     FIELD_KEY("total")},
    {"share", FIELD_RATIO, "ratio", OPEN, OPEN, "", "", "s", offsetof(struct values, share),
     FIELD_KEY("share")},
    {"count", FIELD_COUNT, "", OPEN, OPEN, "", "", "s", offsetof(struct values, count),
     FIELD_KEY("count")},
    {"unknown", FIELD_NUMBER, "s", OPEN, OPEN, "", "", "s", offsetof(struct values, unknown),
     FIELD_KEY("unknown")},
    {"yes", FIELD_FLAG, "", OPEN, OPEN, "", "", "s", offsetof(struct values, yes),
     FIELD_KEY("yes")},
    {"label", FIELD_TEXT, "", OPEN, OPEN, "", "", "s", offsetof(struct values, label),
     FIELD_KEY("label")},
    {"nothing", FIELD_TEXT, "", OPEN, OPEN, "", "", "s", offsetof(struct values, nothing),
     FIELD_KEY("nothing")},
};

static const struct field row_rows[] = {
    {"key", FIELD_TEXT, "", OPEN, OPEN, "", "", "s", offsetof(struct row, key), FIELD_KEY("key")},
    {"amount", FIELD_MONEY, "USD", OPEN, OPEN, "", "", "s", offsetof(struct row, amount),
     FIELD_KEY("amount")},
    {"unit", FIELD_TEXT, "", OPEN, OPEN, "", "", "s", offsetof(struct row, unit),
     FIELD_KEY("unit")},
};

static struct values values = {-1234.5, 0.7, 68976648192, OPEN, 1, "a \"b\", <c> & d", NULL};
static const struct row lines[] = {{"staff", 10.5, "USD"}, {"=cmd()", OPEN, NULL}};

static struct answer sample(bool list, bool keyed)
{
    struct answer answer = {.name = "sample", .headline = list ? "key" : "total", .count = OPEN};

    answer.meta.currency = "USD";
    answer.meta.as_of = "2026-11-20";
    answer.meta.catalog_version = "1";
    answer.meta.model_version = "1.0";
    answer.meta.currency_per_usd = 1;
    if (!list) {
        answer.fields = FIELDS(value_rows);
        answer.values = &values;
    }
    answer_table(&answer, (struct table){"lines", "line", FIELDS(row_rows), lines, 2,
                                         sizeof(lines[0]), keyed ? "amount" : NULL, NULL});
    answer_warn(&answer, "code", "what \"is\" <so>");
    answer_link(&answer, "self", "/v1/sample?a=1&b=2");
    return answer;
}

static char *written(const struct answer *answer, enum format format, const struct style *style)
{
    static const struct style plain;
    struct err err = {0};
    struct buf out;

    buf_init(&out, 1 << 20);
    ok(answer_write(answer, format, style ? style : &plain, &out, &err), "%s is written: %s",
       answer_format_suffix(format), err.text);
    char *text = buf_steal(&out);
    return text ? text : calloc(1, 1);
}

static void writes(const struct answer *answer, enum format format, const struct style *style,
                   const char *want)
{
    char *text = written(answer, format, style);

    is_str(text, want, "exactly");
    free(text);
}

static void contains(const struct answer *answer, enum format format, const char *want)
{
    char *text = written(answer, format, NULL);

    ok(strstr(text, want), "%s holds %s", answer_format_suffix(format), want);
    free(text);
}

static void one_answer(void)
{
    struct answer answer = sample(false, true);

    contains(&answer, FORMAT_JSON, "\"total\": -1234.50");
    contains(&answer, FORMAT_JSON, "\"unknown\": null");
    contains(&answer, FORMAT_JSON, "\"yes\": true");
    contains(&answer, FORMAT_JSON, "\"label\": \"a \\\"b\\\", <c> & d\"");
    contains(&answer, FORMAT_JSON, "\"nothing\": null");
    contains(&answer, FORMAT_JSON, "{\"key\": \"staff\", \"amount\": 10.50, \"unit\": \"USD\"}");
    contains(&answer, FORMAT_XML, "<total>-1234.50</total>");
    contains(&answer, FORMAT_XML, "<unknown/>");
    contains(&answer, FORMAT_XML, "<yes>true</yes>");
    contains(&answer, FORMAT_XML, "<label>a \"b\", &lt;c&gt; &amp; d</label>");
    contains(&answer, FORMAT_XML, "<line><key>staff</key><amount>10.50</amount>");
    writes(&answer, FORMAT_CSV, NULL,
           "total,share,count,unknown,yes,label,nothing,currency,as_of,catalog_version,"
           "model_version,currency_per_usd,currency_rate_date,currency_rate_source,lines.staff,"
           "lines.=cmd()\r\n"
           "-1234.50,0.7,68976648192,,true,\"a \"\"b\"\", <c> & d\",,USD,2026-11-20,1,1.0,1,,,"
           "10.50,\r\n");
    writes(&answer, FORMAT_TSV, &(struct style){.fields = "label,total"},
           "label\ttotal\na \"b\", <c> & d\t-1234.50\n");
    writes(&answer, FORMAT_TEXT, NULL, "-1234.50");
    writes(&answer, FORMAT_TEXT, &(struct style){.field = "unknown"}, "n/a");
    writes(&answer, FORMAT_TEXT, &(struct style){.field = "yes"}, "true");
    writes(&answer, FORMAT_TEXT, &(struct style){.field = "lines.staff"}, "10.50");
    writes(&answer, FORMAT_TEXT, &(struct style){.field = "as_of"}, "2026-11-20");
}

/* Rows that repeat what stands above them, in some columns or all. */
static void repeated(void)
{
    static const char usd[] = "USD", long_unit[] = "USD per GPU-hour of useful work";
    static const struct row rows[] = {
        {"a", 1, usd},       {"b", 1, usd},         {"b", 1, usd},   {"b", OPEN, NULL},
        {"c", OPEN, NULL},   {"c", 0.5, long_unit}, {"c", 0.5, usd}, {"d", 0.5, long_unit},
        {"d", 2, long_unit}, {"\"", 2, long_unit},  {"\"", 2, usd}};
    struct answer answer = {.name = "repeated", .count = OPEN};

    answer_table(&answer,
                 (struct table){"lines", "line", FIELDS(row_rows), rows,
                                sizeof(rows) / sizeof(rows[0]), sizeof(rows[0]), NULL, NULL});
    contains(
        &answer, FORMAT_JSON,
        "[\n"
        "    {\"key\": \"a\", \"amount\": 1.00, \"unit\": \"USD\"},\n"
        "    {\"key\": \"b\", \"amount\": 1.00, \"unit\": \"USD\"},\n"
        "    {\"key\": \"b\", \"amount\": 1.00, \"unit\": \"USD\"},\n"
        "    {\"key\": \"b\", \"amount\": null, \"unit\": null},\n"
        "    {\"key\": \"c\", \"amount\": null, \"unit\": null},\n"
        "    {\"key\": \"c\", \"amount\": 0.50, \"unit\": \"USD per GPU-hour of useful work\"},\n"
        "    {\"key\": \"c\", \"amount\": 0.50, \"unit\": \"USD\"},\n"
        "    {\"key\": \"d\", \"amount\": 0.50, \"unit\": \"USD per GPU-hour of useful work\"},\n"
        "    {\"key\": \"d\", \"amount\": 2.00, \"unit\": \"USD per GPU-hour of useful work\"},\n"
        "    {\"key\": \"\\\"\", \"amount\": 2.00, \"unit\": \"USD per GPU-hour of useful "
        "work\"},\n"
        "    {\"key\": \"\\\"\", \"amount\": 2.00, \"unit\": \"USD\"}\n"
        "  ]");
}

static void styles(void)
{
    struct answer answer = sample(false, true);

    writes(&answer, FORMAT_CSV, &(struct style){.fields = "share,total", .no_header = true},
           "0.7,-1234.50\r\n");
    writes(&answer, FORMAT_CSV,
           &(struct style){.fields = "total,unknown,lines.staff", .long_layout = true},
           "field,value,unit\r\ntotal,-1234.50,USD\r\nunknown,,s\r\nlines.staff,10.50,USD\r\n");
    writes(&answer, FORMAT_CSV,
           &(struct style){.fields = "total,label", .no_header = true, .dialect = DIALECT_EXCEL_EU},
           "\xef\xbb\xbf-1234,50;\"a \"\"b\"\", <c> & d\"\r\n");
    writes(&answer, FORMAT_CSV,
           &(struct style){.fields = "total,share", .no_header = true, .dialect = DIALECT_EXCEL_US},
           "\xef\xbb\xbf-1234.50,0.7\r\n");
}

static void lists(void)
{
    struct answer answer = sample(true, false);

    writes(&answer, FORMAT_CSV, NULL, "key,amount,unit\r\nstaff,10.50,USD\r\n'=cmd(),,\r\n");
    writes(&answer, FORMAT_TSV, &(struct style){.fields = "amount,key", .no_header = true},
           "10.50\tstaff\n\t'=cmd()\n");
    writes(&answer, FORMAT_TEXT, NULL, "staff");
    writes(&answer, FORMAT_TEXT, &(struct style){.field = "amount"}, "10.50");
    answer.tables[0].n = 0;
    writes(&answer, FORMAT_CSV, NULL, "key,amount,unit\r\n");
    writes(&answer, FORMAT_TEXT, NULL, "n/a");
    contains(&answer, FORMAT_JSON, "\"lines\": []");
}

/* Cells that a spreadsheet would compute are marked as text; numbers never are. */
static void injection(void)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"=1+1", "'=1+1"},
        {"+1", "'+1"},
        {"-1", "'-1"},
        {"@SUM(A1)", "'@SUM(A1)"},
        {"\tx", "\"'\tx\""},
        {"\rx", "\"'\rx\""},
        {"a=1", "a=1"},
        {"", ""},
        {"a\nb", "\"a\nb\""},
        {"=\"x\"", "\"'=\"\"x\"\"\""},
        {"a,b", "\"a,b\""},
        {"a;=1+1", "\"a;'=1+1\""},
        {"a;b", "\"a;b\""},
        {"a,\"-1", "\"a,\"\"'-1\""},
        {"a\t@x", "\"a\t'@x\""},
        {"a = 1; b - 2", "\"a = 1; b - 2\""},
        {"\uff1d1+1", "'\uff1d1+1"},
        {"\uff0b1", "'\uff0b1"},
        {"\uff0d1", "'\uff0d1"},
        {"\uff20x", "'\uff20x"},
        {"\uff01x", "\uff01x"},
        {"\xef\xbc", "\xef\xbc"},
        {"\u4e00=1", "\u4e00=1"},
        {"\nx", "\"'\nx\""},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct answer answer = sample(false, false);
        struct values own = values;
        char want[64];
        own.label = rows[i].text;
        answer.values = &own;
        snprintf(want, sizeof(want), "%s\r\n", rows[i].want);
        writes(&answer, FORMAT_CSV, &(struct style){.fields = "label", .no_header = true}, want);
    }
    struct answer answer = sample(false, false);
    struct values own = values;
    own.label = "a\tb\nc";
    answer.values = &own;
    writes(&answer, FORMAT_TSV, &(struct style){.fields = "label", .no_header = true}, "a b c\n");
    own.label = "https://x/\"a=\"<b>";
    contains(&answer, FORMAT_HTML,
             "<a href=\"https://x/&quot;a=&quot;&lt;b>\">https://x/&quot;a=&quot;&lt;b></a>");
    static const char *const elsewhere[] = {"//evil.example/x", "/\\evil.example",
                                            "/\t/evil.example"};
    for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++) {
        char want[64];
        own.label = elsewhere[i];
        snprintf(want, sizeof(want), "<td>%s</td>", elsewhere[i]);
        contains(&answer, FORMAT_HTML, want);
    }
    own.label = "/v1/gpus?a=b";
    contains(&answer, FORMAT_HTML, "<a href=\"/v1/gpus?a=b\">/v1/gpus?a=b</a>");
    own.label = "javascript:\"<b>&";
    contains(&answer, FORMAT_HTML, "<td>javascript:&quot;&lt;b>&amp;</td>");
}

static void control_characters(void)
{
    struct answer answer = sample(false, false);
    struct values own = values;

    own.label = "\x01 \x1f \x7f \\ / K\xc3\xb6ln";
    answer.values = &own;
    contains(&answer, FORMAT_JSON, "\"\\u0001 \\u001f \x7f \\\\ / K\xc3\xb6ln\"");
    own.label = "a\xff\xc3";
    contains(&answer, FORMAT_JSON, "\"a\\ufffd\\ufffd\"");
    own.label = "\x01 \x1f";
    char *xml = written(&answer, FORMAT_XML, NULL);
    ok(!strpbrk(xml, "\x01\x1f"), "XML has no characters it forbids");
    free(xml);
}

static void unknown_fields(void)
{
    static const struct {
        enum format format;
        struct style style;
        const char *parameter;
    } rows[] = {
        {FORMAT_TEXT, {.field = "totl"}, "field"},
        {FORMAT_CSV, {.fields = "label,totl"}, "fields"},
        {FORMAT_TSV, {.fields = "totl"}, "fields"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct answer answer = sample(false, true);
        struct err err = {0};
        struct buf out;
        buf_init(&out, 4096);
        ok(!answer_write(&answer, rows[i].format, &rows[i].style, &out, &err), "no such field");
        is_str(err.culprits[0].field, rows[i].parameter, "says the parameter");
        is_str(err.culprits[0].rule, "unknown_field", "the rule");
        ok(strstr(err.culprits[0].text, "total"), "and the nearest: %s", err.culprits[0].text);
        buf_free(&out);
    }
}

static void suffixes(void)
{
    enum format format;

    for (int i = 0; i < FORMAT_COUNT; i++) {
        const char *suffix = answer_format_suffix((enum format)i);
        ok(answer_format_find(suffix, strlen(suffix), &format) && (int)format == i, ".%s", suffix);
    }
    ok(!answer_format_find("xls", 3, &format) && !answer_format_find("", 0, &format) &&
           !answer_format_find("JSON", 4, &format) && !answer_format_find("xlsxx", 5, &format),
       "and no others");
}

int main(void)
{
    numbers();
    no_characters();
    escapes();
    whole_numbers();
    one_answer();
    repeated();
    styles();
    lists();
    injection();
    control_characters();
    unknown_fields();
    suffixes();
    return tap_done();
}
