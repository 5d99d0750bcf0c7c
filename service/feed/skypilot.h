/* skypilot.h - the SkyPilot reader's two halves: what a row says, and what offers the rows of a
 * whole file make: hosts and accelerators joined, zones with one price brought together. */
#ifndef FEED_SKYPILOT_H
#define FEED_SKYPILOT_H

#include "feed/formats.h"

/* A row of the file that waits for the others. */
struct skypilot_line {
    size_t number;
    const char *text;
    size_t length;
    enum feed_fate fate;
    const char *why; /* it is refused */
};

/* What one row offers in one zone. */
struct skypilot_offer {
    size_t line;          /* index of it */
    const char *provider; /* NULL: the file's */
    const char *instance, *region, *zone, *gpu, *note;
    const char
        *accelerator; /* as the feed calls it, where a host is still to be found, else NULL */
    double count, price, spot; /* NAN: not offered */
};

/* A machine without accelerators, which accelerators of rows of their own are attached to. */
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

/* Whether accelerators in rows of their own are attached to such machines. */
bool skypilot_is_host(const char *instance);

/* Put every accelerator without a machine into its hosts of that zone; the line of one without is
 * refused. */
void skypilot_attach(struct skypilot *state, struct arena *arena);

/* Make offers of everything and settle every line; frees the state. */
void skypilot_finish(struct feed_reader *reader);

#endif
