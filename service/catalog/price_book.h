/* price_book.h - matches a job to offers: each provider's cheapest bill for whole machines that
 * hold the job, networked if one machine does not hold it; then the median over providers.
 *
 * GPUs that must be connected (a training job; one replica of a service) share a machine, or
 * networked machines at least as fast as the book's network. A provider not known to rent out
 * clusters of that size gets a premium. Excluded are providers whose machines all have at least
 * twice the job's GPUs, if two providers remain, and providers whose prices are all over a year
 * old, if three remain. A longer commitment never costs more than a shorter one. A larger job never
 * costs less than a smaller one: if it would, the smaller job is priced as the larger one.
 */
#ifndef CATALOG_PRICE_BOOK_H
#define CATALOG_PRICE_BOOK_H

#include "catalog/price.h"

/* The offers of a query, ready to be matched to jobs of any size; the query's own job is
 * ignored. */
struct price_book;

const struct price_book *price_book_make(const struct catalog *catalog,
                                         const struct price_query *query, struct arena *arena);

/* Allocated in the arena, or the catalogue's memoized one. */
const struct price_book *price_book(const struct catalog *catalog, const struct price_query *query,
                                    struct arena *arena);

/* The price of `gpu_count` GPUs, of which `connected` must be connected to one another; unknown if
 * `book` is NULL. */
struct price price_match(const struct price_book *book, double gpu_count, double connected);

struct price_summary price_match_summary(const struct price_book *book, double gpu_count,
                                         double connected);

/* Only the price; NAN if there is no match. */
double price_match_per_gpu_hour(const struct price_book *book, double gpu_count, double connected);

/* What a job of these GPU-hours, all GPUs connected, pays for unused time, in GPU-hours at the
 * price of the match: hours rounded up by each provider's billing rule, to the end of a
 * reservation's term and, on demand, to the shortest rental of a cluster of that size. 0 if
 * unknown; without an offer, the unused rest of the reservation's term. A price of the caller's own
 * has the providers' rounding, but not their terms for clusters. */
double price_match_unused_hours(const struct price_book *book, double gpu_count, double gpu_hours,
                                bool own_price);

/* The cheapest and the most expensive provider's bill for these GPU-hours, all GPUs connected;
 * false if none of them has a shortest rental for the cluster, or `book` is NULL. */
bool price_match_bills(const struct price_book *book, double gpu_count, double gpu_hours,
                       double *least, double *most);

/* The book of the next shorter commitment; NULL if there is none. */
const struct price_book *price_book_shorter(const struct price_book *book);

/* Network between the machines that multi-machine jobs are matched to, in Gbit/s per GPU and
 * direction: the (lower) median over providers; NAN if none is known. */
double price_book_network(const struct price_book *book);

/* The price of the query's job, or the listed price without a job. */
struct price catalog_price(const struct catalog *catalog, const struct price_query *query);

/* Memoize, before the catalogue is published, the day's books for the most frequent queries: each
 * GPU on demand and spot, in all regions, from all providers. */
void price_books_memoize(struct catalog *catalog, day as_of);

#endif
