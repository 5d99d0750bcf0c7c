#include "estimate/figures/range.h"
#include "tap.h"

static void test_around(void)
{
    struct range_ends ends = range_around(64, 1, 131072);

    ok(ends.low == 32 && ends.high == 128, "half and double");
    ok(range_step(ends, true) == 8, "a twelfth of the way");
    ok(range_points(ends, 8) == 13, "both ends counted");
    ok(range_point(ends, 8, 4) == 64, "the value itself is one of the points");
    ends = range_around(0.95, 0.01, 1);
    ok(ends.low == 0.475 && ends.high == 1, "within what is accepted");
    ends = range_around(5, (double)NAN, (double)NAN);
    ok(ends.low == 2.5 && ends.high == 10, "no bounds");
    ends = range_below(700, 400);
    ok(ends.low == 400 && ends.high == 700, "half, but no less than is accepted");
    ok(range_step((struct range_ends){1, 4}, true) == 1, "a whole step is at least 1");
    ok(range_step((struct range_ends){1, 4}, false) == 0.25, "others may be broken");
}

/* 0.1 has no exact double: the last step ends on the end all the same. */
static void test_rounding(void)
{
    struct range_ends ends = {0.1, 1};

    ok(range_points(ends, 0.1) == 10, "ten points");
    ok(range_point(ends, 0.1, 9) == 1, "the last is the end itself");
    ok(range_points((struct range_ends){0, 1}, 0.3) == 4, "a step that does not reach the end");
    ok(range_point((struct range_ends){0, 1}, 0.3, 3) < 1, "stops before it");
    ok(range_points((struct range_ends){2, 2}, 0.3) == 1, "one value, one point");
    ok(range_width(2, 5) == 3 && range_width(5, 2) == 3, "a width has no sign");
    ok(isnan(range_width(5, (double)NAN)), "unknown stays unknown");
    ok(isnan(range_width((double)NAN, 5)), "on either side");
    ok(range_width(0.1 + 0.2, 0.3) == 0 && range_width(-0.3, -0.1 - 0.2) == 0,
       "rounding is no width");
    ok(range_width(1e-6, 1.001e-6) > 0, "a small difference of small results is one");
    ok(range_width(0, 0) == 0, "nothing and nothing");
}

int main(void)
{
    test_around();
    test_rounding();
    return tap_done();
}
