#include "ending.h"

#include "base/log.h"
#include "settings/exit.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

static void *watch(void *cls)
{
    struct ending *ending = cls;
    struct timespec until;
    int rc;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)ending->seconds;
    do
        rc = sem_clockwait(&ending->done, CLOCK_MONOTONIC, &until);
    while (rc != 0 && errno == EINTR);
    if (rc == 0)
        return NULL;
    log_text(LOG_ERROR, "a thread does not end: the process exits without it", "waited_for",
             ending->waits_for);
    _exit(EXIT_STUCK);
}

void ending_begin(struct ending *ending, double seconds)
{
    ending->seconds = seconds;
    ending->waits_for = "nothing";
    ending->watched = sem_init(&ending->done, 0, 0) == 0 &&
                      pthread_create(&ending->thread, NULL, watch, ending) == 0;
}

void ending_wait_for(struct ending *ending, const char *what)
{
    ending->waits_for = what;
}

void ending_done(struct ending *ending)
{
    if (!ending->watched)
        return;
    sem_post(&ending->done);
    pthread_join(ending->thread, NULL);
}
