/* fuzz.h - what a fuzz target is made of: NAME_fuzz.c, linked with libFuzzer or with replay.c. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include "base/buf.h"

#include <stdint.h>

/* Each target has one; it must never return anything but 0, and abort where a promise is broken. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Go on where `good`; else say which promise is broken, and abort. */
void fuzz_need(bool good, const char *promise);

/* The bytes as a text that ends at the first NUL; free() it. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Ask the API, over the seeded catalogue, what the bytes say: a request line, headers and a body as
 * in api/examples. With `long_ones` also what the compute threads would do, at once; else that is
 * left. Whatever comes back must be a whole and harmless reply. */
void fuzz_ask(const uint8_t *data, size_t size, bool long_ones);

struct catalog;

/* Have fuzz_ask() ask of this catalogue from now on, which is freed with the next. */
void fuzz_publish(struct catalog *catalog);

#endif
