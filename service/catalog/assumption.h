/* assumption.h - a default that the user can see and change: low, default, high, source, date. */
#ifndef CATALOG_ASSUMPTION_H
#define CATALOG_ASSUMPTION_H

struct assumption {
    const char *key;   /* such as electricity_price_per_kwh, e_mem */
    const char *scope; /* what the row applies to: "" or a slug such as vllm, amd, moe */
    const char *group; /* buy_initial buy_recurring buy_finance rent training_model ... */
    const char *unit, *applies_to, *source, *source_date, *note;
    double low, value, high; /* NAN if the source gives none */
};

#endif
