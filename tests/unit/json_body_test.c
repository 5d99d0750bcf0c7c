/* Bodies of requests: what is taken, under which text, and what is refused. */
#include "json/body.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/text.h"
#include "tap.h"

#include <stdlib.h>

struct reading {
    struct arena arena;
    struct params params;
    const struct model *model;
    struct err err;
    bool good;
};

static struct reading *read_bytes(const char *bytes, size_t n)
{
    struct reading *reading = mem_alloc(sizeof(*reading));

    reading->good = json_read_params(bytes, n, &reading->arena, &reading->params, &reading->model,
                                     &reading->err);
    return reading;
}

static struct reading *read_text(const char *text)
{
    return read_bytes(text, strlen(text));
}

static void done(struct reading *reading)
{
    arena_free(&reading->arena);
    free(reading);
}

static const char *value(const struct reading *reading, const char *name)
{
    const char *text = params_find(&reading->params, name);

    return text ? text : "(absent)";
}

static void plain_values(void)
{
    struct reading *r = read_text("{\"gpu\": \"h100\", \"gpu_count\": 8, \"tokens\": 2e12,"
                                  "\"ratio\": 0.1, \"flag\": true, \"off\": false, \"gone\": null,"
                                  "\"provider\": [\"aws\", \"gcp\"], \"none\": [],"
                                  "\"flop\": 840000000000000000000000, \"name\": \"K\\u00f6ln\"}");

    ok(r->good, "an object of plain values is read");
    is_str(value(r, "gpu"), "h100", "text");
    is_str(value(r, "gpu_count"), "8", "a whole number in full");
    is_str(value(r, "tokens"), "2000000000000", "so is one with an exponent");
    is_str(value(r, "ratio"), "0.1", "a real as short as it can be");
    is_str(value(r, "flag"), "true", "true");
    is_str(value(r, "off"), "false", "false");
    is_str(value(r, "gone"), "(absent)", "null is absent");
    is_str(value(r, "provider"), "aws,gcp", "a list is joined");
    is_str(value(r, "none"), "", "an empty list is empty");
    is_str(value(r, "flop"), "8.4e+23", "more digits than 64 bits hold are a number too");
    is_str(value(r, "name"), "K\xc3\xb6ln", "UTF-8");
    ok(r->params.from_body, "errors will point into the body");
    ok(r->params.at[0].kind == PARAM_TEXT && r->params.at[1].kind == PARAM_NUMBER &&
           r->params.at[4].kind == PARAM_FLAG,
       "the kinds are kept");
    done(r);
}

/* What is read back from the text is the double that was sent. */
static void numbers_round_trip(void)
{
    static const char *const texts[] = {
        "0",    "-0.0",  "1e-300", "1.7976931348623157e308", "5e-324",           "0.1",
        "1e21", "2.005", "0.7",    "3.141592653589793",      "9007199254740991", "1e15"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        char body[80];
        double got = 0;
        snprintf(body, sizeof(body), "{\"x\": %s}", texts[i]);
        struct reading *r = read_text(body);
        ok(r->good && text_number(value(r, "x"), &got) && got == strtod(texts[i], NULL),
           "%s comes through as %s", texts[i], value(r, "x"));
        done(r);
    }
}

static void refused_whole(void)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "empty"},
        {" ", "line 1"},
        {"[1]", "one JSON object"},
        {"3", "one JSON object"},
        {"\"x\"", "one JSON object"},
        {"null", "one JSON object"},
        {"{\"a\": 1", "too early"},
        {"{\"a\": 1,}", "not JSON"},
        {"{'a': 1}", "not JSON"},
        {"{a: 1}", "not JSON"},
        {"{\"a\": 1} {}", "something follows"},
        {"{\"a\": 1, \"b\": 2, \"a\": 1}", "more than once"},
        {"{\"a\": 1e999}", "too large for a double"},
        {"{\"a\": -1e999}", "too large for a double"},
        {"{\"a\": NaN}", "not JSON"},
        {"{\"a\": Infinity}", "not JSON"},
        {"{\"a\": 0x10}", "not JSON"},
        {"{\"a\": 01}", "not JSON"},
        {"{\"a\": +1}", "not JSON"},
        {"{\"a\": .5}", "not JSON"},
        {"{\"a\": \"\\u0000\"}", "NUL"},
        {"{\"a\": \"\xff\"}", "UTF-8"},
        {"{\"a\": \"x\ny\"}", "line 1"},
        {"{\n\"gpu\": 1,\n\"gpu\": 2}", "line 3"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct reading *r = read_text(rows[i].text);
        ok(!r->good && r->err.code == ERR_MALFORMED, "refused: %s", rows[i].text);
        ok(strstr(r->err.text, rows[i].says), "and says \"%s\": %s", rows[i].says, r->err.text);
        ok(!strpbrk(r->err.text, "\r\n"), "in one line");
        done(r);
    }
}

static void refused_members(void)
{
    static const struct {
        const char *text, *field, *rule;
    } rows[] = {
        {"{\"a\": {\"b\": 1}}", "#/a", "wrong_type"},
        {"{\"a\": [1]}", "#/a", "wrong_type"},
        {"{\"a\": [\"x\", [\"y\"]]}", "#/a", "wrong_type"},
        {"{\"a\": [\"x,y\"]}", "#/a", "bad_list_item"},
        {"{\"a/b~c\": {}}", "#/a~1b~0c", "wrong_type"},
        {"{\"model_config\": 3}", "#/model_config", "wrong_type"},
        {"{\"model_config\": {}}", "#/model_config/num_hidden_layers", "missing_parameter"},
        {"{\"model_config\": {\"text_config\": {\"hidden_size\": \"x\"}}}",
         "#/model_config/text_config/hidden_size", "wrong_type"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct reading *r = read_text(rows[i].text);
        ok(!r->good && r->err.code == ERR_INVALID && r->err.n_culprits, "refused: %s",
           rows[i].text);
        is_str(r->err.culprits[0].field, rows[i].field, "it points there");
        is_str(r->err.culprits[0].rule, rows[i].rule, "by its rule");
        done(r);
    }
}

/* Nests n levels of arrays inside a member. */
static struct reading *read_nested(size_t n)
{
    char *text = mem_alloc(2 * n + 16), *p = text;

    p += snprintf(p, 8, "{\"a\":");
    for (size_t i = 0; i < n; i++)
        *p++ = '[';
    for (size_t i = 0; i < n; i++)
        *p++ = ']';
    *p = '}';
    struct reading *r = read_text(text);
    free(text);
    return r;
}

static void depth(void)
{
    struct reading *r = read_nested(31);
    ok(!r->good && r->err.code == ERR_INVALID, "32 levels are read, and refused as a value");
    done(r);
    r = read_nested(32);
    ok(!r->good && strstr(r->err.text, "deeper than 32"), "33 levels are too deep");
    done(r);
    r = read_nested(30000);
    ok(!r->good && strstr(r->err.text, "deeper than 32"), "so are 30000");
    done(r);
    r = read_text("{\"a\": \"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\\\"[[[[\", \"b\": 1}");
    ok(r->good, "brackets in texts do not nest");
    done(r);
}

static void too_many(void)
{
    char *text = mem_alloc(8192), *p = text;

    *p++ = '{';
    for (int i = 0; i <= PARAMS_MAX; i++)
        p += snprintf(p, 24, "%s\"p%d\": 1", i ? "," : "", i);
    *p = '}';
    struct reading *r = read_text(text);
    ok(!r->good && strstr(r->err.text, "more than 256"), "more members than anybody needs");
    done(r);
    free(text);
}

/* A text that ends inside a character or a string is no reason to read on. */
static void truncated(void)
{
    static const char whole[] =
        "{\"gpu\": \"h100 \\u00f6 \xc3\xb6\", \"n\": [\"a\"], \"m\": 1.5e3}";
    bool refused = true;

    for (size_t n = 0; n + 1 < sizeof(whole) - 1; n++) {
        char *exact = malloc(n ? n : 1); /* so that a sanitizer sees the border */
        memcpy(exact, whole, n);
        struct reading *r = read_bytes(exact, n);
        refused = refused && !r->good;
        done(r);
        free(exact);
    }
    ok(refused, "every beginning of a body is refused");
}

static void model_config(void)
{
    struct reading *r =
        read_text("{\"gpu\": \"h100\", \"model_config\": {\"model_type\": \"llama\","
                  "\"hidden_size\": 4096, \"num_hidden_layers\": 32, \"num_attention_heads\": 32,"
                  "\"intermediate_size\": 11008, \"vocab_size\": 32000, \"x\": {\"y\": []}}}");

    ok(r->good, "a config.json in addition to the parameters");
    ok(r->model && r->model->params_total == 6738415616.0, "is the model");
    ok(r->params.n == 1, "and no parameter");
    done(r);
    r = read_text("{\"model_config\": null}");
    ok(r->good && !r->model, "null is no model");
    done(r);
}

int main(void)
{
    json_init();
    plain_values();
    numbers_round_trip();
    refused_whole();
    refused_members();
    depth();
    too_many();
    truncated();
    model_config();
    return tap_done();
}
