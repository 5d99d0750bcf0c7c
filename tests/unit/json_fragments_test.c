/* The JSON that is put together from earlier answers is the JSON that is written anew. */
#include "answer/json_fragments.h"

#include "answer/answer.h"
#include "tap.h"

#include <stdlib.h>

enum { ROWS_MOST = 900, CHANGING = 4, TEXT_SIZE = 16 }; /* more cells than are kept */

struct thing {
    const char *key;
    double amount;
    const char *unit;
};

#define THING(name, type, unit)                                                                 \
    {                                                                                           \
#name, type, unit, (double)NAN, (double)NAN, "", "", "s", offsetof(struct thing, name), \
            FIELD_KEY(#name)                                                                    \
    }

static const struct field things[] = {THING(key, FIELD_TEXT, ""),
                                      THING(amount, FIELD_MONEY, "USD/month"),
                                      THING(unit, FIELD_TEXT, "")};

/* Memory that holds another text each time, at the same address. */
static char changing[CHANGING][TEXT_SIZE];

static unsigned drawn(unsigned n)
{
    static uint64_t state = 1;

    state = state * 6364136223846793005U + 1442695040888963407U;
    return (unsigned)(state >> 33) % n;
}

static const char *draw_text(void)
{
    static const char *const texts[] = {"staff", "power \"and\" light", "", NULL};
    unsigned i = drawn(8);

    if (i < CHANGING) {
        snprintf(changing[i], sizeof(changing[i]), "%u", drawn(1000));
        return changing[i];
    }
    return texts[i - CHANGING];
}

static struct thing draw_thing(const struct thing *former)
{
    static const double amounts[] = {0, 1.5, -2.25, 1e6};

    if (drawn(4))
        return *former; /* mostly the same again */
    return (struct thing){draw_text(), drawn(5) ? amounts[drawn(4)] : (double)NAN, draw_text()};
}

static char *json_of(const struct answer *answer, struct json_fragments *fragments)
{
    struct style style = {.fragments = fragments};
    struct err err = {0};
    struct buf out;

    buf_init(&out, 1 << 20);
    if (!answer_write(answer, FORMAT_JSON, &style, &out, &err))
        abort();
    return buf_steal(&out);
}

/* An answer like the one before in most, in which anything may have changed. */
static bool one_like_it(struct json_fragments *fragments, struct thing *rows)
{
    static enum source sources[3];
    static const char *references[3];
    struct answer answer = {.name = "sample", .headline = "key", .count = (double)NAN};
    size_t n = drawn(20) ? drawn(12) : drawn(ROWS_MOST);

    answer.meta.currency = drawn(10) ? "USD" : "EUR";
    answer.meta.as_of = draw_text();
    answer.meta.currency_per_usd = 1;
    for (size_t i = 0; i < n; i++)
        rows[i] = draw_thing(&rows[i]);
    for (size_t i = 0; i < 3; i++) {
        sources[i] = drawn(8) ? sources[i] : (enum source)drawn(4);
        references[i] = drawn(8) ? references[i] : draw_text();
    }
    if (drawn(2)) {
        answer.fields = FIELDS(things);
        answer.values = &rows[0];
    }
    answer_table(&answer, (struct table){"things", "thing", FIELDS(things), rows, n, sizeof(*rows),
                                         NULL, NULL});
    answer.inputs = (struct inputs){FIELDS(things), &rows[1], sources, references};
    char *anew = json_of(&answer, NULL), *copied = json_of(&answer, fragments);
    bool same = strcmp(anew, copied) == 0;
    if (!same)
        printf("# anew: %s# copied: %s", anew, copied);
    free(anew);
    free(copied);
    return same;
}

int main(void)
{
    struct json_fragments_all *all = json_fragments_new(2);
    struct thing *rows = calloc(ROWS_MOST, sizeof(*rows));
    size_t wrong = 0;

    for (int i = 0; i < 20000 && !wrong; i++)
        wrong += !one_like_it(json_fragments_of(all, (unsigned)i / 7 % 2), rows);
    ok(wrong == 0, "20,000 answers, each after others like it");
    free(rows);
    json_fragments_free(all);
    return tap_done();
}
