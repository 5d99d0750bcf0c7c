/* body_fuzz.c - JSON bodies: what is read of one is what a query could have said. */
#include "fuzz.h"

#include "base/text.h"
#include "json/body.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct params *params = arena_alloc(&arena, sizeof(*params));
    const struct model *model = NULL;
    struct err err = {0};

    bool good = json_read_params((const char *)data, size, &arena, params, &model, &err);
    fuzz_need(good || err.n_culprits || err.text[0], "a refusal says why");
    fuzz_need(params->n <= PARAMS_MAX, "there is a limit");
    for (size_t i = 0; i < params->n; i++) {
        fuzz_need(text_is_utf8(params->at[i].name), "a name is UTF-8");
        fuzz_need(text_is_utf8(params->at[i].value), "a value is UTF-8");
    }
    arena_free(&arena);
    return 0;
}
