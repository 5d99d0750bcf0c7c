/* quote.h - a team's own vendor quotes: their content and audit trail, their conversion to offers
 * and purchase prices, and the interface to write them. */
#ifndef CATALOG_QUOTE_H
#define CATALOG_QUOTE_H

#include "base/err.h"
#include "catalog/catalog.h"

/* One version of a quote: the current one from day `recorded` until before `superseded`. */
struct quote {
    double id, version;
    const char *kind;            /* rental, hardware, discount */
    const char *provider, *gpu;  /* gpu is a slug, which may no longer be in the catalogue; "" for a
                                  * discount on all GPUs */
    const char *purchase_option; /* same as in an offer; "" for hardware, and for a discount on all
                                  * options */
    const char *region;          /* "" for all regions */
    double gpu_count;            /* of the node or server quoted; with price 0, all GPUs paid for */
    double price;                /* in `currency` per `price_unit`; NAN for a discount */
    double discount_ratio;       /* share of the list price that is taken off; else NAN */
    const char *price_unit;      /* per_gpu_hour per_node_hour per_card per_server; "" for a
                                  * discount */
    const char *currency;
    day valid_from, valid_until; /* both days inclusive; until is 0 if open */
    day valid_before;            /* the day after valid_until; 0 if open */
    const char *attachment, *note;
    bool hidden;
    day recorded, superseded; /* superseded is 0 for the current version */
    const char *created_at, *created_by, *changed_at, *changed_by;
};

/* The change of one field by one version. */
struct quote_change {
    double id, version;
    const char *action; /* create replace hide restore */
    const char *changed_at, *changed_by, *field;
    const char *before, *after; /* "" if not given */
    day recorded;
};

/* Add every version of the quotes that are not hidden to offers, hardware and discounts, for the
 * days on which it was current and valid. Call once GPUs are sorted and everything else is loaded,
 * before catalog_seal(). */
void catalog_add_quotes(struct catalog *catalog);

/* True if this version was the current one on the day; true if the vendor's offer is valid on the
 * day. */
bool quote_known(const struct quote *quote, day as_of);
bool quote_valid(const struct quote *quote, day as_of);

/* The version known on the day; NULL if there is none. */
const struct quote *catalog_quote(const struct catalog *catalog, double id, day as_of);

bool quote_is_rental(const struct quote *quote);
bool quote_is_discount(const struct quote *quote);
/* True for capacity that is already paid for: a rental at a price of 0. */
bool quote_is_paid(const struct quote *quote);

/* The team's largest discount on a provider's list price of a GPU under a purchase option on a day;
 * NULL if it has none. */
const struct quote *quote_discount(const struct catalog *catalog, const char *provider,
                                   const char *gpu, const char *purchase_option, day as_of);

/* Per GPU-hour or per GPU, in the quote's own currency. */
double quote_price_per_gpu(const struct quote *quote);

enum quote_action { QUOTE_CREATE, QUOTE_REPLACE, QUOTE_HIDE };

/* A requested change. */
struct quote_order {
    enum quote_action action;
    double id;                 /* of the quote to replace or hide */
    double version;            /* expected current version, otherwise refuse; NAN for any */
    const char *who;           /* for the audit trail */
    const struct quote *quote; /* new content: kind to valid_until, attachment, note */
    const char *key;           /* idempotency key for a quote to create; NULL if none */
    const char *sent;          /* with a key: SHA-256 of the request in hexadecimal digits */
};

struct quote_written {
    double id, version;
    char changed_at[32];
    bool repeated;  /* nothing was written: an earlier order with the same key created it, */
    day valid_from; /* with this start date, */
    bool hidden;    /* and it has been deleted since */
};

/* Commits changes to the database; main.c passes the implementation in. One caller at a time. */
struct quote_writer {
    /* Returns false with *err if nothing was changed: ERR_NOT_FOUND, ERR_CONFLICT, ERR_KEY_REUSED,
     * or ERR_DATABASE, whose text says so if the outcome is unknown. May take seconds. */
    bool (*write)(void *context, const struct quote_order *order, struct quote_written *written,
                  struct err *err);
    void *context;
};

#endif
