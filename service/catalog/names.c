/* names.c - suggestions for names that are not in the catalogue. */
#include "catalog/catalog.h"

#include "base/spelling.h"
#include "base/text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* The names tied for the most words in common with what was typed. */
struct alike {
    const char *typed, **names;
    size_t most, n;
    bool every_word; /* they have every word typed, or a word that it begins */
};

/* Add `slug` if the name matches. */
static void alike_try(struct alike *alike, const char *name, const char *slug)
{
    size_t words = spelling_words(alike->typed, name);

    if (words == 0 || words < alike->most)
        return;
    if (words > alike->most) {
        alike->n = 0;
        alike->every_word = spelling_has_words(alike->typed, name);
    }
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

/* The names that match by words; but only the nearest by letters if it is one typing error away and
 * not every word matches, or if none matches by words. */
static size_t chosen(const struct alike *alike, const struct spelling *near)
{
    const char *nearest = spelling_meant(near);
    bool mistyped = nearest && same_digits(near->typed, nearest);

    if (!mistyped || (alike->n > 0 && (near->distance > 1 || alike->every_word)))
        return alike->n;
    alike->names[0] = nearest;
    return 1;
}

static const char between[] = "-_ ():"; /* a colon before the size, as Ollama writes it */

enum { NAME_MAX_LENGTH = 128 };

/* The name in lower case, without the separators that writers set differently: RTX 4090, rtx4090
 * and rtx-4090 are one. Between two digits a separator stays. */
static const char *plain_name(const char *name, char to[NAME_MAX_LENGTH])
{
    size_t n = 0;

    for (const char *at = name; *at && n + 1 < NAME_MAX_LENGTH; at++) {
        if (!strchr(between, *at))
            to[n++] = (char)tolower((unsigned char)*at);
        else if (n > 0 && isdigit((unsigned char)to[n - 1]) &&
                 isdigit((unsigned char)at[strspn(at, between)]))
            to[n++] = '-';
    }
    to[n] = '\0';
    return to;
}

static bool same_plain(const char *a, const char *b)
{
    char plain_a[NAME_MAX_LENGTH], plain_b[NAME_MAX_LENGTH];

    a += strspn(a, between);
    b += strspn(b, between);
    if (tolower((unsigned char)*a) != tolower((unsigned char)*b))
        return false; /* for most names at the first letter */
    return strcmp(plain_name(a, plain_a), plain_name(b, plain_b)) == 0;
}

/* Whether a name has the word, or one that only a digit continues: sxm fits sxm5. */
static bool has_word(const char *name, const char *word, size_t n, bool continued)
{
    for (const char *at = name; *at; at += strcspn(at, between), at += strspn(at, between)) {
        size_t m = strcspn(at, between);
        if (m >= n && strncasecmp(at, word, n) == 0 &&
            (m == n ||
             (continued && isdigit((unsigned char)at[n]) && !isdigit((unsigned char)word[n - 1]))))
            return true;
    }
    return false;
}

/* Whether a word tells products apart, as 4090 and h100 do; 80gb is a size. */
static bool is_product(const char *word, size_t n)
{
    size_t digits = 0;

    for (size_t i = 0; i < n; i++)
        digits += isdigit((unsigned char)word[i]) != 0;
    return digits > 0 && (digits < n || n >= 4) &&
           !(n > 2 && strncasecmp(word + n - 2, "gb", 2) == 0);
}

/* Whether the GPU's slug, name, vendor or kind of memory has every word typed, as in NVIDIA H100
 * 80GB HBM3, and one of them names the product. */
static bool gpu_has_words(const struct gpu *gpu, const char *typed)
{
    bool product = false;
    size_t n;

    for (const char *at = typed + strspn(typed, between); (n = strcspn(at, between)) > 0;
         at += n, at += strspn(at, between)) {
        if (!has_word(gpu->slug, at, n, true) && !has_word(gpu->name, at, n, false) &&
            !has_word(gpu->vendor, at, n, false) && !has_word(gpu->memory_type, at, n, false))
            return false;
        product = product || (is_product(at, n) && has_word(gpu->slug, at, n, false));
    }
    return product;
}

/* The GPUs that have every word typed whole, up to CATALOG_ALIKE_MAX; returns their number. They go
 * before what alike_try() finds by slug: "2080 GeForce" names a GPU by words that are not in its
 * slug, and "6000 rtx" names three. Beginnings of words are left to alike_try(): b20 is an
 * unfinished b200, not a mistyped h20. */
static size_t gpus_with_words(const struct catalog *catalog, const char *typed,
                              const char *names[CATALOG_ALIKE_MAX])
{
    size_t n = 0;

    for (size_t i = 0; i < catalog->n_gpus && n < CATALOG_ALIKE_MAX; i++)
        if (gpu_has_words(&catalog->gpus[i], typed))
            names[n++] = catalog->gpus[i].slug;
    return n;
}

/* Whether a computer is called by the chip that its name has in brackets: GB10, Strix Halo. */
static bool same_chip(const char *typed, const struct gpu *gpu)
{
    const char *chip = strchr(gpu->name, '(');

    return chip && gpu_is_computer(gpu) && same_plain(typed, chip);
}

const struct gpu *catalog_gpu_meant(const struct catalog *catalog, const char *typed)
{
    const struct gpu *gpu = catalog_gpu(catalog, typed);

    for (size_t i = 0; !gpu && i < catalog->n_gpus; i++)
        if (same_plain(typed, catalog->gpus[i].slug) || same_plain(typed, catalog->gpus[i].name) ||
            same_chip(typed, &catalog->gpus[i]))
            gpu = &catalog->gpus[i];
    return gpu;
}

/* Whether the typed name has all the words of a name, whole and in their order: h20-sxm5-96gb has
 * those of h20, h200 does not. */
static bool holds_name(const char *typed, const char *name)
{
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

/* An abbreviation, such as trn2 of trainium2: the name has its letters in the same order, begins
 * with its first and has the same digits. */
static bool is_short_for(const char *typed, const char *name)
{
    enum { LETTERS_LEAST = 3 };

    if (strlen(typed) < LETTERS_LEAST || tolower((unsigned char)*typed) != *name ||
        !same_digits(typed, name))
        return false;
    for (; *typed && *name; name++)
        typed += tolower((unsigned char)*typed) == *name;
    return !*typed;
}

/* The GPUs of which the typed name is an abbreviation, where nothing else matches. */
static size_t abbreviated(const struct catalog *catalog, struct alike *alike)
{
    for (size_t i = 0; i < catalog->n_gpus && alike->n < CATALOG_ALIKE_MAX; i++)
        if (is_short_for(alike->typed, catalog->gpus[i].slug))
            alike->names[alike->n++] = catalog->gpus[i].slug;
    return alike->n;
}

size_t catalog_gpus_alike(const struct catalog *catalog, const char *typed,
                          const char *names[CATALOG_ALIKE_MAX])
{
    struct alike alike = {.typed = typed, .names = names};
    struct spelling near = spelling_of(typed);
    const char *held = NULL;
    size_t n = gpus_with_words(catalog, typed, names);

    if (n > 0)
        return n;
    for (size_t i = 0; i < catalog->n_gpus; i++) {
        const char *slug = catalog->gpus[i].slug;
        alike_try(&alike, slug, slug);
        spelling_try(&near, slug);
        if (holds_name(typed, slug) && (!held || strlen(slug) > strlen(held)))
            held = slug;
    }
    if (held) {
        names[0] = held;
        return 1;
    }
    n = chosen(&alike, &near);
    return n ? n : abbreviated(catalog, &alike);
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
    size_t n;

    do {
        *at += strspn(*at, "-_ :");
        n = strcspn(*at, "-_ :");
        char copy[16] = "";
        if (n == 0 || n >= sizeof(copy))
            return n;
        memcpy(copy, *at, n);
        if (!text_in_words(tuning, copy))
            return n;
        *at += n;
    } while (true);
}

/* The name without its owner and tuning words. */
static const char *shape_name(const char *name, char to[NAME_MAX_LENGTH])
{
    size_t n, length = 0;

    for (name = without_owner(name); (n = shape_word(&name)) > 0; name += n) {
        if (length + n + 1 < NAME_MAX_LENGTH) {
            if (length)
                to[length++] = '-';
            memcpy(to + length, name, n);
            length += n;
        }
    }
    to[length] = '\0';
    return to;
}

/* Whether the typed name contains the letters that the model's name begins with: a version number
 * alone does not make two families alike. A single word that begins with a letter and has digits,
 * such as R1, is accepted without them. */
static bool same_family(const char *typed, const char *name)
{
    if (!strpbrk(typed, "-_ /") && isalpha((unsigned char)*typed) && strpbrk(typed, "0123456789"))
        return true;
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");

    while (*typed && strncasecmp(typed, name, n) != 0)
        typed++;
    return *typed || n == 0;
}

/* Whether the name has each word typed that says what a model reads or is for: one that reads
 * images is never mistaken for its text-only version. */
static bool same_kind(const char *typed, const char *name)
{
    static const char *const kinds[] = {"vl",    "vlm",       "vision",  "omni",
                                        "audio", "embedding", "reranker"};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        size_t n = strlen(kinds[i]);
        if (has_word(typed, kinds[i], n, false) && !has_word(name, kinds[i], n, false))
            return false;
    }
    return true;
}

size_t catalog_models_alike(const struct catalog *catalog, const char *typed,
                            const char *names[CATALOG_ALIKE_MAX])
{
    char asked[NAME_MAX_LENGTH], name[NAME_MAX_LENGTH];
    struct alike alike = {.typed = shape_name(typed, asked), .names = names};
    struct spelling near = spelling_of(typed);

    for (size_t i = 0; i < catalog->n_models; i++) {
        shape_name(catalog->models[i].slug, name);
        if (!same_kind(typed, name))
            continue;
        if (same_family(typed, name))
            alike_try(&alike, name, catalog->models[i].slug);
        spelling_try(&near, catalog->models[i].slug);
    }
    return chosen(&alike, &near);
}

const struct model *catalog_model_meant(const struct catalog *catalog, const char *typed,
                                        bool *tuned)
{
    const char *name = without_owner(typed);
    const struct model *model = catalog_model(catalog, name);
    char shape[NAME_MAX_LENGTH], other[NAME_MAX_LENGTH];

    if (tuned)
        *tuned = false;
    for (size_t i = 0; !model && i < catalog->n_models; i++)
        if (catalog->models[i].hf_id &&
            strcasecmp(without_owner(catalog->models[i].hf_id), name) == 0)
            model = &catalog->models[i];
    for (size_t i = 0; !model && i < catalog->n_models; i++)
        if (same_plain(catalog->models[i].slug, name))
            model = &catalog->models[i];
    if (!model)
        shape_name(name, shape);
    for (size_t i = 0; !model && i < catalog->n_models; i++)
        if (same_plain(shape_name(catalog->models[i].slug, other), shape)) {
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
