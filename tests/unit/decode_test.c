/* Parameters read through a field table: every type, every fallback, every refusal. */
#include "api/resource/decode.h"

#include "fixture.h"
#include "tap.h"
#include "base/arena.h"
#include "base/mem.h"

#include <stdlib.h>

struct sample {
    double plain, whole, share, amount, rate, flag, pue, scoped, needed;
    const char *choice, *text, *date;
};

#define ROW(name, type, unit, min, max, choices, fallback)            \
    {                                                                 \
#name, type, unit, min, max, choices, fallback, "What it is", \
            offsetof(struct sample, name), FIELD_KEY(#name)           \
    }

static const struct field rows[] = {
    ROW(plain, FIELD_NUMBER, "s", 1, 10, "", ""),
    ROW(whole, FIELD_COUNT, "", 1, 1e6, "", "4"),
    ROW(share, FIELD_RATIO, "ratio", 0, 1, "", "0.5"),
    ROW(amount, FIELD_MONEY, "USD", 0, 1e15, "", "auto"),
    ROW(rate, FIELD_RATE, "USD/h", (double)NAN, (double)NAN, "", ""),
    ROW(flag, FIELD_FLAG, "", 0, 1, "", "1"),
    ROW(pue, FIELD_NUMBER, "ratio", 1, 10, "", "@assumption"),
    ROW(scoped, FIELD_NUMBER, "", (double)NAN, (double)NAN, "", "@bytes_per_weight:fp8"),
    ROW(needed, FIELD_NUMBER, "", (double)NAN, (double)NAN, "", "required"),
    ROW(choice, FIELD_CHOICE, "", (double)NAN, (double)NAN, "on_demand spot", "spot"),
    ROW(text, FIELD_TEXT, "", (double)NAN, (double)NAN, "", ""),
    ROW(date, FIELD_DATE, "", (double)NAN, (double)NAN, "", ""),
};

static const struct fields table = FIELDS_INIT(rows);

struct reading {
    struct arena arena;
    struct params params;
    struct sample values;
    struct inputs inputs;
    struct err err;
    bool good;
};

static const struct catalog *catalog;

static struct reading *decode(struct reading *reading)
{
    struct decode_target target = {table, &reading->values, &reading->inputs};

    decode_inputs_init(&reading->inputs, target.fields, &reading->values, &reading->arena);
    reading->good =
        decode_params(&reading->params, &target, 1, catalog, &reading->arena, &reading->err);
    return reading;
}

static struct reading *query(const char *text)
{
    struct reading *reading = mem_alloc(sizeof(*reading));

    reading->good = params_read_query(&reading->params, text, &reading->arena, &reading->err);
    return reading->good ? decode(reading) : reading;
}

static void done(struct reading *reading)
{
    arena_free(&reading->arena);
    free(reading);
}

static enum source source_of(const struct reading *reading, const char *name)
{
    return reading->inputs.sources[fields_find(table, name) - rows];
}

static const char *reference_of(const struct reading *reading, const char *name)
{
    return reading->inputs.references[fields_find(table, name) - rows];
}

static void values(void)
{
    struct reading *r = query("needed=1&plain=2.5&whole=1e3&share=0.7&amount=1234.56&rate=0&flag=0"
                              "&choice=ON_DEMAND&text=a%20b&date=2026-11-20");
    const struct sample *v = &r->values;

    ok(r->good, "every type is read: %s", r->err.text);
    ok(v->plain == 2.5 && v->whole == 1000 && v->share == 0.7 && v->amount == 1234.56 &&
           v->rate == 0 && v->flag == 0,
       "numbers");
    is_str(v->choice, "on_demand", "a choice in its canonical form");
    is_str(v->text, "a b", "text");
    is_str(v->date, "2026-11-20", "a day");
    ok(source_of(r, "plain") == SOURCE_REQUEST && source_of(r, "pue") == SOURCE_DEFAULT,
       "and what was given is told from what was not");
    done(r);
}

static void gaps(void)
{
    struct reading *r = query("needed=1&plain=&text=");
    const struct sample *v = &r->values;
    const char *reference = reference_of(r, "scoped");

    ok(r->good, "an empty value counts as not given");
    ok(isnan(v->plain) && !v->text && !v->date, "nothing stays unknown");
    ok(isnan(v->amount), "auto is left to the estimate");
    ok(v->whole == 4 && v->share == 0.5 && v->flag == 1 && strcmp(v->choice, "spot") == 0,
       "plain defaults");
    ok(v->pue == catalog_default(catalog, "pue", "") && v->pue > 1, "the assumption of that name");
    ok(v->scoped == catalog_default(catalog, "bytes_per_weight", "fp8") && v->scoped > 0,
       "the assumption of another name and scope");
    is_str(reference, "/v1/assumptions?key=bytes_per_weight&scope=fp8", "and where it stands");
    done(r);
    r = query("needed=1&pue=1.5");
    ok(r->good && !reference_of(r, "pue") && r->values.pue == 1.5, "what is given has none");
    done(r);
}

static void refusals(void)
{
    static const struct {
        const char *query, *field, *rule, *says;
    } bad[] = {
        {"needed=1&plain=70%25", "plain", "not_a_number", "0.7"},
        {"needed=1&share=70%25", "share", "not_a_number", "0.7"},
        {"needed=1&share=70", "share", "out_of_range", "for 70 percent send 0.7"},
        {"needed=1.5T", "needed", "not_a_number", "for 1.5T send 1.5e12"},
        {"needed=20k", "needed", "not_a_number", "for 20k send 20e3"},
        {"needed=1&plain=1.234,56", "plain", "not_a_number", "1234.56"},
        {"needed=1&plain=1e999", "plain", "not_a_number", "must be a number"},
        {"needed=1&plain=nan", "plain", "not_a_number", "must be a number"},
        {"needed=1&plain=inf", "plain", "not_a_number", "must be a number"},
        {"needed=1&plain=0x10", "plain", "not_a_number", "must be a number"},
        {"needed=1&plain=11", "plain", "out_of_range", "between 1 and 10 s"},
        {"needed=1&plain=0.99", "plain", "out_of_range", "between 1 and 10"},
        {"needed=1&plain=-0", "plain", "out_of_range", "between"},
        {"needed=1&whole=1.5", "whole", "not_whole", "whole"},
        {"needed=1&flag=2", "flag", "out_of_range", "between 0 and 1"},
        {"needed=1&flag=yes", "flag", "not_a_number", ""},
        {"needed=1&choice=owned", "choice", "unknown_choice", "on_demand spot"},
        {"needed=1&date=2026-02-30", "date", "not_a_date", "yyyy-mm-dd"},
        {"needed=1&pliin=1", "pliin", "unknown_parameter", "plain"},
        {"needed=1&zzzzzzzzzzzz=1", "zzzzzzzzzzzz", "unknown_parameter", "unknown"},
        {"needed=1&plain=1&plain=2", "plain", "duplicate_parameter", "more than once"},
        {"needed=1&plain=1&plain=1", "plain", "duplicate_parameter", "more than once"},
        {"needed=1&plain=&plain=2", "plain", "duplicate_parameter", "more than once"},
        {"needed=1&Plain=1", "Plain", "unknown_parameter", "plain"},
        {"plain=2", "needed", "missing_parameter", "required"},
        {"needed=", "needed", "missing_parameter", "required"},
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct reading *r = query(bad[i].query);
        ok(!r->good && r->err.code == ERR_INVALID && r->err.n_culprits == 1, "refused: %s",
           bad[i].query);
        is_str(r->err.culprits[0].field, bad[i].field, "it names the parameter");
        is_str(r->err.culprits[0].rule, bad[i].rule, "and the rule");
        ok(strstr(r->err.culprits[0].text, bad[i].says), "and says: %s", r->err.culprits[0].text);
        done(r);
    }
}

static void all_at_once(void)
{
    struct reading *r = query("plain=x&whole=y&zzzzzzzzzzzz=1");

    ok(!r->good && r->err.n_culprits == 4, "all that is wrong comes back together");
    done(r);
    char text[2048] = "needed=1";
    for (int i = 0; i < 40; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "&unknown%d=1", i);
    r = query(text);
    ok(!r->good && r->err.n_culprits == ERR_CULPRITS_MAX, "up to a bound");
    done(r);
    r = query("needed=1&text=%zz");
    ok(!r->good && r->err.code == ERR_INVALID, "a broken escape is refused");
    done(r);
}

/* What JSON says a value is must be what the field is. */
static void kinds(void)
{
    static const struct {
        const char *name, *value;
        enum param_kind kind;
        bool good;
    } cases[] = {
        {"plain", "8", PARAM_NUMBER, true},   {"plain", "8", PARAM_TEXT, false},
        {"plain", "true", PARAM_FLAG, false}, {"flag", "true", PARAM_FLAG, true},
        {"flag", "0", PARAM_NUMBER, true},    {"flag", "true", PARAM_TEXT, false},
        {"text", "x", PARAM_TEXT, true},      {"text", "8", PARAM_NUMBER, false},
        {"choice", "spot", PARAM_TEXT, true}, {"choice", "true", PARAM_FLAG, false},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct reading *r = mem_alloc(sizeof(*r));
        r->params.from_body = true;
        bool added = params_add(&r->params, "needed", "1", PARAM_NUMBER, &r->err) &&
                     params_add(&r->params, cases[i].name, cases[i].value, cases[i].kind, &r->err);
        decode(r);
        ok(added && r->good == cases[i].good, "%s as kind %d: %s", cases[i].name,
           (int)cases[i].kind, r->err.text);
        if (!r->good)
            is_str(r->err.culprits[0].field, cases[i].name, "named");
        done(r);
    }
}

static void fields_by_hand(void)
{
    struct sample sample;

    fields_clear(table, &sample);
    ok(isnan(sample.plain) && !sample.text && !sample.date, "cleared is unknown");
    ok(field_is_text(&rows[9]) && field_is_text(&rows[10]) && field_is_text(&rows[11]) &&
           !field_is_text(&rows[5]),
       "choices, texts and days are text, flags are numbers");
    field_set_number(&rows[0], &sample, 3);
    field_set_text(&rows[10], &sample, "x");
    ok(field_number(&rows[0], &sample) == 3 && sample.plain == 3, "a number set and read");
    is_str(field_text(&rows[10], &sample), "x", "a text set and read");
    ok(!fields_find(table, "plai") && fields_find(table, "plain") == &rows[0],
       "found by its whole name");
}

static void all(void)
{
    values();
    gaps();
    refusals();
    all_at_once();
    kinds();
}

int main(void)
{
    struct catalog *seed = fixture_catalog();

    catalog = seed;
    all();
    decode_defaults_memoize(seed, table);
    ok(catalog_memo_get(seed, table.index), "the defaults are kept");
    all();
    fields_by_hand();
    catalog_free(seed);
    return tap_done();
}
