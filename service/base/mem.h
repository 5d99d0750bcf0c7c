/* mem.h - allocation that aborts when out of memory.
 *
 * Body limits and connection limits bound the memory in use, so running out is a fault to stop at,
 * not a case to handle at every call.
 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

/* Keep freed memory in the process for the next request: a training plan takes half a megabyte,
 * which malloc would otherwise return to the system and fault in again page by page. Call once,
 * before any thread starts.
 */
void mem_keep_freed(void);

/* Return free memory to the system after all, because a large load fragments the heap. */
void mem_give_back(void);

/* Zeroed memory; the caller frees it. */
void *mem_alloc(size_t size) __attribute__((returns_nonnull, malloc));
void *mem_aligned(size_t align, size_t size) __attribute__((returns_nonnull, malloc));
/* Resize; added bytes are not zeroed. */
void *mem_resize(void *old, size_t size) __attribute__((returns_nonnull));
/* Room for one more element after the first n: the array, or one twice as large if all of its *room
 * elements are used. Updates *room. */
void *mem_grow(void *array, size_t n, size_t *room, size_t size) __attribute__((returns_nonnull));
char *mem_text(const char *text) __attribute__((returns_nonnull, malloc));

#endif
