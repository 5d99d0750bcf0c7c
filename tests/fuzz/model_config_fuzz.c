/* model_config_fuzz.c - a Hugging Face config.json, whatever is in it. */
#include "fuzz.h"

#include "json/body.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    const struct model *model = NULL;
    struct err err = {0};

    bool good = json_read_model((const char *)data, size, &arena, &model, &err);
    fuzz_need(good == (model != NULL), "a model is read or refused");
    fuzz_need(good || err.n_culprits || err.text[0], "a refusal says why");
    arena_free(&arena);
    return 0;
}
