#include "base/random.h"

#include "tap.h"

#include <math.h>

/* Worked out apart from this code: splitmix64 from the state that is its own first number. */
static void test_random(void)
{
    double one[3], two[3];

    ok(random_bits(0, 0) == 0xa706dd2f4d197e6f, "the first number of seed 0");
    ok(random_bits(1, 0) == 0x5e41ab087439611e, "of seed 1");
    ok(random_bits(1, 2) == 0x0b95f66d327e8d78, "the third of seed 1");
    random_units(one, 3, 7, 0, 1);
    random_units(two, 2, 7, 0, 2);
    ok(one[0] == two[0] && one[2] == two[1], "a number is the same however it is come by");
    ok(one[1] == (double)(random_bits(7, 1) >> 11) / 9007199254740992.0, "53 bits of it");
}

static void test_random_is_even(void)
{
    enum { N = 100000 };
    static double units[N];
    double sum = 0, squares = 0, neighbours = 0;

    random_units(units, N, 3, 0, 1);
    for (int i = 0; i < N; i++) {
        sum += units[i];
        squares += units[i] * units[i];
        neighbours += i ? (units[i] - 0.5) * (units[i - 1] - 0.5) : 0;
    }
    is_near(sum / N, 0.5, 4 * 0.2887 / sqrt(N), "mean");
    is_near(squares / N, 1 / 3.0, 4 * 0.2981 / sqrt(N), "second moment");
    is_near(neighbours / N, 0, 4 / 12.0 / sqrt(N), "neighbours know nothing of each other");
}

int main(void)
{
    test_random();
    test_random_is_even();
    return tap_done();
}
