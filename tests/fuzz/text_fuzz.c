/* text_fuzz.c - numbers, days, escapes, queries and the other small readers, each on the same text.
 */
#include "fuzz.h"

#include "base/arena.h"
#include "base/params.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void read_numbers(const char *text)
{
    char again[64];
    double number, same;
    int32_t day;

    if (text_number(text, &number)) {
        fuzz_need(isfinite(number), "a number is finite");
        snprintf(again, sizeof(again), "%.17g", number);
        char *plus = strchr(again, '+'); /* as in 1e+30, which a query would make 1e 30 */
        if (plus)
            memmove(plus, plus + 1, strlen(plus));
        fuzz_need(text_number(again, &same) && !(same < number) && !(same > number),
                  "a number reads back");
    }
    if (text_day(text, &day)) {
        text_print_day(day, again);
        fuzz_need(strcmp(again, text) == 0, "a day reads back");
        fuzz_need(text_days_between(day, day) == 0, "a day is no days from itself");
    }
}

static void read_lists(const char *text)
{
    static const char words[] = "on_demand spot reserved_1yr";
    const char *at = text_in_words(words, text);

    if (at)
        fuzz_need(at >= words && strncasecmp(at, text, strlen(text)) == 0, "a word of the list");
    size_t there = text_distance(text, "utilization"), back = text_distance("utilization", text);
    fuzz_need(there == back, "as far back as there");
    text_is_typo(text, "utilization", there);
    text_in_list("https://a.example,https://b.example", text);
}

/* What is written encoded reads back as it was. */
static void read_query(const char *text)
{
    struct arena arena = {0};
    struct params *params = arena_alloc(&arena, sizeof(*params));
    struct err err = {0};
    struct buf out;

    fuzz_need(params_read_query(params, text, &arena, &err) || err.n_culprits || err.text[0],
              "a refusal says why");
    arena_free(&arena);
    buf_init(&out, 4 * strlen(text) + 16);
    buf_encoded(&out, text);
    char *again = buf_steal(&out);
    if (again)
        fuzz_need(text_decode_percent(again, true) && strcmp(again, text) == 0,
                  "what is encoded decodes to the same");
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);

    read_numbers(text);
    read_lists(text);
    read_query(text);
    bool good = true;
    for (size_t i = 0, n; good && text[i]; i += n) {
        n = text_utf8_length(text + i);
        good = n > 0;
    }
    fuzz_need(good == text_is_utf8(text), "a text is UTF-8 where each character is");
    free(text);
    return 0;
}
