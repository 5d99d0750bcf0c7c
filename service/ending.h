/* ending.h - a watchdog for the process's own end: where an orderly end takes too long, because a
 * thread does not come back, the process ends without it. */
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

/* From now on the end may take this many seconds; then the log says what was waited for, and the
 * process ends with EXIT_STUCK. */
void ending_begin(struct ending *ending, double seconds);
/* The step of the shutdown that is being waited for; static text. */
void ending_wait_for(struct ending *ending, const char *what);
/* It has come. */
void ending_done(struct ending *ending);

#endif
