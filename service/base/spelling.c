#include "base/spelling.h"

#include "base/text.h"

#include <stdint.h>
#include <string.h>

/* text_distance() compares no more than this of longer texts. */
enum { COMPARED = 63 };

struct spelling spelling_of(const char *typed)
{
    return (struct spelling){typed, "", SIZE_MAX};
}

bool spelling_try(struct spelling *spelling, const char *name)
{
    size_t n = strlen(spelling->typed), m = strlen(name), distance;

    /* Letters too many or too few are an edit each. */
    if (n < COMPARED && m < COMPARED && (n > m ? n - m : m - n) >= spelling->distance)
        return false;
    distance = text_distance(spelling->typed, name);
    if (distance >= spelling->distance)
        return false;
    spelling->nearest = name;
    spelling->distance = distance;
    return true;
}

const char *spelling_meant(const struct spelling *spelling)
{
    bool near = spelling->distance < SIZE_MAX &&
                text_near(spelling->typed, spelling->nearest, spelling->distance);

    return near ? spelling->nearest : NULL;
}
