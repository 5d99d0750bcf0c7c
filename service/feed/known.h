/* known.h - the catalogue's GPUs, providers and feed-specific GPU names, as used while reading a
 * feed. Unknown names are reported, never guessed. */
#ifndef FEED_KNOWN_H
#define FEED_KNOWN_H

#include <stdbool.h>
#include <stddef.h>

/* A row of table gpu_name. */
struct feed_name {
    const char *format, *provider, *name; /* name is folded by feed_fold(); provider is "" for
                                           * any */
    const char *instance;                 /* a LIKE pattern */
    const char *gpu;
    double memory_gib; /* 0: use the GPU's own */
    double gpu_count;  /* per instance; 0: use the feed's */
    bool unverified;   /* not verified yet */
};

struct feed_gpu {
    const char *slug;
    double memory_gib; /* as marketed; NAN if unknown */
};

/* A row of table provider_alias. */
struct feed_alias {
    const char *alias, *provider;
};

/* Borrowed and sorted: names by name, GPUs by slug, aliases by alias. */
struct feed_known {
    const struct feed_name *names;
    const struct feed_gpu *gpus;
    const char *const *providers;
    const struct feed_alias *aliases;
    size_t n_names, n_gpus, n_providers, n_aliases;
};

/* What a row says about its accelerators. */
struct feed_accelerator {
    const char *format, *provider, *name, *instance;
    double memory_gib; /* of one, according to the feed; NAN if not given */
    double count;      /* NAN if not given */
    /* SkyPilot's other notations for memory: the sum of all GPUs, or GiB in a field for MiB. */
    bool memory_loose;
};

struct feed_match {
    const char *gpu;  /* NULL if unknown or ambiguous */
    double count;     /* from the feed, else from gpu_name; NAN if neither has it */
    const char *note; /* how the memory was interpreted if not as written, else NULL */
    bool unknown;     /* the name is not in gpu_name */
    char why[320];    /* why there is no GPU */
};

enum { FEED_NAME_MAX = 64 };

/* Fold a name: lower case without blanks, hyphens and underscores, truncated to FEED_NAME_MAX -
 * 1. */
void feed_fold(const char *name, char to[FEED_NAME_MAX]);

/* Finds the GPU by the rows of gpu_name of this provider, else of any provider, whose pattern
 * matches and whose memory is within 7 % of the feed's (the difference between decimal and binary
 * gigabytes). */
struct feed_match feed_find_gpu(const struct feed_known *known,
                                const struct feed_accelerator *accelerator);

const struct feed_gpu *feed_known_gpu(const struct feed_known *known, const char *slug);
bool feed_known_provider(const struct feed_known *known, const char *slug);
/* The slug of the provider with that slug or alias, ignoring case; NULL if unknown. */
const char *feed_find_provider(const struct feed_known *known, const char *name);

#endif
