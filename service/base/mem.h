/* mem.h - allocation that aborts when memory is out.
 *
 * Body limits times connection limits bound what can be asked for, so running out is a fault to
 * stop at, not a case to handle at every call.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

/* Have malloc keep what is freed for the next request: a training plan takes half a megabyte, which
 * otherwise goes back to the system and comes again page by page. Once, before there are threads.
 */
void mem_keep_freed(void);

/* Return what is free now to the system all the same: a large load leaves holes in the heap. */
void mem_give_back(void);

/* Zeroed memory; free() it. */
void *mem_alloc(size_t size) __attribute__((returns_nonnull, malloc));
void *mem_aligned(size_t align, size_t size) __attribute__((returns_nonnull, malloc));
/* Grow or shrink; the new part is not zeroed. */
void *mem_resize(void *old, size_t size) __attribute__((returns_nonnull));
char *mem_text(const char *text) __attribute__((returns_nonnull, malloc));

#endif
