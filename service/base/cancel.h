/* cancel.h - a cancellation token: whoever runs a calculation says from outside that it is to end,
 * and why; the calculation looks at it often, and where it is set gives up what it has.
 *
 * To look is one relaxed load, so loops may do so in each turn. It stays set until the next
 * calculation begins. What a cancelled calculation returns is not an answer: nobody may show or
 * keep it.
 */
#ifndef BASE_CANCEL_H
#define BASE_CANCEL_H

#include <stdatomic.h>
#include <stdbool.h>

enum cancel_reason {
    CANCEL_NOT,
    CANCEL_DEADLINE, /* it took longer than it may */
    CANCEL_GONE,     /* nobody waits for the answer any more */
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
