#include "estimate/ownership/used.h"

#include "base/units.h"
#include "catalog/required.h"

#include <math.h>
#include <string.h>

static const char AGE[] = "used_age_ratio";

void ownership_require_used(struct catalog *catalog)
{
    static const struct required looked_up[] = {
        {AGE, "", BOUND_LOW, 0, 1},
        {AGE, "", BOUND_VALUE, 0, 1},
        {AGE, "", BOUND_HIGH, 0, 1},
        {"sold_new_years", "", BOUND_VALUE, 0, INFINITY},
        {"sold_new_years", "consumer", BOUND_VALUE, 0, INFINITY},
        {"annual_value_retention", "", BOUND_LOW, 0.01, 1},
        {"annual_value_retention", "", BOUND_VALUE, 0.01, 1},
        {"annual_value_retention", "", BOUND_HIGH, 0.01, 1},
        {"resale_condition_factor", "", BOUND_LOW, 0.01, 1},
        {"resale_condition_factor", "", BOUND_VALUE, 0.01, 1},
        {"resale_condition_factor", "", BOUND_HIGH, 0.01, 1},
    };

    for (size_t i = 0; i < sizeof(looked_up) / sizeof(looked_up[0]); i++)
        catalog_require(catalog, &looked_up[i]);
}

bool ownership_is_used(const struct ownership *in)
{
    return in->condition && strcmp(in->condition, "used") == 0;
}

bool ownership_is_sold_new(const struct catalog *catalog, const struct gpu *gpu, day as_of)
{
    const int day_digits = 10000;
    double years =
        catalog_default(catalog, "sold_new_years", gpu_is_consumer(gpu) ? "consumer" : "");

    return gpu->year + (int)years >= as_of / day_digits ||
           catalog_hardware_is_quoted(catalog, gpu, as_of);
}

struct used_age ownership_used_age(const struct catalog *catalog, const struct gpu *gpu, day as_of)
{
    const int day_digits = 10000, month_digits = 100;
    const double mid_year = 6; /* the catalogue knows the year of the launch only */
    const struct assumption *share = catalog_assumption(catalog, AGE, "");
    int year = as_of / day_digits, month = as_of % day_digits / month_digits;
    double most = fmax(0, (year - gpu->year) * MONTHS_PER_YEAR + month);
    double since = fmax(0, most - mid_year);

    return (struct used_age){floor(since * share->low), floor(since * share->value),
                             floor(since * share->high), most};
}

void ownership_fill_age(struct ownership *in, const struct catalog *catalog, const struct gpu *gpu,
                        day as_of)
{
    if (!ownership_is_used(in))
        in->used_age_months = 0;
    else if (isnan(in->used_age_months))
        in->used_age_months = ownership_used_age(catalog, gpu, as_of).value;
}

double ownership_used_ratio(const struct ownership *in)
{
    return pow(in->annual_value_retention, in->used_age_months / MONTHS_PER_YEAR);
}

double ownership_life_left(const struct ownership *in, double life_months)
{
    return fmax(MONTHS_PER_YEAR, floor(life_months - in->used_age_months));
}

void ownership_make_used(struct ownership *in, const struct catalog *catalog, const struct gpu *gpu,
                         day as_of)
{
    in->condition = "used";
    ownership_fill_age(in, catalog, gpu, as_of);
    in->used_age_months = fmin(in->used_age_months, ownership_used_age(catalog, gpu, as_of).most);
    in->useful_life_months = ownership_life_left(in, in->useful_life_months);
}

double ownership_warranty_left(const struct ownership *in, const struct gpu *gpu)
{
    double left = gpu->warranty_years * MONTHS_PER_YEAR - in->used_age_months;

    return isnan(left) ? left : fmax(0, left);
}

/* How far one of several independent factors moves the price at that end, as a squared logarithm.
 */
static double squared(double factor, bool high)
{
    double moved = log(factor);

    return high ? pow(fmax(0, moved), 2) : pow(fmin(0, moved), 2);
}

struct ownership_band ownership_used_band(const struct ownership *in, const struct catalog *catalog,
                                          const struct gpu *gpu, day as_of,
                                          struct ownership_band as_new)
{
    const struct assumption *kept = catalog_assumption(catalog, "annual_value_retention", "");
    const struct assumption *state = catalog_assumption(catalog, "resale_condition_factor", "");
    struct used_age age = ownership_used_age(catalog, gpu, as_of);
    double years = in->used_age_months / MONTHS_PER_YEAR, retention = in->annual_value_retention;
    bool assumed = in->used_age_months == age.value; /* a stated age is certain */
    double low = squared(as_new.low, false), high = squared(as_new.high, true);

    low += squared(pow(kept->low / kept->value, years), false);
    high += squared(pow(kept->high / kept->value, years), true);
    low += squared(state->low / state->value, false);
    high += squared(state->high / state->value, true);
    if (assumed && retention > 0) {
        low += squared(pow(retention, (age.high - age.value) / MONTHS_PER_YEAR), false);
        high += squared(pow(retention, (age.low - age.value) / MONTHS_PER_YEAR), true);
    }
    return (struct ownership_band){exp(-sqrt(low)), exp(sqrt(high))};
}
