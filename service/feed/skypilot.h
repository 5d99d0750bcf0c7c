/* skypilot.h - the two halves of the SkyPilot reader: what a row says, and the offers made from all
 * rows of a file, with hosts and accelerators joined and zones with the same price merged. */
#ifndef FEED_SKYPILOT_H
#define FEED_SKYPILOT_H

#include "feed/formats.h"

/* A row of the file kept until all rows are read. */
struct skypilot_line {
    size_t number;
    const char *text;
    size_t length;
    enum feed_fate fate;
    const char *why; /* why it is refused */
};

/* An offer of one row in one zone. */
struct skypilot_offer {
    size_t line;          /* index into lines */
    const char *provider; /* NULL: the file's provider */
    const char *instance, *region, *zone, *gpu, *note;
    const char *accelerator;   /* the feed's name if the host is still to be found, else NULL */
    double count, price, spot; /* NAN if not offered */
};

/* A machine without accelerators, to which rows of accelerators are attached. */
struct skypilot_host {
    const char *instance, *zone;
    size_t line;
    double price, spot;
};

struct skypilot {
    struct skypilot_line *lines;
    struct skypilot_offer *offers;
    struct skypilot_host *hosts;
    size_t n_lines, n_offers, n_hosts;
    size_t room_lines, room_offers, room_hosts;
};

void skypilot_add_offer(struct skypilot *state, const struct skypilot_offer *offer);

/* True if accelerators in rows of their own are attached to this machine type. */
bool skypilot_is_host(const char *instance);

/* Attach each accelerator without a machine to its hosts in that zone; refuses the line of one
 * without a host. */
void skypilot_attach(struct skypilot *state, struct arena *arena);

/* Convert everything to offers and settle every line; frees the state. */
void skypilot_finish(struct feed_reader *reader);

#endif
