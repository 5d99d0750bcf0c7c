#include "estimate/training/plan/least_recompute.h"

#include "base/minmax.h"
#include "estimate/training/recompute.h"

#include <math.h>

bool training_recompute_settle(const struct training_job *job, struct training_strategy *on,
                               double room)
{
    struct training_strategy open = *on;
    double before = 0, least = (double)INFINITY;
    bool all = training_recompute_all(job);

    for (int end = 0; end < TRAINING_RECOMPUTE_ENDS; end += all ? 2 : 1) {
        struct training_strategy at = training_recompute_between(job, &open, end, 0);
        struct training_memory here = training_memory(job, &at);
        if (here.required <= room) {
            *on = at;
            if (end == 0 || all)
                return true;
            /* Slightly more, so that rounding does not exceed the room again. */
            double share = lesser(1, 1e-12 + (before - room) / (before - here.required));
            *on = training_recompute_between(job, &open, end - 1, share);
            return true;
        }
        if (here.required < least) {
            least = here.required;
            *on = at;
        }
        before = here.required;
    }
    return false;
}
