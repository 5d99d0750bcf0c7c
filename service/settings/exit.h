/* exit.h - exit codes, after sysexits.h; they show whether a retry makes sense. */
#ifndef SETTINGS_EXIT_H
#define SETTINGS_EXIT_H

enum {
    EXIT_OK = 0,
    EXIT_USAGE = 64,
    EXIT_UNAVAILABLE = 69,
    EXIT_BUG = 70,
    EXIT_STUCK = 71, /* a thread did not end; not in sysexits.h */
    EXIT_CONFIG = 78
};

#endif
