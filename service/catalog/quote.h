/* quote.h - a team's own vendor quotes: what they say, who changed what when, how they become
 * offers and purchase prices, and how one is written. */
#ifndef CATALOG_QUOTE_H
#define CATALOG_QUOTE_H

#include "base/err.h"
#include "catalog/catalog.h"

/* One version of a quote: the last one on the days from `recorded` until before `superseded`. */
struct quote {
    double id, version;
    const char *kind;            /* rental, hardware */
    const char *provider, *gpu;  /* gpu: a slug, which the catalogue may no longer have */
    const char *purchase_option; /* same as in an offer; "" for hardware */
    const char *region;          /* "": every region */
    double gpu_count;            /* in the node or server quoted */
    double price;                /* in currency per price_unit */
    const char *price_unit;      /* per_gpu_hour per_node_hour per_card per_server */
    const char *currency;
    day valid_from, valid_until; /* both days hold; until 0: open */
    day valid_before;            /* the day after valid_until, 0: open */
    const char *attachment, *note;
    bool hidden;
    day recorded, superseded; /* superseded 0: the current version */
    const char *created_at, *created_by, *changed_at, *changed_by;
};

/* What one version changed in one field. */
struct quote_change {
    double id, version;
    const char *action; /* create replace hide restore */
    const char *changed_at, *changed_by, *field;
    const char *before, *after; /* "" where it was not given */
    day recorded;
};

/* Add each version of the quotes that are not hidden to offers and hardware, for the days on which
 * it was the last word and held. Once GPUs are sorted and everything else is loaded, before
 * catalog_seal(). */
void catalog_add_quotes(struct catalog *catalog);

/* Whether it is the version that a day's answers know of; whether the vendor stands by it then. */
bool quote_known(const struct quote *quote, day as_of);
bool quote_valid(const struct quote *quote, day as_of);

/* The last version known on the day, NULL where there is none. */
const struct quote *catalog_quote(const struct catalog *catalog, double id, day as_of);

bool quote_is_rental(const struct quote *quote);
/* Per GPU-hour or per GPU, in its own currency. */
double quote_price_per_gpu(const struct quote *quote);

enum quote_action { QUOTE_CREATE, QUOTE_REPLACE, QUOTE_HIDE };

/* A change somebody wants made. */
struct quote_order {
    enum quote_action action;
    double id;                 /* of what is to be replaced or hidden */
    double version;            /* refuse where another one is current; NAN: whichever */
    const char *who;           /* for the audit trail */
    const struct quote *quote; /* what it is to say: kind to valid_until, attachment, note */
    const char *key;           /* of a quote to create, once however often it is sent; NULL: none */
    const char *sent;          /* with a key: SHA-256 of what was sent, in hexadecimal digits */
};

struct quote_written {
    double id, version;
    char changed_at[32];
    bool repeated;  /* nothing was written: it was made by an earlier order with the same key, */
    day valid_from; /* and said so then */
    bool hidden;    /* and was deleted since */
};

/* Commits changes to the database; main.c passes the implementation in. One caller at a time. */
struct quote_writer {
    /* False with *err where nothing was changed: ERR_NOT_FOUND, ERR_CONFLICT, ERR_KEY_REUSED, or
     * ERR_DATABASE, which says so where it is not known. May take seconds. */
    bool (*write)(void *context, const struct quote_order *order, struct quote_written *written,
                  struct err *err);
    void *context;
};

#endif
