/* known.h - what the catalogue knows when a feed is read: its GPUs, its providers, and which of its
 * GPUs a feed means by a name. Names that are not known are reported, never guessed. */
#ifndef FEED_KNOWN_H
#define FEED_KNOWN_H

#include <stdbool.h>
#include <stddef.h>

/* A row of table gpu_name. */
struct feed_name {
    const char *format, *provider, *name; /* name as feed_fold() makes it; provider "": any */
    const char *instance;                 /* a LIKE pattern */
    const char *gpu;
    double memory_gib; /* 0: that of the GPU */
    double gpu_count;  /* of the instance; 0: whatever the feed says */
    bool unverified;   /* nobody has looked it up */
};

struct feed_gpu {
    const char *slug;
    double memory_gib; /* as marketed, NAN unknown */
};

/* A row of table provider_alias. */
struct feed_alias {
    const char *alias, *provider;
};

/* Borrowed, sorted: names by name, GPUs by slug, providers, aliases by alias. */
struct feed_known {
    const struct feed_name *names;
    const struct feed_gpu *gpus;
    const char *const *providers;
    const struct feed_alias *aliases;
    size_t n_names, n_gpus, n_providers, n_aliases;
};

/* What a row says of its accelerators. */
struct feed_accelerator {
    const char *format, *provider, *name, *instance;
    double memory_gib; /* of one, as the feed has it; NAN: it does not say */
    double count;      /* NAN: it does not say */
    /* SkyPilot's other ways to give the memory: the sum of all, or GiB in a field of MiB. */
    bool memory_loose;
};

struct feed_match {
    const char *gpu;  /* NULL: not known, or not without doubt */
    double count;     /* what the feed says, else what the name says; NAN: neither */
    const char *note; /* how the memory was read where not as it is written, else NULL */
    bool unknown;     /* nobody said what the name means there */
    char why[320];    /* there is no GPU */
};

enum { FEED_NAME_MAX = 64 };

/* The name in lower case without blanks, hyphens and underscores; cut at FEED_NAME_MAX - 1. */
void feed_fold(const char *name, char to[FEED_NAME_MAX]);

/* Which GPU it is: by the rows of the provider, else by those of no provider, whose pattern fits,
 * and whose memory is within 7 % of what the feed says: decimal gigabytes are that much less. */
struct feed_match feed_find_gpu(const struct feed_known *known,
                                const struct feed_accelerator *accelerator);

const struct feed_gpu *feed_known_gpu(const struct feed_known *known, const char *slug);
bool feed_known_provider(const struct feed_known *known, const char *slug);
/* The slug of who goes by the name, which may be the slug or an alias in any case; NULL: nobody. */
const char *feed_find_provider(const struct feed_known *known, const char *name);

#endif
