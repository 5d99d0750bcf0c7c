/* price_book.h - matching a job to offers: per provider the cheapest bill for whole machines that
 * hold the job, joined by a network where one machine does not; then the median over providers.
 *
 * GPUs that must reach one another (a training; a replica of a service) share a machine, or
 * machines whose network is known and as fast as that of the book. A provider who is not known to
 * rent as many as one cluster is paid a premium. Left out are those whose machines all have at
 * least twice the job's GPUs, if two providers remain, and those whose prices all are over a year
 * old, if three remain. A longer commitment never costs more than a shorter one. A larger job never
 * costs less: where it would, the smaller one is had as the larger.
 */
#ifndef CATALOG_PRICE_BOOK_H
#define CATALOG_PRICE_BOOK_H

#include "catalog/price.h"

/* The offers of a query, ready to be matched to jobs of any size; its own job is not read. */
struct price_book;

const struct price_book *price_book_make(const struct catalog *catalog,
                                         const struct price_query *query, struct arena *arena);

/* The arena's, or the catalogue's where it was kept. */
const struct price_book *price_book(const struct catalog *catalog, const struct price_query *query,
                                    struct arena *arena);

/* What `gpu_count` GPUs cost, nothing known without a book, of which `connected` must reach one
 * another. */
struct price price_match(const struct price_book *book, double gpu_count, double connected);

/* The figures of a match. */
struct price_match_summary {
    double per_gpu_hour;           /* NAN if there is none */
    size_t n_providers, n_derived; /* in the median; of those at a derived reserved price */
    bool offered, quoted;          /* see struct price; the team's own quote is in the middle */
};
struct price_match_summary price_match_summary(const struct price_book *book, double gpu_count,
                                               double connected);

/* The price alone; NAN where there is none. */
double price_match_per_gpu_hour(const struct price_book *book, double gpu_count, double connected);

/* What is billed of a job of those GPU-hours, all its GPUs connected, beyond them: up to what each
 * provider rounds hours to, and to the end of a reservation's term. 0 where that is unknown. */
double price_match_unused(const struct price_book *book, double gpu_count, double gpu_hours);
/* The same in GPU-hours at the price of the match, whatever is paid for them. Without an offer what
 * is left of the term. */
double price_match_unused_hours(const struct price_book *book, double gpu_count, double gpu_hours);

/* Gbit/s per GPU and direction between the machines that jobs are matched to where they need
 * several: the median over providers, the lower of two; NAN where no network is known. */
double price_book_network(const struct price_book *book);

/* The price of the query's job, or listed without one. */
struct price catalog_price(const struct catalog *catalog, const struct price_query *query);

/* Keep, before the catalogue is published, the books of that day for what most ask: each GPU on
 * demand and on the spot market, wherever and from whomever. */
void price_books_memoize(struct catalog *catalog, day as_of);

#endif
