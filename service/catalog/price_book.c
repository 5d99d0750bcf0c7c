#include "catalog/price_book.h"
#include "base/arena.h"
#include "base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A kind of machine of one provider, at its best price. */
struct machine {
    struct offer offer;
    double node;    /* GPUs of one machine of a cluster; those of the offer where none is known */
    double network; /* Gbit/s per GPU; NAN: not known */
    double cluster_max; /* GPUs; NAN: not known */
    size_t n_offers;    /* of that kind, in all regions */
};

/* Jobs of up to `upto` connected GPUs are priced by those who have machines for `reach`. */
struct step {
    double upto, reach;
    bool undated; /* by offers without a date */
};

struct price_book {
    const struct catalog *catalog;
    day as_of;
    struct machine *machines; /* by provider */
    struct step *steps;       /* ascending */
    size_t n_machines, n_steps, n_without_rate;
    double network, premium;
};

struct job {
    double gpu_count, connected;
};

/* What a provider's machines cost together, and the largest job that it has machines for. */
struct bill {
    const struct machine *machine;
    double total, rented, reach;
    bool premium;    /* for a cluster larger than it is known to rent */
    size_t n_offers; /* that hold the job */
};

/* The bills of a job, of each provider the cheapest, in the order of their totals. */
struct bills {
    size_t n;
    double total; /* their median */
    struct bill at[PRICE_OFFERS_MAX];
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

static bool is_undated(const struct machine *machine)
{
    return !machine->offer.seen->from;
}

/* A vendor who quotes a price joins as many of its machines as are ordered. A list price of one GPU
 * of a cluster is paid for whole boards. */
static void set_limits(const struct catalog *catalog, struct machine *machine)
{
    const struct instance *known = catalog_instance(catalog, machine->offer.rental);

    machine->node = machine->offer.rental->gpu_count;
    machine->network = known ? known->network_gbit_per_second : (double)NAN;
    machine->cluster_max = known ? known->cluster_gpu_count_max : (double)NAN;
    if (is_quote(machine))
        machine->network = machine->cluster_max = (double)INFINITY;
    else if (known && machine->offer.gpu->board_gpu_count > machine->node)
        machine->node = machine->offer.gpu->board_gpu_count;
}

/* Not what somebody says of a market: nobody rents at a median of others. */
static bool is_for_rent(const struct catalog *catalog, const struct offer *offer)
{
    const struct provider *provider = catalog_provider(catalog, offer->rental->provider);

    return !provider || strcmp(provider->kind, "aggregate") != 0;
}

static void gather(void *context, const struct offer *offer)
{
    struct gathering *to = context;

    if (!is_for_rent(to->catalog, offer))
        return;
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

    return quotes ? quotes : is_undated(a) - is_undated(b);
}

/* Provider and kind: 0 for machines that differ in nothing but their price and place. */
static int compare_kinds(const struct machine *a, const struct machine *b)
{
    int order = strcmp(a->offer.rental->provider, b->offer.rental->provider);

    order = order ? order : compare_standing(a, b);
    order = order ? order : compare(a->offer.rental->gpu_count, b->offer.rental->gpu_count);
    order = order ? order : compare(a->node, b->node);
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

/* GPUs of the fewest machines that hold whole parts of the job. */
static double rented_for_parts(const struct job *job, double size)
{
    return size * ceil(ceil(job->gpu_count / job->connected) / floor(size / job->connected));
}

/* The largest job that machines of a kind hold: any where their network is as fast as that of the
 * book, which it is not where none is known. */
static double reach_of(const struct price_book *book, const struct machine *machine)
{
    return isnan(machine->network) || machine->network < book->network ? machine->node
                                                                       : (double)INFINITY;
}

/* What the job costs on one kind of machine; false where it does not hold it. */
static bool find_bill(const struct price_book *book, const struct machine *machine,
                      const struct job *job, struct bill *bill)
{
    double size = machine->offer.rental->gpu_count;
    double reach = reach_of(book, machine);

    *bill = (struct bill){.machine = machine, .reach = reach, .n_offers = machine->n_offers};
    if (job->connected <= size)
        bill->rented = rented_for_parts(job, size);
    else if (job->connected <= machine->node)
        bill->rented = rented_for_parts(job, machine->node);
    else if (job->connected <= reach)
        bill->rented = machine->node * ceil(job->gpu_count / machine->node);
    else
        return false;
    bill->premium = job->connected > machine->node && !(job->connected <= machine->cluster_max);
    bill->total =
        bill->rented * machine->offer.price_per_gpu_hour * (bill->premium ? 1 + book->premium : 1);
    return true;
}

static void add_bill(struct bills *bills, const struct bill *bill)
{
    struct bill *last = bills->n ? &bills->at[bills->n - 1] : NULL;

    if (last && same_provider(last->machine, bill->machine)) {
        double reach = fmax(last->reach, bill->reach);
        size_t n_offers = last->n_offers + bill->n_offers;
        if (bill->total < last->total)
            *last = *bill;
        last->reach = reach;
        last->n_offers = n_offers;
    } else if (bills->n < PRICE_OFFERS_MAX) {
        bills->at[bills->n++] = *bill;
    }
}

static int compare_bills(const void *a, const void *b)
{
    return compare(((const struct bill *)a)->total, ((const struct bill *)b)->total);
}

static void keep_reaching(struct bills *bills, double reach)
{
    size_t kept = 0;

    for (size_t i = 0; i < bills->n; i++)
        if (bills->at[i].reach >= reach)
            bills->at[kept++] = bills->at[i];
    bills->n = kept;
}

static void find_bills(const struct price_book *book, const struct job *job,
                       const struct step *step, struct bills *bills)
{
    struct bill bill;

    bills->n = 0;
    for (size_t i = 0; i < book->n_machines; i++)
        if (is_undated(&book->machines[i]) == step->undated &&
            find_bill(book, &book->machines[i], job, &bill))
            add_bill(bills, &bill);
    keep_reaching(bills, step->reach);
    size_t n = bills->n;
    if (n)
        qsort(bills->at, n, sizeof(bills->at[0]), compare_bills);
    bills->total = n ? (bills->at[(n - 1) / 2].total + bills->at[n / 2].total) / 2 : (double)NAN;
}

/* False where nobody can be rented from. */
static bool match(const struct price_book *book, const struct job *job, struct bills *bills)
{
    for (size_t i = 0; i < book->n_steps; i++)
        if (job->connected <= book->steps[i].upto) {
            find_bills(book, job, &book->steps[i], bills);
            return bills->n > 0;
        }
    return false;
}

/* ---- steps */

static int compare_steps(const void *a, const void *b)
{
    return compare(((const struct step *)a)->upto, ((const struct step *)b)->upto);
}

/* Where machines of some kind become too small; those of offers without a date only beyond what
 * dated ones hold. */
static void find_steps(struct price_book *book)
{
    double dated = 0;
    size_t n = 0;

    for (int undated = 0; undated < 2; undated++)
        for (size_t i = 0; i < book->n_machines; i++) {
            double reach = reach_of(book, &book->machines[i]);
            if (is_undated(&book->machines[i]) != undated || (undated && reach <= dated))
                continue;
            book->steps[n++] = (struct step){reach, reach, undated};
            dated = undated ? dated : fmax(dated, reach);
        }
    if (n)
        qsort(book->steps, n, sizeof(*book->steps), compare_steps);
    for (size_t i = 0; i < n; i++)
        if (!book->n_steps || book->steps[i].upto > book->steps[book->n_steps - 1].upto)
            book->steps[book->n_steps++] = book->steps[i];
}

static double total_of(const struct price_book *book, double gpu_count, const struct step *step)
{
    struct job job = {gpu_count, gpu_count};
    struct bills bills;

    find_bills(book, &job, step, &bills);
    return bills.total;
}

/* Between two steps those who can be rented from stay, and so the median can only grow. Where it
 * would fall at a step, the jobs before it are priced by those who rent the ones after it. */
static void add_steps(struct price_book *book, struct arena *arena)
{
    book->steps = arena_alloc(arena, (book->n_machines + 1) * sizeof(*book->steps));
    find_steps(book);
    for (size_t i = book->n_steps; i-- > 1;) {
        struct step *before = &book->steps[i - 1], *after = &book->steps[i];
        if (total_of(book, before->upto, before) > total_of(book, before->upto + 1, after)) {
            before->reach = after->reach;
            before->undated = after->undated;
        }
    }
}

const struct price_book *price_book_make(const struct catalog *catalog,
                                         const struct price_query *query, struct arena *arena)
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

static enum price_basis basis_of(const struct bill *middle, const struct job *job)
{
    if (is_quote(middle->machine))
        return PRICE_QUOTE;
    if (is_undated(middle->machine))
        return PRICE_UNDATED_LIST;
    if (middle->premium)
        return PRICE_CLUSTER_PREMIUM;
    if (middle->machine->node < job->connected)
        return PRICE_CLUSTER;
    return fmax(job->connected, middle->machine->offer.rental->gpu_count) > 1
               ? PRICE_WHOLE_INSTANCES
               : PRICE_SINGLE_GPU;
}

/* Whether somebody who is known to rent that many together asks no more than the price. */
static bool is_offered(const struct bills *bills)
{
    for (size_t i = 0; i < bills->n; i++)
        if (!bills->at[i].premium)
            return bills->at[i].total <= bills->total;
    return false;
}

static void fill(const struct price_book *book, const struct bills *bills, const struct job *job,
                 struct price *price)
{
    const struct bill *middle = &bills->at[bills->n / 2];
    size_t n = bills->n;

    price->per_gpu_hour = bills->total / job->gpu_count;
    price->low = bills->at[0].total / job->gpu_count;
    price->high = bills->at[n - 1].total / job->gpu_count;
    price->basis = basis_of(middle, job);
    price->rented_gpu_count = middle->rented;
    price->offered = is_offered(bills);
    price->n_offers = n;
    for (size_t i = 0; i < n; i++) {
        price->offers[i] = bills->at[i].machine->offer;
        price->offers[i].rented_gpu_count = bills->at[i].rented;
        price->offers[i].job_price_ratio =
            bills->at[i].rented / job->gpu_count * (bills->at[i].premium ? 1 + book->premium : 1);
        price->n_matching += bills->at[i].n_offers;
        price->n_stale += price_offer_is_stale(book->catalog, &price->offers[i], book->as_of);
    }
}

static struct job job_of(double gpu_count, double connected)
{
    return (struct job){gpu_count, fmin(fmax(connected, 1), gpu_count)};
}

struct price price_match(const struct price_book *book, double gpu_count, double connected)
{
    struct price price = {.n_without_rate = book ? book->n_without_rate : 0};
    struct job job = job_of(gpu_count, connected);
    struct bills bills;

    price.per_gpu_hour = price.low = price.high = price.rented_gpu_count = (double)NAN;
    if (book && match(book, &job, &bills))
        fill(book, &bills, &job, &price);
    return price;
}

double price_match_per_gpu_hour(const struct price_book *book, double gpu_count, double connected)
{
    struct job job = job_of(gpu_count, connected);
    struct bills bills;

    return book && match(book, &job, &bills) ? bills.total / gpu_count : (double)NAN;
}
