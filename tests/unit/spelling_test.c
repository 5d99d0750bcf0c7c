/* spelling_test.c - names passed over unlooked at are never the nearest: against all of them
 * compared, for names spoilt at random. */
#include "base/spelling.h"

#include "base/text.h"
#include "tap.h"

#include <string.h>

static const char *const names[] = {
    "/v1",
    "/v1/gpus",
    "/v1/gpus/{gpu}",
    "/v1/offers",
    "/v1/offers/history",
    "/v1/price-summary",
    "/v1/training-plan",
    "/v1/training-plan/line-items",
    "/v1/break-even",
    "a name longer than the sixty-three bytes that are compared of it",
    "a name longer than the sixty-three bytes that are compared, too",
    "gpu_count",
    "gpu_cuont",
    ""};
enum { NAMES = sizeof(names) / sizeof(names[0]) };

static unsigned long long seed = 20261122;

static size_t any_of(size_t n)
{
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
    return (size_t)(seed >> 33) % n;
}

/* Swap, drop, change, double or put in front. */
static void spoil(char text[200])
{
    size_t n = strlen(text), i = any_of(n + 1);

    if (n > 150)
        return;
    switch (any_of(5)) {
    case 0:
        if (i + 1 < n) {
            char c = text[i];
            text[i] = text[i + 1];
            text[i + 1] = c;
        }
        break;
    case 1:
        memmove(text + i, text + i + (i < n), n - i + (i == n));
        break;
    case 2:
        if (i < n)
            text[i] = "Aez1/-_G"[any_of(8)];
        break;
    case 3:
        memmove(text + n, text, n + 1);
        text[2 * n] = '\0';
        break;
    default:
        memmove(text + 1, text, n + 1);
        text[0] = "xV/a"[any_of(4)];
    }
}

static const char *nearest_of_all(const char *typed)
{
    const char *best = NULL;
    size_t least = (size_t)-1;

    for (size_t i = 0; i < NAMES; i++) {
        size_t distance = text_distance(typed, names[i]);
        if (distance < least) {
            least = distance;
            best = names[i];
        }
    }
    return text_near(typed, best, least) ? best : NULL;
}

int main(void)
{
    size_t n_near = 0, n_far = 0;

    for (int i = 0; i < 4000; i++) {
        char typed[320];
        snprintf(typed, sizeof(typed), "%s", names[any_of(NAMES)]);
        for (size_t k = any_of(12); k > 0; k--)
            spoil(typed);
        struct spelling near;
        spelling_begin(&near, typed);
        for (size_t k = 0; k < NAMES; k++)
            spelling_try(&near, names[k]);
        const char *found = spelling_get(&near), *best = nearest_of_all(typed);
        *(best ? &n_near : &n_far) += 1;
        if (found != best)
            ok(false, "%s: %s, not %s", typed, best ? best : "none", found ? found : "none");
    }
    ok(n_near > 500 && n_far > 50, "%zu spoilt names had one near, %zu none", n_near, n_far);
    return tap_done();
}
