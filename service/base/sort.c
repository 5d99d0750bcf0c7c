#include "base/sort.h"

#include <stdlib.h>

void sort_items(void *items, size_t n, size_t size, int (*compare)(const void *, const void *))
{
    if (n > 1)
        qsort(items, n, size, compare);
}
