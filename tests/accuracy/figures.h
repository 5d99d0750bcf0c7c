/* figures.h - an answer in binary: how many figures, then each. A fit reads ten thousand answers
 * of four thousand figures each; as decimals, printing and parsing took a third of its time. */
#ifndef FIGURES_H
#define FIGURES_H

#include <stdint.h>
#include <stdio.h>

static inline void figures_begin(uint64_t n)
{
    (void)fwrite(&n, sizeof(n), 1, stdout);
}

static inline void figures_add(double value)
{
    (void)fwrite(&value, sizeof(value), 1, stdout);
}

#endif
