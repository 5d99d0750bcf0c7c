#include "feed/known.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 24 GB are 22.35 GiB, 6.9 % less; the next memory size of any card differs by more. */
static const double MEMORY_TOLERANCE = 0.07;

void feed_fold(const char *name, char to[FEED_NAME_MAX])
{
    size_t n = 0;

    for (; *name && n < FEED_NAME_MAX - 1; name++)
        if (!strchr(" -_", *name))
            to[n++] = (char)tolower((unsigned char)*name);
    to[n] = '\0';
}

static int compare_gpu(const void *slug, const void *gpu)
{
    return strcmp(slug, ((const struct feed_gpu *)gpu)->slug);
}

const struct feed_gpu *feed_known_gpu(const struct feed_known *known, const char *slug)
{
    return known->n_gpus
               ? bsearch(slug, known->gpus, known->n_gpus, sizeof(*known->gpus), compare_gpu)
               : NULL;
}

static int compare_text(const void *text, const void *element)
{
    return strcmp(text, *(const char *const *)element);
}

bool feed_known_provider(const struct feed_known *known, const char *slug)
{
    return known->n_providers && bsearch(slug, known->providers, known->n_providers,
                                         sizeof(*known->providers), compare_text);
}

const char *feed_find_provider(const struct feed_known *known, const char *name)
{
    char lower[FEED_NAME_MAX];
    const char *const *slug;
    size_t n = 0;

    for (; n < sizeof(lower) - 1 && name[n]; n++)
        lower[n] = (char)tolower((unsigned char)name[n]);
    lower[n] = '\0';
    slug = known->n_providers ? bsearch(lower, known->providers, known->n_providers,
                                        sizeof(*known->providers), compare_text)
                              : NULL;
    for (size_t i = 0; !slug && i < known->n_aliases; i++)
        if (strcmp(known->aliases[i].alias, lower) == 0)
            return known->aliases[i].provider;
    return slug ? *slug : NULL;
}

/* SQL's LIKE: % matches any text, _ one byte, and a backslash escapes the next byte. */
static bool like(const char *text, const char *pattern)
{
    const char *after_percent = NULL, *retry = NULL;

    while (*text) {
        bool literal = *pattern == '\\' && pattern[1];
        if (*pattern == '%') {
            after_percent = ++pattern;
            retry = text;
        } else if (literal ? pattern[1] == *text : *pattern == '_' || *pattern == *text) {
            pattern += 1 + literal;
            text++;
        } else if (after_percent) {
            pattern = after_percent;
            text = ++retry;
        } else {
            return false;
        }
    }
    return pattern[strspn(pattern, "%")] == '\0';
}

static double name_memory(const struct feed_known *known, const struct feed_name *name)
{
    const struct feed_gpu *gpu = feed_known_gpu(known, name->gpu);

    return name->memory_gib > 0 || !gpu ? name->memory_gib : gpu->memory_gib;
}

static bool near(double said, double is)
{
    return fabs(said - is) <= MEMORY_TOLERANCE * is;
}

/* True if the memory equals that of the name in one of the accepted notations. */
static bool memory_fits(const struct feed_accelerator *said, double is, const char **note)
{
    *note = NULL;
    if (isnan(said->memory_gib) || isnan(is) || near(said->memory_gib, is))
        return true;
    if (!said->memory_loose)
        return false;
    if (said->count > 1 && near(said->memory_gib / said->count, is)) {
        *note = "the feed gives the memory of all GPUs together";
        return true;
    }
    if (said->memory_gib < 1 && near(said->memory_gib * 1024, is)) {
        *note = "the feed gives the memory in GiB where it says MiB";
        return true;
    }
    return false;
}

struct search {
    const struct feed_known *known;
    const struct feed_accelerator *said;
    char folded[FEED_NAME_MAX];
    size_t first, end; /* range of rows with that name */
    bool own;          /* the provider has rows of its own */
};

static void find_rows(struct search *search)
{
    const struct feed_known *known = search->known;
    size_t low = 0, high = known->n_names;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(known->names[middle].name, search->folded) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    search->first = search->end = low;
    for (; search->end < known->n_names; search->end++) {
        const struct feed_name *name = &known->names[search->end];
        if (strcmp(name->name, search->folded) != 0)
            break;
        search->own |= strcmp(name->format, search->said->format) == 0 &&
                       strcmp(name->provider, search->said->provider) == 0;
    }
}

static bool applies(const struct search *search, const struct feed_name *name)
{
    return strcmp(name->format, search->said->format) == 0 &&
           strcmp(name->provider, search->own ? search->said->provider : "") == 0 &&
           like(search->said->instance, name->instance);
}

/* The GPUs whose slug begins with the name and whose memory matches the feed's: " (one of a, b)",
 * or "". */
static const char *list_choices(const struct search *search, char *to, size_t size)
{
    const struct feed_known *known = search->known;
    char slug[FEED_NAME_MAX];
    const char *note;
    size_t n = 0;

    to[0] = '\0';
    for (size_t i = 0; i < known->n_gpus && n < size; i++) {
        feed_fold(known->gpus[i].slug, slug);
        if (strncmp(slug, search->folded, strlen(search->folded)) == 0 &&
            memory_fits(search->said, known->gpus[i].memory_gib, &note))
            n += (size_t)snprintf(to + n, size - n, "%s%s", n ? ", " : ": one of ",
                                  known->gpus[i].slug);
    }
    return to;
}

/* Explain what is wrong with the nearest match. */
static void explain(const struct search *search, const struct feed_name *seen,
                    struct feed_match *match)
{
    const struct feed_accelerator *said = search->said;
    char choices[160];

    match->unknown = !seen;
    if (!seen)
        snprintf(match->why, sizeof(match->why),
                 "the GPU name \"%.60s\" of %.40s is unknown (table gpu_name)%s", said->name,
                 said->provider, list_choices(search, choices, sizeof(choices)));
    else
        snprintf(match->why, sizeof(match->why),
                 "\"%.60s\" is %s with %g GiB there, but the row says %.4g GiB", said->name,
                 seen->gpu, name_memory(search->known, seen), said->memory_gib);
}

struct feed_match feed_find_gpu(const struct feed_known *known, const struct feed_accelerator *said)
{
    struct search search = {.known = known, .said = said};
    struct feed_match match = {0};
    const struct feed_name *seen = NULL, *found = NULL;
    const char *note;

    feed_fold(said->name, search.folded);
    find_rows(&search);
    for (size_t i = search.first; i < search.end; i++) {
        const struct feed_name *name = &known->names[i];
        if (!applies(&search, name))
            continue;
        seen = name;
        if (!memory_fits(said, name_memory(known, name), &note))
            continue;
        if (found && strcmp(found->gpu, name->gpu) != 0) {
            snprintf(match.why, sizeof(match.why), "\"%.60s\" may be %s or %s there", said->name,
                     found->gpu, name->gpu);
            return match;
        }
        found = name;
        match.note = note;
    }
    if (!found) {
        explain(&search, seen, &match);
    } else if (found->gpu_count > 0 && !isnan(said->count) && found->gpu_count != said->count) {
        snprintf(match.why, sizeof(match.why), "%.80s has %g GPUs, but the row says %g",
                 said->instance, found->gpu_count, said->count);
    } else {
        match.gpu = found->gpu;
        if (!match.note && found->unverified)
            match.note = "the GPU behind this name is from memory, not looked up";
        match.count = isnan(said->count) && found->gpu_count > 0 ? found->gpu_count : said->count;
    }
    return match;
}
