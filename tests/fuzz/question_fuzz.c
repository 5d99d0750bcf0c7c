/* question_fuzz.c - whole requests: path, query, headers and body, all that a worker answers. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_ask(data, size, false);
    return 0;
}
