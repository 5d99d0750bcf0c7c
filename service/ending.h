/* ending.h - a watchdog for shutdown: if an orderly shutdown takes too long because a thread does
 * not return, the process exits anyway. */
#ifndef ENDING_H
#define ENDING_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>

struct ending {
    sem_t done;
    pthread_t thread;
    bool watched;
    double seconds;
    _Atomic(const char *) waits_for;
};

/* Allow the shutdown this many seconds; then log the step it was waiting for and exit with
 * EXIT_STUCK. */
void ending_begin(struct ending *ending, double seconds);
/* Set the step of the shutdown that is being waited for; static text. */
void ending_wait_for(struct ending *ending, const char *what);
/* The shutdown is complete; stop the watchdog. */
void ending_done(struct ending *ending);

#endif
