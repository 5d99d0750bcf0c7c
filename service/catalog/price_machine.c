#include "catalog/price_machine.h"
#include "base/arena.h"
#include "base/mem.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/units.h"
#include "catalog/quote.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- machine types */

struct gathering {
    const struct catalog *catalog;
    const struct price_query *query; /* the job's, whose discounts apply */
    double price_ratio;              /* of the offers being gathered */
    bool derived;
    double fleet_max;  /* of providers that are not known to have more */
    double term_hours; /* of providers whose shortest reservation is not known */
    struct price_machine *at;
    size_t n, room;
};

bool price_machine_is_quoted(const struct price_machine *machine)
{
    return machine->offer.rental->quote != NULL;
}

bool price_machine_same_provider(const struct price_machine *a, const struct price_machine *b)
{
    const char *of_a = a->offer.rental->provider, *of_b = b->offer.rental->provider;

    return of_a == of_b || strcmp(of_a, of_b) == 0;
}

static bool is_paid(const struct price_machine *machine)
{
    return price_machine_is_quoted(machine) && quote_is_paid(machine->offer.rental->quote);
}

static enum price_age age_of(const struct price_machine *machine, day as_of)
{
    day from = machine->offer.seen->from;

    if (price_machine_is_quoted(machine))
        return PRICE_FRESH;
    if (!from)
        return PRICE_UNDATED;
    return text_days_between(from, as_of) > PRICE_FRESH_DAYS ? PRICE_OLD : PRICE_FRESH;
}

/* The shortest time for which the provider reserves a cluster. */
static double term_hours_of(const struct gathering *to, const char *provider)
{
    double days = catalog_default(to->catalog, "cluster_term_days", provider);

    return isnan(days) ? to->term_hours : days * HOURS_PER_DAY;
}

/* A vendor who quotes a price connects as many of its machines as are ordered, and as many as are
 * paid for if nothing is asked for them. */
static void set_limits(const struct gathering *to, const struct instance *known,
                       struct price_machine *machine)
{
    const struct provider *of = catalog_provider(to->catalog, machine->offer.rental->provider);
    bool large = of && strcmp(of->market, "hyperscaler") == 0;
    const char *vendor = machine->offer.gpu->vendor;

    machine->of_maker = of && vendor && vendor[0] && strcmp(of->gpu_vendor, vendor) == 0;
    machine->size = machine->offer.rental->gpu_count;
    machine->network = known ? known->network_gbit_per_second : (double)NAN;
    machine->cluster_max = known ? known->cluster_gpu_count_max : (double)NAN;
    if (!isnan(machine->network))
        machine->term_hours = term_hours_of(to, machine->offer.rental->provider);
    if (price_machine_is_quoted(machine))
        machine->network = machine->cluster_max = (double)INFINITY;
    machine->fleet_max = large ? (double)INFINITY : fmax(to->fleet_max, machine->cluster_max);
    if (is_paid(machine)) {
        machine->paid_max = machine->size;
        machine->size = 1;
    }
}

static void add_machine(struct gathering *to, const struct price_machine *machine)
{
    to->at = mem_grow(to->at, to->n, &to->room, sizeof(*to->at));
    to->at[to->n++] = *machine;
}

/* For a provider that rents several GPUs in one machine at the listed price of one each. */
static void add_larger(struct gathering *to, const struct price_machine *one, double most)
{
    struct price_machine machine = *one;

    machine.network = (double)NAN;
    for (machine.size = 2; machine.size <= most; machine.size *= 2)
        add_machine(to, &machine);
}

const struct quote *price_quoted_discount(const struct catalog *catalog,
                                          const struct price_query *query,
                                          const struct rental *rental)
{
    const char *option = query->purchase_option ? query->purchase_option : rental->purchase_option;

    if (rental->quote || !isnan(text_figure_in_list(query->provider_discounts, rental->provider)))
        return NULL;
    return quote_discount(catalog, rental->provider, query->gpu->slug, option, query->as_of);
}

/* The share of the offer's price that is paid. */
static double price_ratio_of(const struct gathering *to, const struct offer *offer)
{
    const struct rental *rental = offer->rental;
    const struct quote *quote = price_quoted_discount(to->catalog, to->query, rental);
    double asked = text_figure_in_list(to->query->provider_discounts, rental->provider);

    if (quote)
        return to->price_ratio * (1 - quote->discount_ratio);
    return rental->quote || isnan(asked) ? to->price_ratio : to->price_ratio * (1 - asked);
}

/* A single-GPU list price of a cluster also applies to whole boards for larger jobs. */
static void gather(void *context, const struct offer *offer)
{
    struct gathering *to = context;
    const struct instance *known = catalog_instance(to->catalog, offer->rental);
    struct price_machine machine = {.offer = *offer,
                                    .price_ratio = price_ratio_of(to, offer),
                                    .derived = to->derived,
                                    .n_offers = 1,
                                    .paid_max = (double)INFINITY};

    if (!price_is_for_rent(to->catalog, offer->rental) || (to->derived && is_paid(&machine)))
        return;
    bool is_free = machine.price_ratio == 0; /* whatever its list says, and whenever it said so */
    machine.age = is_free ? PRICE_FRESH : age_of(&machine, to->query->as_of);
    set_limits(to, known, &machine);
    if (known && !price_machine_is_quoted(&machine) && offer->gpu->board_gpu_count > machine.size) {
        struct price_machine board = machine;
        board.size = offer->gpu->board_gpu_count;
        board.job_above = machine.size;
        add_machine(to, &board);
        machine.network = (double)NAN;
    }
    add_machine(to, &machine);
    if (known && machine.size == 1 && !price_machine_is_quoted(&machine))
        add_larger(to, &machine, known->machine_gpu_count_max);
}

/* Derived prices come last, quotes first, of these what is paid for, then by age. */
static int compare_standing(const struct price_machine *a, const struct price_machine *b)
{
    int derived = a->derived - b->derived;
    int quotes = price_machine_is_quoted(b) - price_machine_is_quoted(a);

    int paid = is_paid(b) - is_paid(a);

    if (derived)
        return derived;
    quotes = quotes ? quotes : paid;
    return quotes ? quotes : (a->age > b->age) - (a->age < b->age);
}

/* Compares provider and type; 0 for machines that differ only in price and place. */
static int compare_kinds(const struct price_machine *a, const struct price_machine *b)
{
    int order = strcmp(a->offer.rental->provider, b->offer.rental->provider);

    order = order ? order : compare_standing(a, b);
    order = order ? order : sort_order(a->offer.rental->gpu_count, b->offer.rental->gpu_count);
    order = order ? order : sort_order(a->size, b->size);
    order = order ? order : sort_order(b->paid_max, a->paid_max);
    order = order ? order : sort_order(a->network, b->network);
    return order ? order : sort_order(a->cluster_max, b->cluster_max);
}

static int compare_machines(const void *left, const void *right)
{
    const struct price_machine *a = left, *b = right;
    int order = compare_kinds(a, b);

    order = order ? order : sort_order(a->offer.price_per_gpu_hour, b->offer.price_per_gpu_hour);
    order = order ? order : b->offer.seen->from - a->offer.seen->from; /* the newer one first */
    return order ? order : strcmp(a->offer.rental->id, b->offer.rental->id);
}

/* True if the earlier machine replaces this one: a quote of the same provider, unless it is for
 * what is paid for only, or an actual offer for a derived price. */
static bool is_outdone(const struct price_machine *before, const struct price_machine *machine)
{
    bool derived = machine->derived;

    if (!price_machine_same_provider(before, machine))
        return false;
    return derived != before->derived || (price_machine_is_quoted(before) && !is_paid(before) &&
                                          !price_machine_is_quoted(machine));
}

/* Keep the best machine of each type; sorted, it comes first. */
static size_t keep_best(struct price_machine *at, size_t n)
{
    size_t kept = 0;

    sort_items(at, n, sizeof(*at), compare_machines);
    for (size_t i = 0; i < n; i++) {
        if (kept && compare_kinds(&at[kept - 1], &at[i]) == 0)
            at[kept - 1].n_offers++;
        else if (!kept || !is_outdone(&at[kept - 1], &at[i]))
            at[kept++] = at[i];
    }
    return kept;
}

static double paid(const struct price_machine *machine)
{
    return machine->offer.price_per_gpu_hour * machine->price_ratio;
}

/* The cheapest fresh price of the same provider for as many GPUs; NAN without any. */
static double cheapest_like(const struct price_machine *machine, const struct price_machine *at,
                            size_t n)
{
    double cheapest = (double)NAN;

    for (size_t i = 0; i < n; i++)
        if (price_machine_same_provider(machine, &at[i]) && at[i].age == PRICE_FRESH &&
            at[i].offer.rental->gpu_count == machine->offer.rental->gpu_count)
            cheapest = fmin(cheapest, paid(&at[i]));
    return cheapest;
}

/* A derived price stays within the provider's own price for the other term: a one-year price is at
 * least the three-year price, which is at most the one-year price. */
static void bound_derived(const struct catalog *catalog, const struct price_query *query,
                          const struct price_machines *machines)
{
    bool year = strcmp(query->purchase_option, "reserved_1yr") == 0;
    double ratio = 1 - price_commitment_discount(catalog, query->purchase_option);
    struct price_query other = *query;
    struct gathering gathering = {.catalog = catalog, .query = &other, .price_ratio = 1};

    other.purchase_option = year ? "reserved_3yr" : "reserved_1yr";
    price_each_offer(catalog, &other, gather, &gathering);
    size_t n = keep_best(gathering.at, gathering.n);
    for (size_t i = 0; i < machines->n; i++) {
        struct price_machine *machine = &machines->at[i];
        double bound = machine->derived ? cheapest_like(machine, gathering.at, n) : (double)NAN;
        if (!isnan(bound) && (year ? bound > paid(machine) : bound < paid(machine)))
            machine->price_ratio = fmin(bound / machine->offer.price_per_gpu_hour,
                                        machine->price_ratio / ratio); /* the on-demand price */
    }
    free(gathering.at);
}

static void set_cluster_sizes(const struct catalog *catalog, const char *purchase_option,
                              struct price_machines *machines)
{
    bool on_demand = purchase_option && strcmp(purchase_option, "on_demand") == 0;

    machines->hourly_max =
        on_demand ? catalog_default(catalog, "hourly_cluster_gpu_count_max", "") : (double)INFINITY;
    machines->reserved_max = catalog_default(catalog, "reserved_cluster_gpu_count_max", "");
    machines->contract_hours =
        catalog_default(catalog, "cluster_contract_days", "") * HOURS_PER_DAY;
}

double price_machine_term_hours(const struct price_machines *machines,
                                const struct price_machine *machine, double connected)
{
    bool alone = connected <= machine->size || price_machine_is_quoted(machine);

    if (alone || !(connected > machines->hourly_max))
        return 0;
    return connected > machines->reserved_max ? fmax(machine->term_hours, machines->contract_hours)
                                              : machine->term_hours;
}

struct price_machines price_machines_of(const struct catalog *catalog,
                                        const struct price_query *query, struct arena *arena)
{
    struct gathering gathering = {.catalog = catalog,
                                  .query = query,
                                  .price_ratio = 1,
                                  .fleet_max = catalog_default(catalog, "fleet_gpu_count_max", ""),
                                  .term_hours = catalog_default(catalog, "cluster_term_days", "") *
                                                HOURS_PER_DAY};
    struct price_machines machines = {.n_without_rate =
                                          price_each_offer(catalog, query, gather, &gathering)};
    struct price_query on_demand = *query;

    set_cluster_sizes(catalog, query->purchase_option, &machines);
    if (query->provider && query->provider[0])
        machines.of_named = query->purchase_option;
    gathering.derived = true;
    gathering.price_ratio = 1 - price_commitment_discount(catalog, query->purchase_option);
    on_demand.purchase_option = "on_demand";
    if (!isnan(gathering.price_ratio))
        machines.n_without_rate += price_each_offer(catalog, &on_demand, gather, &gathering);
    machines.n = keep_best(gathering.at, gathering.n);
    machines.at = arena_alloc(arena, (machines.n + 1) * sizeof(*machines.at));
    if (machines.n)
        memcpy(machines.at, gathering.at, machines.n * sizeof(*machines.at));
    free(gathering.at);
    if (!isnan(gathering.price_ratio))
        bound_derived(catalog, query, &machines);
    return machines;
}

double price_machines_network(const struct price_machines *machines)
{
    double fastest[PRICE_OFFERS_MAX];
    const struct price_machine *last = NULL;
    size_t n = 0;

    for (size_t i = 0; i < machines->n; i++) {
        const struct price_machine *machine = &machines->at[i];
        if (!isfinite(machine->network))
            continue;
        if (last && price_machine_same_provider(last, machine))
            fastest[n - 1] = fmax(fastest[n - 1], machine->network);
        else if (n < PRICE_OFFERS_MAX)
            fastest[n++] = machine->network;
        last = machine;
    }
    if (!n)
        return (double)NAN;
    sort_items(fastest, n, sizeof(fastest[0]), sort_compare_doubles);
    return fastest[(n - 1) / 2];
}

/* ---- billed time */

int price_term_months(const char *purchase_option)
{
    if (strcmp(purchase_option, "reserved_1yr") == 0)
        return 12;
    if (strcmp(purchase_option, "reserved_3yr") == 0)
        return 36;
    return strcmp(purchase_option, "capacity_block") == 0 ? 1 : 0;
}

const struct billing *price_billing(const struct catalog *catalog, const struct rental *rental)
{
    const struct billing *found = NULL;

    for (size_t i = 0; i < catalog->n_billings; i++) {
        const struct billing *billing = &catalog->billings[i];
        size_t n = strlen(billing->instance_prefix);
        if (strcmp(billing->provider, rental->provider) == 0 &&
            strncmp(billing->instance_prefix, rental->instance, n) == 0 &&
            (!found || n > strlen(found->instance_prefix)))
            found = billing;
    }
    return found;
}

/* Clusters are reserved for whole days. */
static double billed_hours(const struct billing *billing, double hours, double term_hours)
{
    const double rounding = 1e-9;

    if (term_hours > 0)
        hours = fmax(term_hours, price_term_hours(hours, HOURS_PER_DAY));
    if (!billing)
        return hours;
    double step = billing->granularity_seconds / SECONDS_PER_HOUR,
           least = billing->minimum_seconds / SECONDS_PER_HOUR;
    if (step > 0)
        hours = step * ceil(hours / step - rounding);
    return fmax(hours, least);
}

static double median_of(double *values, size_t n)
{
    sort_items(values, n, sizeof(values[0]), sort_compare_doubles);
    return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

double price_term_length(const char *purchase_option)
{
    int months = purchase_option ? price_term_months(purchase_option) : 0;

    return months > 1 ? months * HOURS_PER_MONTH : 0;
}

double price_term_hours(double hours, double term_hours)
{
    const double rounding = 1e-9;

    return term_hours > 0 ? term_hours * ceil(hours / term_hours - rounding) : hours;
}

double price_usual_term(const struct price *price)
{
    double terms[PRICE_OFFERS_MAX];

    for (size_t i = 0; i < price->n_offers; i++)
        terms[i] = price->offers[i].term_hours;
    sort_items(terms, price->n_offers, sizeof(terms[0]), sort_compare_doubles);
    return terms[price->n_offers / 2];
}

/* What a provider bills for that many hours of the job. */
static double billed(const struct catalog *catalog, const struct offer *offer, double gpu_count,
                     double hours)
{
    return offer->price_per_gpu_hour * offer->job_price_ratio * gpu_count *
           billed_hours(price_billing(catalog, offer->rental), hours, offer->term_hours);
}

double price_unused(const struct catalog *catalog, const struct price *price, double gpu_count,
                    double hours, double term_hours, bool own_price)
{
    double used[PRICE_OFFERS_MAX], paid[PRICE_OFFERS_MAX];
    double terms = price_term_hours(hours, term_hours);
    size_t n = price->n_offers;

    if (!n || !isfinite(hours))
        return 0;
    for (size_t i = 0; i < n; i++) {
        const struct offer *offer = &price->offers[i];
        struct offer as_listed = *offer;
        as_listed.term_hours = own_price ? 0 : offer->term_hours;
        used[i] = offer->price_per_gpu_hour * offer->job_price_ratio * gpu_count * hours;
        paid[i] = billed(catalog, &as_listed, gpu_count, terms);
    }
    return fmax(0, median_of(paid, n) - median_of(used, n));
}

bool price_bills(const struct catalog *catalog, const struct price *price, double gpu_count,
                 double hours, double *least, double *most)
{
    bool terms = false;

    *least = (double)INFINITY;
    *most = 0;
    for (size_t i = 0; i < price->n_offers; i++) {
        double bill = billed(catalog, &price->offers[i], gpu_count, hours);
        *least = fmin(*least, bill);
        *most = fmax(*most, bill);
        terms |= price->offers[i].term_hours > 0;
    }
    return terms && isfinite(hours);
}
