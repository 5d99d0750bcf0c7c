/* search_fuzz.c - whole requests with what the compute threads do: searches and draws. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_ask(data, size, true);
    return 0;
}
