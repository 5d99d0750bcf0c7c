#include "answer/svg.h"
#include "tap.h"

#include <stddef.h>

struct point {
    double month, buy, rent;
};

static const struct field rows[] = {
    {"month", FIELD_COUNT, "months", 0, 0, "", "", "", offsetof(struct point, month)},
    {"buy", FIELD_MONEY, "USD", 0, 0, "", "", "", offsetof(struct point, buy)},
    {"rent", FIELD_MONEY, "USD", 0, 0, "", "", "", offsetof(struct point, rent)},
};

static const struct chart chart = {
    .title = "Buy <or> rent & why",
    .description = "Buying is no dearer from month 24 on.",
    .x_label = "Months",
    .y_label = "Cumulative cost, USD",
    .x_field = "month",
    .x_unit = 12,
    .n_curves = 2,
    .curves = {{"buy", "Buy"}, {"rent", "Rent"}},
};

static struct buf out;

static const char *draw(const struct point *points, size_t n)
{
    struct table table = {
        .fields = FIELDS(rows), .rows = points, .n = n, .stride = sizeof(*points)};

    buf_free(&out);
    buf_init(&out, 1 << 20);
    svg_write(&chart, &table, &out);
    return buf_data(&out);
}

static size_t count(const char *text, const char *what)
{
    size_t n = 0;

    for (const char *p = text; (p = strstr(p, what)); p += strlen(what))
        n++;
    return n;
}

static void test_words(void)
{
    static const struct point points[] = {
        {0, 100000, 0}, {12, 300000, 250000}, {36, 700000, 750000}};
    const char *svg = draw(points, 3);

    ok(strstr(svg, "<title id=\"title\">Buy &lt;or> rent &amp; why</title>"), "title, escaped");
    ok(strstr(svg, "<desc id=\"desc\">Buying is no dearer from month 24 on.</desc>"),
       "description");
    ok(strstr(svg, "role=\"img\" aria-labelledby=\"title desc\""), "an image with a name");
    ok(strstr(svg, ">Cumulative cost, USD<") && strstr(svg, ">Months<"), "axes say their unit");
    ok(strstr(svg, ">36<") && strstr(svg, ">24<") && !strstr(svg, ">18<"), "whole years");
    ok(strstr(svg, ">200 k<") && strstr(svg, ">800 k<"), "round steps of money");
    ok(count(svg, "<polyline") == 2 && strstr(svg, "stroke-dasharray=\"9 5\""),
       "two curves that differ without colour too");
    ok(strstr(svg, ">Buy</text>") && strstr(svg, ">Rent</text>"), "each has its name beside it");
    ok(strncmp(svg, "<svg ", 5) == 0 && strstr(svg, "</svg>"), "a whole document");
}

/* The lowest value is at the bottom of the plane, the highest step at its top. */
static void test_places(void)
{
    static const struct point points[] = {{0, 0, 0}, {12, 500, 1000}};
    const char *svg = draw(points, 2);

    ok(strstr(svg, "points=\"78.0,364.0 624.0,204.0 \""), "half of the height");
    ok(strstr(svg, "points=\"78.0,364.0 624.0,44.0 \""), "all of it");
}

static void test_unknown(void)
{
    const double none = (double)NAN;
    const struct point some[] = {{0, none, 0}, {12, 500, 900}, {24, none, 1000}};
    const struct point all[] = {{0, none, 0}, {12, none, 900}};

    ok(strstr(draw(some, 3), "points=\"351.0,204.0 \""), "unknown points are left out");
    const char *svg = draw(all, 2);
    ok(strstr(svg, "points=\"\"") && !strstr(svg, ">Buy</text>"), "an unknown curve is not drawn");
    ok(!strstr(svg, "nan"), "nothing is placed at nowhere");
    ok(strstr(draw(all, 0), "</svg>"), "no rows, an empty plane");
}

static void test_names_apart(void)
{
    static const struct point points[] = {{0, 0, 0}, {12, 1000, 1000}};
    const char *svg = draw(points, 2);

    ok(strstr(svg, "y=\"48.0\">Buy<") && strstr(svg, "y=\"64.0\">Rent<"),
       "curves that end together have their names apart");
}

int main(void)
{
    test_words();
    test_places();
    test_unknown();
    test_names_apart();
    buf_free(&out);
    return tap_done();
}
