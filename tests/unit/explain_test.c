/* Explanations: the substitution is the formula with the numbers put in, and says nothing where one
 * is unknown. */
#include "estimate/figures/explain.h"

#include "tap.h"

int main(void)
{
    struct arena arena = {0};
    struct explanations rows;

    explain_init(&rows, &arena);
    EXPLAIN(&rows, "time", 3.4, "s", "flop / (peak x eta) + max(0, flop_more)", "somewhere",
            {"flop", 2.37e12, "FLOP"}, {"peak", 989.4e12, "FLOP/s"}, {"eta", 0.697, ""},
            {"flop_more", -2, "FLOP"});
    is_str(rows.at[0].substitution,
           "2.37e+12 FLOP / (9.894e+14 FLOP/s x 0.697) + max(0, (-2) FLOP)",
           "terms are replaced, longer names are not taken for shorter ones");
    is_str(rows.at[0].inputs,
           "flop = 2.37e+12 FLOP, peak = 9.894e+14 FLOP/s, eta = 0.697, flop_more = (-2) FLOP",
           "inputs by name");
    is_str(rows.at[0].formula, "flop / (peak x eta) + max(0, flop_more)", "the formula as it was");

    EXPLAIN(&rows, "unknown", 1, "s", "a + b", "nowhere", {"a", 1, "s"}, {"b", (double)NAN, "s"});
    ok(!rows.at[1].substitution, "no substitution of what is unknown");
    is_str(rows.at[1].inputs, "a = 1 s, b = unknown", "which is said");
    EXPLAIN(&rows, "never", (double)NAN, "s", "a", "nowhere", {"a", 1, "s"});
    ok(!rows.at[2].substitution && rows.n == 3, "nor of a figure that is");
    EXPLAIN(&rows, "other", 3, "s", "a", "one form of several", {"a", 3, "s"}, {"b", 2, "s"});
    is_str(rows.at[3].inputs, "a = 3 s", "inputs the formula does without are left out");
    arena_free(&arena);
    return tap_done();
}
