/* exit.h - how the program ends, after sysexits.h: whether to try again is in the code. */
#ifndef SETTINGS_EXIT_H
#define SETTINGS_EXIT_H

enum {
    EXIT_OK = 0,
    EXIT_USAGE = 64,
    EXIT_UNAVAILABLE = 69,
    EXIT_BUG = 70,
    EXIT_STUCK = 71, /* a thread did not end; sysexits.h has no such thing */
    EXIT_CONFIG = 78
};

#endif
