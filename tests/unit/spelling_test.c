/* The nearest of several names, and whether it is near enough to be what was meant. */
#include "base/spelling.h"

#include "tap.h"

static const char *meant(const char *typed)
{
    static const char *const names[] = {"gpu",        "gpu_count", "gpu_cuont_",
                                        "/v1/offers", "/v1/gpus",  "/v1/recommendation"};
    struct spelling near = spelling_of(typed);

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        spelling_try(&near, names[i]);
    return spelling_meant(&near);
}

static void words(void)
{
    ok(spelling_words("RTX 4090", "rtx-4090") > spelling_words("rtx", "rtx-4090"),
       "two words fit better than one");
    ok(spelling_words("h100", "h100-pcie-80gb") > spelling_words("h100x8", "h100-pcie-80gb"),
       "the word better than one that goes on");
    ok(spelling_words("rtx4090", "rtx-4090") && spelling_words("80gb_h100", "h100-pcie-80gb") &&
           spelling_words("h100-96gb", "h100-pcie-80gb"),
       "joined, in another order, with another memory");
    ok(!spelling_words("rtx-4080", "rtx-4090") && !spelling_words("gpt-4", "phi-4") &&
           !spelling_words("llama-3.1-8b", "llama-3.1-70b") &&
           !spelling_words("b200", "gb200-nvl72"),
       "another number, another name, another size, a part of a word");
    ok(!spelling_words("", "rtx-4090") && !spelling_words(" -/", "rtx-4090") &&
           !spelling_words("rtx", ""),
       "no word");
}

static void units(void)
{
    ok(spelling_unit_factor("requests_per_second", "requests/minute") == 60 &&
           spelling_unit_factor("qps", "requests/minute") == 60 &&
           spelling_unit_factor("latency_ms", "s") == 1e-3 &&
           spelling_unit_factor("years", "months") == 12 &&
           spelling_unit_factor("deadline_weeks", "days") == 7,
       "a name that says another unit");
    ok(spelling_unit_factor("requests_per_minute", "requests/minute") == 0 &&
           spelling_unit_factor("years", "USD") == 0 && spelling_unit_factor("", "s") == 0 &&
           spelling_unit_factor("_ms", "s") == 0 && spelling_unit_factor("ms", "") == 0,
       "the same unit, another kind, or no name before the unit");
}

int main(void)
{
    struct spelling near = spelling_of("offer");

    ok(!spelling_meant(&near), "nothing was offered");
    is_str(near.nearest, "", "so nothing is nearest");
    ok(spelling_try(&near, "utilization") && spelling_try(&near, "offset"), "nearer and nearer");
    ok(!spelling_try(&near, "offers_used") && !spelling_try(&near, "officer_"),
       "what is farther, or as far, does not take its place");
    is_str(near.nearest, "offset", "the first of the nearest");
    ok(near.distance == 2, "two edits away");
    is_str(meant("gpu_cuont"), "gpu_count", "swapped neighbours are one edit");
    is_str(meant("/V1/Offer"), "/v1/offers", "in any case");
    is_str(meant("/v1/recomm"), "/v1/recommendation", "a beginning stands for the whole");
    ok(!meant("a_name_like_none_of_them"), "nothing is near");
    words();
    units();
    return tap_done();
}
