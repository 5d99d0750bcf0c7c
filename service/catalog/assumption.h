/* assumption.h - a default that a user can see and change: low, default, high, source, date. */
#ifndef CATALOG_ASSUMPTION_H
#define CATALOG_ASSUMPTION_H

struct assumption {
    const char *key;   /* as electricity_price_per_kwh, e_mem */
    const char *scope; /* "" or a slug, as vllm, amd, moe: what the row is for */
    const char *group; /* buy_initial buy_recurring buy_finance rent training_model ... */
    const char *unit, *applies_to, *source, *source_date, *note;
    double low, value, high; /* NAN where the source gives none */
};

#endif
