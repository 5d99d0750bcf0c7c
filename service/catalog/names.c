/* names.c - suggestions for names that are not in the catalogue. */
#include "catalog/catalog.h"

#include "base/spelling.h"
#include "base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The names tied for the most words in common with what was typed. */
struct alike {
    const char *typed, **names;
    size_t most, n;
};

/* Add `slug` if the name matches. */
static void alike_try(struct alike *alike, const char *name, const char *slug)
{
    size_t words = spelling_words(alike->typed, name);

    if (words == 0 || words < alike->most)
        return;
    if (words > alike->most)
        alike->n = 0;
    alike->most = words;
    if (alike->n < CATALOG_ALIKE_MAX)
        alike->names[alike->n++] = slug;
}

/* A different digit is not a typing error: an RTX 4080 is not an RTX 4090. */
static bool same_digits(const char *a, const char *b)
{
    static const char digits[] = "0123456789";

    for (;; a++, b++) {
        a += strcspn(a, digits);
        b += strcspn(b, digits);
        if (*a != *b || !*a)
            return *a == *b;
    }
}

/* The names that match by words; but only the nearest by letters if it is one typing error away, or
 * if none matches by words. */
static size_t chosen(const struct alike *alike, const struct spelling *near)
{
    const char *nearest = spelling_meant(near);
    bool mistyped = nearest && same_digits(near->typed, nearest);

    if (!mistyped || (alike->n > 0 && near->distance > 1))
        return alike->n;
    alike->names[0] = nearest;
    return 1;
}

/* Whether the typed name contains the words of a name, whole and in order: h20 is in
 * h20-sxm5-96gb, not in h200. */
static bool holds_name(const char *typed, const char *name)
{
    static const char between[] = "-_ ";
    size_t n = strlen(name);

    for (const char *at = typed; *at; at += strcspn(at, between), at += strspn(at, between)) {
        size_t i = 0;
        while (i < n && at[i] &&
               (tolower((unsigned char)at[i]) == name[i] ||
                (strchr(between, at[i]) && name[i] == '-')))
            i++;
        if (i == n && (!at[n] || strchr(between, at[n])))
            return true;
    }
    return false;
}

size_t catalog_gpus_alike(const struct catalog *catalog, const char *typed,
                          const char *names[CATALOG_ALIKE_MAX])
{
    struct alike alike = {.typed = typed, .names = names};
    struct spelling near = spelling_of(typed);
    const char *held = NULL;

    for (size_t i = 0; i < catalog->n_gpus; i++) {
        const char *slug = catalog->gpus[i].slug;
        alike_try(&alike, slug, slug);
        spelling_try(&near, slug);
        if (holds_name(typed, slug) && (!held || strlen(slug) > strlen(held)))
            held = slug;
    }
    if (!held)
        return chosen(&alike, &near);
    names[0] = held;
    return 1;
}

static const char *without_owner(const char *repository)
{
    const char *slash = strrchr(repository, '/');

    return slash ? slash + 1 : repository;
}

/* The next word of a model's name that identifies its shape, and its length; 0 at the end. Tuning
 * changes weights, not shapes. */
static size_t shape_word(const char **at)
{
    static const char tuning[] = "instruct chat it hf base meta";
    const char *word;
    size_t n, length;

    do {
        *at += strspn(*at, "-_ ");
        n = strcspn(*at, "-_ ");
        char copy[16];
        snprintf(copy, sizeof(copy), "%.*s", (int)n, *at);
        if (n == 0 || n >= sizeof(copy) || !text_in_words(tuning, copy, &word, &length))
            return n;
        *at += n;
    } while (true);
}

enum { NAME_MAX_LENGTH = 128 };

/* The name without its owner and tuning words. */
static const char *shape_name(const char *name, char to[NAME_MAX_LENGTH])
{
    size_t n, length = 0;

    for (name = without_owner(name); (n = shape_word(&name)) > 0; name += n)
        if (length + n + 1 < NAME_MAX_LENGTH)
            length += (size_t)snprintf(to + length, NAME_MAX_LENGTH - length, "%s%.*s",
                                       length ? "-" : "", (int)n, name);
    to[length] = '\0';
    return to;
}

/* Whether the typed name contains the letters a model's name begins with: two families that
 * share only a version have nothing in common. */
static bool same_family(const char *typed, const char *name)
{
    char family[NAME_MAX_LENGTH];
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

    snprintf(family, sizeof(family), "%.*s", (int)n, name);
    return strcasestr(typed, family) != NULL;
}

size_t catalog_models_alike(const struct catalog *catalog, const char *typed,
                            const char *names[CATALOG_ALIKE_MAX])
{
    char asked[NAME_MAX_LENGTH], name[NAME_MAX_LENGTH];
    struct alike alike = {.typed = shape_name(typed, asked), .names = names};
    struct spelling near = spelling_of(typed);

    for (size_t i = 0; i < catalog->n_models; i++) {
        shape_name(catalog->models[i].slug, name);
        if (same_family(typed, name))
            alike_try(&alike, name, catalog->models[i].slug);
        spelling_try(&near, catalog->models[i].slug);
    }
    return chosen(&alike, &near);
}

static bool same_shape(const char *a, const char *b)
{
    size_t n, m;

    while ((n = shape_word(&a)) == (m = shape_word(&b)) && n > 0 && strncasecmp(a, b, n) == 0) {
        a += n;
        b += m;
    }
    return n == 0 && m == 0;
}

const struct model *catalog_model_meant(const struct catalog *catalog, const char *typed,
                                        bool *tuned)
{
    const char *name = without_owner(typed);
    const struct model *model = catalog_model(catalog, name);

    if (tuned)
        *tuned = false;
    for (size_t i = 0; !model && i < catalog->n_models; i++)
        if (catalog->models[i].hf_id &&
            strcasecmp(without_owner(catalog->models[i].hf_id), name) == 0)
            model = &catalog->models[i];
    for (size_t i = 0; !model && i < catalog->n_models; i++)
        if (same_shape(catalog->models[i].slug, name)) {
            model = &catalog->models[i];
            if (tuned)
                *tuned = true;
        }
    return model;
}

const char *catalog_nearest_provider(const struct catalog *catalog, const char *typed)
{
    const char *names[CATALOG_ALIKE_MAX];
    struct alike alike = {.typed = typed, .names = names};
    struct spelling near = spelling_of(typed);

    for (size_t i = 0; i < catalog->n_providers; i++) {
        alike_try(&alike, catalog->providers[i].name, catalog->providers[i].slug);
        spelling_try(&near, catalog->providers[i].slug);
    }
    for (size_t i = 0; i < catalog->n_quoted; i++)
        spelling_try(&near, catalog->quoted[i]->provider);
    return near.distance > 1 && alike.n == 1 ? names[0] : spelling_meant(&near);
}
