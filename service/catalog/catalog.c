#include "catalog/catalog.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/sort.h"
#include "base/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int compare_gpus(const void *a, const void *b)
{
    return strcmp(((const struct gpu *)a)->slug, ((const struct gpu *)b)->slug);
}

static int compare_models(const void *a, const void *b)
{
    return strcmp(((const struct model *)a)->slug, ((const struct model *)b)->slug);
}

static int compare_measurements(const void *a, const void *b)
{
    return strcmp(((const struct measurement *)a)->id, ((const struct measurement *)b)->id);
}

static int compare_assumptions(const void *a, const void *b)
{
    const struct assumption *x = a, *y = b;
    int order = strcmp(x->key, y->key);

    return order ? order : strcmp(x->scope, y->scope);
}

struct catalog *catalog_new(void)
{
    struct catalog *catalog = mem_alloc(sizeof(*catalog));

    catalog->lacking = "";
    catalog->old_gpus = (struct history){.row_size = sizeof(struct gpu), .compare = compare_gpus};
    catalog->old_models =
        (struct history){.row_size = sizeof(struct model), .compare = compare_models};
    catalog->old_assumptions =
        (struct history){.row_size = sizeof(struct assumption), .compare = compare_assumptions};
    return catalog;
}

void catalog_free(struct catalog *catalog)
{
    if (!catalog)
        return;
    for (size_t i = 0; i < catalog->n_offer_indexes; i++)
        offer_index_release(catalog->offer_indexes[i]);
    arena_free(&catalog->arena);
    free(catalog);
}

static int compare_shelves(const void *a, const void *b)
{
    return strcmp((*(struct offer_index *const *)a)->gpu, (*(struct offer_index *const *)b)->gpu);
}

static int compare_providers(const void *a, const void *b)
{
    return strcmp(((const struct provider *)a)->slug, ((const struct provider *)b)->slug);
}

static int compare_instances(const void *a, const void *b)
{
    const struct instance *x = a, *y = b;
    int order = strcmp(x->provider, y->provider);

    order = order ? order : strcmp(x->gpu, y->gpu);
    return order ? order : strcmp(x->name, y->name);
}

static int compare_runs(const void *a, const void *b)
{
    const struct feed_run *x = a, *y = b;

    return (x->id > y->id) - (x->id < y->id);
}

static int compare_hardware(const void *a, const void *b)
{
    const struct hardware *x = a, *y = b;
    int order = strcmp(x->gpu->slug, y->gpu->slug);

    order = order ? order : strcmp(x->kind, y->kind);
    order = order ? order : (x->observed < y->observed) - (x->observed > y->observed);
    return order ? order : strcmp(x->id, y->id);
}

static int compare_rates(const void *a, const void *b)
{
    const struct exchange_rate *x = a, *y = b;
    int order = strcmp(x->currency, y->currency);

    return order ? order : (x->observed > y->observed) - (x->observed < y->observed);
}

static bool check_gpus(struct catalog *catalog, struct err *err)
{
    for (size_t i = 0; i < catalog->n_gpus; i++) {
        struct gpu *gpu = &catalog->gpus[i];
        if (i && strcmp(gpu->slug, gpu[-1].slug) == 0)
            return err_set(err, ERR_INTERNAL, "GPU %s occurs twice", gpu->slug);
        if (!gpu_complete(gpu))
            return err_set(err, ERR_INTERNAL, "GPU %s lacks memory or bandwidth", gpu->slug);
    }
    return true;
}

static bool check_models(const struct catalog *catalog, struct err *err)
{
    const double parts_max = 1e5; /* as for a config.json; searches iterate over all of them */

    for (size_t i = 0; i < catalog->n_models; i++) {
        const struct model *model = &catalog->models[i];
        if (i && strcmp(model->slug, model[-1].slug) == 0)
            return err_set(err, ERR_INTERNAL, "model %s occurs twice", model->slug);
        if (!number_is_positive(model->params_total) || !number_is_positive(model->n_layers) ||
            !number_is_positive(model->hidden) || !number_is_positive(model->n_heads) ||
            !number_is_positive(model->vocab))
            return err_set(err, ERR_INTERNAL, "model %s lacks part of its shape", model->slug);
        if (model->n_layers > parts_max || model->n_experts > parts_max)
            return err_set(err, ERR_INTERNAL, "model %s has more than %.0f layers or experts",
                           model->slug, parts_max);
    }
    return true;
}

static bool check_offers(const struct offer_index *index, struct err *err)
{
    for (size_t i = 0; i < index->n_rentals; i++) {
        const struct rental *rental = index->rentals[i];
        bool good = number_is_positive(rental->gpu_count);
        for (size_t k = 0; good && k < rental->n_seen; k++)
            good = number_is_positive(rental->seen[k].price_per_gpu_hour);
        if (!good)
            return err_set(err, ERR_INTERNAL, "offer %s has no price", rental->id);
    }
    return true;
}

static bool check_prices(const struct catalog *catalog, struct err *err)
{
    for (size_t i = 0; i < catalog->n_offer_indexes; i++) /* check this size before adding users */
        if (catalog->offer_indexes[i]->users == 1 && !check_offers(catalog->offer_indexes[i], err))
            return false;
    for (size_t i = 0; i < catalog->n_hardware; i++)
        if (!number_is_positive(catalog->hardware[i].price) ||
            !number_is_positive(catalog->hardware[i].gpu_count))
            return err_set(err, ERR_INTERNAL, "hardware %s has no price", catalog->hardware[i].id);
    return true;
}

void catalog_sort_gpus(struct catalog *catalog)
{
    sort_items(catalog->gpus, catalog->n_gpus, sizeof(struct gpu), compare_gpus);
}

/* Total number of observations, counted once when the catalogue is sealed. */
static void count_offers(struct catalog *catalog)
{
    catalog->n_offers = catalog->n_quoted;
    for (size_t i = 0; i < catalog->n_offer_indexes; i++)
        catalog->n_offers += catalog->offer_indexes[i]->n_observations;
}

enum { HINTS = 2048 };

static size_t hint_of(const char *key, const char *scope)
{
    size_t n = strlen(key);

    return (text_few_hash(key, n) * 31 + text_few_hash(scope, strlen(scope))) % HINTS;
}

/* Only a starting point: after a hash collision the search continues; 0 means there is no row. */
static void make_hints(struct catalog *catalog, struct arena *arena)
{
    catalog->hints = arena_alloc(arena, HINTS * sizeof(catalog->hints[0]));
    for (size_t i = 0; i < catalog->n_assumptions; i++) {
        const struct assumption *row = &catalog->assumptions[i];
        catalog->hints[hint_of(row->key, row->scope)] = (unsigned short)(i + 1);
    }
}

bool catalog_seal(struct catalog *catalog, struct err *err)
{
    sort_items(catalog->models, catalog->n_models, sizeof(struct model), compare_models);
    sort_items(catalog->measurements, catalog->n_measurements, sizeof(struct measurement),
               compare_measurements);
    sort_items(catalog->offer_indexes, catalog->n_offer_indexes, sizeof(struct offer_index *),
               compare_shelves);
    sort_items(catalog->quoted, catalog->n_quoted, sizeof(struct rental *), offer_index_order);
    sort_items(catalog->providers, catalog->n_providers, sizeof(struct provider),
               compare_providers);
    sort_items(catalog->instances, catalog->n_instances, sizeof(struct instance),
               compare_instances);
    sort_items(catalog->runs, catalog->n_runs, sizeof(struct feed_run), compare_runs);
    sort_items(catalog->hardware, catalog->n_hardware, sizeof(struct hardware), compare_hardware);
    sort_items(catalog->assumptions, catalog->n_assumptions, sizeof(struct assumption),
               compare_assumptions);
    make_hints(catalog, &catalog->arena);
    sort_items(catalog->rates, catalog->n_rates, sizeof(struct exchange_rate), compare_rates);
    history_sort(&catalog->old_gpus);
    history_sort(&catalog->old_models);
    history_sort(&catalog->old_assumptions);
    count_offers(catalog);
    if (!catalog->n_gpus || !catalog->n_models || !catalog->n_assumptions)
        return err_set(err, ERR_INTERNAL, "the catalogue is empty");
    return check_gpus(catalog, err) && check_models(catalog, err) && check_prices(catalog, err);
}

void catalog_memo_put(struct catalog *catalog, const void *key, const void *what)
{
    if (catalog->n_memos < MEMOS_MAX)
        catalog->memos[catalog->n_memos++] = (struct catalog_memo){key, what};
}

const void *catalog_memo_get(const struct catalog *catalog, const void *key)
{
    for (size_t i = 0; i < catalog->n_memos; i++)
        if (catalog->memos[i].key == key)
            return catalog->memos[i].what;
    return NULL;
}

const struct catalog *catalog_as_of(const struct catalog *catalog, day as_of, struct arena *arena)
{
    const struct catalog *now = catalog->now ? catalog->now : catalog;

    if (now->old_gpus.newest <= as_of && now->old_models.newest <= as_of &&
        now->old_assumptions.newest <= as_of)
        return now;
    struct catalog *then = memcpy(arena_alloc(arena, sizeof(*then)), now, sizeof(*then));
    then->now = now;
    then->n_memos = 0;
    then->gpus = history_as_of(&now->old_gpus, now->gpus, &then->n_gpus, as_of, arena);
    then->models = history_as_of(&now->old_models, now->models, &then->n_models, as_of, arena);
    then->assumptions =
        history_as_of(&now->old_assumptions, now->assumptions, &then->n_assumptions, as_of, arena);
    make_hints(then, arena);
    return then;
}

bool catalog_differs(const struct catalog *catalog, day a, day b)
{
    return history_differs(&catalog->old_gpus, a, b) ||
           history_differs(&catalog->old_models, a, b) ||
           history_differs(&catalog->old_assumptions, a, b);
}

const struct gpu *catalog_gpu_ever(const struct catalog *catalog, const char *slug)
{
    const struct gpu *gpu = catalog_gpu(catalog, slug);

    for (size_t i = catalog->old_gpus.n; !gpu && i > 0; i--) {
        const struct history_row *former = &catalog->old_gpus.rows[i - 1];
        const struct gpu *row = former->row;
        if (!former->gone && strcmp(row->slug, slug) == 0)
            gpu = row;
    }
    return gpu;
}

const struct gpu *catalog_gpu(const struct catalog *catalog, const char *slug)
{
    struct gpu key = {.slug = slug};

    return catalog->n_gpus
               ? bsearch(&key, catalog->gpus, catalog->n_gpus, sizeof(key), compare_gpus)
               : NULL;
}

const struct model *catalog_model(const struct catalog *catalog, const char *slug)
{
    struct model key = {.slug = slug};
    const struct model *model =
        catalog->n_models
            ? bsearch(&key, catalog->models, catalog->n_models, sizeof(key), compare_models)
            : NULL;

    for (size_t i = 0; !model && i < catalog->n_models; i++)
        if (catalog->models[i].aliases && text_in_list(catalog->models[i].aliases, slug))
            model = &catalog->models[i];
    return model;
}

const struct measurement *catalog_whole_run(const struct catalog *catalog, const char *model)
{
    struct measurement key = {.id = model};
    const struct measurement *run =
        catalog->n_measurements ? bsearch(&key, catalog->measurements, catalog->n_measurements,
                                          sizeof(key), compare_measurements)
                                : NULL;

    return run && strcmp(run->kind, "whole_run") == 0 ? run : NULL;
}

const struct assumption *catalog_assumption(const struct catalog *catalog, const char *key,
                                            const char *scope)
{
    struct assumption wanted = {.key = key, .scope = scope};
    size_t hint = catalog->hints ? catalog->hints[hint_of(key, scope)] : catalog->n_assumptions + 1;

    if (hint == 0)
        return NULL;
    if (hint <= catalog->n_assumptions &&
        compare_assumptions(&wanted, &catalog->assumptions[hint - 1]) == 0)
        return &catalog->assumptions[hint - 1];
    return catalog->n_assumptions ? bsearch(&wanted, catalog->assumptions, catalog->n_assumptions,
                                            sizeof(wanted), compare_assumptions)
                                  : NULL;
}

double catalog_default(const struct catalog *catalog, const char *key, const char *scope)
{
    const struct assumption *row = catalog_assumption(catalog, key, scope);

    return row ? row->value : (double)NAN;
}

struct offer_index *catalog_offer_index(const struct catalog *catalog, const char *gpu)
{
    struct offer_index sought = {.gpu = gpu}, *key = &sought;
    struct offer_index **found =
        catalog->n_offer_indexes ? bsearch(&key, catalog->offer_indexes, catalog->n_offer_indexes,
                                           sizeof(struct offer_index *), compare_shelves)
                                 : NULL;

    return found ? *found : NULL;
}

const struct provider *catalog_provider(const struct catalog *catalog, const char *slug)
{
    struct provider key = {.slug = slug};

    return catalog->n_providers ? bsearch(&key, catalog->providers, catalog->n_providers,
                                          sizeof(key), compare_providers)
                                : NULL;
}

const char *catalog_provider_name(const struct catalog *catalog, const char *slug)
{
    const struct provider *provider = catalog_provider(catalog, slug);

    return provider ? provider->name : slug;
}

static const struct instance *find_instance(const struct catalog *catalog,
                                            const struct rental *rental, const char *name)
{
    struct instance key = {.provider = rental->provider, .gpu = rental->gpu, .name = name};

    return catalog->n_instances ? bsearch(&key, catalog->instances, catalog->n_instances,
                                          sizeof(key), compare_instances)
                                : NULL;
}

const struct instance *catalog_instance(const struct catalog *catalog, const struct rental *rental)
{
    const struct instance *named = find_instance(catalog, rental, rental->instance);

    return named ? named : find_instance(catalog, rental, "");
}

const struct feed_run *catalog_run(const struct catalog *catalog, double id)
{
    struct feed_run key = {.id = id};

    return catalog->n_runs && !isnan(id)
               ? bsearch(&key, catalog->runs, catalog->n_runs, sizeof(key), compare_runs)
               : NULL;
}

/* Number of sorted rentals before those of the GPU and option; with `past`, including them. */
static size_t place(const struct rentals *all, const char *gpu, const char *option, bool past)
{
    size_t low = 0, high = all->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(all->at[middle]->gpu, gpu);
        if (!order && option)
            order = strcmp(all->at[middle]->purchase_option, option);
        if (order < 0 || (order == 0 && past))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void catalog_rentals(const struct catalog *catalog, const struct gpu *gpu, const char *option,
                     struct rentals parts[RENTALS_PARTS])
{
    const struct offer_index *index = catalog_offer_index(catalog, gpu->slug);

    parts[0] = index ? (struct rentals){index->rentals, index->n_rentals} : (struct rentals){0};
    parts[1] = (struct rentals){catalog->quoted, catalog->n_quoted};
    for (size_t i = 0; i < RENTALS_PARTS; i++) {
        size_t first = place(&parts[i], gpu->slug, option, false);
        size_t end = place(&parts[i], gpu->slug, option, true);
        parts[i] = (struct rentals){first < end ? parts[i].at + first : NULL, end - first};
    }
}
