#include "catalog/price_book.h"
#include "base/arena.h"
#include "base/sort.h"
#include "catalog/price_machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double RENTED_RATIO_MAX = 2; /* larger machines, by the job's GPUs, are too large */
/* Providers that must remain when others are excluded for old prices or machines too large. */
enum { PROVIDERS_MIN = 3, PROVIDERS_FITTING_MIN = 2 };

/* Jobs of up to `upto` connected GPUs are priced by offers of that age, or fresher ones. */
struct step {
    double upto;
    enum price_age age;
    bool falls; /* one GPU more than `upto` may cost less */
};

struct price_book {
    const struct catalog *catalog;
    day as_of;
    struct price_machines of;
    const struct price_book *shorter; /* the next shorter commitment's; NULL if there is none */
    struct step *steps;               /* ascending */
    double *sizes;                    /* sizes of its machines, descending */
    size_t n_steps, n_sizes;
    double network, premium;
    double term_hours; /* of a reservation; 0 if paid by the hour or the day */
};

struct job {
    double gpu_count, connected;
};

/* The cost of a provider's machines for a job. */
struct bill {
    const struct price_machine *machine;
    double total, rented;
    bool premium;    /* for a cluster larger than it is known to rent out */
    size_t n_offers; /* offers that hold the job */
};

/* The cheapest bill of each provider for a job, sorted by total. */
struct bills {
    const struct price_book *book; /* where they come from: a longer term never costs more */
    struct job job; /* the job they are for: the requested one, or a larger one that costs less */
    enum price_age age;
    size_t n;
    double total; /* their median */
    struct bill at[PRICE_OFFERS_MAX];
};

/* ---- bills */

/* GPUs in the fewest machines that each hold whole connected groups of the job. */
static double rented_for_parts(const struct job *job, double size)
{
    return size * ceil(ceil(job->gpu_count / job->connected) / floor(size / job->connected));
}

/* The largest job that a kind of machine holds: all there are if its network is at least as fast as
 * the book's (unknown is slower), else one machine. */
static double reach_of(const struct price_book *book, const struct price_machine *machine)
{
    return isnan(machine->network) || machine->network < book->network ? machine->size
                                                                       : machine->paid_max;
}

/* The fraction of the offers' prices that is paid. */
static double paid_ratio(const struct price_book *book, const struct bill *bill)
{
    return bill->machine->price_ratio * (bill->premium ? 1 + book->premium : 1);
}

/* The cost of the job on one kind of machine; false if the job does not fit. */
static bool find_bill(const struct price_book *book, const struct price_machine *machine,
                      const struct job *job, struct bill *bill)
{
    double size = machine->size;
    bool within = job->connected <= size;

    if (job->connected <= machine->job_above || job->connected > reach_of(book, machine) ||
        job->gpu_count > machine->paid_max)
        return false;
    *bill = (struct bill){.machine = machine, .n_offers = machine->n_offers};
    bill->rented = within ? rented_for_parts(job, size) : size * ceil(job->gpu_count / size);
    bill->premium = !within && !(job->connected <= machine->cluster_max);
    bill->total = bill->rented * machine->offer.price_per_gpu_hour * paid_ratio(book, bill);
    return true;
}

/* A provider's old price is not used for machines that it also has a new price for. */
static bool is_better(const struct bill *bill, const struct bill *than)
{
    return bill->machine->age <= than->machine->age && bill->total < than->total;
}

static void add_bill(struct bills *bills, const struct bill *bill)
{
    struct bill *last = bills->n ? &bills->at[bills->n - 1] : NULL;

    if (last && price_machine_same_provider(last->machine, bill->machine)) {
        size_t n_offers = last->n_offers + bill->n_offers;
        if (is_better(bill, last))
            *last = *bill;
        last->n_offers = n_offers;
    } else if (bills->n < PRICE_OFFERS_MAX) {
        bills->at[bills->n++] = *bill;
    }
}

static int compare_bills(const void *a, const void *b)
{
    return sort_compare_doubles(&((const struct bill *)a)->total, &((const struct bill *)b)->total);
}

static bool counts(const struct price_machine *machine, enum price_age age)
{
    return age == PRICE_OLD ? machine->age != PRICE_UNDATED : machine->age == age;
}

/* Bills on machines with offers of that age and at most `size_max` GPUs. */
static void find_bills(const struct price_book *book, const struct job *job, enum price_age age,
                       double size_max, struct bills *bills)
{
    struct bill bill;

    *bills = (struct bills){.book = book, .job = *job, .age = age, .total = (double)NAN};
    for (size_t i = 0; i < book->of.n; i++)
        if (counts(&book->of.at[i], age) && book->of.at[i].size <= size_max &&
            find_bill(book, &book->of.at[i], job, &bill))
            add_bill(bills, &bill);
    if (!bills->n)
        return;
    sort_items(bills->at, bills->n, sizeof(bills->at[0]), compare_bills);
    if (bills->at[0].total == 0) /* already paid for: the job runs there */
        bills->n = 1;
    bills->total = (bills->at[(bills->n - 1) / 2].total + bills->at[bills->n / 2].total) / 2;
}

/* Exclude providers whose machines are all too large for the job, if enough others remain (returned
 * for the tightest limit) and cost no more. Every limit is tried: as a job grows, fewer apply and
 * the median of each can only grow, so the smallest of them does too. */
static bool keep_fitting(const struct price_book *book, const struct job *job, enum price_age age,
                         struct bills *bills)
{
    bool enough = true;
    struct bills fewer;

    for (size_t i = 0; i < book->n_sizes; i++) {
        double too_large = book->sizes[i];
        if (too_large < RENTED_RATIO_MAX * job->gpu_count)
            break;
        find_bills(book, job, age, nextafter(too_large, 0), &fewer);
        enough = fewer.n >= PROVIDERS_FITTING_MIN;
        if (enough && fewer.total <= bills->total)
            *bills = fewer;
    }
    return enough;
}

/* Old prices of machines that fit are preferred to new prices of machines that are too large. */
static void find_fitting(const struct price_book *book, const struct job *job, enum price_age age,
                         struct bills *bills)
{
    find_bills(book, job, age, (double)INFINITY, bills);
    if (!keep_fitting(book, job, age, bills) && age == PRICE_FRESH)
        keep_fitting(book, job, PRICE_OLD, bills);
}

/* The bills of the job itself, and the step that it is on. */
static size_t match_step(const struct price_book *book, const struct job *job, struct bills *bills)
{
    size_t i = 0;

    *bills = (struct bills){.total = (double)NAN};
    while (i < book->n_steps && job->connected > book->steps[i].upto)
        i++;
    if (i < book->n_steps)
        find_fitting(book, job, book->steps[i].age, bills);
    return i;
}

/* Bills at the book's own job sizes; a job may also have more GPUs connected, or be larger. */
static void match_own(const struct price_book *book, const struct job *asked, struct bills *bills)
{
    struct job job = *asked;
    struct bills larger;
    size_t i = match_step(book, &job, bills);

    for (; i + 1 < book->n_steps && (job.gpu_count > book->steps[i].upto || book->steps[i].falls);
         i++) {
        if (job.gpu_count > book->steps[i].upto)
            job.connected = fmin(job.gpu_count, book->steps[i + 1].upto);
        else
            job.connected = job.gpu_count = book->steps[i].upto + 1;
        find_fitting(book, &job, book->steps[i + 1].age, &larger);
        if (larger.total < bills->total)
            *bills = larger;
    }
}

static bool match(const struct price_book *book, const struct job *job, struct bills *bills)
{
    struct bills shorter;

    match_own(book, job, bills);
    for (book = book->shorter; book; book = book->shorter) {
        match_own(book, job, &shorter);
        if (shorter.n && !(bills->total <= shorter.total))
            *bills = shorter;
    }
    return bills->n > 0;
}

/* ---- steps */

static int compare_steps(const void *a, const void *b)
{
    return sort_compare_doubles(&((const struct step *)a)->upto, &((const struct step *)b)->upto);
}

/* The largest job that enough providers hold with fresh offers. */
static double fresh_reach(const struct price_book *book)
{
    double reach[PRICE_OFFERS_MAX];
    const struct price_machine *last = NULL;
    size_t n = 0;

    for (size_t i = 0; i < book->of.n; i++) {
        const struct price_machine *machine = &book->of.at[i];
        if (machine->age != PRICE_FRESH)
            continue;
        if (last && price_machine_same_provider(last, machine))
            reach[n - 1] = fmax(reach[n - 1], reach_of(book, machine));
        else if (n < PRICE_OFFERS_MAX)
            reach[n++] = reach_of(book, machine);
        last = machine;
    }
    if (n < PROVIDERS_MIN)
        return 0;
    sort_items(reach, n, sizeof(reach[0]), sort_compare_doubles);
    return reach[n - PROVIDERS_MIN];
}

/* The job sizes at which a machine becomes too small; undated offers count beyond dated ones. */
static void find_steps(struct price_book *book)
{
    double fresh = fresh_reach(book), dated = 0;
    size_t n = 0;

    for (int undated = 0; undated < 2; undated++)
        for (size_t i = 0; i < book->of.n; i++) {
            double reach = reach_of(book, &book->of.at[i]);
            if ((book->of.at[i].age == PRICE_UNDATED) != undated || (undated && reach <= dated))
                continue;
            book->steps[n++] = (struct step){reach,
                                             undated          ? PRICE_UNDATED
                                             : reach <= fresh ? PRICE_FRESH
                                                              : PRICE_OLD,
                                             false};
            dated = undated ? dated : fmax(dated, reach);
        }
    sort_items(book->steps, n, sizeof(*book->steps), compare_steps);
    for (size_t i = 0; i < n; i++)
        if (!book->n_steps || book->steps[i].upto > book->steps[book->n_steps - 1].upto)
            book->steps[book->n_steps++] = book->steps[i];
}

static double total_of(const struct price_book *book, double gpu_count)
{
    struct job job = {gpu_count, gpu_count};
    struct bills bills;

    match_own(book, &job, &bills);
    return bills.total;
}

/* Between two steps the providers stay the same, so the price can only grow. If it would fall at a
 * step, smaller jobs are priced like the first job after it. */
static void add_steps(struct price_book *book, struct arena *arena)
{
    book->steps = arena_alloc(arena, (book->of.n + 1) * sizeof(*book->steps));
    find_steps(book);
    for (size_t i = book->n_steps; i-- > 1;)
        book->steps[i - 1].falls =
            total_of(book, book->steps[i - 1].upto) > total_of(book, book->steps[i - 1].upto + 1);
}

static void add_sizes(struct price_book *book, struct arena *arena)
{
    double *sizes = arena_alloc(arena, (book->of.n + 1) * sizeof(*sizes));

    for (size_t i = 0; i < book->of.n; i++) {
        size_t at = 0;
        while (at < book->n_sizes && sizes[at] > book->of.at[i].size)
            at++;
        if (at < book->n_sizes && sizes[at] == book->of.at[i].size)
            continue;
        memmove(&sizes[at + 1], &sizes[at], (book->n_sizes++ - at) * sizeof(*sizes));
        sizes[at] = book->of.at[i].size;
    }
    book->sizes = sizes;
}

static struct price_book *make_own(const struct catalog *catalog, const struct price_query *query,
                                   const struct price_book *shorter, struct arena *arena)
{
    struct price_book *book = arena_alloc(arena, sizeof(*book));

    book->catalog = catalog;
    book->as_of = query->as_of;
    book->shorter = shorter;
    book->premium = fmax(0, catalog_default(catalog, "cluster_premium", ""));
    book->of = price_machines_of(catalog, query, arena);
    book->term_hours = price_term_length(query->purchase_option);
    book->network = price_machines_network(&book->of);
    add_sizes(book, arena);
    add_steps(book, arena);
    return book;
}

const struct price_book *price_book_make(const struct catalog *catalog,
                                         const struct price_query *query, struct arena *arena)
{
    static const char *const longer[] = {"on_demand", "reserved_1yr", "reserved_3yr"};
    size_t term = 0, terms = sizeof(longer) / sizeof(longer[0]);
    struct price_query shorter = *query;
    struct price_book *book = NULL;

    while (term < terms && query->purchase_option &&
           strcmp(query->purchase_option, longer[term]) != 0)
        term++;
    if (term == terms || !query->purchase_option)
        return make_own(catalog, query, NULL, arena);
    for (size_t i = 0; i <= term; i++) {
        shorter.purchase_option = longer[i];
        book = make_own(catalog, &shorter, book, arena);
    }
    return book;
}

const struct price_book *price_book_shorter(const struct price_book *book)
{
    return book->shorter;
}

double price_book_network(const struct price_book *book)
{
    return book->network;
}

static enum price_basis basis_of(const struct bill *middle, const struct job *job)
{
    if (price_machine_is_quoted(middle->machine) && !middle->machine->derived)
        return PRICE_QUOTE;
    if (middle->machine->age == PRICE_UNDATED)
        return PRICE_UNDATED_LIST;
    if (middle->premium)
        return PRICE_CLUSTER_PREMIUM;
    if (middle->machine->size < job->connected)
        return PRICE_CLUSTER;
    return middle->machine->size > 1 ? PRICE_WHOLE_INSTANCES : PRICE_SINGLE_GPU;
}

/* True if a provider known to rent out that many together asks no more than the price, and those
 * that ask about as much are taken to have as many free at once. */
static bool is_offered(const struct bills *bills)
{
    bool together = false;
    double fleet = 0;

    for (const struct bill *bill = bills->at; bill < bills->at + bills->n; bill++) {
        together |= !bill->premium && bill->total <= bills->total;
        if (!bill->premium && bill->total <= (1 + PRICE_NEAR) * bills->total)
            fleet += bill->machine->fleet_max;
    }
    return together && !(bills->job.gpu_count > fleet);
}

/* The bills that confirm the price: those of the job itself where one provider's for a larger job
 * are the price, but several ask about as much. */
static struct bills confirming(const struct job *job, const struct bills *bills)
{
    struct bills own = *bills;

    if (bills->n == 1)
        (void)match_step(bills->book, job, &own);
    return own.n > 1 && own.total <= (1 + PRICE_NEAR) * bills->total ? own : *bills;
}

/* Number of providers with offers of that age that hold the job, on machines of any size. */
static size_t count_providers(const struct bills *bills, enum price_age age)
{
    struct bills all;

    find_bills(bills->book, &bills->job, age, (double)INFINITY, &all);
    return all.n;
}

static void fill(const struct price_book *book, const struct bills *bills, const struct job *job,
                 struct price *price)
{
    const struct bill *middle = &bills->at[bills->n / 2];
    struct bills confirmed = confirming(job, bills);
    size_t n = bills->n;

    price->per_gpu_hour = bills->total / job->gpu_count;
    price->low = bills->at[0].total / job->gpu_count;
    price->high = bills->at[n - 1].total / job->gpu_count;
    price->basis = basis_of(middle, &bills->job);
    price->rented_gpu_count = middle->rented;
    price->offered = is_offered(&confirmed);
    price->n_offers = n;
    price->n_too_large = count_providers(bills, bills->age) - n;
    if (bills->age == PRICE_FRESH)
        price->n_old = count_providers(bills, PRICE_OLD) - n - price->n_too_large;
    for (size_t i = 0; i < n; i++) {
        struct offer *offer = &price->offers[i];
        *offer = bills->at[i].machine->offer;
        offer->rented_gpu_count = bills->at[i].rented;
        offer->cluster_premium = bills->at[i].premium ? book->premium : 0;
        offer->term_hours =
            price_machine_term_hours(&book->of, bills->at[i].machine, bills->job.connected);
        offer->job_price_ratio =
            bills->at[i].rented / job->gpu_count * paid_ratio(book, &bills->at[i]);
        price->n_matching += bills->at[i].n_offers;
        price->n_derived += bills->at[i].machine->derived;
        price->n_stale += price_offer_is_stale(book->catalog, offer, book->as_of);
    }
    price->term_hours = price_usual_term(price);
    price_set_band(book->catalog, book->of.of_named, price);
}

static struct job job_of(double gpu_count, double connected)
{
    return (struct job){gpu_count, fmin(fmax(connected, 1), gpu_count)};
}

struct price price_match(const struct price_book *book, double gpu_count, double connected)
{
    struct price price = price_unknown(book ? book->of.n_without_rate : 0);
    struct job job = job_of(gpu_count, connected);
    struct bills bills;

    if (book && match(book, &job, &bills))
        fill(book, &bills, &job, &price);
    return price;
}

struct price_summary price_match_summary(const struct price_book *book, double gpu_count,
                                         double connected)
{
    struct price_summary summary = {(double)NAN, .rented_gpu_count = (double)NAN};
    struct job job = job_of(gpu_count, connected);
    struct bills bills;

    if (!book || !match(book, &job, &bills))
        return summary;
    struct bills confirmed = confirming(&job, &bills);
    summary.per_gpu_hour = bills.total / gpu_count;
    summary.rented_gpu_count = bills.at[bills.n / 2].rented;
    summary.offered = is_offered(&confirmed);
    summary.named = book->of.of_named != NULL;
    summary.quoted = basis_of(&bills.at[bills.n / 2], &bills.job) == PRICE_QUOTE;
    summary.n_providers = confirmed.n;
    for (size_t i = 0; i < confirmed.n; i++) {
        summary.n_derived += confirmed.at[i].machine->derived;
        summary.n_old += confirmed.at[i].machine->age != PRICE_FRESH;
        summary.of_maker |= confirmed.at[i].machine->of_maker;
    }
    return summary;
}

double price_match_unused_hours(const struct price_book *book, double gpu_count, double gpu_hours,
                                bool own_price)
{
    double hours = gpu_hours / gpu_count;

    if (!book || !isfinite(hours))
        return 0;
    struct price price = price_match(book, gpu_count, gpu_count);
    if (!price.n_offers)
        return gpu_count * (price_term_hours(hours, book->term_hours) - hours);
    return price_unused(book->catalog, &price, gpu_count, hours, book->term_hours, own_price) /
           price.per_gpu_hour;
}

bool price_match_bills(const struct price_book *book, double gpu_count, double gpu_hours,
                       double *least, double *most)
{
    struct price price = price_match(book, gpu_count, gpu_count);

    return book &&
           price_bills(book->catalog, &price, gpu_count, gpu_hours / gpu_count, least, most);
}
