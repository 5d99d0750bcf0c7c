#include "catalog/price_book.h"
#include "base/arena.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A kind of machine of one provider, at its best price. */
struct machine {
    struct offer offer;
    double network;     /* Gbit/s per GPU; NAN: not known */
    double cluster_max; /* GPUs; NAN: not known */
    size_t n_offers;    /* of that kind, in all regions */
};

/* From this number of GPUs on somebody can no longer be rented from, or more is: the total of the
 * jobs from there on may be less than before. */
struct step {
    double gpu_count;
    double total; /* the least of the jobs that begin here and at later steps */
};

struct price_book {
    const struct catalog *catalog;
    day as_of;
    struct price *listed;     /* as long as its offers */
    struct machine *machines; /* by provider */
    struct step *steps;       /* ascending */
    size_t n_machines, n_steps, n_without_rate;
    double network, premium;
};

struct job {
    double gpu_count, connected;
};

/* Which offers count: those of an earlier tier leave later ones out. */
enum tier { DATED, UNDATED, DATED_BEYOND, UNDATED_BEYOND, TIERS };

/* Machines of one kind and what they cost together. */
struct bill {
    const struct machine *machine;
    double total, rented;
};

struct bills {
    enum tier tier;
    size_t n, n_offers;
    struct bill at[PRICE_OFFERS_MAX]; /* of each provider the cheapest */
};

/* ---- the machines of a book */

struct gathering {
    const struct catalog *catalog;
    struct machine *at;
    size_t n, room;
};

static bool is_quote(const struct machine *machine)
{
    return machine->offer.rental->quote != NULL;
}

/* A vendor who quotes a price joins as many of its machines as are ordered. */
static void set_limits(const struct catalog *catalog, struct machine *machine)
{
    const struct instance *known = catalog_instance(catalog, machine->offer.rental);

    machine->network = known ? known->network_gbit_per_second : (double)NAN;
    machine->cluster_max = known ? known->cluster_gpu_count_max : (double)NAN;
    if (is_quote(machine))
        machine->network = machine->cluster_max = (double)INFINITY;
}

static void gather(void *context, const struct offer *offer)
{
    struct gathering *to = context;

    if (to->n == to->room) {
        to->room = to->room ? 2 * to->room : 64;
        to->at = mem_resize(to->at, to->room * sizeof(*to->at));
    }
    to->at[to->n] = (struct machine){.offer = *offer, .n_offers = 1};
    set_limits(to->catalog, &to->at[to->n++]);
}

/* Ascending, what is not known last. */
static int compare(double a, double b)
{
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

/* Quotes first, then dated offers. */
static int compare_standing(const struct machine *a, const struct machine *b)
{
    int quotes = is_quote(b) - is_quote(a);

    return quotes ? quotes : !a->offer.seen->from - !b->offer.seen->from;
}

/* Provider and kind: 0 for machines that differ in nothing but their price and place. */
static int compare_kinds(const struct machine *a, const struct machine *b)
{
    int order = strcmp(a->offer.rental->provider, b->offer.rental->provider);

    order = order ? order : compare_standing(a, b);
    order = order ? order : compare(a->offer.rental->gpu_count, b->offer.rental->gpu_count);
    order = order ? order : compare(a->network, b->network);
    return order ? order : compare(a->cluster_max, b->cluster_max);
}

static int compare_machines(const void *left, const void *right)
{
    const struct machine *a = left, *b = right;
    int order = compare_kinds(a, b);

    order = order ? order : compare(a->offer.price_per_gpu_hour, b->offer.price_per_gpu_hour);
    return order ? order : strcmp(a->offer.rental->id, b->offer.rental->id);
}

/* Whether a quote of the same provider, which stands before it, takes its place. */
static bool is_outquoted(const struct machine *before, const struct machine *machine)
{
    return is_quote(before) && !is_quote(machine) &&
           strcmp(before->offer.rental->provider, machine->offer.rental->provider) == 0;
}

/* Keep the best of each kind; sorted, it comes first. */
static size_t keep_best(struct machine *at, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++) {
        if (kept && compare_kinds(&at[kept - 1], &at[i]) == 0)
            at[kept - 1].n_offers++;
        else if (!kept || !is_outquoted(&at[kept - 1], &at[i]))
            at[kept++] = at[i];
    }
    return kept;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static bool same_provider(const struct machine *a, const struct machine *b)
{
    return strcmp(a->offer.rental->provider, b->offer.rental->provider) == 0;
}

/* Each provider's fastest, the quoted ones apart; of those the median, the lower of two. */
static double find_network(const struct price_book *book)
{
    double fastest[PRICE_OFFERS_MAX];
    const struct machine *last = NULL;
    size_t n = 0;

    for (size_t i = 0; i < book->n_machines; i++) {
        const struct machine *machine = &book->machines[i];
        if (!isfinite(machine->network))
            continue;
        if (last && same_provider(last, machine))
            fastest[n - 1] = fmax(fastest[n - 1], machine->network);
        else if (n < PRICE_OFFERS_MAX)
            fastest[n++] = machine->network;
        last = machine;
    }
    if (!n)
        return (double)NAN;
    qsort(fastest, n, sizeof(fastest[0]), compare_doubles);
    return fastest[(n - 1) / 2];
}

/* ---- bills */

/* How many machines hold the job; 0: none do. */
static double machines_for(const struct price_book *book, const struct machine *machine,
                           const struct job *job, enum tier tier)
{
    double size = machine->offer.rental->gpu_count;
    bool beyond = tier >= DATED_BEYOND;

    if (size >= job->connected)
        return ceil(ceil(job->gpu_count / job->connected) / floor(size / job->connected));
    if (isnan(machine->network) || machine->network < book->network ||
        beyond == (job->connected <= machine->cluster_max))
        return 0;
    return ceil(job->gpu_count / size);
}

static void add_bill(struct bills *bills, const struct bill *bill)
{
    struct bill *last = bills->n ? &bills->at[bills->n - 1] : NULL;

    if (last && same_provider(last->machine, bill->machine)) {
        if (bill->total < last->total)
            *last = *bill;
    } else if (bills->n < PRICE_OFFERS_MAX) {
        bills->at[bills->n++] = *bill;
    }
    bills->n_offers += bill->machine->n_offers;
}

static void find_bills(const struct price_book *book, const struct job *job, struct bills *bills)
{
    bills->n = bills->n_offers = 0;
    for (int tier = DATED; tier < TIERS && !bills->n; tier++) {
        bool undated = tier == UNDATED || tier == UNDATED_BEYOND;
        bills->tier = (enum tier)tier;
        for (size_t i = 0; i < book->n_machines; i++) {
            const struct machine *machine = &book->machines[i];
            double n = machines_for(book, machine, job, (enum tier)tier);
            double rented = n * machine->offer.rental->gpu_count;
            if (n > 0 && !machine->offer.seen->from == undated)
                add_bill(bills, &(struct bill){machine, rented * machine->offer.price_per_gpu_hour,
                                               rented});
        }
    }
}

static int compare_bills(const void *a, const void *b)
{
    return compare(((const struct bill *)a)->total, ((const struct bill *)b)->total);
}

/* The median of the sorted bills, with what a cluster of unknown size costs more. */
static double total_of(const struct price_book *book, const struct bills *bills)
{
    double middle = (bills->at[(bills->n - 1) / 2].total + bills->at[bills->n / 2].total) / 2;

    return bills->tier >= DATED_BEYOND ? middle * (1 + book->premium) : middle;
}

/* NAN where nobody can be rented from. */
static double match_total(const struct price_book *book, const struct job *job, struct bills *bills)
{
    find_bills(book, job, bills);
    if (!bills->n)
        return (double)NAN;
    qsort(bills->at, bills->n, sizeof(bills->at[0]), compare_bills);
    return total_of(book, bills);
}

/* ---- steps */

static size_t find_steps(const struct price_book *book, double *counts)
{
    size_t n = 0, kept = 0;

    for (size_t i = 0; i < book->n_machines; i++) {
        const struct machine *machine = &book->machines[i];
        counts[n++] = machine->offer.rental->gpu_count + 1;
        if (isfinite(machine->cluster_max))
            counts[n++] = machine->cluster_max + 1;
    }
    qsort(counts, n, sizeof(*counts), compare_doubles);
    for (size_t i = 0; i < n; i++)
        if (!kept || counts[i] > counts[kept - 1])
            counts[kept++] = counts[i];
    return kept;
}

/* Between two steps who can be rented from stays, and so each bill can only grow. */
static void add_steps(struct price_book *book, struct arena *arena)
{
    double *counts = arena_alloc(arena, (2 * book->n_machines + 1) * sizeof(*counts));
    double least = (double)INFINITY;
    struct bills bills;

    book->n_steps = book->n_machines ? find_steps(book, counts) : 0;
    book->steps = arena_alloc(arena, (book->n_steps + 1) * sizeof(*book->steps));
    for (size_t i = book->n_steps; i-- > 0;) {
        struct job job = {counts[i], counts[i]};
        least = fmin(least, match_total(book, &job, &bills)); /* of NAN the other */
        book->steps[i] = (struct step){counts[i], least};
    }
}

static struct price *keep_listed(const struct price *price, struct arena *arena)
{
    size_t size = offsetof(struct price, offers) + price->n_offers * sizeof(price->offers[0]);

    return memcpy(arena_room(arena, size), price, size);
}

static struct price_book *make_book(const struct catalog *catalog, const struct price_query *query,
                                    struct arena *arena)
{
    struct price_book *book = arena_alloc(arena, sizeof(*book));
    struct gathering gathering = {.catalog = catalog};

    book->catalog = catalog;
    book->as_of = query->as_of;
    book->premium = fmax(0, catalog_default(catalog, "cluster_premium", ""));
    book->n_without_rate = price_each_offer(catalog, query, gather, &gathering);
    if (gathering.n)
        qsort(gathering.at, gathering.n, sizeof(*gathering.at), compare_machines);
    book->n_machines = keep_best(gathering.at, gathering.n);
    book->machines = arena_alloc(arena, (book->n_machines + 1) * sizeof(*book->machines));
    if (book->n_machines)
        memcpy(book->machines, gathering.at, book->n_machines * sizeof(*book->machines));
    free(gathering.at);
    book->network = find_network(book);
    add_steps(book, arena);
    return book;
}

double price_book_network(const struct price_book *book)
{
    return book->network;
}

/* ---- matching */

/* The job itself, or a larger one that costs less and leaves GPUs idle. */
static struct job cheapest_job(const struct price_book *book, struct job job, double total)
{
    size_t i = 0;

    if (job.connected < job.gpu_count)
        return job;
    while (i < book->n_steps && book->steps[i].gpu_count <= job.gpu_count)
        i++;
    if (i == book->n_steps || !(book->steps[i].total < total))
        return job;
    while (i + 1 < book->n_steps && book->steps[i + 1].total <= book->steps[i].total)
        i++;
    return (struct job){book->steps[i].gpu_count, book->steps[i].gpu_count};
}

static enum price_basis basis_of(const struct bills *bills, const struct job *job)
{
    const struct bill *middle = &bills->at[bills->n / 2];
    double size = middle->machine->offer.rental->gpu_count;

    if (is_quote(middle->machine))
        return PRICE_QUOTE;
    if (bills->tier == UNDATED || bills->tier == UNDATED_BEYOND)
        return PRICE_UNDATED_LIST;
    if (bills->tier == DATED_BEYOND)
        return PRICE_CLUSTER_PREMIUM;
    return size < job->connected ? PRICE_CLUSTER
           : size > 1            ? PRICE_WHOLE_INSTANCES
                                 : PRICE_SINGLE_GPU;
}

/* Whether any of them is known to rent that many together. */
static bool is_offered(const struct bills *bills)
{
    for (size_t i = 0; i < bills->n; i++) {
        const struct bill *bill = &bills->at[i];
        if (bill->rented <= bill->machine->offer.rental->gpu_count ||
            bill->rented <= bill->machine->cluster_max)
            return true;
    }
    return false;
}

static void fill(const struct price_book *book, const struct bills *bills, double gpu_count,
                 struct price *price)
{
    double factor = bills->tier >= DATED_BEYOND ? 1 + book->premium : 1;
    size_t n = bills->n;

    price->low = bills->at[0].total * factor / gpu_count;
    price->high = bills->at[n - 1].total * factor / gpu_count;
    price->gpu_count = gpu_count;
    price->premium = factor - 1;
    price->n_matching = bills->n_offers;
    price->n_offers = n;
    price->rented_gpu_count = bills->at[n / 2].rented;
    price->offered = is_offered(bills);
    for (size_t i = 0; i < n; i++) {
        price->offers[i] = bills->at[i].machine->offer;
        price->offers[i].rented_gpu_count = bills->at[i].rented;
        price->n_stale += price_offer_is_stale(book->catalog, &price->offers[i], book->as_of);
    }
}

struct price price_match(const struct price_book *book, double gpu_count, double connected)
{
    struct price price = {.n_without_rate = book ? book->n_without_rate : 0};
    struct job job = {gpu_count, fmin(fmax(connected, 1), gpu_count)};
    struct bills bills;

    price.per_gpu_hour = price.low = price.high = price.rented_gpu_count = (double)NAN;
    if (!book)
        return price;
    double total = match_total(book, &job, &bills);
    struct job rented = cheapest_job(book, job, isnan(total) ? (double)INFINITY : total);
    if (rented.gpu_count > job.gpu_count)
        total = match_total(book, &rented, &bills);
    if (isnan(total))
        return price;
    price.per_gpu_hour = total / gpu_count;
    price.basis = basis_of(&bills, &rented);
    fill(book, &bills, gpu_count, &price);
    return price;
}

/* ---- what is kept */

enum { OPTIONS_KEPT = 2 }; /* the first of purchase_options */

struct books_kept {
    day as_of;
    const struct price_book *at[][OPTIONS_KEPT]; /* of each GPU and option */
};

static const char books_key; /* of which the address is the key */

void price_books_memoize(struct catalog *catalog, day as_of)
{
    struct books_kept *kept =
        arena_alloc(&catalog->arena, sizeof(*kept) + catalog->n_gpus * sizeof(kept->at[0]));

    kept->as_of = as_of;
    for (size_t i = 0; i < catalog->n_gpus; i++)
        for (size_t option = 0; option < OPTIONS_KEPT; option++) {
            struct price_query query = {.gpu = &catalog->gpus[i],
                                        .purchase_option = purchase_options[option],
                                        .as_of = as_of};
            struct price_book *book = make_book(catalog, &query, &catalog->arena);
            struct price listed = price_listed(catalog, &query);
            book->listed = keep_listed(&listed, &catalog->arena);
            kept->at[i][option] = book;
        }
    catalog_memo_put(catalog, &books_key, kept);
}

static bool is_open(const char *filter)
{
    return !filter || !filter[0];
}

/* NULL where it is not one of those kept, nor the GPU one of the catalogue's own. */
static const struct price_book *find_kept(const struct catalog *catalog,
                                          const struct price_query *query)
{
    const struct books_kept *kept = catalog_memo_get(catalog, &books_key);
    const char *name = query->purchase_option;
    size_t option = 0;

    if (!kept || kept->as_of != query->as_of || !name || query->gpu < catalog->gpus ||
        query->gpu >= catalog->gpus + catalog->n_gpus || !is_open(query->provider) ||
        !is_open(query->region))
        return NULL;
    while (option < OPTIONS_KEPT && strcmp(purchase_options[option], name) != 0)
        option++;
    return option < OPTIONS_KEPT ? kept->at[query->gpu - catalog->gpus][option] : NULL;
}

const struct price_book *price_book(const struct catalog *catalog, const struct price_query *query,
                                    struct arena *arena)
{
    const struct price_book *kept = find_kept(catalog, query);

    return kept ? kept : make_book(catalog, query, arena);
}

static struct price listed(const struct catalog *catalog, const struct price_query *query)
{
    const struct price_book *kept = find_kept(catalog, query);
    struct price price;

    if (!kept)
        return price_listed(catalog, query);
    memcpy(&price, kept->listed,
           offsetof(struct price, offers) + kept->listed->n_offers * sizeof(price.offers[0]));
    return price;
}

struct price catalog_price(const struct catalog *catalog, const struct price_query *query)
{
    struct arena arena = {0};

    if (!(query->gpu_count > 0))
        return listed(catalog, query);
    struct price price = price_match(price_book(catalog, query, &arena), query->gpu_count,
                                     query->connected_gpu_count);
    arena_free(&arena);
    return price;
}
