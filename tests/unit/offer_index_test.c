/* offer_index_test.c - rentals made of observations in any order: what counts on which day. */
#include "catalog/offer_index.h"

#include "base/intern.h"
#include "catalog/price_book.h"
#include "tap.h"

/* An observation of one offer, in the order of the fields that differ. */
struct row {
    day from, until;
    double price, run;
    bool unusable;
};

static struct offer_index *shelf_of(const struct row *rows, size_t n)
{
    struct offer_index_maker *maker = offer_index_begin("h100", "a stamp");

    for (size_t i = 0; i < n; i++) {
        char id[] = "acme/x"; /* borrowed for the call alone */
        struct offer_index_row row = {
            .rental = {id, "h100", "spot", "acme", "x", "r", "z", 8, !rows[i].unusable, NULL, NULL,
                       0},
            .origin = {"source", "note", "USD", "", rows[i].run, rows[i].until, false},
            .seen = {rows[i].price * 8, rows[i].price, NULL, rows[i].from, 0},
        };
        offer_index_add(maker, &row);
        id[0] = '?';
    }
    return offer_index_end(maker);
}

static double price_on(const struct offer_index *index, day as_of)
{
    const struct observation *seen = offer_index_at(index->rentals[0], as_of);

    return seen ? seen->price_per_gpu_hour : (double)NAN;
}

static void what_counts(void)
{
    static const struct row rows[] = {
        {20260301, 0, 3, NAN, false},        {0, 0, 1, NAN, false},
        {20260201, 0, 2, NAN, false},        {20260301, 0, 5, 7, false},
        {20260301, 0, 4, 6, false},          {20260401, 20260410, 6, 8, false},
        {20260501, 20261231, 7, NAN, false}, {20260601, 0, 8, NAN, false},
    };
    static const struct {
        day as_of;
        double want;
    } cases[] = {{20200101, 1},   {20260131, 1}, {20260201, 2}, {20260228, 2},
                 {20260301, 5},   {20260331, 5}, {20260409, 6}, {20260410, NAN},
                 {20260430, NAN}, {20260501, 7}, {20260601, 8}, {20990101, 8}};
    struct offer_index *index = shelf_of(rows, sizeof(rows) / sizeof(rows[0]));

    ok(index->n_rentals == 1 && index->n_observations == 8, "one offer, eight observations");
    is_str(index->rentals[0]->id, "acme/x", "with texts of its own");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        double got = price_on(index, cases[i].as_of);
        ok(got == cases[i].want || (isnan(got) && isnan(cases[i].want)), "on %d: %g",
           cases[i].as_of, got);
    }
    const struct rental *rental = index->rentals[0];
    ok(offer_index_until(rental, &rental->seen[0]) == 20260201,
       "the undated one until the first dated one");
    ok(offer_index_until(rental, &rental->seen[2]) == 20260301,
       "of one day the earlier ones for no day at all");
    ok(offer_index_until(rental, &rental->seen[5]) == 20260410 &&
           offer_index_until(rental, &rental->seen[6]) == 20260601 &&
           !offer_index_until(rental, &rental->seen[7]),
       "until its own end or the next, whichever is first");
    ok(rental->seen[0].origin == rental->seen[1].origin &&
           rental->seen[0].origin != rental->seen[5].origin,
       "where they are from is kept once");
    offer_index_release(index);
}

/* What is refuted takes nothing from the one that counts. */
static void unusable_apart(void)
{
    static const struct row rows[] = {
        {20260101, 0, 1, NAN, false}, {20260201, 0, 99, NAN, true}, {20260301, 0, 2, NAN, false}};
    struct offer_index *index = shelf_of(rows, 3);

    ok(index->n_rentals == 2 && index->rentals[0]->usable && !index->rentals[1]->usable,
       "two of one name, the usable one first");
    is_near(price_on(index, 20260215), 1, 0, "the former price holds on");
    offer_index_release(index);
}

static void sharing(void)
{
    static const struct row rows[] = {{20260101, 0, 1, NAN, false}};
    struct offer_index *index = shelf_of(rows, 1);

    index->users++;
    offer_index_release(index);
    is_near(price_on(index, 20260215), 1, 0, "what one lets go the other still has");
    offer_index_release(index);
    offer_index_release(NULL);
    index = shelf_of(rows, 0);
    ok(index->n_rentals == 0, "a GPU that nobody offers any more");
    offer_index_release(index);
}

static void interning(void)
{
    enum { MANY = 1000 };
    struct arena arena = {0};
    struct intern intern = {.arena = &arena};
    const char *kept[MANY];
    char text[32];
    bool same = true, right = true;

    for (int i = 0; i < MANY; i++) {
        snprintf(text, sizeof(text), "text %d", i);
        kept[i] = intern_text(&intern, text);
    }
    for (int i = 0; i < MANY; i++) {
        snprintf(text, sizeof(text), "text %d", i);
        same = same && intern_text(&intern, text) == kept[i];
        right = right && strcmp(kept[i], text) == 0;
    }
    ok(same && right && intern.n == MANY, "a thousand texts, each kept once");
    ok(intern_text(&intern, "text") != kept[0], "the beginning of one is another");
    intern_end(&intern);
    arena_free(&arena);
}

int main(void)
{
    what_counts();
    unusable_apart();
    sharing();
    interning();
    return tap_done();
}
