/* tables.h - maps database columns to members of the catalogue's structs. */
#ifndef STORE_TABLES_H
#define STORE_TABLES_H

#include "catalog/catalog.h"
#include "catalog/quote.h"
#include "store/table.h"

/* Rows that name their GPU by slug; the loader resolves it to a pointer. */
struct figure_row {
    const char *gpu;
    struct figure figure;
};

/* The version stamp of a GPU's offers. */
struct stamp_row {
    const char *gpu, *stamp;
};

/* An observation and, in `id`, the offer it is of: see offer_id_split(). */
struct offer_row {
    const char *id;
    double sizes; /* bytes of the instance, times 2^32, plus those of the zone */
    bool unusable;
    struct origin origin; /* currency "": USD */
    struct observation seen;
};

struct hardware_row {
    const char *gpu;
    struct hardware hardware;
};

extern const struct table table_gpu, table_figure, table_offer, table_stamp, table_provider,
    table_run, table_instance, table_billing, table_region, table_carrier, table_hardware,
    table_model, table_assumption, table_exchange_rate, table_quote, table_quote_change,
    table_row_change, table_measurement, table_own_measurement, table_hosted_price;

#endif
