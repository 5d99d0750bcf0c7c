#include "answer/label.h"

#include "tap.h"

static void check(const char *name, const char *unit, const char *words, const char *axis)
{
    struct arena arena = {0};
    const char *said = label_words(&arena, name, unit), *long_said = label_axis(&arena, name, unit);

    is_str(said, words, "%s in %s", name, unit);
    is_str(long_said, axis, "%s next to an axis", name);
    arena_free(&arena);
}

int main(void)
{
    check("lead_time_months", "months", "lead time", "Lead time, months");
    check("latency_p95_seconds_estimate", "seconds", "response time, 95% of requests",
          "Response time, 95% of requests, seconds");
    check("utilization", "ratio", "utilization", "Utilization");
    check("import_duty_ratio", "ratio", "import duty", "Import duty");
    check("staff_fte", "FTE", "staff", "Staff, FTE");
    check("staff_cost_per_fte_year", "USD/year", "cost per employee",
          "Cost per employee, USD/year");
    check("setup_cost_year", "EUR/year", "setup cost", "Setup cost, EUR/year");
    check("rent_price_per_gpu_hour", "USD/GPU-hour", "rent per GPU-hour", "Rent per GPU-hour, USD");
    check("tflops_per_1000_usd", "TFLOP/s per 1000 USD", "compute per 1,000 USD",
          "Compute per 1,000 USD, TFLOP/s per 1000 USD");
    check("months_seconds", "", "months seconds", "Months seconds");
    return tap_done();
}
