/* seed.h - files taken apart without service/feed, and what feeds call our GPUs, from sql/seed. */
#ifndef TESTS_FEEDS_SEED_H
#define TESTS_FEEDS_SEED_H

#include "base/arena.h"
#include "feed/known.h"

enum { FILE_MAX_BYTES = 1 << 22, CELLS_MAX = 64, CELL_MAX = 9000 };

struct file {
    const char *name;
    char *bytes; /* FILE_MAX_BYTES of room */
    size_t n;
};

struct file read_file(const char *name);
void die(const char *what, const char *name) __attribute__((noreturn));

/* A line taken apart: cells without their quotes. */
struct cells {
    size_t n;
    char at[CELLS_MAX][CELL_MAX];
};
void split(const char *from, const char *end, struct cells *cells);

void seed_load(struct feed_known *known, struct arena *arena);

#endif
