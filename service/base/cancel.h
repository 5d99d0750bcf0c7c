/* cancel.h - a cancellation token: set from another thread, with a reason, to end a calculation,
 * which polls it and returns early.
 *
 * A poll is one relaxed load, cheap enough for every iteration of a loop. The token stays set until
 * the next calculation begins. What a cancelled calculation returns is incomplete and must be
 * discarded, never shown or cached.
 */
#ifndef BASE_CANCEL_H
#define BASE_CANCEL_H

#include <stdatomic.h>
#include <stdbool.h>

enum cancel_reason {
    CANCEL_NOT,
    CANCEL_DEADLINE, /* it took longer than it may */
    CANCEL_GONE,     /* the client has gone */
    CANCEL_STOPPING, /* the process ends */
    CANCEL_REASONS
};

struct cancel {
    _Atomic(enum cancel_reason) reason;
};

/* CANCEL_NOT without a token. */
static inline enum cancel_reason cancel_reason(const struct cancel *cancel)
{
    return cancel ? atomic_load_explicit(&cancel->reason, memory_order_relaxed) : CANCEL_NOT;
}

static inline bool cancelled(const struct cancel *cancel)
{
    return cancel_reason(cancel) != CANCEL_NOT;
}

/* Set the reason; false, and the former one stays, where there is one. */
static inline bool cancel_set(struct cancel *cancel, enum cancel_reason reason)
{
    enum cancel_reason none = CANCEL_NOT;

    return atomic_compare_exchange_strong(&cancel->reason, &none, reason);
}

#endif
