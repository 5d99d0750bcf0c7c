/* Explanations: the substitution is the formula with the numbers put in, and says nothing where one
 * is unknown. */
#include "estimate/figures/explain.h"

#include "tap.h"

int main(void)
{
    struct arena arena = {0};
    struct explanations rows, *to = &rows;

    explain_init(&rows, &arena);
    EXPLAIN("time", "s", 3.4, "flop / (peak x eta) + max(0, flop_more)", "somewhere")
    SYMBOL("flop", "FLOP", 2.37e12)
    SYMBOL("flop_more", "FLOP", -2)
    SYMBOL("peak", "FLOP/s", 989.4e12)
    SYMBOL("eta", "", 0.697)
    SYMBOL("a", "s", 1)
    SYMBOL("b", "s", (double)NAN)
    EXPLAIN("unknown", "s", 1, "a + b", "nowhere")
    EXPLAIN("never", "s", (double)NAN, "a", "nowhere")
    LOCAL("a", "GB", 7)
    EXPLAIN_IF(false, "hidden", "ratio", 0.5, "a / 14", "of a figure that is not shown")
    LOCAL("a", "B", 3)
    EXPLAIN("own", "B", 6, "a + a", "its own")
    EXPLAIN("after", "s", 2, "a + a x hidden + later",
            "a row shows what is hidden, and what follows")
    EXPLAIN_KNOWN("absent", "s", (double)NAN, "a", "no row of what is unknown")
    EXPLAIN_KNOWN("later", "s", 0.5, "a", "a row of what is known")
    explain_substitute(&rows);

    is_str(rows.at[0].substitution,
           "2.37e+12 FLOP / (9.894e+14 FLOP/s x 0.697) + max(0, (-2) FLOP)",
           "symbols are replaced, longer names are not taken for shorter ones");
    is_str(rows.at[0].inputs,
           "flop = 2.37e+12 FLOP, peak = 9.894e+14 FLOP/s, eta = 0.697, flop_more = (-2) FLOP",
           "inputs by name, in the order of the formula");
    is_str(rows.at[0].formula, "flop / (peak x eta) + max(0, flop_more)", "the formula as it was");
    ok(!rows.at[1].substitution, "no substitution of what is unknown");
    is_str(rows.at[1].inputs, "a = 1 s, b = unknown", "which is said");
    ok(!rows.at[2].substitution, "nor of a figure that is");
    is_str(rows.at[3].substitution, "3 B + 3 B", "a row's own symbol goes before the subject's");
    is_str(rows.at[3].inputs, "a = 3 B", "and is listed once");
    is_str(rows.at[4].substitution, "1 s + 1 s x 0.5 + 0.5 s",
           "a figure is a symbol, hidden or shown, and its ratio has no unit");
    is_str(rows.at[5].key, "later", "no row of a figure that is unknown");
    ok(rows.n == 6, "nor of a hidden one");
    arena_free(&arena);
    return tap_done();
}
