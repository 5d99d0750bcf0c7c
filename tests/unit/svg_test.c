#include "answer/svg.h"
#include "tap.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct point {
    double month, buy, rent;
};

static const struct field rows[] = {
    {"month", FIELD_COUNT, "months", 0, 0, "", "", "", offsetof(struct point, month),
     FIELD_KEY("month")},
    {"buy", FIELD_MONEY, "USD", 0, 0, "", "", "", offsetof(struct point, buy), FIELD_KEY("buy")},
    {"rent", FIELD_MONEY, "USD", 0, 0, "", "", "", offsetof(struct point, rent), FIELD_KEY("rent")},
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
    svg_write(&chart, &table, 720, false, &out);
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

    ok(strstr(svg, "<title id=\"title\">Buy &lt;or&gt; rent &amp; why</title>"), "title, escaped");
    ok(strstr(svg, "<desc id=\"desc\">Buying is no dearer from month 24 on.</desc>"),
       "description");
    ok(strstr(svg, "role=\"img\" aria-labelledby=\"title desc\""), "an image with a name");
    ok(strstr(svg, ">Cumulative cost, USD<") && strstr(svg, ">Months<"), "axes say their unit");
    ok(strstr(svg, ">36<") && strstr(svg, ">24<") && !strstr(svg, ">18<"), "whole years");
    ok(strstr(svg, ">200 k<") && strstr(svg, ">800 k<"), "round steps of money");
    ok(count(svg, "<polyline") == 2 && strstr(svg, "stroke-dasharray=\"9 5\""),
       "two curves that differ without colour too");
    ok(strstr(svg, ">Buy</text>") && strstr(svg, ">Rent</text>"), "each has its name next to it");
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

/* On a narrow chart a name stands clear of its own curve, which rises towards it. */
static void test_name_below_a_rising_curve(void)
{
    struct point points[61];
    struct table table = {
        .fields = FIELDS(rows), .rows = points, .n = 61, .stride = sizeof(points[0])};

    for (int i = 0; i <= 60; i++)
        points[i] = (struct point){i, 1000 + 20 * i, 20 * i};
    buf_free(&out);
    buf_init(&out, 1 << 20);
    svg_write(&chart, &table, 320, false, &out);
    const char *name = strstr(buf_data(&out), ">Rent</text>");
    const char *at =
        strstr(strstr(strstr(buf_data(&out), "<polyline") + 1, "<polyline"), "points=");
    double x = 0, y = 0; /* of the curve above the name's first letter */
    char *end = NULL;

    for (at += strlen("points=\""); x < 300 - 4 * 7; at = end) {
        x = strtod(at, &end);
        y = strtod(end + 1, &end);
    }
    while (strncmp(name, "y=\"", 3) != 0)
        name--;
    ok(strtod(name + 3, NULL) - 11 > y, "a name stands below its curve: %.3s and %.1f", name + 3,
       y);
}

static void test_marks_apart(void)
{
    static const struct point points[] = {{0, 0, 0}, {60, 1000, 1000}};
    struct chart marked = chart;
    struct table table = {
        .fields = FIELDS(rows), .rows = points, .n = 2, .stride = sizeof(*points)};

    marked.n_marks = 2;
    marked.marks[0] = (struct chart_mark){28, "buy from month 28", true};
    marked.marks[1] = (struct chart_mark){36, "time frame", false};
    buf_free(&out);
    buf_init(&out, 1 << 20);
    svg_write(&marked, &table, 720, false, &out);
    ok(strstr(buf_data(&out), "text-anchor=\"end\" x=\"326.8\" y=\"56.0\">buy from month 28<") &&
           strstr(buf_data(&out), "text-anchor=\"start\" x=\"411.6\" y=\"72.0\">time frame<"),
       "no name crosses the line of another mark");
    buf_free(&out);
    buf_init(&out, 1 << 20);
    svg_write(&marked, &table, 320, false, &out);
    ok(strstr(buf_data(&out), "x=\"300.0\" y=\"74.0\">Rent<") &&
           strstr(buf_data(&out), "x=\"212.4\" y=\"90.0\">time frame<"),
       "nor the name of a curve on a narrow chart");
}

struct option {
    const char *name;
    double days, cost, best;
};

static const struct field option_rows[] = {
    {"name", FIELD_TEXT, "", 0, 0, "", "", "", offsetof(struct option, name), FIELD_KEY("name")},
    {"days", FIELD_NUMBER, "days", 0, 0, "", "", "", offsetof(struct option, days),
     FIELD_KEY("days")},
    {"cost", FIELD_MONEY, "USD", 0, 0, "", "", "", offsetof(struct option, cost),
     FIELD_KEY("cost")},
    {"best", FIELD_FLAG, "", 0, 0, "", "", "", offsetof(struct option, best), FIELD_KEY("best")},
};

static const char *draw_options(const struct chart *kind, const struct option *options, size_t n)
{
    struct table table = {
        .fields = FIELDS(option_rows), .rows = options, .n = n, .stride = sizeof(*options)};

    buf_free(&out);
    buf_init(&out, 1 << 20);
    svg_write(kind, &table, 720, false, &out);
    return buf_data(&out);
}

static const struct chart scatter = {
    .kind = CHART_SCATTER,
    .x_axis = AXIS_LOG,
    .y_axis = AXIS_LOG,
    .title = "Options",
    .description = "Cost and days.",
    .x_label = "Days",
    .y_label = "Cost",
    .x_field = "days",
    .name_field = "name",
    .mark_field = "best",
    .n_curves = 1,
    .curves = {{"cost", "frontier"}},
};

static void test_scatter(void)
{
    const double none = (double)NAN;
    const struct option far[] = {{"slow & cheap", 100, 10, 1},
                                 {"fast", 1, 1000, 1},
                                 {"middle", 10, 100, 1},
                                 {"beaten", 100, 1000, 0},
                                 {"unpriced", 5, none, 0}};
    const char *svg = draw_options(&scatter, far, 5);

    ok(strstr(svg, "points=\"78.0,44.0 351.0,204.0 624.0,364.0 \""),
       "logarithmic, the marked joined from left to right");
    ok(count(svg, "<circle") == 4 && !strstr(svg, "unpriced"), "what is unknown is left out");
    ok(count(svg, "class=\"mark\"") == 3 && count(svg, "class=\"dot\"") == 1, "the marked differ");
    ok(strstr(svg, "<title>slow &amp; cheap</title>"), "each point has its name");
    ok(strstr(svg, ">frontier<") && strstr(svg, ">50<") && strstr(svg, ">1000<"),
       "the line has its name, the axes their marks");
    const struct option near[] = {{"a", 10, 100, 0}, {"b", 12, 110, 0}};
    svg = draw_options(&scatter, near, 2);
    ok(strstr(svg, "cx=\"78.0\"") && strstr(svg, "cx=\"624.0\"") && strstr(svg, ">10.5<"),
       "near values in even steps");
    ok(!strstr(draw_options(&scatter, near, 0), "nan"), "no points, an empty plane");
}

/* Where a label's text element begins, NULL where it is not drawn. */
static const char *label_of(const char *svg, const char *label)
{
    const char *at = strstr(svg, label), *found = NULL;

    for (const char *from = svg; at && (from = strstr(from, "text-anchor=\"")) && from < at; from++)
        found = from + strlen("text-anchor=\"");
    return found;
}

/* Labels on different sides of one point cannot touch; on one side their heights must differ. */
static bool are_apart(const char *svg, const char *one, const char *other)
{
    const char *a = label_of(svg, one), *b = label_of(svg, other);

    return a && b &&
           (a[0] != b[0] || fabs(strtod(strstr(a, " y=\"") + 4, NULL) -
                                 strtod(strstr(b, " y=\"") + 4, NULL)) >= 14);
}

static void test_labels_apart(void)
{
    const struct option close[] = {{"cheap", 100, 100, 1},
                                   {"recommended", 100, 104, 0},
                                   {"fast", 1, 1000, 1},
                                   {"slow", 110, 150, 0}};
    struct chart labelled = scatter;
    labelled.label_field = "name";
    const char *svg = draw_options(&labelled, close, 4);

    ok(are_apart(svg, ">cheap</text>", ">recommended</text>") &&
           are_apart(svg, ">cheap</text>", ">frontier</text>") &&
           are_apart(svg, ">recommended</text>", ">frontier</text>"),
       "labels of points a few pixels apart do not overlap");
}

static void test_bars(void)
{
    struct chart bars = {
        .kind = CHART_BARS,
        .title = "What moves it",
        .description = "Bars.",
        .x_label = "USD",
        .x_field = "name",
        .x_middle = 50,
        .n_curves = 2,
        .curves = {{"days", "low value"}, {"cost", "high value"}},
    };
    const struct option rows_of_bars[] = {
        {"wide", 0, 100, 0}, {"one <side>", 50, 75, 0}, {"unknown", (double)NAN, 25, 0}};
    const char *svg = draw_options(&bars, rows_of_bars, 3);

    ok(count(svg, "class=\"below\"") == 2 && count(svg, "class=\"above\"") == 2,
       "a part for each side that there is");
    ok(strstr(svg, "class=\"below\" x=\"210.0\" y=\"49\" width=\"231.0\""),
       "from low to the middle");
    ok(strstr(svg, "class=\"above\" x=\"441.0\" y=\"49\" width=\"231.0\""), "from there to high");
    ok(strstr(svg, "class=\"axis\" x1=\"441.0\""), "a line in the middle");
    ok(strstr(svg, ">one &lt;side&gt;</text>") && strstr(svg, "high value: 75"),
       "names and values");
    bars.x_middle = (double)NAN;
    ok(!strstr(draw_options(&bars, rows_of_bars, 0), "nan"), "nothing known, nothing drawn");
}

static void test_parts(void)
{
    struct chart parts = {
        .kind = CHART_PARTS,
        .title = "What it is made of",
        .description = "Parts.",
        .x_field = "name",
        .y_field = "cost",
        .name_field = "name",
        .mark_field = "best",
        .n_curves = 1,
        .curves = {{"days", "value"}},
        .n_panels = 2,
        .panels = {{"Memory", 40, "it has 40"}, {"Time", (double)NAN, NULL}},
    };
    const struct option rows_of_parts[] = {
        {"half", 10, 0, 0}, {"rest", 10, 0, 0}, {"all", 20, 0, 1}, {"step", 3, 1, 0}};
    const char *svg = draw_options(&parts, rows_of_parts, 4);

    ok(strstr(svg, "class=\"mark\" x=\"230.0\" y=\"78\" width=\"96.5\""),
       "from zero, to the limit's scale");
    ok(strstr(svg, "class=\"mark\" x=\"326.5\" y=\"104\" width=\"96.5\""),
       "from the end of the one before");
    ok(strstr(svg, "class=\"dot\" x=\"230.0\" y=\"130\" width=\"193.0\""),
       "the whole from zero again");
    ok(strstr(svg, "class=\"mark\" x=\"230.0\" y=\"212\" width=\"386.0\""),
       "each panel to its own scale");
    ok(strstr(svg, "x1=\"616.0\"") && strstr(svg, ">it has 40<") && count(svg, "class=\"at\"") == 1,
       "a limit where there is one");
    parts.panels[0].limit = 15;
    svg = draw_options(&parts, rows_of_parts, 4);
    ok(count(svg, "class=\"above\"") == 1, "a whole over the limit stands out");
    ok(!strstr(draw_options(&parts, rows_of_parts, 0), "nan"), "nothing known, nothing drawn");
}

/* A heading and names keep the points of their versions. */
static void test_decimal_commas(void)
{
    static const struct point points[] = {{0, 0, 0}, {36, 1500000, 2500000}};
    struct chart marked = chart;
    struct table table = {
        .fields = FIELDS(rows), .rows = points, .n = 2, .stride = sizeof(*points)};

    marked.title = "Llama 3.1 8B";
    marked.n_marks = 2;
    marked.marks[0] = (struct chart_mark){.x = 12, .name = "buy from month 17.2, 12,345.6 GiB"};
    marked.marks[1] = (struct chart_mark){.x = 24, .name = "Qwen2.5 or 3.1-8B (0.5%)"};
    buf_free(&out);
    buf_init(&out, 1 << 20);
    svg_write(&marked, &table, 720, true, &out);
    const char *svg = buf_data(&out);

    ok(strstr(svg, ">1,5 M<") && strstr(svg, ">500 k<"), "ticks");
    ok(strstr(svg, ">buy from month 17,2, 12 345,6 GiB<"), "numbers among words");
    ok(strstr(svg, ">Qwen2.5 or 3.1-8B (0,5%)<"), "but not in a name");
    ok(strstr(svg, "font-weight=\"600\">Llama 3.1 8B<"), "nor in the heading");
    ok(strstr(svg, "points=\"78.0,364.0 624.0,172.0 "), "nor in a place");
}

int main(void)
{
    test_decimal_commas();
    test_parts();
    test_words();
    test_places();
    test_unknown();
    test_names_apart();
    test_name_below_a_rising_curve();
    test_marks_apart();
    test_scatter();
    test_labels_apart();
    test_bars();
    buf_free(&out);
    return tap_done();
}
