/* cancel.h - a cancellation token: another thread sets it, with a reason, and the calculation polls
 * it and returns early.
 *
 * A poll is one relaxed load, cheap enough for every iteration of a loop. The token stays set until
 * the next calculation begins. The result of a cancelled calculation is incomplete: it must be
 * discarded, never sent or cached.
 */
#ifndef BASE_CANCEL_H
#define BASE_CANCEL_H

#include <stdatomic.h>
#include <stdbool.h>

enum cancel_reason {
    CANCEL_NOT,
    CANCEL_DEADLINE, /* the time limit was exceeded */
    CANCEL_GONE,     /* the client disconnected */
    CANCEL_STOPPING, /* the process is shutting down */
    CANCEL_REASONS
};

struct cancel {
    _Atomic(enum cancel_reason) reason;
};

/* The reason; CANCEL_NOT if there is no token. */
static inline enum cancel_reason cancel_reason(const struct cancel *cancel)
{
    return cancel ? atomic_load_explicit(&cancel->reason, memory_order_relaxed) : CANCEL_NOT;
}

static inline bool cancelled(const struct cancel *cancel)
{
    return cancel_reason(cancel) != CANCEL_NOT;
}

/* Set the reason. Returns false and keeps the earlier reason if one is already set. */
static inline bool cancel_set(struct cancel *cancel, enum cancel_reason reason)
{
    enum cancel_reason none = CANCEL_NOT;

    return atomic_compare_exchange_strong(&cancel->reason, &none, reason);
}

#endif
