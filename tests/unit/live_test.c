/* live_test.c - readers never see a torn, freed or older catalogue while it is replaced. */
#include "catalog/live.h"

#include "tap.h"

#include <poll.h>
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
        double serial = (double)live_serial(live);
        const struct catalog *catalog = live_enter(live, worker);
        if (serial > 0 && (!catalog || catalog->loaded_at < serial))
            bad = true;
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

static struct catalog *generation(int number)
{
    struct catalog *catalog = catalog_new();

    catalog->loaded_at = number;
    catalog->n_rates = (size_t)number * 7;
    return catalog;
}

static void *publish(void *catalog)
{
    live_publish(live, catalog);
    return NULL;
}

/* One reader stays inside for long. */
static void test_long_reader(void)
{
    pthread_t thread;
    double seen = 1;

    live = live_new(3);
    live_publish(live, generation(1));
    const struct catalog *held = live_enter(live, 1);
    pthread_create(&thread, NULL, publish, generation(2));
    for (int i = 0; i < 10000 && seen < 2; i++, poll(NULL, 0, 1)) {
        seen = live_enter(live, 2)->loaded_at;
        live_exit(live, 2);
    }
    ok(seen == 2, "while one still reads the old, the others have the new");
    ok(pthread_tryjoin_np(thread, NULL) != 0, "the refresher waits");
    ok(held->loaded_at == 1 && held->n_rates == 7, "the old is as it was");
    live_exit(live, 1);
    ok(live_enter(live, 1)->loaded_at == 2, "who comes in again has the new");
    pthread_join(thread, NULL);
    ok(true, "and does not keep the refresher waiting");
    live_exit(live, 1);
    live_free(live);
}

int main(void)
{
    pthread_t thread[WORKERS];
    unsigned id[WORKERS];

    test_long_reader();
    live = live_new(WORKERS);
    ok(live_enter(live, 0) == NULL, "empty before the first publish");
    live_exit(live, 0);

    for (unsigned i = 0; i < WORKERS; i++) {
        id[i] = i;
        pthread_create(&thread[i], NULL, reader, &id[i]);
    }
    for (int i = 1; i <= PUBLISHES; i++)
        live_publish(live, generation(i));
    stop = true;
    for (unsigned i = 0; i < WORKERS; i++)
        pthread_join(thread[i], NULL);
    ok(!bad, "no torn, freed or older catalog in %ld reads", (long)reads);
    live_free(live);
    return tap_done();
}
