/* live_test.c - readers never see a torn, freed or older catalogue while it is replaced. */
#include "live/live.h"

#include "tap.h"

#include <pthread.h>
#include <stdatomic.h>

enum { WORKERS = 4, PUBLISHES = 20000 };

static struct live *live;
static atomic_bool stop, bad;
static atomic_long reads;

static void *reader(void *arg)
{
    unsigned worker = *(const unsigned *)arg;
    double last = 0;

    while (!stop) {
        const struct catalog *catalog = live_enter(live, worker);
        if (catalog) {
            if ((double)catalog->n_rates != catalog->loaded_at * 7 || catalog->loaded_at < last)
                bad = true;
            last = catalog->loaded_at;
        }
        live_exit(live, worker);
        reads++;
    }
    return NULL;
}

int main(void)
{
    pthread_t thread[WORKERS];
    unsigned id[WORKERS];

    live = live_new(WORKERS);
    ok(live_enter(live, 0) == NULL, "empty before the first publish");
    live_exit(live, 0);

    for (unsigned i = 0; i < WORKERS; i++) {
        id[i] = i;
        pthread_create(&thread[i], NULL, reader, &id[i]);
    }
    for (int generation = 1; generation <= PUBLISHES; generation++) {
        struct catalog *next = catalog_new();
        next->loaded_at = generation;
        next->n_rates = (size_t)generation * 7;
        live_publish(live, next);
    }
    stop = true;
    for (unsigned i = 0; i < WORKERS; i++)
        pthread_join(thread[i], NULL);
    ok(!bad, "no torn, freed or older catalog in %ld reads", (long)reads);
    live_free(live);
    return tap_done();
}
